//! The report to read: aligned columns, about a screenful.

use std::cmp::Reverse;
use std::fmt::{self, Write as _};

use super::histogram::Latency;
use super::software::SoftwareRow;
use super::study::Measured;
use super::summary::MulticastRow;
use super::time::nanoseconds;
use super::{Report, RunEnd};
use crate::quote::{self, MOST_LISTED};
use crate::statistics::short;
use crate::table::Table;
use crate::workload::Saturation;

/// Largest number of listed multicasts. If there are more, the slowest are listed.
const MOST_MULTICASTS: usize = 16;

/// A number of bytes in the largest binary unit that it fills at least once.
#[must_use]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let unit = (count.max(1).ilog2() / 10).min(3);
    match unit {
        0 => format!("{count} bytes"),
        _ => format!("{:.1} {}", count as f64 / f64::from(1_u32 << (10 * unit)), UNITS[unit as usize]),
    }
}

/// The summary of a run, ending in a newline.
#[must_use]
pub fn summary(report: &Report) -> String {
    let sections = [
        run(report),
        software(report),
        study(report),
        multicasts(report),
        latency(report),
        load(report),
        by_class(report),
        cycles(report),
        links(report),
        gauges(report),
        accounts(report),
        energy(report),
    ];
    let filled: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    filled.join("\n")
}

/// The summary, as `wormscope run` prints it.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&summary(self))
    }
}

