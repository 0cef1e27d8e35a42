//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a cycle.

pub mod dual_path;
pub mod plan;

pub use dual_path::dual_path;
pub use plan::{Parameters, Pieces, Plan, Refusal, Request, Send};
