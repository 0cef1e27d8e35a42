//! The worms and the arrivals of a run.

use std::ops::Range;

use super::slots::Slots;
use crate::engine::constants::Constants;
use crate::engine::registers::Registers;
use crate::engine::{Clocked as _, Delivery, NewWorm, Observer, WormInfo};
use crate::experiment::Loaded;
use crate::hw::{NodeId, Replication};
use crate::input::ConfigError;
use crate::network::channel::Stalled;
use crate::simulation::{Outcome, Simulation, Site};

/// The worms of a run in the order of their numbers, and their arrivals.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The worms.
    pub worms: Vec<WormInfo>,
    /// The cycle in which the source queues each worm.
    pub handed: Vec<u64>,
    /// The arrivals, in the order of cycles, nodes and lanes.
    pub arrivals: Vec<Delivery>,
    /// Number of cycles of the run.
    pub cycles: u64,
    /// Whether the run ended in a deadlock.
    pub is_deadlock: bool,
    /// Payload flits that the software takes out of receive buffers: cycle, node, channel, flits.
    pub freed: Vec<(u64, NodeId, u8, u32)>,
    /// Parts that stalls hold, each with its cycles.
    pub stalls: Vec<(Stalled, Range<u64>)>,
    /// Slots that switches need for the trees of synchronous worms.
    slots: Slots,
    /// Input lanes of a switch, if the worms are synchronous.
    inputs: Option<usize>,
}

impl Observer for Recorded {
    fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
        self.handed.push(worm.created);
    }

    fn handed(&mut self, cycle: u64) {
        if let Some(last) = self.handed.last_mut() {
            *last = cycle;
        }
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.arrivals.push(*delivery);
    }

    fn freed(&mut self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
        self.freed.push((cycle, node, channel, flits));
    }

    fn wants_registers(&self) -> bool {
        self.inputs.is_some()
    }

    fn registers(&mut self, registers: &Registers) {
        if let Some(inputs) = self.inputs {
            self.slots.count(registers, inputs);
        }
    }
}

impl Recorded {
    /// Records the run of an experiment. From time to time it calls `progress` with the cycle.
    ///
    /// # Errors
    /// A trace cannot be opened or turns out to be wrong on the way. An algorithm makes no plan.
    pub fn of(loaded: &Loaded, site: &Site, progress: impl FnMut(u64)) -> Result<Self, ConfigError> {
        let mut simulation = Simulation::new(loaded, site)?;
        let stalls = site.stalls(&loaded.experiment.workload);
        let network = &loaded.experiment.network;
        let is_synchronous = network.switch.replication == Replication::Synchronous;
        let inputs = network.lanes(site.built().wiring()).inputs.count();
        let mut recorded = Self { stalls, inputs: is_synchronous.then_some(inputs.into()), ..Self::default() };
        let outcome = simulation.run(&mut recorded, progress)?;
        recorded.is_deadlock = matches!(outcome, Outcome::Deadlock(_));
        recorded.cycles = simulation.engine.now();
        recorded.arrivals.sort_by_key(|of| (of.tail, of.destination, of.channel));
        Ok(recorded)
    }

    /// Most trees of synchronous worms that a switch keeps at a time.
    pub(super) const fn trees(&self) -> u32 {
        self.slots.most
    }

    /// The worms as their sources create them, each with the cycle in which its source queues it.
    pub(super) fn created(&self) -> impl Iterator<Item = (u64, NewWorm)> + '_ {
        let new = |worm: &WormInfo| NewWorm {
            cycle: worm.created,
            source: worm.source,
            destinations: worm.destinations.clone(),
            encoding: worm.encoding,
            payload_flits: worm.payload_flits,
            class: worm.class,
        };
        self.handed.iter().copied().zip(self.worms.iter().map(new))
    }

    /// For each worm, the cycle from which it waits for an injection lane: its start-up is over
    /// (R11.2, R11.3).
    pub(super) fn ready(&self, constants: &Constants, nodes: u32) -> Vec<u64> {
        let (cycles, at_a_time) = constants.startup();
        let mut free = vec![vec![0; at_a_time as usize]; nodes as usize];
        let ready = self.worms.iter().zip(&self.handed).map(|(worm, &handed)| {
            let of = &mut free[worm.source.index()];
            // The processor that is free first works on the send.
            let first = (1..of.len()).fold(0, |first, p| if of[p] < of[first] { p } else { first });
            of[first] = of[first].max(worm.created) + u64::from(cycles);
            of[first].max(handed)
        });
        ready.collect()
    }
}
