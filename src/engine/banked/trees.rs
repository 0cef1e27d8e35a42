//! Feedback of the synchronous worms under way, with one register for each worm. The engine updates
//! a register only if a head of the worm reports something, or if the register counts.

use wormscope_hw::feedback::{self, In};

use super::worms::Worms;

/// Registers to turn, and their inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    /// Messages of the heads of worms in this cycle, by slot.
    told: Vec<(u32, In)>,
    /// Worms whose heads will go.
    counting: Vec<u32>,
}

impl Trees {
    /// A head of a worm reports to the register of the worm.
    pub(crate) fn tell(&mut self, worm: u32, told: In) {
        self.told.push((worm, told));
    }

    /// The end of cycle `now` (low 32 bits).
    pub(crate) fn clock_edge(&mut self, now: u32, worms: &mut Worms) {
        if self.told.is_empty() && self.counting.is_empty() {
            return;
        }
        let mut turned = std::mem::take(&mut self.counting);
        for (worm, told) in self.told.drain(..) {
            let all = &mut worms.get_mut(worm).told;
            let (ready, branches, onward) = (told.ready, told.branches, told.onward);
            *all = In { now, ready: all.ready + ready, branches: all.branches + branches, onward: all.onward + onward };
            turned.push(worm);
        }
        turned.sort_unstable();
        turned.dedup();
        for worm in turned {
            let live = worms.get_mut(worm);
            live.tree = feedback::eval(std::mem::take(&mut live.told), live.tree);
            if live.tree.left.is_some() {
                self.counting.push(worm);
            }
        }
    }
}
