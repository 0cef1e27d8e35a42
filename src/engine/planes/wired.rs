//! A network that is no grid: its links and routes as tables, and its links as planes.
//!
//! A link of a multistage network, or of a graph from a file, leads anywhere. So each flit and each
//! credit is taken from the plane of its sender. It is put into the plane of its receiver, in the
//! cycle of its arrival. A receiver clears what it reads. The tables have one entry for each lane,
//! and for each switch and destination (docs/reference/timing.md, R3.2, R3.3, R10.1 to R10.3).

use wormscope_hw::{LaneMask, NodeId, SwitchId};
use wormscope_network::End;

use super::plane::Plane;
use crate::shape::{Delays, Shape};

/// The other end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Far {
    /// A lane, router-major.
    Lane(u32),
    /// A node.
    Node(u32),
    /// The lane does not exist.
    Nothing,
}

/// Links and routes of a network with one lane a port.
#[derive(Clone, Debug)]
pub(super) struct Wired {
    /// By output lane, router-major.
    pub to: Vec<Far>,
    /// By input lane, router-major.
    pub from: Vec<Far>,
    /// By node, the input lane that it sends to.
    pub at: Vec<u32>,
    /// By output lane of a router, the first lane of its group, and the lanes of the group.
    groups: [(u8, u8); 64],
    /// By router and destination, the first lane of the group that routing names.
    routes: Vec<u8>,
    pub switches: usize,
    nodes: usize,
}

impl Wired {
    /// The tables of a network whose routers have up to `lanes` lanes on either side. `None` if a
    /// group of lanes has a gap.
    pub fn new(shape: &Shape, lanes: usize) -> Option<Self> {
        let (switches, nodes) = (shape.switches, shape.nodes);
        let far = |end: Option<(End, u8)>| match end {
            Some((End::Switch(s, port), _)) => Far::Lane(s.0 * lanes as u32 + u32::from(port.0)),
            Some((End::Node(node), _)) => Far::Node(node.0),
            None => Far::Nothing,
        };
        let all = || (0..switches).flat_map(|s| (0..lanes as u8).map(move |lane| (s, lane)));
        let count = [shape.lanes.outputs.count(), shape.lanes.inputs.count()];
        let to = all().map(|(s, lane)| far((lane < count[0]).then(|| shape.output(s, lane)).flatten()));
        let from = all().map(|(s, lane)| far((lane < count[1]).then(|| shape.input(s, lane)).flatten()));
        let (to, from): (Vec<_>, Vec<_>) = (to.collect(), from.collect());
        let mut at = vec![0; nodes as usize];
        for (lane, end) in (0..).zip(&from) {
            if let Far::Node(node) = end {
                at[*node as usize] = lane;
            }
        }
        let mut groups = std::array::from_fn(|lane| (lane as u8, 1));
        for mask in shape.switch.group_lanes.iter().filter(|mask| !mask.is_empty()) {
            let (first, count) = (mask.0.trailing_zeros() as u8, mask.count());
            if *mask != LaneMask::range(first, count) {
                return None;
            }
            mask.iter().for_each(|lane| groups[usize::from(lane)] = (first, count));
        }
        let route = |(s, node)| groups[usize::from(shape.routes.port(SwitchId(s), NodeId(node)))].0;
        let routes = (0..switches).flat_map(|s| (0..nodes).map(move |node| (s, node))).map(route).collect();
        Some(Self { to, from, at, groups, routes, switches: switches as usize, nodes: nodes as usize })
    }

    /// The first lane of the group that a worm to a node asks for.
    #[inline(always)]
    pub fn route(&self, router: usize, node: u32) -> usize {
        self.routes[router * self.nodes + node as usize].into()
    }

    /// The first lane of the group that a lane belongs to, and the number of its lanes.
    #[inline(always)]
    pub fn group(&self, lane: usize) -> (usize, usize) {
        let (first, count) = self.groups[lane];
        (first.into(), count.into())
    }
}

/// Flits and credits on their way, by cycle of arrival.
#[derive(Clone, Debug)]
pub(super) struct WiredLinks {
    lanes: usize,
    delays: Delays,
    /// Cycles that are kept: more than every delay.
    pub slots: usize,
    /// Words of a plane of all routers or nodes.
    words: usize,
    /// By cycle: flits by input lane, credits by output lane, credits of nodes.
    bits: Vec<u64>,
    /// By output lane, and then by input lane: the routers where it leads to a node.
    ends: Vec<u64>,
    /// By output lane, router-major, where a flit goes; for a node, where its credit comes home.
    flits: Vec<Target>,
    /// By input lane, router-major, where a credit goes.
    credits: Vec<Target>,
    /// By node, where a flit goes.
    injected: Vec<Target>,
}

/// A bit of a plane of some cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    /// Word, counted from the first one of the cycle.
    word: u32,
    /// Number of the bit.
    bit: u8,
    /// Whether a node is at the other end of the lane, so that the node's delays count.
    is_node: bool,
}

/// Places of the words of a cycle, and of the cycles in which flits and credits sent in it arrive:
/// between routers, and of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WiredEdge {
    now: usize,
    flits: [usize; 2],
    credits: [usize; 2],
    injected: usize,
}

