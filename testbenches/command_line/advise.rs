//! `wormscope advise`: the gain and the cost of each change by one step.

use serde_json::Value;

use super::Bench;

const MESH: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.25, payload_flits: 7)],
    run: (warmup_cycles: 200, measure_cycles: 3000))\n";

/// Mean latency and area of a run, with these overrides.
fn run(bench: &Bench, sets: &[&str], seed: u64) -> f64 {
    let sets = sets.iter().fold(String::new(), |all, set| all + " --set " + set);
    bench.line(&format!("run mesh.ron --seed {seed}{sets} --json run.json")).ends(0);
    let run: Value = serde_json::from_str(&bench.read("run.json")).expect("JSON");
    let classes = run["latency_by_class"].as_array().expect("a list");
    classes.iter().find(|of| of["class"] == "all").expect("all worms")["last"]["mean"].as_f64().expect("a mean")
}

fn area(bench: &Bench, sets: &[&str]) -> f64 {
    let sets = sets.iter().fold(String::new(), |all, set| all + " --set " + set);
    bench.line(&format!("check mesh.ron{sets} --json check.json")).ends(0);
    let check: Value = serde_json::from_str(&bench.read("check.json")).expect("JSON");
    check["cost_estimate"]["network"]["ge"].as_f64().expect("an area")
}

