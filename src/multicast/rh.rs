//! RH, the recursive halving broadcast of linear arrays and meshes (\[SEIDEL\] sections 3.5 and 3.6): distribute the message among
//! all nodes, then exchange, over the longest distances first.
//!
//! Packets that meet in this order are not those that were cut beside each other. The source permutes the message once, before it
//! first sends; then every exchange, on an array, puts packets in a row beside each other. The paper charges `m rho` for it.

use super::broadcast::entrance;
use super::companions::{Service, serve};
use super::cube::{Cube, Fit};
use super::dimensional_exchange::{far_to_near, farthest_first};
use super::distribute::distribute;
use super::plan::{Plan, Refusal, Request, Task};
use super::schedule::Schedule;

pub(super) const NAME: &str = "rh";

/// Arrays and meshes of any size.
pub(super) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, _) = entrance(request, NAME)?;
    Ok(halving(Cube::new(grid, request.source, Fit::Companions)))
}

/// Distribute along the column of the source, then along the rows; exchange.
pub(super) fn halving(cube: Cube) -> Plan {
    let order = far_to_near(&cube);
    let bits = cube.bits();
    let mut schedule = Schedule::new(cube, order);
    let mut trees = [schedule.root()];
    distribute(&mut schedule, &mut trees, (0..bits).rev().map(|bit| 1 << bit));
    farthest_first(&mut schedule);
    serve(&mut schedule, Service::Bidirectional);
    schedule.finish(Task::Multicast)
}
