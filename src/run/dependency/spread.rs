//! Spread of a worm: the FIFOs that it passes and its branches there. Where routing may choose any
//! of several ports, the spread has them all.

use std::collections::HashMap;

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, Replication, SwitchId};

use super::channels::{At, Channels, LaneChannel};
use crate::network::{End, Network, header_flits_to};

/// Largest number of FIFOs in the spread of a worm.
const MOST_SEGMENTS: usize = 1 << 16;

/// A worm, whatever its cycle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WormShape {
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive, in header order.
    pub to: Vec<NodeId>,
    /// Header encoding.
    pub encoding: Encoding,
    /// Payload flits.
    pub payload_flits: u32,
}

/// Worms that may wait for each other at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Each worm, with the number of FIFOs before the FIFO in which it waits.
    pub worms: Vec<(usize, u32)>,
    /// Other worms that pass a lane for which one of the worms waits.
    pub near: Vec<usize>,
}

/// A branch of a worm at a switch.
#[derive(Clone, Debug)]
pub struct SpreadBranch {
    /// The group of channels of which it needs a lane, by the channel that routing names.
    pub group: LaneChannel,
    /// The channels of the group, with the FIFO at the end of each. `None` leads to a node.
    pub ends: Vec<(LaneChannel, Option<usize>)>,
}

/// A worm in one FIFO.
#[derive(Clone, Debug)]
pub struct SpreadSegment {
    /// Channel that leads to the FIFO.
    pub from: LaneChannel,
    /// Segment and branch before it.
    pub parent: Option<(usize, usize)>,
    /// Flits of the worm that leave the FIFO through its branches.
    pub flits: u32,
    /// Branches in ascending order of their ports.
    pub branches: Vec<SpreadBranch>,
}

/// Number of flits by which a branch may be ahead of the slowest branch of its worm, behind a FIFO
/// of `depth` flits. `None` if one branch follows the other.
pub fn window(network: &Network, depth: u32) -> Option<u32> {
    match network.switch.replication {
        Replication::Asynchronous | Replication::Synchronous => Some(1),
        Replication::Lockstep => Some(0),
        Replication::Buffered => Some(depth),
        Replication::Sequential => None,
    }
}

impl SpreadSegment {
    /// Flits that the FIFO holds.
    pub fn depth(&self, network: &Network) -> u32 {
        if self.parent.is_none() { network.injection_depth() } else { network.switch.fifo_depth }
    }

    /// Number of flits by which a branch may be ahead of the slowest branch. `None` if one branch
    /// follows the other.
    pub fn window(&self, network: &Network) -> Option<u32> {
        window(network, self.depth(network))
    }
}

/// All places that a worm may hold or want.
#[derive(Clone, Debug)]
pub struct WormSpread {
    /// FIFOs of the worm, each after the FIFO that feeds it.
    pub segments: Vec<SpreadSegment>,
}

/// A segment that has no branches yet.
struct Pending {
    segment: usize,
    switch: SwitchId,
    left: Vec<NodeId>,
}

impl WormSpread {
    /// The spread of a worm. `None` if it has too many FIFOs, or if its route does not end.
    pub fn of(channels: &Channels, worm: &WormShape) -> Option<Self> {
        let (network, wiring) = (channels.network(), channels.wiring());
        let header = header_flits_to(network, wiring, worm.encoding, worm.source, &worm.to);
        let way = worm.encoding.way();
        let part = match way {
            Way::Path => header / worm.to.len().max(1) as u32,
            _ if worm.encoding.header().each_switch_strips() => worm.encoding.header().part_flits(&network.layout()),
            _ => 0,
        };
        let mut spread = Self { segments: Vec::new() };
        let (root, _) = wiring.injection(worm.source);
        let flits = header.saturating_add(worm.payload_flits);
        spread.segments.push(SpreadSegment {
            from: channels.injection(worm.source),
            parent: None,
            flits,
            branches: vec![],
        });
        let mut pending = vec![Pending { segment: 0, switch: root, left: worm.to.clone() }];
        while let Some(Pending { segment, switch, left }) = pending.pop() {
            let toward = |node| channels.site.next(switch, node).unwrap_or_else(|| wiring.consumption(node).1);
            let ways = if way == Way::Path {
                let (ways, absorbs) = absorb_and_forward(&left, toward, |node| wiring.consumption(node).0 == switch);
                spread.segments[segment].flits -= if absorbs { part } else { 0 };
                ways
            } else {
                // A multiport worm loses a mask at each switch. A unicast keeps its header.
                spread.segments[segment].flits -= part;
                wiring.ways(&left, toward)
            };
            for (port, nodes) in ways {
                let branch = spread.branch(channels, segment, switch, port)?;
                for (at, (_, far)) in branch.into_iter().enumerate() {
                    let Some(far) = far else { continue };
                    let next = spread.next(segment, at)?;
                    pending.push(Pending { segment: next, switch: far, left: nodes.clone() });
                }
            }
        }
        Some(spread)
    }

