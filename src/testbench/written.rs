//! A testbench as a file that a person reads: its network without defaults, its worms and its
//! expectations, one a line.

use std::fmt::Write as _;

use serde::Serialize;

use super::schema::{Deadlock, FinalState, Testbench};
use crate::experiment::{Message, Stall, Workload};
use crate::input::ron::{canonical, pretty};
use crate::network::{Link, Network, Node, Switch};

/// Fields of a flat structure that differ from its defaults, as in `fifo_depth: 2`.
fn fields(value: &impl Serialize, default: &impl Serialize) -> Vec<String> {
    let (value, default) = (pretty(value), pretty(default));
    let differing = value.lines().filter(|line| !default.lines().any(|other| other == *line));
    differing.map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
}

/// A network without the fields that have their defaults.
#[must_use]
pub fn network(network: &Network) -> String {
    let mut text = format!("(\n        topology: {},\n", canonical(&network.topology));
    let mut add = |name: &str, fields: Vec<String>| {
        if !fields.is_empty() {
            let _ = writeln!(text, "        {name}: ({}),", fields.join(", "));
        }
    };
    add("switch", fields(&network.switch, &Switch::default()));
    add("link", fields(&network.link, &Link::default()));
    let (inject, consume) = (network.node.injection_link, network.node.consumption_link);
    let (injection_link, consumption_link) = (Link::default(), Link::default());
    let mut node = fields(&Node { injection_link, consumption_link, ..network.node.clone() }, &Node::default());
    for (name, link) in [("injection_link", inject), ("consumption_link", consume)] {
        if link != Link::default() {
            node.push(format!("{name}: {}", canonical(&link)));
        }
    }
    add("node", node);
    if let Some(ring) = network.token_ring {
        let flits = ring.release_flits.map(|flits| format!(", release_flits: {flits}")).unwrap_or_default();
        let _ = writeln!(text, "        token_ring: (hop_cycles: {}{flits}),", ring.hop_cycles);
    }
    if let Some(routing) = &network.routing {
        let _ = writeln!(text, "        routing: {},", canonical(routing));
    }
    text + "    )"
}

fn message(of: &Message) -> String {
    let Message { cycle, source, destinations, encoding, payload_flits, class } = of;
    let encoding = encoding.map(|encoding| format!(", encoding: {encoding}")).unwrap_or_default();
    let class = class.as_ref().map(|class| format!(", class: {class:?}")).unwrap_or_default();
    format!(
        "(cycle: {cycle}, source: {source}, destinations: {destinations:?}{encoding}, payload_flits: {payload_flits}{class})"
    )
}

fn stall(of: &Stall) -> String {
    let Stall { node, link, station, arbiter, first, from, until } = of;
    let mut fields: Vec<String> = node.iter().map(|node| format!("node: {node}")).collect();
    for (name, value) in [("link", link), ("station", station), ("arbiter", arbiter), ("first", first)] {
        fields.extend(value.iter().map(|value| format!("{name}: {value:?}")));
    }
    format!("({}, from: {from}, until: {until})", fields.join(", "))
}

/// The text of a testbench with a network, messages, stalls, and expectations of deadlocks and
/// properties. `comment` comes first, one line each.
#[must_use]
pub fn text(comment: &[String], bench: &Testbench) -> String {
    let mut text = String::new();
    for line in comment {
        let _ = writeln!(text, "// {line}");
    }
    let _ = writeln!(text, "(\n    purpose: {:?},", bench.purpose);
    if let Some(of) = &bench.network {
        let _ = writeln!(text, "    network: {},", network(of));
    }
    text += "    workload: [\n";
    for entry in &bench.workload {
        let (name, lines): (&str, Vec<String>) = match entry {
            Workload::Messages(messages) => ("messages", messages.iter().map(message).collect()),
            Workload::Stalls(stalls) => ("stalls", stalls.iter().map(stall).collect()),
            _ => continue,
        };
        let _ = writeln!(text, "        {name}([");
        for line in lines {
            let _ = writeln!(text, "            {line},");
        }
        text += "        ]),\n";
    }
    text += "    ],\n";
    let expect = &bench.expect;
    text += "    expect: (\n";
    if let Some(Deadlock::Found { worms, final_cycle, .. }) = &expect.deadlock {
        let last = final_cycle.map(|cycle| format!(", final_cycle: {cycle}")).unwrap_or_default();
        let _ = writeln!(text, "        deadlock: found(worms: {worms:?}{last}),");
    }
    if expect.deadlock == Some(Deadlock::Never) {
        text += "        deadlock: never,\n";
    }
    if expect.final_state == Some(FinalState::Any) {
        text += "        final_state: any,\n";
    }
    if !expect.properties.is_empty() {
        let _ = writeln!(text, "        properties: {:?},", expect.properties);
    }
    text + "    ),\n)\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbench::from_text;
    use crate::testbench::schema::Expect;

    #[test]
    fn a_written_testbench_reads_back() {
        let text_of = "(purpose: \"p\", expect: (deadlock: never), network: (topology: mesh(radices: [3, 2]), switch: (fifo_depth: 7, arbiter: matrix),
            node: (consumption_channels: 2, consumption_link: (link_cycles: 3, credit_cycles: 2))),
            workload: [messages([(cycle: 3, source: 0, destinations: [1, 4], encoding: bit_string, payload_flits: 2)]),
                stalls([(node: 3, from: 0, until: 4)])])";
        let read = from_text("one.ron", text_of).expect("a testbench");
        let experiment = &read.loaded().experiment;
        let bench = Testbench {
            purpose: "p".to_owned(),
            network: Some(experiment.network.clone()),
            workload: experiment.workload.clone(),
            expect: Expect { deadlock: Some(Deadlock::Never), ..Expect::default() },
            ..Testbench::default()
        };
        let written = text(&["one".to_owned()], &bench);
        let again = from_text("two.ron", &written).unwrap_or_else(|error| panic!("{error}: {written}"));
        assert_eq!(
            (&again.loaded().experiment.network, &again.loaded().experiment.workload),
            (&experiment.network, &experiment.workload)
        );
        assert!(written.contains("switch: (fifo_depth: 7, arbiter: matrix),"), "{written}");
    }
}
