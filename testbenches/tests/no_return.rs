//! The point of no return, held against arbiters that choose at random. After it they never avoid a
//! deadlock.

use std::path::Path;

use proptest::prelude::*;
use wormscope::config;
use wormscope::engine::arbitration::ArbiterRef;
use wormscope::engine::snapshot::LaneRef;
use wormscope::engine::{Engine, Limits, NewWorm};
use wormscope::explain::no_return::{Bounds, NoReturn, find};
use wormscope::hw::{Acquisition, Arbiter, Encoding, LaneChoice, NodeId, Replication, SwitchId, arbiter};
use wormscope::network::{Network, Topology, UniMinKind};
use wormscope::simulation::Outcome;
use wormscope::workload::Stimulus;
use wormscope_testbenches::drive::{network, unicast};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, topologies, worms};
use wormscope_testbenches::{Script, drive, engine, step};

/// Random numbers; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % u64::from(n)) as u32
    }
}

/// A network and the worms sent through it.
struct Case {
    network: Network,
    worms: Vec<NewWorm>,
}

impl Case {
    fn of(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs").join(file);
        let loaded = config::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut stimulus = Stimulus::load(&loaded).expect("a stimulus");
        let mut worms = Vec::new();
        while let Some(worm) = stimulus.pop(u64::MAX).expect("messages") {
            worms.push(worm);
        }
        Self { network: loaded.experiment.network, worms }
    }

    /// The cycle from which the run by itself is deadlocked for good.
    fn final_cycle(&self) -> Option<u64> {
        let mut script = Script::new(self.worms.clone());
        let limits = Limits { max_cycles: 100_000, ..Limits::default() };
        match wormscope::simulation::run(&mut engine(&self.network), &mut script, &limits, &mut (), |_| ())
            .expect("infallible")
        {
            Outcome::Deadlock(found) => Some(found.final_cycle),
            _ => None,
        }
    }

    fn no_return(&self, final_cycle: u64, bounds: Bounds) -> NoReturn {
        let ordered = Script::new(self.worms.clone());
        find(engine(&self.network), self.network.switches(), 1 << 10, ordered.worms(), final_cycle, bounds, &mut || {
            true
        })
    }

    /// Whether all worms arrive when the arbiters choose at random behind cycle `behind`.
    fn arrives(&self, behind: Option<u64>, random: &mut Random) -> bool {
        let mut engine = engine(&self.network);
        let mut script = Script::new(self.worms.clone());
        let wiring = drive::wiring(&self.network);
        while script.next_cycle().is_some() || engine.worms_alive() > 0 {
            if script.next_cycle().is_none() && engine.next_event().is_none() {
                return false;
            }
            if behind.is_none_or(|behind| engine.now() > behind) {
                shuffle(&mut engine, &self.network, wiring.switches(), random);
            }
            step(&mut engine, &mut script, &mut ());
        }
        true
    }
}

/// Whether arbiters of lanes grant, of two that ask, one in some states and the other in others.
fn has_choices(network: &Network) -> bool {
    let asked = arbiter::In { requests: 0b11, inputs: 2 };
    network.switch.arbiter.could_grant(asked, &|input| input.into()) == asked.requests
}

/// Imposes random choices on all arbiters that have one.
fn shuffle(engine: &mut Engine, network: &Network, switches: u32, random: &mut Random) {
    let lanes = network.lanes(&drive::wiring(network));
    let (inputs, outputs) = (lanes.inputs.count(), lanes.outputs.count());
    for switch in (0..switches).map(SwitchId) {
        let mut input = || random.below(inputs.into()) as u8;
        for lane in (0..outputs).filter(|_| has_choices(network)) {
            engine.impose(ArbiterRef::Lane(LaneRef { switch, lane }), input());
        }
        engine.impose(ArbiterRef::Token(switch), input());
    }
}

