//! The broadcasts of \[SEIDEL\], run step by step under the paper's own model.

use wormscope_hw::NodeId;

use super::broadcast::entrance;
use super::cube::{Cube, Fit};
use super::{Parameters, Plan, Refusal, Request, allgather, bst, rh, scatter, st};
use crate::model::seidel::{
    Broadcast, COMPANIONS_BY_BST, COMPANIONS_BY_ST, Cost, Shape, any_size, bst_line_of_rows, dimensional_exchange, distribute,
    st_five_phases, st_five_phases_printed, table_1,
};
use crate::model::seidel_steps::{Run, run};
use crate::topology::{Grid, Wiring};

const BROADCASTS: [Broadcast; 3] = [Broadcast::St, Broadcast::Bst, Broadcast::Rh];

fn grid(radices: &[u32]) -> Grid {
    Grid::new(radices.to_vec(), false)
}

fn nodes(grid: &Grid) -> impl Iterator<Item = NodeId> {
    (0..grid.nodes()).map(NodeId)
}

type Algorithm = fn(&Request) -> Result<Plan, Refusal>;

/// The plan that serves everybody.
fn plan(algorithm: Algorithm, grid: &Grid, source: NodeId, nu: u32) -> Plan {
    let destinations: Vec<NodeId> = nodes(grid).filter(|&node| node != source).collect();
    let parameters = Parameters { nu, ..Parameters::default() };
    let wiring = Wiring::Grid(grid.clone());
    algorithm(&Request { wiring: &wiring, source, destinations: &destinations, parameters: &parameters }).unwrap()
}

/// Runs a plan; every violation of the model, a piece that arrives twice or not at all, fails here.
fn ran(grid: &Grid, plan: &Plan) -> Run {
    run(grid, plan).unwrap_or_else(|e| panic!("{:?} from {}: {e}", grid.radices(), plan.source))
}

fn algorithm(broadcast: Broadcast) -> Algorithm {
    match broadcast {
        Broadcast::St => st::plan,
        Broadcast::Bst => bst::plan,
        Broadcast::Rh => rh::plan,
    }
}

/// The cost of a broadcast, run.
fn cost(broadcast: Broadcast, grid: &Grid, source: NodeId, nu: u32) -> Cost {
    let run = ran(grid, &plan(algorithm(broadcast), grid, source, nu));
    if broadcast != Broadcast::Rh {
        let shared = run.steps.iter().map(|step| step.circuits).max().unwrap_or(0);
        assert!(shared <= 1 << nu, "{shared} circuits share a link of {:?}, nu = {nu}", grid.radices());
    }
    Cost { permutation: broadcast.permutations(), ..run.cost(nu) }
}

#[test]
fn table_1_comes_out_on_every_array_up_to_64_nodes_from_every_source() {
    for (d, nu) in (1..=6).flat_map(|d| (0..d).map(move |nu| (d, nu))) {
        for radices in [vec![1 << d], vec![1 << d, 1], vec![1, 1 << d]] {
            let grid = grid(&radices);
            for (source, broadcast) in nodes(&grid).flat_map(|source| BROADCASTS.map(|b| (source, b))) {
                let printed = table_1(broadcast, Shape::Line { d }, nu).unwrap();
                assert_eq!(cost(broadcast, &grid, source, nu), printed, "{broadcast:?} 2^{d} nu={nu} from {source}");
            }
        }
    }
}

#[test]
fn table_1_comes_out_on_every_mesh_of_two_by_two_to_eight_by_sixteen_either_way_round() {
    for (d1, d2) in (1..=4).flat_map(|d1| (1..=4).map(move |d2| (d1, d2))).filter(|(d1, d2)| d1 + d2 <= 7) {
        let grid = grid(&[1 << d2, 1 << d1]);
        let sources = if d1 + d2 <= 5 { grid.nodes() } else { 1 };
        for (source, nu) in (0..sources).flat_map(|source| (0..d1.min(d2)).map(move |nu| (NodeId(source), nu))) {
            for broadcast in BROADCASTS {
                let printed = table_1(broadcast, Shape::Mesh { d1, d2 }, nu).unwrap();
                let context = || format!("{broadcast:?} 2^{d1} x 2^{d2} nu={nu} from {source}");
                assert_eq!(cost(broadcast, &grid, source, nu), printed, "{}", context());
            }
        }
    }
}
