//! Tracer: the observer that writes a dump. It keeps the value of every signal and hands on the
//! changes.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use wormscope_hw::{PortId, SwitchId, WormId};

use super::blocks::{BlockWires, Cycle, SwitchBlocks};
use super::chronicle::{Chronicle, Lane};
use super::file::{FileSink, Waveform};
use super::follow::{self, Doing, Follow, InView, OutView};
use super::layout::{Block, CYCLE, Layout};
use super::scope::Selection;
use super::signal::{
    self, EjectionRegister, InjectionRegister, InputRegister, Instance, OutputRegister, QueueRegister, Register,
    StationRegister,
};
use super::sink::{self, Header, Sink};
use super::view::{Circle, Failures};
use super::wire::Wire;
use super::{Timescale, TraceError, Window, Windows, gtkw};
use crate::engine::registers::Registers;
use crate::engine::{
    CommitLog, ConsumeSample, Delivery, InSample, InjectSample, LinkWaits, Observer, OutSample, TokenSample, WormInfo,
};
use crate::network::{Network, Wiring};
use crate::output::{Output, OutputError};

/// Contents of a dump.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Cycles to dump.
    pub windows: Windows,
    /// Globs over instance names. Without one, everything is selected.
    pub scopes: Vec<String>,
    /// Worms to follow, from a [`super::HopRecorder`] each.
    pub follows: Vec<Follow>,
    /// A deadlock to show.
    pub circle: Option<Circle>,
    /// Failures to show.
    pub failures: Option<Failures>,
    /// Whether to show the blocks of switches with their registers.
    pub blocks: bool,
    /// Clock period in ns. `None` takes the period that the network gives.
    pub clock_ns: Option<f64>,
}

/// End of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpEnd {
    /// Number of simulated cycles.
    pub cycles: u64,
    /// Cycle from which a deadlock was final.
    pub deadlock: Option<u64>,
}

/// Registers of an instance that changed, one bit for each.
struct Changed<R>(u32, PhantomData<R>);

impl<R: Register> Changed<R> {
    #[inline(always)]
    fn has(&self, register: R) -> bool {
        self.0 >> register.place() & 1 != 0
    }
}

/// Phase of the window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Open,
    /// The next window has not come.
    Between,
    Behind,
}

/// Largest number of cycles after the last change for which the clock is drawn.
const MOST_STILL: usize = 1 << 16;
/// Cycles before a deadlock to which a view of the whole run is zoomed.
pub(crate) const BEFORE: u64 = 64;

/// Treatment of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The change is not written.
    Hidden,
    /// The change is the first of its cycle, so the time step begins before it.
    Due,
    /// The change is written.
    Begun,
}

/// A branch of a followed worm.
#[derive(Clone, Copy)]
struct Branch {
    /// Number of its signal.
    signal: u32,
    /// The worm and its hop: indices into [`Tracer::follows`] and into the hops of the worm.
    hop: (usize, usize),
    /// Port; `None` for the hop as a whole, which comes after its ports.
    port: Option<PortId>,
    /// The worm had a lane of the port in the cycle before.
    had_lane: bool,
}

/// Writes the waveform of a run.
pub struct Tracer<'a, S: Sink> {
    sink: S,
    path: PathBuf,
    /// Companion files of the dump, all begun.
    beside: Vec<Output>,
    wiring: &'a Wiring,
    layout: Layout<'a>,
    windows: Windows,
    /// The current or first window, and then the later windows, with the last window first.
    window: Window,
    later: Vec<Window>,
    scale: Timescale,
    /// The followed worms, or the worms of `circle`.
    follows: Vec<Follow>,
    branches: Vec<Branch>,
    /// Waits of the input lanes of their hops.
    waits: HashMap<(SwitchId, u8), LinkWaits>,
    /// A worm uses a lane only from the cycle after its grant on.
    allocation_register: bool,
    circle: Option<Circle>,
    failures: Option<Failures>,
    chronicle: Chronicle,
    /// The blocks of switches, if they are shown, and the number of the first signal of each
    /// instance.
    blocks: Option<Box<SwitchBlocks>>,
    block_signals: Vec<(Instance, u32, Vec<Wire>)>,
    /// The value of every signal. For a signal wider than a word, its place in `wide`.
    shadow: Vec<u64>,
    /// Signals wider than a word, ascending.
    wide: Vec<u32>,
    /// Values of the wide signals, one after the other.
    data: Vec<u64>,
    /// Values of branches that need names.
    seen: BTreeSet<Doing>,
    /// Consumption channels with a flit in cycle `arrived`. They fall idle in the next cycle.
    arrivals: Vec<Block<EjectionRegister>>,
    arrived: u64,
    phase: Phase,
    step: Fate,
    now: u64,
    /// The last time step that was begun in the sink.
    written: u64,
    error: Option<io::Error>,
}

