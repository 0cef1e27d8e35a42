//! \[NUPAIROJ\] chapters 2 to 4: the benchmarks on a machine with the costs of the IBM/SP of table
//! 2.1. Times in microseconds.

use wormscope_hw::NodeId;

use super::nupairoj::Curves;
use crate::config;
use crate::experiment::Loaded;
use crate::measure::{Machine, Unfinished, sequential_scatter};
use crate::multicast::{Parameters, Plan, Request, find};
use crate::simulation::Site;

/// A machine of 64 nodes and switches of 4 ports a side. A cycle is 10 ns. A flit of a byte takes
/// two cycles on a channel, as a FIFO of one flit gets its credit back after two.
const SP: &str = "(network: (
    topology: bi_min(switch_ports: 4, stages: 3),
    switch: (flit_bits: 8, fifo_depth: 1),
    node: (costs: (
        hold: (fixed: 1915.0, per_byte: 2.0),
        send: (fixed: 1915.0, per_byte: 2.0),
        network: 1390.0,
        receive: (fixed: 2024.5, per_byte: 3.0),
    )),
))";

/// Cycles in a microsecond.
const MICROSECOND: f64 = 100.0;

/// Sizes of groups, root included.
const SIZES: [u32; 15] = [2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64];

/// Fewer sizes, at which long messages are quick to measure.
const FEW: [u32; 8] = [2, 3, 4, 8, 16, 24, 32, 64];

fn sizes(is_quick: bool, bytes: u32) -> &'static [u32] {
    match (is_quick, bytes) {
        (false, _) => &SIZES,
        (true, 1) => &FEW,
        (true, _) => &FEW[..6],
    }
}

/// A machine and its wires.
struct Sp {
    loaded: Loaded,
    site: Site,
}

impl Sp {
    fn new() -> Result<Self, String> {
        let loaded = config::from_text("sp", SP, &[]).map_err(|error| error.to_string())?;
        let site = Site::of(&loaded).map_err(|error| error.to_string())?;
        Ok(Self { loaded, site })
    }

    fn machine(&self) -> Machine<'_> {
        Machine::new(&self.loaded.experiment.network, &self.site, &())
    }

    /// The tree of the first k nodes, with the `t_hold` and `t_end` of table 2.1; blocks of 3 as in
    /// Fig. 3.7.
    fn tree(&self, algorithm: &str, k: u32, bytes: u32) -> Result<Plan, String> {
        let m = f64::from(bytes);
        let parameters = Parameters { block: 3, ..Parameters::hold_and_end(19.15 + 0.02 * m, 53.295 + 0.07 * m) };
        let destinations = others(k);
        let request = Request {
            wiring: self.site.wiring(),
            source: NodeId(0),
            destinations: &destinations,
            parameters: &parameters,
        };
        let algorithm = find(algorithm).map_err(|unknown| unknown.to_string())?;
        algorithm.plan(&request).map_err(|refusal| refusal.to_string())
    }
}

fn others(k: u32) -> Vec<NodeId> {
    (1..k).map(NodeId).collect()
}

fn stuck(stuck: Unfinished) -> String {
    stuck.to_string()
}

/// Table 2.1, Figs. 2.8 and 2.10: the parameters by the bytes of the message.
pub(super) fn point_to_point(is_quick: bool) -> Curves {
    const TIMES: u32 = 4;
    let sp = Sp::new()?;
    let (machine, a, b) = (sp.machine(), NodeId(0), NodeId(63));
    let lengths: &[u32] = if is_quick { &[1, 1024, 4096] } else { &[1, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096] };
    let mut curves = ["t_hold", "t_end", "t_send", "t_net", "t_recv"].map(|name| (name.to_owned(), Vec::new()));
    for &bytes in lengths {
        let hold = machine.ping(a, b, bytes, TIMES).map_err(stuck)?;
        let end = machine.ping_pong(a, b, bytes, TIMES, 0).map_err(stuck)?;
        // Section 2.3.3: t_send is taken to be t_hold, and the idle period is t_net + t_end.
        let net = machine.idle(a, b, bytes, TIMES).map_err(stuck)? as f64 - end;
        let found = [hold, end, hold, net, end - (hold + net)];
        for ((_, points), cycles) in curves.iter_mut().zip(found) {
            points.push((f64::from(bytes), cycles / MICROSECOND));
        }
    }
    Ok(curves.into())
}

