//! Tests of every network: the two ends of each wire agree, and the published digits lead from each
//! node to each other.

use proptest::prelude::*;
use wormscope_hw::{NodeId, PortId, SwitchId};

use super::uni_min::{Kind, Unroutable};
use super::*;

/// Ports of a switch, and stages, up to a thousand nodes.
const SIZES: [(u8, u32); 14] =
    [(2, 1), (2, 2), (2, 3), (2, 4), (2, 6), (3, 1), (3, 3), (4, 1), (4, 2), (4, 3), (5, 2), (8, 2), (8, 3), (32, 2)];
const KINDS: [Kind; 3] = [Kind::Baseline, Kind::Butterfly, Kind::Omega];

fn digit(x: u32, i: u32, b: u8) -> u8 {
    (x / u32::from(b).pow(i) % u32::from(b)) as u8
}

fn staged() -> impl Iterator<Item = Wiring> {
    SIZES.into_iter().flat_map(|(b, n)| {
        let uni = KINDS.map(|kind| Wiring::new(UniMin::new(kind, b, n)));
        uni.into_iter().chain([Wiring::new(BiMin::new(b, n))])
    })
}

#[test]
fn a_network_is_not_built_of_what_validation_refuses() {
    let refused =
        |topology, routing| Network { routing, ..Network::new(topology) }.build().err().map(|why| why.to_string());
    let (bi_min, mesh) = (Topology::BiMin { switch_ports: 2, stages: 2 }, Topology::Mesh { radices: vec![3, 3] });
    for topology in [bi_min.clone(), mesh.clone()] {
        assert_eq!(refused(topology, None), None);
    }
    assert_eq!(refused(mesh.clone(), Some(Routing::LabelOrder)), None);
    let why = "routing: turnaround does not route in a mesh; allowed: dimension_order, reverse_dimension_order, \
               label_order";
    assert_eq!(refused(mesh, Some(Routing::Turnaround)).as_deref(), Some(why));
    let why =
        "routing: label_order has labels for 2-D and 3-D meshes, not for a linear array; allowed: dimension_order";
    assert_eq!(refused(Topology::Linear { nodes: 4 }, Some(Routing::LabelOrder)).as_deref(), Some(why));
    let why = "topology.bi_min.switch_ports: switch_ports is 1; allowed: 2 to 32";
    assert_eq!(refused(Topology::BiMin { switch_ports: 1, stages: 2 }, None).as_deref(), Some(why));
    assert!(refused(bi_min, Some(Routing::DestinationTag)).is_some_and(|why| why.starts_with("routing: ")));
}

#[test]
fn every_wire_has_two_ends_that_agree() {
    let grids = [(vec![4, 3], false), (vec![5], true), (vec![2, 3, 2], true)];
    let grids = grids.into_iter().map(|(radices, wraps)| Wiring::new(Grid::new(radices, wraps)));
    for wiring in grids.chain(staged()) {
        let (mut injections, mut consumptions) = (0, 0);
        for switch in (0..wiring.switches()).map(SwitchId) {
            for port in (0..wiring.ports()).map(PortId) {
                match wiring.output(switch, port) {
                    Some(End::Switch(far, at)) => assert_eq!(wiring.input(far, at), Some(End::Switch(switch, port))),
                    Some(End::Node(node)) => {
                        assert_eq!(wiring.consumption(node), (switch, port));
                        consumptions += 1;
                    }
                    None => {}
                }
                match wiring.input(switch, port) {
                    Some(End::Switch(far, at)) => assert_eq!(wiring.output(far, at), Some(End::Switch(switch, port))),
                    Some(End::Node(node)) => {
                        assert_eq!(wiring.injection(node), (switch, port));
                        injections += 1;
                    }
                    None => {}
                }
            }
        }
        assert_eq!((injections, consumptions), (wiring.nodes(), wiring.nodes()));
    }
}

