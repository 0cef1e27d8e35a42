//! DYN-min (\[NUPAIROJ\] section 6.3): OPT-min whose holders fit their bursts to the measured load,
//! as in DYN-mesh.

use crate::mesh::dyn_mesh::Dynamic;
use crate::mesh::opt_mesh::plan_on;
use crate::networks::bi_min;
use crate::ordered_chain::{OrderedChain, Policy};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "dyn_min";

/// The plan without load.
pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    bi_min(request, NAME)?;
    Ok(plan_on(request, OrderedChain::lexicographic(request)))
}

pub(crate) fn policy(request: &Request) -> Result<Box<dyn Policy>, Refusal> {
    bi_min(request, NAME)?;
    Ok(Box::new(Dynamic::new(request, OrderedChain::lexicographic(request))))
}
