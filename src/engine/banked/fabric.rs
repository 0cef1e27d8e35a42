//! Storage between the instances: FIFO slots, wires with their delays, wake lists.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nonmax::NonMaxU32;

use super::address::Far;
use super::switch::{Arrivals, LANES};
use wormscope_hw::{Flit, NodeId, PortId, SwitchId, WormId};

use wormscope_network::End;

use super::header_store::HeaderStore;
use super::rings::Rings;
use super::shape::BankedShape;
use super::sinks::Sinks;
use super::trees::Trees;
use super::wires::{Inbound, Links, WireRings};
use super::worms::{Arriving, Worms};

impl Inbound for Arrivals {
    #[inline(always)]
    fn live(self) -> u64 {
        self.flits | self.credits
    }
}

impl Inbound for u64 {
    #[inline(always)]
    fn live(self) -> u64 {
        self
    }
}

/// A flit on its last link, kept for waveforms only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlitToNode {
    pub at: u64,
    pub node: u32,
    pub channel: u8,
    pub worm_id: u32,
    pub flit: Flit,
    /// Output lane of the bank of switches that it crossed.
    pub lane: u8,
}

/// A worm's head at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeadAtNode {
    /// Cycle in which the head arrives.
    pub at: u64,
    /// Number of the worm.
    pub worm_id: Option<NonMaxU32>,
    /// Index of the flit. Stripped flits before it count.
    pub index: u32,
}

/// An instance that a timer wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Instance {
    Switch(u32),
    Node(u32),
    /// The switch of a station that the token reaches.
    Station(u32),
}

/// Storage and wires between the instances.
#[derive(Clone, Debug)]
pub(super) struct Fabric {
    /// FIFO cells of all input lanes, `fifo_depth` each.
    pub slots: Vec<Flit>,
    /// Headers of the head flits, one entry for each slot. The next head may be written in the
    /// cycle in which this head is decoded.
    pub images: Vec<u32>,
    /// Wires into banks of switches.
    pub switches: WireRings<Arrivals>,
    /// Wires into banks of nodes: credits, one bit an injection channel.
    pub nodes: WireRings<u64>,
    pub links: PageLinks,
    pub aside: Aside,
}

/// Links between pages: the instances to which one can send.
#[derive(Clone, Debug)]
pub(super) struct PageLinks {
    pub switch_to_switch: Links,
    pub switch_to_node: Links,
    pub node_to_switch: Links,
}

/// State that few flits need.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    /// More than one credit for a lane in a cycle, after a switch strips an address of several
    /// flits: cycle, far end, number.
    pub extra_credits: Vec<(u64, Far, u16)>,
    /// Deadlines in registers (routing decisions, start-ups), soonest first.
    pub timers: BinaryHeap<Reverse<(u64, Instance)>>,
    pub headers: HeaderStore,
    pub rings: Rings,
    pub trees: Trees,
    /// For each consumption channel, the head of the worm that passes.
    pub heads: Vec<HeadAtNode>,
    /// Flits on their last link; filled only for an observer.
    pub consumptions: Vec<FlitToNode>,
    /// Sinks, if nodes do not take every flit at once.
    pub sinks: Option<Box<Sinks>>,
    /// Whether an observer reads the banks of this cycle.
    pub tells_banks: bool,
    /// Heads that crossed lanes of the bank under evaluation, for such an observer.
    pub told_heads: Vec<(u8, Flit)>,
    /// By output lane, the last flit that crossed the lane of any bank. Only a watched run fills
    /// it.
    pub crossings: Box<[Crossing; LANES]>,
    /// Data of the flits that crossed in this cycle, in a watched run.
    pub words: Vec<u64>,
}

/// A flit that crosses an output lane, kept for waveforms only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Crossing {
    pub worm_id: WormId,
    pub flit: Flit,
    /// Place of the data of the flit in [`Aside::words`].
    pub words: u32,
}

impl Fabric {
    pub fn new(shape: &BankedShape) -> Self {
        let (s, n) = (shape.banks() as usize, shape.node_banks() as usize);
        let (switches, nodes) = (WireRings::new(shape.slots, s), WireRings::new(shape.slots, n));
        // The unused bank has cells, too.
        let cells = (WireRings::<Arrivals>::nobody(s) + 1) * LANES * shape.params.fifo_depth as usize;
        Self {
            slots: vec![Flit::default(); cells],
            images: vec![0; cells],
            links: PageLinks::new(shape, &switches, &nodes),
            switches,
            nodes,
            aside: Aside {
                extra_credits: Vec::new(),
                timers: BinaryHeap::new(),
                headers: HeaderStore::default(),
                rings: Rings::new(shape),
                trees: Trees::default(),
                heads: vec![HeadAtNode::default(); shape.nodes as usize * shape.node.consumption_lanes as usize],
                consumptions: Vec::new(),
                sinks: None,
                tells_banks: false,
                told_heads: Vec::new(),
                crossings: Box::new([Crossing::default(); LANES]),
                words: Vec::new(),
            },
        }
    }
}

