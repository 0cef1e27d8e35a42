//! An experiment made ready to run: its network built, its stimulus opened.

mod run;

use std::ops::Range;

use wormscope_hw::NodeId;

use crate::engine::{Engine, Limits, Observer, Stimulus as _};
use crate::experiment::{Experiment, Loaded, Stall, Workload};
use crate::input::ConfigError;
use crate::network::channel::Channel;
use crate::network::{Network, Wiring, channel};
use crate::workload::{Operation, Saturation, Software, Stimulus};

pub use crate::site::Site;
pub use run::Outcome;

/// The moving half: engine, stimulus and the limits of the run.
pub struct Simulation {
    /// The network's state.
    pub engine: Engine,
    source: Source,
    limits: Limits,
}

/// Where worms come from.
enum Source {
    /// The workload alone.
    Workload(Stimulus),
    /// The workload and the software of the nodes.
    Software(Box<Software>),
}

impl Simulation {
    /// The simulation of a validated experiment.
    ///
    /// # Errors
    /// When a trace cannot be opened, or an algorithm makes no plan.
    pub fn new(loaded: &Loaded, site: &Site) -> Result<Self, ConfigError> {
        let Experiment { network, workload, run } = &loaded.experiment;
        let software = |w: &Workload| matches!(w, Workload::Multicast(_) | Workload::Multicasts(_));
        let window = loaded.experiment.window();
        let limits = Limits {
            measure_from: window.start,
            measure_until: window.end,
            drain: run.drain,
            max_cycles: run.max_cycles,
            deadlock_check_cycles: run.deadlock_check_cycles,
        };
        let source = if network.node.has_software() || workload.iter().any(software) {
            Source::Software(Box::new(Software::load(loaded, site, window)?))
        } else {
            Source::Workload(Stimulus::load(loaded)?)
        };
        let mut engine = Engine::new(network, site.wiring.clone(), site.routes.clone(), false);
        if let Some(bytes) = network.node.receive_buffer {
            engine.bound_receive_buffers((u64::from(bytes) * 8 / u64::from(network.switch.flit_bits)) as u32);
        }
        let stalls = workload.iter().filter_map(|w| if let Workload::Stalls(s) = w { Some(s) } else { None });
        stalls.flatten().for_each(|of| stall(&mut engine, network, &site.wiring, of));
        Ok(Self { engine, source, limits })
    }

    /// Runs to the end; `progress` is told the cycle now and then.
    ///
    /// # Errors
    /// When a trace turns out to be wrong on the way.
    pub fn run<O: Observer>(&mut self, observer: &mut O, progress: impl FnMut(u64)) -> Result<Outcome, ConfigError> {
        match &mut self.source {
            Source::Workload(stimulus) => self.engine.run(stimulus, &self.limits, observer, progress),
            Source::Software(software) => self.engine.run(&mut **software, &self.limits, observer, progress),
        }
    }

    /// The multicasts in software that have begun, in order.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        match &self.source {
            Source::Workload(_) => &[],
            Source::Software(software) => software.operations(),
        }
    }

    /// What the measured window says of the source queues; `None` without random traffic, and while the window is not over.
    #[must_use]
    pub fn saturation(&self) -> Option<Saturation> {
        let found = match &self.source {
            Source::Workload(stimulus) => stimulus.saturation(),
            Source::Software(software) => software.saturation(),
        };
        found.filter(|_| self.engine.now() >= self.limits.measure_until)
    }

    /// Whether nothing will ever happen again: no message is left and nothing is under way.
    #[must_use]
    pub fn is_silent(&mut self) -> bool {
        !self.has_messages() && self.engine.next_event().is_none()
    }

    /// Whether messages are still to come.
    #[must_use]
    pub fn has_messages(&mut self) -> bool {
        let next = match &mut self.source {
            Source::Workload(stimulus) => stimulus.next_cycle(),
            Source::Software(software) => software.next_cycle(),
        };
        next.is_some()
    }

    /// Cycles whose messages are measured.
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.limits.measure_from..self.limits.measure_until
    }

    /// First cycle behind the measured window, where there is one.
    #[must_use]
    pub fn window_end(&self) -> Option<u64> {
        (self.limits.measure_until != u64::MAX).then_some(self.limits.measure_until)
    }
}

/// Tells the engine of a stall.
fn stall(engine: &mut Engine, network: &Network, wiring: &Wiring, of: &Stall) {
    let cycles = of.from..of.until;
    if let Some(node) = of.node {
        engine.stall(NodeId(node), cycles.clone());
    }
    for end in of.link.iter().flat_map(|name| channel::named(wiring, network.lanes(wiring), name)) {
        match end {
            Channel::Output(switch, lane) => engine.stall_output(switch, lane, &cycles),
            Channel::Injection(node, channel) => engine.stall_injection(node, channel, &cycles),
        }
    }
    if let Some(switch) = of.station.as_ref().and_then(|name| channel::switch_named(wiring, name)) {
        engine.stall_station(switch, cycles);
    }
}
