//! `wormscope test`: verdicts, reports, waveforms, and bad input.

use std::path::Path;

use crate::{Bench, finish, repository};

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
    assert_eq!(lines[3], "        why: worm 0 does not wait; its cycles: crossing 7 + decision 3");
    assert_eq!(lines[4], "        again: wormscope test ./more/late.ron --seed 1");
    assert_eq!(lines[5], "BAD     ./wrong.ron");
    assert!(
        lines[6]
            .starts_with("        ./wrong.ron:1:20: unknown field \"netwrk\" in testbench; did you mean \"network\"?")
    );
    assert_eq!(lines[8], "kind of failure                       failures  runs  smallest seed  again");
    assert_eq!(
        lines[9],
        "  ./more/late.ron:5:27 deliveries[0]         1     1              1  wormscope test ./more/late.ron --seed 1"
    );
    assert!(lines[11].starts_with("3 runs: 1 passed, 1 failed, 1 bad, in "), "{}", call.out);
    // Without the bad testbench, the failed one decides.
    bench.line("test good.ron more --wave never").ends(4);
    bench.line("test good.ron").ends(0);
    bench.line("test . --filter good").ends(0);
    bench.line("test . --filter ./more/*.ron --wave never").ends(4);
}

#[test]
fn a_wait_that_was_not_expected_names_the_worms() {
    let text = "(purpose: \"two worms\", network: (topology: linear(nodes: 3)), workload: [messages([\
         (cycle: 0, source: 1, destinations: [2], payload_flits: 9), \
         (cycle: 0, source: 0, destinations: [2], payload_flits: 3)])], \
         expect: (blocked: [(worm: 1, by: [], at: \"rt_1.out0\")]))";
    let out = Bench::with("two.ron", text).line("test two.ron --wave never").ends(4);
    assert!(out.contains("worm 1 waits at rt_1.out0 for worm 0; expected no worm"), "{out}");
}

#[test]
fn a_failure_leaves_its_waveform_view_and_log_beside_the_report() {
    let bench = Bench::with("late.ron", line("deliveries: [(worm: 0, to: [2], by: 9)], blocked: [(worm: 0, by: [])]"));
    bench.write("good.ron", line(GOOD));
    let out = bench.line("test late.ron good.ron --junit r/../junit.xml").err;
    assert!(out.contains("cannot be written"), "{out}");
    let out = bench.line("test late.ron good.ron --junit junit.xml --json all.json").ends(4);
    assert!(
        out.contains("        open: gtkwave ./late/late.gtkw, page ./late/late.html, log ./late/late.log\n"),
        "{out}"
    );
    for name in ["late.fst", "late.gtkw", "late.html", "late.log", "_late.ron", "_late_stimulus.ron"] {
        assert!(!bench.bytes(&format!("late/{name}")).is_empty(), "{name}");
    }
    assert!(!bench.path("good").exists());
    let log = bench.read("late/late.log");
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
    assert!(junit.contains("again: wormscope test late.ron --seed 1"), "{junit}");
    assert!(junit.contains("classname=\".\"") && !junit.contains("name=\"\""), "{junit}");
    let view = bench.read("late/late.gtkw");
    assert!(view.contains("[markername] AA deliveries[0]\n") && view.contains("-worm 0: n0 to n2"), "{view}");
    let all: serde_json::Value = serde_json::from_str(&bench.read("all.json")).expect("JSON");
    assert_eq!(all["benches"][0]["again"], "wormscope test late.ron --seed 1");
    assert_eq!((all["passed"].as_u64(), all["failed"].as_u64(), all["bad"].as_u64()), (Some(1), Some(1), Some(0)));
    assert_eq!(all["benches"][0]["failures"][0]["cycle"].as_u64(), Some(10));
    assert_eq!(all["benches"][1]["status"], "passed");

    bench.line("test good.ron --wave always").ends(0);
    assert!(bench.path("waves/good/good.fst").exists());
}

#[test]
fn each_failure_has_a_folder_of_its_own() {
    let late = line("deliveries: [(worm: 0, to: [2], by: 9)]");
    let bench = Bench::with("a_late.ron", &late);
    for folder in ["a", "b"] {
        std::fs::create_dir(bench.path(folder)).expect("a folder");
        bench.write(&format!("{folder}/late.ron"), &late);
    }
    // A report that is no file has no folder.
    let out = bench.line("test a b a_late.ron --keep-waves 9 --json /dev/null").ends(4);
    let opened = |name: &str| out.contains(&format!("open: gtkwave waves/{name}/"));
    assert!(opened("a_late") && opened("b_late") && opened("a_late_2"), "{out}");
    assert!(!Path::new("/dev/a_late").exists());
}

#[test]
fn a_run_that_is_left_out_is_no_success() {
    let bench = Bench::with("late.ron", line("deliveries: [(worm: 0, to: [2], by: 9)]"));
    bench.line("test late.ron --repeat 50 --fail-fast --wave never --junit j.xml").ends(4);
    let junit = bench.read("j.xml");
    assert!(junit.contains("<skipped message=\"") && junit.contains("did not begin, or did not end"), "{junit}");
    for line in ["--list --junit j.xml", "--export e.ron --coverage c.json", "--sva p.sv --json j.json"] {
        let why = bench.line(&format!("test late.ron {line}")).refused();
        assert!(why.contains("cannot be used with"), "{line}: {why}");
    }
}

