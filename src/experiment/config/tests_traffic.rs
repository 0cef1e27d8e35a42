//! Tests of random traffic: its draws, and the entries that are refused.

use super::from_text;
use crate::experiment::{Draw, Workload};

/// The error of random traffic on a 4x4 mesh, without its place.
fn refused(traffic: &str) -> String {
    let text = format!("(network: (topology: mesh(radices: [4, 4])), workload: [\ntraffic({traffic})])");
    let error = from_text("x.ron", &text, &[]).map(|loaded| loaded.experiment).unwrap_err().to_string();
    let line = error.strip_prefix("x.ron:2:").unwrap_or_else(|| panic!("{error}"));
    line.split_once(": ").unwrap().1.to_owned()
}

#[test]
fn lengths_and_counts_are_given_or_drawn_and_not_both() {
    for (traffic, why) in [
        ("load: 0.1", "no length; payload_flits or lengths is needed"),
        (
            "load: 0.1, payload_flits: 4, lengths: exactly(4)",
            "both payload_flits and lengths are given; one is allowed",
        ),
        (
            "load: 0.1, payload_flits: 4, encoding: bit_string, destinations: 1, counts: exactly(4)",
            "both destinations and counts are given; one is allowed",
        ),
        ("load: 0.1, lengths: exactly(0)", "exactly is 0; allowed: 1 to 16777214 flits"),
        ("load: 0.1, lengths: uniform(least: 9, most: 4)", "least is 9 but most is 4; allowed: 1 to 4 flits"),
        (
            "load: 0.1, payload_flits: 4, encoding: bit_string, counts: uniform(least: 1, most: 16)",
            "most is 16; allowed: 1 to 15 (other nodes of 16)",
        ),
        (
            "load: 0.1, payload_flits: 4, encoding: bit_string, counts: normal(mean: 8, deviation: 80, least: 1, most: 15)",
            "deviation is 80.0; allowed: above 0, up to 15 (the width of the range)",
        ),
        (
            "load: 0.1, payload_flits: 4, counts: uniform(least: 1, most: 3)",
            "unicast takes one destination, not 3; allowed: bit_string",
        ),
        (
            "load: 0.1, payload_flits: 4, encoding: bit_string, counts: exactly(2), pattern: tornado",
            "a pattern is for one destination but counts is up to 2; allowed: uniform",
        ),
        (
            "load: 0.1, payload_flits: 4, lengths: gaussian(mean: 3)",
            "unknown draw \"gaussian\"; allowed: exactly, uniform, normal",
        ),
        ("load: 0.1, lengths: uniform(least: 1, most: 16777215)", "most is 16777215; allowed: 1 to 16777214 flits"),
    ] {
        assert_eq!(refused(traffic), why, "{traffic}");
    }
}

#[test]
fn patterns_of_sets_lists_and_matrices_are_checked() {
    for (traffic, why) in [
        ("pattern: row", "unicast takes one destination, not 3; allowed: bit_string, mask, coordinate_mask"),
        ("pattern: rows", "unknown pattern \"rows\"; did you mean \"row\"?"),
        (
            "pattern: row, encoding: bit_string, destinations: 3",
            "destinations has no effect with pattern: row, which gives the set",
        ),
        ("pattern: rectangle(width: 5, height: 1)", "width is 5; allowed: 1 to 4 (nodes of a row)"),
        ("pattern: rectangle(width: 2, height: 0)", "height is 0; allowed: 1 to 4 (nodes of a column)"),
        (
            "pattern: rectangle(width: 1, height: 1)",
            "no node has another node in its rectangle; allowed: a pattern that leads to another node",
        ),
        (
            "pattern: rectangle(width: 3, height: 1), encoding: mask",
            "from node 0: the smallest mask that covers these destinations leads to node 3 too",
        ),
        ("pattern: neighbours, encoding: coordinate_mask", "from node 0: the smallest coordinate_mask"),
        ("pattern: row, encoding: multidestination", "random multidestination multicasts are split into two worms"),
        ("pattern: permutation([1, 0])", "2 destinations; allowed: 16, one for each node"),
        ("pattern: permutation([1, 1])", "node 1 is given twice; each is allowed once"),
        ("pattern: permutation([16])", "node 16 is outside the network; allowed: 0 to 15 (16 nodes)"),
        ("pattern: matrix()", "neither file nor text is given; allowed: one of them, with the weights as CSV"),
        (
            "pattern: matrix(text: \"source,destination,weight\\n0,x,1\")",
            "text:2:3: destination: expected a node from 0 to 15, found \"x\"",
        ),
        (
            "pattern: matrix(text: \"source,destination,weight\\n3,1,1\")",
            "load is 0.1 but node 3 sends 16 times the mean; allowed: above 0, up to 0.0625 flits per node and cycle",
        ),
    ] {
        let found = refused(&format!("load: 0.1, payload_flits: 4, {traffic}"));
        assert!(found.starts_with(why), "{traffic}: {found}");
    }
    let in_multistage = |traffic: &str| {
        let text = format!(
            "(network: (topology: bi_min(switch_ports: 4, stages: 2)), workload: [traffic(load: 0.1, payload_flits: 4, {traffic})])"
        );
        from_text("x.ron", &text, &[]).map(|_| ()).unwrap_err().to_string()
    };
    assert!(in_multistage("pattern: column").contains("column needs a mesh or torus"));
    assert!(in_multistage("process: steps(dimension: 0)").contains("steps needs dimensions"));
    let drawn = "(network: (topology: mesh(radices: [4, 4])), groups: [(name: \"a\", nodes: random(9))], workload: [\
                 traffic(load: 0.1, payload_flits: 4, group: \"a\", pattern: row, encoding: mask)])";
    let why = from_text("x.ron", drawn, &[]).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("the nodes of the group are drawn from the seed"), "{why}");
    let program = "(network: (topology: mesh(radices: [4, 4]), node: (costs: ())), workload: [spmd(compute: 100, \
                   bytes: exactly(8), pattern: row)])";
    let why = from_text("x.ron", program, &[]).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("a program sends unicasts, and row is for traffic; allowed: uniform"), "{why}");
}

