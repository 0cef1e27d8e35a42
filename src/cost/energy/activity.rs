//! Activity of the hardware in a run, counted from the commit log.

use serde::Serialize;

use crate::engine::{CommitLog, FlitId, Observer};
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

/// Counts during a run.
#[derive(Clone, Debug)]
pub struct Activity {
    /// Counts so far.
    pub counts: Counts,
    /// Number of output lanes of a switch.
    outputs: usize,
    /// Turns of a flit on a link to a switch, and on one to a node: 1 where the link has several
    /// virtual channels.
    turns: [u64; 2],
    /// Number of words of a flit.
    words: usize,
    /// For each output lane that leads to a switch, the place of its link's first data wire in
    /// `wires`. With it comes the length of the link in pitches.
    links: Vec<Option<(usize, u32)>>,
    /// For each output lane, the worm and index of the flit that crossed last.
    crossed: Vec<Option<FlitId>>,
    /// For each link, the values of its data wires, at the place of its first lane.
    wires: Vec<u64>,
}

impl Activity {
    /// Counts before the run. The wires of all links are 0.
    #[must_use]
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
        let links: Vec<_> = switches.flat_map(|s| (0..outputs).map(move |lane| link(s, lane))).collect();
        Self {
            counts: Counts::default(),
            outputs: outputs.into(),
            turns: [u64::from(channels > 1), u64::from(network.node_channels() > 1)],
            words,
            crossed: vec![None; links.len()],
            wires: vec![0; links.len() * words],
            links,
        }
    }
}

impl Observer for Activity {
    const COMMITS: bool = true;

    fn wants_inputs(&self) -> bool {
        false
    }

    fn commit(&mut self, log: &CommitLog) {
        let counts = &mut self.counts;
        counts.buffer_writes += log.injections.iter().filter(|sample| sample.flit.is_some()).count() as u64;
        counts.buffer_reads += log.consumptions.len() as u64;
        counts.consumed_flits += log.consumptions.len() as u64;
        let [turns, node_turns] = self.turns;
        // The lanes of a switch are together. Inputs that were read so far are a bit each.
        let mut read = (None, 0_u64);
        for sample in &log.outputs {
            let Some(flit) = sample.flit else { continue };
            if read.0 != Some(sample.switch) {
                counts.buffer_reads += u64::from(read.1.count_ones());
                read = (Some(sample.switch), 0);
            }
            read.1 |= sample.owner.map_or(0, |owner| 1_u64 << owner);
            counts.crossings += 1;
            counts.buffer_writes += 1;
            let lane = sample.switch.index() * self.outputs + usize::from(sample.lane);
            // The flits of a worm cross in ascending order. A worm that comes back begins again.
            let last = &mut self.crossed[lane];
            let goes_on = last.is_some_and(|last| last.worm == flit.worm && last.index < flit.index);
            counts.grants += u64::from(!goes_on);
            *last = Some(flit);
            let Some((at, pitches)) = self.links[lane] else {
                counts.turns += node_turns;
                continue;
            };
            counts.link_flits += 1;
            counts.turns += turns;
            let data = &log.words[sample.data as usize..][..self.words];
            let mut toggles = 0;
            for (wire, &word) in self.wires[at..].iter_mut().zip(data) {
                toggles += u64::from((*wire ^ word).count_ones());
                *wire = word;
            }
            counts.link_toggles += toggles;
            counts.link_toggle_pitches += toggles * u64::from(pitches);
        }
        counts.buffer_reads += u64::from(read.1.count_ones());
    }
}
