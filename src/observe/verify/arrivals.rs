//! Arrivals at the nodes: header residue and payload, every flit once and in order.

use std::collections::BTreeMap;

use wormscope_hw::header::{Layout, Way, Worm};
use wormscope_hw::{NodeId, PortId};

use super::rules::{Breaches, Rule};
use crate::engine::{CommitLog, ConsumeSample, Delivery, FlitId, OutSample, WormInfo, payload_word};
use crate::network::{End, Lanes, Network, Wiring};

/// A worm at a node.
#[derive(Clone, Copy, Debug, Default)]
struct Reception {
    /// The flit that is expected next, once one has arrived.
    next: Option<u32>,
    deliveries: u32,
}

/// Follows worms at their nodes.
#[derive(Clone, Debug)]
pub(super) struct Arrivals<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    flit_bits: u32,
    layout: Layout,
    worms: Vec<WormInfo>,
    seen: BTreeMap<(u32, NodeId), Reception>,
}

impl<'a> Arrivals<'a> {
    pub fn new(network: &Network, wiring: &'a Wiring) -> Self {
        Self {
            wiring,
            lanes: network.lanes(wiring),
            flit_bits: network.switch.flit_bits,
            layout: network.layout(),
            worms: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
    }

    /// The first flit of the worm that a node receives; `None` where it receives none.
    fn first(&self, worm: &WormInfo, node: NodeId) -> Option<u32> {
        let place = worm.destinations.iter().position(|d| *d == node)?;
        Some(match worm.encoding.way() {
            _ if worm.encoding.header().each_switch_strips() => worm.header_flits,
            // The node's own address and those before it are stripped.
            Way::Path => (place as u32 + 1) * worm.encoding.header().part_flits(&self.layout),
            Way::Unicast | Way::Tree => 0,
        })
    }

    /// A bit of the header residue at a node.
    fn residue(&self, worm: &WormInfo, node: NodeId, flit: u32, bit: u32) -> bool {
        let header = worm.encoding.header();
        let part = header.part_flits(&self.layout);
        let injected = Worm { layout: &self.layout, destinations: &worm.destinations, port_masks: &Vec::new };
        header.residue(&injected, node, flit / part, flit % part * self.flit_bits + bit)
    }

    /// Checks a flit that crosses an output. Only the last output before its node matters.
    pub fn crossing(&self, log: &CommitLog, s: &OutSample, flit: FlitId, breaches: &mut Breaches) {
        let port = PortId(self.lanes.outputs.port(s.lane));
        let Some(End::Node(node)) = self.wiring.output(s.switch, port) else { return };
        let Some(worm) = self.worms.get(flit.worm.index()) else { return };
        let words = self.flit_bits.div_ceil(64);
        let Some(data) = log.words.get(s.data as usize..).and_then(|rest| rest.get(..words as usize)) else { return };
        let is_header = flit.index < worm.header_flits;
        let expected: Vec<u64> = (0..words)
            .map(|n| {
                let width = (self.flit_bits - 64 * n).min(64);
                if is_header {
                    (0..width).fold(0, |all, i| all | u64::from(self.residue(worm, node, flit.index, 64 * n + i)) << i)
                } else {
                    payload_word(flit.worm, flit.index, n, self.flit_bits)
                }
            })
            .collect();
        if data != expected {
            let rule = if is_header { Rule::HeaderResidue } else { Rule::Payload };
            breaches.add(rule, log.cycle, || {
                format!("flit {} of worm {} goes to node {node} as {data:x?}, not {expected:x?}", flit.index, flit.worm)
            });
        }
    }

    /// Checks a flit that arrives.
    pub fn consumption(&mut self, cycle: u64, s: &ConsumeSample, breaches: &mut Breaches) {
        let first = self.worms.get(s.flit.worm.index()).and_then(|worm| self.first(worm, s.node));
        let (flit, worm, node) = (s.flit.index, s.flit.worm.0, s.node);
        let Some(first) = first else {
            return breaches.add(Rule::ExactlyOnce, cycle, || {
                format!("flit {flit} of worm {worm} arrives at node {node}, which is none of its destinations")
            });
        };
        let arrival = self.seen.entry((worm, node)).or_default();
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
        let Some(worm) = self.worms.get(d.worm.index()) else { return };
        let whole = self.first(worm, d.destination).map(|first| worm.header_flits + worm.payload_flits - first);
        let arrival = self.seen.entry((d.worm.0, d.destination)).or_default();
        arrival.deliveries += 1;
        if arrival.deliveries > 1 || whole != Some(d.flits) {
            breaches.add(Rule::ExactlyOnce, d.tail, || {
                let Delivery { worm, destination, flits, .. } = d;
                format!(
                    "worm {worm} is delivered at node {destination} with {flits} flits, time {}",
                    arrival.deliveries
                )
            });
        }
    }

    /// Checks that everything has arrived.
    pub fn complete(&self, end: u64, breaches: &mut Breaches) {
        for worm in &self.worms {
            let length = worm.header_flits + worm.payload_flits;
            for &node in &*worm.destinations {
                let arrival = self.seen.get(&(worm.id.0, node)).copied().unwrap_or_default();
                if arrival.next != Some(length) || arrival.deliveries != 1 {
                    breaches.add(Rule::ExactlyOnce, end, || {
                        format!("worm {} has not wholly arrived at node {node}", worm.id)
                    });
                }
            }
        }
    }
}
