//! Tables 1 to 6 and theorems 1 to 6 of \[KP\]: start-ups of several multicasts at once.

use std::fmt::Write as _;

use super::{CompareError, Comparison, experiment, run, series};
use crate::model::node_contention::{Bounds, hl, spu_mesh, sqhl, u_mesh, u_mesh_random};
use crate::model::steps::steps;
use crate::report::chart::{Axis, Chart, Look};
use crate::table::Table;

/// Runs of which the printed numbers are means.
const PRINTED_RUNS: f64 = 30.0;
/// Smallest misfit beyond rounding, in standard errors of the difference of two means.
const MISFIT: f64 = 3.0;

/// A table: S multicasts, each with D nodes, its source among them.
struct KpTable {
    name: &'static str,
    algorithm: &'static str,
    /// Nodes along each side of the mesh.
    radix: u32,
    overlap: &'static str,
    /// Bound of the theorem for (S, D).
    theorem: fn(u32, u32) -> String,
    columns: &'static [(u32, u32)],
    /// Printed means.
    printed: &'static [u32],
    /// Known reason of its misfits (`docs/explain/papers.md`).
    note: &'static str,
}

const ODD: &[(u32, u32)] =
    &[(1, 15), (1, 31), (1, 63), (15, 15), (15, 31), (15, 63), (31, 31), (31, 63), (47, 63), (63, 63)];
const EVEN: &[(u32, u32)] =
    &[(1, 16), (1, 32), (1, 64), (16, 16), (16, 32), (16, 64), (32, 32), (32, 64), (48, 64), (64, 64)];
const SMALL: &[(u32, u32)] = &[
    (1, 4),
    (4, 4),
    (8, 4),
    (12, 4),
    (16, 4),
    (1, 8),
    (4, 8),
    (8, 8),
    (12, 8),
    (16, 8),
    (1, 16),
    (4, 16),
    (8, 16),
    (12, 16),
    (16, 16),
];

fn bounds(Bounds { lower, upper }: Bounds) -> String {
    format!("{lower} to {upper}")
}

/// Settings that the tables of an 8x8 mesh share.
const COMPLETE: KpTable = KpTable {
    name: "",
    algorithm: "",
    radix: 8,
    overlap: "complete",
    theorem: |_, _| "-".to_owned(),
    columns: EVEN,
    printed: &[],
    note: "",
};

const TABLES: [KpTable; 8] = [
    KpTable {
        name: "table 1, U-mesh, odd D, theorem 1",
        algorithm: "u_mesh",
        theorem: |s, d| u_mesh(s, d).to_string(),
        columns: ODD,
        printed: &[4, 5, 6, 46, 61, 76, 125, 156, 236, 316],
        ..COMPLETE
    },
    KpTable {
        name: "table 1, U-mesh, even D, theorem 1",
        algorithm: "u_mesh",
        theorem: |s, d| format!("from {}", u_mesh(s, d)),
        printed: &[4, 5, 6, 28, 42, 57, 77, 105, 154, 198],
        note: "(16, 64) is the random entry farthest off; over more instances its mean is 55.5",
        ..COMPLETE
    },
    KpTable {
        name: "table 2, U-mesh on a 4x4 mesh, random overlap, theorem 2",
        algorithm: "u_mesh",
        radix: 4,
        overlap: "random",
        theorem: |s, d| format!("from {:.2}", u_mesh_random(s, d, 16)),
        columns: SMALL,
        printed: &[2, 3, 5, 5, 6, 4, 6, 8, 11, 13, 5, 12, 21, 32, 42],
        note: "D = 16 cannot be: on 16 nodes it is complete overlap, and table 1 has 28 for (16, 16); (1, 8) is log2 8 start-ups",
    },
    KpTable {
        name: "table 3, HL, theorem 3",
        algorithm: "hl",
        theorem: |s, _| bounds(hl(s, 8, 2)),
        printed: &[5, 5, 3, 39, 43, 33, 84, 64, 96, 128],
        note: "(1, 32) is printed as its upper bound; over 3,000 instances its mean is 4.33",
        ..COMPLETE
    },
    KpTable {
        name: "table 4, SPUmesh, odd D, theorem 5",
        algorithm: "spu_mesh",
        theorem: |s, d| format!("up to {}", spu_mesh(s, d)),
        columns: ODD,
        printed: &[4, 5, 6, 14, 21, 26, 30, 41, 55, 62],
        ..COMPLETE
    },
    KpTable {
        name: "table 4, SPUmesh, even D, theorem 5",
        algorithm: "spu_mesh",
        theorem: |s, d| format!("up to {}", spu_mesh(s, d)),
        printed: &[4, 5, 6, 15, 21, 24, 31, 40, 54, 63],
        ..COMPLETE
    },
    KpTable {
        name: "table 5, SQHL, theorem 6",
        algorithm: "sqhl",
        theorem: |s, _| bounds(sqhl(s, 8, 2)),
        printed: &[5, 5, 3, 20, 20, 16, 35, 28, 40, 48],
        note: "(1, 16) and (1, 32) are printed as their upper bound; over 3,000 instances their means are 4.42 and 4.17",
        ..COMPLETE
    },
    KpTable { name: "table 6, SCHL", algorithm: "schl", printed: &[5, 5, 4, 25, 23, 11, 41, 17, 21, 23], ..COMPLETE },
];

