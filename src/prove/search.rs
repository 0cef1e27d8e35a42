//! The search: breadth first, one cycle of the network a level.

use std::time::{Duration, Instant};

use super::store::Store;
use crate::engine::States;
use crate::engine::states::Pick;

/// States that are expanded between two looks at the limits.
const AT_A_TIME: u32 = 256;
/// Number of steps after which it looks within a state.
const STEPS_AT_A_TIME: u64 = 1 << 16;

/// A search under way.
#[derive(Clone, Debug)]
pub struct StateSearch {
    pub(super) states: States,
    pub(super) store: Store,
    /// The state that is expanded next.
    pub(super) next: u32,
    /// First state of the next level.
    pub(super) level_end: u32,
    /// Cycles until the states of this level.
    pub(super) depth: u32,
    pub(super) transitions: u64,
    /// Time of earlier sessions.
    pub(super) before: Duration,
    begun: Instant,
}

/// Limits of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Largest number of bytes of memory.
    pub memory: Option<usize>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Largest number of cycles.
    pub depth: Option<u32>,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// All states are visited, and none is stuck.
    Proved,
    /// This state is stuck. No state is in fewer cycles.
    Stuck(u32),
    /// A limit came first.
    Limit(Limit),
}

/// A limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The memory.
    Memory,
    /// The time.
    Time,
    /// The number of cycles.
    Depth,
    /// The user interrupted the search.
    Interrupt,
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress {
    /// States that it visited.
    pub states: u64,
    /// Steps from state to state, those to known states included.
    pub transitions: u64,
    /// Cycles until the states that are expanded now.
    pub depth: u32,
    /// States that are not expanded yet.
    pub frontier: u64,
    /// Time, earlier sessions included.
    pub time: Duration,
    /// Bytes of memory, about.
    pub memory: usize,
    /// Bytes of a state.
    pub bytes_each: usize,
    /// States of single switches and nodes.
    pub parts: usize,
    /// Symmetries, the identity included. States that they map to each other count once.
    pub symmetries: usize,
}

impl StateSearch {
    /// A search from the empty network.
    #[must_use]
    pub fn new(mut states: States) -> Self {
        let first = states.initial();
        let mut store = Store::new(states.width());
        store.insert(&first, 0);
        Self::at(states, store, (0, 1, 0), (0, Duration::ZERO))
    }

    /// A search that goes on.
    pub(super) fn at(
        states: States,
        store: Store,
        (next, level_end, depth): (u32, u32, u32),
        (transitions, before): (u64, Duration),
    ) -> Self {
        Self { states, store, next, level_end, depth, transitions, before, begun: Instant::now() }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> SearchProgress {
        SearchProgress {
            states: self.store.len(),
            transitions: self.transitions,
            depth: self.depth,
            frontier: self.store.len() - u64::from(self.next),
            time: self.before + self.begun.elapsed(),
            memory: self.store.memory() + self.states.memory(),
            bytes_each: self.store.bytes_each(),
            parts: self.states.known(),
            symmetries: self.states.symmetries(),
        }
    }

    /// Searches until the end or a limit. From time to time it asks `go_on` whether to go on.
    pub fn run(&mut self, limits: &Limits, mut go_on: impl FnMut(&SearchProgress) -> bool) -> SearchEnd {
        let until = limits.time.map(|time| Instant::now() + time);
        let mut over = |progress: &SearchProgress| {
            if !go_on(progress) {
                return Some(Limit::Interrupt);
            }
            until.is_some_and(|until| Instant::now() >= until).then_some(Limit::Time)
        };
        self.store.most = limits.memory.unwrap_or(usize::MAX).saturating_sub(self.states.memory());
        self.store.is_full = false;
        let mut state = Vec::new();
        loop {
            let mut progress = self.progress();
            let of_parts = self.states.memory();
            for _ in 0..AT_A_TIME {
                if u64::from(self.next) >= self.store.len() {
                    return SearchEnd::Proved;
                }
                if self.next >= self.level_end {
                    self.depth += 1;
                    self.level_end = self.store.len() as u32;
                }
                if limits.depth.is_some_and(|depth| self.depth >= depth) {
                    return SearchEnd::Limit(Limit::Depth);
                }
                let from = self.next;
                self.store.get(from, &mut state);
                let Self { store, transitions, before, begun, .. } = self;
                let mut ended = None;
                let stuck = self.states.successors(&state, |successor| {
                    *transitions += 1;
                    store.insert(successor.canonical, from);
                    if store.is_full {
                        ended = Some(Limit::Memory);
                    } else if transitions.is_multiple_of(STEPS_AT_A_TIME) {
                        // A state of a large network has more successors than fit into any time.
                        let frontier = store.len() - u64::from(from);
                        let (states, transitions, time) = (store.len(), *transitions, *before + begun.elapsed());
                        let memory = of_parts + store.memory();
                        progress = SearchProgress { states, transitions, frontier, time, memory, ..progress };
                        ended = over(&progress);
                    }
                    ended.is_none()
                });
                if stuck {
                    return SearchEnd::Stuck(from);
                }
                if let Some(limit) = ended {
                    // The state is expanded again when the search goes on.
                    return SearchEnd::Limit(limit);
                }
                self.next += 1;
            }
            if let Some(limit) = over(&self.progress()) {
                return SearchEnd::Limit(limit);
            }
            self.store.most = limits.memory.unwrap_or(usize::MAX).saturating_sub(self.states.memory());
        }
    }

    /// Number of states that the visited ones stand for, with all of their images.
    pub fn stands_for(&mut self) -> u64 {
        let mut state = Vec::new();
        let images = |id| {
            self.store.get(id, &mut state);
            self.states.images(&state) as u64
        };
        (0..self.store.len() as u32).map(images).sum()
    }

    /// The choices of each cycle on a shortest way to a state.
    pub fn way(&mut self, id: u32) -> Vec<Vec<(u32, Pick)>> {
        let path = self.store.path(id);
        let (mut from, mut to) = (self.states.initial(), Vec::new());
        let mut way = Vec::new();
        for &step in &path[1..] {
            self.store.get(step, &mut to);
            let mut found: Option<(Vec<u32>, Vec<u32>)> = None;
            self.states.successors(&from, |successor| {
                if successor.canonical == to {
                    found = Some((successor.state.to_vec(), successor.chosen.to_vec()));
                }
                found.is_none()
            });
            let (state, chosen) = found.unwrap_or_default();
            way.push(self.states.picks(&chosen));
            from = state;
        }
        way
    }
}
