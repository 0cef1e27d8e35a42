//! Directory of a sweep: its settings, the journal, the table.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::schema::{FORMAT, Schema};
use super::study::{Base, Shard, Study};
use super::trace::Trace;
use super::{Sweep, SweepError, fields, parquet, row};
use crate::input::{TextKind, ron};
use crate::output::Output;
use crate::quote;

/// The settings of the sweep.
pub const SWEEP: &str = "sweep.ron";
/// The finished runs, in the order in which they finished.
pub const JOURNAL: &str = "journal";
/// The table.
pub const ROWS: &str = "rows.csv";
/// The typed table, which is written last.
pub(super) const PARQUET: &str = "rows.parquet";
/// The description of the columns.
pub(crate) const SCHEMA: &str = "schema.json";
/// All files of a sweep.
pub const FILES: [&str; 5] = [SWEEP, JOURNAL, ROWS, PARQUET, SCHEMA];

/// `sweep.ron`: the settings in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    format: u32,
    version: String,
    pub(super) command: String,
    pub(super) bases: Vec<Base>,
    #[serde(default)]
    pub(super) energy: Option<Base>,
    #[serde(default)]
    traces: Vec<Trace>,
    pub(super) study: Study,
    pub(super) shard: Option<Shard>,
}

impl Asked {
    fn new(sweep: &Sweep, shard: Option<Shard>) -> Result<Self, SweepError> {
        Ok(Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: sweep.study.command(),
            bases: sweep.bases.clone(),
            energy: sweep.energy.clone(),
            traces: sweep.traces()?,
            study: sweep.study.clone(),
            shard,
        })
    }

    pub(super) fn read(folder: &Path) -> Result<Self, SweepError> {
        let path = folder.join(SWEEP);
        Ok(ron::typed(&path.display().to_string(), &TextKind::SWEEP.read(&path)?)?)
    }

    /// The files that the sweep reads, each with its hash.
    fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.bases.iter().chain(&self.energy).map(|file| (&*file.name, &*file.sha256));
        texts.chain(self.traces.iter().map(|trace| (&*trace.name, &*trace.sha256)))
    }

    /// The study, with the names of columns for its fields and metrics. An older program kept the
    /// names as they were typed.
    fn meant(&self) -> Study {
        let sweep = Sweep::new(self.study.clone(), self.bases.clone(), self.energy.clone(), true);
        sweep.map_or_else(|_| self.study.clone(), |sweep| sweep.study)
    }

    /// The first difference to the settings of another, in words. Shards count only where they
    /// matter.
    pub(super) fn differs(&self, other: &Self, with_shard: bool) -> Option<String> {
        let both = |what: &str, mine: &dyn std::fmt::Display, theirs: &dyn std::fmt::Display| {
            Some(format!("{what} was {mine} and is {theirs}"))
        };
        if self.format != other.format || self.version != other.version {
            return both("the program's version", &self.version, &other.version);
        }
        for ((name, mine), (other, theirs)) in self.files().zip(other.files()) {
            if name == other && mine != theirs {
                return Some(format!("{name} has changed since"));
            }
        }
        if self.study != other.study && self.meant() != other.meant() {
            return both("the sweep", &self.command, &other.command);
        }
        if with_shard && self.shard != other.shard {
            let name = |shard: Option<Shard>| shard.map_or("all of it".to_owned(), |shard| shard.to_string());
            return both("the shard", &name(self.shard), &name(other.shard));
        }
        None
    }
}

/// The command that continues the sweep, or a shard of one, in a directory.
///
/// # Errors
/// The directory holds no sweep.
pub fn going_on(folder: &Path) -> Result<String, SweepError> {
    let Asked { command, shard, .. } = Asked::read(folder)?;
    let shard = shard.map(|shard| format!(" --shard {shard}")).unwrap_or_default();
    Ok(format!("{command}{shard} -o {}", quote::shell(folder.display().to_string())))
}

/// Whether the sweep or shard in a directory has all necessary runs. With `seeds_until`, a point
/// may need fewer runs than it has seeds.
#[must_use]
pub fn has_ended_early(folder: &Path) -> bool {
    folder.join(PARQUET).exists() && Asked::read(folder).is_ok_and(|asked| asked.study.seeds_until.is_some())
}

/// Whether all runs of the sweep or shard in a directory have finished. Its typed table is written
/// last.
#[must_use]
pub fn has_ended(folder: &Path) -> bool {
    folder.join(PARQUET).exists()
}

/// The shard of a sweep in a directory, if there is one.
#[must_use]
pub fn shard(folder: &Path) -> Option<Shard> {
    Asked::read(folder).ok()?.shard
}

/// Values of a field that the sweep in a directory varies, and of the fields that are varied with
/// it, by their names. `None` if the directory does not have these values.
pub(crate) fn axis(folder: &Path, field: &str) -> Option<Vec<(String, Vec<String>)>> {
    let asked = Asked::read(folder).ok()?;
    let axes = asked.study.vary.iter().map(|text| fields::named_values(text));
    let axes: Vec<_> = axes.collect::<Result<_, _>>().ok()?;
    axes.into_iter().find(|axis| axis.iter().any(|(name, _)| name == field))
}