#[test]
fn a_worm_that_the_end_of_the_run_cuts_off_has_not_arrived() {
    let text = |cycles: u32| {
        format!(
            "(purpose: \"cut off\", network: (topology: linear(nodes: 3)), run: (max_cycles: {cycles}), workload: \
             [messages([(cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 3)])], \
             expect: (final_state: any, deliveries: [(worm: 0, to: [1])]))"
        )
    };
    let out = Bench::with("x.ron", text(9)).line("test x.ron --wave never").ends(4);
    assert!(out.contains("worm 0 is still on its way to node 2 after 9 cycles; expected only at 1"), "{out}");
}

#[test]
fn a_worm_under_way_after_the_window_of_random_traffic_has_not_arrived() {
    let text = "(purpose: \"a tree\", network: (topology: linear(nodes: 8)), run: (measure_cycles: 100), workload: [
        traffic(load: 0.01, payload_flits: 3), messages([
            (cycle: 98, source: 7, destinations: [0], payload_flits: 20),
            (cycle: 101, source: 0, destinations: [1, 7], encoding: bit_string, payload_flits: 20)])],
        expect: (final_state: any, deliveries: [(worm: 4, to: [1])]))";
    let out = Bench::with("x.ron", text).line("test x.ron --wave never").ends(4);
    assert!(out.contains("worm 4 is still on its way to node 7 after 136 cycles; expected only at 1"), "{out}");
}

#[test]
fn a_throughput_has_all_cycles_of_its_window() {
    let bench = Bench::with("x.ron", "");
    for (expect, told) in [
        ("throughput: [(to: [2], window: (10, 10), at_least: 4)]", None),
        (
            "throughput: [(to: [2], window: (10, 10), at_most: 3)]",
            Some("4 flits arrive at 1 node in cycles 10 to 10, 4"),
        ),
        ("throughput: [(to: [2], window: (0, 999), at_most: 0.004)]", None),
        ("throughput: [(to: [2], window: (0, 999), at_least: 0.005)]", Some("in cycles 0 to 999, 0.0040 per node")),
    ] {
        bench.write("x.ron", line(expect));
        let out = bench.line("test x.ron --wave never").ends(if told.is_some() { 4 } else { 0 });
        assert!(told.is_none_or(|told| out.contains(told)), "{expect}: {out}");
    }
}

#[test]
fn the_view_of_a_late_worm_opens_where_it_waited() {
    // Worm 1 waits at the first switch until the long worm 0 has passed.
    let text = |payload: u32| {
        format!(
            "(purpose: \"late\", network: (topology: linear(nodes: 4), node: (injection_channels: 2)), workload: [messages([\
             (cycle: 0, source: 0, destinations: [3], payload_flits: {payload}), \
             (cycle: 1, source: 0, destinations: [2], payload_flits: 3)])], \
             expect: (deliveries: [(worm: 1, to: [2], by: 9)]))"
        )
    };
    let bench = Bench::with("late.ron", text(30));
    bench.line("test late.ron --json r.json").ends(4);
    let (log, view) = (bench.read("late/late.log"), bench.read("late/late.gtkw"));
    let cause = log.lines().find_map(|line| line.trim().strip_prefix("why: cycles ")).expect("a cause");
    let (from, rest) = cause.split_once(" to ").expect("two cycles");
    assert!(
        rest.contains(
            ": worm 1 waits for lane at rt_0.in2.v1 (worm 0 on rt_0.out0), by root: rt_0.out0 30; its cycles: "
        ),
        "{cause}"
    );
    let all: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    let late = all["benches"][0]["failures"][0]["cycle"].as_u64().expect("a cycle");
    let markers = view.lines().find(|line| line.starts_with('*')).expect("markers");
    assert!(markers.ends_with(&format!(" {from} {from} {late}")), "{markers}: {cause}");
    for part in ["[markername] AA w1 waits\n", "[markername] BB deliveries[0]\n"] {
        assert!(view.contains(part), "{part}: {view}");
    }
    assert!(view.contains(&format!("\n-on the page of wormscope view: #t={from}&worm=1\n")), "{view}");
    let start = view.lines().find_map(|line| line.strip_prefix("[timestart] ")).expect("a start");
    assert!(start.parse::<u64>().expect("a cycle") < from.parse().expect("a cycle"), "{start}");

    // The dump goes back to the wait, which began long ago.
    bench.write("late.ron", text(700));
    bench.line("test late.ron --json r.json").ends(4);
    let view = bench.read("late/late.gtkw");
    let markers = view.lines().find(|line| line.starts_with('*')).expect("markers");
    assert!(markers.contains(&format!(" {from} {from} 7")), "{markers}");
    let wave = wellen::simple::read(bench.path("late/late.fst")).expect("a waveform");
    assert!(wave.time_table()[0] <= from.parse().expect("a cycle"));
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
    let log = bench.read("late/late.log");
    assert!(log.contains("\ncycles 4802..5052: "), "{log}");
    assert!(log.contains("    5002  node0.inj w1.2  rt_0.out0 w1.0\n") && !log.contains("rt_0.out0 w0."), "{log}");
    let view = bench.read("late/late.gtkw");
    assert!(view.contains("[markername] AA properties[0]\n"), "{view}");
    let group = view.split("-failure\n").nth(1).and_then(|rest| rest.split("-\n").next()).expect("a group");
    assert!(group.contains("\n+{rt_0 out0 valid} top.rt_0.out0.valid\n"), "{view}");
    let wave = wellen::simple::read(bench.path("late/late.fst")).expect("a waveform");
    let times = wave.time_table();
    assert_eq!((times.first(), times.last()), (Some(&4802), Some(&5052)));
}

