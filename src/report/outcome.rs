//! How a run ended, in a word.

use serde::Serialize;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that the run waits for has arrived.
    Done,
    /// Source queues grow steadily: measured worms that still wait are not waited for, and latencies are those of the others.
    Saturated,
    /// `max_cycles` are over.
    CycleLimit,
    /// Worms wait for each other for ever.
    Deadlock,
}

impl Outcome {
    /// As tables and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Saturated => "saturated",
            Self::CycleLimit => "cycle_limit",
            Self::Deadlock => "deadlock",
        }
    }
}
