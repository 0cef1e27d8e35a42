//! Random traffic: the cycles in which a node creates messages, and the contents of the messages.

use std::num::NonZeroU8;

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, NodeSet};

use super::agenda::{Agenda, Due};
use super::groups::Among;
use super::pattern::Chooser;
use super::random::{Key, Stream};
use super::{Destinations, NewWorm};
use crate::engine::{Class, Drain};
use crate::experiment::{Draw, Process, Run, Traffic};
use crate::multicast::dual_path;
use crate::network::routing::label::Labels;
use crate::network::{Grid, Network, Routing, mean_header_flits};

/// One entry of random traffic.
///
/// A message is one worm, but multidestination messages under label order are split by dual path.
/// The load counts the flits of all worms of a message. A node creates on average `load / flits`
/// messages a cycle, with `flits` the mean over all sources, lengths and sets of destinations.
/// Nodes that a permutation maps to themselves are silent, and the others keep their rate. If an
/// interval is given in place of a load, lengths do not matter.
pub(super) struct Random {
    key: Key,
    gaps: Gaps,
    /// Messages are created before this cycle.
    end: u64,
    agenda: Agenda,
    chooser: Chooser,
    /// Nodes that send and receive.
    among: Among,
    /// Labels, if dual path splits multidestination messages.
    labels: Option<Labels>,
    encoding: Encoding,
    /// Number of its class.
    class: Option<NonZeroU8>,
    /// Number of destinations of a message.
    count: Draw,
    /// Payload flits of a message.
    length: Draw,
    /// Nodes that are already drawn; empty between messages. It has no bits for one destination.
    drawn: NodeSet,
}

/// A drawn message.
pub(super) struct Drawn {
    /// Cycle of creation.
    pub cycle: u64,
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive, in ascending order.
    pub destinations: Destinations,
    /// Payload flits.
    pub payload_flits: u32,
    /// The rest of its stream.
    pub random: Stream,
}

impl Random {
    /// The entry of the workload at `place`. The entry has its own random streams.
    pub(super) fn new(network: &Network, traffic: &Traffic, run: &Run, place: u64, among: Among) -> Self {
        let grid = array(network);
        let nodes = grid.nodes();
        let dual = traffic.encoding.way() == Way::Path && network.routing() == Routing::LabelOrder;
        let labels = if dual { Labels::new(&grid) } else { None };
        let rate = match (traffic.load, traffic.interval) {
            (Some(load), _) => load / flits_per_message(network, traffic, labels.is_some()),
            (None, interval) => interval.map_or(0.0, f64::recip),
        };
        let mut random = Self {
            key: Key::new(run.seed).child(place),
            gaps: Gaps::new(traffic.process, rate),
            end: match run.drain {
                Drain::Measured | Drain::All => u64::MAX,
                Drain::Empty => run.window(true).end,
            },
            agenda: Agenda::new(),
            chooser: Chooser::new(grid, &traffic.pattern, among.clone()),
            among,
            labels,
            encoding: traffic.encoding,
            class: None,
            count: traffic.count(),
            length: traffic.length(),
            drawn: NodeSet::repeat(false, if traffic.count().most() > 1 { nodes as usize } else { 0 }),
        };
        if rate > 0.0 {
            random.start();
        }
        random
    }

    /// The same traffic, with worms of class number `class`, if any.
    pub(super) fn of_class(self, class: Option<NonZeroU8>) -> Self {
        Self { class, ..self }
    }

    /// Files the first message of every node that sends, by descending nodes as [`Agenda::push`]
    /// needs.
    fn start(&mut self) {
        for place in (0..self.among.count()).rev() {
            let node = self.among.node(place).0;
            if self.count.most() > 1 || self.chooser.sends(node) {
                let gap = self.stream(node, 0).unit();
                let (cycle, fraction) = self.gaps.first(gap);
                self.file(Due { cycle, index: 1, node, fraction });
            }
        }
    }

    pub(super) fn next_cycle(&mut self) -> Option<u64> {
        self.agenda.next_cycle()
    }

    /// Appends the worms of the next message to `pending`, the first at the end.
    pub(super) fn create(&mut self, pending: &mut Vec<NewWorm>) {
        let Some(Drawn { cycle, source, destinations, payload_flits, .. }) = self.draw() else { return };
        let encoding = self.encoding;
        let class = Class { number: self.class, is_part: false };
        let worm = |destinations| NewWorm { cycle, source, destinations, encoding, payload_flits, class };
        match &self.labels {
            Some(labels) if self.count.most() > 1 => {
                pending.extend(dual_path(labels, source, &destinations).into_iter().rev().map(|to| worm(to.into())));
            }
            Some(_) | None => pending.push(worm(destinations)),
        }
    }

