//! Latencies and throughput of a run, compared with their expectations.

use std::collections::HashSet;

use wormscope_hw::Encoding;

use super::failure::Found;
use super::judge::Evidence;
use super::schema::{Begin, End, Latencies, Percentile, Throughput};
use crate::account::Cause;
use crate::engine::{UnderWay, WormInfo};
use crate::quote::form;

/// Arrival of a worm at a destination.
struct Received {
    worm: u32,
    node: u32,
    latency: u64,
    /// Cycle of the tail. If only the head has arrived, the cycle of the head.
    at: u64,
}

impl Evidence<'_> {
    /// Latencies that differ, with the worm that is too fast or too slow.
    pub(super) fn latencies(&self, expected: &Latencies) -> Vec<(Option<u32>, Found)> {
        let Latencies { worms, equal, at_least, at_most, mean, percentiles, .. } = expected;
        let (mut all, mut found) = self.arrivals(expected);
        if all.is_empty() && found.is_empty() {
            let message = "none of these worms arrives at any of these nodes".to_owned();
            return vec![(worms.first().copied(), (message, None))];
        }
        let of_cause = expected.cause.as_ref().map(|cause| format!(" of {cause}")).unwrap_or_default();
        for &Received { worm, node, latency, at } in &all {
            let wrong = match (equal, at_least, at_most) {
                (Some(equal), ..) if latency != *equal => Some(format!("expected {equal}")),
                (_, Some(least), _) if latency < *least => Some(format!("expected at least {least}")),
                (.., Some(most)) if latency > *most => Some(format!("expected at most {most}")),
                _ => None,
            };
            if let Some(wrong) = wrong {
                let message = format!("worm {worm} takes {latency} cycles{of_cause} to node {node}; {wrong}");
                found.push((Some(worm), (message, Some(at))));
            }
        }
        if let Some((least, most)) = mean.filter(|_| !all.is_empty()) {
            let seen = all.iter().map(|arrival| arrival.latency as f64).sum::<f64>() / all.len() as f64;
            if !(least..=most).contains(&seen) {
                let of_all = latencies(all.len());
                let message = format!("the mean of {of_all} is {seen:.2} cycles{of_cause}; expected {least} to {most}");
                // The slowest worm explains a mean that is too high.
                let slowest = all.iter().max_by_key(|of| of.latency).filter(|_| seen > most);
                let (message, worm, at) = match slowest {
                    Some(of) => {
                        let (worm, node, latency) = (of.worm, of.node, of.latency);
                        let message = format!("{message}; the slowest is worm {worm} to node {node}, {latency} cycles");
                        (message, Some(worm), Some(of.at))
                    }
                    None => (message, None, None),
                };
                found.push((worm, (message, at)));
            }
        }
        all.sort_by_key(|of| of.latency);
        found.extend(percentiles.iter().filter_map(|of| percentile(*of, &all, &of_cause)));
        found
    }

    /// The measured arrivals. The second list has worms under way that should have arrived: named
    /// worms, and worms that have already taken too long.
    fn arrivals(&self, expected: &Latencies) -> (Vec<Received>, Vec<(Option<u32>, Found)>) {
        let Latencies { worms, to, cause, from, until, equal, at_most, .. } = expected;
        let is_chosen = |worm: u32, node: u32| {
            let named = worms.is_empty() || worms.contains(&worm);
            let info = &self.record.worms[worm as usize];
            let created = expected.window.is_none_or(|(first, last)| (first..=last).contains(&info.created));
            let kind = self.is_of(info, &expected.classes, &expected.encodings);
            named && created && kind && (to.is_empty() || to.contains(&node))
        };
        let of_cause = |worm: u32, node: u32| {
            let cause = cause.as_ref().and_then(|name| Cause::NAMES.iter().position(|of| of == name))?;
            Some(self.accounts.get(&(worm, node))?[cause])
        };
        let mut all: Vec<Received> = Vec::new();
        for d in self.record.deliveries.iter().filter(|d| is_chosen(d.worm.0, d.destination.0)) {
            let begin = match from {
                Begin::Created => self.record.worms[d.worm.index()].created,
                Begin::Injected => d.injected,
            };
            let end = match until {
                End::Head => d.head,
                End::Tail => d.tail,
            };
            let (worm, node) = (d.worm.0, d.destination.0);
            let latency = of_cause(worm, node).unwrap_or(end - begin);
            all.push(Received { worm, node, latency, at: d.tail });
        }
        let delivered: HashSet<(u32, u32)> =
            self.record.deliveries.iter().map(|d| (d.worm.0, d.destination.0)).collect();
        let mut missing = Vec::new();
        for UnderWay { info, injected, heads } in &self.under_way {
            let worm = info.id.0;
            let begin = match from {
                Begin::Created => Some(info.created),
                Begin::Injected => *injected,
            };
            let nodes = info.destinations.iter().map(|node| node.0);
            for node in nodes.filter(|&node| is_chosen(worm, node) && !delivered.contains(&(worm, node))) {
                let head = heads.iter().find(|(at_node, _)| at_node.0 == node).map(|(_, at)| *at);
                if let (End::Head, Some(at), Some(begin)) = (until, head, begin) {
                    all.push(Received { worm, node, latency: at - begin, at });
                    continue;
                }
                let elapsed = of_cause(worm, node).unwrap_or(self.end - begin.unwrap_or(self.end));
                let told = match cause {
                    Some(cause) => format!(" and has {elapsed} cycles of {cause} so far"),
                    None => format!(" in {elapsed} cycles"),
                };
                let wrong = match (equal, at_most) {
                    (Some(equal), _) if elapsed > *equal => format!("{told}; expected {equal}"),
                    (_, Some(most)) if elapsed > *most => format!("{told}; expected at most {most}"),
                    _ if worms.is_empty() => continue,
                    _ => String::new(),
                };
                missing.push((Some(worm), (format!("worm {worm} does not arrive at node {node}{wrong}"), None)));
            }
        }
        (all, missing)
    }

    /// Whether a worm has one of these classes and one of these encodings. An empty list is all.
    fn is_of(&self, worm: &WormInfo, classes: &[String], encodings: &[Encoding]) -> bool {
        let class = || {
            let number = worm.class.number?.get();
            self.classes.get(usize::from(number) - 1)
        };
        (classes.is_empty() || class().is_some_and(|class| classes.contains(class)))
            && (encodings.is_empty() || encodings.contains(&worm.encoding))
    }

    pub(super) fn throughput(&self, expected: &Throughput) -> Vec<Found> {
        let Throughput { to, classes, encodings, window, at_least, at_most } = expected;
        let whole = (0, self.end.saturating_sub(1));
        let (first, last) = window.unwrap_or(whole);
        // A run that was cut off has no cycles after its end.
        let last = if self.is_at_rest { last } else { last.min(whole.1) };
        if first > last {
            return vec![(format!("the run ended in cycle {}, before the window", self.end), None)];
        }
        let arrives = |d: &&crate::engine::Delivery| {
            (first..=last).contains(&d.tail)
                && (to.is_empty() || to.contains(&d.destination.0))
                && self.is_of(&self.record.worms[d.worm.index()], classes, encodings)
        };
        let flits: u64 = self.record.deliveries.iter().filter(arrives).map(|d| u64::from(d.flits)).sum();
        let nodes = if to.is_empty() { self.nodes as usize } else { to.len() };
        let seen = flits as f64 / (nodes as f64 * (last - first + 1) as f64);
        let wrong = match (at_least, at_most) {
            (Some(bound), _) if seen < *bound => format!("expected at least {bound}"),
            (_, Some(bound)) if seen > *bound => format!("expected at most {bound}"),
            _ => return Vec::new(),
        };
        let nodes = crate::quote::counted(nodes, "node");
        let message = format!(
            "{flits} flits arrive at {nodes} in cycles {first} to {last}, {seen:.4} per node and cycle; {wrong}"
        );
        vec![(message, Some(last))]
    }
}

fn latencies(count: usize) -> String {
    format!("{count} {}", form(count, "latency", "latencies"))
}

/// The failure of a percentile of sorted latencies, with the worm that has it.
fn percentile(expected: Percentile, all: &[Received], of_cause: &str) -> Option<(Option<u32>, Found)> {
    let Percentile { percent, at_least, at_most } = expected;
    #[allow(clippy::cast_sign_loss)] // It is at least 1.
    let rank = (all.len() as f64 * percent / 100.0).ceil().max(1.0) as usize;
    let &Received { worm, node, latency, at } = all.get(rank.min(all.len()).saturating_sub(1))?;
    let wrong = match (at_least, at_most) {
        (Some(least), _) if latency < least => format!("expected at least {least}"),
        (_, Some(most)) if latency > most => format!("expected at most {most}"),
        _ => return None,
    };
    let message = format!(
        "{percent} % of {} are up to {latency} cycles{of_cause}, that of worm {worm} to node {node}; {wrong}",
        latencies(all.len())
    );
    Some((Some(worm), (message, Some(at))))
}
