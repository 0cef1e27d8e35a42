//! Routing functions.

pub mod label;
