//! Data of a page without the events: the network as it is drawn, names, worms, and the end of the
//! run.

use std::collections::BTreeMap;
use std::num::NonZeroU8;

use serde::Serialize;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use super::accounts;
use super::advised::Advised;
use super::freed::Freed;
use super::recorder::{Before, Kept, Recorder, Story};
use super::track::{Shown, Track};
use crate::account::Account;
use crate::config::{changed, paths};
use crate::deadlock::{Deadlock, Member};
use crate::engine::LaneState;
use crate::engine::snapshot::LaneRef;
use crate::experiment::{Loaded, Workload};
use crate::explain::names::WaveNames;
use crate::network::lanes::port_names;
use crate::network::routing::grouping;
use crate::network::{End, Network};
use crate::quote::counted;
use crate::report::picture::{Floorplan, TooLarge};
use crate::report::plan::header_bits;
use crate::report::svg::Pixel;
use crate::report::wires::Wires;
use crate::simulation::Site;
use crate::trace;

/// Distance of lanes that lie side by side, in the picture's units.
const BESIDE: f64 = 4.5;
/// Further room between routers of a grid, in which flits are seen on their way.
const ROOM: f64 = 18.0;

/// Facts about the run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageRun<'a> {
    /// Title of the run.
    pub title: &'a str,
    /// Command that runs the experiment again and takes `--wave`; empty if there is no such
    /// command.
    pub rerun: &'a str,
    /// First cycle that is shown.
    pub from: u64,
    /// The first that is not.
    pub until: u64,
    /// Cycles of the whole run.
    pub cycles: u64,
    /// End of the run.
    pub ended: &'static str,
    /// Clock period in ns.
    pub clock_ns: f64,
}

/// A failed expectation or a broken rule, as the page marks it.
#[derive(Serialize)]
pub struct Failure {
    /// Cycle in which the failure shows.
    pub cycle: Option<u64>,
    /// First cycle of the wait that made its worm late.
    pub since: Option<u64>,
    /// Wait of that worm, and the account of its cycles.
    pub why: Option<String>,
    /// The worm of the failure.
    pub worm: Option<u32>,
    /// Expected and seen.
    pub text: String,
}

/// All data of the page except the events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageData<'a> {
    version: &'static str,
    network: String,
    seed: u64,
    #[serde(flatten)]
    shape: PageRun<'a>,
    flit_bits: u32,
    /// Cycles from the crossing of a flit to its arrival in the next FIFO.
    arrival: u32,
    /// The same delay for a flit that leaves its node.
    injection_arrival: u32,
    /// Cycles from the crossing of a flit to its arrival at its node.
    consumption_arrival: u32,
    states: [&'static str; 8],
    /// Causes of the entries of accounts.
    causes: Vec<&'static str>,
    encodings: Vec<&'static str>,
    switches: Vec<PageSwitch>,
    nodes: Vec<PageNode>,
    inputs: Vec<PageInput>,
    outputs: Vec<PageOutput<'a>>,
    injections: Vec<PageInjection<'a>>,
    consumptions: Vec<PageConsumption>,
    stations: Vec<PageStation>,
    lane_base: Vec<[usize; 2]>,
    ports: Vec<String>,
    /// For each output port, the first port of its group.
    groups: Vec<u8>,
    worms: Vec<PageWorm>,
    deadlock: Option<Knot>,
    /// Differences from the expectations of a testbench.
    pub failures: &'a [Failure],
    /// Warnings of `wormscope run`.
    pub warnings: &'a [String],
    /// Fields that are not as by default: path, value and default.
    changed: Vec<[String; 3]>,
    /// Fields of the workload: path and value.
    workload: Vec<[String; 2]>,
    /// The report in some lines: name and text.
    pub brief: Vec<(&'static str, String)>,
    /// The report as `wormscope run` prints it.
    pub report: String,
    /// Cures of a deadlock.
    pub freed: Option<&'a Freed>,
    /// Gains of changes by one step.
    pub advised: Option<&'a Advised>,
    bytes: Bytes,
}

#[derive(Serialize)]
struct PageSwitch {
    name: String,
    at: Pixel,
    size: Pixel,
    shown: bool,
}

#[derive(Serialize)]
struct PageNode {
    name: String,
    radius: f64,
    send: Pixel,
    receive: Pixel,
    shown: bool,
}

#[derive(Serialize)]
struct PageInput {
    name: String,
    switch: u32,
    port: u8,
    depth: u32,
    at: Pixel,
    inward: Pixel,
    exists: bool,
}

/// An output lane; without points where it does not exist.
#[derive(Serialize)]
struct PageOutput<'a> {
    name: String,
    switch: u32,
    port: u8,
    input: Option<usize>,
    node: Option<u32>,
    channel: Option<u8>,
    /// Credits of the output while nothing crosses: flits that the next FIFO or node can hold.
    depth: u32,
    points: Vec<f64>,
    before: &'a Before,
}

