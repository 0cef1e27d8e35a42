//! Deadlocks are found, explained and final. Their cures free them. Congestion is never taken for a
//! deadlock.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wormscope::deadlock::{Deadlock, Names, search};
use wormscope::engine::snapshot::LaneRef;
use wormscope::engine::{Limits, NewWorm};
use wormscope::experiment::{Experiment, Pattern, Run, Traffic, Workload};
use wormscope::hw::{Acquisition, Encoding, NodeId, Replication, SwitchId, WormId};
use wormscope::network::{Network, Routing, Topology, UniMinKind, Wiring};
use wormscope::simulation::Outcome;
use wormscope::workload::Stimulus;
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::ledger::Ledger;
use wormscope_testbenches::random::{Kind, cases, drafts, networks, safe, topologies, worms};
use wormscope_testbenches::scoreboard::{Ending, watch};
use wormscope_testbenches::{Script, drive, engine, step};

/// Runs under the scoreboard, and returns the deadlock in which the run ends.
fn ending(network: &Network, worms: &[NewWorm]) -> Option<Deadlock> {
    match watch(network, worms.to_vec(), 100_000) {
        Ok(Ending::Done) => None,
        Ok(Ending::Deadlock(found)) => Some(*found),
        other => panic!("{other:?}"),
    }
}

fn named(found: &Deadlock) -> Vec<u32> {
    found.cycle.iter().map(|m| m.worm.0).collect()
}

/// Two multiport worms from different switches to node 2 and `other` in a network of 16 nodes. A
/// unicast has turned the arbiter of the port towards `other` to its second input. So each worm
/// gets the node that its rival waits for.
fn crossed_masks(other: u32) -> (Network, Vec<NewWorm>) {
    let network = network(Topology::UniMin { kind: UniMinKind::Baseline, switch_ports: 4, stages: 2 });
    let worms = [0, 4].map(|source| worm(20, source, &[2, other], Encoding::Multiport, 16));
    (network, [unicast(0, 1, other, 1)].into_iter().chain(worms).collect())
}

#[test]
fn multiport_worms_deadlock_unless_branches_have_read_pointers_into_fifos_that_hold_a_worm() {
    // Node 3 is at the same switch as node 2, node 6 at another.
    for other in [3, 6] {
        let (mut network, worms) = crossed_masks(other);
        let found = ending(&network, &worms).expect("a deadlock");
        assert_eq!(named(&found), [1, 2]);
        assert_eq!(ending(&network, &worms[1..]), None, "the arbiters agree");
        network.switch.replication = Replication::Buffered;
        assert!(ending(&network, &worms).is_some(), "FIFOs of 4 hold no worm");
        // The FIFO holds both masks and 16 flits of payload.
        network.switch.fifo_depth = 18;
        assert_eq!(ending(&network, &worms), None);
        network.switch.replication = Replication::Sequential;
        assert_eq!(ending(&network, &worms), None);
    }
    let (mut network, worms) = crossed_masks(3);
    network.switch.fifo_depth = 18;
    assert!(ending(&network, &worms).is_some(), "a worm that waits at the switch of both holds its copy back");
}

struct Plain<'a>(&'a Wiring);

impl Names for Plain<'_> {
    fn switch(&self, switch: SwitchId) -> String {
        self.0.switch_name(switch)
    }
    fn input(&self, _: SwitchId, lane: u8) -> String {
        format!("in{lane}")
    }
    fn output(&self, lane: LaneRef) -> String {
        format!("out{}", lane.lane)
    }
    fn node(&self, _: LaneRef) -> Option<NodeId> {
        None
    }
}

/// Four worms half-way round a ring of four, all in + direction.
fn ring() -> (Network, Vec<NewWorm>) {
    let network = network(Topology::Torus { radices: vec![4], datelines: false });
    (network, (0..4).map(|n| unicast(0, n, (n + 2) % 4, 20)).collect())
}

