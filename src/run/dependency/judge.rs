//! Static part of the verdict: proofs that no worms can deadlock, or the worms that may.

use wormscope_hw::header::Way;
use wormscope_hw::{NodeId, Replication};

use super::channels::Channels;
use super::counted::{self, Counted, Wait};
use super::graph::{Cycles, WaitCause, WaitPlace, Waits};
use super::spread::{WormShape, WormSpread};
use super::together::{self, Together};
use crate::experiment::{Loaded, Message, Workload};
use crate::input::ConfigError;
use crate::network::channel::CyclePlace;
use crate::network::routing::Labels;
use crate::site::Site;
use crate::workload::{Allowed, Drawable, Ordered, Targets};

/// Largest number of worms that are counted one by one.
const MOST_COUNTED: usize = 4096;

/// Largest number of combinations of routes of trees that are counted one by one.
const MOST_ROUTES: usize = 64;

/// Proof that no worms of a workload can deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No node sends a worm.
    Nothing,
    /// An order of all places in which each wait leads to an earlier place.
    Order(Vec<WaitPlace>),
    /// Worms with the order in which their waits were removed.
    Counted(Vec<WormShape>, Vec<Wait>),
    /// The waits were removed for each choice of the trees among equivalent ports.
    CountedByRoute,
    /// No state of several worms has a wait.
    Together,
    /// Token rings.
    TokenRings,
    /// Synchronous worms.
    SynchronousWorms,
    /// All orders of the creation of the worms were run, so many runs.
    AllSchedules(u64),
    /// All states of the network were visited, so many states.
    AllStates(u64),
}

/// Result of the static part.
pub enum StaticFound {
    /// No worms can deadlock.
    Free(Proof),
    /// Worms may wait for each other.
    Cycles(Cycles),
    /// The question is too large.
    TooLarge(&'static str),
}

/// The worms of an experiment and its network.
pub struct SafetyQuestion<'a> {
    /// The experiment.
    pub loaded: &'a Loaded,
    /// Network of the experiment.
    pub site: &'a Site,
    /// Channels of the network.
    pub channels: Channels<'a>,
    /// The worms that the experiment allows.
    pub allowed: Allowed,
    /// The shapes of the given worms.
    pub given: Vec<WormShape>,
}

/// Shape of a given worm. A tree has only the order of node numbers.
pub fn shape(message: &Message) -> WormShape {
    let encoding = message.encoding.unwrap_or_default();
    let mut to: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
    if encoding.way() == Way::Tree {
        to.sort_unstable();
    }
    WormShape { source: NodeId(message.source), to, encoding, payload_flits: message.payload_flits }
}

impl<'a> SafetyQuestion<'a> {
    /// The question of an experiment. `None` if the network has too many channels.
    ///
    /// # Errors
    /// A trace is wrong, or an algorithm makes no plan.
    pub fn new(loaded: &'a Loaded, site: &'a Site) -> Result<Option<Self>, ConfigError> {
        let Some(channels) = Channels::of(site) else { return Ok(None) };
        let allowed = Allowed::of(loaded, site)?;
        let given = allowed.given.iter().map(shape).collect();
        Ok(Some(Self { loaded, site, channels, allowed, given }))
    }

    /// The given worms, without the classes that they are measured with.
    pub fn plain(&self) -> Vec<Message> {
        self.allowed.given.iter().map(|message| Message { class: None, ..message.clone() }).collect()
    }

    /// Whether a worm may have several branches.
    fn has_trees(&self) -> bool {
        let drawn = |kind: &Drawable| {
            let several = |targets: &Targets| match targets {
                Targets::One(_) => false,
                Targets::All(nodes) => nodes.len() > 1,
                Targets::Some { count, .. } => count[1] > 1,
            };
            kind.encoding.way() == Way::Tree && kind.sources.iter().any(|(_, targets)| several(targets))
        };
        self.given.iter().any(|worm| worm.encoding.way() == Way::Tree && worm.to.len() > 1)
            || self.allowed.drawn.iter().any(drawn)
    }

    /// Whether no part of the network is stalled.
    pub fn is_steady(&self) -> bool {
        !self.loaded.experiment.workload.iter().any(|entry| matches!(entry, Workload::Stalls(_)))
    }

