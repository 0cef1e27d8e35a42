//! Small cases worked out by hand, to the cycle. The defaults are routing 1, link 1, credit 1, and
//! FIFOs of 4 flits. A worm that is injected in 0 is in the first FIFO in 1 and crosses in 2. It is
//! in the second FIFO in 3 and asks for its next lane in 4.

use wormscope::engine::{Clocked as _, Limits, NewWorm};
use wormscope::hw::{Arbiter, Encoding, HeaderTiming, NodeId, PortId, Replication, SwitchId, WormId};
use wormscope::network::{Network, Topology, UniMinKind};
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::ledger::Ledger;
use wormscope_testbenches::{Script, engine};

fn run(network: &Network, worms: Vec<NewWorm>) -> Ledger {
    let (mut engine, mut ledger) = (engine(network), Ledger::new(network));
    let outcome =
        wormscope::simulation::run(&mut engine, &mut Script::new(worms), &Limits::default(), &mut ledger, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut ledger);
    assert!(engine.is_clean());
    ledger
}

fn line(nodes: u32) -> Network {
    network(Topology::Linear { nodes })
}

/// Cycles in which a worm's flits cross a port.
fn cycles(ledger: &Ledger, worm: u32, switch: u32, port: u8) -> Vec<u64> {
    ledger.crossed[&(WormId(worm), SwitchId(switch), PortId(port))].iter().map(|c| c.0).collect()
}

/// Worm and cycle of every head that crosses a lane.
fn heads(ledger: &Ledger, switch: u32, lane: u8) -> Vec<(u32, u64)> {
    ledger.lanes[&(SwitchId(switch), lane)].iter().filter(|c| c.2 == 0).map(|c| (c.1, c.0)).collect()
}

/// Two worms of two flits from each side of the middle of a mesh to its node, the sides in order of
/// their input ports.
fn from_all_sides() -> Vec<NewWorm> {
    [5, 3, 7, 1, 5, 3, 7, 1].map(|side| unicast(0, side, 4, 1)).into()
}

#[test]
fn round_robin_serves_the_inputs_in_turn() {
    let ledger = run(&network(Topology::Mesh { radices: vec![3, 3] }), from_all_sides());
    // All ask in 4, and each holds the lane for two cycles.
    assert_eq!(heads(&ledger, 4, 4), [(0, 4), (1, 6), (2, 8), (3, 10), (4, 12), (5, 14), (6, 16), (7, 18)]);
}

#[test]
fn fixed_priority_serves_the_lowest_input_that_asks() {
    let mut network = network(Topology::Mesh { radices: vec![3, 3] });
    network.switch.arbiter = Arbiter::FixedPriority;
    let ledger = run(&network, from_all_sides());
    // A second worm asks two cycles after the tail of the first has crossed. This is one turn of
    // the lane too late.
    assert_eq!(heads(&ledger, 4, 4), [(0, 4), (1, 6), (4, 8), (5, 10), (2, 12), (3, 14), (6, 16), (7, 18)]);
}

#[test]
fn a_lane_with_credit_is_granted_before_a_lower_one_without() {
    let mut network = line(3);
    network.switch.fifo_depth = 2;
    network.link.credit_cycles = 9;
    let worms = || vec![unicast(0, 0, 2, 1), unicast(0, 0, 2, 1)];
    network.switch.dilation = 2;
    let ledger = run(&network, worms());
    assert_eq!(ledger.lanes[&(SwitchId(0), 0)], [(2, 0, 0), (3, 0, 1)]);
    // The first worm has spent both credits of lane 0. The second is injected from 3 on, when
    // credits return, and asks in 5.
    assert_eq!(ledger.lanes[&(SwitchId(0), 1)], [(5, 1, 0), (6, 1, 1)]);
}

#[test]
fn a_lane_without_credit_is_granted_when_no_other_is_free() {
    let mut network = line(3);
    network.switch.fifo_depth = 2;
    network.link.credit_cycles = 9;
    let ledger = run(&network, vec![unicast(0, 0, 2, 1), unicast(0, 0, 2, 1)]);
    // The first flit leaves the FIFO behind in 4, and its credit is usable in 13.
    assert_eq!(ledger.lanes[&(SwitchId(0), 0)], [(2, 0, 0), (3, 0, 1), (13, 1, 0), (14, 1, 1)]);
}