impl<'a> Tracer<'a, FileSink> {
    /// Starts a dump for `path`. Its ending, `.vcd` or `.fst`, names the format.
    ///
    /// # Errors
    /// All faults that are known before the run: endings, globs, sizes, directories that cannot be
    /// written.
    pub fn create(path: &Path, network: &Network, wiring: &'a Wiring, options: Options) -> Result<Self, TraceError> {
        Self::start(Waveform::create(path)?, network, wiring, options)
    }

    /// The same as [`Tracer::create`], in files that were begun before.
    ///
    /// # Errors
    /// The same as for [`Tracer::create`].
    pub fn start(
        waveform: Waveform,
        network: &Network,
        wiring: &'a Wiring,
        options: Options,
    ) -> Result<Self, TraceError> {
        let Waveform { header, path, beside } = waveform;
        Ok(Self { beside, ..Self::new(header, &path, network, wiring, options)? })
    }

    /// The complete dump, with the saved view `<stem>.gtkw` and its translate files. None of them
    /// has its name yet.
    ///
    /// # Errors
    /// The first error of the whole run, or of these last steps.
    pub fn finish(self, end: DumpEnd) -> Result<Vec<Output>, TraceError> {
        let shown = matches!(&self.sink, FileSink::Vcd(sink) if sink.is_shown()).then(|| self.path.clone());
        self.completed(end).map_err(|error| match (error, shown) {
            (TraceError::Io(error), Some(path)) => OutputError { left: vec![path], ..error }.into(),
            (error @ TraceError::WindowNotReached { .. }, Some(path)) => {
                // The file has declarations and no values.
                let _ = fs::remove_file(path);
                error
            }
            (error, _) => error,
        })
    }

    fn completed(mut self, end: DumpEnd) -> Result<Vec<Output>, TraceError> {
        self.close(end)?;
        let texts = gtkw::files(&self.view(end));
        let text_of = |file: &Output| texts.iter().find(|(path, _)| path == file.path()).map(|(_, text)| text);
        let beside = std::mem::take(&mut self.beside).into_iter();
        let dump = self.finish_sink();
        let beside = beside.filter_map(|file| text_of(&file).map(|text| Ok(file.filled(text)?)));
        [dump].into_iter().chain(beside).collect()
    }
}

