//! Exact statistics of whole numbers of cycles in little memory.

use std::collections::BTreeMap;

use serde::Serialize;

/// Values below this limit are counted in an array. Rare larger values are counted in a map.
const DENSE: u64 = 1 << 16;

/// Counts of each value.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
    count: u64,
    sum: u128,
}

/// Statistics of latencies, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Deliveries; a multicast counts once per destination.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Median: the smallest value that at least half of the deliveries do not exceed.
    pub p50: u64,
    /// 95th percentile, in the same way.
    pub p95: u64,
    /// 99th percentile, in the same way.
    pub p99: u64,
    /// Largest value.
    pub max: u64,
}

impl Histogram {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.count += 1;
        self.sum += u128::from(value);
        if value >= DENSE {
            *self.sparse.entry(value).or_default() += 1;
            return;
        }
        let value = value as usize;
        if value >= self.dense.len() {
            self.dense.resize((value + 1).next_power_of_two(), 0);
        }
        self.dense[value] += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        if self.dense.len() < other.dense.len() {
            self.dense.resize(other.dense.len(), 0);
        }
        self.dense.iter_mut().zip(&other.dense).for_each(|(mine, theirs)| *mine += theirs);
        for (&value, count) in &other.sparse {
            *self.sparse.entry(value).or_default() += count;
        }
    }

    /// Sum of the values counted.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The smallest value that at least `percent` per cent of all values do not exceed (nearest
    /// rank); `None` without values.
    #[must_use]
    pub(crate) fn percentile(&self, percent: u32) -> Option<u64> {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1);
        let mut below = 0;
        let mut counts =
            (0..).zip(self.dense.iter().copied()).chain(self.sparse.iter().map(|(&value, &count)| (value, count)));
        let reached = |&(_, count): &(u64, u64)| {
            below += u128::from(count);
            below >= rank
        };
        counts.find(reached).map(|(value, _)| value)
    }

    /// All statistics; `None` without values.
    #[must_use]
    pub fn latency(&self) -> Option<Latency> {
        Some(Latency {
            count: self.count,
            mean: self.sum as f64 / self.count as f64,
            p50: self.percentile(50)?,
            p95: self.percentile(95)?,
            p99: self.percentile(99)?,
            max: self.percentile(100)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_those_of_the_sorted_values(
            mut values in prop::collection::vec(prop_oneof![0u64..100, 0u64..1 << 20, any::<u64>()], 1..300),
            percent in 0u32..=100,
        ) {
            // Two histograms have one part each, and are then joined.
            let (mut histogram, mut rest) = (Histogram::default(), Histogram::default());
            for (nth, &value) in values.iter().enumerate() {
                if nth % 3 == 0 { &mut rest } else { &mut histogram }.record(value);
            }
            histogram.merge(&rest);
            values.sort_unstable();
            let rank = (values.len() * percent as usize).div_ceil(100).max(1);
            prop_assert_eq!(histogram.percentile(percent), Some(values[rank - 1]));
            let latency = histogram.latency().unwrap();
            prop_assert_eq!(latency.max, values[values.len() - 1]);
            let mean = values.iter().map(|&value| u128::from(value)).sum::<u128>() as f64 / values.len() as f64;
            prop_assert!((latency.mean - mean).abs() <= mean * 1e-12);
        }
    }

    #[test]
    fn no_values_have_no_statistics() {
        assert_eq!(Histogram::default().latency(), None);
        assert_eq!(Histogram::default().percentile(0), None);
    }
}
