//! One worm alone in the network, to the cycle. Reports compare with it, and tests of the engine
//! use it as an oracle.
//!
//! This is the recurrence of docs/reference/timing.md, "Latency of a worm alone". Branch b of a
//! FIFO passes flit k in the first cycle in which all of these hold:
//!
//! - The branch passed flit k - 1 before, and flit k has arrived.
//! - For the first flit: the decision is taken, the lane is allocated, and stripping is over. A
//!   synchronous worm also has the word of its tree.
//! - The cell that flit k - B had downstream is free, and its credit is back.
//! - The siblings allow it. Asynchronous: all of them took flit k - 1 before. Lockstep: all pass
//!   flit k in the same cycle. Sequential: the branch before has passed the tail, and another
//!   `allocation_cycles` are over.
//!
//! All times are in cycles after the cycle in which the head left the source. Replication and
//! header timing cannot make the equations circular as long as a FIFO holds the flits of its
//! decision ([`UnblockedError`]).
//!
//! Sweeps solve the equations. Each hop lags behind its parent by the flits that its decision waits
//! for. So one sweep is enough unless branches take turns.

use thiserror::Error;
use wormscope_hw::{HeaderTiming, NodeId, Replication};

use super::tree::{Hop, Toward, Tree};
use wormscope_network::{Link, Network};

/// Parameters of the hardware that time an unblocked worm. Depths are in flits, delays in cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Depth of a switch's input FIFOs.
    pub fifo_depth: u32,
    /// Flits of the FIFOs behind nodes.
    pub injection_depth: u32,
    /// Credits of a consumption channel.
    pub consumption_depth: u32,
    /// Cycles of a routing decision.
    pub routing_cycles: u32,
    /// Cycles from the decision to the crossing of the head.
    pub allocation_cycles: u32,
    /// Register stages of the crossbar.
    pub crossbar_cycles: u32,
    /// Links between switches.
    pub link: Link,
    /// Links from nodes.
    pub injection: Link,
    /// Links to nodes.
    pub consumption: Link,
    /// Start of a decision.
    pub header_timing: HeaderTiming,
    /// Coupling of the branches.
    pub replication: Replication,
}

impl From<&Network> for Timing {
    fn from(network: &Network) -> Self {
        let (switch, node) = (&network.switch, &network.node);
        Self {
            fifo_depth: switch.fifo_depth,
            injection_depth: network.injection_depth(),
            consumption_depth: network.consumption_depth(),
            routing_cycles: switch.routing_cycles,
            allocation_cycles: switch.allocation_cycles,
            crossbar_cycles: switch.crossbar_cycles,
            link: network.link,
            injection: node.injection_link,
            consumption: node.consumption_link,
            header_timing: switch.header_timing,
            replication: switch.replication,
        }
    }
}

/// Reason why a worm cannot pass even alone.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UnblockedError {
    /// The flits of a routing decision do not fit into a FIFO.
    #[error("a routing decision needs {needed} flits but a FIFO holds {depth}; at least {needed}")]
    Decision {
        /// Number of flits that the decision needs.
        needed: u32,
        /// Depth of the shallowest FIFO.
        depth: u32,
    },
    /// Sequential replication needs the whole worm in the FIFO.
    #[error("sequential replication holds {needed} flits but a FIFO holds {depth}; at least {needed}")]
    Sequential {
        /// Number of flits of the worm after its stripped address.
        needed: u32,
        /// Depth of the shallowest FIFO.
        depth: u32,
    },
}

/// Times of the worm in one input FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopTimes {
    /// Cycle from which each flit is in the FIFO.
    pub arrived: Vec<u64>,
    /// Cycle in which each flit leaves the FIFO. It is stripped, or the slowest branch takes it.
    pub popped: Vec<u64>,
    /// For each branch, the cycle in which each flit that is not stripped crosses.
    pub crossed: Vec<Vec<u64>>,
}

/// Arrival of the worm at a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The destination.
    pub node: NodeId,
    /// Cycle in which the first flit is at the node.
    pub head: u64,
    /// Cycle in which the last flit is at the node.
    pub tail: u64,
}

/// Every step of a worm alone in the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Cycle in which each flit leaves the source; the head in cycle 0.
    pub injected: Vec<u64>,
    /// The hops of the tree.
    pub hops: Vec<HopTimes>,
    /// The destinations, in the order of the hops.
    pub arrivals: Vec<Arrival>,
}

