//! Tests of the schedules that \[SEIDEL\] draws, send by send.

use std::collections::BTreeSet;

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, complete};
use super::cube::{Cube, Fit};
use super::tests::{Algorithm, asked, ran};
use super::{bst, rh, st};
use crate::Plan;
use wormscope_network::Grid;

fn line(nodes: u32) -> Grid {
    Grid::new(vec![nodes], false)
}

/// Row and column of a node of 8 x 8.
fn place(node: u32) -> (u32, u32) {
    (node / 8, node % 8)
}

/// Whether all sends of a step on 8 x 8 nodes go along a column; if not, along a row.
fn is_along_columns(sends: &[(u32, u32)]) -> bool {
    let along: BTreeSet<bool> = sends.iter().map(|(from, to)| place(*from).1 == place(*to).1).collect();
    assert_eq!(along.len(), 1, "{sends:?}");
    for (from, to) in sends {
        assert!(place(*from).1 == place(*to).1 || place(*from).0 == place(*to).0, "{from} to {to}");
    }
    along.contains(&true)
}

/// The broadcast of five phases from the corner of 8 x 8, as printed.
fn five_phases(nu: u32) -> Plan {
    let grid = Grid::new(vec![8, 8], false);
    complete(st::five_phases(Cube::new(&grid, NodeId(0), Fit::Companions), nu), CompanionScheme::SpanningTree)
}

/// The sends of a step of a plan of unicasts, in the order of the senders.
fn step(plan: &Plan, step: u32) -> Vec<(u32, u32)> {
    let mut sends: Vec<_> =
        plan.sends.iter().filter(|send| send.step == step).map(|send| (send.from.0, send.to[0].0)).collect();
    sends.sort_unstable();
    sends
}

/// Pieces that each node has before a step.
fn held(plan: &Plan, nodes: u32, before: u32) -> Vec<BTreeSet<u32>> {
    let mut held = vec![BTreeSet::new(); nodes as usize];
    held[plan.source.0 as usize].extend(0..plan.pieces);
    for send in plan.sends.iter().filter(|send| send.step < before) {
        held[send.to[0].0 as usize].extend(send.pieces.iter().cloned().flatten());
    }
    held
}

