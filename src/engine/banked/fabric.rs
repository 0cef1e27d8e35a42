//! Storage between the instances: FIFO slots, wires with their delays, wake lists; and the wires of
//! one switch as it is evaluated.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::address::{Far, Line};
use super::switch::{self, Arrivals, InLane, LANES, OutLane, Pins};
use wormscope_hw::header;
use wormscope_hw::token_ring::{self, Event};
use wormscope_hw::{Encoding, Flit, NodeId, PortId, SwitchId, bits};

use crate::network::End;

use super::header_store::HeaderStore;
use super::rings::Rings;
use super::shape::Shape;
use super::sinks::Sinks;
use super::wires::{Links, Signal, Wires};
use super::worms::{Arriving, Worms};
use crate::engine::event::{NONE, payload_word};
use crate::engine::tables::Tables;

impl Signal for Arrivals {
    #[inline(always)]
    fn live(self) -> u64 {
        self.flits | self.credits
    }
}

impl Signal for u64 {
    #[inline(always)]
    fn live(self) -> u64 {
        self
    }
}

/// A flit on its last link, kept for waveforms only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Consumption {
    pub at: u64,
    pub node: u32,
    pub channel: u8,
    pub worm_id: u32,
    pub flit: Flit,
}

/// A worm's head at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeadAtNode {
    /// Cycle in which it arrives.
    pub at: u64,
    /// Number of the worm.
    pub worm_id: u32,
    /// Index of the flit, the stripped ones before it counted.
    pub index: u32,
}

impl Default for HeadAtNode {
    fn default() -> Self {
        Self { at: 0, worm_id: NONE, index: 0 }
    }
}

/// An instance that a timer wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Instance {
    Switch(u32),
    Node(u32),
    /// The switch of a station: the token is there.
    Station(u32),
}

/// What lies between the instances.
#[derive(Clone, Debug)]
pub(super) struct Fabric {
    /// FIFO cells of all input lanes, `fifo_depth` each.
    pub slots: Vec<Flit>,
    /// Headers beside the head flits, one entry a slot: the next head may be written in the cycle
    /// in which this one is decoded.
    pub images: Vec<u32>,
    /// Wires into banks of switches.
    pub switches: Wires<Arrivals>,
    /// Wires into banks of nodes: credits, one bit an injection channel.
    pub nodes: Wires<u64>,
    pub links: PageLinks,
    pub aside: Aside,
}

/// Who may send to whom.
#[derive(Clone, Debug)]
pub(super) struct PageLinks {
    pub switch_to_switch: Links,
    pub switch_to_node: Links,
    pub node_to_switch: Links,
}

/// What few flits need.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    /// More credits than one a lane and cycle (an address of several flits was stripped): cycle,
    /// far end, how many.
    pub extra_credits: Vec<(u64, Far, u16)>,
    /// Deadlines in registers (routing decisions, start-ups), soonest first.
    pub timers: BinaryHeap<Reverse<(u64, Instance)>>,
    pub headers: HeaderStore,
    pub rings: Rings,
    /// Of each consumption channel the head of the worm that is passing.
    pub heads: Vec<HeadAtNode>,
    /// Flits on their last link; only filled while somebody watches.
    pub consumptions: Vec<Consumption>,
    /// Where nodes do not take every flit at once.
    pub sinks: Option<Box<Sinks>>,
    /// What crossed the switch under evaluation, and the data; only filled while somebody watches.
    pub crossings: Vec<Crossing>,
    pub words: Vec<u64>,
}

/// A flit that crosses an output lane, kept for waveforms only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crossing {
    pub lane: u8,
    pub flit: Flit,
    /// Where its data stands in [`Aside::words`].
    pub words: u32,
}

impl Fabric {
    pub fn new(shape: &Shape) -> Self {
        let (s, n) = (shape.banks() as usize, shape.node_banks() as usize);
        let (switches, nodes) = (Wires::new(shape.slots, s), Wires::new(shape.slots, n));
        // The bank that nobody looks at has cells, too.
        let cells = (Wires::<Arrivals>::nobody(s) + 1) * LANES * shape.params.fifo_depth as usize;
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
                heads: vec![HeadAtNode::default(); shape.nodes as usize * shape.consumption_channels as usize],
                consumptions: Vec::new(),
                sinks: None,
                crossings: Vec::new(),
                words: Vec::new(),
            },
        }
    }
}

