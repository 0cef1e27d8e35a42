//! Values of options, and errors of a command line. An error is one paragraph, as for all other
//! inputs.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error, Parser};
use wormscope::output::is_standard;
use wormscope::quote::{excerpt, spelling};

/// A parser of the integers of a range.
pub fn integer<T: Copy + Display + FromStr + PartialOrd>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("allowed: an integer from {} to {}", range.start(), range.end()))
    }
}

/// A parser of a range of integers, as in `2..4`, both included, or of one integer.
pub fn range(allowed: RangeInclusive<u32>) -> impl Fn(&str) -> Result<(u32, u32), String> + Clone {
    move |text| {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let of = |text: &str| text.parse().ok().filter(|number| allowed.contains(number));
        let both = of(least).zip(of(most));
        if let Some((least, most)) = both.filter(|(least, most)| least > most) {
            return Err(format!("the range ends before it begins; did you mean {most}..{least}?"));
        }
        both.ok_or_else(|| {
            format!(
                "allowed: an integer from {} to {}, or a range of them such as 2..4",
                allowed.start(),
                allowed.end()
            )
        })
    }
}

/// A parser of a folder that is written into: standard output holds none.
pub fn folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let why = "this option needs a folder for several files, and this is standard output; name a folder";
        if is_standard(&path) { Err(why) } else { Ok(path) }
    })
}

/// The command line of the user.
///
/// # Errors
/// When help or version were asked for, or something is wrong.
pub fn parse<T: Parser>(command: Command) -> Result<T, Error> {
    let matches = command.try_get_matches()?;
    T::from_arg_matches(&matches)
}

/// Lets options take negative numbers. Then the parser of the option says which numbers are
/// allowed.
pub fn with_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes_one = !arg.is_positional() && arg.get_action().takes_values();
        if takes_one { arg.allow_negative_numbers(true) } else { arg }
    });
    command.mut_subcommands(with_negative_numbers)
}

/// The fault, in one paragraph.
pub fn in_words(error: &Error) -> String {
    use std::error::Error as _;
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let option = context(ContextKind::InvalidArg).split(' ').next().unwrap_or_default();
    let value = excerpt(context(ContextKind::InvalidValue));
    match (error.kind(), error.source(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::ValueValidation, Some(why), _) => format!("{option} {value}: {why}"),
        (ErrorKind::InvalidValue, _, Some(ContextValue::Strings(allowed))) if !value.is_empty() => {
            let names: Vec<_> = allowed.iter().map(String::as_str).collect();
            let meant = spelling::nearest(context(ContextKind::InvalidValue), &names);
            let meant = meant.map_or(String::new(), |name| format!("; did you mean {name}?"));
            format!("{option} {value}: allowed: {}{meant}", names.join(", "))
        }
        // The first paragraphs of the parser's error. Usage and a pointer to the help follow them.
        _ => {
            let text = error.render().to_string();
            let is_told = |part: &&str| !part.starts_with("Usage: ") && !part.starts_with("For more");
            let told = text.split("\n\n").take_while(is_told);
            let told: Vec<_> = told.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            told.join("; ").trim_start_matches("error: ").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line;

    /// Options of a command and of its commands whose help lacks the range that their errors name.
    fn lacking(path: &[&str], command: &Command, seen: &mut u32) -> Vec<String> {
        let mut lacking = Vec::new();
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long().filter(|_| arg.get_action().takes_values()) else { continue };
            let option = format!("--{long}=no_number");
            let words = path.iter().copied().chain([option.as_str()]);
            let why = command_line().try_get_matches_from(words).err().map(|error| in_words(&error));
            let range = why.and_then(|why| {
                let allowed = why.split_once("allowed: an integer from ")?.1;
                Some(allowed.split_once(", or a range").map_or(allowed, |(range, _)| range).to_owned())
            });
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            if let Some(range) = range {
                *seen += 1;
                // Whatever fits into the type says nothing.
                let is_all = [u64::from(u32::MAX), u64::MAX].iter().any(|most| range.ends_with(&format!(" {most}")));
                let range = range.replace("1000000000000000000", "10^18");
                if !is_all && !help.contains(&range) {
                    lacking.push(format!("{} --{long}: {range}", path.join(" ")));
                }
            }
        }
        for inner in command.get_subcommands() {
            lacking.extend(self::lacking(&[path, &[inner.get_name()]].concat(), inner, seen));
        }
        lacking
    }

    #[test]
    fn help_has_the_range_of_every_integer() {
        let mut seen = 0;
        assert_eq!(lacking(&["wormscope"], &command_line(), &mut seen), [""; 0]);
        assert!(seen > 20, "{seen} integers");
    }
}
