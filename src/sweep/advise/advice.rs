//! The advice: gains and costs of all changes, as a table and as a picture.

use std::fmt::Write as _;

use serde::Serialize;

use super::changes::Change;
use super::columns::Columns;
use super::runs::{Job, Ran};
use crate::explore::Flaw;
use crate::quote::{self, counted};
use crate::report::chart::{Axis, Chart, Look, Series};
use crate::report::mark::Mark;
use crate::statistics::{Estimate, short};
use crate::table::Table;

/// A metric of a changed experiment against that of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// Mean over the seeds.
    pub value: f64,
    /// Gain in per cent of the experiment's value, mean over the seeds. More is better.
    pub percent: f64,
    /// Half the width of the 95 % interval of the gain; `None` with one seed.
    pub half_width: Option<f64>,
}

impl Gain {
    /// Whether the interval has only values above 0, or only values below.
    fn is_sure(&self) -> bool {
        self.half_width.is_none_or(|half| self.percent.abs() > half)
    }

    fn text(&self) -> String {
        match self.half_width {
            Some(half) => format!("{:+.1} ± {half:.1} %", self.percent),
            None => format!("{:+.1} %", self.percent),
        }
    }
}

/// A change that was run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The change in words.
    pub change: String,
    /// Fields of the change, each as `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Gain at the load of the experiment; `None` if a run was not sound.
    pub load: Option<Gain>,
    /// Gain at the point of saturation; `None` without a search.
    pub saturation: Option<Gain>,
    /// Added area in GE.
    pub area: f64,
    /// Added area in per cent.
    pub area_percent: f64,
    /// Error of the area of the changed network, in per cent to either side.
    pub area_error_percent: f64,
    /// Added levels of logic.
    pub levels: f64,
    /// Error of the levels of the changed network, in per cent to either side.
    pub levels_error_percent: f64,
    /// The gravest end of its runs, if it is not sound.
    pub flaw: Option<String>,
}

impl Tried {
    /// Whether the change moves registers into the path of a flit, or out of it. The estimate of
    /// the levels does not see this (docs/explain/cost.md, depth of logic).
    fn hides_levels(&self) -> bool {
        let fields = ["network.switch.routing_cycles=", "network.switch.allocation_cycles="];
        self.sets.iter().any(|set| fields.iter().any(|field| set.starts_with(field)))
    }

    /// Gain for each GE: the gain at the load if it is known, else at saturation. A gain for
    /// nothing is infinite. A loss, a gain within noise, or a gain that hides its levels, is 0.
    fn promise(&self) -> f64 {
        if self.hides_levels() {
            return 0.0;
        }
        let gain = self.load.or(self.saturation);
        gain.filter(|gain| gain.is_sure() && gain.percent > 0.0).map_or(0.0, |gain| match self.area {
            area if area <= 0.0 => f64::INFINITY,
            area => gain.percent / area,
        })
    }
}

/// Advice about an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    /// The file.
    pub file: String,
    /// The metric at the load of the experiment, with its unit.
    pub metric: String,
    /// Its value, over the seeds; `None` if a run was not sound.
    pub value: Option<f64>,
    /// The gravest end of the runs of the experiment, if one is not sound.
    pub flaw: Option<String>,
    /// Saturation of the experiment, if it was searched.
    pub saturation: Option<f64>,
    /// Unit of the saturation.
    pub saturation_metric: String,
    /// Area of the network in GE.
    pub area: f64,
    /// Error of the area, in per cent to either side.
    pub area_error_percent: f64,
    /// Levels of logic.
    pub levels: f64,
    /// Error of the levels, in per cent to either side.
    pub levels_error_percent: f64,
    /// Shares of the cycles of worms, the largest first.
    pub cycles: Vec<(String, f64)>,
    /// Changes with their gains, the largest gain for each GE first.
    pub tried: Vec<Tried>,
    /// Number of seeds.
    pub seeds: u32,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// A column over the seeds.
fn values(ran: &Ran, column: usize) -> Vec<Option<f64>> {
    ran.rows.iter().map(|row| row.get(column + ran.fields).and_then(|cell| cell.parse().ok())).collect()
}

fn mean(ran: &Ran, column: usize) -> Option<f64> {
    let values: Option<Vec<f64>> = values(ran, column).into_iter().collect();
    Some(Estimate::of(&values?)?.mean)
}

/// Gain of a column against the same column of the experiment, seed by seed.
fn gain(before: &Ran, after: &Ran, column: usize, less_is_better: bool) -> Option<Gain> {
    let pairs = values(before, column).into_iter().zip(values(after, column));
    let gains: Option<Vec<f64>> = pairs
        .map(|(before, after)| {
            let (before, after) = (before?, after?);
            let gain = if less_is_better { before - after } else { after - before };
            Some(100.0 * gain / before)
        })
        .collect();
    let estimate = Estimate::of(&gains?)?;
    let value = mean(after, column)?;
    Some(Gain { value, percent: estimate.mean, half_width: estimate.half_width })
}

