//! RON for a reader: values without the fields that have their defaults, short lists on one line.

use std::fmt::Write as _;

use serde::Serialize;

use super::ron::spread;

/// Largest number of columns of a line with several values.
const COLUMNS: usize = 100;
/// Columns of one level.
const INDENT: usize = 4;

/// A line of RON, with the lines that it encloses.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    /// The line, or the line up to its opening bracket.
    head: String,
    /// The closing bracket, if there is one.
    tail: Option<String>,
    inner: Vec<Piece>,
}

/// A value without the fields that are equal in `default`, and without fields that are `None`. The
/// fields `kept` stay, and all that is in them if `default` has no such field.
pub(crate) fn sparse<T: Serialize>(value: &T, default: &T, kept: &[&str]) -> String {
    let [value, default] = [value, default].map(|of| {
        let text = spread(of);
        let mut lines = text.lines().map(str::trim);
        node(&mut lines)
    });
    let (Some(mut value), Some(default)) = (value, default) else { return String::new() };
    value.prune(&default, kept);
    let mut text = String::new();
    value.print(0, &mut text);
    text
}

/// The node that begins with the next line.
fn node<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<Piece> {
    let head = lines.next()?.to_owned();
    if !head.ends_with(['(', '[', '{']) {
        return Some(Piece { head, tail: None, inner: Vec::new() });
    }
    let mut inner = Vec::new();
    while let Some(next) = node(lines) {
        if next.tail.is_none() && next.head.starts_with([')', ']', '}']) {
            return Some(Piece { head, tail: Some(next.head), inner });
        }
        inner.push(next);
    }
    Some(Piece { head, tail: None, inner })
}

impl Piece {
    /// The name of a field, if the node is one.
    fn name(&self) -> Option<&str> {
        let name = self.head.split_once(": ")?.0;
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some(name)
    }

    fn prune(&mut self, default: &Self, kept: &[&str]) {
        let is_kept = |node: &Self| node.name().is_some_and(|name| kept.contains(&name));
        let of = |node: &Self| default.inner.iter().find(|of| of.name() == node.name()).cloned();
        self.inner.retain(|node| node.name().is_none() || is_kept(node) || of(node).as_ref() != Some(node));
        for node in &mut self.inner {
            match of(node).filter(|of| node.name().is_some() && of.head == node.head) {
                // The fields of a structure may have defaults of their own, and the items of a list
                // have none. A choice among several is complete.
                Some(default) if node.is_structure() => node.prune(&default, kept),
                _ => node.drop_absent(),
            }
        }
        self.inner.retain(|node| node.name().is_none() || !node.head.ends_with(": None,"));
    }

    /// Whether it is a structure without a name of its own, as in `switch: (`.
    fn is_structure(&self) -> bool {
        self.head.ends_with(": (")
    }

    fn drop_absent(&mut self) {
        self.inner.retain(|node| node.name().is_none() || !node.head.ends_with(": None,"));
        self.inner.iter_mut().for_each(Self::drop_absent);
    }

    fn line(&self) -> String {
        let inner: Vec<String> = self.inner.iter().map(Self::line).collect();
        let inner = inner.join(" ");
        let tail = self.tail.as_deref().unwrap_or_default();
        format!("{}{}{tail}", self.head, inner.strip_suffix(',').unwrap_or(&inner))
    }

    fn print(&self, level: usize, text: &mut String) {
        let (indent, line) = (" ".repeat(INDENT * level), self.line());
        if level > 0 && (self.tail.is_none() || indent.len() + line.chars().count() <= COLUMNS) {
            let _ = writeln!(text, "{indent}{line}");
            return;
        }
        let _ = writeln!(text, "{indent}{}", self.head);
        self.inner.iter().for_each(|node| node.print(level + 1, text));
        let _ = writeln!(text, "{indent}{}", self.tail.as_deref().unwrap_or_default());
    }
}
