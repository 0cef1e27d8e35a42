//! The numbers of a report, computed once for all formats.

use serde::Serialize;
use wormscope_hw::{Encoding, PortId, SwitchId, WormId};

use super::RunEnd;
use super::accounts::AccountSums;
use super::classes::{ClassLatency, Classes, Flits};
use super::collector::{Collector, Multicast};
use super::gauge::{FifoRow, Gauges, LinkRow};
use super::histogram::Latency;
use super::hops::Hops;
use super::software::SoftwareRow;
use super::study::MulticastStudy;
use crate::coverage::Covered;
use crate::deadlock::Relation;
use crate::energy::Energy;
use crate::engine::{CycleAccount, Totals, WormInfo};
use crate::workload::Saturation;

/// Version of the JSON's shape; it changes whenever a key changes its name or meaning.
pub(crate) const SCHEMA_VERSION: u32 = 4;
/// Hottest links listed.
const HOTTEST: usize = 10;

/// The worm for which other worms waited longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WaitedFor {
    /// The worm.
    pub worm: u32,
    /// Worm-cycles in which other worms waited for lanes of this worm.
    pub worm_cycles: u64,
}

/// Flits a link carries in a cycle; links to other switches and to nodes, all virtual channels of a
/// link together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Utilisation {
    /// Mean over the links.
    pub mean: f64,
    /// Utilisation of the link that carries most flits.
    pub max: f64,
}

/// Traffic of a link over the whole run, all its parallel links and lanes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStats {
    /// Switch at which the link begins.
    pub switch: SwitchId,
    /// Output port of the switch.
    pub port: PortId,
    /// Number of parallel links.
    pub parallel: u32,
    /// Number of output lanes.
    pub lanes: u32,
    /// Flits that crossed.
    pub flits: u64,
    /// Cycles in which the owner of a lane had a flit and no credit, summed over the lanes.
    pub blocked: u64,
    /// Worm that held a lane longest.
    pub top_worm: Option<WormId>,
    /// Cycles for which that worm held the lane.
    pub top_held: u64,
}

/// Parts of a report, without the [`Collector`].
pub struct RunSummary<'a> {
    /// The experiment as the user named it.
    pub experiment: &'a str,
    /// Hash of its configuration.
    pub config_hash: &'a str,
    /// Seed of the random streams.
    pub seed: u64,
    /// The network in some words: `16x16 mesh, dimension_order`.
    pub network: &'a str,
    /// Number of nodes.
    pub nodes: u32,
    /// Clock period in ns.
    pub clock_ns: f64,
    /// End of the run.
    pub outcome: RunEnd,
    /// The deadlock in which the run ended, if it did.
    pub deadlock: Option<Relation>,
    /// The engine's counters.
    pub totals: Totals,
    /// Account of all cycles.
    pub cycles: CycleAccount,
    /// Verdict on the source queues under random traffic, from the measured window or a multiple of
    /// it.
    pub saturation: Option<Saturation>,
    /// The worm for which other worms waited longest, if any, and the worm-cycles of these waits.
    pub waited_for: Option<(WormId, u64)>,
    /// Links from switches, and the hottest of them at least ([`hottest_links`]).
    pub links: &'a [LinkStats],
    /// Utilisation of the links.
    pub utilisation: Utilisation,
    /// Latencies and flits by class.
    pub classes: &'a Classes,
    /// Classes that the workload names, in the order of their numbers.
    pub class_names: &'a [String],
    /// Names of both ends of a link from a switch: from, to.
    pub link_names: &'a dyn Fn(SwitchId, PortId) -> (String, String),
    /// The first thousands of multicasts in software, in the order in which they began.
    pub software: &'a [SoftwareRow],
    /// Number of multicasts in software that are left out.
    pub software_left_out: u64,
    /// Cycles from a worm's creation to its last tail in an empty network, where that is known.
    pub unblocked: &'a dyn Fn(&WormInfo) -> Option<u64>,
}

