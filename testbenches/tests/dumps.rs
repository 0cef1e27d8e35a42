//! A count of the flits in a dump gives as many as crossed, on every lane and channel and in both
//! formats. The end of the run or of the window does not matter.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use wormscope::config::from_text;
use wormscope::engine::{Clocked as _, CommitLog, Drain, Observer};
use wormscope::experiment::{Experiment, Loaded, Run, Workload};
use wormscope::hw::WormId;
use wormscope::network::{Lanes, Wiring};
use wormscope::run::{Watch, found, watched};
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope::trace::{DumpEnd, Follow, HopRecorder, Options, Tracer, VcdHeader, Waveform, Window};
use wormscope_testbenches::drive;
use wormscope_testbenches::random::{self, Kind, drafts, networks, topologies, worms};

/// Flits by the name of the lane or channel that they cross.
type Flits = BTreeMap<String, u64>;

/// Counts the flits that cross in a window, as the engine reports them.
struct Crossed<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    window: Window,
    flits: Flits,
    /// Flits of the followed worm that cross an output of a switch.
    followed: u64,
    follow: Option<WormId>,
    /// Cycle in which the run is to be interrupted.
    stop: Option<u64>,
    now: u64,
}

impl<'a> Crossed<'a> {
    fn new(loaded: &Loaded, wiring: &'a Wiring, window: Window, follow: Option<WormId>, stop: Option<u64>) -> Self {
        let lanes = loaded.experiment.network.lanes(wiring);
        Self { wiring, lanes, window, flits: Flits::new(), followed: 0, follow, stop, now: 0 }
    }
}

impl Observer for Crossed<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.now = log.cycle;
        if !self.window.contains(log.cycle) {
            return;
        }
        let (lanes, mut count) = (self.lanes, |name: String| *self.flits.entry(name).or_default() += 1);
        for s in log.outputs.iter().filter(|s| s.flit.is_some()) {
            count(format!("top.{}.{}.valid", self.wiring.switch_name(s.switch), lanes.output_name(s.lane)));
        }
        for s in log.injections.iter().filter(|s| s.flit.is_some()) {
            count(format!("top.node{}.{}.valid", s.node, lanes.inject_name(s.channel)));
        }
        for s in &log.consumptions {
            count(format!("top.node{}.{}.valid", s.node, lanes.eject_name(s.channel)));
        }
        let of_followed = log.outputs.iter().filter(|s| s.flit.is_some_and(|flit| Some(flit.worm) == self.follow));
        self.followed += of_followed.count() as u64;
    }

    fn stop(&self) -> bool {
        self.stop.is_some_and(|stop| self.now >= stop)
    }
}

/// Flits of a dump by lane, and those on the rows of a followed worm's branches. Every cycle is
/// looked at, from the dump's first to its last.
fn counted(dump: &Path) -> (Flits, u64) {
    let mut wave = wellen::simple::read(dump).expect("a dump");
    let vars: Vec<_> = wave.hierarchy().all_vars().map(|var| wave.hierarchy()[var].clone()).collect();
    wave.load_signals(&vars.iter().map(wellen::Var::signal_ref).collect::<Vec<_>>());
    let times = wave.time_table();
    let behind = times.last().map_or(0, |last| last + 1);
    let cycles = |var: &wellen::Var, is_counted: &dyn Fn(u64) -> bool| -> u64 {
        let changes = wave.get_signal(var.signal_ref()).expect("loaded").iter_changes();
        let changes = changes.map(|(at, value)| (times[at as usize], value.to_bit_string().expect("bits")));
        let mut changes: Vec<_> = changes.collect();
        changes.push((behind, "0".to_owned()));
        let counted = |(_, digits): &(u64, String)| is_counted(u64::from_str_radix(digits, 2).expect("digits"));
        changes.windows(2).filter(|two| counted(&two[0])).map(|two| two[1].0 - two[0].0).sum()
    };
    let (mut flits, mut followed) = (Flits::new(), 0);
    for var in &vars {
        let name = var.full_name(wave.hierarchy());
        if var.name(wave.hierarchy()) == "valid" {
            let found = cycles(var, &|value| value == 1);
            if found > 0 {
                flits.insert(name, found);
            }
        } else if name.contains(".follow_w") && name.contains("_out") {
            // Above the number of the flit that crosses, the value has a 1.
            followed += cycles(var, &|value| value >> 32 == 1);
        }
    }
    (flits, followed)
}

/// A run of an experiment, and the part of it that is dumped.
struct Case<'a> {
    loaded: &'a Loaded,
    window: Window,
    /// A worm that is followed.
    follow: Option<WormId>,
    /// Cycle in which the run is interrupted.
    stop: Option<u64>,
}

