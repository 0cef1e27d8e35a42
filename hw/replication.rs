//! Replication unit: which branches take which flit, and when the front flit is popped.
//!
//! Four modes (docs/TIMING.md, "Replication unit and crossbar"). *asynchronous*: a branch takes the
//! front flit when its own output can; it is popped when all took it. *lockstep*: all branches take
//! it in the same cycle. *buffered*: every branch has its own read pointer; the front is popped
//! when the slowest has passed. *sequential*: one branch after the other; the last one pops.

use crate::words::Replication;

/// Registers of the unit of an input lane, lanes and lane groups one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Lane groups of all branches; none without a worm.
    pub branches: u64,
    /// Lane groups of the branches without a lane.
    pub wanted: u64,
    /// Output lanes held, tails not yet crossed.
    pub lanes: u64,
    /// Lanes whose branch has taken the front flit.
    pub taken: u64,
}

impl Reg {
    /// A worm with these branches.
    #[must_use]
    pub const fn decided(branches: u64) -> Self {
        Self { branches, wanted: branches, lanes: 0, taken: 0 }
    }

    /// No worm is in service.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.branches == 0
    }

    /// The worm has several branches.
    #[must_use]
    pub const fn replicates(&self) -> bool {
        self.branches.count_ones() > 1
    }

    /// Lane groups it asks for: all it wants; with sequential replication the first, once the
    /// branch before has passed.
    #[must_use]
    pub const fn asks(&self, mode: Replication) -> u64 {
        match mode {
            Replication::Sequential if self.lanes != 0 => 0,
            Replication::Sequential => self.wanted & self.wanted.wrapping_neg(),
            _ => self.wanted,
        }
    }

    /// A branch takes a flit through `lane`, the `tail` perhaps.
    pub const fn take(&mut self, lane: u8, tail: bool) {
        if self.replicates() {
            self.taken |= 1 << lane;
        }
        if tail {
            self.lanes &= !(1 << lane);
        }
    }
}

/// Output lanes a worm may send through in this cycle: `count` flits are in the FIFO, `able` the
/// lanes that can send, `ahead` the flits that the branch of a lane has taken beyond the front.
#[must_use]
pub fn offered(mode: Replication, q: &Reg, count: u16, able: u64, ahead: impl Fn(usize) -> u16) -> u64 {
    match mode {
        _ if !q.replicates() => q.lanes & able,
        Replication::Asynchronous | Replication::Lockstep => offer(mode, q.lanes, q.taken, able, q.wanted != 0),
        Replication::Buffered | Replication::Sequential => {
            crate::bits(q.lanes & able).filter(|&lane| ahead(lane) < count).fold(0, |lanes, lane| lanes | 1 << lane)
        }
    }
}

/// Output lanes a worm may send through in this cycle, modes with the front flit only.
///
/// `lanes` are the lanes it holds, `taken` those that have the front flit already, `able` the lanes
/// with credit; `waiting` says that branches without a lane remain.
#[must_use]
#[inline(always)]
pub const fn offer(mode: Replication, lanes: u64, taken: u64, able: u64, waiting: bool) -> u64 {
    match mode {
        Replication::Lockstep => {
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
    fn a_worm_asks_for_all_its_lanes_or_for_one_after_the_other() {
        let mut q = Reg::decided(0b110);
        assert_eq!((q.asks(Replication::Asynchronous), q.asks(Replication::Sequential)), (0b110, 0b010));
        (q.wanted, q.lanes) = (0b100, 0b1);
        assert_eq!((q.asks(Replication::Buffered), q.asks(Replication::Sequential)), (0b100, 0));
        q.take(0, true);
        assert_eq!((q.asks(Replication::Sequential), q.taken, q.lanes), (0b100, 1, 0));
        assert!(q.replicates() && !Reg::decided(4).replicates() && Reg::default().is_idle());
    }

    #[test]
    fn a_worm_is_offered_what_its_mode_lets_it_take() {
        let q = Reg { branches: 0b11, wanted: 0, lanes: 0b11, taken: 0b01 };
        let offers = |mode, q: &Reg| offered(mode, q, 2, 0b11, |lane| [1, 2][lane]);
        assert_eq!(offers(Replication::Asynchronous, &q), 0b10);
        assert_eq!(offers(Replication::Lockstep, &q), 0b11);
        assert_eq!(offers(Replication::Buffered, &q), 0b01, "lane 1 has had both flits");
        let single = Reg { branches: 0b10, wanted: 0, lanes: 0b10, taken: 0 };
        assert_eq!(offers(Replication::Buffered, &single), 0b10);
        let waiting = Reg { wanted: 1, ..q };
        assert_eq!(offers(Replication::Lockstep, &waiting), 0);
    }

    #[test]
    fn each_branch_takes_each_flit_exactly_once() {
        let (lanes, mut taken, mut popped) = (0b111, 0, 0);
        for able in [0b001, 0b001, 0b110, 0b111] {
            let sent = offer(Replication::Asynchronous, lanes, taken, able, false);
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
        assert_eq!(offer(Replication::Lockstep, 0b11, 0, 0b01, false), 0);
        assert_eq!(offer(Replication::Lockstep, 0b11, 0, 0b11, true), 0);
        assert_eq!(offer(Replication::Lockstep, 0b11, 0, 0b11, false), 0b11);
    }
}
