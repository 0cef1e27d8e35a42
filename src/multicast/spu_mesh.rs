//! `SPUmesh`, source-partitioned U-mesh (\[KP\] section 3.1): U-mesh on the dimension-ordered chain
//! rotated until the source is first, so that multicasts of different sources choose different
//! half-nodes.

use super::networks::mesh;
use super::ordered_chain::OrderedChain;
use super::plan::{Plan, Request};
use super::refusal::Refusal;
use super::u_mesh::half;

pub(super) const NAME: &str = "spu_mesh";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let grid = mesh(request, NAME)?;
    Ok(OrderedChain::dimension_ordered(request, grid).rotated().plan(request, half))
}
