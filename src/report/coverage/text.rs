//! Coverage as lines of text.

use std::fmt::Write as _;

use super::merged::Merged;
use crate::coverage::GROUPS;
use crate::quote::{self, counted};
use crate::table::Table;

/// Most holes that are printed.
const MOST_HOLES: usize = 20;

/// The numbers of each group, the holes with the runs that came nearest, and the bins and
/// properties of testbenches that nothing has reached.
#[must_use]
pub fn text(merged: &Merged, all: bool, every_hole: bool, every_property: bool) -> String {
    let (groups, sum) = merged.tallies(all);
    let failed = match merged.runs().filter(|run| run.failed).count() {
        0 => String::new(),
        failed => format!(", of which {failed} failed"),
    };
    let mut text = format!(
        "{}{failed}: {} of {} bins reached, {:.1} %; {}, {} excluded, {} beyond these networks\n\n",
        counted(merged.runs().len(), "run"),
        sum.reached,
        sum.reached + sum.holes,
        sum.percent(),
        counted(sum.holes, "hole"),
        sum.excluded,
        sum.beyond
    );
    let mut table = Table::new(&["group", "reached", "of", "excluded", "beyond"], &[0]);
    for (group, tally) in GROUPS.iter().zip(groups) {
        let numbers = [tally.reached, tally.reached + tally.holes, tally.excluded, tally.beyond];
        let numbers = numbers.map(|n| n.to_string());
        table.row(std::iter::once(group.name.to_owned()).chain(numbers).collect::<Vec<_>>());
    }
    text += &table.text();
    let holes = merged.holes(all);
    let shown = if every_hole { holes.len() } else { MOST_HOLES };
    if !holes.is_empty() {
        text += "\nholes, each with the run that came nearest and the bin that it reached:\n";
    }
    // Writing to a string does not fail.
    for hole in holes.iter().take(shown) {
        let _ = writeln!(text, "  {}", hole.bin);
        if let Some((name, seed, bin)) = &hole.nearest {
            let _ = writeln!(text, "      {}, seed {seed}: {bin}", quote::name(name));
        }
    }
    if holes.len() > shown {
        let _ = writeln!(text, "  ... and {} more, which --holes prints", holes.len() - shown);
    }
    let own = merged.own();
    if !own.is_empty() {
        text += "\nbins of testbenches:\n";
        // A reason may exclude many bins, and needs one line.
        let same = |a: &(&str, &str, u64, Option<&str>), b: &(&str, &str, u64, Option<&str>)| {
            (a.0, a.2, a.3) == (b.0, b.2, b.3) && a.2 == 0 && a.3.is_some()
        };
        for bins in own.chunk_by(same) {
            let (name, bin, hits, excluded) = bins[0];
            let state = match (hits, excluded) {
                (0, Some(why)) => format!("excluded: {why}"),
                (0, None) => "HOLE".to_owned(),
                (hits, _) => counted(hits, "time"),
            };
            let more = if bins.len() > 1 { format!(" and {} more", bins.len() - 1) } else { String::new() };
            let _ = writeln!(text, "  {}: {bin}{more}: {state}", quote::name(name));
            if let (0, None, Some((seed, near))) = (hits, excluded, merged.near_own(name, bin)) {
                let _ = writeln!(text, "      nearest: seed {seed}: {near}");
            }
        }
    }
    let properties = merged.properties();
    let shown = |of: &&(&str, &str, [u64; 3])| every_property || of.2[0] == 0;
    if properties.iter().any(|of| shown(&of)) {
        text += "\nproperties, with the cycles that were triggered, passed, vacuous:\n";
        for (name, property, [triggered, passed, vacuous]) in properties.iter().filter(shown) {
            let _ = writeln!(text, "  {}: {property}: {triggered}, {passed}, {vacuous}", quote::name(name));
        }
    }
    for (name, seed, bin, why) in merged.reached_in_spite() {
        let _ = writeln!(text, "\nREACHED although excluded: {bin}, by {}, seed {seed}: {why}", quote::name(name));
    }
    text
}
