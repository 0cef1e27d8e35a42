//! Verdicts before a run against runs: worms that are called free never deadlock, and a witness
//! deadlocks with every engine.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use wormscope::dependency::{Effort, Judgement, Proof, Safety, certificate, judge};
use wormscope::engine::{Limits, NewWorm};
use wormscope::experiment::{Draw, Evaluation, Experiment, Loaded, Message, Run, Traffic, Workload};
use wormscope::hw::{Acquisition, Encoding};
use wormscope::network::Network;
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope_testbenches::random::{Draft, Kind, cases, drafts, networks, topologies, worms};
use wormscope_testbenches::{Script, drive, engine};

/// Cycles within which the worms of a run are created.
const WITHIN: u64 = 30;
/// Experiments of `make test`.
const CASES: u32 = 60;
/// Runs of worms that are called free, each with another order or seed.
const RUNS: u64 = 4;

/// Work of the search for a witness in each experiment of `make test`, and of longer tests.
const EFFORT: Effort = Effort { runs: 600, switch_cycles: 2_000_000, states: 1_000, ..Effort::OF_A_ROW };
const MORE_EFFORT: Effort = Effort { runs: 3_000, ..EFFORT };

/// Random traffic of an encoding.
#[derive(Clone, Debug)]
struct Drafted {
    encoding: Encoding,
    destinations: u32,
    payload: [u32; 2],
}

/// The worms of an experiment.
#[derive(Clone, Debug)]
enum Worms {
    Given(Vec<Draft>, Kind),
    Drawn(Vec<Drafted>),
}

fn traffic() -> impl Strategy<Value = Drafted> {
    let encoding = prop_oneof![
        3 => Just(Encoding::Unicast),
        2 => Just(Encoding::BitString),
        1 => Just(Encoding::Multidestination),
    ];
    (encoding, 2..=4_u32, 1..=12_u32, 0..=3_u32).prop_map(|(encoding, destinations, least, more)| Drafted {
        encoding,
        destinations: if encoding == Encoding::Unicast { 1 } else { destinations },
        payload: [least, least + more],
    })
}

fn several() -> impl Strategy<Value = Worms> {
    let kind = prop_oneof![
        2 => Just(Kind::Any),
        3 => Just(Kind::Trees),
        1 => Just(Kind::Paths),
        1 => Just(Kind::Unicast),
        1 => Just(Kind::Multiport),
    ];
    prop_oneof![
        1 => (drafts(4, WITHIN), kind.clone()).prop_map(|(drafts, kind)| Worms::Given(drafts, kind)),
        1 => (drafts(40, WITHIN), kind).prop_map(|(drafts, kind)| Worms::Given(drafts, kind)),
        2 => proptest::collection::vec(traffic(), 1..=2).prop_map(Worms::Drawn),
    ]
}

/// Networks of up to 36 nodes. Half of them have little that keeps worms apart.
fn small() -> impl Strategy<Value = Network> {
    let narrow = |(mut network, narrow): (Network, bool)| {
        if narrow {
            (network.switch.virtual_channels, network.switch.dilation) = (network.classes(), 1);
            (network.node.injection_channels, network.node.consumption_channels) = (1, 1);
            network.switch.acquisition = Acquisition::Incremental;
            network.switch.fifo_depth = network.switch.fifo_depth.min(6);
            network.token_ring = None;
        }
        network
    };
    (networks(topologies()), any::<bool>()).prop_map(narrow).prop_filter("at most 36 nodes", |n| n.nodes() <= 36)
}