impl<'a, S: Sink> Tracer<'a, S> {
    /// Declares the signals of a dump on `header`. `path` is for errors and for the saved view.
    ///
    /// # Errors
    /// The same as for [`Tracer::create`].
    pub fn new<H: Header<Sink = S>>(
        mut header: H,
        path: &Path,
        network: &Network,
        wiring: &'a Wiring,
        options: Options,
    ) -> Result<Self, TraceError> {
        let Options { windows, scopes, follows, circle, failures, blocks, clock_ns } = options;
        let follows: Vec<Follow> = match (&circle, &failures) {
            (Some(circle), _) => circle.follows.clone(),
            (None, Some(failures)) => failures.follows.clone(),
            (None, None) => follows,
        };
        let wires = if blocks { BlockWires::of_network(network, wiring) } else { BlockWires::default() };
        let layout = Layout::with(network, wiring, Selection::new(&scopes)?, &follows, wires)?;
        let (mut shadow, mut wide) = (Vec::with_capacity(layout.count() as usize), Vec::new());
        for (number, (_, of)) in (0..).zip(layout.signals()) {
            if of.bits() > u64::BITS {
                shadow.push(wide.len() as u64);
                wide.push(number);
            } else {
                shadow.push(of.reset());
            }
        }
        if let Some(clock) = layout.clock() {
            // Every time step of the clock begins with 1.
            shadow[clock as usize] = 1;
        }
        let branches = layout.branches().filter_map(|(signal, worm, hop, port)| {
            let follow = follows.iter().position(|follow| follow.worm.id == worm)?;
            Some(Branch { signal, hop: (follow, hop), port, had_lane: false })
        });
        let hops = follows.iter().flat_map(|follow| &follow.hops);
        let waits = hops.map(|hop| ((hop.switch, hop.lane), LinkWaits::default())).collect();
        let branches = branches.collect();
        let clock_ns = clock_ns.or_else(|| network.given_clock_ns()).ok_or(TraceError::NoClock)?;
        let scale = Timescale::of(clock_ns);
        let scale = if blocks { scale.halved() } else { scale };
        let mut later: Vec<Window> = windows.iter().rev().collect();
        header.timescale(scale);
        let sink = layout
            .declare(&mut header)
            .and_then(|()| header.begin())
            .map_err(|source| OutputError::new(path, source))?;
        Ok(Self {
            sink,
            path: path.to_owned(),
            beside: Vec::new(),
            wiring,
            window: later.pop().unwrap_or_default(),
            later,
            scale,
            chronicle: Chronicle::new(windows.clone(), follows.first().map(|f| &f.worm)),
            windows,
            data: vec![0; wide.len() * layout.data_words()],
            block_signals: layout.blocks().map(|(of, first, wires)| (of, first, wires.to_vec())).collect(),
            layout,
            follows,
            branches,
            waits,
            allocation_register: network.switch.allocation_cycles > 0,
            circle,
            failures,
            blocks: blocks.then(|| Box::new(SwitchBlocks::new(network, wiring))),
            shadow,
            wide,
            seen: BTreeSet::from([Doing::Nothing]),
            arrivals: Vec::new(),
            arrived: 0,
            phase: Phase::Before,
            step: Fate::Hidden,
            now: 0,
            written: 0,
            error: None,
        })
    }

    /// Lets the saved view open with a deadlock that was not known before the run. It does not if
    /// the dump shows neither its cycle nor its switches.
    pub(crate) fn show_deadlock(&mut self, final_cycle: u64, mut circle: Circle) {
        let Circle { follows, stops, .. } = &mut circle;
        stops.retain(|stop| {
            let hop = &follows[stop.hop.0].hops[stop.hop.1];
            self.layout.input(hop.switch, hop.lane).is_some()
        });
        if !stops.is_empty() && self.windows.contain(final_cycle) {
            self.circle = Some(circle);
        }
    }

    /// Completes the dump without a saved view.
    ///
    /// # Errors
    /// The same as for [`Tracer::finish`].
    pub fn finish_dump(mut self, end: DumpEnd) -> Result<S::Output, TraceError> {
        self.close(end)?;
        self.finish_sink()
    }

    fn finish_sink(self) -> Result<S::Output, TraceError> {
        Ok(self.sink.finish().map_err(|source| OutputError::new(&self.path, source))?)
    }

    /// Writes the last changes, and a last time step at which viewers end.
    fn close(&mut self, end: DumpEnd) -> Result<(), TraceError> {
        if !self.arrivals.is_empty() && self.arrived + 1 < end.cycles {
            self.fall_idle();
        }
        let start = self.windows.start();
        if end.cycles <= start && start > 0 {
            return Err(TraceError::WindowNotReached { start, cycles: end.cycles });
        }
        self.go_on(end.cycles.saturating_sub(1));
        if self.phase == Phase::Before {
            self.dump(self.window.start);
        }
        let last = self.last(end);
        let over = self.window.end_within(end.cycles);
        // In a deadlock the clock is also drawn for cycles without changes.
        let drawn = if end.deadlock.is_some() { last } else { 0 };
        self.draw_clock(drawn.min(over));
        self.fall_silent(over);
        self.draw_clock(drawn);
        if self.error.is_none() && last > self.written {
            self.error = self.sink.time(last).err();
        }
        match self.error.take() {
            Some(source) => Err(OutputError::new(&self.path, source).into()),
            None => Ok(()),
        }
    }

