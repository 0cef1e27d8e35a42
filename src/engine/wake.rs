//! Wake lists: which instances are evaluated in which cycle.
//!
//! A set of instances is a byte an instance and a byte a page of 512: inserting is two plain stores, taking a cycle's set reads eight
//! bytes at a time, and instances come in ascending order, which is the order of their registers in memory.

/// Instances of one page.
const PAGE: usize = 512;

/// A set of instance numbers.
#[derive(Clone, Debug, Default)]
pub struct InstanceSet {
    awake: Vec<[u8; 8]>,
    pages: Vec<u8>,
}

impl InstanceSet {
    /// The empty set over `0..instances`.
    #[must_use]
    pub fn new(instances: usize) -> Self {
        let pages = instances.div_ceil(PAGE);
        Self { awake: vec![[0; 8]; pages * PAGE / 8], pages: vec![0; pages] }
    }

    /// Adds an instance.
    #[inline(always)]
    pub fn insert(&mut self, instance: u32) {
        let i = instance as usize;
        self.awake[i / 8][i % 8] = 1;
        self.pages[i / PAGE] = 1;
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.iter().all(|&p| p == 0)
    }

    /// Empties the set, calling `f` for each instance in ascending order.
    #[inline(always)]
    pub fn drain(&mut self, mut f: impl FnMut(u32)) {
        for (p, page) in self.pages.iter_mut().enumerate() {
            if *page == 0 {
                continue;
            }
            *page = 0;
            let first = p * PAGE / 8;
            for (e, eight) in self.awake[first..first + PAGE / 8].iter_mut().enumerate() {
                let mut left = u64::from_le_bytes(*eight);
                if left == 0 {
                    continue;
                }
                *eight = [0; 8];
                while left != 0 {
                    f(((first + e) * 8) as u32 + left.trailing_zeros() / 8);
                    left &= left - 1;
                }
            }
        }
    }
}

/// Wake lists of the cycles to come, as far as the longest delay of a wire reaches.
#[derive(Clone, Debug)]
pub struct WakeWheel {
    slots: Vec<InstanceSet>,
}

impl WakeWheel {
    /// A wheel of `slots` cycles (a power of two).
    #[must_use]
    pub fn new(slots: usize, instances: usize) -> Self {
        Self { slots: vec![InstanceSet::new(instances); slots] }
    }

    /// Wakes an instance in the cycle of `slot`.
    #[inline(always)]
    pub fn insert(&mut self, slot: usize, instance: u32) {
        self.slots[slot].insert(instance);
    }

    /// Takes the set of `slot`; give it back empty with [`WakeWheel::put`].
    #[must_use]
    pub fn take(&mut self, slot: usize) -> InstanceSet {
        std::mem::take(&mut self.slots[slot])
    }

    /// Gives back a drained set.
    pub fn put(&mut self, slot: usize, set: InstanceSet) {
        debug_assert!(set.is_empty());
        self.slots[slot] = set;
    }

    /// Whether nobody wakes in the cycle of `slot`.
    #[must_use]
    pub fn is_empty(&self, slot: usize) -> bool {
        self.slots[slot].is_empty()
    }

    /// Cycles from `from` until the next with somebody awake, less than one turn of the wheel.
    #[must_use]
    pub fn next(&self, from: u64) -> Option<u64> {
        let n = self.slots.len() as u64;
        (0..n).find(|d| !self.slots[((from + d) & (n - 1)) as usize].is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_come_once_and_in_order() {
        let mut set = InstanceSet::new(10_000);
        for i in [9_999, 0, 64, 63, 4_096, 64] {
            set.insert(i);
        }
        let mut got = Vec::new();
        set.drain(|i| got.push(i));
        assert_eq!(got, [0, 63, 64, 4_096, 9_999]);
        assert!(set.is_empty());
    }

    #[test]
    fn the_wheel_finds_the_next_cycle_across_its_seam() {
        let mut wheel = WakeWheel::new(4, 1);
        assert_eq!(wheel.next(6), None);
        wheel.insert(1, 0);
        assert_eq!(wheel.next(6), Some(3));
    }
}
