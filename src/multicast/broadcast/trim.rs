//! Trims a schedule, so that no node is sent a piece that it has.
//!
//! In \[SEIDEL\] partners swap all pieces that they have. One of them may already have had some.
//! Such partners are the source, nodes that packets passed on their way from the source, and nodes
//! that play virtual nodes. A plan delivers every piece once.

use std::ops::Range;
use std::slice::from_ref;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use wormscope_hw::NodeId;

use crate::plan::{Plan, Task, ranges};

/// The plan without pieces that receivers have or get in the same step. Steps that become empty are
/// left out.
pub(super) fn trim(mut plan: Plan) -> Plan {
    let mut holdings = Holdings::new(&plan);
    let (mut step, mut last) = (0, None);
    plan.sends.retain_mut(|send| {
        if let Some(held) = holdings.of(send.to[0]) {
            if send.pieces.iter().any(|range| held[bits(range)].any()) {
                send.pieces = ranges(send.pieces.iter().flat_map(|range| zeros(held, range)));
            }
            if send.pieces.is_empty() {
                return false;
            }
            take(held, &send.pieces);
        }
        step += u32::from(last.is_some_and(|last| last != send.step));
        last = Some(send.step);
        send.step = step;
        true
    });
    plan
}

/// Pieces of each node, one bit for each.
struct Holdings {
    held: BitVec<u64>,
    /// Number of bits of a node.
    pieces: usize,
    /// Row of the bits of each node; `None` for a node that gets no piece twice anyway.
    rows: Vec<Option<u32>>,
}

impl Holdings {
    fn new(plan: &Plan) -> Self {
        let mut gets = vec![0; plan.destinations.len() + 1];
        let homes: &[NodeId] = if let Task::Allgather(home) = &plan.task { home } else { &[] };
        for node in homes {
            gets[node.index()] += 1;
        }
        for send in &plan.sends {
            gets[send.to[0].index()] += send.pieces.iter().map(|range| range.end - range.start).sum::<u32>();
        }
        // If a node gets as many pieces as exist, and has all pieces in the end, it gets no piece
        // twice.
        let all = if matches!(plan.task, Task::Scatter(_)) { 0 } else { plan.pieces };
        gets[plan.source.index()] += plan.pieces;
        let mut count = 0;
        let mut row = |gets: u32| {
            let row = count;
            count += u32::from(gets > all);
            (gets > all).then_some(row)
        };
        let rows = gets.into_iter().map(&mut row).collect();
        let pieces = plan.pieces as usize;
        let mut holdings = Self { held: BitVec::repeat(false, pieces * count as usize), pieces, rows };
        for (&node, piece) in homes.iter().zip(0..) {
            if let Some(held) = holdings.of(node) {
                take(held, from_ref(&(piece..piece + 1)));
            }
        }
        if let (true, Some(held)) = (homes.is_empty(), holdings.of(plan.source)) {
            take(held, from_ref(&(0..plan.pieces)));
        }
        holdings
    }

    /// Bits of a node.
    fn of(&mut self, node: NodeId) -> Option<&mut BitSlice<u64>> {
        let row = self.rows[node.index()]? as usize;
        Some(&mut self.held[row * self.pieces..][..self.pieces])
    }
}

/// Sets the bits of pieces.
fn take(held: &mut BitSlice<u64>, pieces: &[Range<u32>]) {
    for range in pieces {
        held[bits(range)].fill(true);
    }
}

fn bits(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Runs of zeros in a range of bits.
fn zeros(held: &BitSlice<u64>, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let (mut left, mut at) = (&held[bits(range)], range.start);
    std::iter::from_fn(move || {
        let ones = left.leading_ones();
        let behind = &left[ones..];
        let zeros = behind.leading_zeros();
        let first = at + ones as u32;
        (left, at) = (&behind[zeros..], first + zeros as u32);
        (zeros > 0).then_some(first..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_zeros_are_those_found_bit_by_bit() {
        let words: [u64; 6] = [0, u64::MAX, 0x8000_0000_0000_0001, 0x0F0F_0000_FFFF_00F0, 1 << 63, 1];
        for (a, b) in words.into_iter().flat_map(|a| words.map(|b| (a, b))) {
            let held = BitVec::from_slice(&[a, b]);
            for start in 0..128_u32 {
                for end in start..=128 {
                    let bits = (start..end).filter(|&i| !held[i as usize]);
                    assert_eq!(
                        ranges(zeros(&held, &(start..end))),
                        ranges(bits.map(|i| i..i + 1)),
                        "{a:x} {b:x} {start}..{end}"
                    );
                }
            }
        }
    }
}
