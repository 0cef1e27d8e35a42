//! `wormscope find`: the cheapest network that meets bounds.

use serde_json::Value;

use super::Bench;

/// A network of this topology under traffic of this load.
fn network(topology: &str, load: f64, more: &str) -> String {
    format!(
        "(network: (topology: {topology}), workload: [traffic(load: {load}, payload_flits: 7{more})],
          run: (warmup_cycles: 200, measure_cycles: 4000, drain: measured, max_cycles: 30000))\n"
    )
}

fn bench() -> Bench {
    let bench = Bench::with("mesh.ron", network("mesh(radices: [4, 4])", 0.3, ""));
    bench.write(
        "torus.ron",
        network("torus(radices: [4, 4])", 0.3, "").replace("])),", "]), switch: (virtual_channels: 2)),"),
    );
    bench.write("min.ron", network("bi_min(switch_ports: 4, stages: 2)", 0.3, ""));
    bench.write("trees.ron", network("mesh(radices: [4, 4])", 0.1, ", destinations: 4, encoding: bit_string"));
    let coefficients = super::repository().join("configs/energy/dsent_45nm.ron");
    bench.write("45nm.ron", std::fs::read_to_string(coefficients).expect("coefficients"));
    bench
}

/// Fields of a task, the options of a sweep over its whole space, and those of the question to it.
struct Case {
    task: &'static str,
    sweep: &'static str,
    question: &'static str,
}

