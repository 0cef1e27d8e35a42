//! First position of a saved view of a failed run: the lanes of a deadlock, or the signals and
//! worms of a testbench's failures.

use wormscope_hw::{SwitchId, WormId};

use super::follow::Follow;
use super::signal::Signal;
use crate::engine::snapshot::LaneRef;

/// Largest number of characters of a name: a third of a window of 1280 pixels.
pub(crate) const NAME_WIDTH: usize = 56;
/// Number of markers of a viewer, A to Z.
pub(crate) const MARKS: usize = 26;

/// Contents of a view of a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// First line of the view.
    pub title: String,
    /// The worms, each with the hops at which it waits.
    pub follows: Vec<Follow>,
    /// The groups of the view.
    pub stops: Vec<Stop>,
    /// Names and cycles of the markers.
    pub marks: Vec<(String, u64)>,
    /// Whether the routes of the worms were known before the run, so that the dump has signals of
    /// their branches.
    pub prepared: bool,
    /// First cycle on the screen when the view opens.
    pub from: u64,
}

/// A worm at the place of a wait: a group of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Name of the group.
    pub title: String,
    /// Source and destinations of the worm, unless the title has them.
    pub journey: Option<String>,
    /// The worm and its hop: indices into [`Circle::follows`] and into the hops of the worm.
    pub hop: (usize, usize),
    /// Lanes that the worm holds and that take part.
    pub holds: Vec<LaneRef>,
    /// Lanes for which the worm waits.
    pub wants: Vec<LaneRef>,
    /// The station at which the worm waits for a token, or holds a token.
    pub station: Option<SwitchId>,
}

/// Contents of a view of failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// The signals.
    pub(crate) signals: Vec<Signal>,
    /// The worms with their routes.
    pub follows: Vec<Follow>,
    /// Names and cycles of the markers.
    pub marks: Vec<(String, u64)>,
    /// The wait that made a worm late, at which the view opens.
    pub cause: Option<(u64, WormId)>,
}

impl Failures {
    /// Adds a marker if there is room. Failures of one cycle share a marker.
    pub fn mark(&mut self, name: &str, at: u64) {
        match self.marks.iter().position(|(_, other)| *other == at) {
            Some(known) if self.marks[known].0.split(", ").any(|other| other == name) => {}
            Some(known) => self.marks[known].0 = format!("{}, {name}", self.marks[known].0),
            None if self.marks.len() < MARKS => self.marks.push((name.to_owned(), at)),
            None => {}
        }
    }
}
