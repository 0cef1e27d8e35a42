//! Disks that are full: a clear error, and nothing half-written.

use std::process::Command;

use super::{Bench, Call, TRAFFIC};

/// Calls the binary where no file may grow beyond `kib` KiB: writes fail in the middle, as on a
/// full disk.
pub fn limited(bench: &Bench, kib: u32, line: &str) -> Call {
    let script = format!("trap '' XFSZ; ulimit -f {kib}; exec '{}' {line}", env!("CARGO_BIN_EXE_wormscope"));
    super::finish(Command::new("bash").args(["-c", &script]).current_dir(bench.path("")))
}

#[test]
fn a_disk_that_fills_up_while_writing_leaves_nothing_behind() {
    let bench = Bench::with("x.ron", TRAFFIC);
    for (kib, option, name) in
        [(64, "--wave", "r.vcd"), (8, "--wave", "r.fst"), (4, "--csv", "r.csv"), (1, "--json", "r.json")]
    {
        bench.write(name, "old");
        let call = limited(&bench, kib, &format!("run x.ron {option} {name}"));
        // The names of a waveform are written before the run.
        assert!(option == "--wave" || call.out.contains("\ndone after "), "{}", call.out);
        let message = call.unwritten();
        assert!(message.starts_with(&format!("{name}: cannot be written: File too large")), "{message}");
        assert!(message.ends_with("nothing was left behind"), "{message}");
        assert_eq!(bench.read(name), "old");
        assert_eq!(bench.names(), [name, "x.ron"]);
        std::fs::remove_file(bench.path(name)).expect("the old file");
    }
}

#[test]
fn a_dash_is_standard_output_and_reports_then_go_to_standard_error() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let report = bench.line("run x.ron").ends(0);
    for (option, name) in [("--json", "r.json"), ("--csv", "r.csv")] {
        bench.call(["run", "x.ron", option, name]).ends(0);
        for dash in ["-", "/dev/stdout"] {
            let call = bench.call(["run", "x.ron", option, dash]);
            assert_eq!(call.err, report);
            assert_eq!(call.ends(0), bench.read(name));
        }
    }
    assert_eq!(bench.names(), ["r.csv", "r.json", "x.ron"]);
}

#[test]
fn of_several_files_all_are_written_or_none() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let all = "run x.ron --csv r.csv --json r.json --wave r.vcd";
    for kib in [1, 4, 64] {
        limited(&bench, kib, all).unwritten();
        assert_eq!(bench.names(), ["x.ron"], "{kib} KiB");
    }
    limited(&bench, 1 << 20, all).ends(0);
    assert_eq!(bench.names().iter().filter(|name| name.starts_with("r.")).count(), 11);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told_whether_named_or_linked_to() {
    let bench = Bench::with("x.ron", TRAFFIC);
    for name in ["w.vcd", "w.fst", "l.json", "l.csv"] {
        std::os::unix::fs::symlink("/dev/full", bench.path(name)).expect("a link");
    }
    let before = bench.names();
    for (option, name) in [
        ("--wave", "w.vcd"),
        ("--wave", "w.fst"),
        ("--json", "l.json"),
        ("--csv", "l.csv"),
        ("--json", "/dev/full"),
        ("--csv", "/dev/full"),
    ] {
        let message = bench.call(["run", "x.ron", option, name]).unwritten();
        assert!(message.starts_with(&format!("{name}: cannot be written: No space left on device")), "{message}");
        assert_eq!(bench.names(), before);
        assert!(name.starts_with('/') || bench.path(name).is_symlink());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    let binary = env!("CARGO_BIN_EXE_wormscope");
    let script = format!("'{binary}' config --example mesh > /dev/full");
    let message = super::finish(Command::new("bash").args(["-c", &script])).refused();
    assert!(message.starts_with("standard output: No space left on device"), "{message}");
}
