//! `wormscope check`.

use std::fmt::Write as _;
use std::path::PathBuf;

use wormscope::cost::{self, Encodings};
use wormscope::experiment::{Experiment, Loaded, Message, Workload};
use wormscope::hw::NodeId;
use wormscope::hw::credit::round_trip;
use wormscope::memory::{self, refuse_beyond_memory};
use wormscope::model::unblocked::{Timing, closed_form, mean_zero_load, zero_load};
use wormscope::network::{Network, header_flits, part_flits, refusal};
use wormscope::quote::counted;
use wormscope::report::cost::Checked;
use wormscope::report::text::bytes;
use wormscope::report::time::nanoseconds;
use wormscope::report::{self, picture};
use wormscope::simulation::Site;
use wormscope::workload::TraceCsv;
use wormscope::{config, output, quote};
use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use super::exit::{DONE, Refused, print, warn};
use super::groups;
use super::hazards::Hazards;
use super::outputs::Files;

/// Arguments of `wormscope check`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Experiment in RON
    config: PathBuf,
    /// Override a field: network.switch.fifo_depth=8
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Draw the network
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write what the network costs as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Validates an experiment, its traces included, and describes the network.
pub fn check(args: &Args) -> Result<u8, Refused> {
    let mut loaded = config::load(&args.config, &args.sets)?;
    let mut files = Files::beside(&loaded.inputs());
    let svg = files.create("--svg", args.svg.as_deref())?;
    let json = files.create("--json", args.json.as_deref())?;
    loaded.hold_pipes()?;
    let experiment = &loaded.experiment;
    let site = Site::of(&loaded)?;
    let mut hazards = Hazards::new(&loaded, &site)?;
    let mut payload = unicast_payload(experiment);
    for entry in &experiment.workload {
        if let Workload::Trace(name) = entry {
            for (number, message) in (1..).zip(TraceCsv::open(&loaded, name)?) {
                let message = message?;
                hazards.message(&message, || {
                    format!("{}, message {number}", quote::name(wormscope::input::title(&loaded.resolve(name))))
                });
                payload = payload.or(payload_of(&message));
            }
        }
    }
    let mut files = Vec::new();
    if let Some(file) = svg {
        let nodes = site.wiring().nodes();
        let title = format!("{}: {}", counted(nodes, "node"), experiment.network.describe());
        files.push(file.filled(&picture::draw(site.wiring(), &title)?)?);
    }
    let sent = Encodings::sent(&loaded)?;
    let cost = cost::of(&experiment.network, site.wiring(), sent);
    let text = description(&loaded, sent, &site, payload.unwrap_or(SOME_FLITS)) + &report::cost::table(&cost);
    if let Some(file) = json {
        let checked = Checked::new(&loaded, experiment.network.describe(), cost);
        files.push(report::json::write(&checked, file)?);
    }
    print(&format!("{}: valid, config {}\n{text}", quote::name(loaded.title()), loaded.hash))?;
    output::place(files)?;
    warn(&hazards.warnings());
    Ok(DONE)
}

