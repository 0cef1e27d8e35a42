//! Inputs by their names: files, pipes, RON. Faults have their places.

pub(crate) mod bounds;
pub(crate) mod csv_lines;
mod error;
mod files;
pub(crate) mod position;
pub mod ron;
pub(crate) mod sparse;

pub use error::{ConfigError, Place};
pub use files::{Held, Input, TextKind, beside, title, with_nearest};
