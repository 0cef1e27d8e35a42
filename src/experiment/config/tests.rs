//! Tests of bad input of every kind, of examples and of hashes.

use std::fs;

use wormscope_hw::{Acquisition, Arbiter, Encoding, HeaderTiming, Release, Replication, TokenSpan};

use crate::engine::Drain;
use crate::experiment::Run;
use crate::network::{Network, Routing, TokenRing};

use super::*;

/// The error of a text.
fn refused(text: &str) -> String {
    from_text("x.ron", text, &[]).map(|loaded| loaded.experiment).unwrap_err().to_string()
}

/// The error of an experiment on a 4x4 mesh with these switch parameters and this workload.
fn refused_with(switch: &str, workload: &str) -> String {
    refused(&format!("(network: (topology: mesh(radices: [4, 4]),\nswitch: ({switch})),\nworkload: [{workload}])"))
}

/// The error of a network.
fn refused_network(network: &str) -> String {
    refused(&format!("(network: ({network}))"))
}

/// The error of messages on a 4x4 mesh.
fn refused_message(message: &str) -> String {
    refused_with("", &format!("messages([\n({message})])"))
}

/// The error of random traffic on a 4x4 mesh.
fn refused_traffic(traffic: &str) -> String {
    refused_with("", &format!("traffic(payload_flits: 4, {traffic})"))
}

#[test]
fn an_unknown_field_is_refused_with_the_nearest_and_all_names() {
    assert_eq!(
        refused("(\n  network: (\n    topology: linear(nodes: 4),\n    switch: (fifo_dept: 8),\n  ),\n)"),
        "x.ron:4:14: unknown field \"fifo_dept\" in switch; did you mean \"fifo_depth\"? allowed: flit_bits, fifo_depth, \
         virtual_channels, dilation, header_timing, replication, copy_to_source, acquisition, arbiter, lane_choice, \
         port_order, routing_cycles, allocation_cycles, crossbar_cycles"
    );
    assert_eq!(
        refused_network("topology: mesh(radices: [4], wrap: 1)"),
        "x.ron:1:41: unknown field \"wrap\" in mesh; allowed: radices"
    );
}

