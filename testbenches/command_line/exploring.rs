//! The studies of docs/explain/studies.md: their commands, and the quotations of their results.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use super::{Bench, Call, blocks, finish, repository};

/// A row of a table by the names of its columns.
pub(super) type Row = BTreeMap<String, String>;

fn page() -> String {
    std::fs::read_to_string(repository().join("docs/explain/studies.md")).expect("a page")
}

/// A bench that looks like the repository's root, with the base files as `edit` leaves them.
fn bench(edit: impl Fn(String) -> String) -> Bench {
    let bench = Bench::new();
    let folder = repository().join("docs/explain/studies");
    std::fs::create_dir_all(bench.path("docs/explain/studies")).expect("a folder");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension() == Some("ron".as_ref()) {
            let text = std::fs::read_to_string(&path).expect("a base file");
            bench.write(&format!("docs/explain/studies/{}", path.file_name().expect("a name").display()), edit(text));
        }
    }
    bench
}

/// Calls a command in the way a shell reads it.
fn paste(bench: &Bench, command: &str) -> Call {
    let words = command.strip_prefix("wormscope ").expect("a command");
    let line = format!("exec '{}' {words}", env!("CARGO_BIN_EXE_wormscope"));
    finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")).stdin(Stdio::null()))
}

/// The commands of a study, and the quotations of their reports.
fn study(directory: &str) -> (Vec<String>, Vec<(String, String)>) {
    let page = page();
    let of = |line: &&str| line.contains(&format!("out/{directory} ")) || line.ends_with(&format!("out/{directory}"));
    let commands = blocks(&page, "sh").into_iter().flat_map(str::lines).filter(of).map(str::to_owned).collect();
    let reports = blocks(&page, "text").into_iter().filter_map(|block| block.strip_prefix("$ ")?.split_once('\n'));
    let reports = reports.filter(|(command, _)| of(command));
    (commands, reports.map(|(command, report)| (command.to_owned(), report.to_owned())).collect())
}

/// The rows of a table as commands print it: columns stand two blanks apart.
fn printed(report: &str) -> Vec<Row> {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(|cell| cell.trim().to_owned()).filter(|c| !c.is_empty()).collect()
    };
    let mut lines = report.lines().skip_while(|line| !line.starts_with("point "));
    let names = cells(lines.next().expect("a header"));
    let rows = lines.take_while(|line| line.starts_with(' '));
    rows.map(|line| names.iter().cloned().zip(cells(line)).collect()).collect()
}

pub(super) fn csv(text: &str) -> Vec<Row> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().collect::<Result<_, _>>().expect("rows")
}

/// Whether a printed cell, which may have an interval, equals the value of a CSV.
fn agrees(cell: &str, value: &str) -> bool {
    let mean = cell.split(" ± ").next().unwrap_or(cell);
    let decimals = mean.split_once('.').map_or(0, |(_, places)| places.len());
    match (mean.parse::<f64>(), value.parse::<f64>()) {
        (Ok(mean), Ok(value)) => (mean - value).abs() <= 0.5 * 0.1_f64.powf(decimals as f64) + 1e-9,
        _ => cell == value,
    }
}

#[test]
fn the_study_of_headers_comes_out_as_it_is_told() {
    let bench = bench(|text| text);
    for (directory, commands_told, code) in [("headers", 3, 0), ("multiport", 1, 3)] {
        let (commands, reports) = study(directory);
        assert_eq!((commands.len(), reports.len()), (commands_told, 1));
        for command in &commands {
            paste(&bench, command).ends(code);
            if let Some((_, picture)) = command.split_once(" --svg ") {
                let committed = std::fs::read_to_string(repository().join(picture)).expect("a picture");
                assert!(bench.read(picture) == committed, "{picture} has changed; make figures draws it anew");
            }
        }
        for (command, report) in &reports {
            assert_eq!(paste(&bench, command).ends(0), *report, "{command}");
        }
    }
    // The table of means.
    let mut means: BTreeMap<[String; 3], Vec<f64>> = BTreeMap::new();
    for row in csv(&bench.read("out/headers/rows.csv")) {
        let base = row["base"].trim_start_matches("docs/explain/studies/").trim_end_matches(".ron").to_owned();
        let latency = row["latency_last_mean.software"].parse().expect("a latency");
        means.entry([row["count"].clone(), row["destinations"].clone(), base]).or_default().push(latency);
    }
    let page = page();
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut table = page.lines().skip_while(|line| !line.starts_with("| at once "));
    let names = cells(table.next().expect("a header"));
    let mut seen = 0;
    for line in table.skip(1).take_while(|line| line.starts_with('|')) {
        let row = cells(line);
        for (base, cell) in names.iter().zip(&row).skip(3).filter(|(base, _)| !base.is_empty()) {
            let of = &means[&[row[1].clone(), row[2].clone(), base.clone()]];
            assert!(agrees(cell, &(of.iter().sum::<f64>() / of.len() as f64).to_string()), "{base}: {line}");
            seen += 1;
        }
    }
    assert_eq!(seen, means.len());
}