/// An experiment as a file gives it; `None` where the network refuses the worms.
fn experiment(network: &Network, worms: &Worms) -> Option<Loaded> {
    let workload = match worms {
        Worms::Given(drafts, kind) => {
            let worms = self::worms(network, drafts, *kind);
            vec![Workload::Messages(worms.iter().map(drive::message).collect())]
        }
        Worms::Drawn(all) => {
            let entry = |of: &Drafted| {
                Workload::Traffic(Traffic {
                    load: Some(0.9),
                    encoding: of.encoding,
                    destinations: (of.destinations > 1).then_some(of.destinations.min(network.nodes() - 1)),
                    lengths: Some(Draw::Uniform { least: of.payload[0], most: of.payload[1] }),
                    ..Traffic::default()
                })
            };
            if network.nodes() < 2 {
                return None;
            }
            all.iter().map(entry).collect()
        }
    };
    let run = Run { measure_cycles: matches!(worms, Worms::Drawn(_)).then_some(120), ..Run::default() };
    let experiment = Experiment { network: network.clone(), groups: Vec::new(), classes: Vec::new(), workload, run };
    experiment.validated().ok()
}

/// The same worms in other orders and cycles.
pub(super) fn in_another_order(worms: &[NewWorm], time: u64) -> Vec<NewWorm> {
    let again = |(at, worm): (u64, &NewWorm)| {
        let drawn = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(2 * time + 1) >> 40;
        let cycle = if time == 0 { worm.cycle } else { drawn % (1 + WITHIN * time / 2) };
        NewWorm { cycle, ..worm.clone() }
    };
    (0..).zip(worms).map(again).collect()
}

fn with_engine(loaded: &Loaded, workload: Vec<Workload>, seed: u64, engine: Evaluation) -> Outcome {
    let mut loaded = loaded.clone();
    (loaded.experiment.workload, loaded.experiment.run.seed, loaded.engine) = (workload, seed, engine);
    loaded.experiment.run.max_cycles = 400_000;
    let site = Site::of(&loaded).expect("a network");
    let mut simulation = Simulation::new(&loaded, &site).expect("a workload");
    let outcome = simulation.run(&mut (), |_| ()).expect("no trace");
    assert_eq!(simulation.difference(), None);
    outcome
}

/// Checks a verdict against runs. The error names the contradiction.
fn holds(loaded: &Loaded, verdict: &Safety, runs: u64) -> Result<(), String> {
    let Experiment { network, workload, .. } = &loaded.experiment;
    match verdict {
        Safety::Free(proof) => {
            for time in 0..runs {
                let outcome = match &workload[..] {
                    [Workload::Messages(messages)] if network.nodes() <= 4096 => {
                        let worm = |m: &Message| {
                            let encoding = m.encoding.unwrap_or_default();
                            drive::worm(m.cycle, m.source, &m.destinations, encoding, m.payload_flits)
                        };
                        let worms: Vec<NewWorm> = messages.iter().map(worm).collect();
                        let mut script = Script::new(in_another_order(&worms, time));
                        let limits = Limits::default();
                        wormscope::simulation::run(&mut engine(network), &mut script, &limits, &mut (), |_| ())
                            .expect("infallible")
                    }
                    _ => with_engine(loaded, workload.clone(), 1 + time, Evaluation::Fast),
                };
                if let Outcome::Deadlock(found) = outcome {
                    return Err(format!("called free by {}, but run {time} ends in {found:?}", proof.name()));
                }
            }
        }
        Safety::Possible(witness, _) => {
            let messages = vec![Workload::Messages(witness.messages.clone())];
            for engine in [Evaluation::Fast, Evaluation::Banked, Evaluation::Reference] {
                // A run of the experiment itself may end before the witness has all its worms.
                let outcome = with_engine(&witness.experiment(loaded), messages.clone(), 1, engine);
                if !matches!(outcome, Outcome::Deadlock(_)) {
                    return Err(format!("the witness ends in {outcome:?} with {engine:?}"));
                }
            }
            if let [Workload::Messages(given)] = &workload[..] {
                let sorted = |messages: &[Message]| {
                    let mut all: Vec<String> =
                        messages.iter().map(|m| format!("{:?}", Message { cycle: 0, ..m.clone() })).collect();
                    all.sort();
                    all
                };
                if sorted(given) != sorted(&witness.messages) {
                    return Err("the witness has other worms than the workload".to_owned());
                }
            }
        }
        Safety::Unknown(..) => {}
    }
    Ok(())
}

