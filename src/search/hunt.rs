//! The search: random schedules, then changes of those that came closest.

use super::draw::WormShape;
use super::judge::{Goal, Judge, Score};
use super::shrink::Shrink;
use super::watch::{HuntProgress, Watch};
use crate::experiment::{Message, WormRules};
use crate::testbench::BenchError;
use crate::workload::random::{Key, Stream};

/// Schedules that are changed.
const KEPT: usize = 24;

/// A search.
pub struct Hunt<'a> {
    /// Runs the schedules.
    pub judge: &'a mut Judge,
    /// Worms that it may send.
    pub shape: &'a WormShape,
    /// Seed of its random numbers.
    pub seed: u64,
    /// Largest number of runs.
    pub runs: u64,
}

/// A schedule.
#[derive(Clone, Debug)]
pub struct FoundSchedule {
    /// The worms, in order of creation.
    pub schedule: Vec<Message>,
    /// Number of its worms before it was shrunk.
    pub worms_before: usize,
    /// The run in which it was found first.
    pub run: u64,
    /// The metric, or the cycles for which worms waited.
    pub value: u64,
}

/// Result of a search.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// The schedule; for a metric the worst one.
    pub found: Option<FoundSchedule>,
    /// All runs.
    pub runs: u64,
}

impl Hunt<'_> {
    /// Searches until a schedule is bad, or the runs are over.
    ///
    /// # Errors
    /// A run cannot be made.
    pub fn search(self, rules: &WormRules, watch: &mut dyn Watch) -> Result<Hunted, BenchError> {
        let mut random = Key::new(self.seed).stream();
        let maximises = matches!(self.judge.goal(), Goal::Most(..));
        let mut kept: Vec<(Score, Vec<Message>, u64)> = Vec::new();
        while self.judge.runs < self.runs && watch.goes_on() {
            let schedule = self.next(&kept, &mut random, rules);
            let score = self.judge.score(&schedule)?;
            let runs = self.judge.runs;
            watch.ran(runs);
            if score.hit {
                let progress = HuntProgress { runs, worms: schedule.len(), value: score.value, shrinks: true };
                watch.best(&progress);
                let (worms_before, random) = (schedule.len(), &mut random);
                let mut shrink = Shrink { judge: self.judge, rules, shape: self.shape, random, watch, least: None };
                let schedule = shrink.smallest(&schedule)?;
                let found = FoundSchedule { schedule, worms_before, run: runs, value: score.value };
                return Ok(Hunted { found: Some(found), runs: self.judge.runs });
            }
            let worst = kept.last().map_or(0, |(score, ..)| score.value);
            if kept.len() < KEPT || score.value > worst {
                if kept.first().is_none_or(|(best, ..)| score.value > best.value) {
                    watch.best(&HuntProgress { runs, worms: schedule.len(), value: score.value, shrinks: false });
                }
                let at = kept.partition_point(|(other, ..)| other.value >= score.value);
                kept.insert(at, (score, schedule, runs));
                kept.truncate(KEPT);
            }
        }
        let Some((score, schedule, run)) = kept.into_iter().next().filter(|_| maximises) else {
            return Ok(Hunted { found: None, runs: self.judge.runs });
        };
        watch.best(&HuntProgress { runs: self.judge.runs, worms: schedule.len(), value: score.value, shrinks: true });
        let (worms_before, random, least) = (schedule.len(), &mut random, Some(score.value));
        let mut shrink = Shrink { judge: self.judge, rules, shape: self.shape, random, watch, least };
        let schedule = shrink.smaller(&schedule)?;
        let value = self.judge.score(&schedule)?.value;
        let found = FoundSchedule { schedule, worms_before, run, value };
        Ok(Hunted { found: Some(found), runs: self.judge.runs })
    }

    /// The next schedule: a fresh one, or a change of one that came close.
    fn next(&self, kept: &[(Score, Vec<Message>, u64)], random: &mut Stream, rules: &WormRules) -> Vec<Message> {
        let fresh = kept.len() < KEPT || random.below(3) == 0;
        if fresh {
            return self.shape.schedule(random, rules, self.shape.worms);
        }
        let of = random.below(kept.len() as u32) as usize;
        self.shape.changed(random, rules, &kept[of].1, self.shape.worms)
    }
}
