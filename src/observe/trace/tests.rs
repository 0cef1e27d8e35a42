//! Tests that write dumps, read them with independent readers, and compare them with the samples.

use std::collections::BTreeSet;
use std::io;
use std::io::{Cursor, Write};
use std::path::Path;

use proptest::prelude::*;
use wormscope_hw::{Encoding, InputMask, NodeId, PortId, PortMask, SwitchId, WormId};

use super::follow::Doing;
use super::fst::FstHeader;
use super::readback::{Oracle, Wave, vcd_crate, wellen};
use super::runs;
use super::vcd::VcdHeader;
use super::*;
use crate::engine::{CommitLog, FlitId, LaneState, NewWorm, Observer};
use crate::network::{End as Far, Network, Wiring};
use crate::simulation::Outcome;

/// Networks with every kind of lane.
fn networks() -> impl Strategy<Value = (Network, Wiring)> {
    let bits = prop_oneof![Just(8_u32), Just(64), Just(65), Just(128), Just(200)];
    (1..4_u32, 1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, bits, 0..8_u8).prop_map(
        |(x, y, vcs, dilation, inject, consume, bits, kind)| {
            let ring = if kind >= 4 && kind % 4 > 1 { ", token_ring: (hop_cycles: 2)" } else { "" };
            let topology = match kind % 4 {
                0 => format!("mesh(radices: [{x}, {y}])"),
                1 => format!("torus(radices: [{x}, {y}], datelines: {})", vcs % 2 == 0),
                2 => format!("uni_min(switch_ports: {}, stages: {y})", x.max(2)),
                _ => format!("bi_min(switch_ports: {}, stages: {y})", x.max(2)),
            };
            runs::network(&format!(
                "(topology: {topology}, node: (injection_channels: {inject}, \
                 consumption_channels: {consume}, consumption_depth: Some(9)){ring}, switch: (flit_bits: {bits}, \
                 virtual_channels: {vcs}, dilation: {dilation}))"
            ))
        },
    )
}

/// Random streams of samples. There are gaps between commits, lanes are picked at random, and the
/// values are few, so that many repeat.
fn streams() -> impl Strategy<Value = (Network, Wiring, Vec<CommitLog>)> {
    networks().prop_flat_map(|(network, wiring)| {
        let oracle = Oracle::new(&network, &wiring);
        let all = oracle.reset();
        let words = network.switch.flit_bits.div_ceil(64) as usize;
        let top =
            if network.switch.flit_bits % 64 == 0 { u64::MAX } else { (1 << (network.switch.flit_bits % 64)) - 1 };
        let ports = (1 << wiring.ports()) - 1;
        let cycle = (1..4_u64, prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..12));
        let logs = prop::collection::vec(cycle, 1..25).prop_map(move |cycles| {
            let mut now = 0;
            let mut logs = Vec::new();
            for (gap, picks) in cycles {
                let mut log = CommitLog { cycle: now, ..CommitLog::default() };
                now += gap;
                for (pick, random) in picks {
                    let some = |bits: u32| (!bits.is_multiple_of(4)).then_some(bits & 7);
                    let flit = |worm: u32, index: u32| FlitId { worm: WormId(worm & 7), index: index & 7 };
                    let (a, b) = (random as u32, (random >> 32) as u32);
                    match a % 5 {
                        0 => {
                            let mut s = *pick.get(&all.inputs);
                            s.fifo_count = (b & 3) as u16;
                            (s.worm, s.flit) = (some(b >> 3).map(WormId), some(b >> 6));
                            s.state = if b & 1 == 0 { LaneState::Move } else { LaneState::Blocked };
                            s.enc = s.worm.map(|_| Encoding::ALL[(b % 4) as usize]);
                            (s.branches, s.taken) =
                                (PortMask(u64::from(b >> 8) & ports), PortMask(u64::from(b >> 16) & ports));
                            if log.inputs.iter().all(|o| (o.switch, o.lane) != (s.switch, s.lane)) {
                                log.inputs.push(s);
                            }
                        }
                        1 => {
                            let mut s = *pick.get(&all.outputs);
                            (s.owner, s.credits) =
                                ((b >> 1 & 3 != 3).then_some((b >> 1 & 3) as u8), (b >> 3 & 3) as u16);
                            s.flit = (b & 1 == 0).then(|| flit(b >> 5, b >> 8));
                            s.data = log.words.len() as u32;
                            if log.outputs.iter().all(|o| (o.switch, o.lane) != (s.switch, s.lane)) {
                                if s.flit.is_some() {
                                    let spread = |w: usize| random.rotate_left(7 * w as u32) * u64::from(b >> w & 1);
                                    log.words.extend((0..words).map(spread));
                                    *log.words.last_mut().expect("a word") &= top;
                                }
                                log.outputs.push(s);
                            }
                        }
                        2 => {
                            let mut s = *pick.get(&all.injections);
                            s.credits = (b >> 1 & 3) as u16;
                            s.flit = (b & 1 == 0).then(|| flit(b >> 3, b >> 6));
                            s.queue = 5; // one value, because channels share it
                            if log.injections.iter().all(|o| (o.node, o.channel) != (s.node, s.channel)) {
                                log.injections.push(s);
                            }
                        }
                        3 if !all.tokens.is_empty() => {
                            let mut s = *pick.get(&all.tokens);
                            (s.here, s.holder) = (b & 1 == 0, (b >> 1 & 3 != 3).then_some((b >> 1 & 3) as u8));
                            s.request = InputMask(u64::from(b >> 3 & 3));
                            if log.tokens.iter().all(|o| o.switch != s.switch) {
                                log.tokens.push(s);
                            }
                        }
                        _ => {
                            let mut s = *pick.get(&all.consumptions);
                            s.flit = flit(b & 1, b >> 1 & 1);
                            if log.consumptions.iter().all(|o| (o.node, o.channel) != (s.node, s.channel)) {
                                log.consumptions.push(s);
                            }
                        }
                    }
                }
                logs.push(log);
            }
            logs
        });
        (Just(network), Just(wiring), logs)
    })
}

