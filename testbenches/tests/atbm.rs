//! Asynchronous tree-based multicasting [ATBM]: its deadlocks, and their cures.

use std::path::Path;

use wormscope::config;
use wormscope::engine::{Limits, NewWorm};
use wormscope::hw::{Acquisition, Arbiter, Encoding, HeaderTiming, Replication};
use wormscope::network::{Network, TokenRing, Topology, UniMinKind, header_flits};
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::{Arrivals, Script, engine};

/// End of an experiment in `configs/` under overrides.
fn outcome_of(name: &str, sets: &[&str]) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs").join(name);
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let loaded = config::load(&path, &sets).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&loaded, &Site::of(&loaded).unwrap()).unwrap();
    simulation.run(&mut (), |_| ()).unwrap()
}

/// Cycles of a multicast that is created in this cycle, with the parameters of section 5.2 under
/// overrides. It goes from node 0 to 32 of the 64 nodes of a BI-MIN of 8x8 switches.
fn worked(cycle: u64, payload_flits: u32, sets: &[&str]) -> u64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/papers/atbm/base/bi_alone.ron");
    let to: Vec<String> = (32..64).map(|node: u32| node.to_string()).collect();
    let multicast = format!(
        "workload=[multicast(cycle: {cycle}, source: 0, destinations: [{}], algorithm: \"atbm\", payload_flits: \
         {payload_flits})]",
        to.join(", ")
    );
    let mut all = vec!["network.topology=bi_min(switch_ports: 8, stages: 2)".to_owned(), multicast];
    all.extend(sets.iter().map(ToString::to_string));
    let loaded = config::load(&path, &all).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&loaded, &Site::of(&loaded).unwrap()).unwrap();
    let mut seen = Arrivals::default();
    assert_eq!(simulation.run(&mut seen, |_| ()).unwrap(), Outcome::Done);
    assert_eq!(seen.0.len(), 32);
    seen.0.iter().map(|delivery| delivery.tail).max().unwrap() - cycle
}

