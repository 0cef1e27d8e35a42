//! Switch (a mesh router is the same block with another routing function): wiring of the blocks of
//! this crate.
//!
//! ```text
//!            ┌──────┐  ┌─────────┐ groups ┌───────────┐ lanes ┌─────────────┐ flits ┌──────────┐
//!  in.push ─▶│ fifo │─▶│ decoder │───────▶│ allocator │──────▶│ replication │──────▶│ crossbar │─▶ out.sent
//!            └──┬───┘  └────┬────┘        └─────▲─────┘       └──────┬──────┘       └──────────┘
//!  out.freed ◀──┘           └─▶ token station ──┘                    └─▶ out.freed
//! ```
//!
//! A lane released in cycle t is free in t + 1; an input whose worm has passed in t begins the next
//! head in t + 1.

use alloc::vec::Vec;

use crate::allocator::{self, Grant};
use crate::decoder;
use crate::header::{Rom, Symbol};
use crate::token_ring::{self, Event};
use crate::{Acquisition, Arbiter, Encoding, Replication, arbiter, bits, crossbar, fifo, replication};

/// What is fixed when the switch is built; the same for all switches of a network.
#[derive(Clone, Debug)]
pub struct Params {
    /// Header decoders.
    pub decoder: decoder::Params,
    /// Output lanes of each lane group.
    pub group_lanes: [u64; 64],
    /// Replication mode.
    pub replication: Replication,
    /// Acquisition of lanes.
    pub acquisition: Acquisition,
    /// Arbiter of every lane.
    pub arbiter: Arbiter,
    /// The input lanes in the order in which arbiters count them.
    pub order: Vec<u8>,
    /// A granted head crosses in the cycle behind the grant, not in the cycle of the grant.
    pub allocation_register: bool,
}

/// Registers of an input lane.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Input {
    /// Flits, the header's bits beside the head.
    pub fifo: fifo::Reg<Symbol>,
    /// Header decoder.
    pub decoder: decoder::Reg,
    /// The decided worm waits for the token.
    pub parked: bool,
    /// Replication unit.
    pub branches: replication::Reg,
}

/// Registers of an output lane.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Output {
    /// Input lane that owns it.
    pub owner: Option<u8>,
    /// Credits for the FIFO behind it.
    pub credits: u16,
    /// The owner's head has not crossed.
    pub pending: bool,
    /// Arbiter; the allocator's is that of lane 0.
    pub arbiter: arbiter::Reg,
    /// Pointer of the link's multiplexer, in the lowest lane of the link.
    pub mux: u8,
    /// Flits that the owner's branch has taken beyond the one in front.
    pub ahead: u16,
}

/// Registers of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reg {
    /// Input lanes.
    pub inputs: Vec<Input>,
    /// Output lanes.
    pub outputs: Vec<Output>,
    /// Station of the token ring, where there is one.
    pub station: Option<token_ring::Reg>,
}

/// Pins of a cycle; flits and credits arrive at its end ([`clock_edge`]).
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// The cycle, to be compared with deadlines.
    pub now: u32,
    /// Output lanes whose link carries nothing in this cycle.
    pub stalled: u64,
    /// The token is at the station.
    pub token_is_here: bool,
    /// Flits that a worm forwards at least before it releases the token early, by the number of its
    /// encoding.
    pub token_bounds: [u32; Encoding::ALL.len()],
}

/// A flit that crosses.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// Input lane.
    pub from: u8,
    /// Output lane.
    pub lane: u8,
    /// The flit, with its header beside a head.
    pub symbol: Symbol,
}

/// What a switch does in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Out {
    /// Flits that cross.
    pub sent: Vec<Crossing>,
    /// Slots of FIFOs that are freed, by input lane: credits for the senders.
    pub freed: Vec<(u8, u16)>,
    /// What the station does to the token.
    pub token: Vec<Event>,
}

