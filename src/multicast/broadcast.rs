//! What the broadcasts of \[SEIDEL\] ask of a request.

use super::cube::Fit;
use super::plan::{Refusal, Request};
use crate::topology::{Grid, Wiring};

/// Bits for who has which piece: half a gigabyte.
const LARGEST: u64 = 1 << 32;

/// The linear array or 2-D mesh and `nu`, if everybody is a destination.
pub(super) fn entrance<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<(&'a Grid, u32), Refusal> {
    let Wiring::Grid(grid) = request.wiring;
    let refuse = |reason: &str| {
        let radices: Vec<String> = grid.radices().iter().map(ToString::to_string).collect();
        let network = format!("a {} {}", radices.join("x"), if grid.wraps() { "torus" } else { "mesh" });
        Err(Refusal::Network { algorithm, network, reason: reason.to_owned() })
    };
    if !plane(grid) {
        return refuse("it needs a linear array or a mesh of two dimensions");
    }
    let nodes = grid.nodes();
    if request.destinations.is_empty() {
        return Err(Refusal::Destinations { algorithm, reason: "no destinations".to_owned() });
    }
    if u64::from(nodes) * u64::from(nodes) > LARGEST {
        return refuse("it is made for at most 65536 nodes");
    }
    if request.destinations.len() as u32 != nodes - 1 {
        let served = request.destinations.len();
        let reason = format!("it serves all {} other nodes, not {served} of them", nodes - 1);
        return Err(Refusal::Destinations { algorithm, reason });
    }
    Ok((grid, request.parameters.nu))
}

/// Whether a grid is a linear array or a 2-D mesh.
pub(super) fn plane(grid: &Grid) -> bool {
    !grid.wraps() && grid.radices().len() <= 2
}

/// Whether a grid is a linear array, perhaps written with a dimension of one node.
pub(super) fn is_line(grid: &Grid) -> bool {
    grid.radices().iter().filter(|&&k| k > 1).count() < 2
}

/// How ST and BST fit an array of any size: virtual nodes cost less, but only where links carry one message at a time
/// (\[SEIDEL\] section 5.3).
pub(super) fn fit(grid: &Grid, nu: u32) -> Fit {
    if is_line(grid) && nu == 0 { Fit::VirtualNodes } else { Fit::Companions }
}

/// Base-2 logarithm of the number of interleaved arrays of which each of `2^bits` nodes is in one: `nu`, as long as two nodes are
/// left to each. Further distributing would add start-ups and save nothing.
pub(super) fn width(nu: u32, bits: u32) -> u32 {
    nu.min(bits.saturating_sub(1))
}
