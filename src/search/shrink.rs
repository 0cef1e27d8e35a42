//! A schedule with fewer, shorter and earlier worms that is as bad.

use super::draw::WormShape;
use super::judge::{Judge, sorted};
use super::watch::Watch;
use crate::experiment::{Message, WormRules};
use crate::testbench::BenchError;
use crate::workload::random::Stream;
use crate::workload::smaller::{StepLimits, Trial, reduce};

/// Other cycles and lengths that are tried after worms are left out.
const RETRIES: u32 = 96;
/// Fresh schedules of fewer worms that are tried for each number of worms.
const FRESH: u32 = 3_000;

/// A shrinking under way.
pub(super) struct Shrink<'a> {
    pub judge: &'a mut Judge,
    pub rules: &'a WormRules,
    pub shape: &'a WormShape,
    pub random: &'a mut Stream,
    pub watch: &'a mut dyn Watch,
    /// For a metric, the value that the schedule must keep.
    pub least: Option<u64>,
}

impl Trial for Shrink<'_> {
    type Error = BenchError;

    fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, BenchError> {
        if schedule.iter().any(|worm| self.rules.check_message(worm).is_err()) {
            return Ok(false);
        }
        self.watch.ran(self.judge.runs);
        let score = self.judge.score(schedule)?;
        Ok(self.least.map_or(score.hit, |least| score.value >= least))
    }

    fn goes_on(&self) -> bool {
        self.watch.goes_on()
    }
}

impl Shrink<'_> {
    /// The smallest schedule that it finds.
    pub fn smallest(&mut self, schedule: &[Message]) -> Result<Vec<Message>, BenchError> {
        let mut best = sorted(schedule);
        self.reduce(&mut best)?;
        while self.goes_on() && self.replace(&mut best)? {
            self.reduce(&mut best)?;
        }
        // Fewer worms may need a schedule that no part of this one is near.
        while best.len() > 2 && self.goes_on() {
            let Some(fewer) = self.fresh(best.len() as u32 - 1)? else { break };
            best = fewer;
            self.reduce(&mut best)?;
        }
        Ok(sorted(&best))
    }

    /// The schedule with fewer, shorter and earlier worms, as far as single steps lead.
    pub fn smaller(&mut self, schedule: &[Message]) -> Result<Vec<Message>, BenchError> {
        let mut best = sorted(schedule);
        self.reduce(&mut best)?;
        Ok(sorted(&best))
    }

    fn reduce(&mut self, best: &mut Vec<Message>) -> Result<(), BenchError> {
        let payload_flits = self.shape.payload_flits.0;
        reduce(self, best, StepLimits { named: None, payload_flits })
    }

    /// Leaves out worms, alone and in pairs, while those that remain change their cycles and
    /// lengths. Returns whether fewer worms are as bad.
    fn replace(&mut self, best: &mut Vec<Message>) -> Result<bool, BenchError> {
        let count = best.len();
        let alone = (0..count).map(|a| vec![a]);
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
        let sets: Vec<Vec<usize>> = if count > 2 { pairs.chain(alone).collect() } else { alone.collect() };
        for out in sets {
            let kept = best.iter().enumerate().filter(|(at, _)| !out.contains(at));
            let fewer: Vec<Message> = kept.map(|(_, worm)| worm.clone()).collect();
            for try_number in 0..=RETRIES {
                if !self.goes_on() {
                    return Ok(false);
                }
                let other = if try_number == 0 { fewer.clone() } else { self.retimed(&fewer) };
                if !other.is_empty() && self.is_bad(&other)? {
                    *best = other;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The same worms in other cycles and with other lengths.
    fn retimed(&mut self, schedule: &[Message]) -> Vec<Message> {
        let (least, most) = self.shape.payload_flits;
        let longest = self.random.below(2) == 0;
        let mut retimed = schedule.to_vec();
        for worm in &mut retimed {
            worm.cycle = self.random.below_wide(self.shape.cycles.min(24));
            worm.payload_flits = if longest { most } else { least + self.random.below(most - least + 1) };
        }
        retimed
    }

    /// A random schedule of at most `worms` worms that is bad.
    fn fresh(&mut self, worms: u32) -> Result<Option<Vec<Message>>, BenchError> {
        for _ in 0..FRESH {
            if !self.goes_on() {
                break;
            }
            let schedule = self.shape.schedule(self.random, self.rules, worms);
            if self.is_bad(&schedule)? {
                return Ok(Some(schedule));
            }
        }
        Ok(None)
    }
}
