//! Execution of all runs of a sweep that are not in its journal yet, on all cores. Rows are in the
//! order of the grid.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::directory::{Directory, Rows};
use super::row;
use super::runner::Runner;
use super::stop::Precision;
use super::study::Shard;
use super::{Sweep, SweepError};

/// Largest number of rows that may wait for the next one.
const AHEAD: usize = 4096;

/// Ends of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Number of all runs.
    pub all: u64,
    /// Number of runs that an earlier call had finished.
    pub kept: u64,
    /// Number of runs in which all worms arrived.
    pub done: u64,
    /// Number of runs beyond saturation.
    pub saturated: u64,
    /// Number of runs that `max_cycles` stopped.
    pub cycle_limit: u64,
    /// Number of runs that ended in a deadlock.
    pub deadlock: u64,
    /// Number of runs that were refused.
    pub refused: u64,
    /// The first run that was refused, with the reason.
    pub first_refused: Option<(u64, String)>,
    /// Number of finished runs that missed the interval for which they were lengthened.
    pub missed: u64,
    /// The widest of these intervals, in per cent of the mean; infinite where there is none.
    pub widest: f64,
    /// Number of points whose seeds must reach an interval. Points of which every run was refused
    /// do not count.
    pub points: u64,
    /// Number of these points that missed the interval with all their seeds.
    pub points_missed: u64,
    /// The widest of these intervals, in per cent of the mean; infinite where there is none.
    pub points_widest: f64,
}

impl Counts {
    /// Number of runs that have ended.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.done + self.saturated + self.cycle_limit + self.deadlock + self.refused
    }

    fn miss(&mut self, percent: f64) {
        self.missed += 1;
        self.widest = self.widest.max(percent);
    }

    /// Counts a point that has all its seeds. `missed` is its interval, if that was missed.
    fn count_point(&mut self, missed: Option<f64>) {
        self.points += 1;
        if let Some(percent) = missed {
            self.points_missed += 1;
            self.points_widest = self.points_widest.max(percent);
        }
    }

    fn count(&mut self, run: u64, outcome: &str, reason: &str) {
        if outcome == "refused" && self.first_refused.is_none() {
            self.first_refused = Some((run, reason.to_owned()));
        }
        *match outcome {
            "done" => &mut self.done,
            "saturated" => &mut self.saturated,
            "cycle_limit" => &mut self.cycle_limit,
            "deadlock" => &mut self.deadlock,
            _ => &mut self.refused,
        } += 1;
    }
}

/// Shared data of the workers.
struct Shared<'a> {
    sweep: &'a Sweep,
    part: Portion<'a>,
    outcome: usize,
    reason: usize,
    state: Mutex<State<'a>>,
    moved: Condvar,
}

struct State<'a> {
    directory: &'a mut Directory,
    rows: Rows,
    /// The run that is taken next.
    next: u64,
    /// The run whose row is written next.
    write: u64,
    /// Rows of later runs.
    waiting: BTreeMap<u64, Vec<u8>>,
    /// For points that had enough seeds before the last, the number of seeds.
    enough: BTreeMap<u64, u32>,
    /// Values of the metric with the interval, in the rows written so far of the point under way.
    /// `None` before the first row that was not refused.
    values: Option<Vec<f64>>,
    counts: Counts,
    failed: Option<SweepError>,
}

/// Part of a sweep to run.
#[derive(Clone, Copy)]
enum Portion<'a> {
    /// The whole sweep, or a shard.
    Shard(Option<Shard>),
    /// Runs of these points, in addition to the finished runs.
    Points(&'a BTreeSet<u64>),
}

impl Portion<'_> {
    fn has(self, point: u64) -> bool {
        match self {
            Self::Shard(shard) => shard.is_none_or(|shard| shard.has(point)),
            Self::Points(points) => points.contains(&point),
        }
    }
}

/// Runs the rest of a sweep, or of a shard of it, `jobs` runs at a time. It calls `progress` first
/// and after every run.
///
/// # Errors
/// A file cannot be written, or a network is larger than the machine's memory. Finished runs are
/// kept.
pub fn execute(
    sweep: &Sweep,
    directory: &mut Directory,
    shard: Option<Shard>,
    jobs: usize,
    progress: &(dyn Fn(&Counts) + Sync),
) -> Result<Counts, SweepError> {
    let counts = execute_part(sweep, directory, Portion::Shard(shard), jobs, progress);
    counts.and_then(|counts| directory.finish(sweep).map(|()| counts)).map_err(SweepError::begun)
}

/// The same as [`execute()`], for these points alone. Existing rows stay, and the sweep stays
/// unfinished.
///
/// # Errors
/// The same as for [`execute()`].
pub fn execute_points(
    sweep: &Sweep,
    directory: &mut Directory,
    points: &BTreeSet<u64>,
    jobs: usize,
    progress: &(dyn Fn(&Counts) + Sync),
) -> Result<Counts, SweepError> {
    execute_part(sweep, directory, Portion::Points(points), jobs, progress).map_err(SweepError::begun)
}