#[derive(Serialize)]
struct PageInjection<'a> {
    name: String,
    node: u32,
    input: usize,
    points: Vec<f64>,
    before: &'a Before,
}

#[derive(Serialize)]
struct PageConsumption {
    name: String,
    node: u32,
}

#[derive(Serialize)]
struct PageStation {
    switch: u32,
    ring: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageWorm {
    id: u32,
    source: u32,
    to: Vec<u32>,
    encoding: u8,
    header: u32,
    payload: u32,
    created: u64,
    /// Cycle in which its first flit left its node.
    injected: Option<u64>,
    class: u8,
    header_bits: Vec<String>,
    delivered: Vec<(u32, u64, u64, u64, u32)>,
}

/// A deadlock, and the lanes that close it.
#[derive(Serialize)]
struct Knot {
    cycle: u64,
    detected: u64,
    text: String,
    circle: Vec<PageWait>,
}

/// A worm that waits for lanes, and the worm that blocks each lane. That is the owner of the lane
/// or, in a wait for space in the next FIFO, the worm at the front of that FIFO.
#[derive(Serialize)]
struct PageWait {
    worm: u32,
    input: usize,
    outputs: Vec<usize>,
    space: Vec<bool>,
    owners: Vec<u32>,
    /// The worm that holds the token for which this worm waits.
    token: Option<u32>,
}

#[derive(Serialize)]
struct Bytes {
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    injections: Vec<usize>,
    consumptions: Vec<usize>,
    stations: Vec<usize>,
}

fn lengths<S: Shown>(all: &[Kept<S>]) -> Vec<usize> {
    all.iter().map(|kept| kept.bytes().len()).collect()
}

/// To a hundredth of the picture's unit.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn flat(points: &[Pixel]) -> Vec<f64> {
    points.iter().flat_map(|&(x, y)| [rounded(x), rounded(y)]).collect()
}

/// Largest number of fields of the workload on the page.
const MOST_FIELDS: usize = 24;

/// The fields of the workload that have a value. For a list of messages, their number.
fn workload(loaded: &Loaded) -> Vec<[String; 2]> {
    let mut told = Vec::new();
    let fields = paths(loaded);
    for (place, entry) in loaded.experiment.workload.iter().enumerate() {
        let at = format!("workload[{place}].");
        if let Workload::Messages(messages) = entry {
            told.push([format!("{at}messages"), counted(messages.len(), "message")]);
            continue;
        }
        let of_entry = fields.iter().filter(|field| field.is_leaf && field.path.starts_with(&at));
        told.extend(of_entry.filter(|of| of.value != "None").map(|of| [of.path.clone(), of.value.clone()]));
    }
    let more = told.len().saturating_sub(MOST_FIELDS);
    told.truncate(MOST_FIELDS);
    if more > 0 {
        told.push(["...".to_owned(), format!("{more} more")]);
    }
    told
}

/// Places and names of the elements.
struct Scene<'a> {
    wires: Wires<'a>,
    names: WaveNames<'a>,
    scope: &'a trace::Scope,
    network: &'a Network,
}

