//! The engine of bit planes against the others. It has the registers and counters of the plain
//! engine in every cycle, and the ends of the banked engine's runs. Deliveries are the same, in the
//! same order.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wormscope::engine::difference::of_registers;
use wormscope::engine::planes::{covers, threads};
use wormscope::engine::reference::Reference;
use wormscope::engine::{
    BankSample, Clocked as _, CommitLog, Delivery, Limits, NewWorm, Observer, OutSample, Planes, Samples, WormInfo,
};
use wormscope::hw::{
    Acquisition, Arbiter, Encoding, HeaderTiming, LaneChoice, NodeId, PortId, Replication, SwitchId, WormId, bits,
};
use wormscope::network::{End, Network, Topology, UniMinKind};
use wormscope::simulation::{Outcome, run};
use wormscope_testbenches::drive::{built, network, unicast};
use wormscope_testbenches::random::{Draft, Kind, drafts, networks, worms};
use wormscope_testbenches::{Script, engine};

/// Cycles that are compared at most.
const CYCLES: u64 = 600;

/// Runs of each test: 100, or as many as `REFERENCE_CASES` says.
fn runs() -> ProptestConfig {
    let cases = std::env::var("REFERENCE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    ProptestConfig { cases, max_shrink_iters: 2000, ..ProptestConfig::default() }
}

/// Meshes and tori of one to three dimensions, some of several chunks.
fn grids() -> impl Strategy<Value = Topology> {
    let radices = prop_oneof![
        1 => prop::collection::vec(1..=9u32, 1),
        4 => prop::collection::vec(1..=6u32, 2),
        1 => prop::collection::vec(1..=4u32, 3),
        1 => (8..=20u32, 4..=15u32).prop_map(|(x, y)| vec![x, y]),
    ];
    (radices, 0..5u8).prop_map(|(radices, kind)| match (kind, &radices[..]) {
        (0 | 1, &[nodes]) => Topology::Linear { nodes },
        (0..=2, _) => Topology::Mesh { radices },
        _ => Topology::Torus { radices, datelines: true },
    })
}

/// Networks that are no grid.
fn wired() -> impl Strategy<Value = Topology> {
    let kinds = [UniMinKind::Baseline, UniMinKind::Butterfly, UniMinKind::Omega];
    prop_oneof![
        (2..=4u32, 1..=3u32, 0..3usize).prop_map(move |(switch_ports, stages, kind)| {
            Topology::UniMin { kind: kinds[kind].clone(), switch_ports, stages }
        }),
        (2..=4u32, 1..=3u32).prop_map(|(switch_ports, stages)| Topology::BiMin { switch_ports, stages }),
    ]
}

/// Networks that planes cover.
fn covered() -> impl Strategy<Value = Network> {
    let topologies = prop_oneof![3 => grids(), 1 => wired()];
    (networks(topologies), 1..=2u32).prop_map(|(mut network, channels)| {
        (network.routing, network.token_ring) = (None, None);
        let channels = match network.topology {
            Topology::Torus { .. } => 2,
            Topology::UniMin { .. } | Topology::BiMin { .. } => 1,
            _ => channels,
        };
        let (switch, node) = (&mut network.switch, &mut network.node);
        (switch.virtual_channels, switch.dilation, node.virtual_channels) = (channels, 1, None);
        (node.injection_channels, node.consumption_channels, node.startup_cycles) = (1, 1, 0);
        (switch.arbiter, switch.acquisition) = (Arbiter::RoundRobin, Acquisition::Incremental);
        (switch.lane_choice, switch.port_order) = (LaneChoice::Lowest, None);
        if switch.header_timing == HeaderTiming::Beside {
            switch.header_timing = HeaderTiming::Overlapped;
        }
        switch.fifo_depth = (switch.fifo_depth - 1) % 31 + 1;
        let is_lockstep = switch.replication == Replication::Lockstep;
        if channels > 1 && is_lockstep || switch.replication == Replication::Synchronous {
            switch.replication = Replication::Asynchronous;
        }
        network
    })
}

/// Worms that planes cover.
fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Unicast), Just(Kind::Trees)]
}

