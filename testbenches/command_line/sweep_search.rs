//! Sweeps that search for saturation or for the length of a run, and sweeps that estimate energies.

use super::sweep::{end_after_kills, rows, same};
use super::{Bench, config};

/// A mesh that saturates soon.
const BASE: &str = "(network: (topology: mesh(radices: [4, 4]), switch: (fifo_depth: 2)), workload: [
    traffic(load: 0.05, payload_flits: 7),
], run: (warmup_cycles: 100, measure_cycles: 1500))\n";

fn bench() -> Bench {
    Bench::with("base.ron", BASE)
}

#[test]
fn the_load_of_saturation_is_found_between_two_runs_that_show_it() {
    let bench = bench();
    let sweep = "sweep base.ron --vary fifo_depth=1,8 --vary load=0.05,0.1 --saturation";
    bench.line(&format!("{sweep} -o out")).ends(0);
    let found = rows(&bench, "out");
    assert_eq!(found.len(), 4);
    let number =
        |row: &std::collections::BTreeMap<String, String>, name: &str| row[name].parse::<f64>().expect("a load");
    for row in &found {
        let [low, high] = ["saturation_low", "saturation_high"].map(|name| number(row, name));
        assert!(high > low && high - low <= 0.1 * high, "{row:?}");
        assert_eq!(number(row, "saturation").to_bits(), low.midpoint(high).to_bits());
        assert_eq!(row["saturation_ends"], "saturated");
        // The load that a seed offers differs a little from the load that is asked for.
        for (load, outcome) in [(0.98 * low, "done"), (1.02 * high, "saturated")] {
            let set = format!(
                "--set network.switch.fifo_depth={} --set workload[0].traffic.load={load} --set measure_cycles={} --seed {}",
                row["fifo_depth"], row["saturation_window"], row["seed"]
            );
            bench.line(&format!("run base.ron {set} --json r.json")).ends(0);
            let json: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
            assert_eq!(json["outcome"], outcome, "{set}");
        }
        // The result does not depend on the row's own load.
        let twin = found
            .iter()
            .find(|of| of["fifo_depth"] == row["fifo_depth"] && of["seed"] == row["seed"] && of["load"] != row["load"]);
        assert_eq!(twin.expect("the other load")["saturation"], row["saturation"]);
    }
    assert!(number(&found[0], "saturation") < 0.9 * number(&found[3], "saturation"), "{found:?}");
    bench.line(&format!("{sweep} -o one --jobs 1")).ends(0);
    same(&bench, "out", "one");
    let told = bench.line("explore out --cost area --quality saturation").ends(0);
    assert!(!told.contains("read off the loads"), "{told}");
}

#[test]
fn what_is_derived_from_a_load_follows_it_through_the_search_for_saturation() {
    let two = "payload_flits: 7), traffic(load: 0.02, payload_flits: 3),";
    let bench = Bench::with("two.ron", BASE.replace("payload_flits: 7),", two));
    let (first, second) = ("workload[0].traffic.load", "workload[1].traffic.load");
    let sweep = ["sweep", "two.ron", "--vary", "fifo_depth=2,4", "--derive"];
    let derived = format!("{second}={first}/4");
    let search = format!("--saturation={first}");
    bench.call(sweep.into_iter().chain([derived.as_str(), &search, "-o", "out"])).ends(0);
    for row in rows(&bench, "out") {
        // In the row itself, the derived field follows from its own load.
        assert_eq!(row[second], "0.0125");
        for (load, times, outcome) in [("saturation_low", 0.98, "done"), ("saturation_high", 1.02, "saturated")] {
            let (load, window) = (times * row[load].parse::<f64>().expect("a load"), &row["saturation_window"]);
            let sets = format!("--set {first}={load} --set {second}={} --set measure_cycles={window}", load / 4.0);
            let depth = &row["fifo_depth"];
            bench.line(&format!("run two.ron --set network.switch.fifo_depth={depth} {sets} --json r.json")).ends(0);
            let json: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
            assert_eq!(json["outcome"], outcome, "{sets}");
        }
    }
    // A load that follows from another cannot be searched for by itself.
    let search = format!("--saturation={second}");
    let told = bench.call(sweep.into_iter().chain([derived.as_str(), &search, "-o", "no"])).refused();
    assert!(told.starts_with("--saturation: workload[1].traffic.load follows from --derive; search for"), "{told}");
    // A refusal at a load on the way names this load.
    let (derived, search) = (format!("{second}=2*{first}"), format!("--saturation={first}"));
    let call = bench.call(sweep.into_iter().chain([derived.as_str(), &search, "-o", "beyond"]));
    let reason = &rows(&bench, "beyond")[0]["reason"];
    assert_eq!(
        call.err,
        format!(
            "warning: 2 of 2 runs were refused; the column reason of beyond/rows.csv says why; the first, run 0: {reason}\n"
        )
    );
    call.ends(4);
    assert!(reason.starts_with("--saturation: workload[0].traffic.load=1: workload[1].traffic.load=2"), "{reason}");
}

