//! Speed of tracing, `cargo bench --bench tracing`. The tracer gets commit logs and writes VCD, and
//! the result is value changes per second. A bare loop writes the same changes with the same
//! writer. Both take turns in one run.

use std::error::Error;
use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{Duration, Instant};

use wormscope::config;
use wormscope::engine::{
    CommitLog, FlitId, InSample, InjectSample, LaneState, LinkWaits, Observer, OutSample, payload_word,
};
use wormscope::hw::{Encoding, NodeId, PortMask, SwitchId, WormId};
use wormscope::network::{Built, Network};
use wormscope::trace::{DumpEnd, Header, Options, Sink, Tracer, VcdHeader};

const RUNS: usize = 7;
const CYCLES: u64 = 4000;
/// Number of commit logs that are made once and traced over and over. They are few, because an
/// engine's log is warm in the cache.
const LOGS: u64 = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let built =
        config::from_text("bench", "(network: (topology: mesh(radices: [8, 8])))", &[])?.experiment.network.build()?;
    let directory = tempfile::tempdir()?;
    let runs: Vec<Speed> = (0..RUNS).map(|_| measure(directory.path(), &built)).collect::<Result<_, _>>()?;
    println!("8x8 mesh, every switch moves a flit in every cycle, {} changes a run, {RUNS} runs", runs[0].changes);
    row("tracer, M changes/s", &runs, |speed| speed.rate(speed.traced) / 1e6);
    row("bare loop, M changes/s", &runs, |speed| speed.rate(speed.bare) / 1e6);
    row("tracer / bare loop", &runs, |speed| speed.rate(speed.traced) / speed.rate(speed.bare));
    Ok(())
}

fn row(name: &str, runs: &[Speed], figure: impl Fn(&Speed) -> f64) {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    println!("{name:<24} median {:.2}, min {:.2}, max {:.2}", figures[RUNS / 2], figures[0], figures[RUNS - 1]);
}

/// Times of one comparison.
struct Speed {
    /// Value changes written, the same in both.
    changes: u64,
    /// Time of the tracer, fed with commit logs.
    traced: Duration,
    /// Time of the bare loop over the recorded changes.
    bare: Duration,
}

impl Speed {
    /// Changes a second.
    fn rate(&self, time: Duration) -> f64 {
        self.changes as f64 / time.as_secs_f64()
    }
}

/// Traces busy cycles of a network into a VCD in `directory`, then writes the same changes in a
/// bare loop. Every switch moves a flit through one of its inputs and one of its outputs in every
/// cycle.
fn measure(directory: &Path, built: &Built) -> Result<Speed, Box<dyn Error>> {
    let [traced, bare] = ["traced.vcd", "bare.vcd"].map(|name| directory.join(name));
    let tracer_to = |header| Tracer::new(header, &traced, built.network(), built.wiring(), Options::default());
    let mut logs: Vec<CommitLog> = (0..LOGS).map(|cycle| busy(built, cycle)).collect();
    let mut run = |tracer: &mut dyn FnMut(&CommitLog)| {
        for cycle in 0..CYCLES {
            let log = &mut logs[(cycle % LOGS) as usize];
            log.cycle = cycle;
            tracer(log);
        }
    };
    let end = DumpEnd { cycles: CYCLES, deadlock: None };

    let mut recorder = Tracer::new(Record::default(), &traced, built.network(), built.wiring(), Options::default())?;
    run(&mut |log| recorder.commit(log));
    let record = recorder.finish_dump(end)?;

    let mut observer = tracer_to(VcdHeader::new(BufWriter::new(fs::File::create(&traced)?)))?;
    let start = Instant::now();
    run(&mut |log| observer.commit(log));
    observer.finish_dump(end)?;
    let time_traced = start.elapsed();

    let mut header = VcdHeader::new(BufWriter::new(fs::File::create(&bare)?));
    record.declare(&mut header)?;
    let mut vcd = header.begin()?;
    let start = Instant::now();
    record.replay(&mut vcd)?;
    vcd.finish()?;
    let time_bare = start.elapsed();

    assert!(fs::read(&traced)? == fs::read(&bare)?, "the bare loop writes another dump");
    Ok(Speed { changes: record.changes, traced: time_traced, bare: time_bare })
}

/// A cycle in which every switch and node moves a flit.
fn busy(built: &Built, cycle: u64) -> CommitLog {
    let (network, wiring): (&Network, _) = (built.network(), built.wiring());
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
            enc: Some(Encoding::Unicast),
            fifo_count: (turn % network.switch.fifo_depth) as u16,
            worm: Some(flit.worm),
            flit: Some(flit.index),
            branches: PortMask::only((turn % 5) as u8),
            taken: PortMask::NONE,
            waits: LinkWaits::default(),
        });
        let data = log.words.len() as u32;
        let credits = (turn % network.switch.fifo_depth) as u16;
        log.outputs.push(OutSample { switch, lane: out, owner: Some(lane), credits, flit: Some(flit), data });
        let words = network.switch.flit_bits.div_ceil(64);
        log.words.extend((0..words).map(|word| payload_word(flit.worm, flit.index, word, network.switch.flit_bits)));
        let node = NodeId(switch.0);
        log.injections.push(InjectSample { node, channel: 0, credits: 1, flit: Some(flit), queue: 1, waits: None });
    }
    log
}

/// A declaration.
enum Declared {
    Open(String),
    Close,
    Signal(String, u32),
}

/// An event after the declarations.
enum Event {
    Time(u64),
    All(bool),
    Word(u32, u64),
    Words(u32, Vec<u64>),
}

/// Keeps the calls of a tracer.
#[derive(Default)]
struct Record {
    declared: Vec<Declared>,
    events: Vec<Event>,
    changes: u64,
}

impl Record {
    fn declare(&self, to: &mut impl Header) -> io::Result<()> {
        self.declared.iter().try_for_each(|declared| match declared {
            Declared::Open(scope) => to.open(scope),
            Declared::Close => to.close(),
            Declared::Signal(name, bits) => to.signal(name, *bits),
        })
    }

    fn replay(&self, to: &mut impl Sink) -> io::Result<()> {
        for event in &self.events {
            match event {
                Event::Time(cycle) => to.time(*cycle)?,
                Event::All(begin) => to.dump_all(*begin),
                Event::Word(signal, value) => to.word(*signal, *value),
                Event::Words(signal, value) => to.words(*signal, value),
            }
        }
        Ok(())
    }
}

impl Header for Record {
    type Sink = Self;

    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.declared.push(Declared::Open(scope.to_owned()));
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.declared.push(Declared::Close);
        Ok(())
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        self.declared.push(Declared::Signal(name.to_owned(), bits));
        Ok(())
    }

    fn begin(self) -> io::Result<Self> {
        Ok(self)
    }
}

impl Sink for Record {
    type Output = Self;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        self.events.push(Event::Time(cycle));
        Ok(())
    }

    fn dump_all(&mut self, begin: bool) {
        self.events.push(Event::All(begin));
    }

    fn word(&mut self, signal: u32, value: u64) {
        self.changes += 1;
        self.events.push(Event::Word(signal, value));
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        self.changes += 1;
        self.events.push(Event::Words(signal, value.to_vec()));
    }

    fn finish(self) -> io::Result<Self> {
        Ok(self)
    }
}
