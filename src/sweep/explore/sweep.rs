//! Reader of a sweep's directory.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use sha2::{Digest, Sha256};

use super::error::ExploreError;
use super::outcomes::{CARRIED, Flaw, Outcomes};
use super::saturation::{LoadRun, saturations};
use crate::quote;
use crate::sweep::journal::Journal;
use crate::sweep::{
    self, Column, ColumnKind, FILES, FORMAT, JOURNAL, ROWS, Role, SCHEMA, SWEEP, Schema, SweepError, row,
};

/// Other end of the interval of a saturation that is read off the loads.
pub(super) const SATURATION_HIGH: &str = "saturation_high";

/// Columns that every sweep has.
const REQUIRED: [&str; 6] = ["run", "point", "base", "seed_index", "seed", "outcome"];

/// A sweep as in its directory.
#[derive(Debug)]
pub struct Sweep {
    /// Directory of the sweep, as given.
    pub directory: PathBuf,
    /// Description of its columns. Metrics that were computed while reading come last.
    pub schema: Schema,
    /// SHA-256 of its rows, in hexadecimal digits.
    pub rows_sha256: String,
    rows: Vec<StringRecord>,
    /// Places of the columns of [`REQUIRED`].
    required: [usize; 6],
    /// Metrics computed while reading, beyond the columns of the file.
    derived: Vec<Vec<Option<f64>>>,
    /// Whether the rows end in an incomplete line.
    is_torn: bool,
}

impl Sweep {
    /// Reads a directory that `wormscope sweep` wrote.
    ///
    /// # Errors
    /// The directory has no sweep or no rows yet, or a file in it cannot be understood.
    pub fn open(directory: &Path) -> Result<Self, ExploreError> {
        let sweep = Self::begun(directory)?;
        if sweep.is_empty() {
            let message = format!("no run has finished yet; to continue, run: {}", sweep.going_on());
            return Err(ExploreError::Directory { directory: sweep.directory, message });
        }
        Ok(sweep)
    }

    /// The same as [`Sweep::open`], for a sweep that may have no rows yet.
    ///
    /// # Errors
    /// The same as for [`Sweep::open`].
    pub fn begun(directory: &Path) -> Result<Self, ExploreError> {
        Self::of_points(directory, |_| true)
    }

    /// The same as [`Sweep::begun`], for a sweep that may be running. It has all runs that have
    /// finished so far, in the order of the grid. A run out of its turn is in the journal before it
    /// is in the table.
    ///
    /// # Errors
    /// The same as for [`Sweep::open`].
    pub fn following(directory: &Path) -> Result<Self, ExploreError> {
        if sweep::has_ended(directory) || !directory.join(JOURNAL).exists() {
            return Self::begun(directory);
        }
        Self::read(directory, |_| true, |schema| journalled(directory, schema))
    }

    /// The same as [`Sweep::begun`], with only some of its points.
    pub(super) fn of_points(directory: &Path, has: impl Fn(&str) -> bool) -> Result<Self, ExploreError> {
        Self::read(directory, has, |_| read(directory, ROWS))
    }

