//! Question to a sweep: objectives, bounds, and filters of points.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::error::ExploreError;
use super::metric::{Better, direction};
use super::outcomes::{Flaw, Outcomes};
use super::points::{Point, points};
use super::standing::{Candidate, Standing, standings};
use super::sweep::{SATURATION_HIGH, Sweep};
use crate::quote::{self, form};
use crate::statistics::{Estimate, short};
use crate::sweep::bars::{error_bars, overlap};
use crate::sweep::{Schema, parts};

/// Largest number of metrics for a front.
const MOST_OBJECTIVES: usize = 3;
/// The note of a saturation that was not searched for.
const READ_OFF: &str = "saturation is read off the loads of the sweep: as coarse as its steps, never beyond the last, and too high in short windows";

/// A metric with its better direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    /// Column of the metric.
    pub column: usize,
    /// Better direction of the metric.
    pub better: Better,
}

impl Objective {
    /// The objective with this name. The better direction comes from the metric. A metric without a
    /// better direction gets the given direction.
    ///
    /// # Errors
    /// There is no such metric.
    pub fn named(sweep: &Sweep, name: &str, or: Better) -> Result<Self, ExploreError> {
        let column = sweep.schema.metric(name)?;
        Ok(Self { column, better: direction(&sweep.schema.columns[column].name).unwrap_or(or) })
    }
}

/// A bound of the mean of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Column of the metric.
    pub column: usize,
    /// `More` for at least, `Less` for at most.
    pub side: Better,
    /// The bound.
    pub at: f64,
}

impl Bound {
    /// Reads `METRIC=NUMBER`.
    ///
    /// # Errors
    /// The text is no bound, or there is no such metric.
    pub fn parse(schema: &Schema, text: &str, side: Better) -> Result<Self, ExploreError> {
        let refuse = || {
            let text = quote::excerpt(text);
            ExploreError::Question(format!("\"{text}\" is no bound; allowed: METRIC=NUMBER, such as saturation=0.3"))
        };
        let (name, at) = text.split_once('=').ok_or_else(refuse)?;
        let at = at.trim().parse().ok().filter(|at: &f64| at.is_finite()).ok_or_else(refuse)?;
        Ok(Self { column: schema.metric(name.trim())?, side, at })
    }

    /// Whether a mean holds the bound.
    #[must_use]
    pub fn holds(&self, estimate: &Estimate) -> bool {
        self.holds_value(estimate.mean)
    }

    /// Whether a value holds the bound.
    #[must_use]
    pub(crate) fn holds_value(&self, value: f64) -> bool {
        match self.side {
            Better::Less => value <= self.at,
            Better::More => value >= self.at,
        }
    }

    /// Whether the interval of an estimate has values on both sides of the bound.
    #[must_use]
    pub(crate) fn is_crossed_by(&self, estimate: &Estimate) -> bool {
        estimate.low() < self.at && self.at < estimate.high()
    }

    /// `saturation at least 0.3`.
    #[must_use]
    pub fn text(&self, schema: &Schema) -> String {
        let side = if self.side == Better::Less { "at most" } else { "at least" };
        format!("{} {side} {}", schema.columns[self.column].name, self.at)
    }

    /// How a value breaks the bound: `latency_last_p99 is 112, 12 % above 100`.
    #[must_use]
    pub(crate) fn broken(&self, name: &str, value: f64) -> String {
        let side = if self.side == Better::Less { "above" } else { "below" };
        let percent = 100.0 * ((value - self.at) / self.at).abs();
        let by = if percent.is_finite() { format!("{percent:.1} % ") } else { String::new() };
        format!("{name} is {}, {by}{side} {}", short(value), self.at)
    }
}

/// Values of a varied field to which a question is limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Column of the field.
    pub column: usize,
    /// Allowed values.
    pub values: Vec<String>,
}

