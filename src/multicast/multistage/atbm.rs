//! ATBM, asynchronous tree-based multicasting (\[ATBM\] section 4): one bit-string worm that the
//! switches replicate.

use crate::networks::other_network;
use crate::plan::{Plan, Request};
use crate::planner::Planner;
use crate::refusal::Refusal;
use wormscope_hw::Encoding;

pub(crate) const NAME: &str = "atbm";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
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
