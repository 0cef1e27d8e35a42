//! Writes `docs/explain/faults.md`: every fault, with the tests that caught it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::catalogue::{Fault, Survivor};
use crate::coverage::Coverage;
use crate::judge::Verdict;

/// Most testbenches that the row of a fault names.
const NAMED: usize = 3;

/// The tests that caught a fault, in words.
pub fn words(verdict: &Verdict) -> String {
    let caught = match verdict {
        Verdict::Open => return "not judged yet".to_owned(),
        Verdict::Unviable(_) => return "does not compile".to_owned(),
        Verdict::UnitTest(name) => return format!("unit test `{name}`"),
        Verdict::Testbenches(caught) if caught.is_empty() => return "survives".to_owned(),
        Verdict::Testbenches(caught) => caught,
        Verdict::BothEngines(caught) => {
            return format!("comparison of both engines: {}", words(&Verdict::Testbenches(caught.clone())));
        }
    };
    let checkers: BTreeSet<_> =
        caught.iter().flat_map(|(_, what)| what).filter_map(|w| w.strip_prefix("checker ")).collect();
    let mut text = String::new();
    if !checkers.is_empty() {
        let plural = if checkers.len() > 1 { "s" } else { "" };
        let _ = write!(text, "checker{plural} `{}`; ", Vec::from_iter(checkers).join(", "));
    }
    for (n, (bench, what)) in caught.iter().take(NAMED).enumerate() {
        let own: Vec<_> = what.iter().filter(|what| !what.starts_with("checker ")).map(String::as_str).collect();
        let own = if own.is_empty() { String::new() } else { format!(" (`{}`)", own.join(", ")) };
        let _ = write!(text, "{}`{bench}`{own}", if n > 0 { ", " } else { "" });
    }
    if caught.len() > NAMED {
        let _ = write!(text, " and {} more", caught.len() - NAMED);
    }
    text
}

/// A cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    if text.contains('`') { cell(text) } else { format!("`{}`", cell(text)) }
}

const HEAD: &str = "# Faults

This page shows that the testbenches notice wrong hardware. `make mutants` writes it. The command
plants faults into `hw`, and faults of wiring into the engine. It runs the testbenches on each
fault.

`make mutants` keeps the verdicts in `target/mutants`. When you interrupt it, the next call goes on
from there. It fails in three cases:

- a planted fault escapes;
- a mutant survives without an explanation;
- a mutant with an explanation does not survive.

Debug assertions are off. So a protocol checker or an expectation of a testbench catches a fault.

The testbenches run on the banked engine. Some faults pass them there. These are faults of the
reference engine, of a block that only this engine has, or of a register that no report reads. Such
a fault must show in a comparison of both engines (`wormscope test --engine reference`). The
comparison runs the testbenches that take less than two seconds in it.

A source file is compiled once with all its faults. Each function with faults becomes a switch over
copies of its body. The environment of a process chooses one copy.

The column *caught by* has the checkers that fail, and then at most three testbenches. The brackets
after a testbench name the parts that fail:

- a name such as `order[0]` is an expectation of the testbench;
- `run` means that the run ends in a wrong way, for example in a deadlock;
- `engines` means that the engines differ;
- `testbench` means that the testbench is refused;
- `panics` and `hangs` mean that the program does so.
";

const SURVIVORS: &str = "The column *bins of the file* has the coverage of the testbenches in the file of the mutant
([coverage](../reference/coverage.md)). Where all bins are reached, the stimulus is there, and no
check tells the mutant from the hardware.

| mutant | line | why it survives | bins of the file |
|---|---|---|---|
";

/// The page, and the failures.
pub struct Page {
    /// Markdown.
    pub text: String,
    /// Faults that escape, survivors without an explanation, and explanations of mutants that do
    /// not survive.
    pub wrong: Vec<String>,
}