#[test]
fn figure_1_every_node_sends_to_those_with_one_of_its_trailing_zeros_complemented() {
    let plan = st::as_printed(&line(8), NodeId(0), 0).unwrap();
    assert_eq!(step(&plan, 0), [(0, 4)]);
    assert_eq!(step(&plan, 1), [(0, 2), (4, 6)]);
    assert_eq!(step(&plan, 2), [(0, 1), (2, 3), (4, 5), (6, 7)]);
    // "exclusive OR the node number of each node in the tree with the node number of the new root".
    for (d, root) in (1..=6_u32).flat_map(|d| (0..1 << d).map(move |root| (d, root))) {
        let plan = st::as_printed(&line(1 << d), NodeId(root), 0).unwrap();
        let arcs: BTreeSet<(u32, u32)> = plan.sends.iter().map(|send| (send.from.0, send.to[0].0)).collect();
        let zeros = |i: u32| i.trailing_zeros().min(d);
        let children = (0..1 << d).flat_map(|i| (0..zeros(i)).map(move |bit| (i ^ root, i ^ 1 << bit ^ root)));
        assert_eq!(arcs, children.collect(), "2^{d} nodes, root {root}");
    }
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
fn figure_4_goes_down_the_leftmost_column_and_then_along_the_rows() {
    let plan = five_phases(0);
    for (n, sends) in (0..6).map(|n| (n, step(&plan, n))) {
        assert_eq!((sends.len(), is_along_columns(&sends)), (1 << n, n < 3), "step {n}");
        assert!(n > 2 || sends.iter().all(|(from, _)| place(*from).1 == 0), "the leftmost");
    }
    assert_eq!(plan.sends.len(), 63);
}

#[test]
fn figure_5_copies_over_four_quarter_meshes_red_down_first_and_black_across() {
    let plan = st::as_printed(&Grid::new(vec![8, 8], false), NodeId(0), 0).unwrap();
    assert_eq!(plan.pieces, 4);
    let within_corner =
        |n| step(&plan, n).iter().all(|(from, to)| [*from, *to].iter().all(|of| [0, 1, 8, 9].contains(of)));
    assert!(within_corner(0) && within_corner(1));
    for n in 2..6 {
        let sends = step(&plan, n);
        assert_eq!(sends.len(), 4 << (n - 2));
        for (from, to) in sends {
            let ((row, column), (there, across)) = (place(from), place(to));
            assert_eq!((row % 2, column % 2), (there % 2, across % 2), "within a quarter mesh");
            let is_red = (row + column) % 2 == 0;
            assert_eq!(column == across, is_red == (n < 4), "step {n}, {from} to {to}");
        }
    }
    for n in 6..8 {
        let swaps = step(&plan, n);
        assert_eq!(swaps.len(), 64);
        assert!(swaps.iter().all(|(from, to)| swaps.contains(&(*to, *from))), "pairs exchange");
        let is_near = |from, to| place(from).0.abs_diff(place(to).0) + place(from).1.abs_diff(place(to).1) == 1;
        assert!(swaps.iter().all(|(from, to)| is_near(*from, *to)), "neighbours");
    }
    assert_eq!(plan.sends.iter().map(|send| send.step).max(), Some(7));
}

#[test]
fn figure_6_has_phases_of_1_2_1_2_and_2_steps() {
    let plan = five_phases(1);
    assert_eq!(plan.pieces, 4);
    let along: Vec<bool> = (0..8).map(|n| is_along_columns(&step(&plan, n))).collect();
    assert_eq!(along[..6], [true, true, true, false, false, false]);
    assert_ne!(along[6], along[7], "the exchange of blocks");
    assert_eq!(step(&plan, 0), [(0, 8)]);
    assert_eq!((step(&plan, 1), step(&plan, 2).len()), (vec![(0, 32), (8, 40)], 4));
    assert_eq!(step(&plan, 3), (0..64).step_by(8).map(|node| (node, node + 1)).collect::<Vec<_>>());
    assert_eq!([4, 5, 6, 7].map(|n| step(&plan, n).len()), [16, 32, 64, 64]);
}

#[test]
fn figure_7_one_half_stays_on_even_nodes_and_the_other_on_odd_ones_until_neighbours_swap() {
    let plan = bst::as_printed(&line(8), NodeId(0), 0).unwrap();
    assert_eq!(step(&plan, 0), [(0, 7)]);
    assert_eq!(step(&plan, 1), [(0, 4), (7, 3)]);
    assert_eq!(step(&plan, 2), [(0, 2), (3, 1), (4, 6), (7, 5)]);
    assert_eq!(step(&plan, 3), [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 7), (7, 6)]);
    for d in 2..=6 {
        let plan = bst::as_printed(&line(1 << d), NodeId(0), 0).unwrap();
        for (from, to) in (1..d).flat_map(|n| step(&plan, n)) {
            assert!(from % 2 == to % 2 && (to > from) == (from % 2 == 0), "2^{d} nodes, {from} to {to}");
        }
    }
}

#[test]
fn figure_8_broadcasts_halves_over_even_and_odd_nodes_and_ends_with_an_exchange() {
    let plan = bst::as_printed(&line(8), NodeId(0), 1).unwrap();
    assert_eq!(step(&plan, 0), [(0, 1)]);
    // The four nodes follow Fig. 14: to the complement, then two trees in opposite directions, then
    // a swap.
    assert_eq!(step(&plan, 1), [(0, 6), (1, 7)]);
    assert_eq!(step(&plan, 2), [(0, 4), (1, 5), (6, 2), (7, 3)]);
    assert_eq!(step(&plan, 3), [(0, 2), (1, 3), (2, 0), (3, 1), (4, 6), (5, 7), (6, 4), (7, 5)]);
    assert_eq!(step(&plan, 4), [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 7), (7, 6)]);
    assert_eq!(plan.sends.iter().map(|send| send.step).max(), Some(4));
}

