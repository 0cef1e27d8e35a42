//! Account of cycles. In every cycle it is computed from the registers of a switch before and after
//! the cycle, and from its outputs. The banked engine keeps the same account by adding up the
//! length of each wait.

use wormscope_hw::token_station::Event;
use wormscope_hw::{
    GroupMask, InputMask, LaneMask, PortMask, Replication, SwitchId, WormId, decoder, replication, switch,
};

use crate::event::LinkWaits;
use crate::shape::Shape;
use crate::stats::{CycleAccount, LaneStats};
use wormscope_network::End;

/// Counters of a run.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    pub account: CycleAccount,
    /// Output lanes, switch-major.
    lanes: Vec<LaneTotals>,
    /// Input lanes, switch-major: cycle in which the worm in service asked for lanes last.
    asked: Vec<u32>,
    /// Registers of the switch under evaluation at the start of the cycle.
    inputs: Vec<InputBefore>,
    outputs: Vec<OutputBefore>,
    /// Waits of each of its input lanes in the cycle.
    waits: Vec<LinkWaits>,
}

/// An output lane over the whole run.
#[derive(Clone, Copy, Debug, Default)]
struct LaneTotals {
    flits: u64,
    blocked: u64,
    /// Cycles for which the present owner has held the lane.
    held: u64,
    /// The longest time for which a worm has held the lane, and the worm.
    top: (u64, Option<WormId>),
}

#[derive(Clone, Copy, Debug)]
struct InputBefore {
    count: u16,
    /// The worm in service, or else the worm in front.
    worm: Option<u32>,
    decided: bool,
    stripped: bool,
    branches: replication::Reg,
}

#[derive(Clone, Copy, Debug)]
struct OutputBefore {
    owner: Option<u8>,
    credits: u16,
    ahead: u16,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(shape: &Shape) -> Self {
        let all = |lanes: u8| shape.switches as usize * usize::from(lanes);
        Self {
            account: CycleAccount::default(),
            lanes: vec![LaneTotals::default(); all(shape.lanes.outputs.count())],
            asked: vec![0; all(shape.lanes.inputs.count())],
            inputs: Vec::new(),
            outputs: Vec::new(),
            waits: vec![LinkWaits::default(); usize::from(shape.lanes.inputs.count())],
        }
    }

    /// Keeps the registers of a switch at the start of a cycle.
    pub fn before(&mut self, q: &switch::Reg) {
        self.inputs.clear();
        if q.inputs.iter().all(|input| input.fifo.count() == 0 && input.decoder == decoder::Reg::Idle) {
            return;
        }
        self.inputs.extend(q.inputs.iter().map(|input| {
            let service = input.decoder.service();
            let front = || input.fifo.front().map(|symbol| symbol.flit.worm());
            InputBefore {
                count: input.fifo.count(),
                worm: service.map(|of| of.worm).or_else(front),
                decided: matches!(input.decoder, decoder::Reg::Decided(_)),
                stripped: service.is_some_and(|of| of.stripped),
                branches: input.branches,
            }
        }));
        self.outputs.clear();
        self.outputs.extend(q.outputs.iter().map(|output| OutputBefore {
            owner: output.lane.owner,
            credits: output.credits.count,
            ahead: output.lane.ahead,
        }));
    }

