//! Where worms come from.

use wormscope_hw::NodeId;

use super::event::{Delivery, NewWorm, WormInfo};

/// Where messages come from, in order of their cycles. Worms are numbered in the order in which
/// they are popped.
///
/// A stimulus that reacts (software that forwards what it receives) hears of every arrival before
/// it is asked for the messages of that cycle: what it then creates leaves its node in the cycle of
/// the arrival at the earliest.
pub trait Stimulus {
    /// What can go wrong while reading on (a trace file, say).
    type Error;

    /// Whether it is told of arrivals and departures.
    const REACTS: bool = false;

    /// Whether it is told of departures.
    const DEPARTURES: bool = Self::REACTS;

    /// Cycle of the next message; of one that reacts, the next cycle in which it wants to be asked.
    fn next_cycle(&mut self) -> Option<u64>;

    /// The next message if its cycle is not behind `cycle`.
    ///
    /// # Errors
    /// What the source of messages says.
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error>;

    /// A worm has wholly arrived at one of its destinations, in the cycle for which messages are
    /// popped next.
    fn delivered(&mut self, _worm: &WormInfo, _delivery: &Delivery) {}

    /// The last flit of a worm left its source in `cycle`, the one evaluated last.
    fn departed(&mut self, _worm: &WormInfo, _cycle: u64) {}

    /// A receive buffer behind a consumption channel that is to be freed, and by how many payload
    /// flits.
    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        None
    }

    /// Whether something that began in the measured window is still to create worms.
    fn is_measured_unfinished(&self) -> bool {
        false
    }

    /// Whether the run is over, whatever is still under way or to come.
    fn is_over(&self) -> bool {
        false
    }

    /// Cycle in which the window is over that [`Stimulus::judge_window`] judges; the last of 64
    /// bits where there is nothing to judge.
    fn window_end(&self) -> u64 {
        u64::MAX
    }

    /// Whether what waits at the sources grew steadily through the window: the measured one first.
    /// Then the window goes on for as long again.
    fn judge_window(&mut self) -> bool {
        false
    }
}
