//! The node interface. A stimulus that reacts hears of arrivals and departures, and its new worm
//! leaves in the cycle of the arrival. Nodes that are stalled, or whose receive buffer is full,
//! take nothing and lose nothing.

use std::convert::Infallible;

use proptest::prelude::*;
use wormscope::engine::{Clocked as _, Delivery, Engine, Limits, NewWorm, Observer, Stimulus, Totals, WormInfo};
use wormscope::hw::{NodeId, WormId};
use wormscope::network::Topology;
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{self, Arrivals, Script};
use wormscope_testbenches::random;

/// Sends every worm back to its source, so many times.
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
    drive::engine(&drive::network(Topology::Linear { nodes }))
}

fn run<S: Stimulus<Error = Infallible>>(engine: &mut Engine, stimulus: &mut S) -> (Arrivals, Totals) {
    let mut arrivals = Arrivals::default();
    let outcome = wormscope::simulation::run(engine, stimulus, &Limits::default(), &mut arrivals, |_| ());
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
    // A header flit and the payload leave, one a cycle. The second worm of node 0 follows the
    // first.
    assert_eq!(stimulus.departed, [(WormId(0), 3), (WormId(1), 6), (WormId(2), 2)]);
}

#[test]
fn one_that_hears_and_does_not_react_changes_nothing() {
    let worms = || (0..60).map(|i| drive::unicast(i * 3, i as u32 % 6, (i as u32 * 5 + 1) % 6, 4)).collect::<Vec<_>>();
    let reacting = run(&mut line(6), &mut echo(worms(), 0));
    assert_eq!(reacting, run(&mut line(6), &mut Script::new(worms())));
}

/// Counts the events that it is told.
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
    let outcome =
        wormscope::simulation::run(&mut line(4), &mut Script::new(worms), &Limits::default(), &mut departures, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    assert_eq!((departures.0.0, departures.1.0.len()), (20, 20));
}

proptest! {
    #![proptest_config(random::cases(200))]

    #[test]
    fn a_node_that_may_wait_and_never_does_is_the_node_that_takes_every_flit((network, worms) in random::safe(12, 40)) {
        let mut plain = drive::engine(&network);
        let mut waiting = plain.clone();
        waiting.stall(NodeId(0), 0..0);
        let expected = run(&mut plain, &mut Script::new(worms.clone()));
        prop_assert_eq!(run(&mut waiting, &mut Script::new(worms)), expected);
        prop_assert_eq!(waiting.account(), plain.account());
        plain.settle(&mut ());
        waiting.settle(&mut ());
        prop_assert_eq!(waiting.registers(), plain.registers());
        prop_assert!(waiting.is_clean());
    }

    #[test]
    fn what_stalled_nodes_hold_up_arrives_behind_the_stall_and_nothing_is_lost(
        (network, worms) in random::safe(12, 40),
        stalls in prop::collection::vec((any::<u32>(), 0..60u64, 1..50u64), 1..6),
    ) {
        let mut engine = drive::engine(&network);
        let stalls: Vec<_> = stalls.iter().map(|&(n, from, cycles)| (NodeId(n % network.nodes()), from..from + cycles)).collect();
        for (node, stall) in &stalls {
            engine.stall(*node, stall.clone());
        }
        let deliveries: usize = worms.iter().map(|worm| worm.destinations.len()).sum();
        let (arrivals, _) = run(&mut engine, &mut Script::new(worms));
        prop_assert_eq!(arrivals.0.len(), deliveries);
        for d in &arrivals.0 {
            let taken = |cycle| stalls.iter().all(|(node, stall)| *node != d.destination || !stall.contains(&cycle));
            prop_assert!(taken(d.head) && taken(d.tail), "{:?}", d);
        }
        engine.settle(&mut ());
        prop_assert!(engine.is_clean());
    }
}

#[test]
fn a_stalled_node_takes_its_flits_one_a_cycle_behind_the_stall() {
    // Without a stall, the head is there in cycle 5 and the tail in 10. The FIFO of the channel
    // holds 4 of the 6 flits.
    for (until, head, tail) in [(0, 5, 10), (5, 5, 10), (6, 6, 11), (30, 30, 35)] {
        let mut engine = line(2);
        engine.stall(NodeId(1), 0..until);
        let (arrivals, _) = run(&mut engine, &mut Script::new(vec![drive::unicast(0, 0, 1, 5)]));
        assert_eq!(arrivals.of(0, 1), Some((head, tail)), "stalled until {until}");
        // The fifth flit could cross in cycle 8. It crosses with the credit of the first flit that
        // is taken.
        assert_eq!(engine.account().endpoint, if until == 30 { 31 - 8 } else { 0 });
    }
}

/// Frees the receive buffer of every message so many cycles after its arrival.
struct Receiver {
    script: Script,
    cycles: u64,
    received: Vec<(u64, Delivery)>,
    freed: Vec<Delivery>,
}

impl Stimulus for Receiver {
    type Error = Infallible;

    const REACTS: bool = true;

    fn next_cycle(&mut self) -> Option<u64> {
        self.received.iter().map(|r| r.0).chain(self.script.next_cycle()).min()
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        let due = self.received.extract_if(.., |r| r.0 <= cycle);
        self.freed.extend(due.map(|r| r.1));
        Ok(self.script.due(cycle))
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.received.push((delivery.tail + self.cycles, *delivery));
    }

    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        self.freed.pop().map(|delivery| (delivery.destination, delivery.channel, delivery.flits - 1))
    }
}

fn receiver(worms: Vec<NewWorm>, cycles: u64) -> Receiver {
    Receiver { script: Script::new(worms), cycles, received: Vec::new(), freed: Vec::new() }
}

#[test]
fn a_full_receive_buffer_holds_the_network_up_until_its_message_is_received() {
    let messages = || (0..4).map(|_| drive::unicast(0, 0, 1, 6)).collect();
    let tails = |cycles, flits| {
        let mut engine = line(2);
        engine.bound_receive_buffers(flits);
        let (arrivals, _) = run(&mut engine, &mut receiver(messages(), cycles));
        engine.settle(&mut ());
        assert!(engine.is_clean());
        arrivals.0.iter().map(|d| d.tail).collect::<Vec<_>>()
    };
    let unhindered = tails(0, 1000);
    // A worm of 7 flits comes first, and then the routing of the next head.
    assert_eq!(unhindered, [11, 19, 27, 35]);
    // One message fits. Its 6 payload flits are freed in cycle tail + 20, and filled again from the
    // next cycle on.
    let one = tails(20, 6);
    assert_eq!(one, [11, 37, 63, 89]);
    assert_eq!(tails(20, 1000), unhindered);
}

#[test]
fn a_message_longer_than_the_receive_buffer_is_reported_and_not_taken_for_arrived() {
    let mut engine = line(2);
    engine.bound_receive_buffers(3);
    let mut receiver = receiver(vec![drive::unicast(0, 0, 1, 9)], 1);
    let outcome = wormscope::simulation::run(&mut engine, &mut receiver, &Limits::default(), &mut (), |_| ());
    assert!(matches!(outcome, Ok(Outcome::Deadlock(deadlock)) if deadlock.behind == [WormId(0)]));
}
