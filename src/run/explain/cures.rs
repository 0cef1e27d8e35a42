//! Cures: changes of a configuration that may remove a deadlock. Each of them is really run.
//!
//! A change is a list of overrides as on the command line. So a reader can run exactly the reported
//! change again. For a parameter that grows, the search finds the smallest value that helps. It
//! also finds the smallest value by which a rule frees any worms.

use std::collections::BTreeMap;

use wormscope_hw::{Acquisition, NodeId, Replication, WormId};

use crate::cost::{self, Encodings, HardwareCost};
use crate::deadlock::Deadlock;
use crate::engine::WormInfo;
use crate::experiment::{Loaded, Message, Workload};
use crate::input::ConfigError;
use crate::network::{Network, Routing, Safer};
use crate::quote::counted;
use crate::report::hazards::{Hazards, Rule, arrivals};
use crate::simulation::Site;
use crate::workload::TraceCsv;

use super::attempt::{Attempt, run};
pub use super::attempt::{Ending, Under, Watcher};
use super::seeds;
pub use super::seeds::SeedRun;

/// Largest number of values of a parameter that are tried one by one.
const ONE_BY_ONE: u32 = 64;
/// Largest number of channels or links that are added.
const MOST_ADDED: u32 = 3;

/// Changes that were tried against a deadlock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// Changes that remove the deadlock. First come the changes that remove it for all worms, then
    /// the changes that hold for most seeds, then the changes with the least area.
    pub cures: Vec<Cure>,
    /// Changes that do not remove the deadlock.
    pub vain: Vec<Vain>,
    /// Whether a part of the workload is drawn from the seed, so that other seeds were tried.
    pub is_random: bool,
    /// Whether the watcher stopped the search while other seeds were tried.
    pub stopped_at_seeds: bool,
    /// The change at which the watcher stopped the search. This change and the changes after it are
    /// in neither list.
    pub stopped_at: Option<String>,
}

/// A change that removes a deadlock.
#[derive(Clone, Debug, PartialEq)]
pub struct Cure {
    /// The change: `fifo_depth 4 to 17`, `acquisition atomic`.
    pub change: String,
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// Number of cycles after which all worms have arrived, with the change.
    pub done: u64,
    /// Worms that the change frees.
    pub frees: Freed,
    /// Cost of the network with the change.
    pub cost: HardwareCost,
    /// Cost of the network before.
    pub before: HardwareCost,
}

/// Worms for which a change removes deadlocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Any worms of the same kinds ([`Hazards::rules`]), by these rules.
    Any(Vec<Rule>),
    /// Only the worms of these runs; other worms may deadlock. The list has the runs with other
    /// seeds. The list is empty if the experiment draws nothing at random.
    These(Vec<SeedRun>),
}

impl Freed {
    /// Number of seeds for which the change holds, and number of tried seeds, the seed of the
    /// experiment included. `None` if no other seeds were tried.
    #[must_use]
    pub fn held(&self) -> Option<(usize, usize)> {
        match self {
            Self::These(runs) if !runs.is_empty() => {
                Some((1 + runs.iter().filter(|run| run.ending.is_ok()).count(), 1 + runs.len()))
            }
            Self::These(_) | Self::Any(_) => None,
        }
    }

    /// `by datelines`, `held with 3 of 6 seeds`.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Any(rules) => {
                let rules: Vec<&str> = rules.iter().map(|rule| rule.in_words()).collect();
                format!("by {}", rules.join(" and "))
            }
            Self::These(_) => self
                .held()
                .map_or_else(|| "for these worms".to_owned(), |(held, of)| format!("held with {held} of {of} seeds")),
        }
    }

    /// Order of cures: rules first, then the larger share of seeds.
    fn rank(&self) -> f64 {
        match self {
            Self::Any(_) => f64::NEG_INFINITY,
            Self::These(_) => self.held().map_or(-1.0, |(held, of)| -(held as f64) / of as f64),
        }
    }
}

/// Additions of a change to a network.
pub(super) struct Added {
    /// Bits of all input FIFOs.
    pub fifo_bits: i64,
    /// Area in gate equivalents.
    pub ge: f64,
    /// Levels of logic between registers.
    pub levels: i64,
}

