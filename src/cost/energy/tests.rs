//! Tests of counts and energies against counts by hand, and of files of coefficients that are
//! refused.

use super::*;
use crate::config::from_text;
use crate::cost::Area;
use crate::engine::{Clocked as _, CommitLog, Observer, Totals};
use crate::input::ConfigError;
use crate::simulation::{Simulation, Site, tells_all_by_worm};

/// Each kind of event has its own digit in the total.
const COEFFICIENTS: &str = "(source: \"by hand\", buffer_write_fj_per_bit: 1000, buffer_read_fj_per_bit: 100, \
                            crossbar_fj_per_bit: 10, arbitration_fj: 4, link_fj_per_toggle_mm: 3, link_mm: 2, \
                            clock_fj_per_flip_flop: 5, leakage_nw_per_ge: 7)";

fn run(text: &str) -> (Counts, u64) {
    let loaded = from_text("x.ron", text, &[]).unwrap();
    let site = Site::of(&loaded).unwrap();
    let mut activity = Activity::new(&loaded.experiment.network, site.wiring(), tells_all_by_worm(&loaded));
    let mut simulation = Simulation::new(&loaded, &site).unwrap();
    simulation.run(&mut activity, |_| ()).unwrap();
    (activity.counts(&simulation.engine.totals()), simulation.engine.now())
}

#[test]
fn a_worm_on_a_line_is_counted_as_by_hand() {
    // Worm 0 goes from node 0 to node 2 of three. It has a header flit of 2 (0b10), and payload
    // flits 1 and 2 with 16 bits each.
    let line = "(network: (topology: linear(nodes: 3), switch: (flit_bits: 16)), \
                workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 2)])])";
    let (counts, _) = run(line);
    let by_hand = Counts {
        // Three input FIFOs and the store of the node, with three flits each.
        buffer_writes: 4 * 3,
        buffer_reads: 4 * 3,
        crossings: 3 * 3,
        grants: 3,
        turns: 0,
        link_flits: 2 * 3,
        // Each of two links goes from 0 to 0x0002, to 0x0001, to 0x0002.
        link_toggles: 2 * (1 + 2 + 2),
        link_toggle_pitches: 2 * (1 + 2 + 2),
        consumed_flits: 3,
    };
    assert_eq!(counts, by_hand);
    let network = from_text("x.ron", line, &[]).unwrap().experiment.network;
    let cost = HardwareCost { network: Area { ge: 1000.0, flip_flops: 100 }, ..HardwareCost::default() };
    let coefficients = Coefficients::from_text("c.ron", COEFFICIENTS).unwrap();
    let energy = Energy::new(&coefficients, &network, counts, &cost, 50).unwrap();
    let parts = [12.0 * 16.0 * 1.1, 9.0 * 16.0 * 0.01, 3.0 * 0.004, 10.0 * 3.0 * 2.0 * 0.001, 100.0 * 0.005 * 50.0];
    let leakage = 1000.0 * 7.0 * 50.0 * 1e-6;
    for ((name, value), by_hand) in energy.parts().into_iter().zip(parts.into_iter().chain([leakage])) {
        assert!((value - by_hand).abs() < 1e-9, "{name}: {value} is not {by_hand}");
    }
    let total = parts.iter().sum::<f64>() + leakage;
    assert!((energy.total_pj - total).abs() < 1e-9);
    assert!((energy.pj_per_bit.unwrap() - total / 48.0).abs() < 1e-9);
}

#[test]
fn copies_are_read_once_when_they_cross_together_and_written_each() {
    // Node 1 of three sends to both neighbours: two branches of three flits each, which then go
    // into their nodes.
    let (counts, _) = run("(network: (topology: linear(nodes: 3), switch: (flit_bits: 16)), workload: [messages([\
                           (cycle: 0, source: 1, destinations: [0, 2], encoding: bit_string, payload_flits: 2)])])");
    assert_eq!((counts.crossings, counts.grants, counts.link_flits), (2 * 3 + 2 * 3, 4, 6));
    assert_eq!((counts.buffer_writes, counts.buffer_reads), (3 + 6 + 6, 3 + 6 + 6));
    assert_eq!(counts.consumed_flits, 6);
}