#[test]
fn a_ring_without_datelines_deadlocks_and_is_explained() {
    let (network, worms) = ring();
    let found = ending(&network, &worms).expect("a deadlock");
    assert_eq!(named(&found), [0, 1, 2, 3]);
    // Each worm is injected in 0 and is in the first FIFO in 1. It crosses in 2, is in the second
    // FIFO in 3 and is decided in 4. From then on each wants the lane that the next one holds.
    // Eight flits fill the two FIFOs. The last is injected in 7, and in 8 nothing moves.
    assert_eq!(found.final_cycle, 4);
    let expected = "\
DEADLOCK final at 4, detected 9; 4 worms, 4 lanes
# | worm | at       | holds     | wants     | owned by | flits held | header left
1 | 0    | rt_1.in1 | rt_0.out0 | rt_1.out0 | 1        | 4          | 1
2 | 1    | rt_2.in1 | rt_1.out0 | rt_2.out0 | 2        | 4          | 1
3 | 2    | rt_3.in1 | rt_2.out0 | rt_3.out0 | 3        | 4          | 1
4 | 3    | rt_0.in1 | rt_3.out0 | rt_0.out0 | 0        | 4          | 1
";
    assert_eq!(found.report(&Plain(&drive::wiring(&network))), expected);
}

#[test]
fn datelines_cure_the_ring() {
    let (mut network, worms) = ring();
    network.topology = Topology::Torus { radices: vec![4], datelines: true };
    network.switch.virtual_channels = 2;
    assert_eq!(ending(&network, &worms), None);
}

#[test]
fn virtual_channels_without_datelines_only_widen_the_ring() {
    let (mut network, mut worms) = ring();
    network.switch.virtual_channels = 2;
    assert_eq!(ending(&network, &worms), None, "two lanes, two worms on each link");
    network.node.injection_channels = 2;
    worms.extend(worms.clone());
    let found = ending(&network, &worms).expect("a deadlock");
    let all: BTreeSet<WormId> = found.cycle.iter().chain(&found.also).map(|m| m.worm).chain(found.behind).collect();
    assert_eq!(all.len(), 8);
}

/// Two trees on a line, each of which needs a link that the other holds, at different switches.
fn crossed_trees() -> (Network, Vec<NewWorm>) {
    let network = network(Topology::Mesh { radices: vec![4] });
    (network, [1, 2].map(|source| worm(0, source, &[0, 3], Encoding::BitString, 12)).into())
}

#[test]
fn trees_deadlock_with_asynchronous_replication() {
    let (network, worms) = crossed_trees();
    let found = ending(&network, &worms).expect("a deadlock");
    assert_eq!(named(&found), [0, 1]);
    assert!(found.final_cycle <= found.detected);
}

#[test]
fn trees_deadlock_in_lockstep_as_well() {
    let (mut network, worms) = crossed_trees();
    network.switch.replication = Replication::Lockstep;
    assert_eq!(named(&ending(&network, &worms).expect("a deadlock")), [0, 1]);
}

#[test]
fn buffered_replication_cures_trees_when_a_fifo_holds_a_whole_worm() {
    let (mut network, worms) = crossed_trees();
    network.switch.replication = Replication::Buffered;
    network.switch.fifo_depth = 6;
    assert!(ending(&network, &worms).is_some(), "13 flits do not fit into the FIFOs before and behind the lane");
    network.switch.fifo_depth = 13;
    assert_eq!(ending(&network, &worms), None);
}

#[test]
fn sequential_replication_cures_trees() {
    let (mut network, worms) = crossed_trees();
    network.switch.replication = Replication::Sequential;
    network.switch.fifo_depth = 13;
    assert_eq!(ending(&network, &worms), None);
}

#[test]
fn virtual_channels_cure_as_many_trees_as_there_are_channels() {
    let (mut network, worms) = crossed_trees();
    network.switch.virtual_channels = 2;
    network.node.consumption_channels = 2;
    assert_eq!(ending(&network, &worms), None);
}

#[test]
fn atomic_acquisition_does_not_cure_trees_that_meet_at_two_switches() {
    let (mut network, worms) = crossed_trees();
    network.switch.acquisition = Acquisition::Atomic;
    assert_eq!(named(&ending(&network, &worms).expect("a deadlock")), [0, 1]);
}

/// Two trees that split alike at the same switch. A third worm, whose lane is freed late, has
/// turned the arbiter's pointer so that each gets one of the two lanes.
#[test]
fn atomic_acquisition_cures_trees_that_meet_at_one_switch() {
    let mut network = network(Topology::Mesh { radices: vec![3, 3] });
    let worms = [
        unicast(0, 1, 7, 20),
        worm(5, 3, &[1, 7], Encoding::BitString, 2),
        worm(12, 4, &[1, 7], Encoding::BitString, 2),
    ];
    let found = ending(&network, &worms).expect("a deadlock");
    assert_eq!(named(&found), [1, 2]);
    assert!(found.cycle.iter().all(|m| m.switch == SwitchId(4)));
    network.switch.acquisition = Acquisition::Atomic;
    assert_eq!(ending(&network, &worms), None);
}

