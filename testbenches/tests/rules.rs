//! Rules that hold for any worms. Where one of them holds, no run ends in a deadlock, whatever the
//! load and the worms.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wormscope::engine::{Limits, NewWorm};
use wormscope::experiment::{Experiment, Run, Workload};
use wormscope::explain::rules::{Rule, WormKinds, arrivals};
use wormscope::hw::Replication;
use wormscope::network::{Network, Routing, Topology};
use wormscope::simulation::{Outcome, Site};
use wormscope_testbenches::random::{
    Draft, Kind, cases, drafts, fitting_span, networks, not_synchronous, safe, synchronous, topologies, worms,
};
use wormscope_testbenches::{Script, drive, engine};

/// Cycles within which all worms of a run are created.
const WITHIN: u64 = 12;
/// Networks with their worms, so many that each rule speaks for some.
const CASES: u32 = 800;

/// A network with its worms, close to the demand of a rule. `off` is the number of flits of FIFOs,
/// or of consumption lanes, that are too few or too many. It may also leave a quarter of them,
/// since rules have room to spare.
fn close_to_a_rule(mut network: Network, drafts: &[Draft], kind: Kind, off: i32) -> (Network, Vec<NewWorm>) {
    match &mut network.topology {
        Topology::Torus { radices, .. } if kind == Kind::Paths => {
            network.topology = Topology::Mesh { radices: std::mem::take(radices) };
        }
        Topology::Torus { datelines, .. } => *datelines = network.switch.virtual_channels.is_multiple_of(2),
        _ => {}
    }
    if kind == Kind::Paths {
        if !network.blueprint().routings().1.contains(&Routing::LabelOrder) {
            network.topology = Topology::Mesh { radices: vec![4, 4] };
            network.token_ring = None;
            let switch = &mut network.switch;
            (switch.virtual_channels, switch.dilation, switch.port_order) = (1, 1, None);
            not_synchronous(&mut network);
        }
        network.routing = Some(Routing::LabelOrder);
    }
    let is_synchronous = network.switch.replication == Replication::Synchronous;
    if kind == Kind::Trees
        && off == -1
        && !is_synchronous
        && network.blueprint().refuses_token_rings(network.routing()).is_none()
    {
        network.token_ring.get_or_insert_default();
    } else if kind == Kind::Trees && off == 0 {
        synchronous(&mut network);
    } else if matches!(kind, Kind::Any | Kind::Trees) && network.switch.replication != Replication::Sequential {
        network.switch.replication = Replication::Buffered;
        network.token_ring = None;
    }
    // Lengths do not depend on the depth, but a sequential switch takes no worm that is longer.
    let depth = std::mem::replace(&mut network.switch.fifo_depth, 60_000);
    let injection_depth = network.node.injection_depth.take();
    let mut all = worms(&network, drafts, kind);
    let times = if off == -1 { 1 } else { 4 };
    for worm in &mut all {
        worm.payload_flits *= times;
    }
    // Few of the drafts are path worms.
    if kind == Kind::Paths {
        let paths: Vec<NewWorm> = all.iter().filter(|worm| worm.destinations.len() > 1).cloned().collect();
        all = [&all[..], &paths, &paths, &paths, &paths].concat();
    }
    let near = |value: u32| if off < -1 { value.div_ceil(4) } else { value.saturating_add_signed(off).max(1) };
    let flits = |worm: &NewWorm| {
        let header = wormscope::network::header_flits_to(
            &network,
            &drive::wiring(&network),
            worm.encoding,
            worm.source,
            &worm.destinations,
        );
        header + worm.payload_flits
    };
    let longest = all.iter().filter(|worm| worm.destinations.len() > 1).map(flits).max().unwrap_or(1);
    let buffers = matches!(network.switch.replication, Replication::Buffered | Replication::Sequential);
    network.switch.fifo_depth = if buffers { near(longest) } else { depth };
    // Half of them hold whole worms exactly if the others do.
    network.node.injection_depth =
        injection_depth.map(|own| if buffers { near(longest) + own % 2 * own } else { own.max(depth) });
    if kind == Kind::Paths {
        let lanes = near(arrivals(&network)).div_ceil(network.node_channels());
        let before = std::mem::replace(&mut network.node.consumption_channels, lanes);
        if network.output_lanes() > 64 {
            network.node.consumption_channels = before;
        }
    }
    fitting_span(&mut network);
    (network, all)
}

