//! Masks: a multicast in the fewest worms with an address and a mask. Together they go to every
//! destination once, and to no other node. In a mesh a mask may cover the source, which gets no
//! copy.
//!
//! A mask names a *cube*: all nodes whose addresses agree in some bits. The destinations are split
//! into cubes that hold no other node.
//!
//! Up to [`MOST_EXACT`] destinations, branch and bound finds the fewest cubes. It first serves the
//! destination that fits in the fewest cubes, and tries the largest cubes first. Destinations of
//! which no two share a cube give a bound. A search path ends when its bound is too high.
//!
//! With more destinations, or when the search takes too many steps, cubes are grown greedily. The
//! same bound is then a lower limit of the number of worms.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use wormscope_hw::header::{Layout, Worm};
use wormscope_hw::{Encoding, NodeId, bits};

use super::networks::{mesh, other_network};
use super::plan::{Plan, Request};
use super::planner::Planner;
use super::refusal::Refusal;

/// Names of the algorithms with masks of bits of the node's number, and of bits of its coordinates.
pub(super) const NAMES: [&str; 2] = ["masks", "coordinate_masks"];

/// Largest number of destinations for which the fewest cubes are searched: one bit of a word each.
const MOST_EXACT: usize = 64;
/// Largest number of cubes that the search chooses from.
const MOST_CUBES: usize = 4_096;
/// Largest number of steps of the search.
const MOST_STEPS: u32 = 20_000;
/// Largest number of addresses that are tested for a bound.
const MOST_LOOKS: u64 = 100_000;

/// Accepts networks in which the input of a switch decides the nodes that a worm can still reach.
pub(super) fn family(request: &Request, algorithm: &'static str) -> Result<(), Refusal> {
    if request.wiring.grid().is_some() {
        return mesh(request, algorithm).map(|_| ());
    }
    if request.wiring.uni_min().is_some() || request.wiring.bi_min().is_some() {
        return Ok(());
    }
    Err(other_network(request, algorithm, "it needs a mesh or a multistage network with nodes on one side".to_owned()))
}

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    family(request, NAMES[0])?;
    Ok(plan_in(request, Encoding::Mask))
}

pub(super) fn plan_by_coordinates(request: &Request) -> Result<Plan, Refusal> {
    mesh(request, NAMES[1])?;
    Ok(plan_in(request, Encoding::CoordinateMask))
}

/// Smallest number of worms that the destinations can take.
pub(super) fn least(request: &Request) -> u32 {
    split(request, Encoding::Mask).least
}

/// The same number as [`least`], for coordinate masks.
pub(super) fn least_by_coordinates(request: &Request) -> u32 {
    split(request, Encoding::CoordinateMask).least
}

/// The plan in which the source sends all worms, the largest first.
fn plan_in(request: &Request, encoding: Encoding) -> Plan {
    let mut planner = Planner::new(request);
    for to in split(request, encoding).worms {
        let encoding = if to.len() > 1 { encoding } else { Encoding::Unicast };
        planner.send(request.source, to.into(), encoding);
    }
    planner.finish()
}

/// Destinations of each worm.
struct Split {
    worms: Vec<Vec<NodeId>>,
    /// Lower bound: no split has fewer worms.
    least: u32,
}

fn split(request: &Request, encoding: Encoding) -> Split {
    let space = Space::new(request, encoding);
    let greedy = space.grow();
    let bound = if greedy.len() > 1 { space.bound() } else { 1 };
    let found =
        if bound < greedy.len() { MaskSearch::new(&space).map(|search| search.run(greedy.len())) } else { None };
    let (mut worms, least) = match found {
        // The search has ended. No split is better than the split from the search, or than the
        // greedy split if the search found none.
        Some(Found { worms, is_fewest: true }) => {
            let least = worms.as_ref().map_or(greedy.len(), Vec::len);
            (worms.unwrap_or(greedy), least)
        }
        Some(Found { worms, is_fewest: false }) => (worms.unwrap_or(greedy), bound),
        None => (greedy, bound),
    };
    worms.sort_by_key(|to| (Reverse(to.len()), to.first().copied()));
    Split { worms, least: least as u32 }
}

/// The destinations in the space of addresses.
struct Space {
    /// Number of bits of an address.
    width: u32,
    /// For each address of a node, the node and its place among the destinations, ascending. It
    /// lacks the source if a mask may cover it.
    nodes: HashMap<u64, (NodeId, Option<u32>)>,
    /// Addresses of the destinations, ascending by node.
    wanted: Vec<u64>,
}

