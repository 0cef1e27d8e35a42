//! Wires into the instances, with their delays; an arrival at an instance wakes it.
//!
//! Every instance has a ring of wires, with one for each cycle up to the longest delay. A *slot* is
//! a cycle modulo the length of the ring. Rings lie slot by slot, so that the wires of one cycle
//! are neighbours. A look at them, page by page, finds the instances that are awake. The pages are
//! in ascending order, which is the order of the registers in memory. Pages in which nothing can
//! arrive are skipped. When an instance sends, it marks the pages that its own page is linked to,
//! for the cycles of arrival.

use wormscope_hw::bits;

/// Number of instances of a page. A small network is one page, so one look shows its awake
/// instances.
const PAGE: usize = 8;

/// In a network of up to this number of pages, every cycle looks at all pages. A search for pages
/// with arrivals would take longer.
const FEW: usize = 4;

/// Arrivals at an instance in one cycle; nothing by default.
pub(super) trait Inbound: Copy + Default {
    /// The lanes with an arrival.
    fn live(self) -> u64;
}

/// The instances of a page that are awake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awake {
    pub page: usize,
    mask: u64,
}

impl Awake {
    /// One instance alone.
    pub fn only(instance: u32) -> Self {
        Self { page: instance as usize / PAGE, mask: 1 << (instance as usize % PAGE) }
    }

    /// Numbers of the awake instances.
    #[inline(always)]
    pub fn instances(self) -> impl Iterator<Item = u32> {
        bits(self.mask).map(move |i| (self.page * PAGE + i) as u32)
    }
}

/// Rings of wires of all instances of a kind; `W` is the set of arrivals at one instance in one
/// cycle.
#[derive(Clone, Debug)]
pub(super) struct WireRings<W> {
    /// The wires, slot by slot.
    pub rings: Vec<W>,
    /// For each instance, the lanes that it evaluates in the next cycle, even if nothing arrives.
    /// Before its turn in a cycle these are the lanes of this cycle.
    pub again: Vec<u64>,
    /// Pages with possible arrivals, one bit for each page, slot by slot.
    marks: Vec<u64>,
    instances: usize,
    pages: usize,
    /// Number of wires of a slot: full pages, and one unused wire.
    stride: usize,
    /// Words of the marks of a slot.
    words: usize,
}

impl<W: Inbound> WireRings<W> {
    /// Wires of `instances` instances over `slots` cycles.
    pub fn new(slots: usize, instances: usize) -> Self {
        let (pages, stride) = (instances.div_ceil(PAGE), Self::nobody(instances) + PAGE);
        let words = pages.div_ceil(64);
        Self {
            rings: vec![W::default(); slots * stride],
            again: vec![0; stride],
            marks: vec![if pages > FEW { 0 } else { !(u64::MAX << pages) }; slots * words],
            instances,
            pages,
            stride,
            words,
        }
    }

    /// Number of an unused instance after the last page.
    pub fn nobody(instances: usize) -> usize {
        instances.next_multiple_of(PAGE)
    }

    /// Index in `rings` at which the wires of `slot` begin.
    pub fn edge(&self, slot: usize) -> usize {
        slot * self.stride
    }

    /// The lanes because of which `instance` is awake in the cycle that is evaluated next, whose
    /// slot is `slot`.
    pub fn awake(&self, slot: usize, instance: u32) -> u64 {
        self.rings[self.edge(slot) + instance as usize].live() | self.again[instance as usize]
    }

    /// All wires into `instance`, by slot.
    pub fn ring(&self, instance: u32) -> impl Iterator<Item = W> {
        self.rings.iter().skip(instance as usize).step_by(self.stride).copied()
    }

    /// Marks `page` for `slot`.
    pub fn mark(&mut self, slot: usize, page: usize) {
        self.marks[slot * self.words + page / 64] |= 1 << (page % 64);
    }

    /// Marks the page of `instance` for `slot`.
    pub(crate) fn mark_instance(&mut self, slot: usize, instance: u32) {
        self.mark(slot, instance as usize / PAGE);
    }

    /// Wakes `instance` for its `lanes` in the cycle that is evaluated next, whose slot is `slot`.
    pub(crate) fn wake(&mut self, slot: usize, instance: u32, lanes: u64) {
        self.again[instance as usize] |= lanes;
        self.mark(slot, instance as usize / PAGE);
    }

    /// Wakes all instances for their lanes in the next evaluated cycle. `slot` is the slot of this
    /// cycle.
    pub(crate) fn wake_all(&mut self, slot: usize, lanes: impl Fn(u32) -> u64) {
        (0..).zip(&mut self.again[..self.instances]).for_each(|(instance, again)| *again = lanes(instance));
        (0..self.pages).for_each(|page| self.mark(slot, page));
    }

    fn marked(&self, slot: usize) -> impl Iterator<Item = usize> {
        let words = self.marks[slot * self.words..][..self.words].iter().enumerate();
        words.flat_map(|(i, &word)| bits(word).map(move |page| i * 64 + page))
    }

    /// The wires of a page, and the lanes that are evaluated again.
    #[inline(always)]
    fn page(&self, slot: usize, page: usize) -> (&[W; PAGE], &[u64; PAGE]) {
        let (wires, again) = (self.rings.as_chunks().0, self.again.as_chunks().0);
        (&wires[slot * (self.stride / PAGE) + page], &again[page])
    }

