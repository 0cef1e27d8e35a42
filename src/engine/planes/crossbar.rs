//! Crossbar: which flits cross, from the lanes that worms own, the flits in front and the credits.
//!
//! ```text
//!   holds ──▶┌──────────┐──▶ popped, by input
//!   wants ──▶│  AND/OR  │──▶ crossed and tails, by output
//!    able ──▶└──────────┘──▶ blocked, by output
//! ```
//!
//! An input `holds` a flit for the output that its worm `wants` and owns. The flit crosses where
//! that output is `able` to send: it has a credit (docs/reference/timing.md, R9.1 to R9.3, R9.10).

use super::plane::Plane;

/// What crosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossings<const P: usize, const L: usize> {
    /// By input, the front flit leaves.
    pub popped: [Plane<L>; P],
    /// By output, a flit crosses.
    pub crossed: [Plane<L>; P],
    /// By output, it is a tail.
    pub tails: [Plane<L>; P],
    /// By output, a flit is there and no credit.
    pub blocked: [Plane<L>; P],
}

/// Whether a worm may turn from an input to an output: dimension order takes it on in its own
/// dimension, into a higher one, or to the node.
#[inline(always)]
pub(super) const fn turns<const P: usize>(input: usize, output: usize) -> bool {
    input + 1 == P || output == input ^ 1 || output / 2 > input / 2
}

/// One cycle; `tails` says of which inputs the front flit is one.
#[inline(always)]
pub(super) fn eval<const P: usize, const L: usize>(
    holds: &[Plane<L>; P],
    wants: &[[Plane<L>; P]; P],
    tails: &[Plane<L>; P],
    able: &[Plane<L>; P],
) -> Crossings<P, L> {
    let none = [Plane::NONE; P];
    let mut out = Crossings { popped: none, crossed: none, tails: none, blocked: none };
    for input in 0..P {
        for output in 0..P {
            if turns::<P>(input, output) {
                let offered = holds[input] & wants[input][output];
                let crosses = offered & able[output];
                out.popped[input] |= crosses;
                out.crossed[output] |= crosses;
                out.tails[output] |= crosses & tails[input];
                out.blocked[output] |= offered;
            }
        }
    }
    for (blocked, &able) in out.blocked.iter_mut().zip(able) {
        *blocked &= !able;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimension_order_in_a_plane_has_seventeen_turns() {
        let turns = (0..5).flat_map(|input| (0..5).filter(move |&output| turns::<5>(input, output)));
        assert_eq!(turns.count(), 17);
    }

    #[test]
    fn a_flit_crosses_where_it_is_held_and_the_output_is_able() {
        let none = [Plane::<1>::NONE; 3];
        let (mut wants, mut holds, mut tails) = ([none; 3], none, none);
        // Router 0: input 0 to the node; router 1: input 2 to output 0, a tail; router 2: the same
        // without a flit.
        (wants[0][2], wants[2][0]) = (Plane([0b001]), Plane([0b110]));
        (holds[0], holds[2], tails[2]) = (Plane([0b001]), Plane([0b010]), Plane([0b110]));
        let seen = eval(&holds, &wants, &tails, &[Plane([0b110]), Plane::NONE, Plane::NONE]);
        assert_eq!(seen.popped, [Plane::NONE, Plane::NONE, Plane([0b010])]);
        assert_eq!(seen.crossed, [Plane([0b010]), Plane::NONE, Plane::NONE]);
        assert_eq!(seen.tails, seen.crossed);
        assert_eq!(seen.blocked, [Plane::NONE, Plane::NONE, Plane([0b001])]);
    }
}
