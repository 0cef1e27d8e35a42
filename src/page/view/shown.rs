//! Accounts of the worms that a page shows: worms that are created before the end of its window.

use std::collections::BTreeMap;

use crate::account::{Account, History};
use crate::engine::{CommitLog, Delivery, Observer, WormInfo};
use crate::trace::Window;

/// Watches a run until all shown worms have arrived, and gives the account of each.
pub struct ShownAccounts<'a> {
    window: Window,
    history: History<'a>,
    accounts: BTreeMap<u32, Account>,
    /// Number of shown worms that have not wholly arrived.
    left: usize,
    /// Whether a cycle after the window has come.
    is_over: bool,
}

impl<'a> ShownAccounts<'a> {
    /// Begins before the run.
    pub fn new(window: Window, history: History<'a>) -> Self {
        Self { window, history, accounts: BTreeMap::new(), left: 0, is_over: false }
    }

    fn shows(&self, worm: &WormInfo) -> bool {
        !self.window.is_over(worm.created)
    }

    /// The account of each shown worm, after a run up to cycle `last`. The account of an arrived
    /// worm is the account of the last destination that it reaches. `under_way` are the worms that
    /// have not wholly arrived.
    pub fn finish<'w>(mut self, under_way: impl Iterator<Item = &'w WormInfo>, last: u64) -> BTreeMap<u32, Account> {
        for worm in under_way.filter(|worm| !self.window.is_over(worm.created)) {
            self.accounts.insert(worm.id.0, self.history.account_so_far(worm, last));
        }
        self.accounts
    }
}

impl Observer for ShownAccounts<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.is_over |= self.window.is_over(log.cycle);
        self.history.commit(log);
    }

    fn wants_commits(&self) -> bool {
        !self.is_over || self.left > 0
    }

    fn created(&mut self, worm: &WormInfo) {
        if self.shows(worm) {
            self.left += 1;
            self.history.created(worm);
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if !self.shows(worm) {
            return;
        }
        if self.history.is_last(worm.id) {
            self.left -= 1;
            // The page does not have worms that arrived before its window.
            if delivery.tail >= self.window.start {
                self.accounts.insert(worm.id.0, self.history.account(worm, delivery));
            }
        }
        self.history.delivered(worm, delivery);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Accounts;
    use crate::config;
    use crate::engine::Clocked as _;
    use crate::simulation::{Simulation, Site};

    /// Number of cycles that an observer got.
    #[derive(Default)]
    struct CountedCommits<O> {
        observer: O,
        commits: u64,
    }

    impl<O: Observer> Observer for CountedCommits<O> {
        const COMMITS: bool = O::COMMITS;

        fn commit(&mut self, log: &CommitLog) {
            self.commits += 1;
            self.observer.commit(log);
        }

        fn wants_commits(&self) -> bool {
            self.observer.wants_commits()
        }

        fn created(&mut self, worm: &WormInfo) {
            self.observer.created(worm);
        }

        fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
            self.observer.delivered(worm, delivery);
        }
    }

    #[test]
    fn shown_worms_have_the_accounts_of_a_whole_run_and_later_cycles_are_not_watched() {
        let text = "(network: (topology: mesh(radices: [4, 4]), switch: (replication: buffered, fifo_depth: 16)),
            workload: [
                traffic(load: 0.2, payload_flits: 7),
                traffic(load: 0.03, payload_flits: 5, encoding: bit_string, destinations: 3),
            ],
            run: (measure_cycles: 3000))";
        let loaded = config::from_text("x.ron", text, &[]).unwrap();
        let site = Site::of(&loaded).unwrap();
        let history = || History::new(&loaded.experiment.network, site.wiring(), Vec::new());
        let mut all = BTreeMap::new();
        let mut whole = Accounts::new(history(), |_, worm: &WormInfo, account| {
            all.insert(worm.id.0, (worm.created, account));
        });
        Simulation::new(&loaded, &site).unwrap().run(&mut whole, |_| ()).unwrap();
        let window = Window { start: 400, end: Some(600) };
        let mut shown = CountedCommits { observer: ShownAccounts::new(window, history()), commits: 0 };
        let mut simulation = Simulation::new(&loaded, &site).unwrap();
        simulation.run(&mut shown, |_| ()).unwrap();
        let cycles = simulation.engine.now();
        assert!(cycles >= 3000 && (600..1500).contains(&shown.commits), "{} of {cycles}", shown.commits);
        let under_way = simulation.engine.under_way();
        let shown = shown.observer.finish(under_way.iter().map(|of| of.info), cycles - 1);
        let of_page: BTreeMap<u32, Account> = all
            .into_iter()
            .filter(|(_, (created, account))| *created < 600 && account.tail >= 400)
            .map(|(worm, (_, account))| (worm, account))
            .collect();
        assert!(of_page.len() > 40, "{}", of_page.len());
        assert_eq!(shown, of_page);
    }
}
