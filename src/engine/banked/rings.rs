//! Token rings: the place of each token. While a token circulates, the engine computes its place
//! and does not step it. A station that wants the token wakes in the cycle in which the token
//! arrives.
//!
//! In cycle t a free token is at one station or on the wire behind it. An act of a station on the
//! token in cycle t shows at the other stations in a later cycle. The next station that wants the
//! token is found when all are evaluated. So their order does not matter.

use std::ops::Range;

use nonmax::NonMaxU32;
use wormscope_hw::token_ring::Reg as Place;
use wormscope_hw::token_station::{self, Event};
use wormscope_hw::{InputMask, SwitchId};

use super::shape::BankedShape;
use crate::event::TokenSample;

/// A ring's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// The token is or will be at station `at` in cycle `since`, and moves on from there.
    Free { at: u32, since: u64 },
    /// A worm at station `at` holds the token since cycle `since`.
    Held { at: u32, since: u64 },
}

#[derive(Clone, Debug)]
struct Ring {
    /// First station of the ring. The other stations follow in order.
    first: u32,
    stations: u32,
    token: Token,
    /// Stations, counted from the first, and cycles in which a token at the station is not captured
    /// and does not move on.
    stalls: Vec<(u32, Range<u64>)>,
}

/// A free token is at station `at` from cycle `since` on and moves on in cycle `leaves`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    at: u32,
    since: u64,
    leaves: u64,
}

#[derive(Clone, Debug)]
struct Station {
    ring: u32,
    switch: u32,
    /// Number of switches that a worm still visits after this switch.
    to_come: u32,
    q: token_station::Reg,
    /// Sample for a waveform.
    shown: TokenSample,
}

/// All token rings of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Rings {
    hop_cycles: u64,
    loops: Vec<Ring>,
    stations: Vec<Station>,
    /// Station of each switch; empty without rings.
    of_switch: Vec<Option<NonMaxU32>>,
    /// Rings that changed in this cycle.
    touched: Vec<u32>,
    /// Stations, and inputs of their switches, that let go of a token in this cycle.
    released: Vec<(u32, u8)>,
    /// Rings that are drawn; filled only for an observer.
    pub(super) drawn: Vec<u32>,
}

/// A station of a ring that is not drawn.
fn idle(switch: u32) -> TokenSample {
    TokenSample { switch: SwitchId(switch), here: false, holder: None, request: InputMask::NONE }
}

impl Ring {
    /// Place in cycle `now` of a token that leaves station `at` in cycle `leaves`, if no station
    /// holds it. `now` is not earlier than `leaves`.
    fn circle(&self, hop_cycles: u64, at: u32, leaves: u64, now: u64) -> Place {
        if self.stations == 1 {
            return Place::At(at);
        }
        let (hops, left) = ((now - leaves).div_ceil(hop_cycles), (now - leaves) % hop_cycles);
        let at = ((u64::from(at) + hops) % u64::from(self.stations)) as u32;
        if left == 0 { Place::At(at) } else { Place::Before(at, hop_cycles - left) }
    }

    /// The first cycle from `now` on in which a token that leaves station `at` in cycle `leaves` is
    /// at `station`.
    fn visit(&self, hop_cycles: u64, at: u32, leaves: u64, now: u64, station: u32) -> u64 {
        let now = now.max(leaves);
        let (at, in_cycles) = match self.circle(hop_cycles, at, leaves, now) {
            Place::At(at) | Place::Held(at) => (at, 0),
            Place::Before(at, cycles) => (at, cycles),
        };
        let hops = (station + self.stations - at) % self.stations;
        now + in_cycles + u64::from(hops) * hop_cycles
    }

    /// The first cycle from `now` on in which `station` is not stalled.
    fn awake(&self, station: u32, now: u64) -> u64 {
        let covering = |now: u64| self.stalls.iter().find(|(s, stall)| *s == station && stall.contains(&now));
        let mut cycle = now;
        while let Some((_, stall)) = covering(cycle) {
            cycle = stall.end;
        }
        cycle
    }

    /// Stops of a free token: the first station, then every station at which a stall holds the
    /// token.
    fn stops(&self, hop_cycles: u64, at: u32, since: u64) -> impl Iterator<Item = Stop> {
        let stop = move |at, since| Stop { at, since, leaves: self.awake(at, since) };
        std::iter::successors(Some(stop(at, since)), move |&Stop { at, leaves, .. }| {
            let met = self.stalls.iter().filter_map(|(station, stall)| {
                let since = self.visit(hop_cycles, at, leaves, stall.start, *station);
                stall.contains(&since).then_some((since, *station))
            });
            met.min().map(|(since, station)| stop(station, since))
        })
    }

    /// Place of the token in cycle `now`.
    fn place(&self, hop_cycles: u64, now: u64) -> Place {
        let (at, since) = match self.token {
            Token::Held { at, .. } => return Place::Held(at),
            Token::Free { at, since } if now < since => return Place::Before(at, since - now),
            Token::Free { at, since } => (at, since),
        };
        let mut stops = self.stops(hop_cycles, at, since).take_while(|stop| stop.since <= now);
        let first = Stop { at, since, leaves: since };
        let last = if self.stalls.is_empty() { first } else { stops.by_ref().last().unwrap_or(first) };
        if now < last.leaves { Place::At(last.at) } else { self.circle(hop_cycles, last.at, last.leaves, now) }
    }