/// A worm of a witness that an experiment of this test does not draw.
fn not_drawn<'a>(loaded: &Loaded, verdict: &'a Safety) -> Option<&'a Message> {
    let Safety::Possible(witness, _) = verdict else { return None };
    let is_drawn = |worm: &Message| {
        loaded.experiment.workload.iter().any(|entry| match entry {
            Workload::Traffic(of) => {
                let lengths = of.length().least()..=of.length().most();
                let (to, all) = (worm.destinations.len() as u32, of.count().most());
                // Path worms may split the destinations.
                let has_all = to == all || of.encoding == Encoding::Multidestination && to < all;
                has_all && worm.encoding == Some(of.encoding) && lengths.contains(&worm.payload_flits)
            }
            _ => true,
        })
    };
    witness.messages.iter().find(|worm| !is_drawn(worm))
}

#[test]
fn verdicts_and_runs_never_contradict_each_other() {
    let config = Config { failure_persistence: None, ..cases(CASES) };
    let (many, more) = (config.cases >= CASES, config.cases > CASES);
    let counts: RefCell<BTreeMap<(&str, &str, &str), u32>> = RefCell::default();
    let (folder, proofs) = (tempfile::tempdir().expect("a folder"), RefCell::new(Vec::new()));
    let run = |(network, worms): (Network, Worms)| {
        let Some(loaded) = experiment(&network, &worms) else { return Ok(()) };
        let site = Site::of(&loaded).expect("a network");
        let effort = if more { MORE_EFFORT } else { EFFORT };
        let mut verdict = judge(&loaded, &site, effort, &|| false).expect("a verdict");
        if more && verdict.answer() == Judgement::Unknown {
            // The verdict of `wormscope check --deadlock`, with as many states as the second
            // program can visit.
            let effort = Effort { states: 5_000, ..Effort::default() };
            verdict = judge(&loaded, &site, effort, &|| false).expect("a verdict");
        }
        if std::env::var_os("VERDICTS_SHOWN").is_some() && verdict.answer() == Judgement::Unknown {
            println!("{verdict:?}\n{}", loaded.experiment.text());
        }
        let stranger = not_drawn(&loaded, &verdict).map(|worm| format!("the workload does not draw {worm:?}"));
        if let Err(why) = stranger.map_or_else(|| holds(&loaded, &verdict, RUNS), Err) {
            println!("{why}");
            return Err(TestCaseError::fail(why));
        }
        let kind = if matches!(worms, Worms::Given(..)) { "given" } else { "drawn" };
        let argument = if let Safety::Free(proof) = &verdict {
            let certificate = certificate(&loaded, &site, proof).expect("a proof").expect("a certificate");
            let path = folder.path().join(format!("{}.json", proofs.borrow().len()));
            std::fs::write(&path, serde_json::to_string(&certificate).expect("JSON")).expect("a file");
            proofs.borrow_mut().push(path);
            proof.name()
        } else {
            ""
        };
        *counts.borrow_mut().entry((kind, verdict.column(), argument)).or_insert(0) += 1;
        Ok(())
    };
    TestRunner::new(config).run(&(small(), several()), run).unwrap_or_else(|failed| panic!("{failed}"));
    let (code, text) = checked(&proofs.into_inner());
    if code != Some(0) {
        let refused: Vec<&str> = text.lines().filter(|line| !line.contains("proven free")).collect();
        panic!("{refused:?}; {} has the certificates", folder.keep().display());
    }
    let counts = counts.into_inner();
    println!("{counts:?}");
    let of =
        |answer: Judgement| counts.iter().filter(|((_, of, _), _)| *of == answer.name()).map(|(_, n)| n).sum::<u32>();
    let all: u32 = counts.values().sum();
    assert!(!many || of(Judgement::Free) > 0 && of(Judgement::Possible) > 0, "{counts:?}");
    // Of many experiments 1.6 % are unknown. The limits allow for less effort, and for chance.
    let limit = match all {
        5_000.. => 20,
        _ if more => 50,
        _ => 100,
    };
    assert!(!many || of(Judgement::Unknown) * 1_000 < all * limit, "{counts:?}");
}

