//! Tests of the printed numbers of \[NUPAIROJ\] chapter 4, and of plans against closed forms.

use wormscope_hw::NodeId;

use super::*;
use crate::model::parameterised;
use crate::{Costs, LinearCost, Request, find};
use wormscope_network::{Grid, Wiring};

/// Latency of the tree of `k` nodes that `algorithm` makes.
fn planned(algorithm: &str, k: u32, parameters: &Parameters) -> f64 {
    let wiring = Wiring::new(Grid::new(vec![k], false));
    let destinations: Vec<NodeId> = (1..k).map(NodeId).collect();
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters };
    latency(&find(algorithm).unwrap().plan(&request).unwrap(), parameters)
}

/// A system of table 4.1: `t_hold` and `t_end` as fixed and per-byte parts.
fn system(hold: (f64, f64), end: (f64, f64)) -> Parameters {
    let cost = |(fixed, per_byte)| LinearCost { fixed, per_byte };
    let costs = Costs { hold: cost(hold), send: cost(end), ..Costs::hold_and_end(0.0, 0.0) };
    // The caption says 1 Kbyte. The printed numbers are for 100 Kbyte.
    Parameters { costs, bytes: 102_400.0, ..Parameters::default() }
}

#[test]
fn table_4_1_comes_out_with_messages_of_100_kbyte() {
    let row = |parameters: &Parameters| {
        let row = [planned("sequential", 8, parameters), planned("binomial", 8, parameters)];
        row.map(|latency| format!("{latency:.0}"))
    };
    assert_eq!(row(&system((20.0, 0.02), (55.0, 0.07))), ["19631", "21669"]);
    assert_eq!(row(&system((25.0, 0.03), (40.0, 0.04))), ["22718", "12408"]);
}

#[test]
fn figure_1_5_takes_2_steps_and_10_units() {
    // \[NUPAIROJ\] section 1.3: two units from send to send, five from send to receive. Node 3 is
    // the last one, and node 1 sends to it.
    let parameters = Parameters::hold_and_end(2.0, 5.0);
    assert_eq!(planned("binomial", 4, &parameters), 10.0);
    let wiring = Wiring::new(Grid::new(vec![4], false));
    let destinations = [1, 2, 3].map(NodeId);
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
    let plan = find("binomial").unwrap().plan(&request).unwrap();
    assert_eq!(plan.sends.iter().map(|send| send.step).max(), Some(1));
}

#[test]
fn section_3_2_takes_9_10_and_15_by_the_sequential_binomial_and_chain_tree() {
    // Fig. 3.2: t_send 2, t_net 1, t_recv 2, t_hold as t_send.
    let costs = Costs::log_p(1.0, 2.0, 2.0);
    let parameters = Parameters { costs, ..Parameters::default() };
    let of = |tree| planned(tree, 4, &parameters);
    assert_eq!(["sequential", "binomial", "chain"].map(of), [9.0, 10.0, 15.0]);
}

#[test]
fn figure_7_2_takes_as_long_as_labels_given_to_the_earliest_place_first() {
    // LogP with P = 8, L = 6, g = 4, o = 2. Karp's labels: a node that has the message at T makes a
    // place at T + L + 2 o. It makes one more every g. The earliest place is taken next.
    let mut places = vec![10];
    let mut labels = vec![0];
    while labels.len() < 8 {
        let first = (0..places.len()).min_by_key(|&place| places[place]).unwrap();
        let label = places[first];
        places[first] += 4;
        places.push(label + 10);
        labels.push(label);
    }
    assert_eq!(labels, [0, 10, 14, 18, 20, 22, 24, 24]);
    let parameters = Parameters { costs: Costs::log_p(6.0, 2.0, 4.0), ..Parameters::default() };
    assert_eq!(planned("opt_tree", 8, &parameters), 24.0);
}

#[test]
fn figure_4_5_takes_135() {
    assert_eq!(planned("opt_tree", 9, &Parameters::hold_and_end(20.0, 55.0)), 135.0);
}

