//! `wormscope advise`.

use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;

use wormscope::config;
use wormscope::dependency;
use wormscope::experiment::Loaded;
use wormscope::input::{ron, title};
use wormscope::output;
use wormscope::quote;
use wormscope::report::{chart, json};
use wormscope::simulation::Site;
use wormscope::sweep::Base;
use wormscope::sweep::advise::{self, Advice, Comparison};

use super::energy;
use super::exit::{DONE, Refused, interrupted, print, warn};
use super::find::Searching;
use super::outputs::Files;
use super::plot::Pictures;
use super::sweep;
use super::usage::integer;

/// Arguments of `wormscope advise`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of an experiment
    file: PathBuf,
    /// Compare METRIC at the load of the experiment [default: the mean latency; with --energy its
    /// time]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Run each change with N seeds, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = integer(1..=1000_u32))]
    seeds: u32,
    /// Compare the load at saturation too, with some twenty runs for each seed; where several
    /// fields are loads, name one: --saturation=FIELD
    #[arg(long, value_name = "FIELD", num_args = 0..=1, require_equals = true, default_missing_value = "load")]
    saturation: Option<String>,
    /// Compare in ns and Gbit/s, with the delays of a technology, 45nm, 22nm or 11nm, or of a file
    #[arg(long, value_name = "NAME or FILE")]
    energy: Option<PathBuf>,
    /// Do N runs at a time, 1 to 1024 [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = integer(1..=1024_usize))]
    jobs: Option<usize>,
    /// Write the advice to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the gains against the added area to FILE as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the gains against the added area to FILE as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// The warning that worms can deadlock after the change that the advice names.
fn hazard(loaded: &Loaded, advice: &Advice) -> Result<Vec<String>, Refused> {
    let (Some(best), Some(options)) = (advice.best(), advice.next()) else { return Ok(Vec::new()) };
    let changed = config::under(loaded, &best.sets)?;
    let site = Site::of(&changed)?;
    let found = dependency::hazard(&changed, &site, &|| false);
    let file = quote::shell(loaded.title());
    Ok(found
        .map(|hazard| format!("with{options}, worms {hazard}: wormscope check {file}{options} --deadlock"))
        .into_iter()
        .collect())
}

/// Runs all changes of an experiment by one step, and prints what each gains and costs.
pub fn advise(args: &Args) -> Result<u8, Refused> {
    let base = Base::new(title(&args.file), ron::read(&args.file)?);
    let loaded = config::from_text(&base.name, &base.text, &[])?;
    let energy = energy::Given::of(args.energy.as_deref())?;
    let mut inputs = loaded.inputs();
    inputs.push(("the experiment", args.file.clone()));
    inputs.extend(energy.iter().filter_map(energy::Given::input));
    let energy = energy.map(|of| of.base);
    // Each change reads the traces again.
    let is_pipe = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|of| of.file_type().is_fifo());
    if let Some((_, pipe)) = inputs.iter().find(|(what, path)| *what == "the trace" && is_pipe(path)) {
        let why = "is a pipe, and each change reads the trace again; give a file";
        return Err(Refused(format!("{}: {why}", quote::name(pipe))));
    }
    let mut files = Files::beside(&inputs);
    let json = files.create("--json", args.json.as_deref())?;
    let pictures = Pictures::create(&mut files, args.svg.as_deref(), args.png.as_deref())?;
    let question = Comparison { seeds: args.seeds, metric: args.metric.clone(), saturation: args.saturation.clone() };
    let searching = Searching::new("checking the changes");
    let advice = advise::advise(&loaded, &base, energy.as_ref(), &question, sweep::jobs(args.jobs), &searching)?;
    drop(searching);
    print(&advice.text())?;
    warn(&hazard(&loaded, &advice)?);
    let mut written = Vec::new();
    if let Some(file) = json {
        written.push(json::write(&advice, file)?);
    }
    if pictures.are_asked_for() {
        written.extend(pictures.with(&chart::draw(&[advice.chart()]).map_err(Refused)?)?);
    }
    output::place(written)?;
    Ok(if advice.interrupted { interrupted("") } else { DONE })
}
