//! Tests that contention-free algorithms have no contention, and that the other algorithms have
//! some.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::*;
use wormscope_hw::lane_group::Climb;

use crate::model::parameterised::flights;
use crate::{ALGORITHMS, Algorithm, Levels, Parameters, Request, Task, find};
use wormscope_network::routing::Routes;
use wormscope_network::uni_min::Kind;
use wormscope_network::{BiMin, Grid, Routing, UniMin};

/// A mesh or multistage network, source and destinations in random order, and parameters of a node
/// with one port.
fn cases() -> impl Strategy<Value = (Wiring, Vec<NodeId>, Parameters)> {
    let radices = prop_oneof![
        prop::collection::vec(1u32..12, 1..3),
        prop::collection::vec(1u32..6, 3..4),
        prop::collection::vec(2u32..4, 4..5),
    ];
    let radices = radices.prop_filter("more than a node", |radices| radices.iter().product::<u32>() > 1);
    let meshes = radices.prop_map(|radices| Wiring::new(Grid::new(radices, false)));
    let sizes = prop_oneof![(Just(2u8), 1u32..8), (Just(4u8), 1u32..4), (Just(8u8), 1u32..3)];
    let butterflies = sizes.prop_map(|(ports, stages)| Wiring::new(BiMin::new(ports, stages)));
    let kinds = prop_oneof![Just(Kind::Baseline), Just(Kind::Butterfly), Just(Kind::Omega)];
    let one_way = (prop_oneof![Just((2, 3)), Just((2, 4)), Just((2, 6)), Just((4, 2)), Just((4, 3))], kinds)
        .prop_map(|((ports, stages), kind)| Wiring::new(UniMin::new(kind, ports, stages)));
    let set = prop_oneof![4 => meshes, 2 => butterflies, 1 => one_way].prop_flat_map(|wiring| {
        let nodes = wiring.nodes();
        let order = Just((0..nodes).map(NodeId).collect::<Vec<_>>()).prop_shuffle();
        (Just(wiring), order, prop_oneof![1 => Just(nodes as usize), 4 => 2..=nodes as usize])
    });
    let levels = prop_oneof![Just(Levels::All), Just(Levels::Exactly(1)), Just(Levels::Fewest)];
    (set, 0u32..60, 0u32..60, levels).prop_map(|((wiring, mut order, k), hold, end, levels)| {
        order.truncate(k);
        let costs = Parameters::hold_and_end(f64::from(hold), f64::from(end));
        (wiring, order, Parameters { levels, ..costs })
    })
}

/// Meetings of worms in one step and at one time; `None` if the algorithm makes no plan.
fn meetings_of(
    algorithm: &Algorithm,
    (wiring, nodes, parameters): &(Wiring, Vec<NodeId>, Parameters),
) -> Option<[Contention; 2]> {
    let request = Request { wiring, source: nodes[0], destinations: &nodes[1..], parameters };
    let plan = algorithm.plan(&request).ok()?;
    let routes = Routes::new(algorithm.routing.unwrap_or(Routing::DimensionOrder), wiring);
    let next = |switch: SwitchId, node: NodeId| {
        (wiring.consumption(node).0 != switch).then(|| PortId(routes.port(switch, node)))
    };
    let channels = channels(wiring, &plan, next).unwrap();
    Some([by_step(&plan, &channels), by_time(&plan, &channels, &flights(&plan, parameters))])
}

proptest! {
    #![proptest_config(crate::properties::cases(1000))]

    #[test]
    fn contention_free_algorithms_never_contend(case in cases()) {
        for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.contention_free) {
            if let Some([stepwise, depth]) = meetings_of(algorithm, &case) {
                prop_assert_eq!(stepwise, Contention::default(), "{} in one step", algorithm.name);
                prop_assert_eq!(depth, Contention::default(), "{} at one time", algorithm.name);
            }
        }
    }
}

