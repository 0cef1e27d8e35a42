//! Stimulus: where messages come from.

pub mod trace_csv;
