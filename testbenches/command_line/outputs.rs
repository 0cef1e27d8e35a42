//! Outputs of a run, and that they depend on configuration and seed alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use serde_json::Value;

use super::{Bench, TRAFFIC, config};

fn json(bench: &Bench, name: &str) -> Value {
    serde_json::from_str(&bench.read(name)).expect("JSON")
}

#[test]
fn help_names_every_option_and_the_exit_codes() {
    let bench = Bench::new();
    assert!(
        bench
            .line("--help")
            .ends(0)
            .contains("0 done; 2 bad input, or a file cannot be written; 3 deadlock; 4 a check failed")
    );
    let run = bench.line("run --help").ends(0);
    for option in [
        "--cycles",
        "--seed",
        "--set",
        "--wave ",
        "--wave-window",
        "--wave-scope",
        "--follow",
        "--json",
        "--csv",
        "--links ",
        "--fifos ",
    ] {
        assert!(run.contains(option), "{option} is not in\n{run}");
    }
    assert!(bench.line("--version").ends(0).starts_with("wormscope "));
}

#[test]
fn a_wrong_call_ends_with_code_2() {
    let bench = Bench::with("x.ron", TRAFFIC);
    for line in
        ["", "run", "ran", "run x.ron --jason a", "run x.ron --seed -1", "run x.ron --cycles 0", "check", "config"]
    {
        let call = bench.line(line);
        assert_eq!(call.code, Some(2), "{line:?}");
        assert!(!call.err.is_empty() && !call.err.contains("panicked"), "{line:?}: {}", call.err);
    }
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn equal_seeds_give_equal_files_traced_or_not() {
    let bench = Bench::with("x.ron", TRAFFIC);
    bench.line("run x.ron --seed 5 --json a.json --csv a.csv --wave a.vcd --wave a.fst").ends(0);
    bench.line("run x.ron --seed 5 --json b.json --csv b.csv --wave b.vcd --wave b.fst").ends(0);
    bench.line("run x.ron --seed 5 --json c.json --csv c.csv").ends(0);
    bench.line("run x.ron --seed 6 --json d.json --csv d.csv --wave d.vcd").ends(0);
    for ending in ["json", "csv", "vcd", "fst"] {
        assert!(bench.bytes(&format!("a.{ending}")) == bench.bytes(&format!("b.{ending}")), "{ending}");
    }
    for ending in ["json", "csv"] {
        assert_eq!(bench.read(&format!("a.{ending}")), bench.read(&format!("c.{ending}")), "untraced");
    }
    for ending in ["csv", "vcd"] {
        assert!(bench.bytes(&format!("a.{ending}")) != bench.bytes(&format!("d.{ending}")), "seeds in {ending}");
    }
    assert_eq!(json(&bench, "a.json")["seed"], 5);
    assert_eq!(json(&bench, "d.json")["seed"], 6);
}

#[test]
fn json_and_csv_agree_with_each_other() {
    let bench = Bench::new();
    bench.call(["run", &config("mesh_16x16_multicast.ron"), "--json", "r.json", "--csv", "r.csv"]).ends(0);
    let report = json(&bench, "r.json");
    assert_eq!(report["schema_version"], 4);
    assert_eq!((&report["outcome"], &report["deadlock"]), (&"done".into(), &Value::Null));
    let mut rows = csv::Reader::from_path(bench.path("r.csv")).expect("a CSV");
    let columns =
        ["worm", "source", "destination", "encoding", "created", "injected", "head_arrived", "tail_arrived", "hops"];
    assert_eq!(rows.headers().expect("columns"), &columns[..]);
    let rows: Vec<_> = rows.records().map(|row| row.expect("a row")).collect();
    for multicast in report["multicasts"].as_array().expect("rows") {
        let id = multicast["id"].to_string();
        let mine: Vec<_> = rows.iter().filter(|row| row[0] == id).collect();
        assert_eq!(mine.len(), multicast["destinations"].as_array().expect("nodes").len());
        let latency = |row: &csv::StringRecord| row[7].parse::<u64>().unwrap() - row[4].parse::<u64>().unwrap();
        let last = mine.iter().map(|row| latency(row)).max();
        assert_eq!(multicast["last"].as_u64(), last);
        assert!(multicast["last"].as_u64() >= multicast["unblocked"].as_u64());
    }
    let percent: f64 =
        report["cycle_account"].as_array().unwrap().iter().map(|share| share["percent"].as_f64().unwrap()).sum();
    assert!((percent - 100.0).abs() < 1e-9, "{percent}");
}

#[test]
fn options_and_overrides_reach_the_run() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let text = bench.line("run x.ron --cycles 50").ends(0);
    assert!(text.contains("stopped at the cycle limit after 50 cycles"), "{text}");
    let text = bench.line("run x.ron --set run.measure_cycles=10 --set workload[0].traffic.load=0.01").ends(0);
    assert!(text.contains("load in cycles 0 to 9"), "{text}");
    let text = bench.line("run x.ron --cycles 50 --set run.warmup_cycles=50").ends(0);
    assert!(text.contains("nothing measured: the run ended before the window"), "{text}");
    assert!(!text.contains("saturated"), "{text}");
    let hash = |text: &str| text.split("config ").nth(1).and_then(|rest| rest.get(..16)).expect("a hash").to_owned();
    let deep = bench.line("run x.ron --set network.switch.fifo_depth=8").ends(0);
    let plain = bench.line("run x.ron").ends(0);
    assert_ne!(hash(&deep), hash(&plain));
    assert_eq!(hash(&bench.line("check x.ron --set network.switch.fifo_depth=8").ends(0)), hash(&deep));
    // The deadlock of short FIFOs goes away with longer ones.
    let torus = config("torus_ring_deadlock.ron");
    bench.call(["run", &torus]).ends(3);
    bench.call(["run", &torus, "--set", "network.switch.fifo_depth=32"]).ends(0);
}

