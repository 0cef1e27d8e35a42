//! Broadcasts of \[SEIDEL\] in its cost model, step by step: Table I, Figs. 16 and 18, sections 3
//! to 5. The same steps also run one after the other on the flit hardware.

use wormscope_hw::NodeId;

use super::data::Curves;
use crate::config;
use crate::engine::Delivery;
use crate::model::seidel::{
    Broadcast, COMPANIONS_BY_BST, Cost, DELTA, Shape, WHOLE, any_size, bst_line_of_rows, companions, st_five_phases,
    st_five_phases_printed, table_1,
};
use crate::model::seidel_steps;
use crate::multicast::broadcast::{bst, rh, st};
use crate::multicast::{self, Parameters, Plan, Request};
use crate::network::{Grid, Wiring};
use crate::simulation::{Outcome, Simulation, Site};

const BROADCASTS: [(&str, Broadcast); 3] = [("ST", Broadcast::St), ("BST", Broadcast::Bst), ("RH", Broadcast::Rh)];

/// Figs. 16 and 17: 16 nodes in a line.
const LINE: (&[u32], Shape) = (&[16], Shape::Line { d: 4 });
/// Fig. 18: 16 rows of 32 nodes.
const MESH: (&[u32], Shape) = (&[32, 16], Shape::Mesh { d1: 4, d2: 5 });

/// Cycles of a start-up and nanoseconds of a cycle, in which a link carries 2 bytes: Table II.
const START_UP: u32 = 469;
const CYCLE_NS: f64 = 160.0;
const BYTES_A_FLIT: u32 = 2;

/// A cost by log2 of a side.
type Formula = fn(u32) -> Cost;

/// Lengths of messages in bytes, 8 to 64 K.
fn lengths(is_quick: bool) -> impl Iterator<Item = u32> {
    (3..=16).map(|n| 1 << n).filter(move |&m| !is_quick || [8, 512, 1024, 2048, 16384].contains(&m))
}

/// Milliseconds on the Delta.
fn time(cost: Cost, bytes: u32) -> f64 {
    cost.time(&DELTA, f64::from(bytes)) / 1000.0
}

/// Fig. 16: closed forms, and the schedules run step by step.
pub(super) fn line(_: bool) -> Result<Curves, String> {
    costs(LINE)
}

/// Fig. 18, and the simple versions of sections 3.2.1 and 3.4.1.
pub(super) fn mesh(_: bool) -> Result<Curves, String> {
    let mut curves = costs(MESH)?;
    let (d1, d2) = (4, 5);
    let rows = [
        ("simple ST", each(1.0, d1 + d2)),
        ("rows and columns BST", each(0.5, d1 + d2 + 2)),
        ("simple BST", bst_line_of_rows(d1, d2)),
    ];
    for (name, cost) in rows {
        curves.push((name.to_owned(), lengths(false).map(|m| (f64::from(m), time(cost, m))).collect()));
    }
    Ok(curves)
}

/// Cost of steps that each carry this share of the message.
fn each(share: f64, latency: u32) -> Cost {
    Cost { transmission: share * f64::from(latency), latency, permutation: 0 }
}

fn costs((radices, shape): (&[u32], Shape)) -> Result<Curves, String> {
    let mut curves = Curves::new();
    for (name, broadcast) in BROADCASTS {
        let printed = table_1(broadcast, shape, 0).ok_or("Table I does not have it")?;
        let ran = schedule(&Grid::new(radices.to_vec(), false), broadcast, 0, 0)?;
        for (name, cost) in [(name.to_owned(), printed), (format!("{name}, steps"), ran)] {
            curves.push((name, lengths(false).map(|m| (f64::from(m), time(cost, m))).collect()));
        }
    }
    Ok(curves)
}

