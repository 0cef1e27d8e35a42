//! Graph of the waits of all worms. An arrow leads from a place that a worm keeps to a place for
//! which the worm may wait then.
//!
//! Each channel has two places. Its *lane* is kept by the owner until the tail has crossed. Its
//! *FIFO* is kept by the worm at the front. These are the arrows of a worm, with `c` the channel
//! that leads to a FIFO and `b` a branch there:
//!
//! | from | to | reason |
//! |---|---|---|
//! | FIFO of c | lane of b, FIFO of b | the worm at the front needs a lane of b, and then room
//! after it | | lane of b | FIFO of b | the owner of the lane needs room |
//! | lane of a, or of a channel after a | lane of b, FIFO of b | a and b are branches at one
//! switch; b holds up a |
//!
//! The last arrow exists only if the worm is longer than the distance by which a may be ahead of
//! b. With atomic acquisition no worm keeps a lane while it waits for another lane of the same
//! switch. A lane for which no worm ever waits has no arrows to it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graphmap::DiGraphMap;
use wormscope_hw::header::Way;
use wormscope_hw::{Acquisition, NodeId, PortId, SwitchId};

use super::channels::{At, Channels, LaneChannel};
use super::spread::{Meeting, WormShape, WormSpread, class, window};
use crate::network::routing::Labels;
use crate::network::{End, header_flits};
use crate::workload::{Drawable, Ordered, Targets};

/// A place that worms keep and wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitPlace {
    /// The lanes of a group, by the channel that routing names.
    Lane(LaneChannel),
    /// The FIFOs at the end of a channel.
    Fifo(LaneChannel),
}

impl WaitPlace {
    /// The channel of the place.
    #[must_use]
    pub fn channel(self) -> LaneChannel {
        match self {
            Self::Lane(channel) | Self::Fifo(channel) => channel,
        }
    }
}

/// A worm that an arrow comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WaitCause {
    /// A given worm, by its number.
    Given(usize),
    /// A worm of an entry that draws, with destinations that it has at least.
    Drawn {
        /// Number of the entry among those that draw.
        kind: usize,
        /// Source of the worm.
        source: NodeId,
        /// Destinations, in header order.
        to: Vec<NodeId>,
    },
}

/// Largest number of arrows.
const MOST_ARROWS: usize = 6_000_000;

/// Largest network whose path worms of any destinations are followed.
const MOST_NODES_OF_PATHS: u32 = 256;

/// The waits of all worms.
pub struct Waits<'a> {
    pub(super) channels: &'a Channels<'a>,
    arrows: DiGraphMap<WaitPlace, u32>,
    causes: Vec<WaitCause>,
    /// Channels from which worms come that ask for a group.
    askers: HashMap<LaneChannel, BTreeSet<LaneChannel>>,
    /// Channels to switches after a channel and a port of its switch, whose arrows exist.
    steps: HashMap<(LaneChannel, PortId), Vec<LaneChannel>>,
    /// Lanes of copies that drawn path worms leave behind. A worm may keep all lanes that it takes
    /// later while it waits for such a lane, and these arrows are not listed.
    copies: BTreeSet<LaneChannel>,
    /// Fewest flits by which a branch may be ahead of the slowest branch, at any FIFO.
    shortest: Option<u32>,
    is_atomic: bool,
    /// Number of waits that were listed, and that may be listed.
    listed: u64,
    most: u64,
}

impl<'a> Waits<'a> {
    /// No waits yet.
    pub(super) fn none(channels: &'a Channels, most: u64) -> Self {
        let network = channels.network();
        Self {
            channels,
            arrows: DiGraphMap::new(),
            causes: Vec::new(),
            askers: HashMap::new(),
            steps: HashMap::new(),
            copies: BTreeSet::new(),
            shortest: window(network, network.shallowest_fifo().0),
            is_atomic: network.switch.acquisition == Acquisition::Atomic,
            listed: 0,
            most,
        }
    }

