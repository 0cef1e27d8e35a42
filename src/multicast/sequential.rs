//! Sequential tree: the source sends to every destination itself (\[NUPAIROJ\] section 4.1).

use super::plan::{Plan, Request};
use super::ranks::tree;

pub(super) const NAME: &str = "sequential";

pub(super) fn plan(request: &Request) -> Plan {
    tree(request, (1..=request.destinations.len()).map(|i| (0, i)))
}
