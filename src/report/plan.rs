//! A plan to look at: its tree or steps, headers as bits, channels, start-ups, contention; as text,
//! JSON and DOT. The picture is [`super::picture::draw_worms`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use serde::{Serialize, Serializer};
use wormscope_hw::header::Worm;
use wormscope_hw::{Encoding, NodeId};

use super::unloaded;
use super::worms::Stroke;
use crate::experiment::Length;
use crate::model::contention::{Contention, Meeting, OutputPort, by_step, by_time, channels, of_one_node};
use crate::model::parameterised::{flights, latency};
use crate::model::tree::TreeError;
use crate::multicast::{Algorithm, LinearCost, Parameters, Pieces, Plan, Request, Send};
use crate::network::routing::multiport::Stages;
use crate::network::{End, Network, Wiring, header_flits_to};
use crate::quote::{counted, more_rows};
use crate::site::Site;
use crate::table::Table;

/// Largest number of rows of each part of the text.
const MOST_ROWS: usize = 100;

/// A plan and its results. Times are in cycles.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport<'a> {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Paper that describes the algorithm.
    pub paper: &'static str,
    /// Part of the algorithm that is a reconstruction, if any.
    pub reconstruction: Option<&'static str>,
    /// The network in some words.
    pub network: String,
    /// Node that has the message.
    pub source: u32,
    /// Nodes that have to get the message.
    pub destinations: Vec<u32>,
    /// Payload flits of the message.
    pub payload_flits: u32,
    /// Length of the message in bytes.
    pub bytes: f64,
    /// Number of pieces of the message.
    pub pieces: u32,
    /// Steps: start-ups one after the other.
    pub steps: u32,
    /// Smallest possible number of worms of a plan of this kind, if the algorithm looks for the
    /// fewest worms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_worms: Option<u32>,
    /// Worms in the order of their steps.
    pub worms: Vec<WormRow<'a>>,
    /// Start-ups of the nodes that send.
    pub start_ups: BTreeMap<u32, u32>,
    /// Worms of one step that share a channel.
    pub contention_in_steps: ContentionRow,
    /// Worms of different nodes that may be on a channel at the same time under the costs below.
    pub contention_in_time: ContentionRow,
    /// Whether worms of one node may be on a channel at the same time, because the node sends
    /// several at a time.
    pub contention_of_one_node: bool,
    /// `t_hold` as given to the algorithm.
    pub hold: f64,
    /// `t_end` as given to the algorithm.
    pub end: f64,
    /// Latency under these costs, the same for all worms, without contention (parameterised model).
    pub latency: f64,
    /// Latency on this hardware without contention, each worm with its header on its way; `None` if
    /// the search would take long.
    pub hardware_latency: Option<f64>,
    /// Whether that latency leaves out waits for the processor of a node, which receives one piece
    /// after the other.
    pub hardware_latency_is_least: bool,
}

/// A worm of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct WormRow<'a> {
    /// Step, from 0.
    pub step: u32,
    /// Node that sends.
    pub from: u32,
    /// Nodes that receive, in header order.
    pub to: Vec<u32>,
    /// Header encoding.
    pub encoding: &'static str,
    /// Pieces that the worm carries, as `first..=last`.
    #[serde(serialize_with = "ranges")]
    pub pieces: &'a Pieces,
    /// Header flits as bits, the highest bit first. Each flit has only the bits that the header
    /// needs.
    pub header: Vec<String>,
    /// Payload flits.
    pub payload_flits: u32,
    /// Channels of the worm, the channel to its last node included. With adaptive routing, the
    /// first alternative.
    pub channels: Channels<'a>,
}

/// Channels by their names.
#[derive(Clone, Debug)]
pub struct Channels<'a> {
    wiring: &'a Wiring,
    used: Vec<OutputPort>,
}

impl Channels<'_> {
    /// Number of channels.
    #[must_use]
    pub fn count(&self) -> usize {
        self.used.len()
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.used.iter().map(|&channel| name(self.wiring, channel))
    }
}

impl Serialize for Channels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

fn name(wiring: &Wiring, (switch, port): OutputPort) -> String {
    format!("{}.out{port}", wiring.switch_name(switch))
}

/// Pieces as `first..=last`.
fn ranges<S: Serializer>(pieces: &Pieces, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(range_texts(pieces))
}

fn range_texts(pieces: &Pieces) -> impl ExactSizeIterator<Item = String> {
    pieces.iter().map(|range| format!("{}..={}", range.start, range.end - 1))
}

