//! `wormscope run`.

use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wormscope::config::{self, Loaded};
use wormscope::engine::{self, Group, Observer, WormInfo};
use wormscope::hw::{NodeId, SwitchId, WormId};
use wormscope::report::{self, Aside, Collector, DeliveryCsv, Report, RunSummary};
use wormscope::simulation::{Simulation, Site};
use wormscope::trace::layout::{Lanes, far_end};
use wormscope::trace::{End, Follow, HopRecorder, Options, Tracer, Window};
use wormscope::verify::deadlock::{Deadlock, Names};
use wormscope::verify::snapshot::LaneRef;

use super::{DEADLOCK, DONE, Refused};

/// Arguments of `wormscope run`.
#[derive(clap::Args)]
pub struct Args {
    /// Experiment in RON
    config: PathBuf,
    /// Stop after N cycles at the latest (run.max_cycles)
    #[arg(long, value_name = "N")]
    cycles: Option<u64>,
    /// Seed of all random streams (run.seed)
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Override a field: network.switch.fifo_depth=8
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Write a waveform, .vcd or .fst, and a GTKWave view beside it
    #[arg(long, value_name = "FILE")]
    wave: Vec<PathBuf>,
    /// Cycles the waveform shows
    #[arg(long, value_name = "A..B", requires = "wave")]
    wave_window: Option<Window>,
    /// Instances the waveform shows, as in top.rt_3_* (repeatable)
    #[arg(long, value_name = "GLOB", requires = "wave")]
    wave_scope: Vec<String>,
    /// Show one worm hop by hop on top of the view
    #[arg(long, value_name = "WORM", requires = "wave")]
    follow: Option<u32>,
    /// Write all numbers as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a row per message and destination
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Names as waveforms show them.
struct WaveNames<'a> {
    site: &'a Site,
    lanes: Lanes,
}

impl Names for WaveNames<'_> {
    fn switch(&self, switch: SwitchId) -> String {
        self.site.wiring.switch_name(switch)
    }

    fn input(&self, _: SwitchId, lane: u8) -> String {
        self.lanes.input_name(lane)
    }

    fn output(&self, lane: LaneRef) -> String {
        self.lanes.output_name(lane.lane)
    }
}

/// Runs an experiment.
pub fn run(args: &Args) -> Result<u8, Refused> {
    let mut sets = args.sets.clone();
    sets.extend(args.cycles.map(|n| format!("run.max_cycles={n}")));
    sets.extend(args.seed.map(|s| format!("run.seed={s}")));
    let loaded = config::load(&args.config, &sets)?;
    let site = Site::new(&loaded.experiment);
    let follow = args.follow.map(|worm| find_hops(&loaded, &site, WormId(worm))).transpose()?;

    // Everything that cannot be written is refused before the run.
    let json = args.json.as_deref().map(Aside::create).transpose()?;
    let hops = |worm: &WormInfo, node: NodeId| site.hops(worm, node);
    let csv = args.csv.as_deref().map(|path| DeliveryCsv::create(path, hops)).transpose()?;
    let options = || Options {
        window: args.wave_window.unwrap_or_default(),
        scopes: args.wave_scope.clone(),
        follow: follow.clone(),
    };
    let network = &loaded.experiment.network;
    let tracers: Vec<_> = args
        .wave
        .iter()
        .map(|path| Tracer::create(path, network, &site.wiring, options()))
        .collect::<Result<_, _>>()?;

    let mut simulation = Simulation::new(&loaded, &site)?;
    let mut reports = (Collector::new(simulation.window()), csv);
    let (outcome, views) = if tracers.is_empty() {
        (go(&mut simulation, &mut reports)?, Vec::new())
    } else {
        let mut watchers = (&mut reports, Group(tracers));
        let outcome = go(&mut simulation, &mut watchers)?;
        let end = End { cycles: simulation.engine.now(), deadlock: found(&outcome).map(|d| d.final_cycle) };
        let views = watchers.1.0.into_iter().map(|tracer| tracer.finish(end)).collect::<Result<Vec<_>, _>>()?;
        (outcome, views.concat())
    };
    let (collector, csv) = reports;
    if let Some(csv) = csv {
        csv.finish()?;
    }
    let report = summarise(&loaded, &site, &simulation, &collector, &outcome);
    if let Some(json) = json {
        report::json::write(&report, json)?;
    }
    super::print(&report::text::summary(&report))?;
    super::print(&next_steps(args, &views))?;
    Ok(if found(&outcome).is_some() { DEADLOCK } else { DONE })
}

