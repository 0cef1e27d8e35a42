//! Latency of ATBM without contention.

use std::collections::BTreeMap;

use super::{CompareError, Comparison, experiment, list, run, series};
use crate::report::chart::{Axis, Chart, Look};
use crate::table::Table;

/// Points of a curve.
type Points = Vec<(f64, f64)>;

/// Flits of a message.
const PAYLOAD: u32 = 64;

/// Cycles of a message's start-up: 0.5 us in cycles of 20 ns.
const STARTUP: u32 = 25;

/// Cycles in which multicasts are created, one run each. In every ring of a power of two stations
/// up to 128, they find the token at stations that are equally far apart.
const PHASES: [u64; 8] = [0, 18, 36, 54, 73, 91, 109, 127];

/// Latency of an ATBM multicast to `destinations` nodes without contention (\[ATBM\] section 5.2).
/// The worm passes `2T + 1` switches of a bidirectional network, where T is the stage of the turn.
/// It takes a routing decision at each, and then a cycle a flit.
///
/// Each row has the latency by formula and simulated, for three timings:
///
/// - the header overlaps with the decisions, so that it counts once;
/// - each switch assembles the header;
/// - start-up and tokens count as well, as the paper adds them up.
///
/// # Errors
/// None that a user can cause.
pub fn atbm() -> Result<Comparison, CompareError> {
    let columns = ["nodes", "switch", "dests", "T", "formula", "overlapped", "formula", "store", "paper", "mean"];
    let mut table = Table::new(&columns, &[1]);
    // By way and width of the switches: latency of broadcasts by formula and simulated, over the
    // nodes.
    let mut curves: BTreeMap<(usize, u32), [Points; 2]> = BTreeMap::new();
    for (ports, stages) in [(2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (2, 8), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3)] {
        let nodes = u32::pow(ports, stages);
        for destinations in [1, nodes / 4, nodes / 2, nodes - 1] {
            // Source 0 and the last nodes: the turn is in the last stage.
            let to = list(nodes - destinations..nodes);
            let header = nodes.div_ceil(16);
            let simulated = |timing: &str, more: &str, cycle: u64| {
                let network = format!(
                    "topology: bi_min(switch_ports: {ports}, stages: {stages}), switch: (flit_bits: 16, fifo_depth: {}, \
                     routing_cycles: 3, header_timing: {timing}), {more}",
                    header.max(4)
                );
                let workload = format!(
                    "multicast(cycle: {cycle}, source: 0, destinations: [{to}], algorithm: \"atbm\", payload_flits: \
                     {PAYLOAD})"
                );
                run(&experiment(&network, &workload, 1)?).map(|(latency, _)| latency.first().copied().unwrap_or(0))
            };
            let turn = stages - 1;
            let switches = 2 * turn + 1;
            // The link of the node, then a routing decision of 3 cycles and a link at each switch.
            let head = 1 + switches * (3 + 1);
            let overlapped = head + header + PAYLOAD - 1;
            let store = overlapped + switches * (header - 1);
            // On its way down, the worm branches at each stage below which not all nodes are
            // destinations. The destinations are a row of nodes. At stage t a ring has the b^t
            // switches above a switch of stage 0.
            let rings = (1..=turn).map(|stage| ports.pow(stage)).filter(|&below| destinations > below);
            let tokens = rings.map(|switches| f64::from(switches) / 2.0).sum::<f64>();
            let paper = f64::from(STARTUP + 3 * switches + header + PAYLOAD) + tokens;
            let whole = format!("node: (startup_cycles: {STARTUP}), token_ring: (hop_cycles: 1)");
            let runs = PHASES.iter().map(|&cycle| simulated("overlapped", &whole, cycle));
            let mean = runs.sum::<Result<u64, _>>()? as f64 / PHASES.len() as f64;
            let of = |formula: u32, simulated: u64| (formula.into(), simulated as f64);
            let pairs =
                [of(overlapped, simulated("overlapped", "", 0)?), of(store, simulated("store", "", 0)?), (paper, mean)];
            if destinations == nodes - 1 {
                for (way, (formula, simulated)) in pairs.into_iter().enumerate() {
                    for (points, latency) in
                        curves.entry((way, ports)).or_default().iter_mut().zip([formula, simulated])
                    {
                        points.push((nodes.into(), latency));
                    }
                }
            }
            let mut row =
                vec![nodes.to_string(), format!("{ports}x{ports}"), destinations.to_string(), turn.to_string()];
            row.extend(pairs.iter().flat_map(|(formula, simulated)| [formula.to_string(), simulated.to_string()]));
            table.row(row);
        }
    }
    let chart = |way: usize, title: &str, formula: &str| {
        let of = curves.iter().filter(|((of, _), _)| *of == way).enumerate();
        let series = of.flat_map(|(colour, ((_, ports), [printed, simulated]))| {
            let marks = if colour == 0 { "simulated" } else { "" };
            [
                series(&format!("{ports}x{ports} switches{formula}"), Look::Line, colour, printed.iter().copied()),
                series(marks, Look::Marks, colour, simulated.iter().copied()),
            ]
        });
        Chart {
            title: title.to_owned(),
            x: Axis::log("nodes", 2.0),
            y: Axis::linear("latency in cycles"),
            series: series.collect(),
            notes: Vec::new(),
        }
    };
    let charts = vec![
        chart(0, "ATBM to all, no start-up and no token: the header counts once", ""),
        chart(1, "ATBM to all, no start-up and no token: each switch assembles the header", ""),
        chart(2, "ATBM to all with start-up and tokens ([ATBM] 5.2)", ", the paper's sum"),
    ];
    let text = format!(
        "ATBM on bidirectional networks, {PAYLOAD} payload flits of 16 bits, cycles of 20 ns\n\
         without start-up and tokens, the header once and assembled by each switch; with them, the header once: the\n\
         paper's sum {STARTUP} + 3 (2T + 1) + header + {PAYLOAD} + N_g / 2 for each ring, and the mean over the ways of tokens\n{}",
        table.text()
    );
    Ok(Comparison { text, charts })
}
