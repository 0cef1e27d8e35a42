//! HL, hierarchical leader (\[KP\] section 2.2.2): the leader of a group is its node with the
//! lowest coordinate.

use super::leaders::{self, Line, Place};
use super::plan::{Plan, Request};
use super::refusal::Refusal;

pub(super) const NAME: &str = "hl";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    leaders::plan(request, NAME, lead)
}

fn lead(line: Line, _: Place) -> Vec<Line> {
    vec![line]
}
