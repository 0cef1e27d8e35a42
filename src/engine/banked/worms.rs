//! Worms under way: the data that flits do not carry.

use std::collections::{BTreeMap, VecDeque};

use nonmax::NonMaxU32;
use wormscope_hw::{WormId, feedback};

use crate::event::{Delivery, WormInfo};

/// A worm under way.
#[derive(Clone, Debug)]
pub(super) struct LiveWorm {
    pub info: WormInfo,
    /// Cycle in which the processor has finished its start-up.
    pub ready: u64,
    /// Cycle in which the first flit of the worm left the node, or `None`.
    pub injected: Option<u64>,
    /// Destinations its tail has not reached.
    pub missing: u32,
    /// Next worm in its node's queue.
    pub next: Option<NonMaxU32>,
    /// Worm-cycles of waits for a lane that the worm held, its own waits included.
    pub blamed: u64,
    /// Feedback of the tree of a synchronous worm, and the input of the feedback in this cycle.
    pub tree: feedback::Reg,
    pub told: feedback::In,
}

/// A worm on its last link: its tail arrives in cycle `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arriving {
    pub at: u64,
    pub worm_id: u32,
    pub node: u32,
    pub worm: u32,
    pub head: u64,
    pub flits: u32,
    pub channel: u8,
}

/// All worms under way, by slot; flits carry the slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Worms {
    slots: Vec<Option<LiveWorm>>,
    /// Number of the worm that each slot has or had. The numbers are separate, so that they fit
    /// into a cache.
    ids: Vec<WormId>,
    unused: Vec<u32>,
    created: u32,
    /// Tails on their last link, in order of arrival.
    pub arriving: VecDeque<Arriving>,
    /// Worms whose head has left its node and that have not arrived everywhere.
    pub in_network: u32,
    /// Measured worms that have not arrived everywhere.
    pub measured: u32,
    /// Worms created and not arrived everywhere.
    pub alive: u32,
    /// The worm for which other worms waited longest, and the worm-cycles of these waits.
    most_blamed: Option<(WormId, u64)>,
}

impl Worms {
    pub fn create(&mut self, info: WormInfo, ready: u64) -> u32 {
        let (id, missing) = (info.id, info.destinations.len() as u32);
        self.measured += u32::from(info.measured);
        self.alive += 1;
        self.created += 1;
        let worm = Some(LiveWorm {
            info,
            ready,
            injected: None,
            missing,
            next: None,
            blamed: 0,
            tree: feedback::Reg::default(),
            told: feedback::In::default(),
        });
        if let Some(slot) = self.unused.pop() {
            self.slots[slot as usize] = worm;
            self.ids[slot as usize] = id;
            slot
        } else {
            self.slots.push(worm);
            self.ids.push(id);
            (self.slots.len() - 1) as u32
        }
    }

    /// Number of the next worm to be created.
    pub(crate) fn next_id(&self) -> WormId {
        WormId(self.created)
    }

    /// Number of the worm in `slot`.
    #[inline(always)]
    pub fn id(&self, slot: u32) -> WormId {
        self.ids[slot as usize]
    }

    /// The worm in `slot`; slots that flits carry are always taken.
    #[inline]
    pub fn get(&self, slot: u32) -> &LiveWorm {
        self.slots[slot as usize].as_ref().expect("a flit's worm is alive until its last tail has arrived")
    }

    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut LiveWorm {
        self.slots[slot as usize].as_mut().expect("a flit's worm is alive until its last tail has arrived")
    }

    /// Takes the arrivals of `cycle`, in order of (worm, node), and hands each to `f`; worms that
    /// have arrived everywhere go.
    pub fn deliver(&mut self, cycle: u64, mut f: impl FnMut(&WormInfo, &Delivery)) {
        let due = self.arriving.iter().take_while(|a| a.at == cycle).count();
        if due == 0 {
            return;
        }
        self.arriving.make_contiguous()[..due].sort_unstable();
        for _ in 0..due {
            let Some(a) = self.arriving.pop_front() else { return };
            let worm = self.get_mut(a.worm);
            worm.missing -= 1;
            let delivery = Delivery {
                worm: worm.info.id,
                destination: wormscope_hw::NodeId(a.node),
                injected: worm.injected.unwrap_or(a.head),
                head: a.head,
                tail: a.at,
                flits: a.flits,
                channel: a.channel,
            };
            f(&worm.info, &delivery);
            if worm.missing == 0 {
                self.done(a.worm);
            }
        }
    }

    fn done(&mut self, slot: u32) {
        if let Some(worm) = self.slots[slot as usize].take() {
            self.unused.push(slot);
            self.in_network -= 1;
            self.alive -= 1;
            self.measured -= u32::from(worm.info.measured);
            self.most_blamed = more_blamed(self.most_blamed, (worm.info.id, worm.blamed));
        }
    }

    /// The worm for which other worms waited longest. `open` are the unfinished waits for worms
    /// under way.
    pub fn most_blamed(&self, open: &BTreeMap<WormId, u64>) -> Option<(WormId, u64)> {
        let alive = self.slots.iter().flatten().map(|worm| (worm.info.id, worm.blamed));
        let alive = alive.map(|(id, cycles)| (id, cycles + open.get(&id).copied().unwrap_or(0)));
        alive.fold(self.most_blamed, more_blamed)
    }

    /// Worms created and not arrived everywhere.
    pub fn alive(&self) -> impl Iterator<Item = &LiveWorm> {
        self.slots.iter().flatten()
    }

    /// Worms whose head has left its node and that have not arrived everywhere.
    pub(crate) fn in_network(&self) -> impl Iterator<Item = WormId> {
        self.alive().filter(|w| w.injected.is_some()).map(|w| w.info.id)
    }
}

/// The worm for which other worms waited longer. If both are equal, the older worm.
fn more_blamed(most: Option<(WormId, u64)>, (id, cycles): (WormId, u64)) -> Option<(WormId, u64)> {
    let least = most.map_or((0, u32::MAX), |(id, cycles)| (cycles, id.0));
    let more = cycles > least.0 || cycles == least.0 && cycles > 0 && id.0 < least.1;
    if more { Some((id, cycles)) } else { most }
}
