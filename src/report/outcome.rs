//! End of a run, in one word.

use serde::Serialize;

use crate::simulation;

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// Everything that the run waits for has arrived.
    Done,
    /// Source queues grow steadily. The run does not wait for measured worms in the queues.
    /// Latencies are the latencies of the other worms.
    Saturated,
    /// `max_cycles` are over.
    CycleLimit,
    /// Worms wait for each other for ever.
    Deadlock,
    /// The user interrupted the run. The numbers are the numbers so far.
    Interrupted,
}

impl From<&simulation::Outcome> for RunEnd {
    fn from(outcome: &simulation::Outcome) -> Self {
        match outcome {
            simulation::Outcome::Done => Self::Done,
            simulation::Outcome::Saturated => Self::Saturated,
            simulation::Outcome::CycleLimit | simulation::Outcome::Stopped => Self::CycleLimit,
            simulation::Outcome::Deadlock(_) => Self::Deadlock,
        }
    }
}

impl RunEnd {
    /// Name of the end in tables and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Saturated => "saturated",
            Self::CycleLimit => "cycle_limit",
            Self::Deadlock => "deadlock",
            Self::Interrupted => "interrupted",
        }
    }
}
