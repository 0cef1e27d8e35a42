//! A whole run: messages in, cycles, skipping of idle time, the end.

use crate::config::Drain;
use crate::verify::deadlock::{self, Deadlock};

use super::{Engine, NewWorm, Observer};

/// Where messages come from, in order of their cycles.
pub trait Stimulus {
    /// What can go wrong while reading on (a trace file, say).
    type Error;

    /// Cycle of the next message.
    fn next_cycle(&mut self) -> Option<u64>;

    /// The next message if its cycle is not behind `cycle`.
    ///
    /// # Errors
    /// What the source of messages says.
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error>;
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages created before this cycle are not measured.
    pub measure_from: u64,
    /// Messages created from this cycle on are not measured.
    pub measure_until: u64,
    /// What ends the run behind the measured window.
    pub drain: Drain,
    /// The run stops before this cycle at the latest.
    pub max_cycles: u64,
    /// Cycles between searches for a deadlock while something moves.
    pub deadlock_check_cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            measure_from: 0,
            measure_until: u64::MAX,
            drain: Drain::Empty,
            max_cycles: u64::MAX,
            deadlock_check_cycles: 1024,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that was to arrive has arrived.
    Done,
    /// `max_cycles` were over first.
    CycleLimit,
    /// Some worms will never move again.
    Deadlock(Box<Deadlock>),
    /// The observer wanted no more.
    Stopped,
}

/// Shuffles the order of evaluation; any order will do.
pub(super) fn shuffle<T>(instances: &mut [T], seed: u64) {
    use rand_core::{RngCore, SeedableRng};
    let mut random = rand_xoshiro::SplitMix64::seed_from_u64(seed);
    for i in (1..instances.len()).rev() {
        instances.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
    }
}

impl Engine {
    /// Runs until everything has arrived, a deadlock or a limit. `progress` is told the cycle now and then.
    ///
    /// # Errors
    /// Those of the stimulus.
    pub fn run<S: Stimulus, O: Observer>(
        &mut self,
        stimulus: &mut S,
        limits: &Limits,
        observer: &mut O,
        mut progress: impl FnMut(u64),
    ) -> Result<Outcome, S::Error> {
        let mut next_check = self.now + limits.deadlock_check_cycles;
        let mut next_message = stimulus.next_cycle();
        let mut next_progress = self.now;
        loop {
            while next_message.is_some_and(|c| c <= self.now) {
                while let Some(worm) = stimulus.pop(self.now)? {
                    let measured = (limits.measure_from..limits.measure_until).contains(&worm.cycle);
                    self.create(&worm, measured, observer);
                }
                next_message = stimulus.next_cycle();
            }
            let measured_over = self.worms.measured == 0 && next_message.is_none_or(|c| c >= limits.measure_until);
            let over = match limits.drain {
                Drain::Measured => measured_over && self.now >= limits.measure_until,
                Drain::Empty => false,
            };
            if over || next_message.is_none() && self.worms.alive == 0 {
                return Ok(Outcome::Done);
            }
            if self.now >= limits.max_cycles {
                return Ok(Outcome::CycleLimit);
            }
            if observer.stop() {
                return Ok(Outcome::Stopped);
            }
            self.cycle(observer);
            if self.now >= next_progress {
                progress(self.now);
                next_progress = self.now + 4096;
            }
            if self.is_awake() {
                if self.now >= next_check {
                    next_check = self.now + limits.deadlock_check_cycles;
                    if self.oldest_request() >= limits.deadlock_check_cycles / 2
                        && let Some(found) = deadlock::search(&self.snapshot())
                    {
                        return Ok(Outcome::Deadlock(Box::new(found)));
                    }
                }
                continue;
            }
            let event = self.next_event();
            if event.is_none() && self.worms.in_network > 0 {
                return Ok(Outcome::Deadlock(Box::new(self.standstill())));
            }
            match event.into_iter().chain(next_message).min() {
                Some(next) => {
                    let window_end = Some(limits.measure_until).filter(|&end| self.now < end);
                    self.skip_to(next.min(limits.max_cycles).min(window_end.unwrap_or(u64::MAX)));
                    if self.worms.in_network == 0 {
                        // Nobody waits yet.
                        next_check = self.now + limits.deadlock_check_cycles;
                    }
                }
                None => return Ok(Outcome::Done),
            }
        }
    }

    /// The deadlock behind a silent network with worms in it. That the search should not explain it is not known to happen; the worms
    /// are reported all the same.
    fn standstill(&self) -> Deadlock {
        deadlock::search(&self.snapshot()).unwrap_or_else(|| Deadlock {
            final_cycle: self.now,
            detected: self.now,
            cycle: Vec::new(),
            also: Vec::new(),
            behind: self.worms.in_network().collect(),
        })
    }
}
