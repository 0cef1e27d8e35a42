//! The observer that counts events of a run in bins.

mod outputs;

use super::catalogue::{EventCounts, GroupId};
use super::dimensions::fan_out;
use super::facts::Facts;
use super::groups::{behind, blocking, contest, network, token, turn, worm};
use super::lanes::{
    NEVER, NO_LANE, NO_WORM, NodeChannel, PlacedLane, SeenInput, WatchedInput, WatchedOutput, features, fill,
};
use crate::engine::{
    CommitLog, ConsumeSample, Delivery, Grant, InSample, InjectSample, InjectWait, Observer, Samples, TokenSample,
    WormInfo,
};
use crate::network::{End, Lanes, Network, Wiring};
use wormscope_hw::{Acquisition, InputMask, LaneMask, PortId, PortMask, Replication, SwitchId, WormId};

/// The bins that a run has reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Places of bins in the flat array, ascending, each with the number of its events.
    pub hits: Vec<(usize, u64)>,
    /// Facts about the run.
    pub facts: Facts,
}

/// Constants of the network.
#[derive(Clone, Debug)]
struct Constants {
    lanes: Lanes,
    /// Number of input lanes, output lanes, injection and consumption channels of an instance.
    ins: usize,
    outs: usize,
    injects: usize,
    consumes: usize,
    /// Depths of the FIFOs of switches: behind other switches, and behind nodes.
    depth: u16,
    injection_depth: u16,
    /// Virtual channels of a link between switches, and of a link to a node.
    channels: [u8; 2],
    has_turns: bool,
    /// For each output lane: the port that a branch names, all lanes of this port, and the lanes of
    /// its group.
    ports: Vec<u8>,
    siblings: Vec<LaneMask>,
    groups: Vec<LaneMask>,
    replication: Replication,
    acquisition: Acquisition,
    arbiter: usize,
    decision: [usize; 2],
    pipeline: [usize; 4],
    network: usize,
}

/// Counts events of a run in bins.
#[derive(Clone, Debug)]
pub struct Coverage {
    counts: EventCounts,
    facts: Facts,
    of: Constants,
    /// Lanes, switch-major, and channels, node-major.
    seen: Vec<SeenInput>,
    inputs: Vec<WatchedInput>,
    outputs: Vec<WatchedOutput>,
    injections: Vec<NodeChannel>,
    consumptions: Vec<NodeChannel>,
    /// Holder of the token at each switch, and the holder of the visit before.
    holders: Vec<(Option<u8>, u8)>,
    /// Input lanes of each switch that wait for a lane, a bit each.
    waiting: Vec<u64>,
    /// Flits of each worm.
    lengths: Vec<u32>,
    /// Encodings of worms, as bits.
    encodings: u64,
    /// Lanes that were granted in this cycle.
    granted: Vec<Grant>,
    /// The output lanes at the places of banks. Empty before the first commit with banks.
    places: Vec<PlacedLane>,
    /// By bank, the input lanes whose FIFO has `injection_depth` in place of `depth`.
    injected: Vec<u64>,
}

/// The end of a lane that leads nowhere.
const NOWHERE: u8 = u8::MAX;
/// The end of a lane that leads to a node.
const TO_NODE: u8 = 2;

