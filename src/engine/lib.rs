//! The clock of wormscope: it keeps the registers of all switches and nodes, and sends events to
//! observers.
//!
//! Three engines have equal registers in every cycle. [`mod@reference`] is the plain engine: it
//! evaluates every instance in every cycle, with the unchanged blocks of `hw`. [`banked`] is the
//! fast engine: it keeps instances side by side in words, and skips sleeping instances. [`planes`]
//! is faster where it covers the network: it keeps one bit a router, for 64 routers and more at
//! once.
//!
//! This package is a part of wormscope. The crate `wormscope` shows it as `wormscope::engine`. Its
//! front page says which names are meant to stay.

// The library does the same.
#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used)] // outside tests

pub mod banked;
mod chosen;
mod clocked;
pub mod constants;
pub mod difference;
pub mod event;
mod flit_id;
mod lane_banks;
mod limits;
pub mod planes;
mod reach;
pub mod reference;
pub mod registers;
mod shape;
pub mod snapshot;
pub mod states;
pub mod stats;
mod stimulus;
mod tables;
mod under_way;

pub use banked::{Engine, Schedule, SlicedCounters, arbitration};
pub use chosen::Chosen;
pub use clocked::Clocked;
pub use event::*;
pub use flit_id::FlitId;
pub use lane_banks::LaneBanks;
pub use limits::{Drain, Limits};
pub use planes::Planes;
pub use states::States;
pub use stats::*;
pub use stimulus::Stimulus;
pub use under_way::UnderWay;