#[test]
fn a_window_that_is_asked_for_measures_given_messages_as_well() {
    let message = |cycle: u32| format!("(cycle: {cycle}, source: 0, destinations: [5], payload_flits: 3)");
    let messages = [0, 100, 200, 300].map(message).join(", ");
    let bench = Bench::with(
        "x.ron",
        format!(
            "(network: (topology: linear(nodes: 8)), workload: [messages([{messages}])], run: (warmup_cycles: 50))"
        ),
    );
    let measured = |sets: &str| {
        let text = bench.line(&format!("run x.ron --json r.json {sets}")).ends(0);
        let report = json(&bench, "r.json");
        let last = report["load"]["to"].as_u64().expect("a cycle") - 1;
        assert!(text.contains(&format!("load in cycles 50 to {last}, ")), "{text}");
        (report["packet_latency"]["count"].as_u64(), report["totals"]["worms_done"].as_u64())
    };
    assert_eq!(measured(""), (Some(3), Some(4)));
    // After the window the run waits for the measured worms, or for all worms.
    assert_eq!(measured("--set run.measure_cycles=151"), (Some(2), Some(3)));
    assert_eq!(measured("--set run.measure_cycles=151 --set run.drain=empty"), (Some(2), Some(4)));
}

#[test]
fn a_run_beyond_saturation_ends_with_its_window_and_says_so() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let run = |sets: &str| {
        let line = format!("run x.ron --set run.measure_cycles=3000 --json r.json {sets}");
        (bench.line(&line).ends(0), json(&bench, "r.json"))
    };
    let load = "--set workload[0].traffic.load=0.9";
    let note = "\n  saturated: source queues grow steadily in cycles 0 to ";
    let missing =
        "\n             those of measured worms that still wait are missing (run.drain: all waits for them)\n";
    let (text, report) = run(load);
    assert!(text.contains("\nsaturated, not drained after 3000 cycles"), "{text}");
    assert!(text.contains("\nlatency of measured worms that arrived  ") && text.contains(note), "{text}");
    assert!(text.contains(missing), "{text}");
    assert_eq!((&report["outcome"], &report["saturation"]["saturated"]), (&"saturated".into(), &true.into()));
    // The run waits as it is asked to, and the load in the window is the same.
    for drain in ["all", "empty"] {
        let (drained, whole) = run(&format!("{load} --set run.drain={drain}"));
        assert!(drained.contains("\ndone after ") && drained.contains(note) && !drained.contains(missing), "{drained}");
        assert_eq!(whole["outcome"], "done");
        assert_eq!(whole["saturation"], report["saturation"]);
        assert!(drain == "empty" || whole["load"] == report["load"], "{drained}");
    }
    let (text, report) = run("");
    assert!(text.contains("\ndone after ") && !text.contains("saturated"), "{text}");
    assert_eq!(report["saturation"]["saturated"], false);
    // A run that is cut off before the end of the window cannot know.
    let (_, report) = run(&format!("{load} --cycles 2999"));
    assert_eq!((&report["outcome"], &report["saturation"]), (&"cycle_limit".into(), &Value::Null));
}

