//! Reads the registers without changing them: dumps to compare runs, the account, counters.

use std::collections::BTreeMap;

use wormscope_hw::{Encoding, GroupMask, LaneMask, NodeId, SwitchId, WormId, bits, reservation};

use wormscope_network::End;

use super::Planes;
use super::links::NetworkLinks;
use super::standing::{Segment, segments};
use super::sweep::{ChannelView, InputView, Router};
use super::worms::NONE;
use crate::flit_id::FlitId;
use crate::registers::{InRegisters, InjectRegisters, OutRegisters, Registers, Service};
use crate::stats::{CycleAccount, LaneStats, Totals};
use crate::under_way::UnderWay;

impl Planes {
    pub(super) fn routers(&self) -> usize {
        self.shape.switches as usize
    }

    /// Lanes of a router, of inputs or of outputs.
    pub(super) fn lanes(&self) -> usize {
        self.heads.grid.lanes()
    }

    pub(super) fn router(&self, router: usize) -> Router {
        self.sweep.router(&self.params, router)
    }

    /// The worms at an input lane of a router, the one in front first.
    pub(super) fn segments(&self, router: usize, of: &Router, input: usize) -> Vec<Segment> {
        let coming = match &self.links {
            NetworkLinks::Grid(links) => links.under_way(&self.heads.grid, self.now, router, input),
            NetworkLinks::Wired(links) => links.under_way(self.now, router, input),
        };
        segments(&of.inputs[input], router * self.lanes() + input, coming, &self.heads)
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let (lanes, grid) = (self.lanes(), &self.heads.grid);
        let (mut inputs, mut outputs, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        let counts = [self.shape.lanes.inputs.count(), self.shape.lanes.outputs.count()].map(usize::from);
        for router in 0..self.routers() {
            let of = self.router(router);
            for (input, q) in of.inputs[..counts[0]].iter().enumerate() {
                let standing = self.segments(router, &of, input);
                let flits = standing.iter().flat_map(|segment| {
                    let worm = self.heads.id(segment.worm);
                    (segment.first..segment.first + segment.here).map(move |index| FlitId { worm, index })
                });
                let flits: Vec<_> = flits.collect();
                let service = self.service(router * lanes + input, q);
                inputs.push(InRegisters { count: flits.len() as u16, flits, service });
            }
            for (lane, q) in of.outputs[..counts[1]].iter().enumerate() {
                let home = match &self.links {
                    NetworkLinks::Grid(links) => links.credit_of(grid, self.now, router, lane),
                    NetworkLinks::Wired(links) => links.credit_of(self.now, router, lane),
                };
                outputs.push(OutRegisters {
                    credits: q.credits as u16 + u16::from(home),
                    owner: q.owner,
                    pending: q.first,
                    read: q.ahead as u16,
                    // An input lane that does not exist is behind the last one.
                    pointer: if usize::from(q.pointer) < counts[0] { q.pointer } else { 0 },
                    ahead: Vec::new(),
                    group: 0,
                    multiplexer: q.multiplexer,
                });
            }
        }
        for node in 0..grid.nodes() {
            let of = self.sweep.node(node);
            let busy = of.channels.iter().filter(|q| q.busy).count() as u32;
            for (c, q) in of.channels[..grid.channels].iter().enumerate() {
                let home = match &self.links {
                    NetworkLinks::Grid(links) => links.inject_credit_of(self.now, node, c),
                    NetworkLinks::Wired(links) => links.inject_credit_of(self.now, node),
                };
                let channel = node * grid.channels + c;
                channels.push(InjectRegisters {
                    credits: q.credits as u16 + u16::from(home),
                    next: q.busy.then(|| {
                        let worm = self.heads.channels[channel].worm;
                        FlitId { worm: self.heads.id(worm), index: self.sent(channel, q) }
                    }),
                    multiplexer: if c == 0 { of.multiplexer } else { 0 },
                    queue: self.heads.queued(node) + busy,
                });
            }
        }
        Registers { cycle: self.now, inputs, outputs, channels, rings: Vec::new(), trees: Vec::new() }
    }

    /// Flits of the worm under way at an injection channel that have left it.
    fn sent(&self, channel: usize, q: &ChannelView) -> u32 {
        let sending = self.heads.channels[channel];
        self.heads.flits(sending.worm) - (sending.beyond + q.left + 1)
    }

    /// The worm in service at an input lane.
    fn service(&self, lane: usize, q: &InputView) -> Option<Service> {
        let of = self.heads.input(lane);
        let front = || self.heads.waiting(lane).next();
        let is_begun = q.active || q.waiting || q.deciding.is_some();
        let worm = if q.active { of.service.worm() } else { Some(front()?).filter(|_| is_begun)? };
        let due = |age: u32| (self.now as u32).wrapping_add(self.params.routing_cycles as u32).wrapping_sub(1 + age);
        let groups = |lanes: u64| bits(lanes).fold(0, |all, lane| all | 1 << self.heads.grid.group_number(lane));
        let info = &self.heads.worms.get(worm).info;
        Some(Service {
            worm: info.id,
            encoding: info.encoding,
            header: self.header(lane, worm),
            ready: !q.waiting,
            stripped: false,
            decided: q.active,
            due: if q.active { of.asked } else { q.deciding.map_or(0, due) },
            branches: GroupMask(groups(if q.active { self.branches(lane, worm) } else { 0 })),
            wanted: GroupMask(groups(q.asks)),
            lanes: LaneMask(q.owns),
            taken: LaneMask(q.taken),
            lock: reservation::Reg::default(),
        })
    }

    /// The first lanes of the groups that are branches of a worm at an input lane.
    fn branches(&self, lane: usize, worm: u32) -> u64 {
        let (live, grid) = (self.heads.worms.get(worm), &self.heads.grid);
        let (router, input) = (lane / grid.lanes(), lane % grid.lanes());
        match (&live.tree, &self.heads.reach) {
            (Some(tree), Some(reach)) => {
                let ports = reach.branches(grid, router, input / grid.channels, tree);
                ports.fold(0, |all, port| all | 1 << grid.group_of_port(router, input, port))
            }
            _ => 1 << grid.group_of(self.heads.input(lane).service.out()),
        }
    }

    /// The rest of a worm's header at an input lane.
    fn header(&self, lane: usize, worm: u32) -> Vec<u64> {
        let (live, grid) = (self.heads.worms.get(worm), &self.heads.grid);
        match (&live.tree, &self.heads.reach) {
            (Some(tree), Some(reach)) if live.info.encoding == Encoding::BitString => {
                reach.residue(grid, lane / grid.lanes(), lane % grid.lanes() / grid.channels, tree)
            }
            _ => self.shape.header(&live.info),
        }
    }

    /// Whether nothing is left: FIFOs are empty, no lane is owned, every credit is at home, and no
    /// worm is alive.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.heads.worms.alive == 0 && self.sweep.is_clean(&self.params, &self.links)
    }

