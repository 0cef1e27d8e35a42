//! Contention: worms of a multicast that share a channel, in one step or at one time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use wormscope_hw::header::Way;
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use super::parameterised::Flight;
use super::tree::TreeError;
use crate::{Plan, Send};
use wormscope_network::{End, Wiring};

/// A channel: an output port of a switch.
pub type OutputPort = (SwitchId, PortId);

/// Two worms on one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The first channel of the second worm that the first worm also uses.
    pub channel: OutputPort,
    /// The worms, as numbers of sends of the plan, the lower first.
    pub sends: (usize, usize),
}

/// Largest number of pairs of worms that are named.
pub(crate) const MOST_PAIRS: usize = 256;

/// Meetings of the worms of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contention {
    /// Pairs of worms that meet, by their numbers. These are all pairs, or the first [`MOST_PAIRS`]
    /// that were found.
    pub pairs: Vec<Meeting>,
    /// Number of pairs on all channels together. Worms that share several channels count on each.
    pub meetings: u64,
    /// Number of channels on which worms meet.
    pub channels: usize,
    /// Whether there are more pairs than the named pairs.
    pub left_out: bool,
}

impl Contention {
    /// Whether no worms meet.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.meetings == 0
    }

    /// Whether all pairs are named.
    #[must_use]
    pub fn names_all(&self) -> bool {
        !self.left_out
    }
}

/// The channels that each send of a plan uses, including the channels to the nodes. `next` is the
/// routing function: the port of a switch towards a node, `None` at the switch of the node.
///
/// Where routing may choose a port up, a worm takes the port straight across from its input. A
/// switch may choose this port if it is free. A subtree has as many channels up as nodes. So each
/// node has its own channel if worms go straight on.
///
/// # Errors
/// A route does not arrive, or crosses itself.
pub fn channels(
    wiring: &Wiring,
    plan: &Plan,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
) -> Result<Vec<Vec<OutputPort>>, TreeError> {
    let straight = |climb: Climb, input: PortId| PortId(climb.first() + input.0 % climb.ports.count());
    channels_by(wiring, plan, next, straight)
}

/// The same as [`channels`], but `climb` chooses the port up. `climb` gets the group of ports, and
/// the port at which the worm came in.
///
/// # Errors
/// A route does not arrive, or crosses itself.
pub fn channels_by(
    wiring: &Wiring,
    plan: &Plan,
    next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
    climb: impl Fn(Climb, PortId) -> PortId,
) -> Result<Vec<Vec<OutputPort>>, TreeError> {
    let mut walk = Walk::new(wiring);
    plan.sends.iter().map(|send| walk.channels(send, &next, &climb)).collect()
}

/// Walks worms through the network.
struct Walk<'a> {
    wiring: &'a Wiring,
    /// For each channel, the number of the last worm that used it.
    used_by: Vec<u32>,
    worm: u32,
}

impl<'a> Walk<'a> {
    fn new(wiring: &'a Wiring) -> Self {
        let channels = wiring.switches() as usize * usize::from(wiring.ports());
        Self { wiring, used_by: vec![0; channels], worm: 0 }
    }

