//! A deadlock explained: what could have avoided it and what removes it, as text, as JSON, as a
//! graph, in a picture and in waveforms. [`deadlock`](crate::deadlock) finds it and knows nothing
//! of this.
//!
//! [`Stuck`] is a run that ended in one, and the way in.

pub mod cures;
pub mod no_return;
pub mod picture;
pub mod story;
mod stuck;
pub(crate) mod view;

pub use stuck::{Created, Sought, Stuck, WaveError, to_the_end};