/// The gravest flaw of some runs.
fn flaw(ran: &Ran, outcome: usize) -> Option<Flaw> {
    let outcomes = ran.rows.iter().filter_map(|row| row.get(outcome + ran.fields));
    outcomes.filter_map(|outcome| Flaw::of(outcome)).max()
}

/// Compares all jobs with the first, which is the experiment itself.
pub(super) fn compared(all: &[Job], ran: &[Ran], columns: &Columns, is_whole: bool) -> Advice {
    let Some(((job, rest), (before, others))) = all.split_first().zip(ran.split_first()) else {
        return Advice::default();
    };
    let known = |column: usize| mean(before, column).unwrap_or(f64::NAN);
    let begun = flaw(before, columns.outcome);
    let metric = columns.metric(begun);
    let (area, levels) = (known(columns.area), known(columns.levels));
    let mut tried: Vec<Tried> = Vec::new();
    for (job, after) in rest.iter().zip(others) {
        let Some(Change { name, sets }) = &job.change else { continue };
        // A change is compared only with all its seeds.
        if after.rows.len() < before.rows.len() || after.rows.is_empty() {
            continue;
        }
        let outcomes = || after.rows.iter().filter_map(|row| row.get(columns.outcome + after.fields));
        if outcomes().any(|outcome| outcome == "refused") {
            continue;
        }
        let flaw = flaw(after, columns.outcome);
        let is_sound = |flaw: Option<Flaw>| flaw.is_none_or(|flaw| !metric.is_touched(flaw));
        let load = gain(before, after, metric.place, metric.less_is_better);
        let load = load.filter(|_| is_sound(flaw) && is_sound(begun));
        let saturation = columns.saturation.and_then(|column| gain(before, after, column, false));
        let added = mean(after, columns.area).unwrap_or(f64::NAN) - area;
        tried.push(Tried {
            change: name.clone(),
            sets: sets.clone(),
            load,
            saturation,
            area: added,
            area_percent: 100.0 * added / area,
            area_error_percent: mean(after, columns.area_error).unwrap_or(f64::NAN),
            levels: mean(after, columns.levels).unwrap_or(f64::NAN) - levels,
            levels_error_percent: mean(after, columns.levels_error).unwrap_or(f64::NAN),
            flaw: flaw.map(|flaw| flaw.name().to_owned()),
        });
    }
    let percent = |tried: &Tried| tried.load.or(tried.saturation).map_or(f64::NEG_INFINITY, |gain| gain.percent);
    tried.sort_by(|a, b| b.promise().total_cmp(&a.promise()).then(percent(b).total_cmp(&percent(a))));
    let mut cycles: Vec<(String, f64)> =
        columns.cycles.iter().filter_map(|(name, column)| Some((name.clone(), mean(before, *column)?))).collect();
    cycles.sort_by(|a, b| b.1.total_cmp(&a.1));
    Advice {
        file: job.grid.bases.first().map(|base| base.name.clone()).unwrap_or_default(),
        metric: metric.label.clone(),
        value: mean(before, metric.place).filter(|_| begun.is_none_or(|flaw| !metric.is_touched(flaw))),
        flaw: begun.map(|flaw| flaw.name().to_owned()),
        saturation: columns.saturation.map(known),
        saturation_metric: columns.saturation_metric.clone(),
        area,
        area_error_percent: known(columns.area_error),
        levels,
        levels_error_percent: known(columns.levels_error),
        cycles,
        tried,
        seeds: before.rows.len() as u32,
        interrupted: !is_whole,
    }
}

impl Advice {
    /// The advice for readers.
    #[must_use]
    pub fn text(&self) -> String {
        let (header, rows) = self.table();
        let mut table = Table::new(&header, &[0, header.len() - 1]);
        for row in rows {
            table.row(row);
        }
        let next = self.next().map_or_else(String::new, |options| format!("\nnext, run it with{options}\n"));
        self.about() + "\n" + &table.text() + &next
    }

    /// Lines about the experiment: its values, and where the cycles went.
    #[must_use]
    pub fn about(&self) -> String {
        let value = self.value.map_or_else(|| "unknown".to_owned(), short);
        let mut text = format!("{} of {}: {value}", self.metric, self.file);
        if let Some(saturation) = self.saturation {
            let _ = write!(text, "; {} {}", self.saturation_metric, short(saturation));
        }
        let seeds = counted(self.seeds, "seed");
        let (area, levels) = (self.area_error_percent, self.levels_error_percent);
        let _ = writeln!(
            text,
            "; {} GE ± {area:.0} %, {} levels ± {levels:.0} %; {seeds}",
            short(self.area),
            short(self.levels)
        );
        let cycles: Vec<String> =
            self.cycles.iter().map(|(name, share)| format!("{name} {:.1} %", 100.0 * share)).collect();
        if !cycles.is_empty() {
            let _ = writeln!(text, "where the cycles of worms went: {}", cycles.join(", "));
        }
        if let Some(flaw) = &self.flaw {
            let _ = match self.value {
                None => writeln!(
                    text,
                    "{flaw}, so no gain at the load is known; to see why, run: wormscope deadlock {}",
                    quote::shell(&self.file)
                ),
                Some(_) => writeln!(text, "{flaw}: latencies depend on the length of the run, so loads are compared"),
            };
        }
        text
    }

