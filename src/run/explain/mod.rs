//! Explanation of a deadlock, with its cures and the choices that could have avoided it. It comes
//! as text, as JSON, as a graph, in a picture and in waveforms. [`deadlock`](crate::deadlock) finds
//! the deadlock and knows nothing of this.
//!
//! Begin with [`Stuck`], a run that ended in a deadlock.

mod attempt;
pub mod cures;
mod explanation;
mod families;
mod graph;
pub(crate) mod names;
pub mod no_return;
mod picture;
pub mod rules;
mod seeds;
mod story;
mod stuck;
pub(crate) mod view;
mod waits;
mod workers;

pub use explanation::{
    ChoiceRow, CureRow, Explained, Explanation, HoldsFor, NoReturnRow, RunRow, SeedRow, SeedsRow, VainRow, WayOutRow,
};
pub use names::WaveNames;
pub use story::Story;
pub use stuck::{Created, Sought, Stuck, WaveError, to_the_end};
pub use waits::draw_waits;
