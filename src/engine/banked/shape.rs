//! What is fixed when a network is built: how lanes are numbered and wired, delays, routing,
//! reachability.

use std::array;

use super::address::{Far, Line};
use super::switch::{Arrivals, Bank, Fields, InLane, LANES, OutLane, Params, Reader, Reg, Writer};
use wormscope_hw::header::{Layout, Worm};
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Acquisition, Encoding, HeaderTiming, PortId, SwitchId, WormId, bits, sink, token_ring};

use super::reach;
use crate::network::routing::grouping::Group;
use crate::network::routing::{Routes, Stages, grouping};
use crate::network::{End, Lanes, Network, Wiring};

use super::wires::Wires;
use crate::engine::event::{NewWorm, WormInfo};

/// Delays in cycles between an event and its effect at the neighbour.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Delays {
    /// Crossing to next FIFO, between switches.
    pub flit: u32,
    /// Pop to usable credit, between switches.
    pub credit: u32,
    /// Leaving the node to the router's FIFO.
    pub inject: u32,
    /// Pop at the router to usable credit at the node.
    pub inject_credit: u32,
    /// Crossing to arrival at the node.
    pub consume: u32,
    /// Crossing to usable credit of the consumption channel.
    pub consume_credit: u32,
}

/// Token rings.
#[derive(Clone, Debug)]
pub(in crate::engine) struct TokenRings {
    /// Cycles from a station to the next.
    pub hop_cycles: u32,
    /// Switches of each ring, in the order in which its token visits them.
    pub groups: Vec<Group>,
}

/// Everything fixed about a network.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(in crate::engine) params: Params,
    pub(in crate::engine) wiring: Wiring,
    pub(in crate::engine) routes: Routes,
    pub(in crate::engine) delays: Delays,
    pub(in crate::engine) flit_bits: u32,
    /// Sizes that headers are laid out by.
    pub(in crate::engine) layout: Layout,
    pub(in crate::engine) startup_cycles: u32,
    /// Start-ups a node works on at a time.
    pub(in crate::engine) startups: u32,
    pub(in crate::engine) nodes: u32,
    pub(in crate::engine) switches: u32,
    pub(in crate::engine) ports: u8,
    /// Classes of virtual channels: 2 in a torus with datelines, else 1.
    pub(in crate::engine) classes: u8,
    /// How lanes are numbered.
    pub(in crate::engine) lanes: Lanes,
    /// Virtual channels of each physical link.
    pub(in crate::engine) virtual_channels: u8,
    pub(in crate::engine) injection_channels: u8,
    /// How the injection channels of the nodes of a bank lie side by side.
    pub(in crate::engine) channels: Fields,
    pub(in crate::engine) consumption_channels: u8,
    pub(in crate::engine) consumption_depth: u16,
    /// Nodes do not take every flit at once.
    pub(in crate::engine) sinks: bool,
    pub(in crate::engine) token_ring: Option<TokenRings>,
    /// Length of the rings of wires: more cycles than every delay.
    pub(in crate::engine) slots: usize,
    /// Reachability of every (switch, port), `ceil(nodes / 64)` words each; empty unless bit-string
    /// worms run.
    pub(in crate::engine) reach: Vec<u64>,
    /// By climb, the nodes on the side that it leads up from: what a bit-string on the way up is
    /// masked with. Nothing where there is one climb, which has all nodes.
    pub(in crate::engine) sides: Vec<Vec<u64>>,
}

/// There is a node.
fn is_node(far: Far) -> bool {
    far != Far::NOWHERE && far.is_node()
}

