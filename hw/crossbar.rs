//! Crossbar: each output lane is driven by at most one input a cycle, an input may drive many; the
//! lanes (virtual channels) of one physical link share it flit by flit, round-robin among those
//! that have flit and credit.

use crate::arbiter::round_robin;

/// The lane of one link that sends in this cycle, and the link's next pointer. Lanes are numbered
/// within the link; `candidates` is not 0.
#[must_use]
#[inline(always)]
pub const fn select(candidates: u64, pointer: u8, lanes: u8) -> (u8, u8) {
    let winner = round_robin::grant(candidates, pointer);
    (winner, round_robin::behind(winner, lanes))
}