#[test]
fn a_class_names_the_load_of_the_search() {
    let two = "payload_flits: 7, class: \"near\"), traffic(load: 0.02, payload_flits: 3, class: \"far\"),";
    let bench = Bench::with("two.ron", BASE.replace("payload_flits: 7),", two));
    let sweep = "sweep two.ron --vary load.far=0.02,0.2";
    bench.line(&format!("{sweep} --saturation=load.near -o out")).ends(0);
    bench
        .line("sweep two.ron --vary workload[1].traffic.load=0.02,0.2 --saturation=workload[0].traffic.load -o same")
        .ends(0);
    let (found, same) = (rows(&bench, "out"), rows(&bench, "same"));
    let saturation =
        |row: &std::collections::BTreeMap<String, String>| row["saturation"].parse::<f64>().expect("a load");
    assert_eq!(found.iter().map(saturation).collect::<Vec<_>>(), same.iter().map(saturation).collect::<Vec<_>>());
    // The load of the other class leaves less for this one.
    assert!(saturation(&found[0]) > saturation(&found[1]) + 0.1, "{found:?}");
    let told = bench.line("sweep two.ron --saturation=load.nera -o no").refused();
    assert!(told.starts_with("--saturation=load.nera: no field \"load.nera\""), "{told}");
    let both = bench.read("two.ron").replace("\"far\"", "\"near\"");
    bench.write("both.ron", both);
    let told = bench.line("sweep both.ron --saturation=load.near -o no").refused();
    let why = "\"load.near\" means 2 fields; name one: workload[0].traffic.load, workload[1].traffic.load";
    assert!(told.ends_with(why), "{told}");
}

#[test]
fn a_search_killed_at_any_moment_goes_on_with_as_many_seeds() {
    let bench = Bench::with("base.ron", BASE.replace("1500", "300"));
    let sweep =
        "sweep base.ron --vary fifo_depth=1,4 --saturation --seeds 8 --seeds-until saturation=3% --until accepted=9%";
    bench.line(&format!("{sweep} -o whole")).ends(0);
    let seeds = rows(&bench, "whole").len();
    assert!(seeds > 2 * 3 && seeds < 2 * 8, "{seeds}: all points have the same seeds, of which none is left out");
    end_after_kills(&bench, sweep, 8);
    same(&bench, "whole", "out");
}

#[test]
fn a_search_that_meets_a_deadlock_says_so() {
    let bench = Bench::with("torus.ron", deadlocking());
    bench.line("sweep torus.ron --vary load=0.01 --saturation -o out").ends(0);
    let row = &rows(&bench, "out")[0];
    assert_eq!((row["outcome"].as_str(), row["saturation_ends"].as_str()), ("done", "deadlock"));
    let told = bench.line("explore out --cost area --quality saturation").ends(0);
    assert!(told.contains("CAN DEADLOCK"), "{told}");
}

/// A ring without datelines: long worms block each other at any but the smallest loads.
fn deadlocking() -> String {
    "(network: (topology: torus(radices: [8], datelines: false)), workload: [
    traffic(load: 0.01, payload_flits: 31),
], run: (warmup_cycles: 0, measure_cycles: 2000))\n"
        .to_owned()
}

