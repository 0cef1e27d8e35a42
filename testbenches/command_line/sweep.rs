//! `wormscope sweep` and `wormscope merge`: rows, resumption, refusals.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Bench, config};

/// A 4x4 mesh under random traffic, unicasts and multicasts.
const BASE: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [
    traffic(load: 0.1, payload_flits: 7),
    traffic(load: 0.01, payload_flits: 7, destinations: 3, encoding: bit_string),
], run: (warmup_cycles: 50, measure_cycles: 300, drain: empty))\n";
/// Twelve points with two seeds each.
const SWEEP: &str =
    "sweep base.ron --vary fifo_depth=2..8*2 --vary workload[0].traffic.load=0.02,0.05..0.15/0.05 --seeds 2";
/// Files of a directory whose bytes depend on the sweep alone.
const FILES: [&str; 4] = ["rows.csv", "rows.parquet", "schema.json", "sweep.ron"];

fn bench() -> Bench {
    Bench::with("base.ron", BASE)
}

/// The rows of a directory, by column.
pub fn rows(bench: &Bench, folder: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(bench.path(&format!("{folder}/rows.csv"))).expect("rows");
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[track_caller]
pub fn same(bench: &Bench, one: &str, other: &str) {
    for file in FILES {
        assert!(bench.bytes(&format!("{one}/{file}")) == bench.bytes(&format!("{other}/{file}")), "{file} of {other}");
    }
}

/// A sweep under way.
pub fn start(bench: &Bench, line: &str) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
    command.args(line.split_whitespace()).current_dir(bench.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("wormscope")
}

#[test]
fn rows_are_those_of_the_same_configurations_run_one_by_one() {
    let bench = bench();
    let told = bench.line(&format!("{SWEEP} -o out")).ends(0);
    assert!(told.starts_with("24 runs: 24 done, in "), "{told}");
    let rows = rows(&bench, "out");
    assert_eq!(rows.len(), 24);
    for (n, row) in rows.iter().enumerate() {
        assert_eq!((row["run"].as_str(), row["point"].as_str()), (&*n.to_string(), &*(n / 2).to_string()));
        let sets = format!(
            "--set network.switch.fifo_depth={} --set workload[0].traffic.load={}",
            row["fifo_depth"], row["workload[0].traffic.load"]
        );
        bench.line(&format!("run base.ron {sets} --seed {} --json r.json", row["seed"])).ends(0);
        let json: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        let class = |name: &str| {
            let all = json["latency_by_class"].as_array().expect("classes");
            all.iter().find(|of| of["class"] == name).cloned().unwrap_or_default()
        };
        // The numbers agree bit for bit, as the shortest text of a number gives that number.
        for (column, value) in [
            ("latency_first_mean", &class("all")["first"]["mean"]),
            ("latency_mean_mean", &class("all")["mean"]),
            ("latency_last_p99", &class("all")["last"]["p99"]),
            ("latency_last_mean.unicast", &class("unicast")["last"]["mean"]),
            ("latency_last_max.bit_string", &class("bit_string")["last"]["max"]),
            ("latency_network_mean", &json["network_latency"]["mean"]),
            ("offered", &json["load"]["offered"]),
            ("accepted", &json["load"]["accepted"]),
            ("delivered", &json["load"]["delivered"]),
            ("worms", &json["totals"]["worms_created"]),
            ("cycles", &json["totals"]["cycles"]),
            ("utilisation_mean", &json["utilisation"]["mean"]),
            ("utilisation_max", &json["utilisation"]["max"]),
        ] {
            let cell = row[column].parse::<f64>().unwrap_or_else(|_| panic!("{column}: {}", row[column]));
            assert_eq!(value.as_f64().map(f64::to_bits), Some(cell.to_bits()), "{column} of run {n}");
        }
        assert_eq!(json["config_hash"], row["config_hash"]);
        assert_eq!(json["outcome"], row["outcome"]);
        assert_eq!(json["tool_version"], row["version"]);
    }
}

#[test]
fn the_same_sweep_has_the_same_bytes_on_any_number_of_threads_and_machines() {
    let bench = bench();
    bench.line(&format!("{SWEEP} -o one --jobs 1")).ends(0);
    bench.line(&format!("{SWEEP} -o five --jobs 5")).ends(0);
    same(&bench, "one", "five");
    for shard in 1..=3 {
        bench.line(&format!("{SWEEP} -o part{shard} --shard {shard}/3")).ends(0);
    }
    let told = bench.line("merge part2 part1 part3 -o whole").ends(0);
    assert!(told.starts_with("24 runs (24 of them before): 24 done"), "{told}");
    same(&bench, "one", "whole");
    let missing = bench.line("merge part1 part3 -o other").refused();
    assert_eq!(missing, "shards are missing: 2/3");
    let twice = bench.line("merge part1 part2 part1 -o other").refused();
    assert_eq!(twice, "part1: is given twice; name each shard once");
    bench.line(&format!("{SWEEP} -o again --shard 1/3")).ends(0);
    let twice = bench.line("merge part1 part2 again -o other").refused();
    assert_eq!(twice, "again: holds shard 1/3, which part1 holds already; name each shard once");
    // The program notices a row that differs from the kept one, and repairs it.
    let table = bench.read("part2/rows.csv");
    bench.write("part2/rows.csv", table.replacen(",base.ron,2,", ",base.ron,4,", 1));
    let edited = bench.line("merge part1 part2 part3 -o other").refused();
    assert!(
        edited.starts_with(
            "part2/rows.csv: the row of run 2 differs from the journal beside it; run the same sweep again"
        ),
        "{edited}"
    );
    bench.line(&format!("{SWEEP} -o part2 --shard 2/3")).ends(0);
    assert_eq!(bench.read("part2/rows.csv"), table);
    // A sweep that has ended only writes its table again.
    std::fs::remove_file(bench.path("one/rows.parquet")).expect("a file");
    let told = bench.line(&format!("{SWEEP} -o one")).ends(0);
    assert!(told.starts_with("24 runs (24 of them before)"), "{told}");
    same(&bench, "one", "five");
}

#[test]
fn a_sweep_is_the_same_however_its_fields_are_typed() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    let short = "sweep x.ron --vary fifo_depth=2,4 --derive payload_flits=fifo_depth*2";
    let long = "sweep x.ron --vary network.switch.fifo_depth=2,4 \
                --derive workload[0].traffic.payload_flits=switch.fifo_depth*2";
    bench.line(&format!("{short} -o short")).ends(0);
    bench.line(&format!("{long} -o long")).ends(0);
    same(&bench, "short", "long");
    // Runs are kept as they end, so the order may be any.
    let journal = |folder: &str| {
        let text = bench.read(&format!("{folder}/journal"));
        text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(journal("short"), journal("long"));
    let told = bench.line(&format!("{long} -o short")).ends(0);
    assert!(told.starts_with("2 runs (2 of them before)"), "{told}");
    // In a directory of an older program, the names of columns are as the user typed them.
    let typed = |file: &str| {
        let (name, field) = ("\"fifo_depth", "\"network.switch.fifo_depth");
        let text = bench.read(&format!("long/{file}"));
        text.replace(name, field).replace(",fifo_depth,", ",network.switch.fifo_depth,")
    };
    for file in ["sweep.ron", "schema.json", "rows.csv"] {
        let old = typed(file);
        assert_ne!(old, bench.read(&format!("long/{file}")), "{file}");
        bench.write(&format!("long/{file}"), old);
    }
    for name in ["fifo_depth", "network.switch.fifo_depth"] {
        let told = bench.line(&format!("explore long --least area --where {name}=4")).ends(0);
        assert!(told.contains("network.switch.fifo_depth"), "{told}");
    }
    let told = bench.line(&format!("{short} -o long")).ends(0);
    assert!(told.starts_with("2 runs (2 of them before)"), "{told}");
    same(&bench, "short", "long");
}

#[test]
fn a_field_that_is_set_as_in_a_run_is_refused_with_the_option_of_sweeps() {
    let told = bench().call(["sweep", "base.ron", "--set", "fifo_depth=8", "-o", "out"]).refused();
    assert!(told.contains("write --vary fifo_depth=8"), "{told}");
}

#[test]
fn values_that_are_equal_are_one_point_however_they_are_typed() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    for (vary, why) in [
        ("fifo_depth=2,0x2", "--vary fifo_depth: 0x2 is given twice, as 2 before"),
        ("fifo_depth=0x8,4,8", "--vary fifo_depth: 8 is given twice, as 0x8 before"),
        ("network.switch.fifo_depth=2,0x2", "--vary network.switch.fifo_depth: 0x2 is given twice, as 2 before"),
        (
            "topology=mesh(radices:[4,4]),mesh( radices: [4, 4] )",
            "--vary topology: mesh( radices: [4, 4] ) is given twice, as mesh(radices:[4,4]) before",
        ),
        (
            "fifo_depth=2,0x2 with flit_bits=16,16",
            "--vary fifo_depth with flit_bits: fifo_depth=0x2 with flit_bits=16 is given twice, as \
             fifo_depth=2 with flit_bits=16 before",
        ),
    ] {
        let told = bench.call(["sweep", "x.ron", "--vary", vary, "-o", "out"]).refused();
        assert_eq!(told.trim_end(), why);
        assert!(!bench.path("out").exists(), "{vary}");
    }
    // Seeds are replaced in the runs, but they still tell points apart.
    bench.line("sweep x.ron --vary seed=1,2 -o out").ends(0);
}