/// All numbers of a run. Latencies in cycles, loads in flits per node and cycle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// The network in some words.
    pub network: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Clock period in ns.
    pub clock_ns: f64,
    /// End of the run.
    pub outcome: RunEnd,
    /// The deadlock in which the run ended, as `wormscope deadlock` prints it.
    pub deadlock: Option<Relation>,
    /// Counters of the whole run.
    pub totals: Totals,
    /// Load in the measured window; `None` when the run did not reach it.
    pub load: Option<Load>,
    /// Verdict on the source queues, from the measured window or a multiple of it. `None` without
    /// random traffic, and when the run ended before the window.
    pub saturation: Option<Saturation>,
    /// From creation to the tail's arrival, all deliveries of measured worms.
    pub packet_latency: Option<Latency>,
    /// From the first flit's injection to the tail's arrival, all deliveries of measured worms.
    pub network_latency: Option<Latency>,
    /// Latencies of measured worms by class of traffic and by encoding; only classes that have any.
    pub latency_by_class: Vec<ClassLatency>,
    /// Load in the measured window by class that the workload names.
    pub load_by_class: Vec<ClassLoad>,
    /// Switches that measured worms pass on the way to a destination. `None` if no measured worm
    /// has arrived. Also `None` where counting would slow a run without rows.
    pub hops: Option<Hops>,
    /// Utilisation of the links.
    pub utilisation: Utilisation,
    /// Worms with more than one destination, in order of creation.
    pub multicasts: Vec<MulticastRow>,
    /// Number of multicasts that are not listed.
    pub multicasts_left_out: u64,
    /// Multicasts in software, in the order in which they began.
    pub software_multicasts: Vec<SoftwareRow>,
    /// Number of multicasts in software that are not listed.
    pub software_multicasts_left_out: u64,
    /// Shares of the worm-cycles by cause. The percentages sum to 100.0 unless all are 0.
    pub cycle_account: Vec<Share>,
    /// Cycles in which worms waited for tokens, counted once for all branches at a switch.
    pub token_wait: u64,
    /// The worm for which other worms waited longest.
    pub waited_for: Option<WaitedFor>,
    /// The links that had most to carry, in descending order.
    pub hottest_links: Vec<HotLink>,
    /// Totals of all links and FIFOs in the measured window, where they are watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gauges: Option<Gauges>,
    /// Situations that the run has met, where they are counted.
    #[serde(skip)]
    pub coverage: Option<Covered>,
    /// Every link in the measured window, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkRow>>,
    /// Every FIFO in the measured window, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fifos: Option<Vec<FifoRow>>,
    /// Account of the cycles of measured worms, if the caller asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounts: Option<AccountSums>,
    /// Multicasts in software together with other traffic, if the workload has groups or programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multicast_study: Option<MulticastStudy>,
    /// Energy of the run, an estimate, where coefficients were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_estimate: Option<Energy>,
}

/// Load in the measured window, in flits per node and cycle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Load {
    /// First cycle of the window.
    pub from: u64,
    /// First cycle after the window, or after the run if the run ended earlier.
    pub to: u64,
    /// See [`Collector::offered_flits`].
    pub offered: f64,
    /// See [`Collector::accepted_flits`].
    pub accepted: f64,
    /// See [`Collector::delivered_flits`].
    pub delivered: f64,
}

/// Load of a class in the measured window, in flits per node and cycle, with the same fields as
/// [`Load`] for all worms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassLoad {
    /// The class.
    pub class: String,
    /// Flits of its worms created in the window. For a multicast in software, flits of the worms
    /// that carry it.
    pub offered: f64,
    /// Flits of its worms that arrived in the window.
    pub accepted: f64,
    /// Flits of its worms that nodes took in the window; every copy counts.
    pub delivered: f64,
}

/// A worm with more than one destination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MulticastRow {
    /// Number of the worm.
    pub id: u32,
    /// Node that sends.
    pub source: u32,
    /// Nodes that receive, in header order.
    pub destinations: Vec<u32>,
    /// Header encoding.
    pub encoding: Encoding,
    /// Header flits at injection.
    pub header_flits: u32,
    /// Payload flits.
    pub payload_flits: u32,
    /// Cycle of creation.
    pub created: u64,
    /// Created in the measured window.
    pub measured: bool,
    /// Destinations wholly reached.
    pub arrived: u32,
    /// Cycles from creation to the first destination's tail.
    pub first: Option<u64>,
    /// Mean over the destinations reached.
    pub mean: Option<f64>,
    /// Cycles from creation to the last destination's tail; `None` while one is missing.
    pub last: Option<u64>,
    /// The same latency in an empty network, without waits for a token.
    pub unblocked: Option<u64>,
    /// `last / unblocked`.
    pub slowdown: Option<f64>,
}

/// One class of worm-cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The class, a field of [`CycleAccount`].
    pub class: &'static str,
    /// Worm-cycles.
    pub worm_cycles: u64,
    /// Per cent of all, with one decimal place. The rounded values sum to 100.0.
    pub percent: f64,
}

