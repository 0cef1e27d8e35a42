//! `wormscope test`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use wormscope::memory::refuse_beyond_memory;
use wormscope::output::{self, is_standard};
use wormscope::quote::{self, visible};
use wormscope::report::coverage::{Merged, written};
use wormscope::testbench::Sources;
use wormscope::testbench::suite::{BenchRun, Failed, Status, Suite, WRONG, Wave, find};

use super::covering::{self, Covering};
use super::exit::{BAD_INPUT, CHECK_FAILED, DONE, Refused, interrupted, print};
use super::outputs::Files;
use super::progress::Shown;
use super::run::Engine;
use super::signals;
use super::usage::{folder, integer};

/// Default folder of testbenches, and folder of waveforms without a report.
const FOLDERS: [&str; 2] = ["testbenches", "waves"];
/// Failures of one run that are printed.
const MOST_SHOWN: usize = 20;

/// Arguments of `wormscope test`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON files of testbenches, or folders that contain them [default: testbenches]
    path: Vec<PathBuf>,
    /// Write a JUnit report to FILE
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write all verdicts to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Run only the testbenches whose path or name matches GLOB, as in 'deadlock_*'
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Use S, 0 to 2^64 - 1, in place of the seed of each testbench
    #[arg(long, value_name = "S", value_parser = integer(0..=u64::MAX))]
    seed: Option<u64>,
    /// Run each testbench N times, 1 to 1000000, with the seeds S, S + 1, ...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer(1..=1_000_000_u32))]
    repeat: u32,
    /// Choose the runs whose waveform, view and log are written, in the folder of the report, else
    /// in waves
    #[arg(long, value_enum, default_value_t = When::OnFailure)]
    wave: When,
    /// Count the situations that the runs meet, and write them to FILE as JSON; wormscope coverage
    /// merges and shows such files
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// After the runs, search for random stimulus that closes holes of coverage in the networks of
    /// these testbenches; write a testbench to DIR for each run that closes one
    #[arg(long, value_name = "DIR", value_parser = folder())]
    until_covered: Option<PathBuf>,
    /// End --until-covered after N runs in turn that close no hole, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = integer(1..=1_000_000_u32),
        requires = "until_covered")]
    patience: u32,
    /// Print the smallest set of testbenches and seeds with the same coverage that a greedy search
    /// finds
    #[arg(long)]
    minimise: bool,
    /// Choose the engine that evaluates the runs; the results are the same
    #[arg(long, value_enum, default_value_t = Engine::Fast)]
    engine: Engine,
}

/// When waveforms are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    /// Runs that fail, the cycles around the failure
    OnFailure,
    /// All runs
    Always,
    /// No run
    Never,
}

