//! Ranges and cross-field rules: everything that can be refused is refused before anything runs.

use std::ops::RangeInclusive;

use super::fault::{Checked, fault, within, worm_fault};
use super::groups;
use super::multicast::Common;
use super::overrides::Located;
use crate::experiment::{
    Experiment, LARGEST_CYCLE, MOST_COST, Part, Pattern, Process, Run, Stall, Traffic, Workload, WormFault, WormRules,
    check_cycle, offering,
};
use crate::input::ConfigError;
use crate::network::lanes::port_names;
use crate::network::routing::grouping;
use crate::network::{Link, Misfit, Network, Node, Routing, Switch, channel, mean_header_flits, refusal};
use crate::quote::{excerpt, number};
use crate::spelling::most_like;
use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, Replication};

/// Clock periods in ns, from a femtosecond to a second: what is counted with them can be printed.
const CLOCK_NS: RangeInclusive<f64> = 1e-6..=1e9;

/// Checks that an experiment can run.
///
/// # Errors
/// The first rule it breaks, placed at the field in the text, or at the override that set it.
pub(crate) fn validate(experiment: &Experiment, located: &Located) -> Result<(), ConfigError> {
    check(experiment).map_err(|fault| located.error(&fault.paths, fault.message))
}

fn check(experiment: &Experiment) -> Checked {
    let network = &experiment.network;
    let misfit = |why: Misfit| fault([format!("network.topology.{}", why.path)], why.why);
    network.blueprint().check().map_err(misfit)?;
    check_switch(&network.switch)?;
    check_link("network.link", network.link)?;
    check_node(&network.node)?;
    check_network(network)?;
    check_lanes(network)?;
    let rules = WormRules::new(network);
    groups::check(experiment, &rules)?;
    for (index, workload) in experiment.workload.iter().enumerate() {
        let path = format!("workload[{index}]");
        match workload {
            Workload::Messages(messages) => {
                for (index, message) in messages.iter().enumerate() {
                    let path = format!("{path}.messages[{index}]");
                    rules.check_message(message).map_err(|why| worm_fault(why, &path))?;
                }
            }
            Workload::Trace(file) if file.is_empty() => {
                return Err(fault([path + ".trace"], "no file name; a path relative to this file is expected"));
            }
            Workload::Trace(_) => {}
            Workload::Traffic(traffic) => check_traffic(experiment, &rules, traffic, &format!("{path}.traffic"))?,
            Workload::Multicast(m) => {
                Common { rules: &rules, experiment, network }.check_one(m, &format!("{path}.multicast"))?;
            }
            Workload::Multicasts(m) => {
                Common { rules: &rules, experiment, network }.check_random(m, &format!("{path}.multicasts"))?;
            }
            Workload::Stalls(stalls) => {
                for (index, stall) in stalls.iter().enumerate() {
                    check_stall(network, &rules, stall, &format!("{path}.stalls[{index}]"))?;
                }
            }
        }
    }
    check_run(&experiment.run)
}

fn check_switch(switch: &Switch) -> Checked {
    within("network.switch.flit_bits", switch.flit_bits, 8..=1024, " bits")?;
    within("network.switch.fifo_depth", switch.fifo_depth, 1..=65535, " flits")?;
    within("network.switch.virtual_channels", switch.virtual_channels, 1..=64, "")?;
    within("network.switch.dilation", switch.dilation, 1..=64, "")?;
    within("network.switch.routing_cycles", switch.routing_cycles, 0..=1024, " cycles")?;
    within("network.switch.allocation_cycles", switch.allocation_cycles, 0..=1, " cycles")?;
    within("network.switch.crossbar_cycles", switch.crossbar_cycles, 0..=64, " cycles")
}

fn check_link(path: &str, link: Link) -> Checked {
    within(&format!("{path}.link_cycles"), link.link_cycles, 1..=64, " cycles")?;
    within(&format!("{path}.credit_cycles"), link.credit_cycles, 1..=64, " cycles")
}

