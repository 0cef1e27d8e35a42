//! What is fixed when a network is built: how lanes are numbered and wired, delays, routing, reachability.

use wormscope_hw::link::Far;
use wormscope_hw::replication::Mode;
use wormscope_hw::switch::{InLane, OutLane, Params, Reg};
use wormscope_hw::{PortId, SwitchId, header, sink};

use super::reach;
use crate::config::{self, Acquisition, Arbiter, HeaderTiming, Replication};
use crate::routing::Routes;
use crate::topology::{End, Lanes, Wiring};

/// Delays in cycles between an event and its effect at the neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
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

/// Everything fixed about a network.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(super) params: Params,
    pub(super) wiring: Wiring,
    pub(super) routes: Routes,
    pub(super) delays: Delays,
    pub(super) flit_bits: u32,
    pub(super) startup_cycles: u32,
    /// Start-ups a node works on at a time.
    pub(super) startups: u32,
    pub(super) nodes: u32,
    pub(super) switches: u32,
    pub(super) ports: u8,
    /// Classes of virtual channels: 2 in a torus with datelines, else 1.
    pub(super) classes: u8,
    /// How lanes are numbered.
    pub(super) lanes: Lanes,
    /// Where routing is adaptive: the port that names the lanes of itself and all ports behind it; else beyond the last port.
    pub(super) up: u8,
    /// Virtual channels of each physical link.
    pub(super) virtual_channels: u8,
    pub(super) injection_channels: u8,
    pub(super) consumption_channels: u8,
    pub(super) consumption_depth: u16,
    /// Nodes do not take every flit at once.
    pub(super) sinks: bool,
    /// Length of the rings of wires: more cycles than every delay.
    pub(super) slots: usize,
    /// Reachability of every (switch, port), `ceil(nodes / 64)` words each; empty unless bit-string worms run.
    pub(super) reach: Vec<u64>,
}

