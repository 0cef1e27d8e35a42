//! Random networks and traffic for property tests, valid by construction.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;
use wormscope::engine::NewWorm;
use wormscope::experiment::{Message, WormRules};
use wormscope::hw::{Acquisition, Arbiter, Encoding, HeaderTiming, LaneChoice, NodeId, Replication, TokenSpan};
use wormscope::multicast::dual_path;
use wormscope::network::lanes::port_names;
use wormscope::network::routing::{Labels, Stages};
use wormscope::network::topology::netlist::Order;
use wormscope::network::{
    Digits, Link, Network, Node, Routing, Switch, TokenRing, Topology, UniMin, UniMinKind, header_flits,
};

use crate::drive;

/// `cases` cases, or as many as `PROPTEST_CASES` says.
#[must_use]
pub fn cases(cases: u32) -> Config {
    let of_env = Config { max_shrink_iters: 2000, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { of_env } else { Config { cases, ..of_env } }
}

/// Grids of one to three dimensions, radices 1 to 6, multistage networks of up to 64 nodes,
/// two-sided ones of up to 32, and netlists.
pub fn topologies() -> impl Strategy<Value = Topology> {
    let radices = || prop_oneof![vec(1..=6u32, 1..=2), vec(1..=3u32, 3)];
    prop_oneof![
        1 => (1..=9u32).prop_map(|nodes| Topology::Linear { nodes }),
        3 => radices().prop_map(|radices| Topology::Mesh { radices }),
        3 => (radices(), any::<bool>()).prop_map(|(radices, datelines)| Topology::Torus { radices, datelines }),
        6 => mins(),
        2 => two_sided(),
        3 => netlists(),
    ]
}

/// Multistage networks of up to 64 nodes.
pub fn mins() -> impl Strategy<Value = Topology> {
    prop_oneof![
        (kinds(), stages()).prop_map(|(kind, (switch_ports, stages))| uni_min(&kind, switch_ports, stages)),
        stages().prop_map(|(switch_ports, stages)| Topology::BiMin { switch_ports, stages }),
    ]
}

/// Two-sided multistage networks of up to 32 nodes.
pub fn two_sided() -> impl Strategy<Value = Topology> {
    let sizes = [(2, 1), (2, 2), (2, 2), (2, 3), (3, 1), (3, 2), (4, 2), (7, 1)];
    proptest::sample::select(sizes.to_vec())
        .prop_map(|(switch_ports, stages)| Topology::TwoSided { switch_ports, stages })
}

/// Netlists of up to 8 switches. They are any tree with some more links, also parallel ones, over
/// which destinations may be spread. Either every switch has a node, whose port comes after those
/// of its links, or some nodes are anywhere.
pub fn netlists() -> impl Strategy<Value = Topology> {
    let links = (vec(any::<u32>(), 0..8), vec((any::<u32>(), any::<u32>()), 0..6));
    let nodes = proptest::option::of(vec(any::<u32>(), 1..9));
    (links, nodes, any::<bool>(), any::<bool>()).prop_map(|((parents, more), nodes, shortest, spread)| {
        let switches = parents.len() as u32 + 1;
        let mut used = vec![0; switches as usize];
        let mut port = |s: u32| {
            used[s as usize] += 1;
            format!("s{s}.{}", used[s as usize] - 1)
        };
        let names: Vec<String> = (0..switches).map(|s| format!("s{s}")).collect();
        let mut text = format!("switch {}\n", names.join(" "));
        let tree = (1..).zip(parents).map(|(s, parent)| (s, parent % s));
        let (mut joined, mut is_parallel) = (BTreeSet::new(), false);
        for (a, b) in tree.chain(more.into_iter().map(|(a, b)| (a % switches, b % switches))).filter(|(a, b)| a != b) {
            is_parallel |= !joined.insert((a.min(b), a.max(b)));
            let _ = writeln!(text, "link {} {}", port(a), port(b));
        }
        if let Some(nodes) = nodes {
            for at in nodes {
                let _ = writeln!(text, "node {}", port(at % switches));
            }
        } else {
            let last = used.iter().max().copied().unwrap_or(0);
            for s in 0..switches {
                let _ = writeln!(text, "node s{s}.{last}");
            }
        }
        let routing = if shortest { Order::Shortest } else { Order::UpDown };
        Topology::Netlist {
            file: None,
            text: Some(text.into()),
            routing,
            cyclic: shortest,
            spread: spread && is_parallel,
        }
    })
}

/// Ports of a switch and stages.
fn stages() -> impl Strategy<Value = (u32, u32)> {
    let sizes = [(2, 1), (2, 2), (2, 3), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3), (7, 1), (8, 2)];
    proptest::sample::select(sizes.to_vec())
}

