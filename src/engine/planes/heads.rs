//! Events of whole worms, not of single flits: a head is decided, a head crosses, a tail releases a
//! lane. Planes name the routers where they happen.
//!
//! A lane names its worms by their slots, and all that a router asks about a worm stands once, in
//! its [`Carried`]. So a record of a lane is small. An input lane and the output lane straight
//! ahead are half a line of the cache. Most heads go straight on. Heads on their way into a lane,
//! and in its FIFO, stand in a ring of the lane. The ring has a cell for every second place of the
//! FIFO, as a worm has two flits at least.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;

use wormscope_hw::{Encoding, WormId};

use super::grid::Grid;
use super::sampler::{CrossingHead, PlaneSampler};
use super::trees::{PortReach, TreeSet};
use super::wired::Far;
use super::worms::{Arriving, Carried, NONE, Worms};
use crate::event::WormInfo;
use crate::stats::CycleAccount;

/// The worm in service at an input lane, once it is decided, and the output lane that a unicast
/// owns. While it asks, this is the first lane of the group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InService(u32);

impl InService {
    /// Bits of the number of an output lane.
    const BITS: u32 = 4;

    #[inline(always)]
    fn new(worm: u32, out: usize) -> Self {
        Self(worm << Self::BITS | out as u32)
    }

    /// Slot of the worm.
    #[inline(always)]
    pub fn worm(self) -> u32 {
        self.0 >> Self::BITS
    }

    /// The output lane.
    #[inline(always)]
    pub fn out(self) -> usize {
        (self.0 & ((1 << Self::BITS) - 1)) as usize
    }
}

/// An input lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct InLane {
    pub service: InService,
    /// Cycle (low 32 bits) in which it asked for its lanes.
    pub asked: u32,
    /// The slots in a short ring, those in front first, else [`NONE`]. In a longer one, the numbers
    /// of cells taken and written.
    cells: [u32; SHORT],
}

/// Cells of a short ring.
const SHORT: usize = 2;

/// An output lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutLane {
    /// Flits of the worms that have crossed it wholly (low 32 bits).
    flits: u32,
    /// Cycle (low 32 bits) in which the owner got it, once its head has had a turn.
    pub granted: u32,
    /// Most cycles for which a worm held it, and this worm; 0 when none did.
    pub top_held: u32,
    pub top_worm: u32,
}

/// An input lane, and the output lane straight ahead.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct LanePair {
    input: InLane,
    output: OutLane,
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Flits of a worm to be counted behind those that the planes count, by lane. It is empty as long
/// as no worm is that long.
#[derive(Clone, Debug, Default)]
pub(super) struct Beyond(Vec<u32>);

impl Beyond {
    /// The flits at a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> u32 {
        self.0.get(lane).copied().unwrap_or(0)
    }

    /// A worm has so many at one of so many lanes.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, lanes: usize, flits: u32) {
        if self.0.is_empty() {
            if flits == 0 {
                return;
            }
            self.0 = vec![0; lanes];
        }
        self.0[lane] = flits;
    }
}

/// A consumption channel of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiving {
    /// Slot of the worm whose head has crossed, and whose tail has not, or [`NONE`].
    pub worm: u32,
    /// Cycle (low 32 bits) in which the head is at the node.
    head: u32,
}

