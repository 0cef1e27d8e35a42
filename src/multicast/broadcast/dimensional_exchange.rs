//! Dimensional exchange (\[SEIDEL\] sections 3.1.1, 3.5 and 3.6). Nodes whose numbers differ in one
//! bit swap all their pieces, bit after bit, until all nodes have all pieces. This is the
//! all-to-all broadcast or allgather of a hypercube.

use super::cube::Cube;
use super::schedule::Schedule;

/// Exchanges in the order of the packets' bits. Each message is then packets in a row, which the
/// receiver puts beside its own. So no node has to permute packets (Fig. 2).
pub(super) fn in_order(schedule: &mut Schedule) {
    let mut fixed = schedule.bound();
    for bit in schedule.order() {
        swap(schedule, |_, _| (bit, fixed));
        fixed &= !schedule.packet_bit(bit);
    }
}

/// The order in which [`farthest_first`] frees the bits of the index.
pub(super) fn far_to_near(cube: &Cube) -> Vec<u32> {
    let (columns, rows) = (cube.columns.bits, cube.rows.bits);
    let shorter = columns.min(rows);
    let surplus_columns = (shorter..columns).rev().map(|bit| cube.column_bit(bit));
    let surplus_rows = (shorter..rows).rev().map(|bit| cube.row_bit(bit));
    let pairs = (0..shorter).rev().flat_map(|bit| [cube.column_bit(bit), cube.row_bit(bit)]);
    surplus_columns.chain(surplus_rows).chain(pairs).collect()
}

/// Exchanges over the longest distances first, when the messages are shortest and share links with
/// most others. On a mesh half of the nodes exchange horizontally while the other half exchanges
/// vertically (section 3.6).
pub(super) fn farthest_first(schedule: &mut Schedule) {
    let (columns, rows) = (schedule.cube.columns.bits, schedule.cube.rows.bits);
    let shorter = columns.min(rows);
    let mut fixed = schedule.bound();
    for bit in far_to_near(&schedule.cube).into_iter().take((columns.max(rows) - shorter) as usize) {
        swap(schedule, |_, _| (bit, fixed));
        fixed &= !schedule.packet_bit(bit);
    }
    for t in (0..shorter).rev() {
        let (across, down) = (schedule.cube.column_bit(t), schedule.cube.row_bit(t));
        let (packets_across, packets_down) = (schedule.packet_bit(across), schedule.packet_bit(down));
        // Colours of a chequerboard. Its squares have four nodes for the last two steps, so that
        // partners have one colour.
        let side = u32::from(t == 0);
        let black = |cube: &Cube, index: u32| {
            let (column, row) = cube.split(index);
            (column >> side ^ row >> side) & 1 == 1
        };
        swap(schedule, |cube, index| (if black(cube, index) { down } else { across }, fixed));
        swap(schedule, |cube, index| {
            if black(cube, index) { (across, fixed & !packets_down) } else { (down, fixed & !packets_across) }
        });
        fixed &= !(packets_across | packets_down);
    }
}

/// One step. Every index sends across the bit of `way` the packets that equal its own in the fixed
/// bits of `way`.
fn swap(schedule: &mut Schedule, way: impl Fn(&Cube, u32) -> (u32, u32)) {
    for index in 0..schedule.cube.len() {
        let (bit, fixed) = way(&schedule.cube, index);
        schedule.send_like_own(index, index ^ bit, fixed);
    }
    schedule.end_step();
}
