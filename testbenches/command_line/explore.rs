//! Tests of `wormscope explore` and `plot`: answers and pictures from the results of a sweep.

use std::fs;

use serde_json::{Value, json};

use super::Bench;

/// A bench with the directory of a sweep: two depths, two seeds; the deeper one is dearer, and
/// saturates later by more than the noise.
fn swept() -> Bench {
    let bench = Bench::new();
    sweep_in(&bench);
    bench
}

/// That directory, `out`.
pub fn sweep_in(bench: &Bench) {
    fs::create_dir(bench.path("out")).expect("a folder");
    let column = |name: &str, kind: &str, role: &str, path: Option<&str>| json!({"name": name, "type": kind, "role": role, "unit": null, "path": path, "estimate": false, "doc": ""});
    let columns: Vec<Value> = vec![
        column("run", "integer", "id", None),
        column("point", "integer", "id", None),
        column("base", "text", "id", None),
        column("fifo_depth", "integer", "axis", Some("network.switch.fifo_depth")),
        column("seed_index", "integer", "seed", None),
        column("seed", "integer", "seed", None),
        column("outcome", "text", "outcome", None),
        column("saturation", "number", "metric", None),
        column("area_ge", "number", "metric", None),
    ];
    let bases = [json!({"name": "x.ron", "sha256": "00", "text": super::TRAFFIC})];
    let schema = json!({"format": 1, "version": "0.1.0", "command": "wormscope sweep x.ron -o out", "bases": bases,
        "points": 2, "seeds": 2, "runs": 4, "columns": columns});
    bench.write("out/schema.json", schema.to_string());
    let rows = "run,point,base,fifo_depth,seed_index,seed,outcome,saturation,area_ge\n\
                0,0,x.ron,2,0,11,done,0.2,100\n1,0,x.ron,2,1,12,done,0.21,100\n\
                2,1,x.ron,8,0,13,done,0.4,300\n3,1,x.ron,8,1,14,done,0.41,300\n";
    bench.write("out/rows.csv", rows);
}

#[test]
fn a_front_is_printed_and_written() {
    let bench = swept();
    let text = bench.line("explore out --cost area --quality saturation --csv front.csv").ends(0);
    assert_eq!(
        text,
        "Pareto front: 2 of 2 points, 2 seeds each: least area_ge, most saturation\n\
         point  fifo_depth  area_ge     saturation  ended  remarks\n\
         \x20   0           2      100  0.205 ± 0.064  done\n\
         \x20   1           8      300  0.405 ± 0.064  done\n\
         note: the 95 % interval of saturation is ± 31 % of its mean at point 0, with 2 seeds; about 5 seeds narrow it to 5 %: wormscope sweep --seeds 5 -o NEW_DIRECTORY\n"
    );
    assert_eq!(bench.read("front.csv").lines().count(), 3);
}

#[test]
fn the_cheapest_point_comes_with_a_command_that_runs() {
    let bench = swept();
    bench.write("x.ron", super::TRAFFIC);
    let text = bench.line("explore out --at-least saturation=0.3 --least area").ends(0);
    let command = text.lines().last().and_then(|line| line.strip_prefix("point 1: wormscope "));
    assert_eq!(command, Some("run x.ron --set network.switch.fifo_depth=8"), "{text}");
    bench.line(command.unwrap_or_default()).ends(0);
}

