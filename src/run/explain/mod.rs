//! A deadlock explained: what could have avoided it and what removes it, as text, as JSON, as a
//! graph, in a picture and in waveforms. [`deadlock`](crate::deadlock) finds it and knows nothing
//! of this.
//!
//! [`Stuck`] is a run that ended in one, and the way in.

mod attempt;
pub mod cures;
mod explanation;
mod graph;
pub(crate) mod names;
pub mod no_return;
mod picture;
mod seeds;
mod story;
mod stuck;
pub(crate) mod view;

pub use explanation::{
    ChoiceRow, CureRow, Explained, Explanation, HoldsFor, NoReturnRow, RunRow, SeedRow, SeedsRow, VainRow, WayOutRow,
};
pub use story::Story;
pub use stuck::{Created, Sought, Stuck, WaveError, to_the_end};
