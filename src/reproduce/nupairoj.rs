//! \[NUPAIROJ\] chapters 3 to 5 and 7: trees by the parameterised model, with no network.

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, SwitchId};

use super::data::Series;
use crate::model::contention;
use crate::model::parameterised::{binomial, chain, flights, latency, sequential};
use crate::multicast::trees::alpha_opt_tree::AlphaOptTree;
use crate::multicast::trees::opt_tree::OptTree;
use crate::multicast::{Costs, Parameters, Plan, Request, find};
use crate::network::{BiMin, Grid, Network, Topology, Wiring};

/// The curves of a figure.
pub(super) type Curves = Result<Vec<Series>, String>;

/// A curve of the points of a function.
fn curve(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    (name.to_owned(), points.into_iter().collect())
}

/// The plan of an algorithm for these nodes. The first node is the source.
fn plan(algorithm: &str, wiring: &Wiring, nodes: &[u32], parameters: &Parameters) -> Result<Plan, String> {
    let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
    let request = Request { wiring, source: nodes[0], destinations: &nodes[1..], parameters };
    let algorithm = find(algorithm).map_err(|unknown| unknown.to_string())?;
    algorithm.plan(&request).map_err(|refusal| refusal.to_string())
}

/// The plan of a tree of k nodes, numbered in their order.
fn tree(algorithm: &str, k: u32, parameters: &Parameters) -> Result<Plan, String> {
    let nodes: Vec<u32> = (0..k).collect();
    plan(algorithm, &Wiring::new(Grid::new(vec![k], false)), &nodes, parameters)
}

/// Latencies of trees by their sizes.
fn latencies(algorithm: &str, sizes: impl IntoIterator<Item = u32>, parameters: &Parameters) -> Result<Series, String> {
    let of = |k: u32| Ok((f64::from(k), latency(&tree(algorithm, k, parameters)?, parameters)));
    let points: Result<Vec<_>, String> = sizes.into_iter().map(of).collect();
    Ok((algorithm.to_owned(), points?))
}

/// Fig. 3.2: the simple trees with `t_send` 2, `t_net` 1, `t_recv` 2 and `t_hold` as `t_send`.
pub(super) fn fig_3_2(_: bool) -> Curves {
    let parameters = Parameters { costs: Costs::log_p(1.0, 2.0, 2.0), ..Parameters::default() };
    ["sequential", "binomial", "chain"].map(|tree| latencies(tree, 2..=8, &parameters)).into_iter().collect()
}

/// Table 4.1: 8 nodes on S1 (x = 1) and S2 (x = 2), for the printed 1 Kbyte and for 100.
pub(super) fn table_4_1(_: bool) -> Curves {
    const SYSTEMS: [[(f64, f64); 2]; 2] = [[(20.0, 0.02), (55.0, 0.07)], [(25.0, 0.03), (40.0, 0.04)]];
    let mut curves = Vec::new();
    for (length, bytes) in [("100 Kbyte", 102_400.0), ("1 Kbyte", 1024.0)] {
        for algorithm in ["sequential", "binomial"] {
            let mut points = Vec::new();
            for (x, system) in [1.0, 2.0].into_iter().zip(SYSTEMS) {
                let [hold, end] = system.map(|(fixed, per_byte)| fixed + per_byte * bytes);
                let parameters = Parameters::hold_and_end(hold, end);
                points.push((x, latency(&tree(algorithm, 8, &parameters)?, &parameters)));
            }
            curves.push(curve(&format!("{algorithm}, {length}"), points));
        }
    }
    Ok(curves)
}