impl Coverage {
    /// Counts the events of a run of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let switch = &network.switch;
        let (ins, outs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let (injects, consumes) = (usize::from(lanes.inject), usize::from(lanes.consume));
        let (switches, nodes) = (wiring.switches(), wiring.nodes());
        let port = |lane: u8| PortId(lanes.outputs.port(lane));
        let all_groups = network.lane_groups(wiring, lanes);
        let group = |lane: u8| all_groups.iter().copied().find(|group| group.has(lane)).unwrap_or(LaneMask::NONE);
        let mut outputs = Vec::with_capacity(switches as usize * outs);
        for s in (0..switches).map(SwitchId) {
            for lane in 0..lanes.outputs.count() {
                let end = wiring.output(s, port(lane)).filter(|_| lanes.has_output(wiring, s, lane));
                let (lead, credits) = match end {
                    Some(End::Switch(..)) if wiring.climb(port(lane)).is_some() => (1, switch.fifo_depth),
                    Some(End::Switch(..)) => (0, switch.fifo_depth),
                    Some(End::Node(_)) => (TO_NODE, network.consumption_depth()),
                    None => (NOWHERE, 0),
                };
                let leads_on =
                    |other: &u8| lanes.has_output(wiring, s, *other) && wiring.output(s, port(*other)).is_some();
                let in_group = if lead == NOWHERE { 0 } else { group(lane).iter().filter(leads_on).count() };
                outputs.push(WatchedOutput {
                    owner: NO_LANE,
                    winner: NO_LANE,
                    from: NO_LANE,
                    channel: NO_LANE,
                    worm: NO_WORM,
                    tail: 0,
                    silent: NEVER,
                    credits: credits as u16,
                    lead,
                    lanes: in_group as u8,
                });
            }
        }
        let all_lanes = || 0..lanes.outputs.count();
        let names = |lane: u8| wiring.group(port(lane));
        let siblings = |lane: u8| all_lanes().filter(|&other| names(other) == names(lane)).collect();
        Self {
            counts: EventCounts::new(),
            facts: Facts::new(network, wiring),
            of: Constants {
                lanes,
                ins,
                outs,
                injects,
                consumes,
                depth: switch.fifo_depth as u16,
                injection_depth: network.injection_depth() as u16,
                channels: [switch.virtual_channels as u8, network.node_channels() as u8],
                has_turns: switch.virtual_channels > 1 || network.node_channels() > 1,
                ports: all_lanes().map(|lane| wiring.group(port(lane)).0).collect(),
                siblings: all_lanes().map(siblings).collect(),
                groups: all_lanes().map(group).collect(),
                replication: switch.replication,
                acquisition: switch.acquisition,
                arbiter: switch.arbiter as usize,
                decision: [switch.header_timing as usize, switch.routing_cycles as usize],
                pipeline: [
                    switch.allocation_cycles as usize,
                    switch.crossbar_cycles as usize,
                    (network.link.link_cycles as usize).saturating_sub(1),
                    (network.link.credit_cycles as usize).saturating_sub(1),
                ],
                network: network::kind(&network.topology),
            },
            seen: network.input_depths(wiring).map(|depth| SeenInput::idle(depth as u16)).collect(),
            inputs: vec![WatchedInput::IDLE; switches as usize * ins],
            outputs,
            injections: vec![NodeChannel::IDLE; nodes as usize * injects],
            consumptions: vec![NodeChannel::IDLE; nodes as usize * consumes],
            holders: if network.token_ring.is_some() { vec![(None, NO_LANE); switches as usize] } else { Vec::new() },
            waiting: vec![0; switches as usize],
            lengths: Vec::new(),
            encodings: 0,
            granted: Vec::new(),
            places: Vec::new(),
            injected: Vec::new(),
        }
    }

    /// The bins that the run has reached.
    #[must_use]
    pub fn covered(self) -> Covered {
        Covered { hits: self.counts.hits(), facts: self.facts.with_encodings(self.encodings) }
    }

    /// Takes the sample of an input lane with an event.
    #[inline(never)]
    fn input(&mut self, cycle: u64, s: &InSample, key: u64) {
        let Self { counts, of, seen, inputs, waiting, .. } = self;
        let at = s.switch.index() * of.ins + usize::from(s.lane);
        let (now, i) = (&mut seen[at], &mut inputs[at]);
        now.key = key;
        let worm = s.worm.map_or(NO_WORM, |WormId(worm)| worm);
        if worm != i.worm {
            if i.worm != NO_WORM {
                i.left = Some(cycle);
            }
            if worm != NO_WORM {
                if let Some(left) = i.left {
                    counts.hit(GroupId::Behind, [0, behind::between(cycle - left)]);
                }
                i.first = s.flit.unwrap_or(0);
                i.encoding = s.enc.unwrap_or_default() as u8;
            }
            (i.worm, i.branches, i.order) = (worm, PortMask::default(), super::groups::acquisition::LaneOrder::NONE);
        }
        let encoding = usize::from(i.encoding);
        let fan = fan_out(s.branches.count());
        if i.branches.is_empty() && !s.branches.is_empty() {
            counts.hit(GroupId::FanOut, [encoding, fan, of.replication as usize]);
            counts.hit(GroupId::Decision, [encoding, of.decision[0], of.decision[1]]);
        }
        i.branches = s.branches;
        let state = s.state as u8;
        if state != i.state {
            counts.hit(GroupId::State, [usize::from(i.state), usize::from(state)]);
            i.state = state;
        }
        if fan > 0 {
            let (fill, some_took) = (fill(s.fifo_count, now.depth), usize::from(!s.taken.is_empty()));
            counts.hit(GroupId::Replication, [of.replication as usize, fill, some_took]);
        }
        if s.waits != now.waits {
            now.waits = s.waits;
            let bit = 1 << s.lane;
            let asks = if s.waits.lane_wait.is_empty() { 0 } else { bit };
            waiting[s.switch.index()] = waiting[s.switch.index()] & !bit | asks;
            if !s.waits.no_credit.is_empty() || !s.waits.lane_wait.is_empty() {
                let [which, by] = blocking::values(s.branches, s.waits);
                counts.hit(GroupId::Blocking, [encoding, fan, which, by]);
            }
        }
    }

