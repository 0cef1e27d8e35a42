//! The switch and the station of its token ring: worms with several branches wait for the token before they ask for their lanes.
//!
//! A worm that waits is parked as a blocked one is: it asks for nothing and is looked at again when the token is here.

use super::{Account, Bank, Params, Pins, Waits};
use crate::token_ring::{self, Event};

impl Bank<'_> {
    /// Parks input `i`, whose worm has several branches, where there is a token to wait for.
    #[inline(never)]
    pub(super) fn wait_for_token<P: Pins>(&mut self, pins: &mut P, i: usize) -> bool {
        let Some(station) = pins.station() else { return false };
        station.request |= 1 << i;
        pins.token(Event::Wanted);
        let q = &mut self.ins[i];
        q.waits = Waits { token: q.branches.count_ones() as u8, ..Waits::NONE };
        self.q.blocked |= 1 << i;
        true
    }

    /// Captures the token if it is here and wanted: the worm asks for its lanes in this cycle.
    #[inline(never)]
    pub(super) fn capture<P: Pins>(&mut self, p: &Params, now: u32, pins: &mut P, account: &mut Account) {
        let wanted = pins.station().is_some_and(|station| station.request != 0);
        let here = wanted && pins.token_is_here();
        let Some(station) = pins.station() else { return };
        let (winner, next) = token_ring::capture(*station, here, p.in_lanes);
        *station = next;
        let Some(i) = winner else { return };
        pins.token(Event::Captured);
        let q = &mut self.ins[i as usize];
        account.add(q.waits, now.wrapping_sub(q.since));
        (q.waits, q.since, q.due) = (Waits::NONE, now, now);
        self.q.blocked &= !(1 << i);
        self.q.replicating |= 1 << i;
        self.q.asking |= 1 << i;
        self.q.arbitrate = true;
    }

    /// All branches of input `i`'s worm have taken a flit, the `tail` perhaps: if it holds the token, it may release it.
    #[inline(never)]
    pub(super) fn forwarded<P: Pins>(&mut self, pins: &mut P, i: usize, tail: bool) {
        let bound = pins.token_bound(self.ins[i].enc);
        let Some(station) = pins.station() else { return };
        if usize::from(station.holder) != i {
            return;
        }
        let (released, next) = token_ring::forward(*station, bound, tail);
        *station = next;
        if released {
            pins.token(Event::Released);
        }
    }
}
