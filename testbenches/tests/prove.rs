//! The search through all states against a naive one. The naive search copies the fast engine, and
//! tries all creation times and all choices of arbiters.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use wormscope::deadlock;
use wormscope::engine::registers::Registers;
use wormscope::engine::states::Offer;
use wormscope::engine::{NewWorm, States};
use wormscope::experiment::Message;
use wormscope::hw::Arbiter;
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
    let offer = Offer { kinds: worms.clone(), once: true, most: None };
    let mut search = StateSearch::new(States::new(&built(network), &offer, true));
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
