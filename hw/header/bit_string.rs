//! Bit-string: one bit per node; port `p` is a branch when `header & reach[p] != 0`, and the copy that leaves through it
//! is masked with `reach[p]` (\[ATBM\] section 4.2; the masking is a reconstruction, which delta networks do not need).
//!
//! Bit `i` stands in flit `i / flit_bits` at position `i % flit_bits`.

use crate::lane_group::Climb;

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

/// Lane groups of the branches: of each climb its first port as long as that `is_branch`, and else, as of all other ports, those that
/// are. `group` yields the lane group of a port.
#[must_use]
#[inline]
pub fn branches(ports: u8, climbs: &[Climb], is_branch: impl Fn(u8) -> bool, group: impl Fn(u8) -> u8) -> u64 {
    let (mut groups, mut down) = (0, u64::MAX >> (64 - ports));
    for climb in climbs {
        down &= !climb.ports;
        // Not all of them are reached downwards.
        if is_branch(climb.first()) {
            groups |= 1 << group(climb.first());
            down &= !climb.below;
        }
    }
    crate::bits(down)
        .map(|port| port as u8)
        .filter(|&port| is_branch(port))
        .fold(groups, |all, port| all | 1 << group(port))
}

/// The header's word `h` as it crosses through a port that reaches `r`.
#[must_use]
#[inline(always)]
pub const fn masked(h: u64, r: u64) -> u64 {
    h & r
}
