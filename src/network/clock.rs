//! The clock of a network.

use serde::{Deserialize, Serialize};

/// Clock period of a network, as a configuration gives it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum Clock {
    /// A period in ns.
    Ns(f64),
    /// The period follows from the depth of logic and from the longest link.
    FromDepth,
}

impl Clock {
    /// Period in ns of a network without a given clock.
    pub const DEFAULT_NS: f64 = 1.0;
}

/// The clock in a file: a number or a word.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or from_depth")]
enum Written {
    Ns(f64),
    Word(Word),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    FromDepth,
}

impl From<Written> for Clock {
    fn from(written: Written) -> Self {
        match written {
            Written::Ns(ns) => Self::Ns(ns),
            Written::Word(Word::FromDepth) => Self::FromDepth,
        }
    }
}

impl From<Clock> for Written {
    fn from(clock: Clock) -> Self {
        match clock {
            Clock::Ns(ns) => Self::Ns(ns),
            Clock::FromDepth => Self::Word(Word::FromDepth),
        }
    }
}
