//! The constants of a network as RTL, and the networks that RTL cannot express.

use std::fmt;

use super::Recorded;
use super::bits::{bits_of, index_bits};
use crate::engine::constants::Constants;
use crate::experiment::Loaded;
use crate::hw::{Arbiter, Encoding, HeaderTiming, Replication, SwitchId, twin};
use crate::network::Built;
use crate::network::channel::Stalled;
use crate::simulation::{Site, receive_buffer};

/// Largest number of switches of a design. Simulators and synthesis take hours beyond it.
const MOST_SWITCHES: u32 = 1024;

/// Bits that a simulation adds to each flit: the numbers of the worm and of the flit.
pub(super) const WORM_BITS: u32 = 32;
/// Bits of the index of a flit.
pub(super) const INDEX_BITS: u32 = 24;

/// Bits of the cycle since which a synchronous worm is at a stage.
pub(super) const SINCE_BITS: usize = 32;
/// Slots of a switch for trees of synchronous worms, at least.
const FEWEST_SLOTS: u32 = 4;

/// A field of an experiment that RTL cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Path of the field.
    pub field: &'static str,
    /// The reason.
    pub why: String,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.why)
    }
}

fn unfit<T>(field: &'static str, why: impl Into<String>) -> Result<T, Unfit> {
    Err(Unfit { field, why: why.into() })
}

/// A network as RTL.
#[derive(Clone, Debug)]
pub struct Twin {
    pub(super) built: Built,
    pub(super) constants: Constants,
    /// Encodings of the worms.
    pub(super) encodings: Vec<Encoding>,
    /// Flits that the longest decision reads.
    pub(super) header_flits: u32,
    /// Wires that carry a header beside the data of a flit, 0 if flits carry it.
    pub(super) header_bits: u32,
    /// Most flits that leave a FIFO in a cycle.
    pub(super) freed: u32,
    /// Slots of a switch for trees of synchronous worms.
    pub(super) slots: u32,
}

impl Twin {
    /// The design of a network for the worms of a run.
    ///
    /// # Errors
    /// The first field that RTL cannot express.
    pub fn new(built: &Built, recorded: &Recorded) -> Result<Self, Unfit> {
        let worms = &recorded.worms;
        let encodings: Vec<Encoding> =
            Encoding::ALL.into_iter().filter(|&encoding| worms.iter().any(|worm| worm.encoding == encoding)).collect();
        let design = Self::of(built, &encodings)?;
        // Other stimuli of the same experiment need about as many.
        let slots = recorded.trees().next_power_of_two().max(FEWEST_SLOTS);
        Ok(if design.is_synchronous() { Self { slots, ..design } } else { design })
    }

    /// The design of an experiment before its run. It has no worms, so other encodings may change
    /// it. It refuses a network that RTL cannot express before a long run.
    ///
    /// # Errors
    /// The first field that RTL cannot express.
    pub fn without_worms(site: &Site, loaded: &Loaded) -> Result<Self, Unfit> {
        for (stalled, _) in site.stalls(&loaded.experiment.workload) {
            let what = match stalled {
                Stalled::Node(_) | Stalled::Channel(_) => continue,
                Stalled::Station(_) => "stations",
                Stalled::Turn(..) => "arbiters",
            };
            return unfit(
                "workload",
                format!(
                    "stalls of {what} change a register from outside, which RTL has no pins for; allowed: node, link"
                ),
            );
        }
        Self::of(site.built(), &[])
    }

