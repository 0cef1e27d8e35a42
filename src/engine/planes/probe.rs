//! Reads the registers without changing them: dumps to compare runs, the account, counters.

use std::collections::BTreeMap;

use wormscope_hw::{Encoding, GroupMask, LaneMask, SwitchId, WormId, reservation};

use super::Planes;
use super::heads::CarriedHead;
use super::standing::Standing;
use super::sweep::{ChannelView, InputView, Router};
use crate::flit_id::FlitId;
use crate::registers::{InRegisters, InjectRegisters, OutRegisters, Registers, Service};
use crate::stats::{CycleAccount, LaneStats, Totals};
use crate::under_way::UnderWay;

impl Planes {
    fn routers(&self) -> usize {
        self.shape.switches as usize
    }

    /// Lanes of a router, of inputs or of outputs.
    fn lanes(&self) -> usize {
        self.heads.grid.lanes()
    }

    fn router(&self, router: usize) -> Router {
        self.sweep.router(&self.params, router)
    }

    fn standing(&self) -> Standing {
        Standing::count(self.now, (&self.params, &*self.sweep), &self.links, &self.heads)
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let (standing, lanes, grid) = (self.standing(), self.lanes(), &self.heads.grid);
        let (mut inputs, mut outputs, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for router in 0..self.routers() {
            let of = self.router(router);
            for (input, q) in of.inputs[..lanes].iter().enumerate() {
                let lane = router * lanes + input;
                let flits = standing.at(lane).iter().flat_map(|segment| {
                    let worm = self.heads.id(segment.worm);
                    (segment.first..segment.first + segment.here).map(move |index| FlitId { worm, index })
                });
                let flits: Vec<_> = flits.collect();
                inputs.push(InRegisters { count: flits.len() as u16, flits, service: self.service(lane, q) });
            }
            for (lane, q) in of.outputs[..lanes].iter().enumerate() {
                let home = self.links.credit_of(grid, self.now, router, lane);
                outputs.push(OutRegisters {
                    credits: q.credits as u16 + u16::from(home),
                    owner: q.owner,
                    pending: q.owner.is_some_and(|input| of.inputs[usize::from(input)].first),
                    read: 0,
                    pointer: q.pointer,
                    ahead: Vec::new(),
                    group: 0,
                    multiplexer: q.multiplexer,
                });
            }
            let busy = of.channels.iter().filter(|q| q.busy).count() as u32;
            for (c, q) in of.channels[..grid.channels].iter().enumerate() {
                let (home, channel) = (self.links.inject_credit_of(self.now, router, c), router * grid.channels + c);
                channels.push(InjectRegisters {
                    credits: q.credits as u16 + u16::from(home),
                    next: q.busy.then(|| {
                        let worm = self.heads.channels[channel].worm;
                        FlitId { worm: self.heads.id(worm), index: self.sent(channel, q) }
                    }),
                    multiplexer: if c == 0 { of.multiplexer } else { 0 },
                    queue: self.heads.worms.queued(router) + busy,
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
        let of = self.heads.ins[lane];
        let front = || self.heads.waiting(lane).next();
        let CarriedHead { worm, .. } =
            if q.active { of.worm } else { Some(front()?).filter(|_| q.waiting || q.deciding.is_some())? };
        let due = |age: u32| (self.now as u32).wrapping_add(self.params.routing_cycles as u32).wrapping_sub(1 + age);
        let branches = if q.active { 1 << self.heads.grid.group_number(of.out.into()) } else { 0 };
        Some(Service {
            worm: self.heads.id(worm),
            encoding: Encoding::Unicast,
            header: vec![self.heads.worms.destination(worm).0.into()],
            ready: !q.waiting,
            stripped: false,
            decided: q.active,
            due: if q.active { of.asked } else { q.deciding.map_or(0, due) },
            branches: GroupMask(branches),
            wanted: GroupMask(if q.asking { branches } else { 0 }),
            lanes: LaneMask(if q.active && !q.asking { 1 << of.out } else { 0 }),
            taken: LaneMask(0),
            lock: reservation::Reg::default(),
        })
    }

    /// Whether nothing is left: FIFOs are empty, no lane is owned, every credit is at home, and no
    /// worm is alive.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.heads.worms.alive == 0 && self.sweep.is_clean(&self.params)
    }

    /// The worms under way at the end of the cycle evaluated last, in order of creation.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay<'_>> {
        let alive = self.heads.worms.alive().map(|(_, worm)| {
            let head = worm.head.filter(|&at| at < self.now);
            let heads = head.map(|at| (worm.info.destinations[0], at)).into_iter().collect();
            (worm.info.id.0, UnderWay { info: &worm.info, injected: worm.injected, heads })
        });
        alive.collect::<BTreeMap<u32, UnderWay>>().into_values().collect()
    }

    /// Counters of the run.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let (standing, worms) = (self.standing(), &self.heads.worms);
        let (mut hops, mut injected, mut consumed) = (self.heads.crossed, self.heads.injected, 0);
        let consume = self.shape.delays.consume;
        for router in 0..self.routers() {
            let of = self.router(router);
            hops += self.partly(&standing, router, &of).map(|(_, flits)| flits).sum::<u64>();
            let first = router * self.heads.grid.channels;
            let busy = of.channels.iter().enumerate().filter(|(_, q)| q.busy);
            injected += busy.map(|(c, q)| u64::from(self.sent(first + c, q))).sum::<u64>();
            let to_node = self.lanes() - self.heads.grid.channels..self.lanes();
            consumed += to_node.map(|lane| self.crossed(&standing, router, &of, lane)).sum::<u64>();
            consumed -= self.links.sent_to_node(self.now, router, consume);
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

    /// The worms in service at a router that have not crossed it wholly: their outputs, and the
    /// number of their flits that have crossed.
    fn partly(&self, standing: &Standing, router: usize, of: &Router) -> impl Iterator<Item = (usize, u64)> {
        let lanes = self.lanes();
        let active = (0..lanes).filter(|&input| of.inputs[input].active && !of.inputs[input].asking);
        active.map(move |input| {
            let lane = router * lanes + input;
            let crossed = standing.at(lane).first().map_or(0, |segment| segment.first);
            (self.heads.ins[lane].out.into(), crossed.into())
        })
    }

    /// Flits that have crossed an output lane.
    fn crossed(&self, standing: &Standing, router: usize, of: &Router, lane: usize) -> u64 {
        let partly = self.partly(standing, router, of).filter(|&(out, _)| out == lane).map(|(_, flits)| flits);
        self.heads.outs[router * self.lanes() + lane].flits + partly.sum::<u64>()
    }

    /// The account of cycles, with decisions that are still under way.
    #[must_use]
    pub fn account(&self) -> CycleAccount {
        let (standing, mut account) = (self.standing(), self.heads.account);
        account.moving = self.heads.crossed;
        for router in 0..self.routers() {
            let of = self.router(router);
            let deciding = of.inputs.iter().filter_map(|q| q.deciding);
            account.header += deciding.map(|age| u64::from(age) + 1).sum::<u64>();
            account.moving += self.partly(&standing, router, &of).map(|(_, flits)| flits).sum::<u64>();
        }
        account
    }

    /// For how many cycles the owner of an output lane holds it, and which worm that is.
    fn holder(&self, router: usize, of: &Router, output: usize) -> Option<(u32, WormId)> {
        let input = usize::from(of.outputs[output].owner?);
        let q = &of.inputs[input];
        let lane = router * self.lanes() + input;
        // A head that has had no turn got its lane in the cycle before.
        let granted = self.heads.outs[router * self.lanes() + output].granted;
        let held = if q.first && !q.late { 1 } else { (self.now as u32).wrapping_sub(granted) };
        Some((held, self.heads.id(self.heads.ins[lane].worm.worm)))
    }

    /// Counters of every connected output lane; a lane that is held counts as held up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let standing = self.standing();
        let routers = (0..self.routers()).map(|router| (router, self.router(router)));
        let lanes = routers.flat_map(|(router, of)| (0..self.lanes()).map(move |lane| (router, of, lane)));
        let connected =
            |&(router, _, lane): &(usize, Router, usize)| self.shape.output(router as u32, lane as u8).is_some();
        lanes.filter(connected).map(move |(router, of, output)| {
            let lane = router * self.lanes() + output;
            let q = self.heads.outs[lane];
            let top = (q.top_held, WormId(q.top_worm));
            let top = self.holder(router, &of, output).filter(|now| now.0 > top.0).unwrap_or(top);
            LaneStats {
                switch: SwitchId(router as u32),
                lane: output as u8,
                flits: self.crossed(&standing, router, &of, output),
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
            for input in (0..self.lanes()).filter(|&input| of.inputs[input].asking) {
                let q = self.heads.ins[router * self.lanes() + input];
                let waited = (self.now as u32).wrapping_sub(q.asked);
                // A worm that owns several lanes of a group is waited for once.
                let mut longest: BTreeMap<WormId, u32> = BTreeMap::new();
                for lane in (0..self.lanes()).filter(|&lane| grid.group_of(lane) == usize::from(q.out)) {
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
