//! Tests of `wormscope deadlock`: its report and its files are as the documentation shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::{Bench, HEADER, TRAFFIC, blocks, config, repository, root};

/// The configurations that end in a deadlock on purpose.
const DEADLOCKS: [&str; 9] = [
    "atbm_fig6a",
    "atbm_fig6b",
    "atbm_fig6c",
    "atbm_fig7a",
    "mesh_3x3_tree",
    "mesh_4x2_path",
    "torus_4x4",
    "torus_ring",
    "uni_min_16_multiport",
];

fn deadlock(name: &str) -> String {
    config(&format!("{name}_deadlock.ron"))
}

fn page() -> String {
    std::fs::read_to_string(repository().join("docs/explain/deadlocks.md")).expect("a page")
}

#[test]
fn reports_and_pictures_in_the_documentation_are_what_the_command_makes() {
    let (bench, page) = (root("deadlocks"), page());
    let reports = blocks(&page, "text");
    assert!(reports.len() >= 6);
    for report in reports {
        let (command, expected) = report.split_once('\n').expect("a command and its report");
        let command = command.strip_prefix("$ wormscope ").expect("a command");
        assert_eq!(bench.line(command).ends(3), expected, "{command}");
        let picture = command.split_whitespace().last().expect("a file");
        let committed = std::fs::read_to_string(repository().join(picture)).expect("a picture");
        assert!(bench.read(picture) == committed, "{picture} has changed; make figures draws it anew");
        assert!(
            page.contains(&format!("({})", picture.strip_prefix("docs/explain/").expect("in docs"))),
            "{picture} is not shown"
        );
    }
}

#[test]
fn changes_in_the_documentation_remove_their_deadlocks() {
    let (bench, page) = (root("deadlocks"), page());
    let mut changes = 0;
    for section in page.split("\n## ").filter(|section| section.contains("```diff")) {
        let file =
            section.split("wormscope deadlock ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a config");
        let text = bench.read(file);
        for diff in blocks(section, "diff") {
            changes += 1;
            let side = |sign: char| -> String {
                let lines = diff.lines().filter(|line| line.starts_with([' ', sign]));
                lines.flat_map(|line| [&line[1..], "\n"]).collect()
            };
            assert_eq!(text.matches(&side('-')).count(), 1, "{file}: {diff}");
            bench.write("changed.ron", text.replace(&side('-'), &side('+')));
            let out = bench.line("deadlock changed.ron").ends(0);
            assert!(section.contains(&format!("`{}`", out.trim_end())), "{file}: {out}");
        }
    }
    assert!(changes >= 6);
}

#[test]
fn every_change_that_is_reported_ends_as_reported_when_it_is_made() {
    let bench = Bench::new();
    for name in DEADLOCKS {
        let file = deadlock(name);
        let text = bench.call(["deadlock", &file, "--before", "0", "--json", "out.json"]).ends(3);
        let json: Value = serde_json::from_str(&bench.read("out.json")).expect("JSON");
        let found = &json["deadlock"];
        let mut last = (1, f64::NEG_INFINITY);
        let run = |changed: &Value, code: i32| {
            let sets = changed["sets"].as_array().expect("overrides").iter().map(|set| set.as_str().expect("text"));
            let sets = sets.flat_map(|set| ["--set", set]);
            bench.call(["run", &file].into_iter().chain(sets)).ends(code)
        };
        let cures = found["cures"].as_array().expect("a list");
        assert!(!cures.is_empty(), "{name}");
        for cure in cures {
            assert_eq!(cure["outcome"], "done");
            let done = format!("\ndone after {} cycles", cure["cycle"]);
            assert!(run(cure, 0).contains(&done), "{name}: {cure}");
            let by_rule = !cure["rules"].as_array().expect("a list").is_empty();
            assert_eq!(cure["holds_for"], if by_rule { "any_worms" } else { "these_worms" }, "{name}: {cure}");
            assert!(cure["seeds"].is_null(), "{name}: nothing is drawn");
            let place = (-i32::from(by_rule), cure["area_ge_added"].as_f64().expect("a number"));
            assert!(last.0 == 1 || place >= last, "{name}: rules come first, then the cheapest");
            last = place;
        }
        for vain in found["no_help"].as_array().expect("a list") {
            let runs = vain["runs"].as_array().expect("a list");
            for of_value in runs {
                assert_eq!(of_value["outcome"], "deadlock", "{name}: {vain}");
                let ended = format!("DEADLOCK final at {},", of_value["cycle"]);
                assert!(run(of_value, 3).contains(&ended), "{name}: {of_value}");
            }
            // The text has the first and the last cycle.
            let cycles = runs.iter().map(|of_value| of_value["cycle"].as_u64().expect("a cycle"));
            let (first, last) = (cycles.clone().min().expect("a run"), cycles.max().expect("a run"));
            let until = if first == last { String::new() } else { format!(" to {last}") };
            let change = vain["change"].as_str().expect("text");
            assert_eq!(runs.len() > 1, change.ends_with(", each"), "{name}: {vain}");
            let line = format!("\n  {change}: DEADLOCK final at {first}{until}\n");
            assert!(text.contains(&line), "{name}: {line}");
        }
    }
}

