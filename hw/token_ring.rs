//! Token ring: the wires from station to station of a group of switches, along which its one token
//! goes round (\[ATBM\] section 4.1).
//!
//! ```text
//!              ┌───────┐
//!  captured ──▶│ place │──▶ here (station)
//!  released ──▶│       │
//!      held ──▶│       │
//!              └───────┘
//! ```
//!
//! A token that is released, or not wanted, moves on: what a station does to it in cycle t is seen
//! by the next one in t + `hop_cycles`. A ring of one station has no wires: its token is here in
//! every cycle but those from the capture to the release (docs/reference/timing.md, R6.5, R6.6,
//! R6.14, R6.15).

/// Registers: where the token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reg {
    /// At a station, free.
    At(u32),
    /// On its way to a station, where it will be in so many cycles.
    Before(u32, u64),
    /// Held by a worm at a station.
    Held(u32),
}

/// What is fixed when the ring is built.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Stations, in the order in which the token visits them.
    pub stations: u32,
    /// Cycles from one to the next.
    pub hop_cycles: u32,
}

/// Pins; the station is the one at which the token is.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// The station captures it.
    pub captured: bool,
    /// The station's worm lets go of it; perhaps of what it has captured in this cycle.
    pub released: bool,
    /// Cycles, from this one on, for which the token does not leave the station: a stall.
    pub held_back: u64,
}

impl Reg {
    /// At reset.
    pub const RESET: Self = Self::At(0);

    /// Output: the token is at a station, free.
    #[must_use]
    pub fn is_at(self, station: u32) -> bool {
        self == Self::At(station)
    }

    /// Output: the station at which it is or to which it comes next.
    #[must_use]
    pub const fn station(self) -> u32 {
        match self {
            Self::At(station) | Self::Before(station, _) | Self::Held(station) => station,
        }
    }
}

/// The next registers.
#[must_use]
pub const fn eval(p: Params, i: In, q: Reg) -> Reg {
    let at = q.station();
    let next = (at + 1) % p.stations;
    // A ring of one station: a register's cycle, and the token is here again.
    let hop = if p.stations == 1 { 1 } else { p.hop_cycles as u64 };
    match q {
        Reg::Before(_, cycles) => on_the_way(at, cycles - 1),
        _ if i.released => on_the_way(next, i.held_back + hop - 1),
        _ if i.captured => Reg::Held(at),
        Reg::At(_) if p.stations > 1 && i.held_back == 0 => on_the_way(next, hop - 1),
        Reg::At(_) | Reg::Held(_) => q,
    }
}

const fn on_the_way(to: u32, cycles: u64) -> Reg {
    if cycles == 0 { Reg::At(to) } else { Reg::Before(to, cycles) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: In = In { captured: false, released: false, held_back: 0 };

    #[test]
    fn a_token_that_nobody_wants_is_at_station_t_over_h_mod_n() {
        for (stations, hop_cycles) in (1..5).flat_map(|n| (1..4).map(move |h| (n, h))) {
            let mut q = Reg::RESET;
            for t in 0..40 {
                let (station, left) = (t / hop_cycles % stations, t % hop_cycles);
                assert_eq!(q.is_at(station), left == 0 || stations == 1, "{q:?} in {t}");
                q = eval(Params { stations, hop_cycles }, NOTHING, q);
            }
        }
    }

    #[test]
    fn a_captured_token_stays_until_its_release_and_is_next_door_a_hop_later() {
        let p = Params { stations: 3, hop_cycles: 2 };
        let q = eval(p, In { captured: true, ..NOTHING }, Reg::At(1));
        assert_eq!((q, eval(p, NOTHING, q)), (Reg::Held(1), Reg::Held(1)));
        let q = eval(p, In { released: true, ..NOTHING }, q);
        assert_eq!((q, eval(p, NOTHING, q)), (Reg::Before(2, 1), Reg::At(2)));
        let both = In { captured: true, released: true, held_back: 0 };
        assert_eq!(eval(p, both, Reg::At(1)), Reg::Before(2, 1));
    }

    #[test]
    fn a_ring_of_one_station_has_its_token_back_in_the_next_cycle() {
        let p = Params { stations: 1, hop_cycles: 7 };
        assert_eq!(eval(p, In { released: true, ..NOTHING }, Reg::Held(0)), Reg::At(0));
    }

    #[test]
    fn a_token_that_is_held_back_leaves_behind_that() {
        let p = Params { stations: 3, hop_cycles: 2 };
        assert_eq!(eval(p, In { held_back: 4, ..NOTHING }, Reg::At(1)), Reg::At(1));
        assert_eq!(eval(p, In { released: true, held_back: 4, ..NOTHING }, Reg::Held(1)), Reg::Before(2, 5));
    }
}
