//! Sweep: many runs of one experiment with varied fields and seeds, a row for each run.
//!
//! A [`Study`] has the settings in words. A [`Sweep`] is a study with all paths and values
//! resolved, and with numbered points. [`execute()`] runs the rest of it in a directory. The
//! directory has a journal that survives any end. `rows.csv`, `rows.parquet` and `schema.json` come
//! from it, and their bytes depend on the sweep alone.

pub mod advise;
mod bars;
mod directory;
mod execute;
pub mod explore;
mod expression;
mod fields;
pub mod find;
mod grid;
mod journal;
mod length;
mod merge;
pub(crate) mod metrics;
mod parquet;
mod record;
mod row;
mod runner;
mod saturation;
mod schema;
mod stop;
mod study;
mod trace;
mod until;
mod values;

pub use crate::output::ColumnKind;
pub use directory::{Directory, FILES, JOURNAL, ROWS, SWEEP, going_on, has_ended, has_ended_early, shard};
pub(crate) use directory::{SCHEMA, axis};
pub use execute::{Counts, execute, execute_points};
pub(crate) use expression::Expression;
pub use grid::Sweep;
pub use merge::merge;
pub use row::Cell;
pub(crate) use schema::FORMAT;
pub use schema::{Column, Role, Schema};
pub use study::{Base, Shard, Study};
pub(crate) use values::parts;

use std::path::{Path, PathBuf};

use crate::input::ConfigError;
use crate::input::position::Text;
use crate::output::OutputError;
use crate::quote;

/// Options of the command line that are fields of a study.
const OPTIONS: [&str; 5] = ["--vary", "--derive", "--seeds-until", "--until", "--saturation"];

/// Reason why a sweep cannot begin, or cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The settings are wrong.
    #[error("{0}")]
    Asked(String),
    /// A field of the study is wrong. `why` has the words of the command line.
    #[error("{why}")]
    Setting {
        /// Path of the field: `vary[1]`.
        field: String,
        /// The part of the field's text that is wrong; empty for the whole.
        word: String,
        /// Cause, and allowed values.
        why: String,
    },
    /// A base file is wrong, or a field in it.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The directory, or a file in it, is at fault.
    #[error("{}: {what}: {source}{}", path.display(), kept(*begun))]
    File {
        /// Path of the file or directory.
        path: PathBuf,
        /// The action that failed.
        what: &'static str,
        /// The error of the system.
        source: std::io::Error,
        /// Whether runs were under way. Finished runs are kept.
        begun: bool,
    },
    /// A file of the sweep could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl SweepError {
    /// The same error, about a field of the study.
    pub(super) fn about(self, of: &str) -> Self {
        match self {
            Self::Asked(why) => Self::Setting { field: of.to_owned(), word: String::new(), why },
            Self::Setting { word, why, .. } => Self::Setting { field: of.to_owned(), word, why },
            other => other,
        }
    }

    /// The same error, with the place of the field in the file of the study.
    #[must_use]
    pub fn in_file(self, file: &str, text: &str) -> Self {
        match self {
            Self::Setting { field, word, why } => {
                // In a file the setting is a field, and no option.
                let why = OPTIONS.iter().fold(why, |why, option| {
                    why.replace(&format!("{option}: "), "").replace(&format!("{option} "), "")
                });
                let text = Text { file, text };
                Self::Config(ConfigError::new(text.place_of_word(&field, &word), why))
            }
            Self::Asked(why) => Self::Asked(format!("{}: {why}", quote::name(file))),
            other => other,
        }
    }

    fn file(path: &Path, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), what, source, begun: false }
    }

    /// The same error, for a sweep that has begun.
    fn begun(self) -> Self {
        match self {
            Self::File { path, what, source, .. } => Self::File { path, what, source, begun: true },
            other => other,
        }
    }
}

/// Text about the rest of a sweep that had begun.
fn kept(begun: bool) -> &'static str {
    if begun { "; finished runs are kept; the same command continues" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_runs_are_kept_is_said_where_a_sweep_had_begun() {
        let error = || SweepError::file(Path::new("out/journal"), "cannot be written")(std::io::Error::other("full"));
        assert_eq!(error().to_string(), "out/journal: cannot be written: full");
        let kept = "; finished runs are kept; the same command continues";
        assert_eq!(error().begun().to_string(), format!("out/journal: cannot be written: full{kept}"));
        assert_eq!(SweepError::Asked("no".to_owned()).begun().to_string(), "no");
    }
}
