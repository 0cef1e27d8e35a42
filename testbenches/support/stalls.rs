//! Random stalls of links and of stations of token rings.

use std::ops::Range;

use proptest::prelude::*;
use wormscope::engine::Engine;
use wormscope::hw::SwitchId;
use wormscope::network::channel::Channel;
use wormscope::network::{Network, channel};

use crate::drive;

/// A stall of anything: a number, to be taken modulo the number of things, and the cycles.
pub type Stall = (u32, Range<u64>);

/// None to five stalls that begin within so many cycles.
pub fn stalls(within: u64) -> impl Strategy<Value = Vec<Stall>> {
    let one = (any::<u32>(), 0..within, 1..50_u64).prop_map(|(which, from, cycles)| (which, from..from + cycles));
    prop_oneof![Just(Vec::new()), prop::collection::vec(one, 1..6)]
}

/// Tells an engine of a stall; returns the link, if it is one of a link.
pub fn stall(engine: &mut Engine, network: &Network, (which, cycles): &Stall) -> Option<Channel> {
    let wiring = drive::wiring(network);
    let lanes = network.lanes(&wiring);
    let ends: Vec<_> = channel::outputs(&wiring, lanes).chain(channel::injections(&wiring, lanes)).collect();
    // A quarter of the stalls are at stations, where there are any.
    let (which, of_station) = (*which as usize / 4, which % 4 == 0 && network.token_ring.is_some());
    if of_station {
        engine.stall_station(SwitchId((which % wiring.switches() as usize) as u32), cycles.clone());
        return None;
    }
    let end = ends[which % ends.len()].0;
    match end {
        Channel::Output(switch, lane) => engine.stall_output(switch, lane, cycles),
        Channel::Injection(node, channel) => engine.stall_injection(node, channel, cycles),
    }
    Some(end)
}
