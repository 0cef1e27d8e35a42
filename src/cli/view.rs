//! `wormscope view`.

use std::path::{Path, PathBuf};

use wormscope::experiment::Loaded;
use wormscope::input::{self, ron};
use wormscope::memory::refuse_beyond_memory;
use wormscope::simulation::Site;
use wormscope::sweep::Base;
use wormscope::sweep::advise::{self, Comparison};
use wormscope::testbench::{self, Bench, Verdict, WhyLate};
use wormscope::trace::Window;
use wormscope::view::{Advised, Failure, Recorded, ViewError};
use wormscope::{output, quote, view};

use super::deadlock::Searching;
use super::energy;
use super::exit::{DONE, Refused, print};
use super::find;
use super::given::{self, Given, Overrides};
use super::outputs::{self, Files};
use super::progress::{Shown, under_bar, while_doing};
use super::signals::Interrupt;
use super::sweep;

/// Arguments of `wormscope view`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of an experiment or a testbench (- is standard input), or a run of a sweep: out/17
    file: PathBuf,
    /// Write the page to FILE
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    run: Overrides,
    /// Show only cycles A to B - 1; A.. and ..B are allowed
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    window: Option<Window>,
    /// Show only the switches and nodes that GLOB matches, as in top.rt_3_*, or leave them out, as
    /// in '!top.rt_3_*' (repeatable)
    #[arg(long, value_name = "GLOB")]
    scope: Vec<String>,
    /// Do not search for the cures of a deadlock and its point of no return; the search takes more
    /// runs
    #[arg(long)]
    no_cures: bool,
    /// Run each change of the experiment by one step, as `wormscope advise` does, and show what
    /// each gains and costs
    #[arg(long)]
    advise: bool,
    /// Compare the changes in ns, with the delays of a technology, 45nm, 22nm or 11nm, or of a file
    #[arg(long, value_name = "NAME or FILE", requires = "advise")]
    energy: Option<PathBuf>,
    /// Show the run of FILE as a second run on the same time axis
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Set a field of the second run only, as in network.token_ring=None (repeatable); without
    /// --beside, the second run is otherwise equal to the first
    #[arg(long = "beside-set", value_name = "PATH=VALUE")]
    beside_sets: Vec<String>,
}

/// An experiment to be shown.
struct Viewed {
    /// Title of the page.
    title: String,
    loaded: Loaded,
    /// The command that runs the experiment again. Empty for a testbench, because no command runs
    /// it for its waveform.
    rerun: String,
    /// The command that explains its deadlock.
    explain: String,
    /// The testbench whose expectations the run is held to: one without overrides.
    bench: Option<Bench>,
}

impl Viewed {
    /// The run to compare with.
    fn beside(file: &Path, text: &str, args: &Args) -> Result<Self, Refused> {
        let sets = &args.beside_sets;
        Self::of(file, text, args, sets).map_err(|error| given::of_beside_set(error, sets))
    }

    /// `text` is the text of the file, or the text of a run of a sweep.
    fn of(file: &Path, text: &str, args: &Args, further: &[String]) -> Result<Self, Refused> {
        let mut sets = args.run.sets();
        sets.extend_from_slice(further);
        let (loaded, mut rerun, bench) = if let Some((directory, run)) = given::run_of_sweep(file) {
            let (loaded, rerun) = given::of_sweep(&directory, run, &sets)?;
            (loaded, rerun, None)
        } else {
            let Given { loaded, bench } = given::from_text(file, text, sets.clone(), args.run.seed)?;
            let rerun =
                bench.as_ref().map_or_else(|| format!("wormscope run {}", quote::shell(file)), |_| String::new());
            let bench = bench.filter(|_| sets.is_empty());
            sets.extend(args.run.seed.map(|seed| format!("run.seed={seed}")));
            (loaded, rerun, bench)
        };
        if !rerun.is_empty() {
            rerun.extend(sets.iter().map(|set| format!(" --set {}", quote::shell(set))));
        }
        let explain = if rerun.is_empty() {
            format!("wormscope deadlock {}{}", quote::shell(file), args.run.options())
        } else {
            rerun.replacen("wormscope run ", "wormscope deadlock ", 1)
        };
        let title = if rerun.is_empty() { input::title(file) } else { loaded.title() };
        refuse_beyond_memory(&loaded).map_err(|why| format!("{}: {why}", quote::name(&title)))?;
        Ok(Self { title, loaded, rerun, explain, bench })
    }

    /// Runs all changes of the experiment by one step, if the page shows them.
    fn advised(&self, args: &Args, energy: Option<&energy::Given>) -> Result<Option<Advised>, Refused> {
        /// Seeds of each change, as `wormscope advise` has them by default.
        const SEEDS: u32 = 5;
        if !args.advise {
            return Ok(None);
        }
        // The text has all overrides. Traces are beside the file.
        let base = Base::new(self.loaded.title(), self.loaded.experiment.text());
        let question = Comparison { seeds: SEEDS, metric: None, saturation: None };
        let searching = find::Searching::new("checking the changes");
        let energy = energy.map(|of| &of.base);
        let advice = advise::advise(&self.loaded, &base, energy, &question, sweep::jobs(None), &searching)?;
        drop(searching);
        Ok(Some(Advised::new(&advice).map_err(Refused)?))
    }

