//! Worms under way, by slot, and the queues of their sources.

use std::collections::{BTreeMap, VecDeque};

use wormscope_hw::{NodeId, WormId};

use super::grid::DIMENSIONS;
use super::trees::TreeSet;
use crate::event::{Delivery, WormInfo};

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// Slots at most. [`super::lane::InService`] has 28 bits for a slot.
const MOST: usize = 1 << 28;

/// The part of a worm that routers ask for. It is small, so that the worms under way in a large
/// network fit in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// All flits of the worm.
    pub flits: u32,
    pub id: WormId,
    /// Worm-cycles of waiting for a lane it held.
    pub blamed: u64,
    /// Its destination, dimension by dimension. A tree has none.
    pub to: [u16; DIMENSIONS],
    pub is_tree: bool,
    /// Flits of the header that a decision needs.
    pub need: u8,
}

/// A worm under way.
#[derive(Clone, Debug)]
pub(super) struct WormSlot {
    pub info: WormInfo,
    /// Cycle in which its first flit left the node, once it has.
    pub injected: Option<u64>,
    /// Its destinations, if branches follow from their set.
    pub tree: Option<Box<TreeSet>>,
    /// Next worm in its node's queue.
    next: u32,
}

/// The tail of a worm on its last link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arriving {
    /// Cycle of the arrival.
    pub at: u64,
    /// Number of the worm.
    pub id: u32,
    pub node: u32,
    /// Slot of the worm.
    pub worm: u32,
    /// Cycle in which the head arrived.
    pub head: u64,
    /// Consumption channel.
    pub channel: u8,
}

/// The worms of a node that wait for its channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    first: u32,
    last: u32,
}

impl Queue {
    /// No worms.
    pub const EMPTY: Self = Self { first: NONE, last: NONE };

    /// A new worm joins.
    pub fn join(&mut self, slot: u32, worms: &mut Worms) {
        if self.first == NONE {
            self.first = slot;
        } else {
            worms.get_mut(self.last).next = slot;
        }
        self.last = slot;
    }

    /// Takes the first worm out, and says whether in cycle `now` another is behind it.
    pub fn leave(&mut self, worms: &Worms, now: u64) -> (u32, bool) {
        let slot = self.first;
        self.first = worms.get(slot).next;
        (slot, self.first != NONE && worms.get(self.first).info.created <= now)
    }

    /// Worms in it.
    pub fn length(self, worms: &Worms) -> u32 {
        let (mut slot, mut length) = (self.first, 0);
        while slot != NONE {
            (slot, length) = (worms.get(slot).next, length + 1);
        }
        length
    }
}

/// All worms under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Worms {
    slots: Vec<Option<WormSlot>>,
    /// By slot.
    carried: Vec<Carried>,
    unused: Vec<u32>,
    /// Worms created.
    pub created: u32,
    /// Tails on their last link, in order of arrival.
    pub arriving: VecDeque<Arriving>,
    /// Worms whose head has left its node and that have not arrived.
    pub in_network: u32,
    /// Measured worms that have not arrived.
    pub measured: u32,
    /// Worms created and not arrived.
    pub alive: u32,
    /// The worm that others waited for longest, of those that have arrived, and the length of the
    /// waits.
    most_blamed: Option<(WormId, u64)>,
}

impl Worms {
    /// A new worm. Returns its slot.
    ///
    /// # Panics
    /// If there are more worms at a time than slots.
    pub fn create(&mut self, info: WormInfo, carried: Carried, tree: Option<Box<TreeSet>>) -> u32 {
        self.measured += u32::from(info.measured);
        self.alive += 1;
        self.created += 1;
        let worm = WormSlot { info, injected: None, tree, next: NONE };
        if let Some(slot) = self.unused.pop() {
            (self.slots[slot as usize], self.carried[slot as usize]) = (Some(worm), carried);
            slot
        } else {
            assert!(self.slots.len() < MOST, "more than 2^28 worms at a time");
            self.slots.push(Some(worm));
            self.carried.push(carried);
            (self.slots.len() - 1) as u32
        }
    }

