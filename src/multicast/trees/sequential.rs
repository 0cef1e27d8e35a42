//! Sequential tree: the source itself sends to every destination (\[NUPAIROJ\] section 4.1).

use super::ranks::tree;
use crate::plan::{Plan, Request};

pub(crate) const NAME: &str = "sequential";

pub(crate) fn plan(request: &Request) -> Plan {
    tree(request, (1..=request.destinations.len()).map(|i| (0, i)))
}
