//! Facts about a run: the values of dimensions that its network and its worms can have.

use crate::network::{Network, Wiring};
use wormscope_hw::{Encoding, PortId, Replication};

use super::catalogue::{Bin, GROUPS};
use super::dimensions::fan_out;
use super::groups::network::kind;
use super::groups::worm;
use crate::engine::LaneState;

/// Values that dimensions can have in a run, as bits, by the name of the dimension. A dimension
/// that is not listed can have all values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub Vec<(&'static str, u64)>);

impl Facts {
    /// The facts of a network, without the encodings of its worms.
    #[must_use]
    pub(super) fn new(network: &Network, wiring: &Wiring) -> Self {
        let (switch, link) = (&network.switch, &network.link);
        let only = |value: u32| 1_u64 << value;
        let lanes = network.lanes(wiring);
        let groups = network.lane_groups(wiring, lanes);
        let (mut sizes, mut leads) = (0, 0);
        for group in groups.iter().filter(|group| !group.is_empty()) {
            sizes |= only(u32::from(group.count()).min(3) - 1);
            for lane in group.iter() {
                let port = PortId(lanes.outputs.port(lane));
                let of_section = wiring.sections();
                let section = of_section[usize::from(port.0 >= of_section[0].ports)];
                if wiring.climb(port).is_some() {
                    leads |= only(1);
                } else {
                    leads |= u64::from(section.to_switches) | u64::from(section.to_nodes) << 2;
                }
            }
        }
        // States that this network has: a token needs a ring, and heads wait for synchronous heads.
        let token = if network.token_ring.is_some() { 0 } else { only(LaneState::Token as u32) };
        let is_synchronous = switch.replication == Replication::Synchronous;
        let heads = if is_synchronous { 0 } else { only(LaneState::Heads as u32) };
        let states = !token & !heads;
        let at_stations = if network.token_ring.is_some() { u64::MAX } else { 0 };
        let most = |value: usize| (1 << value) | (only(value as u32) - 1);
        // A part of a FIFO or of credits is more than one, and not all.
        let part = |depth: u32| if depth > 2 { u64::MAX } else { !only(1) };
        let shared = switch.virtual_channels.max(network.node_channels());
        Self(vec![
            ("replication", only(switch.replication as u32)),
            ("acquisition", only(switch.acquisition as u32)),
            ("arbiter", only(switch.arbiter as u32)),
            ("header_timing", only(switch.header_timing as u32)),
            ("network", only(kind(&network.topology) as u32)),
            ("routing_cycles", only(switch.routing_cycles.min(2))),
            ("allocation_cycles", only(switch.allocation_cycles.min(1))),
            ("crossbar_cycles", only(switch.crossbar_cycles.min(1))),
            ("link_cycles", only(link.link_cycles.clamp(1, 2) - 1)),
            ("credit_cycles", only(link.credit_cycles.clamp(1, 2) - 1)),
            ("token", at_stations),
            ("holder_before", at_stations),
            ("channels_owned", (only(shared.min(3)) - 1) & if shared > 1 { u64::MAX } else { 0 }),
            ("link_of", u64::from(shared > 1) | u64::from(network.node_channels() > 1) << 1),
            ("fifo_before", part(switch.fifo_depth) | part(network.injection_depth())),
            ("credits", part(switch.fifo_depth) | part(network.consumption_depth())),
            ("state", states),
            ("state_before", states),
            ("destinations", most(worm::destinations(wiring.nodes().saturating_sub(1) as usize))),
            ("fan_out", most(fan_out(wiring.ports()).min(3))),
            ("lanes", sizes),
            ("leads_to", leads),
        ])
    }

    /// The facts of a network whose worms have these encodings.
    #[must_use]
    pub fn of(network: &Network, wiring: &Wiring, encodings: &[Encoding]) -> Self {
        Self::new(network, wiring).with_encodings(encodings.iter().fold(0, |all, of| all | 1 << *of as u32))
    }

    /// Adds the encodings that worms have, as bits.
    pub(super) fn with_encodings(mut self, encodings: u64) -> Self {
        let stripping = Encoding::ALL.into_iter().filter(|of| encodings >> *of as u32 & 1 != 0);
        let stripping = stripping.filter_map(super::groups::strip::encoding).fold(0, |all, of| all | 1 << of);
        self.0.extend([("encoding", encodings), ("stripping", stripping)]);
        self.sorted()
    }

    /// The same facts by name, so that equal facts are equal lists.
    fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }

    /// The values that a dimension can have, as bits.
    fn allowed(&self, dimension: &str) -> u64 {
        self.0.iter().find(|of| of.0 == dimension).map_or(u64::MAX, |of| of.1)
    }

    /// Whether a run with these facts may reach a bin.
    #[must_use]
    pub fn allow(&self, bin: &Bin) -> bool {
        let mut dimensions = bin.group().dimensions.iter().zip(&bin.values);
        bin.excluded().is_none() && dimensions.all(|(dimension, value)| self.allowed(dimension.name) >> value & 1 != 0)
    }

    /// The facts as the names of dimensions and of their values.
    #[must_use]
    pub fn words(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let words = |(name, allowed): &(&'static str, u64)| {
            let mut dimensions = GROUPS.iter().flat_map(|group| group.dimensions);
            let values = dimensions.find(|of| of.name == *name).map_or(&[][..], |of| of.values);
            let chosen = values.iter().enumerate().filter(|(value, _)| allowed >> value & 1 != 0);
            (*name, chosen.map(|(_, word)| *word).collect())
        };
        self.0.iter().map(words).collect()
    }

    /// The facts with these words.
    ///
    /// # Errors
    /// The name of a dimension or of a value that no group has.
    pub fn from_words<'a>(
        words: impl IntoIterator<Item = (&'a str, impl IntoIterator<Item = &'a str>)>,
    ) -> Result<Self, String> {
        let mut facts = Vec::new();
        for (name, values) in words {
            let mut dimensions = GROUPS.iter().flat_map(|group| group.dimensions);
            let dimension = dimensions.find(|of| of.name == name).ok_or_else(|| name.to_owned())?;
            let mut allowed = 0;
            for value in values {
                let at = dimension.values.iter().position(|of| *of == value);
                allowed |= 1 << at.ok_or_else(|| format!("{name}: {value}"))?;
            }
            facts.push((dimension.name, allowed));
        }
        Ok(Self(facts).sorted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_the_same_after_a_trip_through_their_words() {
        let text = "(network: (topology: mesh(radices: [3, 3]), switch: (virtual_channels: 2)))";
        let network = crate::config::from_text("x.ron", text, &[]).unwrap().experiment.network;
        let built = network.build().unwrap();
        let facts = Facts::new(&network, built.wiring()).with_encodings(0b1001);
        let words = facts.words();
        let read =
            Facts::from_words(words.iter().map(|(name, values)| (*name, values.iter().copied()))).expect("known words");
        assert_eq!(read.words(), words);
        let backwards = words.iter().rev().map(|(name, values)| (*name, values.iter().copied()));
        assert_eq!(Facts::from_words(backwards).unwrap().words(), words);
        assert!(words.contains(&("encoding", vec!["unicast", "multiport"])), "{words:?}");
        assert!(words.contains(&("channels_owned", vec!["1", "2"])), "{words:?}");
        assert!(words.contains(&("leads_to", vec!["switch", "node"])), "{words:?}");
        assert!(words.contains(&("lanes", vec!["2"])), "{words:?}");
        assert_eq!(Facts::from_words([("lanes", ["4"])]), Err("lanes: 4".to_owned()));
    }
}