/// Worms that meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContentionRow {
    /// Pairs on all channels together: worms that share several channels count on each.
    pub meetings: u64,
    /// Channels on which worms meet.
    pub channels: usize,
    /// Whether all pairs are named.
    pub all_named: bool,
    /// Pairs of worms, each with the first channel that they share.
    pub pairs: Vec<MeetingRow>,
}

impl ContentionRow {
    fn new(wiring: &Wiring, found: &Contention) -> Self {
        let row = |m: &Meeting| MeetingRow { channel: name(wiring, m.channel), worms: m.sends };
        Self {
            meetings: found.meetings,
            channels: found.channels,
            all_named: found.names_all(),
            pairs: found.pairs.iter().map(row).collect(),
        }
    }
}

/// Two worms on one channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeetingRow {
    /// The channel.
    pub channel: String,
    /// Numbers of the worms in the list.
    pub worms: (usize, usize),
}

/// Question about a plan.
pub struct Question<'a> {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Plan of the algorithm.
    pub plan: &'a Plan,
    /// Given parameters.
    pub parameters: &'a Parameters,
    /// Length of the message.
    pub length: Length,
    /// The hardware.
    pub network: &'a Network,
    /// The network as wired.
    pub site: &'a Site,
    /// The network in some words.
    pub name: &'a str,
}

/// Whether worms of one node may be on a channel at the same time.
fn meet_at_their_node(of: &Question<'_>, used: &[Vec<OutputPort>]) -> bool {
    let Question { plan, parameters, length, network, .. } = *of;
    let node = &network.node;
    // Cycles between two sends of a node.
    let apart = match (node.ports, node.costs) {
        (1, Some(costs)) => LinearCost::from(costs.hold).of(length.bytes),
        (1, None) => node.startup_cycles.into(),
        _ => parameters.inter,
    };
    let mut senders = BTreeSet::new();
    // Virtual channels share the link from the node.
    let share_the_link = network.node_channels() > 1 && plan.sends.iter().any(|send| !senders.insert(send.from));
    apart < f64::from(length.flits) && (share_the_link || of_one_node(plan, used, node.ports.max(1) as usize))
}

impl<'a> PlanReport<'a> {
    /// The report of a plan.
    ///
    /// # Errors
    /// When a route does not arrive or crosses itself.
    pub fn new(of: &Question<'a>) -> Result<Self, TreeError> {
        let Question { plan, parameters, length, network, site, .. } = *of;
        let wiring = site.wiring();
        let used = channels(wiring, plan, |switch, node| site.next(switch, node))?;
        let hardware_latency = unloaded::latency(plan, length, network, site, &used);
        let contention_in_steps = ContentionRow::new(wiring, &by_step(plan, &used));
        let contention_in_time = ContentionRow::new(wiring, &by_time(plan, &used, &flights(plan, parameters)));
        let contention_of_one_node = meet_at_their_node(of, &used);
        let worm = |(send, used): (&'a Send, Vec<OutputPort>)| WormRow {
            step: send.step,
            from: send.from.0,
            to: send.to.iter().map(|node| node.0).collect(),
            encoding: send.encoding.name(),
            pieces: &send.pieces,
            header: header_bits(network, site, send.encoding, send.from, &send.to),
            payload_flits: length.flits_of(send.carried(), plan.pieces),
            channels: Channels { wiring, used },
        };
        let request = Request { wiring, source: plan.source, destinations: &plan.destinations, parameters };
        let mut start_ups = BTreeMap::new();
        for send in &plan.sends {
            *start_ups.entry(send.from.0).or_insert(0) += 1;
        }
        Ok(Self {
            algorithm: of.algorithm.name,
            paper: of.algorithm.paper,
            reconstruction: of.algorithm.reconstruction,
            network: of.name.to_owned(),
            source: plan.source.0,
            destinations: plan.destinations.iter().map(|node| node.0).collect(),
            payload_flits: length.flits,
            bytes: length.bytes,
            pieces: plan.pieces,
            steps: plan.steps(),
            least_worms: of.algorithm.least(&request),
            worms: plan.sends.iter().zip(used).map(worm).collect(),
            start_ups,
            contention_in_steps,
            contention_in_time,
            contention_of_one_node,
            hold: parameters.hold(),
            end: parameters.end(),
            latency: latency(plan, parameters),
            hardware_latency,
            hardware_latency_is_least: plan.pieces > 1 && network.node.costs.is_some(),
        })
    }