#[test]
fn channels_of_a_link_take_turns_on_the_same_wires() {
    // Two worms share the one link of a line, on its two channels.
    let (counts, _) = run("(network: (topology: linear(nodes: 2), switch: (flit_bits: 16, virtual_channels: 2), \
                           node: (virtual_channels: 1, injection_channels: 2, ports: 2, consumption_channels: 2)), workload: [messages([\
                           (cycle: 0, source: 0, destinations: [1], payload_flits: 2), \
                           (cycle: 0, source: 0, destinations: [1], payload_flits: 2)])])");
    assert_eq!((counts.link_flits, counts.turns, counts.grants), (6, 6, 4));
    // The wires carry header 1 twice, then payload 0x0001, 0x0101, 0x0002, 0x0102, as the worms
    // take turns.
    assert_eq!(counts.link_toggles, 1 + 1 + 3 + 1);
}

/// All commits of a run.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.0.push(format!("{log:?}"));
    }
}

#[test]
fn counting_changes_no_bit_of_a_run() {
    let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.2, payload_flits: 7), \
                traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 7)], run: (measure_cycles: 500))";
    let loaded = from_text("x.ron", text, &[]).unwrap();
    let site = Site::of(&loaded).unwrap();
    let mut alone = Simulation::new(&loaded, &site).unwrap();
    alone.run(&mut (), |_| ()).unwrap();
    let mut counted = Simulation::new(&loaded, &site).unwrap();
    counted.run(&mut Activity::new(&loaded.experiment.network, site.wiring(), false), |_| ()).unwrap();
    assert_eq!(alone.engine.registers(), counted.engine.registers());
    // The engines may differ, and each evaluates what is awake.
    let totals = |run: &Simulation| Totals { evaluations: 0, ..run.engine.totals() };
    assert_eq!(totals(&alone), totals(&counted));
    let (mut first, mut second) = (Log::default(), Log::default());
    let mut logged = Simulation::new(&loaded, &site).unwrap();
    logged.run(&mut first, |_| ()).unwrap();
    let mut both = Simulation::new(&loaded, &site).unwrap();
    let mut activity = Activity::new(&loaded.experiment.network, site.wiring(), false);
    both.run(&mut (&mut second, &mut activity), |_| ()).unwrap();
    assert!(first.0 == second.0);
    let totals = both.engine.totals();
    let counts = activity.counts(&totals);
    assert_eq!(counts.crossings, totals.flit_hops);
    assert_eq!(counts.consumed_flits, totals.consumed_flits);
}

#[test]
fn worms_and_flits_give_the_same_counts() {
    // The runs end while worms are under way.
    let (mesh, load) = ("topology: mesh(radices: [8, 8])", "load: 0.15, payload_flits: 15");
    for (network, traffic, cycles) in [
        (mesh, load, 700),
        (mesh, "load: 0.6, payload_flits: 33", 411),
        ("topology: mesh(radices: [66, 66]), switch: (flit_bits: 100)", "load: 0.02, payload_flits: 7", 317),
        ("topology: mesh(radices: [9, 5]), switch: (flit_bits: 13)", "load: 0.2, payload_flits: 9", 333),
        ("topology: linear(nodes: 300), switch: (flit_bits: 8, fifo_depth: 2)", "load: 0.01, payload_flits: 15", 500),
    ] {
        let text = format!(
            "(network: ({network}), workload: [traffic({traffic})], run: (measure_cycles: 10000, max_cycles: {cycles}))"
        );
        let loaded = from_text("x.ron", &text, &[]).unwrap();
        assert!(tells_all_by_worm(&loaded), "{network}");
        let site = Site::of(&loaded).unwrap();
        let counts = |by_worm: bool| {
            let mut activity = Activity::new(&loaded.experiment.network, site.wiring(), by_worm);
            let mut simulation = Simulation::new(&loaded, &site).unwrap();
            simulation.run(&mut activity, |_| ()).unwrap();
            (matches!(activity, Activity::ByWorm(_)), activity.counts(&simulation.engine.totals()))
        };
        let (by_worm, by_flit) = (counts(true), counts(false));
        assert_eq!((by_worm.0, by_flit.0), (true, false));
        assert_eq!(by_worm.1, by_flit.1, "{network}, {traffic}");
        assert!(by_flit.1.link_toggles > 1000);
    }
}

