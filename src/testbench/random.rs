//! Constrained-random worms. They are drawn from the seed, and are valid by construction.

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId};

use super::schema::{RandomWorms, TWO_TO_FOUR};
use crate::experiment::{Message, WormRules};
use crate::multicast::dual_path;
use crate::network::routing::Labels;
use crate::network::{Network, Routing, reached};
use crate::simulation::Site;
use crate::workload::random::{Key, Stream};

/// First key of random worms. Keys of entries of a workload are numbered from 0.
const FIRST_KEY: u64 = 1 << 32;
/// Largest number of worms of one entry.
const MOST_WORMS: u32 = 1_000_000;

/// Checks that such worms can be drawn on a network.
///
/// # Errors
/// The field at fault, and its fault.
pub(super) fn check(worms: &RandomWorms, rules: &WormRules) -> Result<(), (String, String)> {
    let RandomWorms { worms: count, cycles, sources, targets, encodings, destinations, payload_flits, around_source } =
        worms;
    let fail = |field: &str, why: String| Err((field.to_owned(), why));
    if !(1..=MOST_WORMS).contains(count) {
        return fail("worms", format!("{count} worms; allowed: 1 to {MOST_WORMS}"));
    }
    let ranges = [
        ("cycles", cycles.0, cycles.1),
        ("destinations", destinations.0.into(), destinations.1.into()),
        ("payload_flits", payload_flits.0.into(), payload_flits.1.into()),
    ];
    for (field, least, most) in ranges {
        if least > most {
            return fail(field, format!("the range {least} to {most} is empty"));
        }
    }
    crate::experiment::check_cycle(cycles.1).map_err(|why| ("cycles".to_owned(), why))?;
    for (field, nodes) in [("sources", sources), ("targets", targets)] {
        rules.check_nodes(nodes).map_err(|(index, why)| (format!("{field}[{index}]"), why))?;
    }
    if encodings.iter().all(|(_, weight)| *weight == 0) {
        return fail("encodings", "no encoding has a weight above 0".to_owned());
    }
    for (index, &(encoding, weight)) in encodings.iter().enumerate() {
        let most = if encoding.way() == Way::Unicast { 1 } else { destinations.1 };
        if weight > 0 {
            // The longest worms of a kind break every rule that a shorter one breaks.
            rules
                .check_worm(encoding, most, payload_flits.1)
                .map_err(|why| (format!("encodings[{index}]"), why.message))?;
            if encoding.way() != Way::Unicast && destinations.0 == 0 {
                return fail("destinations", "a multicast to no destination; at least 1".to_owned());
            }
        }
    }
    // A worm does not go to its own source.
    let receive = if targets.is_empty() { rules.nodes() } else { targets.len() as u32 };
    let is_outsider = |node: &u32| !targets.is_empty() && !targets.contains(node);
    let outside = if sources.is_empty() { receive < rules.nodes() } else { sources.iter().any(is_outsider) };
    let most = receive.saturating_sub(u32::from(!outside));
    let is_multicast = encodings.iter().any(|(encoding, weight)| encoding.way() != Way::Unicast && *weight > 0);
    if is_multicast && *destinations != TWO_TO_FOUR && destinations.1 > most {
        return fail(
            "destinations",
            format!("up to {} destinations; at most {most} nodes can receive", destinations.1),
        );
    }
    if *around_source && !rules.may_name_source() {
        let why = "around_source is true, and in this network a worm may come back to the switch of its source; allowed: \
                   grids, routing: multiple_turnaround, and copy_to_source: true";
        return fail("around_source", why.to_owned());
    }
    if payload_flits.0 == 0 {
        return fail("payload_flits", "payload_flits is 0; at least 1".to_owned());
    }
    if rules.nodes() < 2 {
        return fail("worms", "random worms need a second node to go to; the network has 1 node".to_owned());
    }
    if let ([source], [target]) = (&sources[..], &targets[..])
        && source == target
    {
        return fail(
            "targets",
            format!("node {source} is the only sender and the only receiver; allowed: another node"),
        );
    }
    Ok(())
}

/// Draws the worms of entry number `place`.
pub(super) fn draw(worms: &RandomWorms, place: u64, seed: u64, network: &Network, site: &Site) -> Vec<Message> {
    let key = Key::new(seed).child(FIRST_KEY + place);
    let all: Vec<u32> = (0..network.nodes()).collect();
    let or_all = |nodes: &[u32]| if nodes.is_empty() { all.clone() } else { nodes.to_vec() };
    let (mut sources, targets) = (or_all(&worms.sources), or_all(&worms.targets));
    if let [only] = targets[..] {
        // The only target has no node to send to.
        sources.retain(|source| *source != only);
    }
    let labels = match (network.routing(), site.wiring().grid()) {
        (Routing::LabelOrder, Some(grid)) => Labels::new(grid),
        _ => None,
    };
    let mut messages = Vec::new();
    for number in 0..worms.worms {
        let mut random = key.child(number.into()).stream();
        let cycle = worms.cycles.0 + random.below_wide(worms.cycles.1 - worms.cycles.0 + 1);
        let source = sources[random.below(sources.len() as u32) as usize];
        let payload_flits = within(&mut random, worms.payload_flits);
        let encoding = weighted(&mut random, &worms.encodings);
        let count = match encoding.way() {
            Way::Unicast => 1,
            Way::Tree | Way::Path => within(&mut random, worms.destinations),
        };
        let others: Vec<u32> = targets.iter().copied().filter(|&node| node != source).collect();
        let mut destinations = several(&mut random, others, count);
        match (encoding.way(), &labels) {
            (Way::Path, Some(labels)) => {
                let nodes: Vec<NodeId> = destinations.iter().map(|&d| NodeId(d)).collect();
                let parts = dual_path(labels, NodeId(source), &nodes);
                let part = random.below(parts.len() as u32) as usize;
                destinations = parts.get(part).map_or(Vec::new(), |part| part.iter().map(|d| d.0).collect());
            }
            (Way::Path, None) => {
                if let Some(&last) = destinations.first() {
                    destinations = on_route(&mut random, site, source, last, count);
                }
            }
            (Way::Tree, _) if worms.around_source && names_source(network, encoding) => {
                destinations = around(network, site, encoding, source, destinations);
            }
            (Way::Unicast | Way::Tree, _) => destinations = nameable(network, site, encoding, source, destinations),
        }
        messages.push(Message { cycle, source, destinations, encoding: Some(encoding), class: None, payload_flits });
    }
    messages
}

