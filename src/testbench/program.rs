//! Programs for the expressions of properties: operations and their results.

use super::property::{Binary, Unary};

/// Smallest and largest value of an expression.
pub(super) type Range = (u64, u64);

/// An operation of a program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Number(u64),
    /// Reads a value: word, lowest bit within the value that begins there, number of bits.
    Read(usize, u32, u32),
    Cycle(Binary, u64),
    /// A sampled value, by its number in the property, and its range.
    Local(usize, Range),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

/// Result of an operator for two values.
pub(super) fn binary(op: Binary, a: u64, b: u64) -> u64 {
    match op {
        Binary::Or => u64::from(a != 0 || b != 0),
        Binary::And => u64::from(a != 0 && b != 0),
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::Equal => u64::from(a == b),
        Binary::NotEqual => u64::from(a != b),
        Binary::Below => u64::from(a < b),
        Binary::AtMost => u64::from(a <= b),
        Binary::Above => u64::from(a > b),
        Binary::AtLeast => u64::from(a >= b),
        Binary::Plus => a.wrapping_add(b),
        Binary::Minus => a.wrapping_sub(b),
    }
}

/// Result of an operator of one operand that does not look back.
pub(super) fn unary(op: Unary, a: u64) -> u64 {
    match op {
        Unary::Not => u64::from(a == 0),
        Unary::Invert => !a,
        Unary::CountOnes => a.count_ones().into(),
        Unary::OneHot => u64::from(a.is_power_of_two()),
        Unary::OneHot0 => u64::from(a & a.wrapping_sub(1) == 0),
        Unary::Past | Unary::Rose | Unary::Fell | Unary::Stable | Unary::Changed | Unary::Count => a,
    }
}

/// Whether an operator needs the cycle before.
pub(super) fn looks_back(op: Unary) -> bool {
    matches!(op, Unary::Past | Unary::Rose | Unary::Fell | Unary::Stable | Unary::Changed | Unary::Count)
}

/// The value that [`Op::Read`] reads.
pub(super) fn read(values: &[u64], op: Op) -> u64 {
    let Op::Read(at, low, bits) = op else { return 0 };
    let (word, shift) = (at + low as usize / 64, low % 64);
    let mut value = values[word] >> shift;
    if shift > 0 && shift + bits > 64 {
        value |= values[word + 1] << (64 - shift);
    }
    value & (u64::MAX >> (64 - bits))
}
