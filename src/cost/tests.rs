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

/// Cost of an inner router of an 8x8 mesh with these parameters of switch and node, for unicast
/// worms.
fn unicast_router(switch: &str, node: &str) -> HardwareCost {
    cost_of(&format!("topology: mesh(radices: [8, 8]), switch: ({switch}), node: ({node})"), &[])
}

/// Area of the replication unit of that router, where worms copy.
fn replication_unit(switch: &str, node: &str) -> Area {
    let network = format!("topology: mesh(radices: [8, 8]), switch: ({switch}), node: ({node})");
    let cost = cost_of(&network, &[Encoding::BitString]);
    cost.blocks.iter().find(|block| block.block == "replication units").unwrap().largest.unwrap()
}

#[track_caller]
fn near(value: f64, expected: f64, percent: f64) {
    let off = (value / expected - 1.0) * 100.0;
    assert!(off.abs() <= percent, "{value:.0} is {off:+.1} % off {expected:.0}");
}

#[test]
fn a_unicast_router_is_as_large_as_the_pilot_found() {
    for flit_bits in [16, 32, 64, 128] {
        for depth in [2, 4, 8, 16] {
            let cost = unicast_router(&format!("flit_bits: {flit_bits}, fifo_depth: {depth}"), "");
            let bits = f64::from(flit_bits + 5);
            near(cost.switch.ge, 2955.0 + 34.0 * bits + 57.0 * bits * f64::from(depth), 6.0);
        }
    }
}

#[test]
fn asynchronous_replication_adds_as_much_as_the_pilot_found() {
    for (flit_bits, depth) in [(16, 2), (32, 4), (64, 4), (64, 8)] {
        let switch = format!("flit_bits: {flit_bits}, fifo_depth: {depth}");
        let share = replication_unit(&switch, "").ge / unicast_router(&switch, "").switch.ge;
        assert!((0.009..=0.061).contains(&share), "{flit_bits} bits, depth {depth}: {share:.3}");
    }
}

#[test]
fn replication_modes_channels_and_lanes_cost_what_the_pilot_found() {
    for (switch, node, thousand, levels) in [
        ("", "", 14.3, Some(30.0)),
        ("replication: buffered", "", 23.9, None),
        ("replication: sequential", "", 25.1, Some(32.0)),
        ("", "consumption_channels: 4", 17.2, Some(102.0)),
        // The node of the pilot had one channel in and one out.
        ("virtual_channels: 2", "virtual_channels: 1", 30.5, Some(91.0)),
        ("virtual_channels: 4", "virtual_channels: 1", 67.4, Some(221.0)),
        ("acquisition: atomic", "", 14.3, Some(77.0)),
    ] {
        let switch = format!("flit_bits: 32, fifo_depth: 4, {switch}");
        let cost = unicast_router(&switch, node);
        // In the pilot, a decoder of one flit made the branch sets for every encoding.
        near(cost.switch.ge + replication_unit(&switch, node).ge, thousand * 1000.0, 7.0);
        let network = format!("topology: mesh(radices: [8, 8]), switch: ({switch}), node: ({node})");
        let cost = cost_of(&network, &[Encoding::BitString]);
        if let Some(levels) = levels {
            near(cost.logic_depth.into(), levels, 7.0);
        }
    }
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
        let wires = (links / channels + 3 * nodes) * (16 + 5 + 1 + named) + links + 3 * nodes * channels;
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
fn scalars_have_names_of_their_own_and_add_up() {
    let cost = unicast_router("flit_bits: 32", "");
    let names: std::collections::BTreeSet<&str> = cost.scalars().map(|(name, ..)| name).collect();
    assert_eq!(names.len(), cost.scalars().count());
    let of = |wanted: &str| cost.scalars().find(|(name, ..)| *name == wanted).unwrap().2;
    let blocks: f64 = cost.scalars().filter(|(name, ..)| name.starts_with("area_ge.")).map(|(.., ge)| ge).sum();
    near(of("area_ge"), blocks, 1e-9);
    near(of("fifo_bits"), cost.fifo_bits as f64, 1e-9);
}

#[test]
fn a_formula_without_a_synthesis_has_a_larger_error() {
    let errors = |switch: &str, encodings: &[Encoding]| {
        let cost = cost_of(&format!("topology: mesh(radices: [8, 8]), switch: (flit_bits: 32, {switch})"), encodings);
        (cost.area_error_percent, cost.depth_error_percent)
    };
    let exactly = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
    let (area, levels) = errors("", &[]);
    assert!(exactly(area, 7.0) && exactly(levels, 7.0), "{area} {levels}");
    // Arbiters are a small part of the area, and a large part of the path.
    let (area, levels) = errors("arbiter: matrix", &[]);
    assert!(area > 7.0 && area < 12.0 && exactly(levels, 50.0), "{area} {levels}");
    let (area, levels) = errors("acquisition: atomic", &[Encoding::BitString]);
    assert!(area > 7.0 && exactly(levels, 7.0), "{area} {levels}");
    // 25 input lanes are more than a synthesised router had.
    let (area, levels) = errors("virtual_channels: 5", &[]);
    assert!(area > 20.0 && area < 50.0 && exactly(levels, 50.0), "{area} {levels}");
    let blocks = cost_of("topology: mesh(radices: [4, 4])", &[Encoding::BitString]).blocks;
    let of = |name: &str| blocks.iter().find(|block| block.block == name).unwrap().error_percent;
    assert!(exactly(of("reach tables"), 50.0) && exactly(of("input FIFOs"), 7.0));
    // A block that the network does not have has no error.
    assert!(exactly(of("token stations"), 0.0));
}
