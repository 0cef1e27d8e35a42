//! Every configuration that is handed out runs, and ends as its name says.

use super::exploring::{Row, csv};
use super::{Bench, config, configs};

#[test]
fn every_file_in_configs_is_valid_and_ends_as_its_name_says() {
    let mut seen = 0;
    for entry in std::fs::read_dir(configs()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension() != Some("ron".as_ref()) {
            continue;
        }
        seen += 1;
        let name = path.file_name().expect("a name").display().to_string();
        let bench = Bench::new();
        let deadlock = name.contains("_deadlock");
        // A warning comes before the run of worms that can deadlock, and only then. One network has
        // FIFOs for all worms of its run, but not for all that its traffic allows.
        let warned = deadlock || name == "netlist_petersen.ron";
        let checked = bench.call(["check", &config(&name)]);
        assert_eq!(checked.err.starts_with("warning: "), warned, "{name}: {}", checked.err);
        assert!(checked.ends(0).contains(": valid, config "), "{name}");
        let run = bench.call(["run", &config(&name)]);
        assert_eq!(run.err.starts_with("warning: "), warned, "{name}: {}", run.err);
        let text = run.ends(if deadlock { 3 } else { 0 });
        assert_eq!(text.contains("DEADLOCK after"), deadlock, "{name}: {text}");
        assert_eq!(text.contains("\ndone after"), !deadlock, "{name}: {text}");
    }
    assert!(seen >= 10, "{seen} configurations");
}

#[test]
fn a_product_of_matrices_sends_each_block_along_a_row_or_a_column_once() {
    let bench = Bench::new();
    let text = bench.call(["run", &config("mesh_8x8_summa.ron"), "--csv", "out.csv"]).ends(0);
    assert!(text.contains("128 of 128 worms arrived"), "{text}");
    let rows = csv(&bench.read("out.csv"));
    assert_eq!(rows.len(), 128 * 7, "a row for each copy of a block");
    let (mut steps, mut sent) = ([0; 8], std::collections::BTreeSet::new());
    for row in &rows {
        let of = |name: &str| row[name].parse::<u32>().expect(name);
        let (from, to, cycle) = (of("source"), of("destination"), of("created"));
        let is_row = row["class"] == "a";
        let (own, other) = if is_row { (from / 8, to / 8) } else { (from % 8, to % 8) };
        let step = if is_row { from % 8 } else { from / 8 };
        assert!(own == other && from != to && cycle == 200 * step, "{row:?}");
        steps[step as usize] += 1;
        sent.insert((is_row, from, to));
    }
    assert_eq!((steps, sent.len()), ([16 * 7; 8], rows.len()));
}

#[test]
fn a_matrix_beside_the_configuration_gives_loads_and_destinations() {
    let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.05, payload_flits: 7, pattern: \
                matrix(file: \"demand.csv\"))], run: (measure_cycles: 2000))";
    let bench = Bench::with("net.ron", text);
    bench.write("demand.csv", "source,destination,weight\n3,12,3\n5,0,1\n");
    bench.line("run net.ron --csv out.csv").ends(0);
    let count = |source: &str, destination: &str| {
        let is = |row: &&Row| row["source"] == source && row["destination"] == destination;
        csv(&bench.read("out.csv")).iter().filter(is).count()
    };
    let (three, five) = (count("3", "12"), count("5", "0"));
    // 16 nodes of 0.05 / 8 messages a cycle send 200 messages.
    assert!((110..190).contains(&three) && (25..75).contains(&five), "{three} and {five}");
    assert_eq!(csv(&bench.read("out.csv")).len(), three + five);
    bench.write("demand.csv", "source,destination,weight\n3,12,3\n5,x,1\n");
    let why = bench.line("run net.ron").refused();
    assert!(why.contains("demand.csv:3:3: destination: expected a node from 0 to 15, found \"x\""), "{why}");
    bench.write("net.ron", text.replace("demand", "missing"));
    assert!(bench.line("run net.ron").refused().contains("missing.csv"));
}

#[test]
fn a_trace_may_name_classes() {
    let bench = Bench::with(
        "net.ron",
        "(network: (topology: mesh(radices: [4, 4])), classes: [\"near\", \"far\"], workload: [trace(\"t.csv\")])",
    );
    let lines = "0,0,1,,4,near\n0,0,15,,4,far\n9,5,6,,4,\n20,0,4,,4,near\n";
    bench.write("t.csv", format!("cycle,source,destinations,encoding,payload_flits,class\n{lines}"));
    bench.line("run net.ron --csv out.csv --json out.json").ends(0);
    let classes: Vec<String> =
        csv(&bench.read("out.csv")).into_iter().map(|mut row| row.remove("class").unwrap()).collect();
    // The rows are in the order of the arrivals.
    assert_eq!(classes, ["near", "", "far", "near"]);
    let json: serde_json::Value = serde_json::from_str(&bench.read("out.json")).expect("JSON");
    let of = json["load_by_class"].as_array().expect("classes");
    assert_eq!(of.iter().map(|of| of["class"].as_str().unwrap()).collect::<Vec<_>>(), ["near", "far"]);
    bench.write("t.csv", "cycle,source,destinations,encoding,payload_flits,class\n0,0,1,,4,nera\n");
    let told = bench.line("run net.ron").refused();
    assert!(told.contains("t.csv:2:10: class: no class \"nera\"; did you mean \"near\"? allowed: near, far"), "{told}");
    bench.write("net.ron", bench.read("net.ron").replace("\"near\"", "\"unicast\""));
    let told = bench.line("check net.ron").refused();
    assert!(told.contains("\"unicast\" is the name of a built-in class"), "{told}");
}

#[test]
fn the_cures_side_by_side_end_as_the_page_says() {
    let bench = Bench::new();
    let page = std::fs::read_to_string(configs().join("../docs/explain/deadlocks.md")).expect("a page");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let file = cells.get(2)?.strip_prefix("`configs/")?.strip_suffix('`')?;
        Some((file.to_owned(), cells[3].to_owned()))
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 7);
    for (file, cycles) in rows {
        let text = bench.call(["run", &config(&file)]).ends(0);
        assert!(text.contains(&format!("\ndone after {cycles} cycles")), "{file}: {text}");
    }
}

