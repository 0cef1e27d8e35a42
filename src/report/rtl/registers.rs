//! Order of the registers in the lines that the testbench dumps.

use super::bits::{bits_of, index_bits, number};
use super::design::Twin;
use crate::hw::{Acquisition, Arbiter, NodeId, SwitchId};

/// A register of a block, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Register {
    /// Path below the network.
    pub path: String,
    /// Bits.
    pub width: usize,
}

/// The registers of one instance, in the order of a dumped vector, the lowest first.
#[derive(Clone, Debug)]
pub(super) struct RegisterList {
    pub registers: Vec<Register>,
}

impl RegisterList {
    fn push(&mut self, path: String, width: usize) {
        self.registers.push(Register { path, width });
    }

    /// Number of bits of the vector.
    pub fn width(&self) -> usize {
        self.registers.iter().map(|of| of.width).sum()
    }
}

/// Reads numbers from a dumped vector, one after the other.
pub(super) struct Digits<'a> {
    hex: &'a [u8],
    at: usize,
}

impl<'a> Digits<'a> {
    pub fn new(hex: &'a str) -> Self {
        Self { hex: hex.as_bytes(), at: 0 }
    }

    /// The next `width` bits, at most 64.
    pub fn next(&mut self, width: usize) -> u64 {
        let value = number(self.hex, self.at, width);
        self.at += width;
        value
    }

    /// Some bits `ahead` of the next register.
    pub fn peek(&self, ahead: usize, width: usize) -> u64 {
        number(self.hex, self.at + ahead, width)
    }

    /// Goes on behind `width` bits.
    pub fn skip(&mut self, width: usize) {
        self.at += width;
    }
}

/// Widths of the registers of a design.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    /// A flit at a node, and at a switch.
    pub flit: usize,
    pub switched: usize,
    pub wait: usize,
    pub groups: usize,
    pub lanes: usize,
    pub input: usize,
    pub turn: usize,
    pub inputs: usize,
    pub bound: usize,
    pub depth: usize,
    pub slot: usize,
    /// Whether there is one arbiter a switch.
    pub atomic: bool,
}

impl Widths {
    pub fn of(design: &Twin) -> Self {
        let (network, lanes) = (design.built.network(), design.constants.lanes());
        let outs = u32::from(lanes.outputs.count());
        let flit = (6 + design.word_bits() + super::design::WORM_BITS + super::design::INDEX_BITS) as usize;
        Self {
            flit,
            switched: flit + design.tree_bits(),
            wait: index_bits(network.switch.routing_cycles),
            groups: design.groups().into(),
            lanes: outs as usize,
            input: index_bits(lanes.inputs.count().into()),
            turn: if outs < 64 { bits_of(outs) } else { 6 },
            inputs: lanes.inputs.count().into(),
            bound: design.bound_bits() as usize,
            depth: design.depth_bits(),
            slot: index_bits(design.slots),
            atomic: network.switch.acquisition == Acquisition::Atomic,
        }
    }
}

/// The registers of a switch. Each input lane has a FIFO, a decoder and a replication unit. Each
/// output lane has a lane, a credit counter and a multiplexer. Then follows the allocator.
pub(super) fn switch(design: &Twin, switch: SwitchId) -> RegisterList {
    use crate::hw::header::Rom as _;
    let (constants, w, name) = (&design.constants, Widths::of(design), design.name(switch));
    let (lanes, rom) = (constants.lanes(), constants.rom(switch));
    let mut layout = RegisterList { registers: Vec::new() };
    for lane in (0..lanes.inputs.count()).filter(|&lane| constants.input(switch, lane).is_some()) {
        let of = |block: &str, register: &str| format!("{name}.in[{lane}].v.{block}.{register}");
        let depth = input_depth(design, switch, lane);
        layout.push(of("fifo", "count_q"), bits_of(depth));
        layout.push(of("fifo", "read_q"), index_bits(depth));
        layout.push(of("fifo", "cells_q"), depth as usize * w.switched);
        layout.push(of("decoder", "busy_q"), 1);
        layout.push(of("decoder", "enc_q"), 3);
        layout.push(of("decoder", "ready_q"), 1);
        layout.push(of("decoder", "stripped_q"), 1);
        layout.push(of("decoder", "decided_q"), 1);
        layout.push(of("decoder", "wait_q"), w.wait);
        layout.push(of("replication", "branches_q"), w.groups);
        layout.push(of("replication", "wanted_q"), w.groups);
        layout.push(of("replication", "lanes_q"), w.lanes);
        layout.push(of("replication", "taken_q"), w.lanes);
        if design.is_synchronous() {
            let of = |register: &str| format!("{name}.together.{register}");
            layout.push(format!("{name}.in[{lane}].v.decoder.trees.tree_q"), design.tree_bits());
            let (at, lanes) = (usize::from(lane), w.lanes);
            layout.push(of(&format!("reservation.lanes_q[{}+:{lanes}]", at * lanes)), lanes);
            layout.push(of(&format!("reservation.left_q[{}+:{}]", at * (w.depth + 1), w.depth + 1)), w.depth + 1);
            let slots = design.slots as usize;
            layout.push(of(&format!("feedback.arrived_q[{}+:{slots}]", at * slots)), slots);
        }
    }
    for lane in (0..lanes.outputs.count()).filter(|&lane| !rom.link(lane).is_empty()) {
        let of = |block: &str, register: &str| format!("{name}.out[{lane}].l.{block}.{register}");
        layout.push(of("lane", "owned_q"), 1);
        layout.push(of("lane", "owner_q"), w.input);
        layout.push(of("lane", "pending_q"), 1);
        layout.push(of("lane", "ahead_q"), bits_of(deepest(design, switch)));
        layout.push(of("credit", "count_q"), bits_of(depth(design, switch, lane)));
        let link = rom.link(lane);
        if link.count() > 1 && link.lowest().has(lane) {
            layout.push(of("shared.multiplexer", "pointer_q"), index_bits(link.count().into()));
        }
    }
    if !design.is_synchronous() {
        allocator(design, &name, &w, &mut layout);
    }
    if design.ring(switch).is_some() {
        let of = |register: &str| format!("{name}.token.token_station.{register}");
        layout.push(of("request_q"), w.inputs);
        layout.push(of("forwarded_q"), w.bound);
        layout.push(of("holder_q"), w.inputs);
        layout.push(of("pointer_q"), w.input);
    }
    layout
}

