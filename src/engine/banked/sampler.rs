//! Samples of the lanes of a bank for the commit log. A sample has the registers at the start of
//! the cycle, and the decisions and crossings of the cycle.
//!
//! An idle lane that was idle in its last sample gets no sample, because nothing has changed.

use super::counter::SlicedCounters;
use super::fabric::{Aside, Crossing};
use super::shape::BankedShape;
use super::switch::{Arrivals, Bank, Done, LANES};
use super::worms::Worms;
use wormscope_hw::{Flit, PortMask, Replication, SwitchId, bits};

use crate::event::{BankSample, CommitLog, Grant, InSample, LaneState, LinkWaits, OutSample, Samples};
use crate::flit_id::FlitId;

/// Facts about a bank that hold from cycle to cycle.
#[derive(Clone, Debug)]
struct SampledBank {
    /// Lanes, of inputs and of outputs, that were not idle in their last samples.
    inputs: u64,
    outputs: u64,
    /// If only changes are told, the inputs whose worm has one branch, moved in the last cycle and
    /// has more flits.
    moving: u64,
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
    /// Inputs that get a sample. The samples, from `first` on in the log, have the registers at the
    /// start of the cycle.
    inputs: u64,
    first: usize,
    /// Inputs whose worm may go on. They get a sample only if it stops.
    moving: u64,
    /// For each input with a sample, the lanes held whose branch has the front flit.
    taken: [u64; LANES],
    /// Outputs with an owner.
    owned: u64,
    credits: SlicedCounters,
    /// Number of flits on their last link that crossed before.
    consumptions: usize,
}

/// Takes the samples of all banks.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    /// Samples of this cycle for the observer.
    pub samples: Samples,
    /// Banks that were sampled; empty before the first sample.
    told: Vec<SampledBank>,
    before: Option<Box<BankBefore>>,
}

impl Sampler {
    /// Logs the registers of the switches of a bank whose lanes are `live`. `flit` reads a FIFO
    /// cell.
    #[allow(clippy::too_many_arguments)]
    pub fn before(
        &mut self,
        shape: &BankedShape,
        (bank, live): (u32, u64),
        of: &Bank,
        flit: impl Fn(usize, u16) -> Flit,
        worms: &Worms,
        aside: &Aside,
        log: &mut CommitLog,
    ) {
        if self.told.is_empty() {
            self.told = (0..shape.banks()).map(|bank| SampledBank::new(shape, bank)).collect();
        }
        let told = &mut self.told[bank as usize];
        let q = &of.q;
        let before = self.before.get_or_insert_with(|| {
            let (taken, credits) = ([0; LANES], SlicedCounters::new(0));
            Box::new(BankBefore {
                bank,
                live,
                inputs: 0,
                first: 0,
                moving: 0,
                taken,
                owned: 0,
                credits,
                consumptions: 0,
            })
        });
        (before.bank, before.live, before.credits) = (bank, live, q.credits);
        before.consumptions = aside.consumptions.len();
        before.owned = !q.free & live & told.exist;
        (before.inputs, before.moving, before.first) = (0, 0, log.inputs.len());
        if self.samples == Samples::Outputs {
            return;
        }
        // Inputs with a flit or a worm in service.
        let busy = (q.occupied | q.deciding | q.active) & live;
        before.moving = told.moving & live;
        before.inputs = (busy | told.inputs) & live & !before.moving;
        told.inputs = told.inputs & !live | busy;
        let ports = Ports::new(shape);
        log.inputs.reserve(before.inputs.count_ones() as usize);
        for i in bits(before.inputs) {
            let (mut taken, mut passed) = (0, 0);
            if q.replicating >> i & 1 != 0 {
                (taken, passed) = taken_and_passed(shape, of, i);
            }
            before.taken[i] = taken;
            let taken = ports.of_lanes(taken >> shape.params.fields.first(i)) | ports.of_groups(passed);
            log.inputs.push(at_start(shape, (bank, i), of, &flit, worms, taken));
        }
    }

    /// Logs the inputs whose worm moved before and stops in this cycle.
    pub fn stopped(
        &mut self,
        shape: &BankedShape,
        of: &Bank,
        done: &Done,
        flit: impl Fn(usize, u16) -> Flit,
        worms: &Worms,
        log: &mut CommitLog,
    ) {
        let Some(before) = &mut self.before else { return };
        let stopped = before.moving & !done.moved;
        // Their samples come behind those of the others, in the order of the lanes.
        for i in bits(stopped) {
            before.taken[i] = 0;
            log.inputs.push(at_start(shape, (before.bank, i), of, &flit, worms, PortMask::NONE));
        }
    }

