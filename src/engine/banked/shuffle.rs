//! Evaluation in a shuffled order, by which tests show that any order will do.

use super::fabric::Instance;
use super::wires::Awake;
use super::{Engine, owners};

impl Engine {
    /// Evaluates the awake nodes and switches, in a new random order in every cycle.
    #[cold]
    #[inline(never)]
    pub(super) fn evaluate_shuffled<const WATCHED: bool, const DEPARTURES: bool>(&mut self, seed: u64) {
        let (mut all, mut page) = (Vec::new(), 0);
        while let Some(awake) = self.fabric.nodes.take(self.slot, page) {
            let (fields, wires) = (self.shape.channels, &self.fabric.nodes);
            let nodes = awake.instances().flat_map(|bank| owners(fields, bank, wires.awake(self.slot, bank)));
            all.extend(nodes.map(Instance::Node));
            page = awake.page + 1;
        }
        page = 0;
        while let Some(awake) = self.fabric.switches.take(self.slot, page) {
            all.extend(awake.instances().flat_map(|bank| self.awake_in(bank)).map(Instance::Switch));
            page = awake.page + 1;
        }
        shuffle(&mut all, seed ^ self.now);
        for instance in all {
            match instance {
                Instance::Node(n) => {
                    let (bank, first) = self.shape.channels.place(n);
                    self.evaluate_nodes::<WATCHED, DEPARTURES>(Awake::only(bank), self.shape.channels.field(first));
                }
                Instance::Switch(s) | Instance::Station(s) => self.evaluate_switch::<WATCHED>(s),
            }
        }
    }
}

/// Shuffles the order of evaluation.
fn shuffle<T>(instances: &mut [T], seed: u64) {
    use rand_core::{RngCore, SeedableRng};
    let mut random = rand_xoshiro::SplitMix64::seed_from_u64(seed);
    for i in (1..instances.len()).rev() {
        instances.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
    }
}
