//! Search for worms that wait for each other at the same time.
//!
//! The count of [`counted`](super::counted) judges each wait alone. So a worm may hold a lane in
//! one place, and wait in another place that it can only reach later. This search builds whole
//! states. It begins with one wait, and adds the worms that hold the lane or stand before the worm.
//! Then it adds the waits that keep these worms there. A state must obey these rules:
//!
//! - a worm that waits at a branch is not beyond this branch;
//! - a worm that waits keeps the lanes behind it if its flits do not fit into the FIFOs between;
//! - a worm takes one of several equivalent ports;
//! - a FIFO has one worm at its front. The worm that has a lane or wants one is there;
//! - a worm of a workload that only names worms is in one place.
//!
//! Of random worms that differ in their lengths alone, the longest stands for all. Equal worms of
//! a workload that only names worms come into a state in the order of their numbers.
//!
//! If no state has a wait, the wait is removed, and the count goes on. If no wait is left, these
//! worms cannot deadlock. Otherwise the worms of a state are good candidates for a witness.

use std::collections::{BTreeSet, HashMap};

use wormscope_hw::Acquisition;

use super::channels::LaneChannel;
use super::counted::Removal;
use super::spread::{Meeting, WormShape, WormSpread};

/// Largest number of states that are kept.
const MOST_STATES: usize = 24;
/// Largest number of worms in a state.
const MOST_WORMS: usize = 64;

/// Where a worm is, and why it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WormPart {
    /// The worm has a lane of this branch.
    Has(usize),
    /// The worm waits for a lane of this branch.
    WantsLane(usize),
    /// The worm has a lane of this branch, and waits for room in the FIFO of this segment.
    WantsRoom(usize, usize),
    /// The worm is at the front of the FIFO of this segment.
    Front(usize),
}

/// A worm of a state.
#[derive(Clone)]
pub(super) struct Placed {
    pub worm: usize,
    pub parts: Vec<WormPart>,
}

/// Some worms, with waits that are not explained yet.
#[derive(Clone, Default)]
pub(super) struct WaitState {
    pub placed: Vec<Placed>,
    /// Worms that wait, and their waits.
    open: Vec<(usize, WormPart)>,
    /// Worms at the fronts of the FIFOs of each channel, and their segments.
    fronts: HashMap<LaneChannel, Vec<(usize, usize)>>,
    /// Worms with lanes of each group, and their branches.
    pub lanes: HashMap<LaneChannel, Vec<(usize, usize)>>,
}

impl WaitState {
    /// Number of FIFOs and lanes that worms of the state have.
    fn size(&self) -> usize {
        self.fronts.values().chain(self.lanes.values()).map(Vec::len).sum()
    }
}

/// Result of the search.
pub(super) enum Together {
    /// No state has a wait.
    Free,
    /// Some states.
    Meetings(Vec<Meeting>),
}

/// Builds states.
pub(super) struct Builder<'a, 'b> {
    pub removal: &'b mut Removal<'a>,
    pub spreads: &'b [WormSpread],
    /// Number of the first branch of each segment of each worm.
    pub numbers: Vec<Vec<usize>>,
    /// Flits that each worm may be shorter.
    pub slack: Vec<u32>,
    /// The worm before each worm that is equal to it.
    equal: Vec<Option<usize>>,
    pub is_atomic: bool,
    /// Whether no switch is stalled.
    pub is_steady: bool,
    /// Steps that are left.
    steps: u64,
    /// Largest number of worms in a state, and whether a state with more was left out.
    most: usize,
    is_cut: bool,
}

