//! Bad input: one paragraph that says where, what and what is allowed; exit code 2; no file
//! touched.

use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{Bench, Call, HEADER, TRACED, TRAFFIC, config};

/// An experiment on a 4x4 mesh with one message.
fn message(switch: &str, message: &str) -> String {
    format!(
        "(\n  network: (topology: mesh(radices: [4, 4]), switch: ({switch})),\n  workload: [messages([\n    ({message}),\n  ])],\n)\n"
    )
}

#[test]
fn every_mistake_in_a_configuration_is_told_with_its_place_and_what_is_allowed() {
    let short = "flit_bits: 8, fifo_depth: 1";
    let cases = [
        (
            "(\n  network: (\n    topology: mesh(radices: [4, 4]),\n    switch: (fifo_dept: 4),\n  ),\n)".to_owned(),
            "x.ron:4:14: unknown field \"fifo_dept\" in switch; did you mean \"fifo_depth\"? allowed: flit_bits,",
        ),
        (
            "(network: (topology: ring(nodes: 4)))".to_owned(),
            "x.ron:1:22: unknown topology \"ring\"; allowed: linear, mesh, torus",
        ),
        (
            "(network: (topology: mesh(radices: 4)))".to_owned(),
            "x.ron:1:27: network.topology.mesh.radices: expected a list",
        ),
        (
            message("fifo_depth: \"4\"", ""),
            "x.ron:2:55: network.switch.fifo_depth: expected an integer from 0 to 4294967295, found \"4\"",
        ),
        (message("fifo_depth: 0", ""), "x.ron:4:5: missing field"),
        (
            message("fifo_depth: 0", "cycle: 0, source: 0, destinations: [1], payload_flits: 1"),
            "x.ron:2:55: fifo_depth is 0; allowed: 1 to 65535 flits",
        ),
        ("(network: (topology: mesh(radices: [4, 0])))".to_owned(), "x.ron:1:40: a radix of 0; allowed: 1 to 65535"),
        (
            "(network: (topology: mesh(radices: [4096, 4096, 4096])))".to_owned(),
            "x.ron:1:27: 4096 * 4096 * 4096 is at least 68719476736 nodes; allowed: up to 16777216",
        ),
        (
            "(network: (topology: mesh(radices: [2, 65536])))".to_owned(),
            "x.ron:1:40: a radix of 65536; allowed: 1 to 65535",
        ),
        (
            message(short, "cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 4"),
            "x.ron:2:69: bit_string needs 2 header flits (16 nodes / 8 bits) but fifo_depth is 1; at least 2",
        ),
        (
            message(
                "header_timing: beside",
                "cycle: 0, source: 0, destinations: [1, 2], encoding: multidestination, payload_flits: 4",
            ),
            "x.ron:4:49: switches strip flits of a multidestination header, and with header_timing: beside a header \
             takes no flits; allowed: bit_string",
        ),
        (
            message("", "cycle: 0, source: 0, destinations: [16], payload_flits: 4"),
            "x.ron:4:42: node 16 is outside the network; allowed: 0 to 15 (16 nodes)",
        ),
        (
            message("", "cycle: 0, source: 0, destinations: [], payload_flits: 4"),
            "x.ron:4:27: no destinations; at least one is needed",
        ),
        (
            message("", "cycle: 0, source: 0, destinations: [3, 3], encoding: bit_string, payload_flits: 4"),
            "x.ron:4:45: node 3 is given twice; each is allowed once",
        ),
        (
            message("", "cycle: 0, source: 3, destinations: [1, 3], encoding: multidestination, payload_flits: 4"),
            "x.ron:4:45: node 3 is the source of this multicast; only a unicast may go to its own source; leave it out",
        ),
        (
            message("", "cycle: 0, source: 3, destinations: [1, 2], payload_flits: 4"),
            "x.ron:4:27: 2 destinations need an encoding; allowed: bit_string, multidestination",
        ),
        (
            message("", "cycle: 0, source: 3, destinations: [1], payload_flits: 0"),
            "x.ron:4:46: payload_flits is 0; at least 1",
        ),
        ("\u{feff}(network: (topology: mesh(radices: [4])".to_owned(), "x.ron:1:"),
        (
            "(network: (topology: mesh(radices: [4, 4])), run: (seed: 1, seed: 2))".to_owned(),
            "x.ron:1:61: field \"seed\" is given twice",
        ),
        (String::new(), "x.ron:1:1: "),
        ("[".repeat(1_000_000), "x.ron:1:1: expected (...) with the fields of experiment, found [[["),
        ("/*".repeat(1_000_000), "x.ron:1:1: the comment is not closed"),
        ("(network:".repeat(100_000), "x.ron:1:"),
    ];
    let bench = Bench::with("r.json", "old");
    for (text, expected) in cases {
        bench.write("x.ron", &text);
        for line in ["check x.ron", "run x.ron --json r.json --csv r.csv --wave r.vcd"] {
            let message = bench.line(line).refused();
            assert!(message.starts_with(expected), "expected {expected}\n   found {message}");
        }
        assert_eq!(bench.names(), ["r.json", "x.ron"]);
        assert_eq!(bench.read("r.json"), "old");
    }
}