fn kinds() -> impl Strategy<Value = UniMinKind> {
    let custom = UniMinKind::Custom { permutations: Vec::new() };
    prop_oneof![Just(UniMinKind::Baseline), Just(UniMinKind::Butterfly), Just(UniMinKind::Omega), Just(custom)]
}

/// A unidirectional network; the custom one is a cube whose nodes and switches are numbered from
/// the bottom.
fn uni_min(kind: &UniMinKind, switch_ports: u32, stages: u32) -> Topology {
    let nodes = switch_ports.pow(stages);
    let kind = match kind {
        UniMinKind::Custom { .. } => {
            let digits = Digits::new(switch_ports, stages);
            let connection = |c: u32| (0..nodes).map(move |x| nodes - 1 - digits.swap(x, (stages - c) % stages));
            let permutations: Vec<Vec<u32>> = (0..=stages).map(|c| connection(c).collect()).collect();
            assert!(UniMin::custom(switch_ports as u8, stages, &permutations).is_ok(), "a cube is self-routing");
            UniMinKind::Custom { permutations }
        }
        published => published.clone(),
    };
    Topology::UniMin { kind, switch_ports, stages }
}

/// Token rings, or none.
fn token_rings() -> impl Strategy<Value = Option<TokenRing>> {
    let ring = |hop_cycles| TokenRing { hop_cycles, ..TokenRing::default() };
    proptest::option::of((1..=4u32).prop_map(ring))
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
            2 => Just(Replication::Asynchronous),
            2 => Just(Replication::Lockstep),
            2 => Just(Replication::Buffered),
            2 => Just(Replication::Sequential),
            1 => Just(Replication::Synchronous),
        ],
        prop_oneof![Just(Acquisition::Incremental), Just(Acquisition::Atomic)],
        any::<Index>().prop_map(|kind| *kind.get(&Arbiter::ALL)),
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
        ..Switch::default()
    })
}

fn nodes() -> impl Strategy<Value = Node> {
    let startup = prop_oneof![2 => Just(0u32), 1 => 1..=12u32];
    let injection = (1..=3u32, proptest::option::weighted(0.3, 1..=9u32), links());
    (startup, injection, 1..=4u32, proptest::option::of(1..=4u32), links()).prop_map(
        |(startup_cycles, injection, consumption_channels, consumption_depth, last)| Node {
            startup_cycles,
            injection_channels: injection.0,
            injection_depth: injection.1,
            injection_link: injection.2,
            consumption_channels,
            consumption_depth,
            consumption_link: last,
            ..Node::default()
        },
    )
}

/// Networks over `topologies`, all parameters random, made consistent.
pub fn networks(topologies: impl Strategy<Value = Topology>) -> impl Strategy<Value = Network> {
    let parts = (topologies, any::<bool>(), switches(), links(), nodes(), token_rings());
    parts.prop_map(|(topology, labels, switch, link, node, token_ring)| {
        // This value depends on values that are drawn already.
        let order =
            if switch.fifo_depth.is_multiple_of(2) { Routing::LabelOrder } else { Routing::ReverseDimensionOrder };
        let routing = labels.then_some(order);
        // The span depends on values that are drawn already.
        let span = |ring: TokenRing| match (ring.hop_cycles + switch.fifo_depth) % 4 {
            2 => TokenSpan::Half,
            3 => TokenSpan::Switch,
            _ => TokenSpan::Group,
        };
        let token_ring = token_ring.map(|ring| TokenRing { span: span(ring), ..ring });
        consistent(Network { topology, routing, switch, link, node, token_ring, clock_ns: None, reach_limit_mib: 64 })
    })
}

