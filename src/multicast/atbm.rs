//! ATBM, asynchronous tree-based multicasting (\[ATBM\] section 4): one bit-string worm, which the
//! switches replicate.

use super::networks::other_network;
use super::plan::{Plan, Request};
use super::planner::Planner;
use super::refusal::Refusal;
use wormscope_hw::Encoding;

pub(super) const NAME: &str = "atbm";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    if request.wiring.flow().is_none() {
        return Err(other_network(
            request,
            NAME,
            "it needs a multistage network that copies worms in one direction".to_owned(),
        ));
    }
    let mut planner = Planner::new(request);
    let mut to = request.destinations.to_vec();
    to.sort_unstable();
    planner.send(request.source, to.into(), Encoding::BitString);
    Ok(planner.finish())
}
