//! Suggestions for misspelt words and operators of properties.

use crate::spelling::nearest;

/// Operators of other languages, the longest first, and those of properties.
const OPERATORS: [(&str, &str); 6] =
    [("=>", "|=>` or `>="), ("=<", "<="), ("=", "=="), ("##", "|-> ##"), ("#", "##"), ("|-", "|->")];
/// Words of other languages, and the operators.
const WORDS: [(&str, &str); 9] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("xor", "^"),
    ("implies", "|->"),
    ("assert", "always"),
    ("s_eventually", "eventually"),
    ("nexttime", "##1"),
    ("iff", "|->"),
];
/// Words of properties.
const KNOWN: [&str; 13] = [
    "always",
    "never",
    "eventually",
    "within",
    "past",
    "rose",
    "fell",
    "stable",
    "changed",
    "count",
    "countones",
    "onehot",
    "onehot0",
];

/// Something that is near to a word or an operator of properties.
pub(super) struct Misspelt {
    /// Place of its first character.
    pub at: usize,
    pub written: String,
    /// The word or the operator that is meant.
    pub meant: String,
}

/// The misspelt word or operator in a text that is no property because of the character at
/// `offset`. It may begin before this character.
pub(super) fn misspelt(text: &str, offset: usize) -> Option<Misspelt> {
    let (before, rest) = text.split_at(offset);
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let here = rest.split(|c| !is_word(c)).next().unwrap_or_default();
    let earlier = before.trim_end();
    let last = earlier.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let of = |at: usize, written: &str, meant: String| Misspelt { at, written: written.to_owned(), meant };
    let arrow = rest.len() - rest.trim_start_matches('~').len();
    // Parts of operators that were read as operators, and what must follow them.
    let begun = if before.ends_with(['-', '|']) && rest[arrow..].starts_with('>') {
        Some((offset - 1, arrow + 1, "|->"))
    } else if before.ends_with('<') && rest.starts_with('>') {
        Some((offset - 1, 1, "!="))
    } else if before.ends_with("==") && rest.starts_with('=') {
        Some((offset - 2, 1, "=="))
    } else if before.ends_with("!=") && rest.starts_with('=') {
        Some((offset - 2, 1, "!="))
    } else {
        None
    };
    if let Some((at, more, meant)) = begun {
        return Some(of(at, &text[at..offset + more], meant.to_owned()));
    }
    let operator = OPERATORS.iter().find(|(written, _)| rest.starts_with(written));
    operator
        .map(|(written, meant)| of(offset, written, (*meant).to_owned()))
        .or_else(|| Some(of(offset, here, word(here)?)))
        .or_else(|| Some(of(earlier.len() - last.len(), last, word(last)?)))
}

/// The word or operator that is meant by a word that is none.
fn word(written: &str) -> Option<String> {
    if written.is_empty() || written.contains('.') {
        return None;
    }
    let (sign, name) = written.strip_prefix('$').map_or(("", written), |name| ("$", name));
    if let Some((_, meant)) = WORDS.iter().find(|(of, _)| *of == name) {
        return Some((*meant).to_owned());
    }
    let near = if name == "rise" {
        Some("rose")
    } else if name == "fall" {
        Some("fell")
    } else {
        nearest(name, &KNOWN)
    };
    near.filter(|near| *near != name).map(|near| format!("{sign}{near}"))
}
