//! Random networks and traffic for property tests, valid by construction.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use wormscope::config::{
    Acquisition, Arbiter, Encoding, HeaderTiming, Link, Message, Network, Node, Replication, Routing, Switch, Topology,
    WormRules, header_flits,
};
use wormscope::engine::NewWorm;
use wormscope::hw::NodeId;
use wormscope::multicast::dual_path::dual_path;
use wormscope::routing::Labels;
use wormscope::topology::Wiring;

use crate::drive;

/// `cases` cases, or as many as `PROPTEST_CASES` says; the same ones in every run unless `PROPTEST_RNG_SEED` is set.
#[must_use]
pub fn cases(cases: u32) -> Config {
    let of_env = Config::default();
    let is_set = |name| std::env::var_os(name).is_some();
    Config {
        cases: if is_set("PROPTEST_CASES") { of_env.cases } else { cases },
        rng_seed: if is_set("PROPTEST_RNG_SEED") { of_env.rng_seed } else { RngSeed::Fixed(1992) },
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..of_env
    }
}

/// Topologies of one to three dimensions, radices 1 to 6.
pub fn topologies() -> impl Strategy<Value = Topology> {
    let radices = || prop_oneof![vec(1..=6u32, 1..=2), vec(1..=3u32, 3)];
    prop_oneof![
        1 => (1..=9u32).prop_map(|nodes| Topology::Linear { nodes }),
        3 => radices().prop_map(|radices| Topology::Mesh { radices }),
        3 => (radices(), any::<bool>()).prop_map(|(radices, datelines)| Topology::Torus { radices, datelines }),
    ]
}

fn links() -> impl Strategy<Value = Link> {
    let cycles = || prop_oneof![3 => Just(1u32), 2 => 2..=3u32, 1 => 4..=9u32];
    (cycles(), cycles()).prop_map(|(link_cycles, credit_cycles)| Link { link_cycles, credit_cycles })
}

fn switches() -> impl Strategy<Value = Switch> {
    let sizes = (
        prop_oneof![Just(8u32), Just(16), Just(64), Just(100)],
        prop_oneof![4 => 1..=6u32, 1 => 7..=24u32],
        prop_oneof![3 => Just(1u32), 2 => Just(2), 1 => Just(4)],
        prop_oneof![3 => Just(1u32), 1 => Just(2)],
    );
    let kinds = (
        prop_oneof![Just(HeaderTiming::Store), Just(HeaderTiming::Overlapped)],
        prop_oneof![
            Just(Replication::Asynchronous),
            Just(Replication::Lockstep),
            Just(Replication::Buffered),
            Just(Replication::Sequential),
        ],
        prop_oneof![Just(Acquisition::Incremental), Just(Acquisition::Atomic)],
        prop_oneof![Just(Arbiter::RoundRobin), Just(Arbiter::FixedPriority)],
    );
    let cycles = (0..=3u32, 0..=1u32, prop_oneof![2 => Just(0u32), 1 => 1..=2u32]);
    (sizes, kinds, cycles).prop_map(|(sizes, kinds, cycles)| Switch {
        flit_bits: sizes.0,
        fifo_depth: sizes.1,
        virtual_channels: sizes.2,
        dilation: sizes.3,
        header_timing: kinds.0,
        replication: kinds.1,
        acquisition: kinds.2,
        arbiter: kinds.3,
        routing_cycles: cycles.0,
        allocation_cycles: cycles.1,
        crossbar_cycles: cycles.2,
    })
}

fn nodes() -> impl Strategy<Value = Node> {
    let startup = prop_oneof![2 => Just(0u32), 1 => 1..=12u32];
    (startup, 1..=3u32, links(), 1..=4u32, proptest::option::of(1..=4u32), links()).prop_map(
        |(startup_cycles, injection_channels, injection_link, consumption_channels, consumption_depth, last)| Node {
            startup_cycles,
            injection_channels,
            injection_link,
            consumption_channels,
            consumption_depth,
            consumption_link: last,
            ..Node::default()
        },
    )
}

/// Networks over `topologies`, all parameters random, made consistent.
pub fn networks(topologies: impl Strategy<Value = Topology>) -> impl Strategy<Value = Network> {
    (topologies, any::<bool>(), switches(), links(), nodes()).prop_map(|(topology, labels, switch, link, node)| {
        let routing = labels.then_some(Routing::LabelOrder);
        consistent(Network { topology, routing, switch, link, node, clock_ns: 1.0, reach_limit_mib: 64 })
    })
}

/// The network with what the rules forbid put right.
fn consistent(mut network: Network) -> Network {
    if let Topology::Torus { datelines: true, .. } = network.topology {
        if network.switch.replication == Replication::Lockstep {
            network.switch.replication = Replication::Asynchronous;
        }
        network.switch.virtual_channels = network.switch.virtual_channels.max(2);
    }
    if network.switch.replication == Replication::Lockstep {
        network.switch.virtual_channels = 1;
    }
    if !matches!(&network.topology, Topology::Mesh { radices } if matches!(radices.len(), 2 | 3)) {
        network.routing = None;
    }
    network.switch.fifo_depth = network.switch.fifo_depth.max(header_flits(&network, Encoding::Unicast, 1));
    network
}

