//! Switch: wiring of the blocks of this crate, and nothing else. A mesh router is the same block
//! with another routing function.
//!
//! ```text
//!          ┌──────┐ ┌─────────┐ groups ┌───────────┐ lanes ┌─────────────┐ ┌─────┐ ┌──────────┐
//!   push ─▶│ fifo │▶│ decoder │───────▶│ allocator │──────▶│ replication │▶│ mux │▶│ crossbar │─▶
//!          └─┬──▲─┘ └─▲──┬────┘        └─────▲─────┘       └──┬──────────┘ └──▲──┘ └──────────┘
//!  freed ◀───┘  │     │  └─▶ token station ──┘                │               │            sent
//!               └─────┴─────────── pop, passed ───────────────┘            credit ◀─ returned
//! ```
//!
//! Everything between the FIFOs and the credit counters is combinational ([`eval`]). FIFOs and
//! credit counters are at the border to other instances. Flits and credits that arrive there count
//! from the next cycle on ([`clock_edge`]). If a block has several steps in a cycle, its registers
//! pass all steps.
//!
//! A lane that is released in cycle t is free in `t + 1`. An input whose worm has passed in cycle t
//! begins with the next head in `t + 1` (docs/reference/timing.md, R1.2 to R1.7, R9.14).

use alloc::vec::Vec;
use core::mem::take;

use crate::allocator::{self, Grant, Request};
use crate::header::{Rom, Symbol};
use crate::replication::Offering;
use crate::token_station::{self, Event, Leaving};
use crate::{Acquisition, Arbiter, Encoding, GroupMask, InputMask, LaneChoice, LaneMask, Replication};
use crate::{credit, crossbar, decoder, feedback, fifo, lane, multiplexer, replication, reservation};

/// Constants, which are the same for all switches of a network.
#[derive(Clone, Debug)]
pub struct Params {
    /// Constants of the header decoders.
    pub decoder: decoder::Params,
    /// Output lanes of each lane group.
    pub group_lanes: [LaneMask; 64],
    /// Replication mode.
    pub replication: Replication,
    /// Acquisition of lanes.
    pub acquisition: Acquisition,
    /// Arbiter of every lane.
    pub arbiter: Arbiter,
    /// Rule that chooses the next lane of a group.
    pub lane_choice: LaneChoice,
    /// The input lanes in the order in which arbiters count them.
    pub order: Vec<u8>,
    /// Whether a granted head crosses in the cycle after the grant, not in the cycle of the grant.
    pub allocation_register: bool,
}

/// Registers of an input lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Flits. A head has the bits of the header beside it.
    pub fifo: fifo::Reg<Symbol>,
    /// Header decoder.
    pub decoder: decoder::Reg,
    /// Replication unit.
    pub branches: replication::Reg,
    /// Lanes that its worm has reserved, with synchronous worms.
    pub lock: reservation::Reg,
}

/// Registers of an output lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The input that drives the output.
    pub lane: lane::Reg,
    /// Credits for the FIFO at the other end of the link.
    pub credits: credit::Reg,
    /// Registers of the allocator.
    pub allocator: allocator::Reg,
    /// Multiplexer of the link, at its lowest lane.
    pub mux: multiplexer::Reg,
}

/// Registers of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Input lanes.
    pub inputs: Vec<Input>,
    /// Output lanes.
    pub outputs: Vec<Output>,
    /// Station of the token ring, if the switch is in one.
    pub station: Option<token_station::Reg>,
}

impl Input {
    /// At reset.
    #[must_use]
    pub fn reset(fifo_depth: u16) -> Self {
        let (decoder, branches) = (decoder::Reg::default(), replication::Reg::default());
        Self { fifo: fifo::Reg::reset(fifo_depth), decoder, branches, lock: reservation::Reg::default() }
    }
}

impl Output {
    /// At reset, in front of a FIFO of `depth` flits.
    #[must_use]
    pub fn reset(p: &Params, depth: u16) -> Self {
        Self {
            lane: lane::Reg::default(),
            credits: credit::Reg::reset(depth),
            allocator: allocator::Reg::reset(p.arbiter, p.order.len() as u8),
            mux: multiplexer::Reg::default(),
        }
    }
}

