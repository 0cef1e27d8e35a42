//! Quotes of user input in messages of wormscope: short, and escaped, so that no terminal obeys
//! them.
//!
//! [`spelling`] finds the name that a wrong one was probably meant to be.
//!
//! This package is a part of wormscope. The crate `wormscope` shows it as `wormscope::quote`. Its
//! front page says which names are meant to stay.

// The library does the same.
#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used)] // outside tests

pub mod spelling;

use std::borrow::Cow;
use std::fmt::{Debug, Display, Write as _};
use std::path::Path;

/// Number of characters of a value that are shown whole.
const VALUE: usize = 40;
/// Number of characters of a file's name that are shown whole.
const NAME: usize = 200;
/// Number of characters of a line that are shown whole.
const LINE: usize = 900;

/// Whether a terminal would obey the character. Such characters are control characters, characters
/// that change the direction of text, and characters that XML does not allow.
fn is_command(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(text: &str, is_command: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_command) {
        return text.into();
    }
    text.chars().map(|c| if is_command(c) { c.escape_debug().to_string() } else { c.to_string() }).collect()
}

/// A text that a terminal shows unchanged. Characters that it would obey, except line breaks, are
/// escaped.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_command(c))
}

/// A value on one short line. The middle of a longer one is left out.
#[must_use]
pub fn excerpt(text: &str) -> String {
    shortened(text, VALUE, 12)
}

/// The part of a value around a place, given in bytes, on one short line.
#[must_use]
pub fn around(text: &str, place: usize) -> String {
    let at = text.get(..place).unwrap_or(text).chars().count();
    let length = text.chars().count();
    let begin = at.saturating_sub(VALUE / 2).min(length.saturating_sub(VALUE));
    let shown: String = text.chars().skip(begin).take(VALUE).collect();
    let (before, after) = (if begin > 0 { "..." } else { "" }, if begin + VALUE < length { "..." } else { "" });
    format!("{before}{}{after}", escaped(&shown, is_command))
}

/// A number in its written form, with an exponent if it has many digits.
#[must_use]
pub fn number(value: impl Display + Debug) -> String {
    const MOST: usize = 20;
    let plain = value.to_string();
    if plain.len() <= MOST { plain } else { format!("{value:?}") }
}

/// A count; `None` for one that 64 bits do not hold.
#[must_use]
pub fn count(value: Option<u64>) -> String {
    value.map_or_else(|| "more than 10^19".to_owned(), |value| value.to_string())
}

/// Largest number of items of a list, and of rows of a table, on a terminal.
pub const MOST_LISTED: usize = 16;

/// A list of any length for a terminal: `1, 2, 3`. A long one is `1, 2, ... and 208 more`.
#[must_use]
pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    list_of(items, ", ", MOST_LISTED)
}

/// The same as [`list`], with at most `most` items, and with `between` between them.
#[must_use]
pub fn list_of<T: Display>(items: impl IntoIterator<Item = T>, between: &str, most: usize) -> String {
    let mut items = items.into_iter();
    let shown: Vec<String> = items.by_ref().take(most).map(|item| item.to_string()).collect();
    let shown = shown.join(between);
    match items.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A line about further rows of a table, all of which `--json` has.
#[must_use]
pub fn more_rows(rows: usize, shown: usize, what: &str) -> String {
    match rows.saturating_sub(shown) {
        0 => String::new(),
        1 => format!("  ... and 1 more {what}; --json has it\n"),
        more => format!("  ... and {more} more {what}s; --json has all\n"),
    }
}

/// The form of a word that goes with a number of things.
#[must_use]
pub fn form<'a>(count: impl Display, one: &'a str, many: &'a str) -> &'a str {
    if count.to_string() == "1" { one } else { many }
}

/// A number of things, one or many: `1 worm`, `3 worms`.
#[must_use]
pub fn counted(count: impl Display, what: &str) -> String {
    let s = form(&count, "", "s");
    format!("{count} {what}{s}")
}

/// The name of a file in a message.
#[must_use]
pub fn name(path: impl AsRef<Path>) -> String {
    shortened(&path.as_ref().to_string_lossy(), NAME, NAME / 2)
}

/// A message of any number of lines, each of a length that can be read.
#[must_use]
pub fn message(text: &str) -> String {
    text.split('\n').map(|line| shortened(line, LINE, LINE / 2)).collect::<Vec<_>>().join("\n")
}

/// The text if it has at most `most` characters, else its beginning and its last `end` characters.
fn shortened(text: &str, most: usize, end: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return escaped(text, is_command).into_owned();
    }
    let byte = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (begin, end) = (&text[..byte(most - end)], &text[byte(length - end)..]);
    format!("{}...{}", escaped(begin, is_command), escaped(end, is_command))
}

