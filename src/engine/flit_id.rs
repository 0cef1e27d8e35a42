//! Name of a flit.

use wormscope_hw::WormId;

/// A flit, named by its worm and its place in the worm.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlitId {
    /// The worm.
    pub worm: WormId,
    /// Index within the worm as injected.
    pub index: u32,
}

/// Writes a flit as docs/reference/timing.md does: `w0.3` is flit 3 of worm 0.
impl std::fmt::Display for FlitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "w{}.{}", self.worm, self.index)
    }
}

impl std::fmt::Debug for FlitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}
