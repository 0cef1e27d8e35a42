//! Comparison of the expectations with the results of a run.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wormscope_hw::WormId;

use super::expectations::{Expectation, Item};
use super::failure::{Failure, Found, list};
use super::multicasts;
use super::record::{Record, Wait};
use super::schema::{Account, Blocked, Deadlock, Deliveries, OfLink, Order};
use crate::account::Cause;
use crate::deadlock::{self, Names as _};
use crate::engine::snapshot::LaneRef;
use crate::engine::{CycleAccount, LaneStats, UnderWay};
use crate::explain::names::WaveNames;
use crate::network::channel::covers;
use crate::workload::Operation;

/// A run that is over.
pub(super) struct Evidence<'a> {
    pub record: &'a Record,
    /// Cycles of each cause, by worm and destination, if an expectation asks for them.
    pub accounts: HashMap<(u32, u32), [u64; Cause::NAMES.len()]>,
    pub waits: Vec<Wait>,
    pub names: WaveNames<'a>,
    /// Classes of the workload, from number 1 on.
    pub classes: Vec<String>,
    /// Number of nodes.
    pub nodes: u32,
    pub operations: &'a [Operation],
    pub account: CycleAccount,
    pub waited_for: Option<(WormId, u64)>,
    pub lanes: Vec<LaneStats>,
    pub under_way: Vec<UnderWay<'a>>,
    /// The cycle after the last.
    pub end: u64,
    /// Worms that have not arrived may arrive in a longer run: there is no deadlock.
    pub is_open: bool,
    /// Nothing happens after the last cycle.
    pub is_at_rest: bool,
}

/// `worm 3, 12 cycles`.
fn worm_and_cycles(of: Option<(u32, u64)>) -> String {
    of.map_or("nobody".to_owned(), |(worm, cycles)| format!("worm {worm}, {cycles} cycles"))
}