#[test]
fn every_example_is_valid_warns_of_nothing_and_runs() {
    let bench = Bench::new();
    let help = bench.line("config --help").ends(0);
    let kinds =
        help.split("Print the commented example KIND: ").nth(1).and_then(|rest| rest.lines().next()).expect("kinds");
    for kind in kinds.split(", ") {
        let text = bench.line(&format!("config --example {kind}")).ends(0);
        assert!(text.starts_with("// "), "{kind} begins with a comment");
        bench.write("example.ron", &text);
        // The example shows this trace in its comment.
        let trace = text.lines().filter_map(|line| line.strip_prefix("//     "));
        bench.write("messages.csv", trace.collect::<Vec<_>>().join("\n"));
        let checked = bench.line("check example.ron");
        assert_eq!(checked.err, "", "{kind}");
        checked.ends(0);
        let text = bench.line("run example.ron").ends(0);
        assert!(text.contains("\ndone after"), "{kind}: {text}");
    }
    let unknown = bench.line("config --example mash").refused();
    assert!(unknown.starts_with("no example \"mash\"; did you mean \"mesh\"? allowed: "), "{unknown}");
}

#[test]
fn check_describes_the_network_as_a_designer_counts_it() {
    let bench = Bench::with(
        "net.ron",
        "(network: (topology: mesh(radices: [4, 3]), switch: (flit_bits: 8, fifo_depth: 3, crossbar_cycles: 1), \
         link: (link_cycles: 2, credit_cycles: 1), clock_ns: 2.0), \
         workload: [messages([(cycle: 0, source: 0, destinations: [11], payload_flits: 1)])])",
    );
    let text = bench.line("check net.ron").ends(0);
    // There are 17 links both ways and 12 injection channels. The longest way has 6 switches. It
    // takes 1 cycle of injection. Each switch takes routing 1, crossbar 1 and link 2 (to the node
    // 1). One flit follows the head.
    for row in [
        "  network               4x3 mesh, dimension order",
        "  nodes, switches       12, 12",
        "  header flits          unicast 1, bit_string 2, multidestination 1 for each destination, mask 2, coordinate_mask 2",
        "  input FIFOs           46 of 3 flits of 8 bits: 1104 bits (138 bytes)",
        "  diameter              5 links between switches",
        "    between switches         4      3  3 flits in 4 cycles; full rate needs a depth of 4",
        "    injection                2      3  full rate",
        "    consumption              3      3  full rate",
    ] {
        assert!(text.lines().any(|line| line == row), "{row:?} is not in\n{text}");
    }
    assert!(text.contains("longest route 25 cycles (50 ns)"), "{text}");
}

#[test]
fn check_times_a_unicast_as_long_as_the_first_that_is_sent() {
    let bench = Bench::new();
    let timed = |workload: &str| {
        bench.write("x.ron", format!("(network: (topology: mesh(radices: [4, 4])), workload: [{workload}])"));
        let text = bench.line("check x.ron").ends(0);
        let row = text.lines().find_map(|line| line.trim_start().strip_prefix("zero-load latency")).expect("a row");
        row.trim_start().split(':').next().expect("a length").to_owned()
    };
    let unicast = "(cycle: 9, source: 0, destinations: [1], payload_flits: 4)";
    let tree = "(cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 1000)";
    let trees = "traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 1000)";
    assert_eq!(timed(&format!("messages([{tree}, {unicast}])")), "unicast of 5 flits");
    assert_eq!(timed(&format!("{trees}, traffic(load: 0.1, payload_flits: 7)")), "unicast of 8 flits");
    assert_eq!(timed(&format!("{trees}, messages([{tree}])")), "unicast of 17 flits");
    bench.write("trace.csv", format!("{}0,3,4 5,bit_string,99\n9,3,5,,6\n", super::HEADER));
    assert_eq!(timed("trace(\"trace.csv\")"), "unicast of 7 flits");
}

