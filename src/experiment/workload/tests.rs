use wormscope_hw::Encoding;

use super::*;
use crate::engine::Drain;
use crate::experiment::{Draw, Group, GroupNodes, Pattern, Process, Run, Traffic};
use crate::network::routing::label::Labels;
use crate::network::{Link, Network, Node, Routing, Switch, Topology, UniMinKind};

fn network(radices: &[u32]) -> Network {
    Network {
        topology: Topology::Mesh { radices: radices.to_vec() },
        routing: Some(Routing::DimensionOrder),
        switch: Switch::default(),
        link: Link::default(),
        node: Node::default(),
        token_ring: None,
        clock_ns: None,
        reach_limit_mib: 1,
    }
}

fn experiment(radices: &[u32], workload: Vec<Workload>, cycles: u64) -> Experiment {
    let run = Run { measure_cycles: Some(cycles), drain: Drain::Empty, ..Run::default() };
    Experiment { network: network(radices), groups: Vec::new(), classes: Vec::new(), workload, run }
}

fn traffic(load: f64) -> Traffic {
    Traffic {
        load: Some(load),
        process: Process::Bernoulli,
        pattern: Pattern::Uniform,
        payload_flits: Some(7),
        ..Traffic::default()
    }
}

fn message(cycle: u64, source: u32, payload_flits: u32) -> Message {
    Message { cycle, source, destinations: vec![source + 1], encoding: None, class: None, payload_flits }
}

fn stimulus(experiment: &Experiment) -> Stimulus {
    Stimulus::new(experiment, |path| unreachable!("no trace {path}")).unwrap()
}

fn all(experiment: &Experiment) -> Vec<NewWorm> {
    let mut stimulus = stimulus(experiment);
    std::iter::from_fn(|| stimulus.pop(u64::MAX).unwrap()).collect()
}

/// Flits per node and cycle that the worms put into the network, with headers of 64-bit flits.
fn measured_load(worms: &[NewWorm], nodes: u64, cycles: u64) -> f64 {
    // Trees have bit-string headers here.
    let header = |worm: &NewWorm| match worm.encoding.way() {
        Way::Unicast => 1,
        Way::Tree => nodes.div_ceil(64),
        Way::Path => worm.destinations.len() as u64,
    };
    let flits: u64 = worms.iter().map(|worm| header(worm) + u64::from(worm.payload_flits)).sum();
    flits as f64 / (nodes * cycles) as f64
}

/// Squared coefficient of variation of the gaps between a node's messages, over all nodes.
fn variation(worms: &[NewWorm], nodes: u32) -> f64 {
    let gaps: Vec<f64> = (0..nodes)
        .flat_map(|node| {
            let cycles: Vec<u64> = worms.iter().filter(|worm| worm.source.0 == node).map(|worm| worm.cycle).collect();
            cycles.windows(2).map(|w| (w[1] - w[0]) as f64).collect::<Vec<_>>()
        })
        .collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64 / mean.powi(2)
}

#[test]
fn lists_are_sorted_by_cycle_and_keep_their_order_within_one() {
    let list = Workload::Messages(vec![message(9, 0, 1), message(2, 3, 2), message(9, 5, 3), message(2, 1, 4)]);
    let worms = all(&experiment(&[4, 4], vec![list], 100));
    let order: Vec<_> = worms.iter().map(|worm| (worm.cycle, worm.payload_flits)).collect();
    assert_eq!(order, [(2, 2), (2, 4), (9, 1), (9, 3)]);
}

#[test]
fn entries_that_share_a_cycle_come_in_the_order_of_the_config() {
    let lists =
        vec![Workload::Messages(vec![message(5, 9, 1)]), Workload::Messages(vec![message(5, 2, 2), message(1, 0, 3)])];
    let order: Vec<_> = all(&experiment(&[4, 4], lists, 100)).iter().map(|worm| worm.payload_flits).collect();
    assert_eq!(order, [3, 1, 2]);
}

#[test]
fn a_worm_is_not_popped_before_its_cycle() {
    let mut stimulus = stimulus(&experiment(&[4, 4], vec![Workload::Messages(vec![message(5, 9, 1)])], 100));
    assert_eq!(stimulus.next_cycle(), Some(5));
    assert_eq!(stimulus.pop(4).unwrap(), None);
    assert_eq!(stimulus.pop(5).unwrap().map(|worm| worm.cycle), Some(5));
    assert_eq!((stimulus.next_cycle(), stimulus.pop(u64::MAX).unwrap()), (None, None));
}

