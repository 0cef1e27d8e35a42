//! Programs that compute and send repeatedly.

use serde::{Deserialize, Serialize};

use super::{Draw, Pattern};

/// A program on every node of a group. It computes, sends a message and goes on as soon as its
/// processor may, without end (\[NUPAIROJ\] algorithm 6.1.1). A processor that finds the send
/// buffer full is blocked. So a full network is offered no more.
///
/// A processor computes only when it has nothing else to do. It interrupts the computing to receive
/// a message or to forward one of a multicast, and then continues. The paper does not say so. If a
/// node finished computing first, each level of a multicast's tree would wait for a turn of the
/// program. Beside the local traffic of section 6.4.4 a turn is 50,000 cycles.
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
