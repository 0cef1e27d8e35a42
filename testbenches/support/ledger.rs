//! The crossings of a run, from its commit log: worm, place and cycle.

use std::collections::BTreeMap;

use wormscope::engine::{CommitLog, Delivery, FlitId, Observer, WormInfo};
use wormscope::hw::{NodeId, PortId, SwitchId, WormId};
use wormscope::network::{Lanes, Network};

use crate::drive;

/// Cycle, worm and flit index of a crossing.
pub type Crossing = (u64, u32, u32);

/// Crossings by worm and place: (cycle, flit index as injected).
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Flits leaving their source.
    pub injected: BTreeMap<WormId, Vec<(u64, u32)>>,
    /// Flits crossing an output port.
    pub crossed: BTreeMap<(WormId, SwitchId, PortId), Vec<(u64, u32)>>,
    /// Flits crossing an output lane, by switch and lane.
    pub lanes: BTreeMap<(SwitchId, u8), Vec<Crossing>>,
    /// Flits arriving at a node.
    pub consumed: BTreeMap<(WormId, NodeId), Vec<(u64, u32)>>,
    /// Worms delivered.
    pub deliveries: Vec<Delivery>,
    numbering: Option<Lanes>,
}

impl Ledger {
    /// An empty ledger of a network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self { numbering: Some(network.lanes(&drive::wiring(network))), ..Self::default() }
    }

    /// Port of an output lane.
    #[must_use]
    pub fn port(&self, lane: u8) -> PortId {
        PortId(self.numbering.map_or(lane, |lanes| lanes.outputs.port(lane)))
    }
}

impl Observer for Ledger {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        for flit in log.injections.iter().filter_map(|s| s.flit) {
            self.injected.entry(flit.worm).or_default().push((log.cycle, flit.index));
        }
        for s in &log.outputs {
            let Some(FlitId { worm, index }) = s.flit else { continue };
            self.crossed.entry((worm, s.switch, self.port(s.lane))).or_default().push((log.cycle, index));
            self.lanes.entry((s.switch, s.lane)).or_default().push((log.cycle, worm.0, index));
        }
        for s in &log.consumptions {
            self.consumed.entry((s.flit.worm, s.node)).or_default().push((log.cycle, s.flit.index));
        }
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.deliveries.push(*delivery);
    }
}