#[test]
fn a_few_multicasts_in_a_small_network_have_a_verdict() {
    let networks = small().prop_filter("4 to 6 nodes", |network| (4..=6).contains(&network.nodes()));
    let worms = proptest::collection::vec((0..6_u32, 1..64_u32, 1..=8_u32), 2..=4);
    let config = Config { failure_persistence: None, max_global_rejects: u32::MAX, ..cases(CASES) };
    let most = if config.cases > CASES { 20 } else { 100 };
    let counts: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    let run = |(network, worms): (Network, Vec<(u32, u32, u32)>)| {
        let message = |&(source, to, payload_flits): &(u32, u32, u32)| {
            let source = source % network.nodes();
            let destinations = (0..network.nodes()).filter(|node| *node != source && to >> node & 1 != 0).collect();
            Message { cycle: 0, source, destinations, encoding: Some(Encoding::BitString), class: None, payload_flits }
        };
        let several: Vec<Message> = worms.iter().map(message).filter(|of| of.destinations.len() > 1).collect();
        let (workload, run) = (vec![Workload::Messages(several)], Run::default());
        let network = network.clone();
        let experiment = Experiment { network, groups: Vec::new(), classes: Vec::new(), workload, run };
        let Ok(loaded) = experiment.validated() else { return Ok(()) };
        let site = Site::of(&loaded).expect("a network");
        let verdict = judge(&loaded, &site, Effort::default(), &|| false).expect("a verdict");
        let argument = if let Safety::Free(proof) = &verdict { proof.name() } else { verdict.column() };
        *counts.borrow_mut().entry(argument).or_insert(0) += 1;
        Ok(())
    };
    TestRunner::new(config).run(&(networks, worms), run).unwrap_or_else(|failed| panic!("{failed}"));
    let counts = counts.into_inner();
    println!("{counts:?}");
    let (all, unknown) = (counts.values().sum::<u32>(), counts.get("unknown").copied().unwrap_or(0));
    assert!(all > CASES / 2 && 1_000 * unknown <= most * all, "{counts:?}");
}

/// The answer for given messages in a network.
fn answer(network: &str, messages: &str) -> Judgement {
    let text = format!("(network: ({network}), workload: [messages([{messages}])])");
    let loaded = wormscope::config::from_text("x.ron", &text, &[]).unwrap_or_else(|why| panic!("{why}"));
    let verdict = judge(&loaded, &Site::of(&loaded).expect("a network"), EFFORT, &|| false).expect("a verdict");
    holds(&loaded, &verdict, RUNS).unwrap_or_else(|why| panic!("{why}"));
    verdict.answer()
}

#[test]
fn a_path_worm_that_waits_for_its_own_tail_is_not_called_free() {
    // The worm passes the link from router 1 to router 2 twice.
    let worm = |payload: u32| {
        format!("(cycle: 0, source: 0, destinations: [2, 1, 3], encoding: multidestination, payload_flits: {payload})")
    };
    let of = |payload| answer("topology: linear(nodes: 4)", &worm(payload));
    assert_eq!((of(40), of(1)), (Judgement::Possible, Judgement::Free));
}

