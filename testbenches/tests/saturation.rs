//! Random traffic around saturation. It is never flagged below and always flagged above. A run that
//! is not flagged drains as if there were no search.

use wormscope::config::from_text;
use wormscope::engine::{Clocked as _, Totals};
use wormscope::experiment::Loaded;
use wormscope::simulation::{Outcome, Simulation, Site};

/// A network and its traffic.
struct Case {
    name: &'static str,
    topology: &'static str,
    traffic: &'static str,
    /// Load up to which source queues do not grow, as found by bisection over windows of 400,000
    /// cycles.
    saturation: f64,
    /// Flits of a worm.
    flits: f64,
}

const CASES: [Case; 9] = [
    case("8x8 mesh", "mesh(radices: [8, 8])", "payload_flits: 15", 0.216, 16.0),
    case("8x8 mesh, long worms", "mesh(radices: [8, 8])", "payload_flits: 255", 0.213, 256.0),
    case(
        "8x8 mesh, bursts of long worms",
        "mesh(radices: [8, 8])",
        "payload_flits: 63, process: exponential",
        0.21,
        64.0,
    ),
    case("8x8 mesh, hot spot", HOT.0, HOT.1, 0.121, 16.0),
    case("16x16 mesh", "mesh(radices: [16, 16])", "payload_flits: 15", 0.109, 16.0),
    case("baseline network", "uni_min(switch_ports: 4, stages: 3)", "payload_flits: 15", 0.375, 16.0),
    case("baseline network, long worms", "uni_min(switch_ports: 4, stages: 3)", "payload_flits: 127", 0.365, 128.0),
    case("8x8 torus", "torus(radices: [8, 8])", "payload_flits: 15", 0.254, 16.0),
    case("8x8 torus, tornado", "torus(radices: [8, 8])", "payload_flits: 15, pattern: tornado", 0.118, 16.0),
];
const HOT: (&str, &str) = ("mesh(radices: [8, 8])", "payload_flits: 15, pattern: hot_spot(nodes: [27], share: 0.1)");

const fn case(name: &'static str, topology: &'static str, traffic: &'static str, saturation: f64, flits: f64) -> Case {
    Case { name, topology, traffic, saturation, flits }
}

