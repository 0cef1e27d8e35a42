//! The one error of this module.

use std::path::PathBuf;

use thiserror::Error;

use crate::quote;
use crate::sweep::SweepError;

/// Reason why a sweep cannot be read or a question cannot be answered. It is displayed as one
/// paragraph.
#[derive(Debug, Error)]
pub enum ExploreError {
    /// The directory has no sweep, or its sweep has written no rows yet.
    #[error("{}: {message}", quote::name(directory))]
    Directory {
        /// The directory as given.
        directory: PathBuf,
        /// The missing part, and the command that makes it.
        message: String,
    },
    /// A file of the directory cannot be understood.
    #[error("{place}: {message}")]
    File {
        /// Path and line.
        place: String,
        /// Cause, and allowed contents.
        message: String,
    },
    /// A question that this sweep has no answer to.
    #[error("{0}")]
    Question(String),
    /// The sweep cannot be continued.
    #[error(transparent)]
    Run(#[from] SweepError),
}
