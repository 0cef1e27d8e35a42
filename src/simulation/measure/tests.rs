//! Tests of the worked examples of \[NUPAIROJ\] chapters 2 and 3, with the procedures themselves.

use super::*;
use crate::config;
use crate::experiment::Loaded;
use crate::multicast::{Parameters, Request, find};

/// Number of cycles in a unit of time of the examples. The hardware takes a few cycles.
const UNIT: f64 = 10_000.0;

/// A crossbar of `nodes` nodes with these `t_hold`, `t_send`, `t_net` and `t_recv`.
fn crossbar(nodes: u32, [hold, send, net, receive]: [f64; 4]) -> Loaded {
    let [hold, send, net, receive] = [hold, send, net, receive].map(|units| units * UNIT);
    let text = format!(
        "(network: (topology: uni_min(switch_ports: {nodes}, stages: 1), node: (costs: (hold: (fixed: {hold:.1}), \
         send: (fixed: {send:.1}), network: {net:.1}, receive: (fixed: {receive:.1})))))"
    );
    config::from_text("crossbar", &text, &[]).unwrap()
}

/// Result of a measurement on a machine, in units of time.
fn on<T>(loaded: &Loaded, measure: impl FnOnce(&Machine) -> Result<T, Unfinished>) -> T {
    let network = &loaded.experiment.network;
    measure(&Machine::new(network, &Site::new(network).unwrap(), &())).unwrap()
}

/// Whether two times differ only by the cycles of the hardware.
fn same(cycles: f64, units: f64) -> bool {
    (cycles / UNIT - units).abs() < 0.01
}

#[test]
fn ping_and_ping_pong_of_figures_2_4_and_2_5_measure_6_and_8() {
    let loaded = crossbar(2, [6.0, 4.0, 1.0, 3.0]);
    let (hold, end) = on(&loaded, |machine| {
        Ok((machine.ping(NodeId(0), NodeId(1), 1, 10)?, machine.ping_pong(NodeId(0), NodeId(1), 1, 10, 0)?))
    });
    assert!(same(hold, 6.0) && same(end, 8.0), "{hold} {end}");
}

#[test]
fn a_dummy_loop_shows_from_the_idle_period_on_as_in_figure_2_7() {
    // t_hold is t_send, so a node is idle for t_net + t_end = 1 + 8.
    let loaded = crossbar(2, [4.0, 4.0, 1.0, 3.0]);
    let est = |dummy: f64| {
        #[allow(clippy::cast_sign_loss)] // A time.
        let dummy = (dummy * UNIT) as u64;
        on(&loaded, |machine| machine.ping_pong(NodeId(0), NodeId(1), 1, 10, dummy))
    };
    assert!(same(est(5.0), 8.0) && same(est(9.0), 8.0) && same(est(13.0), 10.0));
    let idle = on(&loaded, |machine| machine.idle(NodeId(0), NodeId(1), 1, 10));
    assert!(same(idle as f64, 9.0), "{idle}");
}

/// The tree of an algorithm over the nodes of a crossbar, from node 0.
fn tree(loaded: &Loaded, algorithm: &str, parameters: &Parameters) -> Plan {
    let wiring = Site::of(loaded).unwrap().wiring().clone();
    let destinations: Vec<NodeId> = (1..loaded.experiment.network.nodes()).map(NodeId).collect();
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters };
    find(algorithm).unwrap().plan(&request).unwrap()
}

