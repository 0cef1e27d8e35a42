//! Progress of a search.

use std::sync::atomic::{AtomicU64, Ordering};

/// Shows how far a search has come, and may stop it.
pub trait Progress: Sync {
    /// A step begins: its name, and the number of its parts.
    fn begins(&self, what: &str, parts: u64);
    /// So many parts of the step are done.
    fn reached(&self, parts: u64);
    /// Whether to go on.
    fn goes_on(&self) -> bool;
}

/// A watched search.
pub(crate) struct Watched<'a>(pub &'a dyn Progress);

/// A step of a watched search.
pub(crate) struct WatchedStep<'a> {
    progress: &'a dyn Progress,
    done: AtomicU64,
}

impl<'a> Watched<'a> {
    pub(crate) fn begins(&self, what: &str, parts: u64) -> WatchedStep<'a> {
        self.0.begins(what, parts);
        WatchedStep { progress: self.0, done: AtomicU64::new(0) }
    }
}

impl WatchedStep<'_> {
    /// Does a part and counts it. `None` if the search is to stop.
    pub(crate) fn part<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let done = self.progress.goes_on().then(work)?;
        self.progress.reached(self.done.fetch_add(1, Ordering::Relaxed) + 1);
        Some(done)
    }
}
