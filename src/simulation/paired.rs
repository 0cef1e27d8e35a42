//! The plain engine beside the fast one: both are given the same worms, and all their registers are
//! compared in every cycle.

use std::ops::Deref;

use wormscope_hw::NodeId;

use super::run::Machine;
use crate::engine::reference::Reference;
use crate::engine::{Delivery, Engine, NewWorm, Observer, WormInfo};

/// Both engines.
pub(super) struct Paired<'a> {
    /// The one that is asked and watched.
    pub banked: &'a mut Engine,
    /// The one that it is held to.
    pub plain: &'a mut Reference,
    /// Cycle in which nodes took flits last.
    pub delivered: Option<u64>,
    /// Where they differ first.
    pub difference: &'a mut Option<String>,
}

/// Notes what arrives.
#[derive(Default)]
struct Arrivals(Vec<(WormInfo, Delivery)>);

impl Observer for Arrivals {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.0.push((worm.clone(), *delivery));
    }
}

impl<'a> Paired<'a> {
    /// Both in front of the same cycle.
    pub fn new(banked: &'a mut Engine, plain: &'a mut Reference, difference: &'a mut Option<String>) -> Self {
        Self { banked, plain, delivered: None, difference }
    }

    /// Lets the nodes of the plain engine take flits, once a cycle, and compares what has arrived.
    fn compare_arrivals(&mut self, banked: &[(WormInfo, Delivery)]) {
        let cycle = self.plain.now();
        let again = self.delivered.replace(cycle) == Some(cycle);
        let plain = if again { Vec::new() } else { self.plain.deliver() };
        if plain != banked {
            self.difference.get_or_insert_with(|| {
                format!("arrivals in cycle {cycle}:\n  reference: {plain:?}\n  banked:    {banked:?}")
            });
        }
    }

    fn compare(&mut self) {
        if self.difference.is_none() {
            *self.difference = self.plain.difference(self.banked);
        }
    }
}

impl Deref for Paired<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.banked
    }
}

impl Machine for Paired<'_> {
    fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        self.banked.create(worm, measured, observer);
        self.plain.create(worm, measured);
    }

    fn deliver<O: Observer>(&mut self, observer: &mut O) {
        let mut arrivals = Arrivals::default();
        self.banked.deliver(&mut (&mut arrivals, observer));
        self.compare_arrivals(&arrivals.0);
    }

    fn free_receive_buffer(&mut self, node: NodeId, channel: u8, flits: u32) {
        self.banked.free_receive_buffer(node, channel, flits);
        self.plain.free_receive_buffer(node, channel, flits);
    }

    fn cycle<O: Observer>(&mut self, observer: &mut O) {
        let mut arrivals = Arrivals::default();
        self.banked.cycle(&mut (&mut arrivals, observer));
        self.compare_arrivals(&arrivals.0);
        self.plain.tick();
        self.compare();
    }

    fn skip_to(&mut self, cycle: u64) {
        self.banked.skip_to(cycle);
        while self.plain.now() < cycle {
            self.compare_arrivals(&[]);
            self.plain.tick();
        }
        self.compare();
    }

    fn stops(&self) -> bool {
        self.difference.is_some()
    }
}
