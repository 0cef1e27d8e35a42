//! SCHL, source-centered hierarchical leader (\[KP\] section 4.2, Fig. 12): a group is split at the
//! source's coordinate, and of each part the node nearest to it is leader. The worm of the lower
//! part, which includes that coordinate, runs down, the other up.

use super::hierarchy::{self, LineMembers, SplitAt};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "schl";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    hierarchy::plan(request, NAME, lead)
}

pub(super) fn lead(mut line: LineMembers, SplitAt { source, .. }: SplitAt) -> Vec<LineMembers> {
    let above = line.split_off(line.partition_point(|&(coordinate, _)| coordinate <= source));
    line.reverse();
    [line, above].into_iter().filter(|part| !part.is_empty()).collect()
}