#[test]
fn an_input_begins_the_next_head_in_the_cycle_after_the_tail_with_full_routing_cycles() {
    let mut network = line(2);
    network.switch.routing_cycles = 3;
    let ledger = run(&network, vec![unicast(0, 0, 1, 1), unicast(0, 0, 1, 1)]);
    assert_eq!(cycles(&ledger, 0, 0, 0), [4, 5]);
    // The second head is there in 3, begins in 6 and is decided in 9.
    assert_eq!(cycles(&ledger, 1, 0, 0), [9, 10]);
}

#[test]
fn a_lane_is_free_in_the_cycle_after_the_tail() {
    let ledger = run(&line(3), vec![unicast(0, 1, 2, 5), unicast(0, 0, 2, 1)]);
    assert_eq!(cycles(&ledger, 0, 1, 0), [2, 3, 4, 5, 6, 7]);
    assert_eq!(cycles(&ledger, 1, 1, 0), [8, 9]);
}

#[test]
fn virtual_channels_share_a_link_flit_by_flit() {
    let mut network = line(3);
    (network.switch.virtual_channels, network.switch.fifo_depth, network.node.consumption_channels) = (2, 8, 2);
    let ledger = run(&network, vec![unicast(0, 0, 2, 5), unicast(0, 1, 2, 5)]);
    assert_eq!(cycles(&ledger, 1, 1, 0), [2, 3, 5, 7, 9, 11]);
    assert_eq!(cycles(&ledger, 0, 1, 0), [4, 6, 8, 10, 12, 13]);
    assert_eq!(ledger.lanes[&(SwitchId(1), 0)].len(), 6, "each worm has a channel of its own");
}

/// A tree that splits at router 1 to its node (port 2) and to router 2 (port 0), whose lane another
/// worm holds in 2..=11.
fn blocked_branch(replication: Replication) -> [Vec<u64>; 2] {
    let mut network = line(3);
    network.switch.replication = replication;
    let ledger = run(&network, vec![unicast(0, 1, 2, 9), worm(0, 0, &[1, 2], Encoding::BitString, 3)]);
    assert_eq!(cycles(&ledger, 0, 1, 0), (2..=11).collect::<Vec<_>>());
    [cycles(&ledger, 1, 1, 0), cycles(&ledger, 1, 1, 2)]
}

#[test]
fn an_asynchronous_branch_runs_one_flit_ahead_of_a_blocked_one() {
    assert_eq!(blocked_branch(Replication::Asynchronous), [vec![12, 13, 14, 15], vec![4, 13, 14, 15]]);
}

#[test]
fn branches_in_lockstep_wait_for_the_blocked_one() {
    assert_eq!(blocked_branch(Replication::Lockstep), [vec![12, 13, 14, 15], vec![12, 13, 14, 15]]);
}

#[test]
fn a_buffered_branch_runs_ahead_as_far_as_the_fifo_holds_flits() {
    assert_eq!(blocked_branch(Replication::Buffered), [vec![12, 13, 14, 15], vec![4, 5, 6, 7]]);
}

#[test]
fn sequential_branches_go_in_the_order_of_their_ports() {
    assert_eq!(blocked_branch(Replication::Sequential), [vec![12, 13, 14, 15], vec![16, 17, 18, 19]]);
}

/// Worms whose decisions need one flit each, some of them trees, and those among them that have one
/// branch at every switch.
fn of_one_header_flit() -> [(Network, Vec<NewWorm>, Vec<NewWorm>); 2] {
    let one = |encoding| vec![unicast(0, 3, 5, 4), unicast(1, 6, 5, 2), worm(0, 4, &[7], encoding, 6)];
    let trees = |encoding| [one(encoding), vec![worm(2, 0, &[2, 3, 6, 7], encoding, 3)]].concat();
    let (bits, masks) = (Encoding::BitString, Encoding::Multiport);
    let min = Topology::UniMin { kind: UniMinKind::Omega, switch_ports: 2, stages: 3 };
    [
        (network(Topology::Mesh { radices: vec![3, 3] }), trees(bits), one(bits)),
        (network(min), [trees(bits), trees(masks)].concat(), [one(bits), one(masks)].concat()),
    ]
}

