//! Counts of the activity of the hardware, and the wires of its links.

use serde::Serialize;

use crate::network::{Network, Wiring};
use wormscope_hw::{PortId, SwitchId};

/// Counts of the work of the blocks of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Flits written into input FIFOs and consumption stores.
    pub buffer_writes: u64,
    /// Flits read from FIFOs. A read counts once for all branches that take a flit in the same
    /// cycle.
    pub buffer_reads: u64,
    /// Flits that crossed to an output lane. Each branch counts.
    pub crossings: u64,
    /// Output lanes granted to a worm.
    pub grants: u64,
    /// Turns of virtual channels: flits that crossed to a link of several channels.
    pub turns: u64,
    /// Flits on links between switches.
    pub link_flits: u64,
    /// Data wires of links that changed from one flit to the next.
    pub link_toggles: u64,
    /// The same changes, each times the length of its link in pitches of switches.
    pub link_toggle_pitches: u64,
    /// Flits that nodes took.
    pub consumed_flits: u64,
}

/// The data wires of the links that output lanes drive.
#[derive(Clone, Debug)]
pub(super) struct DrivenLinks {
    /// Number of output lanes of a switch.
    outputs: usize,
    /// Number of words of a flit.
    pub words: usize,
    /// For each output lane that leads to a switch, the place of its link's first data wire in
    /// `wires`. With it comes the length of the link in pitches.
    far: Vec<Option<(usize, u32)>>,
    /// For each link, the values of its data wires, at the place of its first lane.
    wires: Vec<u64>,
}

impl DrivenLinks {
    /// All wires are 0.
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let (channels, outputs) = (network.switch.virtual_channels as u8, lanes.outputs.count());
        let words = network.switch.flit_bits.div_ceil(64) as usize;
        let link = |switch: SwitchId, lane: u8| {
            let pitches = network.pitches(wiring, switch, PortId(lanes.outputs.port(lane)))?;
            let first = lane - lanes.outputs.within(lane) % channels;
            let at = switch.index() * usize::from(outputs) + usize::from(first);
            Some((at * words, pitches))
        };
        let switches = (0..wiring.switches()).map(SwitchId);
        let far: Vec<_> = switches.flat_map(|s| (0..outputs).map(move |lane| link(s, lane))).collect();
        Self { outputs: outputs.into(), words, wires: vec![0; far.len() * words], far }
    }

    /// Number of an output lane over all switches.
    pub fn lane(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * self.outputs + usize::from(lane)
    }

    /// Number of output lanes.
    pub fn lanes(&self) -> usize {
        self.far.len()
    }

    /// The data wires of the link of an output lane, and its length in pitches. `None` if it leads
    /// to a node.
    pub fn of(&mut self, lane: usize) -> Option<(&mut [u64], u32)> {
        let (at, pitches) = self.far[lane]?;
        Some((&mut self.wires[at..at + self.words], pitches))
    }
}