/// Starts a sweep, kills it at a random moment, and repeats this. Then lets it end in `out`. No
/// finished run may be lost on the way.
pub fn end_after_kills(bench: &Bench, sweep: &str, kills: u32) {
    let lines = |folder: &str| {
        let journal = std::fs::read(bench.path(&format!("{folder}/journal"))).unwrap_or_default();
        journal
            .split_inclusive(|&byte| byte == b'\n')
            .filter(|line| line.ends_with(b"\n"))
            .map(<[u8]>::to_vec)
            .collect()
    };
    let mut before: Vec<Vec<u8>> = Vec::new();
    let mut random = 0x9e37_79b9_u64;
    for _ in 0..kills {
        let mut child = start(bench, &format!("{sweep} -o out"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(2 + (random >> 33) % 40));
        child.kill().expect("a process to kill");
        let status = child.wait().expect("its end");
        let after: Vec<Vec<u8>> = lines("out");
        assert!(after.starts_with(&before), "a finished run was lost");
        before = after;
        if status.success() {
            // The sweep ended before it was killed, so the test begins again.
            std::fs::remove_dir_all(bench.path("out")).expect("a directory");
            before.clear();
        }
    }
    bench.line(&format!("{sweep} -o out")).ends(0);
}

#[test]
fn a_sweep_killed_at_any_moment_goes_on_and_loses_no_finished_run() {
    let bench = bench();
    // The sweep is so long that it can be killed in the middle many times.
    let sweep = "sweep base.ron --vary workload[0].traffic.load=0.005..0.1/0.005 --vary fifo_depth=1..8 --seeds 2";
    bench.line(&format!("{sweep} -o whole")).ends(0);
    end_after_kills(&bench, sweep, 20);
    same(&bench, "whole", "out");
}

#[test]
fn a_full_disk_keeps_what_is_finished() {
    let bench = bench();
    let sweep = SWEEP.replace("--seeds 2", "--seeds 20");
    bench.line(&format!("{sweep} -o whole")).ends(0);
    // Room runs out in the schema, in the journal, and in the longer one of journal and table.
    let whole = |name: &str| bench.bytes(&format!("whole/{name}")).len() / 1024;
    let longer = if whole("rows.csv") > whole("journal") { "rows.csv" } else { "journal" };
    for (kib, name) in [
        (whole("schema.json"), "schema.json"),
        (whole("journal") / 2, ""),
        (whole("rows.csv").max(whole("journal")) - 1, longer),
    ] {
        let line = sweep.replace("workload[0]", "'workload[0]'");
        let message = super::disk::limited(&bench, kib as u32, &format!("{line} -o out")).refused();
        assert!(message.starts_with(&format!("out/{name}")), "{message}");
        assert!(message.contains(": cannot be written: File too large"), "{message}");
        let kept = message.ends_with("; finished runs are kept; the same command continues");
        assert_eq!(kept, name != "schema.json", "{message}");
    }
    let kept = bench.line(&format!("{sweep} -o out")).ends(0);
    assert!(!kept.contains("(0 of them") && kept.contains(" of them before)"), "{kept}");
    same(&bench, "whole", "out");
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let bench = bench();
    bench.write("file", "x");
    for folder in ["/proc/sweep", "file/out", "/sys/sweep"] {
        let message = bench.line(&format!("{SWEEP} -o {folder}")).refused();
        assert!(message.starts_with(&format!("{folder}: cannot be created: ")), "{message}");
        // No run was made, and the same command fails again.
        assert!(!message.contains("finished runs are kept"), "{message}");
    }
    bench.write("rows.csv", "somebody's");
    let message = bench.line(&format!("{SWEEP} -o .")).refused();
    assert!(message.contains("it has a rows.csv, but no sweep.ron"), "{message}");
    assert_eq!(bench.read("rows.csv"), "somebody's");
}

#[test]
fn a_directory_is_one_sweeps_and_one_process_writes_it() {
    let bench = bench();
    // The workload has unicasts alone, so that no deadlock ends the run early.
    bench.write("long.ron", BASE.replace("destinations: 3, encoding: bit_string", ""));
    let long = "sweep long.ron --vary measure_cycles=50000000 -o out".to_owned();
    let mut child = start(&bench, &long);
    let begun = || bench.path("out/schema.json").exists();
    while !begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let message = bench.line(&long).refused();
    assert!(message.starts_with("out/journal: cannot be locked: another sweep is writing it"), "{message}");
    child.kill().expect("a process to kill");
    child.wait().expect("its end");

    let other = bench.line("sweep base.ron --vary fifo_depth=2,4 -o out").refused();
    assert!(other.starts_with("out: holds another sweep: the sweep was wormscope sweep long.ron --vary"), "{other}");
    bench.line("sweep base.ron --vary fifo_depth=2,4 -o small --shard 1/2").ends(0);
    let whole = bench.line("sweep base.ron --vary fifo_depth=2,4 -o small").refused();
    assert!(whole.contains("the shard was 1/2 and is all of it"), "{whole}");
    bench.write("base.ron", BASE.replace("0.01", "0.02"));
    let changed = bench.line("sweep base.ron --vary fifo_depth=2,4 -o small --shard 1/2").refused();
    assert_eq!(changed, "small: holds another sweep: base.ron has changed since; name another directory");
}

#[test]
fn a_trace_that_has_changed_is_noticed_whoever_names_it() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("in")).expect("a folder");
    bench.write("in/base.ron", super::TRACED);
    for (name, flits) in [("in/trace.csv", 4), ("in/other.csv", 5)] {
        bench.write(name, format!("{}0,0,5,,{flits}\n", super::HEADER));
    }
    let varied = ["sweep", "in/base.ron", "--vary", "workload[0]=messages([]),trace(\"other.csv\")", "-o", "varied"];
    let named = ["sweep", "in/base.ron", "--vary", "fifo_depth=2,4", "-o", "named"];
    for (line, name) in [(named, "in/trace.csv"), (varied, "in/other.csv")] {
        let folder = line[5];
        bench.call(line).ends(0);
        bench.call(line).ends(0);
        let before = bench.read(name);
        bench.write(name, before.replace(",5,,", ",6,,"));
        let changed = bench.call(line).refused();
        assert_eq!(changed, format!("{folder}: holds another sweep: {name} has changed since; name another directory"));
        let asked = ["explore", folder, "--cost", "area", "--quality", "latency", "--guided"];
        assert!(bench.call(asked).refused().contains(&format!("{name} has changed since")));
        bench.write(name, before);
        bench.call(line).ends(0);
    }
    // A trace that no run reads may be missing. Any other trace may not.
    std::fs::remove_file(bench.path("in/trace.csv")).expect("a file");
    bench.call(varied).ends(0);
    let missing = bench.line("sweep in/base.ron -o none").refused();
    assert!(missing.starts_with("in/trace.csv: cannot be read: ") && !bench.path("none").exists(), "{missing}");
    // Shards are merged in a place without their traces.
    bench
        .call(varied.map(|word| if word == "varied" { "part" } else { word }).into_iter().chain(["--shard", "1/1"]))
        .ends(0);
    std::fs::remove_file(bench.path("in/other.csv")).expect("a file");
    bench.line("merge part -o whole").ends(0);
    same(&bench, "varied", "whole");
}

