//! Standard streams that are full, closed or without a reader, and names and texts of the user in
//! their output.

use std::process::Command;

use super::{Bench, Call, TRAFFIC, finish};

/// A worm that deadlocks can be warned of.
const WARNED: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.01, destinations: 3, \
                      encoding: bit_string, payload_flits: 16)], run: (measure_cycles: 100))";

/// Calls the binary with the words of a line and further redirections of the shell's.
pub fn shell(bench: &Bench, line: &str) -> Call {
    let line = format!("'{}' {line}", env!("CARGO_BIN_EXE_wormscope"));
    finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")))
}

#[test]
fn a_standard_error_that_takes_nothing_takes_nothing_else_away() {
    let bench = Bench::with("w.ron", WARNED);
    for line in
        ["run w.ron --csv a.csv", "check w.ron", "run none.ron", "run w.ron --cycles x", "plan", "test none.ron"]
    {
        let whole = shell(&bench, line);
        assert!(!whole.err.is_empty(), "{line}");
        for nowhere in ["2>/dev/full", "2>&-", "2> >(exit)"] {
            let call = shell(&bench, &format!("{line} {nowhere}"));
            assert_eq!((call.code, &call.out, call.err.as_str()), (whole.code, &whole.out, ""), "{line} {nowhere}");
        }
    }
    assert_eq!(bench.names(), ["a.csv", "w.ron"]);
}

#[test]
fn a_standard_output_that_is_full_is_told() {
    let bench = Bench::with("w.ron", TRAFFIC);
    for line in ["run w.ron", "check w.ron", "--help", "--version", "config --example mesh", "deadlock w.ron"] {
        let call = shell(&bench, &format!("{line} >/dev/full"));
        assert!(call.unwritten().starts_with("standard output: No space left on device"), "{line}");
    }
}

#[test]
fn text_of_the_users_gives_a_terminal_no_commands() {
    let bench = Bench::with("w.ron", WARNED);
    let evil = "\u{1b}[2J\u{9b}31m\r\u{202e}\n.ron";
    for call in [
        ["run", evil],
        ["run", "w.ron --set "],
        ["check", evil],
        ["test", evil],
        ["deadlock", evil],
        ["config", &format!("--example={evil}")],
        [evil, evil],
    ] {
        let call = bench.call(call);
        assert_eq!(call.code, Some(2));
        let obeyed = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!call.err.contains(obeyed), "{:?}", call.err);
    }
    bench.write(evil, WARNED);
    let out = bench.call(["run", evil, "--wave", "a.vcd"]).ends(0);
    assert!(out.starts_with("\\u{1b}[2J\\u{9b}31m\\r\\u{202e}\\n.ron: 4x4 mesh"), "{out:?}");
    let out = bench.call(["run", "w.ron", "--wave", "\u{1b}[2J.vcd"]).ends(0);
    assert!(out.ends_with("\nopen next: gtkwave $'\\x1b[2J.gtkw'\n"), "{out:?}");
}

#[test]
fn long_text_of_the_users_is_told_in_short() {
    let bench = Bench::with("w.ron", WARNED);
    let long = format!("begin{}end", "x".repeat(120_000));
    for (call, shown) in [
        (&["run", "w.ron", "--wave", "a.vcd", "--wave-scope", &long][..], "beginxxx"),
        (&["run", "w.ron", "--wave", "a.vcd", "--wave-window", &long], "beginxxx"),
        (&["run", "w.ron", "--set", &long], "beginxxx"),
        (&["run", "w.ron", "--set", &format!("run.{long}=3")], "beginxxx"),
        (&["run", "w.ron", "--cycles", &long], "beginxxx"),
        (&["test", ".", "--filter", &long], "beginxxx"),
        (&["plan", "w.ron", "--algorithm", &long, "--source", "0", "--dest", "1"], "beginxxx"),
        (&["plan", "w.ron", "--algorithm", "chain", "--source", "0", "--dest", &long], "beginxxx"),
        (&["config", "--example", &long], "beginxxx"),
        (&["model", &long], "beginxxx"),
        (&[&long], "beginxxx"),
    ] {
        let call = bench.call(call);
        assert_eq!(call.code, Some(2));
        assert!(call.err.contains(shown) && call.err.len() < 2000, "{}", call.err);
    }
    assert_eq!(bench.names(), ["w.ron"]);
}
