//! Figures and tables of the papers, one file each, run on the hardware, and what is claimed of
//! them judged.
//!
//! A [`Figure`] is a file in `configs/papers/<paper>/`: what is printed, what is open and how it
//! was chosen, the [studies](Source) that give its curves, and the claims that the paper makes of
//! it. [`perform()`] runs what is left of the studies in a directory and yields the figure's
//! [`Data`]; [`judge`] measures each [`Claim`] on them. [`document()`] tells all of it: a function
//! of the figures and their data alone.

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

/// Why a figure cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// What is asked is wrong, or a figure's file is.
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
        /// Why.
        source: SweepError,
    },
    /// A study's rows cannot be read.
    #[error("{figure}: {source}")]
    Rows {
        /// The figure.
        figure: String,
        /// Why.
        source: ExploreError,
    },
    /// A file or directory.
    #[error("{}: {what}: {source}", quote::name(path))]
    File {
        /// Its path.
        path: PathBuf,
        /// What could not be done.
        what: &'static str,
        /// What the system says.
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
