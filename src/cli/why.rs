//! `wormscope why`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use wormscope::account::{Account, Accounts, History, RootChain};
use wormscope::engine::WormInfo;
use wormscope::hw::{NodeId, WormId};
use wormscope::memory::refuse_beyond_memory;
use wormscope::output;
use wormscope::quote;
use wormscope::report::accounts::AccountJson;
use wormscope::report::json;
use wormscope::run::found as found_deadlock;
use wormscope::simulation::{Simulation, Site};
use wormscope::trace::Windows;

use super::exit::{DONE, Refused, print, warn};
use super::follow::{Wanted, numbers};
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
    /// Worms: 3,7, slowest, multicast:2 (the second one), deadlocked
    #[arg(long, value_name = "WORMS", value_delimiter = ',', default_value = "slowest")]
    worm: Vec<Wanted>,
    /// Destination of the worm [default: the one that it reaches last]
    #[arg(long, value_name = "NODE")]
    to: Option<u32>,
    /// Follow what the worm waits for in this cycle [default: a cycle of each of its longest waits]
    #[arg(long, value_name = "CYCLE", value_parser = integer(0..=u64::MAX))]
    at: Option<u64>,
    /// Write the account as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A worm's account in words and as JSON.
struct Answer {
    created: u64,
    tail: u64,
    text: String,
    json: AccountJson,
}

/// Tells where the cycles of worms went.
pub fn why(args: &Args) -> Result<u8, Refused> {
    let loaded = given::read(&args.file, args.run.sets(), args.run.seed)?.loaded;
    let mut files = Files::beside(&loaded.inputs());
    let json = files.create("--json", args.json.as_deref())?;
    refuse_beyond_memory(&loaded).map_err(|why| format!("{}: {why}", quote::name(&args.file)))?;
    let site = while_doing("building the network", || Site::of(&loaded))?;
    let wanted = numbers("--worm", &loaded, &site, &args.worm, &Windows::default())?;
    let mut found: BTreeMap<WormId, Answer> = BTreeMap::new();
    let told = |history: &History, worm: &WormInfo, account: &Account, is_complete: bool| {
        let unblocked =
            site.unblocked(worm).map(|cycles| cycles + u64::from(loaded.experiment.network.node.startup_cycles));
        let traces = traces(history, account, args.at);
        let mut text = history.told(worm, account, unblocked, is_complete);
        for trace in &traces {
            text += "\n";
            text += &history.told_trace(trace);
        }
        let json = AccountJson::new(history, worm, account, &traces, unblocked, is_complete);
        Answer { created: account.created, tail: account.tail, text, json }
    };
    let mut simulation = Simulation::new(&loaded, &site)?;
    let mut watch = Accounts::new(History::new(&loaded.experiment.network, site.wiring()), |history, worm, account| {
        let is_to = args.to.is_none_or(|to| NodeId(to) == account.destination);
        if wanted.contains(&worm.id) && is_to && found.get(&worm.id).is_none_or(|of| of.tail <= account.tail) {
            let of = told(history, worm, &account, true);
            found.insert(worm.id, of);
        }
    });
    let outcome = under_bar(&loaded, |progress| simulation.run(&mut watch, progress))?;
    let last = simulation.engine.now().saturating_sub(1);
    let history = watch.history;
    for id in &wanted {
        let under_way = simulation.engine.under_way().into_iter().find(|of| of.info.id == *id);
        let goes = |of: &WormInfo| args.to.is_none_or(|to| of.destinations.contains(&NodeId(to)));
        // It may have arrived at the node asked for, and be under way to others.
        if let Some(of) = under_way.filter(|of| goes(of.info) && (args.to.is_none() || !found.contains_key(id))) {
            let account = history.account_so_far(of.info, last);
            found.insert(*id, told(&history, of.info, &account, false));
        }
        if !found.contains_key(id) {
            let created = simulation.engine.totals().worms_created;
            return Err(Refused(match (args.to, created.checked_sub(1)) {
                (Some(to), Some(last)) if u64::from(id.0) <= last => {
                    format!("--to {to}: worm {id} does not go to n{to}")
                }
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
    let texts: Vec<&str> = wanted.iter().filter_map(|id| found.get(id)).map(|of| of.text.as_str()).collect();
    print(&texts.join("\n"))?;
    if let Some(deadlock) = found_deadlock(&outcome) {
        let file = quote::shell(&args.file);
        let options = args.run.options();
        warn(&[format!(
            "the run ends in a deadlock, final in cycle {}. For its worms, pass --worm deadlocked. To explain it, run \
             wormscope deadlock {file}{options}",
            deadlock.final_cycle
        )]);
    }
    let all: Vec<&AccountJson> = wanted.iter().filter_map(|id| found.get(id)).map(|of| &of.json).collect();
    let written = output::place(json.map(|file| json::write(&all, file)).transpose()?.into_iter().collect())?;
    print(&outputs::wrote(&written))?;
    Ok(DONE)
}

/// Traces from the cycle that is asked about, or from the longest waits.
fn traces(history: &History, account: &Account, at: Option<u64>) -> Vec<RootChain> {
    if let Some(at) = at {
        return history.trace(account, at).into_iter().collect();
    }
    account.longest_waits(TRACED).into_iter().filter_map(|(_, cycle)| history.trace(account, cycle)).collect()
}
