//! The broadcasts of \[SEIDEL\], run step by step under the paper's own model.

use wormscope_hw::NodeId;

use super::cube::{Cube, Fit};
use super::trim::trim;
use super::{Parameters, Plan, Refusal, Request, Task, allgather, bst, rh, scatter, st};
use crate::model::seidel::{
    Broadcast, COMPANIONS_BY_BST, COMPANIONS_BY_ST, Cost, DELTA, Shape, WHOLE, any_size, bst_line_of_rows, dimensional_exchange,
    distribute, st_five_phases, st_five_phases_printed, table_1,
};
use crate::model::seidel_steps::{Run, run};
use crate::topology::{Grid, Wiring};

const BROADCASTS: [Broadcast; 3] = [Broadcast::St, Broadcast::Bst, Broadcast::Rh];

fn grid(radices: &[u32]) -> Grid {
    Grid::new(radices.to_vec(), false)
}

fn nodes(grid: &Grid) -> impl Iterator<Item = NodeId> + use<> {
    (0..grid.nodes()).map(NodeId)
}

type Algorithm = fn(&Request) -> Result<Plan, Refusal>;

fn algorithm(broadcast: Broadcast) -> Algorithm {
    match broadcast {
        Broadcast::St => st::plan,
        Broadcast::Bst => bst::plan,
        Broadcast::Rh => rh::plan,
    }
}

/// Asks for the plan that serves everybody.
fn asked(algorithm: Algorithm, grid: &Grid, source: NodeId, nu: u32) -> Result<Plan, Refusal> {
    let destinations: Vec<NodeId> = nodes(grid).filter(|&node| node != source).collect();
    let parameters = Parameters { nu, ..Parameters::default() };
    let wiring = Wiring::Grid(grid.clone());
    algorithm(&Request { wiring: &wiring, source, destinations: &destinations, parameters: &parameters })
}

/// Runs a plan. A send of what the sender does not have, two sends or receptions of a node in one step, and a piece that does not
/// arrive fail here.
fn ran(grid: &Grid, plan: &Plan) -> Run {
    run(grid, plan).unwrap_or_else(|e| panic!("{:?} from {}: {e}", grid.radices(), plan.source))
}

/// Runs a plan that sends nobody what he has.
fn ran_once(grid: &Grid, plan: &Plan) -> Run {
    let run = ran(grid, plan);
    assert_eq!(run.again, 0, "{:?} from {}", grid.radices(), plan.source);
    run
}

/// Cost of the paper's schedule, run.
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

/// Transmission and latency of a plan, run.
fn planned(algorithm: Algorithm, grid: &Grid, source: NodeId, nu: u32) -> (f64, u32) {
    let cost = ran_once(grid, &asked(algorithm, grid, source, nu).unwrap()).cost(nu);
    (cost.transmission, cost.latency)
}

fn of(cost: Cost) -> (f64, u32) {
    (cost.transmission, cost.latency)
}

/// Table I, but for the two entries that charge a permutation for nothing: two nodes, and 2 x 2 nodes that exchange along the rows
/// first, put packets beside each other in order.
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
                // Where every 2 x 2 nodes hold both corners of their submesh, nobody lacks all that the others swap.
                let spared = broadcast == Broadcast::Bst && d1 == d2 && d1 == nu + 1;
                let less = if spared { 0.125 / f64::from(1 << (2 * nu)) } else { 0.0 };
                let (transmission, latency) = of(expected);
                assert_eq!(planned(algorithm(broadcast), &grid, source, nu), (transmission - less, latency), "{context}");
            }
        }
    }
}
