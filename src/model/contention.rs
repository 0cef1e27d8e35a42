//! Which worms of a multicast share a channel: in one step, or at one time.

use std::collections::HashMap;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::parameterised::Flight;
use super::tree::{self, Tree, TreeError};
use crate::multicast::{Plan, Send};
use crate::topology::Wiring;

/// A channel: an output port of a switch.
pub type Channel = (SwitchId, PortId);

/// Two worms on one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The channel.
    pub channel: Channel,
    /// The worms, as numbers of sends of the plan, the lower first.
    pub sends: (usize, usize),
}

/// The channels that each send of a plan uses, those to the nodes included. `next` is the routing function: the port of a switch
/// towards a node, `None` at the switch the node is attached to.
///
/// # Errors
/// When a route does not arrive or crosses itself.
pub fn channels(
    wiring: &Wiring,
    plan: &Plan,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
) -> Result<Vec<Vec<Channel>>, TreeError> {
    plan.sends.iter().map(|send| worm_channels(wiring, send, &next)).collect()
}

fn worm_channels(
    wiring: &Wiring,
    Send { from, to, encoding, .. }: &Send,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
) -> Result<Vec<Channel>, TreeError> {
    // An address a flit: where the worm goes does not depend on it.
    let header_flits = to.len() as u32;
    let send = tree::Send { source: *from, destinations: to, encoding: *encoding, header_flits, payload_flits: 1 };
    let tree = Tree::new(wiring, &send, next)?;
    let ports = tree.hops.iter().flat_map(|hop| hop.branches.iter().map(|&(port, _)| (hop.switch, port)));
    Ok(ports.collect())
}

/// The pairs of sends of one step that share a channel (stepwise contention, \[NUPAIROJ\] section 5.1).
#[must_use]
pub fn by_step(plan: &Plan, channels: &[Vec<Channel>]) -> Vec<Meeting> {
    meetings(channels, |a, b| plan.sends[a].step == plan.sends[b].step)
}

/// The pairs of sends of different nodes that may be on a channel at the same time when each is on all of its channels from its
/// start to its arrival (stepwise and depth contention, \[NUPAIROJ\] section 5.1). Sends of one node queue up in the node.
#[must_use]
pub fn by_time(plan: &Plan, channels: &[Vec<Channel>], flights: &[Flight]) -> Vec<Meeting> {
    meetings(channels, |a, b| {
        let apart = flights[a].arrival <= flights[b].start || flights[b].arrival <= flights[a].start;
        plan.sends[a].from != plan.sends[b].from && !apart
    })
}

/// The pairs that share a channel and `meet`, by pair, with the first channel that they share.
fn meetings(channels: &[Vec<Channel>], meet: impl Fn(usize, usize) -> bool) -> Vec<Meeting> {
    let mut users: HashMap<Channel, Vec<usize>> = HashMap::new();
    let mut found: Vec<Meeting> = Vec::new();
    for (b, used) in channels.iter().enumerate() {
        let first = found.len();
        for &channel in used {
            let others = users.entry(channel).or_default();
            for &a in others.iter().filter(|&&a| meet(a, b)) {
                if found[first..].iter().all(|meeting| meeting.sends.0 != a) {
                    found.push(Meeting { channel, sends: (a, b) });
                }
            }
            others.push(b);
        }
    }
    found
}

#[cfg(test)]
#[path = "contention_tests.rs"]
mod tests;
