//! `wormscope run`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use wormscope::cost::{self, Encodings};
use wormscope::experiment::Evaluation;
use wormscope::memory::refuse_beyond_memory;
use wormscope::output::{self, Output};
use wormscope::report::clock::Clocked;
use wormscope::report::coverage::{Merged, written};
use wormscope::report::picture::readable;
use wormscope::report::rows::RowFormat;
use wormscope::report::{self, RunEnd, heat_picture};
use wormscope::run::{Watch, watched};
use wormscope::simulation::{Site, choice};
use wormscope::trace::{Options, TraceError, Waveform, Window, Windows};
use wormscope::{config, console, quote};

use super::check::warnings;
use super::energy;
use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, interrupted, print, warn};
use super::follow::{Wanted, find_hops};
use super::given::{self, Overrides};
use super::outputs::{self, Files};
use super::plot::Pictures;
use super::progress::{Shown, under_bar, while_doing};
use super::signals;
use super::usage::integer;

/// Arguments of `wormscope run`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of the experiment; - is standard input
    config: PathBuf,
    #[command(flatten)]
    run: Overrides,
    /// Write the waveform to FILE, .vcd or .fst, and a GTKWave view beside it (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(super) wave: Vec<PathBuf>,
    /// Show only cycles A to B - 1 in the waveform; A.. and ..B are allowed (repeatable)
    #[arg(long, value_name = "A..B", requires = "wave", allow_hyphen_values = true)]
    wave_window: Vec<Window>,
    /// Show only the instances that GLOB matches, as in top.rt_3_*, or leave them out, as in
    /// '!top.rt_3_*' (repeatable)
    #[arg(long, value_name = "GLOB", requires = "wave")]
    wave_scope: Vec<String>,
    /// Add the clock and the blocks of every switch to the waveform: FIFO cells, decoder, arbiters,
    /// lanes and credits
    #[arg(long, requires = "wave")]
    wave_blocks: bool,
    /// Write the waveform, a .vcd, cycle by cycle, so that you can read it during the run
    #[arg(long, requires = "wave", conflicts_with = "follow")]
    wave_live: bool,
    /// Show these worms hop by hop at the top of the view: 3,7 (numbers), slowest,
    /// slowest-multicast, multicast:2 (the second multicast), deadlocked
    #[arg(long, value_name = "WORMS", requires = "wave", value_delimiter = ',')]
    follow: Vec<Wanted>,
    /// Write all numbers to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write a row for each worm and destination to FILE as CSV
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Write a row for each link to FILE, .csv or .parquet: flits, use and blocked cycles in the
    /// measured window
    #[arg(long, value_name = "FILE")]
    pub(super) links: Option<PathBuf>,
    /// Write a row for each FIFO to FILE, .csv or .parquet: mean and greatest fill in the measured
    /// window
    #[arg(long, value_name = "FILE")]
    pub(super) fifos: Option<PathBuf>,
    /// Write a row for each worm and destination to FILE, .csv or .parquet: its cycles from
    /// creation to the arrival of its tail, by cause
    #[arg(long, value_name = "FILE")]
    pub(super) accounts: Option<PathBuf>,
    /// Write a trace for Perfetto (ui.perfetto.dev) to FILE: for each worm its account, its states
    /// at each lane, and arrows for its branches
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// Count the situations that the run meets, and write them to FILE as JSON; wormscope coverage
    /// merges and shows such files
    #[arg(long, value_name = "FILE")]
    pub(super) coverage: Option<PathBuf>,
    /// Draw the network to FILE as a heat map: how many flits each link carries in the measured
    /// window
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the same heat map to FILE as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Estimate energy and time with the coefficients of a technology, 45nm, 22nm or 11nm, or of a
    /// file
    #[arg(long, value_name = "NAME or FILE")]
    pub(super) energy: Option<PathBuf>,
    /// Choose the engine that evaluates the run; the results are the same
    #[arg(long, value_enum, default_value_t = Engine::Fast)]
    engine: Engine,
    /// Use up to N threads for a mesh of more than 12,000 routers, 1 to 1024. Other networks use
    /// one. The results are the same. More threads than idle cores make the run slower
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer(1..=1024_usize))]
    threads: usize,
    /// Say which engine evaluates the run, and why
    #[arg(short, long)]
    verbose: bool,
}

