//! Trims a schedule: no node is sent what it has.
//!
//! In \[SEIDEL\] partners swap all they have, even where one of them had more to begin with: the
//! source, those that packets passed on the way out of it, and nodes that play virtual ones. A plan
//! delivers every piece once.

use std::ops::Range;
use std::slice::from_ref;

use wormscope_hw::NodeId;

use super::plan::{Plan, Task, ranges};

/// The plan without what receivers have or are being sent in the same step, and without the steps
/// that leaves empty.
pub(super) fn trim(mut plan: Plan) -> Plan {
    let mut holdings = Holdings::new(&plan);
    let (mut step, mut last) = (0, None);
    plan.sends.retain_mut(|send| {
        if let Some(held) = holdings.of(send.to[0]) {
            if send.pieces.iter().any(|range| words(range).any(|(word, bits)| held[word] & bits != 0)) {
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

/// Who has which piece, a bit each.
struct Holdings {
    held: Vec<u64>,
    /// Words a node.
    words: usize,
    /// Where the words of a node are; `None` if it gets nothing twice anyway.
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
        // Who gets no more than there is, and has all of it in the end, gets nothing twice.
        let all = if matches!(plan.task, Task::Scatter(_)) { 0 } else { plan.pieces };
        gets[plan.source.index()] += plan.pieces;
        let mut count = 0;
        let mut row = |gets: u32| {
            let row = count;
            count += u32::from(gets > all);
            (gets > all).then_some(row)
        };
        let rows = gets.into_iter().map(&mut row).collect();
        let words = plan.pieces.div_ceil(u64::BITS) as usize;
        let mut holdings = Self { held: vec![0; words * count as usize], words, rows };
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

    /// What a node has.
    fn of(&mut self, node: NodeId) -> Option<&mut [u64]> {
        let row = self.rows[node.index()]? as usize;
        Some(&mut self.held[row * self.words..][..self.words])
    }
}

/// Sets the bits of pieces.
fn take(held: &mut [u64], pieces: &[Range<u32>]) {
    for (word, bits) in pieces.iter().flat_map(words) {
        held[word] |= bits;
    }
}

/// The words a range of bits lies in, and its bits there.
fn words(range: &Range<u32>) -> impl Iterator<Item = (usize, u64)> + use<> {
    let Range { start, end } = *range;
    (start / 64..end.div_ceil(64)).map(move |word| {
        let low = start.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        (word as usize, (u64::MAX >> (64 - high)) & (u64::MAX << low))
    })
}

/// The runs of zeros in a range of bits, broken at words.
fn zeros(held: &[u64], range: &Range<u32>) -> impl Iterator<Item = Range<u32>> {
    words(range).flat_map(|(word, bits)| {
        let mut left = bits & !held[word];
        std::iter::from_fn(move || {
            let low = left.trailing_zeros();
            let run = left.checked_shr(low)?.trailing_ones();
            // Clears the run: its lowest bit carries over it.
            left &= left.checked_add(1 << low).unwrap_or(0);
            let first = word as u32 * 64 + low;
            Some(first..first + run)
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