#[test]
fn a_bench_that_ends_in_a_deadlock_opens_the_view_of_the_deadlock() {
    let bench = Bench::new();
    for folder in ["failed", "told"] {
        std::fs::create_dir(bench.path(folder)).expect("a folder");
    }
    let ring = crate::config("torus_ring_deadlock.ron");
    let states = "properties: [\"never rt_1.in1.state == LANES\", \"never rt_2.in1.state == LANES\"]";
    let view_of = |expect: &str| {
        bench.write("x.ron", format!("(purpose: \"x\", config: \"{ring}\", expect: ({expect}))"));
        let out = bench.line("test x.ron --json failed/x.json").ends(4);
        assert!(
            out.contains("        open: gtkwave failed/x/x.gtkw, page failed/x/x.html, log failed/x/x.log\n"),
            "{out}"
        );
        bench.read("failed/x/x.gtkw")
    };
    bench.write("x.ron", "");
    bench.call(["deadlock", &ring, "--wave", "told/x.fst", "--set", "run.seed=1"]).ends(3);
    // The rows are those behind the explanations of markers, which each view has for itself.
    let rows = |view: &str| {
        let (_, rows) = view.split_once("-DEADLOCK final at 4, ")?;
        // The rows above decide which groups are open.
        let rows = rows.split_once("\n-1: ")?.1;
        Some(rows.replace("@c00200", "@800200").replace("@1401200", "@1000200"))
    };
    let told = rows(&bench.read("told/x.gtkw")).expect("a title");
    for expect in ["deadlock: never", "final_state: empty", "deadlock: found(worms: [0, 1, 2])", states] {
        let view = view_of(expect);
        assert_eq!(rows(&view).as_ref(), Some(&told), "{expect}: {view}");
        assert!(view.contains(" final") && view.contains(" detected"), "{view}");
    }
    // Signals with the same last name are shown with their paths.
    let view = view_of(states);
    let group = view.split("-failure\n").nth(1).and_then(|rest| rest.split("\n-\n").next()).expect("a group");
    for (path, signal) in [("rt_1 in1 state", "top.rt_1.in1.state[2:0]"), ("rt_2 in1 state", "top.rt_2.in1.state[2:0]")]
    {
        // The row is split bit by bit, because an FST has its own names for states.
        assert!(group.contains(&format!("\n#{{{path}}} (0){signal} (1){signal} (2){signal}\n")), "{group}");
    }
    // A deadlock that is as expected is no failure.
    let view = view_of("deadlock: found(worms: [0, 1, 2, 3]), blocked: [(worm: 2, by: [])]");
    assert!(view.contains("-worm 2: n2 to ") && rows(&view).is_none(), "{view}");
}

/// Every command with its output in a page, written as a user sees it.
#[test]
fn outputs_in_the_documentation_are_those_of_the_program() {
    let bench = crate::root("deadlocks");
    for file in ["acquisition/acquisition_atomic.ron", "shared/_two_trees_at_one_router.ron"] {
        let file = Path::new("testbenches").join(file);
        let copy = bench.0.path().join(&file);
        std::fs::create_dir_all(copy.parent().expect("a shelf")).expect("a folder");
        std::fs::copy(crate::repository().join(&file), copy).expect("a copy");
    }
    bench.write("testbenches/late.ron", line("deliveries: [(worm: 0, to: [2], by: 9)]"));
    bench.write("testbenches/x.ron", line("properties: [\"always rt_0.out0.vald\"]"));
    let page = std::fs::read_to_string(crate::repository().join("docs/reference/testbenches.md")).expect("a page");
    let outputs: Vec<_> = crate::blocks(&page, "text").into_iter().filter_map(|text| text.strip_prefix("$ ")).collect();
    assert_eq!(outputs.len(), 2);
    for output in outputs {
        let (command, expected) = output.split_once('\n').expect("a command and its output");
        let out = bench.line(command.strip_prefix("wormscope ").expect("a command")).out;
        let (out, seconds) = out.rsplit_once(", in ").expect("a summary");
        assert_eq!(Some((out, "0.0 s\n")), expected.rsplit_once(", in "), "{command}: {seconds}");
    }
}

