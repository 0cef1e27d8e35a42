//! The plain engine: one global tick, every instance in every cycle, on the blocks of `hw` as they
//! stand.
//!
//! ```text
//!  tick:  nodes take flits ─▶ eval of every node and switch, each from its own registers ─▶ clock edge of everything
//! ```
//!
//! It is there to be read and to be compared with: [`super::banked`] has equal registers in every
//! cycle. Nothing sleeps and nothing is kept twice.

mod ledger;
mod registers;
mod rings;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use wormscope_hw::header::Symbol;
use wormscope_hw::{
    Acquisition, Encoding, Flit, NodeId, PortId, SwitchId, WormId, arbiter, decoder, injector, lane_group, link, sink,
    switch, token_ring,
};

use super::banked::probe::Place;
use super::banked::shape::Shape;
use super::event::{Delivery, NewWorm, WormInfo};
use super::stats::{CycleAccount, LaneStats, Totals};
use super::tables::{Tables, output};
use crate::network::routing::Routes;
use crate::network::{End, Network, Wiring};
use ledger::Ledger;

/// What is on the way to a register: it is there from cycle `at` on.
type Link<T> = VecDeque<(u64, T)>;

/// A node.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Worms that wait for a channel, with the cycles in which their start-ups are over.
    queue: VecDeque<(u32, u64)>,
    /// Worms created here whose tail has not left.
    queued: u32,
    /// Cycles in which the processors are free for the next start-up.
    processors: Vec<u64>,
    channels: Vec<Channel>,
    sinks: Vec<Sink>,
}

/// An injection channel.
#[derive(Clone, Debug)]
struct Channel {
    q: injector::Reg,
    credits: u16,
    returning: Link<u16>,
}

/// A consumption channel.
#[derive(Clone, Debug, Default)]
struct Sink {
    flits: Link<Flit>,
    /// Free flits of the receive buffer; `None` where it is never full.
    space: Option<u32>,
    /// The head that arrived last: cycle and index.
    head: (u64, u32),
    /// The output lane that feeds it.
    from: (u32, u8),
}

/// A switch with the links into its lanes.
#[derive(Clone, Debug)]
struct Switch {
    q: switch::Reg,
    /// On the way to each input lane.
    arriving: Vec<Link<Symbol>>,
    /// On the way back to each output lane.
    returning: Vec<Link<u16>>,
}

/// A token ring.
#[derive(Clone, Debug)]
struct Ring {
    stations: Vec<SwitchId>,
    to_come: u32,
    token: Place,
}

/// Cycles in which something stands still.
#[derive(Clone, Debug, Default)]
struct Stalls {
    outputs: Vec<((u32, u8), Range<u64>)>,
    injections: Vec<((u32, u8), Range<u64>)>,
    nodes: Vec<(u32, Range<u64>)>,
    stations: Vec<(u32, Range<u64>)>,
}

/// Whether one of some stalls covers a cycle.
fn covers<T: PartialEq>(stalls: &[(T, Range<u64>)], what: &T, now: u64) -> bool {
    stalls.iter().any(|(of, cycles)| of == what && cycles.contains(&now))
}

/// A worm under way.
#[derive(Clone, Debug)]
struct Worm {
    info: WormInfo,
    injected: Option<u64>,
    missing: usize,
}

/// A network and its state.
#[derive(Clone, Debug)]
pub struct Reference {
    shape: Shape,
    params: switch::Params,
    now: u64,
    created: u32,
    worms: BTreeMap<u32, Worm>,
    nodes: Vec<Node>,
    switches: Vec<Switch>,
    rings: Vec<Ring>,
    /// Ring and place in it of each switch's station.
    station_of: BTreeMap<u32, (usize, u32)>,
    stalls: Stalls,
    ledger: Ledger,
    totals: Totals,
}

/// What has arrived by cycle `now`.
fn arrived<T>(link: &mut Link<T>, now: u64) -> impl Iterator<Item = T> {
    let count = link.iter().take_while(|(at, _)| *at <= now).count();
    link.drain(..count).map(|(_, one)| one)
}

