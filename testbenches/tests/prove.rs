//! The search through all states against a naive one. The naive search copies the fast engine, and
//! tries all creation times and all choices of arbiters.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use wormscope::deadlock;
use wormscope::engine::registers::Registers;
use wormscope::engine::states::Offer;
use wormscope::engine::{Class, NewWorm, States};
use wormscope::experiment::Message;
use wormscope::hw::{Arbiter, Encoding, NodeId};
use wormscope::network::Network;
use wormscope::prove::{Limits, SearchEnd, StateSearch, Witness, check};
use wormscope::simulation::Site;
use wormscope_testbenches::drive::{built, message};
use wormscope_testbenches::engine;

use super::exhaustive::{Case, State, sets};

/// States that the naive search visits at most.
const MOST_STATES: usize = 1_500;

/// Cases, at least: `default`, or as many as `PROVE_CASES` says.
fn cases(default: usize) -> usize {
    std::env::var("PROVE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// The registers that decide the future, whatever the cycle is.
fn timeless(registers: Registers) -> Registers {
    let mut q = registers.without_pointers();
    let cycle = q.cycle as u32;
    for service in q.inputs.iter_mut().filter_map(|input| input.service.as_mut()) {
        let left = service.due.wrapping_sub(cycle).cast_signed().max(0);
        service.due = if service.decided || !service.ready { 0 } else { left.unsigned_abs() };
    }
    q.cycle = 0;
    q
}

/// Whether some creation times and some choices of the arbiters lead to a deadlock. `None` if there
/// are too many states.
fn naive((network, worms): &Case) -> Option<bool> {
    let first = State::of(engine(network));
    let (mut open, mut seen) = (vec![(first, 0_u32)], HashSet::new());
    while let Some((state, created)) = open.pop() {
        if deadlock::search(&state.engine.snapshot()).is_some() {
            return Some(true);
        }
        let all = (1_u32 << worms.len()) - 1;
        let mut subset = all & !created;
        loop {
            let mut offered = state.clone();
            for (_, worm) in (0..).zip(worms).filter(|(n, _)| subset >> n & 1 != 0) {
                let worm = NewWorm { cycle: offered.engine.now(), ..worm.clone() };
                offered.engine.create(&worm, true, &mut ());
            }
            for next in offered.successors() {
                if seen.insert((timeless(next.engine.registers()), created | subset)) {
                    open.push((next, created | subset));
                }
            }
            if subset == 0 {
                break;
            }
            subset = (subset - 1) & all & !created;
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(false)
}

/// The search through all states of worms that each come at most once.
pub(super) fn all_states((network, worms): &Case, limits: &Limits) -> (SearchEnd, StateSearch) {
    searched(network, &Offer { kinds: worms.clone(), once: true, most: None }, limits, true)
}

fn searched(network: &Network, offer: &Offer, limits: &Limits, symmetries: bool) -> (SearchEnd, StateSearch) {
    let mut states = States::new(&built(network), offer, true);
    if symmetries {
        states.find_symmetries();
    }
    let mut search = StateSearch::new(states);
    let end = search.run(limits, |_| true);
    (end, search)
}

/// Runs the way into a deadlock.
fn witness((network, worms): &Case, id: u32, search: &mut StateSearch) -> Witness {
    let kinds: Vec<Message> = worms.iter().map(message).collect();
    let site = Site::new(network).expect("a network");
    let way = search.way(id);
    Witness::new(network, &site, &kinds, &way).expect("an experiment")
}

fn agree(network: &Network, case: &Case) -> Option<bool> {
    check(network).ok()?;
    let expected = naive(case)?;
    let (end, mut search) = all_states(case, &Limits::default());
    match end {
        SearchEnd::Proved => assert!(!expected, "a deadlock was missed: {case:?}"),
        SearchEnd::Stuck(id) => {
            assert!(expected, "no choice leads to the deadlock: {case:?}");
            let found = witness(case, id, &mut search);
            let exact = network.switch.arbiter == Arbiter::RoundRobin;
            assert!(!exact || found.deadlock.is_some(), "a run does not repeat it: {case:?}: {found:?}");
        }
        SearchEnd::Limit(limit) => panic!("{limit:?}"),
    }
    Some(expected)
}

#[test]
fn a_naive_search_agrees() {
    let config = ProptestConfig { rng_seed: RngSeed::Fixed(38), ..Default::default() };
    let (mut runner, sets) = (TestRunner::new(config), sets());
    let (mut free, mut deadlocked) = (0, 0);
    while free + deadlocked < cases(24) || free.min(deadlocked) < 4 {
        let (mut network, mut worms) = sets.new_tree(&mut runner).expect("most sets have two worms").current();
        worms.truncate(2);
        // The naive search turns the arbiters of any kind. These two have no choice in the
        // hardware.
        if matches!(network.switch.arbiter, Arbiter::FixedPriority | Arbiter::OldestFirst) {
            network.switch.arbiter = Arbiter::RoundRobin;
        }
        let case = (network, worms);
        match agree(&case.0, &case) {
            Some(true) => deadlocked += 1,
            Some(false) => free += 1,
            None => {}
        }
    }
    println!("{free} free, {deadlocked} deadlocked");
}

/// All unicasts, and all bit-strings to two nodes, of a network.
fn all_worms(network: &Network, payload_flits: u32) -> Vec<NewWorm> {
    let nodes = built(network).wiring().nodes();
    let sets = |source: u32| {
        let others = move || (0..nodes).filter(move |&node| node != source);
        let pairs = others().flat_map(move |a| others().filter(move |&b| a < b).map(move |b| vec![a, b]));
        others().map(|node| vec![node]).chain(pairs).map(move |destinations| (source, destinations))
    };
    let worm = |(source, destinations): (u32, Vec<u32>)| NewWorm {
        encoding: if destinations.len() > 1 { Encoding::BitString } else { Encoding::Unicast },
        cycle: 0,
        source: NodeId(source),
        destinations: destinations.into_iter().map(NodeId).collect(),
        payload_flits,
        class: Class::default(),
    };
    (0..nodes).flat_map(sets).map(worm).collect()
}

#[test]
fn states_that_symmetries_map_to_each_other_count_once() {
    let read = |text: &str| -> Network { ron::from_str(text).expect("a network") };
    // Each with the number of its symmetries. A token must keep the order of its stations.
    for (text, payload, symmetries) in [
        ("(topology: linear(nodes: 3), switch: (fifo_depth: 2))", 3, 2),
        // With sixteen lanes, the graph has 21 vertices: petgraph 0.8.3 panics if asked for a size.
        (
            "(topology: uni_min(kind: butterfly, switch_ports: 4, stages: 1), switch: (fifo_depth: 2), \
             node: (injection_channels: 2, consumption_channels: 2))",
            1,
            24,
        ),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2))", 1, 4),
        (
            "(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, replication: buffered), link: (link_cycles: 2))",
            1,
            4,
        ),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, replication: lockstep))", 2, 4),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, virtual_channels: 2))", 1, 4),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, replication: sequential))", 1, 1),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, acquisition: atomic))", 1, 1),
        ("(topology: mesh(radices: [2, 2]), switch: (fifo_depth: 2, arbiter: fixed_priority))", 1, 1),
        ("(topology: torus(radices: [4], datelines: false), switch: (fifo_depth: 2))", 1, 4),
        ("(topology: bi_min(switch_ports: 2, stages: 2), switch: (fifo_depth: 2))", 3, 8),
        ("(topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), switch: (fifo_depth: 2))", 3, 8),
        (
            "(topology: uni_min(kind: omega, switch_ports: 2, stages: 2), switch: (fifo_depth: 2), token_ring: Some((hop_cycles: 1)))",
            2,
            4,
        ),
        ("(topology: uni_min(kind: butterfly, switch_ports: 6, stages: 1), switch: (fifo_depth: 2))", 1, 24),
    ] {
        let network = read(text);
        let offer = || Offer { kinds: all_worms(&network, payload), once: false, most: Some(2) };
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let (all_end, all) = searched(&network, &offer(), &limits, false);
        let (end, mut search) = searched(&network, &offer(), &limits, true);
        let (whole, fewer) = (all.progress(), search.progress());
        assert_eq!(fewer.symmetries, symmetries, "{text}");
        assert_eq!(whole.depth, fewer.depth, "{text}");
        if let (SearchEnd::Stuck(_), SearchEnd::Stuck(id)) = (all_end, end) {
            let kinds: Vec<Message> = offer().kinds.iter().map(message).collect();
            let site = Site::new(&network).expect("a network");
            let found = Witness::new(&network, &site, &kinds, &search.way(id)).expect("an experiment");
            assert!(found.deadlock.is_some(), "{text}: {found:?}");
            continue;
        }
        assert_eq!(all_end, end, "{text}");
        // An image of the first state may have a token at another station.
        let stands_for = search.stands_for();
        let agrees = if network.token_ring.is_some() { stands_for >= whole.states } else { stands_for == whole.states };
        assert!(agrees, "{text}: {} states, which stand for {stands_for} of {}", fewer.states, whole.states);
        println!("{text}: {} of {} states", fewer.states, whole.states);
    }
}
