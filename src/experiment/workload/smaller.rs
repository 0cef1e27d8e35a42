//! Smaller schedules: fewer worms, fewer destinations, shorter and earlier worms.

use crate::experiment::Message;

/// Judges schedules during a search for a smaller one.
pub trait Trial {
    /// Reason why a schedule cannot be judged.
    type Error;

    /// Whether a schedule is as bad as the first one. A schedule that is not allowed is not.
    ///
    /// # Errors
    /// The schedule cannot be judged.
    fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, Self::Error>;

    /// Whether the search goes on.
    fn goes_on(&self) -> bool;
}

/// Limits of the steps to a smaller schedule.
#[derive(Clone, Copy, Debug)]
pub struct StepLimits {
    /// Worms of the beginning that stay in their cycles, because something names them by their
    /// numbers. Without this number, all worms may leave and come earlier.
    pub named: Option<usize>,
    /// Smallest number of payload flits.
    pub payload_flits: u32,
}

/// Takes steps to smaller schedules until no step keeps the schedule bad.
///
/// # Errors
/// A schedule cannot be judged.
pub fn reduce<T: Trial>(trial: &mut T, best: &mut Vec<Message>, limits: StepLimits) -> Result<(), T::Error> {
    let mut steps = Steps { trial, best, limits };
    while steps.pass()? && steps.trial.goes_on() {}
    Ok(())
}

struct Steps<'a, T> {
    trial: &'a mut T,
    best: &'a mut Vec<Message>,
    limits: StepLimits,
}

