//! Suite of many testbenches. They run in parallel, and are reported in order.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::time::Instant;

use super::kinds::Kinds;
use super::load::Bench;
use super::outcome::{BenchRun, Failed, Status};
use super::replay::evidence_files;
use super::run::{BenchError, Verdict};
use super::sources::Sources;
use crate::coverage::RunCoverage;
use crate::experiment::{Evaluation, Loaded};
use crate::quote;
use crate::trace::Window;

/// Stack for the parsers of every thread.
const STACK: usize = 8 << 20;
/// Largest number of kinds of failures of one run whose signals are shown.
const MOST_SAMPLED: usize = 20;

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
    /// Overrides of every testbench, `path=value`.
    pub sets: Vec<String>,
    /// Engine of the runs.
    pub engine: Evaluation,
    /// Number of runs of each. The seed grows by one from run to run.
    pub repeat: u32,
    /// Whether runs count coverage.
    pub coverage: bool,
    /// Condition for waveforms.
    pub wave: Wave,
    /// Whether waveforms have the blocks of every switch.
    pub wave_blocks: bool,
    /// Largest number of waveforms of a kind of failure.
    pub keep_waves: u32,
    /// Number of failed runs after which no more runs begin.
    pub max_failures: Option<u32>,
    /// Folder of the waveforms.
    pub folder: PathBuf,
}

/// The program around a suite.
pub trait Host: Sync {
    /// May refuse a network.
    ///
    /// # Errors
    /// The reason.
    fn admit(&self, _: &Loaded) -> Result<(), String> {
        Ok(())
    }

    /// May refuse the path of a file that a run would write.
    ///
    /// # Errors
    /// The reason.
    fn claim(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }

    /// A page of HTML that shows a failed run in a window; `None` for no page.
    ///
    /// # Errors
    /// Why there is no page.
    fn page(&self, _: &Bench, _: &Verdict, _: Window) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// A flag that ends all runs, also those under way.
    fn stop(&self) -> &AtomicBool;
}

/// All runs of a suite.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The runs, in order.
    pub runs: Vec<BenchRun>,
    /// Kinds of their failures.
    pub kinds: Kinds,
    /// Number of runs that did not begin or did not end.
    pub left_out: usize,
}

/// A run and the verdict on it, if it failed and its signals are still to be shown.
type Finished = Option<(BenchRun, Option<Verdict>)>;

impl Suite {
    /// Reads the files of all testbenches, in order.
    #[must_use]
    pub fn read(&self) -> Vec<Sources> {
        self.files.iter().map(|file| Sources::read(file)).collect()
    }

    /// Runs all testbenches that were [read](Suite::read), on all processors. `each` gets every
    /// run, in order.
    #[allow(clippy::result_large_err)] // There is one error for each file.
    pub fn run(&self, sources: Vec<Sources>, host: &impl Host, mut each: impl FnMut(&BenchRun)) -> Runs {
        let stems = self.stems();
        let sources: Vec<Mutex<Option<Sources>>> = sources.into_iter().map(|of| Mutex::new(Some(of))).collect();
        let loaded: Vec<OnceLock<Result<Bench, Failed>>> = self.files.iter().map(|_| OnceLock::new()).collect();
        let repeat = self.repeat as usize;
        let jobs = self.files.len() * repeat;
        let workers = std::thread::available_parallelism().map_or(1, NonZero::get).min(jobs);
        let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (mut runs, mut kinds, mut done, mut failed) = (Vec::new(), Kinds::default(), 0, 0);
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel::<(usize, Finished)>();
            for _ in 0..workers {
                let sender = sender.clone();
                let (next, enough, sources, loaded, stems) = (&next, &enough, &sources, &loaded, &stems);
                let work = move || {
                    loop {
                        let job = next.fetch_add(1, Ordering::Relaxed);
                        if job >= jobs || enough.load(Ordering::Relaxed) || host.stop().load(Ordering::Relaxed) {
                            return;
                        }
                        let (at, again) = (job / repeat, job % repeat);
                        let bench = loaded[at].get_or_init(|| {
                            let read = sources[at].lock().unwrap_or_else(PoisonError::into_inner).take();
                            let read = read.unwrap_or_else(|| Sources::read(&self.files[at]));
                            let mut bench = read.bench_under(&self.sets)?;
                            bench.loaded.engine = self.engine;
                            bench.counts_coverage = self.coverage;
                            let refuse = |why| Failed::bad(Some(bench.name.clone()), why);
                            host.admit(bench.loaded()).map_err(refuse)?;
                            Ok(bench)
                        });
                        // A run that was stopped has no result.
                        let Some(run) = self.one(at, again as u64, bench, &stems[at], host) else { return };
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
                while let Some(run) = waiting.remove(&done)
                    && !enough.load(Ordering::Relaxed)
                {
                    let at = done / repeat;
                    done += 1;
                    let Some((mut run, verdict)) = run else { continue };
                    let kinds_of_run = kinds.take(&mut run);
                    if let (Some(verdict), Some(Ok(bench))) = (verdict, loaded[at].get()) {
                        show_signals(&mut run, bench, &verdict);
                        if self.wave == Wave::OnFailure && kinds.keeps(&kinds_of_run, self.keep_waves) {
                            self.keep(&mut run, bench, &verdict, &stems[at], host);
                        }
                    }
                    each(&run);
                    failed += u32::from(run.status == Status::Failed);
                    if self.max_failures.is_some_and(|most| failed >= most) {
                        enough.store(true, Ordering::Relaxed);
                    }
                    runs.push(run);
                }
            }
        });
        Runs { runs, kinds, left_out: jobs - done }
    }

