//! The plain engine together with the fast engine. Both get the same worms. All their registers are
//! compared in every cycle, and so are their events for observers.

use std::ops::Deref;

use wormscope_hw::NodeId;

use super::run::Driven;
use crate::engine::difference::{Told, of_registers};
use crate::engine::reference::Reference;
use crate::engine::registers::Registers;
use crate::engine::snapshot::LaneRef;
use crate::engine::{Chosen, Clocked, CommitLog, Delivery, NewWorm, Observer, WormInfo};

/// A run on both engines at the same time.
pub(super) struct Paired<'a> {
    /// The engine that gives the results and that observers watch.
    pub fast: &'a mut Chosen,
    /// The engine with which the fast engine is compared.
    pub plain: &'a mut Reference,
    /// Cycle in which nodes last took flits.
    delivered: Option<u64>,
    /// Samples of the fast engine so far.
    told: Told,
    /// First difference.
    difference: &'a mut Option<String>,
}

/// Records arrivals and samples on their way to the observer.
struct Heard<'a, O> {
    arrivals: Vec<(WormInfo, Delivery)>,
    told: &'a mut Told,
    observer: &'a mut O,
}

impl<O: Observer> Observer for Heard<'_, O> {
    const COMMITS: bool = O::COMMITS;
    const DEPARTURES: bool = O::DEPARTURES;
    const CROSSINGS: bool = O::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        self.told.commit(log);
        self.observer.commit(log);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.arrivals.push((worm.clone(), *delivery));
        self.observer.delivered(worm, delivery);
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.observer.departed(worm, cycle);
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        self.observer.crossed(worm, lane, flits);
    }
}

impl<'a> Paired<'a> {
    /// The pair of engines, before the same cycle.
    pub fn new(fast: &'a mut Chosen, plain: &'a mut Reference, difference: &'a mut Option<String>) -> Self {
        Self { fast, plain, delivered: None, told: Told::default(), difference }
    }

    /// Lets the nodes of the plain engine take flits, once in each cycle, and compares the
    /// arrivals.
    fn compare_arrivals(&mut self, fast: &[(WormInfo, Delivery)]) {
        let cycle = self.plain.now();
        let again = self.delivered.replace(cycle) == Some(cycle);
        let plain = if again { Vec::new() } else { self.plain.deliver() };
        if plain != fast {
            let name = self.fast.name();
            self.difference.get_or_insert_with(|| {
                format!("arrivals in cycle {cycle}:\n  reference: {plain:?}\n  {name}:    {fast:?}")
            });
        }
    }

    fn compare(&mut self) {
        if self.difference.is_none() {
            *self.difference = of_registers(self.plain, self.fast);
        }
    }
}

impl Deref for Paired<'_> {
    type Target = Chosen;

    fn deref(&self) -> &Chosen {
        self.fast
    }
}

impl Driven for Paired<'_> {
    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        self.fast.create(worm, measured, observer);
        self.plain.create(worm, measured);
    }

    fn deliver<O: Observer>(&mut self, observer: &mut O) {
        let mut heard = Heard { arrivals: Vec::new(), told: &mut self.told, observer };
        self.fast.deliver(&mut heard);
        let arrivals = heard.arrivals;
        self.compare_arrivals(&arrivals);
    }

    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        self.fast.free_receive_buffer(node, channel, flits);
        self.plain.free_receive_buffer(node, channel, flits);
    }

    fn cycle<O: Observer>(&mut self, observer: &mut O) {
        let mut heard = Heard { arrivals: Vec::new(), told: &mut self.told, observer };
        self.fast.cycle(&mut heard);
        let arrivals = heard.arrivals;
        self.compare_arrivals(&arrivals);
        if O::COMMITS {
            let mut log = CommitLog::default();
            self.plain.tick(Some(&mut log));
            let difference = self.told.difference(self.plain, &log);
            *self.difference = self.difference.take().or(difference);
        } else {
            self.plain.tick(None);
        }
        self.compare();
    }

    /// Both engines are compared in each cycle, so their stretch is one cycle.
    fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        debug_assert_eq!(to, self.now() + 1);
        for (worm, measured) in worms {
            self.create(worm, *measured, observer);
        }
        self.cycle(observer);
    }

    fn skip_to(&mut self, cycle: u64) {
        self.fast.skip_to(cycle);
        while self.plain.now() < cycle {
            self.compare_arrivals(&[]);
            self.plain.tick(None);
        }
        self.compare();
    }

    /// The plain engine evaluates each cycle, so a long skip takes long.
    fn longest_skip(&self) -> u64 {
        1024
    }

    fn registers(&self) -> Registers {
        self.plain.registers()
    }

    fn stops(&self) -> bool {
        self.difference.is_some()
    }
}
