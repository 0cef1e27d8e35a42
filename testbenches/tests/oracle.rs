//! Random networks under random traffic against a second model, `testbenches/oracle/oracle.py`,
//! written from docs/reference/timing.md alone: the same arrivals, to the cycle, and the same
//! deadlocks.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use wormscope::deadlock::search;
use wormscope::engine::{Limits, NewWorm};
use wormscope::hw::{Acquisition, Arbiter};
use wormscope::network::{Network, Topology};
use wormscope::simulation::Outcome;
use wormscope_testbenches::random::{
    Kind, drafts, fitting_span, mins, netlists, networks, not_synchronous, synchronous, topologies, two_sided, worms,
};
use wormscope_testbenches::{Arrivals, Script, engine, step};

/// A network and its worms, in order of their cycles.
type Case = (Network, Vec<NewWorm>);

/// Networks that a slow model can afford. In half of them deadlocks are likely.
fn small(topologies: impl Strategy<Value = Topology>) -> impl Strategy<Value = Network> {
    let narrow = |(mut network, narrow): (Network, bool)| {
        if narrow {
            (network.switch.virtual_channels, network.switch.dilation) = (network.classes(), 1);
            (network.node.injection_channels, network.node.consumption_channels) = (1, 1);
            network.switch.acquisition = Acquisition::Incremental;
            network.switch.fifo_depth = network.switch.fifo_depth.min(4);
            network.token_ring = None;
        }
        network
    };
    (networks(topologies), any::<bool>()).prop_map(narrow).prop_filter("at most 27 nodes", |n| n.nodes() <= 27)
}

/// Worms of the given kinds that begin within so many cycles.
fn traffic(
    networks: impl Strategy<Value = Network>,
    kinds: &'static [Kind],
    within: u64,
) -> impl Strategy<Value = Case> {
    (networks, drafts(20, within), proptest::sample::select(kinds)).prop_map(|(network, drafts, kind)| {
        let script = Script::new(worms(&network, &drafts, kind));
        (network, script.worms().to_vec())
    })
}

/// Networks without synchronous worms. These never deadlock, and have a test of their own.
fn that_may_deadlock(topologies: impl Strategy<Value = Topology>) -> impl Strategy<Value = Network> {
    small(topologies).prop_map(|mut network| {
        not_synchronous(&mut network);
        network
    })
}

