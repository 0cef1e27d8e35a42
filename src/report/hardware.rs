//! The hardware of a network in numbers: sizes, latencies without load, loops of credits.

use std::fmt::Write as _;

use wormscope_hw::Encoding;
use wormscope_hw::credit::round_trip;
use wormscope_hw::header::Way;

use super::text::bytes;
use super::time::nanoseconds;
use crate::experiment::{Experiment, Loaded, Message, Workload};
use crate::model::unblocked::{Timing, closed_form, mean_zero_load, zero_load};
use crate::network::{Network, header_flits, part_flits, refusal};
use crate::quote::counted;
use crate::site::{MOST_WALKED, Site};

/// A line: a name and its value.
#[must_use]
pub fn row(name: &str, value: &str) -> String {
    format!("  {name:<22}{value}\n")
}

/// The network and its sizes. Latencies are for unicasts of `payload` flits, with a clock period of
/// `clock_ns`.
#[must_use]
pub fn sizes(loaded: &Loaded, reach_bits: u64, site: &Site, payload: u32, clock_ns: f64) -> String {
    let experiment = &loaded.experiment;
    let network = &experiment.network;
    let s = &network.switch;
    let bits = network.fifo_bits();
    let mut text = String::new();
    let mut row = |name: &str, value: String| text += &self::row(name, &value);
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
        let order = "lanes with credit first, then lowest first: all virtual channels of a link before the next link";
        row("lanes of a group", order.to_owned());
    }
    row("header flits", headers(network));
    row(
        "input FIFOs",
        format!("{} of {} bits: {bits} bits ({})", fifos(network), s.flit_bits, bytes(bits.div_ceil(8))),
    );
    if reach_bits > 0 {
        row("reachability tables", format!("{reach_bits} bits"));
    }
    if let Some(pairs) = site.distances() {
        row("diameter", format!("{} links between switches", pairs.len().saturating_sub(2)));
        row("zero-load latency", latency(experiment, payload, &pairs, clock_ns));
        if network.node.startup_cycles > 0 {
            row("", format!("after a start-up of {} cycles", network.node.startup_cycles));
        }
    } else {
        row("diameter", format!("not computed for label order in 3-D beyond {MOST_WALKED} nodes"));
    }
    text
}

/// `112 of 4 flits`, or `48 of 4 and 16 of 2 flits` if the FIFOs behind nodes have another depth.
fn fifos(network: &Network) -> String {
    let ([links, injections], [depth, own]) = (network.fifos(), [network.switch.fifo_depth, network.injection_depth()]);
    if depth == own {
        return format!("{} of {depth} flits", links + injections);
    }
    format!("{links} of {depth} and {injections} of {own} flits")
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
fn latency(experiment: &Experiment, payload: u32, pairs: &[u64], clock_ns: f64) -> String {
    /// Largest product of flits and switches for which the recurrence is fast enough.
    const MOST_STEPS: u64 = 100_000_000;
    let timing = Timing::from(&experiment.network);
    let header = header_flits(&experiment.network, Encoding::Unicast, 1);
    let flits = header + payload;
    let longest = (pairs.len() as u32).saturating_sub(1);
    let ways = || (0..).zip(pairs.iter().copied()).filter(|&(_, pairs)| pairs > 0);
    let steps = ways().map(|(switches, _)| u64::from(switches)).sum::<u64>().saturating_mul(flits.into());
    if steps > MOST_STEPS && closed_form(&timing, header, flits, longest).is_none() {
        return format!(
            "not computed for {flits} flits: there is no closed form for FIFOs that are shallower than the \
             credit loop"
        );
    }
    let latencies = (mean_zero_load(&timing, header, flits, ways()), zero_load(&timing, header, flits, longest));
    match latencies {
        (Ok(mean), Ok(most)) => format!(
            "unicast of {flits} flits: mean {mean:.1}, longest route {} cycles ({} ns)",
            most.tail,
            nanoseconds(most.tail, clock_ns, false)
        ),
        (Err(e), _) | (_, Err(e)) => format!("none: {e}"),
    }
}

/// A table of the loops of flits and credits, and whether the FIFOs cover them.
#[must_use]
pub fn credit_loops(network: &Network) -> String {
    let (s, n) = (&network.switch, &network.node);
    let crossbar = s.crossbar_cycles;
    let loops = [
        ("between switches", crossbar, network.link, s.fifo_depth),
        ("injection", 0, n.injection_link, network.injection_depth()),
        ("consumption", crossbar, n.consumption_link, network.consumption_depth()),
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

/// Payload of a unicast in flits, if the workload has no unicast.
pub const SOME_FLITS: u32 = 16;

/// Payload of the first unicast that the workload names, in flits.
#[allow(clippy::cast_sign_loss)] // The values are lengths.
#[must_use]
pub fn unicast_payload(experiment: &Experiment) -> Option<u32> {
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
#[must_use]
pub fn payload_of(message: &Message) -> Option<u32> {
    (message.encoding.unwrap_or_default().way() == Way::Unicast).then_some(message.payload_flits)
}
