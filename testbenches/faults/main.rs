//! Runs `make mutants`: does the regression notice when the hardware is wrong?
//!
//! Faults that a designer makes (`_faults.ron`) and the mutants that cargo-mutants makes of `hw`
//! are planted into a copy of the sources and judged. Verdicts are kept in `target/mutants`, so
//! that an interrupted run continues. The page `docs/explain/faults.md` is written from them.
//!
//! It fails in three cases:
//!
//! - a fault escapes the regression;
//! - a mutant survives without an explanation in `_survivors.ron`;
//! - a mutant with an explanation does not survive.

mod catalogue;
mod coverage;
mod judge;
mod plant;
mod report;
mod scratch;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalogue::Fault;
use coverage::Coverage;
use judge::{Judge, Verdict};
use plant::Edit;
use scratch::{Programs, Scratch};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

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
    let planted = faults.len();
    let survivors = catalogue::survivors(&root)?;
    let asked = std::env::args().nth(1);
    if let Some(word) = asked.as_deref().filter(|word| !["planted", "page"].contains(word)) {
        return Err(format!("{word:?} is neither planted nor page; without a word all is judged"));
    }
    // `faults planted` skips the mutants and the page.
    if asked.as_deref() == Some("planted") {
        court.judge(&faults, planted)?;
        return Ok(faults
            .iter()
            .all(|fault| kept::<Verdict>(&court.of(fault)).is_some_and(|verdict| verdict.is_caught())));
    }
    let all = [faults, catalogue::mutants(&root)?].concat();
    // `faults page` writes the page from the verdicts so far.
    if asked.as_deref() != Some("page") {
        court.judge(&all, planted)?;
    }
    let verdicts: Vec<Verdict> = all.iter().map(|fault| kept(&court.of(fault)).unwrap_or(Verdict::Open)).collect();
    let coverage = if court.coverage().exists() { Coverage::read(&court.coverage())? } else { court.count()? };
    let page = report::page(&all, &verdicts, planted, &survivors, &coverage);
    write(&root.join("docs/explain/faults.md"), &page.text)?;
    page.wrong.iter().for_each(|line| eprintln!("{line}"));
    println!("{planted} faults, {} mutants, {} wrong: docs/explain/faults.md", all.len() - planted, page.wrong.len());
    Ok(page.wrong.is_empty())
}

/// Finds verdicts and keeps them.
struct Court {
    scratch: Scratch,
    folder: PathBuf,
    testbenches: Vec<PathBuf>,
    hash_of_code: Sha256,
    hash_of_testbenches: Sha256,
}

impl Court {
    fn new(root: &Path) -> Result<Self, String> {
        let folder = root.join("target/mutants");
        std::fs::create_dir_all(folder.join("verdicts")).map_err(|error| format!("{}: {error}", folder.display()))?;
        let scratch = Scratch::new(root, &folder).map_err(|error| error.to_string())?;
        let hash_of_code = scratch.hash_of_code().map_err(|error| error.to_string())?;
        let hash_of_testbenches = scratch.hash_of_testbenches().map_err(|error| error.to_string())?;
        let testbenches = scratch.testbenches();
        Ok(Self { scratch, folder, testbenches, hash_of_code, hash_of_testbenches })
    }

    /// File of the verdict on a fault, or of all.
    fn file(&self, of: impl FnOnce(Sha256) -> Sha256) -> PathBuf {
        let hash = of(self.hash_of_code.clone()).finalize();
        self.folder.join("verdicts").join(format!("{:.32}.json", format!("{hash:x}")))
    }

    /// File of the coverage of the regression without a fault.
    fn coverage(&self) -> PathBuf {
        let testbenches = self.hash_of_testbenches.clone().finalize();
        self.file(|hash| hash.chain_update(testbenches).chain_update("coverage"))
    }

    /// Counts the coverage of the regression without a fault. Builds the programs again if it must.
    fn count(&self) -> Result<Coverage, String> {
        let (programs, _) = self.scratch.build_all(&[], &mut std::collections::BTreeMap::default())?;
        self.judge_of(&programs, &self.testbenches, &[], 0).coverage(&self.coverage())?;
        Coverage::read(&self.coverage())
    }