    /// The report to read: of long lists the beginning.
    #[must_use]
    pub fn text(&self) -> String {
        let start_ups: u32 = self.start_ups.values().sum();
        let mut text = format!(
            "{} ({}) on {}\nn{} to {} in {}, {}, {} ({})",
            self.algorithm,
            self.paper,
            self.network,
            self.source,
            counted(self.destinations.len(), "node"),
            counted(self.steps, "step"),
            counted(start_ups, "start-up"),
            counted(self.payload_flits, "payload flit"),
            counted(self.bytes, "byte"),
        );
        if self.pieces > 1 {
            let flits = self.payload_flits.div_ceil(self.pieces);
            let _ = write!(text, " in {} pieces of {}", self.pieces, counted(flits, "flit"));
            if self.bytes < self.pieces.into() {
                text += ", though less than a byte";
            }
        }
        text.push('\n');
        if let Some(what) = self.reconstruction {
            let _ = writeln!(text, "reconstruction: {what}");
        }
        if let Some(least) = self.least_worms {
            let worms = counted(self.worms.len(), "worm");
            let _ = match self.worms.len() as u32 - least {
                0 => writeln!(text, "{worms}: no split has fewer"),
                _ => writeln!(text, "{worms}: no split has fewer than {least}"),
            };
        }
        let (hold, end, latency) = (self.hold, self.end, self.latency);
        let _ = writeln!(
            text,
            "by the parameterised model: t_hold {hold:.1}, t_end {end:.1}, latency {latency:.1} cycles without contention"
        );
        let _ = match self.hardware_latency {
            Some(latency) => {
                let least = if self.hardware_latency_is_least { "at least " } else { "" };
                writeln!(text, "on this hardware: latency {least}{latency:.0} cycles without contention\n")
            }
            None => {
                writeln!(text, "on this hardware: not computed, the worms have too many flits at too many switches\n")
            }
        };
        let shape = if self.is_tree() { self.tree() } else { self.sends() };
        text + &shape + "\n" + &self.table() + "\n" + &self.node_text() + &self.contention()
    }

    /// Whether every node is sent to once, and the source never.
    fn is_tree(&self) -> bool {
        let mut reached = BTreeSet::from([self.source]);
        self.worms.iter().flat_map(|worm| &worm.to).all(|&node| reached.insert(node))
    }

    /// The tree: below each node the nodes to which it sends, in order, with the step.
    fn tree(&self) -> String {
        let mut children: BTreeMap<u32, Vec<(u32, &WormRow)>> = BTreeMap::new();
        for worm in &self.worms {
            children.entry(worm.from).or_default().extend(worm.to.iter().map(|&to| (to, worm)));
        }
        let mut text = format!("n{}\n", self.source);
        let mut left = MOST_ROWS;
        self.branch(self.source, "", &children, &mut left, &mut text);
        let edges: usize = children.values().map(Vec::len).sum();
        text + &more_rows(edges, MOST_ROWS, "node")
    }

