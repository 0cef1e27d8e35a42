//! Replication unit of the input lanes, for worms that go to several nodes: which branches take
//! which flit, and when the front flit is popped.
//!
//! ```text
//!   holds ──▶┌─────────────┐──▶ popped, by input
//!  asking ──▶│ lanes       │──▶ crossed and tails, by output
//!    able ──▶│ taken       │──▶ blocked and passed over, by output
//!  offered ◀─│ first, late │◀── sends
//!            │ readers     │
//!            └─────────────┘
//! ```
//!
//! An asynchronous branch takes the front flit when it can, and the flit is popped when all have
//! it. In lockstep a flit moves when all branches can take it. Buffered and sequential branches
//! have a read pointer each. A branch keeps its `taken` bit when its tail has crossed, until a flit
//! is popped (docs/reference/timing.md, R9.1 to R9.8, R9.10).
//!
//! `M` is `N` in a network with such worms. Else it is 0, and the crossbar does the work of this
//! unit.

use std::array::from_fn;

use wormscope_hw::Replication as Mode;

use super::countdown::Countdown;
use super::counter::Counter;
use super::crossbar::{Crossings, turns};
use super::plane::Plane;

/// The read pointer of the branch that owns an output lane, in buffered and sequential mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadPointer<const L: usize, const B: usize> {
    /// Flits in the FIFO that the branch has not taken.
    next: Counter<L, B>,
    /// Flits in the FIFO that it has taken.
    pub ahead: Counter<L, B>,
}

/// Registers of all inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replication<const N: usize, const M: usize, const L: usize, const B: usize> {
    /// By input and output, a branch holds the lane.
    pub lanes: [[Plane<L>; N]; M],
    /// By input and output, a branch has the front flit.
    pub taken: [[Plane<L>; N]; M],
    /// By output, the head of its owner has not crossed.
    pub first: [Plane<L>; M],
    /// By output, this head has had a turn.
    pub late: [Plane<L>; M],
    /// By output, flits of its worm that a branch with a read pointer has not taken.
    pub left: Countdown<M, L>,
    /// By output.
    pub readers: [ReadPointer<L, B>; M],
}

/// Pins of a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pins<'a, const N: usize, const L: usize> {
    pub mode: Mode,
    /// By input, a decided worm has a flit in front.
    pub holds: &'a [Plane<L>; N],
    /// By input, it is a tail.
    pub tails: &'a [Plane<L>; N],
    /// By input, a branch has no lane.
    pub asking: &'a [Plane<L>; N],
    /// By output, the lane was granted in this cycle and cannot send.
    pub fresh: &'a [Plane<L>; N],
    /// By output, there is a credit.
    pub able: &'a [Plane<L>; N],
}

/// Whether branches have read pointers.
pub(super) fn reads(mode: Mode) -> bool {
    matches!(mode, Mode::Buffered | Mode::Sequential)
}

impl<const N: usize, const M: usize, const L: usize, const B: usize> Replication<N, M, L, B> {
    /// At reset.
    pub fn reset() -> Self {
        let reader = ReadPointer { next: Counter::all(0), ahead: Counter::all(0) };
        Self {
            lanes: [[Plane::NONE; N]; M],
            taken: [[Plane::NONE; N]; M],
            first: [Plane::NONE; M],
            late: [Plane::NONE; M],
            left: Countdown::RESET,
            readers: [reader; M],
        }
    }

    /// Output: the worm at an input holds a lane.
    #[inline(always)]
    pub fn holds_some(&self, input: usize) -> Plane<L> {
        self.lanes[input].iter().fold(Plane::NONE, |some, &lanes| some | lanes)
    }

    /// The clock edge: flits arrive, by input.
    #[inline(always)]
    pub fn arrive(&mut self, arrived: &[Plane<L>; N]) {
        for (output, reader) in self.readers.iter_mut().enumerate() {
            let of = |some, (lanes, &arrived): (&[Plane<L>; N], &Plane<L>)| some | lanes[output] & arrived;
            reader.next.up(self.lanes.iter().zip(arrived).fold(Plane::NONE, of));
        }
    }

