//! Token rings: one token each, waits as the paper counts them, latencies to the cycle.

use wormscope::engine::{CommitLog, NewWorm, Observer};
use wormscope::hw::token_ring::Reg as Place;
use wormscope::hw::{Encoding, HeaderTiming, NodeId, PortId, SwitchId, TokenSpan};
use wormscope::network::routing::grouping;
use wormscope::network::routing::grouping::Group;
use wormscope::network::{Built, End, Network, TokenRing, Topology, UniMinKind, header_flits};
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{built, network, step, unicast, wiring, worm};
use wormscope_testbenches::random::{Kind, cases, drafts, mins, networks, not_synchronous, worms};
use wormscope_testbenches::{Arrivals, Script, engine, rings};

use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_ring_has_one_token_one_worm_copies_and_every_request_is_served_within_the_bound(
        mut network in networks(mins()), drafts in drafts(24, 40)
    ) {
        // With less than a group, worms may deadlock with their tokens.
        let ring = TokenRing { span: TokenSpan::Group, ..network.token_ring.unwrap_or_default() };
        (network.token_ring, network.routing) = (Some(ring), None);
        not_synchronous(&mut network);
        let worms = worms(&network, &drafts, Kind::Trees);
        rings::watch(&network, worms).map_err(TestCaseError::fail)?;
    }
}

fn uni_min(switch_ports: u32, stages: u32) -> Topology {
    Topology::UniMin { kind: UniMinKind::Baseline, switch_ports, stages }
}

fn with_ring(topology: Topology, hop_cycles: u32) -> Network {
    let mut network = network(topology);
    network.token_ring = Some(TokenRing { hop_cycles, ..TokenRing::default() });
    network
}

/// Cycles from creation to the last tail of a worm alone.
fn latency(network: &Network, worm: &NewWorm) -> u64 {
    let (mut engine, mut script, mut seen) = (engine(network), Script::new(vec![worm.clone()]), Arrivals::default());
    let run =
        wormscope::simulation::run(&mut engine, &mut script, &wormscope::engine::Limits::default(), &mut seen, |_| ());
    assert_eq!(run, Ok(Outcome::Done));
    seen.0.iter().map(|d| d.tail).max().expect("deliveries") - worm.cycle
}

#[test]
fn requests_at_all_times_alike_wait_half_the_ring_on_average() {
    // The only branching is in stage 0 (UNI-MIN), or at the turn in the last stage (BI-MIN). The
    // rings there have all rows.
    let rings = [
        (uni_min(2, 3), 4),
        (uni_min(2, 4), 8),
        (uni_min(4, 2), 4),
        (Topology::BiMin { switch_ports: 2, stages: 4 }, 8),
    ];
    for (topology, rows) in rings {
        for hop in 1..=3 {
            let network = with_ring(topology.clone(), hop);
            let alone = Network { token_ring: None, ..network.clone() };
            let (last, round) = (network.nodes() - 1, u64::from(rows * hop));
            let waits: Vec<u64> = (0..round)
                .map(|cycle| {
                    let worm = worm(cycle, 0, &[1, last], Encoding::BitString, 8);
                    latency(&network, &worm) - latency(&alone, &worm)
                })
                .collect();
            // Each wait from 0 to N h - 1 occurs once, so the mean is (N h - 1) / 2. The paper has
            // N h / 2, for requests at any time within the cycle before.
            let mut sorted = waits.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..round).collect::<Vec<_>>(), "{topology:?}, {hop} cycles a hop: {waits:?}");
        }
    }
}

#[test]
fn a_ring_of_one_switch_costs_nothing() {
    for hop in [1, 5] {
        for cycle in 0..12 {
            let network = with_ring(uni_min(2, 3), hop);
            let worm = worm(cycle, 0, &[6, 7], Encoding::BitString, 8);
            assert_eq!(latency(&network, &worm), latency(&Network { token_ring: None, ..network }, &worm));
        }
    }
}

/// Steps until `until` holds for the first ring that is held. It gets the flits that the ring's
/// stations have forwarded. Returns these, and the deliveries so far.
fn until_held(network: &Network, worms: Vec<NewWorm>, until: impl Fn(u32) -> bool) -> Option<(u32, Arrivals)> {
    let (mut engine, mut script, mut seen) = (engine(network), Script::new(worms), Arrivals::default());
    while engine.next_event().is_some() || script.next_cycle().is_some() {
        step(&mut engine, &mut script, &mut seen);
        for ring in engine.registers().rings {
            if let Place::Held(k) = ring.token
                && until(ring.stations[k as usize].1.forwarded)
            {
                return Some((ring.stations[k as usize].1.forwarded, seen));
            }
        }
    }
    None
}

