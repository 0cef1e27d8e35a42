//! What is fixed at each switch: routing function, reachability, links.

use bitvec::order::Lsb0;
use bitvec::view::BitView as _;
use wormscope_hw::header::{Layout, Rom};
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::engine::banked::shape::Shape;
use crate::network::End;

/// The tables of one switch.
pub(super) struct Tables<'a>(pub &'a Shape, pub u32);

impl Rom for Tables<'_> {
    fn port(&self, destination: u32) -> u8 {
        self.0.routes.port(SwitchId(self.1), NodeId(destination))
    }

    fn group(&self, lane: u8, port: u8) -> u8 {
        self.0.group(self.1, lane, port)
    }

    fn reach(&self, port: u8) -> &[u64] {
        self.0.reach(self.1, port)
    }

    fn ahead(&self, lane: u8, node: u32) -> bool {
        let Self(shape, switch) = *self;
        match shape.wiring.input(SwitchId(switch), PortId(shape.lanes.inputs.port(lane))) {
            Some(End::Switch(before, port)) => {
                let through = shape.mask(before.0, shape.lanes.outputs.first(port.0));
                through.is_none_or(|nodes| nodes.view_bits::<Lsb0>()[node as usize])
            }
            Some(End::Node(_)) | None => true,
        }
    }

    fn layout(&self) -> &Layout {
        &self.0.layout
    }

    fn mask(&self, lane: u8) -> Option<&[u64]> {
        self.0.mask(self.1, lane)
    }

    fn link(&self, lane: u8) -> u64 {
        let Shape { lanes, virtual_channels, .. } = self.0;
        match output(self.0, self.1, lane) {
            None => 0,
            Some(End::Node(_)) => 1 << lane,
            Some(End::Switch(..)) => {
                let first = lane - lanes.outputs.within(lane) % virtual_channels;
                (u64::MAX >> (64 - virtual_channels)) << first
            }
        }
    }

    fn ports(&self) -> u8 {
        self.0.ports
    }

    fn climbs(&self) -> &[Climb] {
        self.0.wiring.climbs()
    }
}

/// Where an output lane of a switch leads, where it exists.
pub(super) fn output(shape: &Shape, switch: u32, lane: u8) -> Option<End> {
    let (port, within) = (shape.lanes.outputs.port(lane), shape.lanes.outputs.within(lane));
    let end = shape.wiring.output(SwitchId(switch), PortId(port))?;
    let lanes = if matches!(end, End::Node(_)) { shape.consumption_channels } else { shape.lanes.link };
    (within < lanes).then_some(end)
}
