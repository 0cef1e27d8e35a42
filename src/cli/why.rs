//! `wormscope why`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wormscope::account::{Account, Accounts, History, RootOf};
use wormscope::engine::{Clocked as _, WormInfo};
use wormscope::experiment::Loaded;
use wormscope::hw::{NodeId, WormId};
use wormscope::memory::refuse_beyond_memory;
use wormscope::output::{self, Output};
use wormscope::quote;
use wormscope::report::accounts::AccountJson;
use wormscope::report::both::{Both, Latencies};
use wormscope::report::json;
use wormscope::run::found as found_deadlock;
use wormscope::simulation::{Simulation, Site};
use wormscope::trace::Windows;

use super::exit::{DONE, Refused, print, warn};
use super::follow::{Ends, Wanted, numbers};
use super::given::{self, Overrides};
use super::outputs::{self, Files};
use super::progress::{under_bar, while_doing};
use super::usage::integer;

/// Longest waits of a worm that are traced to their roots unless a cycle is given.
const TRACED: usize = 3;

/// Arguments of `wormscope why`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Experiment or testbench in RON
    file: PathBuf,
    #[command(flatten)]
    run: Overrides,
    /// Worms: 3,7, slowest, slowest-multicast, multicast:2 (the second one), deadlocked
    #[arg(long, value_name = "WORMS", value_delimiter = ',', default_value = "slowest")]
    worm: Vec<Wanted>,
    /// Look among the worms of this source
    #[arg(long, value_name = "NODE")]
    from: Option<u32>,
    /// Destination of the worm [default: the one that it reaches last]
    #[arg(long, value_name = "NODE")]
    to: Option<u32>,
    /// Follow the wait in this cycle to its root [default: the longest waits]
    #[arg(long, value_name = "CYCLE", value_parser = integer(0..=u64::MAX))]
    at: Option<u64>,
    /// Compare with the run of another file: the latency of each worm, then both accounts
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Compare with a run in which this field is different: arbiter=matrix (repeatable)
    #[arg(long = "beside-set", value_name = "PATH=VALUE")]
    beside_sets: Vec<String>,
    /// Write the accounts as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Args {
    fn ends(&self) -> Ends {
        Ends { from: self.from.map(NodeId), to: self.to.map(NodeId) }
    }
}

/// A worm's account in words and as JSON.
struct Answer {
    created: u64,
    tail: u64,
    text: String,
    json: AccountJson,
}

/// Answers of a run.
struct Answers {
    found: BTreeMap<WormId, Answer>,
    latencies: Latencies,
    /// The cycle in which a deadlock became final.
    deadlock: Option<u64>,
}

impl Answers {
    /// The answers for these worms, in their order.
    fn of(&self, worms: &[WormId]) -> impl Iterator<Item = &Answer> {
        worms.iter().filter_map(|id| self.found.get(id))
    }
}

/// Prints the accounts of the cycles of worms.
pub fn why(args: &Args) -> Result<u8, Refused> {
    let loaded = given::read(&args.file, args.run.sets(), args.run.seed)?.loaded;
    let beside = beside(args)?;
    let inputs: Vec<_> = std::iter::once(&loaded).chain(&beside).flat_map(Loaded::inputs).collect();
    let mut files = Files::beside(&inputs);
    let json = files.create("--json", args.json.as_deref())?;
    let site = site(&loaded, &args.file)?;
    let wanted = numbers("--worm", &loaded, &site, &args.worm, &Windows::default(), args.ends())?;
    let first = answers(args, &loaded, &site, &wanted)?;
    let Some(beside) = beside else {
        let texts: Vec<&str> = first.of(&wanted).map(|of| of.text.as_str()).collect();
        print(&texts.join("\n"))?;
        if let Some(cycle) = first.deadlock {
            let file = quote::shell(&args.file);
            let options = args.run.options();
            warn(&[format!(
                "the run ends in a deadlock, final in cycle {cycle}. For its worms, pass --worm deadlocked. To explain \
                 it, run wormscope deadlock {file}{options}"
            )]);
        }
        let all: Vec<&AccountJson> = first.of(&wanted).map(|of| &of.json).collect();
        return finish(json.map(|file| json::write(&all, file)).transpose()?);
    };
    let site = self::site(&beside, args.beside.as_ref().unwrap_or(&args.file))?;
    let second = answers(args, &beside, &site, &wanted)?;
    let sets = args.beside_sets.iter().map(|set| format!(" --set {}", quote::shell(set)));
    let sets: String = sets.collect();
    let both = Both::new(&first.latencies, &second.latencies);
    let mut text = format!("A: {}\nB: {}{sets}\n\n{}", loaded.title(), beside.title(), both.told());
    let runs = [("A", &first), ("B", &second)];
    for id in &wanted {
        for (run, of) in runs {
            let none = || format!("the run does not create worm {id}\n");
            let _ = write!(text, "\n{run}: {}", of.found.get(id).map_or_else(none, |of| of.text.clone()));
        }
    }
    print(&text)?;
    for (run, of) in runs {
        if let Some(cycle) = of.deadlock {
            warn(&[format!("run {run} ends in a deadlock, final in cycle {cycle}")]);
        }
    }
    let [a, b] = runs.map(|(_, of)| of.of(&wanted).map(|of| &of.json).collect::<Vec<_>>());
    let all = serde_json::json!({ "a": a, "b": b, "worms": both.worms });
    finish(json.map(|file| json::write(&all, file)).transpose()?)
}