#[test]
fn a_witness_of_random_worms_has_few_and_short_ones_that_the_workload_draws() {
    let text = "(network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 2)),
                 workload: [traffic(load: 0.9, encoding: bit_string, destinations: 3,
                                    lengths: uniform(least: 4, most: 30))],
                 run: (measure_cycles: 120))";
    let loaded = wormscope::config::from_text("x.ron", text, &[]).unwrap_or_else(|why| panic!("{why}"));
    let verdict = judge(&loaded, &Site::of(&loaded).expect("a network"), Effort::default(), &|| false);
    let Safety::Possible(witness, _) = verdict.expect("a verdict") else { panic!("the trees deadlock") };
    let of = |worm: &Message| (worm.destinations.len(), worm.payload_flits);
    assert_eq!(witness.messages.iter().map(of).collect::<Vec<_>>(), [(3, 4), (3, 4)]);
}

#[test]
fn a_witness_of_two_kinds_of_random_worms_has_no_worm_that_is_half_of_each() {
    let text = "(network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 2)),
                 workload: [traffic(load: 0.4, encoding: bit_string, destinations: 2, payload_flits: 9),
                            traffic(load: 0.4, encoding: bit_string, destinations: 4, payload_flits: 4)],
                 run: (measure_cycles: 120))";
    let loaded = wormscope::config::from_text("x.ron", text, &[]).unwrap_or_else(|why| panic!("{why}"));
    let verdict = judge(&loaded, &Site::of(&loaded).expect("a network"), Effort::default(), &|| false);
    let Safety::Possible(witness, _) = verdict.expect("a verdict") else { panic!("the trees deadlock") };
    let of = |worm: &Message| (worm.destinations.len(), worm.payload_flits);
    let kinds: Vec<_> = witness.messages.iter().map(of).collect();
    assert!(kinds.iter().all(|kind| [(2, 9), (4, 4)].contains(kind)), "{kinds:?}");
}

#[test]
fn flits_that_fit_into_fifos_decide_whether_branches_hold_each_other() {
    let tree = |source: u32| {
        format!("(cycle: 0, source: {source}, destinations: [0, 3], encoding: bit_string, payload_flits: 12)")
    };
    let of = |switch: &str| {
        answer(&format!("topology: mesh(radices: [4]), switch: ({switch})"), &[tree(1), tree(2)].join(", "))
    };
    assert_eq!(of("fifo_depth: 4"), Judgement::Possible);
    // `wormscope prove` says the same of both depths: a worm also has flits in FIFOs further on.
    assert_eq!(of("fifo_depth: 4, replication: buffered"), Judgement::Possible);
    assert_eq!(of("fifo_depth: 12, replication: buffered"), Judgement::Free);
    assert_eq!(of("fifo_depth: 13, replication: buffered"), Judgement::Free);
    assert_eq!(of("fifo_depth: 13, replication: sequential"), Judgement::Free);
}

#[test]
fn worms_that_cannot_fill_a_fifo_do_not_wait_for_room_in_it() {
    // Path worms turn in both directions, so each FIFO of the line waits for the next one.
    let worms = [
        (6, "1, 2, 7", 7),
        (2, "7", 2),
        (6, "1, 4, 2", 3),
        (3, "2, 5, 1", 3),
        (3, "6", 4),
        (4, "3, 7", 6),
        (3, "4, 6", 2),
        (3, "5, 4", 9),
        (3, "1", 4),
    ];
    let worm = |(source, to, payload): &(u32, &str, u32)| {
        format!(
            "(cycle: 0, source: {source}, destinations: [{to}], encoding: multidestination, payload_flits: {payload})"
        )
    };
    let of = |depth: u32| {
        let network = format!(
            "topology: linear(nodes: 8), switch: (fifo_depth: {depth}, virtual_channels: 2),
             node: (injection_channels: 2, consumption_channels: 4)"
        );
        answer(&network, &worms.iter().map(worm).collect::<Vec<_>>().join(", "))
    };
    assert_eq!(of(64), Judgement::Free);
    assert_ne!(of(4), Judgement::Free);
}