#[test]
fn processes_and_windows_are_checked() {
    for (traffic, why) in [
        ("process: on_off(on: 0.5, off: 10)", "on is 0.5; allowed: 1 to 1000000000000 cycles"),
        ("process: on_off(on: 5)", "missing field"),
        ("process: pareto(on: 9, off: 10, shape: 1)", "shape is 1; allowed: above 1, up to 100"),
        ("process: on_of(on: 9, off: 10)", "unknown process \"on_of\"; did you mean \"on_off\"?"),
        ("process: steps(dimension: 2)", "dimension is 2; allowed: 0 to 1"),
        ("from: 10, until: 10", "traffic from cycle 10 until 10; allowed: until a later cycle"),
        ("until: 0", "traffic from cycle 0 until 0; allowed: until a later cycle"),
    ] {
        let found = refused(&format!("load: 0.1, payload_flits: 4, {traffic}"));
        assert!(found.starts_with(why), "{traffic}: {found}");
    }
    let rare = refused("interval: 100000, payload_flits: 4, process: on_off(on: 5, off: 15)");
    assert!(
        rare.starts_with("on is 5 but a burst has 0.0002 messages on the mean; allowed: at least 0.001 messages"),
        "{rare}"
    );
}

#[test]
fn a_load_or_an_interval_is_given() {
    for (traffic, why) in [
        ("", "no load; load or interval is needed"),
        ("load: 0.1, interval: 50", "both load and interval are given; one is allowed"),
        (
            "interval: 4.5",
            "interval is 4.5; allowed: 5 to 1000000000000000000 cycles (5 flits a message through 1 injection_channels)",
        ),
        (
            "interval: NaN",
            "interval is NaN; allowed: 5 to 1000000000000000000 cycles (5 flits a message through 1 injection_channels)",
        ),
        (
            "interval: inf",
            "interval is inf; allowed: 5 to 1000000000000000000 cycles (5 flits a message through 1 injection_channels)",
        ),
    ] {
        assert_eq!(refused(&format!("payload_flits: 4, {traffic}")), why, "{traffic}");
    }
    let on = |node: &str, traffic: &str| {
        let text = format!(
            "(network: (topology: mesh(radices: [4, 4]), node: ({node})), workload: [traffic(payload_flits: 4, {traffic})])"
        );
        from_text("x.ron", &text, &[]).map(|loaded| loaded.experiment.workload).map_err(|error| error.to_string())
    };
    assert!(on("", "interval: 5").is_ok());
    let why = on("injection_channels: 8", "interval: 0.5").unwrap_err();
    assert!(why.ends_with("(a bernoulli process creates at most one message per node and cycle)"), "{why}");
    assert!(on("injection_channels: 8", "interval: 0.625, process: exponential").is_ok());
}

#[test]
fn an_algorithm_of_traffic_is_checked_as_any() {
    let of = |more: &str| refused(&format!("load: 0.1, payload_flits: 4, destinations: 3, {more}"));
    assert_eq!(
        of("settings: (nu: 1)"),
        "settings has no effect without algorithm; leave settings out, or give \
         algorithm"
    );
    assert!(of("algorithm: \"u_mash\"").starts_with("unknown algorithm \"u_mash\"; did you mean \"u_mesh\"?"));
    assert!(of("algorithm: \"c_min\"").ends_with("it needs a unidirectional multistage network"));
    assert_eq!(
        of("algorithm: \"u_mesh\", settings: (candidates: 9)"),
        "u_mesh has no candidates; allowed: hold and end, log_p, postal"
    );
    assert_eq!(of("algorithm: \"binomial\", settings: (hold: 1)"), "hold and end are given together or not at all");
    assert!(of("algorithm: \"binomial\", encoding: multiport").starts_with("a multiport header"));
    let text = "(network: (topology: uni_min(switch_ports: 2, stages: 3)), workload: [traffic(load: 0.1, payload_flits: 4, \
                destinations: 3, algorithm: \"c_min\", settings: (candidates: 0))])";
    let none = from_text("x.ron", text, &[]).map(|_| ()).unwrap_err().to_string();
    assert!(none.contains("candidates is 0; allowed: 1 or more"), "{none}");
    assert!(from_text("x.ron", &text.replace("candidates: 0", "candidates: 1"), &[]).is_ok());
}

