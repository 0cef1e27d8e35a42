//! Counters of the lanes of a bank: flits in each FIFO, credits for each. They stand bit-sliced, bit k of all of them in plane k, so that
//! in one cycle any number of them counts, as in hardware.

/// Bits of a counter.
const BITS: usize = 16;

/// Up to 64 counters side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    planes: [u64; BITS],
    /// Planes in use.
    used: u8,
}

impl Counters {
    /// Counters from 0 to `most`, all 0.
    #[must_use]
    pub const fn new(most: u16) -> Self {
        Self { planes: [0; BITS], used: BITS as u8 - most.leading_zeros() as u8 }
    }

    /// The counter of a lane.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, lane: usize) -> u16 {
        (0..).zip(self.used()).fold(0, |n, (k, plane)| n | ((plane >> lane & 1) as u16) << k)
    }

    /// Sets the counter of a lane.
    pub fn set(&mut self, lane: usize, n: u16) {
        for (k, plane) in self.planes[..usize::from(self.used)].iter_mut().enumerate() {
            *plane = *plane & !(1 << lane) | u64::from(n >> k & 1) << lane;
        }
    }

    /// The counters of `lanes` count up.
    #[inline(always)]
    pub fn up(&mut self, lanes: u64) {
        let mut carry = lanes;
        for plane in &mut self.planes[..usize::from(self.used) % (BITS + 1)] {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
        debug_assert!(carry == 0, "more than there is room for");
    }

    /// The counters of `lanes` count down; returns the lanes whose counters are not 0.
    #[inline(always)]
    pub fn down(&mut self, lanes: u64) -> u64 {
        let (mut borrow, mut some) = (lanes, 0);
        for plane in &mut self.planes[..usize::from(self.used) % (BITS + 1)] {
            (*plane, borrow) = (*plane ^ borrow, !*plane & borrow);
            some |= *plane;
        }
        debug_assert!(borrow == 0, "less than nothing");
        some
    }

    /// Those of the lanes in `field` from lane `first` on, which become lanes 0 and up.
    #[must_use]
    pub fn of(&self, first: u8, field: u64) -> Self {
        Self { planes: self.planes.map(|plane| plane >> first & field), used: self.used }
    }

    #[inline(always)]
    fn used(&self) -> &[u64] {
        &self.planes[..usize::from(self.used) % (BITS + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_count_as_numbers_do() {
        for most in [1, 2, 3, 4, 5, 255, u16::MAX] {
            let (mut counters, mut numbers, mut seed) = (Counters::new(most), [0u16; 64], 1u64);
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
                numbers[i] = most;
                counters.set(i, most);
            }
            assert_eq!(counters.of(3, 7).get(1), counters.get(4));
            assert_eq!(counters.of(3, 7).get(3), 0);
        }
    }
}
