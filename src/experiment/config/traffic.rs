//! Rules of random traffic: its load, its destinations and its worms.

use std::ops::RangeInclusive;

use super::fault::{Checked, Fault, fault, within, worm_fault};
use super::groups;
use super::multicast::Common;
use crate::experiment::{
    Draw, Experiment, LARGEST_CYCLE, LONGEST_WORM, Matrix, MessagePart, Pattern, Process, Traffic, WormFault,
    WormRules, offering,
};
use crate::network::{Grid, Network, Routing, header_flits, mean_header_flits, refusal, stray};
use crate::quote::{excerpt, number};
use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId};

/// Patterns of traffic in a group.
const OF_GROUPS: &str = "uniform, hot_spot, neighbours, row, column, rectangle";

/// Checks an entry of random traffic at `path`.
pub(super) fn check_traffic(experiment: &Experiment, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let (network, group) = (&experiment.network, traffic.group.as_ref());
    if network.nodes() == 1 {
        return Err(fault([path], "random traffic needs a second node to send to; the network has 1 node"));
    }
    let nodes = groups::size(experiment, group, path)?;
    check_pattern(network, rules, &traffic.pattern, &at("pattern"))?;
    check_pattern_in(experiment, group, &traffic.pattern, &at("pattern"), OF_GROUPS)?;
    check_numbers(network, traffic, nodes, path)?;
    check_window(traffic, path)?;
    check_load(network, traffic, path)?;
    check_process(network, traffic, path)?;
    let count = traffic.count().most();
    if count > 1 && traffic.pattern != Pattern::Uniform {
        let to = match traffic.counts {
            Some(_) => format!("counts is up to {count}"),
            None => format!("destinations is {count}"),
        };
        return Err(fault([at("pattern")], format!("a pattern is for one destination but {to}; allowed: uniform")));
    }
    if let Some(algorithm) = &traffic.algorithm {
        Common { rules, experiment, network }.check_traffic(traffic, algorithm, path)?;
    } else if traffic.settings.is_some() {
        return Err(fault(
            [at("settings")],
            "settings has no effect without algorithm; leave settings out, or give \
             algorithm",
        ));
    }
    check_worms(network, rules, traffic, path)?;
    check_sets(experiment, rules, traffic, path)
}

/// Checks the cycles in which messages are created.
fn check_window(traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let from = traffic.from.unwrap_or(0);
    within(&at("from"), from, 0..=LARGEST_CYCLE, "")?;
    let Some(until) = traffic.until else { return Ok(()) };
    within(&at("until"), until, 0..=LARGEST_CYCLE, "")?;
    if from >= until {
        let why = format!("traffic from cycle {from} until {until}; allowed: until a later cycle");
        return Err(fault([at("until")], why));
    }
    Ok(())
}

/// Checks the fields of a process.
fn check_process(network: &Network, traffic: &Traffic, path: &str) -> Checked {
    /// Longest mean period, in cycles.
    const LONGEST: f64 = 1e12;
    /// Fewest messages of a burst, on the mean. A gap between two messages has few bursts then.
    const FEWEST: f64 = 0.001;
    let path = format!("{path}.process");
    if let Process::Steps { dimension } = traffic.process {
        let dimensions = network.radices().len() as u32;
        if dimensions == 0 {
            return Err(fault([path], "steps needs dimensions, and the nodes of this network have none"));
        }
        return within(&format!("{path}.steps.dimension"), dimension, 0..=dimensions - 1, "");
    }
    let Some((on, off, shape)) = traffic.process.bursts() else { return Ok(()) };
    let name = if shape.is_some() { "pareto" } else { "on_off" };
    let at = |field: &str| format!("{path}.{name}.{field}");
    for (field, mean) in [("on", on), ("off", off)] {
        within(&at(field), mean, 1.0..=LONGEST, " cycles")?;
    }
    if let Some(shape) = shape.filter(|&shape| !(shape > 1.0 && shape <= 100.0)) {
        let why = format!("shape is {}; allowed: above 1, up to 100", number(shape));
        return Err(fault([at("shape")], why));
    }
    let flits = mean_flits(network, traffic);
    let interval = traffic.interval.or(traffic.load.map(|load| flits / load)).unwrap_or(1.0);
    let messages = (on + off) / interval;
    if messages < FEWEST {
        let least = number(FEWEST * interval - off.min(FEWEST * interval));
        let why = format!(
            "on is {} but a burst has {} messages on the mean; allowed: at least {FEWEST} messages, with on at least {least}",
            number(on),
            number(messages)
        );
        return Err(fault([at("on")], why));
    }
    Ok(())
}