impl Filter {
    /// Reads `FIELD=VALUE,VALUE`.
    ///
    /// # Errors
    /// The text is no filter, there is no such field, or it never has such a value.
    pub fn parse(sweep: &Sweep, text: &str) -> Result<Self, ExploreError> {
        Self::among(&sweep.schema, text, |column| {
            let mut known: Vec<&str> = Vec::new();
            for row in 0..sweep.len() {
                let cell = sweep.text(row, column);
                if known.last() != Some(&cell) && !known.contains(&cell) {
                    known.push(cell);
                }
            }
            Ok(known.into_iter().map(str::to_owned).collect())
        })
    }

    /// The same as [`Filter::parse`], for known values of a column.
    pub(crate) fn among(
        schema: &Schema,
        text: &str,
        known: impl FnOnce(usize) -> Result<Vec<String>, ExploreError>,
    ) -> Result<Self, ExploreError> {
        let refuse = || {
            let text = quote::excerpt(text);
            let allowed = "FIELD=VALUE,VALUE, such as load=0.1; metrics have bounds, such as --at-most p99=100";
            ExploreError::Question(format!("\"{text}\" is no condition; allowed: {allowed}"))
        };
        let (name, values) = text.split_once('=').ok_or_else(refuse)?;
        if name.ends_with(['<', '>', '!']) {
            return Err(refuse());
        }
        let column = schema.axis(name.trim())?;
        let known = known(column)?;
        // A value such as (hop_cycles: 1, ports: [2, 3]) is first taken as a whole, then as a list.
        let whole = known.iter().any(|cell| same(cell, values.trim()));
        let values: Vec<String> = if whole {
            vec![values.trim().to_owned()]
        } else {
            parts(values, ',').into_iter().map(str::to_owned).collect()
        };
        if let Some(value) = values.iter().find(|value| !known.iter().any(|cell| same(cell, value))) {
            let name = &schema.columns[column].name;
            let known: Vec<String> =
                known.iter().filter(|cell| !cell.is_empty()).map(|cell| quote::excerpt(cell)).collect();
            let allowed = match &known[..] {
                [] => "no run has a value of it".to_owned(),
                _ => format!("allowed: {}", quote::list(&known)),
            };
            let message = format!("{name} is never {} in this sweep; {allowed}", quote::excerpt(value));
            return Err(ExploreError::Question(message));
        }
        Ok(Self { column, values })
    }

    /// Whether a point has one of the values.
    #[must_use]
    pub fn holds(&self, sweep: &Sweep, point: &Point) -> bool {
        self.allows(point.axis(sweep, self.column))
    }

    /// Whether a value is one of the allowed values.
    pub(super) fn allows(&self, value: &str) -> bool {
        self.values.iter().any(|allowed| same(value, allowed))
    }
}

/// Note with the number of points that were refused, and the reason of the first.
fn refused_note(sweep: &Sweep, refused: &[Point], all: usize) -> Option<String> {
    let Point { number, rows, .. } = refused.first()?;
    let were = quote::form(refused.len(), "was", "were");
    let why = rows.first().map(|&row| sweep.reason(row)).filter(|why| !why.is_empty());
    let why = why.map(|why| format!("; the first, point {number}: {}", quote::message(why)));
    Some(format!("{} of {all} points {were} refused{}", refused.len(), why.unwrap_or_default()))
}

