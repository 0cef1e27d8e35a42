//! Oldest-first arbiter: the worm that was created first wins, by a time stamp in its header. The
//! arbiter has no registers (docs/reference/timing.md, R7.16).

/// The request of the oldest worm. `requests` is not 0.
#[must_use]
pub fn grant(requests: u64, age: &dyn Fn(u8) -> u32) -> u8 {
    let oldest = crate::bits(requests).map(|input| input as u8).min_by_key(|&input| age(input));
    oldest.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_wins_wherever_it_asks() {
        let age = |input: u8| [7, 3, 9, 1][usize::from(input)];
        assert_eq!([0b0111, 0b1111, 0b0101, 0b0100].map(|requests| grant(requests, &age)), [1, 3, 0, 2]);
    }
}
