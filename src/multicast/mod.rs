//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a cycle.

pub mod dual_path;

pub use dual_path::dual_path;
