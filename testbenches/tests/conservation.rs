//! Every flit is delivered exactly once to every destination and nowhere else, in order, unchanged.
//! Nothing is left behind. The scoreboard checks every cycle: FIFO contents, credits, drivers of
//! lanes, data, deliveries.

use proptest::prelude::*;
use wormscope::engine::NewWorm;
use wormscope::hw::Replication;
use wormscope::network::{Network, Topology, UniMinKind};
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, safe, topologies, worms};
use wormscope_testbenches::scoreboard::{Ending, watch};

const FOREVER: u64 = 100_000;

proptest! {
    #![proptest_config(cases(400))]

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
    #![proptest_config(cases(400))]

    #[test]
    fn where_no_deadlock_is_possible_everything_arrives((network, worms) in safe(40, 40)) {
        let ending = watch(&network, worms, FOREVER).map_err(TestCaseError::fail)?;
        prop_assert_eq!(ending, Ending::Done);
    }
}

/// As [`watch`], with replication that cannot deadlock.
fn shared(topology: Topology, worms: &[NewWorm]) -> Ending {
    let mut network = network(topology);
    (network.switch.replication, network.switch.fifo_depth) = (Replication::Buffered, 16);
    (network.switch.flit_bits, network.node.consumption_channels) = (8, 4);
    watch(&network, worms.to_vec(), FOREVER).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn worms_of_all_encodings_share_a_network() {
    use wormscope::hw::Encoding::{BitString, Multidestination, Multiport};
    let common = [
        unicast(0, 1, 6, 8),
        unicast(2, 12, 6, 8),
        worm(0, 0, &[2, 6, 13], BitString, 8),
        worm(1, 9, &[2, 3, 6, 15], BitString, 8),
    ];
    let mins = [
        Topology::UniMin { kind: UniMinKind::Baseline, switch_ports: 4, stages: 2 },
        Topology::UniMin { kind: UniMinKind::Omega, switch_ports: 2, stages: 4 },
        Topology::BiMin { switch_ports: 4, stages: 2 },
        Topology::BiMin { switch_ports: 2, stages: 4 },
    ];
    // Destinations are products of digits in base 4 and in base 2.
    let masks =
        [worm(0, 4, &[2, 3, 6, 7], Multiport, 8), worm(0, 8, &[6], Multiport, 8), worm(3, 0, &[5, 13], Multiport, 8)];
    for topology in mins {
        assert_eq!(shared(topology.clone(), &[&common[..], &masks].concat()), Ending::Done, "{topology:?}");
    }
    let paths = [worm(0, 4, &[5, 6, 7], Multidestination, 8), worm(3, 0, &[1, 5, 13], Multidestination, 8)];
    let grid = Topology::Mesh { radices: vec![4, 4] };
    assert_eq!(shared(grid, &[&common[..], &paths].concat()), Ending::Done);
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
        network.node.injection_depth = network.node.injection_depth.map(|depth| depth.max(2));
        network
    })
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn flits_are_conserved_where_addresses_and_masks_take_several(network in of_narrow_flits(), drafts in drafts(12, 20)) {
        let worms = worms(&network, &drafts, Kind::Any);
        let ending = watch(&network, worms, FOREVER).map_err(TestCaseError::fail)?;
        prop_assert_ne!(ending, Ending::Unfinished);
    }
}