fn check_node(node: &Node) -> Checked {
    within("network.node.startup_cycles", node.startup_cycles, 0..=1_000_000_000, " cycles")?;
    within("network.node.injection_channels", node.injection_channels, 1..=64, "")?;
    within("network.node.ports", node.ports, 1..=node.injection_channels, " (injection_channels)")?;
    check_software(node)?;
    check_link("network.node.injection_link", node.injection_link)?;
    within("network.node.consumption_channels", node.consumption_channels, 1..=64, "")?;
    if let Some(depth) = node.consumption_depth {
        within("network.node.consumption_depth", depth, 1..=65535, " flits")?;
    }
    check_link("network.node.consumption_link", node.consumption_link)
}

/// Software of the nodes.
fn check_software(node: &Node) -> Checked {
    if let Some(costs) = &node.costs {
        let kinds = [("hold", costs.hold), ("send", costs.send), ("receive", costs.receive), ("inter", costs.inter)];
        let parts = kinds.iter().flat_map(|(kind, cost)| {
            [(format!("{kind}.fixed"), cost.fixed), (format!("{kind}.per_byte"), cost.per_byte)]
        });
        for (part, value) in parts.chain([("network".to_owned(), costs.network)]) {
            within(&format!("network.node.costs.{part}"), value, 0.0..=MOST_COST, " cycles")?;
        }
    }
    for (field, buffer) in [("send_buffer", node.send_buffer), ("receive_buffer", node.receive_buffer)] {
        if let Some(bytes) = buffer {
            within(&format!("network.node.{field}"), bytes, 1..=u32::MAX, " bytes")?;
        }
    }
    if node.has_software() && node.startup_cycles > 0 {
        return Err(fault(
            ["network.node.startup_cycles"],
            "startup_cycles is the simple model, costs and buffers the full one; one of them is allowed (costs.hold and costs.send)",
        ));
    }
    Ok(())
}

fn check_stall(network: &Network, rules: &WormRules, stall: &Stall, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    match stall {
        Stall { node: Some(node), link: None, station: None, .. } => {
            rules.check_node(*node).map_err(|why| fault([at("node")], why))?;
        }
        Stall { node: None, link: Some(name), station: None, .. } => {
            let (wiring, lanes) = (network.wiring(), network.lanes(&network.wiring()));
            if channel::named(&wiring, lanes, name).is_empty() {
                let all = channel::outputs(&wiring, lanes).chain(channel::injections(&wiring, lanes));
                let nearest = most_like(name, all.map(|(_, name)| name)).join(", ");
                return Err(fault([at("link")], format!("no link \"{}\"; nearest names: {nearest}", excerpt(name))));
            }
        }
        Stall { node: None, link: None, station: Some(name), .. } => {
            let wiring = network.wiring();
            if network.token_ring.is_none() {
                return Err(fault([at("station")], "the network has no token rings, whose stations could be stalled"));
            }
            let stations = grouping::of(&wiring, network.last_stage_blocks());
            let stations: Vec<_> = stations.iter().flat_map(|group| group.switches.iter()).collect();
            if !channel::switch_named(&wiring, name).is_some_and(|switch| stations.contains(&&switch)) {
                let nearest = most_like(name, stations.into_iter().map(|&s| wiring.switch_name(s))).join(", ");
                return Err(fault(
                    [at("station")],
                    format!("no station \"{}\"; nearest names: {nearest}", excerpt(name)),
                ));
            }
        }
        _ => return Err(fault([path], "a stall of a node, a link or a station: exactly one of the three is given")),
    }
    within(&at("until"), stall.until, 0..=LARGEST_CYCLE, "")?;
    if stall.from >= stall.until {
        let why = format!("a stall from cycle {} until {}; allowed: until a later cycle", stall.from, stall.until);
        return Err(fault([at("until")], why));
    }
    Ok(())
}

fn check_network(network: &Network) -> Checked {
    const CHANNELS: &str = "network.switch.virtual_channels";
    within("network.clock_ns", network.clock_ns, CLOCK_NS, " ns")?;
    let channels = network.switch.virtual_channels;
    if !channels.is_multiple_of(network.classes()) {
        return Err(fault(
            [CHANNELS, "network.topology.torus.datelines", "network.topology"],
            format!(
                "a torus with datelines splits its virtual channels into two classes but virtual_channels is {channels}; \
                 allowed: an even number, or datelines: false"
            ),
        ));
    }
    if let Some(ring) = network.token_ring {
        within("network.token_ring.hop_cycles", ring.hop_cycles, 1..=1024, " cycles")?;
        if let Some(why) = network.blueprint().refuses_token_rings() {
            return Err(fault(
                ["network.token_ring", "network.topology"],
                format!("{why}; allowed: uni_min, bi_min, or no token_ring"),
            ));
        }
    }
    if network.switch.replication == Replication::Lockstep && channels > 1 {
        return Err(fault(
            ["network.switch.replication", CHANNELS],
            format!(
                "lockstep replication works without virtual channels only but virtual_channels is {channels}; allowed: 1"
            ),
        ));
    }
    check_port_order(network)?;
    check_routing(network)
}

