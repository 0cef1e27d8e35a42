//! Multicasts in software: checks of their expectations, and of rules for all multicasts. The
//! rules: each multicast is complete, and its worms are the worms of its plan.

use super::failure::{Found, list};
use super::record::Record;
use super::schema::OfMulticast;
use crate::multicast::Send;
use crate::workload::Operation;
use wormscope_hw::NodeId;

/// A send and its receivers, ascending.
fn edge(send: &Send) -> (u32, Vec<u32>) {
    let mut to: Vec<u32> = send.to.iter().map(|node| node.0).collect();
    to.sort_unstable();
    (send.from.0, to)
}

fn words((from, to): &(u32, Vec<u32>)) -> String {
    format!("{from} to {}", list(to))
}

/// Differences of a multicast from its expectation.
pub(super) fn judge(expected: &OfMulticast, operations: &[Operation]) -> Vec<Found> {
    let OfMulticast { multicast, to, equal, at_least, at_most, steps, sends } = expected;
    let Some(operation) = operations.get(*multicast as usize) else {
        return vec![(format!("multicast {multicast} does not begin"), None)];
    };
    let mut found = Vec::new();
    let nodes: Vec<NodeId> = if to.is_empty() {
        operation.design.plan.destinations.to_vec()
    } else {
        to.iter().map(|&node| NodeId(node)).collect()
    };
    for &node in &nodes {
        if operation.complete(node).is_none() {
            found.push((format!("node {node} does not hold the message of multicast {multicast}"), None));
        }
    }
    if let Some(end) = nodes.iter().filter_map(|&node| operation.complete(node)).max() {
        let seen = end - operation.begin;
        let wrong = match (equal, at_least, at_most) {
            (Some(equal), ..) if seen != *equal => Some(format!("expected {equal}")),
            (_, Some(least), _) if seen < *least => Some(format!("expected at least {least}")),
            (.., Some(most)) if seen > *most => Some(format!("expected at most {most}")),
            _ => None,
        };
        found.extend(wrong.map(|wrong| (format!("multicast {multicast} takes {seen} cycles; {wrong}"), Some(end))));
    }
    if let Some(steps) = steps.filter(|steps| *steps != operation.steps()) {
        let seen = operation.steps();
        found.push((format!("multicast {multicast} takes {seen} steps; expected {steps}"), operation.end));
    }
    if let Some(sends) = sends {
        let sorted = |mut edges: Vec<(u32, Vec<u32>)>| {
            for (_, to) in &mut edges {
                to.sort_unstable();
            }
            edges.sort_unstable();
            edges
        };
        let (wanted, seen) =
            (sorted(sends.clone()), sorted(operation.sends().iter().map(|performed| edge(&performed.send)).collect()));
        if wanted != seen {
            let text = |edges: &[(u32, Vec<u32>)]| edges.iter().map(words).collect::<Vec<_>>().join("; ");
            let message = format!("multicast {multicast} is the tree {}; expected {}", text(&seen), text(&wanted));
            found.push((message, operation.end));
        }
    }
    found
}

/// Multicasts that have begun and are not complete.
pub(super) fn incomplete(operations: &[Operation]) -> Vec<String> {
    let open = operations.iter().enumerate().filter(|(_, operation)| operation.end.is_none());
    open.map(|(number, operation)| {
        let plan = &operation.design.plan;
        let missing = list(plan.destinations.iter().filter(|node| operation.complete(**node).is_none()));
        let (name, source) = (operation.design.algorithm.name, plan.source);
        format!("multicast {number} ({name} from node {source}) is not complete: it is missing at nodes {missing}")
    })
    .collect()
}

/// Delivered worms that are not in the plans. This covers every complete multicast whose plan is
/// known in advance.
pub(super) fn off_plan(operations: &[Operation], record: &Record) -> Vec<Found> {
    let mut found = Vec::new();
    let complete = operations.iter().enumerate().filter(|(_, operation)| operation.end.is_some());
    for (number, operation) in complete.filter(|(_, operation)| operation.design.policy.is_none()) {
        let planned = operation.design.plan.sends.iter();
        for (send, performed) in planned.zip(operation.sends()) {
            for (&node, receipt) in send.to.iter().zip(&performed.receipts) {
                let is_it = |d: &&crate::engine::Delivery| {
                    let worm = &record.worms[d.worm.index()];
                    (d.destination, Some(d.tail)) == (node, receipt.tail)
                        && worm.source == send.from
                        && worm.encoding == send.encoding
                        && *worm.destinations == *send.to
                };
                if record.deliveries.iter().filter(is_it).count() != 1 {
                    let message = format!(
                        "multicast {number} plans a worm from node {} to {}, of which none arrives at node {node}",
                        send.from,
                        list(&send.to)
                    );
                    found.push((message, receipt.tail));
                }
            }
        }
        if operation.repeated > 0 {
            let message = format!("multicast {number} brings {} pieces to nodes that have them", operation.repeated);
            found.push((message, operation.end));
        }
    }
    found
}
