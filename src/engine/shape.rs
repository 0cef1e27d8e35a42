//! Constants of a network, for all engines: parameters of the blocks, numbers and wiring of the
//! lanes, delays, routing and reachability.

use wormscope_hw::header::{Layout, Worm};
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{
    Encoding, HeaderTiming, PortId, PortMask, SwitchId, WormId, decoder, link, node, sink, switch, token_station,
};

use super::event::{NewWorm, WormInfo, payload_word};
use super::flit_id::FlitId;
use super::reach;
use wormscope_network::routing::grouping::Group;
use wormscope_network::routing::{Routes, Stages, grouping};
use wormscope_network::{Built, End, Lanes, Wiring, header_flits_of, wires_beside};

/// Delays in cycles between an event and its effect at the neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    /// From the crossing to the next FIFO, between switches.
    pub flit: u32,
    /// From the pop to the usable credit, between switches.
    pub credit: u32,
    /// From leaving the node to the FIFO of the router.
    pub inject: u32,
    /// From the pop at the router to the usable credit at the node.
    pub inject_credit: u32,
    /// From the crossing to the arrival at the node.
    pub consume: u32,
    /// From the crossing to the usable credit of the consumption channel.
    pub consume_credit: u32,
}

/// Token rings.
#[derive(Clone, Debug)]
pub(super) struct TokenRings {
    /// Cycles from a station to the next.
    pub hop_cycles: u32,
    /// Flits after which a token is released, if they are given.
    pub release_flits: Option<u32>,
    /// Switches of each ring, in the order in which its token visits them.
    pub groups: Vec<Group>,
}

/// All constants of a network.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Parameters of every switch.
    pub(super) switch: switch::Params,
    /// Parameters of every node.
    pub(super) node: node::Params,
    pub(super) wiring: Wiring,
    pub(super) routes: Routes,
    pub(super) delays: Delays,
    /// Flits of the FIFO of an input lane from a switch.
    pub(super) fifo_depth: u16,
    pub(super) flit_bits: u32,
    /// Sizes that give the layout of a header.
    pub(super) layout: Layout,
    /// Whether the router of a source returns a copy of a multicast that names the source.
    pub(super) copies_to_source: bool,
    pub(super) startup_cycles: u32,
    /// Number of start-ups that a node works on at a time.
    pub(super) startups: u32,
    pub(super) nodes: u32,
    pub(super) switches: u32,
    pub(super) ports: u8,
    /// Classes of virtual channels: 2 in a torus with datelines, else 1.
    pub(super) classes: u8,
    /// Numbers of the lanes.
    pub(super) lanes: Lanes,
    /// Virtual channels of each physical link between switches.
    pub(super) virtual_channels: u8,
    /// Virtual channels of each physical link to a node.
    pub(super) node_channels: u8,
    pub(super) token_ring: Option<TokenRings>,
    /// Reachability of every (switch, port), `ceil(nodes / 64)` words each. Empty unless bit-string
    /// worms run.
    pub(super) reach: Vec<u64>,
    /// For each climb, the nodes on the side from which it leads up. These nodes mask a bit-string
    /// on the way up. Empty with one climb, which has all nodes.
    pub(super) sides: Vec<Vec<u64>>,
}

impl Shape {
    /// The shape of a network. `bit_strings` asks for the tables of reachability that bit-strings
    /// and masks need.
    #[must_use]
    pub fn new(built: &Built, bit_strings: bool) -> Self {
        let (network, wiring, routes) = (built.network(), built.wiring().clone(), built.routes().clone());
        let (s, n) = (&network.switch, &network.node);
        let ports = wiring.ports();
        let classes = network.classes() as u8;
        let lanes = network.lanes(&wiring);
        let virtual_channels = s.virtual_channels as u8;
        let layout = network.layout();
        let part_flits = Encoding::ALL.map(|enc| enc.header().part_flits(&layout).min(u32::from(u16::MAX)) as u16);
        let group_lanes = network.lane_groups(&wiring, lanes);
        let switch = switch::Params {
            decoder: decoder::Params {
                part_flits,
                routing_cycles: s.routing_cycles,
                overlapped: s.header_timing != HeaderTiming::Store,
            },
            group_lanes,
            replication: s.replication,
            acquisition: s.acquisition,
            arbiter: s.arbiter,
            lane_choice: s.lane_choice,
            order: network.input_order(lanes),
            allocation_register: s.allocation_cycles > 0,
        };
        let node = node::Params {
            injection_lanes: lanes.inject,
            link_lanes: network.node_channels() as u8,
            injection_depth: network.injection_depth() as u16,
            consumption_lanes: lanes.consume,
            consumption_depth: network.consumption_depth() as u16,
        };
        let crossbar = s.crossbar_cycles;
        let delays = Delays {
            flit: link::delay(crossbar, network.link.link_cycles),
            credit: network.link.credit_cycles,
            inject: n.injection_link.link_cycles,
            inject_credit: n.injection_link.credit_cycles,
            consume: link::delay(crossbar, n.consumption_link.link_cycles),
            consume_credit: sink::credit(crossbar, n.consumption_link.link_cycles, n.consumption_link.credit_cycles),
        };
        let token_ring = network.token_ring.map(|ring| TokenRings {
            hop_cycles: ring.hop_cycles,
            release_flits: ring.release_flits,
            groups: grouping::rings(network, &wiring),
        });
        let mut shape = Self {
            switch,
            node,
            delays,
            fifo_depth: s.fifo_depth as u16,
            flit_bits: s.flit_bits,
            layout,
            copies_to_source: s.copy_to_source,
            startup_cycles: n.startup_cycles,
            startups: n.ports,
            nodes: wiring.nodes(),
            switches: wiring.switches(),
            ports,
            classes,
            lanes,
            virtual_channels,
            node_channels: network.node_channels() as u8,
            token_ring,
            reach: Vec::new(),
            sides: Vec::new(),
            wiring,
            routes,
        };
        if bit_strings {
            shape.find_reach();
        }
        shape
    }

