//! `wormscope test` in daily work: kinds of failures, choice of testbenches, limits, overrides.

use crate::Bench;

/// Random worms in a small mesh; `expect` is what is expected.
pub fn random(more: &str, expect: &str) -> String {
    format!(
        "(\n    purpose: \"random worms\",\n    {more}\n    network: (topology: mesh(radices: [3, 3])),\n    \
         random: [(worms: 20, cycles: (0, 30), payload_flits: (1, 8))],\n    expect: ({expect}),\n)\n"
    )
}

const LATE: &str = "latencies: [(at_most: 14)], properties: [\"node4.ej.valid |-> ##1 node4.ej.valid && cycle < 30\"]";

#[test]
fn failures_of_many_seeds_are_one_of_each_kind_and_a_table() {
    let bench = Bench::with("r.ron", random("", LATE));
    let out = bench.line("test r.ron --repeat 30 --json out/../j.json --junit x/../j.xml");
    assert_eq!(out.code, Some(2), "{}", out.err);
    let out = bench.line("test r.ron --repeat 30 --json j.json --junit j.xml").ends(4);
    // Both kinds are printed once, with the text of the property and a table of its signals.
    assert_eq!(out.matches("expected at most 14").count(), 1, "{out}");
    assert_eq!(out.matches("\n            node4.ej.valid |-> ##1 node4.ej.valid && cycle < 30\n").count(), 1, "{out}");
    assert!(out.contains("\n            cycle           ") && out.contains("\n            node4.ej.valid  "), "{out}");
    assert!(out.lines().count() < 30, "{out}");
    let all: serde_json::Value = serde_json::from_str(&bench.read("j.json")).expect("JSON");
    let failed = all["failed"].as_u64().expect("a number");
    assert!(failed > 20, "{failed}");
    assert!(out.contains(&format!("\nFAILED  r.ron  {failed} of 30 runs  random worms\n")), "{out}");
    let kinds = all["kinds"].as_array().expect("kinds");
    assert_eq!(kinds.len(), 2);
    for kind in kinds {
        // The table has what the runs add up to.
        let of_kind = |run: &serde_json::Value| {
            let failures = run["failures"].as_array().expect("failures").iter();
            failures.filter(|failure| failure["kind"] == kind["what"]).count() as u64
        };
        let runs: Vec<_> = all["benches"].as_array().expect("runs").iter().filter(|run| of_kind(run) > 0).collect();
        assert_eq!(kind["failures"].as_u64(), Some(runs.iter().map(|run| of_kind(run)).sum()));
        assert_eq!(kind["runs"].as_u64(), Some(runs.len() as u64));
        assert_eq!(kind["seed"], runs[0]["seed"]);
        let again = kind["again"].as_str().expect("a command");
        assert!(out.lines().any(|line| line.starts_with("  r.ron:6:") && line.ends_with(again)), "{out}");
        bench.line(again.strip_prefix("wormscope ").expect("a command")).ends(4);
    }
    assert!(bench.read("j.xml").matches("node4.ej.valid |-&gt; ##1").count() > 1);
    // Two runs at most have a folder, one for each kind; the other 28 have none.
    let folders = bench.names().into_iter().filter(|name| name.starts_with("r_s")).count();
    assert!((1..=2).contains(&folders), "{:?}", bench.names());
}

#[test]
fn the_stimulus_of_a_failure_fails_alone_as_its_run() {
    let bench = Bench::with("r.ron", random("tags: [\"nightly\"],", LATE));
    bench.line("test r.ron --seed 3").ends(4);
    let out = bench.line("test waves/r/_r_stimulus.ron --wave never").ends(4);
    assert!(out.contains("random worms (seed 3)") && out.contains("expected at most 14"), "{out}");
    assert_eq!(bench.read("waves/r/_r.ron"), bench.read("r.ron"));
    assert!(bench.read("waves/r/r.html").contains("<script"));
}

#[test]
fn enough_failures_end_the_command_at_the_same_run_however_many_threads() {
    let bench = Bench::with("r.ron", random("", LATE));
    let out = bench.line("test r.ron --repeat 30 --wave never --fail-fast").ends(4);
    assert!(out.contains(": 0 passed, 1 failed, 29 left out, in "), "{out}");
    let out = bench.line("test r.ron --repeat 30 --wave never --max-failures 5 --json j.json").ends(4);
    assert!(out.contains(", 5 failed, "), "{out}");
    let all: serde_json::Value = serde_json::from_str(&bench.read("j.json")).expect("JSON");
    let (left, runs) = (all["left_out"].as_u64(), all["benches"].as_array().map(|runs| runs.len() as u64));
    assert_eq!(left.zip(runs).map(|(left, runs)| left + runs), Some(30));
}