/// Readers that call themselves for each level would come to the end of their stack.
#[test]
fn every_reader_that_nests_has_a_bound_and_says_where_it_is_passed() {
    let nested =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(10_000), close.repeat(10_000));
    let bench = Bench::with("x.ron", TRAFFIC);
    let deep = "is nested deeper than 32 levels, from character 33 on";
    let long = "is longer than 1000 characters, from character 1001 on";
    for (expression, why) in
        [(nested("(", "4", ")"), long), (format!("4{}", "+0".repeat(8000)), long), ("(".repeat(999), deep)]
    {
        let told =
            bench.call(["sweep", "x.ron", "--derive", &format!("fifo_depth={expression}"), "-o", "out"]).refused();
        assert!(told.starts_with("--derive fifo_depth: ") && told.contains(why) && told.len() < 200, "{told}");
        bench.write("study.ron", format!("(bases: [\"x.ron\"], derive: [\"fifo_depth={expression}\"])"));
        let in_file = told.replacen("--derive ", "study.ron:1:41: ", 1);
        assert_eq!(bench.line("sweep study.ron -o out").refused(), in_file);
    }
    for value in [
        nested("Some(", "4", ")"),
        nested("[", "", "]"),
        nested("(a: ", "4", ")"),
        nested("a(", "4", ")"),
        nested("(", "4", ")"),
    ] {
        let told = bench.call(["check", "x.ron", "--set", &format!("token_ring={value}")]).refused();
        assert!(told.contains("the value is not RON: nested deeper than 64 levels") && told.len() < 200, "{told}");
        let told = bench.call(["sweep", "x.ron", "--vary", &format!("token_ring={value}"), "-o", "out"]).refused();
        assert!(told.contains("the value is not RON: nested deeper than 64 levels") && told.len() < 200, "{told}");
        for field in ["network: @", "network: (topology: @)", "workload: @", "run: (seed: @)", "other: @"] {
            bench.write("deep.ron", format!("({})", field.replace('@', &value)));
            let told = bench.line("check deep.ron").refused();
            assert!(told.starts_with("deep.ron:1:") && told.len() < 300, "{told}");
        }
        bench.write("deep.ron", format!("(purpose: {value})"));
        let told = bench.line("test deep.ron").out;
        assert!(told.starts_with("BAD     deep.ron\n        deep.ron:1:") && told.len() < 400, "{told}");
    }
    std::fs::create_dir(bench.path("rows")).expect("a folder");
    bench.write("rows/schema.json", format!("{{\"format\": 1, \"points\": {}}}", nested("[", "", "]")));
    let told = bench.line("explore rows --least area").refused();
    assert_eq!(told.trim_end(), "rows/schema.json:1:151: nested deeper than 127 levels");
    let told = bench.call(["explore", "x", "--least", &"a_".repeat(10_000)]).refused();
    assert!(told.len() < 300, "{told}");
}

