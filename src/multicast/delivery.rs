//! Check that a plan delivers. Every destination gets each of its pieces exactly once, from a node
//! that has the piece.

use std::collections::HashMap;

use thiserror::Error;
use wormscope_hw::NodeId;

use super::plan::{Plan, Task};

/// Fault of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A node sends in a step a piece that it does not have by then.
    #[error("node {node} sends piece {piece} in step {step} and does not have it")]
    NotHeld {
        /// The sender.
        node: NodeId,
        /// The piece.
        piece: u32,
        /// The step.
        step: u32,
    },
    /// A node is sent a piece that it has or that is already on its way to it.
    #[error("node {node} gets piece {piece} twice, the second time in step {step}")]
    Twice {
        /// The receiver.
        node: NodeId,
        /// The piece.
        piece: u32,
        /// The step.
        step: u32,
    },
    /// A node that is neither source nor destination is sent a piece.
    #[error("node {node} gets something in step {step} and is no destination")]
    Stranger {
        /// The receiver.
        node: NodeId,
        /// The step.
        step: u32,
    },
    /// A destination lacks a piece in the end.
    #[error("node {node} never gets piece {piece}")]
    Missed {
        /// The destination.
        node: NodeId,
        /// The piece.
        piece: u32,
    },
    /// A send is out of the order of steps, carries no piece or a piece that does not exist, or has
    /// no receiver.
    #[error("send {0} is out of order, empty or of pieces that do not exist")]
    Malformed(usize),
}

impl Plan {
    /// Checks that the plan delivers. Every destination gets each of its pieces once, and no other
    /// node gets a piece.
    ///
    /// # Errors
    /// The first fault.
    pub fn verify(&self) -> Result<(), Fault> {
        // Per node and piece, the first step in which the node may send the piece on, once it has
        // arrived.
        let nodes: HashMap<NodeId, usize> = self.destinations.iter().zip(1..).map(|(&node, i)| (node, i)).collect();
        let pieces = self.pieces as usize;
        let mut from_step: Vec<Option<u32>> = vec![None; (self.destinations.len() + 1) * pieces];
        let place = |node: NodeId| if node == self.source { Some(0) } else { nodes.get(&node).copied() };
        match &self.task {
            Task::Multicast | Task::Scatter(_) => from_step[..pieces].fill(Some(0)),
            Task::Allgather(homes) => {
                for (i, piece) in homes.iter().zip(0..pieces).filter_map(|(&node, piece)| Some((place(node)?, piece))) {
                    from_step[i * pieces + piece] = Some(0);
                }
            }
        }
        let mut last = 0;
        for (number, send) in self.sends.iter().enumerate() {
            let sound = send.pieces.iter().all(|range| !range.is_empty() && range.end <= self.pieces);
            if send.step < last || send.to.is_empty() || send.pieces.is_empty() || !sound {
                return Err(Fault::Malformed(number));
            }
            let step = send.step;
            last = step;
            for piece in send.pieces.iter().cloned().flatten() {
                let held = place(send.from).and_then(|i| from_step[i * pieces + piece as usize]);
                if held.is_none_or(|from| from > step) {
                    return Err(Fault::NotHeld { node: send.from, piece, step });
                }
                for &node in &send.to {
                    let Some(i) = place(node) else { return Err(Fault::Stranger { node, step }) };
                    if from_step[i * pieces + piece as usize].replace(step + 1).is_some() {
                        return Err(Fault::Twice { node, piece, step });
                    }
                }
            }
        }
        let everybody = std::iter::once(self.source).chain(self.destinations.iter().copied());
        for (node, arrived) in everybody.zip(from_step.chunks(pieces.max(1))) {
            let missed = |&piece: &u32| {
                let wanted =
                    if let Task::Scatter(homes) = &self.task { homes.get(piece as usize) == Some(&node) } else { true };
                wanted && arrived[piece as usize].is_none()
            };
            if let Some(piece) = (0..self.pieces).find(missed) {
                return Err(Fault::Missed { node, piece });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::plan::{Pieces, Send, Task, whole};
    use super::*;

    fn plan(destinations: &[u32], sends: &[(u32, u32, u32)]) -> Plan {
        let sends = sends.iter().map(|&(from, to, step)| Send::unicast(NodeId(from), NodeId(to), step)).collect();
        let destinations = destinations.iter().map(|&node| NodeId(node)).collect();
        Plan { task: Task::Multicast, source: NodeId(0), destinations, pieces: 1, sends }
    }

    #[test]
    fn a_chain_delivers_and_each_fault_is_named() {
        let fault = |destinations: &[u32], sends: &[(u32, u32, u32)]| plan(destinations, sends).verify().unwrap_err();
        assert_eq!(plan(&[1, 2], &[(0, 1, 0), (1, 2, 1)]).verify(), Ok(()));
        let (node, piece) = (NodeId(1), 0);
        assert_eq!(fault(&[1, 2], &[(0, 1, 0), (1, 2, 0)]), Fault::NotHeld { node, piece, step: 0 });
        assert_eq!(fault(&[1], &[(0, 1, 0), (0, 1, 1)]), Fault::Twice { node, piece, step: 1 });
        assert_eq!(fault(&[2], &[(0, 1, 0), (0, 2, 1)]), Fault::Stranger { node, step: 0 });
        assert_eq!(fault(&[1, 2], &[(0, 1, 0)]), Fault::Missed { node: NodeId(2), piece });
        assert_eq!(fault(&[1, 2], &[(0, 1, 1), (0, 2, 0)]), Fault::Malformed(1));
        assert_eq!(fault(&[1], &[(0, 0, 0)]), Fault::Twice { node: NodeId(0), piece, step: 0 });
    }

    #[test]
    fn pieces_count_one_by_one() {
        let one = |range: Range<u32>| Pieces::from(vec![range]);
        let mut plan = plan(&[1], &[(0, 1, 0), (0, 1, 1)]);
        plan.pieces = 4;
        (plan.sends[0].pieces, plan.sends[1].pieces) = (Pieces::from_iter([0..1, 3..4]), one(1..2));
        assert_eq!(plan.verify(), Err(Fault::Missed { node: NodeId(1), piece: 2 }));
        plan.sends[1].pieces = one(1..3);
        assert_eq!(plan.verify(), Ok(()));
        plan.sends[1].pieces = one(1..5);
        assert_eq!(plan.verify(), Err(Fault::Malformed(1)));
        plan.sends[1].pieces = whole();
        assert_eq!(plan.verify(), Err(Fault::Twice { node: NodeId(1), piece: 0, step: 1 }));
    }
}
