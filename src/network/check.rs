//! Ranges of the fields of a network, and the rules between them.

use std::ops::RangeInclusive;

use wormscope_hw::{Acquisition, Arbiter, LaneChoice, Replication, TokenSpan};

use super::lanes::port_names;
use super::misfit::{Misfit, within};
use super::{Clock, Link, Network, Node, Switch};
use wormscope_quote::excerpt;
use wormscope_quote::spelling::most_like;

/// Range of the clock period in ns, from a femtosecond to a second. Times with periods in this
/// range can be printed.
const CLOCK_NS: RangeInclusive<f64> = 1e-6..=1e9;

/// Largest cost in cycles. It is long enough for any processor, and so short that sums do not
/// overflow 64 bits.
pub const MOST_COST: f64 = 1e9;

impl Network {
    /// Checks that the network can be built.
    ///
    /// # Errors
    /// The first rule that the network breaks, with the fields at fault.
    pub fn check(&self) -> Result<(), Misfit> {
        self.blueprint().check().map_err(|why| why.within("topology"))?;
        check_switch(&self.switch)?;
        check_link("link", self.link)?;
        check_node(&self.node)?;
        check_network(self)?;
        check_lanes(self)
    }
}

fn check_switch(switch: &Switch) -> Result<(), Misfit> {
    within("switch.flit_bits", switch.flit_bits, 8..=1024, " bits")?;
    within("switch.fifo_depth", switch.fifo_depth, 1..=65535, " flits")?;
    within("switch.virtual_channels", switch.virtual_channels, 1..=64, "")?;
    within("switch.dilation", switch.dilation, 1..=64, "")?;
    within("switch.routing_cycles", switch.routing_cycles, 0..=1024, " cycles")?;
    within("switch.allocation_cycles", switch.allocation_cycles, 0..=1, " cycles")?;
    within("switch.crossbar_cycles", switch.crossbar_cycles, 0..=64, " cycles")
}

fn check_link(path: &str, link: Link) -> Result<(), Misfit> {
    within(&format!("{path}.link_cycles"), link.link_cycles, 1..=64, " cycles")?;
    within(&format!("{path}.credit_cycles"), link.credit_cycles, 1..=64, " cycles")
}

fn check_node(node: &Node) -> Result<(), Misfit> {
    within("node.startup_cycles", node.startup_cycles, 0..=1_000_000_000, " cycles")?;
    within("node.virtual_channels", node.virtual_channels.unwrap_or(1), 1..=64, "")?;
    within("node.injection_channels", node.injection_channels, 1..=64, "")?;
    if let Some(depth) = node.injection_depth {
        within("node.injection_depth", depth, 1..=65535, " flits")?;
    }
    within("node.ports", node.ports, 1..=node.injection_channels, " (injection_channels)")?;
    check_software(node)?;
    check_link("node.injection_link", node.injection_link)?;
    within("node.consumption_channels", node.consumption_channels, 1..=64, "")?;
    if let Some(depth) = node.consumption_depth {
        within("node.consumption_depth", depth, 1..=65535, " flits")?;
    }
    check_link("node.consumption_link", node.consumption_link)
}

/// Checks the software of the nodes.
fn check_software(node: &Node) -> Result<(), Misfit> {
    if let Some(costs) = &node.costs {
        let kinds = [("hold", costs.hold), ("send", costs.send), ("receive", costs.receive), ("inter", costs.inter)];
        let parts = kinds.iter().flat_map(|(kind, cost)| {
            [(format!("{kind}.fixed"), cost.fixed), (format!("{kind}.per_byte"), cost.per_byte)]
        });
        for (part, value) in parts.chain([("network".to_owned(), costs.network)]) {
            within(&format!("node.costs.{part}"), value, 0.0..=MOST_COST, " cycles")?;
        }
    }
    for (field, buffer) in [("send_buffer", node.send_buffer), ("receive_buffer", node.receive_buffer)] {
        if let Some(bytes) = buffer {
            within(&format!("node.{field}"), bytes, 1..=u32::MAX, " bytes")?;
        }
    }
    if node.has_software() && node.startup_cycles > 0 {
        return Err(Misfit::of(
            ["node.startup_cycles"],
            "startup_cycles cannot be given with costs, send_buffer or receive_buffer; give costs.hold and costs.send \
             in its place",
        ));
    }
    Ok(())
}

fn check_network(network: &Network) -> Result<(), Misfit> {
    const CHANNELS: &str = "switch.virtual_channels";
    if let Some(Clock::Ns(ns)) = network.clock_ns {
        within("clock_ns", ns, CLOCK_NS, " ns, or from_depth")?;
    }
    let channels = network.switch.virtual_channels;
    network.blueprint().check_channels(channels).map_err(|why| why.within("topology").or_at(CHANNELS))?;
    if let Some(ring) = network.token_ring {
        within("token_ring.hop_cycles", ring.hop_cycles, 1..=1024, " cycles")?;
        if let Some(flits) = ring.release_flits {
            within("token_ring.release_flits", flits, 1..=1_000_000, " flits")?;
        }
        if let Some(why) = network.blueprint().refuses_token_rings(network.routing()) {
            return Err(Misfit::of(
                ["token_ring", "topology"],
                format!("{why}; allowed: uni_min, bi_min with routing: turnaround, or no token_ring"),
            ));
        }
        if ring.span != TokenSpan::Group && network.grouped_stages() < 2 {
            let why = format!("every group has one switch, so no part of it is a {}; allowed: group", ring.span);
            return Err(Misfit::of(["token_ring.span", "topology"], why));
        }
    }
    if network.switch.replication == Replication::Lockstep {
        no_virtual_channels(network, "lockstep")?;
    }
    check_synchronous(network)?;
    check_port_order(network)?;
    network.check_routing()
}