    /// The table of the changes: its header and its rows. The first column and the last have text.
    #[must_use]
    pub fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let at_saturation = self.saturation.is_some();
        let mut header = vec!["change", "value", "gain at the load"];
        header.extend(at_saturation.then_some("gain at saturation"));
        header.extend(["added GE", "%", "levels", "gain per kGE", "remarks"]);
        let row = |tried: &Tried| {
            let or_dash = |gain: Option<String>| gain.unwrap_or_else(|| "-".to_owned());
            let mut row = vec![tried.change.clone()];
            row.push(or_dash(tried.load.map(|gain| short(gain.value))));
            row.push(or_dash(tried.load.map(|gain| gain.text())));
            row.extend(at_saturation.then(|| or_dash(tried.saturation.map(|gain| gain.text()))));
            row.extend([format!("{:+.0}", tried.area), format!("{:+.1}", tried.area_percent)]);
            row.push(format!("{:+.0}", tried.levels));
            row.push(match 1000.0 * tried.promise() {
                0.0 => "-".to_owned(),
                promise if promise.is_infinite() => "for nothing".to_owned(),
                promise => format!("{promise:+.3} %"),
            });
            let noise = tried.load.or(tried.saturation).filter(|gain| !gain.is_sure());
            // An error that is much larger than that of the experiment.
            let error = |name: &str, of: f64, own: f64| (of > own + 5.0).then(|| format!("{name} ± {of:.0} %"));
            let errors = [
                error("area", tried.area_error_percent, self.area_error_percent),
                error("levels", tried.levels_error_percent, self.levels_error_percent),
            ];
            let at = if at_saturation && tried.load.is_some() { " at the load" } else { "" };
            let remarks = tried.flaw.clone().into_iter().chain(noise.map(|_| format!("within noise{at}")));
            let hidden = tried.hides_levels().then(|| "levels not estimated".to_owned());
            let remarks = remarks.chain(errors.into_iter().flatten()).chain(hidden);
            row.push(remarks.collect::<Vec<_>>().join("; "));
            row
        };
        (header, self.tried.iter().map(row).collect())
    }

    /// The change with the largest gain for each GE. `None` if no change gains.
    #[must_use]
    pub fn best(&self) -> Option<&Tried> {
        self.tried.first().filter(|best| best.promise() > 0.0)
    }

    /// Options that make this change.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        let best = self.best()?;
        Some(best.sets.iter().map(|set| [" --set ", &quote::shell(set)].concat()).collect())
    }

    /// The gains against the added area, as a picture.
    #[must_use]
    pub fn chart(&self) -> Chart {
        let with_gain = self.tried.iter().filter_map(|tried| Some((tried, tried.load.or(tried.saturation)?)));
        let mut series = Vec::new();
        let mut notes = Vec::new();
        for (name, is_sure, colour) in [("beyond noise", true, 0), ("within noise", false, 1)] {
            let here: Vec<_> = with_gain.clone().filter(|(_, gain)| gain.is_sure() == is_sure).collect();
            let points = here.iter().map(|(tried, gain)| (tried.area_percent, gain.percent)).collect();
            let ends = |(tried, gain): &(&Tried, Gain)| {
                let half = gain.half_width.unwrap_or(0.0);
                [(tried.area_percent, gain.percent - half), (tried.area_percent, gain.percent + half)]
            };
            let whiskers = here.iter().flat_map(ends).collect();
            series.push(Series { name: String::new(), points: whiskers, look: Look::Whiskers, colour });
            series.push(Series { name: name.to_owned(), points, look: Look::Marked(Mark::Dot), colour });
            notes.extend(here.iter().map(|(tried, gain)| ((tried.area_percent, gain.percent), tried.change.clone())));
        }
        let all = || series.iter().flat_map(|series| series.points.iter());
        let span = |values: Vec<f64>| {
            let low = values.iter().copied().fold(0.0, f64::min);
            let high = values.iter().copied().fold(0.0, f64::max);
            let room = 0.08 * (high - low).max(1.0);
            Some((low - room, high + room))
        };
        let x = Axis { span: span(all().map(|of| of.0).collect()), ..Axis::linear("added area (%, estimate)") };
        let y =
            Axis { span: span(all().map(|of| of.1).collect()), ..Axis::linear(format!("gain of {} (%)", self.metric)) };
        Chart { title: format!("One-step changes of {}", self.file), x, y, series, notes }
    }
}
