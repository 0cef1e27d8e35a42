//! The worms and the arrivals of a run.

use crate::engine::constants::Constants;
use crate::engine::{Clocked as _, Delivery, NewWorm, Observer, WormInfo};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::simulation::{Simulation, Site};

/// The worms of a run in the order of their numbers, and their arrivals.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The worms.
    pub worms: Vec<WormInfo>,
    /// The arrivals, in the order of cycles, nodes and lanes.
    pub arrivals: Vec<Delivery>,
    /// Number of cycles of the run.
    pub cycles: u64,
}

impl Observer for Recorded {
    fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.arrivals.push(*delivery);
    }
}

impl Recorded {
    /// Records the run of an experiment. From time to time it calls `progress` with the cycle.
    ///
    /// # Errors
    /// A trace cannot be opened or turns out to be wrong on the way. An algorithm makes no plan.
    pub fn of(loaded: &Loaded, site: &Site, progress: impl FnMut(u64)) -> Result<Self, ConfigError> {
        let mut simulation = Simulation::new(loaded, site)?;
        let mut recorded = Self::default();
        simulation.run(&mut recorded, progress)?;
        recorded.cycles = simulation.engine.now();
        recorded.arrivals.sort_by_key(|of| (of.tail, of.destination, of.channel));
        Ok(recorded)
    }

    /// The worms, as their sources create them.
    pub(super) fn created(&self) -> impl Iterator<Item = NewWorm> + '_ {
        self.worms.iter().map(|worm| NewWorm {
            cycle: worm.created,
            source: worm.source,
            destinations: worm.destinations.clone(),
            encoding: worm.encoding,
            payload_flits: worm.payload_flits,
            class: worm.class,
        })
    }

    /// For each worm, the cycle from which it waits for an injection lane: its start-up is over
    /// (R11.2, R11.3).
    pub(super) fn ready(&self, constants: &Constants, nodes: u32) -> Vec<u64> {
        let (cycles, at_a_time) = constants.startup();
        let mut free = vec![vec![0; at_a_time as usize]; nodes as usize];
        let ready = self.worms.iter().map(|worm| {
            let of = &mut free[worm.source.index()];
            // The processor that is free first works on the send.
            let first = (1..of.len()).fold(0, |first, p| if of[p] < of[first] { p } else { first });
            of[first] = of[first].max(worm.created) + u64::from(cycles);
            of[first]
        });
        ready.collect()
    }
}
