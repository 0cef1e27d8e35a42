//! `make mutants`: does the regression notice when the hardware is wrong?
//!
//! Faults that a designer makes (`_faults.ron`) and the mutants that cargo-mutants makes of `hw` are planted into a copy of the sources
//! and judged. Verdicts are kept in `target/mutants`, so that an interrupted run goes on where it was; `docs/FAULTS.md` is written of
//! them. Fails when a fault escapes the regression, a mutant survives without an explanation in `_survivors.ron`, or one that is
//! explained does not survive.

mod catalogue;
mod judge;
mod plant;
mod report;
mod scratch;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalogue::Fault;
use judge::{Judge, Verdict};
use scratch::{Programs, Scratch};
use sha2::Digest;

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let court = Court::new(&root)?;
    let faults = catalogue::faults(&root)?;
    let survivors = catalogue::survivors(&root)?;
    let mutants = catalogue::mutants(&root)?;
    let verdicts = court.judge(&faults, |judge, planted| judge.fully(planted))?;
    let of_mutants = court.judge(&mutants, |judge, planted| judge.briefly(planted))?;
    let (page, wrong) = report::page(&faults, &verdicts, &mutants, &of_mutants, &survivors);
    let path = root.join("docs/FAULTS.md");
    let aside = path.with_extension("md.part");
    let written = std::fs::write(&aside, page).and_then(|()| std::fs::rename(&aside, &path));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    wrong.iter().for_each(|line| eprintln!("{line}"));
    println!("{} faults, {} mutants; docs/FAULTS.md; {} wrong", faults.len(), mutants.len(), wrong.len());
    Ok(wrong.is_empty())
}

/// Where verdicts are found and kept.
struct Court {
    scratch: Scratch,
    folder: PathBuf,
    testbenches: Vec<PathBuf>,
    /// Of the sources as they are.
    hash: sha2::Sha256,
}

impl Court {
    fn new(root: &Path) -> Result<Self, String> {
        let folder = root.join("target/mutants");
        std::fs::create_dir_all(folder.join("verdicts")).map_err(|error| format!("{}: {error}", folder.display()))?;
        let scratch = Scratch::new(root, &folder).map_err(|error| error.to_string())?;
        let hash = scratch.hash().map_err(|error| error.to_string())?;
        let testbenches = scratch.testbenches();
        Ok(Self { scratch, folder, testbenches, hash })
    }

    /// Where the verdict on a fault is kept.
    fn file(&self, fault: &Fault) -> PathBuf {
        let catalogue::Fault { edit, .. } = fault;
        let hash = self.hash.clone().chain_update(format!("{} {:?} {}", edit.file, edit.range, edit.text)).finalize();
        self.folder.join("verdicts").join(format!("{:.32}.json", format!("{hash:x}")))
    }

    fn keep(&self, fault: &Fault, verdict: &Verdict) -> Result<(), String> {
        let (path, text) = (self.file(fault), serde_json::to_string(verdict).map_err(|error| error.to_string())?);
        let aside = path.with_extension("part");
        let kept = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, &path));
        kept.map_err(|error| format!("{}: {error}", path.display()))
    }

    fn kept(&self, fault: &Fault) -> Option<Verdict> {
        serde_json::from_slice(&std::fs::read(self.file(fault)).ok()?).ok()
    }

    /// The verdicts on faults, those that are kept and those that must be found first.
    fn judge(&self, faults: &[Fault], by: Judging) -> Result<Vec<Verdict>, String> {
        let open: Vec<&Fault> = faults.iter().filter(|fault| self.kept(fault).is_none()).collect();
        eprintln!("{} to judge, {} kept", open.len(), faults.len() - open.len());
        if !open.is_empty() {
            let (programs, refused, alone) = self.scratch.build_all(&open)?;
            let healthy = self.judge_of(&programs, 0).fully(0)?;
            if !healthy.survives() {
                return Err(format!("without a fault: {healthy:?}"));
            }
            for (number, why) in &refused {
                self.keep(open[number - 1], &Verdict::Unviable(why.clone()))?;
            }
            let planted = (1..=open.len()).filter(|number| !refused.contains_key(number) && !alone.contains(number));
            self.all(&programs, &open, &planted.collect::<Vec<_>>(), by)?;
            for number in alone {
                match self.scratch.build_one(open[number - 1])? {
                    Ok(programs) => self.all(&programs, &open, &[number], by)?,
                    Err(why) => self.keep(open[number - 1], &Verdict::Unviable(why))?,
                }
            }
        }
        let verdict = |fault| self.kept(fault).ok_or_else(|| format!("{}: no verdict", fault.name));
        faults.iter().map(verdict).collect()
    }

    fn judge_of<'a>(&'a self, programs: &'a Programs, worker: usize) -> Judge<'a> {
        let report = self.folder.join(format!("report_{worker}.json"));
        Judge { programs, tree: &self.scratch.tree, testbenches: &self.testbenches, report }
    }

    /// Judges the faults of some numbers on all processors.
    fn all(&self, programs: &Programs, open: &[&Fault], numbers: &[usize], by: Judging) -> Result<(), String> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(Ok(())));
        std::thread::scope(|scope| {
            for worker in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
                let (next, failed) = (&next, &failed);
                scope.spawn(move || {
                    let judge = self.judge_of(programs, worker);
                    while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let fault = open[number - 1];
                        let kept = by(&judge, number).and_then(|verdict| {
                            eprintln!("{}: {}", fault.name, report::words(&verdict));
                            self.keep(fault, &verdict)
                        });
                        if let (Err(why), Ok(mut failed)) = (kept, failed.lock()) {
                            *failed = Err(why);
                            return;
                        }
                    }
                });
            }
        });
        failed.into_inner().map_err(|error| error.to_string())?
    }
}

/// How thoroughly the fault of a number is judged.
type Judging = fn(&Judge<'_>, usize) -> Result<Verdict, String>;
