//! `wormscope search`: the deadlocks of the papers from bare networks, properties, late worms.

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

#[test]
fn the_figures_of_the_paper_are_found_from_bare_networks() {
    let bench = Bench::new();
    let baseline = |more: &str| {
        format!("(topology: uni_min(kind: baseline, switch_ports: 2, stages: 3), switch: (fifo_depth: 4{more}))")
    };
    // Fig. 6 (a): two trees in one switch. Fig. 6 (c): atomic acquisition leaves two switches.
    let trees = "--encoding bit_string --destinations 2 --payload 16";
    assert!(deadlocks(&bench, &baseline(""), trees) <= 3);
    assert!(deadlocks(&bench, &baseline(", acquisition: atomic"), trees) <= 3);
}

#[test]
fn two_trees_deadlock_a_mesh_with_xy_routing() {
    let bench = Bench::new();
    let mesh = "(topology: mesh(radices: [4, 4]), switch: (fifo_depth: 2))";
    let trees = "--encoding bit_string --destinations 2..3 --payload 1..6 --seed 2";
    assert_eq!(deadlocks(&bench, mesh, trees), 2);
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
    assert!(refused.err.contains("no signal \"rt_9.in1.state\"; nearest names"), "{}", refused.err);
}

#[test]
fn the_latest_worm_is_later_than_one_that_is_alone() {
    let bench = Bench::with("mesh.ron", "(network: (topology: mesh(radices: [3, 3])))");
    let told = bench
        .line("search mesh.ron --maximise network_latency --encoding unicast --payload 4 --worms 5 --runs 400 --json a.json")
        .ends(0);
    let found: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
    assert!(told.contains("latest: ") && found["value"].as_u64() > Some(15), "{told}");
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
    assert!(told.contains("found nothing") && told.contains("this is no proof"), "{told}");
    assert!(!bench.path("none.ron").exists());
    for (line, why) in [
        ("search mesh.ron --encoding bitstring", "bit_string"),
        ("search mesh.ron --counting 2", "--maximise"),
        ("search mesh.ron --from 9", "9"),
        ("search mesh.ron --destinations 0", "1 to 64"),
        ("search mesh.ron --maximise speed", "network_latency"),
    ] {
        let message = bench.line(line).refused();
        assert!(message.contains(why), "{line}: {message}");
    }
}
