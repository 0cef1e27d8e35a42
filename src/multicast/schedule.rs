//! Schedule: messages between the indices of a cube, step by step (\[SEIDEL\] section 3).
//!
//! The message is split into packets. Each bit of a packet's number belongs to a bit of the index: a node's own packets are those
//! whose number has, in these bits, what its index has. Distributing fixes the bits one after the other, exchanging frees them.

use std::ops::Range;

use wormscope_hw::NodeId;

use super::cube::Cube;
use super::plan::{Plan, Send, Task, ranges};
use crate::config::Encoding;

/// Holders of the same packets, or of the same share of them: a spanning tree as far as it has grown.
pub(super) struct Tree {
    /// Indices that have been reached.
    pub holders: Vec<u32>,
    /// Bits of a packet's number in which a holder's packets agree.
    pub fixed: u32,
    /// What they have in those of these bits that belong to no bit of the index.
    pub tag: u32,
}

pub(super) struct Schedule {
    pub cube: Cube,
    /// By bit of a packet's number, the bit of the index it belongs to, 0 for none.
    order: Vec<u32>,
    /// Packet p is the pieces from the p-th of these to the next.
    starts: Vec<u32>,
    /// A bit for every piece and node: the node has it or is being sent it.
    held: Vec<u64>,
    /// Words of `held` a node.
    words: usize,
    step: u32,
    sends: Vec<Send>,
    source: NodeId,
}

impl Schedule {
    /// The source has everything, in `2^order.len()` packets of one piece each.
    pub(super) fn new(cube: Cube, order: Vec<u32>) -> Self {
        let starts = (0..=1 << order.len()).collect();
        Self::of_pieces(cube, order, starts)
    }

    /// The source has everything, in packets of the pieces between `starts`.
    pub(super) fn of_pieces(cube: Cube, order: Vec<u32>, starts: Vec<u32>) -> Self {
        let mut schedule = Self::empty(cube, order, starts);
        schedule.hold(schedule.source, 0..schedule.pieces());
        schedule
    }

    /// Nobody has anything yet.
    pub(super) fn empty(cube: Cube, order: Vec<u32>, starts: Vec<u32>) -> Self {
        debug_assert_eq!(starts.len(), (1 << order.len()) + 1);
        let source = cube.node(cube.source);
        let words = starts[starts.len() - 1].div_ceil(u64::BITS) as usize;
        let held = vec![0; words * cube.nodes() as usize];
        Self { cube, order, starts, held, words, step: 0, sends: Vec::new(), source }
    }

