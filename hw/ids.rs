//! Typed numbers of the things a switch is made of, and of the worms that pass it.

use bitvec::vec::BitVec;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub $repr);

        impl $name {
            /// The number as an index.
            #[must_use]
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A switch or mesh router, numbered by the topology.
    SwitchId(u32)
);
id!(
    /// A processing node: the source and destination of messages.
    NodeId(u32)
);
/// A set of nodes, a bit each: node `i` is bit `i % 64` of word `i / 64`, as in the header of a
/// bit-string worm.
pub type NodeSet = BitVec<u64>;

id!(
    /// A port of one switch, input and output side alike.
    PortId(u8)
);
id!(
    /// A lane (virtual channel of a link) of one switch, counted over all its ports, port-major; at
    /// most 64.
    LaneId(u8)
);
id!(
    /// A worm, numbered in order of creation. Beside the flits for observers; no decision reads it.
    WormId(u32)
);