#[test]
fn bit_strings_name_their_destinations_in_order_of_nodes_and_multidestination_worms_as_given() {
    let to = |encoding| Message { destinations: vec![7, 3, 5], encoding: Some(encoding), ..message(0, 0, 1) };
    let list = Workload::Messages(vec![to(Encoding::BitString), to(Encoding::Multidestination)]);
    let worms = all(&experiment(&[4, 4], vec![list], 100));
    assert_eq!(*worms[0].destinations, [NodeId(3), NodeId(5), NodeId(7)]);
    assert_eq!(*worms[1].destinations, [NodeId(7), NodeId(3), NodeId(5)]);
}

const TRACE: &str = "cycle,source,destinations,encoding,payload_flits\n3,0,1,,1\n8,1,2 3,bit_string,1\n9,1,99,,1\n";

#[test]
fn a_trace_is_read_as_it_goes_and_its_error_comes_after_the_good_messages() {
    let config = experiment(&[4, 4], vec![Workload::Trace("t.csv".into())], 100);
    let mut stimulus =
        Stimulus::new(&config, |path| Ok(Box::new(TraceCsv::new(path, TRACE.as_bytes(), &config.network)?))).unwrap();
    assert_eq!(stimulus.pop(10).unwrap().unwrap().cycle, 3);
    assert_eq!(stimulus.pop(10).unwrap().unwrap().cycle, 8);
    assert_eq!(stimulus.next_cycle(), Some(8));
    let error = stimulus.pop(10).unwrap_err().to_string();
    assert!(error.starts_with("t.csv:4:5: destinations: node 99 is outside"), "{error}");
    assert_eq!(stimulus.next_cycle(), None);
}

#[test]
fn a_trace_is_found_beside_the_config_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mesh.ron");
    let trace = directory.path().join("t.csv");
    let text = r#"(network: (topology: mesh(radices: [4, 4])), workload: [trace("t.csv")])"#;
    std::fs::write(&path, text).unwrap();
    let loaded = crate::config::load(&path, &[]).unwrap();
    let error = Stimulus::load(&loaded).err().unwrap().to_string();
    assert!(error.starts_with(&format!("{}: cannot be read", trace.display())), "{error}");
    std::fs::write(&trace, TRACE).unwrap();
    assert_eq!(Stimulus::load(&loaded).unwrap().next_cycle(), Some(3));
}

#[test]
fn random_traffic_is_a_function_of_the_seed() {
    let mut config = experiment(&[4, 4], vec![Workload::Traffic(traffic(0.3))], 2000);
    let first = all(&config);
    assert_eq!(first, all(&config));
    config.run.seed = 2;
    assert_ne!(first, all(&config));
    // The expected numbers come from a SplitMix64 written by hand in another language. Every
    // machine has the same bits.
    let head: Vec<_> = first.iter().take(4).map(|w| (w.cycle, w.source.0, w.destinations[0].0)).collect();
    assert_eq!(head, GOLDEN);
}

#[test]
fn random_traffic_comes_in_order_of_cycle_and_node() {
    for process in [Process::Bernoulli, Process::Exponential] {
        let config = experiment(&[4, 4], vec![Workload::Traffic(Traffic { process, ..traffic(4.0) })], 500);
        let order: Vec<_> = all(&config).iter().map(|worm| (worm.cycle, worm.source)).collect();
        assert!(order.is_sorted());
        let twice = order.windows(2).any(|w| w[0] == w[1]);
        assert_eq!(twice, process == Process::Exponential, "only an exponential node sends twice in a cycle");
    }
}

#[test]
fn when_messages_are_created_does_not_depend_on_whom_they_go_to() {
    let with = |pattern| {
        let config = experiment(&[4, 4], vec![Workload::Traffic(Traffic { pattern, ..traffic(0.3) })], 2000);
        all(&config).iter().map(|worm| (worm.cycle, worm.source)).collect::<Vec<_>>()
    };
    assert_eq!(with(Pattern::Uniform), with(Pattern::HotSpot { nodes: vec![1], share: 0.5 }));
}

