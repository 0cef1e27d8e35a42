//! Bisection: links, both directions counted, that a cut through the middle of the network crosses.
//!
//! A grid of N nodes whose longest dimension has k: `2 N / k`, twice that where it wraps around. Multistage networks of several stages:
//! `N / 2`, bidirectional ones `N`. Each times `dilation`.

use crate::network::{Network, Topology};

/// Links that are cut.
#[must_use]
pub fn links(network: &Network) -> u64 {
    let nodes = u64::from(network.nodes());
    let longest = u64::from(network.radices().iter().copied().max().unwrap_or(1));
    let links = match network.topology {
        Topology::UniMin { stages: 1, .. } | Topology::BiMin { stages: 1, .. } => 0,
        Topology::UniMin { .. } => nodes / 2,
        Topology::BiMin { .. } => nodes,
        _ if longest == 1 => 0,
        Topology::Torus { .. } => 4 * nodes / longest,
        Topology::Linear { .. } | Topology::Mesh { .. } => 2 * nodes / longest,
    };
    links * u64::from(network.switch.dilation)
}
