//! Allgather: every node has a piece, everybody gets all of them, the dimensional exchange of
//! \[SEIDEL\] sections 3.5 and 3.6 over the whole network. The source of the request is a node like
//! any other.
//!
//! Other sizes than powers of two by companions, which hand their pieces in first. Pieces are
//! numbered in the order in which they come together, so that messages on an array are pieces in a
//! row.

use std::iter::once;

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, blocks, serve};
use super::cube::{Cube, Fit};
use super::dimensional_exchange::{far_to_near, farthest_first};
use super::entrance::entrance;
use super::schedule::Schedule;
use super::trim::trim;
use crate::plan::{Plan, Request, Task, ranges};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "allgather";

/// Arrays and meshes of any size.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, _) = entrance(request, NAME)?;
    let cube = Cube::new(grid, request.source, Fit::Companions);
    let order = far_to_near(&cube);
    let blocks = blocks(&cube);
    // A packet is the pieces of a node and of its companions.
    let mut starts = vec![0];
    let mut home: Vec<NodeId> = Vec::new();
    for packet in 0..cube.len() {
        let bits = order.iter().enumerate().filter(|&(at, _)| packet >> at & 1 == 1);
        let index: u32 = bits.map(|(_, &bit)| bit).sum();
        home.extend(blocks[index as usize].iter().flatten());
        starts.push(home.len() as u32);
    }
    let mut number = vec![0; home.len()];
    let mut schedule = Schedule::of_pieces(cube, order, starts);
    for (&node, piece) in home.iter().zip(0..) {
        number[node.index()] = piece;
    }
    // Companions hand in: first along the rows, then those below with what they have got.
    for hands_in in [[(1, 0), (3, 2)].as_slice(), &[(2, 0)]] {
        for (block, &(from, to)) in blocks.iter().flat_map(|block| hands_in.iter().map(move |way| (block, way))) {
            if let (Some(from), Some(to)) = (block[from], block[to]) {
                let first = number[from.index()];
                let count = 1 + u32::from(hands_in.len() == 1 && block[3].is_some());
                schedule.send_pieces(from, to, ranges(once(first..first + count)));
            }
        }
        schedule.end_step();
    }
    farthest_first(&mut schedule);
    serve(&mut schedule, CompanionScheme::SpanningTree);
    Ok(trim(schedule.finish(Task::Allgather(home.into()))))
}
