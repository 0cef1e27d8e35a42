//! Banks of registers, wake lists, the clock edge.

pub mod event;
pub mod stats;

pub use event::*;
pub use stats::*;
