//! Controls of a network from outside: receive buffers and stalls.

use std::ops::Range;

use wormscope_hw::{NodeId, SwitchId};
use wormscope_network::channel::Arbitrated;

use super::Reference;

impl Reference {
    /// Limits the receive buffer of every consumption channel to `flits` payload flits.
    pub fn bound_receive_buffers(&mut self, flits: u32) {
        let channels = self.nodes.iter_mut().flat_map(|node| &mut node.q.consumptions);
        channels.for_each(|channel| channel.sink.space = Some(flits));
    }

    /// Removes `flits` payload flits from the receive buffer of a channel.
    pub fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        self.nodes[node.index()].freed[usize::from(channel)] += flits;
    }

    /// Lets no flit cross an output lane in some cycles.
    pub fn stall_output(&mut self, switch: SwitchId, lane: u8, cycles: Range<u64>) {
        self.stalls.outputs.push(((switch.0, lane), cycles));
    }

    /// Lets no flit leave a node through an injection channel in some cycles.
    pub fn stall_injection(&mut self, node: NodeId, channel: u8, cycles: Range<u64>) {
        self.stalls.injections.push(((node.0, channel), cycles));
    }

    /// Lets a node take no flit in some cycles.
    pub fn stall_node(&mut self, node: NodeId, cycles: Range<u64>) {
        self.stalls.nodes.push((node.0, cycles));
    }

    /// Lets a round robin arbiter put an input lane first in these cycles.
    pub fn turn(&mut self, arbiter: Arbitrated, input: u8, cycles: Range<u64>) {
        self.turns.push((cycles, arbiter, input));
    }

    /// Turns of this cycle.
    pub(super) fn take_turns(&mut self) {
        for &(_, arbiter, input) in self.turns.iter().filter(|(cycles, ..)| cycles.contains(&self.now)) {
            match arbiter {
                Arbitrated::Lane(switch, lane) => {
                    let place = self.shape.switch.order.iter().position(|&of| of == input).unwrap_or(0);
                    let outputs = &mut self.switches[switch.index()].q.outputs;
                    outputs[usize::from(lane)].allocator.arbiter.pointer = place as u8;
                }
                Arbitrated::Station(switch) => {
                    if let Some(station) = &mut self.switches[switch.index()].q.station {
                        station.pointer = input;
                    }
                }
            }
        }
    }

    /// Holds a token at the station of a switch in some cycles. A token released there in these
    /// cycles leaves after them.
    pub fn stall_station(&mut self, switch: SwitchId, cycles: Range<u64>) {
        self.stalls.stations.push((switch.0, cycles));
    }
}
