//! Positions: from the path of a field to its place in the RON text.
//!
//! `ron` gives the place where reading failed, not the place of a value that was read. This scanner
//! knows only the brackets, commas and names of RON. It runs only when a place is needed: for an
//! error, and to replace a value with `--set`.

use std::fmt;
use std::ops::Range;

use super::{ConfigError, Place};
use crate::quote::excerpt;

/// Largest number of levels of nesting. The deepest valid configuration has nine.
const DEEPEST: u32 = 64;

/// A value in the text, by byte offsets.
#[derive(Debug)]
pub(crate) struct Value<'a> {
    pub(crate) span: Range<usize>,
    pub(crate) shape: ValueShape<'a>,
}

/// Shape of a value.
#[derive(Debug)]
pub(crate) enum ValueShape<'a> {
    /// A number, string, or name without parentheses.
    Leaf,
    /// `(key: value, ...)`, `{"key": value, ...}`: key, its offset, its value.
    Fields(Vec<(&'a str, usize, Value<'a>)>),
    /// `(value, ...)`.
    Tuple(Vec<Value<'a>>),
    /// `[value, ...]`.
    List(Vec<Value<'a>>),
    /// `name(...)`: an enum's variant (in lower case) or a type (in camel case, without meaning).
    Named(&'a str, Box<Value<'a>>),
}

/// Text that is not RON, with its place.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

/// One step of a path such as `workload[2].messages[0].destinations[3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Field of a struct or variant of an enum.
    Name(String),
    /// Element of a list.
    Index(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// The steps of a path; `None` for a text that is no path.
pub(crate) fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, mut indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Name(name.to_owned()));
        while !indices.is_empty() {
            let (index, rest) = indices.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            indices = rest;
        }
    }
    Some(steps)
}

/// A path as a user writes it.
pub(crate) fn path_of(steps: &[Step]) -> String {
    let path: String = steps.iter().map(Step::to_string).collect();
    path.strip_prefix('.').unwrap_or(&path).to_owned()
}

impl Value<'_> {
    /// The value inside parts without meaning: a type's name, `Some`, the parentheses of a newtype.
    pub(crate) fn bare(&self) -> &Self {
        match &self.shape {
            ValueShape::Named(name, body) if name.starts_with(char::is_uppercase) => body.bare(),
            ValueShape::Tuple(values) if values.len() == 1 => values[0].bare(),
            _ => self,
        }
    }

    /// One step down, with the offset at which a reader looks for it: the key of a field, else the
    /// value.
    pub(crate) fn step(&self, step: &Step) -> Option<(usize, &Self)> {
        let value = self.bare();
        match (&value.shape, step) {
            (ValueShape::Fields(fields), Step::Name(name)) => {
                fields.iter().find(|(key, ..)| key == name).map(|(_, at, value)| (*at, value))
            }
            (ValueShape::Named(variant, body), Step::Name(name)) if variant == name => Some((value.span.start, body)),
            (ValueShape::List(values) | ValueShape::Tuple(values), Step::Index(index)) => {
                values.get(*index).map(|value| (value.span.start, value))
            }
            _ => None,
        }
    }

    /// Follows the steps as far as the text has them. Returns the place, the value, and the number
    /// of steps.
    pub(crate) fn walk(&self, steps: &[Step]) -> (usize, &Self, usize) {
        let mut here = (self.span.start, self);
        for (taken, step) in steps.iter().enumerate() {
            match here.1.step(step) {
                Some(next) => here = next,
                None => return (here.0, here.1, taken),
            }
        }
        (here.0, here.1, steps.len())
    }

    /// The leaf that covers a byte of the text, and the path to it.
    pub(crate) fn leaf_at(&self, offset: usize) -> Option<(Vec<Step>, &Self)> {
        let covers = |value: &Self| (value.span.start..=value.span.end).contains(&offset);
        let value = self.bare();
        let (step, inner) = match &value.shape {
            ValueShape::Leaf => return covers(value).then(|| (Vec::new(), value)),
            ValueShape::Fields(fields) => {
                let (key, _, inner) = fields.iter().find(|(.., inner)| covers(inner))?;
                (Step::Name((*key).to_owned()), inner)
            }
            ValueShape::Tuple(values) | ValueShape::List(values) => {
                let index = values.iter().position(covers)?;
                (Step::Index(index), &values[index])
            }
            ValueShape::Named(name, body) => (Step::Name((*name).to_owned()), &**body),
        };
        let (mut path, leaf) = inner.leaf_at(offset)?;
        path.insert(0, step);
        Some((path, leaf))
    }
}