impl WiredLinks {
    /// Silent links in chunks of `width` words. Cycles are kept as long as the delays reach, and
    /// `least` at least.
    pub fn new(wired: &Wired, lanes: usize, delays: Delays, least: usize, width: usize) -> Self {
        let Delays { flit, credit, inject, inject_credit, consume_credit, consume: _ } = delays;
        let longest = [flit, credit, inject, inject_credit, consume_credit].into_iter().fold(0, u32::max);
        let slots = least.max(longest as usize) + 1;
        let words = wired.switches.max(wired.nodes).div_ceil(64 * width) * width;
        let mut ends = vec![0; 2 * lanes * words];
        for (side, table) in [&wired.to, &wired.from].into_iter().enumerate() {
            for (at, _) in table.iter().enumerate().filter(|(_, far)| matches!(far, Far::Node(_))) {
                ends[(side * lanes + at % lanes) * words + at / lanes / 64] |= 1 << (at / lanes % 64);
            }
        }
        let target = |kind: usize, router: usize, is_node: bool| Target {
            word: (kind * words + router / 64) as u32,
            bit: (router % 64) as u8,
            is_node,
        };
        let lane = |side: usize, lane: usize| target(side * lanes + lane % lanes, lane / lanes, false);
        let flits = wired.to.iter().enumerate().map(|(at, far)| match far {
            Far::Lane(far) => lane(0, *far as usize),
            Far::Node(_) | Far::Nothing => Target { is_node: true, ..lane(1, at) },
        });
        let credits = wired.from.iter().map(|far| match far {
            Far::Lane(far) => lane(1, *far as usize),
            Far::Node(node) => target(2 * lanes, *node as usize, true),
            Far::Nothing => Target::default(),
        });
        Self {
            lanes,
            delays,
            slots,
            words,
            bits: vec![0; slots * (2 * lanes + 1) * words],
            ends,
            flits: flits.collect(),
            credits: credits.collect(),
            injected: wired.at.iter().map(|&at| lane(0, at as usize)).collect(),
        }
    }

    /// The first word of a cycle.
    fn base(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize * (2 * self.lanes + 1) * self.words
    }

    /// The places of cycle `now`.
    pub fn edge(&self, now: u64) -> WiredEdge {
        let slot = (now % self.slots as u64) as usize;
        let words = (2 * self.lanes + 1) * self.words;
        let after = |delay: u32| {
            let to = slot + delay as usize;
            (if to < self.slots { to } else { to - self.slots }) * words
        };
        let d = &self.delays;
        WiredEdge {
            now: slot * words,
            flits: [after(d.flit), after(d.consume_credit)],
            credits: [after(d.credit), after(d.inject_credit)],
            injected: after(d.inject),
        }
    }

    /// Takes the plane of a chunk that arrives in the cycle.
    #[inline(always)]
    pub fn take<const L: usize>(&mut self, edge: &WiredEdge, kind: usize, chunk: usize) -> Plane<L> {
        let first = edge.now + kind * self.words + chunk * L;
        let words = &mut self.bits[first..first + L];
        Plane(std::array::from_fn(|j| std::mem::take(&mut words[j])))
    }

    /// The routers of a chunk where an output lane leads to a node.
    #[inline(always)]
    pub fn to_node<const L: usize>(&self, lane: usize, chunk: usize) -> Plane<L> {
        let first = lane * self.words + chunk * L;
        Plane(std::array::from_fn(|j| self.ends[first + j]))
    }

    /// The routers of a chunk where an input lane comes from a node.
    #[inline(always)]
    pub fn fed_by_node<const L: usize>(&self, lane: usize, chunk: usize) -> Plane<L> {
        self.to_node(self.lanes + lane, chunk)
    }

    /// Sends the flits and credits of a chunk: flits by output, pops by input, flits of the nodes.
    #[inline(always)]
    pub fn send<const N: usize, const L: usize>(
        &mut self,
        edge: &WiredEdge,
        chunk: usize,
        [crossed, popped]: [&[Plane<L>; N]; 2],
        injected: Plane<L>,
    ) {
        let (base, bits) = (chunk * 64 * L, &mut self.bits);
        let mut put = |places: [usize; 2], to: Target| {
            bits[places[usize::from(to.is_node)] + to.word as usize] |= 1 << to.bit;
        };
        for lane in 0..N {
            crossed[lane].each(|router| put(edge.flits, self.flits[(base + router) * N + lane]));
            popped[lane].each(|router| put(edge.credits, self.credits[(base + router) * N + lane]));
        }
        injected.each(|node| put([edge.injected; 2], self.injected[base + node]));
    }

    fn bit(&self, cycle: u64, kind: usize, router: usize) -> bool {
        self.bits[self.base(cycle) + kind * self.words + router / 64] >> (router % 64) & 1 != 0
    }

    /// Flits on their way into an input lane at the start of cycle `now`. The first number has
    /// those that arrive in `now`, and the second has the others.
    pub fn under_way(&self, now: u64, router: usize, lane: usize) -> [u32; 2] {
        let arrives = |ahead| u32::from(self.bit(now + ahead, lane, router));
        [arrives(0), (1..self.slots as u64).map(arrives).sum()]
    }

    /// Whether a credit comes home to an output lane of a router in cycle `now`.
    pub fn credit_of(&self, now: u64, router: usize, lane: usize) -> bool {
        self.bit(now, self.lanes + lane, router)
    }

    /// Whether a credit comes home to a node in cycle `now`.
    pub fn inject_credit_of(&self, now: u64, node: usize) -> bool {
        self.bit(now, 2 * self.lanes, node)
    }

    /// Flits that a router sent through an output lane to a node in the last `cycles` cycles before
    /// `now`.
    pub fn sent_to_node(&self, now: u64, router: usize, lane: usize, cycles: u32) -> u64 {
        let ahead = u64::from(self.delays.consume_credit - cycles);
        let due = ahead..u64::from(self.delays.consume_credit);
        due.map(|ahead| u64::from(self.bit(now + ahead, self.lanes + lane, router))).sum()
    }
}
