//! Sink: a consumption lane at a node. It takes the front flit of the lane's FIFO. While the
//! node is stalled or its receive buffer is full, the flit waits in the FIFO and keeps its credit.
//!
//! ```text
//!            ┌───────┐
//!   valid ──▶│ space │──▶ take
//!     hdr ──▶│       │
//! stalled ──▶│       │
//!   freed ──▶│       │
//!            └───────┘
//! ```
//!
//! A flit is taken in the cycle of its arrival at the earliest, and one in each cycle. The receive
//! buffer holds only payload (docs/reference/timing.md, R11.11 to R11.15).

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Free flits of the receive buffer; `None` for a buffer that is never full.
    pub space: Option<u32>,
}

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// A flit is in front.
    pub valid: bool,
    /// The flit belongs to the header.
    pub hdr: bool,
    /// The node takes nothing in this cycle.
    pub stalled: bool,
    /// Flits that the node's software has taken out of the receive buffer.
    pub freed: u32,
}

/// Whether the flit is taken, and the next registers.
#[must_use]
pub const fn eval(i: In, q: Reg) -> (bool, Reg) {
    let Some(space) = q.space else { return (i.valid && !i.stalled, q) };
    let space = space.saturating_add(i.freed);
    let take = i.valid && takes(i.stalled, i.hdr, space);
    (take, Reg { space: Some(space - (take && !i.hdr) as u32) })
}

/// Whether the node takes the front flit of a channel. The receive buffer has `space` free flits,
/// and holds only payload.
#[must_use]
#[inline(always)]
pub const fn takes(stalled: bool, is_header: bool, space: u32) -> bool {
    !stalled && (is_header || space > 0)
}

/// Cycles from the crossing of a flit at the last switch until the credit is usable there. The node
/// takes the flit at once.
#[must_use]
#[inline(always)]
pub const fn credit(crossbar_cycles: u32, link_cycles: u32, credit_cycles: u32) -> u32 {
    crate::link::delay(crossbar_cycles, link_cycles) + credit_cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLIT: In = In { valid: true, hdr: false, stalled: false, freed: 0 };

    #[test]
    fn a_node_without_a_receive_buffer_takes_every_flit() {
        for hdr in [false, true] {
            assert_eq!(eval(In { hdr, ..FLIT }, Reg::default()), (true, Reg::default()));
        }
        assert!(!eval(In { valid: false, ..FLIT }, Reg::default()).0);
    }

    #[test]
    fn a_stalled_node_takes_nothing() {
        for space in [None, Some(3)] {
            assert_eq!(eval(In { stalled: true, ..FLIT }, Reg { space }), (false, Reg { space }));
        }
    }

    #[test]
    fn payload_needs_space_and_headers_do_not() {
        let (take, q) = eval(FLIT, Reg { space: Some(1) });
        assert_eq!((take, q.space), (true, Some(0)));
        assert_eq!(eval(FLIT, q), (false, q));
        assert_eq!(eval(In { hdr: true, ..FLIT }, q), (true, q));
        assert_eq!(eval(In { freed: 2, ..FLIT }, q), (true, Reg { space: Some(1) }));
    }
}
