//! Node interface: wiring of injectors and sinks, and of the blocks between them and the links.
//!
//! ```text
//!  worms ─▶┌───────────┐  ┌─────┐            ┌──────┐  ┌──────┐
//!          │ injectors │─▶│ mux │─▶ sent     │ fifo │─▶│ sink │─▶ taken
//!          └─────▲─────┘  └─────┘    push ──▶└──────┘  └──┬───┘
//!          ┌─────┴──┐                                     └─▶ freed (credit)
//!  returned│ credit │
//!     ────▶└────────┘
//! ```
//!
//! A cycle has two steps. First the sinks take flits ([`consume`]). Then the software of the node,
//! which may send in the same cycle, hands worms to the injectors ([`inject`]). A worm gets an idle
//! lane, one with a credit first. Waiting worms are served in the order of their arrival
//! (docs/reference/timing.md, R11.5 to R11.12).

use alloc::vec::Vec;
use core::mem::take;

use crate::header::Symbol;
use crate::injector::Worm;
use crate::{Flit, LaneMask, credit, fifo, injector, lane_group, multiplexer, sink};

/// Registers of an injection lane: a virtual channel of an injection link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The worm that the lane sends.
    pub injector: injector::Reg,
    /// Credits for the FIFO at the other end of the link.
    pub credits: credit::Reg,
    /// Multiplexer of the link, at its lowest lane.
    pub mux: multiplexer::Reg,
}

/// Registers of a consumption lane: a virtual channel of a consumption link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumption {
    /// Flits that have arrived and that the sink has not taken.
    pub fifo: fifo::Reg<Symbol>,
    /// Receive buffer.
    pub sink: sink::Reg,
}

/// Registers of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Injection lanes, link by link.
    pub injections: Vec<Injection>,
    /// Consumption lanes, link by link.
    pub consumptions: Vec<Consumption>,
}

/// Constants of a node.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Injection lanes.
    pub injection_lanes: u8,
    /// Virtual channels of each link.
    pub link_lanes: u8,
    /// Depth of the FIFOs at the other end of the injection links.
    pub injection_depth: u16,
    /// Consumption lanes.
    pub consumption_lanes: u8,
    /// Depth of the FIFOs of the consumption lanes.
    pub consumption_depth: u16,
}

impl Reg {
    /// At reset.
    #[must_use]
    pub fn reset(p: &Params) -> Self {
        let injection = || Injection {
            injector: injector::Reg::reset(),
            credits: credit::Reg::reset(p.injection_depth),
            mux: multiplexer::Reg::default(),
        };
        let consumption = || Consumption { fifo: fifo::Reg::reset(p.consumption_depth), sink: sink::Reg::default() };
        Self {
            injections: (0..p.injection_lanes).map(|_| injection()).collect(),
            consumptions: (0..p.consumption_lanes).map(|_| consumption()).collect(),
        }
    }
}

/// Runs the sinks. Returns the flit that each consumption lane takes in this cycle, and the next
/// registers without arrivals. A `stalled` node takes nothing. The software has taken `freed` flits
/// out of the receive buffer of each lane.
#[must_use]
pub fn consume(stalled: bool, freed: &[u32], mut q: Reg) -> (Vec<Option<Flit>>, Reg) {
    let consume = |(consumption, &freed): (&mut Consumption, &u32)| {
        let front = consumption.fifo.front().map(|symbol| symbol.flit);
        let hdr = front.is_some_and(Flit::is_header);
        let pins = sink::In { valid: front.is_some(), hdr, stalled, freed };
        let (take, next) = sink::eval(pins, consumption.sink);
        consumption.sink = next;
        front.filter(|_| take)
    };
    let taken = q.consumptions.iter_mut().zip(freed).map(consume).collect();
    (taken, q)
}

/// Runs the injectors. Returns how many of the worms that `wait` begin, the flit that each lane
/// sends, and the next registers without arrivals. A stalled lane sends nothing. The `link_lanes`
/// lanes of a link take turns.
#[must_use]
pub fn inject(
    link_lanes: u8,
    wait: impl IntoIterator<Item = Worm>,
    stalled: LaneMask,
    mut q: Reg,
) -> (usize, Vec<Option<Flit>>, Reg) {
    let channels = |holds: &dyn Fn(&Injection) -> bool| -> LaneMask {
        (0..).zip(&q.injections).filter(|(_, channel)| holds(channel)).map(|(c, _)| c).collect()
    };
    let (mut idle, with_credit) =
        (channels(&|channel| channel.injector.is_idle()), channels(&|channel| channel.credits.any()));
    let mut starts: Vec<Option<Worm>> = q.injections.iter().map(|_| None).collect();
    let mut waiting = wait.into_iter();
    let mut begun = 0;
    while !idle.is_empty()
        && let Some(worm) = waiting.next()
    {
        let channel = lane_group::next_lane(idle, with_credit, lane_group::Reg::default());
        idle = idle.without(LaneMask::only(channel));
        starts[usize::from(channel)] = Some(worm);
        begun += 1;
    }
    let busy =
        |(c, channel): (u8, &Injection)| (!channel.injector.is_idle() || starts[usize::from(c)].is_some()).then_some(c);
    let offered: LaneMask = (0..).zip(&q.injections).filter_map(busy).collect();
    let offered = LaneMask(offered.0 & with_credit.without(stalled).0);
    let mut able = LaneMask::NONE;
    for first in (0..q.injections.len() as u8).step_by(link_lanes.into()) {
        let candidates = (offered.0 & LaneMask::range(first, link_lanes).0) >> first;
        if candidates != 0 {
            let mux = &mut q.injections[usize::from(first)].mux;
            let (winner, next) = multiplexer::eval(multiplexer::In { candidates, lanes: link_lanes }, *mux);
            *mux = next;
            able |= LaneMask::only(first + winner);
        }
    }
    let step = |((c, channel), start): ((u8, &mut Injection), Option<Worm>)| {
        let (flit, next) = injector::eval(start, able.has(c), channel.injector);
        channel.injector = next;
        flit
    };
    let sent = (0..).zip(&mut q.injections).zip(starts).map(step).collect();
    (begun, sent, q)
}

