//! Point of no return: the last cycle in which a choice of an arbiter could have avoided a
//! deadlock.
//!
//! The search replays the run with the same worms in the same cycles of creation. It takes the
//! contests of arbiters from the last to the first. It imposes every other possible choice on a
//! copy of the engine. From there it tries all choices of all arbiters, until one lets every worm
//! arrive.
//!
//! A continuation ends where the search of [`crate::deadlock`] finds a deadlock, which no choice
//! resolves. States seen before are not tried again.

use std::collections::{HashSet, VecDeque};

use wormscope_hw::WormId;

use crate::deadlock;
use crate::engine::arbitration::{ArbiterRef, Contest};
use crate::engine::{Engine, NewWorm};

/// Evaluations of each switch that a cycle counts at least. Each cycle copies, compares and
/// searches the whole network, which takes the time of this many evaluations of awake switches.
const LEAST_A_CYCLE: u64 = 16;

/// Limits of a search. All count work, not time, so a search finds the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Largest number of evaluations of a switch, over all continuations. A cycle counts at least
    /// [`LEAST_A_CYCLE`] for each switch.
    pub evaluations: u64,
    /// Approximate number of bytes that copies of the engine may take.
    pub bytes: u64,
    /// Number of flit-hops after which the run of a change ends, about, if its traffic is random.
    pub flit_hops: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { evaluations: 20_000_000, bytes: 1 << 28, flit_hops: 20_000_000 }
    }
}

/// Choices of the arbiters against a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoReturn {
    /// All choices of arbiters after this cycle lead to a deadlock of these worms. A choice in this
    /// cycle was the last choice that could have avoided a deadlock. If no choice ever could, it is
    /// the cycle of the first creation. If the search is not exact, it is the earliest cycle that
    /// is known to be too late.
    pub cycle: u64,
    /// The last choice that would have let all worms arrive. `None` if there is none, or if none
    /// was found within the bounds.
    pub way_out: Option<WayOut>,
    /// Whether the search tried all earlier choices, so that the cycle is exact.
    pub exact: bool,
    /// Number of continuations that were tried to their ends.
    pub continuations: u64,
    /// Number of worms for which this holds. They are the worms that the run had created, numbered
    /// from 0, in the cycles of their creation.
    pub worms: u32,
    /// Cycles of the first and the last of their creations.
    pub created: (u64, u64),
}

/// A choice that avoids a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOut {
    /// Cycle of the choice.
    pub cycle: u64,
    /// The arbiters that choose another worm, each with the worm that it chose and the worm to
    /// choose instead.
    pub choices: Vec<(ArbiterRef, Option<WormId>, Option<WormId>)>,
    /// Number of choices after this cycle that must also differ from the arbiters' own.
    pub further: u32,
    /// Number of cycles until the last worm has arrived, as a run counts them.
    pub done: u64,
}

/// An engine, and the number of worms that it has.
#[derive(Clone)]
struct State {
    engine: Engine,
    given: usize,
}

impl State {
    /// Goes to the next cycle with an event and creates its worms. Returns `false` when there is
    /// none.
    fn approach(&mut self, worms: &[NewWorm]) -> bool {
        let next = worms.get(self.given).map(|worm| worm.cycle.max(self.engine.now()));
        let Some(cycle) = self.engine.next_event().into_iter().chain(next).min() else { return false };
        self.engine.skip_to(cycle);
        while let Some(worm) = worms.get(self.given).filter(|worm| worm.cycle <= cycle) {
            self.engine.create(worm, true, &mut ());
            self.given += 1;
        }
        true
    }
}

/// Result of the choices from a state on.
enum Fate {
    /// A continuation lets all worms arrive, in this many cycles. This many choices differ from the
    /// arbiters' own.
    Free(u64, u32),
    /// All continuations end in a deadlock.
    Doomed,
    /// The bounds were reached first.
    Unknown,
}

/// Choices on the way: the state before their cycle, and the choices that are left to try.
struct Fork {
    before: State,
    left: Choices,
}