/// A path or a text, as a shell takes it for one word after the first, and as a terminal shows it.
#[must_use]
pub fn shell(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_string_lossy();
    // An assignment counts as one only before the command.
    if !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || "._=-/,:+@%".contains(c)) {
        return path.into_owned();
    }
    if !path.contains(is_command) {
        return shlex::try_quote(&path).map_or_else(|_| path.to_string(), Cow::into_owned);
    }
    let mut word = "$'".to_owned();
    for c in path.chars() {
        match c {
            '\'' | '\\' => word.extend(['\\', c]),
            // A write to a string does not fail.
            c if is_command(c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                let _ = write!(word, "\\x{byte:02x}");
            }),
            c => word.push(c),
        }
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_stays_on_one_short_line() {
        assert_eq!(excerpt("a\n\u{1b}[31m\"b\""), "a\\n\\u{1b}[31m\"b\"");
        let long = format!("{}{}{}", "a".repeat(100), "é".repeat(100_000), "z".repeat(12));
        assert_eq!(excerpt(&long), format!("{}...{}", "a".repeat(28), "z".repeat(12)));
        assert_eq!(excerpt(&"x".repeat(40)), "x".repeat(40));
    }

    #[test]
    fn of_a_long_value_the_part_around_a_place_is_shown() {
        assert_eq!(around("a short one", 3), "a short one");
        let long = format!("{}é!{}", "a".repeat(5000), "b".repeat(5000));
        assert_eq!(around(&long, 5002), format!("...{}é!{}...", "a".repeat(19), "b".repeat(19)));
        assert_eq!(around(&long, 0), format!("{}...", "a".repeat(40)));
        assert_eq!(around(&long, long.len()), format!("...{}", "b".repeat(40)));
    }

    #[test]
    fn a_number_is_as_long_as_it_was_written() {
        assert_eq!([1.0, 0.000_001, 1e9].map(number), ["1", "0.000001", "1000000000"]);
        assert_eq!([1e308, -5e-324, f64::NAN].map(number), ["1e308", "-5e-324", "NaN"]);
        assert_eq!(number(u64::MAX), u64::MAX.to_string());
    }

    #[test]
    fn a_count_past_64_bits_is_not_written_as_their_largest() {
        assert_eq!([Some(7), Some(u64::MAX), None].map(count), ["7", "18446744073709551615", "more than 10^19"]);
    }

    #[test]
    fn a_long_list_is_cut_and_the_rest_counted() {
        assert_eq!(list([1, 2, 3]), "1, 2, 3");
        assert_eq!(list(0..16), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15");
        assert_eq!(list(0..17), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 1 more");
        assert_eq!(list_of(["a", "b", "c"], " -> ", 2), "a -> b and 1 more");
        assert_eq!(
            [2, 3, 5].map(|rows| more_rows(rows, 2, "row")),
            ["", "  ... and 1 more row; --json has it\n", "  ... and 3 more rows; --json has all\n"]
        );
    }

    #[test]
    fn no_text_gives_a_terminal_a_command() {
        assert_eq!(visible("plain\ntext, é"), "plain\ntext, é");
        assert_eq!(visible("\u{9b}2J\r\n\u{202e}"), "\\u{9b}2J\\r\n\\u{202e}");
        assert_eq!(name("a\n\u{1b}c"), "a\\n\\u{1b}c");
        assert_eq!(name("x".repeat(5000)).len(), 203);
        let long = message(&format!("one\n{}\nthree", "x".repeat(5000)));
        let lines: Vec<usize> = long.split('\n').map(str::len).collect();
        assert_eq!(lines, [3, 903, 5]);
    }

    #[test]
    fn a_shell_reads_a_quoted_path_back() {
        for path in ["plain.gtkw", "a.b=4", "", "a[0]=1", "two words", "it's", "\u{1b}[2J\n'\\", "-é\u{9b}"] {
            let line = format!("printf %s {}", shell(path));
            let out = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), path, "{line}");
            assert!(!line.contains('\u{1b}'));
        }
    }
}
