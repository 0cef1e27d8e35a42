//! FIFO: a ring of `depth` flits, first word falls through.
//!
//! The reader's pointer and the counter of its flits stand at the switch, the writer's pointer at
//! the sender of the link: credits guarantee that a slot is free when a flit is sent, so the link's
//! last register is the FIFO cell itself.

use alloc::collections::VecDeque;

/// Registers: what is in it, front first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reg<T>(VecDeque<T>);

impl<T> Default for Reg<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Reg<T> {
    /// How many are in it.
    #[must_use]
    pub fn count(&self) -> u16 {
        self.0.len() as u16
    }

    /// The one in front.
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.0.front()
    }

    /// All of them, front first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// The one `ahead` behind the front.
    #[must_use]
    pub fn get(&self, ahead: u16) -> Option<&T> {
        self.0.get(usize::from(ahead))
    }

    /// Pops so many.
    pub fn pop(&mut self, count: u16) {
        self.0.drain(..usize::from(count));
    }

    /// One more is in it from the next cycle on.
    pub fn push(&mut self, one: T) {
        self.0.push_back(one);
    }
}

/// The slot `ahead` flits behind the front one in slot `read` (`ahead < depth`).
#[must_use]
#[inline(always)]
pub const fn slot(read: u16, ahead: u16, depth: u16) -> u16 {
    let s = read as u32 + ahead as u32;
    if s >= depth as u32 { (s - depth as u32) as u16 } else { s as u16 }
}

/// A pointer's last value.
#[must_use]
#[inline(always)]
pub const fn back(pointer: u16, depth: u16) -> u16 {
    (if pointer == 0 { depth } else { pointer }) - 1
}

/// A pointer's next value.
#[must_use]
#[inline(always)]
pub const fn advance(pointer: u16, depth: u16) -> u16 {
    if pointer + 1 == depth { 0 } else { pointer + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_first_is_in_front_and_popped_first() {
        let mut q = Reg::default();
        assert_eq!((q.count(), q.front()), (0, None));
        (1..=4).for_each(|one| q.push(one));
        assert_eq!((q.count(), q.front(), q.get(2), q.get(4)), (4, Some(&1), Some(&3), None));
        q.pop(3);
        q.push(5);
        assert!(q.iter().eq(&[4, 5]));
    }

    #[test]
    fn pointers_wrap_behind_the_last_slot() {
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