/// Contents of a cube.
enum Within {
    /// Destinations only, by their places.
    Wanted(Vec<u32>),
    /// Another node as well.
    Another,
}

impl Space {
    fn new(request: &Request, encoding: Encoding) -> Self {
        let (wiring, header) = (request.wiring, encoding.header());
        let radices = wiring.grid().map_or_else(Vec::new, |grid| grid.radices().to_vec());
        let layout = Layout { flit_bits: 1, is_beside: false, nodes: wiring.nodes(), radices, ports: 0 };
        let address = |node: NodeId| {
            let words = header.words(&Worm { layout: &layout, destinations: &[node], port_masks: &Vec::new });
            header.word(&words, 1, 0)
        };
        let mut destinations = request.destinations.to_vec();
        destinations.sort_unstable();
        let place = |node: NodeId| destinations.binary_search(&node).ok().map(|place| place as u32);
        let free = wiring.grid().filter(|_| request.parameters.covers_source).map(|_| request.source);
        let all = (0..wiring.nodes()).map(NodeId).filter(|&node| Some(node) != free);
        Self {
            width: header.part_bits(&layout),
            nodes: all.map(|node| (address(node), (node, place(node)))).collect(),
            wanted: destinations.into_iter().map(address).collect(),
        }
    }

    /// Contents of the cube around `address`, for destinations that are still `left`.
    fn within(&self, address: u64, mask: u64, left: impl Fn(u32) -> bool) -> Within {
        let mut places = Vec::new();
        let next = |&bits: &u64| (bits != mask).then_some((bits | !mask).wrapping_add(1) & mask);
        for bits in std::iter::successors(Some(0), next) {
            match self.nodes.get(&(address & !mask | bits)) {
                None => {}
                Some(&(_, Some(place))) if left(place) => places.push(place),
                Some(_) => return Within::Another,
            }
        }
        Within::Wanted(places)
    }

    fn node(&self, place: u32) -> NodeId {
        self.nodes[&self.wanted[place as usize]].0
    }

    /// Cubes that are grown around one destination after the other, bit by bit, from the highest
    /// bit and from the lowest. The way with fewer cubes is returned.
    fn grow(&self) -> Vec<Vec<NodeId>> {
        let upwards = self.grow_by(&mut (0..self.width));
        let downwards = self.grow_by(&mut (0..self.width).rev());
        if downwards.len() < upwards.len() { downwards } else { upwards }
    }

    fn grow_by(&self, order: &mut dyn Iterator<Item = u32>) -> Vec<Vec<NodeId>> {
        let order: Vec<u32> = order.collect();
        let mut left: BTreeSet<u32> = (0..self.wanted.len() as u32).collect();
        let mut worms = Vec::new();
        while let Some(&first) = left.first() {
            let address = self.wanted[first as usize];
            let (mut mask, mut members) = (0, vec![first]);
            for bit in order.iter().map(|bit| 1 << bit) {
                // Only the half on the other side of the bit is new.
                if let Within::Wanted(more) = self.within(address ^ bit, mask, |place| left.contains(&place)) {
                    mask |= bit;
                    members.extend(more);
                }
            }
            left.retain(|place| !members.contains(place));
            members.sort_unstable();
            worms.push(members.into_iter().map(|place| self.node(place)).collect());
        }
        worms
    }

    /// Lower bound of the number of worms: the number of destinations of which no two share a cube.
    fn bound(&self) -> usize {
        let (mut apart, mut looks): (Vec<u64>, u64) = (Vec::new(), 0);
        for &address in &self.wanted {
            looks += apart.iter().map(|&other| 1 << (address ^ other).count_ones()).sum::<u64>();
            if looks > MOST_LOOKS {
                break;
            }
            let shares = |&other: &u64| matches!(self.within(address, address ^ other, |_| true), Within::Wanted(_));
            if !apart.iter().any(shares) {
                apart.push(address);
            }
        }
        apart.len()
    }
}

/// Result of a search.
struct Found {
    /// The worms, if the search finds fewer worms than before.
    worms: Option<Vec<Vec<NodeId>>>,
    /// Whether no split has fewer worms.
    is_fewest: bool,
}

/// Branch and bound over sets of destinations, one bit each.
struct MaskSearch<'a> {
    space: &'a Space,
    /// The cubes that hold each destination, the largest first.
    cubes: Vec<Vec<u64>>,
    /// For each destination, the destinations that share a cube with it.
    near: Vec<u64>,
    /// Smallest number of cubes after which the same destinations were left before.
    seen: HashMap<u64, usize>,
    best: Option<Vec<u64>>,
    fewest: usize,
    steps: u32,
}

