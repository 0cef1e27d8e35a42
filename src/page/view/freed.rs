//! Cures of a deadlock, as the page shows them.

use serde::Serialize;
use wormscope_hw::WormId;

use crate::config;
use crate::deadlock::Deadlock;
use crate::engine::WormInfo;
use crate::experiment::Loaded;
use crate::explain::cures::{Cure, Watcher};
use crate::explain::no_return::Bounds;
use crate::explain::{Stuck, to_the_end};
use crate::input::ConfigError;
use crate::quote;
use crate::simulation::Site;

/// Changes that remove a deadlock, and the point of no return.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freed {
    /// The command that finds all this again.
    command: String,
    cures: Vec<PageCure>,
    /// The last choice that avoids the deadlock, in words.
    no_return: String,
    /// Cycle of that choice, and the worm that it serves instead.
    way_out: Option<(u64, Option<u32>)>,
    /// All results as a text to read.
    text: String,
}

/// A change that removes the deadlock.
#[derive(Serialize)]
struct PageCure {
    change: String,
    /// Worms that the change frees.
    told: String,
    /// End of the run with the change, in words.
    ended: String,
    /// The overrides that make the change, as options of a command.
    options: String,
}

impl From<&Cure> for PageCure {
    fn from(cure: &Cure) -> Self {
        let sets = cure.sets.iter().map(|set| format!(" --set {}", quote::shell(set)));
        Self { change: cure.change.clone(), told: cure.frees.told(), ended: cure.held.told(), options: sets.collect() }
    }
}

impl Freed {
    /// Searches for cures and for the point of no return.
    ///
    /// # Errors
    /// When a trace cannot be read again.
    pub fn search(
        loaded: &Loaded,
        site: &Site,
        deadlock: &Deadlock,
        worms: &[WormInfo],
        command: &str,
        watcher: &mut impl Watcher,
    ) -> Result<Self, ConfigError> {
        let loaded = to_the_end(loaded.clone());
        let stuck = Stuck { file: &loaded.path, loaded: &loaded, site, deadlock, worms };
        let sought = stuck.seek(Bounds::default(), config::under, watcher)?;
        let (story, names) = (stuck.story(&sought), stuck.names());
        let way_out = sought.no_return.as_ref().and_then(|found| found.way_out.as_ref());
        let instead = |(_, _, instead): &(_, _, Option<WormId>)| instead.map(|worm| worm.0);
        Ok(Self {
            command: command.to_owned(),
            cures: sought.tried.cures.iter().map(PageCure::from).collect(),
            no_return: story.told_no_return(&names),
            way_out: way_out.map(|way| (way.cycle, way.choices.first().and_then(instead))),
            text: story.text(&names),
        })
    }
}