impl Sweep {
    /// The sweep of a directory. It must be a whole sweep, and of this version, because further
    /// runs add rows of the same kind.
    ///
    /// # Errors
    /// The directory has no sweep, one of another version, or a shard.
    pub(crate) fn of_directory(path: &Path) -> Result<Self, SweepError> {
        let asked = Asked::read(path)?;
        let refuse = |why: String| Err(SweepError::Asked(format!("{}: {why}", path.display())));
        if asked.format != FORMAT || asked.version != env!("CARGO_PKG_VERSION") {
            let (theirs, mine) = (&asked.version, env!("CARGO_PKG_VERSION"));
            return refuse(format!(
                "is a sweep of wormscope {theirs}, this is {mine}; to begin again, run: {}",
                asked.command
            ));
        }
        if let Some(shard) = asked.shard {
            return refuse(format!("holds shard {shard} of a sweep; only a whole sweep can be continued here"));
        }
        Self::new(asked.study, asked.bases, asked.energy, true)
    }

    /// Whether an older program made the sweep's directory. It named columns as the user typed
    /// them.
    pub(crate) fn is_typed_in(&self, path: &Path) -> bool {
        Asked::read(path).is_ok_and(|asked| asked.study != self.study)
    }
}

/// The directory of a sweep, locked for this process.
pub struct Directory {
    path: PathBuf,
    pub(super) journal: Journal,
}

impl Directory {
    /// Opens a directory for a sweep, or continues one with the same settings.
    ///
    /// # Errors
    /// The directory cannot be written, another process writes it, or it holds something else. Or a
    /// trace cannot be read.
    pub fn open(path: &Path, sweep: &Sweep, shard: Option<Shard>) -> Result<Self, SweepError> {
        Self::asking(path, sweep, &Asked::new(sweep, shard)?)
    }

    /// The same as [`Self::open`], for a sweep from another place. Its traces may be absent here.
    pub(super) fn asking(path: &Path, sweep: &Sweep, asked: &Asked) -> Result<Self, SweepError> {
        std::fs::create_dir_all(path).map_err(SweepError::file(path, "cannot be created"))?;
        let has = |name: &str| path.join(name).exists();
        let begun = has(SWEEP);
        if let Some(name) = FILES.into_iter().find(|name| !begun && has(name)) {
            let why = format!(
                "{}: is not the directory of a sweep: it has a {name}, but no {SWEEP}; name another \
                 directory",
                path.display()
            );
            return Err(SweepError::Asked(why));
        }
        let before = if begun { Some(Asked::read(path)?) } else { None };
        if let Some(what) = before.as_ref().and_then(|before| before.differs(asked, true)) {
            let why = format!("{}: holds another sweep: {what}; name another directory", path.display());
            return Err(SweepError::Asked(why));
        }
        if !begun {
            Output::of(&path.join(SWEEP), &ron::pretty(asked))?.place()?;
        }
        let journal = Journal::open(&path.join(JOURNAL))?;
        // The settings have the form of an older program.
        if before.is_some_and(|before| before != *asked) {
            Output::of(&path.join(SWEEP), &ron::pretty(asked))?.place()?;
        }
        Output::of(&path.join(SCHEMA), &schema(sweep))?.place()?;
        Ok(Self { path: path.to_owned(), journal })
    }

    /// The table, begun again with its head.
    pub(super) fn rows(&self, sweep: &Sweep) -> Result<Rows, SweepError> {
        let path = self.path.join(ROWS);
        let head = row::line(sweep.columns().iter().map(|column| column.name.as_str()));
        // A reader finds its head during the sweep, even if this process is killed.
        Output::of(&path, &String::from_utf8_lossy(&head))?.place()?;
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(SweepError::file(&path, "cannot be written"))?;
        Ok(Rows { path, file })
    }

    /// Writes the whole table as Parquet.
    pub(super) fn finish(&self, sweep: &Sweep) -> Result<(), SweepError> {
        parquet::write(&self.path.join(ROWS), &sweep.columns(), &self.path.join(PARQUET))
    }
}

/// `rows.csv`, row by row.
pub(super) struct Rows {
    path: PathBuf,
    file: File,
}

impl Rows {
    pub(super) fn add(&mut self, row: &[u8]) -> Result<(), SweepError> {
        use std::io::Write as _;
        self.file.write_all(row).map_err(SweepError::file(&self.path, "cannot be written"))
    }
}

impl Sweep {
    /// The description of its columns.
    pub(crate) fn schema(&self) -> Schema {
        Schema {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.study.command(),
            bases: self.bases.clone(),
            energy: self.energy.clone(),
            points: self.points(),
            seeds: self.study.seeds,
            runs: self.runs(),
            columns: self.columns(),
        }
    }
}

fn schema(sweep: &Sweep) -> String {
    // The schema has only numbers and texts, which JSON can always hold.
    serde_json::to_string_pretty(&sweep.schema()).unwrap_or_default() + "\n"
}
