//! Cycle-accurate wormhole switches and routers that replicate worms in hardware.
//!
//! An experiment is a network, the messages that are sent through it, and the length of the run.
//! Its result is a [`Report`]:
//!
//! ```
//! let experiment = wormscope::load("configs/mesh_4x4_bit_string.ron")?;
//! let report = experiment.set("network.switch.fifo_depth", 8)?.run()?;
//! println!("{report}"); // as `wormscope run` prints it
//! assert_eq!(report.totals.worms_done, 2);
//! let tree = &report.multicasts[0];
//! assert_eq!((tree.first, tree.last, tree.unblocked), (Some(31), Some(41), Some(27)));
//!
//! // Trees in short FIFOs hold lanes that other worms wait for. Which change frees any worms?
//! let experiment = wormscope::load("configs/mesh_3x3_tree_deadlock.ron")?;
//! let deadlock = experiment.run()?.deadlock.expect("it ends in one");
//! assert_eq!((deadlock.final_cycle, deadlock.cycle.len()), (8, 2));
//! let cure = &experiment.explain()?.deadlock.expect("the same").cures[0];
//! assert_eq!(cure.change, "replication buffered, fifo_depth 4 to 17");
//! # Ok::<(), wormscope::ConfigError>(())
//! ```
//!
//! - [`Experiment::validated`] lets you run an experiment that you made in code.
//! - [`Loaded::observed`] gives an [`Observer`](engine::Observer) every delivery or every cycle.
//! - [`run::watched`] also writes waveforms and CSV.
//! - With an [`Engine`](engine::Engine) you drive the network cycle by cycle.
//!
//! `examples/` has each of them: `cargo run --release --example by_hand`.
//!
//! Names on this page and in the examples carry a promise to stay. They are experiments and
//! networks as data, runs and reports, the engine and its observers, deadlocks and their
//! explanation. Other modules are public for the command line, the testbenches and the benchmarks
//! of this repository. They carry no promise.

// The documentation for developers shows private items as well.
#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic
#![deny(clippy::unwrap_used)] // outside tests

pub mod cost;
pub mod deadlock;
pub mod experiment;
mod io;
mod observe;
pub mod page;
#[cfg(test)]
mod properties;
pub mod prove;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod search;
pub mod simulation;
pub mod sweep;
pub mod testbench;

/// Root of the repository, for tests.
#[cfg(test)]
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub use cost::energy;
use experiment::site;
pub use experiment::{Experiment, Loaded, config, workload};
pub use input::ConfigError;
pub use io::{console, input, output, statistics};
use io::{glob, table};
pub use observe::{account, coverage, trace, verify};
pub use page::{plot, view};
pub use report::Report;
pub use report::memory;
pub use report::rtl;
pub use reproduce::compare;
pub use run::dependency;
pub use run::explain;
pub use run::load;
use run::state_space;
pub use simulation::measure;
pub use sweep::explore;
pub use wormscope_engine as engine;
pub use wormscope_hw as hw;
pub use wormscope_multicast as multicast;
pub use wormscope_multicast::model;
pub use wormscope_network as network;
pub use wormscope_quote as quote;
pub use wormscope_quote::spelling;
