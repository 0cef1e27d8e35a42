//! Lanes of routers, and events of whole worms, not of single flits: a head is decided, a head
//! crosses, a tail releases a lane ([`Region`]). Planes name the routers where they happen.
//!
//! All that a router asks about a worm stands once, in its [`Carried`]. Heads on their way into a
//! lane, and in its FIFO, stand in a ring of the lane. The ring has a cell for every second place
//! of the FIFO, as a worm has two flits at least.

use std::collections::BTreeMap;

use wormscope_hw::{Encoding, WormId};

use super::countdown;
use super::grid::Grid;
use super::lane::{InLane, InService, LanePair, OutLane, Receiving, SHORT, Sending};
use super::region::{Region, RegionEvents};
use super::span::Span;
use super::trees::{PortReach, TreeSet};
use super::worms::{Carried, NONE, Queue, Worms};
use crate::event::WormInfo;

/// All lanes, router by router, and all worms.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    lanes: Vec<LanePair>,
    /// Output lanes whose flits are more than 32 bits count, with the higher bits.
    carries: BTreeMap<usize, u64>,
    /// By lane, flits of the worm in service behind those that the planes count. It is empty as
    /// long as no worm is that long, as is the next vector.
    beyond: Vec<u32>,
    /// The same of branches with a read pointer, by output lane.
    beyond_branch: Vec<u32>,
    /// Cycles in which the owner of each output lane had a flit but no credit.
    pub blocked: Vec<u64>,
    pub channels: Vec<Sending>,
    pub sinks: Vec<Receiving>,
    queues: Vec<Queue>,
    pub worms: Worms,
    /// The nodes that each port leads to, in networks with trees.
    pub reach: Option<PortReach>,
    /// By encoding, flits of the header that a decision needs.
    needs: [u8; Encoding::ALL.len()],
    pub events: RegionEvents,
    pub grid: Grid,
    /// Longer rings.
    cells: Vec<u32>,
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
        let is_short = per_lane == SHORT;
        let cells = if is_short { [NONE; SHORT] } else { [0; SHORT] };
        let input = InLane { service: InService::default(), asked: 0, cells };
        Self {
            lanes: vec![LanePair { input, output: OutLane::default() }; lanes],
            carries: BTreeMap::new(),
            beyond: Vec::new(),
            beyond_branch: Vec::new(),
            blocked: vec![0; lanes],
            channels: vec![Sending::default(); grid.nodes() * grid.channels],
            sinks: vec![Receiving { worm: NONE, at_node: 0 }; grid.nodes() * grid.channels],
            queues: vec![Queue::EMPTY; grid.nodes()],
            worms: Worms::default(),
            reach,
            needs,
            events: RegionEvents::default(),
            cells: vec![0; if is_short { 0 } else { lanes * per_lane }],
            per_lane,
            grid,
            consume: consume.into(),
            allocation,
        }
    }

    /// The region of all routers.
    #[inline(always)]
    pub fn region(&mut self) -> Region<'_> {
        Region {
            lanes: Span::whole(&mut self.lanes),
            beyond: Span::whole(&mut self.beyond),
            beyond_branch: Span::whole(&mut self.beyond_branch),
            blocked: Span::whole(&mut self.blocked),
            channels: Span::whole(&mut self.channels),
            sinks: Span::whole(&mut self.sinks),
            queues: Span::whole(&mut self.queues),
            cells: Span::whole(&mut self.cells),
            per_lane: self.per_lane,
            consume: self.consume,
            allocation: self.allocation,
            worms: &self.worms,
            reach: self.reach.as_ref(),
            grid: &self.grid,
            events: &mut self.events,
        }
    }

    /// Writes the events of a region into the records of their worms.
    #[inline(always)]
    pub fn settle(&mut self) {
        let Self { worms, events, carries, .. } = self;
        for (worm, cycles) in events.blamed.drain(..) {
            worms.blame(worm, cycles);
        }
        for (worm, cycle) in events.left.drain(..) {
            worms.leaves(worm, cycle);
        }
        for tail in events.arriving.drain(..) {
            worms.arriving.push_back(tail);
        }
        for lane in events.carries.drain(..) {
            *carries.entry(lane).or_default() += 1 << 32;
        }
    }

    /// An input lane, router-major.
    pub fn input(&self, lane: usize) -> &InLane {
        &self.lanes[lane].input
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

    /// Flits of the worm in service at an input lane behind those that the planes count.
    pub fn beyond(&self, lane: usize) -> u32 {
        self.beyond.get(lane).copied().unwrap_or(0)
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
        if head.flits > countdown::LONGEST && self.beyond.is_empty() {
            self.beyond = vec![0; self.lanes.len()];
            self.beyond_branch = vec![0; if self.reach.is_some() { self.lanes.len() } else { 0 }];
        }
        let node = info.source.index();
        let slot = self.worms.create(info, head, tree);
        self.queues[node].join(slot, &mut self.worms);
        slot
    }

    /// Worms in a node's queue.
    pub fn queued(&self, node: usize) -> u32 {
        self.queues[node].length(&self.worms)
    }

    /// Whether an observer gets samples of this cycle.
    pub fn is_sampled(&self) -> bool {
        self.events.is_sampled()
    }

    /// All flits of a worm.
    pub fn flits(&self, worm: u32) -> u32 {
        self.worms.carried(worm).flits
    }

    /// The number of a worm.
    pub fn id(&self, worm: u32) -> WormId {
        self.worms.carried(worm).id
    }
}
