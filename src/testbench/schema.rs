//! The RON schema of a testbench: every field, its unit and its default.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::experiment::{Run, Workload};
use crate::network::Network;
use crate::verify::rules::Rule;
use wormscope_hw::Encoding;

/// A testbench: a network, a stimulus, and expectations. A file that others include may have any
/// part of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Testbench {
    /// Purpose of the testbench, in one line.
    pub purpose: String,
    /// Words by which a command chooses testbenches.
    pub tags: Vec<String>,
    /// Files whose parts are taken over, by paths relative to this one. Lists are joined, and so
    /// are the fields of `expect`. Of several `run`, that of the including file counts, or else
    /// that of the last include that has one.
    pub include: Vec<String>,
    /// An experiment whose network, workload and run are taken, by its path relative to this file.
    pub config: Option<String>,
    /// The network, if no `config` names one.
    pub network: Option<Network>,
    /// Overrides of the fields above, `path=value` as on the command line.
    pub set: Vec<String>,
    /// Messages, in addition to the workload of `config`.
    pub workload: Vec<Workload>,
    /// Constrained-random worms, in addition to the workload.
    pub random: Vec<RandomWorms>,
    /// Length of the run, and its seed.
    pub run: Option<Run>,
    /// Protocol checkers that are switched off.
    pub unchecked: Vec<Rule>,
    /// Situations to reach: expressions of the property language.
    pub cover: Vec<String>,
    /// Combinations of situations to reach.
    pub crosses: Vec<Cross>,
    /// Bins of coverage that cannot be reached. A run that reaches one fails.
    pub exclude: Vec<Exclusion>,
    /// Expectations.
    pub expect: Expect,
}

/// A bin for each combination of one expression out of each list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cross {
    /// Name of the cross.
    pub name: String,
    /// Lists of expressions.
    pub of: Vec<Vec<String>>,
}

/// A bin of coverage that cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of a bin of the hardware, or text of a bin of this testbench.
    pub bin: String,
    /// Reason why no run reaches the bin.
    pub reason: String,
}

/// Worms drawn from the seed. Ranges include both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomWorms {
    /// Number of worms.
    pub worms: u32,
    /// Cycles of creation.
    pub cycles: (u64, u64),
    /// Nodes that send. Empty for all nodes.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<u32>,
    /// Nodes that receive. Empty for all nodes.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<u32>,
    /// Encodings with their relative frequencies.
    #[serde(default = "unicasts")]
    pub encodings: Vec<(Encoding, u32)>,
    /// Destinations of a multicast. A path worm visits fewer destinations if its path has fewer
    /// nodes.
    #[serde(default = "two_to_four")]
    pub destinations: (u32, u32),
    /// Payload flits.
    pub payload_flits: (u32, u32),
    /// Whether each mask covers its source too. The source gets no copy, or with `copy_to_source` a
    /// copy. Then bit-strings have their source, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub around_source: bool,
}

/// Reads a list that replaces "all" and so must not be empty.
fn listed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    let list = Vec::deserialize(from)?;
    if list.is_empty() { Err(D::Error::custom("the list is empty; leave it out for all")) } else { Ok(list) }
}

/// Sizes of destination sets when none are given.
pub(super) const TWO_TO_FOUR: (u32, u32) = (2, 4);

fn unicasts() -> Vec<(Encoding, u32)> {
    vec![(Encoding::Unicast, 1)]
}

fn two_to_four() -> (u32, u32) {
    TWO_TO_FOUR
}

/// Expectations of a run. Worms are named by their numbers, in order of creation, as everywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Receivers of worms, with last cycles. Each gets the worm exactly once and completely.
    pub deliveries: Vec<Deliveries>,
    /// Latencies in cycles.
    pub latencies: Vec<Latencies>,
    /// Flits that arrive per node and cycle.
    pub throughput: Vec<Throughput>,
    /// The order in which tails arrive.
    pub order: Vec<Order>,
    /// Worms that block each other.
    pub blocked: Vec<Blocked>,
    /// Multicasts in software, in order of their beginning.
    pub multicasts: Vec<OfMulticast>,
    /// Activity of outputs over the whole run.
    pub links: Vec<OfLink>,
    /// Account of cycles over the whole run.
    pub account: Option<Account>,
    /// State at the end. It is `empty` unless a deadlock is expected.
    pub final_state: Option<FinalState>,
    /// Whether the run ends in a deadlock; `never` if absent.
    pub deadlock: Option<Deadlock>,
    /// Values of signals in given cycles.
    pub signals: Vec<Signals>,
    /// Temporal properties over signals; see [`property`](super::property).
    pub properties: Vec<String>,
}

