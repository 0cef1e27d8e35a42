//! A stimulus that reacts: it hears of arrivals and departures, and what it creates leaves in the cycle of the arrival.

use std::convert::Infallible;

use wormscope::engine::{Delivery, Engine, Limits, NewWorm, Observer, Outcome, Stimulus, Totals, WormInfo};
use wormscope::hw::WormId;
use wormscope_testbenches::drive::{self, Arrivals, Script};

/// Sends every worm back to where it came from, so many times.
struct Echo {
    script: Script,
    replies: Vec<NewWorm>,
    left: u32,
    departed: Vec<(WormId, u64)>,
}

impl Stimulus for Echo {
    type Error = Infallible;

    const REACTS: bool = true;

    fn next_cycle(&mut self) -> Option<u64> {
        self.replies.first().map(|worm| worm.cycle).into_iter().chain(self.script.next_cycle()).min()
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        Ok(self.replies.pop().or_else(|| self.script.due(cycle)))
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if self.left > 0 {
            self.left -= 1;
            let (from, to) = (delivery.destination.0, worm.source.0);
            self.replies.push(drive::unicast(delivery.tail, from, to, worm.payload_flits));
        }
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.departed.push((worm.id, cycle));
    }
}

fn line(nodes: u32) -> Engine {
    drive::engine(&drive::network(wormscope::config::Topology::Linear { nodes }))
}

fn run<S: Stimulus<Error = Infallible>>(engine: &mut Engine, stimulus: &mut S) -> (Arrivals, Totals) {
    let mut arrivals = Arrivals::default();
    let outcome = engine.run(stimulus, &Limits::default(), &mut arrivals, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    (arrivals, engine.totals())
}

fn echo(worms: Vec<NewWorm>, left: u32) -> Echo {
    Echo { script: Script::new(worms), replies: Vec::new(), left, departed: Vec::new() }
}

#[test]
fn a_reply_leaves_in_the_cycle_in_which_the_message_arrives() {
    let mut engine = line(4);
    let mut stimulus = echo(vec![drive::unicast(7, 0, 3, 5)], 9);
    let (arrivals, _) = run(&mut engine, &mut stimulus);
    assert_eq!(arrivals.0.len(), 10);
    for pair in arrivals.0.windows(2) {
        assert_eq!(pair[1].injected, pair[0].tail);
        assert_eq!(pair[1].tail - pair[0].tail, arrivals.0[0].tail - 7);
    }
}

#[test]
fn a_departure_is_told_once_in_the_cycle_of_the_tail() {
    let mut engine = line(3);
    let worms = vec![drive::unicast(0, 0, 2, 3), drive::unicast(0, 0, 1, 2), drive::unicast(1, 2, 0, 1)];
    let mut stimulus = echo(worms, 0);
    run(&mut engine, &mut stimulus);
    stimulus.departed.sort_unstable();
    // A header flit and the payload, one a cycle; the second worm of node 0 behind the first.
    assert_eq!(stimulus.departed, [(WormId(0), 3), (WormId(1), 6), (WormId(2), 2)]);
}

#[test]
fn one_that_hears_and_does_not_react_changes_nothing() {
    let worms = || (0..60).map(|i| drive::unicast(i * 3, i as u32 % 6, (i as u32 * 5 + 1) % 6, 4)).collect::<Vec<_>>();
    let reacting = run(&mut line(6), &mut echo(worms(), 0));
    assert_eq!(reacting, run(&mut line(6), &mut Script::new(worms())));
}

/// Counts what it is told.
#[derive(Default)]
struct Departures(u32);

impl Observer for Departures {
    const DEPARTURES: bool = true;

    fn departed(&mut self, _: &WormInfo, _: u64) {
        self.0 += 1;
    }
}

#[test]
fn observers_hear_of_departures_too() {
    let worms = (0..20).map(|i| drive::unicast(i, i as u32 % 4, (i as u32 + 1) % 4, 2)).collect();
    let mut departures = (Departures::default(), Arrivals::default());
    let outcome = line(4).run(&mut Script::new(worms), &Limits::default(), &mut departures, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    assert_eq!((departures.0.0, departures.1.0.len()), (20, 20));
}
