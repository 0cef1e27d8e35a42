//! All states of a network. A search asks for the states that can follow a state.
//!
//! *Problem.* A copy of an engine takes kilobytes, and a cycle of it microseconds. A search through
//! all injection times and all choices of arbiters meets many millions of states.
//!
//! *Mechanism.* The network is cut into its instances. A state of an instance is a number. A state
//! of the network is one number for each instance (the collapse compression of SPIN). The blocks of
//! `hw` evaluate each state of an instance once, with all choices of its arbiters. The results are
//! kept in tables. A cycle of the network is then a look-up for each instance, and one more for
//! what arrives from its neighbours.
//!
//! *Why it is sound.* An instance is a pure function of its registers and pins, and links have at
//! least one register. So the tables have no result that the plain engine does not compute, and
//! miss none. A test compares both.
//!
//! The numbers of worms and the indices of flits are left out of a state. No block decides by them,
//! so two states that differ in them alone are one state.

mod codec;
mod evaluate;
mod image;
mod kept;
mod numbers;
mod part;
mod symmetry;

use std::ops::Range;

use smallvec::SmallVec;
use wormscope_hw::{Arbiter, NodeId, SwitchId, WormId, switch, token_ring};
use wormscope_network::{Built, End};

use crate::event::{NewWorm, WormInfo};
use crate::reference::instances::{NodeInstance, SwitchInstance};
use crate::shape::Shape;
pub use part::Pick;
use part::{CAPTURED, RELEASED, StatePart};

/// Worms that nodes may send, at any time.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// Kinds of worms. Their cycles do not count.
    pub kinds: Vec<NewWorm>,
    /// Whether each of these worms is sent at most once. Then a node has at most 64.
    pub once: bool,
    /// Largest number of worms that all nodes send together.
    pub most: Option<u8>,
}

/// A token ring.
#[derive(Clone, Debug)]
struct TokenPlaces {
    stations: Vec<SwitchId>,
    fixed: token_ring::Params,
    /// Places of the token by number.
    places: Vec<token_ring::Reg>,
}

impl TokenPlaces {
    /// The number of a place.
    fn number(&mut self, place: token_ring::Reg) -> u32 {
        let known = self.places.iter().position(|&of| of == place);
        let number = known.unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        });
        number as u32
    }
}

/// The states of a network by number, and what follows from them.
#[derive(Clone, Debug)]
pub struct States {
    shape: Shape,
    /// Constants of the switches. An arbiter that may choose any input is a round robin one.
    switch: switch::Params,
    /// Whether arbiters choose by their registers. Otherwise any choice is tried.
    pointers: bool,
    once: bool,
    most: Option<u8>,
    /// Kinds of worms, by their sources, with their headers.
    kinds: Vec<(WormInfo, Vec<u64>)>,
    /// Place in the offer of each kind.
    offered: Vec<u32>,
    kinds_of: Vec<Range<u32>>,
    /// Instances at reset.
    switches: Vec<SwitchInstance>,
    nodes: Vec<NodeInstance>,
    to_come: Vec<u32>,
    /// Switches first, then nodes.
    parts: Vec<StatePart>,
    /// Parts that the outputs of a part arrive at.
    reaches: Vec<Vec<u32>>,
    rings: Vec<TokenPlaces>,
    /// Ring and place of the station of a switch.
    station: Vec<Option<(u32, u32)>>,
    symbols: numbers::Numbers,
    /// Symmetries of the network but for the identity; none if they are not used.
    symmetries: Vec<image::Symmetry>,
    /// Work space of a cycle.
    work: Work,
}

/// Work space of a cycle.
#[derive(Clone, Debug, Default)]
struct Work {
    spans: Vec<(u32, u32)>,
    /// Chosen alternative of each part.
    chosen: Vec<u32>,
    next: Vec<u32>,
    canonical: Vec<u32>,
    dirty: Vec<bool>,
    /// Parts with several alternatives.
    open: Vec<u32>,
}

/// A state that follows.
#[derive(Debug)]
pub struct Successor<'a> {
    /// The state.
    pub state: &'a [u32],
    /// The state that stands for it and for all of its images under the symmetries.
    pub canonical: &'a [u32],
    /// The alternatives that lead to it, for [`States::picks`].
    pub chosen: &'a [u32],
}

