//! Chain tree: every node sends to the next (\[NUPAIROJ\] section 4.1).

use super::ranks::tree;
use crate::plan::{Plan, Request};

pub(crate) const NAME: &str = "chain";

pub(crate) fn plan(request: &Request) -> Plan {
    tree(request, (1..=request.destinations.len()).map(|i| (i - 1, i)))
}
