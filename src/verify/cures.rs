//! Changes of a configuration that may remove a deadlock, each of them really run.
//!
//! A change is a list of overrides as the command line has them, so that what is reported is what was run and what a reader can run
//! again. Of a parameter that grows, the smallest value that helps is searched for.

use std::collections::BTreeMap;

use wormscope_hw::WormId;

use super::deadlock::Deadlock;
use crate::config::{self, Acquisition, ConfigError, Loaded, Network, Replication, Routing, Topology};
use crate::engine::{Observer, Outcome, WormInfo};
use crate::simulation::{Simulation, Site};

/// Most values of a parameter that are tried one by one.
const ONE_BY_ONE: u32 = 64;
/// Most channels or links that are added.
const MOST_ADDED: u32 = 3;

/// A change that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cure {
    /// What was changed: `fifo_depth 4 to 17`, `acquisition atomic`. Where no value helped, all that were tried.
    pub change: String,
    /// Overrides that make the change; where several values were tried in vain, those of the last.
    pub sets: Vec<String>,
    /// How the run then ended.
    pub ending: Ending,
    /// Bits of all input FIFOs together, then and before.
    pub fifo_bits: (u64, u64),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything has arrived after this many cycles.
    Done(u64),
    /// A deadlock that is final at this cycle.
    Deadlock(u64),
    /// It was not over after this many cycles.
    CycleLimit(u64),
}

impl Cure {
    /// Whether it removes the deadlock.
    #[must_use]
    pub fn helps(&self) -> bool {
        matches!(self.ending, Ending::Done(_))
    }
}

/// A parameter and the values that are tried, in ascending order, until one helps.
struct Family {
    /// What a change to a value is called, or the changes to all from one to another.
    name: Box<dyn Fn(u32, u32) -> String>,
    sets: Box<dyn Fn(u32) -> Vec<String>>,
    /// First and last value.
    values: (u32, u32),
    /// Distance of the values.
    step: u32,
}

impl Family {
    /// A single change.
    fn one(name: &str, sets: &[&str]) -> Self {
        let (name, sets) = (name.to_owned(), sets.iter().map(ToString::to_string).collect::<Vec<_>>());
        Self {
            name: Box::new(move |_, _| name.clone()),
            sets: Box::new(move |_| sets.clone()),
            values: (0, 0),
            step: 1,
        }
    }

    fn many(
        values: (u32, u32),
        name: impl Fn(u32, u32) -> String + 'static,
        sets: impl Fn(u32) -> Vec<String> + 'static,
    ) -> Self {
        Self { name: Box::new(name), sets: Box::new(sets), values, step: 1 }
    }
}

/// Tries what may remove the deadlock that `loaded` ends in; `worms` are those its run created. Changes that help come first, those that
/// take the fewest FIFO bits in front. `None` when `watcher` stopped a run.
///
/// # Errors
/// When a trace cannot be read again.
pub fn search(
    loaded: &Loaded,
    found: &Deadlock,
    worms: &[WormInfo],
    watcher: &mut impl Observer,
) -> Result<Option<Vec<Cure>>, ConfigError> {
    let mut cures = Vec::new();
    for family in families(&loaded.experiment.network, found, worms) {
        match try_family(loaded, &family, watcher)? {
            Tried::Stopped => return Ok(None),
            Tried::Nothing => {}
            Tried::Cure(cure) => cures.push(cure),
        }
    }
    cures.sort_by_key(|cure| if cure.helps() { (false, cure.fifo_bits.0) } else { (true, 0) });
    Ok(Some(cures))
}

