//! The changes of an experiment by one step: one field or one block each.

use wormscope_hw::{Acquisition, Arbiter, Encoding, LaneChoice, Replication};

use crate::experiment::{Experiment, Traffic, Workload};

/// A change by one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The change in words: `fifo_depth 4 to 8`.
    pub name: String,
    /// Fields of the change, each as `PATH=VALUE`.
    pub sets: Vec<String>,
}

impl Change {
    /// A field of the network that goes from a value to another.
    fn field(path: &str, from: impl std::fmt::Display, to: impl std::fmt::Display) -> Self {
        let name = path.rsplit('.').next().unwrap_or(path);
        Self { name: format!("{name} {from} to {to}"), sets: vec![format!("network.{path}={to}")] }
    }
}

/// All changes by one step. Some may break a rule of the configuration.
#[must_use]
pub fn changes(experiment: &Experiment) -> Vec<Change> {
    let network = &experiment.network;
    let (switch, node, link) = (&network.switch, &network.node, &network.link);
    let mut all = vec![
        Change::field("switch.fifo_depth", switch.fifo_depth, 2 * switch.fifo_depth.max(1)),
        Change::field("switch.virtual_channels", switch.virtual_channels, switch.virtual_channels + network.classes()),
        Change::field("switch.dilation", switch.dilation, switch.dilation + 1),
        Change::field("node.injection_channels", node.injection_channels, node.injection_channels + 1),
        Change::field("node.consumption_channels", node.consumption_channels, node.consumption_channels + 1),
    ];
    let deeper = |depth: u32| Change::field("node.injection_depth", depth, 2 * depth);
    all.extend(node.injection_depth.map(deeper));
    let other = |arbiter: &Arbiter| *arbiter != switch.arbiter;
    all.extend(Arbiter::ALL.into_iter().filter(other).map(|to| Change::field("switch.arbiter", switch.arbiter, to)));
    let other = |choice: &LaneChoice| *choice != switch.lane_choice && lanes(experiment) > 1;
    let choices = LaneChoice::ALL.into_iter().filter(other);
    all.extend(choices.map(|to| Change::field("switch.lane_choice", switch.lane_choice, to)));
    // A stage less shortens the latency of each hop. A stage more shortens the cycle.
    for (path, cycles, least) in [
        ("switch.routing_cycles", switch.routing_cycles, 0),
        ("switch.allocation_cycles", switch.allocation_cycles, 0),
        ("switch.crossbar_cycles", switch.crossbar_cycles, 0),
        ("link.link_cycles", link.link_cycles, 1),
    ] {
        all.extend((cycles > least).then(|| Change::field(path, cycles, cycles - 1)));
        all.push(Change::field(path, cycles, cycles + 1));
    }
    if copies(experiment) {
        let other = |mode: &Replication| *mode != switch.replication;
        let modes = Replication::ALL.into_iter().filter(other);
        all.extend(modes.map(|to| Change::field("switch.replication", switch.replication, to)));
        let other = |of: &Acquisition| *of != switch.acquisition;
        let ways = Acquisition::ALL.into_iter().filter(other);
        all.extend(ways.map(|to| Change::field("switch.acquisition", switch.acquisition, to)));
        if network.token_ring.is_none() {
            let sets = vec!["network.token_ring=(hop_cycles: 1)".to_owned()];
            all.push(Change { name: "token ring".to_owned(), sets });
        }
    }
    all.extend(encodings(experiment));
    all
}

/// Other encodings of the multicasts of random traffic.
fn encodings(experiment: &Experiment) -> impl Iterator<Item = Change> {
    let entries = experiment.workload.iter().enumerate();
    // The encoding of the multicasts of an entry, their class, and the fields that set it.
    let several = entries.filter_map(|(at, entry)| match entry {
        Workload::Traffic(traffic) if is_multicast(traffic) => {
            Some((traffic.encoding, traffic.class.as_deref(), vec![format!("workload[{at}].traffic.encoding")]))
        }
        Workload::Messages(all) => {
            let multicasts = || all.iter().enumerate().filter(|(_, message)| message.destinations.len() > 1);
            let (_, first) = multicasts().next()?;
            let fields: Vec<_> = multicasts().map(|(n, _)| format!("workload[{at}].messages[{n}].encoding")).collect();
            let few = fields.len() <= MOST_LISTED;
            few.then(|| (first.encoding.unwrap_or_default(), first.class.as_deref(), fields))
        }
        _ => None,
    });
    several.flat_map(|(from, class, fields)| {
        let of = class.map_or(String::new(), |class| format!(" of {class}"));
        let other = move |to: &Encoding| *to != from && *to != Encoding::Unicast;
        Encoding::ALL.into_iter().filter(other).map(move |to| Change {
            name: format!("encoding{of} {from} to {to}"),
            sets: fields.iter().map(|field| format!("{field}={to}")).collect(),
        })
    })
}

/// Largest number of listed multicasts whose encoding is changed, each by an option of its own.
const MOST_LISTED: usize = 16;

/// Whether one worm goes to several nodes.
fn is_multicast(traffic: &Traffic) -> bool {
    traffic.algorithm.is_none() && (traffic.count().most() > 1 || traffic.pattern.is_set())
}

/// Whether some worm may have several destinations.
fn copies(experiment: &Experiment) -> bool {
    experiment.workload.iter().any(|entry| match entry {
        Workload::Messages(all) => all.iter().any(|message| message.destinations.len() > 1),
        Workload::Traffic(traffic) => is_multicast(traffic),
        Workload::Trace(_) | Workload::Multicast(_) | Workload::Multicasts(_) => true,
        Workload::Spmd(_) | Workload::Stalls(_) => false,
    })
}

/// Lanes of a link.
fn lanes(experiment: &Experiment) -> u32 {
    experiment.network.switch.virtual_channels * experiment.network.switch.dilation
}
