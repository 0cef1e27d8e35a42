//! OPT-tree, the parameterised multicast tree (\[NUPAIROJ\] section 4.3): least latency when every
//! message takes `t_end` and a node sends one every `t_hold`.

use super::ranks::ranks;
use crate::ordered_chain::{OrderedChain, Part};
use crate::parameters::Parameters;
use crate::plan::{Plan, Request};

pub(crate) const NAME: &str = "opt_tree";

pub(crate) fn plan(request: &Request) -> Plan {
    let parameters = request.parameters;
    let table = OptTree::of(parameters, request.destinations.len() + 1);
    OrderedChain::of_ranks(ranks(request)).plan(request, |part| table.split(part))
}

/// Splits of trees of 1 to k nodes, and their latencies.
///
/// \[NUPAIROJ\] section 4.3, the recurrence in O(k):
/// ```text
/// t[1] = 0, t[2] = t_end, j_2 = 1, and with j = j_i-1:
/// A = max(t[j] + t_hold, t[i - j] + t_end), B = max(t[j + 1] + t_hold, t[i - 1 - j] + t_end)
/// t[i] = min(A, B), j_i = j if A < B, else j + 1
/// ```
/// The text leaves ties open. They go to j + 1, as the printed `j_7 = 5` of table 4.3 requires.
///
/// With `t_hold <= t_end` the part that keeps the root is at least half of the nodes. So a root in
/// the middle of a chain can split it. With `t_hold > t_end` the part may be smaller. The
/// recurrence then charges `t_hold` also to a root that has nothing left to send. So t is the
/// paper's value, but not always the smallest latency.
#[derive(Clone, Debug, PartialEq)]
pub struct OptTree {
    /// `t[i]`, from i = 1.
    latency: Vec<f64>,
    /// `j_i`, from i = 1.
    keeps: Vec<u32>,
}

impl OptTree {
    /// The trees of up to `k` nodes, at least 1, for `t_hold` and `t_end` of the message. Both are
    /// finite and not negative.
    #[must_use]
    pub fn new(k: usize, hold: f64, end: f64) -> Self {
        let mut t = vec![0.0, end];
        let mut j: Vec<u32> = vec![1, 1];
        t.reserve(k);
        j.reserve(k);
        // t[i] is at index i - 1.
        for i in 3..=k {
            let keep = j[i - 2] as usize;
            let stay = f64::max(t[keep - 1] + hold, t[i - keep - 1] + end);
            let grow = f64::max(t[keep] + hold, t[i - keep - 2] + end);
            // Rounding can hide a tie between sums of decimal fractions. Half of the nodes is the
            // smallest part.
            let least = if hold <= end { i.div_ceil(2) } else { 1 };
            let stays = stay < grow && keep >= least;
            t.push(if stays { stay } else { grow });
            j.push(if stays { keep } else { keep + 1 } as u32);
        }
        t.truncate(k);
        j.truncate(k);
        Self { latency: t, keeps: j }
    }

    /// The trees of up to `k` nodes with the costs of `parameters`.
    pub(crate) fn of(parameters: &Parameters, k: usize) -> Self {
        Self::new(k, parameters.hold(), parameters.end())
    }

    /// `t[i]`, 1 <= i <= k: latency of the tree of `i` nodes.
    #[must_use]
    pub fn latency(&self, i: u32) -> f64 {
        self.latency[i as usize - 1]
    }

    /// `j_i`, 1 <= i <= k: number of nodes in the part that keeps the root. The receiver takes the
    /// other `i - j_i`.
    #[must_use]
    pub fn keeps(&self, i: u32) -> u32 {
        self.keeps[i as usize - 1]
    }

    /// The receiver of the next message of a holder, which may be anywhere in its part
    /// (\[NUPAIROJ\] algorithms 5.2.1 and 5.3.1).
    pub(crate) fn split(&self, part: Part) -> u32 {
        let keep = self.keeps(part.len());
        if part.holder < part.first + keep { part.first + keep } else { part.last - keep }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use super::*;

    /// The recurrence of \[NUPAIROJ\] section 4.2 over all splits, in O(k^2), with `t[2]` of the
    /// O(k) form.
    fn exhaustive(k: usize, hold: f64, end: f64) -> Vec<f64> {
        let mut t = vec![0.0, end];
        for i in 3..=k {
            let split = |j: usize| f64::max(t[j - 1] + hold, t[i - j - 1] + end);
            t.push((1..i).map(split).fold(f64::INFINITY, f64::min));
        }
        t
    }

    #[test]
    fn table_4_3_comes_out_entirely() {
        let table = OptTree::new(9, 20.0, 55.0);
        let keeps: Vec<u32> = (2..=9).map(|i| table.keeps(i)).collect();
        assert_eq!(keeps, [1, 2, 3, 3, 4, 5, 5, 6]);
        let printed = [
            // t[j] + t_hold, t[i - j] + t_end, t[i]
            (75.0, 55.0, 75.0),
            (95.0, 55.0, 95.0),
            (95.0, 110.0, 110.0),
            (115.0, 110.0, 115.0),
            (130.0, 110.0, 130.0),
            (130.0, 130.0, 130.0),
            (135.0, 130.0, 135.0),
        ];
        for (i, row) in (3..).zip(printed) {
            let (root, other) = (table.latency(table.keeps(i)) + 20.0, table.latency(i - table.keeps(i)) + 55.0);
            assert_eq!((root, other, table.latency(i)), row, "row {i}");
        }
        assert_eq!((table.latency(1), table.latency(2)), (0.0, 55.0));
    }

    #[test]
    fn the_short_recurrence_finds_what_the_search_over_all_splits_finds() {
        for hold in 0..30 {
            for end in 0..30 {
                let (hold, end) = (f64::from(hold), f64::from(end));
                let (table, searched) = (OptTree::new(60, hold, end), exhaustive(60, hold, end));
                assert_eq!(table.latency, searched, "t_hold {hold}, t_end {end}");
            }
        }
    }

    #[test]
    fn the_root_keeps_at_least_half_unless_hold_exceeds_end() {
        for tenths in 0..=300u32 {
            let (hold, end) = (f64::from(tenths) * 0.1, 30.0 * 0.1 * 10.0);
            let table = OptTree::new(300, hold, end);
            for i in 2..=300 {
                assert!(2 * table.keeps(i) >= i && table.keeps(i) < i, "t_hold {hold}, {i} nodes");
            }
        }
        assert!((2..=64).any(|i| 2 * OptTree::new(64, 3.0, 1.0).keeps(i) < i));
    }

    #[test]
    fn equal_costs_make_the_binomial_tree() {
        let table = OptTree::new(1000, 7.0, 7.0);
        for i in 2..=1000u32 {
            assert_eq!(table.latency(i), 7.0 * f64::from((i - 1).ilog2() + 1), "{i} nodes");
        }
    }

    #[test]
    fn a_table_for_a_million_nodes_is_made_in_one_pass() {
        let begin = std::time::Instant::now();
        let table = OptTree::new(1_000_000, 3963.0, 12498.0);
        println!("1,000,000 nodes: {:?}", begin.elapsed());
        let split =
            |i: u32| f64::max(table.latency(table.keeps(i)) + 3963.0, table.latency(i - table.keeps(i)) + 12498.0);
        assert!((2..=1_000_000).step_by(997).skip(1).all(|i| table.latency(i) == split(i)));
    }
}