#[test]
fn pictures_say_which_command_draws_them_whatever_they_are_called() {
    let bench = swept();
    bench.line("explore out --cost area --quality saturation --svg front.svg --png front.png").ends(0);
    bench.line("plot out --y saturation --x fifo_depth --svg depth.svg --png depth.png").ends(0);
    bench.line("plot out --histogram saturation --by fifo_depth --png histogram.png").ends(0);
    for (name, command) in [
        ("front", "wormscope explore out --cost area --quality saturation"),
        ("depth", "wormscope plot out --y saturation --x fifo_depth"),
    ] {
        assert!(bench.read(&format!("{name}.svg")).contains(command), "{name}");
    }
    for name in ["front.png", "depth.png", "histogram.png"] {
        assert!(bench.bytes(name).starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn what_has_no_answer_is_refused() {
    let bench = swept();
    for (line, message) in [
        ("explore out", "no metric is given; for a front"),
        ("explore nowhere --least area", "nowhere: there is no such directory"),
        (
            "explore out --least energy",
            "only a sweep with --energy 45nm has energy_pj_per_bit; in a file, write energy: \"45nm\"",
        ),
        ("explore out --least hops", "only a sweep with --links has hops; in a file, write links: true"),
        ("explore out --least aera", "unknown metric \"aera\"; did you mean \"area\"? allowed: "),
        (
            "explore out --least area --at-least saturation=2",
            "none of 2 points meets all bounds: saturation at least 2 excludes 2",
        ),
        ("explore out --least area --where fifo_depth=3", "fifo_depth is never 3 in this sweep; allowed: 2, 8"),
        (
            "explore out --least area --where load=0.3",
            "load is fixed in this sweep, at 0.2; --vary of wormscope sweep varies it",
        ),
        ("plot out --y area --x load --svg x.svg", "load is fixed in this sweep, at 0.2; --vary"),
        (
            "plot out --y area --x fifo_depth --where load=0.3 --svg x.svg",
            "load is fixed in this sweep, at 0.2; --vary",
        ),
        ("explore out --least area --where saturation=0.3", "saturation is measured, not varied; allowed: fifo_depth"),
        ("explore out --least area --where saturation<=0.3", "\"saturation<=0.3\" is no condition; allowed: FIELD="),
        ("explore out --least area --svg x.svg", "a front has two or three metrics"),
        ("plot out --svg x.svg", "no load is varied in this sweep; vary one, or name what to draw"),
        ("plot out --stalls --svg x.svg", "this sweep has no columns stall_...: no account of stalls"),
        ("plot out --y area --x depth --svg x.svg --png x.svg", "x.svg: is both --svg and --png"),
        ("explore out --least area --csv out/rows.csv", "out/rows.csv: is both a file of the sweep and --csv"),
    ] {
        let refused = bench.line(line).refused();
        assert!(refused.starts_with(message), "{line}: {refused}");
    }
    assert_eq!(bench.names(), ["out"]);
}

#[test]
fn saturation_that_is_read_off_short_windows_is_told_as_too_high() {
    let traffic = "workload: [traffic(load: 0.1, payload_flits: 15)]";
    let run = "run: (warmup_cycles: 200, measure_cycles: 1500)";
    let bench = Bench::with("x.ron", format!("(network: (topology: mesh(radices: [8, 8])), {traffic}, {run})"));
    let note = "note: 1 run below saturation accepted under 95 % of what was offered: their windows are too short";
    for (more, is_told) in [("", true), (" --vary measure_cycles=20000", false)] {
        bench.line(&format!("sweep x.ron --vary load=0.1,0.25,0.6{more} -o out{is_told}")).ends(0);
        let told = bench.line(&format!("explore out{is_told} --cost area --quality saturation")).ends(0);
        assert_eq!(told.contains(note), is_told, "{told}");
    }
}

#[test]
fn refused_points_are_told_as_refused() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    let vary = "topology=mesh(radices: [4, 4]),torus(radices: [4, 4])";
    bench.call(["sweep", "x.ron", "--vary", vary, "--vary", "virtual_channels=1,2", "-o", "out"]).ends(4);
    let told = bench.line("explore out --least area").ends(0);
    let note = "note: 1 of 4 points was refused; the first, point 2: network.switch.virtual_channels=1: a torus with";
    assert!(told.contains(note) && !told.contains("have no area_ge"), "{told}");
}

#[test]
fn a_short_name_of_a_metric_may_have_a_class() {
    let two = "workload: [traffic(load: 0.1, payload_flits: 3, class: \"weights\"),
        traffic(load: 0.05, payload_flits: 3, class: \"activations\")]";
    let base = format!("(network: (topology: mesh(radices: [4, 4])), {two}, run: (measure_cycles: 300))");
    let bench = Bench::with("x.ron", &base);
    bench.line("sweep x.ron --vary fifo_depth=2,4 -o out").ends(0);
    let told = |metric: &str| {
        let text = bench.line(&format!("explore out --least {metric}")).ends(0);
        text.split_once('\n').map(|(_, rest)| rest.to_owned())
    };
    for (short, whole) in [("p99", "latency_last_p99"), ("latency", "latency_last_mean")] {
        for class in ["weights", "activations"] {
            assert_eq!(told(&format!("{short}.{class}")), told(&format!("{whole}.{class}")));
        }
    }
    bench.line("plot out --y p99.weights --x fifo_depth --svg x.svg").ends(0);
    bench.line("explore out --least area --at-most p99.weights=1000").ends(0);
    bench.line("sweep x.ron --vary fifo_depth=2,4 --seeds 3 --seeds-until p99.weights=50% -o seeds").ends(0);
}

#[test]
fn a_sweep_that_is_under_way_is_said_to_be() {
    let bench = swept();
    let rows = bench.read("out/rows.csv");
    bench.write("out/rows.csv", rows.split_inclusive('\n').take(4).collect::<String>());
    let call = bench.line("explore out --least area");
    assert_eq!(call.err, "warning: 3 of 4 runs have finished; to continue, run: wormscope sweep x.ron -o out\n");
    call.ends(0);
}

#[test]
fn what_sweep_wrote_is_asked_drawn_and_handed_on() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    bench.line("sweep x.ron --vary fifo_depth=2,4 --vary load=0.1,0.5,0.9 --seeds 2 -o out").ends(0);
    let text = bench.line("explore out --cost fifo_depth --quality saturation --all").ends(0);
    assert!(
        text.starts_with("Pareto front: 1 of 2 points, 2 seeds each: least fifo_depth (flits), most saturation ("),
        "{text}"
    );
    assert!(text.contains("note: saturation is read off the loads"), "{text}");
    let text = bench.line("explore out --least p99 --where load=0.10").ends(0);
    let command = text.lines().last().and_then(|line| line.split_once(": wormscope ")).expect("a command").1;
    bench.call(shlex::split(command).expect("words")).ends(0);
    for line in ["plot out --svg a.svg", "plot out --stalls --svg a.svg", "plot out --y p99 --x fifo_depth --svg a.svg"]
    {
        bench.line(line).ends(0);
        let svg = bench.read("a.svg");
        assert!(svg.contains("wormscope sweep x.ron") && svg.contains("2 seeds a point"), "{line}");
    }
    // The text names results that are not sound, and the picture says the same.
    for (line, name) in
        [("--y p99", "latency_last_p99"), ("--histogram p99", "latency_last_p99"), ("", "latency_last_mean")]
    {
        let call = bench.line(&format!("plot out {line} --svg a.svg"));
        let note = call.err.trim_end().strip_prefix("warning: ").expect("a warning").to_owned();
        assert!(note.contains(&format!(" have no valid {name}: ")) && note.ends_with(" were saturated"), "{note}");
        call.ends(0);
        assert!(bench.read("a.svg").contains(&note), "{line}: {note}");
    }
    let none = bench.line("plot out --y p99 --x fifo_depth --where load=0.9 --svg a.svg").refused();
    assert_eq!(none, "nothing to draw: 2 of 2 points have no valid latency_last_p99: 2 were saturated");
    assert_eq!(bench.line("plot out --y area --x fifo_depth --svg a.svg").err, "");
    bench.line("report out -o out.html").ends(0);
    let page = bench.read("out.html");
    assert!(page.contains("latency_last_mean.unicast") && !page.contains("latency_last_mean.multicast"));
}

#[test]
fn the_load_is_the_one_that_is_varied_whatever_is_derived_from_it() {
    let two = "(network: (topology: mesh(radices: [4, 4])), workload: [
        traffic(load: 0.1, payload_flits: 7), traffic(load: 0.1, payload_flits: 3)], run: (measure_cycles: 500))";
    let bench = Bench::with("two.ron", two);
    let sweep = "sweep two.ron --vary fifo_depth=2,8 --vary workload[0].traffic.load=0.1,0.5,0.9";
    bench.line(&format!("{sweep} --derive workload[1].traffic.load=workload[0].traffic.load/9 -o out")).ends(0);
    let text = bench.line("explore out --cost area --quality saturation --all").ends(0);
    assert!(text.starts_with("Pareto front: 2 of 2 points, "), "{text}");
    // A field that follows from the load belongs to the hardware no more than the load itself.
    assert!(
        text.lines().nth(1).is_some_and(|head| head.starts_with("point  fifo_depth  area_ge  saturation")),
        "{text}"
    );
    bench.line("plot out --svg out.svg").ends(0);
    let svg = bench.read("out.svg");
    assert!(svg.contains("\nfifo_depth 8\n") && !svg.contains("fifo_depth 8,"));
    bench.line("report out -o out.html").ends(0);
    assert!(bench.read("out.html").contains("\"load\":1,\"hardware\":[0],"));
    // Two loads that vary apart from each other make no curve.
    let with = "workload[0].traffic.load=0.1,0.5 with workload[1].traffic.load=0.01,0.05";
    bench.call(["sweep", "two.ron", "--vary", with, "-o", "with"]).ends(0);
    let why = "2 loads are varied in this sweep, workload[0].traffic.load, workload[1].traffic.load; \
               vary one of them and compute the others from it with --derive, or ";
    let told = bench.line("plot with --svg with.svg").refused();
    assert_eq!(told, format!("{why}name what to draw: --y METRIC --x FIELD"));
    let told = bench.line("explore with --cost area --quality saturation").refused();
    assert_eq!(
        told,
        format!(
            "the loads of the sweep do not give saturation: {why}search for it with sweep \
             --saturation"
        )
    );
}

