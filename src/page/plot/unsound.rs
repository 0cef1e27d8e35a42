//! Marks of points that have no valid value, the same in all pictures.

use super::{GREY, series};
use crate::explore::Flaw;
use crate::page::marks::mark;
use crate::report::chart::{Look, Series};

/// Largest number of marks above each other at one place.
const MOST_LEVELS: usize = 6;

/// Marks at the foot of a chart. Marks at one place are above each other, if there are few enough
/// to count.
#[derive(Default)]
pub(super) struct FlawMarks {
    places: Vec<f64>,
}

impl FlawMarks {
    /// The look of the next mark at a place.
    pub fn look(&mut self, x: f64, flaw: Flaw) -> Look {
        let below = self.places.iter().filter(|other| other.total_cmp(&x).is_eq()).count();
        self.places.push(x);
        Look::Marked(mark(flaw, below.min(MOST_LEVELS) as u8))
    }
}

/// Meanings of the marks of some flaws, in grey.
pub(super) fn meanings(flaws: impl Iterator<Item = Flaw>, is_load: bool) -> Vec<Series> {
    let flaws: Vec<Flaw> = flaws.collect();
    let key = |flaw: Flaw| {
        // A deadlock at one load does not mean a deadlock at higher loads.
        let here = if is_load && flaw != Flaw::Deadlocked { " from here" } else { "" };
        series(format!("{}{here}", flaw.name()), Look::Marked(mark(flaw, 0)), GREY, Vec::new())
    };
    Flaw::ALL.into_iter().filter(|flaw| flaws.contains(flaw)).map(key).collect()
}
