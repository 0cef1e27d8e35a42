//! The answer, as text and as data.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use crate::explore::{Flaw, accepts};
use crate::quote::{counted, form};
use crate::statistics::{Estimate, short};
use crate::table::Table;

/// Error of an estimate, in per cent to either side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorBar {
    /// The whole error.
    pub percent: f64,
    /// The part that is left between two networks with the same coefficients.
    pub between: f64,
}

/// A network that meets all bounds.
#[derive(Clone, Debug, Serialize)]
pub struct Holder {
    /// Number of its point in the grid.
    pub point: u64,
    /// The fields in which networks of the space differ, with their values.
    pub fields: Vec<(String, String)>,
    /// The objective, then the metrics of the bounds.
    #[serde(serialize_with = "estimates")]
    pub values: Vec<Estimate>,
    /// Errors of these values; `None` for a value that is no estimate.
    pub errors: Vec<Option<ErrorBar>>,
    /// Bounds that the mean meets while its interval reaches across.
    pub unsure: Vec<String>,
    /// Bounds of estimates that hold while the error of the estimate reaches across.
    pub estimated: Vec<String>,
    /// Point of the best network, if the bars of both objectives overlap.
    pub alike: Option<u64>,
    /// Point of the best network, if the difference of both objectives is within noise.
    pub ties: Option<u64>,
    /// `can deadlock` or `may deadlock`, if the warning before a run says so.
    pub hazard: Option<&'static str>,
    /// Accepted share of the offered load, if a run did not carry its load.
    pub carried: Option<f64>,
    /// The command that runs it.
    pub command: String,
}

/// A network that misses a bound.
#[derive(Clone, Debug, Serialize)]
pub struct Miss {
    /// Number of its point in the grid.
    pub point: u64,
    /// The fields in which networks of the space differ, with their values.
    pub fields: Vec<(String, String)>,
    /// The objective, if it is known.
    pub objective: Option<f64>,
    /// The largest part by which it misses a bound: 0.12 is 12 %.
    pub by: f64,
    /// The bounds that it misses, in words.
    pub broken: Vec<String>,
    /// Whether only a short run tells so.
    pub short: bool,
    /// The flaw of a run, if its values are not sound.
    pub flaw: Option<Flaw>,
    /// The command that runs it.
    pub command: String,
}

/// The best network without one of the bounds, where no network meets all.
#[derive(Clone, Debug, Serialize)]
pub struct Without {
    /// The bound that is left out.
    pub bound: String,
    /// The best network that meets all other bounds. `None` if no network meets them either.
    pub best: Option<Holder>,
    /// The metric of this bound at that network.
    pub value: Option<f64>,
    /// The network with the best value of this metric of those that ran in full and hold all other
    /// bounds, and the value.
    pub nearest: Option<(u64, f64)>,
}

/// A bound that no network meets, whatever the other bounds are.
#[derive(Clone, Debug, Serialize)]
pub struct Unheld {
    /// The bound.
    pub bound: String,
    /// The network with the best value of its metric, and the value. `None` if no network has one.
    pub nearest: Option<(u64, f64)>,
    /// Whether only networks that ran in full have the metric.
    pub ran: bool,
}

/// Writes each value as its mean, half the width of its interval, and its number of runs.
fn estimates<S: Serializer>(values: &[Estimate], to: S) -> Result<S::Ok, S::Error> {
    let values: Vec<_> = values.iter().map(|value| (value.mean, value.half_width, value.runs)).collect();
    values.serialize(to)
}