/// Ports from a source to a node, along the ports that `port` gives.
fn walk(wiring: &Wiring, from: NodeId, mut port: impl FnMut(SwitchId) -> u8) -> (Vec<u8>, NodeId) {
    let (mut at, _) = wiring.injection(from);
    let mut ports = Vec::new();
    loop {
        let taken = port(at);
        ports.push(taken);
        match wiring.output(at, PortId(taken)) {
            Some(End::Switch(far, _)) => at = far,
            Some(End::Node(node)) => return (ports, node),
            None => panic!("{at:?} has no port {taken}"),
        }
    }
}

#[test]
fn in_unidirectional_networks_every_pair_is_joined_by_the_published_digits() {
    for (b, n) in SIZES {
        for kind in KINDS {
            let min = UniMin::new(kind, b, n);
            let wiring = Wiring::new(min.clone());
            for to in (0..min.nodes()).map(NodeId) {
                let published: Vec<u8> = match kind {
                    Kind::Baseline | Kind::Omega => (0..n).rev().map(|i| digit(to.0, i, b)).collect(),
                    Kind::Butterfly => (1..n).chain([0]).map(|i| digit(to.0, i, b)).collect(),
                };
                for from in (0..min.nodes()).map(NodeId) {
                    let walked = walk(&wiring, from, |at| min.tag(at, to));
                    assert_eq!(walked, (published.clone(), to), "{kind:?} of {n} stages of {b}x{b}: n{from} to n{to}");
                }
            }
        }
    }
}

/// \[ATBM\] section 2: "The next output port is decided on the basis of the destination bit
/// corresponding to the current stage." The text does not give the switches in between. The figure
/// shows the labels of the baseline wiring.
#[test]
fn figure_3_a_takes_the_bits_of_the_destination_from_the_left_as_ports() {
    let min = UniMin::new(Kind::Baseline, 2, 4);
    let wiring = Wiring::new(min.clone());
    let route = |from: u32, to: u32| {
        let mut rows = Vec::new();
        let walked = walk(&wiring, NodeId(from), |at| {
            rows.push((at.0 / min.rows(), at.0 % min.rows()));
            min.tag(at, NodeId(to))
        });
        (walked, rows)
    };
    let s_1 = ((vec![1, 0, 1, 0], NodeId(0b1010)), vec![(0, 1), (1, 4), (2, 4), (3, 5)]);
    assert_eq!(route(0b0010, 0b1010), s_1);
    let s_2 = ((vec![1, 0, 0, 0], NodeId(0b1000)), vec![(0, 6), (1, 7), (2, 5), (3, 4)]);
    assert_eq!(route(0b1100, 0b1000), s_2);
}

#[test]
fn networks_of_eight_nodes_are_wired_as_in_the_textbook() {
    let connections = |kind| {
        let min = UniMin::new(kind, 2, 3);
        let out = |stage: u32, x: u32| match min.output(SwitchId(stage * 4 + x / 2), PortId((x % 2) as u8)) {
            Some(End::Switch(s, p)) => s.0 % 4 * 2 + u32::from(p.0),
            Some(End::Node(n)) => n.0,
            None => panic!("every port is wired"),
        };
        let inner = (0..3).map(|stage| (0..8).map(|x| out(stage, x)).collect::<Vec<_>>());
        let first = (0..8).map(|n| min.injection(NodeId(n))).map(|(s, p)| s.0 * 2 + u32::from(p.0)).collect();
        [first].into_iter().chain(inner).collect::<Vec<_>>()
    };
    let straight = [0, 1, 2, 3, 4, 5, 6, 7];
    let unshuffle = [0, 4, 1, 5, 2, 6, 3, 7];
    assert_eq!(connections(Kind::Baseline), [straight, unshuffle, [0, 2, 1, 3, 4, 6, 5, 7], straight]);
    assert_eq!(connections(Kind::Butterfly), [straight, [0, 2, 1, 3, 4, 6, 5, 7], [0, 4, 2, 6, 1, 5, 3, 7], straight]);
    let shuffle = [0, 2, 4, 6, 1, 3, 5, 7];
    assert_eq!(connections(Kind::Omega), [shuffle, shuffle, shuffle, straight]);
}