#[test]
fn two_entries_of_the_same_traffic_are_independent() {
    let entry = Workload::Traffic(traffic(0.3));
    let one = all(&experiment(&[4, 4], vec![entry.clone()], 1000));
    let two = all(&experiment(&[4, 4], vec![entry.clone(), entry], 1000));
    assert!(one.iter().all(|worm| two.contains(worm)));
    assert!(
        two.len() > one.len() * 3 / 2 && two.iter().filter(|worm| one.contains(worm)).count() < one.len() * 11 / 10
    );
}

#[test]
fn every_process_and_encoding_offers_its_load() {
    let multicast = |encoding| Traffic { encoding, destinations: Some(5), ..traffic(0.2) };
    for process in [Process::Bernoulli, Process::Exponential] {
        for entry in
            [traffic(0.4), traffic(0.01), multicast(Encoding::BitString), multicast(Encoding::Multidestination)]
        {
            for routing in [Routing::DimensionOrder, Routing::LabelOrder] {
                let entry = Traffic { process, ..entry.clone() };
                let mut config = experiment(&[9, 8], vec![Workload::Traffic(entry.clone())], 20_000);
                config.network.routing = Some(routing);
                let worms = all(&config);
                let load = measured_load(&worms, 72, 20_000);
                let asked = entry.load.unwrap();
                // A message has about 30 flits at most. The bound is 5 standard deviations.
                let messages = asked * 72.0 * 20_000.0 / 30.0;
                assert!((load / asked - 1.0).abs() < 5.0 / messages.sqrt(), "{entry:?} {routing:?} offers {load}");
            }
        }
    }
}

#[test]
fn lengths_and_counts_that_are_drawn_offer_their_load() {
    let lengths = Some(Draw::Uniform { least: 1, most: 31 });
    let counts = Some(Draw::Normal { mean: 36.0, deviation: 18.0, least: 1, most: 71 });
    let drawn = |encoding| Traffic { encoding, lengths, counts, payload_flits: None, ..traffic(0.4) };
    for (entry, routing) in [
        (Traffic { lengths, payload_flits: None, ..traffic(0.4) }, Routing::DimensionOrder),
        (drawn(Encoding::BitString), Routing::DimensionOrder),
        (drawn(Encoding::Multidestination), Routing::LabelOrder),
    ] {
        let mut config = experiment(&[9, 8], vec![Workload::Traffic(entry.clone())], 20_000);
        config.network.routing = Some(routing);
        let worms = all(&config);
        let load = measured_load(&worms, 72, 20_000);
        assert!((load / 0.4 - 1.0).abs() < 0.025, "{entry:?} offers {load}");
        let lengths: std::collections::BTreeSet<u32> = worms.iter().map(|worm| worm.payload_flits).collect();
        assert!(lengths.into_iter().eq(1..=31));
        if entry.encoding == Encoding::BitString {
            let counts: Vec<f64> = worms.iter().map(|worm| worm.destinations.len() as f64).collect();
            let mean = counts.iter().sum::<f64>() / counts.len() as f64;
            assert!((mean - 36.0).abs() < 0.5 && counts.iter().any(|&n| n < 4.0) && counts.iter().any(|&n| n > 68.0));
        }
    }
}

#[test]
fn what_is_always_the_same_is_drawn_as_if_it_were_given() {
    let given = Traffic { encoding: Encoding::BitString, destinations: Some(5), ..traffic(0.4) };
    let drawn = Traffic {
        counts: Some(Draw::Exactly(5)),
        lengths: Some(Draw::Exactly(7)),
        destinations: None,
        payload_flits: None,
        ..given.clone()
    };
    let of = |entry| all(&experiment(&[4, 4], vec![Workload::Traffic(entry)], 2000));
    assert_eq!(of(given), of(drawn));
}

#[test]
fn whom_a_message_goes_to_does_not_depend_on_its_length() {
    let fixed = Traffic { encoding: Encoding::BitString, destinations: Some(5), ..traffic(0.4) };
    let drawn = Traffic { lengths: Some(Draw::Uniform { least: 4, most: 10 }), payload_flits: None, ..fixed.clone() };
    let of = |entry| {
        let worms = all(&experiment(&[4, 4], vec![Workload::Traffic(entry)], 2000)).into_iter();
        worms.map(|worm| (worm.cycle, worm.source, worm.destinations)).collect::<Vec<_>>()
    };
    assert_eq!(of(fixed), of(drawn));
}

