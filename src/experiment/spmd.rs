//! Programs that compute and send, over and over.

use serde::{Deserialize, Serialize};

use super::{Draw, Pattern};

/// A program on every node of a group: it computes, sends a message and goes on as soon as its
/// processor may, for ever (\[NUPAIROJ\] algorithm 6.1.1). A processor that finds the send buffer
/// full is blocked, so that a network that is full is offered no more.
///
/// Computing is what a processor does when there is nothing else: it is put off while a message is
/// received or one of a multicast is forwarded, and then goes on where it was. The paper does not
/// say so, but with members that finish computing first, a multicast amid local traffic (section
/// 6.4.4, 50,000 cycles a turn) would take that long at every level of its tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spmd {
    /// Group whose nodes run the program and are sent to. `None` takes all nodes.
    #[serde(default)]
    pub group: Option<String>,
    /// Mean of the cycles that a node computes before each send, exponentially distributed
    /// (`t_comp`).
    pub compute: f64,
    /// Distribution of the length of a message.
    pub bytes: Draw,
    /// How a message gets its destination.
    #[serde(default)]
    pub pattern: Pattern,
    /// Whether the sources of multicasts run no program. They still receive.
    #[serde(default)]
    pub without_sources: bool,
}