/// A worm is delivered at exactly these nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deliveries {
    /// The worm.
    pub worm: u32,
    /// The nodes, in any order.
    pub to: Vec<u32>,
    /// Last cycle in which a tail may arrive.
    #[serde(default)]
    pub by: Option<u64>,
}

/// Latencies of worms at their destinations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Latencies {
    /// The worms. Empty for all worms.
    #[serde(deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub worms: Vec<u32>,
    /// Destinations. Empty for all destinations.
    #[serde(deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<u32>,
    /// Only worms of one of these classes. Empty for all classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Only worms with one of these encodings. Empty for all encodings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<Encoding>,
    /// Only worms that are created in these cycles, both ends included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<(u64, u64)>,
    /// Counts only the cycles of this cause, with its name in `wormscope why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Begin of the count.
    pub from: Begin,
    /// End of the count.
    pub until: End,
    /// Exact value of each latency.
    pub equal: Option<u64>,
    /// Smallest value of each latency.
    pub at_least: Option<u64>,
    /// Largest value of each latency.
    pub at_most: Option<u64>,
    /// Range of their mean, ends included.
    pub mean: Option<(f64, f64)>,
    /// Bounds of their percentiles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percentiles: Vec<Percentile>,
}

/// Bounds of a percentile: the smallest latency that so many per cent of all do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Percentile {
    /// Per cent of the latencies.
    pub percent: f64,
    /// Smallest value of the percentile.
    #[serde(default)]
    pub at_least: Option<u64>,
    /// Largest value of the percentile.
    #[serde(default)]
    pub at_most: Option<u64>,
}

/// Flits that arrive, per node and cycle. A worm counts in the cycle of its tail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Throughput {
    /// Nodes at which worms arrive. Empty for all nodes.
    #[serde(deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<u32>,
    /// Only worms of one of these classes. Empty for all classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Only worms with one of these encodings. Empty for all encodings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<Encoding>,
    /// The cycles that count, both ends included. Without it, the whole run counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<(u64, u64)>,
    /// Smallest number of flits per node and cycle.
    pub at_least: Option<f64>,
    /// Largest number of flits per node and cycle.
    pub at_most: Option<f64>,
}

/// Begin of the count of a latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Begin {
    /// The cycle of creation.
    #[default]
    Created,
    /// The cycle in which the first flit leaves the source.
    Injected,
}

/// End of the count of a latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The cycle in which the first flit is at the node.
    Head,
    /// The cycle in which the last flit is at the node.
    #[default]
    Tail,
}

/// An order of arrivals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Order {
    /// A node receives these worms one after the other. Other worms may come between them.
    AtNode {
        /// The node.
        node: u32,
        /// The worms, in order.
        worms: Vec<u32>,
    },
    /// A worm arrives at these nodes one after the other.
    OfWorm {
        /// The worm.
        worm: u32,
        /// The nodes, in order.
        nodes: Vec<u32>,
    },
}

/// Worms that own lanes for which another worm waits, at any time. A branch of it is decided, and
/// all lanes that the branch could take are owned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocked {
    /// The worm that waits.
    pub worm: u32,
    /// Exactly the worms for which the worm waits. Empty for no wait.
    pub by: Vec<u32>,
    /// Only at this output, as in `rt_0_1.out2`.
    #[serde(default)]
    pub at: Option<String>,
    /// Number of cycles in which the worm waits.
    #[serde(default)]
    pub cycles: Option<u64>,
}

/// A multicast in software, planned by the algorithm that the workload names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfMulticast {
    /// Number of the multicast, in the order of starts.
    pub multicast: u32,
    /// Nodes that hold the message in the end. Empty for all its destinations.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<u32>,
    /// Number of cycles from the begin of the multicast until the last of these nodes holds the
    /// message.
    #[serde(default)]
    pub equal: Option<u64>,
    /// Smallest allowed number.
    #[serde(default)]
    pub at_least: Option<u64>,
    /// Largest allowed number.
    #[serde(default)]
    pub at_most: Option<u64>,
    /// Number of start-ups one after the other until the last node is served, as its plan counts
    /// them.
    #[serde(default)]
    pub steps: Option<u32>,
    /// Tree of the multicast, as sends with their receivers: exactly these worms, in any order.
    #[serde(default)]
    pub sends: Option<Vec<(u32, Vec<u32>)>>,
}

