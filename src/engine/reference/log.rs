//! Commit log of a cycle, computed from registers and outputs. It lists every lane, channel and
//! station, changed or not.

use wormscope_hw::header::Symbol;
use wormscope_hw::token_station::Event;
use wormscope_hw::{Flit, GroupMask, InputMask, LaneMask, NodeId, PortMask, SwitchId, WormId};
use wormscope_hw::{decoder, switch};

use super::Reference;
use super::instances::covers;
use crate::event::{
    CommitLog, ConsumeSample, InSample, InjectSample, InjectWait, LaneState, OutSample, TokenSample, payload_word,
};
use crate::flit_id::FlitId;
use crate::shape::Shape;
use crate::tables::Tables;

/// Name of a flit: its worm and index.
fn id(flit: Flit) -> FlitId {
    FlitId { worm: WormId(flit.worm()), index: flit.index() }
}

/// Ports of some lane groups.
fn group_ports(shape: &Shape, groups: GroupMask) -> PortMask {
    groups.iter().map(|group| group / shape.classes).collect()
}

/// Ports of some output lanes.
fn lane_ports(shape: &Shape, lanes: LaneMask) -> PortMask {
    lanes.iter().map(|lane| shape.lanes.outputs.port(lane)).collect()
}

/// Lane groups that some lanes belong to.
fn groups_of(shape: &Shape, lanes: LaneMask) -> GroupMask {
    (0..64).filter(|&group| !(shape.switch.group_lanes[usize::from(group)] & lanes).is_empty()).collect()
}

impl Reference {
    /// Logs all lanes of a switch after its evaluation. `before` has its registers before it.
    pub(super) fn log_switch(&self, s: u32, before: &switch::Reg, log: &mut CommitLog) {
        let (switch, is, out) = (SwitchId(s), &self.switches[s as usize].q, &self.switch_outs[s as usize]);
        for (lane, (was, is_now)) in (0..).zip(before.inputs.iter().zip(&is.inputs)) {
            let parked = is.station.map_or(InputMask::NONE, |station| station.request).has(lane);
            log.inputs.push(self.input(switch, lane, (before, was), (is_now, parked), out));
        }
        for (lane, (was, is_now)) in (0..).zip(before.outputs.iter().zip(&is.outputs)) {
            let crossing = out.sent.iter().find(|of| of.lane == lane);
            let data = crossing.map_or(0, |_| log.words.len() as u32);
            if let Some(switch::Crossing { from, symbol, .. }) = crossing {
                // The worm in service at the input. It has left the decoder if its only flit has
                // passed.
                let service = is.inputs[usize::from(*from)].decoder.service();
                let words = service.map(|of| of.header.clone()).or(symbol.header.clone()).unwrap_or_default();
                let tables = Tables(&self.shape, s);
                let mask = symbol.flit.encoding().header().mask(&tables, lane);
                let bits = self.data(symbol.flit, &words, mask);
                log.words
                    .extend(bits.chunks(64).map(|bits| bits.iter().rfold(0, |word, bit| word << 1 | u64::from(*bit))));
            }
            let owner = crossing.map(|of| of.from).or(is_now.lane.owner).or(was.lane.owner);
            let flit = crossing.map(|of| id(of.symbol.flit));
            log.outputs.push(OutSample { switch, lane, owner, credits: was.credits.count, flit, data });
        }
    }