/// Runs a stream through both sinks.
fn dump(network: &Network, wiring: &Wiring, logs: &[CommitLog], options: &Options, cycles: u64) -> [Vec<u8>; 2] {
    fn one<H: Header>(header: H, n: &Network, w: &Wiring, logs: &[CommitLog], o: &Options, cycles: u64) -> Output<H> {
        let mut tracer = Tracer::new(header, Path::new("test"), n, w, o.clone()).expect("a tracer");
        for log in logs {
            tracer.commit(log);
        }
        tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump")
    }
    type Output<H> = <<H as Header>::Sink as Sink>::Output;
    let vcd = one(VcdHeader::new(Vec::new()), network, wiring, logs, options, cycles);
    let header = FstHeader::new(Cursor::new(Vec::new()));
    [vcd, one(header, network, wiring, logs, options, cycles).into_inner()]
}

fn compare(dumps: [Vec<u8>; 2], expected: &Wave) {
    let [vcd, fst] = dumps;
    assert_same(&vcd_crate(&vcd), expected, "VCD by crate vcd");
    assert_same(&wellen(vcd), expected, "VCD by wellen");
    assert_same(&wellen(fst), expected, "FST by wellen");
}

/// Names the first signal that differs.
fn assert_same(found: &Wave, expected: &Wave, what: &str) {
    for (name, changes) in expected {
        assert_eq!(found.get(name), Some(changes), "{what}, {name}");
    }
    let more = found.keys().find(|name| !expected.contains_key(*name));
    assert_eq!(more, None, "{what} has a signal too many");
}

