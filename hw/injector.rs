//! Injector: an injection channel of a node. It sends the flits of one worm after the other, at most one a cycle, limited by
//! credits; the next worm may start in the cycle after the tail of the one before.

use crate::flit::{Encoding, Flit};

/// Registers of one injection channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// Worm under way, or the last one.
    pub worm: u32,
    /// Flits of it already sent.
    pub sent: u32,
    /// Header flits of it.
    pub header: u32,
    /// All flits of it; the channel is idle when all are sent.
    pub length: u32,
    /// Credits for the router's FIFO.
    pub credits: u16,
    /// Slot of that FIFO the next flit goes to.
    pub write: u16,
    /// Its encoding.
    pub enc: Encoding,
}

impl Reg {
    /// An idle channel in front of an empty FIFO.
    #[must_use]
    pub const fn idle(fifo_depth: u16) -> Self {
        Self { worm: 0, sent: 0, header: 0, length: 0, credits: fifo_depth, write: 0, enc: Encoding::Unicast }
    }

    /// No worm is under way.
    #[must_use]
    #[inline(always)]
    pub const fn is_idle(&self) -> bool {
        self.sent == self.length
    }
}

/// The flit that leaves in this cycle, if any, and the next registers (its slot's number in `q.write`).
#[must_use]
#[inline(always)]
pub const fn eval(q: Reg, fifo_depth: u16) -> (Option<Flit>, Reg) {
    if q.is_idle() || q.credits == 0 {
        return (None, q);
    }
    let tail = q.sent + 1 == q.length;
    let flit = Flit::new(q.worm, q.sent, q.enc).with_marks(q.sent == 0, tail, q.sent < q.header);
    let mut d = q;
    d.sent += 1;
    d.credits = crate::link::spend(q.credits);
    d.write = crate::fifo::advance(q.write, fifo_depth);
    (Some(flit), d)
}
