//! The result of a search, in words and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::witness::Witness;
use crate::experiment::{Message, Stall};
use crate::state_space::{Limit, SearchEnd, SearchProgress};

/// The verdict of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofVerdict {
    /// No state within the bounds is a deadlock.
    Proved,
    /// A run ends in a deadlock.
    Violated,
    /// A limit came first.
    NotFinished,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// Version of the keys.
    schema_version: u32,
    /// The verdict.
    pub verdict: ProofVerdict,
    /// The limit that came first, if one did.
    pub limit: Option<&'static str>,
    /// The bounds, one a line.
    bounds: Vec<String>,
    /// States that were visited.
    states: u64,
    /// Steps from state to state.
    transitions: u64,
    /// Cycles up to which all states are visited.
    depth: u32,
    /// States that were not expanded.
    frontier: u64,
    /// Seconds.
    seconds: f64,
    /// Visited states per second.
    states_per_second: f64,
    /// Bytes of memory, about.
    memory_bytes: usize,
    /// Bytes of a state.
    bytes_per_state: usize,
    /// States of single switches and nodes.
    part_states: usize,
    /// Symmetries, the identity included. States that they map to each other count once.
    symmetries: usize,
    /// The worms of the shortest way, if there is a deadlock.
    worms: Vec<Message>,
    /// Choices of arbiters that the way needs and that the network does not make by itself.
    turns: Vec<Stall>,
    /// Cycles until nothing moves.
    cycles: Option<u64>,
    /// Whether a run with these worms ends in a deadlock.
    confirmed: Option<bool>,
}

impl Proof {
    /// The result of a search that ended.
    #[must_use]
    pub fn new(end: SearchEnd, bounds: Vec<String>, progress: &SearchProgress, witness: Option<&Witness>) -> Self {
        let (verdict, limit) = match end {
            SearchEnd::Proved => (ProofVerdict::Proved, None),
            SearchEnd::Stuck(_) => (ProofVerdict::Violated, None),
            SearchEnd::Limit(limit) => (ProofVerdict::NotFinished, Some(limit.name())),
        };
        let seconds = progress.time.as_secs_f64();
        Self {
            schema_version: 1,
            verdict,
            limit,
            bounds,
            states: progress.states,
            transitions: progress.transitions,
            depth: progress.depth,
            frontier: progress.frontier,
            seconds,
            states_per_second: progress.states as f64 / seconds.max(1e-9),
            memory_bytes: progress.memory,
            bytes_per_state: progress.bytes_each,
            part_states: progress.parts,
            symmetries: progress.symmetries,
            worms: witness.map(|of| of.messages.clone()).unwrap_or_default(),
            turns: witness.map(|of| of.turns.clone()).unwrap_or_default(),
            cycles: witness.map(|of| of.cycles),
            confirmed: witness.map(|of| of.deadlock.is_some()),
        }
    }

    /// The result in words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.bounds {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
        let _ = match self.verdict {
            ProofVerdict::Proved => writeln!(text, "proved within the bounds: no schedule deadlocks"),
            ProofVerdict::Violated => writeln!(
                text,
                "violated: {} worms deadlock, and nothing moves after {} cycles",
                self.worms.len(),
                self.cycles.unwrap_or_default()
            ),
            ProofVerdict::NotFinished => writeln!(
                text,
                "not finished: {} ended the search; no schedule deadlocks within {} cycles",
                self.limit.unwrap_or("a limit"),
                self.depth
            ),
        };
        for worm in &self.worms {
            let Message { cycle, source, destinations, encoding, payload_flits, .. } = worm;
            let encoding = encoding.unwrap_or_default();
            let _ = writeln!(
                text,
                "  cycle {cycle}: node {source} to {destinations:?}, {encoding}, {payload_flits} payload flits"
            );
        }
        for turn in &self.turns {
            let (arbiter, first) = (turn.arbiter.as_deref(), turn.first.as_deref());
            let (arbiter, first) = (arbiter.unwrap_or_default(), first.unwrap_or_default());
            let _ = writeln!(text, "  cycle {}: the arbiter {arbiter} must put {first} first", turn.from);
        }
        if !self.turns.is_empty() {
            text += "Perhaps the arbiters of your network never choose this. To try only what they choose, add --arbiters built.\n";
        }
        if self.confirmed == Some(false) {
            text += "A run of these worms does not deadlock: the arbiters of this network choose otherwise. Other worms \
                     may deadlock. To ask about these arbiters, add --arbiters built.\n";
        }
        let Self { states, transitions, depth, frontier, seconds, memory_bytes, bytes_per_state, .. } = self;
        let _ = writeln!(
            text,
            "{states} states, {transitions} steps, {depth} cycles deep, {frontier} states open; {seconds:.1} s, {:.0} \
             states per second; {:.1} MiB, {bytes_per_state} bytes per state",
            self.states_per_second,
            *memory_bytes as f64 / f64::from(1 << 20),
        );
        if self.symmetries > 1 {
            let _ = writeln!(text, "mirror images of a state count once ({} symmetries)", self.symmetries);
        }
        text
    }
}

impl Limit {
    /// The limit in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "the limit of memory",
            Self::Time => "the limit of time",
            Self::Depth => "the limit of cycles",
            Self::Interrupt => "an interrupt",
        }
    }
}