/// The plan of a broadcast from a node to all others.
fn plan(grid: &Grid, name: &str, source: u32, nu: u32) -> Result<Plan, String> {
    let wiring = Wiring::new(grid.clone());
    let source = NodeId(source);
    let destinations: Vec<NodeId> = (0..grid.nodes()).map(NodeId).filter(|&node| node != source).collect();
    let parameters = Parameters { nu, ..Parameters::default() };
    let request = Request { wiring: &wiring, source, destinations: &destinations, parameters: &parameters };
    let algorithm = multicast::find(&name.to_lowercase()).map_err(|why| why.to_string())?;
    algorithm.plan(&request).map_err(|why| why.to_string())
}

/// The cost of a plan, run step by step.
fn run(grid: &Grid, plan: &Plan, nu: u32) -> Result<Cost, String> {
    Ok(seidel_steps::run(grid, plan).map_err(|why| why.to_string())?.cost(nu))
}

/// The schedule as printed.
fn printed(grid: &Grid, broadcast: Broadcast, source: u32, nu: u32) -> Result<Plan, String> {
    let plan = match broadcast {
        Broadcast::St => st::as_printed(grid, NodeId(source), nu),
        Broadcast::Bst => bst::as_printed(grid, NodeId(source), nu),
        Broadcast::Rh => rh::as_printed(grid, NodeId(source)),
    };
    plan.ok_or_else(|| "there is no schedule".to_owned())
}

/// The cost of the schedule as printed, run step by step.
fn schedule(grid: &Grid, broadcast: Broadcast, source: u32, nu: u32) -> Result<Cost, String> {
    run(grid, &printed(grid, broadcast, source, nu)?, nu)
}

/// Steps of the broadcasts on 16 nodes in a line, each begun when the previous step has arrived
/// everywhere.
pub(super) fn line_apart(is_quick: bool) -> Result<Curves, String> {
    apart(LINE.0, is_quick)
}

/// Steps of the broadcasts on 16x32 nodes, in the same way.
pub(super) fn mesh_apart(is_quick: bool) -> Result<Curves, String> {
    apart(MESH.0, is_quick)
}

/// Times of all broadcasts without overlap of their steps, on links of one and of eight virtual
/// channels.
fn apart(radices: &[u32], is_quick: bool) -> Result<Curves, String> {
    let grid = Grid::new(radices.to_vec(), false);
    let mut curves = Curves::new();
    for (name, broadcast) in BROADCASTS {
        let plan = plan(&grid, name, 0, 0)?;
        for channels in [1, 8] {
            let mut points = Vec::new();
            for bytes in lengths(is_quick) {
                let permuted = f64::from(broadcast.permutations() * bytes) * DELTA.permutation / 1000.0;
                let cycles = steps_apart(&grid, &plan, bytes, channels)?;
                points.push((f64::from(bytes), cycles as f64 * CYCLE_NS / 1e6 + permuted));
            }
            let links = if channels == 1 { "" } else { ", shared links" };
            curves.push((format!("{name}, steps apart{links}"), points));
        }
    }
    Ok(curves)
}

