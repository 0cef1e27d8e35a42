//! Flits and credits on their way.

/// Things on their way, by the cycle in which each is due.
#[derive(Clone, Debug)]
pub(super) struct Due<T> {
    /// A ring of the next cycles. Their number is a power of two.
    slots: Vec<Vec<T>>,
    /// The first cycle whose things are not taken.
    next: u64,
}

impl<T> Due<T> {
    /// Nothing is on its way. No thing will take more than `most` cycles.
    pub fn within(most: u64) -> Self {
        Self { slots: (0..(most + 1).next_power_of_two()).map(|_| Vec::new()).collect(), next: 0 }
    }

    /// Sends a thing that is due in `cycle`, which is not taken.
    #[inline(always)]
    pub fn push(&mut self, cycle: u64, thing: T) {
        let at = cycle as usize & (self.slots.len() - 1);
        self.slots[at].push(thing);
    }

    /// Takes the things that are due by `cycle`.
    #[inline(always)]
    pub fn take(&mut self, cycle: u64, mut take: impl FnMut(T)) {
        let ring = self.slots.len();
        for at in (self.next..=cycle).take(ring) {
            self.slots[at as usize & (ring - 1)].drain(..).for_each(&mut take);
        }
        self.next = self.next.max(cycle + 1);
    }
}

/// Lanes of banks on their way, by the cycle in which each is due.
#[derive(Clone, Debug)]
pub(super) struct DueMasks {
    /// A ring of the next cycles. Each has a mask for each bank.
    masks: Vec<u64>,
    /// For each cycle of the ring, the banks whose masks are not empty.
    banks: Vec<Vec<u32>>,
    /// Number of banks.
    count: usize,
    /// The first cycle whose lanes are not taken.
    next: u64,
}

impl DueMasks {
    /// Nothing is on its way to these banks. Nothing will take more than `most` cycles.
    pub fn within(most: u64, count: usize) -> Self {
        let ring = (most + 1).next_power_of_two() as usize;
        Self { masks: vec![0; ring * count], banks: vec![Vec::new(); ring], count, next: 0 }
    }

    /// Sends something to lanes of a bank. It is due in `cycle`, which is not taken.
    #[inline(always)]
    pub fn push(&mut self, cycle: u64, bank: usize, lanes: u64) {
        let at = cycle as usize & (self.banks.len() - 1);
        let mask = &mut self.masks[at * self.count + bank];
        if *mask == 0 {
            self.banks[at].push(bank as u32);
        }
        *mask |= lanes;
    }

    /// Takes what is due by `cycle`: a bank and its lanes.
    #[inline(always)]
    pub fn take(&mut self, cycle: u64, mut take: impl FnMut(usize, u64)) {
        let ring = self.banks.len();
        for at in (self.next..=cycle).take(ring) {
            let at = at as usize & (ring - 1);
            for bank in self.banks[at].drain(..) {
                take(bank as usize, std::mem::take(&mut self.masks[at * self.count + bank as usize]));
            }
        }
        self.next = self.next.max(cycle + 1);
    }
}
