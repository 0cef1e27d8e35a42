//! BST, the bidirectional spanning tree broadcast of linear arrays and meshes (\[SEIDEL\] sections
//! 3.3 and 3.4). Half of the message spreads from the source. The other half spreads from the
//! opposite end, in the opposite direction.

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, complete};
use super::cube::{Cube, Fit};
use super::dimensional_exchange::in_order;
use super::distribute::distribute;
use super::entrance::{entrance, fit, is_defined, is_line, width};
use super::schedule::{Schedule, Tree};
use super::st::{alternate, block_order, block_roots};
use super::trim::trim;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use wormscope_network::Grid;

pub(crate) const NAME: &str = "bst";
/// Name of the algorithm that takes a mesh as a line.
pub(crate) const SIMPLE: &str = "bst_simple";

/// Plans the "better" algorithm of section 3.4.2 on a mesh.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, nu) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, fit(grid, nu));
    Ok(trim(complete(line_or_mesh(cube, nu), CompanionScheme::cheaper(request.parameters))))
}

/// The schedule of the paper, in which partners also swap pieces that both have. `None` except for
/// linear arrays and 2-D meshes and one of their nodes. Sizes that are no powers of two use
/// companions. BST serves the companions of a mesh.
#[must_use]
pub fn as_printed(grid: &Grid, source: NodeId, nu: u32) -> Option<Plan> {
    is_defined(grid, source)
        .then(|| complete(line_or_mesh(Cube::new(grid, source, Fit::Companions), nu), CompanionScheme::Bidirectional))
}

fn line_or_mesh(cube: Cube, nu: u32) -> Schedule {
    if cube.is_line() { line(cube, nu) } else { mesh(cube, nu) }
}

/// Plans the simple algorithm of section 3.4.1 on a mesh, which is for `nu = 0`.
pub(crate) fn plan_simple(request: &Request) -> Result<Plan, Refusal> {
    let (grid, nu) = entrance(request, SIMPLE)?;
    let nu = if is_line(grid) { nu } else { 0 };
    let fit = if nu == 0 { Fit::VirtualNodes } else { Fit::Companions };
    Ok(trim(complete(line(Cube::new(grid, request.source, fit), nu), CompanionScheme::cheaper(request.parameters))))
}

/// A linear array (sections 3.3 and 4.3), or a mesh taken as one line of all its rows (section
/// 3.4.1, equation 9). First the packets are distributed among the `2^nu` nodes around the source,
/// and each is halved. Even nodes of the interleaved nodes copy the first halves, and odd nodes
/// copy the second halves.
pub(super) fn line(cube: Cube, nu: u32) -> Schedule {
    let (bits, nu) = (cube.bits(), width(nu, cube.bits()));
    let half = 1 << nu;
    let mut schedule = Schedule::new(cube, [half].into_iter().chain((0..nu).map(|bit| 1 << bit)).collect());
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..nu).rev().map(|bit| 1 << bit));
    trees[0].fixed |= schedule.packet_bit(half);
    // The other end is the complement of all bits from nu on.
    let opposite = (1 << bits) - half;
    schedule.grow(&mut trees, |_, _| opposite);
    distribute(&mut schedule, &mut trees, (nu + 1..bits).rev().map(|bit| 1 << bit));
    in_order(&mut schedule);
    schedule
}

/// A mesh (section 3.4.2, "better"). It works as ST, with one difference. In each submesh the odd
/// packets first go to the corner opposite to its source, and spread from there.
pub(super) fn mesh(cube: Cube, nu: u32) -> Schedule {
    let nu = width(nu, cube.columns.bits.min(cube.rows.bits));
    let order = [0].into_iter().chain(block_order(&cube, nu)).collect();
    let roots = block_roots(&cube, nu);
    let corner = [cube.row_bit(nu), cube.column_bit(nu)];
    let from = |bit: u32, axis: u32| ((1 << axis) - 1) & !((1 << bit) - 1);
    let opposite = from(nu, cube.columns.bits) | from(nu, cube.rows.bits) << cube.columns.bits;
    let mut schedule = Schedule::new(cube, order);
    let mut here = [schedule.root()];
    distribute(&mut schedule, &mut here, roots);
    let [mut even] = here;
    even.fixed |= 1;
    // The odd packets leave. From here on, this tree spreads the even packets.
    let mut odd = Tree { holders: even.holders.clone(), fixed: even.fixed, tag: 1 };
    schedule.grow(std::slice::from_mut(&mut odd), |_, _| opposite);
    odd.holders.drain(..even.holders.len());
    let mut trees = [even, odd];
    distribute(&mut schedule, &mut trees, corner);
    alternate(&mut schedule, &mut trees, nu);
    in_order(&mut schedule);
    schedule
}