/// The network, changed where the rules forbid it.
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
    // This value depends on values that are drawn already.
    network.node.virtual_channels = match network.switch.fifo_depth {
        _ if network.switch.replication == Replication::Lockstep => None,
        depth if depth % 4 == 3 => Some(2),
        depth if depth % 16 == 6 => Some(3),
        depth if depth % 8 == 1 => Some(1),
        _ => None,
    };
    while network.input_lanes().max(network.output_lanes()) > 64 {
        network.node.virtual_channels = Some(1);
        let (switch, node) = (&mut network.switch, &mut network.node);
        for lanes in [
            &mut switch.dilation,
            &mut switch.virtual_channels,
            &mut node.injection_channels,
            &mut node.consumption_channels,
        ] {
            *lanes = (*lanes / 2).max(1);
        }
    }
    match &network.topology {
        Topology::Mesh { radices } if matches!(radices.len(), 2 | 3) => {}
        Topology::Mesh { radices } | Topology::Torus { radices, .. } if radices.len() > 1 => {
            network.routing = network.routing.and(Some(Routing::ReverseDimensionOrder));
        }
        Topology::BiMin { .. } => network.routing = network.routing.and(Some(Routing::MultipleTurnaround)),
        _ => network.routing = None,
    }
    if network.blueprint().refuses_token_rings(network.routing()).is_some() {
        network.token_ring = None;
    }
    fitting_span(&mut network);
    if (network.switch.fifo_depth + network.switch.routing_cycles) % 5 == 4 {
        network.switch.header_timing = HeaderTiming::Beside;
    }
    network.switch.copy_to_source = (network.switch.fifo_depth + network.switch.flit_bits) % 3 == 1;
    let turn = network.switch.fifo_depth as usize;
    if turn % 4 < 2 {
        network.switch.lane_choice = LaneChoice::RoundRobin;
    }
    if network.switch.replication == Replication::Synchronous {
        synchronous(&mut network);
    }
    if turn.is_multiple_of(3) {
        let mut order = port_names(&network);
        order.reverse();
        let ports = order.len();
        order.rotate_left(turn % ports);
        network.switch.port_order = Some(order);
    }
    let header = header_flits(&network, Encoding::Unicast, 1);
    network.switch.fifo_depth = network.switch.fifo_depth.max(header);
    network.node.injection_depth = network.node.injection_depth.map(|depth| depth.max(header));
    network
}

/// The network, with whole groups on its token rings where each group has one switch.
pub fn fitting_span(network: &mut Network) {
    let is_single = network.grouped_stages() < 2;
    if let Some(ring) = network.token_ring.as_mut().filter(|_| is_single) {
        ring.span = TokenSpan::Group;
    }
}

/// The network, with asynchronous worms in place of synchronous ones.
pub fn not_synchronous(network: &mut Network) {
    if network.switch.replication == Replication::Synchronous {
        network.switch.replication = Replication::Asynchronous;
    }
}

/// The network with synchronous worms where there are any, else with asynchronous ones.
pub fn synchronous(network: &mut Network) {
    let plain = Network { routing: None, ..network.clone() };
    if !plain.blueprint().heads_keep_step(plain.routing()) {
        network.switch.replication = Replication::Asynchronous;
        return;
    }
    (network.routing, network.token_ring) = (None, None);
    network.node.virtual_channels = None;
    let switch = &mut network.switch;
    (switch.replication, switch.virtual_channels) = (Replication::Synchronous, 1);
    (switch.arbiter, switch.acquisition) = (Arbiter::OldestFirst, Acquisition::Incremental);
    switch.lane_choice = LaneChoice::Lowest;
}

/// A draft of a worm; [`worms`] makes it fit a network.
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
    let encoding = proptest::sample::select(&Encoding::ALL[..]);
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

/// Kinds of worms in a traffic.
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
    /// Multiport worms; unicasts on a grid.
    Multiport,
}

/// Makes worms of the drafts. The worms that the network's rules refuse become unicasts.
#[must_use]
pub fn worms(network: &Network, drafts: &[Draft], kind: Kind) -> Vec<NewWorm> {
    let rules = WormRules::new(&drive::built(network));
    drafts.iter().map(|draft| fit(network, &rules, draft, kind)).collect()
}

