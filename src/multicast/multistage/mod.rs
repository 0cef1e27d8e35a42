//! Multicasts on multistage networks: unicast worms in the order of a chain, one bit-string worm,
//! multiport phases (\[NUPAIROJ\], \[ATBM\]).

pub mod atbm;
pub mod c_min;
pub mod dyn_min;
pub mod multiport;
pub mod opt_min;
mod permutations;
pub mod sorted_binomial;
pub mod u_min;
