//! The engine's state as the deadlock search sees it.

use std::collections::{BTreeMap, BTreeSet};

use wormscope_hw::link::Far;
use wormscope_hw::replication::Mode;
use wormscope_hw::switch::NO_LANE;
use wormscope_hw::{Flit, SwitchId, bits, fifo};

use crate::verify::snapshot::{Branch, Coupling, Hold, Lane, LaneRef, Segment, Snapshot};

use super::Engine;

impl Engine {
    /// Who holds what and wants what, at the end of the cycle evaluated last.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let p = &self.shape.params;
        let mut segments = Vec::new();
        let mut lanes = BTreeSet::new();
        for (s, q) in self.regs.iter().enumerate() {
            for i in bits(q.active) {
                let segment = self.segment(s, i);
                for branch in &segment.branches {
                    match &branch.hold {
                        Hold::Done => {}
                        Hold::Owns(lane) => {
                            lanes.insert(*lane);
                        }
                        Hold::Wants(group) | Hold::Later(group) => lanes.extend(group),
                    }
                }
                segments.push(segment);
            }
        }
        let index: BTreeMap<_, _> = segments.iter().enumerate().map(|(n, s)| ((s.switch, s.lane), n)).collect();
        let lanes = lanes.into_iter().map(|lane| {
            let o = lane.switch.index() * p.out_lanes as usize + lane.lane as usize;
            let to = self.outs[o].to;
            let owner = (self.outs[o].owner != NO_LANE).then_some(self.outs[o].owner);
            Lane {
                lane,
                owner: owner.and_then(|i| index.get(&(lane.switch, i)).copied()),
                free: if to.is_node() { u32::MAX } else { u32::from(p.fifo_depth) - self.flits_at(to).len() as u32 },
                front: if to.is_node() { None } else { index.get(&(SwitchId(to.instance()), to.lane())).copied() },
            }
        });
        Snapshot {
            cycle: self.now,
            fifo_depth: u32::from(p.fifo_depth),
            coupling: match p.replication {
                Mode::Asynchronous => Coupling::Asynchronous,
                Mode::Lockstep => Coupling::Lockstep,
                Mode::Buffered => Coupling::Buffered,
                Mode::Sequential => Coupling::Sequential,
            },
            atomic: p.atomic,
            lanes: lanes.collect(),
            segments,
        }
    }

    /// Flits in the FIFO of an input lane, front first, those on the link behind them.
    fn flits_at(&self, at: Far) -> Vec<Flit> {
        let p = &self.shape.params;
        let lane = at.instance() as usize * p.in_lanes as usize + at.lane() as usize;
        let q = self.ins[lane].fifo;
        let wires = self.fabric.switches.ring(at.instance());
        let on_link: u16 = wires.map(|w| (w.flits >> at.lane() & 1) as u16).sum();
        let slot = |ahead| lane * p.fifo_depth as usize + fifo::slot(q, ahead, p.fifo_depth) as usize;
        (0..q.count + on_link).map(|ahead| self.fabric.slots[slot(ahead)]).collect()
    }

    fn segment(&self, s: usize, i: usize) -> Segment {
        let p = &self.shape.params;
        let switch = SwitchId(s as u32);
        let lane = s * p.in_lanes as usize + i;
        let q = &self.ins[lane];
        let flits = self.flits_at(Far::switch(s as u32, i as u8));
        let here = flits.iter().take_while(|f| f.worm() == q.worm).count();
        let worm = &self.worms.get(q.worm).info;
        let next = flits.first().map_or_else(
            || {
                // Bubble: the flit popped last still stands in the cell before the read pointer.
                let before = if q.fifo.read == 0 { p.fifo_depth - 1 } else { q.fifo.read - 1 };
                self.fabric.slots[lane * p.fifo_depth as usize + before as usize].index() + 1
            },
            |front| front.index(),
        );
        let cycle = |low: u32| self.now - u64::from((self.now as u32).wrapping_sub(low));
        let lane_ref = |lane| LaneRef { switch, lane };
        let owned = bits(q.lanes).map(|o| {
            let out = &self.outs[s * p.out_lanes as usize + o];
            Branch {
                hold: Hold::Owns(lane_ref(o as u8)),
                taken: match p.replication {
                    Mode::Asynchronous | Mode::Lockstep => (q.taken >> o & 1) as u32,
                    Mode::Buffered | Mode::Sequential if self.regs[s].replicating >> i & 1 != 0 => u32::from(out.ahead),
                    Mode::Buffered | Mode::Sequential => 0,
                },
                blocked_since: cycle(out.granted_at),
            }
        });
        let sequential = p.replication == Mode::Sequential;
        let wanted = bits(q.wanted).enumerate().map(|(n, g)| {
            let outs = &self.outs[s * p.out_lanes as usize..];
            let group = bits(p.group_lanes[g]).filter(|&l| outs[l].to != Far::NOWHERE);
            let group = group.map(|l| lane_ref(l as u8)).collect();
            let later = sequential && (n > 0 || q.lanes != 0);
            Branch {
                hold: if later { Hold::Later(group) } else { Hold::Wants(group) },
                taken: 0,
                blocked_since: cycle(q.due),
            }
        });
        let from = q.from;
        let upstream = (!from.is_node()).then_some(from).filter(|from| {
            let by = self.outs[from.instance() as usize * p.out_lanes as usize + from.lane() as usize].owner;
            by != NO_LANE && self.ins[from.instance() as usize * p.in_lanes as usize + by as usize].worm == q.worm
        });
        Segment {
            switch,
            lane: i as u8,
            worm: worm.id,
            upstream: upstream.map(|f| LaneRef { switch: SwitchId(f.instance()), lane: f.lane() }),
            here: here as u32,
            remaining: worm.header_flits + worm.payload_flits - next,
            header_left: flits[..here].iter().filter(|f| f.is_header()).count() as u32,
            branches: owned.chain(wanted).collect(),
        }
    }
}