impl Reference {
    /// An empty network of a validated configuration.
    #[must_use]
    pub fn new(network: &Network, wiring: Wiring, routes: Routes) -> Self {
        let shape = Shape::new(network, wiring, routes, true);
        let p = &shape.params;
        let params = switch::Params {
            decoder: decoder::Params {
                part_flits: p.part_flits,
                routing_cycles: p.routing_cycles,
                overlapped: p.overlapped,
            },
            group_lanes: p.group_lanes,
            replication: p.replication,
            acquisition: if p.atomic { Acquisition::Atomic } else { Acquisition::Incremental },
            arbiter: p.arbiter,
            order: p.order[..p.in_lanes.into()].to_vec(),
            allocation_register: p.allocation_register,
        };
        let rings = shape.token_ring.iter().flat_map(|ring| &ring.groups);
        let rings = rings.map(|of| Ring { stations: of.switches.clone(), to_come: of.to_come, token: Place::At(0) });
        let rings: Vec<Ring> = rings.collect();
        let places = |(ring, of): (usize, &Ring)| {
            (0..).zip(of.stations.clone()).map(move |(at, switch)| (switch.0, (ring, at))).collect::<Vec<_>>()
        };
        let station_of: BTreeMap<u32, (usize, u32)> = rings.iter().enumerate().flat_map(places).collect();
        let switches = (0..shape.switches).map(|s| {
            let credits = |lane| match output(&shape, s, lane) {
                Some(End::Node(_)) => shape.consumption_depth,
                _ => p.fifo_depth,
            };
            let output = |lane| switch::Output {
                credits: credits(lane),
                arbiter: arbiter::Reg::reset(p.arbiter, p.in_lanes),
                ..switch::Output::default()
            };
            Switch {
                q: switch::Reg {
                    inputs: vec![switch::Input::default(); p.in_lanes.into()],
                    outputs: (0..p.out_lanes).map(output).collect(),
                    station: station_of.contains_key(&s).then_some(token_ring::Reg::IDLE),
                },
                arriving: vec![Link::new(); p.in_lanes.into()],
                returning: vec![Link::new(); p.out_lanes.into()],
            }
        });
        let channel = Channel { q: injector::Reg::IDLE, credits: p.fifo_depth, returning: Link::new() };
        let node = Node {
            processors: vec![0; shape.startups as usize],
            channels: vec![channel; shape.injection_channels.into()],
            sinks: vec![Sink::default(); shape.consumption_channels.into()],
            ..Node::default()
        };
        Self {
            switches: switches.collect(),
            nodes: vec![node; shape.nodes as usize],
            now: 0,
            created: 0,
            worms: BTreeMap::new(),
            stalls: Stalls::default(),
            ledger: Ledger::new(shape.switches as usize * usize::from(p.out_lanes)),
            totals: Totals::default(),
            params,
            rings,
            station_of,
            shape,
        }
    }

    /// The cycle that is evaluated next.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Creates a worm at its source, in the cycle that is evaluated next.
    pub fn create(&mut self, worm: &NewWorm, measured: bool) {
        let info = self.shape.info(WormId(self.created), worm, measured);
        let node = &mut self.nodes[worm.source.index()];
        // The processor that is free first works on it.
        let first_free = (1..node.processors.len())
            .fold(0, |first, p| if node.processors[p] < node.processors[first] { p } else { first });
        let ready = node.processors[first_free].max(info.created) + u64::from(self.shape.startup_cycles);
        node.processors[first_free] = ready;
        node.queue.push_back((self.created, ready));
        node.queued += 1;
        self.totals.worms_created += 1;
        self.worms.insert(self.created, Worm { missing: info.destinations.len(), info, injected: None });
        self.created += 1;
    }

    /// Nodes take the flits that are there; returns the worms that have wholly arrived, in order of
    /// (worm, node).
    pub fn deliver(&mut self) -> Vec<(WormInfo, Delivery)> {
        let (now, delays) = (self.now, self.shape.delays);
        let mut deliveries = Vec::new();
        for (n, node) in (0..).zip(&mut self.nodes) {
            let stalled = covers(&self.stalls.nodes, &n, now);
            for (channel, sink) in (0..).zip(&mut node.sinks) {
                let Some(&(at, flit)) = sink.flits.front() else { continue };
                if at > now || !sink::takes(stalled, flit.is_header(), sink.space.unwrap_or(u32::MAX)) {
                    continue;
                }
                sink.flits.pop_front();
                self.totals.consumed_flits += 1;
                sink.space = sink.space.map(|space| space - u32::from(!flit.is_header()));
                let credit = now + u64::from(delays.consume_credit - delays.consume);
                self.switches[sink.from.0 as usize].returning[usize::from(sink.from.1)].push_back((credit, 1));
                if flit.is_head() {
                    sink.head = (now, flit.index());
                }
                if flit.is_tail() {
                    let (head, first) = sink.head;
                    let flits = flit.index() - first + 1;
                    deliveries.push((
                        flit.worm(),
                        n,
                        Delivery {
                            worm: WormId(flit.worm()),
                            destination: NodeId(n),
                            injected: head,
                            head,
                            tail: now,
                            flits,
                            channel,
                        },
                    ));
                }
            }
        }
        deliveries.sort_by_key(|&(worm, node, _)| (worm, node));
        let told = deliveries.into_iter().filter_map(|(id, _, delivery)| {
            let worm = self.worms.get_mut(&id)?;
            worm.missing -= 1;
            let told = (worm.info.clone(), Delivery { injected: worm.injected.unwrap_or(delivery.head), ..delivery });
            if worm.missing == 0 {
                self.totals.worms_done += 1;
                self.worms.remove(&id);
            }
            Some(told)
        });
        told.collect()
    }

