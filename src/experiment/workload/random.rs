//! Random numbers. Each node and message has one stream, so the draws of one message do not change
//! the draws of another message.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Key of a family of streams: of a seed, of an entry of the workload, or of a node.
#[derive(Clone, Copy)]
pub(crate) struct Key(u64);

impl Key {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed).child(0)
    }

    /// Key number `i` of this family. Keys of different parents are as good as independent.
    #[inline]
    pub(crate) fn child(self, i: u64) -> Self {
        Self(SplitMix64::seed_from_u64(self.0.wrapping_add(i)).next_u64())
    }

    #[inline]
    pub(crate) fn stream(self) -> Stream {
        Stream(SplitMix64::seed_from_u64(self.0))
    }
}

/// A stream of random numbers.
pub(crate) struct Stream(SplitMix64);

impl Stream {
    /// Uniform in (0, 1], with 53 bits.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
        ((self.0.next_u64() >> 11) + 1) as f64 * SCALE
    }

    /// Uniform in `0..n`, 0 when n is 0. The bias, n / 2^64, is too small to be seen in any run.
    #[inline]
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u32
    }

    /// The same as [`Stream::below`] where `n` has 32 bits. A larger `n` takes two numbers, because
    /// the bias would show.
    pub(crate) fn below_wide(&mut self, n: u64) -> u64 {
        if let Ok(n) = n.try_into() {
            return self.below(n).into();
        }
        let mut part = || u128::from(self.0.next_u64()) * u128::from(n);
        let high = part();
        ((high + (part() >> 64)) >> 64) as u64
    }

    /// Shuffles values, with all orders equally likely (Durstenfeld, CACM 7(7) 1964).
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_as_likely_as_any_other() {
        let mut random = Key::new(7).stream();
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut values = [0, 1, 2, 3];
            random.shuffle(&mut values);
            *counts.entry(values).or_insert(0_u32) += 1;
        }
        assert!(counts.len() == 24 && counts.values().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
    }

    #[test]
    fn numbers_below_any_bound_are_uniform() {
        for n in [1, 3, u64::from(u32::MAX), 1 << 32, 1_000_000_000_000_000_001, u64::MAX] {
            let mut random = Key::new(7).stream();
            let mut thirds = [0_u32; 3];
            for _ in 0..30_000 {
                let drawn = random.below_wide(n);
                assert!(drawn < n);
                thirds[(u128::from(drawn) * 3 / u128::from(n)) as usize] += 1;
            }
            assert!(n == 1 || thirds.iter().all(|count| count.abs_diff(10_000) < 500), "{n}: {thirds:?}");
        }
        let (mut wide, mut narrow) = (Key::new(7).stream(), Key::new(7).stream());
        assert!((1..1000).all(|n| wide.below_wide(n.into()) == u64::from(narrow.below(n))));
    }
}