#[test]
fn the_smallest_depth_that_helps_is_the_smallest() {
    let bench = Bench::new();
    let file = deadlock("torus_4x4");
    let text = bench.call(["deadlock", &file, "--before", "0"]).ends(3);
    assert!(text.contains("fifo_depth 4 to 18: done at 59"), "{text}");
    for depth in 5..18 {
        let set = format!("network.switch.fifo_depth={depth}");
        bench.call(["run", &file, "--set", &set]).ends(3);
    }
}

#[test]
fn text_json_and_graph_tell_the_same_story() {
    let bench = Bench::new();
    for name in DEADLOCKS {
        let call =
            ["deadlock", &deadlock(name), "--before", "0", "--json", "a.json", "--dot", "a.dot", "--svg", "a.svg"];
        let text = bench.call(call).ends(3);
        let json: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
        assert_eq!((&json["schema_version"], &json["outcome"]), (&2.into(), &"deadlock".into()));
        let found = &json["deadlock"];
        assert!(
            text.starts_with(&format!("DEADLOCK final at {}, detected {};", found["final_cycle"], found["detected"])),
            "{text}"
        );
        let rows: Vec<&Value> =
            ["cycle", "also"].iter().flat_map(|list| found[list].as_array().expect("a list")).collect();
        let dot = bench.read("a.dot");
        assert!(dot.starts_with("digraph deadlock {\n") && dot.ends_with("}\n"));
        assert_eq!(dot.matches("  m").count() - dot.matches(" -> ").count(), rows.len(), "{dot}");
        let wants: usize = rows.iter().map(|row| row["wants"].as_array().expect("a list").len()).sum();
        assert_eq!(dot.matches(" -> ").count(), wants, "{dot}");
        let picture = bench.read("a.svg");
        for (i, row) in rows.iter().enumerate() {
            let words = |list: &Value| -> String {
                let words = list.as_array().expect("a list").iter().map(|word| word.as_str().expect("text"));
                words.collect::<Vec<_>>().join(", ")
            };
            let (at, holds) = (row["at"].as_str().expect("text"), words(&row["holds"]));
            let start = format!("{} | {}", i + 1, row["worm"]);
            let line = text.lines().find(|line| line.starts_with(&start)).expect("a row");
            assert!(line.contains(at) && line.contains(&holds), "{line}: {row}");
            assert!(dot.contains(&format!("at {at}\\nholds {holds}")), "{dot}");
            assert!(picture.contains(&format!(" at {at} wants ")), "{name}: {at}");
        }
        // Each worm waits for the next, and the last for the first.
        let cycle = found["cycle"].as_array().expect("a list");
        for (row, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            assert_eq!(row["wants"][0]["owned_by"], next["worm"], "{name}");
        }
        assert!(picture.matches("<circle").count() >= rows.len());
        assert!(found["no_return"]["cycle"].as_u64() <= found["final_cycle"].as_u64());
        assert_eq!(found["no_return"]["exact"], true, "{name}");
    }
}

#[test]
fn the_waveform_shows_the_cycles_before_and_its_view_the_lanes_in_the_order_of_the_cycle() {
    let bench = Bench::new();
    let text =
        bench.call(["deadlock", &deadlock("atbm_fig6c"), "--before", "10", "--wave", "a.vcd", "--wave", "a.fst"]);
    let text = text.ends(3);
    assert!(text.contains("\nwrote a.vcd, a.states.txt, "), "{text}");
    assert!(text.ends_with(", a.gtkw, a.fst\nopen next: gtkwave a.gtkw\n"), "{text}");
    let mut written: Vec<_> = text.split_once("\nwrote ").expect("files").1.split([',', '\n']).map(str::trim).collect();
    written.truncate(written.len() - 2);
    written.sort_unstable();
    assert_eq!(written, bench.names());
    let view = bench.read("a.gtkw");
    let groups: Vec<&str> = view.lines().filter(|line| line.starts_with("-1:") || line.starts_with("-2:")).collect();
    assert_eq!(
        groups,
        [
            "-1: worm 1 n0>{n3,n6} at sw_s1_r2 in0, waits for worm 2",
            "-2: worm 2 n2>{n3,n7} at sw_s1_r0 in1, waits for worm 1"
        ]
    );
    assert!(view.contains("[markername] AA no return, final\n[markername] BB detected\n"), "{view}");
    let mut wave = wellen::simple::read(bench.path("a.fst")).expect("a dump");
    let hierarchy = wave.hierarchy();
    let names: BTreeSet<String> = hierarchy.all_vars().map(|v| hierarchy[v].full_name(hierarchy)).collect();
    let rows = view.lines().filter(|line| line.starts_with("top.") || line.starts_with("+{"));
    let shown: Vec<&str> = rows.filter_map(|row| row.split(' ').next_back()).collect();
    assert!(shown.len() > 10);
    for signal in &shown {
        let name = signal.split('[').next().expect("a name");
        assert!(names.contains(name), "{signal}");
    }
    // The deadlock is final at 24 and detected at 33. The clock goes on to the end, where there is
    // room behind the last marker.
    assert_eq!(bench.read("a.vcd").lines().find(|line| line.starts_with('#')), Some("#14"));
    let times = wave.time_table().to_vec();
    assert_eq!(times.first(), Some(&14));
    assert!(*times.last().expect("a time") > 36 && times[1..].windows(2).all(|two| two[1] == two[0] + 1), "{times:?}");
    let waits = hierarchy.all_vars().map(|v| &hierarchy[v]).find(|v| v.full_name(hierarchy).contains("follow_w1.hop0"));
    let id = waits.expect("a branch").signal_ref();
    wave.load_signals(&[id]);
    let last = wave.get_signal(id).expect("loaded").iter_changes().last().and_then(|(_, value)| value.to_bit_string());
    let waits = wormscope::trace::follow::Doing::Waits(wormscope::hw::WormId(2)).encode();
    assert_eq!(last, Some(format!("{waits:035b}")), "it waits for worm 2");
}

