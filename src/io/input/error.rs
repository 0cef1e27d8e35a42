//! The one error of input: place, cause, allowed values, and the nearest name for a misspelling.

use std::fmt;

use thiserror::Error;

use crate::quote;

/// Reason why a configuration or a trace was refused. It is displayed as one paragraph,
/// `place: cause; what is allowed`.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", quote::name(file))]
    Read {
        /// Path as given.
        file: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not a valid configuration or trace.
    #[error("{place}: {message}")]
    Invalid {
        /// Place of the fault.
        place: Place,
        /// Cause, and allowed values.
        message: String,
    },
    /// No part of the program and no file has this name.
    #[error("{0}")]
    UnknownName(String),
    /// There is no example of this kind.
    #[error("{0}")]
    NoExample(String),
}

impl ConfigError {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self::Invalid { place, message: message.into() }
    }
}

/// Place of an error.
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
        /// Name of the field, and its column, from 1 in characters; `None` when the line as a whole
        /// is at fault.
        field: Option<(&'static str, usize)>,
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
            Self::Csv { file, line, field: Some((name, column)) } => {
                write!(f, "{}:{line}:{column}: {name}", quote::name(file))
            }
            Self::Csv { file, line, field: None } => write!(f, "{}:{line}", quote::name(file)),
            Self::Set(set) if set.trim().is_empty() => write!(f, "--set \"{set}\""),
            Self::Set(set) => write!(f, "--set {set}"),
            Self::Varied(set) => f.write_str(set),
        }
    }
}
