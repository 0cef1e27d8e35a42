//! Banks of registers, wake lists, the clock edge.
//!
//! One cycle: worms are created, tails arrive at their nodes, then every instance that is awake is evaluated. An instance whose
//! pins and registers did not change is not evaluated (`hw` is pure, so nothing would change); where nobody is awake time
//! jumps to the next deadline or message. The result does not depend on the order of evaluation: what an instance sends is
//! seen by its neighbours at least one cycle later.

mod commit;
pub mod event;
mod fabric;
mod header_store;
mod node;
pub mod probe;
mod run;
mod shape;
mod snapshot;
pub mod stats;
mod wires;
mod worms;

use std::marker::PhantomData;

use wormscope_hw::Flit;
use wormscope_hw::switch::{self, Account, Bank, InLane, OutLane};

use crate::config;
use crate::routing::Routes;
use crate::topology::Wiring;

use fabric::{Fabric, Instance, SwitchPins};
use node::Nodes;
use shape::Shape;
use worms::Worms;

pub use event::*;
pub use run::{Limits, Outcome, Stimulus};
pub use shape::address_bits;
pub use stats::*;

/// How instances are chosen and ordered. All schedules give the same registers in every cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Evaluate who is awake.
    #[default]
    Sleeping,
    /// Evaluate everybody in every cycle: the oracle.
    FullSweep,
    /// Evaluate who is awake, in an order shuffled anew every cycle.
    Shuffled(u64),
}

/// A network and its state.
#[derive(Clone, Debug)]
pub struct Engine {
    shape: Shape,
    regs: Vec<switch::Reg>,
    ins: Vec<InLane>,
    outs: Vec<OutLane>,
    nodes: Nodes,
    fabric: Fabric,
    worms: Worms,
    account: Account,
    totals: Totals,
    now: u64,
    schedule: Schedule,
    /// Instances under evaluation.
    awake_nodes: Vec<wires::Awake<u64>>,
    awake_switches: Vec<wires::Awake<fabric::Wire>>,
    log: CommitLog,
    sampler: commit::Sampler,
}

impl Engine {
    /// An empty network. The configuration is a validated one; `bit_strings` says whether bit-string worms will run.
    #[must_use]
    pub fn new(network: &config::Network, wiring: Wiring, routes: Routes, bit_strings: bool) -> Self {
        let shape = Shape::new(network, wiring, routes, bit_strings);
        let p = &shape.params;
        let switches = shape.switches as usize;
        let all = u64::MAX >> (64 - p.out_lanes);
        let regs = vec![switch::Reg { free: all, credit: all, ..Default::default() }; switches];
        Self {
            ins: shape.in_lanes(),
            outs: shape.out_lanes(),
            regs,
            nodes: Nodes::new(&shape),
            fabric: Fabric::new(&shape),
            worms: Worms::default(),
            account: Account::default(),
            totals: Totals::default(),
            now: 0,
            schedule: Schedule::default(),
            awake_nodes: Vec::new(),
            awake_switches: Vec::new(),
            log: CommitLog::default(),
            sampler: commit::Sampler::default(),
            shape,
        }
    }

    /// Chooses how instances are scheduled; before the first cycle.
    pub fn set_schedule(&mut self, schedule: Schedule) {
        self.schedule = schedule;
    }

    /// The cycle that is evaluated next.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Flits of a worm's header at injection.
    #[must_use]
    pub fn header_flits(&self, encoding: config::Encoding, destinations: usize) -> u32 {
        self.shape.header_flits(encoding, destinations)
    }

