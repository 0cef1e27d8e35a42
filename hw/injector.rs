//! Injector: an injection lane of a node. It sends the flits of one worm after the other, at
//! most one a cycle and only with a credit.
//!
//! ```text
//!            ┌────────┐
//!   start ──▶│ next   │──▶ sent (flit)
//!    able ──▶│ left   │──▶ idle
//!            │ header │
//!            └────────┘
//! ```
//!
//! The lane takes a worm in the cycle after the tail of the worm before, at the earliest. The first
//! flit may leave in the cycle in which the lane takes the worm (docs/reference/timing.md, R11.5 to
//! R11.9).

use crate::Encoding;
use crate::flit::Flit;

/// Registers of one injection channel. The counter of the channel's credits is in the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// The flit that leaves next. In an idle channel, the flit after the last one.
    pub next: Flit,
    /// Flits of the worm that the channel has not sent. The channel is idle at 0.
    pub left: u32,
    /// Header flits of the worm.
    pub header: u32,
}

/// A worm that waits for a channel.
#[derive(Clone, Copy, Debug)]
pub struct Worm {
    /// Number of the worm.
    pub id: u32,
    /// Encoding of its header.
    pub enc: Encoding,
    /// Flits of its header.
    pub header: u32,
    /// All its flits.
    pub length: u32,
}

impl Reg {
    /// At reset: idle.
    #[must_use]
    pub const fn reset() -> Self {
        Self { next: Flit::new(0, 0, Encoding::Unicast), left: 0, header: 0 }
    }

    /// Output: whether the channel has no worm.
    #[must_use]
    #[inline(always)]
    pub const fn is_idle(&self) -> bool {
        self.left == 0
    }

    /// The registers after an idle channel has taken a worm.
    #[must_use]
    pub const fn start(worm: Worm) -> Self {
        let head = Flit::new(worm.id, 0, worm.enc).with_marks(true, worm.length == 1, worm.header > 0);
        Self { next: head, left: worm.length, header: worm.header }
    }
}

/// The flit that leaves in this cycle, if any, and the next registers. The channel is `able` to
/// send when it has a credit and no stall. An idle channel may `start` a worm.
#[must_use]
pub fn eval(start: Option<Worm>, able: bool, q: Reg) -> (Option<Flit>, Reg) {
    let q = start.map_or(q, Reg::start);
    if q.is_idle() || !able {
        return (None, q);
    }
    let (flit, d) = send(q);
    (Some(flit), d)
}

/// The flit that leaves a channel with a worm and a credit, and the next registers.
#[must_use]
#[inline(always)]
pub const fn send(q: Reg) -> (Flit, Reg) {
    let next = q.next.behind().with_marks(false, q.left == 2, q.next.index() + 1 < q.header);
    (q.next, Reg { next, left: q.left - 1, ..q })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worm(header: u32, length: u32) -> Worm {
        Worm { id: 7, enc: Encoding::BitString, header, length }
    }

    #[test]
    fn a_worm_leaves_flit_by_flit_with_its_marks() {
        for (header, length) in [(1, 1), (1, 5), (3, 4), (4, 4)] {
            let (mut start, mut q) = (Some(worm(header, length)), Reg::reset());
            for index in 0..length {
                let (flit, d) = eval(start.take(), true, q);
                let flit = flit.unwrap();
                assert_eq!((flit.worm(), flit.index(), flit.encoding()), (7, index, Encoding::BitString));
                assert_eq!(
                    (flit.is_head(), flit.is_tail(), flit.is_header()),
                    (index == 0, index + 1 == length, index < header)
                );
                q = d;
            }
            assert!(q.is_idle());
            assert_eq!(eval(None, true, q), (None, q));
        }
    }

    #[test]
    fn a_channel_that_is_not_able_to_send_holds_its_worm() {
        let (flit, q) = eval(Some(worm(1, 2)), false, Reg::reset());
        assert_eq!((flit, q), (None, Reg::start(worm(1, 2))));
        assert_eq!(eval(None, false, q), (None, q));
    }
}
