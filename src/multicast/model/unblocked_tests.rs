use proptest::prelude::*;
use wormscope_hw::{Encoding, PortId, SwitchId};

use super::super::tree::{Send, TreeError};
use super::*;
use wormscope_network::routing::{Routes, Stages};
use wormscope_network::uni_min::{Kind, UniMin};
use wormscope_network::{BiMin, Grid, Network, Routing, Topology, Wiring};

/// Routing takes 1 cycle, and all else is as fast as possible. A head takes 2 cycles from FIFO to
/// FIFO.
fn fast() -> Timing {
    let link = Link { link_cycles: 1, credit_cycles: 1 };
    Timing {
        fifo_depth: 4,
        injection_depth: 4,
        consumption_depth: 4,
        routing_cycles: 1,
        allocation_cycles: 0,
        crossbar_cycles: 0,
        link,
        injection: link,
        consumption: link,
        header_timing: HeaderTiming::Store,
        replication: Replication::Asynchronous,
    }
}

fn mesh(radices: &[u32]) -> Wiring {
    Wiring::new(Grid::new(radices.to_vec(), false))
}

/// Dimension order: dimension 0 first.
fn xy(wiring: &Wiring) -> impl Fn(SwitchId, NodeId) -> Option<PortId> {
    let Some(grid) = wiring.grid() else { panic!("a mesh") };
    move |at, to| {
        (0..grid.radices().len()).find_map(|d| {
            let (here, there) = (grid.coordinate(at.0, d), grid.coordinate(to.0, d));
            (here != there).then_some(PortId(2 * d as u8 + u8::from(there < here)))
        })
    }
}

fn tree(radices: &[u32], encoding: Encoding, nodes: &[u32], header_flits: u32, payload_flits: u32) -> Tree {
    let wiring = mesh(radices);
    let destinations: Vec<NodeId> = nodes[1..].iter().copied().map(NodeId).collect();
    let send = Send { source: NodeId(nodes[0]), destinations: &destinations, encoding, header_flits, payload_flits };
    Tree::new(&wiring, &send, xy(&wiring)).unwrap()
}

fn arrival(node: u32, head: u64, tail: u64) -> Arrival {
    Arrival { node: NodeId(node), head, tail }
}

#[test]
fn the_defaults_of_a_network_are_those_of_the_schema() {
    let topology = Topology::Linear { nodes: 2 };
    let text = format!("(topology: {})", ron::to_string(&topology).unwrap());
    let network: Network = ron::from_str(&text).unwrap();
    assert_eq!(Timing::from(&network), fast());
}

#[test]
fn a_unicast_through_three_routers_takes_the_cycles_counted_by_hand() {
    let flight = Flight::new(&fast(), &tree(&[3], Encoding::Unicast, &[0, 2], 2, 3)).unwrap();
    assert_eq!(flight.injected, [0, 1, 2, 3, 4]);
    // Two header flits are in the FIFO in cycle 2 and decided in 3. The flits are in the next FIFO
    // in 4. The other switches follow after 3 cycles each.
    assert_eq!(flight.hops[0].crossed[0], [3, 4, 5, 6, 7]);
    assert_eq!(flight.hops[1].crossed[0], [6, 7, 8, 9, 10]);
    assert_eq!(flight.hops[2].crossed[0], [9, 10, 11, 12, 13]);
    assert_eq!(flight.arrivals, [arrival(2, 10, 14)]);
    assert_eq!(closed_form(&fast(), 2, 5, 3), Some(Latency { head: 10, tail: 14 }));
}

#[test]
fn a_short_fifo_holds_the_source_back() {
    let timing = Timing { fifo_depth: 2, injection_depth: 2, ..fast() };
    let flight = Flight::new(&timing, &tree(&[1], Encoding::Unicast, &[0, 0], 1, 3)).unwrap();
    // The head arrives in 1 and crosses in 2, and its credit is usable in 3.
    assert_eq!(flight.injected, [0, 1, 3, 4]);
    assert_eq!(flight.hops[0].crossed[0], [2, 3, 4, 5]);
    assert_eq!(closed_form(&timing, 1, 4, 1), None);
    assert_eq!(zero_load(&timing, 1, 4, 1), Ok(Latency { head: 3, tail: 6 }));
}

