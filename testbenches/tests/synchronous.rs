//! Synchronous worms: no network of them deadlocks, whatever the worms and the stalls.

use proptest::prelude::*;
use wormscope::engine::Limits;
use wormscope::hw::Replication;
use wormscope::network::Network;
use wormscope::simulation::Outcome;
use wormscope_testbenches::random::{Kind, cases, drafts, mins, networks, synchronous, worms};
use wormscope_testbenches::stalls::{stall, stalls};
use wormscope_testbenches::{Script, engine};

/// Networks in which deadlocks are likely: few lanes and short FIFOs.
fn narrow() -> impl Strategy<Value = Network> {
    (networks(mins()), 1..=3_u32, 0..=2_u32, 1..=2_u32).prop_map(|(mut network, depth, routing, dilation)| {
        synchronous(&mut network);
        let switch = &mut network.switch;
        (switch.flit_bits, switch.fifo_depth, switch.routing_cycles) = (64, depth, routing);
        switch.dilation = dilation;
        (network.node.injection_channels, network.node.consumption_channels) = (1, 1);
        network
    })
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn synchronous_worms_never_deadlock(
        network in narrow(), drafts in drafts(60, 12), multiport: bool, stalls in stalls(60),
    ) {
        prop_assert_eq!(network.switch.replication, Replication::Synchronous);
        let kind = if multiport { Kind::Multiport } else { Kind::Trees };
        let mut engine = engine(&network);
        for of in &stalls {
            stall(&mut engine, &network, of);
        }
        let limits = Limits { deadlock_check_cycles: 7, max_cycles: 50_000, ..Limits::default() };
        let outcome = wormscope::simulation::run(&mut engine, &mut Script::new(worms(&network, &drafts, kind)), &limits, &mut (), |_| ());
        prop_assert_eq!(outcome, Ok(Outcome::Done));
    }
}
