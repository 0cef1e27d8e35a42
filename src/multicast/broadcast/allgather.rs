//! Allgather: every node has a piece, and all nodes get all pieces. It is the dimensional exchange
//! of \[SEIDEL\] sections 3.5 and 3.6 over the whole network. The source of the request is a node
//! like any other.
//!
//! Sizes that are no powers of two have companions, which send their pieces first. Pieces are
//! numbered in the order in which they come together. So messages on an array are pieces in a row.

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

/// Plans for arrays and meshes of any size.
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
    // Companions send their pieces: first along the rows, then from the row below with the pieces
    // it got.
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
