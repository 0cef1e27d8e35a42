//! Events of whole worms, not of single flits: a head is decided, a head crosses, a tail releases a
//! lane. Planes name the routers where they happen.
//!
//! A head carries the worm's slot, its length and its destination. No other flit carries anything.
//! Heads on their way into a lane, and in its FIFO, stand in a ring of the lane. The ring has a
//! cell for every second place of the FIFO, as a worm has two flits at least.

use wormscope_hw::WormId;

use super::grid::{DIMENSIONS, Grid};
use super::worms::Unicasts;
use crate::stats::CycleAccount;

/// Data of a head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CarriedHead {
    /// Slot of the worm.
    pub worm: u32,
    /// All flits of the worm.
    pub flits: u32,
    /// Its destination, dimension by dimension.
    to: [u16; DIMENSIONS],
}

/// An input lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InLane {
    /// The worm in service, once it is decided.
    pub worm: CarriedHead,
    /// Cycle (low 32 bits) in which it asked for its lane.
    pub asked: u32,
    /// The output lane that it owns. While it asks, the first lane of the group.
    pub out: u8,
    /// Cells of the ring taken and written.
    read: u8,
    written: u8,
}

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
}

/// An injection channel of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// The worm under way.
    pub worm: u32,
    /// Flits to be sent behind those that the planes count.
    pub beyond: u32,
}

/// Most flits of an injection channel that its planes count.
pub(super) const COUNTED: u32 = 31;

/// All lanes, router by router, and all worms.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    pub ins: Vec<InLane>,
    pub outs: Vec<OutLane>,
    /// Cycles in which the owner of each output lane had a flit but no credit.
    pub blocked: Vec<u64>,
    pub channels: Vec<Sending>,
    pub worms: Unicasts,
    pub account: CycleAccount,
    /// Flits of all tails that crossed, lane by lane.
    pub crossed: u64,
    /// Flits of all worms that left their source wholly.
    pub injected: u64,
    /// Worms whose tail left its source in this cycle.
    pub departed: Vec<u32>,
    pub grid: Grid,
    cells: Vec<CarriedHead>,
    per_lane: usize,
    /// Cycles from a crossing to the arrival at the node.
    consume: u64,
    /// Cycles from a grant to the first turn of the head.
    allocation: u32,
}

impl Heads {
    /// Nothing under way in a grid, in FIFOs of `depth` flits.
    pub fn new(grid: Grid, depth: u32, consume: u32, allocation: u32) -> Self {
        let routers = grid.routers();
        let (lanes, per_lane) = (routers * grid.lanes(), (depth.div_ceil(2) as usize).next_power_of_two());
        Self {
            ins: vec![InLane::default(); lanes],
            outs: vec![OutLane::default(); lanes],
            blocked: vec![0; lanes],
            channels: vec![Sending::default(); routers * grid.channels],
            worms: Unicasts::new(routers),
            account: CycleAccount::default(),
            crossed: 0,
            injected: 0,
            departed: Vec::new(),
            cells: vec![CarriedHead::default(); lanes * per_lane],
            per_lane,
            grid,
            consume: consume.into(),
            allocation,
        }
    }

    #[inline(always)]
    fn cell(&self, lane: usize, at: u8) -> usize {
        lane * self.per_lane + (usize::from(at) & (self.per_lane - 1))
    }

    /// A head is on its way into a lane.
    #[inline(always)]
    fn enters(&mut self, lane: usize, head: CarriedHead) {
        let cell = self.cell(lane, self.ins[lane].written);
        self.cells[cell] = head;
        self.ins[lane].written = self.ins[lane].written.wrapping_add(1);
    }

    /// Heads in the ring of a lane, first come first.
    pub fn waiting(&self, lane: usize) -> impl Iterator<Item = CarriedHead> {
        let InLane { read, written, .. } = self.ins[lane];
        (0..written.wrapping_sub(read)).map(move |ahead| self.cells[self.cell(lane, read.wrapping_add(ahead))])
    }

