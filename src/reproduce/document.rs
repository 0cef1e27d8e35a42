//! The page of the figures. It depends on the figures and their data only.

use std::fmt::Write as _;

use super::claim::{Claim, Finding, Verdict, judge};
use super::data::{Data, Extent};
use super::figure::{ChoiceSpan, PAPERS, Shelf, Shelved};
use super::measure::Measure;
use crate::quote::{self, counted};
use crate::statistics::short;

const HEAD: &str = "# Reproduction

This page has the figures and tables of the five papers, run on the flit hardware, with a verdict on
each claim. `wormscope reproduce --publish docs/explain` writes it from the files of `configs/papers`
and from the tables in [reproduction](reproduction). A test compares the page with both.
[papers](papers.md) lists the errors and gaps of the papers.

";

/// Explanation of the tables of claims, below the table of verdicts.
const READING: &str = "
Each figure has a table of claims:

- Words in double quotes are those of the paper, some of them shortened. All other words are ours.
- *the same* repeats the claim above it, with the words that follow.
- *holds where* is the range in which we say that the claim holds.
- *here* is our number. For a table of the paper, our entries come first, then the difference.
- The number is a mean, and it decides the verdict. The interval after it combines the 95 %
  intervals of the points.
";

/// Folder of pictures and tables, from the page.
const FOLDER: &str = "reproduction";

/// The page of all figures, each with its data, if it has data.
#[must_use]
pub fn document(shelf: &Shelf, data: &dyn Fn(&Shelved) -> Option<Data>) -> String {
    let found: Vec<(&Shelved, Option<Data>)> = shelf.0.iter().map(|of| (of, data(of))).collect();
    let mut text = HEAD.to_owned();
    text += &summary(&found);
    let unsure = found.iter().flat_map(|(of, data)| findings(of, data.as_ref())).filter(|finding| finding.is_unsure);
    let _ = write!(text, "{READING}{}", item(&unsure_words(unsure.count())));
    for (key, paper) in PAPERS {
        let own = found.iter().filter(|(of, _)| of.paper() == key);
        let _ = write!(text, "\n## [{}]\n\n{}", key.to_uppercase(), paragraph(&format!("{paper}.")));
        for (of, data) in own {
            text += &section(of, data.as_ref());
        }
    }
    text
}

/// The meaning of the mark *not sure*, and the number of claims that have it.
fn unsure_words(count: usize) -> String {
    let claims = quote::form(count, "claim has", "claims have");
    format!("*not sure* means that another verdict also lies within the interval. {count} {claims} this mark.")
}

/// Counts of verdicts for each paper.
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
    let paper = of.paper().to_uppercase();
    let mut text = format!("\n### [{paper}] {}\n\n{}\n", figure.name, paragraph(&sentence(&figure.caption)));
    let extent = match data.map(|data| data.extent) {
        Some(Extent::Full) => "all points and repetitions",
        Some(Extent::Quick) => "fewer points and repetitions (`--quick`)",
        None => "not run",
    };
    text += &item(&format!("Place: {}", figure.place));
    text += &item(&format!("Source: {}, {extent}", figure.kind.words()));
    text += &item(&format!("Command: `wormscope reproduce {}`", of.id));
    if data.is_some() {
        let _ = writeln!(text, "- Results: [picture]({FOLDER}/{0}.svg), [table]({FOLDER}/{0}.csv)", of.id);
    }
    for (what, list) in [
        ("The paper prints", &figure.parameters),
        ("The paper leaves this open, and we chose", &figure.choices),
        ("We reconstructed", &figure.reconstructed),
    ] {
        if !list.is_empty() {
            let _ = writeln!(text, "\n{what}:\n");
            text.extend(list.iter().map(|one| item(one)));
        }
    }
    for ChoiceSpan { of, over } in &figure.spans {
        let number =
            |measure: &Measure| data.map_or_else(|| "-".to_owned(), |data| number(measure, measure.read(data)));
        let _ = write!(text, "\n{}\n", paragraph(&format!("Plausible choices give {of}:")));
        text.extend(over.iter().map(|(choice, measure)| item(&format!("{choice}: {}", number(measure)))));
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
        let reason = claim.lacks.as_ref().map(|lacks| format!("The text does not say {lacks}."));
        let is_lacking = data.is_some() && finding.value.is_none();
        let reason = reason.or_else(|| is_lacking.then(|| "The curves end before the range of the claim.".to_owned()));
        let reason = reason.or_else(|| claim.because.clone().filter(|_| finding.verdict != Verdict::Holds));
        if let Some(reason) = reason {
            reasons += &item(&format!("{number}: {reason}"));
        }
    }
    if !reasons.is_empty() {
        let _ = write!(text, "\nReasons, by claim:\n\n{reasons}");
    }
    text
}

/// Columns of a line.
const WIDTH: usize = 100;

/// A paragraph in lines.
fn paragraph(text: &str) -> String {
    lines("", text)
}

/// An item of a list in lines.
fn item(text: &str) -> String {
    lines("- ", text)
}

/// A text in lines. The first line begins with `first`, and the other lines begin with as many
/// spaces.
fn lines(first: &str, text: &str) -> String {
    let mut lines = vec![first.to_owned()];
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        // A line must not begin with a sign that Markdown takes for a list or a heading.
        let mut chunk = word.to_owned();
        while let Some(next) = words.next_if(|next| is_markup(next)) {
            chunk = format!("{chunk} {next}");
        }
        let line = lines.last_mut().filter(|line| {
            let is_new = line.len() == first.len();
            is_new || line.chars().count() + 1 + chunk.chars().count() <= WIDTH
        });
        match line {
            Some(line) if line.len() == first.len() => *line += &chunk,
            Some(line) => *line = format!("{line} {chunk}"),
            None => lines.push(format!("{:1$}{chunk}", "", first.len())),
        }
    }
    lines.join("\n") + "\n"
}

/// Whether a word at the beginning of a line is markup.
fn is_markup(word: &str) -> bool {
    let number = word.trim_end_matches(['.', ')']);
    word.chars().all(|c| "-+*=_".contains(c))
        || word.starts_with(['#', '>', '|'])
        || number.len() < word.len() && number.chars().all(|c| c.is_ascii_digit())
}

/// A text that ends as a sentence does.
fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Largest number of entries of a table that the text lists with their differences.
const ENTRIES: usize = 12;

/// Limits of a claim: `at least 2, in part at least 1.5`.
fn held_to(claim: &Claim) -> String {
    let end = |end: f64| if claim.measure.is_share() { format!("{} %", short(100.0 * end)) } else { end.to_string() };
    let in_part = claim.in_part.map(|range| format!(", in part {}", range.words(end)));
    claim.holds.words(end) + &in_part.unwrap_or_default()
}

/// Measured value, with its interval.
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
        // The value is a share of a point, and this point may be 0 within its interval.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_width_and_begin_with_no_markup() {
        let ninety = "x".repeat(90);
        assert_eq!(paragraph(&format!("{ninety} 123456789")), format!("{ninety} 123456789\n"));
        assert_eq!(paragraph(&format!("{ninety} 1234567890")), format!("{ninety}\n1234567890\n"));
        assert_eq!(item(&format!("{ninety} 12345678")), format!("- {ninety}\n  12345678\n"));
        for markup in ["+", "-", "*", "=", "#", "1.", "2)", "> 3", "|"] {
            let text = format!("{} a {markup} b", "x".repeat(96));
            assert_eq!(item(&text), format!("- {}\n  a {markup} b\n", "x".repeat(96)), "{markup}");
        }
        assert_eq!(item("1: + 2."), "- 1: + 2.\n");
    }
}