/// Cycles of a plan's steps on the flit hardware, each begun when the previous step is over.
fn steps_apart(grid: &Grid, plan: &Plan, bytes: u32, channels: u32) -> Result<u64, String> {
    let piece = bytes.div_ceil(BYTES_A_FLIT).div_ceil(plan.pieces);
    let mut cycles = 0;
    for sends in plan.sends.chunk_by(|a, b| a.step == b.step) {
        let message = |send: &multicast::Send| {
            let flits = piece * send.pieces.iter().map(|range| range.end - range.start).sum::<u32>();
            format!("(cycle: 0, source: {}, destinations: [{}], payload_flits: {flits})", send.from, send.to[0])
        };
        let messages: Vec<String> = sends.iter().map(message).collect();
        let text = format!(
            "(network: (topology: mesh(radices: {:?}), switch: (flit_bits: {}, fifo_depth: 4, routing_cycles: 0, \
             virtual_channels: {channels}), node: (startup_cycles: {START_UP})), workload: [messages([{}])])",
            grid.radices(),
            8 * BYTES_A_FLIT,
            messages.join(", ")
        );
        let loaded = config::from_text("step", &text, &[]).map_err(|why| why.to_string())?;
        let site = Site::of(&loaded).map_err(|why| why.to_string())?;
        let mut simulation = Simulation::new(&loaded, &site).map_err(|why| why.to_string())?;
        let mut deliveries: Vec<Delivery> = Vec::new();
        match simulation.run(&mut deliveries, |_| ()).map_err(|why| why.to_string())? {
            Outcome::Done => cycles += deliveries.iter().map(|delivery| delivery.tail).max().unwrap_or(0),
            Outcome::Saturated | Outcome::CycleLimit | Outcome::Deadlock(_) | Outcome::Stopped => {
                return Err(format!("step {} does not end", sends[0].step));
            }
        }
    }
    Ok(cycles)
}

/// Table I on arrays and square meshes: coefficients of ma and b over log2 of their sides for each
/// nu. It also has their differences from the schedules that are run.
pub(super) fn table(is_quick: bool) -> Result<Curves, String> {
    let mut curves = Curves::new();
    let (lines, meshes) = if is_quick { (6, 4) } else { (8, 5) };
    for (kind, most) in [("linear", lines), ("mesh", meshes)] {
        for (name, broadcast) in BROADCASTS {
            let mut off = vec![0_f64; most as usize];
            for nu in 0..3 {
                let (mut sent, mut latencies) = (Vec::new(), Vec::new());
                for d in nu + 1..=most {
                    let (radices, shape) = if kind == "linear" {
                        (vec![1 << d], Shape::Line { d })
                    } else {
                        (vec![1 << d; 2], Shape::Mesh { d1: d, d2: d })
                    };
                    let printed = table_1(broadcast, shape, nu).ok_or("Table I does not have it")?;
                    let ran = schedule(&Grid::new(radices, false), broadcast, 0, nu)?;
                    let by = f64::from(printed.latency.abs_diff(ran.latency));
                    let worst = &mut off[d as usize - 1];
                    *worst = worst.max((printed.transmission - ran.transmission).abs()).max(by);
                    sent.push((f64::from(d), printed.transmission));
                    latencies.push((f64::from(d), f64::from(printed.latency)));
                }
                curves.push((format!("{kind} {name}, nu {nu}"), sent));
                curves.push((format!("{kind} {name}, nu {nu}, start-ups"), latencies));
            }
            let off = (1..).zip(off).map(|(d, off)| (f64::from(d), off)).collect();
            curves.push((format!("{kind} {name}, off"), off));
        }
    }
    for nu in 0..2 {
        let side = |d: u32| Some((f64::from(d), crossover(Shape::Mesh { d1: d, d2: d }, nu)?));
        curves.push((format!("mesh BST below ST, nu {nu}"), (2..=8).filter_map(side).collect()));
    }
    // Meshes of 4 rows whose columns become longer.
    let long = |&d: &u32| Some((f64::from(d), table_1(Broadcast::Rh, Shape::Mesh { d1: 2, d2: d }, 0)?.transmission));
    curves.push(("mesh RH, 4 rows".to_owned(), (2..=12).collect::<Vec<u32>>().iter().filter_map(long).collect()));
    let shorter = |d: u32| Some((f64::from(d), crossover(Shape::Line { d }, 0)?));
    curves.push(("linear BST below ST".to_owned(), (2..=16).filter_map(shorter).collect()));
    let shorter = |d: u32| Some((f64::from(2 * d), crossover(Shape::Mesh { d1: d, d2: d }, 0)?));
    curves.push(("mesh BST below ST".to_owned(), (2..=8).filter_map(shorter).collect()));
    for nu in 0..2 {
        let dearest = |d: u32| {
            let of = |broadcast| table_1(broadcast, Shape::Line { d }, nu);
            let (bst, rh) = (of(Broadcast::Bst)?, of(Broadcast::Rh)?);
            let ratios = lengths(false).map(|m| time(bst, m) / time(rh, m));
            Some((f64::from(d), ratios.reduce(f64::max)?))
        };
        curves.push((format!("linear BST to RH, nu {nu}"), (nu + 1..=12).filter_map(dearest).collect()));
    }
    permuted(lines.min(6), meshes.min(4), &mut curves)?;
    Ok(curves)
}

