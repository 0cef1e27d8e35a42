//! Typed numbers of the parts of a switch and of worms, and sets of these numbers.

use bitvec::vec::BitVec;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub $repr);

        impl $name {
            /// The number as an index.
            #[must_use]
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A switch or mesh router, numbered by the topology.
    SwitchId(u32)
);
id!(
    /// A processing node: the source and destination of messages.
    NodeId(u32)
);
id!(
    /// A port of one switch. Its input and its output have the same number.
    PortId(u8)
);
id!(
    /// A worm, numbered in order of creation. Two blocks decide by the number, in place of the time
    /// stamp of a real header: an [`oldest_first`](crate::arbiter::oldest_first) arbiter, and a
    /// [`reservation`](crate::reservation). For all others the number is for observers.
    WormId(u32)
);

/// A set of nodes, one bit for each: node `i` is bit `i % 64` of word `i / 64`, as in the header of
/// a bit-string worm.
pub type NodeSet = BitVec<u64>;

/// The numbers of the bits that are set, lowest first.
#[must_use]
#[inline(always)]
pub const fn bits(mask: u64) -> Bits {
    Bits(mask)
}

/// Iterator of [`bits`].
#[derive(Clone, Debug)]
pub struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// A set of at most 64 parts of one switch, one bit for each, like a bus with one wire for each
/// part.
macro_rules! mask {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// The empty set.
            pub const NONE: Self = Self(0);

            /// The set of number `n` alone.
            #[must_use]
            #[inline(always)]
            pub const fn only(n: u8) -> Self {
                Self(1 << n)
            }

            /// The set of the first `n` numbers, at most 64.
            #[must_use]
            #[inline(always)]
            pub const fn first_of(n: u8) -> Self {
                Self(if n == 0 { 0 } else { u64::MAX >> (64 - n) })
            }

            /// The set of `n` numbers from `first` on. `first + n` is at most 64.
            #[must_use]
            #[inline(always)]
            pub const fn range(first: u8, n: u8) -> Self {
                Self(Self::first_of(n).0 << first)
            }

            /// Whether number `n` is in the set.
            #[must_use]
            #[inline(always)]
            pub const fn has(self, n: u8) -> bool {
                self.0 >> n & 1 != 0
            }

            /// Whether the set is empty.
            #[must_use]
            #[inline(always)]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// The size of the set.
            #[must_use]
            #[inline(always)]
            pub const fn count(self) -> u8 {
                self.0.count_ones() as u8
            }

            /// The set of the lowest number alone, or the empty set.
            #[must_use]
            #[inline(always)]
            pub const fn lowest(self) -> Self {
                Self(self.0 & self.0.wrapping_neg())
            }

            /// The numbers that are not in `others`.
            #[must_use]
            #[inline(always)]
            pub const fn without(self, others: Self) -> Self {
                Self(self.0 & !others.0)
            }

            /// The numbers, lowest first.
            #[inline(always)]
            pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
                bits(self.0).map(|n| n as u8)
            }
        }

        impl core::ops::BitAnd for $name {
            type Output = Self;

            #[inline(always)]
            fn bitand(self, others: Self) -> Self {
                Self(self.0 & others.0)
            }
        }

        impl core::ops::BitOr for $name {
            type Output = Self;

            #[inline(always)]
            fn bitor(self, others: Self) -> Self {
                Self(self.0 | others.0)
            }
        }

        impl core::ops::BitOrAssign for $name {
            #[inline(always)]
            fn bitor_assign(&mut self, others: Self) {
                self.0 |= others.0;
            }
        }

        impl FromIterator<u8> for $name {
            #[inline(always)]
            fn from_iter<I: IntoIterator<Item = u8>>(numbers: I) -> Self {
                numbers.into_iter().fold(Self::NONE, |all, n| all | Self::only(n))
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_set().entries(self.iter()).finish()
            }
        }
    };
}

mask!(
    /// Input lanes of a switch.
    InputMask
);
mask!(
    /// Output lanes of a switch.
    LaneMask
);
mask!(
    /// Lane groups of a switch.
    GroupMask
);
mask!(
    /// Ports of a switch.
    PortMask
);

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_mask_is_the_set_of_its_numbers() {
        let mask: LaneMask = [1, 63, 4].into_iter().collect();
        assert_eq!(mask.iter().collect::<Vec<_>>(), [1, 4, 63]);
        assert_eq!((mask.count(), mask.lowest(), mask.has(4), mask.has(5)), (3, LaneMask::only(1), true, false));
        assert_eq!(mask.without(LaneMask::only(4)) | LaneMask::only(0), [0, 1, 63].into_iter().collect());
        assert_eq!((mask & LaneMask::first_of(5)).0, 0b10010);
        assert_eq!([0, 1, 64].map(|n| LaneMask::first_of(n).0), [0, 1, u64::MAX]);
        assert_eq!(LaneMask::range(3, 2), [3, 4].into_iter().collect());
        assert!(LaneMask::NONE.is_empty() && LaneMask::NONE.lowest().is_empty());
        assert_eq!(alloc::format!("{mask:?}"), "{1, 4, 63}");
    }
}
