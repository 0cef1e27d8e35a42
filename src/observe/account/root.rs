//! From a wait to its root: who holds what the worm waits for, what that waits for, and so on.

use wormscope_hw::WormId;

use super::cause::Cause;
use super::history::{Feeder, History, Leads};
use super::walk::{Account, Place, Stretch};
use crate::engine::{InjectWait, LaneState};

/// A worm at a place, in the cycle that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// The worm.
    pub worm: WormId,
    /// Where it is.
    pub at: Place,
    /// What it does or waits for there; `None`: its flits there have all gone on, and the next ones
    /// are still to come.
    pub cause: Option<Cause>,
    /// The output lane that it waits for, or that holds it.
    pub output: Option<usize>,
}

/// Where a search for the root ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The last worm moves, or something works on it.
    Moves,
    /// The last worm waits for something that no worm holds: a token or a credit on its way.
    OnItsWay,
    /// A node does not take flits.
    Node,
    /// The last worm waits for what the worm of this step holds: a dependency cycle.
    Cycle(usize),
}

/// The steps from a worm's wait to its root, all in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootChain {
    /// The cycle.
    pub cycle: u64,
    /// The worm asked about first.
    pub steps: Vec<ChainLink>,
    /// What is at the end.
    pub root: Root,
}

impl History<'_> {
    /// Follows a worm's wait in `cycle` to its root; `None` where the account does not have the
    /// cycle.
    #[must_use]
    pub fn trace(&self, account: &Account, cycle: u64) -> Option<RootChain> {
        let of = account.stretches.iter().find(|of| (of.from..of.until).contains(&cycle))?;
        let &Stretch { cause, at, output, .. } = of;
        let mut steps = vec![ChainLink { worm: account.worm, at, cause: Some(cause), output }];
        loop {
            let last = steps[steps.len() - 1];
            let next = match self.next(&last, cycle) {
                Ok(next) => next,
                Err(root) => return Some(RootChain { cycle, steps, root }),
            };
            if let Some(first) = steps.iter().position(|step| *step == next) {
                return Some(RootChain { cycle, steps, root: Root::Cycle(first) });
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
            (Cause::Token(_) | Cause::Lane(_) | Cause::Credit(_) | Cause::Queue(_), ..) => Err(Root::OnItsWay),
            _ => Err(Root::Moves),
        }
    }

    /// What the worm at an input lane does in `cycle`: at its branch through `output`, else at the
    /// one that holds it up.
    fn at_input(&self, input: usize, output: Option<usize>, cycle: u64) -> Result<ChainLink, Root> {
        let shown = self.shown(input, cycle).ok_or(Root::Moves)?;
        let worm = shown.worm.ok_or(Root::OnItsWay)?;
        let switch = self.input_of(input).0;
        let at = Place::Input(input);
        let step = |cause, output| ChainLink { worm, at, cause: Some(cause), output };
        match shown.state {
            LaneState::Header => return Ok(step(Cause::Header, None)),
            LaneState::Route => return Ok(step(Cause::Decision, None)),
            LaneState::Token => {
                let holder = self.token_holder(switch, cycle).and_then(|(_, worm)| worm);
                return Ok(step(Cause::Token(holder), None));
            }
            LaneState::Heads => return Ok(step(Cause::Heads, None)),
            LaneState::Idle | LaneState::Lanes | LaneState::Move | LaneState::Blocked => {}
        }
        // A lane that it owns and sends on is not what holds it up.
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

    /// Where the flits of a worm are that an empty FIFO waits for.
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

    /// What the worm does that an injection channel sends.
    fn at_channel(&self, worm: WormId, channel: usize, cycle: u64) -> Result<ChainLink, Root> {
        let (_, shown) = self.injections[channel].at(cycle).ok_or(Root::Moves)?;
        let cause = match shown.waits {
            Some(InjectWait::NoCredit) => Cause::Credit(self.served(self.fed[channel], cycle)),
            Some(InjectWait::Turn) => Cause::Turn(None),
            None => Cause::Crossing,
        };
        Ok(ChainLink { worm, at: Place::Source(channel), cause: Some(cause), output: None })
    }
}
