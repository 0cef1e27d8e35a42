//! The hardware, nothing else: one block a file, in dataflow order.
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
//! A block has parameters, pins (`In`, `Out`), registers (`Reg`, with their values at reset) and
//! pure functions from pins and registers to pins and the next registers, as RTL has. What is an
//! output of registers alone is read off them. There are four kinds of files:
//!
//! - *clocked blocks* with one function, `eval`: [`fifo`], [`credit`], [`link`], [`injector`],
//!   [`sink`], [`arbiter`], [`allocator`], [`multiplexer`], [`token_ring`],
//!   [`feedback`], [`reservation`];
//! - clocked blocks that a combinational path goes through more than once in a cycle, so that their
//!   outputs lead to what decides their next registers. These have steps, functions of their own,
//!   which the registers pass in dataflow order: [`decoder`] (`eval`, `release`), [`token_station`]
//!   (`capture`, `forward`), [`lane`] (`grant`, `eval`), [`replication`] (`decide`, `grant`,
//!   `offer`, `eval`);
//! - *combinational leaves* without registers: one encoding a file in [`header`], [`lane_group`],
//!   [`crossbar`], one kind of arbiter a file in [`arbiter`];
//! - *wiring*: [`switch`] and [`node`] connect the blocks, with a step of their own (`clock_edge`)
//!   for what arrives from other instances.
//!
//! A block knows no topology, no algorithm, no file and no random number. It asks nobody for
//! anything but what is fixed at its switch, a ROM ([`header::Rom`]), and, in an arbiter of the
//! worms, their numbers ([`arbiter::Age`]). An engine keeps the registers and is the clock; fast
//! ones share the leaf functions that blocks are made of.
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

pub use flit::Flit;
pub use ids::{Bits, GroupMask, InputMask, LaneMask, NodeId, NodeSet, PortId, PortMask, SwitchId, WormId, bits};
pub use words::{Acquisition, Arbiter, Encoding, HeaderTiming, LaneChoice, Release, Replication};
