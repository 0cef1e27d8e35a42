//! Experiments, with workload and run, as data. The rules of their worms are here too.

mod classes;
pub mod config;
mod draw;
mod groups;
mod items;
mod length;
mod loaded;
mod matrix;
mod multicast;
mod pattern;
mod plans;
mod rules;
mod run;
mod settings;
pub(crate) mod site;
mod spmd;
pub mod workload;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::network::Network;

pub(crate) use crate::network::MOST_COST;
pub(crate) use classes::{check_count, check_name, class_number};
pub use draw::Draw;
pub use groups::{Group, GroupNodes};
pub use items::{Message, Process, Stall, Traffic, Workload};
pub use length::Length;
pub use loaded::{Evaluation, Loaded};
pub(crate) use matrix::Matrix;
pub use matrix::MatrixText;
pub use multicast::{MemberOrder, Multicast, Multicasts, Overlap};
pub use pattern::Pattern;
pub use plans::{check_network, check_worms};
pub use rules::{LARGEST_CYCLE, MessagePart, WormFault, WormRules};
pub(crate) use rules::{LONGEST_WORM, check_cycle, offering};
pub use run::Run;
pub use settings::{LeaderLevels, LogP, Settings};
pub use spmd::Spmd;

/// One experiment: a network, its workload, and the length of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The hardware.
    pub network: Network,
    /// Groups of nodes, which entries of the workload can name.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// Names of classes that only traces use. Other entries of the workload name their own.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Messages: any number of sources side by side.
    #[serde(default)]
    pub workload: Vec<Workload>,
    /// How long to run and what to measure.
    #[serde(default)]
    pub run: Run,
}

impl Experiment {
    /// Cycles whose messages are measured; see [`Run::window`].
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        let random = |entry: &Workload| matches!(entry, Workload::Traffic(_) | Workload::Spmd(_));
        self.run.window(self.workload.iter().any(random) && !self.ends_with_multicasts())
    }

    /// Whether the run ends when all its multicasts in software are complete, even if other traffic
    /// goes on. Runs with multicasts and programs end in this way. Without a given window, runs
    /// with skipped multicasts do as well.
    #[must_use]
    pub fn ends_with_multicasts(&self) -> bool {
        let any = |is: &dyn Fn(&Workload) -> bool| self.workload.iter().any(is);
        let skips = |entry: &Workload| match entry {
            Workload::Multicast(m) => m.skip > 0,
            Workload::Multicasts(m) => m.skip > 0,
            Workload::Messages(_)
            | Workload::Traffic(_)
            | Workload::Trace(_)
            | Workload::Spmd(_)
            | Workload::Stalls(_) => false,
        };
        self.run.measure_cycles.is_none()
            && any(&|entry| matches!(entry, Workload::Spmd(_)) || skips(entry))
            && any(&|entry| matches!(entry, Workload::Multicast(_) | Workload::Multicasts(_)))
    }
}
