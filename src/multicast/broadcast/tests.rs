//! Tests of the broadcasts of \[SEIDEL\], which run step by step under the paper's own model.

use wormscope_hw::NodeId;

use super::companions::{CompanionScheme, complete};
use super::cube::{Cube, Fit};
use super::trim::trim;
use super::{allgather, bst, rh, scatter, st};
use crate::model::seidel::{
    Broadcast, COMPANIONS_BY_BST, COMPANIONS_BY_ST, Cost, DELTA, Shape, WHOLE, any_size, bst_line_of_rows, companions,
    dimensional_exchange, distribute, st_five_phases, st_five_phases_printed, table_1,
};
use crate::model::seidel_steps::{ModelRun, run};
use crate::{Costs, LinearCost, Parameters, Plan, Refusal, Request, Task};
use wormscope_network::{Grid, Wiring};

const BROADCASTS: [Broadcast; 3] = [Broadcast::St, Broadcast::Bst, Broadcast::Rh];

fn grid(radices: &[u32]) -> Grid {
    Grid::new(radices.to_vec(), false)
}

fn nodes(grid: &Grid) -> impl Iterator<Item = NodeId> + use<> {
    (0..grid.nodes()).map(NodeId)
}

pub(super) type Algorithm = fn(&Request) -> Result<Plan, Refusal>;

fn algorithm(broadcast: Broadcast) -> Algorithm {
    match broadcast {
        Broadcast::St => st::plan,
        Broadcast::Bst => bst::plan,
        Broadcast::Rh => rh::plan,
    }
}

/// Asks for the plan that serves all nodes.
pub(super) fn asked(algorithm: Algorithm, grid: &Grid, source: NodeId, nu: u32) -> Result<Plan, Refusal> {
    asked_with(algorithm, grid, source, &Parameters { nu, ..Parameters::default() })
}

fn asked_with(algorithm: Algorithm, grid: &Grid, source: NodeId, parameters: &Parameters) -> Result<Plan, Refusal> {
    let destinations: Vec<NodeId> = nodes(grid).filter(|&node| node != source).collect();
    let wiring = Wiring::new(grid.clone());
    algorithm(&Request { wiring: &wiring, source, destinations: &destinations, parameters })
}

/// Runs a plan. This fails when a node sends a piece that it does not have, or sends or receives
/// twice in one step. It also fails when a piece does not arrive.
pub(super) fn ran(grid: &Grid, plan: &Plan) -> ModelRun {
    run(grid, plan).unwrap_or_else(|e| panic!("{:?} from {}: {e}", grid.radices(), plan.source))
}

/// Runs a plan that sends no node a piece that it has.
fn ran_once(grid: &Grid, plan: &Plan) -> ModelRun {
    let run = ran(grid, plan);
    assert_eq!(run.again, 0, "{:?} from {}", grid.radices(), plan.source);
    run
}

/// Cost of a run of the paper's schedule.
fn printed_schedule(broadcast: Broadcast, grid: &Grid, source: NodeId, nu: u32) -> Cost {
    let plan = match broadcast {
        Broadcast::St => st::as_printed(grid, source, nu),
        Broadcast::Bst => bst::as_printed(grid, source, nu),
        Broadcast::Rh => rh::as_printed(grid, source),
    };
    let run = ran(grid, &plan.unwrap());
    if broadcast != Broadcast::Rh {
        let shared = run.steps.iter().map(|step| step.circuits).max().unwrap_or(0);
        assert!(shared <= 1 << nu, "{shared} circuits share a link of {:?}, nu = {nu}", grid.radices());
    }
    run.cost(nu)
}

/// Transmission and latency of a run of a plan.
fn planned(algorithm: Algorithm, grid: &Grid, source: NodeId, nu: u32) -> (f64, u32) {
    let cost = ran_once(grid, &asked(algorithm, grid, source, nu).unwrap()).cost(nu);
    (cost.transmission, cost.latency)
}

fn of(cost: Cost) -> (f64, u32) {
    (cost.transmission, cost.latency)
}

