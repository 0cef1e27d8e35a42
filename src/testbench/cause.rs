//! What kept a worm before it failed, out of its account.

use std::collections::BTreeMap;
use std::fmt;

use crate::account::{Account, Accounts, History};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::simulation::{Simulation, Site};

/// The longest wait of a worm that made it late, and where all its cycles went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyLate {
    /// The worm that waited.
    pub worm: u32,
    /// First cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
    /// What it waited for, and where.
    wait: String,
    /// Its cycles by cause.
    sums: String,
}

impl WhyLate {
    /// The longest wait of an account before a cycle; of equal ones the first.
    fn of(history: &History, account: &Account, before: u64) -> Option<Self> {
        let mut waits = account.longest_waits(usize::MAX).into_iter().map(|(wait, _)| wait);
        let longest = waits.find(|wait| wait[0].from < before)?;
        let (from, until) = (longest[0].from, longest[longest.len() - 1].until);
        let (wait, sums) = (history.told_wait(longest), account.sums());
        Some(Self { worm: account.worm.0, from, until, wait, sums })
    }
}

impl fmt::Display for WhyLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { worm, from, until, wait, sums } = self;
        write!(f, "cycles {from} to {}: worm {worm} waits for {wait}; its cycles: {sums}", until - 1)
    }
}

/// A failure of a worm in a cycle, and the place for its cause.
pub(super) type Late<'a> = (u32, u64, &'a mut Option<WhyLate>);

/// Runs once more, and gives each failure of a worm in a cycle its cause.
///
/// # Errors
/// As the run itself.
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
    let history = History::new(&loaded.experiment.network, site.wiring());
    let mut watch = Accounts::new(history, |history, worm, account| {
        // The arrival that failed, or one before it.
        let of = late.get_mut(&worm.id.0).into_iter().flatten();
        for (cycle, cause) in of.filter(|(cycle, _)| account.tail <= *cycle) {
            **cause = WhyLate::of(history, &account, *cycle).or(cause.take());
        }
    });
    simulation.run(&mut watch, |_| ())?;
    let (history, last) = (watch.history, simulation.engine.now().saturating_sub(1));
    for of in simulation.engine.under_way() {
        let unknown = late.get_mut(&of.info.id.0).into_iter().flatten().filter(|(_, cause)| cause.is_none());
        for (cycle, cause) in unknown {
            **cause = WhyLate::of(&history, &history.account_so_far(of.info, last), *cycle);
        }
    }
    Ok(())
}
