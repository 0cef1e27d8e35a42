//! Flit: the side signals of a link in one cycle, packed into one word.
//!
//! The side signals are `head`, `tail`, `hdr` (this flit belongs to the header) and `enc`
//! (docs/reference/timing.md, R2.2, R2.3). The word also has the number of the worm and the index
//! of the flit, for waveforms, scoreboards and messages. Three blocks read these numbers too:
//!
//! - An injector counts the flits of a worm by the index.
//! - An arbiter of the kind [`oldest_first`](crate::arbiter::oldest_first) compares the numbers of
//!   worms. They represent a time stamp that a real header carries.
//! - A [`reservation`](crate::reservation) compares the numbers of worms that came in one cycle.
//!
//! The word has no data. Payload is a function of (worm, index). The bits of a header are kept
//! once, beside the head flit (see [`crate::header`]).

use crate::words::Encoding;

/// One flit. Bit 0 head, 1 tail, 2 hdr, 3..6 enc, 8..32 index within the worm, 32..64 worm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Flit(u64);

impl Flit {
    const HEAD: u64 = 1;
    const TAIL: u64 = 2;
    const HDR: u64 = 4;
    const ENC_SHIFT: u32 = 3;
    const INDEX_SHIFT: u32 = 8;
    const WORM_SHIFT: u32 = 32;

    /// Length of the longest worm, in flits: the index has 24 bits.
    pub const MAX_WORM_FLITS: u32 = (1 << 24) - 1;

    /// A flit without side signals set.
    #[must_use]
    #[inline(always)]
    pub const fn new(worm: u32, index: u32, enc: Encoding) -> Self {
        Self((worm as u64) << Self::WORM_SHIFT | (index as u64) << Self::INDEX_SHIFT | (enc as u64) << Self::ENC_SHIFT)
    }

    /// The side signals: bit 0 head, 1 tail, 2 hdr, 3..6 enc.
    #[must_use]
    pub const fn side_signals(self) -> u8 {
        self.0 as u8 & 0x3f
    }

    /// The same flit with `head`, `tail` and `hdr` as given.
    #[must_use]
    #[inline(always)]
    pub const fn with_marks(self, head: bool, tail: bool, hdr: bool) -> Self {
        Self(self.0 & !7 | (head as u64) | (tail as u64) << 1 | (hdr as u64) << 2)
    }

    /// The next flit of the worm, with the same side signals.
    #[must_use]
    #[inline(always)]
    pub const fn behind(self) -> Self {
        Self(self.0 + (1 << Self::INDEX_SHIFT))
    }

    /// The same flit, marked as the head if it `is_first` on a link. The flit after a stripped flit
    /// needs this mark.
    #[must_use]
    #[inline(always)]
    pub const fn with_head(self, is_first: bool) -> Self {
        Self(self.0 | is_first as u64)
    }

    /// First flit of the worm on this link.
    #[must_use]
    #[inline(always)]
    pub const fn is_head(self) -> bool {
        self.0 & Self::HEAD != 0
    }

    /// Last flit of the worm.
    #[must_use]
    #[inline(always)]
    pub const fn is_tail(self) -> bool {
        self.0 & Self::TAIL != 0
    }

    /// The flit belongs to the header.
    #[must_use]
    #[inline(always)]
    pub const fn is_header(self) -> bool {
        self.0 & Self::HDR != 0
    }

    /// Header encoding of its worm.
    #[must_use]
    #[inline(always)]
    pub const fn encoding(self) -> Encoding {
        Encoding::from_bits((self.0 >> Self::ENC_SHIFT) as u8 & 7)
    }

    /// Index within the worm as injected.
    #[must_use]
    #[inline(always)]
    pub const fn index(self) -> u32 {
        (self.0 >> Self::INDEX_SHIFT) as u32 & 0x00ff_ffff
    }

    /// Number of its worm. No other worm in the network has it.
    #[must_use]
    #[inline(always)]
    pub const fn worm(self) -> u32 {
        (self.0 >> Self::WORM_SHIFT) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_laid_out_as_the_timing_page_says() {
        let word = |head, tail, hdr| Flit::new(5, 9, Encoding::Multidestination).with_marks(head, tail, hdr).0;
        assert_eq!(word(false, false, false), 5 << 32 | 9 << 8 | 2 << 3);
        assert_eq!(
            [word(true, false, false), word(false, true, false), word(false, false, true)].map(|w| w & 7),
            [1, 2, 4]
        );
        assert!(Encoding::ALL.into_iter().all(|enc| Flit::new(0, 0, enc).0 == (enc as u64) << 3));
    }

    #[test]
    fn every_field_reads_back() {
        for enc in Encoding::ALL {
            let f = Flit::new(u32::MAX, Flit::MAX_WORM_FLITS, enc).with_marks(false, true, true);
            assert_eq!((f.worm(), f.index(), f.encoding()), (u32::MAX, Flit::MAX_WORM_FLITS, enc));
            assert_eq!((f.is_head(), f.is_tail(), f.is_header()), (false, true, true));
            assert!(f.with_head(true).is_head());
        }
    }
}
