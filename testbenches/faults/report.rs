//! `docs/explain/faults.md`: every fault with what caught it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::catalogue::{Fault, Survivor};
use crate::judge::Verdict;

/// Testbenches of a fault that are named.
const NAMED: usize = 3;

/// What caught a fault, in words.
pub fn words(verdict: &Verdict) -> String {
    let caught = match verdict {
        Verdict::Open => return "not judged yet".to_owned(),
        Verdict::Unviable(_) => return "does not compile".to_owned(),
        Verdict::UnitTest(name) => return format!("unit test `{name}`"),
        Verdict::Testbenches(caught) if caught.is_empty() => return "survives".to_owned(),
        Verdict::Testbenches(caught) => caught,
        Verdict::BothEngines(caught) => {
            return format!("both engines beside each other: {}", words(&Verdict::Testbenches(caught.clone())));
        }
    };
    let checkers: BTreeSet<_> =
        caught.iter().flat_map(|(_, what)| what).filter_map(|w| w.strip_prefix("checker ")).collect();
    let mut text = String::new();
    if !checkers.is_empty() {
        let plural = if checkers.len() > 1 { "s" } else { "" };
        let _ = write!(text, "checker{plural} {}; ", Vec::from_iter(checkers).join(", "));
    }
    for (n, (bench, what)) in caught.iter().take(NAMED).enumerate() {
        let own: Vec<_> = what.iter().filter(|what| !what.starts_with("checker ")).map(String::as_str).collect();
        let own = if own.is_empty() { String::new() } else { format!(" ({})", own.join(", ")) };
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

Does the regression notice when the hardware is wrong? `make mutants` plants faults into `hw` (and, where a fault is one of wiring, into the engine),
runs the testbenches on each, and writes this page. Verdicts are kept in `target/mutants`: an interrupted run goes on where it was.
It fails when a planted fault escapes, when a mutant survives without an explanation, and when an explained one does not survive. Debug assertions are off: what
catches a fault is a protocol checker, or something that a testbench expects. Testbenches run on the banked engine; what passes them there (a fault of the
reference engine, of a block that only it is made of, of a register that no report reads) has to show where both run beside each other
(`wormscope test --engine reference`), in the testbenches that take less than two seconds so.

A source file with all its faults is compiled at once: every function with faults becomes a switch over copies of its body, of which the environment
chooses one in each process.
";

/// The page, and what is wrong.
pub struct Page {
    /// Markdown.
    pub text: String,
    /// Faults that escape, survivors that are not explained, explanations of what does not survive.
    pub wrong: Vec<String>,
}

/// Writes the page of all verdicts, the first `planted` of them on planted faults.
pub fn page(all: &[Fault], verdicts: &[Verdict], planted: usize, survivors: &[Survivor]) -> Page {
    let (mut text, mut wrong) = (HEAD.to_owned(), Vec::new());
    let (faults, mutants) = all.split_at(planted);
    let (verdicts, of_mutants) = verdicts.split_at(planted);
    let _ = writeln!(
        text,
        "\n## Planted faults\n\n{} faults that a designer makes, from `testbenches/faults/_faults.ron`. Each is run against every testbench.\n",
        faults.len()
    );
    text += "| fault | kernel | what the designer got wrong | caught by |\n|---|---|---|---|\n";
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
        "\n## Mutants\n\n{} mutants that cargo-mutants makes of `hw` and the switches of the banked engine: {} do not compile, {} are caught by a unit test of their block, {} by a testbench, \
        {} survive{}. Each is judged until something catches it.\n\n### Survivors\n",
        mutants.len(),
        count(|v| matches!(v, Verdict::Unviable(_))),
        count(|v| matches!(v, Verdict::UnitTest(_))),
        count(
            |v| matches!(v, Verdict::Testbenches(caught) if !caught.is_empty()) || matches!(v, Verdict::BothEngines(_))
        ),
        count(Verdict::survives),
        if open > 0 { format!(", {open} are not judged yet") } else { String::new() },
    );
    if open > 0 {
        wrong.push(format!("{open} mutants are not judged yet"));
    }
    text += "| mutant | line | why it survives |\n|---|---|---|\n";
    for (mutant, _) in mutants.iter().zip(of_mutants).filter(|(_, verdict)| verdict.survives()) {
        let why = explained(mutant);
        if why.is_none() {
            wrong.push(format!("survives unexplained: {} in \"{}\"", mutant.name, mutant.story));
        }
        let why = why.map_or("not explained", |survivor| &survivor.why);
        let _ = writeln!(text, "| {} | {} | {} |", code(&mutant.name), code(&mutant.story), cell(why));
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
            .map(|s| format!("explained, but survives not: {} in \"{}\"", s.mutant, s.line)),
    );
    text += "\n### Caught\n\n| mutant | line | caught by |\n|---|---|---|\n";
    for (mutant, verdict) in mutants.iter().zip(of_mutants).filter(|(_, verdict)| !verdict.survives()) {
        if !matches!(verdict, Verdict::Unviable(_) | Verdict::Open) {
            let _ = writeln!(text, "| {} | {} | {} |", code(&mutant.name), code(&mutant.story), cell(&words(verdict)));
        }
    }
    Page { text, wrong }
}
