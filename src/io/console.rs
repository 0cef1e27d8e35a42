//! Standard output and standard error: every byte to them passes here, but for a progress bar on a
//! terminal.
//!
//! A reader that went away (`| head`) is no error: nobody is left who misses anything, and files
//! are written all the same. What standard error does not take is lost, and takes nothing else with
//! it.

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

/// Whether standard output has a file of the command's, so that reports go to standard error.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Words that lines begin with where they say how something went, and their colours.
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

/// A text with its verdicts in colour, where a stream takes colours: on a terminal, unless
/// `NO_COLOR` is set, or anywhere when `CLICOLOR_FORCE` is.
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
/// When standard output does not take it, as on a full disk.
pub fn print(text: &str) -> io::Result<()> {
    if TAKEN.load(Ordering::Relaxed) {
        // As with everything there, nobody is told when that fails.
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

/// Says something beside the report: a warning, why a command was refused.
pub fn tell(text: &str) {
    // All at once, lest lines of two processes get mixed up; there is nobody to tell of an error.
    let text = format!("{}\n", quote::message(text));
    let _ = stderr().write_all(painted(&text, &stderr()).as_bytes());
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
