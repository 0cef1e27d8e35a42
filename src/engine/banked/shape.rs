//! Constants of a built network, in the layout of banks.

use std::array;
use std::ops::{Deref, DerefMut};

use wormscope_hw::{Acquisition, Replication, SwitchId, reservation};

use super::address::{Far, Line};
use super::switch::{Arrivals, Bank, Fields, InLane, LANES, OutLane, Params, Reader, Reg, Writer};
use super::wires::WireRings;
use crate::shape;
use wormscope_network::{Built, End};

/// Everything fixed about a network.
#[derive(Clone, Debug)]
pub(crate) struct BankedShape {
    /// Constants that all engines know.
    of_network: shape::Shape,
    /// Parameters of every switch, in the form for banks.
    pub(super) params: Params,
    /// Fields of a mask for the injection lanes of the nodes of a bank.
    pub(super) channels: Fields,
    /// Nodes do not take every flit at once.
    pub(super) sinks: bool,
    /// Length of the rings of wires: more cycles than every delay.
    pub(super) slots: usize,
}

impl Deref for BankedShape {
    type Target = shape::Shape;

    fn deref(&self) -> &shape::Shape {
        &self.of_network
    }
}

impl DerefMut for BankedShape {
    fn deref_mut(&mut self) -> &mut shape::Shape {
        &mut self.of_network
    }
}

/// The far end is a node.
fn is_node(far: Far) -> bool {
    far != Far::NOWHERE && far.is_node()
}

impl BankedShape {
    /// The same as [`shape::Shape::new`].
    #[must_use]
    pub fn new(built: &Built, bit_strings: bool) -> Self {
        let of_network = shape::Shape::new(built, bit_strings);
        let shape::Shape { switch, node, lanes, virtual_channels, node_channels, delays, .. } = &of_network;
        let mut params = Params {
            in_lanes: lanes.inputs.count(),
            out_lanes: lanes.outputs.count(),
            fields: Fields::new(lanes.inputs.count().max(lanes.outputs.count())),
            fifo_depth: of_network.fifo_depth.max(node.injection_depth),
            routing_cycles: switch.decoder.routing_cycles,
            allocation_register: switch.allocation_register,
            overlapped: switch.decoder.overlapped,
            replication: switch.replication,
            atomic: switch.acquisition == Acquisition::Atomic,
            arbiter: switch.arbiter,
            lane_choice: switch.lane_choice,
            order: [0; 64],
            rank: [0; 64],
            part_flits: switch.decoder.part_flits,
            group_lanes: switch.group_lanes.map(|lanes| lanes.0),
            link_first: [[0; 64]; 2],
            link_lanes: [*virtual_channels, *node_channels],
            shared_links: *virtual_channels > 1 || *node_channels > 1,
            token_ring: of_network.token_ring.is_some(),
        };
        for (place, &lane) in (0..).zip(&switch.order) {
            params.order[usize::from(place)] = lane;
            params.rank[usize::from(lane)] = place;
        }
        for lane in 0..params.out_lanes {
            for bit in (lane..params.fields.bits() as u8).step_by(params.fields.width.into()) {
                for (first, channels) in params.link_first.iter_mut().zip(params.link_lanes) {
                    first[bit as usize] = bit - lanes.outputs.within(lane) % channels;
                }
            }
        }
        let longest = [delays.flit, delays.credit, delays.inject, delays.inject_credit, delays.consume_credit];
        let longest = longest.into_iter().fold(1, u32::max);
        Self {
            params,
            channels: Fields::new(node.injection_lanes),
            sinks: false,
            slots: longest as usize + 1,
            of_network,
        }
    }

    /// The slot of the wires of a cycle.
    pub(super) fn slot(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize
    }

    /// The slot `delay` cycles after `slot`. `delay` is at most the longest delay.
    pub(super) fn slot_behind(&self, slot: usize, delay: u32) -> usize {
        let slot = slot + delay as usize;
        if slot >= self.slots { slot - self.slots } else { slot }
    }

    /// Far end of output `lane` of a switch; none if the lane does not exist there.
    fn to(&self, switch: u32, lane: u8) -> Far {
        match self.output(switch, lane) {
            Some((End::Switch(far, port), within)) => self.at(far, self.lanes.inputs.first(port.0) + within),
            Some((End::Node(node), within)) => Far::node(node.0, within),
            None => Far::NOWHERE,
        }
    }

