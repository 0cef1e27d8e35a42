//! Fixed-priority arbiter: the lowest request wins. It has no registers (docs/reference/timing.md,
//! R7.10).

/// The lowest request. `requests` is not 0.
#[must_use]
#[inline(always)]
pub const fn grant(requests: u64) -> u8 {
    requests.trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_request_wins_whoever_else_asks() {
        for input in 0..64 {
            assert_eq!([1, 3, u64::MAX].map(|above| grant(above << input)), [input; 3]);
        }
    }
}