fn execute_part(
    sweep: &Sweep,
    directory: &mut Directory,
    part: Portion,
    jobs: usize,
    progress: &(dyn Fn(&Counts) + Sync),
) -> Result<Counts, SweepError> {
    let kept = directory.journal.finished().filter(|&run| run < sweep.runs()).count() as u64;
    let seeds = u64::from(sweep.study.seeds);
    let all = match part {
        Portion::Shard(None) => sweep.runs(),
        Portion::Shard(Some(shard)) => (0..sweep.points()).filter(|&point| shard.has(point)).count() as u64 * seeds,
        Portion::Points(points) => {
            let runs = points.iter().flat_map(|point| point * seeds..(point + 1) * seeds);
            kept + runs.filter(|&run| !directory.journal.has(run)).count() as u64
        }
    };
    let rows = directory.rows(sweep)?;
    let counts = Counts { all, kept, ..Counts::default() };
    progress(&counts);
    let state = State {
        directory,
        rows,
        next: 0,
        write: 0,
        waiting: BTreeMap::new(),
        enough: BTreeMap::new(),
        values: None,
        counts,
        failed: None,
    };
    let columns = sweep.columns();
    let place = |name: &str| columns.iter().position(|column| column.name == name).unwrap_or_default();
    let (outcome, reason) = (place("outcome"), place("reason"));
    let work = Shared { sweep, part, outcome, reason, state: Mutex::new(state), moved: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| work.work(progress));
        }
    });
    let State { counts, failed, .. } = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(counts), Err)
}

impl<'a> Shared<'a> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, run: u64) -> bool {
        self.part.has(self.sweep.point(run))
    }

    fn work(&self, progress: &(dyn Fn(&Counts) + Sync)) {
        let mut runner = Runner::default();
        while let Some(run) = self.take(progress) {
            let done = match self.sweep.precision() {
                Some(precision) => self.point(self.sweep.point(run), precision, &mut runner, progress),
                None => self.run(run, &mut runner, progress).map(drop),
            };
            if let Err(error) = done {
                self.state().failed.get_or_insert(error);
            }
            self.moved.notify_all();
        }
    }

    /// Runs one run and keeps its row.
    fn run(
        &self,
        run: u64,
        runner: &mut Runner,
        progress: &(dyn Fn(&Counts) + Sync),
    ) -> Result<Vec<String>, SweepError> {
        let fields = self.sweep.row(run, runner)?;
        let row = row::line(&fields);
        let mut state = self.state();
        state.directory.journal.add(&row)?;
        state.waiting.insert(run, row);
        self.write(&mut state, progress)?;
        Ok(fields)
    }

    /// Runs a point with one seed after the other until there are enough.
    fn point(
        &self,
        point: u64,
        precision: &Precision,
        runner: &mut Runner,
        progress: &(dyn Fn(&Counts) + Sync),
    ) -> Result<(), SweepError> {
        let seeds = self.sweep.study.seeds;
        let mut values = Vec::new();
        for seed in 0..seeds {
            let run = point * u64::from(seeds) + u64::from(seed);
            let before = {
                let mut state = self.state();
                let has = state.directory.journal.has(run);
                has.then(|| state.directory.journal.row(run)).transpose()?
            };
            let row = match before {
                Some(row) => row::fields(&row),
                None => self.run(run, runner, progress)?,
            };
            values.extend(self.sweep.precise(&row));
            if precision.is_met(&values) {
                self.state().enough.insert(point, seed + 1);
                break;
            }
        }
        self.write(&mut self.state(), progress)
    }

    /// The next run, or the first run of the next point, if it is not too far ahead of the rows.
    fn take(&self, progress: &(dyn Fn(&Counts) + Sync)) -> Option<u64> {
        let mut state = self.state();
        // If a point needs all its runs, finished runs of an earlier call count as well.
        let whole = self.sweep.precision().is_some();
        let step = if whole { u64::from(self.sweep.study.seeds) } else { 1 };
        loop {
            if state.failed.is_some() {
                return None;
            }
            while state.next < self.sweep.runs()
                && (!self.has(state.next) || !whole && state.directory.journal.has(state.next))
            {
                state.next += step;
            }
            if state.next >= self.sweep.runs() {
                // The last rows can be finished runs of an earlier call, at the end of the grid.
                if let Err(error) = self.write(&mut state, progress) {
                    state.failed.get_or_insert(error);
                }
                return None;
            }
            if state.waiting.len() < AHEAD {
                state.next += step;
                return Some(state.next - step);
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Writes the rows that are next.
    fn write(&self, state: &mut State, progress: &(dyn Fn(&Counts) + Sync)) -> Result<(), SweepError> {
        while state.write < self.sweep.runs() {
            let run = state.write;
            let (point, seed) = (self.sweep.point(run), run % u64::from(self.sweep.study.seeds));
            let is_last = seed + 1 == u64::from(self.sweep.study.seeds);
            if state.enough.get(&point).is_some_and(|&seeds| seed >= seeds.into()) {
                state.counts.all -= 1;
                if is_last {
                    state.enough.remove(&point);
                }
            } else if self.has(run) || state.directory.journal.has(run) {
                let row = match state.waiting.remove(&run) {
                    Some(row) => row,
                    None if state.directory.journal.has(run) => state.directory.journal.row(run)?,
                    None => break,
                };
                state.rows.add(&row)?;
                let fields = row::fields(&row);
                let field = |at: usize| fields.get(at).map_or("", String::as_str);
                let outcome = field(self.outcome);
                state.counts.count(run, outcome, field(self.reason));
                if outcome != "refused" {
                    state.values.get_or_insert_default().extend(self.sweep.precise(&fields));
                }
                if let Some(percent) = self.sweep.missed(&fields).filter(|_| outcome == "done") {
                    state.counts.miss(percent);
                }
            }
            // A point that is not in this part may have only some of its rows.
            if is_last
                && let Some(values) = state.values.take().filter(|_| self.has(run))
                && let Some(precision) = self.sweep.precision()
            {
                state.counts.count_point(precision.missed(&values));
            }
            state.write += 1;
        }
        progress(&state.counts);
        Ok(())
    }
}
