//! Stream of worms, merged from messages at given cycles, traces and seeded random traffic.
//!
//! The stream is a pure function of the experiment. Worms come in order of (cycle, place of the
//! entry in the configuration, node). Messages of one list or trace in the same cycle keep their
//! order. Nothing happens in cycles without a message, so idle time of any length costs nothing.

mod account;
mod agenda;
mod allowed;
mod drawing;
mod groups;
mod launch;
pub mod operation;
mod pattern;
mod planner;
mod processor;
pub mod program;
pub(crate) mod random;
pub mod saturation;
pub mod smaller;
mod software;
mod spmd;
mod stalls;
pub mod trace_csv;
mod traffic;

use wormscope_hw::NodeId;
use wormscope_hw::header::Way;

use crate::engine::{self, Class, WormInfo};
use crate::experiment::{Experiment, Loaded, Message, Run, Workload, class_number};
use crate::input::ConfigError;

pub use crate::engine::{Destinations, NewWorm};

pub use account::{Mean, SoftwareAccount};
pub use allowed::{Allowed, Drawable, Ordered, Targets, planned_encoding};
use groups::Groups;
pub use launch::{Planned, multicasts};
pub use operation::Operation;
pub use planner::parameters;
use saturation::Backlog;
pub use saturation::Saturation;
pub(crate) use saturation::messages_for;
pub use software::{Passed, Software};
pub(crate) use stalls::stalls;
pub use trace_csv::TraceCsv;
use traffic::Random;

/// The messages of a trace in order of their cycles, already checked against the network.
pub type Trace = Box<dyn Iterator<Item = Result<Message, ConfigError>>>;

/// The stimulus of a run: every worm of the experiment, one after the other.
pub struct Stimulus {
    sources: Vec<MessageSource>,
    /// Worms of one message that are not handed out yet. The next one is at the end.
    pending: Vec<NewWorm>,
    /// Names of classes, in the order of their numbers.
    classes: Vec<String>,
    /// Backlog at the sources, if there is random traffic.
    backlog: Option<Backlog>,
}

impl Stimulus {
    /// The stimulus of an experiment, with traces in CSV.
    ///
    /// # Errors
    /// A trace cannot be opened.
    pub fn load(loaded: &Loaded) -> Result<Self, ConfigError> {
        Self::new(&loaded.experiment, |name| Ok(Box::new(TraceCsv::open(loaded, name)?)))
    }

    /// The stimulus of a valid experiment. `open` gives the reader of a trace, for its path in the
    /// configuration.
    ///
    /// # Errors
    /// The errors of `open`.
    pub fn new(
        experiment: &Experiment,
        mut open: impl FnMut(&str) -> Result<Trace, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let classes = experiment.classes();
        let (entries, groups) = ((0..).zip(&experiment.workload), Groups::new(experiment));
        let window = experiment.window();
        let sources = entries.filter_map(|(place, entry)| match entry {
            Workload::Messages(messages) => {
                let mut messages = messages.clone();
                messages.sort_by_key(|message| message.cycle);
                Some(Ok(MessageSource::given(Box::new(messages.into_iter().map(Ok)))))
            }
            Workload::Trace(path) => Some(open(path).map(MessageSource::given)),
            // Messages of this traffic begin in software.
            Workload::Traffic(traffic) if traffic.algorithm.is_some() => None,
            Workload::Traffic(traffic) => {
                let among = groups.among(traffic.group.as_ref());
                // The window that follows from all fields.
                let run = Run { measure_cycles: Some(window.end - window.start), ..experiment.run.clone() };
                let random = Random::new(&experiment.network, traffic, &run, place, among);
                let class = traffic.class.as_ref().and_then(|class| class_number(&classes, class));
                Some(Ok(MessageSource::Random(Box::new(random.of_class(class)))))
            }
            // These entries begin in software, or they are no messages.
            Workload::Spmd(_) | Workload::Multicast(_) | Workload::Multicasts(_) | Workload::Stalls(_) => None,
        });
        let random = experiment.workload.iter().any(|entry| matches!(entry, Workload::Traffic(_)));
        let backlog = random.then(|| Backlog::new(experiment.network.nodes(), experiment.window()));
        let sources = sources.collect::<Result<_, ConfigError>>()?;
        Ok(Self { sources, pending: Vec::new(), backlog, classes })
    }