#[test]
fn in_bidirectional_networks_every_pair_meets_where_its_most_significant_digit_differs() {
    for (b, n) in SIZES {
        let min = BiMin::new(b, n);
        let wiring = Wiring::new(min.clone());
        for (from, to) in (0..min.nodes()).flat_map(|from| (0..min.nodes()).map(move |to| (NodeId(from), NodeId(to)))) {
            let turn = (0..n).rev().find(|&i| digit(from.0, i, b) != digit(to.0, i, b)).unwrap_or(0);
            assert_eq!(min.turn(from, &[to]), turn);
            // Any choice on the way up; these are some of the b^turn choices.
            for choice in [0, 1, to.0 * 7 + from.0, u32::MAX] {
                let up = |stage: u32| b + digit(choice, stage % 8, b);
                let (ports, node) = walk(&wiring, from, |at| match min.port(at, to) {
                    port if port == b => up(at.0 / min.rows()),
                    port => port,
                });
                let published: Vec<u8> = (0..turn).map(up).chain((0..=turn).rev().map(|i| digit(to.0, i, b))).collect();
                assert_eq!((ports, node), (published, to), "{n} stages of {b}x{b}: n{from} to n{to}");
            }
        }
    }
}

#[test]
fn the_turn_of_a_multicast_is_the_farthest_of_its_destinations() {
    let min = BiMin::new(2, 4);
    let turn = |source, nodes: &[u32]| min.turn(NodeId(source), &nodes.iter().map(|&n| NodeId(n)).collect::<Vec<_>>());
    assert_eq!((turn(5, &[4]), turn(5, &[4, 7]), turn(5, &[4, 7, 2]), turn(5, &[9, 4])), (0, 1, 2, 3));
    assert_eq!(turn(5, &[5]), 0);
}

#[test]
fn switches_are_named_by_stage_and_row() {
    let wiring = Wiring::new(BiMin::new(4, 3));
    let name = |s| wiring.switch_name(SwitchId(s));
    assert_eq!(
        (name(0), name(15), name(16), name(47)),
        ("sw_s0_r0".into(), "sw_s0_r15".into(), "sw_s1_r0".into(), "sw_s2_r15".into())
    );
}

/// All connections of a network as lists.
fn lists(kind: Kind, b: u8, n: u32) -> Vec<Vec<u32>> {
    let min = UniMin::new(kind, b, n);
    (0..=n).map(|c| (0..min.nodes()).map(|x| min.ahead(c, x)).collect()).collect()
}

#[test]
fn the_digits_of_given_permutations_are_found() {
    for (b, n) in SIZES {
        for kind in KINDS {
            let published = UniMin::new(kind, b, n);
            let found = UniMin::custom(b, n, &lists(kind, b, n)).unwrap();
            assert_eq!(found.tags, published.tags, "{kind:?} of {n} stages of {b}x{b}");
        }
    }
}

/// All routes through a network, by brute force: the ports from each source to each node.
fn ways(b: u8, n: u32, permutations: &[Vec<u32>]) -> Vec<(u32, u32, Vec<u8>)> {
    let nodes = u32::from(b).pow(n);
    let mut ways = Vec::new();
    for (source, tag) in (0..nodes).flat_map(|s| (0..nodes).map(move |t| (s, t))) {
        let ports: Vec<u8> = (0..n).map(|i| digit(tag, i, b)).collect();
        let end = ports.iter().enumerate().fold(permutations[0][source as usize], |x, (stage, &port)| {
            permutations[stage + 1][(x / u32::from(b) * u32::from(b) + u32::from(port)) as usize]
        });
        ways.push((source, end, ports));
    }
    ways
}

