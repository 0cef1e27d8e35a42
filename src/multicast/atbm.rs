//! ATBM, asynchronous tree-based multicasting (\[ATBM\] section 4): one bit-string worm, which the switches replicate.

use super::networks::other_network;
use super::plan::{Plan, Request};
use super::planner::Planner;
use super::refusal::Refusal;
use crate::network::Wiring;
use wormscope_hw::Encoding;

pub(super) const NAME: &str = "atbm";

pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    if let Wiring::Grid(_) = request.wiring {
        return Err(other_network(request, NAME, "it needs a multistage network".to_owned()));
    }
    let mut planner = Planner::new(request);
    let mut to = request.destinations.to_vec();
    to.sort_unstable();
    planner.send(request.source, to.into(), Encoding::BitString);
    Ok(planner.finish())
}
