//! The wait-for relation of a [`Snapshot`] and its fixpoint: the number of flits that every branch
//! can still take.
//!
//! Flits are counted from the front of the FIFO of a segment with `remaining` flits to go:
//!
//! - `own(b)`: flits that branch b can take as far as its own output allows. All of them, if a
//!   wanted lane can be obtained: it is free, or its owner's tail can cross. Into a full FIFO, the
//!   flits that fit and the `pops` of the segment at its front. None, while the worm waits for a
//!   token whose holder cannot get far enough to release it.
//! - `pops(s)`: flits that can leave the FIFO with enough supply: the least `own` of its branches.
//! - `crosses(b)`: flits that can really cross: `own`, limited by the siblings and by the flits
//!   that arrive from upstream. The lane is released when all `remaining` cross.

use std::collections::{HashMap, VecDeque};

use crate::engine::snapshot::{Branch, Hold, LaneRef, Segment, Snapshot};
use wormscope_hw::Replication;

/// A branch: (segment, branch within it).
pub(super) type BranchId = (usize, usize);

/// The snapshot with its relations indexed in both directions.
pub(super) struct Net<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) lanes: HashMap<LaneRef, LaneUse>,
    /// For each segment, the owner of the lane whose FIFO has the segment at its front. It gains
    /// from the segment's pops.
    pusher: Vec<Option<usize>>,
    /// The token that a segment holds.
    held: Vec<Option<usize>>,
    /// Segments that wait for each token.
    waiting: Vec<Vec<usize>>,
}

#[derive(Default)]
pub(super) struct LaneUse {
    free: Option<u32>,
    pub(super) front: Option<usize>,
    /// The branch that owns the lane.
    pub(super) holder: Option<BranchId>,
    /// Segments that want the lane.
    waiters: Vec<usize>,
    /// The segment of the same worm that the lane feeds.
    pub(super) fed: Option<usize>,
}

/// Limits of the progress of each segment and branch, in flits from the front of each FIFO. The
/// limits grow to the fixpoint.
pub(super) struct Reach {
    pub(super) own: Vec<Vec<u32>>,
    crosses: Vec<Vec<u32>>,
    pub(super) pops: Vec<u32>,
    /// Relations younger than this cycle are assumed to dissolve.
    until: u64,
}

