//! Replay of a run with observers: the waveform around a failure, its saved view, and a log in
//! words.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::expectations::Item;
use super::load::Bench;
use super::record::Record;
use super::run::{BenchError, Verdict};
use crate::deadlock::Names as _;
use crate::energy;
use crate::engine::snapshot::LaneRef;
use crate::engine::{Clocked as _, CommitLog, FlitId, Observer, Observers};
use crate::experiment::Loaded;
use crate::explain::names::WaveNames;
use crate::explain::view;
use crate::network::Lanes;
use crate::output::{self, Output};
use crate::quote;
use crate::simulation::{Outcome, Simulation, Site};
use crate::trace::gtkw::companions;
use crate::trace::{DumpEnd, Failures, Follow, HopRecorder, Options, TraceError, Tracer, Window, labels};
use wormscope_hw::WormId;

/// Number of cycles before and after the first failure in a waveform.
const AROUND: (u64, u64) = (200, 50);
/// Largest number of cycles that a replay goes back for the cause of the failure, and cycles before
/// the cause.
const FARTHEST: u64 = 1024;
const AIR: u64 = 4;
/// Largest number of worms that a view follows.
const MOST_WORMS: usize = 4;
/// Largest number of lines of a log.
const MOST_LINES: usize = 20_000;

/// Words for the events in a window.
struct Events<'a> {
    window: Window,
    names: WaveNames<'a>,
    lanes: Lanes,
    lines: Vec<String>,
}

impl Observer for Events<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        if !self.window.contains(log.cycle) || self.lines.len() >= MOST_LINES {
            return;
        }
        let name = |flit: FlitId| format!("w{}.{}", flit.worm, flit.index);
        let injected = log
            .injections
            .iter()
            .filter_map(|s| Some(format!("node{}.{} {}", s.node, self.lanes.inject_name(s.channel), name(s.flit?))));
        let crossed = log.outputs.iter().filter_map(|s| {
            Some(format!("{} {}", self.names.lane(LaneRef { switch: s.switch, lane: s.lane }), name(s.flit?)))
        });
        let consumed = log
            .consumptions
            .iter()
            .map(|s| format!("node{}.{} {}", s.node, self.lanes.eject_name(s.channel), name(s.flit)));
        let events: Vec<String> = injected.chain(crossed).chain(consumed).collect();
        if !events.is_empty() {
            self.lines.push(format!("{:>8}  {}", log.cycle, events.join("  ")));
        }
    }
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Makes the files complete; the view comes first.
fn placed(files: Vec<Output>) -> Result<Vec<PathBuf>, BenchError> {
    let mut written = output::place(files).map_err(TraceError::from)?;
    written.sort_by_key(|path| path.extension() != Some("gtkw".as_ref()));
    Ok(written)
}

/// Every file that [`Bench::evidence`] may write.
pub(super) fn evidence_files(stem: &Path) -> Vec<PathBuf> {
    let dump = with_ending(stem, ".fst");
    let [own, stimulus] = texts(stem);
    let texts = [with_ending(stem, ".log"), with_ending(stem, ".html"), own, stimulus];
    companions(&dump).into_iter().chain(texts).chain([dump]).collect()
}

/// Copies of the testbench, and of it with the worms of the run. The names begin with `_`, so that
/// `wormscope test` finds neither by itself.
fn texts(stem: &Path) -> [PathBuf; 2] {
    let name = stem.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ["", "_stimulus"].map(|of| stem.with_file_name(format!("_{name}{of}.ron")))
}

