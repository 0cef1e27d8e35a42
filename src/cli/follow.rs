//! `wormscope run --follow`: first runs that find worms and learn which ways they take.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use wormscope::account::{Accounts, History};
use wormscope::engine::{Clocked as _, Delivery, Observer, Observers, WormInfo};
use wormscope::experiment::Loaded;
use wormscope::hw::{NodeId, WormId};
use wormscope::run::found;
use wormscope::simulation::{Simulation, Site};
use wormscope::trace::{Follow, HopRecorder, Windows};
use wormscope::{console, quote, spelling};

use super::exit::Refused;
use super::progress::under_bar;

/// Wanted worms, by number or by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one of this number.
    Worm(WormId),
    /// The worm that takes longest from its creation to its last arrival, in the window.
    Slowest,
    /// The slowest worm with several destinations.
    SlowestMulticast,
    /// The worm with this number among the worms with several destinations, in the order of their
    /// creation.
    Multicast(u32),
    /// All worms of a deadlock.
    Deadlocked,
}

/// Waits of a worm that its view lists.
const MOST_WAITS: usize = 8;

/// Words for worms.
const SLOWEST: &str = "slowest";
const SLOWEST_MULTICAST: &str = "slowest-multicast";
const MULTICAST: &str = "multicast:";
const DEADLOCKED: &str = "deadlocked";

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worm(id) => id.fmt(f),
            Self::Slowest => f.write_str(SLOWEST),
            Self::SlowestMulticast => f.write_str(SLOWEST_MULTICAST),
            Self::Multicast(n) => write!(f, "{MULTICAST}{n}"),
            Self::Deadlocked => f.write_str(DEADLOCKED),
        }
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let multicast = text.strip_prefix(MULTICAST).and_then(number).filter(|&n| n > 0).map(Self::Multicast);
        let word = match text {
            SLOWEST => Some(Self::Slowest),
            SLOWEST_MULTICAST => Some(Self::SlowestMulticast),
            DEADLOCKED => Some(Self::Deadlocked),
            _ => None,
        };
        number(text).map(|id| Self::Worm(WormId(id))).or(multicast).or(word).ok_or_else(|| {
            let words = [SLOWEST, SLOWEST_MULTICAST, "multicast:1", DEADLOCKED];
            let is_word = text.chars().any(char::is_alphabetic);
            let meant = spelling::nearest(text, &words).filter(|_| is_word);
            let meant = meant.map_or_else(String::new, |word| format!("; did you mean {word}?"));
            let words = format!("{SLOWEST}, {SLOWEST_MULTICAST}, {MULTICAST}1 and up, {DEADLOCKED}");
            format!("allowed: worms from 0 to {}, {words}{meant}", u32::MAX)
        })
    }
}

/// Nodes between which worms are looked for; all where none is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// The node that sends the worm.
    pub from: Option<NodeId>,
    /// A node that receives the worm.
    pub to: Option<NodeId>,
}

/// Finds worms by kind.
#[derive(Default)]
struct Finder {
    windows: Windows,
    ends: Ends,
    multicasts: Vec<WormId>,
    /// Latency of the slowest worm in cycles, and the worm.
    slowest: Option<(u64, WormId)>,
    /// Latency of the slowest multicast in cycles, and its worm.
    slowest_multicast: Option<(u64, WormId)>,
}

impl Finder {
    fn is_from(&self, worm: &WormInfo) -> bool {
        self.ends.from.is_none_or(|from| from == worm.source)
    }
}