/// The length in bytes above which BST costs less than ST on the Delta.
fn crossover(shape: Shape, nu: u32) -> Option<f64> {
    let (st, bst) = (table_1(Broadcast::St, shape, nu)?, table_1(Broadcast::Bst, shape, nu)?);
    let start_ups = f64::from(bst.latency) - f64::from(st.latency);
    let less = (st.transmission - bst.transmission) * DELTA.to_network;
    (less > 0.0).then(|| start_ups * DELTA.latency / less)
}

/// Largest number of permutations of the message by the schedules, over arrays and over square
/// meshes for nu = 0, 1 and 2.
fn permuted(lines: u32, meshes: u32, curves: &mut Curves) -> Result<(), String> {
    for (kind, dimensions, most) in [("linear", 1, lines), ("mesh", 2, meshes)] {
        for (name, broadcast) in BROADCASTS {
            let mut points = Vec::new();
            for d in 1..=most {
                let grid = Grid::new(vec![1 << d; dimensions], false);
                let mut times = 0;
                for nu in 0..d.min(3) {
                    times = times.max(schedule(&grid, broadcast, 0, nu)?.permutation);
                }
                points.push((f64::from(d), f64::from(times)));
            }
            curves.push((format!("{kind} {name}, permuted"), points));
        }
    }
    Ok(())
}

/// Section 3.2.2: the ST broadcasts by equations 3, 4 and 6 on square meshes of 2^d x 2^d nodes.
/// The figure also has these broadcasts on 2^d x 4 nodes, with each side first.
#[allow(clippy::unnecessary_wraps)] // As all models.
pub(super) fn mesh_st(_: bool) -> Result<Curves, String> {
    let mut curves = Curves::new();
    for nu in 0..2_u32 {
        let costs = |d: u32| {
            // Equation 3: a broadcast along a column and then along the rows, both by equation 2.
            let line = table_1(Broadcast::St, Shape::Line { d }, nu)?;
            let better = table_1(Broadcast::St, Shape::Mesh { d1: d, d2: d }, nu)?;
            Some([line + line, st_five_phases_printed(d, d, nu), st_five_phases(d, d, nu), better])
        };
        for (n, name) in ["equation 3", "equation 4", "five phases", "equation 6"].into_iter().enumerate() {
            let point = |d: u32| Some((f64::from(d), costs(d)?[n].transmission));
            curves.push((format!("{name}, nu {nu}"), (nu + 1..=8).filter_map(point).collect()));
        }
    }
    let more = |d2: u32| {
        let last = table_1(Broadcast::St, Shape::Mesh { d1: 3, d2 }, 1)?;
        Some((f64::from(d2), f64::from(last.latency) - f64::from(st_five_phases_printed(3, d2, 1).latency)))
    };
    curves.push(("steps more".to_owned(), (3..=8).filter_map(more).collect()));
    // On 2^d x 4 nodes: first the phases along the side of 2^d nodes, or first the phases along the
    // other side.
    let orders: [(&str, Formula); 2] =
        [("longer side first", |d| st_five_phases(d, 2, 1)), ("shorter side first", |d| st_five_phases(2, d, 1))];
    for (name, of) in orders {
        curves.push((name.to_owned(), (3..=8).map(|d| (f64::from(d), of(d).transmission)).collect()));
    }
    Ok(curves)
}

