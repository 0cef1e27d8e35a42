//! Token ring: the wires that lead the one token of a group of switches from station to station
//! (\[ATBM\] section 4.1).
//!
//! ```text
//!              ┌───────┐
//!  captured ──▶│ place │──▶ here (station)
//!  released ──▶│       │
//!      held ──▶│       │
//!              └───────┘
//! ```
//!
//! A token that is released, or that no worm wants, moves on. If a station passes it on in cycle t,
//! the next station has it in t + `hop_cycles`. A ring of one station has no wires. Its token is
//! here in every cycle, except from the cycle after a capture to the cycle of the release
//! (docs/reference/timing.md, R6.5, R6.6, R6.14, R6.15).

/// Registers: the place of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reg {
    /// Free, at a station.
    At(u32),
    /// The token travels to a station, and reaches it in this number of cycles.
    Before(u32, u64),
    /// Held by a worm at a station.
    Held(u32),
}

/// Constants of a ring.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Number of stations, in the order in which the token visits them.
    pub stations: u32,
    /// Cycles from one station to the next.
    pub hop_cycles: u32,
}

/// Pins. The station is the one at which the token is.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// The station captures the token.
    pub captured: bool,
    /// The worm at the station releases the token, perhaps in the cycle of the capture.
    pub released: bool,
    /// Cycles, from this one on, for which a stall keeps the token at the station.
    pub held_back: u64,
}

impl Reg {
    /// At reset.
    pub const RESET: Self = Self::At(0);

    /// Output: whether the token is free at this station.
    #[must_use]
    pub fn is_at(self, station: u32) -> bool {
        self == Self::At(station)
    }

    /// Output: the station that has the token, or that it reaches next.
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
    // A ring of one station has a register too, so the token is back one cycle later.
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
