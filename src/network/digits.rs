//! Numbers of n digits of base b, and the permutations of digits that wire multistage networks.

/// All numbers of n digits of base b: 0..b^n. Digit 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    base: u32,
    count: u32,
}

impl Digits {
    /// Numbers of `count` digits of base `base`. `base^count` fits u32, as a valid configuration
    /// guarantees.
    #[must_use]
    pub const fn new(base: u32, count: u32) -> Self {
        Self { base, count }
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
    pub const fn digit(self, x: u32, i: u32) -> u32 {
        x / self.base.pow(i) % self.base
    }

    /// x without its low `i` digits.
    #[must_use]
    pub const fn above(self, x: u32, i: u32) -> u32 {
        x / self.base.pow(i)
    }

    /// x with digit `i` replaced.
    #[must_use]
    pub const fn with(self, x: u32, i: u32, digit: u32) -> u32 {
        x - self.digit(x, i) * self.base.pow(i) + digit * self.base.pow(i)
    }

    /// x with digits 0 and `i` swapped: the i-th butterfly permutation.
    #[must_use]
    pub const fn swap(self, x: u32, i: u32) -> u32 {
        if i == 0 {
            return x;
        }
        // The construction of a large network asks for millions of swaps, so there is one power.
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
}
