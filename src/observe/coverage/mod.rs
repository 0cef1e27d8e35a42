//! Functional coverage: which situations of the hardware a run has met.
//!
//! [`Coverage`] is an observer. It gets the commit log of a run and counts events in bins. A bin is
//! a combination of small numbers, such as an encoding, a number of branches and a cause. It stands
//! for a kind of block, not for an instance, so that runs of different networks add up.
//!
//! ```
//! use wormscope::coverage::{Bin, Coverage};
//!
//! let experiment = wormscope::load("configs/mesh_4x4_bit_string.ron")?;
//! let built = experiment.build()?;
//! let mut coverage = Coverage::new(built.network(), built.wiring());
//! experiment.observed(&mut coverage)?;
//! let covered = coverage.covered();
//! let possible = Bin::all().filter(|bin| covered.facts.allow(bin)).count();
//! println!("{} of {possible} bins", covered.hits.len());
//! assert!(0 < covered.hits.len() && covered.hits.len() < possible);
//! # Ok::<(), wormscope::ConfigError>(())
//! ```
//!
//! # Mechanism
//!
//! All bins are one flat array. Each group of bins has a file in `groups/`, with its dimensions and
//! with the combinations that cannot happen. Bins count *events*, not cycles: a lane that does in a
//! cycle what it did in the cycle before is passed over after one comparison.
//!
//! # Exclusions
//!
//! A group gives a reason for each combination that cannot happen. The reason is a property: a run
//! that reaches such a bin has found a fault of the hardware, or of the reason.

mod catalogue;
mod dimensions;
mod facts;
mod group;
mod groups;
mod lanes;
mod run;
mod watch;
mod word;

pub use catalogue::{BINS, Bin, GROUPS};
pub use facts::Facts;
pub use group::{BinGroup, Dimension};
pub use run::{OwnBin, PropertyCounts, RunCoverage};
pub use watch::{Coverage, Covered};
pub use word::Words;