/// Pins of a cycle.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// The cycle, to compare with deadlines.
    pub now: u32,
    /// Output lanes that a stall keeps from sending in this cycle.
    pub stalled: LaneMask,
    /// The token is at the station.
    pub token_is_here: bool,
    /// Number of flits after which a worm may release the token, by the number of its encoding; see
    /// [`token_station::bound`].
    pub token_bounds: [u32; Encoding::ALL.len()],
    /// With synchronous worms, for each input the side signals of the worm in service. Without a
    /// worm in service, the side signals of the worm in front.
    pub heads: &'a [feedback::Head],
}

/// A flit that crosses.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// Input lane.
    pub from: u8,
    /// Output lane.
    pub lane: u8,
    /// The flit. A head has its header beside it.
    pub symbol: Symbol,
}

/// Outputs of a switch in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Out {
    /// Flits that cross.
    pub sent: Vec<Crossing>,
    /// Flits that leave a FIFO, by input lane. Each gives the sender a credit.
    pub freed: Vec<(u8, u16)>,
    /// Acts of the station on the token.
    pub token: Vec<Event>,
    /// Messages of heads to the feedback of their worms, with synchronous worms.
    pub told: Vec<feedback::HeadEvent>,
}

/// Evaluates one cycle: the outputs, and the next registers without the flits and credits that
/// arrive ([`clock_edge`]).
#[must_use]
pub fn eval(p: &Params, rom: &impl Rom, i: In, mut q: Reg) -> (Out, Reg) {
    let mut out = Out::default();
    let (stripping, wanted) = decode(p, rom, i.now, &mut q, &mut out);
    capture(wanted, i.token_is_here, &mut q, &mut out);
    let with_credit = lanes(&q, |output| output.credits.any()).without(i.stalled);
    let granted = match p.replication {
        Replication::Synchronous => reserve(p, rom, &i, with_credit, &mut q, &mut out),
        Replication::Asynchronous | Replication::Lockstep | Replication::Buffered | Replication::Sequential => {
            allocate(p, rom, with_credit, &mut q)
        }
    };
    let able = if p.allocation_register { with_credit.without(granted) } else { with_credit };
    let select = multiplex(p, rom, able, stripping, &mut q);
    cross(rom, &select, &q, &mut out);
    for (n, &sent) in (0..).zip(&select).filter(|(_, sent)| !sent.is_empty()) {
        forward(p, &i.token_bounds, (n, sent), &mut q, &mut out);
    }
    (out, q)
}

/// The clock edge. Flits arrive, with one pin for each input lane. Credits return, with one pin for
/// each output lane.
#[must_use]
pub fn clock_edge(
    pushed: impl IntoIterator<Item = Option<Symbol>>,
    returned: impl IntoIterator<Item = u16>,
    out: &Out,
    mut q: Reg,
) -> Reg {
    for ((n, input), push) in (0..).zip(&mut q.inputs).zip(pushed) {
        let freed = out.freed.iter().find(|(input, _)| *input == n);
        let pins = fifo::In { push, pop: freed.map_or(0, |(_, flits)| *flits) };
        input.fifo = fifo::eval(pins, take(&mut input.fifo));
    }
    for ((o, output), returned) in (0..).zip(&mut q.outputs).zip(returned) {
        let sent = out.sent.iter().any(|crossing| crossing.lane == o);
        output.credits = credit::eval(credit::In { sent, returned }, output.credits);
    }
    q
}

/// The output lanes for which the condition holds.
fn lanes(q: &Reg, holds: impl Fn(&Output) -> bool) -> LaneMask {
    (0..).zip(&q.outputs).filter(|(_, output)| holds(output)).map(|(o, _)| o).collect()
}

/// Runs the header decoders, which tell the replication units their branches. Returns the inputs
/// that strip flits, and the inputs whose worm is now decided to have several branches.
fn decode(p: &Params, rom: &impl Rom, now: u32, q: &mut Reg, out: &mut Out) -> (InputMask, InputMask) {
    let mut several = InputMask::NONE;
    for (n, input) in (0..).zip(&mut q.inputs) {
        let seen = decoder::In { now, count: input.fifo.count(), head: input.fifo.front() };
        let (decided, next) = decoder::eval(&p.decoder, rom, n, seen, take(&mut input.decoder));
        input.decoder = next;
        input.branches = replication::decide(decided.branches, input.branches);
        if decided.strip > 0 {
            out.freed.push((n, decided.strip));
        }
        if decided.branches.is_some() && input.branches.replicates() {
            several |= InputMask::only(n);
        }
    }
    (out.freed.iter().map(|&(n, _)| n).collect(), several)
}