/// Table I without the two permutations that it charges and that are not needed. Two nodes put
/// packets beside each other in order. So do 2 x 2 nodes that exchange along the rows first.
fn table(broadcast: Broadcast, shape: Shape, nu: u32) -> Cost {
    let printed = table_1(broadcast, shape, nu).unwrap();
    let in_order = matches!(shape, Shape::Line { d: 1 } | Shape::Mesh { d1: 1, d2: 1 });
    if in_order { Cost { permutation: 0, ..printed } } else { printed }
}

#[test]
fn table_1_comes_out_on_every_array_up_to_64_nodes_from_every_source() {
    for (d, nu) in (1..=6).flat_map(|d| (0..d).map(move |nu| (d, nu))) {
        for radices in [vec![1 << d], vec![1 << d, 1], vec![1, 1 << d]] {
            let grid = grid(&radices);
            for (source, broadcast) in nodes(&grid).flat_map(|source| BROADCASTS.map(|b| (source, b))) {
                let context = format!("{broadcast:?} {radices:?} nu={nu} from {source}");
                let expected = table(broadcast, Shape::Line { d }, nu);
                assert_eq!(printed_schedule(broadcast, &grid, source, nu), expected, "{context}");
                assert_eq!(planned(algorithm(broadcast), &grid, source, nu), of(expected), "{context}");
            }
        }
    }
}

#[test]
fn table_1_comes_out_on_every_mesh_from_2_by_2_to_8_by_16_either_way_round() {
    for (d1, d2) in (1..=4).flat_map(|d1| (1..=4).map(move |d2| (d1, d2))).filter(|(d1, d2)| d1 + d2 <= 7) {
        let grid = grid(&[1 << d2, 1 << d1]);
        let sources = if d1 + d2 <= 5 { grid.nodes() } else { 1 };
        for (source, nu) in (0..sources).flat_map(|source| (0..d1.min(d2)).map(move |nu| (NodeId(source), nu))) {
            for broadcast in BROADCASTS {
                let context = format!("{broadcast:?} 2^{d1} x 2^{d2} nu={nu} from {source}");
                let expected = table(broadcast, Shape::Mesh { d1, d2 }, nu);
                assert_eq!(printed_schedule(broadcast, &grid, source, nu), expected, "{context}");
                // If all 2 x 2 nodes are corners of their submesh, every node has some of the
                // pieces that the other nodes swap.
                let spared = broadcast == Broadcast::Bst && d1 == d2 && d1 == nu + 1;
                let less = if spared { 0.125 / f64::from(1 << (2 * nu)) } else { 0.0 };
                let (transmission, latency) = of(expected);
                assert_eq!(
                    planned(algorithm(broadcast), &grid, source, nu),
                    (transmission - less, latency),
                    "{context}"
                );
            }
        }
    }
}

#[test]
fn equation_4_is_too_high_and_its_five_phases_add_up_to_what_the_schedule_takes() {
    for (d1, d2) in (1..=4).flat_map(|d1| (d1..=4).map(move |d2| (d1, d2))).filter(|(d1, d2)| d1 + d2 <= 7) {
        for (radices, nu) in
            [[1 << d2, 1 << d1], [1 << d1, 1 << d2]].into_iter().flat_map(|r| (0..d1).map(move |nu| (r, nu)))
        {
            let grid = grid(&radices);
            let sources = if d1 + d2 <= 5 { grid.nodes() } else { 1 };
            for source in (0..sources).map(NodeId) {
                let schedule = st::five_phases(Cube::new(&grid, source, Fit::Companions), nu);
                let run = ran(&grid, &complete(schedule, CompanionScheme::SpanningTree));
                assert_eq!(run.cost(nu), st_five_phases(d1, d2, nu), "{radices:?} nu={nu} from {source}");
                assert_eq!(
                    planned(st::plan_simple, &grid, source, nu),
                    of(run.cost(nu)),
                    "{radices:?} nu={nu} from {source}"
                );
            }
            let printed = st_five_phases_printed(d1, d2, nu);
            let gap = 1.0 - 1.0 / f64::from(1 << nu);
            assert_eq!(of(printed), (st_five_phases(d1, d2, nu).transmission + gap * gap, d1 + d2 + 2 * nu));
        }
    }
}

