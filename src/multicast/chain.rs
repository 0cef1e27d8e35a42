//! Chain tree: every node sends to the next (\[NUPAIROJ\] section 4.1).

use super::plan::{Plan, Request};
use super::ranks::tree;

pub(super) const NAME: &str = "chain";

pub(super) fn plan(request: &Request) -> Plan {
    tree(request, (1..=request.destinations.len()).map(|i| (i - 1, i)))
}
