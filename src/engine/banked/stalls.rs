//! Links that carry no flit for a while, because a testbench says so.
//!
//! For its switch, a stalled output lane looks like a lane without credit. A stalled injection
//! channel sends nothing. Credits that come home meanwhile are counted, kept from the switch, and
//! used behind the stall.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::address::Far;
use super::switch::LANES;

/// Stalls of links.
#[derive(Clone, Debug, Default)]
pub(super) struct Stalls {
    /// Future begins (true) and ends of stalls: cycle, lane, and a number that makes equal entries
    /// different.
    edges: BTreeSet<(u64, bool, usize, bool, usize)>,
    count: usize,
    /// Lanes with stalls in this cycle (whether it is the lane of a node, and its number), with the
    /// number of their stalls.
    covering: BTreeMap<(bool, usize), u32>,
    /// Stalled lanes of banks of switches and of nodes.
    switches: BTreeMap<u32, u64>,
    nodes: BTreeMap<u32, u64>,
}

impl Stalls {
    /// A stall of a lane.
    pub fn add(&mut self, lane: Far, stall: &Range<u64>) {
        if stall.is_empty() {
            return;
        }
        let (is_node, lane) = (lane.is_node(), lane.number());
        self.edges.insert((stall.start, true, lane, is_node, self.count));
        self.edges.insert((stall.end, false, lane, is_node, self.count));
        self.count += 1;
    }

    /// Whether the run has stalls of links.
    pub fn are_planned(&self) -> bool {
        self.count > 0
    }

    /// The next cycle in which a stall begins or ends.
    pub(crate) fn next_edge(&self) -> Option<u64> {
        self.edges.first().map(|edge| edge.0)
    }

    /// Whether a link is stalled in this cycle.
    pub(crate) fn is_active(&self) -> bool {
        !self.covering.is_empty()
    }

    /// Takes an edge that is due by `now`: the lane, whether it is a node's, and whether it is
    /// stalled from now on.
    pub fn take(&mut self, now: u64) -> Option<(usize, bool, bool)> {
        let &edge = self.edges.first().filter(|edge| edge.0 <= now)?;
        self.edges.remove(&edge);
        let (_, begins, lane, is_node, _) = edge;
        let covering = self.covering.entry((is_node, lane)).or_default();
        *covering = if begins { *covering + 1 } else { covering.saturating_sub(1) };
        let is_stalled = *covering > 0;
        let masks = if is_node { &mut self.nodes } else { &mut self.switches };
        let mask = masks.entry((lane / LANES) as u32).or_default();
        if is_stalled {
            *mask |= 1 << (lane % LANES);
        } else {
            *mask &= !(1 << (lane % LANES));
            self.covering.remove(&(is_node, lane));
        }
        Some((lane, is_node, is_stalled))
    }

    /// Stalled injection channels of a bank of nodes.
    pub fn of_nodes(&self, bank: u32) -> u64 {
        self.nodes.get(&bank).copied().unwrap_or(0)
    }

    /// Stalled output lanes of a bank of switches.
    pub(crate) fn of_switches(&self, bank: u32) -> u64 {
        self.switches.get(&bank).copied().unwrap_or(0)
    }
}
