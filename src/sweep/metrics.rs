//! Scalar metrics of a run: the columns between its outcome and its provenance.
//!
//! A metric is a row of [`all`]: its name, its unit, its meaning, and the way to read it off a run.

use std::borrow::Cow;

use super::bars::is_error;
use super::length::Length;
use super::row::Cell;
use super::saturation::Bracket;
use super::schema::{self, CYCLE, Column, Role};
use super::study::Study;
use crate::cost::{ESTIMATED, HardwareCost};
use crate::coverage::Words;
use crate::dependency::Judgement;
use crate::energy::Energy;
use crate::experiment::{Experiment, Workload};
use crate::output::ColumnKind;
use crate::report::Report;
use crate::report::classes::{CLASSES, ClassLatency};
use crate::report::gauge::Gauges;
use crate::report::study::MulticastStudy;
use crate::report::summary::ClassLoad;
use wormscope_hw::Encoding;

/// Input of a metric.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Result of the experiment.
    pub report: &'a Report,
    /// Cost of its network.
    pub cost: &'a HardwareCost,
    /// Length of the run, if the sweep searches for the length.
    pub length: Option<Length>,
    /// Saturation of its hardware, if the sweep searches for the saturation.
    pub saturation: Option<Bracket>,
    /// Verdict on deadlocks before the run, if the sweep has verdicts.
    pub deadlock: Option<Judgement>,
}

/// A scalar metric.
pub struct Metric {
    /// Name of its column.
    pub name: String,
    /// Type of its values.
    pub kind: ColumnKind,
    /// Unit of the values.
    pub unit: Option<&'static str>,
    /// Whether the values are estimates.
    pub estimate: bool,
    /// Path of the field, if the metric is the value of a field.
    pub path: Option<&'static str>,
    /// Meaning of the metric, in one line.
    pub doc: String,
    value: Box<dyn Fn(&Subject) -> Cell + Send + Sync>,
}

impl Metric {
    /// A metric that is measured.
    fn new(
        name: impl Into<String>,
        kind: ColumnKind,
        unit: Option<&'static str>,
        doc: impl Into<String>,
        value: impl Fn(&Subject) -> Cell + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), kind, unit, estimate: false, path: None, doc: doc.into(), value: Box::new(value) }
    }

    /// Value of the metric in a run; empty if the run does not have it.
    #[must_use]
    pub fn value(&self, of: &Subject) -> Cell {
        (self.value)(of)
    }

    /// Column of the metric.
    #[must_use]
    pub fn column(&self) -> Column {
        Column {
            name: self.name.clone(),
            kind: self.kind,
            role: Role::Metric,
            unit: self.unit.map(str::to_owned),
            path: self.path.map(str::to_owned),
            estimate: self.estimate,
            derived: false,
            doc: self.doc.clone(),
        }
    }
}

/// The metrics of a study whose workloads name these classes, in the order of their columns.
#[must_use]
pub fn of(study: &Study, classes: &[String]) -> Vec<Metric> {
    let mut metrics = all();
    metrics.extend(classes.iter().flat_map(|class| of_class(class)));
    metrics.extend(study.energy.iter().flat_map(|_| energies().into_iter().chain(times())));
    metrics.extend(study.links.then(links).into_iter().flatten());
    metrics.extend(study.coverage.then(coverage).into_iter().flatten());
    metrics.extend(study.deadlock.then(verdicts).into_iter().flatten());
    metrics.extend(study.saturation.iter().flat_map(|_| saturations()));
    metrics.extend(study.energy.as_ref().and(study.saturation.as_ref()).map(|_| saturation_gbps()));
    metrics.extend(study.until.iter().flat_map(|_| lengths()));
    metrics
}