/// Checks that an encoding names the sets of the pattern.
fn check_sets(experiment: &Experiment, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let (network, pattern, encoding) = (&experiment.network, &traffic.pattern, traffic.encoding);
    if !pattern.is_set() || encoding.header().names_any_set() || traffic.algorithm.is_some() {
        return Ok(());
    }
    let at = |field: &str| format!("{path}.{field}");
    let grid = Grid::new(network.radices(), network.blueprint().wraps());
    let has = |node: u32| traffic.group.as_ref().map_or(Some(true), |name| groups::has(experiment, name, node));
    let Some(members) = (0..network.nodes()).map(has).collect::<Option<Vec<bool>>>() else {
        let why = format!(
            "the nodes of the group are drawn from the seed, so that the sets of {} may have no {encoding}; allowed: a \
             group with listed nodes, or encoding: bit_string",
            pattern.name()
        );
        return Err(fault([at("encoding")], why));
    };
    let has = |node: &NodeId| members[node.index()];
    let check = |source: NodeId| {
        let mut set: Vec<NodeId> = pattern.set(&grid, source.0).into_iter().filter(has).collect();
        if traffic.goes_to_source(network) && !set.is_empty() {
            set.push(source);
        }
        match stray(network, rules.wiring(), encoding, source, &set) {
            Some(why) if !set.is_empty() => Err(fault([at("encoding")], format!("from node {source}: {why}"))),
            _ => Ok(set),
        }
    };
    // One header names the nodes of a set and all of their own sets, if it names no other node.
    let mut is_known = vec![false; members.len()];
    for source in (0..network.nodes()).map(NodeId).filter(has) {
        if is_known[source.index()] {
            continue;
        }
        let mut set = check(source)?;
        set.push(source);
        set.sort_unstable();
        set.dedup();
        let is_shared = *pattern != Pattern::Neighbours && encoding.header().reached(&network.layout(), &set) == set;
        for node in set.iter().filter(|_| is_shared) {
            is_known[node.index()] = true;
        }
    }
    Ok(())
}

/// Checks the worms that are sent, or whose flits the load counts.
fn check_worms(network: &Network, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let count = traffic.most_destinations(network);
    // Software sends worms of its algorithm, which are checked elsewhere.
    if traffic.algorithm.is_some() && traffic.encoding == Encoding::Unicast {
        return Ok(());
    }
    offering(traffic.encoding, |encoding| check_drawn(network, rules, traffic, encoding)).map_err(|why| {
        match why.part {
            // In random traffic, the number of destinations has its own field.
            MessagePart::Encoding if traffic.encoding.way() == Way::Unicast && count > 1 => {
                fault([at("encoding"), at("destinations"), at("counts")], why.message)
            }
            MessagePart::PayloadFlits if traffic.lengths.is_some() => {
                fault(why.parameter.map(str::to_owned).into_iter().chain([at("lengths")]), why.message)
            }
            _ => worm_fault(why, path),
        }
    })
}

/// Number and lengths: each fixed or drawn.
fn check_numbers(network: &Network, traffic: &Traffic, nodes: u32, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let others = format!(" (other nodes of {nodes})");
    let given = traffic.destinations.map(|_| "destinations").or(traffic.counts.map(|_| "counts"));
    if let Some(field) = given.filter(|_| traffic.pattern.is_set()) {
        let why = format!("{field} has no effect with pattern: {}, which gives the set", traffic.pattern.name());
        return Err(fault([at(field)], why));
    }
    match (traffic.destinations, &traffic.counts) {
        (Some(_), Some(_)) => return Err(both(path, ["destinations", "counts"])),
        (Some(count), None) => within(&at("destinations"), count, 1..=nodes - 1, &others)?,
        (None, Some(counts)) => check_draw(&at("counts"), counts, 1..=nodes - 1, &others)?,
        (None, None) => {}
    }
    match (traffic.payload_flits, &traffic.lengths) {
        (Some(_), Some(_)) => Err(both(path, ["payload_flits", "lengths"])),
        (None, None) => Err(fault([path], "no length; payload_flits or lengths is needed")),
        (None, Some(lengths)) => check_draw(&at("lengths"), lengths, 1..=longest_payload(network, traffic), " flits"),
        (Some(_), None) => Ok(()),
    }
}