    /// Logs the decisions and crossings of the cycle, after its evaluation.
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
        let told = &mut self.told[before.bank as usize];
        let live = before.live;
        let sampled = BankAfter { shape, of, done, before, aside, worms, ports: Ports::new(shape) };
        let stopped = before.moving & !done.moved;
        for (i, sample) in bits(before.inputs).chain(bits(stopped)).zip(&mut log.inputs[before.first..]) {
            sampled.input(i, sample);
        }
        if self.samples == Samples::Changes {
            told.moving = told.moving & !live | done.moved & !of.q.replicating & of.q.active & live;
            let granted = (done.crossed | !of.q.free) & !before.owned & live & told.exist;
            log.grants.extend(bits(granted).filter_map(|o| sampled.grant(o)));
            return;
        }
        let owned = before.owned | !of.q.free & told.exist;
        let busy = (owned | done.crossed | before.credits.differ(&told.full)) & live & told.exist;
        let outputs = (busy | told.outputs) & live;
        told.outputs = told.outputs & !live | busy;
        log.outputs.reserve(outputs.count_ones() as usize);
        for o in bits(outputs) {
            log.outputs.push(sampled.output(o));
        }
        // Flits are told switch by switch, those of worms with several branches behind the others.
        let fields = &shape.params.fields;
        aside.consumptions[before.consumptions..].sort_by_key(|c| fields.first(c.lane.into()));
    }
}

impl Bank {
    /// The registers before the clock edge at which `arrivals` come, as those of the cycle after
    /// it.
    pub(super) fn sample(&self, bank: u32, live: u64, arrivals: Arrivals) -> BankSample {
        let (mut flits, mut credits) = (self.q.flits, self.q.credits);
        flits.up(arrivals.flits);
        credits.up(arrivals.credits);
        BankSample { bank, live, flits, credits, crossed: 0, tails: 0 }
    }

    /// Completes the last bank of the log after its evaluation. It logs the heads that crossed, and
    /// all flits that left for nodes.
    pub(super) fn log_bank(
        &self,
        shape: &BankedShape,
        done: &Done,
        aside: &mut Aside,
        worms: &Worms,
        log: &mut CommitLog,
    ) {
        let Some(sample) = log.banks.last_mut() else { return };
        (sample.crossed, sample.tails) = (done.crossed, done.crossed & self.q.free);
        let output = |o: usize, flit: FlitId, data: u32| {
            let (switch, lane) = shape.switch_of(sample.bank, o as u8);
            // The lane of a tail is free again. Its last winner owned it.
            let owner = self.outs[o].owner.or(self.outs[o].winner);
            OutSample {
                switch: SwitchId(switch),
                lane,
                owner: owner.map(|owner| owner.get() - shape.params.fields.first(o)),
                credits: sample.credits.get(o),
                flit: Some(flit),
                data,
            }
        };
        let heads = aside.told_heads.drain(..).filter(|&(lane, _)| self.to_nodes >> lane & 1 == 0);
        log.outputs.extend(
            heads.map(|(lane, flit)| {
                output(lane.into(), FlitId { worm: worms.id(flit.worm()), index: flit.index() }, 0)
            }),
        );
        for o in bits(done.crossed & self.to_nodes) {
            let Crossing { worm_id, flit, words } = aside.crossings[o];
            log.outputs.push(output(o, FlitId { worm: worm_id, index: flit.index() }, words));
        }
    }
}

/// Lanes held whose branch has the front flit of replicating input `i`, and the lane groups of its
/// branches that have had the tail.
#[inline(never)]
fn taken_and_passed(shape: &BankedShape, of: &Bank, i: usize) -> (u64, u64) {
    let (p, q) = (&shape.params, &of.ins[i]);
    let (held, first) = (of.readers[i].lanes, p.fields.first(i));
    let holds = |group: usize| held & p.group_lanes[group] << first != 0;
    let settled = bits(q.branches & !q.wanted).filter(|&group| !holds(group));
    (q.taken, settled.fold(0, |groups, group| groups | 1 << group))
}

impl SampledBank {
    /// Nothing is told of a bank.
    fn new(shape: &BankedShape, bank: u32) -> Self {
        let idle = shape.idle_bank(bank);
        Self { inputs: 0, outputs: 0, moving: 0, exist: idle.q.free, full: idle.q.credits }
    }
}

/// The sample of input lane `i` of a bank at the start of a cycle.
fn at_start(
    shape: &BankedShape,
    (bank, i): (u32, usize),
    of: &Bank,
    flit: impl Fn(usize, u16) -> Flit,
    worms: &Worms,
    taken: PortMask,
) -> InSample {
    let (switch, lane) = shape.switch_of(bank, i as u8);
    let count = of.q.flits.get(i);
    let front = (count > 0).then(|| flit(i, of.readers[i].read));
    InSample {
        switch: SwitchId(switch),
        lane,
        state: LaneState::Idle,
        enc: front.map(Flit::encoding),
        fifo_count: count,
        worm: front.map(|front| worms.id(front.worm())),
        flit: front.map(Flit::index),
        branches: PortMask::NONE,
        taken,
        waits: LinkWaits::default(),
    }
}

/// The ports of lanes and of lane groups.
#[derive(Clone, Copy)]
struct Ports<'a> {
    shape: &'a BankedShape,
    /// Whether every port has one output lane.
    lanes_are_ports: bool,
}

impl<'a> Ports<'a> {
    fn new(shape: &'a BankedShape) -> Self {
        Self { shape, lanes_are_ports: shape.lanes.outputs.count() == shape.ports }
    }