    /// The channels of one worm. `climb` names the port up, from the group of ports and the port at
    /// which the worm came in.
    fn channels(
        &mut self,
        send: &Send,
        next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
        climb: impl Fn(Climb, PortId) -> PortId,
    ) -> Result<Vec<OutputPort>, TreeError> {
        let wiring = self.wiring;
        self.worm += 1;
        let mut used = Vec::new();
        let mut cross = |switch: SwitchId, input: PortId, port: PortId, nodes: &[NodeId]| {
            let port = wiring.climb(port).map_or(port, |of| climb(of, input));
            let channel = &mut self.used_by[switch.index() * usize::from(wiring.ports()) + port.index()];
            if std::mem::replace(channel, self.worm) == self.worm {
                return Err(TreeError::CrossesItself { switch, port });
            }
            used.push((switch, port));
            match wiring.output(switch, port) {
                Some(End::Switch(far, port)) => Ok(Some((far, port))),
                Some(End::Node(node)) if nodes == [node] => Ok(None),
                _ => Err(TreeError::Lost { destination: nodes[0], switch }),
            }
        };
        let mut going = vec![(wiring.injection(send.from), send.to.to_vec())];
        while let Some(((switch, input), nodes)) = going.pop() {
            let toward = |switch, node| next(switch, node).unwrap_or_else(|| wiring.consumption(node).1);
            if let [node] = nodes[..] {
                let mut at = Some((switch, input));
                while let Some((switch, input)) = at {
                    at = cross(switch, input, toward(switch, node), &nodes)?;
                }
                continue;
            }
            let is_here = |node| next(switch, node).is_none();
            for (port, nodes) in branches(wiring, send.encoding, nodes, is_here, |node| toward(switch, node)) {
                going.extend(cross(switch, input, port, &nodes)?.map(|far| (far, nodes)));
            }
        }
        Ok(used)
    }
}

/// The ports through which a worm leaves a switch, each with its nodes in the order of the header.
fn branches(
    wiring: &Wiring,
    encoding: Encoding,
    mut nodes: Vec<NodeId>,
    is_here: impl Fn(NodeId) -> bool,
    toward: impl Fn(NodeId) -> PortId,
) -> Vec<(PortId, Vec<NodeId>)> {
    if encoding.way() == Way::Path {
        let first = nodes[0];
        if !is_here(first) {
            return vec![(toward(first), nodes)];
        }
        let rest = nodes.split_off(1);
        let onward = rest.first().map(|&second| toward(second));
        return [(toward(first), nodes)].into_iter().chain(onward.map(|port| (port, rest))).collect();
    }
    nodes.sort_unstable();
    wiring.ways(&nodes, toward)
}

/// The sends of one step that share a channel (stepwise contention, \[NUPAIROJ\] section 5.1).
#[must_use]
pub fn by_step(plan: &Plan, channels: &[Vec<OutputPort>]) -> Contention {
    let stay = |(number, send): (usize, &Send)| Stay {
        from: send.step.into(),
        until: f64::from(send.step) + 1.0,
        group: number,
    };
    meetings(channels, &plan.sends.iter().enumerate().map(stay).collect::<Vec<_>>())
}

/// The sends of different nodes that may be on a channel at the same time (stepwise and depth
/// contention, \[NUPAIROJ\] section 5.1). Each send is on all of its channels from its start to its
/// arrival. Sends of one node queue in the node.
#[must_use]
pub fn by_time(plan: &Plan, channels: &[Vec<OutputPort>], flights: &[Flight]) -> Contention {
    let stay =
        |(send, flight): (&Send, &Flight)| Stay { from: flight.start, until: flight.arrival, group: send.from.index() };
    meetings(channels, &plan.sends.iter().zip(flights).map(stay).collect::<Vec<_>>())
}

/// Whether sends of one node share a channel, among any `lanes` sends of the node in a row.
#[must_use]
pub fn of_one_node(plan: &Plan, channels: &[Vec<OutputPort>], lanes: usize) -> bool {
    let mut sent: HashMap<NodeId, Vec<usize>> = HashMap::new();
    plan.sends.iter().enumerate().any(|(number, send)| {
        let before = sent.entry(send.from).or_default();
        let shares = |&other: &usize| channels[other].iter().any(|channel| channels[number].contains(channel));
        let found = before.iter().rev().take(lanes - 1).any(shares);
        before.push(number);
        found
    })
}

/// Time of a worm on its channels.
struct Stay {
    from: f64,
    until: f64,
    /// Worms of one group do not meet.
    group: usize,
}

