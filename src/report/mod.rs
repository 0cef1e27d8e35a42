//! Results of a run: a summary to read, JSON to keep, CSV of every delivery.
//!
//! [`Collector`] and [`DeliveryCsv`] watch the run. Behind it, [`Report::new`] draws all numbers
//! once from the collector and from the engine's counters ([`RunSummary`]); [`text::summary`] and
//! [`json::write`] print that one report.

pub mod accounts;
pub mod bench_node;
pub mod both;
pub mod brief;
pub(crate) mod canvas;
pub mod chart;
pub mod classes;
pub mod clock;
mod collector;
pub mod cost;
pub mod coverage;
pub mod delivery_csv;
pub mod gauge;
pub(crate) mod graph;
pub mod groups;
pub mod hardware;
pub mod heat;
pub mod heat_picture;
pub mod histogram;
pub mod hops;
pub mod idle;
pub mod json;
pub(crate) mod mark;
pub mod memory;
mod outcome;
pub(crate) mod perfetto;
pub mod picture;
pub mod plan;
#[cfg(feature = "png")]
pub mod png;
pub mod rows;
pub mod rtl;
pub mod software;
pub mod study;
pub mod summary;
pub(crate) mod svg;
pub mod text;
pub mod time;
mod unloaded;
pub(crate) mod wires;
mod worms;

pub use collector::Collector;
pub(crate) use delivery_csv::DeliveryCsv;
pub use histogram::Histogram;
pub use outcome::RunEnd;
pub use software::SoftwareRow;
pub use summary::{Report, RunSummary, Utilisation};

#[cfg(test)]
mod tests;
