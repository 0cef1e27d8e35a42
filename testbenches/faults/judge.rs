//! The judges. Each runs the regression, testbench by testbench, in a process with a time limit.
//! For mutants the unit tests run first.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::scratch::Programs;

/// A testbench takes a fraction of a second.
const LIMIT: Duration = Duration::from_secs(20);
/// Most time of both engines for a testbench that meets faults of the reference engine.
const SHORT: Duration = Duration::from_secs(2);
/// Testbenches that a mutant meets one by one.
const FIRST: usize = 10;
/// Testbenches that hang before the rest is left out.
const MOST_HANGING: usize = 2;

/// Verdict on a fault.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// Not judged yet.
    Open,
    /// The compiler refuses it.
    Unviable(String),
    /// A unit test fails.
    UnitTest(String),
    /// Testbenches that fail, each with what failed in it; none when it survives.
    Testbenches(Vec<(String, Vec<String>)>),
    /// Testbenches that fail with both engines beside each other, and not without.
    BothEngines(Vec<(String, Vec<String>)>),
}

impl Verdict {
    /// Something caught it.
    pub fn is_caught(&self) -> bool {
        !matches!(self, Self::Open | Self::Unviable(_)) && !self.survives()
    }

    /// Nothing caught it.
    pub fn survives(&self) -> bool {
        matches!(self, Self::Testbenches(caught) if caught.is_empty())
    }
}

/// How a process ended.
enum Ended {
    Code(i32),
    Killed,
    Late,
}

fn finish(command: &mut Command) -> Result<Ended, String> {
    let mut child = command
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.code().map_or(Ended::Killed, Ended::Code));
        }
        if started.elapsed() > LIMIT {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Ok(Ended::Late);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A report of `wormscope test`.
#[derive(Deserialize)]
struct Report {
    benches: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    failures: Vec<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    what: String,
}

/// Places of testbenches and reports.
pub struct Judge<'a> {
    /// Programs with the fault.
    pub programs: &'a Programs,
    /// The copy of the sources.
    pub tree: &'a Path,
    /// Testbenches.
    pub testbenches: &'a [PathBuf],
    /// Testbenches that both engines finish soon.
    pub short: &'a [PathBuf],
    /// Reports of this judge alone.
    pub report: PathBuf,
}

