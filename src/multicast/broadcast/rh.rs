//! RH, the recursive halving broadcast of linear arrays and meshes (\[SEIDEL\] sections 3.5 and
//! 3.6). The source distributes the message among all nodes. Then nodes exchange, over the longest
//! distances first.
//!
//! Packets that meet in this order were not beside each other in the message. So the source
//! permutes the message once, before it first sends. Then every exchange on an array puts packets
//! in a row beside each other. The paper charges `m rho` for the permutation.

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

/// Largest number of nodes for which [`as_printed`] makes a schedule. Its messages are packets out
/// of order, which need as many ranges as there are pairs of nodes.
pub const LARGEST_PRINTED: u32 = 4096;

/// Plans for arrays and meshes of any size, with companions.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, _) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, Fit::Companions);
    let order = far_to_near(&cube);
    Ok(trim(complete(halving(cube, order), CompanionScheme::cheaper(request.parameters))))
}

/// The schedule of the paper, in which partners also swap pieces that both have. `None` except for
/// linear arrays and 2-D meshes of at most [`LARGEST_PRINTED`] nodes and one of them. Packet p is
/// distributed to node p, and every node permutes in the end. Sizes that are no powers of two use
/// companions. BST serves the companions of a mesh.
#[must_use]
pub fn as_printed(grid: &Grid, source: NodeId) -> Option<Plan> {
    let small = grid.nodes() <= LARGEST_PRINTED;
    let cube = (small && is_defined(grid, source)).then(|| Cube::new(grid, source, Fit::Companions))?;
    let order = (0..cube.bits()).map(|bit| 1 << bit).collect();
    Some(complete(halving(cube, order), CompanionScheme::Bidirectional))
}

/// Distributes along the column of the source, then along the rows, and then exchanges. The bits of
/// the packets' numbers belong to the bits of the index in `order`.
fn halving(cube: Cube, order: Vec<u32>) -> Schedule {
    let bits = cube.bits();
    let mut schedule = Schedule::new(cube, order);
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..bits).rev().map(|bit| 1 << bit));
    farthest_first(&mut schedule);
    schedule
}
