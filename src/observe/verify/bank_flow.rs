//! Flits and credits of whole banks of lanes at once: credits, FIFO bounds, ownership.
//!
//! *Problem.* To look at each flit at each switch takes most of the time of a run with checkers.
//!
//! *Mechanism.* The engine gives the FIFO counts, the credits and the crossings of up to 64 lanes
//! as words. Counters of the checker stand side by side in the same way. The checker looks at
//! single flits only if they are heads, leave their source, or leave for a node.
//!
//! *Soundness.* The checker counts the credits of each lane itself. A flit that crosses takes one.
//! A flit that leaves the next FIFO gives one back when its credit is due. These counts and the
//! credits of the engine must be equal in each cycle. The checker counts the flits from head to
//! tail, and sees each flit at its node. It does not see which flit of a worm crosses a switch.
//! After a breach, the run is repeated lane by lane.

use std::collections::VecDeque;

use wormscope_hw::bits;

use super::arrivals::Arrivals;
use super::due::{Due, DueMasks};
use super::ends::{Ends, FarEnd};
use super::plan::Itineraries;
use super::rules::{Breaches, Rule};
use super::watched_bank::{Tally, WatchedBank};
use crate::engine::{
    BankSample, CommitLog, ConsumeSample, FlitId, InjectSample, LaneBanks, OutSample, SlicedCounters, WormInfo,
};
use crate::network::{Lanes, Link, Network, Wiring};

/// Cycles of a link.
#[derive(Clone, Copy, Debug)]
struct Loop {
    delay: u64,
    credit_delay: u64,
}

/// The worm that crosses an output lane, or that crossed it last.
#[derive(Clone, Copy, Debug, Default)]
struct OpenWorm {
    worm: u32,
    /// Number of its flits that cross this lane.
    flits: u32,
    /// Index of its next flit, and the input that owns the lane; kept for lanes to nodes alone.
    next: u32,
    owner: Option<u8>,
}

/// An injection channel.
#[derive(Clone, Debug)]
struct WatchedChannel {
    /// Place of the FIFO to which it leads.
    to: u32,
    credits: u16,
    open: Option<FlitId>,
    /// The first channel of its link, and the cycle after the last flit on the link.
    shared: u32,
    used: u64,
}

/// Follows flits and credits bank by bank.
#[derive(Clone, Debug)]
pub(super) struct BankFlow<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    places: LaneBanks,
    /// Flits of a FIFO behind a link between switches, and behind a node.
    depth: u16,
    injection_depth: u16,
    between: Loop,
    to_nodes: Loop,
    from_nodes: Loop,
    banks: Vec<WatchedBank>,
    /// By bank, the cycle in which links with several channels were used last, and these links by
    /// the places of their first lanes.
    used: Vec<(u64, u64)>,
    ends: Ends,
    worms: Vec<OpenWorm>,
    /// For each FIFO, the worms that have begun to enter it, without those before the one in
    /// service.
    entered: Vec<VecDeque<u32>>,
    injections: Vec<WatchedChannel>,
    /// Flits that are at their node and not taken, by the place of their output lane.
    at_nodes: Vec<u32>,
    /// Flits and credits of lanes of switches on their way, and those of channels.
    flits: DueMasks,
    returns: DueMasks,
    injected: Due<u32>,
    to_consume: Due<u32>,
    refunds: Due<u32>,
    /// Credits for a lane that come together with another one.
    more_returns: Due<u32>,
    /// Number of flits of each worm.
    lengths: Vec<u32>,
}

