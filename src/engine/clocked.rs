//! The common interface of the fast engines, for the loop of a run and for reports.

use wormscope_hw::{NodeId, WormId};

use crate::banked::Engine;
use crate::event::{NewWorm, Observer};
use crate::planes::Planes;
use crate::registers::Registers;
use crate::snapshot::Snapshot;
use crate::stats::{CycleAccount, LaneStats, Totals};

/// A fast engine. Each function calls the engine's function with the same name.
#[allow(missing_docs)]
pub trait Clocked {
    fn now(&self) -> u64;
    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O);
    fn deliver<O: Observer>(&mut self, observer: &mut O);
    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32);
    fn cycle<O: Observer>(&mut self, observer: &mut O);
    fn skip_to(&mut self, cycle: u64);
    fn next_event(&self) -> Option<u64>;
    fn is_awake(&self) -> bool;
    fn stands_still(&self) -> bool;
    fn worms_alive(&self) -> u32;
    fn worms_in_network(&self) -> u32;
    fn measured_alive(&self) -> u32;
    fn ids_in_network(&self) -> Vec<WormId>;
    fn registers(&self) -> Registers;
    fn account(&self) -> CycleAccount;
    fn totals(&self) -> Totals;
    fn lane_stats(&self) -> impl Iterator<Item = LaneStats>;

    /// Name of the engine in messages.
    fn name(&self) -> &'static str;

    /// The waits of all worms, for a search for deadlocks; `None` if no worm can be in one.
    fn snapshot(&self) -> Option<Snapshot>;

    /// Age in cycles of the oldest request for a lane. It is 0 where no worm can be in a deadlock.
    /// A deadlock has a worm that asks for a lane.
    fn oldest_request(&self) -> u64;

    /// Cycles that [`Clocked::advance`] does best at a time.
    fn stretch(&self) -> u64 {
        1
    }

    /// Evaluates all cycles before cycle `to`. `worms` are the new worms of these cycles in order
    /// of their cycles, and whether they are measured. The observer hears of all events in the same
    /// order as with [`Clocked::create`] and [`Clocked::cycle`].
    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        let mut worms = worms.iter().peekable();
        while self.now() < to {
            while let Some((worm, measured)) = worms.next_if(|(worm, _)| worm.cycle <= self.now()) {
                self.create(worm, *measured, observer);
            }
            self.cycle(observer);
        }
    }

    /// Evaluates cycles until nothing more happens without a new message: the last credits come
    /// home.
    fn settle<O: Observer>(&mut self, observer: &mut O) {
        while let Some(next) = self.next_event() {
            self.skip_to(next);
            self.cycle(observer);
        }
    }
}

/// Functions that both engines have under the same name.
macro_rules! same_in_both {
    ($engine:ty) => {
        fn now(&self) -> u64 {
            <$engine>::now(self)
        }

        fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
            <$engine>::create(self, worm, measured, observer);
        }

        fn deliver<O: Observer>(&mut self, observer: &mut O) {
            <$engine>::deliver(self, observer);
        }

        fn cycle<O: Observer>(&mut self, observer: &mut O) {
            <$engine>::cycle(self, observer);
        }

        fn skip_to(&mut self, cycle: u64) {
            <$engine>::skip_to(self, cycle);
        }

        fn next_event(&self) -> Option<u64> {
            <$engine>::next_event(self)
        }

        fn is_awake(&self) -> bool {
            <$engine>::is_awake(self)
        }

        fn stands_still(&self) -> bool {
            <$engine>::stands_still(self)
        }

        fn worms_alive(&self) -> u32 {
            <$engine>::worms_alive(self)
        }

        fn worms_in_network(&self) -> u32 {
            <$engine>::worms_in_network(self)
        }

        fn measured_alive(&self) -> u32 {
            <$engine>::measured_alive(self)
        }

        fn ids_in_network(&self) -> Vec<WormId> {
            <$engine>::ids_in_network(self).collect()
        }

        fn registers(&self) -> Registers {
            <$engine>::registers(self)
        }

        fn account(&self) -> CycleAccount {
            <$engine>::account(self)
        }

        fn totals(&self) -> Totals {
            <$engine>::totals(self)
        }

        fn lane_stats(&self) -> impl Iterator<Item = LaneStats> {
            <$engine>::lane_stats(self)
        }
    };
}

impl Clocked for Engine {
    same_in_both!(Engine);

    fn name(&self) -> &'static str {
        "banked"
    }

    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        Engine::free_receive_buffer(self, node, channel, flits);
    }

    fn snapshot(&self) -> Option<Snapshot> {
        Some(Engine::snapshot(self))
    }

    fn oldest_request(&self) -> u64 {
        Engine::oldest_request(self)
    }
}

impl Clocked for Planes {
    same_in_both!(Planes);

    fn name(&self) -> &'static str {
        "planes"
    }

    /// Planes have no receive buffers of a given size.
    fn free_receive_buffer(&mut self, _: NodeId, _: u8, _: u32) {}

    fn stretch(&self) -> u64 {
        Planes::stretch(self)
    }

    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        Planes::advance(self, to, worms, observer);
    }

    fn snapshot(&self) -> Option<Snapshot> {
        Planes::snapshot(self)
    }

    fn oldest_request(&self) -> u64 {
        Planes::oldest_request(self)
    }
}
