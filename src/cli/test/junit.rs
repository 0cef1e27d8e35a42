//! The report of `wormscope test` in the format of `JUnit`.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use wormscope::quote::{self, visible};
use wormscope::testbench::outcome::{BenchRun, Status};

use super::lines;

/// The report: a suite for each folder, a case for each run. Runs that did not begin or did not end
/// are one more case, which is skipped.
pub fn report(runs: &[BenchRun], left_out: usize, repeat: u32, seconds: f64) -> Report {
    let mut report = Report::new("wormscope");
    report.set_time(Duration::from_secs_f64(seconds));
    for folder_runs in runs.chunk_by(|a, b| folder(a) == folder(b)) {
        let mut suite = TestSuite::new(visible(&folder(&folder_runs[0])));
        suite.add_test_cases(folder_runs.iter().map(|run| case(run, repeat)));
        report.add_test_suite(suite);
    }
    if left_out > 0 {
        let mut case = TestCase::new("runs left out", TestCaseStatus::skipped());
        let runs = quote::counted(left_out, "run");
        case.status.set_message(format!("{runs} did not begin, or did not end: the command was stopped"));
        let mut suite = TestSuite::new("left out");
        suite.add_test_case(case);
        report.add_test_suite(suite);
    }
    report
}

/// The folder of a testbench. Readers of reports group cases by it, so it has a name here too.
fn folder(run: &BenchRun) -> String {
    let folder = Path::new(&run.name).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).display().to_string()
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
    case.set_classname(visible(&folder(run)));
    case.set_time(Duration::from_secs_f64(run.seconds));
    let (seed, purpose) =
        (run.seed.map(|seed| seed.to_string()), run.purpose.as_deref().map(|text| visible(text).into_owned()));
    let tags = Some(run.tags.join(" ")).filter(|tags| !tags.is_empty());
    for (name, value) in [("seed", seed), ("purpose", purpose), ("tags", tags)] {
        if let Some(value) = value {
            case.add_property((name, value.as_str()));
        }
    }
    if run.status != Status::Passed {
        // A report of one run stands alone, so all its kinds are in full.
        let mut alone = run.clone();
        alone.failures.iter_mut().for_each(|failure| failure.is_first = true);
        let all = lines::failures(&alone);
        if let Some(first) = all.first().and_then(|text| text.lines().next()) {
            case.status.set_message(visible(first).as_ref());
        }
        let again = run.again.as_deref().map(|again| format!("again: {again}\n")).unwrap_or_default();
        case.status.set_description(visible(&format!("{}\n{again}", all.join("\n"))).as_ref());
    }
    let notes = run.notes.iter().map(|note| format!("note: {note}"));
    let out: Vec<String> = notes.chain(run.files.iter().map(|file| file.display().to_string())).collect();
    if !out.is_empty() {
        case.set_system_out(visible(&out.join("\n")));
    }
    case
}