#[test]
fn each_gain_is_what_two_runs_differ_by() {
    let bench = Bench::with("mesh.ron", MESH);
    let told = bench.line("advise mesh.ron --seeds 3 --json advice.json").ends(0);
    let advice: Value = serde_json::from_str(&bench.read("advice.json")).expect("JSON");
    let tried = advice["tried"].as_array().expect("a list");
    for change in ["fifo_depth 4 to 8", "virtual_channels 1 to 2", "dilation 1 to 2", "routing_cycles 1 to 0"] {
        let row = tried.iter().find(|row| row["change"] == change).unwrap_or_else(|| panic!("{change}: {told}"));
        let sets: Vec<&str> =
            row["sets"].as_array().expect("a list").iter().map(|set| set.as_str().expect("a text")).collect();
        let gains: Vec<f64> = (1..=3)
            .map(|seed| {
                let (before, after) = (run(&bench, &[], seed), run(&bench, &sets, seed));
                100.0 * (before - after) / before
            })
            .collect();
        let mean = gains.iter().sum::<f64>() / 3.0;
        let deviation = (gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        // Student's quantile for two degrees of freedom.
        let half = 4.302_652_73 * deviation / 3.0_f64.sqrt();
        let close = |found: &Value, expected: f64| (found.as_f64().expect("a number") - expected).abs() < 1e-4;
        assert!(close(&row["load"]["percent"], mean), "{change}: {row} is not {mean}");
        assert!(close(&row["load"]["half_width"], half), "{change}: {row} is not {half}");
        assert!(close(&row["area"], area(&bench, &sets) - area(&bench, &[])), "{change}: {row}");
    }
    assert!(told.starts_with("latency_last_mean (cycles) of mesh.ron: "), "{told}");
    assert!(told.contains("\nwhere the cycles of worms went: moving "), "{told}");
    // A mesh of unicasts has no trees, so no replication mode is tried.
    assert!(!told.contains("replication"), "{told}");
    assert_eq!(bench.line("advise mesh.ron --seeds 3 --jobs 1").ends(0), told);
}

#[test]
fn the_best_change_is_the_one_with_the_largest_sure_gain_for_its_area() {
    let bench = Bench::with("mesh.ron", MESH);
    bench.line("advise mesh.ron --seeds 3 --json advice.json --svg advice.svg").ends(0);
    let advice: Value = serde_json::from_str(&bench.read("advice.json")).expect("JSON");
    let promise = |row: &Value| {
        let (percent, half) = (row["load"]["percent"].as_f64()?, row["load"]["half_width"].as_f64()?);
        let area = row["area"].as_f64()?;
        // A loss promises nothing, and neither does a gain within noise, or a gain of a field that
        // the levels leave out.
        let change = row["change"].as_str()?;
        let is_hidden = change.starts_with("routing_cycles") || change.starts_with("allocation_cycles");
        Some(match percent > half && !is_hidden {
            false => 0.0,
            true if area <= 0.0 => f64::INFINITY,
            true => percent / area,
        })
    };
    let promises: Vec<f64> = advice["tried"].as_array().expect("a list").iter().filter_map(promise).collect();
    assert!(promises.len() > 8 && promises.is_sorted_by(|a, b| a >= b), "{promises:?}");
    let svg = bench.read("advice.svg");
    assert!(svg.starts_with("<svg") && svg.contains("fifo_depth 4 to 8"));
}

#[test]
fn at_saturation_and_in_nanoseconds_more_columns_are_compared() {
    let bench = Bench::with("mesh.ron", MESH.replace("measure_cycles: 3000", "measure_cycles: 600, max_cycles: 3000"));
    let coefficients = super::repository().join("configs/energy/dsent_45nm.ron");
    bench.write("45nm.ron", std::fs::read_to_string(coefficients).expect("coefficients"));
    let told = bench.line("advise mesh.ron --seeds 1 --saturation --energy 45nm.ron --json advice.json").ends(0);
    assert!(told.starts_with("latency_ns (ns, estimate) of mesh.ron: ") && told.contains("saturation_gbps"), "{told}");
    let advice: Value = serde_json::from_str(&bench.read("advice.json")).expect("JSON");
    let row = |change: &str| {
        let rows = advice["tried"].as_array().expect("a list");
        rows.iter().find(|row| row["change"] == change).unwrap_or_else(|| panic!("{change}: {told}")).clone()
    };
    // Counts of the energy estimate are counted if they are asked for.
    bench.line("advise mesh.ron --seeds 1 --energy 45nm.ron --metric link_toggles --json counted.json").ends(0);
    let counted: Value = serde_json::from_str(&bench.read("counted.json")).expect("JSON");
    assert!(counted["value"].as_f64() > Some(1000.0), "{counted}");
    // A second channel accepts more flits in a cycle. Half as many levels of logic again make each
    // cycle longer, which takes nearly all of this gain.
    let channel = row("virtual_channels 1 to 2");
    assert!(channel["levels"].as_f64() > Some(25.0), "{channel}");
    assert!(channel["load"]["percent"].as_f64() < Some(0.0), "{channel}");
    assert!(channel["saturation"]["percent"].as_f64() < Some(10.0), "{channel}");
}

#[test]
fn a_wrong_question_is_refused() {
    let bench = Bench::with("mesh.ron", MESH);
    for (line, expected) in [
        ("advise mesh.ron --metric latncy", "unknown metric \"latncy\"; did you mean \"latency\"?"),
        ("advise mesh.ron --metric worms", "worms is neither better when it is large nor when it is small"),
        ("advise none.ron", "none.ron: cannot be read"),
        ("advise mesh.ron --seeds 0", "--seeds 0: allowed: an integer from 1 to 1000"),
        ("advise mesh.ron --energy mesh.ron", "mesh.ron:1:2: "),
    ] {
        let refused = bench.line(line).refused();
        assert!(refused.starts_with(expected), "{line}: {refused}");
    }
}

#[test]
fn encodings_of_messages_and_patterns_are_changes_too() {
    let network = "network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 24, replication: buffered))";
    let messages = "messages([(cycle: 0, source: 3, destinations: [4, 5], encoding: bit_string, payload_flits: 4)])";
    let row = "traffic(pattern: row, load: 0.02, encoding: bit_string, payload_flits: 4, class: \"rows\")";
    for (entry, change) in [
        (messages, "encoding bit_string to multidestination "),
        (row, "encoding of rows bit_string to coordinate_mask "),
    ] {
        let bench = Bench::with("x.ron", format!("({network}, workload: [{entry}], run: (measure_cycles: 200))"));
        let told = bench.line("advise x.ron --seeds 1").ends(0);
        assert!(told.contains(change) && told.contains("replication buffered to "), "{told}");
    }
}

#[test]
fn a_change_after_which_worms_can_deadlock_has_a_warning() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: mesh(radices: [4, 4]), switch: (fifo_depth: 9, replication: buffered)),
          workload: [traffic(load: 0.1, payload_flits: 7, class: \"bg\"),
                     traffic(load: 0.01, destinations: 4, encoding: bit_string, payload_flits: 7, class: \"mc\")],
          run: (warmup_cycles: 300, measure_cycles: 800))",
    );
    let advised = bench.line("advise x.ron --energy 45nm");
    assert!(advised.out.contains("next, run it with --set network.switch.replication=asynchronous"), "{}", advised.out);
    let warning = "with --set network.switch.replication=asynchronous, worms can deadlock: wormscope check x.ron --set \
                   network.switch.replication=asynchronous --deadlock";
    assert!(advised.err.contains(warning), "{}", advised.err);
    let refused = bench.line("advise x.ron --saturation").refused();
    assert!(refused.contains("\"load\" means 2 fields; name one: "), "{refused}");
}

#[test]
fn many_listed_multicasts_keep_their_encoding() {
    let network = "network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 24, replication: buffered))";
    let one = |cycle: usize| {
        format!("(cycle: {cycle}, source: 3, destinations: [4, 5], encoding: bit_string, payload_flits: 4)")
    };
    for (count, changes) in [(16, true), (17, false)] {
        let messages: Vec<String> = (0..count).map(|n| one(20 * n)).collect();
        let bench = Bench::with("x.ron", format!("({network}, workload: [messages([{}])])", messages.join(", ")));
        let told = bench.line("advise x.ron --seeds 1").ends(0);
        assert_eq!(told.contains("encoding bit_string to multidestination "), changes, "{told}");
    }
}