/// Result of a search.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Designs {
    /// The objective in words: `least area_ge`.
    pub objective: String,
    /// The bounds in words.
    pub bounds: Vec<String>,
    /// Names of the values of a network, with units.
    pub columns: Vec<String>,
    /// Networks that hold all bounds, the best first.
    pub holders: Vec<Holder>,
    /// Networks that miss a bound, the nearest first. If some network meets all bounds, only
    /// networks that would be better are here.
    pub misses: Vec<Miss>,
    /// The answers without one of the bounds, if no network meets all.
    pub without: Vec<Without>,
    /// Pairs of bounds of one metric that no value meets.
    pub contradictions: Vec<(String, String)>,
    /// The bounds that no network meets alone, if no network meets all.
    pub unheld: Vec<Unheld>,
    /// Number of networks that would be better but deadlock.
    pub deadlocks: u64,
    /// Number of combinations of the space.
    pub combinations: u64,
    /// Number of combinations that break a rule of the configuration.
    pub illegal: u64,
    /// Number of combinations that are the same experiment as another.
    pub same: u64,
    /// Number of networks.
    pub networks: u64,
    /// Number of networks that a value excluded that needs no run.
    pub priced_out: u64,
    /// Number of short runs.
    pub short_runs: u64,
    /// Number of full runs.
    pub full_runs: u64,
    /// Number of full runs of all networks with all seeds.
    pub grid_runs: u64,
    /// Whether the search was stopped before its end.
    pub interrupted: bool,
}

impl Designs {
    /// A search that was stopped before its first run.
    pub(super) fn interrupted() -> Self {
        Self { interrupted: true, ..Self::default() }
    }

