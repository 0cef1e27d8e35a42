//! Two-sided multistage networks: each side is a BI-MIN, and a worm to both sides is a tree on
//! each.

use proptest::prelude::*;
use wormscope::engine::NewWorm;
use wormscope::hw::{Arbiter, Encoding};
use wormscope::network::{Network, Topology};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, not_synchronous, worms};
use wormscope_testbenches::{Arrivals, Script, drive, engine, step};

const SIZES: [(u32, u32); 6] = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (4, 2)];

/// Deliveries of a network.
fn deliveries(network: &Network, worms: Vec<NewWorm>) -> Arrivals {
    let (mut engine, mut script, mut arrivals) = (engine(network), Script::new(worms), Arrivals::default());
    while engine.now() < 2000 && (engine.next_event().is_some() || script.next_cycle().is_some()) {
        step(&mut engine, &mut script, &mut arrivals);
    }
    arrivals
}

proptest! {
    #![proptest_config(cases(200))]

    /// In every cycle, free ports up are chosen in the same order. Inputs are served in the same
    /// order too.
    #[test]
    fn with_a_silent_right_side_they_are_bi_mins(
        network in networks(proptest::sample::select(SIZES.to_vec()).prop_map(|(switch_ports, stages)| Topology::BiMin { switch_ports, stages })),
        drafts in drafts(24, 60)
    ) {
        let Some((switch_ports, stages)) = network.stages() else { return Ok(()) };
        let mut one = network;
        // The numbers of lanes differ, but their order does not. All arbiters but a tree go by the
        // order.
        prop_assume!(one.switch.arbiter != Arbiter::RrTree);
        // Headers have as many flits, although there are twice as many nodes.
        (one.switch.flit_bits, one.token_ring, one.routing) = (64, None, None);
        one.switch.port_order = None;
        // Heads of a worm to both sides are at different stages.
        not_synchronous(&mut one);
        let two = Network { topology: Topology::TwoSided { switch_ports, stages }, ..one.clone() };
        prop_assume!(two.input_lanes().max(two.output_lanes()) <= 64);
        let mut worms = worms(&one, &drafts, Kind::Trees);
        // Neither the masks of stages nor don't-care bits suit two sides.
        worms.retain(|worm| matches!(worm.encoding, Encoding::Unicast | Encoding::BitString));
        prop_assert_eq!(deliveries(&one, worms.clone()), deliveries(&two, worms));
    }
}

#[test]
fn a_worm_to_both_sides_is_a_tree_on_each() {
    // Left nodes are 0 to 7, and right nodes 8 to 15. For a worm from n1, n0 is at its switch. With
    // n6, the left tree turns in stage 2. Right nodes are straight ahead.
    let network = drive::network(Topology::TwoSided { switch_ports: 2, stages: 3 });
    let arrivals = deliveries(&network, vec![drive::worm(0, 1, &[0, 6, 9, 14], Encoding::BitString, 4)]);
    let head = |node| arrivals.of(0, node).map(|(head, _)| head);
    // The head takes 1 cycle from the node, then 2 at each switch. There are 5 switches to the
    // left, and 3 to the right.
    assert_eq!([0, 6, 9, 14].map(head), [Some(11), Some(11), Some(7), Some(7)]);
}