impl Scene<'_> {
    fn input_index(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * usize::from(self.names.lanes().inputs.count()) + usize::from(lane)
    }

    fn output_index(&self, lane: LaneRef) -> usize {
        lane.switch.index() * usize::from(self.names.lanes().outputs.count()) + usize::from(lane.lane)
    }

    fn switches(&self) -> impl Iterator<Item = SwitchId> + use<> {
        (0..self.wires.wiring.switches()).map(SwitchId)
    }

    fn switch(&self, switch: SwitchId) -> PageSwitch {
        let [at, size] = self.wires.plan.box_of(switch);
        PageSwitch { name: self.wires.wiring.switch_name(switch), at, size, shown: self.scope.has_switch(switch) }
    }

    fn node(&self, node: NodeId) -> PageNode {
        let ((send, radius), (receive, _)) = (self.wires.node(node, false), self.wires.node(node, true));
        PageNode { name: format!("n{node}"), radius, send, receive, shown: self.scope.has_node(node) }
    }

    fn input(&self, switch: SwitchId, lane: u8) -> PageInput {
        let lanes = self.names.lanes();
        let port = lanes.inputs.port(lane);
        PageInput {
            name: lanes.input_name(lane),
            switch: switch.0,
            port,
            depth: self.network.depth_from(self.wires.wiring.input(switch, PortId(port))),
            at: self.wires.in_port((switch, lane)),
            inward: self.wires.inward(switch, PortId(port)),
            exists: lanes.has_input(self.wires.wiring, switch, lane),
        }
    }

    fn output<'a>(&self, switch: SwitchId, lane: u8, before: &'a Before) -> PageOutput<'a> {
        let (lanes, wiring) = (self.names.lanes(), self.wires.wiring);
        let (port, within) = (lanes.outputs.port(lane), lanes.outputs.within(lane));
        let end = wiring.output(switch, PortId(port)).filter(|_| lanes.has_output(wiring, switch, lane));
        let to_switch = |(far, to): (SwitchId, PortId)| self.input_index(far, lanes.inputs.first(to.0) + within);
        let (input, node) = match end {
            Some(End::Switch(far, to)) => (Some(to_switch((far, to))), None),
            Some(End::Node(node)) => (None, Some(node.0)),
            None => (None, None),
        };
        PageOutput {
            name: lanes.output_name(lane),
            switch: switch.0,
            port,
            input,
            node,
            channel: node.map(|_| within),
            depth: self.network.depth_to(end),
            points: end.map_or_else(Vec::new, |_| flat(&self.wires.wire(LaneRef { switch, lane }))),
            before,
        }
    }

    fn injection<'a>(&self, node: NodeId, channel: u8, before: &'a Before) -> PageInjection<'a> {
        let lanes = self.names.lanes();
        let (switch, port) = self.wires.wiring.injection(node);
        let lane = lanes.inputs.first(port.0) + channel;
        PageInjection {
            name: lanes.inject_name(channel),
            node: node.0,
            input: self.input_index(switch, lane),
            points: flat(&self.wires.injection((switch, lane))),
            before,
        }
    }

    fn knot(&self, deadlock: &Deadlock) -> Knot {
        let link = |member: &Member| PageWait {
            worm: member.worm.0,
            input: self.input_index(member.switch, member.lane),
            outputs: member.wants.iter().map(|&lane| self.output_index(lane)).collect(),
            space: member.wants.iter().map(|lane| member.space.contains(lane)).collect(),
            owners: member.owners.iter().map(|(_, worm)| worm.0).collect(),
            token: member.awaits.as_ref().map(|(_, worm)| worm.0),
        };
        Knot {
            cycle: deadlock.final_cycle,
            detected: deadlock.detected,
            text: deadlock.report(&self.names),
            circle: deadlock.members().map(link).collect(),
        }
    }
}

