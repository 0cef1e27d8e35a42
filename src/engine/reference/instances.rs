//! The instances of a network with the links into them, at reset.

use std::collections::VecDeque;
use std::mem::take;
use std::ops::Range;

use wormscope_hw::header::Symbol;
use wormscope_hw::{Flit, NodeId, PortId, SwitchId, link, node, switch, token_ring, token_station};

use crate::shape::Shape;
use wormscope_network::End;

/// A link into a lane or channel, and the lane or channel at its other end.
#[derive(Clone, Debug)]
pub(crate) struct Wire<T> {
    pub from: (End, u8),
    pub cycles: u32,
    pub q: link::Reg<T>,
}

/// Outputs of a node in a cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeOut {
    pub sent: Vec<Option<Symbol>>,
    pub taken: Vec<Option<Flit>>,
}

/// A node and the links into it.
#[derive(Clone, Debug)]
pub(crate) struct NodeInstance {
    pub q: node::Reg,
    pub flits: Vec<Wire<Symbol>>,
    pub credits: Vec<Wire<u16>>,
    /// Worms that wait for a channel, with the cycles in which their start-ups end.
    pub queue: VecDeque<(u32, u64)>,
    /// Number of worms created here whose tail has not left.
    pub queued: u32,
    /// Cycle from which each processor is free for the next start-up.
    pub processors: Vec<u64>,
    /// By consumption lane, the latest head that arrived: cycle and index.
    pub heads: Vec<(u64, u32)>,
    /// By consumption lane, flits that software has taken out of the receive buffer.
    pub freed: Vec<u32>,
}

/// A switch and the links into it. Lanes that do not exist here have no link.
#[derive(Clone, Debug)]
pub(crate) struct SwitchInstance {
    pub q: switch::Reg,
    pub flits: Vec<Option<Wire<Symbol>>>,
    pub credits: Vec<Option<Wire<u16>>>,
    /// Ring of its station, and place in the ring.
    pub station: Option<(usize, u32)>,
}

/// A token ring.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub q: token_ring::Reg,
    pub stations: Vec<SwitchId>,
    pub to_come: u32,
}

/// Stalls: cycles in which a part does not work.
#[derive(Clone, Debug, Default)]
pub(super) struct Stalls {
    pub outputs: Vec<((u32, u8), Range<u64>)>,
    pub injections: Vec<((u32, u8), Range<u64>)>,
    pub nodes: Vec<(u32, Range<u64>)>,
    pub stations: Vec<(u32, Range<u64>)>,
}

impl Stalls {
    /// Cycles from `now` on for which a stall holds the token at the station of a switch.
    pub fn of_station(&self, switch: SwitchId, now: u64) -> u64 {
        let covering = |cycle| self.stations.iter().find(|(of, cycles)| *of == switch.0 && cycles.contains(&cycle));
        let mut cycle = now;
        while let Some((_, cycles)) = covering(cycle) {
            cycle = cycles.end;
        }
        cycle - now
    }
}

/// Whether a stall of `what` covers a cycle.
pub(super) fn covers<T: PartialEq>(stalls: &[(T, Range<u64>)], what: &T, now: u64) -> bool {
    stalls.iter().any(|(of, cycles)| of == what && cycles.contains(&now))
}

impl<T> Wire<T> {
    pub fn reset(from: (End, u8), cycles: u32) -> Self {
        Self { from, cycles, q: link::Reg::reset() }
    }

    /// The value that arrives at the end of cycle `now`. `sent` gives the output of the other end
    /// in the cycle.
    pub fn step(&mut self, now: u64, sent: impl Fn(End, u8) -> Option<T>) -> Option<T> {
        let pins = link::In { now, send: sent(self.from.0, self.from.1) };
        let (arrive, q) = link::eval(self.cycles, pins, take(&mut self.q));
        self.q = q;
        arrive
    }
}

impl SwitchInstance {
    pub fn reset(shape: &Shape, s: u32, station: Option<(usize, u32)>) -> Self {
        let (p, lanes, delays) = (&shape.switch, &shape.lanes, &shape.delays);
        let flits = |n| match shape.input(s, n)? {
            (far @ End::Switch(_, port), within) => {
                Some(Wire::reset((far, lanes.outputs.first(port.0) + within), delays.flit))
            }
            (far @ End::Node(_), channel) => Some(Wire::reset((far, channel), delays.inject)),
        };
        let credits = |o| match shape.output(s, o)? {
            (far @ End::Switch(_, port), within) => {
                Some(Wire::reset((far, lanes.inputs.first(port.0) + within), delays.credit))
            }
            (far @ End::Node(_), channel) => Some(Wire::reset((far, channel), delays.consume_credit - delays.consume)),
        };
        let depth = |o| match shape.output(s, o) {
            Some((End::Node(_), _)) => shape.node.consumption_depth,
            _ => shape.fifo_depth,
        };
        let fifo = |n| match shape.input(s, n) {
            Some((End::Node(_), _)) => shape.node.injection_depth,
            _ => shape.fifo_depth,
        };
        let (ins, outs) = (lanes.inputs.count(), lanes.outputs.count());
        let q = switch::Reg {
            inputs: (0..ins).map(|n| switch::Input::reset(fifo(n))).collect(),
            outputs: (0..outs).map(|o| switch::Output::reset(p, depth(o))).collect(),
            station: station.map(|_| token_station::Reg::IDLE),
        };
        Self { q, flits: (0..ins).map(flits).collect(), credits: (0..outs).map(credits).collect(), station }
    }
}

impl NodeInstance {
    pub fn reset(shape: &Shape, node: NodeId) -> Self {
        let (p, lanes, delays) = (&shape.node, &shape.lanes, &shape.delays);
        let (to, from) = (shape.wiring.injection(node), shape.wiring.consumption(node));
        let far = |(switch, port): (SwitchId, PortId), lane| (End::Switch(switch, port), lane);
        let credits = |c| Wire::reset(far(to, lanes.inputs.first(to.1.0) + c), delays.inject_credit);
        let flits = |c| Wire::reset(far(from, lanes.outputs.first(from.1.0) + c), delays.consume);
        Self {
            q: node::Reg::reset(p),
            flits: (0..p.consumption_lanes).map(flits).collect(),
            credits: (0..p.injection_lanes).map(credits).collect(),
            queue: VecDeque::new(),
            queued: 0,
            processors: vec![0; shape.startups as usize],
            heads: vec![(0, 0); p.consumption_lanes.into()],
            freed: vec![0; p.consumption_lanes.into()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_of_a_station_takes_one_step_however_long_it_is() {
        let stalls = Stalls { stations: vec![(0, 3..9), (0, 9..u64::MAX), (1, 0..5)], ..Stalls::default() };
        let of = |switch, now| stalls.of_station(SwitchId(switch), now);
        assert_eq!([of(0, 4), of(0, 2), of(1, 2), of(1, 5)], [u64::MAX - 4, 0, 3, 0]);
    }
}
