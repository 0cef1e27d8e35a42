//! The search itself.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::answer::{Designs, ErrorBar, Holder, Miss, Unheld, Without};
use super::space::{Design, DesignSpace, KnownFrom};
use super::task::DesignTask;
use super::watch::{Progress, Watched};
use crate::cost::HardwareCost;
use crate::dependency;
use crate::explore::{Better, Bound, CARRIED, Flaw, Objective};
use crate::site::Site;
use crate::statistics::Estimate;
use crate::sweep::bars::{error_bars, overlap};
use crate::sweep::metrics::needs_energy;
use crate::sweep::runner::{Runner, Unrun, on_threads};
use crate::sweep::schema::CYCLE;
use crate::sweep::{Directory, Role, Schema, Sweep, SweepError, execute_points, row};

/// Number of networks that the answer has: the best and the three next.
const WANTED: usize = 4;
/// Number of networks that run at the same step. It is fixed, so that the answer does not depend on
/// the number of processors.
const WAVE: usize = 16;
/// A short run has this part of the cycles of a run, before its window and in it.
const SHORT: u64 = 8;
/// Smallest window of a short run, in cycles.
const SHORTEST: u64 = 500;
/// A network is cut if a short run misses a bound by this factor.
const FAR_SHORT: f64 = 1.5;
/// A network is cut if its first full run misses a bound by this factor.
const FAR_FULL: f64 = 1.2;
/// Number of near misses that the answer has.
const MISSES: usize = 5;

/// Result of a run.
#[derive(Clone, Debug)]
struct Trial {
    /// Name of its outcome.
    outcome: String,
    /// Values of the metrics of the question; `None` where the run has none.
    values: Vec<Option<f64>>,
    /// Share of the offered load that the run accepted.
    carried: Option<f64>,
}

/// Result of all runs of a network.
enum Judgement {
    /// It meets all bounds, with these values of the metrics.
    Holds(Vec<Estimate>),
    Misses(Miss),
    /// Its worms were refused.
    Refused,
}

/// The question, resolved.
struct Query {
    objective: Objective,
    bounds: Vec<Bound>,
    /// Columns: that of the objective, those of the bounds, and then those of errors.
    columns: Vec<usize>,
    /// Sources of the columns.
    sources: Vec<Option<KnownFrom>>,
    /// For the objective and each bound, the places of its errors in `columns`, if it is an
    /// estimate. The first are the parts of the whole error. The others are left between two
    /// networks.
    errors: Vec<Option<[Vec<usize>; 2]>>,
}

impl Query {
    fn new(task: &DesignTask, schema: &Schema) -> Result<Self, SweepError> {
        let named = |field: &str, name: &str, better: Better| {
            let column = schema.metric(name).map_err(|error| task.fault(field, &error));
            column.map(|column| Objective { column, better })
        };
        let objective = match (&task.least, &task.most) {
            (Some(name), None) => named("least", name, Better::Less)?,
            (None, Some(name)) => named("most", name, Better::More)?,
            (Some(_), Some(_)) => return Err(task.fault("most", &"both least and most are given; one is allowed")),
            (None, None) => {
                return Err(task.fault("", &"no objective; give least or most, as in least: \"area\""));
            }
        };
        if task.seeds == 0 {
            return Err(task.fault("seeds", &"seeds is 0; allowed: at least 1"));
        }
        if let Some(most) = task.most_seeds.filter(|&most| most < task.seeds) {
            let why = format!("most_seeds is {most}, and seeds is {}; allowed: at least as many", task.seeds);
            return Err(task.fault("most_seeds", &why));
        }
        let mut bounds = Vec::new();
        let lists = [("at_most", &task.at_most, Better::Less), ("at_least", &task.at_least, Better::More)];
        for (field, texts, side) in lists {
            for (n, text) in texts.iter().enumerate() {
                let bound = Bound::parse(schema, text, side);
                bounds.push(bound.map_err(|error| task.fault(&format!("{field}[{n}]"), &error))?);
            }
        }
        let mut columns = vec![objective.column];
        columns.extend(bounds.iter().map(|bound| bound.column));
        let mut errors = Vec::new();
        for at in 0..columns.len() {
            let bars = error_bars(&schema.columns[columns[at]].name);
            let mut places = |parts: &[&str]| -> Option<Vec<usize>> {
                let place = |part: &&str| {
                    let column = schema.columns.iter().position(|column| column.name == **part)?;
                    Some(columns.iter().position(|of| *of == column).unwrap_or_else(|| {
                        columns.push(column);
                        columns.len() - 1
                    }))
                };
                parts.iter().map(place).collect()
            };
            errors.push(bars.and_then(|bars| Some([places(bars.whole)?, places(bars.between)?])));
        }
        let costs: Vec<&str> = HardwareCost::of_nothing().scalars().map(|of| of.0).collect();
        let source = |&column: &usize| {
            let of = &schema.columns[column];
            match of.role {
                Role::Axis => Some(KnownFrom::Field(column)),
                _ if of.name == CYCLE => Some(KnownFrom::Cycle),
                _ => costs.contains(&of.name.as_str()).then(|| KnownFrom::Cost(of.name.clone())),
            }
        };
        let sources = columns.iter().map(source).collect();
        Ok(Self { objective, bounds, columns, sources, errors })
    }
}

