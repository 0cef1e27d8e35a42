//! Promises of `docs/reference/stability.md` in numbers, compared with the program.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Bench, TRAFFIC, repository};

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join("docs/reference").join(name)).expect("a page")
}

/// Rows of the tables of a page, cell by cell.
fn rows(page: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    page.lines().filter(|line| line.starts_with("| ")).map(cells).collect()
}

#[test]
fn files_have_the_formats_of_the_page() {
    let bench = Bench::with("x.ron", TRAFFIC);
    bench.line("run x.ron --json run.json").ends(0);
    bench.line("deadlock x.ron --json deadlock.json").ends(0);
    bench.line("check x.ron --json check.json").ends(0);
    bench.line("check x.ron --deadlock --json check-deadlock.json --certificate certificate.json").ends(0);
    bench.line("why x.ron --json why.json").ends(0);
    bench.line("sweep x.ron --vary load=0.1,0.2 -o swept").ends(0);
    let json = |name: &str| -> Value { serde_json::from_str(&bench.read(name)).expect("JSON") };
    let page = page("stability.md");
    let mut seen = 0;
    for row in rows(&page).iter().filter(|row| row.len() == 4 && row[3].parse::<u64>().is_ok()) {
        let command = row[0].split('`').nth(1).expect("a command");
        let file = match command {
            "sweep" => "swept/schema.json".to_owned(),
            _ => format!("{}.json", command.replace(" --", "-")),
        };
        assert_eq!(json(&file)[row[2].trim_matches('`')].to_string(), row[3], "{row:?}");
        seen += 1;
    }
    assert_eq!(seen, 5);
    assert_eq!(json("certificate.json")["schema_version"], 1);
    // A file without a number has no promise.
    assert!(json("why.json").get("schema_version").is_none());
    assert!(
        page.contains("**JSON without a number**: that of `test`, `why`, `plan`, `bench-node`, `find` and `advise`.")
    );
}

#[test]
fn every_command_with_json_is_on_the_page() {
    let page = page("stability.md");
    let bench = Bench::new();
    let help = bench.line("--help").ends(0);
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let commands = listed.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let has_json = |name: &&str| bench.call([*name, "--help"]).ends(0).contains("--json <FILE>");
    let with_json: BTreeSet<&str> = commands.filter(has_json).collect();
    assert!(with_json.len() >= 7, "{with_json:?}");
    let section = page.split("### JSON\n").nth(1).expect("a section");
    for command in with_json {
        assert!(section.contains(&format!("`{command}`")), "{command}");
    }
}

#[test]
fn exit_codes_and_the_oldest_compiler_are_those_of_the_program() {
    let page = page("stability.md");
    let commands = self::page("commands.md");
    let table = commands.split("## Exit codes\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a table");
    let codes: Vec<_> = rows(table).into_iter().map(|row| row[0].clone()).filter(|code| code != "exit code").collect();
    let (last, first) = codes.split_last().expect("codes");
    assert!(page.contains(&format!("| exit codes | {} and {last}, ", first.join(", "))), "{codes:?}");
    let said = Bench::new().line("--help").ends(0);
    for code in &codes {
        assert!(said.contains(&format!(" {code} ")), "{code} in {said}");
    }
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).expect("a manifest");
    let oldest = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a version");
    assert!(page.contains(&format!("The oldest Rust that builds wormscope is {oldest}.")), "{oldest}");
}