#[test]
fn every_mistake_on_the_command_line_is_told_with_what_is_allowed() {
    let bench = Bench::with("x.ron", TRAFFIC);
    bench.write("r.json", "old");
    std::fs::create_dir(bench.path("d.vcd")).expect("a directory");
    let cases = [
        ("run nothing.ron", "nothing.ron: cannot be read: No such file"),
        ("run xx.ron", "xx.ron: cannot be read: No such file or directory (os error 2); did you mean x.ron?"),
        ("run x.rn", "x.rn: cannot be read: No such file or directory (os error 2); did you mean x.ron?"),
        ("test ./xx.ron", "./xx.ron: cannot be read: No such file or directory (os error 2); did you mean ./x.ron?"),
        ("run d.vcd", "d.vcd: cannot be read: Is a directory"),
        ("run x.ron/x.ron", "x.ron/x.ron: cannot be read: Not a directory"),
        ("run x.ron --set a", "--set a: expected path=value, such as run.seed=7"),
        ("run x.ron --set=", "--set \"\": expected path=value, such as run.seed=7"),
        (
            "run x.ron --set network.swich.fifo_depth=8",
            "--set network.swich.fifo_depth=8: no field \"swich\" in network; did you mean",
        ),
        ("run x.ron --set network.switch.fifo_depth=0", "--set network.switch.fifo_depth=0: fifo_depth is 0; allowed:"),
        ("run x.ron --set run.seed=1),(", "--set run.seed=1),(: the value is not RON"),
        ("run x.ron --wave foo.txt", "foo.txt: a waveform file ends in .vcd or .fst"),
        ("run x.ron --wave vcd", "vcd: a waveform file ends in .vcd or .fst"),
        ("run x.ron --wave-scope nothing* --wave r.vcd", "scope \"nothing*\" matches nothing; nearest names: "),
        ("run x.ron --wave-scope [ --wave r.vcd", "scope \"[\": "),
        ("run x.ron --wave-scope !nothing* --wave r.vcd", "scope \"!nothing*\" matches nothing; nearest names: "),
        ("run x.ron --wave-scope ![ --wave r.vcd", "scope \"![\": "),
        (
            "run x.ron --wave-scope top.rt_* --wave-scope !top.** --wave r.vcd",
            "nothing is left to show after the scopes !top.**; leave one out, or name less",
        ),
        (
            "view x.ron -o v.html --scope !top",
            "x.ron: nothing is left to show after the scopes !top; leave one out, or name less",
        ),
        ("run x.ron --follow 9999 --wave r.vcd", "--follow 9999: the run creates worms 0 to "),
        (
            "run x.ron --wave-window 1000000.. --wave r.vcd",
            "the wave window starts at cycle 1000000, but the run was over after",
        ),
        (
            "run x.ron --wave-window 300..400 --wave-window 100..301 --wave r.vcd",
            "the wave windows 100..301 and 300..400 overlap; allowed: windows without a common cycle, or one of 100..400",
        ),
        (
            "run x.ron --cycles 900 --wave-window 100..200 --wave-window 900.. --wave r.vcd",
            "the wave window starts at cycle 900, but the run is over after 900 cycles at the latest",
        ),
        (
            "run x.ron --wave r.fst --wave-live",
            "r.fst: an FST is complete only when the run is over; allowed with --wave-live: a .vcd, which grows by whole time steps",
        ),
        (
            "run x.ron --cycles 900 --wave-window 900.. --wave r.vcd --follow 9999",
            "the wave window starts at cycle 900, but the run is over after 900 cycles at the latest (run.max_cycles); \
             allowed: a start below that",
        ),
        ("run x.ron --wave r.vcd --wave r.vcd", "r.vcd: is both --wave and --wave; give each a file of its own"),
        ("run x.ron --wave r.vcd --wave ./r.vcd", "./r.vcd: is both --wave and --wave"),
        ("run x.ron --json r.csv --csv r.csv", "r.csv: is both --json and --csv"),
        ("run x.ron --wave r.vcd --json r.gtkw", "r.gtkw: is both --json and the view of --wave"),
        ("run x.ron --json x.ron", "x.ron: is both the configuration and --json"),
        ("run x.ron --csv ./d.vcd/../x.ron", "./d.vcd/../x.ron: is both the configuration and --csv"),
        (
            "run x.ron --json /nowhere/r.json",
            "/nowhere/r.json: cannot be written: there is no folder /nowhere, create it first",
        ),
        (
            "run x.ron --csv /nowhere/r.csv",
            "/nowhere/r.csv: cannot be written: there is no folder /nowhere, create it first",
        ),
        (
            "run x.ron --wave /nowhere/r.fst",
            "/nowhere/r.fst: cannot be written: there is no folder /nowhere, create it first",
        ),
        ("run x.ron --wave x.ron/r.vcd", "x.ron/r.vcd: cannot be written: Not a directory"),
        ("run x.ron --wave d.vcd", "d.vcd: cannot be written: is a directory"),
        ("run x.ron --json d.vcd", "d.vcd: cannot be written: is a directory"),
    ];
    for (line, expected) in cases {
        let message = bench.line(line).refused();
        assert!(message.starts_with(expected), "{line}\nexpected {expected}\n   found {message}");
        assert_eq!(bench.names(), ["d.vcd", "r.json", "x.ron"], "{line}");
        assert_eq!((bench.read("x.ron").as_str(), bench.read("r.json").as_str()), (TRAFFIC, "old"), "{line}");
    }
}