impl Receiving {
    /// Cycle in which the head is at the node, about cycle `now`.
    #[inline(always)]
    pub fn head(self, now: u64) -> u64 {
        now.wrapping_add_signed(i64::from(self.head.wrapping_sub(now as u32).cast_signed()))
    }
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
    lanes: Vec<LanePair>,
    /// Output lanes whose flits are more than 32 bits count, with the higher bits.
    carries: BTreeMap<usize, u64>,
    /// Of the worms in service at input lanes.
    pub beyond: Beyond,
    /// Of branches with a read pointer, by output lane.
    pub beyond_branch: Beyond,
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
    /// Whether an observer hears of worms that cross output lanes.
    pub tells_crossings: bool,
    /// Worms whose tail has crossed an output lane, router-major, with the cycle.
    pub crossings: Vec<(u64, u32, u32)>,
    /// Once an observer has asked for samples.
    pub sampler: Option<Box<PlaneSampler>>,
    pub grid: Grid,
    /// Longer rings.
    cells: Vec<u32>,
    /// Cells of a ring.
    per_lane: usize,
    /// Cycles from a crossing to the arrival at the node.
    pub consume: u64,
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
        let is_short = per_lane == SHORT;
        let cells = if is_short { [NONE; SHORT] } else { [0; SHORT] };
        let input = InLane { service: InService::default(), asked: 0, cells };
        Self {
            lanes: vec![LanePair { input, output: OutLane::default() }; lanes],
            carries: BTreeMap::new(),
            beyond: Beyond::default(),
            beyond_branch: Beyond::default(),
            blocked: vec![0; lanes],
            channels: vec![Sending::default(); grid.nodes() * grid.channels],
            sinks: vec![Receiving { worm: NONE, head: 0 }; grid.nodes() * grid.channels],
            worms: Worms::new(grid.nodes()),
            reach,
            needs,
            account: CycleAccount::default(),
            crossed: 0,
            injected: 0,
            departed: Vec::new(),
            tells_crossings: false,
            crossings: Vec::new(),
            sampler: None,
            cells: vec![0; if is_short { 0 } else { lanes * per_lane }],
            per_lane,
            grid,
            consume: consume.into(),
            allocation,
        }
    }

    /// Lanes of all routers, of inputs or of outputs.
    #[inline(always)]
    pub fn lanes(&self) -> usize {
        self.lanes.len()
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

    #[inline(always)]
    fn output_mut<const N: usize, const V: usize>(&mut self, router: usize, out: usize) -> &mut OutLane {
        &mut self.lanes[router * N + self.grid.ahead(out, N, V)].output
    }

    /// An output lane of a router.
    pub fn output(&self, router: usize, out: usize) -> &OutLane {
        let (lanes, channels) = (self.grid.lanes(), self.grid.channels);
        &self.lanes[router * lanes + self.grid.ahead(out, lanes, channels)].output
    }

    /// Flits of the worms that have crossed an output lane of a router wholly.
    pub fn crossed_wholly(&self, router: usize, out: usize) -> u64 {
        let carry = self.carries.get(&(router * self.grid.lanes() + out)).copied().unwrap_or(0);
        carry + u64::from(self.output(router, out).flits)
    }

    /// Reads the lanes of some routers ahead of their use. The memory then sends them line by line,
    /// and no event waits for its line.
    pub fn fetch(&self, routers: Range<usize>) {
        let (lanes, last) = (self.grid.lanes(), self.grid.routers());
        let of = &self.lanes[lanes * routers.start.min(last)..lanes * routers.end.min(last)];
        black_box(of.iter().step_by(LINE / size_of::<LanePair>()).fold(0, |all, lane| all ^ lane.input.asked));
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

    /// Slots in the ring of a lane, first come first.
    pub fn waiting(&self, lane: usize) -> impl Iterator<Item = u32> {
        let cells = self.lanes[lane].input.cells;
        let is_short = self.per_lane == SHORT;
        let waiting = if is_short { SHORT as u32 } else { cells[1].wrapping_sub(cells[0]) };
        let of = move |ahead: u32| {
            let at = cells[0].wrapping_add(ahead) as usize & (self.per_lane - 1);
            if is_short { cells[ahead as usize] } else { self.cells[lane * self.per_lane + at] }
        };
        (0..waiting).map(of).take_while(|&worm| worm != NONE)
    }

    /// A new worm joins the queue of its source. Returns its slot.
    pub fn create(&mut self, info: WormInfo) -> u32 {
        let reach = self.reach.as_ref().filter(|_| info.encoding != Encoding::Unicast);
        let tree = reach.map(|reach| {
            let set = reach.set(info.destinations.iter().map(|node| node.index()));
            Box::new(TreeSet { source: info.source.index(), set, missing: info.destinations.len() as u32 })
        });
        let head = Carried {
            flits: info.header_flits + info.payload_flits,
            id: info.id,
            blamed: 0,
            to: self.grid.place(info.destinations[0].index()),
            is_tree: info.encoding != Encoding::Unicast,
            need: self.needs[info.encoding as usize],
        };
        self.worms.create(info, head, tree)
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
        if let Some((tree, reach)) = tree.zip(self.reach.as_ref()) {
            for port in reach.branches(&self.grid, router, input / V, tree) {
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
                if self.is_sampled() {
                    self.sample_head(router, input, out, worm);
                }
            }
            Far::Node(node) => {
                let head = (now + self.consume) as u32;
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
        let worm = self.input(router * N + input).service.worm();
        let &Carried { flits, id, .. } = self.worms.carried(worm);
        self.crossed += u64::from(flits);
        if self.tells_crossings {
            self.crossings.push((now, (router * N + out) as u32, worm));
        }
        let lane = self.output_mut::<N, V>(router, out);
        let (sum, is_over) = lane.flits.overflowing_add(flits);
        lane.flits = sum;
        let held = (now as u32).wrapping_sub(lane.granted) + 1;
        if held > lane.top_held {
            (lane.top_held, lane.top_worm) = (held, id.0);
        }
        if is_over {
            *self.carries.entry(router * N + out).or_default() += 1 << 32;
        }
        let (mut asking, mut blamed) = (waiting(self.grid.group_of(out)), 0);
        while asking != 0 {
            let asked = self.input(router * N + asking.trailing_zeros() as usize).asked;
            blamed += u64::from(held.min((now as u32).wrapping_sub(asked) + 1));
            asking &= asking - 1;
        }
        if blamed > 0 {
            self.worms.carried_mut(worm).blamed += blamed;
        }
        if let Far::Node(node) = self.grid.to::<N, V>(router, out) {
            let channel = (out % V) as u8;
            let sink = &mut self.sinks[node as usize * V + usize::from(channel)];
            sink.worm = NONE;
            let arriving = Arriving { at: now + self.consume, id: id.0, node, worm, head: sink.head(now), channel };
            self.worms.arriving.push_back(arriving);
        }
    }

    /// The head of the worm under way at a channel of a node leaves it.
    pub fn leaves<const N: usize, const V: usize>(&mut self, node: usize, channel: usize, now: u64) {
        let worm = self.channels[node * V + channel].worm;
        self.worms.leaves(worm, now);
        self.enters(self.grid.at::<N, V>(node, channel), worm);
    }

    /// The tail of the worm under way at a channel leaves it.
    pub fn departs(&mut self, channel: usize, now: u64) {
        let worm = self.channels[channel].worm;
        self.injected += u64::from(self.flits(worm));
        self.departed.push((now, worm));
    }

    /// Whether an observer gets samples of this cycle.
    #[inline(always)]
    pub fn is_sampled(&self) -> bool {
        self.sampler.as_ref().is_some_and(|sampler| sampler.is_on)
    }

    /// Keeps a head that crosses to another router for the samples.
    #[cold]
    fn sample_head(&mut self, router: usize, input: usize, out: usize, worm: u32) {
        let head = CrossingHead { router: router as u32, input: input as u8, out: out as u8, worm: self.id(worm) };
        if let Some(sampler) = &mut self.sampler {
            sampler.heads.push(head);
        }
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
