//! A run that ended in a deadlock, to be explained.

use std::path::Path;

use super::cures::{self, Tried, Under, Watcher};
use super::names::WaveNames;
use super::no_return::{self, Bounds, NoReturn};
use super::story::Story;
use super::{picture, view};
use crate::deadlock::Deadlock;
use crate::energy;
use crate::engine::{Clocked as _, Drain, NewWorm, Observer, Observers, WormInfo};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::memory;
use crate::output::Output;
use crate::simulation::{Simulation, Site, banked};
use crate::trace::{DumpEnd, HopRecorder, Options, TraceError, Tracer, Waveform, Window};

/// Keeps the worms of a run.
#[derive(Default)]
pub struct Created(pub Vec<WormInfo>);

impl Observer for Created {
    fn created(&mut self, worm: &WormInfo) {
        self.0.push(worm.clone());
    }
}

/// The experiment for a search for deadlocks. A deadlock may come after the measured window, even
/// in a saturated network.
#[must_use]
pub fn to_the_end(mut loaded: Loaded) -> Loaded {
    let drain = &mut loaded.experiment.run.drain;
    if *drain == Drain::Measured {
        *drain = Drain::All;
    }
    loaded
}

/// A deadlock and its run.
#[derive(Clone, Copy)]
pub struct Stuck<'a> {
    /// The file as the user named it.
    pub file: &'a Path,
    /// The experiment.
    pub loaded: &'a Loaded,
    /// Network of the run.
    pub site: &'a Site,
    /// The deadlock in which the run ended.
    pub deadlock: &'a Deadlock,
    /// The worms that were created, by number.
    pub worms: &'a [WormInfo],
}

/// Results of more runs about a deadlock.
pub struct Sought {
    /// Changes that remove the deadlock, and changes that do not.
    pub tried: Tried,
    /// Choices of arbiters that could have avoided the deadlock. `None` if the software of the
    /// nodes frees receive buffers, which a replay of the network alone does not. Also `None` if
    /// the watcher stopped before.
    pub no_return: Option<NoReturn>,
    /// Whether the watcher stopped the search, so that more changes may free the deadlock.
    pub interrupted: bool,
    /// The bounds of the search for these choices.
    pub bounds: Bounds,
}

