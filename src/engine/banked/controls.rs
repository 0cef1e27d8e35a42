//! Controls of a network by a testbench, besides the worms that it sends: stalls and receive
//! buffers.

use std::ops::Range;

use super::Engine;
use super::address::Far;
use super::fabric::Fabric;
use super::sinks::Sinks;
use super::switch::LANES;
use wormscope_hw::{NodeId, SwitchId};
use wormscope_network::channel::Arbitrated;

impl Engine {
    /// Lets no flit cross an output lane of a switch in the cycles of `stall`, before the first
    /// cycle of a run. A stall is finite, so flits that wait for the link count as able to move.
    pub fn stall_output(&mut self, switch: SwitchId, lane: u8, stall: &Range<u64>) {
        let lane = self.shape.at(switch, lane);
        self.stalls.add(lane, stall);
    }

    /// Lets no flit leave a node through an injection channel in the cycles of `stall`, before the
    /// first cycle of a run.
    pub fn stall_injection(&mut self, node: NodeId, channel: u8, stall: &Range<u64>) {
        let (bank, first) = self.shape.channels.place(node.0);
        self.stalls.add(Far::node(bank, first + channel), stall);
    }

    /// Stalls the station of a switch in the cycles of `stall`, before the first cycle of a run. A
    /// token at the station is not captured and does not move on. A token that is released at the
    /// station leaves after the stall. A switch without a station has no stall.
    pub fn stall_station(&mut self, switch: SwitchId, stall: Range<u64>) {
        self.fabric.aside.rings.stall(switch.0, stall);
    }

    /// Lets a round robin arbiter put an input lane first in these cycles. Call this before the
    /// first cycle of a run.
    pub fn turn(&mut self, arbiter: Arbitrated, input: u8, cycles: Range<u64>) {
        self.turns.push((cycles, arbiter, input));
    }

    /// Turns of this cycle.
    pub(super) fn take_turns(&mut self) {
        for (_, arbiter, input) in self.turns.iter().filter(|(cycles, ..)| cycles.contains(&self.now)) {
            match *arbiter {
                Arbitrated::Lane(switch, lane) => {
                    let lane = self.shape.first_lane(switch.0) + usize::from(lane);
                    self.banks.output_mut(lane).pointer = self.shape.params.rank[usize::from(*input)];
                }
                Arbitrated::Station(switch) => {
                    if let Some(station) = self.fabric.aside.rings.station_mut(switch.0) {
                        station.pointer = *input;
                    }
                }
            }
        }
    }

    /// Lets a node take no flit in the cycles of `stall`, before the first cycle of a run. A stall
    /// is finite, so flits that wait for the node count as able to move.
    pub fn stall(&mut self, node: NodeId, stall: Range<u64>) {
        self.sinks().stall(node, stall);
    }

    /// Limits the receive buffer of every consumption channel to `flits` payload flits. Call this
    /// before the first cycle of a run. The caller must free them at some time, by
    /// [`Engine::free_receive_buffer`]: a flit that waits for a full buffer counts as able to move.
    /// A message longer than the buffer never wholly arrives.
    pub fn bound_receive_buffers(&mut self, flits: u32) {
        self.sinks().bound(flits);
    }

    /// A node has received a message: its payload flits leave the receive buffer of the channel.
    /// Their space is used from the next cycle on.
    pub fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        if let Some(sinks) = &mut self.fabric.aside.sinks {
            sinks.free(node, channel, flits);
        }
    }

    fn sinks(&mut self) -> &mut Sinks {
        let shape = &mut self.shape;
        shape.sinks = true;
        let new = || Box::new(Sinks::new(shape.nodes, shape.node.consumption_lanes));
        self.fabric.aside.sinks.get_or_insert_with(new)
    }

    /// Stalls that begin and end in this cycle.
    pub(super) fn stall_edges(&mut self) {
        while let Some((lane, is_node, is_stalled)) = self.stalls.take(self.now) {
            let (bank, bit) = ((lane / LANES) as u32, 1 << (lane % LANES));
            if is_node {
                self.fabric.nodes.wake(self.slot, bank, bit);
                continue;
            }
            let registers = &mut self.banks.0[bank as usize];
            if is_stalled {
                registers.stall(bit);
            } else {
                registers.resume(self.now as u32, bit, &mut self.account);
            }
            self.fabric.switches.wake(self.slot, bank, bit);
        }
    }

    /// Nodes take flits, once a cycle.
    pub(super) fn take_flits(&mut self, watched: bool) {
        let Fabric { switches, aside, .. } = &mut self.fabric;
        let Some(sinks) = &mut aside.sinks else { return };
        let delays = &self.shape.delays;
        let slot = self.shape.slot_behind(self.slot, delays.consume_credit - delays.consume);
        for (bank, lane, to, flit) in sinks.take(self.now) {
            let at = switches.edge(slot) + bank as usize;
            switches.rings[at].credits |= 1 << lane;
            switches.mark_instance(slot, bank);
            if watched {
                aside.flit_arrives(&self.worms, self.now, lane, to, flit);
            }
            if flit.is_head() {
                aside.head_arrives(&self.shape, &self.worms, self.now, to, flit);
            }
            if flit.is_tail() {
                aside.tail_arrives(&self.shape, &mut self.worms, self.now, to, flit);
            }
        }
    }
}
