//! Latencies of worms, told apart by class of traffic and by encoding.
//!
//! A worm counts once all its destinations have it. First, mean and last are the latencies of its
//! first destination, of all of them on the mean, and of its last; of a worm with one destination
//! they are the same.

use serde::Serialize;

use super::Histogram;
use super::histogram::Latency;
use crate::engine::WormInfo;
use wormscope_hw::Encoding;

/// Latencies of one destination after the other.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Destinations reached.
    pub arrived: u32,
    /// Smallest latency.
    pub first: u64,
    /// Largest latency.
    pub last: u64,
    /// Sum of latencies.
    pub sum: u128,
}

impl Default for Spread {
    fn default() -> Self {
        Self { arrived: 0, first: u64::MAX, last: 0, sum: 0 }
    }
}

impl Spread {
    /// Another destination is reached.
    pub fn add(&mut self, latency: u64) {
        self.arrived += 1;
        self.first = self.first.min(latency);
        self.last = self.last.max(latency);
        self.sum += u128::from(latency);
    }

    /// Mean of the destinations reached.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / f64::from(self.arrived)
    }
}

/// Latencies of worms of one kind.
#[derive(Clone, Debug, Default)]
struct Kind {
    first: Histogram,
    last: Histogram,
    means: f64,
}

impl Kind {
    fn record(&mut self, spread: &Spread) {
        self.first.record(spread.first);
        self.last.record(spread.last);
        self.means += spread.mean();
    }

    fn merge(&mut self, other: &Self) {
        self.first.merge(&other.first);
        self.last.merge(&other.last);
        self.means += other.means;
    }
}

/// Classes whose latencies are told apart, each as columns and keys call it.
pub const CLASSES: [&str; Encoding::ALL.len() + 3] = {
    let mut classes = ["software"; Encoding::ALL.len() + 3];
    (classes[0], classes[1], classes[2]) = ("all", Encoding::Unicast.name(), "multicast");
    let mut others = 1;
    while others < Encoding::ALL.len() {
        classes[others + 2] = Encoding::ALL[others].name();
        others += 1;
    }
    classes
};

/// Latencies of one class, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassLatency {
    /// `all` worms; `unicast` and the other encodings; `multicast`: worms of more than one
    /// destination; `software`: multicasts in software, from begin to when a node holds the
    /// message.
    pub class: &'static str,
    /// Of the first destination.
    pub first: Latency,
    /// Mean over worms of the mean over their destinations.
    pub mean: f64,
    /// Of the last destination.
    pub last: Latency,
}

/// Latencies of all worms of a run.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Worms of one destination, by encoding. What is first is last.
    single: [Histogram; Encoding::ALL.len()],
    /// Worms of several destinations, by encoding.
    several: [Kind; Encoding::ALL.len()],
    software: Kind,
}

impl Classes {
    /// A worm of one destination has arrived.
    #[inline]
    pub fn single(&mut self, worm: &WormInfo, latency: u64) {
        self.single[worm.encoding as usize].record(latency);
    }

    /// A worm of several destinations has arrived at all.
    pub fn several(&mut self, worm: &WormInfo, spread: &Spread) {
        self.several[worm.encoding as usize].record(spread);
    }

    /// A multicast in software is complete.
    pub fn software(&mut self, spread: &Spread) {
        self.software.record(spread);
    }

    /// The latencies of the classes that have any.
    #[must_use]
    pub fn latencies(&self) -> Vec<ClassLatency> {
        CLASSES.into_iter().filter_map(|class| self.of(class)).collect()
    }

    fn of(&self, class: &'static str) -> Option<ClassLatency> {
        let mut kind = if class == "software" { self.software.clone() } else { Kind::default() };
        for (nth, encoding) in Encoding::ALL.into_iter().enumerate() {
            let (single, several) = match class {
                "all" => (true, true),
                "multicast" => (false, true),
                name => (name == encoding.name(), name == encoding.name()),
            };
            if single {
                let one = &self.single[nth];
                kind.first.merge(one);
                kind.last.merge(one);
                kind.means += one.sum() as f64;
            }
            if several {
                kind.merge(&self.several[nth]);
            }
        }
        let (first, last) = (kind.first.latency()?, kind.last.latency()?);
        Some(ClassLatency { class, first, mean: kind.means / first.count as f64, last })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::worm;
    use super::*;

    #[test]
    fn every_worm_counts_in_all_of_its_classes() {
        let mut classes = Classes::default();
        classes.single(&worm(0, 0, &[1], 0), 10);
        classes.single(&WormInfo { encoding: Encoding::BitString, ..worm(1, 0, &[1], 0) }, 20);
        let mut spread = Spread::default();
        for latency in [40, 30, 35] {
            spread.add(latency);
        }
        classes.several(&worm(2, 0, &[1, 2, 3], 0), &spread);
        let found: Vec<_> = classes
            .latencies()
            .into_iter()
            .map(|of| (of.class, of.first.count, of.first.max, of.mean, of.last.max))
            .collect();
        let expected = [
            ("all", 3, 30, 65.0 / 3.0, 40),
            ("unicast", 1, 10, 10.0, 10),
            ("multicast", 1, 30, 35.0, 40),
            ("bit_string", 2, 30, 27.5, 40),
        ];
        assert_eq!(found, expected);
    }
}
