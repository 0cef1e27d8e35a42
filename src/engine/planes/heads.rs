//! Events of whole worms, not of single flits: a head is decided, a head crosses, a tail releases a
//! lane. Planes name the routers where they happen.
//!
//! A head carries the worm's slot, its length and its destination. No other flit carries anything.
//! Heads on their way into a lane, and in its FIFO, stand in a ring of the lane. The ring has a
//! cell for every second place of the FIFO, as a worm has two flits at least.

use wormscope_hw::{Encoding, WormId};

use super::grid::{DIMENSIONS, Grid};
use super::trees::{PortReach, TreeSet};
use super::wired::Far;
use super::worms::{Arriving, Worms};
use crate::event::WormInfo;
use crate::stats::CycleAccount;

/// Data of a head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CarriedHead {
    /// Slot of the worm.
    pub worm: u32,
    /// All flits of the worm.
    pub flits: u32,
    /// Its destination, dimension by dimension. A tree has none.
    to: [u16; DIMENSIONS],
    is_tree: bool,
    /// Flits of the header that a decision needs.
    need: u8,
}

/// An input lane. It fits in a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InLane {
    /// The worm in service, once it is decided.
    pub worm: CarriedHead,
    /// Cycle (low 32 bits) in which it asked for its lanes.
    pub asked: u32,
    /// The output lane that a unicast owns. While it asks, the first lane of the group.
    pub out: u8,
    /// Flits of this worm to be popped behind those that the planes count.
    pub beyond: u32,
    /// Cells of the ring taken and written.
    read: u8,
    written: u8,
    /// The ring, if it is short.
    cells: [CarriedHead; SHORT],
}

/// Cells of a short ring.
const SHORT: usize = 2;

/// An output lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutLane {
    /// Flits of the worms that have crossed it wholly.
    pub flits: u64,
    /// Cycle (low 32 bits) in which the owner got it, once its head has had a turn.
    pub granted: u32,
    /// Most cycles for which a worm held it, and this worm; 0 when none did.
    pub top_held: u32,
    pub top_worm: u32,
    /// Flits that a branch with a read pointer has not taken, behind those that the planes count.
    pub beyond: u32,
}

/// A consumption channel of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Receiving {
    /// The worm whose head has crossed, and whose tail has not.
    pub worm: Option<WormId>,
    /// Cycle in which the head is at the node.
    pub head: u64,
}

/// An injection channel of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// The worm under way.
    pub worm: u32,
    /// Flits to be sent behind those that the planes count.
    pub beyond: u32,
}

/// All lanes, router by router, and all worms.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    pub ins: Vec<InLane>,
    pub outs: Vec<OutLane>,
    /// Cycles in which the owner of each output lane had a flit but no credit.
    pub blocked: Vec<u64>,
    pub channels: Vec<Sending>,
    pub sinks: Vec<Receiving>,
    pub worms: Worms,
    /// The nodes that each port leads to, in networks with trees.
    pub reach: Option<PortReach>,
    /// By encoding, flits of the header that a decision needs.
    needs: [u8; Encoding::ALL.len()],
    pub account: CycleAccount,
    /// Flits of all tails that crossed, lane by lane.
    pub crossed: u64,
    /// Flits of all worms that left their source wholly.
    pub injected: u64,
    /// Worms whose tail has left its source, with the cycle.
    pub departed: Vec<(u64, u32)>,
    pub grid: Grid,
    /// Longer rings.
    cells: Vec<CarriedHead>,
    /// Cells of a ring.
    per_lane: usize,
    /// Cycles from a crossing to the arrival at the node.
    consume: u64,
    /// Cycles from a grant to the first turn of the head.
    allocation: u32,
}