/// Section 5.2 adds up these times:
///
/// - start-up: 0.5 us;
/// - routing: 3 x 60 ns;
/// - token: 4 x 20 ns;
/// - transmission: (4 + 64) x 20 ns.
///
/// The sum is 2.12 us, which are 106 cycles of 20 ns.
#[test]
fn the_terms_of_the_worked_latency_of_section_5_2_are_those_of_the_hardware() {
    const PRINTED: [u64; 4] = [25, 3 * 3, 4, 4 + 64];
    assert_eq!(PRINTED.iter().sum::<u64>() * 20, 2120);
    let [start_up, routing, token, transmission] = PRINTED;
    let without =
        |payload_flits: u32, sets: &[&str]| worked(0, payload_flits, &[&["network.token_ring=None"], sets].concat());
    let alone = without(64, &[]);
    assert_eq!(alone - without(64, &["network.node.startup_cycles=0"]), start_up);
    // The three switches are one up, one at the turn and one down.
    assert_eq!(3 * (alone - without(64, &["network.switch.routing_cycles=2"])), routing);
    // A header for 64 nodes has four flits. This is three more than where one flit holds it all.
    let header = 1 + alone - without(64, &["network.switch.flit_bits=64"]);
    let payload = 64 * (alone - without(63, &[]));
    assert_eq!(header + payload, transmission);
    // The first flit crosses four links. The sum has one of them.
    assert_eq!(alone, start_up + routing + transmission + 3);
    // The token waits 0 to 7 cycles. Each of these occurs once over the phases of its ring of 8.
    // The mean is N_g / 2, counted from any moment within the cycle before.
    let mut waits: Vec<u64> = (0..8).map(|cycle| worked(cycle, 64, &[]) - alone).collect();
    waits.sort_unstable();
    assert_eq!(waits, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(waits.iter().sum::<u64>() + 8 / 2, 8 * token);
}

#[test]
fn each_remedy_removes_the_deadlocks_that_the_paper_says_it_does() {
    const FIGURES: [&str; 4] = ["fig6a", "fig6b", "fig6c", "fig7a"];
    const ONE: &str = "network.node.virtual_channels=1";
    // Overrides, and whether each of the figures ends well with them.
    let remedies: [(&[&str], [bool; 4]); 9] = [
        (&["network.clock_ns=1"], [false; 4]),
        (&["network.token_ring=(hop_cycles: 1)"], [true; 4]),
        (&["network.token_ring=(hop_cycles: 3)"], [true; 4]),
        // These lanes are in the last stage only.
        (&["network.node.consumption_channels=2"], [false, true, false, false]),
        // The channels are as many as the worms that come together. A node still takes one worm at
        // a time.
        (&["network.switch.virtual_channels=2", ONE], [true, false, true, false]),
        (&["network.switch.virtual_channels=4", ONE], [true, false, true, true]),
        (&["network.switch=(virtual_channels: 2, fifo_depth: 17, replication: buffered)"], [true; 4]),
        (&["network.switch=(fifo_depth: 17, replication: sequential)"], [true; 4]),
        // A switch does not see the grants of another.
        (&["network.switch.acquisition=atomic"], [true, true, false, false]),
    ];
    for (remedy, ends_well) in remedies {
        for (figure, ends_well) in FIGURES.into_iter().zip(ends_well) {
            let outcome = outcome_of(&format!("atbm_{figure}_deadlock.ron"), remedy);
            assert_eq!(outcome == Outcome::Done, ends_well, "{figure} with {remedy:?}: {outcome:?}");
            assert_eq!(matches!(outcome, Outcome::Deadlock(_)), !ends_well, "{figure} with {remedy:?}: {outcome:?}");
        }
    }
}

#[test]
fn the_figures_show_single_switch_and_multi_switch_deadlocks() {
    let switches = |name: &str| -> usize {
        let Outcome::Deadlock(found) = outcome_of(name, &[]) else { panic!("{name} is not deadlocked") };
        let at: std::collections::BTreeSet<_> = found.cycle.iter().map(|m| m.switch).collect();
        at.len()
    };
    assert_eq!(switches("atbm_fig6a_deadlock.ron"), 1);
    assert_eq!(switches("atbm_fig6b_deadlock.ron"), 1);
    assert_eq!(switches("atbm_fig6c_deadlock.ron"), 2);
    assert_eq!(switches("atbm_fig7a_deadlock.ron"), 2);
}

/// Random numbers for sets of multicasts; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % u64::from(n)) as u32
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

fn uni_min(kind: UniMinKind, switch_ports: u32, stages: u32) -> Topology {
    Topology::UniMin { kind, switch_ports, stages }
}

/// Networks of 8 and 16 nodes.
fn topologies() -> Vec<Topology> {
    let mut all = Vec::new();
    for (b, n) in [(2, 3), (2, 4), (4, 2)] {
        for kind in [UniMinKind::Baseline, UniMinKind::Butterfly, UniMinKind::Omega] {
            all.push(uni_min(kind, b, n));
        }
        all.push(Topology::BiMin { switch_ports: b, stages: n });
    }
    all.push(uni_min(UniMinKind::Baseline, 8, 1));
    all.push(Topology::BiMin { switch_ports: 8, stages: 1 });
    all
}

/// Multicasts from different nodes, and some unicasts, that begin at about the same time.
fn worms(random: &mut Random, nodes: u32) -> Vec<NewWorm> {
    let mut sources: Vec<u32> = (0..nodes).collect();
    let some = |random: &mut Random, pool: &mut Vec<u32>| pool.swap_remove(random.below(pool.len() as u32) as usize);
    let (most, within) = (random.pick(&[1, 4, 40]), random.pick(&[1, 6, 30]));
    (0..2 + random.below(nodes - 1))
        .map(|_| {
            let source = some(random, &mut sources);
            let mut others: Vec<u32> = (0..nodes).filter(|&d| d != source).collect();
            let mut destinations: Vec<u32> = (0..=random.below(nodes - 1)).map(|_| some(random, &mut others)).collect();
            destinations.sort_unstable();
            let (cycle, payload) = (random.below(within).into(), 1 + random.below(most));
            match destinations[..] {
                [one] => unicast(cycle, source, one, payload),
                _ => worm(cycle, source, &destinations, Encoding::BitString, payload),
            }
        })
        .collect()
}

/// All parameters that may matter to deadlocks, so that one alone keeps no network safe.
fn vary(random: &mut Random, network: &mut Network) {
    let switch = &mut network.switch;
    switch.flit_bits = random.pick(&[8, 64]);
    switch.routing_cycles = random.below(3);
    switch.allocation_cycles = random.below(2);
    switch.virtual_channels = random.pick(&[1, 1, 2]);
    switch.dilation = random.pick(&[1, 1, 1, 2]);
    switch.acquisition = random.pick(&[Acquisition::Incremental, Acquisition::Atomic]);
    switch.arbiter = random.pick(&Arbiter::ALL);
    switch.replication = random.pick(&[Replication::Asynchronous, Replication::Asynchronous, Replication::Buffered]);
    if switch.virtual_channels == 1 && random.below(4) == 0 {
        switch.replication = Replication::Lockstep;
    }
    if random.below(3) == 0 {
        switch.header_timing = HeaderTiming::Overlapped;
    }
    network.link.link_cycles = 1 + random.below(3);
    network.link.credit_cycles = 1 + random.below(2);
    network.node.consumption_channels = 1 + random.below(5);
    network.node.injection_channels = 1 + random.below(2);
    network.node.consumption_depth = [None, Some(1), Some(7)][random.below(3) as usize];
    let header = header_flits(network, Encoding::BitString, 2);
    network.switch.fifo_depth = header + random.below(5);
}

fn end(network: &Network, worms: &[NewWorm]) -> Outcome {
    wormscope::simulation::run(
        &mut engine(network),
        &mut Script::new(worms.to_vec()),
        &Limits::default(),
        &mut (),
        |_| (),
    )
    .expect("infallible")
}

/// Random sets, as many as `ATBM_SETS` says.
fn sets(default: u64) -> u64 {
    std::env::var("ATBM_SETS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn a_good_part_of_random_multicast_sets_deadlocks_and_none_with_the_token() {
    let topologies = topologies();
    let mut deadlocked = vec![(0, 0); topologies.len()];
    for seed in 0..sets(3_000) {
        let mut random = Random(seed);
        let which = random.below(topologies.len() as u32) as usize;
        let mut network = network(topologies[which].clone());
        network.switch.fifo_depth = 1 + random.below(6);
        let worms = worms(&mut random, network.nodes());
        let (of, all) = &mut deadlocked[which];
        *of += u32::from(matches!(end(&network, &worms), Outcome::Deadlock(_)));
        *all += 1;
        network.token_ring = Some(TokenRing { hop_cycles: 1 + random.below(3), ..TokenRing::default() });
        assert_eq!(end(&network, &worms), Outcome::Done, "seed {seed}: {network:?} {worms:?}");
    }
    for (topology, (of, all)) in topologies.iter().zip(&deadlocked) {
        println!("{of:5} of {all:5} sets deadlock without a remedy: {topology:?}");
        assert!(10 * of > *all);
    }
    let (of, all) = deadlocked.iter().fold((0, 0), |(of, all), network| (of + network.0, all + network.1));
    println!("{of:5} of {all:5} sets deadlock without a remedy, none of them with the token");
    assert!(4 * of > all);
}

#[test]
fn no_random_multicast_set_deadlocks_with_the_token_whatever_the_parameters() {
    let topologies = topologies();
    for seed in 0..sets(3_000) {
        let mut random = Random(!seed);
        let mut network = network(random.pick(&topologies.iter().collect::<Vec<_>>()).clone());
        vary(&mut random, &mut network);
        if network.input_lanes().max(network.output_lanes()) > 64 {
            continue;
        }
        network.token_ring = Some(TokenRing { hop_cycles: 1 + random.below(3), ..TokenRing::default() });
        let worms = worms(&mut random, network.nodes());
        assert_eq!(end(&network, &worms), Outcome::Done, "seed {seed}: {network:?} {worms:?}");
    }
}

#[test]
fn a_flood_of_multicasts_is_deadlocked_without_a_remedy_and_never_with_the_token() {
    for topology in topologies() {
        let mut network = network(topology);
        let flood = |network: &Network| -> Outcome {
            let mut random = Random(7);
            let mut crowd: Vec<_> = (0..40).flat_map(|_| worms(&mut random, network.nodes())).collect();
            crowd.iter_mut().enumerate().for_each(|(i, worm)| worm.cycle += i as u64);
            end(network, &crowd)
        };
        assert!(matches!(flood(&network), Outcome::Deadlock(_)), "{network:?}");
        network.token_ring = Some(TokenRing::default());
        assert_eq!(flood(&network), Outcome::Done, "{network:?}");
    }
}

#[test]
fn equal_tags_are_not_enough_in_every_self_routing_network() {
    // The switches of stage 0 lead to the pairs (0, 2), (0, 3), (1, 2), (1, 3) of switches of stage
    // 1. One worm branches in each of them, and each waits for the next at one of those four. By
    // Fig. 9, with b consumption channels each is a group of its own. Its token is always free.
    let identity: Vec<u32> = (0..8).collect();
    let pairs = vec![0, 5, 1, 6, 3, 4, 2, 7];
    let permutations = vec![identity.clone(), pairs, vec![0, 2, 1, 3, 4, 6, 5, 7], identity];
    let mut network = network(uni_min(UniMinKind::Custom { permutations }, 2, 3));
    network.node.consumption_channels = 2;
    assert!(!network.last_stage_blocks());
    let worms: Vec<_> = [0, 2, 6, 4].map(|n| worm(0, n, &[3, 7], Encoding::BitString, 16)).into();
    let Outcome::Deadlock(found) = end(&network, &worms) else { panic!("no deadlock") };
    let waiting: std::collections::BTreeSet<_> = found.cycle.iter().map(|m| (m.worm, m.switch)).collect();
    assert_eq!(waiting.len(), 4, "each worm at another switch: {found:?}");
    network.token_ring = Some(TokenRing::default());
    assert_eq!(end(&network, &worms), Outcome::Done);
}

#[test]
fn b_channels_are_too_few_where_worms_also_come_from_below() {
    // Multicasts to the nodes of switch 0 of a BI-MIN ask for their lanes in the same cycle. Four
    // come from above and four from these nodes. They branch nowhere else, and with b channels
    // [ATBM] has no token there. Crowds of unicasts before them move the pointers.
    const B: u32 = 4;
    let crowd = |random: &mut Random| -> Vec<NewWorm> {
        let before = (0..100).map(|_| unicast(random.below(100).into(), random.below(2 * B), random.below(B), 15));
        let mut worms: Vec<_> = before.collect();
        for source in 0..2 * B {
            let to: Vec<u32> = (0..B).filter(|&d| d != source).collect();
            // These worms have two switches more to pass than the others.
            let cycle = if source < B { 2_004 } else { 2_000 };
            worms.push(worm(cycle, source, &to, Encoding::BitString, 12));
        }
        worms
    };
    let deadlocks = |network: &Network| -> usize {
        let ends = (0..100).map(|seed| end(network, &crowd(&mut Random(seed))));
        ends.filter(|end| matches!(end, Outcome::Deadlock(found) if found.cycle.iter().all(|m| m.switch.0 == 0)))
            .count()
    };
    let mut network = network(Topology::BiMin { switch_ports: B, stages: 2 });
    network.node.consumption_channels = B;
    assert!(network.last_stage_blocks());
    let found = deadlocks(&network);
    println!("{found} of 100 sets deadlock in the last stage of a BI-MIN with b consumption channels");
    assert!(found > 10);
    network.node.consumption_channels = 2 * B;
    assert!(!network.last_stage_blocks());
    assert_eq!(deadlocks(&network), 0);
    network.node.consumption_channels = B;
    network.token_ring = Some(TokenRing::default());
    assert_eq!(deadlocks(&network), 0);
}