    fn of(&self, fault: &Fault) -> PathBuf {
        let Edit { file, range, text } = &fault.edit;
        let testbenches = self.hash_of_testbenches.clone().finalize();
        self.file(|hash| hash.chain_update(testbenches).chain_update(format!("{file} {range:?} {text}")))
    }

    /// Finds the verdicts that are not kept.
    fn judge(&self, all: &[Fault], planted: usize) -> Result<(), String> {
        let open: BTreeSet<usize> =
            (1..=all.len()).filter(|n| kept::<Verdict>(&self.of(&all[n - 1])).is_none()).collect();
        eprintln!("{} to judge, {} kept", open.len(), all.len() - open.len());
        if open.is_empty() { Ok(()) } else { self.judge_open(all, planted, &open) }
    }

    fn judge_open(&self, all: &[Fault], planted: usize, open: &BTreeSet<usize>) -> Result<(), String> {
        let of_refused = self.file(|hash| all.iter().fold(hash, |hash, f| hash.chain_update(format!("{:?}", f.edit))));
        let mut refused = kept(&of_refused).unwrap_or_default();
        let (programs, alone) = self.scratch.build_all(all, &mut refused)?;
        keep(&of_refused, &refused)?;
        let short = self.judge_of(&programs, &self.testbenches, &[], 0).short()?;
        let judge = self.judge_of(&programs, &self.testbenches, &short, 0);
        for healthy in [judge.briefly(0)?, judge.fully(0)?] {
            if !healthy.survives() {
                return Err(format!("without a fault: {healthy:?}"));
            }
        }
        eprintln!("{} testbenches, {} of them with both engines", self.testbenches.len(), short.len());
        for (&number, why) in refused.iter().filter(|(number, _)| open.contains(number)) {
            keep(&self.of(&all[number - 1]), &Verdict::Unviable(why.clone()))?;
        }
        let (faults, mutants): (Vec<_>, Vec<_>) = {
            let here = open.iter().copied().filter(|number| !refused.contains_key(number) && !alone.contains(number));
            here.partition(|&number| number <= planted)
        };
        self.all(&programs, all, planted, &faults, (&self.testbenches, &short))?;
        let order = judge::order(&self.testbenches, all[..planted].iter().filter_map(|fault| kept(&self.of(fault))));
        self.all(&programs, all, planted, &mutants, (&order, &short))?;
        for number in alone.intersection(open) {
            let fault = &all[number - 1];
            match self.scratch.build_one(fault)? {
                Ok(programs) => self.all(&programs, all, planted, &[*number], (&order, &short))?,
                Err(why) => keep(&self.of(fault), &Verdict::Unviable(why))?,
            }
        }
        Ok(())
    }

    fn judge_of<'a>(
        &'a self,
        programs: &'a Programs,
        testbenches: &'a [PathBuf],
        short: &'a [PathBuf],
        worker: usize,
    ) -> Judge<'a> {
        let report = self.folder.join(format!("report_{worker}.json"));
        Judge { programs, tree: &self.scratch.tree, testbenches, short, report }
    }

    /// Judges the faults of some numbers on all processors; the first `planted` by every testbench.
    fn all(
        &self,
        programs: &Programs,
        all: &[Fault],
        planted: usize,
        numbers: &[usize],
        (testbenches, short): (&[PathBuf], &[PathBuf]),
    ) -> Result<(), String> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(Ok(())));
        std::thread::scope(|scope| {
            for worker in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
                let (next, failed) = (&next, &failed);
                scope.spawn(move || {
                    let judge = self.judge_of(programs, testbenches, short, worker);
                    while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let fault = &all[number - 1];
                        let verdict = if number <= planted { judge.fully(number) } else { judge.briefly(number) };
                        let kept = verdict.and_then(|verdict| {
                            eprintln!("{}: {}", fault.name, report::words(&verdict));
                            keep(&self.of(fault), &verdict)
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

fn keep(path: &Path, what: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(what).map_err(|error| error.to_string())?;
    write(path, &text)
}

fn kept<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// All or nothing.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let aside = path.with_extension("part");
    let written = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, path));
    written.map_err(|error| format!("{}: {error}", path.display()))
}