    /// Takes the first marked page of `slot` from `page` on: its number, and its awake instances.
    #[inline(always)]
    pub fn take(&mut self, slot: usize, page: usize) -> Option<Awake> {
        let (first, last) = (slot * self.words + page / 64, (slot + 1) * self.words);
        let mut mask = u64::MAX << (page % 64);
        for word in first..last {
            let marks = self.marks[word] & mask;
            if marks != 0 {
                if self.pages > FEW {
                    self.marks[word] &= !(marks & marks.wrapping_neg());
                }
                let page = (word - slot * self.words) * 64 + marks.trailing_zeros() as usize;
                return Some(self.look(slot, page));
            }
            mask = u64::MAX;
        }
        None
    }

    /// The instances of a page that are awake. It has no branch, since no branch predictor could
    /// guess it.
    #[inline(always)]
    fn look(&self, slot: usize, page: usize) -> Awake {
        let (wires, again) = self.page(slot, page);
        let mask = (0..PAGE).fold(0, |mask, i| mask | u64::from(wires[i].live() | again[i] != 0) << i);
        Awake { page, mask }
    }

    /// Whether an instance is awake in the next evaluated cycle, whose slot is `slot`.
    pub fn is_awake(&self, slot: usize) -> bool {
        self.marked(slot).any(|page| {
            let (wires, again) = self.page(slot, page);
            is_any_awake(wires, again)
        })
    }

    /// Whether a flit or credit arrives in the cycle of `slot`.
    pub fn arrives(&self, slot: usize) -> bool {
        self.marked(slot).any(|page| is_any_awake(self.page(slot, page).0, &[]))
    }
}

/// The loop has no branch until its end, so that it runs in wide registers.
#[inline(always)]
fn is_any_awake<W: Inbound>(wires: &[W], again: &[u64]) -> bool {
    let live = wires.iter().fold(0, |live, wire| live | wire.live());
    again.iter().fold(live, |live, again| live | again) != 0
}

/// Links from pages of one kind of instances to pages of another kind.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// Pages linked to, by page.
    linked: Vec<u32>,
    /// Index of the first linked page of each page, and the end of the list.
    first: Vec<u32>,
}

impl Links {
    /// The links from `instances` instances to the instances of `wires`. `far` gives the instances
    /// at the far ends of the links of an instance.
    pub fn new<W, I: Iterator<Item = u32>>(instances: u32, wires: &WireRings<W>, far: impl Fn(u32) -> I) -> Self {
        let (mut linked, mut first) = (Vec::new(), vec![0]);
        for page in (0..instances).step_by(PAGE) {
            let page = page..(page + PAGE as u32).min(instances);
            let mut pages: Vec<u32> = page.flat_map(&far).map(|instance| instance / PAGE as u32).collect();
            pages.sort_unstable();
            pages.dedup();
            if wires.pages <= FEW {
                pages.clear();
            }
            linked.append(&mut pages);
            first.push(linked.len() as u32);
        }
        Self { linked, first }
    }

    /// Marks the pages that `page` is linked to, for `slot`.
    pub fn mark<W: Inbound>(&self, page: usize, wires: &mut WireRings<W>, slot: usize) {
        for &far in &self.linked[self.first[page] as usize..self.first[page + 1] as usize] {
            wires.mark(slot, far as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(wires: &mut WireRings<u64>, slot: usize) -> Vec<u32> {
        let (mut page, mut all) = (0, Vec::new());
        while let Some(awake) = wires.take(slot, page) {
            all.extend(awake.instances());
            page = awake.page + 1;
        }
        all
    }

    #[test]
    fn instances_come_once_and_in_order() {
        let mut wires = WireRings::<u64>::new(3, 100_000);
        let links = Links::new(100_000, &wires, |i| [i, (i + 640) % 100_000].into_iter());
        let edge = wires.edge(2);
        for i in [99_999, 0, 64, 63, 4_096, 64] {
            wires.rings[edge + i] = 1;
            links.mark(i / PAGE, &mut wires, 2);
        }
        assert!(!wires.is_awake(1) && wires.is_awake(2) && wires.arrives(2));
        assert!(all(&mut wires, 1).is_empty());
        wires.wake(2, 70_000, 1);
        wires.wake(2, 0, 1);
        assert_eq!(all(&mut wires, 2), [0, 63, 64, 4_096, 70_000, 99_999]);
        assert!(!wires.is_awake(2));
    }

    #[test]
    fn a_page_is_linked_to_the_pages_of_its_neighbours() {
        let mut wires = WireRings::<u64>::new(1, 200);
        let links = Links::new(200, &wires, |i| [i.saturating_sub(1), (i + 1).min(199)].into_iter());
        links.mark(3, &mut wires, 0);
        assert_eq!(wires.marked(0).collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn few_pages_are_looked_through_without_marks() {
        let mut wires = WireRings::<u64>::new(2, 20);
        let edge = wires.edge(1);
        for _ in 0..2 {
            assert!(!wires.arrives(1) && all(&mut wires, 1).is_empty());
            wires.rings[edge + 17] = 4;
            assert!(!wires.arrives(0) && wires.arrives(1));
            assert_eq!(all(&mut wires, 1), [17]);
            wires.rings[edge + 17] = 0;
        }
    }
}
