//! Wires into the instances, with their delays; what arrives at an instance wakes it.
//!
//! Every instance has a ring of wires, one a cycle as far as the longest delay reaches. Rings lie cycle by cycle, so that the wires of
//! one cycle are neighbours. Who is awake is found by looking at them, page by page, in ascending order, which is the order of the
//! registers in memory. Pages in which nothing can arrive are passed over: when an instance sends, the pages that its own is linked
//! to are marked for the cycles of arrival.

use std::ops::Range;

/// Most pages of a cycle.
const PAGES: usize = 256;
/// Fewest instances of a page.
const SMALLEST_PAGE: usize = 64;

/// What arrives at an instance in one cycle; nothing by default.
pub(super) trait Signal: Copy + Default {
    /// Whether something does.
    fn is_live(self) -> bool;
}

/// Which pages the pages of a kind of instances are linked to.
#[derive(Clone, Debug)]
pub(super) struct Links {
    linked: Vec<bool>,
    to: usize,
}

/// Rings of wires of all instances of a kind; `W` is what arrives at one of them in one cycle.
#[derive(Clone, Debug)]
pub(super) struct Wires<W> {
    /// The wires, cycle by cycle.
    pub rings: Vec<W>,
    /// Instances to be evaluated in the next cycle whatever arrives; those before their turn in a cycle, in this one.
    pub again: Vec<bool>,
    /// Pages in which something may arrive, cycle by cycle.
    marks: Vec<bool>,
    /// Cycles of a ring: a power of two.
    cycles: usize,
    pages: usize,
    page_shift: u32,
}

impl<W: Signal> Wires<W> {
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

    fn slot(&self, cycle: u64) -> usize {
        cycle as usize & (self.cycles - 1)
    }

    /// Where the wires that arrive in `cycle` begin in `rings`.
    pub fn edge(&self, cycle: u64) -> usize {
        self.slot(cycle) * self.again.len()
    }

    /// The wire into `instance` in `cycle`.
    pub fn wire(&self, cycle: u64, instance: u32) -> W {
        self.rings[self.edge(cycle) + instance as usize]
    }

    /// All wires into `instance`.
    pub fn ring(&self, instance: u32) -> impl Iterator<Item = W> {
        self.rings.iter().skip(instance as usize).step_by(self.again.len()).copied()
    }

    fn marks(&self, cycle: u64) -> &[bool] {
        &self.marks[self.slot(cycle) * self.pages..][..self.pages]
    }

    fn marks_mut(&mut self, cycle: u64) -> &mut [bool] {
        let slot = self.slot(cycle);
        &mut self.marks[slot * self.pages..][..self.pages]
    }

    /// Marks the pages that `page` of those at the other end of `links` may send to, for `cycle`.
    pub fn mark(&mut self, cycle: u64, links: &Links, page: usize) {
        let marks = self.marks_mut(cycle);
        for (mark, linked) in marks.iter_mut().zip(&links.linked[page * links.to..][..links.to]) {
            *mark |= linked;
        }
    }

    /// Marks `page` for `cycle`: some of its instances are to be evaluated again.
    pub fn mark_again(&mut self, cycle: u64, page: usize) {
        self.marks_mut(cycle)[page] = true;
    }

    /// Wakes `instance` in `cycle`, the one that is evaluated next.
    pub fn wake(&mut self, cycle: u64, instance: u32) {
        self.again[instance as usize] = true;
        let page = self.page(instance);
        self.marks_mut(cycle)[page] = true;
    }

    /// Wakes everybody in `cycle`, the one that is evaluated next.
    pub fn wake_all(&mut self, cycle: u64) {
        self.again.fill(true);
        self.marks_mut(cycle).fill(true);
    }

    fn page(&self, instance: u32) -> usize {
        instance as usize >> self.page_shift
    }

    fn instances(&self, page: usize) -> Range<usize> {
        let first = page << self.page_shift;
        first..(first + (1 << self.page_shift)).min(self.again.len())
    }