/// Planes cover trees in grids, in three dimensions with one virtual channel.
fn for_network(network: &Network, kind: Kind) -> Kind {
    let is_wide = network.ports() > 5 && network.switch.virtual_channels > 1;
    if network.stages().is_some() || is_wide { Kind::Unicast } else { kind }
}

/// All reports to an observer, in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told(Vec<String>);

impl Observer for Told {
    const DEPARTURES: bool = true;

    fn created(&mut self, worm: &WormInfo) {
        self.0.push(format!("{worm:?}"));
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.0.push(format!("{worm:?} {delivery:?}"));
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.0.push(format!("{} {cycle}", worm.id));
    }
}

/// The samples of the last cycle.
#[derive(Default)]
struct Sampled(CommitLog);

impl Observer for Sampled {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        Samples::Banks
    }

    fn commit(&mut self, log: &CommitLog) {
        self.0 = log.clone();
    }
}

impl Sampled {
    /// The flits, the credits and the crossings of each lane that was told in a cycle.
    fn lanes(&self, cycle: u64) -> BTreeMap<(SwitchId, u8), (u16, u16, bool, bool)> {
        let Some(places) = self.0.places.filter(|_| self.0.cycle == cycle) else { return BTreeMap::new() };
        let lanes = self.0.banks.iter().flat_map(|of| bits(of.live).map(move |bit| (of, bit)));
        let of = |(of, bit): (&BankSample, usize)| {
            let [crossed, tail] = [of.crossed, of.tails].map(|lanes| lanes >> bit & 1 != 0);
            (places.lane(64 * of.bank as usize + bit), (of.flits.get(bit), of.credits.get(bit), crossed, tail))
        };
        let lanes: Vec<_> = lanes.map(of).collect();
        let all: BTreeMap<_, _> = lanes.iter().copied().collect();
        assert_eq!(all.len(), lanes.len(), "a lane is told once in a cycle");
        all
    }

    /// All flits that were told one by one in a cycle, with the data of those that leave for nodes.
    fn flits(&self, cycle: u64, words: usize, for_node: impl Fn(&OutSample) -> bool) -> Vec<String> {
        let log = if self.0.cycle == cycle { &self.0 } else { &CommitLog::default() };
        let data = |s: &OutSample| for_node(s).then(|| &log.words[s.data as usize..][..words]);
        let outputs = log.outputs.iter().map(|s| format!("{:?} {:?}", OutSample { data: 0, ..*s }, data(s)));
        let injections = log.injections.iter().filter(|s| s.flit.is_some());
        let injections = injections.map(|s| format!("{:?}", (s.node, s.channel, s.credits, s.flit)));
        let all = outputs.chain(injections).chain(log.consumptions.iter().map(|s| format!("{s:?}")));
        let mut all: Vec<_> = all.collect();
        all.sort();
        all
    }
}

/// Whether some worm is no unicast.
fn has_trees(worms: &[NewWorm]) -> bool {
    worms.iter().any(|worm| worm.encoding != Encoding::Unicast)
}

/// Runs planes beside the plain engine, and compares with the banked engine when they are awake.
fn equal_in_every_cycle(network: &Network, worms: &[NewWorm]) -> Result<(), TestCaseError> {
    let trees = has_trees(worms);
    prop_assert_eq!(covers(network, trees), Ok(()));
    let built = built(network);
    let (mut planes, mut plain) = (Planes::new(&built, trees).expect("covered"), Reference::new(&built));
    let mut banked = engine(network);
    let mut script = Script::new(worms.to_vec());
    let (mut delivered, mut expected) = (Vec::<Delivery>::new(), Vec::<Delivery>::new());
    while planes.now() < CYCLES && (planes.next_event().is_some() || script.next_cycle().is_some()) {
        while let Some(worm) = script.due(plain.now()) {
            planes.create(&worm, true, &mut ());
            banked.create(&worm, true, &mut ());
            plain.create(&worm, true);
        }
        planes.cycle(&mut delivered);
        banked.cycle(&mut ());
        expected.extend(plain.deliver().into_iter().map(|(_, delivery)| delivery));
        plain.tick(None);
        if let Some(difference) = of_registers(&plain, &planes) {
            prop_assert!(false, "{difference}");
        }
        prop_assert_eq!((planes.next_event(), planes.is_awake()), (banked.next_event(), banked.is_awake()));
    }
    prop_assert_eq!(delivered, expected);
    prop_assert!(planes.now() == CYCLES || planes.is_clean() || trees, "only trees deadlock");
    Ok(())
}

