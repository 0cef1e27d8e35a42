//! `wormscope plan`.

use std::path::PathBuf;
use std::str::FromStr;

use wormscope::experiment::{LeaderLevels, Length, LogP, Settings, WormRules, check_network, check_worms};
use wormscope::hw::NodeId;
use wormscope::multicast::{self, Request};
use wormscope::quote::excerpt;
use wormscope::report::plan::{PlanReport, Question, strokes};
use wormscope::report::{self, picture};
use wormscope::simulation::Site;
use wormscope::workload::parameters;
use wormscope::{config, output};

use super::exit::{DONE, Refused, print};
use super::outputs::Files;
use super::progress::Shown;
use super::usage::integer;

/// Arguments of `wormscope plan`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of the experiment (- is standard input); its network is used, its workload only
    /// checked
    config: PathBuf,
    /// Plan with the algorithm NAME
    #[arg(long, value_name = "NAME", long_help = names())]
    algorithm: String,
    /// Send from NODE, 0 to the number of nodes - 1
    #[arg(long, value_name = "NODE", value_parser = node)]
    source: i64,
    /// Send to NODES: 1,2,5..9 (5 to 8), 5..=9 (5 to 9), all (all but the source)
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    dest: Nodes,
    /// Send N flits of payload, at least 1 [default: 16]
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX), conflicts_with = "bytes")]
    payload_flits: Option<u32>,
    /// Send N bytes of payload, at least 1, in place of --payload-flits
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX))]
    bytes: Option<u32>,
    /// Plan with this t_hold, 0 to 10^9 cycles from one send of a node to its next; needs --end
    #[arg(long, value_name = "CYCLES", value_parser = number, requires = "end")]
    hold: Option<f64>,
    /// Plan with this t_end, 0 to 10^9 cycles from the call of send to the return of receive; needs
    /// --hold
    #[arg(long, value_name = "CYCLES", value_parser = number, requires = "hold")]
    end: Option<f64>,
    /// Plan with L, o and g of LogP, 0 to 10^9 cycles each, in place of --hold and --end
    #[arg(long, value_name = "L,O,G", value_parser = log_p, allow_hyphen_values = true, conflicts_with_all = ["hold", "end"])]
    log_p: Option<LogP>,
    /// Plan with lambda of the postal model, 1 to 10^9, in place of --hold and --end
    #[arg(long, value_name = "LAMBDA", value_parser = number, conflicts_with_all = ["hold", "end", "log_p"])]
    postal: Option<f64>,
    /// Put N nodes into a block (block_binomial)
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX))]
    block: Option<u32>,
    /// Use LEVELS levels of leaders (hl, sqhl, schl): all (one for each dimension), fewest (those
    /// with the fewest steps by the formula of [KP]), or a number from 1 up
    #[arg(long, value_name = "LEVELS", value_parser = levels)]
    levels: Option<LeaderLevels>,
    /// Try at most N orders of the nodes (c_min)
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX))]
    candidates: Option<u32>,
    /// Let a link carry 2^N flits in parallel (st, bst, rh, scatter, allgather)
    #[arg(long, value_name = "N", value_parser = integer(0..=u32::MAX))]
    nu: Option<u32>,
    /// Set a field by its path, or by the end of its path, as in fifo_depth=8 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Write the plan to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the tree to FILE for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw the network with the worms to FILE as SVG; a colour for each step
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn names() -> String {
    let names: Vec<&str> = multicast::ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    format!("Plan with the algorithm NAME: {}", names.join(", "))
}

fn node(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "allowed: the number of a node".to_owned())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "allowed: a number, such as 20 or 2.5".to_owned())
}

fn levels(text: &str) -> Result<LeaderLevels, String> {
    match text {
        "all" => Ok(LeaderLevels::All),
        "fewest" => Ok(LeaderLevels::Fewest),
        _ => text.parse().map(LeaderLevels::Exactly).map_err(|_| "allowed: all, fewest, 1 and more".to_owned()),
    }
}

/// Three numbers.
fn log_p(text: &str) -> Result<LogP, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [latency, overhead, gap] => Ok(LogP { latency, overhead, gap }),
        _ => Err("allowed: three numbers, such as 40,5,20".to_owned()),
    }
}

/// Nodes as the command line names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// All but the source.
    All,
    /// These, from first to last, both included.
    Ranges(Vec<(u32, u32)>),
}