#[test]
fn the_first_experiment_of_the_readme_ends_as_it_says() {
    let page = std::fs::read_to_string(crate::repository().join("README.md")).expect("a page");
    let bench = Bench::with("two.ron", crate::blocks(&page, "ron")[0]);
    let (_, section) = page.split_once("## Your first experiment").expect("a section");
    let commands: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("    wormscope ")).collect();
    assert_eq!(commands.len(), 6);
    for command in commands {
        let (command, told) = command.split_once('#').expect("what it does");
        let deadlocks = told.contains("the exit code is 3") || command.starts_with("deadlock ");
        let out = bench.line(command.trim()).ends(if deadlocks { 3 } else { 0 });
        let done = told.split("done after ").nth(1);
        assert!(done.is_none_or(|cycles| out.contains(&format!("done after {cycles}"))), "{command}: {out}");
        if command.starts_with("deadlock ") {
            // The page leaves out lines, and the ends of long ones.
            let mut printed = out.lines();
            for line in crate::blocks(section, "text")[0].lines() {
                let same = |printed: &str| {
                    line.strip_suffix(" ...").map_or(printed == line, |begin| printed.starts_with(begin))
                };
                assert!(printed.any(same), "{line}\n{out}");
            }
        }
    }
    for written in ["two.gtkw", "two.html"] {
        assert!(!bench.bytes(written).is_empty(), "{written}");
    }
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
#[allow(clippy::too_many_lines)] // The test is a table.
fn every_bad_testbench_is_told_and_the_others_still_run() {
    let message = "(cycle: 0, source: 0, destinations: [2], payload_flits: 3)";
    let cases = [
        (line(""), "x.ron:5:5: nothing is expected; at least one expectation is needed, such as final_state: empty"),
        (line(GOOD).replace("    purpose: \"a unicast alone\",\n", ""), "x.ron:1:1: no purpose; say in one line"),
        (
            line("latencies: [(worms: [0, 1], to: [1], equal: 9)]").replace("3)]", "3), (cycle: 0, source: 0, destinations: [1], payload_flits: 3)]"),
            "x.ron:5:26: latencies[0]: worm 0 goes to none of nodes 1",
        ),
        ("(network: (topology: linear(nodes: 3)))".to_owned(), "x.ron:1:1: this is an experiment, for wormscope run; a"),
        (line(GOOD).replace("alone", "alone\\nat last"), "x.ron:2:5: the purpose has several lines; one is allowed"),
        (line(GOOD).replace("    network: (topology: linear(nodes: 3)),\n", ""), "x.ron:1:1: no network; name one with"),
        (line(GOOD).replace("nodes: 3", "nodes: 0"), "x.ron:3:32: nodes is 0; allowed: 1 to 65535"),
        (line(GOOD).replace("[2], payload", "[3], payload"), "x.ron:4:63: node 3 is outside the network; allowed: 0 to 2 (3 nodes)"),
        (line("deliveries: [(worm: 0, to: [2, 3])]"), "x.ron:5:45: node 3 is outside the network; allowed: 0 to 2 (3 nodes)"),
        (line("deliveries: [(worm: 1, to: [2])]"), "x.ron:5:27: deliveries[0].worm: there is no worm 1; the run creates worms 0 to 0"),
        (line("blocked: [(worm: 0, by: [4])]"), "x.ron:5:24: blocked[0].by[0]: there is no worm 4; the run creates worms 0 to 0"),
        (line("deadlock: found(worms: [0, 7])"), "x.ron:5:14: deadlock.found.worms[1]: there is no worm 7"),
        (line("latencies: [(worms: [0])]"), "x.ron:5:26: no latency is given; allowed: equal, at_least, at_most, mean, percentiles"),
        (line("order: [at_node(node: 2, worms: [0])]"), "x.ron:5:22: an order needs at least two"),
        (line("blocked: [(worm: 0, by: [], at: \"rt_0.out5\")]"), "x.ron:5:42: no output \"rt_0.out5\"; nearest names: rt_0.out0,"),
        (line("multicasts: [(multicast: 0)]"), "x.ron:5:27: multicasts[0].multicast: there is no multicast 0; the run begins no multicasts"),
        (line("multicasts: [(multicast: 0, sends: [(0, [9])])]"), "x.ron:5:"),
        (line("multicasts: [(multicast: 0, sends: [])]"), "x.ron:5:42: nothing is expected; a multicast has at least one send"),
        (line("multicasts: [(multicast: 0, steps: 0)]"), "x.ron:5:42: nothing is expected; a multicast has at least one step"),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(link: \"rt_1.out7\", from: 0, until: 9)]), "),
            "x.ron:4:25: no link \"rt_1.out7\"; nearest names: rt_1.out0, rt_1.out1, rt_1.out2",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(station: \"rt_1\", from: 0, until: 9)]), "),
            "x.ron:4:25: the network has no token rings, so that it has no station",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(node: 1, from: 9, until: 9)]), "),
            "x.ron:4:43: a stall from cycle 9 until 9; allowed: until a later cycle",
        ),
        (
            line(GOOD).replace("workload: [", "workload: [stalls([(from: 0, until: 9)]), "),
            "x.ron:4:24: a stall has exactly one of node, link, station and arbiter",
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
        (
            line("properties: [\"rt_0.out0.valid |-> cycle == rt_0.out0.flit\"]"),
            "x.ron:5:27: properties[0]: cycle is compared with a number, as in cycle >= 100\n            \
             rt_0.out0.valid |-> cycle == rt_0.out0.flit\n                                ^\n",
        ),
        (line("properties: [\"rt_0.out0.flit != cycle\"]"), "x.ron:5:27: properties[0]: cycle is compared with a number"),
        (line("properties: [\"cycle[3:0] == 3 |-> rt_0.out0.valid\"]"), "x.ron:5:27: properties[0]: cycle is compared with a number"),
        (
            line("signals: [(at: 18446744073709551615, that: \"rt_0.out0.valid\")]"),
            "x.ron:5:25: cycle 18446744073709551615 is too late; allowed: 0 to 1000000000000000000",
        ),
        (line("signals: [(at: 3, that: \"rt_0.in2.state = MOVE\")]"), "x.ron:5:24: signals[0]: expected an operator, found `=`; did you mean `==`?\n"),
        (line("signals: [(at: 3, that: \"rt_0.in2.state == MUVE\")]"), "x.ron:5:24: signals[0]: \"MUVE\" names no value of rt_0.in2.state; nearest names: MOVE,"),
        (line("deadlok: never"), "x.ron:5:14: unknown field \"deadlok\" in expect; did you mean \"deadlock\"?"),
        (line(GOOD).replace("by: 10", "by: -1"), "x.ron:5:46: expect.deliveries[0].by: -1 is out of range; allowed: an integer from 0 to 18446744073709551615"),
        (line("links: [(link: \"rt_0.out0\", flits: -1)]"), "x.ron:5:42: expect.links[0].flits: -1 is out of range; allowed: an integer from 0 to 18446744073709551615"),
        (line("links: [(link: \"rt_0.out0\", longest: (-1, 3))]"), "x.ron:5:52: expect.links[0].longest[0]: -1 is out of range; allowed: an integer from 0 to 4294967295"),
        (line("links: [(link: \"rt_0.out0\", longest: (0, x))]"), "x.ron:5:55: expect.links[0].longest[1]: expected an integer from 0 to 18446744073709551615, found x"),
        (line("account: (sibling: 99999999999999999999)"), "x.ron:5:24: expect.account.sibling: 99999999999999999999 is out of range; allowed: an integer from 0 to 18446744073709551615"),
        (line("multicasts: [(multicast: 0, steps: 99999999999)]"), "x.ron:5:42: expect.multicasts[0].steps: 99999999999 is out of range; allowed: an integer from 0 to 4294967295"),
        (line(GOOD).replace("workload", "random: [(worms: 2, cycles: (0, -9), payload_flits: (1, 2))], workload"), "x.ron:4:37: random[0].cycles[1]: -9 is out of range; allowed: an integer from 0 to 18446744073709551615"),
        (line(GOOD).replace("workload", "include: [\"none.ron\"], workload"), "x.ron:4:15: none.ron cannot be read: No such file"),
        (line(GOOD).replace("workload", "include: [\"y.ron\"], workload"), "y.ron:1:12: files include each other: \
                                                                            x.ron includes y.ron includes x.ron"),
        (line(GOOD).replace("workload", "include: [\"x.ron\"], workload"), "x.ron:4:15: files include each other: \
                                                                            x.ron includes x.ron"),
        (line(GOOD).replace("network: (topology: linear(nodes: 3))", "config: \"none.ron\""), "x.ron:3:5: none.ron cannot be read: No such file"),
        (line(GOOD).replace("workload", "config: \"c.ron\", workload"), "x.ron:3:5: a second network; the first is at \
                                                                         x.ron:4:5"),
        (line(GOOD).replace("network: (topology: linear(nodes: 3))", "config: \"bad.ron\""), "bad.ron:1:12: unknown field \"topolgy\" in network"),
        (line(GOOD).replace("workload", "set: [\"network.switch.fifo_dept=3\"], workload"), "x.ron:4:11: network.switch.fifo_dept=3: no field \"fifo_dept\" in network.switch"),
        (line(GOOD).replace("workload", "set: [\"\"], workload"), "x.ron:4:11: \"\": expected path=value, such as run.seed=7"),
        (line(GOOD).replace("workload", "set: [\"network.switch.fifo_depth=0\"], workload"), "x.ron:4:11: network.switch.fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits"),
        (line(GOOD).replace(message, ""), "x.ron:4:5: nothing is sent; worms come from workload: [...], from random: [...], or with a config"),
        (line("final_state: any"), "x.ron:5:5: nothing is expected; at least one expectation is needed"),
        (line("latencies: [(worms: [], equal: 10)]"), "x.ron:5:"),
        (line("latencies: [(to: [], equal: 10)]"), "x.ron:5:"),
        (line("latencies: [(worms: [0], to: [1], equal: 10)]"), "x.ron:5:26: latencies[0]: of worms 0 none goes to node 1\n"),
        (line("latencies: [(mean: (3, 2))]"), "x.ron:5:27: a mean from 3 to 2 is impossible; allowed: numbers, the lower first\n"),
        (line("latencies: [(mean: (NaN, 2))]"), "x.ron:5:27: a mean from NaN to 2 is impossible"),
        (line("latencies: [(mean: (0, inf))]"), "x.ron:5:27: a mean from 0 to inf is impossible"),
        (line("latencies: [(at_most: 3, at_least: 4)]"), "x.ron:5:39: at_least 4 is above at_most 3; no number is \
                                                          both\n"),
        (line("latencies: [(equal: 9, at_most: 5)]"), "x.ron:5:27: equal 9 is not within at_least and at_most; no \
                                                       number is both\n"),
        (line("multicasts: [(multicast: 0, at_most: 3, at_least: 4)]"), "x.ron:5:54: at_least 4 is above at_most 3"),
        (line("order: [at_node(node: 2, worms: [0, 0])]"), "x.ron:5:50: 0 is twice in an order; allowed: once\n"),
        (line("order: [of_worm(worm: 0, nodes: [1, 2])]"), "x.ron:5:22: order[0]: worm 0 does not go to node 1\n"),
        (line("latencies: [(at_least: 0)]"), "x.ron:5:27: at_least 0 is true in every run; allowed: 1 or more\n"),
        (
            line("latencies: [(at_most: 9)]").replace("expect", "run: (max_cycles: 9), expect"),
            "x.ron:5:49: at_most 9 is true in every run: run.max_cycles is 9\n",
        ),
        (
            line("latencies: [(mean: (0, 9))]").replace("expect", "run: (max_cycles: 9), expect"),
            "x.ron:5:49: a mean from 0 to 9 is true in every run: run.max_cycles is 9\n",
        ),
        (line("multicasts: [(multicast: 0, at_least: 0)]"), "x.ron:5:42: at_least 0 is true in every run; allowed: 1 \
                                                             or more\n"),
        (line("multicasts: [(multicast: 0, equal: 9, at_most: 5)]"), "x.ron:5:42: equal 9 is not within at_least and at_most"),
        (line("deliveries: [(worm: 0, to: [2, 2])]"), "x.ron:5:45: node 2 is given twice; each is allowed once\n"),
        (line("deliveries: [(worm: 0, to: [], by: 9)]"), "x.ron:5:45: by has no effect without to; leave it out\n"),
        (line("blocked: [(worm: 0, by: [], cycles: 3)]"), "x.ron:5:42: by is empty, so that no cycle is spent \
                                                           waiting; allowed: cycles: 0, or a worm in by\n"),
        (line("blocked: [(worm: 0, by: [0], cycles: 0)]"), "x.ron:5:43: by names worms, and a wait for a worm takes 1 \
                                                            cycle or more; allowed: by: [], or cycles above 0\n"),
        (line("blocked: [(worm: 0, by: [], at: \"token of {rt_0}\")]"), "x.ron:5:42: no output \"token of {rt_0}\"; nearest names: "),
        (line("links: [(link: \"rt_0.out0\")]"), "x.ron:5:22: nothing is expected of this link; allowed: flits, blocked, longest\n"),
        (line("links: [(link: \"token of {rt_0}\", flits: 0)]"), "x.ron:5:23: no output \"token of {rt_0}\"; nearest names: "),
        (line("account: ()"), "x.ron:5:14: nothing is expected of the account; allowed: moving, no_credit, lane_wait, "),
        (line("account: (waited_for: (1, 9))"), "x.ron:5:14: account.waited_for: there is no worm 1; the run creates worms 0 to 0\n"),
        (line("deadlock: found(worms: [0], holds: [\"token of {rt_0}\"])"), "x.ron:5:50: no such token; nearest names: the network has none\n"),
        (
            "(purpose: \"x\", network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), token_ring: (hop_cycles: 2)), \
             expect: (deadlock: found(worms: [0], wants: [\"token of {sw_s0_r0}\"])))".to_owned(),
            "x.ron:1:164: no such token; nearest names: token of {sw_s1_r0}; ",
        ),
        (line("deadlock: found(worms: [0]), final_state: empty"), "x.ron:5:14: deadlock and final_state: empty \
                                                                   exclude each other; leave one out\n"),
        (line("properties: [\"always rt_0.out0.valid <= 1\"]"), "x.ron:5:27: properties[0]: always true: its left side is 0 to 1, its right side 1\n"),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (0, 9), payload_flits: (1, 2), sources: [1], targets: [1])], workload"),
            "x.ron:4:78: random worms: node 1 is the only sender and the only receiver; allowed: another node\n",
        ),
        (line("properties: [\"cycle == 3\"]"), "x.ron:5:27: properties[0]: names no signal, such as rt_0.out0.valid\n"),
        (
            line("properties: [\"rt_0.out0.flit == 99999999999999999999\"]"),
            "x.ron:5:27: properties[0]: 99999999999999999999 is out of range; allowed: 0 to 18446744073709551615\n",
        ),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (0, 9), payload_flits: (1, 2), sources: [])], workload"),
            "x.ron:4:",
        ),
        (
            line(GOOD).replace(
                "workload",
                "random: [(worms: 2, cycles: (0, 9), payload_flits: (1, 2), encodings: [(bit_string, 1)], destinations: (7, 9))], workload",
            ),
            "x.ron:4:94: random worms: up to 9 destinations; at most 2 nodes can receive\n",
        ),
        (line(GOOD).replace("workload", "random: [(worms: 0, cycles: (0, 9), payload_flits: (1, 2))], workload"), "x.ron:4:15: random worms: 0 worms; allowed: 1 to"),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (9, 0), payload_flits: (1, 2))], workload"),
            "x.ron:4:25: random worms: the range 9 to 0 is empty",
        ),
        (
            line(GOOD).replace("workload", "random: [(worms: 2, cycles: (0, 9), payload_flits: (1, 2), encodings: [(multiport, 1)])], workload"),
            "x.ron:4:76: random worms: a multiport header has a mask of ports for each stage",
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
        assert!(
            !text.contains("[], equal") && !text.contains("sources: []")
                || told.contains("the list is empty; leave it out for all"),
            "{told}"
        );
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
        (
            "test good.ron --junit /nowhere/j.xml",
            "/nowhere/j.xml: cannot be written: there is no folder /nowhere, create it first",
        ),
        ("test good.ron --json empty", "empty: cannot be written: is a directory"),
        ("test", "testbenches: cannot be read: No such file"),
        ("test good.ron --junit r.x --json ./r.x", "./r.x: is both --junit and --json; give each a file of its own"),
        ("test good.ron --junit good.ron", "good.ron: is both a testbench and --junit"),
        ("test . --json good.ron", "good.ron: is both a testbench and --json"),
    ];
    for (line, expected) in cases {
        let message = bench.line(line).refused();
        assert!(message.starts_with(expected), "{line}\nexpected {expected}\n   found {message}");
        assert_eq!(bench.names(), ["empty", "good.ron"], "{line}");
    }
}

