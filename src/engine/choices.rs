//! What else an arbiter could have chosen: its pointer can be turned between two cycles, so that every order of grants can be explored
//! with the same kernels.

use wormscope_hw::SwitchId;

use super::Engine;
use super::probe::Registers;

/// A round-robin arbiter of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arbiter {
    /// Of an output lane; that of lane 0 is the whole switch's in atomic acquisition.
    Lane(SwitchId, u8),
    /// Of the token at the switch's station.
    Token(SwitchId),
}

impl Engine {
    /// Turns an arbiter so that in the cycle that is evaluated next input lane `input` comes first if it asks. Nothing happens where
    /// there is no such arbiter.
    pub fn turn(&mut self, arbiter: Arbiter, input: u8) {
        match arbiter {
            Arbiter::Lane(switch, lane) => {
                let first = self.shape.first_lane(switch.0);
                self.outs[first + usize::from(lane)].pointer = input;
            }
            Arbiter::Token(switch) => {
                if let Some(station) = self.fabric.aside.rings.station_mut(switch.0) {
                    station.pointer = input;
                }
            }
        }
    }
}

impl Registers {
    /// The same but for arbiters' pointers and the cycles of past requests: what decides over the future, wherever arbiters turn.
    #[must_use]
    pub fn without_pointers(mut self) -> Self {
        self.inputs.iter_mut().filter(|q| q.flags[1]).for_each(|q| q.due = 0);
        self.outputs.iter_mut().for_each(|q| q.pointers[..2].fill(0));
        self.rings.iter_mut().flat_map(|ring| &mut ring.stations).for_each(|(_, q)| q.pointer = 0);
        self
    }
}
