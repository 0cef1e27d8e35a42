//! Numbers of a run, from its engine and its collector.

use crate::deadlock::{Deadlock, Names as _, Relation};
use crate::engine::{Clocked as _, LaneStats, Totals};
use crate::experiment::Loaded;
use crate::explain::names::WaveNames;
use crate::hw::PortId;
use crate::network::Network;
use crate::report::classes::Spread;
use crate::report::software::MOST_ROWS;
use crate::report::study::MulticastStudy;
use crate::report::summary::{LinkStats, hottest_links};
use crate::report::{Collector, Report, RunSummary, SoftwareRow, Utilisation};
use crate::simulation::{Outcome, Simulation, Site};
use crate::workload::Operation;

/// The deadlock in which a run ended.
#[must_use]
pub fn found(outcome: &Outcome) -> Option<&Deadlock> {
    match outcome {
        Outcome::Deadlock(deadlock) => Some(deadlock),
        _ => None,
    }
}

/// All numbers of a run that has ended, with a clock period of `clock_ns`.
#[must_use]
pub(crate) fn summarise(
    loaded: &Loaded,
    site: &Site,
    simulation: &Simulation,
    collector: &Collector,
    outcome: &Outcome,
    clock_ns: f64,
) -> Report {
    let experiment = &loaded.experiment;
    let names = WaveNames::new(&experiment.network, site.wiring());
    let engine = &simulation.engine;
    let hottest = hottest_links(links(&experiment.network, site, &names, simulation));
    let mut classes = collector.classes().clone();
    let measured = simulation.operations().iter().filter(|of| of.measured);
    for of in measured {
        if let Some(spread) = spread(of) {
            classes.software(&spread, of.design.class.number);
        }
    }
    let passed = simulation.passed();
    for of in passed.iter().flat_map(|passed| &passed.measured) {
        let spread = Spread { arrived: of.destinations, first: of.first, last: of.last, sum: of.sum.into() };
        classes.software(&spread, of.class);
    }
    let operations = simulation.operations();
    let software: Vec<_> =
        operations.iter().take(collector.most_rows().min(MOST_ROWS)).map(|of| SoftwareRow::new(of, site)).collect();
    let run = RunSummary {
        experiment: &loaded.title(),
        config_hash: &loaded.hash,
        seed: experiment.run.seed,
        network: &experiment.network.describe(),
        nodes: experiment.network.nodes(),
        clock_ns,
        outcome: outcome.into(),
        deadlock: found(outcome).map(|deadlock| {
            let under_way = engine.under_way();
            let info = |worm| under_way.iter().map(|of| of.info).find(|info| info.id == worm);
            Relation::new(deadlock, &names, info)
        }),
        // Skipped time counts.
        totals: Totals { cycles: engine.now(), ..engine.totals() },
        cycles: engine.account(),
        saturation: simulation.saturation(),
        waited_for: engine.most_blamed(),
        links: &hottest,
        software: &software,
        software_left_out: (operations.len() - software.len()) as u64 + passed.map_or(0, |passed| passed.begun),
        utilisation: utilisation(&experiment.network, site, &names, simulation),
        classes: &classes,
        class_names: &experiment.classes(),
        link_names: &|switch, port| {
            (format!("{}.out{}", names.switch(switch), port.0), site.wiring().far_end(switch, port))
        },
        unblocked: &|worm| Some(u64::from(experiment.network.node.startup_cycles) + site.unblocked(worm)?),
    };
    Report { multicast_study: study(loaded, site, simulation), ..Report::new(&run, collector) }
}

/// Study of multicasts together with other traffic, if the experiment has groups or programs.
fn study(loaded: &Loaded, site: &Site, simulation: &Simulation) -> Option<MulticastStudy> {
    let experiment = &loaded.experiment;
    if experiment.groups.is_empty() && !experiment.ends_with_multicasts() {
        return None;
    }
    let until = simulation.engine.now().min(simulation.window().end);
    MulticastStudy::new(loaded, site, simulation.account()?, simulation.operations(), until)
}

/// Latencies of a multicast in software; `None` while a destination is missing.
fn spread(operation: &Operation) -> Option<Spread> {
    let mut spread = Spread::default();
    for &node in &operation.design.plan.destinations {
        spread.add(operation.complete(node)? - operation.begin);
    }
    (spread.arrived > 0).then_some(spread)
}

/// The links from switches over the whole run.
fn links<'a>(
    network: &'a Network,
    site: &'a Site,
    names: &'a WaveNames,
    simulation: &'a Simulation,
) -> impl Iterator<Item = LinkStats> + 'a {
    let port = |lane: &LaneStats| (lane.switch, PortId(names.lanes().outputs.port(lane.lane)));
    // Lanes come switch by switch and port by port.
    let mut lanes = simulation.engine.lane_stats().peekable();
    std::iter::from_fn(move || {
        let LaneStats { switch, flits, blocked, top_worm, top_held, lane } = lanes.next()?;
        let port_id = PortId(names.lanes().outputs.port(lane));
        let parallel = site.wiring().output(switch, port_id).map_or(1, |end| network.parallel_links(end));
        let mut link = LinkStats { switch, port: port_id, parallel, lanes: 1, flits, blocked, top_worm, top_held };
        while let Some(next) = lanes.next_if(|next| port(next) == (switch, port_id)) {
            link.lanes += 1;
            link.flits += next.flits;
            link.blocked += next.blocked;
            if next.top_held > link.top_held {
                (link.top_worm, link.top_held) = (next.top_worm, next.top_held);
            }
        }
        Some(link)
    })
}

/// Utilisation: flits that links carried in a cycle.
fn utilisation(network: &Network, site: &Site, names: &WaveNames, simulation: &Simulation) -> Utilisation {
    let cycles = simulation.engine.now().max(1) as f64;
    let (mut sum, mut max, mut count) = (0.0, 0.0_f64, 0_u64);
    for link in links(network, site, names, simulation) {
        let carried = link.flits as f64 / cycles;
        sum += carried;
        max = max.max(carried / f64::from(link.parallel));
        count += u64::from(link.parallel);
    }
    Utilisation { mean: sum / count.max(1) as f64, max }
}