    /// Charges the cycle of switch `s`. `q` are the registers of the switch after the cycle.
    pub fn behind(&mut self, shape: &Shape, s: u32, i: &switch::In, q: &switch::Reg, out: &switch::Out) {
        self.waits.fill(LinkWaits::default());
        if self.inputs.is_empty() {
            return;
        }
        let (p, port) = (&shape.switch, |lane: u8| PortMask::only(shape.lanes.outputs.port(lane)));
        let ports = |groups: GroupMask| groups.iter().map(|group| group / shape.classes).collect::<PortMask>();
        let credit = (0..).zip(&self.outputs).filter(|(_, lane)| lane.credits > 0).map(|(o, _)| o);
        let credit = credit.collect::<LaneMask>().without(i.stalled);
        let parked = q.station.map_or(InputMask::NONE, |station| station.request);
        let account = &mut self.account;
        let lanes = &mut self.lanes[s as usize * q.outputs.len()..][..q.outputs.len()];
        let asked = &mut self.asked[s as usize * q.inputs.len()..][..q.inputs.len()];
        let lanes_of = (0..).zip(self.inputs.iter().zip(&q.inputs)).zip(&mut self.waits);
        for ((n, (was, is)), waits) in lanes_of {
            let Some(worm) = was.worm else { continue };
            let sent: LaneMask = out.sent.iter().filter(|of| of.from == n).map(|of| of.lane).collect();
            if let decoder::Reg::Decided(service) = &is.decoder {
                let passed = is.branches.lanes.is_empty() && !sent.is_empty();
                let next_branch = p.replication == Replication::Sequential && passed;
                if out.token.contains(&Event::Captured(n)) || next_branch {
                    asked[usize::from(n)] = i.now;
                } else if !was.decided {
                    asked[usize::from(n)] = service.due;
                }
            }
            if matches!(is.decoder, decoder::Reg::Deciding(_)) {
                account.header += 1;
                continue;
            }
            let held = is.branches.lanes | sent;
            for lane in held.iter().map(usize::from) {
                lanes[lane].held += 1;
                if lanes[lane].held > lanes[lane].top.0 {
                    lanes[lane].top = (lanes[lane].held, Some(WormId(worm)));
                }
            }
            for lane in sent.iter() {
                lanes[usize::from(lane)].flits += 1;
            }
            account.moving += u64::from(sent.count());

            let is_new = |lane: u8| self.outputs[usize::from(lane)].owner != Some(n);
            let fresh: LaneMask = held.iter().filter(|&lane| p.allocation_register && is_new(lane)).collect();
            let stripped = !was.stripped && is.decoder.service().is_some_and(|of| of.stripped);
            if stripped {
                account.header += 1;
                continue;
            }
            // A worm may be decided and cross all branches with its only flit in this cycle. Then
            // no register has its branches.
            let (wanted, branches) = (is.branches.wanted, was.branches.branches | is.branches.branches);
            let branches = if branches.is_empty() { held.count() } else { branches.count() };
            if parked.has(n) {
                account.token += u64::from(branches);
                account.token_wait += 1;
                continue;
            }
            let locks = !is.lock.lanes.is_empty();
            if branches == 1 && !wanted.is_empty() {
                *(if locks { &mut account.sibling } else { &mut account.lane_wait }) += 1;
                if !locks {
                    waits.lane_wait |= ports(wanted);
                }
            }
            if branches == 1 || was.count > 0 {
                account.header += u64::from(fresh.count());
            }
            if was.count == 0 {
                continue;
            }
            for lane in held.without(sent).without(fresh).iter() {
                let served = branches > 1
                    && match p.replication {
                        Replication::Asynchronous | Replication::Synchronous => was.branches.taken.has(lane),
                        Replication::Lockstep => credit.has(lane),
                        Replication::Buffered | Replication::Sequential => {
                            !is_new(lane) && self.outputs[usize::from(lane)].ahead >= was.count
                        }
                    };
                let to_node = || matches!(shape.output(s, lane), Some((End::Node(_), _)));
                let kind = if served {
                    &mut account.sibling
                } else if credit.has(lane) {
                    // Another virtual channel of the link sends in this cycle.
                    waits.lane_wait |= port(lane);
                    &mut account.lane_wait
                } else {
                    waits.no_credit |= port(lane);
                    lanes[usize::from(lane)].blocked += 1;
                    if to_node() { &mut account.endpoint } else { &mut account.no_credit }
                };
                *kind += 1;
            }
            if branches > 1 {
                let (lane, sibling) = without_lane(p.replication, branches, held.count(), wanted.count(), locks);
                let asked = if p.replication == Replication::Sequential { wanted.lowest() } else { wanted };
                waits.lane_wait |= if lane > 0 { ports(asked) } else { PortMask::NONE };
                account.lane_wait += u64::from(lane);
                account.sibling += u64::from(sibling);
            }
        }
        for (lane, _) in lanes.iter_mut().zip(&q.outputs).filter(|(_, q)| q.lane.is_free()) {
            lane.held = 0;
        }
    }

    /// Cycle of the latest request for lanes by the worm in service at an input lane. Lanes are
    /// counted over all switches.
    pub fn asked(&self, lane: usize) -> u32 {
        self.asked[lane]
    }

    /// Waits of an input lane, at the switch that was charged last.
    pub fn waits(&self, lane: u8) -> LinkWaits {
        self.waits[usize::from(lane)]
    }

    /// Counters of an output lane of a switch with `count` output lanes.
    pub fn lane(&self, switch: SwitchId, lane: u8, count: u8) -> LaneStats {
        let LaneTotals { flits, blocked, top: (top_held, top_worm), .. } =
            self.lanes[switch.index() * usize::from(count) + usize::from(lane)];
        LaneStats { switch, lane, flits, blocked, top_worm, top_held }
    }
}

/// Branches of a worm that hold no lane: how many wait for a lane, and how many for a sibling.
/// `held` of the `branches` have their lane and `waiting` have none. `locks` says whether the worm
/// has reserved lanes.
fn without_lane(mode: Replication, branches: u8, held: u8, waiting: u8, locks: bool) -> (u8, u8) {
    let passed = branches - held - waiting;
    match mode {
        Replication::Sequential if held > 0 => (0, waiting),
        Replication::Sequential => (1, waiting - 1),
        // A head with reserved lanes waits for the other heads of its tree.
        Replication::Synchronous if locks => (0, waiting + passed),
        // A branch may have passed while the tail still waits here for a sibling.
        Replication::Asynchronous | Replication::Synchronous => (waiting, passed),
        Replication::Lockstep | Replication::Buffered => (waiting, 0),
    }
}