    /// Sample of an input lane, from its registers before and after the cycle.
    fn input(
        &self,
        switch: SwitchId,
        lane: u8,
        (before, was): (&switch::Reg, &switch::Input),
        (is, parked): (&switch::Input, bool),
        out: &switch::Out,
    ) -> InSample {
        let shape = &self.shape;
        let sent: LaneMask = out.sent.iter().filter(|of| of.from == lane).map(|of| of.lane).collect();
        let strips = sent.is_empty() && out.freed.iter().any(|of| of.0 == lane);
        let fresh = |o: u8| shape.switch.allocation_register && before.outputs[usize::from(o)].lane.owner != Some(lane);
        let waits = !is.branches.wanted.is_empty() || is.branches.lanes.iter().any(fresh);
        let state = match &is.decoder {
            _ if !sent.is_empty() => LaneState::Move,
            _ if strips => LaneState::Header,
            decoder::Reg::Idle => LaneState::Idle,
            decoder::Reg::Deciding(service) if service.ready => LaneState::Route,
            decoder::Reg::Deciding(_) => LaneState::Header,
            decoder::Reg::Decided(_) if parked => LaneState::Token,
            decoder::Reg::Decided(_) if waits && !is.lock.lanes.is_empty() => LaneState::Heads,
            decoder::Reg::Decided(_) if waits => LaneState::Lanes,
            decoder::Reg::Decided(_) if was.fifo.count() == 0 => LaneState::Move,
            decoder::Reg::Decided(_) => LaneState::Blocked,
        };
        let branches = match (is.branches.is_idle(), was.branches.is_idle()) {
            (false, _) => is.branches.branches,
            (true, false) => was.branches.branches,
            // The worm was decided, crossed and left in one cycle, if there was one.
            (true, true) => groups_of(shape, sent),
        };
        let passed = was.branches.branches.without(was.branches.wanted).without(groups_of(shape, was.branches.lanes));
        let (front, service) = (was.fifo.front().map(|symbol| symbol.flit), is.decoder.service());
        InSample {
            switch,
            lane,
            state,
            enc: front.map(Flit::encoding).or(service.map(|of| of.enc)),
            fifo_count: was.fifo.count(),
            worm: front.map(Flit::worm).or(service.map(|of| of.worm)).map(WormId),
            flit: front.map(Flit::index),
            branches: group_ports(shape, branches),
            taken: lane_ports(shape, was.branches.taken) | group_ports(shape, passed),
            waits: self.ledger.waits(lane),
        }
    }

    /// Data of a flit that crosses, bit 0 first. `words` is the rest of its worm's header, and
    /// `mask` its mask, if there is one.
    pub(super) fn data(&self, flit: Flit, words: &[u64], mask: Option<&[u64]>) -> Vec<bool> {
        let shape = &self.shape;
        if !flit.is_header() {
            let word = |n| payload_word(WormId(flit.worm()), flit.index(), n, shape.flit_bits);
            return (0..shape.flit_bits).map(|bit| word(bit / 64) >> (bit % 64) & 1 != 0).collect();
        }
        shape.header_bits(flit.encoding(), self.worms[&flit.worm()].info.header_flits, flit.index(), words, mask)
    }

    /// Logs all channels of the nodes and all stations, after the evaluation of all instances.
    pub(super) fn log_others(&self, log: &mut CommitLog) {
        for ((n, node), out) in (0..).map(NodeId).zip(&self.nodes).zip(&self.node_outs) {
            let sends = |of: &Option<Symbol>| of.as_ref().map(|symbol| id(symbol.flit));
            for ((channel, injection), sent) in (0..).zip(&node.q.injections).zip(&out.sent) {
                let (credits, flit) = (injection.credits.count, sends(sent));
                let stalled = covers(&self.stalls.injections, &(n.0, channel), self.now);
                let stands = flit.is_none() && !injection.injector.is_idle();
                let why = if credits > 0 && !stalled { InjectWait::Turn } else { InjectWait::NoCredit };
                let waits = stands.then_some(why);
                log.injections.push(InjectSample { node: n, channel, credits, flit, queue: node.queued, waits });
            }
            let taken = (0..).zip(&out.taken).filter_map(|(channel, flit)| Some((channel, (*flit)?)));
            log.consumptions.extend(taken.map(|(channel, flit)| ConsumeSample { node: n, channel, flit: id(flit) }));
        }
        for ring in &self.rings {
            let station = |switch: &SwitchId| self.switches[switch.index()].q.station;
            let events = |switch: &SwitchId| &self.switch_outs[switch.index()].token;
            let released = |switch| {
                events(switch).iter().find_map(|event| match event {
                    Event::Released(input) => Some(*input),
                    Event::Wanted | Event::Captured(_) => None,
                })
            };
            let holder = |switch| station(switch).and_then(|station| station.holder).or(released(switch));
            let wanted = |switch| station(switch).is_some_and(|station| !station.request.is_empty());
            let drawn = ring.stations.iter().any(|switch| holder(switch).is_some() || wanted(switch));
            for (at, switch) in (0..).zip(&ring.stations) {
                let mut sample = TokenSample { switch: *switch, here: false, holder: None, request: InputMask::NONE };
                if drawn {
                    sample.holder = holder(switch);
                    sample.here = sample.holder.is_some() || ring.q.is_at(at);
                    sample.request = station(switch).map_or(InputMask::NONE, |station| station.request);
                }
                log.tokens.push(sample);
            }
        }
    }
}
