//! Symmetries of a network: ways to swap its switches, nodes and lanes that no block can tell.
//!
//! *Problem.* A mesh of 2x2 switches has four mirror images of nearly every state. A search that
//! visits one of them visits all.
//!
//! *Mechanism.* The network is a graph of nodes, switches and lanes. Each automorphism of the graph
//! is a candidate. It counts if it maps the routing, the masks of bit-strings, the lane groups, the
//! token rings and the offered worms to themselves. All symmetries together are a group, so the
//! smallest image of a state stands for all of its images. The image of a part's state is computed
//! once and kept in a table.
//!
//! *Why it is sound.* A symmetry maps each step of the network to a step. So a state leads to a
//! deadlock if and only if its image does. Some hardware prefers a lane by its number: arbiters as
//! they are built, fixed priority, atomic acquisition and sequential replication. A search with
//! these uses no symmetries, and none with encodings but unicast and bit-string. A test compares
//! the numbers of states.

use std::cell::Cell;

use petgraph::algo::subgraph_isomorphisms_iter;
use petgraph::graph::{DiGraph, NodeIndex};
use smallvec::SmallVec;
use wormscope_hw::header::Rom as _;
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Acquisition, Arbiter, LaneMask, PortMask, Replication, injector};
use wormscope_network::End;

use super::States;
use super::codec::{NOW, Writer};
use super::image::{LaneImages, NONE, Symmetry, has_image, turned};
use crate::event::WormInfo;
use crate::tables::Tables;

/// Most symmetries that a search uses.
const MOST: usize = 64;
/// Most switches and nodes of a network whose symmetries are sought. All states of a larger one are
/// out of reach in any case.
const MOST_PARTS: usize = 64;
/// Most automorphisms that are looked at.
const MOST_CANDIDATES: usize = 4_096;
/// Most comparisons of two vertices or edges in the search for them, about a second.
const MOST_WORK: u64 = 4_000_000;
/// An image that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// A lane of a switch: the switch, whether it is an output lane, and its number.
type LaneOf = (u32, bool, u8);

/// Kind of a vertex of the graph. The number beside it is 0 for a switch. A node that stays has its
/// place, and a lane its place within its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vertex {
    Part,
    Input,
    Output,
}

impl States {
    /// Finds the symmetries that [`Successor::canonical`](super::Successor) uses. Without this call
    /// there is none but the identity.
    pub fn find_symmetries(&mut self) {
        if self.pointers
            || matches!(self.switch.arbiter, Arbiter::FixedPriority | Arbiter::OldestFirst)
            || self.switch.acquisition == Acquisition::Atomic
            || self.switch.replication == Replication::Sequential
            || self.parts.len() > MOST_PARTS
            || !self.kinds.iter().all(|(info, _)| has_image(info.encoding))
        {
            return;
        }
        let (shape, numbers) = (&self.shape, &self.shape.lanes);
        let lanes_of = |s| {
            let inputs = (0..numbers.inputs.count()).filter(move |&lane| shape.input(s, lane).is_some());
            let outputs = (0..numbers.outputs.count()).filter(move |&lane| shape.output(s, lane).is_some());
            inputs.map(move |lane| (s, false, lane)).chain(outputs.map(move |lane| (s, true, lane)))
        };
        let lanes: Vec<LaneOf> = (0..shape.switches).flat_map(lanes_of).collect();
        // All that leave the first nodes in place are a group too, so there may be fewer.
        let mut work = 0;
        for fixed in 0..self.nodes.len() {
            let candidates = self.automorphisms(&lanes, fixed, &mut work);
            if work > MOST_WORK {
                break;
            }
            if candidates.len() > MOST_CANDIDATES {
                continue;
            }
            let others = candidates.iter().filter(|map| map.iter().enumerate().any(|(from, to)| from != *to));
            let found: Vec<_> = others.filter_map(|map| self.symmetry(&lanes, map)).collect();
            if found.len() < MOST {
                self.symmetries = found;
                break;
            }
        }
    }

