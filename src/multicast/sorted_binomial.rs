//! Plain sorted binomial tree on unidirectional multistage networks: the lexicographic chain,
//! halved as by U-mesh.
//!
//! The pessimistic bound of what C-min may have been, whose order of nodes is not in our sources:
//! see [`super::c_min`].

use super::networks::uni_min;
use super::ordered_chain::OrderedChain;
use super::plan::{Plan, Request};
use super::refusal::Refusal;
use super::u_mesh::half;

pub(super) const NAME: &str = "sorted_binomial";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    uni_min(request, NAME)?;
    Ok(OrderedChain::lexicographic(request).plan(request, half))
}
