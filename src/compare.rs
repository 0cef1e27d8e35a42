//! Closed forms of the papers beside what the simulator does.

use std::fmt::Write as _;

use thiserror::Error;
use wormscope_hw::NodeId;

use crate::config::{self, ConfigError, Loaded};
use crate::model::node_contention::{hl, spu_mesh, sqhl, u_mesh};
use crate::model::parameterised::{binomial, chain, sequential};
use crate::model::seidel::{Broadcast, Cost, Shape, table_1};
use crate::model::seidel_steps;
use crate::model::steps::steps;
use crate::model::unblocked::zero_load;
use crate::multicast::opt_tree::OptTree;
use crate::multicast::{self, Parameters, Plan, Request};
use crate::report::table::Table;
use crate::simulation::{Simulation, Site};
use crate::topology::{Grid, Wiring};

/// What cannot be compared.
#[derive(Debug, Error)]
pub enum CompareError {
    /// An experiment made of the arguments is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The costs are less than what the hardware takes.
    #[error("{what} is {value}; the hardware alone takes {least} cycles, so at least that")]
    TooFast {
        /// The cost.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The least.
        least: u64,
    },
}

fn experiment(network: &str, workload: &str, seed: u64) -> Result<Loaded, CompareError> {
    let text = format!("(network: ({network}), workload: [{workload}], run: (seed: {seed}))");
    Ok(config::from_text("model", &text, &[])?)
}

/// Runs an experiment to its end; cycles from begin to end of each of its multicasts, and their plans.
fn run(loaded: &Loaded) -> Result<(Vec<u64>, Vec<Plan>), CompareError> {
    let mut simulation = Simulation::new(loaded, &Site::new(&loaded.experiment))?;
    simulation.run(&mut (), |_| ())?;
    let operations = simulation.operations();
    let latency = operations.iter().map(|o| o.end.unwrap_or(u64::MAX) - o.begin).collect();
    Ok((latency, operations.iter().map(|o| (*o.design.plan).clone()).collect()))
}

/// The parameterised model (\[NUPAIROJ\] tables 4.1 to 4.3): latency of simple trees of k nodes, by formula and on a crossbar, where all nodes
/// are equally far and never in each other's way.
///
/// # Errors
/// When the hardware alone takes longer than `hold` or `end`.
pub fn parameterised(hold: u32, end: u32, nodes: &[u32]) -> Result<String, CompareError> {
    let header =
        ["k", "sequential", "simulated", "chain", "simulated", "binomial", "simulated", "OPT-tree", "simulated"];
    let mut table = Table::new(&header, &[]);
    let (h, e) = (f64::from(hold), f64::from(end));
    for &k in nodes {
        let crossbar = format!("topology: uni_min(switch_ports: {}, stages: 1)", k.clamp(2, 64));
        let bare = experiment(&crossbar, "", 1)?;
        // One header flit and one of payload.
        let net = zero_load(Site::new(&bare.experiment).timing(), 1, 2, 1).map_or(0, |latency| latency.tail);
        for (what, value, least) in [("t_end", end, net), ("t_hold", hold, 2)] {
            if u64::from(value) < least {
                return Err(CompareError::TooFast { what, value, least });
            }
        }
        let software = u64::from(end) - net;
        let node = format!("node: (costs: (hold: (fixed: {hold}.0), send: (fixed: {software}.0)))");
        let simulated = |algorithm: &str| {
            let to: Vec<String> = (1..k).map(|node| node.to_string()).collect();
            let workload = format!(
                "multicast(source: 0, destinations: [{}], algorithm: \"{algorithm}\", payload_flits: 1, \
                 settings: (hold: {hold}.0, end: {end}.0))",
                to.join(", ")
            );
            let (latency, _) = run(&experiment(&format!("{crossbar}, {node}"), &workload, 1)?)?;
            Ok::<_, CompareError>(latency.first().map_or_else(|| "-".to_owned(), u64::to_string))
        };
        table.row([
            k.to_string(),
            sequential(k, h, e).to_string(),
            simulated("sequential")?,
            chain(k, e).to_string(),
            simulated("chain")?,
            binomial(k, h, e).to_string(),
            simulated("binomial")?,
            OptTree::new(k as usize, h, e).latency(k).to_string(),
            simulated("opt_tree")?,
        ]);
    }
    Ok(format!("parameterised model, t_hold {hold}, t_end {end}, cycles\n{}", table.text()))
}