#[test]
fn multiport_worms_offer_their_load_though_their_headers_vary() {
    let entry = Traffic { encoding: Encoding::Multiport, ..traffic(0.4) };
    let mut config = experiment(&[1], vec![Workload::Traffic(entry)], 20_000);
    for (topology, header) in [
        (Topology::UniMin { kind: UniMinKind::Omega, switch_ports: 2, stages: 5 }, None),
        (
            Topology::BiMin { switch_ports: 2, stages: 5 },
            Some(|worm: &NewWorm| 2 * (worm.source.0 ^ worm.destinations[0].0).ilog2() + 1),
        ),
    ] {
        (config.network.topology, config.network.routing) = (topology, None);
        let flits = |worm: &NewWorm| header.map_or(5, |header| header(worm)) + worm.payload_flits;
        let flits: u32 = all(&config).iter().map(flits).sum();
        let load = f64::from(flits) / (32.0 * 20_000.0);
        assert!((load / 0.4 - 1.0).abs() < 0.02, "{:?} offers {load}", config.network.topology);
    }
}

#[test]
fn an_interval_is_a_load_of_one_message_in_so_many_cycles() {
    for process in [Process::Bernoulli, Process::Exponential] {
        let of_load = Traffic { process, ..traffic(0.5) };
        // 8 flits a message.
        let of_interval = Traffic { load: None, interval: Some(16.0), ..of_load.clone() };
        let longer = Traffic { payload_flits: Some(15), ..of_interval.clone() };
        let of = |entry| all(&experiment(&[4, 4], vec![Workload::Traffic(entry)], 20_000));
        let worms = of(of_interval);
        assert_eq!(worms, of(of_load));
        assert!((worms.len() as f64 / (16.0 * 20_000.0 / 16.0) - 1.0).abs() < 0.04);
        let when = |worms: Vec<NewWorm>| worms.into_iter().map(|w| (w.cycle, w.source)).collect::<Vec<_>>();
        assert_eq!(when(worms), when(of(longer)));
    }
}

#[test]
fn gaps_vary_as_their_distribution_says() {
    // A message has 8 flits, so p = 0.25. The squared variation is 1 - p for geometric gaps, and 1
    // for exponential gaps. Rounding down to whole cycles adds 1/6 of a squared cycle, 0.01 here.
    let entry = |process| Workload::Traffic(Traffic { process, ..traffic(2.0) });
    let geometric = variation(&all(&experiment(&[4, 4], vec![entry(Process::Bernoulli)], 20_000)), 16);
    assert!((geometric - 0.75).abs() < 0.02, "{geometric}");
    let exponential = variation(&all(&experiment(&[4, 4], vec![entry(Process::Exponential)], 20_000)), 16);
    assert!((exponential - 1.0).abs() < 0.03, "{exponential}");
}

#[test]
fn a_full_bernoulli_load_sends_in_every_cycle() {
    let config = experiment(&[2], vec![Workload::Traffic(traffic(8.0))], 100);
    let worms = all(&config);
    let expected: Vec<_> = (0..100).flat_map(|cycle| [(cycle, 0), (cycle, 1)]).collect();
    assert_eq!(worms.iter().map(|w| (w.cycle, w.source.0)).collect::<Vec<_>>(), expected);
}

#[test]
fn multicast_destinations_are_distinct_alike_and_without_the_source() {
    let entry = Traffic { encoding: Encoding::BitString, destinations: Some(3), ..traffic(0.4) };
    let worms = all(&experiment(&[3, 3], vec![Workload::Traffic(entry)], 20_000));
    let mut counts = [[0u32; 9]; 9];
    for worm in &worms {
        assert!(worm.destinations.len() == 3 && worm.destinations.is_sorted());
        assert!(worm.destinations.windows(2).all(|w| w[0] != w[1]) && !worm.destinations.contains(&worm.source));
        worm.destinations.iter().for_each(|node| counts[worm.source.index()][node.index()] += 1);
    }
    let expected = worms.len() as f64 * 3.0 / 72.0;
    let pairs = (0..9).flat_map(|s| (0..9).filter(move |&d| d != s).map(move |d| (s, d)));
    assert!(
        pairs.clone().all(|(s, d)| (f64::from(counts[s][d]) - expected).abs() < 5.0 * expected.sqrt()),
        "{counts:?}"
    );
}