/// Runs testbenches.
pub fn test(args: &Args) -> Result<u8, Refused> {
    let [benches, waves] = FOLDERS;
    let paths = if args.path.is_empty() { vec![PathBuf::from(benches)] } else { args.path.clone() };
    let reports = [args.junit.as_deref(), args.json.as_deref()].into_iter().flatten();
    let beside = reports.filter(|path| !is_standard(path)).find_map(Path::parent);
    let suite = Suite {
        files: find(&paths, args.filter.as_deref())?,
        seed: args.seed,
        engine: args.engine.into(),
        repeat: args.repeat,
        coverage: args.coverage.is_some() || args.minimise || args.until_covered.is_some(),
        wave: match args.wave {
            When::OnFailure => Wave::OnFailure,
            When::Always => Wave::Always,
            When::Never => Wave::Never,
        },
        folder: match beside {
            Some(folder) if folder == Path::new("") => PathBuf::from("."),
            Some(folder) => folder.to_owned(),
            None => PathBuf::from(waves),
        },
    };
    let sources = suite.read();
    // If an output cannot be written, the command ends before the first run.
    let mut files = Files::beside(&sources.iter().flat_map(Sources::inputs).collect::<Vec<_>>());
    let junit = files.create("--junit", args.junit.as_deref())?;
    let json = files.create("--json", args.json.as_deref())?;
    let coverage = files.create("--coverage", args.coverage.as_deref())?;
    let width = suite.files.iter().map(|file| quote::name(file).chars().count()).max().unwrap_or(0);
    let started = Instant::now();
    let (mut broken, mut done) = (None, 0);
    let shown = Shown::counted(suite.files.len() as u64 * u64::from(args.repeat), "runs");
    // Repetitions that all pass are one line.
    let (mut name, mut passed) = (String::new(), 0);
    let runs = suite.run(
        sources,
        refuse_beyond_memory,
        |path| files.check("a waveform", path),
        |run| {
            done += 1;
            signals::reached(Some((done, "runs")));
            shown.reached(done);
            if name != run.name {
                (name, passed) = (run.name.clone(), 0);
            }
            passed += u32::from(run.status == Status::Passed);
            if run.status != Status::Passed || passed == args.repeat {
                let printed = shown.aside(|| print(&lines(run, width, args.repeat)));
                broken = broken.take().or(printed.err());
            }
        },
    );
    drop(shown);
    if let Some(error) = broken {
        return Err(error);
    }
    let seconds = started.elapsed().as_secs_f64();
    let count = |status| runs.iter().filter(|run| run.status == status).count();
    let [passed, failed, bad] = [Status::Passed, Status::Failed, Status::Bad].map(count);
    // The summary comes first, so that an error in a report does not suppress it.
    print(&summary([passed, failed, bad], seconds))?;
    let mut reports = Vec::new();
    let (mut found_fault, mut is_interrupted) = (false, false);
    if let Some(file) = junit {
        let report = report(&runs, args.repeat, seconds).to_string().map_err(|error| format!("JUnit: {error}"))?;
        reports.push(file.filled(&report)?);
    }
    if let Some(file) = json {
        let all = serde_json::json!({
            "passed": passed, "failed": failed, "bad": bad, "seconds": seconds, "benches": runs,
        });
        reports.push(file.filled(&format!("{all:#}\n"))?);
    }
    if suite.coverage {
        let mut merged = merged(&runs)?;
        if let Some(folder) = &args.until_covered {
            let asked = Covering { folder, patience: args.patience, seed: args.seed.unwrap_or(1) };
            let found = covering::search(&asked, &suite.files, &mut merged)?;
            reports.extend(found.files);
            (found_fault, is_interrupted) = (found.found_fault, found.is_interrupted);
        }
        reports.extend(coverage.map(|file| file.filled(&written(&merged))).transpose()?);
        print(&covered(&merged))?;
        if args.minimise {
            print(&super::coverage::chosen(&merged))?;
        }
    }
    output::place(reports)?;
    if is_interrupted {
        return Ok(interrupted(""));
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
    format!("coverage: {reached} of {all} bins, {:.1} %, {holes}\n", sum.percent())
}

/// `68 testbenches: 66 passed, 1 failed, 1 bad, in 1.2 s`.
fn summary([passed, failed, bad]: [usize; 3], seconds: f64) -> String {
    let all = passed + failed + bad;
    let mut text = format!("\n{}: {passed} passed", quote::counted(all, "run"));
    for (count, what) in [(failed, "failed"), (bad, "bad")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let _ = writeln!(text, ", in {seconds:.1} s");
    text
}

/// A line for a run, with its failures below the line. All repetitions that pass share one line.
fn lines(run: &BenchRun, width: usize, repeat: u32) -> String {
    let status = match run.status {
        Status::Passed => "passed",
        Status::Failed => "FAILED",
        Status::Bad => "BAD",
    };
    let ran = if repeat > 1 && run.status == Status::Passed {
        format!("{repeat:>7} runs  ")
    } else {
        format!("{:>7} cycles", run.cycles)
    };
    let name = quote::name(&run.name);
    // Writing to a string does not fail.
    let mut text = match run.status {
        Status::Bad => format!("{status:<6}  {name}\n"),
        _ => format!("{status:<6}  {name:<width$}  {ran}  {}\n", run.purpose.as_deref().unwrap_or_default()),
    };
    for failure in run.failures.iter().take(MOST_SHOWN) {
        let _ = writeln!(text, "        {}", indented(&quote::message(&words(failure))));
        if let Some(why) = failure.why.as_ref().filter(|_| !failure.repeats) {
            let _ = writeln!(text, "        why: {}", indented(why));
        }
    }
    if let Some(more) = run.failures.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "        ... and {more} more, which --json lists");
    }
    for note in &run.notes {
        let _ = writeln!(text, "        note: {}", indented(note));
    }
    if let Some(again) = &run.again {
        let _ = writeln!(text, "        again: {again}");
    }
    if let Some(view) = run.files.first() {
        let log = run.files.iter().find(|file| file.extension() == Some("log".as_ref()));
        let log = log.map(|log| format!(", log {}", quote::shell(log))).unwrap_or_default();
        let _ = writeln!(text, "        open: gtkwave {}{log}", quote::shell(view));
    }
    text
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n        ")
}

