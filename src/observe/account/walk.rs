//! The account of a worm at a destination: from the arrival of its tail back to its creation.
//!
//! Each step follows the tail's way back to its last event. This is the flit before it on the same
//! channel, its own arrival from the channel before, or the end of a wait. Each cycle is charged
//! once, so that the account sums to the latency.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use wormscope_hw::{NodeId, PortId, PortMask, WormId};

use super::cause::Cause;
use super::history::{Feeder, History, Leads};
use super::track::AtInput;
use crate::engine::{Delivery, FlitId, InjectWait, LaneState, WormInfo};

/// Place of a worm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At its node, by the injection channel.
    Source(usize),
    /// At an input lane, by its index.
    Input(usize),
    /// On the way through an output lane, by its index.
    Output(usize),
    /// On the way through an injection channel, by its index.
    Injection(usize),
    /// At a node that receives the worm.
    Node(NodeId),
}

/// Cycles `from <= t < until` in which one cause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First cycle of the stretch.
    pub from: u64,
    /// The first cycle after the stretch.
    pub until: u64,
    /// Act or wait of the worm.
    pub cause: Cause,
    /// Place of the worm.
    pub at: Place,
    /// The output lane for which the worm waits, or which blocks the worm.
    pub output: Option<usize>,
}

impl Stretch {
    /// Number of cycles of the stretch.
    #[must_use]
    pub const fn cycles(&self) -> u64 {
        self.until - self.from
    }
}

/// Causes of all cycles of a worm, from its creation to the arrival of its tail at a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The worm.
    pub worm: WormId,
    /// The destination; of a worm that has not arrived, its first one.
    pub destination: NodeId,
    /// Cycle of creation.
    pub created: u64,
    /// Cycle in which the tail is at the destination, or the first one that is not in the account.
    pub tail: u64,
    /// Whether the tail has arrived.
    pub arrived: bool,
    /// Every cycle from `created` to before `tail` once, in order.
    pub stretches: Vec<Stretch>,
}

impl Account {
    /// Cycles of each cause, by its number.
    #[must_use]
    pub fn by_cause(&self) -> [u64; Cause::NAMES.len()] {
        let mut cycles = [0; Cause::NAMES.len()];
        self.stretches.iter().for_each(|of| cycles[of.cause.number()] += of.cycles());
        cycles
    }

    /// Stretches in which the worm waits. Stretches of the same place and kind that follow each
    /// other are joined, even if they wait for different worms.
    pub fn waits(&self) -> impl Iterator<Item = &[Stretch]> {
        let joined =
            |a: &Stretch, b: &Stretch| a.until == b.from && a.at == b.at && a.cause.number() == b.cause.number();
        self.stretches.chunk_by(joined).filter(|of| of[0].cause.is_wait())
    }
}

impl Account {
    /// Waits of the worm, the longest first.
    #[must_use]
    pub fn longest_waits(&self) -> Vec<&[Stretch]> {
        let mut waits: Vec<&[Stretch]> = self.waits().collect();
        waits.sort_by_key(|wait| (Reverse(cycles(wait)), wait[0].from));
        waits
    }

    /// Cycles in which the worm waits for each other worm, most first. `None` is for waits in which
    /// no worm holds the lane.
    #[must_use]
    pub fn waits_by_worm(&self) -> Vec<(Option<WormId>, u64)> {
        let mut worms: BTreeMap<Option<WormId>, u64> = BTreeMap::new();
        for of in self.stretches.iter().filter(|of| of.cause.is_wait()) {
            let own = matches!(of.cause, Cause::Sibling | Cause::Heads).then_some(self.worm);
            *worms.entry(own.or(of.cause.worm())).or_default() += of.cycles();
        }
        let mut worms: Vec<_> = worms.into_iter().collect();
        // Waits for no worm come last.
        worms.sort_by_key(|&(worm, cycles)| (worm.is_none(), Reverse(cycles), worm));
        worms
    }
}

/// Cycles of stretches together.
pub(super) fn cycles(of: &[Stretch]) -> u64 {
    of.iter().map(Stretch::cycles).sum()
}

