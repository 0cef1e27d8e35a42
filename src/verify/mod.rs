//! Looks at a run and judges it: deadlock detection, what removes a deadlock, and what could have avoided it.

pub mod cures;
pub mod deadlock;
pub mod no_return;
pub mod snapshot;
mod wait_for;