impl Query {
    /// Pairs of bounds that no value of their metric meets.
    fn contradictions(&self, schema: &Schema) -> Vec<(String, String)> {
        let of = |side: Better| self.bounds.iter().filter(move |bound| bound.side == side);
        let pairs = of(Better::Less).flat_map(|most| of(Better::More).map(move |least| (most, least)));
        let contradict = pairs.filter(|(most, least)| most.column == least.column && most.at < least.at);
        contradict.map(|(most, least)| (most.text(schema), least.text(schema))).collect()
    }
}

/// A search under way.
struct Search<'a> {
    grid: &'a Sweep,
    schema: &'a Schema,
    task: &'a DesignTask,
    asked: &'a Query,
    watch: Watched<'a>,
    /// Directory that keeps the full runs.
    directory: &'a Mutex<Option<Directory>>,
    /// Short runs by point, and full runs by run. `None` where a run was refused.
    short: HashMap<u64, Option<Trial>>,
    full: HashMap<u64, Option<Trial>>,
}

/// Finds the networks that a task asks for in the space of `grid`, which is the sweep of the task's
/// study. It uses `jobs` threads. A folder keeps the full runs as a sweep, and runs in it are not
/// made again.
///
/// # Errors
/// The task is wrong, a network is larger than the machine's memory, or the folder cannot be
/// written.
pub fn find(
    task: &DesignTask,
    mut grid: Sweep,
    folder: Option<&Path>,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<Designs, SweepError> {
    let schema = grid.schema();
    let asked = Query::new(task, &schema)?;
    let directory = folder.map(|folder| Directory::open(folder, &grid, None)).transpose()?;
    // Rows of a sweep are whole.
    if directory.is_none() && !asked.columns.iter().any(|&column| needs_energy(&schema.columns[column].name)) {
        grid.without_energy();
    }
    let directory = Mutex::new(directory);
    let found = on_threads(jobs, || {
        let watch = Watched(progress);
        let Some(space) = DesignSpace::of(&grid, &asked.sources, &watch) else { return Ok(Designs::interrupted()) };
        if space.networks.is_empty() {
            let why = space.first_illegal.unwrap_or_default();
            return Err(SweepError::Asked(format!("no combination of the space is a network; the first: {why}")));
        }
        let (short, full) = (HashMap::new(), HashMap::new());
        let (grid, schema, asked, directory) = (&grid, &schema, &asked, &directory);
        let mut search = Search { grid, schema, task, asked, watch, directory, short, full };
        search.answer(&space)
    })??;
    drop(directory);
    if let Some(folder) = folder {
        let mut directory = Directory::open(folder, &grid, None)?;
        execute_points(&grid, &mut directory, &BTreeSet::new(), 1, &|_| ())?;
    }
    Ok(found)
}

impl Search<'_> {
    fn answer(&mut self, space: &DesignSpace) -> Result<Designs, SweepError> {
        let all: Vec<usize> = (0..self.asked.bounds.len()).collect();
        let (mut holders, mut misses, priced_out) = self.holding(space, &all, WANTED)?;
        mark_alike(&mut holders);
        self.mark_ties(&mut holders);
        for holder in &mut holders {
            holder.hazard = self.hazard(holder.point);
        }
        let mut without = Vec::new();
        if holders.is_empty() && self.watch.0.goes_on() {
            for left_out in &all {
                let rest: Vec<usize> = all.iter().copied().filter(|at| at != left_out).collect();
                let bound = &self.asked.bounds[*left_out];
                let best = self.holding(space, &rest, 1)?.0.into_iter().next();
                let value = best.as_ref().map(|best| best.values[1 + left_out].mean);
                let nearest = self.nearest(space, *left_out, &rest);
                without.push(Without { bound: bound.text(self.schema), best, value, nearest });
            }
        }
        let unheld = if without.len() > 1 { self.unheld(space) } else { Vec::new() };
        // The search without a bound may have made more runs of a network that misses it.
        for miss in misses.iter_mut().filter(|miss| !miss.short && miss.flaw.is_none()) {
            let network = space.networks.iter().find(|network| network.point == miss.point);
            if let Some(Judgement::Misses(now)) = network.map(|network| self.verdict(network, &all)) {
                *miss = now;
            }
        }
        // Only misses that would be better than the best are of interest.
        let better = self.asked.objective.better;
        if let Some(best) = holders.first() {
            misses.retain(|miss| miss.objective.is_some_and(|value| better.than(value, best.values[0].mean)));
        }
        let has_deadlock = |miss: &Miss| miss.flaw == Some(Flaw::Deadlocked);
        let deadlocks = misses.iter().filter(|miss| has_deadlock(miss)).count() as u64;
        misses.retain(|miss| !has_deadlock(miss));
        // A saturated network has no latency, so it is further away than any with one.
        let flaws = |a: &Miss, b: &Miss| a.flaw.is_some().cmp(&b.flaw.is_some());
        misses.sort_by(|a, b| flaws(a, b).then(a.by.total_cmp(&b.by)).then(a.point.cmp(&b.point)));
        misses.truncate(MISSES);
        let shown = &self.asked.columns[..self.asked.errors.len()];
        let columns = shown.iter().map(|&column| self.schema.columns[column].label()).collect();
        Ok(Designs {
            objective: format!(
                "{} {}",
                if better == Better::Less { "least" } else { "most" },
                self.schema.columns[self.asked.objective.column].label()
            ),
            bounds: self.asked.bounds.iter().map(|bound| bound.text(self.schema)).collect(),
            columns,
            holders,
            misses,
            without,
            contradictions: self.asked.contradictions(self.schema),
            unheld,
            deadlocks,
            combinations: self.grid.points(),
            illegal: space.illegal,
            same: space.same,
            networks: space.networks.len() as u64,
            priced_out,
            short_runs: self.short.len() as u64,
            full_runs: self.full.len() as u64,
            grid_runs: space.networks.len() as u64 * u64::from(self.task.seeds),
            interrupted: !self.watch.0.goes_on(),
        })
    }

    /// The network with the best value of a bound's metric of those that ran in full and hold all
    /// other bounds.
    fn nearest(&self, space: &DesignSpace, bound: usize, others: &[usize]) -> Option<(u64, f64)> {
        let side = self.asked.bounds[bound].side;
        let holds = |network: &&Design| {
            self.runs(network.point).flatten().all(|trial| self.flaw(trial, &[bound]).is_none())
                && others
                    .iter()
                    .all(|&at| self.estimate(network, 1 + at).is_some_and(|value| self.asked.bounds[at].holds(&value)))
        };
        let values = space.networks.iter().filter(holds);
        let values = values.filter_map(|network| Some((network.point, self.estimate(network, 1 + bound)?.mean)));
        values.reduce(|best, next| if side.than(next.1, best.1) { next } else { best })
    }

    /// The bounds that no network meets, whatever the other bounds are.
    fn unheld(&self, space: &DesignSpace) -> Vec<Unheld> {
        let mut unheld = Vec::new();
        for (at, bound) in self.asked.bounds.iter().enumerate() {
            let value = |network: &Design| match network.known[1 + at] {
                Some(value) => Some(value),
                None if self.runs(network.point).flatten().any(|trial| self.flaw(trial, &[at]).is_some()) => None,
                None => self.estimate(network, 1 + at).map(|estimate| estimate.mean),
            };
            let values = space.networks.iter().filter_map(|network| Some((network.point, value(network)?)));
            let nearest = values.reduce(|best, next| if bound.side.than(next.1, best.1) { next } else { best });
            if nearest.is_none_or(|(_, value)| !bound.holds_value(value)) {
                let ran = self.asked.sources[1 + at].is_none();
                unheld.push(Unheld { bound: bound.text(self.schema), nearest, ran });
            }
        }
        unheld
    }

    /// The best networks that hold these bounds, at most `wanted` of them. With them come the
    /// misses of other networks, and the number of networks that a known value excludes.
    fn holding(
        &mut self,
        space: &DesignSpace,
        bounds: &[usize],
        wanted: usize,
    ) -> Result<(Vec<Holder>, Vec<Miss>, u64), SweepError> {
        let known = |network: &&Design| {
            bounds.iter().all(|&at| network.known[1 + at].is_none_or(|value| self.asked.bounds[at].holds_value(value)))
        };
        let mut networks: Vec<&Design> = space.networks.iter().filter(known).collect();
        let priced_out = (space.networks.len() - networks.len()) as u64;
        let better = self.asked.objective.better;
        let is_known = self.asked.sources[0].is_some();
        let mut misses = Vec::new();
        if !is_known {
            self.run_short(&networks)?;
        }
        let objective = |search: &Self, network: &Design| match network.known[0] {
            Some(value) => Some(value),
            None => search.short.get(&network.point)?.as_ref()?.values[0],
        };
        let worst = if better == Better::Less { f64::INFINITY } else { f64::NEG_INFINITY };
        let key = |search: &Self, network: &Design| objective(search, network).unwrap_or(worst);
        networks.sort_by(|a, b| better.order(key(self, a), key(self, b)));
        let mut holders: Vec<Holder> = Vec::new();
        for wave in networks.chunks(WAVE) {
            if !self.watch.0.goes_on() {
                break;
            }
            // Values of short runs are not exact. A network may still be better if its value is not
            // worse by far.
            let last = holders.get(wanted - 1).map(|holder| holder.values[0].mean);
            if let (Some(last), Some(first)) = (last, wave.first().and_then(|network| objective(self, network)))
                && (is_known || missed_by(better, last, first) > FAR_SHORT)
            {
                break;
            }
            self.run_short(wave)?;
            let left: Vec<&Design> =
                wave.iter().copied().filter(|network| self.cut(network, bounds, &mut misses)).collect();
            self.run_full(&left, 0..1)?;
            let left: Vec<&Design> =
                left.into_iter().filter(|network| self.first_holds(network, bounds, &mut misses)).collect();
            self.run_full(&left, 1..self.task.seeds)?;
            let mut unsure = left.clone();
            let mut seeds = self.task.seeds;
            while seeds < self.task.most_seeds() {
                unsure.retain(|network| self.is_unsure(network, bounds));
                let more = seeds.saturating_mul(2).min(self.task.most_seeds());
                self.run_full(&unsure, seeds..more)?;
                seeds = more;
            }
            // An interrupt leaves out runs, so the networks of this wave are not judged.
            if !self.watch.0.goes_on() {
                break;
            }
            self.judge(&left, bounds, &mut holders, &mut misses);
        }
        // A difference between other seeds is no difference between networks. So the best ones get
        // as many seeds as one of them has.
        let seeds = |holder: &Holder| self.runs(holder.point).count() as u32;
        let most = holders.iter().map(seeds).max().unwrap_or(0);
        if !is_known && holders.iter().any(|holder| seeds(holder) < most) && self.watch.0.goes_on() {
            holders.truncate(2 * wanted);
            let points: Vec<u64> = holders.iter().map(|holder| holder.point).collect();
            let best: Vec<&Design> = networks.iter().copied().filter(|of| points.contains(&of.point)).collect();
            self.run_full(&best, 0..most)?;
            holders.clear();
            self.judge(&best, bounds, &mut holders, &mut misses);
        }
        holders.truncate(wanted);
        Ok((holders, misses, priced_out))
    }

    /// Adds networks that ran with all their seeds to those that hold the bounds, the best first,
    /// or to the misses.
    fn judge(&self, networks: &[&Design], bounds: &[usize], holders: &mut Vec<Holder>, misses: &mut Vec<Miss>) {
        for network in networks {
            match self.verdict(network, bounds) {
                Judgement::Holds(values) => holders.push(self.holder(network, values, bounds)),
                Judgement::Misses(miss) => misses.push(miss),
                Judgement::Refused => {}
            }
        }
        holders.sort_by(|a, b| self.asked.objective.better.order(a.values[0].mean, b.values[0].mean));
    }

    /// Marks the networks that the same seeds do not tell from the best.
    fn mark_ties(&self, holders: &mut [Holder]) {
        let Some((best, others)) = holders.split_first_mut() else { return };
        if self.asked.sources[0].is_some() {
            return;
        }
        let values = |point: u64| self.runs(point).map(|trial| trial.as_ref()?.values[0]).collect::<Vec<_>>();
        let of_best = values(best.point);
        for other in others {
            let pairs = of_best.iter().zip(values(other.point));
            let apart: Vec<f64> = pairs.filter_map(|(a, b)| Some(b? - (*a)?)).collect();
            let is_tie = Estimate::of(&apart).is_some_and(|of| of.half_width.is_none_or(|half| of.mean.abs() <= half));
            other.ties = is_tie.then_some(best.point);
        }
    }

    /// Makes the short runs of networks that have none yet. An experiment without a window has no
    /// short run.
    fn run_short(&mut self, networks: &[&Design]) -> Result<(), SweepError> {
        let new: Vec<u64> =
            networks.iter().map(|network| network.point).filter(|point| !self.short.contains_key(point)).collect();
        let step = self.watch.begins("short runs", new.len() as u64);
        let run = |runner: &mut Runner, &point: &u64| {
            let mut loaded = self.grid.experiment(point, 0).ok()?;
            let run = &mut loaded.experiment.run;
            let window = run.measure_cycles.filter(|&cycles| cycles >= 2 * SHORTEST)?;
            run.measure_cycles = Some((window / SHORT).max(SHORTEST));
            run.warmup_cycles /= SHORT;
            step.part(|| (point, self.grid.row_of(point, &loaded, runner).map(|row| self.trial(&row))))
        };
        let ran: Vec<_> = new.par_iter().map_init(Runner::default, run).collect();
        let ran = ran.into_iter().flatten();
        for (point, trial) in ran {
            self.short.insert(point, kept(trial)?);
        }
        Ok(())
    }

    /// The row of a run: that of an earlier call, or that of a new run.
    fn row(&self, run: u64, runner: &mut Runner) -> Result<Vec<String>, SweepError> {
        let directory = || self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(directory) = directory().as_mut().filter(|directory| directory.journal.has(run)) {
            return Ok(row::fields(&directory.journal.row(run)?));
        }
        let fields = self.grid.row(run, runner)?;
        if let Some(directory) = directory().as_mut() {
            directory.journal.add(&row::line(&fields))?;
        }
        Ok(fields)
    }

    /// Makes the full runs of networks with these seeds.
    fn run_full(&mut self, networks: &[&Design], seeds: std::ops::Range<u32>) -> Result<(), SweepError> {
        let of_seeds = u64::from(self.grid.study.seeds);
        let runs =
            networks.iter().flat_map(|network| seeds.clone().map(|seed| network.point * of_seeds + u64::from(seed)));
        let new: Vec<u64> = runs.filter(|run| !self.full.contains_key(run)).collect();
        let step = self.watch.begins("full runs", new.len() as u64);
        let run = |runner: &mut Runner, &run: &u64| {
            step.part(|| (run, self.row(run, runner).map(|row| self.trial(&row)).map_err(Unrun::Failed)))
        };
        let ran: Vec<_> = new.par_iter().map_init(Runner::default, run).collect();
        let ran = ran.into_iter().flatten();
        for (run, trial) in ran {
            self.full.insert(run, kept(trial)?);
        }
        Ok(())
    }
}