#[test]
fn runs_read_a_trace_that_comes_through_a_pipe_each_as_a_whole() {
    let bench = Bench::with("base.ron", super::TRACED.replace("trace.csv", "-"));
    bench.write("trace.csv", format!("{}0,0,5,,4\n3,2,7,,4\n", super::HEADER));
    let line = "sweep base.ron --vary fifo_depth=2,4,8 -o out < <(cat trace.csv)";
    let told = super::streams::shell(&bench, line).ends(0);
    assert!(told.starts_with("3 runs: 3 done"), "{told}");
    assert!(rows(&bench, "out").iter().all(|row| row["worms"] == "2"));
}

#[test]
fn runs_that_end_badly_are_rows() {
    let bench = bench();
    let base = config("torus_4x4_deadlock.ron");
    let line = format!("sweep {base} --vary max_cycles=20,1000000 --vary virtual_channels=1,65 -o out");
    // A value that is wrong in all points is refused before any run.
    let message = bench.line(&line).refused();
    assert!(message.contains("virtual_channels is 65; allowed: 1 to 64"), "{message}");
    assert!(!bench.path("out").exists());
    let line = format!(
        "sweep {base} --vary max_cycles=20,1000000 --vary replication=lockstep,asynchronous --vary virtual_channels=1,2 -o out"
    );
    let told = bench.line(&line).ends(3);
    assert!(told.starts_with("8 runs: "), "{told}");
    let rows = rows(&bench, "out");
    let outcomes: Vec<&str> = rows.iter().map(|row| row["outcome"].as_str()).collect();
    assert!(["cycle_limit", "deadlock", "refused"].iter().all(|how| outcomes.contains(how)), "{outcomes:?}");
    for row in &rows {
        assert_eq!(row["reason"].is_empty(), row["outcome"] == "done", "{row:?}");
        assert_eq!(row["cycles"].is_empty(), row["outcome"] == "refused", "{row:?}");
    }
}

