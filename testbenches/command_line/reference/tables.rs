//! `docs/reference/metrics.md`: the columns of all tables.

use std::fmt::Write as _;

use super::super::Bench;
use super::{cell, code, head, holds, root, rust};

const BASE: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 4, \
                    class: \"mine\")], run: (measure_cycles: 100))";

/// Columns of a sweep with these options, as its schema has them.
fn columns(options: &[&str]) -> Vec<serde_json::Value> {
    let bench = Bench::with("x.ron", BASE);
    let energy = root("configs/energy/dsent_45nm.ron");
    let mut line = vec!["sweep", "x.ron", "--vary", "fifo_depth=4,8", "--no-run", "-o", "out"];
    line.extend(options.iter().map(|option| if *option == "ENERGY" { energy.to_str().unwrap() } else { option }));
    bench.call(line).ends(0);
    let schema: serde_json::Value = serde_json::from_str(&bench.read("out/schema.json")).unwrap();
    schema["columns"].as_array().unwrap().clone()
}

fn sentence(doc: &str) -> String {
    let mut letters = doc.chars();
    let first = letters.next().unwrap_or_else(|| panic!("a column without a text"));
    let end = if doc.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

fn rows<'a>(columns: impl Iterator<Item = &'a serde_json::Value>) -> String {
    let mut table = "| column | type | unit | meaning |\n|---|---|---|---|\n".to_owned();
    for column in columns {
        let text = |name: &str| column[name].as_str().unwrap_or_default().to_owned();
        let estimate = if column["estimate"] == true { " Estimate." } else { "" };
        let (unit, doc) = (cell(&text("unit")), cell(&sentence(&text("doc"))));
        writeln!(table, "| {} | {} | {unit} | {doc}{estimate} |", code(&text("name")), text("type")).unwrap();
    }
    table
}

/// The columns of a file of rows, in the order of its first line, with their comments.
fn file(bench: &Bench, name: &str, source: &str, of: &str) -> String {
    let declared = &rust::read(&[source])[of].items;
    let text = bench.read(name);
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let mut table = "| column | meaning |\n|---|---|\n".to_owned();
    for name in names {
        let own = if name == "use" { "utilisation" } else { name };
        let item = declared.iter().find(|item| item.name == own).unwrap_or_else(|| panic!("{of} has no {name}"));
        writeln!(table, "| {} | {} |", code(name), cell(&item.doc)).unwrap();
    }
    table
}

/// The columns of `--accounts`: those of a worm at a destination, and one for each cause.
fn accounts(bench: &Bench) -> String {
    let declared = rust::read(&["src/report/accounts.rs", "src/observe/account/cause.rs"]);
    let items = || declared["AccountRow"].items.iter().chain(&declared["Cause"].items);
    let text = bench.read("accounts.csv");
    let mut table = "| column | meaning |\n|---|---|\n".to_owned();
    for name in text.lines().next().unwrap().split(',') {
        let doc = match items().find(|item| item.name == name) {
            Some(item) => item.doc.as_str(),
            None if name == "latency" => {
                "Cycles from the creation to the arrival of the tail, or to the end of the run."
            }
            None => panic!("no comment says what {name} is"),
        };
        writeln!(table, "| {} | {} |", code(name), cell(doc)).unwrap();
    }
    table
}

/// Classes that every sweep has.
const CLASSES: [&str; 8] =
    ["unicast", "multicast", "bit_string", "multidestination", "multiport", "mask", "coordinate_mask", "software"];

fn name(column: &serde_json::Value) -> &str {
    column["name"].as_str().unwrap()
}

/// The class of a column, if it is that of one.
fn class(column: &serde_json::Value) -> Option<&str> {
    let (_, class) = name(column).split_once('.')?;
    CLASSES.contains(&class).then_some(class)
}

#[test]
fn metrics_page_is_what_sweeps_and_runs_write() {
    let text = "This page lists the columns of the tables of sweeps and runs. In a sweep, `schema.json` has the\n\
                same units and texts. Latencies count cycles from the creation of a message to the arrival of its\n\
                tail. [Measurement](../explain/measurement.md) defines what a run measures. It also lists the\n\
                columns of [multicasts beside traffic](../explain/measurement.md#multicasts-beside-traffic).\n";
    let mut page = head("Metrics and columns", text);
    let plain = columns(&[]);
    let is_class = |column: &serde_json::Value| name(column).rsplit_once('.').is_some_and(|(_, class)| class == "mine");
    for (title, role, text) in [
        (
            "Columns that name a run",
            &["id", "axis", "seed"][..],
            "These columns come first in a row of a sweep. Here `fifo_depth`\nis the field that the sweep varies.",
        ),
        ("How a run ends", &["outcome"], "The outcome of a run in a row of a sweep."),
        ("Metrics of every run", &["metric"], "A cell is empty where a run does not have the metric."),
        ("Where a row comes from", &["provenance"], "These columns come last in a row of a sweep."),
    ] {
        let own = plain.iter().filter(|column| {
            role.iter().any(|role| column["role"] == *role) && !is_class(column) && class(column).is_none()
        });
        write!(page, "## {title}\n\n{text}\n\n{}\n", rows(own)).unwrap();
    }
    let text = "A class of your workload has its own columns. In this example the class is `mine`.";
    write!(page, "## Metrics of a class\n\n{text}\n\n{}\n", rows(plain.iter().filter(|column| is_class(column))))
        .unwrap();
    // Every class has the same columns as the class that is named here, except for loads.
    let latencies = |of: &str| -> Vec<String> {
        let own = plain.iter().filter(|column| name(column).ends_with(&format!(".{of}")));
        own.filter(|column| name(column).starts_with("latency")).map(|column| name(column).replace(of, "")).collect()
    };
    page += "These classes have the same `latency` columns in every sweep:\n\n";
    for of in CLASSES {
        assert_eq!(latencies(of), latencies("mine"));
        writeln!(page, "- `{of}`, for example `latency_last_mean.{of}`").unwrap();
    }
    page.push('\n');
    for (title, options) in [
        ("Metrics of `sweep --links`", &["--links"][..]),
        ("Metrics of `sweep --energy`", &["--energy", "ENERGY"]),
        ("Metrics of `sweep --saturation`", &["--saturation"]),
        ("Metrics of `sweep --until`", &["--until", "latency_last_mean=5%"]),
        ("Metrics of `sweep --deadlock`", &["--deadlock"]),
        ("Metrics of `sweep --coverage`", &["--coverage"]),
    ] {
        let with = columns(options);
        let more: Vec<_> =
            with.iter().filter(|column| plain.iter().all(|known| known["name"] != column["name"])).collect();
        assert!(!more.is_empty(), "{title}");
        write!(page, "## {title}\n\n{}\n", rows(more.into_iter())).unwrap();
    }
    let bench = Bench::with("x.ron", BASE);
    bench.line("run x.ron --links links.csv --fifos fifos.csv --accounts accounts.csv").ends(0);
    for (title, name, source, of) in [
        ("Columns of `run --links`", "links.csv", "src/report/gauge.rs", "LinkRow"),
        ("Columns of `run --fifos`", "fifos.csv", "src/report/gauge.rs", "FifoRow"),
    ] {
        write!(page, "## {title}\n\n{}\n", file(&bench, name, source, of)).unwrap();
    }
    write!(page, "## Columns of `run --accounts`\n\nThe times are in cycles.\n\n{}\n", accounts(&bench)).unwrap();
    page += "## Columns of `run --csv`\n\n[Commands](commands.md#what-run-prints-and-writes) lists them.\n";
    holds("metrics.md", &format!("{}\n", page.trim_end()));
}
