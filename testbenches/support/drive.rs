//! Engines, messages and deliveries for tests.

use std::convert::Infallible;

use wormscope::engine::{Class, Delivery, Engine, NewWorm, Observer, Stimulus, WormInfo};
use wormscope::experiment::Message;
use wormscope::hw::{Encoding, NodeId};
use wormscope::network::{Built, Network, Topology, Wiring};

/// A network with all defaults.
#[must_use]
pub fn network(topology: Topology) -> Network {
    Network { reach_limit_mib: 64, ..Network::new(topology) }
}

/// A network as wired and routed.
///
/// # Panics
/// On one that cannot be built.
#[must_use]
pub fn built(network: &Network) -> Built {
    network.build().unwrap_or_else(|why| panic!("{why}"))
}

/// The wiring of a network.
#[must_use]
pub fn wiring(network: &Network) -> Wiring {
    built(network).wiring().clone()
}

/// An empty network, ready for all encodings.
#[must_use]
pub fn engine(network: &Network) -> Engine {
    Engine::new(&built(network), true)
}

/// A worm; several destinations are in header order.
#[must_use]
pub fn worm(cycle: u64, source: u32, destinations: &[u32], encoding: Encoding, payload_flits: u32) -> NewWorm {
    let destinations = destinations.iter().map(|&d| NodeId(d)).collect();
    NewWorm { cycle, source: NodeId(source), destinations, encoding, payload_flits, class: Class::default() }
}

/// A worm as a configuration has it.
#[must_use]
pub fn message(worm: &NewWorm) -> Message {
    Message {
        cycle: worm.cycle,
        source: worm.source.0,
        destinations: worm.destinations.iter().map(|node| node.0).collect(),
        encoding: Some(worm.encoding),
        class: None,
        payload_flits: worm.payload_flits,
    }
}

/// A unicast.
#[must_use]
pub fn unicast(cycle: u64, source: u32, destination: u32, payload_flits: u32) -> NewWorm {
    worm(cycle, source, &[destination], Encoding::Unicast, payload_flits)
}

/// Worms in order of their cycles; the n-th is worm n.
#[derive(Clone, Debug)]
pub struct Script {
    worms: Vec<NewWorm>,
    next: usize,
}

impl Script {
    /// Orders worms by cycle; those of one cycle stay as they are.
    #[must_use]
    pub fn new(mut worms: Vec<NewWorm>) -> Self {
        worms.sort_by_key(|w| w.cycle);
        Self { worms, next: 0 }
    }

    /// All worms, by number.
    #[must_use]
    pub fn worms(&self) -> &[NewWorm] {
        &self.worms
    }

    /// The next worm, if its cycle has come.
    pub fn due(&mut self, cycle: u64) -> Option<NewWorm> {
        let worm = self.worms.get(self.next).filter(|w| w.cycle <= cycle).cloned();
        self.next += usize::from(worm.is_some());
        worm
    }

    /// Cycle of the next worm.
    #[must_use]
    pub fn next_cycle(&self) -> Option<u64> {
        self.worms.get(self.next).map(|w| w.cycle)
    }
}

impl Stimulus for Script {
    type Error = Infallible;

    fn next_cycle(&mut self) -> Option<u64> {
        Script::next_cycle(self)
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        Ok(self.due(cycle))
    }
}

/// Every delivery, in the order in which they were reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals(pub Vec<Delivery>);

impl Observer for Arrivals {
    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.0.push(*delivery);
    }
}

impl Arrivals {
    /// Head and tail of worm `worm` at node `node`.
    #[must_use]
    pub fn of(&self, worm: u32, node: u32) -> Option<(u64, u64)> {
        let found = self.0.iter().find(|d| d.worm.0 == worm && d.destination.0 == node);
        found.map(|d| (d.head, d.tail))
    }
}

/// Creates the worms of this cycle and evaluates it.
pub fn step<O: Observer>(engine: &mut Engine, script: &mut Script, observer: &mut O) {
    while let Some(worm) = script.due(engine.now()) {
        engine.create(&worm, true, observer);
    }
    engine.cycle(observer);
}

/// Steps up to (not including) `cycle`, without leaving out any.
pub fn step_until<O: Observer>(engine: &mut Engine, script: &mut Script, observer: &mut O, cycle: u64) {
    while engine.now() < cycle {
        step(engine, script, observer);
    }
}