/// A table of \[KP\]: S multicasts among the same D nodes of an 8x8 mesh.
struct KpTable {
    name: &'static str,
    algorithm: &'static str,
    /// What the theorem says of (S, D).
    theorem: fn(u32, u32) -> String,
    columns: [(u32, u32); 10],
}

const ODD: [(u32, u32); 10] =
    [(1, 15), (1, 31), (1, 63), (15, 15), (15, 31), (15, 63), (31, 31), (31, 63), (47, 63), (63, 63)];
const EVEN: [(u32, u32); 10] =
    [(1, 16), (1, 32), (1, 64), (16, 16), (16, 32), (16, 64), (32, 32), (32, 64), (48, 64), (64, 64)];

fn bounds(of: crate::model::node_contention::Bounds) -> String {
    format!("{} to {}", of.lower, of.upper)
}

const KP_TABLES: [KpTable; 6] = [
    KpTable {
        name: "table 1, U-mesh, odd D, theorem 1",
        algorithm: "u_mesh",
        theorem: |s, d| u_mesh(s, d).to_string(),
        columns: ODD,
    },
    KpTable {
        name: "table 1, U-mesh, even D, theorem 1",
        algorithm: "u_mesh",
        theorem: |s, d| format!("from {}", u_mesh(s, d)),
        columns: EVEN,
    },
    KpTable { name: "table 3, HL, theorem 3", algorithm: "hl", theorem: |s, _| bounds(hl(s, 8, 2)), columns: EVEN },
    KpTable {
        name: "table 4, SPUmesh, theorem 5",
        algorithm: "spu_mesh",
        theorem: |s, d| format!("up to {}", spu_mesh(s, d)),
        columns: EVEN,
    },
    KpTable {
        name: "table 5, SQHL, theorem 6",
        algorithm: "sqhl",
        theorem: |s, _| bounds(sqhl(s, 8, 2)),
        columns: EVEN,
    },
    KpTable { name: "table 6, SCHL", algorithm: "schl", theorem: |_, _| "-".to_owned(), columns: EVEN },
];

/// Tables 1 and 3 to 6 of \[KP\], theorems beside the mean over some instances: on the hardware, with start-ups beside which nothing else
/// counts, and counted in steps.
///
/// # Errors
/// None that a user can cause.
pub fn kp(instances: u32) -> Result<String, CompareError> {
    /// Cycles of a start-up.
    const STARTUP: u64 = 20_000;
    let network =
        format!("topology: mesh(radices: [8, 8]), node: (startup_cycles: {STARTUP}, consumption_channels: 4)");
    let mut text =
        format!("latency in start-ups on an 8x8 mesh, S sources among D nodes, mean of {instances} instances\n");
    for KpTable { name, algorithm, theorem, columns } in KP_TABLES {
        let mut table = Table::new(&["S", "D", "theorem", "hardware", "steps"], &[]);
        for (s, d) in columns {
            let workload = format!(
                "multicasts(count: {s}, destinations: {}, overlap: complete, algorithm: \"{algorithm}\", payload_flits: 1)",
                d - 1
            );
            let (mut hardware, mut counted) = (0, 0);
            for seed in 0..instances {
                let (latency, plans) = run(&experiment(&network, &workload, seed.into())?)?;
                hardware += latency.into_iter().max().unwrap_or(0) / STARTUP;
                counted += u64::from(steps(&plans).into_iter().max().unwrap_or(0));
            }
            let mean = |sum: u64| format!("{:.2}", sum as f64 / f64::from(instances));
            table.row([s.to_string(), d.to_string(), theorem(s, d), mean(hardware), mean(counted)]);
        }
        let _ = write!(text, "\n{name}\n{}", table.text());
    }
    Ok(text)
}

