//! A search through all states that a small network can reach: a proof within bounds, or the
//! shortest way into a deadlock.
//!
//! *Problem.* A run shows one schedule. A network that runs well for a million cycles can still
//! deadlock when two worms come in two other cycles.
//!
//! *Mechanism.* The search begins with the empty network. In each cycle a node with a free channel
//! begins one of its worms or none. Each arbiter chooses any input that asks.
//! [`crate::engine::States`] gives the states that follow, and the search visits each state once,
//! breadth first. A network is deadlocked if it has worms and nothing moves without a new worm,
//! because new worms free no lane.
//!
//! *Result.* If the search ends, no network within the bounds deadlocks. Otherwise it has the way
//! with the fewest cycles. A run with these worms then ends in a deadlock that
//! [`crate::deadlock`] reports, so no result rests on this search alone.

mod bounds;
mod keep;
mod report;
mod search;
mod store;
mod witness;

pub use bounds::{ProofBounds, Shapes, Traffic, check};
pub use report::{Proof, ProofVerdict};
pub use search::{Limit, Limits, SearchEnd, SearchProgress, StateSearch};
pub use witness::Witness;
