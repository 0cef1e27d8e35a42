//! Tries every choice of every arbiter, with the same kernels, in small networks. It holds the
//! search for deadlocks to three rules:
//!
//! - no order of grants frees a deadlock that is reported;
//! - each is dated by the first cycle from which no order frees it;
//! - every network that ends stuck is reported.
//!
//! A deadlock is final in a cycle after which all its worms have asked for the lanes that they
//! miss. From then on none of them gets its lane, whatever the arbiters choose. The final cycle is
//! the first such cycle. A link has one virtual channel here. The arbiters are those of lanes, of
//! atomic acquisition and of tokens.

use std::collections::{BTreeSet, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use wormscope::deadlock::{Deadlock, Member, search};
use wormscope::engine::arbitration::ArbiterRef;
use wormscope::engine::registers::Registers;
use wormscope::engine::snapshot::{Hold, LaneRef, Segment, Snapshot};
use wormscope::engine::{Engine, NewWorm};
use wormscope::experiment::{Message, WormRules};
use wormscope::hw::{Acquisition, Encoding, Replication, SwitchId, WormId};
use wormscope::network::{Link, Network, Topology, UniMinKind};
use wormscope_testbenches::drive::{built, worm};
use wormscope_testbenches::random::{Kind, drafts, fitting_span, networks, not_synchronous, worms};
use wormscope_testbenches::{Script, engine, step};

/// A network and its worms.
pub(super) type Case = (Network, Vec<NewWorm>);

/// States that are explored from one state at most.
const MOST_STATES: usize = 20_000;

/// A network between two cycles.
#[derive(Clone)]
pub(super) struct State {
    pub(super) engine: Engine,
    script: Script,
    /// Worms that the detector has named on the way here.
    doomed: BTreeSet<WormId>,
}

/// One choice for some arbiters: the input that comes first.
type Turns = Vec<(ArbiterRef, u8)>;

impl State {
    fn new((network, worms): &Case) -> Self {
        Self { script: Script::new(worms.clone()), ..Self::of(engine(network)) }
    }

    /// The state of an engine to which a test gives the worms.
    pub(super) fn of(engine: Engine) -> Self {
        Self { engine, script: Script::new(Vec::new()), doomed: BTreeSet::new() }
    }

    fn is_over(&self) -> bool {
        self.engine.next_event().is_none() && self.script.next_cycle().is_none()
    }

    fn step(&mut self) {
        step(&mut self.engine, &mut self.script, &mut ());
        let found = search(&self.engine.snapshot());
        self.doomed.extend(found.iter().flat_map(|found| found.cycle.iter().chain(&found.also)).map(|m| m.worm));
    }

    /// The verdict where nothing can happen any more: whether the network is deadlocked, and the
    /// detector says so.
    fn verdict(&self) -> Result<bool, String> {
        let (snapshot, alive) = (self.engine.snapshot(), self.engine.worms_alive());
        let found = search(&snapshot);
        if found.is_some() != (alive > 0) {
            return Err(format!("{alive} worms are left, but the detector says {found:?}"));
        }
        let left: BTreeSet<WormId> = snapshot.segments.iter().map(|s| s.worm).collect();
        match self.doomed.iter().find(|worm| !left.contains(worm)) {
            Some(worm) => Err(format!("worm {worm} was called deadlocked and has arrived")),
            None => Ok(found.is_some()),
        }
    }

    fn stepped(&self, turns: &Turns) -> Self {
        let mut next = self.clone();
        for &(arbiter, input) in turns {
            next.engine.impose(arbiter, input);
        }
        next.step();
        next
    }

    /// All states that can follow in one cycle, over all choices of the arbiters.
    pub(super) fn successors(&self) -> Vec<Self> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let once = self.stepped(&Vec::new());
        let captures = alternatives(captures(&once.engine.snapshot(), self.engine.now()));
        for capture in captures {
            let first = if capture.is_empty() { once.clone() } else { self.stepped(&capture) };
            let grants = alternatives(grants(&first.engine.snapshot(), self.engine.now()));
            for turns in grants {
                let next =
                    if turns.is_empty() { first.clone() } else { self.stepped(&[&capture[..], &turns].concat()) };
                if seen.insert(next.key()) {
                    all.push(next);
                }
            }
        }
        all
    }

    fn key(&self) -> Registers {
        self.engine.registers().without_pointers()
    }
}