#[test]
fn algorithms_that_are_not_contention_free_do_contend() {
    for algorithm in ALGORITHMS.iter().filter(|algorithm| !algorithm.contention_free) {
        let mut runner = TestRunner::deterministic();
        // ST and BST keep the worms of a step apart. A node that is early meets others that are
        // still at the step before.
        let contends =
            |[stepwise, depth]: [Contention; 2]| !stepwise.is_none() || algorithm.everybody && !depth.is_none();
        // HL has contention rarely: `leaders_rarely_share_a_link_in_one_step` counts it.
        let mut tries = (0..40_000).map(|_| cases().new_tree(&mut runner).unwrap().current());
        assert!(
            tries.any(|case| meetings_of(algorithm, &case).is_some_and(contends)),
            "{} never contends",
            algorithm.name
        );
    }
}

#[test]
fn leaders_rarely_share_a_link_in_one_step() {
    let mut runner = TestRunner::deterministic();
    let parameters = Parameters::default();
    let mut most = [0, 0];
    for radices in [vec![8, 8], vec![16, 16], vec![4, 4, 4], vec![6, 6, 6]] {
        let wiring = Wiring::new(Grid::new(radices.clone(), false));
        let nodes = wiring.nodes();
        let order = Just((0..nodes).map(NodeId).collect::<Vec<_>>()).prop_shuffle();
        let sets = (order, 2..=nodes as usize).prop_map(|(mut order, k)| {
            order.truncate(k);
            order
        });
        let sets: Vec<_> = (0..1500).map(|_| sets.new_tree(&mut runner).unwrap().current()).collect();
        for name in ["hl", "sqhl", "schl"] {
            let algorithm = find(name).unwrap();
            let contends = |set: &&Vec<NodeId>| {
                let case = (wiring.clone(), (*set).clone(), parameters.clone());
                meetings_of(algorithm, &case).is_some_and(|[stepwise, _]| !stepwise.is_none())
            };
            let count = sets.iter().filter(contends).count();
            println!("{radices:?}, {name}: {count} of 1,500 sets");
            let most = &mut most[radices.len() - 2];
            *most = count.max(*most);
        }
    }
    // docs/explain/papers.md gives these numbers.
    assert!(most[0] <= 2 && (1..=24).contains(&most[1]), "{most:?}");
}

#[test]
fn u_min_contends_where_switches_take_a_port_up_without_looking() {
    let min = BiMin::new(2, 4);
    let wiring = Wiring::new(min.clone());
    let next =
        |switch: SwitchId, node: NodeId| (wiring.consumption(node).0 != switch).then(|| PortId(min.port(switch, node)));
    let parameters = Parameters::default();
    let meetings = |nodes: &[NodeId], blind: bool| {
        let request = Request { wiring: &wiring, source: nodes[0], destinations: &nodes[1..], parameters: &parameters };
        let plan = find("u_min").unwrap().plan(&request).unwrap();
        let climb = |up: Climb, input: PortId| PortId(up.first() + if blind { 0 } else { input.0 });
        let channels = plan.sends.iter().map(|send| Walk::new(&wiring).channels(send, next, climb).unwrap());
        by_step(&plan, &channels.collect::<Vec<_>>()).pairs.len()
    };
    let (mut blind, mut straight) = (0, 0);
    for mask in (1..400_u32).map(|i| i * 40503 % 65536).filter(|mask| mask.count_ones() > 1) {
        let mut set: Vec<NodeId> = (0..16).filter(|&node| mask >> node & 1 == 1).map(NodeId).collect();
        // A node in the middle is the source.
        let middle = set.len() / 2;
        set.swap(0, middle);
        blind += usize::from(meetings(&set, true) > 0);
        straight += meetings(&set, false);
    }
    println!("{blind} sets contend");
    assert!(blind > 0, "a blind choice has contended nowhere");
    assert_eq!(straight, 0);
}

