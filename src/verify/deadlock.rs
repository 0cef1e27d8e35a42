//! Exact search for deadlocks: a fixpoint over the wait-for relation of a [`Snapshot`], not a time-out.
//!
//! Everything is assumed to move that is not proved stuck: a free lane is granted to all who want it, an undecided header
//! finds its way, a node takes every flit. The least fixpoint says how many flits every branch can still take; a segment is
//! *stuck* when a branch of it can never take the rest of the worm. Optimism rules out false alarms. There is no miss once the
//! stuck worms are stationary: what they wait for is then owned, and its owners are in the fixpoint.
//!
//! Flits are counted from the front of the FIFO of a segment with `remaining` flits to go:
//!
//! - `own(b)`: flits branch b can take as far as its own output goes. All of them once a wanted lane is obtainable (free, or
//!   its owner's tail can cross); into a full FIFO, what fits there plus the `pops` of the segment at its front.
//! - `pops(s)`: flits that can leave the FIFO given supply: the least `own` of its branches.
//! - `crosses(b)`: flits that can really cross: `own`, what the siblings let pass, and what arrives from upstream. The lane is
//!   released when all `remaining` cross.
//!
//! A relation holds since `blocked_since`. The deadlock is *final* at the first cycle τ whose relations alone, everything
//! younger assumed to move freely, are still deadlocked. Flit counts need no history: what a worm can still push into a stuck
//! FIFO does not change while it pushes.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;

use wormscope_hw::{SwitchId, WormId};

use super::snapshot::{Branch, Coupling, Hold, LaneRef, Segment, Snapshot};

/// A deadlock: worms of which none will ever move again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// First cycle from which no continuation resolves it: the latest request or grant among its members.
    pub final_cycle: u64,
    /// Cycle of the snapshot it was found in.
    pub detected: u64,
    /// Each waits for the next, the last for the first. Starts at the lowest (worm, switch, lane).
    pub cycle: Vec<Member>,
    /// Further members the cycle needs: other owners of a group of lanes that one of them wants, and what those wait for.
    pub also: Vec<Member>,
    /// Other worms that will never wholly pass: blocked behind these, or in a deadlock that closed later.
    pub behind: Vec<WormId>,
}

/// A worm at the switch where it waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The worm.
    pub worm: WormId,
    /// The switch where it waits.
    pub switch: SwitchId,
    /// Input lane of that switch it stands in.
    pub lane: u8,
    /// Lanes the worm owns, here and at other switches, as far as they take part.
    pub holds: Vec<LaneRef>,
    /// Lanes it waits for, those that close the cycle first. A lane of this switch that the worm holds already is waited for
    /// because the FIFO behind it is full.
    pub wants: Vec<LaneRef>,
    /// For each wanted lane who is in the way: its owner, or the worm at the front of the full FIFO behind it.
    pub owners: Vec<(LaneRef, WormId)>,
    /// Flits of the worm in this FIFO.
    pub flits_held: u32,
    /// Header flits among them.
    pub header_left: u32,
    /// Cycle since which it waits.
    pub blocked_since: u64,
}

/// Names of things in a report, as waveforms show them.
pub trait Names {
    /// Name of a switch (`rt_3_1`).
    fn switch(&self, switch: SwitchId) -> String;
    /// Name of an input lane within its switch (`in2`, `in2.v1`).
    fn input(&self, switch: SwitchId, lane: u8) -> String;
    /// Name of an output lane within its switch (`out0`, `out4.l1`).
    fn output(&self, lane: LaneRef) -> String;
}

/// Searches a snapshot for a deadlock; of several, the one that was final first.
#[must_use]
pub fn search(snapshot: &Snapshot) -> Option<Deadlock> {
    let net = Net::new(snapshot);
    let now = net.reach(u64::MAX);
    if !net.any_stuck(&now) {
        return None;
    }
    let mut times: Vec<u64> =
        snapshot.segments.iter().flat_map(|s| s.branches.iter().map(|b| b.blocked_since)).collect();
    times.sort_unstable();
    times.dedup();
    let first = times.partition_point(|&t| !net.any_stuck(&net.reach(t)));
    let final_cycle = times.get(first).copied().unwrap_or(snapshot.cycle);
    let core = Core { net: &net, reach: net.reach(final_cycle) };
    let (cycle, also) = core.members();
    let named: BTreeSet<WormId> = cycle.iter().chain(&also).map(|m| m.worm).collect();
    let stopped: BTreeSet<WormId> = (0..snapshot.segments.len())
        .filter(|&s| net.pops_short(s, &now) || net.supply(s, &now) < snapshot.segments[s].remaining)
        .map(|s| snapshot.segments[s].worm)
        .collect();
    let behind = stopped.difference(&named).copied().collect();
    Some(Deadlock { final_cycle, detected: snapshot.cycle, cycle, also, behind })
}