fn run(report: &Report) -> String {
    let Report { tool_version, experiment, network, seed, config_hash, totals, .. } = report;
    let (cycles, ns) = (totals.cycles, nanoseconds(totals.cycles, report.clock_ns, false));
    let experiment = quote::name(experiment);
    let how = match report.outcome {
        RunEnd::Done => "done",
        RunEnd::Saturated => "saturated, not drained",
        RunEnd::CycleLimit => "stopped at the cycle limit",
        RunEnd::Deadlock => "DEADLOCK",
        RunEnd::Interrupted => "interrupted",
    };
    let mut text = format!(
        "{experiment}: {network}\n{how} after {cycles} cycles ({ns} ns), seed {seed}, config {config_hash}, wormscope \
         {tool_version}\n{} of {} worms arrived, {} flits injected, {} consumed, {} flit-hops\n",
        totals.worms_done, totals.worms_created, totals.injected_flits, totals.consumed_flits, totals.flit_hops,
    );
    for line in report.deadlock.iter().flat_map(|deadlock| deadlock.table.lines()) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn multicasts(report: &Report) -> String {
    let all = report.multicasts.len() as u64 + report.multicasts_left_out;
    if all == 0 {
        return String::new();
    }
    let mut rows: Vec<&MulticastRow> = report.multicasts.iter().collect();
    // A multicast that has not arrived everywhere counts as slower than any that has.
    rows.sort_by_key(|row| Reverse(row.last.unwrap_or(u64::MAX)));
    if rows.len() as u64 == all && rows.len() <= MOST_MULTICASTS {
        rows.sort_by_key(|row| row.id);
    }
    rows.truncate(MOST_MULTICASTS);

    let mut table = Table::new(
        &["id", "src", "dests", "encoding", "header-flits", "first", "mean", "last", "unblocked", "slowdown"],
        &[1, 3],
    );
    table.bars = &[5, 8, 9];
    for row in &rows {
        let missing = if row.last.is_none() { format!("{}/", row.arrived) } else { String::new() };
        table.row([
            row.id.to_string(),
            format!("n{}", row.source),
            format!("{missing}{}", row.destinations.len()),
            row.encoding.name().to_owned(),
            row.header_flits.to_string(),
            or_dash(row.first),
            row.mean.map_or_else(dash, |mean| format!("{mean:.1}")),
            or_dash(row.last),
            or_dash(row.unblocked),
            row.slowdown.map_or_else(dash, |slowdown| format!("{slowdown:.2}")),
        ]);
    }
    let shown = rows.len() as u64;
    let which = if shown < all { format!(", the slowest {shown} of {all}, slowest first") } else { String::new() };
    let mut text = format!("multicasts, cycles from creation to the tail at a destination{which}\n{}", table.text());
    if report.multicasts_left_out > 0 {
        let _ = writeln!(text, "  ({} multicasts have no row, here or in JSON)", report.multicasts_left_out);
    }
    text
}

fn software(report: &Report) -> String {
    let all = report.software_multicasts.len() as u64 + report.software_multicasts_left_out;
    if all == 0 {
        return String::new();
    }
    let mut rows: Vec<&SoftwareRow> = report.software_multicasts.iter().collect();
    rows.sort_by_key(|row| Reverse(row.last.unwrap_or(u64::MAX)));
    let Some(&slowest) = rows.first() else {
        return format!("{all} multicasts in software, which have no row, here or in JSON\n");
    };
    if rows.len() as u64 == all && rows.len() <= MOST_MULTICASTS {
        rows.sort_by_key(|row| row.begin);
    }
    rows.truncate(MOST_MULTICASTS);
    let header = [
        "algorithm",
        "src",
        "dests",
        "bytes",
        "steps",
        "start-ups",
        "most",
        "begin",
        "first",
        "mean",
        "last",
        "contention",
    ];
    let mut table = Table::new(&header, &[0, 1]);
    table.bars = &[7];
    for row in &rows {
        let reached = row.destinations.iter().filter(|node| node.latency.is_some()).count();
        let missing = if row.last.is_none() { format!("{reached}/") } else { String::new() };
        let start_ups = row.start_ups.iter().map(|node| node.start_ups);
        table.row([
            format!("{}{}", row.algorithm, if row.reconstruction.is_some() { "*" } else { "" }),
            format!("n{}", row.source),
            format!("{missing}{}", row.destinations.len()),
            row.bytes.to_string(),
            row.steps.to_string(),
            start_ups.clone().sum::<u32>().to_string(),
            start_ups.max().unwrap_or(0).to_string(),
            row.begin.to_string(),
            or_dash(row.first),
            row.mean.map_or_else(dash, |mean| format!("{mean:.1}")),
            or_dash(row.last),
            or_dash(row.contention),
        ]);
    }
    let shown = rows.len() as u64;
    let which = if shown < all { format!(", the slowest {shown} of {all}, slowest first") } else { String::new() };
    let mut text = format!("multicasts in software, cycles until a node holds the message{which}\n{}", table.text());
    if rows.iter().any(|row| row.reconstruction.is_some()) {
        text += "  (* in part a reconstruction, see docs/explain/papers.md)\n";
    }
    if report.software_multicasts_left_out > 0 {
        let _ = writeln!(text, "  ({} of them have no row, here or in JSON)", report.software_multicasts_left_out);
    }
    text + &critical_path(slowest)
}

/// Latencies and loads of classes that the workload names, and of multicasts in software that have
/// no row.
fn by_class(report: &Report) -> String {
    let header = ["class, cycles", "messages", "first", "mean", "last", "p95", "offered", "accepted", "delivered"];
    let mut table = Table::new(&header, &[0]);
    let named = |class: &str| report.load_by_class.iter().find(|of| of.class == class);
    let is_shown =
        |class: &str| class == "software" && report.software_multicasts_left_out > 0 || named(class).is_some();
    let flits = |flits: f64| format!("{flits:.4}");
    let mut rows = 0;
    for of in report.latency_by_class.iter().filter(|of| is_shown(&of.class)) {
        let load = named(&of.class);
        table.row([
            of.class.clone(),
            of.last.count.to_string(),
            format!("{:.2}", of.first.mean),
            format!("{:.2}", of.mean),
            format!("{:.2}", of.last.mean),
            of.last.p95.to_string(),
            load.map_or_else(dash, |of| flits(of.offered)),
            load.map_or_else(dash, |of| flits(of.accepted)),
            load.map_or_else(dash, |of| flits(of.delivered)),
        ]);
        rows += 1;
    }
    if rows > 0 { table.text() } else { String::new() }
}

/// Multicasts together with other traffic.
fn study(report: &Report) -> String {
    let Some(of) = &report.multicast_study else { return String::new() };
    let mean = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.1}"));
    let mut table = Table::new(&["measured multicasts", "of entry", "count", "latency", "+-", "source queue"], &[0]);
    let mut row = |name: &str, entry: String, of: &Measured| {
        table.row([
            name.to_owned(),
            entry,
            of.count.to_string(),
            mean(of.latency),
            mean(of.half_width),
            mean(of.source_queue),
        ]);
    };
    of.entries.iter().for_each(|entry| row(entry.algorithm, entry.entry.to_string(), &entry.measured));
    if of.entries.len() > 1 {
        row("all", dash(), &of.all);
    }
    let mut groups = Table::new(&["received of others", "nodes", "bytes a cycle", "of N / t_nd"], &[0]);
    for group in &of.groups {
        let name = if group.name.is_empty() { "(no group)".to_owned() } else { quote::name(&group.name) };
        let (bytes, share) = (format!("{:.4}", group.received_bytes), format!("{:.4}", group.received));
        groups.row([name, group.nodes.len().to_string(), bytes, share]);
    }
    let mut text = format!("multicasts beside traffic, {}\n{}{}", between(of.from, of.to), table.text(), groups.text());
    if of.messages > 0 {
        let (hold, end) = (mean(of.hold), mean(of.end));
        let _ = writeln!(text, "  {} messages of programs: t_hold {hold}, t_end {end} cycles", of.messages);
    }
    text
}

