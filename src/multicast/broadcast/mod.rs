//! Broadcasts of arrays and meshes as hypercubes, and the operations that they consist of
//! (\[SEIDEL\]).

pub(crate) mod allgather;
pub mod bst;
mod companions;
mod cube;
mod dimensional_exchange;
mod distribute;
mod entrance;
pub mod rh;
pub(crate) mod scatter;
mod schedule;
pub mod st;
mod trim;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worked_examples;