/// Looks for states of the waits that a count has left, in so many steps.
pub(super) fn search(
    removal: &mut Removal,
    (worms, spreads): (&[WormShape], &[WormSpread]),
    is_steady: bool,
    steps: u64,
) -> Together {
    let is_atomic = removal.channels.network().switch.acquisition == Acquisition::Atomic;
    let (slack, equal) = (vec![0; worms.len()], vec![None; worms.len()]);
    let numbers = numbers(spreads);
    let mut builder =
        Builder { removal, spreads, numbers, slack, equal, is_atomic, is_steady, steps: 0, most: 0, is_cut: false };
    let mut found = Vec::new();
    builder.compare(worms);
    builder.remove_room();
    let all = builder.removal.nodes.len();
    let (mut again, mut left) = (true, steps);
    while again && found.is_empty() {
        again = false;
        for branch in 0..all {
            for for_room in [false, true] {
                if found.len() >= MOST_STATES || !builder.is_left(branch, for_room) {
                    continue;
                }
                // No wait takes all steps.
                let share = left.min(steps / 8);
                builder.steps = share;
                let state = builder.state_of(branch, for_room);
                left -= share - builder.steps;
                match state {
                    Some(state) => {
                        let meeting = builder.meeting(&state);
                        if !found.contains(&meeting) {
                            found.push(meeting);
                        }
                    }
                    None if builder.steps == 0 || builder.is_cut => {}
                    None => {
                        let waits = if for_room { &mut builder.removal.room } else { &mut builder.removal.lane };
                        waits[branch] = false;
                        while builder.removal.remove(&mut Vec::new()) {}
                        again = true;
                    }
                }
            }
        }
    }
    if builder.removal.worms().is_empty() { Together::Free } else { Together::Meetings(found) }
}

/// Number of the first branch of each segment of each worm.
fn numbers(spreads: &[WormSpread]) -> Vec<Vec<usize>> {
    let mut next = 0;
    let mut first = |branches: usize| {
        next += branches;
        next - branches
    };
    let of_worm = |spread: &WormSpread| spread.segments.iter().map(|segment| first(segment.branches.len())).collect();
    spreads.iter().map(of_worm).collect()
}

impl Builder<'_, '_> {
    /// Finds equal worms. Removes the waits of random worms for which a longer one stands.
    fn compare(&mut self, worms: &[WormShape]) {
        let (mut longest, mut last) = (HashMap::new(), HashMap::new());
        for (number, worm) in worms.iter().enumerate() {
            if !self.removal.times[number] {
                self.equal[number] = last.insert(worm, number);
                continue;
            }
            let long = longest.entry((worm.source, &worm.to, worm.encoding)).or_insert(number);
            let short =
                if worm.payload_flits > worms[*long].payload_flits { std::mem::replace(long, number) } else { number };
            let long = *long;
            if long != short {
                let fewest = |number: usize| worms[number].payload_flits - self.slack[number];
                self.slack[long] = worms[long].payload_flits - fewest(long).min(fewest(short));
                let branches: usize = self.spreads[short].segments.iter().map(|segment| segment.branches.len()).sum();
                let first = self.numbers[short][0];
                self.removal.lane[first..first + branches].fill(false);
                self.removal.room[first..first + branches].fill(false);
            }
        }
    }

    /// Removes the waits for room in FIFOs that all worms together cannot fill.
    fn remove_room(&mut self) {
        for branch in 0..self.removal.nodes.len() {
            let node = &self.removal.nodes[branch];
            let flits = u64::from(self.spreads[node.worm].segments[node.segment].flits);
            let is_filled = node.ends.iter().any(|&(_, next)| flits > self.sent(node.worm, next, None));
            self.removal.room[branch] &= is_filled;
        }
        while self.removal.remove(&mut Vec::new()) {}
    }

    fn is_left(&self, branch: usize, for_room: bool) -> bool {
        if for_room { self.removal.room[branch] } else { self.removal.lane[branch] }
    }

    /// A state that has a wait, with as few worms as possible. `None` if there is none, if the
    /// steps are used up, or if it has too many worms.
    fn state_of(&mut self, branch: usize, for_room: bool) -> Option<WaitState> {
        let worm = self.removal.nodes[branch].worm;
        for most in [2, 3, 4, 6, 10, MOST_WORMS] {
            (self.most, self.is_cut) = (most, false);
            for wait in self.waits(branch, for_room) {
                let mut state = WaitState::default();
                if self.place(&mut state, None, worm, &[wait])
                    && let found @ Some(_) = self.explain(state)
                {
                    return found;
                }
            }
            if !self.is_cut || self.steps == 0 {
                return None;
            }
        }
        None
    }

