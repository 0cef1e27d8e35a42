//! Multicasts in software: steps, start-ups, contention, latency, critical path.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use wormscope_hw::{Encoding, NodeId, WormId};

use crate::engine::{Class, WormInfo};
use crate::site::Site;
use crate::workload::Operation;
use crate::workload::operation::{Performed, Receipt};

/// Largest number of multicasts in software with their own row.
pub const MOST_ROWS: usize = 4096;

/// A multicast in software. Times in cycles; latencies from its begin until a node holds its part
/// of the message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoftwareRow {
    /// Entry of the workload that asks for the multicast.
    pub entry: usize,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Part of the algorithm that is a reconstruction, if any.
    pub reconstruction: Option<&'static str>,
    /// Node that had the message.
    pub source: u32,
    /// Length of the message in bytes.
    pub bytes: f64,
    /// Number of pieces of the message.
    pub pieces: u32,
    /// Cycle in which the multicast began.
    pub begin: u64,
    /// Steps of its plan: start-ups one after the other.
    pub steps: u32,
    /// Start-ups of the nodes that send.
    pub start_ups: Vec<NodeCount>,
    /// Extra cycles of the worms, compared with each worm alone. They count from the cycle in which
    /// the head leaves its node to the arrival of the last tail. Cycles in which a head waits for
    /// the worm that its own node sent before do not count. `None` if the number is not known or a
    /// worm is under way.
    pub contention: Option<u64>,
    /// Latency of every destination.
    pub destinations: Vec<NodeLatency>,
    /// Latency of the first destination.
    pub first: Option<u64>,
    /// Mean over the destinations reached.
    pub mean: Option<f64>,
    /// Latency of the last destination; `None` while one is missing.
    pub last: Option<u64>,
    /// The chain of sends that determines the last arrival.
    pub critical_path: Vec<Link>,
}

/// Start-ups of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeCount {
    /// The node.
    pub node: u32,
    /// Start-ups of the node.
    pub start_ups: u32,
}

/// Latency of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeLatency {
    /// The node.
    pub node: u32,
    /// Latency of the node; `None` if the node lacks a part of the message.
    pub latency: Option<u64>,
}

/// A send on the critical path. Cycles since the multicast began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Node that sends.
    pub from: u32,
    /// Node that receives.
    pub to: u32,
    /// Cycle in which the sender had the pieces of the send.
    pub ready: u64,
    /// The processor called the send.
    pub called: u64,
    /// The head left the node.
    pub injected: u64,
    /// The tail arrived.
    pub arrived: u64,
    /// Cycle in which the receiver held the pieces.
    pub held: u64,
    /// Cycles lost to other worms on the way.
    pub contention: Option<u64>,
}

impl SoftwareRow {
    /// The row of a multicast.
    #[must_use]
    pub fn new(operation: &Operation, site: &Site) -> Self {
        let (design, begin) = (&operation.design, operation.begin);
        let plan = &design.plan;
        let mut start_ups = BTreeMap::new();
        for performed in operation.sends() {
            *start_ups.entry(performed.send.from.0).or_insert(0) += 1;
        }
        let latency = |node| operation.complete(node).map(|cycle| cycle - begin);
        let reached: Vec<(u64, NodeId)> =
            plan.destinations.iter().filter_map(|&node| Some((latency(node)?, node))).collect();
        let sum: u128 = reached.iter().map(|&(latency, _)| u128::from(latency)).sum();
        let slowest = reached.iter().map(|&(latency, node)| (latency, std::cmp::Reverse(node))).max();
        let lost = lost(operation.sends(), site);
        let chain = slowest.map_or_else(Vec::new, |(_, node)| operation.chain_to(node.0));
        Self {
            entry: design.entry,
            algorithm: design.algorithm.name,
            reconstruction: design.algorithm.reconstruction,
            source: plan.source.0,
            bytes: design.length.bytes,
            pieces: plan.pieces,
            begin,
            steps: operation.steps(),
            start_ups: start_ups.into_iter().map(|(node, start_ups)| NodeCount { node, start_ups }).collect(),
            contention: lost.iter().copied().sum(),
            destinations: plan.destinations.iter().map(|&n| NodeLatency { node: n.0, latency: latency(n) }).collect(),
            first: reached.iter().map(|&(latency, _)| latency).min(),
            mean: (!reached.is_empty()).then(|| sum as f64 / reached.len() as f64),
            last: operation.end.map(|end| end - begin),
            critical_path: chain.into_iter().map(|(number, to)| link(operation, number, to, lost[number])).collect(),
        }
    }
}

fn link(operation: &Operation, number: usize, to: NodeId, contention: Option<u64>) -> Link {
    let performed = &operation.sends()[number];
    let place = performed.send.to.iter().position(|&node| node == to).unwrap_or(0);
    let Receipt { tail, held } = performed.receipts[place];
    let since = |cycle: u64| cycle.saturating_sub(operation.begin);
    Link {
        from: performed.send.from.0,
        to: to.0,
        ready: since(performed.ready),
        called: since(performed.called),
        injected: since(performed.injected),
        arrived: tail.map_or(0, since),
        held: held.map_or(0, since),
        contention,
    }
}

/// Extra cycles of each worm, compared with a run in which only the previous worm of its node is in
/// the network. `None` for a worm that is still under way.
fn lost(sends: &[Performed], site: &Site) -> Vec<Option<u64>> {
    let mut order: Vec<usize> = (0..sends.len()).collect();
    order.sort_by_key(|&number| (sends[number].send.from, sends[number].injected));
    let (mut fifos, mut lost) = (FirstFifos::default(), vec![None; sends.len()]);
    // The node of the previous worm, and the cycle from which its first FIFO has no flit of that
    // worm.
    let mut before = None;
    for number in order {
        let Performed { send, injected, receipts, .. } = &sends[number];
        let worm = worm(&sends[number]);
        let stay = fifos.stay(&worm, site);
        let behind = match (before, &stay) {
            (Some((node, free)), Some(stay)) if node == send.from => {
                (injected + stay.start).max(free) - injected - stay.start
            }
            _ => 0,
        };
        before = stay.map(|stay| (send.from, injected + behind + stay.end));
        let arrived = receipts.iter().try_fold(0, |arrived, receipt| Some(receipt.tail?.max(arrived)));
        let late = |arrived: u64| (arrived - injected).checked_sub(site.unblocked(&worm)?);
        lost[number] = arrived.and_then(late).map(|late| late.saturating_sub(behind));
    }
    lost
}

/// Cycles in which worms alone in the network have flits in their first FIFO. For unicasts, which
/// are many, only length and distance matter.
#[derive(Default)]
struct FirstFifos(BTreeMap<(u32, u32, u32), Option<Range<u64>>>);

impl FirstFifos {
    fn stay(&mut self, worm: &WormInfo, site: &Site) -> Option<Range<u64>> {
        if worm.encoding != Encoding::Unicast {
            return site.in_first_fifo(worm);
        }
        let key = (worm.header_flits, worm.payload_flits, site.hops(worm, worm.destinations[0]));
        self.0.entry(key).or_insert_with(|| site.in_first_fifo(worm)).clone()
    }
}

fn worm(performed: &Performed) -> WormInfo {
    WormInfo {
        id: WormId(0),
        source: performed.send.from,
        destinations: performed.send.to.iter().copied().collect(),
        encoding: performed.send.encoding,
        header_flits: performed.header_flits,
        payload_flits: performed.payload_flits,
        created: 0,
        measured: false,
        class: Class::default(),
    }
}
