//! Run of a plan, step by step, in the communication model of \[SEIDEL\] section 2. A step takes as
//! long as its longest message over its most used link. The next step starts when this one is over.

use thiserror::Error;
use wormscope_hw::NodeId;

use super::seidel::Cost;
use crate::Plan;
use wormscope_network::Grid;

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Number of pieces in the longest message.
    pub longest: u32,
    /// Largest number of circuits on one link in one direction.
    pub circuits: u32,
}

/// Run of a plan that keeps to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRun {
    /// Steps of the run.
    pub steps: Vec<Step>,
    /// Number of pieces of the message.
    pub pieces: u32,
    /// Number of pieces that came to nodes that had them.
    pub again: u64,
    /// Whether all messages to nodes that have some pieces are pieces in a row. Then the receiver
    /// puts them beside its own. Otherwise the pieces come together in another order than in the
    /// message (Fig. 2).
    pub in_order: bool,
}

/// Violation of the model by a plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Violation {
    /// The network is no mesh, or has more than two dimensions.
    #[error("the model knows linear arrays and meshes of two dimensions")]
    Network,
    /// A send is not to exactly one other node of the network, or is from outside the network.
    #[error("send {0} is not from one node of the network to another")]
    NoUnicast(usize),
    /// Steps go back, or a step is left out.
    #[error("send {0} is not of its predecessor's step or the next")]
    Step(usize),
    /// A node sends two messages in one step.
    #[error("node {node} sends twice in step {step}")]
    SendsTwice {
        /// The node.
        node: NodeId,
        /// The step.
        step: u32,
    },
    /// A node receives two messages in one step.
    #[error("node {node} receives twice in step {step}")]
    ReceivesTwice {
        /// The node.
        node: NodeId,
        /// The step.
        step: u32,
    },
    /// A node does not have a piece that it sends when the step begins.
    #[error("node {node} does not have piece {piece} in step {step}")]
    Lacks {
        /// The node.
        node: NodeId,
        /// The piece.
        piece: u32,
        /// The step.
        step: u32,
    },
    /// A node lacks a piece in the end.
    #[error("node {node} never gets piece {piece}")]
    Missing {
        /// The node.
        node: NodeId,
        /// The piece.
        piece: u32,
    },
}

impl ModelRun {
    /// Cost where a link carries `2^nu` messages in parallel. Pieces that do not come in order are
    /// permuted once, at all nodes at the same time (section 3.5).
    #[must_use]
    pub fn cost(&self, nu: u32) -> Cost {
        let width = 1_u64 << nu.min(32);
        let sent = self.steps.iter().map(|step| u64::from(step.circuits).div_ceil(width) * u64::from(step.longest));
        let transmission = sent.sum::<u64>() as f64 / f64::from(self.pieces);
        Cost { transmission, latency: self.steps.len() as u32, permutation: u32::from(!self.in_order) }
    }
}