    /// Writes the clock of cycles up to and without `until`, which have no changes.
    fn draw_clock(&mut self, until: u64) {
        for cycle in (self.written + 1..until).take(MOST_STILL) {
            if self.phase == Phase::Open {
                self.now = cycle;
                self.stamp();
            }
        }
    }

    /// Shows that no flit crosses in `cycle`, the first cycle that the dump does not have.
    /// Otherwise the flits of the cycle before would seem to cross again.
    fn fall_silent(&mut self, cycle: u64) {
        if self.phase != Phase::Open || cycle <= self.written {
            return;
        }
        let crossing = self.layout.signals().zip(0..).filter(|((signal, of), number)| {
            signal.is_of_crossing_flit() && self.shadow[*number as usize] != of.reset()
        });
        let crossing: Vec<(u32, u64)> = crossing.map(|((_, of), number)| (number, of.reset())).collect();
        (self.now, self.step) = (cycle, Fate::Due);
        for (signal, none) in crossing {
            self.put_from(signal, [none]);
        }
        self.show_follow();
    }

    /// The first cycle that the dump does not have. After a final deadlock, some cycles are added
    /// for the names of its markers.
    fn last(&self, end: DumpEnd) -> u64 {
        let seen = |from: u64| end.cycles.saturating_sub(from.saturating_sub(BEFORE).max(self.window.start));
        let air = end.deadlock.map_or(0, |from| seen(from) / 8 + 4);
        self.window.end_within(end.cycles + air).max(self.window.start + 1)
    }

