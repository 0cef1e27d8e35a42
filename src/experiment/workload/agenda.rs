//! Order in which nodes send: a radix heap over cycles (Ahuja, Mehlhorn, Orlin, Tarjan 1990).
//!
//! A message is filed by the highest bit in which its cycle differs from the present one. When the
//! present reaches it, it is filed again, always into a lower place. This takes a few sequential
//! moves a message, for any number of nodes and any distance between messages.

use std::cmp::Reverse;

/// The next message of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Due {
    /// Cycle of creation.
    pub(super) cycle: u64,
    /// Number of the message at its node.
    pub(super) index: u64,
    /// Node that sends.
    pub(super) node: u32,
    /// For the exponential process, the place within the cycle, 0..=1.
    pub(super) fraction: f32,
}

/// Messages to come, one for each node that sends.
pub(super) struct Agenda {
    /// Present cycle. No message is earlier.
    now: u64,
    /// Messages of cycle `now`, by descending nodes. The next one is at the end.
    due: Vec<Due>,
    /// Messages whose cycle differs from `now` in bit i and in none above.
    later: [Vec<Due>; 64],
    /// Bit i is set when `later[i]` has a message.
    filled: u64,
}

impl Agenda {
    pub(super) fn new() -> Self {
        Self { now: 0, due: Vec::new(), later: std::array::from_fn(|_| Vec::new()), filled: 0 }
    }

    /// Files a message. It is not earlier than the last one popped. Messages of that same cycle
    /// come in descending order of nodes, none above the last one popped.
    #[inline]
    pub(super) fn push(&mut self, due: Due) {
        match (due.cycle ^ self.now).checked_ilog2() {
            None => self.due.push(due),
            Some(bit) => {
                self.later[bit as usize].push(due);
                self.filled |= 1 << bit;
            }
        }
    }

    /// Cycle of the next message.
    #[inline]
    pub(super) fn next_cycle(&mut self) -> Option<u64> {
        if self.due.is_empty() {
            self.advance()?;
        }
        Some(self.now)
    }

    /// The next message in order of (cycle, node).
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Due> {
        self.next_cycle()?;
        self.due.pop()
    }

    /// Makes the cycle of the next message the present one.
    fn advance(&mut self) -> Option<()> {
        let bit = self.filled.trailing_zeros() as usize;
        let mut batch = std::mem::take(self.later.get_mut(bit)?);
        self.filled &= self.filled - 1;
        self.now = batch.iter().map(|due| due.cycle).min()?;
        for due in batch.drain(..) {
            self.push(due);
        }
        self.later[bit] = batch;
        self.due.sort_unstable_by_key(|due| Reverse(due.node));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn due(cycle: u64, node: u32) -> Due {
        Due { cycle, index: 0, node, fraction: 0.0 }
    }

    proptest! {
        #[test]
        fn messages_come_in_order_of_cycle_and_node(
            gaps in prop::collection::vec(prop::collection::vec(
                prop_oneof![0u64..4, 0u64..1000, 0u64..1 << 40], 1..20), 1..12)
        ) {
            let mut agenda = Agenda::new();
            let mut expected = Vec::new();
            for (node, gaps) in (0..).zip(&gaps) {
                let cycles = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) });
                expected.extend(cycles.map(|cycle| (cycle, node)));
            }
            expected.sort_unstable();
            for node in (0..gaps.len()).rev() {
                agenda.push(due(gaps[node][0], node as u32));
            }
            let mut seen = Vec::new();
            while let Some(next) = agenda.pop() {
                seen.push((next.cycle, next.node));
                if let Some(gap) = gaps[next.node as usize].get(next.index as usize + 1) {
                    agenda.push(Due { cycle: next.cycle + gap, index: next.index + 1, ..next });
                }
            }
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn the_last_cycle_of_all_is_reached() {
        let mut agenda = Agenda::new();
        agenda.push(due(u64::MAX, 0));
        assert_eq!(agenda.next_cycle(), Some(u64::MAX));
        assert_eq!(agenda.pop(), Some(due(u64::MAX, 0)));
        assert_eq!(agenda.next_cycle(), None);
    }
}
