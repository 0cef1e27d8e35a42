//! A proof within bounds that a small network cannot deadlock, or the shortest way into a deadlock.
//!
//! *Problem.* A run shows one schedule. A network that runs well for a million cycles can still
//! deadlock when two worms come in two other cycles.
//!
//! *Mechanism.* [`crate::state_space`] visits all states: all injection times of the worms
//! within the bounds, and all choices of arbiters.
//!
//! *Result.* If the search ends, no network within the bounds deadlocks. Otherwise it has the way
//! with the fewest cycles. A run with these worms then ends in a deadlock that
//! [`crate::deadlock`] reports, so no result rests on this search alone.

mod bounds;
mod report;
mod witness;

pub use crate::state_space::{Limit, Limits, SearchEnd, SearchProgress, StateSearch, check};
pub use bounds::{ProofBounds, Shapes, Traffic};
pub use report::{Proof, ProofVerdict};
pub use witness::Witness;
