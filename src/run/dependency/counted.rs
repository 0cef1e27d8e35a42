//! Search for worms that can wait for each other, worm by worm.
//!
//! The search begins with every worm waiting everywhere on its way. It removes a wait for a lane if
//! too few other worms can keep the lanes of the group. It removes a wait for room if no other worm
//! can stand before it in the FIFO. The search goes on until nothing changes. If no wait is left,
//! these worms cannot deadlock, whatever their cycles. The order of the removals is the proof.
//!
//! Let branch `d` of a worm wait. Count the FIFOs of the worm from its branch `a` up to `d`, and
//! multiply by the depth. So many flits can pass `a` while `d` waits. The worm keeps the lane of
//! `a` only if it is longer.

use std::collections::{BTreeSet, HashMap};

use wormscope_hw::{Acquisition, Replication};

use super::channels::{Channels, LaneChannel};
use super::spread::WormSpread;

/// Largest number of branches of all worms.
const MOST_BRANCHES: usize = 40_000;
/// Largest number of pairs of a branch and a branch that holds it up.
const MOST_PAIRS: usize = 4_000_000;

/// A wait of a worm: for a lane of a branch, or for room in the FIFO after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wait {
    /// The worm.
    pub worm: usize,
    /// The segment of its spread.
    pub segment: usize,
    /// The branch.
    pub branch: usize,
    /// Whether the worm has a lane, and waits for room behind another worm.
    pub for_room: bool,
}

/// Result of the search.
pub(super) enum Counted<'a> {
    /// Nothing can wait for ever. The waits, in the order in which they were removed.
    Free(Vec<Wait>),
    /// Worms may wait for each other, or behind each other.
    Left(Removal<'a>),
    /// There are too many branches.
    TooMany,
}

/// A branch that may hold another branch up.
pub(super) struct Holdup {
    pub branch: usize,
    pub lane: bool,
    pub room: bool,
}

/// A branch of a worm, with all branches that can hold it up.
pub(super) struct CountedNode {
    pub worm: usize,
    pub segment: usize,
    pub at: usize,
    pub group: LaneChannel,
    pub from: LaneChannel,
    pub ends: Vec<(LaneChannel, usize)>,
    /// Branches of the worm that keep its lane of this branch owned while they wait.
    pub keeps: Vec<Holdup>,
}

/// A worm at the front of the FIFO of a channel, all of it in this FIFO and after it.
pub(super) struct Front {
    pub worm: usize,
    pub segment: usize,
    /// Branches that keep it there while they wait.
    pub keeps: Vec<Holdup>,
}

/// The waits that are not removed.
pub(super) struct Removal<'a> {
    pub channels: &'a Channels<'a>,
    pub nodes: Vec<CountedNode>,
    pub fronts: HashMap<LaneChannel, Vec<Front>>,
    /// Branches of each group.
    pub holders: HashMap<LaneChannel, Vec<usize>>,
    /// Whether each worm may be there any number of times.
    pub times: &'a [bool],
    /// Whether a worm may wait for a lane of each branch.
    pub lane: Vec<bool>,
    /// Whether a worm may wait for room after each branch.
    pub room: Vec<bool>,
}

/// Searches worms by their spreads. `again` tells for each worm whether it may come any number of
/// times.
pub(super) fn search<'a>(channels: &'a Channels, spreads: &[WormSpread], again: &'a [bool]) -> Counted<'a> {
    let branches: usize = spreads.iter().flat_map(|spread| &spread.segments).map(|s| s.branches.len()).sum();
    if branches > MOST_BRANCHES {
        return Counted::TooMany;
    }
    let Some(mut search) = Removal::new(channels, spreads, again) else { return Counted::TooMany };
    let mut removed = Vec::new();
    while search.remove(&mut removed) {}
    if search.worms().is_empty() { Counted::Free(removed) } else { Counted::Left(search) }
}