/// The text of a row without a signal, as `GTKWave` reads it (`parsewavline` of its `savefile.c`).
/// A `{` before the first blank begins a name. `GTKWave` takes away this brace and the `}` that
/// ends the name.
fn read_by_gtkwave(line: &str) -> String {
    let (mut read, mut mode) = (String::new(), 0);
    for c in line.chars() {
        match (mode, c) {
            (0, '{') => mode = 1,
            (1, '}') => mode = 2,
            (0, ' ') => {
                mode = 2;
                read.push(c);
            }
            _ => read.push(c),
        }
    }
    read
}

#[test]
fn gtkwave_takes_no_brace_from_a_row() {
    assert_eq!(read_by_gtkwave("-n0>{n4,n12}"), "-n0>n4,n12");
    let bench = Bench::new();
    bench.call(["deadlock", &deadlock("atbm_fig7a"), "--wave", "a.vcd"]).ends(3);
    let view = bench.read("a.gtkw");
    let rows: Vec<&str> = view.lines().filter(|line| line.starts_with('-')).collect();
    assert!(rows.contains(&"- n0>{n4,n12}"), "{rows:?}");
    for row in rows {
        assert_eq!(read_by_gtkwave(row), row);
    }
}

/// A ring that closes when the long worm 0 has left: worms 1 to 3 wait from cycle 6 on.
const LATE: &str = "(network: (topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2), \
    node: (injection_channels: 2)), workload: [messages([\
    (cycle: 0, source: 3, destinations: [0], payload_flits: 150), \
    (cycle: 2, source: 0, destinations: [2], payload_flits: 20), \
    (cycle: 2, source: 1, destinations: [3], payload_flits: 20), \
    (cycle: 2, source: 2, destinations: [0], payload_flits: 20), \
    (cycle: 2, source: 3, destinations: [1], payload_flits: 20)])])";

/// The cycle of each marker of a view, and pixels a cycle, from its zoom.
fn markers(view: &str) -> (Vec<i64>, f64) {
    let line = view.lines().find_map(|line| line.strip_prefix('*')).expect("a zoom");
    let mut numbers = line.split(' ');
    let zoom: f64 = numbers.next().and_then(|zoom| zoom.parse().ok()).expect("a zoom");
    let marks = numbers.skip(1).map(|mark| mark.parse().expect("a cycle")).collect();
    // The viewer draws 200 pixels over a whole number of units of time.
    (marks, 200.0 / (-zoom).exp2().floor())
}

#[test]
fn the_waveform_goes_back_to_its_first_marker_and_has_the_last_in_sight() {
    let bench = Bench::with("x.ron", LATE);
    bench.line("deadlock x.ron --wave a.vcd").ends(3);
    let view = bench.read("a.gtkw");
    let (marks, pixels) = markers(&view);
    assert!(marks.len() > 3 && marks.iter().all(|mark| *mark >= 0), "{marks:?}");
    let start = |view: &str| {
        let start = view.lines().find_map(|line| line.strip_prefix("[timestart] ")).expect("a start");
        start.parse::<i64>().expect("a cycle")
    };
    assert_eq!(start(&view), marks.iter().min().expect("a marker") - 4);
    // The names take a third of a window of 1280 by 800 pixels.
    let last = (marks.iter().max().expect("a marker") - start(&view)) as f64 * pixels;
    assert!(last > 400.0 && last < 720.0, "{last} pixels");
    assert!(view.contains("\n[size] 1280 800\n"), "{view}");

    // With fewer cycles before the deadlock, some markers lie before the dump, and their names say
    // so.
    bench.line("deadlock x.ron --before 64 --wave b.vcd").ends(3);
    let view = bench.read("b.gtkw");
    assert_eq!(start(&view), 156 - 64);
    let early: Vec<i64> = marks.iter().copied().filter(|mark| *mark < 156 - 64).collect();
    assert!(!early.is_empty());
    for mark in early {
        assert!(view.contains(&format!(" waits: cycle {mark}, before the dump\n")), "{mark}: {view}");
    }
    assert!(!view.contains(" before the dump\n") || markers(&view).0.contains(&-1), "{view}");

    // A run that is not prepared for a deadlock shows its markers as well.
    bench.line("run x.ron --wave c.vcd").ends(3);
    let view = bench.read("c.gtkw");
    let (marks, pixels) = markers(&view);
    let (first, last) = (marks.iter().min().expect("a marker"), marks.iter().max().expect("a marker"));
    assert!(start(&view) < *first && (last - start(&view)) as f64 * pixels < 720.0, "{view}");
}

