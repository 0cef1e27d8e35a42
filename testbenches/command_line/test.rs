//! `wormscope test`: verdicts, reports, waveforms, and bad input.

use std::path::Path;
use std::time::Instant;

use crate::{Bench, finish};

/// A line of three with one unicast; `expect` is what is expected.
fn line(expect: &str) -> String {
    format!(
        "(\n    purpose: \"a unicast alone\",\n    network: (topology: linear(nodes: 3)),\n    \
         workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 3)])],\n    expect: ({expect}),\n)\n"
    )
}

const GOOD: &str = "deliveries: [(worm: 0, to: [2], by: 10)], latencies: [(equal: 10)]";

#[test]
fn a_line_for_each_testbench_and_a_summary() {
    let bench = Bench::with("good.ron", line(GOOD));
    std::fs::create_dir(bench.path("more")).expect("a folder");
    bench.write("more/late.ron", line("deliveries: [(worm: 0, to: [2], by: 9)]"));
    bench.write("_included.ron", "(set: [\"network.switch.fifo_depth=8\"])");
    bench.write("wrong.ron", "(purpose: \"wrong\", netwrk: ())");
    let call = bench.line("test . --wave never");
    assert_eq!(call.code, Some(2), "{}", call.err);
    let lines: Vec<&str> = call.out.lines().collect();
    assert_eq!(lines[0], "passed  ./good.ron            12 cycles  a unicast alone");
    assert_eq!(lines[1], "FAILED  ./more/late.ron       12 cycles  a unicast alone");
    let failure = "        ./more/late.ron:5:27: deliveries[0]: worm 0 arrives at node 2 in cycle 10; expected by 9";
    assert_eq!(lines[2], failure);
    assert_eq!(lines[3], "        again: wormscope test ./more/late.ron --seed 1");
    assert_eq!(lines[4], "BAD     ./wrong.ron");
    assert!(
        lines[5]
            .starts_with("        ./wrong.ron:1:20: unknown field \"netwrk\" in testbench; did you mean \"network\"?")
    );
    assert!(lines[7].starts_with("3 runs: 1 passed, 1 failed, 1 bad, in "), "{}", call.out);
    // Without the bad one the failed one decides.
    bench.line("test good.ron more --wave never").ends(4);
    bench.line("test good.ron").ends(0);
    bench.line("test . --filter good").ends(0);
    bench.line("test . --filter ./more/*.ron --wave never").ends(4);
}

#[test]
fn a_failure_leaves_its_waveform_view_and_log_beside_the_report() {
    let bench = Bench::with("late.ron", line("deliveries: [(worm: 0, to: [2], by: 9)], blocked: [(worm: 0, by: [])]"));
    bench.write("good.ron", line(GOOD));
    let out = bench.line("test late.ron good.ron --junit r/../junit.xml").err;
    assert!(out.contains("cannot be written"), "{out}");
    let out = bench.line("test late.ron good.ron --junit junit.xml --json all.json").ends(4);
    assert!(out.contains("        open: gtkwave ./late.gtkw, log ./late.log\n"), "{out}");
    for name in ["late.fst", "late.gtkw", "late.log", "junit.xml", "all.json"] {
        assert!(!bench.bytes(name).is_empty(), "{name}");
    }
    assert!(!bench.path("good.fst").exists());
    let log = bench.read("late.log");
    for part in [
        "again: wormscope test late.ron --seed 1",
        "worm 0: n0 to n2, 4 flits, unicast, created in 0",
        "at n2: injected 0, head 7, tail 10",
        "       2  node0.inj w0.2  rt_0.out0 w0.0\n",
    ] {
        assert!(log.contains(part), "{part} in\n{log}");
    }
    let junit = bench.read("junit.xml");
    assert!(
        junit.contains("tests=\"2\"") && junit.contains("failures=\"1\"") && junit.contains("expected by 9"),
        "{junit}"
    );
    let all: serde_json::Value = serde_json::from_str(&bench.read("all.json")).expect("JSON");
    assert_eq!((all["passed"].as_u64(), all["failed"].as_u64(), all["bad"].as_u64()), (Some(1), Some(1), Some(0)));
    assert_eq!(all["benches"][0]["failures"][0]["cycle"].as_u64(), Some(10));
    assert_eq!(all["benches"][1]["status"], "passed");

    bench.line("test good.ron --wave always").ends(0);
    assert!(bench.path("waves/good.fst").exists());
}