/// The network and its sizes; latencies are those of unicasts of `payload` flits.
fn description(loaded: &Loaded, sent: Encodings, site: &Site, payload: u32) -> String {
    let experiment = &loaded.experiment;
    let network = &experiment.network;
    let s = &network.switch;
    let fifos = network.fifos();
    let bits = network.fifo_bits();
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<22}{value}");
    };
    row("network", network.describe());
    row("nodes, switches", format!("{}, {}", network.nodes(), site.wiring().switches()));
    if let Some((_, stages)) = network.stages() {
        row("stages", format!("{stages} of {} switches", site.wiring().switches() / stages));
    }
    let sides = network.blueprint().sides();
    let sides = sides.map_or(String::new(), |b| format!(", {b} towards the nodes and {b} away from them"));
    let (inputs, outputs) = (network.input_lanes(), network.output_lanes());
    row("ports of a switch", format!("{}{sides}, {inputs} input and {outputs} output lanes", site.wiring().ports()));
    if s.virtual_channels > 1 && (s.dilation > 1 || !site.wiring().climbs().is_empty()) {
        let order = "lowest first, those with credit before: the virtual channels of one link before the next link";
        row("lanes of a group", order.to_owned());
    }
    row("header flits", headers(network));
    row(
        "input FIFOs",
        format!("{fifos} of {} flits of {} bits: {bits} bits ({})", s.fifo_depth, s.flit_bits, bytes(bits.div_ceil(8))),
    );
    if sent.look_up_reach() {
        row("reachability tables", format!("{} bits", network.reach_bytes() * 8));
    }
    if let Some(pairs) = distances(site, network) {
        row("diameter", format!("{} links between switches", pairs.len().saturating_sub(2)));
        row("zero-load latency", latency(experiment, payload, &pairs));
        if network.node.startup_cycles > 0 {
            row("", format!("behind a start-up of {} cycles", network.node.startup_cycles));
        }
    } else {
        row("diameter", format!("not computed for label order in 3-D beyond {MOST_WALKED} nodes"));
    }
    let refused = refuse_beyond_memory(loaded).is_err();
    let more = if refused { ": more than there is, a run is refused" } else { "" };
    let needed = memory::of_model(experiment, sent.look_up_reach());
    row("memory of the model", format!("about {}{more}", bytes(needed)));
    text + &credit_loops(network) + &groups::table(network, site.wiring())
}

/// `unicast 1, bit_string 4, multidestination 1 for each destination`, in a multistage network
/// `multiport 1 for each switch on the way`.
fn headers(network: &Network) -> String {
    let of = |encoding: Encoding| {
        let header = encoding.header();
        let (flits, for_each) = match encoding.way() {
            _ if header.each_switch_strips() => (part_flits(network, encoding), " for each switch on the way"),
            Way::Path => (part_flits(network, encoding), " for each destination"),
            Way::Unicast | Way::Tree => (header_flits(network, encoding, 1), ""),
        };
        format!("{encoding} {flits}{for_each}")
    };
    let allowed = Encoding::ALL.into_iter().filter(|&encoding| refusal(network, encoding).is_none());
    allowed.map(of).collect::<Vec<_>>().join(", ")
}

/// Mean and longest latency of a unicast in the empty network. `pairs`: number of pairs of nodes by
/// switches on their way.
fn latency(experiment: &Experiment, payload: u32, pairs: &[u64]) -> String {
    /// Flits times switches beyond which the recurrence takes long.
    const MOST_STEPS: u64 = 100_000_000;
    let timing = Timing::from(&experiment.network);
    let header = header_flits(&experiment.network, Encoding::Unicast, 1);
    let flits = header + payload;
    let longest = (pairs.len() as u32).saturating_sub(1);
    let ways = || (0..).zip(pairs.iter().copied()).filter(|&(_, pairs)| pairs > 0);
    let steps = ways().map(|(switches, _)| u64::from(switches)).sum::<u64>().saturating_mul(flits.into());
    if steps > MOST_STEPS && closed_form(&timing, header, flits, longest).is_none() {
        return format!("not computed for {flits} flits: FIFOs below the credit loop leave no closed form");
    }
    let latencies = (mean_zero_load(&timing, header, flits, ways()), zero_load(&timing, header, flits, longest));
    match latencies {
        (Ok(mean), Ok(most)) => format!(
            "unicast of {flits} flits: mean {mean:.1}, longest way {} cycles ({} ns)",
            most.tail,
            nanoseconds(most.tail, experiment.network.clock_ns, false)
        ),
        (Err(e), _) | (_, Err(e)) => format!("none: {e}"),
    }
}

/// A table of the loops of flits and credits, and whether the FIFOs cover them.
fn credit_loops(network: &Network) -> String {
    let (s, n) = (&network.switch, &network.node);
    let crossbar = s.crossbar_cycles;
    let loops = [
        ("between switches", crossbar, network.link, s.fifo_depth),
        ("injection", 0, n.injection_link, s.fifo_depth),
        ("consumption", crossbar, n.consumption_link, n.consumption_depth.unwrap_or(s.fifo_depth)),
    ];
    let mut text = format!("  {:<22}{:>6}{:>7}\n", "credit loops", "cycles", "depth");
    for (name, crossbar, link, depth) in loops {
        let trip = round_trip(crossbar, link.link_cycles, link.credit_cycles);
        let rate = if depth < trip {
            format!("{} in {trip} cycles; full rate needs a depth of {trip}", counted(depth, "flit"))
        } else {
            "full rate".to_owned()
        };
        let _ = writeln!(text, "    {name:<20}{trip:>6}{depth:>7}  {rate}");
    }
    text
}

