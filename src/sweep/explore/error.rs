//! The one error of this layer.

use std::path::PathBuf;

use thiserror::Error;

use crate::quote;
use crate::sweep::SweepError;

/// Why a sweep cannot be read or a question not be answered. Displays as one paragraph.
#[derive(Debug, Error)]
pub enum ExploreError {
    /// The directory is not that of a sweep, or its sweep wrote no rows yet.
    #[error("{}: {message}", quote::name(directory))]
    Directory {
        /// As given.
        directory: PathBuf,
        /// What is missing, and what makes it.
        message: String,
    },
    /// A file of the directory cannot be understood.
    #[error("{place}: {message}")]
    File {
        /// Path and line.
        place: String,
        /// Cause, and what is allowed.
        message: String,
    },
    /// A question that this sweep has no answer to.
    #[error("{0}")]
    Question(String),
    /// The sweep cannot be gone on with.
    #[error(transparent)]
    Run(#[from] SweepError),
}