#[test]
fn the_waveform_of_a_failure_holds_the_cycles_around_it() {
    let message = |cycle| format!("(cycle: {cycle}, source: 0, destinations: [2], payload_flits: 3)");
    let text = format!(
        "(purpose: \"late\", network: (topology: linear(nodes: 3)), workload: [messages([{}, {}, {}])], \
         expect: (properties: [\"rt_0.out0.valid |-> cycle < 4000 || cycle > 6000\"]))",
        message(0),
        message(5000),
        message(9000)
    );
    let bench = Bench::with("late.ron", text);
    bench.line("test late.ron --json r.json").ends(4);
    let log = bench.read("late.log");
    assert!(log.contains("\ncycles 4802..5052: "), "{log}");
    assert!(log.contains("    5002  node0.inj w1.2  rt_0.out0 w1.0\n") && !log.contains("rt_0.out0 w0."), "{log}");
    let wave = wellen::simple::read(bench.path("late.fst")).expect("a waveform");
    // An FST's time begins at 0, with all values unknown until the window.
    let times: Vec<_> = wave.time_table().iter().skip_while(|time| **time == 0).collect();
    assert_eq!((times.first(), times.last()), (Some(&&4802), Some(&&5052)));
}

#[test]
fn seeds_draw_other_worms_and_draw_them_again() {
    let text = "(purpose: \"random\", network: (topology: mesh(radices: [4, 4])), \
                random: [(worms: 20, cycles: (0, 50), payload_flits: (1, 9))], expect: (final_state: empty))";
    let bench = Bench::with("random.ron", text);
    let cycles = |line: &str| {
        bench.line(line).ends(0);
        let all: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        let runs = all["benches"].as_array().expect("runs").iter();
        runs.map(|run| (run["seed"].as_u64(), run["cycles"].as_u64())).collect::<Vec<_>>()
    };
    let four = cycles("test random.ron --seed 7 --repeat 4 --json r.json");
    assert_eq!(four.iter().map(|(seed, _)| seed.unwrap_or(0)).collect::<Vec<_>>(), [7, 8, 9, 10]);
    assert!(four.iter().any(|(_, cycles)| *cycles != four[0].1), "{four:?}");
    assert_eq!(cycles("test random.ron --seed 9 --json r.json"), four[2..3]);
    // Repetitions that pass are one line.
    let out = bench.line("test random.ron --repeat 4").ends(0);
    assert!(out.starts_with("passed  random.ron        4 runs    random\n\n4 runs: 4 passed, in "), "{out}");
}