#[test]
fn what_xml_and_terminals_do_not_take_is_escaped() {
    let bench = Bench::with("x.ron", line(GOOD).replace("alone", "\u{fffe}\u{ffff}\\u{1b}[31m red"));
    let out = bench.line("test x.ron --junit j.xml").ends(0);
    assert!(out.contains("  a unicast \\u{fffe}\\u{ffff}\\u{1b}[31m red\n"), "{out}");
    assert!(bench.read("j.xml").contains("a unicast \\u{fffe}\\u{ffff}\\u{1b}[31m red"));
}

#[test]
fn a_report_that_cannot_be_written_leaves_verdicts_and_summary() {
    let bench = Bench::with("good.ron", line(GOOD));
    let call = bench.line("test good.ron --json /dev/full --junit j.xml");
    assert_eq!(call.code, Some(2));
    assert!(call.out.contains("\n1 run: 1 passed, in "), "{}", call.out);
    assert!(call.err.starts_with("error: /dev/full: cannot be written"), "{}", call.err);
    assert_eq!(bench.names(), ["good.ron"]);
}

#[test]
fn what_was_still_open_when_a_run_was_cut_off_is_noted() {
    let text = |property: &str, cycles: u32| {
        line(&format!("final_state: any, properties: [\"{property}\"]"))
            .replace("expect", &format!("run: (max_cycles: {cycles}), expect"))
    };
    let bench = Bench::new();
    let properties = ["rt_0.out0.valid |-> ##9 rt_1.out0.valid", "eventually within 90 rt_1.out1.valid"];
    for (property, asked) in properties.iter().zip([2, 0]) {
        bench.write("x.ron", text(property, 6));
        let out = bench.line("test x.ron").ends(0);
        let note = format!(
            "        note: x.ron:5:{}: properties[0]: not judged: the run ended in cycle 6, before the answer to \
             cycle {asked} was due\n",
            67
        );
        assert!(out.contains(&note), "{out}");
        // After a run that came to its end nothing changes, so all expectations are judged.
        bench.write("x.ron", text(property, 60));
        let out = bench.line("test x.ron --wave never").ends(4);
        assert!(!out.contains("not judged"), "{out}");
    }
}