/// Scans a text that is one RON value.
pub(crate) fn scan(text: &str) -> Result<Value<'_>, SyntaxError> {
    let mut scanner = Scanner { text, at: 0, depth: 0 };
    scanner.blank()?;
    while scanner.rest().starts_with("#!") {
        let end = scanner.rest().find(']').ok_or_else(|| scanner.error("expected `]` after the attribute"))?;
        scanner.at += end + 1;
        scanner.blank()?;
    }
    let value = scanner.value()?;
    scanner.blank()?;
    if scanner.rest().is_empty() { Ok(value) } else { Err(scanner.unexpected("the end of the text")) }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { offset: self.at, message: message.into() }
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        match self.rest().chars().next() {
            Some(c) => self.error(format!("expected {expected}, found `{}`", excerpt(c.encode_utf8(&mut [0; 4])))),
            None => self.error(format!("expected {expected}, found the end of the text")),
        }
    }

    fn eat(&mut self, token: char) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len_utf8();
        }
        found
    }

    /// Skips whitespace and comments; block comments nest.
    fn blank(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let start = self.at;
                let mut level = 0_u32;
                loop {
                    let Some(mark) = self.rest().find(['/', '*']) else {
                        return Err(SyntaxError { offset: start, message: "the comment is not closed by `*/`".into() });
                    };
                    self.at += mark;
                    if self.rest().starts_with("/*") {
                        level += 1;
                        self.at += 2;
                    } else if self.rest().starts_with("*/") {
                        level -= 1;
                        self.at += 2;
                    } else {
                        self.at += 1;
                    }
                    if level == 0 {
                        break;
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Value<'a>, SyntaxError> {
        let start = self.at;
        let shape = match self.rest().chars().next() {
            Some('(') => self.nested(')', Self::parenthesis)?,
            Some('[') => self.nested(']', |s| s.items(']').map(ValueShape::List))?,
            Some('{') => self.nested('}', |s| s.fields('}', "a key in double quotes", Self::quoted))?,
            Some('"') => self.string("\"")?,
            Some('\'') => self.string("'")?,
            _ => self.word()?,
        };
        Ok(Value { span: start..self.at, shape })
    }

    fn nested(
        &mut self,
        close: char,
        inside: impl FnOnce(&mut Self) -> Result<ValueShape<'a>, SyntaxError>,
    ) -> Result<ValueShape<'a>, SyntaxError> {
        let open = self.at;
        if self.depth == DEEPEST {
            return Err(self.error(format!("nested deeper than {DEEPEST} levels")));
        }
        self.depth += 1;
        self.at += 1;
        self.blank()?;
        let shape = inside(self)?;
        if !self.eat(close) {
            let mut error = self.unexpected(&format!("`,` or `{close}`"));
            if self.rest().is_empty() {
                let (line, column) = line_column(self.text, open);
                error.message =
                    format!("the text ends before the bracket opened at {line}:{column} is closed by `{close}`");
            }
            return Err(error);
        }
        self.depth -= 1;
        Ok(shape)
    }

    fn parenthesis(&mut self) -> Result<ValueShape<'a>, SyntaxError> {
        let start = self.at;
        let key = self.bare_word();
        self.blank()?;
        if key.is_empty() || !self.rest().starts_with(':') {
            self.at = start;
            return self.items(')').map(ValueShape::Tuple);
        }
        self.at = start;
        self.fields(')', "a field name", |s| Ok(s.bare_word()))
    }

    /// The fields of a struct, or the entries of a map, which differ in their keys.
    fn fields(
        &mut self,
        close: char,
        what: &str,
        key: fn(&mut Self) -> Result<&'a str, SyntaxError>,
    ) -> Result<ValueShape<'a>, SyntaxError> {
        let mut fields = Vec::new();
        while !self.rest().is_empty() && !self.rest().starts_with(close) {
            let at = self.at;
            let key = key(self)?;
            let is_missing = self.at == at;
            self.blank()?;
            if is_missing || !self.eat(':') {
                return Err(self.unexpected(if is_missing { what } else { "`:`" }));
            }
            self.blank()?;
            fields.push((key, at, self.value()?));
            self.blank()?;
            if !self.eat(',') {
                break;
            }
            self.blank()?;
        }
        Ok(ValueShape::Fields(fields))
    }

    /// The text in double quotes at this place; empty without quotes.
    fn quoted(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.at;
        if self.rest().starts_with('"') {
            self.string("\"")?;
        }
        Ok(self.text[start..self.at].trim_matches('"'))
    }

    fn items(&mut self, close: char) -> Result<Vec<Value<'a>>, SyntaxError> {
        let mut values = Vec::new();
        while !self.rest().is_empty() && !self.rest().starts_with(close) {
            values.push(self.value()?);
            self.blank()?;
            if !self.eat(',') {
                break;
            }
            self.blank()?;
        }
        Ok(values)
    }

    fn string(&mut self, quote: &str) -> Result<ValueShape<'a>, SyntaxError> {
        let start = self.at;
        self.at += 1;
        while let Some(mark) = self.rest().find([quote.as_bytes()[0] as char, '\\']) {
            self.at += mark;
            if self.eat('\\') {
                self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            } else {
                self.at += 1;
                return Ok(ValueShape::Leaf);
            }
        }
        Err(SyntaxError { offset: start, message: format!("the string is not closed by `{quote}`") })
    }

    fn bare_word(&mut self) -> &'a str {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || c.is_control() || "()[]{},:;\"'/#=".contains(c);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// A number, a name, `name(...)`, or a raw string.
    fn word(&mut self) -> Result<ValueShape<'a>, SyntaxError> {
        let word = self.bare_word();
        if word.is_empty() {
            return Err(self.unexpected("a value"));
        }
        if word == "r" && self.rest().starts_with(['"', '#']) {
            let hashes = self.rest().len() - self.rest().trim_start_matches('#').len();
            let end = format!("\"{}", "#".repeat(hashes));
            let closed = self.rest()[hashes..].strip_prefix('"').and_then(|inside| inside.find(&end));
            let inside = closed.ok_or_else(|| self.error(format!("the raw string is not closed by `{end}`")))?;
            self.at += hashes + 1 + inside + end.len();
            return Ok(ValueShape::Leaf);
        }
        let end = self.at;
        self.blank()?;
        if self.rest().starts_with('(') {
            return Ok(ValueShape::Named(word, Box::new(self.value()?)));
        }
        self.at = end;
        Ok(ValueShape::Leaf)
    }
}