#[test]
fn a_sweep_whose_points_have_seeds_enough_has_ended() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    let sweep =
        "sweep x.ron --vary fifo_depth=2,4 --vary load=0.1,0.5,0.9 --seeds 5 --seeds-until latency_last_mean=10%";
    bench.line(&format!("{sweep} -o out")).ends(0);
    assert!(bench.read("out/rows.csv").lines().count() < 1 + 6 * 5, "no point had enough");
    let call = bench.line("explore out --cost area --quality saturation");
    assert_eq!(call.err, "");
    let told = call.ends(0);
    assert!(told.starts_with("Pareto front: 1 of 2 points, 3 to 4 seeds each: "), "{told}");
    bench.line("plot out --svg out.svg").ends(0);
    assert!(bench.read("out.svg").contains("3 to 4 seeds a point; "));
    bench.line("report out -o out.html").ends(0);
    assert!(bench.read("out.html").contains("3 to 4 seeds a point; "));
    // The program warns of a sweep that has not ended, and of a part of a sweep.
    bench.line(&format!("{sweep} -o part --shard 1/2")).ends(0);
    std::fs::remove_file(bench.path("out/rows.parquet")).expect("a file");
    let call = bench.line("explore out --least area");
    assert!(call.err.contains(" of 30 runs have finished; to continue, run: ") && call.err.ends_with("-o out\n"));
    call.ends(0);
    let call = bench.line("explore part --least area");
    assert!(
        call.err.starts_with("warning: this is shard 1/2 of a sweep, and all its runs have finished; "),
        "{}",
        call.err
    );
    call.ends(0);
    std::fs::remove_file(bench.path("part/rows.parquet")).expect("a file");
    let call = bench.line("explore part --least area");
    assert!(call.err.contains(" of 15 runs of shard 1/2 have finished; to continue, run: "), "{}", call.err);
    assert!(call.err.ends_with("--shard 1/2 -o part\n"), "{}", call.err);
    call.ends(0);
}