    /// Number of switches.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.built.wiring().switches()
    }

    /// The design of a network for worms of these encodings.
    ///
    /// # Errors
    /// The first field that RTL cannot express.
    pub fn of(built: &Built, encodings: &[Encoding]) -> Result<Self, Unfit> {
        let encodings = if encodings.is_empty() { vec![Encoding::Unicast] } else { encodings.to_vec() };
        let reads_reach = encodings.iter().any(|encoding| encoding.header().looks_up_reach());
        let constants = Constants::new(built, reads_reach);
        let part = |encoding: Encoding| u32::from(constants.switch().decoder.part_flits[encoding as usize]);
        // A router that absorbs and forwards reads two addresses.
        let needed = |&encoding: &Encoding| part(encoding) * encoding.header().decision_parts(2);
        let header_flits = encodings.iter().map(needed).max().unwrap_or(1).max(1);
        let header_bits = encodings.iter().map(|&encoding| constants.wires_beside(encoding)).max().unwrap_or(0);
        let stripped = encodings.iter().filter(|encoding| encoding.header().strips());
        let freed = stripped.map(|&encoding| part(encoding)).max().unwrap_or(1);
        let design = Self { built: built.clone(), constants, encodings, header_flits, header_bits, freed, slots: 1 };
        design.check()?;
        Ok(design)
    }

    fn check(&self) -> Result<(), Unfit> {
        let network = self.built.network();
        let switch = &network.switch;
        let switches = self.built.wiring().switches();
        if switches > MOST_SWITCHES {
            return unfit("network.topology", format!("{switches} switches; RTL has up to {MOST_SWITCHES}"));
        }
        if switch.header_timing == HeaderTiming::Overlapped && self.header_flits > 1 {
            return unfit(
                "network.switch.header_timing",
                "overlapped timing reads flits that have not arrived, so no hardware can have it; allowed: store, beside",
            );
        }
        Ok(())
    }

    /// All blocks, each with its path and its text.
    pub(super) fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
        twin::FILES.into_iter()
    }

    /// The switches, in the order of their numbers.
    pub(super) fn switches(&self) -> impl Iterator<Item = SwitchId> + use<> {
        (0..self.built.wiring().switches()).map(SwitchId)
    }

    /// Name of a switch, as in waveforms.
    pub(super) fn name(&self, switch: SwitchId) -> String {
        self.built.wiring().switch_name(switch)
    }

    /// Number of lane groups of a switch.
    pub(super) fn groups(&self) -> u8 {
        self.built.wiring().ports() * self.constants.classes()
    }

    /// Flits of a part of a header.
    pub(super) fn part_flits(&self, encoding: Encoding) -> u16 {
        self.constants.switch().decoder.part_flits[encoding as usize]
    }

    /// The token ring of a switch, as its number, the place of the switch in it, and the number of
    /// switches to come.
    pub(super) fn ring(&self, switch: SwitchId) -> Option<(usize, usize, u32)> {
        let rings = self.constants.rings();
        rings.iter().enumerate().find_map(|(ring, (stations, to_come))| {
            Some((ring, stations.iter().position(|&station| station == switch)?, *to_come))
        })
    }

    /// The flits after which a worm of each encoding may release a token.
    pub(super) fn bounds(&self, to_come: u32) -> [u32; Encoding::ALL.len()] {
        Encoding::ALL.map(|encoding| self.constants.token_bound(to_come, encoding))
    }

    /// Bits of the counter of flits in a token station, which counts up to one above the bounds.
    pub(super) fn bound_bits(&self) -> u32 {
        let bounds = self.constants.rings().into_iter().flat_map(|(_, to_come)| self.bounds(to_come));
        u32::BITS - (bounds.max().unwrap_or(0) + 1).leading_zeros()
    }

    /// Payload flits of a receive buffer, 0 without a bound.
    pub(super) fn space(&self) -> u32 {
        receive_buffer(self.built.network()).unwrap_or(0)
    }

    /// Whether the RTL makes the age of a worm a part of its flits, for arbiters that compare ages.
    pub(super) fn has_ages(&self) -> bool {
        self.built.network().switch.arbiter == Arbiter::OldestFirst
    }

    /// Whether the heads of a worm go on together.
    pub(super) fn is_synchronous(&self) -> bool {
        self.built.network().switch.replication == Replication::Synchronous
    }

    /// Bits of the depth of a head: a tree is at most as deep as there are stages.
    pub(super) fn depth_bits(&self) -> usize {
        let stages = self.built.network().blueprint().stages().map_or(self.size(), |(_, stages)| stages);
        if self.is_synchronous() { bits_of(stages) } else { 1 }
    }

    /// Side signals of a synchronous worm at the top of a flit: the cycle since which it is here,
    /// its depth and its slot. 0 for other worms.
    pub(super) fn tree_bits(&self) -> usize {
        if self.is_synchronous() { SINCE_BITS + self.depth_bits() + index_bits(self.slots) } else { 0 }
    }

    /// Bits of the data of a flit.
    pub(super) fn flit_bits(&self) -> u32 {
        self.built.network().switch.flit_bits
    }

    /// Bits of the data of a flit, and of the header beside it.
    pub(super) fn word_bits(&self) -> u32 {
        self.flit_bits() + self.header_bits
    }
}