/// Runs a plan on a linear array or mesh. Messages go along the row of the sender, then along the
/// column of the receiver.
///
/// # Errors
/// The first violation.
pub fn run(grid: &Grid, plan: &Plan) -> Result<ModelRun, Violation> {
    if grid.wraps() || grid.radices().len() > 2 {
        return Err(Violation::Network);
    }
    let nodes = grid.nodes();
    let mut holdings = Holdings::new(plan, nodes);
    let mut run = ModelRun { steps: Vec::new(), pieces: plan.pieces, again: 0, in_order: true };
    let mut number = 0;
    for sends in plan.sends.chunk_by(|a, b| a.step == b.step) {
        let step = run.steps.len() as u32;
        if sends[0].step != step {
            return Err(Violation::Step(number));
        }
        let mut links = Links::new(grid);
        let mut sent = vec![false; nodes as usize];
        let mut received = vec![false; nodes as usize];
        let mut longest = 0;
        for send in sends {
            let (from, &[to]) = (send.from, &*send.to) else { return Err(Violation::NoUnicast(number)) };
            if from == to || from.0 >= nodes || to.0 >= nodes {
                return Err(Violation::NoUnicast(number));
            }
            if std::mem::replace(&mut sent[from.index()], true) {
                return Err(Violation::SendsTwice { node: from, step });
            }
            if std::mem::replace(&mut received[to.index()], true) {
                return Err(Violation::ReceivesTwice { node: to, step });
            }
            links.connect(from, to);
            longest = longest.max(send.pieces.iter().map(|range| range.end - range.start).sum());
            for piece in send.pieces.iter().cloned().flatten() {
                if !holdings.has(from, piece) {
                    return Err(Violation::Lacks { node: from, piece, step });
                }
                run.again += u64::from(holdings.has(to, piece));
            }
            run.in_order &= send.pieces.len() < 2 || !holdings.anything[to.index()];
            number += 1;
        }
        for send in sends {
            for piece in send.pieces.iter().cloned().flatten() {
                holdings.give(send.to[0], piece);
            }
        }
        run.steps.push(Step { longest, circuits: links.most() });
    }
    for node in (0..nodes).map(NodeId) {
        for piece in plan.at_end(node).iter().cloned().flatten() {
            if !holdings.has(node, piece) {
                return Err(Violation::Missing { node, piece });
            }
        }
    }
    Ok(run)
}

/// Pieces of each node.
struct Holdings {
    has: Vec<bool>,
    pieces: usize,
    /// For each node, whether it has any piece.
    anything: Vec<bool>,
}

impl Holdings {
    fn new(plan: &Plan, nodes: u32) -> Self {
        let pieces = plan.pieces as usize;
        let mut holdings =
            Self { has: vec![false; pieces * nodes as usize], pieces, anything: vec![false; nodes as usize] };
        for node in (0..nodes).map(NodeId) {
            for piece in plan.at_start(node).iter().cloned().flatten() {
                holdings.give(node, piece);
            }
        }
        holdings
    }

    /// Whether a node has a piece; false for a piece that does not exist.
    fn has(&self, node: NodeId, piece: u32) -> bool {
        (piece as usize) < self.pieces && self.has[node.index() * self.pieces + piece as usize]
    }

    fn give(&mut self, node: NodeId, piece: u32) {
        self.has[node.index() * self.pieces + piece as usize] = true;
        self.anything[node.index()] = true;
    }
}

/// Number of circuits on every link.
struct Links<'a> {
    grid: &'a Grid,
    /// Numbers by node and port.
    circuits: Vec<u32>,
}

impl<'a> Links<'a> {
    fn new(grid: &'a Grid) -> Self {
        Self { grid, circuits: vec![0; grid.nodes() as usize * grid.radices().len() * 2] }
    }

    /// Adds a circuit, one dimension after the other.
    fn connect(&mut self, from: NodeId, to: NodeId) {
        let mut stride = 1;
        let mut here = from.0;
        for (dimension, &k) in self.grid.radices().iter().enumerate() {
            let there = self.grid.coordinate(to.0, dimension);
            loop {
                let at = self.grid.coordinate(here, dimension);
                if at == there {
                    break;
                }
                let minus = usize::from(there < at);
                self.circuits[(here as usize * self.grid.radices().len() + dimension) * 2 + minus] += 1;
                here = if minus == 1 { here - stride } else { here + stride };
            }
            stride *= k;
        }
    }

