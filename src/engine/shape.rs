//! What is fixed when a network is built: how lanes are numbered and wired, delays, routing, reachability.

use wormscope_hw::replication::Mode;
use wormscope_hw::switch::Params;
use wormscope_hw::{NodeId, PortId, SwitchId, header, sink};

use crate::config::{self, Acquisition, Arbiter, HeaderTiming, Replication};
use crate::routing::Routes;
use crate::topology::{End, Wiring};

/// Far end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Far {
    /// Switch, or node when `is_node`.
    pub instance: u32,
    /// Its lane, or channel of the node.
    pub lane: u8,
    /// The far end is a node.
    pub is_node: bool,
}

/// An unconnected lane's far end.
const NOWHERE: Far = Far { instance: u32::MAX, lane: 0, is_node: true };

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
    pub(super) nodes: u32,
    pub(super) switches: u32,
    pub(super) ports: u8,
    /// Classes of virtual channels: 2 in a torus with datelines, else 1.
    pub(super) classes: u8,
    /// Lanes of a port between switches.
    pub(super) port_lanes: u8,
    /// Virtual channels of each physical link.
    pub(super) virtual_channels: u8,
    pub(super) injection_channels: u8,
    pub(super) consumption_channels: u8,
    /// Slots of the wake wheel and of the rings of pins: a power of two above every delay.
    pub(super) wheel: usize,
    /// Of every output lane, switch-major: where it leads.
    pub(super) to: Vec<Far>,
    /// Of every input lane, switch-major: where it comes from.
    pub(super) from: Vec<Far>,
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
        let port_lanes = (s.dilation * s.virtual_channels) as u8;
        let virtual_channels = s.virtual_channels as u8;
        let (injection_channels, consumption_channels) = (n.injection_channels as u8, n.consumption_channels as u8);
        let between = (ports - 1) * port_lanes;
        let address_flits = header::flits(address_bits(nodes), s.flit_bits) as u16;

        let mut params = Params {
            in_lanes: between + injection_channels,
            out_lanes: between + consumption_channels,
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
            node_lanes: 0,
            shared_links: virtual_channels > 1,
        };
        for lane in 0..params.out_lanes {
            let l = lane as usize;
            if lane < between {
                let (port, vc) = (lane / port_lanes, lane % port_lanes % virtual_channels);
                let class = vc / (virtual_channels / classes);
                params.group_lanes[(port * classes + class) as usize] |= 1 << lane;
                params.link_first[l] = lane - vc;
                params.link_lanes[l] = virtual_channels;
            } else {
                params.group_lanes[((ports - 1) * classes) as usize] |= 1 << lane;
                params.link_first[l] = lane;
                params.node_lanes |= 1 << lane;
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

        let mut shape = Self {
            params,
            wiring,
            routes,
            delays,
            flit_bits: s.flit_bits,
            startup_cycles: n.startup_cycles,
            nodes,
            switches,
            ports,
            classes,
            port_lanes,
            virtual_channels,
            injection_channels,
            consumption_channels,
            wheel: (longest as usize + 1).next_power_of_two(),
            to: Vec::new(),
            from: Vec::new(),
            reach: Vec::new(),
        };
        shape.wire();
        if bit_strings {
            shape.find_reach();
        }
        shape
    }

    fn wire(&mut self) {
        let (ins, outs) = (self.params.in_lanes as usize, self.params.out_lanes as usize);
        let mut to = vec![NOWHERE; self.switches as usize * outs];
        let mut from = vec![NOWHERE; self.switches as usize * ins];
        for s in 0..self.switches {
            for port in 0..self.ports {
                match self.wiring.link(SwitchId(s), PortId(port)) {
                    None => {}
                    Some(End::Switch(far, far_port)) => {
                        for l in 0..self.port_lanes {
                            let (out, input) = (port * self.port_lanes + l, far_port.0 * self.port_lanes + l);
                            to[s as usize * outs + out as usize] = Far { instance: far.0, lane: input, is_node: false };
                            from[far.index() * ins + input as usize] = Far { instance: s, lane: out, is_node: false };
                        }
                    }
                    Some(End::Node(node)) => {
                        let first = port * self.port_lanes;
                        for c in 0..self.consumption_channels {
                            to[s as usize * outs + (first + c) as usize] =
                                Far { instance: node.0, lane: c, is_node: true };
                        }
                        for c in 0..self.injection_channels {
                            from[s as usize * ins + (first + c) as usize] =
                                Far { instance: node.0, lane: c, is_node: true };
                        }
                    }
                }
            }
        }
        (self.to, self.from) = (to, from);
    }

    fn find_reach(&mut self) {
        let words = self.reach_words();
        self.reach = vec![0; self.switches as usize * self.ports as usize * words];
        for s in 0..self.switches {
            for d in 0..self.nodes {
                let port = self.routes.port(SwitchId(s), NodeId(d));
                let at = (s as usize * self.ports as usize + port as usize) * words + d as usize / 64;
                self.reach[at] |= 1 << (d % 64);
            }
        }
    }

    pub(super) fn reach_words(&self) -> usize {
        self.nodes.div_ceil(64) as usize
    }

    /// Nodes that a port leads to, as words of bits.
    #[inline]
    pub(super) fn reach(&self, switch: u32, port: u8) -> &[u64] {
        let words = self.reach_words();
        &self.reach[(switch as usize * self.ports as usize + port as usize) * words..][..words]
    }

    /// Port of an input or output lane.
    #[inline(always)]
    pub(super) fn port_of(&self, lane: u8) -> u8 {
        (lane / self.port_lanes).min(self.ports - 1)
    }

    /// Number of a lane within its port.
    pub(super) fn lane_in_port(&self, lane: u8) -> u8 {
        lane - self.port_of(lane) * self.port_lanes
    }

    /// Lane group of output `port` for a worm that came in through input `lane`: its port and class of virtual channels.
    ///
    /// Classes are those of a torus with datelines: 0 before the wrap-around link of a dimension, 1 from it on.
    #[inline(always)]
    pub(super) fn group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        if self.classes == 1 { port } else { self.dateline_group(switch, lane, port) }
    }

    fn dateline_group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        let Wiring::Grid(grid) = &self.wiring;
        if port == self.ports - 1 {
            return port * self.classes;
        }
        let d = (port / 2) as usize;
        let (x, k) = (grid.coordinate(switch, d), grid.radices()[d]);
        let wraps = if port.is_multiple_of(2) { x == k - 1 } else { x == 0 };
        let same_dimension = self.port_of(lane) / 2 == port / 2 && self.port_of(lane) < self.ports - 1;
        let before = if same_dimension {
            self.lane_in_port(lane) % self.virtual_channels / (self.virtual_channels / self.classes)
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
