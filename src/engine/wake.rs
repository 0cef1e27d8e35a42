//! Wake lists: which instances are evaluated in which cycle.
//!
//! A set of instances is a two-level bit set, so that inserting is two ORs, taking a cycle's set is proportional to what is awake,
//! and instances come in ascending order, which is the order of their registers in memory.

/// A set of instance numbers.
#[derive(Clone, Debug, Default)]
pub struct InstanceSet {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl InstanceSet {
    /// The empty set over `0..instances`.
    #[must_use]
    pub fn new(instances: usize) -> Self {
        let words = instances.div_ceil(64);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    /// Adds an instance.
    #[inline(always)]
    pub fn insert(&mut self, instance: u32) {
        let word = (instance >> 6) as usize;
        self.words[word] |= 1 << (instance & 63);
        self.summary[word >> 6] |= 1 << (word & 63);
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.summary.iter().all(|&w| w == 0)
    }

    /// Empties the set, calling `f` for each instance in ascending order.
    #[inline(always)]
    pub fn drain(&mut self, mut f: impl FnMut(u32)) {
        for (s, summary) in self.summary.iter_mut().enumerate() {
            while *summary != 0 {
                let w = s << 6 | summary.trailing_zeros() as usize;
                *summary &= *summary - 1;
                let mut word = std::mem::take(&mut self.words[w]);
                while word != 0 {
                    f((w << 6) as u32 | word.trailing_zeros());
                    word &= word - 1;
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
