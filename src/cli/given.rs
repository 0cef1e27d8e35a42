//! What a command is given to run: an experiment, a testbench, or a run of a sweep.

use std::path::{Path, PathBuf};

use wormscope::config;
use wormscope::experiment::Loaded;
use wormscope::explore::Sweep;
use wormscope::input::ron;
use wormscope::quote;
use wormscope::testbench::{self, Bench};

use super::exit::Refused;

/// An experiment, and the testbench it is of, with its random worms drawn.
pub struct Given {
    /// The experiment.
    pub loaded: Loaded,
    /// The testbench, if the file is one.
    pub bench: Option<Bench>,
}

/// Reads a configuration or a testbench under overrides; the seed of a testbench is that of its
/// random worms.
pub fn read(file: &Path, mut sets: Vec<String>, seed: Option<u64>) -> Result<Given, Refused> {
    let text = ron::read(file)?;
    if testbench::is_testbench(&text) {
        let bench = testbench::from_text(file, &text)?;
        return Ok(Given { loaded: config::under(&bench.drawn(seed), &sets)?, bench: Some(bench) });
    }
    sets.extend(seed.map(|seed| format!("run.seed={seed}")));
    let mut loaded = config::from_text(file, &text, &sets)?;
    loaded.hold_pipes()?;
    Ok(Given { loaded, bench: None })
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
