//! Stalled links carry nothing, and stalled stations pass no token on. After the stall everything
//! moves on and nothing is lost.

use proptest::prelude::*;
use wormscope::engine::{Clocked as _, CommitLog, Engine, Limits, NewWorm, Observer};
use wormscope::hw::{Encoding, NodeId, SwitchId};
use wormscope::network::channel::Channel;
use wormscope::network::{TokenRing, Topology, UniMinKind};
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{self, Arrivals, Script};
use wormscope_testbenches::random;
use wormscope_testbenches::stalls::{Stall, stall, stalls};

/// Cycles in which flits are sent through a channel.
struct Sent(Vec<(Channel, u64)>);

impl Observer for Sent {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let outputs = log.outputs.iter().filter(|s| s.flit.is_some()).map(|s| Channel::Output(s.switch, s.lane));
        let injections =
            log.injections.iter().filter(|s| s.flit.is_some()).map(|s| Channel::Injection(s.node, s.channel));
        self.0.extend(outputs.chain(injections).map(|channel| (channel, log.cycle)));
    }
}

fn run(engine: &mut Engine, worms: Vec<NewWorm>) -> (Arrivals, Sent) {
    let mut seen = (Arrivals::default(), Sent(Vec::new()));
    let outcome = wormscope::simulation::run(engine, &mut Script::new(worms), &Limits::default(), &mut seen, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut seen);
    assert!(engine.is_clean());
    seen
}

proptest! {
    #![proptest_config(random::cases(300))]

    #[test]
    fn a_stalled_link_carries_no_flit_and_all_worms_arrive_all_the_same(
        (network, worms) in random::safe(12, 40), stalls in stalls(60)
    ) {
        let mut engine = drive::engine(&network);
        let stalled: Vec<(Channel, &Stall)> =
            stalls.iter().filter_map(|of| Some((stall(&mut engine, &network, of)?, of))).collect();
        let deliveries: usize = worms.iter().map(|worm| worm.destinations.len()).sum();
        let (arrivals, sent) = run(&mut engine, worms);
        prop_assert_eq!(arrivals.0.len(), deliveries);
        for (channel, cycle) in sent.0 {
            let stall = stalled.iter().find(|(stalled, of)| *stalled == channel && of.1.contains(&cycle));
            prop_assert!(stall.is_none(), "{:?} in cycle {}", stall, cycle);
        }
    }
}

fn line(nodes: u32) -> Engine {
    drive::engine(&drive::network(Topology::Linear { nodes }))
}

#[test]
fn a_stalled_output_sends_one_flit_a_cycle_behind_the_stall() {
    // Without a stall, the six flits cross rt_0.out0 in cycles 2 to 7. They are at the node three
    // cycles later, because they wait a cycle for their head's decision at rt_1. Flits behind a gap
    // do not wait.
    for (stall, crossings, tail_at_node) in [
        (0..0, [2, 3, 4, 5, 6, 7], 10),
        (0..2, [2, 3, 4, 5, 6, 7], 10),
        (0..3, [3, 4, 5, 6, 7, 8], 11),
        (4..6, [2, 3, 6, 7, 8, 9], 11),
        (8..90, [2, 3, 4, 5, 6, 7], 10),
        (7..90, [2, 3, 4, 5, 6, 90], 92),
    ] {
        let mut engine = line(2);
        engine.stall_output(SwitchId(0), 0, &stall);
        let (arrivals, sent) = run(&mut engine, vec![drive::unicast(0, 0, 1, 5)]);
        let link = Channel::Output(SwitchId(0), 0);
        let seen: Vec<u64> = sent.0.iter().filter(|(channel, _)| *channel == link).map(|(_, cycle)| *cycle).collect();
        assert_eq!(seen, crossings, "stalled in {stall:?}");
        assert_eq!(arrivals.of(0, 1).map(|(_, tail)| tail), Some(tail_at_node), "stalled in {stall:?}");
    }
}

#[test]
fn stalls_that_overlap_are_one_and_a_network_that_waits_for_one_is_no_deadlock() {
    let mut engine = line(2);
    for stall in [5..1000, 3..9, 900..2000, 2000..2001] {
        engine.stall_injection(NodeId(0), 0, &stall);
    }
    let (_, sent) = run(&mut engine, vec![drive::unicast(0, 0, 1, 5)]);
    let seen: Vec<u64> =
        sent.0.iter().filter(|(c, _)| *c == Channel::Injection(NodeId(0), 0)).map(|(_, cycle)| *cycle).collect();
    assert_eq!(seen, [0, 1, 2, 2001, 2002, 2003]);
}

#[test]
fn a_stalled_station_captures_no_token_and_passes_none_on() {
    let mut network = drive::network(Topology::UniMin { kind: UniMinKind::Baseline, switch_ports: 2, stages: 3 });
    network.token_ring = Some(TokenRing { hop_cycles: 1, ..Default::default() });
    let copies = |source| drive::worm(0, source, &[3, 7], Encoding::BitString, 2);
    // The worm of node 0 branches in sw_s0_r0 and would take the token in cycle 4. That of node 4
    // branches in sw_s0_r2.
    let arrival = |source, station, stall| {
        let mut engine = drive::engine(&network);
        engine.stall_station(SwitchId(station), stall);
        run(&mut engine, vec![copies(source)]).0.of(0, 3).expect("an arrival").0
    };
    let (unhindered, other) = (arrival(0, 0, 0..0), arrival(4, 0, 0..0));
    assert_eq!(arrival(0, 0, 0..50) - unhindered, 50 - 4);
    // The token does not pass a stalled station. From its first row to the third it takes two
    // cycles.
    assert!(other < 50);
    assert_eq!(arrival(4, 1, 1..50), arrival(4, 1, 0..50));
    assert!(arrival(4, 1, 0..50) > 50);
    assert_eq!(arrival(4, 3, 90..99), other);
}