impl Flight {
    /// Computes the flight of a worm through its tree.
    ///
    /// # Errors
    /// The FIFOs are too short for its header or for sequential replication.
    pub fn new(timing: &Timing, tree: &Tree) -> Result<Self, UnblockedError> {
        tree.hops.iter().try_for_each(|hop| timing.fits(hop))?;
        let mut solver = Solver::new(timing, tree);
        while solver.sweep() {}
        Ok(solver.finish())
    }

    /// Cycle in which the last flit is at the last destination.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.arrivals.iter().map(|a| a.tail).max().unwrap_or_default()
    }
}

impl Timing {
    /// Cycles for which the head of a unicast waits for the rest of its header.
    #[must_use]
    pub fn header_wait(&self, header_flits: u32) -> u64 {
        match self.header_timing {
            HeaderTiming::Store => u64::from(header_flits.max(1)) - 1,
            HeaderTiming::Overlapped | HeaderTiming::Beside => 0,
        }
    }

    /// Cycles from the begin of a decision to the crossing of the head.
    #[must_use]
    pub fn decision(&self) -> u64 {
        u64::from(self.routing_cycles) + u64::from(self.allocation_cycles)
    }

    /// Cycles from the crossing towards a node to the arrival at the node.
    fn to_node(&self) -> u64 {
        u64::from(self.crossbar_cycles + self.consumption.link_cycles)
    }

    /// Cycles from the crossing towards a switch to the arrival in its FIFO.
    fn to_switch(&self) -> u64 {
        u64::from(self.crossbar_cycles + self.link.link_cycles)
    }

    /// Whether the branches of a tree pass each flit in the same cycle where all have credits.
    #[must_use]
    pub fn branches_keep_pace(&self) -> bool {
        match self.replication {
            Replication::Asynchronous | Replication::Lockstep | Replication::Buffered => true,
            Replication::Sequential | Replication::Synchronous => false,
        }
    }

    /// Number of flits that must be in the FIFO before the decision starts, at least 1.
    fn awaited(&self, hop: &Hop) -> u32 {
        match self.header_timing {
            HeaderTiming::Store => hop.decision.max(1),
            HeaderTiming::Overlapped | HeaderTiming::Beside => 1,
        }
    }

    fn fits(&self, hop: &Hop) -> Result<(), UnblockedError> {
        let depth = self.fifo_depth.min(self.injection_depth);
        // After the last address, a flit tells that no address follows. It needs no room beside the
        // address, which is stripped first.
        let last = hop.stripped > 0 && hop.branches.len() == 1;
        let needed = if last { hop.stripped } else { self.awaited(hop).max(hop.stripped) };
        if needed > depth {
            return Err(UnblockedError::Decision { needed, depth });
        }
        let needed = hop.flits - hop.stripped;
        if self.replication == Replication::Sequential && hop.branches.len() > 1 && needed > depth {
            return Err(UnblockedError::Sequential { needed, depth });
        }
        Ok(())
    }
}

struct Solver<'a> {
    timing: &'a Timing,
    tree: &'a Tree,
    /// Number of flits between the injection and each hop in a sweep.
    lag: Vec<usize>,
    /// Cycles for which the heads of a synchronous worm wait for each other.
    together: Vec<u64>,
    injected: Vec<u64>,
    hops: Vec<HopTimes>,
    changed: bool,
}

impl<'a> Solver<'a> {
    fn new(timing: &'a Timing, tree: &'a Tree) -> Self {
        let times = |hop: &Hop| HopTimes {
            arrived: vec![0; hop.flits as usize],
            popped: vec![0; hop.flits as usize],
            crossed: vec![vec![0; (hop.flits - hop.stripped) as usize]; hop.branches.len()],
        };
        let (mut lag, mut depth) = (vec![0; tree.hops.len()], vec![0_u64; tree.hops.len()]);
        for (i, hop) in tree.hops.iter().enumerate() {
            lag[i] += timing.awaited(hop) as usize - 1;
            for (_, toward) in &hop.branches {
                if let Toward::Hop(child) = *toward {
                    lag[child] = lag[i] + hop.stripped as usize;
                    depth[child] = if depth[i] > 0 || hop.branches.len() > 1 { depth[i] + 1 } else { 0 };
                }
            }
        }
        // A register a hop, to the root and back. This does not use the hardware, so that it can
        // check it.
        let waits = |depth: u64| if timing.replication == Replication::Synchronous { 2 * depth } else { 0 };
        let together = depth.into_iter().map(waits).collect();
        let flits = tree.hops.first().map_or(0, |root| root.flits as usize);
        let hops = tree.hops.iter().map(times).collect();
        Self { timing, tree, lag, together, injected: vec![0; flits], hops, changed: false }
    }

