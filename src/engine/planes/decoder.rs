//! Header decoder of an input lane. It waits until the flits that the decision needs are in the
//! FIFO. It says `routing_cycles` later that the branch is known.
//!
//! ```text
//!   begin ──▶┌─────────┐──▶ decided
//!  enough ──▶│ waiting │
//!            │ stages  │
//!            └─────────┘
//! ```
//!
//! A decision under way is a bit that moves a stage a cycle (docs/reference/timing.md, R5.1 to
//! R5.4). The module [`super::heads`] finds the branch, head by head.

use super::plane::Plane;

/// Most cycles of a routing decision.
pub(super) const STAGES: usize = 4;

/// Registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoder<const L: usize> {
    /// In service; flits of the header are missing.
    pub waiting: Plane<L>,
    /// By age in cycles, a decision under way.
    pub stages: [Plane<L>; STAGES],
}

impl<const L: usize> Decoder<L> {
    /// At reset.
    pub const RESET: Self = Self { waiting: Plane::NONE, stages: [Plane::NONE; STAGES] };

    /// Output: the worm in service is not decided yet.
    #[inline(always)]
    pub fn deciding(&self, routing_cycles: usize) -> Plane<L> {
        self.stages[..routing_cycles].iter().fold(self.waiting, |deciding, &stage| deciding | stage)
    }

    /// One cycle. Worms `begin`, and FIFOs with `enough` flits of a header let decisions start.
    /// Returns the worms whose decision starts, and those that are decided.
    #[inline(always)]
    pub fn eval(&mut self, routing_cycles: usize, begin: Plane<L>, enough: Plane<L>) -> (Plane<L>, Plane<L>) {
        let ready = (self.waiting | begin) & enough;
        self.waiting = (self.waiting | begin) & !enough;
        if routing_cycles == 0 {
            return (ready, ready);
        }
        let decided = self.stages[routing_cycles - 1];
        for stage in (1..routing_cycles).rev() {
            self.stages[stage] = self.stages[stage - 1];
        }
        self.stages[0] = ready;
        (ready, decided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_takes_its_cycles_from_the_flit_that_completes_the_header() {
        let (one, none) = (Plane::<1>([4]), Plane::NONE);
        for cycles in 0..=STAGES {
            let mut decoder = Decoder::RESET;
            assert_eq!(decoder.eval(cycles, one, none), (none, none));
            assert_eq!(decoder.deciding(cycles), one);
            let mut seen = vec![decoder.eval(cycles, none, one)];
            for _ in 0..cycles {
                assert_eq!(decoder.deciding(cycles), one);
                seen.push(decoder.eval(cycles, none, one));
            }
            assert_eq!(decoder.deciding(cycles), none);
            assert_eq!(seen.iter().map(|(ready, _)| ready.any()).collect::<Vec<_>>(), {
                let mut expected = vec![false; cycles + 1];
                expected[0] = true;
                expected
            });
            assert_eq!(seen.iter().position(|(_, decided)| *decided == one), Some(cycles));
        }
    }
}
