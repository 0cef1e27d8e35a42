//! From a wait to its root: the worm that holds the lane, the lane that this worm waits for, and so
//! on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use wormscope_hw::WormId;

use super::cause::Cause;
use super::history::{Feeder, History, Leads};
use super::walk::{Account, Place, Stretch, cycles};
use crate::engine::{InjectWait, LaneState};

/// A worm at a place, in the traced cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// The worm.
    pub worm: WormId,
    /// Place of the worm.
    pub at: Place,
    /// Act or wait of the worm at the place. `None`: all its flits have left the place, and the
    /// next flits have not arrived.
    pub cause: Option<Cause>,
    /// The output lane for which the worm waits, or which blocks the worm.
    pub output: Option<usize>,
}

/// End of a search for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The last worm moves, or a unit works on it.
    Moves,
    /// The last worm waits for a token or a credit on its way, which no worm holds.
    OnItsWay,
    /// A node does not take flits.
    Node,
    /// The workload stalls a link or a token station.
    Stall,
    /// The last worm waits for the worm of this step: a dependency cycle.
    Cycle(usize),
}

/// The steps from a worm's wait to its root, all in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootChain {
    /// The cycle.
    pub cycle: u64,
    /// The traced worm, then the worms for which it waits.
    pub steps: Vec<ChainLink>,
    /// The end of the chain.
    pub root: Root,
}

/// Place at the root of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RootPlace {
    /// An output lane, by its index: the last one on the way to the root.
    Lane(usize),
    /// Another place.
    Place(Place),
    /// A dependency cycle.
    Cycle,
    /// A token, a grant or a credit on its way, or the software of a node.
    OnItsWay,
}

/// A root of a wait, and the cycles of the wait that lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootShare {
    /// The root.
    pub root: RootPlace,
    /// Cycles of the wait that lead to the root.
    pub cycles: u64,
    /// The middle cycle of these cycles.
    pub amid: u64,
}

/// Roots of a wait, and a chain to one of them.
#[derive(Clone, Debug)]
pub struct RootOf<'w> {
    /// The wait; empty for the trace of one cycle.
    pub wait: &'w [Stretch],
    /// Roots of the wait; the root of most cycles comes first.
    pub roots: Vec<RootShare>,
    /// The chain to one of the roots.
    pub chain: RootChain,
}

/// Largest number of cycles of one wait that are followed to their roots.
const MOST_CYCLES: u64 = 4096;

impl RootChain {
    /// The place at the end of the chain.
    #[must_use]
    pub fn place(&self) -> RootPlace {
        let last = self.steps.iter().rev().find_map(|step| step.output);
        match (self.root, last) {
            (Root::Cycle(_), _) => RootPlace::Cycle,
            (Root::OnItsWay, None) => RootPlace::OnItsWay,
            (_, Some(output)) => RootPlace::Lane(output),
            (_, None) => RootPlace::Place(self.steps[self.steps.len() - 1].at),
        }
    }
}