    /// Ports of a set of lane groups.
    #[inline(always)]
    fn of_groups(self, groups: u64) -> PortMask {
        match self.shape.classes {
            1 => PortMask(groups),
            classes => bits(groups).map(|g| g as u8 / classes).collect(),
        }
    }

    /// Ports of a set of output lanes of a switch.
    #[inline(always)]
    fn of_lanes(self, lanes: u64) -> PortMask {
        if self.lanes_are_ports {
            return PortMask(lanes);
        }
        bits(lanes).map(|l| self.shape.lanes.outputs.port(l as u8)).collect()
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
    ports: Ports<'a>,
}

impl BankAfter<'_> {
    /// Completes the sample of input lane `i`.
    #[inline(always)]
    fn input(&self, i: usize, sample: &mut InSample) {
        let Self { of, done, ports, .. } = self;
        let (q, after, bit) = (&of.q, &of.ins[i], 1 << i);
        if done.moved & !q.replicating & bit != 0 {
            // A worm of one flit may be decided, cross and be gone in one cycle.
            (sample.state, sample.branches) = (LaneState::Move, ports.of_groups(after.branches));
            return;
        }
        self.slow_input(i, sample);
    }

    /// The same, for an input lane from which no worm with one branch moves.
    #[inline(never)]
    fn slow_input(&self, i: usize, sample: &mut InSample) {
        let Self { shape, of, done, worms, ports, .. } = self;
        let (q, after, bit) = (&of.q, &of.ins[i], 1 << i);
        let busy = (q.deciding | q.active) & bit != 0;
        let is_parked = shape.params.token_ring && {
            let station = self.aside.rings.station(sample.switch.0);
            station.is_some_and(|station| station.request.has(sample.lane))
        };
        let locks = || of.locks.get(i).is_some_and(|lock| !lock.lanes.is_empty());
        sample.state = if done.moved & bit != 0 {
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
        } else if sample.fifo_count == 0 {
            LaneState::Move
        } else {
            LaneState::Blocked
        };
        if sample.fifo_count == 0 && busy {
            (sample.worm, sample.enc) = (Some(worms.id(after.worm)), Some(after.enc));
        }
        if (q.active | done.moved) & bit != 0 {
            sample.branches = ports.of_groups(after.branches);
        }
        sample.waits = self.waits(i, sample.fifo_count, is_parked);
    }

    /// The waits of input lane `i` in the cycle that was evaluated last, as the account has them.
    fn waits(&self, i: usize, count: u16, is_parked: bool) -> LinkWaits {
        let Self { shape, of, done, before, ports, .. } = self;
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
            _ if locks || several && count == 0 => 0,
            Replication::Sequential if several && (held != 0 || moved) => 0,
            Replication::Sequential => after.wanted & after.wanted.wrapping_neg(),
            _ => after.wanted,
        };
        // A lane that has not sent has the credits that it had.
        let still = if count == 0 { 0 } else { held & !done.crossed & !done.fresh };
        let served = |o: usize| match p.replication {
            _ if !several => false,
            Replication::Asynchronous | Replication::Synchronous => before.taken[i] >> o & 1 != 0,
            Replication::Lockstep => q.credit >> o & 1 != 0,
            // Both have gone down by one where the front flit was popped.
            Replication::Buffered | Replication::Sequential => of.outs[o].ahead >= q.flits.get(i),
        };
        let waiting = bits(still).filter(|&o| !served(o)).fold(0, |lanes, o| lanes | 1 << o);
        let first = p.fields.first(i);
        LinkWaits {
            no_credit: ports.of_lanes((waiting & !q.credit) >> first),
            lane_wait: ports.of_lanes((waiting & q.credit) >> first) | ports.of_groups(wanted),
        }
    }

    /// The input that owns an output lane that is owned or crossed in this cycle. The lane may be
    /// released in this cycle, and then its owner got the last grant.
    fn owner(&self, o: usize) -> Option<u8> {
        let (out, fields) = (&self.of.outs[o], self.shape.params.fields);
        out.owner.or(out.winner).map(|owner| owner.get() - fields.first(o))
    }

    /// The grant of an output lane.
    fn grant(&self, o: usize) -> Option<Grant> {
        let (switch, lane) = self.shape.switch_of(self.before.bank, o as u8);
        let owner = self.owner(o)?;
        Some(Grant { switch: SwitchId(switch), lane, owner, credits: self.before.credits.get(o) })
    }

    /// The sample of an output lane.
    #[inline(always)]
    fn output(&self, o: usize) -> OutSample {
        let Self { shape, of, done, before, aside, .. } = self;
        let (switch, lane) = shape.switch_of(before.bank, o as u8);
        let crosses = done.crossed >> o & 1 != 0;
        let is_owned = crosses || before.owned >> o & 1 != 0 || of.outs[o].owner.is_some();
        let Crossing { worm_id, flit, words } = aside.crossings[o];
        OutSample {
            switch: SwitchId(switch),
            lane,
            owner: if is_owned { self.owner(o) } else { None },
            credits: before.credits.get(o),
            flit: crosses.then(|| FlitId { worm: worm_id, index: flit.index() }),
            data: if crosses { words } else { 0 },
        }
    }
}