/// The chain of sends that determines the last arrival of a multicast.
fn critical_path(row: &SoftwareRow) -> String {
    if row.critical_path.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(&["from", "to", "ready", "called", "injected", "arrived", "held", "contention"], &[0, 1]);
    for link in row.critical_path.iter().take(MOST_LISTED) {
        table.row([
            format!("n{}", link.from),
            format!("n{}", link.to),
            link.ready.to_string(),
            link.called.to_string(),
            link.injected.to_string(),
            link.arrived.to_string(),
            link.held.to_string(),
            or_dash(link.contention),
        ]);
    }
    let (source, begin) = (row.source, row.begin);
    let more = quote::more_rows(row.critical_path.len(), MOST_LISTED, "send");
    format!(
        "critical path of the slowest, {} from n{source}, cycles since {begin}\n{}{more}",
        row.algorithm,
        table.text()
    )
}

fn latency(report: &Report) -> String {
    let (Some(packet), Some(network)) = (report.packet_latency, report.network_latency) else { return String::new() };
    let what = match report.outcome {
        RunEnd::Saturated => "latency of measured worms that arrived",
        _ => "latency of measured worms",
    };
    let mut table = Table::new(&[what, "deliveries", "mean", "p50", "p95", "p99", "max"], &[0]);
    let row = |name: &str, latency: &Latency, unit: f64, in_tenths: bool| {
        let mut cells = vec![name.to_owned(), latency.count.to_string(), format!("{:.2}", latency.mean * unit)];
        let times = [latency.p50, latency.p95, latency.p99, latency.max];
        cells.extend(times.map(|cycles| nanoseconds(cycles, unit, in_tenths)));
        cells
    };
    let in_tenths = report.clock_ns.fract() != 0.0;
    for (name, of) in [("packet: created to tail", packet), ("network: injected to tail", network)] {
        table.row(row(&format!("{name}, cycles"), &of, 1.0, false));
        if (report.clock_ns - 1.0).abs() > f64::EPSILON {
            table.row(row(&format!("{:width$}  ns", "", width = name.len()), &of, report.clock_ns, in_tenths));
        }
    }
    if let Some(hops) = report.hops {
        let (count, mean, most) = (packet.count.to_string(), format!("{:.2}", hops.mean), hops.max.to_string());
        table.row(["hops: switches on the way".to_owned(), count, mean, dash(), dash(), dash(), most]);
    }
    table.text()
}