#[test]
fn the_longest_worm_that_may_be_drawn_has_to_fit() {
    let text = "(network: (topology: mesh(radices: [4, 4]), switch: (replication: sequential, fifo_depth: 16)), workload: [
        traffic(load: 0.1, encoding: bit_string, counts: uniform(least: 1, most: 3), lengths: uniform(least: 1, most: 16))])";
    let error = from_text("x.ron", text, &[]).unwrap_err().to_string();
    assert!(error.contains("1 header and 16 payload flits but fifo_depth is 16; at least 17"), "{error}");
    from_text("x.ron", &text.replace("most: 16", "most: 15"), &[]).unwrap();
}

#[test]
fn what_is_drawn_is_overridden_field_by_field() {
    let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, lengths: uniform(least: 1, most: 9))])";
    let set = |set: &str| {
        let loaded = from_text("x.ron", text, &[set.to_owned()]).unwrap();
        let Workload::Traffic(traffic) = &loaded.experiment.workload[0] else { panic!("traffic") };
        traffic.length()
    };
    assert_eq!(set("workload[0].traffic.lengths.uniform.most=5"), Draw::Uniform { least: 1, most: 5 });
    assert_eq!(set("workload[0].traffic.lengths=exactly(3)"), Draw::Exactly(3));
}

#[test]
fn hashes_are_older_than_what_is_drawn() {
    let text = "(network: (topology: mesh(radices: [4, 4]), switch: (replication: buffered, fifo_depth: 16)), \
                workload: [traffic(load: 0.1, payload_flits: 4), traffic(load: 0.1, destinations: 3, encoding: bit_string, \
                payload_flits: 4), multicasts(count: 3, destinations: 5, algorithm: \"binomial\", bytes: 64), \
                multicast(source: 3, algorithm: \"binomial\", bytes: 64), messages([(cycle: 0, source: 1, destinations: [2], \
                payload_flits: 4)])])";
    let hash = |text: &str| from_text("x.ron", text, &[]).unwrap().hash;
    assert_eq!(hash(text), "36d7c7bfb0e9fbb2");
    assert_eq!(hash(&text.replacen("payload_flits", "destinations: 1, payload_flits", 1)), "36d7c7bfb0e9fbb2");
    assert_ne!(hash(&text.replacen("payload_flits: 4", "lengths: exactly(4)", 1)), "36d7c7bfb0e9fbb2");
}

#[test]
fn the_hash_of_a_netlist_is_older_than_spreading() {
    let text = "(network: (topology: netlist(text: \"switch a b\\nlink a.0 b.0\\nlink a.1 b.1\\nnode a.2\\nnode b.2\")), \
                workload: [messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 4)])])";
    let hash = |sets: &[String]| from_text("x.ron", text, sets).unwrap().hash;
    assert_eq!(hash(&[]), "3dc59a2dbe3b658b");
    assert_ne!(hash(&["netlist.spread=true".to_owned()]), hash(&[]));
}

#[test]
fn classes_have_names_of_their_own() {
    let of = |class: &str| refused(&format!("load: 0.1, payload_flits: 4, class: \"{class}\""));
    for class in ["all", "unicast", "multicast", "bit_string", "multiport", "software"] {
        assert_eq!(of(class), format!("\"{class}\" is the name of a built-in class; allowed: any other name"));
    }
    for class in ["", "a.b", "a b", "\u{e9}"] {
        assert_eq!(of(class), "a class is named with letters, digits, _ and -, at least one", "{class}");
    }
    let message =
        |class: &str| format!("(cycle: 0, source: 1, destinations: [2], payload_flits: 4, class: \"{class}\")");
    let text = |messages: &str| {
        format!("(network: (topology: mesh(radices: [4, 4])), workload: [messages([{}, {messages}])])", message("x"))
    };
    let load = |text: &str| from_text("x.ron", text, &[]).map_err(|error| error.to_string());
    assert_eq!(load(&text(&message("y"))).unwrap().experiment.classes(), ["x", "y"]);
    let why = load(&text(&message("unicast"))).unwrap_err();
    assert!(why.contains(": \"unicast\" is the name of a built-in class"), "{why}");
    let many: String = (0..255).map(|n| message(&format!("c{n}")) + ",").collect();
    assert!(load(&text(&many)).unwrap_err().ends_with("256 classes; allowed: up to 255"));
}