proptest! {
    #![proptest_config(crate::properties::cases(48))]

    #[test]
    fn dumps_read_back_as_the_samples_that_went_in((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let expected = Oracle::new(&network, &wiring).wave(&logs, Window::ALL, cycles, |_| true);
        compare(dump(&network, &wiring, &logs, &Options::default(), cycles), &expected);
    }

    #[test]
    fn a_window_starts_with_all_values_and_ends_where_it_says(
        (network, wiring, logs) in streams(),
        a in 0..30_u64,
        len in 1..30_u64,
    ) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let window = Window { start: a.min(cycles - 1), end: Some(a.min(cycles - 1) + len) };
        let expected = Oracle::new(&network, &wiring).wave(&logs, window, cycles, |_| true);
        compare(dump(&network, &wiring, &logs, &Options { windows: window.into(), ..Options::default() }, cycles), &expected);
    }

    #[test]
    fn between_windows_nothing_is_known(
        (network, wiring, logs) in streams(),
        windows in prop::collection::vec((0..12_u64, 1..12_u64), 2..5),
        block in prop::sample::select(vec![0, 1 << 20]),
    ) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let mut from = 0;
        let windows = windows.into_iter().enumerate().map(|(at, (gap, len))| {
            let start = if at == 0 { gap.min(cycles - 1) } else { from + gap };
            from = start + len;
            Window { start, end: Some(from) }
        });
        let windows = Windows::new(windows.collect::<Vec<_>>()).expect("windows");
        let mut expected = Wave::new();
        for (window, next) in windows.iter().zip(windows.iter().skip(1).map(Some).chain([None])) {
            if window.start > 0 && window.start >= cycles {
                break;
            }
            let one = Oracle::new(&network, &wiring).wave(&logs, window, cycles, |_| true);
            let pause = window.end.filter(|end| next.is_some() && *end < cycles);
            for (name, mut changes) in one {
                let digits = changes[0].1.len();
                changes.retain(|(at, _)| pause.is_none_or(|end| *at < end));
                changes.extend(pause.map(|end| (end, "x".repeat(digits))));
                expected.entry(name).or_default().extend(changes);
            }
        }
        let options = Options { windows, ..Options::default() };
        let [vcd, _] = dump(&network, &wiring, &logs, &options, cycles);
        let header = FstHeader::with_blocks(Cursor::new(Vec::new()), block);
        let mut tracer = Tracer::new(header, Path::new("test"), &network, &wiring, options).expect("a tracer");
        for log in &logs {
            tracer.commit(log);
        }
        let fst = tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump");
        compare([vcd, fst.into_inner()], &expected);
    }

    #[test]
    fn a_dump_is_read_while_it_grows((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.vcd");
        let wave = Waveform::create(&path).and_then(Waveform::live).expect("a waveform");
        let mut tracer = Tracer::start(wave, &network, &wiring, Options::default()).expect("a tracer");
        let mut parts = Vec::new();
        for log in &logs {
            tracer.commit(log);
            parts.push(std::fs::read(&path).expect("a file"));
        }
        crate::output::place(tracer.finish(DumpEnd { cycles, deadlock: None }).expect("a dump")).expect("a place");
        let all = std::fs::read(&path).expect("a file");
        let expected = wellen(all.clone());
        for (part, log) in parts.iter().zip(&logs) {
            assert!(all.starts_with(part) && part.ends_with(b"\n"));
            // The file has the changes before the last change.
            let changed = |at: &u64| *at < log.cycle;
            let clock = &expected["top.cycle"];
            let until = clock.iter().map(|(at, _)| *at).take_while(changed).count().saturating_sub(1);
            let until = clock[until].0;
            if until == 0 {
                continue;
            }
            for (name, changes) in wellen(part.clone()) {
                let those = expected[&name].iter().filter(|(at, _)| *at < until);
                assert!(those.eq(changes.iter().filter(|(at, _)| *at < until)), "{name}");
            }
        }
    }

    #[test]
    fn an_fst_in_many_blocks_reads_back_as_one((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let expected = Oracle::new(&network, &wiring).wave(&logs, Window::ALL, cycles, |_| true);
        let header = FstHeader::with_blocks(Cursor::new(Vec::new()), 0);
        let options = Options::default();
        let mut tracer = Tracer::new(header, Path::new("test"), &network, &wiring, options).expect("a tracer");
        for log in &logs {
            tracer.commit(log);
        }
        let fst = tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump").into_inner();
        assert_same(&wellen(fst), &expected, "FST in blocks");
    }

    #[test]
    fn a_scope_declares_what_it_names_and_nothing_else((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let switch = format!("top.{}", wiring.switch_name(SwitchId(0)));
        let shows = |name: &str| name.starts_with(&format!("{switch}.")) || name.starts_with("top.node0.ej");
        let expected = Oracle::new(&network, &wiring).wave(&logs, Window::ALL, cycles, shows);
        let scopes = vec![switch.clone(), "top.node0.ej*".to_owned()];
        compare(dump(&network, &wiring, &logs, &Options { scopes, ..Options::default() }, cycles), &expected);
    }
}

/// Number of signals of a mesh of 4 by 4.
fn counted(scopes: &[&str]) -> Result<u32, TraceError> {
    let (network, wiring) = runs::mesh(4, 4);
    let scopes: Vec<String> = scopes.iter().map(|&s| s.to_owned()).collect();
    Ok(Layout::new(&network, &wiring, scope::Selection::new(&scopes)?, &[])?.count())
}

#[test]
fn a_star_stays_within_one_name_and_two_stars_cross_dots() {
    let count = |globs: &[&str]| counted(globs).ok();
    let all = count(&[]);
    assert!(all.is_some());
    assert_eq!(count(&["**"]), all);
    assert_eq!(count(&["top"]), all);
    assert_eq!(count(&["top.*"]), all);
    assert_eq!(count(&["top.rt_1_1.in0"]), Some(1 + 7));
    assert_eq!(count(&["top.rt_1_1.*"]), Some(1 + 5 * 7 + 5 * 6));
    assert_eq!(count(&["top.*.queue"]), Some(1 + 16));
    assert_eq!(count(&["top.rt_1_1", "top.rt_1_1.in0", "**.queue"]), Some(1 + 5 * 7 + 5 * 6 + 16));
}

#[test]
fn a_scope_that_matches_nothing_is_refused_with_the_nearest_names() {
    let message = |glob: &str| counted(&[glob]).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message("top.rt_1-2").contains("top.rt_1_2"), "{}", message("top.rt_1-2"));
    assert!(message("top.noed3").contains("top.node3"), "{}", message("top.noed3"));
    assert!(message("top.rt_0_0.out1").contains("top.rt_0_0.out0"), "{}", message("top.rt_0_0.out1"));
    assert!(message("top.[").contains("top.["));
}

#[test]
fn a_mark_before_a_glob_takes_out_what_it_names_and_all_below() {
    let count = |globs: &[&str]| counted(globs).unwrap_or_else(|error| panic!("{globs:?}: {error}"));
    let (all, inner) = (count(&[]), 5 * 7 + 5 * 6);
    assert_eq!(count(&["!top.rt_1_1"]), all - inner);
    assert_eq!(count(&["!top.rt_1_1", "!top.rt_1_1.in0", "!top.rt_2_*"]), all - (inner + count(&["top.rt_2_*"]) - 1));
    assert_eq!(count(&["!top.rt_1_1.in0"]), all - 7);
    assert_eq!(count(&["!top.*.queue"]), all - 16);
    // The exclusion overrides any glob that selects: before it or after it, above it or below it.
    assert_eq!(count(&["!top.rt_1_1.in*", "top.rt_1_1"]), 1 + 5 * 6);
    assert_eq!(count(&["**", "!top.rt_1_1"]), all - inner);
    assert_eq!(
        count(&["top.rt_1_*", "!top.rt_1_1", "top.rt_1_1.in0", "**.queue"]),
        count(&["top.rt_1_[!1]", "**.queue"])
    );
}

#[test]
fn nothing_to_take_out_and_nothing_left_are_refused() {
    let message = |globs: &[&str]| counted(globs).err().map(|e| e.to_string()).unwrap_or_default();
    let unknown = message(&["!top.rt_1-2"]);
    assert!(unknown.starts_with("scope \"!top.rt_1-2\" matches nothing; nearest names: top.rt_1_2"), "{unknown}");
    let unknown = message(&["top.rt_0_0", "!top.rt_0_0.out1"]);
    assert!(unknown.contains("nearest names: top.rt_0_0.out0"), "{unknown}");
    assert!(message(&["!"]).contains("matches nothing"), "{}", message(&["!"]));
    let why = "nothing is left to show after the scopes !top.rt_*; leave one out, or name less";
    assert_eq!(message(&["top.rt_1_1", "!top.rt_*"]), why);
    assert!(message(&["!top"]).starts_with("nothing is left to show after the scopes !top;"));
    let wiring = runs::mesh(4, 4).1;
    let scope = |globs: &[&str]| Scope::new(&globs.iter().map(|&glob| glob.to_owned()).collect::<Vec<_>>(), &wiring);
    let refused = scope(&["top.rt_1_1", "!top.rt_1_1", "!top.node5"]).err().map(|e| e.to_string());
    assert!(
        refused.is_some_and(|why| why.starts_with("nothing is left to show after the scopes !top.rt_1_1, !top.node5;"))
    );
    let some = scope(&["top.rt_1_*", "!top.rt_1_1", "!top.node1"]).unwrap_or_else(|error| panic!("{error}"));
    assert!(some.has_switch(SwitchId(1)) && !some.has_node(NodeId(1)) && some.has_node(NodeId(9)));
    assert!(!some.has_switch(SwitchId(5)) && !some.has_node(NodeId(5)));
}

#[test]
fn a_followed_worm_is_shown_where_a_scope_takes_its_routers_out() {
    let (network, wiring, _, follow) = followed(1);
    let layout = |globs: &[&str], follows: &[Follow]| {
        let globs: Vec<String> = globs.iter().map(|&glob| glob.to_owned()).collect();
        Layout::new(&network, &wiring, scope::Selection::new(&globs).expect("globs"), follows)
            .expect("a layout")
            .count()
    };
    let follows = [follow];
    assert!(layout(&["top.node0", "!top.rt_*"], &follows) > 1 + 60);
    assert_eq!(layout(&["top.node0", "!top.rt_*"], &follows), layout(&["top.node0"], &follows));
}

#[test]
fn routers_by_the_hundred_thousand_cost_nothing_when_one_is_shown() {
    let (network, wiring) = runs::mesh(1024, 600);
    let header = VcdHeader::new(Vec::new());
    let options = Options { scopes: vec!["top.rt_512_3".to_owned()], ..Options::default() };
    let tracer = Tracer::new(header, Path::new("test"), &network, &wiring, options).expect("a tracer");
    let dump = tracer.finish_dump(DumpEnd { cycles: 1, deadlock: None }).expect("a dump");
    assert_eq!(wellen(dump).len(), 1 + 5 * 7 + 5 * 6);
    let all = Layout::new(&network, &wiring, scope::Selection::new(&[]).expect("no scope"), &[]);
    assert!(matches!(all, Err(TraceError::TooManySignals { .. })));
}

#[test]
fn windows_are_read_as_written() {
    let window = |text: &str| text.parse::<Window>().ok().map(|w| (w.start, w.end));
    assert_eq!(window("10..20"), Some((10, Some(20))));
    assert_eq!(window("1_000.."), Some((1000, None)));
    assert_eq!(window("..7"), Some((0, Some(7))));
    for bad in ["", "7", "9..9", "9..3", "a..b", "1...2", "-1..2"] {
        assert_eq!(window(bad), None, "{bad}");
    }
}

#[test]
fn windows_stand_in_order_and_have_no_cycle_in_common() {
    let windows = |texts: &[&str]| {
        let all = texts.iter().map(|text| text.parse::<Window>().expect("a window"));
        Windows::new(all).map(|windows| windows.to_string()).map_err(|error| error.to_string())
    };
    assert_eq!(windows(&[]).as_deref(), Ok("0.."));
    assert_eq!(windows(&["30..", "10..20"]).as_deref(), Ok("10..20 and 30.."));
    assert_eq!(windows(&["20..30", "10..20", "40..50"]).as_deref(), Ok("10..30 and 40..50"));
    let overlap = |first: &str, second: &str, one: &str| {
        let why = format!(
            "the wave windows {first} and {second} overlap; allowed: windows without a common cycle, or one of {one}"
        );
        assert_eq!(windows(&[second, first]), Err(why));
    };
    overlap("10..20", "19..30", "10..30");
    overlap("10..40", "20..30", "10..40");
    overlap("10..", "20..30", "10..");
    overlap("0..", "0..", "0..");
}

#[test]
fn an_fst_is_not_read_while_it_grows_and_a_refused_dump_leaves_no_live_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let wave = |name: &str| Waveform::create(&folder.path().join(name)).and_then(Waveform::live);
    let why = wave("a.fst").err().map(|error| error.to_string()).unwrap_or_default();
    assert!(why.ends_with("a.fst: an FST is complete only when the run is over; allowed with --wave-live: a .vcd, which grows by whole time steps"), "{why}");
    let (network, wiring) = runs::mesh(2, 2);
    let scopes = vec!["!top".to_owned()];
    let refused =
        Tracer::start(wave("a.vcd").expect("begun"), &network, &wiring, Options { scopes, ..Options::default() });
    assert!(matches!(refused.err(), Some(TraceError::NothingLeft { .. })));
    let late = Options { windows: Window { start: 100, end: None }.into(), ..Options::default() };
    let tracer = Tracer::start(wave("a.vcd").expect("begun"), &network, &wiring, late).expect("a tracer");
    let why = tracer.finish(DumpEnd { cycles: 50, deadlock: None });
    assert!(matches!(why, Err(TraceError::WindowNotReached { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// Takes this many bytes, and then the disk is full.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Worms whose dump has several megabytes.
fn busy() -> (Network, Wiring, Vec<NewWorm>) {
    let (network, wiring) = runs::mesh(6, 6);
    let unicast = |i: u32| runs::worm(0, i % 36, &[(i * 7 + 1) % 36], 64);
    let worms = (0..3000).map(unicast).filter(|w| w.source != w.destinations[0]).collect();
    (network, wiring, worms)
}

#[test]
fn a_full_disk_stops_the_run_and_is_reported_with_the_path() {
    let (network, wiring, worms) = busy();
    let header = VcdHeader::new(Disk(200_000));
    let mut tracer =
        Tracer::new(header, Path::new("some/where.vcd"), &network, &wiring, Options::default()).expect("a tracer");
    let (cycles, outcome) = runs::run(&network, &worms, &mut tracer);
    assert_eq!(outcome, Outcome::Stopped);
    assert!(tracer.stop());
    let error = tracer.finish_dump(DumpEnd { cycles, deadlock: None }).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.starts_with("some/where.vcd"), "{error}");
}

#[test]
fn an_unfinished_dump_leaves_no_file_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring) = runs::mesh(2, 2);
    for name in ["a.vcd", "a.fst"] {
        let path = directory.path().join(name);
        let tracer = Tracer::create(&path, &network, &wiring, Options::default()).expect("a tracer");
        drop(tracer);
        let late = Options { windows: Window { start: 100, end: Some(200) }.into(), ..Options::default() };
        let tracer = Tracer::create(&path, &network, &wiring, late).expect("a tracer");
        assert!(matches!(
            tracer.finish(DumpEnd { cycles: 50, deadlock: None }),
            Err(TraceError::WindowNotReached { .. })
        ));
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 0);
    let nowhere = directory.path().join("none/a.vcd");
    assert!(matches!(Tracer::create(&nowhere, &network, &wiring, Options::default()), Err(TraceError::Io { .. })));
    let odd = directory.path().join("a.txt");
    assert!(matches!(Tracer::create(&odd, &network, &wiring, Options::default()), Err(TraceError::Format { .. })));
}

#[test]
fn an_unfinished_dump_that_a_thread_writes_leaves_no_file_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring, worms) = busy();
    let path = directory.path().join("a.vcd");
    let mut tracer = Tracer::create(&path, &network, &wiring, Options::default()).expect("a tracer");
    runs::run(&network, &worms, &mut tracer);
    drop(tracer);
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 0);
}