#[test]
fn what_a_run_does_not_come_to_has_failed() {
    let worm = |cycle: u32| format!("(cycle: {cycle}, source: 0, destinations: [2], payload_flits: 3)");
    let cases = [
        // These runs have no worm at all.
        (worm(99), "final_state: any, deadlock: never", "run: no worm was sent by cycle 20, the end of the run"),
        (worm(20), "final_state: empty", "run: no worm was sent by cycle 20, the end of the run"),
        // In these runs worms are still to come.
        (
            worm(0) + "," + &worm(99),
            "final_state: empty",
            "run: the run was cut off after 20 cycles (run.max_cycles), with messages still to come; to accept it, \
             expect final_state: any",
        ),
        (
            worm(0) + "," + &worm(99),
            "final_state: any, blocked: [(worm: 1, by: [])]",
            "x.ron:5:65: blocked[0]: worm 1 is not created by cycle 20, the end of the run",
        ),
        // In these runs worms are under way.
        (
            worm(0) + "," + &worm(15),
            "final_state: any, latencies: [(worms: [0, 1], at_most: 10)]",
            "x.ron:5:67: latencies[0]: worm 1 does not arrive at node 2",
        ),
        (
            worm(0) + "," + &worm(0).replace("flits: 3", "flits: 90"),
            "final_state: any, latencies: [(at_most: 12)]",
            "x.ron:5:67: latencies[0]: worm 1 does not arrive at node 2 in 20 cycles; expected at most 12",
        ),
    ];
    let bench = Bench::new();
    for (worms, expect, failure) in cases {
        let text = line(expect).replace(&worm(0), &worms).replace("expect:", "run: (max_cycles: 20), expect:");
        bench.write("x.ron", text);
        let out = bench.line("test x.ron --wave never").ends(4);
        assert!(out.contains(&format!("\n        {failure}\n")), "{expect}\n{out}");
    }
    // Results so far are judged: heads that are there, and worms that may still be in time.
    let long = |cycle| worm(cycle).replace("flits: 3", "flits: 90");
    for (worms, expect, code) in [
        (long(0) + "," + &worm(12), "worms: [0], until: head, equal: 7", 0),
        (long(0) + "," + &worm(12), "until: head, at_most: 7", 0),
        (long(0) + "," + &worm(12), "until: head, at_most: 6", 4),
        (worm(0) + "," + &long(5), "at_most: 14", 0),
        (worm(0) + "," + &long(5), "at_most: 13", 4),
    ] {
        let text = line(&format!("final_state: any, latencies: [({expect})]")).replace(&worm(0), &worms);
        bench.write("x.ron", text.replace("expect:", "run: (max_cycles: 19), expect:"));
        bench.line("test x.ron --wave never").ends(code);
    }
}

