//! A schedule with fewer, shorter and earlier worms that is as bad.

use super::draw::WormShape;
use super::judge::{Judge, sorted};
use super::watch::Watch;
use crate::experiment::{Message, WormRules};
use crate::testbench::BenchError;
use crate::workload::random::Stream;

/// Other cycles and lengths that are tried after worms are left out.
const RETRIES: u32 = 96;
/// Fresh schedules of fewer worms that are tried for each number of worms.
const FRESH: u32 = 3_000;

/// The size of a schedule. Fewer worms count most.
fn size(schedule: &[Message]) -> (usize, usize, u64, u64) {
    let destinations = schedule.iter().map(|of| of.destinations.len()).sum();
    let flits = schedule.iter().map(|of| u64::from(of.payload_flits)).sum();
    (schedule.len(), destinations, flits, schedule.iter().map(|of| of.cycle).sum())
}

/// A shrinking under way.
pub(super) struct Shrink<'a> {
    pub judge: &'a mut Judge,
    pub rules: &'a WormRules,
    pub shape: &'a WormShape,
    pub random: &'a mut Stream,
    pub watch: &'a mut dyn Watch,
}

impl Shrink<'_> {
    /// The smallest schedule that it finds.
    pub fn smallest(&mut self, schedule: &[Message]) -> Result<Vec<Message>, BenchError> {
        let mut best = sorted(schedule);
        loop {
            let before = size(&best);
            self.leave_out(&mut best)?;
            self.trim(&mut best)?;
            if size(&best) >= before || !self.watch.goes_on() {
                break;
            }
        }
        // Fewer worms may need a schedule that no part of this one is near.
        while best.len() > 2 && self.watch.goes_on() {
            let Some(fewer) = self.fresh(best.len() as u32 - 1)? else { break };
            best = fewer;
            self.trim(&mut best)?;
        }
        Ok(sorted(&best))
    }

    fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, BenchError> {
        self.watch.ran(self.judge.runs);
        Ok(self.judge.score(schedule)?.hit)
    }

    /// Leaves out worms, alone and in pairs. Those that remain may change their cycles and lengths.
    fn leave_out(&mut self, best: &mut Vec<Message>) -> Result<(), BenchError> {
        'again: loop {
            let count = best.len();
            let alone = (0..count).map(|a| vec![a]);
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
            let sets: Vec<Vec<usize>> = if count > 2 { pairs.chain(alone).collect() } else { alone.collect() };
            let without = |out: &[usize]| -> Vec<Message> {
                let kept = best.iter().enumerate().filter(|(at, _)| !out.contains(at));
                kept.map(|(_, worm)| worm.clone()).collect()
            };
            let all: Vec<Vec<Message>> = sets.iter().map(|out| without(out)).collect();
            for fewer in &all {
                if self.is_bad(fewer)? {
                    best.clone_from(fewer);
                    continue 'again;
                }
            }
            for fewer in &all {
                for _ in 0..RETRIES {
                    if !self.watch.goes_on() {
                        return Ok(());
                    }
                    let other = self.retimed(fewer);
                    if self.is_bad(&other)? {
                        *best = other;
                        continue 'again;
                    }
                }
            }
            return Ok(());
        }
    }

    /// The same worms in other cycles and with other lengths.
    fn retimed(&mut self, schedule: &[Message]) -> Vec<Message> {
        let (least, most) = self.shape.payload_flits;
        let longest = self.random.below(2) == 0;
        let mut retimed = schedule.to_vec();
        for worm in &mut retimed {
            let cycle = self.random.below_wide(self.shape.cycles.min(24));
            let payload = if longest { most } else { least + self.random.below(most - least + 1) };
            let changed = Message { cycle, payload_flits: payload, ..worm.clone() };
            if self.rules.check_message(&changed).is_ok() {
                *worm = changed;
            }
        }
        retimed
    }

    /// A random schedule of at most `worms` worms that is bad.
    fn fresh(&mut self, worms: u32) -> Result<Option<Vec<Message>>, BenchError> {
        for _ in 0..FRESH {
            if !self.watch.goes_on() {
                break;
            }
            let schedule = self.shape.schedule(self.random, self.rules, worms);
            if self.is_bad(&schedule)? {
                return Ok(Some(schedule));
            }
        }
        Ok(None)
    }

    /// Takes destinations, flits and cycles away, as long as the schedule stays bad.
    fn trim(&mut self, best: &mut Vec<Message>) -> Result<(), BenchError> {
        loop {
            let before = size(best);
            for at in 0..best.len() {
                for smaller in self.smaller(&best[at]) {
                    let mut other = best.clone();
                    other[at] = smaller;
                    if size(&other) < size(best) && self.is_bad(&other)? {
                        *best = other;
                    }
                }
            }
            let first = best.iter().map(|worm| worm.cycle).min().unwrap_or(0);
            let mut earlier = best.clone();
            for worm in &mut earlier {
                worm.cycle -= first;
            }
            if first > 0 && self.is_bad(&earlier)? {
                *best = earlier;
            }
            if size(best) >= before || !self.watch.goes_on() {
                return Ok(());
            }
        }
    }

    /// Smaller worms in place of one.
    fn smaller(&self, worm: &Message) -> Vec<Message> {
        let fewer = (0..worm.destinations.len()).filter(|_| worm.destinations.len() > 1).map(|out| {
            let mut destinations = worm.destinations.clone();
            destinations.remove(out);
            Message { destinations, ..worm.clone() }
        });
        let least = self.shape.payload_flits.0;
        let halves = [least, u32::midpoint(least, worm.payload_flits), worm.payload_flits.saturating_sub(1)];
        let shorter = halves.into_iter().filter(|&flits| flits >= least && flits < worm.payload_flits);
        let shorter = shorter.map(|payload_flits| Message { payload_flits, ..worm.clone() });
        let cycles = [0, worm.cycle / 2, worm.cycle.saturating_sub(1)];
        let earlier = cycles.into_iter().filter(|&cycle| cycle < worm.cycle);
        let earlier = earlier.map(|cycle| Message { cycle, ..worm.clone() });
        fewer.chain(shorter).chain(earlier).filter(|of| self.rules.check_message(of).is_ok()).collect()
    }
}
