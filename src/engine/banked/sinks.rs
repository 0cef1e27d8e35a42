//! Bank of the consumption channels of nodes that do not take every flit at once: receive buffers
//! of a given size, stalls.
//!
//! It exists only where a stall or a bounded buffer is asked for. Then a flit stays in the FIFO of
//! its channel until the node takes it. The node takes one flit a channel and cycle, and its credit
//! starts on its way back in that cycle. Payload flits fill the receive buffer behind the channel
//! until the node's processor has received their message. Header flits are not kept. A channel
//! carries one worm after the other, so a buffer that holds the longest message never fills with
//! parts of two.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::address::Far;
use wormscope_hw::{Flit, NodeId, sink};

/// A consumption channel.
#[derive(Clone, Debug)]
struct ConsumptionChannel {
    /// Flits sent to the channel, with the cycle of their arrival.
    flits: VecDeque<(u64, Flit)>,
    /// Free flits of the channel's receive buffer.
    q: sink::Reg,
    /// Bank of switches, and the output lane of the bank that feeds the channel.
    from: (u32, u8),
}

/// Whether a node takes the flit in front of a channel, and the channel's registers then.
fn takes(q: sink::Reg, flit: Flit, stalled: bool) -> (bool, sink::Reg) {
    sink::eval(sink::In { valid: true, hdr: flit.is_header(), stalled, freed: 0 }, q)
}

/// Consumption channels of all nodes, node-major.
#[derive(Clone, Debug)]
pub(super) struct Sinks {
    channels: Vec<ConsumptionChannel>,
    per_node: usize,
    /// Channels with flits on their way or in the channel.
    filled: BTreeSet<u32>,
    /// Cycles in which a node takes nothing, by node: begins and ends.
    stalls: BTreeMap<u32, Vec<Range<u64>>>,
    /// Cycle in which flits were taken last.
    taken: Option<u64>,
}

impl Sinks {
    /// Channels that take every flit at once.
    pub fn new(nodes: u32, per_node: u8) -> Self {
        let channel = ConsumptionChannel { flits: VecDeque::new(), q: sink::Reg::default(), from: (0, 0) };
        Self {
            channels: vec![channel; nodes as usize * per_node as usize],
            per_node: per_node.into(),
            filled: BTreeSet::new(),
            stalls: BTreeMap::new(),
            taken: None,
        }
    }

    /// Lets a node take nothing in some cycles.
    pub fn stall(&mut self, node: NodeId, cycles: Range<u64>) {
        self.stalls.entry(node.0).or_default().push(cycles);
    }

    /// Limits the receive buffer of every channel.
    pub fn bound(&mut self, flits: u32) {
        self.channels.iter_mut().for_each(|channel| channel.q.space = Some(flits));
    }

    /// `flits` flits leave the receive buffer of a channel.
    pub fn free(&mut self, node: NodeId, channel: u8, flits: u32) {
        let channel = &mut self.channels[node.index() * self.per_node + usize::from(channel)];
        channel.q.space = channel.q.space.map(|space| space.saturating_add(flits));
    }

    /// A flit leaves output `lane` of `bank` and is at the node in cycle `at`.
    pub fn push(&mut self, at: u64, bank: u32, lane: usize, to: Far, flit: Flit) {
        let channel = to.instance() as usize * self.per_node + usize::from(to.lane());
        self.channels[channel].from = (bank, lane as u8);
        self.channels[channel].flits.push_back((at, flit));
        self.filled.insert(channel as u32);
    }

    /// Whether no flit is in a channel or on its way into a channel.
    pub fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// Channels with flits: number, free flits of the receive buffer, flits with the cycles of
    /// their arrival.
    pub fn standing(&self) -> impl Iterator<Item = (u32, Option<u32>, &VecDeque<(u64, Flit)>)> {
        self.filled.iter().map(|&c| (c, self.channels[c as usize].q.space, &self.channels[c as usize].flits))
    }

    /// The stall of a node that covers `cycle`.
    fn covering(&self, channel: u32, cycle: u64) -> Option<&Range<u64>> {
        let stalls = self.stalls.get(&(channel / self.per_node as u32))?;
        stalls.iter().find(|stall| stall.contains(&cycle))
    }

    /// The next cycle from `now` on in which a flit arrives or may be taken; a full receive buffer
    /// is freed from outside.
    pub fn next_event(&self, now: u64) -> Option<u64> {
        let of = |&channel: &u32| {
            let ConsumptionChannel { flits, q, .. } = &self.channels[channel as usize];
            let &(at, flit) = flits.front()?;
            let (mut cycle, mut stalled) = (at.max(now), self.covering(channel, at.max(now)));
            while let Some(stall) = stalled {
                cycle = stall.end;
                stalled = self.covering(channel, cycle);
            }
            takes(*q, flit, false).0.then_some(cycle)
        };
        self.filled.iter().filter_map(of).min()
    }

    /// The flits that nodes take in cycle `now`: bank and lane that fed them, channel, flit.
    pub fn take(&mut self, now: u64) -> Vec<(u32, u8, Far, Flit)> {
        if self.taken.replace(now) == Some(now) {
            return Vec::new();
        }
        let mut taken = Vec::new();
        for &c in &self.filled {
            let stalled = self.covering(c, now).is_some();
            let channel = &mut self.channels[c as usize];
            let Some(&(at, flit)) = channel.flits.front() else { continue };
            let (is_taken, q) = takes(channel.q, flit, stalled);
            if at > now || !is_taken {
                continue;
            }
            channel.flits.pop_front();
            channel.q = q;
            let (node, lane) = (c / self.per_node as u32, c % self.per_node as u32);
            taken.push((channel.from.0, channel.from.1, Far::node(node, lane as u8), flit));
        }
        self.filled.retain(|&c| !self.channels[c as usize].flits.is_empty());
        taken
    }
}
