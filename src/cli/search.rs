//! `wormscope search`.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use serde_json::json;
use wormscope::experiment::{Experiment, Message, Workload, WormRules};
use wormscope::hw::Encoding;
use wormscope::output::{self, Output};
use wormscope::report::json;
use wormscope::search::{FoundSchedule, Goal, Hunt, HuntProgress, Hunted, Judge, LateMetric, Watch, WormShape};
use wormscope::testbench::Bench;
use wormscope::trace::Window;
use wormscope::{console, quote};

use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, interrupted, print};
use super::given::{self, Given};
use super::outputs::{self, Files};
use super::progress::Shown;
use super::signals::Interrupt;
use super::usage::{integer, range};
use super::view::page_of;

/// Arguments of `wormscope search`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of an experiment or a testbench; - is standard input
    file: PathBuf,
    /// Set a field by its path, or by the end of its path, as in fifo_depth=8 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Search for a schedule that breaks this property, in place of a deadlock
    #[arg(long, value_name = "TEXT", conflicts_with = "maximise")]
    property: Option<String>,
    /// Search for the schedule with the latest worm, in place of a deadlock: latency counts from
    /// the creation, network_latency from the first flit that leaves the source
    #[arg(long, value_name = "METRIC", value_parser = ["latency", "network_latency"])]
    maximise: Option<String>,
    /// With --maximise, count worms with at least N destinations, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer(1..=64_u32), requires = "maximise")]
    counting: u32,
    /// Let nodes send worms of this encoding (repeatable) [default: the encodings of the workload;
    /// if it names none, unicast and bit_string]
    #[arg(long, value_name = "ENCODING", value_parser = PossibleValuesParser::new(Encoding::ALL.map(Encoding::name)))]
    encoding: Vec<String>,
    /// Send multicasts to N nodes, or to A..B nodes, both included, 1 to 64
    #[arg(long, value_name = "A..B", default_value = "2..4", value_parser = range(1..=64))]
    destinations: (u32, u32),
    /// Send worms of N payload flits, or of A..B payload flits, 1 to 1024
    #[arg(long, value_name = "A..B", default_value = "1..16", value_parser = range(1..=1024))]
    payload: (u32, u32),
    /// Let these nodes send [default: all nodes]
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = integer(0..=u32::MAX))]
    from: Vec<u32>,
    /// Let these nodes receive [default: all nodes]
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = integer(0..=u32::MAX))]
    to: Vec<u32>,
    /// Send at most N worms in a run, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = integer(1..=64_u32))]
    worms: u32,
    /// Create worms in the first N cycles, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = integer(1..=10_000_u64))]
    cycles: u64,
    /// Make at most N runs in the search, 1 to 2^64 - 1; to shrink what it finds takes more runs
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = integer(1..=u64::MAX))]
    runs: u64,
    /// Stop after SECONDS, 1 to 2^32 - 1
    #[arg(long, value_name = "SECONDS", value_parser = integer(1..=u32::MAX))]
    time_limit: Option<u32>,
    /// Use S, 0 to 2^64 - 1, as the seed of the search
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = integer(0..=u64::MAX))]
    seed: u64,
    /// Write the schedule to FILE as a testbench, and the page of its run beside it as .html
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the result to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Encodings of a workload, each once.
fn encodings(experiment: &Experiment) -> Vec<Encoding> {
    let of = |entry: &Workload| match entry {
        Workload::Messages(messages) => messages.iter().map(|message| message.encoding.unwrap_or_default()).collect(),
        Workload::Traffic(traffic) => vec![traffic.encoding],
        _ => Vec::new(),
    };
    let found: Vec<Encoding> = experiment.workload.iter().flat_map(of).collect();
    let mut all: Vec<Encoding> = Encoding::ALL.into_iter().filter(|encoding| found.contains(encoding)).collect();
    if all.is_empty() {
        all = vec![Encoding::Unicast, Encoding::BitString];
    }
    all
}

/// Shows a search, and stops it.
struct Watching {
    shown: Shown,
    interrupt: Interrupt,
    until: Option<Instant>,
    is_over: Cell<bool>,
    what: &'static str,
    best: String,
}

impl Watch for Watching {
    fn goes_on(&self) -> bool {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            self.is_over.set(true);
        }
        !self.is_over.get() && !self.interrupt.has_come()
    }

    fn ran(&mut self, runs: u64) {
        if runs.is_multiple_of(256) {
            self.shown.begins(&format!("{runs} runs, {}", self.best));
        }
    }

    fn best(&mut self, progress: &HuntProgress) {
        let HuntProgress { worms, value, shrinks, .. } = *progress;
        self.best = if shrinks {
            format!("shrinking a schedule of {worms} worms")
        } else {
            format!("best: {value} {} with {worms} worms", self.what)
        };
    }
}

