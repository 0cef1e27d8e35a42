//! Counters of the lanes of a bank: flits in each FIFO, credits for each. The counters are
//! bit-sliced: plane k has bit k of all counters. So any number of counters can count in one cycle,
//! as in hardware.

/// Planes that are counted through at once: FIFOs of up to 15 flits need no more.
const STEP: usize = 4;
/// Steps to the 16 bits of a counter.
const STEPS: usize = 4;

/// Up to 64 counters side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlicedCounters {
    planes: [[u64; STEP]; STEPS],
    /// Steps in use.
    used: u8,
}

impl SlicedCounters {
    /// Counters from 0 to `most` at least, all 0.
    #[must_use]
    pub const fn new(most: u16) -> Self {
        Self { planes: [[0; STEP]; STEPS], used: (u16::BITS - most.leading_zeros()).div_ceil(STEP as u32) as u8 }
    }

    /// Counters from planes, lowest bit first.
    #[must_use]
    #[inline(always)]
    pub fn from_planes(planes: &[u64]) -> Self {
        let mut counters = Self { planes: [[0; STEP]; STEPS], used: planes.len().div_ceil(STEP) as u8 };
        counters.planes.as_flattened_mut().iter_mut().zip(planes).for_each(|(own, &plane)| *own = plane);
        counters
    }

    #[inline(always)]
    fn used(&mut self) -> &mut [[u64; STEP]] {
        &mut self.planes[..STEPS.min(self.used.into())]
    }

    /// The planes in use, lowest bit first.
    #[must_use]
    #[inline(always)]
    pub fn planes(&self) -> &[u64] {
        self.planes[..STEPS.min(self.used.into())].as_flattened()
    }

    /// The counters of `lanes` become those of `other`.
    #[inline(always)]
    pub fn replace(&mut self, other: &Self, lanes: u64) {
        for (own, other) in self.used().as_flattened_mut().iter_mut().zip(other.planes()) {
            *own = *own & !lanes | other & lanes;
        }
    }

    /// The counter of a lane.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, lane: usize) -> u16 {
        let of = |step: &[u64; STEP]| (0..STEP).fold(0, |n, k| n | ((step[k] >> lane & 1) as u16) << k);
        if self.used <= 1 {
            return of(&self.planes[0]);
        }
        self.planes[..STEPS.min(self.used.into())].iter().rev().fold(0, |n, step| n << STEP | of(step))
    }

    /// Sets the counter of a lane.
    pub fn set(&mut self, lane: usize, n: u16) {
        for (k, plane) in self.used().iter_mut().flatten().enumerate() {
            *plane = *plane & !(1 << lane) | u64::from(n >> k & 1) << lane;
        }
    }

    /// The lanes whose counters are not those of `other`.
    #[must_use]
    #[inline(always)]
    pub fn differ(&self, other: &Self) -> u64 {
        let planes = self.planes.as_flattened().iter().zip(other.planes.as_flattened());
        planes.fold(0, |lanes, (own, of_other)| lanes | own ^ of_other)
    }

    /// The lanes whose counters are above a number that the counters can reach.
    #[must_use]
    #[inline(always)]
    pub fn above(&self, most: u16) -> u64 {
        let planes = self.planes().iter().enumerate();
        planes.fold(0, |above, (k, plane)| if most >> k & 1 != 0 { above & plane } else { above | plane })
    }

    /// The counters of `lanes` count up.
    #[inline(always)]
    pub fn up(&mut self, lanes: u64) {
        let mut carry = lanes;
        for step in self.used() {
            for plane in step {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
            }
        }
        debug_assert!(carry == 0, "more than there is room for");
    }

    /// The counters of `lanes` count down; returns the lanes whose counters are not 0.
    #[inline(always)]
    pub fn down(&mut self, lanes: u64) -> u64 {
        let (mut borrow, mut some) = (lanes, 0);
        for step in self.used() {
            for plane in step {
                (*plane, borrow) = (*plane ^ borrow, !*plane & borrow);
                some |= *plane;
            }
        }
        debug_assert!(borrow == 0, "less than nothing");
        some
    }

    /// Counters of the lanes in `field` from lane `first` on. Lane `first` becomes lane 0.
    #[must_use]
    pub fn of(&self, first: u8, field: u64) -> Self {
        Self { planes: self.planes.map(|step| step.map(|plane| plane >> first & field)), used: self.used }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_above_a_number_are_found() {
        let mut counters = SlicedCounters::new(15);
        (0..16).for_each(|n| counters.set(n, n as u16));
        for most in 0..16 {
            assert_eq!(counters.above(most), 0xffff_u64 << (most + 1) & 0xffff, "{most}");
        }
    }

    #[test]
    fn they_count_as_numbers_do() {
        for most in [1, 2, 3, 4, 5, 255, u16::MAX] {
            let (mut counters, mut numbers, mut seed) = (SlicedCounters::new(most), [0u16; 64], 1u64);
            for _ in 0..500 {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x55;
                let mask = |f: &dyn Fn(u16) -> bool| (0..64).filter(|&i| f(numbers[i])).fold(0, |m, i| m | 1 << i);
                let (up, down) = (seed & mask(&|n| n < most), seed.rotate_left(31) & mask(&|n| n > 0));
                counters.up(up & !down);
                let some = counters.down(down & !up);
                for (i, n) in numbers.iter_mut().enumerate() {
                    *n = *n + ((up & !down) >> i & 1) as u16 - ((down & !up) >> i & 1) as u16;
                    assert_eq!((counters.get(i), some >> i & 1 != 0), (*n, *n > 0));
                }
                let i = (seed % 64) as usize;
                let before = (counters, numbers[i]);
                numbers[i] = most;
                counters.set(i, most);
                assert_eq!(counters.differ(&before.0), u64::from(before.1 != most) << i);
            }
            assert_eq!(counters.of(3, 7).get(1), counters.get(4));
            assert_eq!(counters.of(3, 7).get(3), 0);
        }
    }
}
