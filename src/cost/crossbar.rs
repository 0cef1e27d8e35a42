//! Crossbar: a choice among all input lanes at every output lane. At every link of several virtual
//! channels, which take turns, it has an arbiter.
//!
//! The area is `1.7 F O (I - 0.4)`. If branches read the cells of a FIFO by themselves, it is
//! `1.7 F D O (I + 0.3) + 12.6 D O`, for FIFOs of D flits. If FIFOs have several depths, D is the
//! deepest, and `I D` is the sum of all depths. For each link of V > 1 virtual channels there is
//! `18.7 V - 23.6` as well.

use super::SwitchShape;
use super::unit::{Area, bits_of};

/// Gates of a bit at a cross point.
const POINT: f64 = 1.7;
/// Cross points that an output lane saves, and those that the choice of a cell adds.
const POINTS: (f64, f64) = (0.4, 0.3);
/// Gates that find the cell that a branch reads, for each cell.
const PLACE: f64 = 12.6;
/// Gates of the turns of a virtual channel, and the number to subtract.
const TURN: (f64, f64) = (18.7, 23.6);

/// Number of cross points: input lanes times output lanes.
#[must_use]
pub fn points(s: &SwitchShape) -> u64 {
    s.inputs() * s.outputs()
}

/// The choice of one of `ways` words of `bits` bits.
pub(super) fn choice(bits: u64, ways: u64) -> Area {
    Area::gates(POINT * bits as f64 * (ways as f64 - POINTS.0))
}

/// The arbiter of a link of some virtual channels.
fn turns(channels: u64) -> Area {
    if channels < 2 {
        return Area::default();
    }
    Area { ge: TURN.0 * channels as f64 - TURN.1, flip_flops: bits_of(channels) }
}

/// The crossbar of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let lane = if s.reads_all_cells() {
        // Inputs that a cell is read from, in the mean over the cells.
        let cells: u64 = s.fifos().iter().map(|(depth, fifos)| depth * fifos).sum();
        let (deepest, bits) = (s.deepest() as f64, s.cell_bits() as f64);
        Area::gates((POINT * bits * (cells as f64 / deepest + POINTS.1) + PLACE) * deepest)
    } else {
        choice(s.cell_bits(), s.inputs())
    };
    lane * s.outputs() + turns(s.channels()) * s.links() + turns(s.node_channels()) * s.consumption_links()
}
