//! The banked engine against the plain one. They have equal registers in every cycle, equal reports
//! to observers, and the same deliveries in the same order.

use proptest::prelude::*;
use wormscope::engine::difference::{Told, of_registers};
use wormscope::engine::reference::Reference;
use wormscope::engine::{CommitLog, Delivery, NewWorm};
use wormscope::experiment::Evaluation;
use wormscope::hw::{NodeId, SwitchId};
use wormscope::network::Network;
use wormscope::network::channel::Channel;
use wormscope::simulation::{Outcome, Simulation, Site};
use wormscope_testbenches::random::{Kind, drafts, mins, networks, synchronous, topologies, worms};
use wormscope_testbenches::stalls::{Stall, stall, stalls};
use wormscope_testbenches::{Arrivals, Script, drive, engine, step};

/// Cycles that are compared at most.
const CYCLES: u64 = 600;

/// Runs of each test: 200, or as many as `REFERENCE_CASES` says.
fn runs() -> ProptestConfig {
    let cases = std::env::var("REFERENCE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    ProptestConfig { cases, max_shrink_iters: 2000, ..ProptestConfig::default() }
}

fn reference(network: &Network) -> Reference {
    Reference::new(&drive::built(network))
}

/// Runs both engines side by side.
fn equal_in_every_cycle(
    network: &Network,
    worms: Vec<NewWorm>,
    (stalls, of_nodes): (&[Stall], &[Stall]),
    watched: bool,
) -> Result<(), TestCaseError> {
    let (mut banked, mut plain) = (engine(network), reference(network));
    for (which, cycles) in of_nodes {
        let node = NodeId(which % network.nodes());
        banked.stall(node, cycles.clone());
        plain.stall_node(node, cycles.clone());
    }
    for of in stalls {
        match stall(&mut banked, network, of) {
            Some(Channel::Output(switch, lane)) => plain.stall_output(switch, lane, of.1.clone()),
            Some(Channel::Injection(node, channel)) => plain.stall_injection(node, channel, of.1.clone()),
            None => {
                let switch = of.0 / 4 % plain.wiring().switches();
                plain.stall_station(SwitchId(switch), of.1.clone());
            }
        }
    }
    let (mut script, mut again) = (Script::new(worms.clone()), Script::new(worms));
    let (mut arrivals, mut delivered, mut told) = (Arrivals::default(), Vec::<Delivery>::new(), Told::default());
    while banked.now() < CYCLES && (banked.next_event().is_some() || script.next_cycle().is_some()) {
        if watched {
            step(&mut banked, &mut script, &mut (&mut arrivals, &mut told));
        } else {
            step(&mut banked, &mut script, &mut arrivals);
        }
        while let Some(worm) = again.due(plain.now()) {
            plain.create(&worm, true);
        }
        delivered.extend(plain.deliver().into_iter().map(|(_, delivery)| delivery));
        let mut log = CommitLog::default();
        plain.tick(watched.then_some(&mut log));
        let told = if watched { told.difference(&plain, &log) } else { None };
        if let Some(difference) = told.or_else(|| of_registers(&plain, &banked)) {
            prop_assert!(false, "{difference}");
        }
    }
    prop_assert_eq!(arrivals.0, delivered);
    Ok(())
}

#[test]
fn a_difference_ends_the_run_and_names_cycle_and_lane() {
    let mut loaded =
        wormscope::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/mesh_4x4_bit_string.ron")).unwrap();
    loaded.engine = Evaluation::Reference;
    let site = Site::of(&loaded).unwrap();
    let mut both = Simulation::new(&loaded, &site).unwrap();
    assert_eq!((both.run(&mut (), |_| ()).unwrap(), both.difference()), (Outcome::Done, None));
    // One engine is told of a stall. Its flit stands, and that of the other crosses.
    let mut both = Simulation::new(&loaded, &site).unwrap();
    both.engine.banked_mut().unwrap().stall_injection(NodeId(4), 0, &(3..40));
    assert_eq!(both.run(&mut (), |_| ()).unwrap(), Outcome::Stopped);
    let difference = both.difference().unwrap();
    for part in [
        "registers or counters at the start of cycle 4:\nrt_0_1.in4\n  reference: InRegisters { count: 2, flits: [w0.2, w0.3]",
        "\n  banked:    InRegisters { count: 1, flits: [w0.2]",
        "\nnode_4.inj\n  reference: InjectRegisters { credits: 2, next: Some(w0.4), multiplexer: 0, queue: 1 }",
    ] {
        assert!(difference.contains(part), "{part} in {difference}");
    }
}

proptest! {
    #![proptest_config(runs())]

    #[test]
    fn both_engines_have_equal_registers_in_every_cycle(
        network in networks(topologies()), drafts in drafts(24, 60), stalls in stalls(100), of_nodes in stalls(100),
        watched: bool,
    ) {
        equal_in_every_cycle(&network, worms(&network, &drafts, Kind::Any), (&stalls, &of_nodes), watched)?;
    }

    #[test]
    fn synchronous_worms_have_equal_registers_in_every_cycle(
        mut network in networks(mins()), drafts in drafts(24, 60), stalls in stalls(100), of_nodes in stalls(100),
        watched: bool,
    ) {
        synchronous(&mut network);
        equal_in_every_cycle(&network, worms(&network, &drafts, Kind::Trees), (&stalls, &of_nodes), watched)?;
    }

    #[test]
    fn multistage_networks_have_equal_registers_in_every_cycle(
        network in networks(mins()), drafts in drafts(24, 60), stalls in stalls(100), of_nodes in stalls(100),
        watched: bool,
    ) {
        equal_in_every_cycle(&network, worms(&network, &drafts, Kind::Any), (&stalls, &of_nodes), watched)?;
    }
}
