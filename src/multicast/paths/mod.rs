//! Multidestination worms along a Hamiltonian path of a mesh (Lin et al. 1994, \[TPP\]).

pub mod dual_path;
pub mod gtdmpm;
pub mod multi_path;
pub mod tpp;
