//! OPT-mesh (\[NUPAIROJ\] section 5.2): the OPT-tree on the dimension-ordered chain, without contention.
//!
//! The source stays where it is in the chain as long as its part is at least half of it, that is for `t_hold <= t_end`. Otherwise it
//! might be in neither part; there the chain is rotated as that of `SPUmesh` (reconstruction: the text does not treat the case),
//! which keeps both the shape of the tree and its worms apart.

use super::opt_tree::OptTree;
use super::ordered_chain::OrderedChain;
use super::plan::{Plan, Refusal, Request};
use super::table::mesh;

pub(super) const NAME: &str = "opt_mesh";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    plan_as(request, NAME)
}

/// The plan, refused in the name of `algorithm`.
pub(super) fn plan_as(request: &Request, algorithm: &'static str) -> Result<Plan, Refusal> {
    let grid = mesh(request, algorithm, usize::MAX)?;
    Ok(plan_on(request, OrderedChain::dimension_ordered(request, grid)))
}

/// The OPT-tree on an ordered chain (\[NUPAIROJ\] algorithms 5.2.1 and 5.3.1).
pub(super) fn plan_on(request: &Request, chain: OrderedChain) -> Plan {
    let parameters = request.parameters;
    let chain = if parameters.hold() <= parameters.end() { chain } else { chain.rotated() };
    let table = OptTree::of(parameters, chain.nodes().len());
    chain.plan(request, |part| table.split(part))
}
