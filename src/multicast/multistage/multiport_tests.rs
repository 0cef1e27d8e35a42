//! Tests of groups against a search over all products, and of phases against their count.

use proptest::prelude::*;
use rand_core::{RngCore as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::*;
use crate::{Parameters, find};
use wormscope_network::uni_min::Kind;
use wormscope_network::{BiMin, UniMin};

fn one_way(kind: Kind, ports: u8, stages: u32) -> Wiring {
    Wiring::new(UniMin::new(kind, ports, stages))
}

fn plan_by(algorithm: &str, wiring: &Wiring, nodes: &[NodeId]) -> Result<Plan, Refusal> {
    let parameters = Parameters::default();
    let request = Request { wiring, source: nodes[0], destinations: &nodes[1..], parameters: &parameters };
    find(algorithm).unwrap().plan(&request)
}

/// The groups that the three heuristics make.
fn worms(wiring: &Wiring, nodes: &[NodeId]) -> [usize; 3] {
    NAMES.map(|name| plan_by(name, wiring, nodes).unwrap().sends.len())
}

fn nodes(numbers: impl IntoIterator<Item = u32>) -> Vec<NodeId> {
    numbers.into_iter().map(NodeId).collect()
}

#[test]
fn a_product_is_one_worm_and_a_broadcast_one_for_each_subtree_beside_the_source() {
    let wiring = one_way(Kind::Baseline, 4, 3);
    // {1, 2} x {0, 2, 3} x {3} in base 4, from node 0.
    let product = [1, 2].into_iter().flat_map(|x| [0, 2, 3].map(|y| 16 * x + 4 * y + 3));
    assert_eq!(worms(&wiring, &nodes([0].into_iter().chain(product))), [1, 1, 1]);
    // All nodes but 000: its siblings 00*, then 0** without 00*, then the rest.
    assert_eq!(worms(&wiring, &nodes(0..64)), [3, 3, 3]);
    assert_eq!(worms(&Wiring::new(BiMin::new(4, 3)), &nodes(0..64)), [3, 3, 3]);
}

#[test]
fn groups_are_served_the_largest_first_by_whoever_has_the_message() {
    // In base 2, 1** is four nodes, 01* two, 001 one. The source serves the first group. In the
    // next step the source and node 4 serve the others.
    let plan = plan_by("multiport_g1", &one_way(Kind::Baseline, 2, 3), &nodes(0..8)).unwrap();
    let sends: Vec<_> = plan.sends.iter().map(|send| (send.step, send.from.0, send.to.len())).collect();
    assert_eq!(sends, [(0, 0, 4), (1, 0, 2), (1, 4, 1)]);
    assert!(plan.sends.iter().all(|send| send.encoding == Encoding::Multiport));
}

#[test]
fn a_butterfly_groups_by_the_digits_in_the_order_of_its_stages() {
    // The ports of a butterfly of 3 stages of base 2 are digits 1, 2, 0. All nodes with digit 1 set
    // are one product, for every stage of this digit.
    let set = nodes([0, 2, 3, 6, 7]);
    assert_eq!(worms(&one_way(Kind::Butterfly, 2, 3), &set), [1, 1, 1]);
    let stages = |wiring: &Wiring, node: u32| {
        let parameters = Parameters::default();
        let request = Request { wiring, source: NodeId(0), destinations: &[], parameters: &parameters };
        DownStages::of(&request, NAMES[0]).unwrap().singleton(NodeId(node))
    };
    // Node 6 is 110: ports 1, 1, 0 in the butterfly and in the baseline. Node 3, 011, is ports 1,
    // 0, 1 in the butterfly and 0, 1, 1 in the baseline.
    assert_eq!(stages(&one_way(Kind::Butterfly, 2, 3), 3), 0b10_01_10);
    assert_eq!(stages(&one_way(Kind::Baseline, 2, 3), 3), 0b10_10_01);
}

#[test]
fn worms_rise_with_the_destinations_and_fall_again_when_they_become_many() {
    let wiring = one_way(Kind::Baseline, 2, 6);
    let mut random = SplitMix64::seed_from_u64(1);
    let mut mean = |d: usize| {
        let mut total = 0;
        for _ in 0..20 {
            let mut order: Vec<u32> = (0..64).collect();
            for i in 0..=d {
                order.swap(i, i + (random.next_u64() % (64 - i as u64)) as usize);
            }
            total += worms(&wiring, &nodes(order.into_iter().take(d + 1)))[0];
        }
        total
    };
    let by_size = [1, 8, 32, 56, 63].map(&mut mean);
    assert!(by_size[0] < by_size[1] && by_size[1] < by_size[2], "{by_size:?}");
    assert!(by_size[2] > by_size[3] && by_size[3] > by_size[4], "{by_size:?}");
}

#[test]
fn g3_refuses_networks_with_too_many_products_by_their_number() {
    for (ports, stages, defined) in
        [(2, 10, true), (2, 11, false), (4, 4, true), (4, 5, false), (8, 2, true), (8, 3, false)]
    {
        let wiring = one_way(Kind::Omega, ports, stages);
        let plan = plan_by("multiport_g3", &wiring, &nodes([0, 1, 3]));
        assert_eq!(plan.is_ok(), defined, "{stages} stages of {ports}");
        if let Err(refusal) = plan {
            assert!(refusal.to_string().contains("needs a network of at most 100000 of them"), "{refusal}");
        }
    }
    assert!(plan_by("multiport_g3", &one_way(Kind::Omega, 64, 2), &nodes([0, 1])).is_err());
}

#[test]
fn g2_keeps_to_its_limit() {
    for (ports, stages) in [(2, 6), (2, 13), (8, 4), (3, 10)] {
        let wiring = one_way(Kind::Baseline, ports, stages);
        let parameters = Parameters::default();
        let request = Request { wiring: &wiring, source: NodeId(0), destinations: &[], parameters: &parameters };
        let all = wiring.nodes() as usize - 1;
        let orders = DownStages::of(&request, NAMES[1]).unwrap().orders(all);
        assert!((1..=720).contains(&orders));
        assert!(u64::from(orders) * all as u64 * u64::from(stages) <= MOST_MERGES, "{stages} stages of {ports}");
    }
}

proptest! {
    #[test]
    fn g3_begins_with_the_largest_product_there_is_and_g2_is_no_worse_than_g1(
        (ports, stages, members) in prop_oneof![Just((2u8, 3u32)), Just((2, 4)), Just((3, 2)), Just((4, 2))]
            .prop_flat_map(|(ports, stages)| {
                let nodes = u32::from(ports).pow(stages) as usize;
                (Just(ports), Just(stages), prop::collection::vec(any::<bool>(), nodes))
            })
    ) {
        let set: Vec<u32> = (0..).zip(&members).filter(|(_, member)| **member).map(|(node, _)| node).collect();
        prop_assume!(set.len() > 1);
        let wiring = one_way(Kind::Omega, ports, stages);
        let set = nodes(set);
        let [g1, g2, _] = worms(&wiring, &set);
        prop_assert!(g2 <= g1);
        let parameters = Parameters::default();
        let request = Request { wiring: &wiring, source: set[0], destinations: &set[1..], parameters: &parameters };
        let stages = DownStages::of(&request, NAMES[2]).unwrap();
        let singletons = products(&stages.singletons(&request));
        // Every word of as many bits is a product, if no mask is empty.
        let words = 0..1 << (u32::from(ports) * stages.count);
        let full = words.filter(|&word| stages.size(word) > 0);
        let within = full.filter(|&word| stages.members(word).iter().all(|member| singletons.contains(member)));
        let largest = within.map(|word| stages.size(word)).max().unwrap();
        prop_assert_eq!(stages.size(stages.largest(&singletons)), largest);
    }
}