    /// Cycle of the next worm, if any. Random traffic under [`crate::engine::Drain::Measured`]
    /// never ends. Before an error in a trace this is the cycle of its last good message. Then
    /// [`Stimulus::pop`] reports the error.
    pub fn next_cycle(&mut self) -> Option<u64> {
        match self.pending.last() {
            Some(worm) => Some(worm.cycle),
            None => self.sources.iter_mut().filter_map(MessageSource::next_cycle).min(),
        }
    }

    /// The next worm, if its cycle of creation is not after `cycle`.
    ///
    /// # Errors
    /// The errors of the trace reader.
    pub fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, ConfigError> {
        if self.pending.is_empty() {
            let next = self.sources.iter_mut().filter_map(|source| Some((source.next_cycle()?, source)));
            // If several minima are equal, `min_by_key` takes the first. So the order of the
            // configuration counts.
            match next.min_by_key(|&(at, _)| at) {
                Some((at, source)) if at <= cycle => source.create(&mut self.pending, &self.classes)?,
                _ => return Ok(None),
            }
        }
        let worm = self.pending.pop();
        if let Some(worm) = &worm {
            self.created(worm.cycle, worm.source, worm.payload_flits);
        }
        Ok(worm)
    }

    /// Adds a message of this workload, or a message that it caused, to the messages that wait at
    /// its source.
    fn created(&mut self, cycle: u64, source: NodeId, payload_flits: u32) {
        if let Some(backlog) = &mut self.backlog {
            backlog.created(cycle, source.index(), payload_flits);
        }
    }

    /// Result for the source queues, from the measured window when it is over, and from the rest of
    /// the run. `None` without random traffic.
    #[must_use]
    pub fn saturation(&self) -> Option<Saturation> {
        self.backlog.as_ref().map(Backlog::saturation)
    }
}

impl engine::Stimulus for Stimulus {
    type Error = ConfigError;

    const DEPARTURES: bool = true;

    fn next_cycle(&mut self) -> Option<u64> {
        self.next_cycle()
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, ConfigError> {
        self.pop(cycle)
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        if let Some(backlog) = &mut self.backlog {
            backlog.departed(cycle, worm.source.index(), worm.payload_flits);
        }
    }

    fn window_end(&self) -> u64 {
        self.backlog.as_ref().map_or(u64::MAX, Backlog::window_end)
    }

    fn judge_window(&mut self) -> bool {
        self.backlog.as_mut().is_some_and(Backlog::judge_window)
    }
}

/// One entry of the workload.
enum MessageSource {
    /// Messages listed in the configuration or a trace.
    Given { messages: Trace, next: Option<Result<Message, ConfigError>>, cycle: u64 },
    /// Random traffic.
    Random(Box<Random>),
}

impl MessageSource {
    fn given(mut messages: Trace) -> Self {
        let next = messages.next();
        Self::Given { messages, next, cycle: 0 }
    }

    fn next_cycle(&mut self) -> Option<u64> {
        match self {
            Self::Given { next: Some(Ok(message)), .. } => Some(message.cycle),
            Self::Given { next: Some(Err(_)), cycle, .. } => Some(*cycle),
            Self::Given { next: None, .. } => None,
            Self::Random(random) => random.next_cycle(),
        }
    }

    /// Appends the worms of the next message to `pending`, the first at the end.
    fn create(&mut self, pending: &mut Vec<NewWorm>, classes: &[String]) -> Result<(), ConfigError> {
        match self {
            Self::Given { messages, next, cycle } => {
                if let Some(message) = next.take().transpose()? {
                    *cycle = message.cycle;
                    *next = messages.next();
                    pending.push(worm_of(message, classes));
                }
            }
            Self::Random(random) => random.create(pending),
        }
        Ok(())
    }
}

/// The worm of a given message. A bit-string and masks have only the order of node numbers.
fn worm_of(message: Message, classes: &[String]) -> NewWorm {
    let number = message.class.as_ref().and_then(|class| class_number(classes, class));
    let encoding = message.encoding.unwrap_or_default();
    let mut destinations: Box<[NodeId]> = message.destinations.into_iter().map(NodeId).collect();
    if encoding.way() == Way::Tree {
        destinations.sort_unstable();
    }
    NewWorm {
        cycle: message.cycle,
        source: NodeId(message.source),
        destinations: destinations.into(),
        encoding,
        payload_flits: message.payload_flits,
        class: Class { number, is_part: false },
    }
}

#[cfg(test)]
mod tests;
