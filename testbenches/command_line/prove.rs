//! `wormscope prove`: verdicts, witnesses, files and wrong input.

use serde_json::Value;

use super::{Bench, guides, repository};

/// A mesh of 2x2 nodes with FIFOs of two flits.
const MESH: &str = "(network: (topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2)))\n";

/// Two trees that each need both links of one switch, and a unicast that may turn an arbiter.
pub const TREES: &str =
    "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), switch: (fifo_depth: 2)),
    workload: [messages([
        (cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 6),
        (cycle: 0, source: 1, destinations: [0, 3], encoding: bit_string, payload_flits: 6),
    ])])\n";

fn json(bench: &Bench, name: &str) -> Value {
    serde_json::from_str(&bench.read(name)).expect("JSON")
}

#[test]
fn a_network_is_proved_or_has_a_witness_that_runs_repeat() {
    let bench = Bench::with("trees.ron", TREES);
    let told = bench.line("prove trees.ron -o found.ron --json found.json").ends(3);
    assert!(told.contains("violated: 2 worms deadlock") && told.contains("wrote found.ron"), "{told}");
    let found = json(&bench, "found.json");
    assert_eq!((&found["verdict"], &found["confirmed"]), (&Value::from("violated"), &Value::from(true)));
    bench.line("test found.ron").ends(0);
    bench.line("deadlock found.ron --before 0").ends(3);
    let told = bench.line("prove trees.ron --set acquisition=atomic --json free.json").ends(0);
    assert!(told.contains("proved within the bounds"), "{told}");
    let free = json(&bench, "free.json");
    assert_eq!((&free["verdict"], &free["frontier"]), (&Value::from("proved"), &Value::from(0)));
    // One worm alone cannot block.
    bench.line("prove trees.ron --worms 1").ends(0);
}

#[test]
fn unicasts_in_any_number_are_proved_and_a_ring_is_not() {
    let bench = Bench::new();
    bench.write("line.ron", "(network: (topology: linear(nodes: 2), switch: (fifo_depth: 2)))");
    let told = bench.line("prove line.ron --encoding unicast --payload 1..2").ends(0);
    assert!(told.contains("number of worms: any") && told.contains("proved within the bounds"), "{told}");
    bench.write("ring.ron", "(network: (topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2)))");
    let told = bench.line("prove ring.ron --encoding unicast --payload 4 --worms 4 -o ring4.ron").ends(3);
    assert!(told.contains("worms deadlock"), "{told}");
    bench.line("test ring4.ron").ends(0);
}

