//! U-min: the lexicographic chain, halved as by U-mesh, on bidirectional multistage networks (Xu
//! and Ni; \[NUPAIROJ\] section 5.3).
//!
//! It is free of contention as long as a switch sends a worm up by a port that is free. If a switch
//! takes a port without looking, worms can meet.

use crate::mesh::u_mesh::half;
use crate::networks::bi_min;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "u_min";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    bi_min(request, NAME)?;
    Ok(OrderedChain::lexicographic(request).plan(request, half))
}
