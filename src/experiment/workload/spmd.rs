//! Programs that compute and send, over and over: the turns of each node.

use wormscope_hw::{Encoding, NodeId};

use super::groups::Among;
use super::pattern::Chooser;
use super::random::{Key, Stream};
use super::traffic::array;
use super::{Destinations, NewWorm};
use crate::engine::Class;
use crate::experiment::{Experiment, Length, Spmd};

/// The program of one entry of the workload.
pub(super) struct Program {
    key: Key,
    of: Spmd,
    chooser: Chooser,
    flit_bits: u32,
    nodes: Vec<NodeId>,
    /// Number of turns that each node of the network has begun.
    turns: Vec<u64>,
}

impl Program {
    /// The program of the entry of the workload at `place`. The nodes of `idle` do not run it.
    pub fn new(experiment: &Experiment, spmd: &Spmd, place: u64, among: &Among, idle: &[NodeId]) -> Self {
        let network = &experiment.network;
        let chooser = Chooser::new(array(network), &spmd.pattern, among.clone());
        let runs = |node: &NodeId| chooser.sends(node.0) && !(spmd.without_sources && idle.contains(node));
        Self {
            key: Key::new(experiment.run.seed).child(place),
            of: spmd.clone(),
            nodes: (0..among.count()).map(|place| among.node(place)).filter(runs).collect(),
            chooser,
            flit_bits: network.switch.flit_bits,
            turns: vec![0; network.nodes() as usize],
        }
    }

    /// The nodes that run the program.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Begins the next turn of a node. Returns the number of cycles that it computes.
    #[allow(clippy::cast_sign_loss)] // Not negative.
    pub fn compute(&mut self, node: NodeId) -> u64 {
        self.turns[node.index()] += 1;
        (-libm::log(self.stream(node).unit()) * self.of.compute).round() as u64
    }

    /// The message that the program sends then, in cycle `now`, and its bytes.
    pub fn message(&self, node: NodeId, now: u64) -> (NewWorm, f64) {
        let mut random = self.stream(node);
        // The first number was for the computing.
        random.unit();
        let to = NodeId(self.chooser.choose(node.0, &mut random));
        let length = Length::of_bytes(self.of.bytes.draw(|| random.unit()), self.flit_bits);
        let worm = NewWorm {
            cycle: now,
            source: node,
            destinations: Destinations::One(to),
            encoding: Encoding::Unicast,
            payload_flits: length.flits,
            class: Class::default(),
        };
        (worm, length.bytes)
    }

    /// The random numbers of a node's turn.
    fn stream(&self, node: NodeId) -> Stream {
        self.key.child(node.0.into()).child(self.turns[node.index()]).stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::experiment::Workload;
    use crate::workload::groups::Groups;

    #[test]
    fn turns_are_exponential_and_messages_uniform() {
        let text = "(network: (topology: mesh(radices: [4, 4]), switch: (flit_bits: 8), node: (costs: ())), groups: [(name: \
                    \"g\", nodes: random(6))], workload: [spmd(group: \"g\", compute: 500.0, bytes: uniform(least: 1, most: \
                    99), without_sources: true)])";
        let experiment = config::from_text("x", text, &[]).unwrap().experiment;
        let Workload::Spmd(spmd) = &experiment.workload[0] else { panic!("spmd") };
        let among = Groups::new(&experiment).among(spmd.group.as_ref());
        let root = among.node(2);
        let mut program = Program::new(&experiment, spmd, 0, &among, &[root]);
        assert!(program.nodes().len() == 5 && !program.nodes().contains(&root));
        let node = among.node(0);
        let (mut cycles, mut bytes, mut to_root, turns) = (0, 0.0, 0, 20_000_u32);
        for turn in 0..turns {
            cycles += program.compute(node);
            let (worm, of) = program.message(node, turn.into());
            assert!(
                worm.source == node && (f64::from(worm.payload_flits) - of).abs() < 0.5 && (1.0..=99.0).contains(&of)
            );
            bytes += of;
            to_root += u32::from(worm.destinations.contains(&root));
        }
        let mean = cycles as f64 / f64::from(turns);
        assert!((mean - 500.0).abs() < 5.0 * 500.0 / f64::from(turns).sqrt(), "{mean}");
        assert!((bytes / f64::from(turns) - 50.0).abs() < 1.0 && to_root.abs_diff(turns / 5) < 300);
    }
}
