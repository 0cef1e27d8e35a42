//! The switch and the station of its token ring: worms with several branches wait for the token
//! before they ask for their lanes.
//!
//! A worm that waits is parked as a blocked one is: it asks for nothing and is looked at again when
//! the token is here.

use super::{Bank, Params, Pins, Waits};
use crate::stats::CycleAccount;
use wormscope_hw::token_station::{self, Event, Leaving, Wanting};
use wormscope_hw::{InputMask, bits};

impl Bank {
    /// Lets input `i`, whose worm has several branches, wait for the token, if there is a token
    /// ring. A cycle with `stripped` flits counts for the header.
    #[inline(never)]
    pub(super) fn wait_for_token<P: Pins>(&mut self, p: &Params, pins: &mut P, i: usize, stripped: bool) -> bool {
        let Some(station) = pins.station(i) else { return false };
        *station = station.requested(InputMask::only(i as u8 - p.fields.first(i)));
        pins.token(i, Event::Wanted);
        let q = &mut self.ins[i];
        q.waits = Waits { token: q.branches.count_ones() as u8, ..Waits::NONE };
        q.since = q.since.wrapping_add(stripped.into());
        self.q.blocked |= 1 << i;
        true
    }

    /// Captures the tokens that are here and wanted. Then the worms ask for their lanes in this
    /// cycle.
    #[inline(never)]
    pub(super) fn capture<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        pins: &mut P,
        account: &mut CycleAccount,
    ) {
        for lane in bits(p.fields.any(self.q.blocked & lanes)) {
            let wanted = pins.station(lane).is_some_and(|station| !station.request.is_empty());
            let here = wanted && pins.token_is_here(lane);
            let Some(station) = pins.station(lane) else { continue };
            // Requests of this cycle are in the register already.
            let seen = Wanting { wanted: InputMask::NONE, here, inputs: p.in_lanes };
            let (winner, next) = token_station::capture(seen, *station);
            *station = next;
            let Some(winner) = winner else { continue };
            pins.token(lane, Event::Captured(winner));
            let i = (p.fields.first(lane) + winner) as usize;
            let q = &mut self.ins[i];
            account.add(q.waits, now.wrapping_sub(q.since).cast_signed().max(0).cast_unsigned());
            (q.waits, q.since, q.due) = (Waits::NONE, now, now);
            self.q.blocked &= !(1 << i);
            self.q.replicating |= 1 << i;
            self.q.asking |= 1 << i;
            self.q.arbitrate |= 1 << i;
        }
    }

    /// All branches of input `i`'s worm have taken a flit, the `tail` perhaps: if it holds the
    /// token, it may release it.
    #[inline(never)]
    pub(super) fn forwarded<P: Pins>(&mut self, p: &Params, pins: &mut P, i: usize, tail: bool) {
        let bound = pins.token_bound(i, self.ins[i].enc);
        let input = i as u8 - p.fields.first(i);
        let Some(station) = pins.station(i) else { return };
        if station.holder != Some(input) {
            return;
        }
        let (released, next) = token_station::forward(Leaving { tail, bound }, *station);
        *station = next;
        if released {
            pins.token(i, Event::Released(input));
        }
    }
}