    /// Creates a worm at its source in the cycle that is evaluated next (or later, after a start-up).
    pub fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        let info = WormInfo {
            id: self.worms.next_id(),
            source: worm.source,
            destinations: worm.destinations.clone(),
            encoding: worm.encoding,
            header_flits: self.shape.header_flits(worm.encoding, worm.destinations.len()),
            payload_flits: worm.payload_flits,
            created: worm.cycle,
            measured,
        };
        if worm.encoding == config::Encoding::BitString {
            self.shape.find_reach();
        }
        observer.created(&info);
        self.totals.worms_created += 1;
        self.nodes.queue(&self.shape, &mut self.fabric, &mut self.worms, self.now, info);
    }

    /// Evaluates one cycle.
    pub fn cycle<O: Observer>(&mut self, observer: &mut O) {
        self.worms.deliver(self.now, |worm, delivery| {
            self.totals.consumed_flits += u64::from(delivery.flits);
            observer.delivered(worm, delivery);
        });
        self.deadlines();
        if self.schedule == Schedule::FullSweep {
            self.fabric.nodes.wake_all(self.fabric.nodes.edge(self.now));
            self.fabric.switches.wake_all(self.fabric.switches.edge(self.now));
        }
        self.evaluate_nodes::<O>();
        self.evaluate_switches::<O>();
        if O::COMMITS {
            self.commit(observer);
        }
        self.now += 1;
        self.totals.cycles = self.now;
    }

    /// Evaluates the nodes that are awake.
    fn evaluate_nodes<O: Observer>(&mut self) {
        let at = self.fabric.edges(&self.shape.delays, self.now);
        let (mut page, mut awake) = (0, std::mem::take(&mut self.awake_nodes));
        while let Some(next) = self.fabric.nodes.take(at.1.now, page, &mut awake) {
            page = next;
            if let Schedule::Shuffled(seed) = self.schedule {
                run::shuffle(&mut awake, seed ^ self.now);
            }
            for &(n, credits) in &awake {
                let sent = self.nodes.eval(&self.shape, &mut self.fabric, &mut self.worms, self.now, at, n, credits);
                self.totals.injected_flits += u64::from(sent.count_ones());
                if O::COMMITS {
                    self.sample_node(n, sent);
                }
            }
        }
        self.awake_nodes = awake;
    }

    /// Evaluates the switches that are awake.
    fn evaluate_switches<O: Observer>(&mut self) {
        let (at, at_node) = self.fabric.edges(&self.shape.delays, self.now);
        let (mut page, mut awake) = (0, std::mem::take(&mut self.awake_switches));
        let (per_in, per_out) = (self.shape.params.in_lanes as usize, self.shape.params.out_lanes as usize);
        while let Some(next) = self.fabric.switches.take(at.now, page, &mut awake) {
            page = next;
            if let Schedule::Shuffled(seed) = self.schedule {
                run::shuffle(&mut awake, seed ^ self.now);
            }
            for &(s, wire) in &awake {
                let p = &self.shape.params;
                let (ins, outs) = (s as usize * per_in, s as usize * per_out);
                let mut bank = Bank {
                    q: &mut self.regs[s as usize],
                    ins: &mut self.ins[ins..][..per_in],
                    outs: &mut self.outs[outs..][..per_out],
                };
                bank.arrivals(wire.flits, wire.credits);
                if O::COMMITS {
                    self.sampler.before(p, bank.q, bank.ins, bank.outs, |lane, at| {
                        self.fabric.slots[(ins + lane) * p.fifo_depth as usize + at as usize]
                    });
                }
                let mut pins = SwitchPins::<O> {
                    shape: &self.shape,
                    fabric: &mut self.fabric,
                    worms: &mut self.worms,
                    switch: s,
                    now: self.now,
                    at,
                    at_node,
                    ins,
                    observer: PhantomData,
                };
                let done = bank.eval(p, self.now as u32, &mut pins, &mut self.account);
                if done.changed {
                    self.fabric.switches.wake(at.next, s);
                }
                if O::COMMITS {
                    self.sample_switch(s, done);
                }
            }
            self.totals.evaluations += awake.len() as u64;
        }
        self.awake_switches = awake;
    }

    /// Timers and surplus credits of this cycle.
    fn deadlines(&mut self) {
        while let Some(&std::cmp::Reverse((at, instance))) = self.fabric.timers.peek()
            && at <= self.now
        {
            self.fabric.timers.pop();
            match instance {
                Instance::Switch(s) => self.fabric.switches.wake(self.fabric.switches.edge(self.now), s),
                Instance::Node(n) => self.fabric.nodes.wake(self.fabric.nodes.edge(self.now), n),
            }
        }
        if self.fabric.extra_credits.is_empty() {
            return;
        }
        let now = self.now;
        let (outs, per) = (&mut self.outs, self.shape.params.out_lanes as usize);
        self.fabric.extra_credits.retain(|&(at, to, n)| {
            if at == now {
                if to.is_node() {
                    self.nodes.refund(&self.shape, to.instance(), to.lane(), n);
                } else {
                    let credits = &mut outs[to.instance() as usize * per + to.lane() as usize].credits;
                    *credits = wormscope_hw::link::refund(*credits, n);
                }
            }
            at != now
        });
    }

    /// The next cycle in which something can happen without a new message; `None` when the network is silent.
    #[must_use]
    pub fn next_event(&self) -> Option<u64> {
        let (node, switch) = (self.fabric.nodes.next(self.now), self.fabric.switches.next(self.now));
        let timer = self.fabric.timers.peek().map(|t| t.0.0);
        let arrival = self.worms.arriving.front().map(|a| a.at);
        let consumption = commit::Sampler::next_event(&self.fabric);
        [node, switch, timer, arrival, consumption].into_iter().flatten().min()
    }

    /// Whether somebody is awake in the cycle that is evaluated next.
    fn is_awake(&self) -> bool {
        let (switches, nodes) = (&self.fabric.switches, &self.fabric.nodes);
        !switches.is_silent(switches.edge(self.now)) || !nodes.is_silent(nodes.edge(self.now))
    }

    /// Lets idle time pass up to `cycle`.
    pub fn skip_to(&mut self, cycle: u64) {
        self.now = cycle;
    }

    /// Evaluates cycles until nothing more happens without a new message: the last credits come home.
    pub fn settle<O: Observer>(&mut self, observer: &mut O) {
        while let Some(next) = self.next_event() {
            self.skip_to(next);
            self.cycle(observer);
        }
    }

    /// Worms created and not arrived everywhere.
    #[must_use]
    pub fn worms_alive(&self) -> u32 {
        self.worms.alive
    }

    /// Worms whose first flit has left its source and that have not arrived everywhere.
    #[must_use]
    pub fn worms_in_network(&self) -> u32 {
        self.worms.in_network
    }

    /// Measured worms that have not arrived everywhere.
    #[must_use]
    pub fn measured_alive(&self) -> u32 {
        self.worms.measured
    }
}

/// The `enc` side signal of an encoding.
pub(crate) fn enc(encoding: config::Encoding) -> wormscope_hw::Encoding {
    match encoding {
        config::Encoding::Unicast => wormscope_hw::Encoding::Unicast,
        config::Encoding::BitString => wormscope_hw::Encoding::BitString,
        config::Encoding::Multidestination => wormscope_hw::Encoding::Multidestination,
    }
}

/// Longest worm, in flits.
pub const MAX_WORM_FLITS: u32 = Flit::MAX_WORM_FLITS;