#[test]
fn a_load_beyond_saturation_is_a_row_that_says_so() {
    let bench = bench();
    // The workload has unicasts alone, so that no deadlock ends the run before its window.
    bench
        .write("unicasts.ron", BASE.replace("destinations: 3, encoding: bit_string", "").replace(", drain: empty", ""));
    let told = bench.line("sweep unicasts.ron --vary workload[0].traffic.load=0.1,0.95 -o out").ends(0);
    assert!(told.starts_with("2 runs: 1 done, 1 saturated, in "), "{told}");
    let rows = rows(&bench, "out");
    let ended = |row: &BTreeMap<String, String>| ["outcome", "reason", "cycles"].map(|column| row[column].clone());
    assert_eq!(ended(&rows[0])[..2], ["done", ""]);
    // The run ended with its window, although worms were still on their way.
    assert_eq!(ended(&rows[1]), ["saturated", "source queues grow steadily", "350"]);
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().expect("a number");
    assert!(number(&rows[1], "accepted") < 0.8 * number(&rows[1], "offered"), "{:?}", rows[1]);
    // A run that drains all its worms is beyond saturation as well.
    let line = "sweep unicasts.ron --vary workload[0].traffic.load=0.1,0.95 --vary drain=measured,all,empty -o drained";
    let told = bench.line(line).ends(0);
    assert!(told.starts_with("6 runs: 3 done, 3 saturated, in "), "{told}");
    let front = bench.line("explore drained --quality saturation --cost area --all").ends(0);
    assert!(!front.contains("0.95 "), "{front}");
}