/// Whether two texts are the same value: 0.10 is 0.1, blanks have no meaning, and a text needs no
/// quotes.
#[allow(clippy::float_cmp)] // The numbers are compared as they are written, without computing.
fn same(cell: &str, value: &str) -> bool {
    let bare = |text: &str| text.trim_matches('"').chars().filter(|c| !c.is_whitespace()).collect::<String>();
    cell == value
        || bare(cell) == bare(value)
        || matches!((cell.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// Objectives, bounds and filters.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// With one metric, the answer is the best points. With two or three metrics, it is their
    /// Pareto front.
    pub objectives: Vec<Objective>,
    /// Bounds that points must hold.
    pub bounds: Vec<Bound>,
    /// Filters of points.
    pub filters: Vec<Filter>,
}

/// A point that holds all bounds.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The point.
    pub point: Point,
    /// The values of the objectives, then the values of metrics that have only a bound.
    pub values: Vec<Estimate>,
    /// Standing of the point. A standing names another point by its place in [`Answer::judged`].
    pub standing: Standing,
    /// Bounds that hold by the mean, while the interval reaches across.
    pub uncertain: Vec<Bound>,
    /// Interval of the saturation, if it is read off the loads: the greatest load that is not too
    /// much, and the smallest that is. The second is `None` if no load was too much.
    pub read_off: Option<(f64, Option<f64>)>,
}

/// A point that is not judged, because a metric of the question is not sound at this point. The
/// point meets all bounds of other metrics.
#[derive(Clone, Debug)]
pub struct Unsound {
    /// The point.
    pub point: Point,
    /// Values of the point, as in [`Judged::values`].
    pub values: Vec<Estimate>,
    /// Columns that are not sound.
    pub columns: Vec<usize>,
}

/// Answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The objectives.
    pub objectives: Vec<Objective>,
    /// Columns of [`Judged::values`].
    pub columns: Vec<usize>,
    /// Columns in which points differ.
    pub axes: Vec<usize>,
    /// Points that hold all bounds, the best of the first objective first.
    pub judged: Vec<Judged>,
    /// Points with a metric that is not sound, in the order of the sweep.
    pub unsound: Vec<Unsound>,
    /// Notes on the answer.
    pub notes: Vec<String>,
}

impl Question {
    /// The metrics of a question: the objectives, then metrics that have only a bound.
    ///
    /// # Errors
    /// There is no objective, or there are too many.
    pub(super) fn columns(&self, sweep: &Sweep) -> Result<Vec<usize>, ExploreError> {
        let mut columns: Vec<usize> = self.objectives.iter().map(|objective| objective.column).collect();
        let distinct = columns.iter().collect::<HashSet<_>>().len() == columns.len();
        if columns.is_empty() || columns.len() > MOST_OBJECTIVES || !distinct {
            let name = |&column: &usize| sweep.schema.columns[column].name.as_str();
            let names: Vec<&str> = columns.iter().map(name).collect();
            let message = format!("objectives are: {}; allowed: one to three different metrics", names.join(", "));
            return Err(ExploreError::Question(message));
        }
        for bound in &self.bounds {
            if !columns.contains(&bound.column) {
                columns.push(bound.column);
            }
        }
        Ok(columns)
    }