/// Activity of an output, for all its lanes together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfLink {
    /// The output, as in `rt_0_1.out2`, or one of its lanes.
    pub link: String,
    /// Number of flits that crossed.
    #[serde(default)]
    pub flits: Option<u64>,
    /// Number of cycles in which a worm of one branch had a flit for the output and no credit.
    #[serde(default)]
    pub blocked: Option<u64>,
    /// The worm that held the output longest, and the number of cycles.
    #[serde(default)]
    pub longest: Option<(u32, u64)>,
}

/// Worm-cycles by activity, as in the summary of `run`. Absent fields are not compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Account {
    /// A branch took a flit.
    pub moving: Option<u64>,
    /// A branch had no credit towards a switch.
    pub no_credit: Option<u64>,
    /// The lane of a branch belonged to another worm, or another lane had the link.
    pub lane_wait: Option<u64>,
    /// A branch waited for a sibling.
    pub sibling: Option<u64>,
    /// A branch waited for the token.
    pub token: Option<u64>,
    /// The header was assembled, decoded or allocated.
    pub header: Option<u64>,
    /// A branch had no credit towards a node.
    pub endpoint: Option<u64>,
    /// The worm for which other worms waited longest, and the number of cycles of these waits.
    pub waited_for: Option<(u32, u64)>,
}

/// State at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinalState {
    /// Every worm has arrived at all its destinations. FIFOs are empty, lanes are free, and all
    /// credits are back.
    Empty,
    /// The run may end, at `run.max_cycles`, with worms under way.
    Any,
}

/// Whether a run ends in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Deadlock {
    /// The network does not deadlock.
    Never,
    /// The network deadlocks. The names are the names in the report.
    Found {
        /// Worms of the report's table, in its order.
        worms: Vec<u32>,
        /// Lanes and tokens that the worms hold, in any order, with the names of the report
        /// (`rt_0_1.out2`). Not compared if absent.
        #[serde(default)]
        holds: Option<Vec<String>>,
        /// Lanes, space behind lanes (`space behind rt_0_1.out2`) and tokens for which the worms
        /// wait, in any order. Not compared if absent.
        #[serde(default)]
        wants: Option<Vec<String>>,
        /// The cycle from which the deadlock is final.
        #[serde(default)]
        final_cycle: Option<u64>,
    },
}

/// Values of signals in one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signals {
    /// The cycle.
    pub at: u64,
    /// An expression of the property language that holds in the cycle.
    pub that: String,
}

impl Expect {
    /// Whether there are no expectations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::testbench::from_text;
    use crate::verify::rules::Rule;

    const PAGE: &str = include_str!("../../docs/reference/testbenches.md");

    fn is_named(name: &str) -> bool {
        PAGE.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
    }

    #[test]
    fn the_page_names_every_field_and_every_checker() {
        let source = include_str!("schema.rs").split("#[cfg(test)]").next().unwrap_or_default();
        let mut fields = 0;
        for line in source.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let Some((name, kind)) = line.split_once(": ") else { continue };
            if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && kind.ends_with(',') {
                assert!(is_named(name), "{name}");
                fields += 1;
            }
        }
        assert!(fields > 50, "{fields} fields");
        for name in Rule::ALL.map(Rule::name) {
            assert!(PAGE.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn the_page_has_the_grammar_of_the_parser() {
        let source = include_str!("property.rs");
        let grammar =
            source.split("//! ```text\n").nth(1).and_then(|rest| rest.split("//! ```").next()).unwrap_or_default();
        let grammar: Vec<&str> = grammar.lines().map(|line| line.strip_prefix("//! ").unwrap_or(line)).collect();
        assert!(grammar.len() > 10 && PAGE.contains(&grammar.join("\n")), "{}", grammar.join("\n"));
    }

    #[test]
    fn the_example_of_the_page_passes() {
        let examples = PAGE.split("```ron\n").skip(1).filter_map(|rest| rest.split("```").next());
        let benches: Vec<&str> = examples.filter(|text| text.contains("purpose:")).collect();
        let [text] = benches[..] else { panic!("{benches:?}") };
        from_text("page.ron", text).expect("a bench").check().expect("it passes");
    }
}
