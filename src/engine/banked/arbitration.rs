//! Choices of arbiters: a search reads the choices of a run, and imposes other choices.
//!
//! A test imposes a choice before the cycle. Otherwise the arbiters decide by themselves. The
//! inputs that asked are known after the cycle: the inputs with a grant, and the inputs that still
//! ask. The kind of an arbiter says which of these it could have chosen
//! ([`could_grant`](wormscope_hw::Arbiter::could_grant)).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use nonmax::NonMaxU8;
use wormscope_hw::arbiter::{self, round_robin};
use wormscope_hw::{InputMask, Replication, SwitchId, WormId, bits};

use super::Engine;
use crate::snapshot::LaneRef;

/// An arbiter that grants lanes or tokens. The multiplexer of a link is not among them. It lets the
/// channels of the link take turns, and it grants nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArbiterRef {
    /// Arbiter of an output lane, with incremental acquisition.
    Lane(LaneRef),
    /// The allocator of a switch, with atomic acquisition.
    Switch(SwitchId),
    /// The station of a switch on its token ring.
    Token(SwitchId),
}

impl ArbiterRef {
    /// Switch of the arbiter.
    #[must_use]
    pub fn switch(self) -> SwitchId {
        match self {
            Self::Lane(lane) => lane.switch,
            Self::Switch(switch) | Self::Token(switch) => switch,
        }
    }
}

/// Arbiters that chose, in one cycle, from the same requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The arbiters, and the input lane of the switch that each chose: lanes of a group, or one of
    /// any other kind. An allocator chooses the first of several that it may serve.
    pub chosen: Vec<(ArbiterRef, u8)>,
    /// The input lanes that asked, ascending. There are at least two.
    pub inputs: Vec<u8>,
    /// Other choices that the arbiters make if their registers have other values.
    pub others: Vec<Vec<(ArbiterRef, u8)>>,
}

impl Contest {
    /// Arbiters that chose among `asked`. Each arbiter could have granted one of the inputs
    /// `could`, which are a part of its remaining requests. `None` if only one input asked.
    fn new(chosen: Vec<(ArbiterRef, u8)>, asked: InputMask, could: impl Fn(InputMask) -> InputMask) -> Option<Self> {
        if chosen.is_empty() || asked.count() < 2 {
            return None;
        }
        let mut others = vec![(Vec::new(), asked)];
        for &(arbiter, _) in &chosen {
            let longer = |(chosen, left): (Vec<(ArbiterRef, u8)>, InputMask)| {
                let with = |input| ([&chosen[..], &[(arbiter, input)]].concat(), left.without(InputMask::only(input)));
                could(left).iter().map(with).collect::<Vec<_>>()
            };
            others = others.into_iter().flat_map(longer).collect();
        }
        let others = others.into_iter().map(|(other, _)| other).filter(|other| *other != chosen).collect();
        Some(Self { chosen, inputs: asked.iter().collect(), others })
    }
}

/// Grants of one cycle in an order in which arbiters could make them. `lane_choice` may begin at a
/// lane that is not the lowest of its group.
fn in_turn(
    mut chosen: Vec<(ArbiterRef, u8)>,
    asked: InputMask,
    could: impl Fn(InputMask) -> InputMask,
) -> Vec<(ArbiterRef, u8)> {
    let (mut left, mut ordered) = (asked, Vec::new());
    while !chosen.is_empty() {
        let next = could(left);
        let first = chosen.iter().position(|&(_, input)| next.has(input)).unwrap_or(0);
        let grant = chosen.remove(first);
        left = left.without(InputMask::only(grant.1));
        ordered.push(grant);
    }
    ordered
}

impl Engine {
    /// Imposes a choice on an arbiter: at its next grant it chooses `input`, or the first asking
    /// input after it.
    pub fn impose(&mut self, arbiter: ArbiterRef, input: u8) {
        match arbiter {
            ArbiterRef::Lane(LaneRef { switch, lane }) => {
                let lane = self.shape.first_lane(switch.0) + usize::from(lane);
                self.banks.output_mut(lane).imposed = NonMaxU8::new(input);
            }
            ArbiterRef::Switch(switch) => {
                let lane = self.shape.first_lane(switch.0);
                self.banks.output_mut(lane).imposed = NonMaxU8::new(input);
            }
            ArbiterRef::Token(switch) => {
                if let Some(station) = self.fabric.aside.rings.station_mut(switch.0) {
                    station.pointer = input;
                }
            }
        }
    }

