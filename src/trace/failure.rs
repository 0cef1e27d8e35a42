//! What the saved view of a failed testbench shows first: the signals and the worms that failures
//! are about, and their cycles.

use super::circle::MARKS;
use super::follow::Follow;

/// Failures as a view shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Signals by their names in the dump, with their ranges of bits.
    pub signals: Vec<String>,
    /// The worms, with their ways.
    pub follows: Vec<Follow>,
    /// Names and cycles of the markers.
    pub marks: Vec<(String, u64)>,
}

impl Failures {
    /// Adds a marker where there is room; failures of one cycle share theirs.
    pub fn mark(&mut self, name: &str, at: u64) {
        match self.marks.iter().position(|(_, other)| *other == at) {
            Some(known) if self.marks[known].0.split(", ").any(|other| other == name) => {}
            Some(known) => self.marks[known].0 = format!("{}, {name}", self.marks[known].0),
            None if self.marks.len() < MARKS => self.marks.push((name.to_owned(), at)),
            None => {}
        }
    }
}