    /// Raises every time to the smallest value that the other times allow. Returns false if no time
    /// changed.
    fn sweep(&mut self) -> bool {
        self.changed = false;
        let last_lag = self.lag.iter().copied().max().unwrap_or_default();
        for step in 0..self.injected.len() + last_lag {
            if step < self.injected.len() {
                self.inject(step);
            }
            for hop in 0..self.hops.len() {
                match step.checked_sub(self.lag[hop]) {
                    Some(flit) if flit < self.hops[hop].arrived.len() => self.pass(hop, flit),
                    _ => {}
                }
            }
        }
        self.changed
    }

    fn inject(&mut self, flit: usize) {
        let mut at = if flit == 0 { 0 } else { self.injected[flit - 1] + 1 };
        if let Some(before) = flit.checked_sub(self.timing.injection_depth as usize) {
            at = at.max(self.hops[0].popped[before] + u64::from(self.timing.injection.credit_cycles));
        }
        self.changed |= std::mem::replace(&mut self.injected[flit], at) != at;
        self.hops[0].arrived[flit] = at + u64::from(self.timing.injection.link_cycles);
    }

    /// Lets flit `flit` leave its FIFO.
    fn pass(&mut self, at: usize, flit: usize) {
        let hop = &self.tree.hops[at];
        let stripped = hop.stripped as usize;
        let Some(n) = flit.checked_sub(stripped) else {
            let whole = self.hops[at].arrived[stripped - 1];
            self.changed |= std::mem::replace(&mut self.hops[at].popped[flit], whole) != whole;
            return;
        };
        let lockstep = (self.timing.replication == Replication::Lockstep)
            .then(|| (0..hop.branches.len()).map(|b| self.earliest(at, b, n)).max().unwrap_or_default());
        for (b, &(_, toward)) in hop.branches.iter().enumerate() {
            let time = lockstep.unwrap_or_else(|| self.earliest(at, b, n));
            self.changed |= std::mem::replace(&mut self.hops[at].crossed[b][n], time) != time;
            if let Toward::Hop(child) = toward {
                self.hops[child].arrived[n] = time + self.timing.to_switch();
            }
        }
        let times = &mut self.hops[at];
        times.popped[flit] = times.crossed.iter().map(|branch| branch[n]).max().unwrap_or_default();
    }

    /// First cycle in which branch `b` can pass flit `n`, where stripped flits do not count. The
    /// siblings of a lockstep worm are not considered here.
    fn earliest(&self, at: usize, b: usize, n: usize) -> u64 {
        let (timing, hop, times) = (self.timing, &self.tree.hops[at], &self.hops[at]);
        let stripped = hop.stripped as usize;
        let crossed = &times.crossed[b];
        let allocation = u64::from(timing.allocation_cycles);
        let mut cycle = times.arrived[stripped + n];
        if n == 0 {
            let start = times.arrived[timing.awaited(hop) as usize - 1];
            let mut decided = start + u64::from(timing.routing_cycles);
            if stripped > 0 {
                let whole = times.arrived[stripped - 1];
                (decided, cycle) = (decided.max(whole), cycle.max(whole + 1));
            }
            cycle = cycle.max(decided + self.together[at] + allocation);
            if timing.replication == Replication::Sequential && b > 0 {
                let tail = times.crossed[b - 1].last().copied().unwrap_or_default();
                cycle = cycle.max(tail + 1 + allocation);
            }
        } else {
            cycle = cycle.max(crossed[n - 1] + 1);
            if matches!(timing.replication, Replication::Asynchronous | Replication::Synchronous) {
                cycle = cycle.max(times.popped[stripped + n - 1] + 1);
            }
        }
        let credit = match hop.branches[b].1 {
            Toward::Hop(child) => n
                .checked_sub(timing.fifo_depth as usize)
                .map(|before| self.hops[child].popped[before] + u64::from(timing.link.credit_cycles)),
            Toward::Node(_) => n
                .checked_sub(timing.consumption_depth as usize)
                .map(|before| crossed[before] + timing.to_node() + u64::from(timing.consumption.credit_cycles)),
        };
        cycle.max(credit.unwrap_or_default())
    }