impl Cure {
    /// The cost added to that before.
    pub(super) fn added(&self) -> Added {
        let Self { cost, before, .. } = self;
        Added {
            fifo_bits: cost.fifo_bits.cast_signed() - before.fifo_bits.cast_signed(),
            ge: cost.network.ge - before.network.ge,
            levels: i64::from(cost.logic_depth) - i64::from(before.logic_depth),
        }
    }
}

/// A change that does not remove a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vain {
    /// The change, from the first value that was tried to the last:
    /// `+1 to +3 virtual channels, each`.
    pub change: String,
    /// The run with each of these values.
    pub runs: Vec<ChangedRun>,
}

/// A run of a changed experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRun {
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// End of the run.
    pub ending: Ending,
}

/// A parameter with the values to try, in ascending order, until one helps.
struct Family {
    /// Name of a change to a value, or of the changes to all values from one to another.
    name: Box<dyn Fn(u32, u32) -> String>,
    sets: Box<dyn Fn(u32) -> Vec<String>>,
    /// First and last value.
    values: (u32, u32),
    /// Distance between values.
    step: u32,
    /// The smallest value by which a rule may free any worms, if there is one.
    sure: Option<u32>,
}

impl Family {
    /// A single change.
    fn one(name: &str, sets: &[impl ToString]) -> Self {
        let (name, sets) = (name.to_owned(), sets.iter().map(ToString::to_string).collect::<Vec<_>>());
        Self {
            name: Box::new(move |_, _| name.clone()),
            sets: Box::new(move |_| sets.clone()),
            values: (0, 0),
            step: 1,
            sure: None,
        }
    }

    fn many(
        values: (u32, u32),
        name: impl Fn(u32, u32) -> String + 'static,
        sets: impl Fn(u32) -> Vec<String> + 'static,
    ) -> Self {
        Self { name: Box::new(name), sets: Box::new(sets), values, step: 1, sure: None }
    }
}

/// Tries changes that may remove the deadlock in which `loaded` ends. `worms` are the worms that
/// the run created, and `under` changes the experiment.
///
/// # Errors
/// A trace cannot be read again.
pub fn search(
    loaded: &Loaded,
    found: &Deadlock,
    worms: &[WormInfo],
    under: Under,
    watcher: &mut impl Watcher,
) -> Result<Tried, ConfigError> {
    let mut tried = Tried { is_random: seeds::is_random(loaded), ..Tried::default() };
    let longest = longest(loaded, worms)?;
    let tree_flits = tree_flits(loaded);
    // Encodings of worms to which the run did not come count as well.
    let encodings = Encodings::sent(loaded)?;
    let cost = |loaded: &Loaded| loaded.build().map(|built| cost::of(built.network(), built.wiring(), encodings));
    'search: for family in families(&loaded.experiment.network, found, worms, longest, tree_flits) {
        let mut outcomes = vec![try_family(loaded, under, &family, watcher)?];
        outcomes.extend(try_sure(loaded, under, &family, &outcomes[0], watcher)?);
        for outcomes in outcomes {
            match outcomes {
                Outcomes::Stopped(at) => {
                    tried.stopped_at = Some(at);
                    break 'search;
                }
                Outcomes::Nothing => {}
                Outcomes::Cure { change, sets, done } => {
                    let changed = under(loaded, &sets)?;
                    let (before, cost) = (cost(loaded)?, cost(&changed)?);
                    let frees = rules(&changed).map_or(Freed::These(Vec::new()), Freed::Any);
                    tried.cures.push(Cure { change, sets, done, frees, cost, before });
                }
                Outcomes::Vain(vain) => tried.vain.push(vain),
            }
        }
    }
    if tried.is_random && tried.stopped_at.is_none() {
        let unsure = tried.cures.iter_mut().filter_map(|cure| match &mut cure.frees {
            Freed::These(runs) => Some((&cure.sets[..], runs)),
            Freed::Any(_) => None,
        });
        tried.stopped_at_seeds = seeds::try_others(loaded, under, unsure.collect(), watcher)?;
    }
    let area = |cure: &Cure| cure.cost.network.ge;
    tried.cures.sort_by(|a, b| a.frees.rank().total_cmp(&b.frees.rank()).then(area(a).total_cmp(&area(b))));
    Ok(tried)
}