#[test]
fn the_load_of_saturation_does_not_move_with_the_window() {
    let base = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 15)],
        run: (warmup_cycles: 100))";
    let bench = Bench::with("x.ron", base);
    bench.line("sweep x.ron --vary measure_cycles=500,2000,16000 --seeds 2 --saturation -o out").ends(0);
    let found = rows(&bench, "out");
    let of = |name: &str| -> Vec<f64> { found.iter().map(|row| row[name].parse().expect("a number")).collect() };
    let (lows, highs) = (of("saturation_low"), of("saturation_high"));
    for seed in 0..2 {
        let of_seed = |all: &[f64]| all.iter().copied().skip(seed).step_by(2).collect::<Vec<_>>();
        let greatest = of_seed(&lows).into_iter().fold(0.0, f64::max);
        let least = of_seed(&highs).into_iter().fold(1.0, f64::min);
        // Chance changes the results of a window by a hundredth.
        assert!(greatest <= 1.01 * least, "{lows:?} {highs:?}");
    }
    for (low, high) in lows.iter().zip(&highs) {
        assert!(high - low < 0.1 * high, "{low} to {high}");
    }
    // 1,736 messages of 16 flits take over 27,000 cycles at any load.
    assert!(of("saturation_window").iter().all(|window| *window >= 27_000.0));
    // Without time for a longer window, the row says so.
    bench.line("sweep x.ron --vary measure_cycles=500 --vary max_cycles=1000 --saturation -o short").ends(0);
    assert_eq!(rows(&bench, "short")[0]["saturation_moved_percent"], "");
}

