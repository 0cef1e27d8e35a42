//! An experiment that is ready to run: its network is built, and its stimulus is open.

mod choice;
mod left;
pub mod measure;
mod paired;
mod run;

use std::ops::Range;
use std::sync::Arc;

use crate::engine::reference::Reference;
use crate::engine::{Chosen, Clocked as _, Engine, Limits, Observer, Planes, Samples, Stimulus as _};
use crate::experiment::{Evaluation, Experiment, Loaded, Workload};
use crate::input::ConfigError;
use crate::network::channel::{Channel, Stalled};
use crate::network::{Built, Network};
use crate::workload::{Operation, Passed, Saturation, Software, SoftwareAccount, Stimulus};

pub use crate::site::Site;
pub(crate) use choice::crossings;
pub use choice::{Choice, choice, tells_all_by_worm};
use paired::Paired;
use run::Driven as _;
pub use run::{Outcome, run};

/// Parts of an experiment that change during the run: engine, stimulus and the limits of the run.
pub struct Simulation {
    /// The network's state.
    pub engine: Chosen,
    /// The network, for a banked engine that replaces planes.
    built: Arc<Built>,
    source: WormSource,
    limits: Limits,
    /// The plain engine, if it runs together with the fast engine.
    reference: Option<Box<Reference>>,
    difference: Option<String>,
}

/// Source of the worms.
enum WormSource {
    /// The workload alone.
    Workload(Stimulus),
    /// The workload and the software of the nodes.
    Software(Box<Software>),
}

impl Simulation {
    /// The simulation of a valid experiment.
    ///
    /// # Errors
    /// A trace cannot be opened, or an algorithm makes no plan.
    pub fn new(loaded: &Loaded, site: &Site) -> Result<Self, ConfigError> {
        let Experiment { network, workload, run, .. } = &loaded.experiment;
        let window = loaded.experiment.window();
        let is_endless = |entry: &Workload| matches!(entry, Workload::Traffic(traffic) if traffic.until.is_none());
        let is_measured = window.end != u64::MAX && workload.iter().any(is_endless);
        let limits = Limits {
            measure_from: window.start,
            measure_until: window.end,
            at_least: if is_measured { window.end } else { 0 },
            drain: run.drain,
            max_cycles: run.max_cycles,
            deadlock_check_cycles: run.deadlock_check_cycles,
        };
        let source = if network.node.has_software() || workload.iter().any(Workload::is_software) {
            WormSource::Software(Box::new(Software::load(loaded, site, window)?))
        } else {
            WormSource::Workload(Stimulus::load(loaded)?)
        };
        let reference = match loaded.engine {
            Evaluation::Fast | Evaluation::Banked => None,
            Evaluation::Reference => Some(Box::new(Self::reference(network, site, workload))),
        };
        let (engine, built) = (engine(loaded, site), site.shared());
        Ok(Self { engine, built, source, limits, reference, difference: None })
    }

    /// Runs to the end. From time to time it calls `progress` with the cycle.
    ///
    /// # Errors
    /// When a trace turns out to be wrong on the way.
    ///
    /// # Panics
    /// If an observer of single flits joins a run that planes have begun.
    pub fn run<O: Observer>(&mut self, observer: &mut O, progress: impl FnMut(u64)) -> Result<Outcome, ConfigError> {
        // The plain engine is compared flit by flit.
        let needs_lanes = observer.samples() > Samples::Banks || self.reference.is_some();
        let sees_flits = O::COMMITS && observer.wants_commits() && needs_lanes;
        if sees_flits && matches!(self.engine, Chosen::Planes(_)) {
            assert!(self.engine.now() == 0, "a run is watched from its beginning");
            self.engine = Chosen::Banked(Box::new(Engine::new(&self.built, false)));
        }
        let Self { engine, source, limits, reference, difference, .. } = self;
        let outcome = match (source, reference) {
            (WormSource::Workload(stimulus), None) => run(engine, stimulus, limits, observer, progress),
            (WormSource::Software(software), None) => run(engine, &mut **software, limits, observer, progress),
            (WormSource::Workload(stimulus), Some(plain)) => {
                Paired::new(engine, plain, difference).run(stimulus, limits, observer, progress)
            }
            (WormSource::Software(software), Some(plain)) => {
                Paired::new(engine, plain, difference).run(&mut **software, limits, observer, progress)
            }
        }?;
        if O::CROSSINGS
            && let Chosen::Planes(planes) = engine
        {
            planes.tell_crossings(observer);
        }
        Ok(outcome)
    }