    /// The allocator grants an output lane to `wins`, by input. The FIFOs have `counts` flits.
    #[inline(always)]
    pub fn grant(&mut self, lane: usize, wins: &[Plane<L>; N], counts: &[Counter<L, B>; N]) {
        let mut granted = Plane::NONE;
        for (lanes, &win) in self.lanes.iter_mut().zip(wins) {
            lanes[lane] |= win;
            granted |= win;
        }
        self.first[lane] |= granted;
        if granted.any() {
            let reader = &mut self.readers[lane];
            for k in 0..B {
                let count = wins.iter().zip(counts).fold(Plane::NONE, |count, (&win, of)| count | win & of.0[k]);
                reader.next.0[k] = reader.next.0[k] & !granted | count;
                reader.ahead.0[k] &= !granted;
            }
        }
    }

    /// Output: the flits that cross, and how many branches wait for another branch of their worm.
    /// `select` is the multiplexer of a link, as in the crossbar.
    #[inline(always)]
    pub fn eval<const V: usize>(
        &self,
        i: Pins<N, L>,
        mut select: impl FnMut(usize, &[Plane<L>; V]) -> [Plane<L>; V],
    ) -> (Crossings<N, L>, u64) {
        let none = [Plane::NONE; N];
        let mut out = Crossings { popped: none, crossed: none, tails: none, blocked: none, passed_over: none };
        let (mut offered, mut held, mut sibling) = (none, none, 0);
        let outputs = |input: usize| (0..N).filter(move |&output| turns::<N, V, true>(input, output));
        for input in 0..M {
            let (lanes, taken) = (&self.lanes[input], &self.taken[input]);
            let holds = i.holds[input];
            let mut ready = holds;
            match i.mode {
                Mode::Lockstep => {
                    let able = |ready, output: usize| ready & !(lanes[output] & (i.fresh[output] | !i.able[output]));
                    ready = outputs(input).fold(ready & !i.asking[input], able);
                }
                Mode::Asynchronous if taken.iter().fold(Plane::NONE, |some, &taken| some | taken).any() => {
                    sibling += outputs(input).map(|output| (taken[output] & holds).count()).sum::<u64>();
                }
                _ => {}
            }
            for output in outputs(input) {
                let mut branch = lanes[output] & !i.fresh[output];
                if reads(i.mode) {
                    let next = self.readers[output].next.any();
                    sibling += (branch & holds & !next).count();
                    branch &= next;
                } else {
                    branch &= !taken[output];
                }
                offered[output] |= branch & ready;
                held[output] |= branch & holds;
            }
        }
        for first in (0..N).step_by(V) {
            let ready: [_; V] = from_fn(|c| offered[first + c] & i.able[first + c]);
            for (lane, sends) in (first..).zip(select(first, &ready)) {
                out.crossed[lane] = sends;
                out.blocked[lane] = held[lane] & !i.able[lane];
                let passed_over = held[lane] & i.able[lane] & !sends;
                if i.mode == Mode::Lockstep {
                    sibling += passed_over.count();
                } else {
                    out.passed_over[lane] = passed_over;
                }
            }
        }
        let last = self.left.is_last();
        for input in 0..M {
            let (mut some, mut left) = (Plane::NONE, i.asking[input]);
            for output in outputs(input) {
                let (lane, reader) = (self.lanes[input][output], &self.readers[output]);
                let sent = lane & out.crossed[output];
                let reads = reads(i.mode);
                let tail = if reads { sent & last[output] } else { sent & i.tails[input] };
                some |= sent;
                left |= lane & !sent & !if reads { reader.ahead.any() } else { self.taken[input][output] };
                out.tails[output] |= tail;
            }
            out.popped[input] = some & !left;
        }
        (out, sibling)
    }

    /// The clock edge: flits have crossed. Returns the outputs whose branches have counted to 0 and
    /// have more to count.
    #[inline(always)]
    pub fn pass(&mut self, crossed: &[Plane<L>; N]) -> [Plane<L>; M] {
        self.left.pass(&from_fn(|output| crossed[output]))
    }

