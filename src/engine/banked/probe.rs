//! Looks into the registers without touching them: dumps to compare runs, the account with its open
//! intervals, snapshots for the deadlock search.

use std::collections::BTreeMap;

use super::address::Far;
use super::switch::{Bank, LANES, OutLane, Reg};
use wormscope_hw::{Encoding, GroupMask, LaneMask, NodeId, Replication, SwitchId, WormId, bits, credit};

use super::Engine;
use crate::flit_id::FlitId;
use crate::registers::{InRegisters, InjectRegisters, OutRegisters, Registers, RingRegisters, Service};
use crate::stats::{CycleAccount, LaneStats, Totals};
use crate::under_way::UnderWay;

impl Engine {
    /// Every switch: its number, its registers, and the number of its first lane, counted over all
    /// switches.
    pub(super) fn switches(&self) -> impl Iterator<Item = (u32, Reg, usize)> {
        (0..self.shape.switches).map(|s| {
            let (bank, first) = self.shape.bank(s);
            (s, self.banks.masks(bank).of(&self.shape.params.fields, first), self.shape.first_lane(s))
        })
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let shape = &self.shape;
        let p = &shape.params;
        let (edge, node_edge) = (self.fabric.switches.edge(self.slot), self.fabric.nodes.edge(self.slot));
        let id = |slot: u32| self.worms.get(slot).info.id;
        let extra = |instance: u32, lane: u8, is_node: bool| -> u16 {
            let here = |to: Far| (to.instance(), to.lane(), to.is_node()) == (instance, lane, is_node);
            self.fabric.aside.extra_credits.iter().filter(|e| e.0 == self.now && here(e.1)).map(|e| e.2).sum()
        };
        let synchronous = p.replication == Replication::Synchronous;
        let (mut inputs, mut outputs, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for (s, q, lane) in self.switches() {
            let (bank, first) = shape.bank(s);
            let wire = self.fabric.switches.rings[edge + bank as usize];
            for i in 0..p.in_lanes as usize {
                let lane = lane + i;
                let (q_in, reader) = (self.banks.input(lane), self.banks.reader(lane));
                let count = q.flits.get(i) + (wire.flits >> first >> i & 1) as u16;
                let flits = (0..count)
                    .map(|ahead| {
                        let at = wormscope_hw::fifo::slot(reader.read, ahead, p.fifo_depth);
                        let flit = self.fabric.slots[lane * p.fifo_depth as usize + at as usize];
                        FlitId { worm: id(flit.worm()), index: flit.index() }
                    })
                    .collect();
                let decided = q.active >> i & 1 != 0;
                let of_branches = |mask: u64| if decided { mask } else { 0 };
                let service = (decided || q.deciding >> i & 1 != 0).then(|| Service {
                    worm: id(q_in.worm),
                    encoding: q_in.enc,
                    header: if q_in.enc == Encoding::Unicast {
                        vec![u64::from(q_in.image)]
                    } else {
                        self.fabric.aside.headers.words(q_in.image).to_vec()
                    },
                    ready: q_in.ready,
                    stripped: q_in.stripped,
                    decided,
                    due: if q_in.ready { q_in.due } else { 0 },
                    branches: GroupMask(of_branches(q_in.branches)),
                    wanted: GroupMask(of_branches(q_in.wanted)),
                    lanes: LaneMask(of_branches(reader.lanes) >> first),
                    taken: LaneMask(of_branches(q_in.taken) >> first),
                    lock: self.banks.lock(lane),
                });
                inputs.push(InRegisters { count, flits, service });
            }
            for o in 0..p.out_lanes as usize {
                let out = self.banks.output(lane + o);
                outputs.push(OutRegisters {
                    credits: credit::refund(
                        q.credits.get(o),
                        (wire.credits >> first >> o & 1) as u16 + extra(bank, first + o as u8, false),
                    ),
                    owner: out.owner().map(|owner| owner - first),
                    pending: q.pending >> o & 1 != 0,
                    read: if out.owner.is_none() { 0 } else { out.ahead },
                    pointer: out.pointer,
                    ahead: self.banks.ahead(p, lane + o).to_vec(),
                    group: out.group.pointer,
                    multiplexer: out.mux,
                });
            }
        }
        for n in 0..shape.nodes {
            let (bank, first) = shape.channels.place(n);
            let returned = self.fabric.nodes.rings[node_edge + bank as usize] >> first;
            for c in 0..shape.node.injection_lanes {
                let (lane, credits) = (usize::from(first + c), self.nodes.credits(bank, usize::from(first + c)));
                let q = self.nodes.channel(bank, lane);
                channels.push(InjectRegisters {
                    credits: credit::refund(credits, (returned >> c & 1) as u16 + extra(bank, first + c, true)),
                    next: (!q.is_idle()).then(|| FlitId { worm: id(q.next.worm()), index: q.next.index() }),
                    multiplexer: self.nodes.multiplexer(bank, lane),
                    queue: self.nodes.queued(n),
                });
            }
        }
        let rings = self.fabric.aside.rings.places(self.now).map(|(token, stations)| RingRegisters {
            token,
            stations: stations.map(|(switch, q)| (SwitchId(switch), *q)).collect(),
        });
        let alive = self.worms.alive().filter(|worm| synchronous && worm.injected.is_some());
        let mut trees: Vec<_> = alive.map(|worm| (worm.info.id, worm.tree)).collect();
        trees.sort_unstable_by_key(|(id, _)| *id);
        Registers { cycle: self.now, inputs, outputs, channels, rings: rings.collect(), trees }
    }

    /// Whether all resources are free. FIFOs are empty, no lane is owned, and no token is held or
    /// wanted. All credits are back, no header is kept, and no worm is under way.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.banks.is_idle(&self.shape)
            && self.fabric.aside.rings.is_idle()
            && self.nodes.is_idle(&self.shape)
            && self.fabric.aside.sinks.as_ref().is_none_or(|sinks| sinks.is_empty())
            && self.fabric.aside.headers.in_use() == 0
            && self.worms.alive == 0
    }