    /// Looks for a proof, else for the worms that may wait for each other.
    pub fn search(&self, most_waits: u64, steps: u64, stop: &dyn Fn() -> bool) -> StaticFound {
        let network = &self.loaded.experiment.network;
        let sends = |kind: &Drawable| kind.sources.iter().any(|(_, targets)| !targets.is_empty());
        if self.given.is_empty() && !self.allowed.drawn.iter().any(sends) {
            return StaticFound::Free(Proof::Nothing);
        }
        if network.switch.replication == Replication::Synchronous {
            return StaticFound::Free(Proof::SynchronousWorms);
        }
        // The rule does not hold for a release or a span that the user sets.
        if network.token_ring.is_some_and(|ring| ring.is_published()) && self.has_trees() {
            return StaticFound::Free(Proof::TokenRings);
        }
        let mut waits = Waits::none(&self.channels, most_waits);
        let mut spreads = Vec::new();
        for (number, worm) in self.given.iter().enumerate() {
            let Some(spread) = WormSpread::of(&self.channels, worm) else { return TOO_LONG };
            if !waits.add(&spread, |_| WaitCause::Given(number)) {
                return TOO_MANY;
            }
            spreads.push(spread);
        }
        for (number, kind) in self.allowed.drawn.iter().enumerate() {
            if !waits.add_drawn(number, kind, stop) {
                return if stop() { STOPPED } else { TOO_MANY };
            }
        }
        let cycles = match waits.order() {
            Ok(order) => return StaticFound::Free(Proof::Order(order)),
            Err(cycles) => *cycles,
        };
        drop(waits);
        let Some((worms, again)) = self.counted(&mut spreads, most_waits) else { return StaticFound::Cycles(cycles) };
        match counted::search(&self.channels, &spreads, &again) {
            Counted::Free(removed) => StaticFound::Free(Proof::Counted(worms, removed)),
            Counted::Left(..) if self.is_free_by_route(&spreads, &again) => StaticFound::Free(Proof::CountedByRoute),
            Counted::Left(mut removal) => {
                match together::search(&mut removal, (&worms, &spreads), self.is_steady(), steps) {
                    Together::Free => StaticFound::Free(Proof::Together),
                    Together::Meetings(meetings) => {
                        let left = removal.worms().into_iter().filter(|&worm| worm < self.given.len()).collect();
                        StaticFound::Cycles(Cycles { left, meetings, worms, ..cycles })
                    }
                }
            }
            Counted::TooMany => StaticFound::Cycles(cycles),
        }
    }

    /// Whether a count removes every wait for each choice of the given trees among equivalent
    /// ports. A tree has only one of its routes at a time.
    fn is_free_by_route(&self, spreads: &[WormSpread], again: &[bool]) -> bool {
        let mut all = vec![spreads.to_vec()];
        for (number, worm) in self.given.iter().enumerate() {
            if worm.encoding.way() != Way::Tree || worm.to.len() < 2 {
                continue;
            }
            let Some(routes) = spreads[number].routes(MOST_ROUTES / all.len()) else { return false };
            let with = |spreads: &Vec<WormSpread>| -> Vec<Vec<WormSpread>> {
                let one = |route: &WormSpread| {
                    let mut spreads = spreads.clone();
                    spreads[number] = route.clone();
                    spreads
                };
                routes.iter().map(one).collect()
            };
            all = all.iter().flat_map(with).collect();
        }
        all.len() > 1 && all.iter().all(|of| matches!(counted::search(&self.channels, of, again), Counted::Free(_)))
    }

    /// All worms one by one, and whether each may come again. `None` if they are too many.
    pub fn counted(&self, spreads: &mut Vec<WormSpread>, most_waits: u64) -> Option<(Vec<WormShape>, Vec<bool>)> {
        let most = MOST_COUNTED.min((most_waits / 250) as usize);
        let mut worms = self.given.clone();
        let mut again = vec![false; worms.len()];
        for kind in &self.allowed.drawn {
            for (source, targets) in &kind.sources {
                let sets: Vec<Vec<NodeId>> = match targets {
                    Targets::One(nodes) => nodes.iter().map(|&node| vec![node]).collect(),
                    Targets::All(nodes) => vec![nodes.clone()],
                    Targets::Some { among, count, ordered } => {
                        self.sets(*source, among, *count, (kind.encoding.way() == Way::Path).then_some(*ordered), most)?
                    }
                };
                for to in sets {
                    for payload_flits in payloads(kind)? {
                        let worm =
                            WormShape { source: *source, to: to.clone(), encoding: kind.encoding, payload_flits };
                        spreads.push(WormSpread::of(&self.channels, &worm)?);
                        worms.push(worm);
                        again.push(true);
                    }
                    if worms.len() > most {
                        return None;
                    }
                }
            }
        }
        (worms.len() <= most).then_some((worms, again))
    }

