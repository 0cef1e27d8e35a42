//! Input of a command that runs: an experiment, a testbench, or a run of a sweep.

use std::path::{Path, PathBuf};

use wormscope::config;
use wormscope::experiment::{LARGEST_CYCLE, Loaded};
use wormscope::explore::Sweep;
use wormscope::input::{ConfigError, ron};
use wormscope::quote;
use wormscope::sweep::Study;
use wormscope::sweep::find::DesignTask;
use wormscope::testbench::{self, Bench};

use super::exit::Refused;
use super::usage::integer;

/// Options of a run on the command line.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Overrides {
    /// Stop after at most N cycles, 1 to 10^18 (run.max_cycles)
    #[arg(long, value_name = "N", value_parser = integer(1..=LARGEST_CYCLE))]
    pub cycles: Option<u64>,
    /// Use S, 0 to 2^64 - 1, as the seed of all random streams (run.seed)
    #[arg(long, value_name = "S", value_parser = integer(0..=u64::MAX))]
    pub seed: Option<u64>,
    /// Set a field by its path, or by the end of its path, as in fifo_depth=8 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub sets: Vec<String>,
}

impl Overrides {
    /// All but the seed, as `--set` takes it.
    pub fn sets(&self) -> Vec<String> {
        self.sets.iter().cloned().chain(self.cycles.map(|n| format!("run.max_cycles={n}"))).collect()
    }

    /// The same as options of a command, the seed among them.
    pub fn options(&self) -> String {
        let sets = self.sets.iter().map(|set| format!(" --set {}", quote::shell(set)));
        let cycles = self.cycles.iter().map(|cycles| format!(" --cycles {cycles}"));
        sets.chain(cycles).chain(self.seed.iter().map(|seed| format!(" --seed {seed}"))).collect()
    }
}

/// An experiment, and the testbench it is of, with its random worms drawn.
pub struct Given {
    /// The experiment.
    pub loaded: Loaded,
    /// The testbench, if the file is one.
    pub bench: Option<Bench>,
}

/// Reads a configuration or a testbench under overrides; the seed of a testbench is that of its
/// random worms.
pub fn read(file: &Path, sets: Vec<String>, seed: Option<u64>) -> Result<Given, Refused> {
    from_text(file, &ron::read(file)?, sets, seed)
}

/// The same as [`read`], for a file whose text is known.
pub fn from_text(file: &Path, text: &str, mut sets: Vec<String>, seed: Option<u64>) -> Result<Given, Refused> {
    if testbench::is_testbench(text) {
        let bench = testbench::from_text(file, text)?;
        let mut drawn = bench.drawn(seed);
        // Only the name: paths in a testbench are relative to the working directory already.
        drawn.path = file.file_name().map(PathBuf::from).unwrap_or_default();
        return Ok(Given { loaded: config::under(&drawn, &sets)?, bench: Some(bench) });
    }
    sets.extend(seed.map(|seed| format!("run.seed={seed}")));
    let mut loaded = config::from_text(file, text, &sets).map_err(|error| unlike(file, text, error))?;
    loaded.hold_pipes()?;
    Ok(Given { loaded, bench: None })
}

/// Names the command for the file, if it is no experiment.
pub fn unlike_an_experiment(file: &Path, error: ConfigError) -> Refused {
    // A pipe was read already, so that it has no text any more.
    let text = if file.is_file() { ron::read(file).unwrap_or_default() } else { String::new() };
    unlike(file, &text, error)
}

fn unlike(file: &Path, text: &str, error: ConfigError) -> Refused {
    let (name, shell) = (quote::name(file), quote::shell(file));
    Refused(if testbench::is_testbench(text) {
        let look = format!("wormscope view {shell} -o page.html");
        format!("{name}: a testbench; to run it: wormscope test {shell}; to look at it: {look}")
    } else if DesignTask::is_one(text) {
        format!("{name}: a task; to find its networks: wormscope find {shell}")
    } else if Study::is_one(text) {
        format!("{name}: the file of a sweep; to run it: wormscope sweep {shell} -o DIR")
    } else {
        return error.into();
    })
}

/// The error of one of these values of `--beside-set`, which says `--set`.
pub fn of_beside_set(Refused(why): Refused, sets: &[String]) -> Refused {
    let is_of = |set: &String| why.starts_with(&format!("--set {set}"));
    Refused(if sets.iter().any(is_of) { why.replacen("--set", "--beside-set", 1) } else { why })
}

/// The sweep and the run of `out/17`, where `out` is a sweep's directory.
pub fn run_of_sweep(file: &Path) -> Option<(PathBuf, &str)> {
    let (directory, run) = (file.parent()?, file.file_name()?.to_str()?);
    let is_run = !file.exists() && run.bytes().all(|byte| byte.is_ascii_digit());
    (is_run && directory.join("schema.json").exists()).then(|| (directory.to_owned(), run))
}

/// The experiment of a run of a sweep under further overrides, and the command that runs it alone.
pub fn of_sweep(directory: &Path, run: &str, sets: &[String]) -> Result<(Loaded, String), Refused> {
    let sweep = Sweep::open(directory)?;
    let row = (0..sweep.len()).find(|&row| sweep.run(row) == run).ok_or_else(|| {
        let runs = sweep.len().saturating_sub(1);
        format!(
            "{}: no run {run} has finished; allowed: runs of its rows.csv, such as 0 to {runs}",
            quote::name(directory)
        )
    })?;
    let (base, command) = (sweep.base(row), sweep.command(row, true));
    let base = sweep
        .schema
        .bases
        .iter()
        .find(|of| of.name == base)
        .ok_or_else(|| format!("{}: {base} is not among the bases of schema.json", quote::name(directory)))?;
    let mut all: Vec<String> = sweep.sets(row).collect();
    all.push(format!("run.seed={}", sweep.seed(row)));
    all.extend_from_slice(sets);
    Ok((config::from_text(&base.name, &base.text, &all)?, command))
}