fn worm(message: &Message) -> String {
    let Message { cycle, source, destinations, encoding, payload_flits, .. } = message;
    let encoding = encoding.unwrap_or_default();
    format!("  cycle {cycle}: node {source} to {destinations:?}, {encoding}, {payload_flits} payload flits\n")
}

impl Args {
    fn goal(&self) -> Goal {
        match (&self.property, self.maximise.as_deref()) {
            (Some(text), _) => Goal::Property(text.clone()),
            (None, Some("latency")) => Goal::Most(LateMetric::Latency, self.counting),
            (None, Some(_)) => Goal::Most(LateMetric::NetworkLatency, self.counting),
            (None, None) => Goal::Deadlock,
        }
    }

    fn shape(&self, experiment: &Experiment, nodes: u32) -> WormShape {
        let or_all = |given: &[u32]| if given.is_empty() { (0..nodes).collect() } else { given.to_vec() };
        let is_named = |of: &Encoding| self.encoding.iter().any(|name| name == of.name());
        let named: Vec<Encoding> = Encoding::ALL.into_iter().filter(is_named).collect();
        WormShape {
            encodings: if named.is_empty() { encodings(experiment) } else { named },
            destinations: self.destinations,
            payload_flits: self.payload,
            worms: self.worms,
            cycles: self.cycles,
            sources: or_all(&self.from),
            targets: or_all(&self.to),
        }
    }

    /// The end of a sentence about the worms that are sought.
    fn what(&self) -> &'static str {
        match self.goal() {
            Goal::Deadlock => "deadlock",
            Goal::Property(_) => "break the property",
            Goal::Most(..) => "are late",
        }
    }

    /// The result of a search without success.
    fn sought(&self) -> &'static str {
        match self.goal() {
            Goal::Deadlock => "no deadlock",
            Goal::Property(_) => "nothing that breaks the property",
            Goal::Most(..) => "no late worms",
        }
    }

    /// The result in words.
    fn told(&self, found: Option<&FoundSchedule>) -> String {
        let Some(found) = found else {
            let most = self.worms;
            let (what, worms) = (self.sought(), quote::counted(most, "worm"));
            return format!("found {what} with up to {worms}; this is no proof\n");
        };
        let worms = found.schedule.len();
        let noun = quote::form(worms, "worm", "worms");
        let first = if let Goal::Most(..) = self.goal() {
            format!("latest: {} cycles, with {worms} {noun}\n", found.value)
        } else {
            let (before, run) = (found.worms_before, found.run);
            format!("found: {worms} {noun} {}, shrunk from {before} in run {run}\n", self.what())
        };
        first + &found.schedule.iter().map(worm).collect::<String>()
    }

    /// The worms that the search sends, in a line.
    fn bounds(&self, shape: &WormShape) -> String {
        let range = |(least, most): (u32, u32)| {
            if least == most { least.to_string() } else { format!("{least} to {most}") }
        };
        let names: Vec<String> = shape.encodings.iter().map(ToString::to_string).collect();
        let to = match shape.encodings[..] {
            [Encoding::Unicast] => String::new(),
            _ => format!(", multicasts to {} nodes", range(self.destinations)),
        };
        let flits = range(self.payload);
        format!(
            "worms of this search: {}{to}, {flits} payload flits; the workload may send others\n",
            quote::list(&names)
        )
    }

    fn purpose(&self, found: &FoundSchedule) -> String {
        let worms = found.schedule.len();
        match self.goal() {
            Goal::Most(..) => format!("A worm arrives after {} cycles", found.value),
            _ => format!("{worms} {} {}", quote::form(worms, "worm", "worms"), self.what()),
        }
    }
}