/// Largest network in which every route is walked.
const MOST_WALKED: u32 = 1024;

/// Number of (source, destination) pairs by the switches on their way, index 0 unused: by the
/// closed form of the topology, else walked, unless they are too many.
fn distances(site: &Site, network: &Network) -> Option<Vec<u64>> {
    let found = network.blueprint().distances(network.routing());
    found.or_else(|| (network.nodes() <= MOST_WALKED).then(|| walked(site, network.nodes())))
}

/// The same, from the routes of all pairs.
fn walked(site: &Site, nodes: u32) -> Vec<u64> {
    let mut pairs = Vec::new();
    for from in (0..nodes).map(NodeId) {
        for to in (0..nodes).map(NodeId).filter(|&to| to != from || nodes == 1) {
            let switches = site.route(from, to).count();
            pairs.resize(pairs.len().max(switches + 1), 0);
            pairs[switches] += 1;
        }
    }
    pairs
}

/// Payload of a unicast where the workload names none, in flits.
const SOME_FLITS: u32 = 16;

/// Payload of the first unicast that the workload names, in flits.
#[allow(clippy::cast_sign_loss)] // Lengths.
fn unicast_payload(experiment: &Experiment) -> Option<u32> {
    experiment.workload.iter().find_map(|entry| match entry {
        Workload::Messages(messages) => messages.iter().find_map(payload_of),
        Workload::Traffic(traffic) => {
            (traffic.encoding.way() == Way::Unicast).then(|| traffic.length().mean().round() as u32)
        }
        Workload::Spmd(spmd) => {
            let bits = (spmd.bytes.mean() * 8.0).ceil() as u32;
            Some(bits.div_ceil(experiment.network.switch.flit_bits))
        }
        Workload::Trace(_) | Workload::Multicast(_) | Workload::Multicasts(_) | Workload::Stalls(_) => None,
    })
}

/// Payload of a message that is a unicast.
fn payload_of(message: &Message) -> Option<u32> {
    (message.encoding.unwrap_or_default().way() == Way::Unicast).then_some(message.payload_flits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wormscope::config::from_text;
    use wormscope::hw::{PortId, SwitchId};
    use wormscope::network::End;

    #[test]
    fn distances_and_fifos_are_those_of_the_network_walked_link_by_link() {
        let kinds = [
            ("linear(nodes: 9)", "dimension_order"),
            ("mesh(radices: [4, 1, 3])", "dimension_order"),
            ("torus(radices: [5, 4, 2], datelines: false)", "dimension_order"),
            ("mesh(radices: [5, 4])", "label_order"),
            ("mesh(radices: [3, 4, 5])", "label_order"),
            ("mesh(radices: [1])", "dimension_order"),
            ("uni_min(switch_ports: 3, stages: 3)", "destination_tag"),
            ("uni_min(kind: omega, switch_ports: 5, stages: 1)", "destination_tag"),
            ("bi_min(switch_ports: 2, stages: 4)", "turnaround"),
            ("bi_min(switch_ports: 4, stages: 1)", "turnaround"),
        ];
        for (topology, routing) in kinds {
            let text = format!("(network: (topology: {topology}, routing: {routing}, switch: (dilation: 2)))");
            let loaded = from_text("x.ron", &text, &[]).unwrap();
            let (network, site) = (&loaded.experiment.network, Site::of(&loaded).unwrap());
            assert_eq!(distances(&site, network), Some(walked(&site, network.nodes())), "{topology} {routing}");
            let ports = || (0..site.wiring().ports()).map(PortId);
            let linked = |s, p: &PortId| matches!(site.wiring().input(SwitchId(s), *p), Some(End::Switch(..)));
            let links: usize = (0..site.wiring().switches()).map(|s| ports().filter(|p| linked(s, p)).count()).sum();
            assert_eq!(network.fifos(), 2 * links as u64 + u64::from(network.nodes()), "{topology}");
        }
    }
}
