//! Injector: an injection channel of a node. It sends the flits of one worm after the other, at
//! most one a cycle, limited by credits; the next worm may start in the cycle after the tail of the
//! one before.

use crate::Encoding;
use crate::flit::Flit;

/// Registers of one injection channel; the counter of its credits stands beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// The flit that leaves next; of an idle channel, the one that would follow the last.
    pub next: Flit,
    /// Flits of the worm still to be sent; the channel is idle when there are none.
    pub left: u32,
    /// Header flits of the worm.
    pub header: u32,
}

impl Reg {
    /// An idle channel.
    pub const IDLE: Self = Self { next: Flit::new(0, 0, Encoding::Unicast), left: 0, header: 0 };

    /// No worm is under way.
    #[must_use]
    #[inline(always)]
    pub const fn is_idle(&self) -> bool {
        self.left == 0
    }

    /// An idle channel takes a worm of `header` and `length` flits.
    #[must_use]
    pub const fn start(worm: u32, enc: Encoding, header: u32, length: u32) -> Self {
        Self { next: Flit::new(worm, 0, enc).with_marks(true, length == 1, header > 0), left: length, header }
    }
}

/// The flit that leaves a channel with a worm and a credit in this cycle, and the next registers.
#[must_use]
#[inline(always)]
pub const fn eval(q: Reg) -> (Flit, Reg) {
    let next = q.next.behind().with_marks(false, q.left == 2, q.next.index() + 1 < q.header);
    (q.next, Reg { next, left: q.left - 1, ..q })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worm_leaves_flit_by_flit_with_its_marks() {
        for (header, length) in [(1, 1), (1, 5), (3, 4), (4, 4)] {
            let mut q = Reg::start(7, Encoding::BitString, header, length);
            for index in 0..length {
                assert!(!q.is_idle());
                let (flit, d) = eval(q);
                assert_eq!((flit.worm(), flit.index(), flit.encoding()), (7, index, Encoding::BitString));
                assert_eq!(
                    (flit.is_head(), flit.is_tail(), flit.is_header()),
                    (index == 0, index + 1 == length, index < header)
                );
                q = d;
            }
            assert!(q.is_idle());
        }
    }
}