/// All ports, each once.
fn check_port_order(network: &Network) -> Checked {
    let Some(order) = &network.switch.port_order else { return Ok(()) };
    let names = port_names(network);
    let at = |n: usize| format!("network.switch.port_order[{n}]");
    for (n, name) in order.iter().enumerate() {
        if !names.contains(name) {
            let nearest = most_like(name, names.iter().cloned()).join(", ");
            return Err(fault([at(n)], format!("no port \"{}\"; nearest names: {nearest}", excerpt(name))));
        }
        if order[..n].contains(name) {
            return Err(fault([at(n)], format!("port {name} a second time; allowed: every port once")));
        }
    }
    match names.iter().find(|name| !order.contains(name)) {
        Some(name) => {
            let why = format!("port {name} is missing; allowed: all of {}, each once", names.join(", "));
            Err(fault(["network.switch.port_order"], why))
        }
        None => Ok(()),
    }
}

fn check_routing(network: &Network) -> Checked {
    let (what, allowed) = network.blueprint().routings();
    let routing = network.routing();
    if allowed.contains(&routing) {
        return Ok(());
    }
    let why = match routing {
        Routing::LabelOrder => format!("label_order has labels for 2-D and 3-D meshes, not for {what}"),
        _ => format!("{} does not route in {what}", routing.name()),
    };
    let allowed = allowed.iter().map(|routing| routing.name()).collect::<Vec<_>>().join(", ");
    Err(fault(["network.routing"], format!("{why}; allowed: {allowed}")))
}

fn check_lanes(network: &Network) -> Checked {
    const MOST: u32 = 64;
    let (dilation, channels) = (network.switch.dilation, network.switch.virtual_channels);
    let (injection, consumption) = (network.node.injection_channels, network.node.consumption_channels);
    let sides = [
        ("input", network.input_lanes(), "injection_channels", injection),
        ("output", network.output_lanes(), "consumption_channels", consumption),
    ];
    for (side, lanes, of_node, count) in sides {
        if lanes > MOST {
            let links = format!("dilation {dilation} * virtual_channels {channels}");
            let sum = network.blueprint().lanes_in_words(&links, &format!("{of_node} {count}"));
            let node = format!("network.node.{of_node}");
            return Err(fault(
                ["network.switch.virtual_channels", "network.switch.dilation", &node, "network.topology"],
                format!("{lanes} {side} lanes per switch ({sum}); allowed: up to {MOST}"),
            ));
        }
    }
    Ok(())
}

fn check_traffic(experiment: &Experiment, rules: &WormRules, traffic: &Traffic, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    let (network, group) = (&experiment.network, traffic.group.as_ref());
    let injection = network.node.injection_channels;
    if network.nodes() == 1 {
        return Err(fault([path], "random traffic needs a second node to send to; the network has 1 node"));
    }
    if !(traffic.load > 0.0 && traffic.load <= f64::from(injection)) {
        let why = format!(
            "load is {}; allowed: above 0, up to {injection} flits per node and cycle (injection_channels)",
            number(traffic.load)
        );
        return Err(fault([at("load")], why));
    }
    let flits = mean_flits(network, traffic);
    if traffic.process == Process::Bernoulli && traffic.load > flits {
        let why = format!(
            "load is {} but a bernoulli process creates at most one message of {flits} flits per node and cycle; allowed: up to \
             {flits}, or process: exponential",
            traffic.load
        );
        return Err(fault([at("load")], why));
    }
    let nodes = groups::size(experiment, group, path)?;
    within(&at("destinations"), traffic.destinations, 1..=nodes - 1, &format!(" (other nodes of {nodes})"))?;
    if traffic.destinations > 1 && traffic.pattern != Pattern::Uniform {
        let why =
            format!("a pattern is for one destination but destinations is {}; allowed: uniform", traffic.destinations);
        return Err(fault([at("pattern")], why));
    }
    offering(traffic.encoding, |encoding| check_drawn(network, rules, traffic, encoding)).map_err(|why| {
        match why.part {
            // The number of destinations stands in a field of its own here.
            Part::Encoding if traffic.encoding.way() == Way::Unicast && traffic.destinations > 1 => {
                fault([at("encoding"), at("destinations")], why.message)
            }
            _ => worm_fault(why, path),
        }
    })?;
    check_pattern(network, rules, &traffic.pattern, &at("pattern"))?;
    check_pattern_in(experiment, group, &traffic.pattern, &at("pattern"))
}

