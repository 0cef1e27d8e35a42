//! Vectors of bits as SystemVerilog writes them.

/// A vector, built from bit 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Vector(Vec<bool>);

impl Vector {
    /// The same vector with `width` more bits above, which have the low bits of `value`.
    pub fn with(mut self, value: u64, width: u32) -> Self {
        self.0.extend((0..width).map(|bit| bit < u64::BITS && value >> bit & 1 != 0));
        self
    }

    /// The numbers, each with `width` bits, the first number lowest.
    pub fn of(values: impl IntoIterator<Item = u64>, width: u32) -> Self {
        values.into_iter().fold(Self::default(), |vector, value| vector.with(value, width))
    }

    /// The bits, bit 0 first.
    pub fn of_bits(bits: impl IntoIterator<Item = bool>) -> Self {
        Self(bits.into_iter().collect())
    }

    /// Digits, the highest first.
    pub fn hex(&self) -> String {
        let digit = |bits: &[bool]| bits.iter().rev().fold(0, |digit, &bit| 2 * digit + u32::from(bit));
        self.0.chunks(4).rev().filter_map(|bits| char::from_digit(digit(bits), 16)).collect()
    }

    /// A literal with its width.
    pub fn literal(&self) -> String {
        format!("{}'h{}", self.0.len(), self.hex())
    }
}

/// Bits of a number up to `most`.
pub(super) fn bits_of(most: u32) -> usize {
    (u32::BITS - most.leading_zeros()) as usize
}

/// Bits of an index below `count`, at least 1.
pub(super) fn index_bits(count: u32) -> usize {
    bits_of(count.saturating_sub(1)).max(1)
}

/// A number of `width` bits, at most 64, from bit `from` on, of a vector in hexadecimal digits.
pub(super) fn number(hex: &[u8], from: usize, width: usize) -> u64 {
    let digit = |n: usize| {
        let digit = hex.len().checked_sub(1 + n).and_then(|place| (hex[place] as char).to_digit(16));
        u128::from(digit.unwrap_or(0))
    };
    let digits = from / 4..(from + width).div_ceil(4);
    let number = digits.rev().fold(0, |number, n| number << 4 | digit(n)) >> (from % 4);
    (number & !(u128::MAX << width)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_has_its_first_number_in_the_lowest_bits() {
        let vector = Vector::of([1, 2, 3], 8);
        assert_eq!(vector.literal(), "24'h030201");
        assert_eq!(Vector::of_bits([true, false, true, true, true]).literal(), "5'h1d");
        assert_eq!(Vector::default().with(u64::MAX, 66).hex(), "0ffffffffffffffff");
    }

    #[test]
    fn a_number_is_read_back_from_any_place() {
        let hex = Vector::of([0x1a5, 0x0f3, 0x111], 9).hex();
        assert_eq!([0, 9, 18].map(|from| number(hex.as_bytes(), from, 9)), [0x1a5, 0x0f3, 0x111]);
        assert_eq!(number(b"f", 2, 9), 3, "bits beyond the vector are 0");
    }
}