/// Number of sets of four nodes in order that break \[NUPAIROJ\] theorem 4, or theorem 6, whose
/// nodes are all different. The theorems speak of nodes u < v < x < y, and say that these pairs of
/// routes have no channel in common:
///
/// - u to v and x to y;
/// - y to x and v to u;
/// - v to u and x to y.
fn not_disjoint(wiring: &Wiring, order: &[NodeId], different: bool, climb: impl Fn(Climb, PortId) -> PortId) -> usize {
    let least = usize::from(different);
    let routes = Routes::new(Routing::DimensionOrder, wiring);
    let next = |switch: SwitchId, node: NodeId| {
        (wiring.consumption(node).0 != switch).then(|| PortId(routes.port(switch, node)))
    };
    let mut walk = Walk::new(wiring);
    let mut route = |from: usize, to: usize| -> HashSet<OutputPort> {
        let send = Send::unicast(order[from], order[to], 0);
        let used = (from != to).then(|| walk.channels(&send, next, &climb).unwrap());
        used.into_iter().flatten().collect()
    };
    let n = order.len();
    let all: Vec<Vec<_>> = (0..n).map(|from| (0..n).map(|to| route(from, to)).collect()).collect();
    let of = |from: usize, to: usize| &all[from][to];
    let mut broken = 0;
    for (u, v) in (0..n).flat_map(|u| (u + least..n).map(move |v| (u, v))) {
        for (x, y) in (v + least..n).flat_map(|x| (x + least..n).map(move |y| (x, y))) {
            let pairs = [(of(u, v), of(x, y)), (of(y, x), of(v, u)), (of(v, u), of(x, y))];
            broken += usize::from(!pairs.iter().all(|(a, b)| a.is_disjoint(b)));
        }
    }
    broken
}

#[test]
fn theorem_4_routes_within_parts_of_a_dimension_ordered_chain_are_apart() {
    let never = |_: Climb, _: PortId| unreachable!("a mesh has one way");
    for radices in [vec![7], vec![4, 4], vec![2, 5], vec![6, 2], vec![2, 3, 2]] {
        let grid = Grid::new(radices.clone(), false);
        let mut order: Vec<NodeId> = (0..grid.nodes()).map(NodeId).collect();
        order.sort_by_key(|&node| crate::ordered_chain::dimension_order(&grid, node));
        assert_eq!(not_disjoint(&Wiring::new(grid), &order, false, never), 0, "{radices:?}");
    }
}

#[test]
fn theorem_6_routes_within_parts_of_a_lexicographic_chain_are_apart_if_they_go_straight_up() {
    for (ports, stages) in [(2, 3), (2, 4), (4, 2)] {
        let wiring = Wiring::new(BiMin::new(ports, stages));
        let order: Vec<NodeId> = (0..wiring.nodes()).map(NodeId).collect();
        let straight = |up: Climb, input: PortId| PortId(up.first() + input.0);
        assert_eq!(not_disjoint(&wiring, &order, true, straight), 0, "{stages} stages of {ports}x{ports}");
        // "Turnaround routing" alone allows any port up.
        let blind = |up: Climb, _: PortId| PortId(up.first());
        assert!(not_disjoint(&wiring, &order, true, blind) > 0, "{stages} stages of {ports}x{ports}");
    }
}

