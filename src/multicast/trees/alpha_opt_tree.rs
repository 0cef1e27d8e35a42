//! alpha-port OPT-tree (\[NUPAIROJ\] section 4.5). It is an OPT-tree in which a node starts up to
//! alpha sends before `t_hold` is over. They go through different ports, `t_int` apart.

use std::iter::once;

use super::ranks::tree;
use crate::parameters::Parameters;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "alpha_opt_tree";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let Parameters { ports, inter, .. } = *request.parameters;
    let (hold, end) = (request.parameters.hold(), request.parameters.end());
    if ports > 1 && f64::from(ports - 1) * inter >= hold {
        let allowed =
            format!("alpha_max at most, (alpha_max - 1) t_int < t_hold, with t_int {inter} and t_hold {hold}");
        return Err(Refusal::parameter(NAME, "ports", &ports, &allowed));
    }
    let k = request.destinations.len() + 1;
    let table = AlphaOptTree::new(k, ports, hold, end, inter);
    let mut edges = Vec::with_capacity(k - 1);
    let mut waiting = vec![(0, k)];
    while let Some((base, mut k)) = waiting.pop() {
        while k > 1 {
            let (keeps, others) = table.split(k);
            let mut receiver = base + keeps;
            for size in others {
                edges.push((base, receiver));
                waiting.push((receiver, size));
                receiver += size;
            }
            k = keeps;
        }
    }
    Ok(tree(request, edges))
}

/// Splits of trees of 1 to k nodes, and their latencies.
///
/// This is \[NUPAIROJ\] eq. 4.12 and lemma 4, with two slips of the text mended. The equation has
/// `t[j_i-1 + 1]`, not `t[j_i-1]`, and the lemma has `2 <= r`. One of the alpha + 1 parts of the
/// tree of i - 1 nodes grows by one node,
/// ```text
/// t[i] = max(t[i - 1], min(t[j + 1] + t_hold, min over r of t[j^r + 1] + t_end + (r - 1) t_int))
/// ```
/// The text leaves ties open. They go to the root's part, then to the lowest r, which gives table
/// 4.4.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaOptTree {
    /// `t[i]`, from i = 1.
    latency: Vec<f64>,
    /// Rows of `j_i, j_i^1 .. j_i^alpha`, from i = 1.
    sizes: Vec<u32>,
    /// Cost to begin each part: `t_hold`, then `t_end + (r - 1) t_int`.
    costs: Vec<f64>,
}

impl AlphaOptTree {
    /// The trees of up to `k` nodes. `ports` is alpha, at least 1. `hold`, `end` and `inter` are
    /// finite and not negative.
    #[must_use]
    pub fn new(k: usize, ports: u32, hold: f64, end: f64, inter: f64) -> Self {
        // A node can use at most k - 1 ports.
        let ports = (ports as usize).min(k.max(2) - 1);
        let mut t = vec![0.0, end];
        let mut row = vec![0; ports + 1];
        (row[0], row[1]) = (1, 1);
        let mut sizes = row.clone();
        sizes[1] = 0;
        sizes.extend(&row);
        let costs: Vec<f64> = once(hold).chain((0..ports).map(|r| end + r as f64 * inter)).collect();
        for i in 3..=k {
            // t[j + 1] is at index j.
            let grown = |r: usize| t[row[r] as usize] + costs[r];
            let best =
                (0..=ports).fold((0, f64::INFINITY), |best, r| if grown(r) < best.1 { (r, grown(r)) } else { best });
            row[best.0] += 1;
            t.push(f64::max(t[i - 2], best.1));
            sizes.extend(&row);
        }
        t.truncate(k);
        sizes.truncate(k * (ports + 1));
        Self { latency: t, sizes, costs }
    }

    /// `t[i]`, 1 <= i <= k: latency of the tree of `i` nodes.
    #[must_use]
    pub fn latency(&self, i: usize) -> f64 {
        self.latency[i - 1]
    }

    /// `j_i`, the number of nodes in the part that keeps the root, and the sizes of the parts of
    /// the receivers. The receivers are in the order of the sends; 1 <= i <= k.
    pub fn split(&self, i: usize) -> (usize, impl Iterator<Item = usize> + '_) {
        let row = self.row(i);
        let others = row[1..].iter().map(|&size| size as usize).filter(|&size| size > 0);
        (row[0] as usize, others)
    }

    /// `j_i, j_i^1 .. j_i^alpha`, 1 <= i <= k: number of nodes in the part that keeps the root, and
    /// in the part of each port.
    #[must_use]
    pub fn row(&self, i: usize) -> &[u32] {
        let parts = self.costs.len();
        &self.sizes[(i - 1) * parts..][..parts]
    }