#[test]
fn links_to_folders_are_not_followed() {
    let bench = Bench::with("good.ron", line(GOOD));
    std::os::unix::fs::symlink(bench.path(""), bench.path("again")).expect("a link");
    assert!(bench.line("test .").ends(0).contains("\n1 run: 1 passed"));
}

#[test]
fn traffic_under_way_at_the_end_is_told_how_to_arrive() {
    let text = "(purpose: \"traffic\", network: (topology: mesh(radices: [4, 4])), run: (measure_cycles: 200), \
                workload: [traffic(load: 0.2, payload_flits: 7)], expect: (final_state: empty))";
    let bench = Bench::with("x.ron", text);
    let out = bench.line("test x.ron --wave never").ends(4);
    assert!(out.contains("run: (drain: empty) waits for random traffic to arrive;"), "{out}");
    bench.write("x.ron", text.replace("200)", "200, drain: empty)"));
    bench.line("test x.ron --wave never").ends(0);
}

#[test]
fn reports_tell_repetitions_apart_and_invent_nothing() {
    let bench = Bench::with("my bench.ron", line("latencies: [(at_most: 9)]"));
    bench.write("wrong.ron", "(purpose: \"wrong\", netwrk: ())");
    let call = bench.line("test . --repeat 2 --junit j.xml --json j.json");
    assert_eq!(call.code, Some(2));
    for part in [
        "again: wormscope test './my bench.ron' --seed 1\n",
        "open: gtkwave './my bench_s1/my bench_s1.gtkw', page './my bench_s1/my bench_s1.html', ",
        "FAILED  ./my bench.ron  2 of 2 runs  a unicast alone\n",
    ] {
        assert!(call.out.contains(part), "{}", call.out);
    }
    assert!(bench.read("my bench_s1/my bench_s1.gtkw").contains("-worm 0: n0 to n2"));
    assert!(!bench.path("my bench_s2").exists());
    let junit = bench.read("j.xml");
    assert!(junit.contains("\"my bench seed 1\"") && junit.contains("\"my bench seed 2\""), "{junit}");
    let all: serde_json::Value = serde_json::from_str(&bench.read("j.json")).expect("JSON");
    let bad = &all["benches"][2];
    assert_eq!(
        (&bad["status"], &bad["seed"], &bad["purpose"]),
        (&"bad".into(), &serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!(bad["failures"][0]["place"], "./wrong.ron:1:20");
}

#[test]
fn of_many_failures_of_a_kind_one_is_printed_and_all_are_reported() {
    let messages = "(cycle: 0, source: 0, destinations: [2], payload_flits: 3), ".repeat(25);
    let text = format!(
        "(purpose: \"many\", network: (topology: linear(nodes: 3)), workload: [messages([{messages}])], \
         expect: (latencies: [(at_most: 1)]))"
    );
    let bench = Bench::with("x.ron", text);
    let out = bench.line("test x.ron --wave never --json j.json").ends(4);
    assert_eq!(out.matches("expected at most 1").count(), 1);
    assert!(
        out.contains(
            "        ... and 24 more like it, in cycles 15, 20, 25, 30, 35, 40 and 18 more; --json lists them\n"
        ),
        "{out}"
    );
    assert_eq!(bench.read("j.json").matches("expected at most 1").count(), 25);
}

fn shipped(more: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wormscope"));
    command.args(["test", "testbenches", "--wave", "never"]).args(more);
    finish(command.current_dir(repository())).ends(0)
}

/// The regression that is shipped, as `make test` runs it. It reaches every bin of coverage that
/// can be reached.
#[test]
fn the_shipped_regression_passes() {
    let bench = Bench::new();
    let coverage = bench.path("all.json");
    let out = shipped(&["--coverage", coverage.to_str().expect("UTF-8")]);
    bench.line("coverage all.json --all --holes --complete").ends(0);
    let passed = out.lines().filter(|line| line.starts_with("passed")).count();
    assert!(passed >= 100, "{passed} testbenches");
    assert!(!out.contains("note:"), "{out}");
}

#[test]
fn the_shipped_regression_passes_with_other_seeds() {
    let out = shipped(&["--repeat", "2"]);
    let runs = out.lines().last().and_then(|summary| summary.split(' ').next()).and_then(|runs| runs.parse().ok());
    assert!(runs >= Some(200), "{out}");
}

#[test]
fn random_worms_are_created_in_all_of_their_cycles() {
    let text = "(purpose: \"late\", network: (topology: mesh(radices: [4, 4])), random: [(worms: 40, \
                cycles: (0, 1000000000000000000), payload_flits: (1, 2))], \
                run: (max_cycles: 1000000000000000000), expect: (final_state: empty))";
    let bench = Bench::with("x.ron", text);
    bench.line("test x.ron --json r.json").ends(0);
    let all: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    assert!(all["benches"][0]["cycles"].as_u64() > Some(500_000_000_000_000_000), "{all}");
}

#[test]
fn waveforms_have_the_blocks_of_each_switch_if_you_ask_for_them() {
    let bench = Bench::with("x.ron", line(GOOD));
    for (more, has_blocks) in [("", false), (" --wave-blocks", true)] {
        bench.line(&format!("test x.ron --wave always{more}")).ends(0);
        assert_eq!(bench.read("waves/x/x.gtkw").contains("-blocks of in"), has_blocks);
    }
    let idle = bench.line("test x.ron --wave never --wave-blocks").refused();
    assert_eq!(idle, "--wave-blocks: --wave never writes no waveform; leave one of the two out");
}