    /// Whether the waits are few enough so far.
    fn fits(&self) -> bool {
        self.arrows.edge_count() <= MOST_ARROWS && self.listed <= self.most
    }

    fn arrow(&mut self, from: WaitPlace, to: WaitPlace, cause: impl FnOnce() -> WaitCause) {
        self.listed += 1;
        if !self.arrows.contains_edge(from, to) {
            let cause = cause();
            let number = match self.causes.last() {
                Some(last) if *last == cause => self.causes.len() - 1,
                _ => {
                    self.causes.push(cause);
                    self.causes.len() - 1
                }
            };
            self.arrows.add_edge(from, to, number as u32);
        }
    }

    /// Adds a worm with all its destinations. `cause` names the worm, with some of its leaves.
    /// Returns false if there are too many arrows.
    pub(super) fn add(&mut self, spread: &WormSpread, cause: impl Fn(&[NodeId]) -> WaitCause) -> bool {
        for (number, segment) in spread.segments.iter().enumerate() {
            for (at, branch) in segment.branches.iter().enumerate() {
                let of = cause(&[self.leaf(spread, number, at)]);
                self.askers.entry(branch.group).or_default().insert(segment.from);
                self.arrow(WaitPlace::Fifo(segment.from), WaitPlace::Lane(branch.group), || of.clone());
                for &(channel, next) in &branch.ends {
                    if next.is_some() {
                        self.arrow(WaitPlace::Fifo(segment.from), WaitPlace::Fifo(channel), || of.clone());
                        self.arrow(WaitPlace::Lane(branch.group), WaitPlace::Fifo(channel), || of.clone());
                    }
                }
            }
            if segment.window(self.channels.network()).is_some_and(|window| segment.flits > window) {
                self.siblings(spread, number, &cause);
            }
        }
        self.fits()
    }

    /// Arrows from the branches of a segment to their siblings.
    fn siblings(&mut self, spread: &WormSpread, number: usize, cause: impl Fn(&[NodeId]) -> WaitCause) {
        let segment = &spread.segments[number];
        if segment.branches.len() < 2 {
            return;
        }
        for (at, branch) in segment.branches.iter().enumerate() {
            let leaf = self.leaf(spread, number, at);
            let mut kept = vec![(branch.group, leaf)];
            for (below, _) in spread.below(number, at) {
                for (of, deeper) in spread.segments[below].branches.iter().enumerate() {
                    kept.push((deeper.group, self.leaf(spread, below, of)));
                }
            }
            for (other, sibling) in segment.branches.iter().enumerate().filter(|&(other, _)| other != at) {
                let far = self.leaf(spread, number, other);
                for &(kept, leaf) in &kept {
                    let of = || cause(&[leaf, far]);
                    if !self.is_atomic {
                        self.arrow(WaitPlace::Lane(kept), WaitPlace::Lane(sibling.group), of);
                    }
                    for &(channel, next) in &sibling.ends {
                        if next.is_some() {
                            self.arrow(WaitPlace::Lane(kept), WaitPlace::Fifo(channel), of);
                        }
                    }
                }
            }
        }
    }

    /// A node after a branch.
    fn leaf(&self, spread: &WormSpread, segment: usize, branch: usize) -> NodeId {
        let (mut segment, mut branch) = (segment, branch);
        loop {
            match spread.segments[segment].branches[branch].ends.first() {
                Some(&(_, Some(next))) => (segment, branch) = (next, 0),
                Some(&(channel, None)) => return self.node(channel),
                None => return NodeId(0),
            }
        }
    }

    /// The node that a channel leads to.
    fn node(&self, channel: LaneChannel) -> NodeId {
        match self.channels.at(channel) {
            At::Injection(node) => node,
            At::Output(switch, port, _) => match self.channels.wiring().output(switch, port) {
                Some(End::Node(node)) => node,
                _ => NodeId(0),
            },
        }
    }