#[test]
fn figure_9_distributes_to_opposite_corners_copies_over_eight_trees_and_exchanges_in_blocks() {
    let grid = Grid::new(vec![8, 8], false);
    let plan = bst::as_printed(&grid, NodeId(0), 0).unwrap();
    // "two square blocks of 4 nodes each at opposite corners of the mesh".
    assert_eq!((plan.pieces, step(&plan, 0), step(&plan, 1)), (8, vec![(0, 63)], vec![(0, 8), (63, 55)]));
    assert_eq!(step(&plan, 2), [(0, 1), (8, 9), (55, 54), (63, 62)]);
    // The costs are 7/8 ma + 3b; 2 (max(d1, d2) - 1) (ma / 8 + b); 3/4 ma + 2b.
    let longest: Vec<u32> = ran(&grid, &plan).steps.iter().map(|step| step.longest).collect();
    assert_eq!(longest, [4, 2, 1, 1, 1, 1, 1, 2, 4]);
    let copying = plan.sends.iter().filter(|send| send.step == 3).map(|send| (send.from.0, send.pieces[0].start));
    let corners = [(0, 0), (1, 2), (8, 4), (9, 6), (54, 1), (55, 3), (62, 5), (63, 7)];
    assert_eq!(copying.collect::<BTreeSet<_>>(), BTreeSet::from(corners), "each with its packet");
    for send in plan.sends.iter().filter(|send| (3..7).contains(&send.step)) {
        let (packet, [(row, column), (there, across)]) =
            (send.pieces[0].start, [send.from, send.to[0]].map(|node| place(node.0)));
        // Two trees in each of the four interleaved meshes, as in Fig. 10.
        for (row, column) in [(row, column), (there, across)] {
            assert_eq!((row % 2, column % 2), (packet / 4, packet / 2 % 2), "packet {packet}");
        }
        // The trees go away from their corners, red down first and black across first, as in Fig.
        // 5.
        assert_eq!(there + across > row + column, packet % 2 == 0, "packet {packet}");
        assert_eq!(column == across, ((row + column) % 2 == 0) == (send.step < 5), "packet {packet}");
    }
    assert_eq!([3, 4, 5, 6].map(|n| step(&plan, n).len()), [8, 16, 32, 64]);
    for n in 7..9 {
        let swaps = step(&plan, n);
        assert!(swaps.len() == 64 && swaps.iter().all(|(from, to)| swaps.contains(&(*to, *from))), "step {n}");
        let in_block = |(from, to): &(u32, u32)| {
            let [(row, column), (there, across)] = [*from, *to].map(place);
            (row / 2, column / 2) == (there / 2, across / 2) && (row == there) != (column == across)
        };
        assert!(swaps.iter().all(in_block), "step {n}");
    }
}

#[test]
fn figure_12_distributes_down_and_across_and_exchanges_half_either_way() {
    let plan = rh::as_printed(&Grid::new(vec![8, 8], false), NodeId(0)).unwrap();
    for n in 0..6 {
        let sends = step(&plan, n);
        assert_eq!((sends.len(), is_along_columns(&sends)), (1 << n, n < 3), "step {n}");
    }
    for n in 6..12 {
        let swaps = step(&plan, n);
        assert!(swaps.len() == 64 && swaps.iter().all(|(from, to)| swaps.contains(&(*to, *from))), "step {n}");
        let across = swaps.iter().filter(|(from, to)| place(*from).0 == place(*to).0).count();
        assert_eq!(across, 32, "horizontally in step {n}");
    }
    assert_eq!(plan.sends.iter().map(|send| send.step).max(), Some(11));
}