    /// Judges the points of a sweep.
    ///
    /// # Errors
    /// There is no objective, there are too many, or no point has all that is asked for.
    #[allow(clippy::too_many_lines)] // One step after the other.
    pub fn ask(&self, sweep: &Sweep) -> Result<Answer, ExploreError> {
        let name = |column: usize| sweep.schema.columns[column].name.as_str();
        let columns = self.columns(sweep)?;
        let mut axes = sweep.axes();
        axes.retain(|axis| !columns.contains(axis));
        let mut notes: Vec<String> = Vec::new();
        let mut found = points(sweep);
        found.retain(|point| self.filters.iter().all(|filter| filter.holds(sweep, point)));
        if found.is_empty() {
            return Err(ExploreError::Question("no point meets all conditions of --where at once".to_owned()));
        }
        if let Some(load) = sweep.load() {
            if one_a_hardware(sweep, &mut found, &columns) {
                axes.retain(|axis| sweep.hardware_axes().contains(axis));
            } else if !self.filters.iter().any(|filter| filter.column == load) && !columns.contains(&load) {
                let load = name(load);
                notes.push(format!("points differ in {load} as well; --where {load}=VALUE compares them at one"));
            }
        }
        if columns.iter().any(|&column| name(column) == "saturation") && sweep.saturation_is_coarse() {
            notes.push(READ_OFF.to_owned());
            notes.extend(hasty(sweep.hasty_saturations()));
        }
        if sweep.schema.seeds < 2 {
            notes.push("with one seed for each point the noise is unknown: small differences may be noise".to_owned());
        }
        let all = found.len();
        let mut complete: Vec<(Point, Vec<Estimate>)> = Vec::new();
        let mut lacking = vec![0; columns.len()];
        let mut refused: Vec<Point> = Vec::new();
        for point in found {
            let values: Vec<_> = columns.iter().map(|&column| point.estimate(sweep, column)).collect();
            match values.iter().position(Option::is_none) {
                Some(_) if point.is_refused() => refused.push(point),
                Some(which) => lacking[which] += 1,
                None => complete.push((point, values.into_iter().flatten().collect())),
            }
        }
        notes.extend(refused_note(sweep, &refused, all));
        for (lacking, &column) in lacking.iter().zip(&columns).filter(|(lacking, _)| **lacking > 0) {
            let is_read_off = name(column) == "saturation" && sweep.saturation_is_coarse();
            let why = if is_read_off { ": runs that it needs are missing, or max_cycles stopped them" } else { "" };
            notes.push(format!("{lacking} of {all} points have no {}{why}", name(column)));
        }
        let of = |values: &[Estimate], column: usize| values[columns.iter().position(|c| *c == column).unwrap_or(0)];
        let holds = |bound: &Bound, values: &[Estimate]| bound.holds(&of(values, bound.column));
        let mut unsound: Vec<Unsound> = Vec::new();
        complete.retain(|(point, values)| {
            let is_not = |column: &usize| point.flaw(sweep, *column).is_some();
            let columns: Vec<usize> = columns.iter().copied().filter(is_not).collect();
            let is_sound = columns.is_empty();
            if !is_sound {
                unsound.push(Unsound { point: point.clone(), values: values.clone(), columns });
            }
            is_sound
        });
        for &column in &columns {
            let flaws: Vec<Flaw> = unsound.iter().filter_map(|of| of.point.flaw(sweep, column)).collect();
            notes.extend(Flaw::note(&flaws, all, "point", name(column)));
        }
        if complete.is_empty() {
            return Err(ExploreError::Question(format!("nothing to compare: {}", notes.join("; "))));
        }
        let held = |values: &[Estimate]| self.bounds.iter().all(|bound| holds(bound, values));
        if !complete.iter().any(|(_, values)| held(values)) {
            let told = self.excluded(sweep, &complete, holds, of);
            let flaw = |of: &Unsound| of.columns.iter().filter_map(|&column| of.point.flaw(sweep, column)).max();
            let flaws: Vec<Flaw> = unsound.iter().filter_map(flaw).collect();
            let more = match flaws.len() {
                0 => String::new(),
                more => format!("; {more} more {} not judged: {}", form(more, "is", "are"), Flaw::counts(&flaws)),
            };
            return Err(ExploreError::Question(told + &more));
        }
        unsound.retain(|Unsound { values, columns, .. }| {
            let judged = |bound: &&Bound| !columns.contains(&bound.column);
            self.bounds.iter().filter(judged).all(|bound| holds(bound, values))
        });
        let considered = complete.len();
        complete.retain(|(_, values)| held(values));
        if complete.len() < considered {
            notes.push(format!("{} of {considered} points do not meet the bounds", considered - complete.len()));
        }
        let first = self.objectives[0];
        let sign = if first.better == Better::Less { 1.0 } else { -1.0 };
        complete.sort_by(|(_, a), (_, b)| (sign * a[0].mean).total_cmp(&(sign * b[0].mean)));
        let better: Vec<Better> = self.objectives.iter().map(|objective| objective.better).collect();
        let candidates = complete
            .iter()
            .map(|(point, values)| Candidate { values: &values[..better.len()], can_deadlock: point.can_deadlock });
        let standings = standings(&candidates.collect::<Vec<_>>(), &better);
        let judge = |((point, values), standing): ((Point, Vec<Estimate>), _)| {
            let crossed = |bound: &&Bound| bound.is_crossed_by(&of(&values, bound.column));
            let uncertain = self.bounds.iter().filter(crossed).copied().collect();
            let saturation = columns.iter().position(|&column| name(column) == "saturation");
            let read_off = saturation.filter(|_| sweep.saturation_is_coarse()).map(|at| {
                let high = sweep.schema.columns.iter().position(|column| column.name == SATURATION_HIGH);
                (values[at].mean, high.and_then(|high| point.estimate(sweep, high)).map(|high| high.mean))
            });
            Judged { point, values, standing, uncertain, read_off }
        };
        let judged: Vec<Judged> = complete.into_iter().zip(standings).map(judge).collect();
        notes.extend(open_ended(&judged));
        notes.extend(scatter(sweep, &columns, &judged));
        notes.extend(estimated(sweep, &columns, &judged));
        Ok(Answer { objectives: self.objectives.clone(), judged, unsound, columns, axes, notes })
    }