    /// Adds all worms of an entry that draws. Returns false if there are too many arrows, or if the
    /// user stops the search.
    pub(super) fn add_drawn(&mut self, number: usize, kind: &Drawable, stop: &dyn Fn() -> bool) -> bool {
        let mut toward: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for (source, targets) in &kind.sources {
            let source = *source;
            let shape = |to: &[NodeId]| WormShape {
                source,
                to: to.to_vec(),
                encoding: kind.encoding,
                payload_flits: kind.payload_flits[1],
            };
            let fits = match targets {
                Targets::One(nodes) => {
                    for &node in nodes {
                        toward.entry(node).or_default().push(source);
                    }
                    true
                }
                Targets::All(nodes) => {
                    let of = |_: &[NodeId]| WaitCause::Drawn { kind: number, source, to: nodes.clone() };
                    WormSpread::of(self.channels, &shape(nodes)).is_some_and(|spread| self.add(&spread, of))
                }
                Targets::Some { among, count, ordered } if kind.encoding.way() == Way::Path => {
                    self.add_paths(number, kind, source, (among, count[1], *ordered))
                }
                Targets::Some { among, .. } => self.sets(source, among).into_iter().all(|set| {
                    let of = |leaves: &[NodeId]| WaitCause::Drawn { kind: number, source, to: leaves.to_vec() };
                    WormSpread::of(self.channels, &shape(&set)).is_some_and(|spread| self.add(&spread, of))
                }),
            };
            if !fits || stop() {
                return false;
            }
        }
        toward.iter().all(|(&node, sources)| !stop() && self.add_unicasts(number, node, sources))
    }

    /// Sets of destinations of a tree worm whose spreads together have the places of all its
    /// subsets. A tree has the places of all its subtrees, but it also climbs above them. So there
    /// is a set for each height.
    fn sets(&self, source: NodeId, among: &[NodeId]) -> Vec<Vec<NodeId>> {
        let wiring = self.channels.wiring();
        if wiring.climbs().is_empty() {
            return vec![among.to_vec()];
        }
        if let Some(min) = wiring.bi_min() {
            let below = |stage: u32| -> Vec<NodeId> {
                among.iter().copied().filter(|&node| min.turn(source, &[node]) <= stage).collect()
            };
            let mut sets: Vec<Vec<NodeId>> = (0..min.stages()).map(below).filter(|set| !set.is_empty()).collect();
            sets.dedup();
            return sets;
        }
        let pairs = |at: usize| among[at + 1..].iter().map(move |&second| vec![among[at], second]);
        (0..among.len()).flat_map(|at| pairs(at).chain([vec![among[at]]])).collect()
    }

    /// Worms from any of these sources to one node.
    fn add_unicasts(&mut self, kind: usize, node: NodeId, sources: &[NodeId]) -> bool {
        let mut seen = vec![false; self.channels.count()];
        let mut work: Vec<(LaneChannel, NodeId)> =
            sources.iter().map(|&source| (self.channels.injection(source), source)).collect();
        while let Some((from, source)) = work.pop() {
            if std::mem::replace(&mut seen[from.0 as usize], true) {
                continue;
            }
            let Some(switch) = self.channels.switch(from).map(SwitchId) else { continue };
            let step = (from, self.toward(switch, node));
            if let Some(ends) = self.steps.get(&step) {
                self.listed += 1 + 2 * ends.len() as u64;
                work.extend(ends.iter().map(|&next| (next, source)));
                continue;
            }
            let ends = self.step(from, switch, step.1, || WaitCause::Drawn { kind, source, to: vec![node] });
            work.extend(ends.iter().map(|&next| (next, source)));
            self.steps.insert(step, ends);
        }
        self.fits()
    }

