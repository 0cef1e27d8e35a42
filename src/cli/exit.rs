//! How a command ends: its exit code, or why it was refused; and what it prints before.

use std::fmt::Display;

use wormscope::{console, output};

/// Done.
pub const DONE: u8 = 0;
/// Bad input: the command ran nothing, or left no files.
pub const BAD_INPUT: u8 = 2;
/// The run ended in a deadlock.
pub const DEADLOCK: u8 = 3;
/// A testbench failed. Or all worms arrived, but a flit, credit or lane was not returned.
pub const CHECK_FAILED: u8 = 4;
/// The run was interrupted (128 and the number of the signal, as shells have it).
pub const INTERRUPTED: u8 = 130;

/// Why a command was not carried out: one paragraph.
pub struct Refused(pub String);

impl<E: Display> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Says why a command was not carried out.
pub fn refuse(Refused(message): Refused) -> u8 {
    console::tell(&format!("error: {message}"));
    BAD_INPUT
}

/// Prints warnings to standard error, a line each.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        console::tell(&format!("warning: {warning}"));
    }
}

/// Prints a report.
pub fn print(text: &str) -> Result<(), Refused> {
    console::print(text).map_err(|error| Refused(format!("standard output: {error}; {}", left(output::placed()))))
}

/// Says that a command ends early, and that its partial results are printed and written.
pub fn interrupted(how_far: &str) -> u8 {
    console::tell(&format!("interrupted{how_far}; the output has the results so far"));
    INTERRUPTED
}

/// Words about the files that a command leaves when it ends early. `placed` is the number of
/// complete files.
pub fn left(placed: u64) -> String {
    match placed {
        0 => "nothing was left behind".to_owned(),
        1 => "1 file was complete before, and stays".to_owned(),
        n => format!("{n} files were complete before, and stay"),
    }
}