/// Puts the JSON in its place, if there is one, and says so.
fn finish(json: Option<Output>) -> Result<u8, Refused> {
    print(&outputs::wrote(&output::place(json.into_iter().collect())?))?;
    Ok(DONE)
}

/// The experiment to compare with.
fn beside(args: &Args) -> Result<Option<Loaded>, Refused> {
    if args.beside.is_none() && args.beside_sets.is_empty() {
        return Ok(None);
    }
    let sets = args.run.sets().into_iter().chain(args.beside_sets.iter().cloned()).collect();
    let file = args.beside.as_ref().unwrap_or(&args.file);
    let given =
        given::read(file, sets, args.run.seed).map_err(|error| given::of_beside_set(error, &args.beside_sets))?;
    Ok(Some(given.loaded))
}

fn site(loaded: &Loaded, file: &Path) -> Result<Site, Refused> {
    refuse_beyond_memory(loaded).map_err(|why| format!("{}: {why}", quote::name(file)))?;
    Ok(while_doing("building the network", || Site::of(loaded))?)
}

/// Runs an experiment for the accounts of some worms, and the latencies of all.
fn answers(args: &Args, loaded: &Loaded, site: &Site, wanted: &[WormId]) -> Result<Answers, Refused> {
    let mut found: BTreeMap<WormId, Answer> = BTreeMap::new();
    let network = &loaded.experiment.network;
    let told = |history: &History, worm: &WormInfo, account: &Account, is_complete: bool| {
        let unblocked = site.unblocked(worm).map(|cycles| cycles + u64::from(network.node.startup_cycles));
        let traces = traces(history, account, args.at);
        let mut text = history.told(worm, account, unblocked, is_complete);
        for trace in &traces {
            text += "\n";
            text += &history.told_root(trace);
        }
        let json = AccountJson::new(history, worm, account, &traces, unblocked, is_complete);
        Answer { created: account.created, tail: account.tail, text, json }
    };
    let mut simulation = Simulation::new(loaded, site)?;
    let history = History::new(network, site.wiring(), site.stalls(&loaded.experiment.workload));
    let watch = Accounts::new(history, |history, worm, account| {
        let is_to = args.to.is_none_or(|to| NodeId(to) == account.destination);
        if wanted.contains(&worm.id) && is_to && found.get(&worm.id).is_none_or(|of| of.tail <= account.tail) {
            let of = told(history, worm, &account, true);
            found.insert(worm.id, of);
        }
    });
    let mut observers = (watch, Latencies::default());
    let outcome = under_bar(loaded, |progress| simulation.run(&mut observers, progress))?;
    let last = simulation.engine.now().saturating_sub(1);
    let (Accounts { history, .. }, latencies) = observers;
    let is_compared = args.beside.is_some() || !args.beside_sets.is_empty();
    for id in wanted {
        let under_way = simulation.engine.under_way().into_iter().find(|of| of.info.id == *id);
        let goes = |of: &WormInfo| args.to.is_none_or(|to| of.destinations.contains(&NodeId(to)));
        // The worm may have arrived at the given node, and may still be under way to other nodes.
        if let Some(of) = under_way.filter(|of| goes(of.info) && (args.to.is_none() || !found.contains_key(id))) {
            let account = history.account_so_far(of.info, last);
            found.insert(*id, told(&history, of.info, &account, false));
        }
        let created = simulation.engine.totals().worms_created;
        if let Some(from) = args.from
            && let Some(source) = latencies.source(*id).filter(|source| *source != from)
        {
            return Err(Refused(format!("--from {from}: worm {id} is from n{source}")));
        }
        if !found.contains_key(id) {
            return Err(Refused(match (args.to, created.checked_sub(1)) {
                (Some(to), Some(last)) if u64::from(id.0) <= last => {
                    format!("--to {to}: worm {id} does not go to n{to}")
                }
                // Another run may create fewer worms.
                _ if is_compared => continue,
                (_, Some(last)) => format!("--worm {id}: the run creates worms 0 to {last}"),
                (_, None) => format!("--worm {id}: the run creates no worms"),
            }));
        }
    }
    if let Some(at) = args.at
        && let Some((id, of)) = found.iter().find(|(_, of)| !(of.created..of.tail).contains(&at))
    {
        let (first, last) = (of.created, of.tail - 1);
        return Err(Refused(format!("--at {at}: worm {id} is under way in cycles {first} to {last}")));
    }
    Ok(Answers { found, latencies, deadlock: found_deadlock(&outcome).map(|of| of.final_cycle) })
}

/// The chain in the given cycle, or the roots of the longest waits.
fn traces<'w>(history: &History, account: &'w Account, at: Option<u64>) -> Vec<RootOf<'w>> {
    if let Some(at) = at {
        let asked = |chain| RootOf { wait: &[], roots: Vec::new(), chain };
        return history.trace(account, at).into_iter().map(asked).collect();
    }
    account.longest_waits().into_iter().take(TRACED).filter_map(|wait| history.root_of(account, wait)).collect()
}