/// All combinations of one choice for each arbiter.
fn alternatives(arbiters: Vec<(ArbiterRef, BTreeSet<u8>)>) -> Vec<Turns> {
    let mut all = vec![Vec::new()];
    for (arbiter, inputs) in arbiters.into_iter().filter(|(_, inputs)| inputs.len() > 1) {
        let with = |turns: &Turns| -> Vec<Turns> {
            inputs.iter().map(|&input| [&turns[..], &[(arbiter, input)]].concat()).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// Stations that captured their token in cycle `now`, and the inputs that wanted it there.
fn captures(after: &Snapshot, now: u64) -> Vec<(ArbiterRef, BTreeSet<u8>)> {
    let held = after.tokens.iter().enumerate().filter(|(_, token)| token.held_since == now);
    let held = held.filter_map(|(t, token)| Some((t, &after.segments[token.holder?])));
    held.map(|(t, holder)| {
        let others = after.segments.iter().filter(|s| s.switch == holder.switch && s.awaits == Some(t));
        (ArbiterRef::Token(holder.switch), others.map(|s| s.lane).chain([holder.lane]).collect())
    })
    .collect()
}

/// Output lanes that were granted in cycle `now`, and the inputs that may have asked for them.
fn grants(after: &Snapshot, now: u64) -> Vec<(ArbiterRef, BTreeSet<u8>)> {
    let mut switches: BTreeSet<SwitchId> = BTreeSet::new();
    let mut granted = Vec::new();
    for s in &after.segments {
        for branch in &s.branches {
            if let Hold::Owns(lane) = branch.hold
                && branch.blocked_since == now
            {
                granted.push((lane, s.lane));
                switches.insert(s.switch);
            }
        }
    }
    let asks = |s: &Segment, lane| {
        let wants = |hold: &Hold| matches!(hold, Hold::Wants(group) if group.contains(lane));
        s.branches.iter().any(|b| wants(&b.hold))
    };
    if after.atomic {
        let inputs = |switch: SwitchId| -> BTreeSet<u8> {
            let winners = granted.iter().filter(|(lane, _)| lane.switch == switch).map(|&(_, input)| input);
            let wants = |s: &&Segment| s.branches.iter().any(|b| matches!(b.hold, Hold::Wants(_)));
            let losers = after.segments.iter().filter(|s| s.switch == switch).filter(wants).map(|s| s.lane);
            winners.chain(losers).collect()
        };
        return switches.into_iter().map(|switch| (ArbiterRef::Switch(switch), inputs(switch))).collect();
    }
    let all = granted.iter().map(|(lane, _)| {
        let winners = granted.iter().filter(|(other, _)| other.switch == lane.switch).map(|&(_, input)| input);
        let losers = after.segments.iter().filter(|s| s.switch == lane.switch && asks(s, lane)).map(|s| s.lane);
        (ArbiterRef::Lane(*lane), winners.chain(losers).collect())
    });
    all.collect()
}

/// Visits every state that can follow from a state, each once, until `visit` has seen enough.
/// Returns whether it has.
fn explore(start: &State, explored: &mut usize, mut visit: impl FnMut(&State) -> bool) -> Result<bool, String> {
    let (mut work, mut seen) = (vec![start.clone()], HashSet::new());
    while let Some(state) = work.pop() {
        if visit(&state) {
            return Ok(true);
        }
        if state.is_over() {
            continue;
        }
        for next in state.successors() {
            if seen.insert(next.key()) {
                work.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return Err(format!("more than {MOST_STATES} states"));
        }
    }
    *explored += seen.len();
    Ok(false)
}

/// A deadlocked worm at a switch: the lanes that it asked for in vain, and its lanes that lead to a
/// full FIFO.
struct Head {
    worm: WormId,
    at: (SwitchId, u8),
    asks: Vec<Vec<LaneRef>>,
    full: Vec<LaneRef>,
}

impl Head {
    fn all(found: &Deadlock, last: &Snapshot) -> Vec<Self> {
        let head = |m: &Member| {
            let mut head = Self { worm: m.worm, at: (m.switch, m.lane), asks: Vec::new(), full: Vec::new() };
            if let Some(segment) = head.segment(last) {
                head.asks = asked(segment);
                // Other orders may grant lanes that the cycle does not need.
                head.asks.retain(|group| m.awaits.is_some() || group.iter().any(|lane| m.wants.contains(lane)));
                // Lanes that another part of the same worm owns in this switch are left out.
                head.full = m.wants.iter().copied().filter(|&lane| owns(segment, lane)).collect();
            }
            head
        };
        found.cycle.iter().chain(&found.also).map(head).collect()
    }

    fn segment<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a Segment> {
        snapshot.segments.iter().find(|s| (s.switch, s.lane) == self.at && s.worm == self.worm)
    }

    /// Whether it stands there and waits for all of that; it may wait for more.
    fn waits(&self, snapshot: &Snapshot) -> bool {
        self.segment(snapshot).is_some_and(|segment| {
            let asked = asked(segment);
            self.asks.iter().all(|group| asked.contains(group)) && self.full.iter().all(|&lane| owns(segment, lane))
        })
    }
}

/// Whether a branch of it owns a lane.
fn owns(segment: &Segment, lane: LaneRef) -> bool {
    segment.branches.iter().any(|b| b.hold == Hold::Owns(lane))
}

/// The groups that it asks for a lane of, or for the token to ask for them.
fn asked(segment: &Segment) -> Vec<Vec<LaneRef>> {
    let asks = segment.branches.iter().filter_map(|b| match &b.hold {
        Hold::Wants(group) => Some(group.clone()),
        Hold::Later(group) if segment.awaits.is_some() => Some(group.clone()),
        _ => None,
    });
    asks.collect()
}

/// Counts of the cases.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    cases: u32,
    /// Cases that are deadlocked with the arbiters as they are, and those that other choices would
    /// have saved.
    deadlocked: u32,
    avoidable: u32,
    /// Cases that other choices would have deadlocked.
    lucky: u32,
    states: usize,
}

fn judge(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let mut run = vec![State::new(case)];
    while let Some(state) = run.last().filter(|state| !state.is_over()) {
        let next = state.stepped(&Vec::new());
        run.push(next);
    }
    let last = &run[run.len() - 1];
    let deadlocked = last.verdict()?;
    let (mut ends, mut wrong) = ([false; 2], None);
    explore(&run[0], &mut tally.states, |state| {
        if state.is_over() {
            match state.verdict() {
                Ok(deadlocked) => ends[usize::from(deadlocked)] = true,
                Err(why) => wrong = Some(why),
            }
        }
        wrong.is_some()
    })?;
    if let Some(why) = wrong {
        return Err(why);
    }
    if !ends[usize::from(deadlocked)] {
        return Err("the run that the arbiters chose is not among all runs".to_owned());
    }
    tally.cases += 1;
    tally.deadlocked += u32::from(deadlocked);
    tally.avoidable += u32::from(deadlocked && ends[0]);
    tally.lucky += u32::from(!deadlocked && ends[1]);
    let snapshot = last.engine.snapshot();
    let Some(found) = search(&snapshot) else { return Ok(()) };
    for state in &run {
        let early = search(&state.engine.snapshot());
        if let Some(early) = early.filter(|early| early.final_cycle != found.final_cycle) {
            return Err(format!("{early:?} is at last {found:?}"));
        }
    }
    let heads = Head::all(&found, &snapshot);
    let freed = |state: &State| {
        let now = state.engine.snapshot();
        heads.iter().any(|head| !head.waits(&now))
    };
    let at = found.final_cycle as usize;
    if explore(&run[at + 1], &mut tally.states, freed)? {
        return Err(format!("an order of grants from behind cycle {at} frees {found:?}"));
    }
    if !freed(&run[at]) && !explore(&run[at], &mut tally.states, freed)? {
        return Err(format!("no order of grants from cycle {at} on frees {found:?}, which was final before"));
    }
    Ok(())
}

/// Networks of two to four switches, and a 3x3 mesh.
fn topologies() -> impl Strategy<Value = Topology> {
    let mesh = |radices: &[u32]| Just(Topology::Mesh { radices: radices.to_vec() });
    let torus = |nodes| Just(Topology::Torus { radices: vec![nodes], datelines: false });
    let uni = |kind, switch_ports, stages| Just(Topology::UniMin { kind, switch_ports, stages });
    let bi = |switch_ports, stages| Just(Topology::BiMin { switch_ports, stages });
    prop_oneof![
        1 => (2..=4u32).prop_map(|nodes| Topology::Linear { nodes }),
        1 => mesh(&[2, 2]),
        2 => mesh(&[3, 3]),
        1 => torus(3),
        1 => torus(4),
        2 => uni(UniMinKind::Baseline, 2, 2),
        1 => uni(UniMinKind::Omega, 2, 2),
        1 => uni(UniMinKind::Butterfly, 4, 1),
        2 => bi(2, 2),
        1 => bi(4, 1),
    ]
}

/// Networks in which deadlocks are likely, with wires of one cycle. Then the registers are the
/// whole state.
fn small() -> impl Strategy<Value = Network> {
    (networks(topologies()), prop::bool::weighted(0.6)).prop_map(|(mut network, plain)| {
        let wire = Link::default();
        (network.link, network.node.injection_link, network.node.consumption_link) = (wire, wire, wire);
        (network.switch.virtual_channels, network.switch.crossbar_cycles) = (1, 0);
        network.switch.flit_bits = 64;
        // Arbiters have no choice among synchronous worms.
        not_synchronous(&mut network);
        if plain {
            network.switch.replication = Replication::Asynchronous;
            network.switch.acquisition = Acquisition::Incremental;
            (network.switch.dilation, network.node.consumption_channels) = (1, 1);
            (network.node.virtual_channels, network.token_ring) = (None, None);
        }
        network.switch.fifo_depth = match network.switch.replication {
            Replication::Sequential => 16,
            _ => network.switch.fifo_depth.min(4),
        };
        network.node.startup_cycles = 0;
        (network.node.injection_channels, network.node.consumption_channels) =
            (1, network.node.consumption_channels.min(2));
        fitting_span(&mut network);
        network
    })
}

/// Multicasts from different nodes. Those that the network's rules refuse are left out.
fn multicasts(network: &Network, picks: &[(u32, Vec<u32>, bool)], payload_flits: u32) -> Vec<NewWorm> {
    let (nodes, rules, mut sources) = (network.nodes(), WormRules::new(&built(network)), BTreeSet::new());
    let picks = picks.iter().filter(|(source, ..)| sources.insert(source % nodes));
    let all = picks.filter_map(|(source, picks, tree)| {
        let source = source % nodes;
        let mut seen = BTreeSet::from([source]);
        let mut destinations: Vec<u32> = picks.iter().map(|d| d % nodes).filter(|&d| seen.insert(d)).collect();
        let tree = *tree || network.stages().is_some();
        if tree {
            destinations.sort_unstable();
        }
        let encoding = Some(if tree { Encoding::BitString } else { Encoding::Multidestination });
        let message = Message { cycle: 0, source, destinations, encoding, class: None, payload_flits };
        let worm = || worm(0, source, &message.destinations, message.encoding.unwrap_or_default(), payload_flits);
        rules.check_message(&message).is_ok().then(worm)
    });
    all.collect()
}

/// Up to four worms that begin together.
pub(super) fn sets() -> impl Strategy<Value = Case> {
    let picks = vec((any::<u32>(), vec(any::<u32>(), 2..5), prop::bool::weighted(0.7)), 2..=4);
    let kinds = proptest::option::weighted(0.2, prop_oneof![Just(Kind::Any), Just(Kind::Multiport)]);
    let set = (small(), picks, drafts(4, 1), kinds, 6..=14u32);
    set.prop_filter_map("worms that may meet", |(network, picks, drafts, kind, payload)| {
        let mut worms = match kind {
            Some(kind) => worms(&network, &drafts, kind),
            None => multicasts(&network, &picks, payload),
        };
        // A worm of one flit would come and go between two looks.
        for worm in &mut worms {
            worm.payload_flits = payload;
        }
        (worms.len() > 1 && worms.iter().any(|w| w.destinations.len() > 1)).then_some((network, worms))
    })
}

/// The worms with all offsets in a window, the first of them in cycle 0.
fn offsets((network, worms): &Case) -> Vec<Case> {
    let window: u64 = [0, 0, 8, 4, 3][worms.len()];
    let all = (0..window.pow(worms.len() as u32)).map(|n| {
        let cycles: Vec<u64> = (0..worms.len() as u32).map(|i| n / window.pow(i) % window).collect();
        cycles
    });
    let all = all.filter(|cycles| cycles.contains(&0)).map(|cycles| {
        let at = worms.iter().zip(cycles).map(|(worm, cycle)| NewWorm { cycle, ..worm.clone() });
        (network.clone(), at.collect())
    });
    all.collect()
}

/// Cases of each test, at least: `default`, or as many as `EXHAUSTIVE_CASES` says.
fn cases(default: u32) -> u32 {
    std::env::var("EXHAUSTIVE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn judge_all(seed: u64, cases: u32) {
    let config = ProptestConfig { rng_seed: RngSeed::Fixed(seed), ..Default::default() };
    let (mut runner, mut tally, sets) = (TestRunner::new(config), Tally::default(), sets());
    for set in 0.. {
        if tally.cases >= cases {
            break;
        }
        let set_of_worms = sets.new_tree(&mut runner).expect("most sets have two worms").current();
        for case in offsets(&set_of_worms) {
            judge(&case, &mut tally).unwrap_or_else(|why| panic!("set {set}: {why}; {case:?}"));
        }
    }
    println!("{tally:?}");
    assert!(tally.deadlocked > cases / 50 && tally.avoidable > 0 && tally.lucky > 0, "{tally:?}");
}

#[test]
fn no_choice_of_arbiters_contradicts_the_detector() {
    judge_all(1990, cases(800));
}

#[test]
fn no_choice_of_arbiters_contradicts_the_detector_in_other_networks() {
    judge_all(1994, cases(800));
}
