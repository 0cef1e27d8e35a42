//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a
//! cycle.
//!
//! One file an algorithm and one row each in [`ALGORITHMS`], the table of names.

mod allgather;
pub mod alpha_opt_tree;
pub mod atbm;
pub mod binomial;
pub mod block_binomial;
mod broadcast;
pub mod bst;
pub mod c_min;
pub mod chain;
mod companions;
mod cube;
mod delivery;
mod dimensional_exchange;
mod distribute;
pub mod dual_path;
pub mod dyn_mesh;
pub mod dyn_min;
pub mod gtdmpm;
pub mod hl;
mod leaders;
mod masks;
pub mod multi_path;
pub mod multiport;
mod networks;
pub mod opt_mesh;
pub mod opt_min;
pub mod opt_tree;
pub mod ordered_chain;
mod parameters;
mod permutations;
pub mod plan;
mod planner;
mod ranks;
mod refusal;
pub mod rh;
mod scatter;
mod schedule;
pub mod schl;
pub mod sequential;
pub mod sorted_binomial;
pub mod spu_mesh;
pub mod sqhl;
pub mod st;
mod table;
pub mod tpp;
mod trim;
pub mod u_mesh;
pub mod u_min;

pub use delivery::Fault;
pub use dual_path::dual_path;
pub use ordered_chain::{Part, Policy};
pub use parameters::{Cost, Costs, Levels, Measured, Parameters};
pub(crate) use plan::Pieces;
pub use plan::{Plan, Request, Send, Task};
pub use refusal::Refusal;
pub use table::{ALGORITHMS, Algorithm, Unknown, find};

#[cfg(test)]
mod seidel_tests;
#[cfg(test)]
mod tests;
