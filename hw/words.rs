//! Words of the hardware: the choices with which a network is built, each under the name that
//! configurations, waveforms and reports print.

/// Defines an enum with one spelling for each variant, for input and output. It has `ALL` variants
/// and the `name` of each. The crate that calls this macro needs serde.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $word:ident { $($(#[$of:meta])* $name:ident = $spelling:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[repr(u8)]
        pub enum $word {
            $($(#[$of])* #[serde(rename = $spelling)] $name,)*
        }

        impl $word {
            /// All variants, in the order of their numbers.
            pub const ALL: [Self; [$($spelling),*].len()] = [$(Self::$name),*];

            /// Name of the choice in configurations, waveforms and reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $spelling,)*
                }
            }
        }

        impl core::fmt::Display for $word {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

words!(
    #[derive(Default)]
    /// Header encoding of a worm, the `enc` side signal.
    Encoding {
        /// One destination address.
        #[default]
        Unicast = "unicast",
        /// One bit per node.
        BitString = "bit_string",
        /// Destination addresses in visiting order.
        Multidestination = "multidestination",
        /// One mask of output ports for each remaining stage.
        Multiport = "multiport",
        /// An address and a mask of the bits that do not matter.
        Mask = "mask",
        /// Coordinates in a grid and a mask of the bits that do not matter.
        CoordinateMask = "coordinate_mask",
    }
);

impl Encoding {
    /// The encoding with the number `bits`, as the side signal carries it. A number without an
    /// encoding gives unicast.
    #[must_use]
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        let mut at = 0;
        while at < Self::ALL.len() {
            if bits == Self::ALL[at] as u8 {
                return Self::ALL[at];
            }
            at += 1;
        }
        Self::Unicast
    }
}

words!(
    #[derive(Default)]
    /// When the header decoder starts.
    HeaderTiming {
        /// When the flits that this decision needs are in the FIFO.
        #[default]
        Store = "store",
        /// With the first flit. This is idealised, for models of latency that count the header once
        /// for each route.
        Overlapped = "overlapped",
        /// With the first flit. The header takes no flits, since wires beside each flit carry it.
        Beside = "beside",
    }
);

words!(
    #[derive(Default)]
    /// How the replication unit serves the branches of a worm; see [`crate::replication`].
    Replication {
        /// A branch takes a flit when its own output can. The flit leaves the FIFO when all
        /// branches have it.
        #[default]
        Asynchronous = "asynchronous",
        /// A flit moves only when all branches can take it in this cycle.
        Lockstep = "lockstep",
        /// Every branch has its own read pointer into the FIFO.
        Buffered = "buffered",
        /// The branches read the worm one after the other. The FIFO holds the whole worm.
        Sequential = "sequential",
        /// All heads of a worm go on to the next stage together. The flits after them cross as in
        /// `asynchronous`.
        Synchronous = "synchronous",
    }
);

words!(
    #[derive(Default)]
    /// Acquisition of the lanes by a worm with several branches.
    Acquisition {
        /// A worm keeps the lanes that it has and waits for the others.
        #[default]
        Incremental = "incremental",
        /// A worm gets all lanes that it needs at a switch, or none.
        Atomic = "atomic",
    }
);

words!(
    #[derive(Default)]
    /// Choice among several inputs that want the same free lane.
    Arbiter {
        /// A pointer starts at input 0. After a grant it points to the input after the winner.
        #[default]
        RoundRobin = "round_robin",
        /// The lowest input lane wins.
        FixedPriority = "fixed_priority",
        /// A tree of two-way choices. The pointer moves to the next request after its old position.
        RrTree = "rr_tree",
        /// The input that was served least recently wins.
        Matrix = "matrix",
        /// The worm that was created first wins.
        OldestFirst = "oldest_first",
    }
);

words!(
    #[derive(Default)]
    /// Which of the free lanes of a group is granted next; see [`crate::lane_group`].
    LaneChoice {
        /// The lowest free lane with a credit, or the lowest free lane if none has one.
        #[default]
        Lowest = "lowest",
        /// The next free lane after the last granted lane.
        RoundRobin = "round_robin",
    }
);

words!(
    #[derive(Default)]
    /// When a worm that copies releases its token.
    Release {
        /// When every branch has forwarded the tail, or more flits than the hops ahead can hold.
        #[default]
        FlitCount = "flit_count",
    }
);

words!(
    #[derive(Default)]
    /// Switches that share a token.
    TokenSpan {
        /// A group of \[ATBM\]: all switches at which worms can later want the same lane.
        #[default]
        Group = "group",
        /// The upper half of the rows of a group, or the lower half.
        Half = "half",
        /// One switch.
        Switch = "switch",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_the_number_it_travels_as() {
        assert_eq!(Encoding::ALL.map(|encoding| Encoding::from_bits(encoding as u8)), Encoding::ALL);
    }

    #[test]
    fn words_are_numbered_in_the_order_of_their_list() {
        assert!(Encoding::ALL.iter().enumerate().all(|(number, &encoding)| encoding as usize == number));
        let names = ["asynchronous", "lockstep", "buffered", "sequential", "synchronous"];
        assert_eq!(Replication::ALL.map(Replication::name), names);
    }
}
