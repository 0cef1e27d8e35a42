//! Which worms of a multicast share a channel: in one step, or at one time.

use std::collections::{HashMap, HashSet};

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::parameterised::Flight;
use super::tree::TreeError;
use crate::config::Encoding;
use crate::multicast::{Plan, Send};
use crate::topology::{End, Wiring};

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
/// Where routing is adaptive, going up, a worm takes the port straight across from the one it came in by. That is one that a switch
/// may choose among free ones; the channels up from the nodes of a subtree are as many as the nodes, and straight on each has its own.
///
/// # Errors
/// When a route does not arrive or crosses itself.
pub fn channels(
    wiring: &Wiring,
    plan: &Plan,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
) -> Result<Vec<Vec<Channel>>, TreeError> {
    let straight = |up: PortId, input: PortId| PortId(up.0 + input.0);
    plan.sends.iter().map(|send| worm_channels(wiring, send, &next, straight)).collect()
}

/// The channels of one worm; `climb` names the port up by the first of them and the one it came in by.
fn worm_channels(
    wiring: &Wiring,
    send: &Send,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
    climb: impl Fn(PortId, PortId) -> PortId,
) -> Result<Vec<Channel>, TreeError> {
    let (mut used, mut seen) = (Vec::new(), HashSet::new());
    let mut going = vec![(wiring.injection(send.from), send.to.to_vec())];
    while let Some(((switch, input), nodes)) = going.pop() {
        let toward = |node| next(switch, node).unwrap_or_else(|| wiring.consumption(node).1);
        for (port, nodes) in branches(send.encoding, nodes, wiring.up(), |node| next(switch, node).is_none(), toward) {
            let port = if wiring.up() == Some(port) { climb(port, input) } else { port };
            if !seen.insert((switch, port)) {
                return Err(TreeError::CrossesItself { switch, port });
            }
            used.push((switch, port));
            match wiring.output(switch, port) {
                Some(End::Switch(far, port)) => going.push(((far, port), nodes)),
                Some(End::Node(node)) if nodes == [node] => {}
                _ => return Err(TreeError::Lost { destination: nodes[0], switch }),
            }
        }
    }
    Ok(used)
}

/// The ports by which a worm leaves a switch, each with the nodes that it is to reach there, in the order of its header.
fn branches(
    encoding: Encoding,
    mut nodes: Vec<NodeId>,
    up: Option<PortId>,
    is_here: impl Fn(NodeId) -> bool,
    toward: impl Fn(NodeId) -> PortId,
) -> Vec<(PortId, Vec<NodeId>)> {
    if encoding == Encoding::Multidestination {
        let first = nodes[0];
        if !is_here(first) {
            return vec![(toward(first), nodes)];
        }
        let rest = nodes.split_off(1);
        let onward = rest.first().map(|&second| toward(second));
        return [(toward(first), nodes)].into_iter().chain(onward.map(|port| (port, rest))).collect();
    }
    // As long as one of them goes up, all do.
    if let Some(up) = up.filter(|&up| nodes.iter().any(|&node| toward(node) == up)) {
        return vec![(up, nodes)];
    }
    nodes.sort_unstable_by_key(|&node| (toward(node), node));
    nodes.chunk_by(|&a, &b| toward(a) == toward(b)).map(|nodes| (toward(nodes[0]), nodes.to_vec())).collect()
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
