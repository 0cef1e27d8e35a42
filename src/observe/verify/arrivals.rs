//! Arrivals at the nodes: header residue and payload, every flit once and in order.

use std::collections::BTreeMap;

use wormscope_hw::header::{Layout, Way, Worm};
use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::rules::{Breaches, Rule};
use crate::engine::{CommitLog, ConsumeSample, Delivery, FlitId, OutSample, WormInfo, payload_word};
use crate::network::{End, Network, Wiring};

/// A worm at a node.
#[derive(Clone, Copy, Debug, Default)]
struct Reception {
    /// The flit that is expected next, once one has arrived.
    next: Option<u32>,
    deliveries: u32,
}

/// Follows worms at their nodes.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    /// Number of output lanes of a switch.
    outputs: usize,
    /// For each output lane, switch-major, the node to which it leads.
    nodes: Vec<Option<NodeId>>,
    flit_bits: u32,
    layout: Layout,
    worms: Vec<WormInfo>,
    /// For each worm, where its destinations begin in `seen`.
    first: Vec<usize>,
    /// The worms at their destinations, worm by worm.
    seen: Vec<Reception>,
    /// Deliveries of worms at other nodes.
    astray: BTreeMap<(u32, NodeId), u32>,
}

impl Arrivals {
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let node = |switch, lane| match wiring.output(switch, PortId(lanes.outputs.port(lane))) {
            Some(End::Node(node)) => Some(node),
            Some(End::Switch(..)) | None => None,
        };
        let switches = (0..wiring.switches()).map(SwitchId);
        Self {
            outputs: lanes.outputs.count().into(),
            nodes: switches.flat_map(|s| (0..lanes.outputs.count()).map(move |lane| node(s, lane))).collect(),
            flit_bits: network.switch.flit_bits,
            layout: network.layout(),
            worms: Vec::new(),
            first: Vec::new(),
            seen: Vec::new(),
            astray: BTreeMap::new(),
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
        self.first.push(self.seen.len());
        self.seen.resize(self.seen.len() + worm.destinations.len(), Reception::default());
    }

    /// The first flit of the worm that its destination in this place receives.
    fn first(&self, worm: &WormInfo, place: usize) -> u32 {
        match worm.encoding.way() {
            _ if worm.encoding.header().each_switch_strips() => worm.header_flits,
            // The node's own address and all addresses before it are stripped.
            Way::Path => (place as u32 + 1) * worm.encoding.header().part_flits(&self.layout),
            Way::Unicast | Way::Tree => 0,
        }
    }

    /// The worm, and the place of a node among its destinations.
    fn place(&self, worm: WormId, node: NodeId) -> Option<(&WormInfo, usize)> {
        let worm = self.worms.get(worm.index())?;
        Some((worm, worm.destinations.iter().position(|d| *d == node)?))
    }

    /// Word `n` of a flit of the header residue at a node.
    fn residue(&self, worm: &WormInfo, node: NodeId, flit: u32, n: u32) -> u64 {
        let header = worm.encoding.header();
        let part = header.part_flits(&self.layout);
        let injected = Worm { layout: &self.layout, destinations: &worm.destinations, port_masks: &Vec::new };
        let first = flit % part * self.flit_bits + 64 * n;
        let bit = |i| header.residue(&injected, node, flit / part, first + i);
        // A part has no bits behind its last one.
        let bits = (self.flit_bits - 64 * n).min(64).min(header.part_bits(&self.layout).saturating_sub(first));
        (0..bits).fold(0, |word, i| word | u64::from(bit(i)) << i)
    }

    /// Checks a flit that crosses an output. Only the last output before its node matters.
    #[inline]
    pub fn crossing(&self, log: &CommitLog, s: &OutSample, flit: FlitId, breaches: &mut Breaches) {
        if let Some(node) = self.nodes[s.switch.index() * self.outputs + usize::from(s.lane)] {
            self.leaves_for(node, log, s, flit, breaches);
        }
    }

