//! Crossbar: which flits cross, from the lanes that worms own, the flits in front and the credits.
//!
//! ```text
//!   holds ──▶┌──────────┐──▶ popped, by input
//!   wants ──▶│  AND/OR  │──▶ crossed and tails, by output
//!    able ──▶│          │──▶ blocked and passed over, by output
//!            └──┬───▲───┘
//!       offered ▼   │ sends
//!            multiplexer
//! ```
//!
//! An input lane `holds` a flit for the output lane that its worm `wants` and owns. The flit
//! crosses if the output lane has a credit and the multiplexer of its link selects it. An output
//! lane with a credit is `able` to send (docs/reference/timing.md, R9.1 to R9.3, R9.10, R9.11).

use std::array::from_fn;

use super::plane::Plane;

/// A fact of each pair of an input lane and an output lane.
pub(super) type Pairs<const N: usize, const L: usize> = [[Plane<L>; N]; N];

/// Flits that cross, and flits that cannot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossings<const N: usize, const L: usize> {
    /// By input, the front flit leaves.
    pub popped: [Plane<L>; N],
    /// By output, a flit crosses.
    pub crossed: [Plane<L>; N],
    /// By output, it is a tail.
    pub tails: [Plane<L>; N],
    /// By output, a flit is there and no credit.
    pub blocked: [Plane<L>; N],
    /// By output, a flit and a credit are there, and another channel of the link sends.
    pub passed_over: [Plane<L>; N],
}

/// Whether a worm may turn from an input lane to an output lane. In a grid, `G`, dimension order
/// allows the same dimension, a higher dimension, and the node. Other networks allow all turns.
#[inline(always)]
pub(super) const fn turns<const N: usize, const V: usize, const G: bool>(input: usize, output: usize) -> bool {
    !G || leads(N / V, input / V, output / V)
}

/// Whether a worm may go from an input port of a router with so many `ports` to an output port.
#[inline(always)]
pub(super) const fn leads(ports: usize, from: usize, to: usize) -> bool {
    from + 1 == ports || to == from ^ 1 || to / 2 > from / 2
}

/// One cycle. `tails` has the inputs whose front flit is a tail. `select` is the multiplexer of a
/// link. It gets the first lane of the link and the channels that could send, and returns the
/// channel that sends.
#[inline(always)]
pub(super) fn eval<const N: usize, const V: usize, const L: usize, const G: bool>(
    holds: &[Plane<L>; N],
    wants: &Pairs<N, L>,
    tails: &[Plane<L>; N],
    able: &[Plane<L>; N],
    mut select: impl FnMut(usize, &[Plane<L>; V]) -> [Plane<L>; V],
) -> Crossings<N, L> {
    let none = [Plane::NONE; N];
    let mut out = Crossings { popped: none, crossed: none, tails: none, blocked: none, passed_over: none };
    // In a chunk of one word it is faster to look at all pairs than to pass over some.
    let mut offered = none;
    for input in 0..N {
        for output in (0..N).filter(|&output| L == 1 || turns::<N, V, G>(input, output)) {
            offered[output] |= holds[input] & wants[input][output];
        }
    }
    for first in (0..N).step_by(V) {
        let ready: [_; V] = from_fn(|c| offered[first + c] & able[first + c]);
        let sends = select(first, &ready);
        for c in 0..V {
            out.crossed[first + c] = sends[c];
            out.blocked[first + c] = offered[first + c] & !able[first + c];
            out.passed_over[first + c] = ready[c] & !sends[c];
        }
    }
    for input in 0..N {
        // Summed up at the end, since all outputs of an input are one vector.
        let mut popped = none;
        for output in (0..N).filter(|&output| L == 1 || turns::<N, V, G>(input, output)) {
            popped[output] = holds[input] & wants[input][output] & out.crossed[output];
            out.tails[output] |= popped[output] & tails[input];
        }
        out.popped[input] = popped.iter().fold(Plane::NONE, |some, &popped| some | popped);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimension_order_in_a_plane_has_seventeen_turns() {
        let turns = (0..5).flat_map(|input| (0..5).filter(move |&output| turns::<5, 1, true>(input, output)));
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
        let seen = eval::<_, _, _, true>(
            &holds,
            &wants,
            &tails,
            &[Plane([0b110]), Plane::NONE, Plane::NONE],
            |_, of: &[_; 1]| *of,
        );
        assert_eq!(seen.popped, [Plane::NONE, Plane::NONE, Plane([0b010])]);
        assert_eq!(seen.crossed, [Plane([0b010]), Plane::NONE, Plane::NONE]);
        assert_eq!(seen.tails, seen.crossed);
        assert_eq!(seen.blocked, [Plane::NONE, Plane::NONE, Plane([0b001])]);
    }

    #[test]
    fn one_channel_of_a_link_sends() {
        let none = [Plane::<1>::NONE; 6];
        let (mut wants, mut holds) = ([none; 6], none);
        // Router 0: both channels of input 2, of the node, go to those of output 0.
        (wants[4][0], wants[5][1], holds[4], holds[5]) = (Plane([1]), Plane([1]), Plane([1]), Plane([1]));
        let second = |first: usize, offered: &[Plane<1>; 2]| {
            if first == 0 { [Plane::NONE, offered[1]] } else { *offered }
        };
        let seen = eval::<_, _, _, true>(&holds, &wants, &none, &[Plane::ALL; 6], second);
        assert_eq!((seen.popped[4], seen.popped[5]), (Plane::NONE, Plane([1])));
        assert_eq!((seen.passed_over[0], seen.passed_over[1]), (Plane([1]), Plane::NONE));
        assert_eq!(seen.blocked, none);
    }
}
