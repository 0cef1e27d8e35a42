//! Operation: one multicast under way, with the pieces of each node and the next sends.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use smallvec::smallvec;
use wormscope_hw::{Encoding, NodeId};

use crate::engine::Class;
use crate::experiment::Length;
use crate::multicast::{Algorithm, Measured, Part, Pieces, Plan, Policy, Send, plan};

/// A multicast that is ready to begin.
#[derive(Clone)]
pub struct Design {
    /// Entry of the workload that asks for the multicast.
    pub entry: usize,
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Plan of the multicast. For a dynamic algorithm, the plan without load.
    pub plan: Rc<Plan>,
    /// For a dynamic algorithm, the decisions of the nodes.
    pub policy: Option<Rc<dyn Policy>>,
    /// Length of the message.
    pub length: Length,
    /// Number of start-ups of a node in one step.
    pub ports: u32,
    /// Class that its worms are measured with.
    pub class: Class,
}

/// A send with the times of its events, in cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// The send.
    pub send: Send,
    /// Cycle in which the node had the pieces, and its earlier sends had theirs.
    pub ready: u64,
    /// Cycle in which the processor called the send.
    pub called: u64,
    /// Cycles that the message waited in the send buffer for a port (`t_sq`).
    pub queued: u64,
    /// Header flits of its worm.
    pub header_flits: u32,
    /// Payload flits of its worm.
    pub payload_flits: u32,
    /// Cycle in which its first flit left the node.
    pub injected: u64,
    /// Cycle in which its last flit left the node.
    pub departed: u64,
    /// Result at each receiver, in the order of the send's receivers.
    pub receipts: Vec<Receipt>,
}

/// Arrival of a message at one of its receivers, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Cycle in which the tail of its worm arrived.
    pub tail: Option<u64>,
    /// Cycle from which the receiver held the message.
    pub held: Option<u64>,
}

/// State of a node for the message.
#[derive(Clone, Debug, Default)]
struct Holder {
    /// Pieces that the node has, one bit for each piece.
    has: BitVec<u64>,
    /// Number of pieces that the node lacks.
    missing: u32,
    /// Numbers of the holder's sends, in order. `next` counts the sends that the holder has handed
    /// over.
    sends: Vec<usize>,
    next: usize,
    /// Cycle in which the node had all its pieces, and the send that brought the last piece.
    complete: Option<(u64, Option<usize>)>,
}

/// A multicast under way.
pub struct Operation {
    /// Design of the multicast.
    pub design: Design,
    /// Cycle in which the multicast began.
    pub begin: u64,
    /// Whether the run measures the multicast: it began in the window, and it is not skipped.
    pub measured: bool,
    /// Cycle in which the last node was complete.
    pub end: Option<u64>,
    /// Sends of the multicast that are known so far.
    sends: Vec<Performed>,
    holders: HashMap<NodeId, Holder>,
    incomplete: u32,
    /// For a dynamic algorithm, the part for which the receiver of each send becomes responsible.
    parts: Vec<Part>,
    /// Number of pieces that a node was sent and had already.
    pub repeated: u32,
}

impl Operation {
    /// Begins a multicast in cycle `begin`. Returns the sends that are ready at once.
    pub(super) fn begin(design: Design, begin: u64, measured: Option<Measured>) -> (Self, Vec<usize>) {
        let plan = Rc::clone(&design.plan);
        let sends =
            if design.policy.is_some() { Vec::new() } else { plan.sends.iter().cloned().map(Performed::new).collect() };
        let mut operation = Self {
            design,
            begin,
            measured: true,
            end: None,
            sends,
            holders: HashMap::new(),
            incomplete: 0,
            parts: Vec::new(),
            repeated: 0,
        };
        for (number, performed) in operation.sends.iter().enumerate() {
            operation.holders.entry(performed.send.from).or_default().sends.push(number);
        }
        let everybody = || plan.destinations.iter().copied().chain([plan.source]);
        let pieces = plan.pieces as usize;
        for node in everybody() {
            let holder = operation.holders.entry(node).or_default();
            holder.has.resize(pieces, false);
            set(&mut holder.has, &plan.at_start(node));
            let wanted = plan.at_end(node);
            holder.missing =
                wanted.iter().cloned().flatten().filter(|&piece| !is_set(&holder.has, piece)).count() as u32;
            if holder.missing > 0 {
                operation.incomplete += 1;
            } else {
                holder.complete = Some((begin, None));
            }
        }
        if operation.incomplete == 0 {
            operation.end = Some(begin);
        }
        let mut ready = Vec::new();
        if let Some(policy) = operation.design.policy.clone() {
            operation.decide(plan.source, policy.chain().whole(), 0, measured);
        }
        for node in everybody() {
            operation.advance(node, begin, &mut ready);
        }
        (operation, ready)
    }

    /// Sends of the multicast that are known so far.
    #[must_use]
    pub fn sends(&self) -> &[Performed] {
        &self.sends
    }

    pub(super) fn send_mut(&mut self, number: usize) -> &mut Performed {
        &mut self.sends[number]
    }

