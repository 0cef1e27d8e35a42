//! Guided search: it runs only the points of a sweep that a question needs.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::error::ExploreError;
use super::metric::Better;
use super::outcomes::Flaw;
use super::points::points;
use super::question::{Filter, Question};
use super::refine::{AllSeen, Criteria, GridAxis, GridIndex, Search, Seen};
use super::sweep::Sweep;
use crate::cost::{self, HardwareCost};
use crate::statistics::Estimate;
use crate::sweep::{Counts, Directory, Role, Sweep as Grid, execute_points};

/// A sweep for which you can ask a question before its points have been run.
pub struct Guide {
    directory: PathBuf,
    grid: Grid,
}

/// Result of a guided search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guided {
    /// Number of points that the search used.
    pub points: u64,
    /// Number of points that the question is about.
    pub all: u64,
    /// Number of runs that the search made.
    pub runs: u64,
    /// Number of runs of the other points.
    pub saved: u64,
}

impl Guide {
    /// Opens the directory of a sweep that can be continued here. Columns with names as typed, of
    /// an older program, are renamed.
    ///
    /// # Errors
    /// The directory has no sweep, one of another version, or a shard.
    pub fn open(directory: &Path) -> Result<Self, ExploreError> {
        let grid = Grid::of_directory(directory)?;
        if grid.is_typed_in(directory) {
            let mut directory = Directory::open(directory, &grid, None)?;
            execute_points(&grid, &mut directory, &BTreeSet::new(), 1, &|_| ())?;
        }
        Ok(Self { directory: directory.to_owned(), grid })
    }

    /// Reads `FIELD=VALUE,VALUE` as [`Filter::parse`] does. Runs with these values need not exist
    /// yet.
    ///
    /// # Errors
    /// The same as for [`Filter::parse`], and a field that is computed from others.
    pub fn filter(&self, sweep: &Sweep, text: &str) -> Result<Filter, ExploreError> {
        Filter::among(&sweep.schema, text, |column| {
            let name = &sweep.schema.columns[column].name;
            let axes = self.grid.axes();
            let field = axes.iter().flatten().find(|(field, _)| field == name);
            let derived = || format!("--where {name}: a guided search cannot be limited to values of a derived field");
            Ok(field.ok_or_else(|| ExploreError::Question(derived()))?.1.to_vec())
        })
    }

    /// Runs the points that a question needs, `jobs` runs at a time. It calls `progress` after
    /// every run.
    ///
    /// # Errors
    /// The question has no objective or too many, or a run cannot be made or kept. Finished runs
    /// are kept.
    pub fn search(
        &self,
        sweep: &Sweep,
        question: &Question,
        jobs: usize,
        progress: &(dyn Fn(&Counts) + Sync),
    ) -> Result<Guided, ExploreError> {
        let space = Space::new(&self.grid, sweep, question)?;
        let mut search = Search::new(space.axes(), space.criteria(question));
        let known = |place: &[usize], metric: usize| space.known(place, metric);
        let mut loads = BTreeSet::new();
        let before = sweep.len() as u64;
        loop {
            let places = search.places().iter().map(|place| space.point(place));
            let wanted: BTreeSet<u64> = places.chain(loads.iter().copied()).collect();
            let mut directory = Directory::open(&self.directory, &self.grid, None)?;
            let counts = execute_points(&self.grid, &mut directory, &wanted, jobs, progress)?;
            drop(directory);
            // The search ignores other points, because the runs must depend only on the question.
            let is_wanted = |point: &str| point.parse().is_ok_and(|point| wanted.contains(&point));
            let sweep = Sweep::of_points(&self.directory, is_wanted)?;
            let more = space.loads(&sweep, search.places());
            if !more.is_subset(&wanted) {
                loads.extend(more);
            } else if !search.refine(&space.seen(&sweep, search.places()), &known) {
                let (points, all) = (wanted.len() as u64, space.all);
                let saved = (all - points) * u64::from(self.grid.study.seeds);
                return Ok(Guided { points, all, runs: counts.ended() - before, saved });
            }
        }
    }
}

/// The points of a grid that a question is about.
struct Space<'a> {
    grid: &'a Grid,
    /// Varied fields, the slowest first.
    fields: Vec<Vec<(&'a str, &'a [String])>>,
    /// For each axis, the indices of the values that the question allows.
    allowed: Vec<Vec<usize>>,
    /// Number of allowed points.
    all: u64,
    /// Axis of the load alone.
    load: Option<usize>,
    /// Whether the question needs saturation, which comes from the loads.
    saturation: bool,
    /// The metrics of the question, and the sources of their values without a run.
    columns: Vec<(usize, Option<MetricSource>)>,
    costs: RefCell<HashMap<u64, Option<HardwareCost>>>,
}