#[test]
fn the_worm_of_a_held_lane_is_the_one_that_holds_it() {
    let bench = Bench::with("x.ron", LATE);
    for command in ["deadlock x.ron --wave a.vcd", "run x.ron --wave a.vcd"] {
        bench.line(command).ends(3);
        let view = bench.read("a.gtkw");
        let mut wave = wellen::simple::read(bench.path("a.vcd")).expect("a dump");
        let mut worms = Vec::new();
        for row in view.lines().filter(|row| row.starts_with("+{holds ") && row.contains(" worm} ")) {
            let signal = row.split(' ').next_back().and_then(|name| name.split('[').next()).expect("a signal");
            let hierarchy = wave.hierarchy();
            let var = hierarchy.all_vars().map(|v| &hierarchy[v]).find(|v| v.full_name(hierarchy) == signal);
            let id = var.unwrap_or_else(|| panic!("{signal} is not there")).signal_ref();
            wave.load_signals(&[id]);
            let last = wave.get_signal(id).expect("loaded").iter_changes().last().expect("a value").1;
            worms.push(u32::from_str_radix(&last.to_bit_string().expect("bits"), 2).expect("a worm"));
        }
        assert_eq!(worms, [1, 2, 3, 4], "{view}");
    }
}

#[test]
fn a_view_of_many_rows_shows_some_and_closes_the_rest() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: mesh(radices: [32, 8])), workload: [messages([\
         (cycle: 0, source: 0, destinations: [31, 100, 200, 255], encoding: bit_string, payload_flits: 4)])])",
    );
    bench.line("run x.ron --wave a.vcd --follow 0").ends(0);
    bench.line("run x.ron --wave b.vcd").ends(0);
    let mesh = "(network: (topology: mesh(radices: [8, 8])), workload: [traffic(load: 0.05, payload_flits: 63), \
                traffic(load: 0.01, payload_flits: 31, destinations: 8, encoding: bit_string)])";
    bench.write("y.ron", mesh);
    bench.line("run y.ron --wave c.vcd").ends(3);
    for view in ["a.gtkw", "b.gtkw", "c.gtkw"] {
        let view = bench.read(view);
        let (mut rows, mut closed) = (0, 0);
        for line in view.lines() {
            let is_row = line.starts_with('+') || line.starts_with("top.") || line.starts_with('-') && line != "-";
            match line {
                // The name of the group is a row.
                "@c00200" => {
                    rows += usize::from(closed == 0);
                    closed += 1;
                }
                "@1401200" => closed -= 1,
                _ => rows += usize::from(is_row && closed == 0),
            }
        }
        assert!((20..=42).contains(&rows), "{rows} rows: {view}");
        assert_eq!(closed, 0);
        assert!(view.contains("\n-and ") && view.contains(" more "), "{view}");
        let first = view
            .lines()
            .filter(|line| ["@800200", "@c00200"].contains(line))
            .nth(usize::from(view.contains("\n-markers\n")));
        assert_eq!(first, Some("@800200"), "the first group is open");
    }
}

/// Cycles of a dump in which `valid` of a lane or channel is 1, by its name; each is looked at, the
/// last as well.
fn crossings(bench: &Bench, dump: &str) -> BTreeMap<String, u64> {
    let mut wave = wellen::simple::read(bench.path(dump)).expect("a dump");
    let vars: Vec<_> = wave.hierarchy().all_vars().map(|var| wave.hierarchy()[var].clone()).collect();
    let vars: Vec<_> = vars.iter().filter(|var| var.name(wave.hierarchy()) == "valid").collect();
    wave.load_signals(&vars.iter().map(|var| var.signal_ref()).collect::<Vec<_>>());
    let times = wave.time_table();
    let cycles = |var: &wellen::Var| -> u64 {
        let changes = wave.get_signal(var.signal_ref()).expect("loaded").iter_changes();
        let changes = changes.map(|(at, value)| (times[at as usize], value.to_bit_string().expect("bits") == "1"));
        let behind = (times.last().expect("a time") + 1, false);
        let changes: Vec<_> = changes.chain([behind]).collect();
        changes.windows(2).filter(|two| two[0].1).map(|two| two[1].0 - two[0].0).sum()
    };
    vars.iter().map(|var| (var.full_name(wave.hierarchy()), cycles(var))).collect()
}