impl Deadlock {
    /// The report: a summary line, then a table in the order of the cycle, closing on its first row.
    #[must_use]
    pub fn report(&self, names: &impl Names) -> String {
        let members = || self.cycle.iter().chain(&self.also);
        let worms: BTreeSet<WormId> = members().map(|m| m.worm).collect();
        let lanes: BTreeSet<LaneRef> = members().flat_map(|m| m.holds.iter().copied()).collect();
        let mut text = format!(
            "DEADLOCK final at {}, detected {}; {}, {}\n",
            self.final_cycle,
            self.detected,
            count(worms.len(), "worm"),
            count(lanes.len(), "lane")
        );
        let title = ["#", "worm", "at", "holds", "wants", "owned by", "flits held", "header left"].map(String::from);
        let rows: Vec<_> = std::iter::once(title).chain(members().enumerate().map(|(i, m)| m.row(i, names))).collect();
        let widths: [usize; 8] =
            std::array::from_fn(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or_default());
        for (i, row) in rows.iter().enumerate() {
            if i == self.cycle.len() + 1 {
                text.push_str("also needed by the cycle:\n");
            }
            let cells: Vec<String> = row.iter().zip(widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
            let _ = writeln!(text, "{}", cells.join(" | ").trim_end());
        }
        if !self.behind.is_empty() {
            let list: Vec<String> = self.behind.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "stuck behind them: {} ({})", count(list.len(), "worm"), list.join(", "));
        }
        text
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

impl Member {
    fn row(&self, index: usize, names: &impl Names) -> [String; 8] {
        let lane = |l: &LaneRef| format!("{}.{}", names.switch(l.switch), names.output(*l));
        let want = |l: &LaneRef| if self.holds.contains(l) { format!("space behind {}", lane(l)) } else { lane(l) };
        let list = |cells: Vec<String>| cells.join(", ");
        [
            (index + 1).to_string(),
            self.worm.to_string(),
            format!("{}.{}", names.switch(self.switch), names.input(self.switch, self.lane)),
            list(self.holds.iter().map(lane).collect()),
            list(self.wants.iter().map(want).collect()),
            list(self.owners.iter().map(|(_, w)| w.to_string()).collect()),
            self.flits_held.to_string(),
            self.header_left.to_string(),
        ]
    }
}

/// A branch: segment, and branch within it.
type BranchId = (usize, usize);

/// The snapshot with its relations indexed in both directions.
struct Net<'a> {
    snapshot: &'a Snapshot,
    lanes: HashMap<LaneRef, LaneUse>,
    /// The owner of the lane whose FIFO has this segment at its front: it gains from the segment's pops.
    pusher: Vec<Option<usize>>,
}

#[derive(Default)]
struct LaneUse {
    free: u32,
    front: Option<usize>,
    /// The branch that owns the lane.
    holder: Option<BranchId>,
    /// Segments that want it.
    waiters: Vec<usize>,
    /// The segment of the same worm that it feeds.
    fed: Option<usize>,
}

/// Bounds on what can still happen, in flits from the front of each FIFO, per segment and branch; grows to the fixpoint.
struct Reach {
    own: Vec<Vec<u32>>,
    crosses: Vec<Vec<u32>>,
    pops: Vec<u32>,
    /// Relations younger than this are assumed to dissolve.
    until: u64,
}

impl<'a> Net<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
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
        Self { snapshot, lanes, pusher }
    }

    /// The least fixpoint, with relations younger than `until` assumed to dissolve.
    fn reach(&self, until: u64) -> Reach {
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

    /// Raises the bounds of one segment and lists who may gain from that.
    fn update(&self, s: usize, reach: &mut Reach, gains: &mut Vec<usize>) {
        let segment = &self.snapshot.segments[s];
        let rest = segment.remaining;
        let grantable = !self.snapshot.atomic || segment.branches.iter().all(|b| self.may_get(b, reach));
        for (b, branch) in segment.branches.iter().enumerate() {
            reach.own[s][b] = self.own(rest, branch, grantable, reach);
        }
        let own = &reach.own[s];
        let pops = match self.snapshot.coupling {
            Coupling::Sequential => match own.split_last() {
                Some((last, before)) if before.iter().all(|&o| o >= rest) => *last,
                Some(_) => 0,
                None => rest,
            },
            _ => own.iter().copied().min().unwrap_or(rest),
        };
        if pops > reach.pops[s] {
            reach.pops[s] = pops;
            gains.extend(self.pusher[s]);
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

    /// Flits a branch can take as far as its own output goes.
    fn own(&self, rest: u32, branch: &Branch, grantable: bool, reach: &Reach) -> u32 {
        match &branch.hold {
            _ if branch.blocked_since > reach.until => rest,
            // A later branch has not asked: what it will find is open.
            Hold::Done | Hold::Later(_) => rest,
            Hold::Wants(_) if grantable && self.may_get(branch, reach) => rest,
            Hold::Wants(_) => 0,
            Hold::Owns(lane) => match self.lanes.get(lane) {
                Some(&LaneUse { free, front: Some(front), .. }) if self.pops_short(front, reach) => {
                    branch.taken.saturating_add(free).saturating_add(reach.pops[front]).min(rest)
                }
                _ => rest,
            },
        }
    }

    /// Flits a branch can take as far as its siblings go.
    fn siblings_allow(&self, s: usize, b: usize, reach: &Reach) -> u32 {
        let segment = &self.snapshot.segments[s];
        if let Some(window) = self.window() {
            let others = reach.own[s].iter().enumerate().filter(|&(k, _)| k != b);
            others.map(|(_, own)| own.saturating_add(window)).min().unwrap_or(segment.remaining)
        } else if reach.crosses[s][..b].iter().all(|&c| c >= segment.remaining) {
            segment.remaining
        } else {
            0
        }
    }

    /// How many flits a branch may be ahead of the slowest; `None` when they go one after the other.
    fn window(&self) -> Option<u32> {
        match self.snapshot.coupling {
            Coupling::Asynchronous => Some(1),
            Coupling::Lockstep => Some(0),
            Coupling::Buffered => Some(self.snapshot.fifo_depth),
            Coupling::Sequential => None,
        }
    }

    /// Flits of the worm that can ever stand in this FIFO.
    fn supply(&self, s: usize, reach: &Reach) -> u32 {
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

    fn feeder(&self, segment: &Segment) -> Option<BranchId> {
        self.lanes.get(&segment.upstream?)?.holder
    }

    /// Whether a lane that the branch wants can become free; true when it wants none.
    fn may_get(&self, branch: &Branch, reach: &Reach) -> bool {
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

    /// Whether a segment is stuck: it cannot leave its FIFO even with all its flits there.
    fn pops_short(&self, s: usize, reach: &Reach) -> bool {
        reach.pops[s] < self.snapshot.segments[s].remaining
    }

    fn any_stuck(&self, reach: &Reach) -> bool {
        (0..self.snapshot.segments.len()).any(|s| self.pops_short(s, reach))
    }
}

/// The stuck part of the relation, walked to tell the story of a deadlock.
struct Core<'a> {
    net: &'a Net<'a>,
    reach: Reach,
}

/// Why a branch is stuck: the branch in its way, and the lanes on the way there that the other worm holds.
struct Cause {
    branch: BranchId,
    through: Vec<LaneRef>,
}

impl Core<'_> {
    /// The cycle in its order, and what else it needs.
    fn members(&self) -> (Vec<Member>, Vec<Member>) {
        let cycle = self.cycle();
        let mut closure: BTreeSet<BranchId> = cycle.iter().copied().collect();
        let mut work = cycle.clone();
        let mut held: BTreeMap<WormId, BTreeSet<LaneRef>> = BTreeMap::new();
        while let Some(branch) = work.pop() {
            let segment = self.segment(branch);
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
        let mut ring: Vec<Member> = waiting.map(|b| self.member(b, &held)).collect();
        let start = (0..ring.len()).min_by_key(|&i| key(&ring[i])).unwrap_or(0);
        ring.rotate_left(start);
        let others = closure.into_iter().filter(|&b| self.waits(b) && !on_cycle.contains(&b.0));
        let mut also: Vec<Member> = others.map(|b| self.member(b, &held)).collect();
        also.sort_by_key(key);
        also.dedup_by_key(|m| key(m));
        (ring, also)
    }

    /// Follows one cause after the other from the lowest stuck segment until the walk closes.
    fn cycle(&self) -> Vec<BranchId> {
        let segments = &self.net.snapshot.segments;
        let stuck = (0..segments.len()).filter(|&s| self.net.pops_short(s, &self.reach));
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

    /// The branch of a segment that keeps branch `of` (or the segment as a whole) from ever completing.
    fn culprit(&self, s: usize, of: Option<usize>) -> Option<BranchId> {
        let segment = &self.net.snapshot.segments[s];
        let own = &self.reach.own[s];
        let holds_back = |k: usize| match (of, self.net.window()) {
            (Some(b), Some(window)) => k == b || own[k].saturating_add(window) < segment.remaining,
            (Some(b), None) => k <= b,
            (None, _) => true,
        };
        let candidates = (0..own.len()).filter(|&k| self.blocked((s, k)) && holds_back(k));
        candidates.min_by_key(|&k| (self.net.window().map(|_| own[k]), k)).map(|k| (s, k))
    }

    /// Whether a branch can never take the rest of its worm. In atomic acquisition one that lacks nothing but its siblings' lanes
    /// does not count.
    fn blocked(&self, (s, b): BranchId) -> bool {
        let segment = &self.net.snapshot.segments[s];
        self.reach.own[s][b] < segment.remaining
            && match segment.branches[b].hold {
                Hold::Wants(_) => !self.net.may_get(&segment.branches[b], &self.reach),
                _ => true,
            }
    }

    /// What a stuck branch waits for: every owner of its group, or the front of the full FIFO behind its lane.
    fn causes(&self, branch: BranchId) -> Vec<Cause> {
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

    /// Why a branch does not release its lane: it or a sibling is stuck, or else it starves and the reason is upstream.
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

    /// Whether a stuck branch waits for somebody else; otherwise it only waits for the same worm's head further down.
    fn waits(&self, branch: BranchId) -> bool {
        match self.hold(branch) {
            Hold::Owns(lane) => {
                self.net.lanes.get(lane).is_some_and(|l| l.front.is_some() && (l.fed.is_none() || l.front != l.fed))
            }
            _ => true,
        }
    }

    fn member(&self, branch: BranchId, held: &BTreeMap<WormId, BTreeSet<LaneRef>>) -> Member {
        let segment = self.segment(branch);
        let (s, closing) = branch;
        let mut owners = Vec::new();
        let others = (0..segment.branches.len()).filter(|&k| k != closing && self.blocked((s, k)));
        for k in std::iter::once(closing).chain(others) {
            match self.hold((s, k)) {
                Hold::Wants(group) => owners.extend(group.iter().filter_map(|l| {
                    let holder = self.net.lanes.get(l)?.holder?;
                    Some((*l, self.segment(holder).worm))
                })),
                Hold::Owns(l) if self.waits((s, k)) => owners.extend(
                    self.net.lanes.get(l).and_then(|u| u.front).map(|f| (*l, self.net.snapshot.segments[f].worm)),
                ),
                _ => {}
            }
        }
        Member {
            worm: segment.worm,
            switch: segment.switch,
            lane: segment.lane,
            holds: held.get(&segment.worm).map(|h| h.iter().copied().collect()).unwrap_or_default(),
            wants: owners.iter().map(|(l, _)| *l).collect(),
            owners,
            flits_held: segment.here,
            header_left: segment.header_left,
            blocked_since: segment.branches[closing].blocked_since,
        }
    }
}

#[cfg(test)]
#[path = "deadlock_tests.rs"]
mod tests;
