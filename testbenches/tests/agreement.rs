//! Detector, verdict, search and proof on the same small networks. None contradicts another.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use wormscope::dependency::{Effort, Judgement, Proof, Safety, judge};
use wormscope::engine::{Limits, NewWorm};
use wormscope::experiment::{Draw, Experiment, Loaded, Run, Traffic, Workload, WormRules};
use wormscope::hw::Encoding;
use wormscope::network::Network;
use wormscope::prove::{SearchEnd, check};
use wormscope::search::{Goal, Hunt, HuntProgress, Judge, Watch, WormShape};
use wormscope::simulation::{Outcome, Site};
use wormscope_testbenches::{Script, drive, engine};

use super::exhaustive::{Case, sets};
use super::prove::all_states;
use super::verdicts::in_another_order;

/// Work for a verdict.
const EFFORT: Effort = Effort { runs: 40, switch_cycles: 20_000, states: 2_000, ..Effort::OF_A_ROW };
/// Bytes of the states of a proof.
const MEMORY: usize = 1 << 19;
/// Runs of each case, each in other cycles.
const RUNS: u64 = 4;
/// Runs of the search.
const HUNTED: u64 = 12;

/// A number from the environment, or a default.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Number of answers.
#[derive(Debug, Default)]
struct Answers {
    cases: u64,
    free: u32,
    possible: u32,
    unknown: u32,
    proved: u32,
    stuck: u32,
    deadlocked: u32,
    hunted: u32,
}

/// Stops a search when it begins to shrink what it found.
#[derive(Default)]
struct Unshrunk(bool);

impl Watch for Unshrunk {
    fn goes_on(&self) -> bool {
        !self.0
    }
    fn ran(&mut self, _: u64) {}
    fn best(&mut self, progress: &HuntProgress) {
        self.0 |= progress.shrinks;
    }
}

fn loaded(network: &Network, workload: Vec<Workload>) -> Option<Loaded> {
    let run = Run { measure_cycles: Some(200), ..Run::default() };
    let network = network.clone();
    Experiment { network, groups: Vec::new(), classes: Vec::new(), workload, run }.validated().ok()
}

impl Answers {
    fn verdict(&mut self, loaded: &Loaded) -> Safety {
        let verdict = judge(loaded, &Site::of(loaded).expect("a network"), EFFORT, &|| false).expect("a verdict");
        self.cases += 1;
        *match verdict.answer() {
            Judgement::Free => &mut self.free,
            Judgement::Possible => &mut self.possible,
            Judgement::Unknown => &mut self.unknown,
        } += 1;
        verdict
    }

    /// Worms that are given. The detector watches runs of them, and the proof visits all states.
    fn given(&mut self, (network, worms): &Case) -> Option<()> {
        let loaded = loaded(network, vec![Workload::Messages(worms.iter().map(drive::message).collect())])?;
        let verdict = self.verdict(&loaded);
        let is_stuck = |time: u64| {
            let mut script = Script::new(in_another_order(worms, time));
            let outcome =
                wormscope::simulation::run(&mut engine(network), &mut script, &Limits::default(), &mut (), |_| ());
            matches!(outcome.expect("infallible"), Outcome::Deadlock(_))
        };
        let deadlocked = (0..RUNS).any(is_stuck);
        let limits = wormscope::prove::Limits { memory: Some(MEMORY), ..Default::default() };
        let end = check(network).ok().map(|()| all_states(&(network.clone(), worms.clone()), &limits).0);
        let (proved, stuck) = (end == Some(SearchEnd::Proved), matches!(end, Some(SearchEnd::Stuck(_))));
        self.proved += u32::from(proved);
        self.stuck += u32::from(stuck);
        self.deadlocked += u32::from(deadlocked);
        let told = || format!("{verdict:?}, {end:?}: {network:?}, {worms:?}");
        assert!(!(proved && deadlocked), "a run deadlocks against the proof: {}", told());
        match &verdict {
            Safety::Free(proof) => {
                assert!(!deadlocked, "a run deadlocks against the verdict: {}", told());
                // The proof lets arbiters choose freely. Runs, and these states, have the choices
                // of hardware.
                let as_built = matches!(proof, Proof::AllSchedules(_) | Proof::AllStates(_));
                assert!(!stuck || as_built, "a state is stuck: {}", told());
            }
            Safety::Possible(..) => assert!(!proved, "the proof is against the witness: {}", told()),
            Safety::Unknown(..) => {}
        }
        Some(())
    }

    /// Trees between any nodes. The search looks for a schedule of them that deadlocks.
    fn drawn(&mut self, network: &Network, worms: &[NewWorm], seed: u64) -> Option<()> {
        let payload = worms.first()?.payload_flits;
        let traffic = Traffic {
            load: Some(0.5),
            encoding: Encoding::BitString,
            destinations: Some(2),
            lengths: Some(Draw::Uniform { least: payload, most: payload }),
            ..Traffic::default()
        };
        let loaded = (network.nodes() > 2).then(|| loaded(network, vec![Workload::Traffic(traffic)]))??;
        let verdict = self.verdict(&loaded);
        let nodes: Vec<u32> = (0..network.nodes()).collect();
        let shape = WormShape {
            encodings: vec![Encoding::BitString],
            destinations: (2, 2),
            payload_flits: (payload, payload),
            worms: 8,
            cycles: 20,
            sources: nodes.clone(),
            targets: nodes,
        };
        let mut judge = Judge::new(network, Goal::Deadlock).ok()?;
        let rules = WormRules::new(judge.site().built());
        let hunt = Hunt { judge: &mut judge, shape: &shape, seed, runs: HUNTED };
        let found = hunt.search(&rules, &mut Unshrunk::default()).expect("runs").found;
        self.hunted += u32::from(found.is_some());
        let is_free = verdict.answer() == Judgement::Free;
        assert!(!is_free || found.is_none(), "the search is against {verdict:?}: {network:?}, {found:?}");
        Some(())
    }
}

#[test]
fn detector_verdict_search_and_proof_never_contradict_each_other() {
    let (wanted, seed) = (number("AGREEMENT_CASES", 1_000), number("AGREEMENT_SEED", 38));
    let config = ProptestConfig { rng_seed: RngSeed::Fixed(seed), ..Default::default() };
    let (mut runner, sets, mut answers) = (TestRunner::new(config), sets(), Answers::default());
    for round in 0.. {
        if answers.cases >= wanted {
            break;
        }
        let case = sets.new_tree(&mut runner).expect("most sets have two worms").current();
        // A set that the network refuses is no case.
        let _ = if round % 4 == 3 { answers.drawn(&case.0, &case.1, round) } else { answers.given(&case) };
    }
    println!("{answers:?}");
    let Answers { free, possible, proved, stuck, deadlocked, hunted, .. } = answers;
    let least = [free, possible, proved, stuck, deadlocked, hunted].into_iter().min();
    assert!(wanted < 1_000 || least > Some(5), "{answers:?}");
}
