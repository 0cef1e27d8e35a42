//! Suite of many testbenches. They are found in folders, run in parallel, and are reported in
//! order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::time::Instant;

use globset::GlobSet;
use serde::Serialize;

use super::failure::Failure;
use super::load::Bench;
use super::replay::replayed;
use super::run::{BenchError, Verdict};
use super::sources::Sources;
use crate::coverage::RunCoverage;
use crate::experiment::{Evaluation, Loaded};
use crate::glob;
use crate::input::ConfigError;
use crate::quote::{self, excerpt};

/// Name of a failure of the testbench's own file, where other failures have an expectation.
pub const WRONG: &str = "testbench";
/// Stack for the parsers of every thread.
const STACK: usize = 8 << 20;

/// Condition for the replay of a run with a waveform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wave {
    /// A replay after a failure.
    #[default]
    OnFailure,
    /// A replay after each run.
    Always,
    /// No replay.
    Never,
}

/// Testbenches to run, with settings.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Files of testbenches, in order.
    pub files: Vec<PathBuf>,
    /// Seed of the first run of each testbench, instead of the seed in the file.
    pub seed: Option<u64>,
    /// Engine of the runs.
    pub engine: Evaluation,
    /// Number of runs of each. The seed grows by one from run to run.
    pub repeat: u32,
    /// Whether runs count coverage.
    pub coverage: bool,
    /// Condition for waveforms.
    pub wave: Wave,
    /// Folder of the waveforms.
    pub folder: PathBuf,
}

/// Reason why there is no testbench to run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A path that cannot be read.
    #[error("{}: cannot be read: {source}", quote::name(path))]
    Read {
        /// The path as given.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The filter is no glob.
    #[error("--filter {}: {message}", excerpt(glob))]
    Glob {
        /// The text as given.
        glob: String,
        /// Fault of the text.
        message: String,
    },
    /// No testbench is left.
    #[error("{0}")]
    Nothing(String),
}

/// Result of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything was as expected.
    Passed,
    /// A result differs from the expected one.
    Failed,
    /// The testbench itself is wrong.
    Bad,
}

/// One run of one testbench.
#[derive(Clone, Debug, Serialize)]
pub struct BenchRun {
    /// The file.
    pub name: String,
    /// Purpose of the testbench, if the file could be read.
    pub purpose: Option<String>,
    /// Result of the testbench.
    pub status: Status,
    /// Seed, if the testbench ran.
    pub seed: Option<u64>,
    /// The command that repeats a failure.
    pub again: Option<String>,
    /// Number of simulated cycles.
    pub cycles: u64,
    /// Number of created worms.
    pub worms: u64,
    /// Seconds of the run.
    pub seconds: f64,
    /// Failures, or the reason why the testbench is wrong.
    pub failures: Vec<Failed>,
    /// Notes for the reader that are no failures.
    pub notes: Vec<String>,
    /// Waveform, view and log, the view first.
    pub files: Vec<PathBuf>,
    /// Situations that the run has met, if they were counted.
    #[serde(skip)]
    pub coverage: Option<RunCoverage>,
}

/// A failure in reports.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// Place of the expectation.
    pub place: Option<String>,
    /// Part that failed.
    pub what: String,
    /// Expected and observed result.
    pub message: String,
    /// Cycle in which the failure shows.
    pub cycle: Option<u64>,
    /// The longest wait of the worm before the failure, and the account of the worm's cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether an earlier failure of the run has the same wait.
    #[serde(skip)]
    pub repeats: bool,
}

impl From<&Failure> for Failed {
    fn from(failure: &Failure) -> Self {
        let Failure { place, what, message, cycle, cause, .. } = failure.clone();
        let repeats = cause.as_ref().is_some_and(|cause| cause.repeats);
        Self { place, what, message, cycle, why: cause.map(|cause| cause.to_string()), repeats }
    }
}

impl From<ConfigError> for Failed {
    fn from(error: ConfigError) -> Self {
        let (place, message) = match error {
            ConfigError::Invalid { place, message } => (Some(place.to_string()), message),
            ConfigError::Read { file, source } => (Some(file), format!("cannot be read: {source}")),
            error @ (ConfigError::NoExample(_) | ConfigError::UnknownName(_)) => (None, error.to_string()),
        };
        Self::bad(place, message)
    }
}