/// The registers of the allocator of a switch.
fn allocator(design: &Twin, name: &str, w: &Widths, layout: &mut RegisterList) {
    let matrix = design.built.network().switch.arbiter == Arbiter::Matrix;
    let (arbiters, allocator) = if w.atomic {
        (1, format!("{name}.all_or_none.allocator"))
    } else {
        (w.lanes, format!("{name}.one_by_one.allocator"))
    };
    layout.push(format!("{allocator}.pointer_q"), arbiters * w.input);
    if matrix {
        layout.push(format!("{allocator}.ahead_q"), arbiters * w.inputs * w.inputs);
    }
    if w.atomic {
        layout.push(format!("{allocator}.turn_q"), w.groups * w.turn);
    } else {
        for group in 0..design.groups() {
            layout.push(format!("{allocator}.group[{group}].turn_q"), w.turn);
        }
    }
}

/// Depth of the FIFO of an input lane.
pub(super) fn input_depth(design: &Twin, switch: SwitchId, lane: u8) -> u32 {
    design.built.network().depth_from(design.constants.input(switch, lane).map(|(end, _)| end))
}

/// Depth up to which the lanes of a switch count: that of its deepest FIFO, and at least that of
/// FIFOs between switches.
pub(super) fn deepest(design: &Twin, switch: SwitchId) -> u32 {
    let depths = (0..design.constants.lanes().inputs.count()).map(|lane| input_depth(design, switch, lane));
    depths.fold(design.built.network().switch.fifo_depth, u32::max)
}

/// Depth of the FIFO after an output lane.
pub(super) fn depth(design: &Twin, switch: SwitchId, lane: u8) -> u32 {
    design.built.network().depth_to(design.constants.output(switch, lane).map(|(end, _)| end))
}

/// The registers of a node. Each injection lane has an injector, a credit counter and a
/// multiplexer. Each consumption lane has a FIFO and a sink.
pub(super) fn node(design: &Twin, node: NodeId) -> RegisterList {
    let own = design.constants.node();
    let mut layout = RegisterList { registers: Vec::new() };
    for lane in 0..own.injection_lanes {
        let of = |block: &str, register: &str| format!("node{node}.inj[{lane}].{block}.{register}");
        layout.push(of("injector", "worm_q"), 32);
        layout.push(of("injector", "index_q"), 24);
        layout.push(of("injector", "left_q"), 24);
        layout.push(of("credit", "count_q"), bits_of(own.injection_depth.into()));
        if own.link_lanes > 1 && lane % own.link_lanes == 0 {
            layout.push(of("shared.multiplexer", "pointer_q"), index_bits(own.link_lanes.into()));
        }
    }
    let depth: u32 = own.consumption_depth.into();
    for lane in 0..own.consumption_lanes {
        let of = |block: &str, register: &str| format!("node{node}.ej[{lane}].{block}.{register}");
        layout.push(of("fifo", "count_q"), bits_of(depth));
        layout.push(of("fifo", "read_q"), index_bits(depth));
        layout.push(of("fifo", "cells_q"), depth as usize * Widths::of(design).flit);
        if design.space() > 0 {
            layout.push(of("sink", "bounded.space_q"), bits_of(design.space()));
        }
    }
    layout
}

/// The registers of a token ring.
pub(super) fn ring(design: &Twin, number: usize, stations: usize) -> RegisterList {
    let mut layout = RegisterList { registers: Vec::new() };
    let (place, travels) = ring_bits(design, stations);
    for (register, width) in [("place_q", place), ("held_q", 1), ("travels_q", travels)] {
        layout.push(format!("ring{number}.{register}"), width);
    }
    layout
}

/// Bits of the place of a token, and of the cycles that it travels.
pub(super) fn ring_bits(design: &Twin, stations: usize) -> (usize, usize) {
    let hop = design.built.network().token_ring.map_or(1, |ring| ring.hop_cycles);
    (index_bits(stations as u32), bits_of(if stations == 1 { 1 } else { hop }))
}
