//! Bit-string: one bit per node; port `p` is a branch when `header & reach[p] != 0`, and the copy that leaves through it
//! is masked with `reach[p]` (\[ATBM\] section 4.2; the masking is a reconstruction, which delta networks do not need).
//!
//! Bit `i` stands in flit `i / flit_bits` at position `i % flit_bits`.

/// Flits the decision needs: all of the header.
#[must_use]
#[inline(always)]
pub const fn needed(header_flits: u16) -> u16 {
    header_flits
}

/// Whether a port leads to at least one destination.
#[must_use]
#[inline]
pub fn is_branch(header: &[u64], reach: &[u64]) -> bool {
    header.iter().zip(reach).any(|(h, r)| h & r != 0)
}

/// The header's word `h` as it crosses through a port that reaches `r`.
#[must_use]
#[inline(always)]
pub const fn masked(h: u64, r: u64) -> u64 {
    h & r
}
