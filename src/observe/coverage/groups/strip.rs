//! Strips: header flits that a switch uses up.

use crate::coverage::group::{BinGroup, Dimension};
use wormscope_hw::Encoding;

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "strip",
    blocks: &["hw/decoder", "hw/header", "hw/replication"],
    event: "The first flit of a worm whose encoding strips crosses an output lane.",
    dimensions: &[
        Dimension {
            name: "stripping",
            meaning: "Header encoding of the worm.",
            values: &["multidestination", "multiport"],
        },
        Dimension {
            name: "stripped",
            meaning: "Header flits that the switch strips on this branch.",
            values: &["0", "1", "2_or_more"],
        },
        Dimension {
            name: "branches",
            meaning: "Number of branches of the worm at the switch.",
            values: &["one", "several"],
        },
    ],
    excluded,
};

/// The value of `stripping`, for an encoding that strips.
pub(in crate::observe::coverage) const fn encoding(encoding: Encoding) -> Option<usize> {
    match encoding {
        Encoding::Multidestination => Some(0),
        Encoding::Multiport => Some(1),
        Encoding::Unicast | Encoding::BitString | Encoding::Mask | Encoding::CoordinateMask => None,
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [1, 0, _] => Some("each switch strips a mask"),
        [0, 0, 1] => Some("a switch that makes two branches strips its own address"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encodings_are_those_that_strip() {
        for of in Encoding::ALL {
            assert_eq!(encoding(of).is_some(), of.header().strips(), "{of}");
            let name = encoding(of).map(|value| GROUP.dimensions[0].values[value]);
            assert_eq!(name.unwrap_or(of.name()), of.name());
        }
    }
}