    /// Takes the sample of an injection channel.
    #[inline(always)]
    fn injection(&mut self, cycle: u64, s: &InjectSample) {
        let channel = &mut self.injections[s.node.index() * self.of.injects + usize::from(s.channel)];
        let does = match (s.flit, s.waits) {
            (Some(_), _) => 0,
            (None, Some(InjectWait::NoCredit)) => 1,
            (None, Some(InjectWait::Turn)) => 2,
            (None, None) => 3,
        };
        channel.owned = does != 3;
        let key = does as u64 | u64::from(s.queue.min(3)) << 2;
        if key != channel.key {
            channel.key = key;
            self.counts.hit(GroupId::Injection, [does, s.queue as usize]);
        }
        if let Some(flit) = s.flit {
            if flit.worm.0 != channel.worm {
                if channel.worm != NO_WORM {
                    self.counts.hit(GroupId::Behind, [3, behind::between(cycle - channel.silent)]);
                }
                channel.worm = flit.worm.0;
            }
            channel.silent = cycle + 1;
        }
    }

    /// Takes a flit that crosses an injection link of several virtual channels.
    #[inline(never)]
    fn injection_turn(&mut self, s: &InjectSample) {
        let Some(flit) = s.flit else { return };
        let channels = self.of.channels[1];
        let (channel, at) = (s.channel % channels, s.node.index() * self.of.injects + usize::from(s.channel));
        let first = at - usize::from(channel);
        let link = &mut self.injections[first..first + usize::from(channels)];
        let owned = link.iter().filter(|of| of.owned).count();
        let before = std::mem::replace(&mut link[0].turn, channel);
        if before != NO_LANE {
            self.counts.hit(GroupId::Turn, [1, owned - 1, turn::order(before, channel)]);
        }
        let last = self.lengths.get(flit.worm.index()).map(|length| length.wrapping_sub(1));
        self.injections[at].owned = Some(flit.index) != last;
    }

    /// Takes a flit at a consumption channel.
    #[inline(always)]
    fn consumption(&mut self, cycle: u64, s: &ConsumeSample) {
        let channel = &mut self.consumptions[s.node.index() * self.of.consumes + usize::from(s.channel)];
        if s.flit.worm.0 != channel.worm {
            if channel.worm != NO_WORM {
                self.counts.hit(GroupId::Behind, [4, behind::between(cycle.saturating_sub(channel.silent))]);
            }
            channel.worm = s.flit.worm.0;
        }
        channel.silent = cycle + 1;
    }

    fn station(&mut self, s: &TokenSample) {
        let Some((holder, before)) = self.holders.get_mut(s.switch.index()) else { return };
        let state = token::state(s.here, s.holder, *holder);
        let held = std::mem::replace(holder, s.holder);
        self.counts.hit(GroupId::Token, [state, usize::from(s.request.count())]);
        if let Some(winner) = s.holder.filter(|_| s.holder != held) {
            let waiting = (s.request | InputMask::only(winner)).count();
            let before = contest::before(std::mem::replace(before, winner), winner, NO_LANE);
            self.counts.hit(GroupId::TokenWinner, [usize::from(waiting) - 1, before]);
        }
    }
}

impl Observer for Coverage {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        Samples::Changes
    }

    fn commit(&mut self, log: &CommitLog) {
        let cycle = log.cycle;
        for s in &log.inputs {
            let i = &mut self.seen[s.switch.index() * self.of.ins + usize::from(s.lane)];
            i.count = s.fifo_count;
            let key = features(s, i.depth);
            if key != i.key || s.waits != i.waits {
                self.input(cycle, s, key);
            }
        }
        match log.places {
            Some(places) => self.by_bank(log, places),
            None => self.by_lane(log),
        }
        if !self.granted.is_empty() {
            self.grants(cycle);
        }
        for s in &log.injections {
            self.injection(cycle, s);
        }
        if self.of.channels[1] > 1 {
            for s in &log.injections {
                self.injection_turn(s);
            }
        }
        for s in &log.consumptions {
            self.consumption(cycle, s);
        }
        for s in &log.tokens {
            self.station(s);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        let encoding = worm.encoding as usize;
        let length = worm.header_flits + worm.payload_flits;
        self.lengths.push(length);
        self.encodings |= 1 << encoding;
        let is_longer = usize::from(length > u32::from(self.of.depth));
        let destinations = worm::destinations(worm.destinations.len());
        self.counts.hit(GroupId::Worm, [encoding, destinations, is_longer]);
        self.counts.hit(GroupId::Network, [self.of.network, encoding]);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if worm.header_flits > 0 {
            let residue = delivery.flits.saturating_sub(worm.payload_flits) as usize;
            self.counts.hit(GroupId::Residue, [worm.encoding as usize, residue]);
        }
    }
}