/// Rules by which worms of the same kind as in an experiment cannot deadlock.
fn rules(loaded: &Loaded) -> Option<Vec<Rule>> {
    let site = Site::of(loaded).ok()?;
    // A trace that is wrong, or a multicast without a plan, has no rules.
    Hazards::with_traces(loaded, &site).ok()?.rules()
}

/// Number of flits of the longest worm to several destinations; 0 where it is not known.
fn tree_flits(loaded: &Loaded) -> u32 {
    let site = Site::of(loaded).ok();
    site.and_then(|site| Hazards::with_traces(loaded, &site).ok().map(|hazards| hazards.longest())).unwrap_or(0)
}

/// Number of flits of the longest worm, including worms that the run did not create.
fn longest(loaded: &Loaded, worms: &[WormInfo]) -> Result<u32, ConfigError> {
    let built = loaded.build()?;
    let (network, wiring) = (built.network(), built.wiring());
    let of_message = |message: &Message| {
        let to: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
        let encoding = message.encoding.unwrap_or_default();
        crate::network::header_flits_to(network, wiring, encoding, NodeId(message.source), &to) + message.payload_flits
    };
    let mut longest = worms.iter().map(flits_of).max().unwrap_or(0);
    for entry in &loaded.experiment.workload {
        let of_entry = match entry {
            Workload::Messages(messages) => messages.iter().map(of_message).max(),
            Workload::Trace(name) => {
                // A run stops at a wrong line of a trace.
                let messages = TraceCsv::open(loaded, name)?.map_while(Result::ok);
                messages.map(|message| of_message(&message)).max()
            }
            Workload::Traffic(_)
            | Workload::Spmd(_)
            | Workload::Multicast(_)
            | Workload::Multicasts(_)
            | Workload::Stalls(_) => None,
        };
        longest = longest.max(of_entry.unwrap_or(0));
    }
    Ok(longest)
}

/// Changes to try in a network. `tree_flits` is the length of the longest worm to several
/// destinations.
fn families(network: &Network, found: &Deadlock, worms: &[WormInfo], longest: u32, tree_flits: u32) -> Vec<Family> {
    let switch = &network.switch;
    let copies = worms.iter().any(|worm| worm.destinations.len() > 1);
    let mut all = Vec::new();
    if copies && switch.acquisition == Acquisition::Incremental {
        all.push(Family::one("acquisition atomic", &["network.switch.acquisition=atomic"]));
    }
    if copies && network.blueprint().refuses_token_rings(network.routing()).is_none() && network.token_ring.is_none() {
        all.push(Family::one("token ring", &["network.token_ring=(hop_cycles: 1)"]));
    }
    if copies && switch.replication == Replication::Lockstep {
        all.push(Family::one("replication asynchronous", &["network.switch.replication=asynchronous"]));
    }
    if network.routing() == Routing::DimensionOrder && network.blueprint().routings().1.contains(&Routing::LabelOrder) {
        all.push(Family::one("routing label_order", &["network.routing=label_order"]));
    }
    let channels = switch.virtual_channels;
    if let Some(Safer { name, classes, set }) = network.blueprint().safer() {
        let even = channels.next_multiple_of(classes);
        let more = if even > channels { format!(", virtual_channels {channels} to {even}") } else { String::new() };
        // The channels come first, because each override is checked by itself.
        let wider = (even > channels).then(|| format!("network.switch.virtual_channels={even}"));
        let sets: Vec<String> = wider.into_iter().chain([set]).collect();
        all.push(Family::one(&format!("{name}{more}"), &sets));
        // Trees and paths need both.
        let sequential = switch.replication == Replication::Sequential;
        let how = if sequential { Replication::Sequential } else { Replication::Buffered };
        let depth = switch.fifo_depth;
        if let Some(sure) = whole_worms(network, tree_flits).filter(|&sure| sure > depth || how != switch.replication) {
            let deeper = if sure > depth { format!(", fifo_depth {depth} to {sure}") } else { String::new() };
            let whole = [format!("network.switch.fifo_depth={sure}"), format!("network.switch.replication={how}")];
            all.push(Family::one(
                &format!("{name}{more}, replication {how}{deeper}"),
                &[&whole[..], &sets[..]].concat(),
            ));
        }
    }
    let consume = network.node.consumption_channels;
    all.push(Family {
        sure: Some(arrivals(network).div_ceil(network.node_channels())).filter(|&all| all > consume),
        ..Family::many(
            (consume + 1, (consume + MOST_ADDED).max(arrivals(network))),
            move |from, to| added(from - consume, to - consume, "consumption channel"),
            |n| vec![format!("network.node.consumption_channels={n}")],
        )
    });
    let per_class = network.classes();
    all.push(Family {
        step: per_class,
        ..Family::many(
            (channels + per_class, channels + MOST_ADDED * per_class),
            move |from, to| added(from - channels, to - channels, "virtual channel"),
            |n| vec![format!("network.switch.virtual_channels={n}")],
        )
    });
    let dilation = switch.dilation;
    all.push(Family::many(
        (dilation + 1, dilation + MOST_ADDED),
        move |from, to| added(from - dilation, to - dilation, "parallel link"),
        |n| vec![format!("network.switch.dilation={n}")],
    ));
    all.extend(deeper(network, found, worms, longest, tree_flits));
    all
}

