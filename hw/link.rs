//! Link: wires and registers between two instances, `cycles` from end to end. Flits go one way and
//! credits the other way, each through a separate link.
//!
//! ```text
//!          ┌───┬───┬───┐
//!  send ──▶│   │   │   │──▶ arrive
//!          └───┴───┴───┘
//! ```
//!
//! A flit or credit sent in cycle t arrives at the clock edge that ends cycle t + `cycles` - 1. It
//! counts in cycle t + `cycles`. The last of the registers is the FIFO cell or the credit counter
//! at the far end. So a link of one cycle has no extra register.
//!
//! A flit that crosses a switch in cycle t is in the next FIFO in t + `crossbar_cycles` +
//! `link_cycles`. A register after the crossbar counts as part of the link
//! (docs/reference/timing.md, R10.1 to R10.3).

use alloc::collections::VecDeque;

/// Registers: the values on the link, oldest first, each with the cycle in which it counts at the
/// far end. A queue makes empty shift registers cost no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reg<T>(VecDeque<(u64, T)>);

impl<T> Reg<T> {
    /// At reset.
    #[must_use]
    pub const fn reset() -> Self {
        Self(VecDeque::new())
    }

    /// The values on the link, oldest first, each with the cycle in which it counts at the far end.
    pub fn values(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().map(|(at, one)| (*at, one))
    }
}

impl<T> Default for Reg<T> {
    fn default() -> Self {
        Self::reset()
    }
}

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In<T> {
    /// The cycle.
    pub now: u64,
    /// The flit or credit that enters the link in this cycle.
    pub send: Option<T>,
}

/// The value that arrives at the end of the cycle, and the next registers. The link has `cycles`,
/// at least 1.
#[must_use]
pub fn eval<T>(cycles: u32, i: In<T>, mut q: Reg<T>) -> (Option<T>, Reg<T>) {
    if let Some(sent) = i.send {
        q.0.push_back((i.now + u64::from(cycles), sent));
    }
    let arrives = q.0.front().is_some_and(|&(at, _)| at <= i.now + 1);
    let arrive = if arrives { q.0.pop_front().map(|(_, one)| one) } else { None };
    (arrive, q)
}

/// Cycles from the crossing of a flit at a switch to its presence after the link.
#[must_use]
#[inline(always)]
pub const fn delay(crossbar_cycles: u32, link_cycles: u32) -> u32 {
    crossbar_cycles + link_cycles
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn what_is_sent_arrives_so_many_cycles_later_in_order() {
        for cycles in 1..5 {
            let sent = [Some(7), Some(8), None, Some(9)];
            let mut q = Reg::reset();
            let mut step = |now: u64| {
                let pins = In { now, send: sent.get(now as usize).copied().flatten() };
                let (arrive, next) = eval(cycles, pins, core::mem::take(&mut q));
                q = next;
                arrive
            };
            let seen: Vec<_> = (0..10).filter_map(|now| Some((now + 1, step(now)?))).collect();
            let of = |at: u64| at + u64::from(cycles);
            assert_eq!(seen, [(of(0), 7), (of(1), 8), (of(3), 9)]);
            assert_eq!(q, Reg::reset());
        }
    }
}