/// Means of an entry: on the hardware, with its standard error against a mean of [`PRINTED_RUNS`],
/// and counted in steps.
struct Entry {
    hardware: f64,
    error: f64,
    counted: f64,
}

impl Entry {
    /// Calls `go_on` before each instance. Returns `None` if `go_on` returns false.
    fn new(
        of: &KpTable,
        (s, d): (u32, u32),
        instances: u32,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, CompareError> {
        /// Cycles of a start-up.
        const STARTUP: u64 = 20_000;
        let radix = of.radix;
        let network = format!(
            "topology: mesh(radices: [{radix}, {radix}]), node: (startup_cycles: {STARTUP}, consumption_channels: 4)"
        );
        let workload = format!(
            "multicasts(count: {s}, destinations: {}, overlap: {}, algorithm: \"{}\", payload_flits: 1)",
            d - 1,
            of.overlap,
            of.algorithm
        );
        let (mut hardware, mut counted) = (Vec::new(), 0);
        for seed in 0..instances {
            if !go_on() {
                return Ok(None);
            }
            let (latency, plans) = run(&experiment(&network, &workload, seed.into())?)?;
            hardware.push((latency.into_iter().max().unwrap_or(0) / STARTUP) as f64);
            counted += steps(&plans).into_iter().max().unwrap_or(0);
        }
        let runs = f64::from(instances);
        let mean = hardware.iter().sum::<f64>() / runs;
        let squares: f64 = hardware.iter().map(|run| (run - mean).powi(2)).sum();
        let variance = squares / (runs - 1.0).max(1.0);
        let error = (variance * (1.0 / PRINTED_RUNS + 1.0 / runs)).sqrt();
        Ok(Some(Self { hardware: mean, error, counted: f64::from(counted) / runs }))
    }

    /// Whether rounding and noise leave the printed value unexplained.
    fn misfits(&self, printed: u32) -> bool {
        (f64::from(printed) - self.hardware).abs() > 0.5 + MISFIT * self.error
    }
}

/// Runs that [`kp`] takes.
#[must_use]
pub fn kp_runs(instances: u32) -> u64 {
    TABLES.iter().map(|of| of.columns.len() as u64).sum::<u64>() * u64::from(instances)
}

/// Tables 1 to 6 of \[KP\]: printed means and theorems beside the means over some instances. One
/// mean is of the hardware, with start-ups so long that nothing else counts. The other is counted
/// in steps.
///
/// `go_on` is asked before each of [`kp_runs`]; where it says no, the comparison has the entries so
/// far.
///
/// # Errors
/// None that a user can cause.
pub fn kp(instances: u32, go_on: &mut dyn FnMut() -> bool) -> Result<Comparison, CompareError> {
    let mut text =
        format!("latency in start-ups, S sources of D nodes each on an 8x8 mesh, mean of {instances} instances\n");
    let (mut curves, mut is_whole) = (Vec::new(), true);
    for of in &TABLES {
        if !is_whole {
            break;
        }
        let mut table = Table::new(&["S", "D", "theorem", "printed", "hardware", "+-", "steps", ""], &[7]);
        let (mut hardware, mut printed) = (Vec::new(), Vec::new());
        for (&(s, d), &paper) in of.columns.iter().zip(of.printed) {
            let Some(entry) = Entry::new(of, (s, d), instances, go_on)? else {
                is_whole = false;
                break;
            };
            table.row([
                s.to_string(),
                d.to_string(),
                (of.theorem)(s, d),
                paper.to_string(),
                format!("{:.2}", entry.hardware),
                format!("{:.2}", entry.error),
                format!("{:.2}", entry.counted),
                if entry.misfits(paper) { "misfit".to_owned() } else { String::new() },
            ]);
            if d == 64 {
                hardware.push((f64::from(s), entry.hardware));
                printed.push((f64::from(s), f64::from(paper)));
            }
        }
        let _ = write!(text, "\n{}\n{}", of.name, table.text());
        if !of.note.is_empty() {
            let _ = writeln!(text, "  {}", of.note);
        }
        if !hardware.is_empty() {
            let (colour, name) = (curves.len() / 2, of.name.split(", ").nth(1).unwrap_or(of.name));
            curves.push(series(name, Look::Line, colour, hardware));
            curves.push(series(if colour == 0 { "printed" } else { "" }, Look::Rings, colour, printed));
        }
    }
    if !is_whole {
        text += "\ninterrupted: entries and tables that are missing were not run\n";
    }
    text += "\n+-: standard error of the difference from a mean of 30; misfit: more than rounding and three of them\n";
    let chart = Chart {
        title: format!("S multicasts to all of an 8x8 mesh, mean of {instances}"),
        x: Axis::linear("S, multicasts at once"),
        y: Axis::log("latency in start-ups", 2.0),
        series: curves,
        notes: Vec::new(),
    };
    Ok(Comparison { text, charts: vec![chart] })
}