/// One cycle: outputs and next registers.
#[must_use]
pub fn eval(p: &Params, rom: &impl Rom, i: In, mut q: Reg) -> (Out, Reg) {
    let mut out = Out::default();
    let stripped = decode(p, rom, i, &mut q, &mut out);
    capture(i, &mut q, &mut out);
    let with_credit = mask(q.outputs.iter().map(|lane| lane.credits > 0)) & !i.stalled;
    let fresh = allocate(p, rom, with_credit, &mut q);
    let taken = choose(p, rom, with_credit & !fresh, stripped, &mut q);
    for (n, lanes) in (0..).zip(taken).filter(|&(_, lanes)| lanes != 0) {
        cross(p, rom, i, (n, lanes), &mut q, &mut out);
    }
    (out, q)
}

/// Header decoders; returns the inputs that strip flits.
fn decode(p: &Params, rom: &impl Rom, i: In, q: &mut Reg, out: &mut Out) -> u64 {
    let mut stripped = 0;
    for (n, input) in (0..).zip(&mut q.inputs) {
        let seen = decoder::In { now: i.now, count: input.fifo.count(), head: input.fifo.front() };
        let (decided, next) = decoder::eval(&p.decoder, rom, n, seen, core::mem::take(&mut input.decoder));
        input.decoder = next;
        if decided.strip > 0 {
            input.fifo.pop(decided.strip);
            out.freed.push((n, decided.strip));
            stripped |= 1 << n;
        }
        let Some(groups) = decided.branches else { continue };
        input.branches = replication::Reg::decided(groups);
        if let (Some(station), true) = (&mut q.station, input.branches.replicates()) {
            station.request |= 1 << n;
            input.parked = true;
            out.token.push(Event::Wanted);
        }
    }
    stripped
}

/// Token station: the worm that captures the token asks for its lanes in this cycle.
fn capture(i: In, q: &mut Reg, out: &mut Out) {
    let Some(station) = &mut q.station else { return };
    let (winner, next) = token_ring::capture(*station, i.token_is_here, q.inputs.len() as u8);
    *station = next;
    if let Some(winner) = winner {
        let input = &mut q.inputs[usize::from(winner)];
        input.parked = false;
        input.decoder.asks_at(i.now);
        out.token.push(Event::Captured);
    }
}

/// Allocator; returns the lanes that may be crossed in the next cycle only.
fn allocate(p: &Params, rom: &impl Rom, with_credit: u64, q: &mut Reg) -> u64 {
    let asks = |input: &Input| if input.parked { 0 } else { input.branches.asks(p.replication) };
    let asked: Vec<u64> = p.order.iter().map(|&n| asks(&q.inputs[usize::from(n)])).collect();
    let is_free = |(n, lane): (u8, &Output)| lane.owner.is_none() && rom.link(n) != 0;
    let free = mask((0..).zip(&q.outputs).map(is_free));
    let allocator = allocator::Params { group_lanes: &p.group_lanes, acquisition: p.acquisition, arbiter: p.arbiter };
    let arbiters = q.outputs.iter_mut().map(|lane| core::mem::take(&mut lane.arbiter)).collect();
    let age =
        |n: u8| q.inputs[usize::from(p.order[usize::from(n)])].decoder.service().map_or(0, |service| service.worm);
    let pins = allocator::In { asked: &asked, free, with_credit, age: &age };
    let (grants, arbiters) = allocator::eval(allocator, pins, arbiters);
    for (lane, arbiter) in q.outputs.iter_mut().zip(arbiters) {
        lane.arbiter = arbiter;
    }
    let mut fresh = 0;
    for Grant { input, group, lane } in grants {
        let input = p.order[usize::from(input)];
        fresh |= u64::from(p.allocation_register) << lane;
        let branches = &mut q.inputs[usize::from(input)].branches;
        branches.wanted &= !(1 << group);
        branches.lanes |= 1 << lane;
        let lane = &mut q.outputs[usize::from(lane)];
        (lane.owner, lane.pending, lane.ahead) = (Some(input), true, 0);
    }
    fresh
}