/// The search over arbiter choices.
struct ChoiceSearch<'a> {
    worms: &'a [NewWorm],
    bounds: Bounds,
    /// Number of switches of the network.
    switches: u64,
    /// Number of copies of the engine that may be kept.
    copies: usize,
    continuations: u64,
    evaluations: u64,
    /// Returns whether to go on.
    go_on: &'a mut dyn FnMut() -> bool,
    /// Fingerprints of states before a cycle whose choices were all tried, or are under way.
    seen: HashSet<(u64, u64)>,
}

/// Finds the point of no return of a run that ends in `deadlock`. `engine` is the network before
/// its first cycle, with its number of switches and its size in bytes. `worms` are the worms that
/// the run had created, in order. `go_on` is asked in every cycle. If it returns false, the search
/// ends as if its bound were reached.
#[must_use]
pub fn find(
    engine: Engine,
    switches: u32,
    bytes: u64,
    worms: &[NewWorm],
    final_cycle: u64,
    bounds: Bounds,
    go_on: &mut dyn FnMut() -> bool,
) -> NoReturn {
    let copies = usize::try_from(bounds.bytes / bytes.max(1)).unwrap_or(usize::MAX).clamp(2, 4096);
    let (switches, seen) = (switches.into(), HashSet::new());
    let mut search = ChoiceSearch { worms, bounds, switches, copies, continuations: 0, evaluations: 0, go_on, seen };
    let (forks, all) = search.replay(State { engine, given: 0 }, final_cycle);
    let mut found = NoReturn {
        cycle: final_cycle,
        way_out: None,
        exact: false,
        continuations: 1,
        worms: worms.len() as u32,
        created: (worms.first().map_or(0, |w| w.cycle), worms.last().map_or(0, |w| w.cycle)),
    };
    for (before, contests) in forks.iter().rev() {
        let cycle = before.engine.now();
        let fate = search.otherwise(before, contests);
        found.continuations = search.continuations + 1;
        match fate {
            (Fate::Free(done, further), choice) => {
                found.way_out = Some(WayOut { cycle, choices: named(before, contests, &choice), further, done });
                found.cycle = cycle;
                found.exact = true;
                return found;
            }
            (Fate::Doomed, _) => found.cycle = cycle,
            (Fate::Unknown, _) => return found,
        }
    }
    if all {
        found.cycle = found.created.0;
        found.exact = true;
    }
    found
}

/// The choice in words, with worms in place of inputs.
fn named(
    before: &State,
    contests: &[Contest],
    choice: &[(ArbiterRef, u8)],
) -> Vec<(ArbiterRef, Option<WormId>, Option<WormId>)> {
    // The decoders may have decided these worms in the same cycle.
    let mut behind = before.clone();
    for &(arbiter, input) in choice {
        behind.engine.impose(arbiter, input);
    }
    behind.engine.cycle(&mut ());
    let worm = |switch, input| {
        let at = |state: &State| state.engine.worm_at(switch, input);
        at(&behind).or_else(|| at(before))
    };
    let chosen: Vec<_> = contests.iter().flat_map(|contest| &contest.chosen).collect();
    let differ = choice.iter().filter(|pair| !chosen.contains(pair));
    let named = differ.map(|&(arbiter, input)| {
        let switch = arbiter.switch();
        let before = chosen.iter().find(|(other, _)| *other == arbiter).and_then(|(_, input)| worm(switch, *input));
        (arbiter, before, worm(switch, input))
    });
    named.collect()
}

