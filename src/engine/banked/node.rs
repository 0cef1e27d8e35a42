//! Bank of the nodes: source queues, start-ups and injection lanes.

use super::address::{Far, Line};
use super::counter::SlicedCounters;
use super::switch::{Fields, LANES};
use nonmax::NonMaxU32;
use wormscope_hw::injector::{self, Reg};
use wormscope_hw::{Encoding, LaneMask, NodeId, bits, credit, feedback, fifo, lane_group, multiplexer};

use super::fabric::{Aside, Fabric, Instance};
use super::shape::BankedShape;
use super::worms::Worms;
use crate::event::WormInfo;

/// The queue of a node, a list through the worms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Queue {
    first: Option<NonMaxU32>,
    last: Option<NonMaxU32>,
    /// Worms created here whose tail has not left.
    length: u32,
}

/// An injection lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InjectionChannel {
    pub q: Reg,
    /// Slot of the router's FIFO the next flit goes to.
    write: u16,
    /// The router's FIFO.
    to: Line,
    /// Pointer of the link's multiplexer, at its lowest lane.
    mux: u8,
}

/// Registers of the injection channels of a bank of nodes, one bit a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bank {
    /// Channels with a worm under way.
    busy: u64,
    /// Channels of the nodes whose queue has a worm without a channel.
    queued: u64,
    /// Channels with credit.
    credit: u64,
    /// Credits of the channels.
    credits: SlicedCounters,
}

/// All nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    queues: Vec<Queue>,
    /// Cycles in which the processor is free for the next start-up, node-major: as many as it works
    /// on at a time.
    processors: Vec<u64>,
    banks: Vec<Bank>,
    /// Injection channels, bank by bank.
    channels: Vec<InjectionChannel>,
}

impl Nodes {
    pub fn new(shape: &BankedShape) -> Self {
        let fields = &shape.channels;
        let depth = shape.node.injection_depth;
        let mut credits = SlicedCounters::new(depth);
        (0..LANES).for_each(|lane| credits.set(lane, depth));
        let idle = |to| InjectionChannel { q: Reg::reset(), write: 0, to, mux: 0 };
        let channel = |bank: usize, lane: usize| {
            let (n, c) = fields.owner(bank as u32, lane as u8);
            if n >= shape.nodes {
                return idle(shape.line(Far::NOWHERE));
            }
            let (switch, port) = shape.wiring.injection(NodeId(n));
            let to = shape.at(switch, shape.lanes.inputs.first(port.0));
            idle(Line::new(to.instance(), to.lane() + c))
        };
        let banks = shape.node_banks() as usize;
        Self {
            queues: vec![Queue { first: None, last: None, length: 0 }; shape.nodes as usize],
            processors: vec![0; shape.nodes as usize * shape.startups as usize],
            banks: vec![Bank { busy: 0, queued: 0, credit: u64::MAX, credits }; banks],
            channels: (0..banks).flat_map(|bank| (0..LANES).map(move |lane| channel(bank, lane))).collect(),
        }
    }

    /// A worm joins the queue of its source after its start-up. All start-ups take the same time,
    /// so that worms are ready in the order of their creation.
    pub(crate) fn queue(
        &mut self,
        shape: &BankedShape,
        fabric: &mut Fabric,
        worms: &mut Worms,
        now: u64,
        info: WormInfo,
    ) {
        let n = info.source.0;
        let node = &mut self.queues[n as usize];
        let (bank, first) = shape.channels.place(n);
        let per = shape.startups as usize;
        let processors = &mut self.processors[n as usize * per..][..per];
        let first_free = (1..per).fold(0, |first, p| if processors[p] < processors[first] { p } else { first });
        let ready = processors[first_free].max(info.created) + u64::from(shape.startup_cycles);
        processors[first_free] = ready;
        let worm = NonMaxU32::new(worms.create(info, ready));
        match node.last {
            Some(last) if node.first.is_some() => worms.get_mut(last.get()).next = worm,
            _ => node.first = worm,
        }
        node.last = worm;
        node.length += 1;
        self.banks[bank as usize].queued |= shape.channels.field(first);
        fabric.nodes.wake(shape.slot(now), bank, 1 << first);
        if ready > now {
            fabric.aside.wake_at(ready, Instance::Node(n));
        }
    }

    /// Surplus credits of one cycle.
    pub(crate) fn refund(&mut self, bank: u32, lane: u8, n: u16) {
        let (credits, lane) = (&mut self.banks[bank as usize].credits, usize::from(lane));
        credits.set(lane, credit::refund(credits.get(lane), n));
    }