/// Flits of a message of random traffic, header and payload, on the mean.
fn mean_flits(network: &Network, traffic: &Traffic) -> f64 {
    mean_header_flits(network, traffic.encoding, traffic.destinations) + f64::from(traffic.payload_flits)
}

/// The greatest load that random traffic may have, in flits per node and cycle.
#[must_use]
pub(crate) fn greatest_load(network: &Network, traffic: &Traffic) -> f64 {
    let injection = f64::from(network.node.injection_channels);
    if traffic.process == Process::Bernoulli { injection.min(mean_flits(network, traffic)) } else { injection }
}

/// Checks worms to destinations that are drawn: some headers name some sets of nodes only, and some
/// are as long as their ways.
fn check_drawn(network: &Network, rules: &WormRules, traffic: &Traffic, encoding: Encoding) -> Result<(), WormFault> {
    let (several, uniform) = (traffic.destinations > 1, traffic.pattern == Pattern::Uniform);
    let header = encoding.header();
    let why = if refusal(network, encoding).is_some() {
        return rules.check_shape(encoding, traffic.destinations, traffic.payload_flits);
    } else if several && encoding.way() == Way::Path && network.routing() != Routing::LabelOrder {
        format!(
            "random {encoding} multicasts are split into two worms, up and down the Hamiltonian path (dual-path), \
             which needs routing: label_order"
        )
    } else if several && !header.names_any_set() {
        format!(
            "{encoding} headers lead to certain sets of nodes, which several destinations drawn at random hardly ever are; \
             {encoding} worms to several nodes are messages or come from a trace"
        )
    } else if !(uniform && traffic.group.is_none())
        && header.each_switch_strips()
        && network.blueprint().mean_masks().1 > 1.0
    {
        format!(
            "{encoding} headers in a bi_min are as long as the way, so that the load is known with pattern: uniform among all \
             nodes only"
        )
    } else {
        return rules.check_shape(encoding, traffic.destinations, traffic.payload_flits);
    };
    Err(WormFault::new(Part::Encoding, why))
}

fn check_pattern(network: &Network, rules: &WormRules, pattern: &Pattern, path: &str) -> Checked {
    let nodes = network.nodes();
    match pattern {
        Pattern::Tornado | Pattern::NearestNeighbour if network.stages().is_some() => {
            let name = if *pattern == Pattern::Tornado { "tornado" } else { "nearest_neighbour" };
            let allowed = "uniform, hot_spot, transpose, bit_reversal, shuffle";
            Err(fault(
                [path],
                format!("{name} needs dimensions, which a multistage network has not; allowed: {allowed}"),
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

/// Whether a pattern is one for a group of nodes.
fn check_pattern_in(experiment: &Experiment, group: Option<&String>, pattern: &Pattern, path: &str) -> Checked {
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
                        "the nodes of group \"{name}\" are drawn from the seed, node {node} need not be one; allowed: hot nodes \
                         of a group that is listed"
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

fn check_run(run: &Run) -> Checked {
    let cycles = [
        ("run.warmup_cycles", run.warmup_cycles, 0),
        ("run.measure_cycles", run.measure_cycles.unwrap_or(0), 0),
        ("run.max_cycles", run.max_cycles, 1),
        ("run.deadlock_check_cycles", run.deadlock_check_cycles, 1),
    ];
    for (path, value, least) in cycles {
        within(path, value, least..=LARGEST_CYCLE, " cycles")?;
    }
    // The window's end is a cycle as well.
    check_cycle(run.window(true).end).map_err(|why| {
        fault(["run.measure_cycles", "run.warmup_cycles"], format!("the measured window ends too late: {why}"))
    })
}