impl Case<'_> {
    /// Compares dumps with the flits that crossed, and dumps of whole runs with the report. Returns
    /// the end of the run.
    fn compare(&self) -> Outcome {
        let Self { loaded, window, follow, stop } = *self;
        let site = Site::of(loaded).unwrap();
        let (network, wiring) = (&loaded.experiment.network, site.wiring());
        let recorder = follow.map(|worm| HopRecorder::new(worm, network, wiring));
        let mut seen = (Crossed::new(loaded, wiring, window, follow, stop), recorder);
        let mut simulation = Simulation::new(loaded, &site).unwrap();
        let outcome = simulation.run(&mut seen, |_| ()).unwrap();
        let (crossed, recorder) = seen;
        if simulation.engine.now() <= window.start && window.start > 0 {
            return outcome;
        }
        let follows: Vec<Follow> = recorder.and_then(HopRecorder::finish).into_iter().collect();
        let options = Options { windows: window.into(), follows, ..Options::default() };
        let folder = tempfile::tempdir().unwrap();
        let dumps = ["a.vcd", "a.fst"].map(|name| folder.path().join(name));
        let dumps = if stop.is_some() {
            // A run that writes files cannot be interrupted in a given cycle.
            let tracer =
                Tracer::new(VcdHeader::new(Vec::new()), Path::new("a"), network, wiring, options.clone()).unwrap();
            let mut watchers = (Crossed::new(loaded, wiring, window, follow, stop), tracer);
            let mut simulation = Simulation::new(loaded, &site).unwrap();
            simulation.run(&mut watchers, |_| ()).unwrap();
            let deadlock = found(&outcome).map(|found| found.final_cycle);
            let dump = watchers.1.finish_dump(DumpEnd { cycles: simulation.engine.now(), deadlock }).unwrap();
            std::fs::write(&dumps[0], dump).unwrap();
            &dumps[..1]
        } else {
            let waveforms = dumps.iter().map(|path| Waveform::create(path).unwrap()).collect();
            let watched =
                watched(loaded, &site, Watch { waveforms, options, ..Watch::default() }, &mut |_| ()).unwrap();
            wormscope::output::place(watched.waveforms.unwrap()).unwrap();
            if window == Window::ALL {
                let all =
                    |kind: &str| crossed.flits.iter().filter(|(name, _)| name.contains(kind)).map(|(_, n)| n).sum();
                let totals = watched.report.totals;
                let sums: [u64; 3] = [".inj", ".ej", ".out"].map(all);
                assert_eq!(sums, [totals.injected_flits, totals.consumed_flits, totals.flit_hops], "{outcome:?}");
            }
            &dumps[..]
        };
        for path in dumps {
            let (flits, followed) = counted(path);
            assert_eq!(flits, crossed.flits, "{}, {window}, {outcome:?}", path.display());
            if follow.is_some() {
                assert_eq!(followed, crossed.followed, "{}, {window}, {outcome:?}", path.display());
            }
        }
        outcome
    }
}

/// A ring of four worms that deadlock, beside one that goes on for long.
fn ring(run: &str) -> Loaded {
    let worm = |source: u32, destination: u32, flits: u32| {
        format!("(cycle: 0, source: {source}, destinations: [{destination}], payload_flits: {flits})")
    };
    let worms = [worm(0, 2, 20), worm(1, 3, 20), worm(2, 0, 20), worm(3, 1, 20), worm(0, 0, 500)];
    let text = format!(
        "(network: (topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2), \
         node: (injection_channels: 2)), workload: [messages([{}])], run: ({run}))",
        worms.join(", ")
    );
    from_text("x.ron", &text, &[]).unwrap()
}

fn traffic(load: f64, run: &str) -> Loaded {
    let text = format!(
        "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: {load}, payload_flits: 7)], run: ({run}))"
    );
    from_text("x.ron", &text, &[]).unwrap()
}

/// The whole run, a window that ends before it, one that ends after it, and cycles within it.
const WINDOWS: [Window; 4] = [
    Window::ALL,
    Window { start: 0, end: Some(17) },
    Window { start: 9, end: Some(1 << 40) },
    Window { start: 12, end: Some(23) },
];

#[test]
fn no_flit_is_counted_twice_however_a_run_ends() {
    let is_deadlock = |outcome: &Outcome| matches!(outcome, Outcome::Deadlock(_));
    for window in WINDOWS {
        for follow in [None, Some(WormId(4)), Some(WormId(1))] {
            let of = |loaded: &Loaded, stop| Case { loaded, window, follow, stop }.compare();
            assert!(is_deadlock(&of(&ring("deadlock_check_cycles: 30"), None)));
            // The search of the last cycle finds it as well.
            assert!(is_deadlock(&of(&ring("max_cycles: 40"), None)));
            assert_eq!(of(&traffic(0.3, "max_cycles: 50"), None), Outcome::CycleLimit);
            assert_eq!(of(&traffic(0.3, "measure_cycles: 90"), None), Outcome::Done);
            assert_eq!(of(&traffic(0.3, "measure_cycles: 90, drain: empty"), None), Outcome::Done);
            assert_eq!(of(&traffic(1.0, "measure_cycles: 2000"), None), Outcome::Saturated);
            assert_eq!(of(&traffic(0.3, "measure_cycles: 90"), Some(41)), Outcome::Stopped);
        }
    }
}

proptest! {
    #![proptest_config(random::cases(60))]

    #[test]
    fn dumps_of_random_runs_have_the_flits_that_crossed(
        network in networks(topologies()), drafts in drafts(12, 40), most in 1..200_u64,
        drain in proptest::sample::select(vec![Drain::Measured, Drain::Empty, Drain::All]),
        measure_cycles in proptest::option::of(1..60_u64), stop in proptest::option::of(0..80_u64),
        window in prop_oneof![Just(None), (0..30_u64, 1..60_u64).prop_map(Some)],
    ) {
        let messages = worms(&network, &drafts, Kind::Any).iter().map(drive::message).collect();
        // Often the deadlock is found in the last cycle, and others are still under way.
        let run = Run { max_cycles: most, drain, measure_cycles, deadlock_check_cycles: 8, ..Run::default() };
        let experiment = Experiment { network, groups: Vec::new(), classes: Vec::new(), workload: vec![Workload::Messages(messages)], run };
        let loaded = experiment.validated().unwrap_or_else(|error| panic!("{error}"));
        let window = window.map_or(Window::ALL, |(start, cycles)| Window { start, end: Some(start + cycles) });
        Case { loaded: &loaded, window, follow: None, stop }.compare();
    }
}