/// What there is to be tried in a network.
fn families(network: &Network, found: &Deadlock, worms: &[WormInfo]) -> Vec<Family> {
    let switch = &network.switch;
    let copies = worms.iter().any(|worm| worm.destinations.len() > 1);
    let mut all = Vec::new();
    if copies && switch.acquisition == Acquisition::Incremental {
        all.push(Family::one("acquisition atomic", &["network.switch.acquisition=atomic"]));
    }
    if copies && network.stages().is_some() && network.token_ring.is_none() {
        all.push(Family::one("token ring", &["network.token_ring=(hop_cycles: 1)"]));
    }
    if copies && switch.replication == Replication::Lockstep {
        all.push(Family::one("replication asynchronous", &["network.switch.replication=asynchronous"]));
    }
    if let Topology::Mesh { radices } = &network.topology
        && (2..=3).contains(&radices.len())
        && network.routing() == Routing::DimensionOrder
    {
        all.push(Family::one("routing label_order", &["network.routing=label_order"]));
    }
    let channels = switch.virtual_channels;
    if let Topology::Torus { radices, datelines: false } = &network.topology {
        let even = channels.next_multiple_of(2);
        let more = if even > channels { format!(", virtual_channels {channels} to {even}") } else { String::new() };
        all.push(Family::one(
            &format!("datelines{more}"),
            // First the channels: each override is checked by itself.
            &[
                &format!("network.switch.virtual_channels={even}"),
                &format!("network.topology=torus(radices: {radices:?}, datelines: true)"),
            ],
        ));
    }
    let consume = network.node.consumption_channels;
    all.push(Family::many(
        (consume + 1, (consume + MOST_ADDED).max(arrivals(network))),
        move |from, to| added(from - consume, to - consume, "consumption channel"),
        |n| vec![format!("network.node.consumption_channels={n}")],
    ));
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
    all.extend(deeper(network, found, worms, copies));
    all
}

/// Ways on which worms can come to a node's switch.
fn arrivals(network: &Network) -> u32 {
    let links = match network.stages() {
        Some((ports, _)) => ports,
        None => 2 * network.radices().len() as u32,
    };
    links * network.switch.dilation * network.switch.virtual_channels
}

/// Deeper FIFOs, alone and for replication out of them.
fn deeper(network: &Network, found: &Deadlock, worms: &[WormInfo], copies: bool) -> Vec<Family> {
    let depth = network.switch.fifo_depth;
    let members = found.cycle.iter().chain(&found.also).map(|member| member.worm);
    let flits = |worm: &WormInfo| worm.header_flits + worm.payload_flits;
    let flits: BTreeMap<WormId, u32> =
        members.filter_map(|id| worms.get(id.index()).map(|worm| (id, flits(worm)))).collect();
    // Beyond what holds all of them side by side nothing changes for them.
    let all = flits.values().fold(depth, |sum: u32, flits| sum.saturating_add(*flits)).min(65_535);
    let longest = worms.iter().map(flits_of).max().unwrap_or(depth).max(depth).min(65_535);
    let depths = move |from: u32, to: u32| {
        let range = if from == to { String::new() } else { format!("{from} ... ") };
        format!("fifo_depth {depth} to {range}{to}")
    };
    let named = move |what: &str, from: u32, to: u32| {
        let deeper = if to == depth { String::new() } else { format!(", {}", depths(from, to)) };
        format!("replication {what}{deeper}")
    };
    let set = |n: u32| format!("network.switch.fifo_depth={n}");
    let mut families = vec![Family::many((depth + 1, all.max(depth + 1)), depths, move |n| vec![set(n)])];
    for (mode, name) in [(Replication::Buffered, "buffered"), (Replication::Sequential, "sequential")] {
        if copies && network.switch.replication != mode {
            let values = (depth.max(1), longest);
            families.push(Family::many(
                values,
                move |from, to| named(name, from, to),
                move |n| vec![set(n), format!("network.switch.replication={name}")],
            ));
        }
    }
    families
}

fn flits_of(worm: &WormInfo) -> u32 {
    worm.header_flits + worm.payload_flits
}

/// `+1 virtual channel`, `+1 to +3 virtual channels`.
fn added(from: u32, to: u32, what: &str) -> String {
    let plural = if to == 1 { "" } else { "s" };
    if from == to { format!("+{to} {what}{plural}") } else { format!("+{from} to +{to} {what}{plural}") }
}