impl Failed {
    /// Failure of a testbench that is wrong.
    fn bad(place: Option<String>, message: String) -> Self {
        Self { place, what: WRONG.to_owned(), message, cycle: None, why: None, repeats: false }
    }
}

/// The testbenches below `paths`. Files are taken as they are. Folders, and folders in them that
/// are no symbolic links, give every `*.ron`. Names that begin with `_` are left out, because other
/// files include them. `filter` chooses by path or by name.
///
/// # Errors
/// A path cannot be read, the filter is no glob, or nothing is left.
pub fn find(paths: &[PathBuf], filter: Option<&str>) -> Result<Vec<PathBuf>, SuiteError> {
    let compile =
        |glob: &str| glob::compile(glob, false).map_err(|message| SuiteError::Glob { glob: glob.to_owned(), message });
    let matcher = filter.map(compile).transpose()?;
    let mut files = Vec::new();
    for path in paths {
        let read = |source| SuiteError::Read { path: path.clone(), source };
        if path.is_dir() {
            walk(path, &mut files).map_err(read)?;
        } else if path == Path::new("-") {
            files.push(path.clone());
        } else {
            // A file that cannot be read is a bad testbench, and the other testbenches still run. A
            // file that does not exist is a mistyped path.
            std::fs::metadata(path).map_err(read)?;
            files.push(path.clone());
        }
    }
    let found = files.len();
    let chosen = |matcher: &GlobSet, path: &Path| {
        let (file, stem) = (path.file_name(), path.file_stem());
        matcher.is_match(path) || [file, stem].into_iter().flatten().any(|name| matcher.is_match(name))
    };
    files.retain(|path| matcher.as_ref().is_none_or(|matcher| chosen(matcher, path)));
    if files.is_empty() {
        let places: Vec<_> = paths.iter().map(quote::name).collect();
        return Err(SuiteError::Nothing(match filter {
            Some(glob) if found > 0 => format!("--filter {}: matches none of {found} testbenches", excerpt(glob)),
            _ => format!("{}: no testbench, *.ron", places.join(", ")),
        }));
    }
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Links to folders may lead in a circle, and are not followed.
        if path.is_symlink() && path.is_dir() {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension() == Some("ron".as_ref()) && !name.starts_with('_') && !is_special(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a path leads to a pipe or a device. These are read only when you name them.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file())
}

impl Suite {
    /// Reads the files of all testbenches, in order.
    #[must_use]
    pub fn read(&self) -> Vec<Sources> {
        self.files.iter().map(|file| Sources::read(file)).collect()
    }

    /// Runs all testbenches that were [read](Suite::read), on all processors. `admit` may refuse a
    /// network, and `claim` the path of a file that a run would write. `each` gets every run, in
    /// order.
    pub fn run(
        &self,
        sources: Vec<Sources>,
        admit: impl Fn(&Loaded) -> Result<(), String> + Sync,
        claim: impl Fn(&Path) -> Result<(), String> + Sync,
        mut each: impl FnMut(&BenchRun),
    ) -> Vec<BenchRun> {
        let stems = self.stems();
        let sources: Vec<Mutex<Option<Sources>>> = sources.into_iter().map(|of| Mutex::new(Some(of))).collect();
        let loaded: Vec<OnceLock<Result<Bench, Failed>>> = self.files.iter().map(|_| OnceLock::new()).collect();
        let jobs = self.files.len() * self.repeat as usize;
        let workers = std::thread::available_parallelism().map_or(1, NonZero::get).min(jobs);
        let next = AtomicUsize::new(0);
        let mut runs = Vec::new();
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..workers {
                let sender = sender.clone();
                let (next, sources, loaded, stems) = (&next, &sources, &loaded, &stems);
                let (admit, claim) = (&admit, &claim);
                let work = move || {
                    loop {
                        let job = next.fetch_add(1, Ordering::Relaxed);
                        if job >= jobs {
                            return;
                        }
                        let (at, again) = (job / self.repeat as usize, job % self.repeat as usize);
                        let bench = loaded[at].get_or_init(|| {
                            let read = sources[at].lock().unwrap_or_else(PoisonError::into_inner).take();
                            let mut bench = read.unwrap_or_else(|| Sources::read(&self.files[at])).bench()?;
                            bench.loaded.engine = self.engine;
                            bench.counts_coverage = self.coverage;
                            let refuse = |why| Failed::bad(Some(bench.name.clone()), why);
                            admit(bench.loaded()).map_err(refuse)?;
                            Ok(bench)
                        });
                        let run = self.one(at, again as u64, bench, &stems[at], claim);
                        if sender.send((job, run)).is_err() {
                            return;
                        }
                    }
                };
                let thread = std::thread::Builder::new().stack_size(STACK);
                if thread.spawn_scoped(scope, work.clone()).is_err() {
                    // The system gives no more threads, so this thread does the work.
                    work();
                }
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            for (job, run) in receiver {
                waiting.insert(job, run);
                while let Some(run) = waiting.remove(&runs.len()) {
                    if let Some(run) = &run {
                        each(run);
                    }
                    runs.push(run);
                }
            }
        });
        runs.into_iter().flatten().collect()
    }

    /// Stems of the files of each testbench: its own name, or its path if another has the same
    /// name.
    fn stems(&self) -> Vec<PathBuf> {
        let stem = |path: &Path| match path.file_stem() {
            Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
            _ => "stdin".to_owned(),
        };
        let own = |path: &Path| {
            let same = self.files.iter().filter(|other| stem(other) == stem(path)).count();
            if same < 2 {
                return stem(path);
            }
            let whole = path.with_extension("").display().to_string();
            whole.trim_start_matches(['.', '/']).replace(['/', '\\'], "_")
        };
        self.files.iter().map(|path| self.folder.join(own(path))).collect()
    }

    /// One run; `None` for a repetition of a bad testbench.
    fn one(
        &self,
        at: usize,
        again: u64,
        bench: &Result<Bench, Failed>,
        stem: &Path,
        claim: impl Fn(&Path) -> Result<(), String>,
    ) -> Option<BenchRun> {
        let mut run = BenchRun {
            name: crate::input::title(&self.files[at]),
            purpose: None,
            status: Status::Bad,
            seed: None,
            again: None,
            cycles: 0,
            worms: 0,
            seconds: 0.0,
            failures: Vec::new(),
            notes: Vec::new(),
            files: Vec::new(),
            coverage: None,
        };
        let bench = match bench {
            Ok(bench) => bench,
            Err(why) if again == 0 => {
                run.failures.push(why.clone());
                return Some(run);
            }
            Err(_) => return None,
        };
        let seed = self.seed.unwrap_or(bench.loaded().experiment.run.seed).wrapping_add(again);
        (run.purpose, run.seed) = (Some(bench.purpose.clone()), Some(seed));
        let started = Instant::now();
        let verdict = bench.run(Some(seed));
        run.seconds = started.elapsed().as_secs_f64();
        match verdict {
            Ok(verdict) => self.take(&mut run, bench, &verdict, stem, claim),
            Err(BenchError::Config(error)) => run.failures.push(error.into()),
            Err(error) => run.failures.push(Failed::bad(Some(run.name.clone()), error.to_string())),
        }
        Some(run)
    }

    fn take(
        &self,
        run: &mut BenchRun,
        bench: &Bench,
        verdict: &Verdict,
        stem: &Path,
        claim: impl Fn(&Path) -> Result<(), String>,
    ) {
        run.status = if verdict.passed() { Status::Passed } else { Status::Failed };
        (run.cycles, run.worms, run.notes) = (verdict.cycles, verdict.worms, verdict.notes.clone());
        run.failures = verdict.failures.iter().map(Failed::from).collect();
        run.coverage.clone_from(&verdict.coverage);
        run.again = (!verdict.passed()).then(|| bench.again(verdict.seed));
        let draw = match self.wave {
            Wave::Always => true,
            Wave::OnFailure => !verdict.passed(),
            Wave::Never => false,
        };
        if draw {
            let name = stem.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let stem = if self.repeat > 1 {
                stem.with_file_name(format!("{name}_s{}", verdict.seed))
            } else {
                stem.to_owned()
            };
            let claimed = replayed(&stem).iter().try_for_each(|path| claim(path));
            let made = claimed.and_then(|()| {
                std::fs::create_dir_all(&self.folder)
                    .map_err(|error| format!("{}: cannot create the folder: {error}", quote::name(&self.folder)))
            });
            match made.and_then(|()| bench.replay(verdict, &stem).map_err(|error| error.to_string())) {
                Ok(files) => run.files = files,
                Err(why) => run.notes.push(format!("no waveform: {why}")),
            }
        }
    }
}