/// The longest possible payload of its worms, after the header for the largest number of
/// destinations.
fn longest_payload(network: &Network, traffic: &Traffic) -> u32 {
    let count = if traffic.encoding.way() == Way::Unicast { 1 } else { traffic.most_destinations(network) };
    // An encoding that the network has not is the error of a later check.
    let is_known = refusal(network, traffic.encoding).is_none();
    let header = if is_known { header_flits(network, traffic.encoding, count) } else { 1 };
    LONGEST_WORM.saturating_sub(header).max(1)
}

/// The fault of two fields of which only one may be given.
fn both(path: &str, [one, other]: [&str; 2]) -> Fault {
    fault([format!("{path}.{other}")], format!("both {one} and {other} are given; one is allowed"))
}

/// Checks a draw at `path`, both of whose ends must be in a range.
pub(super) fn check_draw(path: &str, draw: &Draw, range: RangeInclusive<u32>, unit: &str) -> Checked {
    draw.check(&range, unit).map_err(|(field, why)| fault([format!("{path}.{field}"), path.to_owned()], why))
}

/// Checks the load, and that a node can create this many messages.
fn check_load(network: &Network, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let injection = network.node.injection_channels;
    let load = match (traffic.load, traffic.interval) {
        (Some(load), None) => load,
        (None, Some(interval)) => return check_interval(network, traffic, interval, &at("interval")),
        (None, None) => return Err(fault([path], "no load; load or interval is needed")),
        (Some(_), Some(_)) => return Err(both(path, ["load", "interval"])),
    };
    if !(load > 0.0 && load <= f64::from(injection)) {
        let why = format!(
            "load is {}; allowed: above 0, up to {injection} flits per node and cycle (injection_channels)",
            number(load)
        );
        return Err(fault([at("load")], why));
    }
    let flits = mean_flits(network, traffic);
    if let Some((node, share)) = busiest(network, traffic)
        && load > greatest_load(network, traffic)
    {
        let why = format!(
            "load is {} but node {node} sends {} times the mean; allowed: above 0, up to {} flits per node and cycle",
            number(load),
            number(share),
            number(greatest_load(network, traffic))
        );
        return Err(fault([at("load")], why));
    }
    if traffic.process == Process::Bernoulli && load > flits {
        let why = format!(
            "load is {load} but a bernoulli process creates at most one message of {flits} flits per node and cycle; allowed: up to \
             {flits}, or process: exponential"
        );
        return Err(fault([at("load")], why));
    }
    Ok(())
}

/// Checks the mean gap between messages of a node. The node must be able to send that often.
fn check_interval(network: &Network, traffic: &Traffic, interval: f64, path: &str) -> Checked {
    let flits = mean_flits(network, traffic);
    let injection = network.node.injection_channels;
    let least = flits / greatest_load(network, traffic);
    if interval >= least && interval <= LARGEST_CYCLE as f64 {
        return Ok(());
    }
    let why = if traffic.process == Process::Bernoulli && f64::from(injection) > flits {
        "a bernoulli process creates at most one message per node and cycle".to_owned()
    } else {
        format!("{flits} flits a message through {injection} injection_channels")
    };
    let interval = number(interval);
    Err(fault([path], format!("interval is {interval}; allowed: {least} to {LARGEST_CYCLE} cycles ({why})")))
}

/// Mean number of flits of a message of random traffic, header and payload.
pub(crate) fn mean_flits(network: &Network, traffic: &Traffic) -> f64 {
    let header = |count| mean_header_flits(network, traffic.encoding, count);
    let mean = if traffic.pattern.is_set() {
        header(traffic.most_destinations(network))
    } else {
        traffic.count().mean_of(header)
    };
    mean + traffic.length().mean()
}

