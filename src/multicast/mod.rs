//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a cycle.
//!
//! One file an algorithm and one row each in [`ALGORITHMS`], the table of names.

pub mod alpha_opt_tree;
pub mod binomial;
pub mod block_binomial;
pub mod chain;
mod delivery;
pub mod dual_path;
pub mod dyn_mesh;
pub mod opt_mesh;
pub mod opt_tree;
pub mod ordered_chain;
mod parameters;
pub mod plan;
mod planner;
mod ranks;
pub mod sequential;
pub mod spu_mesh;
mod table;
pub mod u_mesh;

pub use delivery::Fault;
pub use dual_path::dual_path;
pub use ordered_chain::{Part, Policy};
pub use parameters::{Cost, Costs, Levels, Measured, Parameters};
pub use plan::{Pieces, Plan, Refusal, Request, Send};
pub use table::{ALGORITHMS, Algorithm, Unknown, find};

#[cfg(test)]
mod tests;