#[test]
fn every_option_that_is_wrong_in_itself_is_told_with_what_is_allowed() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let all = "allowed: an integer from 0 to 18446744073709551615";
    let window = "not a window of cycles; allowed: A..B with A below B, as in 1000..2000, A.. or ..B";
    let cases = [
        ("run x.ron --seed -1", format!("--seed -1: {all}")),
        ("run x.ron --seed 18446744073709551616", format!("--seed 18446744073709551616: {all}")),
        ("run x.ron --seed 1.5", format!("--seed 1.5: {all}")),
        ("run x.ron --cycles 0", "--cycles 0: allowed: an integer from 1 to 1000000000000000000".to_owned()),
        ("run x.ron --cycles -5", "--cycles -5: allowed: an integer from 1 to 1000000000000000000".to_owned()),
        ("run x.ron --wave r.vcd --wave-window 9..3", format!("--wave-window 9..3: {window}")),
        ("run x.ron --wave r.vcd --wave-window -5..3", format!("--wave-window -5..3: {window}")),
        ("run x.ron --wave r.vcd --wave-window 7", format!("--wave-window 7: {window}")),
        (
            "run x.ron --wave r.vcd --follow -1",
            "--follow -1: allowed: worms from 0 to 4294967295, slowest, slowest-multicast, multicast:1 and up, deadlocked".to_owned(),
        ),
        (
            "run x.ron --wave-window 1..2",
            "the following required arguments were not provided: --wave <FILE>".to_owned(),
        ),
        ("run x.ron --jsn a", "unexpected argument '--jsn' found; tip: a similar argument exists: '--json'".to_owned()),
        ("run x.ron y.ron", "unexpected argument 'y.ron' found".to_owned()),
        ("run x.ron --seed", "a value is required for '--seed <S>' but none was supplied".to_owned()),
        ("run", "the following required arguments were not provided: <CONFIG>".to_owned()),
        ("rn x.ron", "unrecognized subcommand 'rn'".to_owned()),
        ("test --repeat 0", "--repeat 0: allowed: an integer from 1 to 1000000".to_owned()),
        ("test --wave sometimes", "--wave sometimes: allowed: on-failure, always, never".to_owned()),
        (
            "test --wave alway",
            "--wave alway: allowed: on-failure, always, never; did you mean always?".to_owned(),
        ),
        (
            "test --wave",
            "a value is required for '--wave <WAVE>' but none was supplied [possible values: on-failure, \
                         always, never]"
                .to_owned(),
        ),
        ("deadlock x.ron --before -1", format!("--before -1: {all}")),
        ("deadlock x.ron --bound x", format!("--bound x: {all}")),
        ("bench-node x.ron --bytes 8,-1", "--bytes -1: allowed: an integer from 0 to 4294967295".to_owned()),
        ("bench-node x.ron --bytes 8,16,8", "--bytes: 8 is given twice; once is allowed".to_owned()),
        ("bench-node x.ron --algorithm chain,chain", "--algorithm: chain is given twice; once is allowed".to_owned()),
        ("model kp --instances -1", "--instances -1: allowed: an integer from 1 to 10000".to_owned()),
        ("model parameterised --nodes 2,65", "--nodes 65: allowed: an integer from 2 to 64".to_owned()),
    ];
    for (line, expected) in cases {
        assert_eq!(bench.line(line).refused(), expected, "{line}");
    }
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn every_mistake_in_a_trace_is_told_with_its_line() {
    let good = "0,1,2,,4\n5,1,3,,4\n";
    let cases = [
        ("", "trace.csv:1: expected the header line cycle,source,destinations,encoding,payload_flits, found nothing"),
        ("cycle,source\n", "trace.csv:1: expected the header line"),
        ("4,1,2,,4\n", "trace.csv:4:1: cycle: 4 comes after 5; cycles must not decrease"),
        ("6,1,2,4\n", "trace.csv:4: 4 fields; expected 5: cycle,"),
        ("6,1,x,,4\n", "trace.csv:4:5: destinations: expected an integer from 0 to 4294967295, found \"x\""),
        ("6,1,,,4\n", "trace.csv:4:5: destinations: no destinations; at least one is needed"),
        ("6,1,8,,4\n", "trace.csv:4:5: destinations: node 8 is outside the network; allowed: 0 to 7"),
        ("6,1,2 2,bit_string,4\n", "trace.csv:4:7: destinations: node 2 is given twice"),
        ("6,1,2 1,bit_string,4\n", "trace.csv:4:7: destinations: node 1 is the source of this multicast"),
        (
            "6,1,2,bitstring,4\n",
            "trace.csv:4:7: encoding: unknown encoding \"bitstring\"; did you mean \"bit_string\"?",
        ),
        ("6,1,2,,0\n", "trace.csv:4:8: payload_flits: payload_flits is 0; at least 1"),
        ("6,1,2,,-1\n", "trace.csv:4:8: payload_flits: expected an integer"),
        ("6,1,\u{7f},,1\n", "trace.csv:4:5: destinations: expected an integer"),
        // The run is well under way, and idle for long, before it reads this row.
        ("900000000,1,2,,9\n900000001,1,9,,9\n", "trace.csv:5:13: destinations: node 9 is outside"),
    ];
    let bench = Bench::with("x.ron", TRACED);
    bench.write("r.vcd", "old");
    for (line, expected) in cases {
        let begins = if expected.starts_with("trace.csv:1:") { String::new() } else { format!("{HEADER}{good}") };
        bench.write("trace.csv", begins + line);
        for call in ["check x.ron", "run x.ron --json r.json --csv r.csv --wave r.vcd --wave r.fst"] {
            let message = bench.line(call).refused();
            assert!(message.starts_with(expected), "expected {expected}\n   found {message}");
        }
        assert_eq!(bench.names(), ["r.vcd", "trace.csv", "x.ron"], "{line}");
        assert_eq!(bench.read("r.vcd"), "old");
    }
    bench.write("trace.csv", [HEADER.as_bytes(), b"0,1,\xff,,4\n"].concat());
    assert!(bench.line("run x.ron").refused().starts_with("trace.csv:2: not UTF-8"));
    bench.write("trace.csv", format!("{HEADER}{good}"));
    let message = bench.line("run x.ron --csv trace.csv").refused();
    assert!(message.starts_with("trace.csv: is both the trace and --csv"), "{message}");
    bench.line("run x.ron").ends(0);
    std::fs::remove_file(bench.path("trace.csv")).expect("no trace");
    assert!(bench.line("run x.ron --wave r.vcd").refused().starts_with("trace.csv: cannot be read: No such file"));
    std::fs::create_dir(bench.path("trace.csv")).expect("a directory");
    assert!(bench.line("run x.ron --wave r.vcd").refused().starts_with("trace.csv: cannot be read: Is a directory"));
    assert_eq!((bench.names().len(), bench.read("r.vcd").as_str()), (3, "old"));
}

