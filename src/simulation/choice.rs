//! Choice of the fast engine for a run.

use wormscope_hw::Encoding;

use crate::engine::planes::{covers, covers_worms, threads};
use crate::experiment::{Evaluation, Loaded, Traffic, Workload};
use crate::network::{Network, Topology, header_flits};

/// The engine of a run, as `wormscope run --verbose` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Bit planes, for unicasts alone or for trees too.
    Planes {
        /// Whether worms go to several nodes.
        trees: bool,
        /// Threads.
        threads: usize,
    },
    /// Banks of registers, for a reason.
    Banked(String),
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Planes { threads: 1, .. } => f.write_str("engine: planes"),
            Self::Planes { threads, .. } => write!(f, "engine: planes, {threads} threads"),
            Self::Banked(why) => write!(f, "engine: banked, {why}"),
        }
    }
}

/// The fast engine of an experiment. `is_watched` says whether an observer needs its flits cycle by
/// cycle.
#[must_use]
pub fn choice(loaded: &Loaded, is_watched: bool) -> Choice {
    if loaded.engine == Evaluation::Banked {
        return Choice::Banked("as asked for".to_owned());
    }
    if is_watched {
        return Choice::Banked("since its flits are watched".to_owned());
    }
    let network = &loaded.experiment.network;
    match has_trees(loaded).and_then(|trees| covers(network, trees).map(|()| trees)) {
        Err(what) => Choice::Banked(format!("since planes do not cover {what}")),
        Ok(trees) if crossings(loaded) < least_crossings(network, trees) => {
            let is_small = least_crossings(network, trees).is_infinite();
            let what = if is_small { "the network has fewer than 32 switches" } else { "few flits move" };
            Choice::Banked(format!("since {what}"))
        }
        Ok(trees) => Choice::Planes { trees, threads: threads(network, trees, loaded.threads) },
    }
}

/// Whether the worms that planes tell to [`Observer::crossed`](crate::engine::Observer::crossed)
/// show all flits of a run in their order. Planes run the experiment, links have one lane, and
/// worms have one branch. In other networks than grids, planes give up a few wirings only when they
/// are built, so these networks do not count.
#[must_use]
pub fn tells_all_by_worm(loaded: &Loaded) -> bool {
    let network = &loaded.experiment.network;
    let has_one_lane = network.switch.virtual_channels == 1 && network.node_channels() == 1;
    let is_grid = matches!(network.topology, Topology::Linear { .. } | Topology::Mesh { .. } | Topology::Torus { .. });
    is_grid && has_one_lane && matches!(choice(loaded, false), Choice::Planes { trees: false, .. })
}

/// Number of flits that cross a router in a cycle from which on planes are faster, about. Planes
/// look at all lanes of 64 or more routers, for any number of flits. The banked engine passes over
/// routers that sleep.
fn least_crossings(network: &Network, trees: bool) -> f64 {
    match network.topology {
        Topology::Linear { .. } | Topology::Mesh { .. } | Topology::Torus { .. } => {
            if network.switch.virtual_channels > 1 || trees { 1.0 / 8.0 } else { 1.0 / 32.0 }
        }
        _ if network.switches() < 32 => f64::INFINITY,
        _ => 0.4,
    }
}

/// Flits that cross a router in a cycle, estimated. These are flits of random traffic among all
/// nodes, over the mean distance of two nodes, to each destination. The pattern does not count, nor
/// do the paths that destinations of a tree share.
pub(crate) fn crossings(loaded: &Loaded) -> f64 {
    let network = &loaded.experiment.network;
    let wraps = matches!(network.topology, Topology::Torus { .. });
    let along = |&radix: &u32| (f64::from(radix) - 1.0 / f64::from(radix)) / if wraps { 4.0 } else { 3.0 };
    let routers = match network.stages() {
        Some((stages, _)) => f64::from(stages) * f64::from(network.nodes()) / f64::from(network.switches()),
        None => 1.0 + network.blueprint().radices().iter().map(along).sum::<f64>(),
    };
    let flits = |traffic: &Traffic| {
        let flits = f64::from(header_flits(network, Encoding::Unicast, 1)) + traffic.length().mean();
        let set = traffic.pattern.is_set().then(|| f64::from(traffic.most_destinations(network)));
        let destinations = set.unwrap_or_else(|| traffic.count().mean());
        destinations * traffic.load.or(traffic.interval.map(|interval| flits / interval)).unwrap_or(0.0)
    };
    let loads = loaded.experiment.workload.iter().map(|entry| match entry {
        Workload::Traffic(traffic) if traffic.group.is_none() => flits(traffic),
        _ => 0.0,
    });
    routers * loads.sum::<f64>()
}

/// Whether nodes send worms to several nodes. All their worms are unicasts or trees; if not, the
/// name of the others.
fn has_trees(loaded: &Loaded) -> Result<bool, &'static str> {
    let encodings = loaded.experiment.workload.iter().map(encodings).collect::<Result<Vec<_>, _>>()?.concat();
    if !encodings.iter().all(|&encoding| covers_worms(encoding)) {
        return Err("path worms");
    }
    Ok(encodings.iter().any(|&encoding| encoding != Encoding::Unicast))
}

/// Encodings of the worms of an entry.
fn encodings(entry: &Workload) -> Result<Vec<Encoding>, &'static str> {
    match entry {
        _ if entry.is_software() => Err("software of nodes"),
        Workload::Messages(messages) => {
            Ok(messages.iter().map(|message| message.encoding.unwrap_or_default()).collect())
        }
        Workload::Traffic(traffic) => Ok(vec![traffic.encoding]),
        Workload::Trace(_) => Err("traces"),
        Workload::Stalls(_) => Err("stalls"),
        Workload::Spmd(_) | Workload::Multicast(_) | Workload::Multicasts(_) => Err("software of nodes"),
    }
}