    /// The contests of the last evaluated cycle. `before` is the engine before this cycle.
    #[must_use]
    pub fn contests(&self, before: &Self) -> Vec<Contest> {
        let mut contests = Vec::new();
        for (s, q, first) in self.switches() {
            let switch = SwitchId(s);
            self.token_contest(before, switch, &mut contests);
            let granted_at = |engine: &Self, o: usize| engine.banks.output(first + o).granted_at;
            let outs = 0..usize::from(self.shape.params.out_lanes);
            let granted = outs.filter(|&o| granted_at(self, o) != granted_at(before, o));
            let granted = granted.fold(0, |lanes, o| lanes | 1_u64 << o);
            // In a network of synchronous worms, one order of the worms decides at all switches.
            if granted == 0 || self.shape.params.replication == Replication::Synchronous {
                continue;
            }
            // A worm that held or won a lane, and has passed it by now, goes on to its next branch.
            // The worm asks for this branch only in the next cycle.
            let sequential = self.shape.params.replication == Replication::Sequential;
            let won = self.winners(switch, granted).fold(0, |inputs, winner| inputs | 1_u64 << winner);
            let held = |i: usize| won >> i & 1 != 0 || before.banks.reader(first + i).lanes != 0;
            let asking = bits(q.asking).filter(|&i| !(sequential && held(i))).fold(0, |asking, i| asking | 1 << i);
            if self.shape.params.atomic {
                self.allocator_contest(before, switch, granted, asking, &mut contests);
            } else {
                self.lane_contests(switch, granted, asking, &mut contests);
            }
        }
        contests
    }

    /// Inputs that won the lanes granted last.
    fn winners(&self, switch: SwitchId, granted: u64) -> impl Iterator<Item = u8> {
        let (first, (_, field)) = (self.shape.first_lane(switch.0), self.shape.bank(switch.0));
        bits(granted).filter_map(move |o| Some(self.banks.output(first + o).winner?.get() - field))
    }

    fn token_contest(&self, before: &Self, switch: SwitchId, contests: &mut Vec<Contest>) {
        let station = |engine: &Self| engine.fabric.aside.rings.station(switch.0).copied();
        if let (Some(now), Some(before)) = (station(self), station(before))
            && before.holder.is_none()
            && (now.holder.is_some() || now.pointer != before.pointer)
            && !now.request.is_empty()
        {
            let winner = self.behind(now.pointer);
            let asked = now.request | InputMask::only(winner);
            contests.extend(Contest::new(vec![(ArbiterRef::Token(switch), winner)], asked, |left| left));
        }
    }

    /// The winner after which a pointer is.
    fn behind(&self, pointer: u8) -> u8 {
        let inputs = self.shape.params.in_lanes;
        (0..inputs).find(|&winner| round_robin::behind(winner, inputs) == pointer).unwrap_or(pointer)
    }

    /// For every group of lanes: the inputs with a grant, and all inputs that asked for a lane.
    fn lane_contests(&self, switch: SwitchId, granted: u64, asking: u64, contests: &mut Vec<Contest>) {
        let (p, first) = (&self.shape.params, self.shape.first_lane(switch.0));
        let (mut left, field) = (granted, self.shape.bank(switch.0).1);
        for (group, &lanes) in p.group_lanes.iter().enumerate() {
            let lanes = lanes & left;
            left &= !lanes;
            let chosen = bits(lanes).filter_map(|o| {
                let winner = self.banks.output(first + o).winner?.get() - field;
                Some((ArbiterRef::Lane(LaneRef { switch, lane: o as u8 }), winner))
            });
            let chosen: Vec<_> = chosen.collect();
            let losers = bits(asking).filter(|&i| self.asks(first + i) >> group & 1 != 0);
            let asked = losers.map(|i| i as u8).chain(chosen.iter().map(|(_, winner)| *winner)).collect();
            let could = |left| self.could_grant(switch, left);
            contests.extend(Contest::new(in_turn(chosen, asked, could), asked, could));
        }
    }