#[test]
fn time_without_events_counts() {
    let bench = Bench::with("x.ron", super::TRACED);
    bench.write("trace.csv", format!("{}0,1,2,,4\n5000,1,2,,4\n", super::HEADER));
    for (cycles, ends) in [(1000, "stopped at the cycle limit after 1000 cycles"), (9000, "done after 5010 cycles")] {
        let text = bench.line(&format!("run x.ron --cycles {cycles}")).ends(0);
        assert!(text.contains(ends), "{text}");
    }
}

#[test]
fn a_worm_of_millions_of_flits_is_reported_without_flying_it_alone() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: mesh(radices: [16, 16])), workload: [messages([(cycle: 0, source: 0, \
         destinations: [15, 255], encoding: multidestination, payload_flits: 16000000)])])",
    );
    bench.line("run x.ron --cycles 500 --json r.json").ends(0);
    assert_eq!(json(&bench, "r.json")["multicasts"][0]["unblocked"], Value::Null);
}

#[test]
fn a_deadlock_is_told_with_its_cycle_and_its_files_are_written() {
    let bench = Bench::new();
    let path = config("torus_ring_deadlock.ron");
    let call = bench.call(["run", &path, "--json", "d.json", "--wave", "d.vcd", "--set", "run.seed=3", "--seed", "2"]);
    let text = call.ends(3);
    assert!(text.contains("DEADLOCK final at 4, detected 9; 4 worms, 4 lanes"), "{text}");
    assert_eq!(json(&bench, "d.json")["outcome"], "deadlock");
    let told = format!("\nto explain it, run: wormscope deadlock {path} --set run.seed=3 --seed 2\n");
    assert!(text.ends_with(&told), "{text}");
    let text = bench.call(["run", &path]).ends(3);
    assert!(text.ends_with(&format!("\n\nto explain it, run: wormscope deadlock {path}\n")), "{text}");
}