impl Heads {
    /// Nothing under way in a grid, in FIFOs of `depth` flits.
    pub fn new(
        grid: Grid,
        depth: u32,
        (consume, allocation): (u32, u32),
        (reach, needs): (Option<PortReach>, [u8; Encoding::ALL.len()]),
    ) -> Self {
        let routers = grid.routers();
        let (lanes, per_lane) = (routers * grid.lanes(), (depth.div_ceil(2) as usize).next_power_of_two().max(SHORT));
        Self {
            ins: vec![InLane::default(); lanes],
            outs: vec![OutLane::default(); lanes],
            blocked: vec![0; lanes],
            channels: vec![Sending::default(); grid.nodes() * grid.channels],
            sinks: vec![Receiving::default(); grid.nodes() * grid.channels],
            worms: Worms::new(grid.nodes()),
            reach,
            needs,
            account: CycleAccount::default(),
            crossed: 0,
            injected: 0,
            departed: Vec::new(),
            cells: vec![CarriedHead::default(); if per_lane > SHORT { lanes * per_lane } else { 0 }],
            per_lane,
            grid,
            consume: consume.into(),
            allocation,
        }
    }

    #[inline(always)]
    fn cell(&mut self, lane: usize, at: u8) -> &mut CarriedHead {
        let at = usize::from(at) & (self.per_lane - 1);
        if self.per_lane > SHORT { &mut self.cells[lane * self.per_lane + at] } else { &mut self.ins[lane].cells[at] }
    }

    /// A head is on its way into a lane.
    #[inline(always)]
    fn enters(&mut self, lane: usize, head: CarriedHead) {
        *self.cell(lane, self.ins[lane].written) = head;
        self.ins[lane].written = self.ins[lane].written.wrapping_add(1);
    }

    /// Heads in the ring of a lane, first come first.
    pub fn waiting(&self, lane: usize) -> impl Iterator<Item = CarriedHead> {
        let InLane { read, written, cells, .. } = self.ins[lane];
        (0..written.wrapping_sub(read)).map(move |ahead| {
            let at = usize::from(read.wrapping_add(ahead)) & (self.per_lane - 1);
            if self.per_lane > SHORT { self.cells[lane * self.per_lane + at] } else { cells[at] }
        })
    }

    /// A new worm joins the queue of its source. Returns its slot.
    pub fn create(&mut self, info: WormInfo) -> u32 {
        let reach = self.reach.as_ref().filter(|_| info.encoding != Encoding::Unicast);
        let tree = reach.map(|reach| {
            let set = reach.set(info.destinations.iter().map(|node| node.index()));
            Box::new(TreeSet { source: info.source.index(), set, missing: info.destinations.len() as u32 })
        });
        self.worms.create(info, tree)
    }

    /// Flits that the worm in front of an input lane needs for its decision.
    #[inline(always)]
    pub fn needs(&mut self, lane: usize) -> u32 {
        self.cell(lane, self.ins[lane].read).need.into()
    }

    /// Decides the unicast in front of an input, which then asks for its lane in cycle `now`.
    /// Returns the first lane of its group.
    #[inline(always)]
    pub fn decide<const N: usize, const V: usize>(&mut self, router: usize, input: usize, now: u64) -> usize {
        let lane = router * N + input;
        let head = *self.cell(lane, self.ins[lane].read);
        let out = if head.is_tree { 0 } else { self.grid.group::<N, V>(router, input, head.to) };
        let q = &mut self.ins[lane];
        (q.worm, q.asked, q.out, q.read) = (head, now as u32, out as u8, q.read.wrapping_add(1));
        out
    }

    /// Decides the worm in front of an input. Calls `f` with the first lane of the group of each
    /// branch.
    #[inline(always)]
    pub fn decide_branches<const N: usize, const V: usize>(
        &mut self,
        router: usize,
        input: usize,
        now: u64,
        mut f: impl FnMut(usize),
    ) {
        let out = self.decide::<N, V>(router, input, now);
        let head = self.ins[router * N + input].worm;
        let tree = self.worms.get(head.worm).tree.as_ref().filter(|_| head.is_tree);
        let Some((tree, reach)) = tree.zip(self.reach.as_ref()) else { return f(out) };
        for port in reach.branches(&self.grid, router, input / V, tree) {
            f(self.grid.group_of_port(router, input, port));
        }
    }