/// Runs planes and the banked engine to the end, idle time left out.
fn ends_alike(network: &Network, worms: &[NewWorm], limits: &Limits) -> Result<(), TestCaseError> {
    let trees = has_trees(worms);
    let (mut banked, mut planes) = (engine(network), Planes::new(&built(network), trees).expect("covered"));
    let (mut of_banked, mut of_planes) = (Told::default(), Told::default());
    let ended = run(&mut banked, &mut Script::new(worms.to_vec()), limits, &mut of_banked, |_| ());
    let is_deadlock = matches!(ended, Ok(Outcome::Deadlock(_)));
    prop_assert_eq!(run(&mut planes, &mut Script::new(worms.to_vec()), limits, &mut of_planes, |_| ()), ended);
    prop_assert_eq!(of_planes, of_banked);
    prop_assert_eq!(planes.now(), banked.now());
    prop_assert_eq!((planes.next_event(), planes.is_awake()), (banked.next_event(), banked.is_awake()));
    prop_assert_eq!(planes.registers(), banked.registers());
    prop_assert_eq!((planes.account(), planes.most_blamed()), (banked.account(), banked.most_blamed()));
    prop_assert_eq!(planes.lane_stats().collect::<Vec<_>>(), banked.lane_stats().collect::<Vec<_>>());
    prop_assert_eq!(planes.under_way(), banked.under_way());
    if let Some(snapshot) = planes.snapshot() {
        prop_assert_eq!(snapshot, banked.snapshot());
    }
    let sorted = |mut ids: Vec<WormId>| {
        ids.sort_unstable();
        ids
    };
    prop_assert_eq!(sorted(planes.ids_in_network().collect()), sorted(banked.ids_in_network().collect()));
    if !is_deadlock {
        planes.settle(&mut ());
        banked.settle(&mut ());
        prop_assert_eq!((planes.now(), planes.is_clean()), (banked.now(), banked.is_clean()));
    }
    Ok(())
}

/// Runs planes and the banked engine with samples of banks, and compares these.
fn equal_samples(network: &Network, worms: &[NewWorm]) -> Result<(), TestCaseError> {
    let built = built(network);
    let (mut planes, mut banked) = (Planes::new(&built, has_trees(worms)).expect("covered"), engine(network));
    let (mut of_planes, mut of_banked) = (Sampled::default(), Sampled::default());
    let mut script = Script::new(worms.to_vec());
    let flit_words = network.switch.flit_bits.div_ceil(64) as usize;
    let (lanes, wiring) = (network.lanes(built.wiring()), built.wiring());
    let for_node =
        |s: &OutSample| matches!(wiring.output(s.switch, PortId(lanes.outputs.port(s.lane))), Some(End::Node(_)));
    while planes.now() < CYCLES && (planes.next_event().is_some() || script.next_cycle().is_some()) {
        let now = planes.now();
        while let Some(worm) = script.due(now) {
            planes.create(&worm, true, &mut ());
            banked.create(&worm, true, &mut ());
        }
        planes.cycle(&mut of_planes);
        banked.cycle(&mut of_banked);
        let [told, expected] = [&of_planes, &of_banked].map(|of| of.flits(now, flit_words, for_node));
        prop_assert_eq!(told, expected, "cycle {}", now);
        let (here, there) = (of_planes.lanes(now), of_banked.lanes(now));
        for (&(switch, lane), &(flits, credits, crossed, tail)) in &there {
            let has_output = lane < lanes.outputs.count() && lanes.has_output(wiring, switch, lane);
            let Some(&told) = here.get(&(switch, lane)) else {
                prop_assert_eq!((flits, crossed, tail), (0, false, false), "cycle {}: {} {}", now, switch, lane);
                continue;
            };
            let credits = if has_output { credits } else { told.1 };
            prop_assert_eq!(told, (flits, credits, crossed, tail), "cycle {}: {} {}", now, switch, lane);
        }
        for (place, &(.., crossed, tail)) in &here {
            prop_assert!(!crossed && !tail || there.contains_key(place), "cycle {now}: {place:?}");
        }
        if let Some(next) = [planes.next_event(), banked.next_event(), script.next_cycle()].into_iter().flatten().min()
        {
            planes.skip_to(next);
            banked.skip_to(next);
        }
    }
    Ok(())
}

