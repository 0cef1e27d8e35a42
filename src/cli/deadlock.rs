//! `wormscope deadlock`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wormscope::engine::{Clocked as _, Observer};
use wormscope::experiment::Loaded;
use wormscope::explain::no_return::Bounds;
use wormscope::explain::{Created, Explanation, Stuck, cures, to_the_end};
use wormscope::memory::refuse_beyond_memory;
use wormscope::output::{self, Output, is_standard};
use wormscope::report::{self, json};
use wormscope::run::found;
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope::trace::Waveform;
use wormscope::{config, console, quote};

use super::exit::{DEADLOCK, DONE, Refused, interrupted, print, warn};
use super::given::{self, Given, Overrides};
use super::outputs;
use super::progress::{Shown, under_bar, while_doing};
use super::signals::Interrupt;
use super::usage::integer;

/// Default folder of waveforms.
const WAVES: &str = "waves";

/// Arguments of `wormscope deadlock`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of an experiment or a testbench; - is standard input
    file: PathBuf,
    #[command(flatten)]
    run: Overrides,
    /// Begin the waveform N cycles before the deadlock, 1 to 2^64 - 1; 0 writes no waveform
    /// [default: 64, or up to 1024 if a marker is earlier]
    #[arg(long, value_name = "N", value_parser = integer(0..=u64::MAX))]
    before: Option<u64>,
    /// Write the waveform to FILE, .vcd or .fst, and a GTKWave view of the lanes involved beside it
    /// (repeatable) [default: waves/<experiment>.fst]
    #[arg(long, value_name = "FILE")]
    wave: Vec<PathBuf>,
    /// Write the explanation to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the graph of the waits to FILE for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw the network with the deadlock to FILE as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Limit the search for the point of no return to N evaluations of a switch, 0 to 2^64 - 1
    #[arg(long, value_name = "N", default_value_t = Bounds::default().evaluations, value_parser = integer(0..=u64::MAX))]
    bound: u64,
    /// Test a change for about N flit-hops of random traffic, 0 to 2^64 - 1, and for at least 16
    /// times the cycles up to the deadlock
    #[arg(long, value_name = "N", default_value_t = Bounds::default().flit_hops, value_parser = integer(0..=u64::MAX))]
    cure_bound: u64,
    /// Stop the search for cures after SECONDS, 1 to 2^32 - 1, and print what it has found
    #[arg(long, value_name = "SECONDS", value_parser = integer(1..=u32::MAX))]
    time_limit: Option<u32>,
}

impl Args {
    fn wants_wave(&self) -> bool {
        self.before != Some(0)
    }
}

/// Files of the options, created before the run.
struct Files {
    json: Option<Output>,
    dot: Option<Output>,
    svg: Option<Output>,
    waves: Vec<Waveform>,
    all: outputs::Files,
}

/// A search under way.
pub(super) struct Searching {
    shown: Shown,
    interrupt: Interrupt,
    /// End of the search, if it has a limit.
    until: Option<Instant>,
}

impl Searching {
    pub(super) fn new(interrupt: Interrupt, seconds: Option<u32>) -> Self {
        let until = seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds.into())));
        Self { shown: Shown::doing("trying what frees the deadlock"), interrupt, until }
    }
}

