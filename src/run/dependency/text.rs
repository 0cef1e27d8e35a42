//! Verdict in words, and the witness as a testbench.

use std::fmt::Write as _;

use super::{Judgement, Proof, Safety, Witness};
use crate::deadlock::Names;
use crate::experiment::{Loaded, Message, Run, Workload};
use crate::input::ron;
use crate::network::channel::CyclePlace;
use crate::quote;

impl Proof {
    /// The argument in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Nothing => "no node sends a worm".to_owned(),
            Self::Order(places) => {
                format!("the dependency graph of {} lanes and FIFOs has no cycle (Dally and Seitz)", places.len())
            }
            Self::Counted(worms, _) => {
                format!("a count of {} removes every wait", quote::counted(worms.len(), "worm"))
            }
            Self::CountedByRoute => "a count removes every wait, for each route of each tree".to_owned(),
            Self::Together => "no state of several worms has a wait".to_owned(),
            Self::TokenRings => "of each group of switches one at a time replicates (token rings)".to_owned(),
            Self::SynchronousWorms => "the heads of a worm go on together (synchronous worms)".to_owned(),
            Self::AllSchedules(runs) => {
                format!("{} of all schedules end without one, with the arbiters as built", quote::counted(*runs, "run"))
            }
            Self::AllStates(states) => {
                let states = quote::counted(*states, "state");
                format!("none of the {states} of the network is a deadlock, with the arbiters as built")
            }
        }
    }

    /// Name of the argument in JSON and certificates.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "no_worms",
            Self::Order(_) => "order_of_channels",
            Self::Counted(..) => "counted_worms",
            Self::CountedByRoute => "counted_by_route",
            Self::Together => "no_state_waits",
            Self::TokenRings => "token_rings",
            Self::SynchronousWorms => "synchronous_worms",
            Self::AllSchedules(_) => "all_schedules",
            Self::AllStates(_) => "all_states",
        }
    }
}

impl Safety {
    /// The lines that the command line prints.
    #[must_use]
    pub fn text(&self, names: &impl Names) -> String {
        let mut text = format!("deadlock: {}", self.answer());
        match self {
            Self::Free(proof) => {
                let _ = writeln!(text, "; {}", proof.in_words());
            }
            Self::Possible(witness, cycle) => {
                let worms = quote::counted(witness.messages.len(), "worm");
                let _ = writeln!(text, "; a run of {worms} ends in one");
                cycle_of(&mut text, cycle);
                text += &witness.deadlock.report(names);
            }
            Self::Unknown(why, cycle) => {
                let _ = writeln!(text, "; {why}");
                cycle_of(&mut text, cycle);
            }
        }
        text
    }

    /// The column of a sweep.
    #[must_use]
    pub fn column(&self) -> &'static str {
        match self.answer() {
            Judgement::Free => Judgement::Free.name(),
            Judgement::Possible => Judgement::Possible.name(),
            Judgement::Unknown => Judgement::Unknown.name(),
        }
    }
}

/// A dependency cycle in a line.
fn cycle_of(text: &mut String, cycle: &[CyclePlace]) {
    if !cycle.is_empty() {
        let _ = writeln!(text, "dependency cycle: {}", self::cycle(cycle));
    }
}

/// The places of a dependency cycle, cut short if there are many.
pub fn cycle(places: &[CyclePlace]) -> String {
    quote::list_of(places.iter().map(|place| place.name.clone()), " -> ", 16)
}

impl Witness {
    /// The experiment that runs the messages of the witness in the network of another.
    #[must_use]
    pub fn experiment(&self, loaded: &Loaded) -> Loaded {
        let mut run = loaded.clone();
        let experiment = &mut run.experiment;
        (experiment.groups, experiment.classes) = (Vec::new(), Vec::new());
        experiment.workload = vec![Workload::Messages(self.messages.clone())];
        experiment.run = Run { seed: experiment.run.seed, ..Run::default() };
        run
    }

    /// The witness as a testbench. The testbench passes if the run ends in the same deadlock.
    #[must_use]
    pub fn testbench(&self, loaded: &Loaded) -> String {
        let network = ron::pretty(&loaded.experiment.network);
        let network = network.trim_end().replace('\n', "\n    ");
        let messages: Vec<String> = self.messages.iter().map(message).collect();
        let worms: Vec<u32> = self.deadlock.members().map(|member| member.worm.0).collect();
        let purpose = format!(
            "Witness: worms of {} that deadlock, from wormscope check --deadlock",
            loaded.title().replace(['"', '\\'], "_")
        );
        format!(
            "(\n    purpose: \"{purpose}\",\n    network: {network},\n    workload: [messages([\n{}    ])],\n    run: (seed: {}),\n    \
             expect: (deadlock: found(worms: {worms:?})),\n)\n",
            messages.concat(),
            loaded.experiment.run.seed
        )
    }
}

fn message(message: &Message) -> String {
    let Message { cycle, source, destinations, encoding, payload_flits, .. } = message;
    let encoding = encoding.map(|encoding| format!("encoding: {encoding}, ")).unwrap_or_default();
    format!(
        "        (cycle: {cycle}, source: {source}, destinations: {destinations:?}, {encoding}payload_flits: {payload_flits}),\n"
    )
}
