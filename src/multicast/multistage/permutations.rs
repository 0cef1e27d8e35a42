//! Permutations of the digits of an address, for the reconstructions that try them.

/// Number of permutations of `n` digits to try. It is the number of all permutations of up to six
/// digits. For more digits it is as many as for six.
pub(super) fn count(n: u32) -> u32 {
    (1..=n.min(6)).product()
}

/// Permutation `i` of the [`count`] permutations of n digits to try. They are evenly chosen from
/// all permutations in lexicographic order, highest digit first.
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