#[test]
fn a_grid_has_equal_registers_in_every_cycle() {
    let network = network(Topology::Mesh { radices: vec![5, 4] });
    let worms: Vec<_> = (0..400_u32).map(|n| unicast(u64::from(n / 4), n * 7 % 20, n * n % 19, 1 + n % 40)).collect();
    equal_in_every_cycle(&network, &worms).unwrap();
    ends_alike(&network, &worms, &Limits::default()).unwrap();
}

#[test]
fn trees_that_deadlock_do_so_in_the_same_cycle() {
    let mut network = network(Topology::Mesh { radices: vec![4, 4] });
    network.switch.flit_bits = 16;
    let tree = |source: u32| NewWorm {
        destinations: (0..16).filter(|&node| node != source).map(NodeId).collect(),
        encoding: Encoding::BitString,
        ..unicast(u64::from(source), source, 0, 30)
    };
    let worms: Vec<_> = (0..16).map(tree).collect();
    let mut planes = Planes::new(&built(&network), true).unwrap();
    let outcome = run(&mut planes, &mut Script::new(worms.clone()), &Limits::default(), &mut (), |_| ()).unwrap();
    assert!(matches!(outcome, Outcome::Deadlock(_)), "{outcome:?}");
    ends_alike(&network, &worms, &Limits::default()).unwrap();
}

/// Compares planes that evaluate several cycles at once with others that evaluate them one by one.
/// `steps` are the numbers of cycles. Returns the number of reports to an observer.
fn steps_end_alike(network: &Network, worms: &[NewWorm], steps: impl Iterator<Item = u64>, threads: usize) -> usize {
    let [mut single, mut skewed] = [(); 2].map(|()| Planes::new(&built(network), false).unwrap());
    skewed.use_threads(threads);
    let (mut one_by_one, mut at_once, mut done) = (Told::default(), Told::default(), 0);
    for step in steps {
        let to = skewed.now() + step;
        let due = worms[done..].partition_point(|worm| worm.cycle < to);
        let new: Vec<_> = worms[done..done + due].iter().map(|worm| (worm.clone(), true)).collect();
        done += due;
        let mut script = new.iter().peekable();
        while single.now() < to {
            while let Some((worm, _)) = script.next_if(|(worm, _)| worm.cycle == single.now()) {
                single.create(worm, true, &mut one_by_one);
            }
            single.cycle(&mut one_by_one);
        }
        skewed.advance(to, &new, &mut at_once);
        assert!(single.registers() == skewed.registers(), "{} before cycle {to}", network.describe());
        assert_eq!((single.account(), single.totals()), (skewed.account(), skewed.totals()));
        assert_eq!((single.next_event(), single.is_awake()), (skewed.next_event(), skewed.is_awake()));
        assert_eq!(single.most_blamed(), skewed.most_blamed());
        assert!(single.lane_stats().eq(skewed.lane_stats()));
    }
    assert!(at_once == one_by_one);
    at_once.0.len()
}

/// Worms among all nodes, some of them long.
fn spread(network: &Network, count: u32, a_cycle: u32) -> Vec<NewWorm> {
    let nodes = network.nodes();
    let worm = |n: u32| unicast(u64::from(n / a_cycle), n * 7919 % nodes, n * n % nodes, 1 + n % 40);
    (0..count).map(worm).collect()
}

#[test]
fn several_cycles_at_once_end_as_one_by_one() {
    for radices in [vec![90, 41], vec![3000], vec![15, 16, 15]] {
        let network = network(Topology::Mesh { radices });
        assert!(steps_end_alike(&network, &spread(&network, 2000, 9), (1..20).cycle().take(60), 1) > 2000);
    }
}