/// What became of a family.
enum Tried {
    Cure(Cure),
    /// No value of it can be built.
    Nothing,
    Stopped,
}

/// What became of one value.
enum Attempt {
    /// The run ended so, with these bits of FIFOs.
    Ended(Ending, u64),
    /// A network that cannot be built.
    Refused,
    Stopped,
}

/// Runs with one value of a family.
fn attempt(loaded: &Loaded, family: &Family, value: u32, watcher: &mut impl Observer) -> Result<Attempt, ConfigError> {
    let Ok(changed) = config::under(loaded, &(family.sets)(value)) else { return Ok(Attempt::Refused) };
    let bits = changed.experiment.network.fifo_bits();
    Ok(ending(&changed, watcher)?.map_or(Attempt::Stopped, |ending| Attempt::Ended(ending, bits)))
}

/// Tries a family's values: one by one where they are few, else doubling the distance and then halving it.
fn try_family(loaded: &Loaded, family: &Family, watcher: &mut impl Observer) -> Result<Tried, ConfigError> {
    let (first, last) = family.values;
    let few = (last - first) / family.step < ONE_BY_ONE;
    let (mut value, mut helps, mut failed) = (first, None, Vec::new());
    loop {
        match attempt(loaded, family, value, watcher)? {
            Attempt::Stopped => return Ok(Tried::Stopped),
            Attempt::Ended(ending @ Ending::Done(_), bits) => {
                helps = Some((value, ending, bits));
                break;
            }
            Attempt::Ended(ending, _) => failed.push((value, ending)),
            Attempt::Refused => {}
        }
        if value >= last {
            break;
        }
        let step = if few { family.step } else { (value - first).max(1) };
        value = value.saturating_add(step).min(last);
    }
    // Between the last that does not help and the first that does.
    while let (false, Some((most, ..)), Some(&(least, _))) = (few, helps, failed.last())
        && most - least > 1
    {
        let middle = u32::midpoint(least, most);
        match attempt(loaded, family, middle, watcher)? {
            Attempt::Stopped => return Ok(Tried::Stopped),
            Attempt::Ended(ending @ Ending::Done(_), bits) => helps = Some((middle, ending, bits)),
            Attempt::Ended(ending, _) => failed.push((middle, ending)),
            Attempt::Refused => break,
        }
    }
    let before = loaded.experiment.network.fifo_bits();
    if let Some((value, ending, bits)) = helps {
        let change = (family.name)(value, value);
        return Ok(Tried::Cure(Cure { change, sets: (family.sets)(value), ending, fifo_bits: (bits, before) }));
    }
    let Some(&(largest, ending)) = failed.last() else { return Ok(Tried::Nothing) };
    let smallest = failed.first().map_or(largest, |(value, _)| *value);
    let each = match (smallest == largest, few) {
        (true, _) => "",
        (false, true) => ", each",
        (false, false) => ", doubling",
    };
    let change = format!("{}{each}", (family.name)(smallest, largest));
    Ok(Tried::Cure(Cure { change, sets: (family.sets)(largest), ending, fifo_bits: (before, before) }))
}

/// Runs an experiment to its end; `None` when the watcher stopped it.
fn ending(loaded: &Loaded, watcher: &mut impl Observer) -> Result<Option<Ending>, ConfigError> {
    let mut simulation = Simulation::new(loaded, &Site::new(&loaded.experiment))?;
    let outcome = simulation.run(watcher, |_| ())?;
    let cycles = simulation.engine.now();
    Ok(match outcome {
        Outcome::Done => Some(Ending::Done(cycles)),
        Outcome::CycleLimit => Some(Ending::CycleLimit(cycles)),
        Outcome::Deadlock(deadlock) => Some(Ending::Deadlock(deadlock.final_cycle)),
        Outcome::Stopped => None,
    })
}
