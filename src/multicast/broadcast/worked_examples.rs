//! The schedules that \[SEIDEL\] draws, send by send.

use std::collections::BTreeSet;

use wormscope_hw::NodeId;

use super::{bst, rh, st};
use crate::Plan;
use wormscope_network::Grid;

fn line(nodes: u32) -> Grid {
    Grid::new(vec![nodes], false)
}

/// The sends of a step of a plan of unicasts, in the order of the senders.
fn step(plan: &Plan, step: u32) -> Vec<(u32, u32)> {
    let mut sends: Vec<_> =
        plan.sends.iter().filter(|send| send.step == step).map(|send| (send.from.0, send.to[0].0)).collect();
    sends.sort_unstable();
    sends
}

/// Pieces that each node has in front of a step.
fn held(plan: &Plan, nodes: u32, before: u32) -> Vec<BTreeSet<u32>> {
    let mut held = vec![BTreeSet::new(); nodes as usize];
    held[plan.source.0 as usize].extend(0..plan.pieces);
    for send in plan.sends.iter().filter(|send| send.step < before) {
        held[send.to[0].0 as usize].extend(send.pieces.iter().cloned().flatten());
    }
    held
}

#[test]
fn figure_13_is_the_spanning_tree_of_root_5() {
    let plan = st::as_printed(&line(8), NodeId(5), 0).unwrap();
    assert_eq!(step(&plan, 0), [(5, 1)]);
    assert_eq!(step(&plan, 1), [(1, 3), (5, 7)]);
    assert_eq!(step(&plan, 2), [(1, 0), (3, 2), (5, 4), (7, 6)]);
    assert_eq!(plan.sends.len(), 7);
}

#[test]
fn figure_3_distributes_on_even_nodes_after_the_first_step_and_ends_with_an_exchange() {
    let plan = st::as_printed(&line(8), NodeId(0), 1).unwrap();
    assert_eq!(step(&plan, 0), [(0, 1)]);
    assert_eq!(step(&plan, 1), [(0, 4), (1, 5)]);
    assert_eq!(step(&plan, 2), [(0, 2), (1, 3), (4, 6), (5, 7)]);
    assert_eq!(step(&plan, 3), [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 7), (7, 6)]);
}

#[test]
fn section_4_1_all_messages_of_a_step_go_equally_far_in_one_direction_from_senders_farther_apart() {
    for d in 1..=7 {
        for root in 0..1 << d {
            let plan = st::as_printed(&line(1 << d), NodeId(root), 0).unwrap();
            for i in 1..=d {
                let sends = step(&plan, i - 1);
                let (distance, right) = (1 << (d - i), sends[0].1 > sends[0].0);
                assert_eq!(sends.len(), 1 << (i - 1), "every holder sends");
                assert!(sends.iter().all(|(from, to)| from.abs_diff(*to) == distance && (to > from) == right));
                assert!(sends.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 2 * distance), "root {root}, step {i}");
            }
        }
    }
}

#[test]
fn figure_14_sends_half_to_the_complement_and_the_halves_grow_against_each_other() {
    for d in 2..=6_u32 {
        for root in 0..1 << d {
            let plan = bst::as_printed(&line(1 << d), NodeId(root), 0).unwrap();
            assert_eq!((plan.pieces, step(&plan, 0)), (2, vec![(root, !root & ((1 << d) - 1))]));
            let half = plan.sends[0].pieces[0].start;
            // Two spanning trees of half the nodes each, then everybody swaps halves.
            for i in 1..d {
                let of = |piece: u32| -> Vec<(u32, u32)> {
                    let has = plan.sends.iter().filter(|send| send.step == i && send.pieces[0].contains(&piece));
                    has.map(|send| (send.from.0, send.to[0].0)).collect()
                };
                let directions = [half, 1 - half].map(|piece| {
                    let right: BTreeSet<bool> = of(piece).iter().map(|(from, to)| to > from).collect();
                    assert_eq!((of(piece).len(), right.len()), (1 << (i - 1), 1), "one direction a half");
                    right.contains(&true)
                });
                assert_ne!(directions[0], directions[1], "root {root}, step {i}");
            }
            let whole = held(&plan, 1 << d, d);
            assert!(whole.iter().all(|has| !has.is_empty()), "a half is everywhere after d steps");
        }
    }
    // Root 5 of 8 nodes: 101 to 010.
    assert_eq!(step(&bst::as_printed(&line(8), NodeId(5), 0).unwrap(), 0), [(5, 2)]);
}

#[test]
fn figure_10_every_block_of_four_has_packets_01_23_45_and_67() {
    let grid = Grid::new(vec![8, 8], false);
    let plan = bst::as_printed(&grid, NodeId(0), 0).unwrap();
    assert_eq!(plan.pieces, 8);
    // The last two steps put the packets of a block together.
    let steps = plan.sends.iter().map(|send| send.step + 1).max().unwrap();
    let held = held(&plan, 64, steps - 2);
    for (node, held) in held.iter().enumerate().skip(1) {
        let (row, column) = (node / 8, node % 8);
        let first = (4 * (row % 2) + 2 * (column % 2)) as u32;
        assert!(held.contains(&first) && held.contains(&(first + 1)), "node {node} has {held:?}");
    }
}

#[test]
fn figure_11_exchanges_all_of_a_half_with_the_other_in_step_4() {
    // Section 5.1: were nodes 5 to 7 virtual, node 4 would exchange with nodes 0 to 3 at once.
    let plan = rh::as_printed(&line(8), NodeId(0)).unwrap();
    assert_eq!(step(&plan, 3), [(0, 4), (1, 5), (2, 6), (3, 7), (4, 0), (5, 1), (6, 2), (7, 3)]);
}

#[test]
fn figure_15_the_first_odd_nodes_of_11_are_companions() {
    for plan in [st::as_printed(&line(11), NodeId(0), 0), rh::as_printed(&line(11), NodeId(0))] {
        let plan = plan.unwrap();
        let last = plan.sends.iter().map(|send| send.step).max().unwrap();
        assert_eq!(step(&plan, last), [(0, 1), (2, 3), (4, 5)], "11 - 8 of them");
        let earlier: BTreeSet<u32> = (0..last).flat_map(|n| step(&plan, n)).flat_map(|(from, to)| [from, to]).collect();
        assert_eq!(earlier, BTreeSet::from([0, 2, 4, 6, 7, 8, 9, 10]), "the full-sized ones");
    }
}
