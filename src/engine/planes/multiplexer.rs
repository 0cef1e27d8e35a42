//! Channel multiplexer: the virtual channels of one physical link take turns, flit by flit.
//!
//! ```text
//!             ┌─────────┐
//!  offered ──▶│ arbiter │──▶ sent, by channel
//!             └─────────┘
//! ```
//!
//! A link of one channel has no multiplexer (docs/reference/timing.md, R9.11, R11.8, R11.10).

use super::arbiter::RoundRobin;
use super::plane::Plane;

/// Registers of a link of `V` channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiplexer<const V: usize, const L: usize>(pub RoundRobin<V, L>);

impl<const V: usize, const L: usize> Multiplexer<V, L> {
    /// At reset.
    pub const RESET: Self = Self(RoundRobin::RESET);

    /// One cycle: of the channels that could send, the one that does.
    #[inline(always)]
    pub fn eval(&mut self, offered: &[Plane<L>]) -> [Plane<L>; V] {
        let offered = std::array::from_fn(|channel| offered[channel]);
        if V == 1 { offered } else { self.0.eval(&offered, |_| true) }
    }
}