#[test]
fn a_broadcast_goes_to_everybody_else() {
    let entry = Traffic { encoding: Encoding::BitString, destinations: Some(8), ..traffic(0.4) };
    for worm in all(&experiment(&[3, 3], vec![Workload::Traffic(entry)], 100)) {
        let others: Vec<NodeId> = (0..9).map(NodeId).filter(|&node| node != worm.source).collect();
        assert_eq!(*worm.destinations, others);
    }
}

#[test]
fn multidestination_traffic_under_label_order_is_split_by_dual_path() {
    let entry = Traffic { encoding: Encoding::Multidestination, destinations: Some(6), ..traffic(0.2) };
    let mut config = experiment(&[4, 4], vec![Workload::Traffic(entry)], 5000);
    config.network.routing = Some(Routing::LabelOrder);
    let wiring = config.network.build().unwrap().wiring().clone();
    let Some(grid) = wiring.grid() else { panic!("a mesh") };
    let labels = Labels::new(grid).unwrap();
    let worms = all(&config);
    let mut messages: Vec<(u64, NodeId, usize)> = Vec::new();
    for worm in &worms {
        let here = labels.label(worm.source);
        let stops: Vec<u32> = worm.destinations.iter().map(|&node| labels.label(node)).collect();
        assert!(stops.windows(2).all(|w| (w[0] < w[1]) == (stops[0] > here)) && !stops.contains(&here));
        match messages.last_mut() {
            Some(last) if (last.0, last.1) == (worm.cycle, worm.source) => last.2 += stops.len(),
            _ => messages.push((worm.cycle, worm.source, stops.len())),
        }
    }
    assert!(messages.iter().all(|&(_, _, destinations)| destinations == 6) && worms.len() > messages.len());
}

#[test]
fn silent_nodes_stay_silent_and_nothing_comes_behind_the_end() {
    let entry = Traffic { pattern: Pattern::Transpose, ..traffic(0.4) };
    let worms = all(&experiment(&[4, 4], vec![Workload::Traffic(entry)], 2000));
    assert!(worms.iter().all(|worm| worm.source.0 % 5 != 0 && worm.cycle < 2000));
    assert!(worms.last().is_some_and(|worm| worm.cycle > 1900));
    assert!(all(&experiment(&[4, 4], vec![Workload::Traffic(traffic(0.0))], 2000)).is_empty());
}

#[test]
fn traffic_goes_on_until_measured_messages_arrived() {
    let mut config = experiment(&[4, 4], vec![Workload::Traffic(traffic(1e-9))], 10);
    config.run.drain = Drain::Measured;
    let mut stimulus = stimulus(&config);
    let mut last = 0;
    for _ in 0..10_000 {
        let worm = stimulus.pop(u64::MAX).unwrap().unwrap();
        assert!(worm.cycle >= last);
        last = worm.cycle;
    }
    // 1e4 messages of 16 nodes at 1e-9 / 8 a cycle.
    assert!((last as f64 / 5e12 - 1.0).abs() < 0.05, "{last}");
}

const GOLDEN: [(u64, u32, u32); 4] = [(1, 5, 3), (2, 2, 0), (4, 6, 14), (6, 4, 14)];

#[test]
fn a_rest_with_some_nodes_has_them_whatever_is_drawn() {
    let text = "(network: (topology: mesh(radices: [4, 4])), groups: [(name: \"drawn\", nodes: random(13)), \
                (name: \"hot\", nodes: rest_with([9]))], workload: [traffic(group: \"hot\", load: 0.5, payload_flits: 1, \
                pattern: hot_spot(nodes: [9], share: 0.5))], run: (measure_cycles: 500, drain: empty))";
    for seed in 0..20 {
        let set = format!("run.seed={seed}");
        let loaded = crate::config::from_text("x.ron", text, &[set]).unwrap();
        let worms = all(&loaded.experiment);
        let mut sources: Vec<NodeId> = worms.iter().map(|worm| worm.source).collect();
        sources.sort_unstable();
        sources.dedup();
        assert!(sources.len() == 3 && sources.contains(&NodeId(9)), "{sources:?}");
    }
}