#[test]
fn a_sweep_can_be_made_without_running_anything() {
    let bench = bench();
    bench.line(&format!("{SWEEP} -o whole")).ends(0);
    let told = bench.line(&format!("{SWEEP} -o out --no-run")).ends(0);
    assert!(told.starts_with("0 of 24 runs are in out; to continue, run: wormscope sweep base.ron --vary "), "{told}");
    assert!(told.ends_with(" --seeds 2 -o out\n"), "{told}");
    let told = bench.line(&format!("{SWEEP} --shard 2/3 -o part --no-run")).ends(0);
    assert!(told.ends_with(" --seeds 2 --shard 2/3 -o part\n"), "{told}");
    assert!(rows(&bench, "out").is_empty() && !bench.path("out/rows.parquet").exists());
    bench.line(&format!("{SWEEP} -o out")).ends(0);
    same(&bench, "whole", "out");
    // Results that are there stay.
    let told = bench.line(&format!("{SWEEP} -o out --no-run")).ends(0);
    assert!(told.starts_with("24 of 24 runs are in out; "), "{told}");
    same(&bench, "whole", "out");
}

#[test]
fn fields_can_be_varied_together_derived_and_in_several_bases() {
    let bench = bench();
    bench.write("torus.ron", BASE.replace("mesh(radices: [4, 4])", "torus(radices: [3, 5], datelines: false)"));
    bench
        .call([
            "sweep",
            "base.ron",
            "torus.ron",
            "--vary",
            "flit_bits=16,32,64 with routing_cycles=3,2,1",
            "--vary",
            "radices[0]=3,4",
            "--derive",
            "workload[0].traffic.payload_flits=256/flit_bits",
            "-o",
            "out",
        ])
        .ends(0);
    let rows = rows(&bench, "out");
    let of = |row: &BTreeMap<String, String>| {
        ["base", "flit_bits", "routing_cycles", "radices[0]", "workload[0].traffic.payload_flits"]
            .map(|c| row[c].clone())
            .join(" ")
    };
    assert_eq!(rows.len(), 12);
    assert_eq!(of(&rows[0]), "base.ron 16 3 3 16");
    assert_eq!(of(&rows[1]), "base.ron 16 3 4 16");
    assert_eq!(of(&rows[11]), "torus.ron 64 1 4 4");
    let schema: serde_json::Value = serde_json::from_str(&bench.read("out/schema.json")).expect("JSON");
    assert_eq!((&schema["points"], &schema["runs"]), (&12.into(), &12.into()));
    assert_eq!(schema["columns"][5]["path"], "network.topology.mesh.radices[0]");
    let head = bench.read("out/rows.csv").lines().next().expect("a head").split(',').count();
    assert_eq!(schema["columns"].as_array().map(Vec::len), Some(head));

    // The same sweep is given as a file.
    bench.write(
        "study.ron",
        "(bases: [\"base.ron\", \"torus.ron\"], vary: [\"flit_bits=16,32,64 with routing_cycles=3,2,1\", \"radices[0]=3,4\"],
          derive: [\"workload[0].traffic.payload_flits=256/flit_bits\"])",
    );
    bench.line("sweep study.ron -o again").ends(0);
    same(&bench, "out", "again");
}

#[test]
fn a_study_names_its_bases_from_where_it_is() {
    let bench = bench();
    std::fs::create_dir(bench.path("kept")).expect("a folder");
    bench.write("kept/study.ron", "(bases: [\"../base.ron\"], vary: [\"fifo_depth=2,4\"])");
    bench.line("sweep kept/study.ron -o out").ends(0);
    assert!(rows(&bench, "out").iter().all(|row| row["base"] == "kept/../base.ron"));
    let schema: serde_json::Value = serde_json::from_str(&bench.read("out/schema.json")).expect("JSON");
    assert_eq!(schema["command"], "wormscope sweep kept/../base.ron --vary fifo_depth=2,4");
    bench.line("sweep kept/../base.ron --vary fifo_depth=2,4 -o out").ends(0);
}

#[test]
fn a_point_is_repeated_until_its_mean_is_known() {
    let bench = bench();
    let sweep = "sweep base.ron --vary fifo_depth=2..6 --seeds 12 --seeds-until latency_last_mean.unicast=6%";
    bench.line(&format!("{sweep} -o out")).ends(0);
    let found = rows(&bench, "out");
    let mut points: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for row in &found {
        let point = points.entry(row["point"].parse().expect("a point")).or_default();
        assert_eq!(row["seed_index"], point.len().to_string());
        point.push(row["latency_last_mean.unicast"].parse().expect("a latency"));
    }
    // Quantiles of Student's distribution as printed in tables, for 1 to 11 degrees of freedom.
    let student = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];
    let is_narrow = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        student[values.len() - 2] * deviation / n.sqrt() <= 0.06 * mean
    };
    assert_eq!(points.len(), 5);
    for values in points.values() {
        let enough = (3..=values.len()).find(|&n| is_narrow(&values[..n]));
        assert!(enough == Some(values.len()) || enough.is_none() && values.len() == 12, "{values:?}");
    }
    assert!(found.len() < 60, "no point had enough: {}", found.len());
    // The same sweep runs in parts, and is continued.
    for shard in 1..=2 {
        bench.line(&format!("{sweep} -o part{shard} --shard {shard}/2 --jobs 1")).ends(0);
    }
    bench.line("merge part1 part2 -o whole").ends(0);
    same(&bench, "out", "whole");
    bench.line(&format!("{sweep} -o out")).ends(0);
    same(&bench, "out", "whole");
    let wrong = bench.line("sweep base.ron --seeds 9 --seeds-until latency_last_mean.multiport=5% -o no").refused();
    assert!(wrong.ends_with("no run of this sweep can have this metric"), "{wrong}");
    std::fs::remove_file(bench.path("part1/rows.parquet")).expect("a file");
    let unfinished = bench.line("merge part1 part2 -o no").refused();
    assert_eq!(unfinished, "part1: is not finished; to continue, run the same sweep again");
    std::fs::remove_file(bench.path("part2/rows.csv")).expect("a file");
    std::fs::write(bench.path("part1/rows.parquet"), "").expect("a file");
    let gone = bench.line("merge part1 part2 -o no").refused();
    assert_eq!(gone, "part2/rows.csv: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn points_whose_mean_is_not_known_with_all_seeds_are_told_when_the_sweep_ends() {
    let bench = bench();
    let sweep = "sweep base.ron --vary fifo_depth=2,4,8 --seeds 3 --seeds-until latency_last_mean.unicast=0.5%";
    let call = bench.line(&format!("{sweep} -o out"));
    let mut points: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in rows(&bench, "out") {
        let latency = row["latency_last_mean.unicast"].parse().expect("a latency");
        points.entry(row["point"].clone()).or_default().push(latency);
    }
    // Student's quantile for two degrees of freedom, as printed in tables.
    let width = |values: &Vec<f64>| {
        let mean = values.iter().sum::<f64>() / 3.0;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        4.302_653 * deviation / 3_f64.sqrt() / mean * 100.0
    };
    assert!(points.values().all(|values| values.len() == 3 && width(values) > 0.5), "{points:?}");
    let widest = points.values().map(width).fold(0.0, f64::max);
    let told = format!(
        "warning: 3 of 3 points did not reach the interval of --seeds-until with all seeds: the widest is {widest:.2} \
         % of the \
         mean to either side; give more --seeds, or --seeds-until a wider interval\n"
    );
    assert_eq!(call.err, told);
    call.ends(0);
    // The message is the same where all runs are there already. In shards, each names its own part.
    assert_eq!(bench.line(&format!("{sweep} -o out")).err, told);
    for (shard, of) in [(1, 2), (2, 1)] {
        let call = bench.line(&format!("{sweep} -o part{shard} --shard {shard}/2"));
        assert!(call.err.starts_with(&format!("warning: {of} of {of} point")), "{}", call.err);
    }
    assert_eq!(bench.line("merge part1 part2 -o whole").err, told);
    // With enough seeds there is no message.
    let call = bench.line(&format!("{} -o wide", sweep.replace("0.5%", "90%")));
    assert_eq!(call.err, "");
    call.ends(0);
}

