//! Activity, counted worm by worm, of unicasts on links of one lane.
//!
//! A worm drives the wires of a link with all its flits, one behind the other. Two payload flits of
//! a worm differ only in the bits of their index ([`payload_word`]). So a table has the toggles of
//! all payload flits up to an index.

use super::counts::{Counts, DrivenLinks};
use crate::engine::snapshot::LaneRef;
use crate::engine::{Totals, WormInfo, payload_word};
use crate::network::{Network, Wiring};
use wormscope_hw::WormId;

/// Counts of the worms so far.
#[derive(Clone, Debug)]
pub struct ByWorm {
    counts: Counts,
    links: DrivenLinks,
    flit_bits: u32,
    /// For each flit index, the toggles from flit 0 up to this flit, if all are payload.
    toggles: Vec<u64>,
}

impl ByWorm {
    pub(super) fn new(network: &Network, wiring: &Wiring) -> Self {
        let (links, flit_bits) = (DrivenLinks::new(network, wiring), network.switch.flit_bits);
        Self { counts: Counts::default(), links, flit_bits, toggles: vec![0] }
    }

    /// Counts of a run with these totals.
    pub(super) fn counts(&self, totals: &Totals) -> Counts {
        Counts {
            buffer_writes: totals.injected_flits + totals.flit_hops,
            buffer_reads: totals.consumed_flits + totals.flit_hops,
            crossings: totals.flit_hops,
            consumed_flits: totals.consumed_flits,
            ..self.counts
        }
    }

    pub(super) fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        self.counts.grants += 1;
        self.extend(flits);
        let Self { counts, links, flit_bits, toggles } = self;
        let Some((wires, pitches)) = links.of(links.lane(lane.switch, lane.lane)) else { return };
        // The header, and the first payload flit after it. Of a worm that crosses in part, this may
        // be only a part of the header.
        let first = worm.header_flits.min(flits - 1);
        let mut changed = toggles[flits as usize - 1] - toggles[first as usize];
        for index in 0..=first {
            for (n, wire) in (0..).zip(wires.iter_mut()) {
                let before = std::mem::replace(wire, word(worm, index, n, *flit_bits));
                changed += u64::from((before ^ *wire).count_ones());
            }
        }
        for (n, wire) in (0..).zip(wires.iter_mut()) {
            *wire = word(worm, flits - 1, n, *flit_bits);
        }
        counts.link_flits += u64::from(flits);
        counts.link_toggles += changed;
        counts.link_toggle_pitches += changed * u64::from(pitches);
    }

    /// Extends the table to a worm of so many flits.
    fn extend(&mut self, flits: u32) {
        let words = self.links.words as u32;
        for index in self.toggles.len() as u32..flits {
            let word = |index, n| payload_word(WormId(0), index, n, self.flit_bits);
            let changed = (0..words).map(|n| u64::from((word(index - 1, n) ^ word(index, n)).count_ones()));
            self.toggles.push(self.toggles[index as usize - 1] + changed.sum::<u64>());
        }
    }
}

/// Word `n` of a flit of a unicast, as it is on each link.
fn word(worm: &WormInfo, index: u32, n: u32, flit_bits: u32) -> u64 {
    if index >= worm.header_flits {
        return payload_word(worm.id, index, n, flit_bits);
    }
    let address = u64::from(worm.destinations[0].0);
    let rest = address.checked_shr(index * flit_bits + 64 * n).unwrap_or(0);
    rest & u64::MAX >> (64 - (flit_bits - 64 * n).min(64))
}