/// A failure as a sentence.
fn words(failure: &Failed) -> String {
    let Failed { place, what, message, .. } = failure;
    match place {
        Some(place) if what == WRONG => format!("{place}: {message}"),
        Some(place) => format!("{place}: {what}: {message}"),
        None if what == WRONG => message.clone(),
        None => format!("{what}: {message}"),
    }
}

/// The runs in the format of `JUnit`: a suite for each folder, a case for each run.
fn report(runs: &[BenchRun], repeat: u32, seconds: f64) -> Report {
    let mut report = Report::new("wormscope");
    report.set_time(Duration::from_secs_f64(seconds));
    let folder =
        |run: &BenchRun| Path::new(&run.name).parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    for folder_runs in runs.chunk_by(|a, b| folder(a) == folder(b)) {
        let mut suite = TestSuite::new(visible(&folder(&folder_runs[0])));
        suite.add_test_cases(folder_runs.iter().map(|run| case(run, repeat)));
        report.add_test_suite(suite);
    }
    report
}

fn case(run: &BenchRun, repeat: u32) -> TestCase {
    let status = match run.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Bad => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let path = Path::new(&run.name);
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = match run.seed {
        Some(seed) if repeat > 1 => format!("{name} seed {seed}"),
        _ => name,
    };
    let mut case = TestCase::new(visible(&name), status);
    case.set_classname(visible(&path.parent().map(|folder| folder.display().to_string()).unwrap_or_default()));
    case.set_time(Duration::from_secs_f64(run.seconds));
    let (seed, purpose) =
        (run.seed.map(|seed| seed.to_string()), run.purpose.as_deref().map(|text| visible(text).into_owned()));
    for (name, value) in [("seed", seed), ("purpose", purpose)] {
        if let Some(value) = value {
            case.add_property((name, value.as_str()));
        }
    }
    if run.status != Status::Passed {
        let text = |failure: &Failed| {
            let why = failure.why.iter().map(|why| format!("\n  why: {why}"));
            visible(&(words(failure) + &why.collect::<String>())).into_owned()
        };
        let all: Vec<String> = run.failures.iter().map(text).collect();
        if let Some(first) = all.first().and_then(|text| text.lines().next()) {
            case.status.set_message(first);
        }
        let again = run.again.as_deref().map(|again| format!("again: {}\n", visible(again))).unwrap_or_default();
        case.status.set_description(format!("{}\n{again}", all.join("\n")));
    }
    let files: Vec<String> = run.files.iter().map(|file| file.display().to_string()).collect();
    if !files.is_empty() {
        case.set_system_out(visible(&files.join("\n")));
    }
    case
}
