//! Trims a schedule: no node is sent what it has.
//!
//! In \[SEIDEL\] partners swap all they have, even where one of them had more to begin with: the source, those that packets passed on
//! the way out of it, and nodes that play virtual ones. A plan delivers every piece once.

use std::ops::Range;

use wormscope_hw::NodeId;

use super::plan::{Plan, Task, ranges};

/// The plan without what receivers have or are being sent in the same step, and without the steps that leaves empty.
pub(super) fn trim(mut plan: Plan) -> Plan {
    let mut holdings = Holdings::new(&plan);
    let (mut step, mut last) = (0, None);
    plan.sends.retain_mut(|send| {
        let to = send.to[0];
        send.pieces = holdings.take(to, &send.pieces);
        if send.pieces.is_empty() {
            return false;
        }
        step += u32::from(last.is_some_and(|last| last != send.step));
        last = Some(send.step);
        send.step = step;
        true
    });
    plan
}

/// A bit for every node and piece.
struct Holdings {
    held: Vec<u64>,
    /// Words a node.
    words: usize,
}

impl Holdings {
    fn new(plan: &Plan) -> Self {
        let words = plan.pieces.div_ceil(u64::BITS) as usize;
        let mut holdings = Self { held: vec![0; words * (plan.destinations.len() + 1)], words };
        match &plan.task {
            Task::Multicast | Task::Scatter(_) => drop(holdings.take(plan.source, &[0..plan.pieces])),
            Task::Allgather(home) => {
                for (&node, piece) in home.iter().zip(0..) {
                    holdings.take(node, &[piece..piece + 1]);
                }
            }
        }
        holdings
    }

    /// A node gets pieces: those it did not have.
    fn take(&mut self, node: NodeId, pieces: &[Range<u32>]) -> super::Pieces {
        let held = &mut self.held[node.index() * self.words..][..self.words];
        let missing = ranges(pieces.iter().flat_map(|range| zeros(held, range.clone())));
        for range in &missing {
            for word in range.start / 64..range.end.div_ceil(64) {
                held[word as usize] |= window(word, range);
            }
        }
        missing
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
