//! Errors of estimated metrics: the columns of a row that have them.
//!
//! The error of an estimate comes from the formulas and from the coefficients. Two networks of one
//! sweep have the same coefficients, so that part is the same for both and cancels. The part of the
//! formulas stays, because the networks differ in their blocks.

use super::schema::CYCLE;

/// Columns with the parts of an error in per cent. The error is their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorBars {
    /// Of the whole error.
    pub whole: &'static [&'static str],
    /// Of the part that is left between two networks.
    pub between: &'static [&'static str],
}

const AREA: &str = "area_error_percent";
const DEPTH: &str = "depth_error_percent";
const CYCLE_ERROR: &str = "cycle_error_percent";
const CYCLE_FORMULA: &str = "cycle_formula_percent";
const ENERGY_ERROR: &str = "energy_error_percent";
const ENERGY_FORMULA: &str = "energy_formula_percent";

/// The errors of an estimated metric; `None` for a metric that is measured or counted.
pub(crate) fn error_bars(metric: &str) -> Option<ErrorBars> {
    const AREAS: [&str; 4] = ["area_ge", "flip_flops", "switch_area_ge", "switch_flip_flops"];
    const TIMES: [&str; 5] = [CYCLE, "latency_ns", "latency_ns_p99", "accepted_gbps", "saturation_gbps"];
    let same = |columns| Some(ErrorBars { whole: columns, between: columns });
    match metric {
        _ if is_error(metric) => None,
        _ if AREAS.contains(&metric) => same(&[AREA]),
        "logic_depth" => same(&[DEPTH]),
        _ if TIMES.contains(&metric) => Some(ErrorBars { whole: &[CYCLE_ERROR], between: &[CYCLE_FORMULA] }),
        "gbps_per_kge" => Some(ErrorBars { whole: &[CYCLE_ERROR, AREA], between: &[CYCLE_FORMULA, AREA] }),
        _ if metric.starts_with("energy_") => Some(ErrorBars { whole: &[ENERGY_ERROR], between: &[ENERGY_FORMULA] }),
        _ => None,
    }
}

/// Whether a column is an error of another.
pub(crate) fn is_error(name: &str) -> bool {
    [AREA, DEPTH, CYCLE_ERROR, CYCLE_FORMULA, ENERGY_ERROR, ENERGY_FORMULA].contains(&name)
}

/// Whether the bars of two values overlap. The errors are in per cent to either side.
pub(crate) fn overlap(one: (f64, f64), other: (f64, f64)) -> bool {
    let half = |(value, percent): (f64, f64)| value.abs() * percent / 100.0;
    (one.0 - other.0).abs() <= half(one) + half(other)
}
