//! Files of coverage, in JSON. They have the counts of every run, so that the merge of files is the
//! merge of runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::merged::{BinState, Merged};
use crate::coverage::{Bin, Covered, Facts, GROUPS, OwnBin, PropertyCounts, RunCoverage};
use crate::input::with_nearest;
use crate::quote;

/// Word that a file of coverage begins with.
const FORMAT: &str = "wormscope coverage 1";

/// A file.
#[derive(Serialize, Deserialize)]
struct Whole {
    format: String,
    version: String,
    /// State of every bin that a network of the runs can reach.
    #[serde(default)]
    summary: BTreeMap<String, u64>,
    /// Numbers of bins of each group, with the files that the group is about.
    #[serde(default)]
    groups: Vec<OneGroup>,
    /// Names of the bins that runs have reached.
    bins: Vec<String>,
    /// Bins that no run has reached.
    #[serde(default)]
    holes: Vec<OneHole>,
    runs: Vec<OneRun>,
}

#[derive(Serialize, Deserialize)]
struct OneGroup {
    name: String,
    blocks: Vec<String>,
    reached: usize,
    holes: usize,
    excluded: usize,
    beyond: usize,
}

#[derive(Serialize, Deserialize)]
struct OneHole {
    bin: String,
    nearest: Option<Nearest>,
}

#[derive(Serialize, Deserialize)]
struct Nearest {
    run: String,
    seed: u64,
    bin: String,
}

#[derive(Serialize, Deserialize)]
struct OneRun {
    name: String,
    seed: u64,
    hash: String,
    cycles: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
    facts: BTreeMap<String, Vec<String>>,
    /// Pairs of a place in `bins` and a count.
    hits: Vec<(usize, u64)>,
    own: Vec<OneOwn>,
    properties: Vec<OneProperty>,
}

#[derive(Serialize, Deserialize)]
struct OneOwn {
    bin: String,
    hits: u64,
    excluded: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct OneProperty {
    property: String,
    triggered: u64,
    passed: u64,
    vacuous: u64,
}

/// Reason why a file has no coverage that can be merged.
#[derive(Debug, thiserror::Error)]
pub enum CoverageFileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", quote::name(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file has something else.
    #[error("{}: {why}", quote::name(path))]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The fault.
        why: String,
    },
}

/// Reads a file, and adds its runs.
///
/// # Errors
/// The file cannot be read, or is no file of coverage. It has bins that this version does not know.
/// Or it has other counts of a run that is there already.
pub fn read(path: &Path, into: &mut Merged) -> Result<(), CoverageFileError> {
    let wrong = |why| CoverageFileError::Wrong { path: path.to_owned(), why };
    let text =
        if path == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(path) };
    let text =
        text.map_err(|source| CoverageFileError::Read { path: path.to_owned(), source: with_nearest(path, source) })?;
    let whole: Whole = serde_json::from_str(&text).map_err(|error| {
        wrong(format!(
            "no file of coverage: {error}; wormscope test --coverage FILE writes one, and so do run and sweep"
        ))
    })?;
    if whole.format != FORMAT {
        let found = quote::excerpt(&whole.format);
        return Err(wrong(format!("the format is \"{found}\"; this version reads \"{FORMAT}\"")));
    }
    let known = |bin: &String| Bin::named(bin).ok_or_else(|| unknown(bin, &whole.version));
    let bins: Vec<usize> = whole.bins.iter().map(known).collect::<Result<_, _>>().map_err(wrong)?;
    for run in whole.runs {
        let run = of_run(run, &bins, &whole.version).map_err(wrong)?;
        into.add(run).map_err(wrong)?;
    }
    Ok(())
}

fn unknown(bin: &str, version: &str) -> String {
    let nearest = crate::spelling::most_like(bin, Bin::all().map(|bin| bin.to_string()));
    let nearest = nearest.first().map(|name| format!("; nearest name: {name}")).unwrap_or_default();
    format!(
        "no bin \"{}\"{nearest}; version {} wrote the file; repeat its runs with this version",
        quote::excerpt(bin),
        quote::excerpt(version)
    )
}

fn of_run(run: OneRun, bins: &[usize], version: &str) -> Result<RunCoverage, String> {
    let OneRun { name, seed, hash, cycles, failed, facts, hits, own, properties } = run;
    let place = |(at, count): (usize, u64)| bins.get(at).map(|&place| (place, count));
    let hits: Option<Vec<_>> = hits.into_iter().map(place).collect();
    let mut hits =
        hits.ok_or_else(|| format!("{}: a count of a bin that the file does not name", quote::name(&name)))?;
    hits.sort_unstable();
    let words = facts.iter().map(|(name, values)| (name.as_str(), values.iter().map(String::as_str)));
    let facts = Facts::from_words(words).map_err(|word| unknown(&word, version))?;
    let own = own.into_iter().map(|of| OwnBin { text: of.bin, hits: of.hits, excluded: of.excluded });
    let properties = properties.into_iter().map(|of| {
        let OneProperty { property, triggered, passed, vacuous } = of;
        PropertyCounts { text: property, triggered, passed, vacuous }
    });
    let (own, properties) = (own.collect(), properties.collect());
    Ok(RunCoverage { name, seed, hash, cycles, failed, hardware: Covered { hits, facts }, own, properties })
}