    /// Far end of input `lane` of a switch.
    fn from(&self, switch: u32, lane: u8) -> Far {
        match self.input(switch, lane) {
            Some((End::Switch(far, port), within)) => self.at(far, self.lanes.outputs.first(port.0) + within),
            Some((End::Node(node), within)) => {
                let (bank, first) = self.channels.place(node.0);
                Far::node(bank, first + within)
            }
            None => Far::NOWHERE,
        }
    }

    /// Banks of switches.
    pub(super) fn banks(&self) -> u32 {
        self.switches.div_ceil(self.params.fields.count.into())
    }

    /// Banks of nodes.
    pub(super) fn node_banks(&self) -> u32 {
        self.nodes.div_ceil(self.channels.count.into())
    }

    /// The bank of a switch, and the first bit of its field in masks.
    #[inline(always)]
    pub(super) fn bank(&self, switch: u32) -> (u32, u8) {
        self.params.fields.place(switch)
    }

    /// The switch of a lane of a bank, and the number of the lane at this switch.
    #[inline(always)]
    pub(super) fn switch_of(&self, bank: u32, lane: u8) -> (u32, u8) {
        self.params.fields.owner(bank, lane)
    }

    /// Number of the first lane of a switch, counted over all switches.
    pub(super) fn first_lane(&self, switch: u32) -> usize {
        self.at(SwitchId(switch), 0).number()
    }

    /// Lane of a switch as the far end of a link.
    pub(super) fn at(&self, switch: SwitchId, lane: u8) -> Far {
        let (bank, first) = self.bank(switch.0);
        Far::switch(bank, first + lane)
    }

    /// A bank with nothing under way. Lanes that are none fill it up.
    pub(super) fn idle_bank(&self, bank: u32) -> Bank {
        let lane_of = |lane: usize, lanes: u8| {
            let used = self.params.fields.used(bank, self.switches) >> lane & 1 != 0;
            Some(self.switch_of(bank, lane as u8)).filter(|&(_, lane)| used && lane < lanes)
        };
        let from: [Far; LANES] =
            array::from_fn(|i| lane_of(i, self.params.in_lanes).map_or(Far::NOWHERE, |(s, l)| self.from(s, l)));
        let to: [Far; LANES] =
            array::from_fn(|o| lane_of(o, self.params.out_lanes).map_or(Far::NOWHERE, |(s, l)| self.to(s, l)));
        let (ins, outs) = (from.map(InLane::idle), to.map(OutLane::free));
        let of_nodes =
            |far: &[Far; LANES]| (0..LANES).filter(|&lane| is_node(far[lane])).fold(0, |lanes, lane| lanes | 1 << lane);
        let synchronous = self.params.replication == Replication::Synchronous;
        Bank {
            q: self.idle_masks(&outs),
            readers: from.map(|far| Reader::idle(self.line(far))),
            writers: to.map(|far| Writer::free(self.line(far))),
            from_nodes: of_nodes(&from),
            to_nodes: of_nodes(&to),
            ins,
            outs,
            locks: (0..LANES).filter(|_| synchronous).map(|_| reservation::Reg::default()).collect(),
            ahead: (0..LANES).flat_map(|_| self.params.arbiter.order(self.params.in_lanes)).collect(),
        }
    }

    /// The line through which flits or credits for `far` leave.
    pub(super) fn line(&self, far: Far) -> Line {
        if far.is_node() {
            Line::new(WireRings::<Arrivals>::nobody(self.banks() as usize) as u32, 0)
        } else {
            Line::new(far.instance(), far.lane())
        }
    }

    /// Masks of an idle bank with these output lanes.
    pub(super) fn idle_masks(&self, outs: &[OutLane]) -> Reg {
        let mut masks = Reg::idle(self.params.fifo_depth, self.params.fifo_depth.max(self.node.consumption_depth));
        for (lane, out) in outs.iter().enumerate() {
            masks.free |= u64::from(out.to != Far::NOWHERE) << lane;
            masks.credit |= 1 << lane;
            masks.credits.set(lane, self.credits(out.to));
        }
        masks
    }

    /// Credits, with nothing under way, of an output lane that leads to `to`.
    pub(super) fn credits(&self, to: Far) -> u16 {
        if is_node(to) { self.node.consumption_depth } else { self.fifo_depth }
    }

    /// FIFO cell `slot` of an input lane, counted over all switches.
    #[inline(always)]
    pub(super) fn cell(&self, input: usize, slot: u16) -> usize {
        input * self.params.fifo_depth as usize + slot as usize
    }
}