#[test]
fn threads_end_as_one() {
    for (radices, most) in [(vec![40, 950], 6), (vec![100, 130], 2), (vec![12, 20, 80], 3), (vec![60_000], 9)] {
        let network = network(Topology::Mesh { radices });
        assert_eq!(threads(&network, false, 100), most, "{}", network.describe());
        // A call has one stretch, many whole ones, or a last one that is short.
        let steps = [3, 250, 16, 33, 1, 130].into_iter();
        assert!(steps_end_alike(&network, &spread(&network, 6000, 40), steps, most.min(3)) > 6000);
    }
}

#[test]
fn a_message_in_a_million_cycles_costs_the_cycles_that_it_takes() {
    let network = network(Topology::Mesh { radices: vec![32, 32] });
    let worms: Vec<_> = (0..20).map(|n| unicast(1_000_000 * n, 40, 1000, 15)).collect();
    let mut planes = Planes::new(&built(&network), false).unwrap();
    run(&mut planes, &mut Script::new(worms), &Limits::default(), &mut (), |_| ()).unwrap();
    // There are two chunks of 512 routers, and the path takes some hundred cycles.
    let evaluations = planes.totals().evaluations;
    assert!(planes.now() > 19_000_000 && evaluations < 20 * 200 * 1024, "{evaluations}");
    ends_alike(&network, &(0..3).map(|n| unicast(1_000_000 * n, 40, 1000, 15)).collect::<Vec<_>>(), &Limits::default())
        .unwrap();
}

/// Meshes for several threads.
fn large() -> impl Strategy<Value = Network> {
    let radices = prop_oneof![
        (12_000..60_000u32).prop_map(|nodes| vec![nodes]),
        (3..=150u32, 120..=400u32).prop_map(|(x, y)| vec![x, y]),
        (2..=12u32, 2..=12u32, 60..=200u32).prop_map(|(x, y, z)| vec![x, y, z]),
    ];
    (covered(), radices).prop_map(|(mut network, radices)| {
        let (switch, node) = (&mut network.switch, &mut network.node);
        network.topology = Topology::Mesh { radices };
        (switch.virtual_channels, node.virtual_channels, switch.port_order) = (1, None, None);
        network
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: runs().cases.div_ceil(50), max_shrink_iters: 50, ..runs() })]

    #[test]
    fn threads_have_equal_registers(
        network in large(), drafts in drafts(2000, 200), steps in prop::collection::vec(100..300_u64, 2..5),
        threads in 2..5_usize,
    ) {
        let mut worms = worms(&network, &drafts, Kind::Unicast);
        worms.sort_by_key(|worm| worm.cycle);
        prop_assert!(steps_end_alike(&network, &worms, steps.into_iter(), threads) >= worms.len());
    }
}

proptest! {
    #![proptest_config(runs())]

    #[test]
    fn planes_have_equal_registers_in_every_cycle(
        network in covered(), few in drafts(24, 60), many in drafts(150, 60), is_loaded: bool, kind in kinds(),
    ) {
        let drafts: &[Draft] = if is_loaded { &many } else { &few };
        equal_in_every_cycle(&network, &worms(&network, drafts, for_network(&network, kind)))?;
    }

    #[test]
    fn planes_have_the_samples_of_the_banked_engine(
        network in covered(), few in drafts(24, 60), many in drafts(150, 60), is_loaded: bool, kind in kinds(),
    ) {
        let drafts: &[Draft] = if is_loaded { &many } else { &few };
        equal_samples(&network, &worms(&network, drafts, for_network(&network, kind)))?;
    }

    #[test]
    fn runs_of_planes_end_as_those_of_the_banked_engine(
        network in covered(), few in drafts(24, 600), many in drafts(150, 60), is_loaded: bool,
        max_cycles in 1..900_u64, is_long: bool, kind in kinds(),
    ) {
        let drafts: &[Draft] = if is_loaded { &many } else { &few };
        let max_cycles = if is_long { u64::MAX } else { max_cycles };
        let limits = Limits { max_cycles, ..Limits::default() };
        ends_alike(&network, &worms(&network, drafts, for_network(&network, kind)), &limits)?;
    }
}