/// A multicast (worm 1) that has to wait for lanes that unicasts hold.
fn contended() -> (Network, Wiring, Vec<NewWorm>) {
    let (network, wiring) = runs::mesh(6, 6);
    let mut worms = vec![runs::worm(0, 6, &[11], 40), runs::worm(6, 7, &[10, 16, 22, 28, 27], 16)];
    worms.extend((7..17).map(|i| runs::worm(i.into(), 3 * i % 36, &[(11 * i + 5) % 36], 8)));
    (network, wiring, worms)
}

fn followed(worm: u32) -> (Network, Wiring, Vec<NewWorm>, Follow) {
    let (network, wiring, worms) = contended();
    let mut recorder = HopRecorder::new(WormId(worm), &network, &wiring);
    runs::run(&network, &worms, &mut recorder);
    let follow = recorder.finish().expect("the worm");
    (network, wiring, worms, follow)
}

#[test]
fn a_dump_shows_the_registers_of_the_engine_in_every_cycle() {
    let (network, wiring, worms) = contended();
    let mut engine = runs::engine(&network);
    let mut tracer = Tracer::new(VcdHeader::new(Vec::new()), Path::new("test"), &network, &wiring, Options::default())
        .expect("a tracer");
    let mut registers = Vec::new();
    for cycle in 0..120 {
        for worm in worms.iter().filter(|w| w.cycle == cycle) {
            engine.create(worm, true, &mut tracer);
        }
        registers.push(engine.registers());
        engine.cycle(&mut tracer);
    }
    let wave = wellen(tracer.finish_dump(DumpEnd { cycles: 120, deadlock: None }).expect("a dump"));
    let value = |name: &str, cycle: u64| {
        let changes = &wave[name];
        let (_, digits) = &changes[changes.partition_point(|(at, _)| *at <= cycle) - 1];
        u64::from_str_radix(digits, 2).expect("digits")
    };
    for q in &registers {
        for switch in (0..wiring.switches()).map(SwitchId) {
            let name = wiring.switch_name(switch);
            for port in (0..5).filter(|&p| wiring.output(switch, PortId(p)).is_some()) {
                let lane = switch.index() * 5 + usize::from(port);
                let (input, output) = (&q.inputs[lane], &q.outputs[lane]);
                let shows = |field: &str| value(&format!("top.{name}.{field}"), q.cycle);
                let at = format!("{name}, port {port}, cycle {}", q.cycle);
                assert_eq!(shows(&format!("in{port}.fifo_count")), u64::from(input.count), "fifo_count of {at}");
                let front =
                    input.flits.first().map_or((None, signal::IDLE), |flit| (Some(flit.worm.0), flit.index.into()));
                assert_eq!(shows(&format!("in{port}.flit")), front.1, "flit of {at}");
                if let Some(worm) = front.0 {
                    assert_eq!(shows(&format!("in{port}.worm")), u64::from(worm), "worm of {at}");
                }
                assert_eq!(shows(&format!("out{port}.credits")), u64::from(output.credits), "credits of {at}");
                if let Some(owner) = output.owner {
                    assert_eq!(shows(&format!("out{port}.owner")), u64::from(owner), "owner of {at}");
                }
            }
            let credits = value(&format!("top.node{switch}.inj.credits"), q.cycle);
            assert_eq!(credits, u64::from(q.channels[switch.index()].credits), "node {switch}, cycle {}", q.cycle);
        }
    }
}