    /// One cycle of everything, behind [`Reference::deliver`].
    pub fn tick(&mut self) {
        let now = self.now;
        (0..self.nodes.len() as u32).for_each(|n| self.inject(n));
        let mut events = Vec::new();
        for s in 0..self.switches.len() as u32 {
            let out = self.switch(s);
            out.sent.into_iter().for_each(|of| self.send(s, of.lane, of.symbol));
            out.freed.into_iter().for_each(|(lane, slots)| self.free(s, lane, slots));
            events.extend(out.token.into_iter().map(|event| (s, event)));
        }
        self.turn_rings(&events);
        // The clock edge.
        self.now += 1;
        for at in &mut self.switches {
            let links = (0..).zip(&mut at.arriving);
            let pushed = links.flat_map(|(lane, link)| arrived(link, now + 1).map(move |symbol| (lane, symbol)));
            let links = (0..).zip(&mut at.returning);
            let credits = links.flat_map(|(lane, link)| arrived(link, now + 1).map(move |n| (lane, n)));
            switch::clock_edge(&mut at.q, pushed, credits);
        }
        for channel in self.nodes.iter_mut().flat_map(|node| &mut node.channels) {
            channel.credits = arrived(&mut channel.returning, now + 1).fold(channel.credits, link::refund);
        }
    }

    /// Worms whose start-up is over take idle channels; every channel sends a flit.
    fn inject(&mut self, n: u32) {
        let (now, shape) = (self.now, &self.shape);
        let node = &mut self.nodes[n as usize];
        let mask = |is: &dyn Fn(&Channel) -> bool| {
            node.channels.iter().zip(0..).fold(0_u64, |mask, (channel, c)| mask | u64::from(is(channel)) << c)
        };
        let (mut idle, able) = (mask(&|channel| channel.q.is_idle()), mask(&|channel| channel.credits > 0));
        while idle != 0
            && let Some(&(id, _)) = node.queue.front().filter(|(_, ready)| *ready <= now)
        {
            node.queue.pop_front();
            let lane = lane_group::next_lane(idle, able);
            idle &= !(1 << lane);
            let info = &self.worms[&id].info;
            let length = info.header_flits + info.payload_flits;
            node.channels[usize::from(lane)].q = injector::Reg::start(id, info.encoding, info.header_flits, length);
        }
        let (to, port) = shape.wiring.injection(NodeId(n));
        for (c, channel) in (0..).zip(&mut node.channels) {
            if channel.q.is_idle() || channel.credits == 0 || covers(&self.stalls.injections, &(n, c), now) {
                continue;
            }
            let (flit, next) = injector::eval(channel.q);
            self.totals.injected_flits += 1;
            channel.q = next;
            channel.credits -= 1;
            let mut header = None;
            if flit.is_head()
                && let Some(worm) = self.worms.get_mut(&flit.worm())
            {
                worm.injected = Some(now);
                header = Some(shape.header(&worm.info));
            }
            node.queued -= u32::from(flit.is_tail());
            let lane = shape.lanes.inputs.first(port.0) + c;
            let at = now + u64::from(shape.delays.inject);
            self.switches[to.index()].arriving[usize::from(lane)].push_back((at, Symbol { flit, header }));
        }
    }

