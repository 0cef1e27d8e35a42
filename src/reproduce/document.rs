//! What of the papers holds: a page made of the figures and their data alone.

use std::fmt::Write as _;

use super::claim::{Claim, Finding, Verdict, judge};
use super::data::{Data, Extent};
use super::figure::{ChoiceSpan, PAPERS, Shelf, Shelved};
use super::measure::Measure;
use crate::quote::counted;
use crate::statistics::short;

/// Where pictures and tables are, from the page.
const FOLDER: &str = "reproduction";

/// The page of all figures, each with its data where there are some.
#[must_use]
pub fn document(shelf: &Shelf, data: &dyn Fn(&Shelved) -> Option<Data>) -> String {
    let found: Vec<(&Shelved, Option<Data>)> = shelf.0.iter().map(|of| (of, data(of))).collect();
    let mut text = String::from(
        "# Reproduction\n\nFigures and tables of the five papers, run on the flit hardware, and what is claimed of them. \
         Made by `wormscope reproduce --publish docs/explain`\nof `configs/papers` and of the tables in [reproduction](reproduction); a test \
         holds it to both. [papers](papers.md) has what is wrong\nor silent in the texts.\n\n",
    );
    text += &summary(&found);
    let unsure = found.iter().flat_map(|(of, data)| findings(of, data.as_ref())).filter(|finding| finding.is_unsure);
    let _ = write!(
        text,
        "\nA verdict goes by the mean, and the interval behind it is what the 95 % intervals of the points allow together. Of {} of them\n\
         another verdict lies within that interval; they are marked *not sure*. Entries of tables stand beside how far they are off.\n",
        unsure.count()
    );
    for (key, paper) in PAPERS {
        let own = found.iter().filter(|(of, _)| of.paper() == key);
        let _ = write!(text, "\n## {paper}\n");
        for (of, data) in own {
            text += &section(of, data.as_ref());
        }
    }
    text
}

/// How many claims of each paper come to what.
fn summary(found: &[(&Shelved, Option<Data>)]) -> String {
    let mut text = String::from("| paper | figures | claims |");
    for verdict in Verdict::ALL {
        let _ = write!(text, " {} |", verdict.words());
    }
    text += "\n|---|---|---|---|---|---|---|\n";
    let mut row = |name: &str, is_own: &dyn Fn(&Shelved) -> bool| {
        let own: Vec<_> = found.iter().filter(|(of, _)| is_own(of)).collect();
        let verdicts = own.iter().flat_map(|(of, data)| findings(of, data.as_ref()));
        let verdicts: Vec<Verdict> = verdicts.map(|finding| finding.verdict).collect();
        let _ = write!(text, "| {name} | {} | {} |", own.len(), verdicts.len());
        for verdict in Verdict::ALL {
            let _ = write!(text, " {} |", verdicts.iter().filter(|&&of| of == verdict).count());
        }
        text.push('\n');
    };
    for (key, _) in PAPERS {
        row(&format!("[{}]", key.to_uppercase()), &|of| of.paper() == key);
    }
    row("all", &|_| true);
    text
}

fn findings(of: &Shelved, data: Option<&Data>) -> Vec<Finding> {
    of.figure.claims.iter().map(|claim| finding(claim, data)).collect()
}

fn finding(claim: &Claim, data: Option<&Data>) -> Finding {
    let none = Finding { value: None, interval: None, verdict: Verdict::Unknown, is_unsure: false };
    data.map_or(none, |data| judge(claim, data))
}

