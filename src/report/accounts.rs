//! Where the cycles of worms went, as rows and as JSON.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use wormscope_hw::NodeId;

use super::rows::TypedRow;
use crate::account::{Account, Cause, History, Root, RootChain, Stretch};
use crate::engine::WormInfo;
use crate::output::ColumnKind;

/// Roots that a report lists.
const MOST_ROOTS: usize = 10;

/// A worm at a destination: its latency, and the cycles of each cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// Number of the worm.
    worm: u32,
    /// Node that sends it.
    source: u32,
    /// Node that receives it.
    destination: u32,
    /// Cycle in which the worm is created.
    created: u64,
    /// Cycle in which its tail arrives; empty without arrival.
    tail: u64,
    /// Whether the run measures the worm.
    measured: bool,
    /// Whether its tail has arrived.
    arrived: bool,
    /// By the number of the cause.
    cycles: [u64; Cause::NAMES.len()],
    /// Cycles of its longest wait.
    longest_wait: u64,
    /// The lane at the root of its longest wait.
    root: String,
}

impl AccountRow {
    /// The row of an account at a destination; of a worm that has not arrived there, up to the end
    /// of the run.
    #[must_use]
    pub fn new(history: &History, worm: &WormInfo, account: &Account, destination: NodeId, arrived: bool) -> Self {
        let longest = account.longest_waits(1);
        let chain = longest.first().and_then(|(_, cycle)| history.trace(account, *cycle));
        Self {
            longest_wait: longest.first().map_or(0, |(wait, _)| wait.iter().map(Stretch::cycles).sum()),
            root: chain.map_or_else(String::new, |chain| history.root_name(&chain)),
            worm: worm.id.0,
            source: worm.source.0,
            destination: destination.0,
            created: account.created,
            tail: account.tail,
            measured: worm.measured,
            arrived,
            cycles: account.by_cause(),
        }
    }
}

impl TypedRow for AccountRow {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[
        ("worm", ColumnKind::Integer),
        ("source", ColumnKind::Integer),
        ("destination", ColumnKind::Integer),
        ("created", ColumnKind::Integer),
        ("tail", ColumnKind::Integer),
        ("measured", ColumnKind::Boolean),
        ("arrived", ColumnKind::Boolean),
        ("latency", ColumnKind::Integer),
        ("queue", ColumnKind::Integer),
        ("start_up", ColumnKind::Integer),
        ("header", ColumnKind::Integer),
        ("decision", ColumnKind::Integer),
        ("token", ColumnKind::Integer),
        ("lane", ColumnKind::Integer),
        ("fifo", ColumnKind::Integer),
        ("credit", ColumnKind::Integer),
        ("turn", ColumnKind::Integer),
        ("sibling", ColumnKind::Integer),
        ("heads", ColumnKind::Integer),
        ("crossing", ColumnKind::Integer),
        ("link", ColumnKind::Integer),
        ("sink", ColumnKind::Integer),
        ("longest_wait", ColumnKind::Integer),
        ("root", ColumnKind::Text),
    ];

    fn cells(&self) -> Vec<String> {
        let Self { worm, source, destination, created, tail, measured, arrived, cycles, longest_wait, root } = self;
        let mut cells = vec![worm.to_string(), source.to_string(), destination.to_string()];
        cells.push(created.to_string());
        cells.push(if *arrived { tail.to_string() } else { String::new() });
        cells.extend([measured.to_string(), arrived.to_string(), (tail - created).to_string()]);
        cells.extend(cycles.iter().map(u64::to_string));
        cells.extend([longest_wait.to_string(), root.clone()]);
        cells
    }
}

/// Where the cycles of the measured worms went, each at each of its destinations that it reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountSums {
    deliveries: u64,
    /// Destinations that measured worms have not reached.
    missing: u64,
    cycles: [u64; Cause::NAMES.len()],
    /// Cycles of the longest wait of each, arrived or not, by the lane at its root.
    roots: BTreeMap<String, u64>,
}

impl<'a> FromIterator<&'a AccountRow> for AccountSums {
    fn from_iter<I: IntoIterator<Item = &'a AccountRow>>(rows: I) -> Self {
        let mut sums = Self::default();
        for row in rows.into_iter().filter(|row| row.measured) {
            if row.longest_wait > 0 {
                *sums.roots.entry(row.root.clone()).or_default() += row.longest_wait;
            }
            if !row.arrived {
                sums.missing += 1;
                continue;
            }
            sums.deliveries += 1;
            sums.cycles.iter_mut().zip(row.cycles).for_each(|(sum, cycles)| *sum += cycles);
        }
        sums
    }
}

