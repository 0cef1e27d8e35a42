//! All states of a small network, with its arbiters as they are built: the last step of a verdict.
//!
//! The search takes each worm of the workload in any cycle. So its proof holds for all schedules,
//! also with tokens. A stuck state gives the schedule that leads to it, and a run confirms it.

use wormscope_hw::NodeId;
use wormscope_hw::header::Way;

use super::spread::WormShape;
use super::witness::{Trials, Witness, message_of};
use crate::engine::states::{Offer, Pick};
use crate::engine::{Class, NewWorm, States};
use crate::experiment::Message;
use crate::input::ConfigError;
use crate::state_space::{self, Limits, MOST_ONCE, SearchEnd, StateSearch};

/// Largest number of bytes of memory.
const MEMORY: usize = 1 << 30;
/// Most steps from state to state, for each state that the search may visit.
const STEPS: u64 = 20;

/// Result of the search.
pub(super) enum AllStates {
    /// None of so many states is stuck.
    Free(u64),
    /// Messages that end in a deadlock.
    Deadlock(Box<Witness>),
    /// There are too many states, or the search does not cover the network or the workload.
    TooMany,
}

/// Visits all states, up to `most` of them.
pub(super) fn search(trials: &Trials, most: u64) -> Result<AllStates, ConfigError> {
    let question = trials.question;
    if most == 0 || !question.is_steady() || state_space::check(&question.loaded.experiment.network).is_err() {
        return Ok(AllStates::TooMany);
    }
    let Some((worms, again)) = question.counted(&mut Vec::new(), u64::MAX) else { return Ok(AllStates::TooMany) };
    let of_node = |worm: &WormShape| worms.iter().filter(|other| other.source == worm.source).count();
    let once = !again.contains(&true);
    if once && worms.iter().any(|worm| of_node(worm) > MOST_ONCE) {
        return Ok(AllStates::TooMany);
    }
    let offer = Offer { kinds: worms.iter().map(worm_of).collect(), once, most: None };
    let mut search = StateSearch::new(States::new(question.site.built(), &offer, false));
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    let end = search.run(&limits, |progress| {
        progress.states <= most && progress.transitions <= STEPS * most && !trials.is_stopped()
    });
    let id = match end {
        SearchEnd::Proved => return Ok(AllStates::Free(search.progress().states)),
        SearchEnd::Limit(_) => return Ok(AllStates::TooMany),
        SearchEnd::Stuck(id) => id,
    };
    let way = search.way(id);
    let begun = (0..).zip(&way).flat_map(|(cycle, picks)| picks.iter().map(move |&(_, pick)| (cycle, pick)));
    let begun = begun.filter_map(|(cycle, pick)| match pick {
        Pick::Begin(kind) => Some((kind as usize, cycle)),
        Pick::Lane(..) | Pick::Token(_) => None,
    });
    let begun: Vec<(usize, u64)> = begun.collect();
    let is_drawn = again.iter().all(|&again| again) && worms.iter().all(|worm| worm.encoding.way() != Way::Path);
    let witness = if once {
        trials.with_others(&question.plain(), &begun)?
    } else if is_drawn {
        trials.witness(begun.iter().map(|&(worm, cycle)| Message { cycle, ..message_of(&worms[worm]) }).collect())?
    } else {
        // A path worm here may be a part of one that the workload draws.
        None
    };
    Ok(witness.map_or(AllStates::TooMany, |witness| AllStates::Deadlock(Box::new(witness))))
}

fn worm_of(worm: &WormShape) -> NewWorm {
    let &WormShape { source: NodeId(source), ref to, encoding, payload_flits } = worm;
    let (source, destinations) = (NodeId(source), to.iter().copied().collect());
    NewWorm { cycle: 0, source, destinations, encoding, payload_flits, class: Class::default() }
}