    /// Checks the data of a flit that leaves for a node.
    fn leaves_for(&self, node: NodeId, log: &CommitLog, s: &OutSample, flit: FlitId, breaches: &mut Breaches) {
        let Some(worm) = self.worms.get(flit.worm.index()) else { return };
        let words = self.flit_bits.div_ceil(64);
        let Some(data) = log.words.get(s.data as usize..).and_then(|rest| rest.get(..words as usize)) else { return };
        let is_header = flit.index < worm.header_flits;
        let expected = |n: u32| {
            if is_header {
                self.residue(worm, node, flit.index, n)
            } else {
                payload_word(flit.worm, flit.index, n, self.flit_bits)
            }
        };
        if (0..words).zip(data).any(|(n, &word)| word != expected(n)) {
            let rule = if is_header { Rule::HeaderResidue } else { Rule::Payload };
            breaches.add(rule, log.cycle, || {
                let expected: Vec<u64> = (0..words).map(expected).collect();
                format!("flit {} of worm {} goes to node {node} as {data:x?}, not {expected:x?}", flit.index, flit.worm)
            });
        }
    }

    /// Checks a flit that arrives.
    pub fn consumption(&mut self, cycle: u64, s: &ConsumeSample, breaches: &mut Breaches) {
        let (flit, worm, node) = (s.flit.index, s.flit.worm.0, s.node);
        let Some((info, place)) = self.place(s.flit.worm, node) else {
            return breaches.add(Rule::ExactlyOnce, cycle, || {
                format!("flit {flit} of worm {worm} arrives at node {node}, which is none of its destinations")
            });
        };
        let first = self.first(info, place);
        let arrival = &mut self.seen[self.first[s.flit.worm.index()] + place];
        let expected = arrival.next.unwrap_or(first);
        arrival.next = Some(expected.max(flit + 1));
        if flit == expected {
            return;
        }
        let what = |how: &str| format!("flit {flit} of worm {worm} arrives at node {node} {how}");
        if flit < first {
            breaches.add(Rule::HeaderResidue, cycle, || {
                what(&format!("instead of being stripped: flit {first} is the first"))
            });
        } else if flit < expected {
            breaches.add(Rule::ExactlyOnce, cycle, || what("a second time"));
        } else {
            breaches.add(Rule::InOrder, cycle, || what(&format!("instead of flit {expected}")));
        }
    }

    /// Checks an arrival that the engine reports.
    pub fn delivered(&mut self, d: &Delivery, breaches: &mut Breaches) {
        if d.worm.index() >= self.worms.len() {
            return;
        }
        let place = self.place(d.worm, d.destination);
        let place = place.map(|(worm, at)| (at, worm.header_flits + worm.payload_flits - self.first(worm, at)));
        let deliveries = match place {
            Some((at, _)) => &mut self.seen[self.first[d.worm.index()] + at].deliveries,
            None => self.astray.entry((d.worm.0, d.destination)).or_default(),
        };
        *deliveries += 1;
        if *deliveries > 1 || place.map(|(_, whole)| whole) != Some(d.flits) {
            breaches.add(Rule::ExactlyOnce, d.tail, || {
                let Delivery { worm, destination, flits, .. } = d;
                format!("worm {worm} is delivered at node {destination} with {flits} flits, time {deliveries}")
            });
        }
    }

    /// Checks that all worms have arrived.
    pub fn complete(&self, end: u64, breaches: &mut Breaches) {
        for (worm, &first) in self.worms.iter().zip(&self.first) {
            let length = worm.header_flits + worm.payload_flits;
            // A worm has each destination once.
            for (node, arrival) in worm.destinations.iter().zip(&self.seen[first..]) {
                if arrival.next != Some(length) || arrival.deliveries != 1 {
                    breaches.add(Rule::ExactlyOnce, end, || {
                        format!("worm {} has not wholly arrived at node {node}", worm.id)
                    });
                }
            }
        }
    }
}