/// The text of a file with the coverage of some runs.
#[must_use]
pub fn written(merged: &Merged) -> String {
    let states = merged.states(false);
    let reached: Vec<usize> = (0..states.len())
        .filter(|&place| merged.runs().any(|run| run.hardware.hits.iter().any(|of| of.0 == place)))
        .collect();
    let at = |place: usize| reached.binary_search(&place).unwrap_or_default();
    let runs = merged.runs().map(|run| OneRun {
        name: run.name.clone(),
        seed: run.seed,
        hash: run.hash.clone(),
        cycles: run.cycles,
        failed: run.failed,
        facts: run
            .facts()
            .words()
            .into_iter()
            .map(|(name, values)| (name.to_owned(), values.into_iter().map(str::to_owned).collect()))
            .collect(),
        hits: run.hardware.hits.iter().map(|&(place, count)| (at(place), count)).collect(),
        own: run
            .own
            .iter()
            .map(|of| OneOwn { bin: of.text.clone(), hits: of.hits, excluded: of.excluded.clone() })
            .collect(),
        properties: run
            .properties
            .iter()
            .map(|of| OneProperty {
                property: of.text.clone(),
                triggered: of.triggered,
                passed: of.passed,
                vacuous: of.vacuous,
            })
            .collect(),
    });
    let count = |is: fn(&BinState<'_>) -> bool| states.iter().filter(|state| is(state)).count() as u64;
    let summary = [
        ("reached", count(|state| matches!(state, BinState::Reached(_)))),
        ("holes", count(|state| matches!(state, BinState::Hole))),
        ("excluded", count(|state| matches!(state, BinState::Excluded(_)))),
        ("beyond", count(|state| matches!(state, BinState::Beyond))),
    ];
    let groups = GROUPS.iter().zip(merged.tallies(false).0).map(|(group, tally)| OneGroup {
        name: group.name.to_owned(),
        blocks: group.blocks.iter().map(|&block| block.to_owned()).collect(),
        reached: tally.reached,
        holes: tally.holes,
        excluded: tally.excluded,
        beyond: tally.beyond,
    });
    let holes = merged.holes(false).into_iter().map(|hole| OneHole {
        bin: hole.bin,
        nearest: hole.nearest.map(|(run, seed, bin)| Nearest { run, seed, bin }),
    });
    let whole = Whole {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        summary: summary.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        groups: groups.collect(),
        bins: reached.iter().map(|&place| Bin::at(place).to_string()).collect(),
        holes: holes.collect(),
        runs: runs.collect(),
    };
    // A line for each run keeps files readable and short.
    let mut text = String::from("{\n");
    let mut field = |name: &str, value: serde_json::Result<String>| {
        let comma = if name == "format" { "" } else { ",\n" };
        let _ = write!(text, "{comma}\"{name}\": {}", value.unwrap_or_default());
    };
    field("format", serde_json::to_string(&whole.format));
    field("version", serde_json::to_string(&whole.version));
    field("summary", serde_json::to_string(&whole.summary));
    field("groups", lines(&whole.groups));
    field("bins", lines(&whole.bins));
    field("holes", lines(&whole.holes));
    field("runs", lines(&whole.runs));
    text + "\n}\n"
}

/// A list with a line for each item.
fn lines<T: Serialize>(items: &[T]) -> serde_json::Result<String> {
    let items = items.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_back_as_it_was_written() {
        let facts = Facts::from_words([("encoding", ["unicast"])]).unwrap();
        let hits =
            vec![(Bin::named("residue/unicast/1").unwrap(), 3), (Bin::named("residue/unicast/2_or_more").unwrap(), 1)];
        let run = RunCoverage {
            name: "a \"b\".ron".into(),
            seed: u64::MAX,
            hash: "1234".into(),
            cycles: 12,
            failed: true,
            hardware: Covered { hits, facts },
            own: vec![OwnBin { text: "x == 1".into(), hits: 0, excluded: Some("why".into()) }],
            properties: vec![PropertyCounts { text: "x |-> y".into(), triggered: 2, passed: 1, vacuous: 9 }],
        };
        let mut merged = Merged::default();
        merged.add(run.clone()).unwrap();
        let text = written(&merged);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        std::fs::write(&path, &text).unwrap();
        let mut again = Merged::default();
        read(&path, &mut again).unwrap();
        assert_eq!(again.runs().collect::<Vec<_>>(), [&run]);
        assert_eq!(written(&again), text);
        for (from, to, message) in [
            ("residue/unicast/1", "residue/unicost/1", "nearest name: residue/unicast/1"),
            ("wormscope coverage 1", "wormscope coverage 9", "this version reads"),
            ("[[0,3]", "[[7,3]", "does not name"),
            ("\"runs\"", "\"rans\"", "no file of coverage"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let why = read(&path, &mut Merged::default()).unwrap_err().to_string();
            assert!(why.contains(message) && why.contains("x.json"), "{why}");
        }
    }
}
