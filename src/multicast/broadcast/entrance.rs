//! Needs of the broadcasts of \[SEIDEL\].

use wormscope_hw::NodeId;

use super::cube::Fit;
use crate::networks::{mesh, other_network};
use crate::plan::Request;
use crate::refusal::Refusal;
use wormscope_network::Grid;

/// Largest number of (node, piece) bits: half a gigabyte.
const LARGEST: u64 = 1 << 32;

/// The linear array or 2-D mesh and `nu`, if all nodes are destinations.
pub(super) fn entrance<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<(&'a Grid, u32), Refusal> {
    let grid = mesh(request, algorithm)?;
    if grid.radices().len() > 2 {
        let reason = "it needs a mesh of at most 2 dimensions".to_owned();
        return Err(other_network(request, algorithm, reason));
    }
    let nodes = grid.nodes();
    if u64::from(nodes) * u64::from(nodes) > LARGEST {
        let reason = "it needs one of at most 65536 nodes".to_owned();
        return Err(other_network(request, algorithm, reason));
    }
    if request.destinations.len() as u32 != nodes - 1 {
        let served = request.destinations.len();
        let reason = format!("it serves all {} other nodes, not {served} of them", nodes - 1);
        return Err(Refusal::Destinations { algorithm, reason });
    }
    Ok((grid, request.parameters.nu))
}

/// Whether a grid is a linear array or a 2-D mesh with this source and at least one other node.
pub fn is_defined(grid: &Grid, source: NodeId) -> bool {
    !grid.wraps() && grid.radices().len() <= 2 && grid.nodes() > 1 && source.0 < grid.nodes()
}

/// Whether a grid is a linear array, perhaps written with a dimension of one node.
pub(super) fn is_line(grid: &Grid) -> bool {
    grid.radices().iter().filter(|&&k| k > 1).count() < 2
}

/// Conversion of an array of any size, for ST and BST. Virtual nodes cost less, but only where
/// links carry one message at a time (\[SEIDEL\] section 5.3).
pub(super) fn fit(grid: &Grid, nu: u32) -> Fit {
    if is_line(grid) && nu == 0 { Fit::VirtualNodes } else { Fit::Companions }
}

/// Base-2 logarithm of the number of interleaved arrays among `2^bits` nodes. It is `nu`, as long
/// as each array has two nodes. Distributing further would add start-ups and save nothing.
pub(super) fn width(nu: u32, bits: u32) -> u32 {
    nu.min(bits.saturating_sub(1))
}