#[test]
fn the_printed_release_bound_is_too_short_on_backward_stages() {
    // A long unicast keeps n1's channel. The multicast turns at stage 2 of 3, and its head towards
    // n1 stands at stage 0.
    let network = with_ring(Topology::BiMin { switch_ports: 2, stages: 3 }, 1);
    let b = network.switch.fifo_depth;
    let (n, j) = (3, 2);
    let worms = vec![unicast(0, 0, 1, 200), worm(20, 4, &[1, 6], Encoding::BitString, 40)];
    // More than B * (n - j) flits have left the turn, and the token is still held. This is right,
    // as the head has not arrived.
    let (forwarded, seen) = until_held(&network, worms.clone(), |forwarded| forwarded > b * (n - j)).expect("held");
    assert!(forwarded <= b * (j + 1));
    assert_eq!(seen.of(1, 1), None);
    rings::watch(&network, worms).unwrap();
}

#[test]
fn a_worm_shorter_than_the_release_bound_releases_with_its_tail() {
    let network = with_ring(uni_min(2, 4), 1);
    let bound = network.switch.fifo_depth * 4;
    for payload in [1, 2, bound - 2, bound - 1, bound, bound + 1, 3 * bound] {
        let flits = payload + 1;
        // The worm branches in stage 0 only. Its flits are popped one a cycle from the capture on,
        // as FIFOs are deep enough for the loop of credits.
        let served = rings::watch(&network, vec![worm(0, 0, &[1, 15], Encoding::BitString, payload)]).unwrap();
        assert_eq!(served.len(), 1);
        assert_eq!(served[0].released + 1 - served[0].captured, u64::from(flits.min(bound + 1)), "{flits} flits");
    }
}

/// Every hop of a worm alone, derived from routes and groups: when its last tail arrives.
struct Alone<'a> {
    network: &'a Network,
    built: Built,
    groups: Vec<Group>,
}

impl Alone<'_> {
    fn new(network: &Network) -> Alone<'_> {
        let built = built(network);
        let groups = grouping::rings(network, built.wiring());
        Alone { network, built, groups }
    }

    /// Cycle in which the token is at `switch`, from cycle `t` on.
    fn token(&self, switch: SwitchId, t: u64) -> u64 {
        let Some(ring) = self.network.token_ring else { return t };
        let Some(group) = self.groups.iter().find(|g| g.switches.contains(&switch)) else { return t };
        if group.switches.len() == 1 {
            return t;
        }
        let place = group.switches.iter().position(|s| *s == switch).unwrap() as u64 * u64::from(ring.hop_cycles);
        let round = group.switches.len() as u64 * u64::from(ring.hop_cycles);
        t + (place + round - t % round) % round
    }

    /// The cycle in which the last head arrives, for a worm that comes into `switch` in cycle `t`.
    fn last_head(&self, switch: SwitchId, to: &[NodeId], t: u64) -> u64 {
        let s = &self.network.switch;
        let header = header_flits(self.network, Encoding::BitString, to.len() as u32);
        let assembly = if s.header_timing == HeaderTiming::Store { header - 1 } else { 0 };
        let mut ways: Vec<(u8, Vec<NodeId>)> = Vec::new();
        let up = self.built.wiring().climbs().first().map(|climb| climb.first());
        let port = |&d: &NodeId| self.built.routes().port(switch, d);
        // On the way up they go together, as long as one has to go further.
        let together = to.iter().map(port).find(|port| Some(*port) == up);
        for d in to {
            let port = together.unwrap_or(port(d));
            match ways.iter_mut().find(|(p, _)| *p == port) {
                Some((_, nodes)) => nodes.push(*d),
                None => ways.push((port, vec![*d])),
            }
        }
        let decided = t + u64::from(assembly + s.routing_cycles);
        let granted = if ways.len() > 1 { self.token(switch, decided) } else { decided };
        let crosses = granted + u64::from(s.allocation_cycles + s.crossbar_cycles);
        let arrivals =
            ways.iter().map(|(port, nodes)| match self.built.wiring().output(switch, PortId(*port)).expect("a link") {
                End::Node(_) => crosses + u64::from(self.network.node.consumption_link.link_cycles),
                End::Switch(far, _) => self.last_head(far, nodes, crosses + u64::from(self.network.link.link_cycles)),
            });
        arrivals.max().expect("a way")
    }

    /// Start-up, routing, tokens, and one flit time for each flit.
    fn latency(&self, worm: &NewWorm) -> u64 {
        let node = &self.network.node;
        let there = worm.cycle + u64::from(node.startup_cycles + node.injection_link.link_cycles);
        let flits = header_flits(self.network, worm.encoding, worm.destinations.len() as u32) + worm.payload_flits;
        let head = self.last_head(self.built.wiring().injection(worm.source).0, &worm.destinations, there);
        head + u64::from(flits - 1) - worm.cycle
    }
}

