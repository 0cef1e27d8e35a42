//! A witness with fewer, shorter and earlier worms. Each step keeps to the workload: a witness of
//! given worms has them all, as they are, and only their cycles change.

use wormscope_hw::header::Way;

use super::judge::shape;
use super::spread::WormShape;
use super::witness::{Trials, Witness};
use crate::experiment::Message;
use crate::input::ConfigError;
use crate::workload::smaller::{StepLimits, Trial, reduce};
use crate::workload::{Allowed, Targets};

/// A reduction under way.
struct Reduction<'a, 'b, 'c> {
    trials: &'c Trials<'a, 'b>,
    /// The worms of the first witness.
    first: Vec<WormShape>,
    smallest: Witness,
    /// Number of runs at which it ends.
    end: u64,
}

impl Trial for Reduction<'_, '_, '_> {
    type Error = ConfigError;

    fn is_bad(&mut self, schedule: &[Message]) -> Result<bool, ConfigError> {
        if !schedule.iter().all(|message| self.trials.takes(message))
            || !allows(&self.trials.question.allowed, &self.first, schedule)
        {
            return Ok(false);
        }
        let found = self.trials.witness(schedule.to_vec())?;
        Ok(found.map(|witness| self.smallest = witness).is_some())
    }

    fn goes_on(&self) -> bool {
        self.trials.runs() < self.end && !self.trials.is_stopped()
    }
}

/// Makes a witness smaller with at most so many runs.
pub(super) fn reduced(trials: &Trials, found: Witness, runs: u64) -> Result<Witness, ConfigError> {
    let drawn = &trials.question.allowed.drawn;
    let payload_flits = drawn.iter().map(|kind| kind.payload_flits[0]).min().unwrap_or(1);
    let mut messages = found.messages.clone();
    let first = messages.iter().map(shape).collect();
    let mut reduction = Reduction { trials, first, smallest: found, end: trials.runs().saturating_add(runs) };
    reduce(&mut reduction, &mut messages, StepLimits { named: None, payload_flits })?;
    Ok(reduction.smallest)
}

/// Whether a workload may send these worms in some cycles. A workload without random worms sends
/// all that it names. Path worms may split the destinations of a message, as those of `first` do.
fn allows(allowed: &Allowed, first: &[WormShape], schedule: &[Message]) -> bool {
    let mut given: Vec<_> = allowed.given.iter().map(shape).collect();
    let all_known = schedule.iter().all(|message| {
        let worm = shape(message);
        let is_drawn = allowed.drawn.iter().filter(|kind| kind.encoding == worm.encoding).any(|kind| {
            let [least, most] = kind.payload_flits;
            let mut sources = kind.sources.iter().filter(|(source, _)| *source == worm.source);
            (least..=most).contains(&worm.payload_flits)
                && sources.any(|(_, targets)| match targets {
                    Targets::One(nodes) => worm.to.len() == 1 && nodes.contains(&worm.to[0]),
                    Targets::All(nodes) => *nodes == worm.to,
                    Targets::Some { among, count: [least, most], .. } => {
                        let nodes = worm.to.len() as u32;
                        // A path worm may have a part of the destinations, as one of `first` has.
                        let is_part = kind.encoding.way() == Way::Path
                            && nodes < *least
                            && first.iter().any(|of| (of.source, &of.to) == (worm.source, &worm.to));
                        let has_count = (*least..=*most).contains(&nodes) || is_part;
                        has_count && worm.to.iter().all(|node| among.contains(node))
                    }
                })
        });
        let named = given.iter().position(|of| !is_drawn && *of == worm);
        is_drawn || named.map(|at| given.swap_remove(at)).is_some()
    });
    all_known && (given.is_empty() || !allowed.drawn.is_empty())
}