impl AccountSums {
    /// Destinations that measured worms have not reached.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// The lanes at the roots of most cycles of waiting, with their share of all: each worm counts
    /// with its longest wait.
    #[must_use]
    pub fn roots(&self) -> Vec<(&str, u64, f64)> {
        let all = self.roots.values().sum::<u64>() as f64;
        let roots = self.roots.iter().map(|(lane, &cycles)| (lane.as_str(), cycles, cycles as f64 / all));
        let mut roots: Vec<_> = roots.collect();
        roots.sort_by_key(|&(lane, cycles, _)| (Reverse(cycles), lane));
        roots.truncate(MOST_ROOTS);
        roots
    }

    /// The causes with their mean cycles a delivery, most first; none without a delivery.
    #[must_use]
    pub fn means(&self) -> Vec<(&'static str, f64)> {
        let mean = |(name, &cycles)| (name, cycles as f64 / self.deliveries as f64);
        let all = Cause::NAMES.into_iter().zip(&self.cycles).filter(|of| *of.1 > 0).map(mean);
        let mut all: Vec<_> = all.collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }
}

impl Serialize for AccountSums {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let means: Map<String, Value> =
            self.means().into_iter().map(|(name, mean)| (name.to_owned(), mean.into())).collect();
        let mut all = Map::new();
        all.insert("deliveries".to_owned(), self.deliveries.into());
        all.insert("missing".to_owned(), self.missing.into());
        all.insert("mean_cycles".to_owned(), means.into());
        let roots = self
            .roots()
            .into_iter()
            .map(|(lane, cycles, share)| json!({ "lane": lane, "cycles": cycles, "share": share }));
        all.insert("roots".to_owned(), roots.collect());
        all.serialize(serializer)
    }
}

/// A stretch of an account.
#[derive(Debug, Serialize)]
struct StretchJson {
    from: u64,
    until: u64,
    cause: &'static str,
    at: String,
    worm: Option<u32>,
    output: Option<String>,
}

/// A step of a trace to the root.
#[derive(Debug, Serialize)]
struct StepJson {
    worm: u32,
    at: String,
    cause: Option<&'static str>,
    waits_for: Option<u32>,
    output: Option<String>,
}

/// A trace to the root.
#[derive(Debug, Serialize)]
struct TraceJson {
    cycle: u64,
    steps: Vec<StepJson>,
    root: &'static str,
    /// Of a dependency cycle the number of the step that it leads back to, from 0 on.
    cycle_from: Option<usize>,
}

/// An account and its traces, as `wormscope why --json` writes them.
#[derive(Debug, Serialize)]
pub struct AccountJson {
    worm: u32,
    source: u32,
    destination: u32,
    is_complete: bool,
    created: u64,
    until: u64,
    cycles: u64,
    unblocked: Option<u64>,
    causes: Map<String, Value>,
    stretches: Vec<StretchJson>,
    traces: Vec<TraceJson>,
}

impl AccountJson {
    /// The account of a worm; `is_complete` once it has arrived.
    #[must_use]
    pub fn new(
        history: &History,
        worm: &WormInfo,
        account: &Account,
        traces: &[RootChain],
        unblocked: Option<u64>,
        is_complete: bool,
    ) -> Self {
        let name = |output: Option<usize>| output.map(|output| history.output_name(output));
        let stretches = account.stretches.iter().map(|of| StretchJson {
            from: of.from,
            until: of.until,
            cause: of.cause.name(),
            at: history.place(of.at),
            worm: of.cause.worm().map(|worm| worm.0),
            output: name(of.output),
        });
        let trace = |trace: &RootChain| TraceJson {
            cycle: trace.cycle,
            steps: trace
                .steps
                .iter()
                .map(|step| StepJson {
                    worm: step.worm.0,
                    at: history.place(step.at),
                    cause: step.cause.map(Cause::name),
                    waits_for: step.cause.and_then(Cause::worm).map(|worm| worm.0),
                    output: name(step.output),
                })
                .collect(),
            root: match trace.root {
                Root::Moves => "moves",
                Root::OnItsWay => "on_its_way",
                Root::Node => "node",
                Root::Cycle(_) => "dependency_cycle",
            },
            cycle_from: match trace.root {
                Root::Cycle(first) => Some(first),
                _ => None,
            },
        };
        let causes = Cause::NAMES.into_iter().zip(account.by_cause()).filter(|of| of.1 > 0);
        Self {
            worm: worm.id.0,
            source: worm.source.0,
            destination: account.destination.0,
            is_complete,
            created: account.created,
            until: account.tail,
            cycles: account.tail - account.created,
            unblocked,
            causes: causes.map(|(name, cycles)| (name.to_owned(), cycles.into())).collect(),
            stretches: stretches.collect(),
            traces: traces.iter().map(trace).collect(),
        }
    }
}