/// Random wirings. Some are made from self-routing wirings: whole switches change places, or two
/// ports of one switch change places.
fn wirings() -> impl Strategy<Value = (u8, u32, Vec<Vec<u32>>)> {
    let sizes = prop_oneof![Just((2u8, 2u32)), Just((2, 3)), Just((3, 2)), Just((2, 1))];
    (sizes, 0..4usize, any::<u64>()).prop_perturb(|((b, n), kind, _), mut random| {
        let nodes = u32::from(b).pow(n);
        let mut shuffled = |count: u32| {
            let mut list: Vec<u32> = (0..count).collect();
            for i in (1..list.len()).rev() {
                list.swap(i, random.random_range(0..=i));
            }
            list
        };
        let Some(&kind) = KINDS.get(kind) else {
            return (b, n, (0..=n).map(|_| shuffled(nodes)).collect());
        };
        let mut wired = lists(kind, b, n);
        let base = u32::from(b);
        for stage in 0..n as usize {
            // The switches of a stage change places, and their inputs too.
            let (rows, inputs) = (shuffled(nodes / base), shuffled(base));
            let left = |x: u32| rows[(x / base) as usize] * base + inputs[(x % base) as usize];
            wired[stage].iter_mut().for_each(|x| *x = left(*x));
            let old = wired[stage + 1].clone();
            for x in 0..nodes {
                wired[stage + 1][(rows[(x / base) as usize] * base + x % base) as usize] = old[x as usize];
            }
        }
        let (sources, sinks) = (shuffled(nodes), shuffled(nodes));
        wired[0] = sources.iter().map(|&s| wired[0][s as usize]).collect();
        wired[n as usize].iter_mut().for_each(|x| *x = sinks[*x as usize]);
        (b, n, wired)
    })
}

proptest! {
    #[test]
    fn exactly_the_self_routing_permutations_are_taken((b, n, permutations) in wirings()) {
        let ways = ways(b, n, &permutations);
        match UniMin::custom(b, n, &permutations) {
            Ok(min) => {
                let wiring = Wiring::new(min.clone());
                for (source, end, ports) in ways {
                    let walked = walk(&wiring, NodeId(source), |at| min.tag(at, NodeId(end)));
                    prop_assert_eq!(walked, (ports, NodeId(end)));
                }
            }
            Err(Unroutable::Sources { destination, sources, stage, ports }) => {
                // The facts of the refusal are true.
                prop_assert_ne!(sources[0], sources[1]);
                prop_assert_ne!(ports[0], ports[1]);
                for (source, port) in sources.into_iter().zip(ports) {
                    prop_assert!(ways.iter().any(|w| (w.0, w.1, w.2[stage as usize]) == (source, destination, port)));
                }
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn lanes_of_a_port_are_numbered_together_and_exist_where_the_port_leads() {
    for wiring in staged().chain([Wiring::new(Grid::new(vec![3, 3], false))]) {
        let lanes = Lanes::new(&wiring, 2, 1, 3);
        for side in [lanes.inputs, lanes.outputs] {
            let all: Vec<u8> =
                (0..wiring.ports()).flat_map(|p| (0..side.of(p)).map(move |l| side.first(p) + l)).collect();
            assert!(all.iter().copied().eq(0..side.count()));
            let backward = |lane: u8| side.first(side.port(lane)) + side.within(lane);
            assert!((0..side.count()).all(|lane| backward(lane) == lane));
        }
        for switch in (0..wiring.switches()).map(SwitchId) {
            let outputs = (0..lanes.outputs.count()).filter(|&l| lanes.has_output(&wiring, switch, l)).count();
            let ends = (0..wiring.ports()).filter_map(|p| wiring.output(switch, PortId(p)));
            assert_eq!(outputs, ends.map(|e| if matches!(e, End::Node(_)) { 3 } else { 2 }).sum::<usize>());
            let inputs = (0..lanes.inputs.count()).filter(|&l| lanes.has_input(&wiring, switch, l)).count();
            let ends = (0..wiring.ports()).filter_map(|p| wiring.input(switch, PortId(p)));
            assert_eq!(inputs, ends.map(|e| if matches!(e, End::Node(_)) { 1 } else { 2 }).sum::<usize>());
        }
    }
}