/// Deeper FIFOs, alone and for replication from them.
fn deeper(network: &Network, found: &Deadlock, worms: &[WormInfo], longest: u32, tree_flits: u32) -> Vec<Family> {
    let depth = network.switch.fifo_depth;
    let copies = worms.iter().any(|worm| worm.destinations.len() > 1);
    let members = found.cycle.iter().chain(&found.also).map(|member| member.worm);
    let flits: BTreeMap<WormId, u32> =
        members.filter_map(|id| worms.get(id.index()).map(|worm| (id, flits_of(worm)))).collect();
    // Beyond a depth that holds all worms side by side, nothing changes for them.
    let all = flits.values().fold(depth, |sum: u32, flits| sum.saturating_add(*flits)).min(65_535);
    let longest = longest.clamp(depth, 65_535);
    let depths = move |from: u32, to: u32| {
        let range = if from == to { String::new() } else { format!("{from} ... ") };
        format!("fifo_depth {depth} to {range}{to}")
    };
    let named = move |what: &str, from: u32, to: u32| {
        let deeper = if to == depth { String::new() } else { format!(", {}", depths(from, to)) };
        format!("replication {what}{deeper}")
    };
    let set = |n: u32| format!("network.switch.fifo_depth={n}");
    let sure = whole_worms(network, tree_flits);
    let more = Family::many((depth + 1, all.max(depth + 1)), depths, move |n| vec![set(n)]);
    let mut families = vec![Family { sure: sure.filter(|&sure| sure > depth), ..more }];
    for mode in [Replication::Buffered, Replication::Sequential] {
        if copies && network.switch.replication != mode {
            let values = (depth.max(1), longest);
            let replicated = Family::many(
                values,
                move |from, to| named(mode.name(), from, to),
                move |n| vec![set(n), format!("network.switch.replication={mode}")],
            );
            families.push(Family { sure, ..replicated });
        }
    }
    families
}

/// Depth of FIFOs that hold the longest worm to several destinations, if there are such worms and
/// FIFOs.
fn whole_worms(network: &Network, tree_flits: u32) -> Option<u32> {
    (1..=65_535).contains(&tree_flits).then_some(tree_flits.max(network.switch.fifo_depth))
}

fn flits_of(worm: &WormInfo) -> u32 {
    worm.header_flits + worm.payload_flits
}

/// `+1 virtual channel`, `+1 to +3 virtual channels`.
fn added(from: u32, to: u32, what: &str) -> String {
    let most = counted(to, what);
    if from == to { format!("+{most}") } else { format!("+{from} to +{most}") }
}

/// Result of a family.
enum Outcomes {
    Cure {
        change: String,
        sets: Vec<String>,
        done: u64,
    },
    Vain(Vain),
    /// No value of the field gives a valid network.
    Nothing,
    /// The watcher stopped the search at this change.
    Stopped(String),
}