/// Replication units offer flits to the lanes that are `able`, the multiplexers of the links choose
/// among them; returns the lanes through which each input sends.
fn choose(p: &Params, rom: &impl Rom, able: u64, stripped: u64, q: &mut Reg) -> Vec<u64> {
    let offers = |able: u64, outputs: &[Output]| -> Vec<u64> {
        let ahead = |lane: usize| outputs[lane].ahead;
        let of = |(n, input): (usize, &Input)| match input.fifo.count() {
            0 => 0,
            _ if stripped >> n & 1 != 0 => 0,
            count => replication::offered(p.replication, &input.branches, count, able, ahead),
        };
        q.inputs.iter().enumerate().map(of).collect()
    };
    let mut left = offers(able, &q.outputs).into_iter().fold(0, |all, lanes| all | lanes);
    let mut chosen = 0;
    while left != 0 {
        let link = rom.link(left.trailing_zeros() as u8);
        let first = link.trailing_zeros() as usize;
        let mux = &mut q.outputs[first].mux;
        let (winner, next) = crossbar::select((left & link) >> first, *mux, link.count_ones() as u8);
        *mux = next;
        chosen |= 1 << (first + usize::from(winner));
        left &= !link;
    }
    offers(chosen, &q.outputs)
}

/// Crossbar: input `n` sends through some `lanes`; its FIFO pops, tails release.
fn cross(p: &Params, rom: &impl Rom, i: In, (n, lanes): (u8, u64), q: &mut Reg, out: &mut Out) {
    let input = &mut q.inputs[usize::from(n)];
    for o in bits(lanes) {
        let lane = &mut q.outputs[o];
        let Some(symbol) = input.fifo.get(lane.ahead) else { continue };
        let flit = symbol.flit.with_head(lane.pending);
        let header = lane.pending.then(|| input.decoder.header_through(rom, o as u8)).flatten();
        out.sent.push(Crossing { from: n, lane: o as u8, symbol: Symbol { flit, header } });
        lane.credits -= 1;
        (lane.pending, lane.ahead) = (false, lane.ahead + 1);
        input.branches.take(o as u8, flit.is_tail());
        if flit.is_tail() {
            lane.owner = None;
        }
    }
    let replication::Reg { lanes, taken, wanted, .. } = input.branches;
    if input.branches.replicates() && !replication::pops(lanes, taken, wanted != 0) {
        if p.replication == Replication::Sequential && lanes == 0 {
            // The next branch asks in the next cycle.
            input.branches.taken = 0;
            input.decoder.asks_at(i.now);
        }
        return;
    }
    let tail = input.fifo.front().is_some_and(|symbol| symbol.flit.is_tail());
    input.fifo.pop(1);
    out.freed.push((n, 1));
    input.branches.taken = 0;
    for o in bits(lanes) {
        let ahead = &mut q.outputs[o].ahead;
        *ahead -= 1;
        input.branches.taken |= u64::from(*ahead > 0) << o;
    }
    if let Some(station) = q.station.as_mut().filter(|station| station.holder == Some(n)) {
        let bound = i.token_bounds[input.decoder.encoding() as usize];
        let (released, next) = token_ring::forward(*station, bound, tail);
        *station = next;
        if released {
            out.token.push(Event::Released(n));
        }
    }
    if tail {
        (input.branches, input.decoder) = (replication::Reg::default(), decoder::Reg::Idle);
    }
}

/// The clock edge: what arrives is in the registers from the next cycle on.
pub fn clock_edge(q: &mut Reg, pushed: impl Iterator<Item = (u8, Symbol)>, credits: impl Iterator<Item = (u8, u16)>) {
    for (input, symbol) in pushed {
        q.inputs[usize::from(input)].fifo.push(symbol);
    }
    for (lane, returned) in credits {
        let lane = &mut q.outputs[usize::from(lane)];
        lane.credits = crate::link::refund(lane.credits, returned);
    }
}