impl Observer for Searching {
    fn stop(&self) -> bool {
        self.interrupt.has_come() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl cures::Watcher for Searching {
    fn admits(loaded: &Loaded) -> bool {
        refuse_beyond_memory(loaded).is_ok()
    }

    fn begins(&mut self, what: &str) {
        self.shown.begins(what);
    }
}

/// Runs to a deadlock and explains it.
pub fn deadlock(args: &Args) -> Result<u8, Refused> {
    let Given { loaded, bench } = given::read(&args.file, args.run.sets(), args.run.seed)?;
    let loaded = to_the_end(loaded);
    let files = Files::create(args, &loaded)?;
    refuse_beyond_memory(&loaded).map_err(|why| format!("{}: {why}", quote::name(&args.file)))?;
    let site = while_doing("building the network", || Site::of(&loaded))?;
    let mut simulation = Simulation::new(&loaded, &site)?;
    let (mut created, mut interrupt) = (Created::default(), Interrupt::awaited());
    let outcome = under_bar(&loaded, |progress| simulation.run(&mut (&mut created, &mut interrupt), progress))?;
    // An interrupted run may not have created all worms that the testbench names.
    if let Some(bench) = bench.filter(|_| outcome != Outcome::Stopped) {
        bench.check_names(&loaded, &outcome, &created.0, simulation.operations().len())?;
    }
    match found(&outcome) {
        Some(deadlock) => {
            let stuck = Stuck { file: &args.file, loaded: &loaded, site: &site, deadlock, worms: &created.0 };
            tell(args, stuck, files, interrupt)
        }
        None => without(args, &loaded, &outcome, &simulation, files),
    }
}

impl Files {
    fn create(args: &Args, loaded: &Loaded) -> Result<Self, Refused> {
        if !args.wants_wave() && !args.wave.is_empty() {
            return Err(Refused("--before 0 writes no waveform; leave it out, or --wave".to_owned()));
        }
        let mut all = outputs::Files::beside(&loaded.inputs());
        let asked = if args.wants_wave() { &args.wave[..] } else { &[] };
        Ok(Self {
            json: all.create("--json", args.json.as_deref())?,
            dot: all.create("--dot", args.dot.as_deref())?,
            svg: all.create("--svg", args.svg.as_deref())?,
            waves: all.waves(asked)?,
            all,
        })
    }

    /// The waveform without an option, in a folder that is made only for a waveform.
    fn unasked_wave(&mut self, args: &Args) -> Result<Waveform, Refused> {
        let stem = match args.file.file_stem() {
            Some(stem) if args.file != Path::new("-") => stem.display().to_string(),
            _ => "stdin".to_owned(),
        };
        std::fs::create_dir_all(WAVES).map_err(|error| format!("{WAVES}: cannot create the folder: {error}"))?;
        let path = Path::new(WAVES).join(format!("{stem}.fst"));
        self.all.waves(&[path])?.pop().ok_or_else(|| Refused(String::new()))
    }
}

/// Warns about a waveform without an option that could not be written.
fn without_waveform<T>(Refused(why): Refused) -> Vec<T> {
    console::tell(&format!(
        "warning: no waveform was written: {why}; name another file with --wave FILE, or write no \
         waveform with --before 0"
    ));
    Vec::new()
}

/// A run that does not end in a deadlock.
fn without(
    args: &Args,
    loaded: &Loaded,
    outcome: &Outcome,
    simulation: &Simulation,
    files: Files,
) -> Result<u8, Refused> {
    let cycles = simulation.engine.now();
    let is_interrupted = *outcome == Outcome::Stopped;
    let outcome = if is_interrupted { report::RunEnd::Interrupted } else { outcome.into() };
    let how = match outcome {
        report::RunEnd::Done => format!(": done at {cycles}"),
        report::RunEnd::Interrupted => format!(" up to cycle {cycles}: interrupted"),
        _ => format!(" up to cycle {cycles}: stopped at the limit"),
    };
    let totals = simulation.engine.totals();
    let worms = format!("{} of {} worms arrived", totals.worms_done, totals.worms_created);
    print(&format!("no deadlock{how}, {worms}\n"))?;
    if let Some(file) = files.json {
        let path = json::write(&Explanation::without(&args.file, loaded, outcome, cycles), file)?.place()?;
        if !is_standard(&path) {
            print(&format!("wrote {}\n", quote::shell(path)))?;
        }
    }
    let waves = if args.wants_wave() { &args.wave[..] } else { &[] };
    let unwritten: Vec<String> = args.dot.iter().chain(&args.svg).chain(waves).map(quote::shell).collect();
    if !unwritten.is_empty() {
        let files = quote::form(unwritten.len(), "was", "were");
        let names = quote::list(&unwritten);
        warn(&[format!("there is no deadlock to show: {names} {files} not written; an older file of that name stays")]);
    }
    Ok(if is_interrupted { interrupted(&format!(" after {cycles} cycles")) } else { DONE })
}

/// A run that does.
fn tell(args: &Args, stuck: Stuck, mut files: Files, interrupt: Interrupt) -> Result<u8, Refused> {
    let names = stuck.names();
    let bounds = Bounds { evaluations: args.bound, flit_hops: args.cure_bound, ..Bounds::default() };
    let mut searching = Searching::new(interrupt, args.time_limit);
    let sought = stuck.seek(bounds, config::under, &mut searching)?;
    drop(searching);
    let story = stuck.story(&sought);
    print(&story.text(&names))?;
    let draw = |waves| {
        let no_return = sought.no_return.as_ref();
        if interrupt.has_come() {
            return Ok(Vec::new());
        }
        let mut until = interrupt;
        Ok(under_bar(stuck.loaded, |progress| stuck.waveforms(args.before, no_return, waves, &mut until, progress))?)
    };
    let mut written = draw(std::mem::take(&mut files.waves))?;
    let mut unasked = Vec::new();
    if args.wants_wave() && args.wave.is_empty() && !interrupt.has_come() {
        let wave = files.unasked_wave(args);
        let drawn = wave.and_then(|wave| draw(vec![wave]));
        unasked = drawn.unwrap_or_else(without_waveform);
    }
    let is_interrupted = interrupt.has_come();
    if is_interrupted && args.wants_wave() && written.is_empty() && unasked.is_empty() {
        warn(&["no waveform was written: you interrupted before it was complete".to_owned()]);
    }
    let paths = written.iter().chain(&unasked).map(Output::path);
    let mut views: Vec<PathBuf> =
        paths.filter(|path| path.extension() == Some("gtkw".as_ref())).map(Path::to_owned).collect();
    views.dedup();
    let open = views.first().map(|view| format!("gtkwave {}", quote::shell(view)));
    if let Some(file) = files.json {
        written.push(json::write(&story.explanation(&names, open.clone()), file)?);
    }
    if let Some(file) = files.dot {
        written.push(file.filled(&story.dot(&names))?);
    }
    if let Some(file) = files.svg {
        let drawn = story.svg(stuck.site.wiring(), &names)?;
        written.push(file.filled(&drawn)?);
    }
    let written = output::place(written)?;
    let mut placed = output::place(unasked).unwrap_or_else(|error| without_waveform(error.into()));
    placed.extend(written);
    let mut text = outputs::wrote(&placed);
    if let Some(open) = open {
        let _ = writeln!(text, "open next: {open}");
    }
    print(&text)?;
    Ok(if is_interrupted { interrupted("") } else { DEADLOCK })
}