#[test]
fn a_limit_of_size_and_its_advice_fit_the_kind_of_file() {
    let bench = Bench::with("x.ron", "(network: (topology: netlist(file: \"x.net\")))\n");
    let netlist = "switch a b\nlink a.0 b.0\nnode a.1\nnode b.1\n";
    let long = |mib: usize| format!("{netlist}{}", "# a comment\n".repeat((mib << 20) / 12 + 1));
    let missing = "x.ron:1:30: x.net: cannot be read: No such file or directory (os error 2)";
    assert_eq!(bench.line("check x.ron").refused(), missing);
    bench.write("x.net", long(5));
    bench.line("check x.ron").ends(0);
    let message = bench.line("check x.ron --set netlist.text=\"switch\"").refused();
    assert!(message.ends_with("text has no effect beside file; allowed: file or text"), "{message}");
    bench.write("x.net", long(64));
    let message = bench.line("check x.ron").refused();
    assert!(message.starts_with("x.net: larger than 64 MiB; a route of every switch to every node takes"), "{message}");
    bench.write("x.net", b"switch a \xff");
    assert_eq!(bench.line("check x.ron").refused(), "x.net:1:10: byte 0xff is not UTF-8; a netlist is UTF-8 text");

    // A sweep writes down all that its bases say, and continues from there.
    bench.write("large.ron", format!("{TRAFFIC}// {}\n", "\"".repeat(3 << 20)));
    for _ in 0..2 {
        bench.line("sweep large.ron --vary load=0.1,0.2 --no-run -o out").ends(0);
    }
    assert!(bench.bytes("out/sweep.ron").len() > 4 << 20);

    bench.write("large.ron", format!("{TRAFFIC}// {}\n", "x".repeat(4 << 20)));
    let experiment = "large.ron: larger than 4 MiB; put long lists of messages into a CSV trace, and a netlist into a file of its own";
    let energy = "large.ron: larger than 4 MiB; a file of energy coefficients takes a few KiB";
    bench.write("x.ron", TRAFFIC);
    for (line, expected) in [
        ("check large.ron", experiment),
        ("sweep large.ron -o out", experiment),
        ("run x.ron --energy large.ron", energy),
        ("sweep x.ron --energy large.ron -o out", energy),
    ] {
        let message = bench.line(line).refused();
        assert!(message.starts_with(expected), "{line}: {message}");
    }
}