/// Runs the token station. The worm that captures the token asks for its lanes in this cycle.
fn capture(wanted: InputMask, here: bool, q: &mut Reg, out: &mut Out) {
    let Some(station) = q.station else { return };
    let pins = token_station::Wanting { wanted, here, inputs: q.inputs.len() as u8 };
    let (winner, next) = token_station::capture(pins, station);
    q.station = Some(next);
    out.token.extend(wanted.iter().map(|_| Event::Wanted));
    out.token.extend(winner.map(Event::Captured));
}

/// Runs the allocator and returns the lanes that are granted.
fn allocate(p: &Params, rom: &impl Rom, with_credit: LaneMask, q: &mut Reg) -> LaneMask {
    let waiting = q.station.map_or(InputMask::NONE, |station| station.request);
    let request = |n: u8| {
        let input = &q.inputs[usize::from(n)];
        let groups = if waiting.has(n) { GroupMask::NONE } else { input.branches.asks(p.replication) };
        Request { groups, age: input.decoder.service().map_or(0, |of| of.worm) }
    };
    let asked: Vec<Request> = p.order.iter().map(|&n| request(n)).collect();
    if asked.iter().all(|of| of.groups.is_empty()) {
        return LaneMask::NONE;
    }
    let free = free(rom, q);
    let registers = q.outputs.iter_mut().map(|output| take(&mut output.allocator)).collect();
    let fixed = allocator::Params {
        group_lanes: &p.group_lanes,
        acquisition: p.acquisition,
        arbiter: p.arbiter,
        lane_choice: p.lane_choice,
    };
    let pins = allocator::In { asked: &asked, free, with_credit };
    let (grants, registers) = allocator::eval(fixed, pins, registers);
    for (output, next) in q.outputs.iter_mut().zip(registers) {
        output.allocator = next;
    }
    for &Grant { input: place, group, lane } in &grants {
        let n = p.order[usize::from(place)];
        let (input, output) = (&mut q.inputs[usize::from(n)], &mut q.outputs[usize::from(lane)]);
        input.branches = replication::grant(group, lane, input.branches);
        output.lane = lane::grant(Some(n), output.lane);
    }
    grants.iter().map(|grant| grant.lane).collect()
}

/// Lanes without owner that exist at this switch.
fn free(rom: &impl Rom, q: &Reg) -> LaneMask {
    lanes(q, |output| output.lane.is_free()).iter().filter(|&o| !rom.link(o).is_empty()).collect()
}

/// Runs the reservation, which replaces the allocator for synchronous worms. Returns the lanes that
/// are granted.
fn reserve(p: &Params, rom: &impl Rom, i: &In, with_credit: LaneMask, q: &mut Reg, out: &mut Out) -> LaneMask {
    let worm = |input: &Input| input.decoder.service().map_or(0, |of| of.worm);
    let asked = q.inputs.iter().zip(i.heads).map(|(input, &head)| reservation::Asking {
        groups: input.branches.wanted,
        head,
        order: feedback::order(i.now, head.since, worm(input)),
    });
    let asked: Vec<_> = asked.collect();
    let pins = reservation::In { asked: &asked, free: free(rom, q), with_credit };
    let locks = q.inputs.iter().map(|input| input.lock).collect();
    let (reserved, locks) = reservation::eval(&p.group_lanes, pins, locks);
    for (input, lock) in q.inputs.iter_mut().zip(locks) {
        input.lock = lock;
    }
    out.told.extend(reserved.ready.iter().map(|&n| feedback::HeadEvent::Ready(worm(&q.inputs[usize::from(n)]))));
    for &Grant { input: n, group, lane } in &reserved.grants {
        let (input, output) = (&mut q.inputs[usize::from(n)], &mut q.outputs[usize::from(lane)]);
        input.branches = replication::grant(group, lane, input.branches);
        output.lane = lane::grant(Some(n), output.lane);
    }
    let has_all = |(n, _): &(u8, &Input)| reserved.grants.iter().any(|of| of.input == *n);
    let advanced = (0..).zip(&q.inputs).filter(has_all);
    out.told.extend(advanced.map(|(_, input)| feedback::HeadEvent::Advanced(worm(input), input.branches.lanes)));
    reserved.grants.iter().map(|grant| grant.lane).collect()
}

