//! Software of the nodes on the simulated hardware: costs to the cycle, buffers, plans that
//! deliver, contention.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wormscope::config;
use wormscope::engine::{Clocked as _, Delivery, Drain, Observer, WormInfo};
use wormscope::experiment::{Loaded, Run};
use wormscope::hw::{Encoding, NodeId};
use wormscope::model::contention::{by_step, channels};
use wormscope::model::steps::steps;
use wormscope::model::unblocked::zero_load;
use wormscope::multicast::{ALGORITHMS, Algorithm, Parameters, Plan, Request};
use wormscope::report::SoftwareRow;
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope::workload::Operation;
use wormscope_testbenches::random::cases;

/// Messages that each node got: payload flits by (node, source).
#[derive(Default)]
struct Got(BTreeMap<(NodeId, NodeId), Vec<u32>>);

impl Observer for Got {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.0.entry((delivery.destination, worm.source)).or_default().push(worm.payload_flits);
    }
}

fn load(network: &str, workload: &str) -> Loaded {
    let text = format!("(network: ({network}), workload: [{workload}])");
    config::from_text("x.ron", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs to the end, and makes sure that nothing is left behind.
fn run(loaded: &Loaded) -> (Simulation, Site, Got) {
    let site = Site::of(loaded).unwrap();
    let mut simulation = Simulation::new(loaded, &site).unwrap_or_else(|e| panic!("{e}"));
    let mut got = Got::default();
    let outcome = simulation.run(&mut got, |_| ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome, Outcome::Done);
    simulation.engine.settle(&mut ());
    assert!(simulation.engine.is_clean());
    for operation in simulation.operations() {
        assert!(operation.end.is_some() && operation.repeated == 0);
    }
    (simulation, site, got)
}

/// Cycles from the departure of the head to the arrival of the tail at another node, for a worm
/// alone.
fn latency(loaded: &Loaded, site: &Site, from: u32, to: u32, payload_flits: u32) -> u64 {
    let network = &loaded.experiment.network;
    let header = wormscope::network::header_flits(network, Encoding::Unicast, 1);
    let switches = site.route(NodeId(from), NodeId(to)).count() as u32;
    zero_load(site.timing(), header, header + payload_flits, switches).expect("it passes alone").tail
}

fn held(operation: &Operation, node: u32) -> u64 {
    operation.complete(NodeId(node)).expect("it is complete") - operation.begin
}

const DESTINATIONS: [u32; 6] = [3, 9, 20, 33, 35, 8];

/// Costs in whole cycles: fixed, and per flit of 2 bytes.
#[derive(Clone, Copy, Debug)]
struct Costs {
    hold: (u32, u32),
    send: (u32, u32),
    network: u32,
    receive: (u32, u32),
}

impl Costs {
    fn text(&self) -> String {
        let cost =
            |(fixed, per_flit): (u32, u32)| format!("(fixed: {fixed}.0, per_byte: {})", f64::from(per_flit) / 2.0);
        let Self { hold, send, network, receive } = *self;
        let (hold, send, receive) = (cost(hold), cost(send), cost(receive));
        format!("costs: (hold: {hold}, send: {send}, network: {network}.0, receive: {receive})")
    }
}

fn of((fixed, per_flit): (u32, u32), flits: u32) -> u64 {
    u64::from(fixed + per_flit * flits)
}

fn costs() -> impl Strategy<Value = Costs> {
    let cost = || (0..60u32, 0..4u32);
    (cost(), cost(), 0..40u32, cost()).prop_map(|(hold, send, network, receive)| Costs { hold, send, network, receive })
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn child_q_holds_the_message_q_holds_and_one_end_after_its_parent(costs in costs(), flits in 1..40u32) {
        // The routers spend no cycle on a head. Elsewhere a worm close behind another waits for its
        // own decision.
        let network = format!(
            "topology: mesh(radices: [6, 6]), switch: (flit_bits: 16, routing_cycles: 0), node: ({})", costs.text()
        );
        let workload = format!(
            "multicast(cycle: 7, source: 14, destinations: {DESTINATIONS:?}, algorithm: \"sequential\", payload_flits: {flits})"
        );
        let loaded = load(&network, &workload);
        let (simulation, site, _) = run(&loaded);
        let operation = &simulation.operations()[0];
        // A message keeps the outgoing channel for its start-up and its flits. Where that is longer
        // than t_hold, it decides the distance of sends.
        let out = u64::from(costs.network + 1 + flits);
        let space = of(costs.hold, flits).max(out);
        for (q, send) in (0..).zip(operation.sends()) {
            let to = send.send.to[0].0;
            let end = of(costs.send, flits) + u64::from(costs.network) + latency(&loaded, &site, 14, to, flits)
                + of(costs.receive, flits);
            prop_assert_eq!(held(operation, to), q * space + end, "child {}", q);
            prop_assert_eq!(send.called, 7 + q * of(costs.hold, flits));
        }
    }

    #[test]
    fn a_send_waits_for_room_in_the_send_buffer_and_the_tail_that_makes_it(costs in costs(), flits in 1..30u32) {
        // One message fits. Each send is called when its processor is free and the tail of the one
        // before has left.
        let network = format!(
            "topology: mesh(radices: [6, 6]), switch: (flit_bits: 16), node: ({}, send_buffer: {})", costs.text(), 2 * flits
        );
        let workload =
            format!("multicast(source: 14, destinations: {DESTINATIONS:?}, algorithm: \"sequential\", payload_flits: {flits})");
        let (simulation, ..) = run(&load(&network, &workload));
        let (mut free, mut left) = (0, 0);
        for send in simulation.operations()[0].sends() {
            prop_assert_eq!(send.called, free.max(left));
            free = send.called + of(costs.hold, flits);
            let injected = send.called + of(costs.send, flits) + u64::from(costs.network);
            prop_assert_eq!((send.injected, send.departed), (injected, injected + u64::from(flits)));
            left = send.departed + 1;
        }
    }

    #[test]
    fn a_burst_leaves_through_different_ports_one_interval_after_the_other(
        costs in costs(),
        flits in 1..10u32,
        ports in 1..4u64,
        interval in 0..9u64,
    ) {
        // This holds as long as no port is still busy when its turn comes.
        prop_assume!(of(costs.hold, flits) > u64::from(costs.network + 1 + flits) + ports * interval);
        let software = costs.text().replace("costs: (", &format!("costs: (inter: (fixed: {interval}.0), "));
        let network = format!(
            "topology: mesh(radices: [6, 6]), switch: (flit_bits: 16, fifo_depth: 16), \
             node: (ports: {ports}, injection_channels: 4, {software})"
        );
        let workload =
            format!("multicast(source: 14, destinations: {DESTINATIONS:?}, algorithm: \"sequential\", payload_flits: {flits})");
        let (simulation, ..) = run(&load(&network, &workload));
        for (n, send) in (0..).zip(simulation.operations()[0].sends()) {
            let called = n / ports * of(costs.hold, flits) + n % ports * interval;
            prop_assert_eq!(send.called, called, "send {}", n);
            prop_assert_eq!(send.injected, called + of(costs.send, flits) + u64::from(costs.network));
        }
    }

    #[test]
    fn software_that_costs_nothing_is_no_software(seed in any::<u32>(), flits in 1..30u32, every in 0..50u32) {
        let workload = format!(
            "multicasts(count: 4, destinations: 7, algorithm: \"u_mesh\", payload_flits: {flits}, times: 3, every: {every}), \
             multicasts(cycle: 20, count: 2, destinations: 11, overlap: complete, algorithm: \"binomial\", payload_flits: 5)"
        );
        let held = |node: &str| {
            let mut loaded = load(&format!("topology: mesh(radices: [5, 4]), node: ({node})"), &workload);
            loaded.experiment.run.seed = seed.into();
            let (simulation, ..) = run(&loaded);
            let of = |o: &Operation| {
                let sends = o.sends().iter().map(|s| (s.called, s.injected, s.departed, s.receipts.clone()));
                (o.begin, o.end, sends.collect::<Vec<_>>())
            };
            simulation.operations().iter().map(of).collect::<Vec<_>>()
        };
        let plain = held("");
        // With a network interface of its own, a send that waits for the channel waits in the send
        // buffer.
        prop_assert_eq!(held("costs: ()"), plain);
    }

    #[test]
    fn nodes_with_buffers_for_one_message_and_slow_processors_receive_everything(seed in any::<u32>(), flits in 1..12u32) {
        // This is the longest chain of blocked sends and full buffers. Every node sends, and
        // receiving takes longer than arriving.
        let network = "topology: mesh(radices: [4, 4]), switch: (flit_bits: 16, fifo_depth: 2), node: (\
             costs: (hold: (fixed: 3.0), send: (fixed: 3.0), network: 2.0, receive: (fixed: 20.0, per_byte: 1.0)), \
             send_buffer: 24, receive_buffer: 24)";
        let workload = format!("traffic(load: 0.6, process: exponential, payload_flits: {flits})");
        let mut loaded = load(network, &workload);
        loaded.experiment.run =
            Run { seed: seed.into(), measure_cycles: Some(400), drain: Drain::Empty, ..Run::default() };
        let (simulation, _, got) = run(&loaded);
        let messages: usize = got.0.values().map(Vec::len).sum();
        prop_assert_eq!(messages as u64, simulation.engine.totals().worms_created);
        prop_assert!(messages > 0);
    }
}

#[test]
fn as_many_start_ups_go_on_at_a_time_as_a_node_has_ports() {
    for ports in 1..=3 {
        let network = format!(
            "topology: mesh(radices: [6, 6]), node: (startup_cycles: 100, ports: {ports}, injection_channels: 3)"
        );
        let workload = format!(
            "multicast(source: 14, destinations: {DESTINATIONS:?}, algorithm: \"sequential\", payload_flits: 2)"
        );
        let (simulation, ..) = run(&load(&network, &workload));
        let operation = &simulation.operations()[0];
        let injected: Vec<u64> = operation.sends().iter().map(|send| send.injected).collect();
        assert_eq!(injected, (0..6).map(|n| (n / ports + 1) * 100).collect::<Vec<_>>(), "{ports} ports");
        assert_eq!(u64::from(operation.steps()), 6_u64.div_ceil(ports));
    }
}

/// Networks that algorithms are tried on, with their nodes.
const NETWORKS: [(&str, u32); 9] = [
    ("topology: linear(nodes: 9), node: (consumption_channels: 2, #)", 9),
    ("topology: mesh(radices: [6, 5]), node: (consumption_channels: 4, #)", 30),
    ("topology: mesh(radices: [4, 4]), node: (consumption_channels: 4, #)", 16),
    ("topology: mesh(radices: [4, 3, 3]), node: (consumption_channels: 6, #)", 36),
    ("topology: mesh(radices: [5, 4]), routing: label_order, node: (consumption_channels: 4, #)", 20),
    ("topology: mesh(radices: [3, 3, 3]), routing: label_order, node: (consumption_channels: 6, #)", 27),
    ("topology: uni_min(kind: baseline, switch_ports: 2, stages: 4), node: (#)", 16),
    ("topology: uni_min(kind: omega, switch_ports: 4, stages: 2), node: (#)", 16),
    ("topology: bi_min(switch_ports: 2, stages: 4), node: (#)", 16),
];

/// An experiment, unless the algorithm is refused.
fn accepted(network: &str, workload: &str, seed: u64) -> Option<Loaded> {
    let text = format!("(network: ({network}), workload: [{workload}], run: (seed: {seed}))");
    config::from_text("x.ron", &text, &[]).ok()
}

/// The messages that each node is to get from each other one, as payload flits by (node, source).
fn planned(plans: &[(&Plan, u32)]) -> BTreeMap<(NodeId, NodeId), Vec<u32>> {
    let mut expected: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for &(plan, flits) in plans {
        for send in &plan.sends {
            let payload = flits.div_ceil(plan.pieces) * send.carried();
            for &node in &send.to {
                expected.entry((node, send.from)).or_default().push(payload);
            }
        }
    }
    expected
}

#[test]
fn every_plan_delivers_every_piece_exactly_once_on_every_network_that_it_is_for() {
    for algorithm in ALGORITHMS {
        let mut networks = 0;
        for (network, nodes) in NETWORKS {
            let sizes = if algorithm.everybody { vec![nodes - 1] } else { vec![1, 2, 5, nodes / 2, nodes - 1] };
            for (seed, destinations) in (0..).zip(sizes) {
                let node =
                    ["startup_cycles: 40", "costs: (hold: (fixed: 9.0), send: (fixed: 4.0), receive: (fixed: 7.0))"];
                let network = network.replace('#', node[seed as usize % 2]);
                let workload = format!(
                    "multicasts(count: 1, destinations: {destinations}, algorithm: \"{}\", payload_flits: 23)",
                    algorithm.name
                );
                let Some(loaded) = accepted(&network, &workload, seed) else { continue };
                networks += 1;
                let (simulation, site, mut got) = run(&loaded);
                let operation = &simulation.operations()[0];
                let plan = &operation.design.plan;
                let mut expected = planned(&[(plan, 23)]);
                let all = got.0.values_mut().chain(expected.values_mut());
                all.for_each(|flits| flits.sort_unstable());
                assert_eq!(got.0, expected, "{} on {network}", algorithm.name);
                let row = SoftwareRow::new(operation, &site);
                assert_eq!(row.last, operation.end, "{}", algorithm.name);
                assert_eq!(row.critical_path.last().map(|link| link.held), row.last);
                assert!(
                    row.critical_path
                        .windows(2)
                        .all(|links| links[0].to == links[1].from && links[0].held == links[1].ready)
                );
            }
        }
        assert!(networks >= 3, "{} ran {networks} times", algorithm.name);
    }
}

#[test]
fn more_multicasts_than_nodes_of_a_set_come_as_close_to_it_as_can_be() {
    let workload = "multicasts(count: 40, destinations: 9, overlap: complete, algorithm: \"u_mesh\", payload_flits: 1)";
    let loaded = load("topology: mesh(radices: [8, 8])", workload);
    let (simulation, ..) = run(&loaded);
    let plans: Vec<Plan> = simulation.operations().iter().map(|o| (*o.design.plan).clone()).collect();
    let mut sources: Vec<NodeId> = plans.iter().map(|plan| plan.source).collect();
    let members: Vec<NodeId> = sources[..10].to_vec();
    sources.sort_unstable();
    sources.dedup();
    assert_eq!(sources.len(), 40, "each has a source of its own");
    let left_out = |plan: &Plan| members.iter().filter(|node| !plan.destinations.contains(node)).count();
    for (n, plan) in plans.iter().enumerate() {
        assert!(plan.destinations.len() == 9 && left_out(plan) == 1, "multicast {n} leaves out one of the same nodes");
        assert_eq!(members.contains(&plan.source), n < 10);
    }
}

/// Means over instances of the steps after which the last of `sources` multicasts is done: on the
/// hardware, and counted.
fn mean_steps(algorithm: &str, sources: u32, members: u32, instances: u64) -> (f64, f64) {
    const STARTUP: u64 = 20_000;
    let network =
        format!("topology: mesh(radices: [8, 8]), node: (consumption_channels: 4, startup_cycles: {STARTUP})");
    let workload = format!(
        "multicasts(count: {sources}, destinations: {}, overlap: complete, algorithm: \"{algorithm}\", payload_flits: 2)",
        members - 1
    );
    let mut sums = (0, 0);
    for seed in 0..instances {
        let loaded = accepted(&network, &workload, seed).expect("it is valid");
        let (simulation, ..) = run(&loaded);
        let plans: Vec<Plan> = simulation.operations().iter().map(|o| (*o.design.plan).clone()).collect();
        let last = simulation.operations().iter().filter_map(|o| o.end).max().expect("some multicast");
        // All steps but start-ups add only some cycles to each.
        assert!(last % STARTUP < STARTUP / 10, "{algorithm} {sources} {members}: {last}");
        sums.0 += last / STARTUP;
        sums.1 += u64::from(steps(&plans).into_iter().max().expect("some multicast"));
        if sources == 1 {
            assert_eq!(sums.0, sums.1, "{algorithm}, seed {seed}");
        }
    }
    (sums.0 as f64 / instances as f64, sums.1 as f64 / instances as f64)
}

#[test]
fn where_only_start_ups_count_the_hardware_takes_the_steps_of_the_step_model() {
    for algorithm in ["u_mesh", "spu_mesh", "hl", "sqhl", "schl"] {
        for (sources, members) in [(1, 16), (1, 33), (4, 16), (16, 17), (16, 32)] {
            let (hardware, counted) = mean_steps(algorithm, sources, members, 6);
            // Of two batches that arrive in one step, either may be queued first. This may move
            // single multicasts, not the mean.
            assert!(
                (hardware - counted).abs() < 0.7,
                "{algorithm} ({sources}, {members}): {hardware}, counted {counted}"
            );
        }
    }
}

/// Cycles that the worms of a multicast lost to each other; `None` where it is refused.
fn contention(network: &str, workload: &str, seed: u64) -> Option<u64> {
    let loaded = accepted(network, workload, seed)?;
    let (simulation, site, _) = run(&loaded);
    SoftwareRow::new(&simulation.operations()[0], &site).contention
}

#[test]
fn a_worm_at_the_heels_of_another_one_of_its_node_is_in_no_contention() {
    let lost = |algorithm: &str, payload_flits: u32| {
        let workload = format!("multicast(source: 27, algorithm: \"{algorithm}\", payload_flits: {payload_flits})");
        contention("topology: mesh(radices: [8, 8])", &workload, 0)
    };
    for payload_flits in [1, 2, 3, 4, 16, 100] {
        for algorithm in ["sequential", "u_mesh", "opt_mesh", "hl"] {
            assert_eq!(lost(algorithm, payload_flits), Some(0), "{algorithm} {payload_flits}");
        }
        assert!(lost("binomial", payload_flits) > Some(0));
    }
}

/// Costs of a node that sends one message at a time. The next message, of so many payload flits,
/// starts up when the one before has left. Its header has an address for each node.
fn one_at_a_time(network: &str, flits: u32, nodes: u32) -> String {
    network.replace('#', &format!("startup_cycles: {}", 2 * (flits + nodes) + 20))
}

/// Most cycles lost in some random multicasts, one at a time.
fn worst(algorithm: &Algorithm) -> u64 {
    let (mut tried, mut worst) = (0, 0);
    for (network, nodes) in NETWORKS {
        for seed in 0..24 {
            let destinations = if algorithm.everybody { nodes - 1 } else { 1 + (seed as u32 * 7) % (nodes - 1) };
            let flits = 1 + seed as u32 * 5 % 40;
            let network = one_at_a_time(network, flits, nodes);
            let workload = format!(
                "multicasts(count: 1, destinations: {destinations}, algorithm: \"{}\", payload_flits: {flits})",
                algorithm.name
            );
            let Some(cycles) = contention(&network, &workload, seed) else { break };
            tried += 1;
            worst = worst.max(cycles);
            assert!(!algorithm.contention_free || cycles == 0, "{}: {cycles} on {network}, {seed}", algorithm.name);
        }
    }
    assert!(tried > 0, "{}", algorithm.name);
    worst
}

/// A network of any size, its nodes left open, and how many of them there are.
fn any_network() -> impl Strategy<Value = (String, u32)> {
    let radices = prop::collection::vec(1..9u32, 1..4)
        .prop_filter("2 to 128 nodes", |radices| (2..=128).contains(&radices.iter().product::<u32>()));
    let meshes = (radices, prop_oneof![Just("dimension_order"), Just("label_order")]).prop_map(|(radices, routing)| {
        let network =
            format!("topology: mesh(radices: {radices:?}), routing: {routing}, node: (consumption_channels: 6, #)");
        (network, radices.iter().product())
    });
    let sizes = prop_oneof![(Just(2), 1..7u32), (Just(3), 1..4u32), (Just(4), 1..4u32), (Just(8), 1..3u32)];
    let kinds = prop_oneof![Just("bi_min("), Just("uni_min(kind: baseline, "), Just("uni_min(kind: omega, ")];
    let stages = (sizes, kinds).prop_map(|((ports, stages), kind)| {
        (format!("topology: {kind}switch_ports: {ports}, stages: {stages}), node: (#)"), u32::pow(ports, stages))
    });
    prop_oneof![2 => meshes, 1 => stages]
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_contention_free_multicast_never_makes_a_flit_wait_on_networks_of_any_size(
        (network, nodes) in any_network(),
        seed in any::<u32>(),
        flits in 1..40u32,
    ) {
        let network = one_at_a_time(&network, flits, nodes);
        for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.contention_free) {
            let destinations = if algorithm.everybody { nodes - 1 } else { 1 + seed % (nodes - 1) };
            let workload = format!(
                "multicasts(count: 1, destinations: {destinations}, algorithm: \"{}\", payload_flits: {flits})",
                algorithm.name
            );
            let lost = contention(&network, &workload, seed.into());
            prop_assert!(lost.is_none_or(|cycles| cycles == 0), "{}: {:?} on {}", algorithm.name, lost, network);
        }
    }
}

/// Some random multicasts whose plans have two worms of one step on a channel: network, source and
/// destinations. Broadcasts keep their steps apart. In them a node that is early meets others that
/// are still at the step before, which the plan does not show.
fn meetings(algorithm: &Algorithm) -> Vec<(&'static str, Vec<NodeId>)> {
    const MOST: usize = 30;
    let mut random = 1_u64;
    let parameters = Parameters::default();
    let mut found = Vec::new();
    // C-min has hardly any contention on 16 nodes.
    let larger = ("topology: uni_min(kind: baseline, switch_ports: 2, stages: 6), node: (#)", 64);
    for (network, nodes) in NETWORKS.into_iter().chain([larger]) {
        let loaded = accepted(&network.replace('#', ""), "", 0).expect("it is valid");
        if algorithm.routing.is_some_and(|needed| needed != loaded.experiment.network.routing()) {
            continue;
        }
        let site = Site::of(&loaded).unwrap();
        let before = found.len();
        for _ in 0..6_000 {
            let mut set: Vec<NodeId> = (0..nodes).map(NodeId).collect();
            for i in 0..nodes as usize {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                set.swap(i, i + (random >> 33) as usize % (nodes as usize - i));
            }
            if !algorithm.everybody {
                set.truncate(2 + (random >> 20) as usize % (nodes as usize - 1));
            }
            let request =
                Request { wiring: site.wiring(), source: set[0], destinations: &set[1..], parameters: &parameters };
            let Ok(plan) = algorithm.plan(&request) else { break };
            let used = channels(site.wiring(), &plan, |switch, node| site.next(switch, node)).expect("routes arrive");
            if algorithm.everybody || !by_step(&plan, &used).is_none() {
                found.push((network, set));
                if found.len() == before + MOST {
                    break;
                }
            }
        }
    }
    found
}

#[test]
fn no_flit_waits_for_another_worm_of_a_contention_free_multicast_and_others_do() {
    // A forwarded message arrives about when the next send is over. So worms of one step are under
    // way together. In the other case worms follow each other as fast as they can.
    let costs =
        ["costs: (hold: (fixed: 180.0), send: (fixed: 100.0))", "costs: (hold: (fixed: 10.0), send: (fixed: 10.0))"];
    for algorithm in ALGORITHMS {
        if worst(algorithm) > 0 || algorithm.contention_free {
            continue;
        }
        let waits = |(network, set): &(&str, Vec<NodeId>)| {
            let to: Vec<String> = set[1..].iter().map(ToString::to_string).collect();
            let workload = format!(
                "multicast(source: {}, destinations: [{}], algorithm: \"{}\", payload_flits: 64)",
                set[0],
                to.join(", "),
                algorithm.name
            );
            let loses = |costs| contention(&network.replace('#', costs), &workload, 0).is_some_and(|cycles| cycles > 0);
            costs.into_iter().any(loses)
        };
        let meetings = meetings(algorithm);
        assert!(meetings.iter().any(waits), "{}: {} plans contend", algorithm.name, meetings.len());
    }
}

#[test]
fn a_dynamic_multicast_is_its_static_counterpart_without_load_and_another_tree_under_load() {
    let machine = "topology: mesh(radices: [8, 8]), switch: (flit_bits: 8, fifo_depth: 1), node: (\
         costs: (hold: (fixed: 100.0, per_byte: 2.0), send: (fixed: 100.0, per_byte: 2.0), network: 60.0, \
         receive: (fixed: 100.0, per_byte: 3.0)))";
    let trees = |algorithm: &str, traffic: &str| {
        let workload =
            format!("multicasts(count: 1, destinations: 31, algorithm: \"{algorithm}\", bytes: 64, times: 6){traffic}");
        let mut loaded = accepted(machine, &workload, 3).expect("it is valid");
        loaded.experiment.run.measure_cycles = Some(60_000);
        let site = Site::of(&loaded).unwrap();
        let mut simulation = Simulation::new(&loaded, &site).expect("it loads");
        simulation.run(&mut (), |_| ()).expect("it runs");
        let tree = |o: &Operation| {
            let mut sends: Vec<_> = o.sends().iter().map(|s| (s.send.from, s.send.to[0])).collect();
            sends.sort_unstable();
            sends
        };
        let done = simulation.operations().iter().filter(|o| o.end.is_some());
        done.map(|o| (tree(o), o.end.map(|end| end - o.begin))).collect::<Vec<_>>()
    };
    let fixed = trees("opt_mesh", "");
    assert_eq!(trees("dyn_mesh", ""), fixed);
    let load = ", traffic(load: 0.3, payload_flits: 64)";
    let (fixed_under_load, adapted) = (trees("opt_mesh", load), trees("dyn_mesh", load));
    assert!(fixed_under_load.iter().all(|(tree, _)| *tree == fixed[0].0));
    assert!(adapted.iter().any(|(tree, _)| *tree != fixed[0].0), "no tree has changed");
}
