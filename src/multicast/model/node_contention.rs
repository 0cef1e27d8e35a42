//! Node contention of several multicasts at once, in steps: theorems 1 to 3, 5 and 6 of \[KP\].
//! (Theorem 4 says that `SPUmesh` is free of link contention.)
//!
//! S multicasts have the same D nodes as source and destinations, and S of these nodes are sources.
//! Other cases say so.

/// `ceil(log2(d / 2^i))`, 0 where that is negative.
fn ceil_log2(d: u32, i: u32) -> u32 {
    let whole = if d <= 1 { 0 } else { (d - 1).ilog2() + 1 };
    whole.saturating_sub(i)
}

/// Theorem 1: latency by U-mesh. It is exact for odd D, and a lower bound for even D.
///
/// It is exact where D + 1 is a power of two, as in all columns of table 1. For other odd D, a list
/// of h = (D + 1) / 2 nodes ends with the half-node. It starts up floor(log2 h) times, not
/// ceil(log2 h). So the theorem is an upper bound.
///
/// The bound is the bound of the theorem. If several m have equal `a_m`, it takes the largest m. It
/// is never less than the latency of one multicast by itself, which the table prints for S = 1.
#[must_use]
pub fn u_mesh(s: u32, d: u32) -> f64 {
    if d % 2 == 1 {
        return f64::from(s) * f64::from(ceil_log2(d.saturating_add(1), 1)) + 1.0;
    }
    let alone = ceil_log2(d, 0);
    let a = |i: u32| (2f64.powi(i.cast_signed()) - 1.0) / 2f64.powi(i.cast_signed() - 1) * f64::from(ceil_log2(d, i));
    let m = (1..=alone).max_by(|&i, &j| a(i).total_cmp(&a(j))).unwrap_or(1);
    // b_m of the theorem.
    let before = if s == d { alone } else { m };
    f64::max(f64::from(s) / 2.0 * a(m) + f64::from(before), f64::from(alone))
}

/// Theorem 2: expected number of start-ups of a source by U-mesh, when each of S multicasts has D
/// random nodes of n. This is a lower bound of the latency.
///
/// The source has `ceil(log2 D)` start-ups for its own multicast. In each of the S - 1 other
/// multicasts it is the half-node with probability 1/n, and one of two quarter-nodes with 2/n. It
/// is one of the `2^(i-1)` nodes at level i with `2^(i-1)/n`, each of which has
/// `ceil(log2(D / 2^i))` start-ups. The multinomial of the text has S - 1 equal factors, so its
/// expectation is S - 1 times the expectation of one factor.
#[must_use]
pub fn u_mesh_random(s: u32, d: u32, n: u32) -> f64 {
    let own = ceil_log2(d, 0);
    let level = |i: u32| 2f64.powi(i.cast_signed() - 1) / f64::from(n) * f64::from(ceil_log2(d, i));
    f64::from(own) + f64::from(s.saturating_sub(1)) * (1..=own).map(level).sum::<f64>()
}

/// Bounds of a latency in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
}

/// Theorem 3: latency by HL on a mesh of `n` dimensions of `k` nodes.
#[must_use]
pub fn hl(s: u32, k: u32, n: u32) -> Bounds {
    let (s, n) = (f64::from(s), f64::from(n));
    Bounds { lower: s * n, upper: 1.0 + s * f64::from(ceil_log2(k, 1)) + s * n }
}

/// Theorem 5: upper bound of the latency by `SPUmesh`.
#[must_use]
pub fn spu_mesh(s: u32, d: u32) -> f64 {
    // The other s - 1 sources are taken level by level: one half-node, two quarter-nodes, and p of
    // the next level.
    let mut left = s.saturating_sub(1);
    let mut bound = f64::from(ceil_log2(d, 0));
    let mut level = 0;
    while left > 0 {
        let here = left.min(1 << level);
        bound += f64::from(here) * f64::from(ceil_log2(d, level + 1));
        left -= here;
        level += 1;
    }
    bound
}