#[test]
fn a_run_is_as_long_as_its_interval_asks() {
    let bench = bench();
    let sweep = "sweep base.ron --vary load=0.05,0.1 --until latency_last_mean=2%";
    bench.line(&format!("{sweep} -o out")).ends(0);
    let mut lengthened = false;
    for row in rows(&bench, "out") {
        let number = |name: &str| row[name].parse::<f64>().expect("a number");
        assert!(number("interval_percent") <= 2.0, "{row:?}");
        assert!(number("warmup_cycles") > 0.0 && number("warmup_cycles") < 1600.0, "{row:?}");
        lengthened |= number("measure_cycles") >= 3000.0;
        let doubled = number("measure_cycles") / 1500.0;
        assert!(doubled.log2().fract().abs() < 1e-12 && doubled <= 64.0, "{row:?}");
        // The row is equal to a plain run of that length.
        let window =
            ["warmup_cycles", "measure_cycles"].map(|name| format!("--set run.{name}={}", row[name])).join(" ");
        let told = format!(
            "run base.ron --set workload[0].traffic.load={} {window} --seed {} --json r.json",
            row["load"], row["seed"]
        );
        bench.line(&told).ends(0);
        let json: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        assert_eq!(json["config_hash"], row["config_hash"]);
        let all = &json["latency_by_class"][0]["last"]["mean"];
        assert_eq!(all.as_f64().map(f64::to_bits), Some(number("latency_last_mean").to_bits()));
    }
    assert!(lengthened, "2 % are not to be had in 1500 cycles");
    // A goal that cannot be met ends as well. This is the longest run that is allowed.
    bench.write("short.ron", BASE.replace("1500", "60"));
    let call = bench.line("sweep short.ron --vary load=0.05,0.1 --until accepted=0.1% -o never");
    let widest = rows(&bench, "never").into_iter().map(|row| row["interval_percent"].parse::<f64>().expect("a number"));
    let widest = widest.fold(0.0, f64::max);
    assert_eq!(
        call.err,
        format!(
            "warning: 2 of 2 runs done did not reach the interval of --until in the longest window: the widest is \
             {widest:.2} % (interval_percent); give the base a longer measure_cycles, or --until a wider interval\n"
        )
    );
    call.ends(0);
    let row = &rows(&bench, "never")[0];
    assert_eq!(row["measure_cycles"], (60 * 64).to_string());
    assert!(row["interval_percent"].parse::<f64>().expect("a number") > 0.1);
    // No window goes beyond max_cycles.
    bench.write("cut.ron", BASE.replace("measure_cycles: 1500", "measure_cycles: 1500, max_cycles: 8000"));
    bench.line("sweep cut.ron --vary load=0.05 --until accepted=0.1% -o cut").ends(0);
    let row = &rows(&bench, "cut")[0];
    assert_eq!((row["outcome"].as_str(), row["measure_cycles"].as_str()), ("done", "6000"));
    // One window that looks narrow is not enough.
    bench.line("sweep base.ron --vary load=0.05 --until latency_last_mean=50% -o easy").ends(0);
    assert_eq!(rows(&bench, "easy")[0]["measure_cycles"], "3000");
    // Beyond saturation there is no interval to wait for.
    let call = bench.line("sweep base.ron --vary load=0.9 --until latency_last_mean=2% -o beyond");
    assert_eq!(call.err, "");
    call.ends(0);
    let row = &rows(&bench, "beyond")[0];
    assert_eq!((row["outcome"].as_str(), row["measure_cycles"].as_str()), ("saturated", "1500"));
}

