//! State of the network for the search for deadlocks: the worms in service with the lanes that they
//! hold and want.

use std::collections::{BTreeMap, BTreeSet};

use wormscope_hw::{Replication, SwitchId, bits};

use super::Planes;
use super::sweep::Router;
use super::wired::Far;
use crate::snapshot::{Branch, Hold, Lane, LaneRef, Segment, Snapshot};

impl Planes {
    /// Worms with the lanes that they hold and the lanes that they want, at the end of the last
    /// evaluated cycle. `None` in a network that cannot deadlock.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        if !self.can_deadlock {
            return None;
        }
        let (grid, lanes) = (&self.heads.grid, self.lanes());
        let (mut segments, mut named) = (Vec::new(), BTreeSet::new());
        let cycle = |low: u32| self.now - u64::from((self.now as u32).wrapping_sub(low));
        for router in 0..self.routers() {
            let (of, switch) = (self.router(router), SwitchId(router as u32));
            let lane_ref = |lane: usize| LaneRef { switch, lane: lane as u8 };
            for (lane, q) in of.inputs[..lanes].iter().enumerate().filter(|(_, q)| q.active) {
                let at = router * lanes + lane;
                let (input, front) = (self.heads.input(at), self.segments(router, &of, lane)[0]);
                let info = &self.heads.worms.get(input.service.worm()).info;
                let owned = bits(q.owns).map(|o| Branch {
                    hold: Hold::Owns(lane_ref(o)),
                    taken: of.outputs[o].ahead,
                    blocked_since: cycle(self.granted(router, &of, o)),
                });
                let sequential = self.params.replication == Replication::Sequential;
                let wanted = bits(q.asks).enumerate().map(|(n, first)| {
                    let group = (0..lanes).filter(|&lane| grid.group_of(lane) == first);
                    let there = group.filter(|&lane| self.shape.output(router as u32, lane as u8).is_some());
                    let group = there.map(lane_ref).collect();
                    let later = sequential && (n > 0 || q.owns != 0);
                    let hold = if later { Hold::Later(group) } else { Hold::Wants(group) };
                    Branch { hold, taken: 0, blocked_since: cycle(input.asked) }
                });
                let branches: Vec<Branch> = owned.chain(wanted).collect();
                for branch in &branches {
                    match &branch.hold {
                        Hold::Owns(lane) => named.extend([*lane]),
                        Hold::Wants(group) | Hold::Later(group) => named.extend(group),
                        Hold::Done => {}
                    }
                }
                let here = front.here + front.coming;
                let is_injected = matches!(grid.from(router, lane), Far::Node(_));
                let depth = if is_injected { self.params.injection_depth } else { self.params.fifo_depth };
                let remaining = info.header_flits + info.payload_flits - front.first;
                segments.push(Segment {
                    switch,
                    lane: lane as u8,
                    worm: info.id,
                    upstream: self.upstream(router, lane, input.service.worm()).filter(|_| here < remaining),
                    depth,
                    here,
                    remaining,
                    header_left: info.header_flits.saturating_sub(front.first).min(here),
                    awaits: None,
                    branches,
                });
            }
        }
        let index: BTreeMap<_, _> = segments.iter().enumerate().map(|(n, s)| ((s.switch, s.lane), n)).collect();
        let lanes = named.into_iter().map(|lane| {
            let (router, out) = (lane.switch.index(), usize::from(lane.lane));
            let owner = self.router(router).outputs[out].owner;
            let to = match grid.leads_to(router, out) {
                Far::Lane(far) => Some((far as usize / lanes, far as usize % lanes)),
                Far::Node(_) | Far::Nothing => None,
            };
            let flits = |(to, input): (usize, usize)| {
                let of = self.router(to);
                self.segments(to, &of, input).iter().map(|of| of.here + of.coming).sum::<u32>()
            };
            Lane {
                lane,
                owner: owner.and_then(|input| index.get(&(lane.switch, input)).copied()),
                free: to.map(|to| self.params.fifo_depth - flits(to)),
                front: to.and_then(|(to, input)| index.get(&(SwitchId(to as u32), input as u8)).copied()),
            }
        });
        let lanes = lanes.collect();
        Some(Snapshot {
            cycle: self.now,
            coupling: self.params.replication,
            atomic: false,
            lanes,
            tokens: Vec::new(),
            segments,
        })
    }

    /// Low 32 bits of the cycle in which the owner of an output lane got it.
    pub(super) fn granted(&self, router: usize, of: &Router, output: usize) -> u32 {
        // A head that has had no turn got its lane in the cycle before.
        let is_new = of.outputs[output].first && !of.outputs[output].late;
        if is_new { (self.now as u32).wrapping_sub(1) } else { self.heads.output(router, output).granted }
    }

    /// The output lane that feeds an input lane, if the worm in service there still owns it.
    fn upstream(&self, router: usize, lane: usize, worm: u32) -> Option<LaneRef> {
        let Far::Lane(far) = self.heads.grid.from(router, lane) else { return None };
        let (before, out) = (far as usize / self.lanes(), far as usize % self.lanes());
        let input = self.router(before).outputs[out].owner?;
        let same = self.heads.input(before * self.lanes() + usize::from(input)).service.worm() == worm;
        same.then_some(LaneRef { switch: SwitchId(before as u32), lane: out as u8 })
    }

    /// Age in cycles of the oldest request for a lane. It is 0 in a network that cannot deadlock.
    #[must_use]
    pub fn oldest_request(&self) -> u64 {
        if !self.can_deadlock {
            return 0;
        }
        let of = |router| {
            let asking = (0..).zip(self.router(router).inputs).filter(|(_, q)| q.asks_now(self.params.replication));
            let asked = asking.map(|(lane, _): (usize, _)| self.heads.input(router * self.lanes() + lane).asked);
            asked.map(|asked| (self.now as u32).wrapping_sub(asked)).max()
        };
        (0..self.routers()).filter_map(of).max().unwrap_or(0).into()
    }
}
