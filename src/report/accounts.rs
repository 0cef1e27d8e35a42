//! Accounts of the cycles of worms, as rows and as JSON.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use wormscope_hw::NodeId;

use super::rows::TypedRow;
use crate::account::{Account, Cause, ChainLink, History, Root, RootOf, RootPlace, Stretch};
use crate::engine::WormInfo;
use crate::output::ColumnKind;

/// Roots that a report lists.
const MOST_ROOTS: usize = 10;

/// Largest number of waiting cycles of a worm at a destination that are followed to their roots.
const MOST_CYCLES: u64 = 64;

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
    /// The lane or place at the root of most of its cycles of waiting; empty where there is none.
    root: String,
    /// Cycles of waiting with this root.
    root_cycles: u64,
}

/// The rows of a run, and the cycles of waiting of its measured worms by their roots.
#[derive(Clone, Debug, Default)]
pub struct AccountTable {
    /// A row for each worm and destination.
    pub rows: Vec<AccountRow>,
    roots: BTreeMap<RootPlace, u64>,
}

impl AccountTable {
    /// Adds the account of a worm at some destinations; of a worm that has not arrived there, up to
    /// the end of the run.
    pub fn add(&mut self, history: &History, worm: &WormInfo, account: &Account, nodes: &[NodeId]) {
        let waits: Vec<Stretch> = account.stretches.iter().filter(|of| of.cause.is_wait()).copied().collect();
        let roots = history.roots(worm.id, &waits, MOST_CYCLES);
        if worm.measured {
            for of in &roots {
                *self.roots.entry(of.root).or_default() += of.cycles * nodes.len() as u64;
            }
        }
        let longest = account.longest_waits().first().map_or(0, |wait| wait.iter().map(Stretch::cycles).sum());
        let row = |destination: &NodeId| AccountRow {
            longest_wait: longest,
            root: roots.first().and_then(|of| history.root_name(of.root)).unwrap_or_default(),
            root_cycles: roots.first().map_or(0, |of| of.cycles),
            worm: worm.id.0,
            source: worm.source.0,
            destination: destination.0,
            created: account.created,
            tail: account.tail,
            measured: worm.measured,
            arrived: account.arrived,
            cycles: account.by_cause(),
        };
        self.rows.extend(nodes.iter().map(row));
    }

    /// The means of the measured worms, and the roots of their waiting in words.
    #[must_use]
    pub fn sums(&self, history: &History) -> AccountSums {
        let mut sums = AccountSums::default();
        for row in self.rows.iter().filter(|row| row.measured) {
            if !row.arrived {
                sums.missing += 1;
                continue;
            }
            sums.deliveries += 1;
            sums.cycles.iter_mut().zip(row.cycles).for_each(|(sum, cycles)| *sum += cycles);
        }
        sums.waited = self.roots.values().sum();
        let mut roots: Vec<(u64, RootPlace)> = self.roots.iter().map(|(&root, &cycles)| (cycles, root)).collect();
        roots.sort_by_key(|&(cycles, root)| (Reverse(cycles), root));
        let told = |(cycles, root)| RootSum { root: history.told_place(root), lane: history.root_name(root), cycles };
        sums.roots = roots.into_iter().take(MOST_ROOTS).map(told).collect();
        sums
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
        ("stall", ColumnKind::Integer),
        ("longest_wait", ColumnKind::Integer),
        ("root", ColumnKind::Text),
        ("root_cycles", ColumnKind::Integer),
    ];

    fn cells(&self) -> Vec<String> {
        let Self {
            worm,
            source,
            destination,
            created,
            tail,
            measured,
            arrived,
            cycles,
            longest_wait,
            root,
            root_cycles,
        } = self;
        let mut cells = vec![worm.to_string(), source.to_string(), destination.to_string()];
        cells.push(created.to_string());
        cells.push(if *arrived { tail.to_string() } else { String::new() });
        cells.extend([measured.to_string(), arrived.to_string(), (tail - created).to_string()]);
        cells.extend(cycles.iter().map(u64::to_string));
        cells.extend([longest_wait.to_string(), root.clone(), root_cycles.to_string()]);
        cells
    }
}

/// Sums of the accounts of the measured worms. Each worm has an account for each destination that
/// it reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountSums {
    deliveries: u64,
    /// Destinations that measured worms have not reached.
    missing: u64,
    cycles: [u64; Cause::NAMES.len()],
    /// Cycles of waits of all worms, arrived or not.
    waited: u64,
    roots: Vec<RootSum>,
}

/// A root of waits, and the cycles of waits with this root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootSum {
    /// In words.
    pub root: String,
    /// The lane or place, as waveforms name it.
    pub lane: Option<String>,
    /// Cycles of waiting, summed over worms and destinations.
    pub cycles: u64,
}

impl AccountSums {
    /// Destinations that measured worms have not reached.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Cycles of waiting of the measured worms, summed over worms and destinations.
    #[must_use]
    pub fn waited(&self) -> u64 {
        self.waited
    }

    /// The roots of most cycles of waiting.
    #[must_use]
    pub fn roots(&self) -> &[RootSum] {
        &self.roots
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
        all.insert("waited_cycles".to_owned(), self.waited.into());
        let roots = self.roots.iter().map(|RootSum { root, lane, cycles }| {
            let share = *cycles as f64 / self.waited as f64;
            json!({ "root": root, "lane": lane, "cycles": cycles, "share": share })
        });
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

/// A root of a wait.
#[derive(Debug, Serialize)]
struct RootJson {
    root: String,
    lane: Option<String>,
    cycles: u64,
}

/// A wait, its roots, and the chain to one of them.
#[derive(Debug, Serialize)]
struct TraceJson {
    /// The wait; none where a cycle was asked for.
    from: Option<u64>,
    until: Option<u64>,
    roots: Vec<RootJson>,
    cycle: u64,
    steps: Vec<StepJson>,
    root: &'static str,
    /// For a dependency cycle, the number of the step to which it leads back. The first step is 0.
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
        traces: &[RootOf],
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
        let step = |step: &ChainLink| StepJson {
            worm: step.worm.0,
            at: history.place(step.at),
            cause: step.cause.map(Cause::name),
            waits_for: step.cause.and_then(Cause::worm).map(|worm| worm.0),
            output: name(step.output),
        };
        let trace = |of: &RootOf| TraceJson {
            from: of.wait.first().map(|first| first.from),
            until: of.wait.last().map(|last| last.until),
            roots: of
                .roots
                .iter()
                .map(|of| RootJson {
                    root: history.told_place(of.root),
                    lane: history.root_name(of.root),
                    cycles: of.cycles,
                })
                .collect(),
            cycle: of.chain.cycle,
            steps: of.chain.steps.iter().map(step).collect(),
            root: match of.chain.root {
                Root::Moves => "moves",
                Root::OnItsWay => "on_its_way",
                Root::Node => "node",
                Root::Stall => "stall",
                Root::Cycle(_) => "dependency_cycle",
            },
            cycle_from: match of.chain.root {
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