impl PageLinks {
    fn new(shape: &Shape, into_switches: &Wires<Arrivals>, into_nodes: &Wires<u64>) -> Self {
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
            // Flits go out, credits back to where flits come from; a node returns credits to the
            // switch in front of it.
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
    /// Wakes an instance in `cycle`, however far away.
    pub(crate) fn wake_at(&mut self, cycle: u64, instance: Instance) {
        self.timers.push(Reverse((cycle, instance)));
    }
}

/// The wires of one bank of switches in one cycle, borrowed for all banks in turn.
pub(super) struct SwitchPins<'a, const WATCHED: bool> {
    pub shape: &'a Shape,
    pub now: u64,
    pub bank: u32,
    /// First FIFO cell of the bank.
    pub cell: usize,
    /// Cells and headers of all FIFOs.
    pub slots: &'a mut [Flit],
    pub images: &'a mut [u32],
    /// Wires into all switches, and where those begin that flits and credits leave through in this
    /// cycle.
    pub wires: &'a mut [Arrivals],
    pub flit_edge: usize,
    pub credit_edge: usize,
    pub consume_edge: usize,
    /// The same for nodes.
    pub node_wires: &'a mut [u64],
    pub node_edge: usize,
    pub aside: &'a mut Aside,
    pub worms: &'a mut Worms,
}

impl Aside {
    fn channel(shape: &Shape, to: Far) -> usize {
        to.instance() as usize * shape.consumption_channels as usize + to.lane() as usize
    }

    /// A head is at a node in cycle `at`.
    pub(crate) fn head_arrives(&mut self, shape: &Shape, worms: &Worms, at: u64, to: Far, flit: Flit) {
        let worm_id = worms.get(flit.worm()).info.id.0;
        self.heads[Self::channel(shape, to)] = HeadAtNode { at, worm_id, index: flit.index() };
    }

    /// A tail is at a node in cycle `at`.
    pub(crate) fn tail_arrives(&mut self, shape: &Shape, worms: &mut Worms, at: u64, to: Far, flit: Flit) {
        let head = std::mem::take(&mut self.heads[Self::channel(shape, to)]);
        worms.arriving.push_back(Arriving {
            at,
            worm_id: head.worm_id,
            node: to.instance(),
            worm: flit.worm(),
            head: head.at,
            flits: flit.index() - head.index + 1,
            channel: to.lane(),
        });
    }

    /// A flit is at a node in cycle `at`, for waveforms.
    pub(crate) fn flit_arrives(&mut self, worms: &Worms, at: u64, to: Far, flit: Flit) {
        let worm_id = worms.get(flit.worm()).info.id.0;
        self.consumptions.push(Consumption { at, node: to.instance(), channel: to.lane(), worm_id, flit });
    }
}

impl<'a, const WATCHED: bool> SwitchPins<'a, WATCHED> {
    /// The switch that a lane belongs to, and the lane's number there.
    #[inline(always)]
    fn switch_of(&self, lane: usize) -> (u32, u8) {
        self.shape.switch_of(self.bank, lane as u8)
    }

    /// What is fixed at the switch that a lane belongs to, and the lane's number there.
    fn tables(&self, lane: usize) -> (Tables<'a>, u8) {
        let (switch, lane) = self.switch_of(lane);
        (Tables(self.shape, switch), lane)
    }

    /// Cycle in which a flit that crosses now is at its node.
    fn at_node(&self) -> u64 {
        self.now + u64::from(self.shape.delays.consume)
    }

    /// The header that goes with a head through output `lane`.
    #[cold]
    fn image_of(&mut self, lane: usize, enc: Encoding, image: u32) -> u32 {
        let (tables, lane) = self.tables(lane);
        self.aside.headers.copy(image, enc.header().mask(&tables, lane))
    }
}