    /// Folder of the files of each testbench: its own name, or its path if another has the same
    /// name. A number follows if two paths give the same name.
    fn stems(&self) -> Vec<PathBuf> {
        let stem = |path: &Path| match path.file_stem() {
            Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
            _ => "stdin".to_owned(),
        };
        let mut count = BTreeMap::new();
        for path in &self.files {
            *count.entry(stem(path)).or_insert(0) += 1;
        }
        let own = |path: &Path| {
            let name = stem(path);
            if count.get(&name).is_none_or(|count| *count < 2) {
                return name;
            }
            let whole = path.with_extension("").display().to_string();
            whole.trim_start_matches(['.', '/']).replace(['/', '\\'], "_")
        };
        let mut used = BTreeSet::new();
        let names = self.files.iter().map(|path| {
            let own = own(path);
            let others = (2..).map(|number: u32| format!("{own}_{number}"));
            let free = std::iter::once(own.clone()).chain(others).find(|name| used.insert(name.clone()));
            free.unwrap_or(own)
        });
        names.map(|name| self.folder.join(name)).collect()
    }

    /// One run; within it `None` for a repetition of a bad testbench. `None` for a run that was
    /// stopped.
    fn one(
        &self,
        at: usize,
        again: u64,
        bench: &Result<Bench, Failed>,
        stem: &Path,
        host: &impl Host,
    ) -> Option<Finished> {
        let mut run = BenchRun::of(crate::input::title(&self.files[at]));
        let bench = match bench {
            Ok(bench) => bench,
            Err(why) if again == 0 => {
                run.failures.push(why.clone());
                return Some(Some((run, None)));
            }
            Err(_) => return Some(None),
        };
        let seed = self.seed.unwrap_or(bench.loaded().experiment.run.seed).wrapping_add(again);
        (run.purpose, run.tags, run.seed) = (Some(bench.purpose.clone()), bench.tags.clone(), Some(seed));
        let started = Instant::now();
        let verdict = bench.run_until(Some(seed), host.stop());
        run.seconds = started.elapsed().as_secs_f64();
        match verdict {
            Ok(None) => return None,
            Ok(Some(verdict)) => {
                run.status = if verdict.passed() { Status::Passed } else { Status::Failed };
                (run.cycles, run.worms, run.notes) = (verdict.cycles, verdict.worms, verdict.notes.clone());
                run.failures = verdict.failures.iter().map(Failed::from).collect();
                let failed = !verdict.passed();
                run.coverage = verdict.coverage.clone().map(|coverage| RunCoverage { failed, ..coverage });
                run.again = (!verdict.passed()).then(|| bench.again(verdict.seed));
                if self.wave == Wave::Always {
                    self.keep(&mut run, bench, &verdict, stem, host);
                }
                return Some(Some((run, Some(verdict).filter(|verdict| !verdict.passed()))));
            }
            Err(BenchError::Config(error)) => run.failures.push(error.into()),
            Err(error) => run.failures.push(Failed::bad(Some(run.name.clone()), error.to_string())),
        }
        Some(Some((run, None)))
    }

    /// Writes the files of a run into a folder of its own.
    fn keep(&self, run: &mut BenchRun, bench: &Bench, verdict: &Verdict, stem: &Path, host: &impl Host) {
        let mut name = stem.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if self.repeat > 1 {
            name = format!("{name}_s{}", verdict.seed);
        }
        let folder = stem.with_file_name(&name);
        let stem = folder.join(&name);
        let claimed = evidence_files(&stem).iter().try_for_each(|path| host.claim(path));
        let made = claimed.and_then(|()| {
            std::fs::create_dir_all(&folder)
                .map_err(|error| format!("{}: cannot create the folder: {error}", quote::name(&folder)))
        });
        let page = || {
            if verdict.passed() { Ok(None) } else { host.page(bench, verdict, bench.window(verdict)) }
        };
        let page = made.is_ok().then(page).unwrap_or(Ok(None));
        let page = page.unwrap_or_else(|why| {
            run.notes.push(format!("no page: {why}"));
            None
        });
        let written = made
            .and_then(|()| bench.evidence(verdict, &stem, page, self.wave_blocks).map_err(|error| error.to_string()));
        match written {
            Ok(files) => run.files = files,
            Err(why) => {
                // An empty folder would be all that is left of it.
                let _ = std::fs::remove_dir(&folder);
                run.notes.push(format!("no waveform: {why}"));
            }
        }
    }
}

/// Adds the values of signals to the failures that are the first of their kind.
fn show_signals(run: &mut BenchRun, bench: &Bench, verdict: &Verdict) {
    let first = (0..run.failures.len()).filter(|&at| run.failures[at].is_first);
    let first: Vec<usize> = first.take(MOST_SAMPLED).collect();
    // The same run succeeded before.
    for (at, samples) in bench.samples(verdict, &first).unwrap_or_default() {
        run.failures[at].samples = Some(samples);
    }
}
