//! Tests of properties of every algorithm in the table.

use proptest::prelude::*;
use wormscope_hw::{Encoding, NodeId};

use super::*;
use wormscope_network::uni_min::Kind;
use wormscope_network::{BiMin, Grid, UniMin, Wiring};

/// Networks of many shapes.
fn networks() -> impl Strategy<Value = Wiring> {
    let radices =
        prop::collection::vec(1u32..8, 1..4).prop_filter("more than a node", |k| k.iter().product::<u32>() > 1);
    let grids =
        (radices, prop::bool::weighted(0.2)).prop_map(|(radices, wraps)| Wiring::new(Grid::new(radices, wraps)));
    prop_oneof![grids, multistage()]
}

/// Multistage networks of all kinds.
fn multistage() -> impl Strategy<Value = Wiring> {
    let sizes = prop_oneof![(Just(2u8), 1u32..7), (Just(3u8), 1u32..4), (Just(4u8), 1u32..4), (Just(8u8), 1u32..3)];
    let kinds =
        prop_oneof![Just(None), Just(Some(Kind::Baseline)), Just(Some(Kind::Butterfly)), Just(Some(Kind::Omega))];
    (sizes, kinds).prop_map(|((ports, stages), kind)| match kind {
        Some(kind) => Wiring::new(UniMin::new(kind, ports, stages)),
        None => Wiring::new(BiMin::new(ports, stages)),
    })
}

/// Parameters of all kinds that are allowed together.
fn parameters() -> impl Strategy<Value = Parameters> {
    let levels = prop_oneof![Just(Levels::All), Just(Levels::Exactly(1)), Just(Levels::Fewest)];
    let costs = (0u32..100, 0u32..100).prop_map(|(hold, end)| Costs::hold_and_end(f64::from(hold + 1), f64::from(end)));
    (costs, 1u32..5, 1u32..9, levels, 0u32..4).prop_map(|(costs, ports, block, levels, nu)| {
        let inter = costs.hold.fixed / f64::from(ports);
        Parameters { costs, inter, ports, block, levels, nu, ..Parameters::default() }
    })
}

/// A network, its nodes in random order, and the number of nodes that take part.
fn cases() -> impl Strategy<Value = (Wiring, Vec<NodeId>, Parameters)> {
    let shuffled = networks().prop_flat_map(|wiring| {
        let nodes = wiring.nodes();
        let order = Just((0..nodes).map(NodeId).collect::<Vec<_>>()).prop_shuffle();
        let how_many = prop_oneof![1 => Just(2), 1 => Just(nodes as usize), 4 => 2..=nodes as usize];
        (Just(wiring), order, how_many)
    });
    (shuffled, parameters()).prop_map(|((wiring, mut order, k), parameters)| {
        order.truncate(k);
        (wiring, order, parameters)
    })
}

proptest! {
    #![proptest_config(crate::properties::cases(400))]

    #[test]
    fn every_algorithm_delivers_exactly_once_on_every_network_it_claims((wiring, nodes, parameters) in cases()) {
        let (source, destinations) = (nodes[0], &nodes[1..]);
        let request = Request { wiring: &wiring, source, destinations, parameters: &parameters };
        for algorithm in ALGORITHMS {
            match algorithm.plan(&request) {
                Ok(plan) => {
                    prop_assert_eq!(plan.verify(), Ok(()), "{}", algorithm.name);
                    prop_assert_eq!((plan.source, plan.destinations.len()), (source, destinations.len()));
                    let encodings = [Encoding::Unicast, algorithm.encoding];
                    prop_assert!(plan.sends.iter().all(|send| encodings.contains(&send.encoding)), "{}", algorithm.name);
                }
                Err(Refusal::Network { .. }) => prop_assert_ne!(algorithm.networks, "any network"),
                Err(Refusal::Destinations { .. }) => {
                    prop_assert!(algorithm.everybody && nodes.len() < wiring.nodes() as usize);
                }
                Err(Refusal::Parameter { parameter, .. }) => prop_assert_eq!(parameter, "levels"),
                Err(refusal) => prop_assert!(false, "{}", refusal),
            }
        }
    }

    #[test]
    fn no_plan_for_a_network_depends_on_the_order_in_which_destinations_are_given((wiring, mut nodes, parameters) in cases()) {
        let ask = |nodes: &[NodeId], algorithm: &Algorithm| {
            let request = Request { wiring: &wiring, source: nodes[0], destinations: &nodes[1..], parameters: &parameters };
            algorithm.plan(&request)
        };
        let bound = || ALGORITHMS.iter().filter(|algorithm| algorithm.networks != "any network");
        let given: Vec<_> = bound().map(|algorithm| ask(&nodes, algorithm)).collect();
        nodes[1..].reverse();
        for (algorithm, given) in bound().zip(given) {
            prop_assert_eq!(ask(&nodes, algorithm), given, "{}", algorithm.name);
        }
    }
}