#[test]
fn flits_of_other_worms_are_counted_as_often_as_they_cross() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2), \
         node: (injection_channels: 2)), workload: [messages([\
         (cycle: 0, source: 0, destinations: [2], payload_flits: 20), \
         (cycle: 0, source: 1, destinations: [3], payload_flits: 20), \
         (cycle: 0, source: 2, destinations: [0], payload_flits: 20), \
         (cycle: 0, source: 3, destinations: [1], payload_flits: 20), \
         (cycle: 0, source: 0, destinations: [0], payload_flits: 500)])], run: (deadlock_check_cycles: 30))",
    );
    bench.line("run x.ron --wave all.vcd --wave all.fst --json x.json").ends(3);
    let report: Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    let all = crossings(&bench, "all.vcd");
    let sum = |kind: &str| all.iter().filter(|(name, _)| name.contains(kind)).map(|(_, flits)| flits).sum::<u64>();
    let totals = ["injected_flits", "consumed_flits", "flit_hops"].map(|total| report["totals"][total].as_u64());
    assert_eq!(totals, [".inj", ".ej", ".out"].map(|kind| Some(sum(kind))));
    assert!(totals[1] > Some(20), "a worm arrives meanwhile: {totals:?}");
    assert_eq!(crossings(&bench, "all.fst"), all);
    bench.line("deadlock x.ron --before 64 --wave stuck.vcd --wave stuck.fst").ends(3);
    for dump in ["stuck.vcd", "stuck.fst"] {
        let shown = crossings(&bench, dump);
        assert!(shown.values().any(|flits| *flits > 20), "{shown:?}");
        for (name, flits) in shown {
            assert_eq!(all.get(&name), Some(&flits), "{dump}, {name}");
        }
    }
}

#[test]
fn without_a_word_about_it_the_waveform_goes_into_waves() {
    let bench = Bench::new();
    let text = bench.call(["deadlock", &deadlock("torus_ring")]).ends(3);
    assert!(text.ends_with("\nopen next: gtkwave waves/torus_ring_deadlock.gtkw\n"), "{text}");
    assert!(bench.path("waves/torus_ring_deadlock.fst").is_file());
    let bench = Bench::new();
    bench.call(["deadlock", &deadlock("torus_ring"), "--before", "0"]).ends(3);
    assert!(bench.names().is_empty());
}

#[test]
fn a_file_that_cannot_be_written_takes_nothing_from_the_report() {
    let bench = Bench::new();
    let report = bench.call(["deadlock", &deadlock("torus_ring"), "--before", "0"]).ends(3);
    for option in ["--json", "--dot", "--svg"] {
        let call = bench.call(["deadlock", &deadlock("torus_ring"), "--before", "0", option, "/dev/full"]);
        assert_eq!(call.out, report);
        assert!(call.unwritten().starts_with("/dev/full: cannot be written"));
    }
}

/// The messages of a configuration as a trace.
fn traced(name: &str) -> (String, String) {
    let text = std::fs::read_to_string(deadlock(name)).expect("a configuration");
    let (head, list) = text.split_once("messages([").expect("messages");
    let (list, tail) = list.split_once("]),").expect("the end of the messages");
    let mut trace = HEADER.to_owned();
    for message in list.lines().filter(|line| line.contains("cycle:")) {
        let field = |name: &str| {
            let value = message.split(&format!("{name}: ")).nth(1).expect("a field");
            value.split(['[', ']', ',', ')']).find(|part| !part.is_empty()).expect("a value").to_owned()
        };
        let to = message.split('[').nth(1).and_then(|rest| rest.split(']').next()).expect("a list").replace(',', "");
        let [cycle, source, encoding, flits] = ["cycle", "source", "encoding", "payload_flits"].map(field);
        writeln!(trace, "{cycle},{source},{to},{encoding},{flits}").expect("a line");
    }
    (format!("{head}trace(\"trace.csv\"),{tail}"), trace)
}

