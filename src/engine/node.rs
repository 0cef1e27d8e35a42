//! Bank of the nodes: source queues, start-ups and injection channels.

use wormscope_hw::injector::{self, Reg};
use wormscope_hw::link::Far;
use wormscope_hw::{Encoding, NodeId, bits, lane_group, link};

use super::event::WormInfo;
use super::fabric::{Aside, Fabric, Instance};
use super::shape::Shape;
use super::worms::{NO_WORM, Worms};

/// Registers of one node; its queue is a list through the worms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    first: u32,
    last: u32,
    /// Worms created here whose tail has not left.
    queued: u32,
    /// Where its first injection channel leads; the others lead to the lanes behind that.
    to: Far,
}

/// All nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    queues: Vec<Node>,
    /// Cycles in which the processor is free for the next start-up, node-major: as many as it works on at a time.
    processors: Vec<u64>,
    /// Injection channels, node-major.
    channels: Vec<Reg>,
}

impl Nodes {
    pub fn new(shape: &Shape) -> Self {
        let node = |n| {
            let (switch, port) = shape.wiring.injection(NodeId(n));
            let to = shape.at(switch, shape.lanes.inputs.first(port.0));
            Node { first: NO_WORM, last: NO_WORM, queued: 0, to }
        };
        let queues = (0..shape.nodes).map(node).collect();
        let channels =
            vec![Reg::idle(shape.params.fifo_depth); shape.nodes as usize * shape.injection_channels as usize];
        let processors = vec![0; shape.nodes as usize * shape.startups as usize];
        Self { queues, processors, channels }
    }

    /// A worm joins its source's queue, behind its start-up. All start-ups are of one length, so that worms are ready in the order
    /// of their creation.
    pub fn queue(&mut self, shape: &Shape, fabric: &mut Fabric, worms: &mut Worms, now: u64, info: WormInfo) {
        let n = info.source.0;
        let node = &mut self.queues[n as usize];
        let per = shape.startups as usize;
        let processors = &mut self.processors[n as usize * per..][..per];
        let first_free = (1..per).fold(0, |first, p| if processors[p] < processors[first] { p } else { first });
        let ready = processors[first_free].max(info.created) + u64::from(shape.startup_cycles);
        processors[first_free] = ready;
        let worm = worms.create(info, ready);
        if node.first == NO_WORM {
            node.first = worm;
        } else {
            worms.get_mut(node.last).next = worm;
        }
        node.last = worm;
        node.queued += 1;
        if ready <= now {
            let (bank, first) = shape.channels.place(n);
            fabric.nodes.wake(shape.slot(now), bank, 1 << first);
        } else {
            fabric.aside.wake_at(ready, Instance::Node(n));
        }
    }

    /// Surplus credits of one cycle.
    pub fn refund(&mut self, shape: &Shape, node: u32, channel: u8, n: u16) {
        let q = &mut self.channels[node as usize * shape.injection_channels as usize + channel as usize];
        q.credits = link::refund(q.credits, n);
    }

    /// One cycle of one node, to whose channels `credits` return and of whose channels some are `stalled`; returns the channels through
    /// which a flit left. `inject_edge` is where the wires into switches begin that its flits leave through.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub fn eval(
        &mut self,
        shape: &Shape,
        fabric: &mut Fabric,
        worms: &mut Worms,
        now: u64,
        n: u32,
        credits: u64,
        stalled: u64,
        inject_edge: usize,
    ) -> u64 {
        let per = shape.injection_channels as usize;
        let channels = &mut self.channels[n as usize * per..][..per];
        let node = &mut self.queues[n as usize];
        for c in bits(credits) {
            channels[c].credits = link::refund(channels[c].credits, 1);
        }
        if node.first != NO_WORM {
            start(node, channels, worms, now);
        }
        let mut sent = 0;
        for (c, q) in channels.iter_mut().enumerate() {
            if stalled >> c & 1 != 0 {
                continue;
            }
            let (worm, write) = (q.worm, q.write);
            let (flit, d) = injector::eval(*q, shape.params.fifo_depth);
            *q = d;
            let Some(flit) = flit else { continue };
            sent |= 1 << c;
            let to = Far::switch(node.to.instance(), node.to.lane() + c as u8);
            let cell = shape.cell(to, write);
            fabric.slots[cell] = flit;
            if flit.is_head() {
                fabric.images[cell] = head(shape, &mut fabric.aside, worms, now, worm);
            }
            fabric.switches.rings[inject_edge + to.instance() as usize].flits |= 1 << to.lane();
            node.queued -= u32::from(flit.is_tail());
        }
        sent
    }

    /// Whether nothing is queued or under way at any node, and all credits are back.
    pub fn is_idle(&self, shape: &Shape) -> bool {
        self.queues.iter().all(|n| n.first == NO_WORM && n.queued == 0)
            && self.channels.iter().all(|c| c.is_idle() && c.credits == shape.params.fifo_depth)
    }

    /// Messages at a node, the ones under way included.
    pub fn queued(&self, node: u32) -> u32 {
        self.queues[node as usize].queued
    }

    /// Registers of an injection channel.
    pub fn channel(&self, shape: &Shape, node: u32, channel: u8) -> &Reg {
        &self.channels[node as usize * shape.injection_channels as usize + channel as usize]
    }
}

/// Worms whose start-up is over take the idle channels, those with credit first.
#[inline(always)]
fn start(node: &mut Node, channels: &mut [Reg], worms: &mut Worms, now: u64) {
    let select = |f: &dyn Fn(&Reg) -> bool| {
        channels.iter().enumerate().filter(|(_, q)| f(q)).fold(0u64, |mask, (c, _)| mask | 1 << c)
    };
    let mut idle = if channels.len() == 1 { u64::from(channels[0].is_idle()) } else { select(&Reg::is_idle) };
    while idle != 0 && node.first != NO_WORM {
        let slot = node.first;
        let worm = worms.get(slot);
        if worm.ready > now {
            return;
        }
        let with_credit = if channels.len() == 1 {
            idle
        } else {
            channels.iter().enumerate().filter(|(_, q)| q.credits > 0).fold(0u64, |mask, (c, _)| mask | 1 << c)
        };
        let c = lane_group::next_lane(idle, with_credit);
        idle &= !(1 << c);
        let q = &mut channels[c as usize];
        q.worm = slot;
        q.sent = 0;
        q.header = worm.info.header_flits;
        q.length = worm.info.header_flits + worm.info.payload_flits;
        q.enc = super::enc(worm.info.encoding);
        node.first = worm.next;
    }
}

/// The head leaves the node: its header.
fn head(shape: &Shape, aside: &mut Aside, worms: &mut Worms, now: u64, slot: u32) -> u32 {
    worms.in_network += 1;
    let worm = worms.get_mut(slot);
    worm.injected = Some(now);
    let destinations = worm.info.destinations.iter().map(|d| d.0);
    match super::enc(worm.info.encoding) {
        Encoding::Unicast => worm.info.destinations[0].0,
        Encoding::BitString => aside.headers.bit_string(shape.nodes, destinations),
        Encoding::Multidestination => aside.headers.addresses(destinations),
        Encoding::Multiport => aside.headers.masks(&shape.masks(&worm.info)),
    }
}