/// The option for a metric that only some sweeps have, and its field in a file. The name may lack
/// its last words.
#[must_use]
pub(crate) fn option_of(name: &str) -> Option<(&'static str, &'static str)> {
    let groups = [
        (energies().into_iter().chain(times()).collect(), "--energy 45nm", "energy: \"45nm\""),
        (links(), "--links", "links: true"),
        (coverage(), "--coverage", "coverage: true"),
        (verdicts(), "--deadlock", "deadlock: true"),
        (saturations(), "--saturation", "saturation: \"load\""),
    ];
    let begins = |of: &Metric| of.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let found = groups.into_iter().find(|(metrics, ..): &(Vec<Metric>, _, _)| metrics.iter().any(begins));
    found.map(|(_, option, field)| (option, field))
}

/// Metrics of multicasts in software together with other traffic; empty without groups and
/// programs.
fn studies() -> Vec<Metric> {
    let number = |name, unit, doc, value: fn(&MulticastStudy) -> Option<f64>| {
        Metric::new(name, ColumnKind::Number, unit, doc, move |of| {
            of.report.multicast_study.as_ref().and_then(value).into()
        })
    };
    vec![
        number("multicast_latency", CYCLES, "latency of measured multicasts in software, mean", |of| of.all.latency),
        number(
            "multicast_interval_percent",
            Some("% of the mean"),
            "95 % interval of multicast_latency within the run, to either side",
            |of| Some(100.0 * of.all.half_width? / of.all.latency?),
        ),
        number("source_queue_mean", CYCLES, "wait of a source's message in its send buffer, mean", |of| {
            of.all.source_queue
        }),
        number("hold_mean", CYCLES, "t_hold of messages of programs, mean", |of| of.hold),
        number("end_mean", CYCLES, "t_end of messages of programs, mean", |of| of.end),
        number("background_bytes", Some("bytes per cycle"), "received by groups without multicasts", |of| {
            Some(of.background_bytes)
        }),
        number("background", Some("share of N / t_nd"), "received by groups without multicasts", |of| {
            Some(of.background)
        }),
    ]
}

/// The metrics of every run, in the order of their columns.
#[must_use]
pub fn all() -> Vec<Metric> {
    let mut all = latencies();
    all.extend(loads());
    all.extend(counters());
    all.extend(studies());
    all.extend(account());
    all.extend(costs());
    all
}

/// First meanings of short names of metrics, for sweeps that have them.
const SHORT: [(&str, &str); 8] = [
    ("area", "area_ge"),
    ("latency", "latency_last_mean"),
    ("p50", "latency_last_p50"),
    ("p95", "latency_last_p95"),
    ("p99", "latency_last_p99"),
    ("energy", "energy_pj_per_bit"),
    ("throughput", "accepted"),
    ("gbps", "accepted_gbps"),
];

/// The whole name of a metric with a short one, of a class or of all traffic; else the name itself.
/// `p99.weights` is `latency_last_p99.weights`.
#[must_use]
pub(crate) fn whole_name(name: &str) -> Cow<'_, str> {
    let (metric, class) = name.split_at(name.find('.').unwrap_or(name.len()));
    let whole = SHORT.iter().find(|(short, _)| *short == metric);
    whole.map_or(Cow::Borrowed(name), |(_, whole)| Cow::Owned(format!("{whole}{class}")))
}

/// Whether a column is measured in its run. Cost, saturation and verdict of the hardware are not.
#[must_use]
pub(crate) fn is_measured(column: &Column) -> bool {
    let is_cost = || HardwareCost::of_nothing().scalars().any(|of| of.0 == column.name);
    let is_metric = column.role == Role::Metric && column.path.is_none() && column.name != CYCLE;
    is_metric
        && !column.name.starts_with("saturation")
        && !column.name.starts_with(VERDICT)
        && !is_error(&column.name)
        && !is_cost()
}

/// Short names of metrics with their meanings.
#[must_use]
pub(crate) fn short_names() -> &'static [(&'static str, &'static str)] {
    &SHORT
}

