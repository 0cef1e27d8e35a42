//! A region: the lanes and nodes of some routers, side by side, and the events there. Each thread
//! works on a region of its own. [`RegionEvents`] keeps what concerns worms as a whole.

use std::hint::black_box;
use std::ops::Range;

use wormscope_hw::WormId;

use super::grid::Grid;
use super::lane::{InLane, InService, LINE, LanePair, OutLane, Receiving, SHORT, Sending};
use super::sampler::{CrossingHead, PlaneSampler};
use super::span::Span;
use super::trees::PortReach;
use super::wired::Far;
use super::worms::{Arriving, Carried, NONE, Queue, Worms};
use crate::stats::CycleAccount;

/// Counters of a region, and its events that concern worms as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionEvents {
    pub account: CycleAccount,
    /// Flits of all tails that crossed, lane by lane.
    pub crossed: u64,
    /// Flits of all worms that left their source wholly.
    pub injected: u64,
    /// Worms whose tail has left its source, with the cycle.
    pub departed: Vec<(u64, u32)>,
    /// Whether an observer hears of worms that cross output lanes.
    pub tells_crossings: bool,
    /// Worms whose tail has crossed an output lane, router-major, with the cycle.
    pub crossings: Vec<(u64, u32, u32)>,
    /// Once an observer has asked for samples.
    pub sampler: Option<Box<PlaneSampler>>,
    /// Tails that went to their nodes.
    pub arriving: Vec<Arriving>,
    /// Worms that others have waited for, and worm-cycles of these waits.
    pub blamed: Vec<(u32, u64)>,
    /// Worms whose head has left its source, with the cycle.
    pub left: Vec<(u32, u64)>,
    /// Output lanes whose 32 bits of flits began again.
    pub carries: Vec<usize>,
}

impl RegionEvents {
    /// Whether an observer gets samples of this cycle.
    #[inline(always)]
    pub fn is_sampled(&self) -> bool {
        self.sampler.as_ref().is_some_and(|sampler| sampler.is_on)
    }

    /// Adds what happened in another region, and empties its lists.
    pub fn take(&mut self, other: &mut Self) {
        self.account += std::mem::take(&mut other.account);
        self.crossed += std::mem::take(&mut other.crossed);
        self.injected += std::mem::take(&mut other.injected);
        self.departed.append(&mut other.departed);
        self.crossings.append(&mut other.crossings);
        self.arriving.append(&mut other.arriving);
        self.blamed.append(&mut other.blamed);
        self.left.append(&mut other.left);
        self.carries.append(&mut other.carries);
    }
}

/// Lanes and nodes of some routers.
#[derive(Debug)]
pub(super) struct Region<'a> {
    pub lanes: Span<'a, LanePair>,
    /// By input lane, flits of the worm in service behind those that the planes count.
    pub beyond: Span<'a, u32>,
    /// The same of branches with a read pointer, by output lane.
    pub beyond_branch: Span<'a, u32>,
    /// Cycles in which the owner of each output lane had a flit but no credit.
    pub blocked: Span<'a, u64>,
    pub channels: Span<'a, Sending>,
    pub sinks: Span<'a, Receiving>,
    pub queues: Span<'a, Queue>,
    /// Longer rings.
    pub cells: Span<'a, u32>,
    /// Cells of a ring.
    pub per_lane: usize,
    /// Cycles from a crossing to the arrival at the node.
    pub consume: u64,
    /// Cycles from a grant to the first turn of the head.
    pub allocation: u32,
    pub worms: &'a Worms,
    /// The nodes that each port leads to, in networks with trees.
    pub reach: Option<&'a PortReach>,
    pub grid: &'a Grid,
    pub events: &'a mut RegionEvents,
}

impl<'a> Region<'a> {
    /// The routers below a number, whose events go into `events`, and the others.
    pub fn split(self, router: usize, events: &'a mut RegionEvents) -> [Self; 2] {
        let (lane, channel) = (router * self.grid.lanes(), router * self.grid.channels);
        let Self { per_lane, consume, allocation, worms, reach, grid, .. } = self;
        let [lanes, above_lanes] = self.lanes.split(lane);
        let [beyond, above_beyond] = self.beyond.split(lane);
        let [beyond_branch, above_branch] = self.beyond_branch.split(lane);
        let [blocked, above_blocked] = self.blocked.split(lane);
        let [channels, above_channels] = self.channels.split(channel);
        let [sinks, above_sinks] = self.sinks.split(channel);
        let [queues, above_queues] = self.queues.split(router);
        let [cells, above_cells] = self.cells.split(lane * per_lane);
        let below = Self {
            lanes,
            beyond,
            beyond_branch,
            blocked,
            channels,
            sinks,
            queues,
            cells,
            per_lane,
            consume,
            allocation,
            worms,
            reach,
            grid,
            events,
        };
        let above = Self {
            lanes: above_lanes,
            beyond: above_beyond,
            beyond_branch: above_branch,
            blocked: above_blocked,
            channels: above_channels,
            sinks: above_sinks,
            queues: above_queues,
            cells: above_cells,
            ..self
        };
        [below, above]
    }

