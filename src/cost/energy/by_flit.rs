//! Activity, counted flit by flit from the commit log.

use super::counts::{Counts, DrivenLinks};
use crate::engine::{CommitLog, FlitId};
use crate::network::{Network, Wiring};

/// Counts of the flits so far.
#[derive(Clone, Debug)]
pub struct ByFlit {
    pub(super) counts: Counts,
    /// Turns of a flit on a link to a switch, and on one to a node: 1 where the link has several
    /// virtual channels.
    turns: [u64; 2],
    links: DrivenLinks,
    /// For each output lane, the worm and index of the flit that crossed last.
    crossed: Vec<Option<FlitId>>,
}

impl ByFlit {
    pub(super) fn new(network: &Network, wiring: &Wiring) -> Self {
        let links = DrivenLinks::new(network, wiring);
        Self {
            counts: Counts::default(),
            turns: [network.switch.virtual_channels, network.node_channels()].map(|channels| u64::from(channels > 1)),
            crossed: vec![None; links.lanes()],
            links,
        }
    }

    pub(super) fn commit(&mut self, log: &CommitLog) {
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
            let lane = self.links.lane(sample.switch, sample.lane);
            // The flits of a worm cross in ascending order. A worm that comes back begins again.
            let last = &mut self.crossed[lane];
            let goes_on = last.is_some_and(|last| last.worm == flit.worm && last.index < flit.index);
            counts.grants += u64::from(!goes_on);
            *last = Some(flit);
            let words = self.links.words;
            let Some((wires, pitches)) = self.links.of(lane) else {
                counts.turns += node_turns;
                continue;
            };
            counts.link_flits += 1;
            counts.turns += turns;
            let data = &log.words[sample.data as usize..][..words];
            let mut toggles = 0;
            for (wire, &word) in wires.iter_mut().zip(data) {
                toggles += u64::from((*wire ^ word).count_ones());
                *wire = word;
            }
            counts.link_toggles += toggles;
            counts.link_toggle_pitches += toggles * u64::from(pitches);
        }
        counts.buffer_reads += u64::from(read.1.count_ones());
    }
}
