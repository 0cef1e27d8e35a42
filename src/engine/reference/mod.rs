//! The plain engine: one global tick evaluates every instance in every cycle, with the blocks of
//! `hw` unchanged.
//!
//! ```text
//!  deliver:  sinks of all nodes take flits
//!  tick:     eval of all injectors and switches, each from its own registers ─▶ clock edge of everything
//! ```
//!
//! It is made for reading and for comparisons. [`super::banked`] has equal registers in every cycle
//! and reports the same. Here no instance sleeps, and no value is kept twice.

mod controls;
pub(crate) mod instances;
mod ledger;
mod log;
mod registers;

use std::collections::BTreeMap;
use std::mem::take;
use std::ops::Range;

use wormscope_hw::header::Symbol;
use wormscope_hw::injector::Worm as Waiting;
use wormscope_hw::token_station::Event;
use wormscope_hw::{
    Encoding, Flit, LaneMask, NodeId, Replication, SwitchId, WormId, feedback, node, switch, token_ring,
};

use super::event::{CommitLog, Delivery, NewWorm, WormInfo};
use super::shape::Shape;
use super::stats::{CycleAccount, LaneStats, Totals};
use super::tables::Tables;
use instances::{NodeInstance, NodeOut, Ring, Stalls, SwitchInstance, Wire, covers};
use ledger::Ledger;
use wormscope_network::channel::Arbitrated;
use wormscope_network::routing::grouping::Group;
use wormscope_network::{Built, End, Lanes, Wiring};

/// A worm under way.
#[derive(Clone, Debug)]
struct LiveWorm {
    info: WormInfo,
    injected: Option<u64>,
    missing: usize,
    /// Feedback of its tree, and its input in this cycle.
    tree: feedback::Reg,
    told: feedback::In,
}

/// A network and its state.
#[derive(Clone, Debug)]
pub struct Reference {
    shape: Shape,
    now: u64,
    created: u32,
    worms: BTreeMap<u32, LiveWorm>,
    nodes: Vec<NodeInstance>,
    switches: Vec<SwitchInstance>,
    rings: Vec<Ring>,
    /// Outputs of nodes and switches in this cycle.
    node_outs: Vec<NodeOut>,
    switch_outs: Vec<switch::Out>,
    stalls: Stalls,
    /// Cycles in which arbiters put an input first.
    turns: Vec<(Range<u64>, Arbitrated, u8)>,
    ledger: Ledger,
    totals: Totals,
}