    /// The worms of a state, and those around them.
    fn meeting(&self, state: &WaitState) -> Meeting {
        let depth = |worm: usize, mut segment: usize| {
            let mut fifos = 0;
            while let Some((before, _)) = self.spreads[worm].segments[segment].parent {
                (segment, fifos) = (before, fifos + 1);
            }
            fifos
        };
        let (mut worms, mut near) = (Vec::new(), BTreeSet::new());
        for placed in &state.placed {
            let waits =
                placed.parts.iter().filter(|part| matches!(part, WormPart::WantsLane(_) | WormPart::WantsRoom(..)));
            worms.push((
                placed.worm,
                waits.clone().map(|&part| depth(placed.worm, self.place_of(part).0)).max().unwrap_or(0),
            ));
            for wait in waits {
                if let WormPart::WantsLane(branch) | WormPart::WantsRoom(branch, _) = *wait {
                    let holders = &self.removal.holders[&self.removal.nodes[branch].group];
                    near.extend(holders.iter().map(|&holder| self.removal.nodes[holder].worm));
                }
            }
        }
        worms.sort_unstable();
        Meeting { worms, near: near.into_iter().collect() }
    }

    /// The forms of a wait: one for each FIFO in which the worm may want room.
    fn waits(&self, branch: usize, for_room: bool) -> Vec<WormPart> {
        if !for_room {
            return vec![WormPart::WantsLane(branch)];
        }
        self.removal.nodes[branch].ends.iter().map(|&(_, next)| WormPart::WantsRoom(branch, next)).collect()
    }

    /// Explains all open waits of a state.
    fn explain(&mut self, mut state: WaitState) -> Option<WaitState> {
        let Some(&(waiting, wait)) = state.open.last() else {
            return if self.can_begin(&state) && self.is_filled(&state) { Some(state) } else { None };
        };
        match wait {
            WormPart::WantsLane(branch) => {
                let group = self.removal.nodes[branch].group;
                let held = state.lanes.get(&group).map_or(0, Vec::len);
                if held >= self.removal.channels.lanes_of_group(group) as usize {
                    state.open.pop();
                    return self.explain(state);
                }
                if held + self.possible(&state, group) < self.removal.channels.lanes_of_group(group) as usize {
                    return None;
                }
                for number in 0..self.removal.holders[&group].len() {
                    let holder = self.removal.holders[&group][number];
                    let worm = self.removal.nodes[holder].worm;
                    if state.lanes.get(&group).is_some_and(|of| {
                        of.iter().any(|&(at, branch)| branch == holder && !self.removal.times[state.placed[at].worm])
                    }) {
                        continue;
                    }
                    let reasons = self.reasons(holder);
                    if let found @ Some(_) = self.with(&state, worm, WormPart::Has(holder), &reasons) {
                        return found;
                    }
                }
                None
            }
            WormPart::WantsRoom(branch, next) => {
                let node = &self.removal.nodes[branch];
                let (end, _) = *node.ends.iter().find(|&&(_, segment)| segment == next)?;
                if state.fronts.get(&end).is_some_and(|of| of.iter().any(|&at| at != (waiting, next))) {
                    state.open.pop();
                    return self.explain(state);
                }
                for number in 0..self.removal.fronts.get(&end).map_or(0, Vec::len) {
                    let front = &self.removal.fronts[&end][number];
                    let (worm, segment) = (front.worm, front.segment);
                    let keeps: Vec<(usize, bool, bool)> =
                        front.keeps.iter().map(|of| (of.branch, of.lane, of.room)).collect();
                    let reasons = self.active(&keeps);
                    if let found @ Some(_) = self.with(&state, worm, WormPart::Front(segment), &reasons) {
                        return found;
                    }
                }
                None
            }
            WormPart::Has(_) | WormPart::Front(_) => None,
        }
    }

    /// Number of lanes of a group that more worms may have, by the inputs that are free.
    fn possible(&self, state: &WaitState, group: LaneChannel) -> usize {
        let mut free = HashMap::<LaneChannel, usize>::new();
        for &holder in &self.removal.holders[&group] {
            let node = &self.removal.nodes[holder];
            if self.reasons(holder).is_empty() {
                continue;
            }
            let fronts = state.fronts.get(&node.from);
            // A worm that is at the front may have this lane as well.
            let there = fronts.map_or(0, |of| of.iter().filter(|&&(at, _)| !has_lane(state, at, group)).count());
            let all = self.removal.channels.lanes(node.from) as usize - fronts.map_or(0, Vec::len);
            free.insert(node.from, there + all);
        }
        free.values().sum()
    }

