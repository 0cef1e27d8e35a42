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
/// interval is given in place of a load, lengths do not matter. A matrix gives each node its own
/// rate.
pub(super) struct Random {
    key: Key,
    /// Gaps of each node, or of all nodes.
    gaps: Vec<Gaps>,
    /// Rest of the period with messages of each node, in cycles. Empty without bursts.
    left: Vec<f64>,
    /// Messages are created from this cycle on.
    from: u64,
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
        let chooser = Chooser::new(grid.clone(), &traffic.pattern, among.clone());
        let chooser = chooser.with_source(traffic.goes_to_source(network));
        let rate = match (traffic.load, traffic.interval) {
            (Some(load), _) => load / flits_per_message(network, traffic, labels.as_ref(), &chooser, &among),
            (None, interval) => interval.map_or(0.0, f64::recip),
        };
        let gaps_of = |share: f64| Gaps::new(traffic.process, rate * share, &grid);
        let gaps = if chooser.has_shares() {
            (0..nodes).map(|node| gaps_of(chooser.share(node))).collect()
        } else {
            vec![gaps_of(1.0)]
        };
        let end = match run.drain {
            Drain::Measured | Drain::All => u64::MAX,
            Drain::Empty => run.window(true).end,
        };
        let mut random = Self {
            key: Key::new(run.seed).child(place),
            gaps,
            left: vec![0.0; if traffic.process.bursts().is_some() { nodes as usize } else { 0 }],
            from: traffic.from.unwrap_or(0),
            end: traffic.until.map_or(end, |until| until.min(end)),
            agenda: Agenda::new(),
            chooser,
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
            if self.chooser.sends(node) {
                let mut random = self.stream(node, 0);
                let left = self.left.get_mut(node as usize);
                let (cycle, fraction) = gaps(&self.gaps, node).first(node, left, &mut random);
                self.file(Due { cycle: cycle.saturating_add(self.from), index: 1, node, fraction });
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
            Some(labels) if destinations.len() > 1 || self.count.most() > 1 => {
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
        let left = self.left.get_mut(due.node as usize);
        let (cycle, fraction) = gaps(&self.gaps, due.node).next(&due, self.from, left, &mut random);
        self.file(Due { cycle, index: due.index + 1, node: due.node, fraction });

        let source = NodeId(due.node);
        let destinations = if let Some(set) = self.chooser.set(due.node) {
            set.into()
        } else if self.count.most() == 1 {
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

/// The gaps of a node.
fn gaps(all: &[Gaps], node: u32) -> &Gaps {
    all.get(node as usize).unwrap_or(&all[0])
}

/// Mean number of flits of all worms of one message together.
///
/// Dual path sends one worm, unless the label of the source is between the labels of its
/// destinations. Each of the d destinations and the source is equally likely to have the lowest or
/// the highest label. This gives 2 - 2 / (d + 1) worms on average. With a pattern of sets, the mean
/// is over the nodes that send.
fn flits_per_message(
    network: &Network,
    traffic: &Traffic,
    labels: Option<&Labels>,
    chooser: &Chooser,
    among: &Among,
) -> f64 {
    let dual = labels.is_some();
    if traffic.pattern.is_set() {
        let members = (0..among.count()).map(|place| among.node(place));
        let sets = members.filter_map(|node| Some((node, chooser.set(node.0)?)));
        let flits = sets.filter(|(_, set)| !set.is_empty()).map(|(node, set)| {
            let worms = labels.filter(|_| set.len() > 1).map_or(1, |labels| dual_path(labels, node, &set).len());
            mean_header_flits(network, traffic.encoding, set.len() as u32) + worms as f64 * traffic.length().mean()
        });
        let (sum, nodes) = flits.fold((0.0, 0.0), |(sum, nodes), flits| (sum + flits, nodes + 1.0));
        return if nodes > 0.0 { sum / nodes } else { 1.0 };
    }
    let count = traffic.count();
    let worms = if dual { count.mean_of(|count| 2.0 - 2.0 / (f64::from(count) + 1.0)) } else { 1.0 };
    let header = count.mean_of(|count| mean_header_flits(network, traffic.encoding, count));
    header + worms * traffic.length().mean()
}

/// Length of a period with or without messages.
#[derive(Clone, Copy)]
struct Period {
    mean: f64,
    /// Shape of a Pareto distribution. `None` is exponential.
    shape: Option<f64>,
}

impl Period {
    fn draw(self, random: &mut Stream) -> f64 {
        let unit = random.unit();
        match self.shape {
            None => -libm::log(unit) * self.mean,
            // The least period is `mean * (shape - 1) / shape`.
            Some(shape) => self.mean * (shape - 1.0) / shape * libm::pow(unit, -1.0 / shape),
        }
    }
}

/// Gaps between the messages of one node, drawn by inversion of their distribution. libm is pure
/// Rust, so every machine has the same bits.
enum Gaps {
    /// Geometric, at least one cycle. The scale is 1 / ln(1 - p), where p is the probability of a
    /// message in a cycle, 1 at most.
    Bernoulli { scale: f64 },
    /// Exponential: the mean in cycles.
    Exponential { mean: f64 },
    /// Exponential during periods with messages: the mean then, and the periods with and without
    /// messages.
    Bursts { mean: f64, on: Period, off: Period },
    /// Always equal. A node with coordinate c of k begins c / k of a gap later. The coordinate is
    /// `node / stride % radix`.
    Steps { gap: f64, stride: u32, radix: u32 },
}

impl Gaps {
    /// Gaps for `rate` messages a cycle, in an array of nodes.
    fn new(process: Process, rate: f64, grid: &Grid) -> Self {
        if let Some((on, off, shape)) = process.bursts() {
            let period = |mean| Period { mean, shape };
            return Self::Bursts { mean: on / (on + off) / rate, on: period(on), off: period(off) };
        }
        match process {
            Process::Bernoulli => Self::Bernoulli { scale: 1.0 / libm::log1p(-rate.min(1.0)) },
            Process::Steps { dimension } => {
                let (below, of) = grid.radices().split_at(dimension as usize);
                Self::Steps { gap: 1.0 / rate, stride: below.iter().product(), radix: of[0] }
            }
            Process::Exponential | Process::OnOff { .. } | Process::Pareto { .. } => {
                Self::Exponential { mean: 1.0 / rate }
            }
        }
    }

    /// Cycle of the first message of a node, and its place in the cycle.
    fn first(&self, node: u32, left: Option<&mut f64>, random: &mut Stream) -> (u64, f32) {
        let due = Due { cycle: 0, index: 0, node, fraction: 0.0 };
        match (self, left) {
            // The first trial is in cycle 0.
            (Self::Bernoulli { .. }, left) => (self.next(&due, 0, left, random).0 - 1, 0.0),
            (Self::Bursts { on, off, .. }, Some(left)) => {
                let waits = random.unit() * (on.mean + off.mean) > on.mean;
                let wait = if waits { off.draw(random) } else { 0.0 };
                *left = on.draw(random);
                let (begin, fraction) = split(wait);
                self.next(&Due { cycle: begin, fraction, ..due }, 0, Some(left), random)
            }
            (_, left) => self.next(&due, 0, left, random),
        }
    }

    /// Cycle of the message after `due`, and its place in the cycle. The traffic begins in cycle
    /// `from`. `left` is the rest of the period with messages.
    #[inline]
    fn next(&self, due: &Due, from: u64, left: Option<&mut f64>, random: &mut Stream) -> (u64, f32) {
        match *self {
            Self::Bernoulli { scale } => {
                let failures = whole(libm::log(random.unit()) * scale);
                (due.cycle.saturating_add(failures).saturating_add(1), 0.0)
            }
            Self::Exponential { mean } => {
                let (cycles, fraction) = split(f64::from(due.fraction) - libm::log(random.unit()) * mean);
                (due.cycle.saturating_add(cycles), fraction)
            }
            Self::Bursts { mean, on, off } => {
                let (mut gap, mut at) = (-libm::log(random.unit()) * mean, f64::from(due.fraction));
                if let Some(left) = left {
                    while gap > *left {
                        gap -= *left;
                        at += *left + off.draw(random);
                        *left = on.draw(random);
                    }
                    *left -= gap;
                }
                let (cycles, fraction) = split(at + gap);
                (due.cycle.saturating_add(cycles), fraction)
            }
            Self::Steps { gap, stride, radix } => {
                let coordinate = f64::from(due.node / stride % radix);
                let turns = due.index as f64 * f64::from(radix) + coordinate;
                (whole(turns * gap / f64::from(radix)).saturating_add(from), 0.0)
            }
        }
    }
}

/// Whole cycles, and the rest.
fn split(cycles: f64) -> (u64, f32) {
    let all = whole(cycles);
    (all, (cycles - all as f64) as f32)
}

/// Rounds down. A number beyond 64 bits becomes the last cycle.
#[allow(clippy::cast_sign_loss)] // Gaps are not negative.
fn whole(cycles: f64) -> u64 {
    cycles as u64
}