/// A link that had much to carry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HotLink {
    /// Switch or node at which the link begins.
    pub from: String,
    /// Switch or node at which the link ends.
    pub to: String,
    /// Flits that crossed.
    pub flits: u64,
    /// Cycles in which one crossed, in per cent of the run; the mean of parallel links.
    pub utilisation_percent: f64,
    /// Cycles in which the owner of a lane had a flit and no credit, in per cent of the run; the
    /// mean of the lanes.
    pub blocked_percent: f64,
    /// Worm that held a lane of the link longest.
    pub top_worm: Option<u32>,
    /// Cycles for which that worm held the lane.
    pub top_held: u64,
}

impl Report {
    /// End of the run where runs are compared. A run beyond saturation is saturated, also if it
    /// drained, because its times depend on its length.
    #[must_use]
    pub fn compared_end(&self) -> RunEnd {
        let saturated = self.outcome == RunEnd::Done && self.saturation.as_ref().is_some_and(|of| of.saturated);
        if saturated { RunEnd::Saturated } else { self.outcome }
    }

    /// The report of a run.
    #[must_use]
    pub fn new(run: &RunSummary, collector: &Collector) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: run.experiment.to_owned(),
            config_hash: run.config_hash.to_owned(),
            seed: run.seed,
            network: run.network.to_owned(),
            nodes: run.nodes,
            clock_ns: run.clock_ns,
            outcome: run.outcome,
            deadlock: run.deadlock.clone(),
            totals: run.totals,
            load: load(run, collector),
            saturation: run.saturation.clone(),
            packet_latency: collector.packet_latency().latency(),
            network_latency: collector.network_latency().latency(),
            latency_by_class: run.classes.latencies(run.class_names),
            load_by_class: load_by_class(run, collector),
            hops: None,
            utilisation: run.utilisation,
            multicasts: collector.multicasts().iter().map(|row| multicast(row, run.unblocked)).collect(),
            multicasts_left_out: collector.left_out(),
            software_multicasts: run.software.to_vec(),
            software_multicasts_left_out: run.software_left_out,
            cycle_account: shares(&run.cycles),
            token_wait: run.cycles.token_wait,
            waited_for: run.waited_for.map(|(worm, worm_cycles)| WaitedFor { worm: worm.0, worm_cycles }),
            hottest_links: hottest(run),
            gauges: None,
            coverage: None,
            accounts: None,
            links: None,
            fifos: None,
            multicast_study: None,
            energy_estimate: None,
        }
    }
}

/// The simulated cycles of the window, and their number; `None` if there are none.
fn measured(run: &RunSummary, collector: &Collector) -> Option<(u64, u64, u64)> {
    let window = collector.window();
    let (from, to) = (window.start, window.end.min(run.totals.cycles));
    let cycles = to.checked_sub(from).filter(|&cycles| cycles > 0)?;
    Some((from, to, cycles))
}

fn load_by_class(run: &RunSummary, collector: &Collector) -> Vec<ClassLoad> {
    let Some((.., cycles)) = measured(run, collector) else { return Vec::new() };
    let per_node_and_cycle = |flits: f64| flits / cycles as f64 / f64::from(run.nodes);
    let of = |(class, flits): (&String, Flits)| ClassLoad {
        class: class.clone(),
        offered: per_node_and_cycle(flits.offered as f64),
        accepted: per_node_and_cycle(flits.accepted),
        delivered: per_node_and_cycle(flits.delivered as f64),
    };
    run.class_names.iter().zip(run.classes.flits(run.class_names.len())).map(of).collect()
}

fn load(run: &RunSummary, collector: &Collector) -> Option<Load> {
    let (from, to, cycles) = measured(run, collector)?;
    let per_node_and_cycle = |flits: f64| flits / cycles as f64 / f64::from(run.nodes);
    Some(Load {
        from,
        to,
        offered: per_node_and_cycle(collector.offered_flits() as f64),
        accepted: per_node_and_cycle(collector.accepted_flits()),
        delivered: per_node_and_cycle(collector.delivered_flits() as f64),
    })
}

