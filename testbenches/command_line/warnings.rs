//! Warnings of deadlocks that are possible. They come before the run, on standard error.

use super::Bench;

/// Two worms hold a consumption channel each and wait for the other's.
const WORMS: &str = "(network: (topology: mesh(radices: [4])), workload: [messages([\
                     (cycle: 0, source: 0, destinations: [1, 2], encoding: multidestination, payload_flits: 40),\
                     (cycle: 900, source: 3, destinations: [2, 1], encoding: multidestination, payload_flits: 40)])])";

#[test]
fn worms_that_can_deadlock_are_warned_of_before_the_run() {
    let bench = Bench::with("x.ron", WORMS);
    for command in ["check", "run"] {
        let call = bench.call([command, "x.ron"]);
        let begins = "warning: worms of this workload can deadlock, since they wait for each other along ";
        assert!(call.err.starts_with(begins), "{}", call.err);
        let end = "; wormscope check x.ron --deadlock --witness FILE writes messages that deadlock\n";
        assert!(call.err.ends_with(end), "{}", call.err);
        // These cycles of creation are far apart.
        call.ends(0);
        let two = bench.call([command, "x.ron", "--set", "network.node.consumption_channels=2"]);
        assert_eq!(two.err, "");
        two.ends(0);
    }
    // A file that the verdict has nothing for is told, and the other one is written.
    let call = bench.line("check x.ron --deadlock --certificate proof.json --witness witness.ron");
    assert_eq!(call.err, "warning: the verdict is possible, so no certificate was written\n");
    call.ends(3);
    assert!(!bench.path("proof.json").exists());
    bench.line("test witness.ron").ends(0);
    let free = "check x.ron --set consumption_channels=2 --deadlock --certificate proof.json --witness none.ron";
    let call = bench.line(free);
    assert_eq!(call.err, "warning: the verdict is free, so no witness was written\n");
    call.ends(0);
    assert!(bench.path("proof.json").exists() && !bench.path("none.ron").exists());
}

#[test]
fn a_witness_of_a_verdict_passes_as_a_testbench() {
    // The cycle of this deadlock needs worms that are not in it.
    let bench = Bench::new();
    bench.call(["check", &super::config("atbm_fig7a_deadlock.ron"), "--deadlock", "--witness", "w.ron"]).ends(3);
    assert!(bench.line("deadlock w.ron --before 0").ends(3).contains("also needed by the cycle"));
    bench.line("test w.ron").ends(0);
    // A testbench is judged like an experiment.
    let judged = bench.line("check w.ron --deadlock --witness again.ron").ends(3);
    assert!(judged.starts_with("w.ron: valid") && judged.contains("deadlock: possible"), "{judged}");
    bench.line("test again.ron").ends(0);
}

#[test]
fn a_witness_that_leaves_out_stalls_says_so() {
    let message = |source: u32| {
        let to = (source + 2) % 4;
        format!("(cycle: 0, source: {source}, destinations: [{to}], payload_flits: 8)")
    };
    let messages = [0, 1, 2, 3].map(message).join(", ");
    let bench = Bench::with(
        "x.ron",
        format!(
            "(network: (topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2)), workload: \
             [messages([{messages}]), stalls([(link: \"rt_1.out0\", from: 0, until: 900)])])"
        ),
    );
    let call = bench.line("check x.ron --deadlock --witness w.ron");
    assert_eq!(call.err, "warning: the witness leaves out the stalls of the workload\n");
    call.ends(3);
    bench.line("test w.ron").ends(0);
}

#[test]
fn a_network_without_worms_is_not_called_free() {
    let bench = Bench::with("bare.ron", "(network: (topology: mesh(radices: [4])))");
    let refused = bench.line("check bare.ron --deadlock --certificate c.json").refused();
    assert!(refused.contains("no node sends a worm") && refused.contains("wormscope prove"), "{refused}");
    assert!(!bench.path("c.json").exists());
}

#[test]
fn warnings_look_into_traces_and_the_run_tells_their_errors() {
    let trace = format!("{}0,0,1 2,multidestination,40\n900,3,2 1,multidestination,40\n", super::HEADER);
    let bench = Bench::with("trace.csv", &trace);
    bench.write("x.ron", "(network: (topology: mesh(radices: [4])), workload: [trace(\"trace.csv\")])");
    let call = bench.line("run x.ron");
    assert!(call.err.starts_with("warning: worms of this workload can deadlock"), "{}", call.err);
    call.ends(0);
    bench.write("trace.csv", trace + "950,2,9,unicast,4\n");
    let call = bench.line("run x.ron");
    assert!(call.err.starts_with("error: trace.csv:4:"), "{}", call.err);
}

#[test]
fn a_window_too_short_to_tell_a_load_from_saturation_says_how_long_would_do() {
    let traffic = "workload: [traffic(load: 0.25, payload_flits: 15)]";
    let text = format!(
        "(network: (topology: mesh(radices: [8, 8])), {traffic}, run: (warmup_cycles: 200, measure_cycles: 1500))"
    );
    let bench = Bench::with("x.ron", &text);
    let told = bench.line("run x.ron").ends(0);
    let (_, note) = told.split_once("\n  short: source queues grew by ").expect("a note");
    let (_, cycles) = note.split_once("run.measure_cycles: ").expect("a window");
    let cycles = cycles.split(' ').next().expect("a number");
    let told = bench.line(&format!("run x.ron --set measure_cycles={cycles}")).ends(0);
    assert!(told.contains("\n  saturated: ") && !told.contains("\n  short: "), "{told}");
    let told = bench.line("run x.ron --set load=0.1").ends(0);
    assert!(!told.contains("\n  short: "), "{told}");
}

#[test]
fn links_that_stand_idle_are_named() {
    let bench =
        Bench::with("x.net", "switch a b\nlink a.0 b.0\nlink a.1 b.1\nnode a.2\nnode a.3\nnode b.2\nnode b.3\n");
    let workload = "[messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 4)])]";
    bench.write("x.ron", format!("(network: (topology: netlist(file: \"x.net\")), workload: {workload})"));
    let expected = "warning: 2 of 4 channels between switches are idle, since no route between two nodes takes them: a.out1 to b, \
                    b.out1 to a; netlist.spread: true shares destinations out among parallel links\n";
    for command in ["check", "run"] {
        let call = bench.call([command, "x.ron"]);
        assert_eq!(call.err, expected);
        call.ends(0);
        let call = bench.call([command, "x.ron", "--set", "network.topology.netlist.spread=true"]);
        assert_eq!(call.err, "");
        call.ends(0);
    }
    let trees = bench.line("run x.ron --set workload[0].messages[0].encoding=bit_string --set netlist.spread=true");
    let why = trees.refused();
    assert!(why.contains("two routes from node 0 meet at b") && why.contains("; spread: false avoids this"), "{why}");
}

#[test]
fn traffic_after_the_window_is_warned_of() {
    let traffic = "traffic(load: 0.1, payload_flits: 3), traffic(load: 0.1, payload_flits: 3, from: 500)";
    let bench = Bench::with(
        "late.ron",
        format!("(network: (topology: linear(nodes: 4)), workload: [{traffic}], run: (measure_cycles: 500))"),
    );
    let call = bench.line("run late.ron");
    let warned = "warning: workload[1].traffic begins in cycle 500, after the last measured cycle, 499; ";
    assert!(call.err.starts_with(warned), "{}", call.err);
    assert_eq!(bench.line("run late.ron --set measure_cycles=501").err, "");
}
