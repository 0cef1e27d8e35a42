//! Programs in a closed loop beside multicasts ([NUPAIROJ] chapter 6).

use wormscope::config;
use wormscope::engine::{Clocked as _, Delivery, Observer, WormInfo};
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
    let site = Site::of(loaded).unwrap();
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
    // Each operation begins with the end of the one before.
    assert!(operations.windows(2).all(|pair| pair[0].end == Some(pair[1].begin)));
    assert_eq!(operations[4].end.map(|end| end.abs_diff(simulation.engine.now()) <= 1), Some(true));
    // No node talks to the other group, and both groups talk.
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
    // Programs stop after the window, and the network empties.
    let (simulation, outcome, _) = run(&load(BACKGROUND, "run: (measure_cycles: 5_000, drain: empty)"));
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(simulation.engine.worms_alive(), 0);
}

#[test]
fn a_full_network_is_offered_no_more_than_it_takes() {
    // The loop is closed. With almost no time to compute, nodes send as fast as their buffers let
    // them.
    let sent = |compute: &str| {
        let (simulation, ..) = run(&load(&BACKGROUND.replace("500.0", compute), "run: (measure_cycles: 20_000)"));
        (simulation.engine.totals().worms_created, simulation.engine.worms_alive())
    };
    let ((some, _), (many, alive), (most, _)) = (sent("5000.0"), sent("5.0"), sent("1.0"));
    assert!(many > 5 * some && most < many + many / 10, "{some} {many} {most}");
    assert!(alive < 24 * 10, "{alive}");
}

#[test]
fn skipped_multicasts_are_not_measured_and_groups_count_what_they_receive() {
    let loaded = load(&format!("{}, {BACKGROUND}", MULTICASTS.replace("times: 5", "times: 9, skip: 3")), "");
    let (simulation, _, _) = run(&loaded);
    let operations = simulation.operations();
    let report = loaded.run().unwrap_or_else(|e| panic!("{e}"));
    let study = report.multicast_study.as_ref().expect("groups are asked for");
    assert_eq!((Some(study.from), study.all.count), (operations[2].end, 6));
    let last: u64 = operations[3..].iter().filter_map(|of| Some(of.end? - of.begin)).sum();
    assert!((study.all.latency.expect("some are measured") - last as f64 / 6.0).abs() < 1e-9);
    let software = report.latency_by_class.iter().find(|of| of.class == "software").expect("there are multicasts");
    assert_eq!(software.last.count, 6);
    // The background group is sent these bytes, and a flit is a byte.
    let flits: f64 = loaded_bytes(&loaded, study.from, study.to);
    let cycles = (study.to - study.from) as f64;
    assert!(
        (study.background_bytes * cycles - flits).abs() < 24.0 * 99.0,
        "{} {flits}",
        study.background_bytes * cycles
    );
    assert!(study.background_bytes > 0.5 && (study.background - study.background_bytes / 36.0).abs() < 1e-9);
    let rows: Vec<_> =
        study.groups.iter().map(|row| (row.name.as_str(), row.nodes.len(), row.received > 0.0)).collect();
    assert_eq!(rows, [("m", 12, false), ("b", 24, true)]);
    // A send keeps its processor for 30 cycles unless the buffer is full. t_end has both ends and
    // the network.
    assert!(study.hold.is_some_and(|hold| (30.0..32.0).contains(&hold)), "{:?}", study.hold);
    assert!(study.end.is_some_and(|end| end > 30.0 + 10.0 + 50.0 + 40.0), "{:?}", study.end);
    assert!(report.to_string().contains("multicasts beside traffic, cycles"));
}

/// Payload flits of worms of one destination in the background that arrive in some cycles.
fn loaded_bytes(loaded: &Loaded, from: u64, to: u64) -> f64 {
    struct Bytes(u64, u64, f64, Vec<NodeId>);
    impl Observer for Bytes {
        fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
            if (self.0..self.1).contains(&delivery.tail) && !self.3.contains(&worm.source) {
                self.2 += f64::from(worm.payload_flits);
            }
        }
    }
    let (simulation, ..) = run(loaded);
    let plan = &simulation.operations()[0].design.plan;
    let mut bytes = Bytes(from, to, 0.0, plan.destinations.iter().copied().chain([plan.source]).collect());
    let site = Site::of(loaded).unwrap();
    let mut again = Simulation::new(loaded, &site).unwrap_or_else(|e| panic!("{e}"));
    again.run(&mut bytes, |_| ()).unwrap_or_else(|e| panic!("{e}"));
    bytes.2
}

