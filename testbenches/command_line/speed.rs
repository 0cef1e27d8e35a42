//! `benches/paired.py`, the part of `make bench` that measures whole runs.

use std::process::Command;

use super::{Bench, Call, finish, repository};

/// Calls the script with few cycles. Results go into the folder `speed` of a bench.
fn quick(bench: &Bench, program: &str) -> Call {
    let mut command = Command::new("python3");
    command.arg(repository().join("benches/paired.py")).args([program, "--quick", "-o"]).arg(bench.path("speed"));
    finish(&mut command)
}

#[test]
fn a_quick_measurement_has_each_network_and_draws_the_sizes() {
    let bench = Bench::new();
    let table = quick(&bench, env!("CARGO_BIN_EXE_wormscope")).ends(0);
    let csv = bench.read("speed/speed.csv");
    for row in ["mesh 8x8, load 0.21", "mesh 128x128", "mesh 16x16, trees", "BI-MIN of 64 nodes, ATBM"] {
        assert!(table.contains(row) && csv.contains(row), "{row}: {table}{csv}");
    }
    assert!(table.contains("bytes per router"), "{table}");
    assert!(bench.read("speed/speed.md").contains("\n| mesh 8x8, load 0.21 | "), "{}", bench.read("speed/speed.md"));
    assert!(bench.read("speed/cost.svg").ends_with("</svg>\n"));
}

#[test]
fn a_measurement_without_its_program_is_refused() {
    let refused = quick(&Bench::new(), "/no/wormscope").refused();
    assert_eq!(refused, "/no/wormscope is no program (now)");
}
