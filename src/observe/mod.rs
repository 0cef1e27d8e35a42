//! Observers of a run, which change no bit of it.

pub mod account;
pub mod coverage;
pub mod trace;
pub mod verify;
