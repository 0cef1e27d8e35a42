//! Source of the worms.

use wormscope_hw::NodeId;

use super::event::{Delivery, NewWorm, WormInfo};

/// A source of messages, in order of their cycles. Worms are numbered in the order in which they
/// are popped.
///
/// A stimulus can react, as software that forwards a message does. It hears of all arrivals of a
/// cycle before it is asked for the messages of that cycle. A message that it then creates leaves
/// its node in the cycle of the arrival at the earliest.
pub trait Stimulus {
    /// Error of reading on, for example in a trace file.
    type Error;

    /// Whether the stimulus gets arrivals and departures.
    const REACTS: bool = false;

    /// Whether the stimulus gets departures.
    const DEPARTURES: bool = Self::REACTS;

    /// Cycle of the next message. A stimulus that reacts gives the next cycle in which it wants to
    /// be asked.
    fn next_cycle(&mut self) -> Option<u64>;

    /// The next message, if its cycle is `cycle` or earlier.
    ///
    /// # Errors
    /// The error of the source of messages.
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error>;

    /// Receives the complete arrival of a worm at one of its destinations. The cycle is the next
    /// cycle for which messages are popped.
    fn delivered(&mut self, _worm: &WormInfo, _delivery: &Delivery) {}

    /// Receives a worm whose last flit left its source in `cycle`, the last evaluated cycle.
    fn departed(&mut self, _worm: &WormInfo, _cycle: u64) {}

    /// A receive buffer of a consumption channel with space to free, and the number of payload
    /// flits.
    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        None
    }

    /// Whether a message that began in the measured window is still to create worms.
    fn is_measured_unfinished(&self) -> bool {
        false
    }

    /// Whether the run is over, even if worms are under way or to come.
    fn is_over(&self) -> bool {
        false
    }

    /// Cycle at the end of the window that [`Stimulus::judge_window`] judges. It is `u64::MAX` when
    /// there is nothing to judge.
    fn window_end(&self) -> u64 {
        u64::MAX
    }

    /// Whether the source queues grew steadily through the window. The first window is the measured
    /// one. Then the window is doubled.
    fn judge_window(&mut self) -> bool {
        false
    }
}