#[test]
fn virtual_nodes_cost_what_the_next_power_of_two_costs_on_arrays_and_simple_meshes() {
    let lg = |n: u32| n.next_power_of_two().ilog2();
    for n in 2..=64 {
        let grid = grid(&[n]);
        for source in nodes(&grid) {
            for broadcast in [Broadcast::St, Broadcast::Bst] {
                let expected = of(table_1(broadcast, Shape::Line { d: lg(n) }, 0).unwrap());
                assert_eq!(
                    planned(algorithm(broadcast), &grid, source, 0),
                    expected,
                    "{broadcast:?} {n} from {source}"
                );
            }
        }
    }
    for (n1, n2) in (2..=9).flat_map(|n1| (2..=9).map(move |n2| (n1, n2))) {
        let grid = grid(&[n2, n1]);
        for source in nodes(&grid) {
            let steps = lg(n1) + lg(n2);
            assert_eq!(
                planned(st::plan_simple, &grid, source, 0),
                (f64::from(steps), steps),
                "{n1} x {n2} from {source}"
            );
            let bst = planned(bst::plan_simple, &grid, source, 0);
            assert_eq!(bst, of(bst_line_of_rows(lg(n1), lg(n2))), "{n1} x {n2} from {source}");
        }
    }
}

#[test]
fn companions_cost_one_more_message_on_arrays_of_any_size_and_width() {
    for n in 2..=40_u32 {
        let grid = grid(&[n]);
        let d = n.ilog2();
        for (source, nu) in nodes(&grid).flat_map(|source| (0..d).map(move |nu| (source, nu))) {
            let last = if n.is_power_of_two() { Cost::default() } else { WHOLE };
            for broadcast in BROADCASTS {
                let expected = table(broadcast, Shape::Line { d }, nu) + last;
                assert_eq!(
                    printed_schedule(broadcast, &grid, source, nu),
                    expected,
                    "{broadcast:?} {n} nu={nu} from {source}"
                );
            }
        }
    }
}

#[test]
fn companions_on_meshes_cost_a_broadcast_on_2_by_2_nodes() {
    for (n1, n2) in (2..=9_u32).flat_map(|n1| (2..=9_u32).map(move |n2| (n1, n2))) {
        let (grid, d1, d2) = (grid(&[n2, n1]), n1.ilog2(), n2.ilog2());
        for (source, nu) in nodes(&grid).flat_map(|source| (0..d1.min(d2)).map(move |nu| (source, nu))) {
            for broadcast in BROADCASTS {
                let service = if broadcast == Broadcast::St { COMPANIONS_BY_ST } else { COMPANIONS_BY_BST };
                let last = match (n1.is_power_of_two(), n2.is_power_of_two()) {
                    (true, true) => Cost::default(),
                    (false, false) => service,
                    _ => WHOLE,
                };
                let expected = table(broadcast, Shape::Mesh { d1, d2 }, nu) + last;
                let context = format!("{broadcast:?} {n1} x {n2} nu={nu} from {source}");
                assert_eq!(printed_schedule(broadcast, &grid, source, nu), expected, "{context}");
                assert_eq!(
                    expected,
                    Cost { permutation: expected.permutation, ..any_size(broadcast, &grid, nu, service).unwrap() }
                );
            }
        }
    }
}

#[test]
fn any_network_and_any_width_is_served_exactly_once_at_no_more_than_the_closed_form() {
    let lines = (2..=20).map(|n| vec![n]);
    let meshes = (1..=6).flat_map(|x| (1..=6).map(move |y| vec![x, y])).filter(|radices| radices[0] * radices[1] > 1);
    for radices in lines.chain(meshes).chain([vec![20, 3], vec![3, 20], vec![12, 10], vec![17, 2]]) {
        let grid = grid(&radices);
        let every = if grid.nodes() > 36 { 7 } else { 1 };
        for (source, nu) in nodes(&grid).step_by(every).flat_map(|source| [0, 1, 2, u32::MAX].map(|nu| (source, nu))) {
            let served = |algorithm| ran_once(&grid, &asked(algorithm, &grid, source, nu).unwrap());
            let all: [Algorithm; 4] = [st::plan, bst::plan, st::plan_simple, bst::plan_simple];
            for run in all.map(served) {
                assert!(
                    run.steps.iter().all(|step| step.circuits <= 1 << nu.min(31)),
                    "{radices:?} nu={nu} from {source}"
                );
            }
            for broadcast in BROADCASTS {
                // Parameters without a cost per byte ask for the fewest start-ups.
                let (transmission, latency) = of(served(algorithm(broadcast)).cost(nu));
                let most = any_size(broadcast, &grid, nu, COMPANIONS_BY_ST).unwrap();
                assert!(
                    transmission <= most.transmission && latency == most.latency,
                    "{broadcast:?} {radices:?} nu={nu}"
                );
            }
        }
    }
}