fn multicast(row: &Multicast, unblocked: &dyn Fn(&WormInfo) -> Option<u64>) -> MulticastRow {
    let worm = &row.worm;
    let spread = &row.spread;
    let some = spread.arrived > 0;
    let last = row.done().then_some(spread.last);
    let unblocked = unblocked(worm);
    let slowdown = |(last, unblocked): (u64, u64)| last as f64 / unblocked as f64;
    MulticastRow {
        id: worm.id.0,
        source: worm.source.0,
        destinations: worm.destinations.iter().map(|node| node.0).collect(),
        encoding: worm.encoding,
        header_flits: worm.header_flits,
        payload_flits: worm.payload_flits,
        created: worm.created,
        measured: worm.measured,
        arrived: spread.arrived,
        first: some.then_some(spread.first),
        mean: some.then(|| spread.mean()),
        last,
        unblocked,
        slowdown: last.zip(unblocked.filter(|&cycles| cycles > 0)).map(slowdown),
    }
}

fn shares(account: &CycleAccount) -> Vec<Share> {
    let CycleAccount { moving, no_credit, lane_wait, sibling, token, header, endpoint, token_wait: _ } = *account;
    let classes = ["moving", "no_credit", "lane_wait", "sibling", "token", "header", "endpoint"];
    let counts = [moving, no_credit, lane_wait, sibling, token, header, endpoint];
    let tenths = tenths_of_percent(counts);
    let share = |i: usize| Share { class: classes[i], worm_cycles: counts[i], percent: f64::from(tenths[i]) / 10.0 };
    (0..classes.len()).map(share).collect()
}

/// Shares in tenths of a per cent that sum to exactly 1000: rounded down, and the missing tenths go
/// to the largest remainders.
fn tenths_of_percent<const N: usize>(counts: [u64; N]) -> [u32; N] {
    let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
    if total == 0 {
        return [0; N];
    }
    let thousandfold = counts.map(|count| u128::from(count) * 1000);
    let mut tenths = thousandfold.map(|share| (share / total) as u32);
    let missing = 1000 - tenths.iter().sum::<u32>();
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by_key(|&i| std::cmp::Reverse(thousandfold[i] % total));
    for &i in &order[..missing as usize] {
        tenths[i] += 1;
    }
    tenths
}

/// The links that carry the most flits, the busiest first. A network may have millions of links, so
/// only some of them are kept at a time.
#[must_use]
pub fn hottest_links(all: impl Iterator<Item = LinkStats>) -> Vec<LinkStats> {
    let heat = |link: &LinkStats| {
        // In thousandths, because both are means: over parallel links, and over lanes.
        let flits = 1000 * link.flits / u64::from(link.parallel);
        (std::cmp::Reverse((flits, 1000 * link.blocked / u64::from(link.lanes))), link.switch, link.port)
    };
    let mut links = Vec::new();
    for link in all.filter(|link| link.flits + link.blocked > 0) {
        links.push(link);
        if links.len() == 100 * HOTTEST {
            links.select_nth_unstable_by_key(HOTTEST, heat);
            links.truncate(HOTTEST);
        }
    }
    links.sort_unstable_by_key(heat);
    links.truncate(HOTTEST);
    links
}

/// The hottest links with their names.
fn hottest(run: &RunSummary) -> Vec<HotLink> {
    let cycles = run.totals.cycles.max(1) as f64;
    let percent = |sum: u64, among: u32| 100.0 * sum as f64 / (cycles * f64::from(among));
    let link = |link: LinkStats| {
        let (from, to) = (run.link_names)(link.switch, link.port);
        HotLink {
            from,
            to,
            flits: link.flits,
            utilisation_percent: percent(link.flits, link.parallel),
            blocked_percent: percent(link.blocked, link.lanes),
            top_worm: link.top_worm.map(|worm| worm.0),
            top_held: link.top_held,
        }
    };
    hottest_links(run.links.iter().copied()).into_iter().map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentages_sum_to_a_hundred_and_are_off_by_less_than_a_tenth(counts in any::<[u64; 7]>()) {
            let tenths = tenths_of_percent(counts);
            let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
            prop_assume!(total > 0);
            prop_assert_eq!(tenths.iter().sum::<u32>(), 1000);
            for (count, tenth) in counts.into_iter().zip(tenths) {
                let exact = u128::from(count) * 1000;
                let (floor, tenth) = (exact / total, u128::from(tenth));
                prop_assert!(tenth == floor || tenth == floor + 1 && exact % total > 0);
            }
        }
    }

    #[test]
    fn thirds_give_their_missing_tenth_to_the_first() {
        assert_eq!(tenths_of_percent([5, 5, 5, 0]), [334, 333, 333, 0]);
        assert_eq!(tenths_of_percent([0, 0]), [0, 0]);
        assert_eq!(tenths_of_percent([u64::MAX, u64::MAX]), [500, 500]);
    }
}
