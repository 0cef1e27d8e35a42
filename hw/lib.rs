//! The hardware, nothing else: one clocked block a file, in dataflow order.
//!
//! ```text
//!           ┌──────┐  ┌────────────────┐  ┌───────────┐  ┌─────────────┐  ┌─────────────┐  ┌──────────┐   ┌──────┐
//!  in<p> ──▶│ fifo │─▶│ header decoder │─▶│ allocator │─▶│ replication │─▶│ multiplexer │─▶│ crossbar │──▶│ link │──▶ out<p>
//!  flits    └──────┘  └───────┬────────┘  └─────▲─────┘  └─────────────┘  └─────────────┘  └──────────┘   └──────┘
//!                             └─▶ token station ┘ lane groups, arbiters, lanes
//!           ┌──────┐                                                                       ┌────────┐
//!  ◀────────│ link │◀── flits that left the fifo                           flits may cross │ credit │◀── link ◀──────
//!  credits  └──────┘                                                                       └────────┘
//! ```
//!
//! A block has parameters, pins (`In`, `Out`), registers (`Reg`, with their values at reset) and one
//! pure function, `eval`, from pins and registers to pins and the next registers, as RTL has. What
//! is an output of registers alone is read off them; where a block is on the way of a combinational
//! path twice, its steps are functions of their own, in dataflow order. A block knows no topology, no
//! algorithm, no file and no random number, and calls nobody back: [`switch`] and [`node`] wire the
//! blocks, an engine keeps the registers and is the clock.
#![no_std]

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

pub mod lane;

pub mod replication;

pub mod multiplexer;

pub mod crossbar;

pub mod sink;

pub mod switch;

pub mod node;

pub use flit::Flit;
pub use ids::{Bits, GroupMask, InputMask, LaneMask, NodeId, NodeSet, PortId, PortMask, SwitchId, WormId, bits};
pub use words::{Acquisition, Arbiter, Encoding, HeaderTiming, Release, Replication};