impl History<'_> {
    /// Follows a worm's wait in `cycle` to its root; `None` if the account does not have the cycle.
    #[must_use]
    pub fn trace(&self, account: &Account, cycle: u64) -> Option<RootChain> {
        let of = account.stretches.iter().find(|of| (of.from..of.until).contains(&cycle))?;
        Some(self.trace_from(account.worm, of, cycle))
    }

    /// The roots of a wait, and the chain to the first of them. For a wait that goes on, the chain
    /// belongs to its last cycle.
    #[must_use]
    pub fn root_of<'w>(&self, account: &Account, wait: &'w [Stretch]) -> Option<RootOf<'w>> {
        let roots = self.roots(account.worm, wait, MOST_CYCLES);
        let until = wait.last()?.until;
        let goes_on = !account.arrived && until == account.tail;
        let cycle = if goes_on { until - 1 } else { roots.first()?.amid };
        Some(RootOf { wait, roots, chain: self.trace(account, cycle)? })
    }

    /// Roots of the waits of a worm; the root of most cycles comes first. Each cycle has its own
    /// root. Of more than `most` cycles, the search follows `most` evenly spaced cycles. Each of
    /// them represents its share of the cycles.
    #[must_use]
    pub fn roots(&self, worm: WormId, waits: &[Stretch], most: u64) -> Vec<RootShare> {
        let all = cycles(waits);
        let samples = all.min(most);
        let mut found: BTreeMap<RootPlace, (u64, Vec<u64>)> = BTreeMap::new();
        let (mut waits, mut before) = (waits.iter(), 0);
        let mut wait = waits.next();
        for sample in 0..samples {
            let (from, until) = (sample * all / samples, (sample + 1) * all / samples);
            let at = u64::midpoint(from, until - 1);
            while let Some(of) = wait.filter(|of| at >= before + of.cycles()) {
                before += of.cycles();
                wait = waits.next();
            }
            let Some(of) = wait else { break };
            let cycle = of.from + (at - before);
            let (sum, asked) = found.entry(self.trace_from(worm, of, cycle).place()).or_default();
            *sum += until - from;
            asked.push(cycle);
        }
        let share =
            |(root, (cycles, asked)): (_, (u64, Vec<u64>))| RootShare { root, cycles, amid: asked[asked.len() / 2] };
        let mut shares: Vec<RootShare> = found.into_iter().map(share).collect();
        shares.sort_by_key(|share| Reverse(share.cycles));
        shares
    }

    /// Follows the wait of a stretch in `cycle` to its root.
    fn trace_from(&self, worm: WormId, of: &Stretch, cycle: u64) -> RootChain {
        let &Stretch { cause, at, output, .. } = of;
        let mut steps = vec![ChainLink { worm, at, cause: Some(cause), output }];
        loop {
            let last = steps[steps.len() - 1];
            let next = match self.next(&last, cycle) {
                Ok(next) => next,
                Err(root) => return RootChain { cycle, steps, root },
            };
            if let Some(first) = steps.iter().position(|step| *step == next) {
                return RootChain { cycle, steps, root: Root::Cycle(first) };
            }
            steps.push(next);
        }
    }

    /// The step that a worm's wait leads to.
    fn next(&self, last: &ChainLink, cycle: u64) -> Result<ChainLink, Root> {
        let Some(cause) = last.cause else { return self.upstream(last, cycle) };
        match (cause, last.at, last.output) {
            (Cause::Queue(Some(worm)), Place::Source(channel), _) => self.at_channel(worm, channel, cycle),
            (Cause::Token(Some(_)), Place::Input(input), _) => {
                let (lane, _) = self.token_holder(self.input_of(input).0, cycle).ok_or(Root::OnItsWay)?;
                self.at_input(lane, None, cycle)
            }
            (Cause::Lane(Some(_)), _, Some(output)) => {
                self.at_input(self.owner(output, cycle).ok_or(Root::OnItsWay)?, Some(output), cycle)
            }
            (Cause::Fifo(_), Place::Input(input), _) => self.at_input(input, None, cycle),
            (Cause::Credit(Some(_)), Place::Source(channel), _) => self.at_input(self.fed[channel], None, cycle),
            (Cause::Credit(Some(_)), _, Some(output)) => match self.leads[output] {
                Leads::Input(input) => self.at_input(input, None, cycle),
                Leads::Node(_) | Leads::Nowhere => Err(Root::Node),
            },
            (Cause::Sibling, Place::Input(input), Some(output)) => self.at_input(input, Some(output), cycle),
            (Cause::Heads, _, _) => {
                let waits = |&input: &usize| {
                    self.shown(input, cycle).is_some_and(|shown| {
                        shown.worm == Some(last.worm) && matches!(shown.state, LaneState::Lanes | LaneState::Token)
                    })
                };
                let input = (0..self.inputs.len()).find(waits).ok_or(Root::Moves)?;
                self.at_input(input, None, cycle)
            }
            (Cause::Sink, ..) => Err(Root::Node),
            (Cause::Stall, ..) => Err(Root::Stall),
            (Cause::Token(_) | Cause::Lane(_) | Cause::Credit(_) | Cause::Queue(_), ..) => Err(Root::OnItsWay),
            _ => Err(Root::Moves),
        }
    }

    /// The link of the chain for the worm at an input lane in `cycle`. It is at its branch through
    /// `output`, else at the branch that holds it up.
    fn at_input(&self, input: usize, output: Option<usize>, cycle: u64) -> Result<ChainLink, Root> {
        let shown = self.shown(input, cycle).ok_or(Root::Moves)?;
        let worm = shown.worm.ok_or(Root::OnItsWay)?;
        let switch = self.input_of(input).0;
        let at = Place::Input(input);
        let step = |cause, output| ChainLink { worm, at, cause: Some(cause), output };
        match shown.state {
            LaneState::Header => return Ok(step(Cause::Header, None)),
            LaneState::Route => return Ok(step(Cause::Decision, None)),
            LaneState::Token => return Ok(step(self.no_token(switch, cycle), None)),
            LaneState::Heads => return Ok(step(Cause::Heads, None)),
            LaneState::Idle | LaneState::Lanes | LaneState::Move | LaneState::Blocked => {}
        }
        // A lane on which the worm sends does not block the worm.
        let sends = |output: usize| {
            self.owner(output, cycle) == Some(input) && self.outputs[output].crosses(cycle) == Some(worm)
        };
        let waiting = shown.no_credit | shown.lane_wait;
        let branch = output.filter(|&output| {
            shown.state != LaneState::Move || self.group_has(waiting, self.lanes.outputs.port(self.output_of(output).1))
        });
        let stuck = || {
            let first = shown.no_credit.iter().chain(shown.lane_wait.iter()).next();
            first.map(|port| self.lane_of(input, switch, port, cycle))
        };
        if output.is_some_and(sends) {
            return Ok(step(Cause::Crossing, output));
        }
        if let Some(output) = branch.or_else(stuck) {
            let (cause, output) = self.why_branch(input, &shown, output, cycle);
            return Ok(step(cause, output));
        }
        if shown.is_empty {
            return Ok(ChainLink { worm, at, cause: None, output: None });
        }
        Ok(step(Cause::Crossing, output))
    }

    /// Place of the flits of a worm for which an empty FIFO waits.
    fn upstream(&self, last: &ChainLink, cycle: u64) -> Result<ChainLink, Root> {
        let Place::Input(input) = last.at else { return Err(Root::Moves) };
        match self.feeders[input] {
            Feeder::Output(output) => {
                let sent = self.outputs[output].streams(cycle + 1).next();
                if sent.is_some_and(|s| s.worm == last.worm && s.until + self.arrival(Feeder::Output(output)) > cycle) {
                    return Err(Root::Moves);
                }
                let owner = self.owner(output, cycle).ok_or(Root::Moves)?;
                self.at_input(owner, Some(output), cycle)
            }
            Feeder::Injection(channel) => self.at_channel(last.worm, channel, cycle),
            Feeder::Nowhere => Err(Root::Moves),
        }
    }

    /// The link of the chain for a worm that an injection channel sends.
    fn at_channel(&self, worm: WormId, channel: usize, cycle: u64) -> Result<ChainLink, Root> {
        let (_, shown) = self.injections[channel].at(cycle).ok_or(Root::Moves)?;
        let cause = match shown.waits {
            Some(InjectWait::NoCredit) => self.channel_no_credit(channel, cycle),
            Some(InjectWait::Turn) => Cause::Turn(None),
            None if self.is_in_start_up(worm, channel, cycle) => Cause::StartUp,
            None => Cause::Crossing,
        };
        Ok(ChainLink { worm, at: Place::Source(channel), cause: Some(cause), output: None })
    }

    /// Whether the node still works on a worm that its channel sends next.
    fn is_in_start_up(&self, worm: WormId, channel: usize, cycle: u64) -> bool {
        let track = &self.injections[channel];
        let next = || track.since(cycle).filter(|(from, _)| *from > cycle).find_map(|(_, shown)| shown.first);
        self.startup_cycles > 0
            && track.crosses(cycle).is_none()
            && next().is_some_and(|of| of.worm == worm && of.index == 0)
    }
}