    /// All sets of destinations that a source draws, in header order. A path worm may also go to a
    /// part of them. `None` if they are more than `most`.
    fn sets(
        &self,
        source: NodeId,
        among: &[NodeId],
        [least, most_of]: [u32; 2],
        path: Option<Ordered>,
        most: usize,
    ) -> Option<Vec<Vec<NodeId>>> {
        const MOST_AMONG: usize = 12;
        if among.len() > MOST_AMONG {
            return None;
        }
        let labels = self.channels.wiring().grid().and_then(Labels::new);
        let label = |node: NodeId| labels.as_ref().map_or(node.0, |labels| labels.label(node));
        let least = if path.is_some() { 1 } else { least };
        let mut sets = Vec::new();
        for chosen in (1_u32..1 << among.len()).filter(|chosen| (least..=most_of).contains(&chosen.count_ones())) {
            let mut set: Vec<NodeId> =
                (0..among.len()).filter(|at| chosen >> at & 1 != 0).map(|at| among[at]).collect();
            set.sort_unstable();
            match path {
                Some(Ordered::Any) => orders(&mut set, 0, &mut sets),
                Some(Ordered::Labels) => {
                    set.sort_unstable_by_key(|&node| label(node));
                    let rises = set.iter().filter(|&&node| label(node) > label(source)).count();
                    if rises == 0 {
                        set.reverse();
                    }
                    if rises == 0 || rises == set.len() {
                        sets.push(set);
                    }
                }
                Some(Ordered::Numbers) | None => sets.push(set),
            }
            if sets.len() > most {
                return None;
            }
        }
        Some(sets)
    }

    /// A place with its name and its lanes.
    pub fn place(&self, place: WaitPlace) -> CyclePlace {
        let (channel, name) = (place.channel(), self.channels.name(place.channel()));
        match place {
            WaitPlace::Lane(_) => CyclePlace { name, lanes: self.channels.lanes_of(channel, true), is_fifo: false },
            WaitPlace::Fifo(_) => {
                let name = format!("FIFO after {name}");
                CyclePlace { name, lanes: self.channels.lanes_of(channel, false), is_fifo: true }
            }
        }
    }

    /// Cycles after the last arrival within which all credits are back.
    pub fn settling(&self) -> u64 {
        let network = &self.loaded.experiment.network;
        let links = [network.link, network.node.injection_link, network.node.consumption_link];
        let delays = links.iter().map(|link| u64::from(link.link_cycles + link.credit_cycles));
        2 + delays.sum::<u64>() + u64::from(network.switch.crossbar_cycles) + u64::from(network.node.startup_cycles)
    }
}

/// Adds all orders of the nodes of a set from a place on.
fn orders(set: &mut [NodeId], from: usize, all: &mut Vec<Vec<NodeId>>) {
    if from + 1 >= set.len() {
        all.push(set.to_vec());
    }
    for at in from..set.len() {
        if from + 1 < set.len() {
            set.swap(from, at);
            orders(set, from + 1, all);
            set.swap(from, at);
        }
    }
}

/// Lengths of the worms of an entry, if they are few.
fn payloads(kind: &Drawable) -> Option<std::ops::RangeInclusive<u32>> {
    const MOST_LENGTHS: u32 = 8;
    let [least, most] = kind.payload_flits;
    (most - least < MOST_LENGTHS).then_some(least..=most)
}

const TOO_LONG: StaticFound = StaticFound::TooLarge("a worm has too many possible routes");
const STOPPED: StaticFound = StaticFound::TooLarge("the search was interrupted");
const TOO_MANY: StaticFound = StaticFound::TooLarge("the worms have too many waits to list");
