//! C-min on unidirectional multistage networks, a reconstruction that searches. \[ATBM\] compares
//! with it and gives its steps, `ceil(log2(d + 1))`. We have only the abstract of its own paper. An
//! optimal algorithm exists for cube and omega networks. For baseline and butterfly it may not
//! exist.
//!
//! Source and destinations are ordered in many ways, and each order is halved again and again, the
//! source first. An order sorts by the digits of the address in some permutation. It uses either
//! the address relative to the source's, digit by digit modulo the base, or the address itself. In
//! the second case the order is then rotated until the source is first.
//!
//! Of k nodes, ceil(k/2) or floor(k/2) stay with the holder. The result is the first order whose
//! worms meet on the fewest channels, step by step. It is an optimistic bound. The plain sorted
//! binomial tree is the pessimistic one.
//!
//! At most [`MOST_CANDIDATES`] orders are tried. These are all orders for up to six stages, and a
//! regular choice of orders for more stages. Together they follow at most [`MOST_CHANNELS`]
//! channels, and there are at most `candidates` of the parameters.

use wormscope_hw::{NodeId, PortId};

use super::permutations;
use crate::networks::uni_min;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use wormscope_network::{Digits, End, UniMin};

pub(crate) const NAME: &str = "c_min";

/// Largest number of orders to try: all permutations of six digits, relative or not, halves rounded
/// up or down.
pub(crate) const MOST_CANDIDATES: u32 = 720 * 4;

/// Largest number of channels to follow before the last order is tried.
pub(crate) const MOST_CHANNELS: u64 = 3_000_000;

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let min = uni_min(request, NAME)?;
    let best = OrderSearch::new(min, request).best();
    let nodes = best.order(min, request);
    Ok(OrderedChain::of_ranks(nodes).plan(request, |part| part.first + best.keeps(part.len())))
}

/// A way to order and to halve.
#[derive(Clone, Debug)]
struct Candidate {
    /// Digits, the most significant of the key first.
    digits: Vec<u32>,
    relative: bool,
    round_up: bool,
}

impl Candidate {
    /// Candidate `i`. The candidates of one permutation are together.
    fn new(i: u32, stages: u32) -> Self {
        Self { digits: permutations::nth(i / 4, stages), relative: i % 4 < 2, round_up: i.is_multiple_of(2) }
    }

    /// Source and destinations in order, the source first.
    fn order(&self, min: &UniMin, request: &Request) -> Vec<NodeId> {
        let base = u32::from(min.ports());
        let digits = Digits::new(base, min.stages());
        let key = |node: NodeId| {
            self.digits.iter().fold(0, |key, &i| {
                let origin = if self.relative { digits.digit(request.source.0, i) } else { 0 };
                key * base + (digits.digit(node.0, i) + base - origin) % base
            })
        };
        let chain = OrderedChain::by_key(request, key).rotated();
        chain.nodes().to_vec()
    }

    /// Number of nodes of `k` that stay with the holder; at least 1 for 2 nodes and more.
    fn keeps(&self, k: u32) -> u32 {
        if self.round_up { k.div_ceil(2) } else { k / 2 }
    }
}

struct OrderSearch<'a> {
    min: &'a UniMin,
    request: &'a Request<'a>,
    /// For each channel, the last step in which it was used, counted over all candidates.
    used: Vec<u32>,
    step: u32,
}

impl<'a> OrderSearch<'a> {
    fn new(min: &'a UniMin, request: &'a Request<'a>) -> Self {
        Self { min, request, used: vec![0; (min.stages() * min.nodes()) as usize], step: 0 }
    }

    /// Number of candidates that are tried.
    fn size(&self) -> u32 {
        let stages = self.min.stages();
        let channels = self.request.destinations.len() as u64 * u64::from(stages);
        let affordable = (MOST_CHANNELS / channels).clamp(1, u64::from(MOST_CANDIDATES)) as u32;
        affordable.min(permutations::count(stages) * 4).min(self.request.parameters.candidates)
    }

    /// The first of the candidates with the fewest conflicts.
    fn best(&mut self) -> Candidate {
        let candidate = |i| Candidate::new(i, self.min.stages());
        let mut best = (candidate(0), usize::MAX);
        for candidate in (0..self.size()).map(candidate) {
            let conflicts = self.conflicts(&candidate, best.1);
            if conflicts < best.1 {
                best = (candidate, conflicts);
            }
            if best.1 == 0 {
                break;
            }
        }
        best.0
    }

    /// Number of times that a worm comes to a channel which another worm uses in the same step. The
    /// count stops at `enough`.
    fn conflicts(&mut self, candidate: &Candidate, enough: usize) -> usize {
        let nodes = candidate.order(self.min, self.request);
        let mut conflicts = 0;
        let mut holders = vec![(0, nodes.len() as u32)];
        while !holders.is_empty() && conflicts < enough {
            self.step += 1;
            let mut next = Vec::with_capacity(2 * holders.len());
            for (first, k) in holders {
                let keeps = candidate.keeps(k);
                conflicts += self.meet(nodes[first as usize], nodes[(first + keeps) as usize]);
                next.extend([(first, keeps), (first + keeps, k - keeps)]);
            }
            next.retain(|&(_, k)| k > 1);
            holders = next;
        }
        conflicts
    }

    /// Marks the channels from one node to another as used in this step. Returns how many were used
    /// already.
    fn meet(&mut self, from: NodeId, to: NodeId) -> usize {
        let wiring = self.request.wiring;
        let (mut switch, _) = wiring.injection(from);
        let mut met = 0;
        loop {
            let port = self.min.tag(switch, to);
            let used = &mut self.used[switch.index() * usize::from(self.min.ports()) + usize::from(port)];
            met += usize::from(*used == self.step);
            *used = self.step;
            match wiring.output(switch, PortId(port)) {
                Some(End::Switch(far, _)) => switch = far,
                Some(End::Node(_)) | None => return met,
            }
        }
    }
}

#[cfg(test)]
#[path = "c_min_tests.rs"]
mod tests;