    /// The plain engine of an experiment, with its receive buffers and its stalls.
    #[must_use]
    pub fn reference(network: &Network, site: &Site, workload: &[Workload]) -> Reference {
        let mut reference = Reference::new(site.built());
        if let Some(flits) = receive_buffer(network) {
            reference.bound_receive_buffers(flits);
        }
        for (what, cycles) in site.stalls(workload) {
            match what {
                Stalled::Node(node) => reference.stall_node(node, cycles),
                Stalled::Channel(Channel::Output(switch, lane)) => reference.stall_output(switch, lane, cycles),
                Stalled::Channel(Channel::Injection(node, channel)) => reference.stall_injection(node, channel, cycles),
                Stalled::Station(switch) => reference.stall_station(switch, cycles),
                Stalled::Turn(arbiter, input) => reference.turn(arbiter, input, cycles),
            }
        }
        reference
    }

    /// First difference of the engines, with each lane or node as either engine has it.
    #[must_use]
    pub fn difference(&self) -> Option<&str> {
        self.difference.as_deref()
    }

    /// The multicasts in software that have begun, in order.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        match &self.source {
            WormSource::Workload(_) => &[],
            WormSource::Software(software) => software.operations(),
        }
    }

    /// The random multicasts in software that have passed; `None` without software.
    #[must_use]
    pub fn passed(&self) -> Option<&Passed> {
        match &self.source {
            WormSource::Workload(_) => None,
            WormSource::Software(software) => Some(software.passed()),
        }
    }

    /// Account of messages that programs sent and groups received while multicasts were measured.
    /// `None` if nodes have no software.
    #[must_use]
    pub fn account(&self) -> Option<&SoftwareAccount> {
        match &self.source {
            WormSource::Workload(_) => None,
            WormSource::Software(software) => Some(software.account()),
        }
    }

    /// Result for the source queues from the measured window or a multiple of it. `None` without
    /// random traffic, and while the measured window is not over.
    #[must_use]
    pub fn saturation(&self) -> Option<Saturation> {
        let found = match &self.source {
            WormSource::Workload(stimulus) => stimulus.saturation(),
            WormSource::Software(software) => software.saturation(),
        };
        found.filter(|_| self.engine.now() >= self.limits.measure_until)
    }

    /// Whether nothing will ever happen again: no message is left, and nothing is under way.
    #[must_use]
    pub(crate) fn is_silent(&mut self) -> bool {
        !self.has_messages() && self.engine.next_event().is_none()
    }

    /// Whether messages are still to come.
    #[must_use]
    pub(crate) fn has_messages(&mut self) -> bool {
        let next = match &mut self.source {
            WormSource::Workload(stimulus) => stimulus.next_cycle(),
            WormSource::Software(software) => software.next_cycle(),
        };
        next.is_some()
    }

    /// Cycles whose messages are measured.
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.limits.measure_from..self.limits.measure_until
    }
}

/// The fast engine of an experiment without observers of flits, with an empty network.
#[must_use]
pub fn engine(loaded: &Loaded, site: &Site) -> Chosen {
    if let Choice::Planes { trees, threads } = choice(loaded, false)
        && let Some(mut planes) = Planes::new(site.built(), trees)
    {
        planes.use_threads(threads);
        return Chosen::Planes(Box::new(planes));
    }
    Chosen::Banked(Box::new(banked(loaded, site)))
}

/// The banked engine of an experiment, with an empty network.
#[must_use]
pub fn banked(loaded: &Loaded, site: &Site) -> Engine {
    let Experiment { network, workload, .. } = &loaded.experiment;
    let mut engine = Engine::new(site.built(), false);
    if let Some(flits) = receive_buffer(network) {
        engine.bound_receive_buffers(flits);
    }
    for (what, cycles) in site.stalls(workload) {
        match what {
            Stalled::Node(node) => engine.stall(node, cycles),
            Stalled::Channel(Channel::Output(switch, lane)) => engine.stall_output(switch, lane, &cycles),
            Stalled::Channel(Channel::Injection(node, channel)) => engine.stall_injection(node, channel, &cycles),
            Stalled::Station(switch) => engine.stall_station(switch, cycles),
            Stalled::Turn(arbiter, input) => engine.turn(arbiter, input, cycles),
        }
    }
    engine
}

/// Payload flits that a receive buffer can hold, if it has a limit.
pub(crate) fn receive_buffer(network: &Network) -> Option<u32> {
    let bits = u64::from(network.node.receive_buffer?) * 8;
    Some((bits / u64::from(network.switch.flit_bits)) as u32)
}