fn within(random: &mut Stream, (least, most): (u32, u32)) -> u32 {
    least + random.below_wide(u64::from(most - least) + 1) as u32
}

fn weighted(random: &mut Stream, encodings: &[(Encoding, u32)]) -> Encoding {
    let sum: u64 = encodings.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut drawn = random.below_wide(sum);
    for &(encoding, weight) in encodings {
        match drawn.checked_sub(weight.into()) {
            Some(rest) => drawn = rest,
            None => return encoding,
        }
    }
    Encoding::Unicast
}

/// `count` of the nodes in random order, or all nodes when there are fewer.
fn several(random: &mut Stream, mut nodes: Vec<u32>, count: u32) -> Vec<u32> {
    let count = nodes.len().min(count as usize);
    for i in 0..count {
        let with = i + random.below((nodes.len() - i) as u32) as usize;
        nodes.swap(i, with);
    }
    nodes.truncate(count);
    nodes
}

/// The nodes that the smallest header for `nodes` leads to. If the source is among them, `nodes` is
/// shortened.
fn nameable(network: &Network, site: &Site, encoding: Encoding, source: u32, mut nodes: Vec<u32>) -> Vec<u32> {
    while encoding.way() == Way::Tree && !nodes.is_empty() {
        let to: Vec<NodeId> = nodes.iter().map(|&node| NodeId(node)).collect();
        let reached = reached(network, site.wiring(), encoding, NodeId(source), &to);
        if !reached.contains(&NodeId(source)) {
            return reached.iter().map(|node| node.0).collect();
        }
        nodes.pop();
    }
    nodes
}

/// Whether headers of an encoding may name their source.
fn names_source(network: &Network, encoding: Encoding) -> bool {
    encoding.header().stays() || network.switch.copy_to_source && encoding.header().looks_up_reach()
}

/// The nodes of the smallest header for `nodes` and the source. They have the source only if it
/// gets a copy.
fn around(network: &Network, site: &Site, encoding: Encoding, source: u32, nodes: Vec<u32>) -> Vec<u32> {
    let to: Vec<NodeId> = nodes.into_iter().chain([source]).map(NodeId).collect();
    let reached = reached(network, site.wiring(), encoding, NodeId(source), &to);
    reached.iter().map(|node| node.0).filter(|&node| network.switch.copy_to_source || node != source).collect()
}

/// Up to `count` nodes on the route to `last`, which comes last. Such a worm conforms to the base
/// routing.
fn on_route(random: &mut Stream, site: &Site, source: u32, last: u32, count: u32) -> Vec<u32> {
    let nodes = site.wiring().nodes();
    let at = |switch| (0..nodes).find(|&n| site.wiring().consumption(NodeId(n)).0 == switch);
    let between: Vec<u32> =
        site.route(NodeId(source), NodeId(last)).filter_map(at).filter(|&n| n != source && n != last).collect();
    let mut chosen = several(random, between.clone(), count.saturating_sub(1));
    chosen.sort_by_key(|node| between.iter().position(|n| n == node));
    chosen.push(last);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbench::from_text;

    #[test]
    fn as_many_worms_are_drawn_as_the_field_says_whoever_sends() {
        let cases = [
            ("topology: linear(nodes: 3)", "unicast, 1", "targets: [1]"),
            ("topology: linear(nodes: 3)", "bit_string, 1", "sources: [1, 2], targets: [1]"),
            ("topology: mesh(radices: [3, 3])", "multidestination, 1", "targets: [4]"),
            (
                "topology: mesh(radices: [3, 3]), routing: label_order",
                "multidestination, 1",
                "sources: [0, 8], targets: [0]",
            ),
            ("topology: mesh(radices: [3, 3]), routing: label_order", "multidestination, 1", "sources: [4]"),
            ("topology: uni_min(kind: omega, switch_ports: 2, stages: 3)", "multiport, 1", "targets: [5]"),
            ("topology: bi_min(switch_ports: 2, stages: 3)", "multiport, 1", "sources: [0, 1, 2]"),
        ];
        for (network, encoding, nodes) in cases {
            let text = format!(
                "(purpose: \"x\", network: ({network}), expect: (final_state: any, deadlock: never), random: [(worms: 40, \
                 cycles: (0, 900), payload_flits: (1, 2), encodings: [({encoding})], {nodes})])"
            );
            let bench = from_text("x.ron", &text).unwrap_or_else(|error| panic!("{error}"));
            let site = Site::new(&bench.loaded().experiment.network).unwrap();
            for seed in 0..50 {
                let drawn = draw(&bench.random[0], 0, seed, &bench.loaded().experiment.network, &site);
                assert_eq!(drawn.len(), 40, "{text}");
                assert!(drawn.iter().all(|message| !message.destinations.is_empty()), "{text}: {drawn:?}");
            }
        }
    }
}
