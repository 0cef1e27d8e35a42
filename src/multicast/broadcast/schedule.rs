//! Schedule: messages between the indices of a cube, step by step (\[SEIDEL\] section 3).
//!
//! The message is split into packets. Each bit of a packet's number belongs to a bit of the index.
//! A node's own packets have, in these bits of their number, the bits of the node's index.
//! Distributing fixes the bits one after the other, and exchanging frees them.

use smallvec::smallvec;
use wormscope_hw::{Encoding, NodeId};

use super::cube::Cube;
use crate::plan::{Pieces, Plan, Send, Task, ranges};

/// Holders of the same packets, or of the same share of them. The holders are the part of a
/// spanning tree that has grown so far.
pub(super) struct Tree {
    /// Indices that have been reached.
    pub holders: Vec<u32>,
    /// Bits of a packet's number in which a holder's packets agree.
    pub fixed: u32,
    /// Fixed bits of the packets' numbers that belong to no bit of the index.
    pub tag: u32,
}

pub(super) struct Schedule {
    pub cube: Cube,
    /// For each bit of a packet's number, the bit of the index to which it belongs, or 0.
    order: Vec<u32>,
    /// The node at each index.
    nodes: Vec<NodeId>,
    /// For each index, the bits of its own packets' numbers that belong to bits of the index.
    own: Vec<u32>,
    /// First piece of each packet. Packet p has the pieces from entry p to entry p + 1.
    starts: Vec<u32>,
    step: u32,
    sends: Vec<Send>,
}

impl Schedule {
    /// A schedule without sends, in which a packet is one piece.
    pub(super) fn new(cube: Cube, order: Vec<u32>) -> Self {
        let starts = (0..=1 << order.len()).collect();
        Self::of_pieces(cube, order, starts)
    }

    /// A schedule without sends, in which a packet is the pieces from one of `starts` to the next.
    pub(super) fn of_pieces(cube: Cube, order: Vec<u32>, starts: Vec<u32>) -> Self {
        debug_assert_eq!(starts.len(), (1 << order.len()) + 1);
        let own = |index| order.iter().enumerate().map(|(at, &bit)| u32::from(index & bit != 0) << at).sum();
        let own = (0..cube.len()).map(own).collect();
        let nodes = (0..cube.len()).map(|index| cube.node(index)).collect();
        Self { cube, order, nodes, own, starts, step: 0, sends: Vec::new() }
    }

    /// Number of pieces.
    pub(super) fn pieces(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    /// The tree with only its root: the source, which has all packets.
    pub(super) fn root(&self) -> Tree {
        Tree { holders: vec![self.cube.source], fixed: 0, tag: 0 }
    }

    /// Bits of the index that the bits of a packet's number belong to, lowest bit first.
    pub(super) fn order(&self) -> Vec<u32> {
        self.order.iter().copied().filter(|&bit| bit != 0).collect()
    }

    /// The bit of a packet's number that belongs to a bit of the index, or 0.
    pub(super) fn packet_bit(&self, bit: u32) -> u32 {
        self.order.iter().position(|&b| b == bit).map_or(0, |at| 1 << at)
    }

    /// All bits of a packet's number that belong to bits of the index.
    pub(super) fn bound(&self) -> u32 {
        self.order.iter().enumerate().filter(|&(_, &bit)| bit != 0).map(|(at, _)| 1 << at).sum()
    }

    /// Grows the trees by one step. Every holder sends the share of its partner across dimension
    /// `way`. With 0 it does not send.
    pub(super) fn grow(&mut self, trees: &mut [Tree], way: impl Fn(&Cube, u32) -> u32) {
        for tree in trees {
            for i in 0..tree.holders.len() {
                let from = tree.holders[i];
                let to = from ^ way(&self.cube, from);
                if to != from {
                    self.send(from, to, self.own[to as usize] | tree.tag, tree.fixed);
                    tree.holders.push(to);
                }
            }
        }
        self.end_step();
    }

    /// Sends the packets whose numbers agree with the number of the node in the bits of `fixed`.
    pub(super) fn send_like_own(&mut self, from: u32, to: u32, fixed: u32) {
        self.send(from, to, self.own[from as usize], fixed);
    }

    /// Sends the packets whose numbers agree with `like` in the bits of `fixed`.
    fn send(&mut self, from: u32, to: u32, like: u32, fixed: u32) {
        let all = (1 << self.order.len()) - 1;
        // Numbers in a row differ in the bits below the lowest fixed bit. The free bits above it
        // count the rows.
        let row = 1 << fixed.trailing_zeros().min(self.order.len() as u32);
        let above = all & !fixed & !(row - 1);
        let next = |count: &u32| Some(count.wrapping_sub(above) & above).filter(|&count| count != 0);
        let pieces = ranges(std::iter::successors(Some(0), next).map(|count| {
            let first = like & fixed | count;
            self.starts[first as usize]..self.starts[(first + row) as usize]
        }));
        self.send_pieces(self.nodes[from as usize], self.nodes[to as usize], pieces);
    }

    /// Sends pieces, unless there are none or the receiver is the sender.
    pub(super) fn send_pieces(&mut self, from: NodeId, to: NodeId, pieces: Pieces) {
        if from != to && !pieces.is_empty() {
            self.sends.push(Send { from, to: smallvec![to], encoding: Encoding::Unicast, pieces, step: self.step });
        }
    }

    /// Ends this step, if it has any sends.
    pub(super) fn end_step(&mut self) {
        if self.sends.last().is_some_and(|send| send.step == self.step) {
            self.step += 1;
        }
    }

    /// The plan, in which all nodes are served.
    pub(super) fn finish(self, task: Task) -> Plan {
        let source = self.cube.node(self.cube.source);
        let destinations = (0..self.cube.nodes()).map(NodeId).filter(|&node| node != source).collect();
        Plan { task, source, destinations, pieces: self.pieces(), sends: self.sends }
    }
}