#[test]
fn the_last_of_the_tree_of_figure_3_7_is_its_last_node() {
    // Table 2.1, 1 byte, in units of 10 us.
    let loaded = crossbar(9, [1.915, 1.915, 1.39, 2.025]);
    let plan = tree(&loaded, "block_binomial", &Parameters { block: 3, ..Parameters::default() });
    let found = on(&loaded, |machine| machine.multicast(&plan, 1, 4));
    // The sends are P_0 to P_3, P_1 and P_2; P_3 to P_4 and P_5; P_0 to P_6, P_1 to P_7, P_2 to
    // P_8. A node has returned from the call when it has made all its sends.
    let (hold, end) = (1.915, 5.33);
    let sends_behind = [(2.0, 1.0), (3.0, 1.0), (2.0, 1.0), (0.0, 2.0), (1.0, 2.0), (3.0, 1.0), (1.0, 2.0), (2.0, 2.0)];
    let expected = sends_behind.map(|(holds, ends)| holds * hold + ends * end);
    for ((node, flow), units) in found.flows.iter().zip(expected) {
        assert!(same(*flow, units), "n{}: {flow}, not {units}", node.0);
    }
    assert!(found.critical == NodeId(8) && same(found.latency, 2.0 * hold + 2.0 * end), "{found:?}");
}

#[test]
fn the_flows_of_figure_3_5_are_7_7_and_10() {
    // t_send 2, t_net 1, t_recv 2, as in Fig. 3.2. The nodes call at 2, 5 and 3, before any message
    // has come for them.
    let loaded = crossbar(4, [2.0, 2.0, 1.0, 2.0]);
    let plan = tree(&loaded, "binomial", &Parameters::default());
    let found = on(&loaded, |machine| machine.multicast(&plan, 1, 4));
    for ((node, flow), units) in found.flows.iter().zip([7.0, 7.0, 10.0]) {
        assert!(same(*flow, units), "n{}: {flow}, not {units}", node.0);
    }
    assert!(found.critical == NodeId(3) && same(found.latency, 10.0), "{found:?}");
}

#[test]
fn of_the_four_cases_of_figure_3_6_all_but_the_first_tell_the_flow() {
    // Acknowledgements of P_1 to P_4 would arrive at 14, 18, 22 and 26. The root has finished at
    // 16, and the multicast at 19.
    let loaded = crossbar(5, [4.0, 4.0, 1.0, 2.0]);
    let plan = tree(&loaded, "sequential", &Parameters::default());
    let flow = |node| on(&loaded, |machine| machine.responder(&plan, NodeId(node), 1, 10, 0)) - 7.0 * UNIT;
    assert!(!same(flow(1), 7.0), "the root is still at it when the acknowledgement comes");
    for (node, units) in [(2, 11.0), (3, 15.0), (4, 19.0)] {
        assert!(same(flow(node), units), "n{node}: {}, not {units}", flow(node));
    }
}

#[test]
fn a_scatter_brings_every_node_its_own_and_takes_as_long_as_the_sequential_tree() {
    let loaded = crossbar(6, [2.0, 2.0, 1.0, 2.0]);
    let nodes = [4, 2, 5, 1].map(NodeId);
    let plan = sequential_scatter(NodeId(3), &nodes);
    assert_eq!(plan.verify(), Ok(()));
    let found = on(&loaded, |machine| machine.multicast(&plan, 1, 4));
    assert_eq!(found.critical, NodeId(1));
    // Three sends come before, and the last takes 2 + 1 + 2.
    assert!(same(found.latency, 11.0), "{found:?}");
    for (place, node) in nodes.into_iter().enumerate() {
        let flow = found.flows.iter().find(|flow| flow.0 == node).unwrap().1;
        assert!(same(flow, 5.0 + 2.0 * place as f64), "n{}: {flow}", node.0);
    }
}

/// A machine with a topology and parameters of switches and nodes.
fn machine(topology: &str, switch: &str, node: &str) -> Loaded {
    let text = format!("(network: (topology: {topology}, switch: ({switch}), node: ({node})))");
    config::from_text("machine", &text, &[]).unwrap()
}

