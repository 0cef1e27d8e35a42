//! Loop of a whole run: messages, cycles, the skipping of idle time, and the end.

use std::ops::Deref;

use wormscope_hw::NodeId;

use crate::deadlock::{self, Deadlock};
use crate::engine::registers::Registers;
use crate::engine::snapshot::{LaneRef, Snapshot};
use crate::engine::{Clocked, CommitLog, Delivery, Drain, Limits, NewWorm, Observer, Samples, Stimulus, WormInfo};

/// Number of evaluated cycles between two reports of the progress.
const TOLD_EVERY: u32 = 64;

/// Observer of a run together with the stimulus.
struct Watchers<'a, S, O> {
    stimulus: &'a mut S,
    observer: &'a mut O,
}

impl<S: Stimulus, O: Observer> Observer for Watchers<'_, S, O> {
    const COMMITS: bool = O::COMMITS;
    const DEPARTURES: bool = O::DEPARTURES || S::DEPARTURES;
    const CROSSINGS: bool = O::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        self.observer.commit(log);
    }

    fn wants_commits(&self) -> bool {
        self.observer.wants_commits()
    }

    fn samples(&self) -> Samples {
        self.observer.samples()
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

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        self.observer.crossed(worm, lane, flits);
    }
}

/// End of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that was to arrive has arrived.
    Done,
    /// Source queues grow steadily, so the run did not wait for the measured messages in them.
    Saturated,
    /// `max_cycles` were over first.
    CycleLimit,
    /// Some worms will never move again.
    Deadlock(Box<Deadlock>),
    /// The observer stopped the run.
    Stopped,
}

/// Engine that the loop drives, alone or together with another engine.
pub(super) trait Driven: Deref<Target: Clocked + Sized> {
    /// Calls [`Clocked::create`].
    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O);
    /// Calls [`Clocked::deliver`].
    fn deliver<O: Observer>(&mut self, observer: &mut O);
    /// Calls [`Clocked::free_receive_buffer`].
    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32);
    /// Calls [`Clocked::cycle`].
    fn cycle<O: Observer>(&mut self, observer: &mut O);
    /// Calls [`Clocked::stretch`].
    fn stretch(&self) -> u64 {
        1
    }
    /// Calls [`Clocked::advance`].
    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O);
    /// Calls [`Clocked::skip_to`].
    fn skip_to(&mut self, cycle: u64);
    /// Most cycles that it skips between two looks at whether the run must stop.
    fn longest_skip(&self) -> u64 {
        u64::MAX
    }
    /// Calls [`Clocked::registers`].
    fn registers(&self) -> Registers {
        Clocked::registers(&**self)
    }
    /// Whether the run must stop.
    fn stops(&self) -> bool;

    /// Whether everything that was to arrive has arrived. `next_message` is the cycle of the next
    /// message.
    fn is_over<S: Stimulus>(&self, stimulus: &S, limits: &Limits, next_message: Option<u64>) -> bool {
        let measured_over = || {
            self.now() >= limits.measure_until
                && self.measured_alive() == 0
                && !stimulus.is_measured_unfinished()
                && next_message.is_none_or(|c| c >= limits.measure_until)
        };
        let is_empty = next_message.is_none() && self.worms_alive() == 0;
        is_empty && self.now() >= limits.at_least
            || limits.drain != Drain::Empty && measured_over()
            || stimulus.is_over()
    }

    /// Runs until all worms have arrived, or to a deadlock or a limit. From time to time it calls
    /// `progress` with the cycle.
    ///
    /// # Errors
    /// The errors of the stimulus.
    fn run<S: Stimulus, O: Observer>(
        &mut self,
        stimulus: &mut S,
        limits: &Limits,
        observer: &mut O,
        mut progress: impl FnMut(u64),
    ) -> Result<Outcome, S::Error> {
        tell_registers(self, observer);
        let mut next_check = self.now() + limits.deadlock_check_cycles;
        let mut next_message = stimulus.next_cycle();
        let mut steps = 0_u32;
        let judges = limits.drain == Drain::Measured;
        let mut judged_at = if judges { stimulus.window_end() } else { u64::MAX };
        loop {
            if self.is_over(stimulus, limits, next_message) {
                return Ok(deadlocked(&**self).unwrap_or(Outcome::Done));
            }
            if self.now() >= judged_at {
                if stimulus.judge_window() {
                    return Ok(deadlocked(&**self).unwrap_or(Outcome::Saturated));
                }
                judged_at = stimulus.window_end();
            }
            if self.now() >= limits.max_cycles {
                return Ok(deadlocked(&**self).unwrap_or(Outcome::CycleLimit));
            }
            if observer.stop() || self.stops() {
                return Ok(Outcome::Stopped);
            }
            // Several cycles at once, as long as nothing can end the run between them.
            let measured_until = if limits.drain == Drain::Empty { u64::MAX } else { limits.measure_until };
            let to = (self.now() + self.stretch()).min(measured_until).min(limits.max_cycles).min(judged_at);
            let is_watched = observer.wants_registers() || O::COMMITS && observer.wants_commits();
            if !S::REACTS && to > self.now() + 1 && !is_watched {
                let mut worms = Vec::new();
                while let Some(worm) = stimulus.pop(to - 1)? {
                    let measured = (limits.measure_from..limits.measure_until).contains(&worm.cycle);
                    worms.push((worm, measured));
                }
                next_message = stimulus.next_cycle();
                let last = worms.last().map_or(self.now(), |(worm, _)| worm.cycle.max(self.now()));
                let to = if next_message.is_some() { to } else { last + 1 };
                self.advance(to, &worms, &mut Watchers { stimulus, observer });
            } else {
                if S::REACTS {
                    self.deliver(&mut Watchers { stimulus, observer });
                    next_message = stimulus.next_cycle();
                }
                while next_message.is_some_and(|c| c <= self.now()) {
                    while let Some(worm) = stimulus.pop(self.now())? {
                        let measured = (limits.measure_from..limits.measure_until).contains(&worm.cycle);
                        self.create(&worm, measured, observer);
                        observer.handed(self.now());
                    }
                    next_message = stimulus.next_cycle();
                }
                if S::REACTS {
                    while let Some((node, channel, flits)) = stimulus.freed() {
                        observer.freed(self.now(), node, channel, flits);
                        self.free_receive_buffer(node, channel, flits);
                    }
                }
                self.cycle(&mut Watchers { stimulus, observer });
            }
            tell_registers(self, observer);
            if S::REACTS {
                next_message = stimulus.next_cycle();
            }
            // Thousands of cycles of a large network take seconds.
            if steps.is_multiple_of(TOLD_EVERY) {
                progress(self.now());
            }
            steps = steps.wrapping_add(1);
            if self.is_awake() {
                if self.now() >= next_check {
                    next_check = self.now() + limits.deadlock_check_cycles;
                    if self.oldest_request() >= limits.deadlock_check_cycles / 2
                        && let Some(deadlock) = deadlocked(&**self)
                    {
                        return Ok(deadlock);
                    }
                }
                continue;
            }
            if self.worms_in_network() > 0 && self.stands_still() {
                return Ok(Outcome::Deadlock(Box::new(standstill(&**self))));
            }
            if self.is_over(stimulus, limits, next_message) {
                // Credits that are still on their way do not prolong the run.
                continue;
            }
            let least = Some(limits.at_least).filter(|&end| self.now() < end);
            let Some(next) = self.next_event().into_iter().chain(next_message).chain(least).min() else { break };
            let window_end = Some(limits.measure_until).filter(|&end| self.now() < end).unwrap_or(u64::MAX);
            let to = next.min(limits.max_cycles).min(window_end).min(judged_at);
            self.skip_to(to.min(self.now().saturating_add(self.longest_skip())));
            tell_registers(self, observer);
            if self.worms_in_network() == 0 {
                // No worm waits yet.
                next_check = self.now() + limits.deadlock_check_cycles;
            }
        }
        // No software frees a receive buffer for which worms wait.
        Ok(if self.worms_in_network() > 0 { Outcome::Deadlock(Box::new(standstill(&**self))) } else { Outcome::Done })
    }
}