/// Random plays after the point of no return all end in a deadlock. Where there is a way out, some
/// play from the start takes it.
fn check(case: &Case, found: &NoReturn, final_cycle: u64, plays: u64) {
    assert!(found.cycle <= final_cycle, "{found:?}");
    let from = match &found.way_out {
        // The run has no choice at all.
        None if found.exact => found.cycle.checked_sub(1),
        way => {
            assert!(way.as_ref().is_none_or(|way| way.cycle == found.cycle));
            Some(found.cycle)
        }
    };
    for seed in 0..plays {
        assert!(
            !case.arrives(from, &mut Random(seed)),
            "seed {seed} avoids it: {found:?} {:?} {:?}",
            case.network,
            case.worms
        );
    }
}

#[test]
fn no_play_of_the_arbiters_avoids_a_deadlock_of_the_figures_behind_its_point_of_no_return() {
    for (file, cycle, done) in [
        ("atbm_fig6a_deadlock.ron", 12, Some(52)),
        ("atbm_fig6b_deadlock.ron", 26, Some(61)),
        ("atbm_fig6c_deadlock.ron", 24, Some(62)),
        ("mesh_3x3_tree_deadlock.ron", 0, None),
        ("torus_ring_deadlock.ron", 0, None),
    ] {
        let case = Case::of(file);
        let final_cycle = case.final_cycle().expect("a deadlock");
        let found = case.no_return(final_cycle, Bounds::default());
        assert_eq!(
            (found.cycle, found.way_out.as_ref().map(|way| way.done), found.exact),
            (cycle, done, true),
            "{file}"
        );
        check(&case, &found, final_cycle, 100);
        let some = (0..100).any(|seed| case.arrives(None, &mut Random(seed)));
        assert_eq!(some, done.is_some(), "{file}");
    }
}

#[test]
fn a_way_out_that_is_taken_ends_as_it_says() {
    let case = Case::of("atbm_fig7a_deadlock.ron");
    let final_cycle = case.final_cycle().expect("a deadlock");
    let found = case.no_return(final_cycle, Bounds::default());
    check(&case, &found, final_cycle, 100);
    let way = found.way_out.expect("a way out");
    assert!(way.choices.iter().all(|(_, chosen, instead)| chosen.is_some() && instead.is_some() && chosen != instead));
}