impl States {
    /// The states of a network, none of which is known yet. `any_choice` says whether arbiters may
    /// choose any input that asks. Otherwise they choose as they are built.
    #[must_use]
    pub fn new(built: &Built, offer: &Offer, any_choice: bool) -> Self {
        let shape = Shape::new(built, true);
        let rings: Vec<TokenPlaces> = shape
            .token_ring
            .iter()
            .flat_map(|ring| ring.groups.iter().map(move |of| (ring, of)))
            .map(|(ring, of)| TokenPlaces {
                stations: of.switches.clone(),
                fixed: token_ring::Params { stations: of.switches.len() as u32, hop_cycles: ring.hop_cycles },
                places: vec![token_ring::Reg::RESET],
            })
            .collect();
        let to_come = |s: u32| {
            let mut groups = shape.token_ring.iter().flat_map(|ring| &ring.groups);
            groups.find(|of| of.switches.contains(&SwitchId(s))).map_or(0, |of| of.to_come)
        };
        let to_come = (0..shape.switches).map(to_come).collect();
        let place = |s: u32| {
            let at = |ring: &TokenPlaces| ring.stations.iter().position(|switch| switch.0 == s);
            rings.iter().enumerate().find_map(|(r, ring)| Some((r, at(ring)?)))
        };
        let station: Vec<_> = (0..shape.switches).map(place).collect();
        let switches: Vec<_> = (0..shape.switches)
            .map(|s| SwitchInstance::reset(&shape, s, station[s as usize].map(|(r, at)| (r, at as u32))))
            .collect();
        let nodes: Vec<_> = (0..shape.nodes).map(|n| NodeInstance::reset(&shape, NodeId(n))).collect();
        let mut order: Vec<u32> = (0..offer.kinds.len() as u32).collect();
        order.sort_by_key(|&kind| offer.kinds[kind as usize].source);
        let kind = |&kind: &u32| {
            let info = shape.info(WormId(kind), &offer.kinds[kind as usize], true);
            let header = shape.header(&info);
            (info, header)
        };
        let kinds: Vec<_> = order.iter().map(kind).collect();
        let kinds_of = (0..shape.nodes).map(|n| {
            let place = |node: u32| kinds.partition_point(|(info, _)| info.source.0 < node) as u32;
            place(n)..place(n + 1)
        });
        let kinds_of = kinds_of.collect();
        let mut switch = shape.switch.clone();
        if any_choice && matches!(switch.arbiter, Arbiter::RrTree | Arbiter::Matrix) {
            switch.arbiter = Arbiter::RoundRobin;
        }
        let parts = feeds(&switches, &nodes);
        let mut reaches = vec![Vec::new(); parts.len()];
        for (to, part) in (0..).zip(&parts) {
            for &(from, _) in &part.feeds {
                if !reaches[from as usize].contains(&to) {
                    reaches[from as usize].push(to);
                }
            }
        }
        Self {
            pointers: !any_choice,
            once: offer.once,
            most: offer.most,
            offered: order,
            station: station.into_iter().map(|of| of.map(|(r, at)| (r as u32, at as u32))).collect(),
            symbols: numbers::Numbers::default(),
            symmetries: Vec::new(),
            work: Work::default(),
            switch,
            kinds,
            kinds_of,
            switches,
            nodes,
            to_come,
            parts,
            reaches,
            rings,
            shape,
        }
    }

    /// The empty network in cycle 0. It has a number for each switch, node and token ring. The last
    /// number is that of the worms that nodes may still send, if there is a limit.
    pub fn initial(&mut self) -> Vec<u32> {
        let mut state = self.reset();
        state.extend(self.rings.iter().map(|_| 0));
        state.extend(self.most.map(u32::from));
        state
    }

    /// Worms that are left to send in a state.
    fn budget(&self, state: &[u32]) -> u8 {
        if self.most.is_some() { state.last().map_or(0, |&left| left as u8) } else { u8::MAX }
    }