fn fit(network: &Network, rules: &WormRules, draft: &Draft, kind: Kind) -> NewWorm {
    let nodes = network.nodes();
    let source = draft.source % nodes;
    let returns = network.switch.copy_to_source && draft.encoding == Encoding::BitString;
    let mut seen = if returns { BTreeSet::new() } else { BTreeSet::from([source]) };
    let mut destinations: Vec<u32> = draft.picks.iter().map(|d| d % nodes).filter(|&d| seen.insert(d)).collect();
    let encoding = match (kind, draft.encoding) {
        (Kind::Trees, Encoding::Multidestination)
        | (Kind::Paths, Encoding::BitString | Encoding::Multiport | Encoding::Mask | Encoding::CoordinateMask)
        | (Kind::Unicast, _) => Encoding::Unicast,
        (Kind::Multiport, _) => Encoding::Multiport,
        (Kind::Any, Encoding::Multidestination) if network.stages().is_some() => Encoding::BitString,
        (Kind::Any, Encoding::Multiport) if network.stages().is_none() => Encoding::Multidestination,
        (_, encoding) => encoding,
    };
    // Port masks turn once. Where trees turn more often, bit-strings take their place.
    let turns_often = network.routing() == Routing::MultipleTurnaround;
    let encoding = if turns_often && encoding == Encoding::Multiport { Encoding::BitString } else { encoding };
    if kind == Kind::Paths
        && let Some(labels) = drive::wiring(network).grid().and_then(Labels::new)
    {
        let all: Vec<NodeId> = destinations.iter().map(|&d| NodeId(d)).collect();
        let parts = dual_path(&labels, NodeId(source), &all);
        destinations = parts.first().map_or(Vec::new(), |part| part.iter().map(|d| d.0).collect());
    }
    if encoding == Encoding::BitString {
        destinations.sort_unstable();
    }
    if encoding == Encoding::Multiport
        && let Some(stages) = Stages::of(&drive::wiring(network))
    {
        destinations = product(network, stages, NodeId(source), &draft.picks).unwrap_or_default();
    }
    if matches!(encoding, Encoding::Mask | Encoding::CoordinateMask) {
        destinations = matching(network, encoding, source, &draft.picks);
    }
    let message = Message {
        cycle: draft.cycle,
        source,
        destinations,
        encoding: Some(encoding),
        class: None,
        payload_flits: draft.payload_flits,
    };
    if rules.check_message(&message).is_ok() {
        drive::worm(draft.cycle, source, &message.destinations, encoding, draft.payload_flits)
    } else {
        drive::unicast(draft.cycle, source, draft.picks[0] % nodes, draft.payload_flits)
    }
}

/// Values of each field of an address in a mask, the lowest first.
#[must_use]
pub fn fields(network: &Network, encoding: Encoding) -> Vec<u32> {
    if encoding == Encoding::CoordinateMask { network.radices() } else { vec![network.nodes()] }
}

/// The address of a node, of these fields.
#[must_use]
pub fn address(fields: &[u32], node: u32) -> u64 {
    let (mut address, mut left, mut place) = (0, node, 1_u64);
    for &values in fields {
        address += u64::from(left % values) * place;
        left /= values;
        place *= u64::from(values.next_power_of_two());
    }
    address
}

/// Destinations around the first of `picks` that match a mask made of the others. With copies to
/// sources, the source may be one of them. Otherwise it is none. If it would get a copy, the mask
/// lacks one bit in which the source differs from the first. There are none where the source is
/// equal to it.
fn matching(network: &Network, encoding: Encoding, source: u32, picks: &[u32]) -> Vec<u32> {
    let fields = fields(network, encoding);
    let (nodes, address) = (network.nodes(), |node| address(&fields, node));
    let wanted = address(picks[0] % nodes);
    let own = wanted ^ address(source);
    let returns = network.switch.copy_to_source;
    // The mask lacks one bit that tells the source from them.
    let tells =
        if network.blueprint().leaves_source(network.routing()) || returns { 0 } else { own & own.wrapping_neg() };
    let mask = picks[1..].iter().fold(0, |mask, &pick| mask | 1 << (pick % 8)) & !tells;
    let goes = |node: u32| returns || own != 0 && node != source;
    (0..nodes).filter(|&node| goes(node) && (address(node) ^ wanted) & !mask == 0).collect()
}

