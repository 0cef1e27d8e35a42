//! The hardware, nothing else: one clocked block a file, in dataflow order.
//!
//! A block is a pure function from pins and registers to pins and next registers, as RTL is. It
//! knows no topology, no algorithm, no file and no random number; the engine stores the registers
//! of all instances in banks and is the clock.
//!
//! ```text
//!  in<p>.v<v>  ┌──────┐  ┌────────────────┐  ┌─────────────┐  ┌──────────┐  ┌──────────┐   ┌──────┐  out<p>.l<l>
//!  ──────────▶ │ fifo │─▶│ header decoder │─▶│ replication │─▶│ lane     │─▶│ crossbar │──▶│ link │ ──────────▶
//!              └──────┘  └───────┬────────┘  └──────▲──────┘  │ groups + │  │ (vc mux) │   └──────┘
//!  ◀───────── credit             └─▶ token station ─┘         │ arbiters │  └──────────┘    ◀───────── credit
//!                                several branches             └──────────┘
//! ```
#![no_std]

extern crate alloc;

pub mod ids;

pub mod words;

pub mod flit;

pub mod injector;

pub mod fifo;

pub mod header;

pub mod decoder;

pub mod token_ring;

pub mod replication;

pub mod arbiter;

pub mod lane_group;

pub mod allocator;

pub mod crossbar;

pub mod link;

pub mod switch;

pub mod sink;

pub use flit::Flit;
pub use ids::{LaneId, NodeId, NodeSet, PortId, SwitchId, WormId};
pub use words::{Acquisition, Arbiter, Encoding, HeaderTiming, Release, Replication};

/// The numbers of the bits that are set, lowest first.
#[must_use]
#[inline(always)]
pub const fn bits(mask: u64) -> Bits {
    Bits(mask)
}

/// See [`bits`].
#[derive(Clone, Debug)]
pub struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