impl Case {
    /// The experiment at so many times the load of saturation, through a window in which every
    /// source sends about so many messages.
    fn at(&self, times: f64, messages: f64, seed: u64, run: &str) -> Loaded {
        let load = times * self.saturation;
        let window = messages * self.flits / load;
        let text = format!(
            "(network: (topology: {}, switch: (virtual_channels: 2)), workload: [traffic(load: {load}, {})], \
             run: (seed: {seed}, measure_cycles: {window:.0}{run}))",
            self.topology, self.traffic
        );
        // One channel is enough where no dateline needs two.
        let text = if self.topology.starts_with("torus") { text } else { text.replace("virtual_channels: 2", "") };
        from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The end of a run, its counters, and whether it is saturated.
fn end(loaded: &Loaded) -> (Outcome, Totals, bool) {
    let mut simulation = Simulation::new(loaded, &Site::of(loaded).unwrap()).expect("it loads");
    let outcome = simulation.run(&mut (), |_| ()).expect("it runs");
    let found = simulation.saturation().expect("a window that is over");
    (outcome, simulation.engine.totals(), found.saturated)
}

/// Seeds of each case, as many as `SATURATION_SEEDS` says.
fn seeds(default: u64) -> std::ops::Range<u64> {
    0..std::env::var("SATURATION_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn below_saturation_no_run_is_flagged_however_short_and_cold_its_window() {
    for case in CASES {
        for (messages, seed) in [30.0, 100.0].into_iter().flat_map(|n| seeds(3).map(move |seed| (n, seed))) {
            let loaded = case.at(0.9, messages, seed, "");
            let (outcome, totals, saturated) = end(&loaded);
            assert!(!saturated && outcome == Outcome::Done, "{}, {messages} messages, seed {seed}", case.name);
            if seed == 0 {
                let waited_for = end(&case.at(0.9, messages, seed, ", drain: all"));
                assert_eq!((outcome, totals, saturated), waited_for, "{}", case.name);
            }
        }
    }
}

#[test]
fn above_saturation_every_run_is_flagged_and_ends_with_its_window() {
    for case in CASES {
        for seed in seeds(1) {
            let loaded = case.at(1.1, 1000.0, seed, "");
            let (outcome, totals, saturated) = end(&loaded);
            assert!(saturated && outcome == Outcome::Saturated, "{}, seed {seed}", case.name);
            assert_eq!(totals.cycles, loaded.experiment.window().end, "{}", case.name);
        }
        for seed in seeds(2) {
            // Far above, a few messages are enough.
            assert!(end(&case.at(2.0, 30.0, seed, "")).2, "{}, seed {seed}", case.name);
        }
    }
}

#[test]
fn a_window_too_short_for_an_answer_makes_no_run_that_never_ends() {
    // A node sends 8 multicasts in the window. A few paths hold each other up for longer than the
    // run waits, so that some measured worms do not arrive. A window of twice the length tells.
    let text = "(network: (topology: mesh(radices: [5, 5, 5]), routing: label_order, switch: (fifo_depth: 4, routing_cycles: 0), \
                node: (startup_cycles: 10, injection_channels: 6, ports: 1, consumption_channels: 6)), \
                workload: [traffic(interval: 7500.0, process: exponential, destinations: 12, algorithm: \"tpp\", \
                payload_flits: 100)], run: (warmup_cycles: 15000, measure_cycles: 60000, max_cycles: 600000))";
    let (outcome, totals, saturated) = end(&from_text("x.ron", text, &[]).expect("an experiment"));
    assert!(saturated && outcome == Outcome::Saturated, "{outcome:?}");
    assert_eq!(totals.cycles, 15000 + 2 * 60000);
}

#[test]
fn one_source_that_starves_is_enough() {
    // Two worms of five want the middle link at once, and the lower input always wins.
    let text = |load: f64| {
        format!(
            "(network: (topology: linear(nodes: 5), switch: (arbiter: fixed_priority)), workload: [\
             traffic(load: {load}, pattern: hot_spot(nodes: [4], share: 1.0), payload_flits: 7)], run: (measure_cycles: 4000))"
        )
    };
    let found = |load: f64| end(&from_text("x.ron", &text(load), &[]).expect("an experiment"));
    assert!(!found(0.15).2 && found(0.3).2);
}

#[test]
fn a_deadlock_is_no_saturation() {
    // When the window ends, other worms still move. The periodic search has not run yet.
    let text = "(network: (topology: torus(radices: [16, 16], datelines: false)), workload: [\
                traffic(load: 0.3, payload_flits: 15)], run: (measure_cycles: 400, deadlock_check_cycles: 100000))";
    let (outcome, totals, saturated) = end(&from_text("x.ron", text, &[]).expect("an experiment"));
    assert!(matches!(outcome, Outcome::Deadlock(_)) && saturated && totals.cycles == 400, "{outcome:?}");
}

#[test]
fn sources_whose_processors_cannot_keep_up_are_saturated() {
    let text = |hold: u32, drain: &str| {
        format!(
            "(network: (topology: mesh(radices: [4, 4]), node: (costs: (hold: (fixed: {hold}), send: (fixed: {hold})))), \
             workload: [traffic(load: 0.1, payload_flits: 15)], run: (measure_cycles: 5000, drain: {drain}))"
        )
    };
    let found = |hold, drain| end(&from_text("x.ron", &text(hold, drain), &[]).expect("an experiment"));
    assert_eq!((found(100, "measured").0, found(100, "measured").2), (Outcome::Done, false));
    assert_eq!((found(200, "measured").0, found(200, "measured").2), (Outcome::Saturated, true));
    // The run waits as it is asked to.
    assert_eq!((found(200, "all").0, found(200, "all").2), (Outcome::Done, true));
    assert_eq!((found(200, "empty").0, found(200, "empty").2), (Outcome::Done, true));
}