    fn branch(
        &self,
        node: u32,
        indent: &str,
        children: &BTreeMap<u32, Vec<(u32, &WormRow)>>,
        left: &mut usize,
        text: &mut String,
    ) {
        let all = children.get(&node).map_or(&[][..], |all| all);
        for (i, &(to, worm)) in all.iter().enumerate() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let last = i + 1 == all.len();
            let (elbow, below) = if last { ("└─", "  ") } else { ("├─", "│ ") };
            let with = match worm.to.len() - 1 {
                0 => String::new(),
                others => format!(" with {}", counted(others, "other")),
            };
            let what =
                if self.pieces > 1 { format!(", pieces {}", some(range_texts(worm.pieces))) } else { String::new() };
            let _ = writeln!(text, "{indent}{elbow} n{to}  step {}{with}{what}", worm.step);
            self.branch(to, &format!("{indent}{below}"), children, left, text);
        }
    }

    /// The sends, step by step, with sender, receivers and pieces. The text shows plans that are no
    /// tree.
    fn sends(&self) -> String {
        let mut worms: Vec<&WormRow> = self.worms.iter().collect();
        worms.sort_by_key(|worm| (worm.step, worm.from));
        let mut table = Table::new(&["step", "from", "to", "channels", "pieces"], &[1, 2, 4]);
        for worm in worms.iter().take(MOST_ROWS) {
            table.row([
                worm.step.to_string(),
                format!("n{}", worm.from),
                node_names(worm.to.iter()),
                worm.channels.count().to_string(),
                some(range_texts(worm.pieces)),
            ]);
        }
        table.text() + &more_rows(worms.len(), MOST_ROWS, "send")
    }

    fn table(&self) -> String {
        let mut table = Table::new(
            &["worm", "step", "from", "to", "encoding", "flits", "header bits", "channels"],
            &[2, 3, 4, 6, 7],
        );
        for (number, worm) in self.worms.iter().enumerate().take(MOST_ROWS) {
            table.row([
                number.to_string(),
                worm.step.to_string(),
                format!("n{}", worm.from),
                node_names(worm.to.iter()),
                worm.encoding.to_owned(),
                format!("{}+{}", worm.header.len(), worm.payload_flits),
                some(worm.header.iter().cloned()),
                some(worm.channels.used.iter().map(|&channel| name(worm.channels.wiring, channel))),
            ]);
        }
        table.text() + &more_rows(self.worms.len(), MOST_ROWS, "send")
    }

    fn node_text(&self) -> String {
        let mut by_count: BTreeMap<u32, Vec<&u32>> = BTreeMap::new();
        for (node, &start_ups) in &self.start_ups {
            by_count.entry(start_ups).or_default().push(node);
        }
        let mut text = "start-ups per node\n".to_owned();
        for (start_ups, nodes) in by_count.into_iter().rev().take(MOST_ROWS) {
            let _ = writeln!(text, "  {start_ups}: {}", node_names(nodes.into_iter()));
        }
        text
    }

    fn contention(&self) -> String {
        /// Largest number of listed pairs.
        const MOST: usize = 20;
        let mut text = String::new();
        let kinds = [
            ("worms of one step that share a channel", &self.contention_in_steps, "none, contention-free"),
            ("worms that may meet under these costs, on these channels", &self.contention_in_time, "none"),
        ];
        for (what, found, none) in kinds {
            if found.meetings == 0 {
                let _ = writeln!(text, "{what}: {none}");
                continue;
            }
            let channels = counted(found.channels, "channel");
            let _ = if found.all_named {
                writeln!(text, "{what}: {} on {channels}", counted(found.pairs.len(), "pair"))
            } else {
                writeln!(text, "{what}: {} on {channels}", counted(found.meetings, "meeting"))
            };
            for MeetingRow { channel, worms: (a, b) } in found.pairs.iter().take(MOST) {
                let _ = writeln!(text, "  worms {a} and {b} on {channel}");
            }
            match found.pairs.len().saturating_sub(MOST) {
                _ if !found.all_named => text += "  and many more\n",
                0 => {}
                more => {
                    let _ = writeln!(text, "  and {more} more");
                }
            }
        }
        if self.contention_of_one_node {
            text += "worms of one node may also meet, because a node sends several at a time\n";
        }
        text
    }

    /// The tree as a graph for Graphviz: an edge a receiver, labelled with the step; a worm to
    /// several nodes is dashed.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut text =
            format!("digraph \"{} from n{}\" {{\n  n{} [shape=box];\n", self.algorithm, self.source, self.source);
        for (number, worm) in self.worms.iter().enumerate() {
            let style = if worm.to.len() > 1 { ", style=dashed" } else { "" };
            for to in &worm.to {
                let _ = writeln!(text, "  n{} -> n{to} [label=\"{}\", worm={number}{style}];", worm.from, worm.step);
            }
        }
        text + "}\n"
    }
}

fn node_names<'a>(nodes: impl ExactSizeIterator<Item = &'a u32>) -> String {
    some(nodes.map(|node| format!("n{node}")))
}

/// The first items that fit into a cell, and the number of other items (`--json` has all items).
fn some(items: impl ExactSizeIterator<Item = String>) -> String {
    /// Largest number of characters in a cell.
    const WIDEST: usize = 60;
    let count = items.len();
    let mut cell = String::new();
    for (shown, item) in items.enumerate() {
        if shown > 0 && cell.len() + 1 + item.len() > WIDEST {
            let _ = write!(cell, " … {} more", count - shown);
            break;
        }
        if shown > 0 {
            cell.push(' ');
        }
        cell += &item;
    }
    cell
}