/// Source of a value of a metric without a run.
#[derive(Clone)]
enum MetricSource {
    /// A varied field: its axis, and its place among the fields of the axis.
    Field(usize, usize),
    /// A cost of the network.
    Cost(String),
}

impl<'a> Space<'a> {
    fn new(grid: &'a Grid, sweep: &Sweep, question: &Question) -> Result<Self, ExploreError> {
        let fields = grid.axes();
        let name = |column: usize| sweep.schema.columns[column].name.as_str();
        let costs: HashSet<&str> = HardwareCost::of_nothing().scalars().map(|of| of.0).collect();
        let place = |name: &str| {
            let mut places = fields.iter().enumerate();
            places.find_map(|(axis, of)| Some((axis, of.iter().position(|(field, _)| *field == name)?)))
        };
        let source = |column: usize| match sweep.schema.columns[column].role {
            Role::Axis => place(name(column)).map(|(axis, field)| MetricSource::Field(axis, field)),
            _ => costs.contains(name(column)).then(|| MetricSource::Cost(name(column).to_owned())),
        };
        let columns: Vec<_> = question.columns(sweep)?.into_iter().map(|column| (column, source(column))).collect();
        let load = sweep.load().and_then(|load| place(name(load))).map(|(axis, _)| axis);
        let load = load.filter(|&axis| fields[axis].len() == 1);
        let is_saturation = |column: usize| sweep.saturation_is_coarse() && name(column) == "saturation";
        let saturation = columns.iter().any(|&(column, _)| is_saturation(column));
        let allows = |axis: &Vec<(&str, &[String])>, at: usize| {
            let limits = |filter: &Filter, field: &str| name(filter.column) == field;
            axis.iter().all(|(field, values)| {
                question.filters.iter().filter(|of| limits(of, field)).all(|of| of.allows(&values[at]))
            })
        };
        let values = |axis: &Vec<(&str, &[String])>| (0..axis[0].1.len()).filter(|&at| allows(axis, at)).collect();
        let mut allowed: Vec<Vec<usize>> = fields.iter().map(values).collect();
        if allowed.iter().any(Vec::is_empty) {
            return Err(ExploreError::Question("no point meets all conditions of --where at once".to_owned()));
        }
        let mut all: u64 = allowed.iter().map(|allowed| allowed.len() as u64).product();
        if let Some(load) = load {
            if saturation {
                all = all / allowed[load].len() as u64 * fields[load][0].1.len() as u64;
            }
            let depends = |(column, source): &(usize, Option<MetricSource>)| match source {
                Some(MetricSource::Field(axis, _)) => *axis == load,
                Some(MetricSource::Cost(_)) => false,
                None => !is_saturation(*column),
            };
            // If no metric depends on the load, each hardware is one point.
            if !columns.iter().any(depends) {
                allowed[load].truncate(1);
            }
        }
        Ok(Self { grid, fields, allowed, all, load, saturation, columns, costs: RefCell::default() })
    }

    /// The axes. An axis has no order if its numbers neither always rise nor always fall. Loads
    /// have none if saturation needs every one.
    fn axes(&self) -> Vec<GridAxis> {
        let is_ordered = |(axis, allowed): (&Vec<(&str, &[String])>, &Vec<usize>)| {
            axis.iter().all(|(field, values)| {
                let numbers: Option<Vec<f64>> = allowed.iter().map(|&at| values[at].parse().ok()).collect();
                let numbers = numbers.unwrap_or_default();
                let all = |way: Better| numbers.windows(2).all(|pair| way.than(pair[0], pair[1]));
                let curve = self.saturation && axis.len() > 1 && is_load(field);
                !numbers.is_empty() && !curve && (all(Better::Less) || all(Better::More))
            })
        };
        let ordered = self.fields.iter().zip(&self.allowed).map(is_ordered);
        ordered.zip(&self.allowed).map(|(ordered, allowed)| GridAxis { len: allowed.len(), ordered }).collect()
    }

    fn criteria(&self, question: &Question) -> Criteria {
        let at = |column: usize| self.columns.iter().position(|of| of.0 == column).unwrap_or_default();
        let better: Vec<Better> = question.objectives.iter().map(|objective| objective.better).collect();
        let known = (0..better.len()).filter(|&metric| self.columns[metric].1.is_some()).collect();
        Criteria { better, bounds: question.bounds.iter().map(|bound| (at(bound.column), *bound)).collect(), known }
    }

