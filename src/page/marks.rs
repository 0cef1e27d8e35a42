//! Marks of values that are not sound, the same in all pictures and on the page.

use crate::explore::Flaw;
use crate::report::mark::Mark;

/// The mark of a flaw at the foot of a chart, on this number of marks.
pub(crate) fn mark(flaw: Flaw, level: u8) -> Mark {
    match flaw {
        Flaw::Saturated => Mark::Tick(level),
        Flaw::Stopped => Mark::BarredTick(level),
        Flaw::Deadlocked => Mark::CrossTick(level),
    }
}
