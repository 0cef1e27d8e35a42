//! Scatter: every node gets a different piece. Scatter is the distribute operation of \[SEIDEL\]
//! section 3.1.1 over the whole network.
//!
//! Piece p is for node p. Sizes that are no powers of two use virtual nodes, which get no pieces.

use wormscope_hw::NodeId;

use super::cube::{Cube, Fit};
use super::distribute::distribute;
use super::entrance::entrance;
use super::schedule::Schedule;
use super::trim::trim;
use crate::plan::{Plan, Request, Task};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "scatter";

/// Plans for arrays and meshes of any size: along the column of the source, then along the rows.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, _) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, Fit::VirtualNodes);
    let (nodes, bits) = (cube.nodes(), cube.bits());
    let mut starts = vec![0];
    starts.extend((0..cube.len()).scan(0, |pieces, index| {
        *pieces += u32::from(cube.is_real(index));
        Some(*pieces)
    }));
    let mut schedule = Schedule::of_pieces(cube, (0..bits).map(|bit| 1 << bit).collect(), starts);
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..bits).rev().map(|bit| 1 << bit));
    Ok(trim(schedule.finish(Task::Scatter((0..nodes).map(NodeId).collect()))))
}