    fn read(
        directory: &Path,
        has: impl Fn(&str) -> bool,
        table: impl FnOnce(&Schema) -> Result<Vec<u8>, ExploreError>,
    ) -> Result<Self, ExploreError> {
        let schema_path = directory.join(SCHEMA);
        let text = read(directory, SCHEMA)?;
        let refuse = |line: usize, column: usize, message: String| ExploreError::File {
            place: format!("{}:{line}:{column}", quote::name(&schema_path)),
            message,
        };
        let wrong = |error: serde_json::Error| {
            let message = error.to_string();
            let cause = match message.split(" at line ").next().unwrap_or(&message) {
                // The left text is the error of the reader of JSON.
                "recursion limit exceeded" => "nested deeper than 127 levels",
                cause => cause,
            };
            refuse(error.line(), error.column(), quote::message(cause))
        };
        // The version is checked first, because all other contents may differ between versions.
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                let what = format!("format is {format}; this version of wormscope reads format {FORMAT}");
                return Err(refuse(1, 1, what));
            }
            None => return Err(refuse(1, 1, "there is no \"format\"; this is no schema of a sweep".to_owned())),
        }
        let schema: Schema = serde_json::from_slice(&text).map_err(wrong)?;
        let mut required = [0; REQUIRED.len()];
        for (index, name) in required.iter_mut().zip(REQUIRED) {
            let found = schema.columns.iter().position(|column| column.name == name);
            *index = found.ok_or_else(|| refuse(1, 1, format!("there is no column \"{name}\"")))?;
        }
        let text = table(&schema)?;
        // A full disk cuts off the line that is being written. When the sweep continues, it writes
        // the line again.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
        let mut rows = rows(&directory.join(ROWS), &text[..whole], &schema.columns)?;
        rows.retain(|row| has(row.get(required[1]).unwrap_or_default()));
        let rows_sha256 = format!("{:x}", Sha256::digest(&text));
        let directory = directory.to_owned();
        let is_torn = whole < text.len();
        let mut sweep = Self { directory, schema, rows_sha256, rows, required, derived: Vec::new(), is_torn };
        sweep.derive_saturation();
        Ok(sweep)
    }

    /// Files of the sweep, including files that are not read here. No output may overwrite one of
    /// them.
    #[must_use]
    pub fn files(&self) -> Vec<(&'static str, PathBuf)> {
        FILES.map(|name| ("a file of the sweep", self.directory.join(name))).to_vec()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows yet, which [`Sweep::open`] refuses.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text of a cell in the file.
    #[must_use]
    pub fn text(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).unwrap_or("")
    }

    /// The number in a cell; `None` if it is empty or has no number.
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        match column.checked_sub(self.schema.columns.len() - self.derived.len()) {
            Some(derived) => self.derived[derived][row],
            None => self.text(row, column).parse().ok(),
        }
    }

    /// The number of a row's run.
    #[must_use]
    pub fn run(&self, row: usize) -> &str {
        self.text(row, self.required[0])
    }

    /// The point that a row belongs to.
    #[must_use]
    pub fn point(&self, row: usize) -> &str {
        self.text(row, self.required[1])
    }

    /// The base configuration of a row.
    #[must_use]
    pub fn base(&self, row: usize) -> &str {
        self.text(row, self.required[2])
    }

    /// Index of a row's seed among the seeds of its point.
    #[must_use]
    pub fn seed_index(&self, row: usize) -> &str {
        self.text(row, self.required[3])
    }

    /// The seed of a row.
    #[must_use]
    pub fn seed(&self, row: usize) -> &str {
        self.text(row, self.required[4])
    }

    /// Outcome of the run of a row.
    #[must_use]
    pub fn outcome(&self, row: usize) -> &str {
        self.text(row, self.required[5])
    }

    /// Flaw of a metric in the run of a row, if there is one. Check it before you compare, draw or
    /// show metrics. For all runs of a point, use [`Point::flaw`](super::Point::flaw).
    #[must_use]
    pub fn flaw(&self, row: usize, column: usize) -> Option<Flaw> {
        Flaw::of(self.outcome(row)).filter(|flaw| flaw.touches(&self.schema.columns[column]))
    }

    /// Reason of the outcome of a row; empty when it is done.
    #[must_use]
    pub fn reason(&self, row: usize) -> &str {
        let column = self.schema.columns.iter().position(|column| column.name == "reason");
        column.map_or("", |column| self.text(row, column))
    }

    /// The columns in which points differ: the base, if there are several, and the varied fields.
    #[must_use]
    pub(crate) fn axes(&self) -> Vec<usize> {
        let several = self.schema.bases.len() > 1;
        let is_axis = |index: usize, column: &Column| column.role == Role::Axis || several && index == self.required[2];
        let columns = self.schema.columns.iter().enumerate();
        columns.filter(|&(index, column)| is_axis(index, column)).map(|(index, _)| index).collect()
    }

    /// The load, if exactly one is varied.
    #[must_use]
    pub fn load(&self) -> Option<usize> {
        self.schema.load().ok()
    }

    /// The axes in which hardware and workload differ: all axes, except the load and derived values
    /// that are no field of the network. Such a value differs only with the load, if at all.
    #[must_use]
    pub(crate) fn hardware_axes(&self) -> Vec<usize> {
        let load = self.load();
        let follows =
            |column: &Column| column.derived && !column.path.as_deref().unwrap_or_default().starts_with("network");
        let mut axes = self.axes();
        axes.retain(|&axis| Some(axis) != load && !(load.is_some() && follows(&self.schema.columns[axis])));
        axes
    }

    /// Values of a row that all rows share that differ from it only in load and seed.
    #[must_use]
    pub fn hardware(&self, row: usize) -> Vec<&str> {
        self.hardware_axes().into_iter().map(|axis| self.text(row, axis)).collect()
    }

    /// Size of the sweep, and outcomes of its runs.
    #[must_use]
    pub fn told(&self) -> String {
        let mut outcomes = Outcomes::default();
        for row in 0..self.len() {
            outcomes.add(self.outcome(row));
        }
        let points: HashSet<&str> = (0..self.len()).map(|row| self.point(row)).collect();
        format!("{} points, {} runs: {}", points.len(), self.len(), outcomes.text())
    }

    /// Number of seeds of its points: `3 seeds`, or `3 to 8 seeds`.
    #[must_use]
    pub fn seeds(&self) -> String {
        let mut runs: HashMap<&str, usize> = HashMap::new();
        (0..self.len()).for_each(|row| *runs.entry(self.point(row)).or_default() += 1);
        let (least, most) = (runs.values().min().copied().unwrap_or(0), runs.values().max().copied().unwrap_or(0));
        let seeds = quote::counted(most, "seed");
        if least < most { format!("{least} to {seeds}") } else { seeds }
    }

    /// Work that is left for the whole sweep, if any: runs, or a merge.
    #[must_use]
    pub fn unfinished(&self) -> Option<String> {
        let Schema { points, seeds, runs, .. } = self.schema;
        let (rows, shard) = (self.rows.len() as u64, sweep::shard(&self.directory));
        let runs = shard.map_or(runs, |shard| shard.points(points) * u64::from(seeds));
        if self.is_torn || rows < runs && !sweep::has_ended_early(&self.directory) {
            let of = shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
            return Some(format!("{rows} of {runs} runs{of} have finished; to continue, run: {}", self.going_on()));
        }
        let told = |shard| {
            format!(
                "this is shard {shard} of a sweep, and all its runs have finished; to join all shards, run: wormscope \
                 merge SHARDS... -o DIR"
            )
        };
        shard.map(told)
    }

    fn going_on(&self) -> String {
        sweep::going_on(&self.directory).unwrap_or_else(|_| self.schema.command.clone())
    }

    /// The command that repeats a row's run. Without a seed, a run of the row's point.
    #[must_use]
    pub fn command(&self, row: usize, with_seed: bool) -> String {
        let command = self.schema.command(|column| self.text(row, column));
        if with_seed { command + " --seed " + self.seed(row) } else { command }
    }

    /// Overrides that make a row's configuration from its base, in the form of `--set`.
    pub fn sets(&self, row: usize) -> impl Iterator<Item = String> {
        self.schema.sets(move |column| self.text(row, column))
    }

    /// Reads saturation off the loads, seed by seed, if the load was varied and saturation was not
    /// searched. The result is as coarse as the loads.
    fn derive_saturation(&mut self) {
        let (Some(load), Some(columns)) = (self.load(), self.schema.coarse_saturation()) else { return };
        let run = |row: usize| {
            let (hardware, seed, outcome) = (self.hardware(row), self.seed_index(row), self.outcome(row));
            Some(LoadRun { hardware, seed, load: self.number(row, load)?, outcome, row })
        };
        let runs = (0..self.len()).filter_map(run).collect();
        let found = saturations(self.len(), runs, self.asked_loads(load).as_deref());
        self.derived.push(found.iter().map(|edge| Some(edge.as_ref()?.0)).collect());
        self.derived.push(found.iter().map(|edge| edge.as_ref()?.1).collect());
        self.schema.columns.extend(columns);
    }

    /// Number of saturations, read off the loads, that depend on a run with much less accepted than
    /// offered. The window of such a run was too short to call it saturated.
    #[must_use]
    pub fn hasty_saturations(&self) -> usize {
        let at = |name: &str| self.schema.columns.iter().position(|column| column.name == name);
        let (Some(load), Some(saturation)) = (self.load(), at("saturation")) else { return 0 };
        let is_hasty = |&row: &usize| {
            self.outcome(row) == "done"
                && self.number(row, load) == self.number(row, saturation)
                && self.uncarried(row).is_some()
        };
        (0..self.len()).filter(is_hasty).count()
    }

    /// Accepted share of the offered load of a run, if the run did not carry its load.
    #[must_use]
    pub fn uncarried(&self, row: usize) -> Option<f64> {
        let of = |name: &str| self.number(row, self.schema.columns.iter().position(|column| column.name == name)?);
        let share = of("accepted")? / of("offered").filter(|&offered| offered > 0.0)?;
        (share < CARRIED).then_some(share)
    }

    /// The loads of each hardware. `None` if each hardware has its own loads, which follow from its
    /// other fields or are varied together with them.
    fn asked_loads(&self, load: usize) -> Option<Vec<f64>> {
        let column = &self.schema.columns[load];
        if column.derived {
            return None;
        }
        match sweep::axis(&self.directory, &column.name).as_deref() {
            Some([(_, values)]) => Some(values.iter().filter_map(|value| value.parse().ok()).collect()),
            Some(_) => None,
            // If only the table was copied, the loads are only in the table.
            None => {
                let loads = (0..self.len()).filter_map(|row| self.number(row, load));
                let loads: HashSet<u64> = loads.map(f64::to_bits).collect();
                Some(loads.into_iter().map(f64::from_bits).collect())
            }
        }
    }

    /// Whether `saturation` was read off the loads.
    #[must_use]
    pub(crate) fn saturation_is_coarse(&self) -> bool {
        !self.derived.is_empty()
    }
}

