//! Rules for the places that worms have at the same time.

use std::collections::BTreeSet;

use wormscope_hw::Arbiter;

use super::channels::LaneChannel;
use super::together::{Builder, Placed, WaitState, WormPart};

impl Builder<'_, '_> {
    /// Whether a worm can be in two places at once.
    pub fn agree(&self, worm: usize, one: WormPart, other: WormPart) -> bool {
        self.may_precede(worm, one, other) && self.may_precede(worm, other, one) && self.share_a_route(worm, one, other)
    }

    /// The segment of a part, and its branch there.
    pub fn place_of(&self, part: WormPart) -> (usize, Option<usize>) {
        match part {
            WormPart::Has(branch) | WormPart::WantsLane(branch) | WormPart::WantsRoom(branch, _) => {
                let node = &self.removal.nodes[branch];
                (node.segment, Some(node.at))
            }
            WormPart::Front(segment) => (segment, None),
        }
    }

    /// Whether a worm that waits at a part is not beyond it.
    fn may_precede(&self, worm: usize, wait: WormPart, other: WormPart) -> bool {
        let (WormPart::WantsLane(branch) | WormPart::WantsRoom(branch, _)) = wait else { return true };
        let (segment, at) = (self.removal.nodes[branch].segment, self.removal.nodes[branch].at);
        let (mut there, mut through) = self.place_of(other);
        if there == segment && through == Some(at) {
            let wants = |part: WormPart| matches!(part, WormPart::WantsLane(_));
            return wants(wait) == wants(other);
        }
        let is_had = !matches!(other, WormPart::WantsLane(_) | WormPart::Front(_));
        let mut is_above = there != segment && through.is_some();
        loop {
            if there == segment {
                let is_sibling = through.is_some_and(|through| through != at);
                let has_another = is_sibling && (is_had || is_above);
                let is_wrong = self.is_atomic && matches!(wait, WormPart::WantsLane(_)) && has_another;
                return through != Some(at) && !is_wrong;
            }
            match self.spreads[worm].segments[there].parent {
                Some((before, branch)) => (there, through, is_above) = (before, Some(branch), true),
                None => return true,
            }
        }
    }

    /// Whether one route has both parts.
    fn share_a_route(&self, worm: usize, one: WormPart, other: WormPart) -> bool {
        let segments = &self.spreads[worm].segments;
        let route = |part: WormPart| {
            let mut at = match part {
                WormPart::WantsRoom(_, next) => next,
                _ => self.place_of(part).0,
            };
            let mut route = vec![at];
            while let Some((before, _)) = segments[at].parent {
                route.push(before);
                at = before;
            }
            route
        };
        let (first, second) = (route(one), route(other));
        first.iter().all(|&a| {
            let parent = segments[a].parent;
            parent.is_none() || second.iter().all(|&b| a == b || segments[b].parent != parent)
        })
    }

    /// Lanes that a worm keeps while it waits at a part: those behind it, and those of atomic
    /// siblings. The flits that do not fit into the FIFOs from a lane on have not crossed it.
    pub fn kept_behind(&self, worm: usize, wait: WormPart) -> Vec<WormPart> {
        let (branch, mut fifos) = match wait {
            WormPart::WantsLane(branch) => (branch, 0),
            WormPart::WantsRoom(branch, _) => (branch, 1),
            WormPart::Has(_) | WormPart::Front(_) => return Vec::new(),
        };
        let network = self.removal.channels.network();
        let segments = &self.spreads[worm].segments;
        let (mut segment, mut at) = (self.removal.nodes[branch].segment, self.removal.nodes[branch].at);
        let flits = u64::from(segments[segment].flits.saturating_sub(self.slack[worm]));
        let mut kept = Vec::new();
        loop {
            let in_fifos = fifos * u64::from(network.switch.fifo_depth);
            if flits <= in_fifos {
                break;
            }
            if fifos > 0 {
                let is_kept = |other: usize| {
                    let ahead = segments[segment].window(network).filter(|_| self.is_atomic).map(u64::from);
                    other == at || ahead.is_some_and(|ahead| flits > in_fifos + ahead)
                };
                let branches = (0..segments[segment].branches.len()).filter(|&other| is_kept(other));
                kept.extend(branches.map(|other| WormPart::Has(self.numbers[worm][segment] + other)));
            }
            let Some(before) = segments[segment].parent else { break };
            ((segment, at), fifos) = (before, fifos + 1);
        }
        kept
    }

    /// Flits that a worm has at least in a FIFO that has no more room: all that other worms leave
    /// free. In a state, worms elsewhere have no flits there.
    pub fn sent(&self, worm: usize, segment: usize, state: Option<&WaitState>) -> u64 {
        let channel = self.spreads[worm].segments[segment].from;
        let mut room = u64::from(self.removal.channels.network().switch.fifo_depth);
        for front in self.removal.fronts.get(&channel).into_iter().flatten() {
            if (front.worm, front.segment) == (worm, segment) && !self.removal.times[worm] {
                continue;
            }
            let may_be_there = |placed: &Placed| {
                placed.parts.iter().all(|&part| self.agree(front.worm, part, WormPart::Front(front.segment)))
            };
            let mut placed = state.into_iter().flat_map(|state| &state.placed).filter(|of| of.worm == front.worm);
            if self.removal.times[front.worm] {
                return 0;
            }
            if placed.all(may_be_there) {
                // The FIFO also gets a header that its switch removes.
                let segments = &self.spreads[front.worm].segments;
                let before = segments[front.segment].parent.map_or(front.segment, |(before, _)| before);
                room = room.saturating_sub(segments[before].flits.into());
            }
        }
        room
    }