impl<'a> PageData<'a> {
    /// Collects the data of a page about a run. The largest network is the same as for pictures.
    ///
    /// # Errors
    /// When the picture is too large to read.
    pub fn new(
        loaded: &Loaded,
        site: &Site,
        recorder: &'a Recorder,
        shape: PageRun<'a>,
        deadlock: Option<&Deadlock>,
    ) -> Result<Self, TooLarge> {
        let (network, wiring) = (&loaded.experiment.network, site.wiring());
        let names = WaveNames::new(network, wiring);
        let lanes = names.lanes();
        let wires = Wires { plan: Floorplan::with_room(wiring, ROOM)?, wiring, lanes, beside: BESIDE };
        let scene = Scene { wires, names, scope: &recorder.scope, network };
        let nodes = || (0..wiring.nodes()).map(NodeId);
        let mut before_outputs = recorder.before_outputs.iter();
        let mut before_injections = recorder.before_injections.iter();
        let per_switch =
            |count: u8| scene.switches().flat_map(move |switch| (0..count).map(move |lane| (switch, lane)));
        let per_node = |count: u8| nodes().flat_map(move |node| (0..count).map(move |channel| (node, channel)));
        let outputs = per_switch(lanes.outputs.count()).zip(&mut before_outputs);
        let injections = per_node(lanes.inject).zip(&mut before_injections);
        let rings = network.token_ring.as_ref().map(|_| grouping::rings(network, wiring));
        let in_ring = |(ring, group): (usize, grouping::Group)| {
            group.switches.into_iter().map(move |switch| PageStation { switch: switch.0, ring })
        };
        let stations: Vec<PageStation> = rings.into_iter().flatten().enumerate().flat_map(in_ring).collect();
        let worm = |(&id, story): (&u32, &Story)| {
            let worm = &story.worm;
            PageWorm {
                id,
                source: worm.source.0,
                to: worm.destinations.iter().map(|node| node.0).collect(),
                encoding: worm.encoding as u8,
                header: worm.header_flits,
                payload: worm.payload_flits,
                created: worm.created,
                injected: story.injected.or_else(|| Some(story.delivered.first()?.injected)),
                class: worm.class.number.map_or(0, NonZeroU8::get),
                header_bits: header_bits(network, site, worm.encoding, worm.source, &worm.destinations),
                delivered: story
                    .delivered
                    .iter()
                    .map(|d| (d.destination.0, d.injected, d.head, d.tail, d.flits))
                    .collect(),
            }
        };
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            network: network.describe(),
            seed: loaded.experiment.run.seed,
            shape,
            flit_bits: network.switch.flit_bits,
            arrival: network.switch.crossbar_cycles + network.link.link_cycles,
            injection_arrival: network.node.injection_link.link_cycles,
            consumption_arrival: network.switch.crossbar_cycles + network.node.consumption_link.link_cycles,
            causes: accounts::causes(),
            states: LaneState::ALL.map(LaneState::name),
            encodings: Encoding::ALL.iter().map(|encoding| encoding.name()).collect(),
            switches: scene.switches().map(|switch| scene.switch(switch)).collect(),
            nodes: nodes().map(|node| scene.node(node)).collect(),
            inputs: per_switch(lanes.inputs.count()).map(|(switch, lane)| scene.input(switch, lane)).collect(),
            outputs: outputs.map(|((switch, lane), before)| scene.output(switch, lane, before)).collect(),
            injections: injections.map(|((node, channel), before)| scene.injection(node, channel, before)).collect(),
            consumptions: per_node(lanes.consume)
                .map(|(node, channel)| PageConsumption { name: lanes.eject_name(channel), node: node.0 })
                .collect(),
            bytes: Bytes {
                inputs: lengths(&recorder.inputs),
                outputs: lengths(&recorder.outputs),
                injections: lengths(&recorder.injections),
                consumptions: lengths(&recorder.consumptions),
                stations: stations.iter().map(|at| recorder.stations[at.switch as usize].bytes().len()).collect(),
            },
            stations,
            lane_base: scene
                .switches()
                .map(|switch| [scene.input_index(switch, 0), scene.output_index(LaneRef { switch, lane: 0 })])
                .collect(),
            ports: port_names(network),
            groups: (0..wiring.ports()).map(|port| wiring.group(PortId(port)).0).collect(),
            worms: recorder.worms.iter().map(worm).collect(),
            deadlock: deadlock.map(|deadlock| scene.knot(deadlock)),
            failures: &[],
            warnings: &[],
            changed: changed(loaded).into_iter().map(|of| [of.path, of.value, of.default]).collect(),
            workload: workload(loaded),
            brief: Vec::new(),
            report: String::new(),
            freed: None,
            advised: None,
        })
    }

    /// The events, in the order of their lengths in the data, then the accounts of the worms.
    pub fn events(&self, recorder: &Recorder, told: &BTreeMap<u32, Account>) -> Vec<u8> {
        let mut all = Vec::new();
        recorder.inputs.iter().map(Kept::bytes).for_each(|bytes| all.extend_from_slice(bytes));
        for channels in [&recorder.outputs, &recorder.injections, &recorder.consumptions] {
            channels.iter().map(Kept::bytes).for_each(|bytes| all.extend_from_slice(bytes));
        }
        for at in &self.stations {
            all.extend_from_slice(recorder.stations[at.switch as usize].bytes());
        }
        let mut track = Track::default();
        self.worms.iter().for_each(|worm| accounts::tell(told.get(&worm.id), &mut track));
        all.extend(track.bytes);
        all
    }
}
