//! Crossbar: a multiplexer of all input lanes at every output lane. At every link, a second
//! multiplexer serves the virtual channels, which take turns.
//!
//! The area is `O F (I - 1) mux + 4 I O`. For each link of V > 1 virtual channels it has
//! `F (V - 1) mux` and a round-robin arbiter of V as well.

use super::SwitchShape;
use super::arbiter::round_robin;
use super::unit::{Area, choice};

/// Control gates of a cross point, in addition to its data gates. They hold the input that drives
/// the lane, and the flits that have left.
const CONTROL: f64 = 4.0;

/// Number of cross points: input lanes times output lanes.
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
