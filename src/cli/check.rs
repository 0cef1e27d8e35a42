//! `wormscope check`.

use std::fmt::Write as _;
use std::path::PathBuf;

use wormscope::config::{self, Encoding, Experiment, Network, Routing, Topology, Workload, header_flits};
use wormscope::hw::link::round_trip;
use wormscope::hw::{NodeId, PortId, SwitchId};
use wormscope::model::unblocked::{Timing, mean_zero_load, zero_load};
use wormscope::simulation::Site;
use wormscope::topology::Wiring;
use wormscope::workload::TraceCsv;

use super::{DONE, Refused};

/// Arguments of `wormscope check`.
#[derive(clap::Args)]
pub struct Args {
    /// Experiment in RON
    config: PathBuf,
    /// Override a field: network.switch.fifo_depth=8
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

/// Validates an experiment, its traces included, and describes the network.
pub fn check(args: &Args) -> Result<u8, Refused> {
    let loaded = config::load(&args.config, &args.sets)?;
    let experiment = &loaded.experiment;
    for entry in &experiment.workload {
        if let Workload::Trace(name) = entry {
            for message in TraceCsv::open(&loaded.resolve(name), &experiment.network)? {
                message?;
            }
        }
    }
    super::print(&format!("{}: valid, config {}\n{}", args.config.display(), loaded.hash, description(experiment)))?;
    Ok(DONE)
}

/// The network in some words.
pub fn describe(network: &Network) -> String {
    let radices = network.radices().iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
    let topology = match &network.topology {
        Topology::Linear { nodes } => format!("linear array of {nodes}"),
        Topology::Mesh { .. } => format!("{radices} mesh"),
        Topology::Torus { radices: k, datelines } => {
            let family = if k.len() == 1 { "ring" } else { "torus" };
            format!("{radices} {family} {} datelines", if *datelines { "with" } else { "without" })
        }
    };
    let routing = match network.routing {
        Routing::DimensionOrder => "dimension order",
        Routing::LabelOrder => "label order",
    };
    format!("{topology}, {routing}")
}

fn description(experiment: &Experiment) -> String {
    let network = &experiment.network;
    let site = Site::new(experiment);
    let (s, n) = (&network.switch, &network.node);
    let switches = u64::from(site.wiring.switches());
    let fifos = fifos(network, &site.wiring);
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<22} {value}");
    };
    row("network", describe(network));
    row("nodes, switches", format!("{}, {switches}", network.nodes()));
    row(
        "ports of a switch",
        format!("{}, {} input and {} output lanes", site.wiring.ports(), network.input_lanes(), network.output_lanes()),
    );
    row(
        "input FIFOs",
        format!(
            "{fifos} of {} flits of {} bits: {} bits",
            s.fifo_depth,
            s.flit_bits,
            fifos * u64::from(s.fifo_depth) * u64::from(s.flit_bits)
        ),
    );
    if worms_of(experiment, Encoding::BitString) {
        row("reachability tables", format!("{} bits", network.reach_bytes() * 8));
    }
    let routers = routers(&site, network);
    row("diameter", format!("{} links between switches", routers.len().saturating_sub(2)));
    let timing = Timing::from(network);
    let header = header_flits(network, Encoding::Unicast, 1);
    let flits = header + payload(experiment);
    let worst = (routers.len() as u32).saturating_sub(1);
    match (
        zero_load(&timing, header, flits, worst),
        mean_zero_load(&timing, header, flits, (0..).zip(routers.iter().copied()).filter(|&(_, pairs)| pairs > 0)),
    ) {
        (Ok(most), Ok(mean)) => row(
            "zero-load latency",
            format!(
                "unicast of {flits} flits: mean {mean:.1}, longest way {} cycles ({:.0} ns)",
                most.tail,
                most.tail as f64 * network.clock_ns
            ),
        ),
        (Err(e), _) | (_, Err(e)) => row("zero-load latency", format!("none: {e}")),
    }
    let trips = [
        (
            "between switches",
            round_trip(s.crossbar_cycles, network.link.link_cycles, network.link.credit_cycles),
            s.fifo_depth,
        ),
        ("injection", round_trip(0, n.injection_link.link_cycles, n.injection_link.credit_cycles), s.fifo_depth),
        (
            "consumption",
            round_trip(s.crossbar_cycles, n.consumption_link.link_cycles, n.consumption_link.credit_cycles),
            n.consumption_depth.unwrap_or(s.fifo_depth),
        ),
    ];
    for (link, trip, depth) in trips {
        let name = format!("credit loop, {link}");
        if depth < trip {
            row(
                &name,
                format!(
                    "{trip} cycles, depth {depth}: at most {depth} flits in {trip} cycles; full rate needs a depth of {trip}"
                ),
            );
        } else {
            row(&name, format!("{trip} cycles, depth {depth}: full rate"));
        }
    }
    text
}