/// Engine that evaluates a run.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Engine {
    /// The fast engine: bit planes where they cover the run, else banks of registers
    Fast,
    /// Banks of registers
    Banked,
    /// The plain engine beside the fast one; it evaluates every instance and compares all registers
    /// in every cycle
    Reference,
}

impl From<Engine> for Evaluation {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Fast => Self::Fast,
            Engine::Banked => Self::Banked,
            Engine::Reference => Self::Reference,
        }
    }
}

/// Runs an experiment.
#[allow(clippy::too_many_lines)] // One output after the other.
pub fn run(args: &Args) -> Result<u8, Refused> {
    let mut sets = args.run.sets();
    sets.extend(args.run.seed.map(|s| format!("run.seed={s}")));
    let mut loaded =
        config::load(&args.config, &sets).map_err(|error| given::unlike_an_experiment(&args.config, error))?;
    loaded.engine = args.engine.into();
    loaded.threads = args.threads;
    let windows = Windows::new(args.wave_window.iter().copied())?;
    windows.begin_within(loaded.experiment.run.max_cycles)?;
    let energy = energy::Given::of(args.energy.as_deref())?;
    let coefficients = energy.as_ref().map(energy::Given::coefficients).transpose()?;
    // An output that cannot be written is refused before the run.
    let coefficients_at = energy.iter().filter_map(energy::Given::input);
    let mut files = Files::beside(&loaded.inputs().into_iter().chain(coefficients_at).collect::<Vec<_>>());
    let json = files.create("--json", args.json.as_deref())?;
    let csv = files.create("--csv", args.csv.as_deref())?;
    let links = rows(&mut files, "--links", args.links.as_deref())?;
    let fifos = rows(&mut files, "--fifos", args.fifos.as_deref())?;
    let accounts = rows(&mut files, "--accounts", args.accounts.as_deref())?;
    let trace = files.create("--trace", args.trace.as_deref())?;
    let coverage = files.create("--coverage", args.coverage.as_deref())?;
    let pictures = Pictures::create(&mut files, args.svg.as_deref(), args.png.as_deref())?;
    let mut waves = files.waves(&args.wave)?;
    if args.wave_live {
        waves = waves.into_iter().map(Waveform::live).collect::<Result<_, _>>()?;
    }
    loaded.hold_pipes()?;
    refuse_beyond_memory(&loaded).map_err(|why| Refused(format!("{}: {why}", quote::name(loaded.title()))))?;

    let site = while_doing("building the network", || Site::of(&loaded))?;
    if pictures.are_asked_for() {
        readable(site.wiring())?;
    }
    warn(&while_doing("looking for a deadlock", || warnings(&loaded, &site)));
    if coefficients.is_some() {
        let network = &loaded.experiment.network;
        let cost = cost::of(network, site.wiring(), Encodings::sent(&loaded)?);
        warn(&Clocked::new(network, &cost, coefficients.as_ref())?.warning().into_iter().collect::<Vec<_>>());
    }
    let follows = find_hops(&loaded, &site, &args.follow, &windows)?;
    let watch = Watch {
        waveforms: waves,
        options: Options {
            windows: windows.clone(),
            scopes: args.wave_scope.clone(),
            follows,
            blocks: args.wave_blocks,
            ..Options::default()
        },
        deliveries: csv,
        energy: coefficients,
        heat: pictures.are_asked_for(),
        gauge: links.is_some() || fifos.is_some(),
        accounts: accounts.is_some(),
        coverage: coverage.is_some(),
        trace,
        stop: keeps_what_there_is(args).then(signals::keeps_what_there_is),
    };
    if args.verbose {
        console::tell(&choice(&loaded, watch.looks_at_flits(&loaded)).to_string());
    }
    let mut run = under_bar(&loaded, |progress| watched(&loaded, &site, watch, progress))?;
    if let Some(difference) = run.difference {
        console::tell(&format!("check failed: the engines differ in {difference}"));
        return Ok(CHECK_FAILED);
    }
    let is_interrupted = run.report.outcome == RunEnd::Interrupted;
    let waveforms = match run.waveforms {
        Err(error @ TraceError::WindowNotReached { .. }) if is_interrupted => {
            warn(&[error.to_string()]);
            Ok(Vec::new())
        }
        Err(error @ TraceError::WindowNotReached { .. }) => return Err(error.into()),
        waveforms => waveforms,
    };
    warn(&missed(&windows, run.report.totals.cycles));
    print(&run.report.to_string())?;
    let shown = Shown::doing("writing files");
    let mut files: Vec<Output> = waveforms?;
    if let Some(gauged) = &run.gauged {
        if json.is_some() {
            run.report.links = links.is_some().then(|| gauged.links().collect());
            run.report.fifos = fifos.is_some().then(|| gauged.fifos().collect());
        }
        files.extend(links.map(|(file, format)| format.write(gauged.links(), file)).transpose()?);
        files.extend(fifos.map(|(file, format)| format.write(gauged.fifos(), file)).transpose()?);
    }
    if let (Some(of), Some((file, format))) = (run.accounts, accounts) {
        files.push(format.write(of.into_iter(), file)?);
    }
    let mut reached = Vec::new();
    if let (Some(hardware), Some(file)) = (run.coverage, coverage) {
        let covered = super::coverage::of_run(&loaded, hardware, run.report.totals.cycles);
        reached = super::coverage::spites(&covered);
        let mut merged = Merged::default();
        merged.add(covered)?;
        files.push(file.filled(&written(&merged))?);
    }
    files.extend(json.map(|file| report::json::write(&run.report, file)).transpose()?);
    if let Some(counted) = run.heat {
        files.extend(pictures.with(&heat_picture::draw(site.wiring(), &counted, &run.report)?)?);
    }
    files.extend(run.deliveries?);
    files.extend(run.trace?);
    // All are complete: only now does any take its place.
    let placed = output::place(files)?;
    drop(shown);
    let is_deadlock = run.report.deadlock.is_some();
    print(&next_steps(args, &placed, is_deadlock))?;
    if is_deadlock {
        return Ok(DEADLOCK);
    }
    if is_interrupted {
        return Ok(interrupted(&format!(" after {} cycles", run.report.totals.cycles)));
    }
    if !reached.is_empty() {
        for line in &reached {
            console::tell(line);
        }
        return Ok(CHECK_FAILED);
    }
    if !run.left_behind.is_empty() {
        let left = quote::list_of(run.left_behind, "; ", quote::MOST_LISTED);
        console::tell(&format!("check failed: every worm has arrived, but this was left behind: {left}"));
        return Ok(CHECK_FAILED);
    }
    Ok(DONE)
}