impl Search<'_> {
    /// The result in a row.
    fn trial(&self, row: &[String]) -> Trial {
        let column = |name: &str| self.schema.columns.iter().position(|column| column.name == name);
        let number = |at: usize| row.get(at).and_then(|cell| cell.parse::<f64>().ok());
        let load = |name: &str| column(name).and_then(number);
        let outcome = column("outcome").and_then(|at| row.get(at)).cloned().unwrap_or_default();
        let carried = load("accepted").zip(load("offered")).filter(|(_, offered)| *offered > 0.0);
        Trial {
            outcome,
            values: self.asked.columns.iter().map(|&at| number(at)).collect(),
            carried: carried.map(|(accepted, offered)| accepted / offered),
        }
    }

    /// The flaw of a run, if it touches the objective or one of the bounds.
    fn flaw(&self, trial: &Trial, bounds: &[usize]) -> Option<Flaw> {
        let flaw = Flaw::of(&trial.outcome)?;
        let columns = std::iter::once(0).chain(bounds.iter().map(|at| 1 + at));
        let touches = |at: usize| flaw.touches(&self.schema.columns[self.asked.columns[at]]);
        (flaw == Flaw::Deadlocked || columns.into_iter().any(touches)).then_some(flaw)
    }

    /// Whether a network is left after its short run.
    fn cut(&self, network: &Design, bounds: &[usize], misses: &mut Vec<Miss>) -> bool {
        let Some(trial) = self.short.get(&network.point) else { return true };
        let Some(trial) = trial else { return false };
        let flaw = self.flaw(trial, bounds);
        // In a short run, a small excess of load looks like saturation.
        let is_far = |flaw: &Flaw| *flaw == Flaw::Deadlocked || trial.carried.is_some_and(|carried| carried < CARRIED);
        let miss = match flaw.filter(is_far) {
            Some(flaw) => Some(self.flawed(network, trial, flaw, true)),
            // Times of a run with a flaw are too small, so they may still tell that a bound is
            // missed.
            None => self.missed(network, bounds, |at| trial.values[at], FAR_SHORT, true),
        };
        let is_left = miss.is_none();
        misses.extend(miss);
        is_left
    }

    /// Whether a network is left after its first full run.
    fn first_holds(&self, network: &Design, bounds: &[usize], misses: &mut Vec<Miss>) -> bool {
        let run = network.point * u64::from(self.grid.study.seeds);
        let Some(Some(trial)) = self.full.get(&run) else { return false };
        let miss = match self.flaw(trial, bounds) {
            Some(flaw) => Some(self.flawed(network, trial, flaw, false)),
            None => self.missed(network, bounds, |at| trial.values[at], FAR_FULL, false),
        };
        let is_left = miss.is_none();
        misses.extend(miss);
        is_left
    }

    /// Full runs of a point.
    fn runs(&self, point: u64) -> impl Iterator<Item = &Option<Trial>> {
        let first = point * u64::from(self.grid.study.seeds);
        (first..first + u64::from(self.grid.study.seeds)).map_while(|run| self.full.get(&run))
    }

    /// A metric over the seeds of a network.
    fn estimate(&self, network: &Design, at: usize) -> Option<Estimate> {
        let values: Vec<f64> = self.runs(network.point).flatten().filter_map(|trial| trial.values[at]).collect();
        Estimate::of(&values)
    }

    /// Whether an interval reaches across a bound.
    fn is_unsure(&self, network: &Design, bounds: &[usize]) -> bool {
        bounds.iter().any(|&at| {
            self.estimate(network, 1 + at).is_some_and(|estimate| self.asked.bounds[at].is_crossed_by(&estimate))
        })
    }

    fn verdict(&self, network: &Design, bounds: &[usize]) -> Judgement {
        let mut flaw: Option<(&Trial, Flaw)> = None;
        for trial in self.runs(network.point) {
            let Some(trial) = trial else { return Judgement::Refused };
            if let Some(of) = self.flaw(trial, bounds)
                && flaw.is_none_or(|(_, before)| before < of)
            {
                flaw = Some((trial, of));
            }
        }
        if let Some((trial, flaw)) = flaw {
            return Judgement::Misses(self.flawed(network, trial, flaw, false));
        }
        let estimates: Vec<Option<Estimate>> =
            (0..self.asked.columns.len()).map(|at| self.estimate(network, at)).collect();
        let mean = |at: usize| estimates[at].map(|estimate| estimate.mean);
        if let Some(miss) = self.missed(network, bounds, mean, 1.0, false) {
            return Judgement::Misses(miss);
        }
        // Only the objective may be missing here.
        let all = estimates.into_iter().map(|estimate| estimate.or_else(|| Estimate::of(&[f64::NAN])));
        Judgement::Holds(all.flatten().collect())
    }

    /// The miss of a network whose values miss a bound by more than a factor.
    fn missed(
        &self,
        network: &Design,
        bounds: &[usize],
        value: impl Fn(usize) -> Option<f64>,
        factor: f64,
        is_short: bool,
    ) -> Option<Miss> {
        let mut broken = Vec::new();
        let mut by: f64 = 0.0;
        for &at in bounds {
            let bound = &self.asked.bounds[at];
            let name = &self.schema.columns[bound.column].name;
            let Some(value) = value(1 + at) else {
                // A run that was too short for the metric does not exclude a network.
                if !is_short {
                    by = f64::INFINITY;
                    broken.push(format!("has no {name}"));
                }
                continue;
            };
            let missed = missed_by(bound.side, bound.at, value);
            if missed > 1.0 {
                by = by.max(missed - 1.0);
                broken.push(bound.broken(name, value));
            }
        }
        (1.0 + by > factor && !broken.is_empty()).then(|| self.miss(network, broken, by, is_short, value(0)))
    }

    /// The miss of a network with a run that has a flaw.
    fn flawed(&self, network: &Design, trial: &Trial, flaw: Flaw, is_short: bool) -> Miss {
        let carried = trial.carried.filter(|carried| *carried > 0.0);
        let (text, by) = match (flaw, carried) {
            (Flaw::Deadlocked, _) => ("deadlocks".to_owned(), f64::INFINITY),
            (Flaw::Saturated, Some(carried)) => {
                (format!("is saturated, and accepts {:.1} % of the load", 100.0 * carried), 1.0 / carried - 1.0)
            }
            (Flaw::Saturated, None) => ("is saturated".to_owned(), f64::INFINITY),
            (Flaw::Stopped, _) => ("was stopped by max_cycles".to_owned(), f64::INFINITY),
        };
        let miss = self.miss(network, vec![text], by, is_short, trial.values[0]);
        Miss { flaw: Some(flaw), ..miss }
    }

    fn miss(&self, network: &Design, broken: Vec<String>, by: f64, is_short: bool, objective: Option<f64>) -> Miss {
        Miss {
            point: network.point,
            fields: self.fields(network.point),
            objective: network.known[0].or(objective),
            by,
            broken,
            short: is_short,
            flaw: None,
            command: self.command(network.point),
        }
    }

    fn holder(&self, network: &Design, mut values: Vec<Estimate>, bounds: &[usize]) -> Holder {
        let sum = |places: &Vec<usize>| places.iter().map(|&at| values[at].mean).sum::<f64>();
        let bars = |places: &Option<[Vec<usize>; 2]>| {
            places.as_ref().map(|[whole, between]| ErrorBar { percent: sum(whole), between: sum(between) })
        };
        let errors: Vec<Option<ErrorBar>> = self.asked.errors.iter().map(bars).collect();
        values.truncate(errors.len());
        let estimated = bounds.iter().filter(|&&at| {
            let Some(bar) = errors[1 + at] else { return false };
            let (bound, value) = (&self.asked.bounds[at], values[1 + at].mean);
            overlap((value, bar.percent), (bound.at, 0.0))
        });
        let estimated = estimated.map(|&at| self.asked.bounds[at].text(self.schema)).collect();
        let unsure = bounds.iter().map(|&at| (&self.asked.bounds[at], &values[1 + at]));
        let unsure =
            unsure.filter(|(bound, value)| bound.is_crossed_by(value)).map(|(bound, _)| bound.text(self.schema));
        Holder {
            point: network.point,
            fields: self.fields(network.point),
            unsure: unsure.collect(),
            values,
            errors,
            estimated,
            alike: None,
            ties: None,
            hazard: None,
            carried: self
                .runs(network.point)
                .flatten()
                .filter_map(|trial| trial.carried)
                .reduce(f64::min)
                .filter(|&of| of < CARRIED),
            command: self.command(network.point),
        }
    }

    /// The fields in which networks of the space differ, with the values of a point.
    fn fields(&self, point: u64) -> Vec<(String, String)> {
        let cells = self.grid.head(point * u64::from(self.grid.study.seeds));
        let several = self.schema.bases.len() > 1;
        let columns = self.schema.columns.iter().zip(cells);
        let differs = columns.filter(|(column, _)| column.role == Role::Axis || several && column.name == "base");
        differs.map(|(column, cell)| (column.name.clone(), cell)).collect()
    }

    /// Whether worms at a point can deadlock, also if no run of the search did.
    fn hazard(&self, point: u64) -> Option<&'static str> {
        let loaded = self.grid.experiment(point, 0).ok()?;
        let site = Site::of(&loaded).ok()?;
        dependency::hazard(&loaded, &site, &|| !self.watch.0.goes_on())
    }

    /// The command that runs a point.
    fn command(&self, point: u64) -> String {
        let cells = self.grid.head(point * u64::from(self.grid.study.seeds));
        self.schema.command(|at| cells.get(at).map_or("", String::as_str))
    }
}

/// Marks the networks whose objective is an estimate with a bar that overlaps the bar of the best.
fn mark_alike(holders: &mut [Holder]) {
    let Some((best, others)) = holders.split_first_mut() else { return };
    let bar = |of: &Holder| Some((of.values[0].mean, of.errors[0]?.between));
    for other in others {
        let overlaps = bar(best).zip(bar(other)).is_some_and(|(best, other)| overlap(best, other));
        other.alike = overlaps.then_some(best.point);
    }
}

/// The trial that is kept. A network that is too large ends the search.
fn kept(trial: Result<Trial, Unrun>) -> Result<Option<Trial>, SweepError> {
    match trial {
        Ok(trial) => Ok(Some(trial).filter(|trial| trial.outcome != "refused")),
        Err(Unrun::Refused(_)) => Ok(None),
        Err(Unrun::Failed(error)) => Err(error),
    }
}

/// Factor by which a value misses a bound; at most 1 if it meets the bound.
fn missed_by(side: Better, at: f64, value: f64) -> f64 {
    let (large, small) = if side == Better::Less { (value, at) } else { (at, value) };
    if large <= small {
        1.0
    } else if small > 0.0 {
        large / small
    } else {
        f64::INFINITY
    }
}
