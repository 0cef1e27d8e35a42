//! Replication unit: which branches take which flit, and when the front flit is popped.
//!
//! Four modes (docs/TIMING.md, "Replication unit and crossbar"). *asynchronous*: a branch takes the front flit when its own output
//! can; it is popped when all took it. *lockstep*: all branches take it in the same cycle. *buffered*: every branch has its own read
//! pointer; the front is popped when the slowest has passed. *sequential*: one branch after the other; the last one pops.

/// Replication mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Bubbles open behind the branches that run ahead.
    #[default]
    Asynchronous,
    /// All branches of the switch move together.
    Lockstep,
    /// A read pointer per branch.
    Buffered,
    /// One branch after the other.
    Sequential,
}

/// Output lanes a worm may send through in this cycle, modes with the front flit only.
///
/// `lanes` are the lanes it holds, `taken` those that have the front flit already, `able` the lanes with credit; `waiting` says that
/// branches without a lane remain.
#[must_use]
#[inline(always)]
pub const fn offer(mode: Mode, lanes: u64, taken: u64, able: u64, waiting: bool) -> u64 {
    match mode {
        Mode::Lockstep => {
            if waiting || lanes & !able != 0 {
                0
            } else {
                lanes
            }
        }
        _ => lanes & !taken & able,
    }
}

/// Whether the front flit is popped: no branch without a lane remains and every lane held has it.
#[must_use]
#[inline(always)]
pub const fn pops(lanes: u64, taken: u64, waiting: bool) -> bool {
    !waiting && lanes & !taken == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_branch_takes_each_flit_exactly_once() {
        let (lanes, mut taken, mut popped) = (0b111, 0, 0);
        for able in [0b001, 0b001, 0b110, 0b111] {
            let sent = offer(Mode::Asynchronous, lanes, taken, able, false);
            assert_eq!(sent & taken, 0);
            taken |= sent;
            if pops(lanes, taken, false) {
                (taken, popped) = (0, popped + 1);
            }
        }
        assert_eq!((taken, popped), (0, 2));
    }

    #[test]
    fn lockstep_moves_all_or_none() {
        assert_eq!(offer(Mode::Lockstep, 0b11, 0, 0b01, false), 0);
        assert_eq!(offer(Mode::Lockstep, 0b11, 0, 0b11, true), 0);
        assert_eq!(offer(Mode::Lockstep, 0b11, 0, 0b11, false), 0b11);
    }
}
