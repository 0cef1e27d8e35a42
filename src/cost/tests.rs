//! Tests of the formulas against synthesised hardware, against the networks as wired, and against
//! each other.

use super::*;
use crate::config::from_text;
use wormscope_hw::Encoding;

fn cost_of(network: &str, encodings: &[Encoding]) -> HardwareCost {
    let loaded = from_text("x.ron", &format!("(network: ({network}))"), &[]).unwrap();
    let network = &loaded.experiment.network;
    of(network, network.build().unwrap().wiring(), encodings.iter().copied().collect())
}

#[track_caller]
fn near(value: f64, expected: f64, percent: f64) {
    let off = (value / expected - 1.0) * 100.0;
    assert!(off.abs() <= percent, "{value:.0} is {off:+.1} % off {expected:.0}");
}

/// A switch that Yosys synthesised: for each block the estimate and the synthesis.
struct Synthesised {
    /// Whether it is held out, or `large`.
    role: String,
    blocks: Vec<(&'static str, f64, f64)>,
}

/// Blocks of the estimate that belong together, and the columns of their area.
type Measured = (&'static str, &'static [&'static str], &'static [&'static str]);
const MEASURED: [Measured; 8] = [
    ("input FIFOs and header stores", &["input FIFOs", "header stores"], &["fifos"]),
    ("header decoders", &["header decoders"], &["decoders"]),
    ("reach tables", &["reach tables"], &["reach"]),
    ("token stations", &["token stations"], &["stations"]),
    ("replication units", &["replication units"], &["replication"]),
    ("arbiters", &["arbiters"], &["arbiters"]),
    ("crossbars", &["crossbars"], &["crossbars", "turns"]),
    ("output lanes", &["output lanes"], &["lanes"]),
];

/// The switches of testbenches/rtl/switches.csv.
fn synthesised() -> Vec<Synthesised> {
    let path = std::path::Path::new(crate::ROOT).join("testbenches/rtl/switches.csv");
    let mut rows = csv::Reader::from_path(path).unwrap();
    rows.deserialize().map(|row| compare(&row.unwrap())).collect()
}

/// Estimate and synthesis of the largest switch of a row.
fn compare(row: &std::collections::BTreeMap<String, String>) -> Synthesised {
    let loaded = from_text("x.ron", &format!("(network: ({}))", row["network"]), &[]).unwrap();
    let network = &loaded.experiment.network;
    let named = |name: &str| Encoding::ALL.into_iter().find(|encoding| encoding.name() == name).unwrap();
    let encodings: Encodings = row["encodings"].split_whitespace().map(named).collect();
    let shapes = Ports::of(network, network.build().unwrap().wiring());
    let shapes = shapes.into_keys().map(|ports| SwitchShape { network, encodings, ports });
    let s = shapes.max_by_key(|s| (s.inputs() * s.outputs(), s.ports.station)).unwrap();
    let areas = BLOCKS.iter().filter(|block| block.in_switch).map(|block| (block.name, (block.area)(&s)));
    let areas: std::collections::BTreeMap<_, _> = areas.collect();
    let whole: Area = areas.values().copied().sum();
    let number = |column: &str| row[column].parse::<f64>().unwrap();
    let block = |&(name, of, columns): &Measured| {
        (name, of.iter().map(|of| areas[of].ge).sum(), columns.iter().copied().map(number).sum())
    };
    let mut blocks: Vec<_> = MEASURED.iter().map(block).filter(|(.., area): &(_, _, f64)| *area > 0.0).collect();
    blocks.push(("switch", whole.ge, number("switch")));
    blocks.push(("flip-flops", whole.flip_flops as f64, number("flip-flops")));
    blocks.push(("levels", depth::levels(&s).into(), number("levels")));
    Synthesised { role: row["held out"].clone(), blocks }
}

/// The errors of an estimate in per cent, the smallest first.
fn errors(name: &str, switches: &[Synthesised]) -> Vec<f64> {
    let of = |(of, estimate, synthesis): &(&str, f64, f64)| (*of == name).then(|| (estimate / synthesis - 1.0) * 100.0);
    let mut all: Vec<f64> = switches.iter().flat_map(|switch| switch.blocks.iter().filter_map(of)).collect();
    all.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    all
}

/// The part of some errors that is at most as large as this one.
fn covered(all: &[f64], percent: f64) -> f64 {
    all.iter().filter(|error| error.abs() <= percent).count() as f64 / all.len() as f64
}

#[test]
fn the_formulas_are_as_near_to_held_out_switches_as_the_page_says() {
    let (held, others): (Vec<_>, Vec<_>) = synthesised().into_iter().partition(|switch| switch.role == "yes");
    let (fitted, large): (Vec<_>, Vec<_>) = others.into_iter().partition(|switch| switch.role == "no");
    let bars = [error::FIFOS, error::DECODERS, error::REACH, error::STATIONS, error::REPLICATION, error::ARBITERS];
    let bars = bars.into_iter().chain([error::CROSSBARS, error::LANES]).map(Some);
    let names = MEASURED.iter().map(|(name, ..)| *name).zip(bars);
    let names = names.chain([("switch", None), ("flip-flops", None), ("levels", Some(error::LEVELS))]);
    let row = |(name, bar): (&str, Option<f64>)| {
        let (all, fit) = (errors(name, &held), errors(name, &fitted));
        if let Some(bar) = bar {
            let least = covered(&all, bar).min(covered(&fit, bar));
            assert!(least >= 0.9, "{name}: {bar} % covers {least}");
        }
        let mean = all.iter().map(|error| error.abs()).sum::<f64>() / all.len() as f64;
        let (most, worst) = (all[(all.len() * 95).div_ceil(100) - 1].abs(), all[all.len() - 1]);
        let near = 100.0 * covered(&all, if name == "switch" { 7.0 } else { 10.0 });
        let (count, fit) = (all.len(), fit.len());
        let bar = bar.map_or_else(String::new, |bar| format!("{bar} %"));
        format!("| {name} | {fit} | {count} | {mean:.1} % | {near:.0} % | {most:.0} % | {worst:+.0} % | {bar} |")
    };
    let rows: Vec<String> = names.map(row).collect();
    let page = std::fs::read_to_string(std::path::Path::new(crate::ROOT).join("docs/explain/cost.md")).unwrap();
    assert!(page.contains(&rows.join("\n")), "the page does not have\n{}", rows.join("\n"));
    // Larger switches have a larger error.
    for (name, estimate, synthesis) in large.iter().flat_map(|switch| &switch.blocks) {
        let off = (estimate / synthesis - 1.0) * 100.0;
        assert!(off.abs() <= error::LARGE.1, "{name} of a large switch: {off:+.1} %");
    }
    assert!(!large.is_empty());
}

#[test]
fn bits_and_points_are_those_of_the_network_as_wired() {
    for (topology, inputs, outputs, bisection) in [
        ("mesh(radices: [4, 4])", 48 + 16, 48 + 32, 8),
        ("torus(radices: [4, 4])", 64 + 16, 64 + 32, 16),
        ("linear(nodes: 5)", 8 + 5, 8 + 10, 2),
        ("mesh(radices: [1])", 1, 2, 0),
        ("uni_min(switch_ports: 2, stages: 3)", 16 + 8, 16 + 16, 4),
        ("bi_min(switch_ports: 2, stages: 3)", 32 + 8, 32 + 16, 8),
    ] {
        let torus = topology.starts_with("torus");
        let channels = 1 + u64::from(torus);
        let network = format!("topology: {topology}, switch: (flit_bits: 16, virtual_channels: {channels})");
        let cost = cost_of(&format!("{network}, node: (consumption_channels: 2, consumption_depth: 3)"), &[]);
        let (inputs, outputs) = (inputs * channels, outputs * channels);
        let network = from_text("x.ron", &format!("(network: ({network}))"), &[]).unwrap().experiment.network;
        assert_eq!((cost.fifo_bits, network.fifo_bits()), (inputs * 4 * 16, inputs * 4 * 16), "{topology}");
        assert_eq!(cost.consumption_bits, u64::from(network.nodes()) * 2 * channels * 3 * 16, "{topology}");
        assert_eq!(cost.bisection_links, bisection, "{topology}");
        // Every output lane has its credit wire, and every link has the other wires. A node has two
        // links of channels to it and one back.
        let nodes = u64::from(network.nodes());
        let links = outputs - 2 * nodes * channels;
        let named = u64::from(torus);
        let wires = (links / channels + 3 * nodes) * (16 + 6 + 1 + named) + links + 3 * nodes * channels;
        assert_eq!(cost.link_wires, wires, "{topology}");
    }
}

#[test]
fn tables_and_stores_are_counted_where_worms_need_them() {
    let mesh = "topology: mesh(radices: [4, 4]), switch: (flit_bits: 8)";
    let none = cost_of(mesh, &[]);
    assert_eq!((none.reach_bits, none.header_store_bits, none.token_stations), (0, 0, 0));
    // There are 48 ports between routers and 16 to nodes, and a bit for each node.
    assert_eq!(cost_of(mesh, &[Encoding::BitString]).reach_bits, 64 * 16);
    let min = "topology: uni_min(switch_ports: 4, stages: 2), token_ring: ()";
    let masks = cost_of(min, &[Encoding::Multiport]);
    assert_eq!((masks.header_store_bits, masks.token_stations), (2 * 16 * 4, 8));
    let all = format!("{min}, node: (consumption_channels: 4)");
    assert_eq!(cost_of(&all, &[Encoding::Multiport]).token_stations, 4);
}

/// Areas of the blocks of a network that has all blocks, with one parameter given.
fn block_areas(parameter: &str, value: u32) -> Vec<Area> {
    let of = |name: &str, default: u32| if name == parameter { value } else { default };
    let network = format!(
        "topology: bi_min(switch_ports: 4, stages: {}), token_ring: (), \
         switch: (flit_bits: {}, fifo_depth: {}, virtual_channels: {}, dilation: {}, replication: buffered, \
         routing_cycles: {}, crossbar_cycles: {}), link: (link_cycles: {}, credit_cycles: {}), \
         node: (injection_channels: {}, consumption_channels: {}, consumption_depth: {})",
        of("stages", 2),
        of("flit_bits", 16),
        of("fifo_depth", 8),
        of("virtual_channels", 1),
        of("dilation", 1),
        of("routing_cycles", 1),
        of("crossbar_cycles", 0),
        of("link_cycles", 1),
        of("credit_cycles", 1),
        of("injection_channels", 1),
        of("consumption_channels", 1),
        of("consumption_depth", 4),
    );
    let cost = cost_of(&network, &[Encoding::BitString, Encoding::Multiport]);
    cost.blocks.iter().map(|block| block.network).collect()
}

#[test]
fn no_block_shrinks_when_a_parameter_grows_and_every_parameter_costs_something() {
    for (parameter, values) in [
        ("stages", vec![2, 3]),
        ("fifo_depth", (4..40).collect::<Vec<_>>()),
        ("virtual_channels", vec![1, 2, 3]),
        ("dilation", vec![1, 2, 3]),
        ("routing_cycles", vec![0, 1, 2, 3, 4, 8]),
        ("crossbar_cycles", vec![0, 1, 2]),
        ("link_cycles", vec![1, 2, 3, 8]),
        ("credit_cycles", vec![1, 2, 3, 8]),
        ("injection_channels", vec![1, 2, 3, 4]),
        ("consumption_channels", vec![1, 2, 3]),
        ("consumption_depth", (1..40).collect()),
    ] {
        let areas: Vec<Vec<Area>> = values.iter().map(|&value| block_areas(parameter, value)).collect();
        for (pair, values) in areas.windows(2).zip(values.windows(2)) {
            for ((block, less), more) in BLOCKS.iter().zip(&pair[0]).zip(&pair[1]) {
                let grows = more.ge >= less.ge && more.flip_flops >= less.flip_flops;
                assert!(grows, "{} for {parameter} {values:?}: {less:?}, {more:?}", block.name);
            }
        }
        let total = |areas: &[Area]| areas.iter().copied().sum::<Area>().ge;
        assert!(total(&areas[0]) < total(&areas[areas.len() - 1]), "{parameter} costs nothing");
    }
}

#[test]
fn wider_flits_make_no_block_smaller_but_those_that_hold_pieces_of_headers() {
    for (narrow, wide) in [(8, 9), (16, 17), (16, 32), (32, 64), (64, 1024)] {
        let pairs = block_areas("flit_bits", narrow).into_iter().zip(block_areas("flit_bits", wide));
        for (block, (less, more)) in BLOCKS.iter().zip(pairs).filter(|(block, _)| block.name != "header stores") {
            let pieces = block.name == "reach tables" && less.flip_flops > more.flip_flops;
            assert!(pieces || more.ge >= less.ge, "{}: {narrow} to {wide}: {less:?}, {more:?}", block.name);
        }
    }
}

#[test]
fn a_header_beside_the_flits_widens_fifos_and_needs_no_header_store() {
    let areas = |switch: &str| {
        let text = format!("topology: mesh(radices: [4, 4]), switch: ({switch})");
        let cost = cost_of(&text, &[Encoding::CoordinateMask]);
        let of = |wanted: &str| cost.scalars().find(|(name, ..)| *name == wanted).unwrap().2;
        ["area_ge.input_fifos", "area_ge.crossbars", "area_ge.header_stores"].map(of)
    };
    // The header is an address of 4 bits and a mask of 4 bits.
    let [fifos, crossbar, store] = areas("flit_bits: 56, header_timing: beside");
    let stored = areas("flit_bits: 64");
    assert_eq!(([fifos, crossbar], store), ([stored[0], stored[1]], 0.0));
    assert!(stored[2] > 0.0);
}

#[test]
fn scalars_have_names_of_their_own_and_add_up() {
    let cost = cost_of("topology: mesh(radices: [8, 8]), switch: (flit_bits: 32)", &[]);
    let names: std::collections::BTreeSet<&str> = cost.scalars().map(|(name, ..)| name).collect();
    assert_eq!(names.len(), cost.scalars().count());
    let of = |wanted: &str| cost.scalars().find(|(name, ..)| *name == wanted).unwrap().2;
    let blocks: f64 = cost.scalars().filter(|(name, ..)| name.starts_with("area_ge.")).map(|(.., ge)| ge).sum();
    near(of("area_ge"), blocks, 1e-9);
    near(of("fifo_bits"), cost.fifo_bits as f64, 1e-9);
}

#[test]
fn hardware_without_a_synthesis_has_a_larger_error() {
    let errors = |network: &str, encodings: &[Encoding]| {
        let cost = cost_of(network, encodings);
        (cost.area_error_percent, cost.depth_error_percent)
    };
    let (area, levels) = errors("topology: mesh(radices: [8, 8])", &[]);
    assert!(area < 15.0 && (levels - error::LEVELS).abs() < 1e-9, "{area} {levels}");
    let synchronous =
        "topology: bi_min(switch_ports: 2, stages: 2), switch: (replication: synchronous, arbiter: oldest_first)";
    let (more, levels) = errors(synchronous, &[Encoding::BitString]);
    assert!(more > area && (levels - 50.0).abs() < 1e-9, "{more} {levels}");
    // No synthesised switch had as many input lanes.
    let (more, levels) = errors("topology: mesh(radices: [8, 8]), switch: (virtual_channels: 8)", &[]);
    assert!(more > 20.0 && (levels - 50.0).abs() < 1e-9, "{more} {levels}");
    let blocks = cost_of("topology: mesh(radices: [4, 4])", &[Encoding::BitString]).blocks;
    let of = |name: &str| blocks.iter().find(|block| block.block == name).unwrap().error_percent;
    assert!((of("reach tables") - error::REACH).abs() < 1e-9);
    // A block that the network does not have has no error.
    assert!(of("token stations").abs() < 1e-9);
}
