//! Lanes of a deadlock in a saved view: only these lanes, in the order of the cycle.

use wormscope_hw::{PortMask, WormId};

use super::no_return::NoReturn;
use crate::deadlock::{Deadlock, Member, Names};
use crate::engine::WormInfo;
use crate::trace::labels::journey;
use crate::trace::tracer::BEFORE;
use crate::trace::view::{MARKS, NAME_WIDTH};
use crate::trace::{Circle, Follow, Hop, Stop};

/// Largest number of cycles before a deadlock that its waveform goes back for the first of its
/// markers.
const FARTHEST: u64 = 1024;
/// Number of cycles before the first marker.
const AIR: u64 = 4;

/// Default first cycle of the waveform of a deadlock. It is some cycles before the deadlock and
/// before its first marker that is not too far back.
#[must_use]
pub(crate) fn begin(deadlock: &Deadlock, marks: &[(String, u64)]) -> u64 {
    let last = deadlock.final_cycle;
    let near = marks.iter().map(|(_, at)| *at).filter(|at| at.saturating_add(FARTHEST) >= last);
    let first = near.min().map_or(last, |at| at.saturating_sub(AIR));
    first.min(last.saturating_sub(BEFORE))
}

/// The view of a deadlock for which a run is prepared. `ways` are the routes of its worms, from a
/// [`HopRecorder`](crate::trace::HopRecorder) each.
#[must_use]
pub(crate) fn prepared(
    deadlock: &Deadlock,
    no_return: Option<&NoReturn>,
    ways: &[Follow],
    names: &impl Names,
) -> Circle {
    let members: Vec<&Member> = deadlock.members().collect();
    let mut follows: Vec<Follow> =
        ways.iter().map(|way| Follow { worm: way.worm.clone(), hops: Vec::new(), account: Vec::new() }).collect();
    let mut stops = Vec::new();
    for (row, member) in members.iter().enumerate() {
        let Some(at) = ways.iter().position(|way| way.worm.id == member.worm) else { continue };
        let here = |hop: &Hop| (hop.switch, hop.lane) == (member.switch, member.lane);
        let known = follows[at].hops.iter().position(here);
        let hop = known.or_else(|| {
            let hop = ways[at].hops.iter().find(|hop| here(hop))?;
            follows[at].hops.push(hop.clone());
            Some(follows[at].hops.len() - 1)
        });
        let Some(hop) = hop else { continue };
        let title = |journey: &str| {
            format!(
                "{}: worm {}{journey} at {} {}, waits for {}",
                row + 1,
                member.worm,
                names.switch(member.switch),
                names.input(member.switch, member.lane),
                worms(member.blockers())
            )
        };
        let journey = journey(&ways[at].worm);
        let whole = title(&format!(" {journey}"));
        let fits = whole.len() <= NAME_WIDTH;
        stops.push(Stop {
            title: if fits { whole } else { title("") },
            journey: (!fits).then_some(journey),
            hop: (at, hop),
            holds: member.holds.clone(),
            wants: member.wants.clone(),
            station: (member.awaits.is_some() || member.token.is_some()).then_some(member.switch),
        });
    }
    let mut marks: Vec<(String, u64)> = Vec::new();
    let mut mark = |name: String, at: u64| match marks.iter().position(|(_, other)| *other == at) {
        Some(known) => marks[known].0 = format!("{}, {name}", marks[known].0),
        None if marks.len() < MARKS => marks.push((name, at)),
        None => {}
    };
    if let Some(no_return) = no_return.filter(|found| found.exact) {
        mark("no return".to_owned(), no_return.cycle);
    }
    mark("final".to_owned(), deadlock.final_cycle);
    mark("detected".to_owned(), deadlock.detected);
    for member in members.iter().filter(|member| member.blocked_since != deadlock.final_cycle) {
        mark(format!("w{} waits", member.worm), member.blocked_since);
    }
    Circle { title: deadlock.title(), follows, stops, marks, prepared: true, from: 0 }
}

/// The view of a deadlock for which the run was not prepared. `worms` are the worms that were under
/// way.
#[must_use]
pub(crate) fn unprepared<'a>(
    deadlock: &Deadlock,
    worms: impl Iterator<Item = &'a WormInfo>,
    names: &impl Names,
) -> Circle {
    let members = || deadlock.members();
    let hop = |member: &Member| Hop {
        switch: member.switch,
        lane: member.lane,
        first: member.blocked_since,
        ports: PortMask::NONE,
        depth: 0,
        from: None,
        token: false,
    };
    let ways: Vec<Follow> = worms
        .map(|worm| (worm, members().filter(|member| member.worm == worm.id).map(hop).collect::<Vec<_>>()))
        .filter(|(_, hops)| !hops.is_empty())
        .map(|(worm, hops)| Follow { worm: worm.clone(), hops, account: Vec::new() })
        .collect();
    let circle = prepared(deadlock, None, &ways, names);
    Circle { prepared: false, from: begin(deadlock, &circle.marks), ..circle }
}

/// `worm 2`, `worms 2, 5 and 7`: each worm once.
fn worms(all: impl Iterator<Item = WormId>) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in all.map(|worm| worm.to_string()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.split_last() {
        Some((last, [])) => format!("worm {last}"),
        Some((last, others)) => format!("worms {} and {last}", others.join(", ")),
        None => "nobody".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_waited_for_is_named_once() {
        let named = |all: &[u32]| worms(all.iter().copied().map(WormId));
        assert_eq!(named(&[2, 2]), "worm 2");
        assert_eq!(named(&[2, 5]), "worms 2 and 5");
        assert_eq!(named(&[7, 2, 7, 5, 2]), "worms 7, 2 and 5");
    }
}
