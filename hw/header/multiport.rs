//! Multiport: one b-bit port mask for every stage still to come, `ceil(b / flit_bits)` flits each. The first names the branches, alike
//! at every switch of that stage, and is stripped (Sivaram, Panda, Stunkel 1998 as \[ATBM\] section 1 tells it; the decoder
//! is a reconstruction).
//!
//! Bit `p` of a mask stands in its flit `p / flit_bits` at position `p % flit_bits`: port `p` is a branch. An all-zero mask leads up,
//! into the group of up lanes of a bidirectional switch; it stands nowhere else.

/// What the decoder sees at the front of the FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In {
    /// Flits in the FIFO.
    pub count: u16,
    /// Flits of one mask.
    pub mask_flits: u16,
    /// This stage's mask has already been stripped into its register.
    pub stripped: bool,
    /// Idealised timing: look at flits that have not arrived.
    pub overlapped: bool,
}

/// What it does in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// Pop the mask now (all its flits).
    pub strip: bool,
    /// The flits of the decision are there: the routing decision starts.
    pub ready: bool,
    /// The mask is still to be stripped: the decision cannot end.
    pub holds: bool,
}

/// Combinational logic of the decoder.
///
/// The mask is stripped, and the decision starts, in the cycle in which it is wholly there. Overlapped, the decision starts with the
/// first flit and ends when the mask is stripped at the earliest.
#[must_use]
#[inline]
pub const fn eval(i: In) -> Out {
    let strip = !i.stripped && i.count >= i.mask_flits;
    let holds = !i.stripped && !strip;
    Out { strip, ready: i.overlapped || !holds, holds }
}

/// Flits of one mask over `ports` ports; all that a decision needs.
#[must_use]
pub const fn needed(ports: u32, flit_bits: u32) -> u32 {
    super::flits(ports, flit_bits)
}

/// Lane groups of the branches: the ports of the mask, or, without any, the group `up`. `group` yields the lane group of a port.
#[must_use]
#[inline]
pub fn branches(mask: u64, up: Option<u8>, group: impl Fn(u8) -> u8) -> u64 {
    match up {
        Some(up) if mask == 0 => 1 << up,
        _ => crate::bits(mask).fold(0, |groups, port| groups | 1 << group(port as u8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_stripped_once_in_the_cycle_in_which_it_is_wholly_there() {
        for (mask_flits, overlapped) in (1..=4).flat_map(|m| [(m, false), (m, true)]) {
            let (mut stripped, mut strips) = (false, 0);
            for count in 1..=6 {
                let o = eval(In { count, mask_flits, stripped, overlapped });
                assert_eq!(o.strip, count == mask_flits, "{count} of {mask_flits}");
                assert_eq!(o.holds, count < mask_flits);
                assert_eq!(o.ready, overlapped || count >= mask_flits);
                strips += u32::from(o.strip);
                stripped |= o.strip;
            }
            assert_eq!(strips, 1);
        }
    }

    #[test]
    fn a_mask_names_its_ports_and_no_port_means_up() {
        assert_eq!(branches(0b1010, Some(4), |port| port), 0b1010);
        assert_eq!(branches(0b1010, None, |port| 2 * port), 0b100_0100);
        assert_eq!(branches(0, Some(4), |port| port), 0b1_0000);
        assert_eq!(branches(0, None, |port| port), 0);
    }

    #[test]
    fn wide_switches_need_several_flits_for_a_mask() {
        let flits = [(2, 8), (8, 8), (9, 8), (32, 16), (32, 64)].map(|(ports, bits)| needed(ports, bits));
        assert_eq!(flits, [1, 1, 2, 2, 1]);
    }
}
