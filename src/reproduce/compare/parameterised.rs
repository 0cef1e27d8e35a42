//! The parameterised model of \[NUPAIROJ\]: tables 4.1 to 4.4, and the trees of figures 5.4 to 5.8
//! run on the hardware.

use std::fmt::Write as _;

use super::{CompareError, Comparison, experiment, list, run, series};
use crate::model::parameterised::{binomial, chain, sequential};
use crate::model::unblocked::zero_load;
use crate::multicast::trees::alpha_opt_tree::AlphaOptTree;
use crate::multicast::trees::opt_tree::OptTree;
use crate::report::chart::{Axis, Chart, Look};
use crate::simulation::Site;
use crate::table::Table;

/// The simple trees and the OPT-tree.
const TREES: [(&str, &str); 4] =
    [("sequential", "sequential"), ("chain", "chain"), ("binomial", "binomial"), ("OPT-tree", "opt_tree")];

/// Trees of k nodes by formula (\[NUPAIROJ\] tables 4.2 and 4.3) and on a crossbar. On a crossbar,
/// all distances are equal, and worms never block each other. Also has tables 4.1, 4.3 and 4.4, and
/// figures 5.4 to 5.8.
///
/// # Errors
/// When the hardware alone takes longer than `hold` or `end`.
pub fn parameterised(hold: u32, end: u32, nodes: &[u32]) -> Result<Comparison, CompareError> {
    let mut table = Table::new(
        &["k", "sequential", "simulated", "chain", "simulated", "binomial", "simulated", "OPT-tree", "simulated"],
        &[],
    );
    let (h, e) = (f64::from(hold), f64::from(end));
    let formulas =
        |k: u32| [sequential(k, h, e), chain(k, e), binomial(k, h, e), OptTree::new(k as usize, h, e).latency(k)];
    let mut marks: [Vec<(f64, f64)>; 4] = Default::default();
    for &k in nodes {
        let simulated = on_a_crossbar(hold, end, k)?;
        let mut row = vec![k.to_string()];
        for ((formula, simulated), marks) in formulas(k).into_iter().zip(simulated).zip(&mut marks) {
            row.extend([formula.to_string(), simulated.to_string()]);
            marks.push((k.into(), simulated as f64));
        }
        table.row(row);
    }
    let mut text = format!("trees of k nodes, t_hold {hold}, t_end {end}, cycles\n{}", table.text());
    let most = nodes.iter().copied().max().unwrap_or(2);
    let mut curves = Vec::new();
    for (i, (&(name, _), marks)) in TREES.iter().zip(marks).enumerate() {
        curves.push(series(name, Look::Line, i, (2..=most).map(|k| (f64::from(k), formulas(k)[i]))));
        curves.push(series(if i == 0 { "simulated" } else { "" }, Look::Marks, i, marks));
    }
    let _ = write!(text, "\n{}\n{}\n{}\n{}", table_4_1(), table_4_3(), table_4_4(), figures()?);
    let chart = Chart {
        title: format!("Multicast latency, t_hold {hold}, t_end {end} cycles"),
        x: Axis::log("nodes of the tree, root included", 2.0),
        y: Axis::log("latency in cycles", 2.0),
        series: curves,
        notes: Vec::new(),
    };
    Ok(Comparison { text, charts: vec![chart] })
}

/// Latency of the trees of `k` nodes, simulated.
fn on_a_crossbar(hold: u32, end: u32, k: u32) -> Result<[u64; 4], CompareError> {
    let crossbar = format!("topology: uni_min(switch_ports: {}, stages: 1)", k.clamp(2, 64));
    let bare = experiment(&crossbar, "", 1)?;
    // One header flit and one of payload.
    let net = zero_load(Site::of(&bare)?.timing(), 1, 2, 1).map_or(0, |latency| latency.tail);
    for (what, value, least) in [("t_end", end, net), ("t_hold", hold, 2)] {
        if u64::from(value) < least {
            return Err(CompareError::TooFast { what, value, least });
        }
    }
    let software = u64::from(end) - net;
    let network = format!("{crossbar}, node: (costs: (hold: (fixed: {hold}.0), send: (fixed: {software}.0)))");
    let mut simulated = [0; 4];
    for ((_, algorithm), simulated) in TREES.iter().zip(&mut simulated) {
        let workload = format!(
            "multicast(source: 0, destinations: [{}], algorithm: \"{algorithm}\", payload_flits: 1, \
             settings: (hold: {hold}.0, end: {end}.0))",
            list(1..k)
        );
        *simulated = run(&experiment(&network, &workload, 1)?)?.0.first().copied().unwrap_or(0);
    }
    Ok(simulated)
}

