//! Names in a report, as waveforms show them.

use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::deadlock::Names;
use crate::engine::snapshot::LaneRef;
use crate::network::{End, Lanes, Network, Wiring};

/// Names as waveforms show them.
pub struct WaveNames<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
}

impl<'a> WaveNames<'a> {
    /// The names of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &'a Wiring) -> Self {
        Self { wiring, lanes: network.lanes(wiring) }
    }

    /// Numbers of the lanes.
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        self.lanes
    }
}

impl Names for WaveNames<'_> {
    fn switch(&self, switch: SwitchId) -> String {
        self.wiring.switch_name(switch)
    }

    fn input(&self, _: SwitchId, lane: u8) -> String {
        self.lanes.input_name(lane)
    }

    fn output(&self, lane: LaneRef) -> String {
        self.lanes.output_name(lane.lane)
    }

    fn node(&self, lane: LaneRef) -> Option<NodeId> {
        match self.wiring.output(lane.switch, PortId(self.lanes.outputs.port(lane.lane)))? {
            End::Node(node) => Some(node),
            End::Switch(..) => None,
        }
    }
}