/// What a worm shall be like; made to fit a network by [`worms`].
#[derive(Clone, Debug)]
pub struct Draft {
    cycle: u64,
    source: u32,
    picks: Vec<u32>,
    encoding: Encoding,
    payload_flits: u32,
}

/// Up to `most` worms, created before cycle `within`.
pub fn drafts(most: usize, within: u64) -> impl Strategy<Value = Vec<Draft>> {
    let encoding = prop_oneof![Just(Encoding::Unicast), Just(Encoding::BitString), Just(Encoding::Multidestination)];
    let payload = prop_oneof![3 => 1..=4u32, 1 => 5..=20u32];
    let draft = (0..within, any::<u32>(), vec(any::<u32>(), 1..6), encoding, payload);
    let draft = draft.prop_map(|(cycle, source, picks, encoding, payload_flits)| Draft {
        cycle,
        source,
        picks,
        encoding,
        payload_flits,
    });
    vec(draft, 1..=most)
}

/// Which worms a traffic consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All encodings; multidestination worms visit their nodes in any order.
    Any,
    /// Unicasts.
    Unicast,
    /// Unicasts and trees.
    Trees,
    /// Unicasts and multidestination worms that follow the labels of label-order routing.
    Paths,
}

/// The drafts as worms that the network's rules admit: what they refuse is sent as a unicast.
#[must_use]
pub fn worms(network: &Network, drafts: &[Draft], kind: Kind) -> Vec<NewWorm> {
    let rules = WormRules::new(network);
    drafts.iter().map(|draft| fit(network, &rules, draft, kind)).collect()
}

fn fit(network: &Network, rules: &WormRules, draft: &Draft, kind: Kind) -> NewWorm {
    let nodes = network.nodes();
    let source = draft.source % nodes;
    let mut seen = BTreeSet::from([source]);
    let mut destinations: Vec<u32> = draft.picks.iter().map(|d| d % nodes).filter(|&d| seen.insert(d)).collect();
    let encoding = match (kind, draft.encoding) {
        (Kind::Trees, Encoding::Multidestination) | (Kind::Paths, Encoding::BitString) | (Kind::Unicast, _) => {
            Encoding::Unicast
        }
        (_, encoding) => encoding,
    };
    if kind == Kind::Paths {
        if let Wiring::Grid(grid) = network.wiring()
            && let Some(labels) = Labels::new(&grid)
        {
            let all: Vec<NodeId> = destinations.iter().map(|&d| NodeId(d)).collect();
            let parts = dual_path(&labels, NodeId(source), &all);
            destinations = parts.first().map_or(Vec::new(), |part| part.iter().map(|d| d.0).collect());
        }
    }
    if encoding == Encoding::BitString {
        destinations.sort_unstable();
    }
    let message = Message {
        cycle: draft.cycle,
        source,
        destinations,
        encoding: Some(encoding),
        payload_flits: draft.payload_flits,
    };
    if rules.check_message(&message).is_ok() {
        drive::worm(draft.cycle, source, &message.destinations, encoding, draft.payload_flits)
    } else {
        drive::unicast(draft.cycle, source, draft.picks[0] % nodes, draft.payload_flits)
    }
}

/// Why a network cannot deadlock, whatever the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safe {
    /// Unicasts whose routes wait for each other in no circle: meshes, tori with datelines.
    Unicast,
    /// Path worms along the labels of a mesh, with a consumption channel for every input.
    Paths,
    /// Tree worms with a FIFO for a whole worm and a read pointer for each branch, or one branch after the other.
    Trees,
}

/// Networks and worms that cannot deadlock.
pub fn safe(most: usize, within: u64) -> impl Strategy<Value = (Network, Vec<NewWorm>)> {
    let why = prop_oneof![Just(Safe::Unicast), Just(Safe::Paths), Just(Safe::Trees)];
    (networks(topologies()), drafts(most, within), why).prop_map(|(network, drafts, why)| freed(network, &drafts, why))
}

fn freed(mut network: Network, drafts: &[Draft], why: Safe) -> (Network, Vec<NewWorm>) {
    if let Topology::Torus { datelines, .. } = &mut network.topology {
        *datelines = true;
    }
    let mut kind = Kind::Unicast;
    match why {
        Safe::Unicast => {}
        Safe::Paths => {
            if let Topology::Torus { radices, .. } = &network.topology {
                network.topology = Topology::Mesh { radices: radices.clone() };
            }
            network.routing = Some(Routing::LabelOrder);
        }
        Safe::Trees => {
            kind = Kind::Trees;
            if network.switch.replication != Replication::Sequential {
                network.switch.replication = Replication::Buffered;
            }
            network.switch.fifo_depth = 60_000;
        }
    }
    network = consistent(network);
    if why == Safe::Paths && network.routing() == Routing::LabelOrder {
        kind = Kind::Paths;
        network.switch.dilation = 1;
        network.node.consumption_channels = network.input_lanes();
    }
    let worms = worms(&network, drafts, kind);
    if why == Safe::Trees {
        let length = |w: &NewWorm| header_flits(&network, w.encoding, w.destinations.len() as u32) + w.payload_flits;
        network.switch.fifo_depth = worms.iter().map(length).max().unwrap_or(1);
    }
    (network, worms)
}
