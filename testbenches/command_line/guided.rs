//! `wormscope explore --guided`: the front of the whole grid from some of its runs.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Bench;
use super::sweep::{same, start};

/// A network of this topology under unicasts.
fn network(topology: &str, more: &str) -> String {
    format!(
        "(network: (topology: {topology}, switch: (virtual_channels: 2)), workload: [traffic(load: 0.3, payload_flits: 7{more})],
          run: (warmup_cycles: 50, measure_cycles: 300))\n"
    )
}

fn bench() -> Bench {
    let bench = Bench::with("mesh.ron", network("mesh(radices: [4, 4])", ""));
    bench.write("torus.ron", network("torus(radices: [4, 4])", ""));
    bench.write("min.ron", network("bi_min(switch_ports: 4, stages: 2)", ""));
    bench.write("trees.ron", network("mesh(radices: [4, 4])", ", destinations: 3, encoding: bit_string"));
    bench
}

/// The lines of a directory's table.
fn rows(bench: &Bench, folder: &str) -> BTreeSet<String> {
    bench.read(&format!("{folder}/rows.csv")).lines().map(str::to_owned).collect()
}

/// Points that a guided search looked at, all points, runs that it made, and runs that it saved.
fn counted(told: &str) -> (usize, usize, usize, usize) {
    let note = told.lines().find_map(|line| line.strip_prefix("note: guided search: ")).expect("a note");
    let words = note.split([' ', ';']).filter_map(|word| word.parse().ok());
    let numbers: Vec<usize> = words.collect();
    assert_eq!(numbers.len(), 4, "{note}");
    (numbers[0], numbers[1], numbers[2], numbers[3])
}

/// An answer, with its lines on the points of the front and of those that tie with them. The ends
/// of runs at other loads are left out.
fn front(bench: &Bench, question: &str) -> (String, BTreeSet<Vec<String>>) {
    let told = bench.line(&format!("explore {question} --csv front.csv")).ends(0);
    let mut reader = csv::Reader::from_path(bench.path("front.csv")).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let (standing, ended, other) = (at("standing"), at("ended"), at("other"));
    let records = reader.records().map(|record| record.expect("a record"));
    let led = records.filter(|record| &record[standing] != "dominated");
    let cells = |record: csv::StringRecord| {
        let cells = record.iter().enumerate().filter(|(column, _)| *column != ended && *column != other);
        cells.map(|(_, cell)| cell.to_owned()).collect()
    };
    (told, led.map(cells).collect())
}

#[test]
fn a_guided_front_is_that_of_the_whole_grid() {
    // Sweeps, and questions to each with the least share of the runs that it must save, in per
    // cent.
    let cases: [(&str, &[(&str, usize)]); 6] = [
        (
            "mesh.ron --vary fifo_depth=1..8 --vary virtual_channels=1,2,4 --vary load=0.1..0.9/0.1",
            &[
                ("--cost area --quality saturation", 50),
                ("--at-least saturation=0.6 --at-most p99=60 --least area --where load=0.3", 60),
                ("--cost area --cost logic_depth --quality saturation", 50),
                ("--cost area --quality p99 --where load=0.3,0.4,0.5", 10),
            ],
        ),
        (
            // The runs are long, because in short ones noise decides which of two depths accepts
            // more.
            "mesh.ron torus.ron --vary fifo_depth=16,14,12,10,8,6,4,2 --vary load=0.1..0.6/0.1 --vary measure_cycles=3000",
            &[("--cost area --quality saturation", 75), ("--cost area --quality accepted --quality p99", 1)],
        ),
        (
            "mesh.ron --vary fifo_depth=2..20/3 --vary virtual_channels=1,2 --saturation",
            // Nearly every depth is on the front.
            &[("--cost area --quality saturation", 0), ("--at-least saturation=0.6 --at-most p99=60 --least area", 10)],
        ),
        (
            "min.ron --vary fifo_depth=2..20/2 --vary routing_cycles=1..5 --seeds 3",
            &[("--cost area --quality latency", 60), ("--least fifo_depth --at-most latency=40", 50)],
        ),
        (
            "trees.ron --vary replication=asynchronous,buffered --vary fifo_depth=8..24/2 --vary load=0.02..0.1/0.02",
            &[("--cost area --quality latency --where load=0.04", 20)],
        ),
        (
            "mesh.ron --vary 'flit_bits=8..64*2 with routing_cycles=4,3,2,1' --vary fifo_depth=2..16 --derive payload_flits=512/flit_bits",
            &[("--cost area --quality latency", 15)],
        ),
    ];
    for (sweep, questions) in cases {
        let bench = bench();
        let words = |folder: &str| shlex::split(&format!("sweep {sweep} -o {folder}")).expect("words");
        let whole = bench.call(words("whole"));
        assert!(matches!(whole.code, Some(0 | 3)), "{}", whole.err);
        let all = rows(&bench, "whole");
        for (n, (question, saved)) in questions.iter().enumerate() {
            let folder = format!("guided{n}");
            let mut planned = words(&folder);
            planned.push("--no-run".to_owned());
            let told = bench.call(&planned).ends(0);
            assert!(told.starts_with(&format!("0 of {} runs are in {folder}; ", all.len() - 1)), "{told}");
            let (_, expected) = front(&bench, &format!("whole {question}"));
            let (told, found) = front(&bench, &format!("{folder} {question} --guided"));
            assert_eq!(found, expected, "{sweep} {question}");
            // The runs of the search are in the sweep, and are a part of it.
            let made = rows(&bench, &folder);
            assert!(made.is_subset(&all), "{sweep} {question}");
            let (looked_at, of, runs, spared) = counted(&told);
            let seeds = if sweep.contains("--seeds 3") { 3 } else { 1 };
            assert_eq!((runs, spared), (made.len() - 1, (of - looked_at) * seeds), "{sweep} {question}");
            assert!(spared * 100 >= of * seeds * saved, "{sweep} {question}: {told}");
            // A second call finds everything there.
            let journal = bench.bytes(&format!("{folder}/journal"));
            let told = bench.line(&format!("explore {folder} {question} --guided")).ends(0);
            assert_eq!(counted(&told), (looked_at, of, 0, spared));
            assert!(bench.bytes(&format!("{folder}/journal")) == journal && rows(&bench, &folder) == made);
        }
        // The sweep goes on with the rest: one sweep shows it.
        assert!(!bench.path("guided0/rows.parquet").exists());
        if sweep.starts_with("min.ron") {
            bench.call(words("guided0"));
            same(&bench, "whole", "guided0");
        }
    }
}