#[test]
fn coefficients_that_are_wrong_are_refused_with_their_place() {
    let refused = |from: &str, to: &str| {
        assert!(COEFFICIENTS.contains(from), "{from}");
        Coefficients::from_text("c.ron", &COEFFICIENTS.replace(from, to)).unwrap_err().to_string()
    };
    assert_eq!(refused("link_mm: 2", "link_mm: -2"), "c.ron:1:151: link_mm is -2; allowed: 0 and more, finite");
    assert_eq!(refused("fj: 4", "fj: NaN"), "c.ron:1:106: arbitration_fj is NaN; allowed: 0 and more, finite");
    let unknown = refused("crossbar_fj", "crosbar_fj");
    assert!(unknown.starts_with("c.ron:1:81: unknown field \"crosbar_fj_per_bit\""), "{unknown}");
    assert!(unknown.contains("did you mean \"crossbar_fj_per_bit\"?"), "{unknown}");
    let missing = refused("arbitration_fj: 4, ", "");
    assert!(missing.contains("missing field \"arbitration_fj\""), "{missing}");
    let nameless = refused("by hand", " ");
    assert_eq!(nameless, "c.ron:1:2: source is empty; it names where the coefficients are from");
    let text = refused("fj: 4", "fj: four");
    assert!(text.contains("arbitration_fj: expected a number, found four"), "{text}");
}

