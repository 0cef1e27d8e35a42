//! Tree round-robin arbiter, as PULP's `rr_arb_tree` with fair arbitration: a tree of two-way
//! choices (docs/reference/timing.md, R7.11 to R7.14).
//!
//! Where both halves ask, the pointer's bit of that level chooses. If only one half asks, it wins.
//! After a grant the pointer moves to the next asking input after its old position, for every
//! winner. So an input whose neighbours are silent is served more often than under round-robin.

/// The request that the tree picks. `requests` is not 0.
#[must_use]
pub const fn grant(requests: u64, pointer: u8) -> u8 {
    let (mut left, mut first, mut width) = (requests, 0, 64);
    while width > 1 {
        width /= 2;
        let (lower, upper) = (left & u64::MAX >> (64 - width), left >> width);
        let up = lower == 0 || upper != 0 && pointer & width != 0;
        if up {
            first += width;
        }
        left = if up { upper } else { lower };
    }
    first
}

/// The pointer after a grant: the next request after its old position, cyclically. It stays if only
/// the input at the pointer asks.
#[must_use]
pub const fn next(requests: u64, pointer: u8) -> u8 {
    let behind = requests & !(u64::MAX >> (63 - pointer));
    (if behind != 0 { behind } else { requests }).trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// The winners of this many cycles in which all of `requests` ask.
    fn winners(requests: u64, cycles: usize) -> Vec<u8> {
        let mut pointer = 0;
        let mut turn = || {
            let winner = grant(requests, pointer);
            pointer = next(requests, pointer);
            winner
        };
        (0..cycles).map(|_| turn()).collect()
    }

    #[test]
    fn from_reset_inputs_1_to_4_are_granted_as_in_the_rtl() {
        assert_eq!(winners(0b11110, 6), [1, 1, 2, 3, 4, 1]);
    }

    #[test]
    fn where_the_input_of_the_pointer_is_silent_its_bits_pick() {
        // Inputs 0, 3 and 4 ask. From 6 (110) the upper half wins, where 4 alone asks. From 1 (001)
        // the lower half wins, and its lower pair.
        assert_eq!([6, 1, 2, 3].map(|pointer| grant(0b11001, pointer)), [4, 0, 3, 3]);
    }

    #[test]
    fn every_requester_is_served_within_one_round() {
        for requests in 1..(1u64 << 6) {
            let turns = requests.count_ones() as usize;
            // From reset the pointer first has to reach a request.
            let served = winners(requests, turns + 1).into_iter().fold(0, |served, winner| served | 1 << winner);
            assert_eq!(served, requests);
        }
    }

    #[test]
    fn the_last_input_is_behind_no_other() {
        assert_eq!((next(1 << 63 | 1, 63), grant(1 << 63 | 1, 63)), (0, 63));
    }
}