fn found(outcome: &engine::Outcome) -> Option<&Deadlock> {
    match outcome {
        engine::Outcome::Deadlock(deadlock) => Some(deadlock),
        _ => None,
    }
}

/// A first run that only learns which way a worm takes.
fn find_hops(loaded: &Loaded, site: &Site, worm: WormId) -> Result<Follow, Refused> {
    let mut simulation = Simulation::new(loaded, site)?;
    let mut recorder = HopRecorder::new(worm, &loaded.experiment.network, &site.wiring);
    go(&mut simulation, &mut recorder)?;
    recorder.finish().ok_or_else(|| {
        let created = simulation.engine.totals().worms_created;
        Refused(match created.checked_sub(1) {
            Some(last) => format!("--follow {worm}: the run creates worms 0 to {last}"),
            None => format!("--follow {worm}: the run creates no worms"),
        })
    })
}

/// Runs under a progress bar, which shows itself on a terminal when the run takes longer than a moment.
fn go<O: Observer>(simulation: &mut Simulation, observer: &mut O) -> Result<engine::Outcome, Refused> {
    let bar = match simulation.window_end() {
        Some(end) => ProgressBar::new(end).with_style(
            ProgressStyle::with_template("{bar:40} cycle {human_pos} of {human_len}, {eta} left")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        ),
        None => ProgressBar::new_spinner().with_style(
            ProgressStyle::with_template("{spinner} cycle {human_pos}, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        ),
    };
    let started = std::time::Instant::now();
    let outcome = simulation.run(observer, |cycle| {
        if started.elapsed() > Duration::from_millis(500) {
            bar.set_position(cycle);
        }
    })?;
    bar.finish_and_clear();
    Ok(outcome)
}

fn summarise(
    loaded: &Loaded,
    site: &Site,
    simulation: &Simulation,
    collector: &Collector,
    outcome: &engine::Outcome,
) -> Report {
    let experiment = &loaded.experiment;
    let names = WaveNames { site, lanes: Lanes::new(&experiment.network, &site.wiring) };
    let engine = &simulation.engine;
    let lanes: Vec<_> = engine.lane_stats().collect();
    let run = RunSummary {
        experiment: &loaded.path.display().to_string(),
        config_hash: &loaded.hash,
        seed: experiment.run.seed,
        network: &super::check::describe(&experiment.network),
        nodes: experiment.network.nodes(),
        clock_ns: experiment.network.clock_ns,
        outcome: match outcome {
            engine::Outcome::Done => report::Outcome::Done,
            engine::Outcome::CycleLimit | engine::Outcome::Stopped => report::Outcome::CycleLimit,
            engine::Outcome::Deadlock(d) => {
                report::Outcome::Deadlock { lines: d.report(&names).lines().map(str::to_owned).collect() }
            }
        },
        totals: engine.totals(),
        cycles: engine.account(),
        waited_for: engine.most_blamed(),
        lanes: &lanes,
        link_names: &|switch, lane| {
            let (port, _) = names.lanes.port(lane);
            let from = format!("{}.{}", site.wiring.switch_name(switch), names.lanes.output_name(lane));
            (from, far_end(&site.wiring, switch, port))
        },
        unblocked: &|worm| site.unblocked(worm),
    };
    Report::new(&run, collector)
}

/// What was written, and what to open next.
fn next_steps(args: &Args, views: &[PathBuf]) -> String {
    let view = views.iter().find(|path| path.extension().is_some_and(|extension| extension == "gtkw"));
    let written: Vec<String> = args
        .wave
        .iter()
        .chain(view)
        .chain(&args.json)
        .chain(&args.csv)
        .map(|path| path.display().to_string())
        .collect();
    if written.is_empty() {
        return String::new();
    }
    let mut text = format!("\nwrote {}\n", written.join(", "));
    if let Some(view) = view {
        text += &format!("open next: gtkwave {}\n", view.display());
    }
    text
}
