//! `wormscope search`: the deadlocks of the papers from bare networks, properties, late worms.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::Bench;

/// Searches a network, and runs the testbench that it writes. Returns the worms that it found.
#[track_caller]
fn deadlocks(bench: &Bench, network: &str, options: &str) -> usize {
    bench.write("bare.ron", format!("(network: {network})"));
    let told = bench.line(&format!("search bare.ron {options} -o found.ron --json found.json")).ends(3);
    bench.line("test found.ron").ends(0);
    bench.line("deadlock found.ron --before 0").ends(3);
    let found: Value = serde_json::from_str(&bench.read("found.json")).expect("JSON");
    let worms = found["worms"].as_array().expect("worms").len();
    assert!(told.contains(&format!("found: {worms} worms deadlock")), "{told}");
    worms
}

/// The switches of the lanes for which worms of the deadlock of `found.ron` wait, and the number of
/// these worms.
#[track_caller]
fn waits(bench: &Bench) -> (Vec<String>, usize) {
    bench.line("deadlock found.ron --before 0 --bound 0 --time-limit 1 --json story.json").ends(3);
    let story: Value = serde_json::from_str(&bench.read("story.json")).expect("JSON");
    let of = |name: &str| story["deadlock"][name].as_array().expect("worms").clone();
    let worms = [of("cycle"), of("also")].concat();
    let lanes = worms.iter().flat_map(|worm| worm["wants"].as_array().expect("lanes"));
    let switch =
        |lane: &Value| lane["what"].as_str().and_then(|name| name.split('.').next()).expect("a lane").to_owned();
    let mut switches: Vec<String> = lanes.map(switch).collect();
    switches.sort();
    switches.dedup();
    (switches, worms.len())
}

#[test]
fn the_figures_of_the_paper_are_found_from_bare_networks() {
    let bench = Bench::new();
    let start = Instant::now();
    let baseline = "(topology: uni_min(kind: baseline, switch_ports: 2, stages: 3), switch: (fifo_depth: 4))";
    let trees = "--encoding bit_string --destinations 2 --payload 16";
    // A unicast turns an arbiter, and two trees wait for each other. Fig. 6 (a): in one switch of
    // the first stage. Fig. 6 (b): in one switch of the last stage.
    for (options, switch) in [("--from 0,1", "sw_s0_r0"), ("--to 6,7", "sw_s2_r3")] {
        assert_eq!(deadlocks(&bench, baseline, &format!("{trees} {options}")), 3);
        assert_eq!(waits(&bench), (vec![switch.to_owned()], 2));
    }
    // Fig. 6 (c): in two switches, although each switch gives a worm all its lanes at once. Nodes
    // that take a worm from each input leave the switches before them alone.
    let several = "--set acquisition=atomic --set consumption_channels=2";
    assert_eq!(deadlocks(&bench, baseline, &format!("{trees} {several}")), 3);
    let (switches, worms) = waits(&bench);
    assert!(switches.len() == 2 && switches.iter().all(|name| name.starts_with("sw_s1")), "{switches:?}");
    assert_eq!(worms, 2);
    // Fig. 7 (a): two virtual channels only need more worms.
    let channels = "(topology: uni_min(kind: baseline, switch_ports: 2, stages: 4), \
                    switch: (fifo_depth: 4, virtual_channels: 2), \
                    node: (virtual_channels: 1, consumption_channels: 4))";
    assert!(deadlocks(&bench, channels, &format!("{trees} --worms 8")) <= 6);
    let (switches, worms) = waits(&bench);
    assert!(switches.len() >= 2 && switches.iter().all(|name| !name.starts_with("sw_s3")), "{switches:?}");
    assert_eq!(worms, 4);
    assert!(start.elapsed() < Duration::from_mins(4), "each in less than a minute");
}

