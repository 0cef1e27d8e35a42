//! Fixed priority: no registers.

/// The lowest request. `requests` is not 0.
#[must_use]
#[inline(always)]
pub const fn grant(requests: u64) -> u8 {
    requests.trailing_zeros() as u8
}
