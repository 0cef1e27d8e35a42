//! One worm alone in the network against the recurrence of the model.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::{prop_assert, prop_assert_eq};
use wormscope::engine::{Clocked as _, Limits, NewWorm};
use wormscope::hw::{Encoding, PortId, SwitchId, WormId};
use wormscope::model::tree::{Send, Tree, TreeError};
use wormscope::model::unblocked::{Flight, Timing, closed_form};
use wormscope::network::{Network, header_flits_to};
use wormscope::simulation::Outcome;

use crate::drive::{Script, built, engine, wiring};
use crate::ledger::Ledger;

/// The tree of a worm.
///
/// # Errors
/// When it has none.
pub fn tree(network: &Network, worm: &NewWorm) -> Result<Tree, TreeError> {
    let built = built(network);
    let (wiring, routes) = (built.wiring(), built.routes());
    let send = Send {
        source: worm.source,
        destinations: &worm.destinations,
        encoding: worm.encoding,
        header_flits: header_flits_to(network, wiring, worm.encoding, worm.source, &worm.destinations),
        payload_flits: worm.payload_flits,
    };
    Tree::new(wiring, &send, |switch, node| {
        let port = PortId(routes.port(switch, node));
        (wiring.consumption(node) != (switch, port)).then_some(port)
    })
}

/// Runs the worm alone and compares every flit at every place with its flight.
///
/// # Errors
/// The first thing that differs.
pub fn flies_as_derived(network: &Network, worm: &NewWorm) -> Result<(), TestCaseError> {
    let tree = tree(network, worm).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let timing = Timing::from(network);
    let flight = Flight::new(&timing, &tree).map_err(|e| TestCaseError::fail(e.to_string()))?;

    let mut engine = engine(network);
    let mut ledger = Ledger::new(network);
    let mut script = Script::new(vec![worm.clone()]);
    let limits = Limits { max_cycles: 1_000_000, ..Limits::default() };
    prop_assert_eq!(
        wormscope::simulation::run(&mut engine, &mut script, &limits, &mut ledger, |_| ()),
        Ok(Outcome::Done)
    );
    engine.settle(&mut ledger);
    prop_assert!(engine.is_clean(), "something is left behind");

    let base = worm.cycle + u64::from(network.node.startup_cycles);
    let header = header_flits_to(network, &wiring(network), worm.encoding, worm.source, &worm.destinations);
    let total = header + worm.payload_flits;
    let stamped =
        |times: &[u64], first: u32| -> Vec<(u64, u32)> { times.iter().map(|t| base + t).zip(first..).collect() };

    prop_assert_eq!(&ledger.injected[&WormId(0)], &stamped(&flight.injected, 0));
    let mut expected: BTreeMap<(WormId, SwitchId, PortId), Vec<(u64, u32)>> = BTreeMap::new();
    for (hop, times) in tree.hops.iter().zip(&flight.hops) {
        for ((port, _), crossed) in hop.branches.iter().zip(&times.crossed) {
            let first = total - hop.flits + hop.stripped;
            expected.insert((WormId(0), hop.switch, *port), stamped(crossed, first));
        }
    }
    prop_assert_eq!(&ledger.crossed, &expected);

    prop_assert_eq!(ledger.deliveries.len(), worm.destinations.len());
    prop_assert_eq!(ledger.deliveries.len(), flight.arrivals.len());
    for arrival in &flight.arrivals {
        let delivery = ledger.deliveries.iter().find(|d| d.destination == arrival.node);
        let times = delivery.map(|d| (d.injected, d.head, d.tail));
        prop_assert_eq!(times, Some((base, base + arrival.head, base + arrival.tail)), "at node {}", arrival.node);
        let consumed = &ledger.consumed[&(WormId(0), arrival.node)];
        prop_assert_eq!(consumed.first().map(|c| c.0), Some(base + arrival.head));
        prop_assert_eq!(consumed.last().map(|c| c.0), Some(base + arrival.tail));
    }
    if worm.encoding == Encoding::Unicast
        && let Some(latency) = closed_form(&timing, total - worm.payload_flits, total, tree.hops.len() as u32)
    {
        let delivery = &ledger.deliveries[0];
        prop_assert_eq!((delivery.head - base, delivery.tail - base), (latency.head, latency.tail));
    }
    Ok(())
}
