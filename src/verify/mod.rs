//! Looks at a run and judges it: deadlock detection.

pub mod snapshot;