#[test]
fn traffic_of_a_group_stays_in_it_and_has_its_load() {
    let nodes: Vec<u32> = vec![3, 4, 9, 17, 18, 40, 63];
    for (destinations, pattern) in
        [(1, Pattern::Uniform), (3, Pattern::Uniform), (1, Pattern::HotSpot { nodes: vec![9], share: 0.5 })]
    {
        let encoding = if destinations > 1 { Encoding::BitString } else { Encoding::Unicast };
        let of = Traffic {
            group: Some("g".to_owned()),
            destinations: Some(destinations),
            encoding,
            pattern: pattern.clone(),
            ..traffic(0.2)
        };
        let mut experiment = experiment(&[8, 8], vec![Workload::Traffic(of)], 50_000);
        experiment.groups = vec![Group { name: "g".to_owned(), nodes: GroupNodes::Listed(nodes.clone()) }];
        let worms = all(&experiment);
        let is_of = |node: &NodeId| nodes.contains(&node.0);
        for worm in &worms {
            assert!(is_of(&worm.source) && worm.destinations.iter().all(is_of));
            assert!(!worm.destinations.contains(&worm.source) && worm.destinations.len() == destinations as usize);
        }
        let load = measured_load(&worms, 7, 50_000);
        assert!((load - 0.2).abs() < 0.01, "{load}");
        let hot =
            worms.iter().filter(|worm| worm.destinations.contains(&NodeId(9))).count() as f64 / worms.len() as f64;
        assert_eq!(matches!(pattern, Pattern::HotSpot { .. }), hot > 0.45, "{hot}");
    }
}

/// Every message of 20,000 cycles on a 4x3 mesh with this traffic. Messages have 8 flits.
fn sent(more: &str, groups: &str) -> Vec<NewWorm> {
    sent_by("", more, groups)
}

/// The same with these fields of the switches.
fn sent_by(switch: &str, more: &str, groups: &str) -> Vec<NewWorm> {
    let text = format!(
        "(network: (topology: mesh(radices: [4, 3]), switch: ({switch})), groups: [{groups}], workload: [traffic(payload_flits: 7, {more})], \
         run: (measure_cycles: 20_000, drain: empty))"
    );
    all(&crate::config::from_text("x.ron", &text, &[]).unwrap().experiment)
}