    /// The worms under way at the end of the cycle evaluated last, in order of creation.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay<'_>> {
        let alive = self
            .worms
            .alive()
            .map(|worm| (worm.info.id.0, UnderWay { info: &worm.info, injected: worm.injected, heads: Vec::new() }));
        let mut worms: BTreeMap<u32, UnderWay> = alive.collect();
        let channels = u32::from(self.shape.node.consumption_lanes);
        let heads = (0..)
            .zip(&self.fabric.aside.heads)
            .filter_map(|(at, head)| Some((at / channels, head.worm_id?.get(), head.at)));
        let tails_on_links = self.worms.arriving.iter().map(|tail| (tail.node, tail.worm_id, tail.head));
        for (node, worm, at) in heads.chain(tails_on_links).filter(|(.., at)| *at < self.now) {
            if let Some(worm) = worms.get_mut(&worm) {
                worm.heads.push((NodeId(node), at));
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
        Totals {
            cycles: self.now,
            flit_hops: self.account.moving,
            worms_done: self.totals.worms_created - u64::from(self.worms.alive),
            consumed_flits: self.consumed_flits(),
            ..self.totals
        }
    }

    /// Flits that left for nodes, without the flits on the last link or in a channel.
    fn consumed_flits(&self) -> u64 {
        let delays = &self.shape.delays;
        let (mut sent, mut on_the_way) = (0, 0);
        for (b, bank) in self.banks.0.iter().enumerate() {
            sent += bits(bank.to_nodes).map(|lane| bank.writers[lane].flits).sum::<u64>();
            // A node that takes every flit at once has its credit on the way back from the moment
            // the flit leaves for it.
            on_the_way += (delays.consume_credit - delays.consume..delays.consume_credit)
                .map(|behind| self.fabric.switches.edge(self.shape.slot_behind(self.slot, behind)))
                .map(|edge| u64::from((self.fabric.switches.rings[edge + b].credits & bank.to_nodes).count_ones()))
                .sum::<u64>();
        }
        match &self.fabric.aside.sinks {
            Some(sinks) => sent - sinks.standing().map(|(.., flits)| flits.len() as u64).sum::<u64>(),
            None => sent - on_the_way,
        }
    }

    /// Account of all cycles, open waits included.
    #[must_use]
    pub fn account(&self) -> CycleAccount {
        let mut account = self.account;
        let now = self.now as u32;
        for (_, q, lane) in self.switches() {
            for i in bits(q.deciding) {
                account.header += u64::from(now.wrapping_sub(self.banks.input(lane + i).since));
            }
            for i in bits(q.active) {
                let q = self.banks.input(lane + i);
                account.add(q.waits, now.wrapping_sub(q.since));
            }
        }
        account
    }

    /// Number of evaluations so far in which an arbiter of lanes or a multiplexer had a choice. The
    /// count is for asynchronous worms of one branch.
    #[must_use]
    pub fn contested(&self) -> u64 {
        self.contested
    }

    /// Number of the worms created. It does not look at the nodes, as [`Engine::totals`] does.
    #[must_use]
    pub fn worms_created(&self) -> u64 {
        self.totals.worms_created
    }

    /// Number of cycles for which the owner of a lane of a switch holds it, and the owner.
    fn holder(&self, switch: u32, out: &OutLane) -> Option<(u32, WormId)> {
        out.owner().map(|owner| {
            let owner = self.shape.first_lane(switch) / LANES * LANES + usize::from(owner);
            let worm = self.banks.input(owner).worm;
            ((self.now as u32).wrapping_sub(out.granted_at), self.worms.get(worm).info.id)
        })
    }

    /// Counters of every connected output lane; a lane that is held counts as held up to now.
    pub fn lane_stats(&self) -> impl Iterator<Item = LaneStats> + '_ {
        let lanes = (0..self.shape.params.out_lanes).map(usize::from);
        let all = self.switches().flat_map(move |(s, _, first)| lanes.clone().map(move |o| (s, o, first + o)));
        let outs = all.map(|(s, o, lane)| (s, o, self.banks.writer(lane), self.banks.output(lane)));
        outs.filter(|(_, _, _, out)| out.to != Far::NOWHERE).map(|(s, o, q, out)| {
            let top = (out.counters.top_held, WormId(out.counters.top_worm));
            let top = self.holder(s, out).map_or(top, |now| if now.0 > top.0 { now } else { top });
            LaneStats {
                switch: SwitchId(s),
                lane: o as u8,
                flits: q.flits,
                blocked: out.counters.blocked + self.blocked_now(s, o, out),
                top_worm: (top.0 > 0).then_some(top.1),
                top_held: u64::from(top.0),
            }
        })
    }