/// Lets the replication units offer flits to the lanes that are `able` to send. The multiplexers of
/// the links choose among these. Returns the lanes through which each input sends.
fn multiplex(p: &Params, rom: &impl Rom, able: LaneMask, stripping: InputMask, q: &mut Reg) -> Vec<LaneMask> {
    let offer = |n: u8, able: LaneMask, q: &Reg| {
        let input = &q.inputs[usize::from(n)];
        let count = if stripping.has(n) { 0 } else { input.fifo.count() };
        let has_next = |lane: &u8| q.outputs[usize::from(*lane)].lane.has_next(count);
        let next = input.branches.lanes.iter().filter(has_next).collect();
        replication::offer(p.replication, Offering { present: count > 0, able, next }, &input.branches)
    };
    let inputs = 0..q.inputs.len() as u8;
    let offered = inputs.clone().fold(LaneMask::NONE, |all, n| all | offer(n, able, q));
    let mut chosen = LaneMask::NONE;
    for (first, output) in (0..).zip(&mut q.outputs) {
        // Each link has one multiplexer, at its lowest lane.
        let link = rom.link(first);
        let candidates = if link.lowest() == LaneMask::only(first) { (offered & link).0 >> first } else { 0 };
        if candidates != 0 {
            let (winner, next) = multiplexer::eval(multiplexer::In { candidates, lanes: link.count() }, output.mux);
            output.mux = next;
            chosen |= LaneMask::only(first + winner);
        }
    }
    inputs.map(|n| offer(n, chosen, q)).collect()
}

/// Moves flits through the crossbar, from the read ports of the FIFOs to the links.
fn cross(rom: &impl Rom, select: &[LaneMask], q: &Reg, out: &mut Out) {
    for (from, lane) in crossbar::eval(select) {
        let (input, output) = (&q.inputs[usize::from(from)], &q.outputs[usize::from(lane)]);
        let Some(Symbol { flit, .. }) = input.fifo.at(output.lane.ahead) else { continue };
        let is_head = output.lane.pending;
        let header = if is_head { input.decoder.residue(rom, lane) } else { None };
        out.sent.push(Crossing { from, lane, symbol: Symbol { flit: flit.with_head(is_head), header } });
    }
}

