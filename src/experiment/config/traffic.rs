//! Rules of random traffic: its load, its destinations and its worms.

use std::ops::RangeInclusive;

use super::fault::{Checked, Fault, fault, within, worm_fault};
use super::groups;
use super::multicast::Common;
use crate::experiment::{
    Draw, Experiment, LARGEST_CYCLE, LONGEST_WORM, MessagePart, Pattern, Process, Traffic, WormFault, WormRules,
    offering,
};
use crate::network::{Network, Routing, header_flits, mean_header_flits, refusal};
use crate::quote::{excerpt, number};
use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

/// Checks an entry of random traffic at `path`.
pub(super) fn check_traffic(experiment: &Experiment, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let (network, group) = (&experiment.network, traffic.group.as_ref());
    if network.nodes() == 1 {
        return Err(fault([path], "random traffic needs a second node to send to; the network has 1 node"));
    }
    check_numbers(network, traffic, groups::size(experiment, group, path)?, path)?;
    check_load(network, traffic, path)?;
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
    check_pattern(network, rules, &traffic.pattern, &at("pattern"))?;
    check_pattern_in(experiment, group, &traffic.pattern, &at("pattern"))
}

/// Checks the worms that are sent, or whose flits the load counts.
fn check_worms(network: &Network, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let count = traffic.count().most();
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
    let count = if traffic.encoding.way() == Way::Unicast { 1 } else { traffic.count().most() };
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
    let header = traffic.count().mean_of(|count| mean_header_flits(network, traffic.encoding, count));
    header + traffic.length().mean()
}

/// Largest load of random traffic, in flits per node and cycle.
#[must_use]
pub(crate) fn greatest_load(network: &Network, traffic: &Traffic) -> f64 {
    let injection = f64::from(network.node.injection_channels);
    if traffic.process == Process::Bernoulli { injection.min(mean_flits(network, traffic)) } else { injection }
}

/// Checks worms to drawn destinations. Some headers name only some sets of nodes, and some are as
/// long as their routes.
fn check_drawn(network: &Network, rules: &WormRules, traffic: &Traffic, encoding: Encoding) -> Result<(), WormFault> {
    // Smaller worms are allowed whenever the largest is.
    let (count, payload_flits) = (traffic.count().most(), traffic.length().most());
    let (several, uniform) = (count > 1, traffic.pattern == Pattern::Uniform);
    let header = encoding.header();
    let why = if refusal(network, encoding).is_some() {
        return rules.check_shape(encoding, count, payload_flits);
    } else if several && encoding.way() == Way::Path && network.routing() != Routing::LabelOrder {
        format!(
            "random {encoding} multicasts are split into two worms, up and down the Hamiltonian path (dual-path), \
             which needs routing: label_order"
        )
    } else if several && !header.names_any_set() {
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

pub(super) fn check_pattern(network: &Network, rules: &WormRules, pattern: &Pattern, path: &str) -> Checked {
    let nodes = network.nodes();
    match pattern {
        Pattern::Tornado | Pattern::NearestNeighbour if network.stages().is_some() => {
            let name = if *pattern == Pattern::Tornado { "tornado" } else { "nearest_neighbour" };
            let allowed = "uniform, hot_spot, transpose, bit_reversal, shuffle";
            Err(fault(
                [path],
                format!("{name} needs dimensions, and a multistage network has none; allowed: {allowed}"),
            ))
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

/// Checks that a pattern is defined for a group of nodes.
pub(super) fn check_pattern_in(
    experiment: &Experiment,
    group: Option<&String>,
    pattern: &Pattern,
    path: &str,
) -> Checked {
    let Some(group) = group else { return Ok(()) };
    let name = excerpt(group);
    match pattern {
        Pattern::Uniform => Ok(()),
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
        Pattern::Transpose | Pattern::BitReversal | Pattern::Shuffle | Pattern::Tornado | Pattern::NearestNeighbour => {
            let why = format!("a permutation leads out of group \"{name}\"; allowed with a group: uniform, hot_spot");
            Err(fault([path], why))
        }
    }
}