#[test]
fn energies_are_those_of_the_same_runs_one_by_one() {
    let bench = bench();
    std::fs::copy(config("energy/dsent_45nm.ron"), bench.path("45.ron")).expect("coefficients");
    let sweep = "sweep base.ron --vary flit_bits=16,64 --energy 45.ron -o out";
    bench.line(sweep).ends(0);
    for row in rows(&bench, "out") {
        bench
            .line(&format!(
                "run base.ron --set network.switch.flit_bits={} --energy 45.ron --json r.json",
                row["flit_bits"]
            ))
            .ends(0);
        let json: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        let energy = &json["energy_estimate"];
        for (column, value) in [
            ("energy_pj", &energy["total_pj"]),
            ("energy_pj_per_bit", &energy["pj_per_bit"]),
            ("energy_pj.links", &energy["links_pj"]),
            ("link_toggles", &energy["activity"]["link_toggles"]),
        ] {
            let cell = row[column].parse::<f64>().expect("a number");
            assert_eq!(value.as_f64().map(f64::to_bits), Some(cell.to_bits()), "{column}");
        }
    }
    // The command of a point has its energies as well, and so has the page.
    let told = bench.line("explore out --least energy").ends(0);
    let (_, command) = told.trim_end().rsplit_once(": wormscope ").expect("a command");
    bench.line(&format!("{command} --json again.json")).ends(0);
    let again: serde_json::Value = serde_json::from_str(&bench.read("again.json")).expect("JSON");
    let rows = rows(&bench, "out");
    let row = rows.iter().find(|row| command.contains(&format!("flit_bits={} ", row["flit_bits"]))).expect("its row");
    let cell = row["energy_pj_per_bit"].parse::<f64>().expect("a number");
    assert_eq!(again["energy_estimate"]["pj_per_bit"].as_f64().map(f64::to_bits), Some(cell.to_bits()), "{command}");
    bench.line("report out -o page.html").ends(0);
    assert!(bench.read("page.html").contains("--set network.switch.flit_bits=16 --energy 45.ron"));
    bench.line("explore out --cost energy --quality latency").ends(0);
    bench.write("45.ron", bench.read("45.ron").replacen("link_mm: 1", "link_mm: 2", 1));
    let changed = bench.line(sweep).refused();
    assert_eq!(changed, "out: holds another sweep: 45.ron has changed since; name another directory");
    bench.write("wrong.ron", "(source: \"a guess\")");
    let wrong = bench.line("sweep base.ron --energy wrong.ron -o no").refused();
    assert!(wrong.starts_with("wrong.ron:1:") && wrong.contains("buffer_write_fj_per_bit"), "{wrong}");
}

#[test]
fn searches_that_cannot_be_are_refused_before_the_first_run() {
    let bench = bench();
    bench.write(
        "two.ron",
        BASE.replace("payload_flits: 7),", "payload_flits: 7), traffic(load: 0.01, payload_flits: 1),"),
    );
    bench.write("none.ron", "(network: (topology: mesh(radices: [4, 4])), workload: [])");
    for (line, message) in [
        ("base.ron --until cycles=5%", "--until cycles=5%: within a run there are intervals of latency_first_mean,"),
        ("base.ron --until accepted=0", "--until accepted=0: expected METRIC=PERCENT%"),
        ("none.ron --until accepted=5%", "--until: a run without random traffic ends by itself"),
        ("none.ron --saturation", "--saturation=load: no field \"load\""),
        ("two.ron --saturation", "--saturation=load: \"load\" means 2 fields; name one: workload[0].traffic.load,"),
        (
            "base.ron --saturation=fifo_depth",
            "--saturation=fifo_depth: network.switch.fifo_depth is not the load of random",
        ),
        ("base.ron --energy nowhere.ron", "nowhere.ron: cannot be read"),
    ] {
        let told = bench.line(&format!("sweep {line} -o out")).refused();
        assert!(told.starts_with(message), "{told}");
        assert!(!bench.path("out").exists(), "{line}");
    }
    // Traffic that ends leaves its queues empty at every load.
    bench.write("ends.ron", BASE.replace("payload_flits: 7)", "payload_flits: 7, until: 2000)"));
    bench.line("sweep ends.ron --saturation -o out");
    let rows = bench.read("out/rows.csv");
    assert!(rows.contains("refused") && rows.contains("traffic.until=2000 ends the traffic within"), "{rows}");
}

#[test]
fn most_intervals_of_runs_that_are_long_enough_hold_the_mean_of_a_very_long_run() {
    let mesh = "(network: (topology: mesh(radices: [4, 4]), switch: (fifo_depth: 4)), \
                workload: [traffic(load: 0.2, payload_flits: 7)], \
                run: (warmup_cycles: 200, measure_cycles: 1000, max_cycles: 1000000))";
    let bench = Bench::with("mesh.ron", mesh);
    bench.line("run mesh.ron --set measure_cycles=300000 --json long.json").ends(0);
    let long: serde_json::Value = serde_json::from_str(&bench.read("long.json")).expect("JSON");
    let mean = long["packet_latency"]["mean"].as_f64().expect("a number");
    bench.line("sweep mesh.ron --until latency=5% --seeds 100 -o out").ends(0);
    let holds = |row: &std::collections::BTreeMap<String, String>| {
        let number = |name: &str| row[name].parse::<f64>().expect("a number");
        let found = number("latency_last_mean");
        (found - mean).abs() <= number("interval_percent") / 100.0 * found
    };
    let held = rows(&bench, "out").iter().filter(|row| holds(row)).count();
    // With one window in place of two, 82 intervals do.
    assert!(held >= 88, "{held} of 100 hold {mean}");
}
