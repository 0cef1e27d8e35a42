//! Broadcasts on linear arrays and meshes: cost model and closed forms (\[SEIDEL\] sections 2, 3
//! and 5, Table I).
//!
//! A message of m bytes over circuits of which at most k share a link costs
//! `ceil(k / 2^nu) a m + b`. The steps of an algorithm follow each other. So its cost is a multiple
//! of `ma` and a multiple of `b`. If packets have to be permuted, a multiple of `m rho` is added.

use std::ops::Add;

use wormscope_network::Grid;

/// Costs of a machine, in any one unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// `a`: a byte from a node into the network.
    pub to_network: f64,
    /// a-bar: a byte over the network.
    pub in_network: f64,
    /// `b`: latency of a message.
    pub latency: f64,
    /// rho: a byte moved inside a node.
    pub permutation: f64,
}

/// The Intel Touchstone Delta, in microseconds (Table II).
pub const DELTA: Machine = Machine { to_network: 0.08, in_network: 0.08, latency: 75.0, permutation: 0.01 };

impl Machine {
    /// `nu`, for which `a = 2^nu a-bar`; `None` if there is no such whole number.
    #[must_use]
    pub fn nu(&self) -> Option<u32> {
        (0..u64::BITS).find(|&nu| (self.in_network * pow2(nu)).total_cmp(&self.to_network).is_eq())
    }
}

/// A cost, as multiples of the costs of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Multiples of `ma`: how often the whole message goes from a node into the network.
    pub transmission: f64,
    /// Multiples of `b`: steps.
    pub latency: u32,
    /// Multiples of `m rho`: how often the whole message is permuted in a node.
    pub permutation: u32,
}

impl Cost {
    const fn new(transmission: f64, latency: u32) -> Self {
        Self { transmission, latency, permutation: 0 }
    }

    /// The time a message of `bytes` takes.
    #[must_use]
    pub fn time(self, machine: &Machine, bytes: f64) -> f64 {
        let start_ups = f64::from(self.latency) * machine.latency;
        let per_byte = self.transmission * machine.to_network + f64::from(self.permutation) * machine.permutation;
        per_byte * bytes + start_ups
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            transmission: self.transmission + other.transmission,
            latency: self.latency + other.latency,
            permutation: self.permutation + other.permutation,
        }
    }
}

/// The broadcasts of Table I.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// Spanning tree.
    St,
    /// Bidirectional spanning tree.
    Bst,
    /// Recursive halving.
    Rh,
}

/// Sizes that are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A linear array of `2^d` nodes.
    Line {
        /// d
        d: u32,
    },
    /// A mesh of `2^d1` x `2^d2` nodes, in either orientation.
    Mesh {
        /// d1
        d1: u32,
        /// d2
        d2: u32,
    },
}

/// Table I as printed. It is defined only for `nu` below all of d, d1 and d2; otherwise `None`.
#[must_use]
pub fn table_1(broadcast: Broadcast, shape: Shape, nu: u32) -> Option<Cost> {
    let cost = match shape {
        Shape::Line { d } if nu < d => {
            let n = f64::from(nu);
            let rest = f64::from(d) - n;
            match broadcast {
                Broadcast::St => Cost::new(2.0 + (rest - 2.0) / pow2(nu), d + nu),
                Broadcast::Bst => Cost::new(2.0 + (rest - 3.0) / pow2(nu + 1), d + nu + 1),
                Broadcast::Rh => Cost::new(2.0 + (rest - 2.0) / pow2(nu + 1) - 1.0 / pow2(d), 2 * d),
            }
        }
        Shape::Mesh { d1, d2 } if nu < d1.min(d2) => {
            let (shorter, longer) = (d1.min(d2), d1.max(d2));
            let rest = f64::from(longer) - f64::from(nu);
            match broadcast {
                Broadcast::St => Cost::new(2.0 + (rest - 2.0) / pow2(2 * nu + 1), 2 * longer + 2 * nu + 2),
                Broadcast::Bst => Cost::new(2.0 + (2.0 * rest - 5.0) / pow2(2 * nu + 3), 2 * longer + 2 * nu + 3),
                Broadcast::Rh => {
                    let surplus = (2.0 * f64::from(longer - shorter) - 3.0) / pow2(shorter + nu + 2);
                    let halving = 1.0 / pow2(2 * nu + 3) - 1.0 / pow2(d1 + d2);
                    Cost::new(2.0 + surplus + halving, 2 * (d1 + d2))
                }
            }
        }
        Shape::Line { .. } | Shape::Mesh { .. } => return None,
    };
    Some(Cost { permutation: broadcast.permutations(), ..cost })
}