impl Shape {
    /// The shape of a validated network. `bit_strings` asks for the tables that bit-string worms
    /// need.
    #[must_use]
    pub fn new(network: &Network, wiring: Wiring, routes: Routes, bit_strings: bool) -> Self {
        let (s, n) = (&network.switch, &network.node);
        let ports = wiring.ports();
        let switches = wiring.switches();
        let nodes = wiring.nodes();
        let classes = network.classes() as u8;
        let lanes = network.lanes(&wiring);
        let virtual_channels = s.virtual_channels as u8;
        let (injection_channels, consumption_channels) = (n.injection_channels as u8, n.consumption_channels as u8);
        let layout = network.layout();
        let part_flits = Encoding::ALL.map(|enc| enc.header().part_flits(&layout).min(u32::from(u16::MAX)) as u16);

        let mut params = Params {
            in_lanes: lanes.inputs.count(),
            out_lanes: lanes.outputs.count(),
            fields: Fields::new(lanes.inputs.count().max(lanes.outputs.count())),
            fifo_depth: s.fifo_depth as u16,
            routing_cycles: s.routing_cycles,
            allocation_register: s.allocation_cycles > 0,
            overlapped: s.header_timing == HeaderTiming::Overlapped,
            replication: s.replication,
            atomic: s.acquisition == Acquisition::Atomic,
            arbiter: s.arbiter,
            order: [0; 64],
            rank: [0; 64],
            part_flits,
            group_lanes: [0; 64],
            link_first: [0; 64],
            link_lanes: [1; 64],
            shared_links: virtual_channels > 1,
            token_ring: network.token_ring.is_some(),
        };
        for (place, lane) in (0..).zip(network.input_order(lanes)) {
            params.order[usize::from(place)] = lane;
            params.rank[usize::from(lane)] = place;
        }
        for lane in 0..params.out_lanes {
            let port = lanes.outputs.port(lane);
            let vc = lanes.outputs.within(lane) % virtual_channels;
            // The channels of a node that has a port of its own are of one class.
            let of_node = classes > 1 && port + 1 == ports;
            let class = if of_node { 0 } else { vc / (virtual_channels / classes) };
            params.group_lanes[(wiring.group(PortId(port)).0 * classes + class) as usize] |= 1 << lane;
            for bit in (lane..params.fields.bits() as u8).step_by(params.fields.width.into()) {
                params.link_first[bit as usize] = bit - vc;
                params.link_lanes[bit as usize] = virtual_channels;
            }
        }

        let crossbar = s.crossbar_cycles;
        let delays = Delays {
            flit: crossbar + network.link.link_cycles,
            credit: network.link.credit_cycles,
            inject: n.injection_link.link_cycles,
            inject_credit: n.injection_link.credit_cycles,
            consume: sink::arrival(crossbar, n.consumption_link.link_cycles),
            consume_credit: sink::credit(crossbar, n.consumption_link.link_cycles, n.consumption_link.credit_cycles),
        };
        let longest = [delays.flit, delays.credit, delays.inject, delays.inject_credit, delays.consume_credit];
        let longest = longest.into_iter().fold(1, u32::max);

        let token_ring = network.token_ring.map(|ring| TokenRings {
            hop_cycles: ring.hop_cycles,
            groups: grouping::of(&wiring, network.last_stage_blocks()),
        });
        let mut shape = Self {
            params,
            wiring,
            routes,
            delays,
            flit_bits: s.flit_bits,
            layout,
            startup_cycles: n.startup_cycles,
            startups: n.ports,
            nodes,
            switches,
            ports,
            classes,
            lanes,
            virtual_channels,
            injection_channels,
            channels: Fields::new(injection_channels),
            consumption_channels,
            consumption_depth: n.consumption_depth.unwrap_or(s.fifo_depth) as u16,
            sinks: false,
            token_ring,
            slots: longest as usize + 1,
            reach: Vec::new(),
            sides: Vec::new(),
        };
        if bit_strings {
            shape.find_reach();
        }
        shape
    }

    /// The slot of the wires of a cycle.
    pub(in crate::engine) fn slot(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize
    }

    /// The slot `delay` cycles behind `slot`, at most the longest delay.
    pub(in crate::engine) fn slot_behind(&self, slot: usize, delay: u32) -> usize {
        let slot = slot + delay as usize;
        if slot >= self.slots { slot - self.slots } else { slot }
    }

    /// Where output `lane` of a switch leads; nowhere when it does not exist there.
    fn to(&self, switch: u32, lane: u8) -> Far {
        let (port, l) = (self.lanes.outputs.port(lane), self.lanes.outputs.within(lane));
        match self.wiring.output(SwitchId(switch), PortId(port)) {
            Some(End::Switch(far, port)) if l < self.lanes.link => self.at(far, self.lanes.inputs.first(port.0) + l),
            Some(End::Node(node)) if l < self.consumption_channels => Far::node(node.0, l),
            _ => Far::NOWHERE,
        }
    }

