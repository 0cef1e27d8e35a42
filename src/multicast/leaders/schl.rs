//! SCHL, source-centered hierarchical leader (\[KP\] section 4.2, Fig. 12). A group is split at the
//! source's coordinate, and the node of each part nearest to it is leader. The lower part includes
//! that coordinate, and its worm runs down. The worm of the other part runs up.

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
