//! A way into a stuck network, as a testbench that any run repeats.

use wormscope_hw::{Acquisition, Arbiter};

use crate::engine::states::Pick;
use crate::experiment::{Message, Stall, Workload};
use crate::explain::to_the_end;
use crate::input::ConfigError;
use crate::network::Network;
use crate::run::found;
use crate::simulation::{Simulation, Site};
use crate::testbench::Bench;
use crate::testbench::schema::{Deadlock, Expect, Testbench};

/// The worms of a way, and the deadlock that a run of them ends in.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The worms in order of creation.
    pub messages: Vec<Message>,
    /// Choices of arbiters that the run needs and would not make by itself.
    pub turns: Vec<Stall>,
    /// Cycles until nothing moves any more.
    pub cycles: u64,
    /// Worms of the deadlock that the run ends in, as the search for deadlocks reports it, and the
    /// cycle from which it is final. `None` if the run does not end in one.
    pub deadlock: Option<(Vec<u32>, u64)>,
}

impl Witness {
    /// The witness of a way. `kinds` are the messages that nodes may send.
    ///
    /// # Errors
    /// The worms make no experiment.
    pub fn new(
        network: &Network,
        site: &Site,
        kinds: &[Message],
        way: &[Vec<(u32, Pick)>],
    ) -> Result<Self, ConfigError> {
        let lanes = network.lanes(site.wiring());
        let name = |part: u32| site.wiring().switch_name(wormscope_hw::SwitchId(part));
        let (mut messages, mut turns) = (Vec::new(), Vec::new());
        let atomic = network.switch.acquisition == Acquisition::Atomic;
        for (cycle, picks) in (0..).zip(way) {
            let mut turn = |arbiter: String, input: u8| {
                turns.push(Stall {
                    node: None,
                    link: None,
                    station: None,
                    arbiter: Some(arbiter),
                    first: Some(lanes.input_name(input)),
                    from: cycle,
                    until: cycle + 1,
                });
            };
            for &(part, pick) in picks {
                match pick {
                    Pick::Begin(kind) => messages.push(Message { cycle, ..kinds[kind as usize].clone() }),
                    Pick::Lane(_, input) if atomic => turn(name(part), input),
                    Pick::Lane(lane, input) => turn(format!("{}.{}", name(part), lanes.output_name(lane)), input),
                    Pick::Token(input) => turn(name(part), input),
                }
            }
        }
        let mut witness = Self { messages, turns: Vec::new(), cycles: way.len() as u64, deadlock: None };
        witness.run(network)?;
        // Only round robin arbiters can be told which input comes first.
        if witness.deadlock.is_none() && network.switch.arbiter == Arbiter::RoundRobin {
            witness.turns = turns;
            witness.run(network)?;
            witness.shrink(network)?;
        }
        Ok(witness)
    }

    /// Runs the worms, and notes the deadlock.
    fn run(&mut self, network: &Network) -> Result<(), ConfigError> {
        self.deadlock = None;
        let bench = Bench::new("witness", self.bench(network, "a witness"))?;
        let loaded = to_the_end(bench.loaded().clone());
        let site = Site::of(&loaded)?;
        let outcome = Simulation::new(&loaded, &site)?.run(&mut (), |_| ())?;
        self.deadlock = found(&outcome).map(|deadlock| {
            let worms = deadlock.members().map(|member| member.worm.0).collect();
            (worms, deadlock.final_cycle)
        });
        Ok(())
    }

    /// Leaves out the turns without which the run deadlocks as well.
    fn shrink(&mut self, network: &Network) -> Result<(), ConfigError> {
        let mut at = 0;
        while self.deadlock.is_some() && at < self.turns.len() {
            let mut without = self.clone();
            without.turns.remove(at);
            without.run(network)?;
            if without.deadlock.is_some() { *self = without } else { at += 1 }
        }
        Ok(())
    }

    /// The testbench.
    #[must_use]
    pub fn bench(&self, network: &Network, purpose: &str) -> Testbench {
        let deadlock = match &self.deadlock {
            Some((worms, final_cycle)) => {
                let (worms, final_cycle) = (worms.clone(), Some(*final_cycle));
                Deadlock::Found { worms, holds: None, wants: None, final_cycle }
            }
            None => Deadlock::Never,
        };
        let mut workload = vec![Workload::Messages(self.messages.clone())];
        if !self.turns.is_empty() {
            workload.push(Workload::Stalls(self.turns.clone()));
        }
        Testbench {
            purpose: purpose.to_owned(),
            network: Some(network.clone()),
            workload,
            expect: Expect { deadlock: Some(deadlock), ..Expect::default() },
            ..Testbench::default()
        }
    }
}