#[test]
fn worms_of_a_trace_are_explained_as_those_of_a_list_are() {
    for name in ["mesh_3x3_tree", "mesh_4x2_path"] {
        let (config, trace) = traced(name);
        let bench = Bench::with("traced.ron", config);
        bench.write("trace.csv", &trace);
        let listed = bench.call(["deadlock", &deadlock(name), "--before", "0"]).ends(3);
        assert_eq!(bench.line("deadlock traced.ron --before 0").ends(3), listed, "{name}");
        // This worm is longer, and the run did not come to it. A FIFO that holds all worms holds
        // this one too.
        bench.write("trace.csv", format!("{trace}900,0,1 2,bit_string,30\n"));
        let text = bench.line("deadlock traced.ron --before 0").ends(3);
        assert!(text.contains("\n  replication sequential, fifo_depth 4 to 31: done at "), "{text}");
        // A wrong row spoils the cures that read it, not the explanation.
        bench.write("trace.csv", format!("{trace}500,0,1,,4\n900,0,99,,9\n"));
        let text = bench.line("deadlock traced.ron --before 0").ends(3);
        assert!(
            text.contains("\nNo cure that was tried frees it:\n  acquisition atomic: DEADLOCK final at 8\n"),
            "{text}"
        );
    }
}

#[test]
fn run_tells_a_deadlock_in_json_as_its_explanation_does() {
    let bench = Bench::new();
    for name in DEADLOCKS {
        bench.call(["run", &deadlock(name), "--json", "run.json"]).ends(3);
        bench.call(["deadlock", &deadlock(name), "--before", "0", "--json", "told.json"]).ends(3);
        let [run, told] =
            ["run.json", "told.json"].map(|file| serde_json::from_str::<Value>(&bench.read(file)).expect("JSON"));
        assert_eq!(run["outcome"], told["outcome"]);
        let relation = run["deadlock"].as_object().expect("a deadlock");
        assert_eq!(relation.keys().collect::<Vec<_>>(), ["also", "behind", "cycle", "detected", "final_cycle"]);
        for (key, value) in relation {
            assert_eq!(*value, told["deadlock"][key], "{name}: {key}");
        }
    }
}

#[test]
fn a_testbench_that_expects_what_is_not_there_is_refused() {
    let bench = Bench::new();
    let ring = deadlock("torus_ring");
    for (expect, why) in [
        (
            "deadlock: found(worms: [0, 1, 2, 7])",
            "deadlock.found.worms[3]: there is no worm 7; the run creates worms 0 to 3",
        ),
        ("deliveries: [(worm: 4, to: [1])]", "deliveries[0].worm: there is no worm 4; the run creates worms 0 to 3"),
        (
            "multicasts: [(multicast: 0)]",
            "multicasts[0].multicast: there is no multicast 0; the run begins no multicasts",
        ),
    ] {
        bench.write("x.ron", format!("(purpose: \"x\", config: \"{ring}\", expect: ({expect}))"));
        let refused = bench.line("deadlock x.ron --before 0 --json x.json").refused();
        assert!(refused.starts_with("x.ron:1:") && refused.ends_with(why), "{refused}");
        assert_eq!(bench.names(), ["x.ron"]);
    }
}

#[test]
fn a_search_that_meets_its_bound_says_so() {
    let bench = Bench::new();
    let text = bench.call(["deadlock", &deadlock("atbm_fig7a"), "--before", "0", "--bound", "1"]).ends(3);
    assert!(text.contains("\nPoint of no return: cycle "), "{text}");
    assert!(text.contains(" at the latest; "), "{text}");
    assert!(text.contains("up to the bound of 1 switch evaluations"), "{text}");
}

#[test]
fn a_testbench_is_explained_as_its_experiment_is() {
    let bench = Bench::new();
    let file = repository().join("testbenches/deadlock/deadlock_ring.ron").display().to_string();
    let text = bench.call(["deadlock", &file, "--before", "0", "--json", "a.json"]).ends(3);
    let config = bench.call(["deadlock", &deadlock("torus_ring"), "--before", "0"]).ends(3);
    assert_eq!(text.split("\nwrote ").next(), Some(config.as_str()));
    let json: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
    assert_eq!(json["experiment"], file.as_str());
    // Random worms come from the seed, and overrides apply on top.
    let random = repository().join("testbenches/random/random_paths.ron").display().to_string();
    let done = bench.call(["deadlock", &random, "--seed", "3"]).ends(0);
    assert_eq!(bench.call(["deadlock", &random, "--set", "run.seed=3", "--seed", "3"]).ends(0), done);
    bench.write("bad.ron", "(purpose: \"x\", network: (topology: linear(nodes: 2)), expect: (deadlok: never))");
    let refused = bench.line("deadlock bad.ron").refused();
    assert!(refused.contains("bad.ron:1:") && refused.contains("did you mean \"deadlock\"?"), "{refused}");
    bench.write(
        "bench.ron",
        "(purpose: \"x\", network: (topology: linear(nodes: 2)), expect: (deadlock: never), \
         random: [(worms: 1, cycles: (0, 0), payload_flits: (1, 1))])",
    );
    assert!(bench.line("deadlock bench.ron --svg bench.ron").refused().contains("is both a testbench and --svg"));
    bench.write(
        "turn.ron",
        "(purpose: \"x\", network: (topology: linear(nodes: 3)), expect: (deadlock: never), \
         workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 1)]), \
         stalls([(arbiter: \"rt_1.out1\", first: \"in0\", from: 0, until: 9)])])",
    );
    let refused = bench.line("deadlock turn.ron --set acquisition=atomic").refused();
    assert_eq!(refused, "turn.ron: no arbiter \"rt_1.out1\"; nearest names: rt_1, rt_0, rt_2");
    // The switch at the end of the line has no input 0.
    bench.write("turn.ron", bench.read("turn.ron").replace("rt_1.out1", "rt_0.out0").replace("in0", "in1"));
    let refused = bench.line("deadlock turn.ron").refused();
    assert!(refused.ends_with("no input \"in1\"; nearest names: in0, in2"), "{refused}");
}