    /// Reason why no point holds all bounds.
    fn excluded(
        &self,
        sweep: &Sweep,
        valued: &[(Point, Vec<Estimate>)],
        holds: impl Fn(&Bound, &[Estimate]) -> bool,
        of: impl Fn(&[Estimate], usize) -> Estimate,
    ) -> String {
        let all = valued.len();
        let excluded = |bound: &Bound| valued.iter().filter(|(_, values)| !holds(bound, values)).count();
        let mut bounds: Vec<(&Bound, usize)> = self.bounds.iter().map(|bound| (bound, excluded(bound))).collect();
        bounds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let told = bounds.iter().map(|(bound, count)| {
            let means = valued.iter().map(|(_, values)| of(values, bound.column).mean);
            let best = match bound.side {
                Better::Less => means.fold(f64::INFINITY, f64::min),
                Better::More => means.fold(f64::NEG_INFINITY, f64::max),
            };
            format!("{} excludes {count} (the best has {})", bound.text(&sweep.schema), short(best))
        });
        format!("none of {all} points meets all bounds: {}", told.collect::<Vec<_>>().join("; "))
    }
}

/// Keeps one point of each hardware if no metric depends on the load. Returns whether it did.
/// Points of the same hardware may have different seeds, and so different means. So each seed must
/// have the same values at all loads.
pub(crate) fn one_a_hardware(sweep: &Sweep, found: &mut Vec<Point>, columns: &[usize]) -> bool {
    if sweep.load().is_some_and(|load| columns.contains(&load)) {
        return false;
    }
    let has_run = |row: &&usize| sweep.outcome(**row) != "refused";
    let mut known: HashMap<(Vec<&str>, &str), Vec<Option<f64>>> = HashMap::new();
    for &row in found.iter().flat_map(|point| &point.rows).filter(has_run) {
        let values: Vec<Option<f64>> = columns.iter().map(|&column| sweep.number(row, column)).collect();
        let first = known.entry((sweep.hardware(row), sweep.seed_index(row))).or_insert_with(|| values.clone());
        if *first != values {
            return false;
        }
    }
    // The first point with the most seeds represents all points, and takes their outcomes.
    let seeds = |point: &Point| point.rows.iter().filter(has_run).count();
    let mut kept: HashMap<Vec<&str>, (usize, Outcomes)> = HashMap::new();
    for (at, point) in found.iter().enumerate() {
        let (first, outcomes) = kept.entry(sweep.hardware(point.rows[0])).or_insert((at, Outcomes::default()));
        if seeds(point) > seeds(&found[*first]) {
            *first = at;
        }
        outcomes.merge(&point.outcomes);
    }
    let mut kept: HashMap<usize, Outcomes> = kept.into_values().collect();
    let points = std::mem::take(found).into_iter().enumerate();
    *found = points.filter_map(|(at, point)| Some(Point { outcomes: kept.remove(&at)?, ..point })).collect();
    true
}

/// A note that this number of saturations from loads is too high.
fn hasty(runs: usize) -> Option<String> {
    (runs > 0).then(|| {
        format!(
            "{} below saturation accepted under 95 % of what was offered: their windows are too short to detect \
             saturation, so that the true saturation is lower; a longer measure_cycles or sweep --saturation finds it",
            quote::counted(runs as u64, "run")
        )
    })
}

/// A note on points that no load of the sweep saturates. Two of them have the same saturation here,
/// so only the other metrics order them.
fn open_ended(judged: &[Judged]) -> Option<String> {
    let open = judged.iter().filter(|of| matches!(of.read_off, Some((_, None)))).count();
    (open > 1).then(|| {
        format!(
            "no load saturates {open} of {}, so their order by saturation is not known; greater loads, or sweep \
             --saturation, tell it",
            quote::counted(judged.len() as u64, "point")
        )
    })
}

