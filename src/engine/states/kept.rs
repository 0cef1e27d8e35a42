//! The known states of the parts as bytes, for a search that goes on later.

use wormscope_hw::token_ring;

use super::States;
use super::codec::{StateReader, Writer};
use super::part::Facts;

impl States {
    /// All states of the parts that are known, as bytes. They give numbers a meaning elsewhere.
    #[must_use]
    pub fn kept(&self) -> Vec<u8> {
        let mut to = Writer::default();
        for part in &self.parts {
            to.number(part.locals.len() as u64);
            for (number, facts) in (0..).zip(&part.facts) {
                let bytes = part.locals.of(number);
                to.number(u64::from(facts.idle) | u64::from(facts.waits) << 1);
                to.number(bytes.len() as u64);
                to.0.extend_from_slice(bytes);
            }
        }
        for ring in &self.rings {
            to.number(ring.places.len() as u64);
            for place in &ring.places {
                let (kind, station, cycles) = match *place {
                    token_ring::Reg::At(station) => (0, station, 0),
                    token_ring::Reg::Before(station, cycles) => (1, station, cycles),
                    token_ring::Reg::Held(station) => (2, station, 0),
                };
                for number in [kind, u64::from(station), cycles] {
                    to.number(number);
                }
            }
        }
        to.0
    }

    /// Takes over states of the same network that were kept. Returns whether the bytes are whole.
    pub fn restore(&mut self, kept: &[u8]) -> bool {
        let mut from = StateReader(kept);
        for part in &mut self.parts {
            for _ in 0..from.number() {
                let facts = from.number();
                let length = from.number() as usize;
                let Some((bytes, rest)) = from.0.split_at_checked(length) else { return false };
                part.local(bytes, Facts { idle: facts & 1 != 0, waits: facts & 2 != 0 });
                from.0 = rest;
            }
        }
        for ring in &mut self.rings {
            ring.places.clear();
            for _ in 0..from.number() {
                let [kind, station, cycles] = std::array::from_fn(|_| from.number());
                let station = station as u32;
                ring.places.push(match kind {
                    0 => token_ring::Reg::At(station),
                    1 => token_ring::Reg::Before(station, cycles),
                    _ => token_ring::Reg::Held(station),
                });
            }
        }
        from.0.is_empty()
    }
}