/// Input FIFOs that exist: connected ports only.
fn fifos(network: &Network, wiring: &Wiring) -> u64 {
    let lanes = u64::from(network.switch.dilation * network.switch.virtual_channels);
    let links = |s| (0..wiring.ports() - 1).filter(|&p| wiring.link(SwitchId(s), PortId(p)).is_some()).count() as u64;
    let links: u64 = (0..wiring.switches()).map(links).sum();
    links * lanes + u64::from(wiring.nodes()) * u64::from(network.node.injection_channels)
}

/// Number of (source, destination) pairs by the switches on their way, index 0 unused. From all sources in small networks; in large
/// ones the distances along each dimension are combined, which dimension order allows.
fn routers(site: &Site, network: &Network) -> Vec<u64> {
    let nodes = site.wiring.nodes();
    if network.routing == Routing::LabelOrder && nodes <= 4096 {
        let mut pairs = Vec::new();
        for from in 0..nodes {
            for to in (0..nodes).filter(|&to| to != from || nodes == 1) {
                let mut at = site.wiring.attachment(NodeId(from)).0;
                let mut routers = 1;
                while let Some(port) = site.next(at, NodeId(to)) {
                    let Some(wormscope::topology::End::Switch(far, _)) = site.wiring.link(at, port) else { break };
                    (at, routers) = (far, routers + 1);
                }
                count(&mut pairs, routers, 1);
            }
        }
        return pairs;
    }
    let wraps = matches!(network.topology, Topology::Torus { .. });
    let mut pairs = vec![1u64];
    for &k in network.radices() {
        let mut next = Vec::new();
        for (so_far, &n) in pairs.iter().enumerate() {
            for from in 0..k {
                for to in 0..k {
                    let apart = from.abs_diff(to);
                    let apart = if wraps { apart.min(k - apart) } else { apart };
                    count(&mut next, so_far + apart as usize, n);
                }
            }
        }
        pairs = next;
    }
    if nodes > 1 {
        pairs[0] = 0;
    }
    pairs.insert(0, 0);
    pairs
}

fn count(histogram: &mut Vec<u64>, at: usize, n: u64) {
    if histogram.len() <= at {
        histogram.resize(at + 1, 0);
    }
    histogram[at] += n;
}

/// Payload of the first worm the workload names, in flits; 16 when it names none.
fn payload(experiment: &Experiment) -> u32 {
    experiment
        .workload
        .iter()
        .find_map(|w| match w {
            Workload::Messages(messages) => messages.first().map(|m| m.payload_flits),
            Workload::Traffic(traffic) => Some(traffic.payload_flits),
            Workload::Trace(_) => None,
        })
        .unwrap_or(16)
}

fn worms_of(experiment: &Experiment, encoding: Encoding) -> bool {
    experiment.workload.iter().any(|w| match w {
        Workload::Messages(messages) => messages.iter().any(|m| m.encoding == Some(encoding)),
        Workload::Traffic(traffic) => traffic.encoding == encoding,
        Workload::Trace(_) => false,
    })
}
