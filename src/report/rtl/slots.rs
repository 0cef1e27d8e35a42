//! Slots that the switches need for the trees of synchronous worms.

use std::collections::BTreeMap;

use crate::engine::registers::Registers;
use crate::hw::{WormId, feedback};

/// Counts the trees that each switch keeps at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    trees: BTreeMap<WormId, Branching>,
    /// Most trees of a switch in a cycle.
    pub most: u32,
}

/// A worm in the network, with the switches that keep its tree.
#[derive(Clone, Debug, Default)]
struct Branching {
    /// The switches with the depth of the worm's heads when they came.
    switches: BTreeMap<usize, u32>,
    /// The root, or the switch of the one head.
    root: usize,
    /// Depth of the last heads that go on together.
    depth: u32,
    /// The last cycle in which a switch may keep the tree, and two more.
    until: u64,
}

impl Slots {
    /// Looks at the registers at the start of a cycle. `inputs` is the number of input lanes of a
    /// switch.
    pub fn count(&mut self, registers: &Registers, inputs: usize) {
        for &(worm, feedback::Reg { depth, heads, .. }) in &registers.trees {
            let tree = self.trees.entry(worm).or_default();
            if depth == 0 || heads > 0 {
                // The last heads tell the root in a hop a cycle that they lead to nodes.
                (tree.depth, tree.until) = (depth, registers.cycle + u64::from(depth) + 2);
            }
        }
        for (lane, input) in registers.inputs.iter().enumerate() {
            let Some(tree) = input.flits.first().and_then(|front| self.trees.get_mut(&front.worm)) else { continue };
            let switch = lane / inputs;
            if !tree.switches.contains_key(&switch) {
                tree.switches.insert(switch, tree.depth);
                if tree.depth == 0 {
                    tree.root = switch;
                }
            }
        }
        self.trees.retain(|_, tree| tree.until >= registers.cycle);
        let mut kept = vec![0; registers.inputs.len() / inputs];
        for tree in self.trees.values() {
            let leads_on =
                |&(&switch, &depth): &(&usize, &u32)| depth < tree.depth && (depth > 0 || switch == tree.root);
            tree.switches.iter().filter(leads_on).for_each(|(&switch, _)| kept[switch] += 1);
        }
        self.most = self.most.max(kept.into_iter().max().unwrap_or(0));
    }
}