impl<'a> Net<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let mut lanes: HashMap<LaneRef, LaneUse> = snapshot
            .lanes
            .iter()
            .map(|l| (l.lane, LaneUse { free: l.free, front: l.front, ..LaneUse::default() }))
            .collect();
        for (s, segment) in snapshot.segments.iter().enumerate() {
            for (b, branch) in segment.branches.iter().enumerate() {
                match &branch.hold {
                    Hold::Owns(lane) => lanes.entry(*lane).or_default().holder = Some((s, b)),
                    Hold::Wants(group) => {
                        for lane in group {
                            lanes.entry(*lane).or_default().waiters.push(s);
                        }
                    }
                    Hold::Done | Hold::Later(_) => {}
                }
            }
            if let Some(lane) = segment.upstream {
                lanes.entry(lane).or_default().fed = Some(s);
            }
        }
        let mut pusher = vec![None; snapshot.segments.len()];
        for lane in lanes.values() {
            if let (Some(front), Some((owner, _))) = (lane.front, lane.holder) {
                pusher[front] = Some(owner);
            }
        }
        let mut held = vec![None; snapshot.segments.len()];
        for (t, token) in snapshot.tokens.iter().enumerate() {
            if let Some(holder) = token.holder {
                held[holder] = Some(t);
            }
        }
        let mut waiting = vec![Vec::new(); snapshot.tokens.len()];
        for (s, segment) in snapshot.segments.iter().enumerate() {
            if let Some(t) = segment.awaits {
                waiting[t].push(s);
            }
        }
        Self { snapshot, lanes, pusher, held, waiting }
    }

    /// The least fixpoint, with relations younger than `until` assumed to dissolve.
    pub(super) fn reach(&self, until: u64) -> Reach {
        let segments = &self.snapshot.segments;
        let taken: Vec<Vec<u32>> = segments.iter().map(|s| s.branches.iter().map(|b| b.taken).collect()).collect();
        let mut reach = Reach {
            own: taken.iter().map(|t| vec![0; t.len()]).collect(),
            crosses: taken,
            pops: vec![0; segments.len()],
            until,
        };
        let mut work: VecDeque<usize> = (0..segments.len()).collect();
        let mut queued = vec![true; segments.len()];
        let mut gains = Vec::new();
        while let Some(s) = work.pop_front() {
            queued[s] = false;
            self.update(s, &mut reach, &mut gains);
            for gainer in gains.drain(..) {
                if !std::mem::replace(&mut queued[gainer], true) {
                    work.push_back(gainer);
                }
            }
        }
        reach
    }

    /// Raises the bounds of one segment and lists the segments that may gain from this.
    fn update(&self, s: usize, reach: &mut Reach, gains: &mut Vec<usize>) {
        let segment = &self.snapshot.segments[s];
        let rest = segment.remaining;
        let grantable = !self.snapshot.atomic || segment.branches.iter().all(|b| self.may_get(b, reach));
        let parked = segment.awaits.is_some_and(|t| !self.token_free(t, reach));
        for (b, branch) in segment.branches.iter().enumerate() {
            let held_up = parked && branch.blocked_since <= reach.until;
            reach.own[s][b] = if held_up { 0 } else { self.own(rest, branch, grantable, reach) };
        }
        let own = &reach.own[s];
        let pops = match self.snapshot.coupling {
            Replication::Sequential => match own.split_last() {
                Some((last, before)) if before.iter().all(|&o| o >= rest) => *last,
                Some(_) => 0,
                None => rest,
            },
            Replication::Asynchronous | Replication::Lockstep | Replication::Buffered | Replication::Synchronous => {
                own.iter().copied().min().unwrap_or(rest)
            }
        };
        if pops > reach.pops[s] {
            reach.pops[s] = pops;
            gains.extend(self.pusher[s]);
        }
        if let Some(t) = self.held[s]
            && self.token_free(t, reach)
        {
            gains.extend(&self.waiting[t]);
        }
        let supply = self.supply(s, reach);
        for (b, branch) in segment.branches.iter().enumerate() {
            let passed = match &branch.hold {
                Hold::Done => rest,
                _ if branch.blocked_since > reach.until => rest,
                _ => reach.own[s][b].min(self.siblings_allow(s, b, reach)).min(supply),
            };
            if passed > reach.crosses[s][b] {
                reach.crosses[s][b] = passed;
                if let Hold::Owns(lane) = &branch.hold
                    && let Some(lane) = self.lanes.get(lane)
                {
                    gains.extend(lane.fed);
                    if passed >= rest {
                        gains.extend(&lane.waiters);
                    }
                }
            }
        }
    }

    /// Flits that a branch can take as far as its own output allows.
    fn own(&self, rest: u32, branch: &Branch, grantable: bool, reach: &Reach) -> u32 {
        match &branch.hold {
            _ if branch.blocked_since > reach.until => rest,
            // A later branch has not asked, so every lane may be free for it.
            Hold::Done | Hold::Later(_) => rest,
            Hold::Wants(_) if grantable && self.may_get(branch, reach) => rest,
            Hold::Wants(_) => 0,
            Hold::Owns(lane) => match self.lanes.get(lane) {
                Some(&LaneUse { free: Some(free), front: Some(front), .. }) if self.stuck(front, reach) => {
                    branch.taken.saturating_add(free).saturating_add(reach.pops[front]).min(rest)
                }
                _ => rest,
            },
        }
    }

    /// Flits that a branch can take as far as its siblings allow.
    fn siblings_allow(&self, s: usize, b: usize, reach: &Reach) -> u32 {
        let segment = &self.snapshot.segments[s];
        if let Some(window) = self.window(s) {
            let others = reach.own[s].iter().enumerate().filter(|&(k, _)| k != b);
            others.map(|(_, own)| own.saturating_add(window)).min().unwrap_or(segment.remaining)
        } else if reach.crosses[s][..b].iter().all(|&c| c >= segment.remaining) {
            segment.remaining
        } else {
            0
        }
    }

    /// Number of flits by which a branch of a segment may be ahead of the slowest. `None` when they
    /// go one after the other.
    pub(super) fn window(&self, s: usize) -> Option<u32> {
        match self.snapshot.coupling {
            Replication::Asynchronous | Replication::Synchronous => Some(1),
            Replication::Lockstep => Some(0),
            Replication::Buffered => Some(self.snapshot.segments[s].depth),
            Replication::Sequential => None,
        }
    }

    /// Flits of the worm that can ever be in this FIFO.
    pub(super) fn supply(&self, s: usize, reach: &Reach) -> u32 {
        let segment = &self.snapshot.segments[s];
        match self.feeder(segment) {
            Some((up, b)) => {
                let taken = self.snapshot.segments[up].branches[b].taken;
                let more = reach.crosses[up][b] - taken;
                segment.here.saturating_add(more).min(segment.remaining)
            }
            None => segment.remaining,
        }
    }

    pub(super) fn feeder(&self, segment: &Segment) -> Option<BranchId> {
        self.lanes.get(&segment.upstream?)?.holder
    }

    /// Whether a lane that the branch wants can become free; true when it wants none.
    pub(super) fn may_get(&self, branch: &Branch, reach: &Reach) -> bool {
        match &branch.hold {
            Hold::Wants(group) if branch.blocked_since <= reach.until => {
                group.is_empty() || group.iter().any(|lane| self.released(*lane, reach))
            }
            _ => true,
        }
    }

    fn released(&self, lane: LaneRef, reach: &Reach) -> bool {
        match self.lanes.get(&lane).and_then(|l| l.holder) {
            Some((s, b)) => reach.crosses[s][b] >= self.snapshot.segments[s].remaining,
            None => true,
        }
    }

    /// Whether a token circulates, or its holder can get far enough to release it.
    pub(super) fn token_free(&self, t: usize, reach: &Reach) -> bool {
        let token = &self.snapshot.tokens[t];
        let popped = |holder: usize| reach.pops[holder].min(self.supply(holder, reach));
        token.held_since > reach.until || token.holder.is_none_or(|holder| popped(holder) >= token.release_after)
    }

    /// Whether a segment is stuck: it cannot leave its FIFO even with all its flits there.
    pub(super) fn stuck(&self, s: usize, reach: &Reach) -> bool {
        reach.pops[s] < self.snapshot.segments[s].remaining
    }

    /// Whether the flits that can still arrive of a worm are fewer than its rest, because a branch
    /// further up is stuck.
    pub(super) fn starved(&self, s: usize, reach: &Reach) -> bool {
        self.supply(s, reach) < self.snapshot.segments[s].remaining
    }

    pub(super) fn any_stuck(&self, reach: &Reach) -> bool {
        (0..self.snapshot.segments.len()).any(|s| self.stuck(s, reach))
    }
}