impl Shape {
    /// The shape of a validated network. `bit_strings` asks for the tables that bit-string worms need.
    #[must_use]
    pub fn new(network: &config::Network, wiring: Wiring, routes: Routes, bit_strings: bool) -> Self {
        let (s, n) = (&network.switch, &network.node);
        let ports = wiring.ports();
        let switches = wiring.switches();
        let nodes = wiring.nodes();
        let classes = match network.topology {
            config::Topology::Torus { datelines: true, .. } => 2,
            _ => 1,
        };
        let lanes = network.lanes(&wiring);
        let up = wiring.up().map_or(ports, |port| port.0);
        let virtual_channels = s.virtual_channels as u8;
        let (injection_channels, consumption_channels) = (n.injection_channels as u8, n.consumption_channels as u8);
        let address_flits = header::flits(address_bits(nodes), s.flit_bits) as u16;

        let mut params = Params {
            in_lanes: lanes.inputs.count(),
            out_lanes: lanes.outputs.count(),
            fifo_depth: s.fifo_depth as u16,
            routing_cycles: s.routing_cycles,
            allocation_register: s.allocation_cycles > 0,
            overlapped: s.header_timing == HeaderTiming::Overlapped,
            replication: match s.replication {
                Replication::Asynchronous => Mode::Asynchronous,
                Replication::Lockstep => Mode::Lockstep,
                Replication::Buffered => Mode::Buffered,
                Replication::Sequential => Mode::Sequential,
            },
            atomic: s.acquisition == Acquisition::Atomic,
            fixed_priority: s.arbiter == Arbiter::FixedPriority,
            address_flits,
            bit_string_flits: header::flits(nodes, s.flit_bits).min(u32::from(u16::MAX)) as u16,
            group_lanes: [0; 64],
            link_first: [0; 64],
            link_lanes: [1; 64],
            shared_links: virtual_channels > 1,
        };
        for lane in 0..params.out_lanes {
            let (l, port) = (lane as usize, lanes.outputs.port(lane));
            let vc = lanes.outputs.within(lane) % virtual_channels;
            // The channels of a node that has a port of its own are of one class.
            let of_node = classes > 1 && port + 1 == ports;
            let class = if of_node { 0 } else { vc / (virtual_channels / classes) };
            params.group_lanes[(port.min(up) * classes + class) as usize] |= 1 << lane;
            params.link_first[l] = lane - vc;
            params.link_lanes[l] = virtual_channels;
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

        let mut shape = Self {
            params,
            wiring,
            routes,
            delays,
            flit_bits: s.flit_bits,
            startup_cycles: n.startup_cycles,
            startups: n.ports,
            nodes,
            switches,
            ports,
            classes,
            lanes,
            up,
            virtual_channels,
            injection_channels,
            consumption_channels,
            consumption_depth: n.consumption_depth.unwrap_or(s.fifo_depth) as u16,
            sinks: false,
            slots: longest as usize + 1,
            reach: Vec::new(),
        };
        if bit_strings {
            shape.find_reach();
        }
        shape
    }

    /// The slot of the wires of a cycle.
    pub(super) fn slot(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize
    }

    /// The slot `delay` cycles behind `slot`, at most the longest delay.
    pub(super) fn slot_behind(&self, slot: usize, delay: u32) -> usize {
        let slot = slot + delay as usize;
        if slot >= self.slots { slot - self.slots } else { slot }
    }

    /// Where output `lane` of a switch leads; nowhere when it does not exist there.
    fn to(&self, switch: u32, lane: u8) -> Far {
        let (port, l) = (self.lanes.outputs.port(lane), self.lanes.outputs.within(lane));
        match self.wiring.output(SwitchId(switch), PortId(port)) {
            Some(End::Switch(far, port)) if l < self.lanes.link => {
                Far::switch(far.0, self.lanes.inputs.first(port.0) + l)
            }
            Some(End::Node(node)) if l < self.consumption_channels => Far::node(node.0, l),
            _ => Far::NOWHERE,
        }
    }

    /// Where input `lane` of a switch comes from.
    fn from(&self, switch: u32, lane: u8) -> Far {
        let (port, l) = (self.lanes.inputs.port(lane), self.lanes.inputs.within(lane));
        match self.wiring.input(SwitchId(switch), PortId(port)) {
            Some(End::Switch(far, port)) if l < self.lanes.link => {
                Far::switch(far.0, self.lanes.outputs.first(port.0) + l)
            }
            Some(End::Node(node)) if l < self.injection_channels => Far::node(node.0, l),
            _ => Far::NOWHERE,
        }
    }

    /// Registers of all input lanes, switch-major.
    pub(super) fn in_lanes(&self) -> Vec<InLane> {
        self.all_lanes(self.params.in_lanes, |s, l| InLane::idle(self.from(s, l)))
    }

    /// Registers of all output lanes, switch-major.
    pub(super) fn out_lanes(&self) -> Vec<OutLane> {
        self.all_lanes(self.params.out_lanes, |s, l| {
            let to = self.to(s, l);
            OutLane::free(self.credits(to), to)
        })
    }

    /// Registers of all switches, given those of their output lanes.
    pub(super) fn switches(&self, outs: &[OutLane]) -> Vec<Reg> {
        let connected =
            |outs: &[OutLane]| outs.iter().rev().fold(0, |mask, o| mask << 1 | u64::from(o.to != Far::NOWHERE));
        let reg = |lanes| Reg { free: lanes, credit: lanes, ..Reg::default() };
        outs.chunks(self.params.out_lanes as usize).map(|outs| reg(connected(outs))).collect()
    }

    /// In one allocation of the right size: this is most of the memory of a large network.
    fn all_lanes<T>(&self, per_switch: u8, lane: impl Fn(u32, u8) -> T) -> Vec<T> {
        let mut lanes = Vec::with_capacity(self.switches as usize * per_switch as usize);
        for s in 0..self.switches {
            lanes.extend((0..per_switch).map(|l| lane(s, l)));
        }
        lanes
    }

    /// Credits, with nothing under way, of an output lane that leads to `to`.
    pub(super) fn credits(&self, to: Far) -> u16 {
        if to != Far::NOWHERE && to.is_node() { self.consumption_depth } else { self.params.fifo_depth }
    }

    /// Builds the tables of bit-string worms, unless they are there.
    pub(super) fn find_reach(&mut self) {
        if !self.reach.is_empty() {
            return;
        }
        self.reach = reach::tables(&self.wiring, &self.routes);
    }

    pub(super) fn reach_words(&self) -> usize {
        self.nodes.div_ceil(64) as usize
    }

    /// Nodes that a port leads to, as words of bits; of a group of ports where routing is adaptive the first port has all.
    #[inline]
    pub(super) fn reach(&self, switch: u32, port: u8) -> &[u64] {
        let words = self.reach_words();
        &self.reach[(switch as usize * self.ports as usize + port as usize) * words..][..words]
    }

    /// What a bit-string that leaves through an output lane is masked with; not at all on the way up.
    pub(super) fn mask(&self, switch: u32, lane: u8) -> Option<&[u64]> {
        let port = self.lanes.outputs.port(lane);
        (port < self.up).then(|| self.reach(switch, port))
    }

    /// FIFO cell `slot` of an input lane, counted over all switches.
    #[inline(always)]
    pub(super) fn cell(&self, switch: u32, lane: u8, slot: u16) -> usize {
        let fifo = switch as usize * self.params.in_lanes as usize + lane as usize;
        fifo * self.params.fifo_depth as usize + slot as usize
    }

    /// Lane group of output `port` for a worm that came in through input `lane`: its port and class of virtual channels.
    ///
    /// Classes are those of a torus with datelines: 0 before the wrap-around link of a dimension, 1 from it on.
    #[inline(always)]
    pub(super) fn group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        if self.classes == 1 { port } else { self.dateline_group(switch, lane, port) }
    }

    fn dateline_group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        let Wiring::Grid(grid) = &self.wiring else { return port };
        if port == self.ports - 1 {
            return port * self.classes;
        }
        let from = self.lanes.inputs.port(lane);
        let d = (port / 2) as usize;
        let (x, k) = (grid.coordinate(switch, d), grid.radices()[d]);
        let wraps = if port.is_multiple_of(2) { x == k - 1 } else { x == 0 };
        let same_dimension = from / 2 == port / 2 && from < self.ports - 1;
        let before = if same_dimension {
            self.lanes.inputs.within(lane) % self.virtual_channels / (self.virtual_channels / self.classes)
        } else {
            0
        };
        port * self.classes + before.max(u8::from(wraps))
    }

    /// Flits of a worm's header at injection.
    #[must_use]
    pub fn header_flits(&self, encoding: config::Encoding, destinations: usize) -> u32 {
        match encoding {
            config::Encoding::Unicast => u32::from(self.params.address_flits),
            config::Encoding::BitString => header::flits(self.nodes, self.flit_bits),
            config::Encoding::Multidestination => u32::from(self.params.address_flits) * destinations as u32,
        }
    }
}

/// Bits of a node's address: `ceil(log2 nodes)`, at least 1.
#[must_use]
pub fn address_bits(nodes: u32) -> u32 {
    (u32::BITS - nodes.saturating_sub(1).leading_zeros()).max(1)
}
