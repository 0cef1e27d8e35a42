//! Cycle-accurate wormhole switches and routers that replicate worms in hardware.

#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic

pub mod compare;
pub mod config;
pub mod console;
pub mod cost;
pub mod deadlock;
pub mod energy;
pub mod engine;
pub mod experiment;
pub mod explain;
pub mod explore;
mod glob;
pub mod input;
pub mod measure;
pub mod memory;
pub mod model;
pub mod multicast;
pub mod network;
pub mod output;
pub mod page;
pub mod plot;
#[cfg(test)]
mod properties;
pub mod quote;
pub mod report;
pub mod run;
pub mod simulation;
pub mod site;
pub mod spelling;
pub mod statistics;
pub mod sweep;
pub mod table;
pub mod testbench;
pub mod trace;
pub mod verify;
pub mod workload;

pub use wormscope_hw as hw;