#[test]
fn a_guided_search_that_is_killed_goes_on_and_ends_the_same() {
    let bench = bench();
    let sweep = "sweep mesh.ron --vary fifo_depth=1..30 --vary load=0.05..0.9/0.05 --seeds 2 --no-run";
    let line = |folder: &str| format!("explore {folder} --cost area --quality saturation --guided --jobs 2");
    bench.line(&format!("{sweep} -o once")).ends(0);
    bench.line(&line("once")).ends(0);
    bench.line(&format!("{sweep} -o killed")).ends(0);
    let length = || bench.bytes("killed/journal").len();
    for _ in 0..8 {
        // Each call is killed as soon as it has finished one more run.
        let before = length();
        let mut child = start(&bench, &line("killed"));
        while length() == before && child.try_wait().expect("its state").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("a process to kill");
        assert!(!child.wait().expect("its end").success());
    }
    assert!(length() < bench.bytes("once/journal").len());
    bench.line(&line("killed")).ends(0);
    assert!(bench.bytes("killed/rows.csv") == bench.bytes("once/rows.csv"));
}

#[test]
fn a_directory_that_cannot_be_gone_on_with_is_refused() {
    let bench = bench();
    bench.line("sweep mesh.ron --vary fifo_depth=2,4 --derive payload_flits=2*fifo_depth -o out --no-run").ends(0);
    bench.line("sweep mesh.ron --vary fifo_depth=2,4 -o part --shard 1/2").ends(0);
    for (line, message) in [
        ("explore out --guided", "no metric is given; for a front"),
        ("explore out --least area", "out: no run has finished yet; to continue, run: wormscope sweep mesh.ron"),
        ("explore out --least area --jobs 2", "the following required arguments were not provided: --guided"),
        ("explore nowhere --least area --guided", "nowhere: there is no such directory"),
        ("explore out --guided --least aera", "unknown metric \"aera\"; did you mean \"area\"?"),
        (
            "explore out --guided --least area --where fifo_depth=3",
            "fifo_depth is never 3 in this sweep; allowed: 2, 4",
        ),
        (
            "explore out --guided --least area --where payload_flits=8",
            "--where payload_flits: a guided search cannot be limited to values of a derived field",
        ),
        ("explore part --guided --least area", "part: holds shard 1/2 of a sweep"),
        (
            "explore out --guided --least area --at-most latency=1",
            "none of 2 points meets all bounds: latency_last_mean at most 1 excludes 2",
        ),
    ] {
        let refused = bench.line(line).refused();
        assert!(refused.starts_with(message), "{line}: {refused}");
    }
    let asked = bench.read("out/sweep.ron");
    bench.write("out/sweep.ron", asked.replace(&format!("\"{}\"", env!("CARGO_PKG_VERSION")), "\"0.0.1\""));
    let refused = bench.line("explore out --guided --least area").refused();
    assert!(refused.starts_with("out: is a sweep of wormscope 0.0.1, this is "), "{refused}");
}
