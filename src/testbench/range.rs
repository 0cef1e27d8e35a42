//! Ranges of the values of expressions, by the widths of their signals. They find questions with
//! only one answer.

use super::program::{Op, Range};
use super::property::{Binary, Unary};

/// Range of an unknown value.
const ANY: Range = (0, u64::MAX);
/// Range of a truth value.
const TRUTH: Range = (0, 1);

/// The range of an operation. `of` gives the ranges of its operands.
pub(super) fn range(op: Op, of: impl Fn(usize) -> Range) -> Range {
    match op {
        Op::Number(n) => (n, n),
        Op::Read(_, _, bits) => (0, u64::MAX >> (64 - bits)),
        Op::Unary(Unary::Past, a) => of(a),
        Op::Unary(Unary::Count, _) => ANY,
        Op::Unary(Unary::CountOnes, a) => (0, filled(of(a).1).count_ones().into()),
        Op::Unary(Unary::OneHot0, a) if of(a).1 <= 1 => (1, 1),
        Op::Local(_, range) => range,
        Op::Unary(Unary::Invert, a) => (!of(a).1, !of(a).0),
        Op::Cycle(..) | Op::Unary(..) => TRUTH,
        Op::Binary(op, a, b) => binary(op, of(a), of(b)),
    }
}

/// All bits up to the highest one of a value.
fn filled(most: u64) -> u64 {
    u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

fn binary(op: Binary, a: Range, b: Range) -> Range {
    // Bits that some value has.
    let bits = |(least, most): Range| if least == most { most } else { filled(most) };
    match op {
        Binary::BitAnd => (0, (bits(a) & bits(b)).min(a.1).min(b.1)),
        Binary::BitOr => (a.0.max(b.0), filled(a.1 | b.1)),
        Binary::BitXor => (0, filled(a.1 | b.1)),
        Binary::Plus => a.1.checked_add(b.1).map_or(ANY, |most| (a.0 + b.0, most)),
        Binary::Minus => a.0.checked_sub(b.1).map_or(ANY, |least| (least, a.1 - b.0)),
        _ => TRUTH,
    }
}

/// Whether these values are true; `None` if some are and some are not.
pub(super) fn truth(of: Range) -> Option<bool> {
    match of {
        (1.., _) => Some(true),
        (_, 0) => Some(false),
        _ => None,
    }
}

/// The answer to a comparison of values in two ranges, if only one answer is possible.
pub(super) fn answer(op: Binary, a: Range, b: Range) -> Option<bool> {
    match op {
        Binary::Equal if a.1 < b.0 || b.1 < a.0 => Some(false),
        Binary::Equal if a.0 == a.1 && a == b => Some(true),
        Binary::Below if a.1 < b.0 => Some(true),
        Binary::Below if a.0 >= b.1 => Some(false),
        Binary::Above => answer(Binary::Below, b, a),
        Binary::NotEqual => answer(Binary::Equal, a, b).map(|equal| !equal),
        Binary::AtLeast => answer(Binary::Below, a, b).map(|below| !below),
        Binary::AtMost => answer(Binary::Below, b, a).map(|above| !above),
        _ => None,
    }
}

/// `3`, or `0 to 7`.
pub(super) fn words((least, most): Range) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}
