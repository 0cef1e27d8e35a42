//! A run with its observers, as `wormscope run` performs it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::summary::{found, summarise};
use crate::account::{Accounts, History};
use crate::cost::{self, Encodings};
use crate::coverage::{Coverage, Covered};
use crate::energy::{self, Activity, Coefficients, Energy};
use crate::engine::{Clocked as _, Observer, Observers, WormInfo};
use crate::experiment::Loaded;
use crate::explain::names::WaveNames;
use crate::explain::view;
use crate::input::ConfigError;
use crate::output::{Output, OutputError};
use crate::report::accounts::{AccountRow, AccountTable};
use crate::report::gauge::{Gauge, Gauged};
use crate::report::heat::{Counted, Heat};
use crate::report::hops::HopCount;
use crate::report::perfetto::PerfettoTrace;
use crate::report::{self, Collector, DeliveryCsv, Report};
use crate::simulation::{Outcome, Simulation, Site, tells_all_by_worm};
use crate::trace::{DumpEnd, Options, TraceError, Tracer, Waveform};

/// Observers of a run, without the collector of its numbers. None of them changes a bit of the run.
#[derive(Default)]
pub struct Watch {
    /// Waveforms, begun, each with its view.
    pub waveforms: Vec<Waveform>,
    /// Part of the run that the waveforms show.
    pub options: Options,
    /// Output for a row for every delivery.
    pub deliveries: Option<Output>,
    /// Coefficients, to estimate the energy of the hardware's activity.
    pub energy: Option<Coefficients>,
    /// Whether to count the flits of every link, for a heat map.
    pub heat: bool,
    /// Whether to watch all links and FIFOs.
    pub gauge: bool,
    /// Whether to account for every worm's cycles.
    pub accounts: bool,
    /// Whether to count the situations that the run meets.
    pub coverage: bool,
    /// Output for a trace for Perfetto.
    pub trace: Option<Output>,
    /// Flag that ends the run early once it is true. The report then says `interrupted`.
    pub stop: Option<&'static AtomicBool>,
}

impl Watch {
    /// Whether an observer of a run needs single flits in each cycle.
    #[must_use]
    pub fn looks_at_flits(&self, loaded: &Loaded) -> bool {
        self.looks_at_lanes() || self.energy.is_some() && (self.heat || !tells_all_by_worm(loaded))
    }

    /// Whether an observer needs the samples of single lanes.
    fn looks_at_lanes(&self) -> bool {
        let Self {
            waveforms,
            options: _,
            deliveries: _,
            energy: _,
            heat: _,
            gauge,
            accounts,
            coverage,
            trace,
            stop: _,
        } = self;
        !waveforms.is_empty() || *gauge || *accounts || *coverage || trace.is_some()
    }
}

