//! ST, the spanning tree broadcast of linear arrays and meshes (\[SEIDEL\] sections 3.1 and 3.2).
//! It is recursive doubling, over the longest distance first. It uses as many interleaved arrays or
//! meshes as links carry messages in parallel.

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, complete};
use super::cube::{Cube, Fit};
use super::dimensional_exchange::in_order;
use super::distribute::distribute;
use super::entrance::{entrance, fit, is_defined, width};
use super::schedule::{Schedule, Tree};
use super::trim::trim;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use wormscope_network::Grid;

pub(crate) const NAME: &str = "st";
/// Name of the algorithm of five phases.
pub(crate) const SIMPLE: &str = "st_simple";

/// Plans the "better" algorithm of section 3.2.2 on a mesh.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, nu) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, fit(grid, nu));
    Ok(trim(complete(line_or_mesh(cube, nu), CompanionScheme::cheaper(request.parameters))))
}

/// The schedule of the paper, in which partners also swap pieces that both have. `None` except for
/// linear arrays and 2-D meshes and one of their nodes. Sizes that are no powers of two use
/// companions. ST serves the companions of a mesh.
#[must_use]
pub fn as_printed(grid: &Grid, source: NodeId, nu: u32) -> Option<Plan> {
    is_defined(grid, source)
        .then(|| complete(line_or_mesh(Cube::new(grid, source, Fit::Companions), nu), CompanionScheme::SpanningTree))
}

fn line_or_mesh(cube: Cube, nu: u32) -> Schedule {
    if cube.is_line() { line(cube, nu) } else { mesh(cube, nu) }
}

/// Plans the algorithm of five phases on a mesh. With `nu = 0` it is the simple one of section
/// 3.2.1.
pub(crate) fn plan_simple(request: &Request) -> Result<Plan, Refusal> {
    let (grid, nu) = entrance(request, SIMPLE)?;
    let fit = if nu == 0 { Fit::VirtualNodes } else { Fit::Companions };
    let cube = Cube::new(grid, request.source, fit);
    let schedule = if cube.is_line() { line(cube, nu) } else { five_phases(cube, nu) };
    Ok(trim(complete(schedule, CompanionScheme::cheaper(request.parameters))))
}

/// A linear array (sections 3.1 and 4). The message is distributed among the `2^nu` nodes around
/// the source, copied over `2^nu` interleaved arrays, and exchanged.
pub(super) fn line(cube: Cube, nu: u32) -> Schedule {
    let (bits, nu) = (cube.bits(), width(nu, cube.bits()));
    let mut schedule = Schedule::new(cube, (0..nu).map(|bit| 1 << bit).collect());
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..nu).rev().chain((nu..bits).rev()).map(|bit| 1 << bit));
    in_order(&mut schedule);
    schedule
}

/// A mesh (section 3.2.2, "better"). First the message is distributed in the block of `2^nu` x
/// `2^nu` nodes around the source, which has one node for each submesh. Each submesh distributes to
/// the 2 x 2 nodes around its source, copies over four quarter meshes, and exchanges in 2 x 2
/// nodes. Then the blocks exchange.
pub(super) fn mesh(cube: Cube, nu: u32) -> Schedule {
    let nu = width(nu, cube.columns.bits.min(cube.rows.bits));
    let order = block_order(&cube, nu);
    let root = block_roots(&cube, nu);
    let corner = [cube.row_bit(nu), cube.column_bit(nu)];
    let mut schedule = Schedule::new(cube, order);
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, root.into_iter().chain(corner));
    alternate(&mut schedule, &mut trees, nu);
    in_order(&mut schedule);
    schedule
}

/// A mesh in five phases (section 3.2.2). The message is distributed and copied along one dimension
/// and then along the other. Then all nodes exchange at once. With `nu = 0` this is the simple
/// algorithm of section 3.2.1. The shorter dimension goes first, which costs less.
pub(super) fn five_phases(cube: Cube, nu: u32) -> Schedule {
    let (columns, rows) = (cube.columns.bits, cube.rows.bits);
    let nu = width(nu, columns.min(rows));
    let column_bits: Vec<u32> = (0..columns).map(|bit| cube.column_bit(bit)).collect();
    let row_bits: Vec<u32> = (0..rows).map(|bit| cube.row_bit(bit)).collect();
    let (first, then) = if rows <= columns { (row_bits, column_bits) } else { (column_bits, row_bits) };
    let (near, far) = (|bits: &[u32]| bits[..nu as usize].to_vec(), |bits: &[u32]| bits[nu as usize..].to_vec());
    let mut schedule = Schedule::new(cube, [near(&then), near(&first)].concat());
    let mut trees = [schedule.root()];
    for bits in [near(&first), far(&first), near(&then), far(&then)] {
        distribute(&mut schedule, &mut trees, bits.into_iter().rev());
    }
    in_order(&mut schedule);
    schedule
}

/// Bits of the packets' numbers in the mesh algorithms: first the bits of the 2 x 2 nodes, then the
/// bits of the block. Each has columns first, then rows.
pub(super) fn block_order(cube: &Cube, nu: u32) -> Vec<u32> {
    let columns = (0..nu).map(|bit| cube.column_bit(bit));
    let rows = (0..nu).map(|bit| cube.row_bit(bit));
    [cube.column_bit(nu), cube.row_bit(nu)].into_iter().chain(columns).chain(rows).collect()
}

/// The bits across which a message is distributed in the block of the source.
pub(super) fn block_roots(cube: &Cube, nu: u32) -> Vec<u32> {
    let rows = (0..nu).rev().map(|bit| cube.row_bit(bit));
    rows.chain((0..nu).rev().map(|bit| cube.column_bit(bit))).collect()
}

/// Copies in four interleaved quarter meshes. Nodes of one colour of the chequerboard send along
/// their columns and then their rows. Other nodes send along rows first. The shorter dimension
/// waits, so that both end together.
pub(super) fn alternate(schedule: &mut Schedule, trees: &mut [Tree], nu: u32) {
    let (columns, rows) = (schedule.cube.columns.bits, schedule.cube.rows.bits);
    let longer = columns.max(rows) - 1;
    for turn in 0..2 {
        for bit in (nu + 1..=longer).rev() {
            schedule.grow(trees, |cube, index| {
                let (column, row) = cube.split(index);
                let vertical = (column >> nu ^ row >> nu ^ turn) & 1 == 0;
                match vertical {
                    true if bit < rows => cube.row_bit(bit),
                    false if bit < columns => cube.column_bit(bit),
                    _ => 0,
                }
            });
        }
    }
}