    /// The answer for readers.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let bounds = if self.bounds.is_empty() { "no bounds".to_owned() } else { self.bounds.join(", ") };
        let _ = if self.combinations == 0 {
            return "the search ended before the first run\n".to_owned();
        } else if self.holders.is_empty() {
            let so_far = if self.interrupted { "so far, " } else { "" };
            writeln!(text, "{so_far}no network meets {bounds}")
        } else {
            writeln!(text, "{} with {bounds}", self.objective)
        };
        if !self.holders.is_empty() {
            text += &self.table();
        }
        for (above, below) in &self.contradictions {
            let _ = writeln!(text, "{above} contradicts {below}: no value meets both");
        }
        for Unheld { bound, nearest, ran } in &self.unheld {
            let of = if *ran { "of the networks that ran" } else { "of all networks" };
            let _ = match nearest {
                Some((point, value)) => {
                    writeln!(
                        text,
                        "no network meets {bound} even alone: the nearest {of} is {} (point {point})",
                        short(*value)
                    )
                }
                None => writeln!(text, "no network meets {bound} even alone: no network that ran has a valid value"),
            };
        }
        for without in &self.without {
            let _ = match without.best.as_ref().zip(without.value) {
                Some((best, value)) => {
                    let (objective, name) =
                        (best.values[0].text(), without.bound.split(' ').next().unwrap_or_default());
                    let what = self.columns[0].split(" (").next().unwrap_or_default();
                    let (value, command) = (short(value), &best.command);
                    writeln!(text, "without {}: {what} {objective}, {name} {value}: {command}", without.bound)
                }
                None => writeln!(text, "without {}: no network meets the other bounds either", without.bound),
            };
            if let Some((point, value)) = without.nearest {
                let _ = writeln!(text, "  the nearest with all other bounds is {} (point {point})", short(value));
            }
        }
        if !self.misses.is_empty() {
            text += &self.missed();
        }
        if self.deadlocks > 0 {
            let networks = counted(self.deadlocks, "network");
            let better = if self.holders.is_empty() { "" } else { " that would be better" };
            let _ = writeln!(text, "{networks}{better} {}", form(self.deadlocks, "deadlocks", "deadlock"));
        }
        text += &self.effort();
        if let Some(best) = self.holders.first() {
            let _ = writeln!(text, "\npoint {}: {}", best.point, best.command);
        }
        text
    }

    fn table(&self) -> String {
        let fields: Vec<&str> = self.holders[0].fields.iter().map(|(name, _)| name.as_str()).collect();
        let values: Vec<&str> = self.columns.iter().map(|label| label.split(" (").next().unwrap_or(label)).collect();
        // A metric with a bound may be the objective too.
        let distinct = |at: &usize| !values[..*at].contains(&values[*at]);
        let places: Vec<usize> = (0..values.len()).filter(distinct).collect();
        let names: Vec<&str> = places.iter().map(|&at| values[at]).collect();
        let header = [&["point"][..], &fields, &names, &["remarks"]].concat();
        let mut table = Table::new(&header, &[header.len() - 1]);
        for holder in &self.holders {
            let mut row = vec![holder.point.to_string()];
            row.extend(holder.fields.iter().map(|(_, value)| value.clone()));
            row.extend(places.iter().map(|&at| holder.values[at].text()));
            let unsure = holder.unsure.iter().map(|bound| format!("{bound} within noise only"));
            let estimated =
                holder.estimated.iter().map(|bound| format!("{bound} within the error of the estimate only"));
            let alike = holder.alike.map(|best| format!("bar overlaps that of point {best}"));
            let ties = holder.ties.map(|best| format!("ties with point {best}"));
            let hazard = holder.hazard.map(|hazard| format!("{}: see check --deadlock", hazard.to_uppercase()));
            let carried = holder.carried.map(accepts);
            let remarks = unsure.chain(estimated).chain(alike).chain(ties).chain(carried).chain(hazard);
            row.push(remarks.collect::<Vec<_>>().join("; "));
            table.row(row);
        }
        let errors: Vec<String> =
            places.iter().filter_map(|&at| Some(format!("{} {}", values[at], self.error(at)?))).collect();
        let errors =
            if errors.is_empty() { String::new() } else { format!("errors of estimates: {}\n", errors.join(", ")) };
        table.text() + &errors
    }

    /// Error of an estimate at the networks of the answer: `± 7 to 12 %`.
    fn error(&self, at: usize) -> Option<String> {
        let all: Vec<ErrorBar> = self.holders.iter().filter_map(|holder| holder.errors[at]).collect();
        let span = |of: fn(&ErrorBar) -> f64| {
            let low = all.iter().map(of).fold(f64::INFINITY, f64::min);
            let high = all.iter().map(of).fold(0.0, f64::max);
            let (low, high) = (format!("{low:.0}"), format!("{high:.0}"));
            if low == high { low } else { format!("{low} to {high}") }
        };
        let (percent, between) = (span(|of| of.percent), span(|of| of.between));
        let between = if between == percent { String::new() } else { format!(" ({between} % between networks)") };
        (!all.is_empty()).then(|| format!("± {percent} %{between}"))
    }

    fn missed(&self) -> String {
        let what = if self.holders.is_empty() { "nearest misses" } else { "better, but these miss a bound" };
        let mut text = format!("\n{what}:\n");
        let fields: Vec<&str> = self.misses[0].fields.iter().map(|(name, _)| name.as_str()).collect();
        let objective = self.columns[0].split(" (").next().unwrap_or_default();
        let header = [&["point"][..], &fields, &[objective, "misses"]].concat();
        let mut table = Table::new(&header, &[header.len() - 1]);
        for miss in &self.misses {
            let mut row = vec![miss.point.to_string()];
            row.extend(miss.fields.iter().map(|(_, value)| value.clone()));
            row.push(miss.objective.map_or_else(|| "-".to_owned(), short));
            let short_run = if miss.short { " (short run)" } else { "" };
            row.push(format!("{}{short_run}", miss.broken.join("; ")));
            table.row(row);
        }
        text += &table.text();
        text
    }

    /// The work that the search did.
    fn effort(&self) -> String {
        let mut parts = Vec::new();
        if self.illegal > 0 {
            parts.push(format!("{} of them break a rule", self.illegal));
        }
        if self.same > 0 {
            parts.push(format!("{} are the same as another", self.same));
        }
        let dropped = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let cut = match self.priced_out {
            0 => String::new(),
            n => format!(", {n} of them excluded by a value that needs no run"),
        };
        let seeds = counted(self.grid_runs / self.networks.max(1), "seed");
        format!(
            "\nsearched {} of {}{dropped}{cut}: {} and {}; all networks with {seeds} each take {}\n",
            counted(self.networks, "network"),
            counted(self.combinations, "combination"),
            counted(self.short_runs, "short run"),
            counted(self.full_runs, "full run"),
            counted(self.grid_runs, "full run"),
        )
    }
}