#[test]
fn the_tree_of_figure_5_1_contends_in_step_2_and_later_as_the_text_says() {
    // \[NUPAIROJ\] section 5.1: j_7 = 5 and j_5 = 3. The order of the destinations is the order of
    // the four sends that the text names.
    let min = BiMin::new(2, 4);
    let wiring = Wiring::new(min.clone());
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let destinations = [0b1101, 0b1010, 0b0111, 0b1100, 0b0001, 0b0110].map(NodeId);
    let request =
        Request { wiring: &wiring, source: NodeId(0b0011), destinations: &destinations, parameters: &parameters };
    let plan = find("opt_tree").unwrap().plan(&request).unwrap();
    let flights = flights(&plan, &parameters);
    let number = |from, to| plan.sends.iter().position(|send| (send.from.0, send.to[0].0) == (from, to)).unwrap();
    let step_2 = [number(0b0011, 0b0111), number(0b0001, 0b0110)];
    assert_eq!(step_2.map(|send| (plan.sends[send].step, flights[send].start)), [(1, 20.0), (1, 55.0)]);
    let later = [number(0b0111, 0b1100), number(0b0011, 0b1101)];
    // "Possible": on the way up a switch may take a port without looking.
    let next =
        |switch: SwitchId, node: NodeId| (wiring.consumption(node).0 != switch).then(|| PortId(min.port(switch, node)));
    let blind = |up: Climb, _: PortId| PortId(up.first());
    let channels: Vec<_> = plan.sends.iter().map(|s| Walk::new(&wiring).channels(s, next, blind).unwrap()).collect();
    let meets = |found: &Contention, [a, b]: [usize; 2]| found.pairs.iter().any(|p| p.sends == (a.min(b), a.max(b)));
    assert!(meets(&by_step(&plan, &channels), step_2));
    assert!(meets(&by_time(&plan, &channels, &flights), later));
}

#[test]
fn two_worms_meet_once_on_the_first_channel_they_share() {
    // On a line, the worms from 0 to 3 and from 1 to 2 share only the channel from 1 to 2. Only the
    // first worm uses the channel from 2 on.
    let wiring = Wiring::new(Grid::new(vec![4], false));
    let sends = vec![Send::unicast(NodeId(0), NodeId(3), 0), Send::unicast(NodeId(1), NodeId(2), 0)];
    let plan = Plan {
        task: Task::Multicast,
        source: NodeId(0),
        destinations: Box::new([NodeId(2), NodeId(3)]),
        pieces: 1,
        sends,
    };
    let next = |switch: SwitchId, node: NodeId| (switch.0 != node.0).then_some(PortId(0));
    let channels = channels(&wiring, &plan, next).unwrap();
    assert_eq!(channels[1], [(SwitchId(1), PortId(0)), (SwitchId(2), PortId(2))]);
    let meeting = Meeting { channel: (SwitchId(1), PortId(0)), sends: (0, 1) };
    // Only the first worm uses the channel to the node.
    let once = Contention { pairs: vec![meeting], meetings: 1, channels: 1, left_out: false };
    assert_eq!(by_step(&plan, &channels), once);
    let flight = |start, arrival| Flight { start, arrival };
    let by_time = |flights: [Flight; 2]| by_time(&plan, &channels, &flights);
    assert_eq!(by_time([flight(0.0, 5.0), flight(5.0, 6.0)]), Contention::default());
    assert_eq!(by_time([flight(0.0, 5.0), flight(4.0, 6.0)]), once);
    assert_eq!(by_time([flight(4.0, 6.0), flight(0.0, 5.0)]), once);
    assert_eq!(by_time([flight(0.0, 5.0), flight(4.0, 4.0)]), Contention::default());
}

/// A test of every two worms on every channel: pairs with their first channel, meetings, channels.
fn one_by_one(plan: &Plan, channels: &[Vec<OutputPort>], meet: impl Fn(usize, usize) -> bool) -> Contention {
    let mut found = Contention::default();
    let mut contended = HashSet::new();
    for b in 0..plan.sends.len() {
        for a in (0..b).filter(|&a| meet(a, b)) {
            let shared: Vec<OutputPort> =
                channels[b].iter().copied().filter(|used| channels[a].contains(used)).collect();
            found.pairs.extend(shared.first().map(|&channel| Meeting { channel, sends: (a, b) }));
            found.meetings += shared.len() as u64;
            contended.extend(shared);
        }
    }
    found.channels = contended.len();
    found
}