    fn finish(self) -> Flight {
        let mut arrivals = Vec::new();
        for (hop, times) in self.tree.hops.iter().zip(&self.hops) {
            for ((_, toward), crossed) in hop.branches.iter().zip(&times.crossed) {
                if let (Toward::Node(node), Some(head), Some(tail)) = (*toward, crossed.first(), crossed.last()) {
                    let far = self.timing.to_node();
                    arrivals.push(Arrival { node, head: head + far, tail: tail + far });
                }
            }
        }
        Flight { injected: self.injected, hops: self.hops, arrivals }
    }
}

/// Cycles from the head that leaves its source to head and tail at the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The head's.
    pub head: u64,
    /// The tail's.
    pub tail: u64,
}

/// The closed form for a unicast of `flits` flits, header included, through `routers` switches. In
/// every FIFO the head spends `H_dec - 1` (store only) `+ routing + allocation` cycles, then
/// `crossbar + link` cycles. The other flits follow, one in each cycle. A tree takes the time of
/// its farthest destination, if no switch strips flits and [`Timing::branches_keep_pace`] holds.
///
/// `None` if the FIFOs do not cover the round trips of flit and credit, including the stay of the
/// head. Then use the recurrence ([`Flight`]).
#[must_use]
pub fn closed_form(timing: &Timing, header_flits: u32, flits: u32, routers: u32) -> Option<Latency> {
    let header = timing.header_wait(header_flits);
    let stay = header + timing.decision();
    let routers = u64::from(routers.max(1));
    let flits = u64::from(flits.max(1));
    let covered = |depth: u32, round_trip: u64| u64::from(depth) >= round_trip.min(flits);
    let loops = [
        covered(
            timing.injection_depth,
            u64::from(timing.injection.link_cycles + timing.injection.credit_cycles) + stay,
        ),
        routers == 1 || covered(timing.fifo_depth, timing.to_switch() + u64::from(timing.link.credit_cycles) + stay),
        covered(timing.consumption_depth, timing.to_node() + u64::from(timing.consumption.credit_cycles)),
    ];
    let holds_header = u64::from(timing.fifo_depth.min(timing.injection_depth)) > header;
    (holds_header && loops == [true; 3]).then(|| {
        let injection = u64::from(timing.injection.link_cycles);
        let head = injection + routers * stay + (routers - 1) * timing.to_switch() + timing.to_node();
        Latency { head, tail: head + flits - 1 }
    })
}

/// Latency of a unicast through `routers` switches in an empty network, for any depths.
///
/// # Errors
/// The FIFOs are too short for its header.
pub fn zero_load(timing: &Timing, header_flits: u32, flits: u32, routers: u32) -> Result<Latency, UnblockedError> {
    if let Some(latency) = closed_form(timing, header_flits, flits, routers) {
        return Ok(latency);
    }
    let flight = Flight::new(timing, &Tree::line(routers, header_flits, flits.max(1)))?;
    let head = flight.arrivals.first().map_or(0, |a| a.head);
    Ok(Latency { head, tail: flight.done() })
}

/// Mean tail latency in an empty network over pairs of nodes. `pairs` are (switches on the route,
/// number of pairs with such a route).
///
/// # Errors
/// The FIFOs are too short for the header.
pub fn mean_zero_load(
    timing: &Timing,
    header_flits: u32,
    flits: u32,
    distances: impl IntoIterator<Item = (u32, u64)>,
) -> Result<f64, UnblockedError> {
    let (mut sum, mut pairs) = (0, 0);
    for (routers, count) in distances {
        sum += u128::from(zero_load(timing, header_flits, flits, routers)?.tail) * u128::from(count);
        pairs += u128::from(count);
    }
    Ok(if pairs == 0 { 0.0 } else { sum as f64 / pairs as f64 })
}

#[cfg(test)]
#[path = "unblocked_tests.rs"]
mod tests;
