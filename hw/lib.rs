//! The hardware of wormscope, nothing else: one block a file, in dataflow order.
//!
//! This package is a part of wormscope. The crate `wormscope` shows it as `wormscope::hw`, and its
//! front page says which names are meant to stay.
//!
//! ```text
//!         ┌──────┐  ┌─────────┐  ┌───────────┐  ┌─────────────┐  ┌─────┐  ┌──────────┐  ┌──────┐
//! flits ─▶│ fifo │─▶│ decoder │─▶│ allocator │─▶│ replication │─▶│ mux │─▶│ crossbar │─▶│ link │─▶
//!         └──────┘  └────┬────┘  └─────▲─────┘  └─────────────┘  └──▲──┘  └──────────┘  └──────┘
//!                        └▶ token station, lane groups, arbiters,   │ flits may cross
//!                           lanes                                   │
//!         ┌──────┐                                              ┌───┴────┐
//!       ◀─│ link │◀─ flits that left the fifo                   │ credit │◀─ link ◀─ credits
//!         └──────┘                                              └────────┘
//! ```
//!
//! A block has parameters, pins (`In`, `Out`) and registers (`Reg`, with their values at reset). As
//! in RTL, pure functions compute the output pins and the next registers from the pins and the
//! registers. You read an output that depends on registers alone from the registers. There are four
//! kinds of files:
//!
//! - *Clocked blocks* have one function, `eval`: [`fifo`], [`credit`], [`link`], [`injector`],
//!   [`sink`], [`arbiter`], [`allocator`], [`multiplexer`], [`token_ring`], [`feedback`],
//!   [`reservation`].
//! - *Clocked blocks with steps* have a combinational path that goes through them more than once in
//!   a cycle. So their outputs lead to the pins that decide their next registers. Each step is a
//!   function, and the registers pass the steps in dataflow order. These blocks are [`decoder`]
//!   (`eval`, `release`), [`token_station`] (`capture`, `forward`), [`lane`] (`grant`, `eval`) and
//!   [`replication`] (`decide`, `grant`, `offer`, `eval`).
//! - *Combinational leaves* have no registers: one encoding a file in [`header`], one kind of
//!   arbiter a file in [`arbiter`], [`lane_group`] and [`crossbar`].
//! - *Wiring*: [`switch`] and [`node`] connect the blocks. Their step `clock_edge` takes the flits
//!   and credits that arrive from other instances.
//!
//! A block knows no topology, no algorithm, no file and no random number. It reads the constants of
//! its switch from a ROM ([`header::Rom`]), and nothing else from outside. An arbiter that compares
//! worms also reads their numbers ([`arbiter::Age`]). An engine keeps the registers and is the
//! clock. A fast engine shares the leaf functions that the blocks are made of.
#![no_std]
#![deny(clippy::unwrap_used)] // outside tests

extern crate alloc;

pub mod ids;
pub mod words;

pub mod flit;

pub mod injector;

pub mod link;

pub mod fifo;

pub mod credit;

pub mod header;

pub mod decoder;

pub mod token_ring;

pub mod token_station;

pub mod arbiter;

pub mod lane_group;

pub mod allocator;

pub mod feedback;

pub mod reservation;

pub mod lane;

pub mod replication;

pub mod multiplexer;

pub mod crossbar;

pub mod sink;

pub mod switch;

pub mod node;

pub mod twin;

pub use flit::Flit;
pub use ids::{Bits, GroupMask, InputMask, LaneMask, NodeId, NodeSet, PortId, PortMask, SwitchId, WormId, bits};
pub use words::{Acquisition, Arbiter, Encoding, HeaderTiming, LaneChoice, Release, Replication, TokenSpan};