#[test]
fn section_5_1_node_10_of_11_plays_the_five_virtual_nodes_of_figure_15() {
    // 16 nodes send to 8; 4, 12; 2, 6, 10, 14; 1, 3, 5, ... Node 10 does the sends from or to 12,
    // 14, ... A send is left out if node 10 would send to itself or has the piece.
    let tree = asked(st::plan, &line(11), NodeId(0), 0).unwrap();
    let steps = [0, 1, 2, 3].map(|n| step(&tree, n));
    assert_eq!(steps[..3], [vec![(0, 8)], vec![(0, 4), (8, 10)], vec![(0, 2), (4, 6)]]);
    assert_eq!(steps[3], [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]);
    // Half of the message goes to the complement 15, whose tree grows to the left. So node 10 sends
    // to 7, and in step 3 from 11 to 9.
    let trees = asked(bst::plan, &line(11), NodeId(0), 0).unwrap();
    let steps = [0, 1, 2, 3].map(|n| step(&trees, n));
    assert_eq!(steps[..3], [vec![(0, 10)], vec![(0, 8), (10, 7)], vec![(0, 4), (7, 3), (8, 10)]]);
    assert_eq!(steps[3], [(0, 2), (3, 1), (4, 6), (7, 5), (10, 9)]);
    for (algorithm, printed) in [
        (st::plan as Algorithm, st::as_printed(&line(16), NodeId(0), 0)),
        (bst::plan, bst::as_printed(&line(16), NodeId(0), 0)),
    ] {
        let all = printed.unwrap();
        let mut held = vec![BTreeSet::new(); 11];
        held[0].extend(0..all.pieces);
        let mut expected = Vec::new();
        for send in &all.sends {
            let [from, to] = [send.from.0, send.to[0].0].map(|node| node.min(10));
            for piece in send.pieces.iter().cloned().flatten() {
                if from != to && held[to as usize].insert(piece) {
                    expected.push((send.step, from, to, piece));
                }
            }
        }
        let plan = asked(algorithm, &line(11), NodeId(0), 0).unwrap();
        let mut found = Vec::new();
        for send in &plan.sends {
            found.extend(
                send.pieces.iter().cloned().flatten().map(|piece| (send.step, send.from.0, send.to[0].0, piece)),
            );
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn section_3_6_exchanges_either_way_at_once_share_links_half_as_much_as_along_the_rows() {
    for d in 2..=4_u32 {
        let circuits = |grid: &Grid| -> Vec<u32> {
            let run = ran(grid, &rh::as_printed(grid, NodeId(0)).unwrap());
            let distribute = grid.nodes().ilog2() as usize;
            run.steps[distribute..].iter().map(|step| step.circuits).collect()
        };
        let along: Vec<u32> = (0..d).rev().map(|k| 1 << k).collect();
        assert_eq!(circuits(&line(1 << d)), along, "all of a row exchange at once");
        let halves: Vec<u32> = along.iter().flat_map(|&shared| [(shared / 2).max(1); 2]).collect();
        assert_eq!(circuits(&Grid::new(vec![1 << d, 1 << d], false)), halves);
    }
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
            // Two spanning trees of half the nodes each, then all nodes swap halves.
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
    // Root 5 of 8 nodes sends from 101 to 010.
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
fn figure_11_distributes_over_the_spanning_tree_and_exchanges_all_of_a_half_with_the_other_first() {
    let plan = rh::as_printed(&line(8), NodeId(0)).unwrap();
    let tree = st::as_printed(&line(8), NodeId(0), 0).unwrap();
    assert!((0..3).all(|n| step(&plan, n) == step(&tree, n)));
    // Section 5.1: if nodes 5 to 7 were virtual, node 4 would exchange with nodes 0 to 3 at once.
    assert_eq!(step(&plan, 3), [(0, 4), (1, 5), (2, 6), (3, 7), (4, 0), (5, 1), (6, 2), (7, 3)]);
    assert_eq!(step(&plan, 4), [(0, 2), (1, 3), (2, 0), (3, 1), (4, 6), (5, 7), (6, 4), (7, 5)]);
    assert_eq!(step(&plan, 5), [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 7), (7, 6)]);
    let longest: Vec<u32> = ran(&line(8), &plan).steps.iter().map(|step| step.longest).collect();
    assert_eq!(longest, [4, 2, 1, 1, 2, 4], "of eight packets");
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

/// Figure 15 (b). Only the picture shows the size of its mesh.
#[test]
fn figure_15_b_the_bottom_right_node_plays_a_submesh_and_the_others_of_its_row_and_column_a_line() {
    for (n1, n2) in (2..=9_u32).flat_map(|n1| (2..=9_u32).map(move |n2| (n1, n2))) {
        let grid = Grid::new(vec![n2, n1], false);
        let cube = Cube::new(&grid, NodeId(0), Fit::VirtualNodes);
        let mut plays = vec![0; grid.nodes() as usize];
        (0..cube.len()).for_each(|index| plays[cube.node(index).index()] += 1);
        let (below, right) = (n1.next_power_of_two() - n1, n2.next_power_of_two() - n2);
        for node in 0..grid.nodes() {
            let expected = match (node / n2 + 1 == n1, node % n2 + 1 == n2) {
                (true, true) => (below + 1) * (right + 1) - 1,
                (true, false) => below,
                (false, true) => right,
                (false, false) => 0,
            };
            assert_eq!(plays[node as usize] - 1, expected, "node {node} of {n1} x {n2}");
        }
        // "at each step of those algorithms all messages travel only horizontally or only
        // vertically": this is the simple ST.
        let plan = asked(st::plan_simple, &grid, NodeId(0), 0).unwrap();
        for n in 0..=plan.sends.last().unwrap().step {
            let sends = step(&plan, n);
            let down = sends.iter().all(|(from, to)| from % n2 == to % n2);
            assert!(down || sends.iter().all(|(from, to)| from / n2 == to / n2), "step {n} on {n1} x {n2}");
        }
    }
}

/// Figure 15 (d). Only the picture shows the size of its mesh.
#[test]
fn figure_15_d_rows_and_columns_of_companions_come_last_up_to_three_of_a_node() {
    let is_companion = |place: u32, n: u32| place % 2 == 1 && place / 2 < n - (1 << n.ilog2());
    for (n1, n2) in (3..=13_u32).flat_map(|n1| (3..=13_u32).map(move |n2| (n1, n2))) {
        if n1.is_power_of_two() || n2.is_power_of_two() {
            continue;
        }
        let grid = Grid::new(vec![n2, n1], false);
        let full_sized = |node: &u32| !is_companion(node / n2, n1) && !is_companion(node % n2, n2);
        for (plan, steps) in [(st::as_printed(&grid, NodeId(0), 0), 2), (bst::as_printed(&grid, NodeId(0), 0), 3)] {
            let plan = plan.unwrap();
            let last = plan.sends.last().unwrap().step + 1 - steps;
            let earlier: BTreeSet<u32> =
                (0..last).flat_map(|n| step(&plan, n)).flat_map(|(from, to)| [from, to]).collect();
            assert_eq!(earlier, (0..grid.nodes()).filter(full_sized).collect(), "{n1} x {n2}");
            // The companions of a node are in the block of 2 x 2 nodes that begins with this node.
            let mut block = vec![BTreeSet::<u32>::new(); grid.nodes() as usize];
            for (from, to) in (last..last + steps).flat_map(|n| step(&plan, n)) {
                let begin = |place: u32, n: u32| place - u32::from(is_companion(place, n));
                let of = |node: u32| begin(node / n2, n1) * n2 + begin(node % n2, n2);
                assert_eq!(of(from), of(to), "{from} to {to} of {n1} x {n2}");
                block[of(to) as usize].extend([to].iter().filter(|to| !full_sized(to)));
            }
            let left_over = |n: u32| (n - (1 << n.ilog2())) as usize;
            let with = |companions: usize| block.iter().filter(|block| block.len() == companions).count();
            assert_eq!(with(3), left_over(n1) * left_over(n2));
            assert_eq!(
                block.iter().map(BTreeSet::len).sum::<usize>(),
                (0..grid.nodes()).filter(|node| !full_sized(node)).count()
            );
        }
    }
}

#[test]
fn section_4_2_metanodes_broadcast_as_the_nodes_of_figure_13_and_keep_packets_in_order() {
    for (d, nu) in (2..=6_u32).flat_map(|d| (1..d).map(move |nu| (d, nu))) {
        for root in 0..1_u32 << d {
            let plan = st::as_printed(&line(1 << d), NodeId(root), nu).unwrap();
            let of_metanodes = st::as_printed(&line(1 << (d - nu)), NodeId(root >> nu), 0).unwrap();
            // "nodes j2^nu, j2^nu + 1, ..., (j + 1)2^nu - 1" around the source have one packet
            // each.
            assert!(
                (0..nu)
                    .flat_map(|n| step(&plan, n))
                    .all(|(from, to)| from >> nu == root >> nu && to >> nu == root >> nu)
            );
            let held = held(&plan, 1 << d, nu);
            let metanode = root >> nu << nu;
            assert!(
                (0..1 << nu).all(|i| held[(metanode + i) as usize].contains(&i)),
                "2^{d} nodes, nu = {nu}, root {root}"
            );
            // "all messages sent by nodes in metanode j have destinations in the same metanode".
            for n in 0..d - nu {
                let sends = step(&plan, nu + n);
                assert!(sends.iter().all(|(from, to)| (from ^ to) >> nu << nu == from ^ to), "place in the metanode");
                let between: BTreeSet<(u32, u32)> = sends.iter().map(|(from, to)| (from >> nu, to >> nu)).collect();
                assert_eq!(
                    between.into_iter().collect::<Vec<_>>(),
                    step(&of_metanodes, n),
                    "2^{d} nodes, nu = {nu}, root {root}"
                );
            }
            assert!((d..d + nu).flat_map(|n| step(&plan, n)).all(|(from, to)| from >> nu == to >> nu));
        }
    }
}