/// The studies that take longer run in full in `make figures`. Here each of their commands runs on
/// the same grid, with short runs of one seed. These have all results that do not depend on the
/// runs. Quotations are compared with the CSV beside the picture.
#[test]
fn the_longer_studies_are_taken_and_what_is_quoted_is_in_their_tables() {
    let bench = bench(|text| {
        let short =
            text.replace("warmup_cycles: 1_000, measure_cycles: 2_000", "warmup_cycles: 20, measure_cycles: 60");
        short.replace("warmup_cycles: 2_000, measure_cycles: 8_000", "warmup_cycles: 100, measure_cycles: 600")
    });
    for (directory, points) in [("lanes", 12), ("tokens", 6)] {
        let (commands, reports) = study(directory);
        assert_eq!((commands.len(), reports.len()), (3, 1));
        for command in &commands {
            let seeds = command.split_once("--seeds ").map_or("", |(_, rest)| &rest[..1]);
            let call = paste(&bench, &command.replace(&format!("--seeds {seeds}"), "--seeds 1"));
            assert!(matches!(call.code, Some(0 | 3)), "{command}: {}", call.err);
        }
        let table = format!("docs/explain/studies/{directory}.csv");
        let committed = csv(&std::fs::read_to_string(repository().join(&table)).expect("a table"));
        let short = csv(&bench.read(&table));
        assert_eq!((committed.len(), short.len()), (points, points));
        let point =
            |rows: &[Row], number: &str| rows.iter().find(|row| row["point"] == number).cloned().expect("a point");
        for row in &committed {
            let again = point(&short, &row["point"]);
            for (name, value) in
                row.iter().filter(|(name, _)| ["area_ge", "logic_depth", "command"].contains(&&***name))
            {
                assert_eq!(again.get(name), Some(value), "{table}: point {}: {name}", row["point"]);
            }
        }
        for (command, report) in &reports {
            let rows = printed(report);
            assert_eq!(rows.len(), points, "{report}");
            for row in rows {
                let of = point(&committed, &row["point"]);
                for (name, cell) in row.iter().filter(|(name, _)| *name != "remarks") {
                    assert!(
                        agrees(cell, &of[name]),
                        "{command}: point {}: {name} {cell} is {}",
                        row["point"],
                        of[name]
                    );
                }
            }
        }
    }
    // The text quotes the logic that lanes add.
    for row in csv(&bench.read("out/lanes/rows.csv")).into_iter().filter(|row| row["fifo_depth"] == "4") {
        let levels = match &*row["virtual_channels"] {
            "1" => "64",
            "2" => "96",
            _ => "165",
        };
        assert_eq!(row["logic_depth"], levels);
    }
}

#[test]
fn every_picture_is_shown_and_the_heat_map_is_what_the_run_draws() {
    let page = page();
    let commands: Vec<&str> = blocks(&page, "sh").into_iter().flat_map(str::lines).collect();
    let drawn: Vec<&str> =
        commands.iter().filter_map(|command| command.split(" --svg ").nth(1)?.split(' ').next()).collect();
    assert_eq!(drawn.len(), page.matches("\n![").count());
    for picture in drawn {
        assert!(page.contains(&format!("({})", picture.trim_start_matches("docs/explain/"))), "{picture} is not shown");
    }
    let bench = bench(|text| text);
    let run = commands.iter().find(|command| command.starts_with("wormscope run ")).expect("a run");
    paste(&bench, run).ends(0);
    let committed = std::fs::read_to_string(repository().join("docs/explain/studies/heat.svg")).expect("a picture");
    assert!(
        bench.read("docs/explain/studies/heat.svg") == committed,
        "heat.svg has changed; make figures draws it anew"
    );
    assert!(page.contains("up to 0.416 flits per cycle") && committed.contains(", most 0.416 from "));
}

#[test]
fn what_find_answers_is_what_the_page_quotes() {
    let bench = bench(|text| text);
    std::os::unix::fs::symlink(repository().join("configs"), bench.path("configs")).expect("a link");
    let page = page();
    let quoted = blocks(&page, "text").into_iter().filter_map(|block| block.strip_prefix("$ ")?.split_once('\n'));
    let answers: Vec<_> = quoted.filter(|(command, _)| command.starts_with("wormscope find ")).collect();
    assert_eq!(answers.len(), 4);
    for (command, answer) in answers {
        assert_eq!(paste(&bench, command).ends(0), answer, "{command}");
    }
}