/// The channels of a plan's worms as strokes for [`super::picture::draw_worms`], with the links of
/// the nodes.
///
/// # Errors
/// As [`PlanReport::new`].
pub fn strokes(plan: &Plan, site: &Site) -> Result<Vec<Stroke>, TreeError> {
    let used = channels(site.wiring(), plan, |switch, node| site.next(switch, node))?;
    let strokes = plan.sends.iter().zip(used).map(|(send, channels)| Stroke {
        step: send.step,
        from: send.from,
        to: channels
            .iter()
            .filter_map(|&(s, p)| if let Some(End::Node(n)) = site.wiring().output(s, p) { Some(n) } else { None })
            .collect(),
        channels,
    });
    Ok(strokes.collect())
}

/// The header of a worm at injection, flit by flit, as bits.
pub(crate) fn header_bits(
    network: &Network,
    site: &Site,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> Vec<String> {
    let (header, layout) = (encoding.header(), network.layout());
    let masks = || Stages::of(site.wiring()).map(|stages| stages.masks(source, destinations)).unwrap_or_default();
    let words = header.words(&Worm { layout: &layout, destinations, port_masks: &masks });
    if layout.is_beside {
        return Vec::new();
    }
    let bits = header.part_bits(&layout);
    let parts = header_flits_to(network, site.wiring(), encoding, source, destinations) / header.part_flits(&layout);
    // A part of the header takes one flit or several.
    let flits = |part: u32| {
        let image = (0..bits.div_ceil(64) as usize).map(|n| header.word(&words, part as usize, n)).collect();
        let mut image: BitVec<u64> = BitVec::from_vec(image);
        image.truncate(bits as usize);
        let digits = |flit: &BitSlice<u64>| flit.iter().rev().map(|bit| if *bit { '1' } else { '0' }).collect();
        image.chunks(layout.flit_bits as usize).map(digits).collect::<Vec<String>>()
    };
    (0..parts).rev().flat_map(flits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;
    use crate::multicast::ALGORITHMS;
    use crate::report::picture::draw_worms;
    use wormscope_hw::{Encoding, NodeId};

    fn network(text: &str) -> (Network, Site) {
        let loaded = from_text("x", &format!("(network: ({text}))"), &[]).unwrap();
        (loaded.experiment.network.clone(), Site::of(&loaded).unwrap())
    }

    /// The result of `with` on the report of a plan; `None` if the algorithm is not defined.
    fn report<T>(
        text: &str,
        algorithm: &str,
        source: u32,
        to: &[u32],
        with: impl FnOnce(&PlanReport, &Plan, &Site, &Network) -> T,
    ) -> Option<T> {
        let (network, site) = network(text);
        let algorithm = crate::multicast::find(algorithm).unwrap();
        let destinations: Vec<NodeId> = to.iter().map(|&node| NodeId(node)).collect();
        let parameters = Parameters::default();
        let request = Request {
            wiring: site.wiring(),
            source: NodeId(source),
            destinations: &destinations,
            parameters: &parameters,
        };
        let plan = algorithm.plan(&request).ok()?;
        let length = Length::new(&network, Some(16), None).unwrap();
        let question = Question {
            algorithm,
            plan: &plan,
            parameters: &parameters,
            length,
            network: &network,
            site: &site,
            name: "a network",
        };
        let report = PlanReport::new(&question).unwrap();
        Some(with(&report, &plan, &site, &network))
    }

    #[test]
    fn headers_have_the_flits_of_the_hardware_and_name_the_receivers() {
        let networks = [
            "topology: mesh(radices: [4, 4]), switch: (flit_bits: 8, fifo_depth: 8)",
            "topology: mesh(radices: [20, 20]), switch: (flit_bits: 8, fifo_depth: 64)",
            "topology: mesh(radices: [4, 4]), routing: label_order",
            "topology: uni_min(switch_ports: 2, stages: 4), switch: (flit_bits: 8)",
            "topology: bi_min(switch_ports: 4, stages: 2)",
        ];
        let mut seen = BTreeSet::new();
        for (algorithm, text) in ALGORITHMS.iter().flat_map(|a| networks.map(|text| (a, text))) {
            report(text, algorithm.name, 3, &[0, 5, 7, 9, 14, 15], |report, plan, site, network| {
                for (row, send) in report.worms.iter().zip(&plan.sends) {
                    let flits = header_flits_to(network, site.wiring(), send.encoding, send.from, &send.to);
                    assert_eq!(row.header.len() as u32, flits, "{} on {text}", algorithm.name);
                    let bits: String = row.header.iter().rev().map(String::as_str).collect();
                    match send.encoding {
                        Encoding::Unicast => assert_eq!(u32::from_str_radix(&bits, 2), Ok(send.to[0].0)),
                        Encoding::BitString => assert_eq!(bits.matches('1').count(), send.to.len()),
                        _ => {}
                    }
                    seen.insert(send.encoding.name());
                }
            });
        }
        assert!(seen.len() >= 3, "{seen:?}");
    }

    #[test]
    fn the_text_of_a_small_plan_reads_like_this() {
        let seen = report("topology: mesh(radices: [4, 4])", "u_mesh", 5, &[0, 6, 10, 15], |report, plan, site, _| {
            assert_eq!(report.text(), GOLDEN);
            let dot = report.dot();
            assert!(dot.starts_with("digraph") && dot.matches(" -> ").count() == 4, "{dot}");
            let picture = draw_worms(site.wiring(), "title", &strokes(plan, site).unwrap()).unwrap();
            // On top of the network's 24 links and 16 nodes are the worms' channels, both links of
            // nodes, and an arrow head a step.
            let channels: usize = report.worms.iter().map(|worm| worm.channels.count() + 1).sum();
            assert_eq!(picture.matches("<path").count(), 24 + 16 + channels + 3);
            assert!(picture.contains(">step 0<") && picture.contains(">step 2<"));
        });
        assert_eq!(seen, Some(()));
    }

    #[test]
    fn of_long_lists_the_text_shows_the_beginning_and_how_many_more_there_are() {
        let all: Vec<u32> = (1..256).collect();
        let text = |network: &str, algorithm: &str| {
            report(network, algorithm, 0, &all, |report, _, _, _| report.text()).expect("it is defined")
        };
        let mesh = text("topology: mesh(radices: [16, 16])", "sequential");
        assert!(mesh.contains("─ n100  step 99\n  ... and 155 more nodes; --json has all\n"), "{mesh}");
        assert!(mesh.contains("\n  ... and 155 more sends; --json has all\n"), "{mesh}");
        let path = text("topology: mesh(radices: [16, 16]), routing: label_order", "dual_path");
        assert!(path.contains("  n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12 n13 n14 n15 n31 n30 … 238 more"), "{path}");
        assert!(path.contains("\n  1: n0\n"), "{path}");
        for text in [mesh, path, text("topology: mesh(radices: [16, 16])", "allgather")] {
            assert!(text.lines().count() < 300 && text.lines().all(|line| line.chars().count() < 300), "{text}");
        }
    }

    #[test]
    fn sends_stand_by_step_where_a_node_gets_its_pieces_from_several() {
        let all: Vec<u32> = (1..8).collect();
        let text = report("topology: linear(nodes: 8)", "bst", 0, &all, |report, _, _, _| report.text());
        let text = text.expect("it is defined");
        let table = text.split("\n\n").nth(1).expect("a table");
        assert!(table.starts_with("step  from  to  channels  pieces\n"), "{text}");
        assert!(!text.contains('└'), "{text}");
        let order = |line: &str| {
            let mut words = line.split_whitespace();
            let step: u32 = words.next()?.parse().ok()?;
            let from: u32 = words.next()?.strip_prefix('n')?.parse().ok()?;
            Some((step, from))
        };
        let rows: Vec<(u32, u32)> = table.lines().skip(1).filter_map(order).collect();
        assert!(rows.len() > 7 && rows.is_sorted(), "{text}");
    }

    const GOLDEN: &str = "\
u_mesh ([KP] section 2.2.1) on a network
n5 to 4 nodes in 3 steps, 4 start-ups, 16 payload flits (128 bytes)
by the parameterised model: t_hold 1.0, t_end 1.0, latency 3.0 cycles without contention
on this hardware: latency 65 cycles without contention

n5
├─ n6  step 0
│ └─ n10  step 1
│   └─ n15  step 2
└─ n0  step 1

worm  step  from  to   encoding  flits  header bits  channels
   0     0  n5    n6   unicast    1+16  0110         rt_1_1.out0 rt_2_1.out4
   1     1  n5    n0   unicast    1+16  0000         rt_1_1.out1 rt_0_1.out3 rt_0_0.out4
   2     1  n6    n10  unicast    1+16  1010         rt_2_1.out2 rt_2_2.out4
   3     2  n10   n15  unicast    1+16  1111         rt_2_2.out0 rt_3_2.out2 rt_3_3.out4

start-ups per node
  2: n5
  1: n6 n10
worms of one step that share a channel: none, contention-free
worms that may meet under these costs, on these channels: none
";
}