impl Observer for Finder {
    fn created(&mut self, worm: &WormInfo) {
        let goes = |to| worm.destinations.contains(&to);
        if worm.destinations.len() > 1 && self.is_from(worm) && self.ends.to.is_none_or(goes) {
            self.multicasts.push(worm.id);
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let latency = delivery.tail - worm.created;
        let is_asked = self.is_from(worm) && self.ends.to.is_none_or(|to| to == delivery.destination);
        if !is_asked || !self.windows.meet(delivery.injected, delivery.tail) {
            return;
        }
        let is_slower = |than: Option<(u64, WormId)>| than.is_none_or(|(slowest, _)| latency > slowest);
        if is_slower(self.slowest) {
            self.slowest = Some((latency, worm.id));
        }
        if worm.destinations.len() > 1 && is_slower(self.slowest_multicast) {
            self.slowest_multicast = Some((latency, worm.id));
        }
    }
}

/// The numbers of worms that an option names, each once. For worms that are given as words, a run
/// finds the numbers.
pub fn numbers(
    option: &str,
    loaded: &Loaded,
    site: &Site,
    wanted: &[Wanted],
    windows: &Windows,
    ends: Ends,
) -> Result<Vec<WormId>, Refused> {
    let mut search = Finder { windows: windows.clone(), ends, ..Finder::default() };
    let mut deadlocked = Vec::new();
    if wanted.iter().any(|wanted| !matches!(wanted, Wanted::Worm(_))) {
        let mut simulation = Simulation::new(loaded, site)?;
        let outcome = under_bar(loaded, |progress| simulation.run(&mut search, progress))?;
        deadlocked.extend(found(&outcome).into_iter().flat_map(|deadlock| &deadlock.cycle).map(|member| member.worm));
        deadlocked.dedup();
    }
    let mut numbers = Vec::new();
    for wanted in wanted {
        let (these, else_why) = match wanted {
            Wanted::Worm(id) => (vec![*id], String::new()),
            Wanted::Slowest | Wanted::SlowestMulticast => {
                let is_any = *wanted == Wanted::Slowest;
                let slowest = if is_any { search.slowest } else { search.slowest_multicast }.map(|(_, worm)| worm);
                let what = if is_any { "worm" } else { "worm with several destinations" };
                let from = ends.from.map_or_else(String::new, |from| format!(" from n{from}"));
                let at = ends.to.map_or_else(String::new, |to| format!(" at n{to}"));
                let hint = if deadlocked.is_empty() { "" } else { "; the run ends in a deadlock: try deadlocked" };
                (slowest.into_iter().collect(), format!("no {what}{from} arrives{at} in the window{hint}"))
            }
            Wanted::Multicast(n) => {
                let multicast = search.multicasts.get(*n as usize - 1).copied();
                let all = search.multicasts.len();
                (multicast.into_iter().collect(), format!("the run creates {all} such worms with several destinations"))
            }
            Wanted::Deadlocked => (deadlocked.clone(), "the run does not end in a deadlock".to_owned()),
        };
        if these.is_empty() {
            return Err(Refused(format!("{option} {wanted}: {else_why}")));
        }
        if !matches!(wanted, Wanted::Worm(_)) {
            let worms = quote::form(these.len(), "worm", "worms");
            console::tell(&format!("{option} {wanted}: {worms} {}", quote::list(&these)));
        }
        for worm in these {
            if !numbers.contains(&worm) {
                numbers.push(worm);
            }
        }
    }
    Ok(numbers)
}

/// Looks for another worm to follow in a window: the first multicast that is created in the window,
/// else the first worm.
struct AnotherWorm<'a> {
    but: &'a [WormId],
    windows: &'a Windows,
    found: Option<(WormId, bool)>,
}

impl Observer for AnotherWorm<'_> {
    fn created(&mut self, worm: &WormInfo) {
        let several = worm.destinations.len() > 1;
        let is_better = !self.but.contains(&worm.id) && self.found.is_none_or(|(_, known)| several && !known);
        if is_better && self.windows.contain(worm.created) {
            self.found = Some((worm.id, several));
        }
    }
}

/// The ways of worms, some of each in the window.
pub fn find_hops(loaded: &Loaded, site: &Site, wanted: &[Wanted], windows: &Windows) -> Result<Vec<Follow>, Refused> {
    let worms = numbers("--follow", loaded, site, wanted, windows, Ends::default())?;
    if worms.is_empty() {
        return Ok(Vec::new());
    }
    let mut simulation = Simulation::new(loaded, site)?;
    let recorder = |worm: &WormId| HopRecorder::new(*worm, &loaded.experiment.network, site.wiring());
    let recorders = Observers(worms.iter().map(recorder).collect::<Vec<_>>());
    let mut accounts = BTreeMap::new();
    let history = History::new(&loaded.experiment.network, site.wiring(), site.stalls(&loaded.experiment.workload));
    let watch = Accounts::new(history, |history, worm, account| {
        if worms.contains(&worm.id) {
            accounts.insert(worm.id, history.lines(&account, MOST_WAITS));
        }
    });
    let mut observers = ((recorders, AnotherWorm { but: &worms, windows, found: None }), watch);
    under_bar(loaded, |progress| simulation.run(&mut observers, progress))?;
    let ((recorders, AnotherWorm { found, .. }), watch) = observers;
    let (history, last) = (watch.history, simulation.engine.now().saturating_sub(1));
    for of in simulation.engine.under_way().iter().filter(|of| worms.contains(&of.info.id)) {
        accounts.insert(of.info.id, history.lines(&history.account_so_far(of.info, last), MOST_WAITS));
    }
    let mut way = |(worm, recorder): (&WormId, HopRecorder)| {
        let cycles = recorder.cycles();
        let Some(mut follow) = recorder.finish() else {
            let created = simulation.engine.totals().worms_created;
            return Err(Refused(match created.checked_sub(1) {
                Some(last) => format!("--follow {worm}: the run creates worms 0 to {last}"),
                None => format!("--follow {worm}: the run creates no worms"),
            }));
        };
        follow.account = accounts.remove(worm).unwrap_or_default();
        let is_seen = |(first, last): (u64, u64)| windows.meet(first, last);
        if windows.are_all() || cycles.is_some_and(is_seen) {
            return Ok(follow);
        }
        let where_it_is = match cycles {
            Some((first, last)) => format!("is in the network in cycles {first} to {last}"),
            None => "never enters the network".to_owned(),
        };
        let other = found.map_or_else(String::new, |(other, _)| format!("; worm {other} is created there"));
        let window = format!("not in those of --wave-window {windows}");
        Err(Refused(format!("--follow {worm}: worm {worm} {where_it_is}, {window}{other}")))
    };
    worms.iter().zip(recorders.0).map(&mut way).collect()
}
