//! Matrix arbiter: the request that was served least recently wins (docs/reference/timing.md,
//! R7.15).
//!
//! ```text
//!             input  0 1 2                 0 1 2
//!                  ┌───────┐             ┌───────┐
//!   ahead of 0     │ . . . │             │ . . . │
//!   ahead of 1     │ x . . │ ─▶ 1 wins ─▶│ x . x │
//!   ahead of 2     │ x x . │             │ x . . │
//!                  └───────┘             └───────┘
//! ```
//!
//! A bit for each pair of inputs says which one goes first. Here each input has a row with the
//! inputs ahead of it. At reset the lower inputs are ahead. A winner goes behind all others.

/// The input with no other request ahead of it. `requests` is not 0.
#[must_use]
pub fn grant(requests: u64, ahead: &[u64]) -> u8 {
    let first = crate::bits(requests).find(|&input| ahead[input] & requests == 0);
    first.unwrap_or_default() as u8
}

/// The row of an input after a grant. The winner has all other inputs ahead of it, and is ahead of
/// none.
#[must_use]
#[inline(always)]
pub const fn row(inputs: u8, winner: u8, input: u8, ahead: u64) -> u64 {
    if input == winner { (u64::MAX >> (64 - inputs)) & !(1 << winner) } else { ahead & !(1 << winner) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::Arbiter;

    #[test]
    fn whoever_was_served_least_recently_wins() {
        for inputs in [1, 2, 5, 64] {
            let mut ahead: Vec<u64> = Arbiter::Matrix.order(inputs).collect();
            // The reference is a list: an input that is served goes to its end.
            let mut list: Vec<u8> = (0..inputs).collect();
            for turn in 1..500_u64 {
                let requests = (turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - u32::from(inputs))).max(1);
                let winner = grant(requests, &ahead);
                let at = list.iter().position(|&input| requests >> input & 1 != 0).unwrap();
                assert_eq!(winner, list.remove(at), "turn {turn} of {inputs}");
                list.push(winner);
                ahead = (0..).zip(ahead).map(|(input, of)| row(inputs, winner, input, of)).collect();
            }
        }
    }
}
