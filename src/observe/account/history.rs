//! History of every lane, channel and station, for as long as a worm under way may ask for it.

use std::collections::BTreeMap;
use std::ops::Range;

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::track::{AtInjection, AtInput, AtOutput, AtStation, Track};
use crate::engine::{CommitLog, Delivery, FlitId, LaneState, Observer, WormInfo};
use crate::network::channel::{Channel, Stalled};
use crate::network::{End, Lanes, Network, Wiring};

/// Samples for each track between two looks at what may be forgotten. Few enough that tracks stay
/// in a cache, and enough that the looks take little time.
const FORGET_EVERY: usize = 16;

/// The sender of the flits of an input lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feeder {
    /// An output lane, by its index.
    Output(usize),
    /// An injection channel, by its index.
    Injection(usize),
    /// Nothing.
    Nowhere,
}

/// The end of an output lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To an input lane, by its index.
    Input(usize),
    /// To a node.
    Node(NodeId),
    /// Nowhere.
    Nowhere,
}

/// A worm that has not wholly arrived.
#[derive(Clone, Debug)]
pub(super) struct Unarrived {
    pub info: WormInfo,
    /// First cycle in which the worm may leave its node, because its start-up is over.
    pub ready: u64,
    /// The worm that the processor started up before this worm.
    pub after: Option<WormId>,
    /// Destinations that its tail has not reached.
    pub missing: Vec<NodeId>,
}

/// Watches a run and keeps the causes of possible waits of the worms under way.
pub struct History<'a> {
    pub(super) wiring: &'a Wiring,
    pub(super) lanes: Lanes,
    pub(super) startup_cycles: u64,
    /// Cycles from a crossing to standing in the next FIFO: links, injection, consumption.
    link_cycles: u64,
    injection_cycles: u64,
    consumption_cycles: u64,
    pub(super) inputs: Vec<Track<AtInput>>,
    pub(super) outputs: Vec<Track<AtOutput>>,
    pub(super) injections: Vec<Track<AtInjection>>,
    pub(super) stations: Vec<Track<AtStation>>,
    /// Stations by the ring of each switch.
    pub(super) rings: Vec<Vec<usize>>,
    pub(super) feeders: Vec<Feeder>,
    /// The input lane that each injection channel feeds.
    pub(super) fed: Vec<usize>,
    pub(super) leads: Vec<Leads>,
    /// For each node and processor: the cycle in which the processor is free, and the worm that it
    /// works on.
    processors: Vec<Vec<(u64, Option<WormId>)>>,
    pub(super) worms: BTreeMap<u32, Unarrived>,
    stalls: BTreeMap<Stalled, Vec<Range<u64>>>,
    /// Samples since the last look at what may be forgotten.
    fresh: usize,
}

