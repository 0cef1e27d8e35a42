//! Standard output and standard error: every byte to them passes here, but for a progress bar on a
//! terminal.
//!
//! A reader that went away (`| head`) is no error: nobody is left who misses anything, and files
//! are written all the same. What standard error does not take is lost, and takes nothing else with
//! it.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::quote;

/// Whether standard output has a file of the command's, so that reports go to standard error.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Prints a report.
///
/// # Errors
/// When standard output does not take it, as on a full disk.
pub fn print(text: &str) -> io::Result<()> {
    if TAKEN.load(Ordering::Relaxed) {
        // As with everything there, nobody is told when that fails.
        let _ = stderr().write_all(quote::visible(text).as_bytes());
        return Ok(());
    }
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

/// As [`tell`], in place of a progress bar where there is a terminal.
pub fn tell_over(text: &str) {
    let mut out = stderr();
    if out.is_terminal() {
        let _ = out.write_all(b"\r\x1b[2K");
    }
    tell(text);
}

/// Standard output as the file that a command writes. From now on reports go to standard error.
///
/// # Errors
/// When there is none.
pub fn output() -> io::Result<File> {
    let file = stdout().as_fd().try_clone_to_owned()?.into();
    TAKEN.store(true, Ordering::Relaxed);
    Ok(file)
}

/// The stream that a shell has led to the file at `path`, which a command must not replace.
#[must_use]
pub fn stream_at(path: &Path) -> Option<&'static str> {
    let there = path.metadata().ok().filter(Metadata::is_file)?;
    let is_there = |stream: BorrowedFd| {
        let stream: Option<File> = stream.try_clone_to_owned().ok().map(Into::into);
        let stream = stream.and_then(|file| file.metadata().ok());
        stream.is_some_and(|stream| (stream.dev(), stream.ino()) == (there.dev(), there.ino()))
    };
    let streams = [("standard output", is_there(stdout().as_fd())), ("standard error", is_there(stderr().as_fd()))];
    streams.into_iter().find_map(|(name, is_there)| is_there.then_some(name))
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