/// For each metric with a wide interval on the front, the number of seeds that would be enough.
fn scatter(sweep: &Sweep, columns: &[usize], judged: &[Judged]) -> Vec<String> {
    let note = |(which, &column): (usize, &usize)| {
        let name = &sweep.schema.columns[column].name;
        // A value that is read off the loads stays as coarse with more seeds.
        if name == "saturation" && sweep.saturation_is_coarse() {
            return None;
        }
        let led = judged.iter().filter(|of| !matches!(of.standing, Standing::Dominated(_)));
        more_seeds(name, led.map(|of| (&*of.point.number, of.values[which])))
    };
    columns.iter().enumerate().filter_map(note).collect()
}

/// For each estimate, its error on the front, and the number of neighbours whose bars overlap.
fn estimated(sweep: &Sweep, columns: &[usize], judged: &[Judged]) -> Vec<String> {
    let at = |name: &&str| sweep.schema.columns.iter().position(|column| column.name == **name);
    let led: Vec<&Judged> = judged.iter().filter(|of| !matches!(of.standing, Standing::Dominated(_))).collect();
    let note = |(which, &column): (usize, &usize)| {
        let name = &sweep.schema.columns[column].name;
        let bars = error_bars(name)?;
        let sum = |of: &Judged, parts: &[&str]| {
            let parts: Option<Vec<f64>> =
                parts.iter().map(|part| Some(of.point.estimate(sweep, at(part)?)?.mean)).collect();
            Some(parts?.iter().sum::<f64>())
        };
        let mut found: Vec<(f64, f64, f64)> = led
            .iter()
            .map(|of| Some((of.values[which].mean, sum(of, bars.whole)?, sum(of, bars.between)?)))
            .collect::<Option<_>>()?;
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole = percents(found.iter().map(|of| of.1));
        let mut note = format!("{name} is an estimate, ± {whole} %");
        if bars.whole != bars.between {
            let between = percents(found.iter().map(|of| of.2));
            let _ = write!(note, ", of which ± {between} % is left between two networks with the same coefficients");
        }
        // Points of the same value have no order.
        found.dedup_by(|a, b| a.0.total_cmp(&b.0).is_eq());
        let pairs = found.len().saturating_sub(1);
        let alike = found.windows(2).filter(|pair| overlap((pair[0].0, pair[0].2), (pair[1].0, pair[1].2))).count();
        if alike > 0 {
            let neighbours = form(pairs, "pair", "pairs");
            let _ = write!(
                note,
                "; the bars of {alike} of {pairs} {neighbours} of neighbours on the front overlap, so their order is not \
                 certain"
            );
        }
        Some(note)
    };
    columns.iter().enumerate().filter_map(note).collect()
}

/// `7`, or `7 to 50`.
fn percents(all: impl Iterator<Item = f64>) -> String {
    let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(low, high), of| (low.min(of), high.max(of)));
    let (low, high) = (format!("{low:.0}"), format!("{high:.0}"));
    if low == high { low } else { format!("{low} to {high}") }
}

/// The number of seeds that would be enough for the points with wide intervals.
pub(crate) fn more_seeds<'a>(metric: &str, points: impl Iterator<Item = (&'a str, Estimate)>) -> Option<String> {
    // Width, as a share of the mean to either side, that deserves a note and that would be enough.
    const WIDE: f64 = 0.1;
    const ENOUGH: f64 = 0.05;
    let share = |of: &Estimate| of.half_width.unwrap_or(0.0) / of.mean.abs();
    let wide = points.filter(|(_, of)| share(of) > WIDE);
    let (point, widest) = wide.max_by(|(_, a), (_, b)| share(a).total_cmp(&share(b)))?;
    let seeds = widest.runs_for(ENOUGH)?;
    let option = if metric == "saturation" { String::new() } else { format!(", or --seeds-until {metric}=5%") };
    Some(format!(
        "the 95 % interval of {metric} is ± {:.0} % of its mean at point {point}, with {} seeds; about {seeds} seeds \
         narrow it to 5 %: wormscope sweep --seeds {seeds} -o NEW_DIRECTORY{option}",
        share(&widest) * 100.0,
        widest.runs
    ))
}
