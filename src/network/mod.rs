//! What is built: parameters, wiring, names of channels, routing, and what follows from them.

pub mod bi_min;
pub mod channel;
mod digits;
mod end;
mod headers;
pub mod lanes;
pub mod mesh;
mod parameters;
pub mod routing;
mod sizes;
pub mod uni_min;
mod wiring;

pub use bi_min::BiMin;
pub use digits::Digits;
pub use end::End;
pub use headers::{decision_flits, header_flits, header_flits_to, mean_header_flits};
pub use lanes::Lanes;
pub use mesh::Grid;
pub use parameters::{Cost, Costs, Link, Network, Node, Routing, Switch, TokenRing, Topology, UniMinKind};
pub use uni_min::UniMin;
pub use wiring::{Section, Wiring};

#[cfg(test)]
mod tests;