/// Names in a saved view, those of groups and comments included.
fn names_in(view: &str) -> Vec<&str> {
    fn name(line: &str) -> Option<&str> {
        line.strip_prefix('-').or_else(|| line.strip_prefix("+{")?.split('}').next())
    }
    view.lines().filter_map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_view_of_a_run_that_deadlocks_opens_with_the_deadlock() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: torus(radices: [8, 8], datelines: false)), workload: [traffic(load: 0.5, payload_flits: 15)], \
         run: (seed: 2))",
    );
    let dump = "--wave d.vcd --wave-scope top.rt_*";
    let text = bench.line(&format!("run x.ron {dump}")).ends(3);
    let (_, rest) = text.split_once("DEADLOCK final at ").expect("a deadlock");
    let cycle: u64 = rest.split([',', ' ']).next().and_then(|cycle| cycle.parse().ok()).expect("a cycle");
    let view = bench.read("d.gtkw");
    assert!(cycle > 64 && view.contains(&format!("[timestart] {}\n", cycle - 64)), "{view}");
    let names = names_in(&view);
    assert!(names[0].starts_with(&format!("DEADLOCK final at {cycle}, ")), "{view}");
    assert!(names.iter().any(|name| name.starts_with("1: worm ")), "{view}");
    // Its name stands above its marker if it has room there. Otherwise it stands beside, with all
    // others.
    let told = view.contains("[markername] AA final\n") || names.contains(&format!("A: final, cycle {cycle}").as_str());
    assert!(told, "{view}");
    // Every signal is in the dump. A viewer would leave out a missing one without a message.
    let dump_of = wellen::simple::read_from_reader(Cursor::new(bench.bytes("d.vcd"))).expect("a waveform");
    let hierarchy = dump_of.hierarchy();
    let known: BTreeSet<_> = hierarchy.all_vars().map(|var| hierarchy[var].full_name(hierarchy)).collect();
    let signals =
        view.lines().filter_map(|line| line.split(' ').next_back()).filter(|signal| signal.starts_with("top."));
    let signals: Vec<_> = signals.filter_map(|signal| signal.split('[').next()).filter(|s| !s.ends_with('.')).collect();
    assert!(signals.len() > 10, "{view}");
    assert!(signals.iter().all(|&signal| known.contains(signal)), "{signals:?}");
    // A followed worm comes next. A deadlock that is not in the dump is not in the view.
    bench.line(&format!("run x.ron {dump} --follow 0")).ends(3);
    let names = bench.read("d.gtkw");
    let names = names_in(&names);
    assert!(names[0].starts_with("DEADLOCK") && names.iter().any(|name| name.starts_with("worm 0: n")), "{names:?}");
    for elsewhere in [format!("--wave-window 0..{cycle}"), "--wave-scope top.node3".to_owned()] {
        let dump = if elsewhere.contains("window") { dump } else { "--wave d.vcd" };
        bench.line(&format!("run x.ron {dump} {elsewhere}")).ends(3);
        assert!(!bench.read("d.gtkw").contains("DEADLOCK"), "{elsewhere}");
    }
}

#[test]
fn names_of_a_view_leave_room_for_the_waves() {
    let destinations: Vec<u32> = (0..1024).step_by(7).collect();
    let bench = Bench::with(
        "x.ron",
        format!(
            "(network: (topology: mesh(radices: [32, 32]), switch: (flit_bits: 64, fifo_depth: 16)), workload: [messages([(cycle: 0, \
             source: 1, destinations: {destinations:?}, encoding: bit_string, payload_flits: 4)])])"
        ),
    );
    bench.line("run x.ron --wave f.vcd --follow 0").ends(0);
    let view = bench.read("f.gtkw");
    let names = names_in(&view);
    assert!(names.iter().all(|name| name.len() <= 56), "{:?}", names.iter().max_by_key(|name| name.len()));
    let hop = |blanks: usize, at: &str| names.iter().any(|name| *name == format!("{}{at}", " ".repeat(blanks)));
    assert!(hop(6, "6 rt_7_0.in1 from rt_6_0") && hop(8, "9 rt_10_0.in1 from rt_9_0"), "{view}");
    // No part of the title is lost.
    let title = "worm 0: n1 to {n0,n7,n14,n21,n28,n35,n42,n49,+139}, 20|  flits, bit_string";
    assert_eq!(names[..2].join("|"), title);
}

