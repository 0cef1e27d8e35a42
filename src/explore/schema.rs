//! `schema.json`: what the columns of a sweep are.

use serde::Deserialize;

/// Version of the layout that is read.
pub const FORMAT: u32 = 1;

/// A sweep's description of itself.
#[derive(Clone, Debug, Deserialize)]
pub struct Schema {
    /// `FORMAT`.
    pub format: u32,
    /// Version of wormscope that ran it.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The configurations that were varied.
    pub bases: Vec<Base>,
    /// Points of the grid.
    pub points: u64,
    /// Seeds of each.
    pub seeds: u64,
    /// Rows of the whole sweep.
    pub runs: u64,
    /// Columns of `rows.csv`, from the left.
    pub columns: Vec<Column>,
}

/// A configuration that was varied.
#[derive(Clone, Debug, Deserialize)]
pub struct Base {
    /// Its file, as given.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Its text.
    pub text: String,
}

/// A column of the rows.
#[derive(Clone, Debug, Deserialize)]
pub struct Column {
    /// Name.
    pub name: String,
    /// What its cells are.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it is for.
    pub role: Role,
    /// Unit of its numbers, as the schema has it; see [`Column::unit`].
    pub unit: Option<String>,
    /// The field of the configuration that it was set as.
    pub path: Option<String>,
    /// Whether its numbers are estimates.
    #[serde(default)]
    pub estimate: bool,
    /// What it tells, in a line.
    #[serde(default)]
    pub doc: String,
}

/// What cells are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// `true` and `false`.
    Boolean,
}

/// What a column is for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Tells rows and points apart.
    Id,
    /// A field that was varied, or derived from one.
    Axis,
    /// The run's seed.
    Seed,
    /// How the run ended.
    Outcome,
    /// What was measured or computed.
    Metric,
    /// Where the row is from.
    Provenance,
}

impl Column {
    /// Whether its cells are numbers.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Number)
    }

    /// Unit of its numbers; loads have theirs whether the schema says so or not.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref().or(self.is_load().then_some("flits per node and cycle"))
    }

    /// Name and unit, as a heading has them.
    #[must_use]
    pub fn label(&self) -> String {
        let estimate = if self.estimate { ", estimate" } else { "" };
        match self.unit() {
            Some(unit) => format!("{} ({unit}{estimate})", self.name),
            None if self.estimate => format!("{} (estimate)", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether it sets the load of some traffic.
    #[must_use]
    pub fn is_load(&self) -> bool {
        let field = self.path.as_deref().unwrap_or(&self.name);
        self.role == Role::Axis && self.is_numeric() && field.rsplit('.').next() == Some("load")
    }
}
