//! Units of area: gate equivalents (areas of a two-input NAND gate) and flip-flops.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use serde::Serialize;

/// A flip-flop without reset.
const DATA: f64 = 5.67;

/// Gates of a bit that is read from a FIFO, for each cell after the first.
pub(crate) const READ: f64 = 2.2;

/// Area of a piece of hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Area {
    /// Gate equivalents, flip-flops included.
    pub ge: f64,
    /// Flip-flops among them.
    pub flip_flops: u64,
}

impl Area {
    /// Area of gates that keep nothing.
    #[must_use]
    pub(crate) const fn gates(ge: f64) -> Self {
        Self { ge, flip_flops: 0 }
    }

    /// Area of bits that only delay.
    #[must_use]
    pub const fn delay(bits: u64) -> Self {
        Self { ge: bits as f64 * DATA, flip_flops: bits }
    }
}

/// Number of bits that number this many things: the base-2 logarithm, rounded up; 0 for one.
#[must_use]
pub const fn bits_of(things: u64) -> u64 {
    (u64::BITS - things.saturating_sub(1).leading_zeros()) as u64
}

/// The base-2 logarithm; 0 for zero.
pub(super) fn log2(n: u64) -> f64 {
    libm::log2(n.max(1) as f64)
}

impl Add for Area {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { ge: self.ge + other.ge, flip_flops: self.flip_flops + other.flip_flops }
    }
}

impl AddAssign for Area {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Area {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self { ge: self.ge * times as f64, flip_flops: self.flip_flops * times }
    }
}

impl Sum for Area {
    fn sum<I: Iterator<Item = Self>>(areas: I) -> Self {
        areas.fold(Self::default(), Add::add)
    }
}