fn sets(worms: &[NewWorm], source: u32) -> Vec<Vec<u32>> {
    let of = worms.iter().filter(|worm| worm.source.0 == source);
    let mut sets: Vec<Vec<u32>> = of.map(|worm| worm.destinations.iter().map(|node| node.0).collect()).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

#[test]
fn a_message_goes_to_the_whole_set_of_its_source() {
    for (pattern, encoding, of_five) in [
        ("row", "coordinate_mask", [4, 6, 7].as_slice()),
        ("column", "bit_string", &[1, 9]),
        ("rectangle(width: 2, height: 2)", "bit_string", &[0, 1, 4]),
        ("neighbours", "bit_string", &[1, 4, 6, 9]),
    ] {
        let worms = sent(&format!("load: 0.2, pattern: {pattern}, encoding: {encoding}"), "");
        assert_eq!(sets(&worms, 5), [of_five.to_vec()], "{pattern}");
        // 7 payload flits, and 2 or 1 of the header.
        let flits = if encoding == "bit_string" { 8.0 } else { 9.0 };
        let load = worms.len() as f64 * flits / (12.0 * 20_000.0);
        assert!((load / 0.2 - 1.0).abs() < 0.05, "{pattern}: {load}");
    }
}

#[test]
fn with_copies_to_sources_a_row_has_its_source() {
    for (traffic, of_five) in [
        ("pattern: row, encoding: coordinate_mask", [4, 5, 6, 7].as_slice()),
        ("pattern: column, encoding: bit_string", &[1, 5, 9]),
        ("pattern: neighbours, encoding: bit_string", &[1, 4, 6, 9]),
        ("pattern: row, encoding: bit_string, group: \"a\"", &[5, 7]),
        ("pattern: column, encoding: bit_string, group: \"a\"", &[]),
    ] {
        let group = "(name: \"a\", nodes: listed([5, 7, 8]))";
        let worms = sent_by("copy_to_source: true", &format!("load: 0.2, {traffic}"), group);
        let expected = if of_five.is_empty() { vec![] } else { vec![of_five.to_vec()] };
        assert_eq!(sets(&worms, 5), expected, "{traffic}");
    }
}

#[test]
fn groups_may_overlap_and_keep_the_members_of_a_set() {
    let groups = "(name: \"a\", nodes: listed([4, 5, 7])), (name: \"b\", nodes: listed([1, 5, 9, 10])), \
                  (name: \"c\", nodes: rest)";
    let of = |name: &str, pattern: &str| {
        sent(&format!("load: 0.1, group: \"{name}\", pattern: {pattern}, encoding: bit_string"), groups)
    };
    assert_eq!(sets(&of("a", "row"), 5), [[4, 7]]);
    let column = of("b", "column");
    assert_eq!(sets(&column, 5), [[1, 9]]);
    assert_eq!(sets(&column, 10), [[0; 0]; 0], "the group has no other node of its column");
    let rest = of("c", "uniform");
    let mut sources: Vec<u32> = rest.iter().map(|worm| worm.source.0).collect();
    sources.sort_unstable();
    sources.dedup();
    assert_eq!(sources, [0, 2, 3, 6, 8, 11]);
}

#[test]
fn a_permutation_and_a_matrix_lead_where_they_say() {
    let worms = sent("load: 0.1, pattern: permutation([1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10])", "");
    assert_eq!([0, 1, 2, 10].map(|node| sets(&worms, node)), [vec![vec![1]], vec![vec![0]], vec![], vec![vec![11]]]);
    let matrix = "matrix(text: \"source,destination,weight\\n0,3,3\\n0,4,1\\n7,0,2\\n\")";
    for process in ["bernoulli", "exponential"] {
        let worms = sent(&format!("load: 0.1, process: {process}, pattern: {matrix}"), "");
        let of = |from: u32, to: u32| {
            worms.iter().filter(|worm| worm.source.0 == from && worm.destinations[0].0 == to).count() as f64
        };
        // 12 nodes of 0.1 flits a cycle send 3,000 messages: half of them, a sixth and a third.
        let (all, near) = (worms.len() as f64, |count: f64, part: f64| (count / 3_000.0 - part).abs() < 0.04);
        assert!(near(all, 1.0) && near(of(0, 3), 0.5) && near(of(0, 4), 1.0 / 6.0) && near(of(7, 0), 1.0 / 3.0));
    }
}

#[test]
fn bursts_have_the_mean_load_and_vary_more_than_exponential_gaps() {
    for (process, least) in [
        ("on_off(on: 100, off: 300)", 3.0),
        ("pareto(on: 100, off: 300, shape: 3)", 2.0),
        // Nearly no gap: the same as exponential.
        ("on_off(on: 10000, off: 1)", 0.9),
    ] {
        let worms = sent(&format!("load: 0.2, process: {process}"), "");
        let load = worms.len() as f64 * 8.0 / (12.0 * 20_000.0);
        assert!((load / 0.2 - 1.0).abs() < 0.1, "{process}: {load}");
        let variation = variation(&worms, 12);
        assert!(variation > least && (least > 1.0 || variation < 1.1), "{process}: {variation}");
    }
}

#[test]
fn messages_are_created_from_a_cycle_and_until_another() {
    for process in ["bernoulli", "exponential", "on_off(on: 100, off: 100)", "steps(dimension: 0)"] {
        let worms = sent(&format!("load: 0.2, process: {process}, from: 5000, until: 9000"), "");
        assert!(worms.iter().all(|worm| (5_000..9_000).contains(&worm.cycle)), "{process}");
        let load = worms.len() as f64 * 8.0 / (12.0 * 4_000.0);
        assert!((load / 0.2 - 1.0).abs() < 0.15, "{process}: {load}");
    }
}

#[test]
fn nodes_take_turns_by_their_coordinate() {
    let worms = sent("interval: 400, process: steps(dimension: 0), from: 1000, until: 1800", "");
    let mut cycles: Vec<(u64, u32)> = worms.iter().map(|worm| (worm.cycle, worm.source.0)).collect();
    cycles.sort_unstable();
    let turn = |cycle: u64, x: u32| [0, 4, 8].map(|row| (cycle, row + x)).to_vec();
    let round = |from: u64| (0..4).flat_map(move |x| turn(from + 100 * u64::from(x), x));
    assert_eq!(cycles, round(1_000).chain(round(1_400)).collect::<Vec<_>>());
}