    /// The worms under way at the end of the cycle evaluated last, in order of creation.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay<'_>> {
        let worms = self.heads.worms.alive();
        let mut worms: BTreeMap<_, _> = worms
            .map(|(_, worm)| (worm.info.id, UnderWay { info: &worm.info, injected: worm.injected, heads: Vec::new() }))
            .collect();
        let channels = self.heads.grid.channels;
        let sinks = (0..).zip(&self.heads.sinks).filter(|(_, sink)| sink.worm != NONE);
        let heads = sinks.map(|(at, sink)| (at / channels, self.heads.id(sink.worm), sink.head(self.now)));
        let tails = self.heads.worms.arriving.iter().map(|tail| (tail.node as usize, WormId(tail.id), tail.head));
        for (node, worm, at) in heads.chain(tails).filter(|(.., at)| *at < self.now) {
            if let Some(worm) = worms.get_mut(&worm) {
                worm.heads.push((NodeId(node as u32), at));
            }
        }
        for worm in worms.values_mut() {
            worm.heads.sort_unstable();
        }
        worms.into_values().collect()
    }

    /// Counters of the run.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let (worms, grid) = (&self.heads.worms, &self.heads.grid);
        let (mut hops, mut injected, mut consumed) = (self.heads.events.crossed, self.heads.events.injected, 0);
        let consume = self.shape.delays.consume;
        for router in 0..self.routers() {
            let of = self.router(router);
            hops += self.partly(&of, router).map(|(_, flits, _)| flits).sum::<u64>();
            let to_node =
                |&lane: &usize| matches!(self.shape.output(router as u32, lane as u8), Some((End::Node(_), _)));
            for lane in (0..usize::from(self.shape.lanes.outputs.count())).filter(to_node) {
                let on_link = match &self.links {
                    NetworkLinks::Grid(links) => links.sent_to_node(self.now, router, lane, consume),
                    NetworkLinks::Wired(links) => links.sent_to_node(self.now, router, lane, consume),
                };
                consumed += self.crossed(&of, router, lane) - on_link;
            }
        }
        for node in 0..grid.nodes() {
            let of = self.sweep.node(node);
            let busy = of.channels.iter().enumerate().filter(|(_, q)| q.busy);
            injected += busy.map(|(c, q)| u64::from(self.sent(node * grid.channels + c, q))).sum::<u64>();
        }
        Totals {
            cycles: self.now,
            flit_hops: hops,
            injected_flits: injected,
            consumed_flits: consumed,
            worms_created: worms.created.into(),
            worms_done: u64::from(worms.created - worms.alive),
            evaluations: self.evaluations,
        }
    }

    /// The branches at a router that have not crossed it wholly. For each, the output, the number
    /// of flits that have crossed, and the slot of the worm.
    pub(super) fn partly(&self, of: &Router, router: usize) -> impl Iterator<Item = (usize, u64, u32)> {
        let lanes = self.lanes();
        (0..lanes).filter(|&input| of.inputs[input].owns != 0).flat_map(move |input| {
            let (q, lane) = (of.inputs[input], router * lanes + input);
            let worm = self.heads.input(lane).service.worm();
            let popped = self.heads.flits(worm) - (self.heads.beyond(lane) + q.left + 1);
            bits(q.owns).map(move |out| (out, u64::from(popped + of.outputs[out].ahead), worm))
        })
    }

    /// Flits that have crossed an output lane.
    fn crossed(&self, of: &Router, router: usize, lane: usize) -> u64 {
        let partly = self.partly(of, router).filter(|&(out, ..)| out == lane).map(|(_, flits, _)| flits);
        self.heads.crossed_wholly(router, lane) + partly.sum::<u64>()
    }

    /// The account of cycles, with decisions that are still under way.
    #[must_use]
    pub fn account(&self) -> CycleAccount {
        let mut account = self.heads.events.account;
        account.moving = self.heads.events.crossed;
        for router in 0..self.routers() {
            let of = self.router(router);
            let deciding = of.inputs.iter().filter_map(|q| q.deciding);
            account.header += deciding.map(|age| u64::from(age) + 1).sum::<u64>();
            account.moving += self.partly(&of, router).map(|(_, flits, _)| flits).sum::<u64>();
        }
        account
    }

    /// For how many cycles the owner of an output lane holds it, and which worm that is.
    fn holder(&self, router: usize, of: &Router, output: usize) -> Option<(u32, WormId)> {
        let input = usize::from(of.outputs[output].owner?);
        let lane = router * self.lanes() + input;
        let held = (self.now as u32).wrapping_sub(self.granted(router, of, output));
        Some((held, self.heads.id(self.heads.input(lane).service.worm())))
    }

    /// Counters of every connected output lane; a lane that is held counts as held up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let routers = (0..self.routers()).map(|router| (router, self.router(router)));
        let outputs = usize::from(self.shape.lanes.outputs.count());
        let lanes = routers.flat_map(move |(router, of)| (0..outputs).map(move |lane| (router, of, lane)));
        let connected =
            |&(router, _, lane): &(usize, Router, usize)| self.shape.output(router as u32, lane as u8).is_some();
        lanes.filter(connected).map(move |(router, of, output)| {
            let lane = router * self.lanes() + output;
            let q = self.heads.output(router, output);
            let top = (q.top_held, WormId(q.top_worm));
            let top = self.holder(router, &of, output).filter(|now| now.0 > top.0).unwrap_or(top);
            LaneStats {
                switch: SwitchId(router as u32),
                lane: output as u8,
                flits: self.crossed(&of, router, output),
                blocked: self.heads.blocked[lane] + u64::from(of.outputs[output].blocked),
                top_worm: (top.0 > 0).then_some(top.1),
                top_held: u64::from(top.0),
            }
        })
    }

    /// The worm that others waited for longest, and the worm-cycles of their waits, with those that
    /// are still open.
    #[must_use]
    pub fn most_blamed(&self) -> Option<(WormId, u64)> {
        let mut open: BTreeMap<WormId, u64> = BTreeMap::new();
        let grid = &self.heads.grid;
        for router in 0..self.routers() {
            let of = self.router(router);
            for input in (0..self.lanes()).filter(|&input| of.inputs[input].asks_now(self.params.replication)) {
                let q = self.heads.input(router * self.lanes() + input);
                let waited = (self.now as u32).wrapping_sub(q.asked);
                // A worm that owns several lanes of a group is waited for once.
                let mut longest: BTreeMap<WormId, u32> = BTreeMap::new();
                let asks = of.inputs[input].asks;
                for lane in (0..self.lanes()).filter(|&lane| asks >> grid.group_of(lane) & 1 != 0) {
                    if let Some((held, worm)) = self.holder(router, &of, lane) {
                        let most = longest.entry(worm).or_default();
                        *most = held.min(waited).max(*most);
                    }
                }
                for (worm, cycles) in longest {
                    *open.entry(worm).or_default() += u64::from(cycles);
                }
            }
        }
        self.heads.worms.most_blamed(&open)
    }

    /// Worms whose first flit has left its source and that have not arrived, by their numbers.
    pub fn ids_in_network(&self) -> impl Iterator<Item = WormId> {
        self.heads.worms.alive().filter(|(_, worm)| worm.injected.is_some()).map(|(_, worm)| worm.info.id)
    }
}
