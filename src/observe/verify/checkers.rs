//! Protocol checkers. They follow every flit of a run in the commit log alone, and compare it with
//! the rules of the hardware.
//!
//! They know the configuration, the wiring and the routing function. They do not know the registers
//! of the engine. In most runs they look at whole banks of lanes, which is faster.

use super::arrivals::Arrivals;
use super::bank_flow::BankFlow;
use super::flow::Flow;
use super::plan::Itineraries;
use super::rules::{Breach, Breaches, Rule};
use super::tokens::Tokens;
use crate::engine::{CommitLog, Delivery, Observer, Samples, WormInfo};
use crate::network::Network;
use crate::simulation::Site;

/// All checkers of a run.
#[derive(Clone, Debug)]
pub(crate) struct Checkers<'a> {
    network: &'a Network,
    site: &'a Site,
    samples: Samples,
    flow: Flows<'a>,
    plan: Itineraries<'a>,
    tokens: Tokens<'a>,
    arrivals: Arrivals,
    breaches: Breaches,
}

/// The checkers of flits and credits.
#[derive(Clone, Debug)]
enum Flows<'a> {
    /// The run has not begun. The worms so far have these lengths.
    Waiting(Vec<u32>),
    OfLanes(Box<Flow<'a>>),
    OfBanks(Box<BankFlow<'a>>),
}

impl<'a> Checkers<'a> {
    /// The checkers of a network, without the checkers that are `off`. They look at whole banks of
    /// lanes, or lane by lane, as `samples` says.
    #[must_use]
    pub fn new(network: &'a Network, site: &'a Site, off: &[Rule], samples: Samples) -> Self {
        Self {
            network,
            site,
            samples,
            flow: Flows::Waiting(Vec::new()),
            plan: Itineraries::new(network, site),
            tokens: Tokens::new(network, site.wiring()),
            arrivals: Arrivals::new(network, site.wiring()),
            breaches: Breaches { off: off.to_vec(), found: Vec::new() },
        }
    }

    /// Whether the checkers looked at whole banks of lanes.
    #[must_use]
    pub fn saw_banks(&self) -> bool {
        matches!(self.flow, Flows::OfBanks(_))
    }

    /// Breaches in the run that ended before cycle `end`. `complete` says that everything has
    /// arrived.
    #[must_use]
    pub fn finish(mut self, end: u64, complete: bool) -> Vec<Breach> {
        if complete {
            if let Flows::OfBanks(flow) = &self.flow {
                flow.complete(end, &mut self.breaches);
            }
            self.plan.complete(end, &mut self.breaches);
            self.arrivals.complete(end, &mut self.breaches);
        }
        self.breaches.found
    }
}

impl Observer for Checkers<'_> {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        self.samples
    }

    fn commit(&mut self, log: &CommitLog) {
        let Self { network, site, samples: _, flow, plan, tokens, arrivals, breaches } = self;
        if let Flows::Waiting(lengths) = flow {
            let (lengths, wiring) = (std::mem::take(lengths), site.wiring());
            *flow = match log.places {
                Some(places) => Flows::OfBanks(Box::new(BankFlow::new(network, wiring, places, lengths))),
                None => Flows::OfLanes(Box::new(Flow::new(network, wiring, lengths))),
            };
        }
        let flow = match flow {
            Flows::OfLanes(flow) => flow,
            Flows::OfBanks(flow) => return flow.commit(log, plan, arrivals, breaches),
            Flows::Waiting(_) => return,
        };
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
        match &mut self.flow {
            Flows::Waiting(lengths) => lengths.push(worm.header_flits + worm.payload_flits),
            Flows::OfLanes(flow) => flow.created(worm),
            Flows::OfBanks(flow) => flow.created(worm),
        }
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