impl Bench {
    /// Replays a run and writes `<stem>.fst`, its view and `<stem>.log`. If there was a failure,
    /// they are around the first one. Returns the files, the view first.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn replay(&self, verdict: &Verdict, stem: &Path) -> Result<Vec<PathBuf>, BenchError> {
        placed(self.replayed(verdict, stem, false)?)
    }

    /// The same as [`Bench::replay`], with all that belongs to a failure. That is the page, the
    /// testbench as written, and the testbench with the worms of the run as `messages`. With
    /// `blocks`, the waveform has the blocks of every switch.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn evidence(
        &self,
        verdict: &Verdict,
        stem: &Path,
        page: Option<String>,
        blocks: bool,
    ) -> Result<Vec<PathBuf>, BenchError> {
        let mut files = self.replayed(verdict, stem, blocks)?;
        let [own, stimulus] = texts(stem);
        let stimulus_text = self.exported(Some(verdict.seed)).ok().map(|bench| bench.text());
        let texts = [
            (with_ending(stem, ".html"), page),
            (own, Some(self.text.clone()).filter(|text| !text.is_empty() && !verdict.passed())),
            (stimulus, stimulus_text.filter(|_| !verdict.passed())),
        ];
        for (path, text) in texts {
            if let Some(text) = text {
                files.push(Output::of(&path, &text).map_err(TraceError::from)?);
            }
        }
        placed(files)
    }

    /// Cycles around the first failure.
    #[must_use]
    pub fn window(&self, verdict: &Verdict) -> Window {
        // A property may fail at rest, after the last cycle of the run.
        let Some(cycle) = verdict.first_cycle().map(|cycle| cycle.min(verdict.cycles.saturating_sub(1))) else {
            return Window::ALL;
        };
        // The window has the cause, if the cause is not too far back.
        let cause = verdict.waits().map_or(cycle, |(_, from)| from.saturating_sub(AIR));
        let start = cycle.saturating_sub(AROUND.0).min(cause.max(cycle.saturating_sub(FARTHEST)));
        // The search finds a deadlock some cycles after the deadlock became final.
        let end = verdict.deadlock.is_none().then(|| cycle.saturating_add(AROUND.1));
        Window { start, end }
    }

    fn replayed(&self, verdict: &Verdict, stem: &Path, blocks: bool) -> Result<Vec<Output>, BenchError> {
        let (loaded, site) = (self.with_random_worms(Some(verdict.seed)), &self.site);
        let network = &loaded.experiment.network;
        let window = self.window(verdict);
        let options = if verdict.passed() { Options::default() } else { self.failures(verdict, &loaded, site)? };
        let clock_ns = Some(energy::clock_ns(&loaded, site.wiring(), None)?);
        let options = Options { windows: window.into(), clock_ns, blocks, ..options };
        let tracer = Tracer::create(&with_ending(stem, ".fst"), network, site.wiring(), options)?;
        let names = WaveNames::new(network, site.wiring());
        let lanes = names.lanes();
        let events = Events { window, names, lanes, lines: Vec::new() };
        let mut simulation = Simulation::new(&loaded, site)?;
        let mut observers = (Record::new(network, site.wiring()), (tracer, events));
        let outcome = simulation.run(&mut observers, |_| ())?;
        if simulation.engine.worms_alive() == 0 {
            simulation.engine.settle(&mut observers);
        }
        let (record, (tracer, events)) = observers;
        let deadlock = if let Outcome::Deadlock(found) = outcome { Some(found.final_cycle) } else { None };
        let end = simulation.engine.now();
        let mut files = tracer.finish(DumpEnd { cycles: end, deadlock })?;
        let log = self.log(verdict, &record, &events, end);
        files.push(Output::of(&with_ending(stem, ".log"), &log).map_err(TraceError::from)?);
        Ok(files)
    }

    /// Contents of the view for the failures. A deadlock is shown as by [`view::prepared`]. Else
    /// the view shows the worms of the failures.
    fn failures(&self, verdict: &Verdict, loaded: &Loaded, site: &Site) -> Result<Options, BenchError> {
        let mut failures = Failures::default();
        let mut worms: Vec<u32> = Vec::new();
        if let Some((worm, from)) = verdict.waits() {
            failures.mark(&format!("w{worm} waits"), from);
            failures.cause = Some((from, WormId(worm)));
        }
        for failure in &verdict.failures {
            if let Some(cycle) = failure.cycle {
                failures.mark(&failure.what, cycle);
            }
            let of = |item: &Item| item.path == failure.what && failure.place == Some(item.place.to_string());
            let watched = self.watched.iter().position(of);
            for signal in watched.into_iter().flat_map(|at| self.monitor.signals(at)) {
                if !failures.signals.contains(&signal) {
                    failures.signals.push(signal);
                }
            }
            if let Some(worm) = failure.worm
                && !worms.contains(&worm)
                && worms.len() < MOST_WORMS
            {
                worms.push(worm);
            }
        }
        let network = &loaded.experiment.network;
        let ways = |worms: &[u32]| -> Result<Vec<Follow>, BenchError> {
            let recorders = worms.iter().map(|worm| HopRecorder::new(WormId(*worm), network, site.wiring()));
            let mut recorders = Observers(recorders.collect::<Vec<_>>());
            if !worms.is_empty() {
                Simulation::new(loaded, site)?.run(&mut recorders, |_| ())?;
            }
            Ok(recorders.0.into_iter().filter_map(HopRecorder::finish).collect())
        };
        let Some(deadlock) = &verdict.deadlock else {
            failures.follows = ways(&worms)?;
            return Ok(Options { failures: Some(failures), ..Options::default() });
        };
        let members: BTreeSet<u32> = deadlock.members().map(|member| member.worm.0).collect();
        let ways = ways(&members.into_iter().collect::<Vec<_>>())?;
        let circle = view::prepared(deadlock, None, &ways, &WaveNames::new(network, site.wiring()));
        circle.marks.iter().for_each(|(name, cycle)| failures.mark(name, *cycle));
        Ok(Options { failures: Some(failures), circle: Some(circle), ..Options::default() })
    }

    /// The command that repeats a run.
    #[must_use]
    pub fn again(&self, seed: u64) -> String {
        let sets: String = self.sets.iter().map(|set| [" --set ", &quote::shell(set)].concat()).collect();
        format!("wormscope test {}{sets} --seed {seed}", quote::shell(&self.name))
    }

    fn log(&self, verdict: &Verdict, record: &Record, events: &Events<'_>, end: u64) -> String {
        // A write to a string does not fail.
        let mut text = format!("{}\n{verdict}\n", self.purpose);
        let _ = writeln!(text, "\nagain: {}\n\nworms:", self.again(verdict.seed));
        for worm in &record.worms {
            let _ = writeln!(text, "  {}, created in {}", labels::title(worm), worm.created);
            for d in record.deliveries.iter().filter(|d| d.worm == worm.id) {
                let _ = writeln!(
                    text,
                    "    at n{}: injected {}, head {}, tail {}",
                    d.destination, d.injected, d.head, d.tail
                );
            }
        }
        let waits = record.waits(end);
        if !waits.is_empty() {
            text.push_str("\nwaits for lanes:\n");
        }
        for wait in waits {
            let (lane, last) = (events.names.lane(wait.lane), wait.until.saturating_sub(1));
            let _ = writeln!(
                text,
                "  cycles {} to {last}: worm {} for {lane}, which worm {} owns",
                wait.from, wait.worm, wait.by
            );
        }
        let window = Window { end: events.window.end.map(|to| to.min(end)), ..events.window };
        let _ = writeln!(text, "\ncycles {window}: flits that leave a node, cross an output, arrive at a node");
        for line in &events.lines {
            let _ = writeln!(text, "{line}");
        }
        if events.lines.len() >= MOST_LINES {
            let _ = writeln!(text, "... and more; the waveform has them all");
        }
        text
    }
}
