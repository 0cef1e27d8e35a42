//! The observer of a page: the states of every lane, channel and station from cycle to cycle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::track::{Flit, Shown, ShownChannel, ShownInput, ShownStation, Track};
use crate::engine::{CommitLog, Delivery, Observer, WormInfo};
use crate::network::{End, Lanes, Network, Wiring};
use crate::trace::{Scope, Window};

/// State of an instance, and the part of it that the page has.
pub struct Kept<S> {
    /// Whether the instance is in the scope. The recorder keeps nothing of other instances.
    is_shown: bool,
    now: S,
    told: S,
    track: Track,
}

impl<S: Shown> Kept<S> {
    fn new(now: S, from: u64, is_shown: bool) -> Self {
        Self { is_shown, now, told: now, track: Track::from(from) }
    }

    /// Takes the state of the instance in `cycle`. The page gets it only in the window.
    fn show(&mut self, now: S, cycle: u64, is_open: bool) {
        self.now = now;
        if is_open && self.is_shown {
            now.tell(self.told, cycle, &mut self.track);
            self.told = now;
        }
    }

    /// The events.
    pub fn bytes(&self) -> &[u8] {
        &self.track.bytes
    }
}

/// `count` equal instances.
fn all<S: Shown>(count: usize, from: u64, idle: impl Fn(usize) -> S, is_shown: impl Fn(usize) -> bool) -> Vec<Kept<S>> {
    (0..count).map(|n| Kept::new(idle(n), from, is_shown(n))).collect()
}

/// Begins the window: writes the states of the instances.
fn begin<S: Shown>(all: &mut [Kept<S>], at: u64) {
    for kept in all {
        kept.show(kept.now.at_begin(), at, true);
    }
}

fn bytes<S: Shown>(all: &[Kept<S>]) -> usize {
    all.iter().map(|kept| kept.bytes().len()).sum()
}

/// Flits that crossed before the window, with their cycles. The number is what a FIFO and the link
/// into it can hold.
pub type Before = VecDeque<(u64, Flit)>;

/// A worm and its deliveries.
pub struct Story {
    /// The worm.
    pub worm: WormInfo,
    /// Cycle in which its first flit left its node.
    pub injected: Option<u64>,
    /// Deliveries of the worm.
    pub delivered: Vec<Delivery>,
}

/// Watches a run for its page.
pub struct Recorder {
    window: Window,
    lanes: Lanes,
    /// Flits that a FIFO and the link before it hold.
    deep: usize,
    /// Switches and nodes that are shown.
    pub scope: Scope,
    /// Worms at the shown instances, if the page does not show all instances.
    seen: Option<BTreeSet<u32>>,
    /// Whether the window has begun.
    is_open: bool,
    /// Whether a cycle after the window has come.
    is_over: bool,
    /// Input lanes, switch-major.
    pub inputs: Vec<Kept<ShownInput>>,
    /// Output lanes, switch-major.
    pub outputs: Vec<Kept<ShownChannel>>,
    /// Injection channels, node-major.
    pub injections: Vec<Kept<ShownChannel>>,
    /// Consumption channels, node-major.
    pub consumptions: Vec<Kept<ShownChannel>>,
    /// A station a switch.
    pub stations: Vec<Kept<ShownStation>>,
    /// Flits that crossed each output lane before the window.
    pub before_outputs: Vec<Before>,
    /// Flits that left through each injection channel before the window.
    pub before_injections: Vec<Before>,
    /// Consumption channels with a flit in the cycle before.
    arrivals: Vec<usize>,
    /// For each consumption channel, the last cycle in which it got a flit directly after another.
    goes_on: Vec<u64>,
    arrived: u64,
    /// Worms under way in the window, by number.
    pub worms: BTreeMap<u32, Story>,
    /// Bytes of events, as counted now and then.
    bytes: usize,
    most: usize,
    next_count: u64,
}