    /// The end that an output lane of a switch leads to, if the lane exists.
    pub(super) fn output(&self, switch: u32, lane: u8) -> Option<(End, u8)> {
        let (port, within) = (self.lanes.outputs.port(lane), self.lanes.outputs.within(lane));
        let end = self.wiring.output(SwitchId(switch), PortId(port))?;
        let lanes = if matches!(end, End::Node(_)) { self.lanes.consume } else { self.lanes.link };
        (within < lanes).then_some((end, within))
    }

    /// The end that an input lane of a switch comes from, if the lane exists.
    pub(super) fn input(&self, switch: u32, lane: u8) -> Option<(End, u8)> {
        let (port, within) = (self.lanes.inputs.port(lane), self.lanes.inputs.within(lane));
        let end = self.wiring.input(SwitchId(switch), PortId(port))?;
        let lanes = if matches!(end, End::Node(_)) { self.lanes.inject } else { self.lanes.link };
        (within < lanes).then_some((end, within))
    }

    /// Flits of a worm that the hops after a switch can hold and strip. `to_come` switches are
    /// still to come.
    pub(super) fn token_bound(&self, to_come: u32, enc: Encoding) -> u32 {
        if let Some(flits) = self.token_ring.as_ref().and_then(|ring| ring.release_flits) {
            return flits.saturating_sub(1);
        }
        let stripped = if enc.header().each_switch_strips() { self.switch.decoder.part_flits[enc as usize] } else { 0 };
        token_station::bound(to_come, self.fifo_depth.into(), self.node.consumption_depth.into(), stripped.into())
    }

    /// Builds the tables of bit-string worms, unless they exist.
    pub(super) fn find_reach(&mut self) {
        if !self.reach.is_empty() {
            return;
        }
        self.reach = reach::tables(&self.wiring, &self.routes);
        if let climbs @ [_, _, ..] = self.wiring.climbs() {
            let ports = |climb: &Climb| PortMask::only(climb.first()) | climb.below;
            self.sides = climbs.iter().map(|climb| self.reach_of(0, ports(climb))).collect();
        }
    }

    pub(super) fn reach_words(&self) -> usize {
        self.nodes.div_ceil(64) as usize
    }

    /// Nodes that a port leads to, as words of bits. If routing may choose any port of a group, the
    /// first port has all nodes of the group.
    #[inline]
    pub(super) fn reach(&self, switch: u32, port: u8) -> &[u64] {
        let words = self.reach_words();
        &self.reach[(switch as usize * self.ports as usize + port as usize) * words..][..words]
    }

    /// Nodes that any of these ports leads to.
    fn reach_of(&self, switch: u32, ports: PortMask) -> Vec<u64> {
        ports.iter().fold(vec![0; self.reach_words()], |mut all, port| {
            all.iter_mut().zip(self.reach(switch, port)).for_each(|(all, word)| *all |= word);
            all
        })
    }

    /// Mask of a bit-string that leaves through an output lane. There is none on the only way up,
    /// unless the worm turns to nodes below on its way.
    pub(super) fn mask(&self, switch: u32, lane: u8) -> Option<&[u64]> {
        let port = self.lanes.outputs.port(lane);
        let climbs = self.wiring.climbs();
        match climbs.iter().position(|climb| climb.ports.has(port)) {
            // Destinations that the worm turns to here do not go on up.
            Some(climb) if climbs[climb].below.is_empty() => Some(self.reach(switch, climbs[climb].first())),
            Some(climb) => self.sides.get(climb).map(Vec::as_slice),
            None => Some(self.reach(switch, port)),
        }
    }