#[test]
fn worms_that_wait_keep_the_lanes_behind_them() {
    // The FIFOs hold a flit each. So a worm that waits still has lanes at its node. The worms that
    // would block each other do not fit into the network together.
    let worm = |to: &str, encoding: &str, payload: u32| {
        format!("(cycle: 0, source: 0, destinations: [{to}], encoding: {encoding}, payload_flits: {payload})")
    };
    let worms = [
        worm("5, 4, 3", "multidestination", 10),
        worm("1, 5", "bit_string", 3),
        worm("3, 4, 1", "multidestination", 4),
        worm("2, 3, 5", "bit_string", 3),
    ];
    let network = "topology: torus(radices: [1, 2, 3], datelines: false),
                   switch: (fifo_depth: 1, flit_bits: 100, header_timing: overlapped, replication: buffered)";
    assert_eq!(answer(network, &worms.join(", ")), Judgement::Free);
}

#[test]
fn worms_at_all_inputs_of_a_switch_do_not_wait_in_a_circle_if_its_arbiters_have_one_order() {
    // Three inputs of switch s0, and three worms that each want two of its outputs.
    let of = |arbiter: &str, routing_cycles: u32| {
        let text = format!(
            "(network: (topology: netlist(text: \"switch s0 s1\\nlink s1.0 s0.0\\nnode s0.1\\nnode s0.2\\nnode s1.1\\n\"),
              switch: (fifo_depth: 6, arbiter: {arbiter}, routing_cycles: {routing_cycles})),
              workload: [traffic(load: 0.9, encoding: bit_string, destinations: 2, payload_flits: 12)],
              run: (measure_cycles: 120))"
        );
        let loaded = wormscope::config::from_text("x.ron", &text, &[]).unwrap_or_else(|why| panic!("{why}"));
        let site = Site::of(&loaded).expect("a network");
        let verdict = judge(&loaded, &site, EFFORT, &|| false).expect("a verdict");
        holds(&loaded, &verdict, RUNS).unwrap_or_else(|why| panic!("{why}"));
        if let Safety::Free(proof @ Proof::Together) = &verdict {
            let mut value =
                serde_json::to_value(certificate(&loaded, &site, proof).expect("a certificate")).expect("JSON");
            assert_eq!(follows(&value), Some(0));
            value["is_stalled"] = true.into();
            assert_eq!(follows(&value), Some(1));
            value["is_stalled"] = false.into();
            value["network"]["switch"]["arbiter"] = "round_robin".into();
            assert_eq!(follows(&value), Some(1));
        }
        verdict.answer()
    };
    for arbiter in ["fixed_priority", "oldest_first"] {
        assert_eq!(of(arbiter, 1), Judgement::Free, "{arbiter}");
        assert_ne!(of(arbiter, 0), Judgement::Free, "{arbiter}");
    }
    assert_ne!(of("round_robin", 1), Judgement::Free);
}

/// The judged experiment of a shipped file.
fn shipped(path: &Path) -> (Loaded, Site, Safety) {
    let loaded = wormscope::load(path).unwrap_or_else(|why| panic!("{why}"));
    let site = Site::of(&loaded).expect("a network");
    let verdict = judge(&loaded, &site, Effort::default(), &|| false).expect("a verdict");
    (loaded, site, verdict)
}

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

/// Checks certificates with the second program, and returns its exit code and words.
fn checked(files: &[PathBuf]) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("certificate/check.py");
    let call = Command::new("python3").arg(script).args(files).output().expect("Python 3");
    (call.status.code(), String::from_utf8_lossy(&call.stdout).into_owned())
}

/// The exit code of the second program for a certificate.
fn follows(certificate: &Value) -> Option<i32> {
    let file = tempfile::Builder::new().suffix(".json").tempfile().expect("a file");
    std::fs::write(file.path(), certificate.to_string()).expect("a file");
    checked(&[file.path().to_owned()]).0
}