#[test]
fn two_worms_of_depth_and_two_flits_deadlock_floonoc() {
    let bench = Bench::new();
    let mesh = "(topology: mesh(radices: [4, 4]), switch: (flit_bits: 64, fifo_depth: 2, routing_cycles: 0, \
                arbiter: rr_tree, port_order: [\"north\", \"east\", \"south\", \"west\", \"node\"]))";
    // A worm of a mask has two header flits, and one of a bit string has one.
    for (encoding, payload) in [("mask", 2), ("bit_string", 3)] {
        let trees = format!("--encoding {encoding} --destinations 2 --payload {payload}");
        assert_eq!(deadlocks(&bench, mesh, &trees), 2, "{encoding}");
    }
}

#[test]
fn a_property_is_broken_by_the_fewest_worms() {
    let bench = Bench::with("line.ron", "(network: (topology: linear(nodes: 3)))");
    let line = "search line.ron --encoding unicast --worms 4 -o found.ron --property";
    let property = "never rt_1.in1.state == LANES";
    let told = bench.call(line.split_whitespace().chain([property])).ends(4);
    assert!(told.contains("found: 2 worms break the property"), "{told}");
    let told = bench.line("test found.ron").ends(4);
    assert!(told.contains("properties[0]"), "{told}");
    // The message shows the place in the property.
    let refused = bench.call(line.split_whitespace().chain(["never rt_9.in1.state == LANES"]));
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.starts_with("error: --property: no signal \"rt_9"), "{}", refused.err);
    assert!(refused.err.contains("no signal \"rt_9.in1.state\"; nearest names"), "{}", refused.err);
}

#[test]
fn the_latest_worm_is_later_than_one_that_is_alone() {
    let bench = Bench::with("mesh.ron", "(network: (topology: mesh(radices: [3, 3])))");
    let told = bench
        .line("search mesh.ron --maximise network_latency --encoding unicast --payload 4 --worms 5 --runs 400 --json a.json -o late.ron")
        .ends(0);
    let found: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
    assert!(told.contains("latest: ") && found["value"].as_u64() > Some(15), "{told}");
    assert!(found["worms"].as_array().expect("worms").iter().any(|worm| worm["cycle"] == 0), "{told}");
    // The testbench holds the latency, and its page is beside it.
    let late = bench.read("late.ron");
    assert!(late.contains(&format!("from: injected, until: tail, equal: {})]", found["value"])), "{late}");
    bench.line("test late.ron").ends(0);
    assert!(bench.read("late.html").contains("<html"));
    let again = bench
        .line("search mesh.ron --maximise network_latency --encoding unicast --payload 4 --worms 5 --runs 400 --json b.json")
        .ends(0);
    let worms = |told: &str| told.lines().filter(|line| line.contains("cycle")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(worms(&told), worms(&again), "the same seed finds the same worms");
}

#[test]
fn nothing_is_found_where_nothing_is_and_wrong_input_is_refused() {
    let bench = Bench::with("mesh.ron", "(network: (topology: mesh(radices: [2, 2])))");
    let told = bench.line("search mesh.ron --encoding unicast --runs 300 -o none.ron").ends(0);
    assert!(told.contains("found no deadlock with up to 6 worms") && told.contains("this is no proof"), "{told}");
    assert!(
        told.contains("\nworms of this search: unicast, 1 to 16 payload flits; the workload may send others\n"),
        "{told}"
    );
    assert!(!bench.path("none.ron").exists());
    for (line, why) in [
        ("search mesh.ron --encoding bitstring", "bit_string"),
        ("search mesh.ron --counting 2", "--maximise"),
        ("search mesh.ron --from 9", "9"),
        ("search mesh.ron --destinations 0", "1 to 64"),
        ("search mesh.ron --maximise speed", "network_latency"),
        (
            "search mesh.ron --encoding multiport",
            "allowed: unicast, bit_string, multidestination, mask, coordinate_mask",
        ),
        ("search mesh.ron --payload 5..2", "the range ends before it begins; did you mean 2..5?"),
        ("search mesh.ron --from 1 --to 1", "no worm has a destination"),
        ("search mesh.ron --encoding mask --destinations 4", "only 3 other nodes can receive"),
        // The encodings of the workload are not left out because of an option.
        ("search mesh.ron --destinations 4", "only 3 other nodes can receive"),
    ] {
        let message = bench.line(line).refused();
        assert!(message.contains(why), "{line}: {message}");
    }
}
