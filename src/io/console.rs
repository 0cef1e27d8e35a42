//! Standard output and standard error. Every byte to them passes here, except a progress bar on a
//! terminal.
//!
//! A reader that stops reading (`| head`) is no error, because it misses nothing. Files are written
//! all the same. Text that standard error does not take is lost, without an effect on anything
//! else.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::quote;

/// Whether standard output is a file of the command, so that reports go to standard error.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Words at the beginning of a line that give a result, and their colours.
const VERDICTS: [(&str, AnsiColor); 13] = [
    ("passed", AnsiColor::Green),
    ("done", AnsiColor::Green),
    ("no deadlock", AnsiColor::Green),
    ("saturated", AnsiColor::Yellow),
    ("stopped", AnsiColor::Yellow),
    ("interrupted", AnsiColor::Yellow),
    ("warning:", AnsiColor::Yellow),
    ("FAILED", AnsiColor::Red),
    ("BAD", AnsiColor::Red),
    ("DEADLOCK", AnsiColor::Red),
    ("  DEADLOCK", AnsiColor::Red),
    ("check failed:", AnsiColor::Red),
    ("error:", AnsiColor::Red),
];

/// A text with its verdicts in colour, if a stream takes colours. A terminal does, unless
/// `NO_COLOR` is set. Any stream does if `CLICOLOR_FORCE` is set.
fn painted<'a>(text: &'a str, to: &impl anstream::stream::RawStream) -> Cow<'a, str> {
    match AutoStream::choice(to) {
        ColorChoice::Never => text.into(),
        ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi => coloured(text).into(),
    }
}

fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let is_word = |word: &str| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let Some((word, colour)) = VERDICTS.iter().find(|(word, _)| is_word(word)) else { return line.to_owned() };
        let style = Style::new().bold().fg_color(Some((*colour).into()));
        format!("{style}{word}{style:#}{}", &line[word.len()..])
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Prints a report.
///
/// # Errors
/// Standard output does not take it, for example on a full disk.
pub fn print(text: &str) -> io::Result<()> {
    if TAKEN.load(Ordering::Relaxed) {
        // A failed write to standard error is not reported, as for all messages.
        let _ = stderr().write_all(painted(&quote::visible(text), &stderr()).as_bytes());
        return Ok(());
    }
    let mut out = stdout().lock();
    let text = quote::visible(text);
    let text = painted(&text, &stdout());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Prints a message to standard error: a warning, or the reason why a command was refused.
pub fn tell(text: &str) {
    // The text is written at once, so that lines of two processes are not mixed. An error here
    // cannot be reported.
    let text = format!("{}\n", quote::message(text));
    let _ = stderr().write_all(painted(&text, &stderr()).as_bytes());
}

/// The same as [`tell`], in place of a progress bar on a terminal.
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
/// There is no standard output.
pub fn output() -> io::Result<File> {
    let file = stdout().as_fd().try_clone_to_owned()?.into();
    TAKEN.store(true, Ordering::Relaxed);
    Ok(file)
}

/// The stream that a shell has led to the file at `path`. A command must not replace this file.
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

// Only this function and the next one use the streams.
#[allow(clippy::disallowed_methods)]
fn stdout() -> io::Stdout {
    io::stdout()
}

#[allow(clippy::disallowed_methods)]
fn stderr() -> io::Stderr {
    io::stderr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_coloured_and_nothing_else_is() {
        let told = coloured("x.ron: mesh\ndone after 9 cycles\nFAILED  a  done\n  DEADLOCK final\ndoneness\n");
        let expected = "x.ron: mesh\n\u{1b}[1m\u{1b}[32mdone\u{1b}[0m after 9 cycles\n\u{1b}[1m\u{1b}[31mFAILED\u{1b}[0m  a  done\n\
                        \u{1b}[1m\u{1b}[31m  DEADLOCK\u{1b}[0m final\ndoneness\n";
        assert_eq!(told, expected);
    }
}