/// Whether a metric needs the counts of the energy estimate, and not only the time of a cycle.
#[must_use]
pub(crate) fn needs_energy(name: &str) -> bool {
    !name.starts_with("cycle_") && Energy::of_nothing().scalars().any(|of| of.0 == name)
}

/// Whether a metric is about multicasts together with other traffic.
#[must_use]
pub(crate) fn is_of_study(name: &str) -> bool {
    studies().iter().any(|metric| metric.name == name)
}

/// Whether runs of an experiment measure multicasts together with other traffic.
#[must_use]
pub(crate) fn has_study(experiment: &Experiment) -> bool {
    !experiment.groups.is_empty() || experiment.ends_with_multicasts()
}

/// Whether a run of an experiment can have a metric at all.
#[must_use]
pub(crate) fn may_have(experiment: &Experiment, name: &str) -> bool {
    let any = |is: &dyn Fn(&Workload) -> bool| experiment.workload.iter().any(is);
    let sends = |of: &dyn Fn(Encoding, usize) -> bool| {
        any(&|entry| match entry {
            Workload::Messages(all) => {
                all.iter().any(|message| of(message.encoding.unwrap_or_default(), message.destinations.len()))
            }
            Workload::Traffic(traffic) if traffic.algorithm.is_some() => true,
            Workload::Traffic(traffic) => of(traffic.encoding, traffic.most_destinations(&experiment.network) as usize),
            Workload::Spmd(_) => of(Encoding::Unicast, 1),
            Workload::Trace(_) | Workload::Multicast(_) | Workload::Multicasts(_) => true,
            Workload::Stalls(_) => false,
        })
    };
    if is_of_study(name) {
        return has_study(experiment);
    }
    match name.split_once('.') {
        Some((_, "software")) => any(&Workload::is_software),
        Some((_, "multicast")) => sends(&|_, destinations| destinations > 1),
        Some((_, class)) => {
            sends(&|encoding, _| encoding.name() == class) || experiment.classes().iter().any(|named| named == class)
        }
        None if name == "token_wait_mean" => experiment.network.token_ring.is_some() && sends(&|_, many| many > 1),
        None if name.starts_with("latency_") => sends(&|_, _| true),
        None => true,
    }
}

const CYCLES: Option<&str> = Some("cycles");
const LOAD: Option<&str> = Some(schema::LOAD);

/// Numbers of a class's latencies: name, type, meaning, and the number.
type OfClass = (&'static str, ColumnKind, &'static str, fn(&ClassLatency) -> Cell);

const OF_CLASS: [OfClass; 10] = [
    ("first_mean", ColumnKind::Number, "at the first destination, mean", |of| of.first.mean.into()),
    ("first_p50", ColumnKind::Integer, "at the first destination, median", |of| of.first.p50.into()),
    ("first_p95", ColumnKind::Integer, "at the first destination, 95th percentile", |of| of.first.p95.into()),
    ("first_p99", ColumnKind::Integer, "at the first destination, 99th percentile", |of| of.first.p99.into()),
    ("mean_mean", ColumnKind::Number, "averaged over the destinations of each worm, mean", |of| of.mean.into()),
    ("last_mean", ColumnKind::Number, "at the last destination, mean", |of| of.last.mean.into()),
    ("last_p50", ColumnKind::Integer, "at the last destination, median", |of| of.last.p50.into()),
    ("last_p95", ColumnKind::Integer, "at the last destination, 95th percentile", |of| of.last.p95.into()),
    ("last_p99", ColumnKind::Integer, "at the last destination, 99th percentile", |of| of.last.p99.into()),
    ("last_max", ColumnKind::Integer, "at the last destination, largest", |of| of.last.max.into()),
];

