//! Cause of a worm's failure, from its account.

use std::collections::BTreeMap;
use std::fmt;

use crate::account::{Account, Accounts, History, Stretch};
use crate::engine::Clocked as _;
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::simulation::{Simulation, Site};

/// Account of the cycles of a worm whose expectation failed, with its longest wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyLate {
    /// The worm.
    pub worm: u32,
    /// First cycle of its longest wait; of a worm that does not wait, its creation.
    from: u64,
    /// First cycle after the wait; of a worm that does not wait, after its arrival.
    until: u64,
    /// The wait, its place, and its roots.
    wait: Option<String>,
    /// Cycles of the worm by cause.
    sums: String,
    /// Whether an earlier failure of the run has the same wait.
    pub(super) repeats: bool,
}

impl WhyLate {
    /// The longest wait of an account that begins before a cycle; of equal waits the first.
    fn of(history: &History, account: &Account, before: u64) -> Self {
        let longest = account.longest_waits().into_iter().find(|wait| wait[0].from < before);
        let span = |wait: &[Stretch]| (wait[0].from, wait[wait.len() - 1].until);
        let (from, until) = longest.map_or((account.created, account.tail), span);
        let told = |wait| {
            let roots = history.root_of(account, wait).map_or_else(String::new, |of| history.told_roots(&of.roots));
            format!("{}, by root: {roots}", history.told_wait(wait))
        };
        Self { worm: account.worm.0, from, until, wait: longest.map(told), sums: account.sums(), repeats: false }
    }

    /// Whether another one is of the same wait of the same worm.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let wait = |of: &Self| (of.worm, of.from, of.until, of.wait.clone());
        if self.wait.is_some() { wait(self) == wait(other) } else { self == other }
    }

    /// First cycle of the longest wait.
    #[must_use]
    pub fn waits_from(&self) -> Option<u64> {
        self.wait.as_ref().map(|_| self.from)
    }
}

impl fmt::Display for WhyLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { worm, from, until, wait, sums, .. } = self;
        match wait {
            Some(wait) => write!(f, "cycles {from} to {}: worm {worm} waits for {wait}; its cycles: {sums}", until - 1),
            None => write!(f, "worm {worm} does not wait; its cycles: {sums}"),
        }
    }
}

/// A failure of a worm in a cycle, and the place for its cause. A worm that has not arrived fails
/// in the cycle [`NEVER`].
pub(super) type Late<'a> = (u32, u64, &'a mut Option<WhyLate>);

/// The cycle of a failure that no arrival shows.
pub(super) const NEVER: u64 = u64::MAX;

/// Runs once more, and gives each failure of a worm in a cycle its cause.
///
/// # Errors
/// The same errors as for the run itself.
pub(super) fn explain<'a>(
    loaded: &Loaded,
    site: &Site,
    failures: impl Iterator<Item = Late<'a>>,
) -> Result<(), ConfigError> {
    let mut late: BTreeMap<u32, Vec<(u64, &mut Option<WhyLate>)>> = BTreeMap::new();
    for (worm, cycle, cause) in failures {
        late.entry(worm).or_default().push((cycle, cause));
    }
    if late.is_empty() {
        return Ok(());
    }
    let mut simulation = Simulation::new(loaded, site)?;
    let history = History::new(&loaded.experiment.network, site.wiring(), site.stalls(&loaded.experiment.workload));
    let mut watch = Accounts::new(history, |history, worm, account| {
        // The arrival that failed, or an earlier arrival.
        let of = late.get_mut(&worm.id.0).into_iter().flatten();
        for (cycle, cause) in of.filter(|(cycle, _)| account.tail <= *cycle) {
            **cause = Some(WhyLate::of(history, &account, *cycle));
        }
    });
    simulation.run(&mut watch, |_| ())?;
    let (history, last) = (watch.history, simulation.engine.now().saturating_sub(1));
    for of in simulation.engine.under_way() {
        let of_worm = late.get_mut(&of.info.id.0).into_iter().flatten();
        for (cycle, cause) in of_worm.filter(|(cycle, cause)| *cycle == NEVER || cause.is_none()) {
            **cause = Some(WhyLate::of(&history, &history.account_so_far(of.info, last), *cycle));
        }
    }
    Ok(())
}
