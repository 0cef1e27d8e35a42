//! Samples of the changes in a cycle, for the commit log. They are registers as they stood at the
//! start of the cycle, and decisions and crossings of the cycle.

use super::switch::Done;
use wormscope_hw::{Flit, InputMask, NodeId, PortMask, Replication, SwitchId, WormId, bits};

use super::Engine;
use super::sampler::InBefore;
use super::shape::BankedShape;
use crate::event::{
    CommitLog, ConsumeSample, InSample, InjectSample, InjectWait, LaneState, LinkWaits, Observer, OutSample,
};
use crate::flit_id::FlitId;

/// Ports of a set of lane groups.
fn group_ports(shape: &BankedShape, groups: u64) -> PortMask {
    bits(groups).map(|g| g as u8 / shape.classes).collect()
}

/// Ports of a set of output lanes.
fn lane_ports(shape: &BankedShape, lanes: u64) -> PortMask {
    bits(lanes).map(|l| shape.lanes.outputs.port(l as u8)).collect()
}

impl Engine {
    pub(super) fn sample_switch(&mut self, s: u32, done: Done) {
        let shape = &self.shape;
        let (bank, first) = shape.bank(s);
        let q = self.banks.masks(bank);
        let lane = shape.first_lane(s);
        let id = |slot: u32| self.worms.get(slot).info.id;
        let requests = self.fabric.aside.rings.station(s).map_or(InputMask::NONE, |station| station.request);
        for (i, before) in self.sampler.inputs.iter().enumerate() {
            let after = self.banks.input(lane + i);
            let bit = 1u64 << first << i;
            let busy = (q.deciding | q.active) & bit != 0;
            let state = if done.moved & bit != 0 {
                LaneState::Move
            } else if done.stripped & bit != 0 || q.deciding & bit != 0 && !after.ready {
                LaneState::Header
            } else if q.deciding & bit != 0 {
                LaneState::Route
            } else if !busy {
                LaneState::Idle
            } else if requests.has(i as u8) {
                LaneState::Token
            } else if after.wanted != 0 && !self.banks.lock(lane + i).lanes.is_empty() {
                LaneState::Heads
            } else if after.wanted != 0 || self.banks.reader(lane + i).lanes & done.fresh != 0 {
                LaneState::Lanes
            } else if before.count == 0 {
                LaneState::Move
            } else {
                LaneState::Blocked
            };
            let worm = before.front.map(Flit::worm).or_else(|| busy.then_some(after.worm));
            self.log.inputs.push(InSample {
                switch: SwitchId(s),
                lane: i as u8,
                state,
                enc: before.front.map(Flit::encoding).or_else(|| busy.then_some(after.enc)),
                fifo_count: before.count,
                worm: worm.map(id),
                flit: before.front.map(Flit::index),
                // A worm of one flit may be decided, cross and be gone in one cycle.
                branches: group_ports(shape, if (q.active | done.moved) & bit == 0 { 0 } else { after.branches }),
                taken: lane_ports(shape, before.taken >> first) | group_ports(shape, before.passed),
                waits: self.waits(s, i, before, &done, requests.has(i as u8)),
            });
        }
        let from = self.log.outputs.len();
        for (o, &(owner, credits)) in self.sampler.outputs.iter().enumerate() {
            let after = self.banks.output(lane + o);
            self.log.outputs.push(OutSample {
                switch: SwitchId(s),
                lane: o as u8,
                owner: after.owner().or(owner).map(|owner| owner - first),
                credits,
                flit: None,
                data: 0,
            });
        }
        for c in self.fabric.aside.crossings.drain(..) {
            let sample = &mut self.log.outputs[from + (c.lane - first) as usize];
            sample.flit = Some(FlitId { worm: id(c.flit.worm()), index: c.flit.index() });
            sample.data = c.words;
            if sample.owner.is_none() {
                // Granted, crossed and released in one cycle: the only flit left of its worm, at
                // the front of its input.
                let same = |f: Flit| (f.worm(), f.index()) == (c.flit.worm(), c.flit.index());
                let owner = self.sampler.inputs.iter().position(|q| q.front.is_some_and(same));
                sample.owner = owner.map(|i| i as u8);
            }
        }
    }