#[test]
fn the_hops_of_a_multicast_are_its_tree() {
    let (_, wiring, _, follow) = followed(1);
    let hops = |h: &Hop| (wiring.switch_name(h.switch), h.depth, h.from.map(|s| wiring.switch_name(s)), h.ports.0);
    let found: Vec<_> = follow.hops.iter().map(hops).collect();
    let name = str::to_owned;
    let expected = [
        (name("rt_1_1"), 0, None, 0b00001),
        (name("rt_2_1"), 1, Some(name("rt_1_1")), 0b00001),
        (name("rt_3_1"), 2, Some(name("rt_2_1")), 0b00101),
        (name("rt_4_1"), 3, Some(name("rt_3_1")), 0b10100),
        (name("rt_4_2"), 4, Some(name("rt_4_1")), 0b10100),
        (name("rt_4_3"), 5, Some(name("rt_4_2")), 0b10100),
        (name("rt_4_4"), 6, Some(name("rt_4_3")), 0b10000),
        (name("rt_3_2"), 3, Some(name("rt_3_1")), 0b00100),
        (name("rt_3_3"), 4, Some(name("rt_3_2")), 0b00100),
        (name("rt_3_4"), 5, Some(name("rt_3_3")), 0b10000),
    ];
    assert_eq!(found, expected);
    for hop in &follow.hops {
        let port = PortId(hop.lane);
        match (hop.from, wiring.output(hop.switch, port)) {
            (Some(from), Some(Far::Switch(far, _))) => assert_eq!(from, far),
            (None, Some(Far::Node(node))) => assert_eq!(node, follow.worm.source),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn branch_rows_name_every_flit_and_who_is_waited_for() {
    let (network, wiring, worms, follow) = followed(1);
    let options = Options { follows: vec![follow.clone()], ..Options::default() };
    let mut tracer =
        Tracer::new(VcdHeader::new(Vec::new()), Path::new("test"), &network, &wiring, options).expect("a tracer");
    let (cycles, _) = runs::run(&network, &worms, &mut tracer);
    let wave = wellen(tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump"));
    let mut waits = BTreeSet::new();
    for (at, hop) in follow.hops.iter().enumerate() {
        for port in follow::branch_ports(hop) {
            let row = &wave[&format!("top.follow_w1.{}", signal::Signal::Branch(WormId(1), at, port).name())];
            let mut flits = Vec::new();
            for (_, digits) in row {
                match Doing::decode(u64::from_str_radix(digits, 2).expect("digits")).expect("a value") {
                    Doing::Crosses(flit) => flits.push(flit),
                    Doing::Waits(worm) => {
                        waits.insert((at, port, worm.0));
                    }
                    _ => {}
                }
            }
            assert_eq!(flits, (0..16).collect::<Vec<_>>(), "{} {port}", wiring.switch_name(hop.switch));
        }
    }
    assert_eq!(waits, BTreeSet::from([(0, PortId(0), 0)]), "worm 0 passes rt_1_1 towards rt_2_1 when worm 1 starts");
}

#[test]
fn a_saved_view_names_only_signals_of_its_dump() {
    let (network, wiring, worms, follow) = followed(1);
    let directory = tempfile::tempdir().expect("a directory");
    for (name, follow) in [("a.vcd", None), ("b.fst", None), ("c.vcd", Some(follow.clone())), ("d.fst", Some(follow))] {
        let path = directory.path().join(name);
        let options = Options { follows: follow.clone().into_iter().collect(), ..Options::default() };
        let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
        let (cycles, _) = runs::run(&network, &worms, &mut tracer);
        let files = tracer.finish(DumpEnd { cycles, deadlock: Some(20) }).expect("files");
        let written: Vec<_> = files.into_iter().map(|file| file.place().expect("a file")).collect();
        let view = std::fs::read_to_string(path.with_extension("gtkw")).expect("a view");
        let wave = wellen(std::fs::read(&path).expect("a dump"));
        let shown = readback::shown(&view);
        assert!((20..=500).contains(&shown.len()), "{} rows", shown.len());
        for signal in shown {
            let (bare, range) = signal.split_once('[').unwrap_or((signal, ""));
            let digits = &wave.get(bare).unwrap_or_else(|| panic!("{signal} is not in {name}"))[0].1;
            let bits = range.split(':').next().and_then(|msb| msb.parse::<usize>().ok()).map_or(1, |msb| msb + 1);
            assert_eq!(digits.len(), bits, "{signal}");
        }
        for file in view.lines().filter_map(|l| l.strip_prefix('^')).filter_map(|l| l.split_once(' ')) {
            assert!(written.contains(&directory.path().join(file.1)), "{}", file.1);
        }
        for file in &written {
            assert!(file.exists());
        }
        assert!(view.contains("\n-worm 1: n7 to {n10,n16,n22,n28,n27}, 16 flits,\n@200\n-  bit_string\n"), "{view}");
        assert!(view.contains("[markername] AA injected") && view.contains("[markername] DD deadlock"), "{view}");
        assert_eq!(follow.is_some(), view.contains("\n-  2 rt_3_1.in1 from rt_2_1\n"), "{view}");
        // GTKWave would show the names of an FST in place of the names and colours of a file.
        let state = view.lines().find(|line| line.contains(".state[2:0]")).expect("a state");
        let by_bits =
            state.starts_with("#{") && state.contains("} (0)top.") && state.matches(".state[2:0]").count() == 3;
        assert!(if name.ends_with("fst") { by_bits } else { state.starts_with("+{") }, "{state}");
    }
}

#[test]
fn an_fst_names_states_encodings_and_owners_itself() {
    let (network, wiring, worms) = contended();
    let header = FstHeader::new(Cursor::new(Vec::new()));
    let mut tracer = Tracer::new(header, Path::new("test"), &network, &wiring, Options::default()).expect("a tracer");
    let (cycles, _) = runs::run(&network, &worms, &mut tracer);
    let lanes = network.lanes(&wiring);
    let dump = tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump").into_inner();
    let (enumerations, wave) = (readback::named(dump.clone()), wellen(dump));
    let mut tables = BTreeSet::new();
    for (signal, changes) in &wave {
        let kind = signal.rsplit('.').next().expect("a name");
        let Some(names) = enumerations.get(signal) else {
            assert!(!["state", "enc", "owner"].contains(&kind), "{signal} has no names");
            continue;
        };
        assert!(changes.iter().all(|(_, digits)| names.contains_key(digits)), "{signal}: {changes:?}");
        tables.insert((kind.to_owned(), names.clone()));
    }
    // Each kind has one table, with a name for every possible value.
    let kinds: Vec<&str> = tables.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["enc", "owner", "state"]);
    let table = |at: usize| &tables.iter().nth(at).expect("a table").1;
    for (value, state) in (0..).zip(LaneState::ALL) {
        assert_eq!(table(2)[&format!("{value:03b}")], state.name());
    }
    for (value, encoding) in (0..).zip(wormscope_hw::Encoding::ALL) {
        assert_eq!(table(0)[&format!("{value:03b}")], encoding.name());
    }
    assert_eq!((table(0)["111"].as_str(), table(1)["11111111"].as_str()), ("-", "-"));
    assert_eq!(table(1).len(), usize::from(lanes.inputs.count()) + 1);
    assert_eq!(table(1)["00000011"], lanes.input_name(3));
}

#[test]
fn a_worm_that_waits_for_a_token_says_so_and_its_station_is_in_view() {
    let (network, wiring) =
        runs::network("(topology: uni_min(switch_ports: 2, stages: 3), token_ring: (hop_cycles: 2))");
    let worms = [runs::worm(0, 0, &[3, 7], 12), runs::worm(1, 2, &[1, 5], 12)];
    let mut recorder = HopRecorder::new(WormId(1), &network, &wiring);
    runs::run(&network, &worms, &mut recorder);
    let follow = recorder.finish().expect("the worm");
    assert_eq!(follow.hops.iter().map(|h| h.token).filter(|&token| token).count(), 1, "it branches in stage 0 only");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.vcd");
    let options = Options { follows: vec![follow], ..Options::default() };
    let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
    let (cycles, outcome) = runs::run(&network, &worms, &mut tracer);
    assert_eq!(outcome, Outcome::Done);
    for file in tracer.finish(DumpEnd { cycles, deadlock: None }).expect("files") {
        file.place().expect("a file");
    }
    let view = std::fs::read_to_string(path.with_extension("gtkw")).expect("a view");
    let wave = wellen(std::fs::read(&path).expect("a dump"));
    for signal in ["here", "holder[7:0]", "request[1:0]"] {
        assert!(view.contains(&format!(" top.sw_s0_r1.token.{signal}\n")), "{signal} is not in\n{view}");
    }
    // The worm wants the token of ring r0 to r3 in cycle 3, has it after worm 0, and passes it on.
    let of = |name: &str| &wave[name];
    let waits: Vec<_> = of("top.follow_w1.hop0_out0").iter().map(|(at, digits)| (*at, digits.clone())).collect();
    let token = format!("{:0bits$b}", Doing::Token.encode(), bits = signal::Type::Doing.bits() as usize);
    let asked = waits.iter().position(|(_, digits)| *digits == token).expect("it waits for the token");
    let captured = waits[asked + 1].0;
    assert!(of("top.sw_s0_r1.token.holder").contains(&(captured, "00000000".to_owned())), "{waits:?}");
    assert!(of("top.sw_s0_r1.token.here").contains(&(captured, "1".to_owned())));
    assert!(of("top.sw_s0_r1.token.request").contains(&(waits[asked].0, "01".to_owned())));
}

#[test]
fn a_narrow_scope_still_declares_the_hops_of_the_followed_worm() {
    let (network, wiring, _, follow) = followed(1);
    let scopes = scope::Selection::new(&["top.node3".to_owned()]).expect("a scope");
    let layout = Layout::new(&network, &wiring, scopes, std::slice::from_ref(&follow)).expect("a layout");
    assert!(follow.hops.iter().all(|h| layout.input(h.switch, h.lane).is_some()));
    assert!(layout.input(SwitchId(0), 0).is_none());
}

#[test]
fn the_codes_of_hops_are_those_of_the_documentation() {
    let text = include_str!("../../../docs/reference/timing.md");
    let row = text.lines().find(|line| line.starts_with("| `follow_w<worm>.hop<h>_out<p>` |")).expect("a row");
    let width = signal::Type::Doing.bits();
    assert!(row.starts_with(&format!("| `follow_w<worm>.hop<h>_out<p>` | {width} |")), "{row}");
    let kinds = [
        (Doing::Nothing, "nothing"),
        (Doing::Crosses(7), "crosses, flit number"),
        (Doing::Waits(WormId(7)), "waits, worm number"),
        (Doing::NoCredit, "no credit"),
        (Doing::Sibling, "sibling"),
        (Doing::Bubble, "bubble"),
        (Doing::Token, "token"),
        (Doing::Turn(WormId(7)), "turn, worm number"),
    ];
    for (doing, name) in kinds {
        let (code, number) = (doing.encode() >> 32, doing.encode() as u32);
        assert!(row.contains(&format!(" {code} {name}")), "{code} {name}");
        assert_eq!(number, if name.ends_with("number") { 7 } else { 0 });
    }
    assert_eq!(Doing::Arbiter.encode() as u32, u32::MAX);
    let order = text.split(" held up most, in the order ").nth(1).and_then(|rest| rest.split(';').next());
    let mut left = kinds.map(|(doing, _)| doing).to_vec();
    let slowest = || {
        let slowest = follow::slowest(left.iter().copied());
        left.retain(|doing| *doing != slowest);
        (slowest.encode() >> 32).to_string()
    };
    let found: Vec<String> = std::iter::repeat_with(slowest).take(kinds.len()).collect();
    assert_eq!(order, Some(found.join(", ").as_str()));
}

#[test]
fn every_encoding_and_none_has_a_name() {
    let numbered = wormscope_hw::Encoding::ALL.iter().enumerate();
    let rows: Vec<String> = numbered.map(|(number, encoding)| format!("{number} {encoding}\n")).collect();
    assert_eq!(labels::text(&labels::encodings()), rows.concat() + "7 -\n");
}