#[test]
fn table_4_2_holds_for_the_trees_as_planned() {
    for k in 2..=140 {
        for (hold, end) in [(20.0, 55.0), (55.0, 55.0), (1.0, 1000.0), (70.0, 55.0), (0.0, 5.0), (5.0, 0.0)] {
            let planned = ["sequential", "chain", "binomial"]
                .map(|algorithm| planned(algorithm, k, &Parameters::hold_and_end(hold, end)));
            let forms = [sequential(k, hold, end), parameterised::chain(k, end), binomial(k, hold, end)];
            assert_eq!(planned, forms, "{k} nodes, t_hold {hold}, t_end {end}");
            if hold <= end && k.is_power_of_two() {
                assert_eq!(forms[2], f64::from(k.ilog2()) * end);
            }
        }
    }
}

#[test]
fn a_tree_of_one_node_takes_no_time() {
    for k in 0..2 {
        assert_eq!([sequential(k, 1.0, 2.0), parameterised::chain(k, 2.0), binomial(k, 1.0, 2.0)], [0.0; 3]);
    }
}

#[test]
fn opt_trees_take_what_their_tables_say() {
    use crate::trees::{alpha_opt_tree::AlphaOptTree, opt_tree::OptTree};
    for k in 2..=80 {
        for (hold, end) in [(20.0, 55.0), (55.0, 55.0), (1.0, 1000.0), (0.0, 5.0)] {
            let parameters = Parameters::hold_and_end(hold, end);
            assert_eq!(planned("opt_tree", k, &parameters), OptTree::new(80, hold, end).latency(k), "{k} nodes");
            assert_eq!(planned("opt_mesh", k, &parameters), OptTree::new(80, hold, end).latency(k), "{k} nodes");
        }
        for (ports, inter) in [(1, 0.0), (2, 10.0), (3, 10.0), (4, 7.0)] {
            let parameters = Parameters { inter, ports, ..Parameters::hold_and_end(22.0, 55.0) };
            let table = AlphaOptTree::new(80, ports, 22.0, 55.0, inter);
            assert_eq!(
                planned("alpha_opt_tree", k, &parameters),
                table.latency(k as usize),
                "{k} nodes, {ports} ports"
            );
        }
    }
}

#[test]
fn no_tree_of_the_table_beats_the_opt_tree() {
    let trees = ["sequential", "chain", "binomial", "block_binomial", "u_mesh", "spu_mesh"];
    for k in 2..=80 {
        for (hold, end) in [(20.0, 55.0), (55.0, 55.0), (1.0, 100.0)] {
            let parameters = Parameters { block: 4, ..Parameters::hold_and_end(hold, end) };
            let best = planned("opt_tree", k, &parameters);
            for tree in trees {
                assert!(planned(tree, k, &parameters) >= best, "{tree}, {k} nodes, t_hold {hold}, t_end {end}");
            }
        }
    }
}

#[test]
fn a_send_waits_for_the_last_of_its_pieces() {
    use crate::{Plan, Send, Task};
    let pieces = |of: &[(u32, u32)]| of.iter().map(|&(first, behind)| first..behind).collect();
    let send = |from, to, of: &[(u32, u32)]| Send { pieces: pieces(of), ..Send::unicast(NodeId(from), NodeId(to), 0) };
    let sends = vec![
        send(0, 1, &[(0, 1), (4, 6)]),
        send(0, 1, &[(2, 3)]),
        send(1, 2, &[(1, 2), (6, 8)]),
        send(1, 3, &[(5, 7)]),
        send(1, 4, &[(0, 8)]),
    ];
    let plan = Plan { task: Task::Multicast, source: NodeId(0), destinations: Box::new([]), pieces: 8, sends };
    // Messages are sent at 0 and 10, and arrive at 100 and 110.
    let starts = flights(&plan, &Parameters::hold_and_end(10.0, 100.0)).into_iter().map(|flight| flight.start);
    assert_eq!(starts.collect::<Vec<_>>(), [0.0, 10.0, 0.0, 100.0, 110.0]);
}