    /// Adds the arrows of a worm that goes on through a port. Returns the channels to switches.
    fn step(
        &mut self,
        from: LaneChannel,
        switch: SwitchId,
        port: PortId,
        of: impl Fn() -> WaitCause,
    ) -> Vec<LaneChannel> {
        let class = class(self.channels, from, switch, port);
        let group = self.channels.output(switch, self.channels.wiring().group(port), class);
        self.askers.entry(group).or_default().insert(from);
        self.arrow(WaitPlace::Fifo(from), WaitPlace::Lane(group), &of);
        let mut ends = self.channels.group(group);
        ends.retain(|&end| !self.channels.is_consumption(end));
        for &end in &ends {
            self.arrow(WaitPlace::Fifo(from), WaitPlace::Fifo(end), &of);
            self.arrow(WaitPlace::Lane(group), WaitPlace::Fifo(end), &of);
        }
        ends
    }

    fn toward(&self, switch: SwitchId, node: NodeId) -> PortId {
        self.channels.site.next(switch, node).unwrap_or_else(|| self.channels.wiring().consumption(node).1)
    }

    /// Path worms of a source to any of these nodes.
    fn add_paths(
        &mut self,
        number: usize,
        kind: &Drawable,
        source: NodeId,
        (among, most, ordered): (&[NodeId], u32, Ordered),
    ) -> bool {
        let network = self.channels.network();
        if network.nodes() > MOST_NODES_OF_PATHS {
            return false;
        }
        let longest = header_flits(network, kind.encoding, most).saturating_add(kind.payload_flits[1]);
        let waits = self.shortest.is_some_and(|window| longest > window);
        let labels = self.channels.wiring().grid().and_then(Labels::new);
        let label = |node: NodeId| labels.as_ref().map_or(node.0, |labels| labels.label(node));
        // A worm comes to a channel in several ways. So in any order, all nodes but the last count
        // as not visited.
        let follows = |history: &[NodeId], next: NodeId| match (ordered, history) {
            (_, [source, .., last]) if next == *source || next == *last => false,
            (Ordered::Labels, [first, .., last]) => (label(*first) < label(*last)) == (label(*last) < label(next)),
            (Ordered::Numbers, [_, .., last]) => last.0 < next.0,
            _ => true,
        };
        // Fewest visited nodes with which a worm comes to a channel on its way to a node.
        let mut fewest: HashMap<(LaneChannel, NodeId, bool), usize> = HashMap::new();
        // Channel, and the visited nodes after the source. The last is the next destination.
        let mut work: VecDeque<(LaneChannel, Vec<NodeId>)> =
            among.iter().map(|&first| (self.channels.injection(source), vec![source, first])).collect();
        while let Some((from, history)) = work.pop_front() {
            if !self.fits() {
                return false;
            }
            let Some(&node) = history.last() else { continue };
            let rises = label(source) < label(history[1]);
            let Some(switch) = self.channels.switch(from).map(SwitchId) else { continue };
            let known = fewest.entry((from, node, rises)).or_insert(usize::MAX);
            if history.len() >= *known {
                continue;
            }
            *known = history.len();
            let of = || WaitCause::Drawn { kind: number, source, to: history[1..].to_vec() };
            let port = self.toward(switch, node);
            let nexts = self.step(from, switch, port, of);
            if self.channels.site.next(switch, node).is_some() {
                work.extend(nexts.into_iter().map(|next| (next, history.clone())));
                continue;
            }
            if history.len() as u32 > most {
                continue;
            }
            let absorbs = self.channels.output(switch, port, 0);
            for &next in among.iter().filter(|&&next| follows(&history, next)) {
                let onward = self.toward(switch, next);
                let history = [&history[..], &[next]].concat();
                let of = || WaitCause::Drawn { kind: number, source, to: history[1..].to_vec() };
                let ends = self.step(from, switch, onward, of);
                let class = class(self.channels, from, switch, onward);
                let group = self.channels.output(switch, self.channels.wiring().group(onward), class);
                if waits {
                    if !self.is_atomic {
                        self.arrow(WaitPlace::Lane(absorbs), WaitPlace::Lane(group), of);
                        self.arrow(WaitPlace::Lane(group), WaitPlace::Lane(absorbs), of);
                        self.copies.insert(absorbs);
                    }
                    for &end in &ends {
                        self.arrow(WaitPlace::Lane(absorbs), WaitPlace::Fifo(end), of);
                    }
                }
                work.extend(ends.into_iter().map(|end| (end, history.clone())));
            }
        }
        self.fits()
    }