impl<'a> BankFlow<'a> {
    /// The lanes of the banks have these places. `lengths` has the flits of each worm so far.
    pub fn new(network: &Network, wiring: &'a Wiring, places: LaneBanks, lengths: Vec<u32>) -> Self {
        let lanes = network.lanes(wiring);
        let (switch, node) = (&network.switch, &network.node);
        let [depth, injection_depth, at_nodes] =
            [switch.fifo_depth, network.injection_depth(), network.consumption_depth()].map(|depth| depth as u16);
        let cycles = |link: Link, crossbar: u32| Loop {
            delay: (crossbar + link.link_cycles).into(),
            credit_delay: link.credit_cycles.into(),
        };
        let between = cycles(network.link, switch.crossbar_cycles);
        let to_nodes = cycles(node.consumption_link, switch.crossbar_cycles);
        let from_nodes = cycles(node.injection_link, 0);
        let banks = places.banks(wiring.switches());
        let node_channels = network.node_channels() as u8;
        let ends = Ends::new(wiring, lanes, places, [switch.virtual_channels as u8, node_channels]);
        let channel = |(at, &to): (u32, &u32)| {
            let shared = at - (at % u32::from(lanes.inject)) % u32::from(node_channels);
            WatchedChannel { to, credits: injection_depth, open: None, shared, used: 0 }
        };
        let injections = (0..).zip(&ends.injections).map(channel).collect();
        let mut flow = Self {
            wiring,
            lanes,
            places,
            depth,
            injection_depth,
            between,
            to_nodes,
            from_nodes,
            banks: Vec::with_capacity(banks),
            used: vec![(u64::MAX, 0); banks],
            worms: vec![OpenWorm::default(); 64 * banks],
            entered: vec![VecDeque::new(); 64 * banks],
            at_nodes: vec![0; 64 * banks],
            ends,
            injections,
            flits: DueMasks::within(between.delay, banks),
            returns: DueMasks::within(between.credit_delay.max(to_nodes.credit_delay), banks),
            injected: Due::within(from_nodes.delay),
            to_consume: Due::within(to_nodes.delay),
            refunds: Due::within(from_nodes.credit_delay),
            more_returns: Due::within(between.credit_delay),
            lengths,
        };
        flow.banks.extend((0..banks).map(|bank| flow.to_reset(bank, at_nodes)).collect::<Vec<_>>());
        flow
    }