/// Table 4.1: two systems, 8 nodes.
fn table_4_1() -> String {
    let mut table = Table::new(&["system", "message", "sequential", "printed", "binomial", "printed"], &[0, 1]);
    let systems = [
        ("S1: 20 + 0.02 m, 55 + 0.07 m", (20.0, 0.02), (55.0, 0.07), ["19631", "21669"]),
        ("S2: 25 + 0.03 m, 40 + 0.04 m", (25.0, 0.03), (40.0, 0.04), ["22718", "12408"]),
    ];
    for (system, hold, end, printed) in systems {
        for (bytes, printed) in [(102_400.0, printed), (1024.0, ["-", "-"])] {
            let of = |(fixed, per_byte): (f64, f64)| fixed + per_byte * bytes;
            let (hold, end) = (of(hold), of(end));
            table.row([
                system.to_owned(),
                format!("{bytes} bytes"),
                format!("{:.0}", sequential(8, hold, end)),
                printed[0].to_owned(),
                format!("{:.0}", binomial(8, hold, end)),
                printed[1].to_owned(),
            ]);
        }
    }
    format!(
        "table 4.1: trees of 8 nodes (the caption says 1 Kbyte, the printed numbers are those of 100)\n{}",
        table.text()
    )
}

/// A row of table 4.3: i, `j_i`, `t[j_i] + t_hold`, `t[i - j_i] + t_end`, `t[i]`.
type Row43 = (u32, u32, [u32; 3]);

/// Table 4.3: all its columns, printed and computed.
fn table_4_3() -> String {
    const PRINTED: [Row43; 8] = [
        (2, 1, [20, 55, 55]),
        (3, 2, [75, 55, 75]),
        (4, 3, [95, 55, 95]),
        (5, 3, [95, 110, 110]),
        (6, 4, [115, 110, 115]),
        (7, 5, [130, 110, 130]),
        (8, 5, [130, 130, 130]),
        (9, 6, [135, 130, 135]),
    ];
    let of = OptTree::new(9, 20.0, 55.0);
    let columns = [
        "i",
        "j_i",
        "printed",
        "i - j_i",
        "t[j_i] + t_hold",
        "printed",
        "t[i - j_i] + t_end",
        "printed",
        "t[i]",
        "printed",
    ];
    let mut table = Table::new(&columns, &[]);
    for (i, j, printed) in PRINTED {
        let keeps = of.keeps(i);
        let times = [of.latency(keeps) + 20.0, of.latency(i - keeps) + 55.0, of.latency(i)];
        let times = times.into_iter().zip(printed).flat_map(|(time, printed)| [time.to_string(), printed.to_string()]);
        table.row([i, keeps, j, i - keeps].map(|n| n.to_string()).into_iter().chain(times).collect::<Vec<_>>());
    }
    format!("table 4.3: OPT-tree, t_hold 20, t_end 55\n{}", table.text())
}

/// A row of table 4.4: the sizes of the parts, `C_1` to `C_4`, `t[i]`.
type Row44 = ([u32; 4], Option<[u32; 4]>, u32);

