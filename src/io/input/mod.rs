//! What is read, by its name: files, pipes, RON; and what is wrong with it, by its place.

pub(crate) mod bounds;
mod error;
mod files;
pub(crate) mod position;
pub mod ron;

pub use error::{ConfigError, Place};
pub use files::{Held, Input, TextKind, beside, title};