    /// The contents of the saved view.
    fn view(&self, end: DumpEnd) -> gtkw::View<'_> {
        gtkw::View {
            dump: &self.path,
            wiring: self.wiring,
            layout: &self.layout,
            follows: &self.follows,
            circle: self.circle.as_ref(),
            failures: self.failures.as_ref(),
            branches: &self.seen,
            chronicle: &self.chronicle,
            window: self.windows.start()..self.last(end),
            scale: self.scale,
            deadlock: end.deadlock,
            shown: &self.shadow,
        }
    }

    /// Goes on to the window that contains `cycle` or has just begun. Windows without a change get
    /// all values.
    fn go_on(&mut self, cycle: u64) {
        while let Some(next) = self.later.pop_if(|next| cycle >= next.start) {
            if self.phase == Phase::Before {
                self.dump(self.window.start);
            }
            self.pause();
            self.window = next;
            if self.error.is_none() {
                self.phase = Phase::Before;
            }
        }
        if !self.later.is_empty() && self.window.is_over(cycle) {
            if self.phase == Phase::Before {
                self.dump(self.window.start);
            }
            self.pause();
        }
    }

    /// Shows nothing from the end of the window until the next one begins.
    fn pause(&mut self) {
        let Some(end) = self.window.end.filter(|_| self.phase == Phase::Open) else { return };
        (self.phase, self.step) = (Phase::Between, Fate::Hidden);
        (self.now, self.written) = (end, end);
        match self.sink.time(end) {
            Ok(()) => self.sink.unknown(),
            Err(e) => self.fail(e),
        }
    }

    /// Begins cycle `cycle`. The values so far belong to the previous cycles.
    fn begin(&mut self, cycle: u64) {
        self.go_on(cycle);
        if self.phase == Phase::Before && cycle > self.window.start {
            self.dump(self.window.start);
        }
        if let Some(end) = self.window.end.filter(|end| cycle >= *end && self.later.is_empty()) {
            self.fall_silent(end);
            self.phase = Phase::Behind;
        }
        self.now = cycle;
        self.step = if self.phase == Phase::Open { Fate::Due } else { Fate::Hidden };
    }

    /// Ends cycle `cycle`.
    fn end(&mut self, cycle: u64) {
        self.show_follow();
        if self.phase == Phase::Before && cycle == self.window.start {
            self.dump(cycle);
        }
    }

    /// Writes all values of cycle `cycle`.
    fn dump(&mut self, cycle: u64) {
        self.phase = Phase::Open;
        self.shadow[CYCLE as usize] = cycle;
        self.now = cycle;
        self.written = cycle;
        self.step = Fate::Begun;
        if let Err(e) = self.sink.time(cycle) {
            return self.fail(e);
        }
        self.sink.dump_all(true);
        let mut wide = self.wide.iter().peekable();
        let words = self.layout.data_words();
        for (signal, &value) in (0..).zip(&self.shadow) {
            if wide.next_if_eq(&&signal).is_some() {
                self.sink.words(signal, &self.data[value as usize * words..][..words]);
            } else {
                self.sink.word(signal, value);
            }
        }
        self.sink.dump_all(false);
    }

    #[cold]
    fn fail(&mut self, error: io::Error) {
        self.phase = Phase::Behind;
        self.step = Fate::Hidden;
        self.error.get_or_insert(error);
    }

    /// Begins the time step in the sink, before its first change.
    fn stamp(&mut self) {
        self.step = Fate::Begun;
        self.written = self.now;
        if let Err(e) = self.sink.time(self.now) {
            return self.fail(e);
        }
        self.sink.word(CYCLE, self.now);
    }

    /// Takes the values of all registers of an instance. Returns the changed signals, one bit for
    /// each.
    #[inline]
    fn put<R: Register, const N: usize>(&mut self, block: Block<R>, values: [u64; N]) -> Changed<R> {
        const { assert!(N == R::ALL.len()) };
        Changed(self.put_from(block.first(), values), PhantomData)
    }

    /// Takes the values of the signals from `first` on. Returns the changed signals, one bit for
    /// each.
    #[inline]
    fn put_from<const N: usize>(&mut self, first: u32, values: [u64; N]) -> u32 {
        if self.step != Fate::Begun {
            return self.put_first(first, values);
        }
        // The layout gave every instance room for its registers.
        let Some(shown) = self.shadow[first as usize..].first_chunk_mut() else { return 0 };
        self.sink.fields(first, shown, values)
    }

    /// The same as [`Tracer::put_from`], for a time step that has not begun.
    #[inline(never)]
    fn put_first<const N: usize>(&mut self, first: u32, values: [u64; N]) -> u32 {
        let Some(shown) = self.shadow[first as usize..].first_chunk_mut() else { return 0 };
        if self.step == Fate::Hidden {
            return sink::replace(shown, values);
        }
        if *shown == values {
            return 0;
        }
        self.stamp();
        self.put_from(first, values)
    }

    fn input(&mut self, s: &InSample) {
        let Some(block) = self.layout.input(s.switch, s.lane) else { return };
        if let Some(waits) = self.waits.get_mut(&(s.switch, s.lane)) {
            *waits = s.waits;
        }
        let changed = self.put(block, InputRegister::values(s));
        if let Some(worm) = s.worm
            && changed.has(InputRegister::Worm)
        {
            self.passes(worm, Lane { switch: s.switch, output: false, number: s.lane });
        }
    }

    fn output(&mut self, s: &OutSample, words: &[u64]) {
        let Some(block) = self.layout.output(s.switch, s.lane) else { return };
        let signal = block.of(OutputRegister::Data);
        let width = self.layout.data_words();
        // A silent link keeps the data of its last flit. For wide data the shadow has the place.
        let mut data = self.shadow[signal as usize];
        if s.flit.is_some() && width == 1 {
            data = words.get(s.data as usize).copied().unwrap_or(data);
        }
        let changed = self.put(block, OutputRegister::values(s, data));
        if s.flit.is_some() && width > 1 {
            let wide = words.get(s.data as usize..).and_then(|w| w.get(..width)).unwrap_or_default();
            self.put_wide(signal, data as usize * width, wide);
        }
        if let Some(flit) = s.flit
            && changed.has(OutputRegister::Worm)
        {
            self.passes(flit.worm, Lane { switch: s.switch, output: true, number: s.lane });
        }
    }

    fn station(&mut self, s: &TokenSample) {
        if let Some(block) = self.layout.station(s.switch) {
            self.put(block, StationRegister::values(s));
        }
    }

    fn put_wide(&mut self, signal: u32, at: usize, data: &[u64]) {
        let old = &mut self.data[at..at + data.len()];
        if old != data {
            old.copy_from_slice(data);
            if self.step == Fate::Due {
                self.stamp();
            }
            if self.step == Fate::Begun {
                self.sink.words(signal, data);
            }
        }
    }

    fn injection(&mut self, s: &InjectSample) {
        self.chronicle.injection(s, self.now);
        if let Some(block) = self.layout.injection(s.node, s.channel) {
            self.put(block, InjectionRegister::values(s));
        }
        // The queue rarely changes.
        if let Some(queue) = self.layout.queue(s.node)
            && self.shadow[queue.first() as usize] != u64::from(s.queue)
        {
            self.put(queue, QueueRegister::values(s));
        }
    }

    fn consumption(&mut self, s: &ConsumeSample) {
        if let Some(block) = self.layout.ejection(s.node, s.channel) {
            self.put(block, EjectionRegister::values(Some(s)));
            self.arrivals.push(block);
        }
    }

    /// Shows no flit on the consumption channels that had one in cycle `arrived`.
    fn fall_idle(&mut self) {
        self.begin(self.arrived + 1);
        for block in std::mem::take(&mut self.arrivals) {
            self.put(block, EjectionRegister::values(None));
        }
        self.end(self.arrived + 1);
    }

    /// Shows the blocks of switches in a cycle, which may have been shown already, and the clock.
    fn show_blocks(&mut self, blocks: &mut SwitchBlocks, cycle: Cycle) {
        let now = cycle.q.cycle;
        if self.now < now {
            if !self.arrivals.is_empty() && self.arrived < now {
                self.fall_idle();
            }
            if self.now < now {
                self.begin(now);
            }
        }
        let layout = std::mem::take(&mut self.block_signals);
        for &(instance, first, ref wires) in &layout {
            for (signal, wire) in (first..).zip(wires) {
                self.put_from(signal, [blocks.value(instance, *wire, cycle)]);
            }
        }
        self.block_signals = layout;
        self.end(now);
        let is_evaluated = cycle.q.cycle < cycle.d.cycle;
        if let Some(clock) = self.layout.clock().filter(|_| self.phase == Phase::Open && is_evaluated) {
            if self.step == Fate::Due {
                self.stamp();
            }
            self.sink.word(clock, 1);
            match self.sink.half(now) {
                Ok(true) => self.sink.word(clock, 0),
                Ok(false) => {}
                Err(e) => self.fail(e),
            }
        }
    }

    /// Records a worm that is new in a lane, for the saved view.
    fn passes(&mut self, worm: WormId, lane: Lane) {
        if self.now >= self.window.start && !matches!(self.phase, Phase::Between | Phase::Behind) {
            self.chronicle.passes(worm, lane);
        }
    }

    /// Updates the branch signals of the followed worms.
    fn show_follow(&mut self) {
        let (follows, mut branches) = (std::mem::take(&mut self.follows), std::mem::take(&mut self.branches));
        let mut of_hop = Vec::new();
        for branch in &mut branches {
            let follow = &follows[branch.hop.0];
            let hop = &follow.hops[branch.hop.1];
            let doing = match branch.port {
                Some(port) => {
                    let (doing, has_lane) = self.doing(&follow.worm, hop, port, branch.had_lane);
                    branch.had_lane = has_lane;
                    of_hop.push(doing);
                    doing
                }
                None => follow::slowest(of_hop.drain(..)),
            };
            if self.shadow[branch.signal as usize] != doing.encode() {
                self.seen.insert(doing);
                self.put_from(branch.signal, [doing.encode()]);
            }
        }
        (self.follows, self.branches) = (follows, branches);
    }

    /// Activity of a branch, and whether it has a lane. `had_lane` is the same of the cycle before.
    fn doing(&self, worm: &WormInfo, hop: &follow::Hop, port: PortId, had_lane: bool) -> (Doing, bool) {
        let lanes = self.layout.lanes();
        let shown = |signal: u32| self.shadow[signal as usize];
        let worm_at = |input: Block<InputRegister>| signal::worm_of(shown(input.of(InputRegister::Worm)));
        let Some(input) = self.layout.input(hop.switch, hop.lane) else { return (Doing::Nothing, false) };
        let view = InView {
            worm: worm_at(input),
            state: shown(input.of(InputRegister::State)),
            fifo_count: shown(input.of(InputRegister::FifoCount)),
            branches: shown(input.of(InputRegister::Branches)),
            taken: shown(input.of(InputRegister::Taken)),
            waits: self.waits[&(hop.switch, hop.lane)],
        };
        let first = lanes.outputs.first(port.0);
        let outputs = (first..first + lanes.outputs.of(port.0)).filter_map(|lane| {
            let output = self.layout.output(hop.switch, lane)?;
            let owner = signal::owner_of(shown(output.of(OutputRegister::Owner)));
            Some(OutView {
                owner,
                valid: shown(output.of(OutputRegister::Valid)) != 0,
                flit: shown(output.of(OutputRegister::Flit)),
                owner_worm: owner.and_then(|owner| worm_at(self.layout.input(hop.switch, owner)?)),
            })
        });
        let outputs: Vec<OutView> = outputs.collect();
        let owns = view.worm == Some(worm.id) && outputs.iter().any(|out| out.owner == Some(hop.lane));
        let is_new = self.allocation_register && !had_lane;
        let branch = follow::BranchAt { port, group: self.wiring.group(port), is_new };
        (follow::doing(worm.id, hop.lane, branch, &view, &outputs), owns)
    }
}

