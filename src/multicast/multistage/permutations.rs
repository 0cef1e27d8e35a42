//! Permutations of the digits of an address, for the reconstructions that try them.

/// How many permutations of `n` digits are tried: all of up to six, and as many of more.
pub(super) fn count(n: u32) -> u32 {
    (1..=n.min(6)).product()
}

/// Number `i` of the [`count`] permutations of n digits that are tried: of all in lexicographic
/// order, highest digit first, evenly chosen ones.
pub(super) fn nth(i: u32, n: u32) -> Vec<u32> {
    let all: u128 = (1..=u128::from(n)).product();
    let mut number = u128::from(i) * all / u128::from(count(n));
    // The number in factorial digits, the lowest first.
    let digit = |of: u32| {
        let of = u128::from(of);
        let chosen = number % of;
        number /= of;
        chosen as usize
    };
    let choices: Vec<usize> = (1..=n).map(digit).collect();
    let mut left: Vec<u32> = (0..n).rev().collect();
    choices.into_iter().rev().map(|choice| left.remove(choice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_tried_up_to_six_digits_and_different_ones_beyond() {
        for n in 1..=8 {
            let mut seen: Vec<Vec<u32>> = (0..count(n)).map(|i| nth(i, n)).collect();
            assert!(seen[0].iter().copied().eq((0..n).rev()), "the first is the order of the digits");
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), count(n) as usize, "{n} digits");
            assert!(seen.iter().all(|permutation| (0..n).all(|digit| permutation.contains(&digit))));
        }
        assert_eq!(nth(719, 32).len(), 32);
    }
}
