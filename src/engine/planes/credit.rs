//! Credit counter of an output lane or an injection channel: free cells of the FIFO behind the
//! link.
//!
//! ```text
//!  returned ──▶┌───────┐──▶ any
//!      sent ──▶│ count │
//!              └───────┘
//! ```
//!
//! A credit that comes home counts in the cycle of its arrival. Each flit spends one
//! (docs/reference/timing.md, R1.6, R10.3, R10.4).

use super::counter::Counter;
use super::plane::Plane;

/// Registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credits<const L: usize, const B: usize>(pub Counter<L, B>);

impl<const L: usize, const B: usize> Credits<L, B> {
    /// At reset, in front of FIFOs of so many flits.
    pub fn reset(depth: u32) -> Self {
        Self(Counter::all(depth))
    }

    /// The clock edge: credits come home.
    #[inline(always)]
    pub fn home(&mut self, returned: Plane<L>) {
        self.0.up(returned);
    }

    /// Output: there is a credit.
    #[inline(always)]
    pub fn any(&self) -> Plane<L> {
        self.0.any()
    }

    /// Flits are sent.
    #[inline(always)]
    pub fn spend(&mut self, sent: Plane<L>) {
        self.0.down(sent);
    }
}
