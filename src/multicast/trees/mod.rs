//! Trees that know nothing of the network (\[NUPAIROJ\] chapters 3 and 4).

pub mod alpha_opt_tree;
pub mod binomial;
pub mod block_binomial;
pub mod chain;
pub mod opt_tree;
mod ranks;
pub mod sequential;
