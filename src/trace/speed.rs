//! How fast tracing is, against a bare loop that writes the same value lines with the same writer.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use wormscope_hw::{NodeId, SwitchId, WormId};

use super::vcd::VcdHeader;
use super::{End, Header, Layout, Options, Sink, TraceError, Tracer, scope::Selection};
use crate::engine::{CommitLog, FlitId, InSample, InjectSample, LaneState, Observer, OutSample, payload_word};
use crate::network::{Network, Wiring};
use crate::output::{Output, OutputError};

/// Commit logs that are made once and traced over and over; few, because an engine's log is warm in
/// the cache.
const LOGS: u64 = 32;

/// Times of one comparison.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Value changes written, the same in both.
    pub changes: u64,
    /// Time of the tracer, fed with commit logs.
    pub traced: Duration,
    /// Time of the bare loop over the recorded changes.
    pub bare: Duration,
}

impl Speed {
    /// Changes a second of the tracer and of the bare loop.
    #[must_use]
    pub fn rates(&self) -> (f64, f64) {
        let rate = |time: Duration| self.changes as f64 / time.as_secs_f64();
        (rate(self.traced), rate(self.bare))
    }
}

/// Traces `cycles` busy cycles of a network into a VCD in `directory`, then writes the same changes
/// in a bare loop. Every switch moves a flit through one of its inputs and one of its outputs in
/// every cycle.
///
/// # Errors
/// When the files cannot be written.
pub fn measure(directory: &Path, network: &Network, wiring: &Wiring, cycles: u64) -> Result<Speed, TraceError> {
    let path = directory.join("speed.vcd");
    let mut logs: Vec<CommitLog> = (0..LOGS).map(|cycle| busy(network, wiring, cycle)).collect();
    let mut run = |tracer: &mut dyn FnMut(&CommitLog)| {
        for cycle in 0..cycles {
            let log = &mut logs[(cycle % LOGS) as usize];
            log.cycle = cycle;
            tracer(log);
        }
    };
    let end = End { cycles, deadlock: None };

    let mut recorder = Tracer::new(Recorder::default(), &path, network, wiring, Options::default())?;
    run(&mut |log| recorder.commit(log));
    let record = recorder.finish_dump(end)?;

    let mut observer = Tracer::new(VcdHeader::new(Output::create(&path)?), &path, network, wiring, Options::default())?;
    let start = Instant::now();
    run(&mut |log| observer.commit(log));
    observer.finish_dump(end)?;
    let traced = start.elapsed();

    let layout = Layout::new(network, wiring, Selection::new(&[])?, &[])?;
    let file = Output::create(&path)?;
    let bare = || {
        let mut header = VcdHeader::new(file);
        layout.declare(&mut header)?;
        let mut vcd = header.begin()?;
        let start = Instant::now();
        record.replay(&mut vcd)?;
        vcd.finish()?;
        Ok(start.elapsed())
    };
    let bare = bare().map_err(|source| OutputError::new(&path, source))?;
    Ok(Speed { changes: record.changes, traced, bare })
}

/// A cycle in which every switch and node moves a flit.
fn busy(network: &Network, wiring: &Wiring, cycle: u64) -> CommitLog {
    let lanes = network.lanes(wiring);
    let flit = FlitId { worm: WormId((cycle / 16) as u32), index: (cycle % 16) as u32 };
    let mut log = CommitLog { cycle, ..CommitLog::default() };
    for switch in (0..wiring.switches()).map(SwitchId) {
        let turn = cycle as u32 + switch.0;
        let (lane, out) =
            ((turn % u32::from(lanes.inputs.count())) as u8, (turn % u32::from(lanes.outputs.count())) as u8);
        log.inputs.push(InSample {
            switch,
            lane,
            state: LaneState::Move,
            enc: 0,
            fifo_count: (turn % network.switch.fifo_depth) as u16,
            worm: Some(flit.worm),
            flit: Some(flit.index),
            branches: 1 << (turn % 5),
            taken: 0,
        });
        let data = log.words.len() as u32;
        let credits = (turn % network.switch.fifo_depth) as u16;
        log.outputs.push(OutSample { switch, lane: out, owner: Some(lane), credits, flit: Some(flit), data });
        let words = network.switch.flit_bits.div_ceil(64);
        log.words.extend((0..words).map(|word| payload_word(flit.worm, flit.index, word, network.switch.flit_bits)));
        let node = NodeId(switch.0);
        log.injections.push(InjectSample { node, channel: 0, credits: 1, flit: Some(flit), queue: 1 });
    }
    log
}

/// Keeps what a tracer hands on.
#[derive(Default)]
struct Recorder {
    changes: u64,
    /// Signal and value; a time step is signal `u32::MAX`; a wide value stands in `wide` and is
    /// marked by the top bit.
    events: Vec<(u32, u64)>,
    wide: Vec<Vec<u64>>,
}

const TIME: u32 = u32::MAX;
const WIDE: u32 = 1 << 31;

impl Recorder {
    fn replay(&self, to: &mut impl Sink) -> io::Result<()> {
        for &(signal, value) in &self.events {
            match signal {
                TIME => to.time(value)?,
                signal if signal & WIDE != 0 => to.words(signal & !WIDE, &self.wide[value as usize]),
                signal => to.word(signal, value),
            }
        }
        Ok(())
    }
}

impl Header for Recorder {
    type Sink = Self;

    fn open(&mut self, _scope: &str) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn signal(&mut self, _name: &str, _bits: u32) -> io::Result<()> {
        Ok(())
    }

    fn begin(self) -> io::Result<Self> {
        Ok(self)
    }
}

impl Sink for Recorder {
    type Output = Self;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        self.events.push((TIME, cycle));
        Ok(())
    }

    fn word(&mut self, signal: u32, value: u64) {
        self.changes += 1;
        self.events.push((signal, value));
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        self.changes += 1;
        self.events.push((signal | WIDE, self.wide.len() as u64));
        self.wide.push(value.to_vec());
    }

    fn finish(self) -> io::Result<Self> {
        Ok(self)
    }
}