impl Recorder {
    /// Watches the cycles of a window, until the events take `most` bytes.
    pub fn new(network: &Network, wiring: &Wiring, window: Window, scope: Scope, most: usize) -> Self {
        let lanes = network.lanes(wiring);
        let depth = network.switch.fifo_depth as u16;
        let [injection_depth, consumption_depth] =
            [network.injection_depth(), network.consumption_depth()].map(|flits| flits as u16);
        let (switches, nodes) = (wiring.switches() as usize, wiring.nodes() as usize);
        let (inputs, outputs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let end = |at: usize| {
            let port = PortId(lanes.outputs.port((at % outputs) as u8));
            wiring.output(SwitchId((at / outputs) as u32), port)
        };
        let output = |at: usize| {
            let is_to_node = matches!(end(at), Some(End::Node(_)));
            ShownChannel::idle(if is_to_node { consumption_depth } else { depth })
        };
        // The page derives the flits in a FIFO from the flits that crossed the channel in front of
        // it.
        let has_end = |at: usize| match end(at) {
            Some(End::Switch(far, _)) => scope.has_switch(far),
            Some(End::Node(node)) => scope.has_node(node),
            None => false,
        };
        let in_switch = |at: usize, lanes: usize| scope.has_switch(SwitchId((at / lanes) as u32));
        let injected = |at: usize| {
            let node = NodeId((at / usize::from(lanes.inject)) as u32);
            scope.has_node(node) || scope.has_switch(wiring.injection(node).0)
        };
        let consumed = |at: usize| {
            let node = NodeId((at / usize::from(lanes.consume)) as u32);
            scope.has_node(node) || scope.has_switch(wiring.consumption(node).0)
        };
        let crossbar = network.switch.crossbar_cycles;
        let last = crossbar + network.node.consumption_link.link_cycles;
        let longest = network.node.injection_link.link_cycles.max(crossbar + network.link.link_cycles).max(last);
        let (injections, from) = (nodes * usize::from(lanes.inject), window.start);
        Self {
            window,
            lanes,
            deep: usize::from(depth.max(injection_depth)) + longest as usize,
            is_open: false,
            is_over: false,
            seen: (!scope.is_all()).then(BTreeSet::new),
            inputs: all(switches * inputs, from, |_| ShownInput::default(), |at| in_switch(at, inputs)),
            outputs: all(switches * outputs, from, output, |at| in_switch(at, outputs) || has_end(at)),
            injections: all(injections, from, |_| ShownChannel::idle(injection_depth), injected),
            consumptions: all(nodes * usize::from(lanes.consume), from, |_| ShownChannel::idle(0), consumed),
            stations: all(switches, from, |_| ShownStation::default(), |_| true),
            before_outputs: vec![Before::new(); switches * outputs],
            before_injections: vec![Before::new(); injections],
            arrivals: Vec::new(),
            goes_on: vec![u64::MAX; nodes * usize::from(lanes.consume)],
            arrived: 0,
            worms: BTreeMap::new(),
            bytes: 0,
            most,
            next_count: 0,
            scope,
        }
    }

    /// Whether there are more events than the page can have.
    pub fn is_full(&self) -> bool {
        self.bytes > self.most
    }

    /// Bytes of events, as counted now and then.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The window begins: writes the states at its begin.
    fn open(&mut self) {
        let at = self.window.start;
        begin(&mut self.inputs, at);
        begin(&mut self.outputs, at);
        begin(&mut self.injections, at);
        begin(&mut self.consumptions, at);
        begin(&mut self.stations, at);
        self.is_open = true;
    }

    /// Consumption channels that had a flit in the previous cycle become empty, except channels
    /// that get a flit in `next`.
    fn fall_silent(&mut self, next: &CommitLog) {
        let behind = self.arrived + 1;
        for sample in next.consumptions.iter().filter(|_| next.cycle == behind) {
            self.goes_on[channel(sample.node, self.lanes.consume, sample.channel)] = behind;
        }
        for at in self.arrivals.drain(..) {
            if self.goes_on[at] != behind {
                let kept = &mut self.consumptions[at];
                kept.show(kept.now.silent(), behind, self.is_open);
            }
        }
    }

    /// A worm crosses a shown channel, or waits for a shown channel.
    fn see(&mut self, worm: Option<WormId>) {
        if let (Some(seen), Some(worm)) = (&mut self.seen, worm) {
            seen.insert(worm.0);
        }
    }

    /// The run is over, perhaps inside the window and without a change.
    pub fn end(&mut self) {
        if let Some(seen) = self.seen.take() {
            self.worms.retain(|worm, _| seen.contains(worm));
        }
        if !self.is_open {
            self.open();
        }
        self.fall_silent(&CommitLog { cycle: u64::MAX, ..CommitLog::default() });
    }
}

fn channel(node: NodeId, channels: u8, channel: u8) -> usize {
    node.index() * usize::from(channels) + usize::from(channel)
}

/// Keeps flits that cross before the window, if they may still be in the FIFO when the window
/// begins.
fn remember(before: &mut Before, deep: usize, cycle: u64, now: ShownChannel) {
    if let Some(flit) = now.crossing() {
        if before.len() == deep {
            before.pop_front();
        }
        before.push_back((cycle, flit));
    }
}

impl Observer for Recorder {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let cycle = log.cycle;
        if cycle >= self.window.start && !self.is_open {
            self.open();
        }
        self.fall_silent(log);
        self.is_over |= self.window.is_over(cycle);
        if self.is_over {
            return;
        }
        let (lanes, is_open) = (self.lanes, self.is_open);
        let lane = |switch: SwitchId, count: u8, lane: u8| switch.index() * usize::from(count) + usize::from(lane);
        for sample in &log.inputs {
            let at = lane(sample.switch, lanes.inputs.count(), sample.lane);
            self.inputs[at].show(sample.into(), cycle, is_open);
            if self.inputs[at].is_shown {
                self.see(sample.worm);
            }
        }
        for sample in &log.outputs {
            let at = lane(sample.switch, lanes.outputs.count(), sample.lane);
            let now = self.outputs[at].now.output(sample);
            self.outputs[at].show(now, cycle, is_open);
            if !self.outputs[at].is_shown {
                continue;
            }
            self.see(sample.flit.map(|flit| flit.worm));
            if !is_open {
                remember(&mut self.before_outputs[at], self.deep, cycle, now);
            }
        }
        for sample in &log.injections {
            let at = channel(sample.node, lanes.inject, sample.channel);
            let now = self.injections[at].now.injection(sample);
            self.injections[at].show(now, cycle, is_open);
            if let Some(flit) = sample.flit.filter(|flit| flit.index == 0)
                && let Some(story) = self.worms.get_mut(&flit.worm.0)
            {
                story.injected = Some(cycle);
            }
            if !self.injections[at].is_shown {
                continue;
            }
            self.see(sample.flit.map(|flit| flit.worm));
            if !is_open {
                remember(&mut self.before_injections[at], self.deep, cycle, now);
            }
        }
        for sample in &log.consumptions {
            let at = channel(sample.node, lanes.consume, sample.channel);
            let kept = &mut self.consumptions[at];
            kept.show(kept.now.consumption(sample), cycle, is_open);
            self.arrivals.push(at);
        }
        self.arrived = cycle;
        for sample in &log.tokens {
            self.stations[sample.switch.index()].show(sample.into(), cycle, is_open);
        }
        if cycle >= self.next_count {
            self.next_count = cycle + 64;
            self.bytes = bytes(&self.inputs)
                + bytes(&self.outputs)
                + bytes(&self.injections)
                + bytes(&self.consumptions)
                + bytes(&self.stations);
        }
    }

    fn wants_commits(&self) -> bool {
        !self.is_over
    }

    fn created(&mut self, worm: &WormInfo) {
        if !self.window.is_over(worm.created) {
            self.worms.insert(worm.id.0, Story { worm: worm.clone(), injected: None, delivered: Vec::new() });
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let Some(story) = self.worms.get_mut(&worm.id.0) else { return };
        story.delivered.push(*delivery);
        // A worm with all its tails before the window is not shown.
        if delivery.tail < self.window.start && story.delivered.len() == worm.destinations.len() {
            self.worms.remove(&worm.id.0);
        }
    }

    fn stop(&self) -> bool {
        self.is_full()
    }
}