impl Broadcast {
    /// Number of permutations of the message. Recursive halving permutes once, at the source before
    /// the first step or at all nodes after the last (section 3.5).
    #[must_use]
    pub fn permutations(self) -> u32 {
        u32::from(self == Self::Rh)
    }
}

/// Cost of a broadcast on a linear array or mesh of any size, as `multicast` plans it (section 5).
/// ST and BST use virtual nodes on an array with `nu = 0`. Other cases use companions, which cost
/// [`companions`]. `None` for a torus, more than two dimensions, or a single node.
#[must_use]
pub fn any_size(broadcast: Broadcast, grid: &Grid, nu: u32, companions: Cost) -> Option<Cost> {
    if grid.wraps() || grid.radices().len() > 2 {
        return None;
    }
    let sizes: Vec<u32> = grid.radices().iter().copied().filter(|&k| k > 1).collect();
    // A link wider than the array needs is as good as one of just this width.
    let fitting = |d: u32| nu.min(d.saturating_sub(1));
    match *sizes.as_slice() {
        [n] if nu == 0 && broadcast != Broadcast::Rh => {
            table_1(broadcast, Shape::Line { d: u32::BITS - (n - 1).leading_zeros() }, 0)
        }
        [n] => {
            let d = n.ilog2();
            let last = if n.is_power_of_two() { Cost::default() } else { WHOLE };
            Some(table_1(broadcast, Shape::Line { d }, fitting(d))? + last)
        }
        [n1, n2] => {
            let (d1, d2) = (n1.ilog2(), n2.ilog2());
            let last = match [n1, n2].iter().filter(|n| !n.is_power_of_two()).count() {
                0 => Cost::default(),
                1 => WHOLE,
                _ => companions,
            };
            Some(table_1(broadcast, Shape::Mesh { d1, d2 }, fitting(d1.min(d2)))? + last)
        }
        _ => None,
    }
}

/// Cost of the whole message to a neighbour. Companions cost this where only one dimension has any
/// (section 5.2).
pub const WHOLE: Cost = Cost::new(1.0, 1);

/// Cost of up to three companions of a node, served by an ST broadcast on 2 x 2 nodes (section
/// 5.2).
pub(crate) const COMPANIONS_BY_ST: Cost = Cost::new(2.0, 2);

/// Cost of up to three companions of a node, served by a BST broadcast on 2 x 2 nodes (section
/// 5.2).
pub const COMPANIONS_BY_BST: Cost = Cost::new(1.5, 3);

/// Cost of up to three companions of a node, served in the cheaper way (section 5.2).
#[must_use]
pub fn companions(machine: &Machine, bytes: f64) -> Cost {
    let less = COMPANIONS_BY_BST.time(machine, bytes) < COMPANIONS_BY_ST.time(machine, bytes);
    if less { COMPANIONS_BY_BST } else { COMPANIONS_BY_ST }
}

/// Cost to distribute over `2^d` nodes in any arrangement (section 3.1.1).
#[must_use]
pub(crate) fn distribute(d: u32) -> Cost {
    Cost::new(1.0 - 1.0 / pow2(d), d)
}