#[test]
fn a_window_and_a_scope_select_what_the_waveform_shows() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let text = bench
        .line("run x.ron --wave w.vcd --wave w.fst --wave-window 20..40 --wave-scope top.rt_3_* --wave-scope top.node7")
        .ends(0);
    let (_, told) = text.split_once("\nwrote ").expect("what was written");
    let (written, next) = told.split_once('\n').expect("what comes next");
    assert_eq!(next, "open next: gtkwave w.gtkw\n");
    let mut written: Vec<_> = written.split(", ").chain(["x.ron"]).collect();
    written.sort_unstable();
    assert_eq!(written, bench.names());
    for name in ["w.vcd", "w.fst"] {
        let wave = wellen::simple::read_from_reader(Cursor::new(bench.bytes(name))).expect("a waveform");
        let times = wave.time_table();
        assert_eq!((times.first(), times.last()), (Some(&20), Some(&40)), "{name}");
        let hierarchy = wave.hierarchy();
        let mut instances: Vec<_> = hierarchy
            .all_vars()
            .map(|var| hierarchy[var].full_name(hierarchy))
            .filter_map(|name| name.split('.').nth(1).map(str::to_owned))
            .filter(|name| name != "cycle")
            .collect();
        instances.sort_unstable();
        instances.dedup();
        let rows = (0..8).map(|y| format!("rt_3_{y}"));
        assert_eq!(instances, [String::from("node7")].into_iter().chain(rows).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_waveform_of_several_windows_shows_nothing_between_them() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let line = "run x.ron --wave w.vcd --wave w.fst --wave-window 60..70 --wave-window 20..30 --wave-window 70..80";
    let call = bench.line(&format!("{line} --wave-window 100000.."));
    let told = "; the waveform shows nothing of --wave-window 100000..\n";
    assert!(call.err.starts_with("warning: the run was over after ") && call.err.ends_with(told), "{}", call.err);
    call.ends(0);
    for name in ["w.vcd", "w.fst"] {
        let mut wave = wellen::simple::read_from_reader(Cursor::new(bench.bytes(name))).expect("a waveform");
        let times = wave.time_table().to_vec();
        assert!(times.iter().all(|at| (20..=30).contains(at) || (60..=80).contains(at)), "{name}: {times:?}");
        let clock = wave.hierarchy().lookup_var(&["top"], "cycle").expect("a signal");
        let clock = wave.hierarchy()[clock].signal_ref();
        wave.load_signals(&[clock]);
        let changes = wave.get_signal(clock).expect("a signal").iter_changes();
        let unknown = changes.filter(|(_, value)| value.to_bit_string().is_some_and(|digits| digits.contains('x')));
        assert_eq!(unknown.map(|(at, _)| times[at as usize]).collect::<Vec<_>>(), [30, 80], "{name}");
    }
}

#[test]
fn a_followed_worm_leads_the_view() {
    let bench = Bench::new();
    let tree = config("mesh_4x4_bit_string.ron");
    bench.call(["run", &tree, "--wave", "f.fst", "--follow", "0"]).ends(0);
    let view = bench.read("f.gtkw");
    assert!(view.contains("worm 0: n4 to {n3,n6,n7,n13,n14}"), "{view}");
    assert!(view.contains("rt_1_1.in1 from rt_0_1"), "{view}");
}

/// Highest number of values that a branch of a followed worm takes in a dump.
fn branch_values(bench: &Bench, dump: &str, worm: u32) -> usize {
    let mut wave = wellen::simple::read_from_reader(Cursor::new(bench.bytes(dump))).expect("a waveform");
    let scope = format!("top.follow_w{worm}.");
    let hierarchy = wave.hierarchy();
    let of_worm = hierarchy.all_vars().map(|var| &hierarchy[var]);
    let of_worm = of_worm.filter(|var| var.full_name(hierarchy).starts_with(&scope));
    let signals: Vec<_> = of_worm.map(wellen::Var::signal_ref).collect();
    wave.load_signals(&signals);
    let values = |&signal| {
        let signal = wave.get_signal(signal).expect("a signal");
        signal.iter_changes().map(|(_, value)| value.to_string()).collect::<BTreeSet<_>>().len()
    };
    signals.iter().map(values).max().expect("a branch")
}

#[test]
fn the_tour_of_the_commands_follows_a_worm_that_is_seen() {
    let page = std::fs::read_to_string(super::repository().join("docs/reference/commands.md")).expect("a file");
    let (_, tour) = page.split_once("## A tour").expect("a tour");
    let lines = tour.split("\n    wormscope ").skip(1).map(|text| text.split("\n\n").next().unwrap_or_default());
    let command = |name: &str| {
        let line = lines.clone().find(|line| line.starts_with(name)).expect("a command");
        let line = line.replace(['\\', '\''], " ");
        line.split(['#', '>']).next().expect("a command").trim().to_owned()
    };
    let config = command("config");
    let bench = Bench::with("my.ron", Bench::new().line(&config).ends(0));
    bench.line(&command("check")).ends(0);
    let run = command("run");
    let worm = run.split_once("--follow ").and_then(|(_, rest)| rest.split(' ').next()).expect("a worm");
    bench.line(&run).ends(0);
    // The values are none, a wait for another worm, and the flits from head to tail.
    assert!(branch_values(&bench, "run.fst", worm.parse().expect("a number")) > 10);
}

#[test]
fn a_worm_that_is_not_seen_in_the_window_is_not_followed() {
    let bench = Bench::new();
    let run = |more: &str| {
        let tree = config("mesh_4x4_bit_string.ron");
        bench.call(["run", &tree, "--wave", "f.vcd", "--follow"].into_iter().chain(more.split(' ')))
    };
    let cycles = |text: &str| -> Vec<u64> {
        text.split(' ').filter_map(|word| word.trim_end_matches(',').parse().ok()).collect()
    };
    let text = run("0 --wave-window 900..").refused();
    let told = "--follow 0: worm 0 is in the network in cycles ";
    assert!(text.contains(told) && text.contains(", not in those of --wave-window 900.."), "{text}");
    assert!(bench.names().is_empty());
    let [.., first, last] = cycles(text.split_once(", not in").expect("cycles").0)[..] else { panic!("{text}") };
    // The last cycle of a window is the one before its end.
    run(&format!("0 --wave-window ..{}", first + 1)).ends(0);
    run(&format!("0 --wave-window {last}..")).ends(0);
    run(&format!("0 --wave-window {}..", last + 1)).refused();
    let text = run(&format!("0 --wave-window ..{first}")).refused();
    assert!(text.ends_with(&format!("not in those of --wave-window 0..{first}; worm 1 is created there")), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let binary = env!("CARGO_BIN_EXE_wormscope");
    let script = format!("'{binary}' config --example mesh | head -n 1; echo \"${{PIPESTATUS[0]}}\"");
    let call = super::finish(std::process::Command::new("bash").args(["-c", &script]));
    assert_eq!(call.err, "");
    assert!(call.ends(0).ends_with("\n0\n"));
}

/// Rows of a CSV by worm and destination: injected, head arrived, tail arrived.
fn times(bench: &Bench, name: &str) -> BTreeMap<(u32, u32), [Option<u64>; 3]> {
    let mut rows = csv::Reader::from_path(bench.path(name)).expect("a CSV");
    let rows = rows.records().map(|row| row.expect("a row"));
    let time = |row: &csv::StringRecord, at: usize| row[at].parse().ok();
    let key = |row: &csv::StringRecord| (row[0].parse().expect("a worm"), row[2].parse().expect("a node"));
    rows.map(|row| (key(&row), [time(&row, 5), time(&row, 6), time(&row, 7)])).collect()
}

#[test]
fn a_run_that_is_cut_off_tells_what_took_place_before() {
    let networks = [
        ("topology: mesh(radices: [4, 4]), ", "bit_string", ""),
        ("topology: torus(radices: [4, 4]), link: (link_cycles: 3), ", "bit_string", "virtual_channels: 2, "),
        ("topology: mesh(radices: [4, 4]), routing: label_order, ", "multidestination", ""),
        ("topology: bi_min(switch_ports: 2, stages: 4), token_ring: (), ", "bit_string", ""),
    ];
    let nodes = ["", "receive_buffer: 64, ", "consumption_link: (link_cycles: 5), consumption_channels: 2, "];
    for ((topology, encoding, switch), node) in networks.into_iter().flat_map(|of| nodes.map(|node| (of, node))) {
        let network = format!("{topology}switch: ({switch}replication: buffered, fifo_depth: 16), node: ({node})");
        let bench = Bench::with(
            "x.ron",
            format!(
                "(network: ({network}), workload: [traffic(load: 0.3, payload_flits: 7), \
                 traffic(load: 0.1, encoding: {encoding}, destinations: 3, payload_flits: 7), \
                 stalls([(node: 3, from: 20, until: 60)])], run: (measure_cycles: 100, drain: empty))"
            ),
        );
        bench.line("run x.ron --csv whole.csv").ends(0);
        let (whole, mut partly) = (times(&bench, "whole.csv"), [0; 3]);
        for cycles in (20..90).step_by(3) {
            bench.line(&format!("run x.ron --cycles {cycles} --csv cut.csv")).ends(0);
            for (key, cut) in times(&bench, "cut.csv") {
                let expected = whole[&key].map(|time| time.filter(|&time| time < cycles));
                assert_eq!(cut, expected, "{network}: worm and node {key:?}, cut at {cycles}");
                partly[cut.iter().flatten().count() % 3] += 1;
            }
        }
        // The three states are queued or arrived, on the way, and partly there.
        assert!(partly.iter().all(|&rows| rows > 10), "{network}: {partly:?}");
    }
}

#[test]
fn a_deadlocked_worm_has_the_cycles_that_it_came_to() {
    let bench = Bench::new();
    bench.call(["run", &config("atbm_fig6b_deadlock.ron"), "--csv", "d.csv"]).ends(3);
    let deadlocked: Vec<_> = times(&bench, "d.csv").into_values().filter(|[.., tail]| tail.is_none()).collect();
    assert!(deadlocked.iter().all(|[injected, ..]| injected.is_some()), "{deadlocked:?}");
    assert!(deadlocked.iter().any(|[_, head, _]| head.is_some()), "{deadlocked:?}");
}

#[test]
fn cycles_and_times_of_any_size_are_exact() {
    let late = (1_u64 << 53) + 1;
    let bench = Bench::with("x.ron", super::TRACED);
    bench.write("trace.csv", format!("{}{late},1,2,,4\n", super::HEADER));
    for (clock, ns) in [("1", "9007199254741003"), ("1e9", "9007199254741003000000000"), ("0.5", "4503599627370502")] {
        let out = bench.line(&format!("run x.ron --cycles {} --set network.clock_ns={clock}", late * 2)).ends(0);
        assert!(out.contains(&format!("\ndone after 9007199254741003 cycles ({ns} ns), ")), "{out}");
    }
    for wrong in ["1e308", "1e-300"] {
        let message = bench.line(&format!("run x.ron --set network.clock_ns={wrong}")).refused();
        assert!(
            message.ends_with(&format!("clock_ns is {wrong}; allowed: 0.000001 to 1000000000 ns, or from_depth")),
            "{message}"
        );
    }
}

#[test]
fn a_run_ends_with_its_last_tail_and_random_traffic_is_measured_to_the_end_of_its_window() {
    let credits = "(network: (topology: mesh(radices: [3, 3]), node: (consumption_link: (credit_cycles: 60), \
                   consumption_depth: 60)), workload: [messages([(cycle: 0, source: 0, destinations: [8], \
                   payload_flits: 5)])])";
    let random = "(network: (topology: mesh(radices: [2, 2])), workload: [traffic(load: 0.02, payload_flits: 20)], \
                  run: (measure_cycles: 1000))";
    let bench = Bench::with("credits.ron", credits);
    bench.write("random.ron", random);
    let json = |line: &str| -> Value {
        bench.line(&format!("run {line} --json o.json")).ends(0);
        serde_json::from_str(&bench.read("o.json")).expect("JSON")
    };
    for engine in ["fast", "banked", "reference"] {
        let run = json(&format!("credits.ron --engine {engine}"));
        // The tail arrives in cycle 16. The credit of the head is back in cycle 71.
        assert_eq!((&run["totals"]["cycles"], &run["load"]["to"]), (&17.into(), &17.into()), "{engine}");
        let drained = json(&format!("random.ron --set drain=empty --engine {engine}"));
        assert_eq!((&drained["totals"]["cycles"], &drained["load"]["to"]), (&1000.into(), &1000.into()), "{engine}");
        assert_eq!(drained["load"], json(&format!("random.ron --engine {engine}"))["load"], "{engine}");
    }
    let silent = bench.line("run random.ron --set pattern=tornado").ends(0);
    assert!(silent.contains("done after 1000 cycles") && silent.contains("offered 0.0000"), "{silent}");
    bench.write("empty.ron", "(network: (topology: mesh(radices: [2, 2])))");
    let empty = bench.line("run empty.ron").ends(0);
    assert!(empty.contains("nothing measured: the workload created no worms\n"), "{empty}");
}