    /// Asking inputs to which an arbiter of lanes could grant.
    fn could_grant(&self, switch: SwitchId, asking: InputMask) -> InputMask {
        let p = &self.shape.params;
        let i = arbiter::In { requests: p.ranked(asking.0), inputs: p.in_lanes };
        bits(p.arbiter.could_grant(i, &self.age(switch))).map(|place| p.order[place]).collect()
    }

    /// Number of the worm at an input of a switch, by its place in the order of the arbiters.
    fn age(&self, switch: SwitchId) -> impl Fn(u8) -> u32 {
        let first = self.shape.first_lane(switch.0);
        move |place| {
            let input = first + usize::from(self.shape.params.order[usize::from(place)]);
            self.worms.get(self.banks.input(input).worm).info.id.0
        }
    }

    /// Groups that an input lane asks for.
    fn asks(&self, lane: usize) -> u64 {
        let wanted = self.banks.input(lane).wanted;
        match self.shape.params.replication {
            Replication::Sequential => wanted & wanted.wrapping_neg(),
            _ => wanted,
        }
    }

    /// The winners of an allocator, and all inputs that asked.
    fn allocator_contest(
        &self,
        before: &Self,
        switch: SwitchId,
        granted: u64,
        asking: u64,
        contests: &mut Vec<Contest>,
    ) {
        let (bank, field) = self.shape.bank(switch.0);
        // A worm of one flit has passed by now.
        let asked = self.winners(switch, granted).fold(asking, |inputs, winner| inputs | 1 << winner);
        let p = &self.shape.params;
        let winner = before.banks.0[bank as usize].choose(p, field, p.ranked(asked), &self.age(switch));
        let chosen = vec![(ArbiterRef::Switch(switch), p.order[usize::from(winner)])];
        contests.extend(Contest::new(chosen, InputMask(asked), |left| self.could_grant(switch, left)));
    }

    /// A number that differs for different states of the same cycle. Equal states have equal
    /// futures when every choice of an arbiter is open, so pointers do not count. Two states that
    /// differ have the same number with a probability of 2^-64.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.registers().without_pointers().hash(&mut hasher);
        // Flits and credits on their way.
        for delay in 1..self.shape.slots as u32 {
            let slot = self.shape.slot_behind(self.slot, delay);
            let (switches, nodes) = (&self.fabric.switches, &self.fabric.nodes);
            for bank in 0..self.shape.banks() {
                let wires = switches.rings[switches.edge(slot) + bank as usize];
                (wires.flits, wires.credits).hash(&mut hasher);
            }
            for bank in 0..self.shape.node_banks() {
                nodes.rings[nodes.edge(slot) + bank as usize].hash(&mut hasher);
            }
        }
        for (s, ..) in self.switches() {
            for lane in 0..self.shape.params.in_lanes {
                for flit in self.flits_at(self.shape.at(SwitchId(s), lane)) {
                    (self.worms.get(flit.worm()).info.id.0, flit.index()).hash(&mut hasher);
                }
            }
        }
        let extra = self.fabric.aside.extra_credits.iter().map(|(at, to, n)| (*at, to.number(), to.is_node(), *n));
        let mut extra: Vec<_> = extra.collect();
        extra.sort_unstable();
        extra.hash(&mut hasher);
        for (channel, space, flits) in self.fabric.aside.sinks.iter().flat_map(|sinks| sinks.standing()) {
            (channel, space).hash(&mut hasher);
            for (at, flit) in flits {
                (at, self.worms.get(flit.worm()).info.id.0, flit.index()).hash(&mut hasher);
            }
        }
        (self.worms.alive, self.worms.arriving.len()).hash(&mut hasher);
        hasher.finish()
    }

    /// The worm in service at an input lane of a switch.
    #[must_use]
    pub fn worm_at(&self, switch: SwitchId, input: u8) -> Option<WormId> {
        let (bank, first) = self.shape.bank(switch.0);
        let busy = (self.banks.masks(bank).active >> first >> input) & 1 != 0;
        let lane = self.shape.first_lane(switch.0) + usize::from(input);
        busy.then(|| self.worms.get(self.banks.input(lane).worm).info.id)
    }
}