    /// The next message.
    pub(super) fn draw(&mut self) -> Option<Drawn> {
        let due = self.agenda.pop()?;
        // The gap is drawn first, so the cycles of messages do not depend on their destinations.
        let mut random = self.stream(due.node, due.index);
        let (cycle, fraction) = self.gaps.next(due.cycle, due.fraction, random.unit());
        self.file(Due { cycle, index: due.index + 1, node: due.node, fraction });

        let source = NodeId(due.node);
        let destinations = if self.count.most() == 1 {
            Destinations::One(NodeId(self.chooser.choose(due.node, &mut random)))
        } else {
            let count = self.count.draw(|| random.unit());
            self.among.draw(&mut self.drawn, count, source, &mut random).into()
        };
        // The length is drawn last, so the destinations of a message do not depend on it.
        let payload_flits = self.length.draw(|| random.unit());
        Some(Drawn { cycle: due.cycle, source, destinations, payload_flits, random })
    }

    fn file(&mut self, due: Due) {
        if due.cycle < self.end {
            self.agenda.push(due);
        }
    }

    fn stream(&self, node: u32, index: u64) -> Stream {
        self.key.child(u64::from(node)).child(index).stream()
    }
}

/// The nodes as an array. A multistage network has no dimensions, so its nodes are a square if they
/// can be. A transpose is then the same as on the mesh of as many nodes.
pub(super) fn array(network: &Network) -> Grid {
    let (nodes, side) = (network.nodes(), network.nodes().isqrt());
    match network.radices() {
        radices if !radices.is_empty() => Grid::new(radices, network.blueprint().wraps()),
        _ if side * side == nodes => Grid::new(vec![side, side], false),
        _ => Grid::new(vec![nodes], false),
    }
}

/// Mean number of flits of all worms of one message together.
///
/// Dual path sends one worm, unless the label of the source is between the labels of its
/// destinations. Each of the d destinations and the source is equally likely to have the lowest or
/// the highest label. This gives 2 - 2 / (d + 1) worms on average.
fn flits_per_message(network: &Network, traffic: &Traffic, dual: bool) -> f64 {
    let count = traffic.count();
    let worms = if dual { count.mean_of(|count| 2.0 - 2.0 / (f64::from(count) + 1.0)) } else { 1.0 };
    let header = count.mean_of(|count| mean_header_flits(network, traffic.encoding, count));
    header + worms * traffic.length().mean()
}

/// Gaps between the messages of one node, drawn by inversion of their distribution. libm is pure
/// Rust, so every machine has the same bits.
enum Gaps {
    /// Geometric, at least one cycle. The scale is 1 / ln(1 - p), where p is the probability of a
    /// message in a cycle, 1 at most.
    Bernoulli { scale: f64 },
    /// Exponential: the mean in cycles.
    Exponential { mean: f64 },
}

impl Gaps {
    /// Gaps for `rate` messages a cycle.
    fn new(process: Process, rate: f64) -> Self {
        match process {
            Process::Bernoulli => Self::Bernoulli { scale: 1.0 / libm::log1p(-rate.min(1.0)) },
            Process::Exponential => Self::Exponential { mean: 1.0 / rate },
        }
    }

    /// Cycle of the first message, and its place in the cycle.
    fn first(&self, unit: f64) -> (u64, f32) {
        let (cycle, fraction) = self.next(0, 0.0, unit);
        match self {
            // The first trial is in cycle 0.
            Self::Bernoulli { .. } => (cycle - 1, fraction),
            Self::Exponential { .. } => (cycle, fraction),
        }
    }

    /// Cycle of the message after one at `cycle` and `fraction`, and its place in the cycle. `unit`
    /// is uniform in (0, 1].
    #[inline]
    fn next(&self, cycle: u64, fraction: f32, unit: f64) -> (u64, f32) {
        match self {
            Self::Bernoulli { scale } => {
                let failures = whole(libm::log(unit) * scale);
                (cycle.saturating_add(failures).saturating_add(1), 0.0)
            }
            Self::Exponential { mean } => {
                let at = f64::from(fraction) - libm::log(unit) * mean;
                let cycles = whole(at);
                (cycle.saturating_add(cycles), (at - cycles as f64) as f32)
            }
        }
    }
}

/// Rounds down. A number beyond 64 bits becomes the last cycle.
#[allow(clippy::cast_sign_loss)] // Gaps are not negative.
fn whole(cycles: f64) -> u64 {
    cycles as u64
}
