//! Events for observers: the commit log of a cycle, worms and deliveries.

mod commit_log;
mod observer;
mod payload;
mod worm;

pub use commit_log::*;
pub use observer::*;
pub use payload::payload_word;
pub use worm::*;
