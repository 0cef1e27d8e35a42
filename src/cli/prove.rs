//! `wormscope prove`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use wormscope::engine::States;
use wormscope::experiment::WormRules;
use wormscope::hw::{Arbiter, Encoding};
use wormscope::output::{self, Output};
use wormscope::prove::{
    Limit, Limits, Proof, ProofBounds, SearchEnd, SearchProgress, Shapes, StateSearch, Traffic, Witness, check,
};
use wormscope::report::json;
use wormscope::simulation::Site;
use wormscope::testbench::schema::RandomWorms;
use wormscope::{console, quote};

use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, interrupted, print};
use super::given::{self, Given};
use super::outputs::{self, Files};
use super::progress::Shown;
use super::signals::Interrupt;
use super::usage::{integer, range};

/// Bytes of a mebibyte.
const MIB: usize = 1 << 20;

/// Arguments of `wormscope prove`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON file of an experiment or a testbench; - is standard input
    file: PathBuf,
    /// Set a field by its path, or by the end of its path, as in fifo_depth=8 (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Let nodes send worms of this encoding, in any cycle (repeatable) [default: the random worms
    /// of a testbench; without them, each message of the workload once or never]
    #[arg(long, value_name = "ENCODING", value_parser = PossibleValuesParser::new(Encoding::ALL.map(Encoding::name)))]
    encoding: Vec<String>,
    /// Send multicasts to N nodes, or to A..B nodes, both included, 1 to 64
    #[arg(long, value_name = "A..B", default_value = "2..2", value_parser = range(1..=64), requires = "encoding")]
    destinations: (u32, u32),
    /// Send worms of N payload flits, or of A..B payload flits, 1 to 1024
    #[arg(long, value_name = "A..B", default_value = "4..4", value_parser = range(1..=1024), requires = "encoding")]
    payload: (u32, u32),
    /// Let these nodes send [default: all nodes]
    #[arg(long, value_name = "NODES", value_delimiter = ',', requires = "encoding", value_parser = integer(0..=u32::MAX))]
    from: Vec<u32>,
    /// Let these nodes receive [default: all nodes]
    #[arg(long, value_name = "NODES", value_delimiter = ',', requires = "encoding", value_parser = integer(0..=u32::MAX))]
    to: Vec<u32>,
    /// Let nodes send at most N worms in all, 1 to 250 [default: any number]
    #[arg(long, value_name = "N", value_parser = integer(1..=250_u8))]
    worms: Option<u8>,
    /// any: an arbiter may choose any input that asks; built: it chooses as the network has it
    #[arg(long, value_name = "CHOICE", default_value = "any", value_parser = ["any", "built"])]
    arbiters: String,
    /// use: count mirror images of a state, and its other symmetric images, as one state; ignore:
    /// visit each
    #[arg(long, value_name = "CHOICE", default_value = "use", value_parser = ["use", "ignore"])]
    symmetries: String,
    /// Search N cycles deep at most, 1 to 2^32 - 1
    #[arg(long, value_name = "N", value_parser = integer(1..=u32::MAX))]
    depth: Option<u32>,
    /// Use at most MIB mebibytes of memory, 16 to 1048576
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = integer(16..=1_048_576_usize))]
    memory: usize,
    /// Stop after SECONDS, 1 to 2^32 - 1
    #[arg(long, value_name = "SECONDS", value_parser = integer(1..=u32::MAX))]
    time_limit: Option<u32>,
    /// Keep a search that does not finish in FILE; if FILE has one of the same task, continue it
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Write the shortest way into a deadlock to FILE as a testbench
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the result to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Args {
    /// The bounds of the options, or else of the random worms of a testbench.
    fn bounds(&self, random: &[RandomWorms]) -> Result<ProofBounds, String> {
        if let ([], [_, _, ..]) = (&self.encoding[..], random) {
            return Err("several entries of random; allowed: one entry, or the option --encoding".to_owned());
        }
        if let ([], [of]) = (&self.encoding[..], random) {
            let encodings = of.encodings.iter().filter(|(_, weight)| *weight > 0).map(|(encoding, _)| *encoding);
            let shapes = Shapes {
                encodings: encodings.collect(),
                destinations: of.destinations,
                payload_flits: of.payload_flits,
                sources: of.sources.clone(),
                targets: of.targets.clone(),
            };
            let worms = self.worms.or_else(|| u8::try_from(of.worms).ok());
            return Ok(ProofBounds { traffic: Traffic::Shapes(shapes), worms, any_choice: self.arbiters == "any" });
        }
        let encodings: Vec<Encoding> =
            Encoding::ALL.into_iter().filter(|of| self.encoding.iter().any(|name| name == of.name())).collect();
        let traffic = if encodings.is_empty() {
            Traffic::Messages
        } else {
            Traffic::Shapes(Shapes {
                encodings,
                destinations: self.destinations,
                payload_flits: self.payload,
                sources: self.from.clone(),
                targets: self.to.clone(),
            })
        };
        Ok(ProofBounds { traffic, worms: self.worms, any_choice: self.arbiters == "any" })
    }
}

