//! Reports of coverage: files, the merge of many runs, holes, and the smallest set of runs.

mod file;
mod merged;
mod page;
mod smallest;
mod text;
mod ucis;

pub use file::{CoverageFileError, read, written};
pub use merged::{BinState, Hole, Merged, Tally};
pub use page::page;
pub use smallest::smallest;
pub use text::text;
pub use ucis::ucis;
