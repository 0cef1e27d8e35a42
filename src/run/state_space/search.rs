//! The search: breadth first, one cycle of the network a level.
//!
//! A second thread computes the states that follow, while the first looks whether they are known.
//! The second has the states in their order, and gives those that follow in the same order. So the
//! search visits the same states in the same order as one thread would.

use std::mem::take;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::store::Store;
use crate::engine::States;
use crate::engine::states::Pick;

/// Most worms of a node, if each is sent once.
pub const MOST_ONCE: usize = 64;
/// States that are expanded at a time.
const AT_A_TIME: u32 = 256;
/// How many times so many states the second thread has at most.
const AHEAD: u32 = 4;
/// Numbers of states that follow, after which the search looks at its limits. A state of a large
/// network has more successors than fit into any time.
const NUMBERS_AT_A_TIME: usize = 1 << 16;

/// A search under way.
#[derive(Clone, Debug)]
pub struct StateSearch {
    pub(super) states: States,
    pub(super) visited: Visited,
}

/// The visited states, and the place of the search.
#[derive(Clone, Debug)]
pub(super) struct Visited {
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
    tables: Tables,
}

/// Size of the tables of single switches and nodes.
#[derive(Clone, Copy, Debug)]
struct Tables {
    memory: usize,
    parts: usize,
    symmetries: usize,
}

/// States that follow some states in a row.
#[derive(Debug, Default)]
struct Expanded {
    /// The states that follow, number by number.
    numbers: Vec<u32>,
    /// For each state that is expanded whole: where its successors end, and whether it is stuck.
    ends: Vec<(usize, bool)>,
    /// The tables after the last of them.
    tables: Option<Tables>,
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

impl Tables {
    fn of(states: &States) -> Self {
        Self { memory: states.memory(), parts: states.known(), symmetries: states.symmetries() }
    }
}

/// Expands states. `give` takes the states that follow, in pieces, until it returns false.
fn expand(states: &mut States, batch: &[u32], mut give: impl FnMut(Expanded) -> bool) {
    let mut piece = Expanded::default();
    let mut goes_on = true;
    for state in batch.chunks_exact(states.width()) {
        let stuck = states.successors(state, |successor| {
            piece.numbers.extend_from_slice(successor.canonical);
            if piece.numbers.len() >= NUMBERS_AT_A_TIME {
                goes_on = give(take(&mut piece));
            }
            goes_on
        });
        if !goes_on {
            return;
        }
        piece.ends.push((piece.numbers.len(), stuck));
    }
    give(Expanded { tables: Some(Tables::of(states)), ..piece });
}

impl Visited {
    fn progress(&self) -> SearchProgress {
        SearchProgress {
            states: self.store.len(),
            transitions: self.transitions,
            depth: self.depth,
            frontier: self.frontier(),
            time: self.before + self.begun.elapsed(),
            memory: self.store.memory() + self.tables.memory,
            bytes_each: self.store.bytes_each(),
            parts: self.tables.parts,
            symmetries: self.tables.symmetries,
        }
    }

    /// States that are not expanded yet.
    fn frontier(&self) -> u64 {
        self.store.len() - u64::from(self.next)
    }

    /// Some states, number by number.
    fn batch(&self, of: Range<u32>) -> Vec<u32> {
        let (mut batch, mut state) = (Vec::new(), Vec::new());
        for id in of {
            self.store.get(id, &mut state);
            batch.extend_from_slice(&state);
        }
        batch
    }

    /// Moves to the next level after the last state of a level. Says how the search ends, if it
    /// does.
    fn level(&mut self, limits: &Limits) -> Option<SearchEnd> {
        if self.frontier() == 0 {
            return Some(SearchEnd::Proved);
        }
        if self.next >= self.level_end {
            self.depth += 1;
            self.level_end = self.store.len() as u32;
        }
        limits.depth.is_some_and(|depth| self.depth >= depth).then_some(SearchEnd::Limit(Limit::Depth))
    }

