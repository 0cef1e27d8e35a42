//! `wormscope run --follow`: a first run that learns which way a worm takes.

use wormscope::engine::{Observer, WormInfo};
use wormscope::experiment::Loaded;
use wormscope::hw::WormId;
use wormscope::simulation::{Simulation, Site};
use wormscope::trace::{Follow, HopRecorder, Window};

use super::exit::Refused;
use super::progress::under_bar;

/// Looks for another worm that is worth following in a window: the first multicast created there,
/// else the first worm.
struct Candidate {
    but: WormId,
    window: Window,
    found: Option<(WormId, bool)>,
}

impl Observer for Candidate {
    fn created(&mut self, worm: &WormInfo) {
        let several = worm.destinations.len() > 1;
        let is_better = worm.id != self.but && self.found.is_none_or(|(_, known)| several && !known);
        if is_better && (self.window.start..self.window.end).contains(&worm.created) {
            self.found = Some((worm.id, several));
        }
    }
}

/// The way of a worm, some of which is in the window.
pub fn find_hops(loaded: &Loaded, site: &Site, worm: WormId, window: Window) -> Result<Follow, Refused> {
    let mut simulation = Simulation::new(loaded, site)?;
    let recorder = HopRecorder::new(worm, &loaded.experiment.network, &site.wiring);
    let mut observers = (recorder, Candidate { but: worm, window, found: None });
    under_bar(loaded, |progress| simulation.run(&mut observers, progress))?;
    let (recorder, Candidate { found, .. }) = observers;
    let cycles = recorder.cycles();
    let Some(follow) = recorder.finish() else {
        let created = simulation.engine.totals().worms_created;
        return Err(Refused(match created.checked_sub(1) {
            Some(last) => format!("--follow {worm}: the run creates worms 0 to {last}"),
            None => format!("--follow {worm}: the run creates no worms"),
        }));
    };
    let is_seen = |(first, last): (u64, u64)| first < window.end && last >= window.start;
    if window == Window::ALL || cycles.is_some_and(is_seen) {
        return Ok(follow);
    }
    let where_it_is = match cycles {
        Some((first, last)) => format!("is in the network in cycles {first} to {last}"),
        None => "never enters the network".to_owned(),
    };
    let other = found.map_or_else(String::new, |(other, _)| format!("; worm {other} is created there"));
    Err(Refused(format!("--follow {worm}: worm {worm} {where_it_is}, not in those of --wave-window {window}{other}")))
}
