//! Who crossed what and when: the crossings of a run, from its commit log.

use std::collections::BTreeMap;

use crate::engine::{CommitLog, Delivery, Observer, WormInfo};
use crate::network::{Lanes, Network};
use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

/// Cycle, worm and flit index of a crossing.
pub(crate) type Crossing = (u64, u32, u32);

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
        Self { numbering: Some(network.lanes(&network.wiring())), ..Self::default() }
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
        for s in log.injections.iter().filter(|s| s.valid) {
            self.injected.entry(WormId(s.worm)).or_default().push((log.cycle, s.flit));
        }
        for s in log.outputs.iter().filter(|s| s.valid) {
            let place = (WormId(s.worm), s.switch, self.port(s.lane));
            self.crossed.entry(place).or_default().push((log.cycle, s.flit));
            self.lanes.entry((s.switch, s.lane)).or_default().push((log.cycle, s.worm, s.flit));
        }
        for s in &log.consumptions {
            self.consumed.entry((WormId(s.worm), s.node)).or_default().push((log.cycle, s.flit));
        }
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.deliveries.push(*delivery);
    }
}