impl Evidence<'_> {
    /// Failures of one expectation.
    pub fn judge(&self, item: &Item) -> Vec<Failure> {
        // Worms that the run did not create before its end. Other missing worms are refused
        // earlier.
        let mut worms = item.worms().into_iter().map(|(_, worm)| worm);
        if let Some(worm) = worms.find(|worm| *worm as usize >= self.record.worms.len()) {
            let message = format!("worm {worm} is not created by cycle {}, the end of the run", self.end);
            return vec![Failure { worm: None, ..Failure::of(item, message, None) }];
        }
        let found = match &item.kind {
            Expectation::Deliveries(d) => self.deliveries(d),
            Expectation::Latencies(l) => {
                let found = self.latencies(l).into_iter();
                let of = |(worm, (message, cycle))| Failure { worm, ..Failure::of(item, message, cycle) };
                return found.map(of).collect();
            }
            Expectation::Throughput(of) => self.throughput(of),
            Expectation::Order(o) => self.order(o),
            Expectation::Blocked(b) => self.blocked(b),
            Expectation::Multicasts(m) => multicasts::judge(m, self.operations),
            Expectation::Link(l) => self.link(l),
            Expectation::Account(a) => self.account(a),
            Expectation::Other => Vec::new(),
        };
        found.into_iter().map(|(message, cycle)| Failure::of(item, message, cycle)).collect()
    }

    fn deliveries(&self, expected: &Deliveries) -> Vec<Found> {
        let mut found = Vec::new();
        let mut times: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for d in self.record.deliveries.iter().filter(|d| d.worm.0 == expected.worm) {
            times.entry(d.destination.0).or_default().push(d.tail);
        }
        let to: BTreeSet<u32> = expected.to.iter().copied().collect();
        let worm = expected.worm;
        for node in to.iter().filter(|node| !times.contains_key(node)) {
            found.push((format!("worm {worm} does not arrive at node {node}"), None));
        }
        if self.is_open {
            let all = self.record.worms[worm as usize].destinations.iter().map(|node| node.0);
            for node in all.filter(|node| !to.contains(node) && !times.contains_key(node)) {
                let end = self.end;
                let message = format!(
                    "worm {worm} is still on its way to node {node} after {end} cycles; expected only at {}",
                    list(&to)
                );
                found.push((message, None));
            }
        }
        for (node, tails) in &times {
            let first = tails.first().copied();
            if !to.contains(node) {
                found.push((format!("worm {worm} arrives at node {node}; expected at {}", list(&to)), first));
            }
            if tails.len() > 1 {
                found.push((
                    format!("worm {worm} arrives at node {node} {} times, in cycles {}", tails.len(), list(tails)),
                    first,
                ));
            }
            for &tail in tails.iter().filter(|&&tail| expected.by.is_some_and(|by| tail > by)) {
                let by = expected.by.unwrap_or_default();
                found.push((
                    format!("worm {worm} arrives at node {node} in cycle {tail}; expected by {by}"),
                    Some(tail),
                ));
            }
        }
        found
    }

    fn order(&self, expected: &Order) -> Vec<Found> {
        let (what, wanted, seen): (String, &Vec<u32>, Vec<(u32, u64)>) = match expected {
            Order::AtNode { node, worms } => {
                let here = self.record.deliveries.iter().filter(|d| d.destination.0 == *node);
                (format!("node {node} receives worms"), worms, here.map(|d| (d.worm.0, d.tail)).collect())
            }
            Order::OfWorm { worm, nodes } => {
                let own = self.record.deliveries.iter().filter(|d| d.worm.0 == *worm);
                (format!("worm {worm} arrives at nodes"), nodes, own.map(|d| (d.destination.0, d.tail)).collect())
            }
        };
        let seen: Vec<(u32, u64)> = seen.into_iter().filter(|(one, _)| wanted.contains(one)).collect();
        let order: Vec<u32> = seen.iter().map(|(one, _)| *one).collect();
        // Two arrivals in the same cycle have no order.
        let strictly = seen.windows(2).all(|pair| pair[0].1 < pair[1].1);
        if order == *wanted && strictly {
            return Vec::new();
        }
        let seen_text = list(seen.iter().map(|(one, tail)| format!("{one} in cycle {tail}")));
        let first = seen.iter().zip(wanted).find(|((one, _), wanted)| one != *wanted).map(|((_, tail), _)| *tail);
        vec![(format!("{what} {seen_text}; expected in the order {}", list(wanted)), first)]
    }

    fn blocked(&self, expected: &Blocked) -> Vec<Found> {
        let here = |wait: &&Wait| {
            wait.worm == expected.worm && expected.at.as_ref().is_none_or(|at| covers(at, &self.names.lane(wait.lane)))
        };
        let waits: Vec<&Wait> = self.waits.iter().filter(here).collect();
        let seen: BTreeSet<u32> = waits.iter().map(|wait| wait.by).collect();
        let wanted: BTreeSet<u32> = expected.by.iter().copied().collect();
        let mut found = Vec::new();
        let place = expected.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        let first = waits.iter().map(|wait| wait.from).min();
        if seen != wanted {
            let message =
                format!("worm {} waits{place} for {}; expected {}", expected.worm, worms(&seen), worms(&wanted));
            found.push((message, first));
        }
        if let Some(cycles) = expected.cycles {
            let seen = covered(&waits);
            if seen != cycles {
                let message = format!("worm {} waits{place} for {seen} cycles; expected {cycles}", expected.worm);
                found.push((message, first));
            }
        }
        found
    }

    fn link(&self, expected: &OfLink) -> Vec<Found> {
        let OfLink { link, flits, blocked, longest } = expected;
        let lane = |lane: &&LaneStats| covers(link, &self.names.lane(LaneRef { switch: lane.switch, lane: lane.lane }));
        let lanes: Vec<&LaneStats> = self.lanes.iter().filter(lane).collect();
        let counts = [
            ("flits cross", *flits, lanes.iter().map(|lane| lane.flits).sum()),
            ("cycles without credit at", *blocked, lanes.iter().map(|lane| lane.blocked).sum()),
        ];
        let mut found: Vec<Found> = counts
            .into_iter()
            .filter_map(|(what, wanted, seen)| differs(&format!("{what} {link}"), wanted, seen))
            .collect();
        let top =
            lanes.iter().max_by_key(|lane| lane.top_held).and_then(|lane| Some((lane.top_worm?.0, lane.top_held)));
        if longest.is_some() && *longest != top {
            let [seen, expected] = [top, *longest].map(worm_and_cycles);
            found.push((format!("{link} is held longest by {seen}; expected {expected}"), None));
        }
        found
    }

    fn account(&self, expected: &Account) -> Vec<Found> {
        let Account { moving, no_credit, lane_wait, sibling, token, header, endpoint, waited_for } = *expected;
        let seen = &self.account;
        let all = [
            ("moving", moving, seen.moving),
            ("no_credit", no_credit, seen.no_credit),
            ("lane_wait", lane_wait, seen.lane_wait),
            ("sibling", sibling, seen.sibling),
            ("token", token, seen.token),
            ("header", header, seen.header),
            ("endpoint", endpoint, seen.endpoint),
        ];
        let mut found: Vec<Found> = all
            .into_iter()
            .filter_map(|(what, wanted, seen)| differs(&format!("worm-cycles {what}"), wanted, seen))
            .collect();
        let longest = self.waited_for.map(|(worm, cycles)| (worm.0, cycles));
        if waited_for.is_some() && waited_for != longest {
            let [seen, expected] = [longest, waited_for].map(worm_and_cycles);
            found.push((format!("others waited longest for {seen}; expected {expected}"), None));
        }
        found
    }

    /// Compares a deadlock with the expected one.
    pub fn deadlock(&self, item: &Item, expected: &Deadlock, seen: &deadlock::Deadlock) -> Vec<Failure> {
        let Deadlock::Found { worms, holds, wants, final_cycle } = expected else { return Vec::new() };
        let at = Some(seen.final_cycle);
        let mut failures = Vec::new();
        let mut fail = |message: String| failures.push(Failure::of(item, message, at));
        let named: Vec<u32> = seen.members().map(|m| m.worm.0).collect();
        if named != *worms {
            fail(format!("the deadlock is one of worms {}; expected {}", list(&named), list(worms)));
        }
        let name = |lane: &LaneRef| self.names.lane(*lane);
        let holds_seen = seen
            .members()
            .flat_map(|m| m.holds.iter().map(name).chain(m.token.iter().map(|token| token.name(&self.names))));
        let wants_seen = seen.members().flat_map(|m| m.wanted(&self.names));
        let (holds_seen, wants_seen): (BTreeSet<String>, BTreeSet<String>) =
            (holds_seen.collect(), wants_seen.collect());
        for (what, wanted, seen) in [("hold", holds, holds_seen), ("want", wants, wants_seen)] {
            let Some(wanted) = wanted else { continue };
            let wanted: BTreeSet<String> =
                wanted.iter().map(|l| l.strip_prefix("top.").unwrap_or(l).to_owned()).collect();
            if wanted != seen {
                fail(format!("its worms {what} {}; expected {}", list(&seen), list(&wanted)));
            }
        }
        if final_cycle.is_some_and(|cycle| cycle != seen.final_cycle) {
            fail(format!("it is final in cycle {}; expected {}", seen.final_cycle, final_cycle.unwrap_or_default()));
        }
        failures
    }
}

fn differs(what: &str, wanted: Option<u64>, seen: u64) -> Option<Found> {
    let wanted = wanted.filter(|wanted| *wanted != seen)?;
    Some((format!("{seen} {what}; expected {wanted}"), None))
}

/// Number of cycles that at least one of the waits covers.
fn covered(waits: &[&Wait]) -> u64 {
    let mut ranges: Vec<(u64, u64)> = waits.iter().map(|wait| (wait.from, wait.until)).collect();
    ranges.sort_unstable();
    let (mut sum, mut end) = (0, 0);
    for (from, until) in ranges {
        sum += until.saturating_sub(from.max(end));
        end = end.max(until);
    }
    sum
}

/// Some worms in words.
fn worms(numbers: &BTreeSet<u32>) -> String {
    match numbers.len() {
        0 => "no worm".to_owned(),
        1 => format!("worm {}", list(numbers)),
        _ => format!("worms {}", list(numbers)),
    }
}
