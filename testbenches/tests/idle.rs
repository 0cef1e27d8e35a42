//! Idle time costs nothing and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use wormscope::engine::{Clocked as _, CommitLog, Delivery, Limits, NewWorm, Observer};
use wormscope::hw::{Encoding, SwitchId};
use wormscope::network::routing::grouping;
use wormscope::network::{Network, Topology};
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, topologies, worms};
use wormscope_testbenches::{Arrivals, Script, engine, step};

const MESSAGES: u32 = 200;

/// A message every `gap` cycles, now a unicast, now a multicast.
fn sparse(gap: u64) -> Vec<NewWorm> {
    let message = |i: u32| {
        let (cycle, source) = (u64::from(i) * gap, i * 7 % 16);
        match i % 3 {
            0 => unicast(cycle, source, i * 5 % 16, 8),
            1 => worm(cycle, source, &[(source + 3) % 16, (source + 9) % 16], Encoding::BitString, 8),
            _ => worm(cycle, source, &[(source + 1) % 16, (source + 2) % 16], Encoding::Multidestination, 8),
        }
    };
    (0..MESSAGES).map(message).collect()
}

/// Latencies of all deliveries from the creation of their worms, and evaluations of switches.
fn run(gap: u64, skip: bool) -> (Vec<[u64; 5]>, u64) {
    let mut engine = engine(&network(Topology::Mesh { radices: vec![4, 4] }));
    let (mut script, mut arrivals) = (Script::new(sparse(gap)), Arrivals::default());
    if skip {
        assert_eq!(
            wormscope::simulation::run(&mut engine, &mut script, &Limits::default(), &mut arrivals, |_| ()),
            Ok(Outcome::Done)
        );
    } else {
        while script.next_cycle().is_some() || engine.worms_alive() > 0 {
            step(&mut engine, &mut script, &mut arrivals);
        }
    }
    assert_eq!(engine.now() - 1, arrivals.0.iter().map(|d| d.tail).max().unwrap_or_default());
    engine.settle(&mut arrivals);
    assert!(engine.is_clean());
    let relative = arrivals.0.iter().map(|d| {
        let created = u64::from(d.worm.0) * gap;
        let cycles = [d.injected, d.head, d.tail].map(|cycle| cycle - created);
        [u64::from(d.worm.0), u64::from(d.destination.0), cycles[0], cycles[1], cycles[2]]
    });
    (relative.collect(), engine.totals().evaluations)
}

#[test]
fn a_message_every_million_cycles_flies_as_one_every_hundred() {
    let (stepped, _) = run(100, false);
    assert_eq!(run(100, true).0, stepped);
    assert_eq!(run(1_000_000, true).0, stepped);
    assert_eq!(run(1_000_000_000_000, true).0, stepped, "far beyond 32 bits of cycles");
}

#[test]
fn evaluations_are_those_of_the_messages() {
    let (_, dense) = run(100, true);
    let (_, sparse) = run(1_000_000, true);
    assert_eq!(sparse, dense);
    // A message passes at most 30 switches. Each is awake for its flits and the credits behind
    // them.
    assert!(sparse <= u64::from(MESSAGES) * 30 * 20, "{sparse} evaluations for {MESSAGES} messages");
}

/// Facts that samples state about input lanes.
#[derive(Default)]
struct IdleLanes {
    /// Whether each lane was idle in its last sample.
    last: BTreeMap<(SwitchId, u8), bool>,
    busy: u32,
    /// Samples of idle lanes that were idle before.
    again: u32,
}

impl Observer for IdleLanes {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        for sample in &log.inputs {
            let is_idle = sample.worm.is_none();
            let was_idle = self.last.insert((sample.switch, sample.lane), is_idle).unwrap_or(true);
            self.busy += u32::from(!is_idle);
            self.again += u32::from(is_idle && was_idle);
        }
    }
}

#[test]
fn an_idle_lane_is_told_once() {
    let mut engine = engine(&network(Topology::Mesh { radices: vec![4, 4] }));
    let (mut script, mut lanes) = (Script::new(sparse(10)), IdleLanes::default());
    let outcome = wormscope::simulation::run(&mut engine, &mut script, &Limits::default(), &mut lanes, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut lanes);
    assert!(lanes.busy > 1000, "{}", lanes.busy);
    assert_eq!(lanes.again, 0);
    assert!(lanes.last.values().all(|is_idle| *is_idle));
}

/// Deliveries of the same worms, all `later` cycles later, told as if they were not.
fn shifted(network: &Network, worms: &[NewWorm], later: u64) -> (bool, Vec<Delivery>) {
    let moved = worms.iter().map(|w| NewWorm { cycle: w.cycle + later, ..w.clone() });
    let (mut engine, mut arrivals) = (engine(network), Arrivals::default());
    engine.skip_to(later);
    let outcome = wormscope::simulation::run(
        &mut engine,
        &mut Script::new(moved.collect()),
        &Limits::default(),
        &mut arrivals,
        |_| (),
    );
    for d in &mut arrivals.0 {
        (d.injected, d.head, d.tail) = (d.injected - later, d.head - later, d.tail - later);
    }
    (outcome == Ok(Outcome::Done), arrivals.0)
}

proptest! {
    #![proptest_config(cases(300))]

    /// Registers keep the low 32 bits of cycles.
    #[test]
    fn nothing_happens_when_the_low_half_of_the_cycle_counter_wraps(
        network in networks(topologies()), drafts in drafts(20, 40), before in 0..120u64
    ) {
        let worms = worms(&network, &drafts, Kind::Any);
        // The shift is a whole number of rounds of all tokens.
        let rounds = network.token_ring.map_or(1, |ring| {
            let rings = grouping::rings(&network, network.build().expect("a network").wiring());
            let lengths: BTreeSet<u64> = rings.iter().map(|ring| ring.switches.len() as u64).collect();
            u64::from(ring.hop_cycles) * lengths.iter().product::<u64>()
        });
        let later = ((1 << 32) - before) / rounds * rounds;
        prop_assert_eq!(shifted(&network, &worms, later), shifted(&network, &worms, 0));
    }
}
