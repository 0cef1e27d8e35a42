//! Suggestions for misspelt words and operators of properties.

use crate::spelling::nearest;

/// Operators of other languages, the longest first, and those of properties.
const OPERATORS: [(&str, &str); 8] = [
    ("===", "=="),
    ("!==", "!="),
    ("=>", "|=>` or `>="),
    ("=<", "<="),
    ("=", "=="),
    ("##", "|-> ##"),
    ("#", "##"),
    ("|-", "|->"),
];
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

/// `; did you mean ...?` for a text that is no property because of the character at `offset`. Empty
/// if nothing is near.
pub(super) fn meant(text: &str, offset: usize) -> String {
    let (before, rest) = text.split_at(offset);
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let here = rest.split(|c| !is_word(c)).next().unwrap_or_default();
    let last = before.trim_end().rsplit(|c| !is_word(c)).next().unwrap_or_default();
    if before.ends_with(['-', '|']) && rest.trim_start_matches('~').starts_with('>') {
        return "; did you mean `|->`?".to_owned();
    }
    if before.ends_with('<') && rest.starts_with('>') {
        return "; did you mean `!=`?".to_owned();
    }
    let operator = OPERATORS.iter().find(|(written, _)| rest.starts_with(written));
    let meant = operator.map(|(_, meant)| (*meant).to_owned()).or_else(|| word(here)).or_else(|| word(last));
    meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
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
