//! What is read, by its name, and what is wrong with it, by its place.

mod error;
mod files;

pub use error::{ConfigError, Place};
pub(crate) use files::whole;
pub use files::{Held, Input, beside, title};