#[test]
fn waves_are_kept_for_as_many_runs_of_a_kind_as_asked() {
    let bench = Bench::with("r.ron", random("", "latencies: [(at_most: 9)]"));
    let folders = |line: &str| {
        bench.line(line).ends(4);
        std::fs::read_dir(bench.path("waves")).map_or(0, Iterator::count)
    };
    assert_eq!(folders("test r.ron --repeat 6 --keep-waves 0"), 0);
    assert_eq!(folders("test r.ron --repeat 6"), 1);
    assert_eq!(folders("test r.ron --repeat 6 --keep-waves 3"), 3);
}

#[test]
fn tags_choose_testbenches_and_a_list_shows_them() {
    let bench = Bench::with("a.ron", random("tags: [\"nightly\", \"slow\"],", "final_state: empty"));
    bench.write("b.ron", random("tags: [\"nightly\"],", "final_state: empty"));
    bench.write("c.ron", random("", "final_state: empty"));
    let all =
        "a.ron  nightly,slow  random worms\nb.ron  nightly       random worms\nc.ron                random worms\n";
    assert_eq!(bench.line("test a.ron b.ron c.ron --list").ends(0), all);
    let listed = |tags: &str| {
        let out = bench.line(&format!("test a.ron b.ron c.ron --list {tags}")).ends(0);
        out.lines().map(|line| line[..1].to_owned()).collect::<String>()
    };
    assert_eq!(listed("--tag nightly"), "ab");
    assert_eq!(listed("--tag !nightly"), "c");
    assert_eq!(listed("--tag nightly --tag !slow"), "b");
    assert!(bench.line("test a.ron b.ron --tag slow").ends(0).contains("\n1 run: 1 passed"));
    let refused = |line: &str, why: &str| {
        let call = bench.line(line);
        assert_eq!((call.code, call.out.as_str()), (Some(2), ""), "{line}");
        assert!(call.err.contains(why), "{}", call.err);
    };
    refused("test a.ron --tag nihgtly", "--tag nihgtly: no testbench has this tag; nearest tags: nightly");
    refused("test c.ron --tag nightly", "--tag nightly: no testbench has this tag; no testbench has a tag");
    refused("test a.ron --tag slow --tag !nightly", "--tag: no testbench has these tags together");
    bench.write("d.ron", random("tags: [\"two words\"],", "final_state: empty"));
    let out = bench.line("test d.ron").out;
    assert!(out.contains("d.ron:3:12: \"two words\" is no tag; allowed: letters, digits and _ - ."), "{out}");
}

#[test]
fn fields_of_all_testbenches_are_set_from_outside() {
    let bench = Bench::with("a.ron", random("", "properties: [\"rt_0_0.out0.credits < 3\"]"));
    let out = bench.line("test a.ron --set fifo_depth=2 --wave never").ends(0);
    assert!(out.starts_with("passed"), "{out}");
    let out = bench.line("test a.ron --set network.switch.fifo_depth=3 --wave never").ends(4);
    assert!(out.contains("again: wormscope test a.ron --set network.switch.fifo_depth=3 --seed 1\n"), "{out}");
    let out = bench.line("test a.ron --set fifo_detph=3").out;
    assert!(out.contains("BAD     a.ron\n") && out.contains("fifo_depth"), "{out}");
}

#[test]
fn the_slowest_runs_are_listed() {
    let bench = Bench::with("a.ron", random("", "final_state: empty"));
    let table = |line: &str| {
        let out = bench.line(line).ends(0);
        let rows = out.split("\nslowest").nth(1).expect("a table").lines().skip(1).take_while(|line| !line.is_empty());
        let seconds: Vec<f64> =
            rows.map(|row| row.split_whitespace().nth(1).and_then(|s| s.parse().ok()).expect("seconds")).collect();
        assert!(seconds.is_sorted_by(|a, b| a >= b), "{out}");
        seconds.len()
    };
    assert_eq!(table("test a.ron --repeat 15 --slowest"), 10);
    assert_eq!(table("test a.ron --repeat 15 --slowest 3"), 3);
}