    /// The first cycle from `now` on in which a free token is at `station` and the station is not
    /// stalled.
    fn arrival(&self, hop_cycles: u64, now: u64, station: u32) -> Option<u64> {
        let Token::Free { at, since } = self.token else { return None };
        let mut stops = self.stops(hop_cycles, at, since).peekable();
        loop {
            let Stop { at, leaves, .. } = stops.next()?;
            let visit = self.visit(hop_cycles, at, leaves, now, station);
            if stops.peek().is_none_or(|next| visit < next.since) {
                return Some(visit);
            }
        }
    }
}

impl Rings {
    /// The rings of a network, every token at its lowest row.
    pub fn new(shape: &BankedShape) -> Self {
        let Some(token_ring) = &shape.token_ring else { return Self::default() };
        let mut rings = Self {
            hop_cycles: token_ring.hop_cycles.into(),
            of_switch: vec![None; shape.switches as usize],
            ..Self::default()
        };
        for (ring, group) in (0..).zip(&token_ring.groups) {
            let (first, stations) = (rings.stations.len() as u32, group.switches.len() as u32);
            rings.loops.push(Ring { first, stations, token: Token::Free { at: 0, since: 0 }, stalls: Vec::new() });
            for switch in &group.switches {
                rings.of_switch[switch.index()] = NonMaxU32::new(rings.stations.len() as u32);
                let (q, shown) = (token_station::Reg::IDLE, idle(switch.0));
                rings.stations.push(Station { ring, switch: switch.0, to_come: group.to_come, q, shown });
            }
        }
        rings
    }

    fn number(&self, switch: u32) -> Option<usize> {
        self.of_switch.get(switch as usize).copied().flatten().map(|station| station.get() as usize)
    }

    /// Registers of a switch's station.
    pub fn station(&self, switch: u32) -> Option<&token_station::Reg> {
        self.number(switch).map(|station| &self.stations[station].q)
    }

    /// The same, to be changed.
    pub(crate) fn station_mut(&mut self, switch: u32) -> Option<&mut token_station::Reg> {
        self.number(switch).map(|station| &mut self.stations[station].q)
    }

    /// Number of switches after a switch with a station.
    pub fn to_come(&self, switch: u32) -> u32 {
        self.number(switch).map_or(0, |station| self.stations[station].to_come)
    }

    /// Ring and place in it of a switch's station.
    pub(crate) fn place_of(&self, switch: u32) -> Option<(usize, u32)> {
        let station = self.number(switch)?;
        let ring = self.stations[station].ring as usize;
        Some((ring, station as u32 - self.loops[ring].first))
    }

    /// Whether the free token is at a switch's station in cycle `now`, to be captured.
    pub(crate) fn is_here(&self, switch: u32, now: u64) -> bool {
        let Some((ring, at)) = self.place_of(switch) else { return false };
        let ring = &self.loops[ring];
        ring.place(self.hop_cycles, now) == Place::At(at) && ring.awake(at, now) == now
    }

    /// Stalls the station of a switch in these cycles, if the switch has a station. Call this
    /// before the first cycle of a run.
    pub fn stall(&mut self, switch: u32, stall: Range<u64>) {
        if let Some((ring, at)) = self.place_of(switch) {
            self.loops[ring].stalls.push((at, stall));
        }
    }

    /// The station of a switch captures or releases the token in cycle `now`.
    pub(crate) fn event(&mut self, switch: u32, event: Event, now: u64) {
        let Some((number, at)) = self.place_of(switch) else { return };
        let ring = &mut self.loops[number];
        match event {
            Event::Wanted => {}
            Event::Captured(_) => ring.token = Token::Held { at, since: now },
            Event::Released(input) => {
                self.released.push((ring.first + at, input));
                // A ring of one switch has no wires. The token is here again after one cycle of the
                // register.
                let hop = if ring.stations == 1 { 1 } else { self.hop_cycles };
                ring.token = Token::Free { at: (at + 1) % ring.stations, since: ring.awake(at, now) + hop };
            }
        }
        self.touched.push(number as u32);
    }

    /// Ends cycle `now`. For every changed ring, calls `wake` with the next station that captures
    /// the token, and with the cycle.
    pub(crate) fn clock_edge(&mut self, now: u64, mut wake: impl FnMut(u64, u32)) {
        self.released.clear();
        for number in self.touched.drain(..) {
            let ring = &self.loops[number as usize];
            let stations = &self.stations[ring.first as usize..][..ring.stations as usize];
            let waiting = (0..).zip(stations).filter(|(_, station)| !station.q.request.is_empty());
            let arrivals = waiting.filter_map(|(at, s)| Some((ring.arrival(self.hop_cycles, now + 1, at)?, s.switch)));
            if let Some((cycle, switch)) = arrivals.min() {
                wake(cycle, switch);
            }
        }
    }

