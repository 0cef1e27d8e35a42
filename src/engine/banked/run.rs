//! A whole run: messages in, cycles, skipping of idle time, the end.

use wormscope_hw::NodeId;

use crate::config::Drain;
use crate::verify::deadlock::{self, Deadlock};

use super::{Engine, NewWorm, Observer};
use crate::engine::event::{CommitLog, Delivery, WormInfo};

/// Where messages come from, in order of their cycles. Worms are numbered in the order in which they are popped.
///
/// A stimulus that reacts (software that forwards what it receives) hears of every arrival before it is asked for the messages of
/// that cycle: what it then creates leaves its node in the cycle of the arrival at the earliest.
pub trait Stimulus {
    /// What can go wrong while reading on (a trace file, say).
    type Error;

    /// Whether it is told of arrivals and departures.
    const REACTS: bool = false;

    /// Whether it is told of departures.
    const DEPARTURES: bool = Self::REACTS;

    /// Cycle of the next message; of one that reacts, the next cycle in which it wants to be asked.
    fn next_cycle(&mut self) -> Option<u64>;

    /// The next message if its cycle is not behind `cycle`.
    ///
    /// # Errors
    /// What the source of messages says.
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error>;

    /// A worm has wholly arrived at one of its destinations, in the cycle for which messages are popped next.
    fn delivered(&mut self, _worm: &WormInfo, _delivery: &Delivery) {}

    /// The last flit of a worm left its source in `cycle`, the one evaluated last.
    fn departed(&mut self, _worm: &WormInfo, _cycle: u64) {}

    /// A receive buffer behind a consumption channel that is to be freed, and by how many payload flits.
    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        None
    }

    /// Whether something that began in the measured window is still to create worms.
    fn is_measured_unfinished(&self) -> bool {
        false
    }

    /// Whether what waits at the sources grew steadily through the measured window; asked when that is over.
    fn is_saturated(&self) -> bool {
        false
    }
}

/// Whoever watches a run, with the stimulus among them.
struct Watchers<'a, S, O> {
    stimulus: &'a mut S,
    observer: &'a mut O,
}

impl<S: Stimulus, O: Observer> Observer for Watchers<'_, S, O> {
    const COMMITS: bool = O::COMMITS;
    const DEPARTURES: bool = O::DEPARTURES || S::DEPARTURES;

    fn commit(&mut self, log: &CommitLog) {
        self.observer.commit(log);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.observer.created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.observer.delivered(worm, delivery);
        self.stimulus.delivered(worm, delivery);
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.observer.departed(worm, cycle);
        self.stimulus.departed(worm, cycle);
    }
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
    /// Source queues grow steadily: what was measured and still waits was not waited for.
    Saturated,
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
        let mut may_saturate = limits.drain == Drain::Measured;
        loop {
            let measured_over = self.worms.measured == 0
                && !stimulus.is_measured_unfinished()
                && next_message.is_none_or(|c| c >= limits.measure_until);
            let over = match limits.drain {
                Drain::Measured | Drain::All => measured_over && self.now >= limits.measure_until,
                Drain::Empty => false,
            };
            if over || next_message.is_none() && self.worms.alive == 0 {
                return Ok(self.deadlocked().unwrap_or(Outcome::Done));
            }
            if may_saturate && self.now >= limits.measure_until {
                may_saturate = false;
                if stimulus.is_saturated() {
                    return Ok(self.deadlocked().unwrap_or(Outcome::Saturated));
                }
            }
            if self.now >= limits.max_cycles {
                return Ok(self.deadlocked().unwrap_or(Outcome::CycleLimit));
            }
            if observer.stop() {
                return Ok(Outcome::Stopped);
            }
            if S::REACTS {
                self.deliver(&mut Watchers { stimulus, observer });
                next_message = stimulus.next_cycle();
            }
            while next_message.is_some_and(|c| c <= self.now) {
                while let Some(worm) = stimulus.pop(self.now)? {
                    let measured = (limits.measure_from..limits.measure_until).contains(&worm.cycle);
                    self.create(&worm, measured, observer);
                }
                next_message = stimulus.next_cycle();
            }
            if S::REACTS {
                while let Some((node, channel, flits)) = stimulus.freed() {
                    self.free_receive_buffer(node, channel, flits);
                }
            }
            self.cycle(&mut Watchers { stimulus, observer });
            if S::REACTS {
                next_message = stimulus.next_cycle();
            }
            if self.now >= next_progress {
                progress(self.now);
                next_progress = self.now + 4096;
            }
            if self.is_awake() {
                if self.now >= next_check {
                    next_check = self.now + limits.deadlock_check_cycles;
                    if self.oldest_request() >= limits.deadlock_check_cycles / 2
                        && let Some(deadlock) = self.deadlocked()
                    {
                        return Ok(deadlock);
                    }
                }
                continue;
            }
            if self.worms.in_network > 0 && self.stands_still() {
                return Ok(Outcome::Deadlock(Box::new(self.standstill())));
            }
            let Some(next) = self.next_event().into_iter().chain(next_message).min() else { break };
            let window_end = Some(limits.measure_until).filter(|&end| self.now < end).unwrap_or(u64::MAX);
            self.skip_to(next.min(limits.max_cycles).min(window_end));
            if self.worms.in_network == 0 {
                // Nobody waits yet.
                next_check = self.now + limits.deadlock_check_cycles;
            }
        }
        // Nobody frees a receive buffer for which worms wait.
        Ok(if self.worms.in_network > 0 { Outcome::Deadlock(Box::new(self.standstill())) } else { Outcome::Done })
    }

    /// Searches for a deadlock, unless nobody is under way.
    fn deadlocked(&self) -> Option<Outcome> {
        let found = if self.worms.in_network > 0 { deadlock::search(&self.snapshot()) } else { None };
        found.map(|deadlock| Outcome::Deadlock(Box::new(deadlock)))
    }

    /// The deadlock behind a network with worms in it that stands still. That the search should not explain it is not known to happen; the worms
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
