//! The payload of flits.

use wormscope_hw::WormId;

/// Recognisable payload: word `word` of flit `flit` of worm `id`, in flits of `flit_bits` bits. The
/// last word has only the remaining bits.
///
/// A whole word has three fields. Bits 63..48 have the low bits of the worm's number. Bits 47..16
/// have the flit's index, and bits 15..0 the number of the word. A narrower word is the only word
/// of a narrow flit, or the last word where 64 does not divide the width. Its upper half has the
/// worm and its lower half the index, each folded to fit.
#[must_use]
pub fn payload_word(id: WormId, flit: u32, word: u32, flit_bits: u32) -> u64 {
    let bits = flit_bits - 64 * word;
    if bits >= 64 {
        return (u64::from(id.0) & 0xffff) << 48 | u64::from(flit) << 16 | u64::from(word) & 0xffff;
    }
    let lower = bits.div_ceil(2);
    folded(id.0, bits - lower) << lower | folded(flit, lower)
}

/// The sum of a number's digits of `bits` bits, modulo 2^`bits`. A number that fits is its own sum.
/// Unlike the exclusive or of the digits, the sum differs for a number and its successor if digits
/// have 4 bits or more. The reason is that every digit that overflows adds 1 as well.
fn folded(number: u32, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mask = (1 << bits) - 1;
    let (mut rest, mut sum) = (u64::from(number), 0);
    while rest > 0 {
        sum += rest & mask;
        rest >>= bits;
    }
    sum & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_read_off_the_digits_at_every_width() {
        let data = |worm, flit, flit_bits: u32| {
            let words = (0..flit_bits.div_ceil(64)).rev();
            words
                .map(|word| format!("{:x}", payload_word(WormId(worm), flit, word, flit_bits)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (flit_bits, of_small, of_large) in [
            (8, "25", "3c"),
            (16, "205", "1248"),
            (32, "20005", "120345"),
            (63, "200000005", "1200000345"),
            (64, "2000000050000", "12000003450000"),
            (65, "0 2000000050000", "1 12000003450000"),
            (100, "80005 2000000050000", "480345 12000003450000"),
            (128, "2000000050001 2000000050000", "12000003450001 12000003450000"),
        ] {
            // In digits of 4 bits, 0x12 and 0x345 give 3 and 0xc. In digits of 8 bits they give
            // 0x12 and 0x48. In single bits they give 2 and 5.
            assert_eq!((data(2, 5, flit_bits), data(0x12, 0x345, flit_bits)), (of_small.into(), of_large.into()));
        }
    }

    #[test]
    fn payload_differs_from_that_of_the_next_flit_and_of_the_next_worm() {
        for flit_bits in 8..=200_u32 {
            for n in (0..5_000).chain([0x00ff_ffff - 1, 0x0fff_ffff, u32::MAX - 1]) {
                let all = [(7, n), (7, n + 1), (n, 7), (n + 1, 7)].map(|(worm, flit)| {
                    (0..flit_bits.div_ceil(64))
                        .map(|word| payload_word(WormId(worm), flit, word, flit_bits))
                        .collect::<Vec<_>>()
                });
                assert!(all[0] != all[1] && all[2] != all[3], "{flit_bits} bits, {n}: {all:x?}");
            }
        }
    }
}
