//! Protocol checkers. They follow every flit of a run in the commit log alone, and compare it with
//! the rules of the hardware.
//!
//! They know the configuration, the wiring and the routing function. They do not know the registers
//! of the engine.

use super::arrivals::Arrivals;
use super::flow::Flow;
use super::plan::Itineraries;
use super::rules::{Breach, Breaches, Rule};
use super::tokens::Tokens;
use crate::engine::{CommitLog, Delivery, Observer, WormInfo};
use crate::network::Network;
use crate::simulation::Site;

/// All checkers of a run.
#[derive(Clone, Debug)]
pub(crate) struct Checkers<'a> {
    flow: Flow<'a>,
    plan: Itineraries<'a>,
    tokens: Tokens<'a>,
    arrivals: Arrivals,
    breaches: Breaches,
}

impl<'a> Checkers<'a> {
    /// The checkers of a network, without the checkers that are `off`.
    #[must_use]
    pub fn new(network: &'a Network, site: &'a Site, off: &[Rule]) -> Self {
        Self {
            flow: Flow::new(network, site.wiring()),
            plan: Itineraries::new(network, site),
            tokens: Tokens::new(network, site.wiring()),
            arrivals: Arrivals::new(network, site.wiring()),
            breaches: Breaches { off: off.to_vec(), found: Vec::new() },
        }
    }

    /// Breaches in the run that ended before cycle `end`. `complete` says that everything has
    /// arrived.
    #[must_use]
    pub fn finish(mut self, end: u64, complete: bool) -> Vec<Breach> {
        if complete {
            self.plan.complete(end, &mut self.breaches);
            self.arrivals.complete(end, &mut self.breaches);
        }
        self.breaches.found
    }
}

impl Observer for Checkers<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let Self { flow, plan, tokens, arrivals, breaches } = self;
        flow.arrivals(log, breaches);
        tokens.stations(log, breaches);
        for sample in &log.outputs {
            let begins = flow.output(log.cycle, sample, breaches);
            let Some(flit) = sample.flit else { continue };
            if begins {
                plan.begins(log.cycle, sample, flit, breaches);
                tokens.begins(log.cycle, sample, flit.worm, breaches);
            }
            arrivals.crossing(log, sample, flit, breaches);
        }
        for sample in &log.injections {
            flow.injection(log.cycle, sample, breaches);
        }
        for sample in &log.consumptions {
            arrivals.consumption(log.cycle, sample, breaches);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        self.flow.created(worm);
        self.plan.created(worm);
        self.arrivals.created(worm);
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.arrivals.delivered(delivery, &mut self.breaches);
    }
}

#[cfg(test)]
#[path = "checkers_tests.rs"]
mod tests;