/// The cycles `from..to`, with the last one.
fn between(from: u64, to: u64) -> String {
    match to.saturating_sub(1) {
        last if last > from => format!("cycles {from} to {last}"),
        _ => format!("cycle {from}"),
    }
}

fn load(report: &Report) -> String {
    let Some(load) = report.load else {
        let why = match report.totals.worms_created {
            0 => "the workload created no worms",
            _ => "the run ended before the window of run.warmup_cycles and run.measure_cycles",
        };
        return format!("nothing measured: {why}\n");
    };
    let mut text = format!(
        "load in {}, flits per node and cycle; accepted counts at the tail\n  offered {:.4}  accepted {:.4}",
        between(load.from, load.to),
        load.offered,
        load.accepted
    );
    if !report.multicasts.is_empty() {
        let _ = write!(text, "  delivered, every copy counted {:.4}", load.delivered);
    }
    text.push('\n');
    let is_told = !matches!(report.outcome, RunEnd::Deadlock);
    if let Some(Saturation { saturated: true, until, waiting_flits: [begin, middle, end], .. }) = &report.saturation
        && is_told
    {
        let _ = writeln!(
            text,
            "  saturated: source queues grow steadily in {}, {begin}, {middle} and {end} payload flits at \
             begin, middle and end, and latencies with them",
            between(load.from, *until)
        );
        if report.outcome == RunEnd::Saturated {
            text +=
                "             those of measured worms that still wait are missing (run.drain: all waits for them)\n";
        }
    }
    text += &short_window(report, load.from, load.offered).unwrap_or_default();
    text
}

/// The line about a window that is too short, with a length that is enough. In a short window,
/// queues grow by a large part of the `offered` flits. The unit of growth is the growth by chance,
/// the square root of the window.
fn short_window(report: &Report, from: u64, offered: f64) -> Option<String> {
    // Share of the offered payload flits that wait.
    const MUCH: f64 = 0.05;
    let of = report.saturation.as_ref().filter(|of| !of.saturated && report.outcome == RunEnd::Done)?;
    let [begin, _, end] = of.waiting_flits;
    let (grown, cycles) = (end.checked_sub(begin)?, of.until.checked_sub(from)?);
    let share = grown as f64 / (offered * f64::from(report.nodes) * cycles as f64);
    if share < MUCH || !share.is_finite() {
        return None;
    }
    let times = (of.threshold / of.growth).powi(2).clamp(1.0, 1e6);
    let long = 2.0 * times * cycles as f64;
    let round = 10_f64.powf(long.log10().floor());
    Some(format!(
        "  short: source queues grew by {grown} payload flits, {:.0} % of what was offered, in a window so short that \
         chance may explain it; a run with run.measure_cycles: {} shows whether this load is beyond saturation\n",
        share * 100.0,
        (long / round).ceil() * round
    ))
}

fn cycles(report: &Report) -> String {
    let mut table = Table::new(&["where cycles went", "%", "worm-cycles", ""], &[0, 3]);
    for share in &report.cycle_account {
        let whose = match report.waited_for {
            Some(of) if share.class == "lane_wait" => format!("{} of them for worm {}", of.worm_cycles, of.worm),
            _ => String::new(),
        };
        table.row([
            share.class.replace('_', " "),
            format!("{:.1}", share.percent),
            share.worm_cycles.to_string(),
            whose,
        ]);
    }
    table.text()
}