const CASES: [Case; 5] = [
    Case {
        task: "bases: [\"mesh.ron\"], vary: [\"fifo_depth=2,3,4,6,8\", \"switch.virtual_channels=1,2\", \"dilation=1,2\"],
               at_most: [\"p99=70\"], least: \"area\"",
        sweep: "mesh.ron --vary fifo_depth=2,3,4,6,8 --vary switch.virtual_channels=1,2 --vary dilation=1,2",
        question: "--at-most p99=70 --least area",
    },
    Case {
        task: "bases: [\"mesh.ron\", \"torus.ron\", \"min.ron\"],
               vary: [\"fifo_depth=2,4,8\", \"arbiter=round_robin,matrix,fixed_priority\"],
               at_most: [\"latency=30\"], at_least: [\"throughput=0.29\"], least: \"area\"",
        sweep: "mesh.ron torus.ron min.ron --vary fifo_depth=2,4,8 --vary arbiter=round_robin,matrix,fixed_priority",
        question: "--at-most latency=30 --at-least throughput=0.29 --least area",
    },
    Case {
        // Lockstep replication deadlocks at this load.
        task: "bases: [\"trees.ron\"], vary: [\"fifo_depth=2,4,8,16\", \"replication=lockstep,asynchronous,buffered\",
               \"acquisition=incremental,atomic\"], at_most: [\"p99=400\"], least: \"area\"",
        sweep: "trees.ron --vary fifo_depth=2,4,8,16 --vary replication=lockstep,asynchronous,buffered \
                --vary acquisition=incremental,atomic",
        question: "--at-most p99=400 --least area",
    },
    Case {
        // The objective needs runs.
        task: "bases: [\"mesh.ron\", \"min.ron\"], vary: [\"fifo_depth=2,4,8\", \"dilation=1,2\"],
               at_most: [\"area=600000\"], least: \"latency\"",
        sweep: "mesh.ron min.ron --vary fifo_depth=2,4,8 --vary dilation=1,2",
        question: "--at-most area=600000 --least latency",
    },
    Case {
        task: "bases: [\"mesh.ron\"], vary: [\"fifo_depth=2,4,8\", \"switch.virtual_channels=1,2,4\", \"crossbar_cycles=0,1\"],
               energy: \"45nm.ron\", at_most: [\"latency_ns_p99=40\"], least: \"area\"",
        sweep: "mesh.ron --vary fifo_depth=2,4,8 --vary switch.virtual_channels=1,2,4 --vary crossbar_cycles=0,1 \
                --energy 45nm.ron",
        question: "--at-most latency_ns_p99=40 --least area",
    },
];

#[test]
fn of_spaces_that_can_be_enumerated_no_winner_is_missed() {
    let bench = bench();
    for (n, Case { task, sweep, question }) in CASES.iter().enumerate() {
        bench.write("task.ron", format!("({task}, seeds: 2, most_seeds: 2)"));
        let told = bench.line("find task.ron --json found.json").ends(0);
        let found: Value = serde_json::from_str(&bench.read("found.json")).expect("JSON");
        let out = format!("out{n}");
        bench.line(&format!("sweep {sweep} --seeds 2 -o {out}"));
        bench.line(&format!("explore {out} {question} --csv best.csv")).ends(0);
        let mut reader = csv::Reader::from_path(bench.path("best.csv")).expect("a table");
        let header = reader.headers().expect("a header").clone();
        let at = |name: &str| header.iter().position(|column| column == name).expect("a column");
        let records: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
        // `explore` lists the best first. A network that can deadlock wins nothing.
        let sound = |record: &&csv::StringRecord| {
            &record[at("can_deadlock")] == "false" && &record[at("standing")] != "unsound"
        };
        let best: Vec<&str> = records.iter().filter(sound).take(4).map(|record| &record[at("point")]).collect();
        let points = found["holders"].as_array().expect("a list").iter().map(|of| of["point"].to_string());
        let points: Vec<String> = points.collect();
        assert_eq!(points, best, "space {n}: {told}");
        // The answer needs fewer full runs than the grid has, and does not depend on the threads.
        assert!(found["full_runs"].as_u64() < found["grid_runs"].as_u64(), "space {n}: {told}");
        assert_eq!(bench.line("find task.ron --jobs 1").ends(0), told);
        assert_eq!(bench.line("find task.ron --jobs 3").ends(0), told);
    }
}

#[test]
fn what_is_found_is_what_its_command_runs() {
    let bench = bench();
    bench.write("task.ron", format!("({}, seeds: 1, most_seeds: 1)", CASES[0].task));
    bench.line("find task.ron --json found.json").ends(0);
    let found: Value = serde_json::from_str(&bench.read("found.json")).expect("JSON");
    for holder in found["holders"].as_array().expect("a list") {
        let command = holder["command"].as_str().expect("a command").strip_prefix("wormscope ").expect("a command");
        bench.line(&format!("{command} --json run.json")).ends(0);
        let run: Value = serde_json::from_str(&bench.read("run.json")).expect("JSON");
        let all = run["latency_by_class"].as_array().expect("a list").iter().find(|of| of["class"] == "all");
        assert_eq!(holder["values"][1][0].as_f64(), all.expect("all worms")["last"]["p99"].as_f64());
    }
}

#[test]
fn networks_of_an_answer_ran_with_the_same_seeds() {
    let traffic = "traffic(load: 0.2, payload_flits: 7)], run: (warmup_cycles: 200, measure_cycles: 800)";
    let bench =
        Bench::with("mesh.ron", format!("(network: (topology: mesh(radices: [4, 4])), workload: [{traffic})\n"));
    bench.write(
        "task.ron",
        "(bases: [\"mesh.ron\"], vary: [\"fifo_depth=4,6,8\", \"switch.virtual_channels=1,2,4\", \
         \"arbiter=round_robin,matrix,oldest_first\"], at_most: [\"p99=37\"], least: \"latency_last_mean\")",
    );
    let told = bench.line("find task.ron --json a.json").ends(0);
    let answer: Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
    let holders = answer["holders"].as_array().expect("networks");
    // Networks near the bound got 12 seeds, and others 6. With their own seeds, point 4 is the
    // best.
    let runs: Vec<_> = holders.iter().map(|holder| holder["values"][0][2].as_u64()).collect();
    assert_eq!((runs, holders[0]["point"].as_u64()), (vec![Some(12); 4], Some(5)));
    assert!(told.contains("; ties with point 5\n"), "{told}");
}

#[test]
fn runs_are_kept_as_a_sweep_and_are_not_made_again() {
    let bench = bench();
    bench.write("task.ron", format!("({}, seeds: 2, most_seeds: 2)", CASES[0].task));
    let told = bench.line("find task.ron").ends(0);
    assert_eq!(bench.line("find task.ron -o out").ends(0), told);
    let rows = bench.read("out/rows.csv");
    assert!(rows.lines().count() > 8, "{rows}");
    // A sweep of the same points has the same rows.
    bench.line(&format!("sweep {} --seeds 2 -o all", CASES[0].sweep));
    let all = bench.read("all/rows.csv");
    assert!(rows.lines().all(|row| all.lines().any(|of| of == row)), "{rows}");
    // Half of the journal is lost.
    let journal = bench.read("out/journal");
    let half: String = journal.lines().take(journal.lines().count() / 2).flat_map(|line| [line, "\n"]).collect();
    bench.write("out/journal", half);
    assert_eq!(bench.line("find task.ron -o out").ends(0), told);
    assert_eq!(bench.read("out/rows.csv"), rows);
    bench.line("explore out --cost area --quality p99").ends(0);
    bench.write("other.ron", format!("({}, seeds: 1, most_seeds: 1)", CASES[0].task));
    let refused = bench.line("find other.ron -o out").refused();
    assert!(refused.contains("out: holds another sweep"), "{refused}");
}

#[test]
fn bounds_that_no_network_holds_are_told_with_what_comes_nearest() {
    let bench = bench();
    bench.write("task.ron", format!("({}, seeds: 1)", CASES[0].task.replace("p99=70", "p99=20")));
    let told = bench.line("find task.ron").ends(4);
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("no network meets latency_last_p99 at most 20"));
    assert!(lines.next().expect("a line").starts_with("without latency_last_p99 at most 20: area_ge "), "{told}");
    assert!(lines.next().expect("a line").starts_with("  the nearest with all other bounds is "), "{told}");
    assert!(told.contains("\nnearest misses:\n") && told.contains(" % above 20"), "{told}");
    // Two bounds that exclude each other are told one by one.
    let both = CASES[0].task.replace("\"p99=70\"", "\"p99=40\", \"area=200000\"");
    bench.write("task.ron", format!("({both}, seeds: 1)"));
    let told = bench.line("find task.ron").ends(4);
    assert!(told.starts_with("no network meets latency_last_p99 at most 40, area_ge at most 200000\n"), "{told}");
    assert!(told.contains("\nwithout area_ge at most 200000: area_ge "), "{told}");
    assert!(told.contains("\nwithout latency_last_p99 at most 40: area_ge "), "{told}");
    assert!(!told.contains("even alone"), "{told}");
    // Bounds that nothing can hold are named, with the nearest value.
    let never = CASES[0].task.replace("\"p99=70\"]", "\"p99=40\", \"area=100\"], at_least: [\"p99=41\"]");
    bench.write("task.ron", format!("({never}, seeds: 1)"));
    let told = bench.line("find task.ron --json found.json").ends(4);
    let contradict = "\nlatency_last_p99 at most 40 contradicts latency_last_p99 at least 41: no value meets both\n";
    assert!(told.contains(contradict), "{told}");
    let alone = "\nno network meets area_ge at most 100 even alone: the nearest of all networks is 168035 (point 0)\n";
    assert!(told.contains(alone), "{told}");
    let found: Value = serde_json::from_str(&bench.read("found.json")).expect("JSON");
    assert_eq!(found["unheld"].as_array().map(Vec::len), Some(1), "{told}");
}

#[test]
fn a_task_that_is_wrong_is_refused_with_its_place() {
    let bench = bench();
    for (task, expected) in [
        (
            "(\n    bases: [\"mesh.ron\"],\n    at_most: [\"p9=20\"],\n    least: \"area\",\n)",
            "task.ron:3:15: unknown metric \"p9\"; did you mean \"p99\"?",
        ),
        (
            "(bases: [\"mesh.ron\"], at_most: [\"p99\"], least: \"area\")",
            "task.ron:1:33: \"p99\" is no bound; allowed: METRIC=NUMBER",
        ),
        ("(base: [\"mesh.ron\"])", "task.ron:1:2: unknown field \"base\" in task; did you mean \"bases\"?"),
        ("(bases: [\"mesh.ron\"])", "task.ron:1:1: no objective; give least or most"),
        ("(bases: [\"mesh.ron\"], least: \"area\", most: \"p99\")", "task.ron:1:38: both least and most are given"),
        ("(bases: [\"mesh.ron\"], least: \"aera\")", "task.ron:1:23: unknown metric \"aera\"; did you mean \"area\"?"),
        ("(bases: [\"mesh.ron\"], least: \"area\", seeds: 0)", "task.ron:1:38: seeds is 0; allowed: at least 1"),
        (
            "(bases: [\"mesh.ron\"], least: \"area\", seeds: 5, most_seeds: 2)",
            "task.ron:1:48: most_seeds is 2, and seeds is 5; allowed: at least as many",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_dept=2\"], least: \"area\")",
            "task.ron:1:31: no field \"fifo_dept\"; nearest names: fifo_depth, ",
        ),
        (
            "(bases: [\"mesh.ron\"],\nvary: [\"fifo_depth=2,4\",\n\"arbiter=matrix,rond_robin\"], least: \"area\")",
            "task.ron:3:17: network.switch.arbiter=rond_robin: unknown arbiter \"rond_robin\"; did you mean \"round_robin\"?",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_depth=2,x\"], least: \"area\")",
            "task.ron:1:44: network.switch.fifo_depth=x: network.switch.fifo_depth: expected an integer",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_depth=0,4\"], least: \"area\")",
            "task.ron:1:42: network.switch.fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_depth\"], least: \"area\")",
            "task.ron:1:30: fifo_depth: expected FIELD=..., such as fifo_depth=2,4,8",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_depth=4,4\"], least: \"area\")",
            "task.ron:1:44: fifo_depth: 4 is given twice",
        ),
        (
            "(bases: [\"mesh.ron\"], vary: [\"fifo_depth=4\", \"switch.fifo_depth=8\"], least: \"area\")",
            "task.ron:1:47: fifo_depth and switch.fifo_depth are the same field, network.switch.fifo_depth;",
        ),
        (
            "(bases: [\"mesh.ron\"], derive: [\"fifo_depth=2*flit_bit\"], least: \"area\")",
            "task.ron:1:46: no field \"flit_bit\"; nearest names: flit_bits",
        ),
        ("(bases: [\"none.ron\"], least: \"area\")", "none.ron: cannot be read"),
        ("(bases: [], least: \"area\")", "task.ron:1:2: no base; give at least one experiment"),
    ] {
        bench.write("task.ron", task);
        let refused = bench.line("find task.ron --json found.json").refused();
        assert!(refused.starts_with(expected), "{task}: {refused}");
        assert!(!bench.path("found.json").exists(), "{task}");
    }
    let refused = bench.line("find mesh.ron").refused();
    assert!(refused.starts_with("mesh.ron: an experiment; a task in a file of its own varies it, "), "{refused}");
    bench.write("task.ron", "(bases: [\"mesh.ron\"], least: \"area\")");
    let refused = bench.line("find task.ron --json mesh.ron").refused();
    assert!(refused.contains("mesh.ron"), "{refused}");
}