/// The clock edge. Flits arrive, with one pin for each consumption lane. Credits return, with
/// one pin for each injection lane. `taken` and `sent` are the flits that left in this cycle.
#[must_use]
pub fn clock_edge<T, S>(
    pushed: impl IntoIterator<Item = Option<Symbol>>,
    returned: impl IntoIterator<Item = u16>,
    (taken, sent): (&[Option<T>], &[Option<S>]),
    mut q: Reg,
) -> Reg {
    for ((channel, push), taken) in q.consumptions.iter_mut().zip(pushed).zip(taken) {
        channel.fifo = fifo::eval(fifo::In { push, pop: taken.is_some().into() }, take(&mut channel.fifo));
    }
    for ((channel, returned), sent) in q.injections.iter_mut().zip(returned).zip(sent) {
        channel.credits = credit::eval(credit::In { sent: sent.is_some(), returned }, channel.credits);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;

    const PARAMS: Params =
        Params { injection_lanes: 2, link_lanes: 1, injection_depth: 2, consumption_lanes: 1, consumption_depth: 3 };

    /// No channel sends or takes anything.
    const NOTHING: [Option<Flit>; 2] = [None; 2];

    fn worm(id: u32) -> Worm {
        Worm { id, enc: Encoding::Unicast, header: 1, length: 3 }
    }

    /// Worm and index of the flits that channels send.
    fn numbers(sent: &[Option<Flit>]) -> Vec<Option<(u32, u32)>> {
        sent.iter().map(|flit| flit.map(|flit| (flit.worm(), flit.index()))).collect()
    }

    #[test]
    fn worms_begin_in_order_on_idle_channels_and_send_as_credits_allow() {
        let (begun, sent, q) = inject(1, [worm(4), worm(5), worm(6)], LaneMask::NONE, Reg::reset(&PARAMS));
        assert_eq!((begun, numbers(&sent)), (2, [Some((4, 0)), Some((5, 0))].to_vec()));
        let mut q = clock_edge([None], [0; 2], (&NOTHING, &sent), q);
        for expected in [[Some((4, 1)), Some((5, 1))], [None, None]] {
            let (begun, sent, next) = inject(1, [worm(6)], LaneMask::NONE, q);
            assert_eq!((begun, numbers(&sent)), (0, expected.to_vec()));
            q = clock_edge([None], [0, sent[0].is_none().into()], (&NOTHING, &sent), next);
        }
        let (_, sent, q) = inject(1, [worm(6)], LaneMask::NONE, q);
        assert_eq!(numbers(&sent), [None, Some((5, 2))], "a credit came back to channel 1");
        let (begun, sent, _) = inject(1, [worm(6)], LaneMask::NONE, q);
        assert_eq!((begun, numbers(&sent)), (1, [None, Some((6, 0))].to_vec()), "in the cycle behind the tail");
    }

    #[test]
    fn lanes_of_a_link_take_turns_and_one_without_credit_holds_up_only_its_own_worm() {
        let (begun, sent, mut q) = inject(2, [worm(4), worm(5), worm(6)], LaneMask::NONE, Reg::reset(&PARAMS));
        assert_eq!((begun, numbers(&sent)), (2, [Some((4, 0)), None].to_vec()));
        q = clock_edge([None], [0; 2], (&NOTHING, &sent), q);
        for expected in [[None, Some((5, 0))], [Some((4, 1)), None], [None, Some((5, 1))], [None, None]] {
            let (begun, sent, next) = inject(2, [worm(6)], LaneMask::NONE, q);
            assert_eq!((begun, numbers(&sent)), (0, expected.to_vec()));
            q = clock_edge([None], [0; 2], (&NOTHING, &sent), next);
        }
        // The second lane gets a credit. The worm of the first lane still waits.
        q = clock_edge([None], [0, 1], (&NOTHING, &NOTHING), q);
        let (_, sent, _) = inject(2, [], LaneMask::NONE, q);
        assert_eq!(numbers(&sent), [None, Some((5, 2))]);
    }

    #[test]
    fn a_stalled_link_carries_nothing_and_a_channel_with_credit_goes_first() {
        let mut q = Reg::reset(&PARAMS);
        q.injections[0].credits.count = 0;
        let (begun, sent, q) = inject(1, [worm(4)], LaneMask::only(1), q);
        assert_eq!((begun, numbers(&sent)), (1, [None, None].to_vec()));
        let (_, sent, _) = inject(1, [], LaneMask::NONE, q);
        assert_eq!(numbers(&sent), [None, Some((4, 0))]);
    }

    #[test]
    fn a_flit_is_taken_behind_the_edge_that_brought_it_unless_the_node_is_stalled() {
        let head = Symbol { flit: Flit::new(9, 0, Encoding::Unicast), header: None };
        let (taken, q) = consume(false, &[0], Reg::reset(&PARAMS));
        assert_eq!(taken, [None]);
        let q = clock_edge([Some(head)], [0; 2], (&taken, &NOTHING), q);
        let (taken, q) = consume(true, &[0], q);
        assert_eq!(taken, [None]);
        let (taken, q) = consume(false, &[0], q);
        assert_eq!(numbers(&taken), [Some((9, 0))]);
        let q = clock_edge([None], [0; 2], (&taken, &NOTHING), q);
        assert_eq!(q.consumptions[0].fifo.count(), 0);
    }
}