    /// Takes the first marked page of `cycle` from `page` on and lists who is awake there in `awake`.
    #[inline(always)]
    pub fn take(&mut self, cycle: u64, page: usize, awake: &mut Vec<u32>) -> Option<usize> {
        let page = page + self.marks(cycle)[page..].iter().position(|&marked| marked)?;
        self.marks_mut(cycle)[page] = false;
        let (edge, range) = (self.edge(cycle), self.instances(page));
        let again = self.again[range.clone()].chunks(64);
        let wires = self.rings[edge..][range.clone()].chunks(64);
        awake.clear();
        for (first, (wires, again)) in range.step_by(64).zip(wires.zip(again)) {
            // Without a branch: who is awake is anybody's guess.
            let (mut list, mut n) = ([0; 64], 0);
            for (i, (wire, &again)) in (first as u32..).zip(wires.iter().zip(again)) {
                list[n & 63] = i;
                n += usize::from(wire.is_live() | again);
            }
            awake.extend_from_slice(&list[..n]);
        }
        Some(page)
    }

    /// Whether somebody is awake in `cycle`, which is not before `now`, the one that is evaluated next.
    pub fn is_awake(&self, now: u64, cycle: u64) -> bool {
        let edge = self.edge(cycle);
        self.marks(cycle).iter().enumerate().filter(|(_, marked)| **marked).any(|(page, _)| {
            let range = self.instances(page);
            cycle == now && self.again[range.clone()].contains(&true)
                || self.rings[edge..][range].iter().any(|wire| wire.is_live())
        })
    }

    /// The next cycle from `now` on in which somebody wakes.
    pub fn next(&self, now: u64) -> Option<u64> {
        (now..now + self.cycles as u64).find(|&cycle| self.is_awake(now, cycle))
    }
}

impl Links {
    /// No links from instances of the kind of `from` to those of `to`.
    pub fn new<A, B>(from: &Wires<A>, to: &Wires<B>) -> Self {
        Self { linked: vec![false; from.pages * to.pages], to: to.pages }
    }

    /// Joins instance `a` of `from` to instance `b` of `to`.
    pub fn join<A, B>(&mut self, from: &Wires<A>, a: u32, to: &Wires<B>, b: u32) {
        self.linked[(a as usize >> from.page_shift) * self.to + (b as usize >> to.page_shift)] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(wires: &mut Wires<u64>, cycle: u64) -> Vec<u32> {
        let (mut page, mut awake, mut all) = (0, Vec::new(), Vec::new());
        while let Some(taken) = wires.take(cycle, page, &mut awake) {
            all.append(&mut awake);
            page = taken + 1;
        }
        all
    }

    #[test]
    fn instances_come_once_and_in_order() {
        let mut wires = Wires::<u64>::new(4, 100_000);
        let mut links = Links::new(&wires, &wires);
        for i in [99_999, 0, 64, 63, 4_096, 64] {
            links.join(&wires, 7, &wires, i);
            let edge = wires.edge(6);
            wires.rings[edge + i as usize] = 1;
        }
        wires.mark(6, &links, 0);
        assert!(!wires.is_awake(5, 5) && wires.is_awake(5, 6));
        assert_eq!(all(&mut wires, 5), [] as [u32; 0]);
        wires.wake(6, 70_000);
        wires.wake(6, 0);
        assert_eq!(all(&mut wires, 6), [0, 63, 64, 4_096, 70_000, 99_999]);
        assert!(!wires.is_awake(6, 6));
    }

    #[test]
    fn the_next_cycle_is_found_across_the_seam_of_the_ring() {
        let mut wires = Wires::<u64>::new(4, 1);
        assert_eq!(wires.next(6), None);
        wires.wake_all(9);
        wires.again[0] = false;
        wires.rings[1] = 1;
        assert_eq!(wires.next(6), Some(9));
    }
}
