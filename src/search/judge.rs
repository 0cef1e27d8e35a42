//! The judgement of a schedule: a run, and whether it is as bad as the search wants.

use crate::engine::{Clocked as _, Delivery, Observer, WormInfo};
use crate::experiment::{Loaded, Message, Workload};
use crate::explain::to_the_end;
use crate::input::ConfigError;
use crate::network::Network;
use crate::run::found;
use crate::simulation::{Simulation, Site};
use crate::testbench::schema::{Begin, Deadlock, Expect, FinalState, Latencies, Testbench};
use crate::testbench::{Bench, BenchError};

/// Cycles of a run at most.
const MOST_CYCLES: u64 = 20_000;

/// A metric to maximise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateMetric {
    /// Cycles from the creation of a worm to its last tail.
    Latency,
    /// Cycles from the first flit that leaves the source to the last tail.
    NetworkLatency,
}

/// The goal of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A deadlock.
    Deadlock,
    /// A property that does not hold.
    Property(String),
    /// The largest value of a metric, for worms with at least this number of destinations.
    Most(LateMetric, u32),
}

/// Result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// Whether the goal is reached.
    pub hit: bool,
    /// The metric, or the cycles for which worms waited.
    pub value: u64,
}

/// Runs schedules on a network.
pub struct Judge {
    network: Network,
    site: Site,
    base: Loaded,
    goal: Goal,
    /// Runs so far.
    pub runs: u64,
}

/// The latest arrival.
#[derive(Default)]
struct Latest {
    least_destinations: usize,
    from_injection: bool,
    value: u64,
    arrival: Option<Delivery>,
}

impl Observer for Latest {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if worm.destinations.len() >= self.least_destinations {
            let from = if self.from_injection { delivery.injected } else { worm.created };
            let value = delivery.tail.saturating_sub(from);
            if value > self.value {
                (self.value, self.arrival) = (value, Some(*delivery));
            }
        }
    }
}

impl Judge {
    /// A judge for a network.
    ///
    /// # Errors
    /// The network or the property is wrong.
    pub fn new(network: &Network, goal: Goal) -> Result<Self, ConfigError> {
        // A testbench sends something.
        let any = Message { cycle: 0, source: 0, destinations: vec![0], encoding: None, class: None, payload_flits: 1 };
        let bench = Bench::new("search", testbench(network, &[any], &goal, "a search"))?;
        let mut base = to_the_end(bench.loaded().clone());
        base.experiment.run.max_cycles = MOST_CYCLES;
        Ok(Self { network: network.clone(), site: Site::of(&base)?, base, goal, runs: 0 })
    }

    /// The goal.
    #[must_use]
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network as built.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    fn loaded(&self, schedule: &[Message]) -> Loaded {
        let mut loaded = self.base.clone();
        let mut messages = schedule.to_vec();
        messages.sort_by_key(|message| message.cycle);
        loaded.experiment.workload = vec![Workload::Messages(messages)];
        loaded
    }

    /// Runs a schedule.
    ///
    /// # Errors
    /// The run cannot be made.
    pub fn score(&mut self, schedule: &[Message]) -> Result<Score, BenchError> {
        self.runs += 1;
        if schedule.is_empty() {
            return Ok(Score { hit: false, value: 0 });
        }
        if let Goal::Property(_) = &self.goal {
            let bench = Bench::new("search", testbench(&self.network, &sorted(schedule), &self.goal, "a search"))?;
            let verdict = bench.run(None)?;
            let hit = verdict.failures.iter().any(|failure| failure.what.starts_with("properties["));
            return Ok(Score { hit, value: self.waits(schedule)? });
        }
        let loaded = self.loaded(schedule);
        let mut simulation = Simulation::new(&loaded, &self.site)?;
        let mut latest = self.latest();
        let outcome = simulation.run(&mut latest, |_| ())?;
        Ok(match self.goal {
            Goal::Most(..) => Score { hit: false, value: latest.value },
            _ => Score { hit: found(&outcome).is_some(), value: waited(&simulation) },
        })
    }

    /// An observer of the latest arrival.
    fn latest(&self) -> Latest {
        let Goal::Most(metric, destinations) = self.goal else { return Latest::default() };
        Latest {
            least_destinations: destinations as usize,
            from_injection: metric == LateMetric::NetworkLatency,
            ..Latest::default()
        }
    }

    fn waits(&self, schedule: &[Message]) -> Result<u64, ConfigError> {
        let loaded = self.loaded(schedule);
        let mut simulation = Simulation::new(&loaded, &self.site)?;
        simulation.run(&mut (), |_| ())?;
        Ok(waited(&simulation))
    }

    /// The worms of the deadlock that a schedule ends in, and the cycle from which it is final.
    ///
    /// # Errors
    /// The run cannot be made.
    pub fn deadlock(&self, schedule: &[Message]) -> Result<Option<(Vec<u32>, u64)>, ConfigError> {
        let loaded = self.loaded(schedule);
        let outcome = Simulation::new(&loaded, &self.site)?.run(&mut (), |_| ())?;
        Ok(found(&outcome).map(|deadlock| {
            let worms = deadlock.members().map(|member| member.worm.0).collect();
            (worms, deadlock.final_cycle)
        }))
    }

    /// The testbench of a schedule. A schedule that breaks a property gives a testbench that fails.
    ///
    /// # Errors
    /// The run cannot be made.
    pub fn bench(&self, schedule: &[Message], purpose: &str) -> Result<Testbench, ConfigError> {
        let mut bench = testbench(&self.network, &sorted(schedule), &self.goal, purpose);
        if let Some((worms, final_cycle)) = self.deadlock(schedule)? {
            let found = Deadlock::Found { worms, holds: None, wants: None, final_cycle: Some(final_cycle) };
            bench.expect.deadlock = Some(found);
            bench.expect.final_state = None;
        }
        if let Goal::Most(metric, _) = self.goal {
            let (loaded, mut latest) = (self.loaded(schedule), self.latest());
            Simulation::new(&loaded, &self.site)?.run(&mut latest, |_| ())?;
            let from = if metric == LateMetric::Latency { Begin::Created } else { Begin::Injected };
            bench.expect.latencies.extend(latest.arrival.map(|arrival| Latencies {
                worms: vec![arrival.worm.0],
                to: vec![arrival.destination.0],
                from,
                equal: Some(latest.value),
                ..Latencies::default()
            }));
        }
        Ok(bench)
    }
}

/// A schedule in the order in which worms are numbered.
pub(super) fn sorted(schedule: &[Message]) -> Vec<Message> {
    let mut messages = schedule.to_vec();
    messages.sort_by_key(|message| message.cycle);
    messages
}

/// Cycles for which worms waited for each other.
fn waited(simulation: &Simulation) -> u64 {
    let account = simulation.engine.account();
    account.lane_wait + account.sibling + account.no_credit
}

fn testbench(network: &Network, messages: &[Message], goal: &Goal, purpose: &str) -> Testbench {
    let properties = if let Goal::Property(text) = goal { vec![text.clone()] } else { Vec::new() };
    let workload = vec![Workload::Messages(messages.to_vec())];
    let final_state = matches!(goal, Goal::Property(_)).then_some(FinalState::Any);
    Testbench {
        purpose: purpose.to_owned(),
        network: Some(network.clone()),
        workload,
        expect: Expect { properties, final_state, deadlock: Some(Deadlock::Never), ..Expect::default() },
        ..Testbench::default()
    }
}