/// Ends the run when the flag is set.
struct Until(Option<&'static AtomicBool>);

impl Until {
    fn is_over(&self) -> bool {
        self.0.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Observer for Until {
    fn stop(&self) -> bool {
        self.is_over()
    }
}

/// A run that has ended, with the results of its observers. The report is valid even if files could
/// not be written.
pub struct Watched<'a> {
    /// Numbers of the run.
    pub report: Report,
    /// Waveforms and views, complete but without their names yet.
    pub waveforms: Result<Vec<Output>, TraceError>,
    /// The deliveries, in the same state.
    pub deliveries: Result<Option<Output>, OutputError>,
    /// Flits of the links, if they were counted.
    pub heat: Option<Counted>,
    /// All links and FIFOs, if they were watched.
    pub gauged: Option<Gauged<'a>>,
    /// Account of the cycles of each delivery, if you asked for it.
    pub accounts: Option<Vec<AccountRow>>,
    /// Situations that the run has met, if you asked for them.
    pub coverage: Option<Covered>,
    /// The trace for Perfetto, if you asked for it.
    pub trace: Result<Option<Output>, OutputError>,
    /// Flits, lanes and credits that were left behind after every worm has arrived, by their
    /// places. This is a fault of the hardware.
    pub left_behind: Vec<String>,
    /// First difference of the engines, if both ran
    /// ([`Evaluation::Reference`](crate::experiment::Evaluation)). This is a fault of the model.
    pub difference: Option<String>,
}

/// Reason why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A trace is wrong, or an algorithm makes no plan.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A waveform cannot be dumped.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Runs an experiment to its end with all its observers. From time to time it calls `progress` with
/// the cycle.
///
/// # Errors
/// A waveform cannot be begun, a trace turns out to be wrong on the way, or an algorithm makes no
/// plan.
pub fn watched<'a>(
    loaded: &'a Loaded,
    site: &'a Site,
    watch: Watch,
    progress: &mut dyn FnMut(u64),
) -> Result<Watched<'a>, RunError> {
    let network = &loaded.experiment.network;
    let alone = !(watch.heat || watch.looks_at_lanes());
    let Watch { waveforms, options, deliveries, energy: coefficients, heat, gauge, accounts, coverage, trace, stop } =
        watch;
    let clock_ns = energy::clock_ns(loaded, site.wiring(), coefficients.as_ref())?;
    let options = Options { clock_ns: Some(clock_ns), ..options };
    let start = |waveform| Tracer::start(waveform, network, site.wiring(), options.clone());
    let mut tracers = Observers(waveforms.into_iter().map(start).collect::<Result<Vec<_>, _>>()?);
    let mut simulation = Simulation::new(loaded, site)?;
    let hops = |worm: &WormInfo, node| site.hops(worm, node);
    // A caller that asks for rows accepts the longer run time.
    let hop_count = HopCount::new(site, deliveries.is_some() || gauge);
    let csv = deliveries.map(|file| DeliveryCsv::new(file, hops, loaded.experiment.classes()));
    let mut until = Until(stop);
    let mut reports = (((Collector::new(simulation.window()), hop_count), csv), &mut until);
    let mut activity =
        coefficients.as_ref().map(|_| Activity::new(network, site.wiring(), alone && tells_all_by_worm(loaded)));
    let mut heat = heat.then(|| Heat::new(network, site.wiring(), simulation.window()));
    let mut gauge = gauge.then(|| Gauge::new(network, site.wiring(), simulation.window()));
    let mut coverage = coverage.then(|| Coverage::new(network, site.wiring()));
    let mut rows = accounts.then(AccountTable::default);
    let mut trace = trace.map(|file| PerfettoTrace::new(file, clock_ns));
    let mut accounts = (rows.is_some() || trace.is_some()).then(|| {
        let history = History::new(network, site.wiring(), site.stalls(&loaded.experiment.workload));
        Accounts::new(history, |history, worm, account| {
            if let Some(trace) = &mut trace {
                trace.arrives(&account);
                if history.is_last(worm.id) {
                    trace.worm(history, worm, &account);
                }
            }
            if let Some(rows) = &mut rows {
                rows.add(history, worm, &account, &[account.destination]);
            }
        })
    });
    // A run without observers of flits has its own compiled code, so that these observers cost no
    // time.
    let outcome = if activity.is_some() || !alone {
        simulation.run(
            &mut (
                &mut reports,
                (&mut tracers, (&mut activity, ((&mut heat, &mut gauge), (&mut accounts, &mut coverage)))),
            ),
            progress,
        )?
    } else {
        simulation.run(&mut reports, progress)?
    };
    let deadlock = found(&outcome);
    if let Some(deadlock) = deadlock.filter(|_| !tracers.0.is_empty()) {
        let under_way = simulation.engine.under_way();
        let worms = under_way.iter().map(|worm| worm.info);
        let circle = view::unprepared(deadlock, worms, &WaveNames::new(network, site.wiring()));
        tracers.0.iter_mut().for_each(|tracer| tracer.show_deadlock(deadlock.final_cycle, circle.clone()));
    }
    let cycles = simulation.engine.now();
    let end = DumpEnd { cycles, deadlock: deadlock.map(|deadlock| deadlock.final_cycle) };
    let dumps: Result<Vec<_>, _> = tracers.0.into_iter().map(|tracer| tracer.finish(end)).collect();
    let (((collector, hops), csv), _) = reports;
    let mut report = summarise(loaded, site, &simulation, &collector, &outcome, clock_ns);
    report.hops = hops.counted();
    let gauged = gauge.map(|gauge| gauge.counted(cycles));
    if let Some(history) = accounts.map(|accounts| accounts.history) {
        for of in simulation.engine.under_way() {
            let account = history.account_so_far(of.info, cycles.saturating_sub(1));
            if let Some(trace) = &mut trace {
                trace.worm(&history, of.info, &account);
            }
            if let Some(rows) = &mut rows {
                let missing: Vec<_> = history.missing(of.info).collect();
                rows.add(&history, of.info, &account, &missing);
            }
        }
        report.accounts = rows.as_ref().map(|rows| rows.sums(&history));
    }
    report.gauges = gauged.as_ref().map(Gauged::gauges);
    if outcome == Outcome::Stopped && until.is_over() {
        report.outcome = report::RunEnd::Interrupted;
    }
    if let Some((coefficients, activity)) = coefficients.zip(activity) {
        let cost = cost::of(network, site.wiring(), Encodings::sent(loaded)?);
        let counts = activity.counts(&report.totals);
        report.energy_estimate = Some(Energy::new(&coefficients, network, counts, &cost, cycles)?);
    }
    let deliveries = csv.map(|csv| csv.finish(&simulation.engine.under_way())).transpose();
    let is_over = deadlock.is_none() && simulation.engine.worms_alive() == 0;
    if is_over {
        simulation.engine.settle(&mut ());
    }
    Ok(Watched {
        report,
        waveforms: dumps.map(|files| files.into_iter().flatten().collect()),
        deliveries,
        heat: heat.map(|heat| heat.counted(cycles)),
        gauged,
        accounts: rows.map(|table| table.rows),
        coverage: coverage.map(Coverage::covered),
        trace: trace.map(PerfettoTrace::finish).transpose(),
        left_behind: if is_over { simulation.left_behind() } else { Vec::new() },
        difference: simulation.difference().map(str::to_owned),
    })
}
