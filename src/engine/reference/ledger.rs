//! Where cycles go, told anew in every cycle from what a switch's registers were, what it did and
//! what they are. The banked engine keeps the same account by adding up how long each wait lasted.

use wormscope_hw::{Replication, SwitchId, WormId, bits, decoder, replication, switch};

use crate::engine::stats::{CycleAccount, LaneStats};

/// Counters of a run.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    pub account: CycleAccount,
    /// Output lanes, switch-major.
    lanes: Vec<Lane>,
    /// Registers of the switch under evaluation at the start of the cycle.
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

/// An output lane over the whole run.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    flits: u64,
    blocked: u64,
    /// Cycles for which its owner has held it.
    held: u64,
    /// The longest of these, and the worm.
    top: (u64, Option<WormId>),
}

#[derive(Clone, Copy, Debug)]
struct Input {
    count: u16,
    /// The worm in service, or else the one at the front.
    worm: Option<u32>,
    stripped: bool,
    branches: replication::Reg,
}

#[derive(Clone, Copy, Debug)]
struct Output {
    owner: Option<u8>,
    credits: u16,
    ahead: u16,
}

impl Ledger {
    /// An empty one, of so many output lanes.
    pub fn new(lanes: usize) -> Self {
        Self {
            account: CycleAccount::default(),
            lanes: vec![Lane::default(); lanes],
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Keeps a switch's registers at the start of a cycle; whether there is a worm in it.
    pub fn before(&mut self, q: &switch::Reg) -> bool {
        self.inputs.clear();
        self.inputs.extend(q.inputs.iter().map(|input| {
            let service = input.decoder.service();
            let front = || input.fifo.front().map(|symbol| symbol.flit.worm());
            Input {
                count: input.fifo.count(),
                worm: service.map(|of| of.worm).or_else(front),
                stripped: service.is_some_and(|of| of.stripped),
                branches: input.branches,
            }
        }));
        self.outputs.clear();
        let outputs = q.outputs.iter();
        self.outputs.extend(outputs.map(|lane| Output { owner: lane.owner, credits: lane.credits, ahead: lane.ahead }));
        self.inputs.iter().any(|input| input.worm.is_some())
    }

    /// Accounts the cycle of switch `s` whose registers are `q` behind it.
    pub fn behind(
        &mut self,
        s: u32,
        (p, i): (&switch::Params, &switch::In),
        q: &switch::Reg,
        out: &switch::Out,
        to_node: impl Fn(u8) -> bool,
    ) {
        let credit = (0..).zip(&self.outputs).filter(|(_, lane)| lane.credits > 0);
        let credit = credit.fold(0_u64, |lanes, (o, _)| lanes | 1 << o) & !i.stalled;
        let account = &mut self.account;
        let lanes = &mut self.lanes[s as usize * q.outputs.len()..][..q.outputs.len()];
        for (n, (was, is)) in (0..).zip(self.inputs.iter().zip(&q.inputs)) {
            let Some(worm) = was.worm else { continue };
            if matches!(is.decoder, decoder::Reg::Deciding(_)) {
                account.header += 1;
                continue;
            }
            let sent = out.sent.iter().filter(|of| of.from == n).fold(0_u64, |lanes, of| lanes | 1 << of.lane);
            let held = is.branches.lanes | sent;
            for o in bits(held) {
                lanes[o].held += 1;
                if lanes[o].held > lanes[o].top.0 {
                    lanes[o].top = (lanes[o].held, Some(WormId(worm)));
                }
            }
            for o in bits(sent) {
                lanes[o].flits += 1;
            }
            account.moving += u64::from(sent.count_ones());

            let is_new = |o: &usize| self.outputs[*o].owner != Some(n);
            let fresh = bits(held).filter(|o| p.allocation_register && is_new(o));
            let fresh = fresh.fold(0_u64, |lanes, o| lanes | 1 << o);
            let stripped = !was.stripped && is.decoder.service().is_some_and(|of| of.stripped);
            if stripped {
                account.header += 1;
                continue;
            }
            // A worm that was decided in the cycle in which its only flit crossed all branches has
            // no other.
            let (wanted, branches) = (is.branches.wanted, was.branches.branches | is.branches.branches);
            let branches = if branches == 0 { held.count_ones() } else { branches.count_ones() };
            if is.parked {
                account.token += u64::from(branches);
                continue;
            }
            if branches == 1 && wanted != 0 {
                account.lane_wait += 1;
            }
            if branches == 1 || was.count > 0 {
                account.header += u64::from(fresh.count_ones());
            }
            if was.count == 0 {
                continue;
            }
            for o in bits(held & !sent & !fresh) {
                let served = branches > 1
                    && match p.replication {
                        Replication::Asynchronous => was.branches.taken >> o & 1 != 0,
                        Replication::Lockstep => credit >> o & 1 != 0,
                        Replication::Buffered | Replication::Sequential => {
                            !is_new(&o) && self.outputs[o].ahead >= was.count
                        }
                    };
                let kind = if served {
                    &mut account.sibling
                } else if credit >> o & 1 != 0 {
                    // Another virtual channel of the link has this cycle.
                    &mut account.lane_wait
                } else {
                    lanes[o].blocked += 1;
                    if to_node(o as u8) { &mut account.endpoint } else { &mut account.no_credit }
                };
                *kind += 1;
            }
            if branches > 1 {
                let (waiting, passed) = (wanted.count_ones(), branches - held.count_ones() - wanted.count_ones());
                let (lane, sibling) = match p.replication {
                    Replication::Sequential if held != 0 => (0, waiting),
                    Replication::Sequential => (1, waiting - 1),
                    // A branch whose tail has crossed while the tail still stands here for a
                    // sibling.
                    Replication::Asynchronous => (waiting, passed),
                    Replication::Lockstep | Replication::Buffered => (waiting, 0),
                };
                account.lane_wait += u64::from(lane);
                account.sibling += u64::from(sibling);
            }
        }
        for (lane, _) in lanes.iter_mut().zip(&q.outputs).filter(|(_, q)| q.owner.is_none()) {
            lane.held = 0;
        }
    }

    /// Counters of an output lane of a switch that has `count` of them.
    pub fn lane(&self, switch: SwitchId, lane: u8, count: u8) -> LaneStats {
        let Lane { flits, blocked, top: (top_held, top_worm), .. } =
            self.lanes[switch.index() * usize::from(count) + usize::from(lane)];
        LaneStats { switch, lane, flits, blocked, top_worm, top_held }
    }
}