    /// Adds a branch, and returns the switches at the ends of its channels.
    fn branch(
        &mut self,
        channels: &Channels,
        segment: usize,
        switch: SwitchId,
        port: PortId,
    ) -> Option<Vec<(LaneChannel, Option<SwitchId>)>> {
        let class = class(channels, self.segments[segment].from, switch, port);
        let group = channels.output(switch, channels.wiring().group(port), class);
        let ends: Vec<(LaneChannel, Option<SwitchId>)> = channels
            .group(group)
            .into_iter()
            .filter_map(|channel| {
                let At::Output(switch, port, _) = channels.at(channel) else { return None };
                match channels.wiring().output(switch, port)? {
                    End::Switch(far, _) => Some((channel, Some(far))),
                    End::Node(_) => Some((channel, None)),
                }
            })
            .collect();
        if ends.is_empty() {
            return None;
        }
        let unlinked = ends.iter().map(|&(channel, _)| (channel, None)).collect();
        self.segments[segment].branches.push(SpreadBranch { group, ends: unlinked });
        Some(ends)
    }

    /// Adds the segment at the end of the last branch of a segment.
    fn next(&mut self, segment: usize, end: usize) -> Option<usize> {
        let next = self.segments.len();
        if next >= MOST_SEGMENTS {
            return None;
        }
        let of = &mut self.segments[segment];
        let (branch, flits) = (of.branches.len() - 1, of.flits);
        let (from, to) = &mut of.branches[branch].ends[end];
        *to = Some(next);
        let from = *from;
        self.segments.push(SpreadSegment { from, parent: Some((segment, branch)), flits, branches: Vec::new() });
        Some(next)
    }

    /// The segments from a branch on, with the number of FIFOs from the branch up to each. The
    /// first are the FIFOs at the ends of the branch.
    pub fn below(&self, segment: usize, branch: usize) -> Vec<(usize, u32)> {
        let ends = |segment: usize, branch: usize| self.segments[segment].branches[branch].ends.iter();
        let mut found: Vec<(usize, u32)> = ends(segment, branch).filter_map(|&(_, next)| Some((next?, 1))).collect();
        let mut at = 0;
        while let Some(&(segment, fifos)) = found.get(at) {
            for branch in 0..self.segments[segment].branches.len() {
                found.extend(ends(segment, branch).filter_map(|&(_, next)| Some((next?, fifos + 1))));
            }
            at += 1;
        }
        found
    }
}

/// Class of virtual channels of a worm that comes from a channel and leaves through a port.
pub fn class(channels: &Channels, from: LaneChannel, switch: SwitchId, port: PortId) -> u8 {
    let wiring = channels.wiring();
    if channels.network().classes() == 1 {
        return 0;
    }
    let (input, before) = match channels.at(from) {
        At::Injection(node) => (wiring.injection(node).1, 0),
        At::Output(near, out, before) => match wiring.output(near, out) {
            Some(End::Switch(_, input)) => (input, before),
            _ => return 0,
        },
    };
    wiring.class(switch, input, before, port)
}

/// Branches of a path worm, and whether it absorbs here.
fn absorb_and_forward(
    left: &[NodeId],
    toward: impl Fn(NodeId) -> PortId,
    is_here: impl Fn(NodeId) -> bool,
) -> (Vec<(PortId, Vec<NodeId>)>, bool) {
    let Some((&first, rest)) = left.split_first() else { return (Vec::new(), false) };
    if !is_here(first) {
        return (vec![(toward(first), left.to_vec())], false);
    }
    let mut ways = vec![(toward(first), vec![first])];
    if let Some(&second) = rest.first() {
        ways.push((toward(second), rest.to_vec()));
        ways.sort_unstable_by_key(|(port, _)| *port);
    }
    (ways, true)
}

impl WormSpread {
    /// The spreads of the worm for each choice among equivalent ports. `None` if there are more
    /// than `most`.
    pub fn routes(&self, most: usize) -> Option<Vec<Self>> {
        // The end that each branch takes, for the segments of a route.
        let mut routes: Vec<HashMap<usize, Vec<usize>>> = vec![HashMap::from([(0, Vec::new())])];
        for (number, segment) in self.segments.iter().enumerate() {
            for (at, branch) in segment.branches.iter().enumerate() {
                let (there, mut next): (Vec<_>, Vec<_>) =
                    routes.into_iter().partition(|route| route.contains_key(&number));
                for route in there {
                    for (end, (_, far)) in branch.ends.iter().enumerate() {
                        let mut taken = route.clone();
                        taken.entry(number).or_default().resize(at, 0);
                        taken.entry(number).or_default().push(end);
                        if let Some(far) = far {
                            taken.insert(*far, Vec::new());
                        }
                        next.push(taken);
                    }
                }
                routes = next;
                if routes.len() > most {
                    return None;
                }
            }
        }
        Some(routes.iter().map(|route| self.only(route)).collect())
    }

    /// The spread of a route.
    fn only(&self, route: &HashMap<usize, Vec<usize>>) -> Self {
        let kept: Vec<usize> = (0..self.segments.len()).filter(|number| route.contains_key(number)).collect();
        let place = |number: usize| kept.binary_search(&number).ok();
        let of = |&number: &usize| {
            let segment = &self.segments[number];
            let branches = segment.branches.iter().zip(&route[&number]).map(|(branch, &end)| {
                let (channel, next) = branch.ends[end];
                SpreadBranch { group: branch.group, ends: vec![(channel, next.and_then(place))] }
            });
            let parent = segment.parent.and_then(|(before, at)| Some((place(before)?, at)));
            SpreadSegment { from: segment.from, parent, flits: segment.flits, branches: branches.collect() }
        };
        Self { segments: kept.iter().map(of).collect() }
    }
}