#[test]
fn path_worms_need_more_than_one_consumption_channel() {
    let mut network = network(Topology::Mesh { radices: vec![4, 2] });
    network.routing = Some(Routing::LabelOrder);
    let worms =
        [worm(0, 0, &[1, 2], Encoding::Multidestination, 20), worm(0, 3, &[2, 1], Encoding::Multidestination, 20)];
    let found = ending(&network, &worms).expect("a deadlock");
    assert_eq!(named(&found), [0, 1]);
    network.node.consumption_channels = 4;
    assert_eq!(ending(&network, &worms), None);
}

/// Worms that are not finished when nothing moves any more, or 10,000 cycles after `found`.
fn forced_on(network: &Network, worms: &[NewWorm], found: &Deadlock) -> (Ledger, BTreeSet<WormId>) {
    let (mut engine, mut script, mut ledger) = (engine(network), Script::new(worms.to_vec()), Ledger::new(network));
    while engine.now() < found.detected + 10_000 && (engine.next_event().is_some() || script.next_cycle().is_some()) {
        step(&mut engine, &mut script, &mut ledger);
    }
    let mut missing: Vec<usize> = script.worms().iter().map(|w| w.destinations.len()).collect();
    for d in &ledger.deliveries {
        missing[d.worm.index()] -= 1;
    }
    let alive = (0..).zip(missing).filter(|&(_, left)| left > 0).map(|(id, _)| WormId(id)).collect();
    (ledger, alive)
}

/// Searches in every cycle; the first find, and what is found when nothing moves any more.
fn first_and_last(network: &Network, worms: &[NewWorm]) -> (Option<Deadlock>, Option<Deadlock>) {
    let (mut engine, mut script) = (engine(network), Script::new(worms.to_vec()));
    let (mut first, mut last) = (None, None);
    while engine.next_event().is_some() || script.next_cycle().is_some() {
        step(&mut engine, &mut script, &mut ());
        last = search(&engine.snapshot());
        if first.is_none() {
            first.clone_from(&last);
        }
    }
    (first, last)
}