    /// Decides the worm in front of an input, which then asks for its lane in cycle `now`. Returns
    /// the first lane of its group.
    #[inline(always)]
    pub fn decide<const N: usize, const V: usize>(&mut self, router: usize, input: usize, now: u64) -> usize {
        let lane = router * N + input;
        let head = self.cells[self.cell(lane, self.ins[lane].read)];
        let out = self.grid.group::<N, V>(router, input, head.to);
        let q = &mut self.ins[lane];
        (q.worm, q.asked, q.out, q.read) = (head, now as u32, out as u8, q.read.wrapping_add(1));
        out
    }

    /// The head in front of an input has its first turn: its lane was granted in this cycle, or in
    /// the one before.
    #[inline(always)]
    pub fn has_turn<const N: usize>(&mut self, router: usize, input: usize, now: u64) {
        let out = usize::from(self.ins[router * N + input].out);
        self.outs[router * N + out].granted = (now as u32).wrapping_sub(self.allocation);
    }

    /// The head in front of an input crosses.
    #[inline(always)]
    pub fn crosses<const N: usize, const V: usize>(&mut self, router: usize, input: usize, now: u64) {
        let InLane { worm, out, .. } = self.ins[router * N + input];
        let (port, channel) = (usize::from(out) / V, usize::from(out) % V);
        if port == N / V - 1 {
            self.worms.get_mut(worm.worm).head = Some(now + self.consume);
            return;
        }
        let far = self.grid.neighbour(router, port);
        self.enters(far * N + (port ^ 1) * V + channel, worm);
    }

    /// The tail in front of an input crosses its lane. `waiting` says which inputs ask for a lane.
    #[inline(always)]
    pub fn releases<const N: usize, const V: usize>(
        &mut self,
        router: usize,
        input: usize,
        now: u64,
        waiting: impl Fn(usize) -> u64,
    ) {
        let InLane { worm, out, .. } = self.ins[router * N + input];
        let out = usize::from(out);
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
        if out >= N - V {
            self.worms.tail_arrives(worm.worm, (out - (N - V)) as u8, now + self.consume);
        }
    }

    /// The first worm of a node's queue takes a channel. Returns how many flits the planes are to
    /// count behind the first, whether there are more, and whether the queue is empty.
    pub fn start(&mut self, node: usize, channel: usize) -> (u32, bool, bool) {
        let (worm, more) = self.worms.dequeue(node);
        let behind = self.flits(worm) - 1;
        let counted = behind.min(COUNTED);
        self.channels[channel] = Sending { worm, beyond: behind - counted };
        (counted, behind > counted, !more)
    }

    /// A flit has left a channel, and the planes have counted to 0, but there are more.
    pub fn count_on(&mut self, channel: usize) -> (u32, bool) {
        let channel = &mut self.channels[channel];
        let behind = channel.beyond - 1;
        let counted = behind.min(COUNTED);
        channel.beyond = behind - counted;
        (counted, channel.beyond > 0)
    }

    /// The head of the worm under way at a channel of a node leaves it.
    pub fn leaves<const N: usize, const V: usize>(&mut self, node: usize, channel: usize, now: u64) {
        let worm = self.channels[node * V + channel].worm;
        self.worms.leaves(worm, now);
        let to = self.grid.place(self.worms.destination(worm).index());
        let head = CarriedHead { worm, flits: self.flits(worm), to };
        self.enters(node * N + N - V + channel, head);
    }

    /// The tail of the worm under way at a channel leaves it.
    pub fn departs(&mut self, channel: usize) {
        let worm = self.channels[channel].worm;
        self.injected += u64::from(self.flits(worm));
        self.departed.push(worm);
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

    /// The routers that a worm comes through, each with the port that it comes in through.
    pub fn path(&self, worm: u32) -> Vec<(usize, usize)> {
        self.grid.path(self.worms.get(worm).info.source.index(), self.worms.destination(worm).index())
    }
}
