//! Crossbar: at most one input drives an output lane in a cycle. An input may drive many lanes.
//!
//! ```text
//!  select[input] ─▶┌──────────┐
//!                  │ points   │─▶ (input, lane)
//!                  └──────────┘
//! ```
//!
//! The block is combinational. A register after it (`crossbar_cycles`) counts as part of the link
//! (docs/reference/timing.md, R9.12, R10.1).

use crate::LaneMask;

/// The closed cross points, as (input, lane). `select` has the lanes that each input drives. A flit
/// goes through each cross point.
pub fn eval(select: &[LaneMask]) -> impl Iterator<Item = (u8, u8)> + Clone {
    debug_assert!(
        select.iter().map(|lanes| lanes.count()).sum::<u8>()
            == select.iter().fold(LaneMask::NONE, |all, &lanes| all | lanes).count(),
        "two inputs drive a lane: {select:?}"
    );
    (0..).zip(select).flat_map(|(input, lanes)| lanes.iter().map(move |lane| (input, lane)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_may_drive_many_lanes() {
        assert!(eval(&[LaneMask(0b101), LaneMask::NONE, LaneMask(0b010)]).eq([(0, 0), (0, 2), (2, 1)]));
    }

    // Tests of planted faults run without debug assertions.
    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "two inputs drive a lane: [{0, 2}, {2}]")]
    fn a_lane_is_driven_by_one_input() {
        let _ = eval(&[LaneMask(0b101), LaneMask(0b100)]).count();
    }
}