    /// Cycle in which `node` had all its pieces.
    #[must_use]
    pub fn complete(&self, node: NodeId) -> Option<u64> {
        self.holders.get(&node).and_then(|holder| holder.complete).map(|(cycle, _)| cycle)
    }

    /// The send that brought `node` its last piece.
    #[must_use]
    pub(crate) fn completed_by(&self, node: NodeId) -> Option<usize> {
        self.holders.get(&node).and_then(|holder| holder.complete).and_then(|(_, by)| by)
    }

    /// Number of its steps: start-ups one after the other until the last node was served.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.sends.iter().map(|performed| performed.send.step + 1).max().unwrap_or(0)
    }

    /// The chain of sends that determined when `node` had all its pieces, from the first on. Each
    /// send was ready when its sender held the pieces that the previous send brought.
    #[must_use]
    pub(crate) fn chain_to(&self, node: NodeId) -> Vec<(usize, NodeId)> {
        let mut chain = Vec::new();
        let mut link = self.completed_by(node).map(|number| (number, node));
        while let Some((number, to)) = link {
            chain.push((number, to));
            let Performed { send, ready, .. } = &self.sends[number];
            let brings = |performed: &Performed| {
                let at = performed.send.to.iter().position(|&node| node == send.from);
                at.is_some_and(|at| performed.receipts[at].held == Some(*ready))
            };
            // No send brought the pieces that the sender had from the beginning.
            let before = self.sends.iter().position(brings).filter(|_| *ready > self.begin);
            link =
                before.map(|number| (number, send.from)).filter(|(number, _)| chain.iter().all(|(n, _)| n != number));
        }
        chain.reverse();
        chain
    }

    /// Records that `node` has received send `number` in cycle `now`. Returns the sends that are
    /// ready after it.
    pub(super) fn received(&mut self, number: usize, node: NodeId, now: u64, measured: Option<Measured>) -> Vec<usize> {
        let plan = Rc::clone(&self.design.plan);
        let send = &self.sends[number].send;
        let (pieces, step) = (send.pieces.clone(), send.step);
        let holder = self.holders.entry(node).or_default();
        holder.has.resize(plan.pieces as usize, false);
        let had = |holder: &Holder, piece: &u32| is_set(&holder.has, *piece);
        self.repeated += pieces.iter().cloned().flatten().filter(|piece| had(holder, piece)).count() as u32;
        if holder.missing > 0 {
            let wanted = plan.at_end(node);
            let is_wanted = |piece: &u32| wanted.iter().any(|range| range.contains(piece));
            let new = pieces.iter().cloned().flatten().filter(|piece| !had(holder, piece) && is_wanted(piece)).count();
            holder.missing -= new as u32;
            if holder.missing == 0 {
                holder.complete = Some((now, Some(number)));
                self.incomplete -= 1;
                if self.incomplete == 0 {
                    self.end = Some(now);
                }
            }
        }
        set(&mut holder.has, &pieces);
        if let Some(&part) = self.parts.get(number) {
            self.decide(node, part, step + 1, measured);
        }
        let mut ready = Vec::new();
        self.advance(node, now, &mut ready);
        ready
    }

    /// Adds the sends at the front of `node` that are ready with its pieces.
    fn advance(&mut self, node: NodeId, now: u64, ready: &mut Vec<usize>) {
        let Some(holder) = self.holders.get_mut(&node) else { return };
        while let Some(&number) = holder.sends.get(holder.next) {
            let performed = &mut self.sends[number];
            if !performed.send.pieces.iter().cloned().flatten().all(|piece| is_set(&holder.has, piece)) {
                return;
            }
            performed.ready = now;
            ready.push(number);
            holder.next += 1;
        }
    }

    /// Lets a node that has become responsible for `part` decide its sends. Its first start-up is
    /// in `step`.
    fn decide(&mut self, node: NodeId, part: Part, step: u32, measured: Option<Measured>) {
        let Some(policy) = self.design.policy.clone() else { return };
        let nodes = policy.chain().nodes();
        let holder = self.holders.entry(node).or_default();
        for (nth, part) in (0..).zip(policy.burst(measured, part)) {
            holder.sends.push(self.sends.len());
            let send = Send {
                from: node,
                to: smallvec![nodes[part.holder as usize]],
                encoding: Encoding::Unicast,
                pieces: plan::whole(),
                step: step + nth / self.design.ports,
            };
            self.sends.push(Performed::new(send));
            self.parts.push(part);
        }
    }
}

impl Performed {
    fn new(send: Send) -> Self {
        let receipts = vec![Receipt::default(); send.to.len()];
        Self {
            send,
            ready: 0,
            called: 0,
            queued: 0,
            header_flits: 0,
            payload_flits: 0,
            injected: 0,
            departed: 0,
            receipts,
        }
    }
}

fn is_set(bits: &BitSlice<u64>, piece: u32) -> bool {
    bits.get(piece as usize).is_some_and(|bit| *bit)
}

fn set(bits: &mut BitSlice<u64>, pieces: &Pieces) {
    for Range { start, end } in pieces.iter().cloned() {
        bits[start as usize..end as usize].fill(true);
    }
}
