//! SQHL, source-quadrant hierarchical leader (\[KP\] section 4.1, Fig. 8). The leader of a group is
//! its lowest node when the source is in the lower half of that dimension, else its highest node.

use super::hierarchy::{self, LineMembers, SplitAt};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "sqhl";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    hierarchy::plan(request, NAME, lead)
}

pub(super) fn lead(mut line: LineMembers, SplitAt { source, radix }: SplitAt) -> Vec<LineMembers> {
    // Coordinates of the paper count from 1.
    if source + 1 > radix / 2 {
        line.reverse();
    }
    vec![line]
}
