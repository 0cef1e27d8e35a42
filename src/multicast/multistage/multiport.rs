//! Multiport phases, a reconstruction. Destinations are grouped into sets that one multiport worm
//! reaches each, and the groups are served in phases. This is the scheme of Sivaram, Panda and
//! Stunkel, from which \[ATBM\] section 1 distinguishes itself. We have its abstract.
//!
//! A multiport worm reaches a product of sets of ports, one set a stage. Three heuristics of rising
//! cost cover the destinations exactly by such products:
//! - G1 merges groups that are equal in all other stages. It goes stage by stage from the last to
//!   the first.
//! - G2 merges in all orders of the stages and takes the first order with the fewest groups. It
//!   tries at most 720 orders, which together merge at most [`MOST_MERGES`] digits.
//! - G3 takes the largest product of the remaining destinations, again and again. The network must
//!   have at most [`MOST_PRODUCTS`] products.
//!
//! The largest groups are served first. In every step each node that has the message sends to the
//! next group. The nodes send in the order in which they got the message.

use std::cmp::Reverse;

use wormscope_hw::{Encoding, NodeId, SwitchId, bits};

use super::permutations;
use crate::networks::other_network;
use crate::plan::{Plan, Request};
use crate::planner::Planner;
use crate::refusal::Refusal;
use wormscope_network::{Digits, Wiring};

pub(crate) const NAMES: [&str; 3] = ["multiport_g1", "multiport_g2", "multiport_g3"];

/// Largest number of digits that G2 merges before it tries its last order of stages.
pub(crate) const MOST_MERGES: u64 = 3_000_000;

/// Largest number of products of a network for which G3 is defined. There are `(2^b - 1)^n`
/// products for n stages of b ports.
pub(crate) const MOST_PRODUCTS: u64 = 100_000;

/// A product of sets of ports: the mask of each stage, the first stage in the lowest bits.
type Product = u128;

/// The plan by G1.
pub(crate) fn plan_g1(request: &Request) -> Result<Plan, Refusal> {
    let stages = DownStages::of(request, NAMES[0])?;
    let order: Vec<u32> = (0..stages.count).rev().collect();
    let singletons = stages.singletons(request);
    let groups = stages.merge(products(&singletons), &order);
    Ok(stages.serve(request, &singletons, groups))
}

/// The plan by G2.
pub(crate) fn plan_g2(request: &Request) -> Result<Plan, Refusal> {
    let stages = DownStages::of(request, NAMES[1])?;
    let singletons = stages.singletons(request);
    // The first order is the order of G1.
    let orders = (0..stages.orders(singletons.len())).map(|i| permutations::nth(i, stages.count));
    let groupings = orders.map(|order| stages.merge(products(&singletons), &order));
    let fewest = groupings.min_by_key(Vec::len).unwrap_or_default();
    Ok(stages.serve(request, &singletons, fewest))
}

/// The plan by G3.
pub(crate) fn plan_g3(request: &Request) -> Result<Plan, Refusal> {
    let stages = DownStages::of(request, NAMES[2])?;
    let searched = (0..stages.count).try_fold(1, |products: u64, _| {
        let subsets = 1_u64.checked_shl(stages.ports)? - 1;
        products.checked_mul(subsets).filter(|&products| products <= MOST_PRODUCTS)
    });
    if searched.is_none() {
        let reason =
            format!("it searches all products of port sets and needs a network of at most {MOST_PRODUCTS} of them");
        return Err(other_network(request, NAMES[2], reason));
    }
    let singletons = stages.singletons(request);
    let mut left = products(&singletons);
    let mut groups = Vec::new();
    while !left.is_empty() {
        let group = stages.largest(&left);
        left.retain(|&one| one & group != one);
        groups.push(group);
    }
    Ok(stages.serve(request, &singletons, groups))
}

fn products(singletons: &[(Product, NodeId)]) -> Vec<Product> {
    singletons.iter().map(|&(product, _)| product).collect()
}

/// The stages of a multistage network. In a bidirectional network, only the stages on the way down.
#[derive(Clone, Copy)]
struct DownStages<'a> {
    wiring: &'a Wiring,
    ports: u32,
    count: u32,
}

impl<'a> DownStages<'a> {
    fn of(request: &Request<'a>, algorithm: &'static str) -> Result<Self, Refusal> {
        let wiring = request.wiring;
        let one_way = wiring.uni_min().map(|min| (min.ports().into(), min.stages()));
        let found = one_way.or_else(|| wiring.bi_min().map(|min| (min.up().0.into(), min.stages())));
        let Some((ports, count)): Option<(u32, u32)> = found else {
            return Err(other_network(request, algorithm, "it needs a multistage network".to_owned()));
        };
        if ports * count > Product::BITS {
            let reason = format!("it needs a network with at most {} ports a stage times stages", Product::BITS);
            return Err(other_network(request, algorithm, reason));
        }
        Ok(Self { wiring, ports, count })
    }

    /// The product of this one node.
    fn singleton(&self, node: NodeId) -> Product {
        let port = |stage: u32| match self.wiring.uni_min() {
            Some(min) => min.tag(SwitchId(stage * min.rows()), node).into(),
            None => Digits::new(self.ports, self.count).digit(node.0, self.count - 1 - stage),
        };
        (0..self.count).fold(0, |product, stage| product | 1 << (stage * self.ports + port(stage)))
    }