impl ChoiceSearch<'_> {
    /// Goes through the run once more. Returns the states before its last contests up to its final
    /// cycle, and whether these are all.
    fn replay(&mut self, mut state: State, last: u64) -> (VecDeque<(State, Vec<Contest>)>, bool) {
        let (mut forks, mut all) = (VecDeque::new(), true);
        // Half of the copies are for the search.
        let most = self.copies / 2;
        while state.approach(self.worms) && state.engine.now() <= last {
            if !self.goes_on() {
                // A search begins with the last contests, which this replay has not reached. So no
                // search is possible.
                return (VecDeque::new(), false);
            }
            let before = state.clone();
            state.engine.cycle(&mut ());
            let contests = state.engine.contests(&before.engine);
            if !contests.is_empty() {
                if forks.len() == most {
                    forks.pop_front();
                    all = false;
                }
                forks.push_back((before, contests));
            }
        }
        (forks, all)
    }

    /// The result of all choices except the choice of the run, and the first good choice.
    fn otherwise(&mut self, before: &State, contests: &[Contest]) -> (Fate, Vec<(ArbiterRef, u8)>) {
        self.seen.insert((before.engine.now(), before.engine.fingerprint()));
        for choice in Choices::new(contests) {
            let mut state = before.clone();
            self.impose(&mut state, &choice);
            match self.fate(state) {
                Fate::Doomed => {}
                fate => return (fate, choice),
            }
        }
        (Fate::Doomed, Vec::new())
    }

    /// Evaluates a cycle with the given choices of the arbiters.
    fn impose(&mut self, state: &mut State, choice: &[(ArbiterRef, u8)]) {
        for &(arbiter, input) in choice {
            state.engine.impose(arbiter, input);
        }
        self.cycle(state);
    }

    fn cycle(&mut self, state: &mut State) {
        let before = state.engine.totals().evaluations;
        state.engine.cycle(&mut ());
        let evaluations = state.engine.totals().evaluations - before;
        self.evaluations += evaluations.max(LEAST_A_CYCLE * self.switches);
        self.goes_on();
    }

    /// Whether to go on. If not, no evaluations are left.
    fn goes_on(&mut self) -> bool {
        let goes_on = (self.go_on)();
        if !goes_on {
            self.bounds.evaluations = 0;
        }
        goes_on
    }

    /// Tries all choices from a state on, depth first. The choices that the arbiters make by
    /// themselves come first.
    fn fate(&mut self, state: State) -> Fate {
        let mut forks: Vec<Fork> = Vec::new();
        let mut now = Some(state);
        while let Some(mut state) = now.take() {
            if let Some(done) = self.follow(&mut state, &mut forks) {
                self.continuations += 1;
                let further = forks.iter().filter(|fork| fork.left.next > 1).count() as u32;
                return Fate::Free(done, further);
            }
            if self.evaluations > self.bounds.evaluations || forks.len() > self.copies / 2 {
                return Fate::Unknown;
            }
            while let Some(fork) = forks.last_mut() {
                if let Some(choice) = fork.left.next() {
                    let mut state = fork.before.clone();
                    self.impose(&mut state, &choice);
                    now = Some(state);
                    break;
                }
                forks.pop();
            }
        }
        Fate::Doomed
    }

    /// Follows one continuation to its end, and records other choices on the way. Returns its
    /// number of cycles if all worms arrive.
    fn follow(&mut self, state: &mut State, forks: &mut Vec<Fork>) -> Option<u64> {
        while self.evaluations <= self.bounds.evaluations && forks.len() <= self.copies / 2 {
            if state.engine.worms_alive() == 0 && state.given == self.worms.len() {
                return Some(state.engine.now());
            }
            if !state.approach(self.worms) {
                break;
            }
            let before = state.clone();
            self.cycle(state);
            let contests = state.engine.contests(&before.engine);
            if contests.is_empty() {
                continue;
            }
            let new = self.seen.insert((before.engine.now(), before.engine.fingerprint()));
            if !new || deadlock::search(&before.engine.snapshot()).is_some() {
                break;
            }
            forks.push(Fork { before, left: Choices::new(&contests) });
        }
        self.continuations += 1;
        None
    }
}

/// Joint choices of the arbiters of a cycle, other than the choice of the run.
struct Choices {
    /// For each contest, the choice of the run, then the other possible choices.
    options: Vec<Vec<Vec<(ArbiterRef, u8)>>>,
    /// The next joint choice. Number 0 is the choice of the run.
    next: u64,
    count: u64,
}

impl Choices {
    fn new(contests: &[Contest]) -> Self {
        let all = |contest: &Contest| [std::slice::from_ref(&contest.chosen), &contest.others[..]].concat();
        let options: Vec<Vec<_>> = contests.iter().map(all).collect();
        let count = options.iter().fold(1_u64, |count, options| count.saturating_mul(options.len() as u64));
        Self { options, next: 1, count }
    }
}

impl Iterator for Choices {
    type Item = Vec<(ArbiterRef, u8)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut number = (self.next < self.count).then_some(self.next)?;
        self.next += 1;
        let pick = self.options.iter().flat_map(|options| {
            let count = options.len() as u64;
            let option = &options[(number % count) as usize];
            number /= count;
            option
        });
        Some(pick.copied().collect())
    }
}