#[test]
fn a_point_that_does_not_carry_its_load_says_so() {
    let network = "network: (topology: mesh(radices: [4, 4]), switch: (fifo_depth: 4))";
    let traffic = "traffic(load: 0.1, payload_flits: 7)";
    let run = "run: (warmup_cycles: 500, measure_cycles: 1500)";
    let bench = Bench::with("x.ron", format!("({network}, workload: [{traffic}], {run})"));
    bench.line("sweep x.ron --vary load=0.1,0.5 --seeds 2 -o out").ends(0);
    let told = bench.line("explore out --least latency --all").ends(0);
    let rows: Vec<&str> = told.lines().filter(|line| line.contains(" done")).collect();
    assert_eq!(rows.len(), 2, "{told}");
    assert!(!rows[0].contains("accepts") && rows[1].ends_with(" % of the load"), "{told}");
    // A metric that does not depend on the length of the run has no such remark.
    assert!(!bench.line("explore out --least area --all").ends(0).contains("accepts"));
    // find may answer with such a network, if the question allows it.
    bench.write("t.ron", "(bases: [\"x.ron\"], vary: [\"fifo_depth=4\", \"load=0.5\"], least: \"area\", seeds: 2)");
    let found = bench.line("find t.ron").ends(0);
    assert!(found.contains(" % of the load"), "{found}");
}