    /// One cycle of the nodes of a bank whose lanes are `live`, to which `credits` return and of
    /// which some are `stalled`. Returns the lanes through which a flit left, and all that had one
    /// to send. `inject_edge` is where the wires into switches begin that flits leave through.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn eval(
        &mut self,
        shape: &BankedShape,
        fabric: &mut Fabric,
        worms: &mut Worms,
        now: u64,
        bank: u32,
        live: u64,
        credits: u64,
        stalled: u64,
        inject_edge: usize,
    ) -> (u64, u64) {
        let q = &mut self.banks[bank as usize];
        q.credits.up(credits);
        q.credit |= credits;
        let fields = &shape.channels;
        for lane in bits(fields.any(live & q.queued & fields.whole(!q.busy & fields.all()))) {
            start(shape, &mut self.queues, q, &mut self.channels, worms, now, bank, fields.first(lane));
        }
        let offered = live & q.busy & q.credit & !stalled;
        let channels = &mut self.channels[bank as usize * LANES..][..LANES];
        let sent =
            if shape.node_channels > 1 { select(shape.node_channels, channels, fields, offered) } else { offered };
        let (slots, wires) = (&mut fabric.slots[..], &mut fabric.switches.rings[inject_edge..]);
        let (depth, mut heads, mut tails) = (shape.params.fifo_depth, 0u64, 0u64);
        for lane in bits(sent) {
            let channel = &mut channels[lane % LANES];
            let (flit, d) = injector::send(channel.q);
            slots[channel.to.number() * usize::from(depth) + usize::from(channel.write)] = flit;
            wires[channel.to.bank()].flits |= channel.to.bit();
            (channel.q, channel.write) = (d, fifo::advance(channel.write, depth));
            heads |= u64::from(flit.is_head()) << lane;
            tails |= u64::from(flit.is_tail()) << lane;
        }
        for lane in bits(heads) {
            let channel = &channels[lane];
            let cell = shape.cell(channel.to.number(), fifo::back(channel.write, depth));
            fabric.images[cell] = head(shape, &mut fabric.aside, worms, now, channel.q.next.worm());
        }
        q.credit = q.credit & !live | q.credits.down(sent) & live;
        q.busy &= !tails;
        for lane in bits(tails) {
            self.queues[fields.owner(bank, lane as u8).0 as usize].length -= 1;
        }
        (sent, offered)
    }

    /// Whether nothing is queued or under way at any node, and all credits are back.
    pub(crate) fn is_idle(&self, shape: &BankedShape) -> bool {
        let depth = shape.node.injection_depth;
        self.queues.iter().all(|q| q.length == 0)
            && self.banks.iter().all(|q| q.busy | q.queued == 0 && (0..LANES).all(|lane| q.credits.get(lane) == depth))
    }

    /// Messages at a node, the ones under way included.
    pub fn queued(&self, node: u32) -> u32 {
        self.queues[node as usize].length
    }

    /// Registers of an injection channel.
    pub fn channel(&self, bank: u32, lane: usize) -> &Reg {
        &self.channels[bank as usize * LANES + lane].q
    }

    /// Pointer of the multiplexer of the link of which this is the lowest lane.
    pub fn multiplexer(&self, bank: u32, lane: usize) -> u8 {
        self.channels[bank as usize * LANES + lane].mux
    }

    /// Credits of an injection channel.
    pub fn credits(&self, bank: u32, lane: usize) -> u16 {
        self.banks[bank as usize].credits.get(lane)
    }
}

/// For each link, one of the lanes that offer a flit. The `link_lanes` lanes of a link take turns.
#[inline(never)]
fn select(link_lanes: u8, channels: &mut [InjectionChannel], fields: &Fields, offered: u64) -> u64 {
    let (mut left, mut selected) = (offered, 0);
    while left != 0 {
        let lane = left.trailing_zeros() as u8;
        let (_, within) = fields.owner(0, lane);
        let first = lane - within % link_lanes;
        let mask = LaneMask::range(first, link_lanes).0;
        let mux = &mut channels[usize::from(first)].mux;
        let pins = multiplexer::In { candidates: (left & mask) >> first, lanes: link_lanes };
        let (winner, next) = multiplexer::eval(pins, multiplexer::Reg { pointer: *mux });
        *mux = next.pointer;
        selected |= 1 << (first + winner);
        left &= !mask;
    }
    selected
}

/// Worms whose start-up is over take the idle channels of their node, first the channels with
/// credit. Its channels begin at `first`.
#[allow(clippy::too_many_arguments)]
fn start(
    shape: &BankedShape,
    queues: &mut [Queue],
    q: &mut Bank,
    channels: &mut [InjectionChannel],
    worms: &Worms,
    now: u64,
    bank: u32,
    first: u8,
) {
    let field = shape.channels.field(first);
    let queue = &mut queues[shape.channels.owner(bank, first).0 as usize];
    while let Some(slot) = queue.first.filter(|_| field & !q.busy != 0) {
        let worm = worms.get(slot.get());
        if worm.ready > now {
            return;
        }
        let lane = lane_group::next_lane(LaneMask(field & !q.busy), LaneMask(q.credit), lane_group::Reg::default());
        let info = &worm.info;
        let channel = &mut channels[bank as usize * LANES + usize::from(lane)];
        channel.q = Reg::start(injector::Worm {
            id: slot.get(),
            enc: info.encoding,
            header: info.header_flits,
            length: info.header_flits + info.payload_flits,
        });
        q.busy |= 1 << lane;
        queue.first = worm.next;
    }
    if queue.first.is_none() {
        q.queued &= !field;
    }
}

/// The head leaves the node: its header.
fn head(shape: &BankedShape, aside: &mut Aside, worms: &mut Worms, now: u64, slot: u32) -> u32 {
    worms.in_network += 1;
    let worm = worms.get_mut(slot);
    worm.injected = Some(now);
    worm.tree = feedback::Reg::injected(now as u32);
    if worm.info.encoding == Encoding::Unicast {
        return worm.info.destinations[0].0;
    }
    aside.headers.put(shape.header(&worm.info))
}
