//! Numbers of n digits of base b, and the permutations of digits that wire multistage networks.

/// All numbers of n digits of base b: 0..b^n. Digit 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    base: u32,
    count: u32,
    /// Bits of a digit, if the base is a power of two. Shifts are then much faster than divisions,
    /// and the construction of a large network asks for millions of digits.
    bits: Option<u32>,
}

impl Digits {
    /// Numbers of `count` digits of base `base`. `base^count` fits u32, as a valid configuration
    /// guarantees.
    #[must_use]
    pub const fn new(base: u32, count: u32) -> Self {
        let bits = if base.is_power_of_two() { Some(base.trailing_zeros()) } else { None };
        Self { base, count, bits }
    }

    /// The base.
    #[must_use]
    pub const fn base(self) -> u32 {
        self.base
    }

    /// Number of digits.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Number of numbers, `base^count`.
    #[must_use]
    pub const fn numbers(self) -> u32 {
        self.base.pow(self.count)
    }

    /// Digit `i` of x.
    #[must_use]
    #[inline]
    pub const fn digit(self, x: u32, i: u32) -> u32 {
        match self.bits {
            Some(bits) => x >> (bits * i) & (self.base - 1),
            None => x / self.base.pow(i) % self.base,
        }
    }

    /// x without its low `i` digits.
    #[must_use]
    #[inline]
    pub const fn above(self, x: u32, i: u32) -> u32 {
        match self.bits {
            Some(bits) => x >> (bits * i),
            None => x / self.base.pow(i),
        }
    }

    /// x with digit `i` replaced.
    #[must_use]
    pub const fn with(self, x: u32, i: u32, digit: u32) -> u32 {
        x - self.digit(x, i) * self.base.pow(i) + digit * self.base.pow(i)
    }

    /// x with digits 0 and `i` swapped: the i-th butterfly permutation.
    #[must_use]
    #[inline]
    pub const fn swap(self, x: u32, i: u32) -> u32 {
        if i == 0 {
            return x;
        }
        if let Some(bits) = self.bits {
            let differ = (x ^ x >> (bits * i)) & (self.base - 1);
            return x ^ differ ^ differ << (bits * i);
        }
        let power = self.base.pow(i);
        let (low, high) = (x % self.base, x / power % self.base);
        x - low - high * power + high + low * power
    }

    /// x with its low `i` digits rotated left. With all digits this is the perfect shuffle.
    #[must_use]
    pub const fn shuffle(self, x: u32, i: u32) -> u32 {
        let (power, low) = (self.base.pow(i), x % self.base.pow(i));
        x - low + low * self.base % power + low * self.base / power
    }

    /// x with its low `i` digits rotated right: the inverse shuffle.
    #[must_use]
    pub(crate) const fn unshuffle(self, x: u32, i: u32) -> u32 {
        let low = x % self.base.pow(i);
        x - low + low / self.base + low % self.base * self.base.pow(i - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_move_digits_as_they_say() {
        let d = Digits::new(10, 5);
        assert_eq!((d.digit(54321, 0), d.digit(54321, 4), d.above(54321, 2)), (1, 5, 543));
        assert_eq!(d.with(54321, 2, 9), 54921);
        assert_eq!((d.swap(54321, 3), d.swap(54321, 0)), (51324, 54321));
        assert_eq!((d.shuffle(54321, 5), d.shuffle(54321, 3)), (43215, 54213));
        assert_eq!((d.unshuffle(54321, 5), d.unshuffle(54321, 3), d.unshuffle(54321, 1)), (15432, 54132, 54321));
    }

    #[test]
    fn shifts_give_the_same_digits_as_divisions() {
        for (base, count) in [(2, 9), (4, 5), (8, 3), (32, 2), (2, 31)] {
            let shifts = Digits::new(base, count);
            let divisions = Digits { bits: None, ..shifts };
            assert!(shifts.bits.is_some() && Digits::new(base + 1, 2).bits.is_none() != (base + 1).is_power_of_two());
            let numbers = (0..1 << 9).chain([shifts.numbers() - 1, shifts.numbers() / 3]);
            for x in numbers.filter(|&x| x < shifts.numbers()) {
                for i in 0..count {
                    let of = |d: Digits| (d.digit(x, i), d.above(x, i), d.swap(x, i));
                    assert_eq!(of(shifts), of(divisions), "digit {i} of {x}, base {base}");
                }
            }
        }
    }
}