#[test]
fn the_booksim_pipeline_has_the_latency_that_booksim_has() {
    let link = Link { link_cycles: 3, credit_cycles: 2 };
    for (depth, flits, routers) in (1..9).flat_map(|b| (1..40).flat_map(move |l| (1..8).map(move |h| (b, l, h)))) {
        let timing = Timing {
            fifo_depth: depth,
            injection_depth: depth,
            consumption_depth: depth,
            routing_cycles: 0,
            allocation_cycles: 1,
            link,
            injection: Link { link_cycles: 2, credit_cycles: 2 },
            consumption: link,
            ..fast()
        };
        let formula = 4 * routers + flits + 1 + (flits - 1) / depth * 5_u32.saturating_sub(depth);
        let tail = zero_load(&timing, 1, flits, routers).unwrap().tail;
        assert_eq!(tail, u64::from(formula), "{routers} routers, {flits} flits, depth {depth}");
    }
}

#[test]
fn overlapped_headers_are_decided_with_the_first_flit() {
    let line = tree(&[3], Encoding::Unicast, &[0, 2], 3, 2);
    let flight = |header_timing| Flight::new(&Timing { header_timing, ..fast() }, &line).unwrap();
    assert_eq!(flight(HeaderTiming::Store).arrivals, [arrival(2, 1 + 3 * 4, 1 + 3 * 4 + 4)]);
    assert_eq!(flight(HeaderTiming::Overlapped).arrivals, [arrival(2, 1 + 3 * 2, 1 + 3 * 2 + 4)]);
}

#[test]
fn a_path_worm_is_absorbed_and_forwarded_behind_its_stripped_address() {
    let flight = Flight::new(&fast(), &tree(&[3], Encoding::Multidestination, &[0, 1, 2], 2, 2)).unwrap();
    assert_eq!(flight.hops[0].crossed, [[2, 3, 4, 5]]);
    // Router 1 sees its own address in 3 and strips it. It sees the next address in 4 and decides
    // in 5.
    let at = &flight.hops[1];
    assert_eq!((&at.arrived[..], &at.popped[..]), (&[3, 4, 5, 6][..], &[3, 5, 6, 7][..]));
    assert_eq!(at.crossed, [[5, 6, 7], [5, 6, 7]]);
    // Router 2 strips in 6. The payload flit of 7 tells that no address follows, and it decides in
    // 8.
    let at = &flight.hops[2];
    assert_eq!((&at.arrived[..], &at.popped[..]), (&[6, 7, 8][..], &[6, 8, 9][..]));
    assert_eq!(flight.arrivals, [arrival(1, 6, 8), arrival(2, 9, 10)]);
}

#[test]
fn a_stripped_head_holds_the_next_flit_for_a_cycle_even_when_the_decision_is_early() {
    let timing = Timing { header_timing: HeaderTiming::Overlapped, routing_cycles: 0, ..fast() };
    let flight = Flight::new(&timing, &tree(&[2], Encoding::Multidestination, &[0, 1], 2, 2)).unwrap();
    // Two flits of address. The first arrives in 2 and is decided at once. Both flits are there and
    // are stripped in 3.
    let at = &flight.hops[1];
    assert_eq!((&at.popped[..], &at.crossed[0][..]), (&[3, 3, 4, 5][..], &[4, 5][..]));
}