fn mask(lanes: impl Iterator<Item = bool>) -> u64 {
    lanes.enumerate().fold(0, |mask, (n, is)| mask | u64::from(is) << n)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::decoder::tests::{Line, PARAMS};
    use crate::flit::Flit;

    fn params(replication: Replication) -> Params {
        Params {
            decoder: decoder::Params { part_flits: [1; Encoding::ALL.len()], ..PARAMS },
            group_lanes: core::array::from_fn(|group| if group < 3 { 1 << group } else { 0 }),
            replication,
            acquisition: Acquisition::Incremental,
            arbiter: Arbiter::RoundRobin,
            order: (0..3).collect(),
            allocation_register: false,
        }
    }

    fn idle(credits: u16) -> Reg {
        let output = Output { credits, ..Output::default() };
        Reg { inputs: vec![Input::default(); 3], outputs: vec![output; 3], station: None }
    }

    /// The flits of a worm of one header flit.
    fn worm(id: u32, enc: Encoding, header: &[u64], length: u32) -> Vec<Symbol> {
        let flit = |n| Flit::new(id, n, enc).with_marks(n == 0, n + 1 == length, n == 0);
        (0..length).map(|n| Symbol { flit: flit(n), header: (n == 0).then(|| header.to_vec()) }).collect()
    }

    /// Runs a switch whose inputs are fed a flit a cycle: in each cycle the lanes that were
    /// crossed, with worm and index, and the slots freed.
    #[allow(clippy::type_complexity)]
    fn run(
        p: &Params,
        mut q: Reg,
        mut fed: Vec<Vec<Symbol>>,
        cycles: u32,
        mut pins: impl FnMut(u32, &mut In),
    ) -> (Vec<Vec<(u8, u32, u32)>>, Reg) {
        let mut seen = Vec::new();
        for symbols in &mut fed {
            symbols.reverse();
        }
        for now in 0..cycles {
            let mut i = In { now, stalled: 0, token_is_here: false, token_bounds: Default::default() };
            pins(now, &mut i);
            let (out, mut next) = eval(p, &Line, i, q);
            seen.push(out.sent.iter().map(|of| (of.lane, of.symbol.flit.worm(), of.symbol.flit.index())).collect());
            let pushed: Vec<_> = (0..).zip(&mut fed).filter_map(|(n, symbols)| Some((n, symbols.pop()?))).collect();
            clock_edge(&mut next, pushed.into_iter(), core::iter::empty());
            q = next;
        }
        (seen, q)
    }

    #[test]
    fn a_worm_crosses_a_flit_a_cycle_and_leaves_nothing_behind() {
        let fed = vec![Vec::new(), worm(5, Encoding::Unicast, &[2], 3)];
        let (seen, q) = run(&params(Replication::Asynchronous), idle(9), fed, 5, |_, _| ());
        assert_eq!(seen, [vec![], vec![(0, 5, 0)], vec![(0, 5, 1)], vec![(0, 5, 2)], vec![]]);
        let mut expected = idle(9);
        (expected.outputs[0].credits, expected.outputs[0].arbiter.pointer, expected.outputs[0].ahead) = (6, 2, 1);
        assert_eq!(q, expected);
    }

    #[test]
    fn a_lane_is_free_in_the_cycle_behind_its_tail_and_arbiters_turn() {
        let to_node_2 = |id| worm(id, Encoding::Unicast, &[2], 2);
        let fed = vec![to_node_2(0), to_node_2(1), to_node_2(2)];
        let (seen, _) = run(&params(Replication::Asynchronous), idle(9), fed, 8, |_, _| ());
        let order: Vec<_> = seen.concat().iter().map(|of| of.1).collect();
        assert_eq!(order, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn without_credit_or_on_a_stalled_link_nothing_crosses() {
        let fed = vec![worm(0, Encoding::Unicast, &[2], 4)];
        let (seen, q) = run(&params(Replication::Asynchronous), idle(2), fed.clone(), 9, |_, _| ());
        assert_eq!((seen.concat().len(), q.inputs[0].fifo.count(), q.outputs[0].owner), (2, 2, Some(0)));
        let (seen, _) =
            run(&params(Replication::Asynchronous), idle(9), fed, 9, |now, i| i.stalled = u64::from(now < 6));
        assert_eq!(seen.iter().position(|sent| !sent.is_empty()), Some(6));
    }

    #[test]
    fn branches_take_flits_as_their_mode_says() {
        // To nodes 0 and 2 through lanes 1 and 0; lane 1 has one credit.
        let crossed = |mode| {
            let mut q = idle(9);
            q.outputs[1].credits = 1;
            let fed = vec![Vec::new(), Vec::new(), worm(0, Encoding::BitString, &[0b101], 4)];
            let (seen, q) = run(&params(mode), q, fed, 9, |_, _| ());
            let of = |lane| seen.concat().iter().filter(|of| of.0 == lane).count();
            (of(0), of(1), q.inputs[2].fifo.count())
        };
        assert_eq!(crossed(Replication::Asynchronous), (2, 1, 3), "one flit ahead of the branch that is blocked");
        assert_eq!(crossed(Replication::Lockstep), (1, 1, 3), "both or none");
        assert_eq!(crossed(Replication::Buffered), (4, 1, 3), "all that is in the FIFO");
        assert_eq!(crossed(Replication::Sequential), (4, 1, 3), "one branch after the other; the last one pops");
    }

    #[test]
    fn a_worm_of_several_branches_waits_for_the_token_and_releases_it() {
        let mut q = idle(9);
        q.station = Some(token_ring::Reg::IDLE);
        let fed = vec![worm(0, Encoding::BitString, &[0b110], 3), worm(1, Encoding::Unicast, &[2], 2)];
        let pins = |now: u32, i: &mut In| (i.token_is_here, i.token_bounds) = (now == 4, [1; Encoding::ALL.len()]);
        let (seen, q) = run(&params(Replication::Asynchronous), q, fed, 9, pins);
        let of = |worm| seen.iter().position(|sent| sent.iter().any(|of| of.1 == worm));
        assert_eq!((of(0), of(1)), (Some(4), Some(1)), "a worm of one branch asks for no token");
        let station = q.station.unwrap();
        assert_eq!((station.holder, station.request, station.forwarded), (None, 0, 2));
    }

    #[test]
    fn an_input_that_strips_flits_sends_none_in_that_cycle() {
        let behind = worm(1, Encoding::Multiport, &[0b1], 3);
        let fed = vec![[worm(0, Encoding::Unicast, &[2], 2), behind].concat()];
        let (seen, _) =
            run(&params(Replication::Asynchronous), idle(9), fed, 11, |now, i| i.stalled = u64::from(now < 6));
        let crossed: Vec<_> =
            (0..).zip(&seen).flat_map(|(now, sent)| sent.iter().map(move |of| (now, of.1, of.2))).collect();
        assert_eq!(crossed, [(6, 0, 0), (7, 0, 1), (9, 1, 1), (10, 1, 2)], "the mask goes in cycle 8");
    }

    #[test]
    fn an_allocation_register_costs_a_cycle() {
        let p = Params { allocation_register: true, ..params(Replication::Asynchronous) };
        let (seen, _) = run(&p, idle(9), vec![worm(0, Encoding::Unicast, &[2], 2)], 5, |_, _| ());
        assert_eq!(seen, [vec![], vec![], vec![(0, 0, 0)], vec![(0, 0, 1)], vec![]]);
    }
}
