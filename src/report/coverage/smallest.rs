//! The smallest set of runs with the same coverage, by greedy set cover.
//!
//! The problem is NP-hard. The greedy choice takes, again and again, the run that reaches most of
//! the bins that are left. Its set is at most ln(n) + 1 times as large as the smallest, for n bins.

use std::collections::BTreeSet;

use super::merged::Merged;
use crate::coverage::RunCoverage;

/// The chosen runs, in the order of their choice, each with the number of bins that it adds. Of
/// runs that add equally many, the shortest comes first, then the first by name and seed.
#[must_use]
pub fn smallest(merged: &Merged) -> Vec<(&RunCoverage, usize)> {
    let bins = |run: &RunCoverage| -> BTreeSet<(String, usize)> {
        let hardware = run.hardware.hits.iter().map(|&(place, _)| (String::new(), place));
        let own = run.own.iter().enumerate().filter(|(_, bin)| bin.hits > 0);
        let own = own.map(|(at, _)| (run.name.clone(), at));
        // A property that was triggered is covered, apart from the bins.
        let triggered = run.properties.iter().enumerate().filter(|(_, of)| of.triggered > 0);
        let properties = triggered.map(|(at, _)| (run.name.clone(), run.own.len() + at));
        hardware.chain(own).chain(properties).collect()
    };
    let mut left: Vec<(&RunCoverage, BTreeSet<(String, usize)>)> = merged.runs().map(|run| (run, bins(run))).collect();
    let mut chosen = Vec::new();
    loop {
        let best = (0..left.len()).max_by_key(|&at| {
            let (run, adds) = &left[at];
            (adds.len(), std::cmp::Reverse(run.cycles), std::cmp::Reverse(at))
        });
        let Some(best) = best.filter(|&at| !left[at].1.is_empty()) else { return chosen };
        let (run, adds) = left.swap_remove(best);
        for (_, bins) in &mut left {
            bins.retain(|bin| !adds.contains(bin));
        }
        left.sort_by(|(a, _), (b, _)| (&a.name, a.seed, &a.hash).cmp(&(&b.name, b.seed, &b.hash)));
        chosen.push((run, adds.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Covered;

    #[test]
    fn runs_are_chosen_until_every_bin_is_there() {
        let run = |name: &str, cycles, bins: &[usize]| {
            let hits = bins.iter().map(|&place| (place, 1)).collect();
            let hardware = Covered { hits, ..Covered::default() };
            RunCoverage { name: name.into(), cycles, hardware, ..RunCoverage::default() }
        };
        let chosen = |runs: &[RunCoverage]| {
            let mut merged = Merged::default();
            for run in runs {
                merged.add(run.clone()).unwrap();
            }
            smallest(&merged).iter().map(|(run, adds)| format!("{} {adds}", run.name)).collect::<Vec<_>>()
        };
        let runs = [run("a", 9, &[1, 2]), run("b", 9, &[2, 3, 4]), run("c", 9, &[1, 4]), run("d", 5, &[1])];
        // After b, each of a, c and d adds bin 1. The shortest is d.
        assert_eq!(chosen(&runs), ["b 3", "d 1"]);
        assert_eq!(chosen(&[]), [""; 0]);
    }
}