#[test]
fn a_folder_is_not_written_to_standard_output() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let why = "this option needs a folder for several files, and this is standard output; name a folder";
    for (line, option) in [
        ("sweep x.ron --vary load=0.1 -o -", "--output -"),
        ("sweep x.ron --vary load=0.1 -o /dev/stdout", "--output /dev/stdout"),
        ("merge a b -o -", "--output -"),
        ("man -o -", "--output -"),
        ("reproduce -o -", "--output -"),
        ("reproduce --publish -", "--publish -"),
    ] {
        assert_eq!(bench.line(line).refused(), format!("{option}: {why}"), "{line}");
    }
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn a_configuration_cut_off_anywhere_is_refused_or_whole() {
    let whole = std::fs::read_to_string(config("mesh_8x8_uniform.ron")).expect("a configuration");
    let bench = Bench::new();
    for end in 0..whole.len() {
        bench.write("x.ron", &whole.as_bytes()[..end]);
        let message = bench.line("check x.ron");
        // Only blanks are missing behind the last bracket.
        if whole[..end].trim_end() == whole.trim_end() {
            message.ends(0);
        } else {
            let message = message.refused();
            assert!(message.starts_with("x.ron:"), "{end}: {message}");
        }
    }
}

#[test]
fn a_hundred_megabytes_of_garbage_are_refused_at_once() {
    let bench = Bench::with("x.ron", TRACED);
    // Random bytes, zeros, brackets, and lines of digits; no kind is text of ours.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let kinds: [Vec<u8>; 4] = [
        (0..1 << 20).map(|_| random()).collect(),
        vec![0; 1 << 20],
        vec![b'('; 1 << 20],
        b"0,1,2,,4\n".repeat(100_000),
    ];
    for kind in kinds {
        for begin in ["", HEADER] {
            let mut file = std::fs::File::create(bench.path("trace.csv")).expect("a file");
            file.write_all(begin.as_bytes()).expect("room");
            for _ in 0..100_000_000 / kind.len() {
                file.write_all(&kind).expect("room");
            }
            file.write_all(b"9,9,9,,9\n").expect("room");
            drop(file);
            let start = Instant::now();
            let message = bench.line("check trace.csv").refused();
            assert!(message.starts_with("trace.csv: larger than 4 MiB"), "{message}");
            if kind[0] != b'0' || begin.is_empty() {
                let message = bench.line("run x.ron --json r.json --wave r.vcd").refused();
                assert!(message.starts_with("trace.csv:"), "{message}");
            }
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        }
    }
    assert_eq!(bench.names(), ["trace.csv", "x.ron"]);
}