    /// Number of pieces.
    pub(super) fn pieces(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    /// The tree that is only its root, the source, with everything.
    pub(super) fn root(&self) -> Tree {
        Tree { holders: vec![self.cube.source], fixed: 0, tag: 0 }
    }

    /// Bits of the index that bits of a packet's number belong to, in their order, lowest first.
    pub(super) fn order(&self) -> Vec<u32> {
        self.order.iter().copied().filter(|&bit| bit != 0).collect()
    }

    /// Bit of a packet's number that belongs to a bit of the index, 0 for none.
    pub(super) fn packet_bit(&self, bit: u32) -> u32 {
        self.order.iter().position(|&b| b == bit).map_or(0, |at| 1 << at)
    }

    /// All bits of a packet's number that belong to bits of the index.
    pub(super) fn bound(&self) -> u32 {
        self.order.iter().enumerate().filter(|&(_, &bit)| bit != 0).map(|(at, _)| 1 << at).sum()
    }

    /// What the number of a node's own packets has in the bits that belong to bits of its index.
    pub(super) fn own(&self, index: u32) -> u32 {
        self.order.iter().enumerate().map(|(at, &bit)| u32::from(index & bit != 0) << at).sum()
    }

    /// One step of growth: every holder sends across `way` (0: it does not send) what is the receiver's share.
    pub(super) fn grow(&mut self, trees: &mut [Tree], way: impl Fn(&Cube, u32) -> u32) {
        for tree in trees {
            for i in 0..tree.holders.len() {
                let from = tree.holders[i];
                let to = from ^ way(&self.cube, from);
                if to != from {
                    self.send(from, to, self.own(to) | tree.tag, tree.fixed);
                    tree.holders.push(to);
                }
            }
        }
        self.end_step();
    }

    /// Sends the packets whose number agrees with `like` in the bits of `fixed`.
    pub(super) fn send(&mut self, from: u32, to: u32, like: u32, fixed: u32) {
        let all = (1 << self.order.len()) - 1;
        // Numbers in a row differ in the bits below the lowest fixed one; the free bits above count the rows.
        let row = 1 << fixed.trailing_zeros().min(self.order.len() as u32);
        let above = all & !fixed & !(row - 1);
        let mut packets = Vec::new();
        let mut count = 0_u32;
        loop {
            let first = (like & fixed | count) as usize;
            packets.push(self.starts[first]..self.starts[first + row as usize]);
            count = count.wrapping_sub(above) & above;
            if count == 0 {
                break;
            }
        }
        let (from, to) = (self.cube.node(from), self.cube.node(to));
        self.send_pieces(from, to, packets);
    }

    /// Sends those of the pieces that the receiver does not have and is not being sent; none of them, no message.
    pub(super) fn send_pieces(&mut self, from: NodeId, to: NodeId, pieces: impl IntoIterator<Item = Range<u32>>) {
        let held = &self.held[to.index() * self.words..][..self.words];
        let missing = ranges(pieces.into_iter().flat_map(|range| zeros(held, range)));
        if from == to || missing.is_empty() {
            return;
        }
        for range in &missing {
            self.hold(to, range.clone());
        }
        self.sends.push(Send { from, to: Box::new([to]), encoding: Encoding::Unicast, pieces: missing, step: self.step });
    }

    /// Notes that a node has pieces.
    pub(super) fn hold(&mut self, node: NodeId, pieces: Range<u32>) {
        let held = &mut self.held[node.index() * self.words..][..self.words];
        for word in pieces.start / 64..pieces.end.div_ceil(64) {
            held[word as usize] |= window(word, &pieces);
        }
    }

    /// The next sends are of the next step, if this one has any.
    pub(super) fn end_step(&mut self) {
        if self.sends.last().is_some_and(|send| send.step == self.step) {
            self.step += 1;
        }
    }

    /// The plan that serves everybody.
    pub(super) fn finish(self, task: Task) -> Plan {
        let nodes = (0..self.cube.nodes()).map(NodeId);
        let destinations = nodes.filter(|&node| node != self.source).collect();
        Plan { task, source: self.source, destinations, pieces: self.pieces(), sends: self.sends }
    }
}

/// Bits of a word that are pieces of a range.
fn window(word: u32, pieces: &Range<u32>) -> u64 {
    let low = pieces.start.saturating_sub(word * 64);
    let high = (pieces.end - word * 64).min(64);
    (u64::MAX >> (64 - high)) & (u64::MAX << low)
}

/// The runs of zeros in a range of bits, broken at words.
fn zeros(held: &[u64], range: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let words = if range.is_empty() { 0..0 } else { range.start / 64..range.end.div_ceil(64) };
    words.flat_map(move |word| {
        let mut left = window(word, &range) & !held[word as usize];
        std::iter::from_fn(move || {
            let low = left.trailing_zeros();
            let run = left.checked_shr(low)?.trailing_ones();
            // Clears the run; adding its lowest bit carries over it.
            left &= left.checked_add(1 << low).unwrap_or(0);
            Some(word * 64 + low..word * 64 + low + run)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_zeros_are_those_found_bit_by_bit() {
        let words = [0, u64::MAX, 0x8000_0000_0000_0001, 0x0F0F_0000_FFFF_00F0, 1 << 63, 1];
        for (a, b) in words.into_iter().flat_map(|a| words.map(|b| (a, b))) {
            let held = [a, b];
            for start in 0..128_u32 {
                for end in start..=128 {
                    let bits = (start..end).filter(|&i| held[i as usize / 64] >> (i % 64) & 1 == 0);
                    assert_eq!(ranges(zeros(&held, start..end)), ranges(bits.map(|i| i..i + 1)), "{a:x} {b:x} {start}..{end}");
                }
            }
        }
    }
}
