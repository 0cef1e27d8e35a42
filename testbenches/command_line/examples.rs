//! Output of the examples of the library, in `examples/`.

use std::path::Path;
use std::process::Command;

use crate::{Bench, blocks, finish, repository};

/// Output of an example. `cargo test` builds all examples, but a run of a single test does not.
/// Then `cargo build --examples` builds them.
fn printed(name: &str) -> String {
    let example = Path::new(env!("CARGO_BIN_EXE_wormscope")).with_file_name("examples").join(name);
    finish(Command::new(example).current_dir(repository())).ends(0)
}

#[test]
fn the_page_of_the_library_begins_as_its_front_page_does() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("a page");
    let (page, front) = (read("docs/reference/library.md"), read("src/lib.rs").replace("//! ", ""));
    assert!(front.contains(blocks(&page, "rust")[0]), "the front page is tested, docs/reference/library.md is not");
}

#[test]
fn a_run_reads_its_numbers() {
    assert_eq!(
        printed("run"),
        "4x4 mesh, dimension order: done after 42 cycles\n\
         worm 0 to [3, 6, 7, 13, 14]: last tail after 41\n\
         alone in the network it would take 27\n\
         worm 1 at node 14: head in cycle 7, tail in cycle 23\n\
         worm 0 at node 13: head in cycle 9, tail in cycle 31\n\
         worm 0 at node 6: head in cycle 7, tail in cycle 36\n\
         worm 0 at node 7: head in cycle 9, tail in cycle 37\n\
         worm 0 at node 3: head in cycle 11, tail in cycle 38\n\
         worm 0 at node 14: head in cycle 25, tail in cycle 41\n"
    );
}

#[test]
fn a_sweep_prints_what_single_runs_measure() {
    let bench = Bench::with(
        "mesh.ron",
        "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.25, payload_flits: 15)], \
         run: (warmup_cycles: 500, measure_cycles: 2000))",
    );
    let mean = |depth: u32| {
        bench.line(&format!("run mesh.ron --set network.switch.fifo_depth={depth} --json r.json")).ends(0);
        let report: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        format!("{:.1}", report["packet_latency"]["mean"].as_f64().expect("a mean"))
    };
    let sweep = printed("sweep");
    let last: Vec<&str> = sweep.lines().last().expect("a row").split_whitespace().collect();
    assert_eq!(last, ["0.25", &mean(2), &mean(8)], "{sweep}");
    assert_eq!(sweep.lines().count(), 5, "{sweep}");
}

#[test]
fn a_deadlock_is_explained_as_the_command_line_explains_it_and_what_frees_it_does() {
    let config = repository().join("configs/atbm_fig6a_deadlock.ron").display().to_string();
    let told = Bench::new().call(["deadlock", &config, "--before", "0"]).ends(3);
    assert_eq!(printed("deadlock"), format!("{told}\nwith token ring: done after 52 cycles\n"));
}

#[test]
fn worms_driven_by_hand_are_seen_in_the_registers() {
    let text = printed("by_hand");
    let lines: Vec<&str> = text.lines().collect();
    // The tree holds the lane to node 1. It waits for the lane that the unicast holds, with its
    // FIFO full.
    assert_eq!(lines[8], "cycle  9: w1.4 w1.5 w1.6 | w1.0 w1.1 w1.2 w1.3 | w0.5 w0.6");
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "worm 0 at node 2: head in cycle 5, tail in cycle 11",
            "worm 1 at node 1: head in cycle 5, tail in cycle 16",
            "worm 1 at node 2: head in cycle 13, tail in cycle 19"
        ]
    );
}