#[cfg(target_os = "linux")]
/// Calls the binary with so many KiB of addresses.
fn with_addresses(bench: &Bench, kib: u32, line: &str) -> Call {
    let script = format!("ulimit -v {kib}; exec '{}' {line}", env!("CARGO_BIN_EXE_wormscope"));
    super::finish(Command::new("bash").args(["-c", &script]).current_dir(bench.path("")))
}

#[test]
fn a_network_that_a_limit_does_not_leave_room_for_is_refused() {
    let traffic = "workload: [traffic(load: 0.01, payload_flits: 15)], run: (warmup_cycles: 0, measure_cycles: 20)";
    let network = "topology: mesh(radices: [256, 256])";
    let bench = Bench::with("x.ron", format!("(network: ({network}), {traffic})"));
    let mut codes = Vec::new();
    for kib in (100_000..400_000).step_by(20_000) {
        let call = with_addresses(&bench, kib, "run x.ron");
        codes.push(call.code);
        if call.code == Some(2) {
            let message = call.refused();
            assert!(message.starts_with("x.ron: the model needs about ") && message.contains("MiB but "), "{message}");
        }
    }
    assert_eq!((codes[0], codes[codes.len() - 1]), (Some(2), Some(0)), "{codes:?}");
    assert!(
        codes.is_sorted_by(|a, b| a >= b) && codes.iter().all(|code| [Some(2), Some(0)].contains(code)),
        "{codes:?}"
    );
}