    /// Whether a worm that waits for room has flits left for a part of it. The FIFOs between them
    /// are full.
    pub fn has_flits(&self, worm: usize, part: WormPart, reason: WormPart, state: Option<&WaitState>) -> bool {
        let WormPart::WantsRoom(branch, next) = reason else { return true };
        let network = self.removal.channels.network();
        let segments = &self.spreads[worm].segments;
        let (there, at) = self.place_of(part);
        let mut route = vec![there];
        while let Some((before, _)) = segments[route[route.len() - 1]].parent {
            route.push(before);
        }
        let node = &self.removal.nodes[branch];
        let (mut on, mut through, mut fifos) = (node.segment, node.at, 0);
        while !route.contains(&on) {
            let Some((before, branch)) = segments[on].parent else { return true };
            (on, through, fifos) = (before, branch, fifos + 1);
        }
        let is_after = on == there && at.is_none_or(|at| at == through);
        let ahead = if is_after { 0 } else { segments[on].window(network).unwrap_or(0) };
        let passed = fifos * u64::from(network.switch.fifo_depth) + self.sent(worm, next, state) + u64::from(ahead);
        u64::from(segments[node.segment].flits) > passed
    }

    /// Whether each worm of a state has a reason to be where it is.
    pub fn is_filled(&self, state: &WaitState) -> bool {
        state.placed.iter().all(|of| {
            of.parts.iter().all(|&part| match part {
                WormPart::WantsRoom(..) => self.has_flits(of.worm, part, part, Some(state)),
                _ => true,
            })
        })
    }

    /// Whether a run can come to a state. It cannot if worms at one switch wait in a circle, and no
    /// other input asks for their lanes. In a circle, each worm has a lane that the one before it
    /// wants.
    ///
    /// Let z be the worm of the circle that asks last, and y the worm that had the lane of z
    /// before. While y had the lane, another worm of the circle had asked for it already, or asks
    /// in the same cycle as z. The next worm at the input of y asks only after the lane is free
    /// again. So z gets the lane before it only if both ask in the same cycle. This goes round the
    /// circle, so all of its worms ask in one cycle. An arbiter with one order of all worms or
    /// inputs then does not grant in a circle.
    pub fn can_begin(&self, state: &WaitState) -> bool {
        let switch = &self.removal.channels.network().switch;
        let has_order = matches!(switch.arbiter, Arbiter::FixedPriority | Arbiter::OldestFirst);
        if !self.is_steady || switch.routing_cycles == 0 || !has_order {
            return true;
        }
        // The worm that has the lane for which each worm waits, at the same switch.
        let next = |at: usize| {
            state.placed[at].parts.iter().find_map(|part| {
                let WormPart::WantsLane(branch) = *part else { return None };
                let group = self.removal.nodes[branch].group;
                let [(of, has)] = state.lanes.get(&group)?[..] else { return None };
                let waits = |part: &WormPart| matches!(part, WormPart::WantsLane(b) if self.removal.nodes[*b].segment == self.removal.nodes[has].segment);
                state.placed[of].parts.iter().any(waits).then_some((of, group))
            })
        };
        (0..state.placed.len()).all(|start| {
            let (mut circle, mut at) = (Vec::new(), start);
            while let Some((of, group)) = next(at).filter(|_| circle.len() < state.placed.len()) {
                circle.push((of, group));
                at = of;
                if at == start {
                    return !self.is_alone(state, &circle);
                }
            }
            true
        })
    }

    /// Whether each input that asks for the lanes of a circle has one of its worms. None of these
    /// worms may leave through one branch while it waits at another.
    fn is_alone(&self, state: &WaitState, circle: &[(usize, LaneChannel)]) -> bool {
        let channels = self.removal.channels;
        let mut inputs = BTreeSet::new();
        for &(of, group) in circle {
            for part in &state.placed[of].parts {
                if let WormPart::Has(branch) = *part
                    && self.removal.nodes[branch].group == group
                {
                    let segment = &self.spreads[state.placed[of].worm].segments[self.removal.nodes[branch].segment];
                    if segment.window(channels.network()).is_none_or(|window| segment.flits <= window)
                        || channels.lanes(segment.from) != 1
                        || channels.lanes_of_group(group) != 1
                    {
                        return false;
                    }
                    inputs.insert(segment.from);
                }
            }
        }
        let askers = circle.iter().flat_map(|(_, group)| &self.removal.holders[group]);
        inputs.len() == circle.len()
            && askers.into_iter().all(|&asker| inputs.contains(&self.removal.nodes[asker].from))
    }
}