/// Destinations that masks made of `picks` lead to; `None` where the source is always among them.
fn product(network: &Network, stages: Stages, source: NodeId, picks: &[u32]) -> Option<Vec<u32>> {
    let (up, down, ports) = match network.topology {
        Topology::BiMin { switch_ports, stages } => (picks[0] % stages, picks[0] % stages + 1, switch_ports),
        Topology::Linear { .. }
        | Topology::Mesh { .. }
        | Topology::Torus { .. }
        | Topology::UniMin { .. }
        | Topology::TwoSided { .. }
        | Topology::Netlist { .. } => (0, network.longest_way(), network.ports()),
    };
    (0..8).find_map(|attempt| {
        let random = |i: u32| picks[i as usize % picks.len()].wrapping_mul(2 * (i + down * attempt) + 1) >> 8;
        let down = (0..down).map(|i| 1 + u64::from(random(i)) % ((1 << ports) - 1));
        let masks: Vec<u64> = (0..up).map(|_| 0).chain(down).collect();
        let reached: Vec<u32> = stages.reached(source, &masks).map(|node| node.0).collect();
        (!reached.contains(&source.0)).then_some(reached)
    })
}

/// The reason why a network cannot deadlock, whatever the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safe {
    /// Unicasts whose routes wait for each other in no circle: meshes, tori with datelines.
    Unicast,
    /// Path worms along the labels of a mesh, with a consumption channel for every input.
    Paths,
    /// Tree worms with a FIFO for a whole worm and a read pointer for each branch, or one branch
    /// after the other.
    Trees,
    /// Tree worms of which one at a time replicates in a group of switches; multistage networks.
    Tokens,
    /// Tree worms whose heads go on together; multistage networks.
    Synchronous,
}

/// Networks and worms that cannot deadlock.
pub fn safe(most: usize, within: u64) -> impl Strategy<Value = (Network, Vec<NewWorm>)> {
    let why = proptest::sample::select(vec![Safe::Unicast, Safe::Paths, Safe::Trees, Safe::Tokens, Safe::Synchronous]);
    (networks(topologies()), drafts(most, within), why).prop_map(|(network, drafts, why)| freed(network, &drafts, why))
}

fn freed(mut network: Network, drafts: &[Draft], why: Safe) -> (Network, Vec<NewWorm>) {
    match &mut network.topology {
        Topology::Torus { datelines, .. } => *datelines = true,
        Topology::Netlist { routing, .. } => *routing = Order::UpDown,
        Topology::Linear { .. }
        | Topology::Mesh { .. }
        | Topology::UniMin { .. }
        | Topology::BiMin { .. }
        | Topology::TwoSided { .. } => {}
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
            network.node.injection_depth = None;
        }
        Safe::Tokens => {
            // Less than a group is not safe.
            network.token_ring = Some(TokenRing { span: TokenSpan::Group, ..network.token_ring.unwrap_or_default() });
            network.routing = None;
            if network.blueprint().refuses_token_rings(network.routing()).is_none() {
                kind = Kind::Trees;
            }
        }
        Safe::Synchronous => {
            synchronous(&mut network);
            if network.switch.replication == Replication::Synchronous {
                kind = Kind::Trees;
            }
        }
    }
    network = consistent(network);
    if why == Safe::Paths && network.routing() == Routing::LabelOrder {
        kind = Kind::Paths;
        network.switch.dilation = 1;
        network.node.virtual_channels = Some(1);
        network.node.consumption_channels = network.input_lanes();
    }
    let worms = worms(&network, drafts, kind);
    if why == Safe::Trees {
        let length = |w: &NewWorm| header_flits(&network, w.encoding, w.destinations.len() as u32) + w.payload_flits;
        network.switch.fifo_depth = worms.iter().map(length).max().unwrap_or(1);
    }
    (network, worms)
}
