//! The engine that runs: banks of registers, wake lists, the clock edge.
//!
//! *Problem.* The plain engine ([`super::reference`]) evaluates every instance in every cycle. Most
//! of them have nothing to do in most cycles. To find the flits that move costs more than to move
//! them.
//!
//! *Mechanism.* Registers of a dozen mesh routers lie side by side in words (`switch::Bank`), and
//! so do the wires into them. A few operations on words find the flits that move in all of them,
//! and these flits cross in one loop. An instance whose pins and registers did not change is not
//! evaluated again until something arrives or a deadline is due (wake lists, timers). If no
//! instance is awake, time jumps to the next deadline or message. Registers are updated in place.
//!
//! *Why it is sound.* Blocks are pure: with equal pins and registers nothing would change. Lanes
//! share only decoders and arbiters, and these work on the field of one switch. Neighbours see the
//! outputs of an instance at least one cycle later. So neither the order of evaluation nor the
//! update in place shows. The decisions (arbiters, lane groups, replication, headers, tokens,
//! credits) are the leaf functions of `hw`. A test compares all registers with the registers of the
//! plain engine in every cycle.
//!
//! *Cost.* The wiring of a switch exists a second time, in `switch/`. A word holds 64 lanes, so
//! that no switch has more.

mod address;
pub mod arbitration;
mod banks;
mod commit;
mod controls;
mod counter;
mod fabric;
mod header_store;
mod node;
mod pins;
mod probe;
mod rings;
mod sampler;
pub(super) mod shape;
mod shuffle;
mod sinks;
mod snapshot;
mod stalls;
mod switch;
mod trees;
mod wires;
mod worms;

use std::cmp::Reverse;
use std::ops::Range;

use switch::{LANES, Pins as _};
use wormscope_hw::{WormId, bits};

use crate::event::{CommitLog, NewWorm, Observer, Samples};
use crate::stats::{CycleAccount, Totals};
use wormscope_network::Built;
use wormscope_network::channel::Arbitrated;

use banks::Banks;
use fabric::{Aside, Fabric, Instance};
use node::Nodes;
use pins::SwitchPins;
use sampler::Sampler;
use shape::BankedShape;
use stalls::Stalls;
use wires::{Awake, WireRings};
use worms::Worms;

pub use banks::bytes;
pub use counter::SlicedCounters;
pub(crate) use switch::Fields;

/// How instances are chosen and ordered. All schedules give the same registers in every cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Evaluate only awake instances.
    #[default]
    Sleeping,
    /// Evaluate all instances in every cycle: the oracle.
    FullSweep,
    /// Evaluate only awake instances, in a new random order in every cycle.
    Shuffled(u64),
}

/// A network and its state.
#[derive(Clone, Debug)]
pub struct Engine {
    shape: BankedShape,
    banks: Banks,
    nodes: Nodes,
    fabric: Fabric,
    worms: Worms,
    /// Stalls of links.
    stalls: Stalls,
    /// Cycles in which arbiters put an input first.
    turns: Vec<(Range<u64>, Arbitrated, u8)>,
    account: CycleAccount,
    totals: Totals,
    /// Evaluations in which an arbiter of lanes or a multiplexer had more than one request.
    contested: u64,
    now: u64,
    /// The slot of the wires of this cycle.
    slot: usize,
    /// At least one switch needs another evaluation.
    moving: bool,
    schedule: Schedule,
    /// Worms whose tail left its source in this cycle; filled only for an observer that asks for
    /// it.
    departed: Vec<u32>,
    log: CommitLog,
    sampler: Sampler,
}