impl<'a> MaskSearch<'a> {
    /// A search; `None` if there are too many cubes to search.
    fn new(space: &'a Space) -> Option<Self> {
        let count = space.wanted.len();
        if count > MOST_EXACT {
            return None;
        }
        // Starting from cubes of one destination, each bit may double a cube. The other half must
        // hold no other node.
        let mut cubes: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let mut fresh: Vec<(u64, u64)> = space.wanted.iter().map(|&address| (address, 0)).collect();
        while let Some((address, mask)) = fresh.pop() {
            let key = (address & !mask, mask);
            if cubes.contains_key(&key) {
                continue;
            }
            let Within::Wanted(places) = space.within(address, mask, |_| true) else { continue };
            cubes.insert(key, places.iter().fold(0, |set, place| set | 1 << place));
            if cubes.len() > MOST_CUBES {
                return None;
            }
            let wider = (0..space.width).map(|bit| mask | 1 << bit).filter(|&wider| wider != mask);
            fresh.extend(wider.map(|wider| (address, wider)));
        }
        let mut sets: Vec<u64> = cubes.into_values().collect();
        sets.sort_unstable_by_key(|set| (Reverse(set.count_ones()), *set));
        sets.dedup();
        let cubes: Vec<Vec<u64>> =
            (0..count).map(|place| sets.iter().copied().filter(|set| set >> place & 1 != 0).collect()).collect();
        let near = cubes.iter().map(|of: &Vec<u64>| of.iter().fold(0, |all, set| all | set)).collect();
        Some(Self { space, cubes, near, seen: HashMap::new(), best: None, fewest: 0, steps: 0 })
    }

    /// Searches for fewer cubes than `known`.
    fn run(mut self, known: usize) -> Found {
        self.fewest = known;
        let all = u64::MAX >> (MOST_EXACT - self.space.wanted.len());
        self.serve(all, &mut Vec::new());
        let nodes = |set: u64| bits(set).map(|place| self.space.node(place as u32)).collect();
        let worms = self.best.as_ref().map(|sets| sets.iter().map(|&set| nodes(set)).collect());
        Found { worms, is_fewest: self.steps <= MOST_STEPS }
    }

    /// Serves the destinations that are `left`, after the cubes `taken`. The total must be smaller
    /// than the best so far.
    fn serve(&mut self, left: u64, taken: &mut Vec<u64>) {
        if left == 0 {
            self.fewest = taken.len();
            self.best = Some(taken.clone());
            return;
        }
        self.steps += 1;
        if self.steps > MOST_STEPS || taken.len() + self.bound(left) >= self.fewest {
            return;
        }
        if self.seen.get(&left).is_some_and(|&before| before <= taken.len()) {
            return;
        }
        self.seen.insert(left, taken.len());
        let free = |place: usize| self.cubes[place].iter().copied().filter(move |set| set & !left == 0);
        let Some(place) = bits(left).min_by_key(|&place| free(place).count()) else { return };
        for set in free(place).collect::<Vec<_>>() {
            taken.push(set);
            self.serve(left & !set, taken);
            taken.pop();
        }
    }

