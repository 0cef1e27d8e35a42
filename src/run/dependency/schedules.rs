//! Runs of a few given worms in all orders and at all distances in time.
//!
//! A worm that is created after the network is empty finds the same network as a worm that is
//! created later still. So the distances that matter are finite, and a run of each is a proof.

use std::collections::BTreeSet;

use wormscope_hw::Acquisition;

use super::channels::{At, LaneChannel};
use super::judge::SafetyQuestion;
use super::spread::WormSpread;
use super::witness::{Ended, Trials, Witness};
use crate::experiment::{Message, Workload};
use crate::input::ConfigError;

/// A place at which worms can change each other's cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// Output port of a switch, with the FIFOs after it.
    Port(u32, u8),
    /// Injection at a node.
    Node(u32),
    /// The one arbiter of a switch that grants all lanes of a worm or none.
    Switch(u32),
}

/// Largest number of worms that meet.
const MOST_WORMS: usize = 3;

/// Result of all schedules.
pub(super) enum Schedules {
    /// No schedule ends in a deadlock, after so many runs.
    Free(u64),
    /// Messages that do.
    Deadlock(Box<Witness>),
    /// There are too many schedules.
    TooMany,
}

/// Runs all schedules of the given worms, if they are few.
pub(super) fn search(trials: &Trials) -> Result<Schedules, ConfigError> {
    let question = trials.question;
    let experiment = &question.loaded.experiment;
    let is_plain = |entry: &Workload| matches!(entry, Workload::Messages(_) | Workload::Trace(_));
    // Tokens, software and stalls depend on the cycle.
    let network = &experiment.network;
    if !experiment.workload.iter().all(is_plain) || network.token_ring.is_some() || network.node.has_software() {
        return Ok(Schedules::TooMany);
    }
    let Some(groups) = groups(question) else { return Ok(Schedules::TooMany) };
    if groups.iter().any(|group| group.len() > MOST_WORMS) {
        return Ok(Schedules::TooMany);
    }
    let before = trials.runs();
    for group in groups.into_iter().filter(|group| group.len() > 1) {
        let worms: Vec<Message> =
            group.iter().map(|&worm| Message { class: None, ..question.allowed.given[worm].clone() }).collect();
        if let Some(result) = place(trials, &mut Vec::new(), &worms)? {
            return Ok(result);
        }
    }
    Ok(Schedules::Free(trials.runs() - before))
}

/// Worms that can change the cycles of each other, directly or through others.
fn groups(question: &SafetyQuestion) -> Option<Vec<BTreeSet<usize>>> {
    let is_atomic = question.loaded.experiment.network.switch.acquisition == Acquisition::Atomic;
    let mut groups: Vec<(BTreeSet<Shared>, BTreeSet<usize>)> = Vec::new();
    for (number, worm) in question.given.iter().enumerate() {
        let spread = WormSpread::of(&question.channels, worm)?;
        let port = |channel: LaneChannel| match question.channels.at(channel) {
            At::Output(switch, port, _) => Shared::Port(switch.0, port.0),
            At::Injection(node) => Shared::Node(node.0),
        };
        let mut ports: BTreeSet<Shared> = BTreeSet::new();
        for segment in &spread.segments {
            ports.insert(port(segment.from));
            let ends = segment.branches.iter().flat_map(|branch| &branch.ends);
            ports.extend(ends.map(|&(channel, _)| port(channel)));
            if is_atomic {
                ports.extend(question.channels.switch(segment.from).map(Shared::Switch));
            }
        }
        let mut worms = BTreeSet::from([number]);
        let (meets, rest) = groups.into_iter().partition(|(of, _)| !of.is_disjoint(&ports));
        groups = rest;
        for (of, others) in meets {
            ports.extend(of);
            worms.extend(others);
        }
        groups.push((ports, worms));
    }
    Some(groups.into_iter().map(|(_, worms)| worms).collect())
}

/// Places the next worm after those that are placed, in every order and cycle that matters. `None`
/// if no schedule ends in a deadlock.
fn place(trials: &Trials, placed: &mut Vec<Message>, left: &[Message]) -> Result<Option<Schedules>, ConfigError> {
    if trials.is_spent() {
        return Ok(Some(Schedules::TooMany));
    }
    let mut last = 0;
    let mut empty = 0;
    if let Some(message) = placed.last() {
        last = message.cycle;
        empty = match trials.run(placed)? {
            Ended::Arrived(cycles) => cycles + trials.question.settling(),
            Ended::Deadlock(deadlock) => {
                let messages = placed.clone();
                return Ok(Some(Schedules::Deadlock(Box::new(Witness { messages, deadlock: *deadlock }))));
            }
            Ended::Stopped => return Ok(Some(Schedules::TooMany)),
        };
    }
    let mut tried = BTreeSet::new();
    for (at, next) in left.iter().enumerate() {
        // Equal worms have equal schedules.
        if !tried.insert(format!("{:?}", Message { cycle: 0, ..next.clone() })) {
            continue;
        }
        let rest: Vec<Message> = left.iter().enumerate().filter(|&(n, _)| n != at).map(|(_, m)| m.clone()).collect();
        for cycle in last..=empty {
            placed.push(Message { cycle, ..next.clone() });
            let found = place(trials, placed, &rest)?;
            placed.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}
