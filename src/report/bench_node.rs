//! Results of the measurement procedures on a machine, next to the given parameters.

use std::fmt::Write as _;

use serde::Serialize;
use wormscope_hw::{Encoding, NodeId};

use crate::experiment::Length;
use crate::measure::{Machine, Unfinished};
use crate::model::unblocked::zero_load;
use crate::multicast::Plan;
use crate::network::{Cost, header_flits};
use crate::table::Table;

/// A parameter measured and given, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// `t_hold`, `t_end`, `t_net`, `t_recv`.
    pub name: &'static str,
    /// By which procedure.
    pub procedure: &'static str,
    /// Measured and given, by length of the message.
    pub by_length: Vec<Reading>,
    /// `fixed + per_byte * m` through the first and the last length.
    pub fitted: Option<(f64, f64)>,
}

/// One reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// Length of the message in bytes.
    pub bytes: u32,
    /// Measured value.
    pub measured: f64,
    /// Value that the machine was given. The time in the network follows from the hardware.
    pub given: f64,
}

impl Reading {
    /// Whether the measured value is more than a cycle and 10 % away from the given one.
    fn is_off(&self) -> bool {
        (self.measured - self.given).abs() > f64::max(1.0, 0.1 * self.given)
    }
}

/// Latencies of a multicast, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MulticastReading {
    /// The algorithm.
    pub algorithm: &'static str,
    /// Length of the message in bytes.
    pub bytes: u32,
    /// One multicast alone, seen by an observer of all nodes.
    pub alone: f64,
    /// Ping-based, at the root.
    pub root: f64,
    /// Ping-based, the largest of all nodes.
    pub largest: f64,
    /// By flow latencies.
    pub flow: f64,
    /// The critical destination.
    pub critical: u32,
    /// Flow latency of every destination.
    pub flows: Vec<(u32, f64)>,
}

/// Everything measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchNode {
    /// The network in some words.
    pub network: String,
    /// The two nodes of the point-to-point benchmarks.
    pub nodes: (u32, u32),
    /// Iterations of each benchmark.
    pub times: u32,
    /// Point to point.
    pub parameters: Vec<Parameter>,
    /// Multicasts.
    pub multicasts: Vec<MulticastReading>,
    /// Whether the watcher stopped before all was measured; a measurement that was under way is
    /// left out.
    pub interrupted: bool,
}

/// Task of a measurement.
pub struct Task<'a> {
    /// The machine.
    pub machine: Machine<'a>,
    /// The network in some words.
    pub name: &'a str,
    /// The two nodes of the point-to-point benchmarks.
    pub nodes: (NodeId, NodeId),
    /// Lengths of messages in bytes.
    pub bytes: &'a [u32],
    /// Iterations.
    pub times: u32,
    /// Multicasts, with the names of their algorithms.
    pub plans: &'a [(&'static str, Plan)],
}

