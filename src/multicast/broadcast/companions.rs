//! Companions: nodes beyond the next lower power of two. Companions get the message last, each from
//! its neighbour (\[SEIDEL\] section 5.2).

use std::ops::Range;

use wormscope_hw::NodeId;

use super::cube::Cube;
use super::schedule::Schedule;
use crate::Parameters;
use crate::plan::{Plan, Task, ranges};

/// The way in which the nodes of a mesh serve their companions, up to three each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompanionScheme {
    /// Spanning tree on 2 x 2 nodes: two steps of the whole message.
    SpanningTree,
    /// Bidirectional spanning tree on 2 x 2 nodes: three steps, each with half of the message.
    Bidirectional,
}

impl CompanionScheme {
    /// The scheme that costs less.
    pub(super) fn cheaper(parameters: &Parameters) -> Self {
        let time = |bytes| parameters.costs.end(bytes);
        let (whole, half) = (parameters.bytes, parameters.bytes / 2.0);
        if 3.0 * time(half) < 2.0 * time(whole) { Self::Bidirectional } else { Self::SpanningTree }
    }
}

/// The plan of a broadcast that also serves the companions.
pub(super) fn complete(mut schedule: Schedule, service: CompanionScheme) -> Plan {
    // A message that is not split has no halves.
    let service = if schedule.pieces() == 1 { CompanionScheme::SpanningTree } else { service };
    serve(&mut schedule, service);
    schedule.finish(Task::Multicast)
}

/// A node, the companion in its row, the companion in its column, and the companion in neither.
pub(super) type Quad = [Option<NodeId>; 4];

/// The blocks, by index.
pub(super) fn blocks(cube: &Cube) -> Vec<Quad> {
    let block = |index| {
        let (column, row) = cube.split(index);
        let (x, y) = (Some(cube.columns.place(column)), Some(cube.rows.place(row)));
        let (right, below) = (cube.columns.companion(column), cube.rows.companion(row));
        [(x, y), (right, y), (x, below), (right, below)].map(|(x, y)| Some(cube.at(x?, y?)))
    };
    (0..cube.len()).map(block).collect()
}

/// Sends pieces from one place of every block to another place, if both places exist.
pub(super) fn within(schedule: &mut Schedule, blocks: &[Quad], from: usize, to: usize, pieces: &Range<u32>) {
    for block in blocks {
        if let (Some(from), Some(to)) = (block[from], block[to]) {
            schedule.send_pieces(from, to, ranges(Some(pieces.clone())));
        }
    }
}

/// Lets nodes send the companions the pieces that they lack. This takes one step if only rows or
/// only columns have companions.
pub(super) fn serve(schedule: &mut Schedule, service: CompanionScheme) {
    let blocks = blocks(&schedule.cube);
    let all = 0..schedule.pieces();
    let both = schedule.cube.columns.has_companions() && schedule.cube.rows.has_companions();
    if service == CompanionScheme::SpanningTree || !both {
        within(schedule, &blocks, 0, 2, &all);
        schedule.end_step();
        within(schedule, &blocks, 0, 1, &all);
        within(schedule, &blocks, 2, 3, &all);
        schedule.end_step();
        return;
    }
    let (first, second) = (0..all.end / 2, all.end / 2..all.end);
    // A block of two has no opposite corner. Its one companion gets both halves from the node.
    let (full, pairs): (Vec<Quad>, Vec<Quad>) = blocks.iter().partition(|block| block[3].is_some());
    within(schedule, &full, 0, 3, &second);
    within(schedule, &pairs, 0, 1, &second);
    within(schedule, &pairs, 0, 2, &second);
    schedule.end_step();
    within(schedule, &blocks, 0, 2, &first);
    within(schedule, &full, 3, 1, &second);
    schedule.end_step();
    within(schedule, &blocks, 0, 1, &first);
    within(schedule, &full, 2, 3, &first);
    within(schedule, &full, 3, 2, &second);
    schedule.end_step();
}