/// Cost of a dimensional exchange over a whole network, longest distances first. This is the second
/// phase of RH (sections 3.5 and 3.6). `None` as for [`table_1`].
#[must_use]
pub fn dimensional_exchange(shape: Shape, nu: u32) -> Option<Cost> {
    let total = table_1(Broadcast::Rh, shape, nu)?;
    let d = match shape {
        Shape::Line { d } => d,
        Shape::Mesh { d1, d2 } => d1 + d2,
    };
    let first = distribute(d);
    Some(Cost::new(total.transmission - first.transmission, total.latency - first.latency))
}

/// Cost of the ST broadcast on a mesh in five phases, as equation 4 prints it, for `d1 <= d2`. The
/// printed cost is too high by `(1 - 2^-nu)^2`. Its phases sum up to [`st_five_phases`].
#[must_use]
pub fn st_five_phases_printed(d1: u32, d2: u32, nu: u32) -> Cost {
    let (first, then) = (f64::from(d1) - f64::from(nu), f64::from(d2) - f64::from(nu));
    Cost::new(3.0 + (first - 2.0) / pow2(nu) + (then - 1.0) / pow2(2 * nu), d1 + d2 + 2 * nu)
}

/// Cost of the ST broadcast on a mesh in five phases, as the sum of the phases in section 3.2.2,
/// for `d1 <= d2`.
#[must_use]
pub fn st_five_phases(d1: u32, d2: u32, nu: u32) -> Cost {
    let copy = |d: u32, share: u32| Cost::new(f64::from(d - nu) / pow2(share), d - nu);
    let distribute_row = Cost::new(distribute(nu).transmission / pow2(nu), nu);
    let exchange = distribute(2 * nu);
    distribute(nu) + copy(d1, nu) + distribute_row + copy(d2, 2 * nu) + exchange
}

/// Cost of the BST broadcast on a mesh taken as a line, `nu = 0` (equation 9).
#[must_use]
pub fn bst_line_of_rows(d1: u32, d2: u32) -> Cost {
    Cost::new(f64::from(d1 + d2 + 1) / 2.0, d1 + d2 + 1)
}