/// Table I of \[SEIDEL\] beside plans that are run step by step under its model.
#[must_use]
pub fn seidel() -> String {
    let shapes = [
        (vec![8], Shape::Line { d: 3 }),
        (vec![64], Shape::Line { d: 6 }),
        (vec![8, 4], Shape::Mesh { d1: 2, d2: 3 }),
        (vec![8, 8], Shape::Mesh { d1: 3, d2: 3 }),
    ];
    let broadcasts = [("st", Broadcast::St), ("bst", Broadcast::Bst), ("rh", Broadcast::Rh)];
    let mut table = Table::new(&["broadcast", "nodes", "nu", "Table I", "run"], &[0, 1]);
    for (radices, shape) in shapes {
        for (name, broadcast) in broadcasts {
            for nu in 0..2 {
                let Some(printed) = table_1(broadcast, shape, nu) else { continue };
                let grid = Grid::new(radices.clone(), false);
                let size = radices.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
                let run = broadcast_cost(name, &grid, nu).map_or_else(|| "-".to_owned(), in_words);
                table.row([name.to_owned(), size, nu.to_string(), in_words(printed), run]);
            }
        }
    }
    format!("broadcasts of [SEIDEL] Table I, costs as multiples of m a, b and m rho\n{}", table.text())
}

fn broadcast_cost(name: &str, grid: &Grid, nu: u32) -> Option<Cost> {
    let wiring = Wiring::Grid(grid.clone());
    let destinations: Vec<NodeId> = (1..grid.nodes()).map(NodeId).collect();
    let parameters = Parameters { nu, ..Parameters::default() };
    let request = Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
    let plan = multicast::find(name).ok()?.plan(&request).ok()?;
    seidel_steps::run(grid, &plan).ok().map(|run| run.cost(nu))
}

fn in_words(cost: Cost) -> String {
    let rho = if cost.permutation > 0 { format!(" + {} m rho", cost.permutation) } else { String::new() };
    format!("{} m a + {} b{rho}", cost.transmission, cost.latency)
}

/// Latency of an ATBM multicast to `destinations` nodes without contention (\[ATBM\] section 4.3): `2T + 1` switches of a bidirectional network, T
/// the stage of the turn, a routing decision at each, then a cycle a flit; by formula and simulated, the paper's way (the header counts
/// once) and the hardware's (each switch assembles the header first).
///
/// # Errors
/// None that a user can cause.
pub fn atbm() -> Result<String, CompareError> {
    const PAYLOAD: u32 = 64;
    let mut table = Table::new(&["nodes", "switch", "dests", "T", "formula", "overlapped", "formula", "store"], &[1]);
    for (ports, stages) in [(2, 4), (4, 2), (2, 6), (4, 3), (8, 2), (4, 4)] {
        let nodes = u32::pow(ports, stages);
        for destinations in [1, nodes / 4, nodes / 2, nodes - 1] {
            // Source 0 and the last nodes: the turn is in the last stage.
            let to: Vec<String> = (nodes - destinations..nodes).map(|node| node.to_string()).collect();
            let header = nodes.div_ceil(16);
            let simulated = |timing: &str| {
                let network = format!(
                    "topology: bi_min(switch_ports: {ports}, stages: {stages}), switch: (flit_bits: 16, fifo_depth: {}, \
                     routing_cycles: 3, header_timing: {timing})",
                    header.max(4)
                );
                let workload = format!(
                    "multicast(source: 0, destinations: [{}], algorithm: \"atbm\", payload_flits: {PAYLOAD})",
                    to.join(", ")
                );
                run(&experiment(&network, &workload, 1)?).map(|(latency, _)| latency.first().copied().unwrap_or(0))
            };
            let turn = stages - 1;
            let switches = 2 * turn + 1;
            // The link of the node, then a routing decision of 3 cycles and a link at each switch.
            let head = 1 + switches * (3 + 1);
            let overlapped = head + header + PAYLOAD - 1;
            let store = overlapped + switches * (header - 1);
            table.row([
                nodes.to_string(),
                format!("{ports}x{ports}"),
                destinations.to_string(),
                turn.to_string(),
                overlapped.to_string(),
                simulated("overlapped")?.to_string(),
                store.to_string(),
                simulated("store")?.to_string(),
            ]);
        }
    }
    Ok(format!("ATBM on bidirectional networks, {PAYLOAD} payload flits of 16 bits, cycles\n{}", table.text()))
}