impl Judge<'_> {
    /// Unit tests, then what [`Judge::fully`] asks, until one fails.
    pub fn briefly(&self, planted: usize) -> Result<Verdict, String> {
        self.unit_tests(planted)?.map_or_else(|| self.judged(planted, 1), Ok)
    }

    /// Runs every testbench. Faults of the reference engine, or of registers that no report reads,
    /// may pass them. Then runs both engines beside each other.
    pub fn fully(&self, planted: usize) -> Result<Verdict, String> {
        self.judged(planted, usize::MAX)
    }

    /// Up to `most` testbenches that fail, or else those that do with both engines.
    fn judged(&self, planted: usize, most: usize) -> Result<Verdict, String> {
        let verdict = Verdict::Testbenches(self.caught(self.testbenches, &[], planted, most)?);
        if !verdict.survives() {
            return Ok(verdict);
        }
        let caught = self.caught(self.short, &["--engine", "reference"], planted, most)?;
        Ok(if caught.is_empty() { verdict } else { Verdict::BothEngines(caught) })
    }

    /// The testbenches that both engines finish soon when nothing is wrong.
    pub fn short(&self) -> Result<Vec<PathBuf>, String> {
        let mut short = Vec::new();
        for bench in self.testbenches {
            let started = Instant::now();
            let ended = self.run(&["--engine", "reference"], 0, std::slice::from_ref(bench))?;
            if matches!(ended, Ended::Code(0)) && started.elapsed() < SHORT {
                short.push(bench.clone());
            }
        }
        Ok(short)
    }

    /// Writes the coverage of all testbenches without a fault.
    pub fn coverage(&self, path: &Path) -> Result<(), String> {
        let mut test = Command::new(&self.programs.wormscope);
        test.args(["test", "--wave", "never", "--coverage"]).arg(path).args(self.testbenches);
        test.env("PLANTED", "0").current_dir(self.tree).stdout(Stdio::null());
        let status = test.status().map_err(|error| format!("{test:?}: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("the coverage of the regression: {status}")) }
    }

    /// The unit test that fails, if one does.
    fn unit_tests(&self, planted: usize) -> Result<Option<Verdict>, String> {
        let log = self.report.with_extension("log");
        let out = std::fs::File::create(&log).map_err(|error| error.to_string())?;
        let mut tests = Command::new(&self.programs.unit_tests);
        tests.env("PLANTED", planted.to_string());
        let failed = match finish(tests.current_dir(self.tree.join("hw")).stdout(out).stderr(Stdio::null()))? {
            Ended::Code(0) => return Ok(None),
            Ended::Code(_) => {
                let log = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
                let mut failed = log.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
                failed.next().unwrap_or("unit tests").to_owned()
            }
            Ended::Killed => "unit tests break off".to_owned(),
            Ended::Late => "unit tests hang".to_owned(),
        };
        Ok(Some(Verdict::UnitTest(failed)))
    }

    /// The first testbenches that fail, `most` of them, each with what failed in it.
    fn caught(
        &self,
        testbenches: &[PathBuf],
        options: &[&str],
        planted: usize,
        most: usize,
    ) -> Result<Vec<(String, Vec<String>)>, String> {
        let (mut caught, mut hanging) = (Vec::new(), 0);
        for (n, bench) in testbenches.iter().enumerate() {
            // Most mutants are caught by now. The others as a rule pass all testbenches, and one
            // process finds this sooner.
            let probably_survives = most == 1 && n == FIRST && options.is_empty();
            if probably_survives && matches!(self.run(options, planted, &testbenches[n..])?, Ended::Code(0)) {
                break;
            }
            let failed = match self.run(options, planted, std::slice::from_ref(bench))? {
                Ended::Code(0) => continue,
                Ended::Code(2 | 4) => {
                    let report = std::fs::read(&self.report).map_err(|error| error.to_string())?;
                    let report: Report = serde_json::from_slice(&report).map_err(|error| error.to_string())?;
                    let mut failed: Vec<_> =
                        report.benches.into_iter().flat_map(|run| run.failures).map(|f| f.what).collect();
                    failed.dedup();
                    failed
                }
                Ended::Code(_) | Ended::Killed => vec!["panics".to_owned()],
                Ended::Late => {
                    hanging += 1;
                    vec!["hangs".to_owned()]
                }
            };
            caught.push((stem(bench), failed));
            if caught.len() >= most || hanging == MOST_HANGING {
                break;
            }
        }
        Ok(caught)
    }

    /// Runs some testbenches in one process.
    fn run(&self, options: &[&str], planted: usize, testbenches: &[PathBuf]) -> Result<Ended, String> {
        let mut test = Command::new(&self.programs.wormscope);
        // Planes have the equations of the blocks once more, without the faults.
        let engine: &[&str] = if options.contains(&"--engine") { &[] } else { &["--engine", "banked"] };
        test.args(["test", "--wave", "never", "--json"]).arg(&self.report).args(engine).args(options).args(testbenches);
        test.env("PLANTED", planted.to_string()).current_dir(self.tree);
        finish(test.stdout(Stdio::null()).stderr(Stdio::null()))
    }
}

/// An order in which testbenches catch most faults soonest. First comes the testbench that catches
/// most of the faults with these verdicts. Then comes the one that catches most of the others.
pub fn order(testbenches: &[PathBuf], verdicts: impl Iterator<Item = Verdict>) -> Vec<PathBuf> {
    let mut open: Vec<BTreeSet<String>> = verdicts
        .filter_map(|verdict| match verdict {
            Verdict::Testbenches(caught) => Some(caught.into_iter().map(|(bench, _)| bench).collect()),
            _ => None,
        })
        .collect();
    let (mut left, mut order) = (testbenches.to_vec(), Vec::new());
    while !left.is_empty() {
        let catches = |bench: &PathBuf| open.iter().filter(|caught| caught.contains(&stem(bench))).count();
        // Of several, the first is taken.
        let best = (0..left.len()).rev().max_by_key(|&at| catches(&left[at])).unwrap_or_default();
        let bench = left.remove(best);
        open.retain(|caught| !caught.contains(&stem(&bench)));
        order.push(bench);
    }
    order
}

fn stem(bench: &Path) -> String {
    bench.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
