//! Figures and tables of the papers, one file each. They run on the hardware, and the claims of the
//! papers are judged.
//!
//! A [`Figure`] is a file in `configs/papers/<paper>/`. The file has the printed parameters, our
//! choices for open parameters, the [studies](Source) that give its curves, and the claims of the
//! paper. [`perform()`] does the runs of the studies that are missing in a directory, and yields
//! the figure's [`Data`]. [`judge`] measures each [`Claim`] on them. [`document()`] writes the
//! page, which depends on the figures and their data alone.

mod atbm;
mod check;
mod claim;
pub mod compare;
mod data;
mod document;
mod figure;
mod kp;
mod measure;
mod models;
mod nupairoj;
mod nupairoj_machine;
mod perform;
mod picture;
mod seidel;
mod tpp;

pub use claim::{Claim, Finding, Verdict, judge};
pub use data::{Data, Extent};
pub use document::{document, told};
pub use figure::{Figure, Kind, PAPERS, Shelf, Shelved, Source};
pub use perform::{Told, perform, ready};
pub use picture::picture;

use std::path::{Path, PathBuf};

use crate::explore::ExploreError;
use crate::input::ConfigError;
use crate::output::OutputError;
use crate::quote;
use crate::sweep::SweepError;

/// The table of a figure, in its folder of results.
pub const DATA: &str = "data.csv";

/// The reason why a figure cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// The question is wrong, or a figure's file is.
    #[error("{0}")]
    Asked(String),
    /// A file of a figure.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A study of a figure cannot be run.
    #[error("{figure}: {source}")]
    Sweep {
        /// The figure.
        figure: String,
        /// The reason.
        source: SweepError,
    },
    /// A study's rows cannot be read.
    #[error("{figure}: {source}")]
    Rows {
        /// The figure.
        figure: String,
        /// The reason.
        source: ExploreError,
    },
    /// A file or directory.
    #[error("{}: {what}: {source}", quote::name(path))]
    File {
        /// Path of the file or directory.
        path: PathBuf,
        /// The action that failed.
        what: &'static str,
        /// Message of the system.
        source: std::io::Error,
    },
    /// A file that could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl ReproduceError {
    fn file(path: &Path, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), what, source }
    }
}

#[cfg(test)]
mod tests;