#[test]
fn every_bad_testbench_is_told_and_the_others_still_run() {
    let message = "(cycle: 0, source: 0, destinations: [2], payload_flits: 3)";
    let cases = [
        (line(""), "x.ron:5:5: nothing is expected; at least one expectation is needed, such as final_state: empty"),
        (line(GOOD).replace("    purpose: \"a unicast alone\",\n", ""), "x.ron:1:1: no purpose; say in one line"),
        (line(GOOD).replace("alone", "alone\\nat last"), "x.ron:2:5: the purpose has several lines; one is allowed"),
        (line(GOOD).replace("    network: (topology: linear(nodes: 3)),\n", ""), "x.ron:1:1: no network; name one with"),
        (line(GOOD).replace("nodes: 3", "nodes: 0"), "x.ron:3:32: nodes is 0; allowed: 1 to 65535"),
        (line(GOOD).replace("[2], payload", "[3], payload"), "x.ron:4:63: node 3 is outside the network; allowed: 0 to 2 (3 nodes)"),
        (line("deliveries: [(worm: 0, to: [2, 3])]"), "x.ron:5:45: node 3 is outside the network; allowed: 0 to 2 (3 nodes)"),
        (line("deliveries: [(worm: 1, to: [2])]"), "x.ron:5:27: deliveries[0].worm: there is no worm 1; the run creates worms 0 to 0"),
        (line("blocked: [(worm: 0, by: [4])]"), "x.ron:5:24: blocked[0].by[0]: there is no worm 4; the run creates worms 0 to 0"),
        (line("deadlock: found(worms: [0, 7])"), "x.ron:5:14: deadlock.found.worms[1]: there is no worm 7"),
        (line("latencies: [(worms: [0])]"), "x.ron:5:26: no latency is given; allowed: equal, at_least, at_most, mean"),
        (line("order: [at_node(node: 2, worms: [0])]"), "x.ron:5:22: an order needs at least two"),
        (line("blocked: [(worm: 0, by: [], at: \"rt_0.out5\")]"), "x.ron:5:42: no output \"rt_0.out5\"; nearest names: rt_0.out0,"),
        (line("multicasts: [(multicast: 0)]"), "x.ron:5:27: multicasts[0].multicast: there is no multicast 0; the run begins no multicasts"),
        (line("multicasts: [(multicast: 0, sends: [(0, [9])])]"), "x.ron:5:"),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(link: \"rt_1.out7\", from: 0, until: 9)]), "),
            "x.ron:4:25: no link \"rt_1.out7\"; nearest names: rt_1.out0, rt_1.out1, rt_1.out2",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(station: \"rt_1\", from: 0, until: 9)]), "),
            "x.ron:4:25: the network has no token rings, whose stations could be stalled",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(node: 1, from: 9, until: 9)]), "),
            "x.ron:4:43: a stall from cycle 9 until 9; allowed: until a later cycle",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(from: 0, until: 9)]), "),
            "x.ron:4:24: a stall of a node, a link or a station: exactly one of the three is given",
        ),
        (
            line("properties: [\"always rt_0.out0.vald\"]"),
            "x.ron:5:27: properties[0]: no signal \"rt_0.out0.vald\"; nearest names: rt_0.out0.valid, rt_0.out2.valid, \
             rt_1.out0.valid\n            always rt_0.out0.vald\n                   ^\n",
        ),
        (
            line("properties: [\"rt_0.out0.valid |-> ##[1:\"]"),
            "x.ron:5:27: properties[0]: expected a number of cycles or $, found the end\n            \
             rt_0.out0.valid |-> ##[1:\n                                     ^\n",
        ),
        (line("signals: [(at: 3, that: \"rt_0.in2.state = MOVE\")]"), "x.ron:5:24: signals[0]: expected an operator, found `=`\n"),
        (line("signals: [(at: 3, that: \"rt_0.in2.state == MUVE\")]"), "x.ron:5:24: signals[0]: \"MUVE\" names no value of rt_0.in2.state; nearest names: MOVE,"),
        (line("deadlok: never"), "x.ron:5:14: unknown field \"deadlok\" in expect; did you mean \"deadlock\"?"),
        (line(GOOD).replace("by: 10", "by: -1"), "x.ron:5:46: expect.deliveries[0].by: -1 is out of range; allowed: an integer from 0 to 18446744073709551615"),
        (line(GOOD).replace("workload", "include: [\"none.ron\"], workload"), "x.ron:4:15: none.ron cannot be read: No such file"),
        (line(GOOD).replace("workload", "include: [\"y.ron\"], workload"), "y.ron:1:12: includes in a circle: x.ron includes y.ron includes x.ron"),
        (line(GOOD).replace("workload", "include: [\"x.ron\"], workload"), "x.ron:4:15: includes in a circle: x.ron includes x.ron"),
        (line(GOOD).replace("network: (topology: linear(nodes: 3))", "config: \"none.ron\""), "x.ron:3:5: none.ron cannot be read: No such file"),
        (line(GOOD).replace("workload", "config: \"c.ron\", workload"), "x.ron:3:5: a second network; the first stands at x.ron:4:5"),
        (line(GOOD).replace("network: (topology: linear(nodes: 3))", "config: \"bad.ron\""), "bad.ron:1:12: unknown field \"topolgy\" in network"),
        (line(GOOD).replace("workload", "set: [\"network.switch.fifo_dept=3\"], workload"), "x.ron:4:11: network.switch.fifo_dept=3: no field \"fifo_dept\" in network.switch"),
        (line(GOOD).replace("workload", "set: [\"network.switch.fifo_depth=0\"], workload"), "x.ron:4:11: network.switch.fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits"),
        (line(GOOD).replace(message, ""), "x.ron:5:27: deliveries[0].worm: there is no worm 0; the run creates no worms"),
        (line(GOOD).replace("workload", "random: [(worms: 0, cycles: (0, 9), payload_flits: (1, 2))], workload"), "x.ron:4:15: random worms: 0 worms; allowed: 1 to"),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (9, 0), payload_flits: (1, 2))], workload"),
            "x.ron:4:25: random worms: the range 9 to 0 is empty",
        ),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (0, 9), payload_flits: (1, 2), encodings: [(multiport, 1)])], workload"),
            "x.ron:4:76: random worms: multiport worms bring a mask of ports for each stage of a multistage network",
        ),
        (line(GOOD).replace("workload", "unchecked: [credit], workload"), "x.ron:4:17: unknown rule \"credit\"; did you mean \"credits\"?"),
        ("(purpose: \"x\", workload: [trace(\"none.csv\")], network: (topology: linear(nodes: 3)), expect: (final_state: empty))".to_owned(), "none.csv: cannot be read: No such file"),
    ];
    let bench = Bench::with("good.ron", line(GOOD));
    bench.write("y.ron", "(include: [\"x.ron\"])");
    bench.write("c.ron", "(network: (topology: linear(nodes: 3)))");
    bench.write("bad.ron", "(network: (topolgy: linear(nodes: 3)))");
    for (text, expected) in cases {
        bench.write("x.ron", &text);
        let call = bench.line("test x.ron good.ron");
        assert_eq!(call.code, Some(2), "{text}\n{}{}", call.out, call.err);
        let told = call.out.strip_prefix("BAD     x.ron\n        ").unwrap_or_else(|| panic!("{text}\n{}", call.out));
        assert!(told.starts_with(expected), "{text}\nexpected {expected}\n   found {told}");
        assert!(call.out.contains("\npassed  good.ron"), "{}", call.out);
        assert!(call.out.contains("2 runs: 1 passed, 1 bad"), "{}", call.out);
    }
}