#[test]
fn a_second_program_runs_all_schedules_again() {
    let worm = |source: u32, to: &str, payload: u32| {
        format!("(cycle: 0, source: {source}, destinations: [{to}], encoding: bit_string, payload_flits: {payload})")
    };
    let text = format!(
        "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 3),
                    switch: (fifo_depth: 2, virtual_channels: 2), node: (virtual_channels: 1)),
          workload: [messages([{}, {}, {}])])",
        worm(0, "6", 1),
        worm(0, "3, 6", 6),
        worm(2, "3, 7", 6)
    );
    let loaded = wormscope::config::from_text("x.ron", &text, &[]).unwrap_or_else(|why| panic!("{why}"));
    let site = Site::of(&loaded).expect("a network");
    let verdict = judge(&loaded, &site, Effort::default(), &|| false).expect("a verdict");
    let Safety::Free(proof @ Proof::AllSchedules(_)) = &verdict else { panic!("{verdict:?}") };
    let mut value = serde_json::to_value(certificate(&loaded, &site, proof).expect("a certificate")).expect("JSON");
    assert_eq!(follows(&value), Some(0));
    value["network"]["switch"]["virtual_channels"] = 1.into();
    assert_eq!(follows(&value), Some(1));
}

#[test]
fn a_second_program_visits_all_states_again() {
    let worm = |source: u32, to: &str, payload: u32| {
        format!("(cycle: 0, source: {source}, destinations: [{to}], encoding: bit_string, payload_flits: {payload})")
    };
    let proved = |network: &str, worms: &[String]| {
        let text = format!("(network: ({network}), workload: [messages([{}])])", worms.join(", "));
        let loaded = wormscope::config::from_text("x.ron", &text, &[]).unwrap_or_else(|why| panic!("{why}"));
        let site = Site::of(&loaded).expect("a network");
        let verdict = judge(&loaded, &site, Effort::default(), &|| false).expect("a verdict");
        let Safety::Free(proof) = verdict else { panic!("{verdict:?}") };
        let certificate = certificate(&loaded, &site, &proof).expect("a proof").expect("a certificate");
        (proof, serde_json::to_value(certificate).expect("JSON"))
    };
    let (proof, value) = proved(
        "topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), switch: (fifo_depth: 2, replication: lockstep)",
        &[worm(2, "0, 1, 3", 2), worm(2, "0, 1, 3", 3), worm(0, "1, 2, 3", 3), worm(2, "0, 1, 3", 2)],
    );
    assert!(matches!(proof, Proof::AllStates(_)), "{proof:?}");
    assert_eq!(follows(&value), Some(0));
    // Another proof, and a network in which the same worms deadlock.
    let (_, mut value) = proved(
        "topology: uni_min(kind: baseline, switch_ports: 2, stages: 3), switch: (fifo_depth: 2, virtual_channels: 2), \
         node: (virtual_channels: 1)",
        &[worm(0, "3, 6", 3), worm(2, "3, 7", 3), worm(0, "6", 1)],
    );
    value["argument"] = "all_states".into();
    assert_eq!(follows(&value), Some(0));
    value["network"]["switch"]["virtual_channels"] = 1.into();
    assert_eq!(follows(&value), Some(1));
}

#[test]
fn shipped_experiments_have_a_verdict_and_it_is_the_one_that_their_names_say() {
    let mut files = Vec::new();
    let mut folders = vec![configs()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("ron".as_ref()) {
                files.push(path);
            }
        }
    }
    // Figures of papers, sweeps and testbenches are no experiments.
    let is_experiment = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a text");
        text.contains("network:") && !text.contains("expect:")
    };
    files.retain(is_experiment);
    assert!(files.len() >= 80, "{} experiments", files.len());
    // The large ones first, so that two threads end together.
    files.sort_by_key(|path| Reverse(wormscope::load(path).map_or(0, |of| of.experiment.network.nodes())));
    let next = AtomicUsize::new(0);
    let judge_all = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (loaded, _, verdict) = shipped(path);
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            assert_ne!(verdict.answer(), Judgement::Unknown, "{name}: {verdict:?}");
            if name.ends_with("_deadlock") {
                assert_eq!(verdict.answer(), Judgement::Possible, "{name}");
            }
            if loaded.experiment.network.nodes() <= 64 {
                holds(&loaded, &verdict, 1).unwrap_or_else(|why| panic!("{name}: {why}"));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(judge_all);
        }
    });
}