    /// Lower bound of the number of cubes for the destinations `left`.
    fn bound(&self, mut left: u64) -> usize {
        let mut apart = 0;
        while left != 0 {
            let alone = |&place: &usize| (self.near[place] & left).count_ones();
            let Some(place) = bits(left).min_by_key(alone) else { break };
            left &= !self.near[place];
            apart += 1;
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Parameters;
    use wormscope_network::{Grid, Wiring};

    fn of(wiring: &Wiring, source: u32, set: u32, encoding: Encoding) -> Split {
        let destinations: Vec<NodeId> = bits(set.into()).map(|node| NodeId(node as u32)).collect();
        let parameters = Parameters::default();
        split(
            &Request { wiring, source: NodeId(source), destinations: &destinations, parameters: &parameters },
            encoding,
        )
    }

    fn grid(radices: &[u32]) -> Wiring {
        Wiring::new(Grid::new(radices.to_vec(), false))
    }

    /// The fewest cubes of every set of nodes without the source, by the cube that its lowest node
    /// is in.
    fn brute_force(wiring: &Wiring, source: u32, encoding: Encoding) -> Vec<u32> {
        let nodes = wiring.nodes();
        let radices = wiring.grid().map_or_else(Vec::new, |grid| grid.radices().to_vec());
        let layout = Layout { flit_bits: 1, is_beside: false, nodes, radices, ports: 0 };
        let cube = |some: &[NodeId]| {
            encoding.header().reached(&layout, some).iter().fold(0_u32, |set, node| set | 1 << node.0)
        };
        // Each cube is the smallest around some nodes. No more of their bits differ than an address
        // has.
        let mut cubes: BTreeSet<u32> = (0..nodes).map(|node| 1 << node).collect();
        loop {
            let wider = cubes.iter().flat_map(|&set| (0..nodes).map(move |node| set | 1 << node));
            let around = |set: u32| cube(&bits(set.into()).map(|node| NodeId(node as u32)).collect::<Vec<_>>());
            let all: BTreeSet<u32> = wider.map(around).chain(cubes.iter().copied()).collect();
            if all.len() == cubes.len() {
                break;
            }
            cubes = all;
        }
        let mut fewest = vec![0; 1 << nodes];
        for set in 1..1_usize << nodes {
            let within = set as u32 | 1 << source;
            let fits = |cube: &&u32| **cube & !within == 0 && **cube >> set.trailing_zeros() & 1 != 0;
            fewest[set] = cubes.iter().filter(fits).map(|&cube| 1 + fewest[set & !(cube as usize)]).min().unwrap_or(0);
        }
        fewest
    }

    #[test]
    fn small_sets_are_split_into_as_few_masks_as_trying_all_of_them_finds() {
        let cases = [(&[3, 3][..], 511), (&[5, 2], 1023), (&[4, 3], 37), (&[2, 2, 3], 41), (&[4, 4], 997)];
        for (radices, step) in cases {
            let wiring = grid(radices);
            let nodes = wiring.nodes();
            for (encoding, source) in
                [Encoding::Mask, Encoding::CoordinateMask].into_iter().flat_map(|e| [(e, 0), (e, nodes / 2)])
            {
                let fewest = brute_force(&wiring, source, encoding);
                let step = if nodes < 11 { 1 } else { step };
                for set in (1..1_usize << nodes).step_by(step).filter(|set| set >> source & 1 == 0) {
                    let found = of(&wiring, source, set as u32, encoding);
                    assert_eq!(found.worms.len() as u32, fewest[set], "{radices:?} {encoding} {source}: {set:b}");
                    assert_eq!(found.least, fewest[set], "{radices:?} {encoding} {source}: {set:b}");
                }
            }
        }
    }

    #[test]
    fn rows_and_columns_take_one_worm_and_a_diagonal_one_each() {
        let wiring = grid(&[4, 4]);
        let count = |set, encoding| of(&wiring, 3, set, encoding).worms.len();
        assert_eq!(count(0b1111_0000, Encoding::Mask), 1);
        assert_eq!(count(0b0001_0001_0001_0000, Encoding::Mask), 2);
        assert_eq!(count(0b1000_0100_0010_0001, Encoding::Mask), 4);
        assert_eq!(count(0b0111, Encoding::CoordinateMask), 1, "the rest of the row of the source");
        assert_eq!(count(0xffff & !(1 << 3), Encoding::Mask), 1, "all nodes but the source");
        // All nodes but the source and a neighbour: a half, a quarter and two nodes.
        assert_eq!(count(0xffff & !(0b11 << 2), Encoding::Mask), 3);
    }

    proptest! {
        #![proptest_config(crate::properties::cases(60))]

        #[test]
        fn large_sets_are_split_into_worms_that_reach_all_once_and_no_fewer_than_the_bound(
            picks in prop::collection::btree_set(1_u32..1_000, 1..400), by_coordinates: bool
        ) {
            let wiring = grid(&[25, 40]);
            let encoding = if by_coordinates { Encoding::CoordinateMask } else { Encoding::Mask };
            let destinations: Vec<NodeId> = picks.iter().copied().map(NodeId).collect();
            let parameters = Parameters::default();
            let request =
                Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
            let Split { worms, least } = split(&request, encoding);
            prop_assert!(least as usize <= worms.len());
            let layout = Layout { flit_bits: 1, is_beside: false, nodes: 1_000, radices: vec![25, 40], ports: 0 };
            for to in &worms {
                let mut reached = encoding.header().reached(&layout, to);
                reached.retain(|node| node.0 != 0);
                prop_assert_eq!(&reached, to);
            }
            let mut all = worms.concat();
            all.sort_unstable();
            prop_assert_eq!(all, destinations);
        }
    }
}