#[test]
fn any_seed_is_exported_and_the_smallest_failure_is_found() {
    let trees = "encodings: [(bit_string, 1)], worms: 40, cycles: (0, 40), payload_flits: (6, 12)";
    let text = format!(
        "(purpose: \"trees\", network: (topology: mesh(radices: [3, 3])), random: [({trees})], expect: (final_state: empty))"
    );
    let bench = Bench::with("t.ron", text);
    let first = |line: &str| bench.line(line).out.lines().next().unwrap_or_default().replace("t7.ron", "t.ron ");
    let out = bench.line("test t.ron --seed 7 --export t7.ron").ends(0);
    assert_eq!(out, "t.ron: the stimulus of seed 7\n\nwrote t7.ron\n");
    // The exported file needs no seed, and runs as the random one.
    let cycles = |line: &str| first(line).split_whitespace().nth(2).map(str::to_owned);
    assert_eq!(cycles("test t.ron --seed 7 --wave never"), cycles("test t7.ron --wave never"));
    let out = bench.line("test t.ron --repeat 50 --shrink small.ron").ends(4);
    assert!(out.contains(" fails: run: deadlock\n2 of 40 worms in "), "{out}");
    assert!(out.ends_with("again: wormscope test small.ron\n\nwrote small.ron\n"), "{out}");
    let small = bench.read("small.ron");
    assert!(small.contains("messages([") && !small.contains("random"), "{small}");
    assert!(bench.line("test small.ron --wave never").ends(4).contains("run: DEADLOCK"));
    let refused = |line: &str, why: &str| {
        let call = bench.line(line);
        assert_eq!((call.code, call.out.as_str()), (Some(2), ""), "{line}");
        assert!(call.err.contains(why), "{}", call.err);
        assert!(!bench.path("x.ron").exists());
    };
    refused("test t.ron small.ron --export x.ron", "--export: 2 testbenches are chosen; allowed: one");
    refused("test t.ron --export t.ron", "t.ron: is both a testbench and --export");
    bench.write("good.ron", random("", "final_state: empty"));
    refused("test good.ron --shrink x.ron --repeat 2", "good.ron: no failure to shrink in 2 runs from seed 1 on");
    refused("test good.ron --sva x.ron", "good.ron: it has no properties and no signals");
    refused("run good.ron", "good.ron: a testbench; to run it: wormscope test good.ron; ");
    bench.write("task.ron", "(bases: [\"my.ron\"], least: \"area\")");
    refused("run task.ron", "task.ron: a task; to find its networks: wormscope find task.ron");
    bench.write("study.ron", "(bases: [\"my.ron\"])");
    refused("prove study.ron", "study.ron: the file of a sweep; to run it: wormscope sweep study.ron -o DIR");
    let takes =
        "good.ron: a testbench, and a sweep takes experiments; to run it with ten seeds: wormscope test good.ron";
    refused("sweep good.ron --vary load=0.1,0.2 -o swept", takes);
    assert!(!bench.path("swept").exists());
}

