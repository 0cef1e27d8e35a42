//! Causes: the acts and waits of a worm in a cycle.

use serde::Serialize;
use wormscope_hw::WormId;

/// Act or wait of a worm in a cycle between its creation and the arrival of its tail. It names the
/// other worm, where one is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The worm waits at its node while a channel sends another worm, or a processor works on one.
    Queue(Option<WormId>),
    /// The node works on the worm: `startup_cycles`.
    StartUp,
    /// A header decoder waits for flits of the header, or strips them.
    Header,
    /// A routing decision is under way.
    Decision,
    /// The worm waits for the token, which another worm holds, or which travels (`None`).
    Token(Option<WormId>),
    /// The worm waits for a lane that another worm owns, or that is granted in this cycle or the
    /// next (`None`).
    Lane(Option<WormId>),
    /// The worm waits in a FIFO after another worm.
    Fifo(WormId),
    /// The next FIFO is full with another worm at its front, or the credits are on their way back
    /// (`None`).
    Credit(Option<WormId>),
    /// Another lane of the link sends a flit of another worm.
    Turn(Option<WormId>),
    /// Another branch of the worm at the same switch holds the flit.
    Sibling,
    /// Heads of the worm at other switches are not ready: synchronous replication.
    Heads,
    /// A flit crosses a channel.
    Crossing,
    /// A flit is on a link.
    Link,
    /// The node does not take the flit.
    Sink,
    /// The workload stalls the link, or the token station.
    Stall,
}

impl Cause {
    /// Names of the causes, in the order of their numbers.
    pub const NAMES: [&'static str; 15] = [
        "queue", "start-up", "header", "decision", "token", "lane", "fifo", "credit", "turn", "sibling", "heads",
        "crossing", "link", "sink", "stall",
    ];

    /// Number of the cause: the place of its name.
    #[must_use]
    pub const fn number(self) -> usize {
        match self {
            Self::Queue(_) => 0,
            Self::StartUp => 1,
            Self::Header => 2,
            Self::Decision => 3,
            Self::Token(_) => 4,
            Self::Lane(_) => 5,
            Self::Fifo(_) => 6,
            Self::Credit(_) => 7,
            Self::Turn(_) => 8,
            Self::Sibling => 9,
            Self::Heads => 10,
            Self::Crossing => 11,
            Self::Link => 12,
            Self::Sink => 13,
            Self::Stall => 14,
        }
    }

    /// Name of the cause.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.number()]
    }

    /// The worm for which the worm waits.
    #[must_use]
    pub const fn worm(self) -> Option<WormId> {
        match self {
            Self::Queue(worm) | Self::Token(worm) | Self::Lane(worm) | Self::Credit(worm) | Self::Turn(worm) => worm,
            Self::Fifo(worm) => Some(worm),
            _ => None,
        }
    }

    /// Whether the worm waits: it does not move, and no unit works on it.
    #[must_use]
    pub const fn is_wait(self) -> bool {
        !matches!(self, Self::StartUp | Self::Header | Self::Decision | Self::Crossing | Self::Link)
    }
}

impl Serialize for Cause {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
