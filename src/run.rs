//! A run told: what the command line and everything that runs many experiments share.

use std::ops::Range;

use crate::deadlock::Deadlock;
use crate::engine::snapshot::LaneRef;
use crate::engine::{LaneStats, Observer, Totals};
use crate::experiment::Loaded;
use crate::hw::PortId;
use crate::input::ConfigError;
use crate::network::Network;
use crate::report::classes::Spread;
use crate::report::deadlock::Relation;
use crate::report::software::MOST_ROWS;
use crate::report::{self, Collector, Report, RunSummary, SoftwareRow, Utilisation};
use crate::simulation::{Outcome, Simulation, Site};
use crate::trace::layout::far_end;
use crate::trace::names::WaveNames;
use crate::workload::Operation;

/// Runs an experiment to its end and draws its numbers; `site` is its network's.
///
/// ```
/// use wormscope::{config, run, simulation::Site};
///
/// let text = "(network: (topology: linear(nodes: 2)), workload: [messages([(cycle: 5, source: 0, destinations: [1], payload_flits: 3)])])";
/// let loaded = config::from_text("line.ron", text, &[])?;
/// let report = run::run(&loaded, &Site::new(&loaded.experiment.network))?;
/// assert_eq!((report.totals.worms_done, report.packet_latency.map(|of| of.count)), (1, Some(1)));
/// # Ok::<(), wormscope::input::ConfigError>(())
/// ```
///
/// # Errors
/// When a trace cannot be opened or turns out to be wrong on the way, or an algorithm makes no plan.
pub fn run(loaded: &Loaded, site: &Site) -> Result<Report, ConfigError> {
    watched(loaded, site, Collector::new, &mut ())
}

/// As [`run`], for whoever reads scalars only: no multicast has a row of its own. `observer` is told of everything as well.
///
/// # Errors
/// As [`run`].
pub fn scalars<O: Observer>(loaded: &Loaded, site: &Site, observer: &mut O) -> Result<Report, ConfigError> {
    watched(loaded, site, Collector::without_rows, observer)
}

fn watched<O: Observer>(
    loaded: &Loaded,
    site: &Site,
    collect: impl FnOnce(Range<u64>) -> Collector,
    observer: &mut O,
) -> Result<Report, ConfigError> {
    let mut simulation = Simulation::new(loaded, site)?;
    let mut both = (collect(simulation.window()), observer);
    let outcome = simulation.run(&mut both, |_| ())?;
    Ok(summarise(loaded, site, &simulation, &both.0, &outcome))
}

/// The deadlock in which a run ended.
#[must_use]
pub fn found(outcome: &Outcome) -> Option<&Deadlock> {
    match outcome {
        Outcome::Deadlock(deadlock) => Some(deadlock),
        _ => None,
    }
}

/// All numbers of a run that has ended.
#[must_use]
pub fn summarise(
    loaded: &Loaded,
    site: &Site,
    simulation: &Simulation,
    collector: &Collector,
    outcome: &Outcome,
) -> Report {
    let experiment = &loaded.experiment;
    let names = WaveNames::new(&experiment.network, &site.wiring);
    let engine = &simulation.engine;
    // Silent lanes are not hot, and there may be millions of them.
    let lanes: Vec<_> = engine.lane_stats().filter(|lane| lane.flits + lane.blocked > 0).collect();
    let mut classes = collector.classes().clone();
    let measured = simulation.operations().iter().filter(|of| collector.window().contains(&of.begin));
    measured.filter_map(spread).for_each(|spread| classes.software(&spread));
    let operations = simulation.operations();
    let software: Vec<_> =
        operations.iter().take(collector.most_rows().min(MOST_ROWS)).map(|of| SoftwareRow::new(of, site)).collect();
    let run = RunSummary {
        experiment: &loaded.title(),
        config_hash: &loaded.hash,
        seed: experiment.run.seed,
        network: &experiment.network.describe(),
        nodes: experiment.network.nodes(),
        clock_ns: experiment.network.clock_ns,
        outcome: match outcome {
            Outcome::Done => report::Outcome::Done,
            Outcome::Saturated => report::Outcome::Saturated,
            Outcome::CycleLimit | Outcome::Stopped => report::Outcome::CycleLimit,
            Outcome::Deadlock(_) => report::Outcome::Deadlock,
        },
        deadlock: found(outcome).map(|deadlock| {
            let under_way = engine.under_way();
            let info = |worm| under_way.iter().map(|of| of.info).find(|info| info.id == worm);
            Relation::new(deadlock, &names, info)
        }),
        // Time that was skipped counts.
        totals: Totals { cycles: engine.now(), ..engine.totals() },
        cycles: engine.account(),
        saturation: simulation.saturation(),
        waited_for: engine.most_blamed(),
        lanes: &lanes,
        software: &software,
        software_left_out: (operations.len() - software.len()) as u64,
        utilisation: utilisation(&experiment.network, site, &names, simulation),
        classes: &classes,
        link_names: &|switch, lane| {
            let port = PortId(names.lanes().outputs.port(lane));
            let from = names.lane(LaneRef { switch, lane });
            (from, far_end(&site.wiring, switch, port))
        },
        unblocked: &|worm| Some(u64::from(experiment.network.node.startup_cycles) + site.unblocked(worm)?),
    };
    Report::new(&run, collector)
}

/// Latencies of a multicast in software; `None` while a destination is missing.
fn spread(operation: &Operation) -> Option<Spread> {
    let mut spread = Spread::default();
    for &node in &operation.design.plan.destinations {
        spread.add(operation.complete(node)? - operation.begin);
    }
    (spread.arrived > 0).then_some(spread)
}

/// Flits that links carried in a cycle.
fn utilisation(network: &Network, site: &Site, names: &WaveNames, simulation: &Simulation) -> Utilisation {
    let port = |lane: &LaneStats| (lane.switch, PortId(names.lanes().outputs.port(lane.lane)));
    let cycles = simulation.engine.now().max(1) as f64;
    let (mut sum, mut max, mut count) = (0.0, 0.0_f64, 0_u64);
    // Lanes come switch by switch and port by port.
    let mut lanes = simulation.engine.lane_stats().peekable();
    while let Some(lane) = lanes.next() {
        let (switch, port_id) = port(&lane);
        let mut flits = lane.flits;
        while let Some(next) = lanes.next_if(|next| port(next) == (switch, port_id)) {
            flits += next.flits;
        }
        let Some(end) = site.wiring.output(switch, port_id) else { continue };
        let links = network.parallel_links(end);
        let carried = flits as f64 / cycles;
        sum += carried;
        max = max.max(carried / f64::from(links));
        count += u64::from(links);
    }
    Utilisation { mean: sum / count.max(1) as f64, max }
}