/// Whether an interrupted run prints and writes its partial results. Without rows and numbers, a
/// waveform is incomplete, unless a viewer reads it during the run.
fn keeps_what_there_is(args: &Args) -> bool {
    let files = [&args.json, &args.csv, &args.links, &args.fifos, &args.accounts, &args.coverage, &args.trace];
    args.wave.is_empty() || args.wave_live || files.iter().any(|file| file.is_some())
}

/// Windows that begin after the end of the run; the first is missed with an error.
fn missed(windows: &Windows, cycles: u64) -> Vec<String> {
    let missed = windows.iter().skip(1).filter(|window| window.start >= cycles);
    let told = missed.map(|window| {
        format!("the run was over after {cycles} cycles; the waveform shows nothing of --wave-window {window}")
    });
    told.collect()
}

/// Begins a file of rows and returns its format, if the option is given.
fn rows(files: &mut Files, option: &'static str, path: Option<&Path>) -> Result<Option<(Output, RowFormat)>, Refused> {
    let format = path.map(RowFormat::of).transpose().map_err(|why| Refused(format!("{option} {why}")))?;
    Ok(files.create(option, path)?.zip(format))
}

/// The written files, and the next steps.
fn next_steps(args: &Args, written: &[PathBuf], is_deadlock: bool) -> String {
    let mut text = outputs::wrote(written);
    let mut views: Vec<&PathBuf> = written.iter().filter(|path| path.extension() == Some("gtkw".as_ref())).collect();
    views.dedup();
    for view in views {
        let _ = writeln!(text, "open next: gtkwave {}", quote::shell(view));
    }
    if is_deadlock {
        let options = args.run.options();
        let blank = if text.is_empty() { "\n" } else { "" };
        let _ = writeln!(text, "{blank}to explain it, run: wormscope deadlock {}{options}", quote::shell(&args.config));
    }
    text
}
