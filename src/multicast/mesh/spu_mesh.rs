//! `SPUmesh`, source-partitioned U-mesh (\[KP\] section 3.1): U-mesh on the dimension-ordered chain
//! rotated until the source is first, so that multicasts of different sources choose different
//! half-nodes.

use super::u_mesh::half;
use crate::networks::mesh;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "spu_mesh";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let grid = mesh(request, NAME)?;
    Ok(OrderedChain::dimension_ordered(request, grid).rotated().plan(request, half))
}