/// Refuses virtual channels in a replication mode in which all branches send at once. This concerns
/// links between switches and links of nodes.
fn no_virtual_channels(network: &Network, replication: &str) -> Result<(), Misfit> {
    let counts = [
        ("switch.virtual_channels", network.switch.virtual_channels),
        ("node.virtual_channels", network.node_channels()),
    ];
    for (path, channels) in counts {
        if channels > 1 {
            let name = path.strip_prefix("switch.").unwrap_or(path);
            let why = format!(
                "{replication} replication works only without virtual channels, and {name} is {channels}; allowed: 1"
            );
            return Err(Misfit::of(["switch.replication", path], why));
        }
    }
    Ok(())
}

/// Checks the needs of synchronous worms: all heads are equally far from the root, and one order of
/// worms holds at all switches.
fn check_synchronous(network: &Network) -> Result<(), Misfit> {
    let switch = &network.switch;
    if switch.replication != Replication::Synchronous {
        return Ok(());
    }
    let refused = |path: &str, why: String| {
        Err(Misfit::of(["switch.replication", path], format!("synchronous replication {why}")))
    };
    if !network.blueprint().heads_keep_step(network.routing()) {
        let allowed = "allowed: uni_min, bi_min with routing: turnaround";
        return refused("topology", format!("works only where all heads of a worm are at one stage; {allowed}"));
    }
    no_virtual_channels(network, "synchronous")?;
    if network.token_ring.is_some() {
        return refused(
            "token_ring",
            "has no deadlock that a token ring could prevent; allowed: no \
             token_ring"
                .to_owned(),
        );
    }
    if switch.acquisition != Acquisition::Incremental {
        let why =
            format!("reserves lanes in its own way, and acquisition is {}; allowed: incremental", switch.acquisition);
        return refused("switch.acquisition", why);
    }
    if switch.arbiter != Arbiter::OldestFirst {
        let why = format!(
            "needs the same order of worms at all switches, and arbiter is {}; allowed: oldest_first",
            switch.arbiter
        );
        return refused("switch.arbiter", why);
    }
    if switch.lane_choice != LaneChoice::Lowest {
        let why = format!(
            "claims its lanes again in every cycle, and lane_choice is {}; allowed: lowest",
            switch.lane_choice
        );
        return refused("switch.lane_choice", why);
    }
    Ok(())
}

/// Checks that the order names all ports, each once.
fn check_port_order(network: &Network) -> Result<(), Misfit> {
    let Some(order) = &network.switch.port_order else { return Ok(()) };
    let names = port_names(network);
    let at = |n: usize| format!("switch.port_order[{n}]");
    for (n, name) in order.iter().enumerate() {
        if !names.contains(name) {
            let nearest = most_like(name, names.iter().cloned()).join(", ");
            return Err(Misfit::of([at(n)], format!("no port \"{}\"; nearest names: {nearest}", excerpt(name))));
        }
        if order[..n].contains(name) {
            return Err(Misfit::of([at(n)], format!("port {name} a second time; allowed: every port once")));
        }
    }
    match names.iter().find(|name| !order.contains(name)) {
        Some(name) => {
            let why = format!("port {name} is missing; allowed: all of {}, each once", names.join(", "));
            Err(Misfit::of(["switch.port_order"], why))
        }
        None => Ok(()),
    }
}

fn check_lanes(network: &Network) -> Result<(), Misfit> {
    const MOST: u32 = 64;
    let (dilation, channels) = (network.switch.dilation, network.switch.virtual_channels);
    let node = &network.node;
    let sides = [
        ("input", network.input_lanes(), "injection_channels", node.injection_channels),
        ("output", network.output_lanes(), "consumption_channels", node.consumption_channels),
    ];
    for (side, lanes, of_node, count) in sides {
        if lanes > MOST {
            let links = format!("dilation {dilation} * virtual_channels {channels}");
            let of_links = match node.virtual_channels {
                Some(channels) => format!(" * node.virtual_channels {channels}"),
                None if channels > 1 => format!(" * virtual_channels {channels}"),
                None => String::new(),
            };
            let sum = network.blueprint().lanes_in_words(&links, &format!("{of_node} {count}{of_links}"));
            let channels = format!("node.{of_node}");
            return Err(Misfit::of(
                ["switch.virtual_channels", "switch.dilation", "node.virtual_channels", &channels, "topology"],
                format!("{lanes} {side} lanes per switch ({sum}); allowed: up to {MOST}"),
            ));
        }
    }
    Ok(())
}