    /// Number of cycles for which the owner of output `lane` of a switch has had a flit for it but
    /// no credit.
    fn blocked_now(&self, switch: u32, lane: usize, out: &OutLane) -> u64 {
        let Some(by) = out.owner() else { return 0 };
        let (bank, first) = self.shape.bank(switch);
        let Bank { q, ins, .. } = &self.banks.0[bank as usize];
        let owner = &ins[usize::from(by)];
        let starved = q.replicating >> by & 1 != 0 && owner.starved >> first >> lane & 1 != 0;
        let blocked = starved || q.blocked >> by & 1 != 0;
        u64::from(blocked) * u64::from((self.now as u32).wrapping_sub(owner.since))
    }

    /// The worm for which other worms waited longest, and the worm-cycles of these waits, open
    /// waits included.
    #[must_use]
    pub fn most_blamed(&self) -> Option<(WormId, u64)> {
        let p = &self.shape.params;
        let mut open: BTreeMap<WormId, u64> = BTreeMap::new();
        for (s, q, first) in self.switches() {
            for input in bits(q.asking).map(|i| self.banks.input(first + i)) {
                let waited = (self.now as u32).wrapping_sub(input.due);
                let lanes = bits(input.wanted).fold(0, |lanes, group| lanes | p.group_lanes[group]);
                // A worm that owns several lanes of a group is waited for once.
                let mut longest: BTreeMap<WormId, u32> = BTreeMap::new();
                for (held, worm) in bits(lanes).filter_map(|o| self.holder(s, self.banks.output(first + o))) {
                    let most = longest.entry(worm).or_default();
                    *most = held.min(waited).max(*most);
                }
                for (worm, cycles) in longest {
                    *open.entry(worm).or_default() += u64::from(cycles);
                }
            }
        }
        self.worms.most_blamed(&open)
    }

    /// Age in cycles of the oldest request for a lane.
    #[must_use]
    pub fn oldest_request(&self) -> u64 {
        let asking = self.switches().flat_map(|(_, q, lane)| bits(q.asking).map(move |i| lane + i));
        let age = |lane| (self.now as u32).wrapping_sub(self.banks.input(lane).due);
        asking.map(age).max().unwrap_or(0).into()
    }
}