#[test]
fn names_are_unique_and_a_misspelled_one_is_answered_with_the_nearest() {
    for (i, algorithm) in ALGORITHMS.iter().enumerate() {
        assert!(ALGORITHMS[..i].iter().all(|other| other.name != algorithm.name), "{}", algorithm.name);
        assert_eq!(find(algorithm.name).unwrap().name, algorithm.name);
    }
    let unknown = find("umesh").unwrap_err().to_string();
    let expected = "unknown algorithm \"umesh\"; did you mean \"u_mesh\"? allowed: sequential, ";
    assert!(unknown.starts_with(expected), "{unknown}");
    assert!(!find("zzz").unwrap_err().to_string().contains("did you mean"));
}

#[test]
fn what_no_algorithm_can_serve_is_refused_with_the_reason() {
    let wiring = Wiring::new(Grid::new(vec![4, 4], false));
    let parameters = Parameters::default();
    let refused = |source: u32, destinations: &[u32]| {
        let destinations: Vec<NodeId> = destinations.iter().copied().map(NodeId).collect();
        let request =
            Request { wiring: &wiring, source: NodeId(source), destinations: &destinations, parameters: &parameters };
        let plans = ALGORITHMS.iter().map(|algorithm| (algorithm.name, algorithm.plan(&request)));
        let reasons = plans.map(|(name, plan)| plan.unwrap_err().to_string().replacen(name, "x", 1));
        reasons.reduce(|a, b| if a == b { a } else { panic!("{a} is not {b}") }).unwrap()
    };
    assert_eq!(refused(16, &[1]), "x: source 16 is outside the network of 16 nodes");
    assert_eq!(refused(0, &[]), "x: no destinations");
    assert_eq!(refused(0, &[1, 99]), "x: destination 99 is outside the network of 16 nodes");
    assert_eq!(refused(0, &[1, 2, 1]), "x: destination 1 is given twice");
    assert_eq!(refused(3, &[1, 3]), "x: the source, 3, is among the destinations");
}

#[test]
fn a_mesh_algorithm_refuses_a_torus_by_name() {
    let wiring = Wiring::new(Grid::new(vec![4, 3], true));
    let parameters = Parameters::default();
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &[NodeId(5)], parameters: &parameters };
    let refusal = find("u_mesh").unwrap().plan(&request).unwrap_err().to_string();
    let expected = "u_mesh is not defined for a 4x3 torus: it needs a mesh; its worms would take the wrap-around links";
    assert_eq!(refusal, expected);
}

/// \[ATBM\] section 1: `ceil(log2(d + 1))` phases for d destinations. \[KP\] section 3.1: `SPUmesh`
/// takes no more than `ceil(log2 D)` start-ups. \[NUPAIROJ\] section 3.2: k - 1 steps by the
/// sequential and the chain tree.
#[test]
fn recursive_doubling_takes_as_few_steps_as_there_can_be_from_every_place_of_the_chain() {
    for k in 2..=33_u32 {
        let line = Wiring::new(Grid::new(vec![k], false));
        let butterfly = Wiring::new(BiMin::new(2, 6));
        let parameters = Parameters::default();
        for source in (0..k).map(NodeId) {
            let destinations: Vec<NodeId> = (0..k).map(NodeId).filter(|&node| node != source).collect();
            let steps = |wiring: &Wiring, name| {
                let request = Request { wiring, source, destinations: &destinations, parameters: &parameters };
                find(name).unwrap().plan(&request).unwrap().steps()
            };
            for name in ["binomial", "u_mesh", "spu_mesh"] {
                assert_eq!(steps(&line, name), k.next_power_of_two().ilog2(), "{name}, {k} nodes from {source}");
            }
            assert_eq!(steps(&butterfly, "u_min"), k.next_power_of_two().ilog2(), "u_min, {k} nodes from {source}");
            assert_eq!(["sequential", "chain"].map(|name| steps(&line, name)), [k - 1; 2]);
        }
    }
}

#[test]
fn plans_for_4096_destinations_take_milliseconds() {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let uni_min = UniMin::new(Kind::Baseline, 2, 13);
    let multistage = [Wiring::new(uni_min), Wiring::new(BiMin::new(2, 13))];
    let grids = [vec![64, 128], vec![16, 16, 32]].map(|radices| Wiring::new(Grid::new(radices, false)));
    for wiring in grids.into_iter().chain(multistage) {
        let destinations: Vec<NodeId> = (0..4096).map(|i| NodeId(i * 2 + 1)).collect();
        let request =
            Request { wiring: &wiring, source: NodeId(2048), destinations: &destinations, parameters: &parameters };
        for algorithm in ALGORITHMS {
            let begin = std::time::Instant::now();
            if let Ok(plan) = algorithm.plan(&request) {
                println!("{:16} {:?}", algorithm.name, begin.elapsed());
                assert_eq!(plan.verify(), Ok(()));
            }
        }
    }
}
