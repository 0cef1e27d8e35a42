//! A report in a few lines, each with a name and its facts.

use super::{Report, RunEnd};

/// The numbers that most readers want: worms, latencies, throughput, slowdown, account of cycles.
#[must_use]
pub fn brief(report: &Report) -> Vec<(&'static str, String)> {
    let totals = &report.totals;
    let mut lines = vec![("worms", format!("{} of {} arrived", totals.worms_done, totals.worms_created))];
    for (name, of) in [("packet latency", report.packet_latency), ("network latency", report.network_latency)] {
        if let Some(of) = of {
            lines.push((name, format!("{:.2} cycles in the mean, p95 {}, at most {}", of.mean, of.p95, of.max)));
        }
    }
    if let Some(hops) = report.hops {
        lines.push(("hops", format!("{:.2} in the mean, at most {}", hops.mean, hops.max)));
    }
    if let Some(load) = report.load {
        let saturated = if report.outcome == RunEnd::Saturated { "; saturated" } else { "" };
        let text = format!("{:.4} of {:.4} flits per node and cycle{saturated}", load.accepted, load.offered);
        lines.push(("accepted of offered", text));
    }
    let slowdowns = report.multicasts.iter().filter_map(|row| Some((row.slowdown?, row.id)));
    if let Some((most, worm)) = slowdowns.clone().max_by(|a, b| a.0.total_cmp(&b.0)) {
        let (sum, count) = slowdowns.fold((0.0, 0_u32), |(sum, count), (of, _)| (sum + of, count + 1));
        let mean = sum / f64::from(count);
        lines.push(("slowdown of multicasts", format!("{mean:.2} in the mean, at most {most:.2}, worm {worm}")));
    }
    if let Some(link) = report.hottest_links.first() {
        lines.push(("hottest link", format!("{}, {:.1} % of the cycles", link.from, link.utilisation_percent)));
    }
    lines
}
