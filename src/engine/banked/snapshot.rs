//! The engine's state as the deadlock search sees it.

use std::collections::{BTreeMap, BTreeSet};

use super::address::Far;
use super::switch::Reg;
use wormscope_hw::{Flit, Replication, SwitchId, bits, fifo, token_station};

use crate::snapshot::{Branch, Hold, Lane, LaneRef, Segment, Snapshot, Token};

use super::Engine;
use wormscope_hw::token_ring::Reg as Place;

impl Engine {
    /// Worms with the lanes that they hold and the lanes that they want, at the end of the last
    /// evaluated cycle.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let p = &self.shape.params;
        let mut segments = Vec::new();
        let mut lanes = BTreeSet::new();
        for (s, q, _) in self.switches() {
            for i in bits(q.active) {
                let segment = self.segment(s, &q, i as u8);
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
            let at = self.shape.first_lane(lane.switch.0) + lane.lane as usize;
            let owner = self.banks.output(at).owner();
            let (bank, to) = (self.shape.bank(lane.switch.0).0, self.banks.output(at).to);
            let front = |bank, lane| {
                let (switch, lane) = self.shape.switch_of(bank, lane);
                index.get(&(SwitchId(switch), lane)).copied()
            };
            Lane {
                lane,
                owner: owner.and_then(|owner| front(bank, owner)),
                free: (!to.is_node()).then(|| u32::from(self.shape.fifo_depth) - self.flits_at(to).len() as u32),
                front: if to.is_node() { None } else { front(to.instance(), to.lane()) },
            }
        });
        let rings = &self.fabric.aside.rings;
        let tokens = rings.places(self.now).enumerate().map(|(ring, (place, stations))| {
            let stations: Vec<_> = stations.collect();
            let switches = stations.iter().map(|(switch, _)| SwitchId(*switch)).collect();
            let holder = if let Place::Held(at) = place { Some(stations[at as usize]) } else { None };
            let holder = holder.and_then(|(s, q)| {
                let input = q.holder?;
                Some((*index.get(&(SwitchId(s), input))?, self.token_left(s, q, input)))
            });
            Token {
                switches,
                holder: holder.map(|(segment, _)| segment),
                held_since: rings.held_since(ring).unwrap_or(self.now),
                release_after: holder.map_or(0, |(segment, left)| left.min(segments[segment].remaining)),
            }
        });
        let tokens = tokens.collect();
        Snapshot {
            cycle: self.now,
            coupling: p.replication,
            atomic: p.atomic,
            lanes: lanes.collect(),
            tokens,
            segments,
        }
    }

    /// Flits that the `holder` of a token has still to pop before it releases the token, as if its
    /// worm had no end.
    fn token_left(&self, s: u32, q: &token_station::Reg, holder: u8) -> u32 {
        let enc = self.banks.input(self.shape.first_lane(s) + usize::from(holder)).enc;
        let bound = self.shape.token_bound(self.fabric.aside.rings.to_come(s), enc);
        bound + 1 - q.forwarded
    }

    /// Flits in the FIFO of an input lane, from the front, and after them the flits on the link.
    pub(super) fn flits_at(&self, at: Far) -> Vec<Flit> {
        let p = &self.shape.params;
        let lane = at.number();
        let (read, count) = (self.banks.reader(lane).read, self.banks.masks(at.instance()).flits.get(at.lane().into()));
        let wires = self.fabric.switches.ring(at.instance());
        let on_link: u16 = wires.map(|w| (w.flits >> at.lane() & 1) as u16).sum();
        let slot = |ahead| lane * p.fifo_depth as usize + fifo::slot(read, ahead, p.fifo_depth) as usize;
        (0..count + on_link).map(|ahead| self.fabric.slots[slot(ahead)]).collect()
    }

    /// The worm in service at input `i` of switch `s`, whose registers are `reg`.
    fn segment(&self, s: u32, reg: &Reg, i: u8) -> Segment {
        let p = &self.shape.params;
        let switch = SwitchId(s);
        let first = self.shape.first_lane(s);
        let lane = first + i as usize;
        let (q, reader) = (self.banks.input(lane), self.banks.reader(lane));
        let flits = self.flits_at(self.shape.at(switch, i));
        let here = flits.iter().take_while(|f| f.worm() == q.worm).count();
        let worm = &self.worms.get(q.worm).info;
        let next = flits.first().map_or_else(
            || {
                // Bubble: the last popped flit is still in the cell before the read pointer.
                let before = if reader.read == 0 { p.fifo_depth - 1 } else { reader.read - 1 };
                self.fabric.slots[lane * p.fifo_depth as usize + before as usize].index() + 1
            },
            |front| front.index(),
        );
        let cycle = |low: u32| self.now - u64::from((self.now as u32).wrapping_sub(low));
        let lane_ref = |lane| LaneRef { switch, lane };
        let field = self.shape.bank(s).1;
        let owned = bits(reader.lanes >> field).map(|o| {
            let out = self.banks.output(first + o);
            Branch {
                hold: Hold::Owns(lane_ref(o as u8)),
                taken: match p.replication {
                    Replication::Asynchronous | Replication::Lockstep | Replication::Synchronous => {
                        (q.taken >> field >> o & 1) as u32
                    }
                    Replication::Buffered | Replication::Sequential if reg.replicating >> i & 1 != 0 => {
                        u32::from(out.ahead)
                    }
                    Replication::Buffered | Replication::Sequential => 0,
                },
                blocked_since: cycle(out.granted_at),
            }
        });
        let sequential = p.replication == Replication::Sequential;
        let rings = &self.fabric.aside.rings;
        let waits = rings.station(switch.0).is_some_and(|station| station.request.has(i));
        let awaits = rings.place_of(switch.0).filter(|_| waits).map(|(ring, _)| ring);
        let wanted = bits(q.wanted).enumerate().map(|(n, g)| {
            let group = bits(p.group_lanes[g]).filter(|&l| self.banks.output(first + l).to != Far::NOWHERE);
            let group = group.map(|l| lane_ref(l as u8)).collect();
            let later = awaits.is_some() || sequential && (n > 0 || reader.lanes != 0);
            Branch {
                hold: if later { Hold::Later(group) } else { Hold::Wants(group) },
                taken: 0,
                blocked_since: cycle(if awaits.is_some() { q.since } else { q.due }),
            }
        });
        let (from, remaining) = (q.from, worm.header_flits + worm.payload_flits - next);
        // A worm around a ring may own the lane again that its tail has left.
        let upstream = (!from.is_node() && here < remaining as usize).then_some(from).filter(|from| {
            let worm = |by| self.banks.input(Far::switch(from.instance(), by).number()).worm;
            self.banks.output(from.number()).owner().map(worm) == Some(q.worm)
        });
        Segment {
            switch,
            lane: i,
            worm: worm.id,
            upstream: upstream.map(|f| {
                let (switch, lane) = self.shape.switch_of(f.instance(), f.lane());
                LaneRef { switch: SwitchId(switch), lane }
            }),
            depth: (if from.is_node() { self.shape.node.injection_depth } else { self.shape.fifo_depth }).into(),
            here: here as u32,
            remaining,
            header_left: flits[..here].iter().filter(|f| f.is_header()).count() as u32,
            awaits,
            branches: owned.chain(wanted).collect(),
        }
    }
}
