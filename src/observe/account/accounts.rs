//! The account of every worm of a run, as each arrives.

use super::history::History;
use super::walk::Account;
use crate::engine::{CommitLog, Delivery, Observer, WormInfo};

/// Watches a run and gives the account of every delivery.
pub struct Accounts<'a, F> {
    /// History of the run so far.
    pub history: History<'a>,
    tell: F,
}

impl<'a, F: FnMut(&History, &WormInfo, Account)> Accounts<'a, F> {
    /// Calls `tell` for each arrival of a worm, with the account of the worm. At this time, the
    /// history still has all facts of the account.
    pub fn new(history: History<'a>, tell: F) -> Self {
        Self { history, tell }
    }
}

impl<F: FnMut(&History, &WormInfo, Account)> Observer for Accounts<'_, F> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.history.commit(log);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.history.created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        (self.tell)(&self.history, worm, self.history.account(worm, delivery));
        self.history.delivered(worm, delivery);
    }
}
