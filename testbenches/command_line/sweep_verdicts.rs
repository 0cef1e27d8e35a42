//! Verdicts on deadlocks in sweeps, and in the questions about them.

use serde_json::Value;

use super::Bench;
use super::exploring::csv;

/// Trees that deadlock with FIFOs that are shorter than a worm. At this load they rarely meet.
const TREES: &str = "(network: (topology: mesh(radices: [3, 3]), switch: (replication: buffered, fifo_depth: 4)), workload: \
                     [traffic(load: 0.002, encoding: bit_string, destinations: 3, payload_flits: 6)], run: (measure_cycles: 300))";

const VARIED: &str = "sweep x.ron --vary fifo_depth=4,6,8,16 --seeds 2";

#[test]
fn a_front_tells_designs_that_are_safe_from_those_that_were_lucky() {
    let bench = Bench::with("x.ron", TREES);
    let told = bench.line(&format!("{VARIED} --deadlock -o out")).ends(0);
    assert!(told.starts_with("8 runs: 8 done"), "{told}");
    let rows = csv(&bench.read("out/rows.csv"));
    for row in &rows {
        let is_deep = row["fifo_depth"].parse::<u32>().expect("a number") >= 8;
        let expected = if is_deep { ("free", "1") } else { ("possible", "0") };
        assert_eq!((row["deadlock"].as_str(), row["deadlock_free"].as_str()), expected, "{row:?}");
    }
    // No run deadlocked, and yet the cheapest networks win nothing.
    let told = bench.line("explore out --least area --all --csv all.csv").ends(0);
    assert!(told.contains("done; deadlock: possible") && told.contains("CAN DEADLOCK"), "{told}");
    assert!(told.contains("\npoint 2: ") && told.contains("done; deadlock: free"), "{told}");
    let answers = csv(&bench.read("all.csv"));
    assert_eq!(answers.iter().filter(|of| of["deadlock"] == "free" && of["can_deadlock"] == "false").count(), 2);
    let told = bench.line("explore out --at-least deadlock_free=1 --least area").ends(0);
    assert!(told.contains("note: 2 of 4 points do not meet the bounds"), "{told}");
    bench.line("explore out --least area --least latency_last_mean --svg front.svg").ends(0);
    assert!(bench.read("front.svg").contains("can deadlock"));
    bench.line("report out -o page.html").ends(0);
    assert!(bench.read("page.html").contains("\"ended\":\"done; deadlock: free\",\"canDeadlock\":false"));
}

#[test]
fn only_networks_that_are_proved_free_hold_a_bound() {
    let bench = Bench::with("x.ron", TREES);
    let task = |bound: &str| {
        format!(
            "(bases: [\"x.ron\"], vary: [\"fifo_depth=4,6,8,16\"], {bound}least: \"area\", seeds: 1, most_seeds: 1)"
        )
    };
    let best = |bound: &str| {
        bench.write("task.ron", task(bound));
        bench.line("find task.ron --json found.json").ends(0);
        let found: Value = serde_json::from_str(&bench.read("found.json")).expect("JSON");
        found["holders"][0]["point"].as_u64()
    };
    assert_eq!((best(""), best("at_least: [\"deadlock_free=1\"], ")), (Some(0), Some(2)));
    bench.write("task.ron", task("at_least: [\"deadlock_fre=1\"], "));
    let why = bench.line("find task.ron").refused();
    assert!(why.contains("did you mean \"deadlock_free\"?"), "{why}");
}

#[test]
fn a_sweep_without_verdicts_stays_as_it_was_and_goes_on() {
    let bench = Bench::with("x.ron", TREES);
    bench.line(&format!("{VARIED} -o out")).ends(0);
    let (rows, sweep) = (bench.read("out/rows.csv"), bench.read("out/sweep.ron"));
    assert!(!rows.contains("deadlock_free") && !sweep.contains("deadlock"), "{sweep}");
    let journal = bench.read("out/journal");
    let half: String = journal.split_inclusive('\n').take(4).collect();
    bench.write("out/journal", half);
    bench.line(&format!("{VARIED} -o out")).ends(0);
    assert_eq!(bench.read("out/rows.csv"), rows);
    // It is another sweep with verdicts, and it does not take the place of the first.
    let why = bench.line(&format!("{VARIED} --deadlock -o out")).refused();
    assert!(why.contains("out"), "{why}");
    assert_eq!(bench.read("out/rows.csv"), rows);
}