#[test]
fn scatter_brings_every_node_its_own_piece_at_the_cost_of_distributing() {
    let lines = (2..=40).map(|n| vec![n]);
    for radices in lines.chain((2..=9).flat_map(|x| (2..=9).map(move |y| vec![x, y]))) {
        let grid = grid(&radices);
        for source in nodes(&grid) {
            let plan = asked(scatter::plan, &grid, source, 0).unwrap();
            assert_eq!(plan.task, Task::Scatter(nodes(&grid).collect()));
            let run = ran_once(&grid, &plan);
            assert!(run.in_order && run.steps.iter().all(|step| step.circuits == 1), "{radices:?} from {source}");
            let d = radices.iter().map(|n| n.next_power_of_two().ilog2()).sum();
            assert_eq!(run.steps.len() as u32, d);
            if grid.nodes().is_power_of_two() {
                assert_eq!(run.cost(0), distribute(d), "{radices:?} from {source}");
            }
        }
    }
}

#[test]
fn allgather_costs_the_second_phase_of_recursive_halving() {
    for (d, nu) in (1..=6).flat_map(|d| (0..d).map(move |nu| (d, nu))) {
        let expected = dimensional_exchange(Shape::Line { d }, nu).unwrap();
        assert_eq!(planned(allgather::plan, &grid(&[1 << d]), NodeId(0), nu), of(expected), "2^{d} nu={nu}");
    }
    for (d1, d2) in (1..=4).flat_map(|d1| (1..=4).map(move |d2| (d1, d2))) {
        for nu in 0..d1.min(d2) {
            let expected = dimensional_exchange(Shape::Mesh { d1, d2 }, nu).unwrap();
            assert_eq!(
                planned(allgather::plan, &grid(&[1 << d2, 1 << d1]), NodeId(0), nu),
                of(expected),
                "2^{d1} x 2^{d2} nu={nu}"
            );
        }
    }
}

#[test]
fn allgather_takes_a_piece_from_every_node_to_every_node_in_networks_of_any_size() {
    let lines = (2..=40).map(|n| vec![n]);
    for radices in lines.chain((1..=9).flat_map(|x| (2..=9).map(move |y| vec![x, y]))) {
        let grid = grid(&radices);
        let plan = asked(allgather::plan, &grid, NodeId(1), 0).unwrap();
        let Task::Allgather(home) = &plan.task else { panic!("{:?}", plan.task) };
        let mut homes = home.to_vec();
        homes.sort_unstable();
        assert_eq!(homes, nodes(&grid).collect::<Vec<_>>());
        ran_once(&grid, &plan);
    }
}

#[test]
fn exchanging_nearest_first_keeps_packets_in_order_and_farthest_first_does_not() {
    // Figure 2: four nodes, with packet p at node p.
    let exchange = |order: Vec<u32>| {
        let grid = grid(&[4]);
        let mut schedule = super::schedule::Schedule::new(Cube::new(&grid, NodeId(0), Fit::Companions), vec![1, 2]);
        let mut fixed = 3;
        for bit in order {
            for index in 0..4 {
                schedule.send_like_own(index, index ^ bit, fixed);
            }
            schedule.end_step();
            fixed &= !bit;
        }
        ran(&grid, &schedule.finish(Task::Allgather((0..4).map(NodeId).collect()))).in_order
    };
    assert!(exchange(vec![1, 2]));
    assert!(!exchange(vec![2, 1]));
}

#[test]
fn the_first_message_of_the_mesh_bst_is_every_other_packet() {
    let plan = asked(bst::plan, &grid(&[4, 4]), NodeId(0), 0).unwrap();
    assert_eq!((plan.sends[0].from, &*plan.sends[0].to), (NodeId(0), &[NodeId(15)][..]));
    assert_eq!(*plan.sends[0].pieces, [1..2, 3..4, 5..6, 7..8]);
}