#[test]
fn addresses_of_several_flits_are_awaited_stripped_and_credited_whole() {
    let path = tree(&[2], Encoding::Multidestination, &[0, 0, 1], 4, 3);
    let flight = Flight::new(&fast(), &path).unwrap();
    // Four address flits are in the FIFO in 4. The first two were stripped in 2, and their credits
    // are usable in 3.
    assert_eq!(flight.injected, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(flight.hops[0].popped[..3], [2, 2, 5]);
    assert_eq!(flight.hops[0].crossed, [[5, 6, 7, 8, 9], [5, 6, 7, 8, 9]]);
    // The next router gets its address in 6 and 7 and one payload flit in 8, and decides in 9.
    assert_eq!(flight.hops[1].crossed, [[9, 10, 11]]);
    let short = Timing { fifo_depth: 3, injection_depth: 3, ..fast() };
    assert_eq!(Flight::new(&short, &path), Err(UnblockedError::Decision { needed: 4, depth: 3 }));
}

/// The tree of a multiport worm with masks of `mask` flits, by the network's own routing.
fn masked(wiring: &Wiring, source: NodeId, destinations: &[NodeId], mask: u32, payload_flits: u32) -> Tree {
    let routes = Routes::new(Routing::DestinationTag, wiring);
    let header_flits = mask * Stages::of(wiring).unwrap().count(source, destinations);
    let send = Send { source, destinations, encoding: Encoding::Multiport, header_flits, payload_flits };
    let next = |switch, node| {
        let port = PortId(routes.port(switch, node));
        (wiring.consumption(node) != (switch, port)).then_some(port)
    };
    Tree::new(wiring, &send, next).unwrap()
}

#[test]
fn a_multiport_worm_leaves_a_mask_at_every_switch() {
    let wiring = Wiring::new(BiMin::new(2, 2));
    let tree = masked(&wiring, NodeId(0), &[1, 3].map(NodeId), 2, 2);
    let shape: Vec<(u32, u32, u32, u32)> =
        tree.hops.iter().map(|h| (h.switch.0, h.flits, h.decision, h.stripped)).collect();
    // The worm goes up to switch 2, the first of the second stage. There it turns to switches 0 and
    // 1.
    assert_eq!(shape, [(0, 8, 2, 2), (2, 6, 2, 2), (0, 4, 2, 2), (1, 4, 2, 2)]);
    let flight = Flight::new(&fast(), &tree).unwrap();
    // The first mask is there and stripped in 2, and the next flit is decided to cross in 3. This
    // repeats every 3 cycles.
    assert_eq!((&flight.hops[0].popped[..4], &flight.hops[0].crossed[0][..2]), (&[2, 2, 3, 4][..], &[3, 4][..]));
    assert_eq!((&flight.hops[1].popped[..4], &flight.hops[1].crossed[0][..2]), (&[5, 5, 6, 7][..], &[6, 7][..]));
    assert_eq!(flight.arrivals, [arrival(1, 10, 11), arrival(3, 10, 11)]);
    let overlapped = Timing { header_timing: HeaderTiming::Overlapped, routing_cycles: 0, ..fast() };
    assert_eq!(Flight::new(&overlapped, &tree).unwrap().arrivals, flight.arrivals, "the masks are stripped no sooner");
    let short = Timing { fifo_depth: 1, injection_depth: 1, ..fast() };
    assert_eq!(Flight::new(&short, &tree), Err(UnblockedError::Decision { needed: 2, depth: 1 }));
    let line = mesh(&[3]);
    let nodes = [1, 2].map(NodeId);
    let send = Send {
        source: NodeId(0),
        destinations: &nodes,
        encoding: Encoding::Multiport,
        header_flits: 2,
        payload_flits: 1,
    };
    let header = TreeError::Header { header_flits: 2, destinations: 2 };
    assert_eq!(Tree::new(&line, &send, xy(&line)), Err(header), "ways of two lengths");
}

#[test]
fn a_slow_local_copy_holds_its_sibling_as_its_replication_mode_says() {
    // The consumption channel of node 1 has one credit, which is back 3 cycles after the flit
    // crossed.
    let line = tree(&[3], Encoding::BitString, &[0, 1, 2], 1, 3);
    let at = |replication| {
        let consumption = Link { link_cycles: 1, credit_cycles: 2 };
        let timing = Timing { consumption_depth: 1, consumption, replication, ..fast() };
        Flight::new(&timing, &line).unwrap().hops[1].clone()
    };
    let slow = vec![4, 7, 10, 13];
    let asynchronous = at(Replication::Asynchronous);
    assert_eq!(asynchronous.crossed, [vec![4, 5, 8, 11], slow.clone()]);
    assert_eq!(asynchronous.popped, slow);
    assert_eq!(at(Replication::Lockstep).crossed, [slow.clone(), slow.clone()]);
    assert_eq!(at(Replication::Buffered).crossed, [vec![4, 5, 6, 7], slow]);
    assert_eq!(at(Replication::Sequential).crossed, [vec![4, 5, 6, 7], vec![8, 11, 14, 17]]);
}

#[test]
fn sequential_branches_are_allocated_one_after_the_other() {
    let timing = Timing { replication: Replication::Sequential, allocation_cycles: 1, ..fast() };
    let line = tree(&[3], Encoding::BitString, &[1, 0, 2], 1, 3);
    let flight = Flight::new(&timing, &line).unwrap();
    // The branch towards node 2 is first (port 0), decided in 2. Its tail crosses in 6, and the
    // other branch asks in 7.
    assert_eq!(flight.hops[0].crossed, [[3, 4, 5, 6], [8, 9, 10, 11]]);
    assert_eq!(flight.hops[0].popped, [8, 9, 10, 11]);
    let short = Timing { fifo_depth: 3, injection_depth: 3, ..timing };
    assert_eq!(Flight::new(&short, &line), Err(UnblockedError::Sequential { needed: 4, depth: 3 }));
}

#[test]
fn an_xy_tree_splits_where_unicasts_would_part() {
    // 0 1 2
    // 3 4 5
    let star = tree(&[3, 2], Encoding::BitString, &[0, 1, 3, 4, 5], 1, 2);
    let shape: Vec<(u32, Vec<u8>)> =
        star.hops.iter().map(|h| (h.switch.0, h.branches.iter().map(|b| b.0.0).collect())).collect();
    assert_eq!(shape, [(0, vec![0, 2]), (1, vec![0, 2, 4]), (3, vec![4]), (2, vec![2]), (4, vec![4]), (5, vec![4])]);
    let flight = Flight::new(&fast(), &star).unwrap();
    let mut arrivals = flight.arrivals.clone();
    arrivals.sort_by_key(|a| a.node);
    assert_eq!(arrivals, [arrival(1, 5, 7), arrival(3, 5, 7), arrival(4, 7, 9), arrival(5, 9, 11)]);
    assert_eq!(flight.done(), 11);
}

#[test]
fn the_mean_latency_weighs_distances_by_their_pairs() {
    // Three nodes in a line have four ordered pairs of neighbours, and two pairs across.
    let mean = mean_zero_load(&fast(), 1, 1, [(2, 4), (3, 2)]).unwrap();
    assert!((mean - (4.0 * 5.0 + 2.0 * 7.0) / 6.0).abs() < 1e-12);
    assert!(mean_zero_load(&fast(), 1, 1, []).unwrap().abs() < 1e-12);
}

#[test]
fn impossible_trees_are_refused() {
    let wiring = mesh(&[3]);
    let nodes = [2, 1].map(NodeId);
    let mut send = Send {
        source: NodeId(0),
        destinations: &nodes,
        encoding: Encoding::Multidestination,
        header_flits: 2,
        payload_flits: 1,
    };
    let back_and_forth = [2, 0, 1].map(NodeId);
    assert!(Tree::new(&wiring, &send, xy(&wiring)).is_ok());
    send.destinations = &back_and_forth;
    send.header_flits = 3;
    let crossing = TreeError::CrossesItself { switch: SwitchId(0), port: PortId(0) };
    assert_eq!(Tree::new(&wiring, &send, xy(&wiring)), Err(crossing));
    send.header_flits = 4;
    let header = TreeError::Header { header_flits: 4, destinations: 3 };
    assert_eq!(Tree::new(&wiring, &send, xy(&wiring)), Err(header));
    send.header_flits = 3;
    let lost = TreeError::Lost { destination: NodeId(2), switch: SwitchId(0) };
    assert_eq!(Tree::new(&wiring, &send, |_, _| Some(PortId(1))), Err(lost));
}

fn delays() -> impl Strategy<Value = Link> {
    (1..6_u32, 1..6_u32).prop_map(|(link_cycles, credit_cycles)| Link { link_cycles, credit_cycles })
}

prop_compose! {
    fn timings()(
        fifo_depth in 1..24_u32, injection_depth in 1..24_u32, consumption_depth in 1..24_u32, cycles in (0..4_u32, 0..2_u32, 0..3_u32),
        links in (delays(), delays(), delays()), overlapped in any::<bool>(), mode in 0..4_usize,
    ) -> Timing {
        use Replication::{Asynchronous, Buffered, Lockstep, Sequential};
        Timing {
            fifo_depth, injection_depth, consumption_depth,
            routing_cycles: cycles.0, allocation_cycles: cycles.1, crossbar_cycles: cycles.2,
            link: links.0, injection: links.1, consumption: links.2,
            header_timing: if overlapped { HeaderTiming::Overlapped } else { HeaderTiming::Store },
            replication: [Asynchronous, Lockstep, Buffered, Sequential][mode],
        }
    }
}

#[path = "unblocked_judge_tests.rs"]
mod clocked;

proptest! {
    #[test]
    fn the_closed_form_is_the_recurrence_where_depths_cover_the_round_trips(
        timing in timings(), header in 1..5_u32, payload in 1..40_u32, routers in 1..9_u32
    ) {
        let flits = header + payload;
        if let Some(latency) = closed_form(&timing, header, flits, routers) {
            let flight = Flight::new(&timing, &Tree::line(routers, header, flits)).unwrap();
            let end = flight.arrivals[0];
            prop_assert_eq!(latency, Latency { head: end.head, tail: end.tail });
        }
    }

    #[test]
    fn a_tree_takes_the_time_of_its_farthest_destination(
        timing in timings(), header in 1..5_u32, payload in 1..20_u32,
        nodes in proptest::sample::subsequence((0..12).collect::<Vec<u32>>(), 2..6).prop_shuffle(),
    ) {
        let tree = tree(&[4, 3], Encoding::BitString, &nodes, header, payload);
        let mut depth = vec![1; tree.hops.len()];
        for (at, hop) in tree.hops.iter().enumerate() {
            for next in hop.branches.iter().filter_map(|(_, to)| if let Toward::Hop(next) = to { Some(next) } else { None }) {
                depth[*next] = depth[at] + 1;
            }
        }
        let farthest = depth.into_iter().max().unwrap();
        if let Some(latency) = closed_form(&timing, header, header + payload, farthest).filter(|_| timing.branches_keep_pace()) {
            prop_assert_eq!(latency.tail, Flight::new(&timing, &tree).unwrap().done());
        }
    }

    #[test]
    fn the_recurrence_is_what_clocked_registers_do(
        timing in timings(), encoding in 0..3_usize, header in 1..3_u32, payload in 1..20_u32,
        nodes in proptest::sample::subsequence((0..12).collect::<Vec<u32>>(), 2..6).prop_shuffle(),
    ) {
        let encoding = [Encoding::Unicast, Encoding::BitString, Encoding::Multidestination][encoding];
        let wiring = mesh(&[4, 3]);
        let all: Vec<NodeId> = nodes[1..].iter().copied().map(NodeId).collect();
        let destinations = if encoding == Encoding::Unicast { &all[..1] } else { &all[..] };
        let addresses = if encoding == Encoding::Multidestination { all.len() as u32 } else { 1 };
        let header_flits = header * addresses;
        let send = Send { source: NodeId(nodes[0]), destinations, encoding, header_flits, payload_flits: payload };
        if let Ok(tree) = Tree::new(&wiring, &send, xy(&wiring))
            && let Ok(flight) = Flight::new(&timing, &tree)
        {
            let solved: Vec<_> = flight.hops.into_iter().map(|h| h.crossed).collect();
            prop_assert_eq!(solved, clocked::run(&timing, &tree));
            prop_assert_eq!(flight.arrivals.len(), destinations.len());
        }
    }

    #[test]
    fn the_recurrence_is_what_clocked_registers_do_with_masks(
        timing in timings(), both_ways in any::<bool>(), mask in 1..4_u32, payload in 1..20_u32, source in 0..8_u32,
        nodes in proptest::sample::subsequence((0..8).collect::<Vec<u32>>(), 1..3),
    ) {
        let one_way = || Wiring::new(UniMin::new(Kind::Butterfly, 2, 3));
        let wiring = if both_ways { Wiring::new(BiMin::new(2, 3)) } else { one_way() };
        let (stages, source) = (Stages::of(&wiring).unwrap(), NodeId(source));
        let masks = stages.masks(source, &nodes.into_iter().map(NodeId).collect::<Vec<_>>());
        let destinations: Vec<NodeId> = stages.reached(source, &masks).collect();
        let tree = masked(&wiring, source, &destinations, mask, payload);
        if let Ok(flight) = Flight::new(&timing, &tree) {
            let solved: Vec<_> = flight.hops.into_iter().map(|h| h.crossed).collect();
            prop_assert_eq!(solved, clocked::run(&timing, &tree));
            prop_assert_eq!(flight.arrivals.len(), destinations.len());
        }
    }
}