impl<'a> History<'a> {
    /// Watches the run of a network with the stalls of its workload.
    #[must_use]
    pub fn new(network: &Network, wiring: &'a Wiring, stalled: Vec<(Stalled, Range<u64>)>) -> Self {
        let lanes = network.lanes(wiring);
        let (switches, nodes) = (wiring.switches() as usize, wiring.nodes() as usize);
        let (inputs, outputs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let mut feeders = vec![Feeder::Nowhere; switches * inputs];
        let leads = |at: usize| {
            let (switch, lane) = (SwitchId((at / outputs) as u32), (at % outputs) as u8);
            if !lanes.has_output(wiring, switch, lane) {
                return Leads::Nowhere;
            }
            match wiring.output(switch, PortId(lanes.outputs.port(lane))) {
                Some(End::Switch(far, port)) => {
                    let lane = lanes.inputs.first(port.0) + lanes.outputs.within(lane);
                    Leads::Input(far.index() * inputs + usize::from(lane))
                }
                Some(End::Node(node)) => Leads::Node(node),
                None => Leads::Nowhere,
            }
        };
        let leads: Vec<Leads> = (0..switches * outputs).map(leads).collect();
        for (output, leads) in leads.iter().enumerate() {
            if let Leads::Input(input) = leads {
                feeders[*input] = Feeder::Output(output);
            }
        }
        let mut fed = Vec::new();
        for channel in 0..nodes * usize::from(lanes.inject) {
            let (switch, port) = wiring.injection(NodeId((channel / usize::from(lanes.inject)) as u32));
            let lane = lanes.inputs.first(port.0) + (channel % usize::from(lanes.inject)) as u8;
            fed.push(switch.index() * inputs + usize::from(lane));
            feeders[fed[channel]] = Feeder::Injection(channel);
        }
        let groups = network.token_ring.as_ref().map(|_| wormscope_network::routing::grouping::rings(network, wiring));
        let mut rings = vec![Vec::new(); switches];
        for group in groups.into_iter().flatten() {
            let stations: Vec<usize> = group.switches.iter().map(|switch| switch.index()).collect();
            for &at in &stations {
                rings[at].clone_from(&stations);
            }
        }
        let mut stalls: BTreeMap<Stalled, Vec<Range<u64>>> = BTreeMap::new();
        for (what, cycles) in stalled {
            stalls.entry(what).or_default().push(cycles);
        }
        let crossbar = network.switch.crossbar_cycles;
        Self {
            wiring,
            lanes,
            startup_cycles: network.node.startup_cycles.into(),
            link_cycles: (crossbar + network.link.link_cycles).into(),
            injection_cycles: network.node.injection_link.link_cycles.into(),
            consumption_cycles: (crossbar + network.node.consumption_link.link_cycles).into(),
            inputs: vec![Track::default(); switches * inputs],
            outputs: vec![Track::default(); switches * outputs],
            injections: vec![Track::default(); nodes * usize::from(lanes.inject)],
            stations: vec![Track::default(); switches],
            rings,
            feeders,
            fed,
            leads,
            processors: vec![vec![(0, None); network.node.ports.max(1) as usize]; nodes],
            worms: BTreeMap::new(),
            stalls,
            fresh: 0,
        }
    }

    /// Index of an input lane.
    pub(super) fn input(&self, switch: usize, lane: u8) -> usize {
        switch * usize::from(self.lanes.inputs.count()) + usize::from(lane)
    }

    /// The switch of an output lane, and the number of the lane at this switch.
    pub(super) fn output_of(&self, output: usize) -> (usize, u8) {
        let per = usize::from(self.lanes.outputs.count());
        (output / per, (output % per) as u8)
    }

    /// The switch of an input lane, and the number of the lane at this switch.
    pub(super) fn input_of(&self, input: usize) -> (usize, u8) {
        let per = usize::from(self.lanes.inputs.count());
        (input / per, (input % per) as u8)
    }

    /// The output lane through which a delivery arrived.
    pub(super) fn last_lane(&self, delivery: &Delivery) -> usize {
        let (switch, port) = self.wiring.consumption(delivery.destination);
        let lane = self.lanes.outputs.first(port.0) + delivery.channel;
        switch.index() * usize::from(self.lanes.outputs.count()) + usize::from(lane)
    }

    /// Cycles from a crossing to the arrival in the next FIFO, or at the node.
    pub(super) fn arrival(&self, feeder: Feeder) -> u64 {
        match feeder {
            Feeder::Output(output) if matches!(self.leads[output], Leads::Node(_)) => self.consumption_cycles,
            Feeder::Output(_) => self.link_cycles,
            Feeder::Injection(_) | Feeder::Nowhere => self.injection_cycles,
        }
    }

    /// The last cycle before `cycle` in which a flit crossed a channel.
    pub(super) fn crossed(&self, feeder: Feeder, flit: FlitId, cycle: u64) -> Option<u64> {
        match feeder {
            Feeder::Output(output) => self.outputs[output].crossed(flit, cycle),
            Feeder::Injection(channel) => self.injections[channel].crossed(flit, cycle),
            Feeder::Nowhere => None,
        }
    }

    /// State of an input lane in `cycle`.
    pub(super) fn shown(&self, input: usize, cycle: u64) -> Option<AtInput> {
        self.inputs[input].at(cycle).map(|(_, shown)| shown)
    }

    /// The worm that an input lane served in `cycle`.
    pub(super) fn served(&self, input: usize, cycle: u64) -> Option<WormId> {
        self.shown(input, cycle)?.worm
    }

    /// The input lane that owned an output lane in `cycle`.
    pub(super) fn owner(&self, output: usize, cycle: u64) -> Option<usize> {
        let (_, shown) = self.outputs[output].at(cycle)?;
        Some(self.input(self.output_of(output).0, shown.owner?))
    }

    /// Whether the workload stalls a part in `cycle`.
    pub(super) fn is_stalled(&self, what: Stalled, cycle: u64) -> bool {
        self.stalls.get(&what).is_some_and(|all| all.iter().any(|stall| stall.contains(&cycle)))
    }

    /// Whether the workload stalls the lane of a link in `cycle`.
    pub(super) fn is_link_stalled(&self, output: usize, cycle: u64) -> bool {
        let (switch, lane) = self.output_of(output);
        self.is_stalled(Stalled::Channel(Channel::Output(SwitchId(switch as u32), lane)), cycle)
    }

    /// Whether the workload stalls an injection channel in `cycle`.
    pub(super) fn is_channel_stalled(&self, channel: usize, cycle: u64) -> bool {
        let per = usize::from(self.lanes.inject);
        let (node, channel) = (NodeId((channel / per) as u32), (channel % per) as u8);
        self.is_stalled(Stalled::Channel(Channel::Injection(node, channel)), cycle)
    }

    /// The station of a switch's ring that holds the token because the workload stalls it.
    pub(super) fn stalled_station(&self, switch: usize, cycle: u64) -> Option<SwitchId> {
        let holds = |&&at: &&usize| {
            self.is_stalled(Stalled::Station(SwitchId(at as u32)), cycle)
                && self.stations[at].at(cycle).is_some_and(|(_, shown)| shown.here)
        };
        self.rings[switch].iter().find(holds).map(|&at| SwitchId(at as u32))
    }

    fn forget(&mut self, now: u64) {
        // The account of a worm that waits at its node needs the states of its channels since the
        // creation of the worm.
        let since = self.worms.values().map(|worm| worm.info.created).min().unwrap_or(now);
        self.inputs.iter_mut().for_each(|track| track.forget(since));
        self.outputs.iter_mut().for_each(|track| track.forget(since));
        self.injections.iter_mut().for_each(|track| track.forget(since));
        self.stations.iter_mut().for_each(|track| track.forget(since));
    }
}

impl Observer for History<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let cycle = log.cycle;
        let (inputs, outputs) = (usize::from(self.lanes.inputs.count()), usize::from(self.lanes.outputs.count()));
        for of in &log.inputs {
            let shown = AtInput {
                state: of.state,
                worm: of.worm,
                is_empty: of.fifo_count == 0,
                front: of.flit.filter(|_| of.state != LaneState::Move),
                branches: of.branches,
                no_credit: of.waits.no_credit,
                lane_wait: of.waits.lane_wait,
            };
            self.inputs[of.switch.index() * inputs + usize::from(of.lane)].push(cycle, shown);
        }
        for of in &log.outputs {
            let at = of.switch.index() * outputs + usize::from(of.lane);
            self.outputs[at].cross(cycle, AtOutput { owner: of.owner, first: of.flit });
        }
        for of in &log.injections {
            let at = of.node.index() * usize::from(self.lanes.inject) + usize::from(of.channel);
            self.injections[at].cross(cycle, AtInjection { first: of.flit, waits: of.waits });
        }
        for of in &log.tokens {
            let shown = AtStation { here: of.here, holder: of.holder, request: of.request };
            self.stations[of.switch.index()].push(cycle, shown);
        }
        self.fresh += log.inputs.len() + log.outputs.len() + log.injections.len() + log.tokens.len();
        let tracks = self.inputs.len() + self.outputs.len() + self.injections.len() + self.stations.len();
        if self.fresh >= FORGET_EVERY * tracks {
            self.fresh = 0;
            self.forget(cycle);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        // The processor that is free first works on the worm, as in the node.
        let processors = &mut self.processors[worm.source.index()];
        let first =
            (1..processors.len()).fold(0, |first, p| if processors[p].0 < processors[first].0 { p } else { first });
        let (free, of) = processors[first];
        let ready = free.max(worm.created) + self.startup_cycles;
        processors[first] = (ready, Some(worm.id));
        let after = of.filter(|_| free > worm.created);
        let missing = worm.destinations.to_vec();
        self.worms.insert(worm.id.0, Unarrived { info: worm.clone(), ready, after, missing });
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let Some(of) = self.worms.get_mut(&worm.id.0) else { return };
        of.missing.retain(|node| *node != delivery.destination);
        if of.missing.is_empty() {
            self.worms.remove(&worm.id.0);
        }
    }
}
