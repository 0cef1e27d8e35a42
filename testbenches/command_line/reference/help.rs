//! `docs/reference/help.md`: the help of every command.

use std::fmt::Write;

use super::super::Bench;
use super::{head, holds};

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// The help of every command, commands of commands included, with their names.
fn all() -> Vec<(String, String)> {
    let bench = Bench::new();
    let help = |name: &str| bench.line(&format!("{name} --help")).ends(0);
    let mut waiting = vec![String::new()];
    let mut found = Vec::new();
    while let Some(name) = waiting.pop() {
        let text = help(&name);
        waiting.extend(commands(&text).iter().rev().map(|inner| format!("{name} {inner}").trim().to_owned()));
        found.push((name, text));
    }
    found
}

#[test]
fn help_page_is_what_the_program_prints() {
    let text = "This page has the help of every command, as `wormscope COMMAND --help` prints it. \
                [Commands](commands.md)\nexplains them.\n";
    let mut page = head("Help", text);
    let all = all();
    assert!(all.len() > 20 && all[1].0 == "run", "{} commands", all.len());
    for (name, help) in all {
        let help: String = help.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
        let command = format!("wormscope {name}");
        let _ = write!(page, "## `{}`\n\n```text\n{}\n```\n\n", command.trim(), help.trim_end());
    }
    holds("help.md", &format!("{}\n", page.trim_end()));
}