fn what_is_found_is_true(network: &Network, worms: &[NewWorm]) -> Result<(), TestCaseError> {
    let (first, last) = first_and_last(network, worms);
    let limits = Limits { deadlock_check_cycles: 1, ..Limits::default() };
    let outcome =
        wormscope::simulation::run(&mut engine(network), &mut Script::new(worms.to_vec()), &limits, &mut (), |_| ())
            .expect("infallible");
    let Some(found) = first else {
        prop_assert_eq!(outcome, Outcome::Done);
        return Ok(());
    };
    prop_assert!(matches!(outcome, Outcome::Deadlock(_)), "{:?}, but {:?}", outcome, found);
    let last = last.ok_or_else(|| TestCaseError::fail(format!("{found:?} has dissolved")))?;
    prop_assert!(
        last.final_cycle <= found.final_cycle && found.final_cycle <= found.detected,
        "{:?} {:?}",
        found,
        last
    );
    let (ledger, alive) = forced_on(network, worms, &found);
    let members = || found.cycle.iter().chain(&found.also);
    for worm in members().map(|m| m.worm).chain(found.behind.iter().copied()) {
        prop_assert!(alive.contains(&worm), "worm {} arrived in spite of {:?}", worm, found);
    }
    for member in members() {
        for lane in member.wants.iter().filter(|lane| !member.holds.contains(lane)) {
            let crossed = ledger.lanes.get(&(lane.switch, lane.lane));
            let later = crossed.and_then(|c| c.iter().rfind(|c| c.1 == member.worm.0));
            let moved = later.is_some_and(|&(cycle, ..)| cycle >= found.final_cycle);
            prop_assert!(!moved, "{:?} crossed in spite of {:?}", later, found);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn worms_that_are_named_never_move_again(network in networks(topologies()), drafts in drafts(24, 30)) {
        what_is_found_is_true(&network, &worms(&network, &drafts, Kind::Any))?;
    }

    #[test]
    fn no_congestion_raises_an_alarm((network, worms) in safe(60, 10), every in 1..20u64) {
        let limits = Limits { deadlock_check_cycles: every, ..Limits::default() };
        let outcome = wormscope::simulation::run(&mut engine(&network), &mut Script::new(worms), &limits, &mut (), |_| ());
        prop_assert_eq!(outcome, Ok(Outcome::Done));
    }
}

/// Random traffic beyond saturation, a quarter of it to one node.
fn flood(network: &Network, encoding: Encoding, destinations: u32, payload_flits: u32) -> Outcome {
    let nodes = vec![network.nodes() / 2];
    let pattern = if destinations == 1 { Pattern::HotSpot { nodes, share: 0.25 } } else { Pattern::Uniform };
    let (destinations, payload_flits) = (Some(destinations), Some(payload_flits));
    let traffic = Traffic { load: Some(1.0), pattern, encoding, destinations, payload_flits, ..Traffic::default() };
    let experiment = Experiment {
        network: network.clone(),
        groups: Vec::new(),
        classes: Vec::new(),
        workload: vec![Workload::Traffic(traffic)],
        run: Run { measure_cycles: Some(2_000), ..Run::default() },
    };
    let mut stimulus = Stimulus::new(&experiment, |path| panic!("no trace {path}")).expect("no trace");
    let limits = Limits { deadlock_check_cycles: 16, max_cycles: 4_000, ..Limits::default() };
    wormscope::simulation::run(&mut engine(network), &mut stimulus, &limits, &mut (), |_| ()).expect("no trace")
}

#[test]
fn a_flooded_mesh_is_not_deadlocked() {
    let network = network(Topology::Mesh { radices: vec![8, 8] });
    assert_eq!(flood(&network, Encoding::Unicast, 1, 15), Outcome::CycleLimit);
}

#[test]
fn flooded_multistage_networks_are_not_deadlocked() {
    for (kind, switch_ports, stages) in
        [(UniMinKind::Baseline, 2, 6), (UniMinKind::Omega, 4, 3), (UniMinKind::Butterfly, 8, 2)]
    {
        let uni = network(Topology::UniMin { kind, switch_ports, stages });
        assert_eq!(flood(&uni, Encoding::Unicast, 1, 15), Outcome::CycleLimit);
        let bi = network(Topology::BiMin { switch_ports, stages });
        assert_eq!(flood(&bi, Encoding::Unicast, 1, 15), Outcome::CycleLimit);
    }
}

#[test]
fn multistage_networks_flooded_with_trees_are_deadlocked_unless_a_fifo_holds_a_worm() {
    let uni = |kind| Topology::UniMin { kind, switch_ports: 4, stages: 2 };
    let kinds = [UniMinKind::Baseline, UniMinKind::Butterfly, UniMinKind::Omega].map(uni);
    for topology in kinds.into_iter().chain([Topology::BiMin { switch_ports: 2, stages: 4 }]) {
        let mut network = network(topology);
        let of = |network: &Network| flood(network, Encoding::BitString, 4, 7);
        assert!(matches!(of(&network), Outcome::Deadlock(_)));
        network.switch.fifo_depth = 8;
        network.switch.replication = Replication::Buffered;
        assert_eq!(of(&network), Outcome::CycleLimit);
    }
}

#[test]
fn a_flooded_torus_with_datelines_is_not_deadlocked_and_without_is() {
    let mut network = network(Topology::Torus { radices: vec![6, 6], datelines: true });
    network.switch.virtual_channels = 2;
    assert_eq!(flood(&network, Encoding::Unicast, 1, 15), Outcome::CycleLimit);
    network.topology = Topology::Torus { radices: vec![6, 6], datelines: false };
    assert!(matches!(flood(&network, Encoding::Unicast, 1, 15), Outcome::Deadlock(_)));
}

#[test]
fn a_mesh_flooded_with_trees_is_deadlocked_unless_a_fifo_holds_a_worm() {
    let mut network = network(Topology::Mesh { radices: vec![6, 6] });
    let of = |network: &Network| flood(network, Encoding::BitString, 4, 7);
    assert!(matches!(of(&network), Outcome::Deadlock(_)));
    network.switch.fifo_depth = 8;
    network.switch.replication = Replication::Buffered;
    assert_eq!(of(&network), Outcome::CycleLimit);
    network.switch.replication = Replication::Sequential;
    assert_eq!(of(&network), Outcome::CycleLimit);
}

#[test]
fn a_mesh_flooded_with_path_worms_is_deadlocked_unless_four_channels_take_them() {
    let mut network = network(Topology::Mesh { radices: vec![6, 6] });
    network.routing = Some(Routing::LabelOrder);
    let of = |network: &Network| flood(network, Encoding::Multidestination, 6, 15);
    assert!(matches!(of(&network), Outcome::Deadlock(_)));
    network.node.consumption_channels = 4;
    assert_eq!(of(&network), Outcome::CycleLimit);
}
