//! Latency of ATBM without contention.

use std::collections::BTreeMap;

use super::{CompareError, Comparison, experiment, list, run, series};
use crate::report::chart::{Axis, Chart, Look};
use crate::table::Table;

/// Points of a curve.
type Points = Vec<(f64, f64)>;

/// Latency of an ATBM multicast to `destinations` nodes without contention (\[ATBM\] section 4.3):
/// `2T + 1` switches of a bidirectional network, T the stage of the turn, a routing decision at
/// each, then a cycle a flit; by formula and simulated, the paper's way (the header counts once)
/// and the hardware's (each switch assembles the header first).
///
/// # Errors
/// None that a user can cause.
pub fn atbm() -> Result<Comparison, CompareError> {
    const PAYLOAD: u32 = 64;
    let mut table = Table::new(&["nodes", "switch", "dests", "T", "formula", "overlapped", "formula", "store"], &[1]);
    // By header timing and width of the switches: latency of broadcasts by formula and simulated,
    // over the nodes.
    let mut curves: BTreeMap<(usize, u32), [Points; 2]> = BTreeMap::new();
    for (ports, stages) in [(2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (2, 8), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3)] {
        let nodes = u32::pow(ports, stages);
        for destinations in [1, nodes / 4, nodes / 2, nodes - 1] {
            // Source 0 and the last nodes: the turn is in the last stage.
            let to = list(nodes - destinations..nodes);
            let header = nodes.div_ceil(16);
            let simulated = |timing: &str| {
                let network = format!(
                    "topology: bi_min(switch_ports: {ports}, stages: {stages}), switch: (flit_bits: 16, fifo_depth: {}, \
                     routing_cycles: 3, header_timing: {timing})",
                    header.max(4)
                );
                let workload = format!(
                    "multicast(source: 0, destinations: [{to}], algorithm: \"atbm\", payload_flits: {PAYLOAD})"
                );
                run(&experiment(&network, &workload, 1)?).map(|(latency, _)| latency.first().copied().unwrap_or(0))
            };
            let turn = stages - 1;
            let switches = 2 * turn + 1;
            // The link of the node, then a routing decision of 3 cycles and a link at each switch.
            let head = 1 + switches * (3 + 1);
            let overlapped = head + header + PAYLOAD - 1;
            let store = overlapped + switches * (header - 1);
            let pairs = [(overlapped, simulated("overlapped")?), (store, simulated("store")?)]
                .map(|(f, s)| [f.into(), s as f64]);
            if destinations == nodes - 1 {
                for (timing, pair) in pairs.into_iter().enumerate() {
                    for (points, latency) in curves.entry((timing, ports)).or_default().iter_mut().zip(pair) {
                        points.push((nodes.into(), latency));
                    }
                }
            }
            let [[overlapped, simulated], [store, stored]] = pairs;
            table.row([
                nodes.to_string(),
                format!("{ports}x{ports}"),
                destinations.to_string(),
                turn.to_string(),
                overlapped.to_string(),
                simulated.to_string(),
                store.to_string(),
                stored.to_string(),
            ]);
        }
    }
    let chart = |timing: usize, title: &str| {
        let of = curves.iter().filter(|((of, _), _)| *of == timing).enumerate();
        let series = of.flat_map(|(colour, ((_, ports), [formula, simulated]))| {
            let marks = if colour == 0 { "simulated" } else { "" };
            [
                series(&format!("{ports}x{ports} switches"), Look::Line, colour, formula.iter().copied()),
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
        chart(0, "ATBM to all: the header counts once ([ATBM] 4.3)"),
        chart(1, "ATBM to all: each switch assembles the header"),
    ];
    let text = format!("ATBM on bidirectional networks, {PAYLOAD} payload flits of 16 bits, cycles\n{}", table.text());
    Ok(Comparison { text, charts })
}
