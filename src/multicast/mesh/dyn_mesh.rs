//! DYN-mesh (\[NUPAIROJ\] section 6.3): OPT-mesh whose holders fit their bursts to the measured
//! load.
//!
//! A node that has sent a message of n bytes knows its time at sender, `t_as`. A part of it was
//! neither software nor the message itself: start-up of the network, queue and contention. The node
//! expects the same part for the next message of m bytes:
//! ```text
//! t_hol = t_as - (t_hs + n t_hd) - n t_nd + m t_nd
//! t_end = t_as - n t_hd - n t_nd + t_rs + m (t_hd + t_nd + t_rd)
//! ```
//! It splits by the OPT-tree of `max(t_hold, t_hol)` and `t_end`. Under load bursts become shorter
//! and the tree deeper, in the end binomial. A node that has not sent yet takes the given costs
//! (reconstruction; the text is silent). Without load, `t_hol` is less than `t_hold`, so all nodes
//! use OPT-mesh.
//!
//! The root and the internal nodes adapt. The list of destinations travels in the message. Every
//! holder works on its own part with its own latest measurement (reconstruction, from "the root and
//! internal nodes").

use super::opt_mesh;
use crate::networks::mesh;
use crate::ordered_chain::{OrderedChain, Part, Policy};
use crate::parameters::{Measured, Parameters};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use crate::trees::opt_tree::OptTree;

pub(crate) const NAME: &str = "dyn_mesh";

/// The plan without load.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    opt_mesh::plan_as(request, NAME)
}

pub(crate) fn policy(request: &Request) -> Result<Box<dyn Policy>, Refusal> {
    let chain = OrderedChain::dimension_ordered(request, mesh(request, NAME)?);
    Ok(Box::new(Dynamic::new(request, chain)))
}

/// Policy of the dynamic algorithms, for any chain.
#[derive(Clone, Debug)]
pub(crate) struct Dynamic {
    chain: OrderedChain,
    parameters: Parameters,
    /// The tree of holders without a measurement.
    unloaded: OptTree,
}

impl Dynamic {
    pub(crate) fn new(request: &Request, chain: OrderedChain) -> Self {
        let parameters = request.parameters.clone();
        let unloaded = OptTree::of(&parameters, chain.nodes().len());
        let chain = if parameters.hold() <= parameters.end() { chain } else { chain.rotated() };
        Self { chain, parameters, unloaded }
    }

    /// Estimates of `t_hold` and `t_end`, by a holder with this measurement.
    #[must_use]
    pub fn estimate(&self, Measured { bytes: n, at_sender }: Measured) -> (f64, f64) {
        let Parameters { costs, bytes: m, .. } = self.parameters;
        // hol' and end' are the parts that do not depend on the message.
        let hol = at_sender - costs.hold.of(n) - n * costs.network.per_byte;
        let end = at_sender - n * (costs.hold.per_byte + costs.network.per_byte) + costs.receive.fixed;
        let per_byte = costs.hold.per_byte + costs.network.per_byte + costs.receive.per_byte;
        let hold = f64::max(costs.hold.of(m), hol + m * costs.network.per_byte);
        (hold, f64::max(hold, end + m * per_byte))
    }
}

impl Policy for Dynamic {
    fn chain(&self) -> &OrderedChain {
        &self.chain
    }

