//! The fill of every FIFO equals the waveform, cycle by cycle. Links carry the flit-hops of the
//! report, and wait as long as its account of cycles says.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use wormscope::config::from_text;
use wormscope::experiment::{Evaluation, Experiment, Loaded, Message, Run, Stall, Workload};
use wormscope::report::Report;
use wormscope::report::gauge::{FifoRow, LinkRow};
use wormscope::run::{Watch, watched};
use wormscope::simulation::Site;
use wormscope::trace::Waveform;
use wormscope_testbenches::drive;
use wormscope_testbenches::random::{self, Kind, drafts, networks, topologies, worms};

/// Changes of every signal of a VCD whose time is the cycle: cycle and digits, by full name.
fn signals(vcd: &str) -> BTreeMap<String, Vec<(u64, String)>> {
    let (mut scopes, mut names) = (Vec::new(), HashMap::<&str, Vec<String>>::new());
    let mut changes = BTreeMap::<String, Vec<(u64, String)>>::new();
    let mut now = 0;
    for line in vcd.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (code, digits) = match words[..] {
            ["$scope", _, name, "$end"] => {
                scopes.push(name);
                continue;
            }
            ["$upscope", "$end"] => {
                scopes.pop();
                continue;
            }
            ["$var", _, _, code, name, ..] => {
                names.entry(code).or_default().push(format!("{}.{name}", scopes.join(".")));
                continue;
            }
            [value] if value.starts_with('#') => {
                now = value[1..].parse().expect("a time");
                continue;
            }
            [value] if value.starts_with(['0', '1']) => (&value[1..], &value[..1]),
            [value, code] if value.starts_with('b') => (code, &value[1..]),
            _ => continue,
        };
        for name in names.get(code).into_iter().flatten() {
            changes.entry(name.clone()).or_default().push((now, digits.to_owned()));
        }
    }
    changes
}

/// The number that a signal shows in each cycle before `end`.
fn cycle_by_cycle(changes: &[(u64, String)], end: u64) -> Vec<u64> {
    let (mut next, mut value) = (changes.iter().peekable(), 0);
    let mut cycles = Vec::new();
    for cycle in 0..end {
        while let Some((_, digits)) = next.next_if(|(time, _)| *time <= cycle) {
            value = u64::from_str_radix(digits, 2).expect("digits");
        }
        cycles.push(value);
    }
    cycles
}

/// A run with a VCD of all of it: the dump, the report, every link and every FIFO.
fn gauged(loaded: &Loaded) -> (String, Report, Vec<LinkRow>, Vec<FifoRow>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcd");
    let watch = Watch { waveforms: vec![Waveform::create(&path).unwrap()], gauge: true, ..Watch::default() };
    let site = Site::of(loaded).unwrap();
    let run = watched(loaded, &site, watch, &mut |_| ()).unwrap();
    assert_eq!(run.difference, None);
    wormscope::output::place(run.waveforms.unwrap()).unwrap();
    let gauged = run.gauged.unwrap();
    (std::fs::read_to_string(path).unwrap(), run.report, gauged.links().collect(), gauged.fifos().collect())
}

/// Holds every row to the waveform and to the report.
fn compare(loaded: &Loaded) -> Report {
    let (vcd, report, links, fifos) = gauged(loaded);
    let gauges = report.gauges.unwrap();
    let window = gauges.from as usize..gauges.to as usize;
    let cycles = window.len() as u64;
    let share = |count: u64| count as f64 / cycles.max(1) as f64;
    let signals = signals(&vcd);
    let shown = |name: &str| cycle_by_cycle(&signals[name], gauges.to)[window.clone()].to_vec();
    let counts = signals.keys().filter(|name| name.ends_with(".fifo_count")).count();
    assert_eq!(fifos.len(), counts);
    for row in &fifos {
        let flits = shown(&format!("top.{}.fifo_count", row.fifo));
        let full = flits.iter().filter(|&&count| count == u64::from(row.depth)).count() as u64;
        assert_eq!((row.cycles, row.full_cycles), (cycles, full), "{}", row.fifo);
        assert_eq!(u64::from(row.greatest), flits.iter().copied().max().unwrap_or(0), "{}", row.fifo);
        assert_eq!((row.mean, row.full), (share(flits.iter().sum()), share(full)), "{}", row.fifo);
    }
    let fill: f64 = fifos.iter().map(|row| row.mean).sum();
    assert!((gauges.fifo_fill_mean - fill / fifos.len() as f64).abs() < 1e-9);
    let most = |number: fn(&FifoRow) -> f64| fifos.iter().map(number).fold(0.0, f64::max);
    assert_eq!((gauges.fifo_fill_max, gauges.fifo_full_share_max), (most(|row| row.mean), most(|row| row.full)));
    for row in &links {
        // Lanes have names such as `rt_0.out2.l0` and `node3.inj1`.
        let is_lane = |name: &str| {
            let rest = name.strip_prefix("top.").and_then(|name| name.strip_prefix(&row.link));
            rest.is_some_and(|rest| {
                rest.starts_with('.') && !rest.contains(".ej") && rest.rsplit('.').next() == Some("valid")
            })
        };
        let lanes: Vec<Vec<u64>> = signals.keys().filter(|name| is_lane(name)).map(|name| shown(name)).collect();
        assert!(!lanes.is_empty(), "{}", row.link);
        assert_eq!(row.flits, lanes.iter().flatten().sum::<u64>(), "{}", row.link);
        let shares = (share(row.flits) / f64::from(row.links), share(row.blocked_cycles));
        assert_eq!((row.utilisation, row.blocked), shares, "{}", row.link);
        let carries = (0..cycles as usize).filter(|&at| lanes.iter().any(|lane| lane[at] > 0)).count() as u64;
        assert!(row.blocked_cycles + carries <= cycles, "{row:?}");
        assert!(row.blocked_cycles <= row.no_credit + row.lane_wait, "{row:?}");
    }
    if gauges.from == 0 && gauges.to == report.totals.cycles {
        let sum =
            |number: fn(&LinkRow) -> u64| links.iter().filter(|row| !row.link.starts_with("node")).map(number).sum();
        let account = |class: &str| report.cycle_account.iter().find(|of| of.class == class).unwrap().worm_cycles;
        let sums: [u64; 3] = [sum(|row| row.flits), sum(|row| row.no_credit), sum(|row| row.lane_wait)];
        let expected = [account("moving"), account("no_credit") + account("endpoint"), account("lane_wait")];
        assert_eq!((report.totals.flit_hops, sums), (account("moving"), expected));
    }
    report
}

