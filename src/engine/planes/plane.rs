//! Plane: one fact of 64 * L routers, a bit each.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// The bits; router `64 * j + b` has bit `b` of word `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plane<const L: usize>(pub [u64; L]);

impl<const L: usize> Plane<L> {
    /// No bit is set.
    pub const NONE: Self = Self([0; L]);
    /// All bits are set.
    pub const ALL: Self = Self([u64::MAX; L]);

    /// Whether some bit is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) != 0
    }

    /// Number of set bits.
    #[inline(always)]
    pub fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// One router's bit.
    #[inline(always)]
    pub fn get(self, router: usize) -> bool {
        self.0[router / 64] >> (router % 64) & 1 != 0
    }

    /// Sets one router's bit.
    #[inline(always)]
    pub fn set(&mut self, router: usize, bit: bool) {
        let word = &mut self.0[router / 64];
        *word = *word & !(1 << (router % 64)) | u64::from(bit) << (router % 64);
    }

    /// Calls `f` with each router that has a bit, in ascending order.
    #[inline(always)]
    pub fn each(self, mut f: impl FnMut(usize)) {
        for (j, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                f(64 * j + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }
}

/// Calls `f` with each lane and router that has a bit, lane by lane. One loop takes all lanes: a
/// processor foresees its end more often than the ends of many short loops.
#[inline(always)]
pub(super) fn each_of<const N: usize, const L: usize>(lanes: &[Plane<L>; N], mut f: impl FnMut(usize, usize)) {
    const { assert!(N * L <= 64) };
    let (mut words, mut some) = (*lanes, 0_u64);
    for (lane, plane) in lanes.iter().enumerate() {
        for (j, &word) in plane.0.iter().enumerate() {
            some |= u64::from(word != 0) << (L * lane + j);
        }
    }
    while some != 0 {
        let at = some.trailing_zeros() as usize;
        let word = &mut words[at / L].0[at % L];
        let router = 64 * (at % L) + word.trailing_zeros() as usize;
        *word &= *word - 1;
        some &= !(u64::from(*word == 0) << at);
        f(at / L, router);
    }
}

impl<const L: usize> Not for Plane<L> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(std::array::from_fn(|j| !self.0[j]))
    }
}

macro_rules! operator {
    ($trait:ident, $f:ident, $assign:ident, $g:ident, $o:tt) => {
        impl<const L: usize> $trait for Plane<L> {
            type Output = Self;

            #[inline(always)]
            fn $f(mut self, other: Self) -> Self {
                for j in 0..L {
                    self.0[j] $o other.0[j];
                }
                self
            }
        }

        impl<const L: usize> $assign for Plane<L> {
            #[inline(always)]
            fn $g(&mut self, other: Self) {
                *self = self.$f(other);
            }
        }
    };
}

operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &=);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |=);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^=);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routers_of_all_lanes_come_in_order() {
        let mut lanes = [Plane::<4>::NONE; 3];
        for (lane, router) in [(2, 0), (0, 255), (2, 64), (0, 3), (2, 65), (2, 255)] {
            lanes[lane].set(router, true);
        }
        let mut seen = Vec::new();
        each_of(&lanes, |lane, router| seen.push((lane, router)));
        assert_eq!(seen, [(0, 3), (0, 255), (2, 0), (2, 64), (2, 65), (2, 255)]);
    }

    #[test]
    fn a_plane_is_a_set_of_routers() {
        let mut plane = Plane::<4>::NONE;
        for router in [255, 0, 63, 64] {
            plane.set(router, true);
        }
        let mut seen = Vec::new();
        plane.each(|router| seen.push(router));
        assert_eq!(seen, [0, 63, 64, 255]);
        assert_eq!((plane.count(), plane.any(), plane.get(63), plane.get(62)), (4, true, true, false));
        assert_eq!(((!plane).count(), plane & !plane, plane | !plane), (252, Plane::NONE, Plane::ALL));
        plane.set(64, false);
        assert_eq!((plane ^ Plane::ALL).count(), 253);
    }
}
