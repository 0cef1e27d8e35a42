//! The stalls of a workload, by parts of the network.

use std::ops::Range;

use wormscope_hw::NodeId;

use crate::experiment::{Stall, Workload};
use crate::network::channel::{self, Stalled};
use crate::network::{Network, Wiring};

/// Stalls in the form of [`crate::site::Site::stalls`].
pub(crate) fn stalls(network: &Network, wiring: &Wiring, workload: &[Workload]) -> Vec<(Stalled, Range<u64>)> {
    let all = workload.iter().filter_map(|w| if let Workload::Stalls(s) = w { Some(s) } else { None });
    let of = |of: &Stall| {
        let node = of.node.map(|node| Stalled::Node(NodeId(node)));
        let links = of.link.iter().flat_map(|name| channel::named(wiring, network.lanes(wiring), name));
        let station = of.station.as_ref().and_then(|name| channel::switch_named(wiring, name));
        let turn = of.arbiter.as_ref().zip(of.first.as_ref()).and_then(|(name, first)| {
            let arbiter = channel::arbiter_named(network, wiring, name)?;
            let input = channel::input_named(wiring, network.lanes(wiring), arbiter, first)?;
            Some(Stalled::Turn(arbiter, input))
        });
        let what = node.into_iter().chain(links.map(Stalled::Channel)).chain(station.map(Stalled::Station)).chain(turn);
        what.map(|what| (what, of.from..of.until)).collect::<Vec<_>>()
    };
    all.flatten().flat_map(of).collect()
}
