//! DYN-mesh (\[NUPAIROJ\] section 6.3): OPT-mesh whose holders fit their bursts to the load that they measure.
//!
//! A node that sent a message of n bytes knows its time at sender, `t_as`. What was not software and not the message itself,
//! start-up of the network, queue and contention, it expects for the next message of m bytes as well:
//! ```text
//! t_hol = t_as - (t_hs + n t_hd) - n t_nd + m t_nd
//! t_end = t_as - n t_hd - n t_nd + t_rs + m (t_hd + t_nd + t_rd)
//! ```
//! and splits by the OPT-tree of `max(t_hold, t_hol)` and `t_end`. Under load bursts become shorter and the tree deeper, in the end
//! binomial. A node that has not sent yet takes the costs it was given (reconstruction; the text is silent), so that without load,
//! where `t_hol` is less than `t_hold`, all are OPT-mesh.
//!
//! Root and internal nodes all adapt: the list of destinations travels in the message, and every holder works on its own part with
//! its own last measurement (reconstruction, from "the root and internal nodes").

use super::opt_mesh;
use super::opt_tree::OptTree;
use super::ordered_chain::{OrderedChain, Part, Policy};
use super::parameters::{Measured, Parameters};
use super::plan::{Plan, Refusal, Request};
use super::table::mesh;

pub(super) const NAME: &str = "dyn_mesh";

/// What happens without load.
pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    opt_mesh::plan_as(request, NAME)
}

pub(super) fn policy(request: &Request) -> Result<Box<dyn Policy>, Refusal> {
    let chain = OrderedChain::dimension_ordered(request, mesh(request, NAME, usize::MAX)?);
    Ok(Box::new(Dynamic::new(request, chain)))
}

/// The policy of the dynamic algorithms, on whatever chain.
#[derive(Clone, Debug)]
pub struct Dynamic {
    chain: OrderedChain,
    parameters: Parameters,
    /// For holders that have measured nothing.
    unloaded: OptTree,
}

impl Dynamic {
    pub(super) fn new(request: &Request, chain: OrderedChain) -> Self {
        let parameters = request.parameters.clone();
        let unloaded = OptTree::of(&parameters, chain.nodes().len());
        let chain = if parameters.hold() <= parameters.end() { chain } else { chain.rotated() };
        Self { chain, parameters, unloaded }
    }

    /// `t_hold` and `t_end` as a holder sees them that measured this.
    #[must_use]
    pub fn estimate(&self, Measured { bytes: n, at_sender }: Measured) -> (f64, f64) {
        let Parameters { costs, bytes: m, .. } = self.parameters;
        // hol' and end', the parts that do not depend on the message.
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
        let Some(measured) = measured else { return self.chain.burst(part, |part| self.unloaded.split(part)) };
        let (hold, end) = self.estimate(measured);
        let table = OptTree::new(part.len() as usize, hold, end);
        self.chain.burst(part, |part| table.split(part))
    }
}
