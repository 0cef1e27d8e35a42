//! Distribute: one node sends a distinct packet to each other node along a spanning tree, half of
//! the rest in each step (\[SEIDEL\] section 3.1.1). It is also called scatter.

use super::schedule::{Schedule, Tree};

/// Grows the trees across these bits of the index, one bit in each step. A bit that belongs to a
/// bit of the packets' numbers halves the packets of every holder. Any other bit copies them, as in
/// the spanning tree broadcast of section 3.1.1.
pub(super) fn distribute(schedule: &mut Schedule, trees: &mut [Tree], bits: impl IntoIterator<Item = u32>) {
    for bit in bits {
        let packet_bit = schedule.packet_bit(bit);
        for tree in &mut *trees {
            tree.fixed |= packet_bit;
        }
        schedule.grow(trees, |_, _| bit);
    }
}
