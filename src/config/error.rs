//! The one error of this layer: where, what, what is allowed, and the nearest name for a misspelling.

use std::fmt;

use thiserror::Error;

use crate::quote;

/// Why a configuration or a trace was refused. Displays as one paragraph, `place: cause; what is allowed`.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", quote::name(file))]
    Read {
        /// Path as given.
        file: String,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The text is not a valid configuration or trace.
    #[error("{place}: {message}")]
    Invalid {
        /// Where it says so.
        place: Place,
        /// Cause, and what is allowed.
        message: String,
    },
    /// There is no example of this kind.
    #[error("{0}")]
    NoExample(String),
}

impl ConfigError {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self::Invalid { place, message: message.into() }
    }
}

/// Where an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A whole file.
    File(String),
    /// A place in a RON file, line and column counted from 1 in characters.
    Text {
        /// Path as given.
        file: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// A column of a CSV line.
    Csv {
        /// Path as given.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Name of the column; `None` when the line as a whole is at fault.
        column: Option<&'static str>,
    },
    /// An override of the command line, `path=value`.
    Set(String),
    /// A value of a sweep, `path=value`.
    Varied(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.write_str(&quote::name(file)),
            Self::Text { file, line, column } => write!(f, "{}:{line}:{column}", quote::name(file)),
            Self::Csv { file, line, column: Some(column) } => write!(f, "{}:{line}: {column}", quote::name(file)),
            Self::Csv { file, line, column: None } => write!(f, "{}:{line}", quote::name(file)),
            Self::Set(set) => write!(f, "--set {set}"),
            Self::Varied(set) => f.write_str(set),
        }
    }
}

/// The name among `allowed` that `found` most likely was meant to be.
#[must_use]
pub fn nearest<'a>(found: &str, allowed: &[&'a str]) -> Option<&'a str> {
    const ALIKE: f64 = 0.75;
    // A name longer than any of ours has no near one, and comparing it would take its square in time.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    allowed
        .iter()
        .map(|name| (strsim::jaro_winkler(&found, name), *name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The `names` most like one, best first.
#[must_use]
pub fn most_like(name: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    const NEAREST: usize = 3;
    let mut best: Vec<(f64, String)> = Vec::new();
    for other in names {
        let likeness = strsim::normalized_damerau_levenshtein(name, &other);
        let at = best.partition_point(|(l, _)| *l >= likeness);
        if at < NEAREST {
            best.insert(at, (likeness, other));
            best.truncate(NEAREST);
        }
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// `; did you mean "x"? allowed: x, y, z`, the tail of every message about an unknown name.
#[must_use]
pub fn suggestion(found: &str, allowed: &[&str]) -> String {
    let all = allowed.join(", ");
    match nearest(found, allowed) {
        Some(name) => format!("; did you mean \"{name}\"? allowed: {all}"),
        None => format!("; allowed: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_nonsense_has_none() {
        let names = ["flit_bits", "fifo_depth", "virtual_channels"];
        assert_eq!(nearest("fifo_dept", &names), Some("fifo_depth"));
        assert_eq!(nearest("FIFO_DEPTH", &names), Some("fifo_depth"));
        assert_eq!(nearest("virtual_chanels", &names), Some("virtual_channels"));
        assert_eq!(nearest("zzz", &names), None);
        assert_eq!(nearest(&"f".repeat(100_000), &names), None);
    }
}