/// Advances the worm at input `n`, which sends a flit through the lanes `sent`. Its replication
/// unit may pop the front flit, and lanes and the token are released.
fn forward(p: &Params, bounds: &[u32], (n, sent): (u8, LaneMask), q: &mut Reg, out: &mut Out) {
    let Reg { inputs, outputs, station } = q;
    let input = &mut inputs[usize::from(n)];
    let tails = out.sent.iter().filter(|of| of.from == n && of.symbol.flit.is_tail()).map(|of| of.lane).collect();
    let tail = input.fifo.front().is_some_and(|symbol| symbol.flit.is_tail());
    let held = input.branches.lanes;
    let beyond = held.iter().filter(|&o| outputs[usize::from(o)].lane.is_beyond(sent.has(o))).collect();
    let (unit, next) = replication::eval(p.replication, replication::In { sent, tails, tail, beyond }, input.branches);
    input.branches = next;
    for o in held.iter() {
        let pins = lane::In { sent: sent.has(o), tail: tails.has(o), popped: unit.pop };
        let lane = &mut outputs[usize::from(o)].lane;
        *lane = lane::eval(pins, *lane);
    }
    if !unit.pop {
        return;
    }
    out.freed.push((n, 1));
    if let Some(station) = station.as_mut().filter(|station| station.holder == Some(n)) {
        let bound = bounds[input.decoder.encoding() as usize];
        let (released, next) = token_station::forward(Leaving { tail, bound }, *station);
        *station = next;
        out.token.extend(released.then_some(Event::Released(n)));
    }
    input.decoder = decoder::release(unit.passed, take(&mut input.decoder));
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::decoder::tests::{LINE, Line, PARAMS};
    use crate::flit::Flit;

    fn params(replication: Replication) -> Params {
        Params {
            decoder: decoder::Params { part_flits: [1; Encoding::ALL.len()], ..PARAMS },
            group_lanes: core::array::from_fn(
                |group| if group < 3 { LaneMask::only(group as u8) } else { LaneMask::NONE },
            ),
            replication,
            acquisition: Acquisition::Incremental,
            arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
            order: (0..3).collect(),
            allocation_register: false,
        }
    }

    fn idle(credits: u16) -> Reg {
        let output = Output::reset(&params(Replication::Asynchronous), credits);
        Reg { inputs: vec![Input::reset(9); 3], outputs: vec![output; 3], station: None }
    }

    /// The flits of a worm of one header flit.
    fn worm(id: u32, enc: Encoding, header: &[u64], length: u32) -> Vec<Symbol> {
        let flit = |n| Flit::new(id, n, enc).with_marks(n == 0, n + 1 == length, n == 0);
        (0..length).map(|n| Symbol { flit: flit(n), header: (n == 0).then(|| header.to_vec()) }).collect()
    }

    /// Runs a switch whose inputs get a flit a cycle. Returns for each cycle the lanes that flits
    /// crossed, with worm and index, and the FIFO cells that became free.
    #[allow(clippy::type_complexity)]
    fn run(
        p: &Params,
        q: Reg,
        fed: Vec<Vec<Symbol>>,
        cycles: u32,
        pins: impl FnMut(u32, &mut In),
    ) -> (Vec<Vec<(u8, u32, u32)>>, Reg) {
        run_at(&LINE, p, q, fed, cycles, pins)
    }

    #[allow(clippy::type_complexity)]
    fn run_at(
        rom: &Line,
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
            let token_bounds = Default::default();
            let mut i = In { now, stalled: LaneMask::NONE, token_is_here: false, token_bounds, heads: &[] };
            pins(now, &mut i);
            let (out, next) = eval(p, rom, i, q);
            seen.push(out.sent.iter().map(|of| (of.lane, of.symbol.flit.worm(), of.symbol.flit.index())).collect());
            let pushed = (0..3).map(|n| fed.get_mut(n).and_then(Vec::pop));
            q = clock_edge(pushed, [0; 3], &out, next);
        }
        (seen, q)
    }

    #[test]
    fn a_worm_crosses_a_flit_a_cycle_and_leaves_nothing_behind() {
        let fed = vec![Vec::new(), worm(5, Encoding::Unicast, &[2], 3)];
        let (seen, q) = run(&params(Replication::Asynchronous), idle(9), fed, 5, |_, _| ());
        assert_eq!(seen, [vec![], vec![(0, 5, 0)], vec![(0, 5, 1)], vec![(0, 5, 2)], vec![]]);
        let mut expected = idle(9);
        (expected.outputs[0].credits.count, expected.outputs[0].allocator.arbiter.pointer) = (6, 2);
        assert_eq!((q.outputs, q.station), (expected.outputs, None));
        assert!(q.inputs.iter().all(|input| input.fifo.count() == 0 && input.branches.is_idle()));
        assert!(q.inputs.iter().all(|input| input.decoder == decoder::Reg::Idle));
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
        assert_eq!((seen.concat().len(), q.inputs[0].fifo.count(), q.outputs[0].lane.owner), (2, 2, Some(0)));
        let (seen, _) =
            run(&params(Replication::Asynchronous), idle(9), fed, 9, |now, i| i.stalled = LaneMask(u64::from(now < 6)));
        assert_eq!(seen.iter().position(|sent| !sent.is_empty()), Some(6));
    }

    #[test]
    fn branches_take_flits_as_their_mode_says() {
        // The worm goes to nodes 0 and 2 through lanes 1 and 0. Lane 1 has one credit.
        let crossed = |mode| {
            let mut q = idle(9);
            q.outputs[1].credits.count = 1;
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
        q.station = Some(token_station::Reg::IDLE);
        let fed = vec![worm(0, Encoding::BitString, &[0b110], 3), worm(1, Encoding::Unicast, &[2], 2)];
        let pins = |now: u32, i: &mut In| (i.token_is_here, i.token_bounds) = (now == 4, [1; Encoding::ALL.len()]);
        let (seen, q) = run(&params(Replication::Asynchronous), q, fed, 9, pins);
        let of = |worm| seen.iter().position(|sent| sent.iter().any(|of| of.1 == worm));
        assert_eq!((of(0), of(1)), (Some(4), Some(1)), "a worm of one branch asks for no token");
        let station = q.station.unwrap();
        assert_eq!((station.holder, station.request, station.forwarded), (None, InputMask::NONE, 2));
    }

    #[test]
    fn an_input_that_strips_flits_sends_none_in_that_cycle() {
        let behind = worm(1, Encoding::Multiport, &[0b1], 3);
        let fed = vec![[worm(0, Encoding::Unicast, &[2], 2), behind].concat()];
        let (seen, _) = run(&params(Replication::Asynchronous), idle(9), fed, 11, |now, i| {
            i.stalled = LaneMask(u64::from(now < 6));
        });
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

    /// Worms of three flits to these nodes. They arrive together at inputs 0, 1 and 2.
    fn together(nodes: [u64; 3]) -> Vec<Vec<Symbol>> {
        (0..).zip(nodes).map(|(id, node)| worm(id, Encoding::Unicast, &[node], 3)).collect()
    }

    #[test]
    fn virtual_channels_take_turns_on_the_link_that_they_share() {
        let rom = Line { links: [LaneMask(0b011), LaneMask(0b011), LaneMask::only(2)] };
        let p = params(Replication::Asynchronous);
        let (seen, q) = run_at(&rom, &p, idle(9), together([2, 0, 1]), 8, |_, _| ());
        let lanes = |of: &[(u8, u32, u32)]| of.iter().map(|of| of.0).collect::<Vec<_>>();
        let seen: Vec<_> = seen.iter().map(|sent| lanes(sent)).collect();
        let shared: Vec<_> = seen.iter().flatten().copied().filter(|&lane| lane < 2).collect();
        assert_eq!(shared, [0, 1, 0, 1, 0, 1]);
        assert_eq!(seen[1..5], [vec![0, 2], vec![1, 2], vec![0, 2], vec![1]], "one flit a cycle, beside lane 2");
        assert_eq!((q.outputs[0].mux.pointer, q.outputs[1].mux.pointer), (0, 0), "the multiplexer is that of lane 0");
        // A channel without credit leaves the link to the other channel.
        let mut q = idle(9);
        q.outputs[0].credits.count = 1;
        let (seen, _) = run_at(&rom, &p, q, together([2, 0, 1]), 8, |_, _| ());
        let shared: Vec<_> = seen.iter().flat_map(|sent| lanes(sent)).filter(|&lane| lane < 2).collect();
        assert_eq!(shared, [0, 1, 1, 1]);
    }

    #[test]
    fn parallel_lanes_of_a_group_carry_a_worm_each() {
        let mut p = params(Replication::Asynchronous);
        (p.group_lanes[0], p.group_lanes[1]) = (LaneMask(0b011), LaneMask::NONE);
        let (seen, _) = run(&p, idle(9), together([2, 2, 2]), 8, |_, _| ());
        let both = |n| vec![(0, 0, n), (1, 1, n)];
        assert_eq!(seen[..4], [vec![], both(0), both(1), both(2)]);
        assert_eq!(seen[4..7], [vec![(0, 2, 0)], vec![(0, 2, 1)], vec![(0, 2, 2)]], "the third when one is free");
    }

    #[test]
    fn atomic_acquisition_waits_for_all_lanes_and_incremental_holds_what_it_got() {
        let first = |acquisition| {
            let p = Params { acquisition, ..params(Replication::Asynchronous) };
            // Input 1 goes to node 0 through lane 1; input 2 to nodes 0 and 2, through lanes 1, 0.
            let fed = vec![Vec::new(), worm(1, Encoding::Unicast, &[0], 4), worm(2, Encoding::BitString, &[0b101], 2)];
            let (seen, _) = run(&p, idle(9), fed, 9, |_, _| ());
            [0, 1].map(|lane| seen.iter().position(|sent| sent.iter().any(|of| (of.0, of.1) == (lane, 2))))
        };
        // The tail of input 1's worm crosses in cycle 4.
        assert_eq!(first(Acquisition::Incremental), [Some(1), Some(5)]);
        assert_eq!(first(Acquisition::Atomic), [Some(5), Some(5)]);
    }
}