/// Table 4.4: three ports, all columns, printed and computed.
fn table_4_4() -> String {
    const PRINTED: [Row44; 11] = [
        ([1, 1, 0, 0], None, 55),
        ([1, 1, 1, 0], Some([77, 110, 65, 75]), 65),
        ([1, 1, 1, 1], Some([77, 110, 120, 75]), 75),
        ([2, 1, 1, 1], Some([77, 110, 120, 130]), 77),
        ([3, 1, 1, 1], Some([87, 110, 120, 130]), 87),
        ([4, 1, 1, 1], Some([97, 110, 120, 130]), 97),
        ([5, 1, 1, 1], Some([99, 110, 120, 130]), 99),
        ([6, 1, 1, 1], Some([109, 110, 120, 130]), 109),
        ([6, 2, 1, 1], Some([119, 110, 120, 130]), 110),
        ([7, 2, 1, 1], Some([119, 120, 120, 130]), 119),
        ([7, 3, 1, 1], Some([121, 120, 120, 130]), 120),
    ];
    let of = AlphaOptTree::new(12, 3, 22.0, 55.0, 10.0);
    let words = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let columns = ["i", "j_i j1 j2 j3", "printed", "C1 C2 C3 C4", "printed", "t[i]", "printed"];
    let mut table = Table::new(&columns, &[1, 2, 3, 4]);
    for (i, (sizes, grown, t)) in (2..).zip(PRINTED) {
        let columns: Vec<String> = of.grown(i.max(3)).map(|time| time.to_string()).collect();
        table.row([
            i.to_string(),
            words(of.row(i)),
            words(&sizes),
            if i < 3 { "-".to_owned() } else { columns.join(" ") },
            grown.map_or("-".to_owned(), |grown| words(&grown)),
            of.latency(i).to_string(),
            t.to_string(),
        ]);
    }
    format!("table 4.4: OPT-tree of 3 ports, t_hold 22, t_end 55, t_int 10\n{}", table.text())
}

/// Figures 5.4 to 5.8. Every unit of time is a hundred cycles, so that the time of the hardware
/// hardly counts.
fn figures() -> Result<String, CompareError> {
    const MESH: (&str, u32, [u32; 7]) = ("mesh(radices: [6, 6])", 15, [31, 8, 27, 22, 28, 11, 29]);
    const BI_MIN: (&str, u32, [u32; 6]) = ("bi_min(switch_ports: 2, stages: 4)", 3, [1, 6, 7, 10, 12, 13]);
    let rows = [
        ("5.4, 5.5 (a)", "opt_mesh", MESH.0, MESH.1, &MESH.2[..], "130"),
        ("5.5 (b)", "u_mesh", MESH.0, MESH.1, &MESH.2[..], "165"),
        ("5.7, 5.8 (a)", "opt_min", BI_MIN.0, BI_MIN.1, &BI_MIN.2[..], "-"),
        ("5.8 (b)", "u_min", BI_MIN.0, BI_MIN.1, &BI_MIN.2[..], "-"),
    ];
    let mut table = Table::new(&["figure", "algorithm", "printed", "hardware", "sends"], &[0, 1, 4]);
    for (figure, algorithm, topology, source, to, printed) in rows {
        let network = format!(
            "topology: {topology}, node: (costs: (hold: (fixed: 2000.0), send: (fixed: 2000.0), receive: (fixed: 3500.0)))"
        );
        let workload = format!(
            "multicast(source: {source}, destinations: [{}], algorithm: \"{algorithm}\", payload_flits: 16, \
             settings: (hold: 2000.0, end: 5500.0))",
            list(to.iter().copied())
        );
        let (latency, plans) = run(&experiment(&network, &workload, 1)?)?;
        let sends = plans.iter().flat_map(|plan| &plan.sends);
        let sends: Vec<String> = sends.map(|send| format!("{}>{}", send.from, send.to[0])).collect();
        let hardware = latency.first().map_or(0.0, |&cycles| cycles as f64 / 100.0);
        table.row([
            figure.to_owned(),
            algorithm.to_owned(),
            printed.to_owned(),
            format!("{hardware:.2}"),
            sends.join(" "),
        ]);
    }
    Ok(format!(
        "figures 5.4 to 5.8: t_hold 20, t_end 55 units of 100 cycles; the hardware adds its own; node (x, y) of the mesh is x + 6 y\n{}",
        table.text()
    ))
}
