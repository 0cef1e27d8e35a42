//! `wormscope run --links` and `--fifos`, and `sweep --links`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Bench, config};

/// The rows of a CSV file, each a cell a column.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().expect("a number")
}

#[test]
fn links_and_fifos_have_the_numbers_of_the_report() {
    // This workload has messages alone, so the whole run is measured.
    for (file, links, fifos, channels) in [
        ("torus_4x4_datelines.ron", 16 * 5 + 16, None, 2.0),
        ("mesh_4x4_bit_string.ron", 48 + 16 + 16, Some(48 + 16), 1.0),
    ] {
        let bench = Bench::new();
        let run = ["run", &config(file), "--links", "l.csv", "--fifos", "f.csv", "--json", "r.json"];
        let text = bench.call(run).ends(0);
        assert!(text.contains("\nlinks and FIFOs in cycles 0 to ") && text.contains("\n  hops: switches on the way "));
        let report: Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
        let table = rows(&bench.read("l.csv"));
        assert_eq!(table.len(), links, "{file}");
        let (out, injected): (Vec<_>, Vec<_>) = table.iter().partition(|row| !row["link"].starts_with("node"));
        let sum = |rows: &[&BTreeMap<String, String>]| rows.iter().map(|row| number(row, "flits")).sum::<f64>();
        assert_eq!(Some(sum(&out)), report["totals"]["flit_hops"].as_f64());
        assert_eq!(Some(sum(&injected)), report["totals"]["injected_flits"].as_f64());
        let most = out.iter().map(|row| number(row, "use")).fold(0.0, f64::max);
        assert_eq!(Some(most), report["gauges"]["link_use_max"].as_f64());
        let hottest = report["hottest_links"].as_array().expect("links");
        let used = |row: &BTreeMap<String, String>| number(row, "use") > 0.0;
        assert_eq!(hottest.len(), out.iter().filter(|row| used(row)).count().min(10), "{file}");
        for hot in hottest {
            let row = out.iter().find(|row| hot["from"] == row["link"]).expect("the link");
            assert_eq!((hot["to"].as_str(), hot["flits"].as_f64()), (Some(&*row["to"]), Some(number(row, "flits"))));
            let lanes = if row["to"].starts_with('n') { 1.0 } else { channels };
            let percent = 100.0 * number(row, "no_credit") / (number(row, "cycles") * lanes);
            assert!((hot["blocked_percent"].as_f64().expect("a number") - percent).abs() < 1e-9);
        }
        let use_of = |hot: &Value| hot["utilisation_percent"].as_f64().expect("a number") / 100.0;
        let most = hottest.iter().map(use_of).fold(0.0, f64::max);
        assert!((most - report["utilisation"]["max"].as_f64().expect("a number")).abs() < 1e-9, "{file}");
        // JSON has all rows.
        let full = report["links"].as_array().expect("rows");
        assert!(
            full.iter().zip(&table).all(|(json, row)| json["link"] == row["link"] && json["use"] == number(row, "use"))
        );
        let table = rows(&bench.read("f.csv"));
        assert_eq!((full.len(), report["fifos"].as_array().map(Vec::len)), (links, Some(table.len())));
        assert!(fifos.is_none_or(|fifos| fifos == table.len()), "{file}");
        let fullest = table.iter().map(|row| number(row, "mean")).fold(0.0, f64::max);
        assert_eq!(Some(fullest), report["gauges"]["fifo_fill_max"].as_f64());
    }
}

#[test]
fn who_asks_for_no_rows_gets_none_and_the_run_is_the_same() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    bench.line("run x.ron --json plain.json").ends(0);
    bench.line("run x.ron --json links.json --links l.parquet").ends(0);
    bench.line("run x.ron --engine reference --json both.json --links b.parquet --fifos f.parquet").ends(0);
    let json = |name: &str| -> Value { serde_json::from_str(&bench.read(name)).expect("JSON") };
    let (plain, mut links, mut both) = (json("plain.json"), json("links.json"), json("both.json"));
    assert!(["gauges", "links", "fifos"].iter().all(|key| plain.get(key).is_none()));
    assert!(links["links"].is_array() && links.get("fifos").is_none() && both["fifos"].is_array());
    assert!(bench.bytes("l.parquet").starts_with(b"PAR1") && bench.bytes("l.parquet") == bench.bytes("b.parquet"));
    for report in [&mut links, &mut both] {
        for key in ["gauges", "links", "fifos"] {
            drop(report.as_object_mut().expect("an object").remove(key));
        }
    }
    let evaluations = |mut report: Value| {
        report["totals"]["evaluations"] = Value::Null;
        report
    };
    assert_eq!((evaluations(links), evaluations(both)), (evaluations(plain.clone()), evaluations(plain)));
}

#[test]
fn files_of_rows_end_in_csv_or_parquet() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    for option in ["--links", "--fifos"] {
        let refused = bench.line(&format!("run x.ron {option} a.json")).refused();
        assert_eq!(refused, format!("{option} a.json: a file of rows ends in .csv or .parquet"));
        let refused = bench.line(&format!("run x.ron --csv a.csv {option} a.csv")).refused();
        assert!(refused.starts_with(&format!("a.csv: is both --csv and {option}")), "{refused}");
    }
    assert_eq!(bench.names(), ["x.ron"]);
    let call = bench.line("run x.ron --fifos -");
    assert!(call.out.starts_with("fifo,switch,depth,cycles,mean,greatest,full_cycles,full\n"), "{}", call.out);
}

#[test]
fn a_sweep_has_what_a_run_has() {
    let bench = Bench::with("x.ron", super::TRAFFIC);
    bench.line("run x.ron --json r.json --links l.csv").ends(0);
    bench.line("sweep x.ron --links -o asked").ends(0);
    bench.write("study.ron", "(bases: [\"x.ron\"], links: true)");
    bench.line("sweep study.ron -o study").ends(0);
    bench.line("sweep x.ron -o plain").ends(0);
    let report: Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    let asked = rows(&bench.read("asked/rows.csv")).remove(0);
    for metric in [
        "link_use_mean",
        "link_use_max",
        "link_blocked_mean",
        "link_blocked_max",
        "fifo_fill_mean",
        "fifo_fill_max",
        "fifo_full_share_mean",
        "fifo_full_share_max",
    ] {
        assert_eq!(Some(number(&asked, metric)), report["gauges"][metric].as_f64(), "{metric}");
    }
    assert_eq!(Some(number(&asked, "hops_mean")), report["hops"]["mean"].as_f64());
    assert_eq!(bench.read("asked/rows.csv"), bench.read("study/rows.csv"));
    let plain = rows(&bench.read("plain/rows.csv")).remove(0);
    assert!(!plain.contains_key("link_use_max") && plain["cycles"] == asked["cycles"]);
    assert!(bench.line("explore asked --least fifo_fill_max").ends(0).contains("fifo_fill_max"));
}