    /// Evaluates a switch.
    fn switch(&mut self, s: u32) -> switch::Out {
        let ring = self.station_of.get(&s).map(|&(ring, at)| (&self.rings[ring], at));
        let is_here = ring.is_some_and(|(ring, at)| ring.token == Place::At(at));
        let to_come = ring.map_or(0, |(ring, _)| ring.to_come);
        let stalled = self.stalls.outputs.iter().filter(|((at, _), cycles)| *at == s && cycles.contains(&self.now));
        let pins = switch::In {
            now: self.now as u32,
            stalled: stalled.fold(0, |lanes, ((_, lane), _)| lanes | 1 << lane),
            token_is_here: is_here && !covers(&self.stalls.stations, &s, self.now),
            token_bounds: Encoding::ALL.map(|enc| self.shape.token_bound(to_come, enc)),
        };
        self.totals.evaluations += 1;
        let at = &mut self.switches[s as usize];
        let is_used = self.ledger.before(&at.q);
        let (out, next) = switch::eval(&self.params, &Tables(&self.shape, s), pins, std::mem::take(&mut at.q));
        at.q = next;
        if is_used {
            let to_node = |lane| matches!(output(&self.shape, s, lane), Some(End::Node(_)));
            self.ledger.behind(s, (&self.params, &pins), &at.q, &out, to_node);
        }
        out
    }

    /// A flit leaves a switch.
    fn send(&mut self, s: u32, lane: u8, symbol: Symbol) {
        let shape = &self.shape;
        let within = shape.lanes.outputs.within(lane);
        match output(shape, s, lane) {
            Some(End::Switch(far, port)) => {
                let lane = shape.lanes.inputs.first(port.0) + within;
                let at = self.now + u64::from(shape.delays.flit);
                self.switches[far.index()].arriving[usize::from(lane)].push_back((at, symbol));
            }
            Some(End::Node(node)) => {
                let sink = &mut self.nodes[node.index()].sinks[usize::from(within)];
                sink.from = (s, lane);
                sink.flits.push_back((self.now + u64::from(shape.delays.consume), symbol.flit));
            }
            None => {}
        }
    }

    /// Slots of an input's FIFO are free: credits for the sender.
    fn free(&mut self, s: u32, lane: u8, slots: u16) {
        let shape = &self.shape;
        let (port, within) = (shape.lanes.inputs.port(lane), shape.lanes.inputs.within(lane));
        match shape.wiring.input(SwitchId(s), PortId(port)) {
            Some(End::Switch(far, port)) => {
                let lane = shape.lanes.outputs.first(port.0) + within;
                let at = self.now + u64::from(shape.delays.credit);
                self.switches[far.index()].returning[usize::from(lane)].push_back((at, slots));
            }
            Some(End::Node(node)) => {
                let at = self.now + u64::from(shape.delays.inject_credit);
                self.nodes[node.index()].channels[usize::from(within)].returning.push_back((at, slots));
            }
            None => {}
        }
    }

    /// Where cycles went.
    #[must_use]
    pub fn account(&self) -> CycleAccount {
        self.ledger.account
    }

    /// Counters of the run.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals { cycles: self.now, flit_hops: self.ledger.account.moving, ..self.totals }
    }

    /// Counters of every connected output lane; a lane that is held counts as held up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let count = self.shape.params.out_lanes;
        let lanes = (0..self.shape.switches).flat_map(move |s| (0..count).map(move |lane| (s, lane)));
        let connected = lanes.filter(|&(s, lane)| output(&self.shape, s, lane).is_some());
        connected.map(move |(s, lane)| self.ledger.lane(SwitchId(s), lane, count))
    }

    /// Bounds the receive buffer behind every consumption channel to so many payload flits.
    pub fn bound_receive_buffers(&mut self, flits: u32) {
        self.nodes.iter_mut().flat_map(|node| &mut node.sinks).for_each(|sink| sink.space = Some(flits));
    }

    /// So many payload flits leave the buffer behind a channel.
    pub(crate) fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        let space = &mut self.nodes[node.index()].sinks[usize::from(channel)].space;
        *space = space.map(|space| space.saturating_add(flits));
    }

    /// Lets no flit cross an output lane in some cycles.
    pub fn stall_output(&mut self, switch: SwitchId, lane: u8, cycles: Range<u64>) {
        self.stalls.outputs.push(((switch.0, lane), cycles));
    }

    /// Lets no flit leave a node through an injection channel in some cycles.
    pub fn stall_injection(&mut self, node: NodeId, channel: u8, cycles: Range<u64>) {
        self.stalls.injections.push(((node.0, channel), cycles));
    }

    /// Lets a node take no flit in some cycles.
    pub fn stall_node(&mut self, node: NodeId, cycles: Range<u64>) {
        self.stalls.nodes.push((node.0, cycles));
    }

    /// Holds a token that is at the station of a switch in some cycles; one that is released there
    /// leaves behind them.
    pub fn stall_station(&mut self, switch: SwitchId, cycles: Range<u64>) {
        self.stalls.stations.push((switch.0, cycles));
    }
}
