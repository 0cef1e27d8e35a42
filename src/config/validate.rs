//! Ranges and cross-field rules: everything that can be refused is refused before anything runs.

use std::ops::RangeInclusive;

use super::fault::{Checked, fault, within, worm_fault};
use super::groups;
use super::multicast::Common;
use super::overrides::Located;
use super::spmd;
use super::traffic::check_traffic;
use crate::experiment::{
    Experiment, LARGEST_CYCLE, MOST_COST, Run, Stall, Workload, WormRules, check_count, check_cycle, check_name,
};
use crate::input::ConfigError;
use crate::network::lanes::port_names;
use crate::network::routing::grouping;
use crate::network::{Link, Misfit, Network, Node, Switch, channel};
use crate::quote::excerpt;
use crate::spelling::most_like;
use wormscope_hw::Replication;

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
    check_classes(experiment)?;
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
            Workload::Spmd(of) => spmd::check(experiment, &rules, of, &path)?,
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

/// Names of classes of traffic.
fn check_classes(experiment: &Experiment) -> Checked {
    for (index, entry) in experiment.workload.iter().enumerate() {
        for (path, class) in entry.classes() {
            check_name(class).map_err(|why| fault([format!("workload[{index}].{path}.class")], why))?;
        }
    }
    check_count(experiment.classes().len()).map_err(|why| fault(["workload"], why))
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
    network.check_routing().map_err(|why| fault([format!("network.{}", why.path)], why.why))
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