impl<const WATCHED: bool> SwitchPins<'_, WATCHED> {
    /// Keeps what crosses and its data, for waveforms.
    #[cold]
    fn watch(&mut self, lane: usize, flit: Flit, image: u32) {
        let at = self.aside.words.len() as u32;
        self.aside.crossings.push(Crossing { lane: lane as u8, flit, words: at });
        let shape = self.shape;
        let info = &self.worms.get(flit.worm()).info;
        let words = shape.flit_bits.div_ceil(64);
        let (header, (tables, at_switch)) = (flit.encoding().header(), self.tables(lane));
        let (part, mask) = (header.part_flits(&shape.layout), header.mask(&tables, at_switch));
        for w in 0..words {
            let word = if flit.is_header() {
                let unicast = [u64::from(image)];
                let left =
                    if flit.encoding() == Encoding::Unicast { &unicast } else { self.aside.headers.words(image) };
                // What is stripped is missing from the front.
                let behind = (info.header_flits - 1 - flit.index()) / part;
                let masked = |n: usize| {
                    let word = header.word(left, behind as usize, n);
                    mask.map_or(word, |mask| word & mask.get(n).copied().unwrap_or(0))
                };
                chunk(masked, flit.index() % part * shape.flit_bits + w * 64)
            } else {
                payload_word(info.id, flit.index(), w, shape.flit_bits)
            };
            let bits = (shape.flit_bits - w * 64).min(64);
            self.aside.words.push(word & u64::MAX >> (64 - bits));
        }
    }
}

/// 64 bits from bit `from` on.
fn chunk(word: impl Fn(usize) -> u64, from: u32) -> u64 {
    let (i, shift) = (from as usize / 64, from % 64);
    if shift == 0 { word(i) } else { word(i) >> shift | word(i + 1) << (64 - shift) }
}

/// The wires that every flit needs.
pub(super) struct SwitchWires<'a> {
    slots: &'a mut [Flit],
    wires: &'a mut [Arrivals],
    /// First FIFO cell of the bank.
    cell: usize,
    depth: usize,
    flit_edge: usize,
    credit_edge: usize,
}

impl switch::Wires for SwitchWires<'_> {
    #[inline(always)]
    fn flit(&self, lane: usize, slot: u16) -> Flit {
        self.slots[self.cell + lane * self.depth + slot as usize]
    }

    #[inline(always)]
    fn send(&mut self, to: Line, write: u16, flit: Flit) {
        self.slots[to.number() * self.depth + write as usize] = flit;
        self.wires[self.flit_edge + to.bank()].flits |= to.bit();
    }

    #[inline(always)]
    fn credit(&mut self, to: Line) {
        self.wires[self.credit_edge + to.bank()].credits |= to.bit();
    }
}