    /// Where input `lane` of a switch comes from.
    fn from(&self, switch: u32, lane: u8) -> Far {
        let (port, l) = (self.lanes.inputs.port(lane), self.lanes.inputs.within(lane));
        match self.wiring.input(SwitchId(switch), PortId(port)) {
            Some(End::Switch(far, port)) if l < self.lanes.link => self.at(far, self.lanes.outputs.first(port.0) + l),
            Some(End::Node(node)) if l < self.injection_channels => {
                let (bank, first) = self.channels.place(node.0);
                Far::node(bank, first + l)
            }
            _ => Far::NOWHERE,
        }
    }

    /// Banks of switches.
    pub(in crate::engine) fn banks(&self) -> u32 {
        self.switches.div_ceil(self.params.fields.count.into())
    }

    /// Banks of nodes.
    pub(in crate::engine) fn node_banks(&self) -> u32 {
        self.nodes.div_ceil(self.channels.count.into())
    }

    /// The bank of a switch, and where its field in masks begins.
    #[inline(always)]
    pub(in crate::engine) fn bank(&self, switch: u32) -> (u32, u8) {
        self.params.fields.place(switch)
    }

    /// The switch that a lane of a bank belongs to, and the lane's number there.
    #[inline(always)]
    pub(in crate::engine) fn switch_of(&self, bank: u32, lane: u8) -> (u32, u8) {
        self.params.fields.owner(bank, lane)
    }

    /// Number of the first lane of a switch, counted over all switches.
    pub(in crate::engine) fn first_lane(&self, switch: u32) -> usize {
        self.at(SwitchId(switch), 0).number()
    }

    /// Lane of a switch as the far end of a link.
    pub(in crate::engine) fn at(&self, switch: SwitchId, lane: u8) -> Far {
        let (bank, first) = self.bank(switch.0);
        Far::switch(bank, first + lane)
    }

    /// A bank with nothing under way. Lanes that are none fill it up.
    pub(in crate::engine) fn idle_bank(&self, bank: u32) -> Bank {
        let lane_of = |lane: usize, lanes: u8| {
            let used = self.params.fields.used(bank, self.switches) >> lane & 1 != 0;
            Some(self.switch_of(bank, lane as u8)).filter(|&(_, lane)| used && lane < lanes)
        };
        let from = |lane| lane_of(lane, self.params.in_lanes).map_or(Far::NOWHERE, |(s, l)| self.from(s, l));
        let to = |lane| lane_of(lane, self.params.out_lanes).map_or(Far::NOWHERE, |(s, l)| self.to(s, l));
        let (ins, outs) =
            (array::from_fn(|lane| InLane::idle(from(lane))), array::from_fn(|lane| OutLane::free(to(lane))));
        let of_nodes = |far: &dyn Fn(usize) -> Far| {
            (0..LANES).filter(|&lane| is_node(far(lane))).fold(0, |lanes, lane| lanes | 1 << lane)
        };
        Bank {
            q: self.idle_masks(&outs),
            readers: array::from_fn(|lane| Reader::idle(self.line(from(lane)))),
            writers: array::from_fn(|lane| Writer::free(self.line(to(lane)))),
            from_nodes: of_nodes(&from),
            to_nodes: of_nodes(&to),
            ins,
            outs,
            ahead: (0..LANES).flat_map(|_| self.params.arbiter.order(self.params.in_lanes)).collect(),
        }
    }

    /// What flits or credits for `far` leave through.
    pub(in crate::engine) fn line(&self, far: Far) -> Line {
        if far.is_node() {
            Line::new(Wires::<Arrivals>::nobody(self.banks() as usize) as u32, 0)
        } else {
            Line::new(far.instance(), far.lane())
        }
    }

    /// Masks of a bank with nothing under way, given where its output lanes lead.
    pub(in crate::engine) fn idle_masks(&self, outs: &[OutLane]) -> Reg {
        let mut masks = Reg::idle(self.params.fifo_depth, self.params.fifo_depth.max(self.consumption_depth));
        for (lane, out) in outs.iter().enumerate() {
            masks.free |= u64::from(out.to != Far::NOWHERE) << lane;
            masks.credit |= 1 << lane;
            masks.credits.set(lane, self.credits(out.to));
        }
        masks
    }

    /// Credits, with nothing under way, of an output lane that leads to `to`.
    pub(in crate::engine) fn credits(&self, to: Far) -> u16 {
        if is_node(to) { self.consumption_depth } else { self.params.fifo_depth }
    }