    /// The destinations as products, ascending.
    fn singletons(&self, request: &Request) -> Vec<(Product, NodeId)> {
        let mut singletons: Vec<_> = request.destinations.iter().map(|&node| (self.singleton(node), node)).collect();
        singletons.sort_unstable();
        singletons
    }

    /// The bits of a stage's mask.
    fn mask(&self, stage: u32) -> Product {
        (Product::MAX >> (Product::BITS - self.ports)) << (stage * self.ports)
    }

    /// Number of nodes of a product.
    fn size(&self, product: Product) -> u32 {
        (0..self.count).map(|stage| (product & self.mask(stage)).count_ones()).product()
    }

    /// Number of orders of the stages that G2 tries for this many destinations.
    fn orders(&self, destinations: usize) -> u32 {
        let digits = destinations as u64 * u64::from(self.count);
        let affordable = (MOST_MERGES / digits.max(1)).clamp(1, u64::from(u32::MAX)) as u32;
        affordable.min(permutations::count(self.count))
    }

    /// Merges the groups that are equal in all other stages, stage by stage in this order.
    fn merge(&self, mut groups: Vec<Product>, order: &[u32]) -> Vec<Product> {
        for &stage in order {
            let others = |group: Product| group & !self.mask(stage);
            groups.sort_unstable_by_key(|&group| (others(group), group));
            let equal = groups.chunk_by(|&a, &b| others(a) == others(b));
            groups = equal.map(|equal| equal.iter().fold(0, |all, group| all | group)).collect();
        }
        groups
    }

    /// The nodes of a product, each as a product.
    fn members(&self, product: Product) -> Vec<Product> {
        let stage = |members: Vec<Product>, stage: u32| {
            let mask = ((product & self.mask(stage)) >> (stage * self.ports)) as u64;
            let with = |port: usize| {
                members.iter().map(move |member| member | 1 << (stage as usize * self.ports as usize + port))
            };
            bits(mask).flat_map(with).collect()
        };
        (0..self.count).fold(vec![0], stage)
    }

    /// The first of the largest products within a set of nodes. The set is ascending and not empty.
    fn largest(&self, set: &[Product]) -> Product {
        let mut search = ProductSearch { stages: *self, best: (0, 0) };
        search.extend(Partial { stage: 0, product: 0, size: 1 }, set);
        search.best.1
    }

    /// Serves the groups in phases.
    fn serve(&self, request: &Request, singletons: &[(Product, NodeId)], mut groups: Vec<Product>) -> Plan {
        let node = |member: &Product| singletons.binary_search_by_key(member, |&(product, _)| product).ok();
        groups.sort_unstable_by_key(|&group| (Reverse(self.size(group)), group));
        let mut planner = Planner::new(request);
        let mut holders = vec![request.source];
        let mut groups = groups.into_iter().peekable();
        while groups.peek().is_some() {
            for i in 0..holders.len() {
                let Some(group) = groups.next() else { break };
                let mut reached: Vec<NodeId> =
                    self.members(group).iter().filter_map(node).map(|i| singletons[i].1).collect();
                reached.sort_unstable();
                planner.send(holders[i], reached.clone().into(), Encoding::Multiport);
                holders.extend(reached);
            }
        }
        planner.finish()
    }
}

/// Masks that are chosen for the stages below `stage`, and the number of their nodes.
#[derive(Clone, Copy)]
struct Partial {
    stage: u32,
    product: Product,
    size: usize,
}

/// Branch and bound for the largest product.
struct ProductSearch<'a> {
    stages: DownStages<'a>,
    /// The largest product so far: (size, product).
    best: (usize, Product),
}

impl ProductSearch<'_> {
    /// Tries all masks from a stage on. `set` has the ports from this stage on that lead to nodes
    /// of the set, ascending. The ports lead to these nodes after each of the ports that are chosen
    /// so far.
    fn extend(&mut self, partial: Partial, set: &[Product]) {
        let Partial { stage, product, size } = partial;
        if size * set.len() <= self.best.0 {
            return;
        }
        if stage == self.stages.count {
            self.best = (size, product);
            return;
        }
        let mask = self.stages.mask(stage);
        let by_port = (0..self.stages.ports).map(|port| {
            let bit = 1 << (stage * self.stages.ports + port);
            (bit, set.iter().filter(|&one| one & bit != 0).map(|one| one & !mask).collect::<Vec<Product>>())
        });
        let by_port: Vec<_> = by_port.filter(|(_, rests)| !rests.is_empty()).collect();
        self.choose(partial, 0, &[], &by_port);
    }

    /// Tries every port of `by_port` with and without. `taken` ports are chosen already. `common`
    /// may follow all of them.
    fn choose(&mut self, partial: Partial, taken: usize, common: &[Product], by_port: &[(Product, Vec<Product>)]) {
        let Some(((bit, rests), others)) = by_port.split_first() else {
            if taken > 0 {
                let Partial { stage, product, size } = partial;
                self.extend(Partial { stage: stage + 1, product, size: size * taken }, common);
            }
            return;
        };
        let both = if taken == 0 {
            rests.clone()
        } else {
            rests.iter().copied().filter(|one| common.binary_search(one).is_ok()).collect()
        };
        if partial.size * (taken + 1 + others.len()) * both.len() > self.best.0 {
            self.choose(Partial { product: partial.product | bit, ..partial }, taken + 1, &both, others);
        }
        if taken == 0 || partial.size * (taken + others.len()) * common.len() > self.best.0 {
            self.choose(partial, taken, common, others);
        }
    }
}

#[cfg(test)]
#[path = "multiport_tests.rs"]
mod tests;