/// Fig. 2.9: `PingPong` of a byte with a dummy loop.
pub(super) fn fig_2_9(_: bool) -> Curves {
    let sp = Sp::new()?;
    let mut points = Vec::new();
    for tenths in (0..=1200).step_by(24) {
        let est = sp.machine().ping_pong(NodeId(0), NodeId(63), 1, 10, tenths * 10).map_err(stuck)?;
        points.push((tenths as f64 / 10.0, est / MICROSECOND));
    }
    Ok(vec![("t_est".to_owned(), points)])
}

/// Fig. 3.4: 1 byte by the ping-based benchmark at the root, and by flow latencies.
pub(super) fn fig_3_4(is_quick: bool) -> Curves {
    let sp = Sp::new()?;
    let mut curves = Vec::new();
    for algorithm in ["binomial", "chain"] {
        let (mut root, mut flow) = (Vec::new(), Vec::new());
        for &k in sizes(is_quick, 1) {
            let plan = sp.tree(algorithm, k, 1)?;
            let (ping, _) = sp.machine().multicast_ping(&plan, 1, 20).map_err(stuck)?;
            root.push((f64::from(k), ping / MICROSECOND));
            flow.push((f64::from(k), sp.machine().multicast(&plan, 1, 1).map_err(stuck)?.latency / MICROSECOND));
        }
        curves.extend([(format!("{algorithm}, t_root"), root), (format!("{algorithm}, t_mcast"), flow)]);
    }
    Ok(curves)
}

/// Fig. 3.7: flow latencies of 1 byte in a tree of 9 nodes, blocks of 3.
pub(super) fn fig_3_7(_: bool) -> Curves {
    let sp = Sp::new()?;
    let found = sp.machine().multicast(&sp.tree("block_binomial", 9, 1)?, 1, 4).map_err(stuck)?;
    let flows = found.flows.iter().map(|(node, flow)| (f64::from(node.0), flow / MICROSECOND));
    let critical = vec![(f64::from(found.critical.0), found.latency / MICROSECOND)];
    Ok(vec![("flow latency".to_owned(), flows.collect()), ("multicast latency".to_owned(), critical)])
}

/// Figs. 3.8 and 4.6: latencies of 1 byte by the size of the tree.
pub(super) fn latency_1(is_quick: bool) -> Curves {
    latencies(1, is_quick)
}

/// Figs. 3.9 and 4.6: latencies of 1024 bytes by the size of the tree.
pub(super) fn latency_1024(is_quick: bool) -> Curves {
    latencies(1024, is_quick)
}

fn latencies(bytes: u32, is_quick: bool) -> Curves {
    let sp = Sp::new()?;
    let trees =
        [("sequential", "sequential"), ("binomial", "binomial"), ("MPI-F", "block_binomial"), ("OPT-tree", "opt_tree")];
    let mut curves = Vec::new();
    for (name, algorithm) in trees {
        let mut points = Vec::new();
        for &k in sizes(is_quick, bytes) {
            let found = sp.machine().multicast(&sp.tree(algorithm, k, bytes)?, bytes, 1).map_err(stuck)?;
            points.push((f64::from(k), found.latency / MICROSECOND));
        }
        curves.push((name.to_owned(), points));
    }
    Ok(curves)
}

/// Fig. 3.10: a scatter of 1 byte to each, beside the sequential multicast of 1 byte.
pub(super) fn fig_3_10(is_quick: bool) -> Curves {
    let sp = Sp::new()?;
    let (mut scatter, mut sequential) = (Vec::new(), Vec::new());
    for &k in sizes(is_quick, 1) {
        let plans = [sequential_scatter(NodeId(0), &others(k)), sp.tree("sequential", k, 1)?];
        for (plan, points) in plans.iter().zip([&mut scatter, &mut sequential]) {
            points.push((f64::from(k), sp.machine().multicast(plan, 1, 1).map_err(stuck)?.latency / MICROSECOND));
        }
    }
    Ok(vec![("scatter".to_owned(), scatter), ("sequential".to_owned(), sequential)])
}
