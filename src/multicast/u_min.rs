//! U-min: the lexicographic chain, halved as by U-mesh, on bidirectional multistage networks (Xu
//! and Ni; \[NUPAIROJ\] section 5.3).
//!
//! Free of contention as long as a switch sends a worm up by a port that is free; one that takes a
//! port without looking is not.

use super::networks::bi_min;
use super::ordered_chain::OrderedChain;
use super::plan::{Plan, Request};
use super::refusal::Refusal;
use super::u_mesh::half;

pub(super) const NAME: &str = "u_min";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    bi_min(request, NAME)?;
    Ok(OrderedChain::lexicographic(request).plan(request, half))
}