/// Networks and worms, some of them known to be safe and some close to it.
fn settings() -> impl Strategy<Value = (Network, Vec<NewWorm>)> {
    let kind = proptest::sample::select(vec![
        Kind::Any,
        Kind::Unicast,
        Kind::Trees,
        Kind::Trees,
        Kind::Trees,
        Kind::Paths,
        Kind::Paths,
        Kind::Paths,
    ]);
    let close = (networks(topologies()), drafts(80, WITHIN), kind, -2..=1_i32)
        .prop_map(|(network, drafts, kind, off)| close_to_a_rule(network, &drafts, kind, off));
    prop_oneof![1 => safe(80, WITHIN), 4 => close]
}

/// The rules that hold for such worms, none where they may deadlock. `None` where the worms are
/// refused.
fn rules(network: &Network, worms: &[NewWorm]) -> Option<Vec<Rule>> {
    let workload = vec![Workload::Messages(worms.iter().map(drive::message).collect())];
    let experiment =
        Experiment { network: network.clone(), groups: Vec::new(), classes: Vec::new(), workload, run: Run::default() };
    let loaded = experiment.validated().ok()?;
    let site = Site::of(&loaded).ok()?;
    Some(WormKinds::new(&loaded, &site).ok()?.rules().unwrap_or_default())
}

/// The same worms in other orders.
fn in_other_orders(worms: &[NewWorm], times: u64) -> impl Iterator<Item = Vec<NewWorm>> {
    (0..times).map(move |time| {
        let again = |(at, worm): (u64, &NewWorm)| {
            let drawn = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(2 * time + 1) >> 40;
            let cycle = if time == 0 { worm.cycle } else { drawn % (1 + WITHIN * time) };
            NewWorm { cycle, ..worm.clone() }
        };
        (0..).zip(worms).map(again).collect()
    })
}

#[test]
fn worms_that_a_rule_speaks_for_do_not_deadlock() {
    let (spoken, stuck) = (RefCell::new(BTreeMap::new()), RefCell::new(0));
    let run = |(network, worms): (Network, Vec<NewWorm>)| {
        let Some(rules) = rules(&network, &worms) else { return Ok(()) };
        for worms in in_other_orders(&worms, 6) {
            let (mut engine, mut script) = (engine(&network), Script::new(worms));
            let outcome = wormscope::simulation::run(&mut engine, &mut script, &Limits::default(), &mut (), |_| ())
                .expect("infallible");
            if rules.is_empty() {
                *stuck.borrow_mut() += u32::from(matches!(outcome, Outcome::Deadlock(_)));
            } else {
                prop_assert_eq!(outcome, Outcome::Done, "{:?}", rules);
            }
        }
        for rule in rules {
            *spoken.borrow_mut().entry(rule).or_insert(0) += 1;
        }
        Ok(())
    };
    let config = Config { failure_persistence: None, ..cases(CASES) };
    let many = config.cases >= CASES;
    TestRunner::new(config).run(&settings(), run).unwrap_or_else(|failed| panic!("{failed}"));
    // Each rule was tried. There were runs that deadlock where no rule holds.
    let (spoken, stuck) = (spoken.into_inner(), stuck.into_inner());
    for rule in Rule::ALL {
        assert!(!many || spoken.contains_key(&rule), "{}: {spoken:?}", rule.name());
    }
    assert!(!many || stuck > 0, "{spoken:?}");
}
