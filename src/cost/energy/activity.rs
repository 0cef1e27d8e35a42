//! Activity of the hardware in a run, counted from the commit log.

use serde::Serialize;

use crate::engine::{CommitLog, FlitId, Observer};
use crate::network::{End, Lanes, Network, Wiring};
use wormscope_hw::PortId;

/// Counts of the work of the blocks of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Flits written into input FIFOs and consumption stores.
    pub buffer_writes: u64,
    /// Flits read from them. A read counts once for all branches that take a flit in the same
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
    /// Data wires of these links that changed, from flit to flit.
    pub link_toggles: u64,
    /// Flits that nodes took.
    pub consumed_flits: u64,
}

/// Counts during a run.
#[derive(Clone, Debug)]
pub struct Activity<'a> {
    /// Counts so far.
    pub counts: Counts,
    wiring: &'a Wiring,
    lanes: Lanes,
    channels: u8,
    /// Number of virtual channels of a link to a node.
    node_channels: u8,
    /// Number of words of a flit.
    words: usize,
    /// For each output lane, the worm and index of the flit that crossed last.
    crossed: Vec<Option<FlitId>>,
    /// For each link, the values of its data wires, at the place of its first lane.
    wires: Vec<u64>,
}

impl<'a> Activity<'a> {
    /// Counts before the run. The wires of all links are 0.
    #[must_use]
    pub fn new(network: &Network, wiring: &'a Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let outputs = wiring.switches() as usize * usize::from(lanes.outputs.count());
        let words = network.switch.flit_bits.div_ceil(64) as usize;
        Self {
            counts: Counts::default(),
            wiring,
            lanes,
            channels: network.switch.virtual_channels as u8,
            node_channels: network.node_channels() as u8,
            words,
            crossed: vec![None; outputs],
            wires: vec![0; outputs * words],
        }
    }
}

impl Observer for Activity<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let counts = &mut self.counts;
        counts.buffer_writes += log.injections.iter().filter(|sample| sample.flit.is_some()).count() as u64;
        counts.buffer_reads += log.consumptions.len() as u64;
        counts.consumed_flits += log.consumptions.len() as u64;
        for of_switch in log.outputs.chunk_by(|a, b| a.switch == b.switch) {
            let mut read = 0_u64;
            for sample in of_switch {
                let Some(flit) = sample.flit else { continue };
                read |= sample.owner.map_or(0, |owner| 1_u64 << owner);
                counts.crossings += 1;
                counts.buffer_writes += 1;
                let first = sample.switch.index() * usize::from(self.lanes.outputs.count());
                // The flits of a worm cross in ascending order. A worm that comes back begins
                // again.
                let last = &mut self.crossed[first + usize::from(sample.lane)];
                let goes_on = last.is_some_and(|last| last.worm == flit.worm && last.index < flit.index);
                counts.grants += u64::from(!goes_on);
                *last = Some(flit);
                let port = self.lanes.outputs.port(sample.lane);
                if !matches!(self.wiring.output(sample.switch, PortId(port)), Some(End::Switch(..))) {
                    counts.turns += u64::from(self.node_channels > 1);
                    continue;
                }
                counts.link_flits += 1;
                counts.turns += u64::from(self.channels > 1);
                let channel = self.lanes.outputs.within(sample.lane) % self.channels;
                let at = (first + usize::from(sample.lane - channel)) * self.words;
                let data = &log.words[sample.data as usize..][..self.words];
                for (wire, &word) in self.wires[at..].iter_mut().zip(data) {
                    counts.link_toggles += u64::from((*wire ^ word).count_ones());
                    *wire = word;
                }
            }
            counts.buffer_reads += u64::from(read.count_ones());
        }
    }
}
