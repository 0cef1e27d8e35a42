//! Software of the nodes on the simulated hardware: costs to the cycle, buffers, plans that deliver, contention.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wormscope::config::{self, Loaded};
use wormscope::engine::{Delivery, Observer, Outcome, WormInfo};
use wormscope::hw::NodeId;
use wormscope::model::unblocked::zero_load;
use wormscope::multicast::{self, Plan};
use wormscope::simulation::{Simulation, Site};
use wormscope::workload::Operation;

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
    let site = Site::new(&loaded.experiment);
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

/// Cycles from the head's leaving a node to the tail's arrival at another, alone.
fn latency(loaded: &Loaded, site: &Site, from: u32, to: u32, payload_flits: u32) -> u64 {
    let network = &loaded.experiment.network;
    let header = config::header_flits(network, config::Encoding::Unicast, 1);
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
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn child_q_holds_the_message_q_holds_and_one_end_after_its_parent(costs in costs(), flits in 1..40u32) {
        let network = format!("topology: mesh(radices: [6, 6]), switch: (flit_bits: 16), node: ({})", costs.text());
        let workload = format!(
            "multicast(cycle: 7, source: 14, destinations: {DESTINATIONS:?}, algorithm: \"sequential\", payload_flits: {flits})"
        );
        let loaded = load(&network, &workload);
        let (simulation, site, _) = run(&loaded);
        let operation = &simulation.operations()[0];
        // A message keeps the out-going channel for its start-up and its flits; where that is longer than t_hold it spaces the sends.
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
}
