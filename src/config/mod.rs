//! Experiments in RON: schema, defaults, validation, errors with line and column.

pub mod schema;

pub use schema::*;