impl PageLinks {
    fn new(shape: &BankedShape, into_switches: &WireRings<Arrivals>, into_nodes: &WireRings<u64>) -> Self {
        let (wiring, ports, count) =
            (&shape.wiring, || (0..shape.ports).map(PortId), u32::from(shape.params.fields.count));
        let switches = |bank: u32| (bank * count..((bank + 1) * count).min(shape.switches)).map(SwitchId);
        let outputs = |bank| switches(bank).flat_map(move |s| ports().filter_map(move |port| wiring.output(s, port)));
        let inputs = |bank| switches(bank).flat_map(move |s| ports().filter_map(move |port| wiring.input(s, port)));
        let far = |end| if let End::Switch(far, _) = end { Some(shape.bank(far.0).0) } else { None };
        let node = |end| if let End::Node(node) = end { Some(shape.channels.place(node.0).0) } else { None };
        let count = u32::from(shape.channels.count);
        let nodes = |bank: u32| bank * count..((bank + 1) * count).min(shape.nodes);
        Self {
            // Flits leave through outputs. Credits go back to the sender of the flits. A node
            // returns credits to its switch.
            switch_to_switch: Links::new(shape.banks(), into_switches, |b| {
                outputs(b).chain(inputs(b)).filter_map(far).chain([b])
            }),
            switch_to_node: Links::new(shape.banks(), into_nodes, |b| inputs(b).filter_map(node)),
            node_to_switch: Links::new(shape.node_banks(), into_switches, |b| {
                nodes(b).map(|n| shape.bank(wiring.injection(NodeId(n)).0.0).0)
            }),
        }
    }
}

impl Aside {
    /// The next cycle, from `now` on, in which a flit that is watched arrives at a node or a token
    /// that is drawn moves.
    pub(super) fn next_event(&self, now: u64) -> Option<u64> {
        let moves = self.rings.is_drawn_moving().then_some(now);
        self.consumptions.iter().map(|c| c.at).chain(moves).min()
    }

    /// Forgets the flits on their last link and the rings that an observer was following. Otherwise
    /// the network would stay awake for an observer that has seen enough.
    pub(super) fn forget_drawn(&mut self) {
        self.consumptions.clear();
        self.rings.drawn.clear();
    }

    /// Wakes an instance in `cycle`, at any distance from now.
    pub(crate) fn wake_at(&mut self, cycle: u64, instance: Instance) {
        self.timers.push(Reverse((cycle, instance)));
    }
}

impl Aside {
    fn channel(shape: &BankedShape, to: Far) -> usize {
        to.instance() as usize * shape.node.consumption_lanes as usize + to.lane() as usize
    }

    /// A head is at a node in cycle `at`.
    pub(crate) fn head_arrives(&mut self, shape: &BankedShape, worms: &Worms, at: u64, to: Far, flit: Flit) {
        let worm_id = NonMaxU32::new(worms.id(flit.worm()).0);
        self.heads[Self::channel(shape, to)] = HeadAtNode { at, worm_id, index: flit.index() };
    }

    /// A tail is at a node in cycle `at`.
    pub(crate) fn tail_arrives(&mut self, shape: &BankedShape, worms: &mut Worms, at: u64, to: Far, flit: Flit) {
        let head = std::mem::take(&mut self.heads[Self::channel(shape, to)]);
        worms.arriving.push_back(Arriving {
            at,
            worm_id: worms.id(flit.worm()).0,
            node: to.instance(),
            worm: flit.worm(),
            head: head.at,
            flits: flit.index() - head.index + 1,
            channel: to.lane(),
        });
    }

    /// A flit is at a node in cycle `at`, for waveforms.
    pub(crate) fn flit_arrives(&mut self, worms: &Worms, at: u64, lane: u8, to: Far, flit: Flit) {
        let worm_id = worms.id(flit.worm()).0;
        self.consumptions.push(FlitToNode { at, node: to.instance(), channel: to.lane(), worm_id, flit, lane });
    }
}
