//! A part of the network, a switch or a node: its states by number, and the results of its
//! evaluation, each computed once.

use rustc_hash::FxHashMap;

use super::numbers::Numbers;

/// Events of a station in a cycle: its worm captures the token, or releases it.
pub(super) const CAPTURED: u32 = 1;
/// See [`CAPTURED`].
pub(super) const RELEASED: u32 = 2;

/// A choice inside a part in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The node begins a worm of this kind.
    Begin(u32),
    /// The arbiter of this output lane puts this input lane first. The allocator of a switch is the
    /// arbiter of lane 0.
    Lane(u8, u8),
    /// The station puts this input lane first.
    Token(u8),
}

/// One result of the evaluation of a part.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    /// Number of the registers after the evaluation, before flits and credits arrive.
    pub mid: u32,
    /// Number of the outputs.
    pub out: u32,
    /// Worms that begin.
    pub begun: u8,
    /// Choices that lead to this result.
    pub picks: Box<[Pick]>,
}

/// Facts about a state of a part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// No flit and no worm is there.
    pub idle: bool,
    /// A worm waits for the token.
    pub waits: bool,
}

/// The tables of a part.
#[derive(Clone, Debug, Default)]
pub(super) struct StatePart {
    /// States at the beginning of a cycle.
    pub locals: Numbers,
    pub facts: Vec<Facts>,
    /// States after the evaluation.
    pub mids: Numbers,
    /// For each state, without and with the token here: where its alternatives are.
    evaluated: Vec<[Option<(u32, u32)>; 2]>,
    pub alternatives: Vec<Alternative>,
    outs: FxHashMap<Box<[u32]>, u32>,
    /// Signals of each output.
    signals: Vec<Box<[u32]>>,
    /// Numbers of the arrivals of a cycle. Number 0 is no arrival.
    arrivals: FxHashMap<Box<[u32]>, u32>,
    /// States after a cycle in which nothing arrives, and in which something arrives.
    undisturbed: Vec<Option<u32>>,
    nexts: FxHashMap<(u32, u32), u32>,
    /// Outputs of other parts that arrive here: part, and place in its signals.
    pub feeds: Vec<(u32, u32)>,
}

impl StatePart {
    /// A part with empty tables.
    pub fn fed_by(feeds: Vec<(u32, u32)>) -> Self {
        Self { feeds, ..Self::default() }
    }

    /// Where the alternatives of a state are, if they are known.
    pub fn evaluated(&self, local: u32, token: bool) -> Option<(u32, u32)> {
        self.evaluated.get(local as usize).and_then(|both| both[usize::from(token)])
    }

    /// Notes the alternatives of a state.
    pub fn note(&mut self, local: u32, token: bool, all: Vec<Alternative>) -> (u32, u32) {
        let span = (self.alternatives.len() as u32, all.len() as u32);
        self.alternatives.extend(all);
        if self.evaluated.len() <= local as usize {
            self.evaluated.resize(local as usize + 1, [None; 2]);
        }
        self.evaluated[local as usize][usize::from(token)] = Some(span);
        span
    }

    /// The number of an output.
    pub fn out(&mut self, signals: Vec<u32>) -> u32 {
        if let Some(&found) = self.outs.get(&signals[..]) {
            return found;
        }
        let number = self.signals.len() as u32;
        let signals = signals.into_boxed_slice();
        self.outs.insert(signals.clone(), number);
        self.signals.push(signals);
        number
    }

    /// A signal of an output.
    pub fn signal(&self, out: u32, place: u32) -> u32 {
        self.signals[out as usize][place as usize]
    }

    /// The last signal of an output: events of the station.
    pub fn events(&self, out: u32) -> u32 {
        self.signals[out as usize].last().copied().unwrap_or(0)
    }

    /// The number of some arrivals.
    pub fn arrival(&mut self, arrivals: &[u32]) -> u32 {
        if let Some(&found) = self.arrivals.get(arrivals) {
            return found;
        }
        let number = self.arrivals.len() as u32 + 1;
        self.arrivals.insert(arrivals.into(), number);
        number
    }

    /// The state after a cycle, if it is known.
    pub fn next(&self, mid: u32, arrival: u32) -> Option<u32> {
        if arrival == 0 {
            self.undisturbed.get(mid as usize).copied().flatten()
        } else {
            self.nexts.get(&(mid, arrival)).copied()
        }
    }

    /// Notes the state after a cycle.
    pub fn note_next(&mut self, mid: u32, arrival: u32, next: u32) {
        if arrival > 0 {
            self.nexts.insert((mid, arrival), next);
            return;
        }
        if self.undisturbed.len() <= mid as usize {
            self.undisturbed.resize(mid as usize + 1, None);
        }
        self.undisturbed[mid as usize] = Some(next);
    }

    /// The number of a state.
    pub fn local(&mut self, bytes: &[u8], facts: Facts) -> u32 {
        let number = self.locals.number(bytes);
        if self.facts.len() <= number as usize {
            self.facts.push(facts);
        }
        number
    }

    /// Bytes of memory, about.
    pub fn memory(&self) -> usize {
        self.locals.memory()
            + self.mids.memory()
            + 2 * self.facts.capacity()
            + 24 * self.evaluated.capacity()
            + 64 * self.alternatives.capacity()
            + 160 * self.signals.len()
            + 100 * self.arrivals.len()
            + 8 * self.undisturbed.capacity()
            + 20 * self.nexts.capacity()
    }
}
