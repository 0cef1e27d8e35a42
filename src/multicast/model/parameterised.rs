//! The parameterised model of multicast (\[NUPAIROJ\] chapters 2 to 4). It gives the latency of a
//! plan when every message takes `t_end` and a node sends one every `t_hold`. It also has the
//! closed forms of the simple trees.

use std::collections::HashMap;

use wormscope_hw::NodeId;

use crate::{Parameters, Pieces, Plan, Send};

/// Start of a send and arrival at its receivers, in the unit of the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// The call of send.
    pub start: f64,
    /// The return of receive.
    pub arrival: f64,
}

/// Start and arrival of each send of a plan, without contention in the network.
///
/// A node that has the message begins its sends one after the other, `t_hold` apart. With alpha
/// ports it sends in bursts of alpha, `t_int` apart within a burst. Each port is free `t_hold`
/// after its last send. A send waits for the pieces that it carries, and costs as much as a message
/// of their length.
///
/// A piece that its sender never gets counts as present from the beginning. [`Plan::verify`] finds
/// such a fault.
#[must_use]
pub fn flights(plan: &Plan, parameters: &Parameters) -> Vec<Flight> {
    let piece_bytes = parameters.bytes / f64::from(plan.pieces.max(1));
    let mut holdings = Held::default();
    // Starts of each node, and the time for which each holds its port.
    let mut before: HashMap<_, Vec<(f64, f64)>> = HashMap::new();
    let flights = plan.sends.iter().map(|send| {
        let bytes = piece_bytes * f64::from(send.carried());
        let held = holdings.since(send);
        let before = before.entry(send.from).or_default();
        let ports = parameters.ports.max(1) as usize;
        let port = before.len().checked_sub(ports).map(|i| before[i]);
        let port_free = port.map_or(0.0, |(start, hold)| start + hold);
        let last = if before.len() % ports == 0 { None } else { before.last() };
        let next = last.map_or(0.0, |(start, _)| start + parameters.inter);
        let start = held.max(port_free).max(next);
        before.push((start, parameters.costs.hold.of(bytes)));
        let arrival = start + parameters.costs.end(bytes);
        for &node in &send.to {
            holdings.receive(node, arrival, &send.pieces);
        }
        Flight { start, arrival }
    });
    flights.collect()
}

/// Pieces that nodes were sent, with the time of each arrival.
#[derive(Default)]
pub struct Held<'a>(HashMap<NodeId, Vec<(f64, &'a Pieces)>>);

impl<'a> Held<'a> {
    /// Time from which a sender has the pieces of a send: the latest arrival of one of them.
    #[must_use]
    pub fn since(&self, send: &Send) -> f64 {
        let mut held = 0.0;
        // The search begins with the last arrival. In most plans, the send waits for this delivery.
        for &(arrival, pieces) in self.0.get(&send.from).into_iter().flatten().rev() {
            if arrival > held && overlap(pieces, &send.pieces) {
                held = arrival;
            }
        }
        held
    }

    /// Records the arrival of pieces at a node.
    pub fn receive(&mut self, node: NodeId, arrival: f64, pieces: &'a Pieces) {
        self.0.entry(node).or_default().push((arrival, pieces));
    }
}

/// Whether two sets of pieces have one in common.
fn overlap(a: &Pieces, b: &Pieces) -> bool {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        if x.start < y.end && y.start < x.end {
            return true;
        }
        if x.end <= y.start {
            a.next()
        } else {
            b.next()
        };
    }
    false
}

/// Multicast latency: from the first send to the last receive, without contention in the network.
#[must_use]
pub fn latency(plan: &Plan, parameters: &Parameters) -> f64 {
    flights(plan, parameters).iter().map(|flight| flight.arrival).fold(0.0, f64::max)
}

/// Latency of the sequential tree of `k` nodes (\[NUPAIROJ\] table 4.2); 0 without a receiver.
#[must_use]
pub fn sequential(k: u32, hold: f64, end: f64) -> f64 {
    if k < 2 { 0.0 } else { f64::from(k - 2) * hold + end }
}

/// Latency of the chain tree of `k` nodes (\[NUPAIROJ\] table 4.2).
#[must_use]
pub fn chain(k: u32, end: f64) -> f64 {
    f64::from(k.saturating_sub(1)) * end
}

/// Latency of the binomial tree of `k` nodes (\[NUPAIROJ\] table 4.2); 0 without a receiver.
///
/// For `t_hold > t_end` it is `floor(log2(k - 1)) t_hold + t_end`. For `t_hold <= t_end` and k a
/// power of two it is `log2 k t_end`. Our text of the table lacks the case between, which follows
/// from the tree.
///
/// The message of rank r goes through one send for every set bit of r. It waits one `t_hold` for
/// every clear bit below the top one. With `d = floor(log2 k)`, the latest rank is `2^d - 1`, or
/// one of the ranks above with the largest number of set bits.
#[must_use]
pub fn binomial(k: u32, hold: f64, end: f64) -> f64 {
    if k < 2 {
        return 0.0;
    }
    if hold > end {
        return f64::from((k - 1).ilog2()) * hold + end;
    }
    let d = k.ilog2();
    let below = f64::from(d) * end;
    if k.is_power_of_two() {
        return below;
    }
    let sends = most_bits(k - 1);
    below.max(f64::from(d + 1 - sends) * hold + f64::from(sends) * end)
}

/// Largest number of set bits in a number that is at most `most` and has the same top bit. It is
/// the value for `most`, or for `most` with one lower set bit replaced by all bits below it.
fn most_bits(most: u32) -> u32 {
    let lower = (0..most.ilog2()).filter(|bit| most >> bit & 1 == 1);
    lower.map(|bit| (most >> (bit + 1)).count_ones() + bit).fold(most.count_ones(), u32::max)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
#[path = "parameterised_tests.rs"]
mod tests;
