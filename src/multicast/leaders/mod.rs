//! Hierarchical leaders on meshes, which pass the message on by multidestination worms (\[KP\]).

mod hierarchy;
pub mod hl;
pub mod schl;
pub mod sqhl;