    /// Flits that the hops behind a switch can hold of a worm, `to_come` switches before its nodes,
    /// and strip of it.
    pub(in crate::engine) fn token_bound(&self, to_come: u32, enc: Encoding) -> u32 {
        let stripped = if enc.header().each_switch_strips() { self.params.part_flits[enc as usize] } else { 0 };
        token_ring::bound(to_come, self.params.fifo_depth.into(), self.consumption_depth.into(), stripped.into())
    }

    /// Builds the tables of bit-string worms, unless they are there.
    pub(in crate::engine) fn find_reach(&mut self) {
        if !self.reach.is_empty() {
            return;
        }
        self.reach = reach::tables(&self.wiring, &self.routes);
        if let climbs @ [_, _, ..] = self.wiring.climbs() {
            let ports = |climb: &Climb| 1 << climb.first() | climb.below;
            self.sides = climbs.iter().map(|climb| self.reach_of(0, ports(climb))).collect();
        }
    }

    pub(in crate::engine) fn reach_words(&self) -> usize {
        self.nodes.div_ceil(64) as usize
    }

    /// Nodes that a port leads to, as words of bits; of a group of ports where routing is adaptive
    /// the first port has all.
    #[inline]
    pub(in crate::engine) fn reach(&self, switch: u32, port: u8) -> &[u64] {
        let words = self.reach_words();
        &self.reach[(switch as usize * self.ports as usize + port as usize) * words..][..words]
    }

    /// Nodes that any of these ports leads to.
    fn reach_of(&self, switch: u32, ports: u64) -> Vec<u64> {
        bits(ports).fold(vec![0; self.reach_words()], |mut all, port| {
            all.iter_mut().zip(self.reach(switch, port as u8)).for_each(|(all, word)| *all |= word);
            all
        })
    }

    /// What a bit-string that leaves through an output lane is masked with; not at all on the only
    /// way up.
    pub(in crate::engine) fn mask(&self, switch: u32, lane: u8) -> Option<&[u64]> {
        let port = self.lanes.outputs.port(lane);
        match self.wiring.climbs().iter().position(|climb| climb.ports >> port & 1 != 0) {
            Some(climb) => self.sides.get(climb).map(Vec::as_slice),
            None => Some(self.reach(switch, port)),
        }
    }

    /// FIFO cell `slot` of an input lane, counted over all switches.
    #[inline(always)]
    pub(in crate::engine) fn cell(&self, input: usize, slot: u16) -> usize {
        input * self.params.fifo_depth as usize + slot as usize
    }

    /// Lane group of output `port` for a worm that came in through input `lane`: its port and class
    /// of virtual channels.
    #[inline(always)]
    pub(in crate::engine) fn group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        if self.classes == 1 { port } else { self.class_group(switch, lane, port) }
    }

    fn class_group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        let from = self.lanes.inputs.port(lane);
        let of_class = self.virtual_channels / self.classes;
        let before = self.lanes.inputs.within(lane) % self.virtual_channels / of_class;
        port * self.classes + self.wiring.class(SwitchId(switch), PortId(from), before, PortId(port))
    }

    /// A worm as it is told of, by its number.
    pub(in crate::engine) fn info(&self, id: WormId, worm: &NewWorm, measured: bool) -> WormInfo {
        WormInfo {
            id,
            source: worm.source,
            destinations: worm.destinations.clone(),
            encoding: worm.encoding,
            header_flits: self.header_flits(worm),
            payload_flits: worm.payload_flits,
            created: worm.cycle,
            measured,
            class: worm.class,
        }
    }

    /// Flits of a worm's header at injection.
    fn header_flits(&self, worm: &NewWorm) -> u32 {
        let header = worm.encoding.header();
        let stages = if header.each_switch_strips() { Stages::of(&self.wiring) } else { None };
        let switches = stages.map_or(0, |stages| stages.count(worm.source, &worm.destinations));
        header.part_flits(&self.layout) * header.parts(worm.destinations.len() as u32, switches)
    }

    /// The words of a worm's header at injection.
    pub(in crate::engine) fn header(&self, worm: &WormInfo) -> Vec<u64> {
        let masks =
            || Stages::of(&self.wiring).map_or_else(Vec::new, |stages| stages.masks(worm.source, &worm.destinations));
        worm.encoding.header().words(&Worm {
            layout: &self.layout,
            destinations: &worm.destinations,
            port_masks: &masks,
        })
    }
}