/// Table 4.2: formulas and trees, with `t_hold` 20 and `t_end` 55, and with `t_hold` 55 and `t_end`
/// 20.
pub(super) fn table_4_2(is_quick: bool) -> Curves {
    let most = if is_quick { 40 } else { 140 };
    // All small trees, and trees with one node more or less than a multiple of 16.
    let sizes = || (2..=most).filter(|k| *k <= 16 || [15, 0, 1].contains(&(k % 16)));
    let mut curves = Vec::new();
    for (case, hold, end) in [("20, 55", 20.0, 55.0), ("55, 20", 55.0, 20.0)] {
        let parameters = Parameters::hold_and_end(hold, end);
        let form = |name: &str, of: &dyn Fn(u32) -> f64| {
            curve(&format!("{name} {case}, formula"), sizes().map(|k| (f64::from(k), of(k))))
        };
        curves.push(form("sequential", &|k| sequential(k, hold, end)));
        curves.push(form("chain", &|k| chain(k, end)));
        curves.push(form("binomial", &|k| binomial(k, hold, end)));
        let printed = (1..8).map(|d| 1 << d).filter(|&k: &u32| hold <= end && k <= most);
        curves.push(curve(
            &format!("binomial {case}, log2 k"),
            printed.map(|k| (f64::from(k), f64::from(k.ilog2()) * end)),
        ));
        for name in ["sequential", "chain", "binomial"] {
            curves.push((format!("{name} {case}, tree"), latencies(name, sizes(), &parameters)?.1));
        }
    }
    Ok(curves)
}

/// Fig. 4.2: trees of 32 nodes over `t_hold / t_end`, latencies in `t_end`.
#[allow(clippy::unnecessary_wraps)] // As all models.
pub(super) fn fig_4_2(_: bool) -> Curves {
    let ratios = || (-10..=10).map(|fifth| 10_f64.powf(f64::from(fifth) / 5.0));
    // The split comes from a search over all splits, as the short recurrence needs t_hold <= t_end.
    let best = |hold: f64| {
        let mut t = vec![0.0, 0.0, 1.0];
        for i in 3..=32_usize {
            let split = |j: usize| f64::max(if j == 1 { 0.0 } else { t[j] + hold }, t[i - j] + 1.0);
            t.push((1..i).map(split).fold(f64::INFINITY, f64::min));
        }
        t[32]
    };
    let of = |name: &str, latency: &dyn Fn(f64) -> f64| curve(name, ratios().map(|hold| (hold, latency(hold))));
    Ok(vec![
        of("sequential", &|hold| sequential(32, hold, 1.0)),
        of("binomial", &|hold| binomial(32, hold, 1.0)),
        of("chain", &|_| chain(32, 1.0)),
        of("best", &best),
    ])
}

/// Table 4.3: all columns by i, and the same by the tree itself.
pub(super) fn table_4_3(_: bool) -> Curves {
    let of = OptTree::new(9, 20.0, 55.0);
    let column = |name: &str, value: &dyn Fn(u32) -> f64| curve(name, (2..=9).map(|i| (f64::from(i), value(i))));
    let mut curves = vec![
        column("j_i", &|i| of.keeps(i).into()),
        column("i - j_i", &|i| (i - of.keeps(i)).into()),
        column("t[j_i] + t_hold", &|i| of.latency(of.keeps(i)) + 20.0),
        column("t[i - j_i] + t_end", &|i| of.latency(i - of.keeps(i)) + 55.0),
        column("t[i]", &|i| of.latency(i)),
    ];
    let (_, trees) = latencies("opt_tree", 2..=9, &Parameters::hold_and_end(20.0, 55.0))?;
    curves.push(curve("latency of the tree", trees));
    Ok(curves)
}

/// Table 4.4: all columns by i, and the same by the tree itself.
pub(super) fn table_4_4(_: bool) -> Curves {
    let of = AlphaOptTree::new(12, 3, 22.0, 55.0, 10.0);
    let mut curves = Vec::new();
    for (part, name) in ["j_i", "j_i^1", "j_i^2", "j_i^3"].into_iter().enumerate() {
        curves.push(curve(name, (2..=12).map(|i| (i as f64, of.row(i)[part].into()))));
    }
    for (part, name) in ["C_1", "C_2", "C_3", "C_4"].into_iter().enumerate() {
        let grown = (3..=12).filter_map(|i| Some((i as f64, of.grown(i).nth(part)?)));
        curves.push(curve(name, grown));
    }
    curves.push(curve("t[i]", (2..=12).map(|i| (i as f64, of.latency(i)))));
    let parameters = Parameters { inter: 10.0, ports: 3, ..Parameters::hold_and_end(22.0, 55.0) };
    let (_, trees) = latencies("alpha_opt_tree", 2..=12, &parameters)?;
    curves.push(curve("latency of the tree", trees));
    Ok(curves)
}