#[test]
fn check_describes_multistage_networks() {
    let bench = Bench::new();
    let uni = [
        "  network               unidirectional omega network of 3 stages of 4x4 switches, destination tag",
        "  nodes, switches       64, 48",
        "  stages                3 of 16 switches",
        "  ports of a switch     4, 4 input and 4 output lanes",
        "  header flits          unicast 1, bit_string 1, multiport 1 for each switch on the way, mask 2",
        // Two connections of 64 links between stages, 64 from nodes.
        "  input FIFOs           192 of 4 flits of 64 bits: 49152 bits (6.0 KiB)",
        "  diameter              2 links between switches",
        // The sum is injection 1, routing 1 and link 1 at each of 3 switches, and 16 flits behind
        // the head.
        "  zero-load latency     unicast of 17 flits: mean 23.0, longest route 23 cycles (23 ns)",
    ];
    let bi = [
        "  network               bidirectional butterfly network of 2 stages of 8x8 switches, turnaround",
        "  nodes, switches       64, 16",
        "  stages                2 of 8 switches",
        "  ports of a switch     16, 8 towards the nodes and 8 away from them, 16 input and 16 output lanes",
        "  input FIFOs           192 of 4 flits of 64 bits: 49152 bits (6.0 KiB)",
        "  diameter              2 links between switches",
        // 7 of 63 destinations turn at the first switch, 56 at the third.
        "  zero-load latency     unicast of 17 flits: mean 22.6, longest route 23 cycles (23 ns)",
    ];
    let networks =
        [("uni_min(kind: omega, switch_ports: 4, stages: 3)", &uni[..]), ("bi_min(switch_ports: 8, stages: 2)", &bi)];
    let order = "  lanes of a group      lanes with credit first, then lowest first: all virtual channels of a link \
                 before the next link";
    for (topology, rows) in networks {
        bench.write("net.ron", format!("(network: (topology: {topology}))"));
        let text = bench.line("check net.ron").ends(0);
        assert!(!text.contains("lanes of a group"), "{text}");
        let text_of_channels = bench.line("check net.ron --set network.switch.virtual_channels=2").ends(0);
        assert_eq!(text_of_channels.lines().any(|line| line == order), topology.starts_with("bi_min"));
        for row in rows {
            assert!(text.lines().any(|line| line == *row), "{row:?} is not in\n{text}");
        }
    }
}

#[test]
fn the_largest_networks_are_described_at_once() {
    let bench = Bench::new();
    for topology in [
        "mesh(radices: [4096, 4096])",
        "linear(nodes: 65535)",
        "mesh(radices: [256, 256, 256])",
        "uni_min(switch_ports: 16, stages: 5)",
        "bi_min(switch_ports: 2, stages: 19)",
    ] {
        bench.write("large.ron", format!("(network: (topology: {topology}, switch: (fifo_depth: 1)))"));
        bench.line("check large.ron").ends(0);
    }
}

#[test]
fn the_readme_counts_the_planted_faults() {
    let read = |name: &str| std::fs::read_to_string(configs().join("..").join(name)).expect("a file");
    let faults = read("testbenches/faults/_faults.ron").matches("name: \"").count();
    let told = format!("{faults} faults that a designer makes");
    assert!(read("README.md").contains(&told) && read("docs/explain/faults.md").contains(&told), "{told}");
}

#[test]
fn the_pictures_in_the_documentation_are_what_check_draws() {
    let folder = configs().join("../docs/reference/networks");
    let (mut seen, bench) = (0, Bench::new());
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension() == Some("ron".as_ref()) {
            seen += 1;
            bench.call(["check", &path.display().to_string(), "--svg", "drawn.svg"]).ends(0);
            let committed = std::fs::read_to_string(path.with_extension("svg")).expect("a picture");
            assert!(bench.read("drawn.svg") == committed, "{} has changed; make figures draws it anew", path.display());
        }
    }
    assert!(seen >= 6, "{seen} pictures");
}

#[test]
fn a_picture_takes_the_place_of_no_input_and_of_nothing_when_it_fails() {
    let bench = Bench::with("net.ron", "(network: (topology: mesh(radices: [65, 64])))");
    assert!(bench.line("check net.ron --svg net.ron").refused().contains("is both the configuration and --svg"));
    let refused = bench.line("check net.ron --svg net.svg").refused();
    assert!(
        refused.contains("a picture of 4160 nodes would be too crowded to read; allowed: up to 4096 nodes"),
        "{refused}"
    );
    assert!(!bench.path("net.svg").exists());
}
