//! Latencies of worms, separate for each class of traffic and each encoding.
//!
//! A worm counts once all its destinations have it. `first` is the latency of the first
//! destination, `mean` the mean over all, `last` the latency of the last destination. For a worm
//! with one destination they are the same.

use std::num::NonZeroU8;

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
struct KindLatencies {
    first: Histogram,
    last: Histogram,
    means: f64,
}

impl KindLatencies {
    fn record(&mut self, spread: &Spread) {
        self.first.record(spread.first);
        self.last.record(spread.last);
        self.means += spread.mean();
    }

    /// Latencies of a class of worms, if it has any worms.
    fn latency(&self, class: &str) -> Option<ClassLatency> {
        let (first, last) = (self.first.latency()?, self.last.latency()?);
        Some(ClassLatency { class: class.to_owned(), first, mean: self.means / first.count as f64, last })
    }

    fn merge(&mut self, other: &Self) {
        self.first.merge(&other.first);
        self.last.merge(&other.last);
        self.means += other.means;
    }
}

/// Classes with separate latencies, with their names in columns and keys.
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
    /// `all` worms, `unicast` and the other encodings. `multicast` has the worms of more than one
    /// destination. `software` has the multicasts in software, from their begin until a node holds
    /// the message. Classes that the workload names have worms and multicasts in software.
    pub class: String,
    /// Latency of the first destination.
    pub first: Latency,
    /// Mean over worms of the mean over their destinations.
    pub mean: f64,
    /// Latency of the last destination.
    pub last: Latency,
}

/// Latencies of all worms of a run.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Worms of one destination, by encoding. The first arrival of such a worm is also the last.
    single: [Histogram; Encoding::ALL.len()],
    /// Worms of several destinations, by encoding.
    several: [KindLatencies; Encoding::ALL.len()],
    software: KindLatencies,
    /// Latencies of the classes that the workload names, in the order of their numbers.
    named: Vec<Named>,
}

/// A class that the workload names.
#[derive(Clone, Debug, Default)]
struct Named {
    kind: KindLatencies,
    flits: Flits,
}

/// Flits of a class, counted in the same way as the flits of all worms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flits {
    /// Flits of the worms created in the window.
    pub offered: u64,
    /// Flits of the worms that arrived in the window, a share for each destination.
    pub accepted: f64,
    /// Flits that nodes took in the window; every copy counts.
    pub delivered: u64,
}

impl Classes {
    /// The class of a number, if there is one.
    fn named(&mut self, number: Option<NonZeroU8>) -> Option<&mut Named> {
        let place = usize::from(number?.get()) - 1;
        if place >= self.named.len() {
            self.named.resize_with(place + 1, Named::default);
        }
        self.named.get_mut(place)
    }

    /// Adds flits of a worm to the flits of its class.
    #[inline]
    pub fn add(&mut self, worm: &WormInfo, flits: Flits) {
        if let Some(Named { flits: all, .. }) = self.named(worm.class.number) {
            all.offered += flits.offered;
            all.accepted += flits.accepted;
            all.delivered += flits.delivered;
        }
    }

    /// The flits of the `classes` classes that a workload names.
    pub fn flits(&self, classes: usize) -> impl Iterator<Item = Flits> {
        (0..classes).map(|place| self.named.get(place).map_or_else(Flits::default, |of| of.flits))
    }

    /// A message is complete, which its class counts.
    fn count(&mut self, number: Option<NonZeroU8>, spread: &Spread) {
        if let Some(of) = self.named(number) {
            of.kind.record(spread);
        }
    }

    /// A worm of one destination has arrived.
    #[inline]
    pub fn single(&mut self, worm: &WormInfo, latency: u64) {
        self.single[worm.encoding as usize].record(latency);
        if worm.class.number.is_some() && !worm.class.is_part {
            self.count(worm.class.number, &Spread { arrived: 1, first: latency, last: latency, sum: latency.into() });
        }
    }

    /// A worm of several destinations has arrived at all.
    pub fn several(&mut self, worm: &WormInfo, spread: &Spread) {
        self.several[worm.encoding as usize].record(spread);
        if !worm.class.is_part {
            self.count(worm.class.number, spread);
        }
    }

    /// A multicast in software is complete; `class` is the number of the class that it names.
    pub fn software(&mut self, spread: &Spread, class: Option<NonZeroU8>) {
        self.software.record(spread);
        self.count(class, spread);
    }

    /// The latencies of the classes that have any; `names` are the classes that the workload names.
    #[must_use]
    pub fn latencies(&self, names: &[String]) -> Vec<ClassLatency> {
        let fixed = CLASSES.into_iter().filter_map(|class| self.of(class));
        fixed.chain(names.iter().zip(&self.named).filter_map(|(name, of)| of.kind.latency(name))).collect()
    }

    fn of(&self, class: &'static str) -> Option<ClassLatency> {
        let mut kind = if class == "software" { self.software.clone() } else { KindLatencies::default() };
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
        kind.latency(class)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::worm;
    use super::*;
    use crate::engine::Class;
    use crate::experiment::check_name;

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
            .latencies(&[])
            .into_iter()
            .map(|of| (of.class, of.first.count, of.first.max, of.mean, of.last.max))
            .collect();
        let found: Vec<_> = found.iter().map(|of| (of.0.as_str(), of.1, of.2, of.3, of.4)).collect();
        let expected = [
            ("all", 3, 30, 65.0 / 3.0, 40),
            ("unicast", 1, 10, 10.0, 10),
            ("multicast", 1, 30, 35.0, 40),
            ("bit_string", 2, 30, 27.5, 40),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_named_class_has_messages_whoever_carries_them() {
        let two = NonZeroU8::new(2);
        let of = |is_part| Class { number: two, is_part };
        let spread = Spread { arrived: 2, first: 30, last: 50, sum: 80 };
        let mut classes = Classes::default();
        classes.single(&WormInfo { class: of(false), ..worm(0, 0, &[1], 0) }, 10);
        // A part of a multicast in software is no separate message, but its flits count.
        let part = WormInfo { class: of(true), ..worm(1, 0, &[1], 0) };
        classes.single(&part, 1000);
        classes.add(&part, Flits { offered: 9, accepted: 4.5, delivered: 9 });
        classes.several(&WormInfo { class: of(false), ..worm(2, 0, &[1, 2], 0) }, &spread);
        classes.software(&Spread { first: 70, last: 90, sum: 160, ..spread }, two);
        classes.single(&worm(3, 0, &[1], 0), 1000);
        let names = ["none", "some"].map(str::to_owned);
        let found = classes.latencies(&names);
        let [some] = found.iter().filter(|of| names.contains(&of.class)).collect::<Vec<_>>()[..] else { panic!("one") };
        assert_eq!((some.class.as_str(), some.first.count, some.last.count), ("some", 3, 3));
        assert_eq!((some.first.max, some.last.max, some.last.p50), (70, 90, 50));
        assert!((some.mean - (10.0 + 40.0 + 80.0) / 3.0).abs() < 1e-9);
        let delivered: Vec<u64> = classes.flits(2).map(|of| of.delivered).collect();
        assert_eq!(delivered, [0, 9]);
    }

    #[test]
    fn no_class_is_named_as_one_that_is_there_anyway() {
        assert!(CLASSES.into_iter().all(|class| check_name(class).is_err()));
        assert!(check_name("background").is_ok() && check_name("a.b").is_err() && check_name("").is_err());
    }
}