/// Sections 3.5 and 3.6: circuits on the most used link in every step of RH's exchange. The
/// exchanges are on 16 nodes in a line, and on meshes. On meshes, the figure also has exchanges
/// along all rows before all columns.
pub(super) fn contention(_: bool) -> Result<Curves, String> {
    let circuits = |radices: Vec<u32>| {
        let grid = Grid::new(radices, false);
        let ran = seidel_steps::run(&grid, &printed(&grid, Broadcast::Rh, 0, 0)?).map_err(|why| why.to_string())?;
        let exchange = &ran.steps[grid.nodes().ilog2() as usize..];
        Ok::<_, String>(exchange.iter().map(|step| f64::from(step.circuits)).collect::<Vec<_>>())
    };
    let mut curves = Curves::new();
    let numbered = |steps: Vec<f64>| (1..).map(f64::from).zip(steps).collect();
    curves.push(("16 nodes".to_owned(), numbered(circuits(vec![16])?)));
    for (name, columns, rows) in [("16x16", 16, 16), ("4x64", 64, 4)] {
        curves.push((name.to_owned(), numbered(circuits(vec![columns, rows])?)));
        // All rows at once are as many arrays, and so are all columns.
        let apart = [circuits(vec![columns])?, circuits(vec![rows])?].concat();
        curves.push((format!("{name}, rows first"), numbered(apart)));
    }
    Ok(curves)
}

/// Section 4: costs from every node of 16 in a line and of 8x4, in ms for 4 Kbyte.
pub(super) fn sources(_: bool) -> Result<Curves, String> {
    let mut curves = Curves::new();
    for (kind, radices) in [("linear", vec![16]), ("mesh", vec![8, 4])] {
        let grid = Grid::new(radices, false);
        for (name, broadcast) in BROADCASTS {
            let mut points = Vec::new();
            for source in 0..grid.nodes() {
                let cost = Cost { permutation: 0, ..schedule(&grid, broadcast, source, 0)? };
                points.push((f64::from(source), time(cost, 4096)));
            }
            curves.push((format!("{kind} {name}, steps"), points));
        }
    }
    Ok(curves)
}

/// Section 5: arrays of any size, by virtual nodes and by companions, in ms for 4 Kbyte. Square
/// meshes are one node longer than a power of two, and are given in terms of that power's.
pub(super) fn sizes(_: bool) -> Result<Curves, String> {
    let mut curves = Curves::new();
    let sizes = || (3..=64_u32).filter(|n| !n.is_power_of_two());
    for (name, broadcast) in BROADCASTS {
        let (mut by_table, mut ran, mut messages) = (Vec::new(), Vec::new(), Vec::new());
        for n in sizes() {
            let down = table_1(broadcast, Shape::Line { d: n.ilog2() }, 0).ok_or("Table I does not have it")?;
            by_table.push((f64::from(n), time(down + WHOLE, 4096)));
            ran.push((f64::from(n), time(schedule(&Grid::new(vec![n], false), broadcast, 0, 0)?, 4096)));
            messages.push((f64::from(n), f64::from(messages_at_once(broadcast, n)?)));
        }
        curves.push((format!("{name}, companions, printed"), by_table));
        curves.push((format!("{name}, companions, steps"), ran));
        curves.push((format!("{name}, messages at once"), messages));
    }
    for (name, broadcast) in &BROADCASTS[..2] {
        let (mut by_virtual, mut by_companions, mut ran) = (Vec::new(), Vec::new(), Vec::new());
        for n in sizes() {
            let of = |d| table_1(*broadcast, Shape::Line { d }, 0).ok_or("Table I does not have it");
            let (up, down) = (of(n.ilog2() + 1)?, of(n.ilog2())? + WHOLE);
            let x = f64::from(n);
            by_virtual.push((x, time(up, 4096)));
            by_companions.push((x, time(down, 4096)));
            let grid = Grid::new(vec![n], false);
            ran.push((x, time(run(&grid, &plan(&grid, name, 0, 0)?, 0)?, 4096)));
        }
        curves.push((format!("{name}, virtual nodes"), by_virtual));
        curves.push((format!("{name}, companions"), by_companions));
        curves.push((format!("{name}, steps"), ran));
    }
    for (name, broadcast) in BROADCASTS {
        let ratio = |d: u32| {
            let of = |k| any_size(broadcast, &Grid::new(vec![k; 2], false), 0, COMPANIONS_BY_BST);
            Some((f64::from(d), of((1 << d) + 1)?.transmission / of(1 << d)?.transmission))
        };
        curves.push((format!("mesh {name}"), (2..=6).filter_map(ratio).collect()));
        let mut added = Vec::new();
        for d in 2..=4_u32 {
            let of = |k| schedule(&Grid::new(vec![k; 2], false), broadcast, 0, 0);
            added.push((f64::from(d), of((1 << d) + 1)?.transmission - of(1 << d)?.transmission));
        }
        curves.push((format!("mesh {name}, added"), added));
    }
    Ok(curves)
}