/// The time at which each node of a plan has the message, by its place among `nodes`.
fn held(plan: &Plan, nodes: &[u32], parameters: &Parameters) -> Vec<(f64, f64)> {
    let flights = flights(plan, parameters);
    let place = |node: NodeId| nodes.iter().position(|&of| of == node.0).unwrap_or(0) as f64;
    let mut points: Vec<_> = plan.sends.iter().zip(&flights).map(|(send, f)| (place(send.to[0]), f.arrival)).collect();
    points.push((0.0, 0.0));
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Fig. 4.5: the time at which each of 9 nodes has the message, with `t_hold` 20 and `t_end` 55.
pub(super) fn fig_4_5(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let nodes: Vec<u32> = (0..9).collect();
    let held = |name: &str| Ok::<_, String>(held(&tree(name, 9, &parameters)?, &nodes, &parameters));
    Ok(vec![curve("OPT-tree", held("opt_tree")?), curve("binomial", held("binomial")?)])
}

/// The multicast of section 5.1 in a BMIN of 16 nodes, 0011 first, in the order that makes the tree
/// of Fig. 5.1.
const OUT_OF_ORDER: [u32; 7] = [0b0011, 0b1101, 0b1010, 0b0111, 0b1100, 0b0001, 0b0110];

/// Fig. 5.1: begins of the two sends of step 2, and the pairs of sends that may share a channel.
/// Such sends share it in one step and at one time, where a switch takes the first port up without
/// looking. In the tree that is reordered as in Fig. 5.3 sends go straight up, and no pair shares a
/// channel.
pub(super) fn fig_5_1(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let min = BiMin::new(2, 4);
    let wiring = Wiring::new(min.clone());
    let next =
        |switch: SwitchId, node: NodeId| (wiring.consumption(node).0 != switch).then(|| PortId(min.port(switch, node)));
    let blind = |up: Climb, _: PortId| PortId(up.first());
    let lost = |error: crate::model::tree::TreeError| error.to_string();
    let of = plan("opt_tree", &wiring, &OUT_OF_ORDER, &parameters)?;
    let begins = flights(&of, &parameters);
    let channels = contention::channels_by(&wiring, &of, next, blind).map_err(lost)?;
    let send = |from: u32, to: u32| of.sends.iter().position(|send| (send.from.0, send.to[0].0) == (from, to));
    let of_step_2 = [send(0b0011, 0b0111), send(0b0001, 0b0110)];
    let later = [send(0b0111, 0b1100), send(0b0011, 0b1101)];
    let meet = |found: &contention::Contention, pair: [Option<usize>; 2]| {
        let [Some(a), Some(b)] = pair else { return 0.0 };
        f64::from(u8::from(found.pairs.iter().any(|meeting| meeting.sends == (a.min(b), a.max(b)))))
    };
    let [by_step, by_time] = [contention::by_step(&of, &channels), contention::by_time(&of, &channels, &begins)];
    let reordered = plan("opt_min", &wiring, &OUT_OF_ORDER, &parameters)?;
    let straight = contention::channels(&wiring, &reordered, next).map_err(lost)?;
    let left = contention::by_time(&reordered, &straight, &flights(&reordered, &parameters));
    let starts = of_step_2.iter().flatten().map(|&send| begins[send].start);
    Ok(vec![
        curve("begins of step 2", (1..).map(f64::from).zip(starts)),
        curve("meet in step 2", [(1.0, meet(&by_step, of_step_2))]),
        curve("meet later", [(1.0, meet(&by_time, later))]),
        curve("meet when reordered", [(1.0, left.pairs.len() as f64)]),
    ])
}

/// Points of a curve.
type Points = Vec<(f64, f64)>;

/// The receivers of a node, by number, and the begins of its sends to them.
fn receivers(plan: &Plan, node: u32, parameters: &Parameters) -> (Points, Points) {
    let flights = flights(plan, parameters);
    let own = plan.sends.iter().zip(&flights).filter(|(send, _)| send.from.0 == node);
    let own = (1..).map(f64::from).zip(own);
    own.map(|(number, (send, flight))| ((number, f64::from(send.to[0].0)), (number, flight.start))).unzip()
}

/// Fig. 5.4: receivers of (3, 2) and (4, 4) of a 6x6 mesh, as x + 6 y. It also has the pairs of
/// sends that share a channel at one time.
pub(super) fn fig_5_4(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let built = Network::new(Topology::Mesh { radices: vec![6, 6] }).build().map_err(|why| why.to_string())?;
    let (wiring, routes) = (built.wiring(), built.routes());
    let plan = plan("opt_mesh", wiring, &[15, 31, 8, 27, 22, 28, 11, 29], &parameters)?;
    let next = |switch: SwitchId, node: NodeId| {
        (wiring.consumption(node).0 != switch).then(|| PortId(routes.port(switch, node)))
    };
    let channels = contention::channels(wiring, &plan, next).map_err(|error| error.to_string())?;
    let met = contention::by_time(&plan, &channels, &flights(&plan, &parameters));
    Ok(vec![
        curve("receivers of (3, 2)", receivers(&plan, 15, &parameters).0),
        curve("receivers of (4, 4)", receivers(&plan, 28, &parameters).0),
        curve("pairs that meet", [(1.0, met.pairs.len() as f64)]),
    ])
}

/// Fig. 5.7: receivers of 0011 and 1100, and the begins of the sends.
pub(super) fn fig_5_7(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let plan = plan("opt_min", &Wiring::new(BiMin::new(2, 4)), &OUT_OF_ORDER, &parameters)?;
    let [(source, begins), (next, next_begins)] = [0b0011, 0b1100].map(|node| receivers(&plan, node, &parameters));
    Ok(vec![
        curve("receivers of 0011", source),
        curve("receivers of 1100", next),
        curve("begins of 0011", begins),
        curve("begins of 1100", next_begins),
        curve("latency", [(1.0, latency(&plan, &parameters))]),
    ])
}

/// Fig. 5.6: begins of the sends of (3, 2) and of (4, 4) in the multicast of Fig. 5.4, by number.
pub(super) fn fig_5_6(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    // (x, y) of the 6x6 mesh is x + 6 y.
    let plan =
        plan("opt_mesh", &Wiring::new(Grid::new(vec![6, 6], false)), &[15, 31, 8, 27, 22, 28, 11, 29], &parameters)?;
    let flights = flights(&plan, &parameters);
    let from = |name: &str, node: u32| {
        let own = plan.sends.iter().zip(&flights).filter(|(send, _)| send.from.0 == node);
        curve(name, (1..).zip(own).map(|(number, (_, flight))| (f64::from(number), flight.start)))
    };
    Ok(vec![from("from (3, 2)", 15), from("from (4, 4)", 28)])
}

/// Fig. 5.8: the time at which each node of the multicast of Fig. 5.7 has the message. The nodes
/// have the order of the chain behind the source.
pub(super) fn fig_5_8(_: bool) -> Curves {
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    let wiring = Wiring::new(BiMin::new(2, 4));
    let nodes = [0b0011, 0b0001, 0b0110, 0b0111, 0b1010, 0b1100, 0b1101];
    let held = |name: &str| Ok::<_, String>(held(&plan(name, &wiring, &nodes, &parameters)?, &nodes, &parameters));
    Ok(vec![curve("OPT-min", held("opt_min")?), curve("U-min", held("u_min")?)])
}

/// Fig. 7.2: times at which the nodes of `LogP` trees have the message, the earliest first. One
/// tree is by Karp's labels, which take the earliest place next, and one is the OPT-tree. Here L =
/// 6, g = 4 and o = 2.
pub(super) fn fig_7_2(_: bool) -> Curves {
    const NODES: usize = 8;
    let parameters = Parameters { costs: Costs::log_p(6.0, 2.0, 4.0), ..Parameters::default() };
    let (hold, end) = (parameters.hold(), parameters.end());
    let (mut labels, mut places) = (vec![0.0], vec![end]);
    while labels.len() < NODES {
        places.sort_by(f64::total_cmp);
        let label = places[0];
        places[0] += hold;
        places.push(label + end);
        labels.push(label);
    }
    let nodes: Vec<u32> = (0..NODES as u32).collect();
    let reached = held(&tree("opt_tree", NODES as u32, &parameters)?, &nodes, &parameters);
    let mut times: Vec<f64> = reached.into_iter().map(|(_, time)| time).collect();
    times.sort_by(f64::total_cmp);
    let by_place = |times: Vec<f64>| (0..NODES).map(|i| i as f64).zip(times);
    Ok(vec![curve("labels", by_place(labels)), curve("OPT-tree", by_place(times))])
}

/// Section 5.4: least latencies without contention, with `t_hold` 2000 + 2 m and `t_end` 5500 + 7
/// m. They are for trees of 32 and 128 nodes by m in Kbyte, and for 4 and 64 Kbyte by the nodes.
#[allow(clippy::unnecessary_wraps)] // As all models.
pub(super) fn lower_bounds(_: bool) -> Curves {
    let of = |nodes: u32, kbytes: u32| {
        let bytes = f64::from(kbytes) * 1024.0;
        OptTree::new(nodes as usize, 2000.0 + 2.0 * bytes, 5500.0 + 7.0 * bytes).latency(nodes)
    };
    let by_length = [32, 128].map(|nodes| {
        let lengths = (0..=6).map(|doublings| 1 << doublings);
        curve(&format!("{nodes} nodes"), lengths.map(|kbytes| (f64::from(kbytes), of(nodes, kbytes))))
    });
    let by_nodes = [4, 64].map(|kbytes| {
        let sizes = [16, 32, 64, 96, 128];
        curve(&format!("{kbytes} Kbyte"), sizes.map(|nodes| (f64::from(nodes), of(nodes, kbytes))))
    });
    Ok(by_length.into_iter().chain(by_nodes).collect())
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use super::*;

    fn of(curves: Curves, name: &str) -> Vec<f64> {
        let curves = curves.unwrap();
        let (_, points) = curves.into_iter().find(|(known, _)| known == name).unwrap();
        points.into_iter().map(|(_, y)| y).collect()
    }

    #[test]
    fn figures_4_5_5_1_to_5_8_and_7_2_come_out() {
        assert_eq!(of(fig_4_5(true), "OPT-tree").into_iter().fold(0.0, f64::max), 135.0);
        assert_eq!(of(fig_5_6(true), "from (3, 2)"), [0.0, 20.0, 40.0, 60.0]);
        assert_eq!(of(fig_5_6(true), "from (4, 4)"), [55.0, 75.0]);
        assert_eq!(of(fig_5_1(true), "begins of step 2"), [20.0, 55.0]);
        assert_eq!(["meet in step 2", "meet later"].map(|name| of(fig_5_1(true), name)), [[1.0], [1.0]]);
        assert_eq!(of(fig_5_1(true), "meet when reordered"), [0.0]);
        assert_eq!(of(fig_5_4(true), "receivers of (3, 2)")[..2], [28.0, 27.0]);
        assert_eq!(of(fig_5_4(true), "pairs that meet"), [0.0]);
        assert_eq!(of(fig_5_7(true), "receivers of 0011")[..2], [12.0, 7.0]);
        assert_eq!((of(fig_5_7(true), "begins of 1100"), of(fig_5_7(true), "latency")), (vec![55.0], vec![130.0]));
        assert_eq!(of(fig_5_8(true), "OPT-min").into_iter().fold(0.0, f64::max), 130.0);
        let labels = [0.0, 10.0, 14.0, 18.0, 20.0, 22.0, 24.0, 24.0];
        assert_eq!((of(fig_7_2(true), "labels"), of(fig_7_2(true), "OPT-tree")), (labels.to_vec(), labels.to_vec()));
    }

    #[test]
    fn formulas_of_table_4_2_are_those_of_the_trees() {
        let curves = table_4_2(true).unwrap();
        for name in ["sequential 20, 55", "chain 20, 55", "binomial 20, 55", "sequential 55, 20", "binomial 55, 20"] {
            let of = |kind: &str| curves.iter().find(|(known, _)| *known == format!("{name}, {kind}")).unwrap();
            assert_eq!(of("formula").1, of("tree").1, "{name}");
        }
    }

    #[test]
    fn no_tree_of_figure_4_2_is_below_the_best() {
        let best = of(fig_4_2(true), "best");
        for name in ["sequential", "binomial", "chain"] {
            let found = of(fig_4_2(true), name);
            assert!(found.iter().zip(&best).all(|(found, best)| *found >= best - 1e-9), "{name}");
        }
    }
}
