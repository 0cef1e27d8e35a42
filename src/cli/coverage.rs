//! `wormscope coverage`.

use std::fmt::Write as _;
use std::path::PathBuf;

use wormscope::coverage::{Covered, RunCoverage};
use wormscope::experiment::Loaded;
use wormscope::explore::Sweep;
use wormscope::report::coverage::{Merged, page, read, smallest, text, ucis, written};
use wormscope::{console, output, quote};

use super::exit::{CHECK_FAILED, DONE, Refused, print};
use super::outputs::{Files, wrote};
use super::progress::while_doing;

/// Arguments of `wormscope coverage`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Files that --coverage of test or run wrote, and directories of sweeps with --coverage; - is
    /// standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write the merged coverage to FILE as JSON, which wormscope coverage reads again
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one HTML page to FILE, with a table for each group of bins
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write UCIS XML to FILE, for tools of other makers
    #[arg(long, value_name = "FILE")]
    ucis: Option<PathBuf>,
    /// Count bins that no network of these runs can reach as holes too
    #[arg(long)]
    all: bool,
    /// Print every hole, not only the first 20
    #[arg(long)]
    holes: bool,
    /// Print the counts of every property, not only of those that were never triggered
    #[arg(long)]
    properties: bool,
    /// Print the smallest set of runs with the same coverage that a greedy search finds
    #[arg(long)]
    minimise: bool,
    /// Exit with 4 if a hole is left
    #[arg(long)]
    complete: bool,
}

/// Merges files of coverage and prints the holes.
pub fn coverage(args: &Args) -> Result<u8, Refused> {
    let inputs: Vec<_> = args.files.iter().map(|path| ("a file of coverage", path.clone())).collect();
    let mut files = Files::beside(&inputs);
    let json = files.create("--json", args.json.as_deref())?;
    let html = files.create("--html", args.html.as_deref())?;
    let xml = files.create("--ucis", args.ucis.as_deref())?;
    let merged = while_doing("merging the coverage", || {
        let mut merged = Merged::default();
        for path in &args.files {
            if path.is_dir() {
                Sweep::open(path)?.coverage()?.into_iter().try_for_each(|run| merged.add(run))?;
            } else {
                read(path, &mut merged)?;
            }
        }
        Ok::<_, Refused>(merged)
    })?;
    print(&text(&merged, args.all, args.holes, args.properties))?;
    if args.minimise {
        print(&chosen(&merged))?;
    }
    let mut placed = Vec::new();
    while_doing("writing files", || {
        placed.extend(json.map(|file| file.filled(&written(&merged))).transpose()?);
        placed.extend(html.map(|file| file.filled(&page(&merged, args.all))).transpose()?);
        placed.extend(xml.map(|file| file.filled(&ucis(&merged))).transpose()?);
        Ok::<_, Refused>(())
    })?;
    print(&wrote(&output::place(placed)?))?;
    let is_left = args.complete && !merged.is_complete(args.all);
    if is_left {
        console::tell(match merged.runs().len() {
            0 => "check failed: no run is counted, so --complete has nothing to judge",
            _ => "check failed: a hole is left, and --complete allows none",
        });
    }
    Ok(if is_left || !merged.reached_in_spite().is_empty() { CHECK_FAILED } else { DONE })
}

/// The smallest set of runs, a line each.
pub fn chosen(merged: &Merged) -> String {
    let chosen = smallest(merged);
    let cycles = |runs: &mut dyn Iterator<Item = u64>| quote::counted(runs.sum::<u64>(), "cycle");
    let mut text = format!(
        "\nthe same coverage with {} of {}, {} of {}, chosen greedily; with the bins and the triggered \
         properties that each adds:\n",
        chosen.len(),
        quote::counted(merged.runs().len(), "run"),
        chosen.iter().map(|(run, _)| run.cycles).sum::<u64>(),
        cycles(&mut merged.runs().map(|run| run.cycles)),
    );
    for (run, adds) in chosen {
        let _ = writeln!(text, "  {}: {adds}", merged.label(run));
    }
    text
}

/// The coverage of a run of an experiment.
pub fn of_run(loaded: &Loaded, hardware: Covered, cycles: u64) -> RunCoverage {
    let (name, seed) = (loaded.title(), loaded.experiment.run.seed);
    RunCoverage { name, seed, hash: loaded.hash.clone(), cycles, hardware, ..RunCoverage::default() }
}

/// A line for each excluded bin that a run has reached.
pub fn spites(run: &RunCoverage) -> Vec<String> {
    let line = |(bin, why): (String, String)| format!("check failed: reached {bin}, which is excluded: {why}");
    run.reached_in_spite().into_iter().map(line).collect()
}