impl<S: Sink> Observer for Tracer<'_, S> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        if self.phase == Phase::Behind || self.error.is_some() {
            return;
        }
        if !self.arrivals.is_empty() && self.arrived + 1 < log.cycle {
            self.fall_idle();
        }
        self.begin(log.cycle);
        log.inputs.iter().for_each(|s| self.input(s));
        log.outputs.iter().for_each(|s| self.output(s, &log.words));
        log.tokens.iter().for_each(|s| self.station(s));
        log.injections.iter().for_each(|s| self.injection(s));
        let before = std::mem::take(&mut self.arrivals);
        log.consumptions.iter().for_each(|s| self.consumption(s));
        self.arrivals.sort_unstable();
        for block in before {
            if self.arrivals.binary_search(&block).is_err() {
                self.put(block, EjectionRegister::values(None));
            }
        }
        self.arrived = log.cycle;
        match &mut self.blocks {
            // The cycle ends with its registers.
            Some(blocks) => blocks.commit(log),
            None => self.end(log.cycle),
        }
    }

    fn wants_commits(&self) -> bool {
        self.phase != Phase::Behind && self.error.is_none()
    }

    fn wants_registers(&self) -> bool {
        self.blocks.is_some()
    }

    fn registers(&mut self, registers: &Registers) {
        let Some(mut blocks) = self.blocks.take() else { return };
        if let Some(before) = blocks.next(registers)
            && self.phase != Phase::Behind
            && self.error.is_none()
        {
            // After cycles without an evaluation, the registers are the registers of the first such
            // cycle.
            let is_next = registers.cycle == before.cycle + 1;
            let behind = if is_next { registers } else { &before };
            self.show_blocks(&mut blocks, Cycle { q: &before, d: behind });
        }
        self.blocks = Some(blocks);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.chronicle.created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.chronicle.delivered(worm, delivery);
    }

    fn stop(&self) -> bool {
        self.error.is_some()
    }
}
