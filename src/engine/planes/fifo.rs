//! FIFO of an input lane: the number of its flits. It keeps no flits. A worm is known by its head,
//! which travels apart, and its flits are counted.
//!
//! ```text
//!  arrive ──▶┌───────┐──▶ occupied
//!     pop ──▶│ count │
//!            └───────┘
//! ```
//!
//! See docs/reference/timing.md, R4.1 to R4.4.

use super::counter::Counter;
use super::plane::Plane;

/// Registers, counted in `B` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fifo<const L: usize, const B: usize> {
    /// Flits.
    pub count: Counter<L, B>,
}

impl<const L: usize, const B: usize> Fifo<L, B> {
    /// At reset.
    pub fn reset() -> Self {
        Self { count: Counter::all(0) }
    }

    /// The clock edge: flits `arrive`.
    #[inline(always)]
    pub fn arrive(&mut self, arrive: Plane<L>) {
        self.count.up(arrive);
    }

    /// Output: a flit is in front.
    #[inline(always)]
    pub fn occupied(&self) -> Plane<L> {
        self.count.any()
    }

    /// The front flits of `routers` leave.
    #[inline(always)]
    pub fn pop(&mut self, routers: Plane<L>) {
        self.count.down(routers);
    }
}
