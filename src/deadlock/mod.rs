//! Exact search for deadlocks: a fixpoint over the wait-for relation of a [`Snapshot`], without a
//! timeout.
//!
//! The search assumes that everything moves that is not proved stuck. A free lane is granted to all
//! worms that want it. An undecided header finds its route. A circulating token comes to all worms
//! that wait for it. A node takes every flit.
//!
//! The least fixpoint gives the number of flits that every branch can still take. A segment is
//! *stuck* when a branch of it can never take the rest of the worm. Since the assumptions are
//! optimistic, there is no false alarm. There is no miss once the stuck worms are stationary. Then
//! all that they wait for is owned, and the owners are in the fixpoint.
//!
//! A relation holds since `blocked_since`. The deadlock is *final* at the first cycle τ whose
//! relations alone are still deadlocked. Everything younger is assumed to move freely. Flit counts
//! need no history: while a worm pushes into a stuck FIFO, the number of flits that it can still
//! push stays the same.

mod relation;
mod wait_for;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wormscope_hw::{SwitchId, WormId};

use super::engine::snapshot::{Hold, LaneRef, Segment, Snapshot};
pub use relation::{Names, Relation, Row, Want};
use wait_for::{BranchId, Net, Reach};

/// A deadlock: worms that will never move again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// First cycle from which no continuation resolves the deadlock: the latest request or grant of
    /// a member.
    pub final_cycle: u64,
    /// Cycle in which the search found the deadlock.
    pub detected: u64,
    /// The dependency cycle: each worm waits for the next, and the last for the first. It starts at
    /// the lowest (worm, switch, lane).
    pub cycle: Vec<Member>,
    /// Further members that the cycle needs. They own other lanes of a group that a member wants,
    /// or such an owner waits for them.
    pub also: Vec<Member>,
    /// Other worms that will never arrive completely. They wait for members, or they are in a
    /// deadlock that closed later.
    pub behind: Vec<WormId>,
    /// Snapshot in which the search found the deadlock.
    pub snapshot: Snapshot,
}

/// A worm at a switch at which it waits for another worm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The worm.
    pub worm: WormId,
    /// The switch at which the worm waits.
    pub switch: SwitchId,
    /// Input lane of that switch that holds its flits.
    pub lane: u8,
    /// Lanes of the deadlock that the worm owns, here and at other switches.
    pub holds: Vec<LaneRef>,
    /// Lanes for which the worm waits. Lanes that close the cycle come first.
    pub wants: Vec<LaneRef>,
    /// Wanted lanes that a branch of the worm already owns here. The branch waits for space in the
    /// full FIFO at their end.
    pub space: Vec<LaneRef>,
    /// For each wanted lane, the worm in the way: its owner, or the worm at the front of the full
    /// FIFO at its end.
    pub owners: Vec<(LaneRef, WormId)>,
    /// Token for which the worm waits before it asks for lanes, and the worm that holds the token.
    pub awaits: Option<(TokenRef, WormId)>,
    /// Token that the worm holds, and for which another member waits.
    pub token: Option<TokenRef>,
    /// Flits of the worm in this FIFO.
    pub flits_held: u32,
    /// Header flits among the held flits.
    pub header_left: u32,
    /// Cycle since which the worm waits.
    pub blocked_since: u64,
}

/// The token of a ring.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenRef {
    /// The switches that share the token.
    pub switches: Vec<SwitchId>,
}

/// Searches a snapshot for a deadlock. If there are several, it returns the deadlock that was final
/// first.
#[must_use]
pub fn search(snapshot: &Snapshot) -> Option<Deadlock> {
    let net = Net::new(snapshot);
    let now = net.reach(u64::MAX);
    if !net.any_stuck(&now) {
        return None;
    }
    let relations = snapshot.segments.iter().flat_map(|s| s.branches.iter().map(|b| b.blocked_since));
    let mut times: Vec<u64> = relations.chain(snapshot.tokens.iter().map(|t| t.held_since)).collect();
    times.sort_unstable();
    times.dedup();
    let first = times.partition_point(|&t| !net.any_stuck(&net.reach(t)));
    let final_cycle = times.get(first).copied().unwrap_or(snapshot.cycle);
    let core = Core { net: &net, reach: net.reach(final_cycle) };
    let (cycle, also) = core.members();
    let named: BTreeSet<WormId> = cycle.iter().chain(&also).map(|m| m.worm).collect();
    let stopped: BTreeSet<WormId> = (0..snapshot.segments.len())
        .filter(|&s| net.stuck(s, &now) || net.starved(s, &now))
        .map(|s| snapshot.segments[s].worm)
        .collect();
    let behind = stopped.difference(&named).copied().collect();
    Some(Deadlock { final_cycle, detected: snapshot.cycle, cycle, also, behind, snapshot: snapshot.clone() })
}