    /// Number of symmetries, the identity included.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.symmetries.len() + 1
    }

    /// Automorphisms of the graph of parts and lanes that leave the first nodes in place: for each
    /// vertex its image. Parts come first, then lanes. The search ends early when `work` is too
    /// much.
    fn automorphisms(&self, lanes: &[LaneOf], fixed: usize, work: &mut u64) -> Vec<Vec<usize>> {
        let (switches, nodes) = (self.switches.len(), self.nodes.len());
        let mut graph = DiGraph::<(Vertex, usize), ()>::new();
        for part in 0..switches + nodes {
            let node = (part + 1).saturating_sub(switches);
            let stays = if node <= fixed { node } else { fixed + 1 };
            graph.add_node((Vertex::Part, stays));
        }
        for &(_, is_output, lane) in lanes {
            let numbers = &self.shape.lanes;
            graph.add_node(if is_output {
                (Vertex::Output, numbers.outputs.within(lane).into())
            } else {
                (Vertex::Input, numbers.inputs.within(lane).into())
            });
        }
        let place = |lane: LaneOf| lanes.iter().position(|&of| of == lane).map(|at| at + switches + nodes);
        let sender = |&(end, lane): &(End, u8)| match end {
            End::Switch(s, _) => place((s.0, true, lane)),
            End::Node(node) => Some(switches + node.index()),
        };
        let mut edges = Vec::new();
        for (at, &(s, is_output, lane)) in (switches + nodes..).zip(lanes) {
            if is_output {
                edges.push((Some(s as usize), at));
                continue;
            }
            edges.push((Some(at), s as usize));
            edges
                .extend(self.switches[s as usize].flits[usize::from(lane)].iter().map(|wire| (sender(&wire.from), at)));
        }
        for (at, node) in (switches..).zip(&self.nodes) {
            edges.extend(node.flits.iter().map(|wire| (sender(&wire.from), at)));
        }
        for (from, to) in edges {
            if let Some(from) = from {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
        let done = Cell::new(*work);
        let goes_on = || {
            done.set(done.get() + 1);
            done.get() <= MOST_WORK
        };
        let mut same = |a: &(Vertex, usize), b: &(Vertex, usize)| goes_on() && a == b;
        let mut any = |(): &(), (): &()| goes_on();
        let graphs = (&graph, &graph);
        let mut all = subgraph_isomorphisms_iter(&graphs.0, &graphs.1, &mut same, &mut any);
        // The iterator of petgraph 0.8.3 cannot tell its size if there are 21 vertices: it panics.
        let unsized_iter = std::iter::from_fn(|| all.as_mut().and_then(Iterator::next));
        let found = unsized_iter.take(MOST_CANDIDATES + 1).collect();
        *work = done.get();
        found
    }

    /// The symmetry of an automorphism, if it maps all that blocks decide by.
    fn symmetry(&self, lanes: &[LaneOf], map: &[usize]) -> Option<Symmetry> {
        let (switches, parts) = (self.switches.len(), self.parts.len());
        let mut symmetry = Symmetry {
            parts: map[..parts].iter().map(|&to| to as u32).collect(),
            of: vec![0; parts],
            lanes: Vec::new(),
            kinds: Vec::new(),
            rings: vec![(0, 0); self.rings.len()],
            states: vec![Vec::new(); parts],
        };
        (0..).zip(&map[..parts]).for_each(|(part, &to)| symmetry.of[to] = part);
        let numbers = &self.shape.lanes;
        let none = LaneImages {
            inputs: vec![NONE; numbers.inputs.count().into()],
            outputs: vec![NONE; numbers.outputs.count().into()],
            groups: vec![NONE; self.switch.group_lanes.len()],
        };
        symmetry.lanes = vec![none; switches];
        for (&(s, is_output, lane), &to) in lanes.iter().zip(&map[parts..]) {
            let of = &mut symmetry.lanes[s as usize];
            let images = if is_output { &mut of.outputs } else { &mut of.inputs };
            images[usize::from(lane)] = lanes[to - parts].2;
        }
        for s in 0..switches {
            symmetry.lanes[s].groups = self.group_images(&symmetry, s)?;
        }
        let holds = (0..switches).all(|s| self.decides_alike(&symmetry, s));
        if !holds {
            return None;
        }
        self.ring_images(&mut symmetry)?;
        symmetry.kinds = self.kind_images(&symmetry)?;
        Some(symmetry)
    }

    /// The image of each lane group of a switch: a group with the images of its lanes, in the same
    /// order.
    fn group_images(&self, symmetry: &Symmetry, s: usize) -> Option<Vec<u8>> {
        let (to, groups) = (symmetry.parts[s], &self.switch.group_lanes);
        let image = |set: &LaneMask| {
            let lanes: Vec<u8> = Symmetry::each(&symmetry.lanes[s].outputs, set.iter()).collect();
            let is_image =
                |of: &LaneMask| of.iter().filter(|&o| self.shape.output(to, o).is_some()).eq(lanes.iter().copied());
            if lanes.is_empty() { Some(NONE) } else { groups.iter().position(is_image).map(|group| group as u8) }
        };
        groups.iter().map(image).collect()
    }

    /// Whether a switch and its image decide alike about each header and its image.
    fn decides_alike(&self, symmetry: &Symmetry, s: usize) -> bool {
        let (to, images) = (symmetry.parts[s], &symmetry.lanes[s]);
        let (here, there) = (Tables(&self.shape, s as u32), Tables(&self.shape, to));
        let outputs = self.shape.lanes.outputs;
        let port_image = |port: u8| match images.outputs[usize::from(outputs.first(port))] {
            NONE => None,
            lane => Some(outputs.port(lane)),
        };
        let ports = || (0..self.shape.ports).filter_map(|port| Some((port, port_image(port)?)));
        let reaches_alike = ports().all(|(port, image)| symmetry.nodes(here.reach(port)) == there.reach(image));
        let masks_alike = (0..)
            .zip(&images.outputs)
            .filter(|(_, image)| **image != NONE)
            .all(|(lane, &image)| here.mask(lane).map(|words| symmetry.nodes(words)).as_deref() == there.mask(image));
        let climbs = here.climbs();
        let climbs_alike = climbs.iter().all(|climb| {
            let image = |set: PortMask| -> Vec<u8> {
                let mut image: Vec<u8> = set.iter().filter_map(port_image).collect();
                image.sort_unstable();
                image
            };
            let exists = |port: &u8| self.shape.output(to, outputs.first(*port)).is_some();
            let is_image = |of: &Climb| {
                image(climb.ports).into_iter().eq(of.ports.iter().filter(exists))
                    && image(climb.below).into_iter().eq(of.below.iter().filter(exists))
                    && port_image(climb.first()) == Some(of.first())
            };
            image(climb.ports).is_empty() || climbs.iter().any(is_image)
        });
        let reached = |node: u32| ports().any(|(port, _)| here.reach(port)[node as usize / 64] >> (node % 64) & 1 != 0);
        let inputs = || (0..).zip(&images.inputs).filter(|(_, image)| **image != NONE);
        let routes_alike = (0..self.shape.nodes).filter(|&node| reached(node)).all(|node| {
            let (port, image) = (here.port(node), there.port(symmetry.node(node.into()) as u32));
            inputs().all(|(input, &to)| images.groups[usize::from(here.group(input, port))] == there.group(to, image))
        });
        reaches_alike
            && masks_alike
            && climbs_alike
            && routes_alike
            && self.to_come[s] == self.to_come[to as usize]
            && self.station[s].is_some() == self.station[to as usize].is_some()
    }

    /// Finds the ring that each ring is the image of. The token visits the stations in their order.
    fn ring_images(&self, symmetry: &mut Symmetry) -> Option<()> {
        for (r, ring) in (0..).zip(&self.rings) {
            let images: Vec<u32> = ring.stations.iter().map(|station| symmetry.parts[station.index()]).collect();
            let (to, by) = self.station[*images.first()? as usize]?;
            let stations = &self.rings[to as usize].stations;
            let turns = images.len() == stations.len()
                && images.iter().enumerate().all(|(n, image)| stations[(n + by as usize) % stations.len()].0 == *image);
            if !turns {
                return None;
            }
            symmetry.rings[to as usize] = (r, by);
        }
        Some(())
    }

    /// The image of each kind of worms. Equal kinds have images in their order.
    fn kind_images(&self, symmetry: &Symmetry) -> Option<Vec<u32>> {
        let mut is_taken = vec![false; self.kinds.len()];
        let image = |(info, header): &(WormInfo, Vec<u64>)| {
            let (source, header) = (symmetry.node(info.source.0.into()) as u32, symmetry.header(info.encoding, header));
            let size = (info.encoding, info.header_flits, info.payload_flits);
            let found = (0..self.kinds.len()).find(|&kind| {
                let (of, words) = &self.kinds[kind];
                !is_taken[kind]
                    && (of.source.0, words) == (source, &header)
                    && (of.encoding, of.header_flits, of.payload_flits) == size
            })?;
            is_taken[found] = true;
            Some(found as u32)
        };
        self.kinds.iter().map(image).collect()
    }

    /// The image of a state of a part, as a state of the part's image.
    fn image(&mut self, symmetry: &mut Symmetry, part: usize, local: u32) -> u32 {
        let known = &mut symmetry.states[part];
        if known.len() <= local as usize {
            known.resize(local as usize + 1, UNKNOWN);
        }
        if known[local as usize] != UNKNOWN {
            return known[local as usize];
        }
        let (to, switches) = (symmetry.parts[part] as usize, self.switches.len());
        let bytes = self.parts[part].locals.of(local).to_vec();
        let image = if part < switches {
            let at = symmetry.switch(part, &self.read_switch(part, &bytes), self.switches[to].clone());
            Writer::default().switch(NOW, &at, false)
        } else {
            let (mut at, sent) = self.read_node(part - switches, &bytes);
            for channel in &mut at.q.injections {
                let next = channel.injector.next;
                if !channel.injector.is_idle() && next.is_head() {
                    channel.injector = injector::Reg::start(self.worm(symmetry.kinds[next.worm() as usize]));
                }
            }
            let (from, to) = (self.kinds_of[part - switches].clone(), self.kinds_of[to - switches].start);
            let kinds = from.clone().filter(|kind| sent >> (kind - from.start) & 1 != 0);
            let sent = kinds.fold(0, |all, kind| all | 1 << (symmetry.kinds[kind as usize] - to));
            Writer::default().node(NOW, &at, sent)
        };
        let facts = self.parts[part].facts[local as usize];
        let image = self.parts[to].local(&image, facts);
        symmetry.states[part][local as usize] = image;
        image
    }

    /// The place of a token as the symmetry gives it to a ring.
    fn ring_image(&mut self, symmetry: &Symmetry, state: &[u32], ring: usize) -> u32 {
        let (of, by) = symmetry.rings[ring];
        let place = self.rings[of as usize].places[state[self.parts.len() + of as usize] as usize];
        let ring = &mut self.rings[ring];
        ring.number(turned(place, by, ring.fixed.stations))
    }

    /// The smallest image of a state, which stands for all of them.
    pub(super) fn canonical(&mut self, state: &[u32], into: &mut Vec<u32>) {
        into.clear();
        into.extend_from_slice(state);
        let mut symmetries = std::mem::take(&mut self.symmetries);
        for symmetry in &mut symmetries {
            let mut is_smaller = false;
            let numbers = into.iter_mut().take(self.parts.len() + self.rings.len());
            for (at, smallest) in numbers.enumerate() {
                let image = self.number_of_image(symmetry, state, at);
                if !is_smaller && image > *smallest {
                    break;
                }
                is_smaller |= image < *smallest;
                *smallest = image;
            }
        }
        self.symmetries = symmetries;
    }

    /// A number of the image of a state.
    fn number_of_image(&mut self, symmetry: &mut Symmetry, state: &[u32], at: usize) -> u32 {
        match symmetry.of.get(at) {
            Some(&of) => self.image(symmetry, of as usize, state[of as usize]),
            None => self.ring_image(symmetry, state, at - symmetry.of.len()),
        }
    }

    /// Number of different images of a state, itself included.
    pub fn images(&mut self, state: &[u32]) -> usize {
        let mut symmetries = std::mem::take(&mut self.symmetries);
        let mut all: Vec<SmallVec<[u32; 32]>> = vec![SmallVec::from_slice(state)];
        for symmetry in &mut symmetries {
            let mut image = SmallVec::from_slice(state);
            for (at, to) in image.iter_mut().enumerate().take(self.parts.len() + self.rings.len()) {
                *to = self.number_of_image(symmetry, state, at);
            }
            all.push(image);
        }
        self.symmetries = symmetries;
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}