    fn burst(&self, measured: Option<Measured>, part: Part) -> Vec<Part> {
        let Some(measured) = measured else { return part.burst(|part| self.unloaded.split(part)) };
        let (hold, end) = self.estimate(measured);
        let table = OptTree::new(part.len() as usize, hold, end);
        part.burst(|part| table.split(part))
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use wormscope_hw::NodeId;

    use super::*;
    use crate::{Costs, LinearCost, find};
    use wormscope_network::{Grid, Wiring};

    /// The parameters of \[NUPAIROJ\] section 6.4, for messages of 1 Kbyte.
    fn parameters() -> Parameters {
        let cost = |fixed, per_byte| LinearCost { fixed, per_byte };
        let (hold, send) = (cost(1915.0, 2.0), cost(1915.0, 2.0));
        let costs = Costs { hold, send, network: cost(1390.0, 2.0), receive: cost(2025.0, 3.0) };
        Parameters { costs, bytes: 1024.0, ..Parameters::default() }
    }

    /// `t_as` of a message of `bytes` that waits for `delay`.
    fn measured(bytes: f64, delay: f64) -> Measured {
        let costs = parameters().costs;
        Measured { bytes, at_sender: costs.hold.of(bytes) + costs.network.of(bytes) + delay }
    }

    /// Number of sends of the source and of each node in a broadcast on an 8x8 mesh, if all nodes
    /// measured the same.
    fn bursts(measured: Option<Measured>) -> (usize, Vec<(NodeId, usize)>) {
        let wiring = Wiring::new(Grid::new(vec![8, 8], false));
        let destinations: Vec<NodeId> = (0..64).map(NodeId).filter(|node| node.0 != 20).collect();
        let parameters = parameters();
        let request =
            Request { wiring: &wiring, source: NodeId(20), destinations: &destinations, parameters: &parameters };
        let policy = find(NAME).unwrap().policy(&request).unwrap().unwrap();
        let mut waiting = vec![policy.chain().whole()];
        let mut sends = Vec::new();
        while let Some(part) = waiting.pop() {
            let burst = policy.burst(measured, part);
            sends.push((policy.chain().nodes()[part.holder as usize], burst.len()));
            waiting.extend(burst);
        }
        assert_eq!(sends.iter().map(|(_, sends)| sends).sum::<usize>(), 63);
        (sends[0].1, sends)
    }

    fn dynamic() -> Dynamic {
        let wiring = Wiring::new(Grid::new(vec![2], false));
        let parameters = parameters();
        let request =
            Request { wiring: &wiring, source: NodeId(0), destinations: &[NodeId(1)], parameters: &parameters };
        Dynamic::new(&request, OrderedChain::lexicographic(&request))
    }

    #[test]
    fn without_load_a_node_sees_the_costs_it_was_given_whatever_it_sent_before() {
        for bytes in [1.0, 1024.0, 65536.0] {
            assert_eq!(dynamic().estimate(measured(bytes, 0.0)), (3963.0, 12498.0));
        }
        // Section 6.3, with the numbers of section 6.4: t_hol is 3438 and stays below t_hold, until
        // contention adds to it.
        assert_eq!(dynamic().estimate(measured(1024.0, 525.0)), (3963.0, 13023.0));
        assert_eq!(dynamic().estimate(measured(1024.0, 526.0)), (3964.0, 13024.0));
    }

    #[test]
    fn without_load_all_nodes_do_as_in_opt_mesh() {
        let opt = bursts(None);
        assert_eq!(bursts(Some(measured(1024.0, 0.0))), opt);
        assert_eq!(bursts(Some(measured(7.0, 0.0))), opt);
    }

    #[test]
    fn under_load_bursts_become_shorter_and_the_tree_binomial_in_the_end() {
        let source = |delay: f64| bursts(Some(measured(1024.0, delay))).0;
        let by_load: Vec<usize> = [0.0, 5e3, 2e4, 1e7].map(source).to_vec();
        assert!(by_load.is_sorted_by(|a, b| a >= b) && by_load[0] > by_load[3], "{by_load:?}");
        // There are 2^6 nodes, and in each step the number of nodes with the message doubles. No
        // node sends more than six times, and the source sends six times.
        let (source, nodes) = bursts(Some(measured(1024.0, 1e7)));
        assert_eq!((source, nodes.iter().map(|(_, sends)| *sends).max()), (6, Some(6)));
    }

    #[test]
    fn a_policy_is_there_for_dynamic_algorithms_only() {
        let wiring = Wiring::new(Grid::new(vec![2], false));
        let parameters = parameters();
        let request =
            Request { wiring: &wiring, source: NodeId(0), destinations: &[NodeId(1)], parameters: &parameters };
        assert!(find("opt_mesh").unwrap().policy(&request).unwrap().is_none());
        let plan = |name| find(name).unwrap().plan(&request).unwrap();
        assert_eq!(plan("dyn_mesh"), plan("opt_mesh"));
    }
}