/// The most messages that the last of n nodes in a line sends or receives in one step. It plays the
/// virtual nodes behind it.
fn messages_at_once(broadcast: Broadcast, n: u32) -> Result<u32, String> {
    let sends = printed(&Grid::new(vec![n.next_power_of_two()], false), broadcast, 0, 0)?.sends;
    let last = n - 1;
    let mut most = 0;
    for step in sends.chunk_by(|a, b| a.step == b.step) {
        let ends = step.iter().map(|send| (send.from.0 >= last, send.to[0].0 >= last));
        let (sent, received) = ends.fold((0, 0), |(sent, received), (from, to)| {
            (sent + u32::from(from && !to), received + u32::from(to && !from))
        });
        most = most.max(sent).max(received);
    }
    Ok(most)
}

/// Section 5 on meshes, over message lengths, in ms. The simple broadcasts have virtual nodes and
/// companions, and the better broadcasts have companions. The mesh has 11x11 nodes, or 2x2.
pub(super) fn mesh_sizes(_: bool) -> Result<Curves, String> {
    let (up, down) = (4, 3);
    let grid = Grid::new(vec![11, 11], false);
    let mut curves = Curves::new();
    let mut add = |name: String, of: &dyn Fn(u32) -> Cost| {
        curves.push((name, lengths(false).map(|m| (f64::from(m), time(of(m), m))).collect()));
    };
    let square = |broadcast, d| table_1(broadcast, Shape::Mesh { d1: d, d2: d }, 0).ok_or("Table I does not have it");
    let simple: [(Broadcast, &str, Formula); 2] = [
        (Broadcast::St, "st_simple", |d| each(1.0, 2 * d)),
        (Broadcast::Bst, "bst_simple", |d| bst_line_of_rows(d, d)),
    ];
    for ((name, _), (broadcast, algorithm, of)) in BROADCASTS.into_iter().zip(simple) {
        let served = |m: u32| companions(&DELTA, f64::from(m));
        let (ran, better) = (run(&grid, &plan(&grid, algorithm, 0, 0)?, 0)?, square(broadcast, down)?);
        add(format!("simple {name}, virtual nodes"), &|_| of(up));
        add(format!("simple {name}, virtual nodes, steps"), &|_| ran);
        add(format!("simple {name}, companions"), &|m| of(down) + served(m));
        add(format!("better {name}, companions"), &|m| better + served(m));
    }
    add("2x2 ST".to_owned(), &|_| each(1.0, 2));
    add("2x2 BST".to_owned(), &|_| each(0.5, 3));
    let halving = square(Broadcast::Rh, 1)?;
    add("2x2 RH".to_owned(), &|_| halving);
    Ok(curves)
}
