//! Arbiters: which of several requests is granted.

/// Round-robin: the first request at or behind the pointer, cyclically. The pointer starts at 0 and after a grant stands behind
/// the winner ([`behind`]). `requests` is not 0.
#[must_use]
#[inline(always)]
pub const fn round_robin(requests: u64, pointer: u8) -> u8 {
    let at_or_behind = requests & (u64::MAX << pointer);
    let from = if at_or_behind != 0 { at_or_behind } else { requests };
    from.trailing_zeros() as u8
}

/// Fixed priority: the lowest request. `requests` is not 0.
#[must_use]
#[inline(always)]
pub const fn fixed_priority(requests: u64) -> u8 {
    requests.trailing_zeros() as u8
}

/// The round-robin pointer behind a winner among `inputs` inputs.
#[must_use]
#[inline(always)]
pub const fn behind(winner: u8, inputs: u8) -> u8 {
    if winner + 1 >= inputs { 0 } else { winner + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requester_is_served_within_one_round() {
        for requests in 1..(1u64 << 6) {
            for start in 0..6 {
                let (mut pointer, mut served) = (start, 0u64);
                for _ in 0..requests.count_ones() {
                    let winner = round_robin(requests, pointer);
                    assert_ne!(requests & (1 << winner), 0);
                    served |= 1 << winner;
                    pointer = behind(winner, 6);
                }
                assert_eq!(served, requests, "start {start}");
            }
        }
    }

    #[test]
    fn pointer_63_wraps() {
        assert_eq!(round_robin(1, 63), 0);
        assert_eq!(behind(63, 64), 0);
    }
}
