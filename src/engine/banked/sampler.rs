//! Samples of the lanes of a bank for the commit log. A sample has the registers at the start of
//! the cycle, and the decisions and crossings of the cycle.
//!
//! An idle lane that was idle in its last sample gets no sample, because nothing has changed.

use super::counter::SlicedCounters;
use super::fabric::{Aside, Crossing};
use super::shape::BankedShape;
use super::switch::{Bank, Done, LANES};
use super::worms::Worms;
use wormscope_hw::{Flit, PortMask, Replication, SwitchId, bits};

use crate::event::{CommitLog, InSample, LaneState, LinkWaits, OutSample};
use crate::flit_id::FlitId;

/// An input lane at the start of a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct InBefore {
    count: u16,
    front: Option<Flit>,
    /// Lanes held whose branch has the front flit.
    taken: u64,
    /// Lane groups of the branches that have had the tail.
    passed: u64,
}

/// Facts about a bank that hold from cycle to cycle.
#[derive(Clone, Debug)]
struct SampledBank {
    /// Lanes, of inputs and of outputs, that were not idle in their last samples.
    inputs: u64,
    outputs: u64,
    /// Output lanes that exist.
    exist: u64,
    /// Credits of the outputs when nothing is under way.
    full: SlicedCounters,
}

/// Registers of the bank under evaluation as they stood at the start of the cycle.
#[derive(Clone, Debug)]
struct BankBefore {
    bank: u32,
    /// Lanes of the switches that are evaluated.
    live: u64,
    /// Inputs with a flit or a worm in service.
    busy: u64,
    inputs: [InBefore; LANES],
    /// Outputs with an owner.
    owned: u64,
    owners: [u8; LANES],
    credits: SlicedCounters,
    /// Number of flits on their last link that crossed before.
    consumptions: usize,
}

/// Takes the samples of all banks.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    /// Banks that were sampled; empty before the first sample.
    told: Vec<SampledBank>,
    before: Option<Box<BankBefore>>,
}

impl Sampler {
    /// Keeps the registers of the switches of a bank whose lanes are `live`. `flit` reads a FIFO
    /// cell.
    pub fn before(
        &mut self,
        shape: &BankedShape,
        (bank, live): (u32, u64),
        of: &Bank,
        flit: impl Fn(usize, u16) -> Flit,
        aside: &Aside,
    ) {
        let p = &shape.params;
        let q = &of.q;
        let before = self.before.get_or_insert_with(|| {
            let inputs = [InBefore::default(); LANES];
            let (owners, credits) = ([0; LANES], SlicedCounters::new(0));
            Box::new(BankBefore { bank, live, busy: 0, inputs, owned: 0, owners, credits, consumptions: 0 })
        });
        (before.bank, before.live, before.credits) = (bank, live, q.credits);
        before.consumptions = aside.consumptions.len();
        before.busy = (q.occupied | q.deciding | q.active) & live;
        for i in bits(before.busy) {
            let q_in = &of.ins[i];
            let held = of.readers[i].lanes;
            let (taken, settled) =
                if q.active >> i & 1 != 0 { (q_in.taken, q_in.branches & !q_in.wanted) } else { (0, 0) };
            let first = p.fields.first(i);
            let holds = |group: usize| held & p.group_lanes[group] << first != 0;
            let count = q.flits.get(i);
            before.inputs[i] = InBefore {
                count,
                front: (count > 0).then(|| flit(i, of.readers[i].read)),
                taken,
                passed: bits(settled).filter(|&group| !holds(group)).fold(0, |groups, group| groups | 1 << group),
            };
        }
        before.owned = 0;
        for o in bits(!q.free & live) {
            if let Some(owner) = of.outs[o].owner() {
                before.owned |= 1 << o;
                before.owners[o] = owner;
            }
        }
    }