/// Latencies and loads of a class that the workload names.
fn of_class(class: &str) -> Vec<Metric> {
    let latencies = OF_CLASS.map(|(name, kind, what, value)| {
        let of = class.to_owned();
        let value = move |subject: &Subject| {
            subject.report.latency_by_class.iter().find(|found| found.class == of).map_or(Cell::Empty, value)
        };
        let doc = format!("latency of measured messages of class {class} {what}");
        Metric::new(format!("latency_{name}.{class}"), kind, CYCLES, doc, value)
    });
    let load = |name: &str, doc: &str, value: fn(&ClassLoad) -> f64| {
        let of = class.to_owned();
        let value = move |subject: &Subject| {
            subject.report.load_by_class.iter().find(|found| found.class == of).map(value).into()
        };
        Metric::new(format!("{name}.{class}"), ColumnKind::Number, LOAD, format!("class {class}: {doc}"), value)
    };
    let loads = [
        load("offered", "load of the worms created in the measured window", |of| of.offered),
        load("accepted", "load that arrived in the measured window; a multicast counts once", |of| of.accepted),
        load("delivered", "load that nodes took in the measured window; every copy counts", |of| of.delivered),
    ];
    latencies.into_iter().chain(loads).collect()
}

/// Latencies from creation to the tail's arrival, of all worms and by class.
fn latencies() -> Vec<Metric> {
    let mut all = Vec::new();
    for class in CLASSES {
        for (name, kind, what, value) in OF_CLASS {
            let (name, whose) = match class {
                "all" => (format!("latency_{name}"), "measured worms".to_owned()),
                "software" => (format!("latency_{name}.software"), "multicasts in software".to_owned()),
                _ => (format!("latency_{name}.{class}"), format!("measured {class} worms")),
            };
            let value = move |of: &Subject| {
                of.report.latency_by_class.iter().find(|of| of.class == class).map_or(Cell::Empty, value)
            };
            all.push(Metric::new(name, kind, CYCLES, format!("latency of {whose} {what}"), value));
        }
    }
    let network = |of: &Subject| of.report.network_latency.map(|of| of.mean).into();
    let doc = "latency of measured worms from the cycle in which the head leaves the source, mean over deliveries";
    all.push(Metric::new("latency_network_mean", ColumnKind::Number, CYCLES, doc, network));
    all
}

fn loads() -> Vec<Metric> {
    let load = |name, doc, value: fn(&crate::report::summary::Load) -> f64| {
        Metric::new(name, ColumnKind::Number, LOAD, doc, move |of| of.report.load.as_ref().map(value).into())
    };
    vec![
        load("offered", "load of the worms created in the measured window", |of| of.offered),
        load("accepted", "load that arrived in the measured window; a multicast counts once", |of| of.accepted),
        load("delivered", "load that nodes took in the measured window; every copy counts", |of| of.delivered),
    ]
}

fn counters() -> Vec<Metric> {
    let count = |name, unit, doc, value: fn(&Subject) -> u64| {
        Metric::new(name, ColumnKind::Integer, unit, doc, move |of| value(of).into())
    };
    let number = |name, unit, doc, value: fn(&Subject) -> Option<f64>| {
        Metric::new(name, ColumnKind::Number, unit, doc, move |of| value(of).into())
    };
    let per_link = Some("flits per link and cycle");
    vec![
        count("messages", None, "measured deliveries", |of| of.report.packet_latency.map_or(0, |of| of.count)),
        count("worms", None, "worms created in the whole run", |of| of.report.totals.worms_created),
        number("utilisation_mean", per_link, "flits on links, mean", |of| Some(of.report.utilisation.mean)),
        number("utilisation_max", per_link, "flits on the busiest link", |of| Some(of.report.utilisation.max)),
        number(
            "token_wait_mean",
            CYCLES,
            "cycles that a multicast waits for tokens, summed over switches, mean",
            |of| {
                let multicasts = of.report.multicasts.len() as u64 + of.report.multicasts_left_out;
                let has_mean = of.experiment.network.token_ring.is_some() && multicasts > 0;
                has_mean.then(|| of.report.token_wait as f64 / multicasts as f64)
            },
        ),
        count("cycles", CYCLES, "cycles simulated", |of| of.report.totals.cycles),
    ]
}

