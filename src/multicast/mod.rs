//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a cycle.

mod allgather;
mod broadcast;
pub mod bst;
mod companions;
mod cube;
mod dimensional_exchange;
mod distribute;
pub mod dual_path;
pub mod plan;
pub mod rh;
mod scatter;
mod schedule;
#[cfg(test)]
mod seidel_tests;
pub mod st;
mod trim;

pub use dual_path::dual_path;
pub use plan::{Parameters, Pieces, Plan, Refusal, Request, Send, Task};
