//! Standard output and standard error: every byte to them passes here, but for a progress bar on a terminal.
//!
//! A reader that went away (`| head`) is no error: nobody is left who misses anything, and files are written all the same. What
//! standard error does not take is lost, and takes nothing else with it.

use std::io::{self, ErrorKind, Write};

use crate::quote;

/// Prints a report.
///
/// # Errors
/// When standard output does not take it, as on a full disk.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(quote::visible(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Says something beside the report: a warning, why a command was refused.
pub fn tell(text: &str) {
    // All at once, lest lines of two processes get mixed up; there is nobody to tell of an error.
    let _ = stderr().write_all(format!("{}\n", quote::message(text)).as_bytes());
}

// The only place that asks for them.
#[allow(clippy::disallowed_methods)]
fn stdout() -> io::Stdout {
    io::stdout()
}

#[allow(clippy::disallowed_methods)]
fn stderr() -> io::Stderr {
    io::stderr()
}