/// Account of worm-cycles.
fn account() -> Vec<Metric> {
    let reasons = [
        ("moving", "moving", "flits move"),
        ("no_credit", "stall_no_credit", "worms are without credit"),
        ("lane_wait", "stall_lane_wait", "another worm owns the lane, or another lane uses the link"),
        ("sibling", "stall_sibling", "a sibling branch holds the flit"),
        ("token", "stall_token", "the worm waits for the token"),
        ("header", "stall_header", "the header is being decoded or stored"),
        ("endpoint", "stall_endpoint", "the node takes no flits"),
    ];
    let share = |(class, name, doc): (&'static str, &str, &str)| {
        let value = move |of: &Subject| {
            let all: u64 = of.report.cycle_account.iter().map(|share| share.worm_cycles).sum();
            let share = of.report.cycle_account.iter().find(|share| share.class == class);
            share.filter(|_| all > 0).map(|share| share.worm_cycles as f64 / all as f64).into()
        };
        Metric::new(
            name,
            ColumnKind::Number,
            Some("share of worm-cycles"),
            format!("share of worm-cycles in which {doc}"),
            value,
        )
    };
    reasons.into_iter().map(share).collect()
}

/// A quantity in words, without its unit: `area_ge.input_fifos` is "area of the input FIFOs".
fn in_words(name: &str) -> String {
    let (what, part) = name.split_once('.').map_or((name, None), |(what, part)| (what, Some(part)));
    let what = ["_ge", "_pj", "_ns"].into_iter().fold(what.to_owned(), |what, unit| what.replace(unit, ""));
    let of = part.map_or(String::new(), |part| format!(" of the {part}"));
    format!("{what}{of}").replace('_', " ").replace("fifo", "FIFO")
}

/// Text about a column with the error of an estimate.
fn error_of(name: &str) -> Option<String> {
    let of = match name.split('_').next()? {
        "area" => "areas",
        "depth" => "logic_depth",
        "cycle" => "cycle_ns, latency_ns, accepted_gbps and saturation_gbps",
        _ => "energies",
    };
    if name.ends_with("_formula_percent") {
        return Some(format!("error of {of} that is left between two networks with the same coefficients"));
    }
    is_error(name).then(|| format!("error of {of}"))
}

/// Cost of the network, by the formulas of `docs/explain/cost.md`. Counted values have their own
/// units.
fn costs() -> Vec<Metric> {
    let metric = |(name, unit, _): (&'static str, &'static str, f64)| {
        let value = move |of: &Subject| of.cost.scalars().find(|of| of.0 == name).map(|of| of.2).into();
        let doc = match name {
            "header_store_bits" => "Bits of the registers in which input lanes keep a mask of a multiport worm".into(),
            _ => error_of(name).unwrap_or_else(|| format!("{} of the network", in_words(name))),
        };
        Metric { estimate: ESTIMATED.contains(&unit), ..Metric::new(name, ColumnKind::Number, Some(unit), doc, value) }
    };
    HardwareCost::of_nothing().scalars().map(metric).collect()
}

/// Energy of the runs, by the given coefficients.
fn energies() -> Vec<Metric> {
    let metric = |(name, unit, _): (&'static str, &'static str, f64)| {
        let value = move |of: &Subject| {
            let energy = of.report.energy_estimate.as_ref();
            energy.and_then(|energy| energy.scalars().find(|of| of.0 == name)).map(|of| of.2).into()
        };
        let doc = error_of(name).unwrap_or_else(|| format!("{} of the run", in_words(name)));
        let estimate = unit.starts_with("pJ") || unit == "ns";
        Metric { estimate, ..Metric::new(name, ColumnKind::Number, Some(unit), doc, value) }
    };
    Energy::of_nothing().scalars().map(metric).collect()
}