/// Runs with one value of a family.
fn attempt(
    loaded: &Loaded,
    under: Under,
    family: &Family,
    value: u32,
    watcher: &mut impl Watcher,
) -> Result<Attempt, ConfigError> {
    watcher.begins(&format!("trying {}", (family.name)(value, value)));
    let Ok(changed) = under(loaded, &(family.sets)(value)) else { return Ok(Attempt::Refused) };
    if !watcher.admits(&changed) {
        return Ok(Attempt::Refused);
    }
    match run(&changed, watcher) {
        // Worms of a trace are checked when they come.
        Err(ConfigError::Invalid { .. }) => Ok(Attempt::Refused),
        ended => ended,
    }
}

/// Tries the value by which a rule frees any worms. The run is not needed if there is no such
/// value, or if the change that helped does so by a rule.
fn try_sure(
    loaded: &Loaded,
    under: Under,
    family: &Family,
    helps: &Outcomes,
    watcher: &mut impl Watcher,
) -> Result<Option<Outcomes>, ConfigError> {
    let Some(value) = family.sure else { return Ok(None) };
    let sets = (family.sets)(value);
    let is_known = |sets: &[String]| under(loaded, sets).is_ok_and(|changed| rules(&changed).is_some());
    let is_over = match helps {
        Outcomes::Stopped(_) => true,
        Outcomes::Cure { sets: found, .. } => *found == sets || is_known(found),
        Outcomes::Vain(_) | Outcomes::Nothing => false,
    };
    if is_over || !is_known(&sets) {
        return Ok(None);
    }
    let change = (family.name)(value, value);
    Ok(match attempt(loaded, under, family, value, watcher)? {
        Attempt::Stopped => Some(Outcomes::Stopped(change)),
        Attempt::Done(done) => Some(Outcomes::Cure { change, sets, done }),
        Attempt::Failed(_) | Attempt::Refused => None,
    })
}

/// Tries the values of a family. Few values are tried one by one. For many, the distance is doubled
/// and then halved.
fn try_family(
    loaded: &Loaded,
    under: Under,
    family: &Family,
    watcher: &mut impl Watcher,
) -> Result<Outcomes, ConfigError> {
    let (first, last) = family.values;
    let few = (last - first) / family.step < ONE_BY_ONE;
    let (mut value, mut helps, mut failed) = (first, None, Vec::new());
    // The largest value that does not help.
    let mut below = None;
    loop {
        match attempt(loaded, under, family, value, watcher)? {
            Attempt::Stopped => return Ok(Outcomes::Stopped((family.name)(value, value))),
            Attempt::Done(done) => {
                helps = Some((value, done));
                break;
            }
            Attempt::Failed(ending) => failed.push((value, ending)),
            Attempt::Refused => {}
        }
        below = Some(value);
        if value >= last {
            break;
        }
        let step = if few { family.step } else { (value - first).max(1) };
        value = value.saturating_add(step).min(last);
    }
    while let (false, Some((most, ..)), Some(least)) = (few, helps, below)
        && most - least > 1
    {
        let middle = u32::midpoint(least, most);
        match attempt(loaded, under, family, middle, watcher)? {
            Attempt::Stopped => return Ok(Outcomes::Stopped((family.name)(middle, middle))),
            Attempt::Done(done) => helps = Some((middle, done)),
            Attempt::Failed(_) | Attempt::Refused => below = Some(middle),
        }
    }
    if let Some((value, done)) = helps {
        return Ok(Outcomes::Cure { change: (family.name)(value, value), sets: (family.sets)(value), done });
    }
    let (Some((smallest, _)), Some((largest, _))) = (failed.first(), failed.last()) else {
        return Ok(Outcomes::Nothing);
    };
    let each = match (smallest == largest, few) {
        (true, _) => "",
        (false, true) => ", each",
        (false, false) => ", doubling",
    };
    let change = format!("{}{each}", (family.name)(*smallest, *largest));
    let runs = failed.iter().map(|&(value, ending)| ChangedRun { sets: (family.sets)(value), ending });
    Ok(Outcomes::Vain(Vain { change, runs: runs.collect() }))
}
