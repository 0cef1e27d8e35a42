//! Broadcasts of \[SEIDEL\]: Table I, equation 4, and figures 16 and 18.

use wormscope_hw::NodeId;

use super::{Comparison, series};
use crate::model::seidel::{Broadcast, Cost, DELTA, Shape, st_five_phases, st_five_phases_printed, table_1};
use crate::model::seidel_steps;
use crate::multicast::broadcast::{bst, rh, st};
use crate::multicast::{self, Parameters, Plan, Request};
use crate::network::{Grid, Wiring};
use crate::report::chart::{Axis, Chart, Look};
use crate::table::Table;

/// Radices, and their shape in Table I.
const SHAPES: [(&[u32], Shape); 4] = [
    (&[8], Shape::Line { d: 3 }),
    (&[64], Shape::Line { d: 6 }),
    (&[8, 4], Shape::Mesh { d1: 2, d2: 3 }),
    (&[8, 8], Shape::Mesh { d1: 3, d2: 3 }),
];
const BROADCASTS: [(&str, Broadcast); 3] = [("st", Broadcast::St), ("bst", Broadcast::Bst), ("rh", Broadcast::Rh)];

/// Table I and equation 4, compared with schedules that run step by step in the paper's model.
/// Costs are shares of the length of the message.
#[must_use]
pub fn seidel() -> Comparison {
    let mut table = Table::new(
        &["broadcast", "nodes", "nu", "Table I", "schedule as printed", "plan, nothing sent twice"],
        &[0, 1],
    );
    for (radices, shape) in SHAPES {
        for (name, broadcast) in BROADCASTS {
            for nu in 0..3 {
                let Some(printed) = table_1(broadcast, shape, nu) else { continue };
                let size = radices.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
                let [schedule, plan] =
                    costs(name, broadcast, radices, nu).map(|cost| cost.map_or("-".to_owned(), words));
                table.row([name.to_owned(), size, nu.to_string(), words(printed), schedule, plan]);
            }
        }
    }
    let mut slip = Table::new(&["d1", "d2", "nu", "equation 4, printed", "sum of its five phases", "too high by"], &[]);
    for (d1, d2, nu) in [(2, 3, 0), (2, 3, 1), (3, 3, 1), (3, 3, 2)] {
        let (printed, sum) = (st_five_phases_printed(d1, d2, nu), st_five_phases(d1, d2, nu));
        let by = format!("{} m a", printed.transmission - sum.transmission);
        slip.row([d1.to_string(), d2.to_string(), nu.to_string(), words(printed), words(sum), by]);
    }
    let text = format!(
        "broadcasts of [SEIDEL] from node 0, costs as multiples of m a, b and m rho\n\nTable I\n{}\
         \x20 (what is left of a message without pieces that the receiver has need not be in a row: m rho)\n\n\
         equation 4, the mesh ST in five phases; run step by step it takes their sum\n{}",
        table.text(),
        slip.text()
    );
    let figure = |title: &str, radices: &[u32], shape| {
        let mut curves = Vec::new();
        for (colour, (name, broadcast)) in BROADCASTS.into_iter().enumerate() {
            let time = |cost: Option<Cost>, lengths: &[u32]| {
                let point = |&m: &u32| Some((f64::from(m), cost?.time(&DELTA, f64::from(m)) / 1000.0));
                lengths.iter().filter_map(point).collect::<Vec<_>>()
            };
            let powers: Vec<u32> = (3..=16).map(|n| 1 << n).collect();
            let name = name.to_uppercase();
            curves.push(series(&name, Look::Line, colour, time(table_1(broadcast, shape, 0), &powers)));
            let [schedule, _] = costs(&name.to_lowercase(), broadcast, radices, 0);
            curves.push(series(
                if colour == 0 { "model, step by step" } else { "" },
                Look::Marks,
                colour,
                time(schedule, &powers),
            ));
        }
        Chart {
            title: title.to_owned(),
            x: Axis::log("message length in bytes", 2.0),
            y: Axis::log("cost in ms, constants of the Delta", 2.0),
            series: curves,
            notes: Vec::new(),
        }
    };
    let charts = vec![
        figure("[SEIDEL] Fig. 16: broadcast on 16 nodes in a line", &[16], Shape::Line { d: 4 }),
        figure("[SEIDEL] Fig. 18: broadcast on a 16x32 mesh", &[32, 16], Shape::Mesh { d1: 4, d2: 5 }),
    ];
    Comparison { text, charts }
}

/// Costs of the schedule as printed and of the plan, run step by step.
fn costs(name: &str, broadcast: Broadcast, radices: &[u32], nu: u32) -> [Option<Cost>; 2] {
    let grid = Grid::new(radices.to_vec(), false);
    let run = |plan: Plan| seidel_steps::run(&grid, &plan).ok().map(|run| run.cost(nu));
    let printed = match broadcast {
        Broadcast::St => st::as_printed(&grid, NodeId(0), nu),
        Broadcast::Bst => bst::as_printed(&grid, NodeId(0), nu),
        Broadcast::Rh => rh::as_printed(&grid, NodeId(0)),
    };
    let wiring = Wiring::new(grid.clone());
    let destinations: Vec<NodeId> = (1..grid.nodes()).map(NodeId).collect();
    let parameters = Parameters { nu, ..Parameters::default() };
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
    let planned = multicast::find(name).ok().and_then(|algorithm| algorithm.plan(&request).ok());
    [printed, planned].map(|plan| plan.and_then(run))
}

fn words(cost: Cost) -> String {
    let rho = if cost.permutation > 0 { format!(" + {} m rho", cost.permutation) } else { String::new() };
    format!("{} m a + {} b{rho}", cost.transmission, cost.latency)
}
