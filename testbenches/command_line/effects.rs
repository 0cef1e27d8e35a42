//! `wormscope explore --effects`: the effects of varied fields on a metric.

use super::Bench;

const MESH: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.2, payload_flits: 7)],
    run: (measure_cycles: 1000))\n";

#[test]
fn shares_are_those_of_the_contrasts_of_a_two_level_sweep() {
    let bench = Bench::with("mesh.ron", MESH);
    let fields = ["fifo_depth", "virtual_channels", "payload_flits"];
    bench
        .line("sweep mesh.ron --vary fifo_depth=2,8 --vary switch.virtual_channels=1,2 --vary payload_flits=4,8 --seeds 3 -o out")
        .ends(0);
    let told = bench.line("explore out --effects latency --svg effects.svg").ends(0);
    let mut reader = csv::Reader::from_path(bench.path("out/rows.csv")).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let rows: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
    let runs: Vec<f64> = rows.iter().map(|row| row[at("latency_last_mean")].parse().expect("a number")).collect();
    // The sign of a field in a run: the first value is -1, the second is 1.
    let first = |field: &str| rows[0][at(field)].to_owned();
    let signs = |field: &str| -> Vec<f64> {
        rows.iter().map(|row| if row[at(field)] == first(field) { -1.0 } else { 1.0 }).collect()
    };
    let count = runs.len() as f64;
    let mean = runs.iter().sum::<f64>() / count;
    let total: f64 = runs.iter().map(|run| (run - mean).powi(2)).sum();
    let expect = |what: &str, signs: &[f64]| {
        let contrast: f64 = runs.iter().zip(signs).map(|(run, sign)| run * sign).sum();
        let percent = format!("{:.1} %", 100.0 * contrast * contrast / count / total);
        let line = told.lines().find(|line| line.trim_start().starts_with(&format!("{what}  "))).expect("a line");
        assert!(line.contains(&percent), "{what}: {percent}: {told}");
    };
    for (n, field) in fields.iter().enumerate() {
        expect(field, &signs(field));
        for other in &fields[n + 1..] {
            let product: Vec<f64> = signs(field).iter().zip(signs(other)).map(|(a, b)| a * b).collect();
            expect(&format!("{field} with {other}"), &product);
        }
    }
    assert!(told.starts_with("effects on latency_last_mean (cycles), mean "), "{told}");
    assert!(bench.read("effects.svg").contains("Effects on latency_last_mean"));
}

#[test]
fn effects_need_a_complete_grid() {
    let bench = Bench::with("mesh.ron", MESH);
    // A torus with datelines needs two channels.
    bench.line("sweep mesh.ron --vary topology=mesh(radices:[4,4]),torus(radices:[4,4]) --vary switch.virtual_channels=1,2 -o out");
    for (line, expected) in [
        (
            "explore out --effects latency",
            "--effects latency: 1 of 4 combinations has no valid latency_last_mean; limit",
        ),
        ("explore out --effects latncy", "unknown metric \"latncy\"; did you mean \"latency\"?"),
        ("explore out --effects latency --least area", "the argument '--effects <METRIC>' cannot be used with"),
        (
            "explore out --effects latency --where topology=mesh(radices:[4,4]) --where virtual_channels=1",
            "--effects latency: all points have the same values of the varied fields",
        ),
    ] {
        let refused = bench.line(line).refused();
        assert!(refused.starts_with(expected), "{line}: {refused}");
    }
    bench.line("explore out --effects latency --where virtual_channels=2").ends(0);
}