    fn most(&self) -> u32 {
        self.circuits.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;
    use wormscope_hw::Encoding;

    use crate::{Send, Task};

    /// A plan of these sends of two pieces: (from, to, pieces, step).
    fn plan(nodes: u32, sends: &[(u32, u32, std::ops::Range<u32>, u32)]) -> Plan {
        let send = |(from, to, pieces, step): &(u32, u32, std::ops::Range<u32>, u32)| Send {
            from: NodeId(*from),
            to: smallvec![NodeId(*to)],
            encoding: Encoding::Unicast,
            pieces: smallvec![pieces.clone()],
            step: *step,
        };
        let destinations = (1..nodes).map(NodeId).collect();
        let sends = sends.iter().map(send).collect();
        Plan { task: Task::Multicast, source: NodeId(0), destinations, pieces: 2, sends }
    }

    #[test]
    fn a_step_costs_its_longest_message_times_the_circuits_beyond_what_a_link_carries() {
        // Both circuits of the second step go from node 1 to node 2. The third circuit goes the
        // other way.
        let grid = Grid::new(vec![4], false);
        let sends = [(0, 1, 0..2, 0), (0, 2, 0..2, 1), (1, 3, 0..1, 1), (2, 3, 1..2, 2)];
        let run = run(&grid, &plan(4, &sends)).unwrap();
        let steps = [(2, 1), (2, 2), (1, 1)].map(|(longest, circuits)| Step { longest, circuits });
        assert_eq!((&*run.steps, run.again, run.in_order), (&steps[..], 0, true));
        assert_eq!(run.cost(0), Cost { transmission: 3.5, latency: 3, permutation: 0 });
        assert_eq!(run.cost(1), Cost { transmission: 2.5, latency: 3, permutation: 0 });
        assert_eq!(run.cost(u32::MAX), run.cost(1));
    }

    #[test]
    fn circuits_follow_the_row_of_the_sender_and_then_the_column_of_the_receiver() {
        // On 2 x 2 nodes, 0 sends to 3 through 1. So the send from 1 to 3 shares a link with it.
        // The send from 2 to 3 does not.
        let grid = Grid::new(vec![2, 2], false);
        let mut links = Links::new(&grid);
        links.connect(NodeId(0), NodeId(3));
        links.connect(NodeId(2), NodeId(3));
        links.connect(NodeId(3), NodeId(1));
        assert_eq!(links.most(), 1);
        links.connect(NodeId(1), NodeId(3));
        assert_eq!(links.most(), 2);
    }

    #[test]
    fn each_violation_of_the_model_is_named() {
        let grid = Grid::new(vec![3], false);
        let violation = |sends: &[(u32, u32, std::ops::Range<u32>, u32)]| run(&grid, &plan(3, sends)).unwrap_err();
        let node = NodeId;
        assert_eq!(violation(&[(0, 1, 0..2, 1)]), Violation::Step(0));
        assert_eq!(violation(&[(0, 1, 0..2, 0), (1, 2, 0..2, 2)]), Violation::Step(1));
        assert_eq!(violation(&[(0, 3, 0..2, 0)]), Violation::NoUnicast(0));
        assert_eq!(violation(&[(0, 0, 0..2, 0)]), Violation::NoUnicast(0));
        assert_eq!(violation(&[(0, 1, 0..1, 0), (0, 2, 0..1, 0)]), Violation::SendsTwice { node: node(0), step: 0 });
        let twice = [(0, 1, 0..2, 0), (0, 2, 0..1, 1), (1, 2, 1..2, 1)];
        assert_eq!(violation(&twice), Violation::ReceivesTwice { node: node(2), step: 1 });
        assert_eq!(
            violation(&[(0, 1, 0..2, 0), (2, 1, 0..1, 1)]),
            Violation::Lacks { node: node(2), piece: 0, step: 1 }
        );
        assert_eq!(
            violation(&[(0, 1, 0..2, 0), (1, 2, 0..2, 0)]),
            Violation::Lacks { node: node(1), piece: 0, step: 0 }
        );
        assert_eq!(violation(&[(0, 1, 0..3, 0)]), Violation::Lacks { node: node(0), piece: 2, step: 0 });
        assert_eq!(violation(&[(0, 1, 0..2, 0), (1, 2, 0..1, 1)]), Violation::Missing { node: node(2), piece: 1 });
        assert_eq!(run(&Grid::new(vec![3], true), &plan(3, &[])), Err(Violation::Network));
        let again = run(&grid, &plan(3, &[(0, 1, 0..2, 0), (1, 2, 0..2, 1), (2, 1, 0..1, 2)])).unwrap();
        assert_eq!(again.again, 1);
    }
}
