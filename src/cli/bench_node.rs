//! `wormscope bench-node`.

use std::cell::Cell;
use std::fmt::Display;
use std::path::PathBuf;

use wormscope::experiment::{Length, Settings, WormRules, check_network};
use wormscope::hw::Encoding;
use wormscope::hw::NodeId;
use wormscope::measure::{Machine, Watcher, sequential_scatter};
use wormscope::multicast::{self, Algorithm, Request};
use wormscope::report::bench_node::{BenchNode, Task, measurements};
use wormscope::report::json::write;
use wormscope::simulation::Site;
use wormscope::workload::parameters;
use wormscope::{config, output};

use super::exit::{DONE, Refused, interrupted, print};
use super::outputs::Files;
use super::plan::Nodes;
use super::progress::{Shown, while_doing};
use super::signals::Interrupt;
use super::usage::integer;

/// Arguments of `wormscope bench-node`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of the experiment (- is standard input); its network is used, with the costs of its
    /// nodes
    config: PathBuf,
    /// Use NODE as first node of Ping and PingPong, and as root of the multicasts
    #[arg(long, value_name = "NODE", default_value_t = 0, value_parser = integer(0..=u32::MAX))]
    from: u32,
    /// Use NODE as second node of Ping and PingPong [default: the last node]
    #[arg(long, value_name = "NODE", value_parser = integer(0..=u32::MAX))]
    to: Option<u32>,
    /// Measure messages of N bytes each
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [64, 1024], value_parser = integer(0..=u32::MAX))]
    bytes: Vec<u32>,
    /// Repeat each benchmark N times, 1 to 100000
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = integer(1..=100_000_u32))]
    times: u32,
    /// Measure these multicast algorithms
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_values_t = ["binomial".to_owned(), "chain".to_owned()])]
    algorithm: Vec<String>,
    /// Put N nodes into a block (block_binomial)
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX))]
    block: Option<u32>,
    /// Measure a scatter too: the root sends each destination its own message, one after the other
    #[arg(long)]
    scatter: bool,
    /// Send the multicasts and the scatter to NODES: 1,2,5..9 (5 to 8), 5..=9, all [default: the
    /// first 7 nodes beside the root]
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    dest: Option<Nodes>,
    /// Set a field by its path, or by the end of its path, as in costs.network=50 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Write all numbers to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures a machine as its programs would.
pub fn bench_node(args: &Args) -> Result<u8, Refused> {
    /// Default number of destinations. Each destination has its own measurement.
    const SOME: u32 = 7;
    let loaded = config::load(&args.config, &args.sets)?;
    let json = Files::beside(&loaded.inputs()).create("--json", args.json.as_deref())?;
    let network = &loaded.experiment.network;
    let (site, nodes) = (while_doing("building the network", || Site::of(&loaded))?, network.nodes());
    let rules = WormRules::new(site.built());
    let to = args.to.unwrap_or(nodes - 1);
    for node in [args.from, to] {
        rules.check_node(node)?;
    }
    if args.from == to {
        return Err(Refused(format!("--from and --to are both n{to}; allowed: two different nodes")));
    }
    check_once("--bytes", &args.bytes)?;
    check_once("--algorithm", &args.algorithm)?;
    for &bytes in &args.bytes {
        let length = Length::new(network, None, Some(bytes))?;
        let worm = rules.check_worm(Encoding::Unicast, 1, length.flits);
        worm.map_err(|fault| Refused(format!("--bytes {bytes}: {}", fault.message)))?;
    }
    let destinations = match &args.dest {
        Some(nodes_of) => nodes_of.of(nodes, args.from),
        None => (0..nodes).filter(|&node| node != args.from).take(SOME as usize).map(NodeId).collect(),
    };
    let mut plans = Vec::new();
    for name in &args.algorithm {
        let algorithm = multicast::find(name)?;
        let settings = settings(args, algorithm)?;
        check_network(algorithm, network, site.wiring())?;
        algorithm.check_nodes(site.wiring(), NodeId(args.from), &destinations)?;
        let length = Length::new(network, None, args.bytes.first().copied())?;
        let source = NodeId(args.from);
        let parameters = parameters(network, &site, &settings, length, source, &destinations);
        let request = Request { wiring: site.wiring(), source, destinations: &destinations, parameters: &parameters };
        let plan = while_doing(&format!("planning {name}"), || algorithm.plan(&request))?;
        if plan.pieces > 1 {
            return Err(Refused(format!(
                "--algorithm {name}: it splits its message; allowed: algorithms that send a \
                 message whole"
            )));
        }
        for &bytes in &args.bytes {
            let length = Length::new(network, None, Some(bytes))?;
            wormscope::experiment::check_worms(&rules, &plan, length).map_err(|fault| Refused(fault.message))?;
        }
        plans.push((algorithm.name, plan));
    }
    if args.scatter {
        plans.push(("scatter", sequential_scatter(NodeId(args.from), &destinations)));
    }
    let name = network.describe();
    let all = measurements(&args.bytes, &plans);
    let watcher = Measuring {
        shown: Shown::counted(all, "measurements"),
        interrupt: Interrupt::awaited(),
        measured: Cell::new(0),
    };
    let task = Task {
        machine: Machine::new(network, &site, &watcher),
        name: &name,
        nodes: (NodeId(args.from), NodeId(to)),
        bytes: &args.bytes,
        times: args.times,
        plans: &plans,
    };
    let found = BenchNode::new(&task)?;
    let measured = watcher.measured.get();
    drop(watcher);
    let json = json.map(|file| write(&found, file)).transpose()?;
    print(&found.text())?;
    output::place(json.into_iter().collect())?;
    Ok(if found.interrupted { interrupted(&format!(" after {measured} of {all} measurements")) } else { DONE })
}

/// Measurements under way.
struct Measuring {
    shown: Shown,
    interrupt: Interrupt,
    measured: Cell<u64>,
}

impl Watcher for Measuring {
    fn measured(&self) {
        self.measured.set(self.measured.get() + 1);
        self.shown.reached(self.measured.get());
    }

    fn reached(&self, cycle: u64) {
        self.shown.begins(&format!("measurements, cycle {cycle} of the next"));
    }

    fn stops(&self) -> bool {
        self.interrupt.has_come()
    }
}

/// Refuses a value that is given twice, because it would be measured and printed twice.
fn check_once<T: PartialEq + Display>(option: &str, given: &[T]) -> Result<(), Refused> {
    match given.iter().enumerate().find(|(at, value)| given[..*at].contains(value)) {
        Some((_, value)) => Err(Refused(format!("{option}: {value} is given twice; once is allowed"))),
        None => Ok(()),
    }
}

/// The settings of an algorithm; a block is refused where none of those asked for has blocks.
fn settings(args: &Args, algorithm: &Algorithm) -> Result<Settings, Refused> {
    let has_blocks = |algorithm: &Algorithm| algorithm.settings.contains(&"block");
    let is_for_other = args.algorithm.iter().filter_map(|name| multicast::find(name).ok()).any(has_blocks);
    let block = args.block.filter(|_| has_blocks(algorithm) || !is_for_other);
    let settings = Settings { block, ..Settings::default() };
    settings.check(algorithm).map_err(|(field, why)| Refused(format!("--{field}: {why}")))?;
    Ok(settings)
}