    /// Whether a worm may wait for a lane of a group: more inputs ask for it than it has lanes.
    fn is_contested(&self, group: LaneChannel) -> bool {
        let askers = self.askers.get(&group).into_iter().flatten();
        askers.map(|&from| self.channels.lanes(from)).sum::<u32>() > self.channels.lanes_of_group(group)
    }

    /// The arrows, without those to lanes for which no worm waits.
    fn kept(&self) -> DiGraphMap<WaitPlace, u32> {
        let contested: HashMap<LaneChannel, bool> =
            self.askers.keys().map(|&group| (group, self.is_contested(group))).collect();
        let waits = |to: WaitPlace| match to {
            WaitPlace::Lane(group) => contested.get(&group).copied().unwrap_or(false),
            WaitPlace::Fifo(_) => true,
        };
        self.arrows.all_edges().filter(|&(_, to, _)| waits(to)).map(|(from, to, &of)| (from, to, of)).collect()
    }

    /// An order of all places in which each arrow leads to an earlier place, or the dependency
    /// cycles.
    pub(super) fn order(&self) -> Result<Vec<WaitPlace>, Box<Cycles>> {
        let mut kept = self.kept();
        if let Ok(mut order) = toposort(&kept, None) {
            let mut unlisted = self.copies.iter().filter(|&&copy| self.is_contested(copy)).peekable();
            if unlisted.peek().is_none() {
                order.reverse();
                return Ok(order);
            }
            // The arrows that are not listed may close a cycle.
            for place in unlisted.map(|&copy| WaitPlace::Lane(copy)) {
                // The lane of a copy has an arrow to the lane of the rest of its worm.
                if let Some((_, _, &cause)) = self.arrows.edges(place).next() {
                    kept.add_edge(place, place, cause);
                }
            }
        }
        let knots: Vec<Vec<WaitPlace>> = tarjan_scc(&kept)
            .into_iter()
            .filter(|knot| knot.len() > 1 || kept.contains_edge(knot[0], knot[0]))
            .collect();
        let mut causes: Vec<WaitCause> = Vec::new();
        let mut seen = HashSet::new();
        for knot in &knots {
            let inside: HashSet<WaitPlace> = knot.iter().copied().collect();
            for &from in knot {
                for (_, _, &cause) in kept.edges(from).filter(|(_, to, _)| inside.contains(to)) {
                    if seen.insert(cause) {
                        causes.push(self.causes[cause as usize].clone());
                    }
                }
            }
        }
        let smallest = knots.iter().min_by_key(|knot| knot.len());
        let cycle = smallest.map(|knot| shortest(&kept, knot)).unwrap_or_default();
        let of_cycle = cycle.iter().zip(cycle.iter().cycle().skip(1));
        let first = of_cycle.filter_map(|(&from, &to)| kept.edge_weight(from, to));
        let first = first.map(|&cause| self.causes[cause as usize].clone()).collect();
        Err(Box::new(Cycles { cycle, of_cycle: first, causes, ..Cycles::default() }))
    }
}

/// Dependency cycles of the waits.
#[derive(Clone, Debug, Default)]
pub struct Cycles {
    /// A short cycle: each place waits for the next, and the last for the first.
    pub cycle: Vec<WaitPlace>,
    /// A worm for each wait of the cycle.
    pub of_cycle: Vec<WaitCause>,
    /// Worms of all cycles.
    pub causes: Vec<WaitCause>,
    /// Given worms that a count of all worms leaves waiting. Empty without a count.
    pub left: Vec<usize>,
    /// Worms that may wait for each other at the same time.
    pub meetings: Vec<Meeting>,
    /// All worms that were counted, first those that are given.
    pub worms: Vec<WormShape>,
}

