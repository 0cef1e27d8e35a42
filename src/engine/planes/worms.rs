//! Unicasts under way, by slot, and the queues of their sources.

use std::collections::{BTreeMap, VecDeque};

use wormscope_hw::{NodeId, WormId};

use crate::event::{Delivery, WormInfo};

/// No slot.
const NONE: u32 = u32::MAX;

/// A worm under way.
#[derive(Clone, Debug)]
pub(super) struct LiveUnicast {
    pub info: WormInfo,
    /// Cycle in which its first flit left the node, once it has.
    pub injected: Option<u64>,
    /// Cycle in which its head is at its destination, once that is known.
    pub head: Option<u64>,
    /// Next worm in its node's queue.
    next: u32,
    /// Worm-cycles of waiting for a lane it held.
    pub blamed: u64,
}

/// A worm on its last link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arriving {
    at: u64,
    id: u32,
    slot: u32,
    channel: u8,
}

/// The worms of a node that wait for its channel.
#[derive(Clone, Copy, Debug)]
struct Queue {
    first: u32,
    last: u32,
}

/// All worms under way.
#[derive(Clone, Debug)]
pub(super) struct Unicasts {
    slots: Vec<Option<LiveUnicast>>,
    unused: Vec<u32>,
    queues: Vec<Queue>,
    /// Unicasts created.
    pub created: u32,
    /// Tails on their last link, in order of arrival.
    arriving: VecDeque<Arriving>,
    /// Unicasts whose head has left its node and that have not arrived.
    pub in_network: u32,
    /// Measured worms that have not arrived.
    pub measured: u32,
    /// Unicasts created and not arrived.
    pub alive: u32,
    /// Flits of the worms that have arrived.
    pub delivered: u64,
    /// The worm that others waited for longest, of those that have arrived, and the length of the
    /// waits.
    most_blamed: Option<(WormId, u64)>,
}

impl Unicasts {
    /// No worms, at so many nodes.
    pub fn new(nodes: usize) -> Self {
        Self {
            slots: Vec::new(),
            unused: Vec::new(),
            queues: vec![Queue { first: NONE, last: NONE }; nodes],
            created: 0,
            arriving: VecDeque::new(),
            in_network: 0,
            measured: 0,
            alive: 0,
            delivered: 0,
            most_blamed: None,
        }
    }

    /// A worm joins its source's queue.
    pub fn create(&mut self, info: WormInfo) {
        self.measured += u32::from(info.measured);
        self.alive += 1;
        self.created += 1;
        let node = info.source.index();
        let worm = LiveUnicast { info, injected: None, head: None, next: NONE, blamed: 0 };
        let slot = if let Some(slot) = self.unused.pop() {
            self.slots[slot as usize] = Some(worm);
            slot
        } else {
            self.slots.push(Some(worm));
            (self.slots.len() - 1) as u32
        };
        let Queue { first, last } = self.queues[node];
        if first == NONE {
            self.queues[node].first = slot;
        } else {
            self.get_mut(last).next = slot;
        }
        self.queues[node].last = slot;
    }

    /// Takes the first worm out of a node's queue, and says whether another is behind it.
    pub fn dequeue(&mut self, node: usize) -> (u32, bool) {
        let slot = self.queues[node].first;
        let next = self.get(slot).next;
        self.queues[node].first = next;
        (slot, next != NONE)
    }

    /// Unicasts in a node's queue.
    pub fn queued(&self, node: usize) -> u32 {
        let (mut slot, mut queued) = (self.queues[node].first, 0);
        while slot != NONE {
            (slot, queued) = (self.get(slot).next, queued + 1);
        }
        queued
    }

    /// The worm in a slot; a slot that a lane or a queue names is taken.
    #[inline(always)]
    pub fn get(&self, slot: u32) -> &LiveUnicast {
        self.slots[slot as usize].as_ref().expect("a worm is alive until its tail has arrived")
    }

    #[inline(always)]
    pub fn get_mut(&mut self, slot: u32) -> &mut LiveUnicast {
        self.slots[slot as usize].as_mut().expect("a worm is alive until its tail has arrived")
    }

    /// The head of a worm leaves its node.
    pub fn leaves(&mut self, slot: u32, now: u64) {
        self.in_network += 1;
        self.get_mut(slot).injected = Some(now);
    }

    /// The tail of a worm is on its last link, in a consumption channel, and arrives in cycle `at`.
    pub fn tail_arrives(&mut self, slot: u32, channel: u8, at: u64) {
        let id = self.get(slot).info.id.0;
        self.arriving.push_back(Arriving { at, id, slot, channel });
    }

    /// Cycle of the next arrival.
    pub fn next_arrival(&self) -> Option<u64> {
        self.arriving.front().map(|next| next.at)
    }

    /// Takes the arrivals of `cycle`, in order of the worms, and hands each to `f`.
    pub fn deliver(&mut self, cycle: u64, mut f: impl FnMut(&WormInfo, &Delivery)) {
        let due = self.arriving.iter().take_while(|next| next.at == cycle).count();
        if due == 0 {
            return;
        }
        self.arriving.make_contiguous()[..due].sort_unstable();
        for _ in 0..due {
            let Some(Arriving { at, slot, channel, .. }) = self.arriving.pop_front() else { return };
            let Some(LiveUnicast { info, injected, head, blamed, .. }) = self.slots[slot as usize].take() else {
                continue;
            };
            let head = head.unwrap_or(at);
            let delivery = Delivery {
                worm: info.id,
                destination: info.destinations[0],
                injected: injected.unwrap_or(head),
                head,
                tail: at,
                flits: info.header_flits + info.payload_flits,
                channel,
            };
            f(&info, &delivery);
            self.unused.push(slot);
            self.in_network -= 1;
            self.alive -= 1;
            self.measured -= u32::from(info.measured);
            self.delivered += u64::from(delivery.flits);
            self.most_blamed = more_blamed(self.most_blamed, (info.id, blamed));
        }
    }

    /// Unicasts created and not arrived, with their slots.
    pub fn alive(&self) -> impl Iterator<Item = (u32, &LiveUnicast)> {
        (0..).zip(&self.slots).filter_map(|(slot, worm)| Some((slot, worm.as_ref()?)))
    }

    /// The worm that others waited for longest. `open` has the waits for worms under way that have
    /// not ended.
    pub fn most_blamed(&self, open: &BTreeMap<WormId, u64>) -> Option<(WormId, u64)> {
        let alive = self.alive().map(|(_, worm)| (worm.info.id, worm.blamed));
        let alive = alive.map(|(id, cycles)| (id, cycles + open.get(&id).copied().unwrap_or(0)));
        alive.fold(self.most_blamed, more_blamed)
    }

    /// The destination of a worm.
    pub fn destination(&self, slot: u32) -> NodeId {
        self.get(slot).info.destinations[0]
    }
}

/// The worm that others waited for longer. Of two alike it is the older one.
fn more_blamed(most: Option<(WormId, u64)>, (id, cycles): (WormId, u64)) -> Option<(WormId, u64)> {
    let least = most.map_or((0, u32::MAX), |(id, cycles)| (cycles, id.0));
    let more = cycles > least.0 || cycles == least.0 && cycles > 0 && id.0 < least.1;
    if more { Some((id, cycles)) } else { most }
}