/// Number of times that the watcher of the machine gets a measurement.
#[must_use]
pub fn measurements(bytes: &[u32], plans: &[(&'static str, Plan)]) -> u64 {
    let multicasts = plans.iter().map(|(_, plan)| 2 + 2 * plan.destinations.len() as u64);
    bytes.len() as u64 * (3 + multicasts.sum::<u64>())
}

impl BenchNode {
    /// Measures, until the watcher of the machine stops it.
    ///
    /// # Errors
    /// When a benchmark does not end.
    pub fn new(task: &Task) -> Result<Self, Unfinished> {
        let mut columns: [Vec<Reading>; 4] = Default::default();
        let mut multicasts = Vec::new();
        let ended = measure(task, &mut columns, &mut multicasts);
        let interrupted = match ended {
            Err(Unfinished::Stopped) => true,
            ended => ended.map(|()| false)?,
        };
        let rows = [("t_hold", "Ping"), ("t_end", "PingPong"), ("t_net", "dummy loop"), ("t_recv", "the rest")];
        let parameters = rows.into_iter().zip(columns).map(|((name, procedure), by_length)| Parameter {
            name,
            procedure,
            fitted: fit(&by_length),
            by_length,
        });
        let (parameters, (a, b)) = (parameters.collect(), task.nodes);
        let (network, times) = (task.name.to_owned(), task.times);
        Ok(Self { network, nodes: (a.0, b.0), times, parameters, multicasts, interrupted })
    }

    /// The report to read.
    #[must_use]
    pub fn text(&self) -> String {
        let (a, b) = self.nodes;
        let mut text = format!("{}: n{a} and n{b}, {} iterations each, cycles\n", self.network, self.times);
        let mut table = Table::new(&["", "by", "bytes", "measured", "given", "fitted"], &[0, 1, 5]);
        for Parameter { name, procedure, by_length, fitted } in &self.parameters {
            for (i, Reading { bytes, measured, given }) in by_length.iter().enumerate() {
                let formula = |(fixed, per_byte): &(f64, f64)| format!("{fixed:.1} + {per_byte:.4} m");
                let fitted = fitted.as_ref().filter(|_| i == 0).map_or_else(String::new, formula);
                let (name, procedure) = if i == 0 { (*name, *procedure) } else { ("", "") };
                table.row([
                    name.to_owned(),
                    procedure.to_owned(),
                    bytes.to_string(),
                    format!("{measured:.1}"),
                    format!("{given:.1}"),
                    fitted,
                ]);
            }
        }
        if self.parameters.iter().any(|parameter| !parameter.by_length.is_empty()) {
            text += &table.text();
        }
        let readings = self.parameters.iter().flat_map(|parameter| &parameter.by_length);
        if { readings }.any(Reading::is_off) {
            text += "  (a value is far from the given one: the benchmarks assume that t_send is t_hold, one port, and free buffers)\n";
        }
        if !self.multicasts.is_empty() {
            let header = [
                "multicast",
                "bytes",
                "alone",
                "flow latency",
                "critical",
                "ping, root",
                "off %",
                "ping, all",
                "off %",
            ];
            let mut table = Table::new(&header, &[0, 4]);
            for m in &self.multicasts {
                let off = |measured: f64| format!("{:+.0}", 100.0 * (measured - m.alone) / m.alone);
                table.row([
                    m.algorithm.to_owned(),
                    m.bytes.to_string(),
                    format!("{:.1}", m.alone),
                    format!("{:.1}", m.flow),
                    format!("n{}", m.critical),
                    format!("{:.1}", m.root),
                    off(m.root),
                    format!("{:.1}", m.largest),
                    off(m.largest),
                ]);
            }
            let _ = write!(text, "\n{}", table.text());
            text += "  (the ping-based benchmark begins a multicast before the last is complete: it measures the rate of a pipeline)\n";
        }
        if self.interrupted {
            text += "\ninterrupted: these are the measurements that were complete\n";
        }
        text
    }
}

/// Measures one thing after the other.
fn measure(
    task: &Task,
    columns: &mut [Vec<Reading>; 4],
    multicasts: &mut Vec<MulticastReading>,
) -> Result<(), Unfinished> {
    let Task { ref machine, nodes: (a, b), times, .. } = *task;
    let told = |measured| {
        machine.watcher().measured();
        measured
    };
    for &bytes in task.bytes {
        let hold = told(machine.ping(a, b, bytes, times)?);
        let end = told(machine.ping_pong(a, b, bytes, times, 0)?);
        // Section 2.3.3: t_send is taken to be t_hold.
        let net = told(machine.idle(a, b, bytes, times)? as f64) - end;
        let measured = [hold, end, net, end - (hold + net)];
        let given = given(machine, a, b, bytes);
        for ((column, measured), given) in columns.iter_mut().zip(measured).zip(given) {
            column.push(Reading { bytes, measured, given });
        }
    }
    for (algorithm, plan) in task.plans {
        for &bytes in task.bytes {
            let (root, largest) = machine.multicast_ping(plan, bytes, times)?;
            let root = told(root);
            let alone = told(machine.multicast_alone(plan, bytes)? as f64);
            let measured = machine.multicast(plan, bytes, times)?;
            multicasts.push(MulticastReading {
                algorithm,
                bytes,
                alone,
                root,
                largest,
                flow: measured.latency,
                critical: measured.critical.0,
                flows: measured.flows.into_iter().map(|(node, flow)| (node.0, flow)).collect(),
            });
        }
    }
    Ok(())
}

/// `t_hold`, `t_end`, `t_net`, `t_recv` of a message between two nodes, as configured and as the
/// hardware takes without load.
fn given(machine: &Machine, a: NodeId, b: NodeId, bytes: u32) -> [f64; 4] {
    let (network, site) = (machine.network(), machine.site());
    let costs = network.node.costs.unwrap_or_default();
    let cost = |Cost { fixed, per_byte }: Cost| (fixed + per_byte * f64::from(bytes)).round();
    let header = header_flits(network, Encoding::Unicast, 1);
    let flits = Length::new(network, None, Some(bytes)).map_or(1, |length| length.flits);
    let one_way = |from, to| {
        let switches = site.route(from, to).count() as u32;
        zero_load(site.timing(), header, header + flits, switches).map_or(0.0, |latency| latency.tail as f64)
    };
    let net = costs.network.round() + f64::midpoint(one_way(a, b), one_way(b, a));
    let (hold, send, receive) = (cost(costs.hold), cost(costs.send), cost(costs.receive));
    [hold, send + net + receive, net, receive]
}

/// The line through the first and the last reading.
fn fit(readings: &[Reading]) -> Option<(f64, f64)> {
    let first = readings.iter().min_by_key(|of| of.bytes)?;
    let last = readings.iter().max_by_key(|of| of.bytes)?;
    let bytes = f64::from(last.bytes) - f64::from(first.bytes);
    let per_byte = (last.measured - first.measured) / bytes;
    (bytes > 0.0).then_some((first.measured - per_byte * f64::from(first.bytes), per_byte))
}
