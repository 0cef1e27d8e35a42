//! An order of evaluation.

/// Shuffles the order of evaluation; any order will do.
pub(super) fn shuffle<T>(instances: &mut [T], seed: u64) {
    use rand_core::{RngCore, SeedableRng};
    let mut random = rand_xoshiro::SplitMix64::seed_from_u64(seed);
    for i in (1..instances.len()).rev() {
        instances.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
    }
}