#[test]
fn tables_of_traces_and_of_planned_multicasts_count_for_the_memory() {
    let mesh = "(network: (topology: mesh(radices: [128, 128]), switch: (flit_bits: 1024, fifo_depth: 16)), workload: [trace(\"t.csv\")])";
    let bench = Bench::with("x.ron", mesh);
    let trace = |row: &str| bench.write("t.csv", format!("{HEADER}{row}\n"));
    trace("0,0,5,,4\n1,0,5 9,bit_string,4");
    assert!(with_addresses(&bench, 300_000, "run x.ron").refused().contains("the model needs about "), "trees");
    assert!(bench.line("check x.ron").ends(0).contains("\n  reachability tables "));
    trace("0,0,5,,4\n1,0,9,,4");
    with_addresses(&bench, 300_000, "run x.ron").ends(0);
    assert!(!bench.line("check x.ron").ends(0).contains("reachability"));
    let min = |algorithm: &str| {
        format!(
            "(network: (topology: bi_min(switch_ports: 2, stages: 13), switch: (flit_bits: 1024, fifo_depth: 16), token_ring: ()), \
             workload: [multicast(source: 0, destinations: [3, 5], algorithm: \"{algorithm}\", payload_flits: 4)])"
        )
    };
    bench.write("x.ron", min("atbm"));
    assert!(with_addresses(&bench, 400_000, "run x.ron").refused().contains("the model needs about "), "atbm");
    bench.write("x.ron", min("u_min"));
    with_addresses(&bench, 400_000, "run x.ron").ends(0);
}

#[test]
fn a_network_that_no_machine_holds_is_refused() {
    let absurd = "topology: mesh(radices: [4096, 4096]), switch: (fifo_depth: 65535, virtual_channels: 8), reach_limit_mib: 4294967295";
    let bench = Bench::with("x.ron", format!("(network: ({absurd}))"));
    let message = bench.line("run x.ron --wave r.vcd").refused();
    assert!(
        message.starts_with("x.ron: the model needs about ") && message.contains("GiB of memory are available"),
        "{message}"
    );
    let tables = "topology: mesh(radices: [1024, 1024]), switch: (flit_bits: 1024, fifo_depth: 1024), reach_limit_mib: 4294967295";
    let worm = "messages([(cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 1)])";
    bench.write("x.ron", format!("(network: ({tables}), workload: [{worm}])"));
    assert!(bench.line("run x.ron").refused().starts_with("x.ron: the model needs about 704"));
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn globs_of_any_depth_are_compiled_or_refused() {
    let bench = Bench::with("x.ron", TRAFFIC);
    for count in [100, 126, 300, 60_000] {
        let nested = format!("{}none{}", "{".repeat(count), "}".repeat(count));
        for call in [
            ["run", "x.ron", "--wave=r.vcd", "--wave-scope", &nested],
            ["test", ".", "--wave=never", "--filter", &nested],
        ] {
            let message = bench.call(call).refused();
            assert!(message.contains("{{{"), "{message}");
        }
    }
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn a_long_chain_of_includes_is_refused() {
    let bench = Bench::new();
    for n in 0..2000 {
        bench.write(&format!("{n}.ron"), format!("(purpose: \"x\", include: [\"{}.ron\"])", n + 1));
    }
    let call = bench.line("test 0.ron");
    assert_eq!(call.code, Some(2), "{}{}", call.out, call.err);
    assert!(call.out.contains("31.ron:1:26: includes nested deeper than 32 files"), "{}", call.out);
    assert!(bench.line("deadlock 0.ron").refused().starts_with("31.ron:1:26: includes nested deeper than"));
}

#[cfg(target_os = "linux")]
#[test]
fn destinations_by_the_million_are_refused_in_little_memory() {
    let bench = Bench::with("x.ron", "(network: (topology: mesh(radices: [1024, 1024])))");
    let many = ["1..1048576"; 1000].join(",");
    for call in [
        ["plan", "x.ron", "--algorithm=chain", "--source=0", "--dest", &many],
        ["bench-node", "x.ron", "--algorithm=chain", "--from=0", "--dest", &many],
    ] {
        let words: Vec<String> = call.iter().map(|word| format!("'{word}'")).collect();
        let script = format!("ulimit -v 1000000; exec '{}' {}", env!("CARGO_BIN_EXE_wormscope"), words.join(" "));
        let mut command = std::process::Command::new("bash");
        let message = super::finish(command.args(["-c", &script]).current_dir(bench.path(""))).refused();
        assert!(message.ends_with("destination 1 is given twice"), "{message}");
    }
}