/// Some destinations among the nodes, spread by a stride that visits all of them.
fn spread(nodes: u32, source: u32, count: u32, stride: u32) -> Vec<u32> {
    let mut some: Vec<u32> = (1..nodes).map(|i| (source + i * stride) % nodes).take(count as usize).collect();
    some.sort_unstable();
    some
}

/// Networks of 16, 64 and 256 nodes of 2x2, 4x4, 8x8 and 16x16 switches. The parameters are those
/// of [ATBM] section 5.1: 16-bit flits of 20 ns, routing in 60 ns, start-up in 500 ns. There are 64
/// payload flits, and FIFOs hold a header.
fn published() -> impl Iterator<Item = Network> {
    let sizes = [(2, 4), (4, 2), (2, 6), (4, 3), (8, 2), (2, 8), (4, 4), (16, 2)];
    sizes.into_iter().flat_map(|(b, n)| [uni_min(b, n), Topology::BiMin { switch_ports: b, stages: n }]).flat_map(
        |topology| {
            [HeaderTiming::Overlapped, HeaderTiming::Store].map(|timing| {
                let mut network = with_ring(topology.clone(), 1);
                network.switch.header_timing = timing;
                network.switch.flit_bits = 16;
                network.switch.fifo_depth = header_flits(&network, Encoding::BitString, 2).max(2);
                network.switch.routing_cycles = 3;
                network.node.startup_cycles = 25;
                network
            })
        },
    )
}

#[test]
fn contention_free_latency_is_start_up_plus_routing_plus_tokens_plus_one_flit_time_for_each_flit() {
    for network in published() {
        let (alone, nodes) = (Alone::new(&network), network.nodes());
        for (case, count) in [1, 2, 3, 5, nodes / 4, nodes / 2, nodes - 1].into_iter().enumerate() {
            for stride in [1, 3, 7] {
                let source = (case as u32 * 37 + stride) % nodes;
                let to = spread(nodes, source, count, stride);
                let worm = worm(case as u64 * 11 + u64::from(stride), source, &to, Encoding::BitString, 64);
                assert_eq!(latency(&network, &worm), alone.latency(&worm), "{network:?} {worm:?}");
            }
        }
    }
}

#[test]
fn contention_free_latency_does_not_grow_with_the_number_of_destinations() {
    for network in published() {
        let free = Network { token_ring: None, ..network.clone() };
        let (nodes, groups) = (network.nodes(), grouping::of(&wiring(&network), true));
        // From n0 the worm goes to the last node, which is as far as any. Then it goes to more and
        // more others.
        let far = worm(0, 0, &[nodes - 1], Encoding::BitString, 64);
        let one = latency(&free, &far);
        let mut longest: Vec<(u32, u64)> = groups.iter().map(|g| (g.stage, g.switches.len() as u64)).collect();
        longest.sort_unstable();
        longest.dedup();
        let most: u64 = longest.iter().map(|(_, size)| size - 1).sum();
        for count in [2, 3, 4, nodes / 2, nodes - 2] {
            let mut to = spread(nodes - 1, 0, count - 1, 1);
            to.push(nodes - 1);
            let worm = worm(3, 0, &to, Encoding::BitString, 64);
            assert_eq!(latency(&free, &worm), one, "{count} destinations without tokens");
            assert!(latency(&network, &worm) - one <= most, "{count} destinations, tokens of at most {most} cycles");
        }
    }
}

/// Watches the cycles before a given one.
struct Before {
    end: u64,
    now: u64,
}

impl Observer for Before {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.now = log.cycle;
    }

    fn wants_commits(&self) -> bool {
        self.now < self.end
    }
}

#[test]
fn a_token_that_was_watched_lets_the_network_fall_asleep() {
    let network = with_ring(Topology::BiMin { switch_ports: 2, stages: 3 }, 3);
    let worm = worm(0, 0, &spread(8, 0, 3, 2), Encoding::BitString, 4);
    for end in 0..60 {
        let (mut engine, mut script) = (engine(&network), Script::new(vec![worm.clone()]));
        let run = wormscope::simulation::run(
            &mut engine,
            &mut script,
            &wormscope::engine::Limits::default(),
            &mut Before { end, now: 0 },
            |_| (),
        );
        assert_eq!(run, Ok(Outcome::Done));
        for _ in 0..1000 {
            if let Some(next) = engine.next_event() {
                engine.skip_to(next);
                engine.cycle(&mut ());
            }
        }
        assert_eq!(engine.next_event(), None, "watched before cycle {end}");
        assert!(engine.is_clean());
    }
}
