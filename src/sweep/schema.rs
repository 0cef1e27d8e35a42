//! `schema.json`: description of the columns of a sweep's table. The sweep writes it, and readers
//! of the table read it.

use serde::{Deserialize, Serialize};

use super::study::Base;
use crate::output::ColumnKind;
use crate::quote;

/// Version of the layout of a sweep's directory.
pub(crate) const FORMAT: u32 = 1;

/// Description of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Schema {
    /// The number [`FORMAT`].
    pub format: u32,
    /// Version of wormscope that ran the sweep.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The experiments from which the sweep starts.
    pub bases: Vec<Base>,
    /// Coefficients of the energy estimate.
    #[serde(default)]
    pub energy: Option<Base>,
    /// Number of points of the grid.
    pub points: u64,
    /// Number of seeds of each.
    pub seeds: u32,
    /// Number of rows of the whole sweep.
    pub runs: u64,
    /// Columns of `rows.csv`, from the left.
    pub columns: Vec<Column>,
}

impl Schema {
    /// The command that runs a point without a seed. `cell` gives the cell of a column in a row of
    /// the point.
    pub(crate) fn command<'a>(&self, cell: impl Fn(usize) -> &'a str) -> String {
        let base = self.columns.iter().position(|column| column.name == "base").map_or("", &cell);
        let mut words = vec!["wormscope".to_owned(), "run".to_owned(), base.to_owned()];
        for set in self.sets(cell) {
            words.extend(["--set".to_owned(), set]);
        }
        if let Some(coefficients) = &self.energy {
            words.extend(["--energy".to_owned(), coefficients.name.clone()]);
        }
        words.iter().map(quote::shell).collect::<Vec<_>>().join(" ")
    }

    /// Overrides that make the configuration of a row from its base, in the form of `--set`.
    pub(crate) fn sets<'a>(&self, cell: impl Fn(usize) -> &'a str) -> impl Iterator<Item = String> {
        let columns = self.columns.iter().enumerate();
        let fields = columns.filter_map(move |(at, column)| Some((column.path.as_ref()?, cell(at))));
        // A run that was refused has no length.
        fields.filter(|(_, value)| !value.is_empty()).map(|(path, value)| format!("{path}={value}"))
    }

    /// The column of the load, if exactly one load is varied. Loads that follow from it do not
    /// count. The error says why there is no such column.
    ///
    /// # Errors
    /// No load is varied, or several are.
    pub fn load(&self) -> Result<usize, String> {
        let mut loads: Vec<usize> = (0..self.columns.len()).filter(|&at| self.columns[at].is_load()).collect();
        if loads.iter().any(|&at| !self.columns[at].derived) {
            loads.retain(|&at| !self.columns[at].derived);
        }
        match loads[..] {
            [load] => Ok(load),
            [] => Err("no load is varied in this sweep; vary one".to_owned()),
            _ => {
                let names: Vec<&str> = loads.iter().map(|&at| self.columns[at].name.as_str()).collect();
                let remedy = "vary one of them and compute the others from it with --derive";
                Err(format!("{} loads are varied in this sweep, {}; {remedy}", loads.len(), names.join(", ")))
            }
        }
    }
}

/// Time of a cycle. It follows from the network alone.
pub(crate) const CYCLE: &str = "cycle_ns";

/// Purpose of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Run, point and base.
    Id,
    /// A varied or derived field.
    Axis,
    /// Seed of the run, and its index among the seeds of the point.
    Seed,
    /// Outcome.
    Outcome,
    /// A measured value.
    Metric,
    /// Provenance of the row.
    Provenance,
}

/// A column, as `schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Type of its values.
    #[serde(rename = "type")]
    pub kind: ColumnKind,
    /// Purpose of the column.
    pub role: Role,
    /// Unit of its numbers.
    pub unit: Option<String>,
    /// Path of the field, if the column has the value of a field.
    pub path: Option<String>,
    /// Whether the column is an estimate.
    #[serde(default)]
    pub estimate: bool,
    /// Whether the column is a derived field.
    #[serde(default)]
    pub derived: bool,
    /// Meaning of the column, in one line.
    #[serde(default)]
    pub doc: String,
}

impl Column {
    /// Whether its cells are numbers.
    #[must_use]
    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self.kind, ColumnKind::Integer | ColumnKind::Number)
    }

    /// Name and unit for a heading.
    #[must_use]
    pub fn label(&self) -> String {
        let estimate = if self.estimate { ", estimate" } else { "" };
        match &self.unit {
            Some(unit) => format!("{} ({unit}{estimate})", self.name),
            None if self.estimate => format!("{} (estimate)", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether the column is a measured time, such as a latency or the length of the run.
    #[must_use]
    pub(crate) fn is_time(&self) -> bool {
        let is_measured = self.role == Role::Metric && self.path.is_none() && self.name != CYCLE;
        is_measured && matches!(self.unit.as_deref(), Some("cycles" | "ns"))
    }

    /// Whether the column sets the load of some traffic.
    #[must_use]
    pub(crate) fn is_load(&self) -> bool {
        let field = self.path.as_deref().unwrap_or(&self.name);
        self.role == Role::Axis && self.is_numeric() && field.rsplit('.').next() == Some("load")
    }
}

/// Unit of a field of a configuration, by its path.
pub(super) fn unit(path: &str) -> Option<String> {
    let unit = match path.rsplit('.').next()? {
        "load" => LOAD,
        "fifo_depth" | "injection_depth" | "consumption_depth" => "flits",
        "clock_ns" => "ns",
        name if name.ends_with("_cycles") => "cycles",
        name if name.ends_with("_flits") => "flits",
        name if name.ends_with("_bits") => "bits",
        _ => return None,
    };
    Some(unit.to_owned())
}

/// Unit of loads.
pub(super) const LOAD: &str = "flits per node and cycle";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_the_one_that_is_varied_whatever_follows_from_it() {
        let column = |at: usize, derived| {
            let path = format!("workload[{at}].traffic.load");
            serde_json::json!({"name": path, "type": "number", "role": "axis", "unit": null, "path": path, "derived": derived})
        };
        let load = |columns: &[serde_json::Value]| {
            let schema = serde_json::json!({"format": 1, "version": "", "command": "", "bases": [], "points": 1, "seeds": 1,
                "runs": 1, "columns": columns});
            serde_json::from_value::<Schema>(schema).unwrap().load()
        };
        assert_eq!(load(&[column(1, true), column(0, false)]), Ok(1));
        assert_eq!(load(&[column(1, true)]), Ok(0));
        assert_eq!(load(&[]).unwrap_err(), "no load is varied in this sweep; vary one");
        assert_eq!(
            load(&[column(1, false), column(0, false), column(2, true)]).unwrap_err(),
            "2 loads are varied in this sweep, workload[1].traffic.load, workload[0].traffic.load; vary one of them and \
             compute the others from it with --derive"
        );
    }

    #[test]
    fn fields_have_units() {
        assert_eq!(unit("workload[0].traffic.load").as_deref(), Some(LOAD));
        assert_eq!(unit("network.switch.routing_cycles").as_deref(), Some("cycles"));
        assert_eq!(unit("network.switch.arbiter"), None);
    }
}