/// Latencies and throughput in units of time, with the cycle of the energy estimate.
fn times() -> Vec<Metric> {
    let latency = |name, doc, value: fn(&ClassLatency) -> f64| {
        let value = move |of: &Subject| {
            let energy = of.report.energy_estimate.as_ref()?;
            let all = of.report.latency_by_class.iter().find(|of| of.class == CLASSES[0])?;
            Some(value(all) * energy.cycle_ns)
        };
        let unit = Some("ns");
        Metric { estimate: true, ..Metric::new(name, ColumnKind::Number, unit, doc, move |of| value(of).into()) }
    };
    let rate = |name, unit, doc, value: fn(&Subject, f64) -> f64| {
        let value = move |of: &Subject| Some(value(of, gbps(of, of.report.load.as_ref()?.accepted)?));
        Metric { estimate: true, ..Metric::new(name, ColumnKind::Number, Some(unit), doc, move |of| value(of).into()) }
    };
    vec![
        latency("latency_ns", "latency of measured worms up to the last arrival, mean", |of| of.last.mean),
        latency("latency_ns_p99", "latency of measured worms up to the last arrival, 99th percentile", |of| {
            of.last.p99 as f64
        }),
        rate("accepted_gbps", "Gbit/s", "bits that arrived in the network, headers included", |_, gbps| gbps),
        rate("gbps_per_kge", "Gbit/s/kGE", "accepted_gbps for each 1000 gate equivalents", |of, gbps| {
            1000.0 * gbps / of.cost.network.ge
        }),
    ]
}

/// A load in flits per node and cycle as Gbit/s of the whole network.
fn gbps(of: &Subject, load: f64) -> Option<f64> {
    let network = &of.experiment.network;
    let bits = load * f64::from(network.nodes()) * f64::from(network.switch.flit_bits);
    Some(bits / of.report.energy_estimate.as_ref()?.cycle_ns)
}

/// Saturation in units of time.
fn saturation_gbps() -> Metric {
    let value = |of: &Subject| gbps(of, of.saturation?.middle());
    let doc = "bits of the load saturation in the whole network, headers included; other traffic does not count";
    let metric = Metric::new("saturation_gbps", ColumnKind::Number, Some("Gbit/s"), doc, move |of| value(of).into());
    Metric { estimate: true, ..metric }
}

/// Results of links and FIFOs in the measured window, and hops of measured worms.
fn links() -> Vec<Metric> {
    const USE: &str = "flits per link and cycle";
    const SHARE: &str = "share of cycles";
    let gauge = |name, unit, doc, value: fn(&Gauges) -> f64| {
        Metric::new(name, ColumnKind::Number, Some(unit), doc, move |of| of.report.gauges.as_ref().map(value).into())
    };
    let hops = |of: &Subject| of.report.hops.map(|hops| hops.mean).into();
    vec![
        gauge("link_use_mean", USE, "flits on links in the window, mean", |of| of.link_use_mean),
        gauge("link_use_max", USE, "flits on the busiest link in the window", |of| of.link_use_max),
        gauge("link_blocked_mean", SHARE, "a worm waits for a link and no flit crosses it, mean over links", |of| {
            of.link_blocked_mean
        }),
        gauge("link_blocked_max", SHARE, "share for the link that is blocked most", |of| of.link_blocked_max),
        gauge("fifo_fill_mean", "flits", "flits in a FIFO, mean over FIFOs and cycles", |of| of.fifo_fill_mean),
        gauge("fifo_fill_max", "flits", "mean flits in the FIFO that is fullest", |of| of.fifo_fill_max),
        gauge("fifo_full_share_mean", SHARE, "a FIFO is full, mean over FIFOs", |of| of.fifo_full_share_mean),
        gauge("fifo_full_share_max", SHARE, "share for the FIFO that is full most often", |of| of.fifo_full_share_max),
        Metric::new(
            "hops_mean",
            ColumnKind::Number,
            Some("switches"),
            "switches on the way of measured worms to a destination, mean over deliveries",
            hops,
        ),
    ]
}