#[test]
fn a_second_program_follows_certificates_and_refuses_those_that_were_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for name in [
        "torus_ring_datelines",
        "torus_4x4_datelines",
        "mesh_3x3_tree_buffered",
        "mesh_4x2_path_consumption_channels",
        "atbm_fig6c_token_ring",
        "atbm_fig6c_synchronous",
        "bi_min_16_2x2_opt_min",
        "uni_min_16_multiport",
        "mesh_3x3x3_tpp",
        "mesh_4x4_floonoc",
        "mesh_4x4_bit_string",
        "linear_8_trace",
        "bi_min_16_2x2_multicast",
    ] {
        let (loaded, site, verdict) = shipped(&configs().join(name).with_extension("ron"));
        let Safety::Free(proof) = verdict else { panic!("{name}: {verdict:?}") };
        let certificate = certificate(&loaded, &site, &proof).expect("a certificate");
        let certificate = certificate.unwrap_or_else(|| panic!("{name}: {}", proof.name()));
        let write = |name: &str, value: &Value| {
            let path = folder.path().join(name).with_extension("json");
            std::fs::write(&path, value.to_string()).expect("a file");
            path
        };
        let value = serde_json::to_value(&certificate).expect("JSON");
        good.push(write(name, &value));
        // A certificate of fewer worms, or of a network with other FIFOs, is not the same proof.
        let mut changed = value.clone();
        if let Some(worms) = changed.get_mut("counted").and_then(Value::as_array_mut) {
            worms.pop();
            bad.push(write(&format!("{name}_fewer"), &changed));
        }
        if value.get("order").is_some() {
            let mut changed = value.clone();
            changed["order"].as_array_mut().expect("a list").remove(0);
            bad.push(write(&format!("{name}_shorter"), &changed));
            let order = value["order"].as_array().expect("a list");
            if let (Some(first), Some(last)) = (order.first(), order.last()) {
                let mut changed = value.clone();
                (changed["order"][0], changed["order"][order.len() - 1]) = (last.clone(), first.clone());
                bad.push(write(&format!("{name}_swapped"), &changed));
            }
        }
        let mut changed = value.clone();
        if let Some(order) = changed.get_mut("order").and_then(Value::as_array_mut) {
            order.reverse();
            bad.push(write(&format!("{name}_reversed"), &changed));
            changed["order"].as_array_mut().expect("a list").clear();
            bad.push(write(&format!("{name}_empty"), &changed));
        } else if changed.get("removed").is_some() {
            changed["removed"] = Value::Array(Vec::new());
            bad.push(write(&format!("{name}_empty"), &changed));
        } else if matches!(proof, Proof::CountedByRoute) {
            let worms = changed["worms"]["given"].as_array_mut().expect("a list");
            worms.extend_from_within(..);
            bad.push(write(&format!("{name}_twice"), &changed));
        } else {
            changed["network"]["token_ring"] = Value::Null;
            changed["network"]["switch"]["replication"] = "asynchronous".into();
            bad.push(write(&format!("{name}_without"), &changed));
        }
    }
    let (code, text) = checked(&good);
    assert_eq!(code, Some(0), "{text}");
    for path in bad {
        let (code, text) = checked(std::slice::from_ref(&path));
        assert_eq!(code, Some(1), "{}: {text}", path.display());
        assert!(text.contains("refused"), "{text}");
    }
}