    /// The waits that keep a lane of a branch.
    fn reasons(&self, holder: usize) -> Vec<WormPart> {
        let keeps = &self.removal.nodes[holder].keeps;
        let keeps: Vec<(usize, bool, bool)> = keeps.iter().map(|of| (of.branch, of.lane, of.room)).collect();
        self.active(&keeps)
    }

    fn active(&self, keeps: &[(usize, bool, bool)]) -> Vec<WormPart> {
        let mut all = Vec::new();
        for &(branch, lane, room) in keeps {
            for (for_room, counts) in [(false, lane), (true, room)] {
                if counts && self.is_left(branch, for_room) {
                    all.extend(self.waits(branch, for_room));
                }
            }
        }
        all
    }

    /// The state with a worm that is somewhere for one of these reasons.
    fn with(&mut self, state: &WaitState, worm: usize, part: WormPart, reasons: &[WormPart]) -> Option<WaitState> {
        let is_placed = |worm: usize| state.placed.iter().any(|placed| placed.worm == worm);
        let mut there: Vec<Option<usize>> =
            (0..state.placed.len()).filter(|&at| state.placed[at].worm == worm).map(Some).collect();
        let is_next = there.is_empty() && self.equal[worm].is_none_or(is_placed);
        if is_next || self.removal.times[worm] {
            there.push(None);
        }
        for at in there {
            for &reason in reasons {
                if self.steps == 0 {
                    return None;
                }
                self.steps -= 1;
                if !self.has_flits(worm, part, reason, Some(state)) {
                    continue;
                }
                let mut next = state.clone();
                if self.place(&mut next, at, worm, &[part, reason])
                    && next.size() > state.size()
                    && let found @ Some(_) = self.explain(next)
                {
                    return found;
                }
            }
        }
        None
    }

    /// Adds parts to a worm of a state, or to a new worm. Returns whether the state obeys the
    /// rules.
    fn place(&mut self, state: &mut WaitState, at: Option<usize>, worm: usize, parts: &[WormPart]) -> bool {
        if at.is_none() && state.placed.len() >= self.most {
            self.is_cut = true;
            return false;
        }
        let at = at.unwrap_or_else(|| {
            state.placed.push(Placed { worm, parts: Vec::new() });
            state.placed.len() - 1
        });
        let mut parts = parts.to_vec();
        while let Some(part) = parts.pop() {
            if state.placed[at].parts.contains(&part) {
                continue;
            }
            parts.extend(self.kept_behind(worm, part));
            if !state.placed[at].parts.iter().all(|&other| self.agree(worm, part, other)) {
                return false;
            }
            state.placed[at].parts.push(part);
            if matches!(part, WormPart::WantsLane(_) | WormPart::WantsRoom(..)) {
                state.open.push((at, part));
            }
            if let WormPart::Has(branch) | WormPart::WantsRoom(branch, _) = part {
                let group = self.removal.nodes[branch].group;
                let lanes = state.lanes.entry(group).or_default();
                if !lanes.contains(&(at, branch)) {
                    lanes.push((at, branch));
                    if lanes.len() > self.removal.channels.lanes_of_group(group) as usize {
                        return false;
                    }
                }
            }
            // A worm that has a lane or wants one is at the front.
            let (front, _) = self.place_of(part);
            let channel = self.spreads[worm].segments[front].from;
            let fronts = state.fronts.entry(channel).or_default();
            if !fronts.contains(&(at, front)) {
                fronts.push((at, front));
                if fronts.len() > self.removal.channels.lanes(channel) as usize {
                    return false;
                }
            }
        }
        true
    }
}

/// Whether a worm of a state has a lane of a group.
fn has_lane(state: &WaitState, at: usize, group: LaneChannel) -> bool {
    state.lanes.get(&group).is_some_and(|of| of.iter().any(|&(worm, _)| worm == at))
}