impl<const WATCHED: bool> Pins for SwitchPins<'_, WATCHED> {
    const WATCHED: bool = WATCHED;

    type Wires<'b>
        = SwitchWires<'b>
    where
        Self: 'b;

    #[inline(always)]
    fn wires(&mut self) -> SwitchWires<'_> {
        let Self { slots, wires, cell, flit_edge, credit_edge, .. } = self;
        let depth = self.shape.params.fifo_depth.into();
        SwitchWires { slots, wires, cell: *cell, depth, flit_edge: *flit_edge, credit_edge: *credit_edge }
    }

    #[inline(always)]
    fn flit(&self, lane: usize, slot: u16) -> Flit {
        self.slots[self.cell + lane * self.shape.params.fifo_depth as usize + slot as usize]
    }

    #[inline(always)]
    fn image(&self, lane: usize, slot: u16) -> u32 {
        self.images[self.cell + lane * self.shape.params.fifo_depth as usize + slot as usize]
    }

    #[inline(always)]
    fn route(&self, lane: usize, destination: u32) -> u8 {
        let (switch, lane) = self.switch_of(lane);
        let port = self.shape.routes.port(SwitchId(switch), NodeId(destination));
        self.shape.group(switch, lane, port)
    }

    fn header(&mut self, lane: usize, enc: Encoding, image: u32, seen: header::In) -> header::Out {
        let (tables, _) = self.tables(lane);
        enc.header().eval(&tables, self.aside.headers.words_mut(image), seen)
    }

    fn branches(&mut self, lane: usize, enc: Encoding, image: u32, stripped: bool) -> u64 {
        let (tables, lane) = self.tables(lane);
        enc.header().branches(&tables, lane, self.aside.headers.words_mut(image), stripped)
    }

    fn age(&self, worm: u32) -> u32 {
        self.worms.get(worm).info.id.0
    }

    #[inline(always)]
    fn looks(&self) -> bool {
        WATCHED || self.shape.sinks
    }

    fn look(&mut self, lane: usize, to: Far, flit: Flit, image: u32) {
        if WATCHED {
            self.watch(lane, flit, image);
        }
        if !to.is_node() {
            return;
        }
        let at = self.at_node();
        if let Some(sinks) = &mut self.aside.sinks {
            sinks.push(at, self.bank, lane, to, flit);
        } else {
            self.aside.flit_arrives(self.worms, at, to, flit);
        }
    }

    #[inline(always)]
    fn head(&mut self, lane: usize, to: Far, write: u16, flit: Flit, image: u32) {
        if to.is_node() {
            if !self.shape.sinks {
                self.aside.head_arrives(self.shape, self.worms, self.at_node(), to, flit);
            }
            return;
        }
        let enc = flit.encoding();
        let image = if enc == Encoding::Unicast { image } else { self.image_of(lane, enc, image) };
        self.images[self.shape.cell(to.number(), write)] = image;
    }

    fn tail(&mut self, to: Far, flit: Flit) {
        if !self.shape.sinks {
            self.aside.tail_arrives(self.shape, self.worms, self.at_node(), to, flit);
        }
    }

    /// The node takes flits on arrival and returns the credits, unless they may have to wait there.
    #[inline(always)]
    fn consume(&mut self, lanes: u64) {
        if !self.shape.sinks {
            self.wires[self.consume_edge + self.bank as usize].credits |= lanes;
        }
    }

    #[inline(always)]
    fn credit(&mut self, to: Far, n: u16) {
        if to.is_node() {
            self.node_wires[self.node_edge + to.instance() as usize] |= 1 << to.lane();
        } else {
            self.wires[self.credit_edge + to.instance() as usize].credits |= 1 << to.lane();
        }
        if n > 1 {
            let delays = &self.shape.delays;
            let delay = if to.is_node() { delays.inject_credit } else { delays.credit };
            self.aside.extra_credits.push((self.now + u64::from(delay), to, n - 1));
        }
    }

    #[inline(always)]
    fn passed(&mut self, _lane: usize, enc: Encoding, image: u32) {
        if enc != Encoding::Unicast {
            self.aside.headers.free(image);
        }
    }

    #[inline(always)]
    fn released(&mut self, lane: usize, worm: u32, out: &mut OutLane, ins: &[InLane], asking: u64) {
        let now = self.now as u32;
        let held = now.wrapping_sub(out.granted_at) + 1;
        let longest = held > out.counters.top_held;
        if !longest && asking == 0 {
            return;
        }
        let worm = self.worms.get_mut(worm);
        if longest {
            (out.counters.top_held, out.counters.top_worm) = (held, worm.info.id.0);
        }
        for i in bits(asking) {
            let p = &self.shape.params;
            let wants = bits(ins[i].wanted).any(|g| p.group_lanes[g] << p.fields.first(lane) >> lane & 1 != 0);
            if wants {
                worm.blamed += u64::from(held.min(now.wrapping_sub(ins[i].due) + 1));
            }
        }
    }

    #[inline(always)]
    fn wake(&mut self, lane: usize, cycles: u32) {
        let (switch, _) = self.switch_of(lane);
        self.aside.wake_at(self.now + u64::from(cycles), Instance::Switch(switch));
    }

    fn station(&mut self, lane: usize) -> Option<&mut token_ring::Reg> {
        self.aside.rings.station_mut(self.switch_of(lane).0)
    }

    fn token_is_here(&self, lane: usize) -> bool {
        self.aside.rings.is_here(self.switch_of(lane).0, self.now)
    }

    fn token_bound(&self, lane: usize, enc: Encoding) -> u32 {
        self.shape.token_bound(self.aside.rings.to_come(self.switch_of(lane).0), enc)
    }

    fn token(&mut self, lane: usize, event: Event) {
        let switch = self.switch_of(lane).0;
        self.aside.rings.event(switch, event, self.now);
    }
}
