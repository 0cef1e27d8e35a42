//! `wormscope check`.

use std::path::PathBuf;

use wormscope::cost::{self, Encodings};
use wormscope::dependency;
use wormscope::experiment::{Loaded, Traffic, Workload};
use wormscope::input::title;
use wormscope::memory::{self, refuse_beyond_memory};
use wormscope::quote::counted;
use wormscope::report::clock::Clocked;
use wormscope::report::cost::Checked;
use wormscope::report::idle::idle;
use wormscope::report::text::bytes;
use wormscope::report::{self, groups, hardware, picture};
use wormscope::simulation::Site;
use wormscope::workload::TraceCsv;
use wormscope::{config, output, quote};

use super::energy;
use super::exit::{DONE, Refused, print, warn};
use super::given;
use super::outputs::Files;
use super::progress::Shown;
use super::verdict;

/// Arguments of `wormscope check`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of the experiment; with --deadlock, of a testbench too; - is standard input
    config: PathBuf,
    /// Set a field by its path, or by the end of its path, as in fifo_depth=8 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Estimate the time of a cycle with the coefficients of a technology, 45nm, 22nm or 11nm, or
    /// of a file
    #[arg(long, value_name = "NAME or FILE")]
    energy: Option<PathBuf>,
    /// Draw the network to FILE as SVG; with --deadlock, with the deadlock or the dependency cycle
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the cost of the network to FILE as JSON; with --deadlock, the verdict
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    verdict: verdict::VerdictArgs,
}

/// Validates an experiment, its traces included, and describes the network.
pub fn check(args: &Args) -> Result<u8, Refused> {
    if args.verdict.deadlock {
        let loaded = given::read(&args.config, args.sets.clone(), None)?.loaded;
        return verdict::verdict(loaded, &args.verdict, args.svg.as_deref(), args.json.as_deref());
    }
    let mut loaded =
        config::load(&args.config, &args.sets).map_err(|error| given::unlike_an_experiment(&args.config, error))?;
    let energy = energy::Given::of(args.energy.as_deref())?;
    let coefficients = energy.as_ref().map(energy::Given::coefficients).transpose()?;
    let mut files = Files::beside(
        &loaded.inputs().into_iter().chain(energy.iter().filter_map(energy::Given::input)).collect::<Vec<_>>(),
    );
    let svg = files.create("--svg", args.svg.as_deref())?;
    let json = files.create("--json", args.json.as_deref())?;
    loaded.hold_pipes()?;
    let experiment = &loaded.experiment;
    let shown = Shown::doing("building the network");
    let site = Site::of(&loaded)?;
    let mut payload = hardware::unicast_payload(experiment);
    for name in loaded.traces() {
        shown.begins(&format!("reading {}", quote::name(title(&loaded.resolve(name)))));
        for message in TraceCsv::open(&loaded, name)? {
            payload = payload.or(hardware::payload_of(&message?));
        }
    }
    shown.begins("looking for a deadlock");
    let warned = warnings(&loaded, &site);
    shown.begins("describing the network");
    let mut files = Vec::new();
    if let Some(file) = svg {
        let nodes = site.wiring().nodes();
        let title = format!("{}: {}", counted(nodes, "node"), experiment.network.describe());
        files.push(file.filled(&picture::draw(site.wiring(), &title)?)?);
    }
    let sent = Encodings::sent(&loaded)?;
    let cost = cost::of(&experiment.network, site.wiring(), sent);
    let network = &experiment.network;
    let clock = Clocked::new(network, &cost, coefficients.as_ref())?;
    let text = hardware::sizes(&loaded, cost.reach_bits, &site, payload.unwrap_or(hardware::SOME_FLITS), clock.ns())
        + &memory(&loaded, sent)
        + &hardware::credit_loops(network)
        + &groups::table(network, site.wiring())
        + &report::cost::table(&cost)
        + &clock.text();
    if let Some(file) = json {
        let checked = Checked::new(&loaded, experiment.network.describe(), cost, clock);
        files.push(report::json::write(&checked, file)?);
    }
    drop(shown);
    print(&format!("{}: valid, config {}\n{text}", quote::name(loaded.title()), loaded.hash))?;
    output::place(files)?;
    warn(&warned);
    Ok(DONE)
}

/// Warnings before a run: of a deadlock, of links that no worm takes, and of traffic that is not
/// measured.
pub fn warnings(loaded: &Loaded, site: &Site) -> Vec<String> {
    dependency::warning(loaded, site, &|| false).into_iter().chain(idle(site)).chain(unmeasured(loaded)).collect()
}

/// Traffic that begins after the window.
fn unmeasured(loaded: &Loaded) -> impl Iterator<Item = String> {
    let window = loaded.experiment.window();
    let from = |entry: &Workload| if let Workload::Traffic(Traffic { from, .. }) = entry { *from } else { None };
    (0..).zip(&loaded.experiment.workload).filter_map(move |(index, entry)| {
        let from = from(entry).filter(|&from| from >= window.end)?;
        let last = window.end.saturating_sub(1);
        Some(format!(
            "workload[{index}].traffic begins in cycle {from}, after the last measured cycle, {last}; \
             its messages are not measured"
        ))
    })
}

/// Memory that a run takes, and whether the machine has as much.
fn memory(loaded: &Loaded, sent: Encodings) -> String {
    let more =
        if refuse_beyond_memory(loaded).is_err() { ", more than is available: run ends with an error" } else { "" };
    let needed = memory::of_model(&loaded.experiment, sent.look_up_reach());
    hardware::row("memory of the model", &format!("about {}{more}", bytes(needed)))
}