    /// Runs the experiment for its page. Runs a testbench also for its verdict.
    fn record<'a>(&'a self, site: &'a Site, window: Window, args: &Args) -> Result<Recorded<'a>, Refused> {
        let run = under_bar(&self.loaded, |progress| view::record(&self.loaded, site, window, &args.scope, progress));
        let mut run = run.map_err(|error| format!("{}: {error}", quote::name(&self.title)))?;
        run.title.clone_from(&self.title);
        let verdict = self.bench.as_ref().map(|bench| while_doing("judging the run", || bench.run(args.run.seed)));
        let verdict = verdict.transpose()?;
        run.failures = verdict.iter().flat_map(marks).collect();
        if !args.no_cures && run.report.deadlock.is_some() {
            let explained = run.explain(&self.explain, &mut Searching::new(Interrupt::awaited(), None));
            explained.map_err(|error| format!("{}: {error}", quote::name(&self.title)))?;
        }
        Ok(run)
    }
}

/// The page of the run of a testbench that had this verdict. `None` if nobody could read the page
/// of such a network.
pub(super) fn page_of(bench: &Bench, verdict: &Verdict, window: Window) -> Result<Option<String>, String> {
    let loaded = bench.drawn(Some(verdict.seed));
    let site = Site::of(&loaded).map_err(|error| error.to_string())?;
    let mut run = match view::record(&loaded, &site, window, &[], &mut |_| ()) {
        Err(ViewError::Picture(_)) => return Ok(None),
        run => run.map_err(|error| error.to_string())?,
    };
    run.title.clone_from(&bench.name);
    run.failures = marks(verdict);
    view::page(&[(run, String::new())]).map(Some).map_err(|error| error.to_string())
}

/// The failures of a verdict as a page marks them.
fn marks(verdict: &Verdict) -> Vec<Failure> {
    let mark = |of: &testbench::Failure| Failure {
        cycle: of.cycle,
        since: of.cause.as_ref().and_then(WhyLate::waits_from),
        why: of.cause.as_ref().map(ToString::to_string),
        worm: of.worm,
        text: of.property.iter().fold(of.to_string(), |text, property| format!("{text}; {property}")),
    };
    verdict.failures.iter().map(mark).collect()
}

fn text_of(file: &Path) -> Result<String, Refused> {
    if given::run_of_sweep(file).is_some() { Ok(String::new()) } else { Ok(ron::read(file)?) }
}

/// Writes the page of a run.
pub fn view(args: &Args) -> Result<u8, Refused> {
    let text = text_of(&args.file)?;
    let mut runs = vec![Viewed::of(&args.file, &text, args, &[])?];
    match &args.beside {
        Some(beside) => runs.push(Viewed::beside(beside, &text_of(beside)?, args)?),
        None if !args.beside_sets.is_empty() => runs.push(Viewed::beside(&args.file, &text, args)?),
        None => {}
    }
    let window = args.window.unwrap_or_default();
    for run in &runs {
        window.begins_within(run.loaded.experiment.run.max_cycles)?;
    }
    let energy = energy::Given::of(args.energy.as_deref())?;
    let inputs = runs.iter().flat_map(|run| run.loaded.inputs()).chain(energy.iter().filter_map(energy::Given::input));
    let inputs: Vec<_> = inputs.collect();
    if let Some(bench) = runs.iter().find(|run| args.advise && run.rerun.is_empty()) {
        let title = quote::name(&bench.title);
        return Err(Refused(format!("{title}: is a testbench, and --advise changes experiments; name an experiment")));
    }
    let file = Files::beside(&inputs).create("-o", Some(&args.output))?;
    let built = || runs.iter().map(|run| Site::of(&run.loaded)).collect::<Result<_, _>>();
    let sites: Vec<Site> = while_doing("building the network", built)?;
    let advised = runs.iter().map(|run| run.advised(args, energy.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let mut recorded = Vec::new();
    for ((shown, site), advised) in runs.iter().zip(&sites).zip(advised) {
        let mut run = shown.record(site, window, args)?;
        run.advised = advised;
        recorded.push((run, shown.rerun.clone()));
    }
    // If both runs are of one file, the title of the second run has its `--beside-set` values.
    if let [_, (beside, _)] = &mut recorded[..] {
        beside.title.extend(args.beside_sets.iter().map(|set| format!(", {set}")));
    }
    for (run, _) in &recorded {
        let failures = run.failures.iter().map(|failure| format!("  {}\n", failure.text));
        print(&format!("{}\n{}", run.told(), failures.collect::<String>()))?;
    }
    let shown = Shown::doing("writing the page");
    let page = view::page(&recorded)?;
    let page = file.map(|file| file.filled(&page)).transpose()?;
    let written = output::place(page.into_iter().collect())?;
    drop(shown);
    print(&outputs::wrote(&written))?;
    Ok(DONE)
}
