//! The fast engine that is chosen for a run.

use wormscope_hw::{NodeId, WormId};

use crate::banked::Engine;
use crate::clocked::Clocked;
use crate::event::{NewWorm, Observer};
use crate::planes::Planes;
use crate::registers::Registers;
use crate::snapshot::Snapshot;
use crate::stats::{CycleAccount, LaneStats, Totals};
use crate::under_way::UnderWay;

/// One of the fast engines.
#[derive(Debug)]
pub enum Chosen {
    /// Banks of registers: every network.
    Banked(Box<Engine>),
    /// Bit planes: the networks of [`planes::covers()`](crate::planes::covers()).
    Planes(Box<Planes>),
}

/// Calls the chosen engine.
macro_rules! ask {
    ($chosen:expr, $engine:ident => $answer:expr) => {
        match $chosen {
            Self::Banked($engine) => $answer,
            Self::Planes($engine) => $answer,
        }
    };
}

impl Chosen {
    /// The banked engine, if it was chosen.
    pub fn banked_mut(&mut self) -> Option<&mut Engine> {
        match self {
            Self::Banked(engine) => Some(engine),
            Self::Planes(_) => None,
        }
    }

    /// Whether all resources are free: FIFOs are empty, no lane is owned, all credits are back, and
    /// no worm is under way.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        ask!(self, engine => engine.is_clean())
    }

    /// The worms under way at the end of the cycle evaluated last, in order of creation.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay<'_>> {
        ask!(self, engine => engine.under_way())
    }

    /// The worm for which other worms waited longest, and the worm-cycles of these waits, open
    /// waits included.
    #[must_use]
    pub fn most_blamed(&self) -> Option<(WormId, u64)> {
        ask!(self, engine => engine.most_blamed())
    }
}

impl Clocked for Chosen {
    fn now(&self) -> u64 {
        ask!(self, engine => engine.now())
    }

    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        ask!(self, engine => engine.create(worm, measured, observer));
    }

    fn deliver<O: Observer>(&mut self, observer: &mut O) {
        ask!(self, engine => engine.deliver(observer));
    }

    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        ask!(self, engine => Clocked::free_receive_buffer(&mut **engine, node, channel, flits));
    }

    fn cycle<O: Observer>(&mut self, observer: &mut O) {
        ask!(self, engine => engine.cycle(observer));
    }

    fn stretch(&self) -> u64 {
        ask!(self, engine => Clocked::stretch(&**engine))
    }

    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        ask!(self, engine => Clocked::advance(&mut **engine, to, worms, observer));
    }

    fn skip_to(&mut self, cycle: u64) {
        ask!(self, engine => engine.skip_to(cycle));
    }

    fn next_event(&self) -> Option<u64> {
        ask!(self, engine => engine.next_event())
    }

    fn is_awake(&self) -> bool {
        ask!(self, engine => engine.is_awake())
    }

    fn stands_still(&self) -> bool {
        ask!(self, engine => engine.stands_still())
    }

    fn worms_alive(&self) -> u32 {
        ask!(self, engine => engine.worms_alive())
    }

    fn worms_in_network(&self) -> u32 {
        ask!(self, engine => engine.worms_in_network())
    }

    fn measured_alive(&self) -> u32 {
        ask!(self, engine => engine.measured_alive())
    }

    fn ids_in_network(&self) -> Vec<WormId> {
        ask!(self, engine => Clocked::ids_in_network(&**engine))
    }

    fn registers(&self) -> Registers {
        ask!(self, engine => engine.registers())
    }

    fn account(&self) -> CycleAccount {
        ask!(self, engine => engine.account())
    }

    fn totals(&self) -> Totals {
        ask!(self, engine => engine.totals())
    }

    fn lane_stats(&self) -> impl Iterator<Item = LaneStats> {
        let (banked, planes) = match self {
            Self::Banked(engine) => (Some(engine.lane_stats()), None),
            Self::Planes(engine) => (None, Some(engine.lane_stats())),
        };
        banked.into_iter().flatten().chain(planes.into_iter().flatten())
    }

    fn name(&self) -> &'static str {
        ask!(self, engine => engine.name())
    }

    fn snapshot(&self) -> Option<Snapshot> {
        ask!(self, engine => Clocked::snapshot(&**engine))
    }

    fn oldest_request(&self) -> u64 {
        ask!(self, engine => Clocked::oldest_request(&**engine))
    }
}
