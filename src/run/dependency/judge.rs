//! Static part of the verdict: proofs that no worms can deadlock, or the worms that may.

use wormscope_hw::header::Way;
use wormscope_hw::{NodeId, Replication};

use super::channels::Channels;
use super::counted::{self, Counted, Wait};
use super::graph::{Cycles, WaitCause, WaitPlace, Waits};
use super::spread::{WormShape, WormSpread};
use crate::experiment::{Loaded, Message};
use crate::input::ConfigError;
use crate::site::Site;
use crate::workload::{Allowed, Drawable, Targets};

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
    /// Token rings.
    TokenRings,
    /// Synchronous worms.
    SynchronousWorms,
    /// All orders of the creation of the worms were run, so many runs.
    AllSchedules(u64),
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

    /// Looks for a proof, else for the worms that may wait for each other.
    pub fn search(&self) -> StaticFound {
        let network = &self.loaded.experiment.network;
        let sends = |kind: &Drawable| kind.sources.iter().any(|(_, targets)| !targets.is_empty());
        if self.given.is_empty() && !self.allowed.drawn.iter().any(sends) {
            return StaticFound::Free(Proof::Nothing);
        }
        if network.switch.replication == Replication::Synchronous {
            return StaticFound::Free(Proof::SynchronousWorms);
        }
        // The rule holds for the published release, not for a number of flits that the user sets.
        if network.token_ring.as_ref().is_some_and(|ring| ring.release_flits.is_none()) && self.has_trees() {
            return StaticFound::Free(Proof::TokenRings);
        }
        let mut waits = Waits::none(&self.channels);
        let mut spreads = Vec::new();
        for (number, worm) in self.given.iter().enumerate() {
            let Some(spread) = WormSpread::of(&self.channels, worm) else { return TOO_LONG };
            if !waits.add(&spread, |_| WaitCause::Given(number)) {
                return TOO_MANY;
            }
            spreads.push(spread);
        }
        for (number, kind) in self.allowed.drawn.iter().enumerate() {
            if !waits.add_drawn(number, kind) {
                return TOO_MANY;
            }
        }
        let cycles = match waits.order() {
            Ok(order) => return StaticFound::Free(Proof::Order(order)),
            Err(cycles) => cycles,
        };
        drop(waits);
        let Some((worms, again)) = self.counted(&mut spreads) else { return StaticFound::Cycles(cycles) };
        match counted::search(&self.channels, &spreads, &again) {
            Counted::Free(removed) => StaticFound::Free(Proof::Counted(worms, removed)),
            Counted::Left if self.is_free_by_route(&spreads, &again) => StaticFound::Free(Proof::CountedByRoute),
            Counted::Left | Counted::TooMany => StaticFound::Cycles(cycles),
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

    /// All worms one by one, and whether each may come again. `None` if they are too many, or if
    /// the workload draws sets of any nodes.
    fn counted(&self, spreads: &mut Vec<WormSpread>) -> Option<(Vec<WormShape>, Vec<bool>)> {
        let mut worms = self.given.clone();
        let mut again = vec![false; worms.len()];
        for kind in &self.allowed.drawn {
            for (source, targets) in &kind.sources {
                let sets: Vec<Vec<NodeId>> = match targets {
                    Targets::One(nodes) => nodes.iter().map(|&node| vec![node]).collect(),
                    Targets::All(nodes) => vec![nodes.clone()],
                    Targets::Some { .. } => return None,
                };
                for to in sets {
                    for payload_flits in payloads(kind)? {
                        let worm =
                            WormShape { source: *source, to: to.clone(), encoding: kind.encoding, payload_flits };
                        spreads.push(WormSpread::of(&self.channels, &worm)?);
                        worms.push(worm);
                        again.push(true);
                    }
                    if worms.len() > MOST_COUNTED {
                        return None;
                    }
                }
            }
        }
        (worms.len() <= MOST_COUNTED).then_some((worms, again))
    }

    /// Name of a place: its lanes, or the FIFOs after them.
    pub fn name(&self, place: WaitPlace) -> String {
        match place {
            WaitPlace::Lane(channel) => self.channels.name(channel),
            WaitPlace::Fifo(channel) => format!("FIFO after {}", self.channels.name(channel)),
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

/// Lengths of the worms of an entry, if they are few.
fn payloads(kind: &Drawable) -> Option<std::ops::RangeInclusive<u32>> {
    const MOST_LENGTHS: u32 = 8;
    let [least, most] = kind.payload_flits;
    (most - least < MOST_LENGTHS).then_some(least..=most)
}

const TOO_LONG: StaticFound = StaticFound::TooLarge("a worm has too many possible routes");
const TOO_MANY: StaticFound = StaticFound::TooLarge("the worms have too many waits to list");