impl Schema {
    /// The saturation that is read off the loads, and the other end of its interval, if it was not
    /// searched.
    pub(crate) fn coarse_saturation(&self) -> Option<[Column; 2]> {
        let load = &self.columns[self.load().ok()?];
        let is_there = self.columns.iter().any(|column| column.name == "saturation");
        let column = |name: &str, doc: &str| Column {
            name: name.to_owned(),
            kind: ColumnKind::Number,
            role: Role::Metric,
            unit: load.unit.clone(),
            path: None,
            estimate: false,
            derived: false,
            doc: doc.to_owned(),
        };
        (!is_there).then(|| {
            let low = "Greatest load of the sweep up to which no run was saturated; as coarse as its steps";
            let high = "Smallest load of the sweep that was too much; empty if none was";
            [column("saturation", low), column(SATURATION_HIGH, high)]
        })
    }
}

/// The table of the runs in the journal.
fn journalled(directory: &Path, schema: &Schema) -> Result<Vec<u8>, ExploreError> {
    let refuse =
        |error: SweepError| ExploreError::Directory { directory: directory.to_owned(), message: error.to_string() };
    let mut journal = Journal::kept(&directory.join(JOURNAL)).map_err(refuse)?;
    let mut runs: Vec<u64> = journal.finished().collect();
    runs.sort_unstable();
    let mut text = row::line(schema.columns.iter().map(|column| &column.name));
    for run in runs {
        text.extend(journal.row(run).map_err(refuse)?);
    }
    Ok(text)
}