    /// An input lane, router-major.
    #[inline(always)]
    pub fn input(&self, lane: usize) -> &InLane {
        &self.lanes[lane].input
    }

    #[inline(always)]
    pub fn input_mut(&mut self, lane: usize) -> &mut InLane {
        &mut self.lanes[lane].input
    }

    /// Flits of the worm in service at an input lane behind those that the planes count.
    #[inline(always)]
    pub fn set_beyond(&mut self, lane: usize, flits: u32) {
        if let Some(beyond) = self.beyond.get_mut(lane) {
            *beyond = flits;
        }
    }

    /// The same of a branch with a read pointer at an output lane.
    #[inline(always)]
    pub fn set_beyond_branch(&mut self, lane: usize, flits: u32) {
        if let Some(beyond) = self.beyond_branch.get_mut(lane) {
            *beyond = flits;
        }
    }

    #[inline(always)]
    fn output_mut<const N: usize, const V: usize>(&mut self, router: usize, out: usize) -> &mut OutLane {
        &mut self.lanes[router * N + self.grid.ahead(out, N, V)].output
    }

    /// Reads the lanes of some routers ahead of their use. The memory then sends them line by line,
    /// and no event waits for its line.
    pub fn fetch(&self, routers: Range<usize>) {
        let (lanes, last) = (self.grid.lanes(), self.grid.routers());
        let of = lanes * routers.start.min(last)..lanes * routers.end.min(last);
        let by_line = of.step_by(LINE / size_of::<LanePair>());
        black_box(by_line.fold(0, |all, lane| all ^ self.input(lane).asked));
    }

    /// A head is on its way into a lane.
    #[inline(always)]
    fn enters(&mut self, lane: usize, worm: u32) {
        let cells = &mut self.lanes[lane].input.cells;
        if self.per_lane == SHORT {
            cells[usize::from(cells[0] != NONE)] = worm;
        } else {
            self.cells[lane * self.per_lane + (cells[1] as usize & (self.per_lane - 1))] = worm;
            cells[1] = cells[1].wrapping_add(1);
        }
    }

    /// The worm in front of a ring.
    #[inline(always)]
    fn front(&self, lane: usize) -> u32 {
        let first = self.lanes[lane].input.cells[0];
        if self.per_lane == SHORT {
            first
        } else {
            self.cells[lane * self.per_lane + (first as usize & (self.per_lane - 1))]
        }
    }

    /// Flits that the worm in front of an input lane needs for its decision.
    #[inline(always)]
    pub fn needs(&self, lane: usize) -> u32 {
        self.worms.carried(self.front(lane)).need.into()
    }

    /// Decides the unicast in front of an input, which then asks for its lane in cycle `now`.
    /// Returns its slot, and the first lane of its group.
    #[inline(always)]
    pub fn decide<const N: usize, const V: usize>(&mut self, router: usize, input: usize, now: u64) -> (u32, usize) {
        let lane = router * N + input;
        let worm = self.front(lane);
        let head = self.worms.carried(worm);
        let out = if head.is_tree { 0 } else { self.grid.group::<N, V>(router, input, head.to) };
        let is_short = self.per_lane == SHORT;
        let q = &mut self.lanes[lane].input;
        q.cells = if is_short { [q.cells[1], NONE] } else { [q.cells[0].wrapping_add(1), q.cells[1]] };
        (q.service, q.asked) = (InService::new(worm, out), now as u32);
        (worm, out)
    }

    /// Decides the worm in front of an input. Calls `f` with the first lane of the group of each
    /// branch. Returns its slot.
    #[inline(always)]
    pub fn decide_branches<const N: usize, const V: usize>(
        &mut self,
        router: usize,
        input: usize,
        now: u64,
        mut f: impl FnMut(usize),
    ) -> u32 {
        let (worm, out) = self.decide::<N, V>(router, input, now);
        let is_tree = self.worms.carried(worm).is_tree;
        let tree = self.worms.get(worm).tree.as_ref().filter(|_| is_tree);
        if let Some((tree, reach)) = tree.zip(self.reach) {
            for port in reach.branches(self.grid, router, input / V, tree) {
                f(self.grid.group_of_port(router, input, port));
            }
        } else {
            f(out);
        }
        worm
    }

