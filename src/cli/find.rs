//! `wormscope find`.

use std::path::{Path, PathBuf};

use wormscope::config;
use wormscope::input::{ron, title};
use wormscope::output;
use wormscope::report::json;
use wormscope::sweep::find::{self, DesignTask};
use wormscope::sweep::{Base, Sweep, SweepError};

use super::energy;
use super::exit::{CHECK_FAILED, DONE, Refused, interrupted, print};
use super::outputs::Files;
use super::progress::Shown;
use super::signals::Interrupt;
use super::sweep;
use super::usage::{folder, integer};

/// Arguments of `wormscope find`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of the task: base experiments, varied fields, bounds and the metric to minimise or
    /// maximise
    task: PathBuf,
    /// Keep the full runs in DIR as a sweep, for explore, plot and report; if DIR has runs of the
    /// same task, do not make them again
    #[arg(short, long, value_name = "DIR", value_parser = folder())]
    output: Option<PathBuf>,
    /// Do N runs at a time, 1 to 1024 [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = integer(1..=1024_usize))]
    jobs: Option<usize>,
    /// Write the answer to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Shows a search and stops it at an interrupt.
pub(super) struct Searching {
    shown: Shown,
    interrupt: Interrupt,
}

impl Searching {
    /// Shows `what` until the first step begins.
    pub(super) fn new(what: &str) -> Self {
        Self { shown: Shown::steps(what), interrupt: Interrupt::awaited() }
    }
}

impl find::Progress for Searching {
    fn begins(&self, what: &str, parts: u64) {
        self.shown.step(what, parts);
    }

    fn reached(&self, parts: u64) {
        self.shown.reached(parts);
    }

    fn goes_on(&self) -> bool {
        !self.interrupt.has_come()
    }
}

/// Finds the networks of a task, and prints them.
pub fn find(args: &Args) -> Result<u8, Refused> {
    let name = title(&args.task);
    let text = ron::read(&args.task)?;
    if ron::fields(&text).iter().any(|field| field == "network") {
        let like = format!("(bases: [{name:?}], vary: [\"fifo_depth=2,4,8\"], least: \"area\")");
        return Err(Refused(format!("{name}: an experiment; a task in a file of its own varies it, such as {like}")));
    }
    let task = DesignTask::from_text(&name, &text)?;
    let beside = args.task.parent().unwrap_or(Path::new(""));
    let read = |path: PathBuf| Ok::<_, Refused>(Base::new(title(&path), ron::read(&path)?));
    let bases: Vec<Base> = task.bases.iter().map(|base| read(beside.join(base))).collect::<Result<_, _>>()?;
    let energy = task.energy.as_ref().map(|of| energy::Given::read(Path::new(of), beside)).transpose()?;
    let mut inputs: Vec<(&'static str, PathBuf)> = vec![("the task", args.task.clone())];
    for (base, path) in bases.iter().zip(&task.bases) {
        inputs.push(("a base", beside.join(path)));
        inputs.extend(config::from_text(&base.name, &base.text, &[])?.inputs());
    }
    inputs.extend(energy.iter().filter_map(energy::Given::input));
    let energy = energy.map(|of| of.base);
    let file = Files::beside(&inputs).create("--json", args.json.as_deref())?;
    let study =
        task.study(bases.iter().map(|base| base.name.clone()).collect(), energy.as_ref().map(|of| of.name.clone()));
    let in_task = |error: SweepError| Refused::from(error.in_file(&name, &text));
    let grid = Sweep::new(study, bases, energy, true).map_err(in_task)?;
    let searching = Searching::new("pricing networks");
    let found = find::find(&task, grid, args.output.as_deref(), sweep::jobs(args.jobs), &searching).map_err(in_task)?;
    drop(searching);
    print(&found.text())?;
    if let Some(file) = file {
        output::place(vec![json::write(&found, file)?])?;
    }
    Ok(match (found.interrupted, found.holders.is_empty()) {
        (true, _) => interrupted(""),
        (false, true) => CHECK_FAILED,
        (false, false) => DONE,
    })
}