#[test]
fn a_shard_without_points_says_that_it_has_no_runs() {
    let bench = bench();
    let told = bench.line("sweep base.ron --vary fifo_depth=2,4 --shard 3/5 -o part").ends(0);
    assert!(told.starts_with("0 runs, in "), "{told}");
}

#[test]
fn what_is_wrong_with_a_sweep_is_told_before_it_begins() {
    let bench = bench();
    for (line, message) in [
        ("--vary fifo_dept=2", "--vary: no field \"fifo_dept\"; nearest names: fifo_depth,"),
        (
            "--vary load=0.1",
            "--vary: \"load\" means 2 fields; name one: workload[0].traffic.load, workload[1].traffic.load",
        ),
        ("--vary fifo_depth=0,4", "network.switch.fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits"),
        (
            "--vary arbiter=rond_robin",
            "network.switch.arbiter=rond_robin: unknown arbiter \"rond_robin\"; did you mean",
        ),
        ("--vary fifo_depth=8..2", "--vary fifo_depth: 8..2 is empty: it begins above its end"),
        ("--vary fifo_depth", "--vary fifo_depth: expected FIELD=..., such as fifo_depth=2,4,8"),
        ("--vary run.seed=1..4000 --vary fifo_depth=1..4000", "these are 16000000 runs, more than 10000000; --yes"),
        (
            "--vary run.seed=1..9999 --vary fifo_depth=1..9999 --vary flit_bits=1..9999 --vary dilation=1..9999 --vary \
             routing_cycles=1..9999 --yes",
            "these are more than 10^19 runs, more than 10000000; give fewer values",
        ),
        ("--vary seed=1,2 --seeds 3", "--vary run.seed and --seeds 3 both vary the seed; allowed: one of them"),
        ("--vary run.seed=1 --vary run.seed=2", "--vary run.seed and --vary run.seed are the same field, run.seed; "),
        (
            "--vary fifo_depth=2,8 --vary network.switch.fifo_depth=4",
            "--vary fifo_depth and --vary network.switch.fifo_",
        ),
        ("--vary fifo_depth=2,8 --derive fifo_depth=4", "--vary fifo_depth and --derive fifo_depth are the same field"),
        ("--vary fifo_depth=2 --derive flit_bits=8*fifo", "--derive: no field \"fifo\"; nearest names: fifo_depth"),
        ("--vary fifo_depth=2 --derive flit_bits=8*", "--derive flit_bits: \"8*\" is no expression"),
        ("nowhere.ron", "nowhere.ron: cannot be read"),
        ("base.ron", "the base base.ron is given twice"),
        ("./base.ron", "the bases base.ron and ./base.ron are the same file"),
        ("--seeds 2 --seeds-until latency=5%", "--seeds-until latency=5%: seeds is 2; allowed: at least 3, the fewest"),
    ] {
        let told = bench.line(&format!("sweep base.ron {line} -o out")).refused();
        assert!(told.starts_with(message), "{told}");
        assert!(!bench.path("out").exists(), "{line}");
    }
    // The message names a value that does not suit the base, whichever field has the fault.
    let split = BASE.replace("bit_string", "multidestination").replace("4])", "4]), routing: label_order");
    bench.write("split.ron", split);
    let told = bench.line("sweep split.ron --vary routing=label_order,dimension_order -o out").refused();
    let split = "split.ron: random multidestination multicasts are split";
    assert!(told.starts_with(&format!("--vary routing=dimension_order: no point accepts it: {split}")), "{told}");
    bench.write("study.ron", "(bases: [\"base.ron\"], varry: [])");
    let told = bench.line("sweep study.ron -o out").refused();
    assert!(told.starts_with("study.ron:1:23: unknown field \"varry\" in study; did you mean \"vary\"?"), "{told}");
}

#[test]
fn every_path_is_listed_with_what_it_may_be() {
    let bench = bench();
    let listed = bench.line("config --paths base.ron").ends(0);
    let line = |path: &str| {
        let line = listed.lines().find(|line| line.starts_with(path)).unwrap_or_else(|| panic!("no {path}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("network.switch.fifo_depth"), "network.switch.fifo_depth 4 1 to 65535 flits");
    let arbiters = line("network.switch.arbiter");
    assert!(arbiters.starts_with("network.switch.arbiter round_robin round_robin, fixed_priority"), "{arbiters}");
    assert!(line("workload[1].traffic.load").starts_with("workload[1].traffic.load 0.01 above 0, up to 1 flits"));
}