#[test]
fn a_worm_that_waits_is_where_its_flits_stand() {
    // The second worm, of 4 flits, waits until the first, of 12, leaves the last link. Their FIFOs
    // hold 2 flits.
    let text = "(network: (topology: linear(nodes: 3), switch: (fifo_depth: 2)), workload: [messages([
        (cycle: 0, source: 0, destinations: [2], payload_flits: 11),
        (cycle: 2, source: 1, destinations: [2], payload_flits: 3),
        (cycle: 9000, source: 2, destinations: [0], payload_flits: 3)])])";
    let loaded = from_text("x.ron", text, &[]).unwrap();
    let report = compare(&loaded);
    let (.., links, fifos) = gauged(&loaded);
    let link = |name: &str| links.iter().find(|row| row.link == name).unwrap();
    let (last, held) = (link("rt_1.out0"), link("node1.inj"));
    assert_eq!((last.from.as_str(), last.to.as_str(), last.flits), ("rt_1", "rt_2", 12 + 4));
    assert_eq!(last.lane_wait, report.waited_for.unwrap().worm_cycles);
    assert!(last.lane_wait > 8 && held.no_credit > 0 && held.blocked_cycles == held.no_credit, "{last:?} {held:?}");
    let fifo = fifos.iter().find(|row| row.fifo == "rt_1.in2").unwrap();
    assert!(fifo.greatest == 2 && fifo.full_cycles >= last.lane_wait, "{fifo:?}");
    // The silence before the last message counts, although no cycle of it is evaluated.
    assert!(fifo.cycles > 9000 && fifo.full < 0.01);
}

proptest! {
    #![proptest_config(random::cases(60))]

    #[test]
    fn fill_and_traffic_of_random_runs_are_those_of_the_waveform(
        network in networks(topologies()), drafts in drafts(12, 40), late in proptest::option::of(60..3000_u64),
        warmup_cycles in prop_oneof![2 => Just(0), 1 => 1..40_u64], measure_cycles in proptest::option::of(1..80_u64),
        most in prop_oneof![Just(1_000_000), 1..200_u64], stalled in proptest::option::of((any::<u32>(), 0..40_u64, 1..50_u64)),
        both: bool,
    ) {
        let mut messages: Vec<Message> = worms(&network, &drafts, Kind::Any).iter().map(drive::message).collect();
        if let (Some(late), Some(last)) = (late, messages.last_mut()) {
            last.cycle += late;
        }
        let nodes = network.nodes();
        let stall = |(node, from, cycles): (u32, u64, u64)| Workload::Stalls(vec![Stall {
            arbiter: None,
            first: None,
            node: Some(node % nodes), link: None, station: None, from, until: from + cycles,
        }]);
        let workload = std::iter::once(Workload::Messages(messages)).chain(stalled.map(stall)).collect();
        let run = Run { max_cycles: most, warmup_cycles, measure_cycles, deadlock_check_cycles: 50, ..Run::default() };
        let experiment = Experiment { network, groups: Vec::new(), classes: Vec::new(), workload, run };
        let mut loaded = experiment.validated().unwrap_or_else(|error| panic!("{error}"));
        loaded.engine = if both { Evaluation::Reference } else { Evaluation::Banked };
        compare(&loaded);
    }
}