/// The stuck part of the relation, from which the search makes the members of a deadlock.
struct Core<'a> {
    net: &'a Net<'a>,
    reach: Reach,
}

/// Cause of a stuck branch: the branch in its way, and the lanes on the way there that the other
/// worm holds.
struct Cause {
    branch: BranchId,
    through: Vec<LaneRef>,
}

impl Core<'_> {
    /// The dependency cycle in order, and the further members that it needs.
    fn members(&self) -> (Vec<Member>, Vec<Member>) {
        let cycle = self.cycle();
        let mut closure: BTreeSet<BranchId> = cycle.iter().copied().collect();
        let mut work = cycle.clone();
        let mut held: BTreeMap<WormId, BTreeSet<LaneRef>> = BTreeMap::new();
        let mut tokens = BTreeMap::new();
        while let Some(branch) = work.pop() {
            let segment = self.segment(branch);
            if let Some((token, holder)) = self.awaited(segment) {
                tokens.insert(holder, token);
            }
            let here = segment.branches.iter().filter_map(|b| if let Hold::Owns(l) = b.hold { Some(l) } else { None });
            held.entry(segment.worm).or_default().extend(here);
            for cause in self.causes(branch) {
                held.entry(self.segment(cause.branch).worm).or_default().extend(cause.through);
                if closure.insert(cause.branch) {
                    work.push(cause.branch);
                }
            }
        }
        let key = |m: &Member| (m.worm, m.switch, m.lane);
        let on_cycle: BTreeSet<usize> = cycle.iter().map(|&(s, _)| s).collect();
        let waiting = cycle.into_iter().filter(|&b| self.waits(b));
        let mut ring: Vec<Member> = waiting.map(|b| self.member(b, &held, &tokens)).collect();
        let start = (0..ring.len()).min_by_key(|&i| key(&ring[i])).unwrap_or(0);
        ring.rotate_left(start);
        let others = closure.into_iter().filter(|&b| self.waits(b) && !on_cycle.contains(&b.0));
        let mut also: Vec<Member> = others.map(|b| self.member(b, &held, &tokens)).collect();
        also.sort_by_key(key);
        also.dedup_by_key(|m| key(m));
        (ring, also)
    }

    /// Follows one cause after the other from the lowest stuck segment until the walk closes.
    fn cycle(&self) -> Vec<BranchId> {
        let segments = &self.net.snapshot.segments;
        let stuck = (0..segments.len()).filter(|&s| self.net.stuck(s, &self.reach));
        let start = stuck.min_by_key(|&s| (segments[s].worm, segments[s].switch, segments[s].lane));
        let mut walk: Vec<BranchId> = Vec::new();
        let mut position = HashMap::new();
        let mut next = start.and_then(|s| self.culprit(s, None));
        while let Some(branch) = next {
            if let Some(first) = position.insert(branch, walk.len()) {
                return walk.split_off(first);
            }
            walk.push(branch);
            next = self.causes(branch).first().map(|c| c.branch);
        }
        walk
    }

    fn segment(&self, (s, _): BranchId) -> &Segment {
        &self.net.snapshot.segments[s]
    }

    fn hold(&self, (s, b): BranchId) -> &Hold {
        &self.net.snapshot.segments[s].branches[b].hold
    }

    /// The branch of a segment that keeps branch `of`, or the segment as a whole, from ever
    /// completing.
    fn culprit(&self, s: usize, of: Option<usize>) -> Option<BranchId> {
        let segment = &self.net.snapshot.segments[s];
        let own = &self.reach.own[s];
        let holds_back = |k: usize| match (of, self.net.window(s)) {
            (Some(b), Some(window)) => k == b || own[k].saturating_add(window) < segment.remaining,
            (Some(b), None) => k <= b,
            (None, _) => true,
        };
        let candidates = (0..own.len()).filter(|&k| self.blocked((s, k)) && holds_back(k));
        candidates.min_by_key(|&k| (self.net.window(s).map(|_| own[k]), k)).map(|k| (s, k))
    }

    /// Whether a branch can never take the rest of its worm. With atomic acquisition, a branch that
    /// lacks only its siblings' lanes does not count.
    fn blocked(&self, (s, b): BranchId) -> bool {
        let segment = &self.net.snapshot.segments[s];
        self.reach.own[s][b] < segment.remaining
            && match segment.branches[b].hold {
                Hold::Wants(_) => !self.net.may_get(&segment.branches[b], &self.reach),
                _ => true,
            }
    }

    /// Causes of a stuck branch. This is the holder of its token, every owner of its group, or the
    /// front of the full FIFO at the end of its lane.
    fn causes(&self, branch: BranchId) -> Vec<Cause> {
        if let Some(t) = self.segment(branch).awaits {
            return self.why_kept(t).into_iter().collect();
        }
        match self.hold(branch) {
            Hold::Wants(group) => {
                let holders = group.iter().filter_map(|lane| self.net.lanes.get(lane)?.holder);
                holders.filter_map(|holder| self.why_held(holder)).collect()
            }
            Hold::Owns(lane) => {
                let front = self.net.lanes.get(lane).and_then(|l| l.front);
                let culprit = front.and_then(|s| self.culprit(s, None));
                culprit.map(|branch| Cause { branch, through: Vec::new() }).into_iter().collect()
            }
            Hold::Done | Hold::Later(_) => Vec::new(),
        }
    }

    /// Reason why the holder of a token does not release it. A branch cannot go far enough, or it
    /// starves and the reason is upstream.
    fn why_kept(&self, t: usize) -> Option<Cause> {
        let token = &self.net.snapshot.tokens[t];
        let holder = token.holder?;
        if self.reach.pops[holder] < token.release_after {
            return self.culprit(holder, None).map(|branch| Cause { branch, through: Vec::new() });
        }
        self.why_held(self.net.feeder(&self.net.snapshot.segments[holder])?)
    }

    /// The token that a segment waits for, and the worm that holds it.
    fn awaited(&self, segment: &Segment) -> Option<(TokenRef, WormId)> {
        let token = &self.net.snapshot.tokens[segment.awaits?];
        Some((TokenRef { switches: token.switches.clone() }, self.net.snapshot.segments[token.holder?].worm))
    }

    /// Reason why a branch does not release its lane. The branch or a sibling is stuck, or the
    /// branch starves and the reason is upstream.
    fn why_held(&self, holder: BranchId) -> Option<Cause> {
        let mut through = Vec::new();
        let mut at = holder;
        loop {
            if let Hold::Owns(lane) = self.hold(at) {
                through.push(*lane);
            }
            if let Some(branch) = self.culprit(at.0, Some(at.1)) {
                return Some(Cause { branch, through });
            }
            at = self.net.feeder(self.segment(at))?;
        }
    }

    /// Whether a stuck branch waits for another worm. If not, the branch waits only for the head of
    /// its own worm further down.
    fn waits(&self, branch: BranchId) -> bool {
        match self.hold(branch) {
            Hold::Owns(lane) => {
                self.net.lanes.get(lane).is_some_and(|l| l.front.is_some() && (l.fed.is_none() || l.front != l.fed))
            }
            _ => true,
        }
    }

    fn member(
        &self,
        branch: BranchId,
        held: &BTreeMap<WormId, BTreeSet<LaneRef>>,
        tokens: &BTreeMap<WormId, TokenRef>,
    ) -> Member {
        let segment = self.segment(branch);
        let (s, closing) = branch;
        let (mut owners, mut space) = (Vec::new(), Vec::new());
        let others = (0..segment.branches.len()).filter(|&k| k != closing && self.blocked((s, k)));
        for k in std::iter::once(closing).chain(others) {
            match self.hold((s, k)) {
                Hold::Wants(group) => owners.extend(group.iter().filter_map(|l| {
                    let holder = self.net.lanes.get(l)?.holder?;
                    Some((*l, self.segment(holder).worm))
                })),
                Hold::Owns(l) if self.waits((s, k)) => {
                    if let Some(front) = self.net.lanes.get(l).and_then(|u| u.front) {
                        owners.push((*l, self.net.snapshot.segments[front].worm));
                        space.push(*l);
                    }
                }
                _ => {}
            }
        }
        Member {
            worm: segment.worm,
            switch: segment.switch,
            lane: segment.lane,
            holds: held.get(&segment.worm).map(|h| h.iter().copied().collect()).unwrap_or_default(),
            wants: owners.iter().map(|(l, _)| *l).collect(),
            space,
            owners,
            awaits: self.awaited(segment),
            token: tokens.get(&segment.worm).cloned(),
            flits_held: segment.here,
            header_left: segment.header_left,
            blocked_since: segment.branches[closing].blocked_since,
        }
    }
}

#[cfg(test)]
mod tests;