#[test]
fn contention_costs_a_sequential_tree_more_than_a_message() {
    // [NUPAIROJ] Fig. 6.4: t_hold = t_send = 20, t_out = 15, t_net = 20, t_recv = 20. One case has
    // no contention, and the other 15 cycles of it.
    let of = |link: u32, stalls: &str| {
        let text = format!(
            "(network: (topology: uni_min(switch_ports: 4, stages: 1), switch: (flit_bits: 8, fifo_depth: 32, routing_cycles: 0), node: (costs: \
             (hold: (fixed: 20.0), send: (fixed: 20.0), network: 5.0, receive: (fixed: 20.0)), injection_link: (link_cycles: \
             {link}))), workload: [multicast(source: 0, algorithm: \"sequential\", bytes: 9), stalls([{stalls}])])"
        );
        let loaded = config::from_text("x.ron", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (simulation, ..) = run(&loaded);
        let operation = &simulation.operations()[0];
        let out: Vec<u64> = operation.sends().iter().map(|send| send.departed + 1 - (send.injected - 5)).collect();
        let net: Vec<u64> = operation
            .sends()
            .iter()
            .map(|send| send.receipts[0].tail.expect("it has arrived") - (send.injected - 5))
            .collect();
        let queued: Vec<u64> = operation.sends().iter().map(|send| send.queued).collect();
        (operation.end, out, net, queued)
    };
    // This delay of a link makes t_net as long as in the paper.
    let link = (1..=8).find(|&link| of(link, "").2 == [20; 3]).expect("some link does");
    assert_eq!(of(link, ""), (Some(100), vec![15; 3], vec![20; 3], vec![0; 3]));
    let stalls: String =
        [26, 56, 86].map(|from| format!("(link: \"node0.inj\", from: {from}, until: {}), ", from + 15)).concat();
    assert_eq!(of(link, &stalls), (Some(135), vec![30; 3], vec![35; 3], vec![0, 10, 20]));
}

#[test]
fn two_groups_multicast_at_the_same_time() {
    // [NUPAIROJ] section 6.4.5.
    let text = "(network: (topology: mesh(radices: [8, 8]), switch: (flit_bits: 8, fifo_depth: 2), node: (costs: (hold: (fixed: \
                30.0), send: (fixed: 30.0), receive: (fixed: 40.0)), send_buffer: 256, receive_buffer: 256)), groups: [(name: \
                \"a\", nodes: random(16)), (name: \"b\", nodes: random(16)), (name: \"rest\", nodes: rest)], workload: \
                [multicasts(group: \"a\", count: 1, algorithm: \"dyn_mesh\", bytes: 64, times: 6, skip: 1), multicasts(group: \
                \"b\", count: 1, algorithm: \"dyn_mesh\", bytes: 64, times: 6, skip: 1), spmd(group: \"rest\", compute: 300.0, \
                bytes: uniform(least: 1, most: 127))])";
    let report =
        config::from_text("x.ron", text, &[]).and_then(|loaded| loaded.run()).unwrap_or_else(|e| panic!("{e}"));
    let study = report.multicast_study.expect("groups are asked for");
    let rows: Vec<_> = study.entries.iter().map(|row| (row.entry, row.measured.count)).collect();
    assert_eq!((rows, study.all.count), (vec![(0, 5), (1, 5)], 10));
    let [a, b] = [0, 1].map(|entry| study.entries[entry].measured.latency.expect("some are measured"));
    assert!((a - b).abs() < 0.3 * a, "{a} {b}");
    // Only the third group is the background.
    assert!((study.background_bytes - study.groups[2].received_bytes).abs() < 1e-12 && study.background_bytes > 0.1);
}
