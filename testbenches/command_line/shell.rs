//! Tests of `completions` and `man`: the texts for shells and for `man`.

use std::process::Command;

use super::{Bench, finish};

#[test]
fn bash_completes_subcommands_options_and_their_words() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.call(["completions", shell]).ends(0);
        assert!(script.contains("wave-window") && script.contains("bench-node"), "{shell}");
        bench.write(shell, script);
    }
    let completed = |line: &str| {
        let words = line.replace(' ', "\" \"");
        let last = line.split(' ').count() - 1;
        let script = format!(
            "source ./bash; COMP_WORDS=(\"{words}\"); COMP_CWORD={last}; _wormscope wormscope \"${{COMP_WORDS[{last}]}}\" \
             \"${{COMP_WORDS[{last}-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        finish(Command::new("bash").args(["-c", &script]).current_dir(bench.path(""))).ends(0)
    };
    assert_eq!(completed("wormscope bench"), "bench-node\n");
    assert_eq!(completed("wormscope run --wave-w"), "--wave-window\n");
    assert_eq!(completed("wormscope run --engine r"), "reference\n");
    assert!(bench.line("completions tcsh").refused().contains("allowed: bash, "));
}

#[test]
fn there_is_a_page_for_every_subcommand() {
    let bench = Bench::new();
    let told = bench.line("man -o pages/man1").ends(0);
    let help = bench.line("--help").ends(0);
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let listed = listed.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let mut pages = vec!["wormscope".to_owned()];
    pages.extend(listed.map(|name| format!("wormscope-{name}")));
    for page in &pages {
        let text = bench.read(&format!("pages/man1/{page}.1"));
        assert!(text.contains(".TH ") && text.contains(".SH SYNOPSIS"), "{page}");
    }
    for page in &pages[..16] {
        assert!(told.contains(&format!("pages/man1/{page}.1")), "{told}");
    }
    assert!(told.ends_with(&format!(".1 and {} more\n", pages.len() - 16)), "{told}");
    assert_eq!(std::fs::read_dir(bench.path("pages/man1")).expect("a folder").count(), pages.len());
    assert!(bench.read("pages/man1/wormscope-run.1").contains("wormscope run my.ron"), "examples");
}
