//! Bank of the consumption channels of nodes that do not take every flit at once: receive buffers
//! of a given size, stalls.
//!
//! It exists only where one of these is asked for. A flit then stands in the FIFO of its channel
//! until the node takes it, one flit a channel and cycle, and its credit starts on its way back in
//! that cycle. Payload flits fill the receive buffer behind the channel until the node's processor
//! has received their message; header flits are not kept. A channel carries one worm after the
//! other, so that a buffer that holds the longest message never fills with parts of two.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::address::Far;
use wormscope_hw::{Flit, NodeId, sink};

use super::Engine;
use super::fabric::Fabric;

/// A consumption channel.
#[derive(Clone, Debug)]
struct Channel {
    /// Flits sent to it, with the cycle in which they are there.
    flits: VecDeque<(u64, Flit)>,
    /// Free flits of the receive buffer.
    space: u32,
    /// Bank of switches and output lane in it that feed it.
    from: (u32, u8),
}

/// Consumption channels of all nodes, node-major.
#[derive(Clone, Debug)]
pub(super) struct Sinks {
    channels: Vec<Channel>,
    per_node: usize,
    /// Channels to which flits are on their way, or in which they stand.
    filled: BTreeSet<u32>,
    /// Cycles in which a node takes nothing, by node: begins and ends.
    stalls: BTreeMap<u32, Vec<Range<u64>>>,
    /// Cycle in which flits were taken last.
    taken: Option<u64>,
}

impl Sinks {
    fn new(nodes: u32, per_node: u8, space: u32) -> Self {
        let channel = Channel { flits: VecDeque::new(), space, from: (0, 0) };
        Self {
            channels: vec![channel; nodes as usize * per_node as usize],
            per_node: per_node.into(),
            filled: BTreeSet::new(),
            stalls: BTreeMap::new(),
            taken: None,
        }
    }

    /// A flit leaves output `lane` of `bank` and is at the node in cycle `at`.
    pub fn push(&mut self, at: u64, bank: u32, lane: usize, to: Far, flit: Flit) {
        let channel = to.instance() as usize * self.per_node + usize::from(to.lane());
        self.channels[channel].from = (bank, lane as u8);
        self.channels[channel].flits.push_back((at, flit));
        self.filled.insert(channel as u32);
    }

    /// Whether no flit stands in a channel or is on its way into one.
    pub fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// Channels in which flits stand: number, free flits of the receive buffer, flits with the
    /// cycles in which they are there.
    pub fn standing(&self) -> impl Iterator<Item = (u32, u32, &VecDeque<(u64, Flit)>)> {
        self.filled.iter().map(|&c| (c, self.channels[c as usize].space, &self.channels[c as usize].flits))
    }

    /// The stall of a node that covers `cycle`.
    fn stall(&self, channel: u32, cycle: u64) -> Option<&Range<u64>> {
        let stalls = self.stalls.get(&(channel / self.per_node as u32))?;
        stalls.iter().find(|stall| stall.contains(&cycle))
    }

    /// The next cycle from `now` on in which a flit arrives or may be taken; a full receive buffer
    /// is freed from outside.
    pub fn next_event(&self, now: u64) -> Option<u64> {
        let of = |&channel: &u32| {
            let Channel { flits, space, .. } = &self.channels[channel as usize];
            let &(at, flit) = flits.front()?;
            let (mut cycle, mut stalled) = (at.max(now), self.stall(channel, at.max(now)));
            while let Some(stall) = stalled {
                cycle = stall.end;
                stalled = self.stall(channel, cycle);
            }
            sink::takes(false, flit.is_header(), *space).then_some(cycle)
        };
        self.filled.iter().filter_map(of).min()
    }

    /// The flits that nodes take in cycle `now`: bank and lane that fed them, channel, flit.
    fn take(&mut self, now: u64) -> Vec<(u32, u8, Far, Flit)> {
        if self.taken.replace(now) == Some(now) {
            return Vec::new();
        }
        let mut taken = Vec::new();
        for &c in &self.filled {
            let stalled = self.stall(c, now).is_some();
            let channel = &mut self.channels[c as usize];
            let Some(&(at, flit)) = channel.flits.front() else { continue };
            if at > now || !sink::takes(stalled, flit.is_header(), channel.space) {
                continue;
            }
            channel.flits.pop_front();
            channel.space -= u32::from(!flit.is_header());
            let (node, lane) = (c / self.per_node as u32, c % self.per_node as u32);
            taken.push((channel.from.0, channel.from.1, Far::node(node, lane as u8), flit));
        }
        self.filled.retain(|&c| !self.channels[c as usize].flits.is_empty());
        taken
    }
}

impl Engine {
    /// Lets a node take no flit in the cycles of `stall`, before the first cycle of a run. A stall
    /// is finite: what waits for the node counts as able to move.
    pub fn stall(&mut self, node: NodeId, stall: Range<u64>) {
        self.sinks(u32::MAX).stalls.entry(node.0).or_default().push(stall);
    }

    /// Bounds the receive buffer behind every consumption channel to so many payload flits, before
    /// the first cycle of a run. They are freed by [`Engine::free_receive_buffer`]; somebody must,
    /// sooner or later: what waits for a full buffer counts as able to move. A message longer than
    /// the buffer never wholly arrives.
    pub fn bound_receive_buffers(&mut self, flits: u32) {
        self.sinks(flits).channels.iter_mut().for_each(|channel| channel.space = flits);
    }

    /// A node has received a message: its payload flits leave the buffer behind the channel. Their
    /// space is used from the next cycle on.
    pub(crate) fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        if let Some(sinks) = &mut self.fabric.aside.sinks {
            let channel = &mut sinks.channels[node.index() * sinks.per_node + usize::from(channel)];
            channel.space = channel.space.saturating_add(flits);
        }
    }

    fn sinks(&mut self, space: u32) -> &mut Sinks {
        let shape = &mut self.shape;
        shape.sinks = true;
        let new = || Box::new(Sinks::new(shape.nodes, shape.consumption_channels, space));
        self.fabric.aside.sinks.get_or_insert_with(new)
    }

    /// Nodes take flits, once a cycle.
    pub(super) fn take_flits(&mut self, watched: bool) {
        let Fabric { switches, aside, .. } = &mut self.fabric;
        let Some(sinks) = &mut aside.sinks else { return };
        let delays = &self.shape.delays;
        let slot = self.shape.slot_behind(self.slot, delays.consume_credit - delays.consume);
        for (bank, lane, to, flit) in sinks.take(self.now) {
            let at = switches.edge(slot) + bank as usize;
            switches.rings[at].credits |= 1 << lane;
            switches.mark_instance(slot, bank);
            if watched {
                aside.flit_arrives(&self.worms, self.now, to, flit);
            }
            if flit.is_head() {
                aside.head_arrives(&self.shape, &self.worms, self.now, to, flit);
            }
            if flit.is_tail() {
                aside.tail_arrives(&self.shape, &mut self.worms, self.now, to, flit);
            }
        }
    }
}