/// Name of the column with the bins of a run.
pub(crate) const COVERAGE: &str = "coverage";

/// Situations that a run has met.
fn coverage() -> Vec<Metric> {
    let words = Words::default();
    vec![
        Metric::new("covered_bins", ColumnKind::Integer, Some("bins"), "bins of coverage that the run reaches", |of| {
            of.report.coverage.as_ref().map(|covered| covered.hits.len() as u64).into()
        }),
        Metric::new(COVERAGE, ColumnKind::Text, None, "the bins, for wormscope coverage", move |of| {
            of.report.coverage.as_ref().map_or(Cell::Empty, |covered| Cell::Text(words.word(covered)))
        }),
    ]
}

/// Name of the column with the verdict on deadlocks.
pub(crate) const VERDICT: &str = "deadlock";

/// Verdict on deadlocks before the run.
fn verdicts() -> Vec<Metric> {
    let doc = "whether worms that the workload allows can deadlock: free, possible or unknown";
    let free = "1 if it is proved that no worms that the workload allows can deadlock, else 0";
    vec![
        Metric::new(VERDICT, ColumnKind::Text, None, doc, |of| {
            of.deadlock.map_or(Cell::Empty, |verdict| Cell::Text(verdict.name().to_owned()))
        }),
        Metric::new("deadlock_free", ColumnKind::Integer, None, free, |of| {
            of.deadlock.map(|verdict| u64::from(verdict == Judgement::Free)).into()
        }),
    ]
}

/// Saturation of the hardware.
fn saturations() -> Vec<Metric> {
    let load = |name, doc, value: fn(&Bracket) -> Option<f64>| {
        Metric::new(name, ColumnKind::Number, LOAD, doc, move |of| of.saturation.as_ref().and_then(value).into())
    };
    let ends = |of: &Subject| of.saturation?.high.map(|(_, outcome)| Cell::Text(outcome.name().to_owned()));
    vec![
        load(
            "saturation",
            "load of the searched traffic at which the hardware saturates: the middle of the bracket",
            |of| Some(of.middle()),
        ),
        load("saturation_low", "largest load below saturation, minus the possible rest of the bias", |of| Some(of.low)),
        load("saturation_high", "smallest load above saturation; empty if every load is below it", |of| {
            of.high.map(|(high, _)| high)
        }),
        Metric::new("saturation_ends", ColumnKind::Text, None, "end of the run at saturation_high", move |of| {
            ends(of).unwrap_or(Cell::Empty)
        }),
        Metric::new(
            "saturation_window",
            ColumnKind::Integer,
            Some("cycles"),
            "measured cycles of the longest window of the search",
            |of| of.saturation.as_ref().map(|of| of.window).into(),
        ),
        Metric::new(
            "saturation_moved_percent",
            ColumnKind::Number,
            Some("%"),
            "how far the last doubling of the window moved the bracket; empty without one",
            |of| of.saturation.as_ref().and_then(|of| of.moved).into(),
        ),
    ]
}

/// The interval that a run was lengthened for.
pub(crate) const INTERVAL: &str = "interval_percent";