#[test]
fn an_order_of_ports_names_each_once() {
    let refused =
        |order: &str| refused_network(&format!("topology: mesh(radices: [2, 2]), switch: (port_order: {order})"));
    for (order, why) in [
        (r#"["nord"]"#, "x.ron:1:67: no port \"nord\"; nearest names: north, node"),
        (r#"["node", "node"]"#, "port node a second time; allowed: every port once"),
        (
            r#"["node", "north", "east", "west"]"#,
            "port south is missing; allowed: all of east, west, north, south, node, each once",
        ),
    ] {
        let found = refused(order);
        assert!(found.contains(why), "{found}");
    }
}

#[test]
fn an_unknown_variant_is_refused_with_the_nearest_and_all_names() {
    assert_eq!(
        refused_network("topology: mash(radices: [4, 4])"),
        "x.ron:1:22: unknown topology \"mash\"; did you mean \"mesh\"? allowed: linear, mesh, torus, uni_min, bi_min, \
         netlist, two_sided"
    );
    assert_eq!(
        refused_with("header_timing: Store", ""),
        "x.ron:2:25: unknown header_timing \"Store\"; did you mean \"store\"? allowed: store, overlapped, beside"
    );
}

#[test]
fn a_missing_field_is_refused_at_the_value_that_lacks_it() {
    assert_eq!(refused("()"), "x.ron:1:1: missing field \"network\" in experiment; it has no default");
    assert_eq!(
        refused_message("cycle: 0, source: 1, payload_flits: 4"),
        "x.ron:4:1: missing field \"destinations\" in message; it has no default"
    );
}

#[test]
fn a_value_of_another_type_is_refused_with_what_is_allowed() {
    let topology = "topology: mesh(radices: [4, 4])";
    assert_eq!(
        refused_with("fifo_depth: \"8\"", ""),
        "x.ron:2:10: network.switch.fifo_depth: expected an integer from 0 to 4294967295, found \"8\""
    );
    assert_eq!(refused_with("fifo_depth: -8", ""), "x.ron:2:10: fifo_depth is -8; allowed: 1 to 65535 flits");
    assert_eq!(
        refused_with("fifo_depth: Some(5)", ""),
        "x.ron:2:10: network.switch.fifo_depth: Some(5) is for a field that may be None, which this is not; write 5"
    );
    let run = |run: &str| refused(&format!("(network: ({topology}),\nrun: ({run}))"));
    assert_eq!(
        run("max_cycles: Some(5)"),
        "x.ron:2:7: run.max_cycles: Some(5) is for a field that may be None, which this is not; write 5"
    );
    assert_eq!(
        run("max_cycles: Some(\"5\")"),
        "x.ron:2:7: run.max_cycles: expected an integer from 0 to 18446744073709551615, found \"5\""
    );
    assert_eq!(
        run("measure_cycles: Some(\"5\")"),
        "x.ron:2:7: run.measure_cycles: expected an integer from 0 to 18446744073709551615, found \"5\""
    );
    assert_eq!(
        refused_with("fifo_depth: 8.0", ""),
        "x.ron:2:22: network.switch.fifo_depth: expected an integer, found 8.0"
    );
    assert_eq!(
        refused_network("topology: mesh(radices: [4, 4294967296])"),
        "x.ron:1:40: a radix of 4294967296; allowed: 1 to 65535"
    );
    assert_eq!(
        refused_network("topology: mesh(radices: [4, 4.5])"),
        "x.ron:1:40: network.topology.mesh.radices[1]: expected an integer, found 4.5"
    );
    assert_eq!(
        refused_network("topology: mesh(radices: 4)"),
        "x.ron:1:27: network.topology.mesh.radices: expected a list, [...], found 4"
    );
    assert_eq!(
        refused_network(&format!("{topology}, clock_ns: fast")),
        "x.ron:1:45: network.clock_ns: expected a number or from_depth, found fast"
    );
    assert_eq!(
        refused_network("topology: torus(radices: [4], datelines: 1)"),
        "x.ron:1:42: network.topology.torus.datelines: expected true or false, found 1"
    );
    assert_eq!(
        refused_network("topology: \"mesh\""),
        "x.ron:1:12: network.topology: expected a name without quotes, found \"mesh\""
    );
    assert_eq!(
        refused_network("topology: mesh(4, 4)"),
        "x.ron:1:22: network.topology.mesh: expected fields by name, found (4, 4); allowed: radices"
    );
    assert_eq!(
        refused_network("topology: mesh([4, 4])"),
        "x.ron:1:22: network.topology.mesh: expected fields by name, found [4, 4]; allowed: radices"
    );
    assert_eq!(
        refused_network(&format!("{topology}, link: (2)")),
        "x.ron:1:45: network.link: expected fields by name, found 2; allowed: link_cycles, credit_cycles"
    );
    assert_eq!(
        refused_network(&format!("{topology}, switch: 4")),
        "x.ron:1:45: network.switch: expected (...) with the fields of switch, found 4"
    );
    assert!(
        refused_with("", "traffic(0.1)")
            .starts_with("x.ron:3:12: workload[0].traffic: expected fields by name, found 0.1; allowed: load, ")
    );
    assert_eq!(refused_network("topology: mesh"), "x.ron:1:12: network.topology: mesh has fields; write mesh(...)");
    assert_eq!(
        refused_network(&format!("{topology}, clock_ns: 500ps")),
        "x.ron:1:55: network.clock_ns: expected a number without a unit, found 500ps"
    );
    assert_eq!(
        refused_with("", "trace(7)"),
        "x.ron:3:12: workload[0].trace: expected a string in double quotes, found 7"
    );
    assert_eq!(
        refused_with("", "traffic((load: 1))"),
        "x.ron:3:12: workload[0].traffic: two pairs of parentheses; allowed: one, as in \
         traffic(load: 0.1, payload_flits: 8)"
    );
    assert_eq!(
        refused_with("fifo_depth: 8, fifo_depth: 8", ""),
        "x.ron:2:25: field \"fifo_depth\" is given twice; once is allowed"
    );
    assert_eq!(
        refused("{\"network\": 1}"),
        "x.ron:1:1: expected (...) with the fields of experiment, found {\"network\": 1}"
    );
    assert_eq!(refused("7"), "x.ron:1:1: expected (...) with the fields of experiment, found 7");
}

#[test]
fn broken_syntax_is_refused_where_it_breaks() {
    assert_eq!(refused(""), "x.ron:1:1: expected a value, found the end of the text");
    assert_eq!(
        refused("(network: (\n  topology: linear(nodes: 4),\n"),
        "x.ron:3:1: the text ends before the bracket opened at 1:11 is closed by `)`"
    );
    assert_eq!(refused_network("topology: mesh(radices: [4 4])"), "x.ron:1:39: expected `,` or `]`, found `4`");
    assert_eq!(
        refused("(network: (topology: linear(nodes: 4))) )"),
        "x.ron:1:41: expected the end of the text, found `)`"
    );
    assert_eq!(refused("(network (topology: linear(nodes: 4)))"), "x.ron:1:9: expected `:` after the field name");
    assert_eq!(refused("(network: /* (topology"), "x.ron:1:11: the comment is not closed by `*/`");
    assert_eq!(refused("(\u{0}\u{1b}[31m)"), "x.ron:1:2: expected a value, found `\\0`");
}

#[test]
fn every_truncation_of_an_example_is_refused() {
    for kind in KINDS {
        let text = example(kind).unwrap().trim_end();
        for (end, _) in text.char_indices() {
            let (cut, refusal) = (&text[..end], refused(&text[..end]));
            // Half of a comment's mark does not end the text.
            let half = cut.ends_with('/') && !cut.ends_with("//");
            let named = ["text ends", "end of the text", "not closed"].iter().any(|why| refusal.contains(why));
            assert!(named || half, "{kind} cut at {end}: {refusal}");
        }
    }
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    for deep in ["[", "(", "Some(", "a(", "(a:", "(network:", "{", "/*", "[/*"] {
        let deep = deep.repeat(500_000);
        refused(&deep);
        refused(&format!("(network: (topology: mesh(radices: {deep}"));
        refused(&format!("(network: (topology: mesh(radices: [2])), workload: [{deep}"));
        refused(&format!("(network: (topology: mesh(radices: [2]), node: (consumption_depth: {deep}"));
    }
}

#[test]
fn a_file_that_cannot_be_read_as_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let refused = |path: &Path| load(path, &[]).unwrap_err().to_string();
    let shown = |path: &Path| path.display().to_string();

    let path = folder.path().join("none.ron");
    assert_eq!(refused(&path), format!("{}: cannot be read: No such file or directory (os error 2)", shown(&path)));
    let path = folder.path();
    assert_eq!(refused(path), format!("{}: cannot be read: Is a directory (os error 21)", shown(path)));
    let path = file("latin1.ron", b"(\n  // caf\xe9\n)");
    assert_eq!(refused(&path), format!("{}:2:9: byte 0xe9 is not UTF-8; a RON file is UTF-8 text", shown(&path)));
    let path = file("large.ron", &vec![b'('; 5 << 20]);
    assert_eq!(
        refused(&path),
        format!(
            "{}: larger than 4 MiB; put long lists of messages into a CSV trace, and a netlist into a file of its own",
            shown(&path)
        )
    );
    let path = file("bom.ron", "\u{feff}(network: (topology: linear(nodes: 4)))".as_bytes());
    let loaded = load(&path, &[]).unwrap();
    assert_eq!((loaded.path.as_path(), loaded.resolve("t.csv")), (path.as_path(), folder.path().join("t.csv")));
}

#[test]
fn ranges_are_checked() {
    let switch = |parameter: &str| refused_with(parameter, "");
    assert_eq!(switch("flit_bits: 7"), "x.ron:2:10: flit_bits is 7; allowed: 8 to 1024 bits");
    assert_eq!(switch("flit_bits: 1025"), "x.ron:2:10: flit_bits is 1025; allowed: 8 to 1024 bits");
    assert_eq!(switch("fifo_depth: 65536"), "x.ron:2:10: fifo_depth is 65536; allowed: 1 to 65535 flits");
    assert_eq!(switch("virtual_channels: 0"), "x.ron:2:10: virtual_channels is 0; allowed: 1 to 64");
    assert_eq!(switch("dilation: 0"), "x.ron:2:10: dilation is 0; allowed: 1 to 64");
    assert_eq!(switch("routing_cycles: 1025"), "x.ron:2:10: routing_cycles is 1025; allowed: 0 to 1024 cycles");
    assert_eq!(switch("allocation_cycles: 2"), "x.ron:2:10: allocation_cycles is 2; allowed: 0 to 1 cycles");
    assert_eq!(switch("crossbar_cycles: 65"), "x.ron:2:10: crossbar_cycles is 65; allowed: 0 to 64 cycles");

    let network = |field: &str| refused_network(&format!("topology: linear(nodes: 4),\n{field}"));
    assert_eq!(network("link: (link_cycles: 0)"), "x.ron:2:8: link_cycles is 0; allowed: 1 to 64 cycles");
    assert_eq!(network("link: (credit_cycles: 65)"), "x.ron:2:8: credit_cycles is 65; allowed: 1 to 64 cycles");
    assert_eq!(
        network("node: (startup_cycles: 1_000_000_001)"),
        "x.ron:2:8: startup_cycles is 1000000001; allowed: 0 to 1000000000 cycles"
    );
    assert_eq!(network("node: (injection_channels: 0)"), "x.ron:2:8: injection_channels is 0; allowed: 1 to 64");
    assert_eq!(network("node: (consumption_channels: 0)"), "x.ron:2:8: consumption_channels is 0; allowed: 1 to 64");
    assert_eq!(network("node: (consumption_depth: 0)"), "x.ron:2:8: consumption_depth is 0; allowed: 1 to 65535 flits");
    assert_eq!(
        network("node: (injection_link: (link_cycles: 0))"),
        "x.ron:2:25: link_cycles is 0; allowed: 1 to 64 cycles"
    );
    assert_eq!(
        network("node: (consumption_link: (credit_cycles: 0))"),
        "x.ron:2:27: credit_cycles is 0; allowed: 1 to 64 cycles"
    );
    for wrong in ["0", "-1", "inf", "NaN", "1e308", "0.0000001", "5e-324"] {
        assert_eq!(
            network(&format!("clock_ns: {wrong}")),
            format!("x.ron:2:1: clock_ns is {wrong}; allowed: 0.000001 to 1000000000 ns, or from_depth")
        );
    }

    let run = |field: &str| refused(&format!("(network: (topology: linear(nodes: 4)),\nrun: ({field}))"));
    assert_eq!(run("max_cycles: 0"), "x.ron:2:7: max_cycles is 0; allowed: 1 to 1000000000000000000 cycles");
    assert_eq!(
        run("deadlock_check_cycles: 0"),
        "x.ron:2:7: deadlock_check_cycles is 0; allowed: 1 to 1000000000000000000 cycles"
    );
    assert_eq!(
        run("warmup_cycles: 1_000_000_000_000_000_000"),
        "x.ron:2:7: the measured window ends too late: cycle 1000000000000010000 is too late; \
         allowed: 0 to 1000000000000000000"
    );
}

#[test]
fn sizes_of_networks_are_checked() {
    let topology = |topology: &str| refused_network(&format!("topology: {topology}"));
    assert_eq!(topology("linear(nodes: 0)"), "x.ron:1:29: nodes is 0; allowed: 1 to 65535");
    assert_eq!(topology("mesh(radices: [2, 65536])"), "x.ron:1:40: a radix of 65536; allowed: 1 to 65535");
    assert_eq!(topology("mesh(radices: [])"), "x.ron:1:27: 0 dimensions; allowed: 1 to 12");
    assert_eq!(
        topology("mesh(radices: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])"),
        "x.ron:1:27: 13 dimensions; allowed: 1 to 12"
    );
    assert_eq!(topology("mesh(radices: [4, 0])"), "x.ron:1:40: a radix of 0; allowed: 1 to 65535");
    assert_eq!(
        topology("torus(radices: [4096, 4097])"),
        "x.ron:1:28: 4096 * 4097 is at least 16781312 nodes; allowed: up to 16777216"
    );
    assert!(
        topology(&format!("mesh(radices: {:?})", [65535; 12])).contains("4294836225 nodes; allowed: up to 16777216")
    );
    assert!(from_text("x.ron", "(network: (topology: mesh(radices: [4096, 4096])))", &[]).is_ok());
}

#[test]
fn cross_field_rules_of_the_network_are_checked() {
    assert_eq!(
        refused_network("topology: torus(radices: [4, 4]),\nswitch: (virtual_channels: 3)"),
        "x.ron:2:10: a torus with datelines splits its virtual channels into two classes but virtual_channels is 3; \
         allowed: an even number, or datelines: false"
    );
    assert_eq!(
        refused_network("topology: torus(radices: [4, 4])"),
        "x.ron:1:12: a torus with datelines splits its virtual channels into two classes but virtual_channels is 1; \
         allowed: an even number, or datelines: false"
    );
    assert_eq!(
        refused_with("virtual_channels: 16, dilation: 2", ""),
        "x.ron:2:10: 144 input lanes per switch (4 ports * dilation 2 * virtual_channels 16 + injection_channels 1 * virtual_channels 16); \
         allowed: up to 64"
    );
    assert_eq!(
        refused_network("topology: mesh(radices: [4, 4]),\nnode: (consumption_channels: 61)"),
        "x.ron:2:8: 65 output lanes per switch (4 ports * dilation 1 * virtual_channels 1 + consumption_channels 61); \
         allowed: up to 64"
    );
    assert_eq!(
        refused_with("replication: lockstep, virtual_channels: 2", ""),
        "x.ron:2:10: lockstep replication works only without virtual channels, and virtual_channels is 2; allowed: 1"
    );
    let synchronous = |topology: &str, more: &str, of_network: &str| {
        let switch = format!("switch: (replication: synchronous, {more})");
        refused_network(&format!("topology: {topology},\n{switch}{of_network}"))
    };
    let (min, oldest) = ("uni_min(kind: omega, switch_ports: 2, stages: 2)", "arbiter: oldest_first");
    for (topology, more, of_network, why) in [
        (
            "two_sided(switch_ports: 2, stages: 2)",
            oldest,
            "",
            "works only where all heads of a worm are at one stage; allowed: uni_min, bi_min with routing: turnaround",
        ),
        (
            "bi_min(switch_ports: 2, stages: 2)",
            oldest,
            ", routing: multiple_turnaround",
            "works only where all heads of a worm are at one stage; allowed: uni_min, bi_min with routing: turnaround",
        ),
        (
            min,
            "arbiter: oldest_first, virtual_channels: 2",
            "",
            "works only without virtual channels, and virtual_channels is 2; allowed: 1",
        ),
        (min, oldest, ", token_ring: ()", "has no deadlock that a token ring could prevent; allowed: no token_ring"),
        (
            min,
            "arbiter: oldest_first, acquisition: atomic",
            "",
            "reserves lanes in its own way, and acquisition is atomic; allowed: incremental",
        ),
        (
            min,
            "arbiter: matrix",
            "",
            "needs the same order of worms at all switches, and arbiter is matrix; allowed: oldest_first",
        ),
    ] {
        let refused = synchronous(topology, more, of_network);
        assert_eq!(refused, format!("x.ron:2:10: synchronous replication {why}"), "{topology} {more}");
    }
    let labels = |topology: &str| {
        refused_network(&format!("topology: {topology}, switch: (virtual_channels: 2),\nrouting: label_order"))
    };
    let why = "x.ron:2:1: label_order has labels for 2-D and 3-D meshes, not for";
    for (topology, what, allowed) in [
        ("torus(radices: [4, 4])", "a torus", "dimension_order, reverse_dimension_order"),
        ("linear(nodes: 4)", "a linear array", "dimension_order"),
        ("mesh(radices: [4])", "a 1-D mesh", "dimension_order"),
        ("uni_min(switch_ports: 2, stages: 2)", "a unidirectional multistage network", "destination_tag"),
        ("bi_min(switch_ports: 2, stages: 2)", "a bidirectional multistage network", "turnaround, multiple_turnaround"),
    ] {
        assert_eq!(labels(topology), format!("{why} {what}; allowed: {allowed}"));
    }
    assert_eq!(
        refused_network("topology: mesh(radices: [4, 4]), routing: turnaround"),
        "x.ron:1:45: turnaround does not route in a mesh; allowed: dimension_order, reverse_dimension_order, \
         label_order"
    );
}

#[test]
fn token_rings_are_for_networks_with_stages() {
    let turns = refused_network(
        "topology: bi_min(switch_ports: 2, stages: 2), routing: multiple_turnaround,\ntoken_ring: (hop_cycles: 1)",
    );
    assert!(turns.starts_with("x.ron:2:1: a worm that turns in several stages would need the one token"), "{turns}");
    assert_eq!(
        refused_network("topology: mesh(radices: [4, 4]), token_ring: (hop_cycles: 1)"),
        "x.ron:1:45: token rings connect switches of one stage but this topology has no stages; allowed: uni_min, bi_min with routing: turnaround, or no \
         token_ring"
    );
    assert_eq!(
        refused_network("topology: uni_min(switch_ports: 2, stages: 3), token_ring: (hop_cycles: 0)"),
        "x.ron:1:72: hop_cycles is 0; allowed: 1 to 1024 cycles"
    );
    assert!(
        refused_network("topology: uni_min(switch_ports: 2, stages: 3), token_ring: (release: pad)")
            .contains("unknown release \"pad\"")
    );
    // With one grouped stage no group has two switches.
    let single = "topology: bi_min(switch_ports: 2, stages: 2), node: (consumption_channels: 2), token_ring: (span: ";
    assert_eq!(
        refused_network(&format!("{single}half)")),
        "x.ron:1:104: every group has one switch, so no part of it is a half; allowed: group"
    );
    assert!(from_text("x.ron", &format!("(network: ({single}group)))"), &[]).is_ok());
    let given = from_text("x.ron", "(network: (topology: bi_min(switch_ports: 2, stages: 3), token_ring: ()))", &[]);
    assert_eq!(given.unwrap().experiment.network.token_ring, Some(TokenRing::default()));
}

#[test]
fn multistage_networks_are_checked() {
    let refused = |topology: &str| refused_network(&format!("topology: {topology}"));
    assert_eq!(refused("uni_min(switch_ports: 65, stages: 2)"), "x.ron:1:30: switch_ports is 65; allowed: 2 to 64");
    assert_eq!(refused("bi_min(switch_ports: 1, stages: 2)"), "x.ron:1:29: switch_ports is 1; allowed: 2 to 32");
    assert_eq!(refused("bi_min(switch_ports: 4, stages: 0)"), "x.ron:1:46: stages is 0; allowed: 1 to 24");
    assert_eq!(
        refused("bi_min(switch_ports: 8, stages: 9)"),
        "x.ron:1:46: 9 stages of switches of 8 ports are 134217728 nodes and 150994944 switches; allowed: up to 16777216 of each"
    );
    for topology in [
        "uni_min(switch_ports: 64, stages: 24)",
        "uni_min(kind: custom(permutations: []), switch_ports: 64, stages: 24)",
        "bi_min(switch_ports: 32, stages: 16)",
        "two_sided(switch_ports: 16, stages: 16)",
    ] {
        let why = refused(topology);
        assert!(
            why.contains("are more than 10^19 nodes and more than 10^19 switches; allowed: up to 16777216"),
            "{why}"
        );
    }
    // The switches alone need more than 64 bits.
    assert!(
        refused("uni_min(switch_ports: 6, stages: 24)")
            .contains(" are 4738381338321616896 nodes and more than 10^19 switches;")
    );
    assert_eq!(
        refused("uni_min(kind: butter_fly, switch_ports: 2, stages: 2)"),
        "x.ron:1:36: unknown uni_min_kind \"butter_fly\"; did you mean \"butterfly\"? allowed: baseline, butterfly, omega, custom"
    );
    assert_eq!(
        refused("bi_min(switch_ports: 8, stages: 2), switch: (virtual_channels: 5)"),
        "x.ron:1:67: 80 input lanes per switch (8 ports * dilation 1 * virtual_channels 5, 8 * the larger of it and \
         injection_channels 1 * virtual_channels 5); allowed: up to 64"
    );
    let custom = |permutations: &str| {
        refused(&format!("uni_min(kind: custom(permutations: {permutations}), switch_ports: 2, stages: 2)"))
    };
    assert_eq!(
        custom("[[0, 1, 2, 3]]"),
        "x.ron:1:43: 1 permutations; allowed: 3, one before each stage and one after the last"
    );
    assert_eq!(
        custom("[[0, 1, 2, 3], [0, 1, 2], [0, 1, 2, 3]]"),
        "x.ron:1:72: permutation 1 has 3 positions; allowed: 4, as many as nodes"
    );
    assert_eq!(
        custom("[[0, 1, 2, 3], [0, 1, 2, 2], [0, 1, 2, 3]]"),
        "x.ron:1:72: permutation 1: position 2 is given twice or is out of range; allowed: each of 0 to 3 once"
    );
    assert_eq!(
        custom("[[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]"),
        "x.ron:1:43: not self-routing: to node 0, stage 0 takes port 0 from node 0 but port 1 from node 1; each stage's port must be \
         a function of the destination alone"
    );
}

#[test]
fn what_needs_dimensions_is_refused_on_multistage_networks() {
    let on = |topology: &str, workload: &str| {
        refused(&format!("(network: (topology: {topology}), workload: [\n{workload}])"))
    };
    let traffic = |more: &str| format!("traffic(load: 0.1, payload_flits: 4, {more})");
    let eight = "bi_min(switch_ports: 2, stages: 3)";
    let why = "needs a mesh or torus, and the nodes of this network have no coordinates; allowed: uniform, hot_spot, \
               transpose, bit_reversal, shuffle, permutation, matrix";
    let ring = "netlist(text: \"switch a b; link a.0 b.0; node a.1; node b.1\")".replace("; ", "\\n");
    for (topology, pattern) in [(eight, "tornado"), (eight, "nearest_neighbour"), (&ring, "tornado")] {
        assert_eq!(on(topology, &traffic(&format!("pattern: {pattern}"))), format!("x.ron:2:38: {pattern} {why}"));
    }
    assert_eq!(
        on(eight, &traffic("pattern: transpose")),
        "x.ron:2:38: transpose needs a square of nodes but the network has 8"
    );
    let why = "multidestination worms visit routers that have nodes, but the switches of a multistage network between its outer \
               stages have none; allowed: ";
    assert_eq!(
        on(eight, &traffic("destinations: 2, encoding: multidestination")),
        format!("x.ron:2:55: {why}bit_string")
    );
    let message =
        "messages([(cycle: 0, source: 0, destinations: [1, 2], encoding: multidestination, payload_flits: 4)])";
    assert_eq!(on(eight, message), format!("x.ron:2:55: {why}bit_string"));
    let product = message.replace("[1, 2]", "[2, 3]");
    assert_eq!(on(eight, &product), format!("x.ron:2:55: {why}bit_string, multiport, mask"));
    assert_eq!(
        on(eight, &product.replace("[2, 3]", "[3]")),
        format!("x.ron:2:52: {why}unicast, bit_string, multiport, mask")
    );
}

#[test]
fn multiport_worms_go_to_products_of_ports_on_multistage_networks() {
    let eight = "uni_min(switch_ports: 2, stages: 3)";
    let both_ways = "bi_min(switch_ports: 3, stages: 2)";
    let on = |topology: &str, switch: &str, source: u32, destinations: &str| {
        let text = format!(
            "(network: (topology: {topology}, switch: ({switch})), workload: [messages([\n\
             (cycle: 0, source: {source}, destinations: [{destinations}], encoding: multiport, payload_flits: 4)])])"
        );
        from_text("x.ron", &text, &[]).map(drop).map_err(|error| error.to_string())
    };
    let lacks = |node: &str, instead: &str| {
        Err(format!(
            "x.ron:2:23: a multiport header has the same mask for all switches of a stage and leads to node {node} \
             too; allowed: destinations that \
             are all combinations of their digits, or encoding: {instead}"
        ))
    };
    assert_eq!(on(eight, "", 0, "5"), Ok(()));
    assert_eq!(on(eight, "", 0, "7, 5, 4, 6"), Ok(()));
    assert_eq!(on(eight, "", 0, "4, 5, 7"), lacks("6", "bit_string"));
    assert_eq!(on(eight, "", 0, "3, 5"), lacks("1", "bit_string"));
    assert_eq!(on(eight, "", 1, "3, 5"), lacks("1, the source,", "bit_string"));
    assert_eq!(on(both_ways, "", 0, "4, 5, 7, 8"), Ok(()));
    assert_eq!(on(both_ways, "", 0, "1, 2"), Ok(()));
    assert_eq!(on(both_ways, "", 0, "1, 5"), lacks("2", "bit_string or mask"));
    let wide = "bi_min(switch_ports: 10, stages: 2)";
    let short = "flit_bits: 8, fifo_depth: 1, header_timing";
    for timing in ["store", "overlapped"] {
        let needed = Err(
            "x.ron:1:82: multiport needs 2 header flits (10 ports / 8 bits) but fifo_depth is 1; at least 2".into(),
        );
        assert_eq!(on(wide, &format!("{short}: {timing}"), 0, "11"), needed);
    }
    let grid = "a multiport header has a mask of ports for each stage, and a grid has no stages; allowed: \
                bit_string, multidestination";
    assert_eq!(on("mesh(radices: [4, 4])", "", 0, "1, 2"), Err(format!("x.ron:2:45: {grid}")));
}

#[test]
fn only_encodings_that_would_be_taken_are_offered() {
    let on = |topology: &str, switch: &str, destinations: &str| {
        let text = format!(
            "(network: (topology: {topology}, switch: ({switch})), workload: [messages([\n\
             (cycle: 0, source: 0, destinations: [{destinations}], payload_flits: 4)])])"
        );
        let refused = from_text("x.ron", &text, &[]).unwrap_err().to_string();
        refused.strip_prefix("x.ron:2:23: 2 destinations need an encoding; ").map(str::to_owned).ok_or(refused)
    };
    let offered = |topology, switch, destinations| on(topology, switch, destinations).unwrap();
    let (eight, mesh) = ("uni_min(switch_ports: 2, stages: 3)", "mesh(radices: [4, 4])");
    assert_eq!(offered(eight, "", "2, 3"), "allowed: bit_string, multiport, mask");
    assert_eq!(offered(eight, "", "2, 5"), "allowed: bit_string");
    assert_eq!(offered(mesh, "", "2, 5"), "allowed: bit_string, multidestination");
    assert_eq!(offered(mesh, "replication: sequential, fifo_depth: 5", "2, 5"), "allowed: bit_string");
    assert_eq!(offered(eight, "header_timing: beside", "2, 3"), "allowed: bit_string, mask");
    let short = "bit_string needs 2 header flits (16 nodes / 8 bits) but fifo_depth is 1; at least 2";
    assert_eq!(offered(mesh, "flit_bits: 8, fifo_depth: 1", "2, 5"), short);
    assert_eq!(
        offered(mesh, "", "0, 5"),
        "node 0 is the source of this multicast; without copy_to_source: true only a unicast may go to its own source; \
         leave it out"
    );
    assert_eq!(offered(mesh, "copy_to_source: true", "0, 5"), "allowed: bit_string");
    assert_eq!(offered(mesh, "copy_to_source: true", "0, 4"), "allowed: bit_string, mask, coordinate_mask");
}

#[test]
fn random_multiport_worms_go_to_one_node_whose_header_has_a_known_mean() {
    let on = |topology: &str, traffic: &str| {
        let text = format!(
            "(network: (topology: {topology}), workload: [\n\
             traffic(load: 0.1, encoding: multiport, payload_flits: 4, {traffic})])"
        );
        from_text("x.ron", &text, &[]).map(drop).map_err(|error| error.to_string())
    };
    let (one_way, both_ways) = ("uni_min(switch_ports: 2, stages: 4)", "bi_min(switch_ports: 2, stages: 4)");
    assert_eq!(on(one_way, "pattern: shuffle"), Ok(()));
    assert_eq!(on(both_ways, "destinations: 1"), Ok(()));
    assert_eq!(
        on(both_ways, "pattern: shuffle").unwrap_err(),
        "x.ron:2:20: the length of a multiport header in a bi_min depends on the route, so that the load is known \
         only with pattern: uniform among all nodes; \
         allowed: unicast, bit_string, mask"
    );
    assert_eq!(
        on(one_way, "destinations: 3").unwrap_err(),
        "x.ron:2:20: a multiport header names only certain sets of nodes, and random destinations rarely form one; \
         give one destination, or send messages or a trace; allowed: bit_string"
    );
}

#[test]
fn messages_are_checked() {
    let outside = "is outside the network; allowed: 0 to 15 (16 nodes)";
    assert_eq!(
        refused_message("cycle: 0, source: 16, destinations: [1], payload_flits: 4"),
        format!("x.ron:4:12: node 16 {outside}")
    );
    assert_eq!(
        refused_message("cycle: 0, source: 0, destinations: [1, 99], encoding: bit_string, payload_flits: 4"),
        format!("x.ron:4:41: node 99 {outside}")
    );
    assert_eq!(
        refused_message("cycle: 0, source: 0, destinations: [], payload_flits: 4"),
        "x.ron:4:23: no destinations; at least one is needed"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 0, destinations: [1, 2, 1], encoding: bit_string, payload_flits: 4"),
        "x.ron:4:44: node 1 is given twice; each is allowed once"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 2, destinations: [1, 2], encoding: multidestination, payload_flits: 4"),
        "x.ron:4:41: node 2 is the source of this multicast; only a unicast may go to its own source; leave it out"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 2, destinations: [1, 3], payload_flits: 4"),
        "x.ron:4:23: 2 destinations need an encoding; allowed: bit_string, multidestination, mask, coordinate_mask"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 2, destinations: [1, 3], encoding: unicast, payload_flits: 4"),
        "x.ron:4:45: unicast takes one destination, not 2; allowed: bit_string, multidestination, mask, coordinate_mask"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 2, destinations: [1], payload_flits: 0"),
        "x.ron:4:42: payload_flits is 0; at least 1"
    );
    assert_eq!(
        refused_message("cycle: 0, source: 2, destinations: [1], payload_flits: 16777215"),
        "x.ron:4:42: a worm of 1 header and 16777215 payload flits; allowed: up to 16777215 flits"
    );
    assert_eq!(
        refused_message("cycle: 1000000000000000001, source: 2, destinations: [1], payload_flits: 1"),
        "x.ron:4:2: cycle 1000000000000000001 is too late; allowed: 0 to 1000000000000000000"
    );
    let own = "(network: (topology: linear(nodes: 1)), workload: [messages([\
               (cycle: 0, source: 0, destinations: [0], payload_flits: 1)])])";
    assert!(from_text("x.ron", own, &[]).is_ok(), "a unicast to oneself is legal");
}

#[test]
fn headers_must_fit_into_the_fifo_unless_timing_is_overlapped() {
    let mesh = |switch: &str, encoding: &str, destinations: &str| {
        format!(
            "(network: (topology: mesh(radices: [16, 32]),\nswitch: ({switch})), workload: [messages([\n\
             (cycle: 0, source: 9, destinations: [{destinations}], encoding: {encoding}, payload_flits: 4)])])"
        )
    };
    assert_eq!(
        refused(&mesh("fifo_depth: 2", "bit_string", "1")),
        "x.ron:2:10: bit_string needs 8 header flits (512 nodes / 64 bits) but fifo_depth is 2; at least 8"
    );
    assert_eq!(
        refused(&mesh("", "bit_string", "1")),
        "x.ron:3:42: bit_string needs 8 header flits (512 nodes / 64 bits) but fifo_depth is 4; at least 8"
    );
    assert_eq!(
        refused(&mesh("flit_bits: 8, fifo_depth: 1", "unicast", "1")),
        "x.ron:2:24: unicast needs 2 header flits (9 address bits / 8 bits) but fifo_depth is 1; at least 2"
    );
    assert_eq!(
        refused(&mesh("flit_bits: 8, fifo_depth: 3", "multidestination", "1, 2, 3")),
        "x.ron:2:24: multidestination needs 4 header flits (2 * 9 address bits / 8 bits) but fifo_depth is 3; \
         at least 4"
    );
    assert!(from_text("x.ron", &mesh("flit_bits: 8, fifo_depth: 2", "multidestination", "1"), &[]).is_ok());
    assert!(from_text("x.ron", &mesh("fifo_depth: 2, header_timing: overlapped", "bit_string", "1"), &[]).is_ok());
    let set = ["network.switch.fifo_depth=7".to_owned()];
    assert_eq!(
        from_text("x.ron", &mesh("fifo_depth: 9", "bit_string", "1"), &set).unwrap_err().to_string(),
        "--set network.switch.fifo_depth=7: bit_string needs 8 header flits (512 nodes / 64 bits) but fifo_depth is 7; \
         at least 8"
    );
}

#[test]
fn sequential_replication_needs_whole_worms_in_the_fifo() {
    let multicast = "messages([(cycle: 0, source: 9, destinations: [1, 2], encoding: bit_string, payload_flits: 4)])";
    assert_eq!(
        refused_with("replication: sequential, fifo_depth: 4", multicast),
        "x.ron:2:35: sequential replication keeps a whole worm in one FIFO: 1 header and 4 payload flits but fifo_depth is 4; \
         at least 5"
    );
}

#[test]
fn tables_of_reachability_bits_are_limited() {
    let text = "(network: (topology: mesh(radices: [128, 128]),\nreach_limit_mib: 100, switch: (fifo_depth: 256)), \
                workload: [traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 4)])";
    assert_eq!(
        refused(text),
        "x.ron:2:1: bit_string worms need 160 MiB of reachability bits but reach_limit_mib is 100; at least 160"
    );
}

#[test]
fn random_traffic_is_checked() {
    for load in ["0", "-1", "1.5", "inf", "NaN"] {
        assert_eq!(
            refused_traffic(&format!("load: {load}")),
            format!(
                "x.ron:3:38: load is {load}; allowed: above 0, up to 1 flits per node and cycle (injection_channels)"
            )
        );
    }
    assert_eq!(
        refused_traffic("load: 0.1, destinations: 16, encoding: bit_string"),
        "x.ron:3:49: destinations is 16; allowed: 1 to 15 (other nodes of 16)"
    );
    assert_eq!(
        refused_traffic("load: 0.1, destinations: 2"),
        "x.ron:3:49: unicast takes one destination, not 2; allowed: bit_string"
    );
    assert_eq!(
        refused_traffic("load: 0.1, destinations: 2, encoding: multidestination"),
        "x.ron:3:66: random multidestination multicasts are split into two worms, up and down the Hamiltonian path \
         (dual-path), which needs routing: label_order; allowed: bit_string"
    );
    assert_eq!(
        refused_traffic("load: 0.1, destinations: 2, encoding: bit_string, pattern: tornado"),
        "x.ron:3:88: a pattern is for one destination but destinations is 2; allowed: uniform"
    );
    assert_eq!(
        refused_traffic("load: 0.1, pattern: hot_spot(nodes: [], share: 0.1)"),
        "x.ron:3:67: no hot nodes; at least one is needed"
    );
    assert_eq!(
        refused_traffic("load: 0.1, pattern: hot_spot(nodes: [3, 16], share: 0.1)"),
        "x.ron:3:78: node 16 is outside the network; allowed: 0 to 15 (16 nodes)"
    );
    assert_eq!(
        refused_traffic("load: 0.1, pattern: hot_spot(nodes: [3], share: 1.1)"),
        "x.ron:3:79: share is 1.1; allowed: 0 to 1"
    );
    let on = |topology: &str, pattern: &str| {
        refused(&format!(
            "(network: (topology: {topology}), workload: [\ntraffic(load: 0.1, payload_flits: 4, pattern: {pattern})])"
        ))
    };
    assert_eq!(
        on("mesh(radices: [4, 8])", "transpose"),
        "x.ron:2:38: transpose needs two dimensions of equal radix but they are [4, 8]"
    );
    assert_eq!(
        on("linear(nodes: 6)", "bit_reversal"),
        "x.ron:2:38: bit_reversal needs a power of two of nodes but the network has 6"
    );
    assert_eq!(
        on("linear(nodes: 6)", "shuffle"),
        "x.ron:2:38: shuffle needs a power of two of nodes but the network has 6"
    );
    assert_eq!(
        on("linear(nodes: 1)", "uniform"),
        "x.ron:2:1: random traffic needs a second node to send to; the network has 1 node"
    );
}

#[test]
fn examples_are_valid_and_show_every_field_and_mention_every_variant() {
    let texts: String = KINDS.iter().map(|kind| example(kind).unwrap()).collect();
    let code: String = texts.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    for kind in KINDS {
        from_text(kind, example(kind).unwrap(), &[]).unwrap();
    }
    let (mut fields, mut variants) = (0, 0);
    let schema = [
        include_str!("../../network/parameters.rs"),
        include_str!("../draw.rs").split_inclusive("\n}\n").next().unwrap(),
        include_str!("../mod.rs"),
        include_str!("../groups.rs"),
        include_str!("../multicast.rs"),
        include_str!("../run.rs"),
        include_str!("../settings.rs"),
        include_str!("../spmd.rs"),
        include_str!("../items.rs"),
    ]
    .concat();
    let is_data = |item: &&str| !item.lines().any(|line| line.starts_with("impl") || line.starts_with("fn "));
    let lines = schema.split("\n}\n").filter(is_data).flat_map(str::lines);
    for line in lines.filter(|line| line.starts_with("    ")).map(str::trim) {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let name = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
        if name.starts_with(char::is_lowercase) && line[name.len()..].starts_with(": ") {
            assert!(code.contains(&format!("{name}: ")), "no example shows {name}");
            fields += 1;
        } else if name.starts_with(char::is_uppercase) && name != "Self" {
            assert!(texts.contains(&ron::snake_case(name)), "no example mentions {name}");
            variants += 1;
        }
    }
    let words = [
        &Encoding::ALL.map(Encoding::name)[..],
        &HeaderTiming::ALL.map(HeaderTiming::name),
        &Replication::ALL.map(Replication::name),
        &Acquisition::ALL.map(Acquisition::name),
        &Arbiter::ALL.map(Arbiter::name),
        &Release::ALL.map(Release::name),
        &TokenSpan::ALL.map(TokenSpan::name),
        &Routing::ALL.map(Routing::name),
        &Drain::ALL.map(Drain::name),
    ];
    for word in words.concat() {
        assert!(texts.contains(word), "no example mentions {word}");
        variants += 1;
    }
    assert!(fields > 50 && variants > 25, "{fields} fields, {variants} variants");
    assert_eq!(
        example("tours").unwrap_err().to_string(),
        "no example \"tours\"; did you mean \"torus\"? allowed: mesh, torus, linear, uni_min, bi_min, two_sided, \
         netlist, custom, multicast, groups, software, traffic, trace"
    );
}

#[test]
fn groups_are_checked_and_what_keeps_to_one_fits_into_it() {
    let refused = |groups: &str, workload: &str| {
        let text =
            format!("(network: (topology: mesh(radices: [4, 4])),\ngroups: [\n{groups}],\nworkload: [\n{workload}])");
        from_text("x.ron", &text, &[]).map(|_| ()).unwrap_err().to_string()
    };
    for (groups, why) in [
        (
            "(name: \"\", nodes: rest)",
            "name is empty; allowed: any other name, by which entries of the workload refer to the group",
        ),
        (
            "(name: \"a\", nodes: rest), (name: \"a\", nodes: random(2))",
            "a second group \"a\"; allowed: each name once",
        ),
        ("(name: \"a\", nodes: listed([]))", "no nodes in group \"a\"; at least one is needed"),
        ("(name: \"a\", nodes: listed([3, 16]))", "node 16 is outside the network; allowed: 0 to 15 (16 nodes)"),
        ("(name: \"a\", nodes: listed([3, 2, 3]))", "node 3 is given twice; each is allowed once"),
        (
            "(name: \"a\", nodes: listed([3])), (name: \"b\", nodes: listed([2, 3])), (name: \"c\", nodes: random(15))",
            "random is 15; allowed: 1 to 14 (nodes that are in no other group)",
        ),
        (
            "(name: \"a\", nodes: random(15)), (name: \"b\", nodes: listed([2, 3]))",
            "random is 15; allowed: 1 to 14 (nodes that are in no other group)",
        ),
        ("(name: \"a\", nodes: random(0))", "random is 0; allowed: 1 to 16 (nodes that are in no other group)"),
        (
            "(name: \"a\", nodes: rest), (name: \"b\", nodes: rest)",
            "a second rest; the first is in groups[0]; allowed: one",
        ),
        (
            "(name: \"a\", nodes: random(16)), (name: \"b\", nodes: rest)",
            "no nodes are left of 16; allowed: smaller groups, or no rest",
        ),
    ] {
        let error = refused(groups, "");
        assert!(error.starts_with("x.ron:3:") && error.ends_with(why), "{error}");
    }
    let groups = "(name: \"one\", nodes: listed([5])), (name: \"drawn\", nodes: random(4)), (name: \"some\", nodes: \
                  listed([1, 2, 3]))";
    for (workload, why) in [
        (
            "traffic(group: \"drwan\", load: 0.1, payload_flits: 4)",
            "x.ron:5:9: no group \"drwan\"; did you mean \"drawn\"? allowed: a name in groups: \"one\", \"drawn\", \"some\"",
        ),
        (
            "multicasts(group: \"one\", count: 1, algorithm: \"u_mesh\", bytes: 4)",
            "x.ron:5:12: group \"one\" has 1 node; allowed: at least 2 nodes",
        ),
        (
            "multicasts(group: \"drawn\", count: 1, destinations: 4, algorithm: \"u_mesh\", bytes: 4)",
            "destinations is 4; allowed: 1 to 3 (other nodes of 4)",
        ),
        (
            "multicasts(group: \"drawn\", count: 5, algorithm: \"u_mesh\", bytes: 4)",
            "count is 5; allowed: 1 to 4 (each needs a different source)",
        ),
        (
            "traffic(group: \"drawn\", pattern: transpose, load: 0.1, payload_flits: 4)",
            "a permutation leads out of group \"drawn\"; allowed with a group: uniform, hot_spot, neighbours, row, column, \
             rectangle",
        ),
        (
            "traffic(group: \"some\", pattern: hot_spot(nodes: [1, 5], share: 0.1), load: 0.1, payload_flits: 4)",
            "node 5 is not in group \"some\"; allowed: hot nodes of the group",
        ),
        (
            "traffic(group: \"drawn\", pattern: hot_spot(nodes: [1], share: 0.1), load: 0.1, payload_flits: 4)",
            "the nodes of group \"drawn\" are drawn from the seed, so that node 1 may not be one; allowed: hot nodes \
             of a group with listed nodes",
        ),
    ] {
        let error = refused(groups, workload);
        assert!(error.ends_with(why), "{error}");
    }
    assert!(
        refused("", "traffic(group: \"a\", load: 0.1, payload_flits: 4)")
            .ends_with("no group \"a\"; groups is empty; allowed: None, or a name that you add to groups")
    );
}

#[test]
fn deliveries_of_random_multicasts_are_counted_past_64_bits() {
    let multicasts = "multicasts(count: 16777216, destinations: 16777215, times: 1000000, algorithm: \"sequential\", payload_flits: 1)";
    let text = format!("(network: (topology: mesh(radices: [4096, 4096])),\nworkload: [{multicasts}])");
    assert_eq!(
        from_text("x.ron", &text, &[]).unwrap_err().to_string(),
        "x.ron:2:64: 1000000 times 16777216 multicasts to 16777215 nodes are more than 10^19 deliveries; allowed: up to 4194304"
    );
}

#[test]
fn not_all_multicasts_are_skipped() {
    let error = refused_with("", "multicast(source: 0, algorithm: \"u_mesh\", bytes: 4, times: 5, skip: 5)");
    assert!(error.ends_with("skip is 5; allowed: 0 to 4 (fewer than times)"), "{error}");
}

#[test]
fn programs_are_checked() {
    let refused = |workload: &str| {
        let text = format!(
            "(network: (topology: mesh(radices: [4, 4]), node: (costs: (), send_buffer: 64)), groups: [(name: \"a\", nodes: \
             random(8)), (name: \"c\", nodes: listed([1, 2])), (name: \"d\", nodes: listed([2, 3]))],\nworkload: [{workload}])"
        );
        from_text("x.ron", &text, &[]).map(|_| ()).unwrap_err().to_string()
    };
    for (workload, why) in [
        ("spmd(compute: 0.5, bytes: exactly(4))", "x.ron:2:17: compute is 0.5; allowed: 1 to 1000000000 cycles"),
        ("spmd(compute: 9.0, bytes: exactly(0))", "x.ron:2:38: exactly is 0; allowed: 1 to 16777216 bytes"),
        (
            "spmd(compute: 9.0, bytes: uniform(least: 1, most: 65))",
            "a message of 72 bytes but send_buffer is 64; at least 72",
        ),
        (
            "spmd(group: \"b\", compute: 9.0, bytes: exactly(4))",
            "no group \"b\"; allowed: a name in groups: \"a\", \"c\", \"d\"",
        ),
        (
            "spmd(group: \"a\", pattern: tornado, compute: 9.0, bytes: exactly(4))",
            "a permutation leads out of group \"a\"; allowed with a group: uniform, hot_spot",
        ),
        (
            "spmd(group: \"a\", compute: 9.0, bytes: exactly(4)), spmd(compute: 9.0, bytes: exactly(4))",
            "a second program on nodes of workload[0]; allowed: one program for each node, in a group of its own",
        ),
        (
            "spmd(group: \"c\", compute: 9.0, bytes: exactly(4)), spmd(group: \"d\", compute: 9.0, bytes: exactly(4))",
            "a second program on nodes of workload[0]; allowed: one program for each node, in a group of its own",
        ),
    ] {
        let error = refused(workload);
        assert!(error.ends_with(why), "{error}");
    }
    assert!(refused_with("", "spmd(compute: 9.0, bytes: exactly(4))").ends_with(
        "programs need processors, and the nodes have none; give network.node.costs, send_buffer or receive_buffer"
    ));
}

#[test]
fn two_groups_multicast_at_once_amid_a_third() {
    // [NUPAIROJ] section 6.4.5.
    let text = "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"a\", nodes: random(16)), (name: \"b\", nodes: \
                random(16)), (name: \"rest\", nodes: rest)], workload: [multicasts(group: \"a\", count: 1, algorithm: \
                \"opt_mesh\", bytes: 64), multicasts(group: \"b\", count: 1, algorithm: \"opt_mesh\", bytes: 64), \
                traffic(group: \"rest\", load: 0.1, payload_flits: 8)])";
    let experiment = from_text("x.ron", text, &[]).unwrap().experiment;
    assert_eq!((experiment.groups.len(), experiment.workload.len()), (3, 3));
    assert_eq!(from_text("x.ron", &experiment.text(), &[]).unwrap().experiment, experiment);
}

#[test]
fn the_mesh_example_shows_the_defaults() {
    let shown = from_text("mesh", example("mesh").unwrap(), &[]).unwrap().experiment;
    let bare = from_text("bare", "(network: (topology: mesh(radices: [8, 8])))", &[]).unwrap().experiment;
    let bare = Network { routing: Some(bare.network.routing()), ..bare.network };
    assert_eq!((shown.network, shown.run), (bare, Run::default()));
}

#[test]
fn the_hash_follows_the_experiment_and_not_its_spelling() {
    let hash = |text: &str, sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(ToString::to_string).collect();
        from_text("x.ron", text, &sets).unwrap().hash
    };
    let short = "(network: (topology: mesh(radices: [4, 4])))";
    let long =
        "// same\nExperiment(network: (switch: (fifo_depth: 0x4), topology: mesh(radices: [4, 4,])), run: (seed: 1))";
    assert_eq!(hash(short, &[]), hash(long, &[]));
    assert_eq!(hash(short, &["run.seed=1"]), hash(short, &[]));
    assert_eq!(hash(short, &["network.routing=dimension_order"]), hash(short, &[]));
    assert_ne!(hash(short, &["run.seed=2"]), hash(short, &[]));
    assert_eq!(hash(short, &[]).len(), 16);
}