/// All measurements on a machine. `keeps` tells whether the machine may keep its network for the
/// next benchmark, and shorten benchmarks that repeat.
fn measured(loaded: &Loaded, keeps: bool, bytes: u32) -> (Vec<f64>, u64) {
    let (network, site) = (&loaded.experiment.network, Site::of(loaded).unwrap());
    let mut machine = Machine::new(network, &site, &());
    machine.forgets &= keeps;
    let last = NodeId(network.nodes() - 1);
    let mut all = vec![
        machine.ping(NodeId(0), last, bytes, 3).unwrap(),
        machine.ping_pong(NodeId(0), last, bytes, 3, 0).unwrap(),
        machine.idle(NodeId(0), last, bytes, 3).unwrap() as f64,
    ];
    for name in ["binomial", "chain", "sequential"] {
        let destinations: Vec<NodeId> = (1..network.nodes()).map(NodeId).collect();
        let (source, parameters) = (NodeId(0), &Parameters::default());
        let request = Request { wiring: site.wiring(), source, destinations: &destinations, parameters };
        let plan = find(name).unwrap().plan(&request).unwrap();
        let (root, largest) = machine.multicast_ping(&plan, bytes, 3).unwrap();
        let flows = machine.multicast(&plan, bytes, 3).unwrap();
        all.extend([root, largest, flows.latency, flows.critical.0.into()]);
        all.extend(flows.flows.iter().map(|(_, flow)| *flow));
    }
    let used = machine.used.take().map_or(0, |engine| engine.worms_created());
    (all, used)
}

#[test]
fn a_network_that_is_kept_measures_what_a_network_at_reset_measures() {
    let switches = ["", "fifo_depth: 1", "virtual_channels: 2", "arbiter: oldest_first, routing_cycles: 3"];
    let networks = [
        ("mesh(radices: [3, 3])", &switches[..]),
        ("torus(radices: [3, 3])", &["virtual_channels: 2", "virtual_channels: 4, fifo_depth: 1"]),
        ("uni_min(switch_ports: 2, stages: 2)", &switches),
        ("bi_min(switch_ports: 2, stages: 2)", &switches[..1]),
    ];
    let nodes = [
        "",
        "costs: (hold: (fixed: 20.0), send: (fixed: 20.0), receive: (fixed: 35.0))",
        "costs: (hold: (fixed: 900.0), send: (fixed: 5.0), receive: (fixed: 3.0))",
        "injection_link: (link_cycles: 1, credit_cycles: 9), consumption_link: (link_cycles: 3, credit_cycles: 7)",
    ];
    let mut kept = 0;
    for (topology, switches) in networks {
        for (switch, node) in switches.iter().flat_map(|switch| nodes.map(|node| (switch, node))) {
            let loaded = machine(topology, switch, node);
            for bytes in [1, 40] {
                let ((all, used), (expected, _)) = (measured(&loaded, true, bytes), measured(&loaded, false, bytes));
                assert_eq!(all, expected, "{topology}, {switch}, {node}, {bytes} bytes");
                kept += u32::from(used > 0);
            }
        }
    }
    // All topologies but the one with several ways up.
    assert_eq!(kept, 80);
}

#[test]
fn a_benchmark_in_which_an_arbiter_had_a_choice_is_not_kept() {
    // n1 and n2 send to the same node at once, or one of them sends alone.
    struct Both(Vec<NodeId>, Length);
    impl Program for Both {
        fn start(&mut self) -> Vec<(NodeId, Action)> {
            self.0.iter().map(|&from| (from, unicast(NodeId(0), self.1, 0))).collect()
        }

        fn received(&mut self, _: NodeId, _: usize, _: u64) -> Vec<Action> {
            Vec::new()
        }
    }
    let loaded = crossbar(4, [0.0; 4]);
    on(&loaded, |machine| {
        let sends = |nodes: &[u32]| Both(nodes.iter().copied().map(NodeId).collect(), machine.length(8));
        assert!(machine.run_once(|| sends(&[1]))?.is_some());
        assert!(machine.run_once(|| sends(&[1, 2]))?.is_none());
        assert!(machine.run(|| sends(&[1]), true)?.clear);
        assert!(!machine.run(|| sends(&[1, 2]), true)?.clear);
        Ok(())
    });
}