/// Length of the runs.
fn lengths() -> Vec<Metric> {
    let cycles = |name, path, doc, value: fn(&Length) -> u64| Metric {
        path: Some(path),
        ..Metric::new(name, ColumnKind::Integer, CYCLES, doc, move |of| of.length.as_ref().map(value).into())
    };
    let interval = |of: &Subject| of.length.and_then(|of| of.interval).map(|share| share * 100.0).into();
    vec![
        cycles("warmup_cycles", "run.warmup_cycles", "cycles before the window", |of| of.warmup),
        cycles("measure_cycles", "run.measure_cycles", "cycles of the window", |of| of.measure),
        Metric::new(
            INTERVAL,
            ColumnKind::Number,
            Some("% of the mean"),
            "95 % interval of the metric of --until within the run, to either side",
            interval,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config, cost, run, simulation::Site};

    #[test]
    fn classes_that_a_workload_names_have_metrics_of_their_own() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [
            traffic(load: 0.1, payload_flits: 4, class: \"a\"), traffic(load: 0.2, payload_flits: 4)], run: (measure_cycles: 3000))";
        let loaded = config::from_text("x", text, &[]).unwrap();
        let report = run::run(&loaded, &Site::of(&loaded).unwrap()).unwrap();
        let cost = cost::of_loaded(&loaded).unwrap();
        let subject = Subject {
            experiment: &loaded.experiment,
            report: &report,
            cost: &cost,
            length: None,
            saturation: None,
            deadlock: None,
        };
        let metrics = of(&Study::default(), &["a".to_owned(), "b".to_owned()]);
        let of = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().value(&subject);
        let latency = report.latency_by_class.iter().find(|of| of.class == "a").unwrap();
        assert_eq!(of("latency_last_mean.a"), Cell::Number(latency.last.mean));
        assert_eq!(of("latency_last_mean.b"), Cell::Empty);
        let Cell::Number(accepted) = of("accepted.a") else { panic!("a number") };
        assert!((accepted - 0.1).abs() < 0.02 && of("accepted.b") == Cell::Empty);
        assert!(may_have(&loaded.experiment, "accepted.a") && !may_have(&loaded.experiment, "accepted.b"));
        assert_eq!(metrics.len(), all().len() + 2 * 13);
    }

    #[test]
    fn metrics_are_the_numbers_of_the_report() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [messages([
            (cycle: 0, source: 0, destinations: [3], payload_flits: 4),
            (cycle: 50, source: 0, destinations: [1, 15], encoding: bit_string, payload_flits: 4)])])";
        let loaded = config::from_text("x", text, &[]).unwrap();
        let report = run::run(&loaded, &Site::of(&loaded).unwrap()).unwrap();
        let cost = cost::of_loaded(&loaded).unwrap();
        let subject = Subject {
            experiment: &loaded.experiment,
            report: &report,
            cost: &cost,
            length: None,
            saturation: None,
            deadlock: None,
        };
        let all = all();
        let of = |name: &str| all.iter().find(|metric| metric.name == name).unwrap().value(&subject);
        let row = &report.multicasts[0];
        assert_eq!(of("latency_first_mean.multicast"), Cell::Number(row.first.unwrap() as f64));
        assert_eq!(of("latency_last_max.bit_string"), Cell::Integer(row.last.unwrap()));
        assert_eq!(of("latency_mean_mean.multicast"), Cell::Number(row.mean.unwrap()));
        assert_eq!(of("latency_last_mean.multiport"), Cell::Empty);
        assert_eq!(of("token_wait_mean"), Cell::Empty);
        assert_eq!((of("worms"), of("messages")), (Cell::Integer(2), Cell::Integer(3)));
        assert_eq!(of("cycles"), Cell::Integer(report.totals.cycles));
        assert_eq!(of("area_ge"), Cell::Number(cost.network.ge));
        // There are 48 links and 16 nodes, each with an input, whose FIFOs have 4 flits of 32 bits.
        assert_eq!(
            of("fifo_bits"),
            Cell::Number(f64::from((48 + 16) * 4 * loaded.experiment.network.switch.flit_bits))
        );
        let estimate = |name: &str| all.iter().find(|metric| metric.name == name).unwrap().estimate;
        assert!(estimate("area_ge") && estimate("logic_depth") && !estimate("fifo_bits") && !estimate("accepted"));
        for (name, may) in [
            ("latency_last_mean.multicast", true),
            ("latency_last_mean.unicast", true),
            ("latency_last_mean.multiport", false),
            ("latency_last_mean.software", false),
            ("token_wait_mean", false),
            ("cycles", true),
        ] {
            assert_eq!(may_have(&loaded.experiment, name), may, "{name}");
        }
        let names: std::collections::BTreeSet<&str> = all.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }
}