#[test]
fn the_shipped_coefficients_are_valid() {
    let mut seen = 0;
    for entry in std::fs::read_dir(std::path::Path::new(crate::ROOT).join("configs/energy")).unwrap() {
        let path = entry.unwrap().path();
        let coefficients: Result<_, ConfigError> = Coefficients::load(&path);
        assert!(coefficients.unwrap().source.starts_with("DSENT"), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 2);
}

#[test]
fn a_cycle_takes_the_longest_path_of_logic_and_wire() {
    let network = |fields: &str| {
        let text = format!("(network: (topology: torus(radices: [4, 4], datelines: false){fields}))");
        from_text("x.ron", &text, &[]).unwrap().experiment.network
    };
    let text = COEFFICIENTS.replace(')', ", delays: (level_ps: 10, register_ps: 50, wire_ps_per_mm: 25))");
    let coefficients = Coefficients::from_text("c.ron", &text).unwrap();
    let ns = |fields: &str, logic_depth: u32| {
        let network = network(fields);
        let wiring = network.blueprint().build().unwrap().into();
        let longest_link = network.longest_link(&wiring);
        coefficients.cycle(&network, &HardwareCost { logic_depth, longest_link, ..HardwareCost::default() }).unwrap().ns
    };
    // Links of a folded torus lead over two pitches of 2 mm each, which take 100 ps.
    for (fields, levels, ps) in [
        ("", 30, 300.0 + 100.0 + 50.0),
        (", link: (link_cycles: 2)", 30, 300.0 + 50.0 + 50.0),
        (", switch: (crossbar_cycles: 1)", 30, 300.0 + 50.0),
        (", switch: (crossbar_cycles: 1)", 6, 100.0 + 50.0),
        // A number is the clock.
        (", clock_ns: 9.0", 30, 9000.0),
        (", clock_ns: from_depth", 30, 450.0),
    ] {
        let found = ns(fields, levels);
        assert!((found - ps / 1000.0).abs() < 1e-12, "{fields}: {found}");
    }
    let without = Coefficients::from_text("c.ron", COEFFICIENTS).unwrap();
    let of = |fields: &str| without.cycle(&network(fields), &HardwareCost::default()).map(|cycle| cycle.ns);
    assert!((of(", clock_ns: 9.0").unwrap() - 9.0).abs() < f64::EPSILON);
    assert!((of("").unwrap() - 1.0).abs() < f64::EPSILON);
    let refused = of(", clock_ns: from_depth").unwrap_err().to_string();
    let why = "coefficients \"by hand\": clock_ns is from_depth, and these coefficients have no delays; add delays, or give \
               clock_ns a number";
    assert_eq!(refused, why);
    let refused = Coefficients::from_text("c.ron", &text.replace("level_ps: 10", "level_ps: -1")).unwrap_err();
    assert!(refused.to_string().contains("delays.level_ps is -1; allowed: 0 and more, finite"), "{refused}");
}

#[test]
fn links_of_a_torus_take_the_energy_of_their_length() {
    let of = |topology: &str| {
        let text = format!(
            "(network: (topology: {topology}), workload: [messages([\
             (cycle: 0, source: 0, destinations: [1], payload_flits: 9)])])"
        );
        let (counts, _) = run(&text);
        (counts.link_toggles, counts.link_toggle_pitches)
    };
    let (toggles, pitches) = of("mesh(radices: [4, 4])");
    assert_eq!(pitches, toggles);
    assert_eq!(of("torus(radices: [4, 4], datelines: false)"), (toggles, 2 * toggles));
}

#[test]
fn errors_of_coefficients_cancel_between_networks_and_errors_of_formulas_do_not() {
    let network = from_text("x.ron", "(network: (topology: linear(nodes: 2)))", &[]).unwrap().experiment.network;
    let text = COEFFICIENTS.replace(
        ')',
        ", error_percent: 20, delays: (level_ps: 10, register_ps: 100, wire_ps_per_mm: 0, error_percent: 30))",
    );
    let coefficients = Coefficients::from_text("c.ron", &text).unwrap();
    let cost = HardwareCost {
        network: Area { ge: 1000.0, flip_flops: 100 },
        area_error_percent: 7.0,
        logic_depth: 30,
        depth_error_percent: 50.0,
        ..HardwareCost::default()
    };
    // Of 400 ps, 300 ps are levels, which may be 50 % off.
    let cycle = coefficients.cycle(&network, &cost).unwrap();
    assert!((cycle.formula_percent - 37.5).abs() < 1e-9 && (cycle.error_percent - 67.5).abs() < 1e-9, "{cycle:?}");
    // Without worms, the energy is clock and leakage.
    let energy = Energy::new(&coefficients, &network, Counts::default(), &cost, 1000).unwrap();
    let leakage = energy.leakage_pj / energy.total_pj;
    assert!((energy.formula_percent - (7.0 + 37.5 * leakage)).abs() < 1e-9, "{energy:?}");
    assert!((energy.error_percent - (20.0 + 30.0 * leakage + energy.formula_percent)).abs() < 1e-9, "{energy:?}");
}

#[test]
fn technologies_have_names_and_other_names_are_refused() {
    for (given, name) in [("45nm", "45nm"), ("dsent_22nm", "22nm"), ("11nm", "11nm")] {
        assert_eq!(Technology::named(given).map(|of| of.name), Some(name));
    }
    for technology in Technology::ALL {
        assert!(technology.coefficients().unwrap().delays.is_some());
    }
    let refused = Technology::find("44nm".as_ref(), "".as_ref()).unwrap_err().to_string();
    assert_eq!(
        refused,
        "44nm is neither a technology nor a file; did you mean \"45nm\"? allowed: 45nm, 22nm, 11nm, or a file"
    );
    let (text, file) =
        Technology::find("dsent_45nm.ron".as_ref(), &std::path::Path::new(crate::ROOT).join("configs/energy")).unwrap();
    assert!(text.contains("Bulk45LVT") && file.is_some());
}
