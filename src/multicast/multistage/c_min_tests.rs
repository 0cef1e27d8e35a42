//! Tests of the results of the search, and of its limits.

use rand_core::{RngCore as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use wormscope_hw::SwitchId;

use super::*;
use crate::model::contention;
use crate::{Parameters, Plan, find};
use wormscope_network::Wiring;
use wormscope_network::uni_min::Kind;

/// A source and d destinations of a network of n nodes.
fn random_set(n: u32, d: usize, random: &mut SplitMix64) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = (0..n).map(NodeId).collect();
    for i in 0..=d {
        nodes.swap(i, i + (random.next_u64() % (u64::from(n) - i as u64)) as usize);
    }
    nodes.truncate(d + 1);
    nodes
}

fn plan_by(algorithm: &str, wiring: &Wiring, nodes: &[NodeId]) -> Plan {
    let parameters = Parameters::default();
    let request = Request { wiring, source: nodes[0], destinations: &nodes[1..], parameters: &parameters };
    find(algorithm).unwrap().plan(&request).unwrap()
}

/// Pairs of worms that meet in a step.
fn meetings(algorithm: &str, wiring: &Wiring, nodes: &[NodeId]) -> usize {
    let plan = plan_by(algorithm, wiring, nodes);
    let Some(min) = wiring.uni_min() else { panic!("not one-way") };
    let next =
        |switch: SwitchId, node: NodeId| (wiring.consumption(node).0 != switch).then(|| PortId(min.tag(switch, node)));
    contention::by_step(&plan, &contention::channels(wiring, &plan, next).unwrap()).pairs.len()
}

#[test]
fn steps_are_as_few_as_can_be() {
    let mut random = SplitMix64::seed_from_u64(1);
    let wiring = Wiring::new(UniMin::new(Kind::Baseline, 4, 2));
    for d in 1..16 {
        let plan = plan_by(NAME, &wiring, &random_set(16, d, &mut random));
        assert_eq!(plan.steps(), (d as u32 + 1).next_power_of_two().ilog2(), "{d} destinations");
    }
}

#[test]
fn omega_and_butterfly_of_64_nodes_are_free_of_contention_and_a_baseline_nearly() {
    let mut random = SplitMix64::seed_from_u64(2);
    let mut total = |kind: Kind, (switch_ports, stages): (u8, u32), d: usize| {
        let wiring = Wiring::new(UniMin::new(kind, switch_ports, stages));
        let (mut found, mut sorted) = (0, 0);
        for _ in 0..10 {
            let nodes = random_set(64, d, &mut random);
            let (here, plain) = (meetings(NAME, &wiring, &nodes), meetings("sorted_binomial", &wiring, &nodes));
            (found, sorted) = (found + here, sorted + plain);
        }
        println!("{kind:?}, {switch_ports} ports, {d} destinations: {found} meetings in 10 sets, sorted {sorted}");
        (found, sorted)
    };
    for d in [8, 32] {
        for size in [(2, 6), (4, 3), (8, 2)] {
            assert_eq!(total(Kind::Omega, size, d).0, 0);
        }
        assert_eq!(total(Kind::Butterfly, (2, 6), d).0, 0);
    }
    assert_eq!(total(Kind::Baseline, (2, 6), 8).0, 0);
    let (found, sorted) = total(Kind::Baseline, (2, 6), 32);
    assert!(0 < found && 4 * found < sorted, "{found} of {sorted}");
}

#[test]
fn the_search_counts_what_the_contention_check_finds() {
    let mut random = SplitMix64::seed_from_u64(3);
    let min = UniMin::new(Kind::Baseline, 2, 4);
    let wiring = Wiring::new(min.clone());
    let parameters = Parameters::default();
    for d in 1..16 {
        let nodes = random_set(16, d, &mut random);
        let request = Request { wiring: &wiring, source: nodes[0], destinations: &nodes[1..], parameters: &parameters };
        let mut search = OrderSearch::new(&min, &request);
        let best = search.best();
        let free = meetings(NAME, &wiring, &nodes) == 0;
        assert_eq!(search.conflicts(&best, usize::MAX) == 0, free, "{nodes:?}");
    }
}

#[test]
fn the_search_keeps_to_its_limits() {
    let parameters = Parameters::default();
    for (ports, stages) in [(2, 1), (2, 6), (2, 12), (8, 4), (2, 16)] {
        let min = UniMin::new(Kind::Baseline, ports, stages);
        let wiring = Wiring::new(min.clone());
        let destinations: Vec<NodeId> = (1..min.nodes()).map(NodeId).collect();
        let request =
            Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
        let candidates = OrderSearch::new(&min, &request).size();
        assert!((1..=MOST_CANDIDATES).contains(&candidates));
        let channels = u64::from(candidates) * destinations.len() as u64 * u64::from(stages);
        assert!(channels <= MOST_CHANNELS, "{ports}, {stages}: {channels}");
    }
}
