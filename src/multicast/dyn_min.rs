//! DYN-min (\[NUPAIROJ\] section 6.3): OPT-min whose holders fit their bursts to the load that they
//! measure, as those of DYN-mesh.

use super::dyn_mesh::Dynamic;
use super::networks::bi_min;
use super::opt_mesh::plan_on;
use super::ordered_chain::{OrderedChain, Policy};
use super::plan::{Plan, Request};
use super::refusal::Refusal;

pub(super) const NAME: &str = "dyn_min";

/// What happens without load.
pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    bi_min(request, NAME)?;
    Ok(plan_on(request, OrderedChain::lexicographic(request)))
}

pub(super) fn policy(request: &Request) -> Result<Box<dyn Policy>, Refusal> {
    bi_min(request, NAME)?;
    Ok(Box::new(Dynamic::new(request, OrderedChain::lexicographic(request))))
}