/// A walk back under way.
struct Walk<'h> {
    history: &'h History<'h>,
    worm: &'h WormInfo,
    ready: u64,
    after: Option<WormId>,
    /// Stretches charged so far, the last one first: all from `now` on.
    stretches: Vec<Stretch>,
    now: u64,
}

impl History<'_> {
    /// A walk that begins before cycle `now`.
    fn walk<'h>(&'h self, worm: &'h WormInfo, now: u64) -> Walk<'h> {
        let under_way = self.worms.get(&worm.id.0);
        let (ready, after) = under_way.map_or((worm.created, None), |of| (of.ready, of.after));
        Walk { history: self, worm, ready, after, stretches: Vec::new(), now }
    }

    /// The account of a worm at the destination of a delivery. Call this before the history gets
    /// the delivery.
    #[must_use]
    pub fn account(&self, worm: &WormInfo, delivery: &Delivery) -> Account {
        let (last, node) = (Feeder::Output(self.last_lane(delivery)), delivery.destination);
        let tail = worm.header_flits + worm.payload_flits - 1;
        let mut walk = self.walk(worm, delivery.tail);
        if let Some(cycle) = self.crossed(last, walk.flit(tail), walk.now) {
            walk.charge(cycle + self.arrival(last), Cause::Sink, Place::Node(node), None);
            walk.travels(last, cycle);
        }
        Account { arrived: true, ..walk.back(Some((last, tail)), node, delivery.tail) }
    }

    /// The account up to the end of cycle `at`, for a worm that has not arrived everywhere. It
    /// follows the waiting head that has come farthest, else a head on a link, else the flit that
    /// moved last.
    #[must_use]
    pub fn account_so_far(&self, worm: &WormInfo, at: u64) -> Account {
        let mut walk = self.walk(worm, at + 1);
        let per = usize::from(self.lanes.inject);
        let first = worm.source.index() * per;
        let sent = |channel: usize| self.injections[channel].last_of(worm.id, worm.created, at).is_some();
        if !(first..first + per).any(sent) {
            return walk.back(Some((Feeder::Injection(first), 0)), worm.destinations[0], at + 1);
        }
        let waits = |input: usize| {
            let shown = self.shown(input, at).filter(|shown| shown.worm == Some(worm.id))?;
            let front = shown.front?;
            let came = self.crossed(self.feeders[input], FlitId { worm: worm.id, index: front }, at + 1)?;
            Some((came, input, shown, front))
        };
        // The flit nearest to the head is the farthest from the source.
        let farthest = (0..self.inputs.len()).filter_map(waits);
        let farthest = farthest.max_by_key(|&(came, input, _, front)| (Reverse(front), came, input));
        let head = FlitId { worm: worm.id, index: 0 };
        let on_link = (0..self.outputs.len()).map(Feeder::Output).chain((first..first + per).map(Feeder::Injection));
        let on_link = on_link.filter_map(|feeder| Some((self.crossed(feeder, head, at + 1)?, feeder)));
        let on_link = on_link.filter(|&(cycle, feeder)| cycle + self.arrival(feeder) > at);
        let on_link = on_link.max_by_key(|&(cycle, _)| cycle).filter(|_| farthest.is_none_or(|(.., front)| front > 0));
        let next = if let Some((cycle, feeder)) = on_link {
            walk.travels(feeder, cycle);
            Some((feeder, 0))
        } else if let Some((_, input, shown, front)) = farthest {
            let switch = self.input_of(input).0;
            let ports = || shown.no_credit.iter().chain(shown.lane_wait.iter()).chain(shown.branches.iter());
            let output = ports().next().map(|port| self.lane_of(input, switch, port, at));
            walk.through(input, output.unwrap_or(switch * usize::from(self.lanes.outputs.count())), front)
        } else {
            let outputs = self.outputs.iter().enumerate().map(|(n, track)| (Feeder::Output(n), track));
            let outputs = outputs.map(|(feeder, track)| (feeder, track.last_of(worm.id, worm.created, at)));
            let channels = (first..first + per).map(|n| (Feeder::Injection(n), &self.injections[n]));
            let channels = channels.map(|(feeder, track)| (feeder, track.last_of(worm.id, worm.created, at)));
            let last = outputs.chain(channels).filter_map(|(feeder, last)| Some((last?, feeder)));
            last.max_by_key(|((cycle, _), _)| *cycle).map(|((cycle, flit), feeder)| {
                walk.travels(feeder, cycle);
                (feeder, flit)
            })
        };
        walk.back(next, worm.destinations[0], at + 1)
    }

    /// Whether a mask of ports has this port, or the group of this port.
    pub(super) fn group_has(&self, mask: PortMask, port: u8) -> bool {
        mask.has(port) || mask.has(self.wiring.group(PortId(port)).0)
    }

    /// Why the branch of a worm through `output` does not send from input lane `input` in `cycle`.
    pub(super) fn why_branch(
        &self,
        input: usize,
        shown: &AtInput,
        output: usize,
        cycle: u64,
    ) -> (Cause, Option<usize>) {
        let (switch, lane) = self.output_of(output);
        let port = self.lanes.outputs.port(lane);
        if self.group_has(shown.no_credit, port) {
            return (self.no_credit(output, cycle), Some(output));
        }
        if self.group_has(shown.lane_wait, port) {
            return self.no_lane(input, switch, output, cycle);
        }
        // A sibling holds the flit: one that cannot send it, or sends it now, or has its turn.
        let group = self.wiring.group(PortId(port)).0;
        let sibling = |p: u8| (p != port && p != group).then(|| self.lane_of(input, switch, p, cycle));
        let siblings = || shown.branches.iter().filter_map(|p| Some((p, sibling(p)?)));
        let stuck = |mask: PortMask| siblings().find(|&(p, _)| self.group_has(mask, p));
        let waits = stuck(shown.no_credit).or_else(|| stuck(shown.lane_wait));
        let goes = || siblings().find(|&(_, lane)| self.outputs[lane].crosses(cycle) == shown.worm);
        if let Some((_, lane)) = waits.or_else(goes) {
            return (Cause::Sibling, Some(lane));
        }
        if shown.state == LaneState::Lanes {
            return (Cause::Lane(None), Some(output));
        }
        let owned = siblings().find(|&(_, lane)| self.owner(lane, cycle) == Some(input));
        (Cause::Sibling, owned.map(|(_, lane)| lane))
    }

    /// The lane of a port that an input lane owns, else the port's first one.
    pub(super) fn lane_of(&self, input: usize, switch: usize, port: u8, cycle: u64) -> usize {
        let first = switch * usize::from(self.lanes.outputs.count());
        let of_port = |output: &usize| {
            let at = self.lanes.outputs.port(self.output_of(*output).1);
            at == port || self.wiring.group(PortId(at)).0 == port
        };
        let mut lanes = (first..first + usize::from(self.lanes.outputs.count())).filter(of_port);
        let owned = lanes.clone().find(|&output| self.owner(output, cycle) == Some(input));
        owned.or_else(|| lanes.next()).unwrap_or(first)
    }

    /// The cause of a wait for the token at a switch.
    pub(super) fn no_token(&self, switch: usize, cycle: u64) -> Cause {
        match self.token_holder(switch, cycle) {
            Some((_, worm)) => Cause::Token(worm),
            None if self.stalled_station(switch, cycle).is_some() => Cause::Stall,
            None => Cause::Token(None),
        }
    }

    /// The cause of a wait for credit on an injection channel.
    pub(super) fn channel_no_credit(&self, channel: usize, cycle: u64) -> Cause {
        if self.is_channel_stalled(channel, cycle) {
            return Cause::Stall;
        }
        Cause::Credit(self.served(self.fed[channel], cycle))
    }

    /// The cause of a wait for credit on `output`.
    fn no_credit(&self, output: usize, cycle: u64) -> Cause {
        if self.is_link_stalled(output, cycle) {
            return Cause::Stall;
        }
        match self.leads[output] {
            Leads::Input(input) => Cause::Credit(self.served(input, cycle)),
            Leads::Node(_) | Leads::Nowhere => Cause::Sink,
        }
    }

    /// The cause of a wait for a lane, or for a turn on the link of one that is owned.
    fn no_lane(&self, input: usize, switch: usize, output: usize, cycle: u64) -> (Cause, Option<usize>) {
        let lanes = self.lanes.outputs;
        let group = |lane: u8| self.wiring.group(PortId(lanes.port(lane)));
        let own = self.output_of(output).1;
        let first = switch * usize::from(lanes.count());
        let beside = |port_only: bool| {
            (0..lanes.count()).filter(move |&lane| {
                if port_only { lanes.port(lane) == lanes.port(own) } else { group(lane) == group(own) }
            })
        };
        if self.owner(output, cycle) == Some(input) {
            let mut others = beside(true).map(|lane| first + usize::from(lane)).filter(|&lane| lane != output);
            let crosses = others.find_map(|lane| Some((self.outputs[lane].crosses(cycle)?, lane)));
            return crosses.map_or((Cause::Turn(None), Some(output)), |(worm, at)| (Cause::Turn(Some(worm)), Some(at)));
        }
        let all = std::iter::once(own).chain(beside(false)).map(|lane| first + usize::from(lane));
        let owned = all.filter_map(|lane| Some((lane, self.owner(lane, cycle)?)));
        let mut taken =
            owned.filter(|&(_, owner)| owner != input).map(|(lane, owner)| (lane, self.served(owner, cycle)));
        taken.next().map_or((Cause::Lane(None), Some(output)), |(lane, worm)| (Cause::Lane(worm), Some(lane)))
    }

    /// The holder of the token that a switch's worm waits for: its input lane and worm.
    pub(super) fn token_holder(&self, switch: usize, cycle: u64) -> Option<(usize, Option<WormId>)> {
        self.rings[switch].iter().find_map(|&at| {
            let (_, shown) = self.stations[at].at(cycle)?;
            let lane = self.input(at, shown.holder?);
            Some((lane, self.served(lane, cycle)))
        })
    }
}

