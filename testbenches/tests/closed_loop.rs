//! Programs in a closed loop beside multicasts ([NUPAIROJ] chapter 6).

use wormscope::config;
use wormscope::engine::{Delivery, Observer, WormInfo};
use wormscope::experiment::Loaded;
use wormscope::hw::NodeId;
use wormscope::simulation::{Outcome, Simulation, Site};

/// Worms by source and destination.
#[derive(Default)]
struct Pairs(Vec<(NodeId, NodeId)>);

impl Observer for Pairs {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.0.push((worm.source, delivery.destination));
    }
}

fn load(workload: &str, more: &str) -> Loaded {
    let text = format!(
        "(network: (topology: mesh(radices: [6, 6]), switch: (flit_bits: 8, fifo_depth: 2), node: (costs: (hold: (fixed: 30.0), \
         send: (fixed: 30.0), network: 10.0, receive: (fixed: 40.0)), send_buffer: 256, receive_buffer: 256)), groups: [(name: \
         \"m\", nodes: random(12)), (name: \"b\", nodes: rest)], workload: [{workload}], {more})"
    );
    config::from_text("x.ron", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(loaded: &Loaded) -> (Simulation, Outcome, Pairs) {
    let site = Site::new(&loaded.experiment.network);
    let mut simulation = Simulation::new(loaded, &site).unwrap_or_else(|e| panic!("{e}"));
    let mut pairs = Pairs::default();
    let outcome = simulation.run(&mut pairs, |_| ()).unwrap_or_else(|e| panic!("{e}"));
    (simulation, outcome, pairs)
}

const MULTICASTS: &str = "multicasts(group: \"m\", count: 1, algorithm: \"u_mesh\", bytes: 64, times: 5)";
const BACKGROUND: &str = "spmd(group: \"b\", compute: 500.0, bytes: uniform(least: 1, most: 99))";

#[test]
fn a_run_ends_with_its_multicasts_though_programs_never_do() {
    let (simulation, outcome, pairs) = run(&load(&format!("{MULTICASTS}, {BACKGROUND}"), ""));
    assert_eq!(outcome, Outcome::Done);
    let operations = simulation.operations();
    assert_eq!(operations.len(), 5);
    // Each begins with the end of the one before.
    assert!(operations.windows(2).all(|pair| pair[0].end == Some(pair[1].begin)));
    assert_eq!(operations[4].end.map(|end| end.abs_diff(simulation.engine.now()) <= 1), Some(true));
    // Nobody talks to the other group, and both do.
    let members: Vec<NodeId> =
        operations[0].design.plan.destinations.iter().copied().chain([operations[0].design.plan.source]).collect();
    let is_member = |node: &NodeId| members.contains(node);
    assert!(pairs.0.iter().all(|(from, to)| is_member(from) == is_member(to)));
    assert!(pairs.0.iter().filter(|(from, _)| !is_member(from)).count() > 50);
}

#[test]
fn more_background_traffic_delays_multicasts() {
    let last = |workload: &str| {
        let (simulation, ..) = run(&load(workload, ""));
        simulation.operations().iter().filter_map(|of| Some(of.end? - of.begin)).sum::<u64>()
    };
    let alone = last(MULTICASTS);
    let amid = last(&format!("{MULTICASTS}, {}", BACKGROUND.replace("500.0", "50.0")));
    let local = "spmd(group: \"m\", compute: 300.0, bytes: exactly(64), without_sources: true)";
    let with_local = last(&format!("{MULTICASTS}, {local}"));
    assert!(alone < amid && alone < with_local, "{alone} {amid} {with_local}");
}

#[test]
fn a_window_ends_the_run_where_one_is_given() {
    let (simulation, outcome, pairs) = run(&load(BACKGROUND, "run: (measure_cycles: 5_000)"));
    assert_eq!(outcome, Outcome::Done);
    assert!((5_000..6_000).contains(&simulation.engine.now()) && pairs.0.len() > 100);
    // Programs stop behind the window, and the network empties.
    let (simulation, outcome, _) = run(&load(BACKGROUND, "run: (measure_cycles: 5_000, drain: empty)"));
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(simulation.engine.worms_alive(), 0);
}

#[test]
fn a_full_network_is_offered_no_more_than_it_takes() {
    // A closed loop: computing almost nothing, nodes send as fast as their buffers let them.
    let sent = |compute: &str| {
        let (simulation, ..) = run(&load(&BACKGROUND.replace("500.0", compute), "run: (measure_cycles: 20_000)"));
        (simulation.engine.totals().worms_created, simulation.engine.worms_alive())
    };
    let ((some, _), (many, alive), (most, _)) = (sent("5000.0"), sent("5.0"), sent("1.0"));
    assert!(many > 5 * some && most < many + many / 10, "{some} {many} {most}");
    assert!(alive < 24 * 10, "{alive}");
}