    /// A bank at reset. Lanes to nodes have `at_nodes` credits.
    fn to_reset(&self, bank: usize, at_nodes: u16) -> WatchedBank {
        let mut full = SlicedCounters::new(self.depth.max(at_nodes));
        let (mut exist, mut to_nodes, mut from_nodes) = (0, 0, 0);
        for lane in 0..64 {
            let at = 64 * bank + lane;
            from_nodes |= u64::from(matches!(self.ends.from[at], FarEnd::Channel(_))) << lane;
            let credits = match self.ends.to[at] {
                FarEnd::Lane(_) => self.depth,
                FarEnd::Channel(_) => at_nodes,
                FarEnd::Nowhere => continue,
            };
            full.set(lane, credits);
            exist |= 1 << lane;
            to_nodes |= u64::from(matches!(self.ends.to[at], FarEnd::Channel(_))) << lane;
        }
        WatchedBank {
            told: SlicedCounters::new(self.depth.max(self.injection_depth)),
            from_nodes,
            due: 0,
            credits: full,
            full,
            exist,
            to_nodes,
            lost: 0,
            open: 0,
            passed: Tally::default(),
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.lengths.push(worm.header_flits + worm.payload_flits);
    }

    /// Flits of the FIFO at a place.
    fn depth_of(&self, place: usize) -> u16 {
        if matches!(self.ends.from[place], FarEnd::Channel(_)) { self.injection_depth } else { self.depth }
    }

    fn output_name(&self, place: usize) -> String {
        let (switch, lane) = self.places.lane(place);
        format!("{}.{}", self.wiring.switch_name(switch), self.lanes.output_name(lane))
    }

    fn input_name(&self, place: usize) -> String {
        let (switch, lane) = self.places.lane(place);
        format!("{}.{}", self.wiring.switch_name(switch), self.lanes.input_name(lane))
    }

    /// Checks a cycle.
    pub fn commit(
        &mut self,
        log: &CommitLog,
        plan: &mut Itineraries,
        arrivals: &mut Arrivals,
        breaches: &mut Breaches,
    ) {
        let cycle = log.cycle;
        self.take_flits(cycle, breaches);
        for s in &log.banks {
            self.fifos(cycle, s, breaches);
        }
        // A flit that left its FIFO in the cycle before may have returned its credit by now.
        self.take_credits(cycle, breaches);
        for s in &log.outputs {
            let Some(flit) = s.flit else { continue };
            if self.one_by_one(cycle, s, flit, breaches) {
                plan.begins(cycle, s, flit, breaches);
            }
            arrivals.crossing(log, s, flit, breaches);
        }
        for s in &log.banks {
            self.outputs(cycle, s, breaches);
        }
        for s in &log.injections {
            self.injection(cycle, s, breaches);
        }
        for s in &log.consumptions {
            self.consumption(cycle, s, breaches);
            arrivals.consumption(cycle, s, breaches);
        }
    }

    /// Checks that no worm is under way.
    pub fn complete(&self, end: u64, breaches: &mut Breaches) {
        let channels = self.injections.iter().zip(0..).filter(|(channel, _)| channel.open.is_some());
        let mut open: Vec<String> = channels.map(|(_, at)| self.channel_name(at)).collect();
        let lanes = self.banks.iter().enumerate().flat_map(|(n, bank)| bits(bank.open).map(move |lane| 64 * n + lane));
        open.extend(lanes.map(|place| self.output_name(place)));
        for name in open {
            breaches.add(Rule::LaneOwnership, end, || format!("the tail of a worm has not crossed {name}"));
        }
    }

    fn channel_name(&self, at: usize) -> String {
        let per = usize::from(self.lanes.inject);
        format!("node{}.{}", at / per, self.lanes.inject_name((at % per) as u8))
    }

    /// Takes the flits that arrive in a cycle.
    fn take_flits(&mut self, cycle: u64, breaches: &mut Breaches) {
        let Self { banks, flits, injected, to_consume, at_nodes, .. } = self;
        let mut missed = 0;
        flits.take(cycle, |bank, lanes| {
            let due = &mut banks[bank].due;
            missed |= *due & lanes;
            *due |= lanes;
        });
        injected.take(cycle, |to| {
            let (due, lane) = (&mut banks[to as usize / 64].due, 1 << (to % 64));
            missed |= *due & lane;
            *due |= lane;
        });
        if missed != 0 {
            breaches.add(Rule::FifoBounds, cycle, || "a FIFO did not take the flit that was sent into it".to_owned());
        }
        to_consume.take(cycle, |place| at_nodes[place as usize] += 1);
    }

    /// Takes the credits that come back in a cycle.
    fn take_credits(&mut self, cycle: u64, breaches: &mut Breaches) {
        let Self { banks, returns, more_returns, injections, refunds, .. } = self;
        returns.take(cycle, |bank, lanes| banks[bank].returned(lanes, cycle, breaches));
        more_returns.take(cycle, |place| banks[place as usize / 64].returned(1 << (place % 64), cycle, breaches));
        refunds.take(cycle, |channel| injections[channel as usize].credits += 1);
    }

    /// Checks the FIFOs of a bank, and sends the credits of the flits that have left them.
    #[inline]
    fn fifos(&mut self, cycle: u64, s: &BankSample, breaches: &mut Breaches) {
        let first = 64 * s.bank as usize;
        let bank = &mut self.banks[s.bank as usize];
        let arrived = bank.due & s.live;
        bank.due &= !s.live;
        // Flits that were there or have arrived, less those that are there.
        let (mut carry, mut borrow, mut gone, mut some) = (arrived, 0, [0; 16], 0);
        for ((told, now), gone) in bank.told.planes().iter().zip(s.flits.planes()).zip(&mut gone) {
            let there = told ^ carry;
            carry &= told;
            *gone = (there ^ now ^ borrow) & s.live;
            borrow = !there & (now | borrow) | now & borrow;
            some |= *gone;
        }
        bank.told.replace(&s.flits, s.live);
        let mut above = s.flits.above(self.depth);
        if self.injection_depth != self.depth {
            above = above & !bank.from_nodes | s.flits.above(self.injection_depth) & bank.from_nodes;
        }
        let wrong = (borrow & !carry | above) & s.live;
        if wrong != 0 {
            let lane = wrong.trailing_zeros() as usize;
            breaches.add(Rule::FifoBounds, cycle, || {
                let (name, count, depth) =
                    (self.input_name(first + lane), s.flits.get(lane), self.depth_of(first + lane));
                format!("{name} holds {count} flits, which were not sent into its FIFO of {depth}")
            });
            some &= !wrong;
        }
        let (due, mut others) = (cycle + self.between.credit_delay - 1, some);
        for links in &self.ends.links_from[s.bank as usize] {
            others &= !links.lanes;
            if let Some(ends) = links.ends(some) {
                self.returns.push(due, links.bank, ends);
            }
        }
        let several = gone[1..].iter().fold(0, |several, plane| several | plane);
        for lane in bits(others | several & some) {
            let count = gone.iter().rev().fold(0, |n, plane| n << 1 | plane >> lane & 1);
            match self.ends.from[first + lane] {
                FarEnd::Lane(to) => (1..count).for_each(|_| self.more_returns.push(due, to)),
                FarEnd::Channel(channel) => {
                    let due = cycle + self.from_nodes.credit_delay - 1;
                    (0..count).for_each(|_| self.refunds.push(due, channel));
                }
                FarEnd::Nowhere => {}
            }
        }
    }

    /// Checks a head, or a flit that leaves for a node. Returns whether its worm begins to cross.
    fn one_by_one(&mut self, cycle: u64, s: &OutSample, flit: FlitId, breaches: &mut Breaches) -> bool {
        let FlitId { worm, index } = flit;
        let place = self.places.place(s.switch, s.lane);
        let bit = 1 << (place % 64);
        let bank = &mut self.banks[place / 64];
        let of = &mut self.worms[place];
        let is_next = (worm.0, index, s.owner) == (of.worm, of.next, of.owner);
        let is_open = bank.open & bit != 0;
        if is_open && is_next && bank.to_nodes & bit != 0 {
            of.next += 1;
            return false;
        }
        if is_open {
            breaches.add(Rule::LaneOwnership, cycle, || {
                let name = self.output_name(place);
                format!("flit {index} of worm {worm} crosses {name} before the tail of the worm before it")
            });
        }
        let flits = self.lengths.get(worm.index()).map_or(0, |length| length.saturating_sub(index));
        self.worms[place] = OpenWorm { worm: worm.0, flits, next: index + 1, owner: s.owner };
        let bank = &mut self.banks[place / 64];
        bank.open |= bit;
        bank.passed.clear(place % 64);
        if let FarEnd::Lane(to) = self.ends.to[place] {
            self.entered[to as usize].push_back(worm.0);
        }
        let serves = s.owner.filter(|&owner| owner < self.lanes.inputs.count()).and_then(|owner| {
            let entered = &mut self.entered[self.places.place(s.switch, owner)];
            let before = entered.iter().position(|of| *of == worm.0)?;
            entered.drain(..before);
            Some(())
        });
        if serves.is_none() {
            breaches.add(Rule::LaneOwnership, cycle, || {
                let name = self.output_name(place);
                format!("worm {worm} crosses {name}, but the input that owns the lane does not serve it")
            });
        }
        true
    }

    /// Checks the output lanes of a bank.
    #[inline]
    fn outputs(&mut self, cycle: u64, s: &BankSample, breaches: &mut Breaches) {
        let first = 64 * s.bank as usize;
        let bank = &mut self.banks[s.bank as usize];
        let checked = bank.exist & !bank.lost & s.live;
        let unequal = bank.credits.differ(&s.credits) & checked;
        let empty = s.crossed & !s.credits.planes().iter().fold(0, |some, plane| some | plane) & checked;
        let strays = s.crossed & !bank.open;
        if unequal | empty | strays != 0 {
            self.wrong_outputs(cycle, s, [unequal, empty, strays], breaches);
        }
        let bank = &mut self.banks[s.bank as usize];
        bank.credits.down(s.crossed & bank.exist & !bank.lost);
        bank.passed.up(s.crossed);
        let (crossed, to_nodes) = (s.crossed & bank.exist, bank.to_nodes);
        for links in &self.ends.links_to[s.bank as usize] {
            if let Some(ends) = links.ends(crossed) {
                self.flits.push(cycle + self.between.delay, links.bank, ends);
            }
        }
        for lane in bits(crossed & to_nodes) {
            self.to_consume.push(cycle + self.to_nodes.delay, (first + lane) as u32);
        }
        for links in &self.ends.shared[s.bank as usize] {
            let Some(ends) = links.ends(crossed) else { continue };
            let (at, used) = &mut self.used[links.bank];
            if std::mem::replace(at, cycle) != cycle {
                *used = 0;
            }
            let twice = *used & ends;
            *used |= ends;
            if twice != 0 {
                let place = 64 * links.bank + twice.trailing_zeros() as usize;
                breaches.add(Rule::LaneOwnership, cycle, || {
                    format!("two flits on the link of {}", self.output_name(place))
                });
            }
        }
        for lane in bits(s.tails & self.banks[s.bank as usize].open) {
            let (bank, of) = (&mut self.banks[s.bank as usize], self.worms[first + lane]);
            bank.open &= !(1 << lane);
            let passed = bank.passed.get(lane);
            let is_whole = bank.to_nodes >> lane & 1 == 0 || self.lengths.get(of.worm as usize) == Some(&of.next);
            if passed != of.flits || !is_whole {
                breaches.add(Rule::LaneOwnership, cycle, || {
                    let OpenWorm { worm, flits, .. } = of;
                    format!("{passed} flits of worm {worm} cross {}, not {flits}", self.output_name(first + lane))
                });
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong_outputs(&mut self, cycle: u64, s: &BankSample, wrong: [u64; 3], breaches: &mut Breaches) {
        let [unequal, empty, strays] = wrong;
        let first = 64 * s.bank as usize;
        self.banks[s.bank as usize].lost |= unequal | empty;
        for lane in bits(unequal) {
            breaches.add(Rule::Credits, cycle, || {
                let (told, counted) = (s.credits.get(lane), self.banks[s.bank as usize].credits.get(lane));
                format!("{} has {told} credits, not {counted}", self.output_name(first + lane))
            });
        }
        for lane in bits(empty & !unequal) {
            breaches.add(Rule::Credits, cycle, || format!("{} sends without credit", self.output_name(first + lane)));
        }
        for lane in bits(strays) {
            breaches.add(Rule::LaneOwnership, cycle, || {
                format!("a flit without a head crosses {}", self.output_name(first + lane))
            });
        }
    }

    /// Checks an injection channel in a cycle.
    fn injection(&mut self, cycle: u64, s: &InjectSample, breaches: &mut Breaches) {
        let at = s.node.index() * usize::from(self.lanes.inject) + usize::from(s.channel);
        let channel = &mut self.injections[at];
        let name = || format!("node{}.{}", s.node, self.lanes.inject_name(s.channel));
        if s.credits != channel.credits {
            breaches
                .add(Rule::Credits, cycle, || format!("{} has {} credits, not {}", name(), s.credits, channel.credits));
            channel.credits = s.credits;
        }
        let Some(flit) = s.flit else { return };
        if s.credits == 0 {
            breaches.add(Rule::Credits, cycle, || format!("{} sends without credit", name()));
        }
        channel.credits = channel.credits.saturating_sub(1);
        let length = self.lengths.get(flit.worm.index()).copied().unwrap_or(0);
        let next = FlitId { index: flit.index + 1, ..flit };
        let open = std::mem::replace(&mut channel.open, (next.index < length).then_some(next));
        if open.is_some_and(|open| open != flit) {
            breaches.add(Rule::LaneOwnership, cycle, || {
                format!("flit {} of worm {} leaves {} in the midst of another worm", flit.index, flit.worm, name())
            });
        }
        if open.is_none() {
            self.entered[channel.to as usize].push_back(flit.worm.0);
        }
        self.injected.push(cycle + self.from_nodes.delay, channel.to);
        let shared = channel.shared as usize;
        if std::mem::replace(&mut self.injections[shared].used, cycle + 1) == cycle + 1 {
            breaches.add(Rule::LaneOwnership, cycle, || format!("two flits on the link of {}", name()));
        }
    }

    /// Checks a flit at a consumption channel, and sends its credit.
    fn consumption(&mut self, cycle: u64, s: &ConsumeSample, breaches: &mut Breaches) {
        let channel = s.node.index() * usize::from(self.lanes.consume) + usize::from(s.channel);
        let place = self.ends.consumptions[channel] as usize;
        let Some(there) = self.at_nodes.get_mut(place) else { return };
        if *there == 0 {
            breaches.add(Rule::FifoBounds, cycle, || {
                let name = self.output_name(place);
                format!("a flit of worm {} that was not sent then arrives from {name}", s.flit.worm)
            });
            return;
        }
        *there -= 1;
        self.returns.push(cycle + self.to_nodes.credit_delay, place / 64, 1 << (place % 64));
    }
}