impl Walk<'_> {
    /// Charges the cycles from `from` on that are not charged yet.
    fn charge(&mut self, from: u64, cause: Cause, at: Place, output: Option<usize>) {
        if from >= self.now {
            return;
        }
        match self.stretches.last_mut() {
            Some(last) if last.cause == cause && last.at == at && last.output == output => last.from = from,
            _ => self.stretches.push(Stretch { from, until: self.now, cause, at, output }),
        }
        self.now = from;
    }

    /// Charges the way of a flit that crossed a channel in `cycle`.
    fn travels(&mut self, feeder: Feeder, cycle: u64) {
        let place = match feeder {
            Feeder::Output(output) => Place::Output(output),
            Feeder::Injection(channel) => Place::Injection(channel),
            Feeder::Nowhere => return,
        };
        self.charge(cycle + 1, Cause::Link, place, None);
        self.charge(cycle, Cause::Crossing, place, None);
    }

    fn flit(&self, index: u32) -> FlitId {
        FlitId { worm: self.worm.id, index }
    }

    /// Goes back to the creation, from a flit that crossed a channel in the cycle `now`.
    fn back(mut self, mut next: Option<(Feeder, u32)>, destination: NodeId, tail: u64) -> Account {
        while let Some((feeder, flit)) = next {
            next = self.before(feeder, flit);
        }
        self.stretches.reverse();
        let WormInfo { id, created, .. } = *self.worm;
        Account { worm: id, destination, created, tail, arrived: false, stretches: self.stretches }
    }

    /// A flit crossed a channel in the cycle `now`: the channel before it and the flit that came
    /// last through that.
    fn before(&mut self, feeder: Feeder, flit: u32) -> Option<(Feeder, u32)> {
        match feeder {
            Feeder::Output(output) => {
                let input = self.history.owner(output, self.now)?;
                self.through(input, output, flit)
            }
            Feeder::Injection(channel) => {
                self.at_source(channel, flit);
                None
            }
            Feeder::Nowhere => None,
        }
    }

    /// A flit crosses `output` in the cycle `now`, or is still to. Charges the causes of its waits
    /// at its input lane; gives the channel before and the flit that came last through it.
    fn through(&mut self, input: usize, output: usize, mut flit: u32) -> Option<(Feeder, u32)> {
        let history = self.history;
        let (switch, _) = history.input_of(input);
        let (feeder, place) = (history.feeders[input], Place::Input(input));
        let cycles = history.arrival(feeder);
        let came = |walk: &Self, flit| Some(history.crossed(feeder, walk.flit(flit), walk.now)? + cycles);
        let mut arrived = came(self, flit)?;
        while self.now > self.worm.created {
            // The previous flit crossed in the previous cycle.
            let before = history.outputs[output].streams(self.now).next();
            let before = before.filter(|s| s.until == self.now && s.leads_to(self.flit(flit)));
            if let Some(stream) = before {
                flit = stream.first;
                self.charge(stream.from, Cause::Crossing, Place::Output(output), None);
                arrived = came(self, flit)?;
                continue;
            }
            if arrived >= self.now {
                self.travels(feeder, arrived - cycles);
                return Some((feeder, flit));
            }
            let at = self.now - 1;
            let (since, shown) = history.inputs[input].at(at)?;
            let (cause, wanted) = match (shown.worm, shown.state) {
                (Some(worm), _) if worm != self.worm.id => (Cause::Fifo(worm), None),
                (_, LaneState::Header) => {
                    // The flit of the header that arrived last and completed the header.
                    let whole = (flit..self.worm.header_flits).rev();
                    let mut whole = whole.filter_map(|of| Some((of, came(self, of)?)));
                    if let Some((of, cycle)) = whole.find(|(_, cycle)| *cycle <= self.now)
                        && cycle == self.now
                        && of > flit
                    {
                        self.travels(feeder, cycle - cycles);
                        return Some((feeder, of));
                    }
                    (Cause::Header, None)
                }
                (_, LaneState::Route) => (Cause::Decision, None),
                (_, LaneState::Token) => (history.no_token(switch, at), None),
                (_, LaneState::Heads) => (Cause::Heads, None),
                _ => history.why_branch(input, &shown, output, at),
            };
            // The cause stays while its inputs do not change.
            let steady = matches!(cause, Cause::Decision | Cause::Heads | Cause::Fifo(_));
            let from = if steady { since.max(arrived) } else { at };
            self.charge(from, cause, place, wanted);
        }
        None
    }

    /// A flit left its node in the cycle `now`.
    fn at_source(&mut self, channel: usize, mut flit: u32) {
        let history = self.history;
        let place = Place::Source(channel);
        let track = &history.injections[channel];
        while self.now > self.worm.created {
            let before = track.streams(self.now).next();
            let before_own = before.filter(|s| s.until == self.now && s.leads_to(self.flit(flit)));
            if let Some(stream) = before_own {
                flit = stream.first;
                self.charge(stream.from, Cause::Crossing, Place::Injection(channel), None);
                continue;
            }
            let at = self.now - 1;
            let (since, waits) = track.at(at).map_or((0, None), |(since, shown)| (since, shown.waits));
            let next = track.since(at).find_map(|(from, shown)| {
                shown.first.filter(|_| from > at || track.crosses(at).is_some()).map(|of| of.worm)
            });
            let works_from = self.ready.saturating_sub(history.startup_cycles);
            let (from, cause) = if flit == 0 && at < self.ready {
                if at >= works_from { (works_from, Cause::StartUp) } else { (0, Cause::Queue(self.after)) }
            } else if next.is_some_and(|worm| worm != self.worm.id) {
                // While the sample of the channel stays the same, the same worm is next.
                (since.max(self.ready), Cause::Queue(next))
            } else {
                let cause = match waits {
                    Some(InjectWait::NoCredit) => history.channel_no_credit(channel, at),
                    Some(InjectWait::Turn) => Cause::Turn(history.beside(channel, at)),
                    None => Cause::Queue(None),
                };
                (at, cause)
            };
            self.charge(from.max(self.worm.created), cause, place, None);
        }
    }
}

impl History<'_> {
    /// The worm that crosses another channel of the same node.
    fn beside(&self, channel: usize, cycle: u64) -> Option<WormId> {
        let per = usize::from(self.lanes.inject);
        let first = channel / per * per;
        (first..first + per).filter(|&other| other != channel).find_map(|other| self.injections[other].crosses(cycle))
    }
}
