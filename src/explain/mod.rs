//! A deadlock explained: what would have avoided it and what removes it, as text, as JSON, as a graph,
//! in a picture and in waveforms. [`deadlock`](crate::deadlock) finds it and knows nothing of this.

pub mod cures;
pub mod no_return;
pub mod picture;
pub mod story;
pub(crate) mod view;
