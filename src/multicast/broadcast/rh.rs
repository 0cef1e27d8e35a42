//! RH, the recursive halving broadcast of linear arrays and meshes (\[SEIDEL\] sections 3.5 and
//! 3.6): distribute the message among all nodes, then exchange, over the longest distances first.
//!
//! Packets that meet in this order are not those that were cut beside each other. The source
//! permutes the message once, before it first sends; then every exchange, on an array, puts packets
//! in a row beside each other. The paper charges `m rho` for it.

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, complete};
use super::cube::{Cube, Fit};
use super::dimensional_exchange::{far_to_near, farthest_first};
use super::distribute::distribute;
use super::entrance::{entrance, is_defined};
use super::schedule::Schedule;
use super::trim::trim;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use wormscope_network::Grid;

pub(crate) const NAME: &str = "rh";

/// Nodes for which [`as_printed`] makes a schedule: its messages are packets out of order, so many
/// ranges as pairs of nodes.
pub const LARGEST_PRINTED: u32 = 4096;

/// Arrays and meshes of any size, by companions.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, _) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, Fit::Companions);
    let order = far_to_near(&cube);
    Ok(trim(complete(halving(cube, order), CompanionScheme::cheaper(request.parameters))))
}

/// The schedule of the paper, swaps of what both have included; `None` but for linear arrays and
/// 2-D meshes of at most [`LARGEST_PRINTED`] nodes and one of them. Packet p is distributed to node
/// p, and every node permutes in the end. Other sizes than powers of two by companions, those of a
/// mesh by BST.
#[must_use]
pub fn as_printed(grid: &Grid, source: NodeId) -> Option<Plan> {
    let small = grid.nodes() <= LARGEST_PRINTED;
    let cube = (small && is_defined(grid, source)).then(|| Cube::new(grid, source, Fit::Companions))?;
    let order = (0..cube.bits()).map(|bit| 1 << bit).collect();
    Some(complete(halving(cube, order), CompanionScheme::Bidirectional))
}

/// Distribute along the column of the source, then along the rows; exchange. Bits of the packets'
/// numbers belong to those of the index in `order`.
fn halving(cube: Cube, order: Vec<u32>) -> Schedule {
    let bits = cube.bits();
    let mut schedule = Schedule::new(cube, order);
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..bits).rev().map(|bit| 1 << bit));
    farthest_first(&mut schedule);
    schedule
}
