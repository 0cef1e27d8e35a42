//! `wormscope view`.

use std::path::{Path, PathBuf};

use wormscope::experiment::Loaded;
use wormscope::memory::refuse_beyond_memory;
use wormscope::simulation::Site;
use wormscope::trace::Window;
use wormscope::{output, quote, view};

use super::exit::{DONE, Refused, print};
use super::given::{self, Given, Overrides};
use super::outputs::{self, Files};
use super::progress::under_bar;

/// Arguments of `wormscope view`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Experiment or testbench in RON, or a run of a sweep: out/17
    file: PathBuf,
    /// The page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    run: Overrides,
    /// Cycles the page shows
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    window: Option<Window>,
    /// Show another run beside it, on the same axis of time
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Override a field of the run beside it, which else is the same: network.token_ring=None
    #[arg(long = "beside-set", value_name = "PATH=VALUE")]
    beside_sets: Vec<String>,
}

/// An experiment to be shown, and the command that runs it again; none runs a testbench for its
/// waveform.
fn given(file: &Path, args: &Args, further: &[String]) -> Result<(Loaded, String), Refused> {
    let mut sets = args.run.sets();
    sets.extend_from_slice(further);
    let (loaded, mut rerun) = if let Some((directory, run)) = given::run_of_sweep(file) {
        given::of_sweep(&directory, run, &sets)?
    } else {
        let Given { loaded, bench } = given::read(file, sets.clone(), args.run.seed)?;
        sets.extend(args.run.seed.map(|seed| format!("run.seed={seed}")));
        (loaded, if bench.is_some() { String::new() } else { format!("wormscope run {}", quote::shell(file)) })
    };
    if !rerun.is_empty() {
        rerun.extend(sets.iter().map(|set| format!(" --set {}", quote::shell(set))));
    }
    refuse_beyond_memory(&loaded).map_err(|why| format!("{}: {why}", quote::name(loaded.title())))?;
    Ok((loaded, rerun))
}

/// Writes the page of a run.
pub fn view(args: &Args) -> Result<u8, Refused> {
    let mut runs = vec![given(&args.file, args, &[])?];
    if args.beside.is_some() || !args.beside_sets.is_empty() {
        runs.push(given(args.beside.as_ref().unwrap_or(&args.file), args, &args.beside_sets)?);
    }
    let window = args.window.unwrap_or_default();
    for (loaded, _) in &runs {
        window.begins_within(loaded.experiment.run.max_cycles)?;
    }
    let inputs: Vec<_> = runs.iter().flat_map(|(loaded, _)| loaded.inputs()).collect();
    let file = Files::beside(&inputs).create("-o", Some(&args.output))?;
    let sites: Vec<Site> = runs.iter().map(|(loaded, _)| Site::new(&loaded.experiment.network)).collect();
    let mut recorded = Vec::new();
    for ((loaded, rerun), site) in runs.iter().zip(&sites) {
        let run = under_bar(loaded, |progress| view::record(loaded, site, window, progress));
        recorded.push((run.map_err(|error| format!("{}: {error}", quote::name(loaded.title())))?, rerun.clone()));
    }
    // Of one file both, they are told apart by what is set.
    if let [_, (beside, _)] = &mut recorded[..] {
        beside.title.extend(args.beside_sets.iter().map(|set| format!(", {set}")));
    }
    for (run, _) in &recorded {
        print(&format!("{}\n", run.told()))?;
    }
    let page = view::page(&recorded)?;
    let page = file.map(|file| file.filled(&page)).transpose()?;
    let written = output::place(page.into_iter().collect())?;
    print(&outputs::wrote(&written))?;
    Ok(DONE)
}