/// A line about a search under way.
fn line(progress: &SearchProgress) -> String {
    let rate = progress.states as f64 / progress.time.as_secs_f64().max(1e-9);
    format!(
        "{} states, {:.0} a second, {} cycles deep, {} states open, {} MiB",
        progress.states,
        rate,
        progress.depth,
        progress.frontier,
        progress.memory / MIB
    )
}

/// Searches all states, and prints the verdict.
pub fn prove(args: &Args) -> Result<u8, Refused> {
    let Given { loaded, bench } = given::read(&args.file, args.sets.clone(), None)?;
    let network = &loaded.experiment.network;
    let refused = |why: String| Refused(format!("{}: {why}", quote::name(&args.file)));
    check(network).map_err(refused)?;
    let site = Site::of(&loaded)?;
    let rules = WormRules::new(site.built());
    for (option, nodes) in [("--from", &args.from), ("--to", &args.to)] {
        rules.check_nodes(nodes).map_err(|(_, why)| Refused(format!("{option}: {why}")))?;
    }
    let mut bounds = args.bounds(bench.as_ref().map_or(&[], |bench| bench.random_worms())).map_err(refused)?;
    // This arbiter has no choice, and the bounds say so.
    bounds.any_choice &= network.switch.arbiter != Arbiter::FixedPriority;
    let kinds = bounds.messages(&loaded.experiment, &rules).map_err(refused)?;
    let mut files = Files::beside(&loaded.inputs());
    let witness_file = files.create("--output", args.output.as_deref())?;
    let json_file = files.create("--json", args.json.as_deref())?;
    if let Some(keep) = &args.keep {
        files.kept("--keep", keep)?;
    }
    let task = format!("{} {} {bounds:?} {} symmetries", env!("CARGO_PKG_VERSION"), loaded.hash, args.symmetries);
    let states = || {
        let mut states = States::new(site.built(), &bounds.offer(&kinds), bounds.any_choice);
        if args.symmetries == "use" {
            states.find_symmetries();
        }
        states
    };
    let kept = args.keep.as_deref().map(|keep| StateSearch::kept(&task, keep, states())).transpose()?.flatten();
    let mut search = kept.unwrap_or_else(|| StateSearch::new(states()));
    let limits = Limits {
        memory: Some(args.memory * MIB),
        time: args.time_limit.map(|seconds| Duration::from_secs(seconds.into())),
        depth: args.depth,
    };
    let interrupt = Interrupt::awaited();
    let shown = Shown::doing("searching all states");
    let end = search.run(&limits, |progress| {
        shown.begins(&line(progress));
        !interrupt.has_come()
    });
    drop(shown);
    let progress = search.progress();
    let witness = match end {
        SearchEnd::Stuck(id) => Some(Witness::new(network, &site, &kinds, &search.way(id))?),
        SearchEnd::Proved | SearchEnd::Limit(_) => None,
    };
    let proof = Proof::new(end, bounds.lines(kinds.len()), &progress, witness.as_ref());
    let mut text = proof.text();
    let is_over = !matches!(end, SearchEnd::Limit(_));
    if let Some(keep) = args.keep.as_deref().filter(|_| !is_over) {
        // Hours of a search are not lost because an output is full.
        search.keep(&task, keep)?;
        let _ = writeln!(text, "the search is kept in {}; the same command continues", quote::shell(keep));
    }
    print(&text)?;
    let mut placed: Vec<Output> = Vec::new();
    if let (Some(file), Some(witness)) = (witness_file, witness.as_ref().filter(|of| of.deadlock.is_some())) {
        let purpose = format!("{} worms deadlock in the fewest cycles", witness.messages.len());
        let bench = witness.bench(network, &purpose);
        placed.push(file.filled(&bench.commented(&["The shortest way into a deadlock, found by wormscope prove."]))?);
    } else if let Some(path) = &args.output {
        let why = if witness.is_some() { "no run has this deadlock" } else { "there is no deadlock" };
        console::tell(&format!("warning: {why}, so {} was not written", quote::shell(path)));
    }
    if let Some(file) = json_file {
        placed.push(json::write(&proof, file)?);
    }
    let placed = output::place(placed)?;
    if let Some(keep) = args.keep.as_deref().filter(|keep| is_over && keep.exists()) {
        std::fs::remove_file(keep).map_err(|error| format!("{}: {error}", quote::name(keep)))?;
    }
    print(&outputs::wrote(&placed))?;
    Ok(match end {
        SearchEnd::Proved => DONE,
        SearchEnd::Stuck(_) => DEADLOCK,
        SearchEnd::Limit(Limit::Interrupt) => interrupted(""),
        SearchEnd::Limit(_) => CHECK_FAILED,
    })
}
