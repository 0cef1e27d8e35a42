//! A search for a bad schedule: worms and cycles that deadlock a network, break a property or make
//! a worm late.
//!
//! *Problem.* [`crate::prove`] visits every state, so it ends only on small networks. Random
//! traffic meets a rare deadlock late, and then a hundred worms hide the two that matter.
//!
//! *Mechanism.* Runs with few random worms come first. Each run gets a score: how many cycles its
//! worms waited for each other. Later runs change the best schedules a little. A schedule that is
//! bad is shrunk. Worms are left out, alone and in pairs. The worms that remain may take other
//! cycles and lengths instead. Then worms get shorter and earlier, and lose destinations.
//!
//! *Result.* The search proves nothing if it finds nothing. A schedule that it finds is a
//! testbench, and a run repeats it.

mod draw;
mod hunt;
mod judge;
mod shrink;
mod watch;

pub use draw::WormShape;
pub use hunt::{FoundSchedule, Hunt, Hunted};
pub use judge::{Goal, Judge, LateMetric};
pub use watch::{HuntProgress, Watch};