/// Line and column, from 1 and in characters, of a byte offset.
pub(crate) fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    (1 + before.matches('\n').count(), 1 + before[line..].chars().count())
}

/// A text, and the name of its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    /// Name of the file as given.
    pub file: &'a str,
    /// Contents of the file.
    pub text: &'a str,
}

impl Text<'_> {
    /// Place of a byte offset.
    pub(crate) fn offset(&self, offset: usize) -> Place {
        let (line, column) = line_column(self.text, offset);
        Place::Text { file: self.file.to_owned(), line, column }
    }

    /// Place where the first of these fields is set. If the text leaves them all to their defaults,
    /// the place of the innermost value around the first.
    #[must_use]
    pub fn place(&self, paths: &[impl AsRef<str>]) -> Place {
        let Ok(root) = scan(self.text) else {
            return Place::File(self.file.to_owned());
        };
        let paths = paths.iter().filter_map(|path| steps(path.as_ref()));
        let walks: Vec<_> = paths.map(|path| (root.walk(&path), path.len())).collect();
        let whole = walks.iter().find(|((_, _, taken), length)| taken == length);
        self.offset(whole.or(walks.first()).map_or(root.span.start, |((at, ..), _)| *at))
    }

    /// Place of a word in the string that this field has, or else of the field. Of several such
    /// words it is the last.
    #[must_use]
    pub fn place_of_word(&self, path: &str, word: &str) -> Place {
        let place = || self.place(&[path]);
        let Some((steps, root)) = steps(path).zip(scan(self.text).ok()) else { return place() };
        let (at, value, taken) = root.walk(&steps);
        let inside = &self.text[value.span.clone()];
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_.".contains(c));
        let is_whole = |begin: &usize| {
            let (before, after) = (&inside[..*begin], &inside[begin + word.len()..]);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        };
        let begin = inside.rmatch_indices(word).map(|(begin, _)| begin).find(is_whole);
        let is_string = matches!(value.shape, ValueShape::Leaf) && taken == steps.len();
        match begin.filter(|_| !word.is_empty() && is_string) {
            Some(begin) => self.offset(value.span.start + begin),
            None => self.offset(at),
        }
    }

    /// An error about these fields; see [`Text::place`].
    #[must_use]
    pub fn error(&self, paths: &[impl AsRef<str>], message: impl Into<String>) -> ConfigError {
        ConfigError::new(self.place(paths), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// é\nExperiment(\n  network: (\n    topology: mesh(radices: [4, /* two */ 4]),\n  ),\n  \
                        workload: [\n    traffic(load: 0.5),\n    messages([(cycle: 0, destinations: [1, 2])]),\n  ],\n)\n";

    fn place(path: &str) -> String {
        Text { file: "f", text: TEXT }.place(&[path]).to_string()
    }

    #[test]
    fn a_path_leads_to_the_key_of_the_field_or_to_the_element() {
        assert_eq!(place("network"), "f:3:3");
        assert_eq!(place("network.topology"), "f:4:5");
        assert_eq!(place("network.topology.mesh.radices"), "f:4:20");
        assert_eq!(place("network.topology.mesh.radices[1]"), "f:4:43");
        assert_eq!(place("workload[0].traffic.load"), "f:7:13");
        assert_eq!(place("workload[1].messages[0].destinations[1]"), "f:8:44");
    }

    #[test]
    fn a_word_of_a_string_has_its_place() {
        let text = Text { file: "f", text: "(vary: [\n  \"depth=2,24,2\", r\"a.b=2..x\",\n])" };
        let place = |path: &str, word: &str| text.place_of_word(path, word).to_string();
        assert_eq!([place("vary[0]", "2"), place("vary[0]", "24")], ["f:2:15", "f:2:12"]);
        assert_eq!([place("vary[0]", "depth"), place("vary[1]", "a.b")], ["f:2:4", "f:2:21"]);
        assert_eq!([place("vary[1]", "b"), place("vary[1]", "")], ["f:2:19", "f:2:19"]);
        assert_eq!([place("vary", "2..x"), place("vary[7]", "2")], ["f:1:2", "f:1:2"]);
    }

    #[test]
    fn a_path_leads_to_the_key_of_a_map() {
        let text =
            Text { file: "f", text: "(studies: {\n  \"a b\": runs(seeds: 1),\n  \"\": of(\"x\"), // }\n}, other: 2)" };
        let place = |path: &str| text.place(&[path]).to_string();
        assert_eq!((place("studies.a b"), place("studies.a b.runs.seeds")), ("f:2:3".to_owned(), "f:2:15".to_owned()));
        assert_eq!((place("studies"), place("other")), ("f:1:2".to_owned(), "f:4:4".to_owned()));
    }

    #[test]
    fn a_field_that_is_not_there_leads_to_the_innermost_value_around_it() {
        assert_eq!(place("network.switch.fifo_depth"), "f:3:3");
        assert_eq!(place("run.seed"), "f:2:1");
        assert_eq!(place("workload[0].traffic.pattern.hot_spot.share"), "f:7:5");
        let text = Text { file: "f", text: TEXT };
        let either = text.place(&["network.switch.fifo_depth", "workload[0].traffic.load"]);
        assert_eq!(either.to_string(), "f:7:13");
    }

    #[test]
    fn steps_take_a_path_apart_and_refuse_what_is_none() {
        let path = "workload[2].messages[0].destinations[3]";
        let taken = steps(path).unwrap();
        assert_eq!(taken.len(), 6);
        assert_eq!(path_of(&taken), path);
        for wrong in ["", ".", "a.", "[0]", "a[", "a[x]", "a[0", "a[0]b", "a[-1]"] {
            assert_eq!(steps(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn text_that_is_not_ron_is_refused_where_it_breaks() {
        let refused = |text: &str| {
            let error = scan(text).unwrap_err();
            let (line, column) = line_column(text, error.offset);
            format!("{line}:{column}: {}", error.message)
        };
        assert_eq!(refused("(a: [1, 2"), "1:10: the text ends before the bracket opened at 1:5 is closed by `]`");
        assert_eq!(refused("(a: [1 2])"), "1:8: expected `,` or `]`, found `2`");
        assert_eq!(refused("(a 1)"), "1:4: expected `,` or `)`, found `1`");
        assert_eq!(refused("(a: 1, b 2)"), "1:10: expected `:`, found `2`");
        assert_eq!(refused("(a: {\"b\": 1 2})"), "1:13: expected `,` or `}`, found `2`");
        assert_eq!(refused("(a: {b: 1})"), "1:6: expected a key in double quotes, found `b`");
        assert_eq!(refused("(a: {\"b\" 1})"), "1:10: expected `:`, found `1`");
        assert_eq!(refused("(a: {\"b: 1})"), "1:6: the string is not closed by `\"`");
        assert_eq!(refused("(a: {\"b\": 1"), "1:12: the text ends before the bracket opened at 1:5 is closed by `}`");
        assert_eq!(refused("(a: \"x)"), "1:5: the string is not closed by `\"`");
        assert_eq!(refused("(a: r#\"x\")"), "1:6: the raw string is not closed by `\"#`");
        assert_eq!(refused("/* /* */ (a: 1)"), "1:1: the comment is not closed by `*/`");
        assert_eq!(refused("(a: )"), "1:5: expected a value, found `)`");
        assert_eq!(refused(""), "1:1: expected a value, found the end of the text");
        assert_eq!(refused("() ()"), "1:4: expected the end of the text, found `(`");
        assert_eq!(refused(&"[".repeat(1_000_000)), "1:65: nested deeper than 64 levels");
        assert_eq!(refused(&"a(".repeat(1_000_000)), "1:130: nested deeper than 64 levels");
    }
}