#[test]
fn assertions_are_on_the_names_of_the_waveform() {
    let bench = Bench::with(
        "a.ron",
        random(
            "",
            "properties: [\"rt_0_0.out0.valid |-> ##[1:4] rt_1_0.in1.state == MOVE\", \"eventually node4.ej.valid\"]",
        ),
    );
    let out = bench.line("test a.ron --sva a.sv").ends(0);
    assert_eq!(out, "2 assertions\n\nwrote a.sv\n");
    let text = bench.read("a.sv");
    for part in [
        "module wormscope_a (\n    input logic clk,\n    input logic reset,\n    input logic \\node4.ej.valid ,\n",
        "    input logic [2:0] \\rt_1_0.in1.state \n);\n",
        "assertion_0: assert property (@(posedge clk) disable iff (reset) !left_0[4])",
        "    .\\rt_0_0.out0.valid (rt_0_0.out0.valid)",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    bench.write(
        "b.ron",
        random("", "properties: [\"(node0.inj.valid, f = node0.inj.flit) |-> eventually node4.ej.flit == f\"]"),
    );
    let out = bench.line("test b.ron --sva b.sv").ends(0);
    assert!(out.contains("0 assertions\nno assertion: properties[0], b.ron:6:27: a sampled value would have"), "{out}");
}

#[test]
fn latencies_of_some_worms_have_percentiles_and_arrivals_a_throughput() {
    // Two classes: the short worms take 8 cycles to node 1 and the long one waits for none.
    let text = |expect: &str| {
        format!(
            "(purpose: \"x\", network: (topology: linear(nodes: 4)), workload: [messages([\
             (cycle: 0, source: 0, destinations: [1], payload_flits: 3, class: \"short\"), \
             (cycle: 50, source: 0, destinations: [1], payload_flits: 3, class: \"short\"), \
             (cycle: 90, source: 3, destinations: [0, 2], encoding: bit_string, payload_flits: 30)])], expect: ({expect}))"
        )
    };
    let bench = Bench::new();
    let told = |expect: &str, code: i32| {
        bench.write("x.ron", text(expect));
        let call = bench.line("test x.ron --wave never");
        assert_eq!(call.code, Some(code), "{expect}: {}{}", call.out, call.err);
        call.out
    };
    told(
        "latencies: [(classes: [\"short\"], equal: 8), (encodings: [unicast], at_most: 8), (window: (80, 90), at_least: 30)]",
        0,
    );
    told("latencies: [(percentiles: [(percent: 50, at_most: 8), (percent: 100, at_least: 30)])]", 0);
    let out = told("latencies: [(percentiles: [(percent: 75, at_most: 8)])]", 4);
    assert!(out.contains("75 % of 4 latencies are up to ") && out.contains("; expected at most 8"), "{out}");
    // 4 flits arrive twice at node 1.
    told("throughput: [(to: [1], window: (0, 79), at_least: 0.1, at_most: 0.1)]", 0);
    told("throughput: [(classes: [\"short\"], window: (0, 19), at_least: 0.05, at_most: 0.05)]", 0);
    let out = told("throughput: [(to: [1], window: (0, 79), at_least: 0.2)]", 4);
    assert!(
        out.contains("8 flits arrive at 1 node in cycles 0 to 79, 0.1000 per node and cycle; expected at least 0.2"),
        "{out}"
    );
    for (expect, why) in [
        ("latencies: [(classes: [\"shrot\"], at_most: 9)]", "no worm has the class shrot; did you mean \"short\"?"),
        ("latencies: [(window: (9, 3), at_most: 9)]", "the window 9 to 3 has no cycle"),
        ("latencies: [(worms: [0], encodings: [unicast], at_most: 9)]", "worms names the worms; leave classes"),
        ("latencies: [(percentiles: [(percent: 0, at_most: 9)])]", "0 per cent; allowed: above 0, up to 100"),
        ("latencies: [(percentiles: [(percent: 9)])]", "no bound is given; allowed: at_least, at_most"),
        ("throughput: [(to: [1])]", "no throughput is given; allowed: at_least, at_most"),
        ("throughput: [(at_least: 0)]", "at_least 0 is true in every run; allowed: above 0"),
        ("throughput: [(at_least: 0.3, at_most: 0.2)]", "at_least 0.3 is above at_most 0.2; no number is both"),
    ] {
        let out = told(expect, 2);
        assert!(out.contains(why), "{expect}: {out}");
    }
}

#[test]
fn a_changed_file_runs_the_testbenches_that_include_it() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let bench = Bench::with("_part.ron", "(network: (topology: mesh(radices: [3, 3])))");
    let text = |include: &str| {
        format!(
            "(purpose: \"x\", {include}, random: [(worms: 3, cycles: (0, 9), payload_flits: (1, 2))], expect: (final_state: empty))"
        )
    };
    bench.write("a.ron", text("include: [\"_part.ron\"]"));
    bench.write("b.ron", text("network: (topology: linear(nodes: 3))"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
    command.args(["test", "a.ron", "b.ron", "--watch"]).current_dir(bench.path(""));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // The lines up to the next summary; the watch begins before a run ends.
    let mut next = || -> Vec<String> {
        let lines = out.by_ref().map(|line| line.expect("a line"));
        let mut ran = Vec::new();
        for line in lines {
            if line.contains(" passed, in ") || line.contains(" failed, in ") {
                break;
            }
            ran.extend(line.split_whitespace().nth(1).map(str::to_owned));
        }
        ran
    };
    assert_eq!(next(), ["a.ron", "b.ron"]);
    bench.write("_part.ron", "(network: (topology: mesh(radices: [2, 2])))");
    assert_eq!(next(), ["a.ron"]);
    bench.write("b.ron", text("network: (topology: linear(nodes: 4))"));
    assert_eq!(next(), ["b.ron"]);
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().expect("a signal");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
}