    /// The head that an output lane was granted to has its first turn: this was in this cycle, or
    /// in the one before.
    #[inline(always)]
    pub fn has_turn(&mut self, lane: usize, now: u64) {
        self.outs[lane].granted = (now as u32).wrapping_sub(self.allocation);
    }

    /// The head in front of an input crosses an output lane.
    #[inline(always)]
    pub fn crosses<const N: usize, const V: usize>(&mut self, router: usize, input: usize, out: usize, now: u64) {
        let worm = self.ins[router * N + input].worm;
        match self.grid.to::<N, V>(router, out) {
            Far::Lane(far) => self.enters(far as usize, worm),
            Far::Node(node) => {
                let (worm, head) = (Some(self.id(worm.worm)), now + self.consume);
                self.sinks[node as usize * V + out % V] = Receiving { worm, head };
            }
            Far::Nothing => {}
        }
    }

    /// The tail in front of an input crosses an output lane. `waiting` says which inputs ask for a
    /// lane.
    #[inline(always)]
    pub fn releases<const N: usize, const V: usize>(
        &mut self,
        router: usize,
        (input, out): (usize, usize),
        now: u64,
        waiting: impl Fn(usize) -> u64,
    ) {
        let worm = self.ins[router * N + input].worm;
        let lane = &mut self.outs[router * N + out];
        lane.flits += u64::from(worm.flits);
        self.crossed += u64::from(worm.flits);
        let held = (now as u32).wrapping_sub(lane.granted) + 1;
        if held > lane.top_held {
            (lane.top_held, lane.top_worm) = (held, self.worms.get(worm.worm).info.id.0);
        }
        let mut asking = waiting(self.grid.group_of(out));
        while asking != 0 {
            let asked = self.ins[router * N + asking.trailing_zeros() as usize].asked;
            self.worms.get_mut(worm.worm).blamed += u64::from(held.min((now as u32).wrapping_sub(asked) + 1));
            asking &= asking - 1;
        }
        if let Far::Node(node) = self.grid.to::<N, V>(router, out) {
            let channel = (out % V) as u8;
            let sink = &mut self.sinks[node as usize * V + usize::from(channel)];
            let id = sink.worm.take().map_or(0, |id| id.0);
            let arriving = Arriving { at: now + self.consume, id, node, worm: worm.worm, head: sink.head, channel };
            self.worms.arriving.push_back(arriving);
        }
    }

    /// The head of the worm under way at a channel of a node leaves it.
    pub fn leaves<const N: usize, const V: usize>(&mut self, node: usize, channel: usize, now: u64) {
        let worm = self.channels[node * V + channel].worm;
        self.worms.leaves(worm, now);
        let info = &self.worms.get(worm).info;
        let to = self.grid.place(info.destinations[0].index());
        let (is_tree, need) = (info.encoding != Encoding::Unicast, self.needs[info.encoding as usize]);
        let head = CarriedHead { worm, flits: self.flits(worm), to, is_tree, need };
        self.enters(self.grid.at::<N, V>(node, channel), head);
    }

    /// The tail of the worm under way at a channel leaves it.
    pub fn departs(&mut self, channel: usize, now: u64) {
        let worm = self.channels[channel].worm;
        self.injected += u64::from(self.flits(worm));
        self.departed.push((now, worm));
    }

    /// All flits of a worm.
    pub fn flits(&self, worm: u32) -> u32 {
        let info = &self.worms.get(worm).info;
        info.header_flits + info.payload_flits
    }

    /// The number of a worm.
    pub fn id(&self, worm: u32) -> WormId {
        self.worms.get(worm).info.id
    }
}
