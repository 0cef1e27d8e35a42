//! Worms alone in the network. Every flit crosses in the cycle that the recurrence of the model
//! derives without a simulation.

use proptest::prelude::*;
use wormscope::engine::NewWorm;
use wormscope::hw::{Encoding, Replication};
use wormscope::model::tree::TreeError;
use wormscope::network::{Network, Topology, UniMinKind, decision_flits, header_flits};
use wormscope_testbenches::lone::{flies_as_derived, tree};
use wormscope_testbenches::random::{Draft, Kind, cases, drafts, mins, networks, topologies, worms};

/// Mostly small networks. Sometimes they have so many nodes that an address takes two flits of 8
/// bits.
fn sizes() -> impl Strategy<Value = Topology> {
    let large = prop_oneof![
        Just(Topology::Mesh { radices: vec![20, 15] }),
        Just(Topology::Torus { radices: vec![260], datelines: true }),
        Just(Topology::UniMin { kind: UniMinKind::Omega, switch_ports: 2, stages: 9 }),
        Just(Topology::BiMin { switch_ports: 8, stages: 3 }),
    ];
    prop_oneof![12 => topologies(), 1 => large]
}

/// Multistage networks, sometimes of switches so wide that a mask takes two flits of 8 bits.
fn stages() -> impl Strategy<Value = Topology> {
    let wide = prop_oneof![
        Just(Topology::UniMin { kind: UniMinKind::Omega, switch_ports: 12, stages: 2 }),
        Just(Topology::BiMin { switch_ports: 9, stages: 2 })
    ];
    prop_oneof![12 => mins(), 1 => wide]
}

/// A worm of the draft and FIFOs deep enough for it.
fn lone_worm(network: &mut Network, draft: &[Draft], kind: Kind) -> NewWorm {
    // The wait for a token depends on its place, which the tests `token_ring` and `atbm` check.
    network.token_ring = None;
    // With FIFOs that hold any worm, the rules refuse nothing that deeper FIFOs allow.
    let depth = std::mem::replace(&mut network.switch.fifo_depth, 60_000);
    let injection_depth = network.node.injection_depth.take();
    let mut worm = worms(network, draft, kind).remove(0);
    while matches!(tree(network, &worm), Err(TreeError::CrossesItself { .. })) {
        // Any order of visits can end sooner. A worm with one destination never crosses itself.
        let fewer = worm.destinations.len() - 1;
        worm.destinations = worm.destinations[..fewer].iter().copied().collect();
    }
    let count = worm.destinations.len() as u32;
    let mut needed = decision_flits(network, worm.encoding, count);
    if network.switch.replication == Replication::Sequential && count > 1 {
        needed = header_flits(network, worm.encoding, count) + worm.payload_flits;
    }
    network.switch.fifo_depth = depth.max(needed);
    network.node.injection_depth = injection_depth.map(|depth| depth.max(needed));
    worm
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn every_flit_of_a_lone_worm_crosses_when_the_recurrence_says(mut network in networks(sizes()), draft in drafts(1, 20)) {
        let worm = lone_worm(&mut network, &draft, Kind::Any);
        flies_as_derived(&network, &worm)?;
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn every_flit_of_a_lone_multiport_worm_crosses_when_the_recurrence_says(
        mut network in networks(stages()), draft in drafts(1, 20)
    ) {
        // This routing turns once, as port masks do.
        network.routing = None;
        let worm = lone_worm(&mut network, &draft, Kind::Multiport);
        // No product of ports may leave the source out. Then the worm is no multiport worm.
        prop_assume!(worm.encoding == Encoding::Multiport);
        flies_as_derived(&network, &worm)?;
    }
}
