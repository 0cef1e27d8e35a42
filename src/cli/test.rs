//! `wormscope test`.

mod args;
mod junit;
mod lines;
mod running;
mod selection;
mod watch;
mod written;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use wormscope::output;
use wormscope::quote;
use wormscope::report::coverage::{Merged, written as written_coverage};
use wormscope::testbench::Sources;
use wormscope::testbench::found::find;
use wormscope::testbench::outcome::{BenchRun, Status, slowest};
use wormscope::testbench::suite::Runs;

pub use self::args::Args;
use self::running::{Around, MOST_KINDS, printed};
use self::selection::Selection;
use super::covering::{self, Covering};
use super::exit::{BAD_INPUT, CHECK_FAILED, DONE, Refused, interrupted, print};
use super::outputs::Files;
use super::signals;

/// Default folder of testbenches.
const FOLDER: &str = "testbenches";

/// Runs testbenches.
pub fn test(args: &Args) -> Result<u8, Refused> {
    args.check()?;
    let mut paths = if args.path.is_empty() { vec![PathBuf::from(FOLDER)] } else { args.path.clone() };
    if args.watch {
        return watch::watch(args, &paths);
    }
    // An earlier search has closed holes with these.
    paths.extend(args.until_covered.clone().filter(|folder| folder.is_dir()));
    let found = find(&paths, args.filter.as_deref())?;
    let Selection { files, sources } = Selection::of(found, &args.tag)?;
    if args.list {
        print(&selection::list(&files, &sources))?;
        return Ok(DONE);
    }
    if let Some(asked) = written::asked(args) {
        return written::write(args, asked, sources);
    }
    let suite = args.suite(files);
    // If an output cannot be written, the command ends before the first run.
    let mut files = Files::beside(&sources.iter().flat_map(Sources::inputs).collect::<Vec<_>>());
    let junit = files.create("--junit", args.junit.as_deref())?;
    let json = files.create("--json", args.json.as_deref())?;
    let coverage = files.create("--coverage", args.coverage.as_deref())?;
    args.until_covered.as_deref().map_or(Ok(()), covering::check)?;
    let around = Around { files, stop: signals::keeps_what_there_is() };
    let started = Instant::now();
    let Runs { runs, kinds, left_out } = printed(&suite, sources, &around)?;
    let seconds = started.elapsed().as_secs_f64();
    let count = |status| runs.iter().filter(|run| run.status == status).count();
    let [passed, failed, bad] = [Status::Passed, Status::Failed, Status::Bad].map(count);
    let stopped = around.stop.load(Ordering::Relaxed);
    // The summary comes first, so that an error in a report does not suppress it.
    let slowest = args.slowest.map(|most| slowest(&runs, most as usize)).unwrap_or_default();
    let summary = lines::summary([passed, failed, bad], left_out, seconds);
    print(&format!("{}{slowest}{summary}", kinds.table(MOST_KINDS)))?;
    let mut reports = Vec::new();
    if let Some(file) = junit {
        let report = junit::report(&runs, left_out, args.repeat, seconds).to_string();
        reports.push(file.filled(&report.map_err(|error| format!("JUnit: {error}"))?)?);
    }
    if let Some(file) = json {
        let all = serde_json::json!({
            "passed": passed, "failed": failed, "bad": bad, "left_out": left_out, "seconds": seconds,
            "kinds": kinds.all(), "benches": runs,
        });
        reports.push(file.filled(&format!("{all:#}\n"))?);
    }
    let (mut found_fault, mut is_interrupted, mut benches) = (false, false, Vec::new());
    if suite.coverage {
        let mut merged = merged(&runs)?;
        if let Some(folder) = &args.until_covered {
            let asked =
                Covering { folder, others: &around.files, patience: args.patience, seed: args.seed.unwrap_or(1) };
            let found = covering::search(&asked, &suite.files, &mut merged)?;
            benches = found.benches;
            (found_fault, is_interrupted) = (found.found_fault, found.is_interrupted);
        }
        reports.extend(coverage.map(|file| file.filled(&written_coverage(&merged))).transpose()?);
        print(&covered(&merged))?;
        if args.minimise {
            print(&super::coverage::chosen(&merged))?;
        }
    }
    reports.extend(covering::written(&benches)?);
    output::place(reports)?;
    if is_interrupted {
        return Ok(interrupted(""));
    }
    if stopped {
        return Ok(interrupted(&format!(" after {}", quote::counted(runs.len(), "run"))));
    }
    Ok(match (bad, failed + usize::from(found_fault)) {
        (0, 0) => DONE,
        (0, _) => CHECK_FAILED,
        _ => BAD_INPUT,
    })
}

/// The coverage of all runs.
fn merged(runs: &[BenchRun]) -> Result<Merged, String> {
    let mut merged = Merged::default();
    runs.iter().filter_map(|run| run.coverage.clone()).try_for_each(|run| merged.add(run))?;
    Ok(merged)
}

/// A line about the coverage of all runs.
fn covered(merged: &Merged) -> String {
    let sum = merged.tallies(false).1;
    let (reached, all, holes) = (sum.reached, sum.reached + sum.holes, quote::counted(sum.holes, "hole"));
    let own = match merged.own_holes() {
        0 => String::new(),
        own => format!(", and {} of the testbenches' own", quote::counted(own, "hole")),
    };
    format!("coverage: {reached} of {all} bins, {:.1} %, {holes}{own}\n", sum.percent())
}
