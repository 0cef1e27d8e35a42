//! Token rings: shift registers that a token moves through, one station or `hop_cycles` wires at a
//! time.

use std::collections::BTreeMap;

use wormscope_hw::token_ring::Event;

use super::{Reference, covers};
use crate::engine::banked::probe::Place;

impl Reference {
    /// Tokens move, unless they are held.
    pub(super) fn turn_rings(&mut self, events: &[(u32, Event)]) {
        let hop = self.shape.token_ring.as_ref().map_or(1, |ring| u64::from(ring.hop_cycles));
        let now = self.now;
        let mut released = BTreeMap::new();
        for (s, event) in events {
            let Some(&(ring, at)) = self.station_of.get(s) else { continue };
            match event {
                Event::Wanted => {}
                Event::Captured => self.rings[ring].token = Place::Held(at),
                Event::Released(_) => drop(released.insert(ring, at)),
            }
        }
        for (number, ring) in self.rings.iter_mut().enumerate() {
            let stations = ring.stations.len() as u32;
            // A ring of one station has no wires: a register's cycle, and the token is here again.
            let hop = if stations == 1 { 1 } else { hop };
            let on_the_way = |to: u32, cycles: u64| if cycles == 0 { Place::At(to) } else { Place::Before(to, cycles) };
            let stall = |at: u32, now| covers(&self.stalls.stations, &ring.stations[at as usize].0, now);
            ring.token = match (released.get(&number), ring.token) {
                (Some(&at), _) => {
                    // It leaves behind a stall.
                    let mut leaves = now;
                    while stall(at, leaves) {
                        leaves += 1;
                    }
                    on_the_way((at + 1) % stations, leaves + hop - now - 1)
                }
                (None, Place::At(at)) if stations > 1 && !stall(at, now) => on_the_way((at + 1) % stations, hop - 1),
                (None, Place::Before(to, cycles)) => on_the_way(to, cycles - 1),
                (None, held) => held,
            };
        }
    }
}
