//! Cycles as times.

/// The time of `cycles` cycles of `clock_ns` nanoseconds, in whole nanoseconds or in tenths. The
/// product is exact and then rounded, with halves to the even digit.
#[must_use]
pub fn nanoseconds(cycles: u64, clock_ns: f64, in_tenths: bool) -> String {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = clock_ns.to_bits();
    // A valid clock lies between 2^-20 and 2^30 ns, so a sum of its cycles always fits.
    let mantissa = (bits & MANTISSA) | (MANTISSA + 1);
    let halvings = 1075_u64.saturating_sub((bits >> 52) & 0x7ff).clamp(1, 127);
    let parts = u128::from(cycles) * u128::from(mantissa) * if in_tenths { 10 } else { 1 };
    let (whole, rest, half) = (parts >> halvings, parts & ((1 << halvings) - 1), 1_u128 << (halvings - 1));
    let rounded = whole + u128::from(rest > half || (rest == half && whole & 1 == 1));
    if in_tenths { format!("{}.{}", rounded / 10, rounded % 10) } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_a_float_holds_are_printed_as_floats_are() {
        for clock in [1e-6, 0.25, 0.5, 1.0, 2.5, 7.0, 1e9] {
            for cycles in [0, 1, 2, 3, 5, 17, 12_345] {
                // Products of these numbers are exact, or far from a half.
                let time = cycles as f64 * clock;
                assert_eq!(nanoseconds(cycles, clock, false), format!("{time:.0}"), "{cycles} {clock}");
                assert_eq!(nanoseconds(cycles, clock, true), format!("{time:.1}"), "{cycles} {clock}");
            }
        }
    }

    #[test]
    fn times_beyond_what_a_float_holds_are_exact() {
        assert_eq!(nanoseconds((1 << 53) + 1, 1.0, false), "9007199254740993");
        assert_eq!(nanoseconds(1_000_000_000_000_000_000, 1e9, true), "1000000000000000000000000000.0");
        assert_eq!(nanoseconds(999_999_999_999_999_999, 2.5, true), "2499999999999999997.5");
        assert_eq!(nanoseconds(u64::MAX, 1e-6, false), "18446744073710");
    }
}