#[test]
fn there_is_no_printed_schedule_for_other_networks_or_sources() {
    let none = |grid: &Grid, source| {
        let source = NodeId(source);
        assert!(st::as_printed(grid, source, 0).is_none() && bst::as_printed(grid, source, 0).is_none());
        assert!(rh::as_printed(grid, source).is_none());
    };
    none(&grid(&[2, 2, 2]), 0);
    none(&Grid::new(vec![4, 4], true), 0);
    none(&grid(&[1]), 0);
    none(&grid(&[4]), 4);
    assert!(rh::as_printed(&grid(&[5000]), NodeId(0)).is_none());
}

#[test]
fn a_schedule_that_is_trimmed_again_is_the_same() {
    let plan = asked(rh::plan, &grid(&[6, 5]), NodeId(7), 0).unwrap();
    assert_eq!(trim(plan.clone()), plan);
}

#[test]
fn what_is_not_everybody_on_an_array_or_mesh_is_refused_with_a_reason() {
    let refused = |wiring: &Wiring, destinations: &[NodeId]| {
        let parameters = Parameters::default();
        let request = Request { wiring, source: NodeId(0), destinations, parameters: &parameters };
        let all: [Algorithm; 7] =
            [st::plan, st::plan_simple, bst::plan, bst::plan_simple, rh::plan, scatter::plan, allgather::plan];
        all.map(|algorithm| algorithm(&request).unwrap_err().to_string())
    };
    let to = |nodes: std::ops::Range<u32>| nodes.map(NodeId).collect::<Vec<_>>();
    let mesh = Wiring::new(grid(&[4, 4]));
    let few = refused(&mesh, &to(1..15));
    assert_eq!(few[0], "st: it serves all 15 other nodes, not 14 of them");
    assert!(few.iter().all(|reason| reason.ends_with("not 14 of them")));
    let torus = refused(&Wiring::new(Grid::new(vec![4, 4], true)), &to(1..16));
    assert!(torus[2].starts_with("bst is not defined for a 4x4 torus: "));
    let cube = refused(&Wiring::new(grid(&[2, 2, 2])), &to(1..8));
    assert!(
        cube.iter().all(|reason| reason.contains("not defined for a 2x2x2 mesh: it needs a mesh of at most 2 dim"))
    );
    assert!(refused(&Wiring::new(grid(&[70000])), &to(1..2))[4].ends_with("at most 65536 nodes"));
}

#[test]
fn companions_of_a_mesh_are_served_as_it_costs_less_for_the_message_at_hand() {
    let grid = grid(&[9, 6]);
    for bytes in [1.0, 1e3, 1874.0, 1876.0, 1e4, 1e6] {
        let send = LinearCost { fixed: DELTA.latency, per_byte: DELTA.to_network };
        let costs = Costs { send, ..Costs::hold_and_end(0.0, 0.0) };
        let parameters = Parameters { costs, bytes, ..Parameters::default() };
        for broadcast in BROADCASTS {
            let plan = asked_with(algorithm(broadcast), &grid, NodeId(11), &parameters).unwrap();
            let expected = any_size(broadcast, &grid, 0, companions(&DELTA, bytes)).unwrap();
            assert_eq!(of(ran_once(&grid, &plan).cost(0)), of(expected), "{broadcast:?} {bytes}");
        }
    }
    assert_eq!([1874.0, 1876.0].map(|bytes| companions(&DELTA, bytes)), [COMPANIONS_BY_ST, COMPANIONS_BY_BST]);
}

#[test]
fn plans_for_4096_nodes_take_milliseconds() {
    for radices in [vec![4096], vec![64, 64]] {
        let grid = grid(&radices);
        let all: [Algorithm; 5] = [st::plan, bst::plan, rh::plan, scatter::plan, allgather::plan];
        for algorithm in all {
            let begin = std::time::Instant::now();
            let plan = asked(algorithm, &grid, NodeId(2048), 0).unwrap();
            println!("{radices:?} {} sends {:?}", plan.sends.len(), begin.elapsed());
            ran_once(&grid, &plan);
        }
    }
}