    /// The number of the point at a place.
    fn point(&self, place: &[usize]) -> u64 {
        let at = place.iter().zip(&self.allowed).map(|(&at, allowed)| allowed[at]);
        self.number(at)
    }

    /// The number of the point with these values of the axes, by their indices.
    fn number(&self, values: impl Iterator<Item = usize>) -> u64 {
        self.fields.iter().zip(values).fold(0, |number, (axis, at)| number * axis[0].1.len() as u64 + at as u64)
    }

    /// A metric of the point at a place, if it needs no run.
    fn known(&self, place: &[usize], metric: usize) -> Option<Estimate> {
        let value = match self.columns[metric].1.as_ref()? {
            MetricSource::Field(axis, field) => {
                self.fields[*axis][*field].1[self.allowed[*axis][place[*axis]]].parse().ok()?
            }
            MetricSource::Cost(name) => {
                let point = self.point(place);
                let cost = || cost::of_loaded(&self.grid.experiment(point, 0).ok()?).ok();
                let mut costs = self.costs.borrow_mut();
                costs.entry(point).or_insert_with(cost).as_ref()?.scalars().find(|of| of.0 == name)?.2
            }
        };
        Estimate::of(&[value])
    }

    /// Values in the rows of the points at these places.
    fn seen(&self, sweep: &Sweep, places: &BTreeSet<GridIndex>) -> AllSeen {
        let points: HashMap<String, _> = points(sweep).into_iter().map(|point| (point.number.clone(), point)).collect();
        let seen = |place: &GridIndex| {
            let point = points.get(&self.point(place).to_string())?;
            let sound = |column| point.estimate(sweep, column).filter(|_| point.flaw(sweep, column).is_none());
            let values = self.columns.iter().map(|&(column, _)| sound(column)).collect();
            Some((place.clone(), Seen { values, can_deadlock: point.can_deadlock }))
        };
        places.iter().filter_map(seen).collect()
    }

    /// The known points that give the saturation of these places. First come the smallest and the
    /// largest load of each hardware. Then comes the load in the middle between the largest
    /// accepted load and the smallest load above saturation, until no load is between them.
    fn loads(&self, sweep: &Sweep, places: &BTreeSet<GridIndex>) -> BTreeSet<u64> {
        let Some(load) = self.load.filter(|_| self.saturation) else { return BTreeSet::new() };
        let number = |at: &usize| self.fields[load][0].1[*at].parse().unwrap_or(f64::NAN);
        let mut order: Vec<usize> = (0..self.fields[load][0].1.len()).collect();
        order.sort_by(|a, b| number(a).total_cmp(&number(b)));
        // For each point, whether its load was too much, seed by seed.
        let mut ended: HashMap<&str, HashMap<&str, bool>> = HashMap::new();
        for row in 0..sweep.len() {
            // A run that max_cycles stopped gives no answer. Runs with lower loads may give one.
            let too_much = sweep.outcome(row) == "refused" || Flaw::of(sweep.outcome(row)).is_some();
            ended.entry(sweep.point(row)).or_default().insert(sweep.seed_index(row), too_much);
        }
        let mut wanted = BTreeSet::new();
        for place in places {
            let values = || place.iter().zip(&self.allowed).map(|(&at, allowed)| allowed[at]);
            let at =
                |of: &usize| self.number(values().enumerate().map(|(axis, at)| if axis == load { *of } else { at }));
            let curve: Vec<u64> = order.iter().map(at).collect();
            let runs: Vec<_> = curve.iter().map(|point| ended.get(point.to_string().as_str())).collect();
            let seeds: HashSet<&str> = runs.iter().flatten().flat_map(|of| of.keys().copied()).collect();
            for seed in seeds {
                let known: Vec<Option<bool>> = runs.iter().map(|of| of.and_then(|of| of.get(seed)).copied()).collect();
                wanted.extend(next(&known).into_iter().filter(|&at| runs[at].is_none()).map(|at| curve[at]));
            }
        }
        wanted
    }
}

fn is_load(field: &str) -> bool {
    field.rsplit('.').next() == Some("load")
}

/// The loads to look at next, to find the last one that is not too much. `too_much` has the known
/// loads in order.
fn next(too_much: &[Option<bool>]) -> Vec<usize> {
    let ends: Vec<usize> = [0, too_much.len() - 1].into_iter().filter(|&at| too_much[at].is_none()).collect();
    if !ends.is_empty() {
        return ends;
    }
    let first = too_much.iter().position(|of| *of == Some(true)).unwrap_or(too_much.len());
    let last = too_much[..first].iter().rposition(|of| *of == Some(false));
    last.map(|last| usize::midpoint(last, first)).filter(|&at| Some(at) != last).into_iter().collect()
}