    /// Keeps the states that follow the next ones. Says how the search ends, if it does.
    fn keep(&mut self, piece: &Expanded, limits: &Limits) -> Option<SearchEnd> {
        if let Some(tables) = piece.tables {
            self.tables = tables;
        }
        self.store.most = limits.memory.unwrap_or(usize::MAX).saturating_sub(self.tables.memory);
        let width = self.store.widths.len();
        let whole = piece.ends.iter().map(|&(end, stuck)| (end, Some(stuck)));
        let mut from = 0;
        for (end, stuck) in whole.chain([(piece.numbers.len(), None)]) {
            for state in piece.numbers[from..end].chunks_exact(width) {
                self.transitions += 1;
                self.store.insert(state, self.next);
                if self.store.is_full {
                    // The state is expanded again when the search goes on.
                    return Some(SearchEnd::Limit(Limit::Memory));
                }
            }
            from = end;
            match stuck {
                Some(true) => return Some(SearchEnd::Stuck(self.next)),
                Some(false) => self.next += 1,
                None => break,
            }
            if let Some(end) = self.level(limits) {
                return Some(end);
            }
        }
        None
    }
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
        let (begun, tables) = (Instant::now(), Tables::of(&states));
        Self { states, visited: Visited { store, next, level_end, depth, transitions, before, begun, tables } }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> SearchProgress {
        self.visited.progress()
    }

    /// Searches until the end or a limit. From time to time it asks `go_on` whether to go on.
    pub fn run(&mut self, limits: &Limits, mut go_on: impl FnMut(&SearchProgress) -> bool) -> SearchEnd {
        let until = limits.time.map(|time| Instant::now() + time);
        let mut keep = |visited: &mut Visited, piece: &Expanded| {
            let ended = visited.keep(piece, limits);
            let mut limit = || {
                if !go_on(&visited.progress()) {
                    return Some(Limit::Interrupt);
                }
                until.is_some_and(|until| Instant::now() >= until).then_some(Limit::Time)
            };
            ended.or_else(|| limit().map(SearchEnd::Limit))
        };
        self.visited.store.is_full = false;
        let mut ended = self.visited.level(limits);
        loop {
            if let Some(ended) = ended {
                return ended;
            }
            let Self { states, visited } = self;
            if visited.frontier() >= u64::from(AHEAD * AT_A_TIME) {
                ended = side_by_side(states, visited, &mut keep);
                continue;
            }
            let some = visited.frontier().min(AT_A_TIME.into()) as u32;
            expand(states, &visited.batch(visited.next..visited.next + some), |piece| {
                ended = keep(visited, &piece);
                ended.is_none()
            });
        }
    }

    /// Number of states that the visited ones stand for, with all of their images.
    pub fn stands_for(&mut self) -> u64 {
        let mut state = Vec::new();
        let images = |id| {
            self.visited.store.get(id, &mut state);
            self.states.images(&state) as u64
        };
        (0..self.visited.store.len() as u32).map(images).sum()
    }

    /// The choices of each cycle on a shortest way to a state.
    pub fn way(&mut self, id: u32) -> Vec<Vec<(u32, Pick)>> {
        let path = self.visited.store.path(id);
        let (mut from, mut to) = (self.states.initial(), Vec::new());
        let mut way = Vec::new();
        for &step in &path[1..] {
            self.visited.store.get(step, &mut to);
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

/// Expands states in a second thread until few are left. Each time the thread gets as many states,
/// so what it knows does not depend on the speed of the threads.
fn side_by_side(
    states: &mut States,
    visited: &mut Visited,
    mut keep: impl FnMut(&mut Visited, &Expanded) -> Option<SearchEnd>,
) -> Option<SearchEnd> {
    thread::scope(|scope| {
        let (ahead, batches) = mpsc::channel::<Vec<u32>>();
        let (give, expanded) = mpsc::sync_channel(AHEAD as usize);
        scope.spawn(move || batches.iter().for_each(|batch| expand(states, &batch, |piece| give.send(piece).is_ok())));
        let mut sent = visited.next;
        loop {
            while sent - visited.next < AHEAD * AT_A_TIME
                && visited.store.len() - u64::from(sent) >= u64::from(AT_A_TIME)
            {
                ahead.send(visited.batch(sent..sent + AT_A_TIME)).ok()?;
                sent += AT_A_TIME;
            }
            if sent == visited.next {
                return None;
            }
            let ended = keep(visited, &expanded.recv().ok()?);
            if ended.is_some() {
                return ended;
            }
        }
    })
}
