//! The networks of wormscope: parameters, wiring, names of channels, routing, and facts that follow
//! from them.
//!
//! Each topology has a file in [`topology`]. A [`Blueprint`] has all facts about a network that an
//! engine needs.
//!
//! This package is a part of wormscope. The crate `wormscope` shows it as `wormscope::network`. Its
//! front page says which names are meant to stay.

// The library does the same.
#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used)] // outside tests

mod blueprint;
mod built;
pub mod channel;
mod check;
mod clock;
mod digits;
mod end;
mod family;
mod floorplan;
mod headers;
pub mod lanes;
mod misfit;
mod parameters;
mod reach;
pub mod routing;
mod sizes;
pub mod topology;
mod wiring;

pub use blueprint::{Blueprint, Safer};
pub use built::Built;
pub use check::MOST_COST;
pub use clock::Clock;
pub use digits::Digits;
pub use end::End;
pub use family::{Family, Flow, Idle, Placement, Position, Section, Sketch};
pub use headers::{
    decision_flits, header_flits, header_flits_to, may_cover_source, mean_header_flits, part_flits, reached, refusal,
    stray,
};
pub use headers::{header_flits_of, wires_beside};
pub use lanes::Lanes;
pub use misfit::Misfit;
pub use misfit::{LARGEST_NODES, within};
pub use parameters::{Cost, Costs, Link, Network, Node, Switch, TokenRing};
pub use routing::Routing;
pub use topology::EXAMPLES;
pub use topology::bi_min::BiMin;
pub use topology::grid::Grid;
pub use topology::uni_min::{UniMin, UniMinKind};
pub use topology::{Topology, bi_min, grid, uni_min};
pub use wiring::Wiring;

#[cfg(test)]
mod tests;