    /// Gives all states that can follow in one cycle. Returns whether the network is stuck: it has
    /// worms, and nothing moves any more unless a node sends another worm. The states may come more
    /// than once. No more come after `give` has returned false.
    pub fn successors(&mut self, state: &[u32], mut give: impl FnMut(Successor<'_>) -> bool) -> bool {
        let parts = self.parts.len();
        let mut work = std::mem::take(&mut self.work);
        let budget = self.budget(state);
        work.spans.clear();
        work.open.clear();
        for part in 0..parts {
            let token = self.token_is_here(state, part);
            let span = self.parts[part].evaluated(state[part], token);
            let span = span.unwrap_or_else(|| self.evaluate(part, state[part], token));
            if span.1 > 1 {
                work.open.push(part as u32);
            }
            work.spans.push(span);
        }
        work.chosen.clear();
        work.chosen.extend(work.spans.iter().map(|span| span.0));
        work.dirty.clear();
        work.dirty.resize(parts, true);
        work.next.clear();
        work.next.extend_from_slice(state);
        self.settle(state, &mut work, budget, 0);
        let stuck = self.is_stuck(state, &work.next);
        let mut goes_on = self.give(&mut work, &mut give);
        // All other combinations, like the digits of a number.
        let mut begun = 0_u8;
        'all: while goes_on {
            let mut digit = 0;
            loop {
                let Some(&part) = work.open.get(digit) else { break 'all };
                let at = part as usize;
                let (first, count) = work.spans[at];
                let was = self.parts[at].alternatives[work.chosen[at] as usize].begun;
                let mut to = work.chosen[at] + 1;
                let rest = budget - (begun - was);
                if to < first + count && self.parts[at].alternatives[to as usize].begun > rest {
                    // They are in the order of the worms that begin.
                    to = first + count;
                }
                let is_over = to == first + count;
                let to = if is_over { first } else { to };
                begun = begun - was + self.parts[at].alternatives[to as usize].begun;
                work.chosen[at] = to;
                work.dirty[at] = true;
                for &reached in &self.reaches[at] {
                    work.dirty[reached as usize] = true;
                }
                if !is_over {
                    break;
                }
                digit += 1;
            }
            self.settle(state, &mut work, budget, begun);
            goes_on = self.give(&mut work, &mut give);
        }
        self.work = work;
        stuck
    }

    /// Gives the state that was computed.
    fn give(&mut self, work: &mut Work, give: &mut impl FnMut(Successor<'_>) -> bool) -> bool {
        let Work { next, canonical, chosen, .. } = work;
        if self.symmetries.is_empty() {
            return give(Successor { state: next, canonical: next, chosen });
        }
        self.canonical(next, canonical);
        give(Successor { state: next, canonical, chosen })
    }

    /// Whether the token is at the station of a part in a state.
    fn token_is_here(&self, state: &[u32], part: usize) -> bool {
        let Some(Some((ring, place))) = self.station.get(part) else { return false };
        let at = state[self.parts.len() + *ring as usize];
        self.rings[*ring as usize].places[at as usize].is_at(*place)
    }

    /// Computes the parts of the next state whose alternatives changed, and the rings.
    fn settle(&mut self, state: &[u32], work: &mut Work, budget: u8, begun: u8) {
        for part in 0..self.parts.len() {
            if !std::mem::take(&mut work.dirty[part]) {
                continue;
            }
            let mid = self.parts[part].alternatives[work.chosen[part] as usize].mid;
            let mut arrivals: SmallVec<[u32; 24]> = SmallVec::new();
            let mut any = 0;
            for &(from, place) in &self.parts[part].feeds {
                let from_part = &self.parts[from as usize];
                let out = from_part.alternatives[work.chosen[from as usize] as usize].out;
                let signal = from_part.signal(out, place);
                any |= signal;
                arrivals.push(signal);
            }
            let arrival = if any == 0 { 0 } else { self.parts[part].arrival(&arrivals) };
            let next = self.parts[part].next(mid, arrival);
            work.next[part] = next.unwrap_or_else(|| {
                let next = self.clock_edge(part, mid, &arrivals);
                self.parts[part].note_next(mid, arrival, next);
                next
            });
        }
        let first = self.parts.len();
        for (r, ring) in self.rings.iter_mut().enumerate() {
            let events = ring.stations.iter().fold(0, |events, station| {
                let part = &self.parts[station.index()];
                events | part.events(part.alternatives[work.chosen[station.index()] as usize].out)
            });
            let (captured, released) = (events & CAPTURED != 0, events & RELEASED != 0);
            let pins = token_ring::In { captured, released, held_back: 0 };
            let next = token_ring::eval(ring.fixed, pins, ring.places[state[first + r] as usize]);
            work.next[first + r] = ring.number(next);
        }
        if self.most.is_some()
            && let Some(left) = work.next.last_mut()
        {
            *left = u32::from(budget - begun);
        }
    }

    /// Whether worms are under way, and a cycle without new worms changes nothing but the place of
    /// tokens that nobody waits for.
    fn is_stuck(&self, state: &[u32], next: &[u32]) -> bool {
        let parts = self.parts.len();
        if state[..parts] != next[..parts] || self.is_empty(state) {
            return false;
        }
        self.rings.iter().enumerate().all(|(r, ring)| {
            let at = ring.places[state[parts + r] as usize];
            let waits = |of: &SwitchId| self.parts[of.index()].facts[state[of.index()] as usize].waits;
            matches!(at, token_ring::Reg::Held(_)) || !ring.stations.iter().any(waits)
        })
    }

    /// Whether no worm is under way in a state.
    #[must_use]
    pub fn is_empty(&self, state: &[u32]) -> bool {
        self.parts.iter().zip(state).all(|(part, &local)| part.facts[local as usize].idle)
    }

    /// The choices that lead to a successor, each with its part: switches first, then nodes. Kinds
    /// of worms have their places in the offer.
    #[must_use]
    pub fn picks(&self, chosen: &[u32]) -> Vec<(u32, Pick)> {
        let picks = (0..).zip(chosen).zip(&self.parts).flat_map(|((part, &chosen), tables)| {
            let all = tables.alternatives[chosen as usize].picks.iter();
            all.map(move |&pick| match pick {
                Pick::Begin(kind) => (part, Pick::Begin(self.offered[kind as usize])),
                pick => (part, pick),
            })
        });
        picks.collect()
    }

    /// Numbers of a state.
    #[must_use]
    pub fn width(&self) -> usize {
        self.parts.len() + self.rings.len() + usize::from(self.most.is_some())
    }

    /// States of single instances that are known.
    #[must_use]
    pub fn known(&self) -> usize {
        self.parts.iter().map(|part| part.locals.len()).sum()
    }

    /// Bytes of memory that the tables take, about.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.symbols.memory() + self.parts.iter().map(StatePart::memory).sum::<usize>()
    }
}

/// The parts with empty tables, and what arrives at each: flits first, then credits.
fn feeds(switches: &[SwitchInstance], nodes: &[NodeInstance]) -> Vec<StatePart> {
    let count = switches.len();
    let flit = |&(from, lane): &(End, u8)| match from {
        End::Switch(s, _) => (s.0, u32::from(lane)),
        End::Node(n) => ((count + n.index()) as u32, u32::from(lane)),
    };
    let credit = |&(from, lane): &(End, u8)| match from {
        End::Switch(s, _) => (s.0, switches[s.index()].q.outputs.len() as u32 + u32::from(lane)),
        End::Node(n) => ((count + n.index()) as u32, nodes[n.index()].q.injections.len() as u32 + u32::from(lane)),
    };
    let of_switch = |at: &SwitchInstance| {
        let flits = at.flits.iter().flatten().map(|wire| flit(&wire.from));
        flits.chain(at.credits.iter().flatten().map(|wire| credit(&wire.from))).collect()
    };
    let of_node = |at: &NodeInstance| {
        let flits = at.flits.iter().map(|wire| flit(&wire.from));
        flits.chain(at.credits.iter().map(|wire| credit(&wire.from))).collect()
    };
    let all = switches.iter().map(of_switch).chain(nodes.iter().map(of_node));
    all.map(StatePart::fed_by).collect()
}