fn links(report: &Report) -> String {
    if report.hottest_links.is_empty() {
        return String::new();
    }
    let head = ["hottest links, all cycles", "to", "utilisation %", "blocked %", "top worm", "held it"];
    let mut table = Table::new(&head, &[0, 1]);
    for link in &report.hottest_links {
        table.row([
            link.from.clone(),
            link.to.clone(),
            format!("{:.1}", link.utilisation_percent),
            format!("{:.1}", link.blocked_percent),
            link.top_worm.map_or_else(dash, |worm| worm.to_string()),
            link.top_worm.map_or_else(dash, |_| link.top_held.to_string()),
        ]);
    }
    table.text()
}

fn gauges(report: &Report) -> String {
    let Some(of) = report.gauges else { return String::new() };
    let title = format!("links and FIFOs in {}", between(of.from, of.to));
    let mut table = Table::new(&[&title, "mean", "max"], &[0]);
    let mut row = |name: &str, mean: f64, max: f64| {
        table.row([name.to_owned(), format!("{mean:.4}"), format!("{max:.4}")]);
    };
    row("use of a link, flits per cycle", of.link_use_mean, of.link_use_max);
    row("blocked, share of cycles", of.link_blocked_mean, of.link_blocked_max);
    row("fill of a FIFO, flits", of.fifo_fill_mean, of.fifo_fill_max);
    row("full, share of cycles", of.fifo_full_share_mean, of.fifo_full_share_max);
    table.text()
}

fn accounts(report: &Report) -> String {
    let Some(of) = report.accounts.as_ref().filter(|of| !of.means().is_empty()) else { return String::new() };
    let mut table = Table::new(&["cycles of a worm, mean", "cycles", "%"], &[0]);
    let means = of.means();
    let all: f64 = means.iter().map(|(_, mean)| mean).sum();
    for (name, mean) in means {
        table.row([name.to_owned(), format!("{mean:.2}"), format!("{:.1}", 100.0 * mean / all)]);
    }
    let missing = match of.missing() {
        0 => String::new(),
        n => format!(
            "  {n} {} not in it: the tail has not arrived\n",
            quote::form(n, "destination is", "destinations are")
        ),
    };
    let waited = of.waited();
    let title = format!("where waiting began: {waited} cycles of waiting by their roots");
    let mut roots = Table::new(&[&title, "cycles", "%"], &[0]);
    for root in of.roots() {
        let percent = 100.0 * root.cycles as f64 / waited as f64;
        roots.row([root.root.clone(), root.cycles.to_string(), format!("{percent:.1}")]);
    }
    let roots = if of.roots().is_empty() { String::new() } else { format!("\n{}", roots.text()) };
    table.text() + &missing + &roots
}

fn energy(report: &Report) -> String {
    let Some(energy) = &report.energy_estimate else { return String::new() };
    let mut table = Table::new(&["energy, an estimate", "pJ", "%"], &[0]);
    let mut row = |name: &str, pj: f64| {
        let percent = if energy.total_pj > 0.0 { 100.0 * pj / energy.total_pj } else { 0.0 };
        table.row([name.to_owned(), format!("{pj:.1}"), format!("{percent:.1}")]);
    };
    energy.parts().into_iter().for_each(|(name, pj)| row(name, pj));
    row("in all", energy.total_pj);
    let error = energy.error_percent;
    let per_bit =
        energy.pj_per_bit.map_or_else(String::new, |pj| format!("{pj:.4} pJ per delivered bit, ± {error:.0} %; "));
    // The error of a given clock is 0.
    let error = Some(energy.cycle_error_percent).filter(|error| *error > 0.0);
    let error = error.map_or_else(String::new, |error| format!(", ± {error:.0} %"));
    let cycle = format!("a cycle takes {} ns{error}; ", short(energy.cycle_ns));
    table.text() + &format!("  {per_bit}{cycle}coefficients: {}\n", energy.source)
}

fn dash() -> String {
    "-".to_owned()
}

fn or_dash(value: Option<u64>) -> String {
    value.map_or_else(dash, |value| value.to_string())
}