    /// Logs the lanes of the bank after its evaluation.
    pub fn after(
        &mut self,
        shape: &BankedShape,
        of: &Bank,
        done: &Done,
        worms: &Worms,
        aside: &mut Aside,
        log: &mut CommitLog,
    ) {
        let Some(before) = &self.before else { return };
        if self.told.is_empty() {
            self.told = (0..shape.banks()).map(|bank| SampledBank::new(shape, bank)).collect();
        }
        let told = &mut self.told[before.bank as usize];
        let live = before.live;
        let inputs = (before.busy | told.inputs) & live;
        told.inputs = told.inputs & !live | before.busy;
        let lanes_are_ports = shape.lanes.outputs.count() == shape.ports;
        let sampled = BankAfter { shape, of, done, before, aside, worms, lanes_are_ports };
        log.inputs.reserve(inputs.count_ones() as usize);
        for i in bits(inputs) {
            log.inputs.push(sampled.input(i));
        }
        let owned = before.owned | !of.q.free & told.exist;
        let busy = (owned | done.crossed | before.credits.differ(&told.full)) & live & told.exist;
        let outputs = (busy | told.outputs) & live;
        told.outputs = told.outputs & !live | busy;
        let from = log.outputs.len();
        log.outputs.reserve(outputs.count_ones() as usize);
        for o in bits(outputs) {
            log.outputs.push(sampled.output(o));
        }
        for c in &aside.crossings {
            let place = (outputs & ((1 << c.lane) - 1)).count_ones();
            sampled.crosses(c, &mut log.outputs[from + place as usize]);
        }
        aside.crossings.clear();
        // Flits are told switch by switch, those of worms with several branches behind the others.
        let fields = &shape.params.fields;
        aside.consumptions[before.consumptions..].sort_by_key(|c| fields.first(c.lane.into()));
    }
}

impl SampledBank {
    /// Nothing is told of a bank.
    fn new(shape: &BankedShape, bank: u32) -> Self {
        let idle = shape.idle_bank(bank);
        Self { inputs: 0, outputs: 0, exist: idle.q.free, full: idle.q.credits }
    }
}

/// A bank that has been evaluated.
struct BankAfter<'a> {
    shape: &'a BankedShape,
    of: &'a Bank,
    done: &'a Done,
    before: &'a BankBefore,
    aside: &'a Aside,
    worms: &'a Worms,
    /// Whether every port has one output lane.
    lanes_are_ports: bool,
}

