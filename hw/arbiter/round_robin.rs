//! Round-robin arbiter: the pointer moves to the next input after the winner
//! (docs/reference/timing.md, R7.9).

/// The first request at or after the pointer, cyclically. The pointer starts at 0. After a grant it
/// is the next input after the winner ([`behind`]). `requests` is not 0.
#[must_use]
#[inline(always)]
pub const fn grant(requests: u64, pointer: u8) -> u8 {
    let at_or_behind = requests & (u64::MAX << pointer);
    let from = if at_or_behind != 0 { at_or_behind } else { requests };
    from.trailing_zeros() as u8
}

/// The pointer after a grant to `winner`, one of `inputs` inputs.
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
                    let winner = grant(requests, pointer);
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
        assert_eq!(grant(1, 63), 0);
        assert_eq!(behind(63, 64), 0);
    }
}
