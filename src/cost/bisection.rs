//! Bisection: links, both directions counted, that a cut through the middle of the network crosses.
//!
//! A grid of N nodes whose longest dimension has k: `2 N / k`, twice that where it wraps around.
//! Multistage networks of several stages: `N / 2`, bidirectional ones `N`. Each times `dilation`.

use crate::network::Network;

/// Links that are cut.
#[must_use]
pub fn links(network: &Network) -> u64 {
    network.blueprint().bisection() * u64::from(network.switch.dilation)
}