impl Reference {
    /// An empty network.
    #[must_use]
    pub fn new(built: &Built) -> Self {
        let shape = Shape::new(built, true);
        let rings = shape.token_ring.iter().flat_map(|ring| &ring.groups);
        let ring = |of: &Group| Ring { q: token_ring::Reg::RESET, stations: of.switches.clone(), to_come: of.to_come };
        let rings: Vec<Ring> = rings.map(ring).collect();
        let station = |s: u32| {
            let at = |ring: &Ring| ring.stations.iter().position(|switch| switch.0 == s);
            rings.iter().enumerate().find_map(|(r, ring)| Some((r, at(ring)? as u32)))
        };
        Self {
            switches: (0..shape.switches).map(|s| SwitchInstance::reset(&shape, s, station(s))).collect(),
            nodes: (0..shape.nodes).map(|n| NodeInstance::reset(&shape, NodeId(n))).collect(),
            switch_outs: vec![switch::Out::default(); shape.switches as usize],
            node_outs: vec![NodeOut::default(); shape.nodes as usize],
            now: 0,
            created: 0,
            worms: BTreeMap::new(),
            stalls: Stalls::default(),
            turns: Vec::new(),
            ledger: Ledger::new(&shape),
            totals: Totals::default(),
            rings,
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
        // The processor that is free first works on the send.
        let first_free = (1..node.processors.len())
            .fold(0, |first, p| if node.processors[p] < node.processors[first] { p } else { first });
        let ready = node.processors[first_free].max(info.created) + u64::from(self.shape.startup_cycles);
        node.processors[first_free] = ready;
        node.queue.push_back((self.created, ready));
        node.queued += 1;
        self.totals.worms_created += 1;
        let (tree, told) = (feedback::Reg::default(), feedback::In::default());
        let missing = info.destinations.len();
        self.worms.insert(self.created, LiveWorm { missing, info, injected: None, tree, told });
        self.created += 1;
    }

    /// Lets nodes take the flits that are there. Returns the worms that have arrived completely, in
    /// order of (worm, node).
    pub fn deliver(&mut self) -> Vec<(WormInfo, Delivery)> {
        let now = self.now;
        let mut deliveries = Vec::new();
        for ((n, node), out) in (0..).zip(&mut self.nodes).zip(&mut self.node_outs) {
            let stalled = covers(&self.stalls.nodes, &n, now);
            (out.taken, node.q) = node::consume(stalled, &node.freed, take(&mut node.q));
            node.freed.fill(0);
            for ((channel, head), flit) in (0..).zip(&mut node.heads).zip(&out.taken) {
                let Some(flit) = flit else { continue };
                self.totals.consumed_flits += 1;
                if flit.is_head() {
                    *head = (now, flit.index());
                }
                if flit.is_tail() {
                    let (head, first) = *head;
                    let (worm, flits) = (WormId(flit.worm()), flit.index() - first + 1);
                    let destination = NodeId(n);
                    deliveries.push(Delivery { worm, destination, injected: head, head, tail: now, flits, channel });
                }
            }
        }
        deliveries.sort_by_key(|delivery| (delivery.worm, delivery.destination));
        let told = deliveries.into_iter().filter_map(|delivery| {
            let worm = self.worms.get_mut(&delivery.worm.0)?;
            worm.missing -= 1;
            let told = (worm.info.clone(), Delivery { injected: worm.injected.unwrap_or(delivery.head), ..delivery });
            if worm.missing == 0 {
                self.totals.worms_done += 1;
                self.worms.remove(&delivery.worm.0);
            }
            Some(told)
        });
        told.collect()
    }

    /// Evaluates one cycle of all instances, after [`Reference::deliver`]. For an observer it logs
    /// the committed changes.
    pub fn tick(&mut self, mut log: Option<&mut CommitLog>) {
        if let Some(log) = &mut log {
            **log = CommitLog { cycle: self.now, ..CommitLog::default() };
        }
        self.take_turns();
        (0..self.shape.nodes).for_each(|n| self.inject(n));
        for s in 0..self.shape.switches {
            self.switch(s, log.as_deref_mut());
        }
        if let Some(log) = log {
            self.log_others(log);
        }
        self.turn_rings();
        self.feed_back();
        self.clock_edge();
        self.now += 1;
    }

    /// Evaluates the injectors of a node. Worms whose start-up is over wait for a channel.
    fn inject(&mut self, n: u32) {
        let (now, node) = (self.now, &mut self.nodes[n as usize]);
        let stalled = |&c: &u8| covers(&self.stalls.injections, &(n, c), now);
        let stalled: LaneMask = (0..self.shape.node.injection_lanes).filter(stalled).collect();
        let ready = node.queue.iter().take_while(|(_, ready)| *ready <= now);
        let waiting = ready.map(|&(id, _)| {
            let WormInfo { encoding, header_flits, payload_flits, .. } = self.worms[&id].info;
            Waiting { id, enc: encoding, header: header_flits, length: header_flits + payload_flits }
        });
        let (begun, sent, q) = node::inject(self.shape.node.link_lanes, waiting, stalled, take(&mut node.q));
        node.q = q;
        node.queue.drain(..begun);
        let mut with_header = |flit: Flit| {
            self.totals.injected_flits += 1;
            node.queued -= u32::from(flit.is_tail());
            let worm = self.worms.get_mut(&flit.worm()).filter(|_| flit.is_head());
            let header = worm.map(|worm| {
                worm.injected = Some(now);
                worm.tree = feedback::Reg::injected(now as u32);
                self.shape.header(&worm.info)
            });
            Symbol { flit, header }
        };
        self.node_outs[n as usize].sent = sent.into_iter().map(|flit| flit.map(&mut with_header)).collect();
    }

    /// Evaluates a switch.
    fn switch(&mut self, s: u32, log: Option<&mut CommitLog>) {
        let at = &mut self.switches[s as usize];
        let ring = at.station.map(|(ring, place)| (&self.rings[ring], place));
        let is_here = ring.is_some_and(|(ring, place)| ring.q.is_at(place));
        let to_come = ring.map_or(0, |(ring, _)| ring.to_come);
        let stalled = self.stalls.outputs.iter().filter(|((at, _), cycles)| *at == s && cycles.contains(&self.now));
        let synchronous = self.shape.switch.replication == Replication::Synchronous;
        let inputs = at.q.inputs.iter().filter(|_| synchronous);
        let heads = inputs.map(|input| {
            let front = || input.fifo.front().map(|symbol| symbol.flit.worm());
            let worm = input.decoder.service().map(|of| of.worm).or_else(front);
            worm.and_then(|id| self.worms.get(&id)).map_or(feedback::Head::default(), |worm| worm.tree.head())
        });
        let heads: Vec<_> = heads.collect();
        let pins = switch::In {
            heads: &heads,
            now: self.now as u32,
            stalled: stalled.map(|((_, lane), _)| *lane).collect(),
            token_is_here: is_here && !covers(&self.stalls.stations, &s, self.now),
            token_bounds: Encoding::ALL.map(|enc| self.shape.token_bound(to_come, enc)),
        };
        self.totals.evaluations += 1;
        let before = log.is_some().then(|| at.q.clone());
        self.ledger.before(&at.q);
        let (out, q) = switch::eval(&self.shape.switch, &Tables(&self.shape, s), pins, take(&mut at.q));
        self.ledger.behind(&self.shape, s, &pins, &q, &out);
        (at.q, self.switch_outs[s as usize]) = (q, out);
        if let (Some(log), Some(before)) = (log, before) {
            self.log_switch(s, &before, log);
        }
    }

    /// Moves the tokens, except those that a stall holds.
    fn turn_rings(&mut self) {
        let hop_cycles = self.shape.token_ring.as_ref().map_or(1, |ring| ring.hop_cycles);
        for ring in &mut self.rings {
            let events = || ring.stations.iter().flat_map(|switch| &self.switch_outs[switch.index()].token);
            let at = ring.stations[ring.q.station() as usize];
            let pins = token_ring::In {
                captured: events().any(|event| matches!(event, Event::Captured(_))),
                released: events().any(|event| matches!(event, Event::Released(_))),
                held_back: self.stalls.of_station(at, self.now),
            };
            let fixed = token_ring::Params { stations: ring.stations.len() as u32, hop_cycles };
            ring.q = token_ring::eval(fixed, pins, ring.q);
        }
    }

    /// Passes the messages of heads to the feedback of their synchronous worms, which tells heads
    /// when to go.
    fn feed_back(&mut self) {
        if self.shape.switch.replication != Replication::Synchronous {
            return;
        }
        for (s, event) in (0..).zip(&self.switch_outs).flat_map(|(s, out)| out.told.iter().map(move |of| (s, of))) {
            let (feedback::HeadEvent::Ready(id) | feedback::HeadEvent::Advanced(id, _)) = event;
            let Some(LiveWorm { told, .. }) = self.worms.get_mut(id) else { continue };
            match event {
                feedback::HeadEvent::Ready(_) => told.ready += 1,
                feedback::HeadEvent::Advanced(_, lanes) => {
                    let leads_on = |lane: &u8| matches!(self.shape.output(s, *lane), Some((End::Switch(..), _)));
                    told.branches += u32::from(lanes.count());
                    told.onward += lanes.iter().filter(leads_on).count() as u32;
                }
            }
        }
        for worm in self.worms.values_mut().filter(|worm| worm.injected.is_some()) {
            let told = feedback::In { now: self.now as u32, ..take(&mut worm.told) };
            worm.tree = feedback::eval(told, worm.tree);
        }
    }

    /// The clock edge of all instances: values on the links move on, and arrivals enter registers.
    fn clock_edge(&mut self) {
        let Self { now, nodes, switches, node_outs, switch_outs, .. } = self;
        let flit = |from, lane: u8| match from {
            End::Switch(s, _) => {
                let crossing = switch_outs[s.index()].sent.iter().find(|crossing| crossing.lane == lane);
                crossing.map(|crossing| crossing.symbol.clone())
            }
            End::Node(node) => node_outs[node.index()].sent[usize::from(lane)].clone(),
        };
        let credits = |from, lane: u8| match from {
            End::Switch(s, _) => switch_outs[s.index()].freed.iter().find(|of| of.0 == lane).map(|of| of.1),
            End::Node(node) => node_outs[node.index()].taken[usize::from(lane)].map(|_| 1),
        };
        for (at, out) in switches.iter_mut().zip(switch_outs.iter()) {
            let pushed = at.flits.iter_mut().map(|wire| wire.as_mut()?.step(*now, flit));
            let step = |wire: &mut Option<Wire<u16>>| wire.as_mut()?.step(*now, credits);
            let returned = at.credits.iter_mut().map(|wire| step(wire).unwrap_or(0));
            at.q = switch::clock_edge(pushed, returned, out, take(&mut at.q));
        }
        for (at, out) in nodes.iter_mut().zip(node_outs.iter()) {
            let pushed = at.flits.iter_mut().map(|wire| wire.step(*now, flit));
            let returned = at.credits.iter_mut().map(|wire| wire.step(*now, credits).unwrap_or(0));
            at.q = node::clock_edge(pushed, returned, (&out.taken, &out.sent), take(&mut at.q));
        }
    }

    /// The network as wired.
    #[must_use]
    pub fn wiring(&self) -> &Wiring {
        &self.shape.wiring
    }

    /// The numbers of its lanes.
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        self.shape.lanes
    }

    /// The account of cycles.
    #[must_use]
    pub fn account(&self) -> CycleAccount {
        self.ledger.account
    }

    /// Counters of the run.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals { cycles: self.now, flit_hops: self.ledger.account.moving, ..self.totals }
    }

    /// Counters of every connected output lane. The time of a lane that is held counts up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let lanes = (0..self.shape.switches).flat_map(|s| (0..self.shape.lanes.outputs.count()).map(move |o| (s, o)));
        let connected = lanes.filter(|&(s, o)| self.shape.output(s, o).is_some());
        connected.map(|(s, o)| self.ledger.lane(SwitchId(s), o, self.shape.lanes.outputs.count()))
    }
}