/// Cases of each test: `default`, or as many as `ORACLE_CASES` says.
fn cases(default: u32) -> u32 {
    std::env::var("ORACLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A case as the oracle reads it.
fn question((network, worms): &Case) -> Value {
    let worms = worms.iter().map(|w| {
        let destinations: Vec<u32> = w.destinations.iter().map(|d| d.0).collect();
        json!([w.cycle, w.source.0, destinations, w.encoding, w.payload_flits])
    });
    json!({ "network": network, "worms": worms.collect::<Vec<_>>() })
}

fn oracle() -> Child {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle/oracle.py");
    let child = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    child.unwrap_or_else(|error| panic!("the oracle needs Python 3, but `python3 {script}` does not start: {error}"))
}

/// The difference between the runs of the engine and of the oracle. `Ok(true)` where both are
/// deadlocked.
fn compare((network, worms): &Case, oracle: &Value) -> Result<bool, String> {
    let (mut arrivals, mut script, mut engine) = (Arrivals::default(), Script::new(worms.clone()), engine(network));
    while engine.next_event().is_some() || script.next_cycle().is_some() {
        step(&mut engine, &mut script, &mut arrivals);
    }
    let mut deliveries: Vec<Value> = Vec::new();
    arrivals.0.sort_by_key(|d| (d.worm.0, d.destination.0));
    for d in &arrivals.0 {
        deliveries.push(json!([d.worm.0, d.destination.0, d.injected, d.head, d.tail, d.flits]));
    }
    let theirs = oracle["deliveries"].as_array().ok_or_else(|| format!("no deliveries in {oracle}"))?;
    if let Some(first) = (0..deliveries.len().max(theirs.len())).find(|&i| deliveries.get(i) != theirs.get(i)) {
        return Err(format!("delivery {:?}, the oracle's {:?}", deliveries.get(first), theirs.get(first)));
    }
    let number = |value: &Value| value.as_u64().unwrap_or(u64::MAX);
    let found = search(&engine.snapshot());
    let limits = Limits { deadlock_check_cycles: 1 + worms.len() as u64, ..Limits::default() };
    let outcome = wormscope::simulation::run(
        &mut self::engine(network),
        &mut Script::new(worms.clone()),
        &limits,
        &mut (),
        |_| (),
    );
    if matches!(outcome, Ok(Outcome::Deadlock(_))) != found.is_some() {
        return Err(format!("the run ended in {outcome:?}, at last {found:?}"));
    }
    let Some(found) = found else {
        return if oracle["deadlock"].is_null() {
            Ok(false)
        } else {
            Err(format!("no deadlock, the oracle: {oracle}"))
        };
    };
    let set = |key: &str| oracle["deadlock"][key].as_array().into_iter().flatten().map(number).collect::<BTreeSet<_>>();
    let named: BTreeSet<u64> = found.cycle.iter().map(|m| m.worm.0.into()).collect();
    let members = found.cycle.iter().chain(&found.also).map(|m| m.worm);
    let all: BTreeSet<u64> = members.chain(found.behind.iter().copied()).map(|worm| worm.0.into()).collect();
    if number(&oracle["deadlock"]["final"]) != found.final_cycle
        || !named.is_subset(&set("core"))
        || all != set("worms")
    {
        return Err(format!("{found:?}, the oracle: {}", oracle["deadlock"]));
    }
    Ok(true)
}

/// Runs as many cases; how many of them are deadlocked.
fn agree(strategy: impl Strategy<Value = Case> + Send, cases: u32) -> u32 {
    let mut oracle = oracle();
    let (input, output) = (oracle.stdin.take().expect("a pipe"), oracle.stdout.take().expect("a pipe"));
    let (ask, asked) = mpsc::sync_channel::<Case>(1000);
    let mut deadlocks = 0;
    thread::scope(|scope| {
        scope.spawn(move || {
            let (mut runner, mut input) = (TestRunner::default(), BufWriter::new(input));
            for _ in 0..cases {
                let case = strategy.new_tree(&mut runner).expect("most networks are small").current();
                // The other end reports a closed pipe.
                let _ = writeln!(input, "{}", question(&case));
                if ask.send(case).is_err() {
                    break;
                }
            }
        });
        let mut answers = BufReader::new(output).lines();
        for (number, case) in asked.iter().enumerate() {
            let line = answers.next().and_then(Result::ok).unwrap_or_default();
            let answer = serde_json::from_str(&line);
            let answer = answer
                .unwrap_or_else(|why| panic!("case {number}: the oracle says {line:?}, {why}: {}", question(&case)));
            match compare(&case, &answer) {
                Ok(deadlock) => deadlocks += u32::from(deadlock),
                Err(why) => panic!("case {number}: {why}; the case: {}", question(&case)),
            }
        }
    });
    assert!(oracle.wait().expect("it was started").success());
    println!("{cases} cases, {deadlocks} of them deadlocked");
    deadlocks
}

#[test]
fn flits_arrive_and_deadlocks_close_as_the_timing_page_says() {
    let cases = cases(600);
    let kinds = &[Kind::Any, Kind::Any, Kind::Trees, Kind::Paths, Kind::Unicast];
    assert!(agree(traffic(that_may_deadlock(topologies()), kinds, 30), cases) >= cases / 600);
}

#[test]
fn trees_in_multistage_networks_do_as_the_timing_page_says() {
    let cases = cases(900);
    let kinds = &[Kind::Trees, Kind::Multiport, Kind::Multiport, Kind::Multiport];
    assert!(agree(traffic(that_may_deadlock(mins()), kinds, 2), cases) > cases / 50);
}

/// Networks whose trees of choices count lanes that are not there: three lanes a port, where a link
/// has one. Numbers differ in more than a shift.
fn wide_ports(topologies: impl Strategy<Value = Topology>) -> impl Strategy<Value = Network> {
    let networks = that_may_deadlock(topologies).prop_map(|mut network| {
        let (switch, node) = (&mut network.switch, &mut network.node);
        (switch.arbiter, switch.port_order) = (Arbiter::RrTree, None);
        (switch.virtual_channels, switch.dilation, node.consumption_channels) = (1, 1, 1);
        node.injection_channels = 3;
        fitting_span(&mut network);
        network
    });
    networks.prop_filter("at most 64 lanes", |network| network.input_lanes() <= 64)
}

#[test]
fn rr_tree_counts_lanes_and_moves_its_pointer_as_the_timing_page_says() {
    let (cases, kinds) = (cases(200), &[Kind::Unicast, Kind::Trees]);
    agree(traffic(wide_ports(two_sided()), kinds, 8), cases);
    agree(traffic(wide_ports(netlists()), kinds, 8), cases);
    agree(traffic(wide_ports(mins()), kinds, 8), cases);
}

#[test]
fn synchronous_worms_do_as_the_timing_page_says_and_never_deadlock() {
    let networks = small(mins()).prop_map(|mut network| {
        synchronous(&mut network);
        network
    });
    assert_eq!(agree(traffic(networks, &[Kind::Trees, Kind::Multiport], 12), cases(400)), 0);
}
