//! Explains a deadlock: from when on no order of grants avoids it, and what would have.

pub mod cures;
pub mod no_return;
pub(crate) mod view;