impl FromStr for Nodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let node = |text: &str| {
            text.trim()
                .parse()
                .map_err(|_| format!("\"{}\" is not a node; allowed: 1,2,5..9, 5..=9, all", excerpt(text)))
        };
        let range = |part: &str| match part.split_once("..") {
            None => node(part).map(|node| (node, node)),
            Some((from, to)) => {
                let (from, inclusive) = (node(from)?, to.strip_prefix('='));
                let to: u32 = node(inclusive.unwrap_or(to))?;
                let last = if inclusive.is_some() { Some(to) } else { to.checked_sub(1) };
                last.filter(|&last| last >= from).map(|last| (from, last)).ok_or_else(|| {
                    format!("{} is an empty range; allowed: A..B with A below B, or A..=B", excerpt(part))
                })
            }
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(Self::Ranges)
    }
}

impl Nodes {
    /// The nodes, in a network of `nodes` nodes. A longer list has a node that is outside or given
    /// twice, which is refused later.
    pub fn of(&self, nodes: u32, source: u32) -> Vec<NodeId> {
        match self {
            Self::All => (0..nodes).filter(|&node| node != source).map(NodeId).collect(),
            Self::Ranges(ranges) => {
                let all = ranges.iter().flat_map(|&(from, to)| from..=to);
                all.take(nodes as usize + 1).map(NodeId).collect()
            }
        }
    }
}

/// Plans a multicast and prints the plan and its latency.
pub fn plan(args: &Args) -> Result<u8, Refused> {
    let loaded = config::load(&args.config, &args.sets)?;
    let network = &loaded.experiment.network;
    let mut files = Files::beside(&loaded.inputs());
    let json = files.create("--json", args.json.as_deref())?;
    let dot = files.create("--dot", args.dot.as_deref())?;
    let svg = files.create("--svg", args.svg.as_deref())?;
    let shown = Shown::doing("building the network");
    let site = Site::of(&loaded)?;
    let algorithm = multicast::find(&args.algorithm)?;
    check_network(algorithm, network, site.wiring())?;
    let outside = || Refused(format!("source is {}; allowed: 0 to {}", args.source, network.nodes() - 1));
    let source = u32::try_from(args.source).map_err(|_| outside())?;
    let flits = args.payload_flits.or(if args.bytes.is_none() { Some(16) } else { None });
    let length = Length::new(network, flits, args.bytes)?;
    let settings = Settings {
        hold: args.hold,
        end: args.end,
        log_p: args.log_p,
        postal: args.postal,
        block: args.block,
        levels: args.levels,
        candidates: args.candidates,
        nu: args.nu,
    };
    settings.check(algorithm).map_err(|(_, why)| Refused(why))?;
    let destinations = args.dest.of(network.nodes(), source);
    let source = NodeId(source);
    algorithm.check_nodes(site.wiring(), source, &destinations)?;
    let parameters = parameters(&loaded.experiment.network, &site, &settings, length, source, &destinations);
    let request = Request { wiring: site.wiring(), source, destinations: &destinations, parameters: &parameters };
    shown.begins("planning");
    let plan = algorithm.plan(&request)?;
    check_worms(&WormRules::new(site.built()), &plan, length).map_err(|fault| Refused(fault.message))?;
    let name = network.describe();
    let question =
        Question { algorithm, plan: &plan, parameters: &parameters, length, network, site: &site, name: &name };
    shown.begins("searching for contention");
    let report = PlanReport::new(&question)?;
    shown.begins("writing the plan");
    let text = report.text();
    let mut files = Vec::new();
    if let Some(file) = json {
        files.push(report::json::write(&report, file)?);
    }
    if let Some(file) = dot {
        files.push(file.filled(&report.dot())?);
    }
    if let Some(file) = svg {
        let title = format!("{} from n{source} to {} nodes: {name}", algorithm.name, destinations.len());
        files.push(file.filled(&picture::draw_worms(site.wiring(), &title, &strokes(&plan, &site)?)?)?);
    }
    drop(shown);
    print(&text)?;
    output::place(files)?;
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbers_and_ranges() {
        let of =
            |text: &str| Nodes::from_str(text).map(|nodes| nodes.of(10, 3).iter().map(|n| n.0).collect::<Vec<_>>());
        assert_eq!(of("1,2,5..9").as_deref(), Ok(&[1, 2, 5, 6, 7, 8][..]));
        assert_eq!(of("5..=7, 0").as_deref(), Ok(&[5, 6, 7, 0][..]));
        assert_eq!(of("all").as_deref(), Ok(&[0, 1, 2, 4, 5, 6, 7, 8, 9][..]));
        assert_eq!(of("8..4000000000").as_deref(), Ok(&[8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18][..]));
        for wrong in ["", "x", "5..5", "7..=6", "-1", "1,,2"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
