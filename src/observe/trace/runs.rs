//! Small runs of the engine for the tests of this module.

use std::collections::VecDeque;
use std::convert::Infallible;

use wormscope_hw::{Encoding, NodeId};

use crate::engine::{Class, CycleAccount, Engine, Limits, NewWorm, Observer, Stimulus};
use crate::network::{Network, Wiring};
use crate::simulation::Outcome;

/// A network given in RON, and its wiring.
pub fn network(ron: &str) -> (Network, Wiring) {
    let network: Network = crate::input::ron::parse(ron).expect("a network");
    let wiring = network.build().unwrap().wiring().clone();
    (network, wiring)
}

/// A mesh of the given radices, with all other fields at their defaults.
pub fn mesh(x: u32, y: u32) -> (Network, Wiring) {
    network(&format!("(topology: mesh(radices: [{x}, {y}]))"))
}

/// A worm with one header flit on a mesh of up to 64 nodes. With several destinations it is a
/// bit-string worm.
pub fn worm(cycle: u64, source: u32, destinations: &[u32], flits: u32) -> NewWorm {
    let encoding = if destinations.len() > 1 { Encoding::BitString } else { Encoding::Unicast };
    let destinations = destinations.iter().map(|&d| NodeId(d)).collect();
    NewWorm { cycle, source: NodeId(source), destinations, encoding, payload_flits: flits - 1, class: Class::default() }
}

struct Worms(VecDeque<NewWorm>);

impl Stimulus for Worms {
    type Error = Infallible;

    fn next_cycle(&mut self) -> Option<u64> {
        self.0.front().map(|w| w.cycle)
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        Ok(self.0.pop_front_if(|w| w.cycle <= cycle))
    }
}

/// An empty network.
pub fn engine(network: &Network) -> Engine {
    Engine::new(&network.build().expect("a network"), true)
}

/// Sends worms, given in the order of their cycles, until all have arrived. Returns the number of
/// cycles and the outcome.
pub fn run(network: &Network, worms: &[NewWorm], observer: &mut impl Observer) -> (u64, Outcome) {
    let (engine, outcome) = ran(network, worms, observer);
    (engine.now(), outcome)
}

/// As [`run`], with the account of cycles in place of the outcome.
pub fn account(network: &Network, worms: &[NewWorm], observer: &mut impl Observer) -> (CycleAccount, u64) {
    let (engine, _) = ran(network, worms, observer);
    (engine.account(), engine.now())
}

fn ran(network: &Network, worms: &[NewWorm], observer: &mut impl Observer) -> (Engine, Outcome) {
    let mut engine = engine(network);
    let mut stimulus = Worms(worms.iter().cloned().collect());
    let outcome = crate::simulation::run(&mut engine, &mut stimulus, &Limits::default(), observer, |_| ());
    (engine, outcome.unwrap_or_else(|e| match e {}))
}