/// Pairs of worms that meet, channel by channel, in the order of time.
fn meetings(channels: &[Vec<OutputPort>], stays: &[Stay]) -> Contention {
    // A worm that takes no time meets no other worm.
    let mut worms: Vec<usize> = (0..stays.len()).filter(|&i| stays[i].from < stays[i].until).collect();
    worms.sort_by(|&a, &b| stays[a].from.total_cmp(&stays[b].from));
    let coming = Users::new(channels, &worms);
    worms.sort_by(|&a, &b| stays[a].until.total_cmp(&stays[b].until));
    let going = Users::new(channels, &worms);
    let groups = stays.iter().map(|stay| stay.group + 1).max().unwrap_or(0);
    let mut here_of_group = vec![0_u64; groups];
    let mut found = Contention::default();
    let mut pairs = BTreeSet::new();
    for (coming, going) in coming.by_channel().zip(going.by_channel()) {
        let (mut here, mut gone, mut met) = (0, 0, 0);
        for stay in coming.iter().map(|&worm| &stays[worm as usize]) {
            while let Some(before) = going.get(gone).map(|&worm| &stays[worm as usize])
                && before.until <= stay.from
            {
                (here, gone) = (here - 1, gone + 1);
                here_of_group[before.group] -= 1;
            }
            met += here - here_of_group[stay.group];
            here += 1;
            here_of_group[stay.group] += 1;
        }
        for &worm in &going[gone..] {
            here_of_group[stays[worm as usize].group] -= 1;
        }
        found.meetings += met;
        found.channels += usize::from(met > 0);
        if met > 0 && !found.left_out {
            found.left_out = !name_pairs(coming, stays, &mut pairs);
        }
    }
    let meeting = |(b, a): (usize, usize)| {
        let of_first: HashSet<&OutputPort> = channels[a].iter().collect();
        let shared = channels[b].iter().find(|channel| of_first.contains(channel));
        shared.map(|&channel| Meeting { channel, sends: (a, b) })
    };
    found.pairs = pairs.into_iter().filter_map(meeting).collect();
    found
}

/// Adds the pairs of worms that meet on a channel, the higher number first, until the list is full.
/// Returns whether the list has all pairs.
fn name_pairs(coming: &[u32], stays: &[Stay], pairs: &mut BTreeSet<(usize, usize)>) -> bool {
    let mut here: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut all = true;
    for worm in coming.iter().map(|&worm| worm as usize) {
        let Stay { from, group, .. } = stays[worm];
        here.retain(|&of, others| {
            if of != group {
                others.retain(|&other| stays[other].until > from);
                for pair in others.iter().map(|&other| (worm.max(other), worm.min(other))) {
                    if pairs.len() < MOST_PAIRS {
                        pairs.insert(pair);
                    } else {
                        all = all && pairs.contains(&pair);
                    }
                }
            }
            !others.is_empty()
        });
        if !all {
            return false;
        }
        here.entry(group).or_default().push(worm);
    }
    true
}

/// The worms that use each channel.
struct Users {
    worms: Vec<u32>,
    /// Index of the first worm of each channel, and the end.
    first: Vec<usize>,
}

impl Users {
    /// For each channel, its worms in the order of `order`.
    fn new(channels: &[Vec<OutputPort>], order: &[usize]) -> Self {
        let used = || order.iter().flat_map(|&worm| channels[worm].iter().map(move |channel| (worm, channel)));
        let ports = used().map(|(_, (_, port))| port.index() + 1).max().unwrap_or(0);
        let switches = used().map(|(_, (switch, _))| switch.index() + 1).max().unwrap_or(0);
        let place = |(switch, port): &OutputPort| switch.index() * ports + port.index();
        let mut first = vec![0; switches * ports + 1];
        for (_, channel) in used() {
            first[place(channel) + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut free = first.clone();
        let mut worms = vec![0; first[switches * ports]];
        for (worm, channel) in used() {
            let free = &mut free[place(channel)];
            worms[*free] = worm as u32;
            *free += 1;
        }
        Self { worms, first }
    }

    fn by_channel(&self) -> impl Iterator<Item = &[u32]> {
        self.first.windows(2).map(|ends| &self.worms[ends[0]..ends[1]])
    }
}

#[cfg(test)]
#[path = "contention_tests.rs"]
mod tests;