fn read(directory: &Path, name: &str) -> Result<Vec<u8>, ExploreError> {
    fs::read(directory.join(name)).map_err(|error| {
        let begun = [JOURNAL, SWEEP].iter().any(|file| directory.join(file).exists());
        let message = match error.kind() {
            ErrorKind::NotFound if !directory.exists() => "there is no such directory".to_owned(),
            ErrorKind::NotFound if begun => {
                format!("there is no {name} yet; the sweep was interrupted; run the same command again to continue it")
            }
            ErrorKind::NotFound => {
                format!("there is no {name}; a directory of results is what wormscope sweep -o writes")
            }
            ErrorKind::NotADirectory => "this is a file; name the directory that wormscope sweep -o wrote".to_owned(),
            _ => format!("{name} cannot be read: {error}"),
        };
        ExploreError::Directory { directory: directory.to_owned(), message }
    })
}

/// The rows, with each cell of the type of its column.
fn rows(path: &Path, text: &[u8], columns: &[Column]) -> Result<Vec<StringRecord>, ExploreError> {
    let refuse = |line: Option<u64>, message: String| {
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        ExploreError::File { place: format!("{}{line}", quote::name(path)), message }
    };
    let mut reader = csv::Reader::from_reader(text);
    let line = |record: &StringRecord| record.position().map(csv::Position::line);
    let failed = |error: csv::Error| refuse(error.position().map(csv::Position::line), told(&error));
    let header = reader.headers().map_err(failed)?;
    for index in 0..header.len().max(columns.len()) {
        let (found, expected) = (header.get(index), columns.get(index).map(|column| column.name.as_str()));
        if found != expected {
            let or_none = |name: Option<&str>| name.map_or("missing".to_owned(), |name| format!("\"{name}\""));
            let (found, expected) = (or_none(found), or_none(expected));
            let message = format!("column {} is {found}; in schema.json it is {expected}", index + 1);
            return Err(refuse(Some(1), message));
        }
    }
    let mut rows = Vec::new();
    for record in reader.into_records() {
        let record = record.map_err(failed)?;
        for (cell, column) in record.iter().zip(columns) {
            let allowed = match column.kind {
                ColumnKind::Text => continue,
                _ if cell.is_empty() => continue,
                // Seeds may be larger than a float holds exactly.
                ColumnKind::Integer if cell.parse::<i128>().is_ok() => continue,
                ColumnKind::Number if cell.parse::<f64>().is_ok_and(f64::is_finite) => continue,
                ColumnKind::Boolean if matches!(cell, "true" | "false") => continue,
                ColumnKind::Integer => "a whole number",
                ColumnKind::Number => "a finite number",
                ColumnKind::Boolean => "true or false",
            };
            let message = format!("{} is \"{}\"; allowed: {allowed}, or nothing", column.name, quote::excerpt(cell));
            return Err(refuse(line(&record), message));
        }
        rows.push(record);
    }
    Ok(rows)
}

/// Fault of a line, without its position.
fn told(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the row has {len} cells, the header {expected_len}; was the file cut off?")
        }
        csv::ErrorKind::Utf8 { .. } => "the row is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
