//! Every flit is delivered exactly once to every destination and nowhere else, in order, unchanged; nothing is left behind.
//! The scoreboard checks every cycle: FIFO contents, credits, who drives which lane, data, deliveries.

use proptest::prelude::*;
use wormscope::config::{Network, Topology, UniMinKind};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, safe, topologies, worms};
use wormscope_testbenches::scoreboard::{Ending, watch};

const FOREVER: u64 = 100_000;

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn flits_are_conserved_whatever_the_network_and_traffic(
        network in networks(topologies()), drafts in drafts(30, 60)
    ) {
        let worms = worms(&network, &drafts, Kind::Any);
        let ending = watch(&network, worms, FOREVER).map_err(TestCaseError::fail)?;
        prop_assert_ne!(ending, Ending::Unfinished);
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn where_no_deadlock_is_possible_everything_arrives((network, worms) in safe(40, 40)) {
        let ending = watch(&network, worms, FOREVER).map_err(TestCaseError::fail)?;
        prop_assert_eq!(ending, Ending::Done);
    }
}

fn of_narrow_flits() -> impl Strategy<Value = Network> {
    let large = prop_oneof![
        Just(Topology::Mesh { radices: vec![20, 13] }),
        Just(Topology::Torus { radices: vec![260], datelines: true }),
        Just(Topology::UniMin { kind: UniMinKind::Butterfly, switch_ports: 8, stages: 3 }),
        Just(Topology::BiMin { switch_ports: 2, stages: 9 }),
        Just(Topology::UniMin { kind: UniMinKind::Butterfly, switch_ports: 17, stages: 2 }),
        Just(Topology::BiMin { switch_ports: 10, stages: 2 }),
    ];
    networks(large).prop_map(|mut network| {
        network.switch.flit_bits = 8;
        network.switch.fifo_depth = network.switch.fifo_depth.max(2);
        network
    })
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn flits_are_conserved_where_addresses_and_masks_take_several(network in of_narrow_flits(), drafts in drafts(12, 20)) {
        let worms = worms(&network, &drafts, Kind::Any);
        let ending = watch(&network, worms, FOREVER).map_err(TestCaseError::fail)?;
        prop_assert_ne!(ending, Ending::Unfinished);
    }
}