/// Writes the page of all verdicts, the first `planted` of them on planted faults.
pub fn page(all: &[Fault], verdicts: &[Verdict], planted: usize, survivors: &[Survivor], coverage: &Coverage) -> Page {
    let (mut text, mut wrong) = (HEAD.to_owned(), Vec::new());
    let (faults, mutants) = all.split_at(planted);
    let (verdicts, of_mutants) = verdicts.split_at(planted);
    let _ = writeln!(
        text,
        "\n## Planted faults\n\n\
        These are {} faults that a designer makes. `testbenches/faults/_faults.ron` has them. Each runs\n\
        against every testbench.\n",
        faults.len()
    );
    text += "| fault | file | what the designer got wrong | caught by |\n|---|---|---|---|\n";
    for (fault, verdict) in faults.iter().zip(verdicts) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            fault.name.replace('_', " "),
            code(fault.kernel()),
            cell(&fault.story),
            cell(&words(verdict))
        );
        if !verdict.is_caught() {
            wrong.push(format!("fault {}: {}", fault.name, words(verdict)));
        }
    }
    let explained = |fault: &Fault| survivors.iter().find(|s| s.mutant == fault.name && s.line == fault.story);
    let count = |is: fn(&Verdict) -> bool| of_mutants.iter().filter(|verdict| is(verdict)).count();
    let open = count(|v| matches!(v, Verdict::Open));
    let _ = writeln!(
        text,
        "\n## Mutants\n\n\
        cargo-mutants makes {} mutants of `hw` and of the switches of the banked engine. Each runs until\n\
        something catches it:\n\n\
        - {} do not compile;\n\
        - a unit test of the block catches {};\n\
        - a testbench catches {};\n\
        - {} survive{}.\n\n\
        ### Survivors\n",
        mutants.len(),
        count(|v| matches!(v, Verdict::Unviable(_))),
        count(|v| matches!(v, Verdict::UnitTest(_))),
        count(
            |v| matches!(v, Verdict::Testbenches(caught) if !caught.is_empty()) || matches!(v, Verdict::BothEngines(_))
        ),
        count(Verdict::survives),
        if open > 0 { format!(";\n- {open} are not judged yet") } else { String::new() },
    );
    if open > 0 {
        wrong.push(format!("{open} mutants are not judged yet"));
    }
    text += SURVIVORS;
    for (mutant, _) in mutants.iter().zip(of_mutants).filter(|(_, verdict)| verdict.survives()) {
        let why = explained(mutant);
        if why.is_none() {
            wrong.push(format!("survives unexplained: {} in \"{}\"", mutant.name, mutant.story));
        }
        let why = why.map_or("not explained", |survivor| &survivor.why);
        let file = mutant.name.split(':').next().unwrap_or_default();
        let (name, story, bins) = (code(&mutant.name), code(&mutant.story), coverage.of(file));
        let _ = writeln!(text, "| {name} | {story} | {} | {bins} |", cell(why));
    }
    let survives = |survivor: &&Survivor| {
        let mut of = mutants
            .iter()
            .zip(of_mutants)
            .filter(|(mutant, _)| mutant.name == survivor.mutant && mutant.story == survivor.line);
        !of.any(|(_, verdict)| verdict.survives())
    };
    wrong.extend(
        survivors
            .iter()
            .filter(survives)
            .map(|s| format!("explained, but does not survive: {} in \"{}\"", s.mutant, s.line)),
    );
    text += "\n### Caught\n\n| mutant | line | caught by |\n|---|---|---|\n";
    for (mutant, verdict) in mutants.iter().zip(of_mutants).filter(|(_, verdict)| !verdict.survives()) {
        if !matches!(verdict, Verdict::Unviable(_) | Verdict::Open) {
            let _ = writeln!(text, "| {} | {} | {} |", code(&mutant.name), code(&mutant.story), cell(&words(verdict)));
        }
    }
    Page { text, wrong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::plant::Edit;

    /// The page without the parts that depend on verdicts. The rows of planted faults lose their
    /// last cell, and the counts of mutants their numbers. The rows of survivors are sorted.
    fn words_of(page: &str) -> Vec<String> {
        let (planted, mutants) = page.split_once("\n## Mutants\n").unwrap();
        let (counts, survivors) = mutants.split_once("\n### Survivors\n").unwrap();
        let (survivors, _) = survivors.split_once("\n### Caught\n").unwrap();
        let without_verdict = |line: &str| {
            let row = line.strip_prefix("| ").and_then(|row| row.rsplit_once(" | "));
            row.map_or_else(|| line.to_owned(), |(row, _)| row.to_owned())
        };
        let without_numbers = |line: &str| line.chars().filter(|c| !c.is_ascii_digit()).collect();
        let mut rows: Vec<String> = survivors.lines().map(without_verdict).collect();
        rows.sort();
        planted.lines().map(without_verdict).chain(counts.lines().map(without_numbers)).chain(rows).collect()
    }

    #[test]
    fn the_page_has_the_words_of_the_catalogue() {
        let root = crate::root();
        let mut all = catalogue::faults(&root).unwrap();
        let planted = all.len();
        let survivors = catalogue::survivors(&root).unwrap();
        let mut verdicts = vec![Verdict::Open; planted];
        for survivor in &survivors {
            let edit = Edit { file: String::new(), range: 0..0, text: String::new() };
            all.push(Fault { name: survivor.mutant.clone(), story: survivor.line.clone(), edit });
            verdicts.push(Verdict::Testbenches(Vec::new()));
        }
        let written = page(&all, &verdicts, planted, &survivors, &Coverage::default()).text;
        let kept = std::fs::read_to_string(root.join("docs/explain/faults.md")).unwrap();
        let (written, kept) = (words_of(&written), words_of(&kept));
        for (written, kept) in written.iter().zip(&kept) {
            assert_eq!(written, kept, "make mutants writes the page");
        }
        assert_eq!(written.len(), kept.len());
    }
}