    /// The worm in a slot; a slot that a lane or a queue names is taken.
    #[inline(always)]
    pub fn get(&self, slot: u32) -> &WormSlot {
        self.slots[slot as usize].as_ref().expect("a worm is alive until its tail has arrived")
    }

    /// The part of a worm that routers ask for.
    #[inline(always)]
    pub fn carried(&self, slot: u32) -> &Carried {
        &self.carried[slot as usize]
    }

    /// Others have waited for a worm, for so many worm-cycles.
    #[inline(always)]
    pub fn blame(&mut self, slot: u32, cycles: u64) {
        self.carried[slot as usize].blamed += cycles;
    }

    #[inline(always)]
    fn get_mut(&mut self, slot: u32) -> &mut WormSlot {
        self.slots[slot as usize].as_mut().expect("a worm is alive until its tail has arrived")
    }

    /// The head of a worm leaves its node.
    pub fn leaves(&mut self, slot: u32, now: u64) {
        self.in_network += 1;
        self.get_mut(slot).injected = Some(now);
    }

    /// Cycle of the next arrival.
    pub fn next_arrival(&self) -> Option<u64> {
        self.arriving.front().map(|next| next.at)
    }

    /// Takes the arrivals of `cycle`, in order of worms and nodes, and hands each to `f`.
    pub fn deliver(&mut self, cycle: u64, mut f: impl FnMut(&WormInfo, &Delivery)) {
        let due = self.arriving.iter().take_while(|next| next.at == cycle).count();
        if due == 0 {
            return;
        }
        self.arriving.make_contiguous()[..due].sort_unstable();
        for _ in 0..due {
            let Some(Arriving { at, node, worm: slot, head, channel, .. }) = self.arriving.pop_front() else { return };
            let WormSlot { info, injected, tree, .. } = self.get_mut(slot);
            let delivery = Delivery {
                worm: info.id,
                destination: NodeId(node),
                injected: injected.unwrap_or(head),
                head,
                tail: at,
                flits: info.header_flits + info.payload_flits,
                channel,
            };
            f(info, &delivery);
            let missing = tree.as_mut().map_or(0, |tree| {
                tree.missing -= 1;
                tree.missing
            });
            if missing == 0 {
                self.done(slot);
            }
        }
    }

    /// A worm has arrived everywhere.
    fn done(&mut self, slot: u32) {
        let Some(WormSlot { info, .. }) = self.slots[slot as usize].take() else { return };
        self.unused.push(slot);
        self.in_network -= 1;
        self.alive -= 1;
        self.measured -= u32::from(info.measured);
        self.most_blamed = more_blamed(self.most_blamed, (info.id, self.carried(slot).blamed));
    }

    /// Worms created and not arrived, with their slots.
    pub fn alive(&self) -> impl Iterator<Item = (u32, &WormSlot)> {
        (0..).zip(&self.slots).filter_map(|(slot, worm)| Some((slot, worm.as_ref()?)))
    }

    /// The worm that others waited for longest. `open` has the waits for worms under way that have
    /// not ended.
    pub fn most_blamed(&self, open: &BTreeMap<WormId, u64>) -> Option<(WormId, u64)> {
        let alive = self.alive().map(|(slot, worm)| (worm.info.id, self.carried(slot).blamed));
        let alive = alive.map(|(id, cycles)| (id, cycles + open.get(&id).copied().unwrap_or(0)));
        alive.fold(self.most_blamed, more_blamed)
    }
}

/// The worm that others waited for longer. Of two alike it is the older one.
fn more_blamed(most: Option<(WormId, u64)>, (id, cycles): (WormId, u64)) -> Option<(WormId, u64)> {
    let least = most.map_or((0, u32::MAX), |(id, cycles)| (cycles, id.0));
    let more = cycles > least.0 || cycles == least.0 && cycles > 0 && id.0 < least.1;
    if more { Some((id, cycles)) } else { most }
}
