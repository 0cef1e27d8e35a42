//! Header decoders: one encoding a file, which holds all code of that encoding ([`Header`]).
//!
//! ```text
//!   words ─▶┌──────────┐─▶ strip, ready, holds   while it waits for its flits ([`Header::eval`])
//!   count ─▶│ encoding │─▶ branches              when it is decided ([`Header::branches`])
//!    rom ◀─▶│          │─▶ mask                  as the head crosses ([`Header::mask`])
//!           └──────────┘
//! ```
//!
//! The decoders are combinational, with the same pins for all encodings. The registers are those of
//! [`crate::decoder`]. The bits of a header travel with its flits. Here they are kept once, beside
//! the head flit, as 64-bit words.
//!
//! A decoder reads them only when the flits that carry them are in the FIFO. The one exception is
//! *overlapped* timing, which may read flits that have not arrived (docs/reference/timing.md, R5.5
//! to R5.11).

mod bit_string;
mod encoding;
mod mask;
mod multidestination;
mod multiport;
pub mod unicast;

use alloc::vec::Vec;

use crate::Encoding;
use crate::flit::Flit;
pub use encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, bits_below, whole};

impl Encoding {
    /// The code of the encoding. No other place in `hw` tells encodings apart.
    #[must_use]
    pub const fn header(self) -> &'static dyn Header {
        match self {
            Self::Unicast => &unicast::Unicast,
            Self::BitString => &bit_string::BitString,
            Self::Multidestination => &multidestination::Multidestination,
            Self::Multiport => &multiport::Multiport,
            Self::Mask => &mask::BY_NUMBER,
            Self::CoordinateMask => &mask::BY_COORDINATES,
        }
    }

    /// The way in which its worms reach their destinations.
    #[must_use]
    pub fn way(self) -> Way {
        self.header().way()
    }
}

/// A flit. A head has the bits of its worm's header beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The flit.
    pub flit: Flit,
    /// The header; `Some` only beside a head.
    pub header: Option<Vec<u64>>,
}

/// Words of a header as they cross a switch, masked if there is a mask.
pub fn crossing<'a>(words: &'a [u64], mask: Option<&'a [u64]>) -> impl Iterator<Item = u64> {
    words.iter().enumerate().map(move |(n, &word)| mask.map_or(word, |mask| word & mask[n]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_has_its_file() {
        let of = Encoding::ALL.map(|encoding| (encoding, encoding.way(), encoding.header().unit()));
        let expected = [
            (Encoding::Unicast, Way::Unicast, "address bits"),
            (Encoding::BitString, Way::Tree, "nodes"),
            (Encoding::Multidestination, Way::Path, "address bits"),
            (Encoding::Multiport, Way::Tree, "ports"),
            (Encoding::Mask, Way::Tree, "address bits"),
            (Encoding::CoordinateMask, Way::Tree, "coordinate bits"),
        ];
        assert_eq!(of, expected);
    }

    #[test]
    fn a_header_crosses_as_it_is_or_masked_word_by_word() {
        assert!(crossing(&[0b111, 0b101], None).eq([0b111, 0b101]));
        assert!(crossing(&[0b111, 0b101], Some(&[0b010, 0b110])).eq([0b010, 0b100]));
    }
}
