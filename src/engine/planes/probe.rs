//! Looks into the registers without touching them: dumps to compare runs, the account, counters.

use std::collections::BTreeMap;

use wormscope_hw::{Encoding, GroupMask, LaneMask, SwitchId, WormId, reservation};

use super::Planes;
use super::heads::CarriedHead;
use super::standing::Standing;
use super::sweep::{InputView, Router};
use crate::flit_id::FlitId;
use crate::registers::{InRegisters, InjectRegisters, OutRegisters, Registers, Service};
use crate::stats::{CycleAccount, LaneStats, Totals};
use crate::under_way::UnderWay;

impl Planes {
    fn routers(&self) -> usize {
        self.shape.switches as usize
    }

    fn ports(&self) -> usize {
        self.shape.ports.into()
    }

    fn router(&self, router: usize) -> Router {
        self.sweep.router(&self.params, router)
    }

    fn standing(&self) -> Standing {
        let (size, of) = ((self.routers(), self.ports()), (&self.params, &*self.sweep));
        Standing::count(size, self.now, of, &self.links, &self.heads)
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let (standing, ports) = (self.standing(), self.ports());
        let (mut inputs, mut outputs, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for router in 0..self.routers() {
            let of = self.router(router);
            for (port, q) in of.inputs[..ports].iter().enumerate() {
                let lane = router * ports + port;
                let flits = standing.at(lane).iter().flat_map(|segment| {
                    let worm = self.heads.id(segment.worm);
                    (segment.first..segment.first + segment.here).map(move |index| FlitId { worm, index })
                });
                let flits: Vec<_> = flits.collect();
                inputs.push(InRegisters { count: flits.len() as u16, flits, service: self.service(lane, q) });
            }
            for (port, q) in of.outputs[..ports].iter().enumerate() {
                let home = self.links.credit_of(self.now, router, port);
                outputs.push(OutRegisters {
                    credits: q.credits as u16 + u16::from(home),
                    owner: q.owner,
                    pending: q.owner.is_some_and(|input| of.inputs[usize::from(input)].first),
                    read: 0,
                    pointer: q.pointer,
                    ahead: Vec::new(),
                    group: 0,
                    multiplexer: 0,
                });
            }
            let home = self.links.inject_credit_of(self.now, router);
            channels.push(InjectRegisters {
                credits: of.credits as u16 + u16::from(home),
                next: of.busy.then(|| {
                    let worm = self.heads.channels[router].worm;
                    FlitId { worm: self.heads.id(worm), index: self.sent(router, &of) }
                }),
                multiplexer: 0,
                queue: self.heads.worms.queued(router) + u32::from(of.busy),
            });
        }
        Registers { cycle: self.now, inputs, outputs, channels, rings: Vec::new(), trees: Vec::new() }
    }

    /// Flits of the worm under way from a node that have left it.
    fn sent(&self, node: usize, of: &Router) -> u32 {
        let channel = self.heads.channels[node];
        self.heads.flits(channel.worm) - (channel.beyond + of.left + 1)
    }

    /// The worm in service at an input lane.
    fn service(&self, lane: usize, q: &InputView) -> Option<Service> {
        let of = self.heads.ins[lane];
        let front = || self.heads.waiting(lane).next();
        let CarriedHead { worm, .. } =
            if q.active { of.worm } else { Some(front()?).filter(|_| q.waiting || q.deciding.is_some())? };
        let due = |age: u32| (self.now as u32).wrapping_add(self.params.routing_cycles as u32).wrapping_sub(1 + age);
        let branches = if q.active { 1 << of.out } else { 0 };
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
            lanes: LaneMask(if q.asking { 0 } else { branches }),
            taken: LaneMask(0),
            lock: reservation::Reg::default(),
        })
    }

    /// Whether nothing is left behind: FIFOs empty, no lane owned, every credit at home, no worm
    /// alive.
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
            injected += if of.busy { u64::from(self.sent(router, &of)) } else { 0 };
            consumed += self.crossed(&standing, router, &of, self.ports() - 1);
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

    /// Of the worms in service at a router that have not crossed it wholly: their outputs, and how
    /// many of their flits have crossed.
    fn partly(&self, standing: &Standing, router: usize, of: &Router) -> impl Iterator<Item = (usize, u64)> {
        let ports = self.ports();
        let active = (0..ports).filter(|&port| of.inputs[port].active && !of.inputs[port].asking);
        active.map(move |port| {
            let lane = router * ports + port;
            let crossed = standing.at(lane).first().map_or(0, |segment| segment.first);
            (self.heads.ins[lane].out.into(), crossed.into())
        })
    }

    /// Flits that have crossed an output lane.
    fn crossed(&self, standing: &Standing, router: usize, of: &Router, port: usize) -> u64 {
        let partly = self.partly(standing, router, of).filter(|&(out, _)| out == port).map(|(_, flits)| flits);
        self.heads.outs[router * self.ports() + port].flits + partly.sum::<u64>()
    }

    /// Where cycles went, decisions that are still under way included.
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
    fn holder(&self, router: usize, of: &Router, port: usize) -> Option<(u32, WormId)> {
        let input = usize::from(of.outputs[port].owner?);
        let q = &of.inputs[input];
        let lane = router * self.ports() + input;
        // A head that has had no turn got its lane in the cycle before.
        let granted = self.heads.outs[router * self.ports() + port].granted;
        let held = if q.first && !q.late { 1 } else { (self.now as u32).wrapping_sub(granted) };
        Some((held, self.heads.id(self.heads.ins[lane].worm.worm)))
    }

    /// Counters of every connected output lane; a lane that is held counts as held up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let standing = self.standing();
        let routers = (0..self.routers()).map(|router| (router, self.router(router)));
        let lanes = routers.flat_map(|(router, of)| (0..self.ports()).map(move |port| (router, of, port)));
        let connected =
            |&(router, _, port): &(usize, Router, usize)| self.shape.output(router as u32, port as u8).is_some();
        lanes.filter(connected).map(move |(router, of, port)| {
            let lane = router * self.ports() + port;
            let q = self.heads.outs[lane];
            let top = (q.top_held, WormId(q.top_worm));
            let top = self.holder(router, &of, port).filter(|now| now.0 > top.0).unwrap_or(top);
            LaneStats {
                switch: SwitchId(router as u32),
                lane: port as u8,
                flits: self.crossed(&standing, router, &of, port),
                blocked: self.heads.blocked[lane] + u64::from(of.outputs[port].blocked),
                top_worm: (top.0 > 0).then_some(top.1),
                top_held: u64::from(top.0),
            }
        })
    }

    /// The worm that others waited for longest, and for how many worm-cycles, waits that are still
    /// open included.
    #[must_use]
    pub fn most_blamed(&self) -> Option<(WormId, u64)> {
        let mut open: BTreeMap<WormId, u64> = BTreeMap::new();
        for router in 0..self.routers() {
            let of = self.router(router);
            for port in (0..self.ports()).filter(|&port| of.inputs[port].asking) {
                let q = self.heads.ins[router * self.ports() + port];
                let waited = (self.now as u32).wrapping_sub(q.asked);
                if let Some((held, worm)) = self.holder(router, &of, q.out.into()) {
                    *open.entry(worm).or_default() += u64::from(held.min(waited));
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