#[test]
fn a_run_without_a_deadlock_says_so_and_ends_well() {
    let bench = Bench::with("traffic.ron", TRAFFIC);
    let call = bench.line("deadlock traffic.ron --json a.json --svg a.svg --wave a.fst");
    let unwritten = "there is no deadlock to show: a.svg, a.fst were not written; an older file of that name stays";
    assert_eq!(call.err, format!("warning: {unwritten}\n"));
    let text = call.ends(0);
    assert!(text.starts_with("no deadlock: done at ") && text.ends_with("worms arrived\nwrote a.json\n"), "{text}");
    let json: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
    assert_eq!((&json["outcome"], &json["deadlock"]), (&"done".into(), &Value::Null));
    assert_eq!(bench.names(), ["a.json", "traffic.ron"]);
    let text = bench.line("deadlock traffic.ron --cycles 20").ends(0);
    assert!(text.starts_with("no deadlock up to cycle 20: stopped at the limit, "), "{text}");
    let call = bench.line("deadlock traffic.ron --json /dev/full");
    assert!(call.out.starts_with("no deadlock: done at ") && !call.out.contains("wrote"), "{}", call.out);
    assert!(call.unwritten().starts_with("/dev/full: cannot be written"));
}

#[test]
fn random_traffic_is_explained_as_well() {
    let text = "(network: (topology: torus(radices: [4, 4], datelines: false)), \
                workload: [traffic(load: 0.6, payload_flits: 15)], run: (measure_cycles: 2000))\n";
    let bench = Bench::with("torus.ron", text);
    let text = bench.line("deadlock torus.ron --before 0 --bound 100000").ends(3);
    assert!(
        text.contains(
            "Cures for all worms, cheapest first, areas estimated:\n  datelines, virtual_channels 1 to 2: done at"
        ) && text.contains("\nCures tested with the worms of some seeds, most seeds first, areas estimated:\n  +1 "),
        "{text}"
    );
    assert!(text.contains("\nThis holds for worms 0 to "), "{text}");
    assert_eq!(bench.line("deadlock torus.ron --before 0 --bound 100000").ends(3), text, "twice the same");
}

#[test]
fn what_frees_one_run_is_told_from_what_frees_any() {
    let text = "(network: (topology: torus(radices: [8], datelines: false)), \
                workload: [traffic(load: 0.4, payload_flits: 15)], run: (measure_cycles: 2000))\n";
    let bench = Bench::with("ring.ron", text);
    let text = bench.line("deadlock ring.ron --before 0 --bound 1000 --json told.json").ends(3);
    let json: Value = serde_json::from_str(&bench.read("told.json")).expect("JSON");
    let cures = json["deadlock"]["cures"].as_array().expect("a list");
    let line = |cure: &Value| {
        let start = format!("  {}: done at {} ", cure["change"].as_str().expect("text"), cure["cycle"]);
        text.lines().find(|line| line.starts_with(&start)).expect("a line").to_owned()
    };
    let run = |cure: &Value, more: &[String]| {
        let sets = cure["sets"].as_array().expect("overrides").iter().map(|set| set.as_str().expect("text"));
        let sets = sets.chain(more.iter().map(String::as_str)).flat_map(|set| ["--set", set]);
        bench.call(["run", "ring.ron"].into_iter().chain(sets))
    };
    // Datelines cost more than a parallel link, and hold for any worms.
    assert_eq!((&cures[0]["holds_for"], &cures[0]["rules"]), (&"any_worms".into(), &serde_json::json!(["datelines"])));
    assert!(line(&cures[0]).contains("   by datelines   ") && cures[0]["seeds"].is_null());
    for seed in 2..6 {
        let full = ["workload[0].traffic.load=0.9".to_owned(), format!("run.seed={seed}")];
        assert!(!run(&cures[0], &full).out.contains("DEADLOCK"), "seed {seed}");
    }
    let mut last = u64::MAX;
    for cure in &cures[1..] {
        assert_eq!((&cure["holds_for"], &cure["rules"]), (&"these_worms".into(), &serde_json::json!([])));
        let (held, tried) = (cure["seeds"]["held"].as_u64().expect("a number"), &cure["seeds"]["tried"]);
        assert!(line(cure).contains(&format!("   held with {held} of 6 seeds   ")) && *tried == 6, "{cure}");
        assert!(held <= last, "{cure}: what held with most comes first");
        last = held;
        let others = cure["seeds"]["others"].as_array().expect("a list");
        assert_eq!(others.iter().filter(|run| run["outcome"] == "done").count() as u64, held - 1);
        for other in others {
            let code = if other["outcome"] == "done" { 0 } else { 3 };
            run(cure, &[format!("run.seed={}", other["seed"]), "run.drain=all".to_owned()]).ends(code);
        }
    }
    assert!(last < 6, "one of them deadlocks with another seed: {text}");
}