/// Theorem 6: latency by SQHL on a mesh of `n` dimensions of `k` nodes.
///
/// The theorem sums `min(k^n / 2^(n-i), S)` over i = 0 to n. The proof counts one term for each of
/// the n levels, for i = 0 to n - 1. The authors computed table 5 with these terms, and so does
/// this function.
#[must_use]
pub fn sqhl(s: u32, k: u32, n: u32) -> Bounds {
    let nodes = f64::from(k).powi(n.cast_signed());
    let part = |i: u32| f64::min(nodes / 2f64.powi((n - i).cast_signed()), f64::from(s));
    let worms: f64 = (0..n).map(part).sum();
    let upper = 1.0 + part(0) * f64::from(ceil_log2(k, 1)) + worms;
    let lower = f64::max(1.0, f64::from(s) * (1.0 - 0.5f64.powi(n.cast_signed())));
    Bounds { lower, upper }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Whole numbers and halves are exact.
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Columns of tables 1 and 4, odd and even, and of tables 3, 5 and 6.
    const ODD: [(u32, u32); 10] =
        [(1, 15), (1, 31), (1, 63), (15, 15), (15, 31), (15, 63), (31, 31), (31, 63), (47, 63), (63, 63)];
    const EVEN: [(u32, u32); 10] =
        [(1, 16), (1, 32), (1, 64), (16, 16), (16, 32), (16, 64), (32, 32), (32, 64), (48, 64), (64, 64)];

    #[test]
    fn theorem_1_prints_table_1() {
        assert_eq!(ODD.map(|(s, d)| u_mesh(s, d)), [4., 5., 6., 46., 61., 76., 125., 156., 236., 316.]);
        assert_eq!(EVEN.map(|(s, d)| u_mesh(s, d)), [4., 5., 6., 28., 38., 50., 77., 98., 146., 198.]);
    }

    #[test]
    fn theorem_2_is_the_expectation_of_its_multinomial_and_prints_part_of_table_2() {
        // The text's example, S = 4, D = 8: (E_0 + E_2 + E_4 + E_8)^3. "The node s incurs 3
        // start-ups as a source, 2 as a half-node, 1 as a quarter-node, and none as a
        // one-eighth-node."
        let (n, p) = (16.0, [1.0, 2.0, 4.0].map(|nodes| nodes / 16.0));
        assert_eq!([0, 1, 2, 3].map(|i| ceil_log2(8, i)), [3, 2, 1, 0]);
        let events = [(0, 1.0 - 7.0 / n, 0.0), (2, p[0], 2.0), (4, p[1], 1.0), (8, p[2], 0.0)];
        let mut expected = 3.0;
        let mut terms = BTreeMap::new();
        for (ea, pa, a) in events {
            for (eb, pb, b) in events {
                for (ec, pc, c) in events {
                    expected += pa * pb * pc * (a + b + c);
                    let mut term = [ea, eb, ec];
                    term.sort_unstable();
                    *terms.entry(term).or_insert(0.0) += a + b + c;
                }
            }
        }
        assert!((u_mesh_random(4, 8, 16) - expected).abs() < 1e-12);
        // "3.5.p(E_2^2.E_4)", "0p(E_0^3), 6p(E_2^3), 3p(E_4^3), 0p(E_8^3), 3.2p(E_0^2.E_2)".
        let printed = [[2, 2, 4], [0, 0, 0], [2, 2, 2], [4, 4, 4], [8, 8, 8], [0, 0, 2]];
        assert_eq!(printed.map(|term| terms[&term]), [3. * 5., 0., 6., 3., 0., 3. * 2.]);
        // Table 2, for S = 1 and 4. From S = 8 on, its analytical values are not those of the
        // theorem, however they are rounded. For D = 8 it prints 4, 4, 7. The theorem has 4.75,
        // 5.75, 6.75.
        let row = [(1, 4), (1, 8), (1, 16), (4, 4), (4, 8), (4, 16)].map(|(s, d)| u_mesh_random(s, d, 16).round());
        assert_eq!(row, [2., 3., 4., 2., 4., 6.]);
        assert_eq!([8, 12, 16].map(|s| u_mesh_random(s, 8, 16)), [4.75, 5.75, 6.75]);
    }

    #[test]
    fn theorem_3_prints_table_3() {
        assert_eq!(EVEN.map(|(s, _)| hl(s, 8, 2).upper), [5., 5., 5., 65., 65., 65., 129., 129., 193., 257.]);
        assert_eq!(EVEN.map(|(s, _)| hl(s, 8, 2).lower), [2., 2., 2., 32., 32., 32., 64., 64., 96., 128.]);
    }

    #[test]
    fn theorem_5_prints_table_4() {
        assert_eq!(ODD.map(|(s, d)| spu_mesh(s, d)), [4., 5., 6., 15., 30., 45., 31., 62., 63., 63.]);
        assert_eq!(EVEN.map(|(s, d)| spu_mesh(s, d)), [4., 5., 6., 15., 31., 47., 31., 63., 63., 63.]);
        // Observation 1: the value is below the least latency of U-mesh.
        for (s, d) in ODD.into_iter().chain(EVEN).filter(|&(s, _)| s > 1) {
            assert!(spu_mesh(s, d) < u_mesh(s, d), "S = {s}, D = {d}");
        }
    }

    #[test]
    fn theorem_6_prints_table_5_with_a_term_for_each_level() {
        assert_eq!(EVEN.map(|(s, _)| sqhl(s, 8, 2).upper), [5., 5., 5., 65., 65., 65., 81., 81., 81., 81.]);
        // For S = 1 the table prints 2, but the theorem gives max(1, 3/4).
        assert_eq!(EVEN.map(|(s, _)| sqhl(s, 8, 2).lower), [1., 1., 1., 12., 12., 12., 24., 24., 36., 48.]);
        // With the n + 1 terms as printed, the upper bound would be 81 for S = 16. The table has
        // 65.
        assert_eq!(sqhl(16, 8, 2).upper + f64::min(64.0, 16.0), 81.0);
        // Observation 2.
        for (s, _) in EVEN {
            assert!(sqhl(s, 8, 2).upper <= hl(s, 8, 2).upper && sqhl(s, 8, 2).lower < hl(s, 8, 2).lower);
        }
    }
}