    /// Waits of input lane `i` of a switch in the cycle that has been evaluated, as the account has
    /// them.
    fn waits(&self, s: u32, i: usize, before: &InBefore, done: &Done, is_parked: bool) -> LinkWaits {
        let (shape, p) = (&self.shape, &self.shape.params);
        let (bank, first) = shape.bank(s);
        let (q, lane) = (self.banks.masks(bank), shape.first_lane(s));
        let bit = 1 << first << i;
        let several = q.replicating & bit != 0;
        let moved = done.moved & bit != 0;
        // A worm with one branch that moves waits for nothing.
        if (q.active & !done.stripped) & bit == 0 || moved && !several || is_parked {
            return LinkWaits::default();
        }
        let after = self.banks.input(lane + i);
        let locks = !self.banks.lock(lane + i).lanes.is_empty();
        let held = self.banks.reader(lane + i).lanes;
        let wanted = match p.replication {
            _ if locks || several && before.count == 0 => 0,
            Replication::Sequential if several && (held != 0 || moved) => 0,
            Replication::Sequential => after.wanted & after.wanted.wrapping_neg(),
            _ => after.wanted,
        };
        // A lane that has not sent has the credits that it had.
        let still = if before.count == 0 { 0 } else { held & !done.crossed & !done.fresh };
        let served = |o: usize| match p.replication {
            _ if !several => false,
            Replication::Asynchronous | Replication::Synchronous => before.taken >> o & 1 != 0,
            Replication::Lockstep => q.credit >> o & 1 != 0,
            // Both have gone down by one where the front flit was popped.
            Replication::Buffered | Replication::Sequential => {
                self.banks.output(lane - usize::from(first) + o).ahead >= q.flits.get(usize::from(first) + i)
            }
        };
        let waiting = bits(still).filter(|&o| !served(o)).fold(0, |lanes, o| lanes | 1 << o);
        LinkWaits {
            no_credit: lane_ports(shape, (waiting & !q.credit) >> first),
            lane_wait: lane_ports(shape, (waiting & q.credit) >> first) | group_ports(shape, wanted),
        }
    }

    pub(super) fn sample_node(&mut self, n: u32, sent: u64, offered: u64) {
        let (bank, first) = self.shape.channels.place(n);
        for c in 0..self.shape.node.injection_lanes {
            let lane = usize::from(first + c);
            let q = self.nodes.channel(bank, lane);
            // The registers are those behind the cycle: a flit sent has spent a credit and counted
            // up.
            let flit = (sent >> c & 1 != 0)
                .then(|| FlitId { worm: self.worms.get(q.next.worm()).info.id, index: q.next.index() - 1 });
            self.log.injections.push(InjectSample {
                node: NodeId(n),
                channel: c,
                credits: self.nodes.credits(bank, lane) + u16::from(flit.is_some()),
                flit,
                queue: self.nodes.queued(n),
                waits: (flit.is_none() && !q.is_idle()).then_some(if offered >> c & 1 != 0 {
                    InjectWait::Turn
                } else {
                    InjectWait::NoCredit
                }),
            });
        }
    }

    /// Hands the cycle's log to the observer, if anything is in it.
    pub(super) fn commit<O: Observer>(&mut self, observer: &mut O) {
        let (now, log) = (self.now, &mut self.log);
        self.fabric.aside.consumptions.retain(|c| {
            if c.at == now {
                log.consumptions.push(ConsumeSample {
                    node: NodeId(c.node),
                    channel: c.channel,
                    flit: FlitId { worm: WormId(c.worm_id), index: c.flit.index() },
                });
            }
            c.at != now
        });
        log.cycle = now;
        std::mem::swap(&mut log.words, &mut self.fabric.aside.words);
        let silent = log.inputs.is_empty() && log.injections.is_empty() && log.consumptions.is_empty();
        if !(silent && log.tokens.is_empty()) {
            observer.commit(log);
        }
        let CommitLog { cycle: _, inputs, outputs, injections, consumptions, tokens, words } = log;
        inputs.clear();
        outputs.clear();
        injections.clear();
        consumptions.clear();
        tokens.clear();
        words.clear();
    }
}