    /// Columns `C_1` to `C_alpha+1` of table 4.4, 3 <= i <= k: how long each part of the tree of i
    /// - 1 nodes takes when it grows by one.
    pub fn grown(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        let of = |(&size, cost): (&u32, &f64)| self.latency(size as usize + 1) + cost;
        self.row(i - 1).iter().zip(&self.costs).map(of)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use wormscope_hw::NodeId;
    use wormscope_network::{Grid, Wiring};

    use super::super::opt_tree::OptTree;
    use super::*;

    #[test]
    fn table_4_4_comes_out_entirely() {
        let table = AlphaOptTree::new(12, 3, 22.0, 55.0, 10.0);
        let printed = [
            ([1, 0, 0, 0], 0.0),
            ([1, 1, 0, 0], 55.0),
            ([1, 1, 1, 0], 65.0),
            ([1, 1, 1, 1], 75.0),
            ([2, 1, 1, 1], 77.0),
            ([3, 1, 1, 1], 87.0),
            ([4, 1, 1, 1], 97.0),
            ([5, 1, 1, 1], 99.0),
            ([6, 1, 1, 1], 109.0),
            ([6, 2, 1, 1], 110.0),
            ([7, 2, 1, 1], 119.0),
            ([7, 3, 1, 1], 120.0),
        ];
        for (i, (row, t)) in (1..).zip(printed) {
            assert_eq!((table.row(i), table.latency(i)), (&row[..], t), "row {i}");
        }
        // Columns C_1 to C_4 of rows 3 to 12.
        let columns = [
            [77.0, 110.0, 65.0, 75.0],
            [77.0, 110.0, 120.0, 75.0],
            [77.0, 110.0, 120.0, 130.0],
            [87.0, 110.0, 120.0, 130.0],
            [97.0, 110.0, 120.0, 130.0],
            [99.0, 110.0, 120.0, 130.0],
            [109.0, 110.0, 120.0, 130.0],
            [119.0, 110.0, 120.0, 130.0],
            [119.0, 120.0, 120.0, 130.0],
            [121.0, 120.0, 120.0, 130.0],
        ];
        for (i, printed) in (3..).zip(columns) {
            assert_eq!(table.grown(i).collect::<Vec<_>>(), printed, "row {i}");
        }
    }

    /// Smallest latency over all splits of `i` nodes among the root and its ports.
    fn exhaustive(k: usize, ports: u32, hold: f64, end: f64, inter: f64) -> Vec<f64> {
        fn best(t: &[f64], left: usize, r: u32, ports: u32, costs: [f64; 2]) -> f64 {
            if left == 0 {
                return 0.0;
            }
            if r == ports {
                return f64::INFINITY;
            }
            let [end, inter] = costs;
            let with = |size: usize| {
                let here = if size == 0 { 0.0 } else { t[size - 1] + end + f64::from(r) * inter };
                f64::max(here, best(t, left - size, r + 1, ports, costs))
            };
            (0..=left).map(with).fold(f64::INFINITY, f64::min)
        }
        let mut t = vec![0.0, end];
        for i in 3..=k {
            let split = |j: usize| f64::max(t[j - 1] + hold, best(&t, i - j, 0, ports, [end, inter]));
            t.push((1..i).map(split).fold(f64::INFINITY, f64::min));
        }
        t
    }

    #[test]
    fn the_short_recurrence_finds_what_the_search_over_all_splits_finds() {
        for (hold, end, inter) in
            [(22.0, 55.0, 10.0), (20.0, 55.0, 6.0), (5.0, 5.0, 1.0), (9.0, 40.0, 0.0), (30.0, 31.0, 9.0)]
        {
            for ports in 1..=4 {
                if f64::from(ports - 1) * inter < hold {
                    let table = AlphaOptTree::new(12, ports, hold, end, inter);
                    assert_eq!(
                        table.latency,
                        exhaustive(12, ports, hold, end, inter),
                        "{ports} ports, {hold}, {end}, {inter}"
                    );
                }
            }
        }
    }

    /// \[NUPAIROJ\] section 4.5: `(alpha_max - 1) t_int < t_hold <= alpha_max t_int`.
    #[test]
    fn alpha_max_ports_are_taken_and_one_more_is_refused() {
        let wiring = Wiring::new(Grid::new(vec![12], false));
        let destinations: Vec<NodeId> = (1..12).map(NodeId).collect();
        for (hold, inter, alpha_max) in [(22.0, 10.0, 3), (20.0, 10.0, 2), (21.0, 10.0, 3), (30.0, 4.0, 8)] {
            assert!(f64::from(alpha_max - 1) * inter < hold && hold <= f64::from(alpha_max) * inter);
            let asked = |ports| {
                let parameters = Parameters { inter, ports, ..Parameters::hold_and_end(hold, 55.0) };
                let destinations = &destinations[..];
                plan(&Request { wiring: &wiring, source: NodeId(0), destinations, parameters: &parameters })
            };
            assert!(asked(alpha_max).is_ok(), "t_hold {hold}, t_int {inter}");
            let why = asked(alpha_max + 1).unwrap_err().to_string();
            let expected = format!("alpha_opt_tree: ports is {}; allowed: alpha_max at most", alpha_max + 1);
            assert!(why.starts_with(&expected), "{why}");
        }
    }

    #[test]
    fn one_port_takes_as_long_as_the_opt_tree() {
        for (hold, end) in [(20.0, 55.0), (1.0, 1.0), (3.0, 100.0)] {
            let (alpha, one) = (AlphaOptTree::new(200, 1, hold, end, 0.0), OptTree::new(200, hold, end));
            for i in 1..=200 {
                assert_eq!(alpha.latency(i), one.latency(i as u32), "{i} nodes");
            }
        }
    }

    #[test]
    fn tables_for_one_node_or_more_ports_than_nodes_are_well_formed() {
        let table = AlphaOptTree::new(1, u32::MAX, 1.0, 1.0, 0.0);
        assert_eq!((table.latency(1), table.split(1).1.count()), (0.0, 0));
        let table = AlphaOptTree::new(4, u32::MAX, 1.0, 1.0, 0.0);
        assert_eq!(table.latency(4), 1.0);
    }
}
