//! Warnings of deadlocks that are possible. They come before the run, on standard error.

use super::Bench;

const WORMS: &str = "(network: (topology: mesh(radices: [4, 4]), node: (consumption_channels: 4)), workload: [messages([\
                     (cycle: 0, source: 5, destinations: [6, 7, 11], encoding: multidestination, payload_flits: 4),\
                     (cycle: 0, source: 5, destinations: [9, 10], encoding: multidestination, payload_flits: 4),\
                     (cycle: 900, source: 5, destinations: [7, 6], encoding: multidestination, payload_flits: 4)])])";

#[test]
fn a_worm_off_the_base_routing_is_warned_of_and_runs() {
    let bench = Bench::with("x.ron", WORMS);
    let expected = "warning: workload[0].messages[1]: n9 is not, in this order, on the dimension-order route from n5 to n10: \
                    multidestination worms that do not conform to the base routing can deadlock (1 more like it); list the \
                    destinations in the order in which one route passes them, or split the message\n";
    for command in ["check", "run"] {
        let call = bench.call([command, "x.ron"]);
        assert_eq!(call.err, expected);
        call.ends(0);
    }
    let few = bench.line("check x.ron --set network.node.consumption_channels=3");
    assert!(few.err.contains("can deadlock with consumption_channels: 3"), "{}", few.err);
}

#[test]
fn check_looks_into_traces() {
    let bench =
        Bench::with("trace.csv", format!("{}0,3,4 5,multidestination,4\n9,3,5 4,multidestination,4\n", super::HEADER));
    bench.write("x.ron", super::TRACED);
    let call = bench.line("check x.ron --set network.node.consumption_channels=2");
    assert!(call.err.starts_with("warning: trace.csv, message 2: n5 is not, in this order,"), "{}", call.err);
    call.ends(0);
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
    let expected = "warning: 2 of 4 links between switches are idle, since no route between two nodes takes them: a.out1 to b, \
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