proptest! {
    #![proptest_config(crate::properties::cases(300))]

    #[test]
    fn meetings_are_those_found_by_looking_at_every_two_worms(
        worms in prop::collection::vec((0u32..12, 0u32..12, 0u32..4, 0u8..8, 1u8..4), 0..40),
    ) {
        let wiring = Wiring::new(Grid::new(vec![4, 3], false));
        let worms: Vec<_> = worms.into_iter().filter(|(from, to, ..)| from != to).collect();
        let sends = worms.iter().map(|&(from, to, step, ..)| Send::unicast(NodeId(from), NodeId(to), step)).collect();
        let plan = Plan { task: Task::Multicast, source: NodeId(0), destinations: Box::new([]), pieces: 1, sends };
        let routes = Routes::new(Routing::DimensionOrder, &wiring);
        let next = |switch: SwitchId, node: NodeId| {
            (wiring.consumption(node).0 != switch).then(|| PortId(routes.port(switch, node)))
        };
        let used = channels(&wiring, &plan, next).unwrap();
        let time = |&(.., start, length): &(u32, u32, u32, u8, u8)| {
            Flight { start: start.into(), arrival: (start + length).into() }
        };
        let flights: Vec<Flight> = worms.iter().map(time).collect();
        let same_step = |a: usize, b: usize| plan.sends[a].step == plan.sends[b].step;
        let same_time = |a: usize, b: usize| {
            let apart = flights[a].arrival <= flights[b].start || flights[b].arrival <= flights[a].start;
            plan.sends[a].from != plan.sends[b].from && !apart
        };
        let cases = [
            (by_step(&plan, &used), one_by_one(&plan, &used, same_step)),
            (by_time(&plan, &used, &flights), one_by_one(&plan, &used, same_time)),
        ];
        for (found, mut expected) in cases {
            expected.left_out = expected.pairs.len() > MOST_PAIRS;
            if expected.left_out {
                prop_assert!(found.pairs.len() == MOST_PAIRS);
                expected.pairs.retain(|pair| found.pairs.contains(pair));
            }
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn of_very_many_meetings_some_are_named_and_all_counted() {
    let wiring = Wiring::new(Grid::new(vec![2], false));
    let sends = vec![Send::unicast(NodeId(0), NodeId(1), 0); 20_000];
    let plan = Plan { task: Task::Multicast, source: NodeId(0), destinations: Box::new([]), pieces: 1, sends };
    let next = |switch: SwitchId, node: NodeId| (switch.0 != node.0).then_some(PortId(0));
    let used = channels(&wiring, &plan, next).unwrap();
    let found = by_step(&plan, &used);
    assert_eq!((found.pairs.len(), found.meetings, found.channels), (MOST_PAIRS, 2 * 20_000 * 19_999 / 2, 2));
    assert!(!found.names_all());
    let flights = vec![Flight { start: 0.0, arrival: 1.0 }; 20_000];
    assert!(by_time(&plan, &used, &flights).is_none(), "the sends of one node queue up");
}

#[test]
fn as_many_pairs_as_are_named_at_most_are_all_of_them() {
    let wiring = Wiring::new(Grid::new(vec![3], false));
    let next = |switch: SwitchId, node: NodeId| (switch.0 != node.0).then_some(PortId(0));
    for (of_first, of_second, is_all) in [(16, 16, true), (16, 17, false)] {
        let mut sends = vec![Send::unicast(NodeId(0), NodeId(2), 0); of_first];
        sends.extend(vec![Send::unicast(NodeId(1), NodeId(2), 0); of_second]);
        let flights = vec![Flight { start: 0.0, arrival: 1.0 }; sends.len()];
        let plan = Plan { task: Task::Multicast, source: NodeId(0), destinations: Box::new([]), pieces: 1, sends };
        let found = by_time(&plan, &channels(&wiring, &plan, next).unwrap(), &flights);
        // Each send meets each send of the other node on two channels.
        assert_eq!((found.meetings, found.channels), (2 * (of_first * of_second) as u64, 2));
        assert_eq!((found.pairs.len(), found.names_all()), (MOST_PAIRS, is_all));
    }
}
