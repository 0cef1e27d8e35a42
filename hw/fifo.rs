//! FIFO of an input lane or a consumption lane: `depth` flits, first word falls through.
//!
//! ```text
//!          ┌──────────────┐
//!  push ──▶│ cells[depth] │──▶ front
//!          │ read         │──▶ count
//!   pop ──▶│ count        │
//!          └──────────────┘
//! ```
//!
//! The outputs are registers. In a cycle, all blocks see the flits that are in the FIFO when the
//! cycle begins. A flit pushed in cycle t is in front in t + 1 if no flit is before it. A
//! replication unit with read pointers of its own also reads flits after the front flit
//! ([`Reg::at`]).
//!
//! More than one flit leaves in a cycle only when a decoder strips a part of a header. Credits
//! guarantee a free cell for each push, and the cell is the last register of the link
//! (docs/reference/timing.md, R4.1 to R4.4).

use alloc::vec::Vec;

/// Registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reg<T> {
    /// A ring of `depth` cells.
    cells: Vec<Option<T>>,
    /// The cell in front.
    read: u16,
    /// Number of full cells.
    count: u16,
}

impl<T> Default for Reg<T> {
    /// A FIFO of no flits.
    fn default() -> Self {
        Self::reset(0)
    }
}

/// Pins.
#[derive(Clone, Debug)]
pub struct In<T> {
    /// The flit that arrives in this cycle.
    pub push: Option<T>,
    /// Number of flits that leave in this cycle, at most [`Reg::count`].
    pub pop: u16,
}

impl<T> Reg<T> {
    /// At reset.
    #[must_use]
    pub fn reset(depth: u16) -> Self {
        Self { cells: (0..depth).map(|_| None).collect(), read: 0, count: 0 }
    }

    /// Output: number of flits in the FIFO.
    #[must_use]
    pub const fn count(&self) -> u16 {
        self.count
    }

    /// Output: the flit in front.
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.at(0)
    }

    /// Output: the flit `ahead` places after the front.
    #[must_use]
    pub fn at(&self, ahead: u16) -> Option<&T> {
        if ahead >= self.count {
            return None;
        }
        self.cells[usize::from(slot(self.read, ahead, self.depth()))].as_ref()
    }

    fn depth(&self) -> u16 {
        self.cells.len() as u16
    }
}

/// The next registers.
#[must_use]
pub fn eval<T>(i: In<T>, mut q: Reg<T>) -> Reg<T> {
    if let Some(one) = i.push {
        debug_assert!(q.count < q.depth(), "a push into a full FIFO");
        let write = slot(q.read, q.count, q.depth());
        q.cells[usize::from(write)] = Some(one);
        q.count += 1;
    }
    for _ in 0..i.pop {
        q.cells[usize::from(q.read)] = None;
        q.read = advance(q.read, q.depth());
        q.count -= 1;
    }
    q
}

/// The cell `ahead` places after the front cell (`ahead <= depth`).
#[must_use]
#[inline(always)]
pub const fn slot(read: u16, ahead: u16, depth: u16) -> u16 {
    let s = read as u32 + ahead as u32;
    if s >= depth as u32 { (s - depth as u32) as u16 } else { s as u16 }
}

/// The cell before `pointer`, cyclically.
#[must_use]
#[inline(always)]
pub const fn back(pointer: u16, depth: u16) -> u16 {
    (if pointer == 0 { depth } else { pointer }) - 1
}

/// The cell after `pointer`, cyclically.
#[must_use]
#[inline(always)]
pub const fn advance(pointer: u16, depth: u16) -> u16 {
    if pointer + 1 == depth { 0 } else { pointer + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(one: u32, q: Reg<u32>) -> Reg<u32> {
        eval(In { push: Some(one), pop: 0 }, q)
    }

    #[test]
    fn what_is_pushed_first_is_in_front_and_popped_first() {
        let q = Reg::reset(4);
        assert_eq!((q.count(), q.front()), (0, None));
        let q = (1..=4).fold(q, |q, one| push(one, q));
        assert_eq!((q.count(), q.front(), q.at(2), q.at(4)), (4, Some(&1), Some(&3), None));
        let q = push(5, eval(In { push: None, pop: 3 }, q));
        assert_eq!((q.count(), q.front(), q.at(1), q.at(2)), (2, Some(&4), Some(&5), None));
    }

    #[test]
    fn a_push_and_a_pop_in_one_cycle_keep_the_count() {
        let mut q = push(1, push(0, Reg::reset(3)));
        for one in 2..20 {
            assert_eq!((q.count(), q.front().copied()), (2, Some(one - 2)));
            q = eval(In { push: Some(one), pop: 1 }, q);
        }
    }

    #[test]
    fn without_push_and_pop_everything_holds() {
        let q = push(7, Reg::reset(2));
        assert_eq!(eval(In { push: None, pop: 0 }, q.clone()), q);
    }

    #[test]
    fn pointers_wrap_behind_the_last_cell() {
        for depth in 1..6 {
            let mut read = 0;
            for n in 0..20u16 {
                assert_eq!(read, n % depth);
                for ahead in 0..depth {
                    assert_eq!(slot(read, ahead, depth), (n + ahead) % depth);
                }
                assert_eq!(back(advance(read, depth), depth), read);
                read = advance(read, depth);
            }
        }
    }
}