#[test]
fn every_mistake_on_the_command_line_of_a_test_is_told() {
    let bench = Bench::with("good.ron", line(GOOD));
    std::fs::create_dir(bench.path("empty")).expect("a folder");
    let cases = [
        ("test nothing.ron", "nothing.ron: cannot be read: No such file"),
        ("test empty", "empty: no testbench, *.ron"),
        ("test . --filter nothing*", "--filter nothing*: matches none of 1 testbenches"),
        ("test . --filter [", "--filter [: "),
        ("test good.ron --junit /nowhere/j.xml", "/nowhere/j.xml: cannot be written: No such file"),
        ("test good.ron --json empty", "empty: cannot be written: is a directory"),
        ("test", "testbenches: cannot be read: No such file"),
    ];
    for (line, expected) in cases {
        let message = bench.line(line).refused();
        assert!(message.starts_with(expected), "{line}\nexpected {expected}\n   found {message}");
        assert_eq!(bench.names(), ["empty", "good.ron"], "{line}");
    }
}

fn shipped(more: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wormscope"));
    command.args(["test", "testbenches", "--wave", "never"]).args(more);
    finish(command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))).ends(0)
}

/// The regression that is shipped, as `make test` runs it.
#[test]
fn the_shipped_regression_passes() {
    let out = shipped(&[]);
    let passed = out.lines().filter(|line| line.starts_with("passed")).count();
    assert!(passed >= 100, "{passed} testbenches");
    assert!(!out.contains("note:"), "{out}");
}

#[test]
fn a_thousand_testbenches_of_the_shipped_size_run_in_under_a_minute() {
    // On a machine that is busy with something else one attempt in three will do.
    let mut seconds = Vec::new();
    while seconds.len() < 3 && seconds.iter().all(|taken| *taken >= 60) {
        let started = Instant::now();
        let out = shipped(&["--repeat", "10"]);
        let runs = out.lines().last().and_then(|summary| summary.split(' ').next()).and_then(|runs| runs.parse().ok());
        assert!(runs >= Some(1000), "{out}");
        seconds.push(started.elapsed().as_secs());
    }
    assert!(seconds.iter().any(|taken| *taken < 60), "{seconds:?}");
}