/// A shortest cycle through one of the places of a strongly connected component.
fn shortest(graph: &DiGraphMap<WaitPlace, u32>, knot: &[WaitPlace]) -> Vec<WaitPlace> {
    /// Number of places from which a cycle is searched.
    const MOST_STARTS: usize = 200;
    let inside: HashSet<WaitPlace> = knot.iter().copied().collect();
    let mut best: Vec<WaitPlace> = Vec::new();
    for &start in knot.iter().take(MOST_STARTS) {
        let (mut before, mut work) = (HashMap::new(), VecDeque::from([start]));
        'search: while let Some(at) = work.pop_front() {
            for next in graph.neighbors(at).filter(|next| inside.contains(next)) {
                if next == start {
                    let mut cycle = vec![at];
                    while let Some(&earlier) = before.get(&cycle[cycle.len() - 1]) {
                        cycle.push(earlier);
                    }
                    cycle.reverse();
                    if best.is_empty() || cycle.len() < best.len() {
                        best = cycle;
                    }
                    break 'search;
                }
                if next != start && !before.contains_key(&next) {
                    before.insert(next, at);
                    work.push_back(next);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use wormscope_hw::Encoding;

    use super::*;
    use crate::site::Site;

    #[test]
    fn drawn_path_worms_wait_as_each_of_them_does() {
        let text = "(network: (topology: mesh(radices: [3, 3])))";
        let loaded = crate::config::from_text("x.ron", text, &[]).expect("valid");
        let site = Site::of(&loaded).expect("a network");
        let channels = Channels::of(&site).expect("few channels");
        let labels = Labels::new(channels.wiring().grid().expect("a grid")).expect("labels");
        let arrows = |waits: &Waits| -> BTreeSet<(WaitPlace, WaitPlace)> {
            // Arrows to copies that a worm left behind are not listed for drawn worms.
            let listed = |to: WaitPlace| !channels.is_consumption(to.channel());
            waits.arrows.all_edges().map(|(from, to, _)| (from, to)).filter(|of| listed(of.1)).collect()
        };
        let (encoding, payload_flits) = (Encoding::Multidestination, 9);
        for source in (0..9).map(NodeId) {
            let mut among: Vec<NodeId> = (0..9).map(NodeId).filter(|&node| node != source).collect();
            for ordered in [Ordered::Labels, Ordered::Numbers] {
                let place = |node: NodeId| if ordered == Ordered::Labels { labels.label(node) } else { node.0 };
                let mut one_by_one = Waits::none(&channels, u64::MAX);
                for &first in &among {
                    let rises = place(source) < place(first);
                    let on = |to: &&NodeId| (place(first) < place(**to)) == (rises || ordered == Ordered::Numbers);
                    let seconds = among.iter().filter(|&&to| to != first).filter(on).map(|&to| vec![first, to]);
                    for to in seconds.chain([vec![first]]) {
                        let worm = WormShape { source, to, encoding, payload_flits };
                        let spread = WormSpread::of(&channels, &worm).expect("short");
                        assert!(one_by_one.add(&spread, |_| WaitCause::Given(0)));
                    }
                }
                // The order of the nodes changes nothing.
                for _ in 0..2 {
                    among.reverse();
                    let targets = Targets::Some { among: among.clone(), count: [1, 2], ordered };
                    let kind = Drawable { encoding, payload_flits: [9, 9], sources: vec![(source, targets)] };
                    let mut drawn = Waits::none(&channels, u64::MAX);
                    assert!(!Waits::none(&channels, u64::MAX).add_drawn(0, &kind, &|| true));
                    assert!(drawn.add_drawn(0, &kind, &|| false));
                    assert!(arrows(&drawn).is_superset(&arrows(&one_by_one)), "{source:?} {ordered:?}");
                    assert!(!drawn.copies.is_empty());
                }
            }
        }
    }
}
