//! Crossbar: a multiplexer of all input lanes at every output lane, then one of the virtual
//! channels at every link, which take turns.
//!
//! `O F (I - 1) mux + 4 I O`, and for each link of V > 1 virtual channels `F (V - 1) mux` and a
//! round-robin arbiter of V.

use super::SwitchShape;
use super::arbiter::round_robin;
use super::unit::{Area, choice};

/// Gates of a cross point besides its data: who drives the lane, and whose flit is gone.
const CONTROL: f64 = 4.0;

/// Cross points, input lanes times output lanes.
#[must_use]
pub fn points(s: &SwitchShape) -> u64 {
    s.inputs() * s.outputs()
}

/// The crossbar of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let turns = |channels| choice(s.cell_bits(), channels) + round_robin(channels);
    let turns = turns(s.channels()) * s.links() + turns(s.node_channels()) * s.consumption_links();
    choice(s.cell_bits(), s.inputs()) * s.outputs() + Area::gates(CONTROL) * points(s) + turns
}