/// Searches for a bad schedule, and prints it.
pub fn search(args: &Args) -> Result<u8, Refused> {
    let Given { loaded, .. } = given::read(&args.file, args.sets.clone(), None)?;
    let experiment = &loaded.experiment;
    let refused = |why: String| Refused(format!("{}: {why}", quote::name(&args.file)));
    if experiment.network.node.has_software() {
        return Err(refused("search does not cover the software of nodes; take costs and buffers out".to_owned()));
    }
    // The property is the only part that can be wrong, and it is a part of the command line.
    let of_option = |error: String| match error.split_once("properties[0]: ") {
        Some((_, why)) => Refused(format!("--property: {why}")),
        None => Refused(error),
    };
    let judge = Judge::new(&experiment.network, args.goal());
    let mut judge = judge.map_err(|error| of_option(error.to_string()))?;
    let rules = WormRules::new(judge.site().built());
    for (option, nodes) in [("--from", &args.from), ("--to", &args.to)] {
        rules.check_nodes(nodes).map_err(|(_, why)| Refused(format!("{option}: {why}")))?;
    }
    let mut shape = args.shape(experiment, rules.nodes());
    if args.encoding.is_empty() {
        // Nobody named these encodings, so those that the network does not allow are left out.
        let few = |of| WormShape { encodings: vec![of], destinations: (2, 2), ..shape.clone() };
        let can = |of: &Encoding| few(*of).check(&rules).is_ok();
        let can: Vec<Encoding> = shape.encodings.iter().copied().filter(can).collect();
        shape.encodings = if can.is_empty() { shape.encodings } else { can };
    }
    shape.check(&rules).map_err(refused)?;
    let is_multicast = shape.encodings.iter().any(|of| *of != Encoding::Unicast);
    let most = if is_multicast { args.destinations.1 } else { 1 };
    if args.counting > most {
        let most = quote::counted(most, "destination");
        return Err(refused(format!("--counting {}: no worm of this search has more than {most}", args.counting)));
    }
    let mut files = Files::beside(&loaded.inputs());
    let bench_file = files.create("--output", args.output.as_deref())?;
    // A pipe or a device has nothing beside it.
    let is_file = |path: &&Path| !output::is_standard(path) && (path.is_file() || !path.exists());
    let page = args.output.as_deref().filter(is_file).map(|path| path.with_extension("html"));
    let page_file = files.create("the page of --output", page.as_deref())?;
    let json_file = files.create("--json", args.json.as_deref())?;
    let interrupt = Interrupt::awaited();
    let mut watching = Watching {
        shown: Shown::doing("running random worms"),
        interrupt,
        until: args.time_limit.map(|seconds| Instant::now() + Duration::from_secs(seconds.into())),
        is_over: Cell::new(false),
        what: if args.maximise.is_some() { "cycles" } else { "cycles of waiting" },
        best: String::new(),
    };
    let begun = Instant::now();
    let hunt = Hunt { judge: &mut judge, shape: &shape, seed: args.seed, runs: args.runs };
    let Hunted { found, runs } = hunt.search(&rules, &mut watching)?;
    drop(watching);
    // A schedule is not late if none of the counted worms is in it.
    let found = found.filter(|of| args.maximise.is_none() || of.value > 0);
    let seconds = begun.elapsed().as_secs_f64();
    let mut text = args.told(found.as_ref()) + &args.bounds(&shape);
    let _ = writeln!(text, "{runs} runs in {seconds:.1} s, {:.0} a second", runs as f64 / seconds.max(1e-9));
    // The schedule is printed even if a file cannot be written.
    print(&text)?;
    let mut placed: Vec<Output> = Vec::new();
    if let (Some(file), Some(found)) = (bench_file, &found) {
        let bench = judge.bench(&found.schedule, &args.purpose(found))?;
        placed.push(file.filled(&bench.commented(&["A schedule that wormscope search found."]))?);
        if let (Some(file), Some(path)) = (page_file, &args.output) {
            let bench = Bench::new(&path.display().to_string(), bench)?;
            let page = page_of(&bench, &bench.run(None)?, Window::ALL).map_err(Refused)?;
            placed.extend(page.map(|page| file.filled(&page)).transpose()?);
        }
    } else if let (Some(path), None) = (&args.output, &found) {
        console::tell(&format!("warning: there is no schedule, so {} was not written", quote::shell(path)));
    }
    if let Some(file) = json_file {
        let result = json!({
            "schema_version": 1,
            "found": found.is_some(),
            "worms": found.as_ref().map(|of| &of.schedule),
            "value": found.as_ref().map(|of| of.value),
            "runs": runs,
            "seconds": seconds,
        });
        placed.push(json::write(&result, file)?);
    }
    print(&outputs::wrote(&output::place(placed)?))?;
    Ok(match (&found, args.goal()) {
        _ if interrupt.has_come() => interrupted(""),
        (Some(_), Goal::Deadlock) => DEADLOCK,
        (Some(_), Goal::Property(_)) => CHECK_FAILED,
        _ => DONE,
    })
}