impl BankAfter<'_> {
    /// Ports of a set of lane groups.
    #[inline(always)]
    fn group_ports(&self, groups: u64) -> PortMask {
        match self.shape.classes {
            1 => PortMask(groups),
            classes => bits(groups).map(|g| g as u8 / classes).collect(),
        }
    }

    /// Ports of a set of output lanes of a switch.
    #[inline(always)]
    fn lane_ports(&self, lanes: u64) -> PortMask {
        if self.lanes_are_ports {
            return PortMask(lanes);
        }
        bits(lanes).map(|l| self.shape.lanes.outputs.port(l as u8)).collect()
    }

    #[inline(always)]
    fn input(&self, i: usize) -> InSample {
        let Self { shape, of, done, before, worms, .. } = self;
        let (switch, lane) = shape.switch_of(before.bank, i as u8);
        let (q, after, bit) = (&of.q, &of.ins[i], 1 << i);
        let idle = InBefore::default();
        let was = if before.busy & bit == 0 { &idle } else { &before.inputs[i] };
        let busy = (q.deciding | q.active) & bit != 0;
        let is_parked = shape.params.token_ring && {
            let station = self.aside.rings.station(switch);
            station.is_some_and(|station| station.request.has(lane))
        };
        let locks = || of.locks.get(i).is_some_and(|lock| !lock.lanes.is_empty());
        let state = if done.moved & bit != 0 {
            LaneState::Move
        } else if done.stripped & bit != 0 || q.deciding & bit != 0 && !after.ready {
            LaneState::Header
        } else if q.deciding & bit != 0 {
            LaneState::Route
        } else if !busy {
            LaneState::Idle
        } else if is_parked {
            LaneState::Token
        } else if after.wanted != 0 && locks() {
            LaneState::Heads
        } else if after.wanted != 0 || of.readers[i].lanes & done.fresh != 0 {
            LaneState::Lanes
        } else if was.count == 0 {
            LaneState::Move
        } else {
            LaneState::Blocked
        };
        let worm = was.front.map(Flit::worm).or_else(|| busy.then_some(after.worm));
        let first = shape.params.fields.first(i);
        InSample {
            switch: SwitchId(switch),
            lane,
            state,
            enc: was.front.map(Flit::encoding).or_else(|| busy.then_some(after.enc)),
            fifo_count: was.count,
            worm: worm.map(|slot| worms.get(slot).info.id),
            flit: was.front.map(Flit::index),
            // A worm of one flit may be decided, cross and be gone in one cycle.
            branches: self.group_ports(if (q.active | done.moved) & bit == 0 { 0 } else { after.branches }),
            taken: self.lane_ports(was.taken >> first) | self.group_ports(was.passed),
            waits: self.waits(i, was, is_parked),
        }
    }

    /// The waits of input lane `i` in the cycle that was evaluated last, as the account has them.
    fn waits(&self, i: usize, was: &InBefore, is_parked: bool) -> LinkWaits {
        let Self { shape, of, done, .. } = self;
        let (q, p, bit) = (&of.q, &shape.params, 1 << i);
        let several = q.replicating & bit != 0;
        let moved = done.moved & bit != 0;
        // A worm with one branch that moves waits for nothing.
        if (q.active & !done.stripped) & bit == 0 || moved && !several || is_parked {
            return LinkWaits::default();
        }
        let after = &of.ins[i];
        let locks = of.locks.get(i).is_some_and(|lock| !lock.lanes.is_empty());
        let held = of.readers[i].lanes;
        let wanted = match p.replication {
            _ if locks || several && was.count == 0 => 0,
            Replication::Sequential if several && (held != 0 || moved) => 0,
            Replication::Sequential => after.wanted & after.wanted.wrapping_neg(),
            _ => after.wanted,
        };
        // A lane that has not sent has the credits that it had.
        let still = if was.count == 0 { 0 } else { held & !done.crossed & !done.fresh };
        let served = |o: usize| match p.replication {
            _ if !several => false,
            Replication::Asynchronous | Replication::Synchronous => was.taken >> o & 1 != 0,
            Replication::Lockstep => q.credit >> o & 1 != 0,
            // Both have gone down by one where the front flit was popped.
            Replication::Buffered | Replication::Sequential => of.outs[o].ahead >= q.flits.get(i),
        };
        let waiting = bits(still).filter(|&o| !served(o)).fold(0, |lanes, o| lanes | 1 << o);
        let first = p.fields.first(i);
        LinkWaits {
            no_credit: self.lane_ports((waiting & !q.credit) >> first),
            lane_wait: self.lane_ports((waiting & q.credit) >> first) | self.group_ports(wanted),
        }
    }

    /// An output lane, without the flit that crosses it.
    #[inline(always)]
    fn output(&self, o: usize) -> OutSample {
        let Self { shape, of, before, .. } = self;
        let (switch, lane) = shape.switch_of(before.bank, o as u8);
        let was = (before.owned >> o & 1 != 0).then(|| before.owners[o]);
        OutSample {
            switch: SwitchId(switch),
            lane,
            owner: of.outs[o].owner().or(was).map(|owner| owner - shape.params.fields.first(o)),
            credits: before.credits.get(o),
            flit: None,
            data: 0,
        }
    }

    /// Completes the sample of an output lane that a flit crosses.
    fn crosses(&self, c: &Crossing, sample: &mut OutSample) {
        sample.flit = Some(FlitId { worm: c.worm_id, index: c.flit.index() });
        sample.data = c.words;
        if sample.owner.is_none() {
            // Granted, crossed and released in one cycle: the only flit left of its worm, at the
            // front of its input.
            let same = |f: Flit| (f.worm(), f.index()) == (c.flit.worm(), c.flit.index());
            let fields = &self.shape.params.fields;
            let first = fields.first(c.lane.into());
            let mut inputs = bits(self.before.busy & fields.field(first));
            let owner = inputs.find(|&i| self.before.inputs[i].front.is_some_and(same));
            sample.owner = owner.map(|i| i as u8 - first);
        }
    }
}