impl<'a> Removal<'a> {
    fn new(channels: &'a Channels, spreads: &[WormSpread], again: &'a [bool]) -> Option<Self> {
        let network = channels.network();
        let depth = u64::from(network.switch.fifo_depth);
        let is_atomic = network.switch.acquisition == Acquisition::Atomic;
        let is_whole = network.switch.replication == Replication::Sequential;
        let (mut nodes, mut fronts, mut pairs) = (Vec::new(), HashMap::<LaneChannel, Vec<Front>>::new(), 0);
        for (worm, spread) in spreads.iter().enumerate() {
            let first = nodes.len();
            let mut number = HashMap::new();
            for (segment, of) in spread.segments.iter().enumerate() {
                for (at, branch) in of.branches.iter().enumerate() {
                    number.insert((segment, at), first + number.len());
                    let ends = branch.ends.iter().filter_map(|&(end, next)| Some((end, next?)));
                    nodes.push(CountedNode {
                        worm,
                        segment,
                        at,
                        group: branch.group,
                        from: of.from,
                        ends: ends.collect(),
                        keeps: Vec::new(),
                    });
                }
            }
            // Branches below a segment, with the number of FIFOs from the segment's own on.
            let below = |segment: usize| {
                let own = (0..spread.segments[segment].branches.len()).map(|at| (segment, at, 0));
                let deeper = own.clone().flat_map(|(segment, at, _)| spread.below(segment, at));
                let deeper = deeper.flat_map(|(segment, fifos)| {
                    (0..spread.segments[segment].branches.len()).map(move |at| (segment, at, fifos))
                });
                own.chain(deeper).collect::<Vec<_>>()
            };
            let flits = |segment: usize| u64::from(spread.segments[segment].flits);
            for (segment, of) in spread.segments.iter().enumerate() {
                // A worm that waits for room has flits in the next FIFO as well. A worm that goes
                // to one branch after the other stays whole.
                let own = u64::from(of.depth(network));
                let has_room = |deep: usize, more: u64| is_whole || flits(deep) <= own + more * depth;
                let keeps = below(segment).into_iter().map(|(deep, at, fifos)| {
                    let (fifos, is_there) = (u64::from(fifos), flits(deep) > u64::from(fifos) * depth);
                    let (lane, room) = (is_there && has_room(deep, fifos), is_there && has_room(deep, fifos + 1));
                    Holdup { branch: number[&(deep, at)], lane, room }
                });
                let keeps = keeps.filter(|of| of.room).collect();
                fronts.entry(of.from).or_default().push(Front { worm, segment, keeps });
                for at in 0..of.branches.len() {
                    let this = number[&(segment, at)];
                    // Branches after this one, and the room after it.
                    let mut keeps = vec![Holdup { branch: this, lane: false, room: true }];
                    for (deep, fifos) in spread.below(segment, at) {
                        if flits(deep) > u64::from(fifos) * depth {
                            let all = 0..spread.segments[deep].branches.len();
                            keeps.extend(all.map(|at| Holdup { branch: number[&(deep, at)], lane: true, room: true }));
                        }
                    }
                    // Siblings here and further up, and the branches after them.
                    let (mut split, mut on) = (segment, at);
                    while let Some(window) = spread.segments[split].window(network) {
                        for sibling in (0..spread.segments[split].branches.len()).filter(|&sibling| sibling != on) {
                            if flits(split) > u64::from(window) {
                                let branch = number[&(split, sibling)];
                                keeps.push(Holdup { branch, lane: !is_atomic, room: true });
                            }
                            for (deep, fifos) in spread.below(split, sibling) {
                                if flits(deep) > u64::from(fifos) * depth + u64::from(window) {
                                    let all = 0..spread.segments[deep].branches.len();
                                    keeps.extend(all.map(|at| Holdup {
                                        branch: number[&(deep, at)],
                                        lane: true,
                                        room: true,
                                    }));
                                }
                            }
                        }
                        match spread.segments[split].parent {
                            Some(parent) => (split, on) = parent,
                            None => break,
                        }
                    }
                    pairs += keeps.len();
                    nodes[this].keeps = keeps;
                }
            }
            if pairs > MOST_PAIRS {
                return None;
            }
        }
        let mut holders: HashMap<LaneChannel, Vec<usize>> = HashMap::new();
        for (number, node) in nodes.iter().enumerate() {
            holders.entry(node.group).or_default().push(number);
        }
        let room = nodes.iter().map(|node| !node.ends.is_empty()).collect();
        Some(Self { channels, lane: vec![true; nodes.len()], room, nodes, fronts, holders, times: again })
    }

    /// Worms that may still wait.
    pub fn worms(&self) -> BTreeSet<usize> {
        let waits = self.lane.iter().zip(&self.room).map(|(&lane, &room)| lane || room);
        self.nodes.iter().zip(waits).filter_map(|(of, waits)| waits.then_some(of.worm)).collect()
    }

    /// Whether one of these branches may wait for ever.
    fn is_held_up(&self, by: &[Holdup]) -> bool {
        by.iter().any(|of| of.lane && self.lane[of.branch] || of.room && self.room[of.branch])
    }

    /// Whether other worms may keep all lanes that a branch wants.
    fn can_wait_for_lane(&self, number: usize) -> bool {
        let node = &self.nodes[number];
        let lanes = self.channels.lanes_of_group(node.group);
        // Held lanes by the input of their worms, and the sum over all inputs.
        let (mut by_input, mut kept) = (HashMap::<LaneChannel, [u32; 2]>::new(), 0);
        for &holder in &self.holders[&node.group] {
            let of = &self.nodes[holder];
            if holder == number && !self.times[of.worm] || !self.is_held_up(&of.keeps) {
                continue;
            }
            // One of the lanes of an input has the worm that waits.
            let most = || self.channels.lanes(of.from) - u32::from(of.from == node.from);
            let [held, most] = by_input.entry(of.from).or_insert_with(|| [0, most()]);
            let more = if self.times[of.worm] { *most - *held } else { (*most - *held).min(1) };
            *held += more;
            kept += more;
            if kept >= lanes {
                return true;
            }
        }
        kept >= lanes
    }

    /// Whether another worm may stand before the worm of a branch for ever.
    fn can_wait_for_room(&self, number: usize) -> bool {
        let node = &self.nodes[number];
        node.ends.iter().any(|&(end, next)| {
            let fronts = self.fronts.get(&end).into_iter().flatten();
            let mut others = fronts.filter(|of| self.times[of.worm] || (of.worm, of.segment) != (node.worm, next));
            others.any(|front| self.is_held_up(&front.keeps))
        })
    }

    /// Removes waits, and returns whether there were some.
    pub fn remove(&mut self, removed: &mut Vec<Wait>) -> bool {
        let before = removed.len();
        for number in 0..self.nodes.len() {
            let CountedNode { worm, segment, at: branch, .. } = self.nodes[number];
            if self.lane[number] && !self.can_wait_for_lane(number) {
                self.lane[number] = false;
                removed.push(Wait { worm, segment, branch, for_room: false });
            }
            if self.room[number] && !self.can_wait_for_room(number) {
                self.room[number] = false;
                removed.push(Wait { worm, segment, branch, for_room: true });
            }
        }
        removed.len() > before
    }
}
