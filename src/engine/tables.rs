//! Constants of each switch: routing function, reachability, links.

use bitvec::order::Lsb0;
use bitvec::view::BitView as _;
use wormscope_hw::header::{Layout, Rom};
use wormscope_hw::lane_group::Climb;
use wormscope_hw::{LaneMask, NodeId, PortId, SwitchId};

use super::shape::Shape;
use wormscope_network::End;

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
            Some(End::Node(source)) => shape.copies_to_source || source.0 != node,
            None => true,
        }
    }

    fn layout(&self) -> &Layout {
        &self.0.layout
    }

    fn mask(&self, lane: u8) -> Option<&[u64]> {
        self.0.mask(self.1, lane)
    }

    fn link(&self, lane: u8) -> LaneMask {
        let Some((end, within)) = self.0.output(self.1, lane) else { return LaneMask::NONE };
        let channels = match end {
            End::Node(_) => self.0.node_channels,
            End::Switch(..) => self.0.virtual_channels,
        };
        LaneMask::range(lane - within % channels, channels)
    }

    fn ports(&self) -> u8 {
        self.0.ports
    }

    fn climbs(&self) -> &[Climb] {
        self.0.wiring.climbs()
    }
}
