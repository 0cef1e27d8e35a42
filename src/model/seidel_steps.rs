//! A plan run step by step under the communication model of \[SEIDEL\] section 2: every step takes as long as its longest message
//! over its most used link, and the next one starts when it is over.

use thiserror::Error;
use wormscope_hw::NodeId;

use super::seidel::Cost;
use crate::multicast::Plan;
use crate::topology::Grid;

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Pieces in the longest message.
    pub longest: u32,
    /// Most circuits on one link in one direction.
    pub circuits: u32,
}

/// A plan that keeps to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its steps.
    pub steps: Vec<Step>,
    /// Pieces of the message.
    pub pieces: u32,
    /// Pieces that came to nodes that had them.
    pub again: u64,
    /// Whether all messages to nodes that have something already are pieces in a row, which are put beside what is there. Where
    /// they are not, the pieces come together in another order than the message's (Fig. 2).
    pub in_order: bool,
}

/// How a plan breaks the model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Violation {
    /// Not a mesh, or not of one or two dimensions.
    #[error("the model knows linear arrays and meshes of two dimensions")]
    Network,
    /// Not to one other node of the network, or from outside of it.
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
    /// A node does not have what it sends when the step begins.
    #[error("node {node} does not have piece {piece} in step {step}")]
    Lacks {
        /// The node.
        node: NodeId,
        /// The piece.
        piece: u32,
        /// The step.
        step: u32,
    },
    /// A node has not got what it is to have.
    #[error("node {node} never gets piece {piece}")]
    Missing {
        /// The node.
        node: NodeId,
        /// The piece.
        piece: u32,
    },
}

impl Run {
    /// Cost where a link carries `2^nu` messages beside each other. What does not come in order is permuted once, everywhere at the
    /// same time (section 3.5).
    #[must_use]
    pub fn cost(&self, nu: u32) -> Cost {
        let width = 1_u64 << nu.min(32);
        let sent = self.steps.iter().map(|step| u64::from(step.circuits).div_ceil(width) * u64::from(step.longest));
        let transmission = sent.sum::<u64>() as f64 / f64::from(self.pieces);
        Cost { transmission, latency: self.steps.len() as u32, permutation: u32::from(!self.in_order) }
    }
}

/// Runs a plan on a linear array or mesh. Messages go along the row of the sender, then along the column of the receiver.
///
/// # Errors
/// The first violation.
pub fn run(grid: &Grid, plan: &Plan) -> Result<Run, Violation> {
    if grid.wraps() || grid.radices().len() > 2 {
        return Err(Violation::Network);
    }
    let nodes = grid.nodes();
    let mut holdings = Holdings::new(plan, nodes);
    let mut run = Run { steps: Vec::new(), pieces: plan.pieces, again: 0, in_order: true };
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
            run.in_order &= send.pieces.len() < 2 || holdings.count(to) == 0;
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

/// Who has which piece.
struct Holdings {
    has: Vec<bool>,
    pieces: usize,
}

impl Holdings {
    fn new(plan: &Plan, nodes: u32) -> Self {
        let pieces = plan.pieces as usize;
        let mut holdings = Self { has: vec![false; pieces * nodes as usize], pieces };
        for node in (0..nodes).map(NodeId) {
            for piece in plan.at_start(node).iter().cloned().flatten() {
                holdings.give(node, piece);
            }
        }
        holdings
    }

    /// False for a piece that there is not.
    fn has(&self, node: NodeId, piece: u32) -> bool {
        (piece as usize) < self.pieces && self.has[node.index() * self.pieces + piece as usize]
    }

    fn count(&self, node: NodeId) -> usize {
        self.has[node.index() * self.pieces..][..self.pieces].iter().filter(|&&has| has).count()
    }

    fn give(&mut self, node: NodeId, piece: u32) {
        self.has[node.index() * self.pieces + piece as usize] = true;
    }
}

/// Circuits on every link.
struct Links<'a> {
    grid: &'a Grid,
    /// By node and port.
    circuits: Vec<u32>,
}

impl<'a> Links<'a> {
    fn new(grid: &'a Grid) -> Self {
        Self { grid, circuits: vec![0; grid.nodes() as usize * grid.radices().len() * 2] }
    }

    /// A circuit, one dimension after the other.
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