#[test]
fn a_witness_that_no_run_repeats_is_not_written_and_the_command_says_so() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: mesh(radices: [3, 2]),
                    switch: (fifo_depth: 2, replication: lockstep, arbiter: matrix)))",
    );
    let call = bench.line("prove x.ron --encoding bit_string --worms 2 -o w.ron");
    assert!(call.err.contains("warning: no run has this deadlock, so w.ron was not written"), "{}", call.err);
    let told = call.ends(3);
    assert!(told.contains("A run of these worms does not deadlock: "), "{told}");
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn a_limit_of_time_ends_a_search_within_a_state() {
    // Eight nodes each begin one of 28 worms or none, so the first state has 29^8 successors.
    let network = "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 3)))";
    let bench = Bench::with("atbm8.ron", network);
    let begun = std::time::Instant::now();
    let told = bench.line("prove atbm8.ron --encoding bit_string --time-limit 1").ends(4);
    assert!(told.contains("not finished: the limit of time"), "{told}");
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_search_that_was_kept_ends_as_one_without_a_break() {
    let bench = Bench::with("mesh.ron", MESH);
    let line = "prove mesh.ron --encoding bit_string --destinations 2 --payload 1 --worms 2";
    bench.line(&format!("{line} --json whole.json")).ends(0);
    for depth in [3, 5, 8] {
        let told = bench.line(&format!("{line} --depth {depth} --keep kept.bin")).ends(4);
        assert!(told.contains("not finished: the limit of cycles") && told.contains("kept in kept.bin"), "{told}");
    }
    bench.line(&format!("{line} --keep kept.bin --json parts.json")).ends(0);
    let (whole, resumed) = (json(&bench, "whole.json"), json(&bench, "parts.json"));
    for key in ["states", "transitions", "depth", "verdict"] {
        assert_eq!(whole[key], resumed[key], "{key}");
    }
    assert!(!bench.path("kept.bin").exists());
}

#[test]
fn wrong_input_is_refused_with_a_way_out() {
    let bench = Bench::with("mesh.ron", MESH);
    for (line, why) in [
        ("prove mesh.ron", "describe the worms by options, as in --encoding bit_string --payload 4"),
        ("prove mesh.ron --encoding bit_strings", "bit_string"),
        ("prove mesh.ron --encoding unicast --payload 4..2", "the range ends before it begins; did you mean 2..4?"),
        ("prove mesh.ron --encoding unicast --from 4", "4"),
        ("prove mesh.ron --encoding multiport", "the network allows no worm of these shapes"),
        ("prove mesh.ron --encoding unicast --set replication=synchronous", "synchronous"),
        ("prove mesh.ron --encoding unicast --set arbiter=oldest_first", "--set arbiter=round_robin"),
        ("prove mesh.ron --encoding unicast --set startup_cycles=3", "set it to 0"),
        ("prove mesh.ron --encoding unicast --memory 4", "16"),
        ("prove mesh.ron --payload 3", "--encoding"),
    ] {
        let message = bench.line(line).refused();
        assert!(message.contains(why), "{line}: {message}");
    }
    bench.write("kept.bin", "something else");
    let message = bench.line("prove mesh.ron --encoding unicast --keep kept.bin").refused();
    assert!(message.contains("no file that prove --keep wrote"), "{message}");
    assert_eq!(bench.read("kept.bin"), "something else");
    std::fs::create_dir(bench.path("folder")).expect("a folder");
    // A device has no end to read to; a folder that is missing is told before the search.
    for (keep, why) in [
        ("/dev/full", "--keep /dev/full: is no regular file"),
        ("folder", "--keep folder: is no regular file"),
        ("-", "--keep -: is no regular file"),
        ("missing/kept.bin", "there is no folder missing, create it first"),
        ("mesh.ron", "mesh.ron: is both"),
    ] {
        let message = bench.line(&format!("prove mesh.ron --encoding unicast --depth 2 --keep {keep}")).refused();
        assert!(message.contains(why), "{keep}: {message}");
    }
    bench.line("prove mesh.ron --encoding unicast --depth 2 --keep some.bin").ends(4);
    let whole = bench.bytes("some.bin");
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        bench.write("flipped.bin", &bytes);
        bench.line("prove mesh.ron --encoding unicast --keep flipped.bin").refused();
    }
    std::fs::remove_file(bench.path("flipped.bin")).expect("it is there");
    let message = bench.line("prove mesh.ron --encoding unicast --payload 5 --keep some.bin").refused();
    assert!(message.contains("other bounds"), "{message}");
    assert_eq!(bench.names(), ["folder", "kept.bin", "mesh.ron", "some.bin"]);
}

#[test]
fn a_testbench_with_random_worms_gives_the_bounds() {
    let bench = Bench::with(
        "random.ron",
        "(purpose: \"trees\", network: (topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2)),
          random: [(worms: 2, cycles: (0, 9), encodings: [(bit_string, 1)], destinations: (2, 2), payload_flits: (1, 1))],
          expect: (deadlock: never))",
    );
    let told = bench.line("prove random.ron").ends(0);
    assert!(told.contains("bit_string, multicasts to 2 destinations; payload 1 flit; "), "{told}");
    assert!(told.contains("at most 2 in all"), "{told}");
}

#[test]
fn a_full_device_loses_neither_the_verdict_nor_the_search() {
    let bench = Bench::with("mesh.ron", MESH);
    let call = bench.line("prove mesh.ron --encoding unicast --depth 2 --keep kept.bin --json /dev/full");
    assert!(call.out.contains("not finished: ") && call.out.contains("kept in kept.bin"), "{}", call.out);
    assert!(call.unwritten().starts_with("/dev/full: cannot be written: "));
    assert_eq!(bench.names(), ["kept.bin", "mesh.ron"]);
    let call = bench.line("search mesh.ron --encoding unicast --runs 20 --json /dev/full");
    assert!(call.out.contains("found no deadlock "), "{}", call.out);
    assert!(call.unwritten().starts_with("/dev/full: cannot be written: "));
}

#[test]
fn the_answers_of_the_page_are_proofs_and_witnesses() {
    let (ran, compared) = guides::follow(&repository().join("docs/explain/proofs-by-exhaustion.md"));
    assert!(ran >= 10 && compared >= 8, "{ran} blocks run, {compared} compared");
}

#[test]
fn an_encoding_without_a_worm_is_no_part_of_a_proof() {
    let bench = Bench::with("mesh.ron", MESH);
    let line = "prove mesh.ron --encoding unicast --encoding bit_string --destinations 9 --worms 1 --payload 1";
    let refused = bench.line(line).refused();
    assert!(refused.starts_with("mesh.ron: the network allows no bit_string worm of these shapes; "), "{refused}");
}