#[test]
fn with_headers_of_one_flit_overlapped_timing_is_that_of_stored_headers() {
    for (mut network, worms, _) in of_one_header_flit() {
        network.switch.fifo_depth = 16;
        network.switch.replication = Replication::Buffered;
        let stored = run(&network, worms.clone()).crossed;
        network.switch.header_timing = HeaderTiming::Overlapped;
        assert_eq!(run(&network, worms).crossed, stored);
    }
}

#[test]
fn a_header_beside_the_flits_saves_a_flit_and_changes_nothing_else() {
    for (mut network, mut worms, _) in of_one_header_flit() {
        worms.retain(|worm| !worm.encoding.header().strips());
        for replication in [Replication::Asynchronous, Replication::Lockstep, Replication::Buffered] {
            (network.switch.replication, network.switch.header_timing) = (replication, HeaderTiming::Store);
            let stored = run(&network, worms.clone()).crossed;
            network.switch.header_timing = HeaderTiming::Beside;
            let longer = worms.iter().map(|worm| NewWorm { payload_flits: worm.payload_flits + 1, ..worm.clone() });
            assert_eq!(run(&network, longer.collect()).crossed, stored, "{replication}");
        }
    }
}

#[test]
fn a_worm_of_one_flit_holds_its_lane_for_one_cycle() {
    let mut network = line(3);
    (network.switch.header_timing, network.switch.routing_cycles) = (HeaderTiming::Beside, 0);
    let tree = worm(0, 1, &[0, 2], Encoding::BitString, 1);
    let ledger = run(&network, vec![tree, unicast(0, 1, 2, 1), unicast(0, 0, 2, 1)]);
    let through = |worm, switch, port| cycles(&ledger, worm, switch, port);
    assert_eq!([through(0, 1, 0), through(0, 1, 1)], [[1], [1]]);
    assert_eq!([through(2, 0, 0), through(2, 1, 0)], [[1], [2]]);
    assert_eq!(through(1, 1, 0), [3], "the arbiter's pointer is after input 2");
}

#[test]
fn worms_of_one_branch_pass_alike_in_all_modes() {
    for (mut network, _, worms) in of_one_header_flit() {
        let crossed =
            [Replication::Asynchronous, Replication::Lockstep, Replication::Buffered, Replication::Sequential].map(
                |replication| {
                    network.switch.replication = replication;
                    run(&network, worms.clone()).crossed
                },
            );
        assert!(crossed.iter().all(|of_mode| *of_mode == crossed[0]));
    }
}

#[test]
fn sends_start_up_one_at_a_time_and_then_take_any_free_channel() {
    let mut network = line(2);
    network.node.injection_channels = 2;
    let injected = |network: &Network| {
        let ledger = run(network, vec![unicast(0, 0, 1, 9), unicast(0, 0, 1, 9), unicast(0, 0, 1, 9)]);
        (0..3).map(|w| ledger.injected[&WormId(w)][0].0).collect::<Vec<_>>()
    };
    network.node.startup_cycles = 4;
    assert_eq!(injected(&network)[..2], [4, 8]);
    network.node.startup_cycles = 0;
    assert_eq!(injected(&network)[..2], [0, 0]);
    // There is one link out of router 0. The first worm crosses in 2..=11, and its channel has sent
    // its last flit in 9.
    assert_eq!(injected(&network)[2], 10);
}

#[test]
fn a_multiport_worm_arrives_as_payload_alone() {
    let min = network(Topology::BiMin { switch_ports: 2, stages: 3 });
    let worms = [worm(0, 0, &[1, 3, 5, 7], Encoding::Multiport, 6), worm(0, 2, &[3], Encoding::Multiport, 6)];
    let ledger = run(&min, worms.into());
    assert_eq!(ledger.deliveries.len(), 5);
    assert!(ledger.deliveries.iter().all(|d| d.flits == 6), "{:?}", ledger.deliveries);
    // Five masks lead up to stage 2 and down again. One mask leads to a neighbour.
    assert_eq!(ledger.consumed[&(WormId(0), NodeId(7))].first().map(|c| c.1), Some(5));
    assert_eq!(ledger.consumed[&(WormId(1), NodeId(3))].first().map(|c| c.1), Some(1));
}
