//! Tests of random multicasts in hardware and in software: the same messages, measured in the same
//! way.

use crate::config;
use crate::report::Report;
use crate::report::classes::ClassLatency;
use crate::simulation::Site;

use super::{Watch, run, watched};

/// Multicasts of an 8x8 mesh with these parameters of the nodes, performed by the hardware or by an
/// algorithm.
fn multicasts(node: &str, more: &str) -> Report {
    let text = format!(
        "(network: (topology: mesh(radices: [8, 8]), switch: (replication: buffered, fifo_depth: 24), node: ({node})), \
         workload: [traffic(interval: 4000, process: exponential, encoding: bit_string, \
         counts: normal(mean: 12, deviation: 6, least: 1, most: 23), lengths: uniform(least: 1, most: 20), {more})], \
         run: (seed: 5, warmup_cycles: 1000, measure_cycles: 20000))"
    );
    let loaded = config::from_text("x.ron", &text, &[]).unwrap();
    run(&loaded, &Site::of(&loaded).unwrap()).unwrap()
}

fn class<'a>(report: &'a Report, class: &str) -> &'a ClassLatency {
    report.latency_by_class.iter().find(|of| of.class == class).unwrap()
}

#[test]
fn software_performs_the_messages_that_hardware_does() {
    let hardware = multicasts("", "");
    for node in ["", "costs: (hold: (fixed: 20), send: (fixed: 30), receive: (fixed: 20)), send_buffer: 1024"] {
        let software = multicasts(node, "algorithm: \"u_mesh\"");
        let (of_hardware, of_software) = (class(&hardware, "bit_string"), class(&software, "software"));
        assert_eq!(of_hardware.last.count, of_software.last.count, "{node}");
        assert!(of_software.last.count > 200, "{of_software:?}");
        assert!(of_software.first.mean < of_software.mean && of_software.mean < of_software.last.mean);
        assert!(of_hardware.last.mean < of_software.last.mean, "replication in hardware is faster");
        // Each destination has a unicast worm, and none has a row.
        assert!(class(&software, "unicast").last.count > 12 * 200 && software.multicasts.is_empty());
        assert!(software.software_multicasts.is_empty());
        assert!(software.software_multicasts_left_out >= of_software.last.count);
    }
}

#[test]
fn a_multicast_of_random_traffic_takes_as_long_as_one_that_is_asked_for() {
    // The messages are so rare that none meets another.
    let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(interval: 100000, destinations: 15, \
                payload_flits: 8, algorithm: \"u_mesh\")], run: (seed: 5, measure_cycles: 60000))";
    let loaded = config::from_text("x.ron", text, &[]).unwrap();
    let random = run(&loaded, &Site::of(&loaded).unwrap()).unwrap();
    let alone = |source: u32| {
        let text = format!(
            "(network: (topology: mesh(radices: [4, 4])), workload: [multicast(source: {source}, payload_flits: 8, \
             algorithm: \"u_mesh\")])"
        );
        let loaded = config::from_text("x.ron", &text, &[]).unwrap();
        run(&loaded, &Site::of(&loaded).unwrap()).unwrap().software_multicasts[0].last.unwrap()
    };
    let all: Vec<u64> = (0..16).map(alone).collect();
    let found = class(&random, "software");
    assert!(found.last.count > 3, "{found:?}");
    assert!(
        found.last.max <= *all.iter().max().unwrap() && found.last.p50 >= *all.iter().min().unwrap(),
        "{found:?} {all:?}"
    );
}

#[test]
fn classes_are_measured_apart() {
    let text = |class: &str, other: &str| {
        format!(
            "(network: (topology: mesh(radices: [8, 8]), switch: (replication: buffered, fifo_depth: 24)), workload: [
                traffic(load: 0.05, payload_flits: 7, {class}),
                traffic(load: 0.05, payload_flits: 15, {other}),
                multicasts(cycle: 3000, count: 4, destinations: 9, algorithm: \"u_mesh\", payload_flits: 8, {other}),
                messages([(cycle: 2000, source: 1, destinations: [5, 9], encoding: bit_string, {class} payload_flits: 3)]),
             ], run: (seed: 5, warmup_cycles: 1000, measure_cycles: 5000))"
        )
    };
    let report = |text: &str| {
        let loaded = config::from_text("x.ron", text, &[]).unwrap();
        assert!(loaded.experiment.classes().len() < 3);
        run(&loaded, &Site::of(&loaded).unwrap()).unwrap()
    };
    let plain = report(&text("", ""));
    let apart = report(&text("class: \"short\", ", "class: \"long\""));
    // Nothing else changes.
    assert_eq!((plain.totals, &plain.load, plain.packet_latency), (apart.totals, &apart.load, apart.packet_latency));
    assert!(
        plain.load_by_class.is_empty()
            && plain.latency_by_class[..] == apart.latency_by_class[..plain.latency_by_class.len()]
    );
    let [short, long] = &apart.load_by_class[..] else { panic!("{:?}", apart.load_by_class) };
    assert_eq!((short.class.as_str(), long.class.as_str()), ("short", "long"));
    let all = apart.load.as_ref().unwrap();
    assert!((short.offered + long.offered - all.offered).abs() < 1e-9);
    assert!((short.accepted + long.accepted - all.accepted).abs() < 1e-9);
    assert!((short.delivered + long.delivered - all.delivered).abs() < 1e-9);
    assert!((short.offered - 0.05).abs() < 0.005 && short.delivered > 0.0, "{short:?}");
    // Multicasts in software are one message each, and so is the worm to two nodes.
    let messages = class(&apart, "short").last.count + class(&apart, "long").last.count;
    let parts = 4 * 9;
    assert_eq!(messages, class(&apart, "all").last.count - parts + 4);
    assert!(class(&apart, "long").last.max >= class(&apart, "software").last.max);
    assert!(class(&apart, "short").last.max >= class(&apart, "bit_string").last.max);
    let told = apart.to_string();
    assert!(told.contains("class, cycles") && told.contains("\n  short ") && told.contains("\n  long "), "{told}");
    assert!(!plain.to_string().contains("class, cycles"));
}

#[test]
fn the_progress_of_a_run_is_told_long_before_its_end() {
    let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.2, payload_flits: 7)], \
                run: (measure_cycles: 1000))";
    let loaded = config::from_text("x.ron", text, &[]).unwrap();
    let mut told = Vec::new();
    watched(&loaded, &Site::of(&loaded).unwrap(), Watch::default(), &mut |cycle| told.push(cycle)).unwrap();
    // A large network takes seconds for this many cycles.
    assert!(told.len() >= 10 && told[0] <= 64, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
}