#[test]
fn networks_whose_routes_wait_in_a_cycle_have_a_change_that_frees_any_worms() {
    let ring = (0..6).fold(String::new(), |text, at| {
        let name = |at: u32| char::from(b'a' + (at % 6) as u8);
        let (here, next) = (name(at), name(at + 1));
        format!("{text}switch {here}\n") + &format!("link {here}.0 {next}.1\nnode {here}.2\n")
    });
    // Switches are named before the links between them.
    let (switches, others): (Vec<&str>, Vec<&str>) = ring.lines().partition(|line| line.starts_with("switch"));
    let text = [switches, others].concat().join("\n");
    let netlist = format!("netlist(text: \"{text}\", routing: shortest, cyclic: true)");
    let torus = "torus(radices: [4, 4], datelines: false)".to_owned();
    let trees = "encoding: bit_string, destinations: 4, load: 0.3, payload_flits: 7";
    for (topology, traffic, change, rules) in [
        (netlist, "load: 0.8, payload_flits: 30", "netlist routing up_down", &["acyclic_routes"][..]),
        (
            torus,
            trees,
            "datelines, virtual_channels 1 to 2, replication buffered, fifo_depth 4 to 8",
            &["datelines", "whole_worm_fifos"],
        ),
    ] {
        let text =
            format!("(network: (topology: {topology}), workload: [traffic({traffic})], run: (measure_cycles: 4000))\n");
        let bench = Bench::with("a.ron", &text);
        bench.line("deadlock a.ron --before 0 --bound 1000 --json told.json").ends(3);
        let json: Value = serde_json::from_str(&bench.read("told.json")).expect("JSON");
        let first = &json["deadlock"]["cures"][0];
        assert_eq!((&first["change"], &first["rules"]), (&change.into(), &serde_json::json!(rules)), "{first}");
    }
}

#[test]
fn bad_input_is_refused_and_leaves_nothing_behind() {
    let bench = Bench::with("a.ron", TRAFFIC);
    for (line, expected) in [
        ("deadlock nothing.ron", "nothing.ron: cannot be read: No such file"),
        ("deadlock a.ron --wave a.wav", "a waveform file ends in .vcd or .fst"),
        ("deadlock a.ron --json b --svg b", "b: is both --json and --svg"),
        ("deadlock a.ron --svg a.ron", "a.ron: is both the configuration and --svg"),
        ("deadlock a.ron --dot no/such/a.dot", "no/such/a.dot: cannot be written"),
        ("deadlock a.ron --set network.switch.fifo_dept=3", "did you mean \"fifo_depth\"?"),
        ("deadlock a.ron --wave a.fst --svg a.gtkw", "a.gtkw: is both --svg and the view of --wave"),
    ] {
        let message = bench.line(line).refused();
        assert!(message.contains(expected), "{line}: {message}");
        assert_eq!(bench.names(), ["a.ron"], "{line}");
    }
}

#[test]
fn long_lists_are_cut_and_whole_in_json() {
    let network = "(network: (topology: torus(radices: [20], datelines: false), node: (injection_channels: 2)), ";
    let worm = |n: u32| format!("(cycle: 0, source: {n}, destinations: [{}], payload_flits: 6),", (n + 2) % 20);
    let ring: String = (0..20).map(worm).collect();
    // Each node has one more worm, which waits for the lane of the first.
    let behind = &ring;
    let bench = Bench::with("ring.ron", format!("{network}workload: [messages([{ring}{behind}])])\n"));
    let run = bench.line("run ring.ron --json run.json").ends(3);
    let told = bench.line("deadlock ring.ron --before 0 --bound 1 --json told.json").ends(3);
    for text in [&run, &told] {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let rows = lines.iter().position(|line| *line == "... and 4 more rows; --json has all").expect("a cut table");
        assert!(lines[rows - 1].starts_with("16 | "), "{text}");
        let list = lines.iter().find(|line| line.starts_with("stuck behind them: 20 worms (")).expect("a list");
        assert!(list.ends_with(", 35 and 4 more)") && list.matches(", ").count() == 15, "{list}");
    }
    for file in ["run.json", "told.json"] {
        let json: Value = serde_json::from_str(&bench.read(file)).expect("JSON");
        let count = |of: &str| json["deadlock"].get(of).and_then(Value::as_array).map(Vec::len);
        assert_eq!((count("cycle"), count("behind")), (Some(20), Some(20)), "{file}");
    }
}