    /// The clock edge: branches have taken the flits that crossed. Flits that all branches have
    /// taken are popped.
    #[inline(always)]
    pub fn take<const V: usize>(&mut self, mode: Mode, crossing: &Crossings<N, L>) {
        if reads(mode) {
            for (output, reader) in self.readers.iter_mut().enumerate() {
                let of = |some, (lanes, &popped): (&[Plane<L>; N], &Plane<L>)| some | lanes[output] & popped;
                reader.next.down(crossing.crossed[output]);
                reader.ahead.up(crossing.crossed[output]);
                reader.ahead.down(self.lanes.iter().zip(&crossing.popped).fold(Plane::NONE, of));
            }
        }
        for input in 0..M {
            let popped = crossing.popped[input];
            let (mut passed, mut held) = (Plane::NONE, Plane::NONE);
            for output in (0..N).filter(|&output| turns::<N, V, true>(input, output)) {
                let (lane, taken) = (self.lanes[input][output], &mut self.taken[input][output]);
                let keeps = lane & !crossing.tails[output];
                *taken = (*taken | lane & crossing.crossed[output]) & !popped;
                if reads(mode) {
                    *taken |= keeps & popped & self.readers[output].ahead.any();
                }
                (passed, held) = (passed | lane & !keeps, held | keeps);
            }
            if mode == Mode::Sequential {
                self.taken[input].iter_mut().for_each(|taken| *taken &= !(passed & !held));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use wormscope_hw::replication::{In, Offering, Reg, eval, grant, offer};
    use wormscope_hw::{GroupMask, LaneMask};

    use super::*;

    /// The units of input 2, of the node, in 64 routers with three lanes each, beside the block.
    #[test]
    fn branches_take_flits_as_in_the_block() {
        for mode in [Mode::Asynchronous, Mode::Lockstep] {
            let mut ours = Replication::<3, 3, 1, 3>::reset();
            let mut theirs = [(); 64].map(|()| Reg::default());
            let (mut seed, mut tail) = (3_u64, Plane::NONE);
            let mut random = || {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x55;
                Plane([seed])
            };
            for _ in 0..400 {
                let none = [Plane::<1>::NONE; 3];
                let (mut holds, mut tails, mut asking) = (none, none, none);
                let (able, grants): ([_; 3], [_; 3]) = (from_fn(|_| random()), from_fn(|_| random()));
                (holds[2], tails[2]) = (random(), tail);
                for (router, q) in theirs.iter_mut().enumerate() {
                    if q.is_idle() {
                        *q = wormscope_hw::replication::decide(Some(GroupMask(1 + (router as u64 % 7))), *q);
                    }
                    let wanted = q.wanted;
                    for lane in (0..3_u8).filter(|&lane| wanted.has(lane) && grants[usize::from(lane)].get(router)) {
                        *q = grant(lane, lane, *q);
                        let mut wins = none;
                        wins[2].set(router, true);
                        ours.grant(usize::from(lane), &wins, &[Counter::all(1); 3]);
                    }
                    asking[2].set(router, !q.wanted.is_empty());
                }
                let pins = Pins { mode, holds: &holds, tails: &tails, asking: &asking, fresh: &none, able: &able };
                let (crossing, _) = ours.eval::<1>(pins, |_, offered| *offered);
                let popped = crossing.popped[2];
                tail = tail & !popped | random() & popped;
                ours.take::<1>(mode, &crossing);
                for (lanes, &tails) in ours.lanes[2].iter_mut().zip(&crossing.tails) {
                    *lanes &= !tails;
                }
                for (router, q) in theirs.iter_mut().enumerate() {
                    let lanes: LaneMask = (0..3).filter(|&lane| able[usize::from(lane)].get(router)).collect();
                    let pins = Offering { present: holds[2].get(router), able: lanes, next: lanes };
                    let sent = offer(mode, pins, q);
                    let tail = tails[2].get(router);
                    let mut pop = false;
                    if !sent.is_empty() {
                        let tails = if tail { sent } else { LaneMask::NONE };
                        let (out, next) = eval(mode, In { sent, tails, tail, beyond: LaneMask::NONE }, *q);
                        (pop, *q) = (out.pop, next);
                    }
                    assert_eq!(crossing.popped[2].get(router), pop);
                    for lane in 0..3_u8 {
                        assert_eq!(crossing.crossed[usize::from(lane)].get(router), sent.has(lane));
                        assert_eq!(ours.lanes[2][usize::from(lane)].get(router), q.lanes.has(lane));
                        assert_eq!(ours.taken[2][usize::from(lane)].get(router), q.taken.has(lane));
                    }
                }
            }
        }
    }
}
