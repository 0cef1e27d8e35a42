//! Observers of a run, and several observers as one.

use std::iter::once;

use wormscope_hw::NodeId;

use super::{CommitLog, Delivery, Samples, WormInfo};
use crate::registers::Registers;
use crate::snapshot::LaneRef;

/// An observer of a run. It changes no bit of the run.
pub trait Observer {
    /// Whether the engine keeps a commit log for this observer. If not, it never calls
    /// [`Observer::commit`].
    const COMMITS: bool = false;
    /// Whether the engine reports departures to this observer. If not, it never calls
    /// [`Observer::departed`].
    const DEPARTURES: bool = false;
    /// Whether planes report worms that cross output lanes to this observer. If not, they never
    /// call [`Observer::crossed`].
    const CROSSINGS: bool = false;

    /// Receives all changes of one cycle. Cycles without change are not reported.
    fn commit(&mut self, _log: &CommitLog) {}

    /// Whether the observer wants more commits. Without commits, a run is faster. An observer that
    /// has returned false once returns false for ever.
    fn wants_commits(&self) -> bool {
        Self::COMMITS
    }

    /// Samples of the lanes of switches that the observer reads. An engine may tell it more. The
    /// kind is the same from the first to the last cycle.
    fn samples(&self) -> Samples {
        if Self::COMMITS { Samples::Lanes } else { Samples::Nothing }
    }

    /// Receives a worm in its cycle of creation, before it queues.
    fn created(&mut self, _worm: &WormInfo) {}

    /// Receives the complete arrival of a worm at one of its destinations, in the cycle in which
    /// its tail arrives.
    fn delivered(&mut self, _worm: &WormInfo, _delivery: &Delivery) {}

    /// Receives a worm in `cycle`, in which its last flit leaves its source.
    fn departed(&mut self, _worm: &WormInfo, _cycle: u64) {}

    /// Receives a worm that has crossed an output lane with its first `flits` flits. These are all
    /// of its flits, unless the run ends before its tail crosses. The worms of a lane come in
    /// order. Only planes report them; the banked engine has commits.
    fn crossed(&mut self, _worm: &WormInfo, _lane: LaneRef, _flits: u32) {}

    /// Receives the cycle in which a node queues the worm that was created last. The software of a
    /// node may queue it later than its message.
    fn handed(&mut self, _cycle: u64) {}

    /// Receives payload flits that the software takes out of the receive buffer of a consumption
    /// channel in `cycle`. The channel has space for them in the cycle after it.
    fn freed(&mut self, _cycle: u64, _node: NodeId, _channel: u8, _flits: u32) {}

    /// Whether the observer wants [`Observer::registers`], which takes time.
    fn wants_registers(&self) -> bool {
        false
    }

    /// Receives all registers at the start of a cycle, after the commit of the cycle before. Cycles
    /// without an evaluation are not reported.
    fn registers(&mut self, _registers: &Registers) {}

    /// Whether the run should stop early, for example because the observer can no longer write.
    fn stop(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// Keeps every delivery, in the order of the reports.
impl Observer for Vec<Delivery> {
    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.push(*delivery);
    }
}

/// All reports go to each observer, one after the other. What any of them wants, all want.
macro_rules! reports_to {
    ($self:ident: $($of:ty => $each:expr, $each_mut:expr;)+) => {
        const COMMITS: bool = false $(|| <$of>::COMMITS)+;
        const DEPARTURES: bool = false $(|| <$of>::DEPARTURES)+;
        const CROSSINGS: bool = false $(|| <$of>::CROSSINGS)+;

        fn commit(&mut $self, log: &CommitLog) {
            $(for observer in $each_mut { observer.commit(log); })+
        }

        fn created(&mut $self, worm: &WormInfo) {
            $(for observer in $each_mut { observer.created(worm); })+
        }

        fn delivered(&mut $self, worm: &WormInfo, delivery: &Delivery) {
            $(for observer in $each_mut { observer.delivered(worm, delivery); })+
        }

        fn departed(&mut $self, worm: &WormInfo, cycle: u64) {
            $(for observer in $each_mut { observer.departed(worm, cycle); })+
        }

        fn crossed(&mut $self, worm: &WormInfo, lane: LaneRef, flits: u32) {
            $(for observer in $each_mut { observer.crossed(worm, lane, flits); })+
        }

        fn handed(&mut $self, cycle: u64) {
            $(for observer in $each_mut { observer.handed(cycle); })+
        }

        fn freed(&mut $self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
            $(for observer in $each_mut { observer.freed(cycle, node, channel, flits); })+
        }

        fn registers(&mut $self, registers: &Registers) {
            $(for observer in $each_mut { observer.registers(registers); })+
        }

        fn wants_commits(&$self) -> bool {
            false $(|| $each.any(|observer| observer.wants_commits()))+
        }

        fn samples(&$self) -> Samples {
            Samples::Nothing $(.and($each.fold(Samples::Nothing, |all, observer| all.and(observer.samples()))))+
        }

        fn wants_registers(&$self) -> bool {
            false $(|| $each.any(|observer| observer.wants_registers()))+
        }

        fn stop(&$self) -> bool {
            false $(|| $each.any(|observer| observer.stop()))+
        }
    };
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    reports_to!(self: A => once(&self.0), once(&mut self.0); B => once(&self.1), once(&mut self.1););
}

impl<T: Observer> Observer for &mut T {
    reports_to!(self: T => once(&**self), once(&mut **self););
}

impl<T: Observer> Observer for Option<T> {
    reports_to!(self: T => self.iter(), self.iter_mut(););
}

/// Several observers of one kind.
#[derive(Clone, Debug, Default)]
pub struct Observers<T>(pub Vec<T>);

impl<T: Observer> Observer for Observers<T> {
    reports_to!(self: T => self.0.iter(), self.0.iter_mut(););
}