/// Largest load of random traffic, in flits per node and cycle.
#[must_use]
pub(crate) fn greatest_load(network: &Network, traffic: &Traffic) -> f64 {
    let injection = f64::from(network.node.injection_channels);
    let of_node =
        if traffic.process == Process::Bernoulli { injection.min(mean_flits(network, traffic)) } else { injection };
    of_node / busiest(network, traffic).map_or(1.0, |(_, share)| share)
}

/// The node with the largest load by a matrix, and this load as a multiple of the mean load.
fn busiest(network: &Network, traffic: &Traffic) -> Option<(u32, f64)> {
    let Pattern::Matrix { text: Some(text), .. } = &traffic.pattern else { return None };
    let matrix = Matrix::parse(text, network.nodes()).ok()?;
    (0..network.nodes()).map(|node| (node, matrix.share(node))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Checks worms to drawn destinations. Some headers name only some sets of nodes, and some are as
/// long as their routes.
fn check_drawn(network: &Network, rules: &WormRules, traffic: &Traffic, encoding: Encoding) -> Result<(), WormFault> {
    // Smaller worms are allowed whenever the largest is.
    let (count, payload_flits) = (traffic.most_destinations(network), traffic.length().most());
    let (several, uniform) = (count > 1, traffic.pattern == Pattern::Uniform);
    let header = encoding.header();
    let why = if refusal(network, encoding).is_some() {
        return rules.check_shape(encoding, count, payload_flits);
    } else if several && encoding.way() == Way::Path && network.routing() != Routing::LabelOrder {
        format!(
            "random {encoding} multicasts are split into two worms, up and down the Hamiltonian path (dual-path), \
             which needs routing: label_order"
        )
    } else if several && !header.names_any_set() && !traffic.pattern.is_set() {
        format!(
            "a {encoding} header names only certain sets of nodes, and random destinations rarely form one; give one \
             destination, or send messages or a trace"
        )
    } else if !(uniform && traffic.group.is_none())
        && header.each_switch_strips()
        && network.blueprint().mean_masks().1 > 1.0
    {
        format!(
            "the length of a {encoding} header in a bi_min depends on the route, so that the load is known only with \
             pattern: uniform among all nodes"
        )
    } else {
        return rules.check_shape(encoding, count, payload_flits);
    };
    Err(WormFault::new(MessagePart::Encoding, why))
}

/// Refuses a pattern in a network whose nodes have no coordinates.
fn without_coordinates(pattern: &Pattern, path: &str) -> Fault {
    let allowed = "uniform, hot_spot, transpose, bit_reversal, shuffle, permutation, matrix";
    let why = format!("{} needs a mesh or torus, and the nodes of this network have no coordinates", pattern.name());
    fault([path], format!("{why}; allowed: {allowed}"))
}

/// Checks a pattern of sets.
fn check_set(network: &Network, pattern: &Pattern, path: &str) -> Checked {
    let (name, radices) = (pattern.name(), network.radices());
    let Some(&along) = radices.first() else { return Err(without_coordinates(pattern, path)) };
    let across = radices.get(1).copied().unwrap_or(1);
    if let Pattern::Rectangle { width, height } = *pattern {
        within(&format!("{path}.rectangle.width"), width, 1..=along, " (nodes of a row)")?;
        within(&format!("{path}.rectangle.height"), height, 1..=across, " (nodes of a column)")?;
    }
    if pattern.most(&radices) > 0 {
        return Ok(());
    }
    let why = format!("no node has another node in its {name}; allowed: a pattern that leads to another node");
    Err(fault([path], why))
}

/// Checks the destinations of all nodes.
fn check_permutation(rules: &WormRules, to: &[u32], path: &str) -> Checked {
    rules.check_nodes(to).map_err(|(index, why)| fault([format!("{path}[{index}]"), path.to_owned()], why))?;
    let (given, nodes) = (to.len(), rules.nodes());
    if given != nodes as usize {
        let why = format!("{given} destinations; allowed: {nodes}, one for each node");
        return Err(fault([path], why));
    }
    if (0..).zip(to).all(|(node, &to)| node == to) {
        return Err(fault([path], "every node is its own destination; allowed: at least two other destinations"));
    }
    Ok(())
}

pub(super) fn check_pattern(network: &Network, rules: &WormRules, pattern: &Pattern, path: &str) -> Checked {
    let nodes = network.nodes();
    match pattern {
        Pattern::Tornado | Pattern::NearestNeighbour if network.radices().is_empty() => {
            Err(without_coordinates(pattern, path))
        }
        Pattern::Neighbours | Pattern::Row | Pattern::Column | Pattern::Rectangle { .. } => {
            check_set(network, pattern, path)
        }
        Pattern::Permutation(to) => check_permutation(rules, to, &format!("{path}.permutation")),
        Pattern::Matrix { file, text } => {
            let path = format!("{path}.matrix");
            let field = if file.is_some() { "file" } else { "text" };
            let Some(text) = text else {
                let why = match file {
                    Some(_) => "a file needs a configuration that is a file itself; allowed here: text: \"...\"",
                    None => "neither file nor text is given; allowed: one of them, with the weights as CSV",
                };
                return Err(fault([format!("{path}.{field}"), path], why));
            };
            let name = file.as_deref().unwrap_or("text");
            let parsed = Matrix::parse(text, nodes);
            parsed.map(|_| ()).map_err(|why| fault([format!("{path}.{field}")], why.within(name)))
        }
        Pattern::Uniform | Pattern::Tornado | Pattern::NearestNeighbour => Ok(()),
        Pattern::HotSpot { nodes, share } => {
            let path = format!("{path}.hot_spot");
            let at_nodes = format!("{path}.nodes");
            if nodes.is_empty() {
                return Err(fault([at_nodes], "no hot nodes; at least one is needed"));
            }
            rules.check_nodes(nodes).map_err(|(index, why)| fault([format!("{at_nodes}[{index}]")], why))?;
            within(&format!("{path}.share"), *share, 0.0..=1.0, "")
        }
        Pattern::Transpose => match network.radices()[..] {
            [x, y] if x == y => Ok(()),
            [] if nodes.isqrt().pow(2) == nodes => Ok(()),
            [] => Err(fault([path], format!("transpose needs a square of nodes but the network has {nodes}"))),
            ref radices => {
                let why = format!("transpose needs two dimensions of equal radix but they are {radices:?}");
                Err(fault([path], why))
            }
        },
        Pattern::BitReversal | Pattern::Shuffle if nodes.is_power_of_two() => Ok(()),
        Pattern::BitReversal | Pattern::Shuffle => {
            let name = if *pattern == Pattern::Shuffle { "shuffle" } else { "bit_reversal" };
            Err(fault([path], format!("{name} needs a power of two of nodes but the network has {nodes}")))
        }
    }
}

/// Checks that a pattern is defined for a group of nodes. `allowed` are the patterns that are.
pub(super) fn check_pattern_in(
    experiment: &Experiment,
    group: Option<&String>,
    pattern: &Pattern,
    path: &str,
    allowed: &str,
) -> Checked {
    let Some(group) = group else { return Ok(()) };
    let name = excerpt(group);
    match pattern {
        Pattern::Uniform | Pattern::Neighbours | Pattern::Row | Pattern::Column | Pattern::Rectangle { .. } => Ok(()),
        Pattern::HotSpot { nodes, .. } => {
            for (n, &node) in nodes.iter().enumerate() {
                let why = match groups::has(experiment, group, node) {
                    Some(true) => continue,
                    Some(false) => format!("node {node} is not in group \"{name}\"; allowed: hot nodes of the group"),
                    None => format!(
                        "the nodes of group \"{name}\" are drawn from the seed, so that node {node} may not be one; \
                         allowed: hot nodes of a group with listed nodes"
                    ),
                };
                return Err(fault([format!("{path}.hot_spot.nodes[{n}]")], why));
            }
            Ok(())
        }
        Pattern::Transpose
        | Pattern::BitReversal
        | Pattern::Shuffle
        | Pattern::Tornado
        | Pattern::NearestNeighbour
        | Pattern::Permutation(_)
        | Pattern::Matrix { .. } => {
            let what = if matches!(pattern, Pattern::Matrix { .. }) { "matrix" } else { "permutation" };
            let why = format!("a {what} leads out of group \"{name}\"; allowed with a group: {allowed}");
            Err(fault([path], why))
        }
    }
}