impl<T: Trial> Steps<'_, T> {
    /// Takes a schedule if it is as bad.
    fn tries(&mut self, schedule: Vec<Message>) -> Result<bool, T::Error> {
        let is_bad = self.trial.goes_on() && !schedule.is_empty() && self.trial.is_bad(&schedule)?;
        if is_bad {
            *self.best = schedule;
        }
        Ok(is_bad)
    }

    /// Tries every step once. Returns whether one of them helped.
    fn pass(&mut self) -> Result<bool, T::Error> {
        let mut helped = self.leave_out()?;
        for at in 0..self.best.len() {
            let mut to = self.best[at].destinations.len();
            while to > 0 && self.best[at].destinations.len() > 1 {
                to -= 1;
                let mut fewer = self.best.clone();
                fewer[at].destinations.remove(to);
                helped |= self.tries(fewer)?;
            }
            let least = self.limits.payload_flits;
            let flits = |message: &mut Message, value: u64| message.payload_flits = value as u32;
            helped |= self.lowers(at, least.into(), |message| message.payload_flits.into(), flits)?;
            // Other cycles give other numbers to worms.
            if self.limits.named.is_none() {
                helped |= self.lowers(at, 0, |message| message.cycle, |message, value| message.cycle = value)?;
            }
        }
        if self.limits.named.is_none() {
            helped |= self.come_earlier()?;
        }
        Ok(helped)
    }

    /// Lets all worms from a cycle on come earlier together, for each cycle: up to the worm before
    /// them, else by halves. All worms together come up to cycle 0.
    fn come_earlier(&mut self) -> Result<bool, T::Error> {
        let (mut helped, mut from) = (false, 0);
        let cycles = |of: &[Message]| of.iter().map(|message| message.cycle).collect::<Vec<_>>();
        while let Some(mut first) = cycles(self.best).into_iter().filter(|&cycle| cycle >= from).min() {
            let before = cycles(self.best).into_iter().filter(|&cycle| cycle < first).max().unwrap_or(0);
            let mut step = first - before;
            while step > 0 && self.trial.goes_on() {
                let mut earlier = self.best.clone();
                for message in earlier.iter_mut().filter(|message| message.cycle >= first) {
                    message.cycle -= step;
                }
                if self.tries(earlier)? {
                    helped = true;
                    first -= step;
                    step = step.min(first - before);
                } else {
                    step /= 2;
                }
            }
            from = first + 1;
        }
        Ok(helped)
    }

    /// Leaves out worms: halves of them first, then quarters, at last each alone.
    fn leave_out(&mut self) -> Result<bool, T::Error> {
        let mut helped = false;
        let mut size = self.best.len().div_ceil(2);
        while size > 0 {
            let mut at = self.limits.named.unwrap_or(0);
            while at < self.best.len() && self.trial.goes_on() {
                let mut fewer = self.best.clone();
                fewer.drain(at..(at + size).min(self.best.len()));
                if self.tries(fewer)? {
                    helped = true;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(helped)
    }

    /// Lowers a number of a message: to the least, else by halves.
    fn lowers(
        &mut self,
        at: usize,
        least: u64,
        read: impl Fn(&Message) -> u64,
        write: impl Fn(&mut Message, u64),
    ) -> Result<bool, T::Error> {
        let mut helped = false;
        let mut step = read(&self.best[at]).saturating_sub(least);
        while step > 0 && self.trial.goes_on() {
            let value = read(&self.best[at]);
            let next = value.saturating_sub(step).max(least);
            let mut lower = self.best.clone();
            write(&mut lower[at], next);
            if next < value && self.tries(lower)? {
                helped = true;
            } else {
                step /= 2;
            }
        }
        Ok(helped)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Bad: two worms to node 3, of 5 payload flits together, of which the second is not earlier.
    struct Pair(u32);

    impl Trial for Pair {
        type Error = Infallible;

        fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, Infallible> {
            self.0 += 1;
            let there: Vec<&Message> = schedule.iter().filter(|of| of.destinations.contains(&3)).collect();
            let flits: u32 = there.iter().map(|of| of.payload_flits).sum();
            Ok(there.len() >= 2 && flits >= 5 && there[0].cycle <= there[1].cycle)
        }

        fn goes_on(&self) -> bool {
            self.0 < 1_000
        }
    }

    fn schedule() -> Vec<Message> {
        let worm = |n: u32| Message {
            cycle: 10 + u64::from(n),
            source: n,
            destinations: vec![n + 1, 3, 9],
            encoding: None,
            class: None,
            payload_flits: 4 + n,
        };
        (0..9).map(worm).collect()
    }

    #[test]
    fn a_schedule_gets_as_small_as_it_may() {
        let mut best = schedule();
        let Ok(()) = reduce(&mut Pair(0), &mut best, StepLimits { named: None, payload_flits: 1 });
        let of: Vec<_> = best.iter().map(|of| (of.cycle, of.destinations.clone(), of.payload_flits)).collect();
        assert_eq!(of.iter().map(|of| (of.0, &of.1[..])).collect::<Vec<_>>(), [(0, &[3][..]), (0, &[3])]);
        assert_eq!(of.iter().map(|of| of.2).sum::<u32>(), 5);
    }

    /// Bad: the second worm comes at least 7 cycles after the first, and the third 2 after it.
    struct Train;

    impl Trial for Train {
        type Error = Infallible;

        fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, Infallible> {
            let cycles: Vec<u64> = schedule.iter().map(|of| of.cycle).collect();
            let apart = |a: u64, b: u64, cycles: u64| b.checked_sub(a) >= Some(cycles);
            Ok(matches!(cycles[..], [a, b, c] if apart(a, b, 7) && b.checked_add(2) == Some(c)))
        }

        fn goes_on(&self) -> bool {
            true
        }
    }

    #[test]
    fn worms_that_depend_on_each_other_come_earlier_together() {
        let mut best = schedule()[..3].to_vec();
        (best[0].cycle, best[1].cycle, best[2].cycle) = (5, 40, 42);
        let Ok(()) = reduce(&mut Train, &mut best, StepLimits { named: None, payload_flits: 1 });
        assert_eq!(best.iter().map(|of| of.cycle).collect::<Vec<_>>(), [0, 7, 9]);
    }

    #[test]
    fn worms_with_names_stay_in_their_cycles() {
        let mut best = schedule();
        let Ok(()) = reduce(&mut Pair(0), &mut best, StepLimits { named: Some(4), payload_flits: 2 });
        assert_eq!(best.iter().map(|of| of.cycle).collect::<Vec<_>>(), [10, 11, 12, 13]);
        assert!(best.iter().all(|of| of.payload_flits >= 2), "{best:?}");
    }
}