/// Reason why there is no waveform of a deadlock.
#[derive(Debug, thiserror::Error)]
pub enum WaveError {
    /// A trace is wrong when it is read again.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The waveform cannot be dumped.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl Stuck<'_> {
    /// The names of its network.
    #[must_use]
    pub fn names(&self) -> WaveNames<'_> {
        WaveNames::new(&self.loaded.experiment.network, self.site.wiring())
    }

    /// Tries changes that may remove the deadlock, with `under`. Searches for the last choice that
    /// could have avoided the deadlock.
    ///
    /// # Errors
    /// A trace cannot be read again.
    pub fn seek(&self, bounds: Bounds, under: Under, watcher: &mut impl Watcher) -> Result<Sought, ConfigError> {
        let tried = cures::search(self.loaded, self.deadlock, self.worms, bounds, under, watcher)?;
        let no_return = if watcher.stop() { None } else { self.no_return(bounds, watcher) };
        Ok(Sought { tried, no_return, interrupted: watcher.stop(), bounds })
    }

    /// Choices of arbiters that could have avoided the deadlock, with the worms in the network when
    /// the deadlock became final.
    fn no_return(&self, bounds: Bounds, watcher: &mut impl Watcher) -> Option<NoReturn> {
        let network = &self.loaded.experiment.network;
        if network.node.receive_buffer.is_some() {
            return None;
        }
        let last = self.deadlock.final_cycle;
        let worms = self.worms.iter().take_while(|worm| worm.created <= last).map(|worm| NewWorm {
            cycle: worm.created,
            source: worm.source,
            destinations: worm.destinations.clone(),
            encoding: worm.encoding,
            payload_flits: worm.payload_flits,
            class: worm.class,
        });
        let worms: Vec<NewWorm> = worms.collect();
        let engine = banked(self.loaded, self.site);
        watcher.begins("searching for the point of no return");
        let mut go_on = || !watcher.stop();
        let bytes = memory::needed(self.loaded);
        Some(no_return::find(engine, network.switches(), bytes, &worms, last, bounds, &mut go_on))
    }

    /// All facts that are known, for a story.
    #[must_use]
    pub fn story<'a>(&'a self, sought: &'a Sought) -> Story<'a> {
        let network = &self.loaded.experiment.network;
        Story {
            file: self.file,
            loaded: self.loaded,
            network: network.describe(),
            deadlock: self.deadlock,
            worms: self.worms,
            tried: &sought.tried,
            no_return: sought.no_return.as_ref(),
            interrupted: sought.interrupted,
            bounds: sought.bounds,
            takes_turns: network.switch.virtual_channels.max(network.node_channels()) > 1,
        }
    }

    /// Runs the last `before` cycles before the deadlock once more, or as many as [`view::begin`]
    /// gives. The first run learns the routes of its worms, and the second writes the waveforms.
    /// `None` if `watcher` stops these runs.
    ///
    /// # Errors
    /// A waveform cannot be written.
    pub fn waveforms(
        &self,
        before: Option<u64>,
        no_return: Option<&NoReturn>,
        waves: Vec<Waveform>,
        watcher: &mut impl Observer,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Output>, WaveError> {
        if waves.is_empty() {
            return Ok(Vec::new());
        }
        let (network, wiring) = (&self.loaded.experiment.network, self.site.wiring());
        let worms = picture::worms(self.deadlock);
        let recorders = worms.iter().map(|worm| HopRecorder::new(*worm, network, wiring));
        let mut recorders = Observers(recorders.collect::<Vec<_>>());
        Simulation::new(self.loaded, self.site)?.run(&mut (&mut recorders, &mut *watcher), &mut *progress)?;
        if watcher.stop() {
            return Ok(Vec::new());
        }
        let ways: Vec<_> = recorders.0.into_iter().filter_map(HopRecorder::finish).collect();
        let circle = view::prepared(self.deadlock, no_return, &ways, &self.names());
        let asked = before.map(|before| self.deadlock.final_cycle.saturating_sub(before));
        let window = Window { start: asked.unwrap_or_else(|| view::begin(self.deadlock, &circle.marks)), end: None };
        let switches = picture::switches(self.deadlock);
        let scopes: Vec<String> =
            switches.iter().map(|switch| format!("top.{}", wiring.switch_name(*switch))).collect();
        let clock_ns = Some(energy::clock_ns(self.loaded, self.site.wiring(), None)?);
        let tracers = waves.into_iter().map(|wave| {
            let options = Options {
                clock_ns,
                windows: window.into(),
                scopes: scopes.clone(),
                circle: Some(circle.clone()),
                ..Options::default()
            };
            Tracer::start(wave, network, wiring, options)
        });
        let mut tracers = Observers(tracers.collect::<Result<Vec<_>, _>>()?);
        let mut simulation = Simulation::new(self.loaded, self.site)?;
        simulation.run(&mut (&mut tracers, &mut *watcher), progress)?;
        if watcher.stop() {
            return Ok(Vec::new());
        }
        let end = DumpEnd { cycles: simulation.engine.now(), deadlock: Some(self.deadlock.final_cycle) };
        let mut files = Vec::new();
        for tracer in tracers.0 {
            files.extend(tracer.finish(end)?);
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::explain::cures::Freed;
    use crate::run::found;

    /// Stops a search at one of its steps.
    struct StopAt {
        step: &'static str,
        is_there: bool,
    }

    impl Observer for StopAt {
        fn stop(&self) -> bool {
            self.is_there
        }
    }

    impl Watcher for StopAt {
        fn begins(&mut self, what: &str) {
            self.is_there |= what.starts_with(self.step);
        }
    }

    /// Results of a search that is stopped at a step, and the final cycle.
    fn sought_until(step: &'static str) -> (Sought, u64, String) {
        let text = "(network: (topology: torus(radices: [4, 4], datelines: false)), \
                    workload: [traffic(load: 0.5, payload_flits: 15)], run: (measure_cycles: 2000))";
        let loaded = to_the_end(config::from_text("x.ron", text, &[]).unwrap());
        let site = Site::of(&loaded).unwrap();
        let mut created = Created::default();
        let outcome = Simulation::new(&loaded, &site).unwrap().run(&mut created, |_| ()).unwrap();
        let deadlock = found(&outcome).expect("a deadlock");
        let stuck = Stuck { file: Path::new("x.ron"), loaded: &loaded, site: &site, deadlock, worms: &created.0 };
        let mut watcher = StopAt { step, is_there: false };
        let sought = stuck.seek(Bounds::default(), config::under, &mut watcher).unwrap();
        let text = stuck.story(&sought).text(&stuck.names());
        (sought, deadlock.final_cycle, text)
    }

    #[test]
    fn a_search_that_is_stopped_keeps_what_it_has_found() {
        let (sought, _, text) = sought_until("trying +1 consumption channel");
        assert!(sought.interrupted && sought.no_return.is_none());
        assert_eq!(sought.tried.stopped_at.as_deref(), Some("+1 consumption channel"));
        assert_eq!(
            sought.tried.cures.iter().map(|cure| cure.change.as_str()).collect::<Vec<_>>(),
            ["datelines, virtual_channels 1 to 2"]
        );
        assert!(sought.tried.vain.is_empty());
        assert!(text.contains("\n  stopped at +1 consumption channel: "), "{text}");
        assert!(text.contains("\nPoint of no return: not searched, because the search was stopped.\n"), "{text}");
    }

    #[test]
    fn a_search_that_is_stopped_at_other_seeds_says_so() {
        let (sought, _, text) = sought_until("trying other seeds");
        let tried = &sought.tried;
        assert!(sought.interrupted && tried.stopped_at_seeds && tried.stopped_at.is_none());
        assert!(matches!(tried.cures[0].frees, Freed::Any(_)), "{tried:?}");
        assert!(tried.cures.len() > 1 && tried.cures.iter().all(|cure| cure.frees.held().is_none()), "{tried:?}");
        assert!(text.contains("\n  stopped: not all other seeds were tried\n"), "{text}");
        assert!(text.contains("\nPoint of no return: not searched, because the search was stopped.\n"), "{text}");
    }

    #[test]
    fn a_search_for_the_point_of_no_return_that_is_stopped_says_nothing_that_is_wrong() {
        let (sought, last, text) = sought_until("searching for the point of no return");
        assert!(sought.interrupted && sought.tried.stopped_at.is_none() && sought.tried.cures.len() > 1);
        let found = sought.no_return.expect("a cycle");
        assert_eq!((found.cycle, found.way_out, found.exact), (last, None, false));
        assert!(text.contains(" 1 run with other choices tried, until the search was stopped"), "{text}");
    }
}
