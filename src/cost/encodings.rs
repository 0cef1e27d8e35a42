//! Header encodings that the switches of an experiment have to know.

use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::multicast;
use crate::workload::TraceCsv;
use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

/// A set of encodings. Unicast is always in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encodings(u8);

impl Encodings {
    /// The encodings of the worms that an experiment sends. A trace counts up to its first error.
    ///
    /// # Errors
    /// A trace cannot be opened.
    pub fn sent(loaded: &Loaded) -> Result<Self, ConfigError> {
        let mut all = Self::default();
        for entry in &loaded.experiment.workload {
            match entry {
                Workload::Messages(messages) => all.extend(messages.iter().filter_map(|message| message.encoding)),
                Workload::Traffic(traffic) => match &traffic.algorithm {
                    Some(algorithm) => all.extend(of_algorithm(algorithm)),
                    None => all.extend([traffic.encoding]),
                },
                Workload::Trace(name) => {
                    // A run stops at a wrong line of a trace.
                    all.extend(
                        TraceCsv::open(loaded, name)?.map_while(Result::ok).filter_map(|message| message.encoding),
                    );
                }
                Workload::Multicast(of) => all.extend(of_algorithm(&of.algorithm)),
                Workload::Multicasts(of) => all.extend(of_algorithm(&of.algorithm)),
                Workload::Spmd(_) | Workload::Stalls(_) => {}
            }
        }
        Ok(all)
    }

    /// Whether an encoding is in the set.
    #[must_use]
    pub fn has(self, encoding: Encoding) -> bool {
        encoding == Encoding::Unicast || self.0 >> encoding as u8 & 1 != 0
    }

    /// Whether some of the worms have several branches.
    #[must_use]
    pub fn copy(self) -> bool {
        self.iter().any(|encoding| encoding.way() != Way::Unicast)
    }

    /// Whether decisions of some of the worms look up the nodes that a port leads to.
    #[must_use]
    pub fn look_up_reach(self) -> bool {
        self.iter().any(|encoding| encoding.header().looks_up_reach())
    }

    /// The encodings of the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Encoding> {
        Encoding::ALL.into_iter().filter(move |&encoding| self.has(encoding))
    }
}

impl Extend<Encoding> for Encodings {
    fn extend<I: IntoIterator<Item = Encoding>>(&mut self, encodings: I) {
        for encoding in encodings {
            self.0 |= 1 << encoding as u8;
        }
    }
}

impl FromIterator<Encoding> for Encodings {
    fn from_iter<I: IntoIterator<Item = Encoding>>(encodings: I) -> Self {
        let mut all = Self::default();
        all.extend(encodings);
        all
    }
}

/// Encoding of an algorithm's worms. An experiment with an unknown algorithm is refused before.
fn of_algorithm(name: &str) -> Option<Encoding> {
    multicast::find(name).ok().map(|algorithm| algorithm.encoding)
}