/// `2^exponent`, below 64.
fn pow2(exponent: u32) -> f64 {
    (1_u64 << exponent) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delta_has_nu_zero_and_a_quarter_of_the_cost_in_the_network_is_nu_two() {
        assert_eq!(DELTA.nu(), Some(0));
        assert_eq!(Machine { in_network: 0.02, ..DELTA }.nu(), Some(2));
        assert_eq!(Machine { in_network: 0.03, ..DELTA }.nu(), None);
    }

    #[test]
    fn st_on_a_mesh_has_the_costs_that_section_3_2_2_compares() {
        for (d1, d2, nu) in (2..=8).flat_map(|d1| (d1..=8).flat_map(move |d2| (1..d1).map(move |nu| (d1, d2, nu)))) {
            // Equation 3: (4 + (d1 + d2 - 2 nu - 4) / 2^nu) ma. "This cost is always lower", both
            // as printed and as the sum of its phases. For nu = 0 all three costs are d1 + d2.
            let apart = 4.0 + f64::from(d1 + d2) / pow2(nu) - f64::from(2 * nu + 4) / pow2(nu);
            let (printed, sum) = (st_five_phases_printed(d1, d2, nu), st_five_phases(d1, d2, nu));
            assert!(sum.transmission < printed.transmission && printed.transmission < apart, "{d1} {d2} {nu}");
            // "this algorithm has d2 - d1 + 2 more steps, so its latency cost is higher while its
            // transmission cost has been reduced": this is equation 6, which Table I uses.
            let last = table_1(Broadcast::St, Shape::Mesh { d1, d2 }, nu).unwrap();
            assert_eq!(last.latency, printed.latency + d2 - d1 + 2, "{d1} {d2} {nu}");
        }
        assert!((st_five_phases_printed(3, 4, 0).transmission - 7.0).abs() < 1e-12);
    }

    #[test]
    fn for_nu_zero_table_1_is_what_the_equations_1_7_and_10_say() {
        let of = |broadcast, shape| table_1(broadcast, shape, 0).unwrap();
        for d in 1..=12 {
            let line = Shape::Line { d };
            assert_eq!(of(Broadcast::St, line), Cost::new(f64::from(d), d), "equation 1");
            assert_eq!(of(Broadcast::Bst, line), Cost::new(f64::from(d + 1) / 2.0, d + 1), "equation 7");
        }
        for (d1, d2) in (1..=8).flat_map(|d1| (1..=8).map(move |d2| (d1, d2))) {
            let (mesh, longer) = (Shape::Mesh { d1, d2 }, d1.max(d2));
            // Section 3.2.1, and equation 10.
            assert_eq!(of(Broadcast::St, mesh), Cost::new(f64::from(longer) / 2.0 + 1.0, 2 * longer + 2));
            assert_eq!(of(Broadcast::Bst, mesh), Cost::new(f64::from(2 * longer + 11) / 8.0, 2 * longer + 3));
        }
    }

    #[test]
    fn st_and_bst_have_fewer_start_ups_than_rh_on_meshes_but_the_narrowest() {
        // Section 3.7: "the latter always have lower latency costs".
        for (d1, d2) in (1..=8_u32).flat_map(|d1| (d1..=8).map(move |d2| (d1, d2))) {
            for nu in 0..d1 {
                let of = |broadcast| table_1(broadcast, Shape::Mesh { d1, d2 }, nu).unwrap().latency;
                let (st, bst, rh) = (of(Broadcast::St), of(Broadcast::Bst), of(Broadcast::Rh));
                assert_eq!(st < rh && bst < rh, nu + 1 < d1, "{d1} {d2} {nu}");
                assert!(nu + 1 < d1 || (st, bst) == (rh, rh + 1), "{d1} {d2} {nu}");
            }
        }
    }

    #[test]
    fn rh_on_2_by_2_nodes_costs_more_than_bst_but_of_long_messages_less_than_st() {
        // Section 5.2: it "always performs less well than either of these".
        let rh = table_1(Broadcast::Rh, Shape::Mesh { d1: 1, d2: 1 }, 0).unwrap();
        assert_eq!(rh, Cost { permutation: 1, ..Cost::new(1.5, 4) });
        for bytes in [1.0, 1e3, 4999.0, 5001.0, 1e6] {
            let [rh, st, bst] = [rh, COMPANIONS_BY_ST, COMPANIONS_BY_BST].map(|cost| cost.time(&DELTA, bytes));
            assert_eq!((rh > bst, rh > st), (true, bytes < 5000.0), "{bytes} bytes");
        }
    }

    /// Sizes of a mesh with companions, and the logarithms of the powers of two below and above.
    fn sizes(most: u32) -> impl Iterator<Item = ([u32; 2], [u32; 2], [u32; 2])> {
        let all = (2..=most).flat_map(move |n1| (n1..=most).map(move |n2| [n1, n2]));
        let odd = all.filter(|sizes| sizes.iter().any(|n| !n.is_power_of_two()));
        odd.map(|sizes| (sizes, sizes.map(u32::ilog2), sizes.map(|n| n.next_power_of_two().ilog2())))
    }

    /// Cost that companions add on a mesh of these sizes.
    fn added(sizes: [u32; 2], bytes: f64) -> Cost {
        if sizes.iter().any(|n| n.is_power_of_two()) { WHOLE } else { companions(&DELTA, bytes) }
    }

    #[test]
    fn virtual_nodes_cost_the_simple_bst_less_than_companions_and_the_simple_st_that_of_short_messages() {
        // Section 5.3: "It is easy to verify that [...] virtual nodes yields the same or lower
        // cost".
        let tree = |[d1, d2]: [u32; 2]| Cost::new(f64::from(d1 + d2), d1 + d2);
        let two_trees = |[d1, d2]: [u32; 2]| bst_line_of_rows(d1, d2);
        for ((sizes, below, above), bytes) in
            sizes(20).flat_map(|of| [8.0, 1e3, 1874.0, 1876.0, 1e6].map(|bytes| (of, bytes)))
        {
            let time = |cost: Cost| cost.time(&DELTA, bytes);
            let added = added(sizes, bytes);
            assert!(time(two_trees(above)) < time(two_trees(below) + added), "BST, {sizes:?}, {bytes} bytes");
            // Companions avoid two steps of the whole message, and 3 (ma / 2 + b) is less than 2
            // (ma + b).
            let is_less = time(tree(below) + added) < time(tree(above)) - 1e-6;
            assert_eq!(is_less, added == COMPANIONS_BY_BST, "ST, {sizes:?}, {bytes} bytes");
            assert_eq!(added == COMPANIONS_BY_BST, bytes > 1875.0 && added != WHOLE, "{sizes:?}, {bytes} bytes");
        }
    }

    #[test]
    fn long_messages_cost_least_by_better_broadcasts_and_companions_but_on_narrow_meshes() {
        // Section 5.3: "the overall lowest costs are obtained by generalizing the "better" mesh
        // broadcast algorithms using companions". This holds only for transmission. The number of
        // further start-ups is given here.
        for (sizes, [d1, d2], above) in sizes(40) {
            let mesh = Shape::Mesh { d1, d2 };
            let better = [Broadcast::St, Broadcast::Bst].map(|b| table_1(b, mesh, 0).unwrap() + added(sizes, 1e9));
            let simple = bst_line_of_rows(above[0], above[1]);
            let least = better.iter().map(|cost| cost.transmission).fold(f64::INFINITY, f64::min);
            assert_eq!(least < simple.transmission, sizes[0] >= 4 || sizes[1] >= 16, "{sizes:?}");
            assert!(better.iter().all(|cost| cost.latency > simple.latency), "{sizes:?}");
        }
    }

    #[test]
    fn bst_never_costs_more_than_rh_on_an_array() {
        for (d, nu) in (1..=12).flat_map(|d| (0..d).map(move |nu| (d, nu))) {
            let of = |broadcast| table_1(broadcast, Shape::Line { d }, nu).unwrap();
            let (bst, rh) = (of(Broadcast::Bst), of(Broadcast::Rh));
            assert!(bst.latency <= rh.latency && (bst.latency < rh.latency || nu + 1 == d), "{d} {nu}");
            for bytes in [1.0, 64.0, 1e4, 1e6] {
                assert!(bst.time(&DELTA, bytes) <= rh.time(&DELTA, bytes), "{d} {nu} {bytes}");
            }
        }
    }

    #[test]
    fn bst_costs_less_than_st_on_an_array_beyond_the_printed_length() {
        for (d, nu) in (2..=12).flat_map(|d| (0..d - 1).map(move |nu| (d, nu))) {
            let crossing = pow2(nu + 1) * DELTA.latency / (DELTA.to_network * f64::from(d - nu - 1));
            let less = |bytes| {
                let of = |broadcast| table_1(broadcast, Shape::Line { d }, nu).unwrap().time(&DELTA, bytes);
                of(Broadcast::Bst) < of(Broadcast::St)
            };
            assert!(less(crossing * 1.001) && !less(crossing * 0.999), "{d} {nu}");
        }
        // Figure 16, 16 nodes: the crossing is below a Kbyte.
        assert!(pow2(1) * DELTA.latency / (DELTA.to_network * 3.0) < 1024.0);
    }

    #[test]
    fn table_1_is_silent_where_links_are_wider_than_the_array() {
        assert_eq!(table_1(Broadcast::St, Shape::Line { d: 2 }, 2), None);
        assert_eq!(table_1(Broadcast::Rh, Shape::Mesh { d1: 1, d2: 4 }, 1), None);
        assert_eq!(any_size(Broadcast::St, &Grid::new(vec![4, 4], true), 0, WHOLE), None);
        assert_eq!(any_size(Broadcast::St, &Grid::new(vec![1], false), 0, WHOLE), None);
    }
}