    /// A unicast at an input lane is granted this lane of its group.
    #[inline(always)]
    pub fn gets(&mut self, lane: usize, out: usize) {
        let service = &mut self.lanes[lane].input.service;
        *service = InService::new(service.worm(), out);
    }

    /// The head that an output lane was granted to has its first turn: this was in this cycle, or
    /// in the one before.
    #[inline(always)]
    pub fn has_turn<const N: usize, const V: usize>(&mut self, router: usize, out: usize, now: u64) {
        let granted = (now as u32).wrapping_sub(self.allocation);
        self.output_mut::<N, V>(router, out).granted = granted;
    }

    /// The head in front of an input crosses an output lane.
    #[inline(always)]
    pub fn crosses<const N: usize, const V: usize>(&mut self, router: usize, input: usize, out: usize, now: u64) {
        let worm = self.input(router * N + input).service.worm();
        match self.grid.to::<N, V>(router, out) {
            Far::Lane(far) => {
                self.enters(far as usize, worm);
                if self.events.is_sampled() {
                    self.sample_head(router, input, out, worm);
                }
            }
            Far::Node(node) => {
                let at_node = (now + self.consume) as u32;
                self.sinks[node as usize * V + out % V] = Receiving { worm, at_node };
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
        let worm = self.input(router * N + input).service.worm();
        let &Carried { flits, id, .. } = self.worms.carried(worm);
        self.events.crossed += u64::from(flits);
        if self.events.tells_crossings {
            self.events.crossings.push((now, (router * N + out) as u32, worm));
        }
        let lane = self.output_mut::<N, V>(router, out);
        let (sum, is_over) = lane.flits.overflowing_add(flits);
        lane.flits = sum;
        let held = (now as u32).wrapping_sub(lane.granted) + 1;
        if held > lane.top_held {
            (lane.top_held, lane.top_worm) = (held, id.0);
        }
        if is_over {
            self.events.carries.push(router * N + out);
        }
        let (mut asking, mut blamed) = (waiting(self.grid.group_of(out)), 0);
        while asking != 0 {
            let asked = self.input(router * N + asking.trailing_zeros() as usize).asked;
            blamed += u64::from(held.min((now as u32).wrapping_sub(asked) + 1));
            asking &= asking - 1;
        }
        if blamed > 0 {
            self.events.blamed.push((worm, blamed));
        }
        if let Far::Node(node) = self.grid.to::<N, V>(router, out) {
            let channel = (out % V) as u8;
            let sink = &mut self.sinks[node as usize * V + usize::from(channel)];
            sink.worm = NONE;
            let arriving = Arriving { at: now + self.consume, id: id.0, node, worm, head: sink.head(now), channel };
            self.events.arriving.push(arriving);
        }
    }

    /// The head of the worm under way at a channel of a node leaves it.
    pub fn leaves<const N: usize, const V: usize>(&mut self, node: usize, channel: usize, now: u64) {
        let worm = self.channels[node * V + channel].worm;
        self.events.left.push((worm, now));
        self.enters(self.grid.at::<N, V>(node, channel), worm);
    }

    /// The tail of the worm under way at a channel leaves it.
    pub fn departs(&mut self, channel: usize, now: u64) {
        let worm = self.channels[channel].worm;
        self.events.injected += u64::from(self.flits(worm));
        self.events.departed.push((now, worm));
    }

    /// Keeps a head that crosses to another router for the samples.
    #[cold]
    fn sample_head(&mut self, router: usize, input: usize, out: usize, worm: u32) {
        let head = CrossingHead { router: router as u32, input: input as u8, out: out as u8, worm: self.id(worm) };
        if let Some(sampler) = &mut self.events.sampler {
            sampler.heads.push(head);
        }
    }

    /// Takes the first worm out of a node's queue, and says whether in cycle `now` another is
    /// behind it.
    pub fn dequeue(&mut self, node: usize, now: u64) -> (u32, bool) {
        self.queues[node].leave(self.worms, now)
    }

    /// All flits of a worm.
    #[inline(always)]
    pub fn flits(&self, worm: u32) -> u32 {
        self.worms.carried(worm).flits
    }

    /// The number of a worm.
    pub fn id(&self, worm: u32) -> WormId {
        self.worms.carried(worm).id
    }
}
