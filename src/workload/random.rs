//! Random numbers: one stream per node and message, so that what one message draws moves no other.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Key of a family of streams: of a seed, of an entry of the workload, of a node.
#[derive(Clone, Copy)]
pub(crate) struct Key(u64);

impl Key {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed).child(0)
    }

    /// Key number `i` of this family; keys of different parents are as good as independent.
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

    /// Uniform in `0..n`, 0 when n is 0. The bias, n / 2^64, is below what any run can see.
    #[inline]
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u32
    }
}
