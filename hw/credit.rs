//! Credit counter of an output lane or an injection lane: free cells of the FIFO at the other
//! end of the link.
//!
//! ```text
//!            ┌───────┐
//!    sent ──▶│ count │──▶ any
//! returned ─▶│       │
//!            └───────┘
//! ```
//!
//! The output is a register. A credit is spent in the cycle in which the flit crosses. It is back
//! `credit_cycles` after the flit has left the FIFO (docs/reference/timing.md, R10.3, R10.4). When
//! a decoder strips several flits, as many credits come back in one cycle.

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Free cells that the sender knows of.
    pub count: u16,
}

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// A flit crosses in this cycle, which needs a credit.
    pub sent: bool,
    /// Number of credits that come back.
    pub returned: u16,
}

impl Reg {
    /// At reset, in front of a FIFO of `depth` flits.
    #[must_use]
    pub const fn reset(depth: u16) -> Self {
        Self { count: depth }
    }

    /// Output: whether a flit may cross.
    #[must_use]
    pub const fn any(self) -> bool {
        self.count > 0
    }
}

/// The next registers.
#[must_use]
#[inline(always)]
pub const fn eval(i: In, q: Reg) -> Reg {
    Reg { count: refund(q.count, i.returned) - i.sent as u16 }
}

/// The count after the return of credits.
#[must_use]
#[inline(always)]
pub const fn refund(count: u16, returned: u16) -> u16 {
    count + returned
}

/// Cycles between two flits that use the same cell of an otherwise unblocked FIFO. Full rate needs
/// a FIFO of at least this many flits.
#[must_use]
pub const fn round_trip(crossbar_cycles: u32, link_cycles: u32, credit_cycles: u32) -> u32 {
    crossbar_cycles + link_cycles + credit_cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credit_is_spent_with_each_flit_and_comes_back() {
        let q = eval(In { sent: true, returned: 0 }, Reg::reset(1));
        assert!(Reg::reset(1).any() && !q.any());
        assert_eq!(eval(In { sent: false, returned: 0 }, q), q);
        assert_eq!(eval(In { sent: false, returned: 3 }, q).count, 3);
        assert_eq!(eval(In { sent: true, returned: 1 }, Reg { count: 2 }).count, 2);
    }

    #[test]
    fn a_cell_comes_back_after_the_flit_and_its_credit() {
        assert_eq!(round_trip(0, 1, 1), 2);
        assert_eq!(round_trip(1, 5, 4), 10);
    }
}