impl<E: Clocked> Driven for &mut E {
    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        E::create(self, worm, measured, observer);
    }

    fn deliver<O: Observer>(&mut self, observer: &mut O) {
        E::deliver(self, observer);
    }

    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        E::free_receive_buffer(self, node, channel, flits);
    }

    fn cycle<O: Observer>(&mut self, observer: &mut O) {
        E::cycle(self, observer);
    }

    fn stretch(&self) -> u64 {
        E::stretch(self)
    }

    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        E::advance(self, to, worms, observer);
    }

    fn skip_to(&mut self, cycle: u64) {
        E::skip_to(self, cycle);
    }

    fn stops(&self) -> bool {
        false
    }
}

/// Runs an engine until all worms have arrived, or to a deadlock or a limit. From time to time it
/// calls `progress` with the cycle.
///
/// # Errors
/// The errors of the stimulus.
pub fn run<E: Clocked, S: Stimulus, O: Observer>(
    mut engine: &mut E,
    stimulus: &mut S,
    limits: &Limits,
    observer: &mut O,
    progress: impl FnMut(u64),
) -> Result<Outcome, S::Error> {
    Driven::run(&mut engine, stimulus, limits, observer, progress)
}

/// Gives an observer the registers, if it wants them.
fn tell_registers<D: Driven + ?Sized, O: Observer>(driven: &D, observer: &mut O) {
    if observer.wants_registers() {
        observer.registers(&Driven::registers(driven));
    }
}

/// Searches for a deadlock, unless no worm is under way or the network cannot deadlock.
fn deadlocked(engine: &impl Clocked) -> Option<Outcome> {
    let snapshot = (engine.worms_in_network() > 0).then(|| engine.snapshot()).flatten();
    let found = snapshot.and_then(|snapshot| deadlock::search(&snapshot));
    found.map(|deadlock| Outcome::Deadlock(Box::new(deadlock)))
}

/// The deadlock of a network that does not move and has worms. The search explains all known cases.
/// In an unknown case the report has the worms without an explanation.
fn standstill(engine: &impl Clocked) -> Deadlock {
    let snapshot = engine.snapshot().unwrap_or_else(|| Snapshot::without_segments(engine.now()));
    deadlock::search(&snapshot).unwrap_or_else(|| Deadlock {
        final_cycle: engine.now(),
        detected: engine.now(),
        cycle: Vec::new(),
        also: Vec::new(),
        behind: engine.ids_in_network(),
        snapshot,
    })
}