    /// Lane group of output `port`, for a worm that came in through input `lane`. The group depends
    /// on the port and the class of virtual channels.
    #[inline(always)]
    pub(super) fn group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        if self.classes == 1 { port } else { self.class_group(switch, lane, port) }
    }

    fn class_group(&self, switch: u32, lane: u8, port: u8) -> u8 {
        let from = self.lanes.inputs.port(lane);
        let of_class = self.virtual_channels / self.classes;
        let before = self.lanes.inputs.within(lane) % self.virtual_channels / of_class;
        port * self.classes + self.wiring.class(SwitchId(switch), PortId(from), before, PortId(port))
    }

    /// The facts about a worm for observers.
    pub(super) fn info(&self, id: WormId, worm: &NewWorm, measured: bool) -> WormInfo {
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

    /// Header flits of a worm at injection.
    fn header_flits(&self, worm: &NewWorm) -> u32 {
        header_flits_of(&self.layout, &self.wiring, worm.encoding, worm.source, &worm.destinations)
    }

    /// The words of a worm's header at injection.
    pub(super) fn header(&self, worm: &WormInfo) -> Vec<u64> {
        let masks =
            || Stages::of(&self.wiring).map_or_else(Vec::new, |stages| stages.masks(worm.source, &worm.destinations));
        worm.encoding.header().words(&Worm {
            layout: &self.layout,
            destinations: &worm.destinations,
            port_masks: &masks,
        })
    }

    /// Appends the data of flit `index` of a worm's header to `data`, in words. `words` is the rest
    /// of the header, and `mask` its mask, if there is one.
    pub(super) fn header_data(
        &self,
        info: &WormInfo,
        index: u32,
        words: &[u64],
        mask: Option<&[u64]>,
        data: &mut Vec<u64>,
    ) {
        let header = info.encoding.header();
        let part = header.part_flits(&self.layout);
        // Stripped parts are missing from the front.
        let behind = (info.header_flits - 1 - index) / part;
        let masked = |n: usize| {
            let word = header.word(words, behind as usize, n);
            mask.map_or(word, |mask| word & mask.get(n).copied().unwrap_or(0))
        };
        for w in 0..self.flit_bits.div_ceil(64) {
            let bits = (self.flit_bits - w * 64).min(64);
            data.push(chunk(masked, index % part * self.flit_bits + w * 64) & u64::MAX >> (64 - bits));
        }
    }

    /// Appends the data of a payload flit to `data`, in words.
    #[inline(always)]
    pub(super) fn payload_data(&self, flit: FlitId, data: &mut Vec<u64>) {
        if self.flit_bits == u64::BITS {
            data.push(payload_word(flit.worm, flit.index, 0, u64::BITS));
        } else {
            let words = 0..self.flit_bits.div_ceil(64);
            data.extend(words.map(|w| payload_word(flit.worm, flit.index, w, self.flit_bits)));
        }
    }

    /// Bits of flit `index` of a header of `flits` flits, bit 0 first. `words` is the rest of the
    /// header, and `mask` its mask, if there is one.
    pub(super) fn header_bits(
        &self,
        encoding: Encoding,
        flits: u32,
        index: u32,
        words: &[u64],
        mask: Option<&[u64]>,
    ) -> Vec<bool> {
        let header = encoding.header();
        let part = header.part_flits(&self.layout);
        // Stripped parts are missing from the front.
        let behind = (flits - 1 - index) / part;
        let word = |n: usize| {
            let mask = mask.map_or(u64::MAX, |mask| mask.get(n).copied().unwrap_or(0));
            header.word(words, behind as usize, n) & mask
        };
        let first = index % part * self.flit_bits;
        (first..first + self.flit_bits).map(|bit| word(bit as usize / 64) >> (bit % 64) & 1 != 0).collect()
    }

    /// Bits of a header that wires beside the data carry, bit 0 first: one part after the other.
    /// None if flits carry it.
    pub(super) fn header_beside(&self, encoding: Encoding, words: &[u64]) -> Vec<bool> {
        let (header, bits) = (encoding.header(), wires_beside(&self.layout, encoding));
        let part = header.part_bits(&self.layout);
        let set = |bit: u32| {
            // The words have the last part first.
            let behind = (bits - 1 - bit) / part;
            let within = bit % part;
            header.word(words, behind as usize, within as usize / 64) >> (within % 64) & 1 != 0
        };
        (0..bits).map(set).collect()
    }
}

/// 64 bits from bit `from` on.
fn chunk(word: impl Fn(usize) -> u64, from: u32) -> u64 {
    let (i, shift) = (from as usize / 64, from % 64);
    if shift == 0 { word(i) } else { word(i) >> shift | word(i + 1) << (64 - shift) }
}
