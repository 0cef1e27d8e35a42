//! Plain sorted binomial tree on unidirectional multistage networks: the lexicographic chain,
//! halved as by U-mesh.
//!
//! It is the pessimistic bound of C-min, whose order of nodes is not in our sources: see
//! [`super::c_min`].

use crate::mesh::u_mesh::half;
use crate::networks::uni_min;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "sorted_binomial";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    uni_min(request, NAME)?;
    Ok(OrderedChain::lexicographic(request).plan(request, half))
}
