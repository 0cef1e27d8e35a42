//! Output lane: the input that drives it, and the progress of that branch.
//!
//! ```text
//!              ┌─────────┐
//!   granted ──▶│ owner   │──▶ free
//!      sent ──▶│ pending │──▶ head
//!      tail ──▶│ ahead   │──▶ read pointer
//!    popped ──▶│         │
//!              └─────────┘
//! ```
//!
//! The two steps are in dataflow order. The flits of a cycle ([`eval`]) see a grant of the same
//! cycle ([`grant`]). A lane that the tail crosses in cycle t is free in t + 1
//! (docs/reference/timing.md, R7.2).

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Input lane that owns the output lane.
    pub owner: Option<u8>,
    /// Output `head`: no flit of the owner has crossed yet. The next one is marked as the head.
    pub pending: bool,
    /// Output: flits that the branch has taken and the FIFO has not popped. This is the read
    /// pointer of the branch into the FIFO.
    pub ahead: u16,
}

/// Pins.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// A flit crosses.
    pub sent: bool,
    /// The flit is the tail.
    pub tail: bool,
    /// The front flit leaves the FIFO of the owner. It may be the flit that crosses.
    pub popped: bool,
}

impl Reg {
    /// Output: whether the lane has no owner.
    #[must_use]
    pub const fn is_free(self) -> bool {
        self.owner.is_none()
    }

    /// Output: whether one of the `count` flits in the owner's FIFO is left for the branch.
    #[must_use]
    pub const fn has_next(self, count: u16) -> bool {
        self.ahead < count
    }

    /// Output: whether the branch has taken more than the front flit. A flit `sent` in this cycle
    /// counts.
    #[must_use]
    pub const fn is_beyond(self, sent: bool) -> bool {
        self.ahead + sent as u16 > 1
    }
}

/// The registers after the arbiters, where the lane may be `granted` to an input.
#[must_use]
pub const fn grant(granted: Option<u8>, q: Reg) -> Reg {
    if granted.is_some() { Reg { owner: granted, pending: true, ahead: 0 } } else { q }
}

/// The next registers.
#[must_use]
pub const fn eval(i: In, q: Reg) -> Reg {
    let ahead = (q.ahead + i.sent as u16).saturating_sub(i.popped as u16);
    Reg { owner: if i.sent && i.tail { None } else { q.owner }, pending: q.pending && !i.sent, ahead }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A function and not a constant, because the choice of a planted fault is made at run time.
    fn granted() -> Reg {
        grant(Some(3), Reg { owner: None, pending: false, ahead: 7 })
    }
    const SENT: In = In { sent: true, tail: false, popped: false };

    #[test]
    fn a_lane_is_the_owners_from_the_grant_to_the_tail() {
        let q = granted();
        assert!(Reg::default().is_free() && !q.is_free() && q.pending);
        let q = eval(SENT, q);
        assert_eq!((q.owner, q.pending, q.ahead), (Some(3), false, 1));
        let q = eval(In { tail: true, ..SENT }, q);
        assert!(q.is_free());
    }

    #[test]
    fn the_read_pointer_is_ahead_by_what_is_taken_and_not_popped() {
        let q = eval(SENT, eval(SENT, granted()));
        assert_eq!(q.ahead, 2);
        assert_eq!(eval(In { popped: true, ..In::default() }, q).ahead, 1);
        assert_eq!(eval(In { popped: true, ..SENT }, q).ahead, 2);
        assert_eq!([1, 2, 3].map(|count| q.has_next(count)), [false, false, true]);
        let with = |ahead, sent| Reg { ahead, ..q }.is_beyond(sent);
        assert_eq!([with(0, true), with(1, false), with(1, true), with(2, false)], [false, false, true, true]);
    }

    #[test]
    fn what_does_not_cross_changes_nothing() {
        assert_eq!(eval(In { tail: true, ..In::default() }, granted()), granted());
        assert_eq!(grant(None, granted()), granted());
    }
}
