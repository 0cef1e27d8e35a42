//! Multicasts in software together with traffic of other nodes (\[NUPAIROJ\] chapter 6).

use serde::Serialize;

use crate::experiment::{Experiment, Length, Loaded, Settings, Workload};
use crate::multicast::LinearCost;
use crate::site::Site;
use crate::statistics::Estimate;
use crate::workload::{Operation, SoftwareAccount, parameters};
use wormscope_hw::NodeId;

/// Multicasts in software, and all other messages that were sent meanwhile. The study goes from the
/// end of the first multicasts, which are skipped, to the end of the run or of its window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MulticastStudy {
    /// First cycle that counts.
    pub from: u64,
    /// First cycle that does not count any more.
    pub to: u64,
    /// All measured multicasts together.
    pub all: Measured,
    /// Measured multicasts of each entry of the workload.
    pub entries: Vec<EntryRow>,
    /// Messages of programs that were received.
    pub messages: u64,
    /// `t_hold` in cycles: from the end of computing until the processor may go on, mean over the
    /// messages of programs.
    pub hold: Option<f64>,
    /// `t_end` in cycles: from the end of computing until the receiver holds the message, mean.
    pub end: Option<f64>,
    /// Messages that the nodes of each group received and that are no multicasts. The last entry
    /// has the nodes in no group, if there are any.
    pub groups: Vec<GroupRow>,
    /// Accepted background traffic: bytes for each cycle of all groups without multicasts.
    pub background_bytes: f64,
    /// The same as a share of `N / t_nd`, the traffic that N nodes can send.
    pub background: f64,
}

/// Multicasts of an entry of the workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntryRow {
    /// The entry.
    pub entry: usize,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Multicasts of the entry.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Multicasts that are complete and measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Number of multicasts.
    pub count: usize,
    /// Cycles until the last destination holds the message, mean.
    pub latency: Option<f64>,
    /// Half the 95 % interval of that mean, after Student, as if multicasts did not depend on each
    /// other.
    pub half_width: Option<f64>,
    /// Cycles that a message of the source waits in its send buffer for a port, mean (`t_sq`).
    pub source_queue: Option<f64>,
}

/// Traffic of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupRow {
    /// Name of the group; empty for the nodes in no group.
    pub name: String,
    /// Nodes of the group.
    pub nodes: Vec<u32>,
    /// Bytes for each cycle that the nodes received.
    pub received_bytes: f64,
    /// The same as a share of `N / t_nd`, the traffic that all nodes of the network can send.
    pub received: f64,
}

impl MulticastStudy {
    /// The study of a run that counted until a cycle; `None` if the run ended before the count.
    #[must_use]
    pub fn new(loaded: &Loaded, site: &Site, account: &SoftwareAccount, all: &[Operation], until: u64) -> Option<Self> {
        let experiment = &loaded.experiment;
        let from = account.since.filter(|&since| since < until)?;
        let cycles = (until - from) as f64;
        let most = f64::from(experiment.network.nodes()) / byte_cycles(loaded, site);
        let names = experiment.groups.iter().map(|group| group.name.as_str()).chain([""]);
        let rows = names.zip(account.groups.iter().zip(&account.received)).map(|(name, (nodes, bytes))| GroupRow {
            name: name.to_owned(),
            nodes: nodes.iter().map(|node| node.0).collect(),
            received_bytes: bytes / cycles,
            received: bytes / cycles / most,
        });
        let groups: Vec<GroupRow> = rows.filter(|row| !row.nodes.is_empty()).collect();
        let quiet = groups.iter().filter(|row| !multicasts_in(experiment, &row.name));
        let background_bytes = quiet.map(|row| row.received_bytes).sum();
        let measured: Vec<&Operation> = all.iter().filter(|of| of.measured && of.end.is_some()).collect();
        let mut entries: Vec<usize> = measured.iter().map(|of| of.design.entry).collect();
        entries.sort_unstable();
        entries.dedup();
        let row = |entry: usize| {
            let of: Vec<&Operation> = measured.iter().copied().filter(|of| of.design.entry == entry).collect();
            EntryRow { entry, algorithm: of[0].design.algorithm.name, measured: Measured::of(&of) }
        };
        Some(Self {
            from,
            to: until,
            all: Measured::of(&measured),
            entries: entries.into_iter().map(row).collect(),
            messages: account.end.count,
            hold: account.hold.of(),
            end: account.end.of(),
            groups,
            background_bytes,
            background: background_bytes / most,
        })
    }
}

impl Measured {
    fn of(operations: &[&Operation]) -> Self {
        let latencies: Vec<f64> = operations.iter().filter_map(|of| Some((of.end? - of.begin) as f64)).collect();
        let estimate = Estimate::of(&latencies);
        let of_source = |of: &&Operation| {
            let source = of.design.plan.source;
            of.sends().iter().filter(|send| send.send.from == source).map(|send| send.queued).collect::<Vec<_>>()
        };
        let queued: Vec<u64> = operations.iter().flat_map(of_source).collect();
        Self {
            count: latencies.len(),
            latency: estimate.map(|estimate| estimate.mean),
            half_width: estimate.and_then(|estimate| estimate.half_width),
            source_queue: (!queued.is_empty()).then(|| queued.iter().sum::<u64>() as f64 / queued.len() as f64),
        }
    }
}

/// Whether a node of a group sends multicasts. The name is empty for nodes in no group.
fn multicasts_in(experiment: &Experiment, name: &str) -> bool {
    experiment.workload.iter().any(|entry| match entry {
        Workload::Multicasts(of) => of.group.as_deref() == Some(name),
        Workload::Messages(_)
        | Workload::Trace(_)
        | Workload::Traffic(_)
        | Workload::Spmd(_)
        | Workload::Multicast(_)
        | Workload::Stalls(_) => false,
    })
}

/// `t_nd`: cycles that a byte takes of a channel.
fn byte_cycles(loaded: &Loaded, site: &Site) -> f64 {
    const SOME: u32 = 1024;
    let length = Length::of_bytes(SOME, loaded.experiment.network.switch.flit_bits);
    let last = NodeId(loaded.experiment.network.nodes() - 1);
    let LinearCost { per_byte, .. } =
        parameters(&loaded.experiment.network, site, &Settings::default(), length, NodeId(0), &[last]).costs.network;
    per_byte
}
