//! Two runs side by side: the latency of each worm in both.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use wormscope_hw::WormId;

use crate::engine::{Delivery, Observer, WormInfo};
use crate::table::Table;

/// Worms that the text lists.
const MOST_WORMS: usize = 16;

/// A worm of one run.
#[derive(Clone, Debug)]
struct Sent {
    source: u32,
    destinations: Vec<u32>,
    created: u64,
    missing: usize,
    /// Cycle of the last tail so far.
    tail: u64,
}

impl Sent {
    /// Cycles from its creation to the arrival of its last tail.
    fn latency(&self) -> Option<u64> {
        (self.missing == 0).then(|| self.tail - self.created)
    }
}

/// Watches a run for the latency of each worm.
#[derive(Clone, Debug, Default)]
pub struct Latencies(BTreeMap<u32, Sent>);

impl Latencies {
    /// The node that sends a worm.
    #[must_use]
    pub fn source(&self, worm: WormId) -> Option<u32> {
        self.0.get(&worm.0).map(|of| of.source)
    }
}

impl Observer for Latencies {
    fn created(&mut self, worm: &WormInfo) {
        let destinations: Vec<u32> = worm.destinations.iter().map(|node| node.0).collect();
        let missing = destinations.len();
        let of = Sent { source: worm.source.0, destinations, created: worm.created, missing, tail: worm.created };
        self.0.insert(worm.id.0, of);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if let Some(of) = self.0.get_mut(&worm.id.0) {
            of.missing = of.missing.saturating_sub(1);
            of.tail = of.tail.max(delivery.tail);
        }
    }
}

/// A message that both runs send, with its latency in each. This is the number of cycles from its
/// creation to the arrival of its last tail. It has none if it has not arrived everywhere.
#[derive(Clone, Debug, Serialize)]
pub struct InBoth {
    worm: u32,
    source: u32,
    destinations: Vec<u32>,
    created: u64,
    a: Option<u64>,
    b: Option<u64>,
}

impl InBoth {
    /// Number of cycles by which the worm takes longer in B.
    fn longer(&self) -> Option<i64> {
        Some(self.b?.cast_signed() - self.a?.cast_signed())
    }
}

/// Two runs compared.
#[derive(Clone, Debug)]
pub struct Both {
    /// The messages of both, by number.
    pub worms: Vec<InBoth>,
    /// Worms of each run that the other run does not send in the same form.
    alone: (usize, usize),
}

impl Both {
    /// Compares the worms of the same number, source, destinations and creation.
    #[must_use]
    pub fn new(a: &Latencies, b: &Latencies) -> Self {
        let same = |(id, of): (&u32, &Sent)| {
            let other = b.0.get(id)?;
            let is_same =
                other.source == of.source && other.destinations == of.destinations && other.created == of.created;
            is_same.then(|| InBoth {
                worm: *id,
                source: of.source,
                destinations: of.destinations.clone(),
                created: of.created,
                a: of.latency(),
                b: other.latency(),
            })
        };
        let worms: Vec<InBoth> = a.0.iter().filter_map(same).collect();
        let alone = (a.0.len() - worms.len(), b.0.len() - worms.len());
        Self { worms, alone }
    }

    /// The comparison in words: the numbers of faster and slower worms, the first worm that
    /// differs, and the worms that differ most.
    #[must_use]
    pub fn told(&self) -> String {
        let mut text = String::new();
        let longer: Vec<(&InBoth, i64)> = self.worms.iter().filter_map(|of| Some((of, of.longer()?))).collect();
        let count = |is: fn(i64) -> bool| longer.iter().filter(|of| is(of.1)).count();
        let (faster, slower, equal) = (count(|n| n < 0), count(|n| n > 0), count(|n| n == 0));
        let mean = |of: fn(&InBoth) -> Option<u64>| {
            longer.iter().filter_map(|(worm, _)| of(worm)).sum::<u64>() as f64 / longer.len() as f64
        };
        let _ = writeln!(text, "worms in both runs: {}", self.worms.len());
        if self.alone != (0, 0) {
            let _ = writeln!(text, "worms in one run alone: {} in A, {} in B", self.alone.0, self.alone.1);
        }
        if longer.is_empty() {
            let _ = writeln!(text, "no worm arrives in both");
        } else {
            let _ = writeln!(text, "faster in B: {faster}; slower in B: {slower}; equal: {equal}");
            let (a, b) = (mean(|of| of.a), mean(|of| of.b));
            let _ = writeln!(text, "mean latency of those that arrive in both: {a:.2} cycles in A, {b:.2} in B");
        }
        let alone = |is: fn(&InBoth) -> bool| self.worms.iter().filter(|of| is(of)).count();
        let (only_a, only_b) =
            (alone(|of| of.b.is_none() && of.a.is_some()), alone(|of| of.a.is_none() && of.b.is_some()));
        if (only_a, only_b) != (0, 0) {
            let _ = writeln!(text, "arrive in one run alone: {only_a} in A, {only_b} in B");
        }
        let mut differ: Vec<(&InBoth, i64)> = longer.into_iter().filter(|of| of.1 != 0).collect();
        if let Some((first, _)) = differ.iter().min_by_key(|(of, _)| (of.created, of.worm)) {
            let _ = writeln!(
                text,
                "the first created worm that differs: {}, created in cycle {}",
                first.worm, first.created
            );
        }
        differ.sort_by_key(|&(of, cycles)| (Reverse(cycles.unsigned_abs()), of.worm));
        if !differ.is_empty() {
            let mut table = Table::new(&["worm", "from", "to", "created", "A", "B", "B - A"], &[1, 2]);
            for (of, cycles) in differ.iter().take(MOST_WORMS) {
                let to = match &of.destinations[..] {
                    [node] => format!("n{node}"),
                    nodes => format!("{} nodes", nodes.len()),
                };
                let cycle = |of: Option<u64>| of.map_or_else(String::new, |cycles| cycles.to_string());
                let (created, a, b) = (of.created.to_string(), cycle(of.a), cycle(of.b));
                table.row([of.worm.to_string(), format!("n{}", of.source), to, created, a, b, format!("{cycles:+}")]);
            }
            let left = differ.len().saturating_sub(MOST_WORMS);
            let more = if left > 0 { format!("  and {left} more\n") } else { String::new() };
            let _ = write!(text, "\nlatency in cycles, to the last destination:\n{}{more}", table.text());
        }
        text
    }
}
