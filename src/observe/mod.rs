//! Observers: they watch a run and change no bit of it.

pub mod account;
pub mod trace;
pub mod verify;
