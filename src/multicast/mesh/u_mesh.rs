//! U-mesh: the dimension-ordered chain, halved (\[NUPAIROJ\] reference 44; \[KP\] section 2.2.1).
//!
//! In a chain of odd length, every source sends to the middle node, unless the source is in the
//! middle. That node takes the greater half. This makes \[KP\] theorem 1 true and gives the numbers
//! of table 1.

use crate::networks::mesh;
use crate::ordered_chain::{OrderedChain, Part};
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "u_mesh";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let grid = mesh(request, NAME)?;
    Ok(OrderedChain::dimension_ordered(request, grid).plan(request, half))
}

/// The half-node. For a holder below the middle it is the first node of the upper half. For a
/// holder above the middle it is the last node of the lower half. For a holder exactly in the
/// middle it is its upper neighbour.
pub(crate) fn half(Part { first, last, holder }: Part) -> u32 {
    match (2 * holder).cmp(&(first + last)) {
        std::cmp::Ordering::Less => first + (last - first).div_ceil(2),
        std::cmp::Ordering::Greater => first + (last - first) / 2,
        std::cmp::Ordering::Equal => holder + 1,
    }
}