impl Engine {
    /// An empty network. `bit_strings` says whether worms will run whose decoders look up which
    /// nodes a port leads to: bit-strings and masks.
    #[must_use]
    pub fn new(built: &Built, bit_strings: bool) -> Self {
        let shape = BankedShape::new(built, bit_strings);
        Self {
            banks: Banks::new(&shape),
            nodes: Nodes::new(&shape),
            fabric: Fabric::new(&shape),
            worms: Worms::default(),
            stalls: Stalls::default(),
            turns: Vec::new(),
            account: CycleAccount::default(),
            totals: Totals::default(),
            contested: 0,
            now: 0,
            slot: 0,
            moving: false,
            schedule: Schedule::default(),
            departed: Vec::new(),
            log: CommitLog::default(),
            sampler: Sampler::default(),
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

    /// Creates a worm at its source in the cycle that is evaluated next (or later, after a
    /// start-up).
    pub fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        let info = self.shape.info(self.worms.next_id(), worm, measured);
        if worm.encoding.header().looks_up_reach() {
            self.shape.find_reach();
        }
        observer.created(&info);
        self.totals.worms_created += 1;
        self.nodes.queue(&self.shape, &mut self.fabric, &mut self.worms, self.now, info);
    }

    /// Returns the worms that arrive in the next evaluated cycle, once. Without this call,
    /// [`Engine::cycle`] returns them.
    pub fn deliver<O: Observer>(&mut self, observer: &mut O) {
        self.take_flits(O::COMMITS);
        self.worms.deliver(self.now, |worm, delivery| observer.delivered(worm, delivery));
    }

    /// Evaluates one cycle.
    pub fn cycle<O: Observer>(&mut self, observer: &mut O) {
        self.deliver(observer);
        self.deadlines();
        self.moving = false;
        if self.schedule == Schedule::FullSweep {
            let shape = &self.shape;
            self.fabric.nodes.wake_all(self.slot, |bank| shape.channels.used(bank, shape.nodes));
            self.fabric.switches.wake_all(self.slot, |bank| shape.params.fields.used(bank, shape.switches));
        }
        let is_watched = O::COMMITS && observer.wants_commits();
        let samples = if is_watched { self.told(observer.samples()) } else { Samples::Nothing };
        self.sampler.samples = samples;
        self.fabric.aside.tells_banks = matches!(samples, Samples::Banks | Samples::Changes);
        match (samples, O::DEPARTURES) {
            (Samples::Nothing, false) => self.evaluate(),
            (Samples::Nothing, true) | (Samples::Banks | Samples::Changes, _) => self.evaluate_with_departures(),
            (Samples::Outputs | Samples::Lanes, _) => self.evaluate_watched(),
        }
        let Aside { rings, timers, trees, .. } = &mut self.fabric.aside;
        trees.clock_edge(self.now as u32, &mut self.worms);
        if is_watched {
            rings.draw(self.now, &mut self.log.tokens);
        }
        rings.clock_edge(self.now, |cycle, switch| timers.push(Reverse((cycle, Instance::Station(switch)))));
        if is_watched {
            self.commit(observer);
        } else {
            self.fabric.aside.forget_drawn();
        }
        for worm in self.departed.drain(..) {
            if O::DEPARTURES {
                observer.departed(&self.worms.get(worm).info, self.now);
            }
        }
        self.now += 1;
        self.slot = self.shape.slot_behind(self.slot, 1);
        self.totals.cycles = self.now;
    }

    /// The samples for an observer that reads `samples`. Banks tell nothing of tokens, of stalls
    /// and of flits that wait at their nodes.
    fn told(&self, samples: Samples) -> Samples {
        let needs_lanes = self.shape.params.token_ring || self.shape.sinks || self.stalls.are_planned();
        if needs_lanes { Samples::Lanes } else { samples.max(Samples::Banks) }
    }

    /// Evaluates the instances that are awake. It is compiled once for all observers.
    fn evaluate(&mut self) {
        self.evaluate_scheduled::<false, false>();
    }

    /// The same as [`Self::evaluate`], for observers that want to know which tails leave their
    /// sources.
    fn evaluate_with_departures(&mut self) {
        self.evaluate_scheduled::<false, true>();
    }

    /// Evaluates the awake instances and samples them for the commit log.
    fn evaluate_watched(&mut self) {
        self.evaluate_scheduled::<true, true>();
    }

    #[inline(always)]
    fn evaluate_scheduled<const WATCHED: bool, const DEPARTURES: bool>(&mut self) {
        if let Schedule::Shuffled(seed) = self.schedule {
            self.evaluate_shuffled::<WATCHED, DEPARTURES>(seed);
        } else {
            self.evaluate_in_order::<WATCHED, DEPARTURES>();
        }
    }

    /// Evaluates the awake instances, page by page.
    #[inline(always)]
    fn evaluate_in_order<const WATCHED: bool, const DEPARTURES: bool>(&mut self) {
        let mut page = 0;
        while let Some(awake) = self.fabric.nodes.take(self.slot, page) {
            self.evaluate_nodes::<WATCHED, DEPARTURES>(awake, u64::MAX);
            page = awake.page + 1;
        }
        page = 0;
        while let Some(awake) = self.fabric.switches.take(self.slot, page) {
            self.evaluate_banks::<WATCHED>(awake, u64::MAX);
            page = awake.page + 1;
        }
    }

    /// The switches of a bank that are awake.
    fn awake_in(&self, bank: u32) -> impl Iterator<Item = u32> + use<> {
        owners(self.shape.params.fields, bank, self.fabric.switches.awake(self.slot, bank))
    }

    /// Evaluates one switch.
    #[inline(never)]
    fn evaluate_switch<const WATCHED: bool>(&mut self, s: u32) {
        let (bank, first) = self.shape.bank(s);
        let field = self.shape.params.fields.field(first);
        self.evaluate_banks::<WATCHED>(Awake::only(bank), field);
    }

    /// Evaluates the nodes of the `awake` banks whose channels are in `lanes`.
    #[inline(always)]
    fn evaluate_nodes<const WATCHED: bool, const DEPARTURES: bool>(&mut self, awake: Awake, lanes: u64) {
        let (now, fields) = (self.now, self.shape.channels);
        let edge = self.fabric.nodes.edge(self.slot);
        let inject = self.shape.slot_behind(self.slot, self.shape.delays.inject);
        let inject_edge = self.fabric.switches.edge(inject);
        let mut sent_any = 0;
        for bank in awake.instances() {
            let WireRings { rings, again, .. } = &mut self.fabric.nodes;
            let (wires, again) = (&mut rings[edge + bank as usize], &mut again[bank as usize]);
            let live = fields.whole((*wires | *again) & lanes);
            let credits = *wires & live;
            *wires &= !live;
            *again &= !live;
            let stalled = if self.stalls.is_active() { self.stalls.of_nodes(bank) } else { 0 };
            let (shape, worms) = (&self.shape, &mut self.worms);
            let (sent, offered) =
                self.nodes.eval(shape, &mut self.fabric, worms, now, bank, live, credits, stalled, inject_edge);
            self.fabric.nodes.again[bank as usize] |= offered;
            self.totals.injected_flits += u64::from(sent.count_ones());
            sent_any |= sent;
            if DEPARTURES {
                let channels = bits(sent).map(|lane| self.nodes.channel(bank, lane));
                self.departed.extend(channels.filter(|q| q.is_idle()).map(|q| q.next.worm()));
            }
            if WATCHED || self.fabric.aside.tells_banks {
                for lane in bits(fields.any(live)) {
                    self.sample_node(
                        fields.owner(bank, lane as u8).0,
                        sent >> fields.first(lane),
                        offered >> fields.first(lane),
                    );
                }
            }
        }
        if sent_any != 0 {
            let Fabric { switches, nodes, links, .. } = &mut self.fabric;
            links.node_to_switch.mark(awake.page, switches, inject);
            nodes.mark(self.shape.slot_behind(self.slot, 1), awake.page);
        }
    }

    /// Evaluates the switches of the banks that are `awake`, as far as `lanes` are theirs, and
    /// samples them for those who watch.
    #[inline(always)]
    fn evaluate_banks<const WATCHED: bool>(&mut self, awake: Awake, lanes: u64) {
        let (shape, now) = (&self.shape, self.now);
        let (p, d) = (&shape.params, &shape.delays);
        let Fabric { slots, images, switches, nodes, links, aside } = &mut self.fabric;
        let at = [0, d.flit, d.credit, d.consume_credit].map(|delay| shape.slot_behind(self.slot, delay));
        let [edge, flit_edge, credit_edge, consume_edge] = at.map(|slot| switches.edge(slot));
        let node_slot = shape.slot_behind(self.slot, d.inject_credit);
        let again = &mut switches.again[..];
        let mut pins = SwitchPins::<WATCHED> {
            shape,
            now,
            bank: 0,
            cell: 0,
            flit_edge,
            credit_edge,
            consume_edge,
            node_edge: nodes.edge(node_slot),
            slots,
            images,
            wires: &mut switches.rings,
            node_wires: &mut nodes.rings,
            aside,
            worms: &mut self.worms,
        };
        let tells_bank = !WATCHED && pins.aside.tells_banks;
        let tells_lanes = WATCHED || self.sampler.samples == Samples::Changes;
        let mut changed = 0;
        for bank in awake.instances() {
            let at = bank as usize;
            let wires = &mut pins.wires[edge + at];
            let live = p.fields.whole((wires.flits | wires.credits | again[at]) & lanes);
            let mut arrivals = wires.at(live);
            *wires = wires.at(!live);
            self.totals.evaluations += u64::from(p.fields.any(live).count_ones());
            let registers = &mut self.banks.0[at];
            let stalled = if self.stalls.is_active() { self.stalls.of_switches(bank) } else { 0 };
            if stalled != 0 {
                registers.q.credits.up(arrivals.credits & stalled);
                arrivals.credits &= !stalled;
            }
            pins.bank = bank;
            pins.cell = at * LANES * p.fifo_depth as usize;
            if tells_lanes {
                registers.clock_edge(now as u32, std::mem::take(&mut arrivals), &mut self.account);
                let flit = |lane, slot| pins.flit(lane, slot);
                self.sampler.before(shape, (bank, live), registers, flit, pins.worms, pins.aside, &mut self.log);
            }
            if tells_bank {
                self.log.banks.push(registers.sample(bank, live, arrivals));
            }
            let done = registers.eval(p, now as u32, live, arrivals, &mut pins, &mut self.account);
            registers.stall(stalled);
            if tells_bank {
                registers.log_bank(shape, &done, pins.aside, pins.worms, &mut self.log);
            }
            if tells_lanes {
                let flit = |lane, slot| pins.flit(lane, slot);
                self.sampler.stopped(shape, registers, &done, flit, pins.worms, &mut self.log);
                self.sampler.after(shape, registers, &done, pins.worms, pins.aside, &mut self.log);
            }
            self.contested += u64::from(done.contested);
            again[at] = again[at] & !live | done.changed;
            changed |= done.changed;
        }
        self.moving |= changed != 0;
        if changed != 0 {
            switches.mark(shape.slot_behind(self.slot, 1), awake.page);
            for slot in &at[1..] {
                links.switch_to_switch.mark(awake.page, switches, *slot);
            }
            links.switch_to_node.mark(awake.page, nodes, node_slot);
        }
    }

    /// Wakes a switch in this cycle.
    fn wake(&mut self, switch: u32) {
        let (bank, first) = self.shape.bank(switch);
        self.fabric.switches.wake(self.slot, bank, 1 << first);
    }

    /// Timers and surplus credits of this cycle.
    fn deadlines(&mut self) {
        self.stall_edges();
        self.take_turns();
        while let Some(&Reverse((at, instance))) = self.fabric.aside.timers.peek()
            && at <= self.now
        {
            self.fabric.aside.timers.pop();
            match instance {
                Instance::Switch(s) => self.wake(s),
                Instance::Node(n) => {
                    let (bank, first) = self.shape.channels.place(n);
                    self.fabric.nodes.wake(self.slot, bank, 1 << first);
                }
                Instance::Station(s) => {
                    let (bank, first) = self.shape.bank(s);
                    self.banks.masks_mut(bank).arbitrate |= 1 << first;
                    self.wake(s);
                }
            }
        }
        if self.fabric.aside.extra_credits.is_empty() {
            return;
        }
        let now = self.now;
        self.fabric.aside.extra_credits.retain(|&(at, to, n)| {
            if at == now {
                if to.is_node() {
                    self.nodes.refund(to.instance(), to.lane(), n);
                } else {
                    let (credits, lane) = (&mut self.banks.masks_mut(to.instance()).credits, usize::from(to.lane()));
                    credits.set(lane, wormscope_hw::credit::refund(credits.get(lane), n));
                }
            }
            at != now
        });
    }

    /// The next cycle in which something can happen without a new message; `None` when the network
    /// is silent.
    #[must_use]
    pub fn next_event(&self) -> Option<u64> {
        if self.is_awake() {
            return Some(self.now);
        }
        let wire = self.next_wire();
        let timer = self.fabric.aside.timers.peek().map(|t| t.0.0);
        let arrival = self.worms.arriving.front().map(|a| a.at);
        let consumption = self.fabric.aside.next_event(self.now);
        let waiting = self.fabric.aside.sinks.as_ref().and_then(|sinks| sinks.next_event(self.now));
        let stall = self.stalls.next_edge().filter(|_| self.worms.alive > 0);
        [wire, timer, arrival, consumption, waiting, stall].into_iter().flatten().min()
    }

    /// The next cycle in which a flit or credit arrives at an instance.
    fn next_wire(&self) -> Option<u64> {
        let mut ahead = (0..self.shape.slots as u32).map(|delay| (delay, self.shape.slot_behind(self.slot, delay)));
        let (switches, nodes) = (&self.fabric.switches, &self.fabric.nodes);
        let arrives = ahead.find(|&(_, slot)| switches.arrives(slot) || nodes.arrives(slot));
        arrives.map(|(delay, _)| self.now + u64::from(delay))
    }

    /// Whether the network does not change any more until a new worm enters it.
    #[must_use]
    pub fn stands_still(&self) -> bool {
        let deciding = |timer: &Reverse<(u64, Instance)>| !matches!(timer.0.1, Instance::Node(_));
        !self.is_awake()
            && self.worms.arriving.is_empty()
            && self.next_wire().is_none()
            && self.fabric.aside.sinks.as_ref().is_none_or(|sinks| sinks.is_empty())
            && !self.fabric.aside.timers.iter().any(deciding)
            && !self.stalls.is_active()
    }

    /// Whether an instance is awake in the next evaluated cycle.
    #[must_use]
    pub fn is_awake(&self) -> bool {
        self.moving || self.fabric.switches.is_awake(self.slot) || self.fabric.nodes.is_awake(self.slot)
    }

    /// Lets idle time pass up to `cycle`.
    pub fn skip_to(&mut self, cycle: u64) {
        self.now = cycle;
        self.slot = self.shape.slot(cycle);
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

    /// Numbers of the worms in the network.
    pub fn ids_in_network(&self) -> impl Iterator<Item = WormId> {
        self.worms.in_network()
    }

    /// Measured worms that have not arrived everywhere.
    #[must_use]
    pub fn measured_alive(&self) -> u32 {
        self.worms.measured
    }
}

/// The switches of a bank to which `lanes` belong.
fn owners(fields: Fields, bank: u32, lanes: u64) -> impl Iterator<Item = u32> {
    bits(fields.any(lanes)).map(move |lane| fields.owner(bank, lane as u8).0)
}