    /// Samples the rings whose token an input wants or holds in cycle `now`. Adds the stations that
    /// have changed to `samples`. Call this before [`Self::clock_edge`].
    pub fn draw(&mut self, now: u64, samples: &mut Vec<TokenSample>) {
        for &ring in &self.touched {
            if !self.drawn.contains(&ring) {
                self.drawn.push(ring);
            }
        }
        let Self { drawn, loops: rings, stations, released, .. } = self;
        drawn.retain(|&number| {
            let ring = &rings[number as usize];
            let numbers = ring.first..ring.first + ring.stations;
            let released = released.iter().find(|(station, _)| numbers.contains(station));
            let place = match released {
                Some((station, _)) => Place::Held(station - ring.first),
                None => ring.place(self.hop_cycles, now),
            };
            let stations = &mut stations[ring.first as usize..][..ring.stations as usize];
            let active = matches!(place, Place::Held(_)) || stations.iter().any(|s| !s.q.request.is_empty());
            for (at, station) in (0..).zip(stations) {
                let mut sample = idle(station.switch);
                if active {
                    sample.here = place == Place::At(at) || place == Place::Held(at);
                    sample.holder = match released {
                        Some((_, input)) if place == Place::Held(at) => Some(*input),
                        _ => station.q.holder,
                    };
                    sample.request = station.q.request;
                }
                if sample != station.shown {
                    station.shown = sample;
                    samples.push(sample);
                }
            }
            active
        });
    }

    /// Whether a token that is drawn moves.
    pub(crate) fn is_drawn_moving(&self) -> bool {
        self.drawn.iter().any(|&ring| matches!(self.loops[ring as usize].token, Token::Free { .. }))
    }

    /// Whether no worm holds or wants a token.
    pub(crate) fn is_idle(&self) -> bool {
        self.stations.iter().all(|s| s.q.request.is_empty() && s.q.holder.is_none())
            && self.loops.iter().all(|ring| matches!(ring.token, Token::Free { .. }))
    }

    /// Cycle since which a worm holds the token of a ring.
    pub fn held_since(&self, ring: usize) -> Option<u64> {
        if let Token::Held { since, .. } = self.loops[ring].token { Some(since) } else { None }
    }

    /// Place of every token in cycle `now`, and the registers of the stations, ring by ring.
    pub fn places(&self, now: u64) -> impl Iterator<Item = (Place, impl Iterator<Item = (u32, &token_station::Reg)>)> {
        self.loops.iter().map(move |ring| {
            let stations = &self.stations[ring.first as usize..][..ring.stations as usize];
            (ring.place(self.hop_cycles, now), stations.iter().map(|s| (s.switch, &s.q)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shift register, ticked: `hop_cycles` cells for every station, the token in one of them; a
    /// stalled station holds its cell.
    #[test]
    fn the_computed_place_is_that_of_a_token_that_is_shifted_every_cycle() {
        let stalls = [
            vec![],
            vec![(0, 0..3)],
            vec![(1, 4..9), (0, 6..20)],
            vec![(0, 7..9), (0, 8..12), (1, 12..15), (0, 15..16)],
            vec![(1, 0..40)],
        ];
        for (stations, hop_cycles, since, stalls) in (1..6).flat_map(|n| {
            let of = |h| stalls.iter().flat_map(move |stalls| (0..5).map(move |since| (n, h, since, stalls.clone())));
            (1..4).flat_map(of).collect::<Vec<_>>()
        }) {
            let stalls: Vec<(u32, Range<u64>)> = stalls.into_iter().filter(|(at, _)| *at < stations).collect();
            let start = 1 % stations;
            let token = Token::Free { at: start, since };
            let ring = Ring { first: 0, stations, token, stalls: stalls.clone() };
            let cells = u64::from(stations) * hop_cycles;
            let mut cell = u64::from(start) * hop_cycles;
            let mut visits = vec![Vec::new(); stations as usize];
            for now in since..100 + 3 * cells {
                let station = (cell.div_ceil(hop_cycles) % u64::from(stations)) as u32;
                let at_station = cell.is_multiple_of(hop_cycles) || stations == 1;
                let stalled = at_station && stalls.iter().any(|(at, stall)| *at == station && stall.contains(&now));
                let expected = match cell % hop_cycles {
                    left if left != 0 && stations > 1 => Place::Before(station, hop_cycles - left),
                    _ => Place::At(station),
                };
                assert_eq!(ring.place(hop_cycles, now), expected, "{ring:?} {now}");
                if at_station && !stalled {
                    visits[station as usize].push(now);
                }
                if !stalled && stations > 1 {
                    cell = (cell + 1) % cells;
                }
            }
            for (station, visits) in (0..).zip(&visits) {
                for now in 0..since + 60 + cells {
                    let next = visits.iter().copied().find(|&visit| visit >= now);
                    assert_eq!(ring.arrival(hop_cycles, now, station), next, "{ring:?} {now}");
                }
            }
        }
    }
}
