//! HL, hierarchical leader (\[KP\] section 2.2.2): the leader of a group is its node with the
//! lowest coordinate.

use super::hierarchy::{self, LineMembers, SplitAt};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "hl";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    hierarchy::plan(request, NAME, lead)
}

pub(super) fn lead(line: LineMembers, _: SplitAt) -> Vec<LineMembers> {
    vec![line]
}