/// A figure.
fn section(of: &Shelved, data: Option<&Data>) -> String {
    let figure = &of.figure;
    let mut text = format!("\n### {}: {}\n\n", figure.name, figure.caption);
    let extent = match data.map(|data| data.extent) {
        Some(Extent::Full) => "all points and repetitions",
        Some(Extent::Quick) => "fewer points and repetitions (`--quick`)",
        None => "not run",
    };
    let _ = writeln!(text, "{}; {}; {extent}. `wormscope reproduce {}`", figure.place, figure.kind.words(), of.id);
    if data.is_some() {
        let _ = writeln!(text, "([picture]({FOLDER}/{0}.svg), [table]({FOLDER}/{0}.csv))", of.id);
    }
    for (what, list) in [
        ("Printed", &figure.parameters),
        ("Left open, and chosen", &figure.choices),
        ("Reconstructed", &figure.reconstructed),
    ] {
        if !list.is_empty() {
            let _ = writeln!(text, "\n{what}: {}.", list.join("; "));
        }
    }
    for ChoiceSpan { of, over } in &figure.spans {
        let number =
            |measure: &Measure| data.map_or_else(|| "-".to_owned(), |data| number(measure, measure.read(data)));
        let over: Vec<_> = over.iter().map(|(choice, measure)| format!("{} with {choice}", number(measure))).collect();
        let _ = writeln!(text, "\nOver the plausible choices, {of} {}.", over.join("; "));
    }
    if figure.claims.is_empty() {
        return text;
    }
    text += "\n| claim | published | holds where | here | verdict |\n|---|---|---|---|---|\n";
    let mut reasons = String::new();
    for (number, claim) in (1..).zip(&figure.claims) {
        let finding = finding(claim, data);
        let _ = writeln!(
            text,
            "| {number}. {} | {} | {} | {} | **{}**{} |",
            cell(&claim.says),
            cell(&claim.published),
            held_to(claim),
            here(claim, &finding, data),
            finding.verdict.words(),
            if finding.is_unsure { ", *not sure*" } else { "" }
        );
        let reason = claim.lacks.as_ref().map(|lacks| format!("the text does not say {lacks}"));
        let is_lacking = data.is_some() && finding.value.is_none();
        let reason = reason.or_else(|| is_lacking.then(|| "the curves end before what is claimed".to_owned()));
        let reason = reason.or_else(|| claim.because.clone().filter(|_| finding.verdict != Verdict::Holds));
        if let Some(reason) = reason {
            let _ = writeln!(reasons, "- {number}: {reason}");
        }
    }
    if !reasons.is_empty() {
        let _ = write!(text, "\n{reasons}");
    }
    text
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Entries of a table that are told beside how far they are off.
const ENTRIES: usize = 12;

/// What a claim is held to: `at least 2, in part at least 1.5`.
fn held_to(claim: &Claim) -> String {
    let end = |end: f64| if claim.measure.is_share() { format!("{} %", short(100.0 * end)) } else { end.to_string() };
    let in_part = claim.in_part.map(|range| format!(", in part {}", range.words(end)));
    claim.holds.words(end) + &in_part.unwrap_or_default()
}

/// What was found, with its interval.
fn here(claim: &Claim, finding: &Finding, data: Option<&Data>) -> String {
    let entries = data.and_then(|data| claim.measure.entries(data)).filter(|entries| entries.len() <= ENTRIES);
    let entries = entries.filter(|_| finding.value.is_some()).map_or(String::new(), |entries| {
        format!("{}: ", entries.into_iter().map(digits).collect::<Vec<_>>().join(", "))
    });
    entries + &number(&claim.measure, (finding.value, finding.interval))
}

fn digits(value: f64) -> String {
    short(format!("{value:.3e}").parse().unwrap_or(value))
}

/// A number as measured, with its interval.
fn number(measure: &Measure, (value, interval): (Option<f64>, Option<(f64, f64)>)) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let digits = |value: f64| digits(if measure.is_share() { 100.0 * value } else { value });
    let found = match measure {
        Measure::MostOff(..) => format!("{} % off at most", digits(value)),
        Measure::MostOffRounded(..) => format!("rounded, {} % off at most", digits(value)),
        Measure::MeanOff(..) => format!("{} % off on the mean", digits(value)),
        Measure::LeastOf(..) => format!("{} times at least", digits(value)),
        Measure::MostOf(..) => format!("{} times at most", digits(value)),
        _ => digits(value),
    };
    match interval {
        // The point that it is a share of may be 0 within its interval.
        Some((low, high)) if high.is_infinite() => format!("{found} ({} and more)", digits(low)),
        Some((low, high)) => format!("{found} ({} to {})", digits(low), digits(high)),
        None => found,
    }
}

/// A figure's claims as a terminal shows them.
#[must_use]
pub fn told(of: &Shelved, data: &Data) -> String {
    let figure = &of.figure;
    let points = data.curves.iter().map(|of| of.points.len()).sum::<usize>();
    let mut text = format!(
        "{}  {}: {}\n  {}, {}, {}\n",
        of.id,
        figure.name,
        figure.caption,
        figure.kind.words(),
        counted(data.curves.len(), "curve"),
        counted(points, "point")
    );
    for claim in &figure.claims {
        let finding = judge(claim, data);
        let _ = writeln!(
            text,
            "  {:14} {}\n                 published {}, here {}{}, holds where {}",
            finding.verdict.words(),
            claim.says,
            claim.published,
            here(claim, &finding, Some(data)),
            if finding.is_unsure { " (not sure)" } else { "" },
            held_to(claim)
        );
    }
    text
}
