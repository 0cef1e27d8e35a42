//! Token rings: each has one token, and only its holder copies a worm.

use std::collections::{BTreeMap, BTreeSet};

use wormscope_hw::{SwitchId, WormId};

use super::rules::{Breaches, Rule};
use crate::engine::{CommitLog, OutSample};
use crate::network::routing::grouping;
use crate::network::{Network, Wiring};

/// Follows the tokens in the log.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    wiring: &'a Wiring,
    /// Ring of each switch that shares a token with others.
    rings: BTreeMap<SwitchId, usize>,
    /// Stations that have the token of each ring.
    here: Vec<BTreeSet<SwitchId>>,
    /// Number of branches of the worm in each input lane.
    branches: BTreeMap<(SwitchId, u8), (Option<WormId>, u32)>,
    /// The worm with which each input lane last took the token.
    taken: BTreeMap<(SwitchId, u8), Option<WormId>>,
}

impl<'a> Tokens<'a> {
    pub fn new(network: &Network, wiring: &'a Wiring) -> Self {
        let groups = match network.token_ring {
            Some(_) => grouping::rings(network, wiring),
            None => Vec::new(),
        };
        let shared = groups.iter().filter(|group| group.switches.len() > 1);
        let of_ring = shared.enumerate().flat_map(|(ring, group)| group.switches.iter().map(move |s| (*s, ring)));
        let rings: BTreeMap<SwitchId, usize> = of_ring.collect();
        let here = vec![BTreeSet::new(); rings.values().max().map_or(0, |last| last + 1)];
        Self { wiring, rings, here, branches: BTreeMap::new(), taken: BTreeMap::new() }
    }

    /// Checks the stations of a cycle.
    pub fn stations(&mut self, log: &CommitLog, breaches: &mut Breaches) {
        if self.rings.is_empty() {
            return;
        }
        for s in log.inputs.iter().filter(|s| self.rings.contains_key(&s.switch)) {
            self.branches.insert((s.switch, s.lane), (s.worm, s.branches.count().into()));
        }
        for s in &log.tokens {
            let Some(&ring) = self.rings.get(&s.switch) else { continue };
            if s.here {
                self.here[ring].insert(s.switch);
            } else {
                self.here[ring].remove(&s.switch);
            }
            if s.holder.is_some() && !s.here {
                breaches.add(Rule::OneToken, log.cycle, || {
                    format!("{} holds a token that does not exist", self.wiring.switch_name(s.switch))
                });
            }
            if let Some(input) = s.holder
                && let Some((worm, _)) = self.branches.get(&(s.switch, input))
            {
                self.taken.insert((s.switch, input), *worm);
            }
        }
        // The log has all stations: a token that moves leaves one and comes to another.
        for here in self.here.iter().filter(|here| here.len() > 1) {
            breaches.add(Rule::OneToken, log.cycle, || {
                let names: Vec<_> = here.iter().map(|&s| self.wiring.switch_name(s)).collect();
                format!("one ring has tokens at {}", names.join(", "))
            });
        }
    }

    /// Checks a worm that begins to cross an output.
    pub fn begins(&self, cycle: u64, s: &OutSample, worm: WormId, breaches: &mut Breaches) {
        let Some(owner) = s.owner.filter(|_| !self.rings.is_empty()) else { return };
        let input = (s.switch, owner);
        let copies = self.branches.get(&input).is_some_and(|(of, branches)| *of == Some(worm) && *branches > 1);
        if copies && self.rings.contains_key(&s.switch) && self.taken.get(&input) != Some(&Some(worm)) {
            breaches.add(Rule::OneToken, cycle, || {
                format!("worm {worm} is copied in {} without the token of its group", self.wiring.switch_name(s.switch))
            });
        }
    }
}
