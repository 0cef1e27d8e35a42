//! Wires into the instances, with their delays; what arrives at an instance wakes it.
//!
//! Every instance has a ring of wires, one a cycle as far as the longest delay reaches. Rings lie cycle by cycle, so that the wires of
//! one cycle are neighbours, and a page of them is marked when something is sent through one: finding who is awake means looking at the
//! marked pages, instances come in ascending order, which is the order of their registers in memory.

/// Most pages of a cycle.
const PAGES: usize = 256;
/// Fewest instances of a page.
const SMALLEST_PAGE: usize = 64;

/// The wires of one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edge {
    wires: usize,
    pages: usize,
}

/// What arrives at an instance that is awake.
pub(super) type Awake<W> = (u32, W);

/// Rings of wires of all instances of a kind; `W` is what arrives at one of them in one cycle, its default says nothing does.
#[derive(Clone, Debug)]
pub(super) struct Wires<W> {
    rings: Vec<W>,
    /// Instances that the next cycle evaluates whatever arrives; behind the clock edge, those of the cycle to be evaluated.
    again: Vec<bool>,
    marks: Vec<bool>,
    /// Cycles of a ring: a power of two.
    cycles: usize,
    /// Pages of a cycle, and the binary logarithm of their size.
    pages: usize,
    page_shift: u32,
}

impl<W: Copy + Default + PartialEq> Wires<W> {
    /// Wires of `instances` instances over `cycles` cycles, a power of two.
    pub fn new(cycles: usize, instances: usize) -> Self {
        let page = instances.div_ceil(PAGES).next_power_of_two().max(SMALLEST_PAGE);
        let pages = instances.div_ceil(page);
        Self {
            rings: vec![W::default(); cycles * instances],
            again: vec![false; instances],
            marks: vec![false; cycles * pages],
            cycles,
            pages,
            page_shift: page.trailing_zeros(),
        }
    }

    /// The wires that arrive in `cycle`.
    pub fn edge(&self, cycle: u64) -> Edge {
        let slot = cycle as usize & (self.cycles - 1);
        Edge { wires: slot * self.again.len(), pages: slot * self.pages }
    }

    /// The wire into `instance`, about to be used.
    #[inline(always)]
    pub fn send(&mut self, edge: Edge, instance: u32) -> &mut W {
        self.mark(edge, instance);
        &mut self.rings[edge.wires + instance as usize]
    }

    /// The wire into `instance`, to look at.
    pub fn wire(&self, edge: Edge, instance: u32) -> W {
        self.rings[edge.wires + instance as usize]
    }

    /// All wires into `instance`.
    pub fn ring(&self, instance: u32) -> impl Iterator<Item = W> {
        self.rings.iter().skip(instance as usize).step_by(self.again.len()).copied()
    }

    /// Wakes `instance` in the cycle of `edge`, which is the one evaluated next, or the one behind that under evaluation.
    #[inline(always)]
    pub fn wake(&mut self, edge: Edge, instance: u32) {
        self.mark(edge, instance);
        self.again[instance as usize] = true;
    }

    #[inline(always)]
    fn mark(&mut self, edge: Edge, instance: u32) {
        self.marks[edge.pages + (instance >> self.page_shift) as usize] = true;
    }

    /// Wakes everybody in the cycle of `edge`.
    pub fn wake_all(&mut self, edge: Edge) {
        self.again.fill(true);
        self.marks[edge.pages..][..self.pages].fill(true);
    }

    /// Takes what arrives in the cycle of `edge` at the instances of the first marked page from `page` on into `awake`, which it
    /// clears first; returns the page behind, `None` when there is no more.
    #[inline(always)]
    pub fn take(&mut self, edge: Edge, page: usize, awake: &mut Vec<Awake<W>>) -> Option<usize> {
        let marks = &mut self.marks[edge.pages..][..self.pages];
        let page = page + marks[page..].iter().position(|&marked| marked)?;
        marks[page] = false;
        let first = page << self.page_shift;
        let last = (first + (1 << self.page_shift)).min(self.again.len());
        let wires = &mut self.rings[edge.wires..][first..last];
        let again = &mut self.again[first..last];
        awake.clear();
        awake.resize(wires.len(), (0, W::default()));
        let mut n = 0;
        for ((i, wire), again) in (first as u32..).zip(wires).zip(again) {
            awake[n] = (i, std::mem::take(wire));
            n += usize::from(std::mem::take(again) | (awake[n].1 != W::default()));
        }
        awake.truncate(n);
        Some(page + 1)
    }

    /// Whether nobody wakes in the cycle of `edge`.
    pub fn is_silent(&self, edge: Edge) -> bool {
        !self.marks[edge.pages..][..self.pages].contains(&true)
    }

    /// The next cycle from `now` on in which somebody wakes.
    pub fn next(&self, now: u64) -> Option<u64> {
        (now..now + self.cycles as u64).find(|&cycle| !self.is_silent(self.edge(cycle)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(wires: &mut Wires<u64>, cycle: u64) -> Vec<Awake<u64>> {
        let (mut page, mut awake, mut all) = (0, Vec::new(), Vec::new());
        while let Some(next) = wires.take(wires.edge(cycle), page, &mut awake) {
            all.append(&mut awake);
            page = next;
        }
        all
    }

    #[test]
    fn instances_come_once_and_in_order_with_what_arrived() {
        let mut wires = Wires::new(4, 100_000);
        let edge = wires.edge(6);
        for i in [99_999, 0, 64, 63, 4_096, 64] {
            *wires.send(edge, i) |= 1 << (i % 2);
        }
        wires.wake(edge, 70_000);
        wires.wake(edge, 0);
        assert_eq!(all(&mut wires, 7), []);
        assert_eq!(all(&mut wires, 6), [(0, 1), (63, 2), (64, 1), (4_096, 1), (70_000, 0), (99_999, 2)]);
        assert!(wires.is_silent(edge));
    }

    #[test]
    fn the_next_cycle_is_found_across_the_seam_of_the_ring() {
        let mut wires = Wires::<u64>::new(4, 1);
        assert_eq!(wires.next(6), None);
        *wires.send(wires.edge(1), 0) = 1;
        assert_eq!(wires.next(6), Some(9));
    }
}