#[test]
fn a_bound_makes_the_point_of_no_return_later_or_leaves_it() {
    let case = Case::of("atbm_fig7a_deadlock.ron");
    let final_cycle = case.final_cycle().expect("a deadlock");
    let exact = case.no_return(final_cycle, Bounds::default());
    for evaluations in [0, 100, 1_000, 10_000] {
        let found = case.no_return(final_cycle, Bounds { evaluations, ..Bounds::default() });
        assert!(found.cycle >= exact.cycle && (found.exact || found.way_out.is_none()), "{evaluations}: {found:?}");
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn behind_the_point_of_no_return_random_arbiters_never_avoid_a_deadlock(
        (network, drafts) in (networks(topologies()), drafts(12, 30)),
    ) {
        let worms = worms(&network, &drafts, Kind::Any);
        let case = Case { network, worms };
        if let Some(final_cycle) = case.final_cycle() {
            let found = case.no_return(final_cycle, Bounds { evaluations: 200_000, ..Bounds::default() });
            check(&case, &found, final_cycle, 10);
        }
    }
}

/// Imposes all other choices of arbiters, in every cycle of a run, on copies of the engine. The
/// arbiters then make these choices.
fn impose_all_others(network: &Network, worms: Vec<NewWorm>) -> Result<(), TestCaseError> {
    let (mut engine, mut script) = (engine(network), Script::new(worms));
    while engine.now() < 150 {
        while let Some(worm) = script.due(engine.now()) {
            engine.create(&worm, true, &mut ());
        }
        let before = engine.clone();
        engine.cycle(&mut ());
        for contest in engine.contests(&before) {
            let token = matches!(contest.chosen[0].0, ArbiterRef::Token(_));
            prop_assert_eq!(contest.others.is_empty(), !token && !has_choices(network), "{:?}", contest);
            for other in contest.others {
                let mut fork = before.clone();
                for &(arbiter, input) in &other {
                    fork.impose(arbiter, input);
                }
                let imposed = fork.clone();
                fork.cycle(&mut ());
                let chosen = fork.contests(&imposed).into_iter().find(|c| c.chosen[0].0 == other[0].0);
                prop_assert_eq!(chosen.map(|c| (c.chosen, c.inputs)), Some((other, contest.inputs.clone())));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn what_is_imposed_on_arbiters_is_what_they_choose(
        (network, drafts) in (networks(topologies()), drafts(16, 20)),
    ) {
        impose_all_others(&network, worms(&network, &drafts, Kind::Any))?;
    }
}

#[test]
fn a_group_that_grants_its_upper_lane_first_has_no_other_order() {
    let mut network = network(Topology::Linear { nodes: 2 });
    let switch = &mut network.switch;
    (switch.dilation, switch.arbiter, switch.lane_choice) = (2, Arbiter::OldestFirst, LaneChoice::RoundRobin);
    network.node.injection_channels = 2;
    // The first worm moves the pointer of the group to the upper lane. The other two ask at once.
    let worms = vec![unicast(0, 0, 1, 3), unicast(20, 0, 1, 3), unicast(20, 0, 1, 3)];
    impose_all_others(&network, worms).unwrap();
}

#[test]
fn a_sequential_worm_of_one_flit_that_has_passed_a_lane_asks_for_the_next_a_cycle_later() {
    let mut network = network(Topology::BiMin { switch_ports: 7, stages: 1 });
    network.switch.replication = Replication::Sequential;
    // When its mask is stripped, one flit is left. It passes where it wins.
    let destinations = [3, 5].into_iter().map(NodeId).collect();
    let tree = NewWorm { destinations, encoding: Encoding::Multiport, ..unicast(4, 1, 3, 1) };
    for cycle in 0..10 {
        impose_all_others(&network, vec![unicast(cycle, 2, 5, 1), tree.clone()]).unwrap();
    }
}

#[test]
fn an_allocator_chose_where_a_worm_of_one_flit_won_and_has_passed() {
    let mut network = network(Topology::UniMin { kind: UniMinKind::Baseline, switch_ports: 2, stages: 1 });
    network.switch.acquisition = Acquisition::Atomic;
    // When its mask is stripped, one flit is left.
    let worm = |source| NewWorm { encoding: Encoding::Multiport, ..unicast(0, source, 0, 1) };
    let (mut engine, mut script) = (engine(&network), Script::new(vec![worm(0), worm(1)]));
    let mut contests = Vec::new();
    while script.next_cycle().is_some() || engine.next_event().is_some() {
        let before = engine.clone();
        step(&mut engine, &mut script, &mut ());
        contests.extend(engine.contests(&before));
    }
    let inputs: Vec<_> = contests.into_iter().map(|contest| (contest.chosen[0].1, contest.inputs)).collect();
    assert_eq!(inputs, [(0, vec![0, 1])]);
}

#[test]
fn whose_turn_it_is_on_a_link_is_part_of_a_state_and_whose_it_is_at_an_arbiter_is_not() {
    let mut network = network(Topology::Linear { nodes: 2 });
    (network.switch.virtual_channels, network.node.virtual_channels) = (2, Some(1));
    let behind = |worms: Vec<NewWorm>| {
        let (mut engine, mut script) = (engine(&network), Script::new(worms));
        while script.next_cycle().is_some() || engine.next_event().is_some() {
            step(&mut engine, &mut script, &mut ());
        }
        engine.skip_to(100);
        engine
    };
    let (fresh, used) = (behind(Vec::new()), behind(vec![unicast(0, 0, 1, 3)]));
    let states = [&fresh, &used].map(|engine| engine.registers().without_pointers());
    assert_ne!(states[0], states[1], "the other channel is next");
    assert_ne!(fresh.fingerprint(), used.fingerprint());
    let all_else = states.map(|mut state| {
        state.outputs.iter_mut().for_each(|output| output.multiplexer = 0);
        state
    });
    assert_eq!(all_else[0], all_else[1]);
    let [fresh, used] = [fresh, used].map(|engine| engine.registers().outputs);
    assert!(fresh.iter().zip(&used).any(|(fresh, used)| fresh.pointer != used.pointer), "an arbiter has turned");
}
